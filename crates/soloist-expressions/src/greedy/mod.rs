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

use crate::horner::Program;
use crate::stop::Stop;
use extract::extract_all;
use polish::dissolve_products;
pub use polish::{Polisher, polish};
use work::Work;

/// The most rounds; the program stops changing after a few.
const MAX_ROUNDS: usize = 30;
/// With this many operations, a round that lowers them by less than a thousandth is the last one: it takes several
/// seconds.
const LARGE: u64 = 100_000;
const LITTLE: u64 = 1000;

/// Lowers the operations of `program` until nothing more is found. `seed` draws the order of equal gains; 0 means a
/// fixed order.
///
/// Sums and products are n-ary, so that every pair of terms and of factors is a candidate. Each step takes the
/// candidate that saves most operations:
/// - a pair of terms `a + b`, `a - b` or `2*a + 3*b` (times any number), with or without common factors, becomes a
///   temporary;
/// - a pair of factors, or a number times a symbol, becomes a temporary;
/// - a symbol or number that several terms of one sum share is factored out.
///
/// The savings are kept up to date in a priority queue. Sums that become equal up to the sign are merged. A temporary
/// that is used once only is put into its use. When no candidate is left, all temporaries that are products are
/// dissolved, so that their factors become candidates, and the phase repeats while that helps (from 100,000 operations
/// on, while it saves a thousandth). The result computes the
/// same, exactly.
///
/// Ends early, with a correct program, when `stop` is set. A step costs the lengths of the sums that it changes.
///
/// # References
/// J. Kuipers, T. Ueda and J. A. M. Vermaseren, "Code optimization in FORM", Computer Physics Communications 189, 2015,
/// describe greedy optimisation of this kind. Pairs of terms beside common factors: J. Rajski and J. Vasudevamurthy,
/// "The testability-preserving concurrent decomposition and factorization of Boolean expressions", IEEE Transactions on
/// Computer-Aided Design 11, 1992.
pub fn improve(program: &mut Program, seed: u64, stop: Stop<'_>) {
    let mut work = Work::new(program.clone(), seed);
    for round in 0..MAX_ROUNDS {
        extract_all(&mut work, stop);
        let (before, after) = (program.counts().total(), work.operations());
        if after < before {
            *program = work.program();
        } else if round > 0 {
            return;
        }
        let little = round > 0 && before >= LARGE && before - after < before / LITTLE;
        if little || stop.is_set() {
            return;
        }
        work = Work::new(program.clone(), seed);
        dissolve_products(&mut work);
        work.settle();
    }
}
