//! Rich vehicle routing: pickups with deliveries, several depots, vehicle types, customers that need not be served.

mod domain;
mod draw;
mod explain;
mod format;
mod instance;
mod judge;
mod kernel;
mod model;
mod problem;
mod reason;
mod route;
mod ruin;
mod spec;
mod tables;
mod verify;
mod vrplib;

pub use domain::{DOMAIN, rules};
pub use format::{parse, read, write};
pub use instance::{Convention, Depot, Instance, Kind, Objective, Visit};
pub use kernel::Repair;
pub use model::{Rich, Tour};
pub use spec::{generate, is_spec};
pub use tables::Tables;
pub use verify::{Totals, check, verify};
pub(crate) use vrplib::Extra;
