//! The `soloist` command: arguments, progress and results around the searches of the library.
//!
//! The command is a library, so that a program can offer its own problems beside the shipped ones, with all of `solve`,
//! `bench`, `check`, checkpoints and events:
//!
//! ```no_run
//! use soloist::doc::Staircase;
//! use soloist_domain::{Domain, no_generator, own};
//!
//! const STAIRS: Domain = Domain {
//!     name: "stairs",
//!     summary: "left or right, as many lefts first as possible",
//!     score: "lefts; more is better",
//!     instance: "a file with the number of steps",
//!     example: "stairs.txt",
//!     options: &[],
//!     load: |path, _| own(path, |text| text.trim().parse().map(Staircase).map_err(|_| "expected a number".into())),
//!     generate: no_generator,
//! };
//!
//! fn main() -> std::process::ExitCode {
//!     soloist_cli::main(&[STAIRS])
//! }
//! ```

#![forbid(unsafe_code)]

mod args;
mod bench;
mod check;
mod choice;
#[cfg(test)]
mod dummy;
mod events;
mod failure;
mod generate;
mod lines;
mod list;
mod live;
mod machine;
mod output;
mod plot;
mod pool;
mod progress;
mod report;
mod reproduce;
mod result;
mod serve;
mod shell;
mod signal;
mod simplify;
mod solve;
mod table;
mod tune;
mod values;

use args::{Cli, Color, Commands};
use clap::Parser;
use failure::{Failure, one_line};
use soloist_problems::Domain;
use std::process::ExitCode;

/// Runs the command with the arguments of the process; `own` are problems beside the shipped ones.
#[must_use]
pub fn main(own: &[Domain]) -> ExitCode {
    signal::survive_file_limits();
    if let Err(message) = soloist_problems::register(own) {
        output::error(&message);
        return ExitCode::from(2);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    output::set_color(match cli.color {
        Color::Auto => anstream::ColorChoice::Auto,
        Color::Always => anstream::ColorChoice::AlwaysAnsi,
        Color::Never => anstream::ColorChoice::Never,
    });
    let done = match cli.command {
        Commands::Solve(args) => solve::run(&args),
        Commands::Simplify(args) => simplify::run(&args),
        Commands::Bench(args) => bench::run(&args),
        Commands::Tune(args) => tune::run(&args),
        Commands::Reproduce(args) => reproduce::run(&args),
        Commands::Report(args) => report::run(&args),
        Commands::Serve(args) => serve::run(&args),
        Commands::Check(args) => check::run(&args),
        Commands::Generate(args) => generate::run(&args),
        Commands::Problems(args) => list::problems(&args),
        Commands::Methods(args) => list::methods(&args),
        Commands::Completions { shell } => shell::completions(shell),
        Commands::Man { dir } => shell::manual(dir.as_deref()),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(Failure { code, message }) => {
            output::error(&message);
            ExitCode::from(code)
        }
    }
}

/// Help and version go out as they are; a wrong call becomes one line, where clap would write several.
fn refuse(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    if matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand) {
        return match error.print() {
            // A reader that has gone is no failure.
            Err(wrong) if wrong.kind() != std::io::ErrorKind::BrokenPipe => {
                output::error(&format!("cannot write to standard output: {wrong}"));
                ExitCode::from(1)
            }
            _ => ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2)),
        };
    }
    output::error(&flatten(&error.render().to_string()));
    ExitCode::from(2)
}

/// The message of a rendered clap error, without the usage below it.
fn flatten(rendered: &str) -> String {
    let end = ["\n\nUsage:", "\n\nFor more information"].iter().filter_map(|mark| rendered.find(mark)).min();
    let message = rendered[..end.unwrap_or(rendered.len())].trim();
    let mut line = String::new();
    for part in message.strip_prefix("error: ").unwrap_or(message).lines().map(str::trim) {
        let joint = if part.starts_with("tip:") { "; " } else { " " };
        line.push_str(if line.is_empty() || part.is_empty() { "" } else { joint });
        line.push_str(part);
    }
    one_line(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_errors_are_one_line() {
        for call in [
            &["soloist", "solve"][..],
            &["soloist", "nosuch"],
            &["soloist", "check", "--jsn"],
            &["soloist", "man", "a\nb"],
        ] {
            let text = flatten(&Cli::try_parse_from(call).unwrap_err().render().to_string());
            assert!(!text.contains('\n') && !text.contains("Usage") && text.len() > 10, "{text}");
        }
    }
}
