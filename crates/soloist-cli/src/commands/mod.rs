//! The commands, each with its arguments beside its code.

mod args;
mod bench;
mod check;
mod cli;
#[cfg(feature = "expressions")]
mod code;
mod explain;
mod gather;
mod generate;
mod help;
mod list;
mod report;
mod reproduce;
mod serve;
mod shell;
#[cfg(feature = "expressions")]
mod simplify;
mod solve;
mod tune;

pub(crate) use cli::{Cli, Color, Commands};
pub(crate) use help::{command, plain_help};

use soloist_study::Failure;

/// Runs a command; returns the exit code.
pub(crate) fn run(command: &Commands) -> Result<u8, Failure> {
    match command {
        Commands::Solve(args) => solve::run(args),
        #[cfg(feature = "expressions")]
        Commands::Simplify(args) => simplify::run(args),
        Commands::Bench(args) => bench::run(args),
        Commands::Tune(args) => tune::run(args),
        Commands::Reproduce(args) => reproduce::run(args),
        Commands::Report(args) => report::run(args),
        Commands::Serve(args) => serve::run(args),
        Commands::Check(args) => check::run(args),
        Commands::Explain(args) => explain::run(args),
        Commands::Merge(args) => gather::merge(args),
        Commands::Status(args) => gather::status(args),
        Commands::Generate(args) => generate::run(args),
        Commands::Problems(args) => list::problems(args),
        Commands::Methods(args) => list::methods(args),
        Commands::Completions { shell } => shell::completions(*shell),
        Commands::Man { dir } => shell::manual(dir.as_deref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn definitions_are_consistent() {
        Cli::command().debug_assert();
        command().debug_assert();
    }
}
