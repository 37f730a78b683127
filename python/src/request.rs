//! What a run is asked to do, from the arguments of Python functions.

use crate::calls::Calls;
use crate::errors::{self, CheckpointError, InstanceError};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use soloist::{Budget, Method, ParameterError, Preset, Setup, SolveError};
use soloist_problems::result::endless;
use soloist_problems::{find_method, methods};
use std::path::PathBuf;
use std::time::Duration;

/// The time of a search without any limit, as on the command line.
const DEFAULT_TIME: Duration = Duration::from_secs(30);

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
    checkpoint: Option<PathBuf>,
    checkpoint_every: f64,
    pub(crate) resume: Option<Vec<u8>>,
    pub(crate) calls: Calls,
}

/// Returns a duration; Python has checked that it is positive.
fn duration(seconds: f64) -> PyResult<Duration> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("time: expected seconds from 0 to 1e18, got {seconds}")))
}

impl Request {
    /// Returns the limits asked for.
    pub(crate) fn limits(&self) -> PyResult<Budget> {
        Ok(Budget {
            time: self.time.map(duration).transpose()?,
            playouts: self.playouts,
            nodes: self.nodes,
            target: self.target,
            stall: self.stall,
            memory: self.memory.unwrap_or(Budget::MEMORY),
            max_moves: self.max_moves.unwrap_or(Budget::MAX_MOVES),
        })
    }

    /// Returns the limits of a run that ends by itself: thirty seconds when none is asked for.
    pub(crate) fn budget(&self, before: Duration) -> PyResult<Budget> {
        let limits = self.limits()?;
        let counts = [limits.playouts, limits.nodes, limits.stall];
        if limits.time.is_none() && limits.target.is_none() && counts == [None; 3] {
            return Ok(Budget { time: Some(before + DEFAULT_TIME), ..limits });
        }
        Ok(limits)
    }

    /// Returns where and how often checkpoints are written.
    pub(crate) fn checkpoint(&self) -> PyResult<Option<(PathBuf, Duration)>> {
        let every = duration(self.checkpoint_every)?;
        Ok(self.checkpoint.clone().map(|path| (path, every)))
    }

    /// Returns the setup asked for, on top of `usual`, without a rollout unless one is named.
    pub(crate) fn setup(&self, usual: impl FnOnce() -> Setup) -> PyResult<Setup> {
        let mut setup = match &self.method {
            None => Setup { rollout: None, ..usual() },
            Some(name) => Setup::from(preset(name)?),
        };
        for (name, value) in &self.parameters {
            setup.set(name, value).map_err(|error| parameter(&setup.preset, error))?;
        }
        setup.method.validate().map_err(|error| parameter(&setup.preset, error))?;
        setup.rollout.clone_from(&self.rollout);
        Ok(setup.seed(self.seed).threads(self.threads))
    }
}

/// Refuses limits that never end a run.
pub(crate) fn refuse_endless(method: &Method, name: &str, budget: &Budget) -> PyResult<()> {
    endless(method, budget).map_or(Ok(()), |why| Err(PyValueError::new_err(format!("{name}: {why}"))))
}

/// Returns the preset of that name.
pub(crate) fn preset(name: &str) -> PyResult<&'static Preset> {
    find_method(name).ok_or_else(|| {
        let known: Vec<_> = methods().map(|preset| preset.name).collect();
        PyValueError::new_err(format!("no method `{}` (known: {})", name.escape_debug(), known.join(", ")))
    })
}

fn parameter(method: &str, error: ParameterError) -> PyErr {
    match error {
        ParameterError::Unknown { name, known } => PyTypeError::new_err(format!(
            "no argument and no parameter `{}` (parameters of {method}: {known})",
            name.escape_debug()
        )),
        other => PyValueError::new_err(format!("{method}: {other}")),
    }
}

/// Returns the exception of a run that cannot start or continue.
pub(crate) fn solve_error(error: &SolveError) -> PyErr {
    match error {
        SolveError::Checkpoint(soloist::CheckpointError::Write(io) | soloist::CheckpointError::Read(io)) => {
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
