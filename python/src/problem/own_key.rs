//! States that are their own keys.

use super::met::Met;
use super::{PyProblem, PyState};
use crate::live::locked;
use crate::moves::PyMove;
use crate::value::encode;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyFrozenSet, PyInt, PyList, PyString, PyTuple, PyType};
use soloist::problem::Key;
use soloist::{Problem, Rng};
use std::collections::HashSet;
use std::sync::atomic::Ordering;

/// Moves of the game; places of it from which small trees are played, their depth, and moves of each state.
const LONGEST: usize = 2_000;
const PLACES: usize = 3;
const DEPTH: usize = 3;
const WIDTH: usize = 3;
/// States of the game that are made again with sets in another order.
const REMADE: usize = 16;
/// How deep values may be nested.
const NESTED: usize = 16;
/// Moves that are listed at most: with more, a look at the states would take too long.
const LISTED: usize = 100_000;

impl PyProblem {
    /// Returns the state's value as its key, where that is found to be worth its time.
    pub(super) fn own_key(&self, state: &PyState) -> Option<Key> {
        if self.own_keys.is_off.load(Ordering::Relaxed) || !self.met().are_keys() {
            return None;
        }
        self.value_key(state)
    }

    /// Leaves states without keys while `work` looks at what was written.
    pub(crate) fn without_own_keys<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.own_keys.is_off.swap(true, Ordering::Relaxed);
        let done = work();
        self.own_keys.is_off.store(before, Ordering::Relaxed);
        done
    }

    /// Counts equal states, once.
    pub(crate) fn met(&self) -> Met {
        *self.own_keys.met.get_or_init(|| {
            // The game that is played now goes on after this.
            let way = locked(&self.line).clone();
            let met = self.count().unwrap_or_default();
            locked(&self.line).resume(way);
            if self.guard.gives_up() { Met::default() } else { met }
        })
    }

    /// Plays a random game, and small trees from some of its states. `None`: nothing is known of their equality.
    fn count(&self) -> Option<Met> {
        let mut rng = Rng::new(0);
        let (mut states, mut moves, mut seen) = (vec![self.root()], Vec::new(), HashSet::new());
        let (mut are_comparable, mut left) = (true, LISTED);
        loop {
            let last = &states[states.len() - 1];
            // A state that returns is none that a key may stand for: the same moves lead on without an end.
            let (key, is_plain) = self.content(last)?;
            are_comparable &= is_plain;
            if !seen.insert(key.id()) {
                return None;
            }
            moves.clear();
            self.moves(last, &mut moves);
            left = left.checked_sub(moves.len())?;
            if moves.is_empty() || states.len() > LONGEST || self.guard.gives_up() {
                break;
            }
            are_comparable &= states.len() > REMADE || self.is_remade(last, &moves);
            let mut next = last.clone();
            self.apply(&mut next, moves[rng.index(moves.len())]);
            states.push(next);
        }
        let mut met = Met { are_comparable, ..Met::default() };
        for place in 0..PLACES {
            let mut seen = HashSet::new();
            let begin = &states[(states.len() - 1) * place / PLACES];
            self.spread(begin, &[], DEPTH, &mut left, &mut seen, &mut met)?;
        }
        Some(met)
    }

    /// Plays moves from a state, first those that its parent has tried as well: they lead to equal states most often.
    fn spread(
        &self,
        state: &PyState,
        tried: &[PyMove],
        depth: usize,
        left: &mut usize,
        seen: &mut HashSet<u128>,
        met: &mut Met,
    ) -> Option<()> {
        if depth == 0 || self.guard.gives_up() {
            return Some(());
        }
        let mut legal = Vec::new();
        self.moves(state, &mut legal);
        *left = left.checked_sub(legal.len())?;
        let mut chosen: Vec<PyMove> = tried.iter().copied().filter(|mv| legal.contains(mv)).collect();
        let stride = (legal.len() / WIDTH).max(1);
        chosen.extend(legal.iter().step_by(stride).filter(|mv| !tried.contains(mv)));
        chosen.truncate(WIDTH);
        for &mv in &chosen {
            let mut next = state.clone();
            self.apply(&mut next, mv);
            met.states += 1;
            met.again += usize::from(!seen.insert(self.content(&next)?.0.id()));
            self.spread(&next, &chosen, depth - 1, left, seen, met)?;
        }
        Some(())
    }

    /// Returns the key of a state's value; `None`: it is compared by its identity, or not known how.
    fn value_key(&self, state: &PyState) -> Option<Key> {
        Python::attach(|py| {
            let mut bytes = Vec::with_capacity(64);
            match write(state.0.bind(py), &mut bytes, NESTED) {
                Ok(true) => Some(Key::of(&bytes[..])),
                Ok(false) | Err(_) => None,
            }
        })
    }

    /// Returns the key of what a state holds, and whether that is its value; otherwise it is what pickle writes.
    fn content(&self, state: &PyState) -> Option<(Key, bool)> {
        if let Some(key) = self.value_key(state) {
            return Some((key, true));
        }
        Python::attach(|py| {
            let pickle = py.import("pickle").ok()?;
            let bytes = pickle.call_method1("dumps", (state.0.bind(py),)).ok()?;
            Some((Key::of(bytes.cast::<PyBytes>().ok()?.as_bytes()), false))
        })
    }

    /// Whether a state with sets lists the same moves if the sets were made in another order: equal sets list their
    /// items in different ones.
    fn is_remade(&self, state: &PyState, moves: &[PyMove]) -> bool {
        Python::attach(|py| match remade(state.0.bind(py)) {
            Ok(Some(other)) => {
                let mut again = Vec::new();
                self.moves(&PyState(other.unbind(), super::UNKNOWN, None), &mut again);
                again == moves
            }
            Ok(None) => true,
            Err(_) => false,
        })
    }
}

/// Appends the bytes of a state that is compared by value. Returns false where it is not.
fn write(value: &Bound<'_, PyAny>, bytes: &mut Vec<u8>, depth: usize) -> PyResult<bool> {
    if depth == 0 {
        return Ok(false);
    }
    let list = |tag: u8, items: &Bound<'_, PyAny>, bytes: &mut Vec<u8>| {
        bytes.push(tag);
        bytes.extend((items.len()? as u64).to_le_bytes());
        for item in items.try_iter()? {
            if !write(&item?, bytes, depth - 1)? {
                return Ok(false);
            }
        }
        PyResult::Ok(true)
    };
    if value.is_exact_instance_of::<PyInt>() {
        if let Ok(number) = value.extract::<i64>() {
            bytes.push(b'i');
            bytes.extend(number.to_le_bytes());
            return Ok(true);
        }
    } else if let Ok(tuple) = value.cast_exact::<PyTuple>() {
        bytes.push(b'(');
        bytes.extend((tuple.len() as u64).to_le_bytes());
        for item in tuple.iter_borrowed() {
            if !write(&item, bytes, depth - 1)? {
                return Ok(false);
            }
        }
        return Ok(true);
    } else if value.is_exact_instance_of::<PyList>() {
        return list(b'(', value, bytes);
    } else if let Ok(set) = value.cast_exact::<PyFrozenSet>() {
        if let Some(numbers) = integers(set) {
            bytes.push(b'#');
            bytes.extend((numbers.len() as u64).to_le_bytes());
            numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            return Ok(true);
        }
        let mut all = Vec::new();
        for item in value.try_iter()? {
            let mut one = Vec::new();
            if !write(&item?, &mut one, depth - 1)? {
                return Ok(false);
            }
            all.push(one);
        }
        all.sort_unstable();
        bytes.push(b'{');
        bytes.extend((all.len() as u64).to_le_bytes());
        bytes.extend(all.concat());
        return Ok(true);
    }
    let is_plain = value.is_none()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyBytes>();
    if is_plain {
        encode(value, bytes)?;
        return Ok(true);
    }
    let kind = value.get_type();
    let mut named = |what: &Bound<'_, PyAny>, tag: u8| {
        bytes.push(tag);
        let name = kind.fully_qualified_name()?.to_string();
        bytes.extend((name.len() as u64).to_le_bytes());
        bytes.extend(name.as_bytes());
        list(b'(', what, bytes)
    };
    if value.is_instance_of::<PyTuple>() && value.hasattr("_fields")? && !value.hasattr("__dict__")? {
        return named(value, b'N');
    }
    if let Ok(parameters) = kind.getattr("__dataclass_params__")
        && parameters.getattr("frozen")?.is_truthy()?
        && parameters.getattr("eq")?.is_truthy()?
    {
        let fields = kind.getattr("__dataclass_fields__")?;
        let parts = fields.try_iter()?.map(|name| value.getattr(name?.cast_into::<PyString>()?));
        return named(PyTuple::new(value.py(), parts.collect::<PyResult<Vec<_>>>()?)?.as_any(), b'D');
    }
    if value.hasattr("_value_")? && value.hasattr("_name_")? {
        // Members of a `Flag` that are made of others have no name in CPython 3.10.
        let name = value.getattr("_name_")?;
        let name = if name.is_none() { value.getattr("_value_")? } else { name };
        return named(PyTuple::new(value.py(), [name])?.as_any(), b'E');
    }
    // A class with a comparison of its own: equal attributes are more than it asks for.
    let object = value.py().get_type::<PyAny>();
    let own =
        |name: &str| PyResult::Ok(!kind.getattr(name)?.is_none() && !kind.getattr(name)?.is(&object.getattr(name)?));
    let is_all = own("__eq__")? && own("__hash__")? && value.hasattr("__dict__")? && !kind.hasattr("__slots__")?;
    if is_all && holds_attributes_only(&kind)? {
        let parts = value.getattr("__dict__")?.call_method0("items")?;
        let mut parts: Vec<Bound<'_, PyAny>> = parts.try_iter()?.collect::<PyResult<_>>()?;
        parts.sort_by_cached_key(|part| part.get_item(0).map(|name| name.to_string()).unwrap_or_default());
        return named(PyTuple::new(value.py(), parts)?.as_any(), b'O');
    }
    Ok(false)
}

/// Whether objects of a class hold nothing but their `__dict__`. Those of a class derived from `tuple`, `dict` or
/// another one written in C hold more, and are larger than those of a class without bases.
fn holds_attributes_only(kind: &Bound<'_, PyType>) -> PyResult<bool> {
    static PLAIN: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let py = kind.py();
    let plain = PLAIN.get_or_try_init(py, || {
        let class = py.get_type::<PyType>().call1(("Plain", PyTuple::empty(py), PyDict::new(py)))?;
        PyResult::Ok(class.cast_into::<PyType>()?.unbind())
    })?;
    for size in ["__basicsize__", "__itemsize__"] {
        if !kind.getattr(size)?.eq(plain.getattr(py, size)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the integers of a set in their order; `None`: it holds other values.
fn integers(set: &Bound<'_, PyFrozenSet>) -> Option<Vec<i64>> {
    let mut numbers = Vec::with_capacity(set.len());
    for item in set.iter() {
        if !item.is_exact_instance_of::<PyInt>() {
            return None;
        }
        numbers.push(item.extract::<i64>().ok()?);
    }
    numbers.sort_unstable();
    Some(numbers)
}

/// Makes a value again with its sets filled in another order. `None`: it has no sets.
fn remade<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = value.py();
    if value.is_exact_instance_of::<PyFrozenSet>() {
        let mut items: Vec<_> = value.try_iter()?.collect::<PyResult<_>>()?;
        items.reverse();
        return Ok(Some(PyFrozenSet::new(py, items)?.into_any()));
    }
    let is_list = value.is_instance_of::<PyTuple>() || value.is_exact_instance_of::<PyList>();
    let kind = value.get_type();
    if !is_list && !kind.hasattr("__dataclass_fields__")? {
        return Ok(None);
    }
    let parts: Vec<Bound<'_, PyAny>> = if is_list {
        value.try_iter()?.collect::<PyResult<_>>()?
    } else {
        let fields = kind.getattr("__dataclass_fields__")?;
        fields.try_iter()?.map(|name| value.getattr(name?.cast_into::<PyString>()?)).collect::<PyResult<_>>()?
    };
    let mut has_sets = false;
    let mut others = Vec::new();
    for part in &parts {
        let other = remade(part)?;
        has_sets |= other.is_some();
        others.push(other.unwrap_or_else(|| part.clone()));
    }
    if !has_sets {
        return Ok(None);
    }
    let others = PyTuple::new(py, others)?;
    Ok(Some(if value.is_exact_instance_of::<PyTuple>() {
        others.into_any()
    } else if value.is_exact_instance_of::<PyList>() {
        PyList::new(py, others.iter())?.into_any()
    } else {
        // A named tuple or a data class. One whose constructor takes something else is not compared.
        kind.call1(others)?
    }))
}
