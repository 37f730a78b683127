//! The problems that Soloist ships.
pub mod error;
pub mod input;
pub mod tiles;

pub use error::InstanceError;
