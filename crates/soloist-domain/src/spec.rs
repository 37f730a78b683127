//! Specs of generated instances, such as `random:100x1000:7`: a kind, sizes and a seed.
//!
//! A domain describes its specs once, as a [`Form`]; recognising, reading and refusing them follows. The same spec must
//! be the same instance in every release: draw from [`soloist::Rng::new`] with the seed and never change the order of
//! the draws.

use crate::InstanceError;
use crate::error::quote;
use crate::input::is_whole;
use std::ops::RangeInclusive;

/// The form `KIND:AxBxC:SEED` of a domain's specs.
///
/// ```
/// use soloist_domain::spec::{Form, Size};
/// const BOARDS: Form<2> = Form {
///     kinds: &["random"],
///     sizes: [Size { name: "# rows", range: 1..=31 }, Size { name: "# columns", range: 1..=32 }],
///     expected: "expected random:ROWSxCOLUMNS:SEED, as in random:15x15:7",
/// };
/// let spec = BOARDS.parse("random:9x12:7").unwrap();
/// assert_eq!((spec.kind, spec.sizes, spec.seed), ("random", [9, 12], 7));
/// assert!(BOARDS.matches("random:x") && !BOARDS.matches("board.txt"));
/// let error = BOARDS.parse("random:9x99:7").unwrap_err();
/// assert_eq!(error.to_string(), "random:9x99:7: 99 columns, expected 1 to 32");
/// ```
#[derive(Clone, Debug)]
pub struct Form<const N: usize> {
    /// What may stand before the first colon.
    pub kinds: &'static [&'static str],
    /// The numbers between the colons, separated by `x`.
    pub sizes: [Size; N],
    /// Ends messages: `expected random:ROWSxCOLUMNS:SEED, as in random:15x15:7`.
    pub expected: &'static str,
}

/// One of the numbers of a spec.
#[derive(Clone, Debug)]
pub struct Size {
    /// What it counts, with `#` for the number: `# rows` or `largest weight #`.
    pub name: &'static str,
    /// The values allowed.
    pub range: RangeInclusive<u64>,
}

/// A spec that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spec<const N: usize> {
    /// One of [`Form::kinds`].
    pub kind: &'static str,
    /// The sizes, each in its range.
    pub sizes: [u64; N],
    /// The seed.
    pub seed: u64,
}

impl<const N: usize> Form<N> {
    /// Whether `text` is meant as a spec, right or wrong, and not as a file name: it begins with a kind and a colon.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        self.split(text).is_some()
    }

    fn split<'t>(&self, text: &'t str) -> Option<(&'static str, &'t str)> {
        let (kind, rest) = text.split_once(':')?;
        Some((*self.kinds.iter().find(|known| **known == kind)?, rest))
    }

    /// Reads a spec.
    ///
    /// # Errors
    /// One line: an unknown kind, more or fewer sizes, a size that is no whole number or out of its range, no seed or
    /// one above 2^64 - 1.
    pub fn parse(&self, text: &str) -> Result<Spec<N>, InstanceError> {
        self.read(text).map_err(|message| InstanceError::new(shortened(text), message))
    }

    fn read(&self, text: &str) -> Result<Spec<N>, String> {
        let expected = self.expected;
        let (kind, rest) = self.split(text).ok_or_else(|| format!("not a spec: {expected}"))?;
        let (sizes, seed) =
            rest.split_once(':').filter(|(_, seed)| !seed.is_empty()).ok_or_else(|| format!("no seed: {expected}"))?;
        let count = sizes.split('x').count();
        if count != N {
            return Err(format!("{} holds {count} sizes, not {N}: {expected}", quote(sizes.as_bytes())));
        }
        let mut values = [0; N];
        for ((value, size), part) in values.iter_mut().zip(&self.sizes).zip(sizes.split('x')) {
            *value = size.value(part).map_err(|wrong| match wrong {
                Wrong::NoNumber(message) => format!("{message}: {expected}"),
                Wrong::Range(message) => message,
            })?;
        }
        Ok(Spec { kind, sizes: values, seed: read_seed(seed)? })
    }
}

enum Wrong {
    NoNumber(String),
    Range(String),
}

impl Size {
    fn value(&self, text: &str) -> Result<u64, Wrong> {
        if !is_whole(text.as_bytes()) {
            let what = self.name.replace('#', "");
            let what = if self.name.starts_with('#') { format!("number of {}", what.trim()) } else { what };
            return Err(Wrong::NoNumber(format!("{} is not a {}", quote(text.as_bytes()), what.trim())));
        }
        text.parse().ok().filter(|value| self.range.contains(value)).ok_or_else(|| {
            // As written, because the number may be too long for any type.
            let shown = quote(text.as_bytes()).replace('\'', "");
            let (least, most) = (self.range.start(), self.range.end());
            Wrong::Range(format!("{}, expected {least} to {most}", self.name.replace('#', &shown)))
        })
    }
}

/// Reads the seed at the end of a spec.
///
/// # Errors
/// One line: something that is no whole number from 0 to 2^64 - 1.
pub fn read_seed(text: &str) -> Result<u64, String> {
    if let Some((number, trailing)) = text.split_once(':').filter(|(number, _)| is_whole(number.as_bytes())) {
        let trailing = quote(format!(":{trailing}").as_bytes());
        return Err(format!("unexpected {trailing} after the seed {}", quote(number.as_bytes())));
    }
    let seed = text.parse().ok().filter(|_| is_whole(text.as_bytes()));
    seed.ok_or_else(|| format!("the seed {} is not a whole number from 0 to {}", quote(text.as_bytes()), u64::MAX))
}

/// The spec as errors name it: at most 60 characters.
fn shortened(text: &str) -> String {
    let shown: String = text.chars().take(60).collect();
    if shown.len() < text.len() { shown + "..." } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: Form<2> = Form {
        kinds: &["random", "weak"],
        sizes: [Size { name: "# items", range: 1..=100 }, Size { name: "largest weight #", range: 2..=u64::MAX }],
        expected: "expected KIND:ITEMSxMAX:SEED",
    };

    #[test]
    fn errors_say_what_is_wrong() {
        for (text, message) in [
            ("heavy:5x9:1", "not a spec: expected KIND:ITEMSxMAX:SEED"),
            ("random", "not a spec: expected KIND:ITEMSxMAX:SEED"),
            ("random:", "no seed: expected KIND:ITEMSxMAX:SEED"),
            ("random:5x9", "no seed: expected KIND:ITEMSxMAX:SEED"),
            ("random:5x9:", "no seed: expected KIND:ITEMSxMAX:SEED"),
            ("random:5:1", "'5' holds 1 sizes, not 2: expected KIND:ITEMSxMAX:SEED"),
            ("weak:5x9x3:1", "'5x9x3' holds 3 sizes, not 2: expected KIND:ITEMSxMAX:SEED"),
            ("weak:-5x9:1", "'-5' is not a number of items: expected KIND:ITEMSxMAX:SEED"),
            ("weak:5x:1", "'' is not a largest weight: expected KIND:ITEMSxMAX:SEED"),
            ("weak:5x1e3:1", "'1e3' is not a largest weight: expected KIND:ITEMSxMAX:SEED"),
            ("weak:0x9:1", "0 items, expected 1 to 100"),
            ("weak:101x9:1", "101 items, expected 1 to 100"),
            ("weak:5x1:1", "largest weight 1, expected 2 to 18446744073709551615"),
            (
                "weak:5x18446744073709551616:1",
                "largest weight 18446744073709551616, expected 2 to 18446744073709551615",
            ),
            ("weak:5x9:-1", "the seed '-1' is not a whole number from 0 to 18446744073709551615"),
            ("weak:5x9:+1", "the seed '+1' is not a whole number from 0 to 18446744073709551615"),
            (
                "weak:5x9:18446744073709551616",
                "the seed '18446744073709551616' is not a whole number from 0 to 18446744073709551615",
            ),
            ("weak:5x9:1:2", "unexpected ':2' after the seed '1'"),
        ] {
            assert_eq!(FORM.parse(text).unwrap_err().to_string(), format!("{text}: {message}"));
        }
        let long = format!("weak:{}x9:1", "9".repeat(1000));
        let error = FORM.parse(&long).unwrap_err().to_string();
        assert!(error.ends_with("...: 999999999999999999999999... items, expected 1 to 100"), "{error}");
    }

    #[test]
    fn limits_are_allowed() {
        let spec = FORM.parse("weak:100x2:18446744073709551615").unwrap();
        assert_eq!(spec, Spec { kind: "weak", sizes: [100, 2], seed: u64::MAX });
        assert_eq!(FORM.parse("random:1x18446744073709551615:0").unwrap().sizes, [1, u64::MAX]);
    }
}
