//! Hashes that are the same on every platform and in every release.

use std::hash::{Hash, Hasher};

/// Returns a hash that is the same on every platform and in every release; see [`StableHasher`].
pub fn stable_hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = StableHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// A 64-bit hasher with fixed constants: each word is mixed in by a folded 64 x 64 bit multiplication.
///
/// Machine-sized integers are hashed as 64 bits, so that 32-bit platforms agree.
#[derive(Clone, Debug)]
pub struct StableHasher(u64);

impl StableHasher {
    /// Returns a hasher in its fixed initial state.
    #[must_use]
    pub fn new() -> Self {
        Self(0x243f_6a88_85a3_08d3)
    }
}

impl Default for StableHasher {
    fn default() -> Self {
        Self::new()
    }
}

impl Hasher for StableHasher {
    fn finish(&self) -> u64 {
        fold(self.0 ^ 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d1)
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word) ^ (chunk.len() as u64) << 56);
        }
    }
    fn write_u8(&mut self, i: u8) {
        self.write_u64(i.into());
    }
    fn write_u16(&mut self, i: u16) {
        self.write_u64(i.into());
    }
    fn write_u32(&mut self, i: u32) {
        self.write_u64(i.into());
    }
    fn write_u64(&mut self, i: u64) {
        self.0 = fold(self.0 ^ i, 0x9e37_79b9_7f4a_7c15);
    }
    fn write_usize(&mut self, i: usize) {
        self.write_u64(i as u64);
    }
    fn write_isize(&mut self, i: isize) {
        self.write_u64(i as i64 as u64);
    }
}

/// Returns high and low half of the 128-bit product, combined; never stuck at zero because of the added rotation.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    ((product >> 64) as u64) ^ (product as u64) ^ a.rotate_left(32)
}
