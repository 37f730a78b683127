//! The loop over the streams of a run: limits, clocks, exchanges, and what the streams yield together.

use super::goals::{Goals, root_bound};
use super::outcome::{Counters, Improvement, Solution, StopReason, TreeShape};
use super::plan::{Horizon, Plan};
use super::stream::{Limits, Reports, SavedStream, Shared, Stream, tighter};
use crate::cut::{Alarm as Bell, Demand, watched};
use crate::problem::MoveId;
use crate::search::sound::require;
use crate::search::{Clock, Shared as Gift, insert};
use crate::{CheckpointError, Score, Sense};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Remarks on limits that bind inside a step.
const ABANDONED: &str = "the limit was reached long before the end of a step, which was abandoned: \
                         the best solution stands, the run cannot be continued from here";
const SHORTENED: &str = "the limit was reached long before the end of a playout, which was cut short: \
                         a run without that limit makes other playouts";
const UNWATCHED: &str = "no further thread could be started: limits of time and signals were obeyed between steps only";

/// All streams of a run, and the budget that they have been granted.
pub(super) struct Drive<'p> {
    streams: Vec<Stream<'p>>,
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
}

/// Limits of a part of a run; the counts are those of the whole run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
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
pub(super) struct Result {
    pub(super) best: Option<Solution<MoveId>>,
    pub(super) kept: Vec<Solution<MoveId>>,
    pub(super) bound: Option<f64>,
    pub(super) optimal: bool,
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
        // The method may have ended in one stream alone.
        let all = self.stop != StopReason::Completed || self.streams.iter().all(SavedStream::has_ended);
        Some(self.stop).filter(|stop| stop.is_final() && all)
    }
}

impl<'p> Drive<'p> {
    /// Returns a run that has not begun.
    pub(super) fn new(streams: Vec<Stream<'p>>, word: Arc<AtomicU8>) -> Self {
        let granted = Counters::default();
        let stop = StopReason::Playouts;
        let bound = streams.first().and_then(|stream| root_bound(&*stream.problem));
        let (plan, log) = (Plan::default(), Vec::new());
        let elapsed = Duration::ZERO;
        let (unwatched, unstarted) = (false, None);
        Self { bound, streams, word, unwatched, unstarted, granted, elapsed, stop, plan, target: None, log }
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

    pub(super) fn load(&mut self, saved: SavedDrive, elapsed: Duration) -> std::result::Result<(), CheckpointError> {
        if saved.streams.len() != self.streams.len() {
            return Err(CheckpointError::Corrupt("another number of streams"));
        }
        for (stream, saved) in self.streams.iter_mut().zip(saved.streams) {
            stream.load(saved)?;
        }
        let sense = self.sense();
        let rising = saved.log.windows(2).all(|pair| sense.better(pair[1].score, pair[0].score));
        let last = saved.log.last().map(|event| event.score);
        require(rising && last == self.best().map(|best| best.score), "a history of another incumbent")?;
        let exhausted = self.streams.iter().any(|stream| stream.end == Some(StopReason::Exhausted));
        require(exhausted || saved.stop != StopReason::Exhausted, "a proof that no stream has")?;
        (self.granted, self.stop, self.target) = (saved.granted, saved.stop, saved.target);
        (self.log, self.elapsed) = (saved.log, elapsed);
        Ok(())
    }

    /// Returns when each improvement was found, those of the streams before those of the log.
    pub(super) fn times(&self) -> Vec<Duration> {
        let events = self.streams.iter().flat_map(|stream| &stream.tally.history).chain(&self.log);
        events.map(|event| event.elapsed).collect()
    }

    /// Takes up what [`times`](Self::times) returned.
    pub(super) fn set_times(&mut self, times: &[Duration]) -> std::result::Result<(), CheckpointError> {
        let events = self.streams.iter_mut().flat_map(|stream| &mut stream.tally.history).chain(&mut self.log);
        let events: Vec<&mut Improvement> = events.collect();
        let possible = times.iter().all(|&time| time <= self.elapsed);
        require(events.len() == times.len() && possible, "times of other improvements")?;
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
    pub(super) fn grant(&self, slice: Part) -> Part {
        let sum = |granted: u64, slice: Option<u64>| slice.map(|slice| granted.saturating_add(slice));
        Part {
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
    pub(super) fn take_up(&mut self, solution: &Solution<MoveId>, identity: u64) {
        for stream in &mut self.streams {
            stream.tally.clock = Clock::stopped(self.elapsed);
            stream.take_up(solution, identity);
        }
        self.note();
    }

    /// Runs all streams until the run or the part ends. `None`: only the part did.
    pub(super) fn run(
        &mut self,
        part: Part,
        stop: Option<&AtomicBool>,
        reports: &mut Reports<'_>,
    ) -> Option<StopReason> {
        let count = self.streams.len() as u64;
        let start = Instant::now();
        for (index, stream) in self.streams.iter_mut().enumerate() {
            let share = |all: Option<u64>| all.map(|all| all / count + u64::from(all % count > index as u64));
            stream.limits = Limits {
                playouts: share(part.playouts).unwrap_or(u64::MAX),
                nodes: share(part.nodes).unwrap_or(u64::MAX),
                stall: part.stall.unwrap_or(u64::MAX),
            };
            stream.tally.clock = Clock::running(self.elapsed, start);
            stream.horizon = Horizon { playouts: share(self.plan.playouts), nodes: share(self.plan.nodes), time: None };
        }
        self.target = part.target;
        reports.best = self.best().map(|best| best.score);
        reports.bound = self.bound;
        let made = self.counters();
        let shared = Shared {
            watched: reports.observer.wants_insight(),
            stop,
            abort: AtomicBool::new(false),
            finish: AtomicU64::new(u64::MAX),
            playouts: AtomicU64::new(made.playouts),
            nodes: AtomicU64::new(made.nodes),
            reports: Mutex::new(reports),
            goals: self.goals(),
            deadline: part.deadline,
            pause: part.pause,
            planned: self.plan.time,
            start,
            before: self.elapsed,
        };
        let demand = if part.abandons { Demand::Abandon } else { Demand::Shorten };
        let bell = Bell { demand, deadline: part.deadline, stop, begin: start.checked_sub(self.elapsed) };
        let word = Arc::clone(&self.word);
        let (reason, watched) = watched(&word, &bell, || self.run_part(&shared));
        self.unwatched |= !watched;
        self.elapsed += start.elapsed();
        let made = self.counters();
        // Only counts that were used up stay granted: what a clock or a signal cut off is not made up for later.
        let used = |limit: Option<u64>, made: u64| {
            limit.filter(|_| matches!(reason, Some(StopReason::Playouts | StopReason::Nodes))).unwrap_or(made)
        };
        self.granted = Counters { playouts: used(part.playouts, made.playouts), nodes: used(part.nodes, made.nodes) };
        if let Some(reason) = reason {
            self.stop = reason;
        }
        self.note();
        reason
    }

    fn run_part(&mut self, shared: &Shared<'_, '_>) -> Option<StopReason> {
        loop {
            let ends = self.run_streams(shared);
            // The most specific reason wins; a stream that another's success stopped has no reason itself.
            let order = [
                StopReason::Exhausted,
                StopReason::Bound,
                StopReason::Target,
                StopReason::Interrupted,
                StopReason::Time,
            ];
            if let Some(reason) = order.into_iter().find(|reason| ends.contains(&Some(*reason))) {
                return Some(reason);
            }
            if !ends.contains(&None) {
                // The playouts are used up only where no stream has met its limit of nodes first.
                let nodes = Some(StopReason::Nodes);
                let mixed = ends[0] == Some(StopReason::Playouts) && ends.contains(&nodes);
                return if mixed { nodes } else { ends[0] };
            }
            // A stream at the end of its budget may wait like the others. If it does not, no stream can continue: the
            // exchange would not be the one of a longer run.
            let late = |end: StopReason| !matches!(end, StopReason::Completed);
            let mut pairs = self.streams.iter().zip(&ends).filter(|(stream, _)| !stream.waiting);
            if pairs.clone().any(|(_, end)| end.is_none()) {
                return None;
            }
            if let Some(end) = pairs.find_map(|(_, end)| end.filter(|&end| late(end))) {
                return Some(end);
            }
            self.exchange();
            if shared.pause.is_some_and(|pause| Instant::now() >= pause) {
                return None;
            }
        }
    }

    /// Runs each stream, on a separate thread if there are several, until it or the part ends or it has to wait.
    fn run_streams(&mut self, shared: &Shared<'_, '_>) -> Vec<Option<StopReason>> {
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
            let ends: Vec<_> = workers.into_iter().map(|worker| worker.join()).collect();
            let ends = ends.into_iter().map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            let failed = self.unstarted.as_ref().map(|_| Some(StopReason::Interrupted));
            ends.chain(failed).collect()
        })
    }

    /// Gives what the waiting streams share to all of them. Which streams wait, and what for, depends on counts alone.
    fn exchange(&mut self) {
        let gifts: Vec<Gift> = self.streams.iter().filter_map(|stream| stream.search.share()).collect();
        for stream in self.streams.iter_mut().filter(|stream| stream.waiting) {
            stream.search.receive(&gifts);
            stream.waiting = false;
        }
    }

    /// Adds the improvements since the last call to the log.
    fn note(&mut self) {
        let sense = self.sense();
        for event in self.events(None) {
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
        events.sort_by_key(|event| (event.playouts, event.stream));
        events
    }

    /// Returns what the streams have yielded so far.
    pub(super) fn result(&self) -> Result {
        let sense = self.sense();
        let first = match self.stop {
            StopReason::Target | StopReason::Bound => self.first_at_goal(),
            // The stream that examined everything holds an optimal solution; others may have found another one.
            StopReason::Exhausted => self
                .streams
                .iter()
                .filter(|stream| stream.end == Some(self.stop))
                .min_by_key(|stream| (stream.tally.counters.playouts, stream.tally.stream))
                .map(|stream| (stream, self.stop)),
            _ => None,
        };
        let problem = &*self.streams[0].problem;
        let stop = first.map_or(self.stop, |(_, reason)| reason);
        let best = first.map_or_else(|| self.best(), |(first, _)| first.tally.best.as_ref()).cloned();
        let optimal = problem.is_complete() && matches!(stop, StopReason::Exhausted | StopReason::Bound);
        let bound = if optimal {
            best.as_ref().and_then(|best| best.score.value())
        } else {
            let root = self.bound;
            // Where a stream reached a goal, how far the others came by then depends on their schedule.
            let counted =
                self.streams.iter().filter(|stream| first.is_none_or(|(first, _)| std::ptr::eq(*stream, first)));
            counted.map(|stream| stream.bound(root)).fold(root, |a, b| tighter(sense, a, b))
        };
        let mut history: Vec<Improvement> = Vec::new();
        for event in self.events(first.map(|(first, _)| first.since())) {
            if history.last().is_none_or(|last| sense.better(event.score, last.score)) {
                history.push(event);
            }
        }
        let kept = self.kept(best.as_ref());
        Result {
            best,
            kept,
            bound,
            optimal,
            stop,
            history,
            remarks: self.remarks(first.map(|(first, _)| first.tally.stream)),
        }
    }

    /// Returns what the searches have decided and why; with `only`, that of one stream.
    fn remarks(&self, only: Option<usize>) -> Vec<String> {
        let name = |at: usize| if self.streams.len() > 1 { format!("stream {at}: ") } else { String::new() };
        // How far the others came when one had reached a goal depends on their schedule.
        let all = self.streams.iter().enumerate().filter(|(at, _)| only.is_none_or(|only| only == *at));
        let told = all.flat_map(|(at, stream)| stream.search.remarks().iter().map(move |remark| name(at) + remark));
        let own = [
            (self.is_abandoned(), ABANDONED),
            (self.streams.iter().any(|stream| stream.watch.is_shortened()), SHORTENED),
            (self.unwatched, UNWATCHED),
        ];
        told.chain(own.into_iter().filter(|(holds, _)| *holds).map(|(_, what)| what.to_owned())).collect()
    }

    /// Whether a step was abandoned: the run has its best solution, but cannot continue.
    pub(super) fn is_abandoned(&self) -> bool {
        self.streams.iter().any(|stream| stream.watch.is_abandoned())
    }

    /// Returns the limit of moves that a game has reached.
    pub(super) fn endless(&self) -> Option<u64> {
        self.streams.iter().find_map(|stream| stream.watch.endless())
    }

    /// Returns the best different solutions of all streams, `best` first.
    fn kept(&self, best: Option<&Solution<MoveId>>) -> Vec<Solution<MoveId>> {
        let (sense, most) = (self.sense(), self.streams[0].tally.keep);
        let mut kept = Vec::new();
        for (identity, solution) in self.streams.iter().flat_map(|stream| &stream.tally.kept) {
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

    /// Returns the stream that reached the target or the root's bound after the fewest playouts, and which of them it
    /// was. Others may have run on for a while and found better: how far depends on their schedule, so that does not
    /// count.
    fn first_at_goal(&self) -> Option<(&Stream<'p>, StopReason)> {
        let goals = self.goals();
        let reached = |stream: &'_ Stream<'p>| goals.reached(&stream.tally.best);
        let all = self.streams.iter().filter_map(|stream| Some((stream, reached(stream)?)));
        all.min_by_key(|(stream, _)| stream.since())
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

    /// Takes out the error that user code has reported.
    pub(super) fn failure(&self) -> Option<Box<dyn std::error::Error + Send + Sync>> {
        self.streams.iter().find_map(|stream| stream.problem.take_error().or_else(|| stream.rollout.take_error()))
    }

    /// Returns the first stream's view of the problem.
    pub(super) fn problem(&self) -> &dyn crate::problem::rules::Rules {
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
