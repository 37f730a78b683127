//! What tells one problem from another.

use soloist::problem::stable_hash;
use soloist::{Problem, Rng, Score};

/// The default fingerprint with scores to seven digits: sums of floats differ in the last bit between machines and
/// versions of libraries, and a run may move from one to another.
pub(crate) fn rounded_fingerprint<P: Problem>(problem: &P) -> u64 {
    // Half a unit of the digit that stays, and what goes.
    const HALF: u64 = 1 << 28;
    let rounded = |value: f64| value.to_bits().wrapping_add(HALF) & !(2 * HALF - 1);
    let (mut words, mut rng, mut moves) = (Vec::new(), Rng::new(0), Vec::new());
    for _ in 0..8 {
        let mut state = problem.root();
        // As long as the default.
        for _ in 0..4096 {
            moves.clear();
            problem.moves(&state, &mut moves);
            words.push(moves.len() as u64);
            let Some(&mv) = moves.get(rng.index(moves.len())) else {
                words.push(match problem.score(&state) {
                    Score::Feasible(value) => rounded(value),
                    Score::Infeasible(degree) => !rounded(degree),
                });
                break;
            };
            words.push(problem.code(&state, mv));
            problem.apply(&mut state, mv);
        }
    }
    stable_hash(&words[..])
}
