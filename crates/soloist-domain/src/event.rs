//! The events of a run in progress, as `soloist solve --events` and the live view write them.

use crate::record::known_format;
use crate::result::Asked;
use crate::{ImprovementStep, Limits, RecordError, RunEnding, RunTask};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use soloist::run::{Improvement, Progress, RunInfo};
use soloist::{Budget, Score};

/// An event of a run in progress, named by the field `event`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum RunEvent {
    /// The run begins, or continues.
    Start(Box<RunStart>),
    /// A better solution.
    Improved {
        /// When, and how good.
        #[serde(flatten)]
        step: ImprovementStep,
        /// The solution in the problem's own terms.
        #[serde(default)]
        solution: Value,
    },
    /// How far the run is.
    Progress {
        /// Wall-clock seconds.
        seconds: f64,
        /// Playouts of all streams.
        playouts: u64,
        /// Nodes of all streams.
        #[serde(default)]
        nodes: u64,
        /// The best feasible score.
        #[serde(serialize_with = "crate::result::serialize_number")]
        best: Option<f64>,
        /// An optimistic bound.
        #[serde(serialize_with = "crate::result::serialize_number")]
        bound: Option<f64>,
        /// The relative gap between both.
        #[serde(serialize_with = "crate::result::serialize_number")]
        gap: Option<f64>,
    },
    /// The run is over.
    End(RunEnding),
}

/// The first event of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunStart {
    /// What was asked for.
    #[serde(flatten)]
    pub task: RunTask,
    /// Playouts before, where the run is resumed.
    #[serde(default)]
    pub playouts: u64,
    /// Seconds before.
    #[serde(default)]
    pub seconds: f64,
}

impl RunEvent {
    /// Returns the event of a run that starts, or continues from `before`.
    #[must_use]
    pub fn start(task: RunTask, asked: Asked<'_>, budget: &Budget, before: Option<&RunInfo>) -> Self {
        let describe = Some(asked.instance.describe());
        Self::Start(Box::new(RunStart {
            task: RunTask { describe, budget: Some(Limits::of(budget)), ..task },
            playouts: before.map_or(0, |info| info.counters.playouts),
            seconds: before.map_or(0.0, |info| info.elapsed.as_secs_f64()),
        }))
    }

    /// Returns the event of a better solution.
    #[must_use]
    pub fn improved(improvement: &Improvement, progress: &Progress, solution: Value) -> Self {
        Self::Improved { step: ImprovementStep::now(improvement, progress), solution }
    }

    /// Returns the event that says how far a run is.
    #[must_use]
    pub fn progress(progress: &Progress) -> Self {
        Self::Progress {
            seconds: progress.elapsed.as_secs_f64(),
            playouts: progress.counters.playouts,
            nodes: progress.counters.nodes,
            best: progress.best.and_then(Score::value),
            bound: progress.bound,
            gap: progress.gap(),
        }
    }

    /// Returns the event as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::to_value(self).expect("plain data is always encodable in memory")
    }

    /// Reads an event, of this release or an earlier one.
    ///
    /// # Errors
    /// Same as [`RunRecord::from_line`](crate::RunRecord::from_line).
    pub fn from_value(value: Value) -> Result<Self, RecordError> {
        known_format(value.get("format"))?;
        Ok(serde_json::from_value(value)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunRecord;
    use crate::record::tests::old;
    use serde_json::json;

    #[test]
    fn events_come_back() {
        let record = RunRecord::from_value(old()).unwrap();
        let step =
            ImprovementStep { seconds: Some(0.5), playouts: 9, stream: Some(1), score: None, violation: Some(1.0) };
        let (best, bound) = (Some(3.0), Some(4.5));
        let events = [
            RunEvent::Start(Box::new(RunStart { task: record.task, playouts: 5, seconds: 1.5 })),
            RunEvent::Improved { step, solution: json!({ "items": [] }) },
            RunEvent::Progress { seconds: 1.0, playouts: 9, nodes: 2, best, bound, gap: Some(0.5) },
            RunEvent::End(record.ending),
        ];
        for (event, name) in events.into_iter().zip(["start", "improved", "progress", "end"]) {
            let value = event.json();
            assert_eq!(value["event"], name);
            assert_eq!(RunEvent::from_value(value).unwrap(), event);
        }
    }
}
