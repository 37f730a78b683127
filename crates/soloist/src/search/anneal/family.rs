//! What the family is beside its table of parameters.

use super::{Anneal, Coolings, run::AnnealSearch, schedule::RACE};
use crate::core::parameter::ParameterError;
use crate::erased::problem::ErasedProblem;
use crate::search::family::Family;
use crate::search::step::Search;

impl Family for Anneal {
    fn first_parameters(&self) -> &'static [&'static str] {
        &["steps", "start", "end", "runs", "depth", "most", "population", "finish", "reheats", "local"]
    }

    fn meets(&self, _: bool) -> bool {
        true
    }

    fn validate(&self) -> Result<(), ParameterError> {
        let Coolings { arms, steps, finish, population, .. } = self.coolings;
        if arms > 1 && (steps > 0 || finish <= RACE) {
            return Err(ParameterError::Conflict("arms need steps=0 and finish above 0.4"));
        }
        if population > 1 && arms > 1 {
            return Err(ParameterError::Conflict("population above 1 needs arms=1"));
        }
        // Suggestions alone are not enough: few problems make any.
        if self.weights.by_kind().iter().sum::<u64>() == self.weights.suggest {
            return Err(ParameterError::Conflict(
                "one of swap, insert, block, reverse, shuffle, change, replace and guide must be above 0",
            ));
        }
        Ok(())
    }

    fn build(&self, problem: &dyn ErasedProblem, memory: u64) -> Box<dyn Search> {
        Box::new(AnnealSearch::new(self.clone(), problem, memory))
    }
}
