//! `soloist generate`: the instance of a spec in the problem's file format.

use super::args::ProblemParser;
use crate::terminal::output;
use clap::Args;
use soloist_problems::Domain;
use soloist_study::Failure;
use soloist_study::files::Target;
use std::path::PathBuf;

/// Arguments of `generate`.
#[derive(Args, Debug)]
#[command(after_help = "Example: soloist generate samegame random:15x15x5:7 -o board.txt")]
pub(crate) struct GenerateArgs {
    /// The problem
    #[arg(value_name = "PROBLEM", value_parser = ProblemParser)]
    pub(crate) problem: &'static Domain,
    /// What to generate; `soloist problems PROBLEM` lists the specs
    #[arg(value_name = "SPEC")]
    pub(crate) spec: String,
    /// The file to write; default: standard output
    #[arg(long, short, visible_alias = "out", value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, short)]
    pub(crate) force: bool,
}

/// Runs the command.
pub(crate) fn run(args: &GenerateArgs) -> Result<u8, Failure> {
    let target = args.output.as_deref().map(Target::new).transpose()?;
    if let Some(target) = &target
        && target.path().is_file()
        && !args.force
    {
        return Err(Failure::runtime(format!("{} exists; --force replaces it", target.shown())));
    }
    let text = (args.problem.generate)(&args.spec).map_err(|error| Failure::runtime(error.to_string()))?;
    match target {
        Some(target) => target.write(&text)?,
        None => output::print(&text)?,
    }
    Ok(0)
}
