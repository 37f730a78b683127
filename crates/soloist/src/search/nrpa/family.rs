//! What the family is beside its table of parameters.

use super::{Adapting, Keep, Nrpa, Similar, run::NrpaSearch};
use crate::core::parameter::ParameterError;
use crate::erased::problem::ErasedProblem;
use crate::rollout::policy::Policy;
use crate::search::family::Family;
use crate::search::step::Search;

impl Family for Nrpa {
    fn first_parameters(&self) -> &'static [&'static str] {
        &["level", "iterations", "alpha", "playouts", "bias_weight", "clamp", "beam", "width", "arms", "restarts"]
    }

    fn meets(&self, _: bool) -> bool {
        !self.shares()
    }

    fn validate(&self) -> Result<(), ParameterError> {
        let conflicts = [
            (
                self.beam == Keep::None && self.width.numbers().iter().any(|&width| width > 1),
                "`width` needs `beam` = solutions or policies",
            ),
            (
                self.beam != Keep::Solutions && self.similar != Similar::ScoreLength,
                "`similar` needs `beam` = solutions",
            ),
            (self.beam != Keep::Solutions && self.adapting != Adapting::Running, "`adapting` needs `beam` = solutions"),
            (self.beam == Keep::Solutions && self.bias_rate > 0.0, "`bias_rate` needs `beam` = none or policies"),
            (
                self.shares() && (self.beam == Keep::Policies || self.repetitions > 0),
                "`share` needs `beam` = none or solutions, and `repetitions` = 0",
            ),
            (self.leads() && self.beam != Keep::None, "`share` = leaf needs `beam` = none"),
        ];
        match conflicts.into_iter().find(|&(holds, _)| holds) {
            Some((_, message)) => Err(ParameterError::Conflict(message)),
            None => Ok(()),
        }
    }

    fn least_memory(&self, problem: &dyn ErasedProblem) -> u64 {
        if self.beam != Keep::Policies {
            return 0;
        }
        // A beam of policies fills up; each has at least the tables of one that has learned nothing.
        let places: u64 = (1..=self.level).map(|level| self.width.at(level as usize)).sum();
        (places * self.arms).saturating_mul(Policy::least_bytes(problem.facts().code_count.unwrap_or(0)))
    }

    fn build(&self, problem: &dyn ErasedProblem, memory: u64) -> Box<dyn Search> {
        Box::new(NrpaSearch::new(self.clone(), problem, memory))
    }
}
