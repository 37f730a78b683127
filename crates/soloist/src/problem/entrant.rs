//! Methods that a problem names.

use std::fmt;

/// A method with settings and a rollout that a problem names in its [portfolio](crate::problem::Extras::portfolio).
///
/// Names and values are looked up when a run begins, and by [`check`](crate::check()).
///
/// ```
/// use soloist::problem::Entrant;
/// let entrant = Entrant::new("nrpa").set("level", 3).rollout("selective");
/// assert_eq!(entrant.to_string(), "nrpa(level=3 rollout=selective)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    method: String,
    settings: Vec<(String, String)>,
}

impl Entrant {
    /// Returns a method by its name: a preset, or one of the problem's [searches](crate::problem::Extras::searches).
    #[must_use]
    pub fn new(method: impl Into<String>) -> Self {
        Self { method: method.into(), settings: Vec::new() }
    }

    /// Returns the name of the method.
    pub(crate) fn method(&self) -> &str {
        &self.method
    }

    /// Sets a parameter.
    #[must_use]
    pub fn set(mut self, parameter: impl Into<String>, value: impl fmt::Display) -> Self {
        self.settings.push((parameter.into(), value.to_string()));
        self
    }

    /// Sets the playout policy by its name.
    #[must_use]
    pub fn rollout(self, name: &str) -> Self {
        self.set(ROLLOUT, name)
    }
}

/// As entries of [`Auto`](crate::search::auto) are written.
impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.settings.iter().map(|(key, value)| format!("{key}={value}")).collect();
        write_entry(f, &self.method, &all)
    }
}

/// Writes a method with its settings in parentheses.
pub(crate) fn write_entry(f: &mut fmt::Formatter<'_>, method: &str, settings: &[String]) -> fmt::Result {
    f.write_str(method)?;
    if settings.is_empty() { Ok(()) } else { write!(f, "({})", settings.join(" ")) }
}

/// The key that is no parameter of the preset.
pub(crate) const ROLLOUT: &str = "rollout";
