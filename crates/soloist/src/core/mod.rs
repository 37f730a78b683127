//! The ground floor of the engine: what knows nothing of problems, searches and runs.

pub(crate) mod abort;
pub(crate) mod budget_share;
pub(crate) mod codec;
pub(crate) mod coverage;
pub(crate) mod hash;
pub(crate) mod limits;
pub(crate) mod math;
pub(crate) mod names;
pub mod order;
pub(crate) mod parameter;
pub(crate) mod rng;
pub(crate) mod score;
pub(crate) mod solution;
pub(crate) mod stream_stats;
pub(crate) mod user_error;
