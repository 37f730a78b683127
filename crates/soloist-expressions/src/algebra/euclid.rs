//! Greatest common divisors of large numbers.

use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};

/// Bits of the leading parts that quotients are computed from.
const LEADING: u64 = 62;

/// The greatest common divisor; `gcd(0, 0) = 0`.
///
/// Lehmer's algorithm: the quotients of Euclid's are computed from the leading bits, about 30 bits of both numbers at a
/// time, as long as these bits determine them. For numbers of n bits it takes n / 30 steps of O(n).
///
/// # References
/// D. H. Lehmer, "Euclid's algorithm for large numbers", American Mathematical Monthly 45, 1938, pages 227-233; D. E.
/// Knuth, The Art of Computer Programming, volume 2, 1997, section 4.5.2, algorithm L.
pub(super) fn gcd(a: &BigUint, b: &BigUint) -> BigUint {
    counted(a, b).0
}

/// As [`gcd`], with the number of steps over whole numbers.
fn counted(a: &BigUint, b: &BigUint) -> (BigUint, u64) {
    let (mut a, mut b) = if a >= b { (a.clone(), b.clone()) } else { (b.clone(), a.clone()) };
    let mut steps = 0;
    while b.bits() > u64::BITS.into() {
        steps += 1;
        let shift = a.bits() - LEADING;
        let part = |number: &BigUint| (number >> shift).to_i64().unwrap_or(i64::MAX);
        match cofactors(part(&a), part(&b)) {
            // The second quotient is not determined, or the first one is large: a whole division.
            [_, 0, _, _] => {
                let rest = &a % &b;
                (a, b) = (b, rest);
            }
            [x, y, z, w] => {
                let (first, second) = (BigInt::from(a), BigInt::from(b));
                let combined = |x: i64, y: i64| (&first * x + &second * y).into_parts().1;
                (a, b) = (combined(x, y), combined(z, w));
            }
        }
    }
    if b.is_zero() {
        return (a, steps);
    }
    let (mut x, mut y) = (b.to_u64().unwrap_or_default(), (a % b).to_u64().unwrap_or_default());
    while y != 0 {
        (x, y) = (y, x % y);
    }
    (x.into(), steps + 1)
}

/// The matrix of as many of Euclid's steps as leading parts `a >= b` determine, whatever the bits behind them: the
/// numbers become `matrix[0] a + matrix[1] b` and `matrix[2] a + matrix[3] b`. `matrix[1]` is 0 if no step is
/// determined.
fn cofactors(mut a: i64, mut b: i64) -> [i64; 4] {
    let [mut x, mut y, mut z, mut w] = [1, 0, 0, 1];
    // Both ends of the range in which the quotient lies agree on it. Knuth's bounds keep all numbers below 2^63.
    while b + z != 0 && b + w != 0 {
        let quotient = (a + x) / (b + z);
        if quotient != (a + y) / (b + w) {
            break;
        }
        (x, z) = (z, x - quotient * z);
        (y, w) = (w, y - quotient * w);
        (a, b) = (b, a - quotient * b);
    }
    [x, y, z, w]
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_integer::Integer;
    use proptest::prelude::*;
    use soloist::Rng;

    fn random(rng: &mut Rng, bits: u64) -> BigUint {
        let digits = (0..bits.div_ceil(32)).map(|_| rng.next_u64() as u32).collect();
        BigUint::new(digits) >> (bits.div_ceil(32) * 32 - bits)
    }

    proptest! {
        #[test]
        fn agrees_with_the_library(
            a in proptest::collection::vec(any::<u32>(), 0..20),
            b in proptest::collection::vec(any::<u32>(), 0..20),
            common in proptest::collection::vec(any::<u32>(), 0..10),
        ) {
            let common = BigUint::new(common);
            let (a, b) = (BigUint::new(a) * &common, BigUint::new(b) * &common);
            prop_assert_eq!(gcd(&a, &b), a.gcd(&b));
            prop_assert_eq!(gcd(&b, &a), a.gcd(&b));
        }
    }

    /// Quotients that are all 1, all huge, or at the borders of words.
    #[test]
    fn odd_quotients() {
        let (mut a, mut b) = (BigUint::from(1_u8), BigUint::from(1_u8));
        for _ in 0..2_000 {
            (a, b) = (&a + &b, a);
        }
        assert_eq!(gcd(&a, &b), BigUint::from(1_u8));
        let power = |exponent: u32| BigUint::from(2_u8).pow(exponent);
        for exponent in [62, 63, 64, 65, 127, 128, 129, 1_000] {
            for (a, b) in [
                (power(exponent), power(exponent) - 1_u8),
                (power(exponent) + 1_u8, power(exponent) - 1_u8),
                (power(exponent) * 3_u8, power(exponent)),
                (power(3 * exponent) - 1_u8, power(exponent) - 1_u8),
                (power(2 * exponent) + power(exponent) + 1_u8, power(exponent) + 3_u8),
            ] {
                assert_eq!(gcd(&a, &b), a.gcd(&b), "{a} {b}");
            }
        }
    }

    /// The algorithms of the libraries take a step for each bit.
    #[test]
    fn a_step_settles_many_bits() {
        let mut rng = Rng::new(1);
        for bits in [1_000, 10_000, 35_000] {
            let (a, b) = (random(&mut rng, bits), random(&mut rng, bits));
            let (found, steps) = counted(&a, &b);
            assert!(steps < bits / 25 + 10, "{steps} steps for {bits} bits");
            assert_eq!(found, a.gcd(&b));
        }
    }
}
