//! The one loop: runs a method on a problem.

use crate::checkpoint::{CheckpointError, decode, encode, open, seal, write_atomically};
use crate::goals::Goals;
use crate::observer::{Observer, Progress, Silent};
use crate::rollout::find_rollout;
use crate::search::{Context, Search, Status, Tally};
use crate::{
    Budget, Counters, Improvement, Method, Outcome, ParameterError, Problem, Rng, Rollout, Score, Sense, Solution,
    StopReason,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use thiserror::Error;

/// A run that cannot start or go on.
#[derive(Debug, Error)]
pub enum SolveError {
    /// The problem has no such playout policy.
    #[error("no rollout `{name}` (known: {known})")]
    Rollout {
        /// The name asked for.
        name: String,
        /// The names that exist, separated by commas.
        known: String,
    },
    /// The method's parameters do not go together.
    #[error(transparent)]
    Method(#[from] ParameterError),
    /// A checkpoint could not be read or written.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// No stream can run.
    #[error("at least one thread is needed")]
    NoThreads,
}

/// Runs a [`Method`] on a [`Problem`]: seed, threads, limits, observer, checkpoints.
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
/// method names; their results are merged by score, then by stream number. A target stops every stream at the playout count of the first stream (fewest playouts, then lowest
/// number) that reached it: the solution is reproducible, the effort of the others is not.
pub struct Solver<'a, P: Problem> {
    problem: &'a P,
    method: Method,
    rollout: String,
    seed: u64,
    threads: usize,
    budget: Budget,
    observer: Option<&'a mut dyn Observer<P::Move>>,
    interval: Duration,
    checkpoint: Option<(PathBuf, Duration)>,
    stop: Option<&'a AtomicBool>,
    saved: Option<Saved<P::Move>>,
}

impl<P: Problem> std::fmt::Debug for Solver<'_, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solver")
            .field("method", &self.method)
            .field("rollout", &self.rollout)
            .field("seed", &self.seed)
            .field("threads", &self.threads)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

/// What a checkpoint says about the run it continues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// The method with its parameters.
    pub method: Method,
    /// The playout policy's name.
    pub rollout: String,
    /// The seed.
    pub seed: u64,
    /// The number of streams.
    pub threads: usize,
    /// Playouts and nodes so far.
    pub counters: Counters,
    /// Seconds so far.
    pub elapsed: Duration,
}

/// The body of a checkpoint.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "M: crate::Move")]
struct Saved<M> {
    info: RunInfo,
    streams: Vec<SavedStream<M>>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "M: crate::Move")]
struct SavedStream<M> {
    rng: Rng,
    tally: Tally<M>,
    end: Option<StopReason>,
    rollout: Vec<u8>,
    search: Vec<u8>,
}

/// One worker's share of a run.
struct Stream<'p, P: Problem> {
    rng: Rng,
    tally: Tally<P::Move>,
    rollout: Box<dyn Rollout<P>>,
    search: Box<dyn Search<P> + 'p>,
    /// Set when this stream is through for good.
    end: Option<StopReason>,
    /// Set when it can only go on after an exchange.
    waiting: bool,
    limits: Limits,
}

/// A stream's own share of the budget.
#[derive(Clone, Copy)]
struct Limits {
    playouts: u64,
    nodes: u64,
    stall: u64,
}

/// What streams share while they run.
struct Shared<'s, M> {
    stop: Option<&'s AtomicBool>,
    /// Playouts with which a stream is too late: one more than the fewest after which one reached the target or
    /// exhausted the space.
    finish: AtomicU64,
    playouts: AtomicU64,
    nodes: AtomicU64,
    watch: Mutex<Watch<'s, M>>,
    deadline: Option<Instant>,
    /// When this part of the run must end to write a checkpoint.
    pause: Option<Instant>,
    start: Instant,
    before: Duration,
    interval: Duration,
}

struct Watch<'s, M> {
    observer: &'s mut dyn Observer<M>,
    best: Option<Score>,
    last: Instant,
}

impl<'a, P: Problem> Solver<'a, P> {
    /// A run of `method` with seed 0, one thread, the problem's first rollout and no limits.
    #[must_use]
    pub fn new(problem: &'a P, method: Method) -> Self {
        Self {
            problem,
            method,
            rollout: problem.rollouts().first().map_or("random", |info| info.name).to_owned(),
            seed: 0,
            threads: 1,
            budget: Budget::default(),
            observer: None,
            interval: Duration::from_millis(200),
            checkpoint: None,
            stop: None,
            saved: None,
        }
    }

    /// The seed of all random draws.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The number of independent streams, one thread each.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// When to stop.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// The playout policy, by name.
    #[must_use]
    pub fn rollout(mut self, name: &str) -> Self {
        name.clone_into(&mut self.rollout);
        self
    }

    /// Who is told about improvements and, each `interval`, about progress.
    #[must_use]
    pub fn observer(mut self, observer: &'a mut dyn Observer<P::Move>, interval: Duration) -> Self {
        self.observer = Some(observer);
        self.interval = interval;
        self
    }

    /// Writes a checkpoint to `path` each `interval` and at the end.
    #[must_use]
    pub fn checkpoint(mut self, path: impl Into<PathBuf>, interval: Duration) -> Self {
        self.checkpoint = Some((path.into(), interval));
        self
    }

    /// A flag that ends the run when it becomes true.
    #[must_use]
    pub fn stop_flag(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Continues the run in `bytes`, the content of a checkpoint: its method, rollout, seed and number of threads
    /// replace those set here.
    ///
    /// # Errors
    /// When the bytes are not a whole checkpoint of this problem.
    pub fn resume(mut self, bytes: &[u8]) -> Result<Self, CheckpointError> {
        let saved: Saved<P::Move> = decode(open(self.problem.fingerprint(), bytes)?)?;
        if saved.streams.is_empty() || saved.streams.len() != saved.info.threads {
            return Err(CheckpointError::Corrupt("another number of streams"));
        }
        self.method = saved.info.method.clone();
        self.rollout.clone_from(&saved.info.rollout);
        self.seed = saved.info.seed;
        self.threads = saved.info.threads;
        self.saved = Some(saved);
        Ok(self)
    }

    /// What [`resume`](Self::resume) found, if it was called.
    #[must_use]
    pub fn resumed(&self) -> Option<&RunInfo> {
        self.saved.as_ref().map(|saved| &saved.info)
    }

    /// Runs until the budget is used up, the method ends, or the stop flag is raised.
    ///
    /// # Errors
    /// When the rollout is unknown, or the first checkpoint cannot be written. A later one that fails is reported in
    /// [`Outcome::unsaved`].
    pub fn run(mut self) -> Result<Outcome<P::Move>, SolveError> {
        if self.threads == 0 {
            return Err(SolveError::NoThreads);
        }
        self.method.validate()?;
        let saved = self.saved.take();
        let before = saved.as_ref().map_or(Duration::ZERO, |saved| saved.info.elapsed);
        let mut streams = self.streams(saved)?;
        if let Some((path, _)) = &self.checkpoint {
            // An unwritable path is found before the work, not after it.
            let bytes = self.seal(&streams, before);
            write_atomically(path, &bytes).map_err(CheckpointError::Write)?;
        }
        let start = Instant::now();
        let mut silent = Silent;
        let best = merge(self.problem.sense(), &streams).map(|solution| solution.score);
        let observer: &mut dyn Observer<P::Move> = match self.observer.take() {
            Some(observer) => observer,
            None => &mut silent,
        };
        let mut shared = Shared {
            stop: self.stop,
            finish: AtomicU64::new(u64::MAX),
            playouts: AtomicU64::new(streams.iter().map(|s| s.tally.counters.playouts).sum()),
            nodes: AtomicU64::new(streams.iter().map(|s| s.tally.counters.nodes).sum()),
            watch: Mutex::new(Watch { observer, best, last: start }),
            deadline: self.budget.time.and_then(|time| start.checked_add(time.saturating_sub(before))),
            pause: None,
            start,
            before,
            interval: self.interval,
        };
        let mut unsaved = None;
        let stop = loop {
            shared.pause = self.checkpoint.as_ref().and_then(|(_, every)| Instant::now().checked_add(*every));
            let reason = self.part(&mut streams, &shared);
            if let Some((path, _)) = &self.checkpoint {
                let bytes = self.seal(&streams, before + start.elapsed());
                // A full disk must not cost the search: it is tried again at the next interval.
                unsaved = write_atomically(path, &bytes).err().map(|error| CheckpointError::Write(error).to_string());
            }
            if let Some(reason) = reason {
                break reason;
            }
        };
        let outcome = self.outcome(&streams, stop, before + start.elapsed());
        Ok(Outcome { unsaved, ..outcome })
    }

    /// Builds the streams, blank or as saved.
    fn streams(&self, saved: Option<Saved<P::Move>>) -> Result<Vec<Stream<'a, P>>, SolveError> {
        let count = self.threads as u64;
        let mut parts = saved.map(|saved| saved.streams.into_iter());
        let mut streams = Vec::new();
        for index in 0..self.threads {
            let mut rollout = find_rollout(self.problem, &self.rollout)
                .map_err(|known| SolveError::Rollout { name: self.rollout.clone(), known: known.join(", ") })?;
            let mut search = self.method.build(self.problem, self.budget.memory / count);
            let mut rng = Rng::stream(self.seed, index);
            let mut tally = Tally::new(self.problem.sense(), index);
            let mut end = None;
            if let Some(part) = parts.as_mut().and_then(Iterator::next) {
                search.load(self.problem, &part.search)?;
                rollout.load(&part.rollout)?;
                (rng, tally) = (part.rng, part.tally);
                // Only a proof or the method's own end outlives the budget of the run that met it.
                end = part
                    .end
                    .filter(|end| matches!(end, StopReason::Exhausted | StopReason::Bound | StopReason::Completed));
            }
            let share =
                |all: Option<u64>| all.map_or(u64::MAX, |all| all / count + u64::from(all % count > index as u64));
            let limits = Limits {
                playouts: share(self.budget.playouts),
                nodes: share(self.budget.nodes),
                stall: self.budget.stall.unwrap_or(u64::MAX),
            };
            let waiting = search.offer().is_some();
            streams.push(Stream { rng, tally, rollout, search, end, waiting, limits });
        }
        Ok(streams)
    }

    /// Runs all streams until the run or the part ends. `None`: only the part did.
    fn part(&self, streams: &mut [Stream<'a, P>], shared: &Shared<'_, P::Move>) -> Option<StopReason> {
        loop {
            let ends = self.run_streams(streams, shared);
            // The most telling reason wins; a stream stopped by another's success says nothing by itself.
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
                return ends[0];
            }
            // A stream at the end of its budget may wait like the others; if it does not, nobody can go on: the
            // exchange would not be the one of a longer run.
            let late = |end: StopReason| !matches!(end, StopReason::Completed);
            let mut pairs = streams.iter().zip(&ends).filter(|(stream, _)| !stream.waiting);
            if pairs.clone().any(|(_, end)| end.is_none()) {
                return None;
            }
            if let Some(end) = pairs.find_map(|(_, end)| end.filter(|&end| late(end))) {
                return Some(end);
            }
            exchange(streams);
            if shared.pause.is_some_and(|pause| Instant::now() >= pause) {
                return None;
            }
        }
    }

    /// Runs each stream, on a thread of its own if there are several, until it or the part ends or it has to wait.
    fn run_streams(&self, streams: &mut [Stream<'a, P>], shared: &Shared<'_, P::Move>) -> Vec<Option<StopReason>> {
        let (problem, target) = (self.problem, self.budget.target);
        if let [stream] = streams {
            return vec![stream.run(problem, shared, target)];
        }
        std::thread::scope(|scope| {
            let workers: Vec<_> =
                streams.iter_mut().map(|stream| scope.spawn(move || stream.run(problem, shared, target))).collect();
            workers
                .into_iter()
                .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        })
    }

    fn seal(&self, streams: &[Stream<'_, P>], elapsed: Duration) -> Vec<u8> {
        let saved = Saved {
            info: RunInfo {
                method: self.method.clone(),
                rollout: self.rollout.clone(),
                seed: self.seed,
                threads: streams.len(),
                counters: total(streams),
                elapsed,
            },
            streams: streams
                .iter()
                .map(|stream| SavedStream {
                    rng: stream.rng.clone(),
                    tally: stream.tally.clone(),
                    end: stream.end,
                    rollout: stream.rollout.save(),
                    search: stream.search.save(),
                })
                .collect(),
        };
        seal(self.problem.fingerprint(), &encode(&saved))
    }

    fn outcome(&self, streams: &[Stream<'_, P>], stop: StopReason, elapsed: Duration) -> Outcome<P::Move> {
        let sense = self.problem.sense();
        let first = match stop {
            StopReason::Target | StopReason::Bound => self.first_at_goal(streams),
            // The stream that saw everything holds an optimal solution; others may have met another one.
            StopReason::Exhausted => streams
                .iter()
                .filter(|stream| stream.end == Some(stop))
                .min_by_key(|stream| (stream.tally.counters.playouts, stream.tally.stream))
                .map(|stream| (stream, stop)),
            _ => None,
        };
        let stop = first.map_or(stop, |(_, reason)| reason);
        let best = first.map_or_else(|| merge(sense, streams), |(first, _)| first.tally.best.as_ref()).cloned();
        let complete = self.problem.is_complete();
        let optimal = complete && matches!(stop, StopReason::Exhausted | StopReason::Bound);
        let bound = if optimal {
            best.as_ref().and_then(|best| best.score.value())
        } else {
            self.problem.bound(&self.problem.root()).filter(|_| complete)
        };
        let mut events: Vec<Improvement> =
            streams.iter().flat_map(|stream| stream.tally.history.iter().copied()).collect();
        if let Some((first, _)) = first {
            let end = first.since();
            events.retain(|event| (event.playouts, event.stream) <= end);
        }
        events.sort_by_key(|event| (event.playouts, event.stream));
        let mut history: Vec<Improvement> = Vec::new();
        for event in events {
            if history.last().is_none_or(|last| sense.better(event.score, last.score)) {
                history.push(event);
            }
        }
        Outcome { best, bound, optimal, stop, counters: total(streams), elapsed, unsaved: None, history }
    }
}

impl<P: Problem> Solver<'_, P> {
    /// The stream that reached the target or the root's bound after the fewest playouts, and which of them it was.
    /// Others may have run on for a while and found better: how far depends on their schedule, so that does not count.
    fn first_at_goal<'s>(&self, streams: &'s [Stream<'_, P>]) -> Option<(&'s Stream<'s, P>, StopReason)> {
        let goals = Goals::new(self.problem, self.budget.target);
        let reached = |stream: &'s Stream<'_, P>| Some((stream as &Stream<'s, P>, goals.reached(&stream.tally.best)?));
        streams.iter().filter_map(reached).min_by_key(|(stream, _)| stream.since())
    }
}

/// Gives what the waiting streams offer to all of them. Who waits, and what for, depends on counts alone.
fn exchange<P: Problem>(streams: &mut [Stream<'_, P>]) {
    let offers: Vec<_> = streams.iter().filter_map(|stream| stream.search.offer()).collect();
    for stream in streams.iter_mut().filter(|stream| stream.waiting) {
        stream.search.receive(&offers);
        stream.waiting = false;
    }
}

fn total<P: Problem>(streams: &[Stream<'_, P>]) -> Counters {
    Counters {
        playouts: streams.iter().map(|stream| stream.tally.counters.playouts).sum(),
        nodes: streams.iter().map(|stream| stream.tally.counters.nodes).sum(),
    }
}

/// The best incumbent; ties go to the lowest stream.
fn merge<'s, P: Problem>(sense: Sense, streams: &'s [Stream<'_, P>]) -> Option<&'s Solution<P::Move>> {
    let mut best: Option<&Solution<P::Move>> = None;
    for solution in streams.iter().filter_map(|stream| stream.tally.best.as_ref()) {
        if best.is_none_or(|best| sense.better(solution.score, best.score)) {
            best = Some(solution);
        }
    }
    best
}

/// The clock is read after a batch of steps sized to take about this long.
const BATCH: Duration = Duration::from_millis(1);

impl<P: Problem> Stream<'_, P> {
    /// Steps until something ends the stream (`Some`) or the part (`None`).
    fn run(&mut self, problem: &P, shared: &Shared<'_, P::Move>, target: Option<f64>) -> Option<StopReason> {
        let mut batch = 1_u64;
        let mut now = Instant::now();
        let mut known = self.tally.counters;
        let goals = Goals::new(problem, target);
        loop {
            if let Some(reason) = self.ended(shared, goals.reached(&self.tally.best)) {
                self.end = Some(reason);
                shared.publish(&mut known, self.tally.counters);
                return self.end;
            }
            if shared.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                return Some(StopReason::Interrupted);
            }
            if shared.deadline.is_some_and(|deadline| now >= deadline) {
                return Some(StopReason::Time);
            }
            if self.waiting {
                return None;
            }
            for _ in 0..batch {
                let improvements = self.tally.history.len();
                let mut context =
                    Context { problem, rollout: &mut *self.rollout, rng: &mut self.rng, tally: &mut self.tally };
                match self.search.step(&mut context) {
                    Status::Running => {}
                    Status::Exhausted => self.end = Some(StopReason::Exhausted),
                    Status::Completed => self.end = Some(StopReason::Completed),
                    Status::Waiting => self.waiting = true,
                }
                if self.tally.history.len() > improvements {
                    shared.publish(&mut known, self.tally.counters);
                    shared.improved(problem.sense(), &self.tally);
                }
                let over = self.end.is_some() || self.waiting;
                if over || self.limit(goals.reached_now(&self.tally, improvements)).is_some() {
                    break;
                }
            }
            shared.publish(&mut known, self.tally.counters);
            let then = std::mem::replace(&mut now, Instant::now());
            let took = now - then;
            if took < BATCH / 2 {
                batch *= 2;
            } else if took > BATCH * 2 {
                batch = (batch / 2).max(1);
            }
            shared.tick(now);
            // Asked after the work: each part makes progress, however short the interval of checkpoints is.
            if shared.pause.is_some_and(|pause| now >= pause) {
                return None;
            }
        }
    }

    /// Why this stream is through, if it is; announces successes to the others.
    fn ended(&mut self, shared: &Shared<'_, P::Move>, reached: Option<StopReason>) -> Option<StopReason> {
        let end = self.end.or_else(|| self.limit(reached));
        if matches!(end, Some(StopReason::Target | StopReason::Bound | StopReason::Exhausted)) {
            // Others with as many playouts may still prove something without a further one, and then count instead.
            shared.finish.fetch_min(self.tally.counters.playouts.saturating_add(1), Ordering::Relaxed);
        }
        if end.is_none() && self.tally.counters.playouts >= shared.finish.load(Ordering::Relaxed) {
            // Another stream reached the goal with fewer playouts than this one has.
            return Some(StopReason::Target);
        }
        end
    }

    /// Playouts at the last improvement and number of the stream.
    fn since(&self) -> (u64, usize) {
        (self.tally.history.last().map_or(0, |last| last.playouts), self.tally.stream)
    }

    /// The count that is used up, if any.
    #[inline]
    fn limit(&self, reached: Option<StopReason>) -> Option<StopReason> {
        let Counters { playouts, nodes } = self.tally.counters;
        if reached.is_some() {
            return reached;
        }
        if playouts >= self.limits.playouts {
            return Some(StopReason::Playouts);
        }
        if nodes >= self.limits.nodes {
            return Some(StopReason::Nodes);
        }
        let last = self.tally.history.last().map_or(0, |last| last.playouts);
        (playouts.saturating_sub(last) >= self.limits.stall).then_some(StopReason::Stall)
    }
}

impl<M: crate::Move> Shared<'_, M> {
    fn now(&self) -> Progress {
        Progress {
            elapsed: self.before + self.start.elapsed(),
            counters: Counters {
                playouts: self.playouts.load(Ordering::Relaxed),
                nodes: self.nodes.load(Ordering::Relaxed),
            },
            best: None,
        }
    }

    /// Adds what a stream did since `known` to the totals.
    fn publish(&self, known: &mut Counters, counters: Counters) {
        self.playouts.fetch_add(counters.playouts - known.playouts, Ordering::Relaxed);
        self.nodes.fetch_add(counters.nodes - known.nodes, Ordering::Relaxed);
        *known = counters;
    }

    fn improved(&self, sense: Sense, tally: &Tally<M>) {
        let (Some(solution), Some(improvement)) = (&tally.best, tally.history.last()) else { return };
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        if watch.best.is_none_or(|best| sense.better(solution.score, best)) {
            watch.best = Some(solution.score);
            let progress = Progress { best: watch.best, ..self.now() };
            watch.observer.improved(improvement, solution, &progress);
        }
    }

    /// Reports progress when the interval has passed; a stream that finds the watch busy goes on.
    fn tick(&self, now: Instant) {
        if let Ok(mut watch) = self.watch.try_lock()
            && now.saturating_duration_since(watch.last) >= self.interval
        {
            watch.last = now;
            let progress = Progress { best: watch.best, ..self.now() };
            watch.observer.progress(&progress);
        }
    }
}
