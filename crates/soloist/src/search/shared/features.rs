//! What searches ask of a problem before they begin.

use crate::Rng;
use crate::erased::problem::ErasedProblem;

/// Returns the bytes of as many states as a search cannot do without; 0 where they are few enough for any memory.
pub(crate) fn states(problem: &dyn ErasedProblem, count: u64) -> u64 {
    /// Less than this is there whatever the limit is.
    const ALWAYS: u64 = 1 << 20;
    let bytes = (problem.state_bytes() as u64).saturating_mul(count);
    if bytes <= ALWAYS { 0 } else { bytes }
}

/// Moves whose bias is asked for, at most, before a problem counts as unbiased, and the most moves of a walk.
const ASKED: usize = 10_000;
const WALKED: usize = 1_000;
/// Random walks on which the bias is looked for.
const WALKS: usize = 4;

/// Whether the problem's bias differs between moves of a state, at the root or on a few random walks from it.
///
/// The walks are the same at each call. The states of large instances are met up to `ASKED` moves; at the root all are
/// asked. A problem without a prior is asked for nothing: its moves may be slow, and no limit of a run holds yet.
pub(crate) fn is_biased(problem: &dyn ErasedProblem) -> bool {
    if !problem.has_prior() {
        return false;
    }
    let (mut rng, mut moves, mut asked) = (Rng::new(0), Vec::new(), 0);
    // A walk ends at once where there are no moves.
    for _ in 0..WALKS {
        let mut state = problem.root();
        for _ in 0..WALKED {
            moves.clear();
            problem.moves(&state, &mut moves);
            let mut all = moves.iter().map(|&mv| problem.bias(&state, mv));
            if all.next().is_some_and(|first| all.any(|other| other != first)) {
                return true;
            }
            asked += moves.len().max(1);
            if moves.is_empty() || problem.has_failed() {
                break;
            }
            if asked >= ASKED {
                return false;
            }
            problem.apply(&mut state, moves[rng.index(moves.len())]);
        }
    }
    false
}
