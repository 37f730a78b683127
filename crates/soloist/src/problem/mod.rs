//! The traits that a user implements: the instance and its rules.

// What is hidden here and in `check`, `rollout`, `run` and `search` is for front ends (commands, bindings, pages) and
// for the tests of the engine: lists, names and records, of which a program that solves a problem needs none.

mod dominance;
mod entrant;
mod extras;
mod facts;
pub(crate) mod functions;
pub(crate) mod move_codec;
mod moves;
mod neighborhood;
mod ordering;
mod prior;
pub(crate) mod search;
mod solution_kind;
mod swap;
mod swap_search;

pub use crate::core::hash::{Key, stable_hash};
#[doc(hidden)]
pub use crate::core::hash::{KeyHasher, StableHasher};
pub use crate::core::user_error::Fault;
pub use dominance::Dominance;
pub(crate) use dominance::{future, returns_better};
pub use entrant::Entrant;
pub(crate) use entrant::{ROLLOUT, write_entry};
#[doc(hidden)]
pub use extras::ScorePart;
pub use extras::{Explain, Extras};
pub use facts::Facts;
#[doc(hidden)]
pub use functions::{FUNCTIONS, Function, METHODS};
pub use moves::Move;
#[doc(hidden)]
pub use moves::{MoveReader, MoveWriter};
pub use neighborhood::{Acceptance, Edits, Neighborhood};
pub use ordering::{Found, Ordering};
pub use prior::Prior;
#[doc(hidden)]
pub use search::Covered;
pub use search::{NamedSearch, ProblemSearch, SearchInfo, StepStatus, Unit, Work};
#[doc(hidden)]
pub use search::{find_search, search_infos};
#[doc(hidden)]
pub use solution_kind::SolutionKind;
#[cfg(test)]
pub(crate) use solution_kind::tests::Order;
pub use swap::Exchange;
pub use swap_search::Exchanges;

use crate::core::score::{Score, Sense};
use std::hash::Hasher;

/// An immutable instance of a single-player problem and its rules.
///
/// Four functions are required: [`root`](Self::root), [`moves`](Self::moves), [`apply`](Self::apply) and
/// [`score`](Self::score). The others have defaults; each one supplied makes some searches stronger.
/// [`check`](crate::check()) walks a problem and reports broken promises; [`advise`](crate::advise()) lists what
/// is missing.
///
/// | group | functions |
/// |---|---|
/// | rules | [`root`](Self::root), [`moves`](Self::moves), [`apply`](Self::apply), [`score`](Self::score), [`sense`](Self::sense) |
/// | the instance | [`facts`](Self::facts) |
/// | what moves are worth | [`code`](Self::code), [`prior`](Self::prior) |
/// | what states are worth | [`bound`](Self::bound), [`potential`](Self::potential) |
/// | which states are equal or better | [`key`](Self::key), [`dominance`](Self::dominance) |
/// | how solutions are edited | [`ordering`](Self::ordering), [`neighborhood`](Self::neighborhood) |
///
/// What a problem has besides its rules (rollouts and searches of its own, methods that suit it, parts of its score) is
/// in [`Extras`].
pub trait Problem: Send + Sync {
    /// A partial solution. Kept small, because searches clone it; they reuse buffers through `clone_from`.
    type State: Clone + Send + 'static;
    /// One decision.
    type Move: Move;

    /// Returns the empty solution.
    fn root(&self) -> Self::State;

    /// Appends the legal moves of `state` to `moves`, which arrives empty. None means that the solution is finished.
    ///
    /// The order must depend on the state alone, which makes runs reproducible.
    fn moves(&self, state: &Self::State, moves: &mut Vec<Self::Move>);

    /// Plays a legal move.
    fn apply(&self, state: &mut Self::State, mv: Self::Move);

    /// Returns the score of a finished solution; searches ask it for states without moves only.
    fn score(&self, state: &Self::State) -> Score;

    /// Returns whether larger or smaller scores are better. Default: larger.
    fn sense(&self) -> Sense {
        Sense::Maximize
    }

    /// Returns plain facts about the instance, such as the number of codes. A run asks once, when it begins.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// Returns the address under which nested rollout policy adaptation learns the weight of `mv` in `state`.
    ///
    /// Moves that should share what is learned have the same code. The default is a hash of the move alone, stable
    /// across releases and platforms; include the step or the neighbourhood where a move's merit depends on them.
    /// NRPA learns a move with the default code apart at each step, where games are as long as each other and decide at
    /// given places or repeat moves: assignments and job shops, but neither permutations nor subsets.
    fn code(&self, _state: &Self::State, mv: Self::Move) -> u64 {
        stable_hash(&mv)
    }

    /// Returns prior knowledge about moves: what each is worth before anything is learned. `None`: nothing is known.
    fn prior(&self) -> Option<&dyn Prior<Self>>
    where
        Self: Sized,
    {
        None
    }

    /// Returns an optimistic bound: no solution reached from `state` scores better. `None`: unknown.
    ///
    /// ```
    /// # struct Paid { open: u32, coins: u32 }
    /// # struct Coins;
    /// # impl Coins {
    /// // Fewest coins: at best the rest is paid with nines.
    /// fn bound(&self, paid: &Paid) -> Option<f64> {
    ///     Some((paid.coins + paid.open.div_ceil(9)).into())
    /// }
    /// # }
    /// ```
    fn bound(&self, _state: &Self::State) -> Option<f64> {
        None
    }

    /// Returns how promising `state` is beside others after as many moves: larger is more promising, whatever the
    /// sense.
    ///
    /// Beams rank states by it. Asked of finished states too, where a search must distinguish solutions of equal score.
    /// `None`: unknown.
    fn potential(&self, _state: &Self::State) -> Option<f64> {
        None
    }

    /// Returns a key that is equal for states with the same futures and the same score so far. `None`: not comparable.
    /// `Some(Key::of(state))` is right for every state that implements [`Hash`](std::hash::Hash) and knows its score so
    /// far.
    ///
    /// ```
    /// # use soloist::problem::Key;
    /// # struct Paid { open: u32, coins: u32 }
    /// # struct Coins;
    /// # impl Coins {
    /// // Which coins were paid does not matter, only how many they are and what is open.
    /// fn key(&self, paid: &Paid) -> Option<Key> {
    ///     Some(Key::of(&(paid.open, paid.coins)))
    /// }
    /// # }
    /// ```
    ///
    /// The promise: states with equal keys list the same moves in the same order, have equal keys again after each of
    /// these moves, and have the same score where they are finished. Trees with `transpositions` rely on all of it (one
    /// node stands for all states of a key, and its edges are the moves of the state met first), and so does annealing,
    /// which plays the rest of a line from any state with the same key. Codes and biases may differ. Where a key
    /// ignores the order of things (of stacks, of equal machines), the order of the moves must not depend on it either;
    /// states that are mirror images, and whose moves have other names, need a [`dominance`](Self::dominance) instead.
    ///
    /// Of states with equal keys the first one met is kept. Where states differ in their score so far alone, supply
    /// [`dominance`](Self::dominance) as well.
    fn key(&self, _state: &Self::State) -> Option<Key> {
        None
    }

    /// Returns the comparison of states that can be completed in the same ways. `None`: states are not comparable.
    ///
    /// A problem that implements [`Dominance`], where there is an example, returns `Some(self)`.
    fn dominance(&self) -> Option<&dyn Dominance<Self>>
    where
        Self: Sized,
    {
        None
    }

    /// Returns the names of what moves decide about, by which annealing replays edited solutions. `None`: it replays by
    /// [codes](Self::code), for which it lists moves at every step.
    fn ordering(&self) -> Option<&dyn Ordering<Self>>
    where
        Self: Sized,
    {
        None
    }

    /// Returns a local search that edits finished solutions in place and knows each difference in cost without a
    /// replay. Annealing uses it instead of replays. `None`: annealing replays.
    ///
    /// Assignments and subsets have a ready one, [`Exchanges`], for one function, [`Exchange::difference`].
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>>
    where
        Self: Sized,
    {
        None
    }

    /// Returns what the problem has besides its rules: itself, where it implements [`Extras`].
    #[doc(hidden)]
    fn extras(&self) -> &dyn Extras<Self>
    where
        Self: Sized,
    {
        &()
    }
}

/// Returns what identifies the instance.
#[doc(hidden)]
pub fn fingerprint<P: Problem>(problem: &P) -> u64 {
    problem.extras().fingerprint().unwrap_or_else(|| fingerprint_by(problem, f64::to_bits))
}

/// Returns the default fingerprint of a problem, with scores and degrees of infeasibility as `number` writes them.
#[doc(hidden)]
pub fn fingerprint_by<P: Problem>(problem: &P, number: impl Fn(f64) -> u64) -> u64 {
    let mut hash = StableHasher::new();
    let mut rng = crate::Rng::new(0);
    let mut moves = Vec::new();
    for _ in 0..8 {
        let mut state = problem.root();
        // A walk is cut after 4096 moves: enough to distinguish instances.
        for _ in 0..4096 {
            moves.clear();
            problem.moves(&state, &mut moves);
            hash.write_u64(moves.len() as u64);
            let Some(&mv) = moves.get(rng.index(moves.len())) else {
                hash.write_u64(match problem.score(&state) {
                    Score::Feasible(value) => number(value),
                    Score::Infeasible(degree) => !number(degree),
                });
                break;
            };
            hash.write_u64(problem.code(&state, mv));
            problem.apply(&mut state, mv);
        }
    }
    hash.finish()
}
