//! The tile games SameGame, Clickomania and Bubble Breaker.

pub mod kernel;
pub mod rules;
