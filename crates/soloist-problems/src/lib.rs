//! The problems that Soloist ships.
mod domain;
pub mod error;
pub mod input;
pub mod knapsack;
pub mod tiles;

pub use domain::{
    Checked, Domain, DomainOption, Instance, LoadResult, Options, Report, Request, Shipped, Unwatched, Watcher,
    domains, find_domain,
};
pub use error::InstanceError;
