//! The error of every instance and solution reader: one line that names the place.

use std::fmt;

/// Why an instance or a solution could not be read.
///
/// Displayed as one line, `NAME: line 7, column 3: MESSAGE`, whatever the name and the message hold: control characters
/// are escaped, so that a hostile file name or cell cannot break a script that reads line by line.
///
/// ```
/// use soloist_domain::InstanceError;
/// let error = InstanceError::new("a.txt", "14 cells, expected 15 as in line 1").with_line(7);
/// assert_eq!(error.to_string(), "a.txt: line 7: 14 cells, expected 15 as in line 1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceError {
    /// The file name or the instance spec, as the user wrote it.
    pub name: String,
    /// The line, counted from 1.
    pub line: Option<usize>,
    /// The character in the line, counted from 1.
    pub column: Option<usize>,
    /// What is wrong and, where it helps, what was expected.
    pub message: String,
    /// The option of the problem that does not suit the instance, where that is what is wrong: the call is to blame and
    /// not the file.
    pub option: Option<&'static str>,
}

impl InstanceError {
    /// Returns an error about the whole of `name`.
    pub fn new(name: impl Into<String>, message: impl Into<String>) -> Self {
        Self { name: name.into(), line: None, column: None, message: message.into(), option: None }
    }

    /// Returns the same error at `line`, counted from 1.
    #[must_use]
    pub fn with_line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// Returns the same error at character `column` of its line, counted from 1.
    #[must_use]
    pub fn with_column(mut self, column: usize) -> Self {
        self.column = Some(column);
        self
    }

    /// Returns the same error, which the option called `option` makes.
    #[must_use]
    pub fn with_option(mut self, option: &'static str) -> Self {
        self.option = Some(option);
        self
    }

    /// Returns an error of the operating system: a missing file, a directory, no permission.
    pub fn io(name: impl Into<String>, error: &std::io::Error) -> Self {
        Self::new(name, format!("cannot be read: {error}"))
    }

    /// Returns a syntax error of a JSON text, with its place.
    pub fn json(name: impl Into<String>, error: &serde_json::Error) -> Self {
        let text = error.to_string();
        // The place is shown in front like everybody's, so it is cut off the end.
        let message = text.rfind(" at line ").map_or(text.as_str(), |end| &text[..end]);
        let mut result = Self::new(name, format!("not valid JSON: {message}"));
        if error.line() > 0 {
            result.line = Some(error.line());
            result.column = Some(error.column().max(1));
        }
        result
    }
}

impl fmt::Display for InstanceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        one_line(f, &self.name)?;
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, ": line {line}, column {column}")?,
            (Some(line), None) => write!(f, ": line {line}")?,
            (None, Some(column)) => write!(f, ": column {column}")?,
            (None, None) => {}
        }
        f.write_str(": ")?;
        one_line(f, &self.message)
    }
}

impl std::error::Error for InstanceError {}

/// Whether a character can end or garble a line. The separators U+2028 and U+2029 are no control characters but end a
/// line in many programs.
fn garbles(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Writes `text` with everything that could end or garble a line escaped.
fn one_line(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    use fmt::Write;
    for c in text.chars() {
        if garbles(c) {
            write!(f, "{}", c.escape_default())?;
        } else {
            f.write_char(c)?;
        }
    }
    Ok(())
}

/// Returns a short quotation of foreign text for a message: at most 24 characters, in single quotes, control characters
/// escaped.
pub fn quote(bytes: &[u8]) -> String {
    const SHOWN: usize = 24;
    // Cut the bytes before decoding: the text may be a megabyte without a blank.
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN)]).into_owned();
    let mut result = String::new();
    for c in text.chars().take(SHOWN) {
        if garbles(c) {
            result.extend(c.escape_default());
        } else {
            result.push(c);
        }
    }
    if text.chars().count() > SHOWN || bytes.len() > 4 * SHOWN {
        result.push_str("...");
    }
    format!("'{result}'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn always_one_line() {
        let error = InstanceError::new("a\nb", "c\r\nd\u{2028}e").with_line(1).with_column(2);
        assert_eq!(error.to_string(), "a\\nb: line 1, column 2: c\\r\\nd\\u{2028}e");
    }

    #[test]
    fn json_errors_carry_their_place() {
        let error = serde_json::from_str::<serde_json::Value>("{\n\"a\": x}").unwrap_err();
        let error = InstanceError::json("r.json", &error);
        assert_eq!(error.to_string(), "r.json: line 2, column 6: not valid JSON: expected value");
    }

    #[test]
    fn quotations_are_short() {
        assert_eq!(quote(b"abc"), "'abc'");
        assert!(quote(&[b'x'; 1000]).len() < 40);
        assert_eq!(quote("é".as_bytes()), "'é'");
        assert_eq!(quote("a\nb\u{2028}".as_bytes()), "'a\\nb\\u{2028}'");
        assert_eq!(quote(&[b'\n'; 25]), format!("'{}...'", "\\n".repeat(24)));
    }
}
