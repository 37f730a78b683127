//! Extraction of candidates: a candidate becomes a temporary, which replaces its occurrences.

use super::pair::Pair;
use super::product::{NOTHING, ONE, Product};
use super::work::{Item, Work};
use crate::stop::Stop;

/// The phase ends after this many extractions in a row that lower nothing.
const MAX_FUTILE: u32 = 1000;

/// Extracts the candidate that saves most until none is left.
pub(super) fn extract_all(work: &mut Work, stop: Stop<'_>) {
    let mut futile = 0;
    let mut places = Vec::new();
    while futile < MAX_FUTILE && !stop.is_set() {
        let Some((pair, entry)) = work.pairs.pop(&mut places) else { return };
        let before = work.operations();
        extract(work, pair, &places);
        work.settle();
        if work.operations() < before {
            futile = 0;
        } else {
            // Overlapping occurrences were counted twice.
            futile += 1;
            work.pairs.give_up(entry);
        }
    }
}

/// Makes a temporary of a candidate, or factors it out, in the sums `places`.
fn extract(work: &mut Work, pair: Pair, places: &[u32]) {
    match pair {
        Pair::Sum { a, b, ratio, minus } => {
            let (m, n) = work.numbers.sizes_of(ratio);
            let first = Item { product: work.products.intern(&[a]), number: 2 * m };
            let other = if b == NOTHING { ONE } else { work.products.intern(&[b]) };
            let second = Item { product: other, number: 2 * n + u32::from(minus) };
            let (symbol, negative) = work.define(&[first, second]);
            replace_sum(work, places, pair, symbol, negative);
        }
        Pair::Product { a, b } => {
            let product = if a == b { work.products.intern(&[a, a]) } else { work.products.intern(&[a, b]) };
            let (symbol, negative) = work.define(&[Item { product, number: 0 }]);
            replace_terms(work, places, symbol, |work, item| {
                let factors = work.products.get(item.product);
                let copies = |symbol: u32| factors.iter().filter(|&&factor| factor == symbol).count();
                let count = if a == b { copies(a) / 2 } else { copies(a).min(copies(b)) };
                for _ in 0..count {
                    let rest = work.products.without(item.product, a);
                    let rest = work.products.without(rest, b);
                    item.product = work.products.times_symbol(rest, symbol);
                    item.number ^= negative;
                }
                count > 0
            });
        }
        Pair::Multiple { number, a } => {
            let product = work.products.intern(&[a]);
            let (symbol, negative) = work.define(&[Item { product, number: 2 * number }]);
            replace_terms(work, places, symbol, |work, item| {
                if item.size() != number || !work.products.contains(item.product, a) {
                    return false;
                }
                let rest = work.products.without(item.product, a);
                item.product = work.products.times_symbol(rest, symbol);
                item.number = item.negative() ^ negative;
                true
            });
        }
        Pair::Factor { sum, a } => {
            let front = Item { product: work.products.intern(&[a]), number: 0 };
            factor_out(work, sum, front, |work, item| {
                let divides = work.products.contains(item.product, a);
                if divides {
                    item.product = work.products.without(item.product, a);
                }
                divides
            });
        }
        Pair::Number { sum, number } => {
            factor_out(work, sum, Item { product: ONE, number: 2 * number }, |_, item| {
                let same = item.size() == number;
                if same {
                    item.number = item.negative();
                }
                same
            });
        }
    }
}

/// An occurrence of a pair of terms in a sum.
struct Occurrence {
    /// The places of the terms.
    first: usize,
    second: usize,
    /// The common factors and the number in front of the pair.
    common: Product,
    number: u32,
}

/// Finds an occurrence of a pair in sum number `at`.
fn find(work: &mut Work, at: u32, pair: Pair) -> Option<Occurrence> {
    let Pair::Sum { a, b, .. } = pair else { return None };
    let mut from = 0;
    while let Some(first) = work.place_of(at, a, from) {
        from = first + 1;
        let left = work.sums[at as usize].terms[first];
        // The other term has b instead of a, or nothing.
        let common = work.products.without(left.product, a);
        let wanted = if b == NOTHING { common } else { work.products.times_symbol(common, b) };
        let Some(second) = work.sums[at as usize].terms.iter().position(|item| item.product == wanted) else {
            continue;
        };
        let right = work.sums[at as usize].terms[second];
        let found = Work::pair_of(&work.products, &mut work.numbers, left, right);
        if let Some((found, _, front)) = found
            && found == pair
        {
            return Some(Occurrence { first, second, common, number: 2 * front + left.negative() });
        }
    }
    None
}

/// Replaces each occurrence of `pair` by a multiple of the temporary `symbol`. `negative` is 1 if the temporary is the
/// negative of the pair.
fn replace_sum(work: &mut Work, places: &[u32], pair: Pair, symbol: u32, negative: u32) {
    let defined = work.sum_of(symbol);
    for &at in places {
        if Some(at) == defined || !work.is_alive(at) {
            continue;
        }
        while let Some(Occurrence { first, second, common, number }) = find(work, at, pair) {
            work.remove(at, first.max(second));
            work.remove(at, first.min(second));
            let product = work.products.times_symbol(common, symbol);
            work.add(at, Item { product, number: number ^ negative });
            work.touch(at);
        }
    }
}

/// Replaces those terms of the sums for which `change` returns true.
fn replace_terms(work: &mut Work, places: &[u32], symbol: u32, mut change: impl FnMut(&mut Work, &mut Item) -> bool) {
    let defined = work.sum_of(symbol);
    for &at in places {
        if Some(at) == defined || !work.is_alive(at) {
            continue;
        }
        let mut place = 0;
        while place < work.sums[at as usize].terms.len() {
            let mut item = work.sums[at as usize].terms[place];
            if !change(work, &mut item) {
                place += 1;
                continue;
            }
            work.remove(at, place);
            // The new term is at the end. It is not changed again, because it does not hold the candidate any more.
            work.add(at, item);
        }
        work.touch(at);
    }
}

/// Factors `front` out of those terms of a sum for which `divide` succeeds.
fn factor_out(work: &mut Work, at: u32, front: Item, divide: impl Fn(&mut Work, &mut Item) -> bool) {
    if !work.is_alive(at) {
        return;
    }
    let mut inner = Vec::new();
    let mut chosen = Vec::new();
    for place in 0..work.sums[at as usize].terms.len() {
        let mut item = work.sums[at as usize].terms[place];
        if divide(work, &mut item) {
            inner.push(item);
            chosen.push(place);
        }
    }
    if chosen.len() < 2 {
        return;
    }
    for &place in chosen.iter().rev() {
        work.remove(at, place);
    }
    let content = work.normalize(&mut inner);
    let (symbol, negative) = work.define(&inner);
    let product = work.products.times_symbol(front.product, symbol);
    let number = work.numbers.times(front.number, content) ^ negative;
    work.add(at, Item { product, number });
    work.touch(at);
}
