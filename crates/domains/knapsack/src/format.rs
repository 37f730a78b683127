//! The `.kp` text format: `n capacity`, then `n` lines `value weight`.

use super::{Item, MAX_ITEMS, Sack};
use soloist_domain::InstanceError;
use soloist_domain::error::quote;
use soloist_domain::input::{comment, data_lines, fields, read_file, text_bytes, whole_fields};
use std::fmt::Write as _;

/// Bytes of a file that are read at most: room for [`MAX_ITEMS`] lines of the largest numbers.
const MAX_BYTES: usize = 64 << 20;

/// Reads the file at `path`.
///
/// # Errors
/// A file that cannot be read, is larger than 64 MiB, or is refused by [`parse`].
pub fn read(path: &str) -> Result<Sack, InstanceError> {
    parse(path, &read_file(path, MAX_BYTES)?)
}

/// Reads an instance from the text of a file; `name` is what errors call it.
///
/// The first line holds the number of items and the capacity, each further line the value and the weight of an item.
/// All are whole numbers from 0 on, separated by blanks. Blank lines, text after `#`, a byte order mark and `\r\n` are
/// accepted.
///
/// # Errors
/// One line with the place and what was expected: another number of items than announced or more than [`MAX_ITEMS`], a
/// line without exactly two numbers, a number that is no whole number or negative, sums above
/// [`MAX_SUM`](super::MAX_SUM), binary data.
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
    let mut header: Option<(usize, u64)> = None;
    let mut items = Vec::new();
    let mut last = 1;
    for (number, line) in data_lines(text_bytes(name, bytes)?) {
        last = number;
        let Some((count, _)) = header else {
            let names = ["number of items", "capacity"];
            let [count, capacity] = whole_fields(line, names).map_err(|wrong| fail(number, wrong))?;
            if count > MAX_ITEMS as u64 {
                return Err(fail(number, format!("{count} items, at most {MAX_ITEMS} are read")));
            }
            header = Some((count as usize, capacity));
            continue;
        };
        if items.len() == count {
            let first = quote(fields(line).next().unwrap_or_default());
            return Err(fail(number, format!("{first} after the last of {count} items")));
        }
        let [value, weight] = whole_fields(line, ["value", "weight"]).map_err(|wrong| fail(number, wrong))?;
        items.push(Item { value, weight });
    }
    let Some((count, capacity)) = header else {
        return Err(InstanceError::new(name, "no numbers, expected the number of items and the capacity"));
    };
    if items.len() < count {
        return Err(fail(last, format!("the file ends after {} of {count} items", items.len())));
    }
    Sack::new(capacity, items).map_err(|message| InstanceError::new(name, message))
}

/// Returns the instance as the text of a `.kp` file that begins with the comment `first_line`.
#[must_use]
pub fn write(sack: &Sack, first_line: &str) -> String {
    let mut text = comment(first_line);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{} {}", sack.items().len(), sack.capacity());
    for item in sack.items() {
        let _ = writeln!(text, "{} {}", item.value, item.weight);
    }
    text
}
