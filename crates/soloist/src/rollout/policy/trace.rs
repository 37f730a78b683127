//! Playouts recorded for adaptation.

use crate::core::abort::Watch;
use crate::rollout::policy::{Policy, scaled};
use serde::{Deserialize, Serialize};

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
#[serde(try_from = "Stored<M>", bound(deserialize = "M: Deserialize<'de>"))]
pub struct Trace<M> {
    /// The moves played.
    pub moves: Vec<M>,
    pub(crate) lifetimes: Vec<Lifetime>,
    /// `exp(bias)` of each lifetime; empty when the policy uses no bias.
    pub(crate) factors: Vec<f64>,
    /// The terms of the bias of each lifetime, as many for each; empty unless their weights are learned.
    pub(crate) terms: Vec<f64>,
    /// Index of the lifetime chosen at each step.
    pub(crate) chosen: Vec<u32>,
    #[serde(skip)]
    pub(crate) candidates: Vec<M>,
    #[serde(skip)]
    pub(crate) weights: Vec<u64>,
    /// The cut of the run to which the playout belongs. `None`: it belongs to none.
    #[serde(skip)]
    pub(crate) watch: Option<Watch>,
}

/// A trace as it was written, not yet checked.
#[derive(Deserialize)]
struct Stored<M> {
    moves: Vec<M>,
    lifetimes: Vec<Lifetime>,
    factors: Vec<f64>,
    terms: Vec<f64>,
    chosen: Vec<u32>,
}

impl<M> TryFrom<Stored<M>> for Trace<M> {
    type Error = &'static str;

    fn try_from(stored: Stored<M>) -> Result<Self, Self::Error> {
        let Stored { moves, lifetimes, factors, terms, chosen } = stored;
        let (entries, steps) = (lifetimes.len(), chosen.len());
        // Sums over what was available at each step are counted in 32 bits.
        let spans = lifetimes.iter().map(|life| u64::from(life.end.saturating_sub(life.first)));
        let sound = moves.len() == steps
            && spans.sum::<u64>() <= u64::from(u32::MAX / 2)
            && lifetimes.iter().all(|life| life.first < life.end && life.end as usize <= steps)
            // What was chosen at a step was available there.
            && (0..).zip(&chosen).all(|(step, &at)| {
                lifetimes.get(at as usize).is_some_and(|life| (life.first..life.end).contains(&step))
            })
            && (factors.is_empty() || factors.len() == entries)
            && (terms.is_empty() || entries > 0 && terms.len().is_multiple_of(entries));
        if !sound {
            return Err("a recorded playout");
        }
        Ok(Self { moves, lifetimes, factors, terms, chosen, ..Self::default() })
    }
}

impl<M> Default for Trace<M> {
    fn default() -> Self {
        Self {
            moves: Vec::new(),
            lifetimes: Vec::new(),
            factors: Vec::new(),
            terms: Vec::new(),
            chosen: Vec::new(),
            candidates: Vec::new(),
            weights: Vec::new(),
            watch: None,
        }
    }
}

impl<M> Trace<M> {
    /// As [`Playout::is_cut`](crate::rollout::Playout::is_cut), for rollouts that work long in
    /// [`run_policy`](crate::rollout::Rollout::run_policy).
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.watch.as_ref().is_some_and(Watch::shortens)
    }

    /// As [`Playout::gives_up`](crate::rollout::Playout::gives_up). Also where the record takes more memory than the
    /// run allows it.
    #[must_use]
    pub fn gives_up(&self) -> bool {
        Watch::ends(self.watch.as_ref(), self.moves.len())
            || self.watch.as_ref().is_some_and(|watch| watch.overflows(self.bytes()))
    }

    /// Returns the bytes that the record takes. Lists double as they grow.
    fn bytes(&self) -> usize {
        self.lifetimes.capacity() * size_of::<Lifetime>()
            + (self.factors.capacity() + self.terms.capacity()) * size_of::<f64>()
            + self.chosen.capacity() * size_of::<u32>()
            + self.moves.capacity() * size_of::<M>()
    }

    /// Returns an empty trace of the same run, for playouts within a playout: it has the same limits.
    #[must_use]
    pub fn sibling(&self) -> Self {
        Self { watch: self.watch.clone(), ..Self::default() }
    }

    /// Forgets the playout, keeps the buffers.
    pub fn clear(&mut self) {
        self.moves.clear();
        self.lifetimes.clear();
        self.factors.clear();
        self.terms.clear();
        self.chosen.clear();
    }

    /// Exchanges everything but the moves with another trace.
    pub(crate) fn swap_records<N>(&mut self, other: &mut Trace<N>) {
        std::mem::swap(&mut self.lifetimes, &mut other.lifetimes);
        std::mem::swap(&mut self.factors, &mut other.factors);
        std::mem::swap(&mut self.terms, &mut other.terms);
        std::mem::swap(&mut self.chosen, &mut other.chosen);
        std::mem::swap(&mut self.weights, &mut other.weights);
    }

    /// Returns the mean entropy of the policy's choices over the steps of the playout, in bits; `None` of an empty one.
    ///
    /// A step between n equal weights has log2(n) bits, a step that is decided has 0. The biases are those recorded.
    /// Time is linear in the recorded entries.
    pub(crate) fn entropy(&self, policy: &Policy) -> Option<f64> {
        let steps = self.chosen.len();
        // By step: what the sums of w and of w log2 w change by.
        let mut change = vec![(0.0, 0.0); steps + 1];
        for (at, life) in self.lifetimes.iter().enumerate() {
            let weight = policy.weight(life.code) as f64 * self.factors.get(at).copied().unwrap_or(1.0);
            if weight > 0.0 {
                let product = weight * libm::log2(weight);
                let (first, end) = (life.first as usize, life.end as usize);
                change[first] = (change[first].0 + weight, change[first].1 + product);
                change[end] = (change[end].0 - weight, change[end].1 - product);
            }
        }
        let (mut sum, mut product, mut bits) = (0.0, 0.0, 0.0);
        for &(weight, more) in &change[..steps] {
            (sum, product) = (sum + weight, product + more);
            // Differences of large sums may fall below 0.
            bits += if sum > 0.0 { (libm::log2(sum) - product / sum).max(0.0) } else { 0.0 };
        }
        (steps > 0).then(|| bits / steps as f64)
    }

    /// Appends the steps of another trace.
    ///
    /// Both must come from policies that use biases, or both from policies that do not.
    pub fn append(&mut self, other: &Self)
    where
        M: Copy,
    {
        let (steps, entries) = (self.chosen.len() as u32, self.lifetimes.len() as u32);
        let later = |life: &Lifetime| Lifetime { code: life.code, first: life.first + steps, end: life.end + steps };
        self.lifetimes.extend(other.lifetimes.iter().map(later));
        self.factors.extend_from_slice(&other.factors);
        self.terms.extend_from_slice(&other.terms);
        self.chosen.extend(other.chosen.iter().map(|&at| at + entries));
        self.moves.extend_from_slice(&other.moves);
    }

    /// Returns the number of steps recorded.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.chosen.len()
    }

    /// Returns what was available, in the order recorded.
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
        let code = policy.address(code, first);
        self.lifetimes.push(Lifetime { code, first, end: first + 1 });
        policy.weight(code)
    }

    /// As [`offer`](Self::offer), for a policy with biases; `factor` is [`Policy::bias_factor`].
    pub fn offer_biased(&mut self, code: u64, factor: f64, policy: &Policy) -> u64 {
        self.factors.push(factor);
        scaled(self.offer(code, policy), factor)
    }

    /// Records a candidate of the current step, whatever the policy asks of biases, and returns its weight: the one
    /// rule by which [`policy_playout`](crate::rollout::policy_playout) and faster playouts weigh.
    ///
    /// `bias` returns the sum of the candidate's [bias](crate::problem::Prior::bias), `terms` appends its
    /// [terms](crate::problem::Prior::terms), as many at every call. At most one of them is called, and only if the
    /// policy uses its result.
    #[inline]
    pub fn candidate(
        &mut self,
        code: u64,
        policy: &Policy,
        bias: impl FnOnce() -> f64,
        terms: impl FnOnce(&mut Vec<f64>),
    ) -> u64 {
        if policy.learns_bias() {
            let before = self.terms.len();
            terms(&mut self.terms);
            let factor = policy.terms_factor(&self.terms[before..]);
            self.offer_biased(code, factor, policy)
        } else if policy.uses_bias() {
            self.offer_biased(code, policy.bias_factor(bias()), policy)
        } else {
            self.offer(code, policy)
        }
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

    /// As [`record`](Self::record), for a policy with biases; `factor` is [`Policy::bias_factor`]. Sums over an entry
    /// of several steps are rounded once, those over an entry for each step as often as there are steps.
    #[inline]
    pub fn record_biased(&mut self, lifetime: Lifetime, factor: f64) -> u32 {
        self.factors.push(factor);
        self.record(lifetime)
    }

    /// Ends a step: entry number `chosen` was chosen, by `mv`. The entry may be recorded later.
    #[inline]
    pub fn step(&mut self, chosen: u32, mv: M) {
        self.chosen.push(chosen);
        self.moves.push(mv);
    }

    /// Names the entry chosen at `step` after the fact.
    ///
    /// # Panics
    /// When there are no more than `step` steps.
    #[inline]
    pub fn set_chosen(&mut self, step: usize, chosen: u32) {
        self.chosen[step] = chosen;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropies_by_hand() {
        let life = |code, first, end| Lifetime { code, first, end };
        // Four choices at the first step, two at the second, one at the third.
        let lifetimes = vec![life(1, 0, 3), life(2, 0, 2), life(3, 0, 1), life(4, 0, 1)];
        let mut trace = Trace { moves: vec![2_u8, 1, 0], lifetimes, chosen: vec![2, 1, 0], ..Trace::default() };
        let mut policy = Policy::new(1.0, 0.0, f64::INFINITY);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} and {b}");
        near(trace.entropy(&policy).unwrap(), (2.0 + 1.0 + 0.0) / 3.0);
        // One to three in favour of the second move: 0.811 bits at the second step; 1.792 at the first, among 1, 3, 1,
        // 1.
        policy.set_logit(2, 3.0_f64.ln());
        near(trace.entropy(&policy).unwrap(), (1.792_481 + 0.811_278) / 3.0);
        // Biases that favour the first move alike.
        trace.factors = vec![3.0, 1.0, 1.0, 1.0];
        near(trace.entropy(&policy).unwrap(), (1.811_278 + 1.0) / 3.0);
        assert_eq!(Trace::<u8>::default().entropy(&policy), None);
    }
}
