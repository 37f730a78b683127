//! Algebra before the search: factors of polynomials, and variables that occur in fixed combinations only.

mod black_box;
mod dense;
mod lift;
mod rebuild;
mod sparse;
mod split;
mod substitute;
#[cfg(test)]
mod tests;

pub(crate) use rebuild::rebuilt;
pub use split::{Factors, factors};
