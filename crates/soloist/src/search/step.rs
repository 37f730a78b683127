//! What every search is made of: steps, and what a step works with.

use crate::core::budget_share::BudgetShare;
use crate::core::codec::CheckpointError;
use crate::core::coverage::Proof;
use crate::core::hash::Key;
use crate::core::solution::{MoveId, Solution};
use crate::core::stream_stats::Tally;
use crate::erased::problem::{ErasedProblem, State};
use crate::erased::rollout::ErasedRollout;
use crate::rollout::policy::Trace;
use crate::{Rng, Score};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What a step returns: whether the search continues.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// There is more to do.
    Running,
    /// Every solution was examined or excluded; the ledger of the search has the proof.
    Exhausted(Proof),
    /// The method came to its end without such a proof.
    Completed,
    /// Nothing can be done before the streams have exchanged what they share.
    Waiting,
}

/// A search in progress on one stream.
pub(crate) trait Search: Send {
    /// Does one unit of work.
    fn step(&mut self, context: &mut Context<'_>) -> Status;
    /// Returns a bound on all solutions that this search has neither seen nor excluded. `None`: unknown. Asked a few
    /// times a second.
    fn open_bound(&self) -> Option<f64> {
        None
    }
    /// Returns a solution made from what is unfinished, where a limit has ended the run before the search has finished
    /// anything. It is no part of the search: nothing of that changes, and it counts as no playout.
    fn completion(&self, _problem: &dyn ErasedProblem, _run: &Unfinished) -> Option<Solution<MoveId>> {
        None
    }
    /// Returns the part of the tree that is done, from 0 to 1: the children of a state count alike. `None`: unknown.
    fn covered(&self) -> Option<f64> {
        None
    }
    /// Whether a limit of counts has divided the last step, so that it is to be continued before anything else is done.
    fn is_divided(&self) -> bool {
        false
    }
    /// Returns measurements of how focused the search has become, by name with unit. Asked a few times a second
    /// for observers that ask for it.
    fn gauges(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
    /// Receives a solution from outside, which is legal and counts as an incumbent already. Searches that only prune by
    /// the incumbent have nothing to do.
    fn adopt(&mut self, _context: &mut Context<'_>, _solution: &Solution<MoveId>) {}
    /// Begins a turn of a race, the first one included. By default a search continues where it was; one with a plan
    /// over its budget begins again, with what it has learned of the problem.
    fn begin_turn(&mut self) {}
    /// Returns what this stream gives to the others when it waits for an exchange: only [`receive`](Self::receive)
    /// makes it continue.
    fn share(&self) -> Option<Exchange> {
        None
    }
    /// Takes what the streams that have not ended share, by stream.
    fn receive(&mut self, _shared: &[Exchange]) {}
    /// Returns the solution that the search works on, for the other streams of the run when they meet; see
    /// [`meets`](super::family::Family::meets). `None`: it is not the time for it.
    fn gift(&self) -> Option<(Score, &[MoveId])> {
        None
    }
    /// Receives the best of these, which is better than its own one. [`adopt`](Self::adopt) by default.
    fn meet(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
        self.adopt(context, solution);
    }
    /// Lets this many threads work on the search, which [shares them](super::family::Family::shares_threads).
    fn set_workers(&mut self, _workers: usize) {}
    /// Returns how many players this search has opened beside its rollout.
    fn players(&self) -> usize {
        0
    }
    /// Returns what this search has decided and why, a line each.
    fn remarks(&self) -> &[String] {
        &[]
    }
    /// Returns the whole state, for a checkpoint.
    fn save(&self) -> Vec<u8>;
    /// Restores what `save` wrote into a freshly built search.
    fn load(&mut self, problem: &dyn ErasedProblem, bytes: &[u8]) -> Result<(), CheckpointError>;
}

/// A run that a limit has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unfinished {
    /// The value of the incumbent, if it is feasible.
    pub(crate) incumbent: Option<f64>,
    /// Nodes counted so far.
    pub(crate) nodes: u64,
    /// When to come to an end, where time or a signal has ended it.
    pub(crate) until: Option<Instant>,
}

impl Unfinished {
    /// Whether there is no more time.
    pub(crate) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// A solution with its trace, for learning and for other streams.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Exchange {
    pub(crate) score: Score,
    /// Distinguishes solutions of equal score, the larger one being better; 0 when unused.
    pub(crate) feature: f64,
    pub(crate) trace: Trace<MoveId>,
}

/// The inputs of a search's step: the problem and the parts of its stream.
pub(crate) struct Context<'a> {
    pub(crate) problem: &'a dyn ErasedProblem,
    pub(crate) rollout: &'a mut dyn ErasedRollout,
    pub(crate) rng: &'a mut Rng,
    pub(crate) tally: &'a mut Tally,
    pub(crate) horizon: BudgetShare,
}

impl Context<'_> {
    /// Returns the part of the budget planned for the run that is over, from 0 to 1. `None`: nothing is planned.
    pub(crate) fn part(&self) -> Option<f64> {
        self.horizon.part(self.tally.counters)
    }

    /// Scores a finished playout, lets the rollout learn, counts it and keeps it when it is the best.
    ///
    /// The solution is `before` followed by `after`.
    pub(crate) fn finish(&mut self, state: &State, before: &[MoveId], after: &[MoveId]) -> Score {
        let score = self.probe(state);
        self.keep(score, state, before, after);
        score
    }

    /// As [`finish`](Self::finish), without keeping the solution.
    pub(crate) fn probe(&mut self, state: &State) -> Score {
        let score = self.problem.score(state);
        self.rollout.feedback(score);
        self.tally.count(score);
        score
    }

    /// Scores a finished solution that no rollout made: counted as a playout, kept when it is the best, nothing for the
    /// rollout to learn.
    pub(crate) fn score_leaf(&mut self, state: &State, moves: &[MoveId]) -> Score {
        let score = self.probe_leaf(state);
        self.keep(score, state, moves, &[]);
        score
    }

    /// As [`score_leaf`](Self::score_leaf), without keeping the solution.
    pub(crate) fn probe_leaf(&mut self, state: &State) -> Score {
        let score = self.problem.score(state);
        self.tally.count(score);
        score
    }

    /// Keeps a solution when it is among the best; it is `before` followed by `after` and ends in `state`.
    #[inline]
    pub(crate) fn keep(&mut self, score: Score, state: &State, before: &[MoveId], after: &[MoveId]) {
        if self.tally.wants(score) {
            self.keep_keyed(score, self.problem.key(state).map(Key::id), before, after);
        }
    }

    /// Returns the key of a solution's final state, if the solution is to be kept.
    pub(crate) fn wanted_key(&self, score: Score, state: &State) -> Option<u128> {
        if self.tally.wants(score) { self.problem.key(state).map(Key::id) } else { None }
    }

    /// Keeps a solution whose final state has this key; the tally wants it.
    #[cold]
    pub(crate) fn keep_keyed(&mut self, score: Score, key: Option<u128>, before: &[MoveId], after: &[MoveId]) {
        if !self.problem.has_failed() {
            let moves = [before, after].concat();
            let identity = key.unwrap_or_else(|| self.problem.hash_of(&moves).id());
            self.tally.keep(Solution { score, moves }, identity);
        }
    }

    /// Returns the value of the incumbent, if it is feasible: the better one of the search's own and the
    /// [rival](Tally::rival).
    #[inline]
    pub(crate) fn incumbent(&self) -> Option<f64> {
        let own = self.tally.best.as_ref().and_then(|best| best.score.value());
        match (own, self.tally.rival) {
            (Some(own), Some(rival)) => Some(self.tally.sense.best_value(own, rival)),
            (own, rival) => own.or(rival),
        }
    }
}
