//! Vehicle routing with time windows and the travelling salesman with time windows.

pub mod network;
mod route;
mod text;
pub mod vrptw;

pub use network::Network;
