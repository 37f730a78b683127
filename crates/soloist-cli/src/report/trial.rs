//! A run as files tell it: what was asked for, how the best score developed, how it ended.

use crate::machine::Machine;
use crate::result::plain;
use serde::Deserialize;
use serde_json::{Map, Value};
use soloist::Sense;
use soloist_problems::Options;
use std::sync::Arc;

/// A run, finished or not.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// The file that holds the run, as an index into the files that were read.
    pub(crate) file: usize,
    /// The name that a comparison gave to the method; `None`: run by `solve`.
    pub(crate) label: Option<String>,
    pub(crate) problem: String,
    pub(crate) instance: String,
    /// Sizes and rules of the instance in one line, where they are recorded.
    pub(crate) describe: Option<String>,
    pub(crate) options: Options,
    pub(crate) sense: Sense,
    /// The preset.
    pub(crate) method: String,
    /// Shared by the runs that have the same.
    pub(crate) parameters: Arc<Map<String, Value>>,
    pub(crate) rollout: String,
    pub(crate) seed: u64,
    pub(crate) threads: u64,
    /// The limits by the names of the command line; null: not recorded. Shared like the parameters.
    pub(crate) budget: Arc<Value>,
    pub(crate) version: String,
    /// The machine on which the run was made, in words. Shared like the parameters.
    pub(crate) machine: Option<Arc<str>>,
    /// The improvements of the best solution, in order.
    pub(crate) points: Vec<Point>,
    pub(crate) playouts: u64,
    pub(crate) nodes: u64,
    pub(crate) seconds: f64,
    /// The best score; `None`: no feasible solution.
    pub(crate) score: Option<f64>,
    pub(crate) violation: Option<f64>,
    pub(crate) bound: Option<f64>,
    pub(crate) optimal: bool,
    /// Whether the result passed its verification when it was recorded; `None`: not recorded.
    pub(crate) verified: Option<bool>,
    /// Why the run ended; `None`: it did not, as far as the file tells.
    pub(crate) stop: Option<String>,
    /// The best solution in the problem's own terms, as JSON: values would take several times the memory.
    pub(crate) solution: Option<Box<str>>,
}

/// An improvement of the best solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) playouts: u64,
    /// `None`: the file does not tell the time.
    pub(crate) seconds: Option<f64>,
    /// `None`: infeasible.
    pub(crate) score: Option<f64>,
}

/// What the horizontal axis of a chart counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    Playouts,
    Seconds,
}

impl Point {
    /// When the improvement was made; `None`: unknown.
    pub(crate) fn at(&self, clock: Clock) -> Option<f64> {
        match clock {
            Clock::Playouts => Some(self.playouts as f64),
            Clock::Seconds => self.seconds,
        }
    }
}

impl Trial {
    /// The score, if a feasible solution was found that did not fail its verification.
    pub(crate) fn value(&self) -> Option<f64> {
        self.score.filter(|_| self.verified != Some(false))
    }

    /// How long the run was.
    pub(crate) fn length(&self, clock: Clock) -> f64 {
        match clock {
            Clock::Playouts => self.playouts as f64,
            Clock::Seconds => self.seconds,
        }
    }

    /// The feasible improvements as (when, score); `None` if one of them has no such time.
    pub(crate) fn steps(&self, clock: Clock) -> Option<Vec<(f64, f64)>> {
        let feasible = self.points.iter().filter_map(|point| Some((point, point.score?)));
        feasible.map(|(point, score)| Some((point.at(clock)?, score))).collect()
    }

    /// What the search is, in a text that is equal for equal searches; limits are left out.
    pub(super) fn key(&self) -> String {
        let Self { label, problem, instance, options, method, parameters, rollout, seed, threads, .. } = self;
        format!("{label:?} {problem:?} {instance:?} {options:?} {method:?} {parameters:?} {rollout:?} {seed} {threads}")
    }

    /// The limits in words, as far as they are known; a result that names none tells which count it used up.
    pub(crate) fn limits(&self) -> String {
        let count = |name: &str, unit: &str| Some(format!("{} {unit}", self.budget.get(name)?.as_f64().map(plain)?));
        let known = [
            count("time", "s"),
            count("playouts", "playouts"),
            count("nodes", "nodes"),
            count("stall", "playouts without improvement"),
            count("target", "as target"),
        ];
        let known: Vec<String> = known.into_iter().flatten().collect();
        match self.stop.as_deref() {
            _ if !known.is_empty() => known.join(" or "),
            Some("playouts") => format!("{} playouts", self.playouts),
            Some("nodes") => format!("{} nodes", self.nodes),
            _ => String::new(),
        }
    }

    /// Whether a run with the same [key](Self::key) is this one.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (a, b) = (self.limits(), other.limits());
        a == b || a.is_empty() || b.is_empty() || (self.playouts, self.score) == (other.playouts, other.score)
    }
}

/// A record of `bench`, or a result of `solve --json`.
#[derive(Deserialize)]
pub(super) struct Record {
    label: Option<String>,
    problem: String,
    instance: String,
    #[serde(default)]
    options: Options,
    sense: String,
    method: String,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    rollout: String,
    seed: u64,
    #[serde(default = "one")]
    threads: u64,
    #[serde(default)]
    budget: Value,
    score: Option<f64>,
    violation: Option<f64>,
    #[serde(default)]
    optimal: bool,
    bound: Option<f64>,
    playouts: u64,
    #[serde(default)]
    nodes: u64,
    seconds: f64,
    stop: String,
    verified: Option<bool>,
    #[serde(default)]
    version: String,
    machine: Option<Machine>,
    /// Improvements by playouts of their stream.
    #[serde(default)]
    history: Vec<Step>,
    /// Improvements as they came, with times; older files have none.
    #[serde(default)]
    improvements: Vec<Step>,
    solution: Option<Value>,
}

#[derive(Deserialize)]
struct Step {
    playouts: u64,
    seconds: Option<f64>,
    score: Option<f64>,
}

/// The first event of a run.
#[derive(Deserialize)]
pub(super) struct Start {
    label: Option<String>,
    problem: String,
    instance: String,
    describe: Option<String>,
    #[serde(default)]
    options: Options,
    sense: String,
    method: String,
    #[serde(default)]
    parameters: Map<String, Value>,
    rollout: Option<String>,
    seed: u64,
    #[serde(default = "one")]
    threads: u64,
    #[serde(default)]
    budget: Value,
    #[serde(default)]
    playouts: u64,
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    version: String,
    machine: Option<Machine>,
}

/// An event that says how far a run is: `improved`, `progress` or `end`.
#[derive(Deserialize)]
pub(super) struct Later {
    playouts: u64,
    seconds: f64,
    nodes: Option<u64>,
    score: Option<f64>,
    violation: Option<f64>,
    bound: Option<f64>,
    #[serde(default)]
    optimal: bool,
    stop: Option<String>,
    solution: Option<Value>,
}

/// A solution as text; null is none.
pub(crate) fn text_of(solution: &Value) -> Option<Box<str>> {
    (!solution.is_null()).then(|| solution.to_string().into())
}

fn one() -> u64 {
    1
}

/// The direction by its name.
fn sense(name: &str) -> Result<Sense, String> {
    match name {
        "maximize" => Ok(Sense::Maximize),
        "minimize" => Ok(Sense::Minimize),
        other => Err(format!("`sense`: expected maximize or minimize, got `{other}`")),
    }
}

impl Record {
    /// The run that the record describes.
    pub(super) fn trial(self, file: usize) -> Result<Trial, String> {
        Ok(Trial {
            file,
            label: self.label,
            problem: self.problem,
            instance: self.instance,
            describe: None,
            options: self.options,
            sense: sense(&self.sense)?,
            method: self.method,
            parameters: self.parameters.into(),
            rollout: self.rollout,
            seed: self.seed,
            threads: self.threads,
            budget: self.budget.into(),
            version: self.version,
            machine: self.machine.as_ref().map(|machine| machine.to_string().into()),
            points: if self.improvements.is_empty() { self.history } else { self.improvements }
                .into_iter()
                .map(|Step { playouts, seconds, score }| Point { playouts, seconds, score })
                .collect(),
            playouts: self.playouts,
            nodes: self.nodes,
            seconds: self.seconds,
            score: self.score,
            violation: self.violation,
            bound: self.bound,
            optimal: self.optimal,
            verified: self.verified,
            stop: Some(self.stop),
            solution: self.solution.and_then(|solution| text_of(&solution)),
        })
    }
}

impl Start {
    /// The run that begins.
    pub(super) fn trial(self, file: usize) -> Result<Trial, String> {
        Ok(Trial {
            file,
            label: self.label,
            problem: self.problem,
            instance: self.instance,
            describe: self.describe,
            options: self.options,
            sense: sense(&self.sense)?,
            method: self.method,
            parameters: self.parameters.into(),
            rollout: self.rollout.unwrap_or_default(),
            seed: self.seed,
            threads: self.threads,
            budget: self.budget.into(),
            version: self.version,
            machine: self.machine.as_ref().map(|machine| machine.to_string().into()),
            points: Vec::new(),
            playouts: self.playouts,
            nodes: 0,
            seconds: self.seconds,
            score: None,
            violation: None,
            bound: None,
            optimal: false,
            verified: None,
            stop: None,
            solution: None,
        })
    }
}

impl Trial {
    /// A better solution was found.
    pub(super) fn improved(&mut self, event: Later) {
        let Later { playouts, seconds, score, violation, solution, .. } = event;
        self.points.push(Point { playouts, seconds: Some(seconds), score });
        (self.playouts, self.seconds) = (self.playouts.max(playouts), self.seconds.max(seconds));
        (self.score, self.violation) = (score, violation);
        self.solution = solution.and_then(|solution| text_of(&solution));
    }

    /// Takes note of how far the run is.
    pub(super) fn progress(&mut self, event: &Later) {
        (self.playouts, self.seconds) = (self.playouts.max(event.playouts), self.seconds.max(event.seconds));
        self.nodes = event.nodes.unwrap_or(self.nodes);
        self.bound = event.bound.or(self.bound);
    }

    /// The run is over.
    pub(super) fn end(&mut self, event: Later) {
        self.progress(&event);
        (self.score, self.violation, self.optimal, self.stop) =
            (event.score, event.violation, event.optimal, event.stop);
    }
}
