//! The one loop: runs a method on a problem.

mod stream;

use crate::checkpoint::{CheckpointError, decode, encode, open, seal, write_atomically};
use crate::goals::{Goals, root_bound};
use crate::observer::{Observer, Silent};
use crate::rollout::find_rollout;
use crate::search::Tally;
use crate::{
    Budget, Counters, Improvement, Method, Outcome, ParameterError, Problem, Rng, Sense, Solution, StopReason,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};
use stream::{Limits, SavedStream, Shared, Stream, Watch};
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
/// method names; their results are merged by score, then by stream number. A target stops every stream at the playout
/// count of the first stream (fewest playouts, then lowest number) that reached it: the solution is reproducible, the
/// effort of the others is not.
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
            streams: streams.iter().map(Stream::save).collect(),
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
        let optimal = self.problem.is_complete() && matches!(stop, StopReason::Exhausted | StopReason::Bound);
        let bound = if optimal { best.as_ref().and_then(|best| best.score.value()) } else { root_bound(self.problem) };
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
