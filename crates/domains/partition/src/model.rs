//! The rules: labels in order, and what joining or splitting the two largest does.

use super::limbs::{add, compare, from_big, lead, subtract, to_big};
use super::{Numbers, meet};
use num_bigint::BigUint;
use soloist::Problem;
use soloist::problem::{StableHasher, stable_hash};
use std::hash::Hasher;
use std::sync::OnceLock;

/// The move that puts the two largest labels on different sides: they become their difference.
pub const SPLIT: u16 = 0;

/// The move that puts the two largest labels on the same side: they become their sum.
pub const JOIN: u16 = 1;

/// The labels that remain: signed sums of numbers, as absolute values.
///
/// The memory is 36 bytes a number where the sum of all numbers has at most 128 bits, and `8 w` bytes a number more
/// where it takes `w` words.
#[derive(Debug, Default)]
pub struct Labels {
    /// The highest 128 bits of each label, ascending, from place `low` up to `high`. Before them is room for as many:
    /// the differences of large labels are small, and only those below make way.
    keys: Vec<u128>,
    /// The number whose place in `limbs` each label has, beside `keys`.
    slots: Vec<u16>,
    low: usize,
    high: usize,
    /// All words of each label by slot; empty where the keys are exact.
    limbs: Vec<u64>,
    /// The highest 128 bits of the sum of the labels, or up to `slack` more.
    total: u128,
    slack: u32,
    /// Moves made.
    pub(crate) depth: u32,
    /// What the joins so far were: two states with the same joins have the same heuristic completion.
    joins: u64,
}

impl Clone for Labels {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        let room = other.keys.len();
        if self.keys.len() != room {
            self.keys.clear();
            self.keys.resize(room, 0);
            self.slots.clear();
            self.slots.resize(room, 0);
        }
        (self.low, self.high) = (room / 2, room / 2 + other.len());
        self.keys[self.low..self.high].copy_from_slice(other.keys());
        self.slots[self.low..self.high].copy_from_slice(other.slots());
        self.limbs.clone_from(&other.limbs);
        (self.total, self.slack) = (other.total, other.slack);
        (self.depth, self.joins) = (other.depth, other.joins);
    }
}

impl Labels {
    /// Returns the highest 128 bits of each label, ascending.
    pub(crate) fn keys(&self) -> &[u128] {
        &self.keys[self.low..self.high]
    }

    /// Returns the slot of each label, in the same order.
    pub(crate) fn slots(&self) -> &[u16] {
        &self.slots[self.low..self.high]
    }

    /// Labels that remain.
    pub(crate) fn len(&self) -> usize {
        self.high - self.low
    }

    /// Moves made.
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// Identifies the joins among the moves made.
    pub(crate) fn joins(&self) -> u64 {
        self.joins
    }

    /// Takes out the largest label.
    fn pop(&mut self) -> Option<(u128, u16)> {
        (self.low < self.high).then(|| {
            self.high -= 1;
            (self.keys[self.high], self.slots[self.high])
        })
    }

    /// Puts in a label larger than all others; one was taken out before.
    fn push(&mut self, key: u128, slot: u16) {
        (self.keys[self.high], self.slots[self.high]) = (key, slot);
        self.high += 1;
    }

    /// Puts in a label so that `at` smaller ones are before it; one was taken out before.
    fn insert(&mut self, at: usize, key: u128, slot: u16) {
        let mut place = self.low + at;
        if self.low > 0 && at <= self.len() / 2 {
            self.keys.copy_within(self.low..place, self.low - 1);
            self.slots.copy_within(self.low..place, self.low - 1);
            self.low -= 1;
            place -= 1;
        } else {
            self.keys.copy_within(place..self.high, place + 1);
            self.slots.copy_within(place..self.high, place + 1);
            self.high += 1;
        }
        (self.keys[place], self.slots[place]) = (key, slot);
    }
}

/// The words of a label that fits into its key.
fn words_of_key(key: u128) -> [u64; 2] {
    [key as u64, (key >> 64) as u64]
}

/// Two labels became one: the second is on the same side as the first, or on the other one.
#[derive(Clone, Copy, Debug)]
struct Step {
    first: u16,
    second: u16,
    apart: bool,
}

/// The search's view of [`Numbers`]: minimise log2(difference + 1) of the two sides.
///
/// A state is a multiset of labels, at first the numbers. A move takes the two largest, `u >= v`, and puts them on
/// different sides ([`SPLIT`], listed first: `u - v` replaces them) or on the same one ([`JOIN`]: `u + v`). Every
/// division into two sides is a sequence of moves: whatever the sides, either the two largest labels lie on the same
/// side or they do not, and their difference or sum counts as a label on the side of `u`. A state is finished
/// - when the largest label `m` is at least half of the sum `S` of all: all others go to the other side, `2 m - S`;
/// - when at most `leaf` labels remain: up to four are solved by differencing, which is optimal there, more by meeting
///   in the middle.
///
/// What is left out is never better than what the finished state stands for. The bound is `max(S mod 2, 2 m - S)`.
///
/// All words of all labels are kept, so that order, ends and scores are exact. Scores are doubles: differences up to
/// 2^47 have scores of their own, larger ones share a score with those closer than a relative 2^-45, and a proof is one
/// for the score. A move costs the words of a label and moving part of the list; `w` words more for each comparison
/// that 128 bits leave open.
///
/// # References
/// N. Karmarkar and R. M. Karp, "The differencing method of set partitioning", UC Berkeley 1982. R. E. Korf, "A
/// complete anytime algorithm for number partitioning", Artificial Intelligence 106, 1998, pages 181-203. L. Rei,
/// "Monte Carlo tree search for combinatorial optimization", thesis, University of Porto, 2018, chapter 4.
#[derive(Debug)]
pub struct Differencing {
    /// Words of a number.
    pub(crate) words: usize,
    /// Labels are the numbers times 2^scale, so that the highest bit of the sum of all is the highest bit of the
    /// highest word.
    pub(crate) scale: u32,
    /// Whether the sum of all numbers is odd.
    pub(crate) odd: bool,
    /// The number of labels up to which a state is finished.
    pub(crate) leaf: usize,
    pub(crate) root: Labels,
    /// The optimal division of the first state, where that is finished.
    solved: OnceLock<(u128, u64)>,
    pub(crate) fingerprint: u64,
}

impl Differencing {
    /// The most labels that a finished state may be solved with.
    pub const MAX_LEAF: usize = 50;

    /// Returns the problem with leaves of at most four labels: O(n log n).
    #[must_use]
    pub fn new(numbers: &Numbers) -> Self {
        let values = numbers.values();
        let sum: BigUint = values.iter().sum();
        let words = (sum.bits().div_ceil(64) as usize).max(2);
        // Sums are below 2^4108, so that this fits.
        let scale = (64 * words as u64 - sum.bits().max(1)) as u32;
        let scaled: Vec<Vec<u64>> = values.iter().map(|number| from_big(&(number << scale), words)).collect();
        let mut order: Vec<u16> = (0..values.len() as u16).collect();
        soloist::order::sort_by(&mut order, |&a, &b| compare(&scaled[usize::from(a)], &scaled[usize::from(b)]));
        let sum_words = from_big(&(&sum << scale), words);
        let exact = words == 2;
        let count = values.len();
        let mut root = Labels {
            keys: vec![0; 2 * count],
            slots: vec![0; 2 * count],
            low: count,
            high: count,
            limbs: if exact { Vec::new() } else { scaled.iter().flatten().copied().collect() },
            total: lead(&sum_words),
            slack: 0,
            depth: 0,
            joins: 0,
        };
        for slot in order {
            root.push(lead(&scaled[usize::from(slot)]), slot);
        }
        let mut hash = StableHasher::new();
        hash.write(b"partition");
        for number in values {
            number.to_u64_digits().iter().for_each(|&word| hash.write_u64(word));
            hash.write_u64(number.bits());
        }
        let odd = sum.bit(0);
        Self { words, scale, odd, leaf: 4, root, solved: OnceLock::new(), fingerprint: hash.finish() }
    }

    /// Returns the same problem with leaves of at most `leaf` labels (4 to [`MAX_LEAF`](Self::MAX_LEAF)), solved by
    /// meeting in the middle: a leaf of `m` labels takes about 2^(m/2) steps, or 2^(m - 21) where that is more.
    ///
    /// Where the sum of all numbers has more than 128 bits, larger leaves than four are solved on the highest 128 bits:
    /// accurate enough for any search, but then nothing is proven
    /// ([`Facts::is_complete`](soloist::problem::Facts::is_complete)).
    #[must_use]
    pub fn with_leaf(mut self, leaf: usize) -> Self {
        self.leaf = leaf.clamp(4, Self::MAX_LEAF);
        self
    }

    /// Whether 128 bits hold every label.
    pub(crate) fn is_exact(&self) -> bool {
        self.words == 2
    }

    /// Returns the shift that makes the numbers fill their words.
    pub(crate) fn scale(&self) -> u32 {
        self.scale
    }

    /// Words of a label.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Returns the numbers that the search knows.
    pub(crate) fn count(&self) -> usize {
        self.root.len()
    }

    /// Returns the words of the label at `at`.
    pub(crate) fn label(&self, state: &Labels, at: usize) -> Vec<u64> {
        if self.is_exact() {
            words_of_key(state.keys()[at]).to_vec()
        } else {
            self.words_of(state, state.slots()[at]).to_vec()
        }
    }

    fn words_of<'a>(&self, state: &'a Labels, slot: u16) -> &'a [u64] {
        &state.limbs[usize::from(slot) * self.words..][..self.words]
    }

    /// The words of the sum of all labels.
    fn sum(&self, state: &Labels) -> Vec<u64> {
        let mut sum = vec![0; self.words];
        state.slots().iter().for_each(|&slot| add(&mut sum, self.words_of(state, slot)));
        sum
    }

    /// Whether the largest label is at least half of the sum.
    pub(crate) fn dominated(&self, state: &Labels) -> bool {
        let Some(&largest) = state.keys().last() else { return true };
        let others = state.total - largest;
        if self.is_exact() {
            return largest >= others;
        }
        // The words cut off are less than one unit of either number.
        if largest > others {
            return true;
        }
        if others.saturating_sub(u128::from(state.slack)) >= largest.saturating_add(2) {
            return false;
        }
        let mut others = self.sum(state);
        let largest = self.words_of(state, state.slots()[state.len() - 1]);
        subtract(&mut others, largest);
        compare(largest, &others).is_ge()
    }

    /// Whether `state` is a solution.
    pub(crate) fn finished(&self, state: &Labels) -> bool {
        state.len() <= self.leaf || self.dominated(state)
    }

    /// Replaces the two largest labels.
    pub(crate) fn combine(&self, state: &mut Labels, mv: u16) {
        let (Some((u, first)), Some((v, second))) = (state.pop(), state.pop()) else { return };
        state.depth += 1;
        if mv != SPLIT {
            state.joins = stable_hash(&(state.joins, state.depth));
        }
        if self.is_exact() {
            if mv == SPLIT {
                state.total -= 2 * v;
                let label = u - v;
                state.insert(state.keys().partition_point(|&key| key < label), label, first);
            } else {
                state.push(u + v, first);
            }
            return;
        }
        let words = self.words;
        let (a, b) = (usize::from(first) * words, usize::from(second) * words);
        let (low, high) = state.limbs.split_at_mut(a.max(b));
        let (own, other) =
            if a < b { (&mut low[a..a + words], &high[..words]) } else { (&mut high[..words], &low[b..b + words]) };
        if mv == SPLIT {
            subtract(own, other);
            let key = lead(own);
            // What 128 bits leave out of the second label is less than one unit.
            state.total -= 2 * v;
            state.slack += 2;
            let mut at = state.keys().partition_point(|&own| own < key);
            while state.keys().get(at) == Some(&key)
                && compare(self.words_of(state, state.slots()[at]), self.words_of(state, first)).is_lt()
            {
                at += 1;
            }
            state.insert(at, key, first);
        } else {
            add(own, other);
            let key = lead(own);
            state.push(key, first);
        }
    }

    /// Makes `state` the solution with this difference, `depth` moves from the root.
    pub(crate) fn finish_with(&self, state: &mut Labels, difference: &[u64], depth: u32) {
        let slot = state.slots()[0];
        state.high = state.low;
        state.push(lead(difference), slot);
        (state.total, state.slack, state.depth) = (lead(difference), 0, depth);
        if !self.is_exact() {
            let at = usize::from(slot) * self.words;
            state.limbs[at..at + self.words].copy_from_slice(difference);
        }
    }

    /// Solves the first state where that is finished, as long as `go_on` says so. Returns false if it said no.
    pub(crate) fn solve_root(&self, go_on: &mut dyn FnMut() -> bool) -> bool {
        if self.root.len() <= 4 || !self.finished(&self.root) || self.dominated(&self.root) {
            return true;
        }
        let solved = meet::solve_while(self.root.keys(), go_on);
        solved.is_some_and(|solved| self.solved.set(solved).is_ok() || self.solved.get().is_some())
    }

    /// The least difference of a few labels, and those on the right side.
    fn optimal(&self, state: &Labels) -> (u128, u64) {
        if state.depth == 0 {
            // The first state is asked about often and may take a second.
            return *self.solved.get_or_init(|| meet::solve(state.keys()));
        }
        meet::solve(state.keys())
    }

    /// Returns the words of the difference that a finished state stands for.
    pub(crate) fn difference(&self, state: &Labels) -> Vec<u64> {
        let count = state.len();
        if count == 1 {
            return self.label(state, 0);
        }
        if self.dominated(state) {
            // The largest label meets all others.
            let Some(largest) = count.checked_sub(1).map(|at| self.label(state, at)) else {
                return vec![0; self.words];
            };
            if self.is_exact() {
                let key = state.keys()[count - 1];
                return words_of_key(key - (state.total - key)).to_vec();
            }
            let mut others = self.sum(state);
            subtract(&mut others, &largest);
            let mut difference = largest;
            subtract(&mut difference, &others);
            return difference;
        }
        if count > 4 {
            let (best, set) = self.optimal(state);
            if self.is_exact() {
                return words_of_key(best).to_vec();
            }
            let mut sums = [vec![0; self.words], vec![0; self.words]];
            for (at, &slot) in state.slots().iter().enumerate() {
                add(&mut sums[(set >> at & 1) as usize], self.words_of(state, slot));
            }
            let [mut more, mut less] = sums;
            if compare(&more, &less).is_lt() {
                std::mem::swap(&mut more, &mut less);
            }
            subtract(&mut more, &less);
            return more;
        }
        let mut rest = state.clone();
        while rest.len() > 1 {
            self.combine(&mut rest, SPLIT);
        }
        self.label(&rest, 0)
    }

    /// Returns the difference of a finished state.
    #[must_use]
    pub fn exact_difference(&self, state: &Labels) -> BigUint {
        to_big(&self.difference(state)) >> self.scale
    }

    /// On which side each number is after `moves`, the last state being completed as its score says.
    ///
    /// Moves beyond the end are ignored.
    #[must_use]
    pub fn sides(&self, moves: &[u16]) -> Vec<bool> {
        let mut state = self.root.clone();
        let mut steps = Vec::new();
        let combine = |state: &mut Labels, mv: u16, steps: &mut Vec<Step>| {
            if let [.., second, first] = *state.slots() {
                steps.push(Step { first, second, apart: mv == SPLIT });
            }
            self.combine(state, mv);
        };
        for &mv in moves {
            if self.finished(&state) {
                break;
            }
            combine(&mut state, mv, &mut steps);
        }
        let count = state.len();
        let mut right = vec![false; self.count()];
        if count > 4 && !self.dominated(&state) {
            let set = self.optimal(&state).1;
            for (at, &slot) in state.slots().iter().enumerate() {
                right[usize::from(slot)] = set >> at & 1 == 1;
            }
        } else {
            while state.len() > 1 {
                combine(&mut state, SPLIT, &mut steps);
            }
        }
        // A label's side is known before that of the numbers in it.
        for step in steps.iter().rev() {
            right[usize::from(step.second)] = right[usize::from(step.first)] ^ step.apart;
        }
        right
    }

    /// Plays `state` to its end so that its labels (by slot) lie on the given sides, or better; appends the moves.
    pub(crate) fn follow(&self, state: &mut Labels, right: &[bool], moves: &mut Vec<u16>) {
        while !self.finished(state) {
            let [.., second, first] = *state.slots() else { return };
            let apart = right[usize::from(first)] != right[usize::from(second)];
            let mv = if apart { SPLIT } else { JOIN };
            self.combine(state, mv);
            moves.push(mv);
        }
    }
}

impl Differencing {
    /// Whether `state` has no moves.
    #[must_use]
    pub fn is_finished(&self, state: &<Self as Problem>::State) -> bool {
        let mut moves = Vec::new();
        self.moves(state, &mut moves);
        moves.is_empty()
    }
}
