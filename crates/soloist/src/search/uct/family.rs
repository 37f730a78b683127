//! What the family is beside its table of parameters.

use super::{Bandit, FirstPlay, Uct, refuse, run::UctSearch};
use crate::core::parameter::ParameterError;
use crate::erased::problem::ErasedProblem;
use crate::search::family::Family;
use crate::search::step::Search;

impl Family for Uct {
    fn first_parameters(&self) -> &'static [&'static str] {
        &[
            "c",
            "value",
            "w",
            "normalization",
            "bias_weight",
            "expansion",
            "solver",
            "prune",
            "beam_width",
            "beam_limit",
            "move_playouts",
            "tree_playouts",
        ]
    }

    fn plays_by_bias(&self) -> bool {
        true
    }

    fn validate(&self) -> Result<(), ParameterError> {
        let has_beam = self.narrowing.beam_width > 0;
        refuse(&[
            (has_beam && self.growth.transpositions, "beam_width and transpositions exclude each other"),
            (has_beam && self.pacing.move_playouts > 0, "beam_width and move_playouts exclude each other"),
            (self.growth.fpu == FirstPlay::Node && self.selection.bandit != Bandit::Ucb1, "fpu=node needs bandit=ucb1"),
        ])?;
        self.pacing.validate()?;
        self.growth.validate()?;
        self.pruning.validate(self)?;
        self.selection.validate(&self.pacing)
    }

    fn build(&self, problem: &dyn ErasedProblem, memory: u64) -> Box<dyn Search> {
        Box::new(UctSearch::new(self.clone(), problem, memory))
    }
}
