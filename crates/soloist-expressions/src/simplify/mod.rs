//! From a system to its best program: all phases in one place.

mod build;
mod effort;
mod pass;
mod related;
mod run;
mod search;

pub use build::{Simplified, best_of, simplify};
pub use effort::{Amount, Effort};
pub use search::{Found, default_setup, search};

use crate::algebra::System;
use crate::stop::Stop;
use soloist::Setup;
use soloist::run::SolveError;
use soloist_domain::InstanceError;
use std::sync::Arc;
use std::time::Duration;

/// Simplifies systems: finds factors, searches for orders of the variables, refines the best ones, extracts common
/// pairs, polishes.
///
/// The default runs the method that suits orders with seed 0, one thread and the default [`Effort`]. The seed of the
/// [`Setup`] reaches every phase that draws: search, refinement and polishing. Equal settings give equal programs on
/// any machine, unless a limit of time or `stop` ends a phase. A run begins with one of fewer playouts and keeps the
/// better result: more playouts than 2000, or 2000 instead of 100, are never worse.
///
/// ```
/// use soloist_expressions::{Effort, Simplifier, generate};
/// let system = generate("res:3,2").unwrap().into();
/// let simplifier = Simplifier { effort: Effort::playouts(100), ..Simplifier::default() };
/// let best = simplifier.run(&system, &mut |_| ()).unwrap().best;
/// assert_eq!(system.counts().total(), 67);
/// assert!(best.operations() < 30);
/// ```
#[derive(Clone, Debug)]
pub struct Simplifier<'a> {
    /// Method, rollout, seed and threads of the search; the seed is that of all phases.
    pub setup: Setup,
    /// How much each phase does.
    pub effort: Effort,
    /// The order of the variables, outermost first, completed as by [`System::completed`]. `None`: orders are searched.
    pub order: Option<Vec<usize>>,
    /// Ends every phase early, with a correct program.
    pub stop: Stop<'a>,
}

impl Default for Simplifier<'_> {
    fn default() -> Self {
        Self { setup: default_setup(), effort: Effort::default(), order: None, stop: Stop::never() }
    }
}

/// A phase of a simplification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The search for orders, with the proof that may follow it.
    Search,
    /// Orders are refined, and the code of each is built.
    Refine,
    /// The code of each order is built.
    Build,
    /// The code of the best order is polished.
    Polish,
}

/// What happens during a simplification.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A phase begins.
    Begin(Phase),
    /// The search has found a better order: its score, and the time since the search began.
    Improved(f64, Duration),
    /// The search has ended.
    Searched(&'a Found),
    /// Orders were refined: the best program before the greedy phase.
    Refined {
        /// Its operations.
        operations: u64,
        /// The attempts for all orders together.
        attempts: u64,
    },
    /// The program was polished.
    Polished {
        /// Operations before.
        before: u64,
        /// Operations after.
        after: u64,
        /// The number of attempts.
        attempts: u64,
    },
}

/// The result of a simplification.
#[derive(Clone, Debug)]
pub struct Simplification {
    /// The system that the program computes: the one given, or the same input with its parentheses kept.
    pub system: Arc<System>,
    /// The program.
    pub best: Simplified,
    /// Whether `stop` ended the search for orders.
    pub interrupted: bool,
}

/// A simplification that cannot run.
#[derive(Debug, thiserror::Error)]
pub enum SimplifyError {
    /// The search was refused.
    #[error(transparent)]
    Search(#[from] SolveError),
    /// The input cannot be read with its parentheses kept.
    #[error(transparent)]
    Input(#[from] InstanceError),
    /// The input has no derivatives that are polynomials; one line.
    #[error("{0}")]
    Gradient(String),
}
