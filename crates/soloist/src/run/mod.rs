//! Runs: what is set, when they end, what they report, and what they return.
//!
//! [`Solver`] prepares a run from a [`Setup`] and a [`Budget`] and makes it to its end; [`Session`] is a run in
//! progress, which is made in slices, saved and offered solutions. An [`Observer`] sees improvements and [`Progress`].
//! The result is an [`Outcome`].

// Both are thin: the streams, their limits, clocks, exchanges and checkpoints are in `stream` and `drive`, which do not
// know the problem's type.

mod budget;
mod drive;
#[doc(hidden)]
pub mod file;
mod goals;
mod observer;
mod opening;
pub(crate) mod outcome;
pub(crate) mod plan;
mod session;
mod setup;
mod solver;
mod stream;
pub(crate) mod verdict;
mod verify;

pub use crate::core::codec::CheckpointError;
pub use budget::Budget;
#[doc(hidden)]
pub use observer::Silent;
pub use observer::{Observer, Progress, gap};
pub use outcome::{Counters, Improvement, Outcome, Solution, StopReason, TreeShape};
pub use session::{Control, OfferError, RunInfo, SavedRun, Session, SolveError};
pub use setup::Setup;
pub use solver::Solver;
pub use verify::{ReplayError, replay};
