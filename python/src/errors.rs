//! The exceptions of the package beside those of Python.

use pyo3::create_exception;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyPermissionError, PyValueError};
use pyo3::prelude::*;
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

/// Returns an error of the operating system.
pub(crate) fn with_kind(kind: ErrorKind, message: String) -> PyErr {
    match kind {
        ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
        ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
        _ => PyOSError::new_err(message),
    }
}
