//! The budget planned for a whole run, which methods divide.

use super::budget::Budget;
use std::time::Duration;

/// The budget that a run is to have from its beginning to its end, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plan {
    pub(super) playouts: Option<u64>,
    pub(super) nodes: Option<u64>,
    pub(super) time: Option<Duration>,
}

impl Plan {
    pub(super) fn of(budget: &Budget) -> Self {
        let &Budget { playouts, nodes, time, .. } = budget;
        Self { playouts, nodes, time }
    }
}
