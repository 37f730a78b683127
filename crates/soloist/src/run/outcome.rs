//! The result of a run.

use super::observer::gap;
use crate::Score;
use crate::erased::{MoveCodec, MoveId};
use crate::problem::Move;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// A finished solution: the moves from the root, and their score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Solution<M> {
    /// The score.
    pub score: Score,
    /// The moves from the root on.
    pub moves: Vec<M>,
}

impl Solution<MoveId> {
    /// Returns the solution in the problem's moves.
    pub(crate) fn unpacked<M: Move>(&self, packing: &MoveCodec<M>) -> Solution<M> {
        Solution { score: self.score, moves: packing.all(&self.moves) }
    }
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The time was over.
    Time,
    /// The playouts were used up.
    Playouts,
    /// The nodes were used up.
    Nodes,
    /// The target score was reached.
    Target,
    /// Too long without improvement.
    Stall,
    /// The whole search space was examined: the incumbent is optimal, or no solution is feasible, unless the problem
    /// leaves solutions out.
    Exhausted,
    /// The incumbent is as good as the problem's bound for its root: it is optimal.
    Bound,
    /// The method has ended by itself (one nested run without restarts, for example).
    Completed,
    /// The caller asked to stop.
    Interrupted,
}

impl StopReason {
    /// Whether the run cannot continue: everything was examined, the incumbent is proven, or the method has ended.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Exhausted | Self::Bound | Self::Completed)
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "time",
            Self::Playouts => "playouts",
            Self::Nodes => "nodes",
            Self::Target => "target",
            Self::Stall => "stall",
            Self::Exhausted => "exhausted",
            Self::Bound => "bound",
            Self::Completed => "completed",
            Self::Interrupted => "interrupted",
        })
    }
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
        self.depths = self.depths.saturating_sub(depth as u64);
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

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome<M> {
    /// The best solution found: feasible if any was, else the least infeasible one. `None` before the first playout
    /// ended.
    pub best: Option<Solution<M>>,
    /// The best different solutions, best first, `best` being the first: as many as
    /// [`Solver::keep`](crate::Solver::keep) asked for, or fewer. Where a target or a proof has ended a run of several
    /// streams, they are those of the stream that ended it.
    pub kept: Vec<Solution<M>>,
    /// The best known bound on every solution's score: what the search has left over, or that of the problem's root.
    /// `None`: unknown.
    pub bound: Option<f64>,
    /// Whether `best` is feasible and proven optimal.
    pub optimal: bool,
    /// Whether it is proven that no solution is feasible. It is not proven then that none is less infeasible than
    /// `best`.
    pub infeasible: bool,
    /// Why the run ended. Where several streams run, one may have reached a target or a proof when time or a signal
    /// ends the run, and the others may not have made as many playouts yet: then this is [`StopReason::Time`] or
    /// [`StopReason::Interrupted`], a proof shows in `optimal`, and the run can be continued until it is known which
    /// stream was the first.
    pub stop: StopReason,
    /// Effort of all streams, before and after a resume.
    pub counters: Counters,
    /// The nodes of tree searches (`uct` and its relatives); without nodes for other methods.
    pub tree: TreeShape,
    /// Wall-clock time, before and after a resume.
    pub elapsed: Duration,
    /// Why the last checkpoint could not be written, if it could not; the run continued.
    pub unsaved: Option<String>,
    /// The improvements, by playouts of their stream.
    pub history: Vec<Improvement>,
    /// What the method has decided and why, a line each; see [`Auto`](crate::search::Auto).
    pub remarks: Vec<String>,
}

impl<M> Outcome<M> {
    /// Returns the relative gap between the best score and the bound; see [`gap`].
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        gap(self.best.as_ref()?.score.value()?, self.bound?)
    }
}
