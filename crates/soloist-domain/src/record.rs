//! The record of a run: what was asked for, how it went and how it ended, as one JSON object.
//!
//! `soloist solve --json`, the files of `bench`, `tune` and `reproduce`, and the Python package write a [`RunRecord`];
//! `--events` and the live view write [`RunEvent`](crate::RunEvent)s, which are made of the same parts. All readers
//! read these types.

use crate::result::{self, Asked};
use crate::{Limits, Options, Parts, Report, SolutionReport};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use soloist::run::{Improvement, Progress, StopReason};
use soloist::{Score, Sense};
use std::fmt;
use std::sync::Arc;

/// The number of the format that is written. It grows when a reader of this release could misread a record.
///
/// Records of earlier releases have no number. They are read where their fields fit.
pub const FORMAT: u32 = 1;

/// What a run was asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunTask {
    /// The [format](FORMAT); 0: a release that did not number it.
    #[serde(default)]
    pub format: u32,
    /// The name that a comparison gave to the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The places of method and instance in the comparison, which runs that end early or late do not change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<[u64; 2]>,
    /// The name of the problem.
    pub problem: String,
    /// The name of the instance.
    pub instance: String,
    /// Sizes and rules of the instance in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub describe: Option<String>,
    /// The rules in force, defaults included.
    #[serde(default)]
    pub options: Options,
    /// `maximize` or `minimize`.
    #[serde(with = "sense")]
    pub sense: Sense,
    /// The name of the preset.
    pub method: String,
    /// All parameters of the method, and `proof` where an attempt at a proof is made.
    #[serde(default)]
    pub parameters: Arc<Map<String, Value>>,
    /// The name of the playout policy.
    #[serde(default)]
    pub rollout: String,
    /// The seed.
    pub seed: u64,
    /// The number of streams.
    #[serde(default = "one")]
    pub threads: u64,
    /// The limits; `None`: not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<Limits>,
    /// The release that ran.
    #[serde(default)]
    pub version: String,
    /// Where it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<Arc<Machine>>,
}

/// The machine on which a run was made, in a few words: seconds mean nothing without it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name, or the architecture where the system does not name it.
    pub processor: String,
    /// Threads that may run at a time: cores, or what the system grants this process.
    pub cores: usize,
    /// Name and release of the operating system.
    pub system: String,
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cores = if self.cores == 1 { "core" } else { "cores" };
        write!(f, "{}, {} {cores}, {}", self.processor, self.cores, self.system)
    }
}

/// How a run ended, or how far it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunEnding {
    /// The best score; null when no feasible solution is known.
    #[serde(serialize_with = "result::serialize_number")]
    pub score: Option<f64>,
    /// Whether a feasible solution is known.
    #[serde(default)]
    pub feasible: bool,
    /// The degree of infeasibility; null for a feasible solution or none.
    #[serde(serialize_with = "result::serialize_number")]
    pub violation: Option<f64>,
    /// The number of moves that every solution had to begin with; absent: none. Bounds and proofs speak of such
    /// solutions alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub prefix: u64,
    /// Whether the solution is feasible and proven optimal.
    #[serde(default)]
    pub optimal: bool,
    /// Whether it is proven that no solution is feasible.
    #[serde(default)]
    pub infeasible: bool,
    /// An optimistic bound.
    #[serde(serialize_with = "result::serialize_number")]
    pub bound: Option<f64>,
    /// |score - bound| / |score|; null where one of them is unknown.
    #[serde(serialize_with = "result::serialize_number")]
    pub gap: Option<f64>,
    /// Playouts of all streams.
    pub playouts: u64,
    /// Nodes of all streams.
    #[serde(default)]
    pub nodes: u64,
    /// What a problem's own search counts as nodes: "moves tried", for example. Absent: the method counts nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Where the method has built a tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Depths>,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Why the run ended; `None`: it has not, as far as is known.
    pub stop: Option<StopReason>,
}

/// How deep the nodes of a tree are, in moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Depths {
    /// The mean over the nodes.
    pub mean_depth: f64,
    /// That of the deepest node.
    pub deepest: u64,
}

impl Depths {
    /// Returns those of a run; `None`: its method has built no tree.
    #[must_use]
    pub fn of(report: &Report) -> Option<Self> {
        let tree = report.tree;
        (tree.nodes > 0).then(|| Self { mean_depth: tree.mean_depth(), deepest: tree.deepest })
    }
}

/// An improvement of the best solution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImprovementStep {
    /// Wall-clock seconds since the start of the run; `None`: not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Playouts up to then.
    pub playouts: u64,
    /// The stream that improved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<u32>,
    /// Null for an infeasible solution.
    #[serde(serialize_with = "result::serialize_number")]
    pub score: Option<f64>,
    /// The degree of infeasibility.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "result::serialize_number")]
    pub violation: Option<f64>,
}

impl ImprovementStep {
    /// Returns an improvement in the history of a run: by playouts of its stream, the same for equal runs.
    #[must_use]
    pub fn of(event: &Improvement) -> Self {
        let (score, violation) = (event.score.value(), event.score.violation());
        Self { seconds: None, playouts: event.playouts, stream: u32::try_from(event.stream).ok(), score, violation }
    }

    /// The same, with the seconds of the run.
    #[must_use]
    pub fn timed(event: &Improvement) -> Self {
        Self { seconds: Some(event.elapsed.as_secs_f64()), ..Self::of(event) }
    }

    /// Returns an improvement of a run in progress: by playouts of all streams.
    #[must_use]
    pub fn now(improvement: &Improvement, progress: &Progress) -> Self {
        let (seconds, playouts) = (Some(progress.elapsed.as_secs_f64()), progress.counters.playouts);
        Self { seconds, playouts, ..Self::of(improvement) }
    }
}

/// A solution behind the best one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OtherSolution {
    /// Null for an infeasible solution.
    #[serde(serialize_with = "result::serialize_number")]
    pub score: Option<f64>,
    /// The moves.
    pub moves: Value,
    /// The answer in the problem's own terms.
    pub solution: Value,
    /// What the score consists of.
    #[serde(default, skip_serializing_if = "Parts::is_empty")]
    pub parts: Parts,
}

/// A run that has ended. Everything but seconds and the machine is the same for equal runs with count limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The key of the run in its comparison: a hash of everything that determines it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// What was asked for.
    #[serde(flatten)]
    pub task: RunTask,
    /// How it ended.
    #[serde(flatten)]
    pub ending: RunEnding,
    /// Whether the solution passed its verification; `None`: not recorded, or nothing to verify.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    /// The two numbers that the score stands for.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "numbers")]
    pub pair: Option<[f64; 2]>,
    /// What the score consists of, where the problem says it.
    #[serde(default, skip_serializing_if = "Parts::is_empty")]
    pub parts: Parts,
    /// The moves of the best solution as the search made them; null without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moves: Option<Value>,
    /// The best solution in the problem's own terms; null without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solution: Option<Value>,
    /// The next best different solutions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherSolution>,
    /// Improvements by playouts of their stream: the same for equal runs, but for the seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<ImprovementStep>>,
    /// Improvements as they came, with seconds and with playouts of all streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub improvements: Option<Vec<ImprovementStep>>,
    /// What the method has decided and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// Why a record cannot be read.
#[derive(Debug)]
pub enum RecordError {
    /// It is no JSON, or its fields do not fit.
    Broken(serde_json::Error),
    /// It has a format that this release does not know.
    Format(u64),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(error) => {
                // The place inside a line says nothing.
                let text = error.to_string();
                f.write_str(text.rfind(" at line ").map_or(text.as_str(), |end| &text[..end]))
            }
            Self::Format(format) => {
                write!(f, "`format`: expected {FORMAT} or none, got {format}: a later release of Soloist wrote it")
            }
        }
    }
}

impl std::error::Error for RecordError {}

impl From<serde_json::Error> for RecordError {
    fn from(error: serde_json::Error) -> Self {
        Self::Broken(error)
    }
}

/// Refuses the `format` of a record that this release does not know.
///
/// # Errors
/// A later release wrote it.
pub fn known_format(format: Option<&Value>) -> Result<(), RecordError> {
    match format.and_then(Value::as_u64) {
        Some(format) if format > u64::from(FORMAT) => Err(RecordError::Format(format)),
        _ => Ok(()),
    }
}

impl RunTask {
    /// Returns what a run is asked to do; a comparison calls the instance by the `name` in its spec.
    #[must_use]
    pub fn new(asked: Asked<'_>, name: &str) -> Self {
        let Asked { domain, instance, options, setup } = asked;
        let (problem, sense) = (domain.name.to_owned(), instance.sense());
        Self { problem, instance: name.to_owned(), options: options.clone(), ..Self::own(sense, setup) }
    }

    /// Returns what a run is asked to do on a problem without a domain.
    #[must_use]
    pub fn own(sense: Sense, setup: &soloist::Setup) -> Self {
        Self {
            format: FORMAT,
            label: None,
            order: None,
            problem: String::new(),
            instance: String::new(),
            describe: None,
            options: Options::new(),
            sense,
            method: setup.preset.clone(),
            parameters: Arc::new(result::parameters_of(setup)),
            rollout: setup.rollout.clone().unwrap_or_default(),
            seed: setup.seed,
            threads: setup.threads as u64,
            budget: None,
            version: result::VERSION.to_owned(),
            machine: None,
        }
    }
}

impl RunEnding {
    /// Returns the end of a run.
    #[must_use]
    pub fn new(report: &Report) -> Self {
        Self {
            bound: report.bound,
            gap: result::gap(report),
            prefix: report.prefix as u64,
            optimal: report.optimal,
            infeasible: report.infeasible,
            playouts: report.run.counters.playouts,
            nodes: report.run.counters.nodes,
            unit: report.run.setup.method.unit().map(|unit| unit.name().to_owned()),
            tree: Depths::of(report),
            seconds: report.run.elapsed.as_secs_f64(),
            stop: Some(report.stop),
            ..Self::default()
        }
        .with_score(report.score())
    }

    fn with_score(self, score: Option<Score>) -> Self {
        let (value, violation) = (score.and_then(Score::value), score.and_then(Score::violation));
        Self { score: value, feasible: value.is_some(), violation, ..self }
    }
}

impl RunRecord {
    /// Returns the record of a run without solutions and history.
    #[must_use]
    pub fn bare(task: RunTask, ending: RunEnding) -> Self {
        Self {
            job: None,
            task,
            ending,
            verified: None,
            pair: None,
            parts: Parts::default(),
            moves: None,
            solution: None,
            others: Vec::new(),
            history: None,
            improvements: None,
            remarks: Vec::new(),
        }
    }

    /// Returns the result of a run, as `soloist solve --json` prints it.
    #[must_use]
    pub fn result(asked: Asked<'_>, report: &Report) -> Self {
        let other = |answer: &SolutionReport| OtherSolution {
            score: answer.score.value(),
            moves: answer.moves.clone(),
            solution: answer.solution.clone(),
            parts: answer.parts.clone(),
        };
        Self {
            pair: pair(asked, report.score()),
            parts: report.best().map(|best| best.parts.clone()).unwrap_or_default(),
            moves: Some(report.moves().clone()),
            solution: Some(report.solution().clone()),
            others: report.answers.iter().skip(1).map(other).collect(),
            history: Some(report.history.iter().map(ImprovementStep::timed).collect()),
            remarks: report.remarks.clone(),
            ..Self::bare(RunTask::new(asked, asked.instance.name()), RunEnding::new(report))
        }
    }

    /// Returns one solution of a report as a result, without the other solutions and the history.
    pub(crate) fn alone(asked: Asked<'_>, report: &Report, answer: &SolutionReport) -> Self {
        let ending = RunEnding::new(report).with_score(Some(answer.score));
        Self {
            pair: pair(asked, Some(answer.score)),
            parts: answer.parts.clone(),
            moves: Some(answer.moves.clone()),
            solution: Some(answer.solution.clone()),
            history: Some(Vec::new()),
            ..Self::bare(RunTask::new(asked, asked.instance.name()), ending)
        }
    }

    /// Returns the object on one line, with its newline.
    #[must_use]
    pub fn line(&self) -> String {
        result::line(self)
    }

    /// Reads a record, of this release or an earlier one.
    ///
    /// # Errors
    /// It is no JSON, lacks a field or has one that does not fit, or a later release wrote it.
    pub fn from_line(line: &[u8]) -> Result<Self, RecordError> {
        Self::from_value(serde_json::from_slice(line)?)
    }

    /// Reads a record that is JSON already, of this release or an earlier one.
    ///
    /// # Errors
    /// Same as [`from_line`](Self::from_line).
    pub fn from_value(value: Value) -> Result<Self, RecordError> {
        known_format(value.get("format"))?;
        Ok(serde_json::from_value(value)?)
    }
}

fn pair(asked: Asked<'_>, score: Option<Score>) -> Option<[f64; 2]> {
    score.and_then(Score::value).and_then(|score| asked.instance.pair(score)).map(|(a, b)| [a, b])
}

fn one() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for this signature")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[allow(clippy::ref_option, reason = "serde asks for this signature")]
fn numbers<S: Serializer>(pair: &Option<[f64; 2]>, serializer: S) -> Result<S::Ok, S::Error> {
    pair.map(|pair| pair.map(result::number)).serialize(serializer)
}

/// The direction by its name.
mod sense {
    use super::*;

    pub(super) fn serialize<S: Serializer>(sense: &Sense, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(result::sense(*sense))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sense, D::Error> {
        let name = String::deserialize(deserializer)?;
        match name.as_str() {
            "maximize" => Ok(Sense::Maximize),
            "minimize" => Ok(Sense::Minimize),
            other => {
                let other = other.escape_debug();
                let message = format!("`sense`: expected maximize or minimize, got `{other}`");
                Err(serde::de::Error::custom(message))
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::json;

    /// A record as the release before the format was numbered wrote it.
    pub(crate) fn old() -> Value {
        json!({
            "job": "0", "label": "a", "problem": "knapsack", "instance": "x", "options": {}, "sense": "maximize",
            "method": "uct", "parameters": { "c": 0.5 }, "rollout": "random", "seed": 7, "threads": 2,
            "budget": { "time": 1.5, "playouts": 100, "memory": 65536 }, "score": 4, "feasible": true,
            "violation": null, "optimal": false, "infeasible": false, "bound": 4.5, "gap": 0.125, "playouts": 100,
            "nodes": 3, "tree": { "mean_depth": 1.5, "deepest": 2 }, "seconds": 2.25, "stop": "playouts",
            "verified": true, "version": "0.1.0", "machine": { "processor": "P", "cores": 2, "system": "S" },
            "history": [{ "playouts": 1, "score": null, "stream": 0, "violation": 2.5 }],
            "improvements": [{ "playouts": 1, "seconds": 0.5, "score": 1 }], "solution": { "items": [1] },
        })
    }

    #[test]
    fn records_come_back_and_old_ones_are_read() {
        let record = RunRecord::from_value(old()).unwrap();
        assert_eq!((record.task.format, record.ending.stop), (0, Some(StopReason::Playouts)));
        assert_eq!(record.task.budget.as_ref().unwrap().playouts, Some(100));
        assert_eq!(record.history.as_ref().unwrap()[0].violation, Some(2.5));
        let mut numbered = record.clone();
        numbered.task.format = FORMAT;
        let line = numbered.line();
        assert!(line.starts_with("{\"job\":\"0\",\"format\":1,") && line.ends_with("}\n"), "{line}");
        assert_eq!(RunRecord::from_line(line.as_bytes()).unwrap(), numbered);
        // Every field is written as it was.
        let mut again = serde_json::to_value(&record).unwrap();
        assert_eq!(again.as_object_mut().unwrap().remove("format"), Some(0.into()));
        assert_eq!(again, old());
    }

    #[test]
    fn what_does_not_fit_is_one_line() {
        let refused = |key: &str, value: Option<Value>| {
            let mut record = old();
            let object = record.as_object_mut().unwrap();
            object.remove(key);
            object.extend(value.map(|value| (key.to_owned(), value)));
            RunRecord::from_value(record).unwrap_err().to_string()
        };
        for (key, value, part) in [
            ("seed", None, "missing field `seed`"),
            ("seed", Some(json!("x")), "expected u64"),
            ("sense", Some(json!("up")), "`sense`: expected maximize or minimize, got `up`"),
            ("budget", Some(json!({ "time": "soon" })), "`time`: expected a duration"),
            ("stop", Some(json!("bored")), "unknown variant `bored`, expected one of `time`, `playouts`"),
            ("format", Some(json!(2)), "`format`: expected 1 or none, got 2: a later release of Soloist wrote it"),
        ] {
            let message = refused(key, value);
            assert!(message.contains(part) && !message.contains('\n'), "{message}");
        }
        assert!(RunRecord::from_line(b"{\"job\":").is_err());
    }
}
