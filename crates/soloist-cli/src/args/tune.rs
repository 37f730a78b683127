//! The arguments of `tune`.

use super::{MethodName, OUTPUT, ProblemParser, SEARCH};
use crate::values::{self, Setting};
use clap::{Args, ValueEnum};
use soloist_problems::Domain;
use std::path::PathBuf;
use std::time::Duration;

const RUN_LIMITS: &str = "Limits of each run (one or more)";
const TUNING: &str = "Tuning";

const TUNE_EXAMPLES: &str = "\
Examples:
  soloist tune samegame random:15x15x5:1..400 --method sp-mcts-cem -p c=1..10000:log -p w=0..1 --playouts 5k
  soloist tune knapsack items/*.kp --validation more/*.kp --method nrpa -p level=1..4 -p alpha=0.1..10:log --playouts 1k
  soloist tune snake d7k2 --validation d6k2 --method uct -p c=0.01..10:log -p 'value=mean|best' --playouts 2k --race t

Each iteration draws settings from a distribution (normal for numbers, chances for words), runs all of them on the same
fresh instances with the same seed, and moves the distribution to the best. The middle of the last distribution is the
result; it is compared with the method as it was on instances that took no part in the tuning.

DIR holds runs.jsonl (every run, as bench keeps them), trace.jsonl (one line an iteration), trace.svg and result.json.
The same call continues what was stopped or killed and gives the result of an undisturbed one, whatever --jobs, if the
budget is a count. Exit 130: interrupted.";

/// When a setting leaves the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Race {
    /// A paired t test
    T,
    /// Hoeffding's bound
    Hoeffding,
}

impl Race {
    /// The word of the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::T => "t",
            Self::Hoeffding => "hoeffding",
        }
    }
}

/// Arguments of `tune`.
#[derive(Args, Debug)]
#[command(after_help = TUNE_EXAMPLES)]
pub(crate) struct TuneArgs {
    /// The problem
    #[arg(value_name = "PROBLEM", value_parser = ProblemParser)]
    pub(crate) problem: &'static Domain,
    /// Instances to tune on: files, patterns, specs, ranges of seeds such as random:15x15x5:1..200
    #[arg(value_name = "INSTANCES", required = true)]
    pub(crate) instances: Vec<String>,

    /// The search method; default: the one that suits the instance
    #[arg(long, short, value_name = "NAME", value_parser = MethodName, hide_possible_values = true, help_heading = SEARCH)]
    pub(crate) method: Option<String>,
    /// A parameter to tune (repeatable): KEY=LOW..HIGH, KEY=LOW..HIGH:log on a logarithmic scale, KEY=A|B|C among
    /// words. KEY alone: all values of a narrow range or of a choice, else a tenth to ten times the method's value
    #[arg(long, short, value_name = "KEY[=VALUES]", value_parser = values::tuned, required = true, help_heading = SEARCH)]
    pub(crate) parameter: Vec<(String, values::Range)>,
    /// Set an option of the problem or a parameter that is not tuned (repeatable)
    #[arg(long, short, value_name = "KEY=VALUE", value_parser = values::setting, help_heading = SEARCH)]
    pub(crate) set: Vec<Setting>,
    /// The playout policy; default: the one that goes with the method
    #[arg(long, value_name = "NAME", help_heading = SEARCH)]
    pub(crate) rollout: Option<String>,
    /// Streams of each run, a thread each; 1 to 256
    #[arg(long, short, value_name = "T", value_parser = values::threads, allow_hyphen_values = true, default_value = "1", help_heading = SEARCH)]
    pub(crate) threads: usize,

    /// Wall-clock time of a run: 1s, 500ms; not reproducible
    #[arg(long, value_name = "TIME", value_parser = values::duration, allow_hyphen_values = true, help_heading = RUN_LIMITS)]
    pub(crate) time: Option<Duration>,
    /// Playouts of a run
    #[arg(long, value_name = "N", value_parser = values::count, allow_hyphen_values = true, help_heading = RUN_LIMITS)]
    pub(crate) playouts: Option<u64>,
    /// Tree nodes of a run
    #[arg(long, value_name = "N", value_parser = values::count, allow_hyphen_values = true, help_heading = RUN_LIMITS)]
    pub(crate) nodes: Option<u64>,
    /// Playouts without improvement after which a run ends
    #[arg(long, value_name = "N", value_parser = values::count, allow_hyphen_values = true, help_heading = RUN_LIMITS)]
    pub(crate) stall: Option<u64>,
    /// Bytes for the search trees of a run, as --memory of `solve` [default: 2GiB]
    #[arg(long, value_name = "SIZE", value_parser = values::size, allow_hyphen_values = true, help_heading = RUN_LIMITS)]
    pub(crate) memory: Option<u64>,

    /// Settings drawn in each iteration
    #[arg(long, value_name = "N", value_parser = values::several, allow_hyphen_values = true, default_value = "30", help_heading = TUNING)]
    pub(crate) samples: usize,
    /// The best of them, to which the distribution moves; default: a fifth of the samples, at least 2
    #[arg(long, value_name = "N", value_parser = values::several, allow_hyphen_values = true, help_heading = TUNING)]
    pub(crate) elite: Option<usize>,
    /// Iterations
    #[arg(long, value_name = "N", value_parser = values::several, allow_hyphen_values = true, default_value = "10", help_heading = TUNING)]
    pub(crate) iterations: usize,
    /// Fresh instances of each iteration
    #[arg(long, value_name = "N", value_parser = values::several, allow_hyphen_values = true, default_value = "10", help_heading = TUNING)]
    pub(crate) batch: usize,
    /// How far the distribution moves to the elite in an iteration, above 0, at most 1
    #[arg(long, value_name = "X", value_parser = values::share, allow_hyphen_values = true, default_value = "0.7", help_heading = TUNING)]
    pub(crate) smoothing: f64,
    /// Begin with this mean instead of the middle of the range (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::setting, help_heading = TUNING)]
    pub(crate) start: Vec<Setting>,
    /// Drop settings within an iteration as soon as this test says that they do not belong to the best: a paired t
    /// test, or Hoeffding's bound, which assumes nothing but a range of the scores and drops later
    #[arg(long, value_name = "TEST", value_enum, help_heading = TUNING)]
    pub(crate) race: Option<Race>,
    /// Short for --race t
    #[arg(long, conflicts_with = "race", help_heading = TUNING)]
    pub(crate) racing: bool,
    /// With --race hoeffding: by how much the scores of two settings on one instance may differ; default: what was met
    /// so far in the iteration
    #[arg(long, value_name = "X", value_parser = values::positive, allow_hyphen_values = true, help_heading = TUNING)]
    pub(crate) spread: Option<f64>,
    /// The seed of draws and runs [default: 0]
    #[arg(long, value_name = "N", value_parser = values::seed, allow_hyphen_values = true, help_heading = TUNING)]
    pub(crate) seed: Option<u64>,
    /// Instances for the final comparison (repeatable; none of those to tune on); default: a quarter of INSTANCES, at
    /// most 50, is held out
    #[arg(long, value_name = "INSTANCES", help_heading = TUNING)]
    pub(crate) validation: Vec<String>,
    /// Seeds of each instance in the final comparison
    #[arg(long, value_name = "N", value_parser = values::several, allow_hyphen_values = true, default_value = "1", help_heading = TUNING)]
    pub(crate) validation_seeds: usize,

    /// The folder of runs, trace, figure and result, made if missing; a tuning that it holds is continued
    #[arg(long, short, value_name = "DIR", default_value = "tuning", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    /// Runs at a time; default: as many as there are cores for
    #[arg(long, short, value_name = "N", value_parser = values::threads, allow_hyphen_values = true, help_heading = OUTPUT)]
    pub(crate) jobs: Option<usize>,
    /// Print the result as one JSON object
    #[arg(long, conflicts_with = "markdown", help_heading = OUTPUT)]
    pub(crate) json: bool,
    /// Print the tables in Markdown
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) markdown: bool,
    /// No progress on standard error
    #[arg(long, short, help_heading = OUTPUT)]
    pub(crate) quiet: bool,
    /// Start over: empty the file of runs first (only if it holds nothing but runs)
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) fresh: bool,
}

impl TuneArgs {
    /// The race that was asked for.
    pub(crate) fn race(&self) -> Option<Race> {
        self.race.or(self.racing.then_some(Race::T))
    }
}
