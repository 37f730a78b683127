//! The entrants of a portfolio as a parameter.

use crate::Method;
use crate::core::parameter::{ParameterError, Value, Values};
use crate::problem::{Entrant, ROLLOUT, SearchInfo, write_entry};
use crate::search::parameters::Table;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An entrant of a portfolio: a preset, or a search of the problem's own, with settings and a rollout.
///
/// Written as the name of a method, with settings in parentheses, separated by blanks: `anneal`, or
/// `nrpa(level=3 iterations=100 rollout=selective)`. Settings are those of the preset's table of parameters; `rollout`
/// names a playout policy of the problem, by default that of the run.
///
/// ```
/// use soloist::search::parameters::Entry;
/// let entry: Entry = "nrpa(level=3 rollout=random)".parse().unwrap();
/// assert_eq!(entry.rollout(), Some("random"));
/// assert_eq!(entry.setup().preset, "nrpa");
/// let error = "nrpa(levle=3)".parse::<Entry>().unwrap_err().to_string();
/// assert!(error.contains("`nrpa(levle=3)`: no parameter `levle`"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[doc(hidden)]
pub struct Entry {
    preset: String,
    method: Method,
    settings: Vec<(String, String)>,
    rollout: Option<String>,
}

impl Entry {
    /// Returns a method as it is.
    fn of(name: &str) -> Self {
        Self { preset: name.to_owned(), method: Method::named(name), settings: Vec::new(), rollout: None }
    }

    /// Looks up the name among a problem's own searches, where it is no preset.
    ///
    /// # Errors
    /// When there is no such search, or its settings do not fit.
    pub(super) fn resolve(&mut self, searches: &[SearchInfo]) -> Result<(), ParameterError> {
        let found = self.method.resolve(searches);
        found.map_err(|error| ParameterError::Entry { entry: self.to_string(), what: error.to_string() })
    }

    /// The name of the preset.
    #[must_use]
    pub fn preset(&self) -> &str {
        &self.preset
    }

    /// The preset with its settings.
    #[must_use]
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The name of the playout policy. `None`: that of the run.
    #[must_use]
    pub fn rollout(&self) -> Option<&str> {
        self.rollout.as_deref()
    }

    /// Whether the entry sets a parameter.
    pub(super) fn sets(&self, name: &str) -> bool {
        self.settings.iter().any(|(key, _)| key == name)
    }

    /// Reads an entry; the error says what is wrong with it.
    fn read(text: &str) -> Result<Self, String> {
        let (name, settings) = match text.split_once('(') {
            None => (text, ""),
            Some((name, rest)) => (name, rest.strip_suffix(')').ok_or("`(` without `)` at the end")?),
        };
        let name = name.trim();
        // A word that is no preset may be a search of the problem's own.
        let is_word = |symbol: char| symbol.is_ascii_lowercase() || symbol.is_ascii_digit() || symbol == '-';
        if name.is_empty() || !name.chars().all(is_word) {
            return Err(format!("no method `{name}`"));
        }
        let mut entry = Self::of(name);
        if matches!(entry.method.table(), Table::Auto(_)) {
            return Err(format!("`{name}` is a portfolio itself"));
        }
        for setting in settings.split_whitespace() {
            let pair = setting.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty());
            let (key, value) = pair.ok_or_else(|| format!("expected key=value, got `{setting}`"))?;
            if value.contains(['(', ')']) || entry.sets(key) || key == ROLLOUT && entry.rollout.is_some() {
                return Err(format!("`{setting}` is not possible here, or `{key}` is set twice"));
            }
            if key == ROLLOUT {
                entry.rollout = Some(value.to_owned());
                continue;
            }
            entry.method.set(key, value).map_err(|error| error.to_string())?;
            entry.settings.push((key.to_owned(), value.to_owned()));
        }
        entry.method.validate().map_err(|error| error.to_string())?;
        Ok(entry)
    }
}

impl FromStr for Entry {
    type Err = ParameterError;
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        Self::read(text).map_err(|what| ParameterError::Entry { entry: text.trim().to_owned(), what })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rollout = self.rollout.iter().map(|rollout| format!("{ROLLOUT}={rollout}"));
        let all: Vec<String> =
            self.settings.iter().map(|(key, value)| format!("{key}={value}")).chain(rollout).collect();
        write_entry(f, &self.preset, &all)
    }
}

impl TryFrom<String> for Entry {
    type Error = ParameterError;
    fn try_from(text: String) -> Result<Self, ParameterError> {
        text.parse()
    }
}

impl From<Entry> for String {
    fn from(entry: Entry) -> Self {
        entry.to_string()
    }
}

/// Entrants of a portfolio, or the choice left to the method.
///
/// Written `choose`, or entries separated by commas: `anneal,nrpa(level=3 rollout=random),uct(value=best)`.
///
/// ```
/// let mut method = soloist::Method::preset("auto").unwrap();
/// method.set("methods", "anneal, hd-nrpa(level=3 width=1,10), uct(value=best)").unwrap();
/// assert!(method.set("methods", "anneal,nrpa(level=0)").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[doc(hidden)]
pub struct Entries(Vec<Entry>);

/// What leaves the choice to the method.
const CHOOSE: &str = "choose";
/// The most entrants of a race.
pub(super) const MOST: usize = 16;

impl Entries {
    /// Returns the entrants that a problem names; none: the choice is left to the method.
    ///
    /// # Errors
    /// The first that cannot run.
    pub fn of(portfolio: &[Entrant]) -> Result<Self, ParameterError> {
        let texts: Vec<String> = portfolio.iter().map(ToString::to_string).collect();
        if texts.is_empty() { Ok(Self::default()) } else { texts.join(",").parse() }
    }

    /// Looks up the names that are no presets among a problem's [own searches](crate::problem::Extras::searches).
    ///
    /// # Errors
    /// The first entry that cannot run.
    pub fn resolve(&mut self, searches: &[SearchInfo]) -> Result<(), ParameterError> {
        self.0.iter_mut().try_for_each(|entry| entry.resolve(searches))
    }

    /// Returns the entrants; none: the choice is left to the method.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.0
    }
}

/// Splits at commas outside of parentheses.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, symbol) in text.char_indices() {
        match symbol {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

impl FromStr for Entries {
    type Err = ParameterError;
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        if text.trim() == CHOOSE {
            return Ok(Self::default());
        }
        let mut entries: Vec<Entry> = Vec::new();
        for part in split(text) {
            let entry: Entry = part.trim().parse()?;
            if entries.contains(&entry) {
                return Err(ParameterError::Entry { entry: entry.to_string(), what: "is there twice".into() });
            }
            if entries.len() == MOST {
                let what = format!("is one more than the {MOST} that a portfolio may have");
                return Err(ParameterError::Entry { entry: entry.to_string(), what });
            }
            entries.push(entry);
        }
        Ok(Self(entries))
    }
}

impl fmt::Display for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&if all.is_empty() { CHOOSE.into() } else { all.join(",") })
    }
}

impl TryFrom<String> for Entries {
    type Error = ParameterError;
    fn try_from(text: String) -> Result<Self, ParameterError> {
        text.parse()
    }
}

impl From<Entries> for String {
    fn from(entries: Entries) -> Self {
        entries.to_string()
    }
}

impl Value for Entries {
    type Range = ();
    fn parse(text: &str, (): &()) -> Option<Self> {
        text.parse().ok()
    }
    fn is_in(&self, (): &()) -> bool {
        // Entries are checked where they are made.
        true
    }
    fn reject(name: &'static str, (): &(), value: &str) -> Option<ParameterError> {
        value.parse::<Self>().err().map(|error| ParameterError::Invalid { name, what: error.to_string() })
    }
    fn values((): &()) -> Values {
        Values::Presets
    }
    fn describe((): &()) -> String {
        format!(
            "`{CHOOSE}`, or up to {MOST} different methods other than auto, separated by commas, each with its settings: \
             nrpa(level=3 rollout=random),anneal"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_and_written() {
        for text in ["choose", "anneal", "hd-nrpa(level=3 width=1,10 rollout=tabu-color:0.003),uct(value=best),nrpa"] {
            let entries: Entries = text.parse().unwrap();
            assert_eq!(entries.to_string(), text);
            assert_eq!(String::from(entries.clone()).parse::<Entries>().unwrap(), entries);
        }
        let entries: Entries = " anneal , nrpa( level=2\n  rollout=random )".parse().unwrap();
        assert_eq!(entries.to_string(), "anneal,nrpa(level=2 rollout=random)");
        assert!("choose".parse::<Entries>().unwrap().entries().is_empty());
        let setup = entries.entries()[1].setup();
        assert_eq!((setup.preset.as_str(), setup.rollout.as_deref(), setup.threads), ("nrpa", Some("random"), 1));
        assert_eq!(setup.method.parameters().iter().find(|own| own.name == "level").unwrap().value, "2");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("", "entry ``: no method ``"),
            ("anneal,", "entry ``: no method ``"),
            ("anneal,No such(level=1)", "entry `No such(level=1)`: no method `No such`"),
            ("auto", "entry `auto`: `auto` is a portfolio itself"),
            ("nrpa(level=0)", "entry `nrpa(level=0)`: parameter `level`: expected a whole number from 1"),
            ("nrpa(level)", "expected key=value, got `level`"),
            ("nrpa(rollout=)", "expected key=value, got `rollout=`"),
            ("nrpa(level=2", "`(` without `)` at the end"),
            ("nrpa(level=2)x", "`(` without `)` at the end"),
            ("nrpa(level=2 level=3)", "`level` is set twice"),
            ("nrpa(rollout=a rollout=b)", "`rollout` is set twice"),
            ("anneal,nrpa,anneal", "entry `anneal`: is there twice"),
        ] {
            let error = text.parse::<Entries>().unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let many: Vec<String> = (1..=17).map(|level| format!("nmcs(playouts={level})")).collect();
        assert!(many.join(",").parse::<Entries>().is_err());
    }
}
