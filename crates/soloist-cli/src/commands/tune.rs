//! `soloist tune`: finds parameters of a method.

use super::args::{FormatArgs, JobArgs, LimitArgs, MethodArgs, OUTPUT, ProblemParser, QuietArgs, SEARCH, StreamArgs};
use crate::terminal::{Terminal, output, signal};
use crate::units;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use soloist_problems::{Domain, RunSpec, Setting};
use soloist_study::Failure;
use soloist_study::tune::{self, Race, Range, TuneSpec};
use std::path::PathBuf;

const RUN_LIMITS: &str = "Limits of each run (one or more)";
const TUNING: &str = "Tuning";

const EXAMPLES: &str = "\
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

/// Arguments of `tune`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TuneArgs {
    /// The problem
    #[arg(value_name = "PROBLEM", value_parser = ProblemParser)]
    pub(crate) problem: &'static Domain,
    /// Instances to tune on: files, patterns, specs, ranges of seeds such as random:15x15x5:1..200
    #[arg(value_name = "INSTANCES", required = true)]
    pub(crate) instances: Vec<String>,

    #[command(flatten, next_help_heading = SEARCH)]
    pub(crate) method: MethodArgs,
    #[command(flatten, next_help_heading = SEARCH)]
    pub(crate) streams: StreamArgs,
    /// A parameter to tune (repeatable): KEY=LOW..HIGH, KEY=LOW..HIGH:log on a logarithmic scale, KEY=A|B|C among
    /// words. KEY alone: all values of a narrow range or of a choice, else a tenth to ten times the method's value.
    /// rollout=NAME:LOW..HIGH tunes the argument of a rollout, rollout=A|B the rollout
    #[arg(long, short, value_name = "KEY[=VALUES]", value_parser = Range::parameter, required = true, help_heading = SEARCH)]
    pub(crate) parameter: Vec<(String, Range)>,

    #[command(flatten, next_help_heading = RUN_LIMITS)]
    pub(crate) limits: LimitArgs,

    #[command(flatten, next_help_heading = TUNING)]
    pub(crate) tuning: TuningArgs,

    /// The folder of runs, trace, figure and result, made if missing; a tuning that it holds is continued
    #[arg(long, short, value_name = "DIR", default_value = "tuning", help_heading = OUTPUT)]
    pub(crate) out: PathBuf,
    #[command(flatten, next_help_heading = OUTPUT)]
    pub(crate) jobs: JobArgs,
    #[command(flatten, next_help_heading = OUTPUT)]
    pub(crate) format: FormatArgs,
    #[command(flatten, next_help_heading = OUTPUT)]
    pub(crate) quiet: QuietArgs,
    /// Start over: empty the file of runs first (only if it holds nothing but runs)
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) fresh: bool,
}

/// How a tuning goes.
#[derive(Args, Debug)]
pub(crate) struct TuningArgs {
    /// Settings drawn in each iteration
    #[arg(long, value_name = "N", value_parser = units::several, allow_hyphen_values = true, default_value = "30")]
    pub(crate) samples: usize,
    /// The best of them, to which the distribution moves; default: a fifth of the samples, at least 2
    #[arg(long, value_name = "N", value_parser = units::several, allow_hyphen_values = true)]
    pub(crate) elite: Option<usize>,
    /// Iterations
    #[arg(long, value_name = "N", value_parser = units::several, allow_hyphen_values = true, default_value = "10")]
    pub(crate) iterations: usize,
    /// Fresh instances of each iteration
    #[arg(long, value_name = "N", value_parser = units::several, allow_hyphen_values = true, default_value = "10")]
    pub(crate) batch: usize,
    /// How far the distribution moves to the elite in an iteration, above 0, at most 1
    #[arg(long, value_name = "X", value_parser = units::share, allow_hyphen_values = true, default_value = "0.7")]
    pub(crate) smoothing: f64,
    /// Begin with this mean instead of the middle of the range (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = units::setting)]
    pub(crate) start: Vec<Setting>,
    /// Drop settings within an iteration as soon as this test says that they do not belong to the best: a paired t
    /// test, or Hoeffding's bound, which assumes nothing but a range of the scores and drops later
    #[arg(long, value_name = "TEST", value_parser = race())]
    pub(crate) race: Option<Race>,
    /// Same as --race t
    #[arg(long, conflicts_with = "race")]
    pub(crate) racing: bool,
    /// With --race hoeffding: by how much the scores of two settings on one instance may differ; default: the largest
    /// difference so far in the iteration
    #[arg(long, value_name = "X", value_parser = units::positive, allow_hyphen_values = true)]
    pub(crate) spread: Option<f64>,
    /// Instances for the final comparison (repeatable; none of those to tune on); default: a quarter of INSTANCES, at
    /// most 50, is held out
    #[arg(long, value_name = "INSTANCES")]
    pub(crate) validation: Vec<String>,
    /// Seeds of each instance in the final comparison
    #[arg(long, value_name = "N", value_parser = units::several, allow_hyphen_values = true, default_value = "1")]
    pub(crate) validation_seeds: usize,
}

/// Reads the word of a race.
fn race() -> impl TypedValueParser<Value = Race> {
    let all = [Race::T, Race::Hoeffding];
    PossibleValuesParser::new(all.map(Race::name))
        .map(move |word| all.into_iter().find(|race| race.name() == word).unwrap_or(Race::T))
}

impl TuneArgs {
    /// What is tuned.
    fn spec(&self) -> TuneSpec {
        let tuning = &self.tuning;
        let run = RunSpec {
            threads: Some(self.streams.threads.unwrap_or(1)),
            ..self.method.spec(self.problem, self.limits.limits())
        };
        TuneSpec {
            start: tuning.start.clone(),
            validation: tuning.validation.clone(),
            validation_seeds: tuning.validation_seeds,
            samples: tuning.samples,
            elite: tuning.elite,
            iterations: tuning.iterations,
            batch: tuning.batch,
            smoothing: tuning.smoothing,
            race: tuning.race.or(tuning.racing.then_some(Race::T)),
            spread: tuning.spread,
            seed: self.streams.seed.unwrap_or(0),
            ..TuneSpec::new(self.problem, run, self.instances.clone(), self.parameter.clone())
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &TuneArgs) -> Result<u8, Failure> {
    signal::install(args.quiet.quiet)?;
    let terminal = Terminal::new(args.quiet.quiet);
    let (jobs, format) = (args.jobs.jobs, args.format.format());
    let done = tune::run(&args.spec(), &args.out, args.fresh, jobs, format, &terminal.context())?;
    output::print(&done.text)?;
    Ok(if done.is_complete { 0 } else { 130 })
}
