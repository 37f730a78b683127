//! The loop over the streams of a run: limits, clocks, exchanges, and what the streams yield together.

use super::budget::Plan;
use super::meetings::Talk;
use super::outcome::{Counters, Improvement, Solution, StopReason, TreeShape};
use super::stop_rules::{Goals, root_bound};
use super::stream::{Reports, Rest, RunSignals, SavedStream, Stream, tighter};
use super::verdict::Verdict;
use crate::core::abort::{Alarm as Bell, Demand, watched};
use crate::core::budget_share::BudgetShare;
use crate::core::codec::CheckpointError;
use crate::core::limits::ensure;
use crate::core::order;
use crate::erased::MoveId;
use crate::search::step::Unfinished;
use crate::search::{Clock, Exchange, Limits, insert};
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Remarks on limits that bind inside a step.
const ABANDONED: &str = "the limit was reached long before the end of a step, which was abandoned: \
                         the best solution stands, the run cannot be continued from here";
const FRUITLESS: &str = "the limit was reached inside the first step, which was abandoned: there is no solution, and the run \
                         cannot be continued from here";
const SHORTENED: &str = "the limit was reached long before the end of a playout, which was cut short: \
                         a run without that limit makes other playouts";
const COMPLETED: &str = "the first pass of a beam was cut off: the best solution is one of its best states, played to its end \
                         after the limit";
/// The most time that this may take where a clock or a signal has ended the run: in seconds, or as a fraction of it.
const COMPLETION: Duration = Duration::from_millis(50);
const COMPLETION_PART: u32 = 50;
const UNWATCHED: &str = "no further thread could be started: limits of time and signals were obeyed between steps only";

/// All streams of a run, and the budget that they have been granted.
pub(super) struct Drive<'p> {
    pub(super) streams: Vec<Stream<'p>>,
    /// What ends a step of any stream from inside.
    word: Arc<AtomicU8>,
    /// Whether a part ran without anything that could end a step from inside.
    unwatched: bool,
    /// Why a thread could not be started.
    pub(super) unstarted: Option<String>,
    /// The bound of the root.
    bound: Option<f64>,
    /// Playouts and nodes that slices have granted so far: more than were made where a stream ended early, fewer where
    /// a step made several nodes.
    granted: Counters,
    pub(super) elapsed: Duration,
    stop: StopReason,
    /// The budget of the whole run, which methods divide.
    pub(super) plan: Plan,
    /// The target of the last slice.
    target: Option<f64>,
    /// Improvements in the order of the slices that found them.
    pub(super) log: Vec<Improvement>,
    /// When progress was reported last, and the best bound that was reported.
    pub(super) reported: Option<Instant>,
    told: Option<f64>,
}

/// Limits of a part of a run; the counts are those of the whole run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SliceLimits {
    pub(super) playouts: Option<u64>,
    pub(super) nodes: Option<u64>,
    pub(super) stall: Option<u64>,
    pub(super) target: Option<f64>,
    pub(super) deadline: Option<Instant>,
    /// When the part ends without ending the run.
    pub(super) pause: Option<Instant>,
    /// Whether a step that is far beyond the deadline or the first signal may be abandoned: the run is over then.
    pub(super) abandons: bool,
}

/// What the streams of a run yield together.
pub(super) struct RunYield {
    pub(super) best: Option<Solution<MoveId>>,
    pub(super) kept: Vec<Solution<MoveId>>,
    pub(super) verdict: Verdict,
    pub(super) stop: StopReason,
    pub(super) history: Vec<Improvement>,
    pub(super) remarks: Vec<String>,
}

/// A run in a checkpoint.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct SavedDrive {
    granted: Counters,
    stop: StopReason,
    target: Option<f64>,
    log: Vec<Improvement>,
    streams: Vec<SavedStream>,
}

impl SavedDrive {
    pub(super) fn streams(&self) -> usize {
        self.streams.len()
    }

    /// How many different solutions the run keeps.
    pub(super) fn keep(&self) -> usize {
        self.streams.first().map_or(1, |stream| stream.keep().max(1))
    }

    /// Why the run cannot continue, where it cannot.
    pub(super) fn ended(&self) -> Option<StopReason> {
        let proofs = self.streams.iter().filter(|stream| stream.end().is_some_and(is_goal));
        let first = proofs.map(SavedStream::playouts).min();
        // With a larger budget, a stream that met its limit before it had caught up may still prove something earlier.
        let at_end =
            |stream: &SavedStream| stream.end().is_some() || first.is_some_and(|playouts| stream.playouts() > playouts);
        Some(self.stop).filter(|stop| stop.is_final() && self.streams.iter().all(at_end))
    }
}

/// Whether a run is over when one of its streams ends for this reason.
fn is_goal(reason: StopReason) -> bool {
    matches!(reason, StopReason::Exhausted | StopReason::Bound | StopReason::Target)
}

impl<'p> Drive<'p> {
    /// Returns a run that has not begun.
    pub(super) fn new(streams: Vec<Stream<'p>>, word: Arc<AtomicU8>) -> Self {
        let granted = Counters::default();
        let stop = StopReason::Playouts;
        let bound = streams.first().and_then(|stream| root_bound(&*stream.problem));
        let (plan, log) = (Plan::default(), Vec::new());
        Self {
            bound,
            streams,
            word,
            unwatched: false,
            unstarted: None,
            granted,
            elapsed: Duration::ZERO,
            stop,
            plan,
            target: None,
            log,
            reported: None,
            told: None,
        }
    }

    pub(super) fn save(&self) -> SavedDrive {
        SavedDrive {
            granted: self.granted,
            stop: self.stop,
            target: self.target,
            log: self.log.clone(),
            streams: self.streams.iter().map(Stream::save).collect(),
        }
    }

    pub(super) fn load(&mut self, saved: SavedDrive, elapsed: Duration) -> Result<(), CheckpointError> {
        if saved.streams.len() != self.streams.len() {
            return Err(CheckpointError::Corrupt("another number of streams"));
        }
        for (stream, saved) in self.streams.iter_mut().zip(saved.streams) {
            stream.load(saved)?;
        }
        let sense = self.sense();
        let rising = saved.log.windows(2).all(|pair| sense.better(pair[1].score, pair[0].score));
        // A checkpoint in the middle of a slice has improvements that are not in the log.
        let best = self.best().map(|best| best.score);
        let known = |last: &Improvement| best.is_some_and(|best| sense.at_least(best, last.score));
        ensure(rising && saved.log.last().is_none_or(known), "a log of another incumbent")?;
        (self.granted, self.stop, self.target) = (saved.granted, saved.stop, saved.target);
        let goals = self.goals();
        let at_bound = |stream: &Stream<'_>| goals.reached(&stream.tally.best) == Some(StopReason::Bound);
        let proven = self.streams.iter().all(|stream| stream.end != Some(StopReason::Bound) || at_bound(stream));
        let ended = !is_goal(saved.stop) || self.first().is_some();
        let exhausted = self.streams.iter().any(|stream| stream.end == Some(StopReason::Exhausted));
        let exhausted = exhausted || saved.stop != StopReason::Exhausted;
        ensure(proven && ended && exhausted, "a goal that no stream has reached")?;
        (self.log, self.elapsed) = (saved.log, elapsed);
        Ok(())
    }

    /// Returns when each improvement was found, those of the streams before those of the log.
    pub(super) fn times(&self) -> Vec<Duration> {
        let events = self.streams.iter().flat_map(|stream| &stream.tally.history).chain(&self.log);
        events.map(|event| event.elapsed).collect()
    }

    /// Restores the times saved by [`times`](Self::times).
    pub(super) fn set_times(&mut self, times: &[Duration]) -> Result<(), CheckpointError> {
        let events = self.streams.iter_mut().flat_map(|stream| &mut stream.tally.history).chain(&mut self.log);
        let events: Vec<&mut Improvement> = events.collect();
        let possible = times.iter().all(|&time| time <= self.elapsed);
        ensure(events.len() == times.len() && possible, "times of other improvements")?;
        for (event, &time) in events.into_iter().zip(times) {
            event.elapsed = time;
        }
        Ok(())
    }

    pub(super) fn sense(&self) -> Sense {
        self.streams[0].problem.sense()
    }

    pub(super) fn counters(&self) -> Counters {
        Counters {
            playouts: self.streams.iter().map(|stream| stream.tally.counters.playouts).sum(),
            nodes: self.streams.iter().map(|stream| stream.tally.counters.nodes).sum(),
        }
    }

    /// Returns the nodes of the trees of all streams.
    pub(super) fn tree(&self) -> TreeShape {
        let mut tree = TreeShape::default();
        self.streams.iter().for_each(|stream| tree.merge(&stream.tally.tree));
        tree
    }

    /// Returns the limits of the whole run that a slice adds up to.
    pub(super) fn grant(&self, slice: SliceLimits) -> SliceLimits {
        let sum = |granted: u64, slice: Option<u64>| slice.map(|slice| granted.saturating_add(slice));
        SliceLimits {
            playouts: sum(self.granted.playouts, slice.playouts),
            nodes: sum(self.granted.nodes, slice.nodes),
            ..slice
        }
    }

    /// Returns the best incumbent; ties go to the lowest stream.
    pub(super) fn best(&self) -> Option<&Solution<MoveId>> {
        let sense = self.sense();
        let mut best: Option<&Solution<MoveId>> = None;
        for solution in self.streams.iter().filter_map(|stream| stream.tally.best.as_ref()) {
            if best.is_none_or(|best| sense.better(solution.score, best.score)) {
                best = Some(solution);
            }
        }
        best
    }

    /// Gives every stream a solution from outside, which is legal and finished.
    pub(super) fn adopt(&mut self, solution: &Solution<MoveId>, identity: u128) {
        for stream in &mut self.streams {
            stream.tally.clock = Clock::stopped(self.elapsed);
            stream.adopt(solution, identity);
        }
        self.note();
    }

    /// Runs all streams until the run or the part ends. `None`: only the part did.
    pub(super) fn run(
        &mut self,
        part: SliceLimits,
        stop: Option<&AtomicBool>,
        reports: &mut Reports<'_>,
    ) -> Option<StopReason> {
        let count = self.streams.len() as u64;
        let start = Instant::now();
        self.target = part.target;
        let goal = self.goals().nearest();
        for (index, stream) in self.streams.iter_mut().enumerate() {
            let share = |all: Option<u64>| all.map(|all| all / count + u64::from(all % count > index as u64));
            stream.tally.limits = Limits {
                playouts: share(part.playouts).unwrap_or(u64::MAX),
                nodes: share(part.nodes).unwrap_or(u64::MAX),
                stall: part.stall.unwrap_or(u64::MAX),
                goal,
            };
            stream.tally.clock = Clock::running(self.elapsed, start);
            stream.horizon =
                BudgetShare { playouts: share(self.plan.playouts), nodes: share(self.plan.nodes), time: None };
        }
        reports.best = self.best().map(|best| best.score);
        reports.bound = self.told.or(self.bound);
        let made = self.counters();
        let shared = RunSignals {
            watched: reports.observer.wants_insight(),
            stop,
            abort: AtomicBool::new(false),
            finish: AtomicU64::new(self.first().map_or(u64::MAX, |(first, _)| first.playouts().saturating_add(1))),
            playouts: AtomicU64::new(made.playouts),
            nodes: AtomicU64::new(made.nodes),
            reports: Mutex::new(&mut *reports),
            goals: self.goals(),
            deadline: part.deadline,
            pause: part.pause,
            planned: self.plan.time,
            start,
            before: self.elapsed,
        };
        let demand = if part.abandons { Demand::Abandon } else { Demand::Shorten };
        let fault = self.streams[0].problem.facts().fault.clone().filter(|_| part.abandons);
        let bell = Bell { demand, deadline: part.deadline, stop, begin: start.checked_sub(self.elapsed), fault };
        let word = Arc::clone(&self.word);
        let (rests, watched) = watched(&word, &bell, || self.run_part(&shared));
        self.unwatched |= !watched;
        (self.told, self.reported) = (reports.bound, Some(reports.last));
        self.elapsed += start.elapsed();
        let reason = self.reason(&rests);
        let made = self.counters();
        // A count stays granted where a stream has used its share of it. What a goal, a clock or a signal cut off is
        // not made up for later.
        let is_used = |rest: &Rest| matches!(rest, Rest::Ended(StopReason::Playouts | StopReason::Nodes));
        let was_cut = rests.iter().any(|rest| matches!(rest, Rest::Cut(_) | Rest::Paused));
        // Where a stream has stalled and the others wait for it, nothing more can be used.
        let is_used = !was_cut && reason != Some(StopReason::Stall) && rests.iter().any(is_used);
        let used = |limit: Option<u64>, made: u64| match limit {
            Some(limit) if is_used => limit,
            limit => made.min(limit.unwrap_or(u64::MAX)),
        };
        self.granted = Counters { playouts: used(part.playouts, made.playouts), nodes: used(part.nodes, made.nodes) };
        // A run that is restored from a checkpoint in its middle was interrupted there.
        self.stop = reason.unwrap_or(StopReason::Interrupted);
        if reason.is_some() {
            self.note();
        }
        reason
    }

    /// Returns what searches have unfinished that a limit has ended before they had finished anything, played to its
    /// end, where it is better than what they have. It is no part of the run, which may continue.
    pub(super) fn completed(&self) -> Option<(Solution<MoveId>, Improvement)> {
        if self.stop.is_final() || self.stop == StopReason::Target || self.decisive().is_some() {
            return None;
        }
        // Whatever was asked for has been done.
        self.word.store(0, Ordering::Relaxed);
        let sense = self.sense();
        let by_clock = matches!(self.stop, StopReason::Time | StopReason::Interrupted);
        let until = by_clock.then(|| Instant::now() + COMPLETION.max(self.elapsed / COMPLETION_PART));
        let incumbent = self.best().and_then(|best| best.score.value());
        let mut reached = self.best().map(|best| best.score);
        let mut best = None;
        for stream in self.streams.iter().filter(|stream| !stream.watch.is_void() && !stream.has_failed()) {
            let (counters, number) = (stream.tally.counters, stream.tally.stream);
            let run = Unfinished { incumbent, nodes: counters.nodes, until };
            let Some(solution) = stream.search.completion(&*stream.problem, &run) else { continue };
            if reached.is_none_or(|reached| sense.better(solution.score, reached)) {
                let (score, playouts, elapsed) = (solution.score, counters.playouts, self.elapsed);
                reached = Some(score);
                best = Some((solution, Improvement { score, playouts, stream: number, elapsed }));
            }
        }
        best
    }

    /// Runs the streams, with exchanges between them, until none can continue in this part.
    fn run_part(&mut self, shared: &RunSignals<'_, '_>) -> Vec<Rest> {
        loop {
            let mut rests = self.run_streams(shared);
            let first = self.first().map(|(first, _)| first.playouts());
            for (rest, stream) in rests.iter_mut().zip(&self.streams) {
                // Whatever stopped it: in every schedule it gets this far and counts no more.
                if first.is_some_and(|first| stream.playouts() > first) {
                    *rest = Rest::Late;
                }
            }
            let is_open = |rest: &Rest| matches!(rest, Rest::Paused | Rest::Cut(_));
            if first.is_some() || rests.iter().any(is_open) || !rests.contains(&Rest::Waiting) {
                return rests;
            }
            // A stream at the end of its budget may wait like the others. If it does not, no stream can continue: the
            // exchange would not be the one of a longer run.
            let mut others = self.streams.iter().zip(&rests).filter(|(stream, _)| !stream.waiting);
            if others.any(|(_, rest)| *rest != Rest::Ended(StopReason::Completed)) {
                return rests;
            }
            self.exchange();
            if shared.pause.is_some_and(|pause| Instant::now() >= pause) {
                return vec![Rest::Paused; rests.len()];
            }
        }
    }

    /// Returns why the run ends when its streams have come to rest like this. `None`: only a part of it does.
    ///
    /// A goal ends it when every other stream has made more playouts than the first at a goal, has come to an end of
    /// its own, or waits for an exchange that will not be. Until then one of them may be the first.
    fn reason(&self, rests: &[Rest]) -> Option<StopReason> {
        let cut = [StopReason::Interrupted, StopReason::Time];
        if let Some(reason) = cut.into_iter().find(|&reason| rests.contains(&Rest::Cut(reason))) {
            return Some(reason);
        }
        if rests.contains(&Rest::Paused) {
            return None;
        }
        if let Some((_, reason)) = self.first() {
            return Some(reason);
        }
        // The method has ended where it has in all streams, the playouts are used up where the nodes are not.
        let order = [StopReason::Nodes, StopReason::Playouts, StopReason::Stall];
        // The reason is that of streams that do not wait. That of a stream that waits counts if there is no other:
        // whether its count is used up depends on the slice.
        let met = |with_waiting: bool| {
            let ended = |reason| {
                let mut all = rests.iter().zip(&self.streams);
                all.any(|(rest, stream)| *rest == Rest::Ended(reason) && (with_waiting || !stream.waiting))
            };
            order.into_iter().find(|&reason| ended(reason))
        };
        Some(met(false).or_else(|| met(true)).unwrap_or(StopReason::Completed))
    }

    /// Runs each stream, on a separate thread if there are several, until it or the part ends or it has to wait.
    fn run_streams(&mut self, shared: &RunSignals<'_, '_>) -> Vec<Rest> {
        if let [stream] = self.streams.as_mut_slice() {
            return vec![stream.run(shared)];
        }
        std::thread::scope(|scope| {
            let work = |stream: &mut Stream<'p>| {
                let _alarm = Alarm(&shared.abort);
                stream.run(shared)
            };
            let mut workers = Vec::new();
            for stream in &mut self.streams {
                match Builder::new().spawn_scoped(scope, move || work(stream)) {
                    Ok(worker) => workers.push(worker),
                    Err(error) => {
                        // The run fails: those that have started end at once.
                        shared.abort.store(true, Ordering::Relaxed);
                        self.unstarted = Some(error.to_string());
                        break;
                    }
                }
            }
            let rests: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
            let rests = rests.into_iter().map(|rest| rest.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            let failed = self.unstarted.as_ref().map(|_| Rest::Cut(StopReason::Interrupted));
            rests.chain(failed).collect()
        })
    }

    /// Gives what the waiting streams share to all of them. Which streams wait, and what for, depends on counts alone.
    fn exchange(&mut self) {
        let gifts: Vec<Exchange> = self.streams.iter().filter_map(|stream| stream.search.share()).collect();
        let talk = Talk::of(&self.streams, self.best());
        for stream in self.streams.iter_mut().filter(|stream| stream.waiting) {
            if stream.is_due() {
                stream.meet(&talk);
            } else {
                stream.search.receive(&gifts);
            }
            stream.waiting = false;
        }
    }

    /// Adds the improvements that count since the last call to the log.
    pub(super) fn note(&mut self) {
        let sense = self.sense();
        let end = self.decisive().map(|(first, _)| first.since());
        for event in self.events(end) {
            if self.log.last().is_none_or(|last| sense.better(event.score, last.score)) {
                self.log.push(event);
            }
        }
    }

    /// Returns the improvements of all streams by playouts, up to `end`.
    fn events(&self, end: Option<(u64, usize)>) -> Vec<Improvement> {
        let all = self.streams.iter().flat_map(|stream| stream.tally.history.iter().copied());
        let mut events: Vec<Improvement> =
            all.filter(|event| end.is_none_or(|end| (event.playouts, event.stream) <= end)).collect();
        order::sort_by_key(&mut events, |event| (event.playouts, event.stream));
        events
    }

    /// Returns what the streams have yielded so far, with what was [completed](Self::completed).
    pub(super) fn result(&self, completed: Option<(Solution<MoveId>, Improvement)>) -> RunYield {
        let sense = self.sense();
        let first = self.decisive();
        let problem = &*self.streams[0].problem;
        let stop = first.map(|(_, reason)| reason).filter(|_| is_goal(self.stop)).unwrap_or(self.stop);
        let (completed, improvement) = completed.unzip();
        let remarks = completed.iter().map(|_| COMPLETED.to_owned());
        let best = completed.clone().or_else(|| self.incumbent().cloned());
        let bound = || {
            let root = self.bound;
            // Where a stream reached a goal, how far the others came by then depends on their schedule.
            let counted =
                self.streams.iter().filter(|stream| first.is_none_or(|(first, _)| std::ptr::eq(*stream, first)));
            counted.map(|stream| stream.bound(root)).fold(root, |a, b| tighter(sense, a, b))
        };
        // A proof holds although time or a signal has ended the run before all streams caught up.
        let shown = first.map_or(stop, |(_, reason)| reason);
        let verdict = Verdict::new(shown, problem.facts().is_complete, best.as_ref().map(|best| best.score), bound);
        let mut history: Vec<Improvement> = Vec::new();
        for event in self.events(first.map(|(first, _)| first.since())).into_iter().chain(improvement) {
            if history.last().is_none_or(|last| sense.better(event.score, last.score)) {
                history.push(event);
            }
        }
        let only = first.map(|(first, _)| first.tally.stream);
        let kept = self.kept(best.as_ref(), only);
        let remarks = self.remarks(only).into_iter().chain(remarks).collect();
        RunYield { best, kept, verdict, stop, history, remarks }
    }

    /// Returns what the searches have decided and why; with `only`, that of one stream.
    fn remarks(&self, only: Option<usize>) -> Vec<String> {
        let name = |at: usize| if self.streams.len() > 1 { format!("stream {at}: ") } else { String::new() };
        // How far the others came when one had reached a goal depends on their schedule.
        let all = self.streams.iter().enumerate().filter(|(at, _)| only.is_none_or(|only| only == *at));
        let told = all.flat_map(|(at, stream)| stream.remarks().map(move |remark| name(at) + remark));
        let shortened = self.streams.iter().any(|stream| stream.watch.is_shortened());
        let own = [(shortened, SHORTENED), (self.unwatched, UNWATCHED)];
        let own = own.into_iter().filter(|(holds, _)| *holds).map(|(_, what)| what.to_owned());
        told.chain(self.abandonment()).chain(own).collect()
    }

    /// Says that a step was abandoned, and what is left then.
    fn abandonment(&self) -> Option<String> {
        let left = self.streams.iter().map(|stream| stream.watch.left()).max().unwrap_or(0);
        self.is_abandoned().then(|| match (self.best(), left) {
            (Some(_), _) => ABANDONED.to_owned(),
            (None, 0) => FRUITLESS.to_owned(),
            (None, left) => format!("no game has ended: one was at move {left} at the limit; do moves ever end?"),
        })
    }

    /// Whether a step was abandoned: the run has its best solution, but cannot continue.
    pub(super) fn is_abandoned(&self) -> bool {
        self.streams.iter().any(|stream| stream.watch.is_abandoned())
    }

    /// Returns the limit of moves that a game has reached.
    pub(super) fn endless(&self) -> Option<u64> {
        self.streams.iter().find_map(|stream| stream.watch.endless())
    }

    /// Returns the memory that the streams need because of the record of a playout, and the memory that they have.
    pub(super) fn overflow(&self) -> Option<(u64, u64)> {
        let count = self.streams.len() as u64;
        let (needed, allowed) = self.streams.iter().find_map(|stream| stream.watch.overflow())?;
        Some((needed.saturating_mul(count), allowed.saturating_mul(count)))
    }

    /// Returns the best different solutions of all streams, `best` first; with `only`, those of one stream.
    fn kept(&self, best: Option<&Solution<MoveId>>, only: Option<usize>) -> Vec<Solution<MoveId>> {
        let (sense, most) = (self.sense(), self.streams[0].tally.keep);
        let mut kept = Vec::new();
        let all = self.streams.iter().filter(|stream| only.is_none_or(|only| only == stream.tally.stream));
        for (identity, solution) in all.flat_map(|stream| &stream.tally.kept) {
            insert(&mut kept, sense, most, *identity, solution);
        }
        let mut kept: Vec<_> = kept.into_iter().map(|(_, solution)| solution).collect();
        if let Some(best) = best {
            kept.retain(|solution| solution != best && !sense.better(solution.score, best.score));
            kept.insert(0, best.clone());
            kept.truncate(most.max(1));
        }
        kept
    }

    /// Returns the scores at which this part of the run is over.
    fn goals(&self) -> Goals {
        Goals::new(self.sense(), self.bound, self.target)
    }

    /// Returns the stream that reached a goal after the fewest playouts, and which goal. Others may have run on for a
    /// while and found better: how far depends on their schedule, so that does not count. Of equal ones a proof comes
    /// first, then the one whose last improvement is the earlier one.
    fn first(&self) -> Option<(&Stream<'p>, StopReason)> {
        let goals = self.goals();
        let rank = |reason| match reason {
            StopReason::Exhausted => 0,
            StopReason::Bound => 1,
            _ => 2,
        };
        let all = self.streams.iter().filter_map(|stream| Some((stream, stream.goal(&goals)?)));
        all.min_by_key(|(stream, reason)| (stream.playouts(), rank(*reason), stream.since()))
    }

    /// Returns the [first](Self::first) stream at a goal if the result is that of this stream alone: where the goal
    /// ended the run, and where it is a proof, which holds although the other streams have not caught up.
    fn decisive(&self) -> Option<(&Stream<'p>, StopReason)> {
        let was_cut = matches!(self.stop, StopReason::Time | StopReason::Interrupted);
        self.first().filter(|(_, reason)| is_goal(self.stop) || was_cut && reason.is_final())
    }

    /// Returns the best solution that counts.
    pub(super) fn incumbent(&self) -> Option<&Solution<MoveId>> {
        self.decisive().map_or_else(|| self.best(), |(first, _)| first.tally.best.as_ref())
    }

    /// Returns the score of an incumbent that is better than the problem's bound for its root allows, and that bound.
    pub(super) fn contradiction(&self) -> Option<(f64, f64)> {
        let (value, bound) = (self.best()?.score.value()?, self.bound?);
        self.sense().clearly_better(value, bound).then_some((value, bound))
    }

    /// Returns a score that is not finite, if there was one.
    pub(super) fn flaw(&self) -> Option<Score> {
        self.streams.iter().find_map(|stream| stream.tally.flaw)
    }

    /// Returns the solutions that the streams hold and that were not returned before.
    pub(super) fn take_unverified(&mut self) -> Vec<Solution<MoveId>> {
        self.streams.iter_mut().flat_map(|stream| stream.tally.take_unverified()).collect()
    }

    /// Takes out the error that user code has reported.
    pub(super) fn failure(&self) -> Option<Box<dyn std::error::Error + Send + Sync>> {
        self.streams.iter().find_map(|stream| stream.problem.take_error())
    }

    /// Returns the first stream's view of the problem.
    pub(super) fn problem(&self) -> &dyn crate::erased::problem::ErasedProblem {
        &*self.streams[0].problem
    }
}

/// Stops all streams when the thread that holds it panics.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
