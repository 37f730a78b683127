//! Improvement by annealing: a few temporaries are put back into what uses them, and pairs are extracted anew.

use super::extract::extract_all;
use super::work::Work;
use crate::program::Program;
use soloist::Rng;
use std::sync::atomic::{AtomicBool, Ordering};

/// Terms of a sum beyond which nothing more is put into it.
const MAX_TERMS: usize = 60;
/// Terms of a temporary that is multiplied into a product.
const MAX_SPREAD: usize = 6;
/// Factors of a term that arise at most.
const MAX_FACTORS: usize = 12;
/// Temporaries put back in one attempt: one, and with a chance of 1 - 1/SHARE each a further one, at most so many.
const SHARE: u64 = 4;
const MAX_CHOSEN: usize = 12;
/// Temperatures at the beginning and at the end, in operations.
const HOT: f64 = 0.7;
const COLD: f64 = 0.1;
/// A program is put by at most once in as many attempts as it has sums, divided by this: it takes time for each sum.
const SAVING: u64 = 8;
/// Least work of an attempt, so that attempts that find nothing to do come to an end.
const LEAST_WORK: u64 = 100;

/// Lowers the operations of `program` further, by annealing over at most `rounds` attempts. In each, a few temporaries that
/// use each other are put back into their uses, sums being multiplied out where they are factors, and pairs are extracted
/// from what has changed, in an order that depends on chance more than on what each saves. An attempt that ends with d
/// operations more is taken back, but for a share of `exp(-d / T)`, T falling from 0.7 to 0.1; the best program is the
/// result. It computes the same, exactly.
///
/// Ends before `rounds` once more than `work` occurrences of pairs were counted, some ten to twenty millions a second; an
/// attempt counts a few hundred to a thousand whatever the size of the program, because only what it touches is counted,
/// and taken back, anew. Equal arguments give equal programs unless `stop` ends the run early.
///
/// `better` is told the attempt and the number of operations whenever a better program is put by. Returns the number of attempts.
///
/// # References
/// S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983. Putting back
/// and extracting anew: R. K. Brayton, R. Rudell, A. Sangiovanni-Vincentelli and A. R. Wang, "MIS: a multiple-level logic
/// optimization system", IEEE Transactions on Computer-Aided Design 6, 1987 (eliminate and extract).
pub fn polish(
    program: &mut Program,
    rounds: u64,
    work: u64,
    seed: u64,
    stop: Option<&AtomicBool>,
    better: &mut dyn FnMut(u64, u64),
) -> u64 {
    if rounds == 0 || work == 0 || program.temporaries.is_empty() {
        return 0;
    }
    let mut rng = Rng::new(seed);
    let mut state = Work::new(program.clone(), 0);
    extract_all(&mut state, stop);
    let mut saved = program.counts().total();
    let mut save = |state: &Work, done: u64| {
        *program = state.program();
        better(done, state.operations());
        (state.operations(), done + state.sums.len() as u64 / SAVING)
    };
    // Attempts before which nothing is saved.
    let mut wait = 0;
    let mut counted = state.pairs.work;
    let mut done = 0;
    while done < rounds && counted < work && !stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
        done += 1;
        if state.is_worn() {
            state = Work::new(state.program(), 0);
            counted += state.pairs.work;
        }
        let (before, start) = (state.operations(), state.pairs.work);
        let part = (done as f64 / rounds as f64).max(counted as f64 / work as f64).min(1.0);
        let temperature = HOT + (COLD - HOT) * part;
        // Up to 8 operations at random, or up to 256, or between: which is best depends on the program.
        state.mark(rng.next_u64() | 1, (128 << rng.below(6)) - 1);
        undo(&mut state, &mut rng);
        state.settle();
        extract_all(&mut state, stop);
        counted += (state.pairs.work - start).max(LEAST_WORK);
        let after = state.operations();
        if after > before && !rng.chance(libm::exp(-((after - before) as f64) / temperature)) {
            state.roll_back();
        } else if after > before && before < saved && done >= wait {
            // Instead of the first step away from the best program it is saved: many are only on the way to a better one.
            state.roll_back();
            (saved, wait) = save(&state, done);
        }
    }
    if state.operations() < saved {
        save(&state, done);
    }
    done
}

/// Puts some temporaries that are near each other back into their uses.
fn undo(work: &mut Work, rng: &mut Rng) {
    // Few are dead, so that some draws find a living one; if all are, nothing is to be done.
    let draws = (0..100).map(|_| rng.index(work.sums.len()) as u32).find(|&at| work.is_temporary(at));
    let Some(first) = draws else { return };
    let mut chosen = vec![first];
    while chosen.len() < MAX_CHOSEN && rng.below(SHARE) != 0 {
        let from = chosen[rng.index(chosen.len())];
        if let Some(next) = neighbour(work, from, rng)
            && !chosen.contains(&next)
        {
            chosen.push(next);
        }
    }
    for at in chosen {
        if work.is_temporary(at) {
            dissolve(work, at);
        }
    }
}

/// A sum that uses a temporary, or a part of it; `None` if the part is an input.
fn neighbour(work: &mut Work, at: u32, rng: &mut Rng) -> Option<u32> {
    if rng.below(2) == 0 {
        let users = work.users_of(work.inputs + at);
        return (!users.is_empty()).then(|| users[rng.index(users.len())]);
    }
    let terms = &work.sums[at as usize].terms;
    let factors = work.products.get(terms.get(rng.index(terms.len().max(1)))?.product);
    work.sum_of(*factors.get(rng.index(factors.len().max(1)))?)
}

/// Puts all temporaries that are products back into their uses, where products and common factors are found anew.
pub(super) fn undo_products(work: &mut Work) {
    for at in 0..work.sums.len() as u32 {
        if work.is_temporary(at) && work.sums[at as usize].terms.len() == 1 {
            dissolve(work, at);
        }
    }
}

/// Puts a temporary back into its uses, sums being multiplied out where they are factors, unless that makes sums or
/// products too long.
pub(super) fn dissolve(work: &mut Work, at: u32) {
    let symbol = work.inputs + at;
    let terms = &work.sums[at as usize].terms;
    let own = terms.len();
    let longest = terms.iter().map(|item| work.products.get(item.product).len()).max().unwrap_or(0);
    for user in work.users_of(symbol) {
        let mut from = 0;
        while let Some(place) = work.place_of(user, symbol, from) {
            let terms = &work.sums[user as usize].terms;
            let factors = work.products.get(terms[place].product).len();
            let spread = factors == 1 || own <= MAX_SPREAD;
            let short = longest + factors <= MAX_FACTORS;
            if spread && short && (own == 1 || terms.len() + own <= MAX_TERMS) {
                work.expand(user, place, at);
                // What was put in went to the end, and may hold the symbol once more; what came before may have moved.
                from = 0;
            } else {
                from = place + 1;
            }
        }
        work.touch(user);
    }
}
