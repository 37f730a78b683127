//! What can go wrong in a command: one line and an exit code.

use soloist_problems::SpecError;
pub(crate) use soloist_problems::names::{nearest, unknown};
use std::fmt::Write;

/// A command that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) code: u8,
    /// One line, shown behind `error: `.
    pub(crate) message: String,
}

impl Failure {
    /// Something in the world or the files is wrong: exit 1.
    pub(crate) fn runtime(message: impl Into<String>) -> Self {
        Self { code: 1, message: message.into() }
    }

    /// Everything that went wrong, in one line, with the exit code of the first failure.
    pub(crate) fn of_all(done: impl IntoIterator<Item = Result<(), Self>>) -> Result<(), Self> {
        let all: Vec<Self> = done.into_iter().filter_map(Result::err).collect();
        let messages: Vec<_> = all.iter().map(|failure| failure.message.as_str()).collect();
        match all.first() {
            Some(first) => Err(Self { code: first.code, message: messages.join("; ") }),
            None => Ok(()),
        }
    }

    /// The call is wrong: exit 2.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { code: 2, message: message.into() }
    }
}

/// A run that cannot be made as it is asked for is a wrong call.
impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        Self::usage(error.to_string())
    }
}

/// `text` with everything escaped that could end or garble a line: names and cells come from outside.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') {
            let _ = write!(line, "{}", c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(one_line("a\nb\u{1b}"), "a\\nb\\u{1b}");
    }
}
