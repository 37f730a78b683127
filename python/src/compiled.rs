//! Problems whose functions are machine code: addresses that numba hands out.
//!
//! A state is a row of words of 64 bits, each an integer or a float, a move is an integer. The addresses come from
//! `_numba.py`, which keeps the code alive for the time of the run and has compared the functions with those of Python.

// Calls of foreign functions. All of them are in `impl Problem`; what they rely on is said at `Addresses`.
#![allow(unsafe_code)]

use crate::builtin_problem::interruptible;
use crate::calls::{REPORT, Watch};
use crate::errors::contradicted;
use crate::live::locked;
use crate::problem::rounded_fingerprint;
use crate::python_problem::{One, report, split};
use crate::request::{Request, solve_error, spec_error};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use soloist::problem::{Dominance, Exchange, Exchanges, Extras, Facts, Fault, Key, Neighborhood};
use soloist::run::{Improvement, Observer, Progress, RunInfo, Solution};
use soloist::{Problem, Score, Sense, Setup, Solver};
use soloist_problems::refuse_endless;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The most moves that are asked for at first. A state with more is asked again.
const ROOM: usize = 64;

/// The addresses of the functions of a problem.
///
/// # Safety
/// Each is the address of a C function of the type that its call below has. The functions read and write the words of
/// one state and at most `room` moves, keep no pointer, and may run on several threads at once. Exceptions are caught
/// in them: they return a negative number then, and have written nothing of a state.
#[derive(Debug, Clone, Copy, FromPyObject)]
#[pyo3(from_item_all)]
struct Addresses {
    /// `(state, moves, room) -> count`
    moves: usize,
    /// `(state, move, next state)`; the two states may be one.
    apply: usize,
    /// `(state, value and degree of infeasibility)`; a value that is no number says that the degree holds.
    score: usize,
    /// `(state, move, code)`
    code: Option<usize>,
    /// `(state, bound)`
    bound: Option<usize>,
    /// `(state, potential)`
    potential: Option<usize>,
    /// `(state, words of the key)`
    key: Option<usize>,
    /// `(state, words of the key, score so far)`
    future: Option<usize>,
    /// `(state, place, which decisions there are, old, new, change)`; no number: there is none
    difference: Option<usize>,
    /// `(state, place, which decisions there are, old, new, next state)`; the two states may be one
    apply_exchange: Option<usize>,
}

/// What Python has compiled of a problem.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Machine {
    name: String,
    root: Vec<u64>,
    minimize: bool,
    /// Decisions before the root, which places count.
    before: i64,
    addresses: Addresses,
    /// The words of the keys of `key` and `future`.
    key_words: [usize; 2],
    /// Whether states are their own keys.
    own_keys: bool,
    /// Raises the exception that a function raises: of its name, the words of a state, and its other arguments.
    failed: Py<PyAny>,
}

/// The first call that has met an exception.
#[derive(Debug)]
struct Failure {
    function: &'static str,
    state: Box<[u64]>,
    arguments: Vec<Option<i64>>,
}

/// A problem of compiled functions, for one run.
#[derive(Debug)]
pub(crate) struct Compiled {
    machine: Arc<Machine>,
    fault: Fault,
    failure: Mutex<Option<Failure>>,
}

/// A state: integers and floats as they lie in memory.
#[derive(Debug)]
pub(crate) struct Words(Box<[u64]>);

impl Clone for Words {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    // Searches copy states into states that are there.
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        self.0.copy_from_slice(&other.0);
    }
}

type Moves = unsafe extern "C" fn(*const u64, *mut i64, i64) -> i64;
type Apply = unsafe extern "C" fn(*const u64, i64, *mut u64) -> i64;
type Code = unsafe extern "C" fn(*const u64, i64, *mut i64) -> i64;
type Real = unsafe extern "C" fn(*const u64, *mut f64) -> i64;
type Difference = unsafe extern "C" fn(*const u64, i64, i64, i64, i64, *mut f64) -> i64;
type Exchanged = unsafe extern "C" fn(*const u64, i64, i64, i64, i64, *mut u64) -> i64;
type Keyed = unsafe extern "C" fn(*const u64, *mut u64) -> i64;
type Future = unsafe extern "C" fn(*const u64, *mut u64, *mut f64) -> i64;

/// The function at an address.
macro_rules! at {
    ($address:expr, $kind:ty) => {
        // SAFETY: see `Addresses`. A function pointer has the size of an address on all platforms of numba.
        unsafe { std::mem::transmute::<usize, $kind>($address) }
    };
}

impl Compiled {
    pub(crate) fn new(machine: Arc<Machine>) -> Self {
        Self { machine, fault: Fault::default(), failure: Mutex::default() }
    }

    /// Keeps the call that has failed, which ends the run.
    #[cold]
    fn fail(&self, function: &'static str, state: &Words, arguments: &[Option<i64>]) {
        self.fault.raise("an exception in compiled code");
        let failure = Failure { function, state: state.0.clone(), arguments: arguments.to_vec() };
        locked(&self.failure).get_or_insert(failure);
    }

    /// Raises the exception that has ended the run, by the function of Python.
    pub(crate) fn checked(&self, py: Python<'_>) -> PyResult<()> {
        let Some(Failure { function, state, arguments }) = locked(&self.failure).take() else { return Ok(()) };
        self.machine.failed.call1(py, (function, state.into_vec(), arguments)).map(drop)
    }

    fn real(&self, name: &'static str, address: Option<usize>, state: &Words) -> Option<f64> {
        let function = at!(address?, Real);
        let mut value = f64::NAN;
        // SAFETY: see `Addresses`; there is room for a number.
        if unsafe { function(state.0.as_ptr(), &raw mut value) } < 0 {
            self.fail(name, state, &[]);
            return None;
        }
        Some(value)
    }

    /// The numbers of an exchange as the functions have them: the place, which decisions there are, and the decisions.
    fn numbers(&self, place: usize, old: Option<i64>, new: Option<i64>) -> (i64, i64, i64, i64) {
        let given = i64::from(old.is_some()) | i64::from(new.is_some()) << 1;
        (self.machine.before + place as i64, given, old.unwrap_or(0), new.unwrap_or(0))
    }
}

impl Exchange for Compiled {
    fn difference(&self, end: &Words, place: usize, old: Option<i64>, new: Option<i64>) -> Option<f64> {
        let function = at!(self.machine.addresses.difference?, Difference);
        let (at, given, before, behind) = self.numbers(place, old, new);
        let mut change = f64::NAN;
        // SAFETY: see `Addresses`; there is room for a number.
        if unsafe { function(end.0.as_ptr(), at, given, before, behind, &raw mut change) } < 0 {
            self.fail("difference", end, &[Some(at), old, new]);
            return None;
        }
        Some(change).filter(|change| !change.is_nan())
    }

    fn apply_exchange(&self, end: &mut Words, place: usize, old: Option<i64>, new: Option<i64>) -> bool {
        let Some(address) = self.machine.addresses.apply_exchange else { return false };
        let function = at!(address, Exchanged);
        let (at, given, before, behind) = self.numbers(place, old, new);
        let words = end.0.as_mut_ptr();
        // SAFETY: see `Addresses`; the state is read before it is written.
        let done = unsafe { function(words, at, given, before, behind, words) } >= 0;
        if !done {
            self.fail("apply_exchange", end, &[Some(at), old, new]);
        }
        done
    }
}

impl Problem for Compiled {
    type State = Words;
    type Move = i64;

    fn root(&self) -> Words {
        Words(self.machine.root.clone().into())
    }

    fn moves(&self, state: &Words, moves: &mut Vec<i64>) {
        // After an exception no game goes on.
        if self.fault.is_raised() {
            return;
        }
        let function = at!(self.machine.addresses.moves, Moves);
        moves.reserve(ROOM);
        loop {
            let room = moves.capacity();
            // SAFETY: see `Addresses`; there is room for `room` moves.
            let count = unsafe { function(state.0.as_ptr(), moves.as_mut_ptr(), room as i64) };
            let Ok(count) = usize::try_from(count) else {
                self.fail("moves", state, &[]);
                return;
            };
            if count <= room {
                // SAFETY: the function has written the first `count` moves, and there is room for them.
                unsafe { moves.set_len(count) };
                return;
            }
            moves.reserve(count);
        }
    }

    fn apply(&self, state: &mut Words, mv: i64) {
        let function = at!(self.machine.addresses.apply, Apply);
        let words = state.0.as_mut_ptr();
        // SAFETY: see `Addresses`; the state is read before it is written.
        if unsafe { function(words, mv, words) } < 0 {
            self.fail("apply", state, &[Some(mv)]);
        }
    }

    fn score(&self, state: &Words) -> Score {
        let function = at!(self.machine.addresses.score, Real);
        let mut pair = [0.0; 2];
        // SAFETY: see `Addresses`; there is room for two numbers.
        if unsafe { function(state.0.as_ptr(), pair.as_mut_ptr()) } < 0 {
            self.fail("score", state, &[]);
            return Score::Infeasible(f64::MAX);
        }
        match pair {
            [value, degree] if value.is_nan() && degree >= 0.0 => Score::Infeasible(degree),
            [value, _] => Score::Feasible(value),
        }
    }

    fn sense(&self) -> Sense {
        if self.machine.minimize { Sense::Minimize } else { Sense::Maximize }
    }

    fn code(&self, state: &Words, mv: i64) -> u64 {
        let Some(address) = self.machine.addresses.code else { return soloist::problem::stable_hash(&mv) };
        let function = at!(address, Code);
        let mut code = 0;
        // SAFETY: see `Addresses`; there is room for a number.
        if unsafe { function(state.0.as_ptr(), mv, &raw mut code) } < 0 {
            self.fail("code", state, &[Some(mv)]);
        }
        code.cast_unsigned()
    }

    fn bound(&self, state: &Words) -> Option<f64> {
        self.real("bound", self.machine.addresses.bound, state)
    }

    fn potential(&self, state: &Words) -> Option<f64> {
        self.real("potential", self.machine.addresses.potential, state)
    }

    fn key(&self, state: &Words) -> Option<Key> {
        let Some(address) = self.machine.addresses.key else {
            return self.machine.own_keys.then(|| Key::of(&state.0[..]));
        };
        let function = at!(address, Keyed);
        let mut words = vec![0; self.machine.key_words[0]];
        // SAFETY: see `Addresses`; there is room for the words of a key.
        if unsafe { function(state.0.as_ptr(), words.as_mut_ptr()) } < 0 {
            self.fail("key", state, &[]);
            return None;
        }
        Some(key_of(&words))
    }

    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        self.machine.addresses.future.is_some().then_some(self as &dyn Dominance<Self>)
    }

    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        let has = self.machine.addresses.difference.is_some();
        has.then(|| Box::new(Exchanges::new()) as Box<dyn Neighborhood<Self>>)
    }

    fn facts(&self) -> Facts {
        Facts { fault: Some(self.fault.clone()), ..Facts::default() }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

/// The key of words; a single one is a key as it is.
fn key_of(words: &[u64]) -> Key {
    if let [word] = words { Key::from(*word) } else { Key::of(words) }
}

impl Dominance<Self> for Compiled {
    fn future(&self, state: &Words) -> (Key, f64) {
        let Some(address) = self.machine.addresses.future else { return (0_u64.into(), 0.0) };
        let function = at!(address, Future);
        let (mut words, mut cost) = (vec![0; self.machine.key_words[1]], 0.0);
        // SAFETY: see `Addresses`; there is room for the words of a key, and for a number.
        if unsafe { function(state.0.as_ptr(), words.as_mut_ptr(), &raw mut cost) } < 0 {
            self.fail("future", state, &[]);
        }
        (key_of(&words), cost)
    }
}

impl Extras<Self> for Compiled {
    fn fingerprint(&self) -> Option<u64> {
        Some(rounded_fingerprint(self))
    }
}

impl Observer<i64> for Watch<'_> {
    fn improved(&mut self, improvement: &Improvement, solution: &Solution<i64>, progress: &Progress) {
        if self.calls.on_improve.is_some() {
            let moves = &solution.moves;
            self.report(|py, calls| {
                calls.improved(py, improvement, progress, || Ok((PyList::new(py, moves)?.into_any().unbind(), None)))
            });
        }
    }

    fn progress(&mut self, progress: &Progress) {
        if self.calls.on_progress.is_some() {
            self.report(|py, calls| calls.progressed(py, progress));
        }
    }
}

/// The moves of a solution to start from, played by the rules.
fn started(problem: &Compiled, py: Python<'_>, start: &Py<PyAny>) -> PyResult<Vec<i64>> {
    let wrong = |what: String| PyValueError::new_err(format!("start: {what}"));
    let moves: Vec<i64> = start.extract(py).map_err(|_| wrong("expected moves, which are ints".into()))?;
    let (mut state, mut legal) = (problem.root(), Vec::new());
    for (at, &mv) in moves.iter().enumerate() {
        legal.clear();
        problem.moves(&state, &mut legal);
        if !legal.contains(&mv) {
            return Err(wrong(format!("move {at}, {mv}, is not legal")));
        }
        problem.apply(&mut state, mv);
    }
    legal.clear();
    problem.moves(&state, &mut legal);
    if legal.is_empty() { Ok(moves) } else { Err(wrong("the solution is not finished".into())) }
}

/// Runs a search to its end without the interpreter. `state` makes the finished state of moves; it plays them by the
/// functions of Python. Returns what `solve_own` returns.
#[pyfunction]
pub(crate) fn solve_compiled<'py>(
    py: Python<'py>,
    machine: Machine,
    request: Request,
    state: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let stop = Arc::new(AtomicBool::new(false));
    let problem = Compiled::new(Arc::new(machine));
    let setup = request.spec(None)?.setup(None, Setup::default).map_err(spec_error)?;
    let mut solver = Solver::new(&problem, setup).keep(request.keep);
    let mut before = Duration::ZERO;
    if let Some(bytes) = &request.resume {
        let info = RunInfo::read(&problem, bytes);
        problem.checked(py)?;
        before = info.map_err(|error| solve_error(&error.into()))?.elapsed;
        let resumed = solver.resume(bytes);
        problem.checked(py)?;
        solver = resumed.map_err(|error| solve_error(&error.into()))?;
    }
    if let Some(start) = &request.start {
        let moves = started(&problem, py, start);
        problem.checked(py)?;
        solver = solver.offer(&moves?);
    }
    let budget = request.budget(before)?;
    let setup = solver.setup().clone();
    refuse_endless(&setup, &budget).map_err(spec_error)?;
    let rollout = setup.rollout.clone().unwrap_or_else(|| "random".into());
    let setup = setup.rollout(rollout);
    let mut watch = Watch { stop: &stop, calls: &request.calls, error: None };
    let checkpoint = request.checkpoint()?;
    let outcome = interruptible(py, &stop, &request.calls, || {
        let mut solver = solver.budget(budget).stop_flag(&stop).observer(&mut watch, REPORT);
        if let Some((path, every)) = checkpoint {
            solver = solver.checkpoint(path, every);
        }
        solver.run()
    })?;
    problem.checked(py)?;
    if let Some(error) = watch.error {
        return Err(error);
    }
    let outcome = outcome.map_err(|error| match &error {
        soloist::run::SolveError::Replay(wrong) => contradicted(py, wrong, &[]),
        _ => solve_error(&error),
    })?;
    let one = |solution: &Solution<i64>| -> PyResult<One<'py>> {
        let (value, violation) = split(solution.score);
        let moves = PyList::new(py, &solution.moves)?;
        let end = state.call1((&moves, value, violation))?;
        Ok((value, violation, moves, end))
    };
    let all = outcome.kept.iter().map(one).collect::<PyResult<Vec<_>>>()?;
    report(py, all, &problem.machine.name, problem.sense(), setup, outcome)
}
