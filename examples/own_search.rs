//! A solver of a problem's own as a method: signs of numbers change one by one, worse ones rarely and ever more so.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use soloist::prelude::*;
use soloist::problem::{Extras, NamedSearch, ProblemSearch, SearchInfo, StepStatus, Unit, Work};
use soloist::run::CheckpointError;

/// Which signs bring the sum of the numbers nearest to 0?
struct Signs(Vec<f64>);
const FLIPS: SearchInfo = SearchInfo::new::<()>("flips", "changes of a sign", "our example", Unit::Solution("flips"));

impl Problem for Signs {
    type State = Vec<bool>;
    type Move = bool;
    fn root(&self) -> Vec<bool> {
        Vec::new()
    }
    fn moves(&self, signs: &Vec<bool>, moves: &mut Vec<bool>) {
        moves.extend([false, true].iter().filter(|_| signs.len() < self.0.len()));
    }
    fn apply(&self, signs: &mut Vec<bool>, sign: bool) {
        signs.push(sign);
    }
    fn score(&self, signs: &Vec<bool>) -> Score {
        let signed = |(number, &plus): (&f64, &bool)| if plus { *number } else { -number };
        Score::Feasible(-self.0.iter().zip(signs).map(signed).sum::<f64>().abs())
    }
    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Signs {
    fn searches(&self) -> Vec<NamedSearch<Self>> {
        vec![NamedSearch::new(FLIPS, |problem, _| Some(Box::new(Flips(vec![false; problem.0.len()]))))]
    }
}

struct Flips(Vec<bool>);

impl ProblemSearch<Signs> for Flips {
    fn step(&mut self, problem: &Signs, work: &mut Work<'_, Signs>) -> StepStatus {
        while work.next_unit() {
            let (at, odds, before) = (work.rng().index(self.0.len()), work.rng().unit(), problem.score(&self.0));
            self.0[at] = !self.0[at];
            let worse = problem.score(&self.0).value() < before.value();
            if worse && odds > 0.5 * (1.0 - work.progress().unwrap_or(0.5)) {
                self.0[at] = !self.0[at];
            } else {
                work.found(&self.0);
            }
        }
        StepStatus::Running
    }
    fn save(&self) -> Vec<u8> {
        self.0.iter().map(|&sign| u8::from(sign)).collect()
    }
    fn load(&mut self, problem: &Signs, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.0 = bytes.iter().map(|&byte| byte == 1).collect();
        if self.0.len() == problem.0.len() { Ok(()) } else { Err(CheckpointError::Corrupt("another number of signs")) }
    }
}

fn main() {
    let problem = Signs((1..=40).map(|number| f64::from(number).sqrt()).collect());
    let outcome = Solver::new(&problem, Method::named("flips")).budget(Budget::nodes(20_000)).run().unwrap();
    println!("{} by {} flips", outcome.best.unwrap().score, outcome.counters.nodes);
}

#[cfg(test)]
#[test]
fn flips_do_not_depend_on_how_a_run_is_cut() {
    soloist_domain_testing::check_searches(&Signs((1..=20).map(|number| f64::from(number).sqrt()).collect()), 3_000);
}
