//! What functions of Python return, as the engine takes it; errors say what was expected.

use crate::guard::Guard;
use crate::moves::PyMove;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyTuple, PyType};
use soloist::Score;

/// Returns an error about what a function returned.
pub(super) fn returned(function: &str, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let kind = value.get_type().name().map_or_else(|_| "an object".into(), |name| name.to_string());
    let kind = if value.is_none() { "None".into() } else { kind };
    let is_long = |value: &Bound<'_, PyAny>| value.len().is_ok_and(|length| length > 2);
    let hint = if function == "score" && value.is_instance_of::<PyTuple>() && is_long(value) {
        ": write (hard, 1000 * first + second), with a factor above what the second can gain"
    } else {
        ""
    };
    PyTypeError::new_err(format!("{function} must return {expected}, it returned {kind}{hint}"))
}

/// Refuses integers of numpy in which sums of scores wrap.
pub(super) fn wraps(function: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let Ok(dtype) = value.getattr("dtype") else { return Ok(()) };
    let size: usize = dtype.getattr("itemsize").and_then(|size| size.extract()).unwrap_or(8);
    let kind: String = dtype.getattr("kind").and_then(|kind| kind.extract()).unwrap_or_default();
    if size < 4 && (kind == "i" || kind == "u") {
        return Err(PyValueError::new_err(format!(
            "{function} returned a number of numpy with {} bits, whose sums wrap: add up in int",
            8 * size
        )));
    }
    Ok(())
}

/// Returns the degree of an object of the class `soloist.Infeasible`, whether it was returned or raised.
pub(super) fn degree(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.import(value.py(), "soloist._infeasible", "Infeasible")?;
    if value.is_instance(class)? { value.getattr("degree")?.extract().map(Some) } else { Ok(None) }
}

/// Returns the score that a function `score` returned, which is no number of Python.
pub(super) fn scored(value: &Bound<'_, PyAny>) -> PyResult<Score> {
    const EXPECTED: &str = "a number, soloist.Infeasible or a pair (hard, soft)";
    if let Some(degree) = degree(value)? {
        return Ok(Score::Infeasible(degree));
    }
    let Ok(pair) = value.cast::<PyTuple>() else { return real("score", value, EXPECTED).map(Score::Feasible) };
    if pair.len() != 2 {
        return Err(returned("score", value, EXPECTED));
    }
    let (hard, soft) = (real("score", &pair.get_item(0)?, EXPECTED)?, real("score", &pair.get_item(1)?, EXPECTED)?);
    Ok(Score::from((hard, soft)))
}

/// Up to here all whole numbers are exact.
pub(super) const EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns the number that a function returned.
pub(super) fn real(function: &str, value: &Bound<'_, PyAny>, expected: &str) -> PyResult<f64> {
    let number: f64 = match value.extract() {
        Ok(number) => number,
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
            return Err(PyValueError::new_err(format!("{function} returned an int that is too large for a float")));
        }
        Err(_) => return Err(returned(function, value, expected)),
    };
    if !value.is_instance_of::<PyFloat>() && !value.is_instance_of::<PyInt>() {
        wraps(function, value)?;
    }
    if number.is_nan() {
        return Err(PyValueError::new_err(format!("{function} returned nan, which cannot be compared")));
    }
    if number.abs() >= EXACT
        && value.is_instance_of::<PyInt>()
        && !PyFloat::new(value.py(), number).as_any().eq(value)?
    {
        return Err(PyValueError::new_err(format!(
            "{function} returned an int above 2**53 that a float cannot hold exactly: return a smaller number, such as \
             a difference from a reference"
        )));
    }
    Ok(number)
}

/// Says in front of an error where its value comes from.
pub(super) fn from(function: &str) -> impl Fn(PyErr) -> PyErr {
    move |error| {
        Python::attach(|py| {
            if error.is_instance_of::<PyTypeError>(py) {
                PyTypeError::new_err(format!("{function}: {}", error.value(py)))
            } else {
                error
            }
        })
    }
}

/// Collects the moves that a function returned.
#[inline]
pub(super) fn collect(guard: &Guard, function: &str, list: &Bound<'_, PyAny>, moves: &mut Vec<PyMove>) -> PyResult<()> {
    let at = from(function);
    if let Ok(list) = list.cast_exact::<PyList>() {
        for item in list.iter() {
            moves.push(PyMove::new(&item).map_err(&at)?);
        }
        return Ok(());
    }
    if let Ok(list) = list.cast_exact::<PyTuple>() {
        for item in list.iter() {
            moves.push(PyMove::new(&item).map_err(&at)?);
        }
        return Ok(());
    }
    if list.is_instance_of::<PySet>() || list.is_instance_of::<PyFrozenSet>() {
        return Err(returned(function, list, "moves in a fixed order, such as a list"));
    }
    let Ok(items) = list.try_iter() else {
        return Err(returned(function, list, "the moves as a list (an empty one when the state is finished)"));
    };
    for item in items {
        moves.push(PyMove::new(&item?).map_err(&at)?);
        // A generator may have no end.
        if guard.gives_up() {
            break;
        }
    }
    Ok(())
}

/// Takes what `step` returned apart: the next state and its moves.
pub(super) fn stepped<'py>(
    guard: &Guard,
    found: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyAny>, Option<Py<PyAny>>)> {
    const EXPECTED: &str = "a pair of the next state and its moves";
    let Ok((next, moves)) = found.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
        return Err(returned("step", found, EXPECTED));
    };
    let is_list = moves.is_exact_instance_of::<PyList>() || moves.is_exact_instance_of::<PyTuple>();
    let is_set = moves.is_instance_of::<PySet>() || moves.is_instance_of::<PyFrozenSet>();
    if is_list || is_set {
        return Ok((next, Some(moves.unbind())));
    }
    let Ok(items) = moves.try_iter() else { return Ok((next, Some(moves.unbind()))) };
    // They may be asked for again.
    let listed = PyList::empty(moves.py());
    for item in items {
        listed.append(item?)?;
        // A generator may have no end.
        if guard.gives_up() {
            break;
        }
    }
    Ok((next, Some(listed.into_any().unbind())))
}
