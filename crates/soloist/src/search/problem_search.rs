//! The search that a problem brings along, as a method.

use super::family::Family;
use super::{Context, Exchange, Method, Search, Status};
use crate::Sense;
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::coverage::Ledger;
use crate::core::limits::{MOST, ensure};
use crate::core::names::nearest;
use crate::core::parameter::{Parameter, ParameterError, ParameterValues};
use crate::core::solution::Solution;
use crate::erased::problem::ErasedProblem;
use crate::erased::search::Parts;
use crate::erased::{MoveId, validate};
use crate::problem::{SearchInfo, StepStatus, Unit};
use crate::rollout::policy::Trace;
use serde::{Deserialize, Serialize};

/// A search of a [problem's own](crate::problem::ProblemSearch) with its parameters, by name.
///
/// Made from a [`SearchInfo`], or from a name alone: then the run asks the problem for what the name stands for, and
/// refuses names and values that it does not know.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[doc(hidden)]
pub struct Own {
    name: String,
    settings: ParameterValues,
    /// What the name stands for, once that is known.
    #[serde(skip)]
    info: Option<SearchInfo>,
}

impl PartialEq for Own {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.settings) == (&other.name, &other.settings)
    }
}

impl From<&SearchInfo> for Own {
    /// Returns the search with the defaults of its parameters.
    fn from(info: &SearchInfo) -> Self {
        let defaults = info.parameters(&ParameterValues::default()).unwrap_or_default();
        Self { name: info.name.to_owned(), settings: defaults.as_slice().into(), info: Some(*info) }
    }
}

impl Own {
    /// Returns the search of that name, whatever it is.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), settings: ParameterValues::default(), info: None }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what the search counts; `None`: the name was not looked up.
    #[must_use]
    pub fn unit(&self) -> Option<Unit> {
        self.info.map(|info| info.unit)
    }

    /// Looks the name up among a problem's own searches and completes the parameters.
    ///
    /// # Errors
    /// When there is no such search, or a value does not fit its parameters.
    pub fn resolve(&mut self, searches: &[SearchInfo]) -> Result<(), ParameterError> {
        let Some(info) = searches.iter().find(|info| info.name == self.name) else {
            let own: Vec<&str> = searches.iter().map(|info| info.name).collect();
            let all: Vec<&str> =
                Method::presets().iter().map(|preset| preset.name).chain(own.iter().copied()).collect();
            let instead = match (nearest(&self.name, &all), own.as_slice()) {
                (Some(near), _) => format!(", did you mean `{near}`?"),
                (None, []) => " (the problem, with its options, has no methods of its own)".to_owned(),
                (None, names) => format!(" (the problem's own: {})", names.join(", ")),
            };
            return Err(ParameterError::Method { name: self.name.clone(), instead });
        };
        self.settings = info.parameters(&self.settings)?.as_slice().into();
        self.info = Some(*info);
        Ok(())
    }

    /// Returns the parameters with their present values; none before the name was looked up.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        self.info.and_then(|info| info.parameters(&self.settings).ok()).unwrap_or_default()
    }

    /// Sets one parameter from text.
    ///
    /// # Errors
    /// When the name is unknown or the value out of range; where the name of the search was not looked up, then.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
        let mut settings = self.settings.clone();
        settings.set(name, value);
        if let Some(info) = self.info {
            settings = info.parameters(&settings)?.as_slice().into();
        }
        self.settings = settings;
        Ok(())
    }

    /// Checks that every value lies in its range.
    ///
    /// # Errors
    /// The first parameter that does not.
    pub fn check_ranges(&self) -> Result<(), ParameterError> {
        self.info.map_or(Ok(()), |info| info.parameters(&self.settings).map(drop))
    }

    /// Whether the search may cover the whole space, and make no solution for very long; false where the name was not
    /// looked up.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.info.is_some_and(|info| info.exact)
    }

    /// Whether a unit of the search is something else than a solution.
    pub(super) fn counts_nodes(&self) -> bool {
        matches!(self.unit(), Some(Unit::Node(_)))
    }
}

impl Family for Own {
    fn own_name(&self) -> Option<&str> {
        Some(&self.name)
    }

    fn look_up(&mut self, searches: &[SearchInfo]) -> Result<(), ParameterError> {
        self.resolve(searches)
    }

    /// A unit that is a solution counts as a playout.
    fn finishes_rarely(&self) -> bool {
        self.is_exact() && self.counts_nodes()
    }

    fn build(&self, problem: &dyn ErasedProblem, memory: u64) -> Box<dyn Search> {
        let (unit, size, exact) =
            self.info.map_or((Unit::Node(""), 1, false), |info| (info.unit, info.step, info.exact));
        let mut ledger = Ledger::open();
        if !exact {
            ledger.leave_out_any();
        }
        let saved = Saved { open: false, done: 0, ledger, bound: None, since: 0, given: None, received: None };
        let (name, settings, sense) = (self.name.clone(), self.settings.clone(), problem.sense());
        Box::new(OwnRun { name, settings, sense, memory, unit, size, exact, saved, gauges: Vec::new() })
    }
}

/// What a checkpoint holds beside the problem's search, which its player keeps.
#[derive(Clone, Serialize, Deserialize)]
struct Saved {
    /// Whether the player has the search.
    open: bool,
    /// Units of the present step that are done: a limit of counts may divide a step.
    done: u64,
    ledger: Ledger,
    bound: Option<f64>,
    /// Units since the last exchange.
    since: u64,
    /// What the stream gives to the others, while it waits for an exchange.
    given: Option<Solution<MoveId>>,
    /// What the exchange has brought, until the next step.
    received: Option<Solution<MoveId>>,
}

/// The steps of a problem's own search.
struct OwnRun {
    name: String,
    settings: ParameterValues,
    sense: Sense,
    /// Bytes for its tables and lists.
    memory: u64,
    unit: Unit,
    /// Units of a step.
    size: u64,
    exact: bool,
    saved: Saved,
    gauges: Vec<(&'static str, f64)>,
}

impl OwnRun {
    /// Makes the problem's search where it is missing, and offers it the best solution that is known. Returns whether
    /// there is one.
    fn open(&mut self, context: &mut Context<'_>) -> bool {
        if self.saved.open && context.rollout.own().is_some() {
            return true;
        }
        if !context.rollout.open_own(&self.name, &self.settings) {
            return false;
        }
        self.saved.open = true;
        if let (Some(own), Some(best)) = (context.rollout.own(), &context.tally.best) {
            own.offer(&best.moves, best.score);
        }
        true
    }

    /// Units that counts still allow, at least one.
    fn allowed(&self, context: &Context<'_>) -> u64 {
        let (limits, made) = (context.tally.limits, context.tally.counters);
        let nodes = limits.nodes.saturating_sub(made.nodes);
        let last = context.tally.history.last().map_or(0, |last| last.playouts);
        let playouts = limits.playouts.min(last.saturating_add(limits.stall)).saturating_sub(made.playouts);
        match self.unit {
            Unit::Solution(_) => nodes.min(playouts).max(1),
            Unit::Node(_) => nodes.max(1),
        }
    }
}

impl Search for OwnRun {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        if !self.open(context) {
            return Status::Completed;
        }
        let left = self.size.saturating_sub(self.saved.done).max(1);
        let quota = left.min(self.allowed(context));
        let Context { rollout, rng, tally, horizon, .. } = context;
        let Some(own) = rollout.own() else { return Status::Completed };
        if let Some(received) = self.saved.received.take() {
            own.offer(&received.moves, received.score);
        }
        let (ledger, memory, unit) = (&mut self.saved.ledger, self.memory, self.unit);
        let (step, spent, limited) = own.step(Parts { rng, tally, ledger, horizon: *horizon, memory, unit, quota });
        (self.saved.bound, self.gauges) = (own.bound(), own.gauges());
        let every = own.exchange();
        // Only a limit divides a step.
        let done = self.saved.done.saturating_add(spent);
        self.saved.done = if limited && done < self.size { done } else { 0 };
        self.saved.since = self.saved.since.saturating_add(spent);
        match step {
            StepStatus::Running if self.saved.done == 0 && every.is_some_and(|every| self.saved.since >= every) => {
                self.saved.since = 0;
                self.saved.given.clone_from(&tally.best);
                if self.saved.given.is_some() { Status::Waiting } else { Status::Running }
            }
            StepStatus::Running => Status::Running,
            StepStatus::Completed => Status::Completed,
            StepStatus::Exhausted(covered) => Status::Exhausted(covered.0),
        }
    }

    fn is_divided(&self) -> bool {
        self.saved.done > 0
    }

    fn open_bound(&self) -> Option<f64> {
        self.saved.bound
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        self.gauges.clone()
    }

    fn adopt(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
        let is_open = self.saved.open && context.rollout.own().is_some();
        if self.open(context)
            && is_open
            && let Some(own) = context.rollout.own()
        {
            own.offer(&solution.moves, solution.score);
        }
    }

    fn share(&self) -> Option<Exchange> {
        let Solution { score, moves } = self.saved.given.clone()?;
        Some(Exchange { score, feature: 0.0, trace: Trace { moves, ..Trace::default() } })
    }

    fn receive(&mut self, shared: &[Exchange]) {
        let Some(given) = self.saved.given.take() else { return };
        // Of equal solutions the first stream's counts.
        let best = shared.iter().reduce(|a, b| if self.sense.better(b.score, a.score) { b } else { a });
        if let Some(best) = best.filter(|best| self.sense.better(best.score, given.score)) {
            self.saved.received = Some(Solution { score: best.score, moves: best.trace.moves.clone() });
        }
    }

    fn save(&self) -> Vec<u8> {
        encode(&self.saved)
    }

    fn load(&mut self, problem: &dyn ErasedProblem, bytes: &[u8]) -> Result<(), CheckpointError> {
        let saved: Saved = decode(bytes)?;
        saved.ledger.check(problem.sense())?;
        let bound = saved.bound.is_none_or(|bound| !bound.is_nan());
        ensure(saved.done < self.size && bound, "a step of another search")?;
        ensure(saved.since <= MOST, "more units than a search does between two exchanges")?;
        for solution in saved.given.iter().chain(&saved.received) {
            validate::solution(problem, &solution.moves, solution.score)?;
        }
        ensure(self.exact || !saved.ledger.is_blank(), "a proof of a search that makes none")?;
        self.saved = saved;
        Ok(())
    }
}
