//! The travelling salesman with time windows (TSPTW).

mod domain;
mod draw;
mod format;
mod instance;
mod model;
mod problem;
mod rollout;
mod spec;
mod verify;

pub use domain::DOMAIN;
pub use format::{parse, read, write};
pub use instance::{Instance, MAX_NODES, Objective};
pub use model::{Tour, Tsptw};
pub use spec::{generate, is_spec};
pub use verify::{Totals, check, verify};
