//! Vehicle routing with time windows (VRPTW) and with capacities alone (CVRP), rich vehicle routing (pickups and
//! deliveries, several depots, vehicle types, prizes), and the travelling salesman with time windows (TSPTW).
//!
//! | | [`vrptw`] | [`rich`] | [`tsptw`] |
//! |---|---|---|---|
//! | score, smaller is better | 10^6 x vehicles + distance, or the distance | 10^6 x vehicles + cost, or the cost | travel cost, or the time of the return |
//! | degree of infeasibility | customers not served | visits not made | late visits of the tour found |
//! | times | exact decimals, or doubles with a tolerance: [`rules`] | the same | the same |
//! | file | Solomon, Gehring & Homberger, VRPLIB | Li & Lim, Cordeau, VRPLIB | nodes, matrix, windows |
//! | specs | `random:100:7`, `clustered:100:7`, `capacity:100:7` | `pairs:50:7`, `depots:50:7`, `types:50:7`, `prizes:50:7` | `random:40x60:7` |
//! | solution | `{"vehicles": 2, "distance": 20.5, "routes": [[5, 3], [7]]}` | the same with `"kinds": [1, 2]` | `{"tour": [2, 1], "starts": [4, 9], "travel": 12, "makespan": 14}` |
//!
//! All are searched as one tour that is built visit by visit, so that every method of the engine applies. All share
//! what makes tours good fast: a kernel, such as [`Sisr`], ruins and recreates a solution some ten thousand times a
//! second or more, and [`Annealing`] repeats it over rounds, so that it needs no budget. The method `sisr` is this
//! search; the rollout `refined` of two of them improves each playout of another one.
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
// What is hidden serves benches, campaigns, tests and the examples.
#[doc(hidden)]
pub mod bound;
mod explain;
mod fixed_point;
mod kernel;
#[doc(hidden)]
pub mod network;
mod pool;
mod refine;
mod remarks;
pub mod rich;
mod route;
pub mod rules;
mod sampling;
mod schedule;
mod search;
mod sisr;
mod sites;
#[cfg(test)]
mod tests;
mod text;
pub mod tsptw;
mod verdict;
pub mod vrptw;

pub use anneal::Annealing;
pub use kernel::Kernel;
#[doc(hidden)]
pub use network::Network;
#[doc(hidden)]
pub use schedule::Schedule;
pub use sisr::{Sisr, SisrSettings};
