//! The tile games: SameGame, Clickomania and Bubble Breaker.
pub mod draw;
pub mod format;
pub mod game;
pub mod grid;
pub mod solution;
pub mod spec;
pub mod text;
pub mod verify;
