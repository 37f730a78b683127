//! Differences of exchanges that Python functions know.

use super::answers::{real, returned};
use super::{PyProblem, PyState, UNKNOWN};
use crate::moves::PyMove;
use pyo3::prelude::*;
use soloist::problem::Exchange;

impl Exchange for PyProblem {
    fn difference(&self, end: &PyState, place: usize, old: Option<PyMove>, new: Option<PyMove>) -> Option<f64> {
        let function = self.functions.difference.as_ref()?;
        Python::attach(|py| {
            self.ask(py, ("difference", Some(end)), None, || {
                let [old, new] = [old, new].map(|mv| mv.map(|mv| mv.object(py)));
                let change = function.bind(py).call1((end.0.bind(py), place, old, new))?;
                if change.is_none() { Ok(None) } else { real("difference", &change, "a number or None").map(Some) }
            })
        })
    }

    fn apply_exchange(&self, end: &mut PyState, place: usize, old: Option<PyMove>, new: Option<PyMove>) -> bool {
        let Some(function) = &self.functions.apply_exchange else { return false };
        Python::attach(|py| {
            let next = self.ask(py, ("apply_exchange", Some(end)), None, || {
                let [old, new] = [old, new].map(|mv| mv.map(|mv| mv.object(py)));
                let next = function.bind(py).call1((end.0.bind(py), place, old, new))?;
                if next.is_none() {
                    return Err(returned("apply_exchange", &next, "the state after the exchange"));
                }
                Ok(Some(next.unbind()))
            });
            next.map(|next| *end = PyState(next, UNKNOWN, None)).is_some()
        })
    }
}
