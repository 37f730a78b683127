//! A problem without its optional functions.

use soloist::{Problem, Score, Sense};

/// What a user has who wrote the four required functions alone.
pub(crate) struct Four<P>(pub(crate) P);

impl<P: Problem> Problem for Four<P> {
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
