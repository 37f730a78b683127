//! How a run of Python functions is cut short: an exception, Ctrl-C.

use crate::live::locked;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use soloist::problem::Fault;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// How a run of Python functions was cut short, shared by the problem and its playout policies.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    /// Raised by an exception, and by the engine where a limit ends the run inside a step.
    pub(crate) fault: Fault,
    /// The first exception of a function.
    error: Mutex<Option<PyErr>>,
    /// Ctrl-C was pressed: the run is to end.
    pub(crate) stop: Arc<AtomicBool>,
}

impl Guard {
    /// A guard whose runs end when `stop` becomes true.
    pub(crate) fn stopped_by(stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..Self::default() }
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
        if self.fault.is_raised() {
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
