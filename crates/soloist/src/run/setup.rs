//! A run's setting as one value.

use super::budget::Budget;
use super::error::{MOST_THREADS, SolveError};
use crate::core::abort::Watch;
use crate::core::parameter::ParameterError;
use crate::erased::problem::ProblemRef;
use crate::erased::source::{ErasedSource, Source};
use crate::search::{Auto, Entry, Preset, Table, UnknownMethod, is_biased};
use crate::{Method, Problem};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The setting of a run, without its problem and its budget: plain data, stored in checkpoints and results.
///
/// ```
/// use soloist::{Method, Setup};
/// let mut setup = Setup::preset("nrpa").unwrap().seed(7).threads(2);
/// setup.method.set("level", "3").unwrap();
/// assert_eq!(setup.preset, "nrpa");
/// // A method alone is a setup with seed 0 and one thread.
/// assert_eq!(Setup::from(setup.method).preset, "nrpa");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setup {
    /// The name of the [preset](Method::presets) that the method was made from.
    pub preset: String,
    /// The method with all its parameters.
    pub method: Method,
    /// The name of the playout policy. `None`: the [default](Self::default_rollout).
    pub rollout: Option<String>,
    /// The seed of all random draws.
    pub seed: u64,
    /// The number of threads: 1 to [`MOST_THREADS`](Self::MOST_THREADS).
    ///
    /// Each has a stream of its own: a search with other draws. The best result of all counts. Streams of `anneal`, of
    /// `nrpa` and its relatives, and of `auto` exchange solutions at counted times. Beams
    /// have one stream, whose states all threads expand: layers, counters and result are the same for any number of
    /// threads. With `tie = playouts` or `selective` they have a stream for each thread as well.
    pub threads: usize,
    /// The part of the effort that a cheap attempt at a proof may take beside the method, from 0 (none) to 1.
    ///
    /// An exact search runs beside the method, at most 100,000 nodes of it, or more in proportion to a part above
    /// [`PROOF`](Self::PROOF) and where solutions are long, at least as many as four ways to a solution cost; in a run
    /// limited by time alone, at least as many as it makes in that part of half of its time: complete beam search where
    /// the problem has a [bound](crate::Problem::bound) and [futures](crate::problem::Dominance::future), otherwise
    /// depth-first branch and bound. Where the latter estimates that its whole tree has at most four million nodes, it
    /// may make these nodes and use half of the effort. It finds the optimum of small instances within milliseconds;
    /// what it finds counts like any other solution. Its effort, in playouts and in moves (a node counts as eight), is
    /// never more than this part of the effort of the run so far (half of it in a small tree); of a run limited by time
    /// alone it is measured in time. So a run limited by counts is reproducible, whole or in parts. The first stream
    /// makes the attempt. Where the problem's portfolio names an exact search of its own, that one makes the attempt
    /// beside methods of the engine: its memory, a quarter of the stream's, limits it, and not its nodes.
    ///
    /// Nothing is tried on a problem that [leaves solutions out](crate::problem::Facts::is_complete), beside `dfs` and
    /// its relatives, and, except by such an own search, where the length of a solution times the moves of the root is
    /// above eight times those nodes.
    /// The default is [`PROOF`](Self::PROOF) for `auto` and 0 for other methods.
    #[serde(default)]
    pub proof: f64,
}

impl Setup {
    /// The largest number of streams of a run.
    pub const MOST_THREADS: usize = MOST_THREADS;

    /// The part of the effort for an attempt at a proof that `auto` and the defaults of the shipped problems use.
    pub const PROOF: f64 = 0.02;

    /// Returns the playout policy that runs on a problem have where none is named: its first one. Where it has none of
    /// its own, `sampling` and tree searches play by `bias` if the [bias](crate::problem::Prior::bias) differs between
    /// the moves of a state on a few random walks. Otherwise games are `random`.
    #[must_use]
    pub fn default_rollout<P: Problem>(&self, problem: &P) -> &'static str {
        self.rollout_of(&Source::new(ProblemRef::borrowed(problem)))
    }

    /// As [`default_rollout`](Self::default_rollout), without the problem's type.
    pub(super) fn rollout_of(&self, source: &dyn ErasedSource<'_>) -> &'static str {
        if let Some(name) = source.first_rollout() {
            return name;
        }
        if !self.method.plays_by_bias() {
            return "random";
        }
        let facts = source.facts();
        let watch = Watch::new(&Arc::default(), Budget::MAX_MOVES, facts.fault.clone());
        let rules = source.rules(facts, watch);
        if rules.has_prior() && is_biased(&*rules) { "bias" } else { "random" }
    }

    /// Refuses another setup than that of the run which is continued.
    pub(super) fn is_resumed_by(&self, other: &Self) -> Result<(), SolveError> {
        if self == other { Ok(()) } else { Err(SolveError::Resumed) }
    }

    /// Returns how many streams the run has.
    pub(crate) fn streams(&self) -> usize {
        if self.method.shares_threads() { 1 } else { self.threads }
    }

    /// Returns the preset of that name, with seed 0, one thread and the problem's first rollout.
    ///
    /// # Errors
    /// No preset has this name; the message says which one is probably meant.
    pub fn preset(name: &str) -> Result<Self, UnknownMethod> {
        Method::preset(name).map(|method| Self { preset: name.to_owned(), ..Self::from(method) })
    }

    /// Returns the method of that name, a preset or else a problem's own search, with seed 0, one thread and the
    /// problem's first rollout.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self::preset(name).unwrap_or_else(|_| Self::from(Method::named(name)))
    }

    /// Sets the seed of all random draws.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the number of streams, each on a separate thread.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets the playout policy by name.
    #[must_use]
    pub fn rollout(mut self, name: impl Into<String>) -> Self {
        self.rollout = Some(name.into());
        self
    }

    /// Sets the part of the effort for an attempt at a proof.
    #[must_use]
    pub fn proof(mut self, part: f64) -> Self {
        self.proof = part;
        self
    }

    /// Sets a parameter of the method, or `proof`, from text.
    ///
    /// # Errors
    /// When the name is unknown or the value out of range.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), ParameterError> {
        if name == "proof" {
            let bad = || Self::bad_proof(value.to_owned());
            self.proof = value.parse().ok().filter(|part| (0.0..=1.0).contains(part)).ok_or_else(bad)?;
            return Ok(());
        }
        self.method.set(name, value)
    }

    /// Checks the method as [`Method::validate`] does, and that `proof` is a part.
    ///
    /// # Errors
    /// A parameter out of its range, or two that exclude each other.
    pub fn validate(&self) -> Result<(), ParameterError> {
        self.method.validate()?;
        let sound = (0.0..=1.0).contains(&self.proof);
        if sound { Ok(()) } else { Err(Self::bad_proof(self.proof.to_string())) }
    }

    /// Checks that the limits of a budget end a run of this method. A budget without any limit passes, and so does one
    /// with a target, which may never be reached: the caller accepts that. [`Solver::run`](crate::Solver::run) checks
    /// it.
    ///
    /// ```
    /// use soloist::{Budget, Setup};
    /// let cabs = Setup::preset("cabs").unwrap();
    /// assert!(cabs.check_limits(&Budget::nodes(1_000)).is_ok());
    /// let error = cabs.check_limits(&Budget::playouts(1_000)).unwrap_err();
    /// assert!(error.to_string().ends_with("give time or nodes as well"));
    /// ```
    ///
    /// # Errors
    /// [`SolveError::Limits`], which says what limit to add.
    pub fn check_limits(&self, budget: &Budget) -> Result<(), SolveError> {
        let &Budget { time, playouts, nodes, target, stall, .. } = budget;
        let by_games = playouts.is_some() || stall.is_some();
        let what = if time.is_some() || target.is_some() {
            return Ok(());
        } else if by_games && nodes.is_none() && self.method.finishes_rarely() {
            "it may finish no solution for very long, so that playouts never end it: give time or nodes as well"
        } else if nodes.is_some() && !by_games && !self.method.counts_nodes() {
            "it may count no nodes, so that a limit of nodes never ends it: give time or playouts"
        } else {
            return Ok(());
        };
        Err(SolveError::Limits { method: self.preset.clone(), what })
    }

    fn bad_proof(value: String) -> ParameterError {
        ParameterError::Value { name: "proof", range: "a number from 0 to 1".to_owned(), value }
    }
}

impl Default for Setup {
    /// Returns the portfolio `auto`, for problems about which nothing is known.
    fn default() -> Self {
        Self::from(Method::from(Auto::default()))
    }
}

impl From<&Preset> for Setup {
    fn from(preset: &Preset) -> Self {
        Self { preset: preset.name.to_owned(), ..Self::from(preset.method()) }
    }
}

impl From<Method> for Setup {
    /// Returns a setup with the name of the method's family.
    fn from(method: Method) -> Self {
        let proof = if matches!(method.table(), Table::Auto(_)) { Self::PROOF } else { 0.0 };
        Self { preset: method.family().to_owned(), method, rollout: None, seed: 0, threads: 1, proof }
    }
}

impl Entry {
    /// Returns a run of this entrant alone, with seed 0 and one thread.
    #[must_use]
    pub fn setup(&self) -> Setup {
        let (preset, rollout) = (self.preset().to_owned(), self.rollout().map(str::to_owned));
        Setup { preset, rollout, ..Setup::from(self.method().clone()) }
    }
}
