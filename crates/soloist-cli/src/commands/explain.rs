//! `soloist explain`: constraints of an instance, or decisions, that cannot hold together.

use super::args::{ProblemParser, QuietArgs};
use super::solve::read_moves;
use crate::resolve;
use crate::terminal::{output, signal};
use crate::units;
use clap::Args;
use serde_json::json;
use soloist::check::{Explanation, Verdict};
use soloist_problems::{Domain, Setting};
use soloist_study::Failure;
use soloist_study::text::{counted, plain};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const EXAMPLES: &str = "\
Examples:
  soloist explain vrptw tight.txt --set vehicles=3 --time 30s
  soloist explain vrptw tight.txt --prefix begun.json     which of these moves cannot all stay at their steps
Constraints are left out as long as no solution exists without them. Each set is searched by the default method and by
exact search. With --prefix, moves are left out instead, and all constraints hold: the moves of other steps are free.
Exit code: 0 a conflict, or a solution that satisfies everything; 3 neither within the time; 130 interrupted.";

/// Arguments of `explain`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// The problem: one that names its constraints, or any with --prefix
    #[arg(value_name = "PROBLEM", value_parser = ProblemParser)]
    pub(crate) problem: &'static Domain,
    /// The instance file or spec
    #[arg(value_name = "INSTANCE")]
    pub(crate) instance: String,
    /// Set an option of the problem (repeatable)
    #[arg(long, short, value_name = "KEY=VALUE", value_parser = units::setting)]
    pub(crate) set: Vec<Setting>,
    /// Explain why the moves of FILE (a result, or a list as `solve --prefix` reads it) lead to no feasible solution
    #[arg(long, value_name = "FILE")]
    pub(crate) prefix: Option<PathBuf>,
    /// Wall-clock time at most
    #[arg(long, value_name = "TIME", value_parser = units::duration, allow_hyphen_values = true, default_value = "10s")]
    pub(crate) time: Duration,
    /// The seed of all random draws
    #[arg(long, value_name = "N", value_parser = units::job_index, allow_hyphen_values = true, default_value = "0")]
    pub(crate) seed: u64,
    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs) -> Result<u8, Failure> {
    let options = args.problem.options_of(&args.set.iter().cloned().collect())?;
    let unopened = |error| resolve::unopened(args.problem, &args.instance, &error);
    let instance = args.problem.open(&args.instance, &options).map_err(unopened)?;
    signal::install(args.quiet.quiet)?;
    let begin = Instant::now();
    let prefix = args.prefix.as_ref().map(|path| read_moves(path, |text| instance.prefix_from(text))).transpose()?;
    let found = instance.explain(prefix.as_ref(), args.time, args.seed, Some(&signal::STOP));
    let found = found.map_err(|error| Failure::runtime(format!("{}: {error}", args.instance)))?;
    let kind = if args.prefix.is_some() { "decision" } else { "constraint" };
    if found.verdict == Verdict::Unnamed {
        if let Some(path) = &args.prefix {
            return Err(Failure::runtime(format!("{}: there is no move in it", path.display())));
        }
        let (name, why) = (args.problem.name, instance.unexplained());
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        return Err(Failure::runtime(format!("{}: {name} names no constraints of this instance{why}", args.instance)));
    }
    let seconds = begin.elapsed().as_secs_f64();
    let remarks = instance.remarks();
    let text = if args.json {
        let object = json!({
            "problem": args.problem.name,
            "instance": instance.name(),
            "remarks": remarks,
            "verdict": found.verdict.name(),
            "conflict": found.conflict,
            "least": found.is_least,
            (format!("{kind}s")): found.constraints,
            "tests": found.tests,
            "seconds": seconds,
        });
        format!("{object}\n")
    } else {
        remarks.iter().for_each(|remark| output::note(remark));
        let head = format!("{} {}: {}\n", args.problem.name, instance.name(), instance.describe());
        head + &text(&found, kind, seconds)
    };
    output::print(&text)?;
    Ok(match found.verdict {
        _ if signal::STOP.load(std::sync::atomic::Ordering::Relaxed) => 130,
        Verdict::Unknown => 3,
        _ => 0,
    })
}

/// The result for people.
fn text(found: &Explanation, kind: &str, seconds: f64) -> String {
    let all = counted(found.constraints, kind);
    let mut text = match found.verdict {
        Verdict::Feasible => format!("feasible: a solution satisfies all {all}\n"),
        Verdict::Unnamed | Verdict::Unknown => {
            format!("unknown: neither a solution nor a proof that none satisfies all {all}; more --time may help\n")
        }
        Verdict::Conflict if found.conflict.is_empty() => {
            "conflict: there is no feasible solution, whatever is decided; without --prefix, constraints are explained\n"
                .to_owned()
        }
        Verdict::Conflict => {
            let least = if found.is_least {
                "without any one of them there is a solution"
            } else {
                "within the limits no more of them could be left out; some may not be needed"
            };
            format!("conflict: {} of {all} cannot hold together; {least}\n", found.conflict.len())
        }
    };
    // Writing to a string cannot fail.
    for name in &found.conflict {
        let _ = writeln!(text, "  {name}");
    }
    let _ = writeln!(text, "{} in {} s", counted(found.tests as usize, "test"), plain((seconds * 1e3).round() / 1e3));
    text
}
