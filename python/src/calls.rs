//! What a run calls while it is at work.

use crate::python_problem::split;
use pyo3::prelude::*;
use soloist::run::{Improvement, Progress};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Time between two reports of progress.
pub(crate) const REPORT: Duration = Duration::from_millis(200);

/// The callbacks of a run, wrapped in Python.
#[derive(Debug, Default, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Calls {
    pub(crate) on_improve: Option<Py<PyAny>>,
    pub(crate) on_progress: Option<Py<PyAny>>,
    stop: Option<Py<PyAny>>,
}

impl Calls {
    /// Passes an improvement on; `solution` returns the moves and the solution.
    pub(crate) fn improved(
        &self,
        py: Python<'_>,
        improvement: &Improvement,
        progress: &Progress,
        solution: impl FnOnce() -> PyResult<(Py<PyAny>, Option<String>)>,
    ) -> PyResult<()> {
        let Some(callback) = &self.on_improve else { return Ok(()) };
        let ((value, violation), (moves, solution)) = (split(improvement.score), solution()?);
        let seconds = progress.elapsed.as_secs_f64();
        callback.call1(py, (value, violation, improvement.playouts, improvement.stream, seconds, moves, solution))?;
        Ok(())
    }

    /// Reports how far the run is.
    pub(crate) fn progressed(&self, py: Python<'_>, progress: &Progress) -> PyResult<()> {
        let Some(callback) = &self.on_progress else { return Ok(()) };
        let (value, violation) = progress.best.map_or((None, None), split);
        let (counters, seconds) = (progress.counters, progress.elapsed.as_secs_f64());
        callback.call1(py, (seconds, counters.playouts, counters.nodes, value, violation, progress.bound))?;
        Ok(())
    }

    /// Whether the run is asked to end.
    pub(crate) fn wants_stop(&self, py: Python<'_>) -> PyResult<bool> {
        asks_to_stop(py, self.stop.as_ref())
    }
}

/// Whether the function that is asked, if there is one, wants a run to end.
pub(crate) fn asks_to_stop(py: Python<'_>, stop: Option<&Py<PyAny>>) -> PyResult<bool> {
    stop.map_or(Ok(false), |stop| stop.call0(py)?.is_truthy(py))
}

/// Reports improvements and progress of a run to Python. An exception there ends the run.
pub(crate) struct Watch<'a> {
    pub(crate) stop: &'a AtomicBool,
    pub(crate) calls: &'a Calls,
    pub(crate) error: Option<PyErr>,
}

impl Watch<'_> {
    /// Calls Python unless an earlier call has failed.
    pub(crate) fn report(&mut self, call: impl FnOnce(Python<'_>, &Calls) -> PyResult<()>) {
        if self.error.is_some() {
            return;
        }
        if let Err(error) = Python::attach(|py| call(py, self.calls)) {
            self.stop.store(true, Ordering::SeqCst);
            self.error = Some(error);
        }
    }
}
