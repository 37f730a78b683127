//! From orders to the best program.

use super::dag::{Dag, Signs};
use super::greedy::improve;
use super::{Counts, Program, System};
use std::sync::atomic::{AtomicBool, Ordering};

/// A program with where it came from.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The code.
    pub program: Program,
    /// The order of all symbols, outermost first.
    pub order: Vec<usize>,
    /// Operations of the Horner scheme of that order with common sub-expressions, before the greedy phase.
    pub scheme: Counts,
}

impl Simplified {
    /// Operations of the code.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.program.counts().total()
    }
}

/// The program of `system` for one order of its symbols: Horner scheme, common sub-expressions, and with `greedy` the
/// extraction of hidden pairs, whose order of equal gains is drawn by that seed.
///
/// When `stop` becomes true, the greedy phase ends early, with a correct program.
#[must_use]
pub fn simplify(system: &System, order: &[usize], greedy: Option<u64>, stop: Option<&AtomicBool>) -> Simplified {
    let dag = Dag::build(system, order, Signs::Canonical);
    let scheme = dag.code_counts();
    let mut program = Program::new(system, &dag);
    drop(dag);
    if let Some(seed) = greedy {
        improve(&mut program, seed, stop);
    }
    Simplified { program, order: complete(system, order), scheme }
}

/// Each symbol once: those of `order` first, then those that it leaves out in the order of the table.
pub(super) fn complete(system: &System, order: &[usize]) -> Vec<usize> {
    let n = system.symbols().len();
    let mut listed = vec![false; n];
    let all = order.iter().copied().filter(|&symbol| symbol < n).chain(0..n);
    all.filter(|&symbol| !std::mem::replace(&mut listed[symbol], true)).collect()
}

/// The best program over several orders, each with the greedy phase; the first one of equals. Stops after at least one
/// when `stop` becomes true.
///
/// `None` without orders.
#[must_use]
pub fn best_of(system: &System, orders: &[Vec<usize>], stop: Option<&AtomicBool>) -> Option<Simplified> {
    let mut best: Option<Simplified> = None;
    for order in orders {
        if best.is_some() && stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            break;
        }
        let own = simplify(system, order, Some(0), stop);
        if best.as_ref().is_none_or(|best| own.operations() < best.operations()) {
            best = Some(own);
        }
    }
    best
}
