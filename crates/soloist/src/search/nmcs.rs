//! Nested Monte-Carlo search (NMCS) with a memorised best sequence, and its beam.
//!
//! Level 0 is a playout. Level `n` at a state runs level `n - 1` after each legal move, remembers the best sequence
//! seen since this level began, and plays the next move of *that* sequence (not of this step's best): so it never
//! ends worse than what it has seen.
//!
//! With `width > 1` this is Monte-Carlo beam search: a level holds `width` states, each with the best sequence that
//! passes it. All of them are developed by the level below; of all their children, the next states along the
//! remembered sequences included, those with the best results become the new beam (ties: remembered first, then
//! as met). A level ends when its states have no moves left, and returns the best it has seen.
//!
//! The moves tried are the candidates of the rollout, so that a selective rollout restricts every level.
//!
//! An offered solution is remembered by the active levels in the states that it passes, and by the outermost
//! level of every later run, from its beginning.
//!
//! When to use it: short games with few moves; it needs no learning and no tuning. Cost per step: one playout; one
//! run of level `n` takes about (width x branching x length)^n / n! playouts. Memory: `width` states a level, and a
//! sequence for each of their children; every level has its part of the memory of the budget, and a beam for whose
//! children that is too little is cut to as many states as it is enough for.
//!
//! ```
//! # use soloist::{Budget, Method, Solver, doc::Staircase};
//! let outcome = Solver::new(&Staircase(8), Method::preset("nmcs").unwrap())
//!     .budget(Budget::playouts(3_000)).seed(1).run().unwrap();
//! assert_eq!(outcome.best.unwrap().score.value(), Some(8.0));
//! ```
//!
//! # References
//! T. Cazenave, "Nested Monte-Carlo search", IJCAI 2009, pages 456-461. T. Cazenave, "Monte Carlo beam search",
//! IEEE Transactions on Computational Intelligence and AI in Games 4, 2012, pages 68-72.

use super::family::Family;
use super::{Context, Search, Status, replay, states};
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::limits::ensure;
use crate::core::order;
use crate::core::parameter::{PerLevel, parameters};
use crate::core::solution::Solution;
use crate::erased::problem::{ErasedProblem, State};
use crate::erased::{MoveId, validate};
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

parameters! {
    /// The parameters of the family; see the module.
    #[doc(hidden)]
    pub struct Nmcs {
        /// nesting level
        level: u64 = 3, 1..=12;
        /// states that each level holds
        width: PerLevel = 1.into(), 1..=100_000;
        /// start again when a run ends, until the budget is used up
        restarts: bool = true, ();
    }
}

impl Family for Nmcs {
    fn least_memory(&self, problem: &dyn ErasedProblem) -> u64 {
        states(problem, self.level + 3)
    }

    fn build(&self, problem: &dyn ErasedProblem, memory: u64) -> Box<dyn Search> {
        Box::new(NmcsSearch::new(self.clone(), problem, memory))
    }
}

/// A finished solution: its score and its moves from the root.
type Found = (Score, Vec<MoveId>);

/// A level in progress.
struct Frame {
    /// The states of this level, one for each entry.
    states: Vec<State>,
    saved: Saved,
}

/// The part of a frame from which the rest is rebuilt.
#[derive(Clone, Serialize, Deserialize)]
struct Saved {
    entries: Vec<Entry>,
    /// The entry whose moves are being tried.
    turn: usize,
    /// The moves to try there.
    moves: Vec<MoveId>,
    /// Which of them is tried next.
    next: usize,
    /// The best of all that this level has seen.
    best: Option<Found>,
}

/// A state of a level's beam.
#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    /// Moves from the root.
    path: Vec<MoveId>,
    /// The best solution known that passes this state.
    best: Option<Found>,
    /// Results of its moves, in order.
    results: Vec<Found>,
}

impl Saved {
    /// Remembers a solution from outside in each state that it passes, and in the level if there is one.
    fn remember(&mut self, sense: Sense, found: &Found) {
        let improve = |best: &mut Option<Found>| {
            if best.as_ref().is_none_or(|best| sense.better(found.0, best.0)) {
                *best = Some(found.clone());
            }
        };
        for entry in self.entries.iter_mut().filter(|entry| found.1.starts_with(&entry.path)) {
            improve(&mut entry.best);
            improve(&mut self.best);
        }
    }
}

impl Entry {
    fn new(path: Vec<MoveId>, best: Option<Found>) -> Self {
        Self { path, best, results: Vec::new() }
    }

    /// Returns the solutions that pass its children, the remembered one first.
    fn children(self) -> impl Iterator<Item = Found> {
        let depth = self.path.len();
        self.best.into_iter().chain(self.results).filter(move |(_, moves)| moves.len() > depth)
    }
}

/// What the beam of a level may take.
#[derive(Clone, Copy)]
struct Room {
    /// Bytes for a level.
    memory: u64,
    /// Bytes of a state.
    state: u64,
}

impl Room {
    /// Returns how many states there is room for, from the `parents` that a level has developed and their children.
    fn states(self, parents: usize, children: &[(usize, Found)]) -> usize {
        // Lists grow by doubling.
        let list = 2 * (size_of::<Found>() + size_of::<(usize, Found)>());
        let bytes = children.iter().map(|(_, (_, moves))| list + moves.capacity() * size_of::<MoveId>()).sum::<usize>();
        let each = self.state + bytes as u64 / parents.max(1) as u64;
        usize::try_from(self.memory / each.max(1)).unwrap_or(usize::MAX).max(1)
    }
}

pub(crate) struct NmcsSearch {
    parameters: Nmcs,
    room: Room,
    /// Outermost level first; empty between runs.
    frames: Vec<Frame>,
    /// The best solution from outside, which each run of the outermost level begins to follow.
    offered: Option<Found>,
    playout: Vec<MoveId>,
    /// The buffer of a playout.
    state: Option<State>,
}

impl NmcsSearch {
    pub(crate) fn new(parameters: Nmcs, problem: &dyn ErasedProblem, memory: u64) -> Self {
        let room = Room { memory: memory / parameters.level, state: problem.state_bytes() as u64 };
        Self { room, parameters, frames: Vec::new(), offered: None, playout: Vec::new(), state: None }
    }

    fn push(&mut self, context: &mut Context<'_>, state: State, path: Vec<MoveId>) {
        let mut moves = Vec::new();
        context.rollout.candidates(&state, &mut moves).forgo();
        let entries = vec![Entry::new(path, None)];
        let mut frame = Frame { states: vec![state], saved: Saved { entries, turn: 0, moves, next: 0, best: None } };
        if let Some(offered) = self.offered.as_ref().filter(|_| self.frames.is_empty()) {
            frame.saved.remember(context.problem.sense(), offered);
        }
        self.frames.push(frame);
    }

    /// Gives a finished solution to the innermost frame. Every frame that has tried all its moves continues.
    /// The outermost level has ended when no frame is left.
    fn offer(&mut self, context: &mut Context<'_>, mut found: Found) {
        let sense = context.problem.sense();
        loop {
            let level = self.parameters.level as usize + 1 - self.frames.len();
            let width = self.parameters.width.at(level) as usize;
            let Some(frame) = self.frames.last_mut() else { return };
            let saved = &mut frame.saved;
            if saved.best.as_ref().is_none_or(|best| sense.better(found.0, best.0)) {
                saved.best = Some(found.clone());
            }
            saved.entries[saved.turn].results.push(found);
            if saved.next < saved.moves.len() || frame.next_entry(context, width, self.room) {
                return;
            }
            // This level returns its best solution to the one above.
            let Some(best) = self.frames.pop().and_then(|frame| frame.saved.best) else { return };
            found = best;
        }
    }
}

impl Frame {
    /// Ends the present entry and begins the next one, or the next beam. Returns false when the level has ended.
    fn next_entry(&mut self, context: &mut Context<'_>, width: usize, room: Room) -> bool {
        self.saved.turn += 1;
        if self.saved.turn == self.saved.entries.len() {
            self.next_beam(context, width, room);
        }
        let Some(state) = self.states.get(self.saved.turn) else { return false };
        self.saved.next = 0;
        self.saved.moves.clear();
        context.rollout.candidates(state, &mut self.saved.moves).forgo();
        true
    }

    /// Makes the best children of all entries the entries; finished ones have nothing left to develop.
    fn next_beam(&mut self, context: &mut Context<'_>, width: usize, room: Room) {
        let problem = context.problem;
        let sense = problem.sense();
        let mut children: Vec<(usize, Found)> = Vec::new();
        let (mut depth, parents) = (0, self.saved.entries.len());
        for (parent, entry) in self.saved.entries.drain(..).enumerate() {
            depth = entry.path.len();
            children.extend(entry.children().map(|child| (parent, child)));
        }
        order::sort_by(&mut children, |(_, a), (_, b)| sense.best_first(Some(a.0), Some(b.0)));
        // The better one of two solutions that pass the same child.
        let width = width.min(room.states(parents, &children));
        let mut kept: BTreeSet<(usize, MoveId)> = BTreeSet::new();
        children.retain(|(parent, (_, moves))| kept.len() < width && kept.insert((*parent, moves[depth])));
        let parents = std::mem::take(&mut self.states);
        self.saved.turn = 0;
        for (parent, (score, moves)) in children {
            let mut state = parents[parent].clone();
            problem.apply(&mut state, moves[depth]);
            self.saved.moves.clear();
            context.rollout.candidates(&state, &mut self.saved.moves).forgo();
            if !self.saved.moves.is_empty() {
                self.states.push(state);
                self.saved.entries.push(Entry::new(moves[..=depth].to_vec(), Some((score, moves))));
            }
        }
    }
}

impl Search for NmcsSearch {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        let problem = context.problem;
        if self.frames.is_empty() {
            self.push(context, problem.root(), Vec::new());
        }
        // Descend: each level tries its next move by the level below; level 1 tries it by a playout.
        loop {
            let depth = self.frames.len() as u64;
            let frame = self.frames.last_mut().expect("pushed above");
            let Frame { states, saved } = frame;
            let state = self.state.get_or_insert_with(|| problem.root());
            let mut path = saved.entries[saved.turn].path.clone();
            if let Some(&mv) = saved.moves.get(saved.next) {
                saved.next += 1;
                context.tally.counters.nodes += 1;
                problem.child(&states[saved.turn], mv, state);
                path.push(mv);
                if depth < self.parameters.level {
                    let state = state.clone();
                    self.push(context, state, path);
                    continue;
                }
            } else {
                // A state without moves: its empty playout is its score.
                state.clone_from(&states[saved.turn]);
            }
            self.playout.clear();
            context.rollout.run(state, &mut self.playout, context.rng);
            let score = context.finish(state, &path, &self.playout);
            context.tally.counters.nodes += self.playout.len() as u64;
            path.extend_from_slice(&self.playout);
            self.offer(context, (score, path));
            let ended = self.frames.is_empty() && !self.parameters.restarts;
            return if ended { Status::Completed } else { Status::Running };
        }
    }

    fn adopt(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
        let (sense, found) = (context.problem.sense(), (solution.score, solution.moves.clone()));
        for frame in &mut self.frames {
            frame.saved.remember(sense, &found);
        }
        if self.offered.as_ref().is_none_or(|offered| sense.better(found.0, offered.0)) {
            self.offered = Some(found);
        }
    }

    fn save(&self) -> Vec<u8> {
        encode(&(self.frames.iter().map(|frame| &frame.saved).collect::<Vec<_>>(), &self.offered))
    }

    fn load(&mut self, problem: &dyn ErasedProblem, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.frames.clear();
        let (levels, offered) = decode::<(Vec<Saved>, Option<Found>)>(bytes)?;
        if let Some((score, moves)) = &offered {
            validate::solution(problem, moves, *score)?;
        }
        self.offered = offered;
        ensure(levels.len() as u64 <= self.parameters.level, "another number of levels")?;
        for saved in levels {
            if saved.turn >= saved.entries.len() {
                return Err(CheckpointError::Corrupt("a beam"));
            }
            let depth = saved.entries[saved.turn].path.len();
            ensure(saved.entries.iter().all(|entry| entry.path.len() == depth), "a beam")?;
            if let Some(above) = self.frames.last() {
                let path = &above.saved.entries[above.saved.turn].path;
                ensure(saved.entries.iter().all(|entry| entry.path.starts_with(path)), "a beam")?;
            }
            let mut states = Vec::new();
            for entry in &saved.entries {
                for (score, moves) in entry.best.iter().chain(&entry.results) {
                    ensure(moves.starts_with(&entry.path), "a beam")?;
                    validate::solution(problem, moves, *score)?;
                }
                states.push(replay(problem, &entry.path)?);
            }
            if let Some((score, moves)) = &saved.best {
                validate::solution(problem, moves, *score)?;
            }
            let mut legal = Vec::new();
            problem.moves(&states[saved.turn], &mut legal);
            let sound = saved.moves.iter().all(|mv| legal.contains(mv)) && saved.next <= saved.moves.len();
            ensure(sound, "the moves of a beam")?;
            self.frames.push(Frame { states, saved });
        }
        Ok(())
    }
}
