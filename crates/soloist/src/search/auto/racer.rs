//! A method in the race, with what it has found itself.

use super::Entry;
use super::race::{Progress, Race};
use crate::core::budget_share::BudgetShare;
use crate::core::codec::CheckpointError;
use crate::core::limits::{MOST, ensure};
use crate::core::solution::Solution;
use crate::erased::MoveId;
use crate::erased::problem::ErasedProblem;
use crate::search::parameters::Table;
use crate::search::step::Unfinished;
use crate::search::{Context, Method, Search, Status, Tally};
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// A method in the race.
pub(super) struct Racer {
    pub(super) entry: Entry,
    method: Method,
    /// The number of its player.
    player: usize,
    /// `None`: it has not begun, or it was dropped.
    search: Option<Box<dyn Search>>,
    tally: Tally,
    /// The effort of all methods when it last improved.
    reached: f64,
    /// Whether it has ended by itself.
    pub(super) ended: bool,
    /// The moves of a game without an end that has ended it.
    pub(super) lost: Option<u64>,
    /// A bound on all solutions that was known when it was dropped.
    bound: Option<f64>,
    /// Its best score at the end of the last round.
    before: Option<Score>,
}

/// An entrant in a checkpoint.
#[derive(Serialize, Deserialize)]
pub(super) struct Saved {
    entry: Entry,
    search: Option<Vec<u8>>,
    tally: Tally,
    reached: f64,
    ended: bool,
    bound: Option<f64>,
    before: Option<Score>,
}

impl Racer {
    /// Returns an entrant that has not begun and plays by player number `player`.
    pub(super) fn new(entry: Entry, player: usize, sense: Sense) -> Self {
        let method = entry.method().clone();
        let tally = Tally::new(sense, 0, 0);
        let (search, lost, bound, before) = (None, None, None, None);
        Self { entry, method, player, search, tally, reached: 0.0, ended: false, lost, bound, before }
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
        format!("{} {score}", self.entry)
    }

    /// Whether it found something better in the last third of its turn and may find more in another turn: a cooling
    /// has found what it can.
    pub(super) fn is_improving(&self, race: &Race, now: Progress) -> bool {
        !self.cools() && race.is_recent(self.reached, now)
    }

    /// Whether it edits solutions.
    pub(super) fn is_editor(&self) -> bool {
        matches!(self.method.table(), Table::Anneal(_))
    }

    /// Whether it cools, and gains most at the end of its turn.
    pub(super) fn cools(&self) -> bool {
        matches!(self.method.table(), Table::Anneal(anneal) if !anneal.iterates())
    }

    /// Whether it makes games that learn little from each other.
    pub(super) fn is_sampler(&self) -> bool {
        matches!(self.method.table(), Table::Sampling(_) | Table::Uct(_))
    }

    /// By how much it has improved since the last round: 0 if its solutions were infeasible then or are now.
    pub(super) fn rise(&self) -> f64 {
        let value = |score: Option<Score>| score.and_then(|score| score.value());
        value(self.score()).zip(value(self.before)).map_or(0.0, |(now, before)| (now - before).abs())
    }

    /// Notes that a round has ended.
    pub(super) fn end_round(&mut self) {
        self.before = self.score();
    }

    /// Whether its best score is within a part of that of a better one.
    pub(super) fn is_near(&self, leader: &Self, part: f64) -> bool {
        match (self.score(), leader.score()) {
            (Some(Score::Feasible(own)), Some(Score::Feasible(best)))
            | (Some(Score::Infeasible(own)), Some(Score::Infeasible(best))) => {
                (own - best).abs() <= part * own.abs().max(best.abs())
            }
            _ => false,
        }
    }

    /// The direction of the problem.
    pub(super) fn sense(&self) -> Sense {
        self.tally.sense
    }

    /// Whether it can prove optimality.
    pub(super) fn is_systematic(&self) -> bool {
        match self.method.table() {
            Table::Beam(_) | Table::BranchAndBound(_) | Table::IdaStar(_) => true,
            Table::Own(own) => own.counts_nodes(),
            _ => false,
        }
    }

    /// See [`Search::is_divided`].
    pub(super) fn is_divided(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.is_divided())
    }

    /// Whether its nodes are other work than the moves of its playouts.
    pub(super) fn has_nodes(&self) -> bool {
        self.is_systematic() || matches!(self.method.table(), Table::Uct(_))
    }

    /// Compares two entrants: the better one first; of equal ones the one that can prove, then the one that was there
    /// first.
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
        self.search.get_or_insert_with(|| self.method.build(context.problem, memory)).begin_turn();
    }

    /// Forgets everything but the best solution and what is known of the optimum. `best` is the value of the best
    /// solution of all.
    pub(super) fn rest(&mut self, best: Option<f64>) {
        let sense = self.tally.sense;
        // What it has seen or excluded is no better than the best solution of all.
        self.bound = self.open_bound().map(|left| best.map_or(left, |best| sense.best_value(best, left)));
        self.search = None;
    }

    /// Does a step. `effort` is that of all methods before it; what is better than the incumbent of `context` becomes
    /// the incumbent.
    pub(super) fn step(&mut self, context: &mut Context<'_>, horizon: BudgetShare, effort: f64) -> Status {
        let prunes = self.is_systematic();
        let Some(search) = &mut self.search else { return Status::Completed };
        let tally = &mut self.tally;
        let shared = &*context.tally;
        let shared_best = shared.best.is_some();
        (tally.keep, tally.stream, tally.counters) = (shared.keep, shared.stream, shared.counters);
        (tally.tree, tally.clock) = (shared.tree, shared.clock);
        (tally.units, tally.limits) = (shared.units, shared.limits);
        if prunes {
            tally.rival = shared.best.as_ref().and_then(|best| best.score.value());
        }
        // Where no observer asks for scores, which is the rule, there is nothing to exchange.
        let samples = context.tally.sample.takes_more();
        if samples {
            std::mem::swap(&mut tally.sample, &mut context.tally.sample);
        }
        let (problem, rollout, rng) = (context.problem, context.rollout.player(self.player), &mut *context.rng);
        let mut status = search.step(&mut Context { problem, rollout, rng, tally, horizon });
        if problem.watch().overflow().is_some() {
            // It needs more memory than its part, but others race.
            problem.watch().forgive();
            status = Status::Completed;
        }
        let lost = problem.watch().endless().filter(|_| shared_best);
        if lost.is_some() {
            // A policy that has learned to go round in circles, for example: others race.
            problem.watch().forgive();
            status = Status::Completed;
        }
        if status == Status::Waiting && matches!(self.method.table(), Table::Own(_)) {
            // Other streams race other methods.
            search.receive(&[]);
            status = Status::Running;
        }
        if samples {
            std::mem::swap(&mut tally.sample, &mut context.tally.sample);
        }
        (context.tally.counters, context.tally.tree) = (tally.counters, tally.tree);
        context.tally.units = tally.units;
        context.tally.flaw = context.tally.flaw.or(tally.flaw);
        if !tally.history.is_empty() {
            self.reached = effort;
        }
        if !tally.history.is_empty() || tally.keep > 1 {
            context.tally.absorb(tally);
            tally.history.clear();
        }
        self.ended = matches!(status, Status::Completed | Status::Waiting);
        if lost.is_some() {
            // It stands inside a step.
            (self.search, self.lost) = (None, lost);
        }
        status
    }

    /// Receives a solution from outside, if it is better than what the entrant has found.
    pub(super) fn adopt(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>, horizon: BudgetShare) {
        if self.score().is_some_and(|own| !self.tally.sense.better(solution.score, own)) {
            return;
        }
        self.tally.best = Some(solution.clone());
        let (problem, rollout, rng) = (context.problem, context.rollout.player(self.player), &mut *context.rng);
        if let Some(search) = &mut self.search {
            search.adopt(&mut Context { problem, rollout, rng, tally: &mut self.tally, horizon }, solution);
        }
    }

    /// See [`Search::gift`].
    pub(super) fn gift(&self) -> Option<(Score, &[MoveId])> {
        self.search.as_ref()?.gift()
    }

    /// See [`Search::meet`].
    pub(super) fn meet(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>, horizon: BudgetShare) {
        let (problem, rollout, rng) = (context.problem, context.rollout.player(self.player), &mut *context.rng);
        if let Some(search) = &mut self.search {
            search.meet(&mut Context { problem, rollout, rng, tally: &mut self.tally, horizon }, solution);
        }
    }

    /// See [`Search::completion`].
    pub(super) fn completion(&self, problem: &dyn ErasedProblem, run: &Unfinished) -> Option<Solution<MoveId>> {
        self.search.as_ref()?.completion(problem, run)
    }

    /// See [`Search::gauges`].
    pub(super) fn gauges(&self) -> Vec<(&'static str, f64)> {
        self.search.as_ref().map_or_else(Vec::new, |search| search.gauges())
    }

    /// See [`Search::open_bound`].
    pub(super) fn open_bound(&self) -> Option<f64> {
        let left = self.search.as_ref().and_then(|search| search.open_bound());
        left.into_iter().chain(self.bound).reduce(|a, b| self.tally.sense.worst_value(a, b))
    }

    pub(super) fn save(&self) -> Saved {
        let &Self { ref entry, ref search, ref tally, reached, ended, bound, before, .. } = self;
        let search = search.as_ref().map(|search| search.save());
        Saved { entry: entry.clone(), search, tally: tally.clone(), reached, ended, bound, before }
    }

    /// Restores entrant number `player`.
    pub(super) fn load(
        problem: &dyn ErasedProblem,
        saved: Saved,
        player: usize,
        memory: u64,
    ) -> Result<Self, CheckpointError> {
        let Saved { mut entry, search, tally, reached, ended, bound, before } = saved;
        entry.resolve(problem.searches()).map_err(|_| CheckpointError::Corrupt("an entrant that cannot run"))?;
        let mut entrant = Self::new(entry, player, problem.sense());
        tally.check_solutions(problem)?;
        let sound = tally.sense == problem.sense() && tally.history.is_empty() && tally.counters.playouts <= MOST;
        let known = bound.is_none_or(|bound| !bound.is_nan());
        ensure(sound && reached.is_finite() && known, "the figures of a method")?;
        if let Some(bytes) = search {
            let mut search = entrant.method.build(problem, memory);
            search.load(problem, &bytes)?;
            entrant.search = Some(search);
        }
        Ok(Self { tally, reached, ended, bound, before, ..entrant })
    }
}
