//! Numbers of things by their hashes.

/// An open-addressing table of the numbers 0, 1, 2, ...: what they stand for is kept elsewhere. What was added last can be
/// taken out again.
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
                (own, number) if own == tag && same(number) => return Some(number),
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
            // In the order of the numbers, as if they were added now: the last one is still nobody's detour.
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

    /// Takes the last number out, whose hash this is.
    pub(super) fn pop(&mut self, hash: u64) {
        self.used -= 1;
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].1 != self.used {
            at = (at + 1) & mask;
        }
        // No number that came before had to make a detour around it.
        self.slots[at].1 = FREE;
    }
}

/// Adds to a list of sums in which something was seen; now and then sums that are in it twice are dropped.
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

/// Spreads the bits of a word: a bijection.
pub(super) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word ^ (word >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_numbers_are_taken_out() {
        // Few different hashes, so that there are many detours, and growth in between.
        let hash = |number: u32| u64::from(number % 7) << 33 | u64::from(number % 5);
        let mut index = Index::new();
        for round in 0..3 {
            for number in 100 * round..700 {
                index.push(hash);
                assert_eq!(index.find(hash(number), |own| own == number), Some(number));
            }
            for number in (100 * (round + 1)..700).rev() {
                index.pop(hash(number));
                assert_eq!(index.find(hash(number), |own| own == number), None);
                assert!((0..number).all(|kept| index.find(hash(kept), |own| own == kept) == Some(kept)));
            }
        }
    }
}
