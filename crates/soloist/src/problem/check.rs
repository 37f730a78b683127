//! Checks that a problem keeps what searches rely on.

use crate::{Problem, Rng, Score};
use std::fmt;

/// A rule that a problem breaks, with the moves that lead to the state where it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation<M> {
    /// What is wrong.
    pub what: String,
    /// The moves from the root to the state.
    pub moves: Vec<M>,
}

impl<M: fmt::Debug> fmt::Display for Violation<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} after {:?}", self.what, self.moves)
    }
}

/// Walks `walks` random games and checks what searches rely on: the same moves, codes and scores when asked twice,
/// clones that do not share anything, finite scores, violations of at least 0, and a
/// bound that no solution reached beats.
///
/// Call it in the tests of a new problem.
///
/// # Errors
/// The first broken rule.
///
/// ```
/// soloist::check(&soloist::doc::Staircase(5), 20, 1).unwrap();
/// ```
pub fn check<P: Problem>(problem: &P, walks: usize, seed: u64) -> Result<(), Violation<P::Move>> {
    let mut rng = Rng::new(seed);
    if problem.fingerprint() != problem.fingerprint() {
        return Err(Violation { what: "the fingerprint changes".into(), moves: Vec::new() });
    }
    for _ in 0..walks {
        walk(problem, &mut rng)?;
    }
    Ok(())
}

fn walk<P: Problem>(problem: &P, rng: &mut Rng) -> Result<(), Violation<P::Move>> {
    let list = |state: &P::State| {
        let mut moves = Vec::new();
        problem.moves(state, &mut moves);
        moves
    };
    let mut state = problem.root();
    let mut played = Vec::new();
    let mut bounds = Vec::new();
    let wrong = |what: &str, moves: &[P::Move]| Err(Violation { what: what.into(), moves: moves.to_vec() });
    loop {
        let moves = list(&state);
        if moves != list(&state.clone()) {
            return wrong("a clone has other moves", &played);
        }
        if let Some(bound) = problem.bound(&state) {
            if bound.is_nan() {
                return wrong("the bound is not a number", &played);
            }
            bounds.push((bound, played.len()));
        }
        let codes = |state: &P::State| moves.iter().map(|&mv| problem.code(state, mv)).collect::<Vec<_>>();
        if codes(&state) != codes(&state) {
            return wrong("a code changes", &played);
        }
        if moves.iter().any(|&mv| !problem.bias(&state, mv).is_finite()) {
            return wrong("a bias is not finite", &played);
        }
        let key = problem.key(&state);
        let Some(&mv) = moves.get(rng.index(moves.len())) else { break };
        let mut other = state.clone();
        problem.apply(&mut other, mv);
        if list(&state) != moves || problem.key(&state) != key {
            return wrong("playing on a clone changes the original", &played);
        }
        problem.apply(&mut state, mv);
        if list(&state) != list(&other) || problem.key(&state) != problem.key(&other) {
            return wrong("the same move leads to different states", &played);
        }
        played.push(mv);
    }
    let score = problem.score(&state);
    match score {
        Score::Feasible(value) if !value.is_finite() => return wrong("a score is not finite", &played),
        Score::Infeasible(degree) if !(degree >= 0.0 && degree.is_finite()) => {
            return wrong("a violation is negative or not finite", &played);
        }
        _ => {}
    }
    if problem.score(&state) != score {
        return wrong("a score changes", &played);
    }
    if let Some(value) = score.value() {
        for (bound, at) in bounds {
            if problem.sense().better_value(value, bound) {
                return wrong(&format!("the bound {bound} is beaten by {value}"), &played[..at]);
            }
        }
    }
    Ok(())
}
