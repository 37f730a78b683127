//! What is left for a path: the vertices within reach, and how many of them a path can use.
//!
//! All bounds are about `m`, the number of vertices that can still follow the head. They lie in `R`, the free vertices
//! that the head reaches through free ones. Each is proven below from the rule alone; no table of known lengths is used.
//!
//! - **Parity.** The path alternates between vertices of even and odd weight, so that `m` is at most twice the number of
//!   those of the next parity in `R`, and at most twice the number of the others plus one.
//! - **Subcubes.** What follows the head meets a subcube of dimension 4 in a set `X` of vertices of which two that differ
//!   in `h < k` bits are `h` edges apart on the path, which between them is a shortest way and so stays in the subcube. So
//!   `X` consists of paths in which the rule holds, pieces being at least `k` apart. The largest such `X` inside the 16
//!   bits of `R` that a subcube has stands in a table, and the cube is cut into subcubes of dimension 4 in two ways.
//! - **Volume, `k = 2 t + 1`.** Balls of radius `t` around vertices at least `k` edges apart are disjoint, and the `k`
//!   last flips of a path differ. So every vertex adds the same number `n_t` of new vertices to the union of the balls
//!   around all before it: those of its ball that are in no ball around the `2 t` vertices before. All of them are within
//!   `t` of `R` and not within `t` of the last `2 t` vertices of the path so far; with `C` such vertices, `m <= C / n_t`.
//! - **Volume, `k = 2 t`.** Balls of radius `t - 1` are disjoint as before. A vertex at distance exactly `t` of several
//!   vertices more than `k` edges apart differs from each in other bits, hence there are at most `q = d / t` of them. With
//!   `C` vertices within `t` of `R` but not within `t - 1` of the last `2 t`: `m (n_{t-1} + (n_t - n_{t-1}) / q) <= C`.
//!
//! A coil ends after a vertex with `k` bits, one of them a gate: none within reach means that the longest cycle was met.
//! Otherwise its length is at most that of the path, plus `m`, plus `k`, rounded down to an even number.

use super::Kind;
use super::path::{Near, Path, add_ball, near};
use super::search::{Snakes, size};
use std::sync::OnceLock;

/// Vertices of a word without bit `b`, for `b` from 0 to 5.
const WITHOUT: [u64; 6] = [
    0x5555_5555_5555_5555,
    0x3333_3333_3333_3333,
    0x0f0f_0f0f_0f0f_0f0f,
    0x00ff_00ff_00ff_00ff,
    0x0000_ffff_0000_ffff,
    0x0000_0000_ffff_ffff,
];
/// Vertices of a word with an even number of bits.
const EVEN: u64 = 0x9669_6996_6996_9669;

/// Numbers of the bounds that depend on the cube alone.
#[derive(Debug)]
pub(super) struct Limits<const W: usize> {
    /// The vertices that exist.
    inside: [u64; W],
    /// Volume: `t`, and the words of a ball of the radius that is kept free of the last vertices.
    radius: u32,
    near: Vec<Near>,
    /// Volume: `m <= C times / by`; `by` is 0 where it says nothing.
    times: u32,
    by: u32,
    /// By 16 bits of a subcube of dimension 4: the most vertices that a path uses. Computed when first asked for.
    subcubes: &'static OnceLock<Vec<u8>>,
}

impl<const W: usize> Limits<W> {
    pub(super) fn new(dimension: u32, spread: u32, words: usize) -> Self {
        static SUBCUBES: [OnceLock<Vec<u8>>; 8] = [const { OnceLock::new() }; 8];
        let mut inside = [0; W];
        inside[..words].fill(if dimension < 6 { (1 << (1 << dimension)) - 1 } else { !0 });
        let t = spread / 2;
        let (mut times, mut by) = (1, 0);
        let mut kept = t;
        if dimension > spread && spread > 2 {
            let new = new_vertices(dimension, t, 2 * t);
            if spread % 2 == 1 {
                by = new;
            } else {
                let inner = new_vertices(dimension, t - 1, 2 * t - 2);
                times = dimension / t;
                by = (times - 1) * inner + new.max(inner);
                kept = t - 1;
            }
        }
        let subcubes = &SUBCUBES[spread as usize & 7];
        Self { inside, radius: t, near: near(kept, words), times, by, subcubes }
    }
}

/// How many vertices a ball of `radius` has that are in none of those around the `before` vertices before its centre,
/// on a path whose flips there are all different.
fn new_vertices(dimension: u32, radius: u32, before: u32) -> u32 {
    let is_new = |vertex: &u32| {
        vertex.count_ones() <= radius && (1..=before).all(|back| (vertex ^ ((1 << back) - 1)).count_ones() > radius)
    };
    (0..1_u32 << dimension).filter(is_new).count() as u32
}

/// The neighbours of a set's vertices within a word, in the dimension `bit`.
#[inline(always)]
fn across(word: u64, bit: usize) -> u64 {
    let shift = 1 << bit;
    (word & WITHOUT[bit]) << shift | word >> shift & WITHOUT[bit]
}

impl<const W: usize> Snakes<W> {
    /// The words that loops go over: a fixed number where there are few.
    #[inline(always)]
    fn span(&self) -> usize {
        if W <= 16 { W } else { self.words }
    }

    /// The vertices that are not blocked.
    #[inline(always)]
    pub(super) fn free(&self, path: &Path<W>) -> [u64; W] {
        let first = self.first(path);
        let mut free = [0; W];
        for word in 0..self.span() {
            free[word] = self.limits.inside[word] & !(path.blocked[word] | first[word]);
        }
        free
    }

    /// The free vertices that the head reaches, starting with a flip of `legal`.
    pub(super) fn reach(&self, path: &Path<W>, legal: u32) -> [u64; W] {
        let mut reached = [0; W];
        let mut rest = legal;
        while rest != 0 {
            let vertex = usize::from(path.head) ^ 1 << rest.trailing_zeros();
            rest &= rest - 1;
            reached[(vertex >> 6) & (W - 1)] |= 1 << (vertex & 63);
        }
        if legal == 0 {
            return reached;
        }
        let free = self.free(path);
        let span = self.span();
        loop {
            let mut changed = 0;
            for word in 0..span {
                let before = reached[word];
                let mut set = before;
                for bit in 0..6 {
                    set |= across(set, bit) & free[word];
                }
                changed |= set ^ before;
                reached[word] = set;
            }
            let mut step = 1;
            while step < span {
                for base in (0..span).step_by(2 * step) {
                    for word in base..base + step {
                        let (low, high) = (reached[word], reached[word + step]);
                        let (new_low, new_high) = (low | high & free[word], high | low & free[word + step]);
                        changed |= new_low ^ low | new_high ^ high;
                        (reached[word], reached[word + step]) = (new_low, new_high);
                    }
                }
                step *= 2;
            }
            if changed == 0 {
                return reached;
            }
        }
    }

    /// A set with the neighbours of its vertices.
    fn widen(&self, set: &[u64; W]) -> [u64; W] {
        let mut wide = [0; W];
        let span = self.span();
        for word in 0..span {
            let mut sum = set[word];
            for bit in 0..6 {
                sum |= across(set[word], bit);
            }
            let mut step = 1;
            while step < span {
                sum |= set[word ^ step];
                step *= 2;
            }
            wide[word] = sum & self.limits.inside[word];
        }
        wide
    }

    /// No solution that begins with `path` is longer.
    pub(super) fn most(&self, path: &Path<W>) -> u32 {
        let legal = self.legal_any(path);
        let reached = self.reach(path, legal);
        let length = u32::from(path.length);
        match self.kind {
            Kind::Snake => length + self.vertices_left(path, &reached),
            Kind::Coil => {
                let closed = u32::from(path.closed);
                if legal == 0 || !self.may_close(path, &reached) {
                    return closed;
                }
                let most = length + self.vertices_left(path, &reached) + self.spread;
                closed.max(most & !1)
            }
        }
    }

    /// No more vertices than this follow the head.
    fn vertices_left(&self, path: &Path<W>, reached: &[u64; W]) -> u32 {
        let all = size(reached);
        if all == 0 {
            return 0;
        }
        let even: u32 = (0..self.span())
            .map(|word| {
                let mask = if word.count_ones() % 2 == 0 { EVEN } else { !EVEN };
                (reached[word] & mask).count_ones()
            })
            .sum();
        // An edge after the head changes the parity.
        let (next, other) = if path.length % 2 == 1 { (even, all - even) } else { (all - even, even) };
        let mut most = (2 * next).min(2 * other + 1);
        if self.spread > 1 {
            most = most.min(self.in_subcubes(reached));
        }
        if self.limits.by > 0 {
            most = most.min(self.by_volume(path, reached));
        }
        most
    }

    /// The bound by subcubes of dimension 4.
    fn in_subcubes(&self, reached: &[u64; W]) -> u32 {
        let table = &self.limits.subcubes.get_or_init(|| subcubes(self.spread))[..1 << 16];
        let (mut inner, mut outer) = (0, 0);
        for &word in &reached[..self.span()] {
            if word == 0 {
                continue;
            }
            for part in 0..4 {
                // Dimensions 0 to 3, and 2 to 5.
                inner += u32::from(table[(word >> (16 * part) & 0xffff) as usize]);
                outer += u32::from(table[every_fourth(word >> part)]);
            }
        }
        inner.min(outer)
    }

    /// The bound by volume.
    fn by_volume(&self, path: &Path<W>, reached: &[u64; W]) -> u32 {
        let limits = &self.limits;
        let mut around = *reached;
        for _ in 0..limits.radius {
            around = self.widen(&around);
        }
        let mut taken = [0; W];
        let known = (2 * limits.radius).min(u32::from(path.length) + 1);
        for vertex in path.recent().take(known as usize) {
            add_ball(&mut taken, vertex.into(), &limits.near);
        }
        let volume: u32 = (0..self.span()).map(|word| (around[word] & !taken[word]).count_ones()).sum();
        volume * limits.times / limits.by
    }
}

/// Bits 0, 4, 8, ... 60 of a word, side by side.
#[inline(always)]
fn every_fourth(word: u64) -> usize {
    let mut bits = word & 0x1111_1111_1111_1111;
    bits = (bits | bits >> 3) & 0x0303_0303_0303_0303;
    bits = (bits | bits >> 6) & 0x000f_000f_000f_000f;
    bits = (bits | bits >> 12) & 0x0000_00ff_0000_00ff;
    ((bits | bits >> 24) & 0xffff) as usize
}

/// By set of vertices of the 4-cube: the most that the rest of a path may share with it.
fn subcubes(spread: u32) -> Vec<u8> {
    let mut most = vec![0_u8; 1 << 16];
    for set in 1..1_u32 << 16 {
        // Largest with one vertex left out, or all of it.
        let mut best = (0..16).filter(|v| set >> v & 1 == 1).map(|v| most[(set ^ 1 << v) as usize]).max().unwrap_or(0);
        let size = set.count_ones() as u8;
        // Parts of sets that are too large are too large: every allowed set of n > 1 vertices holds one of n - 1.
        if best + 1 == size && is_shared(set, spread) {
            best = size;
        }
        most[set as usize] = best;
    }
    most
}

/// Whether the vertices of the 4-cube in `set` may be all that a path has there: pieces of paths, vertices that differ in
/// `h < spread` bits being `h` edges apart.
fn is_shared(set: u32, spread: u32) -> bool {
    let beside = |of: u32| {
        let mut sum = 0;
        for bit in 0..4 {
            let (shift, without) = (1 << bit, WITHOUT[bit] as u32 & 0xffff);
            sum |= (of & without) << shift | of >> shift & without;
        }
        sum & set
    };
    let members = || (0..16).filter(|v| set >> v & 1 == 1);
    let mut edges = 0;
    for vertex in members() {
        let degree = beside(1 << vertex).count_ones();
        if degree > 2 {
            return false;
        }
        edges += degree;
        let mut within = 1 << vertex;
        for far in 1..spread.min(5) {
            let sphere = members().filter(|other| (vertex ^ other as u32).count_ones() == far).fold(0, |s, v| s | 1 << v);
            within |= beside(within);
            if sphere & !within != 0 {
                return false;
            }
        }
    }
    // Degrees of at most 2 and fewer edges than vertices in each piece: count the pieces.
    let mut pieces = 0;
    let mut rest = set;
    while rest != 0 {
        let mut piece = rest & rest.wrapping_neg();
        loop {
            let grown = piece | beside(piece);
            if grown == piece {
                break;
            }
            piece = grown;
        }
        rest &= !piece;
        pieces += 1;
    }
    edges / 2 + pieces == set.count_ones()
}
