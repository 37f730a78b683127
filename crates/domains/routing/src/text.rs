//! What the readers of all formats share: numbers and files.

use soloist_domain::InstanceError;
use soloist_domain::error::quote;
use soloist_domain::input::{read_file_prefix, text_bytes};
use std::path::Path;

/// Bytes of a file that are read at most: room for an explicit table of 4,001 sites.
pub(crate) const MAX_BYTES: usize = 192 << 20;
/// The largest absolute value of a number in a file.
pub(crate) const MAX_NUMBER: f64 = 1e9;
/// The largest demand, capacity or number of vehicles.
pub(crate) const MAX_COUNT: u32 = 1_000_000_000;

/// Returns the content of the file at `path`, no more than [`MAX_BYTES`].
pub(crate) fn read_all(path: &str) -> Result<Vec<u8>, InstanceError> {
    let bytes = read_file_prefix(Path::new(path), MAX_BYTES)?;
    if bytes.len() > MAX_BYTES {
        return Err(InstanceError::new(path, "larger than 192 MiB, the most that is read"));
    }
    Ok(bytes)
}

/// Returns the bytes as text.
pub(crate) fn text_of<'a>(name: &str, bytes: &'a [u8]) -> Result<std::borrow::Cow<'a, str>, InstanceError> {
    Ok(String::from_utf8_lossy(text_bytes(name, bytes)?))
}

/// Whether a word looks like a number: digits with a sign, a point or an exponent behind them (`e6` is a name).
pub(crate) fn is_numeric(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte))
}

/// Returns a number of at most [`MAX_NUMBER`] either way.
pub(crate) fn number(word: &str, what: &str) -> Result<f64, String> {
    let value = word.parse::<f64>().ok().filter(|_| is_numeric(word));
    let value = value.ok_or_else(|| format!("{what} {}, expected a number", quote(word.as_bytes())))?;
    if value.is_nan() || value.abs() > MAX_NUMBER {
        return Err(format!("{what} {} is beyond {MAX_NUMBER:e}, the largest number read", quote(word.as_bytes())));
    }
    // No negative zero.
    Ok(value + 0.0)
}

/// Returns a number from 0 on.
pub(crate) fn magnitude(word: &str, what: &str) -> Result<f64, String> {
    let value = number(word, what)?;
    if value < 0.0 { Err(format!("{what} {} is negative", quote(word.as_bytes()))) } else { Ok(value) }
}

/// Returns a whole number from 0 on; `10.0` is one.
pub(crate) fn count(word: &str, what: &str) -> Result<u32, String> {
    let value = magnitude(word, what)?;
    if value.fract() != 0.0 {
        return Err(format!("{what} {}, expected a whole number", quote(word.as_bytes())));
    }
    // At most 10^9.
    Ok(value as u32)
}
