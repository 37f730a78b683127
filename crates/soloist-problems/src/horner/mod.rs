//! Expression simplification: code with the fewest operations for a system of polynomials.

pub mod scheme;
