//! Expressions in, code with few operations out.

use crate::builtin_problem::interruptible;
use crate::errors::InstanceError;
use crate::request::{Request, solve_error, spec_error};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use soloist_problems::expressions::{
    Counts, Effort, Function, Header, Language, Notation, Reading, Simplification, Simplifier, SimplifyError, Stop,
    System, Term, code_counts, default_setup, emit, parse_with, verify_program,
};
use soloist_problems::refuse_endless;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is read and how much is done, beside the limits of a run.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Wish {
    language: String,
    function: String,
    notation: Option<String>,
    outputs: Option<Vec<String>>,
    args: Option<Vec<String>>,
    opaque: Vec<String>,
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

impl Wrong {
    fn error(self, language: Language) -> PyErr {
        match self {
            Self::Search(SimplifyError::Search(error)) => solve_error(&error),
            Self::Search(error) => PyValueError::new_err(error.to_string()),
            Self::Language(why) => PyValueError::new_err(format!("emit=\"{}\": {why}", language.name())),
            Self::Internal(why) => {
                PyRuntimeError::new_err(format!("internal error: the code fails verification: {why}"))
            }
        }
    }
}

/// A simplified system: its figures, its statements, its code in each language.
#[pyclass(frozen, module = "soloist._soloist")]
pub(crate) struct Program {
    done: Simplification,
}

/// A sum: its terms, each a number as text and the places of its factors.
type Terms = Vec<(String, Vec<u32>)>;

#[pymethods]
impl Program {
    /// The code in a language, verified against the input.
    fn emit(&self, py: Python<'_>, language: &str, function: &str) -> PyResult<String> {
        let language = named_language("language", language, function)?;
        py.detach(|| self.verified(language, function)).map_err(|wrong| wrong.error(language))
    }

    /// The figures of the program and the names of what it reads and computes.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Simplification { system, best, interrupted } = &self.done;
        let dict = PyDict::new(py);
        let counts = |counts: Counts| (counts.total(), counts.additions, counts.multiplications);
        let names = |symbols: &[usize]| -> Vec<&str> {
            symbols.iter().map(|&symbol| system.symbols()[symbol].as_str()).collect()
        };
        dict.set_item("counts", counts(code_counts(system, &best.program)))?;
        dict.set_item("input", counts(system.counts()))?;
        dict.set_item("order", names(&best.order))?;
        dict.set_item("calls", system.call_counts())?;
        dict.set_item("inputs", names(&system.given()))?;
        dict.set_item("outputs", system.outputs().map(|output| output.name.as_str()).collect::<Vec<_>>())?;
        dict.set_item("skipped", system.skipped())?;
        dict.set_item("interrupted", interrupted)?;
        Ok(dict)
    }

    /// The statements: the names of the inputs of the program; the temporaries; the results, outputs and arguments of
    /// calls; the calls, each with its place among the inputs, its function, its degree if it is a root (otherwise 0),
    /// and the places of its arguments among the results. Factors below the number of inputs are inputs, those from it
    /// on temporaries.
    fn statements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Simplification { system, best, .. } = &self.done;
        let sum = |terms: &Vec<Term>| -> Terms {
            terms.iter().map(|term| (term.value.to_string(), term.factors.clone())).collect()
        };
        let inputs = system.inputs();
        let mut calls = Vec::new();
        for call in system.calls() {
            // A call that no result needs is no input of the program.
            let Ok(place) = inputs.binary_search(&call.symbol) else { continue };
            let (function, degree) = match call.function {
                Function::Inverse => ("inverse", 0),
                Function::Root(degree) => ("root", degree),
                Function::Power => ("pow", 0),
                Function::Named(name) => (name, 0),
                // Only of texts: expressions of SymPy come without.
                Function::Constant(constant) => (constant.name(), 0),
                Function::Select(relation) => (relation.select(), 0),
            };
            calls.push((place, function, degree, call.arguments.clone()));
        }
        let dict = PyDict::new(py);
        let names: Vec<&str> = inputs.iter().map(|&symbol| system.symbols()[symbol].as_str()).collect();
        let results: Vec<Option<&str>> =
            system.results().map(|result| (!result.argument).then_some(result.name.as_str())).collect();
        dict.set_item("inputs", names)?;
        dict.set_item("temporaries", best.program.temporaries.iter().map(sum).collect::<Vec<_>>())?;
        dict.set_item("sums", best.program.outputs.iter().map(sum).collect::<Vec<_>>())?;
        dict.set_item("results", results)?;
        dict.set_item("calls", calls)?;
        Ok(dict)
    }
}

impl Program {
    /// Writes the code and verifies it against the input.
    fn verified(&self, language: Language, function: &str) -> Result<String, Wrong> {
        let Simplification { system, best, .. } = &self.done;
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
}

/// The language of this name, if it can have a function of this name. Errors call it `argument`.
fn named_language(argument: &str, name: &str, function: &str) -> PyResult<Language> {
    let language = Language::ALL.into_iter().find(|language| language.name() == name).ok_or_else(|| {
        let known: Vec<_> = Language::ALL.iter().map(|language| language.name()).collect();
        PyValueError::new_err(format!("{argument}: expected one of {}, got {name:?}", known.join(", ")))
    })?;
    match language.refuses_name(function) {
        Some(why) => Err(PyValueError::new_err(format!("function: {why}"))),
        None => Ok(language),
    }
}

/// Simplifies expressions. The code in the language of the wish is verified before the program is returned.
#[pyfunction]
pub(crate) fn simplify(py: Python<'_>, text: &str, wish: Wish, request: Request) -> PyResult<(Program, String)> {
    let language = named_language("emit", &wish.language, &wish.function)?;
    let notation = wish.notation.as_ref().map(|name| {
        Notation::ALL.into_iter().find(|notation| notation.name() == *name).ok_or_else(|| {
            let known: Vec<_> = Notation::ALL.iter().map(|notation| notation.name()).collect();
            PyValueError::new_err(format!("notation: expected one of {}, got {name:?}", known.join(", ")))
        })
    });
    let notation = notation.transpose()?;
    let reading = Reading { outputs: wish.outputs, args: wish.args, opaque: wish.opaque, ..Reading::default() };
    let limits = request.limits()?;
    let effort = Effort::from_options(&limits, wish.prove, wish.refine, wish.greedy, wish.polish);
    let setup = request.spec(None)?.setup(None, default_setup).map_err(spec_error)?;
    refuse_endless(&setup, &effort.budget()).map_err(spec_error)?;
    let stop = Arc::new(AtomicBool::new(false));
    let read = interruptible(py, &stop, &request.calls, || {
        parse_with("expression", text.as_bytes(), true, notation, &reading)
    })?;
    let system = Arc::new(read.map_err(|error| InstanceError::new_err(error.to_string()))?);
    let order = wish.order.as_ref().map(|names| named(&system, names)).transpose()?;
    let simplifier = Simplifier { setup, effort, order, stop: Stop::never().or_when(&stop) };
    let done = interruptible(py, &stop, &request.calls, || {
        let mut done = simplifier.run(&system, &mut |_| ()).map_err(Wrong::Search)?;
        done.interrupted |= stop.load(Ordering::Relaxed);
        let program = Program { done };
        let code = program.verified(language, &wish.function)?;
        Ok((program, code))
    })?;
    done.map_err(|wrong: Wrong| wrong.error(language))
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
