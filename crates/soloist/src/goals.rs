//! When a score is good enough to stop.

use crate::search::Tally;
use crate::{Problem, Sense, Solution, StopReason};

/// Scores at which a search is over.
#[derive(Clone, Copy)]
pub(crate) struct Goals {
    sense: Sense,
    bound: Option<f64>,
    target: Option<f64>,
}

impl Goals {
    pub(crate) fn new<P: Problem>(problem: &P, target: Option<f64>) -> Self {
        Self { sense: problem.sense(), bound: root_bound(problem), target }
    }

    /// The goal that this incumbent reaches.
    pub(crate) fn reached<M>(&self, best: &Option<Solution<M>>) -> Option<StopReason> {
        let value = best.as_ref().and_then(|best| best.score.value())?;
        let is_reached = |goal: Option<f64>| goal.is_some_and(|goal| !self.sense.better_value(goal, value));
        if is_reached(self.bound) {
            return Some(StopReason::Bound);
        }
        is_reached(self.target).then_some(StopReason::Target)
    }

    /// As [`Goals::reached`], for an incumbent that is new if there are more than `improvements`.
    pub(crate) fn reached_now<M: crate::Move>(&self, tally: &Tally<M>, improvements: usize) -> Option<StopReason> {
        if tally.history.len() > improvements { self.reached(&tally.best) } else { None }
    }
}

/// No solution scores better than this; `None`: unknown, as of a problem that leaves solutions out.
pub(crate) fn root_bound<P: Problem>(problem: &P) -> Option<f64> {
    problem.is_complete().then(|| problem.bound(&problem.root()))?
}
