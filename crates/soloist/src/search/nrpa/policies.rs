//! The nested levels of Beam-NRPA: each solution of a beam has a separate policy.

use super::Nrpa;
use super::levels::{Gate, pairs};
use crate::core::codec::CheckpointError;
use crate::core::limits::ensure;
use crate::core::order::sort_by;
use crate::erased::problem::ErasedProblem;
use crate::erased::{MoveId, validate};
use crate::rollout::policy::{Policy, Trace};
use crate::search::Exchange;
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};

/// A solution and the policy that goes with it; the first one of a call has no solution yet.
#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    score: Option<Score>,
    trace: Trace<MoveId>,
    policy: Policy,
}

/// A solution found with the policy of an entry.
#[derive(Clone, Serialize, Deserialize)]
struct Found {
    score: Score,
    trace: Trace<MoveId>,
    source: usize,
}

/// A level in progress.
#[derive(Clone, Serialize, Deserialize)]
struct Frame {
    iteration: u64,
    /// Playouts of the present entry; level 1 only.
    playouts: u64,
    /// The entry whose policy makes the present playouts.
    turn: usize,
    /// Best first.
    entries: Vec<Entry>,
    found: Vec<Found>,
    gate: Gate,
}

/// One nested run.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Beams {
    /// One frame a level, outermost first.
    frames: Vec<Frame>,
    pub(super) ended: bool,
}

impl Frame {
    fn new(policy: Policy) -> Self {
        let first = Entry { score: None, trace: Trace::default(), policy };
        let gate = Gate::default();
        Self { iteration: 0, playouts: 0, turn: 0, entries: vec![first], found: Vec::new(), gate }
    }

    fn find(&mut self, parameters: &Nrpa, sense: Sense, score: Score, trace: Trace<MoveId>) {
        let best = self.entries.first();
        let again = parameters.repetitions > 0 && best.is_some_and(|best| best.trace.moves == trace.moves);
        let improves = best.and_then(|best| best.score).is_none_or(|best| sense.better(score, best));
        self.gate.note(again, improves);
        self.found.push(Found { score, trace, source: self.turn });
    }

    /// Makes the beam of the best old entries and the solutions found. With `learn` each policy is adapted to its
    /// solution.
    fn select(&mut self, sense: Sense, width: usize, learn: bool, alpha: f64) {
        enum Kind {
            Found(usize),
            Old(usize),
        }
        // Newest first: a stable sort by score lets a newcomer win a tie, as in NRPA.
        let found = (0..self.found.len()).rev().map(|at| (Some(self.found[at].score), Kind::Found(at)));
        let old = self.entries.iter().enumerate().map(|(at, entry)| (entry.score, Kind::Old(at)));
        let mut order: Vec<(Option<Score>, Kind)> = found.chain(old).collect();
        sort_by(&mut order, |a, b| sense.best_first(a.0, b.0));
        order.truncate(width);
        let source = |kind: &Kind| match *kind {
            Kind::Found(at) => self.found[at].source,
            Kind::Old(at) => at,
        };
        let mut uses = vec![0; self.entries.len()];
        order.iter().for_each(|(_, kind)| uses[source(kind)] += 1);
        let sources: Vec<usize> = order.iter().map(|(_, kind)| source(kind)).collect();
        let mut traces: Vec<Option<Trace<MoveId>>> = Vec::new();
        let mut policies: Vec<Option<Policy>> = Vec::new();
        for entry in self.entries.drain(..) {
            traces.push(Some(entry.trace));
            policies.push(Some(entry.policy));
        }
        let mut found: Vec<Option<Found>> = self.found.drain(..).map(Some).collect();
        for ((score, kind), source) in order.into_iter().zip(sources) {
            // The last user of a policy takes it; the others copy it.
            uses[source] -= 1;
            let policy = if uses[source] == 0 { policies[source].take() } else { policies[source].clone() };
            let trace = match kind {
                Kind::Found(at) => found[at].take().map(|found| found.trace),
                Kind::Old(at) => traces[at].take(),
            };
            let (Some(mut policy), Some(trace)) = (policy, trace) else { continue };
            if learn && score.is_some() {
                policy.adapt(&trace, alpha);
            }
            self.entries.push(Entry { score, trace, policy });
        }
    }
}

impl Beams {
    /// Returns the similar pairs of solutions that the outermost level keeps.
    pub(super) fn similar_pairs(&self) -> usize {
        pairs(&self.frames[0].entries, |one, other| {
            one.score.is_some() && one.score == other.score && one.trace.steps() == other.trace.steps()
        })
    }

    /// Returns the scores of the solutions that the outermost level keeps, the best one first.
    pub(super) fn kept(&self) -> impl Iterator<Item = Score> + '_ {
        self.frames[0].entries.iter().filter_map(|entry| entry.score)
    }

    pub(super) fn new(parameters: &Nrpa, policy: &Policy) -> Self {
        let frames = (0..parameters.level).map(|_| Frame::new(policy.clone())).collect();
        Self { frames, ended: false }
    }

    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Returns the playout that the policy of the next one has learned; empty at the beginning.
    pub(super) fn trace(&self) -> Option<&Trace<MoveId>> {
        let frame = self.frames.last()?;
        frame.entries.get(frame.turn).map(|entry| &entry.trace)
    }

    /// Returns the policy of the next playout.
    pub(super) fn policy(&self) -> &Policy {
        let frame = &self.frames[self.frames.len() - 1];
        &frame.entries[frame.turn].policy
    }

    pub(super) fn iterations(&self) -> u64 {
        self.frames[0].iteration
    }

    pub(super) fn best(&self) -> Option<Score> {
        self.frames[0].entries.first().and_then(|entry| entry.score)
    }

    /// Gives a solution from outside to every level, as if its present policy had found it.
    pub(super) fn adopt(&mut self, parameters: &Nrpa, sense: Sense, gift: &Exchange) {
        for frame in &mut self.frames {
            frame.find(parameters, sense, gift.score, gift.trace.clone());
        }
    }

    /// Checks the beams of a checkpoint; `policy` is a blank one.
    pub(super) fn check(
        &self,
        parameters: &Nrpa,
        problem: &dyn ErasedProblem,
        policy: &Policy,
    ) -> Result<(), CheckpointError> {
        let count = self.frames.len();
        for (index, frame) in self.frames.iter().enumerate() {
            let level = count - index;
            let sound = frame.iteration <= parameters.iterations.at(level)
                && frame.playouts < parameters.playouts
                && frame.turn < frame.entries.len()
                && frame.entries.len() as u64 <= parameters.width.at(level)
                && frame.found.iter().all(|found| found.source < frame.entries.len())
                && frame.gate.is_sound();
            ensure(sound, "a level of another run")?;
            for Entry { score, trace, policy: own } in &frame.entries {
                ensure(own.is_like(policy), "a policy of another run")?;
                match score {
                    Some(score) => validate::recorded(problem, trace, policy, *score)?,
                    None => ensure(trace.moves.is_empty(), "a solution without a score")?,
                }
            }
            for found in &frame.found {
                validate::recorded(problem, &found.trace, policy, found.score)?;
            }
        }
        Ok(())
    }

    /// Gives a playout to level 1; its trace is exchanged for another buffer.
    pub(super) fn absorb(&mut self, parameters: &Nrpa, sense: Sense, score: Score, trace: &mut Trace<MoveId>) {
        let mut index = self.frames.len() - 1;
        let frame = &mut self.frames[index];
        frame.find(parameters, sense, score, std::mem::take(trace));
        frame.playouts += 1;
        if frame.playouts < parameters.playouts {
            return;
        }
        frame.playouts = 0;
        loop {
            let level = self.frames.len() - index;
            let frame = &mut self.frames[index];
            frame.turn += 1;
            if frame.turn < frame.entries.len() {
                break;
            }
            frame.iteration += 1;
            let ends = frame.iteration >= parameters.iterations.at(level) || frame.gate.is_over(parameters);
            let learn = !ends && frame.iteration > parameters.threshold.at(level);
            frame.select(sense, parameters.width.at(level) as usize, learn, parameters.alpha);
            frame.turn = 0;
            if !ends {
                break;
            }
            if index == 0 {
                self.ended = true;
                break;
            }
            let results = std::mem::take(&mut frame.entries);
            index -= 1;
            for result in results {
                if let Some(score) = result.score {
                    self.frames[index].find(parameters, sense, score, result.trace);
                }
            }
        }
        for below in index + 1..self.frames.len() {
            let above = &self.frames[below - 1];
            let policy = above.entries[above.turn].policy.clone();
            self.frames[below] = Frame::new(policy);
        }
    }
}
