//! From orders to the best program.

use super::dag::{Dag, Signs};
use super::greedy::improve;
use super::local::{Refined, Refinement, refine};
use super::{Counts, Program, System};
use std::sync::atomic::{AtomicBool, Ordering};

/// A program with where it came from.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The code.
    pub program: Program,
    /// The order of all symbols, outermost first.
    pub order: Vec<usize>,
    /// Operations of the Horner scheme with common sub-expressions, before the greedy phase.
    pub scheme: Counts,
    /// Sub-expressions that do not follow the order; see [`refine`].
    pub exceptions: usize,
    /// Attempts to find such, for all orders together.
    pub attempts: u64,
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
    finish(system, order, Dag::build(system, order, Signs::Canonical), greedy, stop)
}

/// The program of a Horner form for `order`.
fn finish(system: &System, order: &[usize], dag: Dag, greedy: Option<u64>, stop: Option<&AtomicBool>) -> Simplified {
    let scheme = dag.code_counts();
    let mut program = Program::new(system, &dag);
    drop(dag);
    if let Some(seed) = greedy {
        improve(&mut program, seed, stop);
    }
    Simplified { program, order: complete(system, order), scheme, exceptions: 0, attempts: 0 }
}

/// The best program over several orders, each refined: sub-expressions have orders of their own where that saves
/// operations. With `greedy` each gets the greedy phase. Of equal programs the first one. Stops after at least one when
/// `stop` becomes true.
///
/// `None` without orders, and where [`refine`] can do nothing.
#[must_use]
pub fn best_refined(
    system: &System,
    orders: &[Vec<usize>],
    limits: Refinement,
    greedy: Option<u64>,
    stop: Option<&AtomicBool>,
) -> Option<Simplified> {
    let mut tried = 0;
    let best = best(orders, stop, |order| {
        let Refined { dag, exceptions, attempts } = refine(system, order, limits, stop)?;
        tried += attempts;
        Some(Simplified { exceptions, ..finish(system, order, dag, greedy, stop) })
    })?;
    Some(Simplified { attempts: tried, ..best })
}

/// The best of what `make` makes of the orders, the first one of equals, or `None` if it makes nothing of one. Stops after at
/// least one when `stop` becomes true.
fn best(
    orders: &[Vec<usize>],
    stop: Option<&AtomicBool>,
    mut make: impl FnMut(&[usize]) -> Option<Simplified>,
) -> Option<Simplified> {
    let mut best: Option<Simplified> = None;
    for order in orders {
        if best.is_some() && stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            break;
        }
        let own = make(order)?;
        if best.as_ref().is_none_or(|best| own.operations() < best.operations()) {
            best = Some(own);
        }
    }
    best
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
    best(orders, stop, |order| Some(simplify(system, order, Some(0), stop)))
}
