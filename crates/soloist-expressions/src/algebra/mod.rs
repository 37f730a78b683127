//! What is computed: exact numbers, polynomials, systems of them, and how operations are counted.

mod counts;
mod euclid;
mod notation;
mod number;
mod polynomial;
mod signs;
mod system;

pub use counts::{Counts, power_cost};
pub use notation::Notation;
pub use number::Coefficient;
pub use polynomial::{MAX_EXPONENT, MAX_VARIABLES, Polynomial};
pub use signs::Signs;
pub use system::{Call, Constant, Definition, Function, Reading, Relation, System};

pub(crate) use polynomial::write_term;
pub(crate) use system::{Assigned, Related, Source};
