//! Arithmetic modulo the Mersenne prime 2^61 - 1, and the random point at which polynomials are compared.

use soloist::Rng;

/// The modulus, 2^61 - 1.
pub const MODULUS: u64 = (1 << 61) - 1;

/// `x` modulo [`MODULUS`], for `x` below 2^63.
#[inline(always)]
fn reduce(x: u64) -> u64 {
    let folded = (x & MODULUS) + (x >> 61);
    if folded >= MODULUS { folded - MODULUS } else { folded }
}

/// Any number modulo [`MODULUS`].
pub(crate) fn residue(x: u64) -> u64 {
    x % MODULUS
}

/// The residue of a signed number.
pub(crate) fn signed(x: i64) -> u64 {
    let size = residue(x.unsigned_abs());
    if x < 0 { negate(size) } else { size }
}

#[inline(always)]
pub(crate) fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= MODULUS { sum - MODULUS } else { sum }
}

#[inline(always)]
pub(crate) fn negate(a: u64) -> u64 {
    if a == 0 { 0 } else { MODULUS - a }
}

#[inline(always)]
pub(crate) fn mul(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    // Both parts are below 2^61: their sum is below 2^62.
    reduce((product as u64 & MODULUS) + (product >> 61) as u64)
}

/// `a` to the power `n`.
pub(crate) fn power(mut a: u64, mut n: u64) -> u64 {
    let mut result = 1;
    while n > 0 {
        if n & 1 == 1 {
            result = mul(result, a);
        }
        a = mul(a, a);
        n >>= 1;
    }
    result
}

/// Whether a residue is that of 1 or -1.
#[inline]
pub(crate) fn is_unit(a: u64) -> bool {
    a == 1 || a == MODULUS - 1
}

/// The inverse of `a`; 0 for 0.
pub(crate) fn inverse(a: u64) -> u64 {
    power(a, MODULUS - 2)
}

/// The coordinates of the point: `count` numbers from 2 to the modulus less 2, the same in every run.
pub(crate) fn point(count: usize) -> Vec<u64> {
    // The seed is arbitrary. It is fixed, so that every count is reproducible.
    let mut rng = Rng::new(0x5eed_4012);
    (0..count).map(|_| 2 + rng.below(MODULUS - 3)).collect()
}

/// The greatest common divisor; every number divides 0.
#[inline]
pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    if a == 1 || b == 1 {
        return 1;
    }
    if a == b || b == 0 {
        return a;
    }
    if a == 0 {
        return b;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    loop {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
        if b == 0 {
            return a << shift;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_plain_remainders() {
        let mut rng = Rng::new(1);
        let ends = [0, 1, 2, MODULUS - 2, MODULUS - 1];
        let plain = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(MODULUS)) as u64;
        let numbers: Vec<u64> = ends.into_iter().chain((0..60).map(|_| rng.below(MODULUS))).collect();
        for &a in &numbers {
            for &b in &numbers {
                assert_eq!(mul(a, b), plain(a, b));
                assert_eq!(add(a, b), ((u128::from(a) + u128::from(b)) % u128::from(MODULUS)) as u64);
            }
            assert_eq!(add(a, negate(a)), 0);
            assert_eq!(mul(a, inverse(a)), u64::from(a != 0));
        }
        assert_eq!(power(3, 5), 243);
        assert_eq!((signed(-1), signed(i64::MIN)), (MODULUS - 1, negate(residue(1 << 63))));
    }

    #[test]
    fn greatest_common_divisors() {
        fn euclid(a: u64, b: u64) -> u64 {
            if b == 0 { a } else { euclid(b, a % b) }
        }
        for a in 0..60 {
            for b in 0..60 {
                assert_eq!(gcd(a, b), euclid(a, b));
            }
        }
        assert_eq!(gcd(u64::MAX, 3 << 40), 3);
    }
}
