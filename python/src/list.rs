//! What there is: problems and methods.

use crate::builtin_problem::domain;
use crate::request::spec_error;
use pyo3::prelude::*;
use soloist_problems::{domains, find_method};

/// Name, summary, score, instance, example, options (name, values, help).
type ProblemRow = (String, String, String, String, String, Vec<(String, Vec<String>, String)>);

/// The shipped problems.
#[pyfunction]
pub(crate) fn problems() -> Vec<ProblemRow> {
    let row = |domain: &soloist_problems::Domain| {
        let options = domain.options.iter().map(|option| {
            let values = option.values.iter().map(|&value| value.to_owned()).collect();
            (option.name.to_owned(), values, option.help.to_owned())
        });
        let [name, summary, score, instance, example] =
            [domain.name, domain.summary, domain.score, domain.instance, domain.example].map(str::to_owned);
        (name, summary, score, instance, example, options.collect())
    };
    domains().iter().map(row).collect()
}

/// Name, summary, reference, parameters (name, default, range, help).
type MethodRow = (&'static str, &'static str, &'static str, Vec<(&'static str, String, String, &'static str)>);

/// The methods with their parameters.
#[pyfunction]
pub(crate) fn methods() -> Vec<MethodRow> {
    let row = |preset: &soloist::search::Preset| {
        let parameters = preset.method().parameters().into_iter();
        let rows = parameters.map(|one| (one.name, one.value, one.range, one.help)).collect();
        (preset.name, preset.summary, preset.reference, rows)
    };
    soloist_problems::methods().map(row).collect()
}

/// Names of the options of a shipped problem.
#[pyfunction]
pub(crate) fn option_names(problem: &str) -> PyResult<Vec<&'static str>> {
    Ok(domain(problem)?.options.iter().map(|option| option.name).collect())
}

/// Refuses a method that does not exist.
#[pyfunction]
pub(crate) fn check_method(name: &str) -> PyResult<()> {
    find_method(name).map(|_| ()).map_err(spec_error)
}
