//! Derivatives of outputs: the polynomials, and programs that compute them by reverse mode.

mod reverse;
#[cfg(test)]
mod tests;

use crate::algebra::{Coefficient, Definition, Polynomial, System};
pub(crate) use reverse::reversed;
use std::sync::Arc;

/// The outputs of a system, each followed by its derivatives by all inputs in the order of the inputs, named
/// `d(f)/d(x)`. Derivatives that are 0 are outputs too.
///
/// # Errors
/// One line: a system with functions, divisions or blocks.
pub fn with_gradient(system: &System) -> Result<System, String> {
    if !system.calls().is_empty() {
        return Err("derivatives of functions and of divisions are not computed".into());
    }
    if system.is_block().contains(&true) {
        return Err("derivatives need sums that are multiplied out, and this input is too large for that".into());
    }
    let inputs = system.given();
    let mut definitions = Vec::new();
    for output in system.outputs() {
        definitions.push(output.clone());
        for &symbol in &inputs {
            let name = format!("d({})/d({})", output.name, system.symbols()[symbol]);
            let polynomial = derivative(&output.polynomial, symbol);
            definitions.push(Definition { name, polynomial, symbol: None, argument: false });
        }
    }
    System::new(Arc::clone(system.symbols()), definitions)
}

/// The derivative by one variable.
fn derivative(polynomial: &Polynomial, variable: usize) -> Polynomial {
    let (mut exponents, mut coefficients) = (Vec::new(), Vec::new());
    for (row, value) in polynomial.terms().filter(|(row, _)| row[variable] > 0) {
        let from = exponents.len();
        exponents.extend_from_slice(row);
        exponents[from + variable] -= 1;
        coefficients.push(value.mul(&Coefficient::from(i64::from(row[variable]))));
    }
    Polynomial::new(Arc::clone(polynomial.table()), exponents, coefficients).expect("a row for each coefficient")
}
