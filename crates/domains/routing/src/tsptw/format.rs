//! The usual text format: the number of nodes, the matrix, the windows.

use super::{Instance, MAX_NODES};
use crate::text::{count, magnitude, read_all, text_of};
use soloist_domain::InstanceError;
use std::fmt::Write as _;

/// Reads the file at `path`.
///
/// # Errors
/// A file that cannot be read, is larger than 192 MiB, or is refused by [`parse`].
pub fn read(path: &str) -> Result<Instance, InstanceError> {
    parse(path, &read_all(path)?)
}

/// Reads an instance from the text of a file; `name` is what errors call it.
///
/// The number of nodes with the depot, which is node 0; the matrix row by row; and for each node the opening and the
/// closing of its window. Numbers are separated by blanks or line ends, which mean the same; `#` begins a
/// comment. Blank lines, a byte order mark and `\r\n` are accepted.
///
/// # Errors
/// One line with the place and what was expected.
///
/// ```
/// use soloist_routing::tsptw::parse;
/// let instance = parse("a.txt", b"2\n0 3\n4 0\n0 20\n5 9\n").unwrap();
/// assert_eq!((instance.way(1, 0), instance.windows[1]), (4.0, (5.0, 9.0)));
/// let error = parse("a.txt", b"2\n0 3\n4 0\n0 20\n9 5\n").unwrap_err();
/// assert_eq!(error.to_string(), "a.txt: line 5: the window of node 1 is reversed: 9 to 5");
/// ```
pub fn parse(name: &str, bytes: &[u8]) -> Result<Instance, InstanceError> {
    let fail = |line: usize, message: String| InstanceError::new(name, message).with_line(line);
    let text = text_of(name, bytes)?;
    let mut words = text.lines().enumerate().flat_map(|(at, line)| {
        let line = line.split('#').next().unwrap_or_default();
        line.split_ascii_whitespace().map(move |word| (at + 1, word))
    });
    let Some((at, word)) = words.next() else {
        return Err(InstanceError::new(name, "no numbers, expected the number of nodes"));
    };
    let nodes = count(word, "number of nodes").map_err(|wrong| fail(at, wrong))? as usize;
    if !(2..=MAX_NODES).contains(&nodes) {
        return Err(fail(at, format!("{nodes} nodes, expected 2 to {MAX_NODES}, the depot included")));
    }
    let mut last = at;
    let mut matrix = Vec::new();
    for _ in 0..nodes * nodes {
        let Some((at, word)) = words.next() else {
            let found = matrix.len();
            return Err(fail(
                last,
                format!("the file ends after {found} entries of the matrix, expected {nodes} x {nodes}"),
            ));
        };
        last = at;
        matrix.push(magnitude(word, "entry of the matrix").map_err(|wrong| fail(at, wrong))?);
    }
    let mut windows = Vec::new();
    let mut rows = Vec::new();
    for node in 0..nodes {
        let mut next = |what: &str| {
            let Some((at, word)) = words.next() else {
                return Err(fail(
                    last,
                    format!("the file ends before the {what} of node {node}: {nodes} windows are expected"),
                ));
            };
            last = at;
            magnitude(word, what).map_err(|wrong| fail(at, wrong))
        };
        windows.push((next("opening")?, next("closing")?));
        rows.push(last);
    }
    if let Some((at, word)) = words.next() {
        let shown = soloist_domain::error::quote(word.as_bytes());
        return Err(fail(at, format!("{shown} after the last of {nodes} windows")));
    }
    let instance = Instance { matrix, windows };
    instance.validate().map_err(|(node, message)| match node {
        Some(node) => fail(rows[node], message),
        None => InstanceError::new(name, message),
    })?;
    Ok(instance)
}

/// Returns the instance as the text of a file; `comment` becomes its first line.
#[must_use]
pub fn write(instance: &Instance, comment: &str) -> String {
    let comment: String = comment.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "# {comment}\n{}", instance.nodes());
    for row in instance.matrix.chunks(instance.nodes().max(1)) {
        let row: Vec<String> = row.iter().map(f64::to_string).collect();
        let _ = writeln!(text, "{}", row.join(" "));
    }
    for (ready, due) in &instance.windows {
        let _ = writeln!(text, "{ready} {due}");
    }
    text
}
