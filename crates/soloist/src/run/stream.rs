//! The workers of a run: each steps a search and publishes its counts and goals to the others.

use super::observer::{Observer, Progress};
use super::outcome::{Counters, Solution, StopReason};
use super::stop_rules::Goals;
use super::warmup::{GAMES, Proof, SavedProof};
use crate::core::abort::Watch;
use crate::core::budget_share::BudgetShare;
use crate::core::limits::ensure;
use crate::erased::MoveId;
use crate::erased::problem::ErasedProblem;
use crate::erased::rollout::ErasedRollout;
use crate::search::{Context, Search, Status, Tally};
use crate::{Rng, Score, Sense};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// One worker's share of a run.
///
/// Aligned to two cache lines, which processors fetch together: streams lie side by side in a list, and each step
/// writes their generators and counts.
#[repr(align(128))]
pub(super) struct Stream<'p> {
    pub(super) rng: Rng,
    pub(super) tally: Tally,
    pub(super) problem: Box<dyn ErasedProblem + 'p>,
    pub(super) rollout: Box<dyn ErasedRollout + 'p>,
    pub(super) search: Box<dyn Search>,
    /// First games that are still to be played.
    pub(super) games: u64,
    /// The attempt at a proof beside the search.
    pub(super) proof: Option<Box<Proof>>,
    pub(super) watch: Watch,
    /// Set when this stream has ended and cannot continue, by a proof or because the method came to its end. Budgets
    /// and targets are those of a part of the run: they leave it empty.
    pub(super) end: Option<StopReason>,
    /// Whether it can only continue after an exchange.
    pub(super) waiting: bool,
    /// Playouts after which it waits to meet the other streams. `None`: it never does.
    pub(super) meeting: Option<u64>,
    pub(super) horizon: BudgetShare,
}

/// How a stream has come to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// It has come to its end, to a goal or to a limit of its own. Counts alone decide where that is.
    Ended(StopReason),
    /// It has made more playouts than another stream had made at its goal.
    Late,
    /// It can only continue after an exchange.
    Waiting,
    /// The part of the run is over; it has more to do.
    Paused,
    /// Time, a signal or a failure stopped it: chance decides how far it has come.
    Cut(StopReason),
}

/// What streams share while they run.
pub(super) struct RunSignals<'s, 'o> {
    pub(super) stop: Option<&'s AtomicBool>,
    /// Set when a stream panics or fails: the others stop as well.
    pub(super) abort: AtomicBool,
    /// Playouts with which a stream is late: one more than the fewest after which one reached a goal. The streams hold
    /// what this follows from, so that each part of a run begins with the value of the part before.
    pub(super) finish: AtomicU64,
    pub(super) playouts: AtomicU64,
    pub(super) nodes: AtomicU64,
    pub(super) reports: Mutex<&'s mut Reports<'o>>,
    pub(super) goals: Goals,
    pub(super) deadline: Option<Instant>,
    /// When this part of the run must end to write a checkpoint.
    pub(super) pause: Option<Instant>,
    /// Whether the observer receives scores of playouts and gauges of searches.
    pub(super) watched: bool,
    /// Time planned for the whole run.
    pub(super) planned: Option<Duration>,
    pub(super) start: Instant,
    pub(super) before: Duration,
}

/// The observer of a run, and its last report.
pub(super) struct Reports<'o> {
    pub(super) observer: &'o mut dyn Observer<MoveId>,
    pub(super) interval: Duration,
    pub(super) best: Option<Score>,
    /// The best bound that a stream has reported.
    pub(super) bound: Option<f64>,
    pub(super) last: Instant,
}

/// A stream in a checkpoint.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct SavedStream {
    rng: Rng,
    tally: Tally,
    end: Option<StopReason>,
    games: u64,
    meeting: Option<u64>,
    proof: Option<SavedProof>,
    rollout: Vec<u8>,
    search: Vec<u8>,
}

impl SavedStream {
    /// How many different solutions the stream keeps.
    pub(super) fn keep(&self) -> usize {
        self.tally.keep
    }

    /// Why the stream cannot continue, where it cannot.
    pub(super) fn end(&self) -> Option<StopReason> {
        self.end
    }

    pub(super) fn playouts(&self) -> u64 {
        self.tally.made()
    }
}

/// The clock is read after a batch of steps sized to take about this long.
const BATCH: Duration = Duration::from_millis(1);

impl Stream<'_> {
    /// Returns what a checkpoint holds of the stream.
    pub(super) fn save(&self) -> SavedStream {
        SavedStream {
            rng: self.rng.clone(),
            tally: self.tally.clone(),
            end: self.end,
            games: self.games,
            meeting: self.meeting,
            proof: self.proof.as_ref().map(|proof| proof.save()),
            rollout: self.rollout.save(),
            search: self.search.save(),
        }
    }

    /// Restores what [`save`](Self::save) returned.
    pub(super) fn load(&mut self, saved: SavedStream) -> Result<(), crate::core::codec::CheckpointError> {
        saved.tally.check(&*self.problem, self.tally.stream)?;
        ensure(saved.end.is_none_or(StopReason::is_final), "an end that does not last")?;
        ensure(saved.games <= GAMES, "more first games than are played")?;
        match (&mut self.proof, saved.proof) {
            (Some(proof), Some(saved)) => proof.load(&*self.problem, saved)?,
            (None, None) => {}
            _ => return Err(crate::core::codec::CheckpointError::Corrupt("an attempt at a proof")),
        }
        self.search.load(&*self.problem, &saved.search)?;
        self.rollout.load(&saved.rollout)?;
        ensure(self.rollout.players() == self.search.players(), "players of another search")?;
        (self.rng, self.tally) = (saved.rng, saved.tally);
        (self.end, self.games) = (saved.end, saved.games);
        self.meeting = saved.meeting;
        self.waiting = self.search.share().is_some() || self.is_due();
        Ok(())
    }

    /// Gives the search a solution from outside, which is legal and finished.
    pub(super) fn adopt(&mut self, solution: &Solution<MoveId>, identity: u128) {
        if self.tally.wants(solution.score) {
            self.tally.keep(solution.clone(), identity);
        }
        let (search, mut context) = self.parts();
        search.adopt(&mut context, solution);
    }

    /// Returns a bound on the scores of all solutions, from that of the problem's root and what the search has left
    /// over.
    /// `None`: unknown.
    pub(super) fn bound(&self, root: Option<f64>) -> Option<f64> {
        let sense = self.problem.sense();
        let root = root?;
        if self.watch.is_abandoned() {
            // A search that stands inside a step knows nothing of what is left.
            return Some(root);
        }
        // What was seen is no better than the incumbent.
        let best = self.tally.best.as_ref().and_then(|best| best.score.value());
        let left = self.open_bound().map(|left| best.map_or(left, |best| sense.best_value(best, left)));
        tighter(sense, Some(root), left)
    }

    pub(super) fn parts(&mut self) -> (&mut dyn Search, Context<'_>) {
        let Self { rng, tally, problem, rollout, search, horizon, .. } = self;
        let horizon = *horizon;
        (&mut **search, Context { problem: &**problem, rollout: &mut **rollout, rng, tally, horizon })
    }

    /// Whether user code has reported an error, or a score that is not finite.
    pub(super) fn has_failed(&self) -> bool {
        let problem = self.problem.has_failed() && !self.watch.is_abandoned();
        problem || self.tally.flaw.is_some() || self.watch.endless().is_some() || self.watch.overflow().is_some()
    }

    /// Steps until the stream has come to rest.
    pub(super) fn run(&mut self, shared: &RunSignals<'_, '_>) -> Rest {
        self.tally.sample.watch(shared.watched, self.tally.counters.playouts);
        // Steps between two looks at the clock: of the search, and of the attempt at a proof.
        let mut batches = [1_u64; 2];
        let mut now = Instant::now();
        let mut known = self.tally.counters;
        let goals = shared.goals;
        let sense = self.problem.sense();
        loop {
            if let Some(rest) = self.must_rest(shared, now) {
                return rest;
            }
            self.horizon.time = shared.part_of_time(now);
            let time = shared.planned.filter(|_| self.horizon.playouts.is_none() && self.horizon.nodes.is_none());
            let elapsed = shared.before + now.saturating_duration_since(shared.start);
            let turn = match (time, &mut self.proof) {
                (Some(planned), Some(proof)) => proof.take_turn(&self.tally, elapsed, planned),
                _ => false,
            };
            let batch = &mut batches[usize::from(turn)];
            let has_switched = self.steps(*batch, time.is_some(), shared, &mut known);
            if self.problem.has_failed() {
                continue;
            }
            let then = std::mem::replace(&mut now, Instant::now());
            let took = now - then;
            if has_switched {
                *batch = 1;
            } else if took < BATCH / 2 {
                *batch = batch.saturating_mul(2);
            } else if took > BATCH * 2 {
                *batch = (*batch / 2).max(1);
            }
            if turn && let Some(proof) = &mut self.proof {
                proof.spend(took);
            }
            if shared.tick(now, sense, || self.bound(goals.bound)) && shared.watched {
                let scores = self.tally.sample.report(self.tally.counters.playouts);
                shared.tell(&scores, &self.search.gauges());
            }
            // Asked after the work: each part makes progress, however short the interval of checkpoints is.
            if shared.pause.is_some_and(|pause| now >= pause) {
                return self.at_rest(shared).unwrap_or(if self.waiting { Rest::Waiting } else { Rest::Paused });
            }
        }
    }

    /// Why no step may be made now: user code has failed, a limit inside a step is over, counts or a goal have ended
    /// the stream, somebody stops the run, the time is over, or the other streams are waited for.
    fn must_rest(&mut self, shared: &RunSignals<'_, '_>, now: Instant) -> Option<Rest> {
        if self.has_failed() {
            shared.abort.store(true, Ordering::Relaxed);
            return Some(Rest::Cut(StopReason::Interrupted));
        }
        let stopped = shared.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        if self.watch.is_abandoned() {
            // Nothing that the step says of the search is true.
            (self.end, self.waiting) = (None, false);
            return Some(Rest::Cut(if stopped { StopReason::Interrupted } else { StopReason::Time }));
        }
        if let Some(rest) = self.at_rest(shared) {
            return Some(rest);
        }
        if stopped || shared.abort.load(Ordering::Relaxed) {
            return Some(Rest::Cut(StopReason::Interrupted));
        }
        if shared.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Rest::Cut(StopReason::Time));
        }
        self.waiting.then_some(Rest::Waiting)
    }

    /// Makes as many steps, fewer where the stream ends, waits, reaches a limit or goes over to another method; whether
    /// it has gone over. `by_time`: the run is planned by time. `known`: what has been published of the counts.
    fn steps(&mut self, most: u64, by_time: bool, shared: &RunSignals<'_, '_>, known: &mut Counters) -> bool {
        let sense = self.problem.sense();
        let mut has_switched = false;
        for _ in 0..most {
            let improvements = self.tally.history.len();
            match self.step(by_time) {
                Status::Running => {}
                Status::Exhausted(proof) => self.end = Some(proof.into()),
                Status::Completed => self.end = Some(StopReason::Completed),
                Status::Waiting => self.waiting = true,
            }
            if self.tally.history.len() > improvements {
                shared.publish(known, self.tally.counters);
                shared.improved(sense, &self.tally);
            }
            if self.watch.is_raised() || self.watch.is_void() {
                break;
            }
            self.waiting |= self.is_due();
            // As many steps of another method may take a thousand times as long.
            has_switched = std::mem::take(&mut self.tally.has_switched);
            let over = self.end.is_some() || self.waiting || has_switched;
            if over || self.limit(shared.goals.reached_now(&self.tally, improvements)).is_some() {
                break;
            }
        }
        shared.publish(known, self.tally.counters);
        has_switched
    }

    /// Whether counts alone have ended this stream; announces a goal to the others.
    fn at_rest(&mut self, shared: &RunSignals<'_, '_>) -> Option<Rest> {
        let playouts = self.playouts();
        if let Some(reason) = self.goal(&shared.goals) {
            // Others with as many playouts may still prove something without a further one, and then count instead.
            shared.finish.fetch_min(playouts.saturating_add(1), Ordering::Relaxed);
            self.end = self.end.or(Some(reason).filter(|reason| reason.is_final()));
            return Some(Rest::Ended(reason));
        }
        if let Some(reason) = self.end.or_else(|| self.limit(None)) {
            return Some(Rest::Ended(reason));
        }
        (playouts >= shared.finish.load(Ordering::Relaxed)).then_some(Rest::Late)
    }

    /// Returns the goal that this stream has reached: it has examined everything, or its incumbent is good enough.
    pub(super) fn goal(&self, goals: &Goals) -> Option<StopReason> {
        let exhausted = self.end.filter(|&end| end == StopReason::Exhausted);
        exhausted.or_else(|| goals.reached(&self.tally.best))
    }

    pub(super) fn playouts(&self) -> u64 {
        self.tally.made()
    }

    /// Playouts at the last improvement and number of the stream.
    pub(super) fn since(&self) -> (u64, usize) {
        (self.tally.history.last().map_or(0, |last| last.playouts), self.tally.stream)
    }

    /// Returns the count that is used up, if any.
    #[inline]
    fn limit(&self, reached: Option<StopReason>) -> Option<StopReason> {
        let Counters { playouts, nodes } = self.tally.counters;
        if reached.is_some() {
            return reached;
        }
        // Before the counts, whose limits depend on the slice: a stream that has stalled has stalled in all of them.
        let last = self.tally.history.last().map_or(0, |last| last.playouts);
        if playouts.saturating_sub(last) >= self.tally.limits.stall {
            return Some(StopReason::Stall);
        }
        if playouts >= self.tally.limits.playouts {
            return Some(StopReason::Playouts);
        }
        (nodes >= self.tally.limits.nodes).then_some(StopReason::Nodes)
    }
}

/// Returns the tighter of two bounds.
pub(super) fn tighter(sense: Sense, a: Option<f64>, b: Option<f64>) -> Option<f64> {
    let both = a.zip(b).map(|(a, b)| sense.worst_value(a, b));
    both.or(a).or(b)
}

impl RunSignals<'_, '_> {
    /// Returns the part of the time planned that is over.
    fn part_of_time(&self, now: Instant) -> Option<f64> {
        let over = self.before + now.saturating_duration_since(self.start);
        // No time at all is over at once.
        self.planned.map(|planned| (over.as_secs_f64() / planned.as_secs_f64().max(1e-9)).min(1.0))
    }

    fn now(&self) -> Progress {
        Progress {
            elapsed: self.before + self.start.elapsed(),
            counters: Counters {
                playouts: self.playouts.load(Ordering::Relaxed),
                nodes: self.nodes.load(Ordering::Relaxed),
            },
            best: None,
            bound: None,
        }
    }

    /// Adds what a stream did since `known` to the totals.
    fn publish(&self, known: &mut Counters, counters: Counters) {
        self.playouts.fetch_add(counters.playouts - known.playouts, Ordering::Relaxed);
        // A tree may take back a node that it created: a slot that turns out to be another way to a known node.
        self.nodes.fetch_add(counters.nodes.wrapping_sub(known.nodes), Ordering::Relaxed);
        *known = counters;
    }

    fn improved(&self, sense: Sense, tally: &Tally) {
        let (Some(solution), Some(improvement)) = (&tally.best, tally.history.last()) else { return };
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        if reports.best.is_none_or(|best| sense.better(solution.score, best)) {
            reports.best = Some(solution.score);
            let progress = Progress { best: reports.best, bound: reports.bound, ..self.now() };
            reports.observer.improved(improvement, solution, &progress);
        }
    }

    /// Reports progress when the interval has passed; a stream that finds the observer busy continues.
    ///
    /// `bound` computes the stream's bound. Returns whether progress was reported.
    fn tick(&self, now: Instant, sense: Sense, bound: impl FnOnce() -> Option<f64>) -> bool {
        if let Ok(mut reports) = self.reports.try_lock()
            && now.saturating_duration_since(reports.last) >= reports.interval
        {
            reports.last = now;
            reports.bound = tighter(sense, reports.bound, bound());
            let progress = Progress { best: reports.best, bound: reports.bound, ..self.now() };
            reports.observer.progress(&progress);
            return true;
        }
        false
    }

    /// Tells the observer scores of playouts and gauges of a search.
    fn tell(&self, scores: &[f64], gauges: &[(&'static str, f64)]) {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        if !scores.is_empty() {
            reports.observer.scores(scores);
        }
        if !gauges.is_empty() {
            reports.observer.gauges(gauges);
        }
    }
}
