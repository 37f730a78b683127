//! How a run of Python functions is cut short: an exception, Ctrl-C, a limit that is long over.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use soloist::{Fault, StopReason};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// How often the flag of the first Ctrl-C is looked at.
const GLANCE: Duration = Duration::from_millis(50);
/// Time that a step may take beyond a limit: this, or a part of the limit.
const GRACE: Duration = Duration::from_millis(250);
const GRACE_PART: u32 = 20;

/// The most moves of a game unless a run says otherwise.
pub(crate) const MOST_MOVES: u64 = 1_000_000;

/// How a run of Python functions was cut short, shared by the problem and its playout policies.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) fault: Fault,
    /// The first exception of a function.
    error: Mutex<Option<PyErr>>,
    /// Ctrl-C was pressed: the run is to end.
    pub(crate) stop: Arc<AtomicBool>,
    /// The limit that has ended the run inside a step.
    cut: Mutex<Option<StopReason>>,
    /// The most moves of a game.
    pub(crate) most: AtomicU64,
}

impl Default for Guard {
    fn default() -> Self {
        let (fault, error, stop, cut) = Default::default();
        Self { fault, error, stop, cut, most: AtomicU64::new(MOST_MOVES) }
    }
}

impl Guard {
    /// Keeps the exception that ends the run.
    #[cold]
    pub(crate) fn fail(&self, error: PyErr) {
        self.fault.raise("an exception in Python");
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }

    /// Takes the exception that ended the run.
    pub(crate) fn take(&self) -> Option<PyErr> {
        let _ = self.fault.take();
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
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

    /// Calls user code. After an exception nothing is called any more, and `otherwise` is returned.
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

    /// Does `work` while a thread ends it inside a step if that lasts long after the time `left`, or after a first
    /// Ctrl-C. Returns the limit that did so beside the result.
    pub(crate) fn watched<T>(&self, left: Option<Duration>, work: impl FnOnce() -> T) -> (T, Option<StopReason>) {
        let done = AtomicBool::new(false);
        let result = std::thread::scope(|scope| {
            let watch = std::thread::Builder::new().name("limits".to_owned());
            // Without the thread, limits hold between steps.
            let watch = watch.spawn_scoped(scope, || self.watch(left, &done));
            let _done = watch.ok().map(|watch| Done { done: &done, thread: watch.thread().clone() });
            work()
        });
        (result, self.cut.lock().unwrap_or_else(PoisonError::into_inner).take())
    }

    fn watch(&self, left: Option<Duration>, done: &AtomicBool) {
        let begin = Instant::now();
        let grace = |time: Duration| GRACE.max(time / GRACE_PART);
        let mut due = left.and_then(|left| begin.checked_add(left + grace(left))).map(|due| (due, StopReason::Time));
        let mut stopped = false;
        while !done.load(Ordering::Acquire) {
            let now = Instant::now();
            if !stopped && self.stop.load(Ordering::Relaxed) {
                stopped = true;
                let soon = now + grace(now - begin);
                due = due.filter(|due| due.0 < soon).or(Some((soon, StopReason::Interrupted)));
            }
            if let Some((_, reason)) = due.filter(|due| now >= due.0) {
                // An exception that was met before stays what ended the run.
                if !self.fault.is_raised() {
                    *self.cut.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
                    self.fault.raise("a limit is over");
                }
                return;
            }
            let left = due.map_or(GLANCE, |due| due.0 - now);
            std::thread::park_timeout(if stopped { left } else { left.min(GLANCE) });
        }
    }
}

/// Ends the watch, also when the work panics.
struct Done<'a> {
    done: &'a AtomicBool,
    thread: Thread,
}

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
