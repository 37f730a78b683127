//! The file of finished runs: one JSON object a line, appended as runs end, read back to continue.

use super::plan::{Job, Plan};
use crate::failure::Failure;
use crate::jsonl::{self, End, Writer};
use crate::machine;
use soloist::run::StopReason;
use soloist_domain::result::Asked;
use soloist_domain::{
    AnyObserver, Depths, ImprovementStep, Limits, Machine, Observed, Report, RunEnding, RunRecord, RunTask,
};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

/// How every record begins; what begins otherwise comes from another program.
const START: &str = "{\"job\":\"";

/// What the record of a run keeps beside its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Improvements and solution.
    #[default]
    All,
    /// Improvements alone.
    Improvements,
    /// Neither.
    None,
}

/// The record of a run of a plan.
pub(crate) fn record(
    plan: &Plan,
    job: &Job,
    asked: Asked<'_>,
    report: &Report,
    improvements: Vec<ImprovementStep>,
    verified: Option<bool>,
) -> RunRecord {
    let method = &plan.methods[job.method];
    let task = RunTask {
        label: Some(method.label.clone()),
        order: Some([job.method as u64, job.instance as u64]),
        budget: Some(Limits::of(&method.budget)),
        ..machine::task(asked, &plan.instances[job.instance].name)
    };
    RunRecord {
        job: Some(job.key.clone()),
        verified,
        history: Some(report.history.iter().map(ImprovementStep::of).collect()),
        improvements: Some(improvements),
        solution: Some(report.solution().clone()),
        parts: report.best().map(|best| best.parts.clone()).unwrap_or_default(),
        ..RunRecord::bare(task, RunEnding::new(report))
    }
}

impl Detail {
    /// Drops what is not kept of a run.
    pub(crate) fn of(self, mut record: RunRecord) -> RunRecord {
        if self != Self::All {
            record.solution = None;
        }
        if self == Self::None {
            (record.history, record.improvements) = (None, None);
        }
        record
    }
}

/// Notes the improvements of a run as they come.
#[derive(Debug, Default)]
pub(crate) struct Improvements(pub(crate) Vec<ImprovementStep>);

impl AnyObserver for Improvements {
    fn on(&mut self, event: Observed<'_>) {
        if let Observed::Improved { improvement, progress, .. } = event {
            self.0.push(ImprovementStep { stream: None, ..ImprovementStep::now(improvement, progress) });
        }
    }
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
    /// The run that ended so.
    pub(crate) fn of(ending: &RunEnding, verified: Option<bool>) -> Self {
        let RunEnding { score, violation, optimal, playouts, seconds, tree, .. } = *ending;
        Self { score, violation, optimal, playouts, seconds, verified, tree }
    }

    /// The score, if a feasible solution was found and verified.
    pub(crate) fn value(&self) -> Option<f64> {
        self.score.filter(|_| self.verified != Some(false))
    }
}

/// How a run went: what profiles and lists of runs need beside its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trajectory {
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

impl Trajectory {
    /// The trajectory of a recorded run.
    pub(crate) fn of(record: &RunRecord) -> Self {
        let RunRecord { task, ending, history, improvements, .. } = record;
        let threads = task.threads as f64;
        let step = |step: &ImprovementStep| Some((step.playouts as f64 * threads, step.score?));
        let moment = |step: &ImprovementStep| Some((step.seconds?, step.score?));
        Self {
            by_playouts: history.iter().flatten().filter_map(step).collect(),
            by_seconds: improvements.as_ref().map(|steps| steps.iter().filter_map(moment).collect()),
            nodes: ending.nodes,
            bound: ending.bound,
            stop: ending.stop,
            machine: task.machine.clone(),
        }
    }
}

/// What the file holds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Runs of the plan by the key of their job.
    pub(crate) runs: HashMap<String, Run>,
    /// How the same runs went.
    pub(crate) trajectories: HashMap<String, Trajectory>,
    /// Records of other runs.
    pub(crate) others: usize,
    /// Records of runs that are there already.
    pub(crate) twice: usize,
    /// Where whole lines end.
    pub(crate) end: End,
}

impl Found {
    /// Adds a run; returns whether it was there already.
    pub(crate) fn insert(&mut self, job: String, run: Run, trajectory: Trajectory) -> bool {
        self.trajectories.insert(job.clone(), trajectory);
        self.runs.insert(job, run).is_some()
    }
}

/// Reads a file of runs that `command` writes; a missing one holds none. Without `keys` all runs are taken.
pub(crate) fn read(path: &Path, command: &str, keys: Option<&HashSet<String>>) -> Result<Found, Failure> {
    let (mut found, mut machines) = (Found::default(), BTreeSet::new());
    found.end = jsonl::read(path, command, START, &mut |line| {
        let mut record = RunRecord::from_line(line)?;
        let job = record.job.take().unwrap_or_default();
        // Thousands of runs share a machine.
        record.task.machine = record.task.machine.map(|machine| {
            let known = machines.get(&machine).cloned().unwrap_or(machine);
            machines.insert(Arc::clone(&known));
            known
        });
        let (run, trajectory) = (Run::of(&record.ending, record.verified), Trajectory::of(&record));
        if keys.is_some_and(|keys| !keys.contains(&job)) {
            found.others += 1;
        } else if found.insert(job, run, trajectory) {
            found.twice += 1;
        }
        Ok(())
    })?;
    Ok(found)
}

/// Reads all records of a file, with this detail.
pub(crate) fn read_all(path: &Path, detail: Detail) -> Result<Vec<RunRecord>, Failure> {
    let fail = |error: &dyn Display| Failure::runtime(format!("{}: {error}", path.display()));
    let unreadable = |error: std::io::Error| fail(&format_args!("cannot be read: {error}"));
    let lines = BufReader::new(File::open(path).map_err(unreadable)?).split(b'\n');
    let read = |(number, line): (usize, std::io::Result<Vec<u8>>)| {
        let record = RunRecord::from_line(&line.map_err(unreadable)?);
        let record = record.map_err(|error| fail(&format_args!("line {number}: broken record: {error}")))?;
        Ok(detail.of(record))
    };
    (1..).zip(lines).map(read).collect()
}

/// Opens the file for more runs, with what it holds; `fresh` empties it.
pub(crate) fn open(
    path: &Path,
    command: &str,
    keys: Option<&HashSet<String>>,
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
