//! A packing as a sequence of candidate positions.
//!
//! Pieces that lie anywhere without overlapping become tubes that each touch two things placed before, the only places
//! that moves can name. Most pieces of a good packing do so already once they are put into a suitable order; the others
//! move to the nearest candidate position, if possible without overlapping a piece that is still to come, else such
//! that those to come can make room.

use super::bin::{Bin, Candidate, Shape, nearest};
use super::instance::{Piece, Tubes};
use super::overlap::OverlapSolver;

/// Brings pieces into an order and to positions that the moves know, one tube at a time.
#[derive(Debug, Default)]
pub(crate) struct MoveEncoder {
    targets: Vec<Piece>,
    solver: OverlapSolver,
    /// Positions that pieces could take: whether that blocks another piece, square of the distance, piece.
    options: Vec<(bool, f64, usize, Candidate)>,
    /// All pieces, those placed first.
    pieces: Vec<Piece>,
}

/// Times that all pieces slide.
const PASSES: usize = 60;
/// Positions that are tried for a piece that floats.
const TRIES: usize = 12;

impl MoveEncoder {
    /// Starts with `pieces` in an empty area, mirrored or turned so that the first one can be placed where every game
    /// begins: of the places where that could be (corners of a container, tubes of a hull), the one of this rank, best
    /// first, and the last one if there are fewer.
    pub(crate) fn start(&mut self, kit: &Tubes, shape: Shape, pieces: &[Piece], rank: usize) {
        self.targets.clear();
        self.targets.extend_from_slice(pieces);
        let radius = |piece: &Piece| kit.outer[piece.kind as usize];
        match shape {
            Shape::Rect { width, height } => {
                // The corners, those with a piece nearest to them first.
                let mut corners = [(false, false), (true, false), (false, true), (true, true)].map(|(right, top)| {
                    let gap = |piece: &Piece| {
                        let r = radius(piece);
                        let dx = if right { width - piece.x } else { piece.x } - r;
                        let dy = if top { height - piece.y } else { piece.y } - r;
                        dx * dx + dy * dy
                    };
                    (pieces.iter().map(gap).fold(f64::INFINITY, f64::min), right, top)
                });
                soloist::order::sort_by(&mut corners, |a, b| a.0.total_cmp(&b.0));
                let best = corners[rank.min(3)];
                for piece in &mut self.targets {
                    if best.1 {
                        piece.x = width - piece.x;
                    }
                    if best.2 {
                        piece.y = height - piece.y;
                    }
                }
            }
            Shape::Disc { radius: hull } => {
                // The piece nearest to the wall comes to the bottom.
                let mut walls: Vec<(f64, f64, f64)> = Vec::new();
                for piece in pieces {
                    let far = (piece.x * piece.x + piece.y * piece.y).sqrt();
                    if far > 0.0 {
                        walls.push((hull - far - radius(piece), piece.x / far, piece.y / far));
                    }
                }
                soloist::order::sort_by(&mut walls, |a, b| a.0.total_cmp(&b.0));
                let best = walls.get(rank).or(walls.last()).copied().unwrap_or((0.0, 0.0, -1.0));
                let (_, x, y) = best;
                for piece in &mut self.targets {
                    (piece.x, piece.y) = (piece.y * x - piece.x * y, -(piece.x * x + piece.y * y));
                }
            }
        }
    }

    /// Lets the pieces slide towards the corner where the first one goes, one after the other and again until none
    /// moves: each then touches two things that are lower, most of the time.
    pub(crate) fn settle(&mut self, kit: &Tubes, bin: &mut Bin) {
        let shape = bin.shape;
        let slope = if matches!(shape, Shape::Rect { .. }) { 0.5 } else { 0.0 };
        for _ in 0..PASSES {
            let mut moved = false;
            soloist::order::sort_by(&mut self.targets, |a, b| (a.y + slope * a.x).total_cmp(&(b.y + slope * b.x)));
            for at in 0..self.targets.len() {
                let Piece { kind, x, y } = self.targets[at];
                let r = kit.outer[kind as usize];
                bin.reset(shape);
                bin.set_window(x, y, r);
                for (other, piece) in self.targets.iter().enumerate() {
                    let radius = kit.outer[piece.kind as usize];
                    let (dx, dy, near) = (piece.x - x, piece.y - y, 2.0 * r + radius);
                    if other != at && dx * dx + dy * dy < near * near {
                        bin.add(piece.kind, piece.x, piece.y, radius);
                    }
                }
                let mut best = (y + slope * x - kit.slack, None);
                for spot in bin.candidates(kind as usize, r) {
                    let height = spot.y + slope * spot.x;
                    if height < best.0 {
                        best = (height, Some((spot.x, spot.y)));
                    }
                }
                if let Some((x, y)) = best.1 {
                    (self.targets[at].x, self.targets[at].y) = (x, y);
                    moved = true;
                }
            }
            if !moved {
                break;
            }
        }
        bin.reset(shape);
    }

    /// Returns the pieces that are still to be placed.
    pub(crate) fn rest(&self) -> &[Piece] {
        &self.targets
    }

    /// Takes the next piece out whose type is available and gives it its position among the candidates of `bin`; pieces
    /// without one are dropped. `None`: no piece is left.
    pub(crate) fn next(
        &mut self,
        kit: &Tubes,
        bin: &mut Bin,
        available: impl Fn(u16) -> bool,
    ) -> Option<(u16, Candidate)> {
        self.targets.retain(|piece| available(piece.kind));
        let exact = kit.slack * 0.3;
        let first = bin.len() == 0;
        self.options.clear();
        let mut at = 0;
        while at < self.targets.len() {
            let Piece { kind, x, y } = self.targets[at];
            let list = bin.candidates(kind as usize, kit.outer[kind as usize]);
            let list = if first { &list[..list.len().min(1)] } else { list };
            let Some((spot, square)) = nearest(list, x, y) else {
                // What has no position now will never have one.
                self.targets.swap_remove(at);
                continue;
            };
            if square <= exact * exact {
                self.targets.swap_remove(at);
                return Some((kind, spot));
            }
            let r = kit.outer[kind as usize];
            for &spot in list {
                let (dx, dy) = (spot.x - x, spot.y - y);
                let distance = dx * dx + dy * dy;
                // Far away only what is nearest.
                if distance > square && distance > r * r {
                    continue;
                }
                let blocks = self.targets.iter().enumerate().any(|(other, piece)| {
                    let (dx, dy) = (piece.x - spot.x, piece.y - spot.y);
                    let sum = r + kit.outer[piece.kind as usize] - exact;
                    other != at && dx * dx + dy * dy < sum * sum
                });
                self.options.push((blocks, distance, at, spot));
            }
            at += 1;
        }
        // Those that block no other tube first, then by distance.
        soloist::order::sort_by(&mut self.options, |a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        let chosen = self.options.first().copied()?;
        for &option in self.options.iter().take(TRIES) {
            let (blocks, _, at, spot) = option;
            if !blocks {
                break;
            }
            // The others are asked to make room.
            self.pieces.clear();
            self.pieces.extend((0..bin.len()).map(|disc| Piece {
                kind: bin.types[disc],
                x: bin.xs[disc],
                y: bin.ys[disc],
            }));
            self.pieces.push(Piece { kind: self.targets[at].kind, x: spot.x, y: spot.y });
            let fixed = self.pieces.len();
            self.pieces
                .extend(self.targets.iter().enumerate().filter(|&(other, _)| other != at).map(|(_, &piece)| piece));
            if self.solver.run(kit, bin.shape, &mut self.pieces, fixed) {
                let kind = self.targets[at].kind;
                self.targets.clear();
                self.targets.extend_from_slice(&self.pieces[fixed..]);
                return Some((kind, spot));
            }
        }
        Some((self.targets.swap_remove(chosen.2).kind, chosen.3))
    }
}
