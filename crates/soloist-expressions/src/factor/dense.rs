//! Polynomials in one variable modulo the prime 2^61 - 1: coefficients by rising degree, the last one not zero.

use crate::scheme::field::{MODULUS, add, inverse, mul as times, negate};
use soloist::Rng;

pub(super) type Dense = Vec<u64>;

pub(super) fn trim(mut a: Dense) -> Dense {
    while a.last() == Some(&0) {
        a.pop();
    }
    a
}

/// The degree; 0 for the polynomial 0.
pub(super) fn degree(a: &[u64]) -> usize {
    a.len().saturating_sub(1)
}

pub(super) fn mul(a: &[u64], b: &[u64]) -> Dense {
    if a.is_empty() || b.is_empty() {
        return Dense::new();
    }
    let mut product = vec![0; a.len() + b.len() - 1];
    for (i, &x) in a.iter().enumerate().filter(|&(_, &x)| x != 0) {
        for (j, &y) in b.iter().enumerate() {
            product[i + j] = add(product[i + j], times(x, y));
        }
    }
    product
}

/// `a - b`.
pub(super) fn sub(a: &[u64], b: &[u64]) -> Dense {
    let at = |p: &[u64], i: usize| p.get(i).copied().unwrap_or(0);
    trim((0..a.len().max(b.len())).map(|i| add(at(a, i), negate(at(b, i)))).collect())
}

/// Quotient and remainder; `b` is not zero.
pub(super) fn div_rem(a: &[u64], b: &[u64]) -> (Dense, Dense) {
    let mut rest = a.to_vec();
    if a.len() < b.len() {
        return (Dense::new(), trim(rest));
    }
    let lead = b[b.len() - 1];
    let scale = if lead == 1 { 1 } else { inverse(lead) };
    let mut quotient = vec![0; a.len() - b.len() + 1];
    for at in (0..quotient.len()).rev() {
        let factor = times(rest[at + b.len() - 1], scale);
        quotient[at] = factor;
        if factor != 0 {
            let factor = negate(factor);
            for (place, &y) in b.iter().enumerate() {
                rest[at + place] = add(rest[at + place], times(factor, y));
            }
        }
    }
    rest.truncate(b.len() - 1);
    (quotient, trim(rest))
}

fn rem(a: &[u64], b: &[u64]) -> Dense {
    div_rem(a, b).1
}

/// `a` divided by its leading coefficient.
pub(super) fn monic(mut a: Dense) -> Dense {
    if let Some(&lead) = a.last()
        && lead != 1
    {
        let scale = inverse(lead);
        a.iter_mut().for_each(|x| *x = times(*x, scale));
    }
    a
}

fn gcd(a: &[u64], b: &[u64]) -> Dense {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    while !b.is_empty() {
        let rest = rem(&a, &b);
        (a, b) = (b, rest);
    }
    monic(a)
}

/// `s` and `t` with `s a + t b = 1`; `None` unless `a` and `b` are coprime.
pub(super) fn cofactors(a: &[u64], b: &[u64]) -> Option<(Dense, Dense)> {
    let (mut r, mut next) = (a.to_vec(), b.to_vec());
    let (mut s, mut s_next) = (vec![1], Dense::new());
    let (mut t, mut t_next) = (Dense::new(), vec![1]);
    while !next.is_empty() {
        let (quotient, rest) = div_rem(&r, &next);
        (r, next) = (next, rest);
        let s_new = sub(&s, &mul(&quotient, &s_next));
        (s, s_next) = (s_next, s_new);
        let t_new = sub(&t, &mul(&quotient, &t_next));
        (t, t_next) = (t_next, t_new);
    }
    if r.len() != 1 {
        return None;
    }
    let scale = inverse(r[0]);
    let scaled = |mut p: Dense| {
        p.iter_mut().for_each(|x| *x = times(*x, scale));
        p
    };
    Some((scaled(s), scaled(t)))
}

fn derivative(a: &[u64]) -> Dense {
    trim(a.iter().enumerate().skip(1).map(|(at, &x)| times(at as u64, x)).collect())
}

/// The parts of a monic polynomial by multiplicity: coprime square-free polynomials. Algorithm of Yun.
pub(super) fn square_free(a: &[u64]) -> Vec<(Dense, u32)> {
    let slope = derivative(a);
    let common = gcd(a, &slope);
    let mut rest = div_rem(a, &common).0;
    let mut other = div_rem(&slope, &common).0;
    let mut parts = Vec::new();
    let mut multiplicity = 0;
    while degree(&rest) > 0 {
        multiplicity += 1;
        let next = sub(&other, &derivative(&rest));
        let part = if next.is_empty() { monic(rest.clone()) } else { gcd(&rest, &next) };
        if degree(&part) > 0 {
            parts.push((part.clone(), multiplicity));
        }
        rest = div_rem(&rest, &part).0;
        other = div_rem(&next, &part).0;
    }
    parts
}

/// `a` to the power `n` modulo `m`.
fn power(a: &[u64], mut n: u64, m: &[u64]) -> Dense {
    let mut base = rem(a, m);
    let mut result = rem(&[1], m);
    while n > 0 {
        if n & 1 == 1 {
            result = rem(&mul(&result, &base), m);
        }
        base = rem(&mul(&base, &base), m);
        n >>= 1;
    }
    result
}

/// The irreducible factors of a monic square-free polynomial, in an order that depends on `rng`.
///
/// # References
/// D. G. Cantor and H. Zassenhaus, "A new algorithm for factoring polynomials over finite fields", Mathematics of
/// Computation 36, 1981, pages 587-592.
pub(super) fn factors(a: &[u64], rng: &mut Rng) -> Vec<Dense> {
    let mut found = Vec::new();
    let mut rest = a.to_vec();
    let mut frobenius: Dense = vec![0, 1];
    let mut size = 0;
    while degree(&rest) > 0 {
        size += 1;
        if 2 * size > degree(&rest) {
            found.push(rest);
            break;
        }
        frobenius = power(&frobenius, MODULUS, &rest);
        let part = gcd(&rest, &sub(&frobenius, &[0, 1]));
        if degree(&part) > 0 {
            rest = div_rem(&rest, &part).0;
            frobenius = if degree(&rest) > 0 { rem(&frobenius, &rest) } else { Dense::new() };
            split(part, size, rng, &mut found);
        }
    }
    found
}

/// Splits a product of irreducible factors of one degree.
fn split(a: Dense, size: usize, rng: &mut Rng, found: &mut Vec<Dense>) {
    if degree(&a) <= size {
        found.push(a);
        return;
    }
    loop {
        let draw: Dense = trim((0..degree(&a)).map(|_| rng.below(MODULUS)).collect());
        // The power (p^size - 1) / 2 of the draw, by its norm.
        let mut norm = draw.clone();
        let mut conjugate = draw;
        for _ in 1..size {
            conjugate = power(&conjugate, MODULUS, &a);
            norm = rem(&mul(&norm, &conjugate), &a);
        }
        let root = power(&norm, (MODULUS - 1) / 2, &a);
        let part = gcd(&a, &sub(&root, &[1]));
        if degree(&part) > 0 && degree(&part) < degree(&a) {
            let other = div_rem(&a, &part).0;
            split(part, size, rng, found);
            split(other, size, rng, found);
            return;
        }
    }
}

/// The monic polynomial whose power `exponent` is `a`, which is such a power.
pub(super) fn root(a: &[u64], exponent: u32) -> Dense {
    let size = degree(a) / exponent as usize;
    // Power series in the inverse of the variable.
    let scale = inverse(exponent.into());
    let mut series = vec![1];
    for k in 1..=size {
        let mut sum = 0;
        for j in 1..=k {
            // (j / exponent - (k - j)) a_j c_(k-j)
            let factor = add(times(j as u64, scale), negate((k - j) as u64));
            sum = add(sum, times(factor, times(a[degree(a) - j], series[k - j])));
        }
        series.push(times(sum, inverse(k as u64)));
    }
    series.reverse();
    series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_factors_multiply_to_the_polynomial() {
        let mut rng = Rng::new(3);
        for round in 0..20 {
            let roots: Vec<u64> = (0..5).map(|_| rng.below(MODULUS)).collect();
            let mut whole: Dense = vec![1];
            for (at, &x) in roots.iter().enumerate() {
                for _ in 0..=(at + round) % 3 {
                    whole = mul(&whole, &[x, 1]);
                }
            }
            // x^4 + x + r, of unknown factors
            whole = mul(&whole, &[rng.below(MODULUS), 1, 0, 0, 1]);
            let mut again: Dense = vec![1];
            let mut linear = 0;
            for (part, multiplicity) in square_free(&whole) {
                for factor in factors(&part, &mut rng) {
                    linear += usize::from(degree(&factor) == 1);
                    for _ in 0..multiplicity {
                        again = mul(&again, &factor);
                    }
                }
            }
            assert_eq!(again, whole);
            assert!(linear >= 5);
        }
    }

    #[test]
    fn roots_and_cofactors() {
        let a = vec![5, 7, 1];
        let cube = mul(&mul(&a, &a), &a);
        assert_eq!(root(&cube, 3), a);
        let b = vec![9, 0, 2, 1];
        let (s, t) = cofactors(&a, &b).unwrap();
        let one = sub(&mul(&s, &a), &sub(&[], &mul(&t, &b)));
        assert_eq!(one, [1]);
        assert!(cofactors(&mul(&a, &b), &b).is_none());
    }
}
