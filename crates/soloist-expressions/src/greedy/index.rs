//! A hash table of numbers, and helpers for hashing.

/// An open-addressing hash table of the numbers 0, 1, 2, ... of items that are stored elsewhere. Numbers are added in
/// ascending order and removed in descending order.
#[derive(Clone, Debug)]
pub(super) struct Index {
    /// The upper half of the hash, and the number.
    slots: Vec<(u32, u32)>,
    used: u32,
}

const FREE: u32 = u32::MAX;

impl Index {
    pub(super) fn new() -> Self {
        Self { slots: vec![(0, FREE); 1024], used: 0 }
    }

    /// The number with this hash for which `same` holds.
    pub(super) fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let tag = (hash >> 32) as u32;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                (_, FREE) => return None,
                (stored, number) if stored == tag && same(number) => return Some(number),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Adds the next number; `hash_of` gives the hashes of all numbers.
    pub(super) fn push(&mut self, hash_of: impl Fn(u32) -> u64) {
        let last = self.used;
        self.used += 1;
        if 2 * self.used as usize > self.slots.len() {
            self.slots = vec![(0, FREE); 2 * self.slots.len()];
            // In ascending order, so that the last number still comes last on every probe sequence.
            for number in 0..last {
                self.put(number, hash_of(number));
            }
        }
        self.put(last, hash_of(last));
    }

    fn put(&mut self, number: u32, hash: u64) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].1 != FREE {
            at = (at + 1) & mask;
        }
        self.slots[at] = ((hash >> 32) as u32, number);
    }

    /// Removes the last number; `hash` is its hash.
    pub(super) fn pop(&mut self, hash: u64) {
        self.used -= 1;
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].1 != self.used {
            at = (at + 1) & mask;
        }
        // No earlier number passes this slot on its probe sequence.
        self.slots[at].1 = FREE;
    }
}

/// Adds a sum to a list of places. Removes duplicates now and then.
pub(super) fn note(places: &mut Vec<u32>, place: u32) {
    if places.last() == Some(&place) {
        return;
    }
    if places.len() >= 16 && places.len().is_power_of_two() {
        places.sort_unstable();
        places.dedup();
    }
    places.push(place);
}

/// Mixes the bits of a word. The function is a bijection.
pub(super) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word ^ (word >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_numbers_are_removed() {
        // Few different hashes make long probe sequences, and the table grows in between.
        let hash = |number: u32| u64::from(number % 7) << 33 | u64::from(number % 5);
        let mut index = Index::new();
        for round in 0..3 {
            for number in 100 * round..700 {
                index.push(hash);
                assert_eq!(index.find(hash(number), |other| other == number), Some(number));
            }
            for number in (100 * (round + 1)..700).rev() {
                index.pop(hash(number));
                assert_eq!(index.find(hash(number), |other| other == number), None);
                assert!((0..number).all(|kept| index.find(hash(kept), |other| other == kept) == Some(kept)));
            }
        }
    }
}
