//! The text format: a spec, and optionally the beginning of the path.

use super::{Cube, generate, nodes_of};
use soloist_domain::InstanceError;
use soloist_domain::error::quote;
use soloist_domain::input::{comment, data_lines, read_file, text_bytes, whole_to};
use std::fmt::Write as _;

/// Bytes of a file that are read at most: room for the longest path with ample comments.
const MAX_BYTES: usize = 1 << 20;

/// Reads the file at `path`.
///
/// # Errors
/// A file that cannot be read, is larger than 1 MiB, or is refused by [`parse`].
pub fn read(path: &str) -> Result<Cube, InstanceError> {
    parse(path, &read_file(path, MAX_BYTES)?)
}

/// Reads an instance from the text of a file; `name` is what errors call it.
///
/// The first line holds a spec such as `d8k2`. If another line follows, it begins with `nodes` or `transitions`, and
/// the numbers after it, in this line and further ones, are the beginning of the path: its vertices, or the bits
/// flipped (counted from 0) from vertex 0 on. The search continues there ("priming"); it renames bits so that the path
/// is canonical. Numbers are separated by blanks or commas. Blank lines, text after `#`, a byte order mark and `\r\n`
/// are accepted.
///
/// # Errors
/// One line with the place and what was expected: no spec, a wrong one, an unknown word, text instead of a number, a
/// vertex or bit that the cube has not, a path that breaks the rule of the spread.
///
/// ```
/// use soloist_hypercube::parse;
/// let cube = parse("a.txt", b"d5k2 # spread 2\nnodes 0 1 3 7\n").unwrap();
/// assert_eq!(cube.prefix(), [0, 1, 2]);
/// let error = parse("a.txt", b"d5k2\nnodes 0 1 3\n7 5 4\n").unwrap_err();
/// let expected = "a.txt: line 3: vertices 1 and 5, 3 steps apart, differ in 1 bit, at least 2 are needed";
/// assert_eq!(error.to_string(), expected);
/// ```
pub fn parse(name: &str, bytes: &[u8]) -> Result<Cube, InstanceError> {
    let fail = |line: usize, message: String| InstanceError::new(name, message).with_line(line);
    let mut cube: Option<Cube> = None;
    // Whether numbers are vertices, once that is known.
    let mut vertices = None;
    let mut path: Vec<u32> = Vec::new();
    let mut places: Vec<usize> = Vec::new();
    for (number, line) in data_lines(text_bytes(name, bytes)?) {
        for field in line.split(|byte| byte.is_ascii_whitespace() || *byte == b',').filter(|field| !field.is_empty()) {
            let Some(cube) = &cube else {
                let spec = str::from_utf8(field).unwrap_or("");
                let read =
                    generate(spec).map_err(|error| fail(number, format!("{}: {}", quote(field), error.message)))?;
                cube = Some(read);
                continue;
            };
            match (vertices, field) {
                (None, b"nodes") => vertices = Some(true),
                (None, b"transitions") => vertices = Some(false),
                (None, _) => {
                    return Err(fail(number, format!("{}, expected `nodes` or `transitions`", quote(field))));
                }
                (Some(is_vertex), _) => {
                    let (what, limit) = if is_vertex {
                        ("vertex", 1 << cube.dimension())
                    } else {
                        ("bit", u64::from(cube.dimension()))
                    };
                    let value = whole_to(field, limit - 1).map_err(|wrong| fail(number, format!("{what} {wrong}")))?;
                    if path.len() >= 1 << cube.dimension() {
                        return Err(fail(
                            number,
                            format!("more numbers than the cube has vertices, {}", 1 << cube.dimension()),
                        ));
                    }
                    path.push(value as u32);
                    places.push(number);
                }
            }
        }
    }
    let Some(cube) = cube else {
        return Err(InstanceError::new(name, "no spec, expected one such as d8k2"));
    };
    if vertices == Some(false) {
        // The vertex after each bit; the first has no place of its own.
        let flips: Vec<u8> = path.iter().map(|&bit| bit as u8).collect();
        path = nodes_of(&flips);
        places.insert(0, 1);
    }
    cube.with_prefix(&path).map_err(|(at, message)| fail(places.get(at).copied().unwrap_or(1), message))
}

/// Returns the instance as the text of a file that begins with the comment `first_line`.
#[must_use]
pub fn write(cube: &Cube, first_line: &str) -> String {
    let mut text = comment(first_line) + &cube.spec() + "\n";
    // Writing to a string cannot fail.
    for (at, line) in cube.prefix().chunks(40).enumerate() {
        text.push_str(if at == 0 { "transitions" } else { "           " });
        for bit in line {
            let _ = write!(text, " {bit}");
        }
        text.push('\n');
    }
    text
}
