//! The events of a run as JSON lines, flushed as they come.

use crate::bench::record::budget_json;
use crate::failure::Failure;
use crate::machine;
use crate::output::Target;
use crate::result::{self, Asked, VERSION};
use serde_json::{Value, json};
use soloist::{Budget, Improvement, Progress, RunInfo};
use soloist_problems::Report;
use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::time::{Duration, Instant};

/// Least time between two `progress` events.
const INTERVAL: Duration = Duration::from_secs(1);

/// A file of events. The first write that fails ends them and is reported after the run.
#[derive(Debug)]
pub(crate) struct Events {
    file: BufWriter<File>,
    shown: String,
    last: Instant,
    failed: Option<io::Error>,
    /// Whether the reader has closed its end, which is no failure.
    closed: bool,
}

impl Events {
    /// Empties the file and writes the `start` event.
    pub(crate) fn start(
        target: &Target,
        asked: Asked<'_>,
        budget: &Budget,
        before: Option<&RunInfo>,
    ) -> Result<Self, Failure> {
        let file = BufWriter::new(target.stream(before.is_some())?);
        let mut events =
            Self { file, shown: target.shown().to_owned(), last: Instant::now(), failed: None, closed: false };
        events.write(&start(asked, budget, before));
        Ok(events)
    }

    /// Writes an `improved` event.
    pub(crate) fn improved(&mut self, improvement: &Improvement, progress: &Progress, solution: &dyn Fn() -> Value) {
        if self.failed.is_none() && !self.closed {
            self.write(&improved(improvement, progress, solution));
        }
    }

    /// Writes a `progress` event, unless the last one is recent.
    pub(crate) fn progress(&mut self, now: &Progress) {
        if self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            self.write(&progress(now));
        }
    }

    /// Writes the `end` event; tells whether all events were written.
    pub(crate) fn end(mut self, report: &Report) -> Result<(), Failure> {
        self.write(&end(report));
        match self.failed {
            None => Ok(()),
            Some(error) => Err(Failure::runtime(format!("cannot write {}: {error}", self.shown))),
        }
    }

    fn write(&mut self, event: &Value) {
        if self.failed.is_some() || self.closed {
            return;
        }
        match writeln!(self.file, "{event}").and_then(|()| self.file.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.closed = true,
            Err(error) => self.failed = Some(error),
        }
    }
}

/// The event of a run that starts, or goes on from `before`.
pub(crate) fn start(asked: Asked<'_>, budget: &Budget, before: Option<&RunInfo>) -> Value {
    let Asked { domain, instance, options, setup } = asked;
    json!({
        "event": "start",
        "problem": domain.name,
        "instance": instance.name(),
        "describe": instance.describe(),
        "options": options,
        "sense": result::sense(instance.sense()),
        "method": setup.preset,
        "parameters": result::parameters_of(setup),
        "rollout": setup.rollout,
        "seed": setup.seed,
        "threads": setup.threads,
        "budget": budget_json(budget),
        // Where a resumed run goes on.
        "playouts": before.map_or(0, |info| info.counters.playouts),
        "seconds": before.map_or(0.0, |info| info.elapsed.as_secs_f64()),
        "version": VERSION,
        "machine": machine::this(),
    })
}

/// The event of a better solution.
pub(crate) fn improved(improvement: &Improvement, progress: &Progress, solution: &dyn Fn() -> Value) -> Value {
    let score = Some(improvement.score);
    json!({
        "event": "improved",
        "seconds": progress.elapsed.as_secs_f64(),
        "playouts": progress.counters.playouts,
        "stream": improvement.stream,
        "score": result::score(score),
        "violation": result::violation(score),
        "solution": solution(),
    })
}

/// The event that says how far a run is.
pub(crate) fn progress(progress: &Progress) -> Value {
    json!({
        "event": "progress",
        "seconds": progress.elapsed.as_secs_f64(),
        "playouts": progress.counters.playouts,
        "nodes": progress.counters.nodes,
        "best": result::score(progress.best),
        "bound": result::optional(progress.bound),
        "gap": result::optional(progress.gap()),
    })
}

/// The event of a run that is over.
pub(crate) fn end(report: &Report) -> Value {
    json!({
        "event": "end",
        "stop": report.stop,
        "seconds": report.run.elapsed.as_secs_f64(),
        "playouts": report.run.counters.playouts,
        "nodes": report.run.counters.nodes,
        "score": result::score(report.score()),
        "violation": result::violation(report.score()),
        "feasible": result::value(report).is_some(),
        "optimal": report.optimal,
        "infeasible": report.infeasible,
        "bound": result::optional(report.bound),
        "gap": result::optional(result::gap(report)),
    })
}
