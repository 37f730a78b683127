//! Notes and progress of work that consists of jobs.

use super::{Kind, LINE, output, signal};
use soloist_study::serve::{self, Feed};
use soloist_study::{Context, Failure, Show};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Shows a study on standard error: a bar that is redrawn on a terminal, a line now and then elsewhere.
#[derive(Debug)]
pub(crate) struct Terminal {
    quiet: bool,
    /// Progress of the jobs at work, with the time of the last plain line.
    jobs: Mutex<Option<(Kind, Instant)>>,
}

impl Terminal {
    /// Shows warnings alone if `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        Self { quiet, jobs: Mutex::default() }
    }

    /// The context of a study in this program.
    pub(crate) fn context(&self) -> Context<'_> {
        Context { registry: soloist_problems::registry(), stop: &signal::STOP, show: self }
    }

    /// Serves a live page, whose visitors can stop the runs.
    pub(crate) fn serve(&self, address: SocketAddr, feed: &Arc<Feed>) -> Result<(), Failure> {
        let stop = Arc::new(|| signal::stop("stopping, as the live view asks"));
        serve::start(address, Arc::clone(feed), stop, &self.context())
    }

    fn jobs(&self) -> MutexGuard<'_, Option<(Kind, Instant)>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Show for Terminal {
    fn note(&self, line: &str) {
        if !self.quiet {
            self.warn(line);
        }
    }

    fn warn(&self, line: &str) {
        match &*self.jobs() {
            Some((kind, _)) => kind.note(line),
            None => output::note(line),
        }
    }

    fn progress(&self, done: usize, total: usize, line: &dyn Fn() -> String) {
        let mut jobs = self.jobs();
        let (kind, last) =
            jobs.get_or_insert_with(|| (Kind::new(self.quiet, total as u64, "[{bar:20}] {wide_msg}"), Instant::now()));
        match kind {
            Kind::Quiet => {}
            Kind::Bar(bar) => {
                bar.set_position(done as u64);
                bar.set_message(line());
                bar.tick();
            }
            Kind::Lines if done == total || last.elapsed() >= LINE => {
                *last = Instant::now();
                output::note(&line());
            }
            Kind::Lines => {}
        }
    }

    fn finish(&self) {
        if let Some((kind, _)) = self.jobs().take() {
            kind.finish();
        }
    }
}
