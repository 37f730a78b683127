//! A run in progress without its problem's type: all that a [`Session`](super::Session) does but the translation of
//! moves. It is compiled once.

use super::budget::{Budget, Plan};
use super::checkpoint::{CheckpointBody, RunInfo, decode_run, seal_run, write_run};
use super::error::{OfferError, SolveError};
use super::file::Claimed;
use super::meetings::next_meeting;
use super::observer::{Observer, Progress, Silent};
use super::outcome::{Outcome, Solution, StopReason};
use super::setup::Setup;
use super::stream::{Reports, Stream};
use super::stream_loop::{Drive, SliceLimits};
use super::verify::{ReplayError, replay_ids};
use super::warmup::{self, GAMES, Proof};
use crate::core::abort::Watch;
use crate::core::budget_share::BudgetShare;
use crate::core::codec::{CheckpointError, open};
use crate::core::limits::ensure;
use crate::erased::MoveId;
use crate::erased::source::ErasedSource;
use crate::search::{Tally, replay_legal};
use crate::{Rng, Score};
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The time between two reports of progress where nothing else is asked for.
pub(super) const INTERVAL: Duration = Duration::from_millis(200);

/// Why the last checkpoint of an abandoned run is not written.
const INSIDE: &str = "the run was ended inside a step: the checkpoint before that step stays";

/// What is said of a run that has ended for want of a limit.
const UNLIMITED: &str = "no limit was set: the run had the 30 s of Budget::DEFAULT_TIME";

/// The streams of a run, and what is known of its results. Every function is given the source that it was made from.
pub(super) struct Running<'p> {
    pub(super) setup: Setup,
    pub(super) drive: Drive<'p>,
    /// Why no result of the run can be relied on, if none can.
    broken: Option<ReplayError>,
    /// Whether results are replayed.
    pub(super) replays: bool,
}

/// What watches and stops a slice of a run, which moves have been hidden from.
pub(super) struct Watching<'a> {
    pub(super) observer: &'a mut dyn Observer<MoveId>,
    pub(super) interval: Duration,
    pub(super) stop: Option<&'a AtomicBool>,
}

fn no_rollout(source: &dyn ErasedSource<'_>, name: &str, known: &[&str]) -> SolveError {
    let word = name.split(':').next().unwrap_or_default();
    let is_method = source.searches().iter().any(|info| info.name == word);
    SolveError::Rollout { name: name.to_owned(), known: known.join(", "), is_method }
}

impl<'p> Running<'p> {
    /// Builds the streams of a run; `memory` bytes are for the searches of all.
    pub(super) fn new(
        source: &dyn ErasedSource<'p>,
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
        let searches = source.searches();
        // The problem's own searches make whole solutions: behind a prefix there are none.
        let usable = if source.is_begun() { &[] } else { searches.as_slice() };
        if let Err(error) = setup.method.resolve(usable) {
            let is_own = source.is_begun() && setup.method.resolve(&searches).is_ok();
            return Err(if is_own { SolveError::Whole(error) } else { error.into() });
        }
        setup.validate()?;
        let (word, facts) = (Arc::default(), source.facts());
        let rollout = setup.rollout.clone().unwrap_or_else(|| setup.rollout_of(source).to_owned());
        setup.rollout = Some(rollout.clone());
        let mut streams = Vec::new();
        let count = setup.streams();
        for (index, rng) in Rng::streams(setup.seed).take(count).enumerate() {
            let watch = Watch::new(&word, budget.max_moves, facts.fault.clone());
            let player =
                source.player(watch.clone(), &rollout).map_err(|known| no_rollout(source, &rollout, &known))?;
            let rules = source.rules(facts.clone(), watch.clone());
            for name in setup.method.rollouts(&*rules).map_err(SolveError::Portfolio)? {
                source.find_rollout(&name).map_err(|known| no_rollout(source, &name, &known))?;
            }
            let least = setup.method.least_memory(&*rules);
            let (needed, share) = (least.saturating_mul(count as u64), memory / count as u64);
            if needed > memory {
                return Err(SolveError::Memory { needed, allowed: memory });
            }
            // One attempt at a proof is enough: all streams are the same size, so that they search alike.
            let wanted =
                if setup.proof > 0.0 { warmup::memory_of(&setup.method, &*rules, share).min(share - least) } else { 0 };
            let proof = (index == 0).then(|| Proof::new(setup.proof, &setup.method, &*rules, wanted)).flatten();
            let mut search = setup.method.build(&*rules, share - wanted);
            search.set_workers(setup.threads / count);
            streams.push(Stream {
                rng,
                tally: Tally::new(rules.sense(), index, keep),
                problem: rules,
                rollout: player,
                waiting: search.share().is_some(),
                search,
                games: if setup.method.plays_first() { 0 } else { GAMES },
                proof,
                watch,
                end: None,
                meeting: (count > 1 && setup.method.meets(budget.time.is_some())).then(|| next_meeting(0)),
                horizon: BudgetShare::default(),
            });
        }
        let mut run = Self { setup, drive: Drive::new(streams, word), broken: None, replays: true };
        run.checked(source)?;
        Ok(run)
    }

    /// Restores the run in `bytes`, a checkpoint of this problem.
    pub(super) fn restore(
        source: &mut dyn ErasedSource<'p>,
        bytes: &[u8],
        budget: &Budget,
    ) -> Result<Self, SolveError> {
        let body = open(source.fingerprint(), bytes)?;
        let CheckpointBody { info, times, moves, prefix, drive } = decode_run(body)?;
        source.load_moves(&moves)?;
        if source.begin(&prefix).ok_or(CheckpointError::Corrupt("an illegal move"))? {
            return Err(SolveError::Resumed);
        }
        let mut run = Self::new(source, info.setup, budget, 0)?;
        // Whatever was listed meanwhile, the numbers of moves are those of the checkpoint.
        source.load_moves(&moves)?;
        run.drive.load(drive, info.elapsed)?;
        run.drive.set_times(&times)?;
        run.drive.note();
        ensure(run.drive.counters() == info.counters, "counters of another run")?;
        run.checked(source)?;
        Ok(run)
    }

    /// Runs a slice, to which what was granted before is added.
    pub(super) fn advance(
        &mut self,
        source: &dyn ErasedSource<'p>,
        slice: &Budget,
        watching: Watching<'_>,
    ) -> Result<StopReason, SolveError> {
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
        let reason = self.slice(part, watching);
        self.checked(source)?;
        Ok(reason.unwrap_or(StopReason::Time))
    }

    fn slice(&mut self, limits: SliceLimits, watching: Watching<'_>) -> Option<StopReason> {
        let Watching { observer, interval, stop } = watching;
        let last = self.drive.reported.unwrap_or_else(Instant::now);
        self.drive.run(limits, stop, &mut Reports { observer, interval, best: None, bound: None, last })
    }

    /// Runs to the end of a budget; see [`Solver::run`](super::Solver::run). `claimed` is the file of checkpoints, with
    /// the time between two of them.
    pub(super) fn finish(
        mut self,
        source: &dyn ErasedSource<'p>,
        budget: &Budget,
        mut claimed: Option<(Claimed, Duration)>,
        watching: Watching<'_>,
    ) -> Result<Outcome<MoveId>, SolveError> {
        let Watching { observer, interval, stop } = watching;
        self.setup.check_limits(budget)?;
        if let Some((claimed, _)) = &mut claimed {
            claimed.write(|file| self.write(source, file)).map_err(CheckpointError::Write)?;
        }
        let is_unlimited = budget.is_unlimited() && stop.is_none();
        let time = budget.time.map(|time| time.saturating_sub(self.drive.elapsed));
        let time = time.or(is_unlimited.then_some(Budget::DEFAULT_TIME));
        let whole = SliceLimits {
            playouts: budget.playouts,
            nodes: budget.nodes,
            stall: budget.stall,
            target: budget.target,
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            pause: None,
            abandons: true,
        };
        let mut unsaved = None;
        loop {
            let pause = claimed.as_ref().and_then(|(_, every)| Instant::now().checked_add(*every));
            let reason =
                self.slice(SliceLimits { pause, ..whole }, Watching { observer: &mut *observer, interval, stop });
            self.checked(source)?;
            if self.drive.is_abandoned() {
                unsaved = claimed.is_some().then(|| INSIDE.to_owned());
            } else if let Some((claimed, _)) = &mut claimed {
                // A full disk must not end the search: the checkpoint is tried again at the next interval.
                let written = claimed.write(|file| self.write(source, file)).map_err(CheckpointError::Write);
                if let Err(error) = &written {
                    observer.unsaved(error);
                }
                unsaved = written.err().map(|error| error.to_string());
            }
            if reason.is_some() {
                break;
            }
        }
        let mut outcome = self.outcome(source);
        // What is beyond the solutions of the run was completed behind the limit.
        let known = self.drive.incumbent().map(|best| best.score);
        if let (Some(best), Some(last)) = (&outcome.best, outcome.history.last())
            && known != Some(best.score)
        {
            let (elapsed, counters, bound) = (outcome.elapsed, outcome.counters, outcome.bound);
            observer.improved(last, best, &Progress { elapsed, counters, best: Some(best.score), bound });
        }
        if is_unlimited && outcome.stop == StopReason::Time {
            outcome.remarks.push(UNLIMITED.to_owned());
        }
        Ok(Outcome { unsaved, ..outcome })
    }

    /// Returns the error that user code has reported or shown, if any. Replays the solutions that are new since the
    /// last call.
    pub(super) fn checked(&mut self, source: &dyn ErasedSource<'p>) -> Result<(), SolveError> {
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
                let (rules, moves) = source.whole(&solution.moves);
                self.broken = replay_ids(&*rules, &moves, solution.score).err();
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

    /// Gives the run a finished solution from outside, without its prefix of `before` moves.
    pub(super) fn offer(
        &mut self,
        source: &dyn ErasedSource<'p>,
        moves: Vec<MoveId>,
        before: usize,
    ) -> Result<Score, SolveError> {
        let problem = self.drive.problem();
        let (state, finished) = replay_legal(problem, &moves).map_err(|at| OfferError::Illegal(before + at))?;
        if !finished {
            return Err(OfferError::Unfinished(before + moves.len()).into());
        }
        let score = problem.score(&state);
        let identity = problem.solution_key(&state, &moves).id();
        self.checked(source)?;
        self.drive.adopt(&Solution { score, moves }, identity);
        self.checked(source)?;
        Ok(score)
    }

    /// Returns what the run is and how far it has come.
    pub(super) fn info(&self) -> RunInfo {
        RunInfo { setup: self.setup.clone(), counters: self.drive.counters(), elapsed: self.drive.elapsed }
    }

    /// Returns the whole run as bytes.
    pub(super) fn save(&self, source: &dyn ErasedSource<'p>) -> Vec<u8> {
        seal_run(source.fingerprint(), &self.saved(source))
    }

    /// Writes what [`save`](Self::save) returns to an empty file, with one copy of the search in memory instead of two.
    fn write(&self, source: &dyn ErasedSource<'p>, file: &File) -> std::io::Result<()> {
        write_run(file, source.fingerprint(), &self.saved(source))
    }

    fn saved(&self, source: &dyn ErasedSource<'p>) -> CheckpointBody {
        CheckpointBody {
            info: self.info(),
            times: self.drive.times(),
            moves: source.save_moves(),
            prefix: source.prefix(),
            drive: self.drive.save(),
        }
    }

    /// Returns what the run has yielded so far, without its prefix. Where a limit has ended a beam in its first pass,
    /// its best states are played to their ends for this: that is no part of the run.
    pub(super) fn outcome(&self, source: &dyn ErasedSource<'p>) -> Outcome<MoveId> {
        let completed = self.drive.completed().filter(|(solution, _)| {
            let stands = || {
                let (rules, moves) = source.whole(&solution.moves);
                replay_ids(&*rules, &moves, solution.score).is_ok()
            };
            !self.replays || self.broken.is_none() && stands()
        });
        let result = self.drive.result(completed);
        Outcome {
            best: result.best,
            kept: result.kept,
            prefix: 0,
            bound: result.verdict.bound,
            optimal: result.verdict.optimal && self.broken.is_none(),
            infeasible: result.verdict.infeasible && self.broken.is_none(),
            stop: result.stop,
            counters: self.drive.counters(),
            tree: self.drive.tree(),
            elapsed: self.drive.elapsed,
            unsaved: None,
            history: result.history,
            remarks: result.remarks,
        }
    }
}

/// Makes one slice of a run that is planned for `plan`: why it ended, and what it has yielded.
pub(crate) fn try_out(
    source: &dyn ErasedSource<'_>,
    setup: Setup,
    plan: &Budget,
    slice: &Budget,
    stop: Option<&AtomicBool>,
) -> Result<(StopReason, Outcome<MoveId>), SolveError> {
    let mut run = Running::new(source, setup, plan, 1)?;
    run.drive.plan = Plan::of(plan);
    let watching = Watching { observer: &mut Silent, interval: INTERVAL, stop };
    let reason = run.advance(source, slice, watching)?;
    Ok((reason, run.outcome(source)))
}
