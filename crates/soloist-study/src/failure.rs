//! What can go wrong: one line, and whether the call is to blame.

use soloist_domain::SpecError;
pub(crate) use soloist_domain::names::unknown;
use std::fmt;

/// Something failed; the line says what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    is_usage: bool,
    /// One line.
    pub message: String,
}

impl Failure {
    /// A file, a run or the system is to blame.
    pub fn runtime(message: impl Into<String>) -> Self {
        Self { is_usage: false, message: message.into() }
    }

    /// The call is wrong.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { is_usage: true, message: message.into() }
    }

    /// Returns the exit code of a command that fails so: 2 for a wrong call, otherwise 1.
    #[must_use]
    pub fn code(&self) -> u8 {
        if self.is_usage { 2 } else { 1 }
    }

    /// Joins all failures to one line, with the exit code of the first.
    ///
    /// # Errors
    /// At least one of them failed.
    pub fn of_all(done: impl IntoIterator<Item = Result<(), Self>>) -> Result<(), Self> {
        let all: Vec<Self> = done.into_iter().filter_map(Result::err).collect();
        let messages: Vec<_> = all.iter().map(|failure| failure.message.as_str()).collect();
        match all.first() {
            Some(first) => Err(Self { is_usage: first.is_usage, message: messages.join("; ") }),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// A run that cannot be made as it is asked for is a wrong call.
impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        Self::usage(error.to_string())
    }
}
