//! Sets up a run and drives it to its end.

use super::budget::{Budget, Plan};
use super::checkpoint::RunInfo;
use super::error::SolveError;
use super::file::Claimed;
use super::observer::{Calling, Observer, OnImprovement, OnProgress, Progress};
use super::outcome::{Outcome, Solution};
use super::running::{INTERVAL, Running};
use super::session::{Control, Session};
use super::setup::Setup;
use crate::Problem;
use crate::core::codec::CheckpointError;
use crate::erased::problem::ProblemRef;
use crate::erased::source::Source;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Runs a [`Method`](crate::Method) on a [`Problem`]: seed, threads, limits, observer, checkpoints.
///
/// ```
/// use soloist::{Budget, Method, Solver, doc::Staircase};
/// let problem = Staircase(10);
/// let outcome = Solver::new(&problem, Method::preset("nrpa").unwrap())
///     .seed(7)
///     .budget(Budget::playouts(5_000))
///     .run()
///     .unwrap();
/// assert_eq!(outcome.best.unwrap().score.value(), Some(10.0));
/// ```
///
/// # Reproducibility
/// The same problem, method, seed, number of threads and count budget give the same outcome on every machine, whether
/// run at once or in parts joined by checkpoints. Streams are independent, or exchange solutions at counts that the
/// method names; their results are merged by score, then by stream number.
///
/// A stream that reaches the target or the problem's bound, or that exhausts the search space, stops the others. The
/// stream that did so with the fewest playouts counts (of several the one with the lowest number): its solution is
/// reproducible. How far the others came by then depends on the schedule of the threads, and so do the counters of the
/// run.
pub struct Solver<'a, P: Problem> {
    problem: ProblemRef<'a, P>,
    setup: Setup,
    budget: Budget,
    plan: Option<Budget>,
    keep: usize,
    offers: Vec<Vec<P::Move>>,
    prefix: Vec<P::Move>,
    observer: Option<&'a mut dyn Observer<P::Move>>,
    interval: Duration,
    on_improvement: Option<OnImprovement<'a, P::Move>>,
    on_progress: Option<OnProgress<'a>>,
    checkpoint: Option<(PathBuf, Duration)>,
    stop: Option<&'a AtomicBool>,
    /// Whether results are replayed.
    replays: bool,
    /// The checkpoint to continue from, and its setup.
    saved: Option<(Vec<u8>, Setup)>,
}

impl<P: Problem> std::fmt::Debug for Solver<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solver").field("setup", &self.setup).field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl<P: Problem + 'static> Solver<'static, P> {
    /// Returns a run on a problem that is shared: its [`Session`] has no lifetime.
    #[must_use]
    pub fn shared(problem: Arc<P>, setup: impl Into<Setup>) -> Self {
        Self::of(ProblemRef::counted(problem), setup.into())
    }
}

impl<'a, P: Problem> Solver<'a, P> {
    /// Returns a run of a [`Setup`] or of a [`Method`](crate::Method), which has seed 0, one thread and the problem's
    /// first rollout. Limits are to be set: without any, [`run`](Self::run) takes 30 s.
    #[must_use]
    pub fn new(problem: &'a P, setup: impl Into<Setup>) -> Self {
        Self::of(ProblemRef::borrowed(problem), setup.into())
    }

    fn of(problem: ProblemRef<'a, P>, setup: Setup) -> Self {
        Self {
            problem,
            setup,
            budget: Budget::default(),
            plan: None,
            keep: 1,
            offers: Vec::new(),
            prefix: Vec::new(),
            observer: None,
            interval: INTERVAL,
            on_improvement: None,
            on_progress: None,
            checkpoint: None,
            stop: None,
            replays: true,
            saved: None,
        }
    }

    /// Sets the seed of all random draws.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.setup.seed = seed;
        self
    }

    /// Sets the number of independent streams, one thread each.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.setup.threads = threads;
        self
    }

    /// Sets the playout policy by name.
    #[must_use]
    pub fn rollout(mut self, name: impl Into<String>) -> Self {
        self.setup.rollout = Some(name.into());
        self
    }

    /// Sets the limits. A run that is started as a [`Session`] ends where its slices end; methods that plan ahead then
    /// take this as the budget of the whole run.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Sets the budget of the whole run where this is a part of it, for methods that plan ahead (annealing cools over
    /// it). By default the run's own limits are the plan.
    #[must_use]
    pub fn plan(mut self, whole: Budget) -> Self {
        self.plan = Some(whole);
        self
    }

    /// Keeps the `count` best different solutions instead of the best alone; see [`Outcome::kept`].
    ///
    /// Two solutions are the same when their final states have equal [keys](Problem::key), or, where the problem has no
    /// keys, when their moves are equal. A resumed run keeps as many as it did before.
    #[must_use]
    pub fn keep(mut self, count: usize) -> Self {
        self.keep = count;
        self
    }

    /// Begins with a known solution: the moves from the root. See [`Session::offer`]. May be called several times.
    #[must_use]
    pub fn offer(mut self, moves: &[P::Move]) -> Self {
        self.offers.push(moves.to_vec());
        self
    }

    /// Sets moves that every solution of the run begins with. What the run hands out are whole solutions; bounds and
    /// proofs are those of solutions with this prefix. A run that is continued has the prefix that it had before.
    ///
    /// The problem's [own searches](crate::problem::Extras::searches), neighbourhoods and links make or edit whole
    /// solutions: a method that needs one is refused, annealing does without, and [`auto`](crate::search::auto) does
    /// not enter it.
    ///
    /// ```
    /// use soloist::{Budget, Setup, Solver, doc::Staircase};
    /// let problem = Staircase(10);
    /// let solver = Solver::new(&problem, Setup::preset("dfs").unwrap()).prefix(&[false, true]);
    /// let outcome = solver.budget(Budget::nodes(100_000)).run()?;
    /// assert!(outcome.optimal && outcome.prefix == 2);
    /// assert!(outcome.best.unwrap().moves.starts_with(&[false, true]));
    /// # Ok::<(), soloist::run::SolveError>(())
    /// ```
    #[must_use]
    pub fn prefix(mut self, moves: &[P::Move]) -> Self {
        self.prefix = moves.to_vec();
        self
    }

    /// Calls a closure at each improvement, from the thread that found it.
    ///
    /// ```
    /// use soloist::{Budget, Method, Solver, doc::Staircase};
    /// let mut scores = Vec::new();
    /// Solver::new(&Staircase(10), Method::preset("nrpa")?)
    ///     .budget(Budget::playouts(1_000))
    ///     .on_improvement(|solution, _progress| scores.push(solution.score))
    ///     .run()?;
    /// assert!(!scores.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn on_improvement(mut self, call: impl FnMut(&Solution<P::Move>, &Progress) + Send + 'a) -> Self {
        self.on_improvement = Some(Box::new(call));
        self
    }

    /// Calls a closure once per `interval`. The interval is also that of an [`observer`](Self::observer).
    #[must_use]
    pub fn on_progress(mut self, interval: Duration, call: impl FnMut(&Progress) + Send + 'a) -> Self {
        self.on_progress = Some(Box::new(call));
        self.interval = interval;
        self
    }

    /// Sets an observer, which sees more than the closures of [`on_improvement`](Self::on_improvement) and
    /// [`on_progress`](Self::on_progress); called at each improvement and once per `interval`.
    #[must_use]
    pub fn observer(mut self, observer: &'a mut dyn Observer<P::Move>, interval: Duration) -> Self {
        self.observer = Some(observer);
        self.interval = interval;
        self
    }

    /// Writes a checkpoint to `path` once per `interval` and at the end.
    #[must_use]
    pub fn checkpoint(mut self, path: impl Into<PathBuf>, interval: Duration) -> Self {
        self.checkpoint = Some((path.into(), interval));
        self
    }

    /// Leaves results as they are, for tests that record the calls of a problem. Nothing else may rely on such results.
    #[doc(hidden)]
    #[must_use]
    pub fn without_replays(mut self) -> Self {
        self.replays = false;
        self
    }

    /// Sets a flag that ends the run when it becomes true.
    #[must_use]
    pub fn stop_flag(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Continues the run in `bytes`, which [`Session::save`] or a checkpoint file holds: its setup replaces the one set
    /// before. A seed, a number of threads or a rollout that is set after this call must be that of the saved run.
    ///
    /// # Errors
    /// When the bytes are not a whole checkpoint of this problem.
    pub fn resume(mut self, bytes: &[u8]) -> Result<Self, CheckpointError> {
        self.setup = RunInfo::read(&*self.problem, bytes)?.setup;
        self.saved = Some((bytes.to_vec(), self.setup.clone()));
        Ok(self)
    }

    /// The setting of the run; after [`resume`](Self::resume) that of the saved one.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Starts the run without advancing it.
    ///
    /// # Errors
    /// When the rollout is unknown, the parameters do not go together, the number of threads is not possible, a
    /// solution to start from or the prefix is not valid, or the checkpoint to continue is damaged or of another setup.
    pub fn start(mut self) -> Result<Session<'a, P>, SolveError> {
        self.problem.begin(&self.prefix).map_err(SolveError::Prefix)?;
        let mut source = Source::new(self.problem);
        let mut run = match &self.saved {
            Some((bytes, setup)) => {
                setup.is_resumed_by(&self.setup)?;
                Running::restore(&mut source, bytes, &self.budget)?
            }
            None => Running::new(&source, self.setup, &self.budget, self.keep)?,
        };
        run.replays = self.replays;
        run.drive.plan = Plan::of(self.plan.as_ref().unwrap_or(&self.budget));
        let mut session = Session::new(source, run);
        for moves in &self.offers {
            session.offer(moves)?;
        }
        Ok(session)
    }

    /// Runs until the budget is used up, the method ends, or the stop flag is raised.
    ///
    /// Where there is neither a limit nor a stop flag, the run ends after [`Budget::DEFAULT_TIME`], and a remark says
    /// so. `Budget::time(Duration::MAX)` is no limit at all.
    ///
    /// # Errors
    /// [`SolveError::Limits`]: limits that need not end a run of this method, such as
    /// playouts alone for `dfs` and `cabs`.
    ///
    /// Those of [`start`](Self::start) and [`Session::advance`], and a first checkpoint that cannot be written. A later
    /// one that fails is reported in [`Outcome::unsaved`].
    pub fn run(mut self) -> Result<Outcome<P::Move>, SolveError> {
        let (budget, checkpoint) = (self.budget.clone(), self.checkpoint.take());
        let (on_improvement, on_progress) = (self.on_improvement.take(), self.on_progress.take());
        let mut observer = Calling { on_improvement, on_progress, observer: self.observer.take() };
        let control = Control { observer: Some(&mut observer), interval: self.interval, stop: self.stop };
        // A file that another run is writing, or that cannot be written, is found before the work, not after it.
        let claimed = match checkpoint {
            Some((path, every)) => Some((Claimed::new(&path).map_err(CheckpointError::Write)?, every)),
            None => None,
        };
        self.start()?.finish(&budget, claimed, control)
    }
}
