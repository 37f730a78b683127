//! The usual term of a large polynomial, read without a tree: a product of numbers and of powers of known symbols.

use super::dialect::Parser;
use super::expression::too_large;
use super::reader::{Failure, Reader, is_letter};
use super::sum::{Factor, Sum, TooLarge};
use crate::algebra::Coefficient;

/// The most digits of a number here.
const MAX_DIGITS: usize = 18;

impl Reader {
    /// Reads a term and appends it to `out`. Returns false, and has read nothing, where it holds anything unusual.
    pub(super) fn monomial(&mut self, parser: &mut Parser<'_>, negative: bool, out: &mut Sum) -> Result<bool, Failure> {
        let start = out.factors.len();
        let Some((length, value)) = self.usual(parser.rest(), negative, out) else {
            out.factors.truncate(start);
            return Ok(false);
        };
        out.close(value).map_err(|TooLarge| (parser.at, too_large()))?;
        parser.at += length;
        Ok(true)
    }

    /// The bytes of a usual term and its number. Appends its factors.
    fn usual(&self, text: &[u8], negative: bool, out: &mut Sum) -> Option<(usize, Coefficient)> {
        let mut value = Coefficient::ONE.with_sign(negative);
        let (mut at, mut divide) = (0, false);
        loop {
            if let Some((length, number)) = whole(&text[at..]) {
                let number = Coefficient::from(number);
                value = if divide { value.div(&number)? } else { value.mul(&number) };
                at += length;
            } else {
                let plain = |&&byte: &&u8| is_letter(byte) || byte.is_ascii_digit();
                let length = text[at..].iter().take_while(plain).count();
                let name = std::str::from_utf8(&text[at..at + length]).ok()?;
                let symbol = *self.index.get(name).filter(|_| !divide && !self.outputs.contains_key(name))?;
                at += length;
                let mut exponent = 1;
                let sign = match text[at..] {
                    [b'*', b'*', ..] => 2,
                    [b'^', ..] => 1,
                    _ => 0,
                };
                if sign > 0 {
                    let (length, number) = whole(&text[at + sign..])?;
                    exponent = u16::try_from(number).ok().filter(|&exponent| exponent > 0)?;
                    at += sign + length;
                }
                out.factors.push(Factor { symbol, exponent });
            }
            divide = match text[at..] {
                [b'*', b'*', ..] => return None,
                [b'*', ..] => false,
                [b'/', ..] => true,
                [b'+' | b'-' | b';', ..] | [] => return Some((at, value)),
                [b' ' | b'\t' | b'\r' | b'\n', ..] => {
                    let next = text[at..].iter().find(|byte| !byte.is_ascii_whitespace());
                    let ends = next.is_none_or(|next| matches!(next, b'+' | b'-' | b';'));
                    return ends.then_some((at, value));
                }
                _ => return None,
            };
            at += 1;
        }
    }
}

/// The length and value of a whole number that nothing continues.
fn whole(text: &[u8]) -> Option<(usize, i64)> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let next = text.get(length).copied().unwrap_or(b';');
    if length == 0 || length > MAX_DIGITS || is_letter(next) || matches!(next, b'.' | b'^' | b'\\' | b'\'') {
        return None;
    }
    Some((length, text[..length].iter().fold(0, |value, digit| 10 * value + i64::from(digit - b'0'))))
}
