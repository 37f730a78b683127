//! The `soloist` command: arguments, progress and results around the searches of the library.
//!
//! The command is a library, so that a program can offer its own problems beside the shipped ones, with all of `solve`,
//! `bench`, `check`, checkpoints and events:
//!
//! ```no_run
//! use soloist::doc::Staircase;
//! use soloist_domain::{Domain, from_problem, no_generator};
//!
//! const STAIRS: Domain = Domain {
//!     name: "stairs",
//!     summary: "left or right, as many lefts first as possible",
//!     score: "lefts; more is better",
//!     instance: "a file with the number of steps",
//!     example: "stairs.txt",
//!     options: &[],
//!     searches: &[],
//!     load: |path, _| {
//!         from_problem(path, |text| text.trim().parse().map(Staircase).map_err(|_| "expected a number".into()))
//!     },
//!     generate: no_generator,
//! };
//!
//! fn main() -> std::process::ExitCode {
//!     soloist_cli::main(&[STAIRS])
//! }
//! ```
//!
//! With `default-features = false` a command of one's own brings no shipped problem that it did not ask for. The
//! features are `problems` (all of them and `simplify`, the default), `expressions` (the Horner orders and `simplify`),
//! and the name of each crate of problems.
//!
//! | module | what it holds |
//! |---|---|
//! | `commands` | a file for each command, with its arguments above its code; `args`: those that several commands have |
//! | `terminal` | everything that prints: output, bars and lines of progress, signals |
//! | `resolve` | from what was asked for to what runs |
//! | `units` | values of arguments |
//!
//! Work on many runs (`bench`, `tune`, `reproduce`, `report`, `serve`) is that of the crate `soloist-study`.

#![forbid(unsafe_code)]

mod commands;
mod resolve;
mod terminal;
mod units;

use anstream::ColorChoice;
use clap::{FromArgMatches, ValueEnum};
use commands::{Cli, Color};
use soloist_problems::Domain;
use soloist_study::Failure;
use soloist_study::text::one_line;
use std::ffi::OsString;
use std::process::ExitCode;
use terminal::{output, signal};

/// Runs the command with the arguments of the process; `own` are problems beside the shipped ones.
#[must_use]
pub fn main(own: &[Domain]) -> ExitCode {
    signal::survive_file_limits();
    if let Err(message) = soloist_problems::register(own) {
        output::error(&message);
        return ExitCode::from(2);
    }
    // Also for what is wrong with the arguments.
    output::set_color(color(std::env::args_os().skip(1)));
    let parsed = commands::command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    match commands::run(&cli.command) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => fail(&failure),
    }
}

/// Prints the line of a failure.
fn fail(failure: &Failure) -> ExitCode {
    output::error(&failure.message);
    ExitCode::from(failure.code())
}

/// When to colour, as the last `--color` says, before the arguments are parsed as a whole.
fn color(args: impl Iterator<Item = OsString>) -> ColorChoice {
    let args: Vec<String> = args.map(|arg| arg.to_string_lossy().into_owned()).take_while(|arg| arg != "--").collect();
    let following = args.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1].as_str());
    let joined = args.iter().filter_map(|arg| arg.strip_prefix("--color="));
    match following.chain(joined).last().and_then(|when| Color::from_str(when, false).ok()) {
        Some(Color::Always) => ColorChoice::AlwaysAnsi,
        Some(Color::Never) => ColorChoice::Never,
        Some(Color::Auto) | None => ColorChoice::Auto,
    }
}

/// Prints help and version as they are. A wrong call becomes one line; clap would write several.
fn refuse(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    if matches!(error.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand) {
        let text = commands::plain_help(&error.render().ansi().to_string());
        let code = u8::try_from(error.exit_code()).unwrap_or(2);
        return match output::help(&text, error.use_stderr()) {
            Ok(()) => ExitCode::from(code),
            Err(failure) => fail(&failure),
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
    fn colours_are_known_before_the_arguments() {
        for (call, choice) in [
            (&["solve", "x"][..], ColorChoice::Auto),
            (&["--color", "always", "solve"], ColorChoice::AlwaysAnsi),
            (&["solve", "--color=never", "-m", "nope"], ColorChoice::Never),
            (&["solve", "--", "--color=never"], ColorChoice::Auto),
            (&["solve", "--color"], ColorChoice::Auto),
        ] {
            assert_eq!(color(call.iter().map(OsString::from)), choice, "{call:?}");
        }
    }

    #[test]
    fn usage_errors_are_one_line() {
        for call in [
            &["soloist", "solve"][..],
            &["soloist", "nosuch"],
            &["soloist", "check", "--jsn"],
            &["soloist", "man", "a\nb"],
        ] {
            let text = flatten(&commands::command().try_get_matches_from(call).unwrap_err().render().to_string());
            assert!(!text.contains('\n') && !text.contains("Usage") && text.len() > 10, "{text}");
        }
    }
}
