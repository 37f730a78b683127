//! A problem's own search as the engine sees it: without the problem's type.

use crate::core::abort::Watch;
use crate::core::budget_share::BudgetShare;
use crate::core::codec::CheckpointError;
use crate::core::coverage::Ledger;
use crate::core::parameter::ParameterValues;
use crate::core::solution::MoveId;
use crate::core::stream_stats::Tally;
use crate::erased::problem::ProblemRef;
use crate::problem::move_codec::MoveCodec;
use crate::problem::{Problem, ProblemSearch, StepStatus, Unit, Work, find_search};
use crate::{Rng, Score};

/// What a step of an own search works with.
pub(crate) struct Parts<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) tally: &'a mut Tally,
    pub(crate) ledger: &'a mut Ledger,
    pub(crate) horizon: BudgetShare,
    pub(crate) memory: u64,
    pub(crate) unit: Unit,
    pub(crate) quota: u64,
}

/// What the engine asks of an own search; see [`ProblemSearch`] for the meaning of each method.
pub(crate) trait OwnSearch: Send {
    /// Does a step; returns the units that it has counted as well, and whether a limit or a goal has ended it.
    fn step(&mut self, parts: Parts<'_>) -> (StepStatus, u64, bool);
    fn offer(&mut self, moves: &[MoveId], score: Score);
    fn exchange(&self) -> Option<u64>;
    fn gauges(&self) -> Vec<(&'static str, f64)>;
    fn bound(&self) -> Option<f64>;
}

/// A user's own search, for one stream.
pub(super) struct TypedSearch<'p, P: Problem> {
    problem: ProblemRef<'p, P>,
    packing: MoveCodec<P::Move>,
    watch: Watch,
    pub(super) name: String,
    pub(super) settings: ParameterValues,
    search: Box<dyn ProblemSearch<P>>,
}

impl<'p, P: Problem> TypedSearch<'p, P> {
    /// Returns the search called `name` before its first step. `None`: the problem does not make it.
    pub(super) fn new(
        problem: ProblemRef<'p, P>,
        packing: MoveCodec<P::Move>,
        watch: Watch,
        name: &str,
        settings: &ParameterValues,
    ) -> Option<Self> {
        let search = find_search(&*problem, name, settings)?;
        Some(Self { problem, packing, watch, name: name.to_owned(), settings: settings.clone(), search })
    }

    pub(super) fn save(&self) -> Vec<u8> {
        self.search.save()
    }

    pub(super) fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.search.load(&self.problem, bytes)
    }
}

impl<P: Problem> OwnSearch for TypedSearch<'_, P> {
    fn step(&mut self, parts: Parts<'_>) -> (StepStatus, u64, bool) {
        let Parts { rng, tally, ledger, horizon, memory, unit, quota } = parts;
        let (problem, packing, watch) = (&*self.problem, &self.packing, &self.watch);
        let mut work =
            Work { problem, packing, watch, rng, tally, ledger, horizon, memory, unit, quota, spent: 0, ends: false };
        let step = self.search.step(problem, &mut work);
        if work.spent == 0 {
            // A step is work, whatever it has done: limits of counts end every run.
            work.spend(1);
        }
        (step, work.spent, work.ends || work.spent >= quota)
    }
    fn offer(&mut self, moves: &[MoveId], score: Score) {
        self.search.offer(&self.problem, &self.packing.all(moves), score);
    }
    fn exchange(&self) -> Option<u64> {
        self.search.exchange()
    }
    fn gauges(&self) -> Vec<(&'static str, f64)> {
        self.search.gauges()
    }
    fn bound(&self) -> Option<f64> {
        self.search.bound().filter(|bound| !bound.is_nan())
    }
}
