//! Outputs that are computed from other ones: the sum or difference of two outputs may have far fewer terms than each
//! of them.

use super::{Effort, Event, Simplification, Simplifier, SimplifyError};
use crate::algebra::{Coefficient, Polynomial, System};
use crate::horner::{Program, Term};
use crate::read::{Relation, with_relations};
use std::collections::HashMap;
use std::sync::Arc;

/// The most outputs whose pairs are compared, and the most terms of a system.
const MAX_OUTPUTS: usize = 32;
const MAX_TERMS: usize = 5_000;
/// A relation saves at least this many terms, and a quarter of those of its output.
const LEAST_SAVED: usize = 3;
/// The playouts of the run that shows whether relations can pay.
const SHORT: u64 = 100;

impl Simplifier<'_> {
    /// Simplifies `system` and reports each event to `observe`.
    ///
    /// Where sums or differences of outputs have far fewer terms than the outputs, the program that computes
    /// outputs from other ones is searched as well, and the better one is the result.
    ///
    /// # Errors
    /// A search that the engine refuses, for instance a method with parameters that contradict each other.
    pub fn run(
        &self,
        system: &Arc<System>,
        observe: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<Simplification, SimplifyError> {
        let relations = if self.order.is_some() || !self.effort.greedy { Vec::new() } else { relations(system) };
        let Some(other) = (!relations.is_empty()).then(|| with_relations(system, &relations)).flatten() else {
            return self.run_alone(system, observe);
        };
        // Two runs share the time.
        let mut part = self.clone();
        part.effort.time = self.effort.time.map(|time| time / 2);
        part.stop = self.stop.part(0.5);
        let mut done = part.run_alone(system, observe)?;
        if done.interrupted || self.stop.is_set() {
            return Ok(done);
        }
        part.stop = self.stop;
        let other = Arc::new(other);
        // A short run shows whether the relations can pay.
        let playouts = self.effort.playouts.unwrap_or(SHORT).min(SHORT);
        let short = Self { effort: Effort { playouts: Some(playouts), ..part.effort }, ..part.clone() };
        let mut found = short.run_alone(&other, &mut |_| ())?;
        if 10 * found.best.operations() <= 11 * done.best.operations() && self.effort.playouts != Some(playouts) {
            found = part.run_alone(&other, &mut |_| ())?;
        }
        let mut best = found.best;
        let program = restored(best.program, &found.system, &relations);
        if program.counts().total() < done.best.operations()
            && let Some(system) = own(system, &found.system, &relations)
        {
            best.program = program;
            done = Simplification { system: Arc::new(system), best, interrupted: found.interrupted };
        }
        Ok(done)
    }
}

/// The relations that save most terms; no output is both computed from another one and used for it.
fn relations(system: &System) -> Vec<Relation> {
    let outputs: Vec<&Polynomial> = system.outputs().map(|output| &output.polynomial).collect();
    if !(2..=MAX_OUTPUTS).contains(&outputs.len()) || system.terms() > MAX_TERMS {
        return Vec::new();
    }
    let terms: Vec<HashMap<&[u16], &Coefficient>> = outputs.iter().map(|output| output.terms().collect()).collect();
    let mut found = Vec::new();
    for output in 0..outputs.len() {
        for from in (0..outputs.len()).filter(|&from| from != output && outputs[from].len() > 1) {
            for negative in [false, true] {
                let common = outputs[output].terms().filter_map(|(row, value)| {
                    let other = terms[from].get(row)?.with_sign(negative);
                    Some(if value.add(&other).is_zero() { 2 } else { 1 })
                });
                let left = outputs[output].len() + outputs[from].len() - common.sum::<usize>();
                let saved = outputs[output].len().saturating_sub(left);
                if saved >= LEAST_SAVED && 4 * saved >= outputs[output].len() {
                    found.push((saved, Relation { output, from, negative }));
                }
            }
        }
    }
    soloist::order::sort_by_key(&mut found, |&(saved, _)| std::cmp::Reverse(saved));
    let mut chosen: Vec<Relation> = Vec::new();
    for (_, relation) in found {
        let free =
            chosen.iter().all(|one| ![one.output, one.from].contains(&relation.output) && one.output != relation.from);
        if free {
            chosen.push(relation);
        }
    }
    chosen
}

/// The place of each output among the results of a system.
fn places(system: &System) -> Vec<usize> {
    system.results().enumerate().filter(|(_, result)| !result.argument).map(|(at, _)| at).collect()
}

/// The program of the outputs themselves, from one in which related outputs are sums or differences.
fn restored(mut program: Program, system: &System, relations: &[Relation]) -> Program {
    let places = places(system);
    let mut temporary: HashMap<usize, Term> = HashMap::new();
    for relation in relations {
        let (from, output) = (places[relation.from], places[relation.output]);
        let whole = temporary.entry(from).or_insert_with(|| match &program.outputs[from][..] {
            [term] if term.multiplications() == 0 => term.clone(),
            _ => {
                let symbol = (program.inputs + program.temporaries.len()) as u32;
                let term = Term { value: Coefficient::ONE, factors: vec![symbol] };
                let sum = std::mem::replace(&mut program.outputs[from], vec![term.clone()]);
                program.temporaries.push(sum);
                term
            }
        });
        let more = Term { value: whole.value.with_sign(!relation.negative), factors: whole.factors.clone() };
        let terms = &mut program.outputs[output];
        match terms.iter_mut().find(|term| term.factors == more.factors) {
            Some(term) => term.value = term.value.add(&more.value),
            None => terms.push(more),
        }
        terms.retain(|term| !term.value.is_zero());
    }
    program
}

/// The system of the outputs themselves, with the calls and blocks of one with relations.
fn own(system: &System, found: &System, relations: &[Relation]) -> Option<System> {
    let names: Vec<String> = system.outputs().map(|output| output.name.clone()).collect();
    let outputs: Vec<&Polynomial> = found.outputs().map(|output| &output.polynomial).collect();
    let mut polynomials: Vec<Polynomial> = outputs.iter().map(|&output| output.clone()).collect();
    for relation in relations {
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        for (row, value) in outputs[relation.output].terms() {
            rows.extend_from_slice(row);
            values.push(value.clone());
        }
        for (row, value) in outputs[relation.from].terms() {
            rows.extend_from_slice(row);
            values.push(value.with_sign(!relation.negative));
        }
        polynomials[relation.output] = Polynomial::new(Arc::clone(found.symbols()), rows, values).ok()?;
    }
    found.with_outputs(names, polynomials)
}
