//! The seam between Soloist's domains and the programs that use them by name.
//!
//! A domain is a crate that turns instance files into a [`soloist::Problem`], verifies solutions by code of its own and
//! draws them. It implements [`Instance`] for its instance type and exports one [`Domain`] or several. [`AnyInstance`]
//! solves, checks and draws without knowing types.
//!
//! # How a domain is laid out
//! One crate in `crates/domains`, with one file per duty, the same names everywhere:
//!
//! | file | duty |
//! |---|---|
//! | `format` | reads and writes the file format of the field; every error is one line with file, line and what was expected ([`InstanceError`]) |
//! | `spec` | instances from a spec such as `random:100x1000:7`; the same spec is the same instance in every release |
//! | `model` | the rules: what is known of an instance, its states, what moves change; in `problem` where nothing else needs them |
//! | `problem` | the [`soloist::Problem`] over these rules |
//! | `rollout` | its playout policies, where it has special ones |
//! | `search` | its own searches ([`soloist::problem::ProblemSearch`]), where it has some |
//! | `neighborhood` | edits of finished solutions ([`soloist::problem::Neighborhood`]), where it has some |
//! | `bound` | its bounds, where they are long |
//! | `verify` | recomputes a solution from the instance alone: no code of the search |
//! | `draw` | the solution as text and as SVG |
//! | `domain` | the [`Instance`] implementation and the [`Domain`] that one line of the registry names |
//! | `lib` | documentation, the instance type, and all public items, re-exported flat |
//!
//! Further files hold parts of these, under the names of what they are: a kernel, a bin, a pool.

#![forbid(unsafe_code)]

pub mod answer;
pub mod bits;
pub mod claims;
pub mod contents;
mod domain;
mod erased;
pub mod error;
mod event;
mod from_problem;
pub mod input;
pub mod names;
mod number;
mod parts;
mod record;
mod registry;
pub mod result;
mod run_spec;
mod settings;
pub mod spec;
pub mod svg;
pub mod units;
pub mod verification;

pub use domain::{
    AnyInstance, AnyObserver, AnySession, Checked, Domain, DomainOption, Instance, LoadResult, Observed, Options,
    Report, Request, SolutionReport, Unobserved, WARNING, follow, follow_steps, no_generator,
};
pub use error::InstanceError;
pub use event::{RunEvent, RunStart};
pub use from_problem::from_problem;
pub use parts::Parts;
pub use record::{
    Depths, FORMAT, ImprovementStep, Machine, OtherSolution, RecordError, RunEnding, RunRecord, RunTask, known_format,
};
pub use registry::Registry;
pub use run_spec::{
    DEFAULT_SECONDS, Limits, ResolvedRun, Resumed, RunSpec, SpecError, SpecPart, find_among, refuse_endless,
};
pub use settings::{Setting, Settings};
