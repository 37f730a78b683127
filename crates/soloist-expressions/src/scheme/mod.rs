//! The search for an order of variables whose Horner scheme has few operations.
//!
//! A Horner scheme extracts one variable after the other from a polynomial, `v` outermost: `((q_1 v^(e_1 - e_2) + q_2)
//! v^(e_2 - e_3) + ...) v^(e_m)`, and each `q_i` in the same way by the variables that are left. The order decides how
//! many sub-expressions coincide.
//!
//! - [`Terms`]: the terms of the polynomials.
//! - [`Scheme`]: the cost of an order, as a sum of level costs that depend on sets of variables only.
//! - [`SchemeOrders`]: the [`Problem`](soloist::Problem) for all methods of the engine, forward, backward or from the
//!   middle.
//! - [`optimal_order`]: dynamic programming over subsets, which proves the best order of up to about 16 variables.
//!
//! ```
//! use soloist::{Budget, Method, Solver};
//! use soloist_expressions::scheme::{Direction, Options, Scheme, SchemeOrders, Terms, optimal_order};
//! // x y + x z + y z + 2 x y z
//! let exponents = [1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1];
//! let terms = Terms::from_integers(3, &exponents, &[1, 1, 1, 2]).unwrap();
//! let scheme = Scheme::new(&terms, &Options::default());
//! let problem = SchemeOrders::new(scheme, Direction::Forward);
//! let outcome = Solver::new(&problem, Method::preset("anneal").unwrap()).budget(Budget::playouts(50)).run().unwrap();
//! let best = outcome.best.unwrap();
//! let optimum = optimal_order(problem.scheme(), None, &mut |_, _| true).unwrap().unwrap();
//! assert_eq!(best.score.value(), Some(optimum.cost as f64));
//! assert_eq!(problem.scheme().cost(&problem.order(&best.moves)), optimum.cost);
//! ```

mod convert;
mod cost;
pub(crate) mod field;
mod kernel;
mod key_set;
mod memo;
mod optimum;
mod orders;
mod partitions;
mod relations;
mod set;
mod sweep;
mod terms;
#[cfg(test)]
mod tests;

pub use convert::terms;
pub use cost::{Options, Scheme};
pub use field::MODULUS;
pub use optimum::{MAX_OPTIMAL, Optimum, optimal_order};
pub use orders::{Direction, Partial, SchemeOrders};
pub use set::MAX_SEARCHED;
pub use terms::{MAX_TERMS, Terms};
