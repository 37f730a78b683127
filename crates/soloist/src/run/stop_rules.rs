//! When a score is good enough to stop.

use super::outcome::{Solution, StopReason};
use crate::Sense;
use crate::erased::problem::ErasedProblem;
use crate::search::Tally;

/// Scores at which a search is over.
#[derive(Clone, Copy)]
pub(super) struct Goals {
    sense: Sense,
    pub(super) bound: Option<f64>,
    target: Option<f64>,
}

impl Goals {
    /// `bound` is the [`root_bound`] of the problem. No score reaches a target that is no number.
    pub(super) fn new(sense: Sense, bound: Option<f64>, target: Option<f64>) -> Self {
        Self { sense, bound, target: target.filter(|target| !target.is_nan()) }
    }

    /// Returns the worst value that reaches a goal.
    pub(super) fn nearest(&self) -> Option<f64> {
        self.bound.into_iter().chain(self.target).reduce(|a, b| self.sense.worst_value(a, b))
    }

    /// Returns the goal that this incumbent reaches.
    pub(super) fn reached<M>(&self, best: &Option<Solution<M>>) -> Option<StopReason> {
        let value = best.as_ref().and_then(|best| best.score.value())?;
        let is_reached = |goal: Option<f64>| goal.is_some_and(|goal| !self.sense.better_value(goal, value));
        if is_reached(self.bound) {
            return Some(StopReason::Bound);
        }
        is_reached(self.target).then_some(StopReason::Target)
    }

    /// As [`Goals::reached`], but only if the run has more improvements than `improvements`: then the incumbent is new.
    pub(super) fn reached_now(&self, tally: &Tally, improvements: usize) -> Option<StopReason> {
        if tally.history.len() > improvements { self.reached(&tally.best) } else { None }
    }
}

/// Returns a bound on the scores of all solutions. It is unknown where the problem has none for its root, where that
/// one is NaN, and where the problem leaves solutions out.
pub(super) fn root_bound(problem: &dyn ErasedProblem) -> Option<f64> {
    let bound = if problem.facts().is_complete { problem.bound(&problem.root()) } else { None };
    bound.filter(|bound| !bound.is_nan())
}
