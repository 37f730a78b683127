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

/// The part of the package that is compiled.
#[pymodule]
mod _soloist {
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
    use crate::python_problem::{OwnSession, check_own, explain_own, first_games, is_final, own_keys, solve_own};
    #[pymodule_export]
    use crate::simplify::{Program, simplify};
    #[pymodule_export]
    use crate::study::{follow_files, run_bench, run_tune, write_report};
    #[pymodule_export]
    use crate::value::draw;
    #[pymodule_export]
    const VERSION: &str = soloist_problems::result::VERSION;
    #[pymodule_export]
    const DEFAULT_SECONDS: u64 = soloist_problems::DEFAULT_SECONDS;
    #[pymodule_export]
    const FORMAT: u32 = soloist_problems::FORMAT;
}
