//! The terms of a system, as the search for orders needs them.

use super::field::MODULUS;
use super::terms::Terms;
use crate::algebra::{Coefficient, Polynomial, System};
use crate::table::Table;

/// The terms of all definitions of a system; a block counts as an output. The flag tells whether the terms are exact:
/// they are unless a coefficient reaches the modulus, 2^61 - 1, from which on two numbers have the same remainder.
#[must_use]
pub fn terms(system: &System) -> (Terms, bool) {
    let mut terms = Terms::new(system.symbols().len());
    let mut exact = true;
    for ((output, definition), factor) in (0..).zip(system.definitions()).zip(integer_factors(system)) {
        let polynomial = &definition.polynomial;
        for (row, value) in polynomial.terms() {
            let value = if factor == Coefficient::ONE { value.clone() } else { value.mul(&factor) };
            let (residue, size) = match value.small() {
                Some((number, _)) => (value.modulo(MODULUS).unwrap_or(0), number.unsigned_abs()),
                None => (0, 1),
            };
            // With a placeholder the exponents of the term still count.
            exact &= residue != 0 && size < MODULUS;
            exact &= terms.push(output, row, residue.max(1), size).is_ok();
        }
    }
    (terms, exact)
}

/// For each definition a number that makes all coefficients integers: whatever content it has then, the costs inside
/// are the same. Definitions with the same content keep the same one, others have others, and none but 1 becomes 1,
/// because the multiplication of a whole definition by its content is an operation, once for each definition and
/// content.
fn integer_factors(system: &System) -> Vec<Coefficient> {
    let is_whole = |polynomial: &Polynomial| polynomial.coefficients().iter().all(Coefficient::is_integer);
    let polynomials = || system.definitions().iter().map(|definition| &definition.polynomial);
    if polynomials().all(is_whole) {
        return vec![Coefficient::ONE; system.definitions().len()];
    }
    let contents: Vec<Coefficient> = polynomials().map(|polynomial| polynomial.content().abs()).collect();
    let mut taken: Table<Coefficient, ()> = contents.iter().map(|content| (content.clone(), ())).collect();
    let mut labels: Table<&Coefficient, Coefficient> = Table::default();
    let mut next = 2;
    let factor = |(polynomial, content)| {
        if is_whole(polynomial) {
            return Coefficient::ONE;
        }
        let label = labels.entry(content).or_insert_with(|| {
            loop {
                let label = Coefficient::from(next);
                next += 1;
                if taken.insert(label.clone(), ()).is_none() {
                    break label;
                }
            }
        });
        // A polynomial with a fraction is not zero, nor is its content.
        label.div(content).unwrap_or(Coefficient::ONE)
    };
    polynomials().zip(&contents).map(factor).collect()
}
