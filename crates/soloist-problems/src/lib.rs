//! The problems that Soloist ships: instances, rules, fast playouts, independent verifiers, drawings.
//!
//! [`domains`] lists them by name; [`Instance`] solves, checks and draws without knowing types. In Rust, the modules
//! offer the problems themselves, to be given to a [`soloist::Solver`]:
//!
//! ```
//! use soloist::{Budget, Method, Problem, Solver};
//! use soloist_problems::knapsack::{Knapsack, check, generate};
//!
//! let sack = generate("random:100x1000:7").unwrap();
//! let problem = Knapsack::new(&sack);
//! let solver = Solver::new(&problem, Method::preset("nmcs").unwrap());
//! let best = solver.seed(1).budget(Budget::playouts(10_000)).run().unwrap().best.unwrap();
//! // Verified by code that shares nothing with the search.
//! let checked = check(&sack, &format!("{:?}", problem.packed(&best.moves))).unwrap();
//! assert_eq!(best.score.value(), Some(checked.score));
//! assert!(checked.score <= problem.bound(&problem.root()).unwrap());
//! ```
//!
//! # How a domain is laid out
//! One folder with one file per duty, as [`knapsack`] shows it:
//!
//! | part | duty |
//! |---|---|
//! | `format` | reads and writes the field's own file format; every error is one line with file, line and what was expected ([`InstanceError`]) |
//! | `spec` | instances from a spec such as `random:100x1000:7`; the same spec is the same instance in every release |
//! | `search` | the [`soloist::Problem`] and its rollouts |
//! | `verify` | recomputes a solution from the instance alone: no code of the search |
//! | `draw` | the solution as text and as SVG |
//! | `mod` | documentation, the [`Shipped`] implementation, and the [`Domain`] that one line in [`domains`] registers |

mod answer;
mod bits;
mod domain;
pub mod error;
pub mod horner;
pub mod input;
pub mod knapsack;
pub mod morpion;
pub mod snake;
pub mod svg;
#[cfg(test)]
mod testing;
pub mod tiles;

pub use domain::{
    Checked, Domain, DomainOption, Instance, LoadResult, Options, Report, Request, Shipped, Unwatched, Watcher,
    domains, find_domain,
};
pub use error::InstanceError;
