//! Forced exploration: playouts that end where earlier ones ended are sent elsewhere.

use crate::rollout::{policy_replay, policy_step};
use crate::search::Context;
use crate::{Policy, Problem, Trace, stable_hash};
use serde::{Deserialize, Serialize};

/// The final states of recent playouts, one for each value of the low bits of their hash.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Ends(Vec<u64>);

const ENDS: usize = 1 << 16;

impl Ends {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Remembers the end of a playout; whether it was there already.
    pub(super) fn meets<P: Problem>(&mut self, problem: &P, state: &P::State, moves: &[P::Move]) -> bool {
        let end = problem.key(state).unwrap_or_else(|| stable_hash(moves));
        self.0.resize(ENDS, 0);
        std::mem::replace(&mut self.0[end as usize % ENDS], end) == end
    }

    pub(super) fn is_sound(&self) -> bool {
        self.0.is_empty() || self.0.len() == ENDS
    }
}

/// Plays the recorded playout again up to a random step, then a random move, then by the policy.
pub(super) fn deviate<P: Problem>(
    context: &mut Context<'_, P>,
    root: &P::State,
    state: &mut P::State,
    policy: &Policy,
    trace: &mut Trace<P::Move>,
) {
    let moves = trace.moves.clone();
    if moves.is_empty() {
        return;
    }
    let (problem, rollout) = (context.problem, &mut *context.rollout);
    state.clone_from(root);
    trace.clear();
    let kept = &moves[..context.rng.index(moves.len())];
    policy_replay(rollout, problem, state, policy, trace, kept);
    policy_step(rollout, problem, state, policy, trace, |moves, _| context.rng.index(moves.len()));
    rollout.run_policy(problem, state, policy, trace, context.rng);
}
