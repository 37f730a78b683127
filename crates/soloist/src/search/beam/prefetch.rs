//! A beam whose entries are expanded ahead of their turn by a [crew](super::parallel).

use super::parallel::{Ahead, Crew, Expanded, Now, PARTS, Part, Queue, TOGETHER, Until, Waiting};
use super::run::BeamSearch;
use crate::erased::problem::ErasedProblem;
use crate::search::Context;
use crate::search::shared::children::optimistic;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::Builder;
use std::time::Instant;

/// Sends the threads home, also where this one panics.
struct Ends<'a>(&'a Queue);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl BeamSearch {
    /// Whether the next entries are expanded by several threads.
    pub(super) fn goes_ahead(&self) -> bool {
        let left = self.pass.layer.len() - self.pass.next;
        self.crew.as_ref().is_some_and(|crew| crew.has_ready() || crew.is_worth(left))
    }

    /// Admits the children of the block that is ready, as far as the limits of the run go, while threads expand the
    /// entries of the next blocks; and so on for some milliseconds.
    pub(super) fn advance_together(&mut self, context: &mut Context<'_>) {
        let Some(mut crew) = self.crew.take() else { return };
        let begin = Instant::now();
        // A block that was left in its middle is followed by one block at most.
        let first = self.gather(&mut crew, 0);
        let mut claims = std::mem::take(&mut crew.claims);
        if self.pass.next == 0 {
            claims.next_layer();
        }
        let now = Now {
            incumbent: context.incumbent(),
            cut: AtomicU64::new(self.pass.cut),
            claims: crew.has_slow_ties().then_some(&claims),
        };
        let (judge, problem) = (self.judge.clone(), context.problem);
        let count = if first.is_empty() { 0 } else { crew.workers - 1 };
        let twins: Vec<Box<dyn ErasedProblem + '_>> = (0..count).map(|_| problem.twin()).collect();
        let mut child = problem.root();
        let queue = Queue::default();
        std::thread::scope(|scope| {
            let (queue, judge, now) = (&queue, &judge, &now);
            let ends = Ends(queue);
            let mut helpers = Vec::new();
            for twin in twins {
                // A thread that cannot be started does not matter: the others do its work.
                let work = move || queue.work(judge, &*twin, now, &Until::Closed, &mut twin.root());
                helpers.extend(Builder::new().spawn_scoped(scope, work));
            }
            let mut block = queue.offer(first);
            loop {
                let continues = self.admit_ready(&mut crew, context, now) && count > 0 && begin.elapsed() < TOGETHER;
                if crew.part > 0 {
                    // What was admitted makes room.
                    crew.spare.extend(crew.ready.drain(..crew.part));
                    crew.part = 0;
                }
                queue.work(judge, problem, now, &Until::Taken, &mut child);
                // While other threads finish the last parts of this block, there are parts of the next one.
                let parts = if continues { self.gather(&mut crew, block.entries) } else { Vec::new() };
                let next = queue.offer(parts);
                queue.work(judge, problem, now, &Until::Done(&block), &mut child);
                let Some(mut done) = queue.collect(&block) else { break };
                crew.learn(&done);
                crew.ready.append(&mut done);
                if next.entries == 0 {
                    break;
                }
                block = next;
            }
            drop(ends);
            for helper in helpers {
                if let Err(panic) = helper.join() {
                    std::panic::resume_unwind(panic);
                }
            }
        });
        crew.claims = claims;
        self.crew = Some(crew);
    }

    /// Returns the parts of the next block, which begins behind what is ready and behind `underway` entries: those of
    /// the block that was offered and not collected. There are none where another block is behind the one that is ready
    /// already.
    fn gather(&mut self, crew: &mut Crew, underway: usize) -> Vec<Part> {
        let ready: usize = crew.ready[crew.part..].iter().map(|part| part.entries.len()).sum();
        let from = self.pass.next + ready - crew.entry + underway;
        let waiting = crew.ready.len() - crew.part;
        let count = crew.block(self.pass.layer.len(), self.pass.cut > 0).min(self.pass.layer.len() - from);
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
            if search.states.replayed { at } else { search.pass.layer[at].parent as usize }
        };
        let behind = (entries.end < self.pass.layer.len()).then(|| place(self, entries.end));
        let mut parents = 0;
        for at in entries.clone() {
            let parent = place(self, at);
            if at == entries.start || place(self, at - 1) != parent {
                let state = &mut self.states.before[parent];
                match part.parents.get_mut(parents) {
                    // The part behind needs it too.
                    Some(room) if behind == Some(parent) => room.clone_from(state),
                    Some(room) => std::mem::swap(room, state),
                    None => part.parents.push(state.clone()),
                }
                parents += 1;
            }
            let entry = self.pass.layer[at];
            part.entries.push(Waiting { entry, at, parent: parents - 1, is_made: self.states.replayed });
        }
    }

    /// Admits the children that are ready, entry by entry, until a limit of the run is reached or there is a new
    /// incumbent. Returns whether all were admitted and nothing ends the work.
    fn admit_ready(&mut self, crew: &mut Crew, context: &mut Context<'_>, now: &Now<'_>) -> bool {
        while let Some(part) = crew.ready.get_mut(crew.part) {
            let improvements = context.tally.history.len();
            // Nothing where a limit has ended the work.
            let Some(expanded) = part.expanded.get(crew.entry) else { return false };
            let at = self.pass.next;
            self.pass.next += 1;
            let state = &mut part.states[crew.entry];
            match self.states.own.get_mut(at) {
                Some(room) => std::mem::swap(room, state),
                None => self.states.own.push(state.clone()),
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
                return false;
            }
        }
        true
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
            let bound = expanded.bound.unwrap_or_else(|| optimistic(problem, &self.states.own[at]));
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
                let tie = child.tie.unwrap_or_else(|| {
                    problem.child(&self.states.own[at], child.mv, &mut self.child);
                    self.judge.ranker.tie(problem, &self.child, child.chance)
                });
                self.keep(context, (trial.rank, tie, trial.mix), at, child.mv, child.chance);
            }
        }
        self.thin_out(false);
    }
}
