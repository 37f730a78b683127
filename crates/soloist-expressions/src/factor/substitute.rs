//! Variables that occur in fixed combinations only: `f(x - z, y - z)` in place of `g(x, y, z)`.

use super::lift::nullspace;
use super::sparse::fraction;
use crate::algebra::{Coefficient, Polynomial};
use crate::scheme::field::{MODULUS, add, inverse, mul};
use soloist::Rng;
use std::collections::BTreeMap;

/// The largest numerator and denominator of a combination.
const MAX_RATIO: i64 = 1000;

/// A polynomial in which combinations take the place of variables.
#[derive(Debug)]
pub(super) struct Substituted {
    /// The polynomial without the variables that are left out.
    pub(super) polynomial: Polynomial,
    /// For each variable that stands for a combination what is added to it.
    pub(super) added: BTreeMap<usize, Vec<(usize, Coefficient)>>,
}

/// The polynomial in fewer combinations of its variables. `None` if it needs all of its variables, or if finding that
/// out takes more than `work`, which is reduced.
///
/// The polynomial does not change along a vector c if the sum of c_i times its derivative by x_i is 0. Such vectors are
/// orthogonal to the gradients at random points; each is then checked exactly. If c_j is 1, x_j may be set to 0 when
/// x_i - c_i x_j takes the place of x_i.
pub(super) fn substituted(polynomial: &Polynomial, rng: &mut Rng, work: &mut u64) -> Option<Substituted> {
    if polynomial.degree() < 2 || polynomial.len() < 3 {
        return None;
    }
    let occurrences = polynomial.occurrences();
    // Variables of many terms are left out first.
    let mut variables: Vec<usize> = (0..occurrences.len()).filter(|&at| occurrences[at] > 0).collect();
    soloist::order::sort_by_key(&mut variables, |&at| std::cmp::Reverse(occurrences[at]));
    let m = variables.len();
    let entries = occurrences.iter().sum::<usize>() as u64;
    *work = work.checked_sub((m as u64 + 2) * entries * 4 + (m as u64).pow(3))?;
    let values: Option<Vec<u64>> = polynomial.coefficients().iter().map(|value| value.modulo(MODULUS)).collect();
    let values = values?;
    let rows = (0..m + 2).map(|_| gradient(polynomial, &values, &variables, rng)).collect();
    let mut vectors: Vec<Vec<(usize, Coefficient)>> = Vec::new();
    for vector in nullspace(rows, m) {
        let mut exact = Vec::new();
        for (&variable, &residue) in variables.iter().zip(&vector).filter(|&(_, &residue)| residue != 0) {
            let (above, below) = fraction(residue).filter(|&(a, b)| a.abs() <= MAX_RATIO && b <= MAX_RATIO)?;
            exact.push((variable, Coefficient::ratio(above, below)?));
        }
        if !is_constant_along(polynomial, &exact) {
            return None;
        }
        // The first entry is 1.
        vectors.push(exact);
    }
    if vectors.is_empty() {
        return None;
    }
    let mut added: BTreeMap<usize, Vec<(usize, Coefficient)>> = BTreeMap::new();
    let mut gone = vec![false; occurrences.len()];
    for vector in &vectors {
        let (left_out, _) = vector[0];
        gone[left_out] = true;
        for (variable, ratio) in &vector[1..] {
            added.entry(*variable).or_default().push((left_out, ratio.neg()));
        }
    }
    let mut exponents = Vec::new();
    let mut coefficients = Vec::new();
    for (row, value) in polynomial.terms() {
        if row.iter().zip(&gone).all(|(&exponent, &gone)| exponent == 0 || !gone) {
            exponents.extend_from_slice(row);
            coefficients.push(value.clone());
        }
    }
    let polynomial = Polynomial::new(polynomial.table().clone(), exponents, coefficients).ok()?;
    Some(Substituted { polynomial, added })
}

/// The derivatives by the variables at a random point.
fn gradient(polynomial: &Polynomial, values: &[u64], variables: &[usize], rng: &mut Rng) -> Vec<u64> {
    let point: Vec<u64> = variables.iter().map(|_| 1 + rng.below(MODULUS - 1)).collect();
    let inverses: Vec<u64> = point.iter().map(|&x| inverse(x)).collect();
    let mut gradient = vec![0; variables.len()];
    for ((row, _), &value) in polynomial.terms().zip(values) {
        let mut product = value;
        for (&variable, &x) in variables.iter().zip(&point) {
            for _ in 0..row[variable] {
                product = mul(product, x);
            }
        }
        for ((&variable, &inverse), sum) in variables.iter().zip(&inverses).zip(&mut gradient) {
            if row[variable] > 0 {
                *sum = add(*sum, mul(mul(product, inverse), row[variable].into()));
            }
        }
    }
    gradient
}

/// Whether the derivative along a vector is 0.
fn is_constant_along(polynomial: &Polynomial, vector: &[(usize, Coefficient)]) -> bool {
    let (mut exponents, mut coefficients) = (Vec::new(), Vec::new());
    for (row, value) in polynomial.terms() {
        for (variable, factor) in vector {
            let exponent = row[*variable];
            if exponent > 0 {
                let from = exponents.len();
                exponents.extend_from_slice(row);
                exponents[from + variable] -= 1;
                coefficients.push(value.mul(factor).mul(&Coefficient::from(i64::from(exponent))));
            }
        }
    }
    Polynomial::new(polynomial.table().clone(), exponents, coefficients).is_ok_and(|sum| sum.is_empty())
}
