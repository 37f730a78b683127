//! Arithmetic of the verifiers, apart from that of the search: decimal numbers from their text, as whole numbers of 128
//! bits, and doubles where an instance is not decimal. See [`rules`](crate::rules) for what is documented.

use crate::rules::{MOST_DECIMALS, MOST_UNITS, TOLERANCE};
use soloist_domain::answer::{Claims, short};
use std::ops::{Add, Sub};

/// A time or a distance as a verifier adds it.
pub(crate) trait Amount: Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> {
    /// Nothing.
    const ZERO: Self;
    /// Whether sums are exact.
    const IS_EXACT: bool;
    /// The number in the units of the file; `unit` of these make one.
    fn plain(self, unit: f64) -> f64;
    /// By how much a visit may be behind its closing.
    fn tolerance(closing: Self) -> Self;
}

impl Amount for f64 {
    const ZERO: Self = 0.0;
    const IS_EXACT: bool = false;
    fn plain(self, _: f64) -> f64 {
        self
    }
    fn tolerance(closing: Self) -> Self {
        closing * TOLERANCE
    }
}

impl Amount for i128 {
    const ZERO: Self = 0;
    const IS_EXACT: bool = true;
    fn plain(self, unit: f64) -> f64 {
        // Below 2^53 where a tour is as short as decimal instances demand.
        self as f64 / unit
    }
    fn tolerance(_: Self) -> Self {
        0
    }
}

/// A number as its shortest text has it: digits and how many of them are decimals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decimal {
    digits: i128,
    pub(crate) decimals: u32,
}

impl Decimal {
    /// `None`: more than 15 digits, or more than 18 decimals.
    pub(crate) fn of(value: f64) -> Option<Self> {
        let largest = i128::from(MOST_UNITS);
        if value.fract() == 0.0 && value.abs() <= MOST_UNITS as f64 {
            return Some(Self { digits: value as i128, decimals: 0 });
        }
        // Never with an exponent, always the shortest that reads as the same double.
        let text = value.to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        if whole.len() > 20 || fraction.len() > MOST_DECIMALS as usize {
            return None;
        }
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let decimals = fraction.len() as u32;
        (digits.abs() <= largest).then_some(Self { digits, decimals })
    }

    /// In units of 10^-`decimals`, which are at least the own ones.
    pub(crate) fn units(self, decimals: u32) -> i128 {
        self.digits * 10_i128.pow(decimals - self.decimals)
    }

    /// Returns the decimals that all values need; `None`: one of them is no decimal.
    pub(crate) fn places(values: impl IntoIterator<Item = f64>) -> Option<u32> {
        values.into_iter().try_fold(0, |most, value| Some(Self::of(value)?.decimals.max(most)))
    }
}

/// `value` in units of 10^-`decimals`; a closing that is infinite is later than any time.
pub(crate) fn in_units(value: f64, decimals: u32) -> Option<i128> {
    if value == f64::INFINITY { Some(i128::MAX) } else { Decimal::of(value).map(|number| number.units(decimals)) }
}

/// Whether a tour of `sites` sites is short enough: the longest way, the longest service, the latest opening.
pub(crate) fn is_short(sites: usize, way: i128, service: i128, ready: i128) -> bool {
    let most = i128::from(MOST_UNITS);
    [way, service, ready].iter().all(|&part| part <= most) && (sites as i128 + 1) * (way + service) + ready <= most
}

/// Returns a number for a message: six decimals, or seven digits of a small number.
pub(crate) fn shown(value: f64) -> String {
    let places = match value.abs() {
        0.0 => 0,
        small if small < 0.01 => (6.0 - small.log10().floor()).min(300.0) as usize,
        _ => 6,
    };
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Returns what a refusal says of the tolerance, where there is one.
pub(crate) fn allowed(tolerance: f64) -> String {
    if tolerance > 0.0 && tolerance.is_finite() { format!(" ({} is allowed)", shown(tolerance)) } else { String::new() }
}

/// Whether a number that a result claims is the one recomputed, but for the rounding of sums of doubles.
fn is_near(claimed: f64, found: f64) -> bool {
    (claimed - found).abs() <= 1e-9 * found.abs()
}

/// Compares numbers that a result claims with those recomputed: the score, and others of its solution by name. Numbers
/// that are missing claim nothing; sums that may be 0 are near within `least`.
///
/// # Errors
/// One line: the first claim that does not hold.
pub(crate) fn compare(claims: &Claims, found: &[(&str, f64)], least: f64) -> Result<(), String> {
    let solution = claims.solution()?;
    for &(name, found) in found {
        let claimed = if name == "score" { claims.get(name) } else { solution.get(name) };
        let holds = |claimed: f64| is_near(claimed, found) || (claimed - found).abs() < least;
        if let Some(claimed) = claimed
            && !claimed.as_f64().is_some_and(holds)
        {
            return Err(format!("claims the {name} {}, recomputed: {}", short(claimed), shown(found)));
        }
    }
    Ok(())
}

/// Returns the power of ten from 10^6 on that is above `most`.
pub(crate) fn power_above(most: f64) -> f64 {
    let mut power = 1e6;
    while power <= most {
        power *= 10.0;
    }
    power
}
