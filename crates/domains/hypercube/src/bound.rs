//! What may follow the head of a path, and how many vertices of that a path can use.
//!
//! # What may follow
//! For `j < k`, the `j`-th vertex after the head is beside one that may be the `j - 1`-th, and outside of the balls of
//! radius `k - 1` around all vertices that are then `k` or more edges behind; later vertices lie outside of such balls
//! around all vertices of the path, and are connected to the others by a path of such vertices.
//!
//! # How many
//! `m`, the number of vertices after the head, is less than `k`, or `k - 1` plus the number `n` of those in `F`, where
//! `F` is a connected piece of the vertices that may come `k`-th or later; the best piece counts. Each bound of `n` is
//! proven below from the rule alone; no table of known lengths is used.
//!
//! - **Parity.** The path alternates between vertices of even and odd weight, so that `n` is at most twice the number
//!   of those of the next parity in `F`, and at most twice the number of the others plus one.
//! - **Subcubes.** The path meets a subcube of dimension 4 in a set `X` of vertices. Two of them that differ in `h < k`
//!   bits are `h` edges apart on the path, which between them is a shortest way and so stays in the subcube. So `X`
//!   consists of paths in which the rule holds, pieces being at least `k` apart. The largest such `X` inside the 16
//!   bits of `F` that a subcube has stands in a table; the cube is cut into subcubes of dimension 4 in two ways.
//! - **Volume, `k = 2 t + 1`.** Balls of radius `t` around vertices at least `k` edges apart are disjoint, and the `k`
//!   last flips of a path differ. So every vertex adds the same number `a_t` of new vertices to the union of the balls
//!   around all before it: those of its ball that are in no ball around the `2 t` vertices before. All of them are
//!   within `t` of `F`: `n a_t` is at most the number of such vertices.
//! - **Volume, `k = 2 t`.** Balls of radius `t - 1` are disjoint as before. A vertex at distance exactly `t` of several
//!   vertices at least `k` edges apart differs from each in other bits, hence there are at most `q = d / t` of them. So
//!   `n (a_{t-1} + (a_t - a_{t-1}) / q)` is at most the number of vertices within `t` of `F`.
//!
//! **The whole cube, `k = 2 t + 1`.** Let `a_i` be the number of vertices of a ball of radius `t` that are in none of
//! the balls around the `i` vertices before its centre, and `a = a_(2t)`.
//! - A snake of `m > 2 t` vertices has `a_0 + .. + a_(2t-1) + (m - 2 t) a` vertices within `t`, at most `2^d`.
//! - A coil of `N > 6 t` vertices has `N a <= 2^d`: the vertices of the coil within `t` of some vertex of the cube are
//!   at most `2 t` edges apart. They lie on one arc, because three of them cannot lie around the whole coil, and one of
//!   them is the first there. So each vertex of the cube is counted for at most one vertex of the coil, in whose ball
//!   it is and in none of the `2 t` balls before. For `k = 3` that is `N <= 2^d / (d - 2)`: 10, 16, 24 in dimensions 5
//!   to 7, which are the longest, and 128 in dimension 10.
//!
//! A coil closes after a vertex with `k` bits, one of them a gate: a piece without such a vertex is of no use, and when
//! there is no other, the longest cycle has been found. Otherwise its length is at most that of the path, plus `m`,
//! plus `k`, rounded down to an even number.

use super::Kind;
use super::limits::subcubes;
use super::model::Rules;
use super::path::{Track, across, add_ball, flood, recent, size, steps};

/// Vertices of a word with an even number of bits.
const EVEN: u64 = 0x9669_6996_6996_9669;

/// What may follow the head of a path, up to the `k`-th vertex.
#[derive(Debug)]
struct Layers<const W: usize> {
    /// The vertices that may be among the next `k - 1`.
    near: [u64; W],
    /// The number of the next `k - 1` steps for which there is a vertex.
    steps: u32,
    /// Those that may be the `k`-th.
    door: [u64; W],
    /// Those that are far enough from the whole path to come `k`-th or later.
    free: [u64; W],
}

impl<const W: usize> Rules<W> {
    /// The words that loops go over: a fixed number where there are few.
    #[inline(always)]
    pub(super) fn span(&self) -> usize {
        if W <= 16 { W } else { self.words }
    }

    /// Returns the vertices that are not blocked.
    #[inline(always)]
    pub(super) fn free(&self, path: &Track<W>) -> [u64; W] {
        let first = self.first(path);
        let mut free = [0; W];
        for word in 0..self.span() {
            free[word] = self.inside[word] & !(path.blocked[word] | first[word]);
        }
        free
    }

    /// Returns the vertices that the head reaches over vertices that are not blocked, beginning with a flip of `legal`.
    pub(super) fn reach(&self, path: &Track<W>, legal: u32) -> [u64; W] {
        let mut reached = steps(path.head, legal);
        flood(&mut reached, &self.free(path), self.span());
        reached
    }

    /// What may follow the head, the next flip being one of `legal`, up to the `k`-th vertex.
    fn layers(&self, path: &Track<W>, legal: u32) -> Layers<W> {
        let mut layers = Layers { near: [0; W], steps: 0, door: steps(path.head, legal), free: self.free(path) };
        let recent = recent(path.head, path.history);
        while layers.steps + 1 < self.spread && layers.door != [0; W] {
            for word in 0..self.span() {
                layers.near[word] |= layers.door[word];
            }
            layers.steps += 1;
            // The vertex that the next step has `k` edges behind.
            let back = self.spread - 1 - layers.steps;
            if back <= u32::from(path.length) {
                let mut ball = [0; W];
                add_ball(&mut ball, recent[back as usize & 7].into(), &self.near);
                for (free, ball) in layers.free[..self.span()].iter_mut().zip(&ball) {
                    *free &= !ball;
                }
            }
            layers.door = self.beside(&layers.door, &layers.free);
        }
        layers
    }

    /// Returns all vertices that may follow the head, the next flip being one of `legal`.
    pub(super) fn ahead(&self, path: &Track<W>, legal: u32) -> [u64; W] {
        let Layers { near, mut door, free, .. } = self.layers(path, legal);
        flood(&mut door, &free, self.span());
        for word in 0..self.span() {
            door[word] |= near[word];
        }
        door
    }

    /// The vertices of `within` beside one of `set`.
    fn beside(&self, set: &[u64; W], within: &[u64; W]) -> [u64; W] {
        let mut sum = [0; W];
        let span = self.span();
        for word in 0..span {
            let here = set[word];
            if here == 0 {
                continue;
            }
            for bit in 0..6 {
                sum[word] |= across(here, bit);
            }
            let mut step = 1;
            while step < span {
                sum[(word ^ step) & (W - 1)] |= here;
                step *= 2;
            }
        }
        for word in 0..span {
            sum[word] &= within[word];
        }
        sum
    }

    /// Returns an upper bound of the length of every solution that begins with `path`.
    #[inline(never)]
    pub(super) fn most(&self, path: &Track<W>) -> u32 {
        let left = self.vertices_left(path).map(|left| u32::from(path.length) + left);
        match self.kind {
            Kind::Snake => left.unwrap_or(path.length.into()).min(self.limits.snake),
            Kind::Coil => {
                let longest = left.map_or(0, |length| (length + self.spread) & !1).min(self.limits.coil);
                longest.max(path.closed.into())
            }
        }
    }

    /// An upper bound of the number of vertices after the head; `None`: no vertex that matters can follow.
    fn vertices_left(&self, path: &Track<W>) -> Option<u32> {
        let Layers { near, steps, mut door, free } = self.layers(path, self.legal_any(path));
        let ends = |set: &[u64; W]| self.kind == Kind::Snake || self.may_close(path, set);
        let mut most = ends(&near).then_some(steps);
        // A path enters one piece of what is free and stays in it.
        while let Some(word) = door[..self.span()].iter().position(|&word| word != 0) {
            let mut piece = [0; W];
            piece[word] = door[word] & door[word].wrapping_neg();
            flood(&mut piece, &free, self.span());
            for word in 0..self.span() {
                door[word] &= !piece[word];
            }
            if ends(&piece) {
                // Each edge changes the parity.
                let is_even = (u32::from(path.length) + steps) % 2 == 1;
                most = most.max(Some(steps + self.within(&piece, is_even)));
            }
        }
        most
    }

    /// An upper bound of the vertices in `piece` of a path that begins with an even vertex, or with an odd one.
    fn within(&self, piece: &[u64; W], is_even: bool) -> u32 {
        let mut even = 0;
        for (word, here) in piece[..self.span()].iter().enumerate() {
            let mask = if word.count_ones() % 2 == 0 { EVEN } else { !EVEN };
            even += (here & mask).count_ones();
        }
        let odd = size(piece) - even;
        let (next, other) = if is_even { (even, odd) } else { (odd, even) };
        let mut most = (2 * next).min(2 * other + 1);
        if self.spread > 1 {
            most = most.min(self.in_subcubes(piece));
        }
        // For so few there is always room.
        if self.limits.by > 0 && most > 3 {
            most = most.min(self.by_volume(piece));
        }
        most
    }

    /// The bound by subcubes of dimension 4.
    fn in_subcubes(&self, piece: &[u64; W]) -> u32 {
        let table = &self.limits.subcubes.get_or_init(|| subcubes(self.spread))[..1 << 16];
        let (mut inner, mut outer) = (0, 0);
        for &word in &piece[..self.span()] {
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
    fn by_volume(&self, piece: &[u64; W]) -> u32 {
        let limits = &self.limits;
        let mut around = *piece;
        for _ in 0..limits.radius {
            around = self.widen(&around);
        }
        size(&around) * limits.times / limits.by
    }

    /// A set with all neighbours of its vertices: as `beside`, for sets that fill most words.
    fn widen(&self, set: &[u64; W]) -> [u64; W] {
        let mut wide = [0; W];
        let (set, sum) = (&set[..self.span()], &mut wide[..self.span()]);
        for (sum, &from) in sum.iter_mut().zip(set) {
            *sum = (0..6).fold(from, |sum, bit| sum | across(from, bit));
        }
        let mut step = 1;
        while step < set.len() {
            for (sum, from) in sum.chunks_exact_mut(2 * step).zip(set.chunks_exact(2 * step)) {
                let ((low, high), (from_low, from_high)) = (sum.split_at_mut(step), from.split_at(step));
                for (sum, from) in low.iter_mut().zip(from_high) {
                    *sum |= from;
                }
                for (sum, from) in high.iter_mut().zip(from_low) {
                    *sum |= from;
                }
            }
            step *= 2;
        }
        for (sum, inside) in sum.iter_mut().zip(&self.inside) {
            *sum &= inside;
        }
        wide
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
