//! Independent playouts from the root, the best kept: "multiple simulation" in Rei's thesis.
//!
//! With `cutoff` a playout ends as soon as its bound is not better than the incumbent (with [`Solver::keep`], than
//! the worst solution kept): the cut-off of the thesis, which counts as a playout and is no solution. It needs a
//! rollout that looks at bounds ([`Playout::to_beat`]): `random` asks [`Problem::bound`] after each move, others
//! say what they do. A cut playout draws fewer random numbers, so that a run with cut-off is another run; whether
//! it is faster depends on the cost of the bound. Off unless asked for: rollouts that learn need whole playouts.
//!
//! An offered solution is kept as incumbent.
//!
//! [`Solver::keep`]: crate::Solver::keep
//! [`Playout::to_beat`]: crate::rollout::Playout::to_beat
//! [`Problem::bound`]: crate::Problem::bound
//!
//! When to use it: as the baseline that any search must beat, and with strong or learning rollouts. Cost per step:
//! one playout; memory: one solution.
//!
//! ```
//! # use soloist::{Budget, Method, Solver, doc::Staircase};
//! let outcome = Solver::new(&Staircase(6), Method::preset("sampling").unwrap())
//!     .budget(Budget::playouts(1_000)).seed(1).run().unwrap();
//! assert_eq!(outcome.counters.playouts, 1_000);
//! ```
//!
//! # References
//! L. Rei, "Monte Carlo tree search for combinatorial optimization", thesis, University of Porto, 2018.

use super::family::Family;
use super::{Context, Search, Status};
use crate::core::codec::CheckpointError;
use crate::core::parameter::parameters;
use crate::core::solution::Solution;
use crate::erased::problem::ErasedProblem;

parameters! {
    /// The parameters of the family; see the module.
    #[doc(hidden)]
    pub struct Sampling {
        /// playouts after which the search ends by itself (0: never)
        limit: u64 = 0, 0..=u64::MAX;
        /// end a playout when its bound is no better than the incumbent
        cutoff: bool = false, ();
    }
}

impl Family for Sampling {
    fn plays_by_bias(&self) -> bool {
        true
    }

    fn counts_nodes(&self) -> bool {
        false
    }

    fn build(&self, _: &dyn ErasedProblem, _: u64) -> Box<dyn Search> {
        Box::new(SamplingSearch { limit: self.limit, cutoff: self.cutoff })
    }
}

/// No state: every playout begins at the root.
#[derive(Debug)]
struct SamplingSearch {
    limit: u64,
    cutoff: bool,
}

impl Search for SamplingSearch {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        let score = match context.tally.to_beat().filter(|_| self.cutoff) {
            Some(value) => context.rollout.sample_within(value, context.rng),
            None => Some(context.rollout.sample(context.rng)),
        };
        match score {
            Some(score) => context.tally.count(score),
            None => context.tally.counters.playouts += 1,
        }
        if let Some(score) = score
            && context.tally.wants(score)
            && !context.problem.has_failed()
        {
            let (moves, identity) = context.rollout.sampled();
            context.tally.keep(Solution { score, moves }, identity);
        }
        if self.limit > 0 && context.tally.counters.playouts >= self.limit {
            Status::Completed
        } else {
            Status::Running
        }
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    fn load(&mut self, _: &dyn ErasedProblem, bytes: &[u8]) -> Result<(), CheckpointError> {
        if bytes.is_empty() { Ok(()) } else { Err(CheckpointError::Corrupt("unexpected sampling data")) }
    }
}
