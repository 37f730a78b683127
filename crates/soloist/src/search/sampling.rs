//! Independent playouts.

use super::{Context, Search, Status};
use crate::parameter::parameters;
use crate::{CheckpointError, Playout, Problem};

parameters! {
    /// Independent playouts from the root, the best kept: "multiple simulation" in Rei's thesis.
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

/// No state: every playout starts anew.
#[derive(Debug)]
pub(crate) struct Run<P: Problem> {
    limit: u64,
    state: Option<P::State>,
    playout: Playout<P::Move>,
}

impl<P: Problem> Run<P> {
    pub(crate) fn new(own: &Sampling) -> Self {
        Self { limit: own.limit, state: None, playout: Playout::default() }
    }
}

impl<P: Problem> Search<P> for Run<P> {
    fn step(&mut self, context: &mut Context<'_, P>) -> Status {
        let root = context.problem.root();
        let state = self.state.insert(root);
        self.playout.moves.clear();
        context.rollout.run(context.problem, state, &mut self.playout, context.rng);
        context.finish(state, &[], &self.playout.moves);
        if context.tally.counters.playouts == self.limit { Status::Completed } else { Status::Running }
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    fn load(&mut self, _: &P, bytes: &[u8]) -> Result<(), CheckpointError> {
        if bytes.is_empty() { Ok(()) } else { Err(CheckpointError::Corrupt("unexpected sampling data")) }
    }
}
