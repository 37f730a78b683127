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
//! | `problem` | the [`soloist::Problem`] |
//! | `rollout` | its playout policies, where it has special ones |
//! | `verify` | recomputes a solution from the instance alone: no code of the search |
//! | `draw` | the solution as text and as SVG |
//! | `domain` | the [`Instance`] implementation and the [`Domain`] that one line of the registry names |
//! | `lib` | documentation and the instance type |

#![forbid(unsafe_code)]

pub mod answer;
pub mod bits;
pub mod contents;
mod domain;
mod erased;
pub mod error;
mod event;
pub mod input;
pub mod names;
mod own;
mod record;
mod registry;
pub mod result;
mod run_spec;
mod settings;
pub mod spec;
pub mod svg;
#[doc(hidden)]
pub mod testing;
pub mod units;

pub use domain::{
    Answer, AnyInstance, AnyObserver, AnySession, Checked, Domain, DomainOption, Instance, LoadResult, Options, Report,
    Request, Unobserved, follow, no_generator,
};
pub use error::InstanceError;
pub use event::{RunEvent, RunStart};
pub use own::own;
pub use record::{Depths, FORMAT, Machine, OtherSolution, RecordError, RunEnding, RunRecord, RunTask, Step};
pub use registry::Registry;
pub use run_spec::{
    DEFAULT_SECONDS, Limits, ResolvedRun, Resumed, RunSpec, SpecError, SpecPart, find_among, refuse_endless,
};
pub use settings::{Setting, Settings};
