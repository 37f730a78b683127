//! Whole numbers of a fixed count of 64-bit words, the lowest first.

use num_bigint::BigUint;
use std::cmp::Ordering;

/// `sum += other`; the sum must fit.
#[inline]
pub(crate) fn add(sum: &mut [u64], other: &[u64]) {
    let mut carry = false;
    for (own, &other) in sum.iter_mut().zip(other) {
        let (part, first) = own.overflowing_add(other);
        let (whole, second) = part.overflowing_add(u64::from(carry));
        (*own, carry) = (whole, first | second);
    }
    debug_assert!(!carry, "a sum that does not fit");
}

/// `difference -= other`, which is no larger.
#[inline]
pub(crate) fn subtract(difference: &mut [u64], other: &[u64]) {
    let mut borrow = false;
    for (own, &other) in difference.iter_mut().zip(other) {
        let (part, first) = own.overflowing_sub(other);
        let (whole, second) = part.overflowing_sub(u64::from(borrow));
        (*own, borrow) = (whole, first | second);
    }
    debug_assert!(!borrow, "a negative difference");
}

/// Compares two numbers of as many words.
#[inline]
pub(crate) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

/// Returns the two highest words.
#[inline]
pub(crate) fn lead(number: &[u64]) -> u128 {
    let [.., low, high] = number else { unreachable!("at least two words") };
    u128::from(*high) << 64 | u128::from(*low)
}

/// `number` in `words` words.
pub(crate) fn from_big(number: &BigUint, words: usize) -> Vec<u64> {
    let mut limbs = number.to_u64_digits();
    limbs.resize(words, 0);
    limbs
}

/// Returns the number of words as a [`BigUint`].
pub(crate) fn to_big(number: &[u64]) -> BigUint {
    BigUint::new(number.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]).collect())
}

/// log2(number / 2^scale + 1), `number` being a multiple of 2^scale.
pub(crate) fn log2_plus_one(number: &[u64], scale: u32) -> f64 {
    // The 64 bits from the highest one on, and the place of the lowest of them.
    let Some(top) = number.iter().rposition(|&word| word != 0) else { return 0.0 };
    let shift = number[top].leading_zeros();
    let below = if top > 0 && shift > 0 { number[top - 1] >> (64 - shift) } else { 0 };
    let head = number[top] << shift | below;
    let low = 64 * top as i64 - i64::from(shift) - i64::from(scale);
    if low <= 0 {
        // Bits below 2^scale are zero.
        let value = head >> low.unsigned_abs().min(63) as u32;
        return libm::log2(value as f64 + 1.0);
    }
    // One more changes nothing that a double can show.
    libm::log2(head as f64) + low as f64
}
