//! Solves an instance by name and prints each improvement: `solve_partition INSTANCE [method] [rollout] [seconds] [seed] [key=value ...]`; `svg=FILE` draws the
//! solution.

use soloist::{Budget, Improvement, Method, Progress};
use soloist_domain::{AnyObserver, Options, Request};
use soloist_partition::DOMAIN;
use std::time::Duration;

struct Printer;

impl AnyObserver for Printer {
    #[expect(clippy::print_stdout, reason = "a program")]
    fn improved(&mut self, improvement: &Improvement, progress: &Progress, _: &dyn Fn() -> serde_json::Value) {
        println!(
            "{:9.3} s {:10} playouts  {}",
            progress.elapsed.as_secs_f64(),
            improvement.playouts,
            improvement.score
        );
    }
}

#[expect(clippy::print_stdout, reason = "a program")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (settings, words): (Vec<_>, Vec<_>) = arguments.iter().partition(|word| word.contains('='));
    let word = |at: usize| words.get(at).map(|word| word.as_str()).filter(|&word| word != "-");
    let mut options = Options::new();
    let mut method = word(1).map(|name| Method::preset(name).expect("a method"));
    let mut drawing = None;
    for (key, value) in settings.iter().filter_map(|setting| setting.split_once('=')) {
        if key == "svg" {
            drawing = Some(value);
        } else if DOMAIN.options.iter().any(|option| option.name == key) {
            options.insert(key.into(), value.into());
        } else {
            method.as_mut().expect("a method to set").set(key, value).expect("a parameter");
        }
    }
    let instance = (DOMAIN.load)(word(0).unwrap_or(DOMAIN.example), &options).unwrap_or_else(|error| panic!("{error}"));
    let seconds = word(3).map_or(10.0, |text| text.parse().expect("seconds"));
    let request = Request {
        method,
        rollout: word(2).map(Into::into),
        seed: word(4).map_or(1, |text| text.parse().expect("a seed")),
        budget: Budget::time(Duration::from_secs_f64(seconds)),
        interval: Duration::from_secs(1),
        ..Request::default()
    };
    println!("{}: {}", instance.name(), instance.describe());
    let report = instance.solve(request, &mut Printer).expect("a run");
    let checked = instance.check(&report.solution.to_string()).expect("a valid solution");
    if let Some(path) = drawing {
        std::fs::write(path, instance.svg(&report.solution)).expect("a drawing");
    }
    println!(
        "score {:?} bound {:?} optimal {} playouts {} nodes {} seconds {:.2}; checked {:.4}: {}",
        report.score,
        report.bound,
        report.optimal,
        report.run.counters.playouts,
        report.run.counters.nodes,
        report.run.elapsed.as_secs_f64(),
        checked.score,
        checked.summary
    );
}
