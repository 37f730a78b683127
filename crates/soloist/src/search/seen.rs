//! States already met, by their keys: a set of bounded size.

use crate::{CheckpointError, stable_hash};
use serde::{Deserialize, Serialize};

/// Keys that share a place; the oldest of them makes room when it is full, which few buckets are while the table can
/// grow.
const BUCKET: usize = 8;
const SMALLEST: usize = 256;

/// A set of 64-bit keys that forgets the oldest of a bucket when it is full.
///
/// It grows by doubling up to the limit; forgetting costs repeated work and nothing else.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// A power of two of slots, or none; 0 is empty. In a bucket the youngest comes first.
    slots: Vec<u64>,
    used: usize,
    /// Whether the key 0 was added, which has no slot.
    zero: bool,
    #[serde(skip)]
    limit: usize,
}

impl Seen {
    /// Returns an empty table that never uses more than `memory` bytes, the moment of growth included.
    pub(crate) fn new(memory: u64) -> Self {
        Self { slots: Vec::new(), used: 0, zero: false, limit: limit(memory) }
    }

    /// Forgets everything and gives the memory back.
    pub(crate) fn clear(&mut self) {
        self.slots = Vec::new();
        (self.used, self.zero) = (0, false);
    }

    /// Adds a key. Returns whether it was there already.
    pub(crate) fn seen(&mut self, key: u64) -> bool {
        if key == 0 {
            return std::mem::replace(&mut self.zero, true);
        }
        if self.slots.is_empty() && !self.grow() {
            return false;
        }
        let bucket = self.bucket(key);
        if self.slots[bucket..bucket + BUCKET].contains(&key) {
            return true;
        }
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        self.insert(key);
        false
    }

    fn bucket(&self, key: u64) -> usize {
        (stable_hash(&key) as usize & (self.slots.len() - 1)) & !(BUCKET - 1)
    }

    fn insert(&mut self, key: u64) {
        let at = self.bucket(key);
        let bucket = &mut self.slots[at..at + BUCKET];
        self.used += usize::from(bucket[BUCKET - 1] == 0);
        bucket.rotate_right(1);
        bucket[0] = key;
    }

    /// Doubles the table unless that would pass the limit.
    fn grow(&mut self) -> bool {
        let size = (self.slots.len() * 2).max(SMALLEST);
        if size > self.limit {
            return false;
        }
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        self.used = 0;
        for bucket in old.chunks(BUCKET) {
            // The oldest first, so that the order by age stays.
            bucket.iter().rev().filter(|&&key| key != 0).for_each(|&key| self.insert(key));
        }
        true
    }

    /// Makes a table that was read from a checkpoint usable within `memory` bytes.
    pub(crate) fn resume(&mut self, memory: u64) -> Result<(), CheckpointError> {
        self.limit = limit(memory);
        let used = self.slots.iter().filter(|&&key| key != 0).count();
        let size = self.slots.len();
        if used != self.used || size != 0 && (size < SMALLEST || !size.is_power_of_two()) {
            return Err(CheckpointError::Corrupt("a table of states"));
        }
        if size > self.limit {
            // Less memory than before: starting to forget is allowed at any time.
            self.clear();
        }
        Ok(())
    }
}

/// Slots within `memory` bytes: while a table doubles, the old one is there as well.
fn limit(memory: u64) -> usize {
    usize::try_from(memory / 12).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::{SMALLEST, Seen};
    use crate::Rng;
    use crate::run::checkpoint::{decode, encode};

    #[test]
    fn a_large_table_is_almost_a_set() {
        let mut table = Seen::new(1 << 24);
        let mut set = std::collections::BTreeSet::new();
        let mut rng = Rng::new(1);
        let mut forgotten = 0;
        for _ in 0..20_000 {
            let key = rng.below(8_000);
            let (seen, known) = (table.seen(key), !set.insert(key));
            assert!(known || !seen, "{key} was never added");
            forgotten += u32::from(known && !seen);
        }
        assert!(forgotten < 200, "{forgotten} forgotten");
        assert!(table.slots.len() <= 4 * set.len());
    }

    #[test]
    fn a_full_table_forgets_and_never_invents() {
        let mut table = Seen::new(12 * 1024);
        assert!((0..50_000).all(|key| !table.seen(key + 1)));
        assert_eq!(table.slots.len(), 1024);
        let kept = (0..50_000).filter(|key| table.slots.contains(&(key + 1))).count();
        assert_eq!((kept, table.used), (1024, 1024));
        assert!(table.seen(50_000));
        // No room at all: nothing is remembered.
        let mut none = Seen::new(12 * SMALLEST as u64 - 1);
        assert!(!none.seen(3) && !none.seen(3));
    }

    #[test]
    fn a_saved_table_goes_on_alike() {
        let mut table = Seen::new(12 * 2048);
        let mut rng = Rng::new(2);
        (0..3_000).for_each(|_| _ = table.seen(rng.below(4_000)));
        let mut other: Seen = decode(&encode(&table)).unwrap();
        other.resume(12 * 2048).unwrap();
        for _ in 0..3_000 {
            let key = rng.below(4_000);
            assert_eq!(table.seen(key), other.seen(key));
        }
        assert_eq!(encode(&table), encode(&other));
        other.resume(12 * 300).unwrap();
        assert_eq!(other.used, 0, "less memory");
        table.slots.pop();
        assert!(table.resume(1 << 20).is_err());
    }
}
