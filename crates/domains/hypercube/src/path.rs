//! Paths as bit sets over the vertices: what is blocked, what may be flipped next.
//!
//! # The rule in bits
//! A flip from `v_i` to `v_{i+1}` is allowed when `v_{i+1}` lies in no Hamming ball of radius `k - 1` around `v_0 ..
//! v_{i+1-k}` and repeats none of the last `k - 1` flips. From `i = k - 1` on the balls imply both: a repeated bit
//! leads nearer than `k` to `v_{i+1-k}`. Before that, the canonical form allows one bit only. A path is therefore
//! represented by the union of those balls (`blocked`), its head, and the last flips, from which the next ball is
//! found.
//!
//! # Words
//! A vertex is bit `v % 64` of word `v / 64`. Bits 0 to 5 of `v` are dimensions within a word, the others lead from
//! word to word: a ball is, in each word at most as many flips away as its radius, a ball of what is left of the
//! radius.

use super::MAX_WORDS;
use super::width::{ByWidth, by_width};

/// `BALLS[v][r]`: the vertices of a word within distance `r` of `v`.
pub(super) static BALLS: [[u64; 8]; 64] = balls();

/// Vertices of a word without bit `b`, for `b` from 0 to 5.
const WITHOUT: [u64; 6] = [
    0x5555_5555_5555_5555,
    0x3333_3333_3333_3333,
    0x0f0f_0f0f_0f0f_0f0f,
    0x00ff_00ff_00ff_00ff,
    0x0000_ffff_0000_ffff,
    0x0000_0000_ffff_ffff,
];
/// `BESIDE[v][m]`: of a byte `m` of vertices, those that a flip of bit 0, 1 or 2 leads to from its vertex `v`, as a
/// mask of these bits.
static BESIDE: [[u8; 256]; 8] = beside();

/// `PICK[m]`: the positions of the bits of `m`, ascending, and in the ninth place their number.
static PICK: [[u8; 16]; 256] = pick();

const fn balls() -> [[u64; 8]; 64] {
    let mut balls = [[0; 8]; 64];
    let mut from = 0_usize;
    while from < 64 {
        let mut to = 0;
        while to < 64 {
            let mut radius = (from ^ to).count_ones() as usize;
            while radius < 8 {
                balls[from][radius] |= 1 << to;
                radius += 1;
            }
            to += 1;
        }
        from += 1;
    }
    balls
}

const fn beside() -> [[u8; 256]; 8] {
    let mut beside = [[0; 256]; 8];
    let mut from = 0;
    while from < 8 {
        let mut set = 0;
        while set < 256 {
            let mut bit = 0;
            while bit < 3 {
                beside[from][set] |= ((set >> (from ^ 1 << bit) & 1) << bit) as u8;
                bit += 1;
            }
            set += 1;
        }
        from += 1;
    }
    beside
}

const fn pick() -> [[u8; 16]; 256] {
    let mut pick = [[0; 16]; 256];
    let mut mask = 0;
    while mask < 256 {
        let mut bit = 0;
        let mut count = 0;
        while bit < 8 {
            if mask >> bit & 1 == 1 {
                pick[mask][count] = bit as u8;
                count += 1;
            }
            bit += 1;
        }
        pick[mask][8] = count as u8;
        mask += 1;
    }
    pick
}

/// Returns the number of bits set in a mask of dimensions.
#[inline(always)]
pub(super) fn count<const W: usize>(mask: u32) -> usize {
    let low = usize::from(PICK[(mask & 255) as usize][8]);
    // Four words hold eight dimensions at most.
    if W <= 4 { low } else { low + usize::from(PICK[(mask >> 8 & 255) as usize][8]) }
}

/// Returns the `n`-th bit set in a mask of dimensions, `n` counted from 0 and below their number.
#[inline(always)]
pub(super) fn nth<const W: usize>(mask: u32, n: usize) -> u32 {
    let low = &PICK[(mask & 255) as usize];
    let below = usize::from(low[8]);
    if W <= 4 || n < below {
        low[n & 7].into()
    } else {
        8 + u32::from(PICK[(mask >> 8 & 255) as usize][(n - below) & 7])
    }
}

/// A word that a ball reaches: which one, seen from that of its centre, and the radius left there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    word: u8,
    radius: u8,
}

/// Returns the words that a ball of `radius` reaches in a cube of `words` words, the nearest first.
pub(super) fn near(radius: u32, words: usize) -> Vec<Near> {
    let mut near = Vec::new();
    for distance in 0..=radius {
        let at_distance = (0..words).filter(|word| word.count_ones() == distance);
        near.extend(at_distance.map(|word| Near { word: word as u8, radius: (radius - distance) as u8 }));
    }
    near
}

/// Adds the ball around `vertex`, its words given by [`near`], to a set.
#[inline(always)]
pub(super) fn add_ball<const W: usize>(set: &mut [u64; W], vertex: usize, near: &[Near]) {
    let (word, balls) = (vertex >> 6, &BALLS[vertex & 63]);
    for near in near {
        set[(word ^ usize::from(near.word)) & (W - 1)] |= balls[usize::from(near.radius) & 7];
    }
}

/// Adds the ball of radius 1 around `vertex` to a set.
///
/// In a cube of fewer than `64 W` vertices it also marks vertices that do not exist; no code reads them.
#[inline(always)]
pub(super) fn add_neighbors<const W: usize>(set: &mut [u64; W], vertex: usize) {
    let (word, low) = (vertex >> 6, vertex & 63);
    set[word & (W - 1)] |= BALLS[low][1];
    for bit in 0..W.trailing_zeros() {
        set[(word ^ 1 << bit) & (W - 1)] |= 1 << low;
    }
}

/// Returns the bits whose flip leads from `vertex` into a set of `64 W` vertices, given word by word.
#[inline(always)]
pub(super) fn flips_into<const W: usize>(set: impl Fn(usize) -> u64, vertex: usize) -> u32 {
    let (word, low) = (vertex >> 6, vertex & 63);
    let here = set(word & (W - 1));
    let inner = u32::from(BESIDE[low & 7][(here >> (low & 56) & 255) as usize]);
    let in_word = |bit: u32| ((here >> (low ^ 1 << bit)) as u32 & 1) << bit;
    let middle = in_word(3) | (in_word(4) | in_word(5));
    let mut outer = 0;
    for bit in 0..W.trailing_zeros() {
        outer |= ((set((word ^ 1 << bit) & (W - 1)) >> low) as u32 & 1) << (6 + bit);
    }
    inner | (middle | outer)
}

/// Returns the vertices of a cube.
pub(super) fn inside<const W: usize>(dimension: u32) -> [u64; W] {
    let mut inside = [0; W];
    inside[..(1_usize << dimension).div_ceil(64)].fill(if dimension < 6 { (1 << (1 << dimension)) - 1 } else { !0 });
    inside
}

/// Returns the vertices of word number `word` that differ from `center` in `distance` bits.
pub(super) fn sphere(center: usize, distance: u32, word: usize) -> u64 {
    let balls = BALLS[center & 63];
    match distance.checked_sub((word ^ center >> 6).count_ones()) {
        Some(0) => balls[0],
        Some(rest @ 1..=7) => balls[rest as usize] & !balls[rest as usize - 1],
        _ => 0,
    }
}

/// Returns the vertices that a flip of one of `bits` leads to from `head`.
pub(super) fn steps<const W: usize>(head: u16, bits: u32) -> [u64; W] {
    let mut set = [0; W];
    let mut rest = bits;
    while rest != 0 {
        let vertex = usize::from(head) ^ 1 << rest.trailing_zeros();
        rest &= rest - 1;
        set[(vertex >> 6) & (W - 1)] |= 1 << (vertex & 63);
    }
    set
}

/// Returns the last eight vertices, from the head backwards, by the last bits flipped, the last one lowest, four bits
/// each; right as far as there are so many.
#[inline(always)]
pub(super) fn recent(head: u16, history: u32) -> [u16; 8] {
    let mut recent = [head; 8];
    for back in 1..8 {
        recent[back] = recent[back - 1] ^ 1 << (history >> (4 * (back - 1)) & 15);
    }
    recent
}

/// Whether every second one of the last eight flips repeats the flip four before it, as far as there are so many.
#[inline]
pub(super) fn is_woven(history: u32, length: u16) -> bool {
    // Place `i` of the low half: whether flip `i`, counted backwards, differs from flip `i + 4`.
    let known = length.clamp(4, 8) - 4;
    let differ = (history ^ history >> 16) & ((1 << (4 * known)) - 1);
    differ & 0x0f0f == 0 || differ & 0xf0f0 == 0
}

/// Whether a set holds `vertex`.
#[inline(always)]
pub(super) fn holds<const W: usize>(set: &[u64; W], vertex: usize) -> bool {
    set[(vertex >> 6) & (W - 1)] >> (vertex & 63) & 1 == 1
}

/// Returns the neighbours of a set's vertices within a word, in the dimension `bit`.
#[inline(always)]
pub(super) fn across(word: u64, bit: usize) -> u64 {
    let shift = 1 << bit;
    (word & WITHOUT[bit]) << shift | word >> shift & WITHOUT[bit]
}

/// Adds all vertices that are connected to `set` by a path of vertices of `free`. `set` is a part of `free`; `words`
/// words are in use.
#[inline(always)]
pub(super) fn flood<const W: usize>(set: &mut [u64; W], free: &[u64; W], words: usize) {
    // The words from which the flood may spread.
    let mut open = 0_u128;
    for (word, &here) in set[..words].iter().enumerate() {
        open |= u128::from(here != 0) << word;
    }
    while open != 0 {
        let word = open.trailing_zeros() as usize & (W - 1);
        open &= open - 1;
        let mut reached = set[word];
        loop {
            let before = reached;
            for bit in 0..6 {
                reached |= across(reached, bit) & free[word];
            }
            if reached == before {
                break;
            }
        }
        set[word] = reached;
        let mut step = 1;
        while step < words {
            let other = (word ^ step) & (W - 1);
            let new = reached & free[other] & !set[other];
            if new != 0 {
                set[other] |= new;
                open |= 1 << other;
            }
            step *= 2;
        }
    }
}

/// A path from vertex 0.
pub type Path = ByWidth<Track<4>, Track<16>, Track<MAX_WORDS>>;

impl Path {
    /// Returns the number of edges.
    #[must_use]
    pub fn length(&self) -> u32 {
        by_width!(self => path; path.length.into())
    }

    /// Returns the last vertex.
    #[must_use]
    pub fn head(&self) -> u32 {
        by_width!(self => path; path.head.into())
    }

    /// For a coil: the length of the longest cycle that a beginning of this path closes to.
    #[must_use]
    pub fn closed(&self) -> u32 {
        by_width!(self => path; path.closed.into())
    }
}

/// A path from vertex 0, over at most `64 W` vertices; `W` is a power of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track<const W: usize> {
    /// The balls of radius `k - 1` around all vertices but the last `k - 1`. For a coil, those around the first `k - 1`
    /// vertices are left out, because they count for less where the cycle closes.
    pub(super) blocked: [u64; W],
    /// The last bits flipped, the last one lowest, four bits each.
    pub(super) history: u32,
    /// The last vertex.
    pub(super) head: u16,
    /// The last vertex with a blocked ball; not kept for spread 2.
    pub(super) tail: u16,
    /// The number of edges.
    pub(super) length: u16,
    /// For a coil: the length of the longest cycle found so far.
    pub(super) closed: u16,
    /// The bits that may be flipped if their vertices are free: those used and the next one.
    pub(super) allowed: u16,
    /// For a coil: the bits that the last edge of a cycle may still flip.
    pub(super) gates: u16,
}

impl<const W: usize> Track<W> {
    /// The bytes that a path takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

/// Returns the number of vertices in a set.
#[inline(always)]
pub(super) fn size<const W: usize>(set: &[u64; W]) -> u32 {
    set.iter().map(|word| word.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn woven_paths_repeat_every_second_flip() {
        let woven = |flips: &[u32]| {
            let history = flips.iter().fold(0, |history, flip| history << 4 | flip);
            is_woven(history, flips.len() as u16)
        };
        assert!(woven(&[]) && woven(&[0, 1, 2, 3]) && woven(&[0, 1, 2, 3, 4]));
        assert!(woven(&[0, 1, 2, 3, 0, 4, 2, 5]) && woven(&[9, 0, 1, 2, 3, 0, 4, 2, 5, 0]));
        assert!(woven(&[1, 0, 3, 2, 4, 0, 5, 2]), "the other parity");
        assert!(!woven(&[0, 1, 2, 3, 4, 5]) && !woven(&[0, 1, 2, 3, 0, 4, 5, 6]));
        assert!(woven(&[0, 1, 2, 3, 4, 5, 6, 5, 7, 5, 2, 5, 7, 5]), "only the last eight count");
    }
}
