//! A priority queue of candidates by their gains.

use super::index::mix;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Without chance in the order, each gain below this has a bucket.
const BUCKETS: i32 = 1 << 12;

/// Candidates of one gain, in ascending order.
#[derive(Clone, Debug, Default)]
struct Bucket {
    /// The candidates that were added in ascending order. These are nearly all, because a new candidate has the largest
    /// number.
    run: Vec<u32>,
    /// The number of candidates of `run` that were taken.
    next: usize,
    /// The other candidates.
    late: BinaryHeap<Reverse<u32>>,
}

impl Bucket {
    fn push(&mut self, at: u32) {
        if self.run.last().is_none_or(|&last| last < at) {
            self.run.push(at);
        } else {
            self.late.push(Reverse(at));
        }
    }

    fn pop(&mut self) -> Option<u32> {
        let first = self.run.get(self.next).copied();
        if let Some(&Reverse(late)) = self.late.peek()
            && first.is_none_or(|first| late < first)
        {
            self.late.pop();
            return Some(late);
        }
        if first.is_some() {
            self.next += 1;
        } else {
            self.run.clear();
            self.next = 0;
        }
        first
    }
}

/// A priority queue of candidates: number and gain, the largest gain first. A candidate may be in it several times.
///
/// Without a seed, equal gains come in the order of their numbers, and adding and taking cost little. With a seed,
/// their order is drawn. Noise adds a random part to each gain, so that chance may decide more than the gains.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    buckets: Vec<Bucket>,
    /// All buckets above are empty.
    top: usize,
    /// The candidates that are in no bucket: rank, order among equals and number, 32 bits each.
    heap: BinaryHeap<u128>,
    seed: u64,
    /// A mask of the random sixteenths of an operation that are added to a gain.
    noise: u32,
}

impl Queue {
    pub(super) fn new(seed: u64, noise: u32) -> Self {
        Self { buckets: Vec::new(), top: 0, heap: BinaryHeap::new(), seed, noise }
    }

    /// Sets the order of an empty queue.
    pub(super) fn restart(&mut self, seed: u64, noise: u32) {
        debug_assert!(self.heap.is_empty());
        (self.seed, self.noise) = (seed, noise);
    }

    fn tie(&self, at: u32) -> u32 {
        if self.seed == 0 { !at } else { mix(self.seed ^ u64::from(at)) as u32 }
    }

    /// Adds a candidate; `gain` is positive.
    pub(super) fn push(&mut self, at: u32, gain: i32) {
        debug_assert!(gain > 0);
        if self.seed == 0 && self.noise == 0 && gain < BUCKETS {
            let gain = gain as usize;
            if gain >= self.buckets.len() {
                self.buckets.resize_with(gain + 1, Bucket::default);
            }
            self.top = self.top.max(gain);
            self.buckets[gain].push(at);
            return;
        }
        let tie = self.tie(at);
        let rank = 16 * gain as u64 + u64::from(tie >> 20 & self.noise);
        self.heap.push(u128::from(rank) << 64 | u128::from(tie) << 32 | u128::from(at));
    }

    /// Removes the first candidate. Returns it with the gain with which it was added.
    pub(super) fn pop(&mut self) -> Option<(u32, i32)> {
        if let Some(item) = self.heap.pop() {
            let (rank, tie, at) = ((item >> 64) as u64, (item >> 32) as u32, item as u32);
            return Some((at, ((rank - u64::from(tie >> 20 & self.noise)) / 16) as i32));
        }
        while let Some(bucket) = self.buckets.get_mut(self.top) {
            if let Some(at) = bucket.pop() {
                return Some((at, self.top as i32));
            }
            self.top = self.top.checked_sub(1)?;
        }
        None
    }

    /// Empties the queue and calls `each` with every candidate in it.
    pub(super) fn drain(&mut self, mut each: impl FnMut(u32)) {
        self.heap.drain().for_each(|item| each(item as u32));
        for bucket in self.buckets.drain(..) {
            bucket.run[bucket.next..].iter().for_each(|&at| each(at));
            bucket.late.into_iter().for_each(|Reverse(at)| each(at));
        }
        self.top = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use soloist::Rng;

    /// The queue agrees with a sorted list: the largest gain first, of equal gains the smallest number.
    #[test]
    fn the_largest_gain_comes_first() {
        let mut rng = Rng::new(2);
        let mut queue = Queue::new(0, 0);
        let mut inside: Vec<(i32, Reverse<u32>)> = Vec::new();
        for round in 0..4000_u32 {
            if rng.below(5) < 3 {
                let most = if rng.below(10) == 0 { 2 * BUCKETS as u64 } else { 7 };
                let gain = 1 + rng.below(most) as i32;
                let at = if rng.below(3) == 0 { rng.below(1 + u64::from(round)) as u32 } else { round };
                queue.push(at, gain);
                inside.push((gain, Reverse(at)));
            } else {
                inside.sort_unstable();
                let expected = inside.pop().map(|(gain, Reverse(at))| (at, gain));
                assert_eq!(queue.pop(), expected, "round {round}");
            }
        }
        let mut left: Vec<u32> = inside.iter().map(|&(_, Reverse(at))| at).collect();
        let mut drained = Vec::new();
        queue.drain(|at| drained.push(at));
        left.sort_unstable();
        drained.sort_unstable();
        assert_eq!(drained, left);
        assert_eq!(queue.pop(), None);
    }

    /// With a seed, every candidate comes back with its gain; gains fall unless noise is added.
    #[test]
    fn chance_decides_between_equals() {
        let run = |seed, noise| {
            let mut queue = Queue::new(seed, noise);
            (0..300).for_each(|at| queue.push(at, 1 + at as i32 % 3));
            let taken: Vec<(u32, i32)> = std::iter::from_fn(|| queue.pop()).collect();
            assert!(taken.len() == 300 && taken.iter().all(|&(at, gain)| gain == 1 + at as i32 % 3));
            taken
        };
        assert!(run(1, 0).is_sorted_by_key(|&(_, gain)| -gain));
        assert_eq!(run(1, 0), run(1, 0));
        assert_ne!(run(1, 0), run(2, 0));
        assert!(!run(1, 255).is_sorted_by_key(|&(_, gain)| -gain));
    }
}
