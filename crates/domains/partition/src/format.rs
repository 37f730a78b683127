//! The text format: one whole number a line.

use super::{MAX_BITS, MAX_NUMBERS, Numbers};
use num_bigint::BigUint;
use soloist_domain::InstanceError;
use soloist_domain::error::quote;
use soloist_domain::input::{lines, read_file_prefix, text_bytes};
use std::fmt::Write as _;
use std::path::Path;

/// Bytes of a file that are read at most: room for [`MAX_NUMBERS`] of the largest numbers.
const MAX_BYTES: usize = 8 << 20;
/// The digits of the largest number with [`MAX_BITS`] bits.
const MAX_DIGITS: usize = 1234;

/// Reads the file at `path`.
///
/// # Errors
/// A file that cannot be read, is larger than 8 MiB, or is refused by [`parse`].
pub fn read(path: &str) -> Result<Numbers, InstanceError> {
    let bytes = read_file_prefix(Path::new(path), MAX_BYTES)?;
    if bytes.len() > MAX_BYTES {
        return Err(InstanceError::new(path, "larger than 8 MiB, the most that is read"));
    }
    parse(path, &bytes)
}

/// Reads an instance from the text of a file; `name` is what errors call it.
///
/// Each line holds one whole number from 0 on, of any size up to [`MAX_BITS`] bits. Blank lines, text after `#`, a byte
/// order mark and `\r\n` are accepted.
///
/// # Errors
/// One line with the place and what was expected: no number at all, a line with more than one, something that is no
/// whole number or negative, more than [`MAX_NUMBERS`] numbers or [`MAX_BITS`] bits, binary data.
///
/// ```
/// use soloist_partition::parse;
/// assert_eq!(parse("a.dat", b"7\n9 # nine\n").unwrap().values().len(), 2);
/// let error = parse("a.dat", b"7\n-9\n").unwrap_err();
/// assert_eq!(error.to_string(), "a.dat: line 2: '-9' is negative, expected a whole number from 0 on");
/// ```
pub fn parse(name: &str, bytes: &[u8]) -> Result<Numbers, InstanceError> {
    let fail = |line: usize, message: String| InstanceError::new(name, message).with_line(line);
    let bytes = text_bytes(name, bytes)?;
    let mut numbers = Vec::new();
    for (line, text) in lines(bytes) {
        let text = text.split(|&byte| byte == b'#').next().unwrap_or_default();
        let mut fields = text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let Some(field) = fields.next() else { continue };
        let more = fields.count();
        if more > 0 {
            return Err(fail(line, format!("{} fields, expected one number", more + 1)));
        }
        if numbers.len() == MAX_NUMBERS {
            return Err(fail(line, format!("more than {MAX_NUMBERS} numbers, the most that are read")));
        }
        numbers.push(whole(field).map_err(|wrong| fail(line, wrong))?);
    }
    if numbers.is_empty() {
        return Err(InstanceError::new(name, "no numbers, expected one a line"));
    }
    Numbers::new(numbers).map_err(|message| InstanceError::new(name, message))
}

/// A whole number from 0 on, in digits only.
fn whole(field: &[u8]) -> Result<BigUint, String> {
    let shown = quote(field);
    if !field.iter().all(u8::is_ascii_digit) {
        let negative = field.len() > 1 && field[0] == b'-' && field[1..].iter().all(u8::is_ascii_digit);
        let what = if negative { " is negative" } else { "" };
        return Err(format!("{shown}{what}, expected a whole number from 0 on"));
    }
    let start = field.iter().position(|&digit| digit != b'0').unwrap_or(field.len() - 1);
    let large = || format!("{shown} has more than {MAX_BITS} bits, the most that are read");
    if field.len() - start > MAX_DIGITS {
        return Err(large());
    }
    let number = BigUint::parse_bytes(&field[start..], 10)
        .ok_or_else(|| format!("{shown}, expected a whole number from 0 on"))?;
    if number.bits() > MAX_BITS { Err(large()) } else { Ok(number) }
}

/// Returns the instance as the text of a file: one number a line.
#[must_use]
pub fn write(numbers: &Numbers) -> String {
    let mut text = String::new();
    for number in numbers.values() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{number}");
    }
    text
}
