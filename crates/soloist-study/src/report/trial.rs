//! A run as a file describes it: what was asked for, how the best score developed, how it ended.

use crate::text::plain;
use serde_json::Value;
use soloist::run::StopReason;
use soloist_domain::{ImprovementStep, Limits, Parts, RunEnding, RunEvent, RunRecord, RunStart, RunTask};

/// A run, finished or not.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// The file that holds the run, as an index into the files that were read.
    pub(crate) file: usize,
    /// What was asked for. Parameters and machine are shared by the runs that have the same.
    pub(crate) task: RunTask,
    /// How it ended, or how far it is.
    pub(crate) ending: RunEnding,
    /// The improvements of the best solution, in order.
    pub(crate) points: Vec<ImprovementStep>,
    /// Whether the result passed its verification when it was recorded; `None`: not recorded.
    pub(crate) verified: Option<bool>,
    /// The best solution in the problem's own terms, as JSON: values would take several times the memory.
    pub(crate) solution: Option<Box<str>>,
    /// What its score consists of.
    pub(crate) parts: Parts,
}

/// What the horizontal axis of a chart counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    Playouts,
    Seconds,
}

impl Clock {
    /// When an improvement was made; `None`: unknown.
    fn of(self, step: &ImprovementStep) -> Option<f64> {
        match self {
            Self::Playouts => Some(step.playouts as f64),
            Self::Seconds => step.seconds,
        }
    }
}

impl Trial {
    /// The score, if a feasible solution was found that did not fail its verification.
    pub(crate) fn value(&self) -> Option<f64> {
        self.ending.score.filter(|_| self.verified != Some(false))
    }

    /// How long the run was.
    pub(crate) fn length(&self, clock: Clock) -> f64 {
        match clock {
            Clock::Playouts => self.ending.playouts as f64,
            Clock::Seconds => self.ending.seconds,
        }
    }

    /// The feasible improvements as (when, score); `None` if one of them has no such time.
    pub(crate) fn steps(&self, clock: Clock) -> Option<Vec<(f64, f64)>> {
        let feasible = self.points.iter().filter_map(|point| Some((point, point.score?)));
        feasible.map(|(point, score)| Some((clock.of(point)?, score))).collect()
    }

    /// What the search is, in a text that is equal for equal searches; limits are left out.
    pub(super) fn key(&self) -> String {
        let RunTask { label, problem, instance, options, method, parameters, rollout, seed, threads, .. } = &self.task;
        format!("{label:?} {problem:?} {instance:?} {options:?} {method:?} {parameters:?} {rollout:?} {seed} {threads}")
    }

    /// The limits in words, as far as they are known; without limits, the count that ended the run.
    pub(crate) fn limits(&self) -> String {
        let Limits { time, playouts, nodes, stall, target, .. } = self.task.budget.clone().unwrap_or_default();
        let unit = self.ending.unit.as_deref().unwrap_or("nodes");
        let count = |count: Option<u64>, unit: &str| count.map(|count| format!("{} {unit}", plain(count as f64)));
        let known = [
            time.map(|time| format!("{} s", plain(time.as_secs_f64()))),
            count(playouts, "playouts"),
            count(nodes, unit),
            count(stall, "playouts without improvement"),
            target.map(|target| format!("{} as target", plain(target))),
        ];
        let known: Vec<String> = known.into_iter().flatten().collect();
        match self.ending.stop {
            _ if !known.is_empty() => known.join(" or "),
            Some(StopReason::Playouts) => format!("{} playouts", self.ending.playouts),
            Some(StopReason::Nodes) => format!("{} {unit}", self.ending.nodes),
            _ => String::new(),
        }
    }

    /// Whether a run with the same [key](Self::key) is this run.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (a, b) = (self.limits(), other.limits());
        a == b || a.is_empty() || b.is_empty() || self.end() == other.end()
    }
}

/// A solution as text; `None` for null.
pub(crate) fn text_of(solution: &Value) -> Option<Box<str>> {
    (!solution.is_null()).then(|| solution.to_string().into())
}

impl Trial {
    /// The run of a record.
    ///
    /// # Errors
    /// It has no end.
    pub(crate) fn new(record: RunRecord, file: usize) -> Result<Self, String> {
        let RunRecord { task, ending, verified, solution, parts, history, improvements, .. } = record;
        if ending.stop.is_none() {
            return Err("missing field `stop`".to_owned());
        }
        let timed = improvements.filter(|steps| !steps.is_empty());
        let points = timed.or(history).unwrap_or_default();
        let solution = solution.and_then(|solution| text_of(&solution));
        Ok(Self { file, task, ending, points, verified, solution, parts })
    }

    /// The run that begins.
    pub(crate) fn begin(start: RunStart, file: usize) -> Self {
        let RunStart { task, playouts, seconds } = start;
        let ending = RunEnding { playouts, seconds, ..RunEnding::default() };
        Self { file, task, ending, points: Vec::new(), verified: None, solution: None, parts: Parts::default() }
    }

    /// Takes a later event.
    pub(crate) fn follow(&mut self, event: RunEvent) {
        match event {
            RunEvent::Start(_) => {}
            RunEvent::Improved { step, solution } => {
                self.reach(step.playouts, step.seconds.unwrap_or(0.0), 0, None);
                (self.ending.score, self.ending.violation) = (step.score, step.violation);
                self.points.push(step);
                self.solution = text_of(&solution);
            }
            RunEvent::Progress { playouts, seconds, nodes, bound, .. } => self.reach(playouts, seconds, nodes, bound),
            RunEvent::End(end) => {
                self.reach(end.playouts, end.seconds, end.nodes, end.bound);
                let RunEnding { playouts, seconds, nodes, bound, .. } = self.ending;
                self.ending = RunEnding { playouts, seconds, nodes, bound, ..end };
            }
        }
    }

    /// Takes note of how far the run is.
    fn reach(&mut self, playouts: u64, seconds: f64, nodes: u64, bound: Option<f64>) {
        let now = &mut self.ending;
        (now.playouts, now.nodes) = (now.playouts.max(playouts), now.nodes.max(nodes));
        now.seconds = now.seconds.max(seconds);
        now.bound = bound.or(now.bound);
    }

    /// How the run ended, for comparisons. Zero has two signs.
    pub(super) fn end(&self) -> (u64, Option<u64>) {
        (self.ending.playouts, self.ending.score.map(|score| (score + 0.0).to_bits()))
    }
}
