//! The `soloist` command; see the library of this crate.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    soloist_cli::main(&[])
}
