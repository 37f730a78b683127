//! Vehicle routing with time windows and capacities (VRPTW), and with capacities alone (CVRP).

mod domain;
pub(crate) mod draw;
pub(crate) mod exact;
mod format;
mod instance;
mod model;
mod neighborhood;
mod problem;
mod rollout;
pub mod solution;
mod spec;
mod tables;
mod verify;
pub(crate) mod vrplib;

pub use domain::{DOMAIN, rules};
pub use format::{parse, read, write};
pub use instance::{Edges, Instance, Objective, Rounding, Site, route_cost};
pub use model::{Depot, Tour, Vrptw};
pub(crate) use spec::whole;
pub use spec::{generate, is_spec};
pub use verify::{Totals, check, verify};
pub(crate) use verify::{elsewhere, numbers};
