//! The searches, one file a family, all written as step machines.
//!
//! A search never loops by itself: `Search::step` does one playout (or node, or layer) and returns. Stop rules,
//! observers, checkpoints and threads therefore live in one place, [`Solver`](crate::Solver). Recursive algorithms keep
//! their recursion as a stack of frames.

mod anneal;
mod beam;
mod branch_and_bound;
mod children;
mod depth_first;
mod ida_star;
mod nmcs;
mod nrpa;
mod open_list;
mod sampling;
mod seen;
mod uct;

pub use anneal::{Anneal, Schedule};
pub use beam::{Beam, Merit, Tie};
pub use branch_and_bound::{BranchAndBound, Order};
pub use children::{Children, Shuffle};
pub use ida_star::IdaStar;
pub use nmcs::Nmcs;
pub use nrpa::{Keep, Nrpa, Share, Similar};
pub use sampling::Sampling;
pub use uct::{Bandit, Cooling, Expansion, FirstPlay, NodeValue, Normalisation, Playouts, Rank, Uct};

use crate::outcome::{Counters, Improvement, Solution};
use crate::{CheckpointError, Method, Problem, Rng, Rollout, Score, Sense, Trace};
use serde::{Deserialize, Serialize};

/// What a step says about going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// There is more to do.
    Running,
    /// Every solution was examined or excluded.
    Exhausted,
    /// The method came to its end without such a proof.
    Completed,
    /// Nothing can be done before the streams have exchanged what they offer.
    Waiting,
}

/// A search in progress on one stream.
pub(crate) trait Search<P: Problem>: Send {
    /// Does one unit of work.
    fn step(&mut self, context: &mut Context<'_, P>) -> Status;
    /// What this stream gives to the others, when it waits for an exchange: only [`receive`](Self::receive) makes it go
    /// on.
    fn offer(&self) -> Option<Offer<P::Move>> {
        None
    }
    /// The offers of all streams that have not ended, by stream.
    fn receive(&mut self, _offers: &[Offer<P::Move>]) {}
    /// The whole state, for a checkpoint.
    fn save(&self) -> Vec<u8>;
    /// Restores what `save` wrote into a freshly built search.
    fn load(&mut self, problem: &P, bytes: &[u8]) -> Result<(), CheckpointError>;
}

/// A solution that can be learned from, and be offered to other streams.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "M: crate::Move")]
pub(crate) struct Offer<M> {
    pub(crate) score: Score,
    /// Tells solutions of equal score apart, the larger one being better; 0 when unused.
    pub(crate) feature: f64,
    pub(crate) trace: Trace<M>,
}

/// What a search works with: the problem and the parts of its stream.
pub(crate) struct Context<'a, P: Problem> {
    pub(crate) problem: &'a P,
    pub(crate) rollout: &'a mut dyn Rollout<P>,
    pub(crate) rng: &'a mut Rng,
    pub(crate) tally: &'a mut Tally<P::Move>,
}

impl<P: Problem> Context<'_, P> {
    /// Scores a finished playout, lets the rollout learn, counts it and keeps it when it is the best.
    ///
    /// The solution is `before` followed by `after`.
    pub(crate) fn finish(&mut self, state: &P::State, before: &[P::Move], after: &[P::Move]) -> Score {
        let score = self.probe(state);
        self.tally.offer(score, before, after);
        score
    }

    /// As [`finish`](Self::finish), without keeping the solution.
    pub(crate) fn probe(&mut self, state: &P::State) -> Score {
        let score = self.problem.score(state);
        self.rollout.feedback(score);
        self.tally.counters.playouts += 1;
        score
    }

    /// Scores a finished solution that no rollout made: counted as a playout, kept when it is the best, nothing for the
    /// rollout to learn.
    pub(crate) fn leaf(&mut self, state: &P::State, moves: &[P::Move]) -> Score {
        let score = self.probe_leaf(state);
        self.tally.offer(score, moves, &[]);
        score
    }

    /// As [`leaf`](Self::leaf), without keeping the solution.
    pub(crate) fn probe_leaf(&mut self, state: &P::State) -> Score {
        self.tally.counters.playouts += 1;
        self.problem.score(state)
    }

    /// The value of the incumbent, if it is feasible.
    pub(crate) fn incumbent(&self) -> Option<f64> {
        self.tally.best.as_ref().and_then(|best| best.score.value())
    }
}

/// The state after `moves` that a checkpoint names.
pub(crate) fn replay<P: Problem>(problem: &P, moves: &[P::Move]) -> Result<P::State, CheckpointError> {
    let mut state = problem.root();
    let mut legal = Vec::new();
    for &mv in moves {
        legal.clear();
        problem.moves(&state, &mut legal);
        if !legal.contains(&mv) {
            return Err(CheckpointError::Corrupt("an illegal move"));
        }
        problem.apply(&mut state, mv);
    }
    Ok(state)
}

/// Counters and incumbent of a stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "M: crate::Move")]
pub(crate) struct Tally<M> {
    pub(crate) sense: Sense,
    pub(crate) stream: usize,
    pub(crate) counters: Counters,
    pub(crate) best: Option<Solution<M>>,
    pub(crate) history: Vec<Improvement>,
}

impl<M: crate::Move> Tally<M> {
    pub(crate) fn new(sense: Sense, stream: usize) -> Self {
        Self { sense, stream, counters: Counters::default(), best: None, history: Vec::new() }
    }

    /// Keeps a solution when it is the best; it is `before` followed by `after`.
    #[inline]
    pub(crate) fn offer(&mut self, score: Score, before: &[M], after: &[M]) {
        if self.best.as_ref().is_none_or(|best| self.sense.better(score, best.score)) {
            let solution = self.best.get_or_insert_with(|| Solution { score, moves: Vec::new() });
            solution.score = score;
            solution.moves.clear();
            solution.moves.extend_from_slice(before);
            solution.moves.extend_from_slice(after);
            self.history.push(Improvement { score, playouts: self.counters.playouts, stream: self.stream });
        }
    }
}

impl Method {
    /// The search that runs this method; `memory` bytes are for its tree.
    pub(crate) fn build<'p, P: Problem + 'p>(&self, problem: &'p P, memory: u64) -> Box<dyn Search<P> + 'p> {
        match self {
            Self::Sampling(own) => Box::new(sampling::Run::new(own)),
            Self::Uct(own) => Box::new(uct::Run::new(own.clone(), problem, memory)),
            Self::Nmcs(own) => Box::new(nmcs::Run::new(own.clone())),
            Self::Nrpa(own) => Box::new(nrpa::Run::new(own.clone(), problem)),
            Self::Beam(own) => Box::new(beam::Run::new(own.clone(), problem, memory)),
            Self::BranchAndBound(own) => own.build(problem, memory),
            Self::IdaStar(own) => Box::new(own.build(problem, memory)),
            Self::Anneal(own) => Box::new(anneal::Run::new(own.clone(), problem)),
        }
    }
}
