//! Ruin and recreation as a playout policy.

use super::problem::{Tour, Tsptw};
use crate::anneal::EVERY;
use crate::sisr::{Settings, Sisr};
use soloist::problem::Prior;
use soloist::rollout::{Playout, Policy, Rollout, Trace, Uniform, policy_playout};
use soloist::{Problem, Rng};
use std::sync::Arc;

/// Ruin and recreation as the end of a playout.
///
/// A playout from the root is improved, if it is feasible, and the improved tour played, so that a policy learns it.
/// Any other is played at random.
#[derive(Debug)]
pub(super) struct Refine {
    steps: u64,
    kernel: Sisr,
    tour: Vec<u16>,
    candidates: Vec<u16>,
}

impl Refine {
    /// Temperature of the improvement of single playouts, as a fraction of the mean distance between stops.
    const TEMPERATURE: f64 = 0.05;

    pub(super) fn new(problem: &Tsptw, steps: u64) -> Self {
        Self {
            steps,
            kernel: Sisr::new(Arc::clone(problem.network()), 0.0, Settings::tuned()),
            tour: Vec::new(),
            candidates: Vec::new(),
        }
    }

    /// Improves the feasible tour in `tour`.
    fn improve(&mut self, rng: &mut Rng, ends: impl Fn() -> bool) {
        self.kernel.set(&self.tour, &[], 1);
        let temperature = Self::TEMPERATURE * self.kernel.mean_leg();
        let mut best = self.kernel.cost();
        for step in 0..self.steps {
            if step % EVERY == EVERY - 1 && ends() {
                break;
            }
            if self.kernel.step(rng, temperature) && self.kernel.cost() < best {
                best = self.kernel.cost();
                self.kernel.write(&mut self.tour);
            }
        }
        self.tour.retain(|&c| c != 0);
    }
}

impl Rollout<Tsptw> for Refine {
    fn run(&mut self, problem: &Tsptw, state: &mut Tour, playout: &mut Playout<u16>, rng: &mut Rng) {
        if state.last == 0 {
            let (mut end, mut own) = (state.clone(), Playout::default());
            Uniform.run(problem, &mut end, &mut own, rng);
            self.tour.clone_from(&own.moves);
            if problem.score(&end).is_feasible() {
                self.improve(rng, || playout.is_cut());
            }
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
        self.tour.clear();
        self.tour.extend_from_slice(&own.moves);
        if problem.score(&end).is_feasible() {
            self.improve(rng, || trace.is_cut());
        }
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
                if policy.learns_bias() {
                    let mut terms = Vec::new();
                    Prior::terms(problem, state, candidate, &mut terms);
                    trace.offer_terms(code, &terms, policy);
                } else if policy.uses_bias() {
                    trace.offer_biased(code, policy.bias_factor(problem.bias(state, candidate)), policy);
                } else {
                    trace.offer(code, policy);
                }
                if candidate == mv {
                    chosen = at;
                }
            }
            trace.choose(chosen, self.candidates.len(), mv);
            problem.apply(state, mv);
        }
    }
}
