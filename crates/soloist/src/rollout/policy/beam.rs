//! A beam of playouts whose codes are held as bit sets, from one adaptation to the next.
//!
//! A beam changes by a solution or two between adaptations, often not at all. What each playout offers at each step is
//! kept as a bit set, a bit for each code of the beam, so that a union is a few words joined, and only new playouts
//! are looked up in the policy. Logits and weights of the beam's codes lie side by side here, and are copied to the
//! policy's table after each adaptation.

use crate::rollout::policy::adapt::{Moves, chance};
use crate::rollout::policy::{Policy, Trace, weight_of};

/// A playout of the beam.
#[derive(Debug, Default)]
struct Steps {
    /// By entry: the place of its code.
    codes: Vec<u32>,
    /// By step: the place of the code chosen.
    chosen: Vec<u32>,
    /// By step: the places of the codes available.
    open: Vec<u64>,
    /// Entries, each counted once for each of its steps.
    spans: usize,
}

/// The beam of the last adaptation.
#[derive(Debug, Default)]
pub(super) struct BitSets {
    /// Whether the policy's table still is as the last adaptation left it.
    pub(super) is_known: bool,
    /// Words of a set.
    words: usize,
    steps: Vec<Steps>,
    spare: Vec<Steps>,
    /// By slot of the policy: one plus the place of its code, 0 for none.
    by_slot: Vec<u32>,
    /// By place: the slot of its code.
    slots: Vec<u32>,
    /// By place: how many entries of the beam have its code. A place without entries is free.
    users: Vec<u32>,
    free: Vec<u32>,
    logits: Vec<f64>,
    /// By place: the weight. Then, from `words` x 64 on, the same with the other sign, and a zero.
    weights: Vec<u64>,
    /// By place: how many unions teach its code.
    count: Vec<u32>,
    exposure: Vec<u128>,
    /// By place: the first step that chose it, as trace and step.
    first: Vec<Step>,
    /// By step of all traces: the next one that chose the same code.
    next: Vec<Step>,
    /// Where the steps of each trace begin in `next`.
    offsets: Vec<usize>,
    /// By place: the union since which it is in the present one.
    since: Vec<u16>,
    /// The present union and the one before.
    union: Vec<u64>,
    previous: Vec<u64>,
    /// What changes from union to union: an index into `weights`, and the number of the union. At least one a union.
    changes: Vec<(u16, u16)>,
    /// Runs of consecutive unions that contain a code: its place, the first union, one past the last.
    runs: Vec<(u16, u16, u16)>,
    /// How many changes and runs there are; the lists may be longer.
    counts: (usize, usize),
    /// By union: the sum of the weights; the sum of the chances of those before.
    z: Vec<u64>,
    chances: Vec<u128>,
}

/// A step of a beam: trace and step. The last one means none.
type Step = (u32, u32);
const NONE: Step = (u32::MAX, u32::MAX);

/// Indices of places and unions have 16 bits, and weights are listed with both signs.
const MOST: usize = 30_000;

/// Whether bit sets are worth it: not where codes are many and few of them available at a step.
pub(super) fn suits(codes: usize, steps: usize, spans: usize) -> bool {
    codes <= MOST && steps <= MOST && codes / 64 * steps <= 4 * spans
}

impl BitSets {
    /// Begins with a beam that is not known yet, from the slots of its codes and the place of each entry's code.
    pub(super) fn begin<M>(&mut self, policy: &mut Policy, traces: &[&Trace<M>], slots: &[u32], codes: &[u32]) {
        for &slot in &self.slots {
            self.by_slot[slot as usize] = 0;
        }
        self.by_slot.resize(policy.logits.len(), 0);
        self.words = (slots.len() + 32).div_ceil(64);
        self.spare.append(&mut self.steps);
        self.slots.clear();
        self.users.clear();
        self.free.clear();
        self.logits.clear();
        self.weights.clear();
        self.weights.resize(self.words * 128 + 1, 0);
        for &slot in slots {
            self.acquire(policy, slot);
        }
        let mut offset = 0;
        for trace in traces {
            let mut steps = self.spare.pop().unwrap_or_default();
            let end = offset + trace.lifetimes.len();
            steps.codes.clear();
            steps.codes.extend_from_slice(&codes[offset..end]);
            steps.list(trace, self.words);
            steps.codes.iter().for_each(|&code| self.users[code as usize] += 1);
            self.steps.push(steps);
            offset = end;
        }
        self.list_unions();
        self.is_known = true;
    }

    /// Follows the beam to its present traces; `origins` names the place of each among the traces of before. Returns
    /// whether it could.
    pub(super) fn follow<M>(&mut self, policy: &mut Policy, traces: &[&Trace<M>], origins: &[Option<usize>]) -> bool {
        if origins.len() == self.steps.len() && origins.iter().enumerate().all(|(i, &origin)| origin == Some(i)) {
            return true;
        }
        self.is_known = false;
        let capacity = policy.buckets.len();
        let newest = || traces.iter().zip(origins).filter(|(_, origin)| origin.is_none());
        policy.reserve(newest().map(|(trace, _)| policy.hashed_entries(trace)).sum());
        if policy.buckets.len() != capacity {
            return false;
        }
        let mut old: Vec<Option<Steps>> = self.steps.drain(..).map(Some).collect();
        let kept: Vec<_> = origins.iter().map(|origin| origin.and_then(|origin| old.get_mut(origin)?.take())).collect();
        for steps in old.into_iter().flatten() {
            self.release(steps);
        }
        for (trace, steps) in traces.iter().zip(kept) {
            let Some(steps) = steps.or_else(|| self.add(policy, trace)) else { return false };
            self.steps.push(steps);
        }
        let spans = self.steps.iter().map(|steps| steps.spans).sum();
        let count = self.steps.iter().map(|steps| steps.chosen.len()).sum();
        if !suits(self.slots.len() - self.free.len(), count, spans) {
            return false;
        }
        self.list_unions();
        self.is_known = true;
        true
    }

    /// Looks up a trace. Returns nothing if the sets have no bit left for a code of it.
    fn add<M>(&mut self, policy: &mut Policy, trace: &Trace<M>) -> Option<Steps> {
        let mut steps = self.spare.pop().unwrap_or_default();
        steps.codes.clear();
        for life in &trace.lifetimes {
            let slot = policy.find_or_insert(life.code);
            let place = match self.by_slot[slot as usize].checked_sub(1) {
                Some(place) => place,
                None if self.free.is_empty() && self.slots.len() == self.words * 64 => return None,
                None => self.acquire(policy, slot),
            };
            self.users[place as usize] += 1;
            steps.codes.push(place);
        }
        steps.list(trace, self.words);
        Some(steps)
    }

    /// Gives the code of a slot a place.
    fn acquire(&mut self, policy: &mut Policy, slot: u32) -> u32 {
        policy.save(slot as usize);
        let place = self.free.pop().unwrap_or_else(|| {
            self.slots.push(0);
            self.users.push(0);
            self.logits.push(0.0);
            self.slots.len() as u32 - 1
        });
        let at = place as usize;
        self.slots[at] = slot;
        self.logits[at] = policy.logits[slot as usize];
        self.set_weight(at, policy.weight_at(slot as usize));
        self.by_slot[slot as usize] = place + 1;
        place
    }

    #[inline(always)]
    fn set_weight(&mut self, place: usize, weight: u64) {
        self.weights[place] = weight;
        self.weights[self.words * 64 + place] = weight.wrapping_neg();
    }

    /// Drops a trace.
    fn release(&mut self, steps: Steps) {
        for &code in &steps.codes {
            let users = &mut self.users[code as usize];
            *users -= 1;
            if *users == 0 {
                self.by_slot[self.slots[code as usize] as usize] = 0;
                self.free.push(code);
            }
        }
        self.spare.push(steps);
    }

    /// Lists the unions that teach something by what changes from one to the next, and counts what they teach.
    fn list_unions(&mut self) {
        self.chain_steps();
        let Self { words, steps, count, first, next, offsets, since, union, previous, changes, runs, .. } = self;
        let words = *words;
        count.clear();
        count.resize(self.slots.len(), 0);
        since.clear();
        since.resize(words * 64, 0);
        for set in [&mut *union, &mut *previous] {
            set.clear();
            set.resize(words, 0);
        }
        let mut number = 0_u16;
        let mut counts = (0, 0);
        for (index, own) in steps.iter().enumerate() {
            let last = own.chosen.len().wrapping_sub(1);
            for i in 0..own.chosen.len() {
                // Every other trace backwards: starts resemble each other, and so do ends, so that less changes.
                let step = if index % 2 == 0 { last - i } else { i };
                let code = own.chosen[step];
                // Not where a better trace has chosen the code.
                if first[code as usize].0 as usize != index {
                    continue;
                }
                union.copy_from_slice(&own.open[step * words..][..words]);
                let mut at = next[offsets[index] + step];
                while at != NONE {
                    let (trace, step) = (at.0 as usize, at.1 as usize);
                    if trace != index {
                        let other = &steps[trace].open[step * words..][..words];
                        union.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
                    }
                    at = next[offsets[trace] + step];
                }
                // Without an alternative there is nothing to learn.
                if !has_two(union) {
                    continue;
                }
                count[code as usize] += 1;
                let before = counts.0;
                list_changes(number, previous, union, since, changes, runs, &mut counts);
                if counts.0 == before {
                    changes[before] = (words as u16 * 128, number);
                    counts.0 += 1;
                }
                number += 1;
                std::mem::swap(union, previous);
            }
        }
        union.fill(0);
        let changed = counts.0;
        list_changes(number, previous, union, since, changes, runs, &mut counts);
        self.counts = (changed, counts.1);
        self.z.clear();
        self.z.resize(usize::from(number), 0);
    }

    /// Links the steps that chose the same code.
    fn chain_steps(&mut self) {
        self.first.clear();
        self.first.resize(self.slots.len(), NONE);
        self.offsets.clear();
        let mut count = 0;
        for steps in &self.steps {
            self.offsets.push(count);
            count += steps.chosen.len();
        }
        self.next.clear();
        self.next.resize(count, NONE);
        for (index, steps) in self.steps.iter().enumerate().rev() {
            for (step, &code) in steps.chosen.iter().enumerate().rev() {
                let first = &mut self.first[code as usize];
                self.next[self.offsets[index] + step] = *first;
                *first = (index as u32, step as u32);
            }
        }
    }

    /// Moves the policy by what the unions teach. Sums of whole numbers are the same in any order.
    pub(super) fn teach(&mut self, policy: &mut Policy, alpha: f64) {
        let mut z = 0_u64;
        for &(weight, union) in &self.changes[..self.counts.0] {
            z = z.wrapping_add(self.weights[usize::from(weight)]);
            // The last change of a union leaves its sum.
            self.z[usize::from(union)] = z;
        }
        self.chances.clear();
        self.chances.push(0);
        let mut sum = 0_u128;
        self.chances.extend(self.z.iter().map(|&z| {
            sum += chance(z);
            sum
        }));
        self.exposure.clear();
        self.exposure.resize(self.slots.len(), 0);
        for &(place, first, end) in &self.runs[..self.counts.1] {
            self.exposure[usize::from(place)] += self.chances[usize::from(end)] - self.chances[usize::from(first)];
        }
        let moves = Moves::new(policy, alpha);
        let counts = self.exposure.iter().zip(&self.count);
        for ((logit, &weight), (&exposure, &count)) in self.logits.iter_mut().zip(&self.weights).zip(counts) {
            *logit = moves.moved(*logit, weight, exposure, count);
        }
        let (weights, negative) = self.weights.split_at_mut(self.words * 64);
        // Apart, so that the compiler takes several exponentials at a time.
        for (weight, logit) in weights.iter_mut().zip(&self.logits) {
            *weight = weight_of(logit * policy.numbers.sharpness);
        }
        for (negative, weight) in negative.iter_mut().zip(&*weights) {
            *negative = weight.wrapping_neg();
        }
        for (place, &slot) in self.slots.iter().enumerate() {
            // The slot of a free place may be another code's by now.
            if self.users[place] > 0 {
                policy.logits[slot as usize] = self.logits[place];
                *policy.weight_mut(slot as usize) = weights[place];
            }
        }
    }
}

impl Steps {
    /// Lists what a trace offers and chooses; the places of its codes are known.
    fn list<M>(&mut self, trace: &Trace<M>, words: usize) {
        self.chosen.clear();
        self.chosen.extend(trace.chosen.iter().map(|&entry| self.codes[entry as usize]));
        self.open.clear();
        self.open.resize(trace.chosen.len() * words, 0);
        self.spans = 0;
        for (life, &code) in trace.lifetimes.iter().zip(&self.codes) {
            for step in life.first..life.end {
                self.open[step as usize * words + code as usize / 64] |= 1 << (code % 64);
            }
            self.spans += (life.end - life.first) as usize;
        }
    }
}

/// Lists what changes from the union `before` to the one with a number, and the runs that end there.
#[inline(always)]
fn list_changes(
    number: u16,
    before: &[u64],
    now: &[u64],
    since: &mut [u16],
    changes: &mut Vec<(u16, u16)>,
    runs: &mut Vec<(u16, u16, u16)>,
    counts: &mut (usize, usize),
) {
    let most = since.len();
    // More at once, as new memory has to be filled.
    if changes.len() < counts.0 + most {
        changes.resize(2 * (counts.0 + most), (0, 0));
    }
    if runs.len() < counts.1 + most {
        runs.resize(2 * (counts.1 + most), (0, 0, 0));
    }
    let (changes, runs) = (&mut changes[counts.0..][..most], &mut runs[counts.1..][..most]);
    let (mut change, mut run) = (0, 0);
    for (w, (&before, &now)) in (0..).zip(before.iter().zip(now)) {
        let mut rest = before ^ now;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let place: u16 = w * 64 + bit as u16;
            // Without a branch, as it cannot be foreseen: a run of what comes is overwritten by the next.
            let goes = (before >> bit) as u16 & 1;
            changes[change] = (place + goes * most as u16, number);
            change += 1;
            runs[run] = (place, since[usize::from(place)], number);
            run += usize::from(goes);
            since[usize::from(place)] = number;
        }
    }
    counts.0 += change;
    counts.1 += run;
}

/// Whether a set has two members.
#[inline(always)]
fn has_two(set: &[u64]) -> bool {
    let mut words = set.iter().skip_while(|word| **word == 0);
    words.next().is_some_and(|word| word & (word - 1) != 0 || words.any(|word| *word != 0))
}

#[cfg(test)]
mod tests {
    use crate::Rng;
    use crate::rollout::policy::{Lifetime, Policy, Trace};

    /// A playout of codes from `low` on for one step or several; some codes recur.
    fn playout(rng: &mut Rng, low: u64) -> Trace<u8> {
        let mut trace = Trace::default();
        let steps = 1 + rng.index(12) as u32;
        for step in 0..steps {
            for _ in 0..1 + rng.index(6) {
                let end = step + 1 + rng.index((steps - step) as usize) as u32;
                trace.record(Lifetime { code: low + rng.index(90) as u64, first: step, end });
            }
            // Any entry of this step, which the last one is.
            trace.step(trace.lifetimes.len() as u32 - 1, 0);
        }
        trace
    }

    #[test]
    fn sets_teach_what_lists_teach() {
        for limit in [0, 60, 5000] {
            let mut rng = Rng::new(9);
            let mut sets = Policy::new(1.1, 0.0, 6.0).with_codes(limit);
            // Biases that change nothing go through the lists.
            let mut lists = Policy::new(1.1, 1.0, 6.0).with_codes(limit);
            let mut beam: Vec<(Trace<u8>, Option<usize>)> = Vec::new();
            let mut followed = 0;
            for round in 0..600_u64 {
                // The codes drift, so that places are freed, sets become too small, and the table grows.
                let low = round * 5 / 2;
                for _ in 0..rng.index(3) {
                    if beam.len() > 5 {
                        beam.remove(rng.index(beam.len()));
                    }
                    beam.insert(rng.index(beam.len() + 1), (playout(&mut rng, low), None));
                }
                if round % 50 == 0 {
                    sets.push();
                    lists.push();
                } else if round % 50 == 30 {
                    sets.pop();
                    lists.pop();
                }
                let mut biased: Vec<_> = beam.iter().map(|(trace, _)| trace.clone()).collect();
                biased.iter_mut().for_each(|trace| trace.factors = vec![1.0; trace.lifetimes.len()]);
                let origins: Vec<_> = beam.iter().map(|&(_, origin)| origin).collect();
                followed += usize::from(sets.scratch.beam.is_known);
                sets.adapt_diverse_again(&beam.iter().map(|(trace, _)| trace).collect::<Vec<_>>(), &origins, 0.9);
                lists.adapt_diverse(&biased.iter().collect::<Vec<_>>(), 0.9);
                beam.iter_mut().enumerate().for_each(|(i, (_, origin))| *origin = Some(i));
                assert_eq!(sets.len(), lists.len());
                for code in 0..low + 90 {
                    assert_eq!(sets.logit(code).to_bits(), lists.logit(code).to_bits(), "round {round}, code {code}");
                    assert_eq!(sets.weight(code), lists.weight(code));
                }
            }
            assert!(followed > 300, "{followed}");
        }
    }
}
