//! Runs on problems that are written in Python, on the thread that calls.

use crate::errors::BrokenPromise;
use crate::moves::PyMove;
use crate::problem::{Functions, Guard, PyProblem};
use crate::request::{Request, refuse_endless, solve_error};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;
use soloist::{
    Control, Improvement, Observer, Outcome, Problem, Progress, RunInfo, Score, Session, Setup, Solution, Solver,
    StopReason,
};
use soloist_problems::result::{self, Ending};
use soloist_problems::{Answer, Report};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

/// How often handlers of signals and other threads get their turn.
const PULSE: Duration = Duration::from_millis(20);

/// Passes improvements on and lets the interpreter breathe.
struct Watch<'a> {
    guard: Arc<Guard>,
    on_improve: Option<&'a Py<PyAny>>,
}

impl Watch<'_> {
    fn pulse(&self, py: Python<'_>) {
        self.guard.check_signals(py);
        // Functions that are compiled never give other threads a turn by themselves.
        py.detach(std::thread::yield_now);
    }
}

impl Observer<PyMove> for Watch<'_> {
    fn improved(&mut self, improvement: &Improvement, solution: &Solution<PyMove>, progress: &Progress) {
        let Some(callback) = self.on_improve else { return };
        Python::attach(|py| {
            let told = objects(py, &solution.moves).and_then(|moves| {
                let (value, violation) = split(improvement.score);
                let seconds = progress.elapsed.as_secs_f64();
                callback
                    .call1(py, (value, violation, improvement.playouts, improvement.stream, seconds, moves, py.None()))
            });
            if let Err(error) = told {
                if error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
                    self.guard.stop.store(true, std::sync::atomic::Ordering::Relaxed);
                } else {
                    self.guard.fail(error);
                }
            }
        });
    }

    fn progress(&mut self, _: &Progress) {
        Python::attach(|py| self.pulse(py));
    }
}

fn objects<'py>(py: Python<'py>, moves: &[PyMove]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, moves.iter().map(|mv| mv.object(py)))
}

/// The setup asked for. One stream: there is one interpreter.
fn setup(request: &Request) -> PyResult<Setup> {
    if request.threads != 1 {
        return Err(PyValueError::new_err(
            "threads: a problem written in Python runs on one thread, because the interpreter runs one at a time; \
             use one process for each core, with other seeds (see concurrent.futures in the guide)",
        ));
    }
    request.setup(Setup::default)
}

/// Gives a solver what the request says beside setup and limits; returns the time spent before a resume.
fn begin<'a>(
    py: Python<'_>,
    problem: &PyProblem,
    solver: Solver<'a, PyProblem>,
    request: &Request,
) -> PyResult<(Solver<'a, PyProblem>, Duration)> {
    let mut before = Duration::ZERO;
    let mut solver = solver.keep(request.keep);
    if let Some(bytes) = &request.resume {
        let info = RunInfo::read(problem, bytes);
        checked(problem)?;
        let info = info.map_err(|error| solve_error(&error.into()))?;
        before = info.elapsed;
        solver = solver.resume(bytes).map_err(|error| solve_error(&error.into()))?;
    }
    if let Some(start) = &request.start {
        solver = solver.offer(&problem.follow(py, start.bind(py))?);
    }
    Ok((solver, before))
}

/// Raises the exception of user code, if there was one.
fn checked(problem: &PyProblem) -> PyResult<()> {
    problem.guard.take().map_or(Ok(()), Err)
}

/// Runs a search to its end and returns its result as JSON, and what JSON cannot hold.
#[pyfunction]
#[pyo3(signature = (functions, request, on_improve=None))]
pub(crate) fn solve_own<'py>(
    py: Python<'py>,
    functions: Functions,
    request: Request,
    on_improve: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let problem = PyProblem::new(functions);
    let guard = Arc::clone(&problem.guard);
    let mut watch = Watch { guard: Arc::clone(&guard), on_improve: on_improve.as_ref() };
    let (solver, before) = begin(py, &problem, Solver::new(&problem, setup(&request)?), &request)?;
    let budget = request.budget(before)?;
    let setup = solver.setup().clone();
    refuse_endless(&setup.method, &setup.preset, &budget)?;
    let rollout =
        setup.rollout.clone().unwrap_or_else(|| problem.rollouts().first().map_or("random", |info| info.name).into());
    let mut solver = solver.budget(budget).stop_flag(&guard.stop).observer(&mut watch, PULSE);
    if let Some((path, every)) = request.checkpoint()? {
        solver = solver.checkpoint(path, every);
    }
    let done = solver.run();
    checked(&problem)?;
    let outcome = done.map_err(|error| solve_error(&error))?;
    report(py, &problem, setup.rollout(rollout), outcome)
}

/// The result of a run: `json` as the command prints it, `moves` and `state` of the best solution, `others`.
fn report<'py>(
    py: Python<'py>,
    problem: &PyProblem,
    setup: Setup,
    outcome: Outcome<PyMove>,
) -> PyResult<Bound<'py, PyDict>> {
    let Outcome { kept, bound, optimal, infeasible, stop, counters, tree, elapsed, unsaved, history, remarks, .. } =
        outcome;
    let dict = PyDict::new(py);
    let all = kept.iter().map(|solution| one(py, problem, solution)).collect::<PyResult<Vec<_>>>()?;
    dict.set_item("solutions", all)?;
    checked(problem)?;
    let answer = |solution: &Solution<_>| Answer { score: solution.score, moves: Value::Null, solution: Value::Null };
    let answers = kept.iter().map(answer).collect();
    let run = RunInfo { setup: setup.clone(), counters, elapsed };
    let untold = unsaved.clone();
    let report = Report { run, answers, tree, bound, optimal, infeasible, stop, unsaved: untold, history, remarks };
    let task = result::Task {
        problem: problem.name(),
        instance: "",
        options: &Default::default(),
        sense: result::sense(problem.sense()),
        method: &setup.preset,
        parameters: result::parameters(&setup.method),
        rollout: setup.rollout.as_deref().unwrap_or_default(),
        seed: setup.seed,
        threads: setup.threads,
    };
    let history: Vec<Value> = report.history.iter().map(result::timed).collect();
    dict.set_item("task", result::line(&task))?;
    dict.set_item("ending", result::line(&Ending::new(&report)))?;
    dict.set_item("history", result::line(&history))?;
    dict.set_item("remarks", report.remarks)?;
    dict.set_item("unsaved", unsaved)?;
    Ok(dict)
}

/// A solution: score, violation, moves, finished state.
type One<'py> = (Option<f64>, Option<f64>, Bound<'py, PyList>, Bound<'py, PyAny>);

fn one<'py>(py: Python<'py>, problem: &PyProblem, solution: &Solution<PyMove>) -> PyResult<One<'py>> {
    let Solution { score, moves } = solution;
    let (value, violation) = split(*score);
    Ok((value, violation, objects(py, moves)?, problem.end(moves).object(py)))
}

/// Walks random games and raises the first broken rule; returns what the problem offers.
#[pyfunction]
pub(crate) fn check_own<'py>(
    py: Python<'py>,
    functions: Functions,
    walks: usize,
    seed: u64,
) -> PyResult<Bound<'py, PyDict>> {
    let problem = PyProblem::new(functions);
    let found = soloist::check(&problem, walks, seed);
    checked(&problem)?;
    problem.guard.interrupt()?;
    if let Err(violation) = found {
        let moves = objects(py, &violation.moves)?;
        let error = BrokenPromise::new_err(format!("{} after the moves {moves}", in_python(&violation.what)));
        error.value(py).setattr("moves", moves)?;
        return Err(error);
    }
    let advice = soloist::advise(&problem, walks, seed);
    checked(&problem)?;
    problem.guard.interrupt()?;
    let dict = PyDict::new(py);
    dict.set_item("walks", advice.walks)?;
    dict.set_item("infeasible", advice.infeasible)?;
    let knowledge: Vec<_> = advice.knowledge.iter().map(|one| (one.name, one.use_for, one.supplied)).collect();
    dict.set_item("knowledge", knowledge)?;
    Ok(dict)
}

/// A broken rule as Python sees it, where states are not cloned.
fn in_python(what: &str) -> &str {
    match what {
        "a clone has other moves" => "moves returns other moves when it is asked again",
        "playing on a clone changes the original" => "apply changes the state that it is given",
        "the same move leads to different states" => {
            "apply returns different states for the same move, or changes the state that it is given"
        }
        other => other,
    }
}

/// A run on a problem written in Python that lives.
#[pyclass(frozen, module = "soloist._soloist")]
#[derive(Debug)]
pub(crate) struct OwnSession {
    problem: Arc<PyProblem>,
    /// `None` after an exception, which leaves the searches in the middle of a step.
    session: Mutex<Option<Session<'static, PyProblem>>>,
}

impl OwnSession {
    /// Takes the lock without waiting. The thread that holds it waits for the interpreter, which this thread has: both
    /// would wait for ever.
    fn lock(&self) -> PyResult<MutexGuard<'_, Option<Session<'static, PyProblem>>>> {
        match self.session.try_lock() {
            Ok(session) => Ok(session),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err("the session is at work: one call at a time")),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Session<'static, PyProblem>) -> PyResult<T>) -> PyResult<T> {
        let mut session = self.lock()?;
        let Some(live) = session.as_mut() else {
            return Err(PyRuntimeError::new_err(
                "an exception has ended this session; go on from an earlier save() by Session.restore",
            ));
        };
        let done = work(live);
        if let Some(error) = self.problem.guard.take() {
            *session = None;
            return Err(error);
        }
        done
    }

    /// As [`with`](Self::with), for calls that Ctrl-C ends by an exception.
    fn at_once<T>(&self, work: impl FnOnce(&mut Session<'static, PyProblem>) -> PyResult<T>) -> PyResult<T> {
        let done = self.with(work)?;
        self.problem.guard.interrupt()?;
        Ok(done)
    }
}

#[pymethods]
impl OwnSession {
    #[new]
    fn new(py: Python<'_>, functions: Functions, request: Request) -> PyResult<Self> {
        let problem = Arc::new(PyProblem::new(functions));
        let solver = Solver::shared(Arc::clone(&problem), setup(&request)?);
        let (solver, _) = begin(py, &problem, solver, &request)?;
        let started = solver.budget(request.limits()?).start();
        checked(&problem)?;
        problem.guard.interrupt()?;
        let session = started.map_err(|error| solve_error(&error))?;
        Ok(Self { problem, session: Mutex::new(Some(session)) })
    }

    #[pyo3(signature = (request, on_improve=None))]
    fn advance(&self, request: Request, on_improve: Option<Py<PyAny>>) -> PyResult<String> {
        let slice = request.limits()?;
        let guard = Arc::clone(&self.problem.guard);
        guard.stop.store(false, std::sync::atomic::Ordering::Relaxed);
        let mut watch = Watch { guard: Arc::clone(&guard), on_improve: on_improve.as_ref() };
        self.with(|session| {
            let control = Control { observer: Some(&mut watch), interval: PULSE, stop: Some(&guard.stop) };
            let stop = session.advance_with(&slice, control).map_err(|error| solve_error(&error));
            guard.stop.store(false, std::sync::atomic::Ordering::Relaxed);
            Ok(stop?.to_string())
        })
    }

    fn offer(&self, py: Python<'_>, moves: &Bound<'_, PyAny>) -> PyResult<(Option<f64>, Option<f64>)> {
        self.at_once(|session| {
            let moves = self.problem.follow(py, moves)?;
            let score = session.offer(&moves).map_err(|error| solve_error(&error))?;
            Ok(split(score))
        })
    }

    fn best<'py>(&self, py: Python<'py>) -> PyResult<Option<One<'py>>> {
        self.at_once(|session| session.best().map(|best| one(py, &self.problem, &best)).transpose())
    }

    fn save(&self) -> PyResult<Vec<u8>> {
        self.at_once(|session| Ok(session.save()))
    }

    /// Playouts, nodes and seconds so far.
    fn effort(&self) -> PyResult<(u64, u64, f64)> {
        self.at_once(|session| {
            let counters = session.counters();
            Ok((counters.playouts, counters.nodes, session.elapsed().as_secs_f64()))
        })
    }

    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.at_once(|session| report(py, &self.problem, session.setup().clone(), session.outcome()))
    }
}

/// Whether nothing can follow after a reason to stop.
#[pyfunction]
pub(crate) fn is_final(stop: &str) -> bool {
    serde_json::from_value::<StopReason>(Value::from(stop)).is_ok_and(StopReason::is_final)
}

/// Tells a score apart for Python: the value, and the degree of infeasibility.
pub(crate) fn split(score: Score) -> (Option<f64>, Option<f64>) {
    (score.value(), score.violation())
}
