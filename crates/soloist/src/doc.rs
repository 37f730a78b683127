//! A toy problem for examples and tests.

use crate::{Problem, Score};

/// Left or right, `n` times; the score counts the lefts taken before the first right, plus half the later ones.
#[derive(Clone, Copy, Debug)]
pub struct Staircase(pub u32);

/// Steps taken, lefts before the first right, lefts after it, whether a right was taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct Position {
    step: u32,
    early: u32,
    late: u32,
    turned: bool,
}

impl Problem for Staircase {
    type State = Position;
    type Move = bool;

    fn root(&self) -> Position {
        Position::default()
    }

    fn moves(&self, state: &Position, moves: &mut Vec<bool>) {
        if state.step < self.0 {
            moves.extend([false, true]);
        }
    }

    fn apply(&self, state: &mut Position, right: bool) {
        state.step += 1;
        state.turned |= right;
        if !right && state.turned {
            state.late += 1;
        } else if !right {
            state.early += 1;
        }
    }

    fn score(&self, state: &Position) -> Score {
        Score::Feasible(f64::from(state.early) + f64::from(state.late) / 2.0)
    }

    /// Returns the score so far.
    fn potential(&self, state: &Position) -> Option<f64> {
        Some(f64::from(state.early) + f64::from(state.late) / 2.0)
    }

    fn code(&self, state: &Position, right: bool) -> u64 {
        u64::from(state.step) * 2 + u64::from(right)
    }
}
