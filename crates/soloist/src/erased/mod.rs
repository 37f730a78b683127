//! What hides the types of a problem from the searches: they are compiled once, for moves that are integers.

pub(crate) mod across;
pub(crate) mod problem;
pub(crate) mod replay;
pub(crate) mod rollout;
pub(crate) mod search;
pub(crate) mod source;
pub(crate) mod validate;

pub(crate) use crate::core::solution::MoveId;
pub(crate) use crate::problem::move_codec::MoveCodec;
