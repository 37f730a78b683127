//! The tile games: SameGame, Clickomania and Bubble Breaker.
//!
//! | what | where |
//! |---|---|
//! | the games and their points | [`game`] |
//! | boards as rectangles, files, specs | [`grid`], [`format`](mod@format), [`spec`] |
//! | fast boards and playouts | [`kernel`] |
//! | the search problem and its rollouts | [`problem`], [`rollout`], [`bandit`] |
//! | solutions, independent verification | [`solution`], [`verify`] |
//! | drawings and texts | [`draw`], [`text`] |
//! | the games by name, for the command line | `domain`: [`SAMEGAME`], [`CLICKOMANIA`], [`BUBBLE_BREAKER`] |

pub mod bandit;
mod domain;
pub mod draw;
pub mod edits;
pub mod format;
pub mod game;
pub mod grid;
pub mod kernel;
pub mod problem;
pub mod rollout;
mod softmax;
pub mod solution;
pub mod spec;
pub mod text;
pub mod verify;

pub use domain::{BUBBLE_BREAKER, CLICKOMANIA, SAMEGAME};
