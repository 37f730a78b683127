//! The arguments of `solve`.

use crate::commands::args::{LimitArgs, MethodArgs, OUTPUT, ProblemParser, QuietArgs, SEARCH, StreamArgs};
use crate::units;
use clap::{Args, ValueEnum};
use soloist_problems::{DEFAULT_SECONDS, Domain};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

const EXAMPLES: &str = "\
Examples:
  soloist solve samegame board.txt                         the default method and time
  soloist solve samegame random:15x15x5:7 --playouts 1e6   a generated board, the same result everywhere
  soloist solve knapsack items.kp --method nrpa --set level=4 --set iterations=50 --time 2m
  soloist solve samegame board.txt --target 3000 --time 1h   stop early when 3000 is reached
  soloist solve samegame board.txt --time 1h --checkpoint run.ckpt --threads 4
  soloist solve samegame board.txt --time 2h --resume run.ckpt --checkpoint run.ckpt
                                       one hour more, because limits count the whole search
  soloist solve knapsack items.kp --json --quiet | jq .score

The first Ctrl-C stops the search and prints the best solution so far (exit 130), a second one
kills. Count limits (--playouts, --nodes, --stall) are reproducible, --time is not.";

const LIMITS: &str = "Limits (whichever is reached first; none given: a default time)";
const CHECKPOINTS: &str = "Checkpoints";

/// The text behind the arguments.
fn help() -> String {
    let default = format!("default: {DEFAULT_SECONDS}s without any limit; with --resume: {DEFAULT_SECONDS}s more");
    format!("{EXAMPLES}\nTime of a run [{default}].")
}

/// Arguments of `solve`.
#[derive(Args, Clone, Debug)]
#[command(after_help = help())]
pub(crate) struct SolveArgs {
    /// The problem; `soloist problems` describes them
    #[arg(value_name = "PROBLEM", value_parser = ProblemParser)]
    pub(crate) problem: &'static Domain,
    /// A file in the problem's format, or a spec such as random:15x15x5:7 (`soloist problems PROBLEM` lists them)
    #[arg(value_name = "INSTANCE")]
    pub(crate) instance: String,

    #[command(flatten, next_help_heading = SEARCH)]
    pub(crate) method: MethodArgs,
    #[command(flatten, next_help_heading = SEARCH)]
    pub(crate) streams: StreamArgs,
    /// Start from a known solution: a result of `solve --json`, or a file in the problem's own solution format
    /// (repeatable); one that is only begun is finished by random moves
    #[arg(long, value_name = "FILE", help_heading = SEARCH)]
    pub(crate) start: Vec<PathBuf>,
    /// Search only solutions that begin with the moves in FILE: a JSON list of moves, as results show them, or a
    /// file that --start reads, which may end before the solution does. Methods of the problem itself
    /// (`soloist problems PROBLEM`) make whole solutions and are refused
    #[arg(long, value_name = "FILE", help_heading = SEARCH)]
    pub(crate) prefix: Option<PathBuf>,
    /// Return the K best different solutions [default: 1]
    #[arg(long, value_name = "K", value_parser = units::keep, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) keep: Option<usize>,
    /// Moves of a game after which the run ends with an error [default: 1000000]
    #[arg(long, value_name = "N", value_parser = units::count, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) max_moves: Option<u64>,

    #[command(flatten, next_help_heading = LIMITS)]
    pub(crate) limits: LimitArgs,
    /// Stop at the first solution with this score or a better one; alone, the run may never end
    #[arg(long, value_name = "SCORE", value_parser = units::score, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(crate) target: Option<f64>,

    #[command(flatten, next_help_heading = OUTPUT)]
    pub(crate) output: OutputArgs,

    #[command(flatten, next_help_heading = CHECKPOINTS)]
    pub(crate) checkpoints: CheckpointArgs,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
}

/// Where results go.
#[derive(Args, Clone, Debug)]
pub(crate) struct OutputArgs {
    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write the result as JSON to FILE (replaced at the end); a FILE that ends in .sol is written in the text
    /// format in which the field publishes solutions, where it has one (routes)
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Draw the solution into FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Write events (start, improved, progress, end) to FILE as they come, one JSON object a line (an existing file is
    /// emptied when the search starts; with --resume they are appended)
    #[arg(long, value_name = "FILE")]
    pub(crate) events: Option<PathBuf>,
    /// Show the run live on a page at this port of 127.0.0.1, or of ADDR, until it ends; port 0 picks a free one
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = units::address)]
    pub(crate) serve: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

/// What is saved of a search, and continued.
#[derive(Args, Clone, Debug)]
pub(crate) struct CheckpointArgs {
    /// Write the state of the search to FILE now and then and at the end; an existing FILE must be the one that is
    /// resumed
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Time between checkpoints
    #[arg(long, value_name = "TIME", value_parser = units::duration, allow_hyphen_values = true, default_value = "60s")]
    #[arg(requires = "checkpoint")]
    pub(crate) checkpoint_every: Duration,
    /// Continue the search in FILE exactly; method, rollout, seed, threads and --keep come from it. FILE is written
    /// only if --checkpoint names it too. A --memory limit is not in it: repeat it. `auto` and `anneal` divide their
    /// budget in advance: with a larger one the run is not that of the larger budget from the start
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
}

const CLUSTER: &str = "Clusters and schedulers";

/// Arguments for schedulers.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = CLUSTER)]
pub(crate) struct ClusterArgs {
    #[command(flatten)]
    pub(super) share: ShareArgs,
    /// Stop at this time of the clock: seconds since 1970, as in SLURM_JOB_END_TIME, or 2026-11-24T05:00:00Z. Leave a
    /// minute for what is written at the end
    #[arg(long, value_name = "TIME", value_parser = units::moment)]
    pub(super) until: Option<SystemTime>,
    /// Exit with this code where a signal or --until has stopped a search that is not at its limits, so that the
    /// scheduler starts it again [default: 130 after a signal, 0 after --until]
    #[arg(long, value_name = "CODE", value_parser = clap::value_parser!(u8).range(1..))]
    pub(super) requeue_code: Option<u8>,
    /// Continue the search in the file of --checkpoint if there is one, else start: the same call for the first start
    /// and all later ones. The other arguments must be those of the first call
    #[arg(long, requires = "checkpoint", conflicts_with = "resume")]
    pub(super) resume_if_exists: bool,
}

/// Which solutions a worker takes from the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Exchange {
    /// The best of all workers, before each slice
    Best,
    /// None: each worker makes the run of its seed
    None,
}

/// Arguments of a worker.
#[derive(Args, Clone, Debug)]
pub(crate) struct ShareArgs {
    /// Work with others in this folder (made if missing): the files worker-I.json, a result, and worker-I.ckpt, from
    /// which the same call continues. `soloist status DIR` and `soloist merge DIR` read them
    #[arg(long, value_name = "DIR", requires = "worker", conflicts_with_all = ["checkpoint", "resume"])]
    pub(super) share: Option<PathBuf>,
    /// The number of this worker, which is added to the seed; `auto`: the number of the job in its array
    #[arg(long, value_name = "I", value_parser = units::job_index, requires = "share")]
    pub(super) worker: Option<u64>,
    /// Refuse a number of a worker above N
    #[arg(long, value_name = "N", value_parser = units::count, requires = "share")]
    pub(super) of: Option<u64>,
    /// Time between two looks into the folder [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = units::duration, requires = "share")]
    pub(super) share_every: Option<Duration>,
    /// Which solutions to take from the others [default: best]
    #[arg(long, value_name = "WHICH", value_enum, requires = "share")]
    pub(super) exchange: Option<Exchange>,
}
