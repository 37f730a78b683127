//! The result of a run.

use super::observer::gap;
use crate::Problem;
pub use crate::core::solution::{Counters, Improvement, Solution, TreeShape};
use crate::erased::{MoveCodec, MoveId};
use crate::problem::{Move, ScorePart};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

impl Solution<MoveId> {
    /// Returns the whole solution, `prefix` included, in the problem's moves.
    pub(crate) fn unpacked<M: Move>(&self, packing: &MoveCodec<M>, prefix: &[M]) -> Solution<M> {
        let mut moves = prefix.to_vec();
        packing.append_known(&self.moves, &mut moves);
        Solution { score: self.score, moves }
    }
}

impl<M: Move> Solution<M> {
    /// Returns the [parts](crate::problem::Explain::parts) of the score, by a replay of the moves; empty where the
    /// problem names none.
    ///
    /// # Panics
    /// May panic when the moves are not legal.
    pub fn parts<P: Problem<Move = M>>(&self, problem: &P) -> Vec<ScorePart> {
        let Some(explain) = problem.extras().explain() else { return Vec::new() };
        let mut state = problem.root();
        self.moves.iter().for_each(|&mv| problem.apply(&mut state, mv));
        explain.parts(&state)
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

impl From<crate::core::coverage::Proof> for StopReason {
    fn from(_: crate::core::coverage::Proof) -> Self {
        Self::Exhausted
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
    /// The number of moves that every solution had to begin with; see [`Solver::prefix`](crate::Solver::prefix). Bounds
    /// and proofs speak of such solutions alone.
    pub prefix: usize,
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
    /// What the method has decided and why, a line each; see [`Auto`](crate::search::auto).
    pub remarks: Vec<String>,
}

impl Outcome<MoveId> {
    /// Returns the outcome in the problem's moves, with the `prefix` that every solution had to begin with.
    pub(super) fn unpacked<M: Move>(self, packing: &MoveCodec<M>, prefix: &[M]) -> Outcome<M> {
        let Self { bound, optimal, infeasible, stop, counters, tree, elapsed, unsaved, history, remarks, .. } = self;
        let whole = |solution: &Solution<MoveId>| solution.unpacked(packing, prefix);
        let (best, kept) = (self.best.as_ref().map(whole), self.kept.iter().map(whole).collect());
        let prefix = prefix.len();
        Outcome {
            best,
            kept,
            prefix,
            bound,
            optimal,
            infeasible,
            stop,
            counters,
            tree,
            elapsed,
            unsaved,
            history,
            remarks,
        }
    }
}

impl<M> Outcome<M> {
    /// Returns the relative gap between the best score and the bound; see [`gap`].
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        gap(self.best.as_ref()?.score.value()?, self.bound?)
    }
}
