//! Depth-first tree search in passes: what branch and bound, iterative broadening and iterative deepening share.

use crate::Sense;
use crate::core::abort::EVERY;
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::coverage::{Ceiling, Ledger};
use crate::core::hash::Key;
use crate::core::score::unbounded;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::search::shared::children::{Child, Children, Lister, Shuffle, optimistic};
use crate::search::shared::seen::{Identities, VisitTable};
use crate::search::{Context, Search, Status};
use serde::{Deserialize, Serialize};

/// The states or solutions that a pass leaves out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Plan {
    /// Nothing: there is one pass.
    All,
    /// All but the first `number + 1` children of each state.
    Broadening,
    /// States whose bound is worse than a threshold, which moves by at least `step` between passes.
    Threshold { step: f64 },
}

/// Bytes for the path however little memory there is.
const ALWAYS: usize = 1 << 18;

/// A state on the present path and its children.
struct Frame {
    /// `None`: it was dropped for lack of memory and is made again by the moves to it.
    state: Option<State>,
    /// Empty in a frame that was entered: dropped as well.
    children: Vec<Child>,
    /// Whether `children` are there.
    listed: bool,
    /// The best bound of the children that were still to be tried when they were dropped.
    rest: Option<f64>,
    /// Which child is tried next.
    next: usize,
    /// Whether no earlier pass came this way.
    fresh: bool,
    bound: f64,
}

/// Where the iteration stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Pass {
    /// Passes before this one.
    number: u64,
    /// What was left out that may hold a better solution: by the width, or for its bound.
    ledger: Ledger,
    /// States with a worse bound are left out.
    threshold: f64,
    /// The threshold of the pass before.
    before: Option<f64>,
    /// No solution is better than this, as the pass before has shown.
    ceiling: Ceiling,
}

pub(crate) struct DepthFirst {
    plan: Plan,
    sense: Sense,
    lister: Lister,
    /// The states entered in this pass.
    table: Option<VisitTable>,
    identities: Identities,
    memory: u64,
    /// Bytes for the states and lists of the present path, those in use, and those of a state.
    room: usize,
    held: usize,
    state_bytes: usize,
    /// The present path, root first; empty between passes.
    frames: Vec<Frame>,
    /// The moves between the frames, and the move tried last.
    path: Vec<MoveId>,
    pass: Pass,
    root: State,
    /// Buffers of frames that were left.
    spare: Vec<Frame>,
}

impl DepthFirst {
    pub(crate) fn new(
        plan: Plan,
        children: Children,
        shuffle: Shuffle,
        table: bool,
        problem: &dyn ErasedProblem,
        memory: u64,
    ) -> Self {
        let root = problem.root();
        let sense = problem.sense();
        let bound = match plan {
            Plan::Threshold { .. } => optimistic(problem, &root),
            _ => unbounded(sense),
        };
        let identities = Identities::new(problem, &root);
        Self {
            plan,
            sense,
            lister: Lister::new(children, shuffle, root.clone()),
            table: table.then(|| identities.table(memory)),
            identities,
            memory,
            room: usize::try_from(memory / 4).unwrap_or(usize::MAX).max(ALWAYS),
            held: 0,
            state_bytes: problem.state_bytes() + size_of::<Frame>(),
            frames: Vec::new(),
            path: Vec::new(),
            pass: Pass {
                number: 0,
                ledger: Ledger::open(),
                threshold: bound,
                before: None,
                ceiling: Ceiling::new(sense, bound),
            },
            root,
            spare: Vec::new(),
        }
    }

    /// Returns an unused frame.
    fn frame(&mut self) -> Frame {
        self.spare.pop().unwrap_or_else(|| Frame {
            state: Some(self.root.clone()),
            children: Vec::new(),
            listed: true,
            rest: None,
            next: 0,
            fresh: true,
            bound: unbounded(self.sense),
        })
    }

    /// Whether the child `index` of a state is new, where `parent` says it of the state; apart from what its bound
    /// says.
    fn is_fresh(&self, parent: bool, index: usize) -> bool {
        parent || self.plan == Plan::Broadening && index as u64 == self.pass.number
    }

    /// Whether the pass before left out a state with this bound.
    fn was_cut(&self, bound: f64) -> bool {
        self.pass.before.is_some_and(|before| self.sense.better_value(before, bound))
    }

    /// Returns how many children of a state this pass tries.
    fn width(&self) -> usize {
        match self.plan {
            Plan::Broadening => usize::try_from(self.pass.number).map_or(usize::MAX, |number| number.saturating_add(1)),
            _ => usize::MAX,
        }
    }

    /// Leaves out a state for its bound if the threshold says so.
    fn below_threshold(&mut self, bound: f64) -> bool {
        let cut = matches!(self.plan, Plan::Threshold { .. }) && self.sense.better_value(self.pass.threshold, bound);
        if cut {
            self.pass.ledger.leave_out(self.sense, bound);
        }
        cut
    }

    /// Goes to the next child worth a visit and leaves finished states. Returns the child with its bound, if known.
    /// `None`: the pass has ended.
    fn advance(&mut self, problem: &dyn ErasedProblem, incumbent: Option<f64>) -> Option<(Frame, Option<f64>)> {
        let sense = self.sense;
        let hopeful = |bound: f64| !sense.is_hopeless(bound, incumbent);
        loop {
            let (depth, fresh) = (self.frames.len(), self.frames.last()?.fresh);
            if !self.frames[depth - 1].listed {
                self.restore(problem);
            }
            let width = self.width();
            let frame = &mut self.frames[depth - 1];
            let index = frame.next;
            let rest = &frame.children[index.min(frame.children.len())..];
            if rest.is_empty() || index >= width {
                if rest.iter().any(|child| hopeful(child.bound)) {
                    self.pass.ledger.leave_out_any();
                }
                self.leave();
                continue;
            }
            let child = rest[0];
            frame.next += 1;
            if !hopeful(child.bound) || self.below_threshold(child.bound) {
                continue;
            }
            self.path.truncate(depth - 1);
            self.path.push(child.mv);
            let mut next = self.frame();
            // The last frame has its state.
            if let (Some(above), Some(state)) = (&self.frames[depth - 1].state, &mut next.state) {
                problem.child(above, child.mv, state);
            }
            next.fresh = self.is_fresh(fresh, index);
            return Some((next, (self.lister.order == Children::Bound).then_some(child.bound)));
        }
    }

    /// Prunes, scores or enters a state.
    fn visit(&mut self, context: &mut Context<'_>, mut frame: Frame, bound: Option<f64>) {
        let problem = context.problem;
        context.tally.counters.nodes += 1;
        let Some(state) = &frame.state else { return };
        let bound = bound.unwrap_or_else(|| optimistic(problem, state));
        frame.fresh |= self.was_cut(bound);
        frame.bound = bound;
        if self.sense.is_hopeless(bound, context.incumbent())
            || self.below_threshold(bound)
            || !self.enter(problem, &mut frame)
        {
            self.set_aside(frame);
        } else if frame.children.is_empty() {
            if frame.fresh
                && let Some(state) = &frame.state
            {
                context.score_leaf(state, &self.path);
            }
            self.set_aside(frame);
        } else {
            let depth = self.path.len();
            if depth % EVERY != EVERY - 1 || !problem.watch().gives_up(depth) {
                self.push(frame);
            }
        }
    }

    /// Returns the bytes of the state and the children of a frame.
    #[inline]
    fn bytes(&self, frame: &Frame) -> usize {
        self.state_bytes + frame.children.len() * size_of::<Child>()
    }

    /// Extends the path.
    #[inline]
    fn push(&mut self, frame: Frame) {
        self.held += self.bytes(&frame);
        self.frames.push(frame);
        if self.held > self.room {
            self.make_room();
        }
    }

    /// Leaves the last frame, which has its state.
    #[inline]
    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.held -= self.bytes(&frame);
            self.set_aside(frame);
        }
    }

    /// Keeps the buffers of a frame if there is room.
    #[inline]
    fn set_aside(&mut self, frame: Frame) {
        if self.spare.is_empty() || self.held + (self.spare.len() + 1) * self.state_bytes <= self.room {
            self.spare.push(frame);
        }
    }

    /// Drops states and lists of the path but the last ones, every second of those that are left, until half of the
    /// memory is free.
    #[cold]
    fn make_room(&mut self) {
        self.spare = Vec::new();
        let sense = self.sense;
        while self.held > self.room / 2 {
            let last = self.frames.len().saturating_sub(1);
            let mut kept = false;
            let before = self.held;
            for frame in self.frames[..last].iter_mut().rev().filter(|frame| frame.state.is_some()) {
                kept = !kept;
                if kept {
                    if frame.listed {
                        let rest = frame.children.get(frame.next..).unwrap_or_default().iter().map(|child| child.bound);
                        frame.rest = rest.reduce(|a, b| sense.best_value(a, b));
                    }
                    self.held -= self.state_bytes + frame.children.len() * size_of::<Child>();
                    (frame.state, frame.children, frame.listed) = (None, Vec::new(), false);
                }
            }
            if self.held == before {
                return;
            }
        }
    }

    /// Makes the state and the children of the last frame again: by the moves from the nearest state above it.
    #[cold]
    fn restore(&mut self, problem: &dyn ErasedProblem) {
        let last = self.frames.len() - 1;
        if self.frames[last].state.is_none() {
            let near = self.frames[..last].iter().rposition(|frame| frame.state.is_some());
            let from = near.unwrap_or(0);
            let mut state = near.and_then(|at| self.frames[at].state.clone()).unwrap_or_else(|| self.root.clone());
            for at in from..last {
                if at % EVERY == EVERY - 1 && problem.watch().abandons() {
                    break;
                }
                problem.apply(&mut state, self.path[at]);
                // States halfway, a quarter of the way before the end and so on: they are asked for next.
                let place = at + 1;
                if (last - place).is_power_of_two() && self.held + 2 * self.state_bytes <= self.room {
                    self.frames[place].state = Some(state.clone());
                    self.held += self.state_bytes;
                }
            }
            self.frames[last].state = Some(state);
            self.held += self.state_bytes;
        }
        if let Some(mut frame) = self.frames.pop() {
            if let Some(state) = &frame.state {
                let key = self.identities.of(problem, state).map(|(key, _)| key);
                self.lister.list(problem, state, last, key, &mut frame.children);
                frame.listed = true;
            }
            self.held += frame.children.len() * size_of::<Child>();
            self.frames.push(frame);
        }
        if self.held > self.room {
            self.make_room();
        }
    }

    /// Lists the children of a state unless this pass has met it already.
    fn enter(&mut self, problem: &dyn ErasedProblem, frame: &mut Frame) -> bool {
        let identity = frame.state.as_ref().and_then(|state| self.identities.of(problem, state));
        if let (Some(table), Some(identity)) = (&mut self.table, identity)
            && table.enter(identity)
        {
            return false;
        }
        self.list(problem, identity.map(|(key, _)| key), frame);
        true
    }

    fn list(&mut self, problem: &dyn ErasedProblem, key: Option<Key>, frame: &mut Frame) {
        frame.next = 0;
        if let Some(state) = &frame.state {
            self.lister.list(problem, state, self.path.len(), key, &mut frame.children);
        }
    }

    /// Ends a pass. Returns whether another one is needed.
    fn next_pass(&mut self, incumbent: Option<f64>) -> Status {
        if let Some(proof) = self.pass.ledger.proof(self.sense, incumbent) {
            return Status::Exhausted(proof);
        }
        if let Some(table) = &mut self.table {
            table.clear();
        }
        let old = std::mem::replace(&mut self.pass.ledger, Ledger::open());
        self.pass.number += 1;
        if let (Plan::Threshold { step }, Some(next)) = (self.plan, old.bound(self.sense)) {
            let before = self.pass.threshold;
            let lower = if self.sense == Sense::Maximize { before - step } else { before + step };
            self.pass.threshold = self.sense.worst_value(next, lower);
            self.pass.before = Some(before);
            self.pass.ceiling.lower(None, &old);
        }
        Status::Running
    }
}

impl Search for DepthFirst {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        self.lister.begin(context);
        let next = if self.frames.is_empty() {
            self.path.clear();
            let mut frame = self.frame();
            frame.state.get_or_insert_with(|| self.root.clone()).clone_from(&self.root);
            frame.fresh = self.pass.number == 0;
            Some((frame, None))
        } else {
            self.advance(context.problem, context.incumbent())
        };
        if let Some((frame, bound)) = next {
            self.visit(context, frame, bound);
        }
        if matches!(self.plan, Plan::Threshold { .. })
            && let Some(proof) = self.pass.ceiling.proof(self.sense, context.incumbent())
        {
            return Status::Exhausted(proof);
        }
        if self.frames.is_empty() { self.next_pass(context.incumbent()) } else { Status::Running }
    }

    fn open_bound(&self) -> Option<f64> {
        match self.plan {
            // What a frame still has to try is no better than the frame.
            Plan::All => self
                .frames
                .iter()
                .filter_map(|frame| {
                    let best = if frame.listed {
                        let rest = frame.children.get(frame.next..)?.iter().map(|child| child.bound);
                        rest.reduce(|a, b| self.sense.best_value(a, b))?
                    } else {
                        frame.rest?
                    };
                    Some(self.sense.worst_value(best, frame.bound))
                })
                .reduce(|a, b| self.sense.best_value(a, b)),
            Plan::Threshold { .. } => Some(self.pass.ceiling.bound(self.sense)),
            Plan::Broadening => None,
        }
    }

    fn covered(&self) -> Option<f64> {
        if self.plan != Plan::All {
            return None;
        }
        let (mut part, mut covered) = (1.0, 0.0);
        for frame in &self.frames {
            if !frame.listed {
                // What a dropped list held is not known any more.
                break;
            }
            part /= frame.children.len().max(1) as f64;
            // The child tried last is the next frame, if there is one: the last frame's is done.
            covered += part * frame.next.saturating_sub(1) as f64;
        }
        Some(covered)
    }

    fn save(&self) -> Vec<u8> {
        let next: Vec<usize> = self.frames.iter().map(|frame| frame.next).collect();
        encode(&(self.lister.salt, &self.pass, next, &self.table))
    }

    fn load(&mut self, problem: &dyn ErasedProblem, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (salt, pass, chosen, table) = decode::<(_, Pass, Vec<usize>, Option<VisitTable>)>(bytes)?;
        if table.is_some() != self.table.is_some() {
            return Err(CheckpointError::Corrupt("another table of states"));
        }
        pass.ledger.check(self.sense)?;
        pass.ceiling.check(self.sense)?;
        self.lister.salt = salt;
        self.pass = pass;
        self.table = table;
        if let Some(table) = &mut self.table {
            table.resume(self.memory, self.identities.futures)?;
        }
        self.frames.clear();
        self.held = 0;
        self.path.clear();
        for (depth, &next) in chosen.iter().enumerate() {
            let mut frame = self.frame();
            if let Some(parent) = self.frames.last() {
                let index = parent.next - 1;
                let child = parent.children[index];
                if let (Some(above), Some(state)) = (&parent.state, &mut frame.state) {
                    problem.child(above, child.mv, state);
                }
                frame.fresh = self.is_fresh(parent.fresh, index);
                self.path.push(child.mv);
            } else {
                frame.state = Some(self.root.clone());
                frame.fresh = self.pass.number == 0;
            }
            let Some(state) = &frame.state else { break };
            frame.bound = optimistic(problem, state);
            frame.fresh |= self.was_cut(frame.bound);
            let identity = self.identities.of(problem, state);
            self.list(problem, identity.map(|(key, _)| key), &mut frame);
            // All frames but the last have entered one of their children.
            if next > frame.children.len() || next == 0 && depth + 1 < chosen.len() {
                return Err(CheckpointError::Corrupt("a path in the tree"));
            }
            frame.next = next;
            self.push(frame);
        }
        Ok(())
    }
}
