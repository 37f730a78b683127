//! Greedy extraction of common pairs hidden in sums and products, and factoring inside sums.

mod extract;
mod index;
mod pair;
mod polish;
mod product;
mod queue;
#[cfg(test)]
mod tests;
mod work;

use super::program::Program;
use extract::extract_all;
pub use polish::polish;
use polish::undo_products;
use std::sync::atomic::{AtomicBool, Ordering};
use work::Work;

/// Rounds at most; the program stops changing after a few.
const MAX_ROUNDS: usize = 30;

/// Lowers the operations of `program` until nothing more is found; `seed` draws the order of equal gains (0: a fixed one).
///
/// Sums and products are n-ary, so that pairs of terms and of factors are seen in whatever order they stand. In each step
/// what saves most operations is taken: a pair of terms `a + b`, `a - b` or `2*a + 3*b` (times any number), with common
/// factors in front or not, a pair of factors, a number times a symbol, which become temporaries; a symbol or number common
/// to terms of one sum, which is factored out. Counts are kept up to date, in a priority queue; sums that become equal up
/// to the sign are one; temporaries that come to be used once are put back. All is repeated while it helps with all products
/// put back, so that their factors are seen. The result computes the same, exactly.
///
/// Returns early, with a correct program, when `stop` becomes true. A step costs the lengths of the sums that it changes.
///
/// # References
/// J. Kuipers, T. Ueda and J. A. M. Vermaseren, "Code optimization in FORM", Computer Physics Communications 189, 2015,
/// describe greedy optimisation of this kind. Pairs of terms beside common factors: J. Rajski and J. Vasudevamurthy, "The
/// testability-preserving concurrent decomposition and factorization of Boolean expressions", IEEE Transactions on
/// Computer-Aided Design 11, 1992.
pub fn improve(program: &mut Program, seed: u64, stop: Option<&AtomicBool>) {
    let mut work = Work::new(program.clone(), seed);
    for round in 0..MAX_ROUNDS {
        extract_all(&mut work, stop);
        if work.operations() < program.counts().total() {
            *program = work.program();
        } else if round > 0 {
            return;
        }
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return;
        }
        work = Work::new(program.clone(), seed);
        undo_products(&mut work);
        work.settle();
    }
}
