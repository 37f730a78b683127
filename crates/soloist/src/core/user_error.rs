//! Errors of user code during a run.

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// An error met by user code during a run: a callback that failed, data that cannot be read.
///
/// The methods of [`Problem`](crate::Problem) and [`Rollout`](crate::rollout::Rollout) return plain values, which keeps
/// them fast. Code that can fail holds a `Fault` in its problem, hands out a clone in
/// [`Facts::fault`](crate::problem::Facts::fault), and calls [`raise`](Self::raise) when it fails; what it returns
/// afterwards does not matter, as long as it returns. The run ends after that step: no solution found in it counts, and
/// [`Solver::run`](crate::Solver::run) returns the error.
///
/// The other way round, a run that [abandons](crate::rollout::Playout::gives_up) its present step sets the fault too,
/// without an error. Code whose calls are slow looks at [`is_raised`](Self::is_raised) before its work, and then
/// returns at once.
///
/// Clones are the same fault. Runs at the same time need problems with faults of their own.
///
/// ```
/// use soloist::{Budget, Method, Problem, Score, Solver};
/// use soloist::problem::{Facts, Fault};
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
///     fn facts(&self) -> Facts {
///         Facts { fault: Some(self.fault.clone()), ..Facts::default() }
///     }
/// }
/// let table = Table { fault: Fault::default() };
/// let error = Solver::new(&table, Method::preset("nrpa").unwrap()).budget(Budget::playouts(10)).run().unwrap_err();
/// assert_eq!(error.to_string(), "the problem failed: row 3 cannot be read");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Fault(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    raised: AtomicBool,
    /// Whether it was raised by the run.
    abandoned: AtomicBool,
    error: Mutex<Option<Box<dyn Error + Send + Sync>>>,
}

impl Fault {
    /// Reports an error. The first one reported is the one that the run returns.
    pub fn raise(&self, error: impl Into<Box<dyn Error + Send + Sync>>) {
        let mut first = self.0.error.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.0.raised.swap(true, Ordering::Release) {
            *first = Some(error.into());
        }
    }

    /// Asks user code to return at once, unless it has reported an error: the run abandons its present step.
    pub(crate) fn abandon(&self) {
        let _first = self.0.error.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_raised() {
            self.0.abandoned.store(true, Ordering::Relaxed);
            self.0.raised.store(true, Ordering::Release);
        }
    }

    /// Whether the run has raised it.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.is_raised() && self.0.abandoned.load(Ordering::Relaxed)
    }

    /// Whether nothing counts that user code returns: an error was reported, or the run abandons its present step.
    #[inline]
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::Acquire)
    }

    /// Takes the error out, so that the problem can be used again.
    #[must_use]
    pub fn take(&self) -> Option<Box<dyn Error + Send + Sync>> {
        let mut first = self.0.error.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.raised.store(false, Ordering::Release);
        self.0.abandoned.store(false, Ordering::Relaxed);
        first.take()
    }
}
