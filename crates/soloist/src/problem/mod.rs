//! The traits that a user implements: the instance and its rules.

mod dominance;
mod neighborhood;
mod ordering;
pub(crate) mod search;

pub use dominance::Dominance;
pub use neighborhood::{Acceptance, Edits, Neighborhood};
pub use ordering::{Found, Ordering};
pub use search::{Covered, ProblemSearch, SearchInfo, Step, Unit, Work};

use crate::core::fault::Fault;
use crate::core::hash::{StableHasher, stable_hash};
use crate::core::score::{Score, Sense};
use crate::rollout::{Rollout, RolloutInfo};
use crate::{Entrant, Settings};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;
use std::hash::{Hash, Hasher};

/// A decision. Any small copyable value: an index, a cell, a pair.
///
/// Implemented for every type with the listed traits; `#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize,
/// Deserialize)]` is all that a new type needs, and integers and `bool` have them already.
pub trait Move: Copy + Eq + Hash + Debug + Send + Sync + Serialize + DeserializeOwned + 'static {}

impl<T: Copy + Eq + Hash + Debug + Send + Sync + Serialize + DeserializeOwned + 'static> Move for T {}

/// An immutable instance of a single-player problem and its rules.
///
/// Four methods are required: [`root`](Self::root), [`moves`](Self::moves), [`apply`](Self::apply) and
/// [`score`](Self::score). The others have defaults; each one supplied makes some searches stronger.
/// [`check`](crate::check()) walks a problem and reports broken promises.
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

    /// Whether larger or smaller scores are better. Default: larger.
    fn sense(&self) -> Sense {
        Sense::Maximize
    }

    /// Returns the address under which nested rollout policy adaptation learns the weight of `mv` in `state`.
    ///
    /// Moves that should share what is learned have the same code. The default is a hash of the move alone, stable
    /// across releases and platforms; include the step or the neighbourhood where a move's merit depends on them.
    fn code(&self, _state: &Self::State, mv: Self::Move) -> u64 {
        stable_hash(&mv)
    }

    /// Returns a number that all codes are below, when it is small: policies then hold their weights in a plain table
    /// instead of a hash table. `None`: codes may be any number.
    fn code_count(&self) -> Option<u32> {
        None
    }

    /// Prior knowledge about `mv`: its logit before anything is learned (used by searches with a bias weight).
    fn bias(&self, _state: &Self::State, _mv: Self::Move) -> f64 {
        0.0
    }

    /// The terms that [`bias`](Self::bias) is the sum of, for searches that learn a weight for each: always as many, in
    /// the same order. By default the bias is one term.
    fn biases(&self, state: &Self::State, mv: Self::Move, terms: &mut Vec<f64>) {
        terms.push(self.bias(state, mv));
    }

    /// Returns an optimistic bound: no solution reached from `state` scores better. `None`: unknown.
    fn bound(&self, _state: &Self::State) -> Option<f64> {
        None
    }

    /// Whether the moves can reach a best solution. Return `false` if they leave some out on purpose: then no run
    /// claims a proof.
    fn is_complete(&self) -> bool {
        true
    }

    /// How promising `state` is beside others after as many moves: larger is more promising, whatever the sense.
    ///
    /// Beams rank states by it. Asked of finished states too, where a search must tell solutions of equal score apart.
    /// `None`: unknown.
    fn potential(&self, _state: &Self::State) -> Option<f64> {
        None
    }

    /// Returns the score of a trivial solution, such as an input left as it is: what searches that reward by a ratio of
    /// scores compare with. `None`: the first playout's score.
    fn reference(&self) -> Option<f64> {
        None
    }

    /// Returns a key that is equal for states with the same futures and the same score so far. `None`: not comparable.
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
    fn key(&self, _state: &Self::State) -> Option<u64> {
        None
    }

    /// Returns the comparison of states that can be completed in the same ways. `None`: states are not comparable.
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

    /// Returns by how much the score changes if another decision is taken at a place of a finished solution: the score
    /// with `new` in the place of `old`, the move number `place`, minus the score in `end`, where the solution ended.
    /// `None`: that is not possible, or not known.
    ///
    /// For assignments (the same places in every solution, as the sides of a cut) and subsets (knapsacks). Annealing
    /// then asks this before it replays anything, millions of times a second if it is cheap. The other decisions are
    /// those that [`moves`](Self::moves) lists at that place, or of a subset those at the root. The moves behind `place`
    /// stay; where the solution is not finished by them, a playout adds to it.
    fn exchange(&self, _end: &Self::State, _place: usize, _old: Self::Move, _new: Self::Move) -> Option<f64> {
        None
    }

    /// Returns a local search that edits finished solutions in place and knows each difference in cost without a
    /// replay. Annealing uses it instead of replays. `None`: there is none.
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>>
    where
        Self: Sized,
    {
        None
    }

    /// Returns the domain's playout policy of this name; `random` (uniform over the moves) exists for every
    /// problem.
    fn rollout(&self, _name: &str) -> Option<Box<dyn Rollout<Self>>>
    where
        Self: Sized,
    {
        None
    }

    /// Returns the names that [`rollout`](Self::rollout) accepts, the best general one first.
    fn rollouts(&self) -> &'static [RolloutInfo] {
        &[]
    }

    /// Returns the searches that the problem has beside those of the engine; see [`ProblemSearch`]. Their names are
    /// method names.
    fn searches(&self) -> &[SearchInfo] {
        &[]
    }

    /// Returns the search called `name`, one of [`searches`](Self::searches), before its first step. `settings` holds
    /// the values of its parameters, which are in their ranges.
    fn search(&self, _name: &str, _settings: &Settings) -> Option<Box<dyn ProblemSearch<Self>>>
    where
        Self: Sized,
    {
        None
    }

    /// Returns the methods that are known to suit this instance, with their settings, the best one first. By default
    /// there is none.
    ///
    /// They race in `auto` beside the presets that can use what the problem offers.
    fn portfolio(&self) -> Vec<Entrant> {
        Vec::new()
    }

    /// Returns the bytes that a state takes at most, about, with what it holds on the heap. Searches that keep many
    /// states (beams, paths of exact searches) divide the memory of the budget by it.
    ///
    /// The default is twice the size of the type, which suits states that hold little on the heap. A state with lists
    /// should say how large they are.
    fn state_bytes(&self) -> usize {
        2 * size_of::<Self::State>()
    }

    /// Returns where user code reports that it cannot continue; see [`Fault`]. `None`: it never fails.
    fn fault(&self) -> Option<&Fault> {
        None
    }

    /// Identifies the instance, so that a checkpoint is never resumed on another one.
    ///
    /// The default hashes the codes, move counts and scores met on eight seeded walks.
    fn fingerprint(&self) -> u64 {
        let mut hash = StableHasher::new();
        let mut rng = crate::Rng::new(0);
        let mut moves = Vec::new();
        for _ in 0..8 {
            let mut state = self.root();
            // A walk is cut after 4096 moves: enough to tell instances apart.
            for _ in 0..4096 {
                moves.clear();
                self.moves(&state, &mut moves);
                hash.write_u64(moves.len() as u64);
                let Some(&mv) = moves.get(rng.index(moves.len())) else {
                    match self.score(&state) {
                        Score::Feasible(value) => hash.write_u64(value.to_bits()),
                        Score::Infeasible(degree) => hash.write_u64(!degree.to_bits()),
                    }
                    break;
                };
                hash.write_u64(self.code(&state, mv));
                self.apply(&mut state, mv);
            }
        }
        hash.finish()
    }
}
