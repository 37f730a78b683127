//! The file of finished runs: one JSON object a line, appended as runs end, read back to continue.

use super::plan::{Job, Plan};
use crate::failure::Failure;
use crate::lines::{self, End, Writer};
use crate::machine::{self, Machine};
use crate::result::{self, Ending, Task, VERSION};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use soloist::{Budget, Improvement, Progress, Score};
use soloist_problems::{AnyObserver, Report};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// How every record begins; what begins otherwise comes from another program.
const START: &str = "{\"job\":\"";
/// What writes such files.
const COMMAND: &str = "soloist bench";

/// What a finished run leaves in the file.
#[derive(Serialize)]
pub(crate) struct Record<'a> {
    job: &'a str,
    label: &'a str,
    #[serde(flatten)]
    task: Task<'a>,
    budget: Value,
    #[serde(flatten)]
    ending: Ending,
    /// Null without a feasible solution.
    verified: Option<bool>,
    version: &'static str,
    machine: &'a Machine,
    /// Improvements over the run by playouts of their stream: the same for equal runs.
    history: Value,
    /// Improvements as they came, with seconds and with playouts of all streams.
    improvements: &'a [Moment],
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<&'a Value>,
}

impl<'a> Record<'a> {
    /// Collects a run.
    pub(crate) fn new(
        plan: &'a Plan,
        job: &'a Job,
        report: &'a Report,
        improvements: &'a [Moment],
        verified: Option<bool>,
        solution: bool,
    ) -> Self {
        let (instance, method) = (&plan.instances[job.instance], &plan.methods[job.method]);
        let setup = &instance.setups[job.method];
        let task = Task::new(plan.domain, &instance.name, &plan.options, plan.sense, setup);
        let task = Task { seed: plan.seeds[job.seed], ..task };
        Self {
            job: &job.key,
            label: &method.label,
            task,
            budget: budget_json(&method.budget),
            ending: Ending::new(report),
            verified,
            version: VERSION,
            machine: machine::this(),
            improvements,
            history: report.history.iter().map(result::improvement).collect(),
            solution: solution.then_some(report.solution()),
        }
    }

    /// The object on one line, with its newline.
    pub(crate) fn line(&self) -> String {
        result::line(self)
    }
}

/// An improvement while a run went on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Moment {
    /// Wall-clock seconds since the start of the run.
    pub(crate) seconds: f64,
    /// Playouts of all streams up to then.
    pub(crate) playouts: u64,
    /// Null for an infeasible solution.
    #[serde(serialize_with = "shortest")]
    pub(crate) score: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "shortest")]
    pub(crate) violation: Option<f64>,
}

/// Writes whole numbers without a point, as results do.
#[allow(clippy::ref_option, reason = "serde asks for this signature")]
fn shortest<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    result::optional(*value).serialize(serializer)
}

/// Notes the improvements of a run as they come.
#[derive(Debug, Default)]
pub(crate) struct Moments(pub(crate) Vec<Moment>);

impl AnyObserver for Moments {
    fn improved(&mut self, improvement: &Improvement, progress: &Progress, _: &dyn Fn() -> Value) {
        self.0.push(Moment {
            seconds: progress.elapsed.as_secs_f64(),
            playouts: progress.counters.playouts,
            score: improvement.score.value(),
            violation: improvement.score.violation(),
        });
    }
}

/// A budget by the names of the command line; time in seconds.
pub(crate) fn budget_json(budget: &Budget) -> Value {
    let mut object = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            object.insert(name.to_owned(), value);
        }
    };
    put("time", budget.time.map(|time| result::number(time.as_secs_f64())));
    put("playouts", budget.playouts.map(Value::from));
    put("nodes", budget.nodes.map(Value::from));
    put("target", budget.target.map(result::number));
    put("stall", budget.stall.map(Value::from));
    put("memory", Some(Value::from(budget.memory)));
    Value::Object(object)
}

/// What the tables need of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) score: Option<f64>,
    pub(crate) violation: Option<f64>,
    pub(crate) optimal: bool,
    pub(crate) playouts: u64,
    pub(crate) seconds: f64,
    pub(crate) verified: Option<bool>,
}

impl Run {
    /// The run of a report.
    pub(crate) fn new(report: &Report, verified: Option<bool>) -> Self {
        Self {
            score: result::value(report),
            violation: report.score().and_then(Score::violation),
            optimal: report.optimal,
            playouts: report.run.counters.playouts,
            seconds: report.run.elapsed.as_secs_f64(),
            verified,
        }
    }

    /// The score, if a feasible solution was found and verified.
    pub(crate) fn value(&self) -> Option<f64> {
        self.score.filter(|_| self.verified != Some(false))
    }
}

/// A line read back.
#[derive(Deserialize)]
struct Line {
    job: String,
    score: Option<f64>,
    violation: Option<f64>,
    optimal: bool,
    playouts: u64,
    seconds: f64,
    verified: Option<bool>,
}

/// What the file holds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Runs of the plan by the key of their job.
    pub(crate) runs: HashMap<String, Run>,
    /// Records of other runs.
    pub(crate) others: usize,
    /// Records of runs that are there already.
    pub(crate) twice: usize,
    /// Where whole lines end.
    pub(crate) end: End,
}

/// Reads a file of runs; a missing one holds none.
pub(crate) fn read(path: &Path, keys: &HashSet<&str>) -> Result<Found, Failure> {
    let mut found = Found::default();
    found.end = lines::read(path, COMMAND, &|_| START, &mut |line| {
        let Line { job, score, violation, optimal, playouts, seconds, verified } = serde_json::from_slice(line)?;
        let run = Run { score, violation, optimal, playouts, seconds, verified };
        if !keys.contains(job.as_str()) {
            found.others += 1;
        } else if found.runs.insert(job, run).is_some() {
            found.twice += 1;
        }
        Ok(())
    })?;
    Ok(found)
}

/// Opens the file for more runs, with what it holds; `fresh` empties it.
pub(crate) fn open(path: &Path, keys: &HashSet<&str>, fresh: bool) -> Result<(Writer, Found), Failure> {
    let mut found = Found::default();
    let writer = Writer::open(path, COMMAND, fresh, &mut || {
        found = read(path, keys)?;
        Ok(found.end)
    })?;
    if fresh {
        found = Found::default();
    }
    Ok((writer, found))
}
