//! How a run of Python functions is cut short: an exception, Ctrl-C.

use crate::live::locked;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use soloist::problem::Fault;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// How a run of Python functions was cut short, shared by the problem and its playout policies.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    /// Raised by an exception, and by the engine where a limit ends the run inside a step.
    pub(crate) fault: Fault,
    /// The first exception of a function.
    error: Mutex<Option<PyErr>>,
    /// Ctrl-C was pressed: the run is to end.
    pub(crate) stop: Arc<AtomicBool>,
    /// Whether there is an `end`.
    is_timed: AtomicBool,
    /// When calls that are no run return at once.
    end: Mutex<Option<Instant>>,
}

/// A [`Guard`] whose calls end in time, until it is dropped.
pub(crate) struct Timed<'a>(&'a Guard);

impl Timed<'_> {
    /// Whether the time was not enough: then nothing counts that the calls have led to.
    pub(crate) fn is_over(&self) -> bool {
        !self.0.is_timed.load(Ordering::Relaxed)
    }
}

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        let is_over = self.is_over();
        self.0.is_timed.store(false, Ordering::Relaxed);
        if is_over && locked(&self.0.error).is_none() {
            let _ = self.0.fault.take();
        }
    }
}

impl Guard {
    /// A guard whose runs end when `stop` becomes true.
    pub(crate) fn stopped_by(stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..Self::default() }
    }

    /// From `end` on no user code is called.
    pub(crate) fn until(&self, end: Instant) -> Timed<'_> {
        *locked(&self.end) = Some(end);
        self.is_timed.store(true, Ordering::Relaxed);
        Timed(self)
    }

    /// Whether user code is to return at once: after an exception, where the run abandons its step, or out of time.
    #[inline]
    pub(crate) fn gives_up(&self) -> bool {
        self.fault.is_raised() || self.is_timed.load(Ordering::Relaxed) && self.is_late()
    }

    /// Looks at the clock.
    #[cold]
    fn is_late(&self) -> bool {
        let is_late = locked(&self.end).is_some_and(|end| Instant::now() >= end);
        if is_late && self.is_timed.swap(false, Ordering::Relaxed) {
            self.fault.raise("the time is over");
        }
        is_late
    }

    /// Keeps the exception that ends the run.
    #[cold]
    pub(crate) fn fail(&self, error: PyErr) {
        self.fault.raise("an exception in Python");
        locked(&self.error).get_or_insert(error);
    }

    /// Takes the exception that ended the run.
    pub(crate) fn take(&self) -> Option<PyErr> {
        let _ = self.fault.take();
        locked(&self.error).take()
    }

    /// Raises the Ctrl-C that was pressed during a call that is no run.
    pub(crate) fn interrupt(&self) -> PyResult<()> {
        if self.stop.swap(false, Ordering::Relaxed) { Err(PyKeyboardInterrupt::new_err(())) } else { Ok(()) }
    }

    /// Lets handlers of signals run; Ctrl-C ends the run.
    pub(crate) fn check_signals(&self, py: Python<'_>) {
        match py.check_signals() {
            Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => self.stop.store(true, Ordering::Relaxed),
            Err(error) => self.fail(error),
            Ok(()) => {}
        }
    }

    /// Calls user code. After an exception, or where the run abandons its step, nothing is called, and `otherwise` is
    /// returned.
    #[inline]
    pub(crate) fn ask<T>(&self, py: Python<'_>, otherwise: T, mut call: impl FnMut() -> PyResult<T>) -> T {
        if self.gives_up() {
            return otherwise;
        }
        match call() {
            Ok(value) => value,
            Err(error) => self.failed(py, error, otherwise, &mut call),
        }
    }

    #[cold]
    fn failed<T>(&self, py: Python<'_>, error: PyErr, otherwise: T, call: &mut dyn FnMut() -> PyResult<T>) -> T {
        let mut error = error;
        if error.is_instance_of::<PyKeyboardInterrupt>(py) && !self.stop.swap(true, Ordering::Relaxed) {
            // The function is asked again, so that the run ends between two steps and keeps its incumbent. A second
            // Ctrl-C ends it at once.
            match call() {
                Ok(value) => return value,
                Err(again) => error = again,
            }
        }
        self.fail(error);
        otherwise
    }
}
