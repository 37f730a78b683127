//! Statistics under 64-bit keys: mean scores of codes, of the whole search (history) or below a node (AMAF).

use serde::{Deserialize, Serialize};

/// Count and sum of feasible scores.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Entry {
    pub(crate) count: u64,
    pub(crate) sum: f64,
}

/// A hash table of bounded size. When it is full, the entries with the smallest counts make room.
#[derive(Clone, Debug, Default)]
pub(crate) struct Means {
    /// Open addressing, a power of two; a count of 0 marks a free slot.
    slots: Vec<(u64, Entry)>,
    len: usize,
    /// Most entries.
    capacity: usize,
}

/// A table in a checkpoint: its entries, sorted by key.
#[derive(Serialize, Deserialize)]
pub(crate) struct Stored(Vec<(u64, u64, f64)>);

impl Means {
    /// Returns a table that uses at most `memory` bytes, its growing included.
    pub(crate) fn new(memory: u64) -> Self {
        // Half full at most, and the old slots live while the new ones are filled.
        let slots = (memory / size_of::<(u64, Entry)>() as u64 * 2 / 3).max(16);
        let slots = 1_usize << (63 - slots.leading_zeros());
        Self { slots: Vec::new(), len: 0, capacity: slots / 2 }
    }

    pub(crate) fn get(&self, key: u64) -> Entry {
        if self.slots.is_empty() { Entry::default() } else { self.slots[self.place(key)].1 }
    }

    /// Adds a score under `key`. Returns true when other entries had to be dropped.
    pub(crate) fn add(&mut self, key: u64, score: f64) -> bool {
        let mut thinned = false;
        if self.len * 2 >= self.slots.len() {
            if self.len >= self.capacity {
                self.thin();
                thinned = true;
            } else {
                self.rebuild(0, (self.slots.len() * 2).max(16));
            }
        }
        let at = self.place(key);
        let (found, entry) = &mut self.slots[at];
        self.len += usize::from(entry.count == 0);
        *found = key;
        entry.count += 1;
        entry.sum += score;
        thinned
    }

    /// Returns every entry, in no particular order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u64, Entry)> {
        self.slots.iter().copied().filter(|(_, entry)| entry.count > 0)
    }

    /// The entries by key.
    pub(crate) fn sorted(&self) -> Vec<(u64, Entry)> {
        let mut entries: Vec<_> = self.entries().collect();
        entries.sort_unstable_by_key(|entry| entry.0);
        entries
    }

    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.len = 0;
    }

    /// Returns the slot of `key`, or the free one where it belongs.
    fn place(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.slots[at].1.count > 0 && self.slots[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }

    /// Drops the entries with the smallest counts until at most half are left.
    fn thin(&mut self) {
        let mut least = 2;
        while self.entries().filter(|(_, entry)| entry.count >= least).count() > self.capacity / 2 {
            least *= 2;
        }
        self.rebuild(least, self.slots.len());
    }

    fn rebuild(&mut self, least: u64, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![(0, Entry::default()); slots]);
        self.len = 0;
        for (key, entry) in old {
            if entry.count > 0 && entry.count >= least {
                let at = self.place(key);
                self.slots[at] = (key, entry);
                self.len += 1;
            }
        }
    }

    pub(crate) fn store(&self) -> Stored {
        Stored(self.sorted().into_iter().map(|(key, entry)| (key, entry.count, entry.sum)).collect())
    }

    /// Takes over stored entries. Returns false when they are not those of a table.
    pub(crate) fn restore(&mut self, Stored(entries): Stored) -> bool {
        let sorted = entries.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if !sorted || entries.iter().any(|&(_, count, sum)| count == 0 || !sum.is_finite()) {
            return false;
        }
        // As many slots as an uninterrupted run has, so that it grows and thins at the same time.
        let mut slots = 16;
        while entries.len() * 2 > slots {
            slots *= 2;
        }
        self.slots = vec![(0, Entry::default()); slots];
        self.len = 0;
        for (key, count, sum) in entries {
            let at = self.place(key);
            self.slots[at] = (key, Entry { count, sum });
            self.len += 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn agrees_with_a_map_and_survives_storing() {
        let mut rng = crate::Rng::new(5);
        let mut table = Means::new(1 << 20);
        let mut map: HashMap<u64, (u64, f64)> = HashMap::new();
        for _ in 0..20_000 {
            let (key, score) = (rng.below(3_000) << 40, rng.below(10) as f64);
            table.add(key, score);
            let entry = map.entry(key).or_default();
            *entry = (entry.0 + 1, entry.1 + score);
        }
        let mut again = Means::new(1 << 20);
        assert!(again.restore(table.store()));
        for table in [table, again] {
            assert_eq!(table.entries().count(), map.len());
            for (&key, &(count, sum)) in &map {
                assert_eq!(table.get(key), Entry { count, sum });
            }
            assert_eq!(table.get(7), Entry::default());
        }
    }

    #[test]
    fn a_full_table_keeps_what_is_met_often() {
        let mut table = Means::new(6000);
        let mut rng = crate::Rng::new(6);
        for i in 0..50_000_u64 {
            table.add(i % 10, 1.0);
            table.add(rng.next_u64(), 1.0);
            assert!(
                table.entries().count() <= table.capacity + 1 && table.slots.len() * size_of::<(u64, Entry)>() <= 4000
            );
        }
        for key in 0..10 {
            assert_eq!(table.get(key).count, 5_000);
        }
    }
}
