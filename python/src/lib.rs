//! The compiled part of the Python package of Soloist; what users call is in `package/soloist`.

// `compiled` alone calls foreign functions.
#![deny(unsafe_code)]

use pyo3::prelude::*;

mod builtin_problem;
mod calls;
mod compiled;
mod errors;
mod guard;
mod list;
mod live;
mod moves;
mod problem;
mod python_instance;
mod python_problem;
mod request;
mod simplify;
mod study;
mod value;

/// What `score` returns for a finished state that breaks constraints: `Infeasible(degree)`, with a degree above 0; less
/// is better. It is returned, not raised.
///
/// >>> import soloist
/// >>> soloist.Infeasible(2.5).degree
/// 2.5
#[pyclass(frozen, eq, module = "soloist")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Infeasible {
    #[pyo3(get)]
    pub(crate) degree: f64,
}

#[pymethods]
impl Infeasible {
    #[new]
    #[pyo3(signature = (degree=1.0))]
    fn new(degree: f64) -> PyResult<Self> {
        if degree > 0.0 {
            return Ok(Self { degree });
        }
        Err(pyo3::exceptions::PyValueError::new_err(format!(
            "degree: expected a number above 0, got {degree}; a solution that breaks nothing has a score"
        )))
    }

    fn __repr__(&self) -> String {
        format!("Infeasible({:?})", self.degree)
    }

    fn __hash__(&self) -> u64 {
        soloist::problem::stable_hash(&self.degree.to_bits())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, pyo3::types::PyType>, (f64,)) {
        (slf.get_type(), (slf.get().degree,))
    }
}

/// The part of the package that is compiled.
#[pymodule]
mod _soloist {
    #[pymodule_export]
    use super::Infeasible;
    #[pymodule_export]
    use crate::builtin_problem::{Shipped, ShippedSession, generate};
    #[pymodule_export]
    use crate::compiled::solve_compiled;
    #[pymodule_export]
    use crate::errors::{BrokenPromise, CheckpointError, InstanceError, InvalidSolution};
    #[pymodule_export]
    use crate::list::{check_method, methods, option_names, problems};
    #[pymodule_export]
    use crate::live::close;
    #[pymodule_export]
    use crate::python_problem::{OwnSession, check_own, explain_own, first_games, is_final, solve_own};
    #[pymodule_export]
    use crate::simplify::{Program, simplify};
    #[pymodule_export]
    use crate::study::{follow_files, run_bench, run_tune, write_report};
    #[pymodule_export]
    const VERSION: &str = soloist_problems::result::VERSION;
    #[pymodule_export]
    const DEFAULT_SECONDS: u64 = soloist_problems::DEFAULT_SECONDS;
    #[pymodule_export]
    const FORMAT: u32 = soloist_problems::FORMAT;
}
