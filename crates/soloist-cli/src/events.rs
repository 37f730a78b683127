//! The events of a run as JSON lines, flushed as they come.

use crate::failure::Failure;
use crate::output::Target;
use crate::result::{self, Asked, VERSION};
use serde_json::{Value, json};
use soloist::{Improvement, Progress, RunInfo};
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
    /// Whether nobody reads them any more, which is no failure.
    closed: bool,
}

impl Events {
    /// Empties the file and writes the `start` event.
    pub(crate) fn start(target: &Target, asked: Asked<'_>, before: Option<&RunInfo>) -> Result<Self, Failure> {
        let file = BufWriter::new(target.stream(before.is_some())?);
        let mut events =
            Self { file, shown: target.shown().to_owned(), last: Instant::now(), failed: None, closed: false };
        let Asked { domain, instance, options, setup } = asked;
        events.write(&json!({
            "event": "start",
            "problem": domain.name,
            "instance": instance.name(),
            "describe": instance.describe(),
            "options": options,
            "sense": result::sense(instance.sense()),
            "method": setup.preset,
            "parameters": result::parameters(&setup.method),
            "rollout": setup.rollout,
            "seed": setup.seed,
            "threads": setup.threads,
            // Where a resumed run goes on.
            "playouts": before.map_or(0, |info| info.counters.playouts),
            "seconds": before.map_or(0.0, |info| info.elapsed.as_secs_f64()),
            "version": VERSION,
        }));
        Ok(events)
    }

    /// Writes an `improved` event.
    pub(crate) fn improved(&mut self, improvement: &Improvement, progress: &Progress, solution: &dyn Fn() -> Value) {
        if self.failed.is_some() || self.closed {
            return;
        }
        let score = Some(improvement.score);
        self.write(&json!({
            "event": "improved",
            "seconds": progress.elapsed.as_secs_f64(),
            "playouts": progress.counters.playouts,
            "stream": improvement.stream,
            "score": result::score(score),
            "violation": result::violation(score),
            "solution": solution(),
        }));
    }

    /// Writes a `progress` event, unless the last one is recent.
    pub(crate) fn progress(&mut self, progress: &Progress) {
        if self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            self.write(&json!({
                "event": "progress",
                "seconds": progress.elapsed.as_secs_f64(),
                "playouts": progress.counters.playouts,
                "nodes": progress.counters.nodes,
                "best": result::score(progress.best),
                "bound": result::optional(progress.bound),
                "gap": result::optional(progress.gap()),
            }));
        }
    }

    /// Writes the `end` event; tells whether all events were written.
    pub(crate) fn end(mut self, report: &Report) -> Result<(), Failure> {
        self.write(&json!({
            "event": "end",
            "stop": report.stop,
            "seconds": report.run.elapsed.as_secs_f64(),
            "playouts": report.run.counters.playouts,
            "nodes": report.run.counters.nodes,
            "score": result::score(report.score()),
            "violation": result::violation(report.score()),
            "feasible": result::value(report).is_some(),
            "optimal": report.optimal,
            "bound": result::optional(report.bound),
            "gap": result::optional(result::gap(report)),
        }));
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
