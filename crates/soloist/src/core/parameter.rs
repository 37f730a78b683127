//! The one table of parameters: names, defaults, ranges and help, as command lines, files and documents use them.

use crate::core::names::nearest;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use thiserror::Error;

/// A parameter of a method, described.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name used by `--set name=value`.
    pub name: &'static str,
    /// The present value (in a fresh preset: its default).
    pub value: String,
    /// What is accepted, in words: a range or the choices.
    pub range: String,
    /// What is accepted, for programs.
    pub values: Values,
    /// One line of help.
    pub help: &'static str,
}

/// What a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// A whole number between two ends, both included.
    Whole {
        /// The smallest.
        least: u64,
        /// The largest; `u64::MAX`: no limit.
        most: u64,
    },
    /// A number between two ends, both included.
    Real {
        /// The smallest.
        least: f64,
        /// The largest; infinite: no limit.
        most: f64,
    },
    /// `true` or `false`.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number for each nesting level, or one for all of them; see [`PerLevel`].
    Levels {
        /// The smallest.
        least: u64,
        /// The largest.
        most: u64,
    },
    /// Presets with settings; see `methods` of [`auto`](crate::search::auto).
    Presets,
}

/// A parameter that cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// No parameter has this name.
    #[error("no parameter `{name}`{instead}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The name that is probably meant, or all names where they are few, in words.
        instead: String,
    },
    /// The value is not in the parameter's range.
    #[error("parameter `{name}`: expected {range}, got `{value}`")]
    Value {
        /// The parameter.
        name: &'static str,
        /// What it accepts.
        range: String,
        /// The value given.
        value: String,
    },
    /// An entrant of a portfolio that cannot run; see `methods` of [`auto`](crate::search::auto).
    #[error("entry `{entry}`: {what}")]
    Entry {
        /// The entry.
        entry: String,
        /// What is wrong with it.
        what: String,
    },
    /// No method has this name, of the engine's or of the problem's own.
    #[error("no method `{name}`{instead}")]
    Method {
        /// The name asked for.
        name: String,
        /// What there is instead, in words.
        instead: String,
    },
    /// The value does not fit, for a reason that a range cannot express.
    #[error("parameter `{name}`: {what}")]
    Invalid {
        /// The parameter.
        name: &'static str,
        /// What is wrong.
        what: String,
    },
    /// Two values do not go together.
    #[error("{0}")]
    Conflict(&'static str),
}

/// The parameters of a problem's own search: a struct that [`parameter_table!`](crate::parameter_table) declares, or
/// `()` where there are none.
pub trait Parameters: Default {
    /// Returns the parameters with their present values.
    fn parameters(&self) -> Vec<Parameter>;
    /// Sets the parameter `name` from text.
    ///
    /// # Errors
    /// When no parameter has that name or the value is out of range.
    fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError>;
}

impl Parameters for () {
    fn parameters(&self) -> Vec<Parameter> {
        Vec::new()
    }
    fn set(&mut self, name: &str, _: &str) -> Result<(), ParameterError> {
        Err(unknown(name, &[]))
    }
}

/// Values of parameters as text, in the order in which they are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParameterValues(Vec<(String, String)>);

impl ParameterValues {
    /// Returns the parameters that are not set at their defaults, the others as they are set.
    ///
    /// # Errors
    /// A name that is unknown, or a value out of its range.
    pub fn read<T: Parameters>(&self) -> Result<T, ParameterError> {
        let mut parameters = T::default();
        self.0.iter().try_for_each(|(name, value)| parameters.set(name, value))?;
        Ok(parameters)
    }

    /// Adds a value, in the place of one of the same name.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.0.push((name.to_owned(), value.to_owned())),
        }
    }
}

impl From<&[Parameter]> for ParameterValues {
    fn from(parameters: &[Parameter]) -> Self {
        Self(parameters.iter().map(|own| (own.name.to_owned(), own.value.clone())).collect())
    }
}

/// A type that parameters can have: whole and real numbers, switches, and choices.
pub trait Value: Sized + Display {
    /// The inclusive range: a pair of numbers, or nothing for a choice.
    type Range;
    /// Reads a value that lies in the range.
    fn parse(text: &str, range: &Self::Range) -> Option<Self>;
    /// Whether the value lies in the range.
    fn is_in(&self, range: &Self::Range) -> bool;
    /// Returns a closer description of what is wrong with a text that [`parse`](Self::parse) refuses.
    fn reject(_name: &'static str, _range: &Self::Range, _text: &str) -> Option<ParameterError> {
        None
    }
    /// Returns the range in words.
    fn describe(range: &Self::Range) -> String;
    /// Returns the range for programs.
    fn values(range: &Self::Range) -> Values;
}

/// Returns a limit as people write it: `1e12` or `1e-12` instead of a row of zeros.
fn short(limit: f64) -> String {
    let is_plain = limit == 0.0 || (1e-4..1e6).contains(&limit.abs());
    if is_plain { limit.to_string() } else { format!("{limit:e}") }
}

impl Value for u64 {
    type Range = std::ops::RangeInclusive<u64>;
    fn parse(text: &str, range: &Self::Range) -> Option<Self> {
        // 1e6 is how people write large counts.
        let value = text.parse().ok().or_else(|| {
            let value: f64 = text.parse().ok()?;
            (value.fract() == 0.0 && (0.0..=9e15).contains(&value)).then_some(value as u64)
        })?;
        value.is_in(range).then_some(value)
    }
    fn is_in(&self, range: &Self::Range) -> bool {
        range.contains(self)
    }
    fn describe(range: &Self::Range) -> String {
        if *range.end() == u64::MAX {
            format!("a whole number from {}", short(*range.start() as f64))
        } else {
            format!("a whole number from {} to {}", short(*range.start() as f64), short(*range.end() as f64))
        }
    }
    fn values(range: &Self::Range) -> Values {
        Values::Whole { least: *range.start(), most: *range.end() }
    }
}

impl Value for f64 {
    type Range = std::ops::RangeInclusive<f64>;
    fn parse(text: &str, range: &Self::Range) -> Option<Self> {
        let value: f64 = text.parse().ok()?;
        value.is_in(range).then_some(value)
    }
    fn is_in(&self, range: &Self::Range) -> bool {
        range.contains(self)
    }
    fn describe(range: &Self::Range) -> String {
        if range.end().is_infinite() {
            format!("a number from {} (inf: no limit)", short(*range.start()))
        } else {
            format!("a number from {} to {}", short(*range.start()), short(*range.end()))
        }
    }
    fn values(range: &Self::Range) -> Values {
        Values::Real { least: *range.start(), most: *range.end() }
    }
}

impl Value for bool {
    type Range = ();
    fn parse(text: &str, (): &()) -> Option<Self> {
        match text {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _ => None,
        }
    }
    fn is_in(&self, (): &()) -> bool {
        true
    }
    fn describe((): &()) -> String {
        "true or false".into()
    }
    fn values((): &()) -> Values {
        Values::Switch
    }
}

/// A number for each nesting level, the innermost level first; the last one holds for all levels above.
///
/// Written `100`, or `1,10,10`.
///
/// ```
/// let mut method = soloist::Method::preset("hd-nrpa").unwrap();
/// method.set("width", "1,10").unwrap();
/// assert!(method.set("width", "1,").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u64>", into = "Vec<u64>")]
pub struct PerLevel(Vec<u64>);

impl PerLevel {
    /// Returns the number of `level`, counted from 1.
    #[must_use]
    pub fn at(&self, level: usize) -> u64 {
        self.0[level.clamp(1, self.0.len()) - 1]
    }

    /// Returns the numbers written, innermost level first.
    #[must_use]
    pub fn numbers(&self) -> &[u64] {
        &self.0
    }
}

impl From<u64> for PerLevel {
    fn from(number: u64) -> Self {
        Self(vec![number])
    }
}

impl<const N: usize> From<[u64; N]> for PerLevel {
    /// # Panics
    /// When there is no number.
    fn from(numbers: [u64; N]) -> Self {
        assert!(N > 0, "a number for level 1");
        Self(numbers.to_vec())
    }
}

impl TryFrom<Vec<u64>> for PerLevel {
    type Error = &'static str;
    fn try_from(numbers: Vec<u64>) -> Result<Self, Self::Error> {
        if numbers.is_empty() { Err("no number for level 1") } else { Ok(Self(numbers)) }
    }
}

impl From<PerLevel> for Vec<u64> {
    fn from(levels: PerLevel) -> Self {
        levels.0
    }
}

impl Display for PerLevel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (i, number) in self.0.iter().enumerate() {
            write!(f, "{}{number}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl Value for PerLevel {
    type Range = std::ops::RangeInclusive<u64>;
    fn parse(text: &str, range: &Self::Range) -> Option<Self> {
        let numbers: Option<Vec<u64>> = text.split(',').map(|number| u64::parse(number.trim(), range)).collect();
        numbers.map(Self).filter(|levels| levels.is_in(range))
    }
    fn is_in(&self, range: &Self::Range) -> bool {
        // No method has more than twelve levels.
        (1..=12).contains(&self.0.len()) && self.0.iter().all(|number| number.is_in(range))
    }
    fn describe(range: &Self::Range) -> String {
        format!("{}, or a list of them, level 1 first", u64::describe(range))
    }
    fn values(range: &Self::Range) -> Values {
        Values::Levels { least: *range.start(), most: *range.end() }
    }
}

/// Declares an enumeration whose values are named in `--set` and files.
macro_rules! choice {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$doc])* #[serde(rename = $text)] $variant),+ }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$variant => $text),+ })
            }
        }

        impl crate::table::Value for $name {
            type Range = ();
            fn parse(text: &str, (): &()) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
            fn is_in(&self, (): &()) -> bool {
                true
            }
            fn describe((): &()) -> String {
                ["one of", $($text),+].join(" ")
            }
            fn values((): &()) -> crate::core::parameter::Values {
                crate::core::parameter::Values::Choice(&[$($text),+])
            }
        }
    };
}

/// Returns the error of a name that is not in `parameters`.
pub fn unknown(name: &str, parameters: &[Parameter]) -> ParameterError {
    const FEW: usize = 8;
    let known: Vec<&str> = parameters.iter().map(|parameter| parameter.name).collect();
    let instead = match nearest(name, &known) {
        Some(near) => format!(", did you mean `{near}`?"),
        None if (1..=FEW).contains(&known.len()) => format!(" (known: {})", known.join(", ")),
        None => String::new(),
    };
    ParameterError::Unknown { name: name.to_owned(), instead }
}

/// Returns the error of a value that is not in the parameter's range.
pub fn out_of_range<T: Value>(name: &'static str, range: &T::Range, value: &impl ToString) -> ParameterError {
    let value = value.to_string();
    T::reject(name, range, &value).unwrap_or_else(|| ParameterError::Value { name, range: T::describe(range), value })
}

/// Declares a struct of parameters with `Default` and the table behind `--set`, files and documents.
///
/// Each parameter has a line of help, a type (`u64`, `f64` or `bool`), a default, and a range (`()` for a switch). For
/// the own searches of a [`Problem`](crate::Problem); see [`ProblemSearch`](crate::problem::ProblemSearch).
///
/// ```
/// soloist::parameter_table! {
///     /// How the search cools.
///     pub struct Cooling {
///         /// temperature at the start
///         heat: f64 = 2.0, 0.0..=100.0;
///         /// moves tried before the next cooling
///         length: u64 = 10_000, 1..=u64::MAX;
///     }
/// }
/// let mut cooling = Cooling::default();
/// cooling.set("heat", "0.5").unwrap();
/// assert_eq!(cooling.heat, 0.5);
/// assert!(cooling.set("heat", "-1").unwrap_err().to_string().contains("a number from 0 to 100"));
/// ```
#[macro_export]
macro_rules! parameter_table {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[doc = $help:literal])+ $field:ident : $type:ty = $default:expr, $range:expr;)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $($(#[doc = $help])+ pub $field: $type),+ }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default),+ }
            }
        }

        impl $name {
            /// Returns the parameters with their present values.
            #[must_use]
            pub fn parameters(&self) -> Vec<$crate::table::Parameter> {
                vec![$($crate::table::Parameter {
                    name: stringify!($field),
                    value: self.$field.to_string(),
                    range: <$type as $crate::table::Value>::describe(&$range),
                    values: <$type as $crate::table::Value>::values(&$range),
                    help: concat!($($help),+).trim_ascii(),
                }),+]
            }

            /// Sets the parameter `name` from text.
            ///
            /// # Errors
            /// When no parameter has that name or the value is out of range.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), $crate::table::ParameterError> {
                use $crate::table::{Value, out_of_range, unknown};
                match name {
                    $(stringify!($field) => {
                        self.$field = <$type as Value>::parse(value, &$range)
                            .ok_or_else(|| out_of_range::<$type>(stringify!($field), &$range, &value))?;
                        Ok(())
                    })+
                    _ => Err(unknown(name, &self.parameters())),
                }
            }

            /// Checks that every value lies in its range, wherever it came from.
            ///
            /// # Errors
            /// The first parameter that does not.
            pub fn check_ranges(&self) -> Result<(), $crate::table::ParameterError> {
                use $crate::table::{Value, out_of_range};
                $(if !self.$field.is_in(&$range) {
                    return Err(out_of_range::<$type>(stringify!($field), &$range, &self.$field));
                })+
                Ok(())
            }
        }

        impl $crate::table::Parameters for $name {
            fn parameters(&self) -> Vec<$crate::table::Parameter> {
                Self::parameters(self)
            }
            fn set(&mut self, name: &str, value: &str) -> Result<(), $crate::table::ParameterError> {
                Self::set(self, name, value)
            }
        }
    };
}

/// As [`parameter_table!`](crate::parameter_table), with serde.
macro_rules! parameters {
    ($(#[$meta:meta])* pub struct $name:ident { $($body:tt)+ }) => {
        crate::parameter_table! {
            $(#[$meta])*
            #[derive(serde::Serialize, serde::Deserialize)]
            #[serde(deny_unknown_fields)]
            pub struct $name { $($body)+ }
        }
    };
}

/// Declares a struct of groups of [`parameters!`], which are set and listed as one flat table.
macro_rules! parameter_groups {
    ($(#[$meta:meta])* pub struct $name:ident {
        $($(#[doc = $help:literal])+ $field:ident : $group:ty;)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name { $($(#[doc = $help])+ pub $field: $group),+ }

        impl $name {
            /// Returns the parameters of all groups with their present values, group by group.
            #[must_use]
            pub fn parameters(&self) -> Vec<crate::core::parameter::Parameter> {
                [$(self.$field.parameters()),+].concat()
            }

            /// Sets the parameter `name` of any group from text.
            ///
            /// # Errors
            /// When no group has a parameter of that name or the value is out of range.
            pub fn set(&mut self, name: &str, value: &str) -> Result<(), crate::core::parameter::ParameterError> {
                $(match self.$field.set(name, value) {
                    Err(crate::core::parameter::ParameterError::Unknown { .. }) => {}
                    found => return found,
                })+
                Err(crate::table::unknown(name, &self.parameters()))
            }

            /// Checks that every value lies in its range, wherever it came from.
            ///
            /// # Errors
            /// The first parameter that does not.
            pub fn check_ranges(&self) -> Result<(), crate::core::parameter::ParameterError> {
                $(self.$field.check_ranges()?;)+
                Ok(())
            }
        }
    };
}

pub(crate) use {choice, parameter_groups, parameters};
