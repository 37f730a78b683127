//! A set of keys that is emptied often.

/// The bits of a key in [`KeySet`]. The other bits hold the generation.
const KEY_BITS: u32 = 61;

/// A set of keys below 2^61. Emptying it begins a new generation; every seventh time all slots are wiped.
#[derive(Debug)]
pub(super) struct KeySet {
    /// A power of two of slots. Those that hold the number of the present generation are in use.
    slots: Vec<u64>,
    used: usize,
    /// 1 to 7, shifted.
    generation: u64,
}

impl KeySet {
    pub(super) fn new() -> Self {
        Self { slots: vec![0; 1 << 10], used: 0, generation: 1 << KEY_BITS }
    }

    #[inline(always)]
    fn place(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    /// Inserts `key`. Returns whether it is new.
    #[inline(always)]
    pub(super) fn insert(&mut self, key: u64) -> bool {
        let entry = key | self.generation;
        let mask = self.slots.len() - 1;
        let mut at = self.place(key);
        let slot = loop {
            let slot = self.slots[at];
            // One condition instead of two, and the same store in both cases, because the branch predictor cannot tell
            // whether a key is new.
            if (slot == entry) | (slot >> KEY_BITS != self.generation >> KEY_BITS) {
                break slot;
            }
            at = (at + 1) & mask;
        };
        self.slots[at] = entry;
        let is_new = slot != entry;
        self.used += usize::from(is_new);
        if self.used * 2 > self.slots.len() {
            self.grow();
        }
        is_new
    }

    /// Inserts `keys`. Returns the number of new ones.
    pub(super) fn insert_all(&mut self, keys: &[u64]) -> u32 {
        const AHEAD: usize = 8;
        let mut count = 0;
        let (groups, rest) = keys.as_chunks::<AHEAD>();
        for group in groups {
            // The slots are fetched together first, so that their memory accesses overlap.
            let slots = group.map(|key| self.slots[self.place(key)]);
            std::hint::black_box(slots);
            count += group.iter().map(|&key| u32::from(self.insert(key))).sum::<u32>();
        }
        count + rest.iter().map(|&key| u32::from(self.insert(key))).sum::<u32>()
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        for entry in old.into_iter().filter(|entry| entry >> KEY_BITS == self.generation >> KEY_BITS) {
            let mut at = self.place(entry ^ self.generation);
            while self.slots[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = entry;
        }
    }

    pub(super) fn clear(&mut self) {
        self.used = 0;
        if self.generation >> KEY_BITS == 7 {
            self.slots.fill(0);
            self.generation = 0;
        }
        self.generation += 1 << KEY_BITS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use soloist::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn holds_the_keys_inserted_since_it_was_emptied() {
        let (mut set, mut rng) = (KeySet::new(), Rng::new(1));
        for round in 0..20 {
            set.clear();
            let keys: Vec<u64> = (0..[10, 3000, 400][round % 3]).map(|_| rng.below(1000) << 51 | 7).collect();
            let mut plain = BTreeSet::new();
            let (one_by_one, together) = keys.split_at(keys.len() / 2);
            for &key in one_by_one {
                assert_eq!(set.insert(key), plain.insert(key), "round {round}");
            }
            let new = together.iter().filter(|&&key| plain.insert(key)).count();
            assert_eq!(set.insert_all(together) as usize, new, "round {round}");
            assert!(keys.iter().all(|&key| !set.insert(key)));
        }
    }
}
