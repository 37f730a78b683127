//! The tubes of one container or hull in place, and the step that improves them: some are taken out, the hole is filled
//! in another way.

use super::bin::{Bin, Shape};
use super::instance::{Piece, Tubes};
use super::overlap::OverlapSolver;
use soloist::Rng;
use soloist::problem::Acceptance;

/// What a board is filled with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stock<'a> {
    pub(crate) kit: &'a Tubes,
    /// Pieces of each type at most.
    pub(crate) offer: &'a [u32],
    /// What a piece is roughly worth.
    pub(crate) worth: &'a [f64],
}

/// Tubes that lie in one area without overlapping, wherever they lie.
#[derive(Debug)]
pub(crate) struct Board {
    shape: Shape,
    pub(crate) pieces: Vec<Piece>,
    /// Pieces by type.
    pub(crate) counts: Vec<u32>,
    /// What `value` of [`step`](Self::step) says about `counts`.
    pub(crate) value: f64,
    /// The hole and what lies around it.
    bin: Bin,
    removed: Vec<Piece>,
    /// Types that fit into the area, the smallest first.
    kinds: Vec<u16>,
    /// The same by the key of the current filling.
    order: Vec<(f64, u16)>,
}

impl Board {
    /// Returns an empty area.
    pub(crate) fn new(kit: &Tubes, shape: Shape) -> Self {
        let fits = |&kind: &u16| shape.admits(kit.outer[kind as usize], kit.slack);
        let kinds = kit.by_size.iter().rev().copied().filter(fits).collect();
        Self {
            shape,
            pieces: Vec::new(),
            counts: vec![0; kit.len()],
            value: 0.0,
            bin: Bin::new(shape, kit.len(), kit.cell, kit.slack),
            removed: Vec::new(),
            kinds,
            order: Vec::new(),
        }
    }

    /// Replaces all pieces.
    pub(crate) fn set(&mut self, pieces: &[Piece], value: &mut dyn FnMut(&[u32]) -> f64) {
        self.pieces.clear();
        self.pieces.extend_from_slice(pieces);
        self.counts.fill(0);
        for piece in pieces {
            self.counts[piece.kind as usize] += 1;
        }
        self.value = value(&self.counts);
    }

    /// Fills the area from the beginning.
    pub(crate) fn restart(&mut self, stock: Stock<'_>, value: &mut dyn FnMut(&[u32]) -> f64, rng: &mut Rng) {
        self.pieces.clear();
        self.counts.fill(0);
        self.bin.reset(self.shape);
        self.fill(stock, f64::INFINITY, rng);
        self.value = value(&self.counts);
    }

    /// Takes some neighbouring pieces out and fills the hole; keeps the result if it is better, or by Metropolis' rule.
    ///
    /// `value` says what the pieces together are worth.
    pub(crate) fn step(
        &mut self,
        stock: Stock<'_>,
        value: &mut dyn FnMut(&[u32]) -> f64,
        temperature: f64,
        rng: &mut Rng,
    ) {
        let kit = stock.kit;
        if self.pieces.is_empty() {
            return self.restart(stock, value, rng);
        }
        let [x, y, reach] = self.take_out(kit, rng);
        let kept = self.pieces.len();
        self.bin.reset(self.shape);
        self.bin.set_window(x, y, reach);
        let widest = self.kinds.iter().map(|&kind| kit.outer[kind as usize]).fold(0.0, f64::max);
        for piece in &self.pieces {
            let (dx, dy, r) = (piece.x - x, piece.y - y, kit.outer[piece.kind as usize]);
            let near = reach + r + widest;
            if dx * dx + dy * dy < near * near {
                self.bin.add(piece.kind, piece.x, piece.y, r);
            }
        }
        // Large types are rarely tried where much less was taken out.
        let room: f64 = self.removed.iter().map(|piece| kit.outer[piece.kind as usize].powi(2)).sum();
        let room = if rng.chance(0.05) { f64::INFINITY } else { 2.0 * room };
        self.fill(stock, room, rng);
        let new = value(&self.counts);
        let accepted = Acceptance::new(rng, temperature).accepts(self.value - new);
        if accepted {
            self.value = new;
            return;
        }
        for piece in self.pieces.drain(kept..) {
            self.counts[piece.kind as usize] -= 1;
        }
        for &piece in &self.removed {
            self.counts[piece.kind as usize] += 1;
            self.pieces.push(piece);
        }
    }

    /// Adds a piece, changes the type of one, or exchanges two, and moves all pieces until they have room again; then
    /// fills what has become free. Keeps the result if it is better, or by Metropolis' rule.
    ///
    /// `value` as for [`step`](Self::step).
    pub(crate) fn squeeze(
        &mut self,
        stock: Stock<'_>,
        value: &mut dyn FnMut(&[u32]) -> f64,
        temperature: f64,
        solver: &mut OverlapSolver,
        rng: &mut Rng,
    ) {
        let Stock { kit, offer, .. } = stock;
        if self.pieces.len() < 2 || self.kinds.is_empty() {
            return;
        }
        self.removed.clear();
        self.removed.extend_from_slice(&self.pieces);
        let draw = rng.unit();
        if draw < 0.3 {
            // Small tubes are more likely to find room.
            let mut rank = 0;
            while rank + 1 < self.kinds.len() && rng.chance(0.4) {
                rank += 1;
            }
            let kind = self.kinds[rank];
            if self.counts[kind as usize] >= offer[kind as usize] {
                return;
            }
            let [x, y] = self.hole(kit, rng);
            self.counts[kind as usize] += 1;
            self.pieces.push(Piece { kind, x, y });
        } else if draw < 0.7 {
            let at = rng.index(self.pieces.len());
            let old = self.pieces[at].kind;
            let rank = self.kinds.iter().position(|&kind| kind == old).unwrap_or(0);
            // A type of similar size.
            let by = 1 + usize::from(rng.chance(0.25));
            let rank = if rng.chance(0.5) { rank + by } else { rank.saturating_sub(by) };
            let new = self.kinds[rank.min(self.kinds.len() - 1)];
            if old == new || self.counts[new as usize] >= offer[new as usize] {
                return;
            }
            self.pieces[at].kind = new;
            self.counts[old as usize] -= 1;
            self.counts[new as usize] += 1;
        } else {
            let (a, b) = (rng.index(self.pieces.len()), rng.index(self.pieces.len()));
            if self.pieces[a].kind == self.pieces[b].kind {
                return;
            }
            let kind = self.pieces[a].kind;
            self.pieces[a].kind = self.pieces[b].kind;
            self.pieces[b].kind = kind;
        }
        let mut accepted = solver.run(kit, self.shape, &mut self.pieces, 0);
        if accepted {
            self.bin.reset(self.shape);
            for piece in &self.pieces {
                self.bin.add(piece.kind, piece.x, piece.y, kit.outer[piece.kind as usize]);
            }
            self.fill(stock, f64::INFINITY, rng);
            let new = value(&self.counts);
            accepted = Acceptance::new(rng, temperature).accepts(self.value - new);
            if accepted {
                self.value = new;
            }
        }
        if !accepted {
            self.pieces.clone_from(&self.removed);
            self.counts.fill(0);
            for piece in &self.pieces {
                self.counts[piece.kind as usize] += 1;
            }
        }
    }

    /// Of some random points the one that is farthest from everything.
    fn hole(&self, kit: &Tubes, rng: &mut Rng) -> [f64; 2] {
        let ([left, bottom], [width, height]) = self.shape.frame();
        let mut best = (f64::NEG_INFINITY, [0.0; 2]);
        for _ in 0..8 {
            let [x, y] = [left + rng.unit() * width, bottom + rng.unit() * height];
            let mut room = match self.shape {
                Shape::Rect { .. } => (x - left).min(y - bottom).min(left + width - x).min(bottom + height - y),
                Shape::Disc { radius } => radius - (x * x + y * y).sqrt(),
            };
            for piece in &self.pieces {
                let (dx, dy) = (piece.x - x, piece.y - y);
                room = room.min((dx * dx + dy * dy).sqrt() - kit.outer[piece.kind as usize]);
            }
            if room > best.0 {
                best = (room, [x, y]);
            }
        }
        best.1
    }

    /// Moves some pieces around a point to `removed`; the point, and how far from it there may be room now.
    fn take_out(&mut self, kit: &Tubes, rng: &mut Rng) -> [f64; 3] {
        self.removed.clear();
        let ([left, bottom], [width, height]) = self.shape.frame();
        let [x, y] = if rng.chance(0.5) {
            [left + rng.unit() * width, bottom + rng.unit() * height]
        } else {
            let piece = self.pieces[rng.index(self.pieces.len())];
            [piece.x, piece.y]
        };
        // 1, 2, 3 ... pieces with chances 1/4, 3/16 ...
        let mut count = 1;
        while count < 12 && rng.chance(0.75) {
            count += 1;
        }
        let mut reach = 0.0_f64;
        for _ in 0..count.min(self.pieces.len()) {
            // The distance to the rim of a piece, so that large ones are not left out.
            let gap = |piece: &Piece| {
                let (dx, dy) = (piece.x - x, piece.y - y);
                (dx * dx + dy * dy).sqrt() - kit.outer[piece.kind as usize]
            };
            let mut least = (f64::INFINITY, 0);
            for (at, piece) in self.pieces.iter().enumerate() {
                let gap = gap(piece);
                if gap < least.0 {
                    least = (gap, at);
                }
            }
            let piece = self.pieces.swap_remove(least.1);
            reach = reach.max(least.0 + 2.0 * kit.outer[piece.kind as usize]);
            self.counts[piece.kind as usize] -= 1;
            self.removed.push(piece);
        }
        [x, y, reach]
    }

    /// Adds pieces where `bin` has room, type after type, until nothing fits. Types whose squared radius exceeds
    /// `room`, generously what was taken out, are not tried.
    fn fill(&mut self, stock: Stock<'_>, room: f64, rng: &mut Rng) {
        let Stock { kit, offer, worth } = stock;
        let spread = [0.1, 0.5, 2.0][rng.index(3)];
        let by_size = rng.chance(0.2);
        self.order.clear();
        for &kind in &self.kinds {
            let r = kit.outer[kind as usize];
            let merit = if by_size { r } else { worth[kind as usize] / (r * r) };
            self.order.push((merit * (1.0 + spread * rng.unit()), kind));
        }
        soloist::order::sort_by(&mut self.order, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // Positions are chosen at random, by a direction, or by one that is chosen for each tube.
        let rule = rng.index(3);
        let direction = |rng: &mut Rng| [2.0 * rng.unit() - 1.0, 2.0 * rng.unit() - 1.0];
        let fixed = direction(rng);
        for pass in 0..2 {
            for at in 0..self.order.len() {
                let kind = self.order[at].1 as usize;
                if kit.outer[kind] * kit.outer[kind] > room {
                    continue;
                }
                while self.counts[kind] < offer[kind] {
                    // The first pass may leave room for types that come later.
                    if pass == 0 && spread > 1.0 && rng.chance(0.1) {
                        break;
                    }
                    let r = kit.outer[kind];
                    let list = self.bin.candidates(kind, r);
                    if list.is_empty() {
                        break;
                    }
                    let spot = if rule == 0 {
                        list[rng.index(list.len())]
                    } else {
                        let [a, b] = if rule == 1 { fixed } else { direction(rng) };
                        let mut best = (f64::INFINITY, list[0]);
                        for &spot in list {
                            let height = a * spot.x + b * spot.y;
                            if height < best.0 {
                                best = (height, spot);
                            }
                        }
                        best.1
                    };
                    self.bin.add(kind as u16, spot.x, spot.y, r);
                    self.pieces.push(Piece { kind: kind as u16, x: spot.x, y: spot.y });
                    self.counts[kind] += 1;
                }
            }
        }
    }
}
