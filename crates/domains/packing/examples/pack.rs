//! Packs an instance and prints the result: `pack INSTANCE SECONDS SEED [ROLLOUT [NAME=VALUE ...]]`; `svg=FILE` writes a drawing,
//! `playouts=N` limits the playouts instead, `method=NAME` selects a preset.
#![expect(clippy::print_stdout, reason = "a program")]

use soloist::{Budget, Method};
use soloist_domain::{AnyObserver, Options, Request};
use std::time::Duration;

struct Print;

impl AnyObserver for Print {
    fn improved(
        &mut self,
        improvement: &soloist::Improvement,
        _: &soloist::Progress,
        _: &dyn Fn() -> serde_json::Value,
    ) {
        if std::env::var_os("PACK_TRACE").is_some() {
            println!("  {improvement:?}");
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut options = Options::new();
    for (name, value) in args.iter().skip(5).filter_map(|text| text.split_once('=')) {
        options.insert(name.into(), value.into());
    }
    let started = std::time::Instant::now();
    let instance = (soloist_packing::DOMAIN.load)(&args[1], &options).unwrap();
    let load = started.elapsed();
    let mut budget = Budget::time(Duration::from_secs_f64(args[2].parse().unwrap()));
    if let Some(count) = options.get("playouts") {
        budget = Budget::playouts(count.parse().unwrap());
    }
    budget.target = options.get("target").map(|text| text.parse().unwrap());
    let method = options.get("method").map(|name| Method::preset(name).unwrap());
    let rollout = args.get(4).filter(|name| *name != "-").cloned();
    let seed = args[3].parse().unwrap();
    let request = Request { method, rollout, seed, budget, threads: 1, ..Request::default() };
    let report = instance.solve(request, &mut Print).unwrap();
    let solution = serde_json::json!({ "problem": "packing", "score": report.score.unwrap().value(), "solution": report.solution }).to_string();
    let found = report.history.last().map(|last| format!("{last:?}"));
    println!(
        "{} {:?} load {load:?}, {} playouts, {:?}",
        args[1], report.score, report.run.counters.playouts, report.run.elapsed
    );
    println!("  {:?}\n  {:?} {}", instance.check(&solution), report.bound, found.unwrap_or_default());
    print!("{}", instance.text(&report.solution));
    if let Some(path) = options.get("svg") {
        std::fs::write(path, instance.svg(&report.solution)).unwrap();
    }
    if let Some(path) = options.get("json") {
        std::fs::write(path, solution).unwrap();
    }
}
