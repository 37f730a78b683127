//! What solutions are worth to annealing.

use crate::erased::problem::ErasedProblem;
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};

/// What a solution is worth to annealing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Worth {
    pub(super) feasible: bool,
    /// Smaller is better: the score with the sign of the sense; a degree; a neighbourhood's cost.
    pub(super) cost: f64,
}

impl Worth {
    pub(super) fn new(problem: &dyn ErasedProblem, score: Score) -> Self {
        match score {
            Score::Infeasible(cost) => Self { feasible: false, cost },
            Score::Feasible(value) => {
                Self { feasible: true, cost: if problem.sense() == Sense::Maximize { -value } else { value } }
            }
        }
    }

    /// By how much this is worse than another solution of the same kind, otherwise 0.
    pub(super) fn difference(self, other: Self) -> f64 {
        if self.feasible == other.feasible { self.cost - other.cost } else { 0.0 }
    }

    pub(super) fn beats(self, other: Self) -> bool {
        if self.feasible == other.feasible { self.cost < other.cost } else { self.feasible }
    }
}
