//! Where a snake closes to a coil.
//!
//! A snake `v_0 .. v_L` whose head has `k` bits becomes a coil of length `N = L + k` with `k - 1` further vertices `c_1
//! .. c_{k-1}` that take one bit away each. `c_j` must differ from `v_m` in at least `min(k, L + j - m, k - j + m)`
//! bits: the balls blocked on the way say so for all `m` but the first and the last `k - 1`, which are looked at one by
//! one.

use super::model::{Rules, Snakes, Terms};
use super::path::{Track, holds, sphere};
use super::width::by_width;

impl<const W: usize> Rules<W> {
    /// Returns the first way back to the start that keeps the rule, `k - 1` vertices; `path` has a head of `k` bits,
    /// and the last vertex must be one of those of `gates`.
    pub(super) fn closing(&self, path: &Track<W>, gates: u16) -> Option<[u16; 6]> {
        let mut way = [0; 6];
        self.descend(path, gates, path.head, 1, &mut way).then_some(way)
    }

    /// Finds the vertices of the way from number `step` on, coming from the vertex `from`.
    fn descend(&self, path: &Track<W>, gates: u16, from: u16, step: u32, way: &mut [u16; 6]) -> bool {
        if step == self.spread {
            return true;
        }
        let mut bits = from;
        while bits != 0 {
            let next = from ^ bits & bits.wrapping_neg();
            bits &= bits - 1;
            // A vertex without a gate among its bits leads to no gate.
            if next & gates != 0 && self.fits(path, next, step) {
                way[step as usize - 1] = next;
                if self.descend(path, gates, next, step + 1, way) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether `vertex` may follow `step` edges after the head, and `k - step` edges before the start.
    fn fits(&self, path: &Track<W>, vertex: u16, step: u32) -> bool {
        let (length, k) = (u32::from(path.length), self.spread);
        let whole = length + k;
        let apart = |other: u16, edges: u32| (vertex ^ other).count_ones() >= k.min(edges).min(whole - edges);
        if holds(&path.blocked, vertex.into()) {
            return false;
        }
        let mut other = path.head;
        for flip in 0..k - 1 {
            if !apart((1 << flip) - 1, k - step + flip) || !apart(other, flip + step) {
                return false;
            }
            other ^= 1 << (path.history >> (4 * flip) & 15);
        }
        true
    }

    /// Whether a vertex of `k` bits, from which a cycle may close, is within reach.
    pub(super) fn may_close(&self, path: &Track<W>, reached: &[u64; W]) -> bool {
        // By bit: the vertices of a word that have it.
        const WITH: [u64; 6] = [
            0xaaaa_aaaa_aaaa_aaaa,
            0xcccc_cccc_cccc_cccc,
            0xf0f0_f0f0_f0f0_f0f0,
            0xff00_ff00_ff00_ff00,
            0xffff_0000_ffff_0000,
            0xffff_ffff_0000_0000,
        ];
        let (low, high) = (path.gates & 63, usize::from(path.gates >> 6));
        let mut within = 0;
        for (bit, with) in WITH.iter().enumerate() {
            within |= if low >> bit & 1 == 1 { *with } else { 0 };
        }
        for (word, here) in reached[..self.words].iter().enumerate() {
            let gates = if word & high != 0 { !0 } else { within };
            if here & sphere(0, self.spread, word) & gates != 0 {
                return true;
            }
        }
        false
    }
}

impl Snakes {
    /// Returns the longest cycle that a beginning of the path of `moves` closes to, or the trivial one.
    pub(super) fn cycle(&self, moves: &[u8]) -> Vec<u32> {
        let Terms { dimension, spread, .. } = self.terms;
        let mut state = self.start.clone();
        let mut last = None;
        for (at, &bit) in self.prefix.iter().chain(moves).enumerate() {
            by_width!(&self.rules, &mut state => rules, path; {
                let (gates, closed) = (path.gates, path.closed);
                rules.advance_any(path, bit.into());
                if path.closed > closed {
                    last = rules.closing(path, gates).map(|way| (at + 1, way));
                }
            });
        }
        let Some((edges, way)) = last else {
            return trivial(dimension);
        };
        let mut nodes = self.nodes(moves);
        nodes.truncate(edges + 1);
        nodes.extend(way.iter().take(spread as usize - 1).map(|&vertex| u32::from(vertex)));
        nodes
    }
}

/// Returns the cycle that flips all bits in turn, and again, up to the start.
pub(super) fn trivial(dimension: u32) -> Vec<u32> {
    let whole = (1 << dimension) - 1;
    let rise = (0..dimension).map(|bits| (1 << bits) - 1);
    rise.clone().chain(rise.map(|node| whole ^ node)).collect()
}
