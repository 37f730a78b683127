//! Horner forms with common sub-expressions, as graphs and as straight-line programs.

mod arrange;
mod chain;
mod dag;
mod program;

pub use dag::Dag;
pub use program::{Program, Term};

pub(crate) use dag::{ONE, Scaled};
