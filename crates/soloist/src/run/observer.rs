//! Observers of a run.

use super::outcome::{Counters, Improvement, Solution};
use crate::Score;
use crate::problem::{Move, MoveId, Packing};
use std::time::Duration;

/// How far a run is.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Wall-clock time, resumed parts included.
    pub elapsed: Duration,
    /// Effort of all streams so far.
    pub counters: Counters,
    /// The best score so far.
    pub best: Option<Score>,
}

/// Receives events of a run. All methods do nothing by default.
///
/// `improved` is called when a stream finds a solution better than all before it in any stream, `progress` about once
/// per interval, both from the thread of a stream, one at a time. Nothing is called per playout.
pub trait Observer<M>: Send {
    /// A better solution was found.
    fn improved(&mut self, _improvement: &Improvement, _solution: &Solution<M>, _progress: &Progress) {}
    /// The interval passed.
    fn progress(&mut self, _progress: &Progress) {}
}

/// The observer that ignores every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl<M> Observer<M> for Silent {}

/// Passes the events of a run on, with the problem's moves.
pub(super) struct Unpacking<'a, M: Move> {
    pub(super) packing: Packing<M>,
    pub(super) observer: &'a mut dyn Observer<M>,
}

impl<M: Move> Observer<MoveId> for Unpacking<'_, M> {
    fn improved(&mut self, improvement: &Improvement, solution: &Solution<MoveId>, progress: &Progress) {
        self.observer.improved(improvement, &solution.unpacked(&self.packing), progress);
    }

    fn progress(&mut self, progress: &Progress) {
        self.observer.progress(progress);
    }
}
