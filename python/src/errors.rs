//! The exceptions of the package beside those of Python.

use crate::moves::PyMove;
use pyo3::create_exception;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyPermissionError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use soloist::run::ReplayError;
use std::io::ErrorKind;

create_exception!(soloist, InstanceError, PyValueError, "A file or a spec that is no instance of its problem.");
create_exception!(soloist, CheckpointError, PyValueError, "Bytes that are no checkpoint of this run's problem.");
create_exception!(soloist, InvalidSolution, PyValueError, "A solution that the problem's checker refuses.");
create_exception!(
    soloist,
    BrokenPromise,
    PyValueError,
    "A problem that breaks a rule on which searches rely; `moves` holds the moves that lead to the state where it does."
);

/// Returns the error of a broken rule, found after `moves`.
pub(crate) fn broken(py: Python<'_>, what: String, moves: &[PyMove]) -> PyErr {
    let error = BrokenPromise::new_err(what);
    let list = PyList::new(py, moves.iter().map(|mv| mv.object(py)));
    match list.and_then(|list| error.value(py).setattr("moves", list)) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// Returns the error of a solution that the rules contradict when it is played again; `moves` are its moves.
pub(crate) fn contradicted(py: Python<'_>, wrong: &ReplayError, moves: &[PyMove]) -> PyErr {
    let what = format!("a solution fails when it is played again: {wrong}; soloist.check looks for the cause");
    broken(py, what, &moves[..wrong.step().min(moves.len())])
}

/// Returns an error of the operating system.
pub(crate) fn with_kind(kind: ErrorKind, message: String) -> PyErr {
    match kind {
        ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
        ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
        _ => PyOSError::new_err(message),
    }
}
