//! The problems that Soloist ships, by name.
//!
//! [`domains`] lists them; [`AnyInstance`] solves, checks and draws without knowing types. In Rust, the crates offer
//! the problems themselves, to be given to a `soloist::Solver`:
//!
//! Each crate of problems is a feature of its name; by default there are all of them.
//!
//! ```
//! # #[cfg(feature = "knapsack")] {
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
//! # }
//! ```

#![forbid(unsafe_code)]

use soloist::search::Preset;
use std::sync::OnceLock;

pub use soloist_domain::*;
#[cfg(feature = "expressions")]
pub use soloist_expressions as expressions;
#[cfg(feature = "hypercube")]
pub use soloist_hypercube as hypercube;
#[cfg(feature = "knapsack")]
pub use soloist_knapsack as knapsack;
#[cfg(feature = "morpion")]
pub use soloist_morpion as morpion;
#[cfg(feature = "packing")]
pub use soloist_packing as packing;
#[cfg(feature = "partition")]
pub use soloist_partition as partition;
#[cfg(feature = "routing")]
pub use soloist_routing as routing;
#[cfg(feature = "stacking")]
pub use soloist_stacking as stacking;
#[cfg(feature = "tiles")]
pub use soloist_tiles as tiles;

/// The domains of this process: those of a program's own, then those that are shipped.
static ALL: OnceLock<Vec<Domain>> = OnceLock::new();

/// Adds a program's own domains in front of the shipped ones.
///
/// # Errors
/// One line, when two domains have the same name, or [`domains`] was asked for before.
pub fn register(own: &[Domain]) -> Result<(), String> {
    let all: Vec<Domain> = own.iter().chain(shipped()).copied().collect();
    for (at, domain) in all.iter().enumerate() {
        if all[..at].iter().any(|other| other.name == domain.name) {
            return Err(format!("two problems are called `{}`", domain.name));
        }
    }
    ALL.set(all).map_err(|_| "problems are registered once, before anything else is done".into())
}

/// All domains, in the order in which lists show them.
#[must_use]
pub fn domains() -> &'static [Domain] {
    ALL.get_or_init(|| shipped().to_vec())
}

fn shipped() -> &'static [Domain] {
    &[
        #[cfg(feature = "tiles")]
        tiles::SAMEGAME,
        #[cfg(feature = "tiles")]
        tiles::CLICKOMANIA,
        #[cfg(feature = "tiles")]
        tiles::BUBBLE_BREAKER,
        #[cfg(feature = "hypercube")]
        hypercube::SNAKE,
        #[cfg(feature = "hypercube")]
        hypercube::COIL,
        #[cfg(feature = "morpion")]
        morpion::DOMAIN,
        #[cfg(feature = "routing")]
        routing::vrptw::DOMAIN,
        #[cfg(feature = "routing")]
        routing::rich::DOMAIN,
        #[cfg(feature = "routing")]
        routing::tsptw::DOMAIN,
        #[cfg(feature = "partition")]
        partition::DOMAIN,
        #[cfg(feature = "stacking")]
        stacking::DOMAIN,
        #[cfg(feature = "packing")]
        packing::DOMAIN,
        #[cfg(feature = "expressions")]
        expressions::DOMAIN,
        #[cfg(feature = "knapsack")]
        knapsack::DOMAIN,
    ]
}

/// The registry of [`domains`].
#[must_use]
pub fn registry() -> Registry {
    Registry::new(domains())
}

/// The domain of that name.
#[must_use]
pub fn find_domain(name: &str) -> Option<&'static Domain> {
    registry().find(name)
}

/// All methods; see [`Registry::methods`].
pub fn methods() -> impl Iterator<Item = &'static Preset> + Clone {
    registry().methods()
}

/// Returns the method of a name; see [`Registry::find_method`].
///
/// # Errors
/// No method has this name; the message names the nearest one.
pub fn find_method(name: &str) -> Result<&'static Preset, SpecError> {
    registry().find_method(name)
}
