//! The `.rpa` text format: a name, `T W H`, then `T` lines `demand r_int r_ext [value]`.

use super::{MAX_TUBES, MAX_TYPES, Order, SIDES, Tube, check_tube};
use soloist_domain::InstanceError;
use soloist_domain::error::quote;
use soloist_domain::input::{lines, read_file_prefix, text_bytes};
use std::fmt::Write as _;
use std::path::Path;

/// Bytes of a file that are read at most: far above what [`MAX_TYPES`] lines take.
const MAX_BYTES: usize = 1 << 20;

/// Reads the file at `path`.
///
/// # Errors
/// A file that cannot be read, is larger than 1 MiB, or is refused by [`parse`].
pub fn read(path: &str) -> Result<Order, InstanceError> {
    let bytes = read_file_prefix(Path::new(path), MAX_BYTES)?;
    if bytes.len() > MAX_BYTES {
        return Err(InstanceError::new(path, "larger than 1 MiB, the most that is read"));
    }
    parse(path, &bytes)
}

/// Reads an instance from the text of a file; `name` is what errors call it.
///
/// The first line that is not blank is the instance's name. Then follow the number of types, the width and the height
/// of the container, and for each type a line with the demand, the inner radius, the outer radius and, in all lines or
/// in none, the value of one tube. Numbers are separated by blanks or tabs. Blank lines, text after `#` (except in the
/// name), a byte order mark and `\r\n` are accepted.
///
/// # Errors
/// One line with the place and what was expected: missing or surplus lines or fields, text instead of a number, and
/// what [`Order::new`] refuses.
///
/// ```
/// use soloist_packing::parse;
/// let order = parse("a.rpa", b"two sizes\n2 10 5.5\n3 0.8 1.0\n9 0 0.5\n").unwrap();
/// assert_eq!((order.width(), order.tubes()[0].inner), (10.0, 0.8));
/// let error = parse("a.rpa", b"two sizes\n2 10 5.5\n3 0.8 1.0\n").unwrap_err();
/// assert_eq!(error.to_string(), "a.rpa: line 3: the file ends after 1 of 2 types");
/// ```
pub fn parse(name: &str, bytes: &[u8]) -> Result<Order, InstanceError> {
    let fail = |line: usize, message: String| InstanceError::new(name, message).with_line(line);
    let bytes = text_bytes(name, bytes)?;
    let mut title: Option<String> = None;
    let mut header: Option<(usize, f64, f64)> = None;
    let mut tubes: Vec<Tube> = Vec::new();
    let mut total = 0;
    let mut last = 1;
    for (number, line) in lines(bytes) {
        if title.is_none() {
            title = read_title(line).map_err(|wrong| fail(number, wrong))?;
            if title.is_some() {
                last = number;
            }
            continue;
        }
        let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let fields: Vec<&[u8]> =
            text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).take(6).collect();
        let Some(first) = fields.first() else { continue };
        last = number;
        let Some((count, width, height)) = header else {
            header = Some(read_header(&fields).map_err(|wrong| fail(number, wrong))?);
            continue;
        };
        if tubes.len() == count {
            return Err(fail(number, format!("{} after the last of {count} types", quote(first))));
        }
        let tube = read_tube(&fields, width.max(height)).map_err(|wrong| fail(number, wrong))?;
        total += u64::from(tube.demand);
        if total > MAX_TUBES {
            return Err(fail(number, format!("{total} tubes up to here, at most {MAX_TUBES} are read")));
        }
        if let Some(first) = tubes.first()
            && first.value.is_some() != tube.value.is_some()
        {
            let (here, before) = if tube.value.is_some() { ("a", "none") } else { ("no", "one") };
            return Err(fail(number, format!("{here} value, but {before} in the line of the first type")));
        }
        tubes.push(tube);
    }
    let Some(title) = title else {
        return Err(InstanceError::new(name, "no text, expected the instance's name in the first line"));
    };
    let Some((count, width, height)) = header else {
        return Err(fail(last, "the file ends after the name, expected the number of types, width and height".into()));
    };
    if tubes.len() < count {
        return Err(fail(last, format!("the file ends after {} of {count} types", tubes.len())));
    }
    Order::new(&title, width, height, tubes).map_err(|message| InstanceError::new(name, message))
}

/// The instance's name; `None` in a blank line.
fn read_title(line: &[u8]) -> Result<Option<String>, String> {
    let text = std::str::from_utf8(line).map_err(|_| "the name is not UTF-8 text")?.trim();
    if text.chars().any(char::is_control) {
        return Err("control characters in the name".into());
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// The number of types, the width and the height.
fn read_header(fields: &[&[u8]]) -> Result<(usize, f64, f64), String> {
    let &[count, width, height] = fields else {
        return Err(format!("{}, expected 3: number of types, width and height", shown(fields.len())));
    };
    let count = whole(count, MAX_TYPES as u64).map_err(|wrong| format!("number of types {wrong}"))?;
    let side = |what: &str, field: &[u8]| {
        let side = real(field).map_err(|wrong| format!("{what} {wrong}"))?;
        let is_sound = SIDES.contains(&side);
        is_sound.then_some(side).ok_or_else(|| format!("{what} {}, expected 1e-9 to 1e9", quote(field)))
    };
    Ok((count as usize, side("width", width)?, side("height", height)?))
}

/// A type of tubes for a container whose longer side is `side`.
fn read_tube(fields: &[&[u8]], side: f64) -> Result<Tube, String> {
    let (&[demand, inner, outer] | &[demand, inner, outer, _]) = fields else {
        let found = shown(fields.len());
        return Err(format!("{found}, expected demand, inner radius, outer radius and perhaps a value"));
    };
    let demand = whole(demand, MAX_TUBES).map_err(|wrong| format!("demand {wrong}"))?;
    let inner = real(inner).map_err(|wrong| format!("inner radius {wrong}"))?;
    let outer = real(outer).map_err(|wrong| format!("outer radius {wrong}"))?;
    let value = fields.get(3).map(|field| real(field).map_err(|wrong| format!("value {wrong}"))).transpose()?;
    let tube = Tube { demand: demand as u32, inner, outer, value };
    check_tube(&tube, side)?;
    Ok(tube)
}

/// A number of fields for a message; the reader stops counting at 6.
fn shown(fields: usize) -> String {
    match fields {
        1 => "1 field".into(),
        2..6 => format!("{fields} fields"),
        _ => "more than 5 fields".into(),
    }
}

/// Returns a whole number from 0 to `most`, in digits only.
pub(super) fn whole(field: &[u8], most: u64) -> Result<u64, String> {
    let number = || {
        if field.is_empty() || !field.iter().all(u8::is_ascii_digit) {
            return None;
        }
        field.iter().try_fold(0_u64, |sum, digit| {
            sum.checked_mul(10)?.checked_add(u64::from(digit - b'0')).filter(|&sum| sum <= most)
        })
    };
    number().ok_or_else(|| format!("{}, expected a whole number from 0 to {most}", quote(field)))
}

/// Returns a finite decimal number.
pub(super) fn real(field: &[u8]) -> Result<f64, String> {
    // Rust's parser also takes `inf`, `nan` and `infinity`, which a file of sizes has no use for.
    let plain = field.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte));
    let number = std::str::from_utf8(field).ok().filter(|_| plain).and_then(|text| text.parse::<f64>().ok());
    number.filter(|number| number.is_finite()).ok_or_else(|| format!("{}, expected a number", quote(field)))
}

/// Returns the instance as the text of an `.rpa` file: numbers are written so that they are read back the same.
#[must_use]
pub fn write(order: &Order) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}\n{} {} {}", order.name(), order.tubes().len(), order.width(), order.height());
    for tube in order.tubes() {
        let _ = write!(text, "{} {} {}", tube.demand, tube.inner, tube.outer);
        if let Some(value) = tube.value {
            let _ = write!(text, " {value}");
        }
        text.push('\n');
    }
    text
}
