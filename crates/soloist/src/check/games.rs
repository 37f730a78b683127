//! What all checks use: states, lists of moves, and rules that are broken.

use crate::Problem;
use std::fmt;

/// A rule that a problem breaks, with the moves that lead to the state where it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation<M> {
    /// What is wrong.
    pub what: String,
    /// The moves from the root to the state.
    pub moves: Vec<M>,
}

impl<M> Violation<M> {
    pub(crate) fn new(what: impl Into<String>, moves: Vec<M>) -> Self {
        Self { what: what.into(), moves }
    }
}

impl<M: fmt::Debug> fmt::Display for Violation<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} after {:?}", self.what, self.moves)
    }
}

pub(crate) fn list<P: Problem>(problem: &P, state: &P::State) -> Vec<P::Move> {
    let mut moves = Vec::new();
    problem.moves(state, &mut moves);
    moves
}

/// Returns the state after legal moves.
pub(crate) fn after<P: Problem>(problem: &P, moves: &[P::Move]) -> P::State {
    let mut state = problem.root();
    moves.iter().for_each(|&mv| problem.apply(&mut state, mv));
    state
}

/// A game that is longer than any run allows by default, and how many of its moves are shown.
pub(crate) const ENDLESS: &str = "a game has not ended after a million moves: do the moves ever end? They begin";
pub(crate) const SHOWN: usize = 16;
