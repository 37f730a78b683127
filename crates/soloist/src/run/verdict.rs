//! What a run has shown about its best solution: the one place where that is decided.

use super::outcome::StopReason;
use crate::Score;

/// What a run has shown about its best solution.
///
/// A run is a proof if a search has covered the whole space, which takes a
/// [`Proof`](crate::core::coverage::Proof), or if the incumbent is as good as the bound of the root; and if the
/// problem lists all its solutions. What is proven then is the optimum, or that no solution is feasible. The *degree*
/// of an infeasible solution is never proven: problems leave out moves after which nothing can be feasible, and bounds
/// are about feasible scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Verdict {
    /// Whether the best solution is feasible and no solution is better.
    pub(super) optimal: bool,
    /// Whether no solution is feasible.
    pub(super) infeasible: bool,
    /// A bound on the scores of all solutions.
    pub(super) bound: Option<f64>,
}

impl Verdict {
    /// Decides. `is_complete`: whether the problem lists all its solutions; `bound`: what the streams have shown
    /// together; asked only where nothing is proven.
    pub(super) fn new(
        stop: StopReason,
        is_complete: bool,
        best: Option<Score>,
        bound: impl FnOnce() -> Option<f64>,
    ) -> Self {
        let proven = is_complete && matches!(stop, StopReason::Exhausted | StopReason::Bound);
        match best {
            Some(Score::Feasible(value)) if proven => Self { optimal: true, infeasible: false, bound: Some(value) },
            // Nothing that is bounded exists.
            Some(Score::Infeasible(_)) if proven => Self { optimal: false, infeasible: true, bound: None },
            _ => Self { optimal: false, infeasible: false, bound: bound() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{StopReason, Verdict};
    use crate::Score;

    #[test]
    fn a_proof_needs_a_reason_all_solutions_and_a_feasible_one() {
        let verdict = |stop, complete, best| {
            let Verdict { optimal, infeasible, bound } = Verdict::new(stop, complete, best, || Some(9.0));
            (optimal, infeasible, bound)
        };
        let (good, bad) = (Some(Score::Feasible(7.0)), Some(Score::Infeasible(2.0)));
        for stop in [StopReason::Exhausted, StopReason::Bound] {
            assert_eq!(verdict(stop, true, good), (true, false, Some(7.0)));
            assert_eq!(verdict(stop, true, bad), (false, true, None));
            for (complete, best) in [(true, None), (false, good), (false, bad), (false, None)] {
                assert_eq!(verdict(stop, complete, best), (false, false, Some(9.0)));
            }
        }
        for stop in [StopReason::Completed, StopReason::Time, StopReason::Target, StopReason::Nodes] {
            assert_eq!(verdict(stop, true, good), (false, false, Some(9.0)));
            assert_eq!(verdict(stop, true, bad), (false, false, Some(9.0)));
        }
    }
}
