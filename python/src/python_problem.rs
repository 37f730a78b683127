//! Runs on problems that are written in Python, on the thread that calls.

use crate::calls::{Calls, REPORT};
use crate::errors::{self, BrokenPromise, broken, contradicted};
use crate::live::{Live, PULSE};
use crate::moves::PyMove;
use crate::problem::{Functions, PyProblem};
use crate::request::{Request, solve_error, spec_error};
use pyo3::PyTraverseError;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;
use soloist::check::Explanation;
use soloist::run::{
    CheckpointError, Control, Improvement, Observer, Progress, ReplayError, RunInfo, Session, SolveError,
};
use soloist::run::{Solution, StopReason};
use soloist::{Outcome, Problem, Score, Sense, Setup, Solver};
use soloist_problems::{ImprovementStep, RunEnding, RunRecord, RunTask, refuse_endless};
use soloist_problems::{Parts, Report, SolutionReport};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

/// Passes improvements and progress on and lets the interpreter breathe.
struct Watch<'a> {
    problem: &'a PyProblem,
    calls: &'a Calls,
    reported: Instant,
}

impl<'a> Watch<'a> {
    fn new(problem: &'a PyProblem, calls: &'a Calls) -> Self {
        Self { problem, calls, reported: Instant::now() }
    }

    /// Ends the run where a callback has raised an exception.
    fn settle(&self, py: Python<'_>, called: PyResult<()>) {
        let guard = &self.problem.guard;
        match called {
            Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => guard.stop.store(true, Ordering::Relaxed),
            Err(error) => guard.fail(error),
            Ok(()) => {}
        }
    }

    fn pulse(&mut self, py: Python<'_>, progress: &Progress) -> PyResult<()> {
        let guard = &self.problem.guard;
        guard.check_signals(py);
        // Functions that are compiled never give other threads a turn by themselves.
        py.detach(std::thread::yield_now);
        if self.calls.wants_stop(py)? {
            guard.stop.store(true, Ordering::Relaxed);
        }
        if self.reported.elapsed() >= REPORT {
            self.reported = Instant::now();
            self.calls.progressed(py, progress)?;
        }
        Ok(())
    }
}

impl Observer<PyMove> for Watch<'_> {
    fn improved(&mut self, improvement: &Improvement, solution: &Solution<PyMove>, progress: &Progress) {
        Python::attach(|py| {
            // The engine does so at the end, too late for what is reported now.
            let replayed = soloist::run::replay(self.problem, &solution.moves, solution.score);
            if self.problem.guard.fault.is_raised() {
                return;
            }
            let called = match replayed {
                Ok(()) => self.calls.improved(py, improvement, progress, || {
                    Ok((objects(py, &solution.moves)?.into_any().unbind(), None))
                }),
                Err(wrong) => Err(contradiction(py, self.problem, &wrong, &solution.moves)),
            };
            self.settle(py, called);
        });
    }

    fn progress(&mut self, progress: &Progress) {
        Python::attach(|py| {
            let called = self.pulse(py, progress);
            self.settle(py, called);
        });
    }
}

fn objects<'py>(py: Python<'py>, moves: &[PyMove]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, moves.iter().map(|mv| mv.object(py)))
}

/// The setup asked for. One stream: there is one interpreter.
fn setup(request: &Request) -> PyResult<Setup> {
    if request.threads != 1 {
        return Err(PyValueError::new_err(
            "threads: a session of a problem written in Python runs on one thread, because the interpreter runs one at a \
             time; soloist.solve takes threads=, and makes a process for each",
        ));
    }
    request.spec(None)?.setup(None, Setup::default).map_err(spec_error)
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
        let info = info.map_err(|error| refused(&error.into()))?;
        before = info.elapsed;
        let resumed = solver.resume(bytes);
        // A function that raises changes the fingerprint: the exception says more than a refused checkpoint.
        checked(problem)?;
        solver = resumed.map_err(|error| refused(&error.into()))?;
    }
    if let Some(start) = &request.start {
        solver = solver.offer(&problem.follow(py, start.bind(py))?);
    }
    Ok((solver, before))
}

/// Returns the exception of a checkpoint that is refused. What it is compared by is random games.
fn refused(error: &SolveError) -> PyErr {
    match error {
        SolveError::Checkpoint(CheckpointError::OtherProblem) => errors::CheckpointError::new_err(format!(
            "{error}: random games have other moves, codes or scores (has the class or its data changed, or do moves \
             have the order of a set of str, which differs from process to process?)"
        )),
        _ => solve_error(error),
    }
}

/// Raises the exception of user code, if there was one.
fn checked(problem: &PyProblem) -> PyResult<()> {
    problem.guard.take().map_or(Ok(()), Err)
}

/// Runs a search to its end and returns its result as JSON, and what JSON cannot hold.
#[pyfunction]
pub(crate) fn solve_own<'py>(py: Python<'py>, functions: Functions, request: Request) -> PyResult<Bound<'py, PyDict>> {
    let problem = PyProblem::new(functions);
    let _live = Live::enter(&problem.guard.stop)?;
    let mut watch = Watch::new(&problem, &request.calls);
    let (solver, before) = begin(py, &problem, Solver::new(&problem, setup(&request)?), &request)?;
    let budget = request.budget(before)?;
    let setup = solver.setup().clone();
    refuse_endless(&setup, &budget).map_err(spec_error)?;
    let rollout = setup.rollout.clone().unwrap_or_else(|| setup.default_rollout(&problem).into());
    let setup = setup.rollout(rollout);
    let mut solver = solver.budget(budget).stop_flag(&problem.guard.stop).observer(&mut watch, PULSE);
    if let Some((path, every)) = request.checkpoint()? {
        solver = solver.checkpoint(path, every);
    }
    if let Some((games, seconds)) = request.checks {
        play_first(py, &problem, games, seconds)?;
    }
    let outcome = solver.run();
    checked(&problem)?;
    own_report(py, &problem, setup, outcome.map_err(|error| failure(py, &problem, &error))?)
}

/// The seed of the draws of checked games.
const FIRST_SEED: u64 = 0;

/// Checks a problem on `most` games in about so many seconds, as [`check_own`] does. The first one may take ten times
/// as long. Ctrl-C ends them, and the run that follows.
fn play_first(py: Python<'_>, problem: &PyProblem, most: usize, seconds: f64) -> PyResult<()> {
    let begin = Instant::now();
    for (games, part) in [(1, 10.0), (most.saturating_sub(1), 1.0)] {
        let left = self::seconds(seconds * part).saturating_sub(begin.elapsed());
        if games == 0 || left.is_zero() || problem.guard.stop.load(Ordering::Relaxed) {
            break;
        }
        match checked_games(py, problem, games, FIRST_SEED, left) {
            // The run knows how long a game may be.
            Err(error) if error.value(py).to_string().contains("has not ended") => return Ok(()),
            done => done?,
        };
    }
    Ok(())
}

/// Raises the first rule that a problem breaks on so many random games. Returns whether the time was enough for all.
fn checked_games(py: Python<'_>, problem: &PyProblem, games: usize, seed: u64, time: Duration) -> PyResult<bool> {
    let timed = problem.guard.until(Instant::now() + time);
    let found = problem.without_own_keys(|| soloist::check(problem, games, seed));
    let is_over = timed.is_over() || problem.guard.stop.load(Ordering::Relaxed);
    drop(timed);
    checked(problem)?;
    match found {
        Err(violation) if !is_over => {
            let what = format!("{} after the moves {:?}", in_python(&violation.what), violation.moves);
            Err(broken(py, what, &violation.moves))
        }
        _ => Ok(!is_over),
    }
}

/// Checks a problem on so many games before a run, in about so many seconds.
#[pyfunction]
pub(crate) fn first_games(py: Python<'_>, functions: Functions, games: usize, seconds: f64) -> PyResult<()> {
    let problem = PyProblem::new(functions);
    let _live = Live::enter(&problem.guard.stop)?;
    play_first(py, &problem, games, seconds)?;
    problem.guard.interrupt()
}

/// Seconds in which the cause of a contradiction is looked for, and the games for it.
const SEARCHED: f64 = 1.0;
const SEARCHED_GAMES: usize = 100;

/// Returns the exception of a run that has failed. Where a solution was contradicted, the cause is looked for: the
/// engine knows playout policies and neighbourhoods, which a class in Python seldom has.
fn failure(py: Python<'_>, problem: &PyProblem, error: &SolveError) -> PyErr {
    match error {
        SolveError::Replay(wrong) => contradiction(py, problem, wrong, &[]),
        _ => solve_error(error),
    }
}

/// Returns the error of a solution that the rules contradict when it is played again.
fn contradiction(py: Python<'_>, problem: &PyProblem, wrong: &ReplayError, moves: &[PyMove]) -> PyErr {
    let (step, has_playouts) = (wrong.step(), problem.has_playouts());
    let (what, playout) = match wrong {
        ReplayError::Illegal { mv, is_finished, .. } => {
            let ended = if *is_finished { ", because the game has ended" } else { "" };
            (format!("the move {mv} is not legal{ended}"), "a playout plays an illegal move, or ")
        }
        ReplayError::Unfinished { .. } => {
            ("the solution ends, but the game has not".to_owned(), "a playout stops early, or ")
        }
        ReplayError::Score { claimed, replayed, .. } => {
            (format!("the solution scored {claimed} in the search and {replayed} now"), "")
        }
        ReplayError::Shared { .. } => ("the state has other moves after a move was made from it".to_owned(), ""),
        _ => return contradicted(py, wrong, moves),
    };
    let what = format!("a solution fails when it is played again: step {step}: {what}");
    let played = &moves[..step.min(moves.len())];
    for seed in 0..SEARCHED_GAMES as u64 / 20 {
        match checked_games(py, problem, 20, seed, seconds(SEARCHED / 5.0)) {
            Err(error) if error.is_instance_of::<BrokenPromise>(py) => {
                return broken(py, format!("{what}; soloist.check says: {}", error.value(py)), played);
            }
            Err(error) => return error,
            Ok(true) => {}
            Ok(false) => break,
        }
    }
    let playout = if has_playouts { playout } else { "" };
    let cause = format!(
        "{playout}moves, apply or score give something else when they are asked again (random draws, counters, the \
         order of a set of str), or apply changes memory that states share"
    );
    broken(py, format!("{what}; {cause}; soloist.check looks for the cause"), played)
}

/// The result of a run on a problem written in Python.
fn own_report<'py>(
    py: Python<'py>,
    problem: &PyProblem,
    setup: Setup,
    outcome: Outcome<PyMove>,
) -> PyResult<Bound<'py, PyDict>> {
    let all = outcome.kept.iter().map(|solution| one(py, problem, solution)).collect::<PyResult<Vec<_>>>()?;
    if let (true, Some(best)) = (outcome.optimal, outcome.kept.first()) {
        keeps_states(py, problem, &best.moves)?;
    }
    report(py, all, problem.name(), problem.sense(), setup, outcome)
}

/// Moves that are played again where a proof is claimed, about, and the most states that are kept of a game.
const AGAIN: usize = 128;
const KEPT: usize = 1_000;

/// Plays a solution again and asks all its states for their moves once more. A search whose states
/// change behind its back has covered another space than it believes, so that its proof is void.
fn keeps_states(py: Python<'_>, problem: &PyProblem, moves: &[PyMove]) -> PyResult<()> {
    let listed = |state: &_| {
        let mut legal = Vec::new();
        problem.moves(state, &mut legal);
        legal
    };
    let line = &moves[..moves.len().min(KEPT)];
    let mut first: Option<Vec<Vec<PyMove>>> = None;
    for _ in 0..(AGAIN / (line.len() + 1)).clamp(1, 32) {
        let mut states = vec![problem.root()];
        let mut lists = vec![listed(&states[0])];
        for &mv in line {
            let mut next = states[states.len() - 1].clone();
            problem.apply(&mut next, mv);
            lists.push(listed(&next));
            states.push(next);
        }
        let before = first.get_or_insert_with(|| lists.clone());
        let changed = (0..states.len()).find(|&at| before[at] != lists[at] || lists[at] != listed(&states[at]));
        checked(problem)?;
        if let Some(at) = changed {
            let what = "a state has other moves after moves were made from it: apply changes the state that it is given, or \
                        moves differ when they are asked for again; soloist.check looks for the cause";
            return Err(broken(py, what.to_owned(), &line[..at]));
        }
    }
    Ok(())
}

/// The result of a run: `solutions`, the best one first; `record` as the command prints it; `remarks`; `unsaved`.
pub(crate) fn report<'py, M>(
    py: Python<'py>,
    all: Vec<One<'py>>,
    name: &str,
    sense: Sense,
    setup: Setup,
    outcome: Outcome<M>,
) -> PyResult<Bound<'py, PyDict>> {
    let Outcome { kept, bound, optimal, infeasible, stop, counters, tree, elapsed, unsaved, history, remarks, .. } =
        outcome;
    let dict = PyDict::new(py);
    dict.set_item("solutions", all)?;
    let answer = |solution: &Solution<_>| SolutionReport {
        score: solution.score,
        moves: Value::Null,
        solution: Value::Null,
        parts: Parts::default(),
    };
    let answers = kept.iter().map(answer).collect();
    let run = RunInfo { setup: setup.clone(), counters, elapsed };
    let reason = unsaved.clone();
    let report =
        Report { run, answers, prefix: 0, tree, bound, optimal, infeasible, stop, unsaved: reason, history, remarks };
    let task = RunTask { problem: name.to_owned(), ..RunTask::own(sense, &setup) };
    let history = report.history.iter().map(ImprovementStep::timed).collect();
    let record = RunRecord { history: Some(history), ..RunRecord::bare(task, RunEnding::new(&report)) };
    dict.set_item("record", record.line())?;
    dict.set_item("remarks", report.remarks)?;
    dict.set_item("unsaved", unsaved)?;
    Ok(dict)
}

/// A solution: score, violation, moves, finished state.
pub(crate) type One<'py> = (Option<f64>, Option<f64>, Bound<'py, PyList>, Bound<'py, PyAny>);

fn one<'py>(py: Python<'py>, problem: &PyProblem, solution: &Solution<PyMove>) -> PyResult<One<'py>> {
    let mut end = problem.root();
    solution.moves.iter().for_each(|&mv| problem.apply(&mut end, mv));
    checked(problem)?;
    let (value, violation) = split(solution.score);
    Ok((value, violation, objects(py, &solution.moves)?, end.object(py)))
}

/// Walks random games and raises the first broken rule; returns what the problem offers, and whether the `time` was
/// enough for all of it.
#[pyfunction]
pub(crate) fn check_own<'py>(
    py: Python<'py>,
    functions: Functions,
    walks: usize,
    seed: u64,
    time: f64,
) -> PyResult<Bound<'py, PyDict>> {
    let problem = PyProblem::new(functions);
    let _live = Live::enter(&problem.guard.stop)?;
    let begin = Instant::now();
    let is_checked = checked_games(py, &problem, walks, seed, seconds(time * 0.75))?;
    problem.guard.interrupt()?;
    let timed = problem.guard.until(begin + seconds(time));
    let games = if is_checked { walks } else { walks.min(1) };
    let mut advice = problem.without_own_keys(|| soloist::check::advise(&problem, games, seed));
    let met = problem.met();
    let is_advised = !timed.is_over();
    drop(timed);
    checked(&problem)?;
    problem.guard.interrupt()?;
    let dict = PyDict::new(py);
    if !is_advised {
        // What the functions have not said in time is unknown.
        (advice.walks, advice.infeasible, advice.next) = (0, 0, None);
    }
    dict.set_item("walks", advice.walks)?;
    dict.set_item("infeasible", advice.infeasible)?;
    dict.set_item("met", (met.states, met.again, met.is_often(), met.are_keys()))?;
    let knowledge: Vec<_> = advice.knowledge.iter().map(|one| (one.name, one.use_for, one.supplied)).collect();
    dict.set_item("knowledge", knowledge)?;
    dict.set_item("kind", advice.kind.to_string())?;
    dict.set_item("next", advice.next.map(|next| (next.name, next.when.to_string(), next.why, next.gain)))?;
    dict.set_item("is_whole", is_checked && is_advised)?;
    Ok(dict)
}

/// Whether the states of a problem are their own keys.
#[pyfunction]
pub(crate) fn own_keys(functions: Functions) -> PyResult<bool> {
    let problem = PyProblem::new(functions);
    let are_keys = problem.functions().has_no_key() && problem.met().are_keys();
    checked(&problem)?;
    Ok(are_keys)
}

/// What is known about constraints: verdict, names of the conflict, whether it is least, constraints, tests.
pub(crate) type Explained = (&'static str, Vec<String>, bool, usize, u64);

/// Makes what Python gets of an explanation.
pub(crate) fn explained(found: Explanation) -> Explained {
    (found.verdict.name(), found.conflict, found.is_least, found.constraints, found.tests)
}

/// Looks for constraints that cannot hold together, or for moves that cannot all stay, for so many seconds.
#[pyfunction]
#[pyo3(signature = (functions, time, seed, moves=None))]
pub(crate) fn explain_own(
    py: Python<'_>,
    functions: Functions,
    time: f64,
    seed: u64,
    moves: Option<Bound<'_, PyAny>>,
) -> PyResult<Explained> {
    let problem = PyProblem::new(functions);
    let _live = Live::enter(&problem.guard.stop)?;
    let (time, stop) = (seconds(time), Some(&*problem.guard.stop));
    let found = match moves {
        None => soloist::check::explain(&problem, time, seed, stop),
        Some(moves) => {
            let moves = problem.follow(py, &moves)?;
            let name = |step: usize, mv| format!("move {step}: {mv:?}");
            soloist::check::explain_decisions(&problem, &moves, &name, time, seed, stop)
        }
    };
    checked(&problem)?;
    problem.guard.interrupt()?;
    found.map(explained).map_err(|error| solve_error(&error))
}

/// A limit of time; what is too long for a clock is a century.
pub(crate) fn seconds(time: f64) -> Duration {
    Duration::try_from_secs_f64(time).unwrap_or(Duration::MAX).min(Duration::from_secs(3_155_760_000))
}

/// A broken rule as Python sees it, where states are not cloned.
fn in_python(what: &str) -> String {
    const WORDS: [(&str, &str); 4] = [
        ("the rollout `playout`", "`playout`"),
        ("the rollout `candidates`", "`candidates`"),
        (
            "lead elsewhere the second time (does `apply` change memory that copies share, or draw at random?)",
            "lead elsewhere when they are played again (random draws, counters, or apply changes memory that states share)",
        ),
        (
            "playing a copy of a state changes the state (does `apply` change memory that copies share, or a table?)",
            "playing on from a state changes it (apply changes what it is given, or memory that states share)",
        ),
    ];
    let what = WORDS.iter().fold(what.to_owned(), |what, (engine, python)| what.replace(engine, python));
    let plain = match what.as_str() {
        "a clone has other moves" => "moves returns other moves when it is asked again",
        "playing on a clone changes the original" => "apply changes the state that it is given",
        "the same move leads to different states" => {
            "apply returns different states for the same move (random draws, counters), or changes the state that it is given"
        }
        "a score changes" => "score returns another value when it is asked again (random draws, counters)",
        "a code changes" => "code returns another value when it is asked again",
        what if what.starts_with("the fingerprint changes") => {
            "moves or scores differ when they are asked for again: the functions must return the same for the same \
             arguments, so random draws and counters have no place in them:"
        }
        other => other,
    };
    plain.to_owned()
}

/// What a session holds, which the garbage collector may take away.
struct Held {
    problem: Arc<PyProblem>,
    /// `None` after an exception, which leaves the searches in the middle of a step.
    session: Option<Session<'static, PyProblem>>,
}

/// A run on a problem written in Python that lives.
#[pyclass(frozen, module = "soloist._soloist")]
pub(crate) struct OwnSession {
    held: Mutex<Option<Held>>,
    process: u32,
}

impl std::fmt::Debug for OwnSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("session on a problem written in Python")
    }
}

impl OwnSession {
    /// Takes the lock without waiting. The thread that holds it waits for the interpreter, which this thread has: both
    /// would wait for ever.
    fn lock(&self) -> PyResult<MutexGuard<'_, Option<Held>>> {
        match self.held.try_lock() {
            Ok(held) => Ok(held),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if self.process != std::process::id() => Err(PyRuntimeError::new_err(
                "the session was at work in another process when this one was forked: restore it from a save()",
            )),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err("the session is at work: one call at a time")),
        }
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&Arc<PyProblem>, &mut Session<'static, PyProblem>) -> PyResult<T>,
    ) -> PyResult<T> {
        let mut held = self.lock()?;
        let Some(Held { problem, session: Some(live) }) = held.as_mut() else {
            return Err(PyRuntimeError::new_err(
                "an exception has ended this session; continue from an earlier save() by Session.restore",
            ));
        };
        let _live = Live::enter(&problem.guard.stop)?;
        let done = work(problem, live);
        let error = problem.guard.take();
        if let (Some(error), Some(held)) = (error, held.as_mut()) {
            held.session = None;
            return Err(error);
        }
        done
    }

    /// As [`with`](Self::with), for calls that Ctrl-C ends by an exception.
    fn at_once<T>(
        &self,
        work: impl FnOnce(&Arc<PyProblem>, &mut Session<'static, PyProblem>) -> PyResult<T>,
    ) -> PyResult<T> {
        self.with(|problem, session| {
            let done = work(problem, session)?;
            problem.guard.interrupt()?;
            Ok(done)
        })
    }
}

#[pymethods]
impl OwnSession {
    #[new]
    fn new(py: Python<'_>, functions: Functions, request: Request) -> PyResult<Self> {
        let problem = Arc::new(PyProblem::new(functions));
        let _live = Live::enter(&problem.guard.stop)?;
        let solver = Solver::shared(Arc::clone(&problem), setup(&request)?);
        let (solver, _) = begin(py, &problem, solver, &request)?;
        let started = solver.budget(request.limits()?).start();
        checked(&problem)?;
        problem.guard.interrupt()?;
        let session = started.map_err(|error| solve_error(&error))?;
        Ok(Self { held: Mutex::new(Some(Held { problem, session: Some(session) })), process: std::process::id() })
    }

    fn advance(&self, request: Request) -> PyResult<String> {
        let slice = request.limits()?;
        let (problem, reason) = self.with(|problem, session| {
            let stop = &problem.guard.stop;
            stop.store(false, Ordering::Relaxed);
            let mut watch = Watch::new(problem, &request.calls);
            let control = Control { observer: Some(&mut watch), interval: PULSE, stop: Some(stop) };
            let reason = session.advance_with(&slice, control);
            stop.store(false, Ordering::Relaxed);
            Ok((Arc::clone(problem), reason))
        })?;
        reason.map(|reason| reason.to_string()).map_err(|error| {
            // Nothing of the run can be relied on.
            if let Ok(Some(held)) = self.lock().as_deref_mut() {
                held.session = None;
            }
            Python::attach(|py| failure(py, &problem, &error))
        })
    }

    fn offer(&self, py: Python<'_>, moves: &Bound<'_, PyAny>) -> PyResult<(Option<f64>, Option<f64>)> {
        self.at_once(|problem, session| {
            let moves = problem.follow(py, moves)?;
            let score = session.offer(&moves).map_err(|error| solve_error(&error))?;
            Ok(split(score))
        })
    }

    fn best<'py>(&self, py: Python<'py>) -> PyResult<Option<One<'py>>> {
        self.at_once(|problem, session| session.best().map(|best| one(py, problem, &best)).transpose())
    }

    fn save(&self) -> PyResult<Vec<u8>> {
        self.at_once(|_, session| Ok(session.save()))
    }

    /// Playouts, nodes and seconds so far.
    fn effort(&self) -> PyResult<(u64, u64, f64)> {
        self.at_once(|_, session| {
            let counters = session.counters();
            Ok((counters.playouts, counters.nodes, session.elapsed().as_secs_f64()))
        })
    }

    /// Why the run stopped last.
    fn stop(&self) -> PyResult<String> {
        self.at_once(|_, session| Ok(session.outcome().stop.to_string()))
    }

    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.at_once(|problem, session| own_report(py, problem, session.setup().clone(), session.outcome()))
    }

    /// A problem may hold its session. States that the searches keep are not shown to the collector: it frees no less
    /// than it can prove to be garbage.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.held.try_lock() {
            Ok(held) => held.as_ref().map_or(Ok(()), |held| held.problem.functions().traverse(&visit)),
            Err(_) => Ok(()),
        }
    }

    fn __clear__(&self) {
        let held = self.held.try_lock().ok().and_then(|mut held| held.take());
        // What is dropped may run code of the problem.
        drop(held);
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
