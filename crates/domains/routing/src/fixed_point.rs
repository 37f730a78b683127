//! Decimal instances as whole numbers, for the search.

use crate::rules::{MOST_DECIMALS, MOST_UNITS};

/// The largest whole number that is converted.
const MOST: f64 = MOST_UNITS as f64;

/// Returns a power of ten, exact.
pub(crate) fn power(decimals: u32) -> f64 {
    10_u64.pow(decimals) as f64
}

/// Whether `value` is a whole number of units of 10^-`decimals`.
#[inline]
fn fits(value: f64, power: f64) -> bool {
    // The product is wrong by less than a quarter of a unit; the quotient is the double next to the decimal.
    let units = (value * power).round();
    units.abs() <= MOST && units / power == value
}

/// Returns the decimals that all numbers need together; `None`: some number has too many digits.
pub(crate) fn decimals(values: impl IntoIterator<Item = f64>) -> Option<u32> {
    let (mut all, mut scale) = (0, 1.0);
    for value in values {
        if fits(value, scale) {
            continue;
        }
        // A large number with few decimals may not fit the unit of the others.
        let own = (0..=MOST_DECIMALS).find(|&decimals| fits(value, power(decimals)))?;
        all = all.max(own);
        scale = power(all);
    }
    Some(all)
}

/// Returns a number in units of 10^-18 to 1; closings beyond every tour become as late as needed.
pub(crate) fn units(value: f64, scale: f64) -> f64 {
    if value.is_finite() { (value * scale).round().min(2.0 * MOST) } else { value }
}

/// Whether no tour of `sites` sites lasts too long: the longest way, the longest service and the latest opening in
/// units.
pub(crate) fn is_short(sites: usize, way: u128, service: f64, ready: f64) -> bool {
    let largest = u128::from(MOST_UNITS);
    // Units are whole and at most twice the limit.
    let (service, ready) = (service as u128, ready as u128);
    way <= largest && (sites as u128 + 1) * (way + service) + ready <= largest
}

/// Returns a length to divide by: 1 instead of 0.
pub(crate) fn positive(length: f64) -> f64 {
    if length > 0.0 { length } else { 1.0 }
}
