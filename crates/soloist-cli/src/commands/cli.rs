//! The arguments of the whole command.

use super::{bench, check, explain, gather, generate, list, report, reproduce, serve, solve, tune};
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

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
    Solve(Box<solve::SolveArgs>),
    #[cfg(feature = "expressions")]
    /// Turn expressions into straight-line code with few operations
    Simplify(Box<super::simplify::SimplifyArgs>),
    /// Compare methods over instances and seeds at equal budgets
    Bench(bench::BenchArgs),
    /// Tune the parameters of a method by the cross-entropy method or by racing
    Tune(Box<tune::TuneArgs>),
    /// Repeat a published experiment: data, figures, tables
    Reproduce(reproduce::ReproduceArgs),
    /// Make a page from runs: convergence, scores, comparisons, drawings
    Report(report::ReportArgs),
    /// Show files of runs, which may grow, on a live page
    Serve(serve::ServeArgs),
    /// Verify a solution by code that shares nothing with the search
    Check(check::CheckArgs),
    /// Find constraints of an instance that cannot hold together, where no solution is feasible
    Explain(explain::ExplainArgs),
    /// Gather what workers have left in a shared folder: the best solution, verified again
    Merge(gather::MergeArgs),
    /// Show how far the workers of a shared folder are
    Status(gather::StatusArgs),
    /// Write the instance of a spec in the problem's file format
    Generate(generate::GenerateArgs),
    /// List the problems, or show one with formats, options and rollouts
    Problems(list::ProblemsArgs),
    /// List the search methods, or show one with its parameters
    Methods(list::MethodsArgs),
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
