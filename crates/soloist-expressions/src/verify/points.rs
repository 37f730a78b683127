//! The points at which code is compared: each is the image of what is compared, so that no code can be made for it.

use super::evaluate::{COMPLEX_PRIME, PRIME, Point, power};
use crate::algebra::System;
use soloist::problem::StableHasher;
use std::hash::{BuildHasher, Hash, Hasher};

/// The points at which all outputs must agree.
pub(super) const COUNT: usize = 3;

/// A sequence of points, of which those that divide by zero are left out.
#[derive(Clone, Debug)]
pub(super) struct Points {
    state: u64,
    complex: bool,
    /// Points that divided by zero.
    unlucky: u64,
}

impl Points {
    /// Depends on the text from which the system was read (or its terms), on the code and on a seed.
    pub(super) fn new(system: &System, code: &str, seed: u64) -> Self {
        let mut hash = StableHasher::new();
        hash.write_u64(seed);
        match system.source() {
            Some(source) => hash.write(&source.text),
            None => {
                for definition in system.definitions() {
                    definition.name.hash(&mut hash);
                    for (row, value) in definition.polynomial.terms() {
                        row.hash(&mut hash);
                        value.hash(&mut hash);
                    }
                }
            }
        }
        hash.write(code.as_bytes());
        Self { state: hash.finish(), complex: system.is_complex(), unlucky: 0 }
    }

    fn next(&mut self) -> u64 {
        let mut hash = StableHasher::new();
        hash.write_u64(self.state);
        hash.write_u64(0x706f_696e_7473);
        self.state = hash.finish();
        self.state
    }

    /// Point `at` of those that are compared. The last one has a prime that no code can know: all coefficients of a
    /// difference may vanish modulo a known one. So has every point after one that divided by zero, because the prime
    /// may divide a constant.
    pub(super) fn point(&mut self, at: usize) -> Point {
        let seed = self.next();
        let fixed = if self.complex { COMPLEX_PRIME } else { PRIME };
        let prime = if at + 1 < COUNT && self.unlucky == 0 { fixed } else { self.prime() };
        Point { seed, prime, unit: if self.complex { unit(prime) } else { 0 } }
    }

    /// Notes that a point divided by zero. Returns whether another one is worth a try.
    pub(super) fn unlucky(&mut self) -> bool {
        self.unlucky += 1;
        self.unlucky < 20
    }

    /// A random prime between 2^61 and 2^62; of complex numbers one that has a root of -1.
    fn prime(&mut self) -> u64 {
        let mut number = (1 << 61) | (self.next() >> 3) | 1;
        if self.complex {
            number &= !2;
        }
        while !is_prime(number) {
            number += if self.complex { 4 } else { 2 };
        }
        number
    }
}

/// A seed from the randomness of the system.
pub(super) fn fresh() -> u64 {
    // The keys of a hash map are drawn by the system for each process.
    std::collections::hash_map::RandomState::new().hash_one(0x736f_6c6f_u64) >> 16
}

/// A number whose square is -1 modulo a prime that is 1 modulo 4.
pub(super) fn unit(prime: u64) -> u64 {
    (2..).map(|base| power(base, (prime - 1) / 4, prime)).find(|&root| power(root, 2, prime) == prime - 1).unwrap_or(0)
}

/// Whether a number below 2^63 is prime: the test of Miller and Rabin with bases that decide all numbers of 64 bits.
fn is_prime(number: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if number < 2 || BASES.iter().any(|&base| number.is_multiple_of(base)) {
        return BASES.contains(&number);
    }
    let twos = (number - 1).trailing_zeros();
    BASES.iter().all(|&base| {
        let mut value = power(base, (number - 1) >> twos, number);
        if value == 1 || value == number - 1 {
            return true;
        }
        (1..twos).any(|_| {
            value = power(value, 2, number);
            value == number - 1
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_prime() {
        assert!([2, 3, 37, 41, PRIME, COMPLEX_PRIME, (1 << 62) - 57].into_iter().all(is_prime));
        // Carmichael numbers, a square, and a product of two large primes.
        assert!(![1, 561, 41041, 3_215_031_751, 1369, 2_147_483_647 * 2_147_483_629].into_iter().any(is_prime));
        let mut points = Points { state: 1, complex: true, unlucky: 0 };
        let primes: Vec<u64> = (0..4).map(|_| points.prime()).collect();
        assert!(primes.iter().all(|&prime| is_prime(prime) && prime >> 61 == 1 && prime % 4 == 1));
        for prime in primes {
            assert_eq!(power(unit(prime), 2, prime), prime - 1);
        }
        assert_ne!(fresh(), fresh());
    }
}
