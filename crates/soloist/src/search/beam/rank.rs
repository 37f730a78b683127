//! What ranks the states of a beam.

use super::{Beam, Merit, Tie};
use crate::Sense;
use crate::core::score::rank;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::rollout::policy::{Policy, Trace};
use crate::search::{Context, Coverage};

/// Ranks states by a merit, noise and what breaks ties, as the parameters say.
#[derive(Clone)]
pub(super) struct Ranker {
    merit: Merit,
    noise: f64,
    tie: Tie,
    alpha: f64,
    pub(super) policy: Option<Policy>,
}

impl Ranker {
    pub(super) fn new(parameters: &Beam, problem: &dyn ErasedProblem) -> Self {
        let policy = || Policy::new(1.0, 0.0, f64::INFINITY).with_codes(problem.facts().code_count.unwrap_or(0));
        // The potential decides nothing where it is the merit itself, or where there is none.
        let telling = parameters.merit != Merit::Potential && problem.potential(&problem.root()).is_some();
        Self {
            tie: if parameters.tie == Tie::Potential && !telling { Tie::Chance } else { parameters.tie },
            merit: parameters.merit,
            noise: parameters.noise,
            alpha: parameters.alpha,
            policy: (parameters.tie == Tie::Policy).then(policy),
        }
    }

    /// Returns the merit of a state, larger for better states. `None`: the problem gives none. `bound` is the state's
    /// bound.
    #[inline]
    pub(super) fn merit(
        &self,
        problem: &dyn ErasedProblem,
        state: &State,
        bound: impl FnOnce() -> Option<f64>,
    ) -> Option<f64> {
        let bound = || match problem.sense() {
            Sense::Maximize => bound(),
            Sense::Minimize => bound().map(|bound| -bound),
        };
        let merit = match self.merit {
            Merit::Potential => problem.potential(state).or_else(bound),
            Merit::Bound => bound(),
            Merit::None => None,
        };
        merit.filter(|merit| !merit.is_nan())
    }

    /// Returns the best rank that a merit can have.
    #[inline]
    pub(super) fn best_rank(&self, merit: f64) -> u64 {
        rank(Sense::Maximize, merit + self.noise)
    }

    /// Returns the rank of a merit with the noise that `mix` stands for.
    #[inline]
    pub(super) fn rank(&self, merit: f64, mix: u64) -> u64 {
        // The upper 53 bits, as a number below 1.
        let noise = || self.noise * ((crate::core::hash::stable_hash(&mix) >> 11) as f64 / (1_u64 << 53) as f64);
        rank(Sense::Maximize, if self.noise > 0.0 { merit + noise() } else { merit })
    }

    /// Returns what decides between states of equal rank, without playouts; `chance`: the logarithm of the chance of
    /// the moves so far.
    #[inline]
    pub(super) fn tie(&self, problem: &dyn ErasedProblem, state: &State, chance: f64) -> u64 {
        match self.tie {
            Tie::Policy => rank(Sense::Maximize, chance),
            Tie::Potential => potential_rank(problem, state),
            Tie::Chance | Tie::Playouts => 0,
        }
    }

    /// Puts the logarithms of the chances of a state's moves into `chances`; none without a policy.
    pub(super) fn list_chances(
        &self,
        problem: &dyn ErasedProblem,
        state: &State,
        moves: &[MoveId],
        chances: &mut Vec<f64>,
    ) {
        chances.clear();
        let Some(policy) = &self.policy else { return };
        let weights = moves.iter().map(|&mv| policy.weight(problem.code(state, mv)));
        let sum: u64 = weights.clone().sum();
        chances.extend(weights.map(|weight| libm::log(weight as f64) - libm::log(sum as f64)));
    }

    /// Teaches the policy a solution.
    pub(super) fn learn(&mut self, problem: &dyn ErasedProblem, root: &State, moves: &[MoveId]) {
        let Some(policy) = &mut self.policy else { return };
        let mut state = root.clone();
        let mut trace = Trace::default();
        problem.record(&mut state, policy, &mut trace, moves);
        policy.adapt(&trace, self.alpha);
    }

    /// Whether the policy of a checkpoint can be one of this run.
    pub(super) fn is_like(&self, saved: Option<&Policy>) -> bool {
        match (saved, &self.policy) {
            (Some(saved), Some(own)) => saved.is_like(own),
            (saved, own) => saved.is_none() && own.is_none(),
        }
    }
}

/// Returns the logarithm of the chance of move number `place`; 0 without a policy.
#[inline]
pub(super) fn chance_of(chances: &[f64], place: usize) -> f64 {
    chances.get(place).copied().unwrap_or(0.0)
}

/// Returns the rank of the potential, 0 for a problem without one.
#[inline(never)]
fn potential_rank(problem: &dyn ErasedProblem, state: &State) -> u64 {
    problem.potential(state).filter(|potential| !potential.is_nan()).map_or(0, |value| rank(Sense::Maximize, value))
}

/// Lists the moves to the children that a state may have. Returns whether these are all legal moves.
pub(super) fn list_moves(
    selective: bool,
    context: &mut Context<'_>,
    state: &State,
    moves: &mut Vec<MoveId>,
) -> Coverage {
    moves.clear();
    if selective {
        context.rollout.candidates(state, moves)
    } else {
        context.problem.moves(state, moves);
        Coverage::Whole
    }
}
