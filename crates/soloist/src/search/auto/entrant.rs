//! A method in the race, with what it has found itself.

use crate::problem::MoveId;
use crate::problem::rules::Rules;
use crate::run::plan::Horizon;
use crate::search::sound::{MOST, require};
use crate::search::{Context, Method, Search, Status, Tally};
use crate::{CheckpointError, Score, Sense, Solution};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The width of a beam's first pass, at most.
const NARROW: u64 = 8;

/// A method in the race.
pub(super) struct Entrant {
    pub(super) name: String,
    method: Method,
    /// `None`: it has not begun, or it was dropped.
    search: Option<Box<dyn Search>>,
    tally: Tally,
    /// The effort of all methods when it last improved.
    reached: f64,
    /// Whether it has ended by itself.
    pub(super) ended: bool,
}

/// An entrant in a checkpoint.
#[derive(Serialize, Deserialize)]
pub(super) struct Saved {
    name: String,
    search: Option<Vec<u8>>,
    tally: Tally,
    reached: f64,
    ended: bool,
}

impl Entrant {
    /// Returns the preset of that name, which has not begun.
    pub(super) fn new(name: &str, sense: Sense) -> Option<Self> {
        let (mut method, tally) = (Method::preset(name)?, Tally::new(sense, 0, 0));
        if let Method::Beam(beam) = &mut method {
            // The first pass of a wide beam would take longer than a turn.
            beam.width = beam.width.min(NARROW);
        }
        Some(Self { name: name.to_owned(), method, search: None, tally, reached: 0.0, ended: false })
    }

    /// The score of the best solution that it has found.
    pub(super) fn score(&self) -> Option<Score> {
        self.tally.best.as_ref().map(|best| best.score)
    }

    /// The name with the score, for people: six decimals at most.
    pub(super) fn standing(&self) -> String {
        let score = match self.score() {
            Some(Score::Feasible(value)) => Score::Feasible((value * 1e6).round() / 1e6).to_string(),
            Some(infeasible) => infeasible.to_string(),
            None => "none".to_owned(),
        };
        format!("{} {score}", self.name)
    }

    /// The direction of the problem.
    pub(super) fn sense(&self) -> Sense {
        self.tally.sense
    }

    /// Whether it can prove optimality.
    pub(super) fn is_systematic(&self) -> bool {
        matches!(self.method, Method::Beam(_) | Method::BranchAndBound(_) | Method::IdaStar(_))
    }

    /// Compares two entrants: the better one first; of equal ones the one that can prove, then the one that was there first.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let sense = self.tally.sense;
        let ahead = |a: &Self, b: &Self| match (a.score(), b.score()) {
            (Some(a), Some(b)) => sense.better(a, b),
            (a, b) => a.is_some() && b.is_none(),
        };
        let systematic = other.is_systematic().cmp(&self.is_systematic());
        ahead(other, self).cmp(&ahead(self, other)).then(systematic).then(self.reached.total_cmp(&other.reached))
    }

    /// Gets ready for a turn.
    pub(super) fn begin(&mut self, context: &mut Context<'_>, memory: u64) {
        // Annealing cools over what it is given: it begins again.
        if self.search.is_none() || matches!(self.method, Method::Anneal(_)) {
            self.search = Some(self.method.build(context.problem, memory));
        }
        context.rollout.set_variant(0);
    }

    /// Forgets everything but the best solution.
    pub(super) fn rest(&mut self) {
        self.search = None;
    }

    /// Does a step. `effort` is that of all methods before it; what is better than the incumbent of `context` becomes the
    /// incumbent.
    pub(super) fn step(&mut self, context: &mut Context<'_>, horizon: Horizon, effort: f64) -> Status {
        let Some(search) = &mut self.search else { return Status::Completed };
        let tally = &mut self.tally;
        (tally.keep, tally.stream, tally.counters) = (context.tally.keep, context.tally.stream, context.tally.counters);
        let (problem, rollout, rng) = (context.problem, &mut *context.rollout, &mut *context.rng);
        let status = search.step(&mut Context { problem, rollout, rng, tally, horizon });
        context.tally.counters = tally.counters;
        if !tally.history.is_empty() {
            tally.history.clear();
            self.reached = effort;
            context.tally.absorb(tally);
        } else if tally.keep > 1 {
            context.tally.absorb(tally);
        }
        self.ended = matches!(status, Status::Completed | Status::Waiting);
        status
    }

    /// Takes up a solution from outside, if it is better than what the entrant has found.
    pub(super) fn take_up(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>, horizon: Horizon) {
        if self.score().is_some_and(|own| !self.tally.sense.better(solution.score, own)) {
            return;
        }
        self.tally.best = Some(solution.clone());
        if let Some(search) = &mut self.search {
            let (problem, rollout, rng) = (context.problem, &mut *context.rollout, &mut *context.rng);
            search.take_up(&mut Context { problem, rollout, rng, tally: &mut self.tally, horizon }, solution);
        }
    }

    /// See [`Search::left`].
    pub(super) fn left(&self) -> Option<f64> {
        self.search.as_ref().and_then(|search| search.left())
    }

    pub(super) fn save(&self) -> Saved {
        let &Self { ref name, ref search, ref tally, reached, ended, .. } = self;
        let search = search.as_ref().map(|search| search.save());
        Saved { name: name.clone(), search, tally: tally.clone(), reached, ended }
    }

    pub(super) fn load(problem: &dyn Rules, saved: Saved, memory: u64) -> Result<Self, CheckpointError> {
        let Saved { name, search, tally, reached, ended } = saved;
        let unknown = CheckpointError::Corrupt("a method that is not known");
        let mut entrant = Self::new(&name, problem.sense()).filter(|_| name != super::NAME).ok_or(unknown)?;
        tally.check_solutions(problem)?;
        let sound = tally.sense == problem.sense() && tally.history.is_empty() && tally.counters.playouts <= MOST;
        require(sound && reached.is_finite(), "the figures of a method")?;
        if let Some(bytes) = search {
            let mut search = entrant.method.build(problem, memory);
            search.load(problem, &bytes)?;
            entrant.search = Some(search);
        }
        Ok(Self { tally, reached, ended, ..entrant })
    }
}
