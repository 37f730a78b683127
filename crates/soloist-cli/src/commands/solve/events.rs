//! The events of a run as JSON lines, flushed as they come.

use soloist::Budget;
use soloist::run::RunInfo;
use soloist_problems::result::{Asked, line};
use soloist_problems::{AnyObserver, Observed, Report, RunEnding, RunEvent};
use soloist_study::files::Target;
use soloist_study::{Failure, task};
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

impl AnyObserver for Events {
    fn on(&mut self, event: Observed<'_>) {
        match event {
            Observed::Improved { improvement, progress, solution } if self.failed.is_none() && !self.closed => {
                self.write(&RunEvent::improved(improvement, progress, solution()));
            }
            Observed::Progress(now) if self.last.elapsed() >= INTERVAL => {
                self.last = Instant::now();
                self.write(&RunEvent::progress(now));
            }
            _ => {}
        }
    }
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
        events.write(&RunEvent::start(task(asked, asked.instance.name()), asked, budget, before));
        Ok(events)
    }

    /// Writes the `end` event.
    ///
    /// # Errors
    /// An event could not be written.
    pub(crate) fn end(mut self, report: &Report) -> Result<(), Failure> {
        self.write(&RunEvent::End(RunEnding::new(report)));
        match self.failed {
            None => Ok(()),
            Some(error) => Err(Failure::runtime(format!("cannot write {}: {error}", self.shown))),
        }
    }

    fn write(&mut self, event: &RunEvent) {
        if self.failed.is_some() || self.closed {
            return;
        }
        match self.file.write_all(line(event).as_bytes()).and_then(|()| self.file.flush()) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => self.closed = true,
            Err(error) => self.failed = Some(error),
        }
    }
}
