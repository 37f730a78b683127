//! Adaptation towards several playouts at once, as high-diversity NRPA does it.

use super::Policy;
use super::adapt::{chance, expose};
use crate::Trace;

/// Buffers of a diverse adaptation.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// By step of all traces: where its entries begin in `open`; one more at the end.
    starts: Vec<u32>,
    /// The entries available at each step.
    open: Vec<u32>,
    /// By step of all traces: the code chosen.
    chosen: Vec<u32>,
    /// By code: where its steps begin in `places`; one more at the end.
    homes: Vec<u32>,
    /// The steps at which each code was chosen, in the order of the traces.
    places: Vec<u32>,
    /// By code: the number of the union that it was last put into.
    stamp: Vec<u32>,
    /// The codes of the present union, by one entry each.
    union: Vec<u32>,
}

impl Policy {
    /// Moves the policy towards several recorded playouts at once, best first; what a better one teaches about a code
    /// is not taught again.
    ///
    /// For trace `b`, step `i` with chosen code `c`: nothing, if `c` was chosen anywhere in the traces before `b`.
    /// Otherwise `logit(c) += alpha / t`, and with `L` the set of all codes available at this step, or at a step of a
    /// later trace at which `c` was chosen too: `logit(x) -= alpha / t * w(x) / sum of w over L` for each `x` in `L`.
    /// All weights are those of before the call. With one trace whose codes never occur twice in a step this is
    /// [`adapt`](Self::adapt), bit for bit.
    ///
    /// Of entries with the same code in a union the one with the largest bias counts. Weights of bias terms are not
    /// learned here.
    ///
    /// Time is linear in the steps times the codes available, once for each trace that chose the same code.
    ///
    /// # References
    /// T. Cazenave and S. Edelkamp, HD-NRPA (high-diversity nested rollout policy adaptation), 2016, procedures
    /// HD-Adapt and HD-Other. The test that drops forks (x, c) of better traces follows from "`c` was not chosen
    /// there".
    pub fn adapt_diverse<M>(&mut self, traces: &[&Trace<M>], alpha: f64) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear_factors();
        self.gather(traces, &mut scratch);
        let mut lists = std::mem::take(&mut scratch.diverse);
        lists.list(traces, &scratch.codes, scratch.touched.len());
        let factors: Option<Vec<f64>> = traces
            .iter()
            .any(|trace| !trace.factors.is_empty())
            .then(|| traces.iter().flat_map(|trace| trace.factors.iter().copied()).collect());
        let mut step = 0_u32;
        let mut unions = 0_u32;
        for trace in traces {
            let end = step + trace.chosen.len() as u32;
            let begin = step;
            while step < end {
                let code = lists.chosen[step as usize];
                let places = lists.homes[code as usize] as usize..lists.homes[code as usize + 1] as usize;
                if lists.places[places.start] >= begin {
                    unions += 1;
                    lists.union.clear();
                    let mut z = 0;
                    for at in places {
                        let other = lists.places[at];
                        if other == step || other >= end {
                            z = lists.unite(other, unions, &scratch.codes, &scratch.weights, z, factors.is_some());
                        }
                    }
                    // Without an alternative there is nothing to learn.
                    let taught = if lists.union.len() > 1 { &lists.union[..] } else { &[] };
                    scratch.count[code as usize] += u32::from(!taught.is_empty());
                    let chance = chance(z);
                    for &entry in taught {
                        let factor = factors.as_ref().map(|factors| &factors[entry as usize]);
                        expose(&mut scratch.exposure[scratch.codes[entry as usize] as usize], chance, factor);
                    }
                }
                step += 1;
            }
        }
        scratch.diverse = lists;
        self.apply(&mut scratch, alpha);
        self.scratch = scratch;
    }
}

impl Scratch {
    /// Lists what was available and chosen at each step, and the steps of each code.
    fn list<M>(&mut self, traces: &[&Trace<M>], codes: &[u32], count: usize) {
        let steps: usize = traces.iter().map(|trace| trace.chosen.len()).sum();
        // Counting sort of the entries by step.
        self.starts.clear();
        self.starts.resize(steps + 2, 0);
        let mut first = 0;
        for trace in traces {
            for life in &trace.lifetimes {
                for step in life.first..life.end {
                    self.starts[first + step as usize + 2] += 1;
                }
            }
            first += trace.chosen.len();
        }
        sum_up(&mut self.starts);
        self.open.clear();
        self.open.resize(*self.starts.last().unwrap_or(&0) as usize, 0);
        self.chosen.clear();
        let (mut first, mut offset) = (0, 0);
        for trace in traces {
            for (i, life) in trace.lifetimes.iter().enumerate() {
                for step in life.first..life.end {
                    let at = &mut self.starts[first + step as usize + 1];
                    self.open[*at as usize] = (offset + i) as u32;
                    *at += 1;
                }
            }
            self.chosen.extend(trace.chosen.iter().map(|&entry| codes[offset + entry as usize]));
            first += trace.chosen.len();
            offset += trace.lifetimes.len();
        }
        // And of the steps by the code chosen.
        self.homes.clear();
        self.homes.resize(count + 2, 0);
        for &code in &self.chosen {
            self.homes[code as usize + 2] += 1;
        }
        sum_up(&mut self.homes);
        self.places.clear();
        self.places.resize(steps, 0);
        for (step, &code) in self.chosen.iter().enumerate() {
            let at = &mut self.homes[code as usize + 1];
            self.places[*at as usize] = step as u32;
            *at += 1;
        }
        self.stamp.clear();
        self.stamp.resize(count, 0);
    }

    /// Adds the codes available at `step` to union number `union`, whose sum of weights is `z`; returns the new sum.
    /// Entries of a code differ in weight only where biases are used.
    fn unite(&mut self, step: u32, union: u32, codes: &[u32], weights: &[u64], mut z: u64, biased: bool) -> u64 {
        let entries = self.starts[step as usize] as usize..self.starts[step as usize + 1] as usize;
        for &entry in &self.open[entries] {
            let code = codes[entry as usize];
            let (stamp, weight) = (&mut self.stamp[code as usize], weights[entry as usize]);
            if *stamp != union {
                *stamp = union;
                self.union.push(entry);
                z = z.wrapping_add(weight);
            } else if biased
                && let Some(place) = self.union.iter().position(|&other| codes[other as usize] == code)
                && weights[self.union[place] as usize] < weight
            {
                z = z.wrapping_add(weight - weights[self.union[place] as usize]);
                self.union[place] = entry;
            }
        }
        z
    }
}

/// Running sums in place.
fn sum_up(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}

#[cfg(test)]
mod tests {
    use crate::{Policy, Rng, Trace};

    /// Playouts of five steps whose codes do not recur in a playout.
    fn playout(rng: &mut Rng, policy: &Policy) -> Trace<u8> {
        let mut codes: Vec<u64> = (0..20).collect();
        let mut trace = Trace::default();
        for _ in 0..5 {
            let offered = 1 + rng.index(4);
            for _ in 0..offered {
                let code = codes.swap_remove(rng.index(codes.len()));
                if policy.uses_bias() {
                    trace.offer_biased(code, policy.bias_factor(code as f64 / 20.0), policy);
                } else {
                    trace.offer(code, policy);
                }
            }
            trace.choose(rng.index(offered), offered, 0);
        }
        trace
    }

    #[test]
    fn one_solution_of_unique_codes_is_plain_adaptation() {
        for (bias, limit) in [(0.0, 0), (0.0, 20), (0.0, 7), (0.8, 0)] {
            let mut rng = Rng::new(3);
            let mut plain = Policy::new(1.2, bias, 4.0).with_codes(limit);
            let mut diverse = plain.clone();
            for _ in 0..200 {
                let trace = playout(&mut rng, &plain);
                plain.adapt(&trace, 0.7);
                diverse.adapt_diverse(&[&trace], 0.7);
                for code in 0..20 {
                    assert_eq!(plain.logit(code).to_bits(), diverse.logit(code).to_bits(), "code {code}");
                    assert_eq!(plain.weight(code), diverse.weight(code));
                }
            }
        }
    }

    #[test]
    fn a_plain_table_and_a_hash_table_are_one_policy() {
        let mut rng = Rng::new(5);
        let mut hashed = Policy::new(1.0, 0.0, 3.0);
        // All codes in the table, some of them, and none.
        let mut plain = [20, 7, 1 << 30].map(|limit| hashed.clone().with_codes(limit));
        let mut depth = 0;
        for round in 0..400 {
            let traces: Vec<_> = (0..3).map(|_| playout(&mut rng, &hashed)).collect();
            let refs: Vec<_> = traces.iter().collect();
            for policy in std::iter::once(&mut hashed).chain(&mut plain) {
                match round % 5 {
                    0 => policy.push(),
                    3 if depth > 1 => policy.pop(),
                    4 => *policy = postcard::from_bytes(&postcard::to_allocvec(policy).unwrap()).unwrap(),
                    1 => policy.adapt_diverse(&refs, 1.0),
                    _ => policy.adapt(&traces[0], 1.0),
                }
            }
            depth += i32::from(round % 5 == 0) - i32::from(round % 5 == 3 && depth > 1);
            for policy in &plain {
                assert_eq!(policy.len(), hashed.len());
                for code in 0..20 {
                    assert_eq!(policy.logit(code).to_bits(), hashed.logit(code).to_bits(), "round {round}");
                    assert_eq!(policy.weight(code), hashed.weight(code));
                }
            }
        }
    }
}
