//! The families of methods: one table makes the enumeration and everything that differs by family.

use super::family::Family;
use super::{Anneal, Auto, Beam, BranchAndBound, IdaStar, Nmcs, Nrpa, Own, Sampling, Search, Uct};
use crate::core::parameter::{Parameter, ParameterError};
use crate::erased::problem::ErasedProblem;
use crate::problem::SearchInfo;
use serde::{Deserialize, Serialize};

/// A search and its parameters: plain data, stored in checkpoints and results.
///
/// Made from a [preset](Self::preset); parameters are [set](Self::set) by name, and [`parameters`](Self::parameters)
/// lists them with their values and ranges. The modules of [`search`](crate::search) say what each family does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Method(Table);

impl Method {
    /// Returns the parameters as a struct.
    #[doc(hidden)]
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.0
    }
}

macro_rules! families {
    ($($(#[doc = $help:literal])+ $family:ident = $preset:literal;)+) => {
        /// The parameters of a method, by family.
        #[doc(hidden)]
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Table {
            $($(#[doc = $help])+ $family($family),)+
        }

        impl Method {
            /// Returns the name of the preset that holds the defaults of the method's family, or that of a problem's
            /// own search.
            #[must_use]
            pub fn family(&self) -> &str {
                match &self.0 { $(Table::$family(parameters) => Family::own_name(parameters).unwrap_or($preset),)+ }
            }

            /// Looks up the names of a problem's [own searches](crate::problem::Extras::searches) and completes their
            /// parameters. A run does this when it starts.
            ///
            /// # Errors
            /// A name that the problem does not have, or settings that do not fit.
            pub fn resolve(&mut self, searches: &[SearchInfo]) -> Result<(), ParameterError> {
                match &mut self.0 { $(Table::$family(parameters) => parameters.look_up(searches),)+ }
            }

            /// Returns the parameters with their present values.
            #[must_use]
            pub fn parameters(&self) -> Vec<Parameter> {
                match &self.0 { $(Table::$family(parameters) => parameters.parameters(),)+ }
            }

            /// Returns the parameters to try first, and those in which the method differs from the defaults of its
            /// family: what lists show.
            #[must_use]
            pub fn first_parameters(&self) -> Vec<Parameter> {
                let first = match &self.0 { $(Table::$family(parameters) => Family::first_parameters(parameters),)+ };
                let usual = Self::preset(self.family()).map(|usual| usual.parameters()).unwrap_or_default();
                let is_shown = |own: &Parameter| {
                    let differs = || usual.iter().any(|usual| usual.name == own.name && usual.value != own.value);
                    first.is_empty() || first.contains(&own.name) || differs()
                };
                self.parameters().into_iter().filter(is_shown).collect()
            }

            /// Returns the method with one parameter set from text, for chains: `set` as `Solver` has it.
            ///
            /// ```
            /// use soloist::Method;
            /// let method = Method::preset("nrpa")?.with("level", "3")?.with("playouts", "4")?;
            /// assert!(method.clone().with("levl", "2").unwrap_err().to_string().ends_with("did you mean `level`?"));
            /// # Ok::<(), Box<dyn std::error::Error>>(())
            /// ```
            ///
            /// # Errors
            /// When the name is unknown or the value out of range.
            pub fn with(mut self, name: &str, value: &str) -> Result<Self, ParameterError> {
                self.set(name, value)?;
                Ok(self)
            }

            /// Returns the value of a parameter as text; `None`: there is none of that name.
            #[must_use]
            pub fn get(&self, name: &str) -> Option<String> {
                let parameter = self.parameters().into_iter().find(|parameter| parameter.name == name)?;
                Some(parameter.value)
            }

            /// Sets one parameter from text.
            ///
            /// # Errors
            /// When the name is unknown or the value out of range.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
                match &mut self.0 { $(Table::$family(parameters) => parameters.set(name, value),)+ }
            }

            /// Checks that every parameter lies in its range, wherever its value came from, and that the parameters go
            /// together. [`Solver::start`](crate::Solver::start) checks it as well.
            ///
            /// # Errors
            /// A parameter out of its range, or two that exclude each other.
            pub fn validate(&self) -> Result<(), ParameterError> {
                match &self.0 {
                    $(Table::$family(parameters) => {
                        parameters.check_ranges()?;
                        Family::validate(parameters)
                    })+
                }
            }

            /// Returns the bytes without which a stream cannot do what the parameters say.
            pub(crate) fn least_memory(&self, problem: &dyn ErasedProblem) -> u64 {
                match &self.0 { $(Table::$family(parameters) => parameters.least_memory(problem),)+ }
            }

            /// Whether the first step of the search plays a game to its end.
            pub(crate) fn plays_first(&self) -> bool {
                match &self.0 { $(Table::$family(parameters) => parameters.plays_first(),)+ }
            }

            /// Whether games are played by the bias of the moves where no rollout is named.
            pub(crate) fn plays_by_bias(&self) -> bool {
                match &self.0 { $(Table::$family(parameters) => Family::plays_by_bias(parameters),)+ }
            }

            /// Whether all threads of a run work on one search, whose result is the same for any number of them.
            pub(crate) fn shares_threads(&self) -> bool {
                match &self.0 { $(Table::$family(parameters) => Family::shares_threads(parameters),)+ }
            }

            /// Whether the streams of a run meet at counted times.
            pub(crate) fn meets(&self, is_timed: bool) -> bool {
                match &self.0 { $(Table::$family(parameters) => Family::meets(parameters, is_timed),)+ }
            }

            /// Whether the search may finish no game for very long, so that a limit of playouts need not end it.
            pub(crate) fn finishes_rarely(&self) -> bool {
                match &self.0 { $(Table::$family(parameters) => Family::finishes_rarely(parameters),)+ }
            }

            /// Whether the search counts nodes, so that a limit of nodes ends it.
            pub(crate) fn counts_nodes(&self) -> bool {
                match &self.0 { $(Table::$family(parameters) => Family::counts_nodes(parameters),)+ }
            }

            /// Returns the rollouts that the method plays on this problem beside that of the run, by name.
            ///
            /// # Errors
            /// When the problem's [portfolio](crate::problem::Extras::portfolio) holds an entry that cannot run.
            pub(crate) fn rollouts(&self, problem: &dyn ErasedProblem) -> Result<Vec<String>, ParameterError> {
                match &self.0 { $(Table::$family(parameters) => parameters.rollouts(problem),)+ }
            }

            /// Returns the search that runs this method; `memory` bytes are for its trees, lists and tables.
            pub(crate) fn build(&self, problem: &dyn ErasedProblem, memory: u64) -> Box<dyn Search> {
                match &self.0 { $(Table::$family(parameters) => parameters.build(problem, memory),)+ }
            }
        }

        $(#[doc(hidden)]
        impl From<$family> for Method {
            fn from(parameters: $family) -> Self {
                Self(Table::$family(parameters))
            }
        })+
    };
}

families! {
    /// Independent playouts.
    Sampling = "sampling";
    /// Tree search with upper confidence bounds.
    Uct = "uct";
    /// Nested Monte-Carlo search.
    Nmcs = "nmcs";
    /// Nested rollout policy adaptation.
    Nrpa = "nrpa";
    /// Beam search over states.
    Beam = "beam";
    /// Classical tree searches with bounds.
    BranchAndBound = "dfs";
    /// Iterative deepening A*.
    IdaStar = "ida-star";
    /// Simulated annealing over sequences of moves.
    Anneal = "anneal";
    /// A portfolio of methods.
    Auto = "auto";
    /// A search of the problem's own.
    Own = "own";
}
