//! What a run is asked to do, from the arguments of Python functions.

use crate::calls::Calls;
use crate::errors::{self, CheckpointError, InstanceError};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use soloist::Budget;
use soloist::run::SolveError;
use soloist_problems::{Domain, Limits, RunSpec, Setting, SpecError, SpecPart};
use std::path::PathBuf;
use std::time::Duration;

/// The arguments of a run, checked for their types in Python.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Request {
    pub(crate) method: Option<String>,
    /// Parameters of the method as text.
    pub(crate) parameters: Vec<(String, String)>,
    pub(crate) rollout: Option<String>,
    pub(crate) seed: u64,
    pub(crate) threads: usize,
    pub(crate) keep: usize,
    time: Option<f64>,
    playouts: Option<u64>,
    nodes: Option<u64>,
    stall: Option<u64>,
    target: Option<f64>,
    memory: Option<u64>,
    /// The most moves of a game.
    max_moves: Option<u64>,
    pub(crate) start: Option<Py<PyAny>>,
    /// Moves that every solution begins with, of a problem that ships.
    pub(crate) prefix: Option<Py<PyAny>>,
    checkpoint: Option<PathBuf>,
    checkpoint_every: f64,
    pub(crate) resume: Option<Vec<u8>>,
    /// Checked games before the run, at most, and the seconds for them; `None`: there are none.
    pub(crate) checks: Option<(usize, f64)>,
    pub(crate) calls: Calls,
}

/// Returns a duration; Python has checked that it is positive.
fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("time: expected seconds from 0 to 1e18, got {seconds}")))
}

impl Request {
    /// Returns the limits asked for.
    fn asked(&self) -> PyResult<Limits> {
        let Self { playouts, nodes, target, stall, memory, max_moves, .. } = *self;
        Ok(Limits { time: self.time.map(duration).transpose()?, playouts, nodes, target, stall, memory, max_moves })
    }

    /// Returns the limits of a slice or a session, which may be without any.
    pub(crate) fn limits(&self) -> PyResult<Budget> {
        Ok(self.asked()?.exact())
    }

    /// Returns the limits of a run that ends by itself, also without any that is asked for.
    pub(crate) fn budget(&self, before: Duration) -> PyResult<Budget> {
        Ok(self.asked()?.budget(before))
    }

    /// Returns what is run, on the problem of a domain or on another one.
    pub(crate) fn spec(&self, domain: Option<&Domain>) -> PyResult<RunSpec> {
        let set = self.parameters.iter().map(|(key, value)| Setting { key: key.clone(), value: value.clone() });
        Ok(RunSpec {
            problem: domain.map_or_else(String::new, |domain| domain.name.to_owned()),
            method: self.method.clone(),
            set: set.collect(),
            rollout: self.rollout.clone(),
            budget: self.asked()?,
            seed: Some(self.seed),
            threads: Some(self.threads),
            keep: Some(self.keep),
            ..RunSpec::default()
        })
    }

    /// Returns where and how often checkpoints are written.
    pub(crate) fn checkpoint(&self) -> PyResult<Option<(PathBuf, Duration)>> {
        let every = duration(self.checkpoint_every)?;
        Ok(self.checkpoint.clone().map(|path| (path, every)))
    }
}

/// Returns the exception of a run that cannot be made as it is asked for.
pub(crate) fn spec_error(error: SpecError) -> PyErr {
    let error = soloist_problems::registry().with_owners(error);
    match error.part {
        // A keyword that no function has.
        SpecPart::Unknown(_) => PyTypeError::new_err(error.message),
        _ => PyValueError::new_err(error.message),
    }
}

/// Returns the exception of a run that cannot start or continue.
pub(crate) fn solve_error(error: &SolveError) -> PyErr {
    match error {
        SolveError::Checkpoint(soloist::run::CheckpointError::Write(io) | soloist::run::CheckpointError::Read(io)) => {
            errors::with_kind(io.kind(), error.to_string())
        }
        SolveError::Checkpoint(error) => CheckpointError::new_err(error.to_string()),
        SolveError::Bound { .. } | SolveError::Score(_) | SolveError::Endless(_) => {
            Python::attach(|py| errors::broken(py, error.to_string(), &[]))
        }
        SolveError::Replay(wrong) => Python::attach(|py| errors::contradicted(py, wrong, &[])),
        SolveError::Failed(_) => PyRuntimeError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// Returns the exception of an instance that cannot be read.
pub(crate) fn instance_error(instance: &str, error: &soloist_problems::InstanceError) -> PyErr {
    if error.message.starts_with("cannot be read")
        && let Err(io) = std::fs::metadata(instance)
    {
        return errors::with_kind(io.kind(), error.to_string());
    }
    InstanceError::new_err(error.to_string())
}
