//! Sessions: runs that are advanced slice by slice, saved, restored, and offered solutions.

use super::budget::Budget;
use super::drive::{Drive, SavedDrive, SliceLimits};
use super::observer::{Observer, Silent, Unpacking};
use super::opening::{self, GAMES, Proof};
use super::outcome::{Counters, Improvement, Outcome, Solution, StopReason};
use super::plan::Plan;
use super::setup::Setup;
use super::stream::{Reports, Stream};
use super::verify::{ReplayError, replay};
use crate::core::codec::{CheckpointError, decode, decode_first, open, seal, write_sealed};
use crate::core::cut::Watch;
use crate::core::limits::ensure;
use crate::core::parameter::ParameterError;
use crate::core::plan::PlanShare;
use crate::erased::problem::{ProblemAdapter, ProblemRef};
use crate::erased::rollout::RolloutAdapter;
use crate::erased::{MoveCodec, MoveId};
use crate::problem::search_infos;
use crate::rollout::find_rollout;
use crate::search::{Tally, replay_legal};
use crate::{Problem, Rng, Score};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use thiserror::Error;

/// A run that cannot start or continue.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The problem has no such playout policy.
    #[error("no rollout `{}` (known: {known}){}", .name.escape_debug(), if *.is_method { ": it is a method" } else { "" })]
    Rollout {
        /// The name asked for.
        name: String,
        /// The names that exist, separated by commas.
        known: String,
        /// Whether it is the name of one of the problem's [own searches](Problem::searches).
        is_method: bool,
    },
    /// The method's parameters do not go together.
    #[error(transparent)]
    Method(#[from] ParameterError),
    /// The problem's [portfolio](Problem::portfolio) holds an entry that cannot run.
    #[error("the portfolio of the problem: {0}")]
    Portfolio(#[source] ParameterError),
    /// A checkpoint could not be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The sequence of moves to start from is not a solution.
    #[error("the solution to start from: {0}")]
    Offer(#[from] OfferError),
    /// The moves that every solution begins with are not legal.
    #[error("the prefix: move {0} is not legal")]
    Prefix(usize),
    /// A method makes whole solutions, which cannot begin with given moves.
    #[error("with a prefix another method is needed: those of the problem itself make whole solutions")]
    Whole(#[source] ParameterError),
    /// The limits need not end a run of this method: see [`Setup::check_limits`].
    #[error("{method}: {what}")]
    Limits {
        /// The name of the preset.
        method: String,
        /// Why, and what limit to add.
        what: &'static str,
    },
    /// The method holds more than the memory limit allows, whatever it finds.
    #[error("the method needs at least {} MiB for its states, beams and records, {} MiB are allowed (more memory, or a smaller `width` of beams)", .needed.div_ceil(1 << 20), .allowed >> 20)]
    Memory {
        /// Bytes that all streams need.
        needed: u64,
        /// Bytes that they may use.
        allowed: u64,
    },
    /// A checkpoint is continued with another seed, number of threads, rollout or prefix.
    #[error("the checkpoint is of a run with another setup (seed, threads, rollout or prefix)")]
    Resumed,
    /// No stream can run.
    #[error("at least one thread is needed")]
    NoThreads,
    /// More streams than a run may have.
    #[error("{0} threads: at most {most} are possible", most = Setup::MOST_THREADS)]
    Threads(usize),
    /// A solution is better than the problem's [bound](Problem::bound) for its root: nothing that was pruned or proven
    /// by bounds can be relied on. Differences in the tenth digit pass as rounding.
    #[error("a solution scores {score}, but the problem's bound says that none is better than {bound}")]
    Bound {
        /// The score.
        score: f64,
        /// The bound of the root.
        bound: f64,
    },
    /// A solution's score is infinite or NaN.
    #[error("a solution scores `{0}`: scores must be finite numbers")]
    Score(Score),
    /// A game has had as many moves as [`Budget::max_moves`] allows.
    #[error("a game of {0} moves has not ended: do the moves of this problem ever end? (max_moves)")]
    Endless(u64),
    /// The threads of the streams cannot be started.
    #[error("{threads} threads cannot be started: {error}")]
    Spawn {
        /// The number of threads.
        threads: usize,
        /// What the system says.
        error: String,
    },
    /// A result was played again from the root, and the problem's rules contradict it.
    #[error("a solution does not stand its replay: {0}")]
    Replay(#[from] ReplayError),
    /// The problem or the rollout has reported an error; see [`Fault`](crate::problem::Fault).
    #[error("the problem failed: {0}")]
    Failed(Box<dyn Error + Send + Sync>),
}

/// An offered sequence of moves that is no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OfferError {
    /// A move is not legal after those before it.
    #[error("move {0} is not legal")]
    Illegal(usize),
    /// Further moves are possible after the last one.
    #[error("it is not finished after {0} moves")]
    Unfinished(usize),
    /// It does not begin with the moves that every solution of the run begins with.
    #[error("it does not begin with the moves of the prefix: move {0} is another one")]
    Prefix(usize),
}

/// What a checkpoint says about its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Method, rollout, seed and threads.
    pub setup: Setup,
    /// Playouts and nodes so far.
    pub counters: Counters,
    /// Wall-clock time so far.
    pub elapsed: Duration,
}

impl RunInfo {
    /// Reads what a checkpoint of `problem` says about its run, without restoring it.
    ///
    /// # Errors
    /// When the bytes are not a whole checkpoint of this problem.
    pub fn read<P: Problem>(problem: &P, bytes: &[u8]) -> Result<Self, CheckpointError> {
        let mut info = read_info(open(problem.fingerprint(), bytes)?)?;
        info.look_up(problem)?;
        Ok(info)
    }
}

impl RunInfo {
    /// Looks up what the names of own searches stand for.
    fn look_up<P: Problem>(&mut self, problem: &P) -> Result<(), CheckpointError> {
        let known = self.setup.method.resolve(&search_infos(problem));
        known.map_err(|_| CheckpointError::Corrupt("a method that the problem does not have"))
    }
}

/// What a checkpoint says about its run when it is decoded as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedRun {
    /// What stands first in it.
    pub info: RunInfo,
    /// How many different solutions the run keeps; see [`Solver::keep`](crate::Solver::keep).
    pub keep: usize,
    /// Why the run cannot continue, where it cannot.
    pub ended: Option<StopReason>,
}

impl SavedRun {
    /// Reads a checkpoint of `problem` without restoring the run. This takes about as much memory as the checkpoint,
    /// where [`RunInfo::read`] takes next to none.
    ///
    /// # Errors
    /// When the bytes are not a whole checkpoint of this problem.
    pub fn read<P: Problem>(problem: &P, bytes: &[u8]) -> Result<Self, CheckpointError> {
        let CheckpointBody { mut info, drive, .. } = decode_run(open(problem.fingerprint(), bytes)?)?;
        info.look_up(problem)?;
        Ok(Self { info, keep: drive.keep(), ended: drive.ended() })
    }
}

// The body of a checkpoint, in functions that no problem's type reaches: they are compiled here, once.

/// A run in a checkpoint. What differs between equal runs comes first.
#[derive(Serialize, Deserialize)]
struct CheckpointBody {
    info: RunInfo,
    /// The times of the improvements.
    times: Vec<Duration>,
    /// The table of moves.
    moves: Vec<u8>,
    /// The moves that every solution begins with.
    prefix: Vec<MoveId>,
    drive: SavedDrive,
}

fn seal_run(fingerprint: u64, run: &CheckpointBody) -> Vec<u8> {
    seal(fingerprint, run)
}

fn write_run(mut file: &File, fingerprint: u64, run: &CheckpointBody) -> std::io::Result<()> {
    write_sealed(&mut file, fingerprint, run)
}

fn decode_run(body: &[u8]) -> Result<CheckpointBody, CheckpointError> {
    let run = decode::<CheckpointBody>(body)?;
    ensure(run.info.setup.streams() == run.drive.streams(), "another number of streams")?;
    Ok(run)
}

fn read_info(body: &[u8]) -> Result<RunInfo, CheckpointError> {
    let info: RunInfo = decode_first(body)?;
    ensure(info.elapsed <= LONGEST, "more time than a run can take")?;
    Ok(info)
}

fn no_rollout<P: Problem>(problem: &P, name: &str, known: &[&str]) -> SolveError {
    let word = name.split(':').next().unwrap_or_default();
    let is_method = search_infos(problem).iter().any(|info| info.name == word);
    SolveError::Rollout { name: name.to_owned(), known: known.join(", "), is_method }
}

/// The longest time that a run can have taken, some 35,000 years: no sum of two times overflows.
const LONGEST: Duration = Duration::from_secs(1 << 40);

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
        Self { observer: None, interval: Duration::from_millis(200), stop: None }
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
    problem: ProblemRef<'p, P>,
    packing: MoveCodec<P::Move>,
    setup: Setup,
    drive: Drive<'p>,
    /// Why no result of the run can be relied on, if none can.
    broken: Option<ReplayError>,
    /// Whether results are replayed.
    pub(super) replays: bool,
}

impl<P: Problem> std::fmt::Debug for Session<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (setup, counters) = (&self.setup, self.counters());
        f.debug_struct("Session").field("setup", setup).field("counters", &counters).finish_non_exhaustive()
    }
}

impl<'p, P: Problem + 'p> Session<'p, P> {
    /// Builds the streams of a run; `memory` bytes are for the searches of all.
    pub(super) fn new(
        problem: ProblemRef<'p, P>,
        mut setup: Setup,
        budget: &Budget,
        keep: usize,
    ) -> Result<Self, SolveError> {
        let memory = budget.memory;
        if setup.threads == 0 {
            return Err(SolveError::NoThreads);
        }
        if setup.threads > Setup::MOST_THREADS {
            return Err(SolveError::Threads(setup.threads));
        }
        if let Err(error) = setup.method.resolve(&problem.searches()) {
            let is_own = problem.is_begun() && setup.method.resolve(&search_infos(&*problem)).is_ok();
            return Err(if is_own { SolveError::Whole(error) } else { error.into() });
        }
        setup.validate()?;
        let (packing, word, facts) = (MoveCodec::new(), Arc::default(), problem.facts());
        let rollout = setup.rollout.clone().unwrap_or_else(|| setup.default_rollout(&*problem).to_owned());
        setup.rollout = Some(rollout.clone());
        let mut streams = Vec::new();
        let count = setup.streams();
        for (index, rng) in Rng::streams(setup.seed).take(count).enumerate() {
            let watch = Watch::new(&word, budget.max_moves, facts.fault.clone());
            let player = RolloutAdapter::new(problem.clone(), packing.clone(), watch.clone(), &rollout)
                .map_err(|known| no_rollout(&*problem, &rollout, &known))?;
            let rules = Box::new(ProblemAdapter::new(problem.clone(), facts.clone(), packing.clone(), watch.clone()));
            for name in setup.method.rollouts(&*rules).map_err(SolveError::Portfolio)? {
                find_rollout(&*problem, &name).map_err(|known| no_rollout(&*problem, &name, &known))?;
            }
            let least = setup.method.least_memory(&*rules);
            let (needed, share) = (least.saturating_mul(count as u64), memory / count as u64);
            if needed > memory {
                return Err(SolveError::Memory { needed, allowed: memory });
            }
            // One attempt at a proof is enough: all streams are the same size, so that they search alike.
            let wanted = if setup.proof > 0.0 { opening::memory_of(share).min(share - least) } else { 0 };
            let proof = (index == 0).then(|| Proof::new(setup.proof, &setup.method, &*rules, wanted)).flatten();
            let mut search = setup.method.build(&*rules, share - wanted);
            search.set_workers(setup.threads / count);
            streams.push(Stream {
                rng,
                tally: Tally::new(problem.sense(), index, keep),
                problem: rules,
                rollout: Box::new(player),
                waiting: search.share().is_some(),
                search,
                games: if setup.method.plays_first() { 0 } else { GAMES },
                proof,
                watch,
                end: None,
                horizon: PlanShare::default(),
            });
        }
        let mut session =
            Self { problem, packing, setup, drive: Drive::new(streams, word), broken: None, replays: true };
        session.checked()?;
        Ok(session)
    }

    /// Restores the run in `bytes`, a checkpoint of this problem.
    pub(super) fn restore(mut problem: ProblemRef<'p, P>, bytes: &[u8], budget: &Budget) -> Result<Self, SolveError> {
        let body = open(problem.fingerprint(), bytes)?;
        let CheckpointBody { info, times, moves, prefix, drive } = decode_run(body)?;
        let packing = MoveCodec::new();
        packing.load(&moves)?;
        let prefix: Option<Vec<P::Move>> = prefix.iter().map(|&mv| packing.unpack(mv)).collect();
        let prefix = prefix.ok_or(CheckpointError::Corrupt("an illegal move"))?;
        let is_other = problem.is_begun() && **problem.prefix() != *prefix;
        problem.begin(&prefix).map_err(|_| CheckpointError::Corrupt("an illegal move"))?;
        if is_other {
            return Err(SolveError::Resumed);
        }
        let mut session = Self::new(problem, info.setup, budget, 0)?;
        session.packing.load(&moves)?;
        session.drive.load(drive, info.elapsed)?;
        session.drive.set_times(&times)?;
        session.drive.note();
        ensure(session.counters() == info.counters, "counters of another run")?;
        session.checked()?;
        Ok(session)
    }

    /// Whether the run has ended inside a step, so that it cannot be saved.
    pub(super) fn is_abandoned(&self) -> bool {
        self.drive.is_abandoned()
    }

    /// Sets the budget of the whole run, which methods that plan ahead divide.
    pub(super) fn plan(&mut self, plan: Plan) {
        self.drive.plan = plan;
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
    /// does not stand its replay ([`SolveError::Replay`]): then nothing that the run has found can be relied on.
    pub fn advance(&mut self, slice: &Budget) -> Result<StopReason, SolveError> {
        self.advance_with(slice, Control::default())
    }

    /// As [`advance`](Self::advance), observed by an observer and ended by a flag.
    ///
    /// # Errors
    /// As for [`advance`](Self::advance).
    pub fn advance_with(&mut self, slice: &Budget, control: Control<'_, P::Move>) -> Result<StopReason, SolveError> {
        let deadline = slice.time.and_then(|time| Instant::now().checked_add(time));
        let part = SliceLimits {
            playouts: slice.playouts,
            nodes: slice.nodes,
            stall: slice.stall,
            target: slice.target,
            deadline,
            pause: None,
            abandons: false,
        };
        let part = self.drive.grant(part);
        let stop = control.stop;
        let reason = self.observed(control, |drive, reports| drive.run(part, stop, reports));
        self.checked()?;
        Ok(reason.unwrap_or(StopReason::Time))
    }

    /// Calls `run` with an observer that translates moves for the caller's observer.
    pub(super) fn observed<T>(
        &mut self,
        control: Control<'_, P::Move>,
        run: impl FnOnce(&mut Drive<'p>, &mut Reports<'_>) -> T,
    ) -> T {
        let mut silent = Silent;
        let observer = control.observer.unwrap_or(&mut silent);
        let prefix = Arc::clone(self.problem.prefix());
        let mut observer = Unpacking { packing: self.packing.clone(), prefix, observer };
        let (interval, last) = (control.interval, self.drive.reported.unwrap_or_else(Instant::now));
        run(&mut self.drive, &mut Reports { observer: &mut observer, interval, best: None, bound: None, last })
    }

    /// Returns the error that user code has reported or shown, if any. Replays the solutions that are new since the
    /// last call.
    pub(super) fn checked(&mut self) -> Result<(), SolveError> {
        if let Some(error) = self.drive.failure() {
            return Err(SolveError::Failed(error));
        }
        if let Some(error) = self.drive.unstarted.clone() {
            return Err(SolveError::Spawn { threads: self.setup.threads, error });
        }
        if let Some(most) = self.drive.endless() {
            return Err(SolveError::Endless(most));
        }
        if let Some((needed, allowed)) = self.drive.overflow() {
            return Err(SolveError::Memory { needed, allowed });
        }
        if let Some(score) = self.drive.flaw() {
            return Err(SolveError::Score(score));
        }
        for solution in self.drive.take_unverified() {
            if self.replays && self.broken.is_none() {
                let Solution { score, moves } = solution.unpacked(&self.packing, self.problem.prefix());
                self.broken = replay(&*self.problem, &moves, score).err();
            }
        }
        // The replay may have met an error that user code reports.
        match (self.drive.failure(), &self.broken) {
            (Some(error), _) => Err(SolveError::Failed(error)),
            (None, Some(error)) => Err(error.clone().into()),
            // A solution that is one, and still better than the bound of the root.
            (None, None) => {
                self.drive.contradiction().map_or(Ok(()), |(score, bound)| Err(SolveError::Bound { score, bound }))
            }
        }
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
        let prefix = self.problem.prefix();
        if let Some(at) = (0..prefix.len()).find(|&at| moves.get(at) != Some(&prefix[at])) {
            return Err(OfferError::Prefix(at).into());
        }
        let before = prefix.len();
        let moves = &moves[before..];
        let moves: Vec<MoveId> = moves.iter().map(|&mv| self.packing.pack(mv)).collect();
        let problem = self.drive.problem();
        let (state, finished) = replay_legal(problem, &moves).map_err(|at| OfferError::Illegal(before + at))?;
        if !finished {
            return Err(OfferError::Unfinished(before + moves.len()).into());
        }
        let score = problem.score(&state);
        let identity = problem.solution_key(&state, &moves).id();
        self.checked()?;
        self.drive.take_up(&Solution { score, moves }, identity);
        self.checked()?;
        Ok(score)
    }

    /// Returns the best solution so far.
    #[must_use]
    pub fn best(&self) -> Option<Solution<P::Move>> {
        self.drive.incumbent().map(|best| best.unpacked(&self.packing, self.problem.prefix()))
    }

    /// Returns the improvements after the first `seen` ones, in the order of the slices that found them.
    #[must_use]
    pub fn improvements_since(&self, seen: usize) -> &[Improvement] {
        self.drive.log.get(seen..).unwrap_or_default()
    }

    /// Playouts and nodes so far, of all streams.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.drive.counters()
    }

    /// Time spent in slices so far, those before a restore included.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.drive.elapsed
    }

    /// The setting of the run, with the name of the rollout filled in.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Returns the problem.
    #[must_use]
    pub fn problem(&self) -> &P {
        &self.problem
    }

    /// Returns what the run is and how far it has come.
    #[must_use]
    pub fn info(&self) -> RunInfo {
        RunInfo { setup: self.setup.clone(), counters: self.counters(), elapsed: self.elapsed() }
    }

    /// Returns the whole run as bytes, the content of a checkpoint: [`Solver::resume`](crate::Solver::resume) continues
    /// from it.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        seal_run(self.problem.fingerprint(), &self.saved())
    }

    /// Writes what [`save`](Self::save) returns to an empty file, with one copy of the search in memory instead of two.
    pub(super) fn write(&self, file: &File) -> std::io::Result<()> {
        write_run(file, self.problem.fingerprint(), &self.saved())
    }

    fn saved(&self) -> CheckpointBody {
        CheckpointBody {
            info: self.info(),
            times: self.drive.times(),
            moves: self.packing.save(),
            prefix: self.problem.prefix().iter().map(|&mv| self.packing.pack(mv)).collect(),
            drive: self.drive.save(),
        }
    }

    /// Returns what the run has yielded so far. Where a limit has ended a beam in its first pass, its best states are
    /// played to their ends for this: that is no part of the run, nor of [`best`](Self::best).
    #[must_use]
    pub fn outcome(&self) -> Outcome<P::Move> {
        let completed = self.drive.completed().filter(|(solution, _)| {
            let Solution { score, moves } = solution.unpacked(&self.packing, self.problem.prefix());
            !self.replays || self.broken.is_none() && replay(&*self.problem, &moves, score).is_ok()
        });
        let result = self.drive.result(completed);
        Outcome {
            best: result.best.map(|best| best.unpacked(&self.packing, self.problem.prefix())),
            kept: result.kept.iter().map(|kept| kept.unpacked(&self.packing, self.problem.prefix())).collect(),
            prefix: self.problem.prefix().len(),
            bound: result.verdict.bound,
            optimal: result.verdict.optimal && self.broken.is_none(),
            infeasible: result.verdict.infeasible && self.broken.is_none(),
            stop: result.stop,
            counters: self.counters(),
            tree: self.drive.tree(),
            elapsed: self.elapsed(),
            unsaved: None,
            history: result.history,
            remarks: result.remarks,
        }
    }
}
