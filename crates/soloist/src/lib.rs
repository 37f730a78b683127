#![doc = include_str!("guide.md")]
#![forbid(unsafe_code)]

mod check;
mod core;
#[doc(hidden)]
pub mod doc;
mod erased;
mod problem;
mod rollout;
mod run;
pub mod search;
pub mod statistics;

pub use check::{Advice, Knowledge, Violation, advise, check};
pub use core::codec::CheckpointError;
pub use core::fault::Fault;
pub use core::hash::{StableHasher, stable_hash};
pub use core::parameter::{Parameter, ParameterError, Parameters, PerLevel, Settings, Values};
pub use core::rng::Rng;
pub use core::score::{Score, Sense};
pub use problem::{
    Acceptance, Covered, Dominance, Edits, Found, Move, Neighborhood, Ordering, Problem, ProblemSearch, SearchInfo,
    Step, Unit, Work,
};
pub use rollout::policy::{Lifetime, Policy, Trace, UNIT_WEIGHT};
pub use rollout::{Biased, Playout, Rollout, RolloutInfo, Uniform, find_rollout, policy_playout, replayed};
pub use run::{
    Budget, Control, Counters, Improvement, Observer, OfferError, Outcome, Progress, ReplayError, RunInfo, SavedRun,
    Session, Setup, Silent, Solution, SolveError, Solver, StopReason, TreeShape, claim_file, gap, open_regular,
    probe_writable, remove_temporaries, replay, write_atomically,
};

/// What the macro of parameters needs.
#[doc(hidden)]
pub mod table {
    pub use crate::core::parameter::{Value, out_of_range, unknown};
}

pub use search::{Entrant, Method, Preset};

/// The example in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
