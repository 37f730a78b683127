//! Numbers: their digits and their powers.

use crate::algebra::Coefficient;
use num_bigint::BigInt;
use num_traits::Pow;

/// The most digits of a number, and the largest power of ten.
pub(crate) const MAX_DIGITS: usize = 10_000;
/// The most bits of a power of a number.
const MAX_BITS: u64 = 400_000;

/// The value of digits with at most one point, and behind an `e` a power of ten.
pub(super) fn number(text: &str) -> Result<Coefficient, String> {
    let (digits, power) = text.split_once('e').unwrap_or((text, "0"));
    let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
    let count = before.len() + after.len();
    if count > MAX_DIGITS {
        return Err(format!("a number of {count} digits, at most {MAX_DIGITS} are read"));
    }
    let limit = MAX_DIGITS as i64;
    let power = power.parse::<i64>().ok().filter(|power| (-limit..=limit).contains(power));
    let power = power.ok_or("a power of ten that is no whole number up to 10000")?;
    let power = power - after.len() as i64;
    let digits = [before, after].concat();
    if power == 0 && count <= 18 {
        return Ok(Coefficient::from(digits.parse::<i64>().unwrap_or_default()));
    }
    let top = BigInt::parse_bytes(digits.as_bytes(), 10).unwrap_or_default();
    let ten = BigInt::from(10).pow(power.unsigned_abs());
    let value = if power > 0 { Some(Coefficient::from(top * ten)) } else { Coefficient::big_ratio(top, ten) };
    value.ok_or_else(|| "a number that cannot be read".into())
}

/// The power of a number; `None` if it has too many bits.
pub(super) fn number_power(number: &Coefficient, exponent: u32) -> Option<Coefficient> {
    match exponent {
        0 => return Some(Coefficient::ONE),
        1 => return Some(number.clone()),
        _ if number.is_unit() || number.is_zero() => {
            return Some(if exponent.is_multiple_of(2) { number.abs() } else { number.clone() });
        }
        _ => {}
    }
    let big = number.to_big();
    let bits = big.numer().bits().max(big.denom().bits());
    if bits.saturating_mul(exponent.into()) > MAX_BITS {
        return None;
    }
    Coefficient::big_ratio(big.numer().pow(exponent), big.denom().pow(exponent))
}
