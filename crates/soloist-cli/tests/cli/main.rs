//! Tests of the `soloist` binary: what scripts rely on.

mod bad_input;
mod bench;
mod check;
mod commands;
mod common;
mod hardening;
mod own;
mod reproduce;
mod resume;
#[cfg(unix)]
mod signals;
mod simplify;
mod solve;
