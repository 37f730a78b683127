//! Runs: what is set, when they end, what they report, and what they return.
//!
//! [`Solver`] prepares a run from a [`Setup`] and a [`Budget`] and makes it to its end; [`Session`] is a run in
//! progress, which is made in slices, saved and offered solutions. An [`Observer`] sees improvements and [`Progress`].
//! The result is an [`Outcome`].

// Both are thin: they translate moves. A run without the problem's type is in `running`, its streams, their limits,
// clocks and exchanges are in `stream` and `stream_loop`.

mod budget;
mod checkpoint;
mod error;
#[doc(hidden)]
pub mod file;
mod meetings;
mod observer;
pub(crate) mod outcome;
mod running;
mod session;
mod setup;
mod solver;
mod stop_rules;
mod stream;
mod stream_loop;
pub(crate) mod verdict;
mod verify;
mod warmup;

pub use crate::core::codec::CheckpointError;
pub use budget::Budget;
#[doc(hidden)]
pub use checkpoint::{RunInfo, SavedRun};
#[doc(hidden)]
pub use error::OfferError;
pub use error::SolveError;
pub use observer::{Observer, Progress};
#[doc(hidden)]
pub use observer::{Silent, gap};
#[doc(hidden)]
pub use outcome::TreeShape;
pub use outcome::{Counters, Improvement, Outcome, Solution, StopReason};
pub(crate) use running::try_out;
pub use session::{Control, Session};
pub use setup::Setup;
pub use solver::Solver;
#[doc(hidden)]
pub use verify::{ReplayError, replay};
