//! The `.kp` text format: `n capacity`, then `n` lines `value weight`.

use super::{Item, MAX_ITEMS, MAX_SUM, Sack};
use soloist_domain::InstanceError;
use soloist_domain::error::quote;
use soloist_domain::input::{lines, read_file_prefix, text_bytes};
use std::fmt::Write as _;
use std::path::Path;

/// Bytes of a file that are read at most: room for [`MAX_ITEMS`] lines of the largest numbers.
const MAX_BYTES: usize = 64 << 20;

/// Reads the file at `path`.
///
/// # Errors
/// A file that cannot be read, is larger than 64 MiB, or is refused by [`parse`].
pub fn read(path: &str) -> Result<Sack, InstanceError> {
    let bytes = read_file_prefix(Path::new(path), MAX_BYTES)?;
    if bytes.len() > MAX_BYTES {
        return Err(InstanceError::new(path, "larger than 64 MiB, the most that is read"));
    }
    parse(path, &bytes)
}

/// Reads an instance from the text of a file; `name` is what errors call it.
///
/// The first line holds the number of items and the capacity, each further line the value and the weight of an item.
/// All are whole numbers from 0 on, separated by blanks. Blank lines, text after `#`, a byte order mark and `\r\n` are
/// accepted.
///
/// # Errors
/// One line with the place and what was expected: another number of items than announced or more than [`MAX_ITEMS`], a
/// line without exactly two numbers, a number that is no whole number or negative, sums above [`MAX_SUM`], binary data.
///
/// ```
/// use soloist_knapsack::parse;
/// let sack = parse("a.kp", b"2 10 # two items\n7 4\n9 8\n").unwrap();
/// assert_eq!((sack.capacity(), sack.items()[1].value), (10, 9));
/// let error = parse("a.kp", b"2 10\n7 4\n").unwrap_err();
/// assert_eq!(error.to_string(), "a.kp: line 2: the file ends after 1 of 2 items");
/// ```
pub fn parse(name: &str, bytes: &[u8]) -> Result<Sack, InstanceError> {
    let fail = |line: usize, message: String| InstanceError::new(name, message).with_line(line);
    let bytes = text_bytes(name, bytes)?;
    let mut header: Option<(usize, u64)> = None;
    let mut items = Vec::new();
    let mut last = 1;
    for (number, line) in lines(bytes) {
        let text = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        let mut fields = text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let Some(first) = fields.next() else { continue };
        last = number;
        if let Some((count, _)) = header
            && items.len() == count
        {
            return Err(fail(number, format!("{} after the last of {count} items", quote(first))));
        }
        let names = if header.is_none() { ["number of items", "capacity"] } else { ["value", "weight"] };
        let Some(second) = fields.next() else {
            return Err(fail(number, format!("1 field, expected 2: {} and {}", names[0], names[1])));
        };
        let more = fields.count();
        if more > 0 {
            return Err(fail(number, format!("{} fields, expected 2: {} and {}", more + 2, names[0], names[1])));
        }
        let a = whole(first).map_err(|wrong| fail(number, format!("{} {wrong}", names[0])))?;
        let b = whole(second).map_err(|wrong| fail(number, format!("{} {wrong}", names[1])))?;
        if header.is_some() {
            items.push(Item { value: a, weight: b });
        } else {
            let count = usize::try_from(a).ok().filter(|&count| count <= MAX_ITEMS);
            let count = count.ok_or_else(|| fail(number, format!("{a} items, at most {MAX_ITEMS} are read")))?;
            header = Some((count, b));
        }
    }
    let Some((count, capacity)) = header else {
        return Err(InstanceError::new(name, "no numbers, expected the number of items and the capacity"));
    };
    if items.len() < count {
        return Err(fail(last, format!("the file ends after {} of {count} items", items.len())));
    }
    Sack::new(capacity, items).map_err(|message| InstanceError::new(name, message))
}

/// A whole number from 0 on, in digits only.
pub(super) fn whole(field: &[u8]) -> Result<u64, String> {
    let shown = quote(field);
    if field.is_empty() || !field.iter().all(u8::is_ascii_digit) {
        let negative = field.len() > 1 && field[0] == b'-' && field[1..].iter().all(u8::is_ascii_digit);
        return Err(if negative {
            format!("{shown} is negative, expected a whole number from 0 on")
        } else {
            format!("{shown}, expected a whole number from 0 on")
        });
    }
    let mut value = 0_u64;
    for digit in field {
        value = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u64::from(digit - b'0')))
            .filter(|&value| value <= MAX_SUM)
            .ok_or_else(|| format!("{shown} is above {MAX_SUM}, the largest number read"))?;
    }
    Ok(value)
}

/// The instance as the text of a `.kp` file; `comment` becomes its first line.
#[must_use]
pub fn write(sack: &Sack, comment: &str) -> String {
    let mut text = String::new();
    let comment: String = comment.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# {comment}\n{} {}", sack.items().len(), sack.capacity());
    for item in sack.items() {
        let _ = writeln!(text, "{} {}", item.value, item.weight);
    }
    text
}
