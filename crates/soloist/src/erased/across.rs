//! Playouts across the border between a problem's moves and numbers.

use crate::Score;
use crate::core::abort::EVERY;
use crate::core::solution::MoveId;
use crate::problem::Problem;
use crate::problem::move_codec::MoveCodec;
use crate::rollout::policy::{Policy, Trace};
use crate::rollout::{Rollout, policy_step};

/// The score of what does not count.
pub(super) const VOID: Score = Score::Infeasible(f64::MAX);

/// Lets `play` continue `trace` with the problem's moves. All other buffers are exchanged without copying.
pub(super) fn across<M: crate::problem::Move, T>(
    packing: &MoveCodec<M>,
    trace: &mut Trace<MoveId>,
    buffer: &mut Trace<M>,
    play: impl FnOnce(&mut Trace<M>) -> T,
) -> T {
    buffer.moves.clear();
    packing.append_known(&trace.moves, &mut buffer.moves);
    trace.swap_records(buffer);
    let result = play(buffer);
    trace.swap_records(buffer);
    let before = trace.moves.len();
    packing.append(&buffer.moves[before..], &mut trace.moves);
    result
}

/// Plays `moves` and records them like a policy playout, as far as they are candidates. Returns false when one was not.
pub(super) fn replay<P: Problem, R: Rollout<P> + ?Sized>(
    rollout: &mut R,
    problem: &P,
    state: &mut P::State,
    policy: &Policy,
    trace: &mut Trace<P::Move>,
    moves: &[P::Move],
) -> bool {
    moves.chunks(EVERY).all(|part| {
        !trace.gives_up()
            && part.iter().all(|mv| {
                let same = |moves: &[P::Move], _: &[u64]| moves.iter().position(|other| other == mv);
                policy_step(rollout, problem, state, policy, trace, same)
            })
    })
}
