//! The program around a study: its problems, its stop flag, and where it shows progress.

use soloist_domain::Registry;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shows what a study reports while it works. All methods do nothing by default.
pub trait Show: Sync {
    /// A line for people.
    fn note(&self, _line: &str) {}

    /// A line that people must see even if they asked for silence.
    fn warn(&self, _line: &str) {}

    /// `done` of `total` jobs have ended; `line` describes this. Called at the end of each job and about five times a
    /// second between.
    fn progress(&self, _done: usize, _total: usize, _line: &dyn Fn() -> String) {}

    /// The jobs have ended: a line that was redrawn by [`progress`](Self::progress) goes away.
    fn finish(&self) {}
}

/// Shows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct ShowNothing;

impl Show for ShowNothing {}

/// What a study needs of the program around it.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The problems of the program.
    pub registry: Registry,
    /// Ends all runs when it becomes true. A study raises it itself when a run fails.
    pub stop: &'a AtomicBool,
    /// Receives notes and progress.
    pub show: &'a dyn Show,
}

impl<'a> Context<'a> {
    /// A context that shows nothing.
    #[must_use]
    pub fn silent(registry: Registry, stop: &'a AtomicBool) -> Self {
        Self { registry, stop, show: &ShowNothing }
    }

    /// Whether the runs are to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// Prints a line for people.
    pub(crate) fn note(&self, line: &str) {
        self.show.note(line);
    }
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("registry", &self.registry).field("stop", self.stop).finish_non_exhaustive()
    }
}

/// The cores of this machine, at least 1.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
