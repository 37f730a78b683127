//! Forced exploration: playouts that end where earlier ones ended are sent elsewhere.

use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::rollout::policy::{Policy, Trace};
use crate::search::Context;
use serde::{Deserialize, Serialize};

/// The final states of recent playouts, one for each value of the low bits of their hash.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Ends(Vec<u64>);

const ENDS: usize = 1 << 16;

impl Ends {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Remembers the end of a playout. Returns whether it was there already.
    pub(super) fn meets(&mut self, problem: &dyn ErasedProblem, state: &State, moves: &[MoveId]) -> bool {
        let end = problem.solution_key(state, moves).mix();
        self.0.resize(ENDS, 0);
        std::mem::replace(&mut self.0[end as usize % ENDS], end) == end
    }

    pub(super) fn is_sound(&self) -> bool {
        self.0.is_empty() || self.0.len() == ENDS
    }
}

/// Repeats the recorded playout up to a random step, then plays a random move, then by the policy.
pub(super) fn deviate(
    context: &mut Context<'_>,
    root: &State,
    state: &mut State,
    policy: &Policy,
    trace: &mut Trace<MoveId>,
) {
    let moves = trace.moves.clone();
    if moves.is_empty() {
        return;
    }
    state.clone_from(root);
    trace.clear();
    let kept = &moves[..context.rng.index(moves.len())];
    context.rollout.replay(state, policy, trace, kept);
    context.rollout.deviate(state, policy, trace, context.rng);
    context.rollout.run_policy(state, policy, trace, context.rng);
}
