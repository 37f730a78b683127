//! The limits of a run.

use crate::core::abort::Watch;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Limits of a run; whichever is reached first stops it. The default has none but the memory limit:
/// [`Solver::run`](crate::Solver::run) then takes [`DEFAULT_TIME`](Self::DEFAULT_TIME).
///
/// ```
/// use soloist::Budget;
/// use std::time::Duration;
/// let budget = Budget::playouts(20_000).or_time(Duration::from_secs(10)).or_target(42.0);
/// assert_eq!((budget.playouts, budget.nodes), (Some(20_000), None));
/// ```
///
/// Counts (`playouts`, `nodes`, `stall`) are reproducible, `time` is not. All of them count the whole search, before
/// and after a resume. With several streams, `playouts` is divided among them exactly, `nodes` and `memory` evenly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Budget {
    /// Wall-clock time.
    pub time: Option<Duration>,
    /// Playouts, exactly: finished games that were scored, by a rollout, an edit or a search that came to their end.
    ///
    /// States of systematic searches are no playouts. `dfs` and its relatives, `ida-star`, beams that drop states by
    /// bounds (`cabs`) and exact searches of a problem may finish no game for very long: limits of playouts or of
    /// `stall` alone are refused there, see [`Setup::check_limits`](crate::Setup::check_limits). In a race of `auto`
    /// with other methods they end with their part of the effort.
    pub playouts: Option<u64>,
    /// Tree nodes created; for systematic searches, states visited; for a problem's own search, its units of work, as
    /// its [`Unit`](crate::problem::Unit) says.
    pub nodes: Option<u64>,
    /// Stop at the first solution with this score or a better one. No score reaches NaN.
    pub target: Option<f64>,
    /// Stop a stream after this many playouts without improvement.
    pub stall: Option<u64>,
    /// Bytes that the searches may use for what grows: trees, lists and tables of states, beams. When a tree is full,
    /// its least visited branches make room (see [`Uct`](crate::search::uct)); lists of states drop their worse half
    /// (see [`BranchAndBound`](crate::search::branch_and_bound)); beams become narrower.
    ///
    /// States count as [`Facts::state_bytes`](crate::problem::Facts::state_bytes) says. Not counted are the problem
    /// itself, the states of playouts, learned policies, what a problem's own search holds, solutions that are kept,
    /// and a checkpoint while it is written, which may take as much as the search again.
    pub memory: u64,
    /// The most moves of a game. One that is longer ends the run with an error: the problem's moves may never end.
    #[serde(default = "max_moves")]
    pub max_moves: u64,
}

impl Budget {
    /// 2 GiB, the default memory limit.
    pub const MEMORY: u64 = 2 << 30;

    /// What [`Solver::run`](crate::Solver::run) takes where there is neither a limit nor a stop flag: 30 s, as on the
    /// command line.
    pub const DEFAULT_TIME: Duration = Duration::from_secs(30);

    /// A million, the default limit of the moves of a game.
    pub const MAX_MOVES: u64 = Watch::MOST as u64;

    /// Limited by nodes, or by the units of work of a problem's own search.
    #[must_use]
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// Limited by wall-clock time.
    #[must_use]
    pub fn time(time: Duration) -> Self {
        Self { time: Some(time), ..Self::default() }
    }

    /// Limited by playouts, which do not end [every method](Self::playouts).
    #[must_use]
    pub fn playouts(playouts: u64) -> Self {
        Self { playouts: Some(playouts), ..Self::default() }
    }

    /// Ends after this wall-clock time at the latest.
    #[must_use]
    pub fn or_time(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// Ends after this many playouts at the latest.
    #[must_use]
    pub fn or_playouts(self, playouts: u64) -> Self {
        Self { playouts: Some(playouts), ..self }
    }

    /// Ends after this many nodes at the latest.
    #[must_use]
    pub fn or_nodes(self, nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..self }
    }

    /// Ends at the first solution with this score or a better one.
    #[must_use]
    pub fn or_target(self, target: f64) -> Self {
        Self { target: Some(target), ..self }
    }

    /// Ends a stream after this many playouts without improvement.
    #[must_use]
    pub fn or_stall(self, playouts: u64) -> Self {
        Self { stall: Some(playouts), ..self }
    }

    /// Sets the [memory](Self::memory) that searches may use, in bytes.
    #[must_use]
    pub fn with_memory(self, bytes: u64) -> Self {
        Self { memory: bytes, ..self }
    }

    /// Sets the [most moves](Self::max_moves) of a game.
    #[must_use]
    pub fn with_max_moves(self, moves: u64) -> Self {
        Self { max_moves: moves, ..self }
    }

    /// Whether nothing limits how long a run takes.
    pub(crate) fn is_unlimited(&self) -> bool {
        let counts = [self.playouts, self.nodes, self.stall];
        self.time.is_none() && self.target.is_none() && counts == [None; 3]
    }
}

fn max_moves() -> u64 {
    Budget::MAX_MOVES
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            time: None,
            playouts: None,
            nodes: None,
            target: None,
            stall: None,
            memory: Self::MEMORY,
            max_moves: Self::MAX_MOVES,
        }
    }
}

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
