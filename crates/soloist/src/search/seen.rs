//! States already met, by their keys: a table of bounded size.

use super::children::rank;
use crate::problem::rules::{Rules, State};
use crate::{CheckpointError, Sense, stable_hash};
use serde::{Deserialize, Serialize};

/// Keys that share a place; the oldest of them makes room when it is full, which few buckets are while the table can
/// grow.
const BUCKET: usize = 8;
const SMALLEST: usize = 256;

/// A set of 64-bit keys, or the best value of each, that forgets the oldest of a bucket when it is full.
///
/// It grows by doubling up to the limit; forgetting costs repeated work and nothing else.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// A power of two of slots, or none; 0 is empty. In a bucket the youngest comes first.
    slots: Vec<u64>,
    /// The values in the slots; none in a set.
    values: Vec<u64>,
    used: usize,
    /// The value of the key 0, which has no slot.
    zero: Option<u64>,
    #[serde(skip)]
    limit: usize,
    #[serde(skip)]
    valued: bool,
}

impl Seen {
    /// Returns an empty set that never uses more than `memory` bytes, the moment of growth included.
    pub(crate) fn new(memory: u64) -> Self {
        let (slots, values) = (Vec::new(), Vec::new());
        Self { slots, values, used: 0, zero: None, limit: limit(memory, false), valued: false }
    }

    /// As [`new`](Self::new), with a value for each key.
    pub(crate) fn with_values(memory: u64) -> Self {
        Self { limit: limit(memory, true), valued: true, ..Self::new(0) }
    }

    /// Forgets everything and gives the memory back.
    pub(crate) fn clear(&mut self) {
        (self.slots, self.values) = (Vec::new(), Vec::new());
        (self.used, self.zero) = (0, None);
    }

    /// Adds a key to a set. Returns whether it was there already.
    pub(crate) fn seen(&mut self, key: u64) -> bool {
        if key == 0 {
            return self.zero.replace(0).is_some();
        }
        if self.slots.is_empty() && !self.grow() {
            return false;
        }
        let bucket = self.bucket(key);
        if self.slots[bucket..bucket + BUCKET].contains(&key) {
            return true;
        }
        self.add(key, 0);
        false
    }

    /// Adds a key with a value. Returns whether it was there already with one at least as large.
    pub(crate) fn beaten(&mut self, key: u64, value: u64) -> bool {
        if let Some(known) = self.known(key) {
            let beaten = *known >= value;
            *known = value.max(*known);
            return beaten;
        }
        if key == 0 {
            self.zero = Some(value);
        } else if !self.slots.is_empty() || self.grow() {
            self.add(key, value);
        }
        false
    }

    /// Returns the value of a key.
    pub(crate) fn known(&mut self, key: u64) -> Option<&mut u64> {
        if key == 0 {
            return self.zero.as_mut();
        }
        if self.slots.is_empty() {
            return None;
        }
        let bucket = self.bucket(key);
        let at = self.slots[bucket..bucket + BUCKET].iter().position(|&slot| slot == key)?;
        Some(&mut self.values[bucket + at])
    }

    fn add(&mut self, key: u64, value: u64) {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        self.insert(key, value);
    }

    fn bucket(&self, key: u64) -> usize {
        (stable_hash(&key) as usize & (self.slots.len() - 1)) & !(BUCKET - 1)
    }

    fn insert(&mut self, key: u64, value: u64) {
        let at = self.bucket(key);
        let bucket = &mut self.slots[at..at + BUCKET];
        self.used += usize::from(bucket[BUCKET - 1] == 0);
        bucket.rotate_right(1);
        bucket[0] = key;
        if self.valued {
            let values = &mut self.values[at..at + BUCKET];
            values.rotate_right(1);
            values[0] = value;
        }
    }

    /// Doubles the table unless that would pass the limit.
    fn grow(&mut self) -> bool {
        let size = (self.slots.len() * 2).max(SMALLEST);
        if size > self.limit {
            return false;
        }
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        let values = std::mem::replace(&mut self.values, vec![0; if self.valued { size } else { 0 }]);
        self.used = 0;
        for from in (0..old.len()).step_by(BUCKET) {
            // The oldest first, so that the order by age stays.
            for at in (from..from + BUCKET).rev().filter(|&at| old[at] != 0) {
                self.insert(old[at], values.get(at).copied().unwrap_or(0));
            }
        }
        true
    }

    /// Makes a table that was read from a checkpoint usable within `memory` bytes; `valued`: its keys have values.
    pub(crate) fn resume(&mut self, memory: u64, valued: bool) -> Result<(), CheckpointError> {
        self.valued = valued;
        self.limit = limit(memory, self.valued);
        let used = self.slots.iter().filter(|&&key| key != 0).count();
        let size = self.slots.len();
        if used != self.used
            || self.values.len() != if valued { size } else { 0 }
            || size != 0 && (size < SMALLEST || !size.is_power_of_two())
        {
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
fn limit(memory: u64, valued: bool) -> usize {
    usize::try_from(memory / if valued { 24 } else { 12 }).unwrap_or(usize::MAX)
}

/// What a search merges states by: a key with the rank of the score so far, where the problem tells futures, or a key
/// that includes it.
pub(crate) struct Identities {
    /// Whether the problem tells futures.
    pub(crate) futures: bool,
    sense: Sense,
    resources: Vec<f64>,
}

impl Identities {
    /// Asks the problem's root which of the two it offers.
    pub(crate) fn new(problem: &dyn Rules, root: &State) -> Self {
        Self { futures: problem.future(root).is_some(), sense: problem.sense(), resources: Vec::new() }
    }

    /// Returns an empty table for them.
    pub(crate) fn table(&self, memory: u64) -> Seen {
        if self.futures { Seen::with_values(memory) } else { Seen::new(memory) }
    }

    /// Returns the key of a state, and a number that is larger for a better score so far.
    pub(crate) fn of(&mut self, problem: &dyn Rules, state: &State) -> Option<(u64, u64)> {
        if !self.futures {
            return problem.key(state).map(|key| (key, 0));
        }
        let (key, value) = problem.future(state)?;
        self.resources.clear();
        problem.resources(state, &mut self.resources);
        let key = if self.resources.is_empty() { key } else { self.with_resources(key) };
        Some((key, rank(self.sense, value)))
    }

    /// A table holds one value for each key: states with other resources are other states.
    fn with_resources(&self, key: u64) -> u64 {
        let ranks: Vec<u64> = self.resources.iter().map(|&number| rank(self.sense, number)).collect();
        stable_hash(&(key, ranks.as_slice()))
    }

    /// Adds a state to a table. Returns whether one at least as good was there already.
    pub(crate) fn enter(&self, table: &mut Seen, (key, value): (u64, u64)) -> bool {
        if self.futures { table.beaten(key, value) } else { table.seen(key) }
    }
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
        other.resume(12 * 2048, false).unwrap();
        for _ in 0..3_000 {
            let key = rng.below(4_000);
            assert_eq!(table.seen(key), other.seen(key));
        }
        assert_eq!(encode(&table), encode(&other));
        other.resume(12 * 300, false).unwrap();
        assert_eq!(other.used, 0, "less memory");
        table.slots.pop();
        assert!(table.resume(1 << 20, false).is_err());
    }
}
