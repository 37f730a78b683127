//! The ground floor of the engine: what knows nothing of problems, searches and runs.

pub(crate) mod codec;
pub(crate) mod coverage;
pub(crate) mod cut;
pub(crate) mod fault;
pub(crate) mod hash;
pub(crate) mod limits;
pub(crate) mod math;
pub(crate) mod names;
pub(crate) mod parameter;
pub(crate) mod plan;
pub(crate) mod rng;
pub(crate) mod score;
pub(crate) mod solution;
pub(crate) mod tally;
