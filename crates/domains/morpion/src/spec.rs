//! The variants by name: `5T`, `5D`, `4T`, `4D`.

use super::{Game, Variant};
use soloist_domain::InstanceError;
use std::str::FromStr;

/// Whether `text` is meant as a spec and not as a file name.
#[must_use]
pub fn is_spec(text: &str) -> bool {
    text.parse::<Variant>().is_ok()
}

/// Returns the bare cross of the variant that `spec` names.
///
/// # Errors
/// One line: the names that exist.
///
/// ```
/// use soloist_morpion::{Variant, generate};
/// assert_eq!(generate("5d").unwrap().variant(), Variant::D5);
/// assert_eq!(generate("6D").unwrap_err().to_string(), "6D: expected 5T, 5D, 4T or 4D");
/// ```
pub fn generate(spec: &str) -> Result<Game, InstanceError> {
    spec.parse().map(Game::of).map_err(|message: String| InstanceError::new(spec, message))
}

impl FromStr for Variant {
    type Err = String;

    /// The variant of that name, in upper or lower case.
    ///
    /// # Errors
    /// The names that exist.
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|variant| variant.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| "expected 5T, 5D, 4T or 4D".into())
    }
}
