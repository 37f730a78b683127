//! The methods: families of searches with their parameters, and the named settings of papers and practice.
//!
//! A [`Method`] is a family with values of its parameters; a [`Preset`] is a named one ([`Method::presets`] lists all).
//! [`Parameter`] is a row of the table behind `--set`. Every search does one playout, node or layer at a time, so that
//! limits, observers, checkpoints and threads work alike for all of them ([`Session`](crate::run::Session)).

// One file or folder a family. Recursive algorithms keep their recursion as a stack of frames. Searches know a problem
// as `dyn ErasedProblem` and its moves as integers: they are compiled once, in this crate.

mod anneal;
mod auto;
mod beam;
mod branch_and_bound;
pub(crate) mod family;
mod ida_star;
mod method;
mod nmcs;
mod nrpa;
mod own;
mod presets;
mod sampling;
pub(crate) mod shared;
pub(crate) mod step;
mod uct;

pub(crate) use crate::core::coverage::Coverage;
pub use crate::core::parameter::{Parameter, ParameterError, ParameterValues, Parameters, PerLevel, Values};
pub(crate) use crate::core::tally::{Clock, Limits, Tally, insert};
pub(crate) use crate::erased::validate::{replay, replay_legal};
pub use anneal::{Anneal, Schedule};
pub use auto::{Auto, Entries, Entry};
pub use beam::{Beam, Merit, Tie};
pub use branch_and_bound::{BranchAndBound, Order};
pub use ida_star::IdaStar;
pub use method::Method;
pub use nmcs::Nmcs;
pub use nrpa::{Adapting, Keep, Nrpa, Share, Similar};
pub use own::Own;
pub use presets::{Preset, UnknownMethod};
pub use sampling::Sampling;
pub(crate) use shared::asked::{is_biased, states};
pub use shared::children::{Children, Shuffle};
pub(crate) use step::{Context, Exchange, Search, Status};
pub use uct::{
    Bandit, Cooling, Expansion, FewVisits, FirstPlay, Growth, Narrowing, NodeValue, Normalization, Pacing, Playing,
    Playouts, Prune, Pruning, Rank, Selection, Ties, Uct,
};
