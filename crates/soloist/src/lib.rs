#![doc = include_str!("guide.md")]
#![forbid(unsafe_code)]

mod cut;
#[doc(hidden)]
pub mod doc;
mod math;
mod policy;
mod problem;
mod rng;
mod run;
pub mod search;
pub mod statistics;

pub use policy::{Lifetime, Policy, Trace, UNIT_WEIGHT};
pub use problem::{
    Acceptance, Advice, Covered, Dominance, Edits, Fault, Found, Knowledge, Move, Neighborhood, Ordering, Playout,
    Problem, ProblemSearch, Rollout, RolloutInfo, Score, SearchInfo, Sense, StableHasher, Step, Uniform, Unit,
    Violation, Work, advise, check, find_rollout, policy_playout, replayed, stable_hash,
};
pub use rng::Rng;
pub use run::{
    Budget, CheckpointError, Control, Counters, Improvement, Observer, OfferError, Outcome, Progress, ReplayError,
    RunInfo, SavedRun, Session, Setup, Silent, Solution, SolveError, Solver, StopReason, TreeShape, claim_file, gap,
    open_regular, probe_writable, remove_temporaries, replay, write_atomically,
};
pub use search::parameter::{Parameter, ParameterError, Parameters, PerLevel, Settings, Values};

/// What the macro of parameters needs.
#[doc(hidden)]
pub mod table {
    pub use crate::search::parameter::{Value, out_of_range, unknown};
}

pub use search::{Entrant, Method, Preset};

/// The example in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
