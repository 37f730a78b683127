//! The problems that Soloist ships.

pub mod tiles;
