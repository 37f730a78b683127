//! `soloist serve`: shows files of runs on a live page until Ctrl-C.

use super::args::QuietArgs;
use crate::terminal::{Terminal, signal};
use crate::units;
use clap::Args;
use soloist_study::Failure;
use soloist_study::serve::follow;
use std::net::SocketAddr;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  soloist serve events.jsonl                      while `soloist solve --events events.jsonl` writes it
  soloist serve runs.jsonl --port 8000            the runs of `soloist bench`, the same address every time
  soloist solve samegame random:15x15x5:7 --time 10m --serve 8000      without a file

The page is served on 127.0.0.1, for this machine alone, until Ctrl-C (exit 130).";

/// Arguments of `serve`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ServeArgs {
    /// Events of `solve --events`, runs of `bench`, results of `solve --json`; each must hold a run already
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The port on 127.0.0.1, or on ADDR; 0 picks a free one
    #[arg(long, short, value_name = "[ADDR:]PORT", value_parser = units::address, default_value = "0")]
    pub(crate) port: SocketAddr,
    /// The heading of the page; default: what the runs are about
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

/// Runs the command.
pub(crate) fn run(args: &ServeArgs) -> Result<u8, Failure> {
    signal::install(args.quiet.quiet)?;
    let terminal = Terminal::new(args.quiet.quiet);
    follow(&args.files, args.title.as_deref(), args.port, &terminal.context())?;
    Ok(130)
}
