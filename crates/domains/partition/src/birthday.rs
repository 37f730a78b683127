//! Partitions by the generalised birthday: lists of small signed sums, merged pairwise.

use super::limbs::{add, compare, lead, subtract};
use soloist::Rng;
use std::cmp::Ordering;

/// The most lists of the first level, as a power of two.
const MAX_LEVELS: u32 = 6;
/// The most labels of a group: halves have at most 2^18 sums.
const MAX_GROUP: usize = 36;

/// Returns the most labels of a group whose list has 2^`size` sums: its halves have little more.
fn most_labels(size: u32) -> usize {
    MAX_GROUP.min(2 * size as usize + 2)
}

/// The shape of a construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Lists are to have 2^size entries.
    pub(crate) size: u32,
    /// There are 2^levels lists at first.
    pub(crate) levels: u32,
}

impl Shape {
    /// log2 of the difference to be expected from `count` labels, log2 of the root of the sum of their squares being
    /// `spread`.
    pub(crate) fn expected(self, count: usize, spread: f64) -> f64 {
        let size = f64::from(self.size);
        let group = count as f64 / f64::from(1_u32 << self.levels);
        // Signed sums up to a common sign.
        let mut entries = (group - 1.0).clamp(0.0, size);
        let mut value = spread - f64::from(self.levels) / 2.0 - (group - 1.0 - entries);
        for _ in 1..self.levels {
            let next = (2.0 * entries).min(size);
            value -= 2.0 * entries - next;
            entries = next;
        }
        value - 2.0 * entries
    }

    /// Returns how many of `count` labels are too many for its groups.
    pub(crate) fn excess(self, count: usize) -> usize {
        count.saturating_sub(most_labels(self.size) << self.levels)
    }

    /// Returns the levels that promise the least difference.
    pub(crate) fn best(size: u32, count: usize, spread: f64) -> Self {
        // The sums are computed on a window of 127 bits, which must cover what the merges take off, and their errors.
        let fits = |levels: u32| (levels + 1) * size + count.max(1).ilog2() + 3 <= 126;
        let shapes = (1..=MAX_LEVELS).filter(|&levels| levels == 1 || fits(levels)).map(|levels| Self { size, levels });
        // Larger groups are differenced until they are small enough.
        let value = |shape: Self| shape.expected(count.min(most_labels(size) << shape.levels), spread);
        shapes.min_by(|&a, &b| value(a).total_cmp(&value(b))).unwrap_or(Self { size, levels: 1 })
    }
}

/// A signed sum of labels, up to its sign.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    high: u64,
    low: u64,
    /// The entries of the two lists (or halves of a group) that it was made of.
    one: u32,
    two: u32,
}

impl Entry {
    fn value(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

/// How the entries of a list were made.
#[derive(Debug)]
enum Origin {
    /// From the labels of a group: the signs of its first and second half by entry.
    Group { first: usize, end: usize, halves: [Vec<u32>; 2], pairs: Vec<[u32; 2]> },
    /// From two lists: the first entry less the second.
    Merge { lists: [usize; 2], pairs: Vec<[u32; 2]> },
}

/// The values of a list, ascending, all at most `reach`.
#[derive(Debug)]
struct List {
    values: Vec<u128>,
    reach: f64,
    origin: usize,
    level: u32,
}

/// Lists that are filled again: memory that is given back and asked for in each step costs a third of the time.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    entries: Vec<Entry>,
    /// What sorting uses.
    sorted: Vec<Entry>,
    values: Vec<Vec<u128>>,
    pairs: Vec<Vec<[u32; 2]>>,
    signs: Vec<Vec<u32>>,
    /// Those of the two halves of a group.
    sums: [Vec<Sum>; 2],
}

/// Puts these items into a list that is filled again, or into a new one.
fn refill<T>(spare: &mut Vec<Vec<T>>, items: impl Iterator<Item = T>) -> Vec<T> {
    let mut list = spare.pop().unwrap_or_default();
    list.clear();
    list.extend(items);
    list
}

/// A signed sum of labels: leading bits, window, and which labels are taken off.
type Sum = (i64, u128, u32);

/// One construction, step by step: each step builds a list, merges two, or ends it. At most as many lists as levels are
/// held at a time, but what every entry was made of is kept: 8 bytes for each entry of each list.
///
/// # References
/// D. Wagner, "A generalized birthday problem", CRYPTO 2002, pages 288-304. R. Schroeppel and A. Shamir, SIAM Journal
/// on Computing 10, 1981, pages 456-464 (four lists). N. Howgrave-Graham and A. Joux, EUROCRYPT 2010.
#[derive(Debug)]
pub(crate) struct Birthday {
    shape: Shape,
    /// The labels in groups: all their words.
    labels: Vec<Vec<u64>>,
    /// Which of the given labels each is.
    order: Vec<usize>,
    /// Where each group begins, and the end.
    starts: Vec<usize>,
    /// The lowest bit of the window that sums are computed on.
    shift: u32,
    /// What was built, in the order of building.
    origins: Vec<Origin>,
    open: Vec<List>,
    next_group: usize,
    buffers: Buffers,
    /// The sums that were made and compared.
    sums: u64,
}

impl Birthday {
    /// Returns a construction over `labels`, given in ascending order with all their words, at most as many for each
    /// list as the [`excess`](Shape::excess) leaves. `buffers`: those of the construction before.
    pub(crate) fn new(labels: &[Vec<u64>], shape: Shape, rng: &mut Rng, buffers: Buffers) -> Self {
        let groups = 1_usize << shape.levels;
        let mut dealt: Vec<Vec<usize>> = vec![Vec::new(); groups];
        let mut turn: Vec<usize> = (0..groups).collect();
        // The largest labels first, each group one, in random order.
        let descending: Vec<usize> = (0..labels.len()).rev().collect();
        for hand in descending.chunks(groups) {
            rng.shuffle(&mut turn);
            hand.iter().zip(&turn).for_each(|(&label, &group)| dealt[group].push(label));
        }
        let mut starts = vec![0];
        let mut order = Vec::with_capacity(labels.len());
        for mut group in dealt {
            rng.shuffle(&mut group);
            order.append(&mut group);
            starts.push(order.len());
        }
        let labels: Vec<Vec<u64>> = order.iter().map(|&at| labels[at].clone()).collect();
        let mut own = Self {
            shape,
            labels,
            order,
            starts,
            shift: 0,
            origins: Vec::new(),
            open: Vec::new(),
            next_group: 0,
            buffers,
            sums: 0,
        };
        let words = own.labels.first().map_or(2, Vec::len) as u32;
        let value = |label: &Vec<u64>| lead(label) as f64;
        let most = |group: usize| {
            let labels = &own.labels[own.starts[group]..own.starts[group + 1]];
            own.reach(group).1.unwrap_or_else(|| labels.iter().map(value).sum())
        };
        let reach = (0..groups).map(most).fold(1.0, f64::max);
        // A bit for the sign and some for what exceeds the estimate.
        let top = libm::log2(reach).ceil() as i64 + i64::from(64 * (words - 2)) + 3;
        own.shift = (top - 127).clamp(0, i64::from(64 * words)) as u32;
        own
    }

    /// The sums that a group's list is to hold, in units of the lowest of the two leading words: how far they would
    /// reach if they were as dense everywhere as at 0, and their limit. Without limit: all sums.
    fn reach(&self, group: usize) -> (f64, Option<f64>) {
        let labels = &self.labels[self.starts[group]..self.starts[group + 1]];
        let value = |label: &Vec<u64>| lead(label) as f64;
        // The sums are about normally distributed.
        let spread = libm::sqrt(labels.iter().map(|label| value(label) * value(label)).sum());
        let reach = spread * libm::sqrt(std::f64::consts::PI / 2.0);
        if labels.len() <= self.shape.size as usize + 1 {
            return (reach, None);
        }
        let reach = reach * libm::exp2(f64::from(self.shape.size) + 1.0 - labels.len() as f64);
        (reach, Some(reach))
    }

    /// The window of a label.
    fn window(&self, label: &[u64]) -> u128 {
        let (word, bit) = ((self.shift / 64) as usize, self.shift % 64);
        let at = |index: usize| label.get(index).copied().unwrap_or(0);
        let low = u128::from(at(word + 1)) << 64 | u128::from(at(word));
        if bit == 0 { low } else { low >> bit | u128::from(at(word + 2)) << (128 - bit) }
    }

    /// Returns the sums that were made and compared so far: the unit of work.
    pub(crate) fn sums(&self) -> u64 {
        self.sums
    }

    /// Returns how many steps a construction takes.
    pub(crate) fn steps(&self) -> usize {
        2 * (1 << self.shape.levels) - 1
    }

    /// Does the next step. At the end: the sides of the labels (as they were given).
    pub(crate) fn step(&mut self) -> Option<Vec<bool>> {
        if let [.., one, two] = &self.open[..]
            && one.level == two.level
        {
            if one.level + 1 == self.shape.levels {
                return Some(self.closest());
            }
            self.merge();
            return None;
        }
        self.build();
        None
    }

    /// Returns the buffers, which another construction fills again.
    pub(crate) fn into_buffers(mut self) -> Buffers {
        self.buffers.values.extend(self.open.drain(..).map(|list| list.values));
        for origin in self.origins.drain(..) {
            match origin {
                Origin::Group { halves, pairs, .. } => {
                    self.buffers.signs.extend(halves);
                    self.buffers.pairs.push(pairs);
                }
                Origin::Merge { pairs, .. } => self.buffers.pairs.push(pairs),
            }
        }
        self.buffers
    }

    /// Sorts the entries and makes them a list.
    fn close(&mut self, mut entries: Vec<Entry>, reach: f64, level: u32, origin: impl FnOnce(Vec<[u32; 2]>) -> Origin) {
        sort(&mut entries, &mut self.buffers.sorted);
        let values = refill(&mut self.buffers.values, entries.iter().map(|entry| entry.value()));
        let pairs = refill(&mut self.buffers.pairs, entries.iter().map(|entry| [entry.one, entry.two]));
        self.origins.push(origin(pairs));
        self.open.push(List { values, reach, origin: self.origins.len() - 1, level });
        self.buffers.entries = entries;
    }

    /// Builds the list of the next group: its smallest signed sums.
    fn build(&mut self) {
        let group = self.next_group;
        self.next_group += 1;
        let (first, end) = (self.starts[group], self.starts[group + 1]);
        let (reach, limit) = self.reach(group);
        let middle = first + (end - first) / 2;
        // The last label's sign is fixed: sums count up to their sign.
        let [mut one, mut two] = std::mem::take(&mut self.buffers.sums);
        self.half(first, middle, false, &mut one);
        self.half(middle, end, true, &mut two);
        for sums in [&mut one, &mut two] {
            sums.sort_unstable_by_key(|sum| sum.0);
        }
        let mut entries = std::mem::take(&mut self.buffers.entries);
        entries.clear();
        // The leading words of sums fit in 62 bits when shifted by this, with their signs.
        let bound = limit.map_or(f64::INFINITY, |limit| limit / libm::exp2(f64::from(SCALE))).min(4e18) as i64;
        let most = (1_usize << self.shape.size) + (1 << self.shape.size) / 4;
        let mut low = two.len();
        for (i, &(head, window, _)) in one.iter().enumerate() {
            while low > 0 && two[low - 1].0 + head >= -bound {
                low -= 1;
            }
            let near = two[low..].iter().take_while(|sum| sum.0 + head <= bound);
            for (j, other) in (low..).zip(near) {
                let value = (window.wrapping_add(other.1) as i128).unsigned_abs();
                entries.push(Entry { high: (value >> 64) as u64, low: value as u64, one: i as u32, two: j as u32 });
            }
            if entries.len() >= most && limit.is_some() {
                break;
            }
        }
        let scale =
            libm::exp2(f64::from(64 * (self.labels.first().map_or(2, Vec::len) as i32 - 2) - self.shift as i32));
        self.sums += (one.len() + two.len() + entries.len()) as u64;
        let halves = [&one, &two].map(|half| refill(&mut self.buffers.signs, half.iter().map(|sum| sum.2)));
        self.buffers.sums = [one, two];
        self.close(entries, reach * scale, 0, |pairs| Origin::Group { first, end, halves, pairs });
    }

    /// Puts all signed sums of some labels into `sums`.
    fn half(&self, first: usize, end: usize, fixed: bool, sums: &mut Vec<Sum>) {
        sums.clear();
        sums.push((0, 0, 0));
        for (bit, label) in self.labels[first..end].iter().enumerate() {
            let head = (lead(label) >> SCALE) as i64;
            let window = self.window(label);
            let count = sums.len();
            if !(fixed && first + bit + 1 == end) {
                sums.extend_from_within(..);
            }
            let (plus, minus) = sums.split_at_mut(count);
            for sum in plus {
                *sum = (sum.0 + head, sum.1.wrapping_add(window), sum.2);
            }
            for sum in minus {
                *sum = (sum.0 - head, sum.1.wrapping_sub(window), sum.2 | 1 << bit);
            }
        }
    }

    /// Merges the two lists built last into one of the smallest differences.
    fn merge(&mut self) {
        let (Some(two), Some(one)) = (self.open.pop(), self.open.pop()) else { return };
        let wanted = libm::exp2(f64::from(self.shape.size));
        let reach = one.reach.max(two.reach);
        let pairs = (one.values.len() as f64) * (two.values.len() as f64);
        // Values are about uniform, so that the density of differences is known.
        let near = (wanted / (2.0 * pairs.max(1.0)) * reach).clamp(1.0, reach.max(1.0));
        let bound = near as u128;
        let most = (1_usize << self.shape.size) + (1 << self.shape.size) / 4;
        let mut entries = std::mem::take(&mut self.buffers.entries);
        entries.clear();
        let mut low = 0;
        for (i, &value) in one.values.iter().enumerate() {
            while low < two.values.len() && two.values[low].saturating_add(bound) < value {
                low += 1;
            }
            for (j, &other) in (low..).zip(&two.values[low..]) {
                if other > value.saturating_add(bound) {
                    break;
                }
                let difference = value.abs_diff(other);
                let (high, low) = ((difference >> 64) as u64, difference as u64);
                entries.push(Entry { high, low, one: i as u32, two: j as u32 });
            }
            if entries.len() >= most {
                break;
            }
        }
        self.sums += entries.len() as u64;
        let lists = [one.origin, two.origin];
        let level = one.level + 1;
        self.buffers.values.extend([one.values, two.values]);
        self.close(entries, near, level, |pairs| Origin::Merge { lists, pairs });
    }

    /// The sides that the closest pair of the last two lists stands for.
    fn closest(&mut self) -> Vec<bool> {
        let mut right = vec![false; self.order.len()];
        let (Some(two), Some(one)) = (self.open.pop(), self.open.pop()) else { return right };
        let mut best = (u128::MAX, 0, 0);
        let mut j = 0;
        for (i, &value) in one.values.iter().enumerate() {
            while j + 1 < two.values.len() && two.values[j] < value {
                let distance = value - two.values[j];
                if distance < best.0 {
                    best = (distance, i, j);
                }
                j += 1;
            }
            if let Some(&other) = two.values.get(j) {
                let distance = value.abs_diff(other);
                if distance < best.0 {
                    best = (distance, i, j);
                }
            }
        }
        self.sums += (one.values.len() + two.values.len()) as u64;
        let origins = [one.origin, two.origin];
        self.buffers.values.extend([one.values, two.values]);
        let mut negative = vec![false; self.labels.len()];
        if best.0 < u128::MAX {
            let first = self.resolve(origins[0], best.1, &mut negative);
            let second = self.resolve(origins[1], best.2, &mut negative);
            self.negate(second.1, second.2, &mut negative);
            debug_assert_eq!(first.2, second.1);
        }
        for (&label, &negative) in self.order.iter().zip(&negative) {
            right[label] = negative;
        }
        right
    }

    fn negate(&self, first: usize, end: usize, negative: &mut [bool]) {
        negative[first..end].iter_mut().for_each(|sign| *sign = !*sign);
    }

    /// Sets the signs of an entry so that its exact sum is not negative; returns the sum and the labels.
    fn resolve(&self, origin: usize, entry: usize, negative: &mut [bool]) -> (Vec<u64>, usize, usize) {
        match &self.origins[origin] {
            Origin::Group { first, end, halves, pairs } => {
                let (first, end) = (*first, *end);
                let middle = first + (end - first) / 2;
                let [one, two] = pairs[entry];
                let (one, two) = (halves[0][one as usize], halves[1][two as usize]);
                for (signs, range) in [(one, first..middle), (two, middle..end)] {
                    negative[range].iter_mut().enumerate().for_each(|(bit, sign)| *sign = signs >> bit & 1 == 1);
                }
                let words = self.labels.first().map_or(2, Vec::len);
                let mut sums = [vec![0; words], vec![0; words]];
                for (label, &negative) in self.labels[first..end].iter().zip(&negative[first..end]) {
                    add(&mut sums[usize::from(negative)], label);
                }
                let [plus, minus] = sums;
                self.ordered(plus, minus, first, end, negative)
            }
            Origin::Merge { lists, pairs } => {
                let [one, two] = pairs[entry];
                let (plus, first, middle) = self.resolve(lists[0], one as usize, negative);
                let (minus, start, end) = self.resolve(lists[1], two as usize, negative);
                self.negate(middle.max(start), end, negative);
                self.ordered(plus, minus, first, end, negative)
            }
        }
    }

    /// The difference of two sums, all signs exchanged where it would be negative.
    fn ordered(
        &self,
        mut plus: Vec<u64>,
        mut minus: Vec<u64>,
        first: usize,
        end: usize,
        negative: &mut [bool],
    ) -> (Vec<u64>, usize, usize) {
        if compare(&plus, &minus) == Ordering::Less {
            self.negate(first, end, negative);
            std::mem::swap(&mut plus, &mut minus);
        }
        subtract(&mut plus, &minus);
        (plus, first, end)
    }
}

/// Bits cut off the two leading words where half sums are ordered: sums of labels then fit in 63 bits with a sign.
const SCALE: u32 = 66;

/// Sorts entries by value; they are about uniform. `buffer` is overwritten.
fn sort(entries: &mut Vec<Entry>, buffer: &mut Vec<Entry>) {
    const DIGIT: u32 = 11;
    let largest = entries.iter().fold(0, |most, entry| entry.value().max(most));
    let bits = 128 - largest.leading_zeros();
    let shift = bits.saturating_sub(2 * DIGIT);
    let key = |entry: &Entry| (entry.value() >> shift).min((1 << (2 * DIGIT)) - 1) as usize;
    buffer.clear();
    buffer.resize(entries.len(), Entry::default());
    for pass in 0..2 {
        let digit = |entry: &Entry| key(entry) >> (pass * DIGIT) & ((1 << DIGIT) - 1);
        let mut places = [0_usize; 1 << DIGIT];
        entries.iter().for_each(|entry| places[digit(entry)] += 1);
        let mut sum = 0;
        for place in &mut places {
            (*place, sum) = (sum, sum + *place);
        }
        for entry in &*entries {
            let place = &mut places[digit(entry)];
            buffer[*place] = *entry;
            *place += 1;
        }
        std::mem::swap(entries, buffer);
    }
    // Entries with the same key are few; where they are not, a real sort is due.
    for at in 1..entries.len() {
        let entry = entries[at];
        let mut place = at;
        while place > 0 && entries[place - 1].value() > entry.value() {
            if at - place == 64 {
                entries[place] = entry;
                entries.sort_unstable_by_key(|entry| entry.value());
                return;
            }
            entries[place] = entries[place - 1];
            place -= 1;
        }
        entries[place] = entry;
    }
}
