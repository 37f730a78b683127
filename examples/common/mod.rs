//! The command line that the examples share: `FILE [PRESET] [SECONDS] [SEED] [four] [NAME=VALUE ...]`, the names being
//! those of the preset's parameters, `rollout` and `target`. With `four` a search sees the four required functions
//! alone.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example shows its result")]

mod four;

use four::Four;
use soloist::{Budget, Outcome, Problem, Setup, Solver};
use std::process::exit;
use std::time::Duration;

/// What the arguments ask for.
pub(crate) struct Run {
    /// Name and text of the file.
    file: Option<(String, String)>,
    setup: Setup,
    budget: Budget,
    /// Whether the search sees the four required functions alone.
    four: bool,
}

/// Reads the arguments; `preset` is the method when none is named.
pub(crate) fn arguments(preset: &str) -> Run {
    let (settings, mut words): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.contains('='));
    let count = words.len();
    words.retain(|word| word != "four");
    let four = words.len() < count;
    let number = |at: usize, default| words.get(at).map_or(Some(default), |word: &String| word.parse().ok());
    let read = |file: &String| std::fs::read_to_string(file).unwrap_or_else(|error| fail(&format!("{file}: {error}")));
    let file = words.first().map(|file| (file.clone(), read(file)));
    let preset = words.get(1).map_or(preset, String::as_str);
    let mut target = None;
    let mut setup = Setup::preset(preset).unwrap_or_else(|error| fail(&error.to_string()));
    for (name, value) in settings.iter().filter_map(|setting| setting.split_once('=')) {
        if name == "rollout" {
            setup.rollout = Some(value.to_owned());
        } else if let ("target", Ok(value)) = (name, value.parse()) {
            target = Some(value);
        } else if let Err(error) = setup.set(name, value) {
            fail(&error.to_string());
        }
    }
    let (Some(seconds), Some(seed)) = (number(2, 2.0), number(3, 1.0)) else { fail("SECONDS and SEED are numbers") };
    if !(0.0..=1e9).contains(&seconds) {
        fail("SECONDS lie between 0 and 1e9");
    }
    let budget = Budget { target, ..Budget::time(Duration::from_secs_f64(seconds)) };
    Run { file, setup: setup.seed(seed as u64), budget, four }
}

impl Run {
    /// The name of the method.
    #[allow(dead_code, reason = "asked for where methods differ in what they can do")]
    pub(crate) fn preset(&self) -> &str {
        &self.setup.preset
    }

    /// Returns the problem in the file, or in `example` when no file is named.
    pub(crate) fn load<P>(&self, example: &str, parse: impl Fn(&str) -> Option<P>) -> P {
        let (file, text) = self.file.as_ref().map_or(("the example", example), |(file, text)| (file, text));
        parse(text).unwrap_or_else(|| fail(&format!("{file}: not in the format that the example's first lines name")))
    }

    /// Searches and shows what came out.
    pub(crate) fn solve<P: Problem>(&self, problem: &P) -> Outcome<P::Move> {
        if self.four { self.search(&Four(problem)) } else { self.search(problem) }
    }

    fn search<P: Problem>(&self, problem: &P) -> Outcome<P::Move> {
        let solver = Solver::new(problem, self.setup.clone()).budget(self.budget.clone());
        let outcome = solver.run().unwrap_or_else(|error| fail(&error.to_string()));
        let proof = if outcome.optimal { "optimal" } else { "not proven" };
        match &outcome.best {
            Some(best) => println!("{} ({proof}) by {}: {:?}", best.score, self.setup.preset, best.moves),
            None => println!("no solution by {}", self.setup.preset),
        }
        if let Some(first) = outcome.history.first() {
            println!("first {} after {:.3} s", first.score, first.elapsed.as_secs_f64());
        }
        if let Some(bound) = outcome.bound {
            println!("bound {bound}");
        }
        outcome.remarks.iter().for_each(|remark| println!("{remark}"));
        let (counters, seconds) = (outcome.counters, outcome.elapsed.as_secs_f64());
        println!("{} nodes, {} playouts, {seconds:.2} s, {}", counters.nodes, counters.playouts, outcome.stop);
        outcome
    }
}

/// Tests that a problem keeps its promises and that these methods prove that `optimum` is its best score.
#[cfg(test)]
pub(crate) fn prove<P: Problem>(problem: &P, optimum: f64, presets: &[&str]) {
    soloist::check(problem, 100, 1).unwrap_or_else(|violation| panic!("{violation}"));
    for name in presets {
        let outcome = Solver::new(problem, Setup::preset(name).unwrap()).run().unwrap();
        assert_eq!((outcome.best.unwrap().score.value(), outcome.optimal), (Some(optimum), true), "{name}");
    }
}

fn fail(what: &str) -> ! {
    eprintln!("error: {what}");
    exit(2)
}
