//! `soloist reproduce`: repeats published experiments.

use super::args::{FormatArgs, JobArgs, QuietArgs};
use crate::terminal::{Terminal, output, signal};
use crate::units;
use clap::Args;
use soloist_study::Failure;
use soloist_study::reproduce::{self, Repeat};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  soloist reproduce --list                               what there is, and the scales for a quick look
  soloist reproduce baier-figure-6 --scale 0.003         three thousandths of the paper's budget
  soloist reproduce schadd-table-6 --scale 0.25 --data DATA --limit 50
  soloist reproduce schadd-table-2 --row '10^5' --data DATA     only rows of 10^5 nodes, and the claims about them
  soloist reproduce schadd-table-4 --out DIR --report-only     the verdicts again from the runs in DIR
  soloist reproduce --all --hours 8 --out CAMPAIGN --data DATA
  soloist reproduce --status CAMPAIGN                    how far that is
  soloist reproduce --all --like papers/reproduce --hours 0.3 --out AGAIN --data DATA
                                                         the committed verdicts again, the shortest runs first

DIR holds report.md and report.json (ours beside the published values, and what became of the paper's claims),
figure.svg, runs.jsonl (the finished runs, as `bench` keeps them), tuning.jsonl where settings are chosen, and spec.toml,
the runs as a spec of `bench`.
The same call continues an interrupted experiment (exit 130).";

/// Arguments of `reproduce`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ReproduceArgs {
    /// The experiment; without it the list of experiments is printed
    #[arg(value_name = "ID")]
    pub(crate) experiment: Option<String>,
    /// List the experiments
    #[arg(long)]
    pub(crate) list: bool,
    /// Work through all experiments, the cheapest claims first, each in a folder of its own below --out
    #[arg(long, requires = "out", conflicts_with_all = ["experiment", "list", "report_only", "status"])]
    pub(crate) all: bool,
    /// With --all: stop after this many hours; the same call continues
    #[arg(long, value_name = "H", value_parser = units::positive, allow_hyphen_values = true, requires = "all")]
    pub(crate) hours: Option<f64>,
    /// With --all: make the finished experiments of DIR again, each at its scale there and on as many instances, the
    /// shortest runs first, and compare the verdicts
    #[arg(long, value_name = "DIR", requires = "all", conflicts_with_all = ["scale", "limit"])]
    pub(crate) like: Option<PathBuf>,
    /// Show how far --all is below DIR, and what the rest costs
    #[arg(long, value_name = "DIR", conflicts_with_all = ["experiment", "list", "report_only"])]
    pub(crate) status: Option<PathBuf>,
    /// Run nothing: compute the verdicts again from the runs in --out, with the scale of its report.json
    #[arg(long, requires = "experiment", conflicts_with = "list")]
    pub(crate) report_only: bool,
    /// Multiply the paper's budgets; --list names a scale for a quick look
    #[arg(long, value_name = "X", value_parser = units::scale, allow_hyphen_values = true, default_value = "1")]
    pub(crate) scale: f64,
    /// The folder of instances that may not be shipped [default: data]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Use the first N instances [default: as the report says, at most those of the paper]
    #[arg(long, value_name = "N", value_parser = units::limit, allow_hyphen_values = true)]
    pub(crate) limit: Option<usize>,
    /// Only the row called TEXT, or all rows with TEXT in their names, and the claims about them (repeatable)
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["all", "list", "report_only", "status"])]
    pub(crate) row: Vec<String>,
    /// The folder of the results, made if missing; an experiment that it holds is continued [default: ID]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) jobs: JobArgs,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

/// Runs the command.
pub(crate) fn run(args: &ReproduceArgs) -> Result<u8, Failure> {
    if let Some(folder) = &args.status {
        output::print(&reproduce::status(folder, args.scale)?)?;
        return Ok(0);
    }
    let repeat = Repeat {
        scale: args.scale,
        limit: args.limit,
        rows: args.row.clone(),
        data: args.data.clone().unwrap_or_else(|| PathBuf::from("data")),
        jobs: args.jobs.jobs,
        is_report_only: args.report_only,
        format: args.format.format(),
    };
    let terminal = Terminal::new(args.quiet.quiet);
    if let (true, Some(folder)) = (args.all, &args.out) {
        signal::install(args.quiet.quiet)?;
        if let Some(hours) = args.hours {
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_secs_f64(hours * 3600.0));
                signal::stop("the hours are over; the same call continues");
            });
        }
        if let Some(like) = &args.like {
            let again = reproduce::run_again(like, folder, &repeat, &terminal.context())?;
            output::print(&again.text)?;
            again.failed?;
            return Ok(if again.is_complete { u8::from(!again.is_same) } else { 130 });
        }
        let (is_complete, failed) = reproduce::run_all(folder, &repeat, &terminal.context())?;
        output::print(&reproduce::status(folder, args.scale)?)?;
        return failed.map(|()| if is_complete { 0 } else { 130 });
    }
    let Some(id) = args.experiment.as_deref().filter(|_| !args.list) else {
        output::print(&reproduce::list(args.experiment.as_deref(), &repeat.data, repeat.format)?)?;
        return Ok(0);
    };
    signal::install(args.quiet.quiet)?;
    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from(id));
    let done = reproduce::run(id, &folder, &repeat, &terminal.context())?;
    output::print(&done.text)?;
    Ok(if done.is_complete { 0 } else { 130 })
}
