//! The terms of a system, as the search for orders needs them.

use super::field::MODULUS;
use super::terms::Terms;
use crate::algebra::{Coefficient, Polynomial, System};

/// The terms of all definitions of a system; a block counts as an output. The flag tells whether the terms are exact:
/// they are unless a coefficient has more than 64 bits.
#[must_use]
pub fn terms(system: &System) -> (Terms, bool) {
    let mut terms = Terms::new(system.symbols().len());
    let mut exact = true;
    for (output, definition) in (0..).zip(system.definitions()) {
        let polynomial = &definition.polynomial;
        let factor = integer_factor(polynomial);
        for (row, value) in polynomial.terms() {
            let value = if factor == Coefficient::ONE { value.clone() } else { value.mul(&factor) };
            let (residue, size) = match value.small() {
                Some((number, _)) => (value.modulo(MODULUS).unwrap_or(0), number.unsigned_abs()),
                None => (0, 1),
            };
            // With a placeholder the exponents of the term still count.
            exact &= residue != 0;
            exact &= terms.push(output, row, residue.max(1), size).is_ok();
        }
    }
    (terms, exact)
}

/// A number that makes all coefficients integers. The content stays different from 1 if it was, because it costs an
/// operation.
fn integer_factor(polynomial: &Polynomial) -> Coefficient {
    if polynomial.coefficients().iter().all(Coefficient::is_integer) {
        return Coefficient::ONE;
    }
    let content = polynomial.content().abs();
    let big = content.to_big();
    let below = Coefficient::big_ratio(big.denom().clone(), 1.into()).unwrap_or(Coefficient::ONE);
    if content.mul(&below) == Coefficient::ONE { below.mul(&Coefficient::from(2)) } else { below }
}
