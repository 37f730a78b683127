//! Expressions in, code with few operations out.

use crate::errors::InstanceError;
use crate::request::{Request, solve_error, spec_error};
use crate::shipped::interruptible;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use soloist_problems::expressions::{
    Amount, Counts, Effort, Header, Language, Simplification, Simplifier, SimplifyError, Stop, System, default_setup,
    emit, parse, verify_program,
};
use soloist_problems::refuse_endless;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is emitted, beside the limits of a run.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wish {
    language: String,
    function: String,
    order: Option<Vec<String>>,
    prove: bool,
    refine: Option<u64>,
    greedy: bool,
    polish: Option<u64>,
}

/// What went wrong.
enum Wrong {
    Search(SimplifyError),
    Language(String),
    Internal(String),
}

/// Simplifies expressions; returns the code, the counts and the order of the variables.
#[pyfunction]
pub(crate) fn simplify<'py>(py: Python<'py>, text: &str, wish: Wish, request: Request) -> PyResult<Bound<'py, PyDict>> {
    let language = Language::ALL.into_iter().find(|language| language.name() == wish.language).ok_or_else(|| {
        let known: Vec<_> = Language::ALL.iter().map(|language| language.name()).collect();
        PyValueError::new_err(format!("emit: expected one of {}, got {:?}", known.join(", "), wish.language))
    })?;
    if let Some(why) = language.refuses_name(&wish.function) {
        return Err(PyValueError::new_err(format!("function: {why}")));
    }
    let limits = request.limits()?;
    let amount = |attempts: Option<u64>| attempts.map_or(Amount::BySize, Amount::Attempts);
    let effort = Effort {
        playouts: limits.playouts,
        time: limits.time,
        prove: wish.prove,
        refine: amount(wish.refine),
        greedy: wish.greedy,
        polish: amount(wish.polish),
    };
    let setup = request.spec(None)?.setup(None, default_setup).map_err(spec_error)?;
    refuse_endless(&setup, &effort.budget()).map_err(spec_error)?;
    let stop = Arc::new(AtomicBool::new(false));
    let read = interruptible(py, &stop, &request.calls, || parse("expression", text.as_bytes(), true))?;
    let system = Arc::new(read.map_err(|error| InstanceError::new_err(error.to_string()))?);
    let order = wish.order.as_ref().map(|names| named(&system, names)).transpose()?;
    let simplifier = Simplifier { setup, effort, order, stop: Stop::never().or_when(&stop) };
    let done = interruptible(py, &stop, &request.calls, || {
        let done = simplifier.run(&system, &mut |_| ()).map_err(Wrong::Search)?;
        let code = verified(&done, language, &wish.function)?;
        Ok((done, code))
    })?;
    let (Simplification { system, best, interrupted }, code) = done.map_err(|wrong| match wrong {
        Wrong::Search(SimplifyError::Search(error)) => solve_error(&error),
        Wrong::Search(error) => PyValueError::new_err(error.to_string()),
        Wrong::Language(why) => PyValueError::new_err(format!("emit=\"{}\": {why}", language.name())),
        Wrong::Internal(why) => PyRuntimeError::new_err(format!("internal error: the code fails verification: {why}")),
    })?;
    let dict = PyDict::new(py);
    let counts = |counts: Counts| (counts.total(), counts.additions, counts.multiplications);
    let names: Vec<&str> = best.order.iter().map(|&symbol| system.symbols()[symbol].as_str()).collect();
    dict.set_item("code", code)?;
    dict.set_item("counts", counts(best.program.counts()))?;
    dict.set_item("input", counts(system.counts()))?;
    dict.set_item("order", names)?;
    dict.set_item("calls", system.call_counts())?;
    let given: Vec<&str> = system.given().into_iter().map(|symbol| system.symbols()[symbol].as_str()).collect();
    dict.set_item("inputs", given)?;
    dict.set_item("outputs", system.outputs().map(|output| output.name.as_str()).collect::<Vec<_>>())?;
    dict.set_item("interrupted", interrupted || stop.load(Ordering::Relaxed))?;
    Ok(dict)
}

/// Writes the code and verifies it against the input.
fn verified(done: &Simplification, language: Language, function: &str) -> Result<String, Wrong> {
    let Simplification { system, best, .. } = done;
    if let Some(why) = language.refuses_program(&best.program) {
        return Err(Wrong::Language(why));
    }
    let (order, exceptions) = (&best.order[..], best.exceptions);
    let header = Header { function, source: "expression", input: system.counts(), order, exceptions };
    let write = |language| emit(system, &best.program, language, &header);
    let code = write(language);
    let form = if language == Language::Form { code.clone() } else { write(Language::Form) };
    verify_program(system, &best.program, &code, language, &form).map_err(Wrong::Internal)?;
    Ok(code)
}

/// The symbols of these names.
fn named(system: &System, names: &[String]) -> PyResult<Vec<usize>> {
    let mut order = Vec::new();
    for name in names {
        let at = system.symbols().iter().position(|symbol| symbol == name);
        let at = at.ok_or_else(|| {
            PyValueError::new_err(format!("order: no variable `{}` in the expression", name.escape_debug()))
        })?;
        if order.contains(&at) {
            return Err(PyValueError::new_err(format!("order: the variable `{name}` comes twice")));
        }
        order.push(at);
    }
    Ok(order)
}
