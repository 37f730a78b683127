//! States already met, by their keys: a table of bounded size.

use crate::Sense;
use crate::core::codec::CheckpointError;
use crate::core::hash::{Key, scattered};
use crate::core::score::rank;
use crate::erased::problem::{ErasedProblem, State};
use serde::{Deserialize, Serialize};

/// Keys that share a place; the oldest of them makes room when it is full, which few buckets are while the table can
/// grow.
const BUCKET: usize = 8;
const SMALLEST: usize = 256;

/// A set of keys.
pub(crate) type Seen = Table<()>;

/// Keys with values, which forgets the oldest of a bucket when it is full.
///
/// It grows by doubling up to the limit; forgetting costs repeated work and nothing else.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Table<V> {
    /// A power of two of slots, or none; 0 is empty. In a bucket the youngest comes first.
    slots: Vec<u128>,
    #[serde(with = "values")]
    #[serde(bound(serialize = "V: Serialize", deserialize = "V: Deserialize<'de>"))]
    values: Vec<V>,
    used: usize,
    /// The value of the key 0, which has no slot.
    zero: Option<V>,
    #[serde(skip)]
    limit: usize,
}

/// Values in a checkpoint. Those without a size are left out: a changed length would be believed, and read for ever.
mod values {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<V: Serialize, S: Serializer>(values: &[V], to: S) -> Result<S::Ok, S::Error> {
        if size_of::<V>() == 0 { ().serialize(to) } else { values.serialize(to) }
    }

    pub(super) fn deserialize<'de, V: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Vec<V>, D::Error> {
        if size_of::<V>() == 0 { <()>::deserialize(from).map(|()| Vec::new()) } else { Vec::deserialize(from) }
    }
}

impl<V: Copy + Default> Table<V> {
    /// Returns an empty table that never uses more than `memory` bytes, the moment of growth included.
    pub(crate) fn new(memory: u64) -> Self {
        Self { slots: Vec::new(), values: Vec::new(), used: 0, zero: None, limit: Self::most(memory) }
    }

    /// Slots within `memory` bytes: while a table doubles, the old one is there as well.
    fn most(memory: u64) -> usize {
        let slot = (size_of::<u128>() + size_of::<V>()) as u64;
        usize::try_from(memory / (slot + slot / 2)).unwrap_or(usize::MAX)
    }

    /// Forgets everything and gives the memory back.
    pub(crate) fn clear(&mut self) {
        (self.slots, self.values) = (Vec::new(), Vec::new());
        (self.used, self.zero) = (0, None);
    }

    /// Adds a key that is not there.
    #[inline]
    fn add(&mut self, key: u128, value: V) {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        self.insert(key, value);
    }

    #[inline]
    fn bucket(&self, key: u128) -> usize {
        (scattered(key) as usize & (self.slots.len() - 1)) & !(BUCKET - 1)
    }

    #[inline]
    fn insert(&mut self, key: u128, value: V) {
        let at = self.bucket(key);
        let bucket = &mut self.slots[at..at + BUCKET];
        self.used += usize::from(bucket[BUCKET - 1] == 0);
        bucket.rotate_right(1);
        bucket[0] = key;
        if size_of::<V>() > 0 {
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
        let slots = std::mem::replace(&mut self.slots, vec![0; size]);
        let values = std::mem::replace(&mut self.values, vec![V::default(); size]);
        self.used = 0;
        for (slots, values) in slots.chunks(BUCKET).zip(values.chunks(BUCKET)) {
            // The oldest first, so that the order by age stays.
            let pairs = slots.iter().zip(values).rev();
            pairs.filter(|(key, _)| **key != 0).for_each(|(&key, &value)| self.insert(key, value));
        }
        true
    }

    /// Makes a table that was read from a checkpoint usable within `memory` bytes.
    pub(crate) fn resume(&mut self, memory: u64) -> Result<(), CheckpointError> {
        self.limit = Self::most(memory);
        let used = self.slots.iter().filter(|&&key| key != 0).count();
        let size = self.slots.len();
        if size_of::<V>() == 0 {
            self.values = vec![V::default(); size];
        }
        let odd = size != 0 && (size < SMALLEST || !size.is_power_of_two());
        if used != self.used || self.values.len() != size || odd {
            return Err(CheckpointError::Corrupt("a table of states"));
        }
        if size > self.limit {
            // Less memory than before: starting to forget is allowed at any time.
            self.clear();
        }
        Ok(())
    }
}

impl Seen {
    /// Adds a key. Returns whether it was there already.
    pub(crate) fn seen(&mut self, key: Key) -> bool {
        self.has_or_adds(key.id())
    }

    fn has_or_adds(&mut self, key: u128) -> bool {
        if key == 0 {
            return self.zero.replace(()).is_some();
        }
        if self.slots.is_empty() && !self.grow() {
            return false;
        }
        let bucket = self.bucket(key);
        if self.slots[bucket..bucket + BUCKET].contains(&key) {
            return true;
        }
        self.add(key, ());
        false
    }
}

impl Table<u64> {
    /// Returns the value of a key; a key that is not there is added with this one.
    fn find(&mut self, key: u128, value: u64) -> Option<&mut u64> {
        if key == 0 {
            if self.zero.is_none() {
                self.zero = Some(value);
                return None;
            }
            return self.zero.as_mut();
        }
        if self.slots.is_empty() && !self.grow() {
            return None;
        }
        let bucket = self.bucket(key);
        if let Some(at) = self.slots[bucket..bucket + BUCKET].iter().position(|&slot| slot == key) {
            return Some(&mut self.values[bucket + at]);
        }
        self.add(key, value);
        None
    }

    /// Adds a key with a value. Returns whether it was there already with one at least as large.
    fn beaten(&mut self, key: u128, value: u64) -> bool {
        let Some(known) = self.find(key, value) else { return false };
        let beaten = *known >= value;
        *known = value.max(*known);
        beaten
    }

    /// Returns the value of a key.
    fn known(&self, key: u128) -> Option<u64> {
        if key == 0 {
            return self.zero;
        }
        let bucket = (!self.slots.is_empty()).then(|| self.bucket(key))?;
        let at = self.slots[bucket..bucket + BUCKET].iter().position(|&slot| slot == key)?;
        Some(self.values[bucket + at])
    }
}

/// The states that a search has met.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum VisitTable {
    /// By keys that include the score so far.
    Keys(Seen),
    /// By their futures, with the rank of the best score so far.
    Futures(Table<u64>),
}

impl VisitTable {
    /// Adds a state. Returns whether one at least as good was there already.
    #[inline]
    pub(crate) fn enter(&mut self, (key, value): (Key, u64)) -> bool {
        match self {
            Self::Keys(table) => table.seen(key),
            Self::Futures(table) => table.beaten(key.id(), value),
        }
    }

    /// Whether a better state is there.
    pub(crate) fn outdoes(&self, (key, value): (Key, u64)) -> bool {
        match self {
            Self::Keys(_) => false,
            Self::Futures(table) => table.known(key.id()).is_some_and(|known| known > value),
        }
    }

    pub(crate) fn clear(&mut self) {
        match self {
            Self::Keys(table) => table.clear(),
            Self::Futures(table) => table.clear(),
        }
    }

    /// Makes a table from a checkpoint usable; `futures`: what it has to hold.
    pub(crate) fn resume(&mut self, memory: u64, futures: bool) -> Result<(), CheckpointError> {
        match self {
            Self::Keys(table) if !futures => table.resume(memory),
            Self::Futures(table) if futures => table.resume(memory),
            _ => Err(CheckpointError::Corrupt("another table of states")),
        }
    }
}

/// What a search merges states by: a key with the rank of the score so far, where the problem has futures, or a key
/// that includes it.
pub(crate) struct Identities {
    /// Whether the problem has futures.
    pub(crate) futures: bool,
    sense: Sense,
    resources: Vec<f64>,
}

impl Identities {
    /// Asks the problem's root which of the two it offers.
    pub(crate) fn new(problem: &dyn ErasedProblem, root: &State) -> Self {
        Self { futures: problem.future(root).is_some(), sense: problem.sense(), resources: Vec::new() }
    }

    /// Returns an empty table for them.
    pub(crate) fn table(&self, memory: u64) -> VisitTable {
        if self.futures { VisitTable::Futures(Table::new(memory)) } else { VisitTable::Keys(Seen::new(memory)) }
    }

    /// Returns the key of a state, and a number that is larger for a better score so far.
    #[inline]
    pub(crate) fn of(&mut self, problem: &dyn ErasedProblem, state: &State) -> Option<(Key, u64)> {
        if !self.futures {
            return problem.key(state).map(|key| (key, 0));
        }
        self.future(problem, state)
    }

    #[inline(never)]
    fn future(&mut self, problem: &dyn ErasedProblem, state: &State) -> Option<(Key, u64)> {
        let (key, value) = problem.future(state)?;
        self.resources.clear();
        problem.resources(state, &mut self.resources);
        let key = if self.resources.is_empty() { key } else { self.with_resources(key) };
        Some((key, rank(self.sense, value)))
    }

    /// A table holds one value for each key: states with other resources are other states.
    fn with_resources(&self, key: Key) -> Key {
        let ranks: Vec<u64> = self.resources.iter().map(|&number| rank(self.sense, number)).collect();
        Key::of(&(key, ranks.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::{SMALLEST, Seen, Table};
    use crate::Rng;
    use crate::core::codec::{decode, encode};

    #[test]
    fn a_large_table_is_almost_a_set() {
        let mut table = Seen::new(1 << 24);
        let mut set = std::collections::BTreeSet::new();
        let mut rng = Rng::new(1);
        let mut forgotten = 0;
        for _ in 0..20_000 {
            let key = u128::from(rng.below(8_000));
            let (seen, known) = (table.has_or_adds(key), !set.insert(key));
            assert!(known || !seen, "{key} was never added");
            forgotten += u32::from(known && !seen);
        }
        assert!(forgotten < 200, "{forgotten} forgotten");
        assert!(table.slots.len() <= 4 * set.len());
    }

    #[test]
    fn a_full_table_forgets_and_never_invents() {
        let mut table = Seen::new(24 * 1024);
        assert!((0..50_000).all(|key| !table.has_or_adds(key + 1)));
        assert_eq!(table.slots.len(), 1024);
        let kept = (0..50_000).filter(|key| table.slots.contains(&(key + 1))).count();
        assert_eq!((kept, table.used), (1024, 1024));
        assert!(table.has_or_adds(50_000));
        // No room at all: nothing is remembered.
        let mut none = Seen::new(24 * SMALLEST as u64 - 1);
        assert!(!none.has_or_adds(3) && !none.has_or_adds(3));
    }

    #[test]
    fn the_largest_value_of_a_key_counts() {
        let mut table = Table::<u64>::new(1 << 20);
        for key in [0, 7, u128::MAX] {
            assert!(!table.beaten(key, 5) && table.beaten(key, 5) && table.beaten(key, 4));
            assert!(!table.beaten(key, 6) && table.beaten(key, 5));
            assert_eq!((table.known(key), table.known(key / 2 + 1)), (Some(6), None));
        }
        // A small one forgets, and never invents.
        let mut table = Table::<u64>::new(36 * SMALLEST as u64);
        for key in 0..10_000_u64 {
            assert!(!table.beaten(key.into(), key));
            assert!(table.known((key / 2).into()).is_none_or(|known| known == key / 2));
        }
        assert_eq!((table.slots.len(), table.known(9_999)), (SMALLEST, Some(9_999)));
    }

    #[test]
    fn a_saved_table_goes_on_alike() {
        let mut table = Seen::new(24 * 2048);
        let mut rng = Rng::new(2);
        (0..3_000).for_each(|_| _ = table.has_or_adds(rng.below(4_000).into()));
        let mut other: Seen = decode(&encode(&table)).unwrap();
        other.resume(24 * 2048).unwrap();
        for _ in 0..3_000 {
            let key = u128::from(rng.below(4_000));
            assert_eq!(table.has_or_adds(key), other.has_or_adds(key));
        }
        assert_eq!(encode(&table), encode(&other));
        other.resume(24 * 300).unwrap();
        assert_eq!(other.used, 0, "less memory");
        table.slots.pop();
        assert!(table.resume(1 << 20).is_err());
    }
}
