//! The instance as tables by type, and what names the moves of all parts of the search.

use super::bin::Shape;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Bits of a move that name the position; the type stands above them.
const PLACE_BITS: u32 = 52;

/// The container and the types of tubes, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Tubes {
    pub(crate) container: Shape,
    pub(crate) outer: Vec<f64>,
    pub(crate) inner: Vec<f64>,
    pub(crate) demand: Vec<u32>,
    pub(crate) value: Vec<f64>,
    /// Types by falling outer radius.
    pub(crate) by_size: Vec<u16>,
    /// Overlap that the search allows.
    pub(crate) slack: f64,
    /// Side of a grid's cell.
    pub(crate) cell: f64,
}

impl Tubes {
    /// Returns the number of types.
    pub(crate) fn len(&self) -> usize {
        self.outer.len()
    }

    /// Area of the disc of a type.
    pub(crate) fn disc(&self, kind: usize) -> f64 {
        PI * self.outer[kind] * self.outer[kind]
    }
}

/// A tube in its place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) kind: u16,
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// Returns the move of a type to a place.
pub(crate) fn encode(kind: u16, place: u64) -> u64 {
    u64::from(kind) << PLACE_BITS | place
}

/// Type and place of a move.
pub(crate) fn decode(mv: u64) -> (usize, u64) {
    ((mv >> PLACE_BITS) as usize, mv & ((1 << PLACE_BITS) - 1))
}
