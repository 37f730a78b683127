//! Adaptation towards several playouts at once, as high-diversity NRPA does it.

use crate::rollout::policy::adapt::{Sums, chance, expose};
use crate::rollout::policy::beam::{self, BitSets};
use crate::rollout::policy::{Policy, Trace};

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
    /// Where entries are listed, the unions that teach something, one behind the other: an entry for each code.
    /// Otherwise the codes of the last union.
    members: Vec<u32>,
    /// Where each union ends in `members`; entries only.
    ends: Vec<u32>,
    /// The code chosen at the step of each of these unions.
    taught_codes: Vec<u32>,
    /// Without biases: for each row of unions that have a code, the code and the numbers of the first union and of the
    /// one behind the last.
    runs: Vec<(u32, u32, u32)>,
    /// By code: the number behind that of the last union that has it, and its row.
    latest: Vec<(u32, u32)>,
    /// How many unions the rows are of.
    taught: u32,
    /// By code: its weight.
    weights: Vec<u64>,
    /// Whether the unions are those of the last adaptation, and the places of their codes in the policy still hold.
    pub(super) is_known: bool,
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
    /// # Panics
    /// When a trace has an entry for a step, or a step for an entry, that was not recorded.
    ///
    /// # References
    /// T. Cazenave and S. Edelkamp, HD-NRPA (high-diversity nested rollout policy adaptation), 2016, procedures
    /// HD-Adapt and HD-Other. The test that drops forks (x, c) of better traces follows from "`c` was not chosen
    /// there".
    pub fn adapt_diverse<M>(&mut self, traces: &[&Trace<M>], alpha: f64) {
        self.teach_diverse(traces, alpha, None);
    }

    /// As [`adapt_diverse`](Self::adapt_diverse), with the assignment that the paper prints: for the chosen code `c` of
    /// a step, `logit(c)` becomes what it was before the call plus `alpha / t`, so that what earlier steps of the call
    /// have taken from it is lost, and choosing it twice adds once.
    pub(crate) fn adapt_overwriting<M>(&mut self, traces: &[&Trace<M>], alpha: f64) {
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut lists = std::mem::take(&mut scratch.diverse);
        scratch.clear_factors();
        self.gather(traces, &mut scratch);
        lists.list(traces, &scratch.codes, scratch.touched.len());
        lists.list_unions(traces, &mut scratch, true);
        lists.is_known = false;
        scratch.count.fill(0);
        let factors: Vec<f64> = traces.iter().flat_map(|trace| trace.factors.iter().copied()).collect();
        for (union, &chosen) in lists.unions().zip(&lists.taught_codes) {
            scratch.exposure[chosen as usize] = 0;
            scratch.count[chosen as usize] = 1;
            expose_union(union, &factors, &scratch.weights, &scratch.codes, &mut scratch.exposure);
        }
        self.apply(&mut scratch, alpha);
        scratch.diverse = lists;
        self.scratch = scratch;
    }

    /// As [`adapt_diverse`](Self::adapt_diverse), after an adaptation to other traces; `origins` names the place among
    /// them of each trace that was there. What competes at the steps of such a trace is known, where nothing else has
    /// happened to the policy in between.
    pub(crate) fn adapt_diverse_again<M>(&mut self, traces: &[&Trace<M>], origins: &[Option<usize>], alpha: f64) {
        self.teach_diverse(traces, alpha, Some(origins));
    }

    fn teach_diverse<M>(&mut self, traces: &[&Trace<M>], alpha: f64, origins: Option<&[Option<usize>]>) {
        let mut beam = std::mem::take(&mut self.scratch.beam);
        if let Some(origins) = origins
            && beam.is_known
            && beam.follow(self, traces, origins)
        {
            beam.teach(self, alpha);
        } else {
            let unchanged = origins.is_some_and(|origins| (0..).zip(origins).all(|(i, &origin)| origin == Some(i)));
            let mut scratch = std::mem::take(&mut self.scratch);
            self.teach_lists(traces, alpha, unchanged, &mut scratch, &mut beam);
            self.scratch = scratch;
        }
        self.scratch.beam = beam;
    }

    /// Adapts by lists; hands a beam over that suits sets.
    fn teach_lists<M>(
        &mut self,
        traces: &[&Trace<M>],
        alpha: f64,
        unchanged: bool,
        scratch: &mut crate::rollout::policy::adapt::Scratch,
        beam: &mut BitSets,
    ) {
        let mut lists = std::mem::take(&mut scratch.diverse);
        let biased = traces.iter().any(|trace| !trace.factors.is_empty());
        if unchanged && lists.is_known && !biased {
            scratch.exposure.fill(0);
        } else {
            scratch.clear_factors();
            self.gather(traces, scratch);
            beam.is_known = false;
            let steps = traces.iter().map(|trace| trace.chosen.len()).sum();
            let lives = traces.iter().flat_map(|trace| &trace.lifetimes);
            let spans = lives.map(|life| (life.end - life.first) as usize).sum();
            if !biased && beam::suits(scratch.touched.len(), steps, spans) {
                scratch.touched.iter().for_each(|&slot| scratch.local[slot as usize] = 0);
                beam.begin(self, traces, &scratch.touched, &scratch.codes);
                beam.teach(self, alpha);
                lists.is_known = false;
                scratch.diverse = lists;
                return;
            }
            lists.list(traces, &scratch.codes, scratch.touched.len());
            lists.list_unions(traces, scratch, biased);
            lists.is_known = !biased;
        }
        if biased {
            let factors: Vec<f64> = traces.iter().flat_map(|trace| trace.factors.iter().copied()).collect();
            for union in lists.unions() {
                expose_union(union, &factors, &scratch.weights, &scratch.codes, &mut scratch.exposure);
            }
        } else {
            // All entries of a code have the same weight.
            lists.weights.clear();
            lists.weights.extend(scratch.touched.iter().map(|&slot| self.weight_at(slot as usize)));
            lists.expose_runs(&mut scratch.sums, &mut scratch.exposure);
        }
        self.apply(scratch, alpha);
        scratch.diverse = lists;
    }
}

/// Adds the chances of the entries of a union to their codes'. `factors`: of the entries' biases, empty without biases.
fn expose_union(union: &[u32], factors: &[f64], weights: &[u64], codes: &[u32], exposure: &mut [u128]) {
    let z = union.iter().fold(0_u64, |z, &entry| z.wrapping_add(weights[entry as usize]));
    let chance = chance(z);
    for &entry in union {
        let code = codes[entry as usize];
        expose(&mut exposure[code as usize], chance, factors.get(entry as usize));
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

    /// Lists the unions that teach something, by `entries` or by codes, and counts the choices that they teach.
    fn list_unions<M>(
        &mut self,
        traces: &[&Trace<M>],
        scratch: &mut crate::rollout::policy::adapt::Scratch,
        entries: bool,
    ) {
        self.taught_codes.clear();
        self.members.clear();
        self.ends.clear();
        self.runs.clear();
        self.latest.clear();
        self.latest.resize(scratch.touched.len(), (0, 0));
        self.taught = 0;
        let (mut step, mut union) = (0_u32, 0_u32);
        for trace in traces {
            let (begin, end) = (step, step + trace.chosen.len() as u32);
            while step < end {
                let code = self.chosen[step as usize];
                let places = self.homes[code as usize] as usize..self.homes[code as usize + 1] as usize;
                // Not where a better trace has chosen the code.
                if self.places[places.start] >= begin {
                    union += 1;
                    let first = self.members.len();
                    for at in places {
                        let other = self.places[at];
                        if other == step || other >= end {
                            self.unite(other, union, first, scratch, entries);
                        }
                    }
                    // Without an alternative there is nothing to learn.
                    let teaches = self.members.len() - first > 1;
                    scratch.count[code as usize] += u32::from(teaches);
                    match (teaches, entries) {
                        (true, true) => {
                            self.ends.push(self.members.len() as u32);
                            self.taught_codes.push(code);
                        }
                        (true, false) => self.lengthen_runs(),
                        (false, _) => self.members.truncate(first),
                    }
                }
                step += 1;
            }
        }
    }

    /// Adds the codes available at `step` to union number `union`, whose members begin at `first`. Entries of a code
    /// differ in weight only where biases are used.
    fn unite(
        &mut self,
        step: u32,
        union: u32,
        first: usize,
        lists: &crate::rollout::policy::adapt::Scratch,
        biased: bool,
    ) {
        let entries = self.starts[step as usize] as usize..self.starts[step as usize + 1] as usize;
        for &entry in &self.open[entries] {
            let code = lists.codes[entry as usize];
            let stamp = &mut self.stamp[code as usize];
            if *stamp != union {
                *stamp = union;
                self.members.push(if biased { entry } else { code });
            } else if biased {
                let present = self.members[first..].iter_mut().find(|other| lists.codes[**other as usize] == code);
                if let Some(present) = present
                    && lists.weights[*present as usize] < lists.weights[entry as usize]
                {
                    *present = entry;
                }
            }
        }
    }

    /// Adds the union in `members` to the rows of unions that have a code. Most of its codes are those of the union
    /// before: a move takes few of those away that are available.
    fn lengthen_runs(&mut self) {
        let number = self.taught;
        self.taught += 1;
        for code in self.members.drain(..) {
            let (behind, run) = &mut self.latest[code as usize];
            if *behind != number || number == 0 {
                *run = self.runs.len() as u32;
                self.runs.push((code, number, number));
            }
            *behind = number + 1;
            self.runs[*run as usize].2 = number + 1;
        }
    }

    /// Sums up the chances of the codes of all unions. Sums of whole numbers are the same in any order.
    fn expose_runs(&self, sums: &mut Sums, exposure: &mut [u128]) {
        sums.clear(self.taught as usize);
        for &(code, first, end) in &self.runs {
            sums.add(first, end, self.weights[code as usize]);
        }
        sums.sum_up(|_, _| true);
        for &(code, first, end) in &self.runs {
            expose(&mut exposure[code as usize], sums.between(first, end), None);
        }
    }

    /// The unions where biases are used, in the order in which they are taught.
    fn unions(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.members[start as usize..end as usize])
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
    use crate::Rng;
    use crate::rollout::policy::{Policy, Trace};

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

    /// The printed assignments, one after the other.
    fn overwrite(policy: &Policy, traces: &[&Trace<u8>], alpha: f64) -> Vec<f64> {
        let old: Vec<f64> = (0..20).map(|code| policy.logit(code)).collect();
        let mut new = old.clone();
        let offered = |trace: &Trace<u8>, step: u32| -> Vec<u64> {
            let lives = trace.lifetimes.iter().filter(|life| (life.first..life.end).contains(&step));
            lives.map(|life| life.code).collect()
        };
        let chosen = |trace: &Trace<u8>, step: usize| trace.lifetimes[trace.chosen[step] as usize].code;
        for (b, trace) in traces.iter().enumerate() {
            for step in 0..trace.steps() {
                let code = chosen(trace, step);
                let has = |trace: &&Trace<u8>| (0..trace.steps()).any(|step| chosen(trace, step) == code);
                if traces[..b].iter().any(has) {
                    continue;
                }
                let mut union: std::collections::BTreeSet<u64> = offered(trace, step as u32).into_iter().collect();
                for later in &traces[b + 1..] {
                    let steps = (0..later.steps()).filter(|&step| chosen(later, step) == code);
                    steps.for_each(|step| union.extend(offered(later, step as u32)));
                }
                if union.len() < 2 {
                    continue;
                }
                new[code as usize] = old[code as usize] + alpha;
                let z: f64 = union.iter().map(|&x| old[x as usize].exp()).sum();
                union.iter().for_each(|&x| new[x as usize] -= alpha * old[x as usize].exp() / z);
            }
        }
        new
    }

    #[test]
    fn overwriting_is_the_printed_procedure() {
        let mut rng = Rng::new(9);
        let mut policy = Policy::new(1.0, 0.0, f64::INFINITY);
        let mut adding = policy.clone();
        for round in 0..100 {
            let traces: Vec<_> = (0..3).map(|_| playout(&mut rng, &policy)).collect();
            let refs: Vec<_> = traces.iter().collect();
            let expected = overwrite(&policy, &refs, 0.7);
            policy.adapt_overwriting(&refs, 0.7);
            adding.adapt_diverse(&refs, 0.7);
            for (code, &logit) in expected.iter().enumerate() {
                let found = policy.logit(code as u64);
                assert!((found - logit).abs() < 1e-6, "round {round}, code {code}: {found}, expected {logit}");
            }
        }
        assert!((0..20).any(|code| (policy.logit(code) - adding.logit(code)).abs() > 0.1));
    }

    #[test]
    fn what_is_known_from_the_last_adaptation_changes_nothing() {
        for (bias, limit) in [(0.0, 0), (0.0, 20), (0.7, 7)] {
            let mut rng = Rng::new(11);
            let mut first = Policy::new(1.0, bias, 3.0).with_codes(limit);
            let mut again = first.clone();
            for round in 0..100 {
                let traces: Vec<_> = (0..4).map(|_| playout(&mut rng, &first)).collect();
                let refs: Vec<_> = traces.iter().collect();
                again.adapt_diverse(&refs, 0.7);
                first.adapt_diverse(&refs, 0.7);
                for repeat in 0..4 {
                    // Whatever happens in between, the result is that of a new listing.
                    for policy in [&mut first, &mut again] {
                        match (round + repeat) % 6 {
                            1 => policy.push(),
                            3 if policy.copies() > 0 => policy.pop(),
                            4 => policy.adapt(&traces[1], 0.3),
                            5 => *policy = postcard::from_bytes(&postcard::to_allocvec(policy).unwrap()).unwrap(),
                            _ => {}
                        }
                    }
                    first.adapt_diverse(&refs, 0.7);
                    again.adapt_diverse_again(&refs, &[Some(0), Some(1), Some(2), Some(3)], 0.7);
                    for code in 0..20 {
                        assert_eq!(first.logit(code).to_bits(), again.logit(code).to_bits(), "round {round}");
                    }
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
