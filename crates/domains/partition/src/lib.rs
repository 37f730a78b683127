//! Number partitioning: divide numbers into two sides whose sums differ as little as possible.
//!
//! | | |
//! |---|---|
//! | score | log2(difference + 1), smaller is better |
//! | file | one whole number a line; see [`parse`] |
//! | specs | `random:100x100:7`: 100 numbers of up to 100 bits; see [`generate`] |
//! | solution | `{"difference": "1", "left": [0, 3], "right": [1, 2]}`, numbers counted from 0 in the order of the file |
//!
//! Numbers of any size are exact: states, scores and the verifier compute with all their bits; only the fast kernels
//! work on leading bits, and what they find is evaluated exactly. [`check`] compares differences exactly, and scores,
//! which are logarithms, to a relative 1e-9.
//!
//! The files divide the work: `format` and `spec` make [`Numbers`], `problem` turns them into the [`Differencing`] that
//! is searched, `rollout` holds its playout policies, `search` its searches. They stand on four kernels: `limbs` (exact
//! sums), `meet` (meet in the middle), `windows` (all sums of four lists) and `birthday` (lists of small signed sums,
//! merged). `verify` recomputes a partition without the search, `draw` shows it.

#![forbid(unsafe_code)]

mod birthday;
mod domain;
mod draw;
mod format;
mod limbs;
mod meet;
mod model;
mod problem;
mod rollout;
mod search;
mod spec;
#[cfg(test)]
mod tests;
mod verify;
mod windows;

pub use domain::DOMAIN;
// What is hidden serves benches, campaigns, tests and the examples.
#[doc(hidden)]
pub use format::{parse, read, write};
pub use model::{Differencing, JOIN, Labels, SPLIT};
#[doc(hidden)]
pub use spec::{generate, is_spec};
#[doc(hidden)]
pub use verify::check;

use num_bigint::BigUint;

/// The most numbers that are read or generated.
pub const MAX_NUMBERS: usize = 4096;
/// The most bits of a number.
pub const MAX_BITS: u64 = 4096;

/// An instance: numbers in the order of their file, at most [`MAX_NUMBERS`] of at most [`MAX_BITS`] bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers(Vec<BigUint>);

impl Numbers {
    /// Returns an instance.
    ///
    /// # Errors
    /// One line: too many numbers or too large ones.
    pub fn new(numbers: Vec<BigUint>) -> Result<Self, String> {
        if numbers.len() > MAX_NUMBERS {
            return Err(format!("{} numbers, at most {MAX_NUMBERS} are allowed", numbers.len()));
        }
        if let Some(at) = numbers.iter().position(|number| number.bits() > MAX_BITS) {
            return Err(format!("number {} has {} bits, at most {MAX_BITS} are allowed", at + 1, numbers[at].bits()));
        }
        Ok(Self(numbers))
    }

    /// Returns the numbers, in the order of the file.
    #[must_use]
    pub fn values(&self) -> &[BigUint] {
        &self.0
    }
}
