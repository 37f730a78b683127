//! What the family is beside its table of parameters.

use super::{Beam, Tie, run::BeamSearch};
use crate::core::parameter::ParameterError;
use crate::erased::problem::ErasedProblem;
use crate::search::family::Family;
use crate::search::shared::features::states;
use crate::search::step::Search;

impl Family for Beam {
    fn plays_first(&self) -> bool {
        false
    }

    /// Where bounds drop states, a pass may end without a finished one.
    fn finishes_rarely(&self) -> bool {
        self.tie != Tie::Playouts && self.prune
    }

    fn shares_threads(&self) -> bool {
        // Playouts draw from the generator of the stream, and candidates are those of its rollout.
        self.tie != Tie::Playouts && !self.selective
    }

    fn validate(&self) -> Result<(), ParameterError> {
        if self.tie != Tie::Playouts && self.playouts > 1 {
            return Err(ParameterError::Conflict("`playouts` needs `tie` = playouts"));
        }
        Ok(())
    }

    /// One place, and the buffers.
    fn least_memory(&self, problem: &dyn ErasedProblem) -> u64 {
        states(problem, 8)
    }

    fn build(&self, problem: &dyn ErasedProblem, memory: u64) -> Box<dyn Search> {
        Box::new(BeamSearch::new(self.clone(), problem, memory))
    }
}
