//! Claims of the searches on instances given as text: `campaigns/adversary.py` draws them and judges what is said.
//!
//! Each line of the input is an instance with some runs, each line of the output the results of these runs. What a run
//! asks for and what its result says is the same for the trees of [`trees`](crate::trees).

use crate::checkpoints::finding;
use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use soloist::{Budget, Score, Setup};
use soloist_problems::{AnyInstance, Options, Report, Request, Unobserved, contents, find_domain};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

/// A line of the input.
#[derive(Debug, Deserialize)]
struct Line {
    problem: String,
    /// The content of the file.
    text: String,
    #[serde(default)]
    options: Options,
    runs: Vec<Run>,
}

/// A run asked for.
#[derive(Debug, Deserialize)]
pub(crate) struct Run {
    method: String,
    set: BTreeMap<String, String>,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    playouts: u64,
    pub(crate) nodes: u64,
    memory: u64,
    /// Where the run ends in any case: a proof that comes late is one claim like any other.
    milliseconds: u64,
    /// Playouts after which the run is saved and restored, each counted from the last cut.
    pub(crate) cuts: Vec<u64>,
    /// The part of the effort for an attempt at a proof beside the method.
    #[serde(default)]
    proof: f64,
    #[serde(default)]
    target: Option<f64>,
    #[serde(default)]
    stall: Option<u64>,
    #[serde(default)]
    keep: usize,
    /// Starts from the solution of a random game of this seed.
    #[serde(default)]
    start: Option<u64>,
    /// Every solution begins as a random game of this seed: with so many of its moves.
    #[serde(default)]
    prefix: Option<(u64, usize)>,
}

/// What came of a run.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Answer {
    /// The settings do not go together.
    Refused { refused: String },
    /// Something that should not happen.
    Error { error: String },
    /// What the run claims.
    Result {
        feasible: bool,
        score: Option<f64>,
        optimal: bool,
        infeasible: bool,
        bound: Option<f64>,
        stop: String,
        /// The moves that every solution had to begin with, as results show them.
        prefix: Value,
    },
}

/// Why there is no result.
pub(crate) enum Refusal {
    /// The settings do not go together.
    Refused(String),
    /// The run ended with an error.
    Failed(String),
}

impl Refusal {
    pub(crate) fn refused(error: impl std::fmt::Display) -> Self {
        Self::Refused(error.to_string())
    }

    pub(crate) fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<soloist::run::SolveError> for Refusal {
    fn from(error: soloist::run::SolveError) -> Self {
        use soloist::run::SolveError::{Memory, Method, Portfolio};
        match error {
            Method(_) | Memory { .. } | Portfolio(_) => Self::refused(error),
            error => Self::failed(error),
        }
    }
}

impl Run {
    /// The method with its settings, the seed and the number of streams.
    pub(crate) fn setup(&self) -> Result<Setup, Refusal> {
        let mut setup = Setup::preset(&self.method).map_err(|_| Refusal::refused("no such method"))?;
        for (name, value) in &self.set {
            setup.method.set(name, value).map_err(Refusal::refused)?;
        }
        (setup.seed, setup.threads, setup.proof) = (self.seed, self.threads, self.proof);
        Ok(setup)
    }

    /// The limits of the whole run.
    pub(crate) fn limits(&self) -> Budget {
        Budget {
            nodes: Some(self.nodes),
            memory: self.memory,
            target: self.target,
            stall: self.stall,
            time: Some(Duration::from_millis(self.milliseconds)),
            ..Budget::playouts(self.playouts)
        }
    }
}

/// Returns what `run` claims; a panic is an error.
pub(crate) fn answer(run: impl FnOnce() -> Result<Answer, Refusal>) -> Answer {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(answer)) => answer,
        Ok(Err(Refusal::Refused(refused))) => Answer::Refused { refused },
        Ok(Err(Refusal::Failed(error))) => Answer::Error { error },
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            Answer::Error { error: format!("panic: {}", text.unwrap_or_default()) }
        }
    }
}

/// Answers each line of `input` with a line of `output`.
pub(crate) fn lines<L: DeserializeOwned>(
    input: impl BufRead,
    mut output: impl Write,
    mut reply: impl FnMut(L) -> Result<Vec<Answer>>,
) -> Result<()> {
    for line in input.lines() {
        let line: L = serde_json::from_str(&line?).context("a line with runs")?;
        serde_json::to_writer(&mut output, &reply(line)?)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}

/// The moves of a random game, as results show them.
fn game(instance: &dyn AnyInstance, seed: u64) -> Result<Report, Refusal> {
    let mut setup = Setup::preset("sampling").map_err(|_| Refusal::failed("no method sampling"))?;
    setup.seed = seed;
    let request = Request { setup: Some(setup), budget: Budget::playouts(1), ..Request::default() };
    Ok(instance.solve(request, &mut Unobserved)?)
}

/// Makes one run, in parts where it has cuts, and verifies the solutions that it returns.
fn run(problem: &str, instance: &dyn AnyInstance, run: &Run) -> Result<Answer, Refusal> {
    let (setup, limits) = (run.setup()?, run.limits());
    let start = match run.start {
        // In the form in which the command reads results; what breaks a rule is no start.
        Some(seed) => match game(instance, seed)? {
            report if report.score().is_some_and(|score| score.is_feasible()) => {
                let (moves, solution) = (report.moves(), report.solution());
                let result = serde_json::json!({ "problem": problem, "moves": moves, "solution": solution });
                vec![instance.start_from(&result.to_string()).map_err(Refusal::failed)?]
            }
            _ => Vec::new(),
        },
        None => Vec::new(),
    };
    let mut shown = Value::Null;
    let prefix = match run.prefix {
        Some((seed, length)) => {
            let moves = game(instance, seed)?.moves().as_array().cloned().unwrap_or_default();
            shown = moves.into_iter().take(length).collect();
            Some(instance.prefix_from(&shown.to_string()).map_err(Refusal::failed)?)
        }
        None => None,
    };
    let request =
        Request { setup: Some(setup), budget: limits.clone(), start, prefix, keep: run.keep, ..Request::default() };
    let mut session = instance.start(request)?;
    for &cut in &run.cuts {
        session.advance(&Budget { nodes: Some(run.nodes), ..Budget::playouts(cut) }, None, &mut Unobserved)?;
        let request = Request { resume: Some(session.save()), budget: limits.clone(), ..Request::default() };
        session = instance
            .start(request)
            .map_err(|error| Refusal::Failed(format!("its own checkpoint is refused: {error}")))?;
    }
    session.advance(&limits, None, &mut Unobserved)?;
    let report = session.report();
    if let Some(wrong) = finding(problem, instance, &report) {
        return Err(Refusal::Failed(wrong));
    }
    let score = report.score().and_then(Score::value);
    Ok(Answer::Result {
        feasible: score.is_some(),
        score,
        optimal: report.optimal,
        infeasible: report.infeasible,
        bound: report.bound,
        stop: report.stop.to_string(),
        prefix: shown,
    })
}

/// Answers each line of `input`, an instance with runs, with a line of `output`.
///
/// # Errors
/// A line that is something else, an instance that is not read, and streams that fail.
pub fn serve(input: impl BufRead, output: impl Write) -> Result<()> {
    const NAME: &str = "instance.txt";
    lines(input, output, |Line { problem, text, options, runs }| {
        let domain = find_domain(&problem).with_context(|| format!("no problem {problem}"))?;
        let given = vec![(PathBuf::from(NAME), text.into_bytes())];
        let (opened, _) = contents::with_contents(Some(given), || domain.open(NAME, &options));
        Ok(match opened {
            Ok(instance) => runs.iter().map(|one| answer(|| run(&problem, &*instance, one))).collect(),
            Err(error) => runs.iter().map(|_| Answer::Error { error: format!("not read: {error}") }).collect(),
        })
    })
}
