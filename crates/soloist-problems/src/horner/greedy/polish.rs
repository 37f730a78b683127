//! Improvement by undoing: some temporaries are put back into what uses them, and the greedy phase runs again.

use super::run;
use crate::horner::program::{Program, Term, merge};
use soloist::Rng;
use std::sync::atomic::{AtomicBool, Ordering};

/// Terms of a sum beyond which nothing more is put into it.
const MAX_TERMS: usize = 60;
/// Terms of a temporary that is multiplied into a product.
const MAX_SPREAD: usize = 3;
/// Factors of a term that arise at most.
const MAX_FACTORS: usize = 12;

/// Lowers the operations of `program` further, in `rounds` attempts: temporaries drawn at random are put back, sums being
/// multiplied out where they are factors, and the greedy phase runs with another order of equal gains. What is no worse is
/// kept. Ends before that once more than `work` occurrences of pairs were counted, some five millions a second. The result
/// computes the same, exactly; equal arguments give equal programs unless `stop` ends the run early.
///
/// `better` is told the attempt and the number of operations after each one that lowers it. Returns the number of attempts.
pub fn polish(
    program: &mut Program,
    rounds: u64,
    work: u64,
    seed: u64,
    stop: Option<&AtomicBool>,
    better: &mut dyn FnMut(u64, u64),
) -> u64 {
    let mut rng = Rng::new(seed);
    let mut best = program.counts().total();
    let mut counted = 0;
    for round in 1..=rounds {
        if counted > work || stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return round - 1;
        }
        let mut next = program.clone();
        undo(&mut next, &mut rng);
        counted += run(&mut next, rng.next_u64() | 1, stop);
        let operations = next.counts().total();
        if operations <= best {
            *program = next;
            if operations < best {
                best = operations;
                better(round, operations);
            }
        }
    }
    rounds
}

/// Puts a share of the temporaries back into their uses, or all products and a share of the sums.
fn undo(program: &mut Program, rng: &mut Rng) {
    // From 1/8 to 1/32 of them: what paid best on the benchmark files.
    let shift = 3 + rng.below(3);
    let products = rng.below(2) == 0;
    let mut draw = || rng.next_u64() >> (64 - shift) == 0;
    let chosen: Vec<bool> = program.temporaries.iter().map(|terms| draw() || products && terms.len() == 1).collect();
    dissolve(program, &chosen);
}

/// Puts all temporaries that are products back into their uses, where products and common factors are found anew.
pub(super) fn undo_products(program: &mut Program) {
    let chosen: Vec<bool> = program.temporaries.iter().map(|terms| terms.len() == 1).collect();
    dissolve(program, &chosen);
}

/// Puts the temporaries that are `chosen` back into their uses; they come before them.
fn dissolve(program: &mut Program, chosen: &[bool]) {
    let inputs = program.inputs;
    let count = program.temporaries.len();
    for at in 0..count + program.outputs.len() {
        let (before, rest) = program.temporaries.split_at_mut(at.min(count));
        let own = match at.checked_sub(count) {
            Some(output) => &mut program.outputs[output],
            None => &mut rest[0],
        };
        let part = |symbol: u32| (symbol as usize).checked_sub(inputs).filter(|&part| chosen[part]);
        if !own.iter().any(|term| term.factors.iter().any(|&symbol| part(symbol).is_some())) {
            continue;
        }
        let mut done = Vec::new();
        let mut open = std::mem::take(own);
        while let Some(term) = open.pop() {
            let room = MAX_TERMS.saturating_sub(done.len() + open.len());
            let put = |&symbol: &u32| {
                let inner = &before[part(symbol)?];
                let spread = term.factors.len() == 1 || inner.len() <= MAX_SPREAD;
                let short = inner.iter().all(|inner| inner.factors.len() + term.factors.len() <= MAX_FACTORS);
                (spread && short && inner.len() <= room.max(1)).then_some((symbol, inner))
            };
            let Some((symbol, inner)) = term.factors.iter().find_map(put) else {
                done.push(term);
                continue;
            };
            let mut outer = term.clone();
            let place = outer.factors.iter().position(|&factor| factor == symbol);
            outer.factors.remove(place.expect("found before"));
            open.extend(inner.iter().map(|inner| Term::clone(inner).times(&outer)));
        }
        *own = merge(done);
    }
    program.sort();
}
