//! Threads that expand entries of a layer ahead of their turn.
//!
//! What a child is worth depends on its state alone. So threads list and judge the children of later entries, while the
//! search admits those of earlier ones in their order. Layers, counters and draws are the same for any number of
//! threads.

use super::judge::{Judge, Judged, Measure, Origin};
use super::merge::Future;
use super::pass::Entry;
use super::rank::chance_of;
use crate::core::cut::EVERY;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::search::shared::children::optimistic;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::panicking;
use std::time::{Duration, Instant};

/// How long a block takes that threads work on before the search looks at its limits again, at most and at least.
const LONGEST: Duration = Duration::from_millis(3);
const SHORTEST: Duration = Duration::from_micros(400);
/// How long threads work before the search ends a step, by blocks that follow each other.
pub(super) const TOGETHER: Duration = Duration::from_millis(10);
/// Blocks of a layer, unless they become too short or too long. Children of the first one meet no cut.
const BLOCKS: f64 = 16.0;
/// The part of such a block that is taken while there is no cut: more is judged there than one thread would.
const UNCUT: f64 = 0.25;
/// A layer that takes less time is not worth a thread.
const LEAST: Duration = Duration::from_micros(500);
/// Entries of a block while it is not known how long one takes.
const FIRST: usize = 64;
/// Parts of a block for each thread: they end at about the same time.
pub(super) const PARTS: usize = 4;
/// The most entries of a block for each thread: what is judged ahead stays in the caches.
const MOST: usize = 1 << 12;
/// The part of the memory that a block may take, with this many children for each entry.
const SHARE: u64 = 32;
const CHILDREN: usize = 32;

/// The threads, and what they have done ahead.
pub(super) struct Crew {
    pub(super) workers: usize,
    /// The most entries of a block.
    most: usize,
    /// The block whose children are admitted: its parts, the present part, and the present entry of that part.
    pub(super) ready: Vec<Part>,
    pub(super) part: usize,
    pub(super) entry: usize,
    /// Parts for the next block.
    pub(super) spare: Vec<Part>,
    /// What an entry costs, in seconds of one thread. `None`: not known yet.
    cost: Option<f64>,
}

/// Some entries in a row.
#[derive(Default)]
pub(super) struct Part {
    /// The states that the entries follow; there may be more.
    pub(super) parents: Vec<State>,
    pub(super) entries: Vec<Waiting>,
    /// By entry: its state. There may be more.
    pub(super) states: Vec<State>,
    pub(super) expanded: Vec<Expanded>,
    moves: Vec<MoveId>,
    chances: Vec<f64>,
    pub(super) children: Vec<Ahead>,
    /// The ranks of the resources of the children.
    pub(super) ranks: Vec<u64>,
    future: Future,
    /// How long it took.
    time: Duration,
}

/// An entry that is to be expanded.
pub(super) struct Waiting {
    pub(super) entry: Entry,
    /// Its place in the layer.
    pub(super) at: usize,
    /// The place of its parent among those of the part.
    pub(super) parent: usize,
    /// Whether the parent is its state already.
    pub(super) is_made: bool,
}

/// An expanded entry.
pub(super) struct Expanded {
    /// How many moves it has.
    pub(super) moves: usize,
    /// The bound of its state, where that was asked for.
    pub(super) bound: Option<f64>,
    pub(super) children: Range<usize>,
}

/// A child that was judged ahead of its turn.
pub(super) struct Ahead {
    pub(super) judged: Judged,
    /// What decides between equal ranks.
    pub(super) tie: u64,
    pub(super) mv: MoveId,
    pub(super) chance: f64,
    pub(super) ranks: Range<u32>,
}

impl Crew {
    /// Returns a crew for states of `state` bytes; its blocks take a small part of `memory` bytes.
    pub(super) fn new(workers: usize, memory: u64, state: usize) -> Self {
        let entry = 2 * state + CHILDREN * size_of::<Ahead>();
        let fit = usize::try_from(memory / SHARE / entry as u64).unwrap_or(usize::MAX);
        let most = fit.clamp(1, MOST * workers);
        Self { workers, most, ready: Vec::new(), part: 0, entry: 0, spare: Vec::new(), cost: None }
    }

    /// Forgets what was done ahead.
    pub(super) fn dismiss(&mut self) {
        self.spare.append(&mut self.ready);
        (self.part, self.entry) = (0, 0);
    }

    /// Whether children wait to be admitted.
    pub(super) fn has_ready(&self) -> bool {
        self.part < self.ready.len()
    }

    /// Whether a layer with `left` entries is worth a thread.
    pub(super) fn is_worth(&self, left: usize) -> bool {
        match self.cost {
            Some(cost) => left as f64 * cost >= LEAST.as_secs_f64(),
            None => left >= FIRST,
        }
    }

    /// Returns how many entries a block of a layer with `entries` has; `is_cut`: whether the layer has a cut.
    pub(super) fn block(&self, entries: usize, is_cut: bool) -> usize {
        let Some(cost) = self.cost else { return FIRST.min(self.most) };
        let each = cost / self.workers as f64;
        let part = if is_cut { 1.0 } else { UNCUT };
        let time = (entries as f64 * each / BLOCKS).clamp(SHORTEST.as_secs_f64(), LONGEST.as_secs_f64()) * part;
        ((time / each) as usize).clamp(PARTS * self.workers, MOST * self.workers).min(self.most)
    }

    /// Notes what an entry of these parts has cost.
    pub(super) fn learn(&mut self, parts: &[Part]) {
        let time: f64 = parts.iter().map(|part| part.time.as_secs_f64()).sum();
        let entries: usize = parts.iter().map(|part| part.expanded.len()).sum();
        if entries > 0 {
            self.cost = Some((time / entries as f64).max(1e-9));
        }
    }
}

impl Part {
    /// Lists and judges the children of all entries.
    fn expand(&mut self, judge: &Judge, problem: &dyn ErasedProblem, now: &Now, child: &mut State) {
        let begin = Instant::now();
        self.expanded.clear();
        self.children.clear();
        self.ranks.clear();
        for number in 0..self.entries.len() {
            if number % EVERY == EVERY - 1 && problem.watch().abandons() {
                break;
            }
            let measure = now.measure();
            let &Waiting { entry, parent, is_made, .. } = &self.entries[number];
            match self.states.get_mut(number) {
                Some(state) => state.clone_from(&self.parents[parent]),
                None => self.states.push(self.parents[parent].clone()),
            }
            if let Some(mv) = entry.mv.filter(|_| !is_made) {
                problem.apply(&mut self.states[number], mv);
            }
            self.moves.clear();
            problem.moves(&self.states[number], &mut self.moves);
            let from = self.children.len();
            let mut bound = None;
            if !self.moves.is_empty() {
                bound = measure.incumbent.map(|_| optimistic(problem, &self.states[number]));
                if bound.is_none_or(|bound| !judge.sense.is_hopeless(bound, measure.incumbent)) {
                    self.judge_children(judge, problem, measure, number, child);
                }
            }
            self.expanded.push(Expanded { moves: self.moves.len(), bound, children: from..self.children.len() });
        }
        self.time = begin.elapsed();
    }

    /// Judges the children of an entry.
    fn judge_children(
        &mut self,
        judge: &Judge,
        problem: &dyn ErasedProblem,
        measure: Measure,
        number: usize,
        child: &mut State,
    ) {
        let Waiting { entry, at, .. } = self.entries[number];
        let state = &self.states[number];
        judge.ranker.list_chances(problem, state, &self.moves, &mut self.chances);
        for (place, &mv) in self.moves.iter().enumerate() {
            if place % EVERY == EVERY - 1 && problem.watch().abandons() {
                return;
            }
            problem.child(state, mv, child);
            let chance = entry.chance + chance_of(&self.chances, place);
            let origin = Origin { link: entry.link, at, place, chance };
            let Some(judged) = judge.judge(problem, child, origin, measure, &mut self.future) else { continue };
            let from = self.ranks.len() as u32;
            let mut tie = 0;
            if judged.worth.is_some() {
                self.ranks.extend_from_slice(&self.future.ranks);
                tie = judge.ranker.tie(problem, child, chance);
            }
            self.children.push(Ahead { judged, tie, mv, chance, ranks: from..self.ranks.len() as u32 });
        }
    }
}

/// What the search knows while threads work ahead: it becomes stricter with each entry that is admitted.
pub(super) struct Now {
    pub(super) incumbent: Option<f64>,
    pub(super) cut: AtomicU64,
}

impl Now {
    fn measure(&self) -> Measure {
        Measure { incumbent: self.incumbent, cut: self.cut.load(Ordering::Relaxed), is_ahead: true }
    }
}

/// The parts that wait for a thread, in order, and those that are done.
#[derive(Default)]
struct Jobs {
    waiting: VecDeque<(usize, Part)>,
    done: Vec<(usize, Part)>,
    /// How many parts there were so far.
    offered: usize,
    /// Whether no other block comes.
    is_closed: bool,
    /// Whether a thread has panicked with a part.
    has_failed: bool,
}

/// A block that was offered: the numbers of its parts, and how many entries they have.
pub(super) struct Block {
    parts: Range<usize>,
    pub(super) entries: usize,
}

/// When [`Queue::work`] returns.
pub(super) enum Until<'a> {
    /// No part waits for a thread.
    Taken,
    /// All parts of this block are done. Those of the next one are expanded meanwhile.
    Done(&'a Block),
    /// No part waits for a thread, and no other block comes.
    Closed,
}

impl Until<'_> {
    fn is_reached(&self, jobs: &Jobs) -> bool {
        match self {
            Until::Taken => jobs.waiting.is_empty(),
            // The blocks before it were collected.
            Until::Done(block) => {
                let done = jobs.done.iter().filter(|(number, _)| *number < block.parts.end).count();
                done == block.parts.len()
            }
            Until::Closed => jobs.is_closed && jobs.waiting.is_empty(),
        }
    }
}

/// Hands the parts of one block after another to the threads. They stay for several blocks: to begin one takes as long
/// as a hundred entries.
#[derive(Default)]
pub(super) struct Queue {
    jobs: Mutex<Jobs>,
    changed: Condvar,
}

/// Notes that a thread has panicked.
struct Alarm<'a>(&'a Queue);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if panicking() {
            self.0.jobs().has_failed = true;
            self.0.changed.notify_all();
        }
    }
}

impl Queue {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Offers the parts of a block.
    pub(super) fn offer(&self, parts: Vec<Part>) -> Block {
        let entries = parts.iter().map(|part| part.entries.len()).sum();
        let mut jobs = self.jobs();
        let first = jobs.offered;
        jobs.offered += parts.len();
        jobs.waiting.extend((first..).zip(parts));
        self.changed.notify_all();
        Block { parts: first..jobs.offered, entries }
    }

    /// Expands parts, and waits where there are none, until `until` or until a thread has panicked. `child` is a room
    /// for a state.
    pub(super) fn work(
        &self,
        judge: &Judge,
        problem: &dyn ErasedProblem,
        now: &Now,
        until: &Until<'_>,
        child: &mut State,
    ) {
        let mut jobs = self.jobs();
        while !jobs.has_failed && !until.is_reached(&jobs) {
            let Some((number, mut part)) = jobs.waiting.pop_front() else {
                jobs = self.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(jobs);
            {
                let _alarm = Alarm(self);
                part.expand(judge, problem, now, child);
            }
            jobs = self.jobs();
            jobs.done.push((number, part));
            self.changed.notify_all();
        }
    }

    /// Returns the parts of a block that is done, in order; the blocks before it were collected. `None`: a thread has
    /// panicked.
    pub(super) fn collect(&self, block: &Block) -> Option<Vec<Part>> {
        let mut jobs = self.jobs();
        if jobs.has_failed {
            return None;
        }
        jobs.done.sort_unstable_by_key(|(number, _)| *number);
        let later = jobs.done.split_off(block.parts.len());
        let done = std::mem::replace(&mut jobs.done, later);
        Some(done.into_iter().map(|(_, part)| part).collect())
    }

    /// Sends the threads home.
    pub(super) fn close(&self) {
        self.jobs().is_closed = true;
        self.changed.notify_all();
    }
}
