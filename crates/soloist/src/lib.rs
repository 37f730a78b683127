//! The Soloist engine.
#![forbid(unsafe_code)]
mod rng;
pub use rng::Rng;
