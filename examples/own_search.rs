//! A solver of a problem's own as a method: flips of one vertex, with what a flip changes known at once.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use soloist::prelude::*;
use soloist::problem::{NamedSearch, ProblemSearch, SearchInfo, StepStatus, Unit, Work};
use soloist::run::CheckpointError;

/// A complete graph with weights 0 to 9: which sides should its vertices be on, so that the edges between are heavy?
struct Cut;
const VERTICES: usize = 40;
const FLIPS: SearchInfo = SearchInfo::new::<()>("flips", "flips of one vertex", "our example", Unit::Solution("flips"));

/// The weight of the edges from `vertex` to the other side, minus that of the edges on its own one.
fn outside(sides: &[bool], vertex: usize) -> f64 {
    let weight = |a: usize, b: usize| (stable_hash(&(a.min(b), a.max(b))) % 10) as f64;
    let signed = |other| weight(vertex, other) * if sides[other] == sides[vertex] { -1.0 } else { 1.0 };
    (0..sides.len()).filter(|&other| other != vertex).map(signed).sum()
}

impl Problem for Cut {
    type State = Vec<bool>;
    type Move = bool;
    fn root(&self) -> Vec<bool> {
        Vec::new()
    }
    fn moves(&self, sides: &Vec<bool>, moves: &mut Vec<bool>) {
        moves.extend([false, true].iter().filter(|_| sides.len() < VERTICES));
    }
    fn apply(&self, sides: &mut Vec<bool>, side: bool) {
        sides.push(side);
    }
    fn score(&self, sides: &Vec<bool>) -> Score {
        Score::Feasible((0..sides.len()).map(|vertex| outside(sides, vertex)).sum())
    }
    fn searches(&self) -> Vec<NamedSearch<Self>> {
        vec![NamedSearch::new(FLIPS, |_, _| Some(Box::new(Flips(vec![false; VERTICES]))))]
    }
}

/// The present sides.
struct Flips(Vec<bool>);

impl ProblemSearch<Cut> for Flips {
    fn step(&mut self, _: &Cut, work: &mut Work<'_, Cut>) -> StepStatus {
        while work.next_unit() {
            let (vertex, odds) = (work.rng().index(VERTICES), work.rng().unit());
            // Worse sides are accepted less and less often over the budget.
            if outside(&self.0, vertex) <= 0.0 || odds < 0.1 * (1.0 - work.progress().unwrap_or(0.5)) {
                self.0[vertex] = !self.0[vertex];
                work.found(&self.0);
            }
        }
        StepStatus::Running
    }
    /// With several threads, all continue from the best sides every 1000 flips.
    fn exchange(&self) -> Option<u64> {
        Some(1_000)
    }
    fn offer(&mut self, _: &Cut, sides: &[bool], _: Score) {
        self.0 = sides.to_vec();
    }
    fn save(&self) -> Vec<u8> {
        self.0.iter().map(|&side| u8::from(side)).collect()
    }
    fn load(&mut self, _: &Cut, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.0 = bytes.iter().map(|&byte| byte == 1).collect();
        if bytes.len() == VERTICES { Ok(()) } else { Err(CheckpointError::Corrupt("another number of sides")) }
    }
}

fn main() {
    let outcome = Solver::new(&Cut, Method::named("flips")).seed(1).budget(Budget::nodes(20_000)).run().unwrap();
    println!("{} by {} flips", outcome.best.unwrap().score, outcome.counters.nodes);
}

#[cfg(test)]
#[test]
fn flips_do_not_depend_on_how_a_run_is_cut() {
    soloist_domain::testing::check_searches(&Cut, 3_000);
}
