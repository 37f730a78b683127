//! Reads numbers.

use super::reader::{Failure, Reader};
use crate::algebra::Coefficient;
use num_bigint::BigInt;
use num_traits::Pow;

/// The most digits of a number, and the largest power of ten.
pub(crate) const MAX_DIGITS: usize = 10_000;
/// The most bits of a power of a number.
const MAX_BITS: u64 = 400_000;

impl Reader<'_> {
    pub(super) fn number(&mut self) -> Result<Coefficient, Failure> {
        let start = self.at;
        let mut small = 0_u64;
        let mut digits: Vec<u8> = Vec::new();
        let (mut count, mut decimals, mut point) = (0_usize, 0_i64, false);
        loop {
            match self.peek() {
                byte @ b'0'..=b'9' => {
                    count += 1;
                    decimals += i64::from(point);
                    if count <= 18 {
                        small = small * 10 + u64::from(byte - b'0');
                    } else {
                        if count == 19 {
                            digits.extend_from_slice(small.to_string().as_bytes());
                        }
                        digits.push(byte);
                    }
                }
                b'.' if !point => point = true,
                _ if self.joint() => continue,
                _ => break,
            }
            self.at += 1;
        }
        if count > MAX_DIGITS {
            self.at = start;
            return self.fail(format!("a number of {count} digits, at most {MAX_DIGITS} are read"));
        }
        if matches!(self.peek(), b'e' | b'E') && matches!(self.rest(), [_, b'0'..=b'9' | b'+' | b'-', ..]) {
            self.at += 1;
            let (_, negative) = self.signs()?;
            let from = self.at;
            while self.peek().is_ascii_digit() {
                self.at += 1;
            }
            let shown = std::str::from_utf8(&self.text[from..self.at]).unwrap_or_default();
            let exponent = shown.parse::<i64>().ok().filter(|&exponent| exponent <= MAX_DIGITS as i64);
            let Some(exponent) = exponent else {
                self.at = start;
                return self.fail("a power of ten that is no whole number up to 10000");
            };
            decimals += if negative { exponent } else { -exponent };
        }
        if count <= 18 && decimals == 0 {
            return Ok(Coefficient::from(small as i64));
        }
        let top = if count <= 18 { BigInt::from(small) } else { BigInt::parse_bytes(&digits, 10).unwrap_or_default() };
        let ten = BigInt::from(10).pow(decimals.unsigned_abs());
        let value = if decimals < 0 { Some(Coefficient::from(top * ten)) } else { Coefficient::big_ratio(top, ten) };
        value.map_or_else(|| self.fail("a number that cannot be read"), Ok)
    }
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
