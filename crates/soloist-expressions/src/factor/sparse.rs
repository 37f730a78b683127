//! A sparse polynomial from its values at the powers of a point of primes.

use super::dense::{Dense, degree, factors};
use crate::scheme::field::{MODULUS, add, inverse, mul, negate};
use soloist::Rng;

/// The shortest linear recurrence of a sequence that grows, by the algorithm of Berlekamp and Massey.
#[derive(Clone, Debug)]
pub(super) struct Recurrence {
    values: Vec<u64>,
    /// 1 + c_1 z + ...
    connection: Dense,
    before: Dense,
    length: usize,
    gap: usize,
    last: u64,
}

impl Recurrence {
    pub(super) fn new() -> Self {
        Self { values: Vec::new(), connection: vec![1], before: vec![1], length: 0, gap: 1, last: 1 }
    }

    pub(super) fn push(&mut self, value: u64) {
        self.values.push(value);
        let n = self.values.len() - 1;
        let terms = self.connection.iter().enumerate().take(self.length.min(n) + 1);
        let discrepancy = terms.fold(0, |sum, (at, &c)| add(sum, mul(c, self.values[n - at])));
        if discrepancy == 0 {
            self.gap += 1;
            return;
        }
        let former = self.connection.clone();
        let factor = negate(mul(discrepancy, inverse(self.last)));
        if self.connection.len() < self.before.len() + self.gap {
            self.connection.resize(self.before.len() + self.gap, 0);
        }
        for (at, &x) in self.before.iter().enumerate() {
            let place = &mut self.connection[at + self.gap];
            *place = add(*place, mul(factor, x));
        }
        if 2 * self.length <= n {
            self.length = n + 1 - self.length;
            (self.before, self.last, self.gap) = (former, discrepancy, 1);
        } else {
            self.gap += 1;
        }
    }

    /// Whether the recurrence has predicted further values.
    pub(super) fn is_settled(&self) -> bool {
        self.values.len() >= 2 * self.length + 2
    }

    /// The numbers whose powers, with these factors, add up to the sequence. `None` if there are none.
    pub(super) fn solve(&self, rng: &mut Rng) -> Option<Vec<(u64, u64)>> {
        let size = self.length;
        // The polynomial whose roots are these numbers: the connection polynomial, reversed.
        let mut locator = self.connection.clone();
        locator.resize(size + 1, 0);
        locator.reverse();
        let parts = factors(&locator, rng);
        if parts.len() != size || parts.iter().any(|part| degree(part) != 1) {
            return None;
        }
        let roots: Vec<u64> = parts.iter().map(|part| negate(part[0])).collect();
        Some(roots.iter().map(|&root| (root, self.weight(&locator, root))).collect())
    }

    /// The factor of the powers of `root`, from the transposed system of Vandermonde.
    fn weight(&self, locator: &[u64], root: u64) -> u64 {
        let size = self.length;
        // The locator divided by (z - root), and its value at the root.
        let mut quotient = vec![0; size];
        let mut carry = 0;
        for at in (0..size).rev() {
            carry = add(locator[at + 1], mul(carry, root));
            quotient[at] = carry;
        }
        let value = quotient.iter().rev().fold(0, |sum, &x| add(mul(sum, root), x));
        let sum = quotient.iter().zip(&self.values).fold(0, |sum, (&x, &y)| add(sum, mul(x, y)));
        mul(sum, inverse(value))
    }
}

/// The first `count` primes.
pub(super) fn primes(count: usize) -> Vec<u64> {
    let mut primes: Vec<u64> = Vec::new();
    let mut next = 2;
    while primes.len() < count {
        if primes.iter().take_while(|&&prime| prime * prime <= next).all(|&prime| next % prime != 0) {
            primes.push(next);
        }
        next += 1;
    }
    primes
}

/// The exponents of the primes in a number; `None` if it has other factors.
pub(super) fn exponents(mut number: u64, primes: &[u64]) -> Option<Vec<u16>> {
    let mut row = vec![0; primes.len()];
    for (exponent, &prime) in row.iter_mut().zip(primes) {
        while number > 0 && number.is_multiple_of(prime) {
            number /= prime;
            *exponent += 1;
        }
        if number == 1 {
            return Some(row);
        }
    }
    (number == 1).then_some(row)
}

/// The fraction of a numerator and a denominator below 2^30 with this residue.
pub(super) fn fraction(residue: u64) -> Option<(i64, i64)> {
    let limit = 1 << 30;
    let (mut r, mut next) = (MODULUS as i64, residue as i64);
    let (mut t, mut t_next) = (0_i64, 1_i64);
    while next >= limit {
        let quotient = r / next;
        (r, next) = (next, r - quotient * next);
        (t, t_next) = (t_next, t - quotient * t_next);
    }
    let (above, below) = if t_next < 0 { (-next, -t_next) } else { (next, t_next) };
    (below > 0 && below < limit).then_some((above, below))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::field::{power, signed};

    #[test]
    fn finds_terms_from_values() {
        let terms: [(u64, i64); 4] = [(2 * 2 * 3, 5), (7, -3), (1, 11), (3 * 5 * 7, -1)];
        let mut sequence = Recurrence::new();
        let mut k = 0;
        while !sequence.is_settled() || k < 3 {
            sequence
                .push(terms.iter().fold(0, |sum, &(number, factor)| add(sum, mul(signed(factor), power(number, k)))));
            k += 1;
        }
        assert_eq!(k, 10);
        let mut found = sequence.solve(&mut Rng::new(1)).unwrap();
        found.sort_unstable();
        let mut expected = terms.map(|(number, factor)| (number, signed(factor)));
        expected.sort_unstable();
        assert_eq!(found, expected);
        assert_eq!(exponents(2 * 2 * 3 * 7, &primes(4)), Some(vec![2, 1, 0, 1]));
        assert_eq!((exponents(22, &primes(4)), exponents(0, &primes(2))), (None, None));
        let third = mul(signed(-7), inverse(3));
        assert_eq!((fraction(third), fraction(signed(-5)), fraction(0)), (Some((-7, 3)), Some((-5, 1)), Some((0, 1))));
    }
}
