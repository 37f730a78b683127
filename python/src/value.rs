//! Plain Python values as bytes: the same bytes for equal values, on every machine and in every run.
//!
//! Moves, codes and keys come as Python objects. Python's own hashes of texts change from process to process, so the
//! engine gets numbers that are made of these bytes.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyFrozenSet, PyInt, PyList, PySet, PyString, PyTuple};
use serde_json::{Value, json};
use soloist::problem::{Key, stable_hash};

/// How deep tuples may be nested.
const DEPTH: usize = 32;

/// What [`encode`] accepts, for messages.
pub(crate) const PLAIN: &str = "an int, a float, a bool, a str, bytes, None or a tuple or list of these";

/// Appends the bytes of a value; lists count as tuples, sets are sorted.
pub(crate) fn encode(value: &Bound<'_, PyAny>, bytes: &mut Vec<u8>) -> PyResult<()> {
    encode_at(value, bytes, 0, true)
}

/// Appends the bytes of a move. Sets are refused: the order of their items differs where they are equal, and JSON has
/// none.
pub(crate) fn encode_move(value: &Bound<'_, PyAny>, bytes: &mut Vec<u8>) -> PyResult<()> {
    encode_at(value, bytes, 0, false)
}

fn encode_at(value: &Bound<'_, PyAny>, bytes: &mut Vec<u8>, depth: usize, has_sets: bool) -> PyResult<()> {
    if depth > DEPTH {
        return Err(PyValueError::new_err(format!("a tuple that is nested deeper than {DEPTH}")));
    }
    let mut sized = |tag: u8, content: &[u8]| {
        bytes.push(tag);
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend(content);
    };
    if value.is_none() {
        bytes.push(b'n');
    } else if let Ok(flag) = value.cast::<PyBool>() {
        bytes.push(if flag.is_true() { b't' } else { b'f' });
    } else if value.is_instance_of::<PyFloat>() {
        let number: f64 = value.extract()?;
        bytes.push(b'd');
        // 0.0 and -0.0 are equal.
        bytes.extend((number + 0.0).to_bits().to_le_bytes());
    } else if let Ok(text) = value.cast::<PyString>() {
        sized(b's', text.to_cow()?.as_bytes());
    } else if let Ok(raw) = value.cast::<PyBytes>() {
        sized(b'b', raw.as_bytes());
    } else if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        bytes.push(b'(');
        bytes.extend((value.len()? as u64).to_le_bytes());
        for item in value.try_iter()? {
            encode_at(&item?, bytes, depth + 1, has_sets)?;
        }
    } else if has_sets && (value.is_instance_of::<PyFrozenSet>() || value.is_instance_of::<PySet>()) {
        let mut all = Vec::new();
        for item in value.try_iter()? {
            let mut one = Vec::new();
            encode_at(&item?, &mut one, depth + 1, has_sets)?;
            all.push(one);
        }
        all.sort_unstable();
        bytes.push(b'{');
        bytes.extend((all.len() as u64).to_le_bytes());
        bytes.extend(all.concat());
    } else if let Ok(number) = value.extract::<i64>() {
        // Integers of other libraries as well.
        bytes.push(b'i');
        bytes.extend(number.to_le_bytes());
    } else if value.is_instance_of::<PyInt>() {
        sized(b'I', value.str()?.to_cow()?.as_bytes());
    } else {
        let kind = value.get_type().name()?;
        return Err(PyTypeError::new_err(format!("expected {PLAIN}, got {kind}{}", way_out(value))));
    }
    Ok(())
}

/// Says what a value that is refused can be written as, where that is known.
fn way_out(value: &Bound<'_, PyAny>) -> &'static str {
    let has = |name: &str| value.hasattr(name).unwrap_or(false);
    if value.is_instance_of::<PyFrozenSet>() || value.is_instance_of::<PySet>() {
        ": use a sorted tuple of its items"
    } else if has("_name_") && has("_value_") {
        ": use its `.value`, or derive the class from enum.IntEnum"
    } else if has("__dataclass_fields__") {
        ": use a NamedTuple, or a tuple of its fields"
    } else if has("tolist") {
        ": use its `.item()`, or `.tolist()` as a tuple"
    } else {
        ""
    }
}

/// Returns the value of bytes that [`encode`] made; `None`: they are not.
pub(crate) fn decode(py: Python<'_>, mut bytes: &[u8]) -> Option<Py<PyAny>> {
    let value = decode_at(py, &mut bytes, 0)?;
    bytes.is_empty().then(|| value.unbind())
}

fn decode_at<'py>(py: Python<'py>, bytes: &mut &[u8], depth: usize) -> Option<Bound<'py, PyAny>> {
    if depth > DEPTH {
        return None;
    }
    let (&tag, rest) = bytes.split_first()?;
    *bytes = rest;
    let object = match tag {
        b'n' => py.None().into_bound(py),
        b't' | b'f' => PyBool::new(py, tag == b't').to_owned().into_any(),
        b'd' => PyFloat::new(py, f64::from_bits(word(bytes)?)).into_any(),
        b'i' => (word(bytes)? as i64).into_pyobject(py).ok()?.into_any(),
        b's' => PyString::new(py, std::str::from_utf8(content(bytes)?).ok()?).into_any(),
        b'b' => PyBytes::new(py, content(bytes)?).into_any(),
        b'I' => py.get_type::<PyInt>().call1((std::str::from_utf8(content(bytes)?).ok()?,)).ok()?,
        b'(' | b'{' => {
            let count = word(bytes)?;
            // Each item has a byte or more, so that a damaged count cannot ask for memory.
            if count > bytes.len() as u64 {
                return None;
            }
            let items: Option<Vec<_>> = (0..count).map(|_| decode_at(py, bytes, depth + 1)).collect();
            let tuple = PyTuple::new(py, items?).ok()?;
            if tag == b'(' { tuple.into_any() } else { PyFrozenSet::new(py, tuple.iter()).ok()?.into_any() }
        }
        _ => return None,
    };
    Some(object)
}

fn word(bytes: &mut &[u8]) -> Option<u64> {
    let (head, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*head))
}

fn content<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = usize::try_from(word(bytes)?).ok()?;
    let (content, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(content)
}

/// Returns a plain value as JSON has it: bytes and sets become objects of one entry.
pub(crate) fn to_json(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let list = || value.try_iter()?.map(|item| to_json(&item?)).collect::<PyResult<Vec<_>>>();
    Ok(if value.is_none() {
        Value::Null
    } else if let Ok(flag) = value.cast::<PyBool>() {
        flag.is_true().into()
    } else if value.is_instance_of::<PyFloat>() {
        let number: f64 = value.extract()?;
        serde_json::Number::from_f64(number).map_or_else(|| json!({ "float": number.to_string() }), Value::Number)
    } else if let Ok(text) = value.cast::<PyString>() {
        text.to_cow()?.into_owned().into()
    } else if let Ok(raw) = value.cast::<PyBytes>() {
        let hex: String = raw.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        json!({ "bytes": hex })
    } else if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        list()?.into()
    } else if value.is_instance_of::<PyFrozenSet>() || value.is_instance_of::<PySet>() {
        json!({ "set": list()? })
    } else if let Ok(number) = value.extract::<i64>() {
        number.into()
    } else {
        json!({ "int": value.str()?.to_cow()? })
    })
}

/// Returns the value that [`to_json`] has written; lists come back as tuples.
pub(crate) fn from_json<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let items = |list: &Vec<Value>| list.iter().map(|item| from_json(py, item)).collect::<PyResult<Vec<_>>>();
    let unknown = || PyValueError::new_err(format!("expected {PLAIN}"));
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.into_pyobject(py)?.into_any(),
            None => PyFloat::new(py, number.as_f64().ok_or_else(unknown)?).into_any(),
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(list) => PyTuple::new(py, items(list)?)?.into_any(),
        Value::Object(entry) => match entry.iter().next().map(|(kind, value)| (kind.as_str(), value)) {
            Some(("bytes", Value::String(hex))) => py.get_type::<PyBytes>().call_method1("fromhex", (hex,))?,
            Some(("int", Value::String(digits))) => py.get_type::<PyInt>().call1((digits,))?,
            Some(("float", Value::String(text))) => py.get_type::<PyFloat>().call1((text,))?,
            Some(("set", Value::Array(list))) => PyFrozenSet::new(py, items(list)?)?.into_any(),
            _ => return Err(unknown()),
        },
    })
}

/// Returns the key of a plain value: values that are equal as bytes, and no others, have equal keys.
pub(crate) fn key(value: &Bound<'_, PyAny>) -> PyResult<Key> {
    if value.is_exact_instance_of::<PyInt>()
        && let Ok(number) = value.extract::<i64>()
    {
        return Ok(Key::from(number as u64));
    }
    let mut bytes = Vec::with_capacity(64);
    encode(value, &mut bytes)?;
    Ok(Key::of(&bytes[..]))
}

/// Returns a whole number from 0 to `count` - 1 that follows from the plain values `known` alone: the same in every
/// process and on every machine. It is for games with chance whose draws belong to the instance: `known` is a seed and
/// the step.
///
/// >>> import soloist
/// >>> [soloist.draw(6, "dice", 1, step) for step in range(8)]
/// [2, 1, 1, 5, 4, 4, 3, 4]
#[pyfunction]
#[pyo3(signature = (count, /, *known))]
pub(crate) fn draw(count: u64, known: &Bound<'_, PyTuple>) -> PyResult<u64> {
    if count == 0 {
        return Err(PyValueError::new_err("draw: expected a count of 1 or more, got 0"));
    }
    Ok(soloist::Rng::new(number(known)?).below(count))
}

/// Returns a number for a code or an identity: an int as it is, another plain value by a hash of its bytes.
pub(crate) fn number(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    if value.is_exact_instance_of::<PyInt>() {
        if let Ok(number) = value.extract::<i64>() {
            return Ok(number as u64);
        }
        if let Ok(number) = value.extract::<u64>() {
            return Ok(number);
        }
    }
    let mut bytes = Vec::with_capacity(64);
    encode(value, &mut bytes)?;
    Ok(stable_hash(&bytes[..]))
}
