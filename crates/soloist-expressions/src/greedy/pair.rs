//! Candidates for extraction and the operations that each saves.

use super::index::{Index, mix, note};
use super::product::{Numbers, Ratio, Size};
use super::queue::Queue;

/// A candidate for extraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pair {
    /// `m*a + n*b` or, if `minus`, `m*a - n*b`, times any number; `a < b`. If `b` is
    /// [`NOTHING`](super::product::NOTHING), the second term is the number n.
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
    /// The operations of computing it once.
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

/// A candidate in twelve bytes: its kind (for a sum with ratio and sign) and two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    kind: u32,
    a: u32,
    b: u32,
}

impl Key {
    fn new(pair: Pair) -> Self {
        let (kind, a, b) = match pair {
            Pair::Sum { a, b, ratio, minus } => (8 + 2 * ratio + u32::from(minus), a, b),
            Pair::Product { a, b } => (0, a, b),
            Pair::Multiple { number, a } => (1, a, number),
            Pair::Factor { sum, a } => (2, a, sum),
            Pair::Number { sum, number } => (3, number, sum),
        };
        Self { kind, a, b }
    }

    fn pair(self) -> Pair {
        let Self { kind, a, b } = self;
        match kind {
            0 => Pair::Product { a, b },
            1 => Pair::Multiple { number: b, a },
            2 => Pair::Factor { sum: b, a },
            3 => Pair::Number { sum: b, number: a },
            _ => Pair::Sum { a, b, ratio: kind / 2 - 4, minus: kind % 2 == 1 },
        }
    }

    fn hash(self) -> u64 {
        mix((u64::from(self.a) << 32 | u64::from(self.b)) ^ u64::from(self.kind).wrapping_mul(0xd6e8_feb8_6659_fd93))
    }
}

/// The value of [`Entry::queued`] after an extraction that saved nothing: the entry is not queued again.
const FUTILE: i32 = i32::MAX;

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: Key,
    /// The operations that all occurrences save, less those of computing the candidate once.
    gain: i32,
    /// The largest gain with which the entry is in the queue, 0 if it is not, or [`FUTILE`].
    queued: i32,
    /// The first sum with an occurrence.
    first: u32,
    /// The number of a list of further sums, or [`NO_LIST`]. Some of them may hold no occurrence any more.
    more: u32,
}

const NO_LIST: u32 = u32::MAX;

/// All candidates and their gains.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    entries: Vec<Entry>,
    index: Index,
    /// Lists of sums.
    lists: Vec<Vec<u32>>,
    /// The numbers of unused lists.
    free: Vec<u32>,
    /// Filled at the first [`pop`](Self::pop), because until then most gains still change.
    queue: Option<Queue>,
    seed: u64,
    futile: Vec<u32>,
    /// The work so far: the number of changed counts.
    pub(super) work: u64,
    /// The changes since the last mark, if there is one.
    journal: Option<Vec<(u32, i32)>>,
    /// The number of entries at the last mark.
    marked: usize,
}

impl Pairs {
    /// No candidates. `seed` draws the order of equal gains; with 0 the oldest comes first.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            entries: Vec::new(),
            index: Index::new(),
            lists: Vec::new(),
            free: Vec::new(),
            queue: None,
            seed,
            futile: Vec::new(),
            work: 0,
            journal: None,
            marked: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds `change` to the gain of `pair`, which occurs in sum number `place`.
    pub(super) fn count(&mut self, pair: Pair, change: i32, place: u32, numbers: &Numbers) {
        self.work += 1;
        let key = Key::new(pair);
        let entries = &self.entries;
        let known = self.index.find(key.hash(), |at| entries[at as usize].key == key);
        let at = known.unwrap_or_else(|| {
            let at = self.entries.len() as u32;
            self.entries.push(Entry { key, gain: -pair.cost(numbers), queued: 0, first: place, more: NO_LIST });
            let entries = &self.entries;
            self.index.push(|at| entries[at as usize].key.hash());
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
            if entry.more == NO_LIST {
                entry.more = self.free.pop().unwrap_or_else(|| {
                    self.lists.push(Vec::new());
                    self.lists.len() as u32 - 1
                });
            }
            note(&mut self.lists[entry.more as usize], place);
        }
        if entry.gain > entry.queued
            && let Some(queue) = &mut self.queue
        {
            entry.queued = entry.gain;
            queue.push(at, entry.gain);
        }
    }

    /// The candidate with the largest gain, at least 1, and its number. Writes the sums that may hold it to `places`,
    /// in ascending order.
    pub(super) fn pop(&mut self, places: &mut Vec<u32>) -> Option<(Pair, u32)> {
        let Self { entries, queue, .. } = self;
        let queue = queue.get_or_insert_with(|| {
            let mut queue = Queue::new(self.seed, 0);
            for (at, entry) in entries.iter_mut().enumerate() {
                if entry.gain > entry.queued {
                    entry.queued = entry.gain;
                    queue.push(at as u32, entry.gain);
                }
            }
            queue
        });
        while let Some((at, gain)) = queue.pop() {
            let entry = &mut entries[at as usize];
            if entry.queued == FUTILE {
                continue;
            }
            if gain == entry.queued {
                entry.queued = 0;
            }
            let now = entry.gain;
            if now == gain {
                places.clear();
                places.push(entry.first);
                if entry.more != NO_LIST {
                    let list = &mut self.lists[entry.more as usize];
                    list.sort_unstable();
                    list.dedup();
                    places.extend_from_slice(list);
                    places.sort_unstable();
                    places.dedup();
                }
                return Some((entry.key.pair(), at));
            }
            if now > entry.queued {
                entry.queued = now;
                queue.push(at, now);
            }
        }
        None
    }

    /// Excludes an entry whose extraction saved nothing until the next mark.
    pub(super) fn give_up(&mut self, at: u32) {
        self.entries[at as usize].queued = FUTILE;
        self.futile.push(at);
    }

    /// Begins to record changes, so that they can be taken back. `seed` draws the order of equal gains. Chance adds up
    /// to `noise` sixteenths of an operation to each gain.
    pub(super) fn mark(&mut self, seed: u64, noise: u32) {
        self.marked = self.entries.len();
        self.forget();
        self.queue.get_or_insert_with(|| Queue::new(seed, noise)).restart(seed, noise);
    }

    /// Takes all changes since the mark back.
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
            self.index.pop(entry.key.hash());
            if entry.more != NO_LIST {
                self.lists[entry.more as usize].clear();
                self.free.push(entry.more);
            }
        }
    }

    /// Empties the queue, the journal and the list of excluded entries.
    fn forget(&mut self) {
        if let Some(queue) = &mut self.queue {
            queue.drain(|at| self.entries[at as usize].queued = 0);
        }
        for at in self.futile.drain(..) {
            self.entries[at as usize].queued = 0;
        }
        self.journal.get_or_insert_default().clear();
    }
}

#[cfg(test)]
impl Pairs {
    /// The gains of all candidates.
    pub(super) fn gains(&self) -> Vec<i32> {
        self.entries.iter().map(|entry| entry.gain).collect()
    }
}
