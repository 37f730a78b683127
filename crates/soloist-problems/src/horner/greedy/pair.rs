//! Candidates for extraction, with what each would save.

use crate::horner::dag::Table;
use soloist::stable_hash;
use std::collections::BinaryHeap;

/// Stands for the number in a sum of a symbol and a number.
pub(super) const NUMBER: u32 = u32::MAX;

/// Something that could become a temporary. Symbols ascend; `minus`: the signs differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Pair {
    /// `a + b` or `a - b` times any number.
    Sum { a: u32, b: u32, minus: bool },
    /// Two terms with numbers in front that differ in size, by their places in the table of numbers.
    Exact { a: u32, m: u32, b: u32, n: u32, minus: bool },
    /// Two factors.
    Product { a: u32, b: u32 },
    /// A number times a symbol.
    Multiple { number: u32, a: u32 },
    /// A symbol in front of several terms of one sum.
    Factor { sum: u32, a: u32 },
    /// A number in front of several terms of one sum.
    Number { sum: u32, number: u32 },
}

#[derive(Clone, Debug, Default)]
struct Entry {
    /// Operations that all occurrences would save.
    total: i32,
    /// The largest gain for which the queue holds an item.
    queued: i32,
    /// The sums in which it was seen; some may have lost it.
    places: Vec<u32>,
}

/// All candidates, by what they save.
#[derive(Debug)]
pub(super) struct Pairs {
    entries: Table<Pair, Entry>,
    queue: BinaryHeap<(i32, u32, Pair)>,
    seed: u64,
    /// Changes of counts so far: a measure of the work done.
    pub(super) work: u64,
}

impl Pairs {
    pub(super) fn new(seed: u64) -> Self {
        Self { entries: Table::default(), queue: BinaryHeap::new(), seed, work: 0 }
    }

    /// Adds `change` to what `pair` saves; `cost` is what computing it costs, `place` where it was seen.
    pub(super) fn count(&mut self, pair: Pair, change: i32, cost: i32, place: u32) {
        self.work += 1;
        let entry = self.entries.entry(pair).or_default();
        entry.total += change;
        if change < 0 {
            if entry.total == 0 {
                self.entries.remove(&pair);
            }
            return;
        }
        if entry.places.last() != Some(&place) {
            entry.places.push(place);
        }
        let gain = entry.total - cost;
        if gain > entry.queued {
            entry.queued = gain;
            // Equal gains come in an order that the seed draws.
            let tie = if self.seed == 0 { 0 } else { stable_hash(&(self.seed, pair)) as u32 };
            self.queue.push((gain, tie, pair));
        }
    }

    /// The candidate with the largest gain, at least 1, with the sums in which it may be.
    pub(super) fn pop(&mut self, cost: impl Fn(&Pair) -> i32) -> Option<(Pair, Vec<u32>)> {
        while let Some((gain, tie, pair)) = self.queue.pop() {
            let Some(entry) = self.entries.get_mut(&pair) else { continue };
            if gain == entry.queued {
                entry.queued = 0;
            }
            let now = entry.total - cost(&pair);
            if now == gain {
                let mut places = std::mem::take(&mut entry.places);
                places.sort_unstable();
                places.dedup();
                return Some((pair, places));
            }
            if now > entry.queued {
                entry.queued = now;
                self.queue.push((now, tie, pair));
            }
        }
        None
    }
}
