//! The methods: families of searches with their parameters, and the named settings of papers and practice.
//!
//! Each module below is a family: what it does, what it costs, where it was published. A [`Method`] is a family with
//! values of its parameters; a [`Preset`] is a named one ([`Method::presets`] lists all).
//! [`Parameter`] is a row of the table behind `--set`. Every search does one playout, node or layer at a time, so that
//! limits, observers, checkpoints and threads work alike for all of them ([`Session`](crate::run::Session)).

// One file or folder a family. Recursive algorithms keep their recursion as a stack of frames. Searches know a problem
// as `dyn ErasedProblem` and its moves as integers: they are compiled once, in this crate.

pub mod anneal;
pub mod auto;
pub mod beam;
pub mod branch_and_bound;
pub(crate) mod family;
pub mod ida_star;
mod method;
pub mod nmcs;
pub mod nrpa;
mod presets;
mod problem_search;
pub mod sampling;
pub(crate) mod shared;
pub(crate) mod step;
pub mod uct;

pub(crate) use crate::core::coverage::Coverage;
pub use crate::core::parameter::{Parameter, ParameterError, ParameterValues};
#[doc(hidden)]
pub use crate::core::parameter::{Parameters, PerLevel, Values};
pub(crate) use crate::core::stream_stats::{Clock, Limits, Tally, insert};
pub(crate) use crate::erased::validate::{replay, replay_legal};
pub use method::Method;
pub(crate) use parameters::*;
pub use presets::{Preset, UnknownMethod};
pub(crate) use shared::features::{is_biased, states};
pub(crate) use step::{Context, Exchange, Search, Status};

/// The parameters of the methods as structs: for tests of the engine, which compare its searches with others that are
/// written out and take the same numbers, and for the few readers of one value in this workspace. They are no part of
/// the interface: programs set parameters by name.
#[doc(hidden)]
pub mod parameters {
    pub use super::anneal::{Anneal, Coolings, Editing, Schedule, Weights};
    pub use super::auto::{Auto, Entries, Entry};
    pub use super::beam::{Beam, Merit, Tie};
    pub use super::branch_and_bound::{BranchAndBound, Order};
    pub use super::ida_star::IdaStar;
    pub use super::method::Table;
    pub use super::nmcs::Nmcs;
    pub use super::nrpa::{Adapting, Keep, Nrpa, Share, Similar};
    pub use super::problem_search::Own;
    pub use super::sampling::Sampling;
    pub use super::shared::children::{Children, Shuffle};
    pub use super::uct::{
        Bandit, Cooling, Expansion, FewVisits, FirstPlay, Growth, Narrowing, NodeValue, Normalization, Pacing, Playing,
        Playouts, Prune, Pruning, Rank, Selection, Ties, Uct,
    };
}
