//! How far a stream has come in its plan.

use super::solution::Counters;

/// The part of its plan that a stream has used.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BudgetShare {
    /// The stream's share of the counts planned.
    pub(crate) playouts: Option<u64>,
    pub(crate) nodes: Option<u64>,
    /// The part of the time planned that is over, from 0 to 1.
    pub(crate) time: Option<f64>,
}

impl BudgetShare {
    /// Returns the part of the plan that is over, from 0 to 1. `None`: nothing is planned.
    ///
    /// Where counts are planned they alone decide, so that a run with a limit of counts is reproducible.
    pub(crate) fn part(&self, made: Counters) -> Option<f64> {
        let share = |made: u64, planned: Option<u64>| Some(made as f64 / planned? as f64);
        match (share(made.playouts, self.playouts), share(made.nodes, self.nodes)) {
            (None, None) => self.time,
            (playouts, nodes) => Some(playouts.unwrap_or(0.0).max(nodes.unwrap_or(0.0)).min(1.0)),
        }
    }
}
