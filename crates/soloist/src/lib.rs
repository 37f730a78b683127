#![doc = include_str!("guide.md")]
#![forbid(unsafe_code)]

mod budget;
mod check;
mod checkpoint;
#[doc(hidden)]
pub mod doc;
mod goals;
mod math;
mod method;
mod observer;
mod outcome;
mod parameter;
mod policy;
mod problem;
mod rng;
mod rollout;
mod score;
pub mod search;
mod solver;
pub mod statistics;
mod trace;

pub use budget::Budget;
pub use check::{Violation, check};
pub use checkpoint::{CheckpointError, write_atomically};
pub use method::{Method, Preset};
pub use observer::{Observer, Progress, Silent};
pub use outcome::{Counters, Improvement, Outcome, Solution, StopReason};
pub use parameter::{Parameter, ParameterError, PerLevel};
pub use policy::{Policy, UNIT_WEIGHT};
pub use problem::{Move, Problem, StableHasher, stable_hash};
pub use rng::Rng;
pub use rollout::{Playout, Rollout, RolloutInfo, Uniform, find_rollout, policy_playout};
pub use score::{Score, Sense};
pub use solver::{RunInfo, SolveError, Solver};
pub use trace::{Lifetime, Trace};
