//! Sets of variables as bit patterns.

/// A set of variables; bit `v` stands for variable `v` of the search.
pub(super) type Set = u128;

/// The most variables whose order is searched.
pub const MAX_SEARCHED: usize = 128;
