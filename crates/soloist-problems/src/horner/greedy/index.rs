//! Numbers of things by their hashes.

/// An open-addressing table of numbers below 2^32 - 1: what they stand for is kept elsewhere. Nothing is taken out.
#[derive(Clone, Debug)]
pub(super) struct Index {
    /// The upper half of the hash, and the number.
    slots: Vec<(u32, u32)>,
    used: usize,
}

const FREE: u32 = u32::MAX;

impl Index {
    pub(super) fn new() -> Self {
        Self { slots: vec![(0, FREE); 64], used: 0 }
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

    /// Adds a number that is not in it; `hash_of` gives the hashes of all numbers.
    pub(super) fn insert(&mut self, number: u32, hash_of: impl Fn(u32) -> u64) {
        self.used += 1;
        if 2 * self.used > self.slots.len() {
            let room = vec![(0, FREE); 2 * self.slots.len()];
            for (_, old) in std::mem::replace(&mut self.slots, room) {
                if old != FREE {
                    self.put(old, hash_of(old));
                }
            }
        }
        self.put(number, hash_of(number));
    }

    fn put(&mut self, number: u32, hash: u64) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at].1 != FREE {
            at = (at + 1) & mask;
        }
        self.slots[at] = ((hash >> 32) as u32, number);
    }
}

/// Spreads the bits of a word: a bijection.
pub(super) fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word ^ (word >> 32)
}
