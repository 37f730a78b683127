//! Ruin and recreation as a playout policy.

use super::problem::{Tour, Tsptw};
use crate::anneal::{Annealing, EVERY, SavedAnnealing};
use crate::sisr::{Settings, Sisr};
use soloist::{CheckpointError, Playout, Policy, Problem, Rng, Rollout, Score, Trace, Uniform, policy_playout};
use std::sync::Arc;

/// Ruin and recreation.
///
/// A playout from the root without a learned policy is a part of one annealing over the whole run: it makes `steps`
/// steps and hands back the best tour so far. A playout by a learned policy is improved, if it is feasible and begins
/// at the root, and the improved tour handed back, so that the policy learns it. Any other is played at random.
#[derive(Debug)]
pub(super) struct Refine {
    steps: u64,
    annealing: Annealing,
    kernel: Sisr,
    tour: Vec<u16>,
    candidates: Vec<u16>,
}

impl Refine {
    /// Steps a playout without an argument.
    pub(super) const STEPS: u64 = 1_000;
    /// Temperature of the improvement of single playouts, as a fraction of the mean distance between stops.
    const TEMPERATURE: f64 = 0.05;

    pub(super) fn new(problem: &Tsptw, steps: u64) -> Self {
        Self {
            steps,
            annealing: problem.annealing(),
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
            self.annealing.advance_until(self.steps, rng, || playout.is_cut());
            for &mv in self.annealing.best().iter().filter(|&&mv| mv != 0) {
                self.candidates.clear();
                problem.moves(state, &mut self.candidates);
                // Before a tour within all windows is found, the kernel's leaves cities out.
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
                    problem.biases(state, candidate, &mut terms);
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

    /// The annealing goes on from a tour without late visits if it is better than its own.
    fn offer(&mut self, _problem: &Tsptw, moves: &[u16], score: Score) {
        if score.is_feasible() {
            self.tour.clear();
            self.tour.push(0);
            self.tour.extend_from_slice(moves);
            self.annealing.offer(&self.tour, &[]);
        }
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.annealing.save()).unwrap_or_default()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        match postcard::take_from_bytes::<SavedAnnealing>(bytes) {
            Ok((saved, [])) => self.annealing.load(saved).map_err(CheckpointError::Corrupt),
            _ => Err(CheckpointError::Corrupt("the annealing does not decode")),
        }
    }
}
