//! Reverse mode on programs.

use crate::algebra::Coefficient;
use crate::horner::{Program, Term};
use std::collections::BTreeMap;

/// A program for the outputs of `program`, each followed by its derivatives by all inputs.
///
/// The derivative of an output by a temporary is a further temporary: the sum over the terms that hold it of the
/// derivative by the sum around the term, times the other factors. It needs about three operations for each operation
/// of the program and output, whatever the number of inputs.
///
/// # References
/// A. Griewank and A. Walther, "Evaluating Derivatives", SIAM, 2008, chapter 3.
pub(crate) fn reversed(program: &Program) -> Program {
    let inputs = program.inputs;
    let mut temporaries = program.temporaries.clone();
    let mut outputs = Vec::new();
    for output in &program.outputs {
        outputs.push(output.clone());
        let count = inputs + program.temporaries.len();
        // Derivatives by symbols, as terms without equal factors.
        let mut sums: Vec<BTreeMap<Vec<u32>, Coefficient>> = vec![BTreeMap::new(); count];
        add(&mut sums, output, None);
        for at in (0..program.temporaries.len()).rev() {
            let terms = terms_of(std::mem::take(&mut sums[inputs + at]));
            let outer = match &terms[..] {
                [] => continue,
                // A number or a single symbol needs no temporary.
                [term] if term.multiplications() == 0 => term.clone(),
                _ => {
                    let symbol = (inputs + temporaries.len()) as u32;
                    temporaries.push(terms);
                    Term::symbol(symbol)
                }
            };
            add(&mut sums, &program.temporaries[at], Some(&outer));
        }
        sums.truncate(inputs);
        outputs.extend(sums.into_iter().map(terms_of));
    }
    let mut whole = Program { inputs, temporaries, outputs };
    whole.sort();
    whole
}

/// Adds the derivatives of a sum by its factors, times `outer`.
fn add(sums: &mut [BTreeMap<Vec<u32>, Coefficient>], terms: &[Term], outer: Option<&Term>) {
    for term in terms {
        let mut at = 0;
        while at < term.factors.len() {
            let symbol = term.factors[at];
            let power = term.factors[at..].iter().take_while(|&&other| other == symbol).count();
            let mut factors = term.factors.clone();
            factors.remove(at);
            let value = term.value.mul(&Coefficient::from(power as i64));
            let mut product = Term { value, factors };
            if let Some(outer) = outer {
                product = product.times(outer);
            }
            let place = sums[symbol as usize].entry(product.factors).or_insert(Coefficient::ZERO);
            *place = place.add(&product.value);
            at += power;
        }
    }
}

fn terms_of(sum: BTreeMap<Vec<u32>, Coefficient>) -> Vec<Term> {
    sum.into_iter().filter(|(_, value)| !value.is_zero()).map(|(factors, value)| Term { value, factors }).collect()
}
