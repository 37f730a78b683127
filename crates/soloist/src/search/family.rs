//! What a family of methods is.

use super::step::Search;
use crate::core::parameter::ParameterError;
use crate::erased::problem::ErasedProblem;
use crate::problem::SearchInfo;

/// What a family of methods is beside its table of parameters.
pub(crate) trait Family {
    /// Returns the name where that of the family does not say what is run.
    fn own_name(&self) -> Option<&str> {
        None
    }

    /// Returns the parameters to try first, by name; none: all are.
    fn first_parameters(&self) -> &'static [&'static str] {
        &[]
    }

    /// Looks up the names of a problem's own searches.
    ///
    /// # Errors
    /// A name that the problem does not have, or settings that do not fit.
    fn look_up(&mut self, _searches: &[SearchInfo]) -> Result<(), ParameterError> {
        Ok(())
    }

    /// Whether the parameters go together.
    fn validate(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    /// Returns the bytes without which the search cannot do what its parameters say; 0: it makes do with any memory.
    fn least_memory(&self, _problem: &dyn ErasedProblem) -> u64 {
        0
    }

    /// Whether the first step plays a game to its end. Other searches prune by an incumbent that they may find late.
    fn plays_first(&self) -> bool {
        true
    }

    /// Whether games are played by the bias of the problem's moves, where no rollout is named and the problem has none
    /// of its own.
    fn plays_by_bias(&self) -> bool {
        false
    }

    /// Whether all threads work on one search, whose result is the same for any number of them. Otherwise each has a
    /// search of its own.
    fn shares_threads(&self) -> bool {
        false
    }

    /// Whether the streams of a run meet at counted times and exchange what they work on. `is_timed`: a limit of time
    /// may end the run.
    fn meets(&self, _is_timed: bool) -> bool {
        false
    }

    /// Whether the search may finish no game for very long, so that a limit of playouts need not end it.
    fn finishes_rarely(&self) -> bool {
        false
    }

    /// Whether the search counts nodes, so that a limit of nodes ends it.
    fn counts_nodes(&self) -> bool {
        true
    }

    /// Returns the rollouts that the search plays beside that of the run, by name.
    ///
    /// # Errors
    /// When the problem names methods that do not exist.
    fn rollouts(&self, _problem: &dyn ErasedProblem) -> Result<Vec<String>, ParameterError> {
        Ok(Vec::new())
    }

    /// Returns the search; `memory` bytes are for its trees, lists and tables.
    fn build(&self, problem: &dyn ErasedProblem, memory: u64) -> Box<dyn Search>;
}
