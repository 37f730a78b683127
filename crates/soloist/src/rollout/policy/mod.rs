//! The learned playout policy of nested rollout policy adaptation (NRPA): weights under codes, and their adaptation.
//!
//! # Exact sums
//! A move is drawn with probability `w / z`, where `w = exp(logit / temperature)` and `z` sums `w` over the legal
//! moves. The weights are held as integers, multiples of 2^-26, and so are all sums over them, the chances `1 / z`
//! being multiples of 2^-100. Integer sums do not depend on their order: a domain may keep running totals, sum by
//! columns or adapt over whole lifetimes of a move, and still produce the run that the plain code produces. A weight
//! covers logits from -18 to 15; the logit itself is a double, without such limits.

mod adapt;
mod beam;
mod diverse;
mod stored;
mod trace;

pub use trace::{Lifetime, Trace};

use crate::core::hash::stable_hash;
use crate::core::math::exp;
use adapt::Scratch;

/// The weight of a logit of zero.
pub const UNIT_WEIGHT: u64 = 1 << 26;
/// The largest weight: leaves room for 65,536 moves in a 64-bit sum.
const MAX_WEIGHT: u64 = 1 << 48;
/// More codes than this are hashed even if the problem names their number: a plain table would not stay in a cache.
const MAX_PLAIN: u32 = 1 << 20;

/// What a policy is made with.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    temperature: f64,
    /// 1 / temperature.
    sharpness: f64,
    bias_weight: f64,
    bias_rate: f64,
    clamp: f64,
    /// Whether a code counts together with the step at which it is offered.
    by_step: bool,
}

/// A table of weights under 64-bit codes, with nested copies by undo.
///
/// Codes below [`Facts::code_count`](crate::problem::Facts::code_count) address a plain table. Others are hashed: open
/// addressing by cache lines, one line for most look-ups. A code never adapted is absent and weighs [`UNIT_WEIGHT`]. A
/// level of NRPA works on "a copy" of its parent's policy: [`push`](Self::push) marks the table, [`pop`](Self::pop)
/// restores it, at a cost linear in the codes touched.
#[derive(Clone, Debug)]
pub struct Policy {
    numbers: Numbers,
    /// Weights of the terms of the bias, where they are learned; those missing are `bias_weight`.
    terms: Vec<f64>,
    /// Weights of the codes below its length.
    plain: Vec<u64>,
    buckets: Vec<Bucket>,
    /// By slot: the plain codes, then bucket x 4 + place.
    logits: Vec<f64>,
    /// Serial of the frame that last saved the slot; [`ABSENT`] for a code that was never adapted.
    saved: Vec<u64>,
    shift: u32,
    /// Occupied slots by age. Undo frees them youngest first, so that a free place in a bucket is always behind the
    /// taken ones.
    order: Vec<u32>,
    /// How many of them are hashed.
    hashed: usize,
    frames: Vec<Frame>,
    undo: Vec<(u32, f64)>,
    serial: u64,
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
const ABSENT: u64 = u64::MAX;

#[derive(Clone, Debug)]
struct Frame {
    serial: u64,
    undo: usize,
    order: usize,
    /// The weights of the bias terms before.
    terms: Vec<f64>,
}

const INITIAL_SLOTS: usize = 1 << 11;
/// Enough for codes beyond those that a problem promised.
const SPARE_SLOTS: usize = 1 << 4;

impl Policy {
    /// Returns an empty policy: every move weighs the same.
    ///
    /// `temperature` divides the logits; `bias_weight` multiplies [`Prior::bias`](crate::problem::Prior::bias) (0
    /// switches it off); logits are clipped to `-clamp..=clamp` after each adaptation (infinite: never).
    ///
    /// # Panics
    /// When `temperature` is not positive, `clamp` is negative, or one of the three is NaN.
    #[must_use]
    pub fn new(temperature: f64, bias_weight: f64, clamp: f64) -> Self {
        assert!(temperature > 0.0, "the temperature {temperature} of a policy is not positive");
        assert!(clamp >= 0.0, "the clamp {clamp} of a policy is negative or NaN");
        assert!(!bias_weight.is_nan(), "the weight of the bias is NaN");
        let mut policy = Self {
            numbers: Numbers {
                temperature,
                sharpness: 1.0 / temperature,
                bias_weight,
                bias_rate: 0.0,
                clamp,
                by_step: false,
            },
            terms: Vec::new(),
            plain: Vec::new(),
            buckets: Vec::new(),
            logits: Vec::new(),
            saved: Vec::new(),
            shift: 0,
            order: Vec::new(),
            hashed: 0,
            frames: Vec::new(),
            undo: Vec::new(),
            serial: 0,
            scratch: Scratch::default(),
        };
        policy.resize(INITIAL_SLOTS);
        policy
    }

    /// Holds the weights of all codes below `limit` in a plain table (if it is at most 2^20), before anything is
    /// learned. 24 bytes a code.
    #[must_use]
    pub fn with_codes(mut self, limit: u32) -> Self {
        if limit > MAX_PLAIN || !self.is_empty() {
            return self;
        }
        self.plain = vec![UNIT_WEIGHT; limit as usize];
        self.resize(if limit == 0 { INITIAL_SLOTS } else { SPARE_SLOTS });
        self
    }

    /// Learns the weights of the [terms of the bias](crate::problem::Prior::terms) with the step size `rate`, all of
    /// them beginning at `bias_weight`; 0 leaves them there.
    #[must_use]
    pub fn with_bias_rate(mut self, rate: f64) -> Self {
        self.numbers.bias_rate = rate;
        self
    }

    /// Learns a code apart at each step of a solution, where `by_step`: for codes that name no place.
    #[must_use]
    pub(crate) fn with_steps(mut self, by_step: bool) -> Self {
        self.numbers.by_step = by_step;
        self
    }

    /// Returns the address of a code that is offered at a step.
    #[inline]
    fn address(&self, code: u64, step: u32) -> u64 {
        if self.numbers.by_step { stable_hash(&(step, code)) } else { code }
    }

    /// Returns the integer weight of `code`: exp(logit / temperature) in units of 1 / [`UNIT_WEIGHT`].
    #[inline(always)]
    #[must_use]
    pub fn weight(&self, code: u64) -> u64 {
        if code < self.plain.len() as u64 { self.plain[code as usize] } else { self.hashed_weight(code) }
    }

    /// Returns the weights of the codes in the plain table: all below
    /// [`Facts::code_count`](crate::problem::Facts::code_count), or none.
    #[inline]
    #[must_use]
    pub fn plain_weights(&self) -> &[u64] {
        &self.plain
    }

    #[inline]
    fn hashed_weight(&self, code: u64) -> u64 {
        let mut at = self.home(code);
        loop {
            let bucket = &self.buckets[at];
            // Without branches, as adapted codes cannot be predicted. At most one place holds the code.
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

    /// Returns the logit of `code`: 0 if it was never adapted.
    #[must_use]
    pub fn logit(&self, code: u64) -> f64 {
        if code < self.plain.len() as u64 {
            return self.logits[code as usize];
        }
        self.place(code).map_or(0.0, |slot| self.logits[slot])
    }

    /// Returns the number of codes that were adapted.
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
        self.numbers.bias_weight != 0.0 || self.learns_bias()
    }

    /// Whether playouts must supply the terms of the biases, because their weights are learned.
    #[inline]
    #[must_use]
    pub fn learns_bias(&self) -> bool {
        self.numbers.bias_rate != 0.0
    }

    /// Returns the factor exp(bias weight x bias) of a move.
    #[must_use]
    pub fn bias_factor(&self, bias: f64) -> f64 {
        exp(self.numbers.bias_weight * bias)
    }

    /// Returns the integer weight of `code` times the factor of a bias.
    #[inline]
    #[must_use]
    pub fn biased_weight(&self, code: u64, factor: f64) -> u64 {
        scaled(self.weight(code), factor)
    }

    /// Returns the factor exp(sum of weight x term) of a move, with the weights learned.
    #[must_use]
    pub fn terms_factor(&self, terms: &[f64]) -> f64 {
        exp(terms.iter().enumerate().map(|(k, term)| self.term_weight(k) * term).sum())
    }

    /// Returns the weight of term `k` of the bias.
    #[must_use]
    pub fn term_weight(&self, k: usize) -> f64 {
        self.terms.get(k).copied().unwrap_or(self.numbers.bias_weight)
    }

    /// Starts a nested copy.
    pub fn push(&mut self) {
        self.scratch.forget();
        self.serial += 1;
        self.frames.push(Frame {
            serial: self.serial,
            undo: self.undo.len(),
            order: self.order.len(),
            terms: self.terms.clone(),
        });
    }

    /// Returns the bytes of a policy that has learned nothing, with `codes` as in [`with_codes`](Self::with_codes).
    pub(crate) fn least_bytes(codes: u32) -> u64 {
        let plain = if codes > MAX_PLAIN { 0 } else { u64::from(codes) };
        let hashed = if plain == 0 { INITIAL_SLOTS } else { SPARE_SLOTS } as u64;
        // Weight, logit and serial of each code, with its code where it is hashed.
        plain * 24 + hashed * 32
    }

    /// Whether another policy has the same settings, whatever either has learned.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let settings = |policy: &Self| {
            let Numbers { temperature, bias_weight, bias_rate, clamp, by_step, .. } = policy.numbers;
            ([temperature, bias_weight, bias_rate, clamp].map(f64::to_bits), policy.plain.len(), by_step)
        };
        settings(self) == settings(other)
    }

    /// The number of copies that were pushed and not popped.
    pub(crate) fn copies(&self) -> usize {
        self.frames.len()
    }

    /// Drops the innermost copy: everything learned since its [`push`](Self::push) is undone.
    ///
    /// # Panics
    /// When there is no copy.
    pub fn pop(&mut self) {
        let frame = self.frames.pop().expect("pop matches a push");
        self.scratch.forget();
        while self.undo.len() > frame.undo
            && let Some((slot, logit)) = self.undo.pop()
        {
            self.logits[slot as usize] = logit;
            *self.weight_mut(slot as usize) = weight_of(logit * self.numbers.sharpness);
        }
        while self.order.len() > frame.order
            && let Some(slot) = self.order.pop()
        {
            self.free(slot as usize);
        }
        self.terms = frame.terms;
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.scratch.forget();
        while let Some(slot) = self.order.pop() {
            self.free(slot as usize);
        }
        self.frames.clear();
        self.undo.clear();
        self.terms.clear();
        self.serial = 0;
    }

    /// Sets the logit of `code`.
    pub fn set_logit(&mut self, code: u64, logit: f64) {
        self.scratch.forget();
        self.reserve(1);
        let slot = self.find_or_insert(code);
        let logit = logit.clamp(-self.numbers.clamp, self.numbers.clamp);
        self.set(slot, logit, weight_of(logit * self.numbers.sharpness));
    }

    /// Gives a slot its logit and the weight that goes with it.
    #[inline(always)]
    fn set(&mut self, slot: u32, logit: f64, weight: u64) {
        let at = slot as usize;
        if self.logits[at] == logit {
            return;
        }
        self.save(at);
        self.logits[at] = logit;
        *self.weight_mut(at) = weight;
    }

    /// Saves the logit of a slot in the innermost copy, where it is not.
    #[inline(always)]
    fn save(&mut self, slot: usize) {
        if let Some(frame) = self.frames.last()
            && self.saved[slot] != frame.serial
        {
            self.saved[slot] = frame.serial;
            self.undo.push((slot as u32, self.logits[slot]));
        }
    }

    #[inline]
    fn home(&self, code: u64) -> usize {
        (code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// Returns the slot of a hashed code, or the free one where it belongs.
    fn place(&self, code: u64) -> Result<usize, usize> {
        let mut at = self.home(code);
        loop {
            let bucket = &self.buckets[at];
            for place in 0..WAYS {
                if bucket.weights[place] == 0 {
                    return Err(self.plain.len() + at * WAYS + place);
                }
                if bucket.codes[place] == code {
                    return Ok(self.plain.len() + at * WAYS + place);
                }
            }
            at = (at + 1) & (self.buckets.len() - 1);
        }
    }

    #[inline(always)]
    fn find_or_insert(&mut self, code: u64) -> u32 {
        let slot = if code < self.plain.len() as u64 {
            code as usize
        } else {
            match self.place(code) {
                Ok(slot) => return slot as u32,
                Err(slot) => slot,
            }
        };
        if self.saved[slot] == ABSENT {
            self.insert(slot, code);
        }
        slot as u32
    }

    fn insert(&mut self, slot: usize, code: u64) {
        if let Some(at) = slot.checked_sub(self.plain.len()) {
            self.buckets[at / WAYS].codes[at % WAYS] = code;
            self.hashed += 1;
        }
        *self.weight_mut(slot) = UNIT_WEIGHT;
        self.logits[slot] = 0.0;
        self.saved[slot] = self.frames.last().map_or(0, |frame| frame.serial);
        self.order.push(slot as u32);
    }

    /// Frees the slot that was taken last.
    fn free(&mut self, slot: usize) {
        self.saved[slot] = ABSENT;
        self.logits[slot] = 0.0;
        if slot < self.plain.len() {
            self.plain[slot] = UNIT_WEIGHT;
        } else {
            *self.weight_mut(slot) = 0;
            self.hashed -= 1;
        }
    }

    #[inline(always)]
    fn code_at(&self, slot: usize) -> u64 {
        match slot.checked_sub(self.plain.len()) {
            Some(at) => self.buckets[at / WAYS].codes[at % WAYS],
            None => slot as u64,
        }
    }

    #[inline(always)]
    fn weight_at(&self, slot: usize) -> u64 {
        match slot.checked_sub(self.plain.len()) {
            Some(at) => self.buckets[at / WAYS].weights[at % WAYS],
            None => self.plain[slot],
        }
    }

    #[inline(always)]
    fn weight_mut(&mut self, slot: usize) -> &mut u64 {
        match slot.checked_sub(self.plain.len()) {
            Some(at) => &mut self.buckets[at / WAYS].weights[at % WAYS],
            None => &mut self.plain[slot],
        }
    }

    /// Makes room for `more` hashed codes at a load of at most a half.
    fn reserve(&mut self, more: usize) {
        let needed = (self.hashed + more) * 2;
        if needed <= self.buckets.len() * WAYS {
            return;
        }
        self.resize(needed.next_power_of_two());
    }

    /// Rebuilds the table with `capacity` places for hashed codes.
    fn resize(&mut self, capacity: usize) {
        let entries: Vec<(u64, f64, u64)> = self
            .order
            .iter()
            .map(|&slot| (self.code_at(slot as usize), self.logits[slot as usize], self.saved[slot as usize]))
            .collect();
        let undo = self.undo_by_age();
        self.rebuild(capacity, &entries, &undo);
    }

    /// Returns the undo log, with the age of each entry instead of its slot.
    fn undo_by_age(&self) -> Vec<(u32, f64)> {
        let mut age = vec![0_u32; self.logits.len()];
        for (i, &slot) in self.order.iter().enumerate() {
            age[slot as usize] = i as u32;
        }
        self.undo.iter().map(|&(slot, logit)| (age[slot as usize], logit)).collect()
    }

    /// Lays the entries (code, logit, saved), oldest first, into an empty table; `undo` names entries by age.
    fn rebuild(&mut self, capacity: usize, entries: &[(u64, f64, u64)], undo: &[(u32, f64)]) {
        let slots = self.plain.len() + capacity;
        self.plain.fill(UNIT_WEIGHT);
        self.buckets = vec![Bucket::default(); capacity / WAYS];
        self.logits = vec![0.0; slots];
        self.saved = vec![ABSENT; slots];
        self.shift = 64 - (capacity / WAYS).trailing_zeros();
        self.order.clear();
        self.hashed = 0;
        for &(code, logit, saved) in entries {
            let slot = self.find_or_insert(code) as usize;
            self.logits[slot] = logit;
            self.saved[slot] = saved;
            *self.weight_mut(slot) = weight_of(logit * self.numbers.sharpness);
        }
        self.undo = undo.iter().map(|&(age, logit)| (self.order[age as usize], logit)).collect();
    }
}

/// exp(logit) as an integer weight within 1..=[`MAX_WEIGHT`].
#[inline(always)]
fn weight_of(logit: f64) -> u64 {
    rounded(exp(logit) * UNIT_WEIGHT as f64)
}

/// Returns the nearest weight to a number: a sum with 2^52 has it in its low bits. The compiler's conversion is
/// slower, as it must saturate.
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
