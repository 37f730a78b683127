//! Threads that expand entries of a layer ahead of their turn.
//!
//! What a child is worth depends on its state alone. So threads list and judge the children of later entries, while the
//! search admits those of earlier ones in their order. Layers, counters and draws are the same for any number of
//! threads.

use super::judge::{Judge, Judged, Measure, Origin};
use super::merge::Future;
use super::pass::Entry;
use super::rank::chance_of;
use super::run::BeamSearch;
use crate::core::cut::EVERY;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::search::Context;
use crate::search::shared::children::optimistic;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How long a block takes that threads work on before the search looks at its limits again, at most and at least.
const LONGEST: Duration = Duration::from_millis(3);
const SHORTEST: Duration = Duration::from_micros(400);
/// Blocks of a layer, unless they become too short or too long. Children of the first one meet no cut.
const BLOCKS: f64 = 16.0;
/// A layer that takes less time is not worth a thread.
const LEAST: Duration = Duration::from_micros(500);
/// Entries of the first block, which shows how long one takes.
const FIRST: usize = 64;
/// Parts of a block for each thread: they end at about the same time.
const PARTS: usize = 4;
/// The most entries of a block for each thread: what is judged ahead stays in the caches.
const MOST: usize = 1 << 12;
/// The part of the memory that a block may take, with this many children for each entry.
const SHARE: u64 = 32;
const CHILDREN: usize = 32;

/// The threads, and what they have done ahead.
pub(super) struct Crew {
    workers: usize,
    /// The most entries of a block.
    most: usize,
    /// The block whose children are admitted: its parts, the present part, and the present entry of that part.
    ready: Vec<Part>,
    part: usize,
    entry: usize,
    /// Parts for the next block.
    spare: Vec<Part>,
    /// What an entry costs, in seconds of one thread. `None`: not known yet.
    cost: Option<f64>,
}

/// Some entries in a row.
#[derive(Default)]
struct Part {
    /// The states that the entries follow; there may be more.
    parents: Vec<State>,
    entries: Vec<Waiting>,
    /// By entry: its state. There may be more.
    states: Vec<State>,
    expanded: Vec<Expanded>,
    moves: Vec<MoveId>,
    chances: Vec<f64>,
    children: Vec<Ahead>,
    /// The ranks of the resources of the children.
    ranks: Vec<u64>,
    future: Future,
    /// How long it took.
    time: Duration,
}

/// An entry that is to be expanded.
struct Waiting {
    entry: Entry,
    /// Its place in the layer.
    at: usize,
    /// The place of its parent among those of the part.
    parent: usize,
    /// Whether the parent is its state already.
    is_made: bool,
}

/// An expanded entry.
struct Expanded {
    /// How many moves it has.
    moves: usize,
    /// The bound of its state, where that was asked for.
    bound: Option<f64>,
    children: Range<usize>,
}

/// A child that was judged ahead of its turn.
struct Ahead {
    judged: Judged,
    /// What decides between equal ranks.
    tie: u64,
    mv: MoveId,
    chance: f64,
    ranks: Range<u32>,
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
    fn has_ready(&self) -> bool {
        self.part < self.ready.len()
    }

    /// Whether a layer with `left` entries is worth a thread.
    fn is_worth(&self, left: usize) -> bool {
        match self.cost {
            Some(cost) => left as f64 * cost >= LEAST.as_secs_f64(),
            None => left >= FIRST,
        }
    }

    /// Returns how many entries a block of a layer with `entries` has.
    fn block(&self, entries: usize) -> usize {
        let Some(cost) = self.cost else { return FIRST.min(self.most) };
        let each = cost / self.workers as f64;
        let time = (entries as f64 * each / BLOCKS).clamp(SHORTEST.as_secs_f64(), LONGEST.as_secs_f64());
        ((time / each) as usize).clamp(PARTS * self.workers, MOST * self.workers).min(self.most)
    }

    /// Notes what an entry of these parts has cost.
    fn learn(&mut self, parts: &[Part]) {
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
struct Now {
    incumbent: Option<f64>,
    cut: AtomicU64,
}

impl Now {
    fn measure(&self) -> Measure {
        Measure { incumbent: self.incumbent, cut: self.cut.load(Ordering::Relaxed), is_ahead: true }
    }
}

/// Expands parts of a block as long as there are any.
fn work(queue: &Mutex<std::slice::IterMut<'_, Part>>, judge: &Judge, problem: &dyn ErasedProblem, now: &Now) {
    let mut child = problem.root();
    loop {
        let part = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let Some(part) = part else { return };
        part.expand(judge, problem, now, &mut child);
    }
}

impl BeamSearch {
    /// Whether the next entries are expanded by several threads.
    pub(super) fn goes_ahead(&self) -> bool {
        let left = self.pass.layer.len() - self.pass.next;
        self.crew.as_ref().is_some_and(|crew| crew.has_ready() || crew.is_worth(left))
    }

    /// Admits the children of the block that is ready, as far as the limits of the run go, while threads expand the
    /// entries of the next block.
    pub(super) fn advance_together(&mut self, context: &mut Context<'_>) {
        let Some(mut crew) = self.crew.take() else { return };
        let ready: usize = crew.ready.iter().map(|part| part.entries.len()).sum();
        let begun: usize = crew.ready[..crew.part].iter().map(|part| part.entries.len()).sum();
        let from = self.pass.next + ready - begun - crew.entry;
        // A block that was left in its middle is followed by one block at most.
        let mut coming = self.gather(&mut crew, from);
        let now = Now { incumbent: context.incumbent(), cut: AtomicU64::new(self.pass.cut) };
        let (judge, problem) = (self.judge.clone(), context.problem);
        let helpers = if coming.is_empty() { 0 } else { crew.workers - 1 };
        let twins: Vec<Box<dyn ErasedProblem + '_>> = (0..helpers).map(|_| problem.twin()).collect();
        let queue = Mutex::new(coming.iter_mut());
        std::thread::scope(|scope| {
            let (queue, judge, now) = (&queue, &judge, &now);
            let mut helpers = Vec::new();
            for twin in twins {
                // A thread that cannot be started does not matter: the others do its work.
                helpers.extend(Builder::new().spawn_scoped(scope, move || work(queue, judge, &*twin, now)));
            }
            self.admit_ready(&mut crew, context, now);
            work(queue, judge, problem, now);
            for helper in helpers {
                if let Err(panic) = helper.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        });
        crew.learn(&coming);
        crew.ready.append(&mut coming);
        if crew.part > 0 {
            // What was admitted makes room.
            crew.spare.extend(crew.ready.drain(..crew.part));
            crew.part = 0;
        }
        self.crew = Some(crew);
    }

    /// Returns the parts of the next block, which begins with entry number `from` of the layer; none where another block
    /// is behind the one that is ready already.
    fn gather(&mut self, crew: &mut Crew, from: usize) -> Vec<Part> {
        let waiting = crew.ready.len() - crew.part;
        let count = crew.block(self.pass.layer.len()).min(self.pass.layer.len() - from);
        if count == 0 || waiting > PARTS * crew.workers {
            return Vec::new();
        }
        let each = count.div_ceil(PARTS * crew.workers);
        let mut parts = Vec::new();
        let mut first = from;
        while first < from + count {
            let last = (first + each).min(from + count);
            let mut part = crew.spare.pop().unwrap_or_default();
            self.fill(&mut part, first..last);
            parts.push(part);
            first = last;
        }
        parts
    }

    /// Makes these entries of the layer those of a part, and moves the states before them there.
    fn fill(&mut self, part: &mut Part, entries: Range<usize>) {
        part.entries.clear();
        let place = |search: &Self, at: usize| {
            if search.replayed { at } else { search.pass.layer[at].parent as usize }
        };
        let behind = (entries.end < self.pass.layer.len()).then(|| place(self, entries.end));
        let mut parents = 0;
        for at in entries.clone() {
            let parent = place(self, at);
            if at == entries.start || place(self, at - 1) != parent {
                let state = &mut self.before[parent];
                match part.parents.get_mut(parents) {
                    // The part behind needs it too.
                    Some(room) if behind == Some(parent) => room.clone_from(state),
                    Some(room) => std::mem::swap(room, state),
                    None => part.parents.push(state.clone()),
                }
                parents += 1;
            }
            let entry = self.pass.layer[at];
            part.entries.push(Waiting { entry, at, parent: parents - 1, is_made: self.replayed });
        }
    }

    /// Admits the children that are ready, entry by entry, until a limit of the run is reached or there is a new
    /// incumbent.
    fn admit_ready(&mut self, crew: &mut Crew, context: &mut Context<'_>, now: &Now) {
        while let Some(part) = crew.ready.get_mut(crew.part) {
            let improvements = context.tally.history.len();
            // Nothing where a limit has ended the work.
            let Some(expanded) = part.expanded.get(crew.entry) else { return };
            let at = self.pass.next;
            self.pass.next += 1;
            let state = &mut part.states[crew.entry];
            match self.states.get_mut(at) {
                Some(room) => std::mem::swap(room, state),
                None => self.states.push(state.clone()),
            }
            if expanded.moves == 0 {
                self.score_leaf(context, at);
            } else {
                self.admit_children(context, at, expanded, &part.children, &part.ranks);
            }
            now.cut.store(self.pass.cut, Ordering::Relaxed);
            crew.entry += 1;
            if crew.entry == part.entries.len() {
                (crew.part, crew.entry) = (crew.part + 1, 0);
            }
            let is_used_up = context.tally.is_used_up() || context.tally.history.len() > improvements;
            if is_used_up || context.problem.watch().is_raised() {
                return;
            }
        }
    }

    /// Admits the children of the entry at `at`, as the search does that expands it in its turn.
    fn admit_children(
        &mut self,
        context: &mut Context<'_>,
        at: usize,
        expanded: &Expanded,
        children: &[Ahead],
        ranks: &[u64],
    ) {
        let (sense, problem) = (self.judge.sense, context.problem);
        let incumbent = context.incumbent();
        if incumbent.is_some() {
            let bound = expanded.bound.unwrap_or_else(|| optimistic(problem, &self.states[at]));
            if sense.is_hopeless(bound, incumbent) {
                return;
            }
        }
        if !self.judge.prune {
            context.tally.counters.nodes += expanded.moves as u64;
        }
        for child in &children[expanded.children.clone()] {
            if self.judge.prune && sense.is_hopeless(child.judged.bound, incumbent) {
                continue;
            }
            let own = &ranks[child.ranks.start as usize..child.ranks.end as usize];
            if let Some(trial) = self.admit(child.judged, own, child.chance) {
                self.keep(context, (trial.rank, child.tie, trial.mix), at, child.mv, child.chance);
            }
        }
        self.thin_out(false);
    }
}
