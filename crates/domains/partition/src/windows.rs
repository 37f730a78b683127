//! Exact partitions of some 40 to 64 labels by the sums of four lists, window by window.

use serde::{Deserialize, Serialize};

/// The most labels: lists of at most 2^18 sums.
pub(crate) const MOST: usize = 73;

/// The widest window where offsets have 64 bits, with its margins.
const NARROW: u128 = 1 << 60;

/// A search for the best division of labels, whose sum is below 2^124.
///
/// The largest label lies on the left side. The others are dealt to four lists of all their subset sums, each
/// ascending. A division of the labels is a sum of the first two lists (the near sum) and one of the last two (the far
/// sum), and its difference is small where both add up to a target. Near sums are made in windows of values, so that
/// memory holds the lists and one window: the sums of a window are put into buckets by value, and each far sum that can
/// match one is looked up there and not stored. `m` labels take about `2^(m/2)` steps and, beside the lists,
/// 12 to 36 bytes for each sum of a window.
///
/// # References
/// R. Schroeppel and A. Shamir, "A T = O(2^(n/2)), S = O(2^(n/4)) algorithm for certain NP-complete problems", SIAM
/// Journal on Computing 10, 1981, pages 456-464. There two heaps give the sums of two lists in order; windows and
/// buckets in their place are ours.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Windows {
    /// log2 of the near sums that a window is to have.
    size: u32,
    /// The near sums below this are done.
    done: i128,
    /// The width of the next window; 0: not chosen yet.
    width: i128,
    /// What follows from the labels; made where it is missing.
    #[serde(skip)]
    tables: Option<Box<Tables>>,
}

/// What a window has yielded.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The sides of a better division, if there is one: whether each label is on the right.
    pub(crate) right: Option<Vec<bool>>,
    /// The sums that were looked at.
    pub(crate) sums: u64,
    /// Whether this was the last window.
    pub(crate) ended: bool,
}

impl Windows {
    pub(crate) fn new(size: u32) -> Self {
        Self { size, done: 0, width: 0, tables: None }
    }

    /// Whether this is a later state of `own`.
    pub(crate) fn continues(&self, own: &Self) -> bool {
        self.size == own.size && self.done >= 0 && self.width >= 0
    }

    /// Works on the next window. `labels` are ascending, at most [`MOST`], and always the same; a division is better
    /// if its difference is below `incumbent`, which is at most the sum of all.
    pub(crate) fn advance(&mut self, labels: &[u128], incumbent: u128) -> Found {
        if labels.is_empty() {
            return Found { ended: true, ..Found::default() };
        }
        let tables = self.tables.get_or_insert_with(|| Box::new(Tables::new(labels, incumbent)));
        match &mut **tables {
            Tables::Narrow(lists) => lists.advance(&mut self.done, &mut self.width, self.size, incumbent),
            Tables::Wide(lists) => lists.advance(&mut self.done, &mut self.width, self.size, incumbent),
        }
    }
}

#[derive(Debug)]
enum Tables {
    Narrow(Lists<u64>),
    Wide(Lists<u128>),
}

impl Tables {
    fn new(labels: &[u128], incumbent: u128) -> Self {
        let total: u128 = labels.iter().sum();
        // Windows of 64 bits are wide enough if there are some thousand of them, and for margins of the incumbent.
        if total < NARROW << 12 && incumbent < NARROW {
            Self::Narrow(Lists::new(labels))
        } else {
            Self::Wide(Lists::new(labels))
        }
    }
}

/// The place of a sum within a window: an unsigned word in which sums wrap.
trait Offset: Copy + Ord + std::fmt::Debug {
    const ZERO: Self;
    /// The widest window.
    const WIDEST: i128;
    fn of(value: i128) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn saturating_minus(self, other: Self) -> Self;
    fn bucket(self, shift: u32) -> usize;
    fn wide(self) -> u128;
}

macro_rules! offset {
    ($type:ty, $widest:expr) => {
        impl Offset for $type {
            const ZERO: Self = 0;
            const WIDEST: i128 = $widest;
            #[inline(always)]
            fn of(value: i128) -> Self {
                value as Self
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn saturating_minus(self, other: Self) -> Self {
                self.saturating_sub(other)
            }
            #[inline(always)]
            fn bucket(self, shift: u32) -> usize {
                (self >> shift) as usize
            }
            #[inline(always)]
            fn wide(self) -> u128 {
                u128::from(self)
            }
        }
    };
}
offset!(u64, NARROW as i128);
offset!(u128, i128::MAX >> 2);

/// All subset sums of some labels.
#[derive(Debug)]
struct List<T> {
    /// The places of the labels.
    places: Vec<usize>,
    labels: Vec<i128>,
    /// Ascending.
    sums: Vec<i128>,
    /// What of the sums offsets are made of.
    low: Vec<T>,
}

impl<T: Offset> List<T> {
    fn new(labels: &[u128], places: Vec<usize>) -> Self {
        let own: Vec<i128> = places.iter().map(|&place| labels[place] as i128).collect();
        let mut sums = vec![0];
        for label in &own {
            let raised: Vec<i128> = sums.iter().map(|sum| sum + label).collect();
            sums = merged(&sums, &raised);
        }
        let low = sums.iter().map(|&sum| T::of(sum)).collect();
        Self { places, labels: own, sums, low }
    }

    fn total(&self) -> i128 {
        self.sums[self.sums.len() - 1]
    }

    /// Moves the labels of a subset with this sum, which exists, to the left.
    fn put_left(&self, sum: i128, right: &mut [bool]) {
        let subset = (0..1_u64 << self.labels.len()).find(|set| self.sum_of(*set) == sum).unwrap_or_default();
        for (at, &place) in self.places.iter().enumerate() {
            right[place] = subset >> at & 1 == 0;
        }
    }

    fn sum_of(&self, subset: u64) -> i128 {
        self.labels.iter().enumerate().filter(|(at, _)| subset >> at & 1 == 1).map(|(_, label)| label).sum()
    }
}

/// Merges two ascending lists.
fn merged(a: &[i128], b: &[i128]) -> Vec<i128> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let first = a[i] <= b[j];
        all.push(if first { a[i] } else { b[j] });
        i += usize::from(first);
        j += usize::from(!first);
    }
    all.extend_from_slice(&a[i..]);
    all.extend_from_slice(&b[j..]);
    all
}

#[derive(Debug)]
struct Lists<T> {
    /// The number of labels; the last one is on the left.
    count: usize,
    near: [List<T>; 2],
    far: [List<T>; 2],
    /// What a near and a far sum are to add up to: half of what the labels differ by if all lie on the right but the
    /// last, rounded down.
    target: i128,
    /// 1 where that was not a whole number, else 0.
    odd: u128,
    /// For each sum of the first list, where the window begins in the second one, and where it ends.
    begins: Vec<u32>,
    ends: Vec<u32>,
    /// For each sum of the third list, where the window before ended in the fourth one.
    guesses: Vec<u32>,
    /// The offsets of the near sums of a window, as they are made and by bucket.
    made: Vec<T>,
    sorted: Vec<T>,
    /// Where the buckets begin.
    starts: Vec<u32>,
}

/// A pair of sums that is better than the incumbent.
struct Pair {
    difference: u128,
    near: i128,
    far: [i128; 2],
}

impl<T: Offset> Lists<T> {
    fn new(labels: &[u128]) -> Self {
        let count = labels.len();
        // Large and small labels in each list.
        let deal = |list: usize| List::new(labels, (0..count - 1).rev().skip(list).step_by(4).collect());
        let (near, far) = ([deal(0), deal(2)], [deal(1), deal(3)]);
        let last = labels[count - 1] as i128;
        let twice = labels[..count - 1].iter().sum::<u128>() as i128 - last;
        let (begins, guesses) = (vec![0; near[0].sums.len()], vec![far[1].sums.len() as u32; far[0].sums.len()]);
        Self {
            count,
            target: twice.div_euclid(2),
            odd: twice.rem_euclid(2) as u128,
            ends: begins.clone(),
            begins,
            guesses,
            near,
            far,
            made: Vec::new(),
            sorted: Vec::new(),
            starts: Vec::new(),
        }
    }

    fn advance(&mut self, done: &mut i128, width: &mut i128, size: u32, incumbent: u128) -> Found {
        let most = self.near[0].total() + self.near[1].total();
        if *done > most {
            return Found { ended: true, ..Found::default() };
        }
        let sums = (self.near[0].sums.len() as u128 * self.near[1].sums.len() as u128).max(1);
        let wanted = 1_usize << size;
        if *width == 0 {
            *width = ((most as u128 / sums.div_ceil(wanted as u128)).min(T::WIDEST as u128 / 4) as i128).max(1);
        }
        self.seek(*done);
        let (end, count) = loop {
            let end = (*done + *width).min(most + 1);
            let count = self.count_below(end);
            if count <= 4 * wanted || *width == 1 {
                break (end, count);
            }
            *width = (*width / 4).max(1);
        };
        // Pairs beyond the margin are no better than the incumbent.
        let margin = (incumbent / 2 + 2) as i128;
        let window = Window { begin: *done, end, margin };
        self.fill(&window, count);
        let (pair, looked) = self.match_far(&window, count, incumbent);
        std::mem::swap(&mut self.begins, &mut self.ends);
        *done = end;
        let scaled = (*width as u128).saturating_mul(wanted as u128) / count.max(1) as u128;
        let next = scaled.clamp(*width as u128 / 4, *width as u128 * 4);
        *width = (next.min(T::WIDEST as u128 / 4) as i128).max(1);
        let right = pair.map(|pair| self.sides(&pair));
        Found { right, sums: count as u64 + looked, ended: end > most }
    }

    /// Sets where the window that begins at `done` begins for each sum of the first list.
    fn seek(&mut self, done: i128) {
        let [first, second] = &self.near;
        for (begin, &sum) in self.begins.iter_mut().zip(&first.sums) {
            // Known from the window before, but for the first one after a checkpoint.
            let at = *begin as usize;
            let fits = second.sums.get(at).is_none_or(|other| sum + other >= done);
            if !fits || at > 0 && sum + second.sums[at - 1] >= done {
                *begin = second.sums.partition_point(|other| sum + other < done) as u32;
            }
        }
    }

    /// Sets where the window that ends before `end` ends for each sum of the first list; returns its sums.
    fn count_below(&mut self, end: i128) -> usize {
        let [first, second] = &self.near;
        let mut count = 0;
        for ((stop, &begin), &sum) in self.ends.iter_mut().zip(&self.begins).zip(&first.sums) {
            let (mut at, limit) = (begin as usize, end - sum);
            while at < second.sums.len() && second.sums[at] < limit {
                at += 1;
            }
            count += at - begin as usize;
            *stop = at as u32;
        }
        count
    }

    /// Puts the near sums of the window into buckets.
    fn fill(&mut self, window: &Window, count: usize) {
        let Self { near: [first, second], begins, ends, made, sorted, starts, .. } = self;
        let shift = window.shift(count);
        made.clear();
        made.reserve(count);
        for ((&begin, &end), &sum) in begins.iter().zip(ends.iter()).zip(&first.sums) {
            let base = T::of(sum.wrapping_sub(window.base()));
            made.extend(second.low[begin as usize..end as usize].iter().map(|&low| base.plus(low)));
        }
        starts.clear();
        starts.resize(window.buckets(shift) + 2, 0);
        for offset in &*made {
            starts[offset.bucket(shift) + 2] += 1;
        }
        let mut sum = 0;
        for start in starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        sorted.clear();
        sorted.resize(count, T::ZERO);
        // Behind each bucket's place stands where it begins; there it moves to its end, which is where the next one
        // begins.
        for &offset in &*made {
            let start = &mut starts[offset.bucket(shift) + 1];
            sorted[*start as usize] = offset;
            *start += 1;
        }
    }

    /// Looks the far sums up that can match a near sum of the window. Returns the best pair that is better than the
    /// incumbent, and the number of far sums.
    fn match_far(&mut self, window: &Window, count: usize, incumbent: u128) -> (Option<Pair>, u64) {
        let Self { far: [first, second], guesses, sorted, starts, target, odd, .. } = self;
        let shift = window.shift(count);
        let range = T::of(window.end + window.margin - window.base());
        let (mut best, mut found, mut looked) = (incumbent, None, 0);
        let mut reach = T::of((best / 2 + 1).min(window.margin as u128) as i128);
        for (guess, &sum) in guesses.iter_mut().zip(&first.sums) {
            // The near sum that a far sum asks for lies in the window or its margins.
            let most = *target - sum - window.begin + window.margin;
            let least = *target - sum - window.end - window.margin;
            let mut end = *guess as usize;
            while end > 0 && second.sums[end - 1] > most {
                end -= 1;
            }
            while end < second.sums.len() && second.sums[end] <= most {
                end += 1;
            }
            let mut begin = end;
            while begin > 0 && second.sums[begin - 1] >= least {
                begin -= 1;
            }
            *guess = begin as u32;
            looked += (end - begin) as u64;
            let base = T::of((*target - sum).wrapping_sub(window.base()));
            for at in begin..end {
                let asked = base.minus(second.low[at]);
                let from = asked.saturating_minus(reach).bucket(shift);
                let to = asked.plus(reach).min(range).bucket(shift);
                for &offset in &sorted[starts[from] as usize..starts[to + 1] as usize] {
                    let difference = if offset > asked {
                        2 * offset.minus(asked).wide() - *odd
                    } else {
                        2 * asked.minus(offset).wide() + *odd
                    };
                    if difference < best {
                        best = difference;
                        reach = T::of((best / 2 + 1).min(window.margin as u128) as i128);
                        let near = window.base() + offset.wide() as i128;
                        found = Some(Pair { difference, near, far: [sum, second.sums[at]] });
                    }
                }
            }
        }
        (found, looked)
    }

    /// Returns the sides of the labels in a pair.
    fn sides(&self, pair: &Pair) -> Vec<bool> {
        let [first, second] = &self.near;
        let mut right = vec![false; self.count];
        let whole = first.sums.iter().find_map(|&sum| second.sums.binary_search(&(pair.near - sum)).ok().map(|_| sum));
        let sum = whole.unwrap_or_default();
        first.put_left(sum, &mut right);
        second.put_left(pair.near - sum, &mut right);
        self.far.iter().zip(pair.far).for_each(|(list, sum)| list.put_left(sum, &mut right));
        debug_assert_eq!(self.difference(&right), pair.difference);
        right
    }

    /// The difference of the sides, from the labels.
    fn difference(&self, right: &[bool]) -> u128 {
        let lists = self.near.iter().chain(&self.far);
        let labels = lists.flat_map(|list| list.places.iter().zip(&list.labels));
        let left: i128 = labels.filter(|&(&place, _)| !right[place]).map(|(_, label)| label).sum();
        (2 * (left - self.target) - self.odd as i128).unsigned_abs()
    }
}

/// Near sums from `begin` up to `end`, with a margin on both sides where a far sum may ask for one of them.
struct Window {
    begin: i128,
    end: i128,
    margin: i128,
}

impl Window {
    /// What has the offset 0.
    fn base(&self) -> i128 {
        self.begin - self.margin
    }

    /// How many bits of an offset are left out of the number of its bucket: there are about `count` buckets.
    fn shift(&self, count: usize) -> u32 {
        let range = (self.end + self.margin - self.base()) as u128;
        (128 - range.leading_zeros()).saturating_sub(count.max(256).ilog2())
    }

    fn buckets(&self, shift: u32) -> usize {
        ((self.end + self.margin - self.base()) as u128 >> shift) as usize + 1
    }
}
