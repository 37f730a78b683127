//! A problem whose rules are Python functions.

mod answers;
mod edits;
mod exchange;
mod fingerprint;
mod line;
mod met;
mod own_key;

use crate::errors::broken;
use crate::guard::Guard;
use crate::live::locked;
use crate::moves::PyMove;
use crate::value::{self, number};
use answers::{collect, degree, from, real, returned, scored, stepped};
pub(crate) use fingerprint::rounded_fingerprint;
use line::{Line, ROOT, UNKNOWN, shown};
use met::OwnKeys;
use pyo3::PyTraverseError;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList};
use soloist::problem::{
    Dominance, Exchanges, Explain, Extras, Facts, Found, Key, Neighborhood, Ordering, Prior, ScorePart,
};
use soloist::rollout::{NamedRollout, Playout, Rollout};
use soloist::{Problem, Rng, Score, Sense};
use std::sync::{Arc, Mutex};

/// The functions of a problem, bound once.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Functions {
    name: String,
    root: Py<PyAny>,
    moves: Py<PyAny>,
    apply: Py<PyAny>,
    score: Py<PyAny>,
    step: Option<Py<PyAny>>,
    code: Option<Py<PyAny>>,
    bias: Option<Py<PyAny>>,
    bound: Option<Py<PyAny>>,
    potential: Option<Py<PyAny>>,
    key: Option<Py<PyAny>>,
    future: Option<Py<PyAny>>,
    resources: Option<Py<PyAny>>,
    identity: Option<Py<PyAny>>,
    find: Option<Py<PyAny>>,
    link: Option<Py<PyAny>>,
    suggest: Option<Py<PyAny>>,
    difference: Option<Py<PyAny>>,
    apply_exchange: Option<Py<PyAny>>,
    edit: Option<Py<PyAny>>,
    candidates: Option<Py<PyAny>>,
    playout: Option<Py<PyAny>>,
    parts: Option<Py<PyAny>>,
    constraints: Option<Py<PyAny>>,
    relaxed: Option<Py<PyAny>>,
    minimize: bool,
    reference: Option<f64>,
    complete: bool,
    /// About how many bytes a state takes.
    state_bytes: usize,
    /// What `find` returns for a thing that no move decides about yet.
    blocked: Py<PyAny>,
    /// `random.Random`, for `playout`.
    random: Py<PyAny>,
}

/// A problem written in Python.
#[derive(Debug)]
pub(crate) struct PyProblem {
    functions: Arc<Functions>,
    pub(crate) guard: Arc<Guard>,
    line: Mutex<Line>,
    own_keys: OwnKeys,
}

/// A state: any object, never changed, with a number by which its way is found, and its moves where `step` has listed
/// them.
#[derive(Debug)]
pub(crate) struct PyState(Py<PyAny>, u64, Option<Py<PyAny>>);

impl Clone for PyState {
    fn clone(&self) -> Self {
        Python::attach(|py| Self(self.0.clone_ref(py), self.1, self.2.as_ref().map(|moves| moves.clone_ref(py))))
    }
}

impl PyState {
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.0.bind(py).clone()
    }
}

impl Functions {
    pub(crate) fn has_no_key(&self) -> bool {
        self.key.is_none()
    }

    /// Shows the garbage collector what is held.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let held = [&self.root, &self.moves, &self.apply, &self.score, &self.blocked, &self.random];
        let optional = [
            &self.step,
            &self.code,
            &self.bias,
            &self.bound,
            &self.potential,
            &self.key,
            &self.future,
            &self.resources,
            &self.identity,
            &self.find,
            &self.link,
            &self.suggest,
            &self.difference,
            &self.apply_exchange,
            &self.edit,
            &self.candidates,
            &self.playout,
            &self.parts,
            &self.constraints,
            &self.relaxed,
        ];
        held.into_iter().chain(optional.into_iter().flatten()).try_for_each(|object| visit.call(object))
    }
}

impl PyProblem {
    pub(crate) fn new(functions: impl Into<Arc<Functions>>) -> Self {
        Self::guarded(functions, Arc::default())
    }

    /// A problem whose runs are cut short by this guard.
    pub(crate) fn guarded(functions: impl Into<Arc<Functions>>, guard: Arc<Guard>) -> Self {
        Self { functions: functions.into(), guard, line: Mutex::default(), own_keys: OwnKeys::default() }
    }

    /// Calls user code as [`Guard::ask`] does. Exceptions say in a note which function was at work, and where.
    #[inline]
    fn ask<T>(
        &self,
        py: Python<'_>,
        (function, state): (&str, Option<&PyState>),
        otherwise: T,
        mut call: impl FnMut() -> PyResult<T>,
    ) -> T {
        self.guard.ask(py, otherwise, || call().map_err(|error| self.located(py, error, function, state)))
    }

    /// Adds a note of PEP 678.
    #[cold]
    fn located(&self, py: Python<'_>, error: PyErr, function: &str, state: Option<&PyState>) -> PyErr {
        if !error.is_instance_of::<PyException>(py) {
            return error;
        }
        let way = state.and_then(|state| locked(&self.line).to(state.1));
        let place = match (way, state) {
            (Some(moves), _) => format!(", after the moves {}", shown(&moves)),
            (None, Some(state)) => state.0.bind(py).repr().map_or_else(
                |_| String::new(),
                |text| format!(", for the state {}", text.to_string().chars().take(300).collect::<String>()),
            ),
            (None, None) => String::new(),
        };
        let value = error.value(py);
        let notes = value.getattr("__notes__").and_then(|notes| notes.extract::<Vec<String>>()).unwrap_or_default();
        // It may have no place for notes.
        let _ = value.setattr("__notes__", [notes, vec![format!("in `{function}`{place}")]].concat());
        error
    }

    /// Notes that a move leads from one state to a new one; returns the number of that.
    #[inline]
    fn step(&self, from: u64, mv: PyMove) -> u64 {
        locked(&self.line).step(from, mv)
    }

    pub(crate) fn functions(&self) -> &Functions {
        &self.functions
    }

    /// Whether it has a playout policy of its own.
    pub(crate) fn has_playouts(&self) -> bool {
        self.functions.playout.is_some() || self.functions.candidates.is_some()
    }

    pub(crate) fn name(&self) -> &str {
        &self.functions.name
    }

    /// Asks an optional function of the state for a number.
    fn number_of(&self, name: &str, function: Option<&Py<PyAny>>, state: &PyState) -> Option<f64> {
        let function = function?;
        Python::attach(|py| {
            self.ask(py, (name, Some(state)), None, || {
                let value = function.bind(py).call1((state.0.bind(py),))?;
                if value.is_none() { Ok(None) } else { real(name, &value, "a number or None").map(Some) }
            })
        })
    }

    /// Lists moves by one of the functions that do.
    #[inline]
    fn list(&self, name: &str, function: &Py<PyAny>, state: &PyState, moves: &mut Vec<PyMove>) {
        let before = moves.len();
        Python::attach(|py| {
            self.ask(py, (name, Some(state)), (), || {
                moves.truncate(before);
                let list = function.bind(py).call1((state.0.bind(py),))?;
                let done = collect(&self.guard, name, &list, moves);
                if done.is_err() {
                    moves.truncate(before);
                }
                done
            });
        });
    }

    /// Plays moves from outside, of equal value with legal ones, and returns the legal ones.
    pub(crate) fn follow(&self, py: Python<'_>, moves: &Bound<'_, PyAny>) -> PyResult<Vec<PyMove>> {
        let (mut state, mut legal, mut played) = (self.root(), Vec::new(), Vec::new());
        for (at, object) in moves.try_iter()?.enumerate() {
            let object = object?;
            legal.clear();
            self.moves(&state, &mut legal);
            let mut found = None;
            for &mv in &legal {
                if mv.has_value(&object).map_err(from("the solution to start from"))? {
                    found = Some(mv);
                    break;
                }
            }
            if let Some(error) = self.guard.take() {
                return Err(error);
            }
            let mv = found.ok_or_else(|| {
                PyValueError::new_err(format!("the solution to start from: move {at}, {object:?}, is not legal"))
            })?;
            self.apply(&mut state, mv);
            played.push(mv);
        }
        self.guard.check_signals(py);
        self.guard.take().map_or(Ok(played), Err)
    }
}

impl Problem for PyProblem {
    type State = PyState;
    type Move = PyMove;

    fn root(&self) -> PyState {
        Python::attach(|py| {
            let root = self.ask(py, ("root", None), py.None(), || {
                let root = self.functions.root.bind(py).call0()?;
                if root.is_none() { Err(returned("root", &root, "a state")) } else { Ok(root.unbind()) }
            });
            PyState(root, ROOT, None)
        })
    }

    #[inline]
    fn moves(&self, state: &PyState, moves: &mut Vec<PyMove>) {
        if let Some(listed) = &state.2 {
            let before = moves.len();
            Python::attach(|py| {
                self.ask(py, ("step", Some(state)), (), || {
                    moves.truncate(before);
                    collect(&self.guard, "step", listed.bind(py), moves)
                });
            });
            return;
        }
        self.list("moves", &self.functions.moves, state, moves);
    }

    #[inline]
    fn apply(&self, state: &mut PyState, mv: PyMove) {
        Python::attach(|py| {
            let name = if self.functions.step.is_some() { "step" } else { "apply" };
            let next = self.ask(py, (name, Some(state)), None, || {
                let before = state.0.bind(py);
                let (next, listed) = match &self.functions.step {
                    None => (self.functions.apply.bind(py).call1((before, mv.object(py)))?, None),
                    Some(step) => stepped(&self.guard, &step.bind(py).call1((before, mv.object(py)))?)?,
                };
                if next.is_none() {
                    return Err(returned(name, &next, "the next state"));
                }
                if next.is(before) {
                    let what = format!(
                        "{name} returned the state that it was given: it must leave that as it is and return a new one"
                    );
                    let way = locked(&self.line).to(state.1).unwrap_or_default();
                    return Err(broken(py, what, &way));
                }
                Ok(Some((next.unbind(), listed)))
            });
            if let Some((next, listed)) = next {
                *state = PyState(next, self.step(state.1, mv), listed);
            }
        });
    }

    fn score(&self, state: &PyState) -> Score {
        Python::attach(|py| {
            self.ask(py, ("score", Some(state)), Score::Infeasible(f64::MAX), || {
                let score = match self.functions.score.bind(py).call1((state.0.bind(py),)) {
                    Ok(score) => score,
                    Err(error) => {
                        return degree(error.value(py))?.map(Score::Infeasible).ok_or(error);
                    }
                };
                if score.is_exact_instance_of::<PyFloat>() || score.is_exact_instance_of::<PyInt>() {
                    return real("score", &score, "a number").map(Score::Feasible);
                }
                scored(&score)
            })
        })
    }

    fn sense(&self) -> Sense {
        if self.functions.minimize { Sense::Minimize } else { Sense::Maximize }
    }

    fn code(&self, state: &PyState, mv: PyMove) -> u64 {
        let Some(code) = &self.functions.code else { return mv.code() };
        Python::attach(|py| {
            self.ask(py, ("code", Some(state)), 0, || {
                let code = code.bind(py).call1((state.0.bind(py), mv.object(py)))?;
                number(&code).map_err(from("code"))
            })
        })
    }

    fn bound(&self, state: &PyState) -> Option<f64> {
        self.number_of("bound", self.functions.bound.as_ref(), state)
    }

    fn potential(&self, state: &PyState) -> Option<f64> {
        self.number_of("potential", self.functions.potential.as_ref(), state)
    }

    fn key(&self, state: &PyState) -> Option<Key> {
        let Some(key) = &self.functions.key else { return self.own_key(state) };
        Python::attach(|py| {
            self.ask(py, ("key", Some(state)), None, || {
                let key = key.bind(py).call1((state.0.bind(py),))?;
                if key.is_none() { Ok(None) } else { value::key(&key).map(Some).map_err(from("key")) }
            })
        })
    }

    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        self.functions.future.is_some().then_some(self as &dyn Dominance<Self>)
    }

    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        (self.functions.identity.is_some() && self.functions.find.is_some()).then_some(self as &dyn Ordering<Self>)
    }

    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        if self.functions.edit.is_some() {
            return Some(Self::own_edits());
        }
        self.functions.difference.is_some().then(|| Box::new(Exchanges::new()) as Box<dyn Neighborhood<Self>>)
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        self.functions.bias.is_some().then_some(self as &dyn Prior<Self>)
    }

    fn facts(&self) -> Facts {
        Facts {
            is_complete: self.functions.complete,
            reference: self.functions.reference,
            state_bytes: Some(self.functions.state_bytes),
            fault: Some(self.guard.fault.clone()),
            ..Facts::default()
        }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for PyProblem {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        let mut all = Vec::new();
        if self.functions.playout.is_some() {
            all.push(NamedRollout::new("playout", "the problem's own playout", |problem: &Self| {
                Box::new(Whole(Arc::clone(&problem.guard)))
            }));
        }
        if self.functions.candidates.is_some() {
            all.push(NamedRollout::new("candidates", "uniform over the candidates", |_| Box::new(Candidates)));
        }
        all
    }

    fn explain(&self) -> Option<&dyn Explain<Self>> {
        let Functions { parts, constraints, .. } = &*self.functions;
        (parts.is_some() || constraints.is_some()).then_some(self as &dyn Explain<Self>)
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(rounded_fingerprint(self))
    }
}

impl Explain<PyProblem> for PyProblem {
    fn parts(&self, state: &PyState) -> Vec<ScorePart> {
        let Some(parts) = &self.functions.parts else { return Vec::new() };
        Python::attach(|py| {
            self.ask(py, ("parts", Some(state)), Vec::new(), || {
                const EXPECTED: &str = "a dict of numbers";
                let found = parts.bind(py).call1((state.0.bind(py),))?;
                let items = found.call_method0("items").map_err(|_| returned("parts", &found, EXPECTED))?;
                let mut all: Vec<ScorePart> = Vec::new();
                for item in items.try_iter()? {
                    let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
                    all.push((name.str()?.to_string().into(), real("parts", &value, EXPECTED)?));
                }
                Ok(all)
            })
        })
    }

    fn constraints(&self) -> Vec<String> {
        let Some(constraints) = &self.functions.constraints else { return Vec::new() };
        Python::attach(|py| {
            self.guard.ask(py, Vec::new(), || {
                let found = constraints.bind(py).call0()?;
                found.extract().map_err(|_| returned("constraints", &found, "a list of str"))
            })
        })
    }

    fn relaxed(&self, kept: &[usize]) -> Option<Self> {
        let relaxed = self.functions.relaxed.as_ref()?;
        Python::attach(|py| {
            self.guard.ask(py, None, || {
                let functions: Option<Functions> = relaxed.bind(py).call1((PyList::new(py, kept)?,))?.extract()?;
                Ok(functions.map(|functions| Self::guarded(functions, Arc::clone(&self.guard))))
            })
        })
    }
}

impl Prior<PyProblem> for PyProblem {
    fn bias(&self, state: &PyState, mv: PyMove) -> f64 {
        let Some(bias) = &self.functions.bias else { return 0.0 };
        Python::attach(|py| {
            self.ask(py, ("bias", Some(state)), 0.0, || {
                real("bias", &bias.bind(py).call1((state.0.bind(py), mv.object(py)))?, "a number")
            })
        })
    }
}

impl Dominance<PyProblem> for PyProblem {
    fn future(&self, state: &PyState) -> (Key, f64) {
        let Some(future) = &self.functions.future else { return (0_u64.into(), 0.0) };
        Python::attach(|py| {
            self.ask(py, ("future", Some(state)), (0_u64.into(), 0.0), || {
                const EXPECTED: &str = "a pair of a key and the score so far";
                let pair = future.bind(py).call1((state.0.bind(py),))?;
                let Ok((key, cost)) = pair.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>() else {
                    return Err(returned("future", &pair, EXPECTED));
                };
                Ok((value::key(&key).map_err(from("future"))?, real("future", &cost, EXPECTED)?))
            })
        })
    }

    fn resources(&self, state: &PyState, resources: &mut Vec<f64>) {
        let Some(function) = &self.functions.resources else { return };
        let before = resources.len();
        Python::attach(|py| {
            self.ask(py, ("resources", Some(state)), (), || {
                resources.truncate(before);
                let list = function.bind(py).call1((state.0.bind(py),))?;
                for number in list.try_iter().map_err(|_| returned("resources", &list, "a list of numbers"))? {
                    resources.push(real("resources", &number?, "a list of numbers")?);
                }
                Ok(())
            });
        });
    }
}

impl Ordering<PyProblem> for PyProblem {
    fn identity(&self, state: &PyState, mv: PyMove) -> u64 {
        let Some(identity) = &self.functions.identity else { return 0 };
        Python::attach(|py| {
            self.ask(py, ("identity", Some(state)), 0, || {
                let value = identity.bind(py).call1((state.0.bind(py), mv.object(py)))?;
                match value.extract::<i64>() {
                    Ok(number) => Ok(number as u64),
                    Err(_) => Err(returned("identity", &value, "an int")),
                }
            })
        })
    }

    fn find(&self, state: &PyState, identity: u64) -> Found<PyMove> {
        let Some(find) = &self.functions.find else { return Found::Gone };
        Python::attach(|py| {
            self.ask(py, ("find", Some(state)), Found::Gone, || {
                let found = find.bind(py).call1((state.0.bind(py), identity as i64))?;
                if found.is_none() {
                    return Ok(Found::Gone);
                }
                if found.is(self.functions.blocked.bind(py)) {
                    return Ok(Found::Blocked);
                }
                PyMove::new(&found).map(Found::Move).map_err(from("find"))
            })
        })
    }

    fn link(&self, before: Option<u64>, behind: Option<u64>) -> Option<f64> {
        let function = self.functions.link.as_ref()?;
        let name = |identity: Option<u64>| identity.map(|identity| identity as i64);
        Python::attach(|py| {
            self.ask(py, ("link", None), None, || {
                let cost = function.bind(py).call1((name(before), name(behind)))?;
                if cost.is_none() { Ok(None) } else { real("link", &cost, "a number or None").map(Some) }
            })
        })
    }

    fn suggest(&self, moves: &[PyMove], edits: &mut Vec<(usize, usize)>) -> bool {
        let Some(function) = &self.functions.suggest else { return false };
        let before = edits.len();
        Python::attach(|py| {
            self.ask(py, ("suggest", None), (), || {
                edits.truncate(before);
                let played = PyList::new(py, moves.iter().map(|mv| mv.object(py)))?;
                let found = function.bind(py).call1((played,))?;
                let expected = || returned("suggest", &found, "a list of pairs of places (from, to)");
                for pair in found.try_iter().map_err(|_| expected())? {
                    let (source, target) = pair?.extract::<(i64, i64)>().map_err(|_| expected())?;
                    let place = |at: i64| usize::try_from(at).ok().filter(|&at| at < moves.len());
                    let (Some(source), Some(target)) = (place(source), place(target)) else {
                        return Err(PyValueError::new_err(format!(
                            "suggest returned ({source}, {target}): the places of {} moves are 0 to {}",
                            moves.len(),
                            moves.len().saturating_sub(1)
                        )));
                    };
                    edits.push((source, target));
                    // A generator may have no end.
                    if self.guard.gives_up() {
                        break;
                    }
                }
                Ok(())
            });
        });
        true
    }
}

/// Uniform over the moves that the function `candidates` names.
struct Candidates;

impl Rollout<PyProblem> for Candidates {
    fn candidates(&mut self, problem: &PyProblem, state: &PyState, moves: &mut Vec<PyMove>) {
        if let Some(candidates) = &problem.functions.candidates {
            problem.list("candidates", candidates, state, moves);
        }
    }
}

/// The function `playout`, which completes a state by itself.
struct Whole(Arc<Guard>);

impl Rollout<PyProblem> for Whole {
    fn candidates(&mut self, problem: &PyProblem, state: &PyState, moves: &mut Vec<PyMove>) {
        match &problem.functions.candidates {
            Some(candidates) => problem.list("candidates", candidates, state, moves),
            None => problem.moves(state, moves),
        }
    }

    fn run(&mut self, problem: &PyProblem, state: &mut PyState, playout: &mut Playout<PyMove>, rng: &mut Rng) {
        let Some(function) = &problem.functions.playout else { return };
        let seed = rng.next_u64();
        let before = playout.moves.len();
        Python::attach(|py| {
            problem.ask(py, ("playout", Some(state)), (), || {
                playout.moves.truncate(before);
                let random = problem.functions.random.bind(py).call1((seed,))?;
                let moves = function.bind(py).call1((state.0.bind(py), random))?;
                collect(&self.0, "playout", &moves, &mut playout.moves)
            });
        });
        for &mv in &playout.moves[before..] {
            problem.apply(state, mv);
        }
    }
}
