//! From orders to the best program.

use crate::algebra::{Counts, Signs, System};
use crate::anneal::Limits;
use crate::greedy::improve;
use crate::horner::{Dag, Program};
use crate::parallel;
use crate::refine::{Refined, refine};
use crate::stop::Stop;

/// A program and the order that it comes from.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The code.
    pub program: Program,
    /// The order of all symbols, outermost first.
    pub order: Vec<usize>,
    /// Operations of the Horner form with common sub-expressions, before the greedy phase.
    pub scheme: Counts,
    /// The number of sub-expressions that do not follow the order; see [`refine`].
    pub exceptions: usize,
    /// The attempts to refine, for all orders together.
    pub attempts: u64,
}

impl Simplified {
    /// Operations of the code.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.program.counts().total()
    }
}

/// The program of `system` for one order of its symbols: Horner form, common sub-expressions, and with `greedy` the
/// extraction of common pairs.
///
/// When `stop` is set, the greedy phase ends early, with a correct program.
#[must_use]
pub fn simplify(system: &System, order: &[usize], greedy: bool, stop: Stop<'_>) -> Simplified {
    finish(system, order, Dag::build(system, order, Signs::Canonical), greedy, stop)
}

/// The program of a Horner form for `order`.
fn finish(system: &System, order: &[usize], dag: Dag, greedy: bool, stop: Stop<'_>) -> Simplified {
    let scheme = dag.code_counts();
    let mut program = Program::new(system, &dag);
    drop(dag);
    if greedy {
        improve(&mut program, 0, stop);
    }
    Simplified { program, order: system.completed(order), scheme, exceptions: 0, attempts: 0 }
}

/// The best program over several orders on several threads, each order refined by [`refine`] with `seed`; with `greedy`
/// each gets the greedy phase. Of equal programs the first one. Stops after at least one when `stop` is set. Where
/// `stop` has a moment, refinement takes half of the time that is left, so that the greedy phase has time too.
///
/// `None` without orders, and where [`refine`] returns `None`.
pub(super) fn best_refined(
    threads: usize,
    system: &System,
    orders: &[Vec<usize>],
    limits: Limits,
    seed: u64,
    greedy: bool,
    stop: Stop<'_>,
) -> Option<Simplified> {
    let rounds = orders.len().div_ceil(threads.max(1)).max(1);
    let made = parallel::map(threads, orders.len(), |at| {
        if at > 0 && stop.is_set() {
            return None;
        }
        let left = rounds - (at / threads.max(1)).min(rounds - 1);
        let Refined { dag, exceptions, attempts } =
            refine(system, &orders[at], limits, seed, stop.part(0.5 / left as f64))?;
        Some(Simplified { exceptions, attempts, ..finish(system, &orders[at], dag, greedy, stop) })
    });
    let tried = made.iter().map(|made| made.attempts).sum();
    let best = made.into_iter().min_by_key(Simplified::operations)?;
    Some(Simplified { attempts: tried, ..best })
}

/// The best program over several orders, each with the greedy phase; of equal programs the first one. Stops after at
/// least one when `stop` is set.
///
/// `None` without orders.
#[must_use]
pub fn best_of(system: &System, orders: &[Vec<usize>], stop: Stop<'_>) -> Option<Simplified> {
    best(orders, stop, |order| Some(simplify(system, order, true, stop)))
}

/// The best program that `make` makes of the orders; of equal programs the first one. `None` if `make` returns `None`
/// for an order. Stops after at least one when `stop` is set.
fn best(
    orders: &[Vec<usize>],
    stop: Stop<'_>,
    mut make: impl FnMut(&[usize]) -> Option<Simplified>,
) -> Option<Simplified> {
    let mut best: Option<Simplified> = None;
    for order in orders {
        if best.is_some() && stop.is_set() {
            break;
        }
        let made = make(order)?;
        if best.as_ref().is_none_or(|best| made.operations() < best.operations()) {
            best = Some(made);
        }
    }
    best
}
