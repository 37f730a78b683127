//! `soloist bench`: compares methods over instances and seeds at equal budgets.

use super::args::{FormatArgs, JobArgs, QuietArgs};
use crate::terminal::{Terminal, output, signal};
use crate::units;
use clap::Args;
use soloist_problems::registry;
use soloist_study::Failure;
use soloist_study::bench::{Bench, Detail, Findings, Folder, Plan, Running, Shown, dry_run};
use soloist_study::files::{Guarded, Target};
use soloist_study::table::Format;
use soloist_study::text::counted;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Example of a SPEC.toml:
  problem = \"samegame\"
  instances = [\"boards/*.txt\", \"random:15x15x5:1..50\"]   # files beside SPEC.toml, specs, ranges of seeds
  seeds = [1, 2]                    # or \"1..5\"
  budget = { time = \"10s\" }         # time, playouts, nodes, target, stall, memory; [[method]] may have its own
  [[method]]
  method = \"uct\"
  set = { c = 0.5 }
  [[method]]
  name = \"my nrpa\"                  # in tables
  method = \"nrpa\"                   # without: each instance's default
  rollout = \"random\"
  [profile]
  gaps = [\"5%\", \"1%\"]               # targets of --profile; or scores = [..]; columns: playouts = [..], seconds = [..]
Further keys: title, limit_instances, options, threads, jobs, compare.baseline, and best_known = \"best.csv\", a file
beside SPEC.toml with the columns instance,value, for the gap to the best known scores.

Each finished run is verified and appended to the file of runs at once; the same call continues there. Instances
are the sample of all tests: several seeds are averaged first. Ctrl-C stops the runs at work without keeping them
and prints what is complete (exit 130). Exit 1: a failure, or a result that failed verification.";

/// Arguments of `bench`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BenchArgs {
    /// What to compare
    #[arg(value_name = "SPEC.toml")]
    pub(crate) spec: PathBuf,
    /// The file of runs, appended to; default: SPEC.jsonl
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) jobs: JobArgs,
    /// Multiply time, playouts and nodes of all budgets, for a quick try (these count as different runs)
    #[arg(long, value_name = "X", value_parser = units::scale, allow_hyphen_values = true, default_value = "1")]
    pub(crate) scale: f64,
    /// Only methods or instances with TEXT in their name (repeatable; all must match)
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Vec<String>,
    /// Only the I-th of N parts of the runs, for I from 1 to N; each part has its own file of runs [default:
    /// SPEC-I-of-N.jsonl]. Without this option, `bench` continues with the parts joined by `cat`
    #[arg(long, value_name = "I/N", value_parser = units::shard)]
    pub(crate) shards: Option<(usize, usize)>,
    /// List the runs with an estimate of their time, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) format: FormatArgs,
    #[command(flatten)]
    pub(crate) shown: ShownArgs,
    /// Show the runs live on a page at this port of 127.0.0.1, or of ADDR, until they end; port 0 picks a free one
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = units::address)]
    pub(crate) serve: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
    /// Start over: empty the file of runs first (only if it holds nothing but runs)
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Keep no solutions in the file of runs (they cannot be checked again then)
    #[arg(long)]
    pub(crate) no_solutions: bool,
}

/// What is shown beside the table of the methods.
#[derive(Args, Debug)]
pub(crate) struct ShownArgs {
    /// Also print a table of the instances
    #[arg(long)]
    pub(crate) instances: bool,
    /// Also print which part of the runs reached each target by how many playouts and seconds
    #[arg(long)]
    pub(crate) profile: bool,
    /// Draw these profiles into FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Write runs and tables as CSV files into DIR (made if missing): runs, methods, comparisons, instances, profile
    #[arg(long, value_name = "DIR")]
    pub(crate) csv: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &BenchArgs) -> Result<u8, Failure> {
    let mut plan = Plan::read(&args.spec, args.scale, registry())?;
    plan.filter(&args.filter)?;
    if let Some((part, parts)) = args.shards {
        plan.shard(part, parts)?;
    }
    let path = args.out.clone().unwrap_or_else(|| usual(&args.spec, args.shards));
    let (jobs, format) = (args.jobs.jobs, args.format.format());
    if args.dry_run {
        let path = (!args.fresh).then_some(path.as_path());
        output::print(&dry_run(&plan, path, jobs, format == Format::Json)?)?;
        return Ok(0);
    }
    let outputs = Outputs::check(args, &plan, &path)?;
    let mut bench = Bench::open(&plan, &path, args.fresh)?;
    signal::install(args.quiet.quiet)?;
    let terminal = Terminal::new(args.quiet.quiet);
    let context = terminal.context();
    bench.announce(jobs, &context);
    let feed = match args.serve {
        Some(address) => {
            let feed = bench.feed(&args.spec, &context)?;
            terminal.serve(address, &feed)?;
            Some(feed)
        }
        None => None,
    };
    let detail = if args.no_solutions { Detail::Improvements } else { Detail::All };
    let running = Running { jobs, detail, feed };
    let ran = bench.run(&running, &context);
    if let Some(feed) = &running.feed {
        feed.close();
    }
    let findings = bench.findings();
    let text = findings.text(Shown { format, instances: args.shown.instances, profile: args.shown.profile });
    Failure::of_all([ran, output::print(&text), outputs.write(&findings)])?;
    match findings.unverified() {
        0 if findings.missing() > 0 => Ok(130),
        0 => Ok(0),
        count => Err(Failure::runtime(format!("{} failed verification", counted(count, "result")))),
    }
}

/// The file of runs of a spec, or of a part of its runs.
fn usual(spec: &Path, shards: Option<(usize, usize)>) -> PathBuf {
    let Some((part, parts)) = shards else { return spec.with_extension("jsonl") };
    let stem = spec.file_stem().unwrap_or_default().to_string_lossy();
    spec.with_file_name(format!("{stem}-{part}-of-{parts}.jsonl"))
}

/// The files to write at the end, all of them found writable.
struct Outputs {
    csv: Option<Folder>,
    svg: Option<Target>,
}

impl Outputs {
    /// Checks the files to write against those that are read, the runs at `runs` and each other.
    fn check(args: &BenchArgs, plan: &Plan, runs: &Path) -> Result<Self, Failure> {
        let mut files = Guarded::default();
        files.add(&args.spec, "the spec");
        plan.files().for_each(|(path, what)| files.add(path, what));
        files.check("the file of runs", runs)?;
        files.add(runs, "the runs");
        if let Some(path) = &args.shown.svg {
            files.check("--svg", path)?;
            files.add(path, "the drawing of --svg");
        }
        let svg = args.shown.svg.as_deref().map(Target::new).transpose()?;
        let csv = args.shown.csv.as_deref().map(|folder| Folder::new(folder, &files)).transpose()?;
        Ok(Self { csv, svg })
    }

    fn write(&self, findings: &Findings<'_>) -> Result<(), Failure> {
        let csv = self.csv.as_ref().map_or(Ok(()), |folder| folder.write(findings));
        let svg = match (&self.svg, findings.svg()) {
            (Some(target), Some(svg)) => target.write(&svg),
            (Some(target), None) => {
                output::note(&format!("no runs to draw, {} is not written", target.shown()));
                Ok(())
            }
            (None, _) => Ok(()),
        };
        Failure::of_all([csv, svg])
    }
}
