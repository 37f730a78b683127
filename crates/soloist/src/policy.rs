//! The learned playout policy of nested rollout policy adaptation (NRPA): weights under codes, and their adaptation.
//!
//! # Exact sums
//! A move is drawn with probability `w / z`, where `w = exp(logit / temperature)` and `z` sums `w` over the legal moves.
//! The weights are held as integers, multiples of 2^-26, and so are all sums over them, the chances `1 / z` being
//! multiples of 2^-100. Integer sums do not depend on their order: a domain may keep running totals, sum by
//! columns or adapt over whole lifetimes of a move, and still produce the run that the plain code produces. A weight
//! covers logits from -18 to 15; the logit itself is a double, without such limits.

use crate::Move;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The weight of a logit of zero.
pub const UNIT_WEIGHT: u64 = 1 << 26;
/// The largest weight: leaves room for 65,536 moves in a 64-bit sum.
const MAX_WEIGHT: u64 = 1 << 48;
/// Fixed-point scale of `1 / z`.
const CHANCE_SCALE: f64 = (1_u128 << 100) as f64;

/// One run of steps during which a code was available to the policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lifetime {
    /// The code under which the move is learned.
    pub code: u64,
    /// The first step at which it was available.
    pub first: u32,
    /// One past the last such step.
    pub end: u32,
}

/// A playout recorded for adaptation: what could be chosen at each step and what was.
///
/// Adapting a policy needs no replay of the game: the codes are here.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "M: Move")]
pub struct Trace<M> {
    /// The moves played.
    pub moves: Vec<M>,
    lifetimes: Vec<Lifetime>,
    /// `exp(bias)` of each lifetime; empty when the policy uses no bias.
    factors: Vec<f64>,
    /// Index of the lifetime chosen at each step.
    chosen: Vec<u32>,
    #[serde(skip, default = "Vec::new")]
    pub(crate) candidates: Vec<M>,
    #[serde(skip)]
    pub(crate) weights: Vec<u64>,
}

impl<M> Default for Trace<M> {
    fn default() -> Self {
        Self {
            moves: Vec::new(),
            lifetimes: Vec::new(),
            factors: Vec::new(),
            chosen: Vec::new(),
            candidates: Vec::new(),
            weights: Vec::new(),
        }
    }
}

impl<M> Trace<M> {
    /// Forgets the playout, keeps the buffers.
    pub fn clear(&mut self) {
        self.moves.clear();
        self.lifetimes.clear();
        self.factors.clear();
        self.chosen.clear();
    }

    /// The number of steps recorded.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.chosen.len()
    }

    /// What was available, in the order recorded.
    #[must_use]
    pub fn lifetimes(&self) -> &[Lifetime] {
        &self.lifetimes
    }

    /// For each step, the index of the chosen move's entry in [`lifetimes`](Self::lifetimes).
    #[must_use]
    pub fn chosen(&self) -> &[u32] {
        &self.chosen
    }

    /// Records that `code` is available at the current step and returns its weight.
    #[inline]
    pub fn offer(&mut self, code: u64, policy: &Policy) -> u64 {
        let first = self.chosen.len() as u32;
        self.lifetimes.push(Lifetime { code, first, end: first + 1 });
        policy.weight(code)
    }

    /// As [`offer`](Self::offer), for a policy with biases; `factor` is [`Policy::bias_factor`].
    pub fn offer_biased(&mut self, code: u64, factor: f64, policy: &Policy) -> u64 {
        self.factors.push(factor);
        scaled(self.offer(code, policy), factor)
    }

    /// Ends a step: of the last `offered` entries the one at `at` was chosen, by `mv`.
    #[inline]
    pub fn choose(&mut self, at: usize, offered: usize, mv: M) {
        self.step((self.lifetimes.len() - offered + at) as u32, mv);
    }

    /// Adds an entry that may span several steps and returns its index (for domains that keep track of lifetimes).
    #[inline]
    pub fn record(&mut self, lifetime: Lifetime) -> u32 {
        self.lifetimes.push(lifetime);
        self.lifetimes.len() as u32 - 1
    }

    /// Ends a step: entry number `chosen` was chosen, by `mv`. The entry may be recorded later.
    #[inline]
    pub fn step(&mut self, chosen: u32, mv: M) {
        self.chosen.push(chosen);
        self.moves.push(mv);
    }

    /// Names the entry chosen at `step` after the fact.
    #[inline]
    pub fn set_chosen(&mut self, step: usize, chosen: u32) {
        self.chosen[step] = chosen;
    }
}

/// A table of weights under 64-bit codes, with nested copies by undo.
///
/// Open addressing, one probe for most look-ups; a code never adapted is absent and weighs [`UNIT_WEIGHT`]. A level of
/// NRPA works on "a copy" of its parent's policy: [`push`](Self::push) marks the table, [`pop`](Self::pop)
/// restores it, at a cost linear in the codes touched.
#[derive(Clone, Debug)]
pub struct Policy {
    temperature: f64,
    bias_weight: f64,
    clamp: f64,
    slots: Vec<Slot>,
    logits: Vec<f64>,
    /// Serial of the frame that last saved the slot.
    saved: Vec<u32>,
    shift: u32,
    /// Occupied slots by age. Undo frees them youngest first, which linear probing allows.
    order: Vec<u32>,
    frames: Vec<Frame>,
    undo: Vec<(u32, f64)>,
    serial: u32,
    scratch: Scratch,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    code: u64,
    /// 0 marks a free slot.
    weight: u64,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    serial: u32,
    undo: usize,
    order: usize,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    /// Slot of each lifetime.
    slots: Vec<u32>,
    /// Weight of each lifetime, its bias included.
    weights: Vec<u64>,
    /// Per step: change of `z`, then `z`.
    z: Vec<u64>,
    /// Per step: the sum of `1 / z` over the steps before.
    chances: Vec<u128>,
    /// Per slot, zero between calls: summed chance of having been available, and times chosen.
    exposure: Vec<u128>,
    count: Vec<u32>,
    touched: Vec<u32>,
}

/// A policy in a checkpoint: logits by age, and the undo log in terms of ages.
#[derive(Serialize, Deserialize)]
struct Stored {
    entries: Vec<(u64, f64)>,
    frames: Vec<(u32, usize, usize)>,
    undo: Vec<(u32, f64)>,
    saved: Vec<u32>,
    serial: u32,
}

const INITIAL_SLOTS: usize = 1 << 11;

impl Policy {
    /// An empty policy: every move weighs the same.
    ///
    /// `temperature` divides the logits; `bias_weight` multiplies [`Problem::bias`](crate::Problem::bias) (0 switches it off); logits are
    /// clipped to `-clamp..=clamp` after each adaptation (infinite: never).
    #[must_use]
    pub fn new(temperature: f64, bias_weight: f64, clamp: f64) -> Self {
        let mut policy = Self {
            temperature,
            bias_weight,
            clamp,
            slots: Vec::new(),
            logits: Vec::new(),
            saved: Vec::new(),
            shift: 0,
            order: Vec::new(),
            frames: Vec::new(),
            undo: Vec::new(),
            serial: 0,
            scratch: Scratch::default(),
        };
        policy.resize(INITIAL_SLOTS);
        policy
    }

    /// The integer weight of `code`: exp(logit / temperature) in units of 1 / [`UNIT_WEIGHT`].
    #[inline]
    #[must_use]
    pub fn weight(&self, code: u64) -> u64 {
        let mask = self.slots.len() - 1;
        let mut at = self.home(code);
        loop {
            let slot = self.slots[at & mask];
            if slot.weight == 0 {
                return UNIT_WEIGHT;
            }
            if slot.code == code {
                return slot.weight;
            }
            at += 1;
        }
    }

    /// The logit of `code`: 0 if it was never adapted.
    #[must_use]
    pub fn logit(&self, code: u64) -> f64 {
        self.find(code).map_or(0.0, |slot| self.logits[slot])
    }

    /// The number of codes with an own weight.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether nothing has been learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Whether playouts must supply biases.
    #[inline]
    #[must_use]
    pub fn uses_bias(&self) -> bool {
        self.bias_weight != 0.0
    }

    /// The factor exp(bias weight x bias) of a move.
    #[must_use]
    pub fn bias_factor(&self, bias: f64) -> f64 {
        libm::exp(self.bias_weight * bias)
    }

    /// Starts a nested copy.
    pub fn push(&mut self) {
        self.serial += 1;
        self.frames.push(Frame { serial: self.serial, undo: self.undo.len(), order: self.order.len() });
    }

    /// Drops the innermost copy: everything learned since its [`push`](Self::push) is undone.
    ///
    /// # Panics
    /// When there is no copy.
    pub fn pop(&mut self) {
        let frame = self.frames.pop().expect("pop matches a push");
        for (slot, logit) in self.undo.drain(frame.undo..).rev() {
            self.logits[slot as usize] = logit;
            self.slots[slot as usize].weight = weight_of(logit / self.temperature);
        }
        for slot in self.order.drain(frame.order..).rev() {
            self.slots[slot as usize].weight = 0;
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill(Slot::default());
        self.order.clear();
        self.frames.clear();
        self.undo.clear();
        self.serial = 0;
        self.saved.fill(0);
    }

    /// Moves the policy towards the recorded playout, one step of gradient ascent on its log-likelihood.
    ///
    /// For every code `c`, with the weights of before the call:
    /// `logit(c) += alpha / t * (times c was chosen - sum over its available steps of w(c) / z(step))`, which is Rosin's `Adapt` summed by
    /// code, and Cazenave's generalised form when the temperature `t` or biases are used.
    ///
    /// Time is linear in the recorded entries, with one exponential a code.
    ///
    /// # References
    /// C. D. Rosin, "Nested Rollout Policy Adaptation for Monte Carlo Tree Search", IJCAI 2011. T. Cazenave, "Generalized Nested Rollout
    /// Policy Adaptation", arXiv:2003.10024, 2020.
    pub fn adapt<M>(&mut self, trace: &Trace<M>, alpha: f64) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.reserve(trace.lifetimes.len());
        scratch.exposure.resize(self.slots.len(), 0);
        scratch.count.resize(self.slots.len(), 0);
        let steps = trace.chosen.len();
        scratch.z.clear();
        scratch.z.resize(steps + 1, 0);
        scratch.slots.clear();
        scratch.weights.clear();
        for (i, life) in trace.lifetimes.iter().enumerate() {
            let slot = self.find_or_insert(life.code);
            let mut weight = self.slots[slot as usize].weight;
            if let Some(&factor) = trace.factors.get(i) {
                weight = scaled(weight, factor);
            }
            scratch.slots.push(slot);
            scratch.weights.push(weight);
            scratch.z[life.first as usize] = scratch.z[life.first as usize].wrapping_add(weight);
            scratch.z[life.end as usize] = scratch.z[life.end as usize].wrapping_sub(weight);
        }
        scratch.chances.clear();
        scratch.chances.push(0);
        let (mut z, mut sum) = (0_u64, 0_u128);
        for &change in &scratch.z[..steps] {
            z = z.wrapping_add(change);
            sum += (CHANCE_SCALE / z as f64) as u128;
            scratch.chances.push(sum);
        }
        for (i, life) in trace.lifetimes.iter().enumerate() {
            let slot = scratch.slots[i];
            let mut chance = scratch.chances[life.end as usize] - scratch.chances[life.first as usize];
            if let Some(&factor) = trace.factors.get(i) {
                chance = (chance as f64 * factor) as u128;
            }
            let exposure = &mut scratch.exposure[slot as usize];
            if *exposure == 0 {
                scratch.touched.push(slot);
            }
            // At least 1, so that "touched" is visible; 2^-100 is far below any chance that matters.
            *exposure += chance.max(1);
        }
        for &chosen in &trace.chosen {
            scratch.count[scratch.slots[chosen as usize] as usize] += 1;
        }
        let rate = alpha / self.temperature;
        for slot in scratch.touched.drain(..) {
            let at = slot as usize;
            let expected =
                self.slots[at].weight as f64 * (std::mem::take(&mut scratch.exposure[at]) as f64 / CHANCE_SCALE);
            let chosen = f64::from(std::mem::take(&mut scratch.count[at]));
            self.set(slot, self.logits[at] + rate * (chosen - expected));
        }
        self.scratch = scratch;
    }

    fn set(&mut self, slot: u32, logit: f64) {
        let at = slot as usize;
        if let Some(frame) = self.frames.last()
            && self.saved[at] != frame.serial
        {
            self.saved[at] = frame.serial;
            self.undo.push((slot, self.logits[at]));
        }
        let logit = logit.clamp(-self.clamp, self.clamp);
        self.logits[at] = logit;
        self.slots[at].weight = weight_of(logit / self.temperature);
    }

    #[inline]
    fn home(&self, code: u64) -> usize {
        (code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    fn find(&self, code: u64) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let mut at = self.home(code);
        loop {
            let slot = self.slots[at & mask];
            if slot.weight == 0 {
                return None;
            }
            if slot.code == code {
                return Some(at & mask);
            }
            at += 1;
        }
    }

    fn find_or_insert(&mut self, code: u64) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = self.home(code);
        loop {
            let slot = &mut self.slots[at & mask];
            if slot.weight == 0 {
                *slot = Slot { code, weight: UNIT_WEIGHT };
                self.logits[at & mask] = 0.0;
                self.saved[at & mask] = self.frames.last().map_or(0, |frame| frame.serial);
                self.order.push((at & mask) as u32);
                return (at & mask) as u32;
            }
            if slot.code == code {
                return (at & mask) as u32;
            }
            at += 1;
        }
    }

    /// Makes room for `more` codes at a load of at most a half.
    fn reserve(&mut self, more: usize) {
        let needed = (self.order.len() + more) * 2;
        if needed <= self.slots.len() {
            return;
        }
        self.resize(needed.next_power_of_two());
    }

    fn resize(&mut self, capacity: usize) {
        let old: Vec<(u64, f64, u32)> = self
            .order
            .iter()
            .map(|&slot| (self.slots[slot as usize].code, self.logits[slot as usize], self.saved[slot as usize]))
            .collect();
        let mut age = vec![0_u32; self.slots.len()];
        for (i, &slot) in self.order.iter().enumerate() {
            age[slot as usize] = i as u32;
        }
        let undo: Vec<(u32, f64)> = self.undo.iter().map(|&(slot, logit)| (age[slot as usize], logit)).collect();
        self.rebuild(capacity, &old, &undo);
    }

    /// Lays the entries (code, logit, saved), oldest first, into an empty table; `undo` names entries by age.
    fn rebuild(&mut self, capacity: usize, entries: &[(u64, f64, u32)], undo: &[(u32, f64)]) {
        self.slots = vec![Slot::default(); capacity];
        self.logits = vec![0.0; capacity];
        self.saved = vec![0; capacity];
        self.shift = 64 - capacity.trailing_zeros();
        self.order.clear();
        for &(code, logit, saved) in entries {
            let slot = self.find_or_insert(code) as usize;
            self.logits[slot] = logit;
            self.saved[slot] = saved;
            self.slots[slot].weight = weight_of(logit / self.temperature);
        }
        self.undo = undo.iter().map(|&(age, logit)| (self.order[age as usize], logit)).collect();
    }
}

impl Serialize for Policy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut age = vec![0_u32; self.slots.len()];
        for (i, &slot) in self.order.iter().enumerate() {
            age[slot as usize] = i as u32;
        }
        let stored = Stored {
            entries: self
                .order
                .iter()
                .map(|&slot| (self.slots[slot as usize].code, self.logits[slot as usize]))
                .collect(),
            frames: self.frames.iter().map(|f| (f.serial, f.undo, f.order)).collect(),
            undo: self.undo.iter().map(|&(slot, logit)| (age[slot as usize], logit)).collect(),
            saved: self.order.iter().map(|&slot| self.saved[slot as usize]).collect(),
            serial: self.serial,
        };
        (self.temperature, self.bias_weight, self.clamp, stored).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Policy {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (temperature, bias_weight, clamp, stored) = <(f64, f64, f64, Stored)>::deserialize(deserializer)?;
        let count = stored.entries.len();
        let sound = stored.saved.len() == count
            && stored.undo.iter().all(|&(age, _)| (age as usize) < count)
            && stored.frames.iter().all(|&(_, undo, order)| undo <= stored.undo.len() && order <= count)
            && stored.frames.is_sorted_by_key(|&(_, undo, order)| (undo, order))
            && stored.entries.iter().map(|entry| entry.0).collect::<HashSet<_>>().len() == count;
        if !sound {
            return Err(serde::de::Error::custom("inconsistent policy"));
        }
        let mut policy = Self::new(temperature, bias_weight, clamp);
        let entries: Vec<_> = stored.entries.iter().zip(&stored.saved).map(|(&(c, l), &s)| (c, l, s)).collect();
        policy.rebuild((count * 4).next_power_of_two().max(INITIAL_SLOTS), &entries, &stored.undo);
        policy.frames = stored.frames.into_iter().map(|(serial, undo, order)| Frame { serial, undo, order }).collect();
        policy.serial = stored.serial;
        Ok(policy)
    }
}

/// exp(logit) as an integer weight within 1..=[`MAX_WEIGHT`].
#[inline]
fn weight_of(logit: f64) -> u64 {
    // The conversion saturates, so that any logit is safe.
    ((libm::exp(logit) * UNIT_WEIGHT as f64 + 0.5) as u64).clamp(1, MAX_WEIGHT)
}

/// `weight * factor`, kept within the range of weights.
#[inline]
fn scaled(weight: u64, factor: f64) -> u64 {
    ((weight as f64 * factor + 0.5) as u64).clamp(1, MAX_WEIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Steps of (codes, chosen index), as an NRPA trace.
    fn trace(steps: &[(&[u64], usize)]) -> Trace<u8> {
        let policy = Policy::new(1.0, 0.0, f64::INFINITY);
        let mut trace = Trace::default();
        for (codes, at) in steps {
            for &code in *codes {
                trace.offer(code, &policy);
            }
            trace.choose(*at, codes.len(), 0);
        }
        trace
    }

    /// Rosin's Adapt as printed: every step reads the old policy.
    fn adapt_by_the_book(logits: &mut HashMap<u64, f64>, steps: &[(&[u64], usize)], alpha: f64) {
        let old = logits.clone();
        for (codes, at) in steps {
            let weight = |code: &u64| old.get(code).copied().unwrap_or(0.0).exp();
            let z: f64 = codes.iter().map(weight).sum();
            *logits.entry(codes[*at]).or_default() += alpha;
            for code in *codes {
                *logits.entry(*code).or_default() -= alpha * weight(code) / z;
            }
        }
    }

    #[test]
    fn adapts_as_the_paper_prints_it() {
        let games: [&[(&[u64], usize)]; 3] = [
            &[(&[0, 1, 2], 1), (&[0, 3], 0), (&[5], 0)],
            &[(&[0, 1, 2], 2), (&[1, 1, 3], 1), (&[1, 4], 0)],
            &[(&[7, 8, 9, 0], 3), (&[0, 1], 0), (&[0, 1], 1)],
        ];
        let mut policy = Policy::new(1.0, 0.0, f64::INFINITY);
        let mut book = HashMap::new();
        for round in 0..30 {
            let steps = games[round % 3];
            policy.adapt(&trace(steps), 1.0);
            adapt_by_the_book(&mut book, steps, 1.0);
            for (code, logit) in &book {
                assert!((policy.logit(*code) - logit).abs() < 1e-4, "code {code}: {} != {logit}", policy.logit(*code));
            }
        }
    }

    #[test]
    fn lifetimes_equal_repeated_offers() {
        let mut plain = Policy::new(1.0, 0.0, f64::INFINITY);
        let mut spans = plain.clone();
        let mut spanned = Trace::<u8>::default();
        let a = spanned.record(Lifetime { code: 10, first: 0, end: 3 });
        let b = spanned.record(Lifetime { code: 11, first: 0, end: 2 });
        let c = spanned.record(Lifetime { code: 12, first: 1, end: 3 });
        let d = spanned.record(Lifetime { code: 13, first: 0, end: 1 });
        for chosen in [d, b, c] {
            spanned.step(chosen, 0);
        }
        assert_eq!(a, 0);
        let steps = trace(&[(&[10, 11, 13], 2), (&[12, 11, 10], 1), (&[10, 12], 1)]);
        for _ in 0..50 {
            plain.adapt(&steps, 0.7);
            spans.adapt(&spanned, 0.7);
            for code in 10..14 {
                assert_eq!(plain.logit(code).to_bits(), spans.logit(code).to_bits());
            }
        }
    }

    #[test]
    fn nested_copies_are_undone_even_when_the_table_grows() {
        let mut policy = Policy::new(1.0, 0.0, f64::INFINITY);
        let small = trace(&[(&[1, 2, 3], 0), (&[4, 5], 1)]);
        policy.adapt(&small, 1.0);
        let before: Vec<f64> = (0..6).map(|c| policy.logit(c)).collect();
        policy.push();
        policy.adapt(&small, 1.0);
        let inner: Vec<f64> = (0..6).map(|c| policy.logit(c)).collect();
        policy.push();
        let many: Vec<u64> = (0..4000).collect();
        for _ in 0..3 {
            policy.adapt(&trace(&[(&many, 17)]), 1.0);
        }
        assert_eq!(policy.len(), 4000);
        let saved = postcard::to_allocvec(&policy).unwrap();
        let mut loaded: Policy = postcard::from_bytes(&saved).unwrap();
        for policy in [&mut policy, &mut loaded] {
            policy.pop();
            assert_eq!((0..6).map(|c| policy.logit(c)).collect::<Vec<_>>(), inner);
            assert_eq!(policy.len(), 5);
            policy.pop();
            assert_eq!((0..6).map(|c| policy.logit(c)).collect::<Vec<_>>(), before);
            assert_eq!(policy.weight(999), UNIT_WEIGHT);
        }
    }

    #[test]
    fn each_step_moves_the_logits_by_nothing_in_sum() {
        let mut policy = Policy::new(1.0, 0.0, f64::INFINITY);
        for _ in 0..20 {
            policy.adapt(&trace(&[(&[1, 2, 3], 0), (&[2, 3, 4, 5], 3), (&[6], 0)]), 1.0);
        }
        let sum: f64 = (1..=6).map(|c| policy.logit(c)).sum();
        assert!(sum.abs() < 1e-9, "{sum}");
        assert!(policy.logit(6).abs() < 1e-9, "a forced move teaches nothing");
    }
}
