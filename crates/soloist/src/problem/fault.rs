//! Errors of user code during a run.

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// An error met by user code during a run: a callback that failed, data that cannot be read.
///
/// The methods of [`Problem`](crate::Problem) and [`Rollout`](crate::Rollout) return plain values, which keeps them
/// fast. Code that can fail holds a `Fault` in its problem, hands it out in [`Problem::fault`](crate::Problem::fault),
/// and calls [`raise`](Self::raise) when it fails; what it returns afterwards does not matter, as long as it returns.
/// The run ends after that step: no solution found in it counts, and [`Solver::run`](crate::Solver::run) returns the
/// error.
///
/// ```
/// use soloist::{Budget, Fault, Method, Problem, Score, Solver};
///
/// struct Table {
///     fault: Fault,
/// }
/// impl Problem for Table {
///     type State = u32;
///     type Move = u32;
///     fn root(&self) -> u32 {
///         0
///     }
///     fn moves(&self, _: &u32, _: &mut Vec<u32>) {
///         self.fault.raise("row 3 cannot be read");
///     }
///     fn apply(&self, _: &mut u32, _: u32) {}
///     fn score(&self, _: &u32) -> Score {
///         Score::Feasible(0.0)
///     }
///     fn fault(&self) -> Option<&Fault> {
///         Some(&self.fault)
///     }
/// }
/// let table = Table { fault: Fault::default() };
/// let error = Solver::new(&table, Method::preset("nrpa").unwrap()).budget(Budget::playouts(10)).run().unwrap_err();
/// assert_eq!(error.to_string(), "the problem failed: row 3 cannot be read");
/// ```
#[derive(Debug, Default)]
pub struct Fault {
    raised: AtomicBool,
    error: Mutex<Option<Box<dyn Error + Send + Sync>>>,
}

impl Fault {
    /// Reports an error. The first one reported is the one that the run returns.
    pub fn raise(&self, error: impl Into<Box<dyn Error + Send + Sync>>) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.raised.swap(true, Ordering::Release) {
            *first = Some(error.into());
        }
    }

    /// Whether an error was reported.
    #[inline]
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Acquire)
    }

    /// Takes the error out, so that the problem can be used again.
    #[must_use]
    pub fn take(&self) -> Option<Box<dyn Error + Send + Sync>> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.raised.store(false, Ordering::Release);
        error
    }
}
