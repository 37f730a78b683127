//! Sorts of short or rarely sorted lists. A sort of the standard library is compiled once for each type and comparison,
//! some 3,000 lines of intermediate code; these share one, of places, and cost an indirect call for each comparison.

use std::cmp::Ordering;

/// Sorts `items` stably.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let mut order = order_of(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    for start in 0..order.len() {
        // Along a cycle of places each item comes from the next one.
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            items.swap(at, from);
            at = from;
        }
    }
}

/// Sorts `items` stably.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts `items` stably by a key.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Returns the places from 0 to `count` in the order that `compare` has for them, stably.
pub fn order_of(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

#[cfg(test)]
mod tests {
    use crate::Rng;

    #[test]
    fn lists_are_sorted_as_by_the_standard_library() {
        let mut rng = Rng::new(1);
        for length in (0..60).chain([500]) {
            let items: Vec<(usize, usize)> = (0..length).map(|at| (rng.index(1 + length / 2), at)).collect();
            let (mut expected, mut sorted) = (items.clone(), items.clone());
            expected.sort_by_key(|item| item.0);
            super::sort_by_key(&mut sorted, |item| item.0);
            assert_eq!(sorted, expected);
            expected.sort_by(|a, b| b.cmp(a));
            super::sort_by(&mut sorted, |a, b| b.cmp(a));
            assert_eq!(sorted, expected);
            expected.sort();
            super::sort(&mut sorted);
            assert_eq!(sorted, expected);
        }
    }
}
