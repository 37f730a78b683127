//! The way to a state, for exceptions.

use crate::moves::PyMove;

/// The states of the game that is played, by numbers that grow along it, so that an exception can say where it
/// happened. Searches that keep many states, as beams do, leave the game: then nothing is known of their way.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    last: u64,
    states: Vec<u64>,
    moves: Vec<PyMove>,
}

/// The number of the root.
pub(super) const ROOT: u64 = 0;
/// That of a state which no game has led to.
pub(super) const UNKNOWN: u64 = u64::MAX;

impl Line {
    #[inline]
    pub(super) fn step(&mut self, from: u64, mv: PyMove) -> u64 {
        self.last += 1;
        if self.states.last() != Some(&from) {
            let kept = if from == ROOT { 0 } else { self.states.binary_search(&from).map_or(usize::MAX, |at| at + 1) };
            if kept == usize::MAX {
                // Its successors are unknown as well: no game has their numbers.
                return self.last;
            }
            self.states.truncate(kept);
            self.moves.truncate(kept);
        }
        self.states.push(self.last);
        self.moves.push(mv);
        self.last
    }

    /// Continues a game after others were played.
    pub(super) fn resume(&mut self, before: Self) {
        (self.states, self.moves) = (before.states, before.moves);
    }

    /// The moves that lead to a state.
    pub(super) fn to(&self, state: u64) -> Option<Vec<PyMove>> {
        if state == ROOT {
            return Some(Vec::new());
        }
        self.states.binary_search(&state).ok().map(|at| self.moves[..=at].to_vec())
    }
}

/// Moves in a message.
pub(super) fn shown(moves: &[PyMove]) -> String {
    const MOST: usize = 100;
    match moves {
        [first @ .., _] if first.len() >= MOST => format!("{:?} and {} more", &moves[..MOST], moves.len() - MOST),
        _ => format!("{moves:?}"),
    }
}
