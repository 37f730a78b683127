//! Hashes that are the same on every platform and in every release, and the keys by which states are compared.

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

/// Returns 64 bits of an [id](Key::id) for a place in a table, spread evenly where ids are small numbers.
#[inline]
pub(crate) fn scattered(id: u128) -> u64 {
    fold(id as u64 ^ 0x243f_6a88_85a3_08d3, (id >> 64) as u64 ^ 0x9e37_79b9_7f4a_7c15)
}

/// Returns high and low half of the 128-bit product, combined; never stuck at zero because of the added rotation.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    ((product >> 64) as u64) ^ (product as u64) ^ a.rotate_left(32)
}

/// What stands for a state where states are compared: two states are taken as equal when all 128 bits of their keys
/// are.
///
/// A key is made of everything that distinguishes a state: [`Key::of`] a value that implements [`Hash`] (the state
/// itself, if it derives it), or a [`KeyHasher`] that is fed word by word. Equal values have equal keys. Of `n`
/// different ones two have equal keys with probability about `n^2 / 2^129`: 10^-21 for 10^9 states. That holds for
/// values that somebody has chosen as well, because the bits are those of SipHash-1-3 with a fixed key (Aumasson and
/// Bernstein, 2012): no way is known to find colliding values but to try about 2^64 of them, while those of
/// [`stable_hash`] are found by solving an equation.
///
/// ```
/// use soloist::problem::Key;
///
/// #[derive(Hash)]
/// struct Load {
///     item: usize,
///     room: u64,
/// }
///
/// assert_eq!(Key::of(&Load { item: 3, room: 8 }), Key::of(&Load { item: 3, room: 8 }));
/// assert_ne!(Key::of(&Load { item: 3, room: 8 }), Key::of(&Load { item: 3, room: 9 }));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// A hash of the same words, as quick as it is weak: for tie-breaks, never for comparisons.
    mix: u64,
    id: u128,
}

impl Key {
    /// Returns the key of a value.
    #[inline]
    pub fn of<T: Hash + ?Sized>(value: &T) -> Self {
        let mut hasher = KeyHasher::new();
        value.hash(&mut hasher);
        hasher.key()
    }

    /// Returns the bits that are compared.
    #[inline]
    #[must_use]
    pub fn id(self) -> u128 {
        self.id
    }

    /// Returns the key of a state together with a number.
    #[inline]
    pub(crate) fn with(self, number: u64) -> Self {
        let id = Self::of(&(self.id, number)).id;
        Self { mix: stable_hash(&(self.mix, number)), id }
    }

    /// Returns 64 bits in which different keys may agree.
    #[inline]
    pub(crate) fn mix(self) -> u64 {
        self.mix
    }
}

/// A number that distinguishes states by itself, which are compared exactly then: a set of up to 128 things, say. Or a
/// hash of 128 bits that a problem keeps up to date from move to move.
impl From<u128> for Key {
    fn from(id: u128) -> Self {
        let (low, high) = (id as u64, (id >> 64) as u64);
        Self { mix: low ^ fold(high, 0x9e37_79b9_7f4a_7c15), id }
    }
}

/// A number that distinguishes states by itself, which are compared exactly then.
impl From<u64> for Key {
    fn from(number: u64) -> Self {
        u128::from(number).into()
    }
}

impl PartialEq for Key {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.id.cmp(&other.id)
    }
}

impl Hash for Key {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

/// The key of SipHash: digits of pi behind those of the other constants of this file.
const KEY: [u64; 2] = [0x082e_fa98_ec4e_6c89, 0x4528_21e6_38d0_1377];

/// Makes a [`Key`] of what is written into it.
///
/// The parts of a state must be told apart by what is written: the length of a list before its items, where lengths
/// differ, as derived implementations of [`Hash`] do. Machine-sized integers count as 64 bits.
#[derive(Clone, Debug)]
pub struct KeyHasher {
    mix: StableHasher,
    state: [u64; 4],
    words: u64,
}

impl KeyHasher {
    /// Returns a hasher in its fixed initial state.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        let state = [
            KEY[0] ^ 0x736f_6d65_7073_6575,
            // As for 128 bits of output.
            KEY[1] ^ 0x646f_7261_6e64_6f6d ^ 0xee,
            KEY[0] ^ 0x6c79_6765_6e65_7261,
            KEY[1] ^ 0x7465_6462_7974_6573,
        ];
        Self { mix: StableHasher::new(), state, words: 0 }
    }

    /// Returns the key of what was written.
    #[inline]
    #[must_use]
    pub fn key(&self) -> Key {
        let mut state = self.state;
        absorb::<1>(&mut state, self.words);
        Key { mix: self.mix.finish(), id: output::<3>(&mut state) }
    }

    #[inline]
    fn word(&mut self, word: u64) {
        absorb::<1>(&mut self.state, word);
        self.words += 1;
    }
}

impl Default for KeyHasher {
    fn default() -> Self {
        Self::new()
    }
}

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.mix.finish()
    }
    fn write(&mut self, bytes: &[u8]) {
        self.mix.write(bytes);
        // Without the length, the last bytes could be read as more or fewer.
        self.word(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }
    #[inline]
    fn write_u8(&mut self, i: u8) {
        self.write_u64(i.into());
    }
    #[inline]
    fn write_u16(&mut self, i: u16) {
        self.write_u64(i.into());
    }
    #[inline]
    fn write_u32(&mut self, i: u32) {
        self.write_u64(i.into());
    }
    #[inline]
    fn write_u64(&mut self, i: u64) {
        self.mix.write_u64(i);
        self.word(i);
    }
    #[inline]
    fn write_u128(&mut self, i: u128) {
        self.write_u64(i as u64);
        self.write_u64((i >> 64) as u64);
    }
    #[inline]
    fn write_usize(&mut self, i: usize) {
        self.write_u64(i as u64);
    }
    #[inline]
    fn write_isize(&mut self, i: isize) {
        self.write_u64(i as i64 as u64);
    }
}

/// Takes in a word as SipHash does.
#[inline]
fn absorb<const ROUNDS: usize>(state: &mut [u64; 4], word: u64) {
    state[3] ^= word;
    (0..ROUNDS).for_each(|_| round(state));
    state[0] ^= word;
}

/// Returns the 128 bits of SipHash, after the last word.
#[inline]
fn output<const ROUNDS: usize>(state: &mut [u64; 4]) -> u128 {
    let mut half = |at: usize, constant: u64| {
        state[at] ^= constant;
        (0..ROUNDS).for_each(|_| round(state));
        u128::from(state[0] ^ state[1] ^ state[2] ^ state[3])
    };
    let low = half(2, 0xee);
    half(1, 0xdd) << 64 | low
}

/// A round of SipHash.
#[inline]
fn round(state: &mut [u64; 4]) {
    let [mut a, mut b, mut c, mut d] = *state;
    a = a.wrapping_add(b);
    c = c.wrapping_add(d);
    b = b.rotate_left(13) ^ a;
    d = d.rotate_left(16) ^ c;
    a = a.rotate_left(32).wrapping_add(d);
    c = c.wrapping_add(b);
    d = d.rotate_left(21) ^ a;
    b = b.rotate_left(17) ^ c;
    c = c.rotate_left(32);
    *state = [a, b, c, d];
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// The 128-bit key of SipHash in the authors' test vectors: the bytes 00 01 .. 0f.
    const VECTOR: [u64; 2] = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];

    fn with_key(key: [u64; 2]) -> KeyHasher {
        let mut hasher = KeyHasher::new();
        (0..4).for_each(|at| hasher.state[at] ^= KEY[at % 2] ^ key[at % 2]);
        hasher
    }

    // Vectors are published for SipHash-2-4, which has the same parts.
    #[test]
    fn the_empty_message_has_the_published_hash() {
        // The first of the vectors for 128 bits: of a message of no bytes, whose last word is 0.
        let expected = [0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93];
        let mut state = with_key(VECTOR).state;
        absorb::<2>(&mut state, 0);
        assert_eq!(output::<4>(&mut state).to_le_bytes(), expected);
    }

    #[test]
    #[allow(deprecated)]
    fn words_are_taken_in_as_siphash_does() {
        // The standard library has SipHash-2-4 with 64 bits: its states differ in a constant and in the end.
        for words in 0..5_u64 {
            let mut theirs = std::hash::SipHasher::new_with_keys(VECTOR[0], VECTOR[1]);
            let mut state = with_key(VECTOR).state;
            state[1] ^= 0xee;
            for word in (1..=words).map(|word| word.wrapping_mul(0x9e37_79b9_7f4a_7c15)) {
                theirs.write_u64(word);
                absorb::<2>(&mut state, word);
            }
            absorb::<2>(&mut state, (8 * words) << 56);
            state[2] ^= 0xff;
            (0..4).for_each(|_| round(&mut state));
            assert_eq!(state.iter().fold(0, |all, part| all ^ part), theirs.finish(), "{words} words");
        }
    }

    #[test]
    fn what_differs_has_another_key() {
        let mut ids = BTreeSet::new();
        for length in 0..20 {
            for last in [0_u8, 8, 15, 255] {
                // Stable hashes of bytes agree for some of these.
                let mut bytes = vec![0_u8; length];
                bytes.push(last);
                assert!(ids.insert(Key::of(&bytes[..])));
            }
        }
        assert!(ids.insert(Key::of(&(1_u64, 2_u64))) && ids.insert(Key::of(&(1_u64 | 2 << 32))));
        assert_ne!(Key::of("abcdefg"), Key::of("abcdefg\u{f}"));
        assert_eq!(stable_hash("abcdefg"), stable_hash("abcdefg\u{f}"), "the weak hash takes these for equal");
    }

    #[test]
    fn a_key_has_the_stable_hash_for_tie_breaks() {
        let value = (7_u32, [1_u64, 2], "text");
        assert_eq!(Key::of(&value).mix(), stable_hash(&value));
        assert_eq!(Key::of(&value).with(3).mix(), stable_hash(&(stable_hash(&value), 3_u64)));
        assert_ne!(Key::of(&value).with(3), Key::of(&value).with(4));
    }
}
