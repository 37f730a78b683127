//! Arguments that several commands share, each declared once.

use crate::units;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Args, Command};
use soloist::search::Preset;
use soloist_problems::{Domain, Limits, RunSpec, Setting, SpecError, domains, find_domain, find_method, methods};
use soloist_study::table::Format;
use std::ffi::OsStr;
use std::time::Duration;

pub(crate) const SEARCH: &str = "Search";
pub(crate) const OUTPUT: &str = "Output";

/// Limits of a run.
#[derive(Args, Clone, Debug)]
pub(crate) struct LimitArgs {
    /// Wall-clock time: 30, 30s, 1.5m, 2h, 500ms; not reproducible
    #[arg(long, value_name = "TIME", value_parser = units::duration, allow_hyphen_values = true)]
    pub(crate) time: Option<Duration>,
    /// Playouts, exactly: 1000, 1e6, 200k, 5M, 1_000_000
    #[arg(long, value_name = "N", value_parser = units::count, allow_hyphen_values = true)]
    pub(crate) playouts: Option<u64>,
    /// Nodes of trees, or the units of a problem's own search, such as moves tried: `soloist methods NAME` says which
    #[arg(long, value_name = "N", value_parser = units::count, allow_hyphen_values = true)]
    pub(crate) nodes: Option<u64>,
    /// Playouts without improvement after which a stream stops
    #[arg(long, value_name = "N", value_parser = units::count, allow_hyphen_values = true)]
    pub(crate) stall: Option<u64>,
    /// Bytes for search trees, lists and tables of all streams: when full, the least visited branches make room
    /// [default: 2GiB]. Units in any case: k, M, G, T and KiB, MiB, GiB, TiB (binary), kB, MB, GB, TB (decimal). Not
    /// counted: the instance, the states of playouts, policies of NRPA, what a problem's own search holds, solutions
    /// that are kept, and a checkpoint while it is written (up to the size of the search)
    #[arg(long, value_name = "SIZE", value_parser = units::size, allow_hyphen_values = true)]
    pub(crate) memory: Option<u64>,
}

impl LimitArgs {
    /// The limits as a spec has them.
    pub(crate) fn limits(&self) -> Limits {
        let &Self { time, playouts, nodes, stall, memory } = self;
        Limits { time, playouts, nodes, stall, memory, ..Limits::default() }
    }
}

/// The method of a run with its settings.
#[derive(Args, Clone, Debug)]
pub(crate) struct MethodArgs {
    /// The search method with its published parameters; default: the one that suits the instance
    #[arg(long, short, value_name = "NAME", value_parser = MethodName, hide_possible_values = true)]
    pub(crate) method: Option<String>,
    /// Set an option of the problem or else a parameter of the method (repeatable; without --method: of the default
    /// method)
    #[arg(long, short, value_name = "KEY=VALUE", value_parser = units::setting)]
    pub(crate) set: Vec<Setting>,
    /// The playout policy; default: the one that goes with the method
    #[arg(long, value_name = "NAME")]
    pub(crate) rollout: Option<String>,
}

impl MethodArgs {
    /// The spec of a run of this method on `domain`.
    pub(crate) fn spec(&self, domain: &Domain, budget: Limits) -> RunSpec {
        RunSpec {
            problem: domain.name.to_owned(),
            method: self.method.clone(),
            set: self.set.iter().cloned().collect(),
            rollout: self.rollout.clone(),
            budget,
            ..RunSpec::default()
        }
    }
}

/// The random draws of a search.
#[derive(Args, Clone, Debug)]
pub(crate) struct StreamArgs {
    /// The seed of all random draws; `auto`: the number of the job in its array [default: 0]
    #[arg(long, value_name = "N", value_parser = units::job_index, allow_hyphen_values = true)]
    pub(crate) seed: Option<u64>,
    /// Threads, 1 to 256: each has a search with other draws, whose best result wins; beams are one search on all
    /// [default: 1]
    #[arg(long, short, value_name = "T", value_parser = units::threads, allow_hyphen_values = true)]
    pub(crate) threads: Option<usize>,
}

/// How many runs are made at a time.
#[derive(Args, Clone, Debug)]
pub(crate) struct JobArgs {
    /// Runs at a time, each with the memory of its budget; default: as many as there are cores for
    #[arg(long, short, value_name = "N", value_parser = units::threads, allow_hyphen_values = true)]
    pub(crate) jobs: Option<usize>,
}

/// How results are printed.
#[derive(Args, Clone, Debug)]
pub(crate) struct FormatArgs {
    /// Print the result as one JSON object
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print the tables in Markdown
    #[arg(long)]
    markdown: bool,
}

impl FormatArgs {
    /// The format asked for.
    pub(crate) fn format(&self) -> Format {
        match (self.json, self.markdown) {
            (true, _) => Format::Json,
            (false, true) => Format::Markdown,
            (false, false) => Format::Text,
        }
    }
}

/// Whether progress is shown.
#[derive(Args, Clone, Debug)]
pub(crate) struct QuietArgs {
    /// No progress on standard error; warnings of work that may be lost are shown
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Turns a problem's name into the domain; completions learn the names from it.
#[derive(Clone, Debug)]
pub(crate) struct ProblemParser;

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
pub(crate) struct MethodName;

impl TypedValueParser for MethodName {
    type Value = String;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<Self::Value, clap::Error> {
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(methods().map(|preset| PossibleValue::new(preset.name))))
    }
}

/// What `methods` is asked about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Listed {
    /// A method.
    Method(&'static Preset),
    /// The methods that suit a problem.
    Problem(&'static Domain),
}

/// Turns the name of a method or of a problem into what `methods` shows.
#[derive(Clone, Debug)]
pub(crate) struct ListedParser;

impl TypedValueParser for ListedParser {
    type Value = Listed;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<Self::Value, clap::Error> {
        let name = value.to_string_lossy();
        if let Some(domain) = find_domain(&name) {
            return Ok(Listed::Problem(domain));
        }
        let wrong = |error: SpecError| clap::Error::raw(ErrorKind::InvalidValue, error.message);
        find_method(&name).map(Listed::Method).map_err(wrong)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = methods().map(|preset| preset.name).chain(domains().iter().map(|domain| domain.name));
        Some(Box::new(names.map(PossibleValue::new)))
    }
}
