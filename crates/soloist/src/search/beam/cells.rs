//! The open states of a beam with layers by bound, in cells of one layer and depth.

use super::pass::Ranked;
use crate::Sense;
use crate::core::score::rank;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Bytes of a cell beside its open states, its part of the map and of the allocator included.
const CELL: usize = 96;

/// A layer, better bounds first, and a depth.
pub(super) type CellKey = (u64, u32);

/// An open state.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Open {
    pub(super) merit: Ranked,
    /// Its number among the children of the pass.
    pub(super) born: u64,
    /// Its node.
    pub(super) node: u32,
    /// Its entry in the merger.
    pub(super) entry: u32,
    /// Logarithm of the chance of the moves so far.
    pub(super) chance: f64,
}

/// Open states of one layer and depth.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Cell {
    pub(super) open: Vec<Open>,
    /// States below this rank do not survive.
    pub(super) cut: u64,
    /// No bound of its states is better.
    pub(super) best: f64,
}

/// Which bounds share a layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layering {
    sense: Sense,
    /// Where the first layer begins.
    base: f64,
    /// The range of bounds in a layer; 0: equal bounds.
    span: f64,
}

impl Layering {
    /// Returns layers of the width `span`; the first begins with the bound `root`.
    pub(super) fn new(sense: Sense, root: f64, span: f64) -> Self {
        Self { sense, base: if root.is_finite() { root } else { 0.0 }, span }
    }

    /// Returns the layer of a bound. That of a worse bound is the same or a later one.
    pub(super) fn layer(&self, bound: f64) -> u64 {
        if self.span == 0.0 {
            return !rank(self.sense, bound);
        }
        let distance = if self.sense == Sense::Maximize { self.base - bound } else { bound - self.base };
        rank(Sense::Maximize, (distance / self.span).floor())
    }
}

/// The cells with open states, in the order in which they are expanded.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Cells(pub(super) BTreeMap<CellKey, Cell>);

impl Cells {
    /// Bytes for each open state.
    pub(super) const BYTES: usize = 2 * size_of::<Open>() + CELL;

    /// Adds an open state to a cell. Returns how many that has now.
    pub(super) fn push(&mut self, place: CellKey, open: Open, bound: f64, sense: Sense) -> usize {
        // Where all bounds differ most cells hold one state.
        let cell = || Cell { open: Vec::with_capacity(1), cut: 0, best: bound };
        let cell = self.0.entry(place).or_insert_with(cell);
        cell.best = sense.best_value(cell.best, bound);
        cell.open.push(open);
        cell.open.len()
    }

    /// Returns the rank below which a state does not survive in a cell.
    pub(super) fn cut(&self, place: CellKey) -> u64 {
        self.0.get(&place).map_or(0, |cell| cell.cut)
    }

    /// Returns a bound that no open state beats.
    pub(super) fn best(&self, sense: Sense) -> Option<f64> {
        let (&(layer, _), _) = self.0.first_key_value()?;
        let first = self.0.range((layer, 0)..=(layer, u32::MAX));
        first.map(|(_, cell)| cell.best).reduce(|a, b| sense.best_value(a, b))
    }

    /// How many states are open.
    pub(super) fn len(&self) -> usize {
        self.0.values().map(|cell| cell.open.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::Layering;
    use crate::Sense;

    #[test]
    fn worse_bounds_have_later_layers() {
        for (sense, root) in [(Sense::Minimize, 10.0), (Sense::Minimize, f64::NEG_INFINITY), (Sense::Maximize, 90.0)] {
            let mut bounds = [f64::NEG_INFINITY, -3.0, 10.0, 10.25, 12.0, 12.5, 90.0, f64::INFINITY];
            if sense == Sense::Maximize {
                bounds.reverse();
            }
            for span in [0.0, 1e-9, 2.0, 1e12] {
                let layering = Layering::new(sense, root, span);
                let layers = bounds.map(|bound| layering.layer(bound));
                assert!(layers.is_sorted(), "{sense:?} {root} {span}: {layers:?}");
                assert_eq!(span < 1e-6, layers.windows(2).all(|pair| pair[0] < pair[1]), "{span}");
            }
        }
        let layering = Layering::new(Sense::Minimize, 10.0, 2.0);
        assert_eq!([10.0, 11.9].map(|bound| layering.layer(bound)), [layering.layer(11.0); 2]);
        assert!(layering.layer(11.9) < layering.layer(12.0));
    }
}
