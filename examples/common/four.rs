//! A problem as it is before any optional function is written. The bench of users' problems uses it as well.

use soloist::{Problem, Score, Sense};

/// A problem without its optional functions: what the four required ones make of it.
pub(crate) struct Four<'a, P>(pub(crate) &'a P);

impl<P: Problem> Problem for Four<'_, P> {
    type State = P::State;
    type Move = P::Move;

    fn root(&self) -> P::State {
        self.0.root()
    }
    fn moves(&self, state: &P::State, moves: &mut Vec<P::Move>) {
        self.0.moves(state, moves);
    }
    fn apply(&self, state: &mut P::State, mv: P::Move) {
        self.0.apply(state, mv);
    }
    fn score(&self, state: &P::State) -> Score {
        self.0.score(state)
    }
    /// Not optional where small scores are better.
    fn sense(&self) -> Sense {
        self.0.sense()
    }
}
