//! A problem as a run takes it: without its type, it makes the rules and the players of each stream.

use crate::Problem;
use crate::core::abort::Watch;
use crate::core::codec::CheckpointError;
use crate::erased::problem::{ErasedProblem, ProblemAdapter, ProblemRef};
use crate::erased::rollout::{ErasedRollout, RolloutAdapter};
use crate::erased::{MoveCodec, MoveId};
use crate::problem::{Facts, SearchInfo, fingerprint, search_infos};
use crate::rollout::find_rollout;

/// What a run asks of its problem before and between its steps; see [`Problem`] for the meaning of each method.
pub(crate) trait ErasedSource<'p> {
    fn fingerprint(&self) -> u64;
    fn facts(&self) -> Facts;
    /// Returns the problem's own searches, whether or not the run can use them.
    fn searches(&self) -> Vec<SearchInfo>;
    /// Returns the name of the first rollout of the problem's own.
    fn first_rollout(&self) -> Option<&'static str>;
    /// Looks a rollout up.
    ///
    /// # Errors
    /// The names that exist.
    fn find_rollout(&self, name: &str) -> Result<(), Vec<&'static str>>;
    /// Makes the rules of a stream.
    fn rules(&self, facts: Facts, watch: Watch) -> Box<dyn ErasedProblem + 'p>;
    /// Makes the player of a stream.
    ///
    /// # Errors
    /// The names of the rollouts that exist.
    fn player(&self, watch: Watch, rollout: &str) -> Result<Box<dyn ErasedRollout + 'p>, Vec<&'static str>>;
    /// Returns rules that nothing of the run has touched, without its prefix, and a whole solution in their numbers.
    fn whole(&self, moves: &[MoveId]) -> (Box<dyn ErasedProblem + 'p>, Vec<MoveId>);
    /// Whether every solution begins with given moves.
    fn is_begun(&self) -> bool;
    /// Returns these moves.
    fn prefix(&self) -> Vec<MoveId>;
    /// Sets them. `None`: one is not legal; otherwise whether others were set before.
    fn begin(&mut self, prefix: &[MoveId]) -> Option<bool>;
    /// Returns the table of moves for a checkpoint.
    fn save_moves(&self) -> Vec<u8>;
    /// Restores it.
    fn load_moves(&self, bytes: &[u8]) -> Result<(), CheckpointError>;
}

/// A user's problem and the numbers of its moves, for one run.
pub(crate) struct Source<'p, P: Problem> {
    pub(crate) problem: ProblemRef<'p, P>,
    pub(crate) packing: MoveCodec<P::Move>,
}

impl<'p, P: Problem> Source<'p, P> {
    pub(crate) fn new(problem: ProblemRef<'p, P>) -> Self {
        Self { problem, packing: MoveCodec::new() }
    }
}

/// Returns rules that no run has touched, and moves in their numbers.
pub(crate) fn rules_of<'p, P: Problem>(
    problem: ProblemRef<'p, P>,
    moves: &[P::Move],
) -> (Box<dyn ErasedProblem + 'p>, Vec<MoveId>) {
    let (packing, facts) = (MoveCodec::new(), problem.facts());
    let moves = packing.ids(moves);
    (Box::new(ProblemAdapter::new(problem, facts, packing, Watch::outside())), moves)
}

impl<'p, P: Problem> ErasedSource<'p> for Source<'p, P> {
    fn fingerprint(&self) -> u64 {
        fingerprint(&*self.problem)
    }
    fn facts(&self) -> Facts {
        self.problem.facts()
    }
    fn searches(&self) -> Vec<SearchInfo> {
        search_infos(&*self.problem)
    }
    fn first_rollout(&self) -> Option<&'static str> {
        self.problem.extras().rollouts().first().map(|rollout| rollout.info().name)
    }
    fn find_rollout(&self, name: &str) -> Result<(), Vec<&'static str>> {
        find_rollout(&*self.problem, name).map(drop)
    }
    fn rules(&self, facts: Facts, watch: Watch) -> Box<dyn ErasedProblem + 'p> {
        Box::new(ProblemAdapter::new(self.problem.clone(), facts, self.packing.clone(), watch))
    }
    fn player(&self, watch: Watch, rollout: &str) -> Result<Box<dyn ErasedRollout + 'p>, Vec<&'static str>> {
        let player = RolloutAdapter::new(self.problem.clone(), self.packing.clone(), watch, rollout)?;
        Ok(Box::new(player))
    }
    fn whole(&self, moves: &[MoveId]) -> (Box<dyn ErasedProblem + 'p>, Vec<MoveId>) {
        let mut whole = self.problem.prefix().to_vec();
        self.packing.append_known(moves, &mut whole);
        rules_of(self.problem.plain(), &whole)
    }
    fn is_begun(&self) -> bool {
        self.problem.is_begun()
    }
    fn prefix(&self) -> Vec<MoveId> {
        self.packing.ids(self.problem.prefix())
    }
    fn begin(&mut self, prefix: &[MoveId]) -> Option<bool> {
        let prefix: Option<Vec<P::Move>> = prefix.iter().map(|&mv| self.packing.unpack(mv)).collect();
        let prefix = prefix?;
        let is_other = self.problem.is_begun() && **self.problem.prefix() != *prefix;
        self.problem.begin(&prefix).ok()?;
        Some(is_other)
    }
    fn save_moves(&self) -> Vec<u8> {
        self.packing.save()
    }
    fn load_moves(&self, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.packing.load(bytes)
    }
}
