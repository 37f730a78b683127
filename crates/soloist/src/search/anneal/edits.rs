//! Edits of sequences of decisions, and how often each kind is drawn.

use crate::Rng;
use crate::core::limits::MOST;
use crate::erased::replay::Entry;
use serde::{Deserialize, Serialize};

/// How a neighbour differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// Two entries are exchanged.
    Swap,
    /// An entry is moved.
    Insert,
    /// A block is moved.
    Block,
    /// A block is reversed.
    Reverse,
    /// The entries of a block are put into a random order.
    Shuffle,
    /// Another candidate is played at a place, before what was played there.
    Change,
    /// Another candidate is played instead of what was played there.
    Replace,
    /// A block that begins with a candidate is moved to a place where the candidate can be played.
    Guide,
    /// An entry is moved as the problem suggests.
    Suggest,
}

pub(super) const EDITS: [Edit; 9] = [
    Edit::Swap,
    Edit::Insert,
    Edit::Block,
    Edit::Reverse,
    Edit::Shuffle,
    Edit::Change,
    Edit::Replace,
    Edit::Guide,
    Edit::Suggest,
];

/// The kind of solution that edits rely on, as a few random games show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fitted {
    /// None.
    Any,
    /// Each place has its own decision.
    Assignment,
    /// Decisions can be made in any order.
    Set,
}

/// The decisions that the neighbour of a set is to do without.
#[derive(Debug, Default)]
pub(super) struct Dropped {
    /// Their identities, where moves have some, otherwise the moves.
    pub(super) names: Vec<u64>,
    /// As many others are drawn before the rollout completes the neighbour.
    pub(super) owed: usize,
}

impl Dropped {
    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.owed = 0;
    }
}

/// Neighbours between two adaptations of the weights.
const PERIOD: u64 = 1_000;
/// The part of a new rate in an adapted one.
const MEMORY: f64 = 0.1;
/// The least factor of a weight.
const LEAST: f64 = 0.2;

/// Weights of the kinds of edits, which follow what each kind brings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct EditWeights {
    rates: [f64; EDITS.len()],
    gains: [f64; EDITS.len()],
    tries: [u64; EDITS.len()],
    count: u64,
    /// The factors of the weights.
    factors: [f64; EDITS.len()],
    /// The lowest cost of the present solution since the last adaptation.
    low: Option<f64>,
}

impl Default for EditWeights {
    fn default() -> Self {
        Self {
            rates: [0.0; EDITS.len()],
            gains: [0.0; EDITS.len()],
            tries: [0; EDITS.len()],
            count: 0,
            factors: [1.0; EDITS.len()],
            low: None,
        }
    }
}

impl EditWeights {
    /// Whether a checkpoint's numbers can be drawn by.
    pub(super) fn is_sound(&self) -> bool {
        self.factors.iter().chain(&self.rates).chain(&self.gains).all(|x| x.is_finite() && *x >= 0.0)
            && self.factors.iter().all(|factor| *factor >= LEAST)
            && self.tries.iter().chain([&self.count]).all(|&count| count <= MOST)
    }

    /// Draws a kind.
    pub(super) fn draw(&self, weights: &[u64; EDITS.len()], rng: &mut Rng) -> usize {
        let weight = |kind: usize| weights[kind] as f64 * self.factors[kind];
        let mut draw = rng.unit() * (0..EDITS.len()).map(weight).sum::<f64>();
        let last = (0..EDITS.len()).rev().find(|&kind| weights[kind] > 0).unwrap_or(0);
        for kind in 0..last {
            if draw < weight(kind) {
                return kind;
            }
            draw -= weight(kind);
        }
        last
    }

    /// Enters a neighbour of a kind: `cost` is its cost if it is better than the present solution. Only costs below
    /// all since the last adaptation count: an edit that takes back the one before brings nothing.
    pub(super) fn learn(&mut self, kind: usize, cost: Option<f64>) {
        self.tries[kind] += 1;
        if let Some(cost) = cost.filter(|&cost| self.low.is_none_or(|low| cost < low)) {
            self.gains[kind] += 1.0;
            self.low = Some(cost);
        }
        self.count += 1;
        if self.count.is_multiple_of(PERIOD) {
            self.adapt();
        }
    }

    fn adapt(&mut self) {
        for kind in 0..EDITS.len() {
            // A kind that was tried seldom keeps most of its rate.
            let tries = self.tries[kind] as f64;
            let weight = MEMORY * tries / (tries + 20.0);
            if tries > 0.0 {
                self.rates[kind] += weight * (self.gains[kind] / tries - self.rates[kind]);
            }
        }
        let best = self.rates.iter().fold(0.0_f64, |best, &rate| best.max(rate));
        for kind in 0..EDITS.len() {
            self.factors[kind] = if best > 0.0 { (self.rates[kind] / best).max(LEAST) } else { 1.0 };
        }
        self.gains = Default::default();
        self.tries = Default::default();
        self.low = None;
    }
}

/// The most entries of a block among `count`, as the parameter `longest` says.
pub(super) fn longest_of(longest: u64, count: usize) -> usize {
    if longest == 0 { count / 2 } else { longest.min(count as u64) as usize }
}

/// Draws a block among `count` entries, at least two: its first place and the one behind its last.
pub(super) fn block(count: usize, longest: usize, rng: &mut Rng) -> (usize, usize) {
    let length = 2 + rng.index(longest.clamp(2, count) - 1);
    let first = rng.index(count - length + 1);
    (first, first + length)
}

/// What an edit of an order does to the entries between two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turned {
    /// Those from this place on come first.
    Rotated(usize),
    /// The first and the last are exchanged.
    Swapped,
    Reversed,
    Shuffled,
}

/// An edit of an order: what happens to the entries from place `first` to before place `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) turn: Turned,
    pub(super) first: usize,
    pub(super) last: usize,
}

impl Shape {
    /// Draws an edit of `count` entries, at least two.
    pub(super) fn draw(edit: Edit, count: usize, longest: u64, rng: &mut Rng) -> Self {
        // Two different places.
        let a = rng.index(count);
        let b = (a + 1 + rng.index(count - 1)) % count;
        let longest = longest_of(longest, count);
        match edit {
            Edit::Swap => Self { turn: Turned::Swapped, first: a.min(b), last: a.max(b) + 1 },
            Edit::Block if count > 2 => {
                let length = 2 + rng.index(longest.clamp(2, count - 1) - 1);
                let places = count - length + 1;
                let from = rng.index(places);
                let to = (from + 1 + rng.index(places - 1)) % places;
                let turn = Turned::Rotated(if from < to { from + length } else { from });
                Self { turn, first: from.min(to), last: from.max(to) + length }
            }
            Edit::Reverse | Edit::Shuffle => {
                let (first, last) = block(count, longest, rng);
                let turn = if edit == Edit::Reverse { Turned::Reversed } else { Turned::Shuffled };
                Self { turn, first, last }
            }
            // The entry at the first place is moved to the second one.
            _ => Self::shift(a, b),
        }
    }

    /// The entry at place `from` is moved to place `to`.
    pub(super) fn shift(from: usize, to: usize) -> Self {
        let turn = Turned::Rotated(if from < to { from + 1 } else { from });
        Self { turn, first: from.min(to), last: from.max(to) + 1 }
    }

    /// Makes the edit of `plan`, which holds the entries from place `first` on.
    pub(super) fn make(self, plan: &mut [Entry], rng: &mut Rng) {
        let Self { turn, first, last } = self;
        let part = &mut plan[..last - first];
        match turn {
            Turned::Rotated(from) => part.rotate_left(from - first),
            Turned::Swapped => part.swap(0, last - first - 1),
            Turned::Reversed => part.reverse(),
            Turned::Shuffled => rng.shuffle(part),
        }
    }
}
