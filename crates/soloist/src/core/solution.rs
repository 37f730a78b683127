//! Solutions, counters and improvements: plain data that searches fill and runs hand out.

use super::score::Score;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A move as a number, which searches, checkpoints and streams hold instead of a problem's move.
pub(crate) type MoveId = u64;

/// A finished solution: the moves from the root, and their score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solution<M> {
    /// The score.
    pub score: Score,
    /// The moves from the root on.
    pub moves: Vec<M>,
}

/// Machine-independent effort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Playouts finished; for systematic searches, solutions scored.
    pub playouts: u64,
    /// Tree nodes created; for systematic searches, states visited; for nested searches and annealing, moves
    /// played (an edit by the problem's own neighbourhood is one).
    pub nodes: u64,
}

/// The nodes that a tree search has created: how many, and how many moves they are below the root of the problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeShape {
    /// Nodes created, those of trees that were given up included.
    pub nodes: u64,
    /// The sum of their depths, in moves.
    pub depths: u64,
    /// The depth of the deepest one, in moves. Where `uct` merges equal states, a second way to one counts here too.
    pub deepest: u64,
}

impl TreeShape {
    /// Returns the mean depth of the nodes, in moves; 0 without nodes.
    #[must_use]
    pub fn mean_depth(&self) -> f64 {
        if self.nodes == 0 { 0.0 } else { self.depths as f64 / self.nodes as f64 }
    }

    /// Whether a tree can have these numbers: no node is below the deepest one.
    pub(crate) fn is_possible(&self) -> bool {
        u128::from(self.depths) <= u128::from(self.nodes) * u128::from(self.deepest)
    }

    /// Counts a node.
    pub(crate) fn add(&mut self, depth: usize) {
        let depth = depth as u64;
        self.nodes += 1;
        self.depths = self.depths.saturating_add(depth);
        self.deepest = self.deepest.max(depth);
    }

    /// Takes back a node of this depth. The greatest depth stays.
    pub(crate) fn remove(&mut self, depth: usize) {
        self.nodes = self.nodes.saturating_sub(1);
        // Counts from a damaged checkpoint may be those of no tree; they stay possible.
        let most = self.nodes.saturating_mul(self.deepest);
        self.depths = self.depths.saturating_sub(depth as u64).min(most);
    }

    /// Adds the nodes of other trees.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.nodes += other.nodes;
        self.depths = self.depths.saturating_add(other.depths);
        self.deepest = self.deepest.max(other.deepest);
    }
}

/// One improvement of the incumbent.
///
/// Two improvements are equal if they differ in [`elapsed`](Self::elapsed) alone, which no run repeats.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Improvement {
    /// The new best score.
    pub score: Score,
    /// Playouts of its stream when it was found.
    pub playouts: u64,
    /// The stream that found it.
    pub stream: usize,
    /// Wall-clock time of the run when it was found, the parts before a resume included. It is not serialised with the
    /// rest, which is the same for equal runs.
    #[serde(skip)]
    pub elapsed: Duration,
}

impl PartialEq for Improvement {
    fn eq(&self, other: &Self) -> bool {
        (self.score, self.playouts, self.stream) == (other.score, other.playouts, other.stream)
    }
}
