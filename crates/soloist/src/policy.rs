//! The learned playout policy of nested rollout policy adaptation (NRPA): weights under codes, and their adaptation.
//!
//! # Exact sums
//! A move is drawn with probability `w / z`, where `w = exp(logit / temperature)` and `z` sums `w` over the legal
//! moves. The weights are held as integers, multiples of 2^-26, and so are all sums over them, the chances `1 / z`
//! being multiples of 2^-100. Integer sums do not depend on their order: a domain may keep running totals, sum by
//! columns or adapt over whole lifetimes of a move, and still produce the run that the plain code produces. A weight
//! covers logits from -18 to 15; the logit itself is a double, without such limits.

use crate::Trace;
use crate::math::exp;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The weight of a logit of zero.
pub const UNIT_WEIGHT: u64 = 1 << 26;
/// The largest weight: leaves room for 65,536 moves in a 64-bit sum.
const MAX_WEIGHT: u64 = 1 << 48;
/// Fixed-point scale of `1 / z`.
const CHANCE_SCALE: f64 = (1_u128 << 100) as f64;

/// A table of weights under 64-bit codes, with nested copies by undo.
///
/// Open addressing by cache lines, one line for most look-ups; a code never adapted is absent and weighs
/// [`UNIT_WEIGHT`]. A level of NRPA works on "a copy" of its parent's policy: [`push`](Self::push) marks the table,
/// [`pop`](Self::pop) restores it, at a cost linear in the codes touched.
#[derive(Clone, Debug)]
pub struct Policy {
    temperature: f64,
    /// 1 / temperature.
    sharpness: f64,
    bias_weight: f64,
    clamp: f64,
    buckets: Vec<Bucket>,
    /// By slot: bucket x 4 + place.
    logits: Vec<f64>,
    /// Serial of the frame that last saved the slot.
    saved: Vec<u32>,
    shift: u32,
    /// Occupied slots by age. Undo frees them youngest first, so that a free place in a bucket is always behind the
    /// taken ones.
    order: Vec<u32>,
    frames: Vec<Frame>,
    undo: Vec<(u32, f64)>,
    serial: u32,
    scratch: Scratch,
}

/// Four slots in a cache line, filled from the first on. A code that finds its bucket full goes to the next one.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket {
    codes: [u64; WAYS],
    /// 0 marks a free slot.
    weights: [u64; WAYS],
}

const WAYS: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Frame {
    serial: u32,
    undo: usize,
    order: usize,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    /// Place of each lifetime's code in the lists below.
    codes: Vec<u32>,
    /// Per step: change of `z`, then `z`.
    z: Vec<u64>,
    /// Per step: the sum of `1 / z` over the steps before.
    chances: Vec<u128>,
    /// Per slot, zero between calls: one plus the place in the lists below.
    local: Vec<u32>,
    /// Per code: its slot, the summed chance of its steps, how often it was chosen.
    touched: Vec<u32>,
    exposure: Vec<u128>,
    count: Vec<u32>,
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
    /// `temperature` divides the logits; `bias_weight` multiplies [`Problem::bias`](crate::Problem::bias) (0 switches
    /// it off); logits are clipped to `-clamp..=clamp` after each adaptation (infinite: never).
    #[must_use]
    pub fn new(temperature: f64, bias_weight: f64, clamp: f64) -> Self {
        let mut policy = Self {
            temperature,
            sharpness: 1.0 / temperature,
            bias_weight,
            clamp,
            buckets: Vec::new(),
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
        let mut at = self.home(code);
        loop {
            let bucket = &self.buckets[at];
            // Without branches: nobody can tell which codes were adapted. At most one place holds the code.
            let mut weight = 0;
            for place in 0..WAYS {
                weight |= if bucket.codes[place] == code { bucket.weights[place] } else { 0 };
            }
            if weight == 0 && bucket.weights[WAYS - 1] != 0 {
                at = (at + 1) & (self.buckets.len() - 1);
                continue;
            }
            return if weight == 0 { UNIT_WEIGHT } else { weight };
        }
    }

    /// The logit of `code`: 0 if it was never adapted.
    #[must_use]
    pub fn logit(&self, code: u64) -> f64 {
        self.place(code).map_or(0.0, |slot| self.logits[slot])
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
        exp(self.bias_weight * bias)
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
        while self.undo.len() > frame.undo
            && let Some((slot, logit)) = self.undo.pop()
        {
            self.logits[slot as usize] = logit;
            *self.weight_mut(slot as usize) = weight_of(logit * self.sharpness);
        }
        while self.order.len() > frame.order
            && let Some(slot) = self.order.pop()
        {
            *self.weight_mut(slot as usize) = 0;
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.buckets.fill(Bucket::default());
        self.order.clear();
        self.frames.clear();
        self.undo.clear();
        self.serial = 0;
        self.saved.fill(0);
    }

    /// Moves the policy towards the recorded playout, one step of gradient ascent on its log-likelihood.
    ///
    /// For every code `c`, with the weights of before the call: `logit(c) += alpha / t * (times c was chosen - sum over
    /// its available steps of w(c) / z(step))`, which is Rosin's `Adapt` summed by code, and Cazenave's generalised
    /// form when the temperature `t` or biases are used.
    ///
    /// Time is linear in the recorded entries, with one exponential a code.
    ///
    /// # References
    /// C. D. Rosin, "Nested Rollout Policy Adaptation for Monte Carlo Tree Search", IJCAI 2011. T. Cazenave,
    /// "Generalized Nested Rollout Policy Adaptation", arXiv:2003.10024, 2020.
    pub fn adapt<M>(&mut self, trace: &Trace<M>, alpha: f64) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.reserve(trace.lifetimes.len());
        scratch.local.resize(self.logits.len(), 0);
        let steps = trace.chosen.len();
        scratch.z.clear();
        scratch.z.resize(steps + 1, 0);
        scratch.codes.clear();
        for (i, life) in trace.lifetimes.iter().enumerate() {
            let slot = self.find_or_insert(life.code);
            let mut weight = self.weight_at(slot as usize);
            if let Some(&factor) = trace.factors.get(i) {
                weight = scaled(weight, factor);
            }
            let local = &mut scratch.local[slot as usize];
            if *local == 0 {
                scratch.touched.push(slot);
                *local = scratch.touched.len() as u32;
            }
            scratch.codes.push(*local - 1);
            scratch.z[life.first as usize] = scratch.z[life.first as usize].wrapping_add(weight);
            scratch.z[life.end as usize] = scratch.z[life.end as usize].wrapping_sub(weight);
        }
        scratch.chances.clear();
        scratch.chances.push(0);
        let (mut z, mut sum) = (0_u64, 0_u128);
        for &change in &scratch.z[..steps] {
            z = z.wrapping_add(change);
            sum += to_fixed(CHANCE_SCALE / z as f64);
            scratch.chances.push(sum);
        }
        scratch.exposure.clear();
        scratch.exposure.resize(scratch.touched.len(), 0);
        for (i, life) in trace.lifetimes.iter().enumerate() {
            let mut chance = scratch.chances[life.end as usize] - scratch.chances[life.first as usize];
            if let Some(&factor) = trace.factors.get(i) {
                chance = to_fixed(to_float(chance) * factor);
            }
            // Biases of hundreds exceed any fixed point; what they reach is enough to floor a logit.
            let exposure = &mut scratch.exposure[scratch.codes[i] as usize];
            *exposure = exposure.saturating_add(chance);
        }
        scratch.count.clear();
        scratch.count.resize(scratch.touched.len(), 0);
        for &chosen in &trace.chosen {
            scratch.count[scratch.codes[chosen as usize] as usize] += 1;
        }
        let rate = alpha * self.sharpness;
        for (i, slot) in scratch.touched.drain(..).enumerate() {
            let at = slot as usize;
            scratch.local[at] = 0;
            let expected = self.weight_at(at) as i64 as f64 * (to_float(scratch.exposure[i]) * (1.0 / CHANCE_SCALE));
            self.set(slot, self.logits[at] + rate * (f64::from(scratch.count[i]) - expected));
        }
        self.scratch = scratch;
    }

    /// Sets the logit of `code`.
    pub fn set_logit(&mut self, code: u64, logit: f64) {
        self.reserve(1);
        let slot = self.find_or_insert(code);
        self.set(slot, logit);
    }

    #[inline(always)]
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
        *self.weight_mut(at) = weight_of(logit * self.sharpness);
    }

    #[inline]
    fn home(&self, code: u64) -> usize {
        (code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// The slot of `code`, or the free one where it belongs.
    fn place(&self, code: u64) -> Result<usize, usize> {
        let mut at = self.home(code);
        loop {
            let bucket = &self.buckets[at];
            for place in 0..WAYS {
                if bucket.weights[place] == 0 {
                    return Err(at * WAYS + place);
                }
                if bucket.codes[place] == code {
                    return Ok(at * WAYS + place);
                }
            }
            at = (at + 1) & (self.buckets.len() - 1);
        }
    }

    fn find_or_insert(&mut self, code: u64) -> u32 {
        match self.place(code) {
            Ok(slot) => slot as u32,
            Err(slot) => {
                self.buckets[slot / WAYS].codes[slot % WAYS] = code;
                *self.weight_mut(slot) = UNIT_WEIGHT;
                self.logits[slot] = 0.0;
                self.saved[slot] = self.frames.last().map_or(0, |frame| frame.serial);
                self.order.push(slot as u32);
                slot as u32
            }
        }
    }

    #[inline(always)]
    fn code_at(&self, slot: usize) -> u64 {
        self.buckets[slot / WAYS].codes[slot % WAYS]
    }

    #[inline(always)]
    fn weight_at(&self, slot: usize) -> u64 {
        self.buckets[slot / WAYS].weights[slot % WAYS]
    }

    #[inline(always)]
    fn weight_mut(&mut self, slot: usize) -> &mut u64 {
        &mut self.buckets[slot / WAYS].weights[slot % WAYS]
    }

    /// Makes room for `more` codes at a load of at most a half.
    fn reserve(&mut self, more: usize) {
        let needed = (self.order.len() + more) * 2;
        if needed <= self.logits.len() {
            return;
        }
        self.resize(needed.next_power_of_two());
    }

    fn resize(&mut self, capacity: usize) {
        let old: Vec<(u64, f64, u32)> = self
            .order
            .iter()
            .map(|&slot| (self.code_at(slot as usize), self.logits[slot as usize], self.saved[slot as usize]))
            .collect();
        let mut age = vec![0_u32; self.logits.len()];
        for (i, &slot) in self.order.iter().enumerate() {
            age[slot as usize] = i as u32;
        }
        let undo: Vec<(u32, f64)> = self.undo.iter().map(|&(slot, logit)| (age[slot as usize], logit)).collect();
        self.rebuild(capacity, &old, &undo);
    }

    /// Lays the entries (code, logit, saved), oldest first, into an empty table; `undo` names entries by age.
    fn rebuild(&mut self, capacity: usize, entries: &[(u64, f64, u32)], undo: &[(u32, f64)]) {
        self.buckets = vec![Bucket::default(); capacity / WAYS];
        self.logits = vec![0.0; capacity];
        self.saved = vec![0; capacity];
        self.shift = 64 - (capacity / WAYS).trailing_zeros();
        self.order.clear();
        for &(code, logit, saved) in entries {
            let slot = self.find_or_insert(code) as usize;
            self.logits[slot] = logit;
            self.saved[slot] = saved;
            *self.weight_mut(slot) = weight_of(logit * self.sharpness);
        }
        self.undo = undo.iter().map(|&(age, logit)| (self.order[age as usize], logit)).collect();
    }
}

impl Serialize for Policy {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut age = vec![0_u32; self.logits.len()];
        for (i, &slot) in self.order.iter().enumerate() {
            age[slot as usize] = i as u32;
        }
        let stored = Stored {
            entries: self.order.iter().map(|&slot| (self.code_at(slot as usize), self.logits[slot as usize])).collect(),
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
        let sound = temperature > 0.0
            && temperature.is_finite()
            && bias_weight.is_finite()
            && clamp >= 0.0
            && stored.saved.len() == count
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

/// Half of the 128 bits, as a factor.
const HALF: f64 = (1_u128 << 64) as f64;

/// A fixed-point number as a float. The compiler's own conversion is a library call.
#[inline(always)]
fn to_float(fixed: u128) -> f64 {
    (fixed >> 64) as u64 as f64 * HALF + fixed as u64 as f64
}

/// A float that is not negative, below 2^128, as a fixed-point number, rounded down.
#[inline(always)]
fn to_fixed(float: f64) -> u128 {
    let high = (float * (1.0 / HALF)) as u64;
    let low = (float - high as f64 * HALF) as u64;
    u128::from(high) << 64 | u128::from(low)
}

/// exp(logit) as an integer weight within 1..=[`MAX_WEIGHT`].
#[inline(always)]
fn weight_of(logit: f64) -> u64 {
    rounded(exp(logit) * UNIT_WEIGHT as f64)
}

/// The nearest weight to a number: a sum with 2^52 has it in its low bits. The compiler's own conversion is slower, as
/// it must saturate.
#[inline(always)]
fn rounded(weight: f64) -> u64 {
    const SHIFT: f64 = (1_u64 << 52) as f64;
    // `max` before `min`: a number that is none becomes 1.
    let sum = weight.max(1.0).min(MAX_WEIGHT as f64) + SHIFT;
    sum.to_bits() & ((1 << 52) - 1)
}

/// `weight * factor`, kept within the range of weights.
#[inline]
pub(crate) fn scaled(weight: u64, factor: f64) -> u64 {
    rounded(weight as i64 as f64 * factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lifetime;
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
