//! What a user writes: the instance and its rules.

use crate::{Rollout, RolloutInfo, Score, Sense};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;
use std::hash::{Hash, Hasher};

/// A decision. Any small copyable value: an index, a cell, a pair.
///
/// Implemented for every type with the listed traits; `#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize,
/// Deserialize)]` is all that an own type needs, and integers and `bool` have them already.
pub trait Move: Copy + Eq + Hash + Debug + Send + Sync + Serialize + DeserializeOwned + 'static {}

impl<T: Copy + Eq + Hash + Debug + Send + Sync + Serialize + DeserializeOwned + 'static> Move for T {}

/// An immutable instance of a single-player problem and its rules.
///
/// Four methods are required: [`root`](Self::root), [`moves`](Self::moves), [`apply`](Self::apply) and
/// [`score`](Self::score). The others have defaults; each one supplied makes some searches stronger.
/// [`check`](crate::check()) walks a problem and reports broken promises.
pub trait Problem: Sync {
    /// A partial solution. Kept small, because searches clone it; they reuse buffers through `clone_from`.
    type State: Clone + Send;
    /// One decision.
    type Move: Move;

    /// The empty solution.
    fn root(&self) -> Self::State;

    /// Appends the legal moves of `state` to `moves`, which arrives empty. None means that the solution is finished.
    ///
    /// The order must depend on the state alone: runs are reproducible because of it.
    fn moves(&self, state: &Self::State, moves: &mut Vec<Self::Move>);

    /// Plays a legal move.
    fn apply(&self, state: &mut Self::State, mv: Self::Move);

    /// The score of a finished solution; searches ask it for states without moves only.
    fn score(&self, state: &Self::State) -> Score;

    /// Whether larger or smaller scores are better. Default: larger.
    fn sense(&self) -> Sense {
        Sense::Maximize
    }

    /// The address under which nested rollout policy adaptation learns the weight of `mv` in `state`.
    ///
    /// Moves that should share what is learned have the same code. The default is a hash of the move alone, stable
    /// across releases and platforms; include the step or the neighbourhood where a move's merit depends on them.
    fn code(&self, _state: &Self::State, mv: Self::Move) -> u64 {
        stable_hash(&mv)
    }

    /// A number that all codes are below, when it is small: policies then hold their weights in a plain table instead
    /// of a hash table. `None`: codes may be any number.
    fn codes(&self) -> Option<u32> {
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

    /// An optimistic bound: no solution reached from `state` scores better. `None`: unknown.
    fn bound(&self, _state: &Self::State) -> Option<f64> {
        None
    }

    /// Whether a best solution is among those that the moves lead to. Where it may be left out, on purpose, no run claims to
    /// have proven anything.
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

    /// The score of a trivial solution, such as an input left as it is: what searches that reward by a ratio of scores
    /// compare with. `None`: the first playout's score.
    fn reference(&self) -> Option<f64> {
        None
    }

    /// A key that is equal for states with the same futures and the same score so far. `None`: not comparable.
    fn key(&self, _state: &Self::State) -> Option<u64> {
        None
    }

    /// The next move of `state` after `cursor`, which starts at 0: lazy enumeration of the same moves in the same order
    /// as [`moves`](Self::moves), for states with very many. The default lists them anew each time.
    fn next_move(&self, state: &Self::State, cursor: &mut u64) -> Option<Self::Move> {
        let mut moves = Vec::new();
        self.moves(state, &mut moves);
        let mv = usize::try_from(*cursor).ok().and_then(|at| moves.get(at).copied());
        *cursor += u64::from(mv.is_some());
        mv
    }

    /// The domain's own playout policy of this name; `random` (uniform over the moves) exists for every problem.
    fn rollout(&self, _name: &str) -> Option<Box<dyn Rollout<Self>>>
    where
        Self: Sized,
    {
        None
    }

    /// The names that [`rollout`](Self::rollout) knows, the best general one first.
    fn rollouts(&self) -> &'static [RolloutInfo] {
        &[]
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

/// A hash that is the same on every platform and in every release; see [`StableHasher`].
pub fn stable_hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = StableHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A 64-bit hasher with fixed constants: each word is mixed in by a folded 64 x 64 bit multiplication.
///
/// Machine-sized integers are hashed as 64 bits, so that 32-bit platforms agree.
#[derive(Clone, Debug)]
pub struct StableHasher(u64);

impl StableHasher {
    /// A hasher in its fixed initial state.
    #[must_use]
    pub fn new() -> Self {
        Self(0x243f_6a88_85a3_08d3)
    }
}

impl Default for StableHasher {
    fn default() -> Self {
        Self::new()
    }
}

impl Hasher for StableHasher {
    fn finish(&self) -> u64 {
        fold(self.0 ^ 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d1)
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word) ^ (chunk.len() as u64) << 56);
        }
    }
    fn write_u8(&mut self, i: u8) {
        self.write_u64(i.into());
    }
    fn write_u16(&mut self, i: u16) {
        self.write_u64(i.into());
    }
    fn write_u32(&mut self, i: u32) {
        self.write_u64(i.into());
    }
    fn write_u64(&mut self, i: u64) {
        self.0 = fold(self.0 ^ i, 0x9e37_79b9_7f4a_7c15);
    }
    fn write_usize(&mut self, i: usize) {
        self.write_u64(i as u64);
    }
    fn write_isize(&mut self, i: isize) {
        self.write_u64(i as i64 as u64);
    }
}

/// High and low half of the 128-bit product, combined; never stuck at zero because of the added rotation.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    ((product >> 64) as u64) ^ (product as u64) ^ a.rotate_left(32)
}
