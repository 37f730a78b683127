//! Adaptation towards one playout.

use crate::rollout::policy::{Policy, Trace, scaled, weight_of};

/// Fixed-point scale of `1 / z`.
const CHANCE_SCALE: f64 = (1_u128 << 100) as f64;

/// Buffers of an adaptation, kept from one to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Per slot, zero between calls: one plus the place in the lists by code.
    pub(super) local: Vec<u32>,
    /// By code: its slot, the summed chance of its steps, how often it was chosen.
    pub(super) touched: Vec<u32>,
    pub(super) exposure: Vec<u128>,
    pub(super) count: Vec<u32>,
    /// By entry: the place of its code in these lists.
    pub(super) codes: Vec<u32>,
    /// By entry: its weight.
    pub(super) weights: Vec<u64>,
    /// By entry: its bias's factor with the weights of the terms as they are now; empty where they are not learned.
    factors: Vec<f64>,
    /// Whether every entry lasts one step, in the order of the steps.
    flat: bool,
    /// By code: its logit after the adaptation, and its weight.
    logits: Vec<f64>,
    fresh: Vec<u64>,
    pub(super) sums: Sums,
    pub(super) diverse: crate::rollout::policy::diverse::Scratch,
    pub(super) beam: crate::rollout::policy::beam::BitSets,
}

/// The chances of spans of steps, from the weights that are available in each step.
#[derive(Debug, Default)]
pub(super) struct Sums {
    /// By step: change of `z`, the sum of weights.
    z: Vec<u64>,
    /// By step: the sum of `1 / z` over the steps before.
    chances: Vec<u128>,
}

impl Sums {
    /// Begins with `steps` steps in which nothing is available.
    pub(super) fn clear(&mut self, steps: usize) {
        self.z.clear();
        self.z.resize(steps + 1, 0);
    }

    /// Makes a weight available from step `first` to before step `end`.
    #[inline(always)]
    pub(super) fn add(&mut self, first: u32, end: u32, weight: u64) {
        self.z[first as usize] = self.z[first as usize].wrapping_add(weight);
        self.z[end as usize] = self.z[end as usize].wrapping_sub(weight);
    }

    /// Sums up the chances of the steps for which `teaches`, given the step and `z`, returns true.
    #[inline(always)]
    pub(super) fn sum_up(&mut self, mut teaches: impl FnMut(usize, u64) -> bool) {
        self.chances.clear();
        self.chances.push(0);
        let (mut z, mut sum) = (0_u64, 0_u128);
        let steps = self.z.len() - 1;
        for (step, &change) in self.z[..steps].iter().enumerate() {
            z = z.wrapping_add(change);
            if teaches(step, z) {
                sum += chance(z);
            }
            self.chances.push(sum);
        }
    }

    /// The chances of the steps from `first` to before `end`.
    #[inline(always)]
    pub(super) fn between(&self, first: u32, end: u32) -> u128 {
        self.chances[end as usize] - self.chances[first as usize]
    }
}

impl Clone for Scratch {
    /// Nothing in it outlives an adaptation.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Scratch {
    /// What was kept of the last diverse adaptation no longer holds.
    pub(super) fn forget(&mut self) {
        self.diverse.is_known = false;
        self.beam.is_known = false;
    }

    /// Biases count as recorded.
    pub(super) fn clear_factors(&mut self) {
        self.factors.clear();
    }
}

impl Policy {
    /// Moves the policy towards the recorded playout, one step of gradient ascent on its log-likelihood.
    ///
    /// For every code `c`, with the weights of before the call: `logit(c) += alpha / t * (times c was chosen - sum over
    /// its available steps of w(c) / z(step))`, which is Rosin's `Adapt` summed by code, and Cazenave's generalised
    /// form when the temperature `t` or biases are used. Weights of bias terms that are learned move by `rate * (sum of
    /// the term over the chosen moves - its expectation)`.
    ///
    /// Time is linear in the recorded entries, with one exponential a code.
    ///
    /// # Panics
    /// When the trace has an entry for a step, or a step for an entry, that was not recorded.
    ///
    /// # References
    /// C. D. Rosin, "Nested Rollout Policy Adaptation for Monte Carlo Tree Search", IJCAI 2011. T. Cazenave,
    /// "Generalized Nested Rollout Policy Adaptation", arXiv:2003.10024, 2020. J. Sentuc, F. Ellouze, J.-Y. Lucas and
    /// T. Cazenave, "Learning the Bias Weights for Generalized Nested Rollout Policy Adaptation", LION 2023.
    pub fn adapt<M>(&mut self, trace: &Trace<M>, alpha: f64) {
        let mut scratch = std::mem::take(&mut self.scratch);
        self.list_factors(trace, &mut scratch.factors);
        self.gather(&[trace], &mut scratch);
        let fresh = std::mem::take(&mut scratch.factors);
        let factors = if fresh.is_empty() { &trace.factors } else { &fresh };
        // The chances by step are asked for again where the weights of biases are learned.
        if scratch.flat && !self.learns_bias() {
            expose_steps(trace, factors, &mut scratch);
        } else {
            expose_spans(trace, factors, &mut scratch);
        }
        if self.learns_bias() {
            self.adapt_terms(trace, &scratch);
        }
        self.apply(&mut scratch, alpha);
        scratch.factors = fresh;
        self.scratch = scratch;
    }

    /// The factors of a trace's biases: those recorded are of the past.
    fn list_factors<M>(&self, trace: &Trace<M>, factors: &mut Vec<f64>) {
        factors.clear();
        let entries = trace.lifetimes.len();
        if self.learns_bias() && entries > 0 {
            let count = trace.terms.len() / entries;
            factors.extend((0..entries).map(|i| self.terms_factor(&trace.terms[i * count..][..count])));
        }
    }

    /// Lists the codes of the traces and the weights of their entries, trace after trace; clears the lists by code.
    pub(super) fn gather<M>(&mut self, traces: &[&Trace<M>], scratch: &mut Scratch) {
        self.reserve(traces.iter().map(|trace| self.hashed_entries(trace)).sum());
        scratch.local.resize(self.logits.len(), 0);
        scratch.forget();
        scratch.touched.clear();
        scratch.codes.clear();
        scratch.weights.clear();
        scratch.flat = true;
        for trace in traces {
            let mut step = 0;
            for (i, life) in trace.lifetimes.iter().enumerate() {
                scratch.flat &= life.end == life.first + 1 && life.first >= step;
                step = life.first;
                let slot = self.find_or_insert(life.code);
                let mut weight = self.weight_at(slot as usize);
                let factors = if scratch.factors.is_empty() { &trace.factors } else { &scratch.factors };
                if let Some(&factor) = factors.get(i) {
                    weight = scaled(weight, factor);
                }
                let local = &mut scratch.local[slot as usize];
                if *local == 0 {
                    scratch.touched.push(slot);
                    *local = scratch.touched.len() as u32;
                }
                scratch.codes.push(*local - 1);
                scratch.weights.push(weight);
            }
        }
        scratch.exposure.clear();
        scratch.exposure.resize(scratch.touched.len(), 0);
        scratch.count.clear();
        scratch.count.resize(scratch.touched.len(), 0);
    }

    /// How many entries of a trace have hashed codes.
    pub(super) fn hashed_entries<M>(&self, trace: &Trace<M>) -> usize {
        match self.plain.len() as u64 {
            0 => trace.lifetimes.len(),
            plain => trace.lifetimes.iter().filter(|life| life.code >= plain).count(),
        }
    }

    /// Moves the logits by what was counted.
    pub(super) fn apply(&mut self, scratch: &mut Scratch, alpha: f64) {
        let moves = Moves::new(self, alpha);
        scratch.logits.clear();
        let counts = scratch.exposure.iter().zip(&scratch.count);
        scratch.logits.extend(scratch.touched.iter().zip(counts).map(|(&slot, (&exposure, &count))| {
            let at = slot as usize;
            moves.moved(self.logits[at], self.weight_at(at), exposure, count)
        }));
        // Apart, so that the compiler takes several exponentials at a time.
        scratch.fresh.clear();
        scratch.fresh.extend(scratch.logits.iter().map(|logit| weight_of(logit * self.numbers.sharpness)));
        let values = scratch.logits.iter().zip(&scratch.fresh);
        for (&slot, (&logit, &weight)) in scratch.touched.iter().zip(values) {
            scratch.local[slot as usize] = 0;
            self.set(slot, logit, weight);
        }
    }

    /// Moves the weights of the bias terms.
    fn adapt_terms<M>(&mut self, trace: &Trace<M>, scratch: &Scratch) {
        let entries = trace.lifetimes.len();
        let count = trace.terms.len().checked_div(entries).unwrap_or(0);
        let mut gradient = vec![0.0; count];
        for (step, &chosen) in trace.chosen.iter().enumerate() {
            if scratch.sums.between(step as u32, step as u32 + 1) == 0 {
                continue;
            }
            let terms = &trace.terms[chosen as usize * count..][..count];
            gradient.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        for (i, life) in trace.lifetimes.iter().enumerate() {
            let chances = scratch.sums.between(life.first, life.end);
            let chance = scratch.weights[i] as i64 as f64 * (to_float(chances) * (1.0 / CHANCE_SCALE));
            let terms = &trace.terms[i * count..][..count];
            gradient.iter_mut().zip(terms).for_each(|(sum, term)| *sum -= chance * term);
        }
        self.terms.resize(count, self.numbers.bias_weight);
        for (weight, slope) in self.terms.iter_mut().zip(&gradient) {
            *weight += self.numbers.bias_rate * slope;
        }
    }
}

/// How an adaptation moves logits.
#[derive(Clone, Copy)]
pub(super) struct Moves {
    rate: f64,
    clamp: f64,
}

impl Moves {
    pub(super) fn new(policy: &Policy, alpha: f64) -> Self {
        Self { rate: alpha * policy.numbers.sharpness, clamp: policy.numbers.clamp }
    }

    /// The logit of a code of this weight, after `count` choices of it and the summed chance of its steps.
    #[inline(always)]
    pub(super) fn moved(self, logit: f64, weight: u64, exposure: u128, count: u32) -> f64 {
        let expected = weight as i64 as f64 * (to_float(exposure) * (1.0 / CHANCE_SCALE));
        let logit = logit + self.rate * (f64::from(count) - expected);
        logit.clamp(-self.clamp, self.clamp)
    }
}

/// Sums up the chances of entries that last one step each.
fn expose_steps<M>(trace: &Trace<M>, factors: &[f64], scratch: &mut Scratch) {
    let mut start = 0;
    for &chosen in &trace.chosen {
        // The entries of a step are neighbours, the chosen one among them.
        let step = trace.lifetimes[chosen as usize].first;
        let mut end = start;
        let mut z = 0_u64;
        while let Some(life) = trace.lifetimes.get(end)
            && life.first == step
        {
            z = z.wrapping_add(scratch.weights[end]);
            end += 1;
        }
        if end - start > 1 {
            let chance = chance(z);
            for i in start..end {
                expose(&mut scratch.exposure[scratch.codes[i] as usize], chance, factors.get(i));
            }
            scratch.count[scratch.codes[chosen as usize] as usize] += 1;
        }
        start = end;
    }
}

/// Sums up the chances of entries that last any number of steps.
fn expose_spans<M>(trace: &Trace<M>, factors: &[f64], scratch: &mut Scratch) {
    let Scratch { sums, weights, count, codes, exposure, .. } = scratch;
    sums.clear(trace.chosen.len());
    for (life, &weight) in trace.lifetimes.iter().zip(&*weights) {
        sums.add(life.first, life.end, weight);
    }
    sums.sum_up(|step, z| {
        let chosen = trace.chosen[step] as usize;
        // Without an alternative there is nothing to learn.
        let teaches = z != weights[chosen];
        count[codes[chosen] as usize] += u32::from(teaches);
        teaches
    });
    for (i, life) in trace.lifetimes.iter().enumerate() {
        expose(&mut exposure[codes[i] as usize], sums.between(life.first, life.end), factors.get(i));
    }
}

/// 1 / z as a fixed-point number, rounded down, for z from 1 on.
#[inline(always)]
pub(super) fn chance(z: u64) -> u128 {
    const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    // From 2^36 to 2^100: the bits of such a number say how far its mantissa is shifted. Shifts to the left, and back,
    // need no branch; the compiler's conversion has some.
    const BACK: u32 = 16;
    let bits = (CHANCE_SCALE / z as f64).to_bits();
    let mantissa = bits & ((1 << MANTISSA) - 1) | 1 << MANTISSA;
    let shift = ((bits >> MANTISSA) as u32).wrapping_sub(1023 + MANTISSA - BACK);
    u128::from(mantissa).wrapping_shl(shift) >> BACK
}

/// Adds the chances of an entry's steps to its code's.
#[inline(always)]
pub(super) fn expose(exposure: &mut u128, chances: u128, factor: Option<&f64>) {
    let chances = factor.map_or(chances, |factor| to_fixed(to_float(chances) * factor));
    // Biases of hundreds exceed any fixed point; what they reach is enough to floor a logit.
    *exposure = exposure.saturating_add(chances);
}

/// Half of the 128 bits, as a factor.
const HALF: f64 = (1_u128 << 64) as f64;

/// Returns a fixed-point number as a float. The compiler's conversion is a library call.
#[inline(always)]
pub(super) fn to_float(fixed: u128) -> f64 {
    (fixed >> 64) as u64 as f64 * HALF + fixed as u64 as f64
}

/// Returns a float that is not negative, below 2^128, as a fixed-point number, rounded down.
#[inline(always)]
fn to_fixed(float: f64) -> u128 {
    let high = (float * (1.0 / HALF)) as u64;
    let low = (float - high as f64 * HALF) as u64;
    u128::from(high) << 64 | u128::from(low)
}

#[cfg(test)]
mod tests {
    use super::super::UNIT_WEIGHT;
    use crate::rollout::policy::{Lifetime, Policy, Trace};
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
    fn chances_are_fixed_point_numbers() {
        let mut rng = crate::Rng::new(5);
        for bits in 1..=64 {
            for _ in 0..200 {
                let z = rng.next_u64() >> (64 - bits) | 1 << (bits - 1);
                assert_eq!(super::chance(z), super::to_fixed(super::CHANCE_SCALE / z as f64), "{z}");
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
    fn learned_weights_of_bias_terms_follow_the_gradient() {
        let mut policy = Policy::new(1.0, 0.5, f64::INFINITY).with_bias_rate(0.1);
        let mut logits: HashMap<u64, f64> = HashMap::new();
        let mut weights = [0.5, 0.5];
        for round in 0..40_u64 {
            let bias = |code: u64| [(code % 3) as f64 - 1.0, ((code + round) % 5) as f64 / 4.0];
            let steps: [(&[u64], usize); 3] = [(&[0, 1, 2], 1), (&[3, 4, 5, 1], 2), (&[6, 2], 0)];
            let mut trace = Trace::<u8>::default();
            for (codes, at) in steps {
                codes
                    .iter()
                    .for_each(|&code| _ = trace.candidate(code, &policy, || 0.0, |terms| terms.extend(bias(code))));
                trace.choose(at, codes.len(), 0);
            }
            policy.adapt(&trace, 1.0);
            let (old, before) = (logits.clone(), weights);
            let move_by = |weights: &mut [f64; 2], code: u64, share: f64| {
                weights.iter_mut().zip(bias(code)).for_each(|(weight, term)| *weight += 0.1 * share * term);
            };
            for (codes, at) in steps {
                let chance = |code: u64| {
                    let logit = old.get(&code).copied().unwrap_or(0.0);
                    (logit + bias(code)[0] * before[0] + bias(code)[1] * before[1]).exp()
                };
                let z: f64 = codes.iter().map(|&code| chance(code)).sum();
                *logits.entry(codes[at]).or_default() += 1.0;
                move_by(&mut weights, codes[at], 1.0);
                for &code in codes {
                    *logits.entry(code).or_default() -= chance(code) / z;
                    move_by(&mut weights, code, -chance(code) / z);
                }
            }
            for (k, weight) in weights.iter().enumerate() {
                let found = policy.term_weight(k);
                assert!((found - weight).abs() < 1e-5, "round {round}, term {k}: {found} != {weight}");
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
