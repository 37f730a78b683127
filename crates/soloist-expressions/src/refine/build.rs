//! Builds the exact Horner form of the choices of a search.

use super::graph::{Graph, Id, NONE};
use crate::algebra::{Coefficient, Polynomial, Signs, System};
use crate::horner::{Dag, ONE, Scaled};

/// The form of `system` with the choices of `graph`, built from the exact terms. Where a choice does not fit, `order`
/// decides.
pub(super) fn build(system: &System, graph: &Graph, order: &[usize]) -> Dag {
    let mut dag = Dag::empty(Signs::Canonical);
    for (definition, &root) in system.definitions().iter().zip(&graph.roots) {
        let polynomial = &definition.polynomial;
        let scaled = if polynomial.is_empty() {
            Scaled { value: Coefficient::ZERO, node: ONE }
        } else {
            let divisor = vec![0; polynomial.variables().len()];
            let mut terms: Vec<u32> = (0..polynomial.len() as u32).collect();
            Builder { dag: &mut dag, polynomial, graph, order, divisor }.horner(&mut terms, root)
        };
        dag.root(scaled, definition.symbol);
    }
    dag
}

struct Builder<'a> {
    dag: &'a mut Dag,
    polynomial: &'a Polynomial,
    graph: &'a Graph,
    order: &'a [usize],
    /// The exponents of the monomial by which the present terms are divided.
    divisor: Vec<u16>,
}

impl Builder<'_> {
    fn exponent(&self, term: u32, variable: usize) -> u16 {
        self.polynomial.row(term as usize)[variable] - self.divisor[variable]
    }

    /// The Horner form of these terms. `node` is their node in the graph, or [`NONE`].
    fn horner(&mut self, terms: &mut [u32], node: Id) -> Scaled {
        let holds = |variable: usize| terms.iter().any(|&term| self.exponent(term, variable) > 0);
        let (variable, [low, high]) = match self.graph.choice(node) {
            Some((variable, rest)) if holds(variable) => (variable, rest),
            _ => match self.order.iter().find(|&&variable| holds(variable)) {
                Some(&variable) => (variable, [NONE; 2]),
                // Monomials are distinct, so that a single number is left.
                None => {
                    let value = self.polynomial.coefficients()[terms[0] as usize].clone();
                    return Scaled { value, node: ONE };
                }
            },
        };
        // Terms without the variable come first.
        let mut split = 0;
        for at in 0..terms.len() {
            if self.exponent(terms[at], variable) == 0 {
                terms.swap(at, split);
                split += 1;
            }
        }
        let (without, with) = terms.split_at_mut(split);
        let least = with.iter().map(|&term| self.exponent(term, variable)).min().unwrap_or(0);
        let below = (!without.is_empty()).then(|| self.horner(without, low));
        self.divisor[variable] += least;
        let above = self.horner(with, high);
        self.divisor[variable] -= least;
        match below {
            Some(below) => self.dag.join(below, variable, least.into(), above),
            None => self.dag.times(variable, least.into(), above.value, above.node),
        }
    }
}
