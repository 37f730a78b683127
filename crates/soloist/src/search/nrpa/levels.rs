//! The nested levels of plain and high-diversity NRPA: one policy, adapted level by level and restored by undo.

use super::{Adapting, Keep, Nrpa};
use crate::core::codec::CheckpointError;
use crate::core::limits::{MOST, ensure};
use crate::erased::problem::ErasedProblem;
use crate::erased::{MoveId, validate};
use crate::rollout::policy::{Lifetime, Policy, Trace};
use crate::search::Exchange;
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};

impl Exchange {
    /// Checks a solution of a checkpoint.
    fn check(&self, problem: &dyn ErasedProblem, policy: &Policy) -> Result<(), CheckpointError> {
        validate::recorded(problem, &self.trace, policy, self.score)
    }

    fn better(&self, other: &Self, sense: Sense) -> bool {
        sense.better(self.score, other.score)
            || (sense.at_least(self.score, other.score) && self.feature > other.feature)
    }

    /// Whether two solutions are similar in the paper's sense: equal score and length.
    fn similar(&self, other: &Self) -> bool {
        self.score == other.score && self.feature == other.feature && self.trace.steps() == other.trace.steps()
    }
}

/// Returns how many pairs of a list are alike.
pub(super) fn pairs<T>(list: &[T], alike: impl Fn(&T, &T) -> bool) -> usize {
    let of = |(at, one): (usize, &T)| list[..at].iter().filter(|other| alike(one, other)).count();
    list.iter().enumerate().map(of).sum()
}

/// Decides when a level ends.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Gate {
    /// How often a result equalled the level's best solution.
    repeats: u64,
}

impl Gate {
    /// Whether the counts of a checkpoint can be those of a run.
    pub(super) fn is_sound(&self) -> bool {
        self.repeats <= MOST
    }

    pub(super) fn reset(&mut self) {
        self.repeats = 0;
    }

    /// Counts a result. `again`: it equals the level's best solution; `best`: it is a new best one.
    pub(super) fn note(&mut self, again: bool, best: bool) {
        if again {
            self.repeats += 1;
        } else if best {
            self.repeats = 0;
        }
    }

    /// Whether the level has met its best solution often enough.
    pub(super) fn is_over(&self, parameters: &Nrpa) -> bool {
        parameters.repetitions > 0 && self.repeats >= parameters.repetitions
    }
}

/// A level in progress.
#[derive(Clone, Serialize, Deserialize)]
struct Frame {
    iteration: u64,
    /// Playouts since the last adaptation; level 1 only.
    playouts: u64,
    /// Best first. One at most in plain NRPA.
    beam: Vec<Exchange>,
    gate: Gate,
}

/// One nested run.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Levels {
    pub(super) policy: Policy,
    /// One frame a level, outermost first.
    frames: Vec<Frame>,
    pub(super) ended: bool,
    /// Whether the outermost level waits to share a result.
    pub(super) waiting: bool,
    /// Traces whose buffers can be reused.
    #[serde(skip, default = "Vec::new")]
    spare: Vec<Trace<MoveId>>,
    /// The level whose beam the policy has learned last.
    #[serde(skip)]
    taught: Option<usize>,
    /// By solution of that level: its place in the beam that the policy has learned.
    #[serde(skip)]
    origins: Vec<Option<usize>>,
    /// Bytes that the solutions of a level may take.
    #[serde(skip)]
    pub(super) room: u64,
}

/// Solutions that a level may keep however little memory there is.
const FEWEST: usize = 16;

/// Bytes that learning takes for an entry of a trace, as measured.
const LEARNING: usize = 224;

/// Returns the bytes that a level needs for a solution, about. Lists double as they grow.
fn bytes(trace: &Trace<MoveId>) -> u64 {
    let entry = 2 * (size_of::<Lifetime>() + 2 * size_of::<f64>()) + LEARNING;
    let step = 2 * (size_of::<MoveId>() + size_of::<u32>());
    (size_of::<Exchange>() + trace.lifetimes.len() * entry + trace.steps() * step) as u64
}

impl Levels {
    pub(super) fn new(parameters: &Nrpa, policy: Policy, room: u64) -> Self {
        let frame = || Frame { iteration: 0, playouts: 0, beam: Vec::new(), gate: Gate::default() };
        let frames = (0..parameters.level).map(|_| frame()).collect();
        let mut levels = Self {
            policy,
            frames,
            ended: false,
            waiting: false,
            spare: Vec::new(),
            taught: None,
            origins: Vec::new(),
            room,
        };
        for index in 0..levels.frames.len() {
            levels.enter(index);
        }
        levels
    }

    /// Checks the levels of a checkpoint: the policy has a copy for each level at work, and solutions have biases where
    /// the policy has. `policy` is a blank one.
    pub(super) fn check(
        &self,
        parameters: &Nrpa,
        problem: &dyn ErasedProblem,
        policy: &Policy,
    ) -> Result<(), CheckpointError> {
        ensure(self.policy.is_like(policy), "a policy of another run")?;
        // Before an exchange only the outermost level is at work.
        let copies = if self.waiting { 1 } else { self.frames.len() };
        ensure(self.ended || self.policy.copies() == copies, "a policy of another level")?;
        let count = self.frames.len();
        for (index, frame) in self.frames.iter().enumerate() {
            let level = count - index;
            let width = if parameters.beam == Keep::Solutions { parameters.width.at(level) } else { 1 };
            let sound = frame.iteration <= parameters.iterations.at(level)
                && frame.playouts < parameters.playouts
                && frame.beam.len() as u64 <= width
                && frame.gate.is_sound();
            ensure(sound, "a level of another run")?;
            for found in &frame.beam {
                found.check(problem, policy)?;
            }
        }
        // Only an outermost level that has a result waits to share it.
        ensure(!self.waiting || self.best().is_some(), "a level without a result")
    }

    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    pub(super) fn iterations(&self) -> u64 {
        self.frames[0].iteration
    }

    /// Returns the best solution of the outermost level.
    pub(super) fn best(&self) -> Option<&Exchange> {
        self.frames[0].beam.first()
    }

    /// Returns the best solution of all levels in progress.
    pub(super) fn found(&self, sense: Sense) -> Option<&Exchange> {
        let all = self.frames.iter().filter_map(|frame| frame.beam.first());
        all.reduce(|a, b| if sense.better(b.score, a.score) { b } else { a })
    }

    /// Returns the similar pairs of solutions that the outermost level keeps.
    pub(super) fn similar_pairs(&self) -> usize {
        pairs(&self.frames[0].beam, Exchange::similar)
    }

    /// Returns the scores of the solutions that the outermost level keeps, the best one first.
    pub(super) fn kept(&self) -> impl Iterator<Item = Score> + '_ {
        self.frames[0].beam.iter().map(|solution| solution.score)
    }

    /// The best playout of the innermost level that has one.
    pub(super) fn trace(&self) -> Option<&Trace<MoveId>> {
        self.frames.iter().rev().find_map(|frame| Some(&frame.beam.first()?.trace))
    }

    /// Begins a call of a level, which gets a copy of the policy.
    fn enter(&mut self, index: usize) {
        self.policy.push();
        self.taught = None;
        let frame = &mut self.frames[index];
        frame.iteration = 0;
        frame.playouts = 0;
        self.spare.extend(frame.beam.drain(..).map(|solution| solution.trace));
        frame.gate.reset();
    }

    /// Gives a playout to level 1 (its trace is exchanged for another buffer), adapts, and passes results upwards from
    /// every level that ends. `shares`: the outermost level waits for the other streams.
    pub(super) fn absorb(
        &mut self,
        parameters: &Nrpa,
        sense: Sense,
        shares: bool,
        (score, feature): (Score, f64),
        trace: &mut Trace<MoveId>,
    ) {
        let index = self.frames.len() - 1;
        let buffer = self.spare.pop().unwrap_or_default();
        let playout = Exchange { score, feature, trace: std::mem::replace(trace, buffer) };
        self.insert(parameters, sense, index, playout);
        let frame = &mut self.frames[index];
        frame.playouts += 1;
        if frame.playouts >= parameters.playouts {
            frame.playouts = 0;
            self.ascend(parameters, sense, shares, index);
        }
    }

    /// Gives a result to the level at `index`.
    fn insert(&mut self, parameters: &Nrpa, sense: Sense, index: usize, result: Exchange) {
        let width = parameters.width.at(self.frames.len() - index) as usize;
        let Frame { beam, gate, .. } = &mut self.frames[index];
        let again =
            parameters.repetitions > 0 && beam.first().is_some_and(|best| best.trace.moves == result.trace.moves);
        let best = beam.first().is_none_or(|best| result.better(best, sense));
        gate.note(again, best);
        if parameters.beam != Keep::Solutions {
            // Ties replace.
            if beam.first().is_none_or(|best| sense.at_least(result.score, best.score)) {
                self.spare.extend(beam.pop().map(|solution| solution.trace));
                beam.push(result);
            } else {
                self.spare.push(result.trace);
            }
            return;
        }
        if let Some(at) = beam.iter().position(|other| other.similar(&result)) {
            if result.score.is_feasible() {
                self.spare.push(result.trace);
                return;
            }
            // Before there is a feasible solution, many different ones have the same violation. The newer one replaces,
            // as in NRPA: the level would learn from the first of them for ever.
            self.spare.push(beam.remove(at).trace);
            if self.taught == Some(index) {
                self.origins.remove(at);
            }
        }
        let used = || beam.iter().map(|solution| bytes(&solution.trace)).sum::<u64>() + bytes(&result.trace);
        let full = beam.len() >= width || beam.len() >= FEWEST && used() > self.room;
        let fits = !full || beam.last().is_some_and(|worst| result.better(worst, sense));
        if !fits {
            self.spare.push(result.trace);
            return;
        }
        if full {
            self.spare.extend(beam.pop().map(|solution| solution.trace));
        }
        let place = beam.partition_point(|other| !result.better(other, sense));
        beam.insert(place, result);
        if self.taught == Some(index) {
            self.origins.truncate(beam.len() - 1);
            self.origins.insert(place, None);
        }
    }

    /// Ends an iteration of the level at `index`.
    fn ascend(&mut self, parameters: &Nrpa, sense: Sense, shares: bool, mut index: usize) {
        loop {
            let level = self.frames.len() - index;
            let frame = &mut self.frames[index];
            frame.iteration += 1;
            if frame.iteration < parameters.iterations.at(level) && !frame.gate.is_over(parameters) {
                if index == 0 && shares {
                    self.waiting = true;
                    return;
                }
                self.learn(parameters, index, parameters.alpha);
                break;
            }
            // The last adaptation of a level would be dropped with its copy: skipped.
            self.policy.pop();
            if index == 0 {
                self.ended = true;
                return;
            }
            let mut results = std::mem::take(&mut self.frames[index].beam);
            self.taught = None;
            index -= 1;
            for result in results.drain(..) {
                self.insert(parameters, sense, index, result);
            }
            // The buffer of the list is reused.
            self.frames[index + 1].beam = results;
        }
        for below in index + 1..self.frames.len() {
            self.enter(below);
        }
    }

    /// Adapts the policy after an iteration of the level at `index`.
    fn learn(&mut self, parameters: &Nrpa, index: usize, alpha: f64) {
        let level = self.frames.len() - index;
        let Frame { beam, iteration, .. } = &self.frames[index];
        if *iteration <= parameters.threshold.at(level) {
            return;
        }
        if parameters.beam == Keep::Solutions {
            let traces: Vec<&Trace<MoveId>> = beam.iter().map(|solution| &solution.trace).collect();
            match parameters.adapting {
                Adapting::Overwriting => self.policy.adapt_overwriting(&traces, alpha),
                Adapting::Caller => {
                    self.policy.pop();
                    self.policy.push();
                    self.policy.adapt_diverse(&traces, alpha);
                }
                Adapting::Running if self.taught == Some(index) => {
                    self.policy.adapt_diverse_again(&traces, &self.origins, alpha);
                }
                Adapting::Running => self.policy.adapt_diverse(&traces, alpha),
            }
            self.taught = Some(index);
            self.origins.clear();
            self.origins.extend((0..traces.len()).map(Some));
        } else if let Some(best) = beam.first() {
            self.policy.adapt(&best.trace, alpha);
        }
    }

    /// Gives a solution from outside to every level as a result. Each level adapts to it as long as it has no better
    /// one.
    pub(super) fn adopt(&mut self, parameters: &Nrpa, sense: Sense, gift: &Exchange) {
        for index in 0..self.frames.len() {
            self.insert(parameters, sense, index, gift.clone());
        }
    }

    /// Takes the best solutions of all streams that run together, this one's included. The level continues.
    pub(super) fn receive(&mut self, parameters: &Nrpa, sense: Sense, offers: &[Exchange]) {
        let streams = if parameters.leads() { offers.len() as f64 } else { 1.0 };
        let mut best: Option<&Exchange> = None;
        for offer in offers {
            if best.is_none_or(|best| offer.better(best, sense)) {
                best = Some(offer);
            }
        }
        if let Some(best) = best
            && self.best().is_none_or(|mine| best.better(mine, sense) || parameters.leads())
        {
            if parameters.beam == Keep::Solutions {
                self.insert(parameters, sense, 0, best.clone());
            } else {
                self.frames[0].beam.clear();
                self.frames[0].beam.push(best.clone());
            }
        }
        self.waiting = false;
        self.learn(parameters, 0, parameters.alpha * streams);
        for below in 1..self.frames.len() {
            self.enter(below);
        }
    }
}
