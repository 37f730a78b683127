//! The file of finished runs: one JSON object a line, appended as runs end, read back to continue.

use super::plan::{Job, Plan};
use crate::failure::Failure;
use crate::lines::{self, End, Writer};
use crate::machine::{self, Machine};
use crate::result::{self, Depths, Ending, Task, VERSION};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use soloist::{Budget, Improvement, Progress, Score, StopReason};
use soloist_problems::{AnyObserver, Report};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// How every record begins; what begins otherwise comes from another program.
const START: &str = "{\"job\":\"";

/// What records keep of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Improvements and solution.
    All,
    /// Improvements.
    Courses,
    /// Neither.
    Ends,
}

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
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<Value>,
    /// Improvements as they came, with seconds and with playouts of all streams.
    #[serde(skip_serializing_if = "Option::is_none")]
    improvements: Option<&'a [Moment]>,
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
        kept: Kept,
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
            improvements: (kept != Kept::Ends).then_some(improvements),
            history: (kept != Kept::Ends).then(|| report.history.iter().map(result::improvement).collect()),
            solution: (kept == Kept::All).then_some(report.solution()),
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
    /// `None`: no tree, or a record of a release that did not note it.
    pub(crate) tree: Option<Depths>,
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
            tree: Depths::of(report),
        }
    }

    /// The score, if a feasible solution was found and verified.
    pub(crate) fn value(&self) -> Option<f64> {
        self.score.filter(|_| self.verified != Some(false))
    }
}

/// How a run went: what profiles and lists of runs need beside its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Course {
    /// Playouts of all streams, each as far as the one that improved, and the feasible score reached with them.
    pub(crate) by_playouts: Vec<(f64, f64)>,
    /// Seconds and the feasible score reached by then; `None`: the record is from a release that did not note them.
    pub(crate) by_seconds: Option<Vec<(f64, f64)>>,
    pub(crate) nodes: u64,
    pub(crate) bound: Option<f64>,
    /// `None`: not recorded.
    pub(crate) stop: Option<StopReason>,
    pub(crate) machine: Option<Arc<Machine>>,
}

impl Course {
    /// The course of a run on this machine.
    pub(crate) fn new(report: &Report, moments: &[Moment]) -> Self {
        let threads = report.run.setup.threads as f64;
        let step = |event: &Improvement| Some((event.playouts as f64 * threads, event.score.value()?));
        Self {
            by_playouts: report.history.iter().filter_map(step).collect(),
            by_seconds: Some(seconds(moments)),
            nodes: report.run.counters.nodes,
            bound: report.bound,
            stop: Some(report.stop),
            machine: Some(Arc::new(machine::this().clone())),
        }
    }
}

fn seconds(moments: &[Moment]) -> Vec<(f64, f64)> {
    moments.iter().filter_map(|moment| Some((moment.seconds, moment.score?))).collect()
}

/// A line read back. What older records lack may be missing.
#[derive(Deserialize)]
struct Line {
    job: String,
    score: Option<f64>,
    violation: Option<f64>,
    optimal: bool,
    playouts: u64,
    seconds: f64,
    verified: Option<bool>,
    tree: Option<Depths>,
    #[serde(default)]
    nodes: u64,
    bound: Option<f64>,
    stop: Option<StopReason>,
    machine: Option<Machine>,
    #[serde(default = "one")]
    threads: u32,
    #[serde(default)]
    history: Vec<Step>,
    improvements: Option<Vec<Moment>>,
}

fn one() -> u32 {
    1
}

/// An improvement in the history of a record.
#[derive(Deserialize)]
struct Step {
    playouts: u64,
    score: Option<f64>,
}

impl Line {
    fn split(self, machines: &mut BTreeSet<Arc<Machine>>) -> (String, Run, Course) {
        let Self { job, score, violation, optimal, playouts, seconds: time, verified, tree, .. } = self;
        let run = Run { score, violation, optimal, playouts, seconds: time, verified, tree };
        let streams = f64::from(self.threads);
        let steps = self.history.iter().filter_map(|step| Some((step.playouts as f64 * streams, step.score?)));
        // Thousands of runs share a machine.
        let machine = self.machine.map(|machine| {
            machines.get(&machine).cloned().unwrap_or_else(|| {
                let machine = Arc::new(machine);
                machines.insert(Arc::clone(&machine));
                machine
            })
        });
        let course = Course {
            by_playouts: steps.collect(),
            by_seconds: self.improvements.as_deref().map(seconds),
            nodes: self.nodes,
            bound: self.bound,
            stop: self.stop,
            machine,
        };
        (job, run, course)
    }
}

/// What the file holds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Runs of the plan by the key of their job.
    pub(crate) runs: HashMap<String, Run>,
    /// How the same runs went.
    pub(crate) courses: HashMap<String, Course>,
    /// Records of other runs.
    pub(crate) others: usize,
    /// Records of runs that are there already.
    pub(crate) twice: usize,
    /// Where whole lines end.
    pub(crate) end: End,
}

impl Found {
    /// Adds a run; returns whether it was there already.
    pub(crate) fn insert(&mut self, job: String, run: Run, course: Course) -> bool {
        self.courses.insert(job.clone(), course);
        self.runs.insert(job, run).is_some()
    }
}

/// Reads a file of runs that `command` writes; a missing one holds none. Without `keys` all runs are taken.
pub(crate) fn read(path: &Path, command: &str, keys: Option<&HashSet<&str>>) -> Result<Found, Failure> {
    let (mut found, mut machines) = (Found::default(), BTreeSet::new());
    found.end = lines::read(path, command, &|_| START, &mut |line| {
        let (job, run, course) = serde_json::from_slice::<Line>(line)?.split(&mut machines);
        if keys.is_some_and(|keys| !keys.contains(job.as_str())) {
            found.others += 1;
        } else if found.insert(job, run, course) {
            found.twice += 1;
        }
        Ok(())
    })?;
    Ok(found)
}

/// Opens the file for more runs, with what it holds; `fresh` empties it.
pub(crate) fn open(
    path: &Path,
    command: &str,
    keys: Option<&HashSet<&str>>,
    fresh: bool,
) -> Result<(Writer, Found), Failure> {
    let mut found = Found::default();
    let writer = Writer::open(path, command, fresh, &mut || {
        found = read(path, command, keys)?;
        Ok(found.end)
    })?;
    if fresh {
        found = Found::default();
    }
    Ok((writer, found))
}
