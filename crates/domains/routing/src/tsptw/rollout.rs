//! Ruin and recreation as a playout policy.

use super::model::{Tour, Tsptw};
use crate::refine::Refiner;
use soloist::problem::Prior;
use soloist::rollout::{Playout, Policy, Rollout, Trace, Uniform, policy_playout};
use soloist::{Problem, Rng};

/// Ruin and recreation as the end of a playout.
///
/// A playout from the root is improved, if it is feasible, and the improved tour is played, so that a policy learns it.
/// From any other state playouts are random.
#[derive(Debug)]
pub(super) struct Refine {
    refiner: Refiner,
    tour: Vec<u16>,
    candidates: Vec<u16>,
}

impl Refine {
    pub(super) fn new(problem: &Tsptw, steps: u64) -> Self {
        Self { refiner: Refiner::new(problem.network(), 0.0, steps), tour: Vec::new(), candidates: Vec::new() }
    }

    /// Keeps the tour of a playout that ended in `end`, improved if it is feasible.
    fn improve(&mut self, problem: &Tsptw, end: &Tour, moves: &[u16], rng: &mut Rng, ends: impl Fn() -> bool) {
        self.tour.clear();
        self.tour.extend_from_slice(moves);
        if problem.score(end).is_feasible() {
            self.refiner.improve(&mut self.tour, &[], 1, rng, ends);
            self.tour.retain(|&city| city != 0);
        }
    }
}

impl Rollout<Tsptw> for Refine {
    fn run(&mut self, problem: &Tsptw, state: &mut Tour, playout: &mut Playout<u16>, rng: &mut Rng) {
        if state.last == 0 {
            let (mut end, mut own) = (state.clone(), playout.sibling());
            Uniform.run(problem, &mut end, &mut own, rng);
            self.improve(problem, &end, &own.moves, rng, || playout.is_cut());
            for &mv in &self.tour {
                self.candidates.clear();
                problem.moves(state, &mut self.candidates);
                // Rounding alone can make the difference.
                if !self.candidates.contains(&mv) {
                    break;
                }
                problem.apply(state, mv);
                playout.moves.push(mv);
            }
        }
        Uniform.run(problem, state, playout, rng);
    }

    fn run_policy(
        &mut self,
        problem: &Tsptw,
        state: &mut Tour,
        policy: &Policy,
        trace: &mut Trace<u16>,
        rng: &mut Rng,
    ) {
        if state.last != 0 {
            return policy_playout(&mut Uniform, problem, state, policy, trace, rng);
        }
        let mut own = trace.sibling();
        let mut end = state.clone();
        policy_playout(&mut Uniform, problem, &mut end, policy, &mut own, rng);
        self.improve(problem, &end, &own.moves, rng, || trace.is_cut());
        for at in 0..self.tour.len() {
            let mv = self.tour[at];
            self.candidates.clear();
            problem.moves(state, &mut self.candidates);
            if !self.candidates.contains(&mv) {
                // Rounding alone can make the difference.
                return policy_playout(&mut Uniform, problem, state, policy, trace, rng);
            }
            let mut chosen = 0;
            for (at, &candidate) in self.candidates.iter().enumerate() {
                let code = problem.code(state, candidate);
                let bias = || problem.bias(state, candidate);
                trace.candidate(code, policy, bias, |terms| Prior::terms(problem, state, candidate, terms));
                if candidate == mv {
                    chosen = at;
                }
            }
            trace.choose(chosen, self.candidates.len(), mv);
            problem.apply(state, mv);
        }
    }
}
