//! Sessions: runs that are advanced slice by slice, saved, restored, and offered solutions.

use super::budget::Budget;
use super::checkpoint::RunInfo;
use super::error::{OfferError, SolveError};
use super::file::Claimed;
use super::observer::{Observer, Silent, Unpacking};
use super::outcome::{Counters, Improvement, Outcome, Solution, StopReason};
use super::running::{INTERVAL, Running, Watching};
use super::setup::Setup;
use crate::erased::source::Source;
use crate::{Problem, Score};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What watches and stops a slice of a run.
pub struct Control<'a, M> {
    /// Called at each improvement and once per `interval`.
    pub observer: Option<&'a mut dyn Observer<M>>,
    /// Time between two reports of progress.
    pub interval: Duration,
    /// Ends the slice when it becomes true.
    pub stop: Option<&'a AtomicBool>,
}

impl<M> Default for Control<'_, M> {
    fn default() -> Self {
        Self { observer: None, interval: INTERVAL, stop: None }
    }
}

impl<M> std::fmt::Debug for Control<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").field("interval", &self.interval).finish_non_exhaustive()
    }
}

/// A run in progress, made by [`Solver::start`](crate::Solver::start) and advanced slice by slice.
///
/// A session borrows its problem or shares it by an `Arc` ([`Solver::shared`](crate::Solver::shared)), in which case it
/// has no lifetime and can be kept in any object; it can be moved between threads and needs no file.
///
/// ```
/// use soloist::{Budget, Setup, Solver, doc::Staircase};
/// use std::sync::Arc;
///
/// let solver = || Solver::shared(Arc::new(Staircase(12)), Setup::preset("nrpa").unwrap().seed(3));
/// let mut session = solver().start()?;
/// session.advance(&Budget::playouts(100))?;
/// let bytes = session.save();
/// // Later, perhaps elsewhere: the same run continues.
/// let mut session = solver().resume(&bytes)?.start()?;
/// session.offer(&[false; 12])?;
/// assert_eq!(session.best().unwrap().score.value(), Some(12.0));
/// session.advance(&Budget::playouts(50))?;
/// assert_eq!(session.counters().playouts, 150);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Slices
/// Counts of a slice are added to those granted before. However a count budget is cut into slices, with or without
/// [`save`](Self::save) and restoring in between, the run is the same. A slice that ends by time, by a target or by a
/// signal leaves the run where it stands; the next one continues from there. With several streams, a slice of counts
/// may end at a target or with a proof before the other streams have made as many playouts as the first one: the result
/// is then that of a run with the budget so far, and the next slice continues those streams.
///
/// A method that plans ahead, as annealing does, divides the budget that the [`Solver`](crate::Solver) was given before
/// [`start`](crate::Solver::start): slices are the same as one run if that is the budget of the whole run. It is not
/// part of what is saved, so it is given again before a restored session starts.
///
/// # Offered solutions
/// [`offer`](Self::offer) is a warm start as well as an exchange between runs. Every method keeps an offered solution
/// as incumbent if it is better. The method's documentation says what else the method does with it.
///
/// # Panics
/// A panic in user code ends the call that met it, on whichever thread it happened. The session must not be used after
/// that.
pub struct Session<'p, P: Problem> {
    source: Source<'p, P>,
    run: Running<'p>,
}

impl<P: Problem> std::fmt::Debug for Session<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (setup, counters) = (&self.run.setup, self.counters());
        f.debug_struct("Session").field("setup", setup).field("counters", &counters).finish_non_exhaustive()
    }
}

impl<'p, P: Problem + 'p> Session<'p, P> {
    pub(super) fn new(source: Source<'p, P>, run: Running<'p>) -> Self {
        Self { source, run }
    }

    /// Runs to the end of a budget.
    pub(super) fn finish(
        self,
        budget: &Budget,
        claimed: Option<(Claimed, Duration)>,
        control: Control<'_, P::Move>,
    ) -> Result<Outcome<P::Move>, SolveError> {
        let Self { source, run } = self;
        let (mut silent, Control { observer, interval, stop }) = (Silent, control);
        let mut observer = Unpacking::new(&source, observer.unwrap_or(&mut silent));
        let outcome = run.finish(&source, budget, claimed, Watching { observer: &mut observer, interval, stop })?;
        Ok(outcome.unpacked(&source.packing, source.problem.prefix()))
    }

    /// Runs until the slice is used up, the method ends, or the target is reached; returns which of these it was. What
    /// does not end a method, such as playouts alone `dfs` and `cabs`, does not end a slice either:
    /// [`Setup::check_limits`] says so before.
    ///
    /// `playouts`, `nodes` and `time` of the slice are added to what was done before; `target` and `stall` are as in a
    /// whole run; `memory` is ignored: it was settled when the run began.
    ///
    /// Each solution that is new at the end of the slice is played again from the root.
    ///
    /// # Errors
    /// When the problem or the rollout has reported an error. The best solution found before stays, but the searches
    /// have stopped in the middle of a step: such a run cannot continue, except from an earlier save. When a solution
    /// fails when it is played again ([`SolveError::Replay`]): then nothing that the run has found can be relied on.
    pub fn advance(&mut self, slice: &Budget) -> Result<StopReason, SolveError> {
        self.advance_with(slice, Control::default())
    }

    /// As [`advance`](Self::advance), observed by an observer and ended by a flag.
    ///
    /// # Errors
    /// As for [`advance`](Self::advance).
    pub fn advance_with(&mut self, slice: &Budget, control: Control<'_, P::Move>) -> Result<StopReason, SolveError> {
        let (mut silent, Control { observer, interval, stop }) = (Silent, control);
        let mut observer = Unpacking::new(&self.source, observer.unwrap_or(&mut silent));
        self.run.advance(&self.source, slice, Watching { observer: &mut observer, interval, stop })
    }

    /// Gives the run a finished solution from outside, a warm start or another run's incumbent, and returns its score.
    ///
    /// It counts as no playout. Every stream keeps it as incumbent if it is better than the present one, and its search
    /// continues from it if the method can.
    ///
    /// # Errors
    /// When a move is not legal, further moves are possible, or the solution does not begin with the prefix of the run;
    /// the run is then as before.
    pub fn offer(&mut self, moves: &[P::Move]) -> Result<Score, SolveError> {
        let prefix = self.source.problem.prefix();
        if let Some(at) = (0..prefix.len()).find(|&at| moves.get(at) != Some(&prefix[at])) {
            return Err(OfferError::Prefix(at).into());
        }
        let before = prefix.len();
        let moves = &moves[before..];
        self.run.offer(&self.source, self.source.packing.ids(moves), before)
    }

    /// Returns the best solution so far.
    #[must_use]
    pub fn best(&self) -> Option<Solution<P::Move>> {
        self.run.drive.incumbent().map(|best| best.unpacked(&self.source.packing, self.source.problem.prefix()))
    }

    /// Returns the improvements after the first `seen` ones, in the order of the slices that found them.
    #[must_use]
    pub fn improvements_since(&self, seen: usize) -> &[Improvement] {
        self.run.drive.log.get(seen..).unwrap_or_default()
    }

    /// Playouts and nodes so far, of all streams.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.run.drive.counters()
    }

    /// Time spent in slices so far, those before a restore included.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.run.drive.elapsed
    }

    /// The setting of the run, with the name of the rollout filled in.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.run.setup
    }

    /// Returns the problem.
    #[must_use]
    pub fn problem(&self) -> &P {
        &self.source.problem
    }

    /// Returns what the run is and how far it has come.
    #[must_use]
    pub fn info(&self) -> RunInfo {
        self.run.info()
    }

    /// Returns the whole run as bytes, the content of a checkpoint: [`Solver::resume`](crate::Solver::resume) continues
    /// from it.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        self.run.save(&self.source)
    }

    /// Returns what the run has yielded so far. Where a limit has ended a beam in its first pass, its best states are
    /// played to their ends for this: that is no part of the run, nor of [`best`](Self::best).
    #[must_use]
    pub fn outcome(&self) -> Outcome<P::Move> {
        self.run.outcome(&self.source).unpacked(&self.source.packing, self.source.problem.prefix())
    }
}
