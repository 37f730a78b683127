//! The arguments of the commands that make many runs and show them: `bench`, `reproduce`, `report`, `serve`.

use crate::reproduce;
use crate::values;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

const STUDY: &str = "Study of sa-uct";

const BENCH_EXAMPLES: &str = "\
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
#[command(after_help = BENCH_EXAMPLES)]
pub(crate) struct BenchArgs {
    /// What to compare
    #[arg(value_name = "SPEC.toml")]
    pub(crate) spec: PathBuf,
    /// The file of runs, appended to; default: SPEC.jsonl
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Runs at a time, each with the budget's memory; default: as the spec says, else as many as there are cores for
    #[arg(long, short, value_name = "N", value_parser = values::threads, allow_hyphen_values = true)]
    pub(crate) jobs: Option<usize>,
    /// Multiply time, playouts and nodes of all budgets, for a quick try (such runs are others than the full ones)
    #[arg(long, value_name = "X", value_parser = values::scale, allow_hyphen_values = true, default_value = "1")]
    pub(crate) scale: f64,
    /// Only methods or instances with TEXT in their name (repeatable; all must match)
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Vec<String>,
    /// List the runs with an estimate of their time, and run nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print the figures as one JSON object
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
    /// Print the tables in Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
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
    /// Show the runs live on a page at this port of 127.0.0.1, or of ADDR, until they end; port 0 picks a free one
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = values::address)]
    pub(crate) serve: Option<SocketAddr>,
    /// No progress on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Start over: empty the file of runs first (only if it holds nothing but runs)
    #[arg(long)]
    pub(crate) fresh: bool,
    /// Keep no solutions in the file of runs (they cannot be checked again then)
    #[arg(long)]
    pub(crate) no_solutions: bool,
}

const REPRODUCE_EXAMPLES: &str = "\
Examples:
  soloist reproduce --list                               what there is, and the scales for a quick look
  soloist reproduce baier-figure-6 --scale 0.003         three thousandths of the paper's budget
  soloist reproduce schadd-table-6 --scale 0.25 --data DATA --limit 50
  soloist reproduce schadd-table-4 --out DIR --report-only     the verdicts again from the runs in DIR
  soloist reproduce --all --hours 8 --out CAMPAIGN --data DATA
  soloist reproduce --status CAMPAIGN                    how far that is
  soloist reproduce sa-uct --samples 400 --out study     a quick look at the study of SA-UCT
  soloist reproduce sa-uct --out study                   the same study with all samples: continues there

DIR holds report.md and report.json (ours beside the published values, and what became of the paper's claims),
figure.svg, runs.jsonl (the finished runs, as `bench` keeps them), tuning.jsonl where settings are chosen, and spec.toml,
the runs as a spec of `bench`. Of sa-uct it holds samples.jsonl, a figure for each direction and summary.json.
The same call continues an interrupted experiment (exit 130).";

/// Arguments of `reproduce`.
#[derive(Args, Clone, Debug)]
#[command(after_help = REPRODUCE_EXAMPLES)]
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
    #[arg(long, value_name = "H", value_parser = values::positive, allow_hyphen_values = true, requires = "all")]
    pub(crate) hours: Option<f64>,
    /// Show how far --all is below DIR, and what the rest costs
    #[arg(long, value_name = "DIR", conflicts_with_all = ["experiment", "list", "report_only"])]
    pub(crate) status: Option<PathBuf>,
    /// Run nothing: work the verdicts out again from the runs in --out, with the scale of its report.json
    #[arg(long, requires = "experiment", conflicts_with = "list")]
    pub(crate) report_only: bool,
    /// Multiply the paper's budgets (of sa-uct: the samples); --list names a scale for a quick look
    #[arg(long, value_name = "X", value_parser = values::scale, allow_hyphen_values = true, default_value = "1")]
    pub(crate) scale: f64,
    /// The folder of instances that may not be shipped [default: data]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Use the first N instances [default: as the report says, at most those of the paper]
    #[arg(long, value_name = "N", value_parser = values::limit, allow_hyphen_values = true)]
    pub(crate) limit: Option<usize>,
    /// The folder of the results, made if missing; an experiment that it holds is continued [default: ID]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Jobs at a time; default: as many as there are cores
    #[arg(long, short, value_name = "N", value_parser = values::threads, allow_hyphen_values = true)]
    pub(crate) jobs: Option<usize>,
    /// Print the summary as one JSON object
    #[arg(long, conflicts_with = "markdown")]
    pub(crate) json: bool,
    /// Print the tables in Markdown
    #[arg(long)]
    pub(crate) markdown: bool,
    /// No progress on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Draws of the exploration constant, each used for every method, number of updates and direction [default: 4000]
    #[arg(long, value_name = "N", value_parser = reproduce::samples, allow_hyphen_values = true, help_heading = STUDY)]
    pub(crate) samples: Option<u64>,
    /// The expression: a spec or a file (`soloist problems horner`) [default: res:7,5]
    #[arg(long, value_name = "INSTANCE", help_heading = STUDY)]
    pub(crate) instance: Option<String>,
    /// Numbers of updates (playouts of a tree), one panel each [default: 300,1000,3000]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = reproduce::updates, help_heading = STUDY)]
    pub(crate) updates: Option<Vec<u64>>,
    /// Which end of the order is decided first [default: forward,backward]
    #[arg(long, value_enum, value_name = "D,..", value_delimiter = ',', help_heading = STUDY)]
    pub(crate) directions: Option<Vec<reproduce::Facing>>,
    /// The seed of all random draws [default: 0]
    #[arg(long, value_name = "N", value_parser = values::seed, allow_hyphen_values = true, help_heading = STUDY)]
    pub(crate) seed: Option<u64>,
}

const REPORT_EXAMPLES: &str = "\
Examples:
  soloist report runs.jsonl -o report.html                 the runs of `soloist bench`
  soloist report events.jsonl -o report.html               those of `soloist solve --events`
  soloist report runs.jsonl --best-known best.csv          with gaps to the best known scores
  soloist report a.json b.json --title \"Two tries\" -o report.html

The page is one file that opens from disk and loads nothing from elsewhere. Solutions are drawn where the instance can
be opened: from a path that counts from the file of runs or from here.";

/// Arguments of `report`.
#[derive(Args, Debug)]
#[command(after_help = REPORT_EXAMPLES)]
pub(crate) struct ReportArgs {
    /// Runs of `bench`, events of `solve --events`, results of `solve --json`, in any mixture
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The page to write (replaced)
    #[arg(long, short, value_name = "FILE", default_value = "report.html")]
    pub(crate) output: PathBuf,
    /// The heading of the page; default: what the runs are about
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Best known scores, for gaps and targets: a CSV file with the columns instance and value, as `bench` reads it
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) best_known: Option<PathBuf>,
    /// Draw the best solutions of at most N instances of each problem
    #[arg(long, value_name = "N", value_parser = values::count_or_none, allow_hyphen_values = true, default_value = "50")]
    pub(crate) drawings: u64,
    /// No summary on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

const SERVE_EXAMPLES: &str = "\
Examples:
  soloist serve events.jsonl                      while `soloist solve --events events.jsonl` writes it
  soloist serve runs.jsonl --port 8000            the runs of `soloist bench`, the same address every time
  soloist solve samegame random:15x15x5:7 --time 10m --serve 8000      without a file

The page is served on 127.0.0.1, for this machine alone, until Ctrl-C (exit 130).";

/// Arguments of `serve`.
#[derive(Args, Debug)]
#[command(after_help = SERVE_EXAMPLES)]
pub(crate) struct ServeArgs {
    /// Events of `solve --events`, runs of `bench`, results of `solve --json`; each must hold a run already
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// The port on 127.0.0.1, or on ADDR; 0 picks a free one
    #[arg(long, short, value_name = "[ADDR:]PORT", value_parser = values::address, default_value = "0")]
    pub(crate) port: SocketAddr,
    /// The heading of the page; default: what the runs are about
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Say nothing but the address
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
