//! The knapsack as a search problem: take or skip, item by item, the most valuable per weight first.

use super::Sack;
use serde::{Deserialize, Serialize};
use soloist::problem::{Explain, Extras, Key, Prior, ScorePart, StableHasher};
use soloist::rollout::{Playout, Rollout};
use soloist::{Problem, Rng, Score};
use std::hash::{Hash, Hasher};

/// A decision about one item.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// The item, counted from 0 in the order of the file.
    pub item: u32,
    /// Whether it goes into the knapsack.
    pub take: bool,
}
soloist::impl_move!(struct Choice { item, take });

/// A partly filled knapsack: the items before `index` (in ratio order) are decided.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Load {
    index: u32,
    /// From here on every item is taken without a decision.
    rest: u32,
    room: u64,
    value: u64,
}

impl Load {
    /// Returns the number of items that are decided, in the order of the search.
    #[must_use]
    pub fn decided(&self) -> u32 {
        self.index
    }

    /// Returns the weight that still fits.
    #[must_use]
    pub fn room(&self) -> u64 {
        self.room
    }

    /// Returns the value packed so far.
    #[must_use]
    pub fn value(&self) -> u64 {
        self.value
    }
}

/// An item in the order of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) value: u64,
    pub(super) weight: u64,
    /// Its number in the file.
    pub(super) item: u32,
    /// The first later item with another value or weight.
    pub(super) next_kind: u32,
}

/// The search's view of a [`Sack`]: maximise the value packed.
///
/// Each state decides about one item, in order of falling value per weight (ties: heavier first, then as in the file).
/// Items without value, or heavier than the room left, are dropped without a decision; items without weight are taken.
/// When all items left fit, they are taken and the solution is finished. Of equal items the first ones are taken:
/// skipping one skips those equal to it. The bound is Dantzig's (fill by ratio, the last item in part, rounded down). A
/// state is 24 bytes. A move costs constant time apart from the items dropped, a bound the logarithm of the number of
/// items.
///
/// # References
/// G. B. Dantzig, "Discrete-variable extremum problems", Operations Research 5, 1957, pages 266-288. H. Kellerer, U.
/// Pferschy and D. Pisinger, "Knapsack problems", Springer, 2004.
#[derive(Debug)]
pub struct Knapsack {
    ranked: Vec<Ranked>,
    /// Value and weight of the items before each position; one longer than `ranked`.
    before: Vec<(u64, u64)>,
    /// The smallest weight from each position on.
    lightest: Vec<u64>,
    /// Items of the file that are packed in every solution: those without weight.
    free: Vec<u32>,
    free_value: u64,
    capacity: u64,
    /// Value per weight of the item at which filling by ratio stops.
    break_ratio: f64,
    pub(super) fingerprint: u64,
}

impl Knapsack {
    /// Ranks the items of `sack`: O(n log n).
    #[must_use]
    pub fn new(sack: &Sack) -> Self {
        let capacity = sack.capacity();
        let mut hash = StableHasher::new();
        hash.write(b"knapsack");
        hash.write_u64(capacity);
        let (mut ranked, mut free, mut free_value) = (Vec::new(), Vec::new(), 0);
        for (number, item) in (0_u32..).zip(sack.items()) {
            hash.write_u64(item.value);
            hash.write_u64(item.weight);
            if item.value == 0 || item.weight > capacity {
                continue;
            }
            if item.weight == 0 {
                free.push(number);
                free_value += item.value;
            } else {
                ranked.push(Ranked { value: item.value, weight: item.weight, item: number, next_kind: 0 });
            }
        }
        soloist::order::sort_by(&mut ranked, |a, b| {
            // Exact ratios: cross products of numbers below 2^54 fit in 128 bits.
            let left = u128::from(a.value) * u128::from(b.weight);
            let right = u128::from(b.value) * u128::from(a.weight);
            right.cmp(&left).then(b.weight.cmp(&a.weight)).then(a.item.cmp(&b.item))
        });
        let count = ranked.len();
        let mut lightest = vec![u64::MAX; count + 1];
        let mut before = vec![(0, 0); count + 1];
        let mut next_kind = count as u32;
        for at in (0..count).rev() {
            let item = ranked[at];
            if ranked.get(at + 1).is_some_and(|next| (next.value, next.weight) != (item.value, item.weight)) {
                next_kind = at as u32 + 1;
            }
            ranked[at].next_kind = next_kind;
            lightest[at] = lightest[at + 1].min(item.weight);
        }
        for (at, item) in ranked.iter().enumerate() {
            before[at + 1] = (before[at].0 + item.value, before[at].1 + item.weight);
        }
        let stop = before.partition_point(|&(_, weight)| weight <= capacity) - 1;
        let stop = ranked.get(stop).or(ranked.last());
        let break_ratio = stop.map_or(1.0, |item| item.value as f64 / item.weight as f64);
        let fingerprint = hash.finish();
        Self { ranked, before, lightest, free, free_value, capacity, break_ratio, fingerprint }
    }

    /// Returns the items packed after `moves`, in ascending order of their numbers in the file.
    ///
    /// Moves beyond the end of the game are ignored.
    #[must_use]
    pub fn packed(&self, moves: &[Choice]) -> Vec<u32> {
        let mut state = self.root();
        let mut items = self.free.clone();
        for &mv in moves {
            if state.index as usize >= self.ranked.len() {
                break;
            }
            if mv.take {
                items.push(self.ranked[state.index as usize].item);
            }
            self.apply(&mut state, mv);
        }
        items.extend(self.ranked[state.rest as usize..].iter().map(|ranked| ranked.item));
        soloist::order::sort(&mut items);
        items
    }

    pub(super) fn ranked(&self) -> &[Ranked] {
        &self.ranked
    }

    pub(super) fn capacity(&self) -> u64 {
        self.capacity
    }

    pub(super) fn free_value(&self) -> u64 {
        self.free_value
    }

    /// Returns the place in the ranking of the item that a state decides about.
    pub(super) fn decides(&self, state: &Load) -> Option<usize> {
        Some(state.index as usize).filter(|&at| at < self.ranked.len())
    }

    /// Moves on to the next item that leaves a choice.
    fn settle(&self, state: &mut Load) {
        let end = self.ranked.len();
        loop {
            let at = state.index as usize;
            if at == end || state.room < self.lightest[at] {
                break;
            }
            let (value, weight) = (self.before[end].0 - self.before[at].0, self.before[end].1 - self.before[at].1);
            if weight <= state.room {
                state.rest = state.index;
                state.value += value;
                state.room -= weight;
                break;
            }
            if self.ranked[at].weight <= state.room {
                return;
            }
            state.index += 1;
        }
        state.index = end as u32;
    }
}

impl Problem for Knapsack {
    type State = Load;
    type Move = Choice;

    fn root(&self) -> Load {
        let mut state = Load { index: 0, rest: self.ranked.len() as u32, room: self.capacity, value: self.free_value };
        self.settle(&mut state);
        state
    }

    fn moves(&self, state: &Load, moves: &mut Vec<Choice>) {
        if let Some(&Ranked { item, .. }) = self.ranked.get(state.index as usize) {
            moves.extend([Choice { item, take: true }, Choice { item, take: false }]);
        }
    }

    fn apply(&self, state: &mut Load, mv: Choice) {
        let item = self.ranked[state.index as usize];
        if mv.take {
            state.room -= item.weight;
            state.value += item.value;
            state.index += 1;
        } else {
            state.index = item.next_kind;
        }
        self.settle(state);
    }

    fn score(&self, state: &Load) -> Score {
        Score::Feasible(state.value as f64)
    }

    fn code(&self, _state: &Load, mv: Choice) -> u64 {
        u64::from(mv.item) << 1 | u64::from(mv.take)
    }

    fn bound(&self, state: &Load) -> Option<f64> {
        let at = state.index as usize;
        let (value, weight) = self.before[at];
        let stop = at + self.before[at..].partition_point(|&(_, sum)| sum - weight <= state.room) - 1;
        let mut bound = state.value + self.before[stop].0 - value;
        if let Some(item) = self.ranked.get(stop) {
            let room = state.room - (self.before[stop].1 - weight);
            // Less than the whole item, so it fits in 64 bits again.
            bound += (u128::from(room) * u128::from(item.value) / u128::from(item.weight)) as u64;
        }
        Some(bound as f64)
    }

    fn key(&self, state: &Load) -> Option<Key> {
        Some(Key::of(&(state.index, state.room, state.value)))
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Prior<Knapsack> for Knapsack {
    /// The item's ratio relative to that of the break item, minus 1, within -4..=4; 0 for skipping.
    fn bias(&self, state: &Load, mv: Choice) -> f64 {
        match self.ranked.get(state.index as usize) {
            Some(item) if mv.take => (item.value as f64 / item.weight as f64 / self.break_ratio - 1.0).clamp(-4.0, 4.0),
            _ => 0.0,
        }
    }
}

/// Takes each item that fits, except with probability epsilon. Each playout draws epsilon from 1/2, 1/4, ... down to
/// 1/256 or half of one skip in all, so that a few skips are common for ten items as well as for a million.
///
/// Under a learned policy (NRPA) it equals `random`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Greedy;

impl Rollout<Knapsack> for Greedy {
    fn run(&mut self, problem: &Knapsack, state: &mut Load, playout: &mut Playout<Choice>, rng: &mut Rng) {
        let most = problem.ranked.len().max(1).ilog2() + 2;
        let shift = 1 + rng.below(most.max(8).into());
        while let Some(&Ranked { item, .. }) = problem.ranked.get(state.index as usize) {
            // The upper bits of the draw: all zero with probability 2^-shift.
            let mv = Choice { item, take: rng.next_u64() >> (64 - shift) != 0 };
            problem.apply(state, mv);
            playout.moves.push(mv);
        }
    }
}

impl Explain<Knapsack> for Knapsack {
    fn parts(&self, state: &Load) -> Vec<ScorePart> {
        let (value, room) = (state.value as f64, state.room as f64);
        vec![("value".into(), value), ("weight".into(), self.capacity as f64 - room), ("room left".into(), room)]
    }
}
