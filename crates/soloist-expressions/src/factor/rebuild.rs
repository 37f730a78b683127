//! Systems with factors and combinations of variables as blocks.

use super::split::factors;
use super::substitute::{Substituted, substituted};
use crate::algebra::{Coefficient, Definition, MAX_VARIABLES, Polynomial, System};
use crate::read::MAX_TABLE;
use crate::table::Table;
use soloist::Rng;
use std::sync::Arc;

/// A sum of terms: symbols with exponents, and the number in front.
type Terms = Vec<(Vec<(usize, u16)>, Coefficient)>;

/// The system whose polynomials are products of their factors, in the combinations of variables that they depend on.
/// Factors and combinations are blocks behind the symbols of `system`, each once. `None` if nothing was found with
/// this work, which is reduced.
pub(crate) fn rebuilt(system: &System, work: &mut u64) -> Option<System> {
    let mut draft = Draft {
        names: system.symbols().to_vec(),
        definitions: Vec::new(),
        known: Table::default(),
        rng: Rng::new(0x50b5),
        changed: false,
    };
    for definition in system.definitions() {
        let terms = draft.terms(&definition.polynomial, work);
        draft.definitions.push((definition.clone(), terms));
    }
    let Draft { names, definitions, changed, .. } = draft;
    let entries: usize = definitions.iter().map(|(_, terms)| terms.len()).sum();
    if !changed || names.len() > MAX_VARIABLES || entries.saturating_mul(names.len()) > MAX_TABLE {
        return None;
    }
    let symbols: Arc<[String]> = names.into();
    let mut made = Vec::new();
    for (definition, terms) in definitions {
        made.push(Definition { polynomial: polynomial(&symbols, terms)?, ..definition });
    }
    let system = System::new(symbols, made).ok()?.with_calls(system.calls().to_vec());
    Some(system)
}

struct Draft {
    names: Vec<String>,
    /// The polynomials of the definitions are replaced by the terms.
    definitions: Vec<(Definition, Terms)>,
    /// The blocks by their terms.
    known: Table<Terms, usize>,
    rng: Rng,
    changed: bool,
}

impl Draft {
    /// The terms of a polynomial as a product of its factors.
    fn terms(&mut self, polynomial: &Polynomial, work: &mut u64) -> Terms {
        let plain = || polynomial.terms().map(|(row, value)| (sparse(row), value.clone())).collect();
        if polynomial.len() < 3 {
            return plain();
        }
        let found = factors(polynomial, work);
        if let [(factor, 1)] = &found.factors[..] {
            let Some(better) = substituted(factor, &mut self.rng, work) else { return plain() };
            self.changed = true;
            let mut terms = self.in_combinations(polynomial.table(), &better);
            for (symbols, value) in &mut terms {
                *value = value.mul(&found.content);
                *symbols = merged(std::mem::take(symbols), sparse(&found.monomial));
            }
            return terms;
        }
        self.changed = true;
        let mut product = sparse(&found.monomial);
        let mut value = found.content;
        for (factor, exponent) in found.factors {
            let terms = match substituted(&factor, &mut self.rng, work) {
                Some(better) => self.in_combinations(factor.table(), &better),
                None => factor.terms().map(|(row, value)| (sparse(row), value.clone())).collect(),
            };
            let (symbol, content) = self.block(polynomial.table(), terms);
            product = merged(product, vec![(symbol, exponent as u16)]);
            value = value.mul(&power(&content, exponent));
        }
        vec![(product, value)]
    }

    /// The terms of a polynomial with a block for each combination.
    fn in_combinations(&mut self, table: &Arc<[String]>, better: &Substituted) -> Terms {
        let mut blocks: Table<usize, (usize, Coefficient)> = Table::default();
        for (&variable, added) in &better.added {
            let mut terms: Terms = vec![(vec![(variable, 1)], Coefficient::ONE)];
            terms.extend(added.iter().map(|(other, value)| (vec![(*other, 1)], value.clone())));
            soloist::order::sort_by(&mut terms, |a, b| a.0.cmp(&b.0));
            let block = self.block(table, terms);
            blocks.insert(variable, block);
        }
        let mut terms = Terms::new();
        for (row, value) in better.polynomial.terms() {
            let mut value = value.clone();
            let mut symbols: Vec<(usize, u16)> = Vec::new();
            for (variable, exponent) in sparse(row) {
                match blocks.get(&variable) {
                    Some((symbol, content)) => {
                        value = value.mul(&power(content, exponent.into()));
                        symbols = merged(symbols, vec![(*symbol, exponent)]);
                    }
                    None => symbols = merged(symbols, vec![(variable, exponent)]),
                }
            }
            terms.push((symbols, value));
        }
        terms
    }

    /// The symbol of a sum of several terms, or that of its multiple, and the number in front.
    fn block(&mut self, table: &Arc<[String]>, mut terms: Terms) -> (usize, Coefficient) {
        let mut content = terms.iter().fold(Coefficient::ZERO, |content, (_, value)| content.gcd(value));
        content = content.with_sign(terms.first().is_some_and(|(_, value)| value.is_negative()));
        for (_, value) in &mut terms {
            *value = value.div(&content).unwrap_or(Coefficient::ONE);
        }
        if let [(symbols, value)] = &terms[..]
            && let [(symbol, 1)] = symbols[..]
            && *value == Coefficient::ONE
        {
            return (symbol, content);
        }
        if let Some(&symbol) = self.known.get(&terms) {
            return (symbol, content);
        }
        let symbol = self.names.len();
        // No input has a name with a blank.
        let name = format!("factor {}", symbol + 1 - table.len());
        self.names.push(name.clone());
        self.known.insert(terms.clone(), symbol);
        let polynomial = Polynomial::constant(Arc::clone(table), Coefficient::ZERO);
        let definition = Definition { name, polynomial, symbol: Some(symbol), argument: false };
        self.definitions.push((definition, terms));
        (symbol, content)
    }
}

/// The symbols of a row of exponents.
fn sparse(row: &[u16]) -> Vec<(usize, u16)> {
    row.iter().enumerate().filter(|&(_, &exponent)| exponent > 0).map(|(at, &exponent)| (at, exponent)).collect()
}

/// The product of two monomials.
fn merged(mut a: Vec<(usize, u16)>, b: Vec<(usize, u16)>) -> Vec<(usize, u16)> {
    for (symbol, exponent) in b {
        match a.iter_mut().find(|(other, _)| *other == symbol) {
            Some((_, sum)) => *sum = sum.saturating_add(exponent),
            None => a.push((symbol, exponent)),
        }
    }
    soloist::order::sort(&mut a);
    a
}

fn power(value: &Coefficient, exponent: u32) -> Coefficient {
    (0..exponent).fold(Coefficient::ONE, |power, _| power.mul(value))
}

fn polynomial(symbols: &Arc<[String]>, terms: Terms) -> Option<Polynomial> {
    let n = symbols.len();
    let mut exponents = vec![0; terms.len() * n];
    let mut values = Vec::with_capacity(terms.len());
    for (at, (row, value)) in terms.into_iter().enumerate() {
        for (symbol, exponent) in row {
            exponents[at * n + symbol] = exponent;
        }
        values.push(value);
    }
    Polynomial::new(Arc::clone(symbols), exponents, values).ok()
}
