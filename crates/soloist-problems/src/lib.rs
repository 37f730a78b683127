//! The problems that Soloist ships.
mod domain;
mod error;
pub mod knapsack;

pub use domain::{
    Checked, Domain, DomainOption, Instance, LoadResult, Options, Report, Request, Shipped, Unwatched, Watcher,
    domains, find_domain,
};
pub use error::InstanceError;
