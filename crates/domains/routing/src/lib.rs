//! Vehicle routing with time windows and the travelling salesman with time windows.

mod anneal;
pub mod bound;
pub mod network;
mod route;
mod sisr;
mod sites;
mod text;
pub mod tsptw;
pub mod vrptw;

pub use anneal::{Annealing, Schedule};
pub use network::Network;
pub use sisr::{Settings, Sisr};

#[cfg(test)]
mod tests;
