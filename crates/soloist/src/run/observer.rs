//! Observers of a run.

use super::outcome::{Counters, Improvement, Solution};
use crate::Score;
use crate::core::codec::CheckpointError;
use crate::erased::source::Source;
use crate::erased::{MoveCodec, MoveId};
use crate::problem::{Move, Problem};
use std::sync::Arc;
use std::time::Duration;

/// How far a run is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// Wall-clock time, resumed parts included.
    pub elapsed: Duration,
    /// Effort of all streams so far.
    pub counters: Counters,
    /// The best score so far.
    pub best: Option<Score>,
    /// The best bound so far on the scores of all solutions; `None`: unknown.
    ///
    /// At first that of the problem's root. Branch and bound in all its orders, IDA* and tree searches that prune by
    /// bounds bring it closer as they exclude parts of the space.
    pub bound: Option<f64>,
}

impl Progress {
    /// Returns the relative gap between the best score and the bound; see [`gap`].
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        gap(self.best?.value()?, self.bound?)
    }
}

/// Returns the relative gap between a score and a bound on all scores: `|score - bound| / |score|`, which is 0 when the
/// score is proven optimal and need not be below 1. `None` where it has no meaning: the score is 0 and the bound is
/// not, or one of them is not finite.
#[must_use]
pub fn gap(score: f64, bound: f64) -> Option<f64> {
    let difference = (score - bound).abs();
    let gap = if difference == 0.0 { 0.0 } else { difference / score.abs() };
    gap.is_finite().then_some(gap)
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
    /// A checkpoint could not be written. The run continues and tries again after the next interval.
    fn unsaved(&mut self, _error: &CheckpointError) {}
    /// Whether [`scores`](Self::scores) and [`gauges`](Self::gauges) are to be called; asked when the run or its next
    /// slice begins.
    fn wants_insight(&self) -> bool {
        false
    }
    /// Feasible scores of up to 512 playouts of a stream, sampled evenly since the previous call, once per
    /// interval from the streams in turn. Solutions that a search scores without a playout of their own may be left
    /// out.
    fn scores(&mut self, _scores: &[f64]) {}
    /// Named measurements of how focused a stream's search has become, with units, once per interval: the entropy of
    /// the policy along the playout that NRPA learns, the scores that its outermost beam keeps, the depth at which UCT
    /// left its tree. Other searches have none.
    fn gauges(&mut self, _gauges: &[(&'static str, f64)]) {}
}

/// The observer that ignores every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl<M> Observer<M> for Silent {}

/// The closure of [`Solver::on_improvement`](crate::Solver::on_improvement).
pub(super) type OnImprovement<'a, M> = Box<dyn FnMut(&Solution<M>, &Progress) + Send + 'a>;
/// The closure of [`Solver::on_progress`](crate::Solver::on_progress).
pub(super) type OnProgress<'a> = Box<dyn FnMut(&Progress) + Send + 'a>;

/// Passes the events of a run to closures and to an observer.
pub(super) struct Calling<'a, M> {
    pub(super) on_improvement: Option<OnImprovement<'a, M>>,
    pub(super) on_progress: Option<OnProgress<'a>>,
    pub(super) observer: Option<&'a mut dyn Observer<M>>,
}

impl<M> Observer<M> for Calling<'_, M> {
    fn improved(&mut self, improvement: &Improvement, solution: &Solution<M>, progress: &Progress) {
        if let Some(call) = &mut self.on_improvement {
            call(solution, progress);
        }
        if let Some(observer) = &mut self.observer {
            observer.improved(improvement, solution, progress);
        }
    }

    fn progress(&mut self, progress: &Progress) {
        if let Some(call) = &mut self.on_progress {
            call(progress);
        }
        if let Some(observer) = &mut self.observer {
            observer.progress(progress);
        }
    }

    fn unsaved(&mut self, error: &CheckpointError) {
        if let Some(observer) = &mut self.observer {
            observer.unsaved(error);
        }
    }

    fn wants_insight(&self) -> bool {
        self.observer.as_ref().is_some_and(|observer| observer.wants_insight())
    }

    fn scores(&mut self, scores: &[f64]) {
        if let Some(observer) = &mut self.observer {
            observer.scores(scores);
        }
    }

    fn gauges(&mut self, gauges: &[(&'static str, f64)]) {
        if let Some(observer) = &mut self.observer {
            observer.gauges(gauges);
        }
    }
}

/// Passes the events of a run on, with the problem's moves.
pub(super) struct Unpacking<'a, M: Move> {
    packing: MoveCodec<M>,
    prefix: Arc<[M]>,
    observer: &'a mut dyn Observer<M>,
}

impl<'a, M: Move> Unpacking<'a, M> {
    pub(super) fn new<P: Problem<Move = M>>(source: &Source<'_, P>, observer: &'a mut dyn Observer<M>) -> Self {
        Self { packing: source.packing.clone(), prefix: Arc::clone(source.problem.prefix()), observer }
    }
}

impl<M: Move> Observer<MoveId> for Unpacking<'_, M> {
    fn improved(&mut self, improvement: &Improvement, solution: &Solution<MoveId>, progress: &Progress) {
        self.observer.improved(improvement, &solution.unpacked(&self.packing, &self.prefix), progress);
    }

    fn progress(&mut self, progress: &Progress) {
        self.observer.progress(progress);
    }

    fn unsaved(&mut self, error: &CheckpointError) {
        self.observer.unsaved(error);
    }

    fn wants_insight(&self) -> bool {
        self.observer.wants_insight()
    }

    fn scores(&mut self, scores: &[f64]) {
        self.observer.scores(scores);
    }

    fn gauges(&mut self, gauges: &[(&'static str, f64)]) {
        self.observer.gauges(gauges);
    }
}
