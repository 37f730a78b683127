//! Searches that a problem brings along: solvers of its own beside the families of the engine.

use super::Problem;
use crate::core::abort::Watch;
use crate::core::budget_share::BudgetShare;
use crate::core::codec::CheckpointError;
use crate::core::coverage::{Ledger, Proof};
use crate::core::hash::Key;
use crate::core::limits::MOST;
use crate::core::parameter::{Parameter, ParameterError, ParameterValues, Parameters};
use crate::core::solution::Solution;
use crate::core::stream_stats::Tally;
use crate::problem::move_codec::MoveCodec;
use crate::rollout::Playout;
use crate::{Rng, Score};

/// What a search counts as a unit of work, in words: "moves tried", "nodes".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Each unit makes and judges one whole solution, as an edit of annealing does. It counts as a node and as a
    /// playout. What a run does beside the search, such as an attempt at a proof, counts as nodes alone, or first games
    /// as playouts alone: a limit of either bounds the units but need not equal them.
    Solution(&'static str),
    /// A unit is less than a solution: a node of a tree, a sum of a list. It counts as a node; playouts are the
    /// solutions that the search hands to [`Work::found`], which should be all that it makes. An
    /// [exact](SearchInfo::exact) search may make none for very long: limits of playouts alone are refused, as for
    /// `dfs`.
    Node(&'static str),
}

impl Unit {
    /// The name of the unit.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Solution(name) | Self::Node(name) => name,
        }
    }
}

/// Name, description and table of parameters of a problem's own search.
#[derive(Clone, Copy, Debug)]
pub struct SearchInfo {
    /// What `--method` accepts.
    pub name: &'static str,
    /// One line: what it does.
    pub summary: &'static str,
    /// Authors, venue, year.
    pub reference: &'static str,
    /// What it counts.
    pub unit: Unit,
    pub(crate) step: u64,
    pub(crate) exact: bool,
    table: fn(&ParameterValues) -> Result<Vec<Parameter>, ParameterError>,
}

impl SearchInfo {
    /// Describes a search with the parameters `T`, which makes 256 units a step and proves nothing.
    #[must_use]
    pub const fn new<T: Parameters>(
        name: &'static str,
        summary: &'static str,
        reference: &'static str,
        unit: Unit,
    ) -> Self {
        let table = |settings: &ParameterValues| settings.read::<T>().map(|parameters| parameters.parameters());
        Self { name, summary, reference, unit, step: 256, exact: false, table }
    }

    /// Sets the units of a step: as many as take about a millisecond. Limits of time are looked at between steps.
    #[must_use]
    pub const fn units_a_step(self, step: u64) -> Self {
        Self { step: if step == 0 { 1 } else { step }, ..self }
    }

    /// The search can cover the whole space, and enters what it leaves out by [`Work::leave_out`]. Without this, it
    /// has no proof.
    #[must_use]
    pub const fn exact(self) -> Self {
        Self { exact: true, ..self }
    }

    /// Returns all parameters, those in `settings` with the values that are set.
    ///
    /// # Errors
    /// A name that is unknown, or a value out of its range.
    pub fn parameters(&self, settings: &ParameterValues) -> Result<Vec<Parameter>, ParameterError> {
        (self.table)(settings)
    }
}

/// Makes a search of a problem's own with the values of its parameters.
type MakeSearch<P> = fn(&P, &ParameterValues) -> Option<Box<dyn ProblemSearch<P>>>;

/// A search of a problem's own and how it is made; see [`Extras::searches`](super::Extras::searches).
pub struct NamedSearch<P> {
    info: SearchInfo,
    make: MakeSearch<P>,
}

impl<P> Clone for NamedSearch<P> {
    fn clone(&self) -> Self {
        Self { info: self.info, make: self.make }
    }
}

impl<P> std::fmt::Debug for NamedSearch<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NamedSearch").field("info", &self.info).finish_non_exhaustive()
    }
}

impl<P: Problem> NamedSearch<P> {
    /// Returns the search that `make` makes before its first step. The settings that it gets hold the values of the
    /// parameters, which are in their ranges. `None`: parameters that do not go together.
    #[must_use]
    pub const fn new(info: SearchInfo, make: MakeSearch<P>) -> Self {
        Self { info, make }
    }

    /// Returns the name, the description and the parameters.
    #[must_use]
    pub fn info(&self) -> SearchInfo {
        self.info
    }

    /// Makes the search. `None`: the settings are not those of its parameters.
    #[must_use]
    pub fn make(&self, problem: &P, settings: &ParameterValues) -> Option<Box<dyn ProblemSearch<P>>> {
        let settings = self.info.parameters(settings).ok()?.as_slice().into();
        (self.make)(problem, &settings)
    }
}

/// Returns the search that `name` selects, before its first step. `None`: the problem does not have it, or the settings
/// are not those of its parameters.
pub fn find_search<P: Problem>(
    problem: &P,
    name: &str,
    settings: &ParameterValues,
) -> Option<Box<dyn ProblemSearch<P>>> {
    problem.extras().searches().iter().find(|search| search.info.name == name)?.make(problem, settings)
}

/// Returns name, description and parameters of each [search](super::Extras::searches) that a problem has.
pub fn search_infos<P: Problem>(problem: &P) -> Vec<SearchInfo> {
    problem.extras().searches().iter().map(NamedSearch::info).collect()
}

/// What a step returns: whether the search continues.
#[must_use]
#[derive(Debug)]
pub enum StepStatus {
    /// There is more to do.
    Running,
    /// The search came to its end without a proof.
    Completed,
    /// Every solution was seen or excluded; see [`Work::covered`].
    Exhausted(Covered),
}

/// The proof that no solution is better than the incumbent. Only [`Work::covered`] makes one.
#[must_use]
#[derive(Debug)]
pub struct Covered(pub(crate) Proof);

/// A search of a problem's own: a solver that knows the domain, run by the engine like one of its families.
///
/// [`Extras::searches`](super::Extras::searches) lists such searches and how they are made. The engine gives them what its own
/// methods have: limits, the plan over the budget, seeds, threads, checkpoints, offers, gauges, a place in `auto`, and
/// a name for `--method` with parameters for `--set`. All that a search finds goes through [`Work::found`], which plays
/// it by the problem's rules.
///
/// A run must not depend on how it is cut into steps: a step does as many units as [`Work::quota`] says, or asks
/// [`Work::next_unit`] before each, and everything that the next unit depends on is kept and saved.
/// `soloist_domain_testing::check_searches` compares such runs.
///
/// ```
/// use soloist::{Budget, Method, Problem, Score, Solver};
/// use soloist::problem::{Extras, NamedSearch, ProblemSearch, SearchInfo};
/// use soloist::run::CheckpointError;
/// use soloist::doc::Staircase;
/// use soloist::problem::{StepStatus, Unit, Work};
/// # #[derive(Clone)] struct Stairs(Staircase);
///
/// /// Tries random solutions.
/// struct Guess;
/// impl ProblemSearch<Stairs> for Guess {
///     fn step(&mut self, problem: &Stairs, work: &mut Work<'_, Stairs>) -> StepStatus {
///         while work.next_unit() {
///             let moves: Vec<bool> = (0..problem.0.0).map(|_| work.rng().chance(0.5)).collect();
///             work.found(&moves);
///         }
///         StepStatus::Running
///     }
///     fn save(&self) -> Vec<u8> {
///         Vec::new()
///     }
///     fn load(&mut self, _: &Stairs, _: &[u8]) -> Result<(), CheckpointError> {
///         Ok(())
///     }
/// }
///
/// const GUESS: SearchInfo = SearchInfo::new::<()>("guess", "random solutions", "none", Unit::Solution("guesses"));
/// impl Problem for Stairs {
/// #   type State = <Staircase as Problem>::State;
/// #   type Move = bool;
/// #   fn root(&self) -> Self::State { self.0.root() }
/// #   fn moves(&self, state: &Self::State, moves: &mut Vec<bool>) { self.0.moves(state, moves) }
/// #   fn apply(&self, state: &mut Self::State, right: bool) { self.0.apply(state, right) }
/// #   fn score(&self, state: &Self::State) -> Score { self.0.score(state) }
///     // root, moves, apply, score
///     fn extras(&self) -> &dyn Extras<Self> {
///         self
///     }
/// }
/// impl Extras<Self> for Stairs {
///     fn searches(&self) -> Vec<NamedSearch<Self>> {
///         vec![NamedSearch::new(GUESS, |_, _| Some(Box::new(Guess)))]
///     }
/// }
///
/// let problem = Stairs(Staircase(8));
/// let outcome = Solver::new(&problem, Method::named("guess")).budget(Budget::nodes(1_500)).run().unwrap();
/// assert_eq!((outcome.counters.nodes, outcome.best.unwrap().score.value()), (1_500, Some(8.0)));
/// ```
pub trait ProblemSearch<P: Problem>: Send {
    /// Does a bounded slice of work: [`Work::quota`] units, or fewer where the search ends or
    /// [`Work::is_cut`] says so. Work that cannot be divided may go beyond the quota.
    fn step(&mut self, problem: &P, work: &mut Work<'_, P>) -> StepStatus;

    /// Receives a finished solution from outside, which is legal and counts as incumbent already: a warm start, or the
    /// best solution of other methods. By default nothing happens.
    fn offer(&mut self, _problem: &P, _moves: &[P::Move], _score: Score) {}

    /// Returns after how many units of a stream the streams of a run (see [`Solver::threads`](crate::Solver::threads))
    /// exchange their best solutions: each stream waits for the others, and then receives the best one by
    /// [`offer`](Self::offer), unless it is its own. `None`: never (the default).
    ///
    /// The exchange takes place at the end of a step. It depends on counts alone, so that runs with several threads
    /// stay reproducible. [`Work::incumbent`] remains that of the stream. In `auto` there is no exchange.
    fn exchange(&self) -> Option<u64> {
        None
    }

    /// Returns what shows how far the search has come, by name with unit.
    fn gauges(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// Returns a bound on all solutions that the search has neither seen nor excluded. `None`: unknown.
    fn bound(&self) -> Option<f64> {
        None
    }

    /// Returns everything that the next step depends on.
    fn save(&self) -> Vec<u8>;

    /// Restores what [`save`](Self::save) wrote into a search that was just made. The bytes may be damaged: all of them
    /// are checked.
    ///
    /// # Errors
    /// When the bytes are not those of this search.
    fn load(&mut self, problem: &P, bytes: &[u8]) -> Result<(), CheckpointError>;
}

/// What the step of a [`ProblemSearch`] works with: the generator, the counts, the incumbent, and the place for
/// solutions.
pub struct Work<'w, P: Problem> {
    pub(crate) problem: &'w P,
    pub(crate) packing: &'w MoveCodec<P::Move>,
    pub(crate) watch: &'w Watch,
    pub(crate) rng: &'w mut Rng,
    pub(crate) tally: &'w mut Tally,
    pub(crate) ledger: &'w mut Ledger,
    pub(crate) horizon: BudgetShare,
    pub(crate) memory: u64,
    pub(crate) unit: Unit,
    pub(crate) quota: u64,
    pub(crate) spent: u64,
    /// Whether a solution has ended the step: it reaches the goal of the run, or uses up its playouts.
    pub(crate) ends: bool,
}

impl<P: Problem> std::fmt::Debug for Work<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Work").field("quota", &self.quota).field("spent", &self.spent).finish_non_exhaustive()
    }
}

/// Units between two looks at the cut.
const EVERY: u64 = 8;

impl<P: Problem> Work<'_, P> {
    /// The generator of the run. All draws of a search come from it, or from one that is seeded by it.
    pub fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    /// The score of the best solution of the run so far, wherever it came from.
    #[must_use]
    pub fn incumbent(&self) -> Option<Score> {
        self.tally.best.as_ref().map(|best| best.score)
    }

    /// Returns the part of the budget planned for the run that is over, from 0 to 1. `None`: nothing is planned.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        self.horizon.part(self.tally.counters)
    }

    /// Returns the bytes that the tables and lists of the search may take.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Returns the units that this step is still to do.
    #[must_use]
    pub fn quota(&self) -> u64 {
        if self.ends { 0 } else { self.quota.saturating_sub(self.spent) }
    }

    /// Counts units of work that were done.
    pub fn spend(&mut self, units: u64) {
        let units = units.min(MOST);
        self.spent += units;
        self.tally.counters.nodes += units;
        match self.unit {
            Unit::Solution(_) => self.tally.counters.playouts += units,
            Unit::Node(_) => self.tally.units += units,
        }
    }

    /// Counts one unit of work, which is to be done now. Returns false when the step is to end.
    pub fn next_unit(&mut self) -> bool {
        let ends = self.quota() == 0 || self.spent % EVERY == EVERY - 1 && self.is_cut();
        if !ends {
            self.spend(1);
        }
        !ends
    }

    /// Returns whether the step should end now: the run is over a limit of time, or was asked to stop. Asked once in
    /// some dozen units, by steps that may take more than a few milliseconds. [`next_unit`](Self::next_unit) asks by
    /// itself.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.watch.shortens()
    }

    /// Returns a playout of this run, for searches that play [rollouts](crate::rollout::Rollout): it ends where the run
    /// is over its limits.
    #[must_use]
    pub fn playout(&self) -> Playout<P::Move> {
        let mut playout = Playout::default();
        playout.watch = Some(self.watch.clone());
        playout
    }

    /// Plays a solution by the problem's rules and returns its score; the run keeps it when it is among the best.
    /// Called for improvements of the search's own best, as soon as they are found, or, where units are
    /// [nodes](Unit::Node), for every solution. `None`: further moves are possible
    /// after these, so that they are no solution.
    ///
    /// Each move must be legal. What a run hands out is played again move by move, so that an illegal one ends the run
    /// with an error.
    pub fn found(&mut self, moves: &[P::Move]) -> Option<Score> {
        let (mut state, mut legal) = (self.problem.root(), Vec::new());
        for (at, &mv) in moves.iter().enumerate() {
            if at % 256 == 255 && self.watch.gives_up(at) {
                return None;
            }
            self.problem.apply(&mut state, mv);
        }
        self.problem.moves(&state, &mut legal);
        if !legal.is_empty() || self.watch.has_failed() {
            return None;
        }
        let score = self.problem.score(&state);
        if matches!(self.unit, Unit::Node(_)) {
            self.tally.count(score);
        }
        if self.tally.wants(score) && !self.watch.has_failed() {
            let identity = self.problem.key(&state).unwrap_or_else(|| Key::of(moves)).id();
            let moves = self.packing.ids(moves);
            self.tally.keep(Solution { score, moves }, identity);
            let (sense, value) = (self.problem.sense(), score.value());
            self.ends |=
                self.tally.limits.goal.zip(value).is_some_and(|(goal, value)| !sense.better_value(goal, value));
        }
        let (limits, playouts) = (self.tally.limits, self.tally.counters.playouts);
        let last = self.tally.history.last().map_or(0, |last| last.playouts);
        self.ends |= playouts >= limits.playouts || playouts.saturating_sub(last) >= limits.stall;
        Some(score)
    }

    /// As [`found`](Self::found), for a solution that the search knows to be better than all of its own before it: one
    /// of equal score gives way, because a score may not tell apart what the search does.
    pub fn found_finer(&mut self, moves: &[P::Move]) -> Option<Score> {
        let score = self.found(moves)?;
        if !self.watch.has_failed() {
            let moves = self.packing.ids(moves);
            self.tally.replace_best(Solution { score, moves });
        }
        Some(score)
    }

    /// Enters solutions that the search drops without having seen or excluded them: all are at best as good as `bound`,
    /// or, with `None`, nothing is known about them.
    pub fn leave_out(&mut self, bound: Option<f64>) {
        match bound {
            Some(bound) => self.ledger.leave_out(self.problem.sense(), bound),
            None => self.ledger.leave_out_any(),
        }
    }

    /// Returns the proof that the search, which has nothing open any more, has covered its space. `None`: it is not
    /// [exact](SearchInfo::exact), or has left out something that may be better than the incumbent.
    #[must_use]
    pub fn covered(&self) -> Option<Covered> {
        let incumbent = self.tally.best.as_ref().and_then(|best| best.score.value());
        self.ledger.proof(self.problem.sense(), incumbent).map(Covered)
    }
}
