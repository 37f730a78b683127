//! Exact partitions of few labels by meeting in the middle.

/// The most labels of a half: its subset sums take at most 2^21 words.
const HALF: usize = 21;

/// An unsigned word wide enough for the sum of all labels.
trait Word: Copy + Ord {
    const ZERO: Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn distance(self, other: Self) -> Self;
    fn wide(self) -> u128;
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            const ZERO: Self = 0;
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn distance(self, other: Self) -> Self {
                self.abs_diff(other)
            }
            fn wide(self) -> u128 {
                u128::from(self)
            }
        }
    };
}
word!(u64);
word!(u128);

/// Returns the least difference of the two sides, and the labels on the right side as a bit set; at most 64 labels,
/// whose sum has at most 128 bits.
///
/// The subset sums of two halves of at most 21 labels are sorted; for every division of the labels beyond those, both
/// lists are walked towards each other. With `m` labels this takes about `2^(m/2)` steps, beyond 43 labels `2^(m-21)`,
/// and 32 MiB (64 MiB of sums above 64 bits).
///
/// # References
/// E. Horowitz and S. Sahni, "Computing partitions with applications to the knapsack problem", Journal of the ACM 21,
/// 1974, pages 277-292. R. Schroeppel and A. Shamir, SIAM Journal on Computing 10, 1981, pages 456-464.
pub(crate) fn solve(labels: &[u128]) -> (u128, u64) {
    solve_while(labels, &mut || true).unwrap_or_default()
}

/// As [`solve`], as long as `go_on` says so; it is asked after every few million steps. `None`: it said no.
pub(crate) fn solve_while(labels: &[u128], go_on: &mut dyn FnMut() -> bool) -> Option<(u128, u64)> {
    let total: u128 = labels.iter().sum();
    // Labels are multiples of a power of two.
    let scale = labels.iter().fold(0, |all, label| all | label).trailing_zeros().min(127);
    if total >> scale <= u128::from(u64::MAX) {
        let narrow: Vec<u64> = labels.iter().map(|label| (label >> scale) as u64).collect();
        search(&narrow, go_on).map(|(best, set)| (best << scale, set))
    } else {
        search(labels, go_on)
    }
}

fn search<T: Word>(labels: &[T], go_on: &mut dyn FnMut() -> bool) -> Option<(u128, u64)> {
    let count = labels.len();
    let Some(&last) = labels.last() else { return Some((0, 0)) };
    let total = labels.iter().fold(T::ZERO, |sum, &label| sum.plus(label));
    // The last label, the largest, stays on the left; those before it are given first, as there are divisions of them.
    let (outer, inner) = labels[..count - 1].split_at((count - 1).saturating_sub(2 * HALF));
    let (one, two) = inner.split_at(inner.len() / 2);
    let (first, second) = (sums(one), sums(two));
    let mut best = (total, 0, T::ZERO, T::ZERO);
    for set in 0..1_u64 << outer.len() {
        if !go_on() {
            return None;
        }
        let given = outer.iter().enumerate().filter(|&(at, _)| set >> at & 1 == 1);
        let given = given.fold(last, |sum, (_, &label)| sum.plus(label));
        // The sum on the left side is to come as close as possible to half of all.
        let (mut i, mut j) = (0, second.len());
        while i < first.len() && j > 0 {
            let sum = given.plus(first[i]).plus(second[j - 1]);
            let rest = total.minus(sum);
            let distance = sum.distance(rest);
            if distance < best.0 {
                best = (distance, set, first[i], second[j - 1]);
            }
            // Which way it goes is a coin flip: no branch.
            let less = usize::from(sum < rest);
            i += less;
            j -= 1 - less;
        }
    }
    let (distance, set, one_sum, two_sum) = best;
    let left = set | subset(one, one_sum) << outer.len() | subset(two, two_sum) << (outer.len() + one.len());
    let all = if count == 64 { u64::MAX } else { (1 << count) - 1 };
    Some((distance.wide(), !(left | 1 << (count - 1)) & all))
}

/// All subset sums, ascending.
fn sums<T: Word>(labels: &[T]) -> Vec<T> {
    let mut sums = vec![T::ZERO];
    let mut next = Vec::new();
    for &label in labels {
        next.clear();
        next.reserve(2 * sums.len());
        let (mut i, mut j) = (0, 0);
        while i < sums.len() {
            let raised = sums[j].plus(label);
            if sums[i] <= raised {
                next.push(sums[i]);
                i += 1;
            } else {
                next.push(raised);
                j += 1;
            }
        }
        next.extend(sums[j..].iter().map(|sum| sum.plus(label)));
        std::mem::swap(&mut sums, &mut next);
    }
    sums
}

/// A subset with this sum, which exists.
fn subset<T: Word>(labels: &[T], target: T) -> u64 {
    let mut sum = T::ZERO;
    let mut set = 0_u64;
    for step in 1..=1_u64 << labels.len() {
        if sum == target {
            return set;
        }
        // Gray code: one label changes sides.
        let at = step.trailing_zeros() as usize;
        if at >= labels.len() {
            break;
        }
        set ^= 1 << at;
        sum = if set >> at & 1 == 1 { sum.plus(labels[at]) } else { sum.minus(labels[at]) };
    }
    unreachable!("the sum of a subset")
}
