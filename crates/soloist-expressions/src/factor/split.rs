//! The factors of a polynomial.

use super::black_box::{BlackBox, Split};
use super::sparse::{Recurrence, exponents, fraction, primes};
use crate::algebra::{Coefficient, Polynomial};
use soloist::Rng;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most products of terms of one exact division.
const MAX_PRODUCTS: usize = 4_000_000;

/// A polynomial as a number, a monomial and powers of factors of several terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factors {
    /// The number in front.
    pub content: Coefficient,
    /// The exponents of the monomial.
    pub monomial: Vec<u16>,
    /// Factors with coprime integers as coefficients, the first one positive, and their exponents.
    pub factors: Vec<(Polynomial, u32)>,
}

/// The factors of a polynomial over the rational numbers, or what is found of them with an amount of work.
///
/// The polynomial is factored on a random plane modulo the prime 2^61 - 1. The factors of the plane give values of the
/// factors at any point, from which the terms follow. Each factor that is found is divided out exactly. Factors that
/// split only over larger fields, whose terms have numbers above 2^30 or that are too long for `work` stay together.
/// For t terms of total degree d (at most 60) and factors of s terms, the work counts about 2 s d^2 t multiplications,
/// two to three hundred millions a second; it is subtracted from `work`.
///
/// # References
/// E. Kaltofen and B. Trager, "Computing with polynomials given by black boxes for their evaluations", Journal of
/// Symbolic Computation 9, 1990, pages 301-320; M. Ben-Or and P. Tiwari, "A deterministic algorithm for sparse
/// multivariate polynomial interpolation", STOC 1988, pages 301-309.
///
/// ```
/// use soloist_expressions::{factors, parse};
/// let system = parse("f.txt", b"6*(a+b)^2*(a*c-b)*c", true).unwrap();
/// let found = factors(&system.definitions()[0].polynomial, &mut 100_000_000);
/// let texts: Vec<String> = found.factors.iter().map(|(factor, power)| format!("({factor})^{power}")).collect();
/// assert_eq!((found.content.to_string(), texts), ("6".to_owned(), vec!["(a+b)^2".to_owned(),
/// "(a*c-b)^1".to_owned()]));
/// ```
#[must_use]
pub fn factors(polynomial: &Polynomial, work: &mut u64) -> Factors {
    let n = polynomial.variables().len();
    let mut monomial: Vec<u16> = polynomial.terms().next().map_or_else(|| vec![0; n], |(row, _)| row.to_vec());
    for (row, _) in polynomial.terms() {
        for (least, &exponent) in monomial.iter_mut().zip(row) {
            *least = (*least).min(exponent);
        }
    }
    let content = polynomial.content();
    let mut found = Factors { content: content.clone(), monomial, factors: Vec::new() };
    if polynomial.len() < 2 {
        return found;
    }
    let mut rest = primitive(polynomial, &content, &found.monomial);
    let occurrences = rest.occurrences();
    let mut variables: Vec<usize> = (0..n).filter(|&variable| occurrences[variable] > 0).collect();
    // Small primes for the variables of many terms keep the values of monomials small.
    soloist::order::sort_by_key(&mut variables, |&variable| std::cmp::Reverse(occurrences[variable]));
    let mut rng = Rng::new(0xfac7);
    let parts = match BlackBox::split(&rest, &variables, &mut rng, work) {
        Split::No => Vec::new(),
        Split::Yes(black_box) => terms_of_factors(*black_box, rest.table(), &variables, &mut rng, work),
    };
    for (factor, multiplicity) in parts {
        for _ in 0..multiplicity {
            match divide(&rest, &factor) {
                Some(quotient) => {
                    rest = quotient;
                    match found.factors.last_mut() {
                        Some((last, exponent)) if *last == factor => *exponent += 1,
                        _ => found.factors.push((factor.clone(), 1)),
                    }
                }
                None => break,
            }
        }
    }
    if rest.len() > 1 {
        found.factors.push((rest, 1));
    }
    found
}

/// The factors whose values determine them, with multiplicities; the one of most terms may be left out.
fn terms_of_factors(
    mut black_box: BlackBox,
    table: &Arc<[String]>,
    variables: &[usize],
    rng: &mut Rng,
    work: &mut u64,
) -> Vec<(Polynomial, u32)> {
    let primes = primes(variables.len());
    let mut point = vec![1_u64; variables.len()];
    let count = black_box.unknown.len();
    let mut sequences = vec![Recurrence::new(); count];
    let mut open = vec![true; count];
    loop {
        let left: Vec<usize> = (0..count).filter(|&at| open[at]).collect();
        // A single factor that is left follows by division.
        if left.is_empty() || count > 1 && left.len() == 1 && black_box.unknown[left[0]].multiplicity == 1 {
            break;
        }
        let Some(less) = work.checked_sub(black_box.work()) else { break };
        *work = less;
        for (at, value) in black_box.values(&point).into_iter().enumerate() {
            if open[at] {
                sequences[at].push(value);
                open[at] = !sequences[at].is_settled();
            }
        }
        for (x, &prime) in point.iter_mut().zip(&primes) {
            *x = crate::scheme::field::mul(*x, prime);
        }
    }
    let mut found: Vec<(usize, Polynomial, u32)> = Vec::new();
    for at in (0..count).filter(|&at| !open[at]) {
        let solved = sequences[at].solve(rng).and_then(|terms| polynomial(&terms, table, variables, &primes));
        if let Some(factor) = solved {
            found.push((factor.len(), factor, black_box.unknown[at].multiplicity));
        }
    }
    soloist::order::sort_by(&mut found, |a, b| (a.0, a.1.exponents()).cmp(&(b.0, b.1.exponents())));
    found.into_iter().map(|(_, factor, multiplicity)| (factor, multiplicity)).collect()
}

/// The primitive polynomial of monomials, as products of primes, and residues that are its coefficients up to a number.
fn polynomial(terms: &[(u64, u64)], table: &Arc<[String]>, variables: &[usize], primes: &[u64]) -> Option<Polynomial> {
    let scale = crate::scheme::field::inverse(terms.first()?.1);
    let mut rows = Vec::with_capacity(terms.len() * table.len());
    let mut values = Vec::with_capacity(terms.len());
    for &(number, residue) in terms {
        let mut row = vec![0_u16; table.len()];
        for (&variable, exponent) in variables.iter().zip(exponents(number, primes)?) {
            row[variable] = exponent;
        }
        rows.extend(row);
        let (above, below) = fraction(crate::scheme::field::mul(residue, scale))?;
        values.push(Coefficient::ratio(above, below)?);
    }
    let polynomial = Polynomial::new(Arc::clone(table), rows, values).ok()?;
    let content = polynomial.content();
    (polynomial.len() > 1).then(|| primitive(&polynomial, &content, &vec![0; table.len()]))
}

/// The polynomial divided by its content and a monomial.
fn primitive(polynomial: &Polynomial, content: &Coefficient, monomial: &[u16]) -> Polynomial {
    let scale = Coefficient::ONE.div(content).unwrap_or(Coefficient::ONE);
    let rows = polynomial.terms().flat_map(|(row, _)| row.iter().zip(monomial).map(|(&x, &least)| x - least)).collect();
    let values = polynomial.coefficients().iter().map(|value| value.mul(&scale)).collect();
    Polynomial::new(Arc::clone(polynomial.table()), rows, values).expect("as many terms as before")
}

/// The exact quotient, if there is one and it takes at most [`MAX_PRODUCTS`] products of terms.
fn divide(polynomial: &Polynomial, divisor: &Polynomial) -> Option<Polynomial> {
    let (lead, number) = divisor.terms().next()?;
    let mut rest: BTreeMap<Vec<u16>, Coefficient> =
        polynomial.terms().map(|(row, value)| (row.to_vec(), value.clone())).collect();
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    while let Some((row, value)) = rest.pop_last() {
        if (values.len() + 1) * divisor.len() > MAX_PRODUCTS {
            return None;
        }
        let quotient: Option<Vec<u16>> = row.iter().zip(lead).map(|(&x, &y)| x.checked_sub(y)).collect();
        let (quotient, factor) = (quotient?, value.div(number)?);
        for (other, coefficient) in divisor.terms().skip(1) {
            let row: Option<Vec<u16>> = quotient.iter().zip(other).map(|(&x, &y)| x.checked_add(y)).collect();
            let change = factor.mul(coefficient).neg();
            let entry = rest.entry(row?);
            match entry {
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(change);
                }
                std::collections::btree_map::Entry::Occupied(mut entry) => {
                    let sum = entry.get().add(&change);
                    if sum.is_zero() {
                        entry.remove();
                    } else {
                        *entry.get_mut() = sum;
                    }
                }
            }
        }
        rows.extend(quotient);
        values.push(factor);
    }
    Polynomial::new(Arc::clone(polynomial.table()), rows, values).ok()
}
