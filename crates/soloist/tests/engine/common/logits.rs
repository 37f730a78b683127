//! The policy of NRPA as the papers have it, for comparison.

use soloist::search::parameters::Nrpa;
use soloist::{Problem, Rng, Score};
use std::collections::HashMap;

/// A policy as the papers have it: a map of logits, copied at each level.
#[derive(Clone)]
pub(crate) struct Logits {
    pub(crate) parameters: Nrpa,
    pub(crate) map: HashMap<u64, f64>,
    /// Learned weights of the bias's terms.
    pub(crate) terms: Vec<f64>,
}

/// A step of a playout: codes and biases offered, and which was chosen.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) codes: Vec<u64>,
    /// The terms of each bias.
    pub(crate) biases: Vec<Vec<f64>>,
    pub(crate) chosen: usize,
}

#[derive(Clone)]
pub(crate) struct Rollout<M> {
    pub(crate) score: Score,
    pub(crate) moves: Vec<M>,
    pub(crate) steps: Vec<Step>,
}

impl Logits {
    pub(crate) fn new(parameters: &Nrpa) -> Self {
        Self { parameters: parameters.clone(), map: HashMap::new(), terms: Vec::new() }
    }

    /// The weight as the engine rounds it: a multiple of 2^-26 from 2^-26 to 2^22.
    pub(crate) fn weight(&self, code: u64, bias: &[f64]) -> u64 {
        let round = |weight: f64| ((weight + 0.5) as u64).clamp(1, 1 << 48);
        let logit = self.map.get(&code).copied().unwrap_or(0.0);
        let weight = round(libm::exp(logit / self.parameters.temperature) * f64::from(1 << 26));
        if self.parameters.bias_weight == 0.0 && self.parameters.bias_rate == 0.0 {
            return weight;
        }
        let learned = |k: usize| self.terms.get(k).copied().unwrap_or(self.parameters.bias_weight);
        round(weight as f64 * libm::exp(bias.iter().enumerate().map(|(k, term)| learned(k) * term).sum()))
    }

    pub(crate) fn rollout<P: Problem>(&self, problem: &P, rng: &mut Rng) -> Rollout<P::Move> {
        let (mut state, mut played, mut steps) = (problem.root(), Vec::new(), Vec::new());
        loop {
            let mut moves = Vec::new();
            problem.moves(&state, &mut moves);
            if moves.is_empty() {
                return Rollout { score: problem.score(&state), moves: played, steps };
            }
            let codes: Vec<u64> = moves.iter().map(|&mv| problem.code(&state, mv)).collect();
            let terms = |mv| {
                let mut terms = Vec::new();
                match problem.prior() {
                    Some(prior) => prior.terms(&state, mv, &mut terms),
                    None => terms.push(0.0),
                }
                terms
            };
            let biases: Vec<Vec<f64>> = moves.iter().map(|&mv| terms(mv)).collect();
            let weights: Vec<u64> = codes.iter().zip(&biases).map(|(&code, bias)| self.weight(code, bias)).collect();
            let mut draw = rng.below(weights.iter().sum());
            let mut chosen = 0;
            while draw >= weights[chosen] {
                draw -= weights[chosen];
                chosen += 1;
            }
            problem.apply(&mut state, moves[chosen]);
            played.push(moves[chosen]);
            steps.push(Step { codes, biases, chosen });
        }
    }

    pub(crate) fn adapt<M>(&mut self, rollout: &Rollout<M>) {
        let old = self.clone();
        let rate = self.parameters.alpha / self.parameters.temperature;
        for Step { codes, biases, chosen } in &rollout.steps {
            let weights: Vec<f64> =
                codes.iter().zip(biases).map(|(&code, bias)| old.weight(code, bias) as f64).collect();
            let sum: f64 = weights.iter().sum();
            *self.map.entry(codes[*chosen]).or_default() += rate;
            for (&code, weight) in codes.iter().zip(&weights) {
                *self.map.entry(code).or_default() -= rate * weight / sum;
            }
            if self.parameters.bias_rate > 0.0 {
                self.terms.resize(biases[0].len(), self.parameters.bias_weight);
                for k in 0..biases[0].len() {
                    let mean: f64 = biases.iter().zip(&weights).map(|(bias, weight)| bias[k] * weight / sum).sum();
                    self.terms[k] += self.parameters.bias_rate * (biases[*chosen][k] - mean);
                }
            }
        }
        self.clip();
    }

    /// HD-Adapt as printed, with scans: `buckets` best first.
    pub(crate) fn adapt_diverse<M>(&mut self, buckets: &[Rollout<M>]) {
        let old = self.clone();
        let rate = self.parameters.alpha / self.parameters.temperature;
        for (b, bucket) in buckets.iter().enumerate() {
            for step in &bucket.steps {
                let code = step.codes[step.chosen];
                let chose = |bucket: &&Rollout<M>| bucket.steps.iter().any(|step| step.codes[step.chosen] == code);
                if buckets[..b].iter().any(|bucket| chose(&bucket)) {
                    continue;
                }
                // HD-Other: successors of this step and of all steps of later buckets with the same code.
                let mut others: Vec<(u64, u64)> = Vec::new();
                let later = buckets[b + 1..].iter().flat_map(|bucket| &bucket.steps);
                let same = later.filter(|step| step.codes[step.chosen] == code);
                for step in std::iter::once(step).chain(same) {
                    for (&x, bias) in step.codes.iter().zip(&step.biases) {
                        let weight = old.weight(x, bias);
                        match others.iter_mut().find(|other| other.0 == x) {
                            Some(other) => other.1 = other.1.max(weight),
                            None => others.push((x, weight)),
                        }
                    }
                }
                // No fork (x, code) of an earlier bucket can be among them: `code` was not chosen there.
                let z: f64 = others.iter().map(|other| other.1 as f64).sum();
                *self.map.entry(code).or_default() += rate;
                for (x, weight) in others {
                    *self.map.entry(x).or_default() -= rate * weight as f64 / z;
                }
            }
        }
        self.clip();
    }

    fn clip(&mut self) {
        for logit in self.map.values_mut() {
            *logit = logit.clamp(-self.parameters.clamp, self.parameters.clamp);
        }
    }
}
