//! Tests of the `soloist` binary: what scripts rely on.

mod bad_input;
mod bench;
#[cfg(unix)]
mod browser;
mod check;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod clock;
mod cluster;
mod commands;
mod common;
mod explain;
mod expressions;
#[cfg(unix)]
mod foreign;
mod hardening;
mod outputs;
mod own;
mod report;
mod reproduce;
mod resume;
mod run_spec;
mod serve;
#[cfg(unix)]
mod signals;
mod simplify;
mod solve;
mod tune;
