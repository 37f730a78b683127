//! The arguments of every command, with their help.

mod code;
mod help;
mod runs;
mod tune;

pub(crate) use code::{CodeArgs, FloatType};
pub(crate) use help::{command, plain_help};
pub(crate) use runs::{BenchArgs, ReportArgs, ReproduceArgs, ServeArgs};
pub(crate) use tune::{Race, TuneArgs};

use crate::values::{self, Setting};
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Args, Command, Parser, Subcommand, ValueEnum};
use soloist::Preset;
use soloist_problems::{DEFAULT_SECONDS, Domain, RunSpec, SpecError, domains, find_method, methods};
use std::ffi::OsStr;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Search for the best solution of single-player problems: puzzles, tours, packings, orderings.
///
/// A result goes to standard output, progress to standard error. Exit codes: 0 solved, 1 failure or invalid solution,
/// 2 wrong usage, 3 no feasible solution found, 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "soloist", version, propagate_version = true, max_term_width = 110, after_help = ROOT_EXAMPLES)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// When to colour messages (`auto` also heeds NO_COLOR)
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Commands,
}

const ROOT_EXAMPLES: &str = "\
Examples:
  soloist problems                                 what can be solved
  soloist solve samegame random:15x15x5:7 --time 10s
  soloist solve knapsack items.kp --json --out result.json
  soloist check knapsack items.kp result.json
  soloist simplify amplitude.txt > amplitude.c     expressions into code with few operations
  soloist bench comparison.toml                    methods x instances x seeds
  soloist tune knapsack random:50x1000:1..200 --method nrpa -p alpha=0.1..10:log --playouts 1000
  soloist report comparison.jsonl -o report.html   a page with charts of the runs
  soloist reproduce                                published experiments, repeated";

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Commands {
    /// Search for the best solution of an instance
    Solve(Box<SolveArgs>),
    /// Turn expressions into straight-line code with few operations
    Simplify(SimplifyArgs),
    /// Compare methods over instances and seeds at equal budgets
    Bench(BenchArgs),
    /// Tune the parameters of a method by the cross-entropy method or by racing
    Tune(Box<TuneArgs>),
    /// Repeat a published experiment: data, figures, tables
    Reproduce(ReproduceArgs),
    /// Make a page from runs: convergence, scores, comparisons, drawings
    Report(ReportArgs),
    /// Show files of runs, which may grow, on a live page
    Serve(ServeArgs),
    /// Verify a solution by code that shares nothing with the search
    Check(CheckArgs),
    /// Write the instance of a spec in the problem's file format
    Generate(GenerateArgs),
    /// List the problems, or show one with formats, options and rollouts
    Problems(ProblemsArgs),
    /// List the search methods, or show one with its parameters
    Methods(MethodsArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page (roff), or write one page for each command
    Man {
        /// Write soloist.1, soloist-solve.1, ... into this folder (made if missing) instead of printing
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

const SOLVE_EXAMPLES: &str = "\
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

const SEARCH: &str = "Search";
const LIMITS: &str = "Limits (whichever is reached first; none given: a default time)";
const OUTPUT: &str = "Output";
const CHECKPOINTS: &str = "Checkpoints";

/// The help of `--time`.
fn default_time() -> String {
    let default = format!("{DEFAULT_SECONDS}s without any limit; with --resume: {DEFAULT_SECONDS}s more");
    format!("Wall-clock time: 30, 30s, 1.5m, 2h, 500ms [default: {default}]")
}

/// Arguments of `solve`.
#[derive(Args, Debug)]
#[command(after_help = SOLVE_EXAMPLES)]
pub(crate) struct SolveArgs {
    /// The problem; `soloist problems` describes them
    #[arg(value_name = "PROBLEM", value_parser = ProblemParser)]
    pub(crate) problem: &'static Domain,
    /// A file in the problem's format, or a spec such as random:15x15x5:7 (`soloist problems PROBLEM` lists them)
    #[arg(value_name = "INSTANCE")]
    pub(crate) instance: String,

    /// The search method with its published parameters; default: the one that suits the instance
    #[arg(long, short, value_name = "NAME", value_parser = MethodName, hide_possible_values = true, help_heading = SEARCH)]
    pub(crate) method: Option<String>,
    /// Set an option of the problem or else a parameter of the method (repeatable; without --method: of the default
    /// method)
    #[arg(long, short, value_name = "KEY=VALUE", value_parser = values::setting, help_heading = SEARCH)]
    pub(crate) set: Vec<Setting>,
    /// The playout policy; default: the one that goes with the method
    #[arg(long, value_name = "NAME", help_heading = SEARCH)]
    pub(crate) rollout: Option<String>,
    /// The seed of all random draws [default: 0]
    #[arg(long, value_name = "N", value_parser = values::seed, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) seed: Option<u64>,
    /// Independent streams, a thread each, whose best result wins; 1 to 256 [default: 1]
    #[arg(long, short, value_name = "T", value_parser = values::threads, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) threads: Option<usize>,
    /// Start from a known solution: a result of `solve --json`, or a file in the problem's own solution format
    /// (repeatable)
    #[arg(long, value_name = "FILE", help_heading = SEARCH)]
    pub(crate) start: Vec<PathBuf>,
    /// Return the K best different solutions [default: 1]
    #[arg(long, value_name = "K", value_parser = values::keep, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) keep: Option<usize>,
    /// Bytes for search trees, lists and tables of all streams: when full, the least visited branches make room
    /// [default: 2GiB]. Units in any case: k, M, G, T and KiB, MiB, GiB, TiB (binary), kB, MB, GB, TB (decimal). Not
    /// counted: the instance, the states of playouts, policies of NRPA, solutions that are kept, and a checkpoint while
    /// it is written (up to the size of the search)
    #[arg(long, value_name = "SIZE", value_parser = values::size, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) memory: Option<u64>,
    /// Moves of a game after which the run ends with an error [default: 1000000]
    #[arg(long, value_name = "N", value_parser = values::count, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) max_moves: Option<u64>,

    #[arg(help = default_time())]
    #[arg(long, value_name = "TIME", value_parser = values::duration, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(crate) time: Option<Duration>,
    /// Playouts, exactly: 1000, 1e6, 200k, 5M, 1_000_000
    #[arg(long, value_name = "N", value_parser = values::count, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(crate) playouts: Option<u64>,
    /// Tree nodes created
    #[arg(long, value_name = "N", value_parser = values::count, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(crate) nodes: Option<u64>,
    /// Stop at the first solution with this score or a better one; alone it may run for ever
    #[arg(long, value_name = "SCORE", value_parser = values::score, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(crate) target: Option<f64>,
    /// Playouts without improvement after which a stream stops
    #[arg(long, value_name = "N", value_parser = values::count, allow_hyphen_values = true, help_heading = LIMITS)]
    pub(crate) stall: Option<u64>,

    /// Print the result as one JSON object
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
    /// Also write the result as JSON to FILE (replaced at the end)
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) out: Option<PathBuf>,
    /// Draw the solution into FILE
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) svg: Option<PathBuf>,
    /// Write events (start, improved, progress, end) to FILE as they come, one JSON object a line (an existing file is
    /// emptied when the search starts; with --resume they are appended)
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) events: Option<PathBuf>,
    /// Show the run live on a page at this port of 127.0.0.1, or of ADDR, until it ends; port 0 picks a free one
    #[arg(long, value_name = "[ADDR:]PORT", value_parser = values::address, help_heading = OUTPUT)]
    pub(crate) serve: Option<SocketAddr>,
    /// No progress on standard error; warnings of work that may be lost are shown
    #[arg(long, short, help_heading = OUTPUT)]
    pub(crate) quiet: bool,

    /// Write the state of the search to FILE now and then and at the end; an existing FILE must be the one that is
    /// resumed
    #[arg(long, value_name = "FILE", help_heading = CHECKPOINTS)]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Time between checkpoints
    #[arg(long, value_name = "TIME", value_parser = values::duration, allow_hyphen_values = true, default_value = "60s")]
    #[arg(requires = "checkpoint", help_heading = CHECKPOINTS)]
    pub(crate) checkpoint_every: Duration,
    /// Continue the search in FILE exactly; method, rollout, seed, threads and --keep come from it. FILE is written
    /// only if --checkpoint names it too. A --memory limit is not in it: repeat it. `auto` and `anneal` divide their
    /// budget in advance: with a larger one the run is not that of the larger budget from the start
    #[arg(long, value_name = "FILE", help_heading = CHECKPOINTS)]
    pub(crate) resume: Option<PathBuf>,
}

const SIMPLIFY_EXAMPLES: &str = "\
Examples:
  soloist simplify amplitude.txt > amplitude.c
  soloist simplify amplitude.txt --emit fortran --time 1m --out amplitude.f90
  soloist simplify arm.txt --float quad --out arm.c --header arm.h --self-test arm_test.c
  soloist simplify res:7,4 --emit json --order b4,b0,b3,b1,b2,a7,a0,a6,a1,a5,a2,a4,a3

The order of the variables is searched, then common pairs hidden in sums and products are extracted. The code goes to
standard output, a summary to standard error. The first Ctrl-C ends the search and prints the code so far (exit 130).";

/// Arguments of `simplify`.
#[derive(Args, Debug)]
#[command(after_help = SIMPLIFY_EXAMPLES)]
pub(crate) struct SimplifyArgs {
    /// Expressions as FORM, Mathematica, Maple, SymPy, Maxima, PARI or MATLAB print them, assignments of C or Fortran,
    /// or a spec such as res:7,4 (`soloist problems horner`)
    #[arg(value_name = "FILE")]
    pub(crate) file: String,
    /// The language of the code
    #[arg(long, short, value_enum, value_name = "LANGUAGE", default_value_t = Emit::C)]
    pub(crate) emit: Emit,
    /// The name of the function
    #[arg(long, value_name = "NAME", value_parser = values::identifier, default_value = "f")]
    pub(crate) function: String,
    /// The outputs in this order, by name [default: every statement that no other one uses, in the order of the text]
    #[arg(long, value_name = "A,B,C", value_parser = values::names)]
    pub(crate) outputs: Option<values::Names>,
    /// The inputs of the code in this order, by name, whether they are used or not [default: as they first occur]
    #[arg(long, value_name = "A,B,C", value_parser = values::names)]
    pub(crate) args: Option<values::Names>,
    /// Functions of FILE that the code does not compute: their values are inputs
    #[arg(long, value_name = "F,G", value_parser = values::names)]
    pub(crate) opaque: Option<values::Names>,
    /// The notation of FILE [default: by its marks]
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) notation: Option<From>,
    /// Write the code to FILE instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) code: CodeArgs,
    /// Do not check the code against the input
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// No summary on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Take this order of variables, outermost first, instead of searching; variables left out come innermost. Commas
    /// inside parentheses belong to the name, as in f(x,y)
    #[arg(long, value_name = "A,B,C", value_parser = values::names, help_heading = SEARCH)]
    pub(crate) order: Option<values::Names>,
    /// The search method; default: the one that suits orders
    #[arg(long, short, value_name = "NAME", value_parser = MethodName, hide_possible_values = true, help_heading = SEARCH)]
    #[arg(conflicts_with = "order")]
    pub(crate) method: Option<String>,
    /// Set a parameter of the method (repeatable)
    #[arg(long, short, value_name = "KEY=VALUE", value_parser = values::setting, conflicts_with = "order", help_heading = SEARCH)]
    pub(crate) set: Vec<Setting>,
    /// The seed of all random draws [default: 0]
    #[arg(long, value_name = "N", value_parser = values::seed, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) seed: Option<u64>,
    /// Independent streams of the search, a thread each; 1 to 256 [default: 1]
    #[arg(long, short, value_name = "T", value_parser = values::threads, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) threads: Option<usize>,
    /// Time of the search for an order: 30, 30s, 1.5m, 2h, 500ms [default: 30s and 2000 orders, whichever is reached
    /// first]; reading, the phases after the search and the verification are not counted, and end by Ctrl-C
    #[arg(long, value_name = "TIME", value_parser = values::duration, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) time: Option<Duration>,
    /// Orders that are scored, exactly: 1000, 1e6, 200k; fewer than 2000 shorten the later phases likewise
    #[arg(long, value_name = "N", value_parser = values::count, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) playouts: Option<u64>,
    /// After the search, find the best order of all and prove it, however long it takes: up to 24 variables, seconds
    /// for 14, twice as long for each further one; without this only where it takes a second or two, less with few
    /// --playouts
    #[arg(long, conflicts_with = "order", help_heading = SEARCH)]
    pub(crate) prove: bool,
    /// Attempts, for each of up to three orders, to take another variable next in some sub-expression than the order
    /// says, by annealing: some hundred thousand a second; 0: one order for all [default: by work, some 20 attempts for
    /// each operation, fewer with few --playouts; none with --order or --no-greedy, nor beyond 200,000 terms]
    #[arg(long, value_name = "N", value_parser = values::count_or_none, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) refine: Option<u64>,
    /// Attempts to lower the operations after the greedy phase, by annealing: ten thousands a second, more find more;
    /// 0: none [default: by work, some 10 attempts for each operation, 10k for small programs, fewer with few
    /// --playouts; none beyond 200,000 operations]
    #[arg(long, value_name = "N", value_parser = values::count_or_none, allow_hyphen_values = true, help_heading = SEARCH)]
    pub(crate) polish: Option<u64>,
    /// Stop after the Horner scheme and its common sub-expressions
    #[arg(long, conflicts_with = "polish", help_heading = SEARCH)]
    pub(crate) no_greedy: bool,
}

/// Notations that `simplify` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// FORM: `[x+y]` is a name
    Form,
    /// Mathematica: `f[x]` is a function
    Mathematica,
    /// Maple
    Maple,
    /// SymPy and Python
    Sympy,
    /// Maxima
    Maxima,
    /// MATLAB and Octave
    Matlab,
    /// Fortran: whole numbers are divided as such
    Fortran,
    /// C and C++: whole numbers are divided as such
    C,
}

/// Languages of `simplify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// A function of arrays; also C++ unless numbers are complex
    C,
    /// Templates of C++11 over the type of numbers
    Cpp,
    Rust,
    Fortran,
    Python,
    Form,
    Json,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
#[command(after_help = "Exit code: 0 valid, 1 invalid or unreadable.")]
pub(crate) struct CheckArgs {
    /// The problem
    #[arg(value_name = "PROBLEM", value_parser = ProblemParser)]
    pub(crate) problem: &'static Domain,
    /// The instance file or spec
    #[arg(value_name = "INSTANCE")]
    pub(crate) instance: String,
    /// A result of `solve --json` or the problem's own solution format; `-`: standard input
    #[arg(value_name = "SOLUTION")]
    pub(crate) solution: String,
    /// Set an option of the problem; default: as the result says. Contradicting the result is an error
    #[arg(long, short, value_name = "KEY=VALUE", value_parser = values::setting)]
    pub(crate) set: Vec<Setting>,
    /// Print the verdict as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

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
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, short)]
    pub(crate) force: bool,
}

/// Arguments of `problems`.
#[derive(Args, Debug)]
pub(crate) struct ProblemsArgs {
    /// Show this one in detail
    #[arg(value_name = "NAME", value_parser = ProblemParser)]
    pub(crate) name: Option<&'static Domain>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `methods`.
#[derive(Args, Debug)]
pub(crate) struct MethodsArgs {
    /// Show this one with its parameters
    #[arg(value_name = "NAME", value_parser = MethodParser)]
    pub(crate) name: Option<&'static Preset>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Turns a problem's name into the domain; completions learn the names from it.
#[derive(Clone, Debug)]
struct ProblemParser;

impl TypedValueParser for ProblemParser {
    type Value = &'static Domain;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<Self::Value, clap::Error> {
        let spec = RunSpec { problem: value.to_string_lossy().into_owned(), ..RunSpec::default() };
        spec.domain(domains()).map_err(|error| clap::Error::raw(ErrorKind::InvalidValue, error.message))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(domains().iter().map(|domain| PossibleValue::new(domain.name))))
    }
}

/// The name of a method. The [spec](soloist_problems::RunSpec) of the run looks it up: some methods belong to a
/// problem.
#[derive(Clone, Debug)]
struct MethodName;

impl TypedValueParser for MethodName {
    type Value = String;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<Self::Value, clap::Error> {
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        MethodParser.possible_values().map(|values| Box::new(values.collect::<Vec<_>>().into_iter()) as _)
    }
}

/// Turns a method's name into its preset.
#[derive(Clone, Debug)]
struct MethodParser;

impl TypedValueParser for MethodParser {
    type Value = &'static Preset;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<Self::Value, clap::Error> {
        let wrong = |error: SpecError| clap::Error::raw(ErrorKind::InvalidValue, error.message);
        find_method(&value.to_string_lossy()).map_err(wrong)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(methods().map(|preset| PossibleValue::new(preset.name))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn definitions_are_consistent() {
        Cli::command().debug_assert();
        command().debug_assert();
    }
}
