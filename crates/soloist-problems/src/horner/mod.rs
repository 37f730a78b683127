//! Expression simplification: code with the fewest operations for a system of polynomials.

mod number;
mod poly;

pub use number::Coefficient;
pub use poly::{MAX_EXPONENT, MAX_VARIABLES, Polynomial};
