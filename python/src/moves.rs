//! Python moves as the small copyable values that the engine works with.

use crate::value::{decode, encode_move, from_json, to_json};
use pyo3::prelude::*;
use pyo3::types::PyInt;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use soloist::problem::stable_hash;
use soloist::problem::{Move, MoveReader, MoveWriter};
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// A move: an int of less than 62 bits as it is, any other plain value by its place in a table of the process.
///
/// The table only grows. Problems have few different moves, and their values are small.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct PyMove(i64);

/// By value: places in the table differ from process to process.
impl Hash for PyMove {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.in_table() {
            None => self.0.hash(state),
            Some(at) => {
                let bytes = Arc::clone(&table().entries[at].bytes);
                bytes.hash(state);
            }
        }
    }
}

/// As Python shows it, for messages of the engine.
impl std::fmt::Debug for PyMove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = Python::attach(|py| self.object(py).repr().map(|text| text.to_string()));
        f.write_str(shown.as_deref().unwrap_or("?"))
    }
}

/// Ints are above, places in the table below.
const LEAST: i64 = -(1 << 62);

/// A value in the table.
struct Entry {
    bytes: Arc<[u8]>,
    object: Py<PyAny>,
    code: u64,
    /// The address of the object's type.
    kind: usize,
    /// The object was made from bytes: one that the problem itself makes replaces it, which may be of a richer type.
    is_read: bool,
}

#[derive(Default)]
struct Table {
    entries: Vec<Entry>,
    places: HashMap<Arc<[u8]>, usize>,
}

static TABLE: LazyLock<Mutex<Table>> = LazyLock::new(Mutex::default);

/// No Python code runs while the table is locked.
fn table() -> MutexGuard<'static, Table> {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PyMove {
    /// Returns the move that a Python object is.
    #[inline]
    pub(crate) fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.is_exact_instance_of::<PyInt>()
            && let Ok(value) = object.extract::<i64>()
            && (LEAST..=-LEAST).contains(&value)
        {
            return Ok(Self(value));
        }
        let mut bytes = Vec::with_capacity(64);
        encode_move(object, &mut bytes)?;
        Ok(Self::place(bytes, object, false))
    }

    fn place(bytes: Vec<u8>, object: &Bound<'_, PyAny>, is_read: bool) -> Self {
        let kind = object.get_type().as_ptr() as usize;
        let object = object.clone().unbind();
        let mut table = table();
        if let Some(&at) = table.places.get(&bytes[..]) {
            let entry = &mut table.entries[at];
            // Another problem may have made the number as a member of IntEnum, or by another library.
            if !is_read && (entry.is_read || entry.kind != kind) {
                (entry.is_read, entry.kind) = (false, kind);
                let old = std::mem::replace(&mut entry.object, object);
                drop(table);
                drop(old);
            }
            return Self(i64::MIN + at as i64);
        }
        let at = table.entries.len();
        let bytes: Arc<[u8]> = bytes.into();
        table.places.insert(Arc::clone(&bytes), at);
        table.entries.push(Entry { code: stable_hash(&bytes[..]), bytes, object, kind, is_read });
        Self(i64::MIN + at as i64)
    }

    fn in_table(self) -> Option<usize> {
        (self.0 < LEAST).then(|| (self.0 - i64::MIN) as usize)
    }

    /// Returns the object that the problem made.
    #[inline]
    pub(crate) fn object<'py>(self, py: Python<'py>) -> Bound<'py, PyAny> {
        match self.in_table() {
            None => PyInt::new(py, self.0).into_any(),
            Some(at) => table().entries[at].object.clone_ref(py).into_bound(py),
        }
    }

    /// Returns the default address of the move for policies: a hash of its value.
    pub(crate) fn code(self) -> u64 {
        match self.in_table() {
            None => stable_hash(&self.0),
            Some(at) => table().entries[at].code,
        }
    }

    /// Whether an object from outside the problem, such as a list read from JSON, has the value of this move.
    pub(crate) fn has_value(self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        if self == Self::new(object)? {
            return Ok(true);
        }
        // A member of IntEnum and its number, True and 1.
        self.object(object.py()).eq(object)
    }
}

/// An int as a number, a value as its bytes.
impl Move for PyMove {
    fn pack(self, to: &mut impl MoveWriter) {
        let at = self.in_table();
        to.bits(at.is_some().into(), 1);
        match at {
            None => self.0.pack(to),
            Some(at) => {
                let bytes = Arc::clone(&table().entries[at].bytes);
                to.bytes(&bytes);
            }
        }
    }

    fn unpack(from: &mut impl MoveReader) -> Option<Self> {
        if from.bits(1)? == 0 {
            return i64::unpack(from).filter(|value| (LEAST..=-LEAST).contains(value)).map(Self);
        }
        let bytes = from.bytes()?;
        Python::attach(|py| {
            let object = decode(py, &bytes)?.into_bound(py);
            Some(Self::place(bytes, &object, true))
        })
    }
}

/// As JSON has it, for records of runs.
impl Serialize for PyMove {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Python::attach(|py| to_json(&self.object(py))).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PyMove {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Python::attach(|py| Self::new(&from_json(py, &value)?)).map_err(D::Error::custom)
    }
}
