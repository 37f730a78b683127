//! The text formats: rows `item release due` behind a header, and block relocation layouts.

use super::{Item, MAX_DATE, MAX_ITEMS, MAX_WIDTH, Yard};
use soloist_domain::InstanceError;
use soloist_domain::error::quote;
use soloist_domain::input::{lines, read_file_prefix, text_bytes};
use std::fmt::Write as _;
use std::path::Path;

/// Bytes of a file that are read at most.
const MAX_BYTES: usize = 4 << 20;
/// Begins the rows of items.
const ITEMS: &str = "--- end of header ---";
/// Begins the rows of stacks as they are at first.
const LAYOUT: &str = "--- initial stacks ---";

/// Reads the file at `path`.
///
/// # Errors
/// A file that cannot be read, is larger than 4 MiB, or is refused by [`parse`].
pub fn read(path: &str) -> Result<Yard, InstanceError> {
    let bytes = read_file_prefix(Path::new(path), MAX_BYTES)?;
    if bytes.len() > MAX_BYTES {
        return Err(InstanceError::new(path, "larger than 4 MiB, the most that is read"));
    }
    parse(path, &bytes)
}

/// Reads an instance from the text of a file; `name` is what errors call it.
///
/// The first line decides which of two formats a file has.
/// - Stacking: lines `str name := x`, `int width := W`, `int height := H`, `int items := n`, then `--- end of header
///   ---`, then `n` rows `item release due` of whole numbers. Items that lie there at first have the release `-`;
///   behind the rows a line `--- initial stacks ---` then begins at most `W` lines with the numbers of the items on a
///   stack from the bottom up (an empty stack is a line with `-`).
/// - Block relocation: a line `stacks items`, then for each stack its height and its items from the bottom up; item 1
///   leaves first. The height of the stacks is not limited.
///
/// Blank lines, text after `#`, a byte order mark and `\r\n` are accepted.
///
/// # Errors
/// One line with the place and what was expected; see also [`Yard::new`].
///
/// ```
/// use soloist_stacking::parse;
/// let yard = parse("a.dat", b"2 3\n2 1 3\n1 2\n").unwrap();
/// assert_eq!((yard.width(), yard.items().len(), yard.highest()), (2, 3, 2));
/// let error = parse("a.dat", b"2 3\n2 1 3\n1 3\n").unwrap_err();
/// assert_eq!(error.to_string(), "a.dat: line 3: item 3 lies there already");
/// ```
pub fn parse(name: &str, bytes: &[u8]) -> Result<Yard, InstanceError> {
    let bytes = text_bytes(name, bytes)?;
    let content = lines(bytes).filter_map(|(number, line)| {
        let text = line.split(|&byte| byte == b'#').next().unwrap_or_default().trim_ascii();
        (!text.is_empty()).then_some((number, text))
    });
    let rows: Vec<(usize, &[u8])> = content.collect();
    let Some(&(_, first)) = rows.first() else {
        return Err(InstanceError::new(name, "no lines, expected a header or the numbers of stacks and items"));
    };
    let place = |(line, message): (usize, String)| {
        let error = InstanceError::new(name, message);
        if line == 0 { error } else { error.with_line(line) }
    };
    if first[0].is_ascii_digit() || first[0] == b'-' && first.get(1).is_some_and(u8::is_ascii_digit) {
        relocation(&rows).map_err(place)
    } else {
        stacking(&rows).map_err(place)
    }
}

type Wrong = (usize, String);

fn fields(text: &[u8]) -> Vec<&[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).collect()
}

/// A whole number from 0 on, in digits only, of at most `most`.
fn whole(line: usize, what: &str, field: &[u8], most: u64) -> Result<u64, Wrong> {
    let shown = quote(field);
    if field.is_empty() || !field.iter().all(u8::is_ascii_digit) {
        return Err((line, format!("{what} {shown}, expected a whole number from 0 on")));
    }
    let value = std::str::from_utf8(field).ok().and_then(|text| text.parse().ok()).filter(|&value| value <= most);
    value.ok_or_else(|| (line, format!("{what} {shown} is above {most}, the most that is read")))
}

fn relocation(rows: &[(usize, &[u8])]) -> Result<Yard, Wrong> {
    let (line, text) = rows[0];
    let head = fields(text);
    let &[width, count] = &head[..] else {
        return Err((line, format!("{} fields, expected 2: the numbers of stacks and items", head.len())));
    };
    let width = whole(line, "number of stacks", width, MAX_WIDTH as u64)? as usize;
    let count = whole(line, "number of items", count, MAX_ITEMS as u64)? as usize;
    let items: Vec<Item> = (1..=count as u64).map(|number| Item { number, release: None, due: number }).collect();
    let mut seen = vec![false; count];
    let mut initial = Vec::new();
    let mut last = line;
    for &(line, text) in &rows[1..] {
        last = line;
        if initial.len() == width {
            return Err((line, format!("more than {width} stacks")));
        }
        let row = fields(text);
        let height = whole(line, "height", row[0], MAX_ITEMS as u64)? as usize;
        if row.len() - 1 != height {
            return Err((line, format!("{} items, expected {height} as the first field says", row.len() - 1)));
        }
        let mut own = Vec::with_capacity(height);
        for field in &row[1..] {
            let number = whole(line, "item", field, MAX_DATE)?;
            let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1)).filter(|&at| at < count);
            let index = index.ok_or_else(|| (line, format!("item {number}, expected 1 to {count}")))?;
            if std::mem::replace(&mut seen[index], true) {
                return Err((line, format!("item {number} lies there already")));
            }
            own.push(index);
        }
        initial.push(own);
    }
    if initial.len() < width {
        return Err((last, format!("the file ends after {} of {width} stacks", initial.len())));
    }
    if let Some(at) = seen.iter().position(|&seen| !seen) {
        return Err((0, format!("item {} of {count} lies nowhere", at + 1)));
    }
    Yard::new("block relocation".into(), width, unlimited(count), items, initial).map_err(|message| (0, message))
}

/// A height that never matters.
fn unlimited(items: usize) -> usize {
    items.max(1_000)
}

fn stacking(rows: &[(usize, &[u8])]) -> Result<Yard, Wrong> {
    let (mut name, mut width, mut height, mut count) = (None, None, None, None);
    let mut at = 0;
    loop {
        let Some(&(line, text)) = rows.get(at) else {
            return Err((rows[rows.len() - 1].0, format!("the file ends before `{ITEMS}`")));
        };
        at += 1;
        if text == ITEMS.as_bytes() {
            break;
        }
        let row = fields(text);
        let (key, value) = match row[..] {
            [b"str" | b"int", key, b":=", value] => (key, value),
            _ => return Err((line, format!("{}, expected `int width := 10` or the like", quote(text)))),
        };
        let (place, most) = match key {
            b"name" => {
                name = Some(String::from_utf8_lossy(value).into_owned());
                continue;
            }
            b"width" => (&mut width, MAX_WIDTH as u64),
            b"height" => (&mut height, 1 << 30),
            b"items" => (&mut count, MAX_ITEMS as u64),
            _ => return Err((line, format!("{}, expected name, width, height or items", quote(key)))),
        };
        let value = whole(line, &String::from_utf8_lossy(key), value, most)? as usize;
        if place.replace(value).is_some() {
            return Err((line, format!("{} is given twice", String::from_utf8_lossy(key))));
        }
    }
    let missing = |what: &str| (rows[at - 1].0, format!("the header says nothing of `{what}`"));
    let width = width.ok_or_else(|| missing("width"))?;
    let height = height.ok_or_else(|| missing("height"))?;
    let count = count.ok_or_else(|| missing("items"))?;
    let mut items = Vec::new();
    let mut last = rows[at - 1].0;
    while let Some(&(line, text)) = rows.get(at) {
        if text == LAYOUT.as_bytes() {
            break;
        }
        (at, last) = (at + 1, line);
        if items.len() == count {
            return Err((line, format!("{} after the last of {count} items", quote(text))));
        }
        let row = fields(text);
        let &[number, release, due] = &row[..] else {
            return Err((line, format!("{} fields, expected 3: item, release and due date", row.len())));
        };
        let number = whole(line, "item", number, MAX_DATE)?;
        let release = if release == b"-" { None } else { Some(whole(line, "release", release, MAX_DATE)?) };
        let due = whole(line, "due date", due, MAX_DATE)?;
        if release.is_some_and(|release| release >= due) {
            return Err((line, format!("item {number} is due on {due}, expected after its release")));
        }
        items.push(Item { number, release, due });
    }
    if items.len() < count {
        return Err((last, format!("the file ends after {} of {count} items", items.len())));
    }
    let mut order: Vec<(u64, usize)> = items.iter().enumerate().map(|(at, item)| (item.number, at)).collect();
    soloist::order::sort(&mut order);
    let mut initial = Vec::new();
    for &(line, text) in rows.iter().skip(at + 1) {
        if initial.len() == width {
            return Err((line, format!("more than {width} stacks")));
        }
        let mut own = Vec::new();
        for field in fields(text).into_iter().filter(|&field| field != b"-") {
            let number = whole(line, "item", field, MAX_DATE)?;
            let found = order.binary_search_by_key(&number, |&(number, _)| number);
            let found = found.map_err(|_| (line, format!("item {number} is not among the items")))?;
            own.push(order[found].1);
        }
        initial.push(own);
    }
    Yard::new(name.unwrap_or_default(), width, height, items, initial).map_err(|message| (0, message))
}

/// Returns the instance as the text of a file: in the block relocation format if that says everything, else in the
/// other one.
#[must_use]
pub fn write(yard: &Yard) -> String {
    let items = yard.items();
    let mut text = String::new();
    let blocks = items.iter().zip(1..).all(|(item, number)| *item == Item { number, release: None, due: number });
    if blocks && yard.height() == unlimited(items.len()) && yard.name() == "block relocation" {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "{} {}", yard.width(), items.len());
        for own in yard.initial() {
            let _ = write!(text, "{}", own.len());
            own.iter().for_each(|&item| {
                let _ = write!(text, " {}", items[item].number);
            });
            text.push('\n');
        }
        return text;
    }
    let kept = |c: char| !(c.is_whitespace() || c.is_control() || c == '#' || c == '\u{fffd}');
    let name: String = yard.name().chars().filter(|&c| kept(c)).collect();
    if !name.is_empty() {
        let _ = writeln!(text, "str name   := {name}");
    }
    let (width, height, count) = (yard.width(), yard.height(), items.len());
    let _ = writeln!(text, "int width  := {width}\nint height := {height}\nint items  := {count}\n{ITEMS}");
    let _ = writeln!(text, "    # item    release        due");
    for item in items {
        let release = item.release.map_or("-".into(), |release| release.to_string());
        let _ = writeln!(text, "{:>10} {release:>10} {:>10}", item.number, item.due);
    }
    if yard.highest() > 0 {
        let _ = writeln!(text, "{LAYOUT}");
        for own in yard.initial() {
            let numbers: Vec<String> = own.iter().map(|&item| items[item].number.to_string()).collect();
            let _ = writeln!(text, "{}", if numbers.is_empty() { "-".into() } else { numbers.join(" ") });
        }
    }
    text
}
