//! Errors of runs.

use super::verify::ReplayError;
use crate::Score;
use crate::core::codec::CheckpointError;
use crate::core::names::instead;
use crate::core::parameter::ParameterError;
use std::error::Error;
use thiserror::Error;

/// Returns what the message about an unknown rollout ends with.
fn instead_of_rollout(name: &str, known: &str, is_method: bool) -> String {
    if is_method {
        format!(" (known: {known}): it is a method")
    } else {
        instead(name, &known.split(", ").collect::<Vec<_>>())
    }
}

/// The most threads of a run.
pub(super) const MOST_THREADS: usize = 4096;

/// A run that cannot start or continue.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The problem has no such playout policy.
    #[error("no rollout `{}`{}", .name.escape_debug(), instead_of_rollout(.name, .known, *.is_method))]
    Rollout {
        /// The name asked for.
        name: String,
        /// The names that exist, separated by commas.
        known: String,
        /// Whether it is the name of one of the problem's [own searches](crate::problem::Extras::searches).
        is_method: bool,
    },
    /// The method's parameters do not go together.
    #[error(transparent)]
    Method(#[from] ParameterError),
    /// The problem's [portfolio](crate::problem::Extras::portfolio) holds an entry that cannot run.
    #[error("the portfolio of the problem: {0}")]
    Portfolio(#[source] ParameterError),
    /// A checkpoint could not be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The sequence of moves to start from is not a solution.
    #[error("the solution to start from: {0}")]
    Offer(#[from] OfferError),
    /// The moves that every solution begins with are not legal.
    #[error("the prefix: move {0} is not legal")]
    Prefix(usize),
    /// A method makes whole solutions, which cannot begin with given moves.
    #[error("with a prefix another method is needed: those of the problem itself make whole solutions")]
    Whole(#[source] ParameterError),
    /// The limits need not end a run of this method: see [`Setup::check_limits`](crate::Setup::check_limits).
    #[error("{method}: {what}")]
    Limits {
        /// The name of the preset.
        method: String,
        /// Why, and what limit to add.
        what: &'static str,
    },
    /// The method holds more than the memory limit allows, whatever it finds.
    #[error("the method needs at least {} MiB for its states, beams and records, {} MiB are allowed (more memory, or a smaller `width` of beams)", .needed.div_ceil(1 << 20), .allowed >> 20)]
    Memory {
        /// Bytes that all streams need.
        needed: u64,
        /// Bytes that they may use.
        allowed: u64,
    },
    /// A checkpoint is continued with another seed, number of threads, rollout or prefix.
    #[error("the checkpoint is of a run with another setup (seed, threads, rollout or prefix)")]
    Resumed,
    /// No stream can run.
    #[error("at least one thread is needed")]
    NoThreads,
    /// More streams than a run may have.
    #[error("{0} threads: at most {most} are possible", most = MOST_THREADS)]
    Threads(usize),
    /// A solution is better than the problem's [bound](crate::Problem::bound) for its root: nothing that was pruned or
    /// proven by bounds can be relied on. Differences in the tenth digit pass as rounding.
    #[error("a solution scores {score}, but the problem's bound says that none is better than {bound}")]
    Bound {
        /// The score.
        score: f64,
        /// The bound of the root.
        bound: f64,
    },
    /// A solution's score is infinite or NaN.
    #[error("a solution scores `{0}`: scores must be finite numbers")]
    Score(Score),
    /// A game has had as many moves as [`Budget::max_moves`](crate::Budget::max_moves) allows.
    #[error("a game of {0} moves has not ended: do the moves of this problem ever end? (max_moves)")]
    Endless(u64),
    /// The threads of the streams cannot be started.
    #[error("{threads} threads cannot be started: {error}")]
    Spawn {
        /// The number of threads.
        threads: usize,
        /// What the system says.
        error: String,
    },
    /// A result was played again from the root, and the problem's rules contradict it.
    #[error("a solution fails when it is played again: {0}")]
    Replay(#[from] ReplayError),
    /// The problem or the rollout has reported an error; see [`Fault`](crate::problem::Fault).
    #[error("the problem failed: {0}")]
    Failed(Box<dyn Error + Send + Sync>),
}

/// An offered sequence of moves that is no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OfferError {
    /// A move is not legal after those before it.
    #[error("move {0} is not legal")]
    Illegal(usize),
    /// Further moves are possible after the last one.
    #[error("it is not finished after {0} moves")]
    Unfinished(usize),
    /// It does not begin with the moves that every solution of the run begins with.
    #[error("it does not begin with the moves of the prefix: move {0} is another one")]
    Prefix(usize),
}
