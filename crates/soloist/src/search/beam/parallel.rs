//! Threads that expand entries of a layer ahead of their turn.
//!
//! What a child is worth depends on its state alone. So threads list and judge the children of later entries, while the
//! search admits those of earlier ones in their order. Layers, counters and draws are the same for any number of
//! threads.

use super::beam_state::Entry;
use super::evaluate_child::{Judge, Judged, Measure, Origin};
use super::merge::Future;
use super::rank::chance_of;
use crate::core::abort::EVERY;
use crate::core::order;
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

/// The first entry of a layer that leads to a key, for the keys that threads have met: its child alone needs a
/// tie-break. What is forgotten or mistaken here costs time and changes no result.
#[derive(Default)]
pub(super) struct Claims {
    /// By hash: 32 other bits of the hash, and the place of the entry.
    slots: Vec<AtomicU64>,
    /// Makes other hashes for each layer.
    layer: u64,
}

/// A tie-break that takes less is computed for all children.
const SLOW_TIE: Duration = Duration::from_nanos(300);
/// One of so many tie-breaks is measured.
const MEASURED: usize = 256;
/// Slots of [`Claims`]: two to the power of this.
const CLAIMS: u32 = 17;
/// An odd number whose bits look random (the golden ratio).
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Claims {
    fn new() -> Self {
        Self { slots: (0..1 << CLAIMS).map(|_| AtomicU64::new(u64::MAX)).collect(), layer: 0 }
    }

    /// Forgets all keys.
    pub(super) fn next_layer(&mut self) {
        self.layer = self.layer.wrapping_add(SCATTER);
    }

    /// Whether an entry before the one at `at`, or that one itself, has led to this key before. Enters `at` if not.
    #[inline]
    fn is_taken(&self, key: u64, at: usize) -> bool {
        let hash = (key ^ self.layer).wrapping_mul(SCATTER);
        let slot = &self.slots[(hash >> (u64::BITS - CLAIMS)) as usize];
        let (tag, at) = (hash << 32, u64::from(at as u32));
        let old = slot.load(Ordering::Relaxed);
        let is_taken = old & !u64::from(u32::MAX) == tag && old & u64::from(u32::MAX) <= at;
        if !is_taken {
            slot.store(tag | at, Ordering::Relaxed);
        }
        is_taken
    }
}

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
    pub(super) claims: Claims,
    /// What an entry costs, in seconds of one thread. `None`: not known yet.
    cost: Option<f64>,
    /// The same for a tie-break.
    tie_cost: f64,
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
    /// How long the tie-breaks took that were measured, and how many these were.
    tie_time: Duration,
    ties: u32,
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
    /// What decides between equal ranks. `None`: an equal state has come before, so that it will hardly be asked for.
    pub(super) tie: Option<u64>,
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
        Self {
            workers,
            most,
            ready: Vec::new(),
            part: 0,
            entry: 0,
            spare: Vec::new(),
            claims: Claims::new(),
            cost: None,
            tie_cost: 0.0,
        }
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
        let ties: u32 = parts.iter().map(|part| part.ties).sum();
        if ties > 0 {
            let time: Duration = parts.iter().map(|part| part.tie_time).sum();
            self.tie_cost = time.as_secs_f64() / f64::from(ties);
        }
    }

    /// Whether a tie-break takes longer than to look up whether it is needed.
    pub(super) fn has_slow_ties(&self) -> bool {
        self.tie_cost > SLOW_TIE.as_secs_f64()
    }
}

impl Part {
    /// Lists and judges the children of all entries.
    fn expand(&mut self, judge: &Judge, problem: &dyn ErasedProblem, now: &Now<'_>, child: &mut State) {
        let begin = Instant::now();
        self.expanded.clear();
        self.children.clear();
        self.ranks.clear();
        (self.tie_time, self.ties) = (Duration::ZERO, 0);
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
                    self.judge_children(judge, problem, now, number, child);
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
        now: &Now<'_>,
        number: usize,
        child: &mut State,
    ) {
        let measure = now.measure();
        let Waiting { entry, at, .. } = self.entries[number];
        let state = &self.states[number];
        judge.ranker.list_chances(problem, state, &self.moves, &mut self.chances);
        for (place, &mv) in self.moves.iter().enumerate() {
            if place % EVERY == EVERY - 1 && problem.watch().abandons() {
                return;
            }
            problem.child(state, mv, child);
            let chance = entry.chance + chance_of(&self.chances, place);
            let origin = Origin { link: entry.link, at, place };
            let Some(judged) = judge.judge(problem, child, origin, measure, &mut self.future) else { continue };
            let from = self.ranks.len() as u32;
            let mut tie = None;
            if let Some(worth) = judged.worth {
                self.ranks.extend_from_slice(&self.future.ranks);
                let is_taken =
                    now.claims.is_some_and(|claims| worth.key.is_some_and(|key| claims.is_taken(key.mix(), at)));
                if !is_taken {
                    let begin = self.children.len().is_multiple_of(MEASURED).then(Instant::now);
                    tie = Some(judge.ranker.tie(problem, child, chance));
                    if let Some(begin) = begin {
                        (self.tie_time, self.ties) = (self.tie_time + begin.elapsed(), self.ties + 1);
                    }
                }
            }
            self.children.push(Ahead { judged, tie, mv, chance, ranks: from..self.ranks.len() as u32 });
        }
    }
}

/// What the search knows while threads work ahead: it becomes stricter with each entry that is admitted.
pub(super) struct Now<'a> {
    pub(super) incumbent: Option<f64>,
    pub(super) cut: AtomicU64,
    /// `None`: tie-breaks are computed for all children.
    pub(super) claims: Option<&'a Claims>,
}

impl Now<'_> {
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
        now: &Now<'_>,
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
        order::sort_by_key(&mut jobs.done, |(number, _)| *number);
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

#[cfg(test)]
mod tests {
    use super::Claims;

    #[test]
    fn the_first_entry_of_a_layer_has_a_key() {
        let mut claims = Claims::new();
        for key in [5, u64::MAX, 0] {
            assert!(!claims.is_taken(key, 3));
            assert!(claims.is_taken(key, 3) && claims.is_taken(key, 9));
            // An earlier one comes before it.
            assert!(!claims.is_taken(key, 1) && claims.is_taken(key, 2));
        }
        claims.next_layer();
        assert!(!claims.is_taken(5, 9));
    }
}
