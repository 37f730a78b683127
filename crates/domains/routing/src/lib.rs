//! Vehicle routing with time windows (VRPTW) and with capacities alone (CVRP), and the travelling salesman with time
//! windows (TSPTW).
//!
//! | | [`vrptw`] | [`tsptw`] |
//! |---|---|---|
//! | score, smaller is better | 10^6 x vehicles + distance, or the distance | travel cost, or the time of the return |
//! | degree of infeasibility | customers not served | late visits of the tour found |
//! | times | exact decimals, or doubles with a tolerance: [`rules`] | the same |
//! | file | Solomon, Gehring & Homberger, VRPLIB | nodes, matrix, windows |
//! | specs | `random:100:7`, `clustered:100:7`, `capacity:100:7` | `random:40x60:7` |
//! | solution | `{"vehicles": 2, "distance": 20.5, "routes": [[5, 3], [7]]}` | `{"tour": [2, 1], "starts": [4, 9], "travel": 12, "makespan": 14}` |
//!
//! Both are searched as one tour that is built visit by visit, so that every method of the engine applies. Both share
//! what makes tours good fast: [`Sisr`] ruins and recreates a solution some hundred thousand times a second, and
//! [`Annealing`] repeats it over rounds, so that it needs no budget. The method `sisr` is this search; the rollout
//! `refined` improves each playout of another one.
//!
//! ```
//! use soloist::{Budget, Method, Solver};
//! use soloist_routing::vrptw::{Objective, Rounding, Vrptw, generate};
//! use std::sync::Arc;
//!
//! let instance = generate("random:50:7").unwrap();
//! let problem = Vrptw::new(Arc::new(instance.network(Rounding::Exact)), Objective::Vehicles);
//! let solver = Solver::new(&problem, Method::named("sisr"));
//! let best = solver.seed(1).budget(Budget::nodes(20_000)).run().unwrap().best.unwrap();
//! let (routes, unserved) = problem.routes(&best.moves);
//! assert!(unserved.is_empty() && routes.len() <= 8);
//! ```

#![forbid(unsafe_code)]

mod anneal;
pub mod bound;
mod explain;
mod kernel;
pub mod network;
mod pool;
mod refine;
pub mod rich;
mod route;
pub mod rules;
mod search;
mod sisr;
mod sites;
#[cfg(test)]
mod tests;
mod text;
pub mod tsptw;
mod verdict;
pub mod vrptw;
mod whole;

pub use anneal::{Annealing, Schedule};
pub use kernel::Kernel;
pub use network::Network;
pub use sisr::{Sisr, SisrSettings};
