#![doc = include_str!("guide.md")]
#![forbid(unsafe_code)]

pub mod check;
mod core;
#[doc(hidden)]
pub mod doc;
mod erased;
pub mod problem;
pub mod rollout;
pub mod run;
pub mod search;

pub use check::{advise, check};
#[doc(hidden)]
pub use core::order;
pub use core::rng::Rng;
pub use core::score::{Score, Sense};
pub use problem::Problem;
pub use run::{Budget, Outcome, Setup, Solver};
pub use search::Method;

/// What most programs name: `use soloist::prelude::*;`.
pub mod prelude {
    pub use crate::problem::{Acceptance, Edits, Extras, Key, NamedSearch, Neighborhood, stable_hash};
    pub use crate::rollout::{NamedRollout, Rollout};
    pub use crate::run::{Improvement, Observer, Progress, Solution};
    pub use crate::{Budget, Method, Outcome, Problem, Rng, Score, Sense, Setup, Solver, advise, check};
}

/// What the macro of parameters needs.
#[doc(hidden)]
pub mod table {
    pub use crate::core::names::nearest;
    pub use crate::core::parameter::{Parameter, ParameterError, Parameters, Value, out_of_range, unknown};
}

/// The example in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
