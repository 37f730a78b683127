//! A variable of its own for each sub-expression, instead of one order for all.

mod build;
mod graph;
#[cfg(test)]
mod tests;

use super::dag::{Dag, Signs, Table};
use super::scheme::Terms;
use super::{System, problem};
use graph::{Graph, NONE};
use soloist::Rng;
use std::sync::atomic::{AtomicBool, Ordering};

/// Variables and total degree of a system beyond which nothing is refined: their sum bounds how deep forms are nested.
const MAX_DEPTH: u64 = 1000;
/// All is built anew when there are so many nodes, or terms of polynomials, for each one at first, and some more: most are out
/// of use then.
const WORN: usize = 8;
const WORN_LEAST: usize = 1 << 16;
const WORN_TERMS: usize = 1 << 26;
/// Temperature at the beginning, in operations; it falls to 0 over this part of the run.
const HOT: f64 = 0.3;
const COOLED: f64 = 0.9;
/// Draws in a row that find no sum to change before all is built anew, or the search ends if nothing is out of use.
const MAX_IDLE: u32 = 10_000;

/// How long [`refine`] tries.
#[derive(Clone, Copy, Debug)]
pub struct Refinement {
    /// Attempts at most.
    pub rounds: u64,
    /// Terms looked at and nodes counted at most: thirty to forty millions a second.
    pub work: u64,
    /// The seed.
    pub seed: u64,
}

/// A Horner form with an order of its own for each sub-expression.
#[derive(Clone, Debug)]
pub struct Refined {
    /// The form.
    pub dag: Dag,
    /// Sub-expressions from which another variable is extracted than the first one of the order that they hold.
    pub exceptions: usize,
    /// Attempts.
    pub attempts: u64,
}

/// Lowers the operations of the Horner form of `order` (outermost symbol first, completed as by [`Dag::build`]) by
/// extracting other variables from some of its sub-expressions.
///
/// A polynomial P is written `q + v^d r`, and q and r in the same way, each by a variable of its own; equal polynomials, up
/// to a number in front, get the same variable, so that they stay one sub-expression. The search is annealing: an attempt
/// takes another variable of a random term of a random sub-polynomial, and is taken back if that costs d operations more,
/// but for a share of `exp(-d / T)`; T falls from 0.3 to 0. Uses are counted, and what nothing uses is kept for a while, so
/// that an attempt costs the terms of the polynomials that are split anew, a hundred or so, whatever the size of the system,
/// and taking it back no split at all.
///
/// The result is built from the exact terms: polynomials are told apart by their values at a random point, as by
/// [`Scheme`](super::scheme::Scheme), but a point that mixes two of them up costs operations at most, nothing else. Equal
/// arguments give equal forms unless `stop` ends the run early. Where that leaves more operations than `order` alone, as a
/// few attempts may, the form of `order` is the result. Memory: some 150 bytes, two for each variable and four for each
/// term, for each of about eight times as many sub-expressions as the form has.
///
/// `None` where nothing can be done: coefficients of more than 64 bits, or more than 1000 variables and degrees together.
///
/// # References
/// M. Ceberio and V. Kreinovich, "Greedy algorithms for optimizing multivariate Horner schemes", ACM SIGSAM Bulletin 38,
/// 2004, choose the variable of each sub-polynomial greedily, by the number of terms that hold it: without a view to common
/// sub-expressions that costs more than one good order for all.
#[must_use]
pub fn refine(system: &System, order: &[usize], limits: Refinement, stop: Option<&AtomicBool>) -> Option<Refined> {
    let (terms, exact) = problem::terms(system);
    let degree = system.definitions().iter().map(|definition| definition.polynomial.degree()).max().unwrap_or(0);
    if !exact || degree + terms.variables() as u64 > MAX_DEPTH {
        return None;
    }
    let order = super::simplify::complete(system, order);
    let (graph, attempts) = anneal(&terms, system.definitions().len(), &order, limits, stop);
    let (exceptions, dag) = (graph.choices().len(), build::build(system, &graph, &order));
    drop(graph);
    let plain = Dag::build(system, &order, Signs::Canonical);
    // The graph does not count what contents and powers of powers share.
    Some(if exceptions == 0 || plain.code_counts().total() < dag.code_counts().total() {
        Refined { dag: plain, exceptions: 0, attempts }
    } else {
        Refined { dag, exceptions, attempts }
    })
}

/// The best form that annealing finds, and the number of attempts.
fn anneal(
    terms: &Terms,
    outputs: usize,
    order: &[usize],
    limits: Refinement,
    stop: Option<&AtomicBool>,
) -> (Graph, u64) {
    let Refinement { rounds, work, seed } = limits;
    let mut graph = Graph::new(terms, outputs, order, &Table::default());
    let (mut fresh, mut fresh_terms, mut spent) = (graph.len(), graph.listed_terms(), 0);
    let mut rng = Rng::new(seed);
    let (mut attempts, mut idle) = (0, 0);
    while attempts < rounds
        && spent + graph.work < work
        && graph.polynomials() > 0
        && !stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    {
        if idle == MAX_IDLE && graph.len() == fresh {
            break;
        }
        let worn = graph.len() > WORN * fresh + WORN_LEAST
            || graph.listed_terms() > WORN * fresh_terms + WORN_TERMS
            || idle == MAX_IDLE;
        if worn {
            spent += graph.work;
            graph = Graph::new(terms, outputs, order, &graph.choices());
            (fresh, fresh_terms, idle) = (graph.len(), graph.listed_terms(), 0);
        }
        graph.work += 1;
        idle += 1;
        let at = rng.index(graph.polynomials());
        if !graph.is_open(at) {
            continue;
        }
        // Of a random term, so that variables that many terms hold come more often.
        let term = rng.index(graph.size(at));
        let variable = graph.variable(at, term, |count| rng.index(count));
        if variable == NONE || variable == graph.chosen(at) {
            continue;
        }
        (attempts, idle) = (attempts + 1, 0);
        let before = graph.operations;
        let undo = graph.choose(at, variable);
        let more = graph.operations - before;
        let part = (attempts as f64 / rounds as f64).max((spent + graph.work) as f64 / work as f64);
        let temperature = HOT * (1.0 - part / COOLED);
        if more > 0 && !(temperature > 0.0 && rng.chance(libm::exp(-(more as f64) / temperature))) {
            graph.undo(undo);
        }
    }
    (graph, attempts)
}
