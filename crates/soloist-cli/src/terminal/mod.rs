//! What people see: progress as a bar, as lines or not at all; the only place that writes to a terminal.

mod job_progress;
mod kind;
pub(crate) mod output;
#[cfg(feature = "expressions")]
mod phases;
pub(crate) mod signal;

pub(crate) use job_progress::Terminal;
pub(crate) use kind::{Kind, LINE};
#[cfg(feature = "expressions")]
pub(crate) use phases::Phases;
