//! In which order a classical tree search tries the moves of a state.

use crate::Sense;
use crate::core::abort::EVERY;
use crate::core::hash::Key;
use crate::core::parameter::choice;
use crate::core::score::{rank, unbounded};
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::search::Context;

choice! {
    /// The order in which the children of a state are tried.
    #[doc(hidden)]
    pub enum Children {
        /// As the problem lists its moves.
        Given = "given",
        /// The child with the best bound first, ties as listed.
        Bound = "bound",
        /// The move with the largest bias first, ties as listed.
        Bias = "bias",
    }
}

choice! {
    /// Which streams list their moves in a random order, each in a different one.
    #[doc(hidden)]
    pub enum Shuffle {
        /// All but the first. The first does what a run on one thread does, the others do the same search in another
        /// order.
        Others = "others",
        /// Every one.
        All = "all",
        /// None: every stream repeats the same search.
        None = "none",
    }
}

/// A move and the bound of the state after it, where that was asked for (infinite otherwise).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    pub(crate) mv: MoveId,
    pub(crate) bound: f64,
}

/// Lists the children of states.
///
/// The order is a function of the state, or of what its key stands for: searches in passes and tables of states rely on
/// it.
pub(crate) struct Lister {
    pub(crate) order: Children,
    pub(crate) shuffle: Shuffle,
    /// The seed of the stream's order. The outer `None`: not drawn yet.
    pub(crate) salt: Option<Option<u64>>,
    moves: Vec<MoveId>,
    state: State,
}

impl Lister {
    pub(crate) fn new(order: Children, shuffle: Shuffle, root: State) -> Self {
        Self { order, shuffle, salt: None, moves: Vec::new(), state: root }
    }

    /// Draws the stream's order, once.
    pub(crate) fn begin(&mut self, context: &mut Context<'_>) {
        if self.salt.is_none() {
            let is_shuffled = match self.shuffle {
                Shuffle::Others => context.tally.stream > 0,
                Shuffle::All => true,
                Shuffle::None => false,
            };
            self.salt = Some(is_shuffled.then(|| context.rng.next_u64()));
        }
    }

    /// Replaces `children` by those of `state`, `depth` moves from the root.
    pub(crate) fn list(
        &mut self,
        problem: &dyn ErasedProblem,
        state: &State,
        depth: usize,
        key: Option<Key>,
        children: &mut Vec<Child>,
    ) {
        self.moves.clear();
        problem.moves(state, &mut self.moves);
        if let Some(Some(salt)) = self.salt {
            let place = key.map_or(depth as u64, Key::mix);
            self.moves.sort_by_cached_key(|mv| problem.salted(salt, place, *mv));
        }
        let sense = problem.sense();
        children.clear();
        children.extend(self.moves.iter().map(|&mv| Child { mv, bound: unbounded(sense) }));
        match self.order {
            Children::Given => {}
            Children::Bound => {
                for (at, child) in children.iter_mut().enumerate() {
                    if at % EVERY == EVERY - 1 && problem.watch().abandons() {
                        break;
                    }
                    problem.child(state, child.mv, &mut self.state);
                    child.bound = optimistic(problem, &self.state);
                }
                best_first(sense, children);
            }
            Children::Bias => {
                children.iter_mut().for_each(|child| child.bound = problem.bias(state, child.mv));
                best_first(Sense::Maximize, children);
                children.iter_mut().for_each(|child| child.bound = unbounded(sense));
            }
        }
    }
}

fn best_first(sense: Sense, children: &mut [Child]) {
    children.sort_by_key(|child| std::cmp::Reverse(rank(sense, child.bound)));
}

/// Returns the bound of a state, infinitely good where none is known.
pub(crate) fn optimistic(problem: &dyn ErasedProblem, state: &State) -> f64 {
    problem.bound(state).filter(|bound| !bound.is_nan()).unwrap_or_else(|| unbounded(problem.sense()))
}
