//! A packing as a sequence of candidate positions.
//!
//! Pieces that lie anywhere without overlapping become tubes that each touch two things placed before, the only places that moves can
//! name. Most pieces of a good packing do so already once they are put into a suitable order; the others move to the nearest
//! candidate position, if possible without overlapping a piece that is still to come.

use super::bin::{Bin, Candidate, Shape, nearest};
use super::board::Piece;
use super::problem::Kit;

/// Brings pieces into an order and to positions that the moves know, one tube at a time.
#[derive(Debug, Default)]
pub(crate) struct Express {
    targets: Vec<Piece>,
}

impl Express {
    /// Starts with `pieces` in an empty area, mirrored or turned so that the first one can be placed where every game begins.
    pub(crate) fn start(&mut self, kit: &Kit, shape: Shape, pieces: &[Piece]) {
        self.targets.clear();
        self.targets.extend_from_slice(pieces);
        let radius = |piece: &Piece| kit.outer[piece.kind as usize];
        match shape {
            Shape::Rect { width, height } => {
                // The corner with a piece nearest to it becomes the one at the bottom left.
                let mut best = (f64::INFINITY, false, false);
                for piece in pieces {
                    let r = radius(piece);
                    for (right, top) in [(false, false), (true, false), (false, true), (true, true)] {
                        let dx = if right { width - piece.x } else { piece.x } - r;
                        let dy = if top { height - piece.y } else { piece.y } - r;
                        if dx * dx + dy * dy < best.0 {
                            best = (dx * dx + dy * dy, right, top);
                        }
                    }
                }
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
                let mut best = (f64::INFINITY, 0.0, -1.0);
                for piece in pieces {
                    let far = (piece.x * piece.x + piece.y * piece.y).sqrt();
                    let gap = hull - far - radius(piece);
                    if far > 0.0 && gap < best.0 {
                        best = (gap, piece.x / far, piece.y / far);
                    }
                }
                let (_, x, y) = best;
                for piece in &mut self.targets {
                    (piece.x, piece.y) = (piece.y * x - piece.x * y, -(piece.x * x + piece.y * y));
                }
            }
        }
    }

    /// The pieces that are still to be placed.
    pub(crate) fn rest(&self) -> &[Piece] {
        &self.targets
    }

    /// Takes the next piece out whose type is available and gives it its position among the candidates of `bin`; pieces without one are
    /// dropped. `None`: none is left.
    pub(crate) fn next(
        &mut self,
        kit: &Kit,
        bin: &mut Bin,
        available: impl Fn(u16) -> bool,
    ) -> Option<(u16, Candidate)> {
        self.targets.retain(|piece| available(piece.kind));
        let exact = kit.slack * 1e3;
        let first = bin.len() == 0;
        // By distance; a candidate in the way of another piece only if there is no other.
        let mut best: Option<(bool, f64, usize, Candidate)> = None;
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
            if best.is_none_or(|(blocks, least, ..)| blocks || square < least) {
                let r = kit.outer[kind as usize];
                let blocks = self.targets.iter().enumerate().any(|(other, piece)| {
                    let (dx, dy) = (piece.x - spot.x, piece.y - spot.y);
                    let sum = r + kit.outer[piece.kind as usize] - exact;
                    other != at && dx * dx + dy * dy < sum * sum
                });
                if best.is_none_or(|(other, least, ..)| (blocks, square) < (other, least)) {
                    best = Some((blocks, square, at, spot));
                }
            }
            at += 1;
        }
        best.map(|(_, _, at, spot)| (self.targets.swap_remove(at).kind, spot))
    }
}
