//! Candidates for extraction, with what each would save.

use super::index::{Index, mix, note};
use super::product::{Numbers, Ratio, Size};
use std::collections::BinaryHeap;

/// Something that could become a temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pair {
    /// `m*a + n*b` or `m*a - n*b` times any number, `a < b`; without `b`, if that is
    /// [`NOTHING`](super::product::NOTHING), the number n. `minus`: the signs differ.
    Sum { a: u32, b: u32, ratio: Ratio, minus: bool },
    /// Two factors.
    Product { a: u32, b: u32 },
    /// A number times a symbol.
    Multiple { number: Size, a: u32 },
    /// A symbol in front of several terms of one sum.
    Factor { sum: u32, a: u32 },
    /// A number in front of several terms of one sum.
    Number { sum: u32, number: Size },
}

impl Pair {
    fn hash(&self) -> u64 {
        let (kind, a, b) = match *self {
            Self::Sum { a, b, ratio, minus } => (8 + 2 * u64::from(ratio) + u64::from(minus), a, b),
            Self::Product { a, b } => (0, a, b),
            Self::Multiple { number, a } => (1, a, number),
            Self::Factor { sum, a } => (2, a, sum),
            Self::Number { sum, number } => (3, number, sum),
        };
        mix((u64::from(a) << 32 | u64::from(b)) ^ kind.wrapping_mul(0xd6e8_feb8_6659_fd93))
    }

    /// What computing it once costs.
    pub(super) fn cost(&self, numbers: &Numbers) -> i32 {
        match *self {
            Self::Sum { ratio, b, .. } if ratio != 0 => {
                let (m, n) = numbers.sizes_of(ratio);
                1 + i32::from(m != 0) + i32::from(n != 0 && b != super::product::NOTHING)
            }
            _ => 1,
        }
    }
}

#[derive(Clone, Debug)]
struct Entry {
    pair: Pair,
    /// Operations that all occurrences would save, without what computing it once costs.
    gain: i32,
    /// The largest gain for which the queue holds an item.
    queued: i32,
    /// The sums in which it was seen, the first one apart; some may have lost it.
    first: u32,
    more: Vec<u32>,
    /// Extracting it has not paid.
    futile: bool,
}

/// An item of the queue: its rank, the order among equals, the entry, the gain.
type Item = (i32, u32, u32, i32);

/// All candidates, by what they save.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    entries: Vec<Entry>,
    index: Index,
    queue: BinaryHeap<Item>,
    /// Draws the order of equal gains; 0: a fixed one.
    seed: u64,
    /// Of sixteenths of an operation that are added to a gain at random, the bits that are.
    noise: u32,
    futile: Vec<u32>,
    /// Changes of counts so far: a measure of the work done.
    pub(super) work: u64,
    /// Changes since the last mark, while they are recorded.
    journal: Option<Vec<(u32, i32)>>,
    /// Entries at the last mark.
    marked: usize,
}

impl Pairs {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            entries: Vec::new(),
            index: Index::new(),
            queue: BinaryHeap::new(),
            seed,
            noise: 0,
            futile: Vec::new(),
            work: 0,
            journal: None,
            marked: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds `change` to what `pair` saves; `place` is where it was seen.
    pub(super) fn count(&mut self, pair: Pair, change: i32, place: u32, numbers: &Numbers) {
        self.work += 1;
        let entries = &self.entries;
        let hash = pair.hash();
        let known = self.index.find(hash, |at| entries[at as usize].pair == pair);
        let at = known.unwrap_or_else(|| {
            let at = self.entries.len() as u32;
            let gain = -pair.cost(numbers);
            self.entries.push(Entry { pair, gain, queued: 0, first: place, more: Vec::new(), futile: false });
            let entries = &self.entries;
            self.index.push(|at| entries[at as usize].pair.hash());
            at
        });
        if let Some(journal) = &mut self.journal {
            journal.push((at, change));
        }
        let entry = &mut self.entries[at as usize];
        entry.gain += change;
        if change < 0 {
            return;
        }
        if entry.first != place {
            note(&mut entry.more, place);
        }
        if entry.gain > entry.queued && !entry.futile {
            entry.queued = entry.gain;
            let gain = entry.gain;
            self.queue.push(self.item(at, gain));
        }
    }

    fn item(&self, at: u32, gain: i32) -> Item {
        let tie = if self.seed == 0 { !at } else { mix(self.seed ^ u64::from(at)) as u32 };
        let rank = gain.saturating_mul(16).saturating_add((tie >> 20 & self.noise) as i32);
        (rank, tie, at, gain)
    }

    /// The candidate with the largest gain, at least 1, with the sums in which it may be, in ascending order.
    pub(super) fn pop(&mut self) -> Option<(Pair, u32, Vec<u32>)> {
        while let Some((_, _, at, gain)) = self.queue.pop() {
            let entry = &mut self.entries[at as usize];
            if gain == entry.queued {
                entry.queued = 0;
            }
            if entry.futile {
                continue;
            }
            let now = entry.gain;
            if now == gain {
                let mut places = Vec::with_capacity(1 + entry.more.len());
                places.push(entry.first);
                places.append(&mut entry.more);
                places.sort_unstable();
                places.dedup();
                entry.first = places[0];
                entry.more.extend_from_slice(&places[1..]);
                return Some((entry.pair, at, places));
            }
            if now > entry.queued {
                entry.queued = now;
                self.queue.push(self.item(at, now));
            }
        }
        None
    }

    /// Says that extracting an entry has not paid: it is not tried again before the next mark.
    pub(super) fn give_up(&mut self, at: u32) {
        self.entries[at as usize].futile = true;
        self.futile.push(at);
    }

    /// From here on changes are recorded, so that they can be taken back.
    pub(super) fn mark(&mut self, seed: u64, noise: u32) {
        (self.seed, self.noise, self.marked) = (seed, noise, self.entries.len());
        self.forget();
    }

    /// Takes back all changes since the mark.
    pub(super) fn roll_back(&mut self) {
        let journal = self.journal.take().unwrap_or_default();
        for &(at, change) in &journal {
            self.entries[at as usize].gain -= change;
        }
        self.journal = Some(journal);
        self.forget();
        while self.entries.len() > self.marked
            && let Some(entry) = self.entries.pop()
        {
            self.index.pop(entry.pair.hash());
        }
    }

    /// Empties the queue, the journal and the list of what did not pay.
    fn forget(&mut self) {
        for (_, _, at, _) in self.queue.drain() {
            self.entries[at as usize].queued = 0;
        }
        for at in self.futile.drain(..) {
            self.entries[at as usize].futile = false;
        }
        self.journal.get_or_insert_default().clear();
    }
}

#[cfg(test)]
impl Pairs {
    /// What each candidate saves.
    pub(super) fn gains(&self) -> Vec<i32> {
        self.entries.iter().map(|entry| entry.gain).collect()
    }
}
