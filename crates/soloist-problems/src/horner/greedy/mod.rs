//! Greedy extraction of common pairs hidden in sums and products, and factoring inside sums.

mod pair;
mod polish;
mod work;

use super::Coefficient;
use super::program::{Program, Term};
use pair::{NUMBER, Pair};
pub use polish::polish;
use polish::undo_products;
use std::sync::atomic::{AtomicBool, Ordering};
use work::Work;

/// Rounds at most; the program stops changing after a few.
const MAX_ROUNDS: usize = 30;

/// Lowers the operations of `program` until nothing more is found; `seed` draws the order of equal gains (0: a fixed one).
///
/// Sums and products are n-ary, so that pairs of terms and of factors are seen in whatever order they stand. In each step
/// what saves most operations is taken: a pair of terms `a + b`, `a - b` (times any number) or `2*a + 3*b`, with common
/// factors in front or not, a pair of factors, a number times a symbol, which become temporaries; a symbol or number common
/// to terms of one sum, which is factored out. Counts are kept up to date, in a priority queue; sums that become equal up
/// to the sign are one. At the end temporaries that are used once are put back, and all is repeated while it helps, also
/// with all products put back, so that their factors are seen. The result computes the same, exactly.
///
/// Returns early, with a correct program, when `stop` becomes true. A step costs the lengths of the sums that it changes.
///
/// # References
/// J. Kuipers, T. Ueda and J. A. M. Vermaseren, "Code optimization in FORM", Computer Physics Communications 189, 2015,
/// describe greedy optimisation of this kind. Pairs of terms beside common factors: J. Rajski and J. Vasudevamurthy, "The
/// testability-preserving concurrent decomposition and factorization of Boolean expressions", IEEE Transactions on
/// Computer-Aided Design 11, 1992.
pub fn improve(program: &mut Program, seed: u64, stop: Option<&AtomicBool>) {
    let stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    run(program, seed, stop);
    for _ in 0..MAX_ROUNDS {
        if stopped() {
            return;
        }
        let mut next = program.clone();
        undo_products(&mut next);
        run(&mut next, seed, stop);
        if next.counts().total() >= program.counts().total() {
            return;
        }
        *program = next;
    }
}

/// Extracts until nothing is left, from what is there. Returns how much was counted.
fn run(program: &mut Program, seed: u64, stop: Option<&AtomicBool>) -> u64 {
    let mut counted = 0;
    let stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
    for round in 0..MAX_ROUNDS {
        let before = program.counts().total();
        program.inline();
        let mut work = Work::new(std::mem::replace(program, empty()), seed);
        while !stopped() {
            let Some((pair, places)) = work.pairs.pop(cost) else { break };
            extract(&mut work, pair, &places);
            work.settle();
        }
        counted += work.pairs.work;
        *program = work.finish();
        if stopped() || round > 0 && program.counts().total() >= before {
            break;
        }
    }
    counted
}

fn empty() -> Program {
    Program { inputs: 0, temporaries: Vec::new(), outputs: Vec::new() }
}

/// What computing a pair once costs; the number 1 has place 0.
fn cost(pair: &Pair) -> i32 {
    match *pair {
        Pair::Exact { m, b, n, .. } => 1 + i32::from(m != 0) + i32::from(n != 0 && b != NUMBER),
        _ => 1,
    }
}

fn extract(work: &mut Work, pair: Pair, places: &[u32]) {
    let one = Coefficient::ONE;
    match pair {
        Pair::Sum { a, b, minus } => {
            let factors = if b == NUMBER { Vec::new() } else { vec![b] };
            let terms = vec![Term::symbol(a), Term { value: one.with_sign(minus), factors }];
            replace_sum(work, places, pair, a, b, &terms);
        }
        Pair::Exact { a, m, b, n, minus } => {
            let (first, second) = (work.numbers[m as usize].clone(), work.numbers[n as usize].with_sign(minus));
            let factors = if b == NUMBER { Vec::new() } else { vec![b] };
            let terms = vec![Term { value: first, factors: vec![a] }, Term { value: second, factors }];
            replace_sum(work, places, pair, a, b, &terms);
        }
        Pair::Product { a, b } => {
            let (symbol, negative) = work.define(vec![Term { value: one, factors: vec![a, b] }]);
            replace_factors(work, places, symbol, |term| {
                let copies = |symbol: u32| term.factors.iter().filter(|&&factor| factor == symbol).count();
                let count = if a == b { copies(a) / 2 } else { copies(a).min(copies(b)) };
                for _ in 0..count {
                    for part in [a, b] {
                        let place = term.factors.iter().position(|&factor| factor == part);
                        term.factors.remove(place.expect("counted before"));
                    }
                    term.factors.push(symbol);
                    term.value = term.value.with_sign(negative);
                }
                count > 0
            });
        }
        Pair::Multiple { number, a } => {
            let value = work.numbers[number as usize].clone();
            let (symbol, negative) = work.define(vec![Term { value: value.clone(), factors: vec![a] }]);
            replace_factors(work, places, symbol, |term| {
                let place = term.factors.iter().position(|&factor| factor == a);
                let Some(place) = place.filter(|_| term.value.abs() == value) else { return false };
                term.factors[place] = symbol;
                term.value = one.with_sign(term.value.is_negative() != negative);
                true
            });
        }
        Pair::Factor { sum, a } => {
            factor_out(work, sum, Term::symbol(a), |term| match term.factors.iter().position(|&factor| factor == a) {
                Some(place) => {
                    term.factors.remove(place);
                    true
                }
                None => false,
            });
        }
        Pair::Number { sum, number } => {
            let value = work.numbers[number as usize].clone();
            factor_out(work, sum, Term::number(value.clone()), |term| {
                let same = term.value.abs() == value;
                if same {
                    term.value = Coefficient::ONE.with_sign(term.value.is_negative());
                }
                same
            });
        }
    }
}

/// Replaces two terms of sums, where they form `pair`, by a multiple of a temporary that is `pattern`.
fn replace_sum(work: &mut Work, places: &[u32], pair: Pair, a: u32, b: u32, pattern: &[Term]) {
    let (symbol, negative) = work.define(pattern.to_vec());
    let own = work.sum_of(symbol);
    for &at in places.iter().filter(|&&at| Some(at) != own) {
        let mut first = 0;
        while first < work.sums[at as usize].terms.len() {
            let left = work.sums[at as usize].terms[first].clone();
            let Some(place) = left.factors.iter().position(|&factor| factor == a) else {
                first += 1;
                continue;
            };
            // The other term has b, or nothing, in the place of a.
            let mut common = left.factors.clone();
            common.remove(place);
            let mut wanted = common.clone();
            if b != NUMBER {
                wanted.push(b);
                wanted.sort_unstable();
            }
            let second = work.sums[at as usize].terms.iter().position(|term| term.factors == wanted);
            let right = second.map(|second| work.sums[at as usize].terms[second].clone());
            let same = right.and_then(|right| work.pair_of(&left, &right)).is_some_and(|(found, ..)| found == pair);
            let (Some(second), true, Some(value)) = (second, same, left.value.div(&pattern[0].value)) else {
                first += 1;
                continue;
            };
            work.remove(at, first.max(second));
            work.remove(at, first.min(second));
            common.push(symbol);
            common.sort_unstable();
            work.add(at, Term { value: value.with_sign(negative), factors: common });
            work.touch(at);
            first = 0;
        }
    }
}

/// Changes those terms of sums for which `change` says that it has put in `symbol`.
fn replace_factors(work: &mut Work, places: &[u32], symbol: u32, mut change: impl FnMut(&mut Term) -> bool) {
    let own = work.sum_of(symbol);
    for &at in places.iter().filter(|&&at| Some(at) != own) {
        if !work.is_alive(at) {
            continue;
        }
        let mut place = 0;
        while place < work.sums[at as usize].terms.len() {
            let mut term = work.sums[at as usize].terms[place].clone();
            if !change(&mut term) {
                place += 1;
                continue;
            }
            work.remove(at, place);
            term.factors.sort_unstable();
            // It goes to the end, where it is not changed again: what was replaced is not in it any more.
            work.add(at, term);
        }
        work.touch(at);
    }
}

/// Factors `front` out of the terms of a sum that `divide` can divide by it.
fn factor_out(work: &mut Work, at: u32, front: Term, divide: impl Fn(&mut Term) -> bool) {
    if !work.is_alive(at) {
        return;
    }
    let mut inner = Vec::new();
    let mut chosen = Vec::new();
    for (place, term) in work.sums[at as usize].terms.iter().enumerate() {
        let mut term = term.clone();
        if divide(&mut term) {
            inner.push(term);
            chosen.push(place);
        }
    }
    if chosen.len() < 2 {
        return;
    }
    for &place in chosen.iter().rev() {
        work.remove(at, place);
    }
    let content = Work::normalize(&mut inner);
    let (symbol, negative) = work.define(inner);
    let factor = Term { value: content.with_sign(negative), factors: vec![symbol] };
    work.add(at, front.times(&factor));
    work.touch(at);
}
