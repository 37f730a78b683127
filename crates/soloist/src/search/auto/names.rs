//! A list of presets as a parameter.

use crate::Preset;
use crate::search::parameter::{Value, Values};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Names of presets, or the choice left to the method.
///
/// Written `anneal,nrpa,cabs`, or `choose`.
///
/// ```
/// let mut method = soloist::Method::preset("auto").unwrap();
/// method.set("methods", "anneal,nrpa").unwrap();
/// assert!(method.set("methods", "anneal,nosuch").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names(Vec<String>);

/// What leaves the choice to the method.
const CHOOSE: &str = "choose";
/// The most presets that race.
const MOST: usize = 16;

impl Names {
    /// Returns the presets named; none: the choice is left to the method.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.0
    }
}

impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&if self.0.is_empty() { CHOOSE.into() } else { self.0.join(",") })
    }
}

impl Value for Names {
    type Range = ();
    fn parse(text: &str, range: &()) -> Option<Self> {
        let names =
            if text == CHOOSE { Vec::new() } else { text.split(',').map(|name| name.trim().to_owned()).collect() };
        Some(Self(names)).filter(|names| names.is_in(range))
    }
    fn is_in(&self, (): &()) -> bool {
        let known = |name: &String| name != "auto" && Preset::find(name).is_some();
        let once = |at: usize| !self.0[..at].contains(&self.0[at]);
        self.0.len() <= MOST && self.0.iter().all(known) && (0..self.0.len()).all(once)
    }
    fn values((): &()) -> Values {
        Values::Presets
    }
    fn describe((): &()) -> String {
        format!("`{CHOOSE}`, or up to {MOST} different methods other than auto, separated by commas")
    }
}
