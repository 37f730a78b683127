//! All solutions of small instances.

use soloist::{Problem, Score};

/// Plays every game of a problem and returns the best feasible value. `None`: no game ends feasibly. `finished` is
/// called with the moves and the last state of each game.
///
/// # Panics
/// If the [bound](Problem::bound) of a state is worse than a value that was reached from there, or missing although the
/// root has one: with the moves to the state.
pub fn exhaust<P: Problem>(problem: &P, mut finished: impl FnMut(&[P::Move], &P::State)) -> Option<f64> {
    let root = problem.root();
    let is_bounded = problem.bound(&root).is_some();
    best_from(problem, &root, is_bounded, &mut Vec::new(), &mut finished)
}

fn best_from<P: Problem>(
    problem: &P,
    state: &P::State,
    is_bounded: bool,
    path: &mut Vec<P::Move>,
    finished: &mut impl FnMut(&[P::Move], &P::State),
) -> Option<f64> {
    let (sense, mut moves) = (problem.sense(), Vec::new());
    problem.moves(state, &mut moves);
    let mut best = None;
    if moves.is_empty() {
        finished(path, state);
        best = match problem.score(state) {
            Score::Feasible(value) => Some(value),
            Score::Infeasible(_) => None,
        };
    }
    for mv in moves {
        let mut next = state.clone();
        problem.apply(&mut next, mv);
        path.push(mv);
        let value = best_from(problem, &next, is_bounded, path, finished);
        path.pop();
        best = match (best, value) {
            (Some(a), Some(b)) => Some(if sense.better_value(b, a) { b } else { a }),
            (a, b) => a.or(b),
        };
    }
    if let Some(best) = best {
        let bound = problem.bound(state);
        assert!(bound.is_some() || !is_bounded, "the root has a bound, but the state after {path:?} has none");
        let is_passed = bound.is_some_and(|bound| sense.better_value(best, bound));
        assert!(!is_passed, "the bound {bound:?} is worse than {best} after {path:?}");
    }
    best
}
