//! Independent playouts.

use super::method::Family;
use super::parameter::parameters;
use super::{Context, Search, Status};
use crate::problem::rules::Rules;
use crate::{CheckpointError, Solution};

parameters! {
    /// Independent playouts from the root, the best kept: "multiple simulation" in Rei's thesis.
    ///
    /// An offered solution is kept as incumbent.
    ///
    /// When to use it: as the baseline that any search must beat, and with strong or learning rollouts. Cost per step:
    /// one playout; memory: one solution.
    ///
    /// ```
    /// # use soloist::{Budget, Method, Solver, doc::Staircase};
    /// let outcome = Solver::new(&Staircase(6), Method::preset("sampling").unwrap())
    ///     .budget(Budget::playouts(1_000)).seed(1).run().unwrap();
    /// assert_eq!(outcome.counters.playouts, 1_000);
    /// ```
    ///
    /// # References
    /// L. Rei, "Monte Carlo tree search for combinatorial optimization", thesis, University of Porto, 2018.
    pub struct Sampling {
        /// playouts after which the search ends by itself (0: never)
        limit: u64 = 0, 0..=u64::MAX;
    }
}

impl Family for Sampling {
    fn build(&self, _: &dyn Rules, _: u64) -> Box<dyn Search> {
        Box::new(SamplingSearch { limit: self.limit })
    }
}

/// No state: every playout begins at the root.
#[derive(Debug)]
struct SamplingSearch {
    limit: u64,
}

impl Search for SamplingSearch {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        let score = context.rollout.sample(context.rng);
        context.tally.counters.playouts += 1;
        if context.tally.wants(score) && !context.problem.has_failed() {
            let (moves, identity) = context.rollout.sampled();
            context.tally.keep(Solution { score, moves }, identity);
        }
        if context.tally.counters.playouts == self.limit { Status::Completed } else { Status::Running }
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    fn load(&mut self, _: &dyn Rules, bytes: &[u8]) -> Result<(), CheckpointError> {
        if bytes.is_empty() { Ok(()) } else { Err(CheckpointError::Corrupt("unexpected sampling data")) }
    }
}
