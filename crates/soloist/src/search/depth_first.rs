//! Depth-first tree search in passes: what branch and bound, iterative broadening, limited discrepancy search and
//! iterative deepening share.

use super::children::{Child, Children, Lister, Shuffle, optimistic, unbounded};
use super::coverage::{Ceiling, Ledger};
use super::seen::{Identities, Met};
use super::{Context, Search, Status};
use crate::problem::MoveId;
use crate::problem::rules::{Rules, State};
use crate::run::checkpoint::{decode, encode};
use crate::{CheckpointError, Sense, stable_hash};
use serde::{Deserialize, Serialize};

/// The states or solutions that a pass leaves out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Plan {
    /// Nothing: there is one pass.
    All,
    /// All but the first `number + 1` children of each state.
    Broadening,
    /// Solutions with another number of discrepancies than `number`.
    Discrepancies,
    /// States whose bound is worse than a threshold, which moves by at least `step` between passes.
    Threshold { step: f64 },
}

/// What the path to a state has used up, and whether it is new.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Discrepancies that are still to be spent.
    left: u64,
    /// Whether no earlier pass came this way.
    fresh: bool,
}

/// A state on the present path and its children.
struct Frame {
    state: State,
    children: Vec<Child>,
    /// Which child is tried next.
    next: usize,
    mark: Mark,
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
    table: Option<Met>,
    identities: Identities,
    memory: u64,
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
        problem: &dyn Rules,
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
            state: self.root.clone(),
            children: Vec::new(),
            next: 0,
            mark: Mark { left: 0, fresh: true },
            bound: unbounded(self.sense),
        })
    }

    /// Returns the mark of the root.
    fn first_mark(&self) -> Mark {
        match self.plan {
            Plan::Discrepancies => Mark { left: self.pass.number, fresh: true },
            _ => Mark { left: 0, fresh: self.pass.number == 0 },
        }
    }

    /// Returns the mark of the child `index` of a state with the mark `parent`, apart from what its bound says.
    fn mark(&self, parent: Mark, index: usize) -> Mark {
        match self.plan {
            Plan::Broadening => Mark { fresh: parent.fresh || index as u64 == self.pass.number, ..parent },
            Plan::Discrepancies => Mark { left: parent.left.saturating_sub(u64::from(index > 0)), ..parent },
            Plan::All | Plan::Threshold { .. } => parent,
        }
    }

    /// Whether the pass before left out a state with this bound.
    fn was_cut(&self, bound: f64) -> bool {
        self.pass.before.is_some_and(|before| self.sense.better_value(before, bound))
    }

    /// Returns how many children of a state this pass tries.
    fn width(&self, mark: Mark) -> usize {
        match self.plan {
            Plan::Broadening => usize::try_from(self.pass.number).map_or(usize::MAX, |number| number.saturating_add(1)),
            Plan::Discrepancies if mark.left == 0 => 1,
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
    fn advance(&mut self, problem: &dyn Rules, incumbent: Option<f64>) -> Option<(Frame, Option<f64>)> {
        let sense = self.sense;
        let hopeful = |bound: f64| !sense.is_hopeless(bound, incumbent);
        loop {
            let (depth, mark) = (self.frames.len(), self.frames.last()?.mark);
            let width = self.width(mark);
            let frame = &mut self.frames[depth - 1];
            let index = frame.next;
            let rest = &frame.children[index.min(frame.children.len())..];
            if rest.is_empty() || index >= width {
                if rest.iter().any(|child| hopeful(child.bound)) {
                    self.pass.ledger.leave_out_any();
                }
                self.spare.extend(self.frames.pop());
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
            problem.child(&self.frames[depth - 1].state, child.mv, &mut next.state);
            next.mark = self.mark(mark, index);
            return Some((next, (self.lister.order == Children::Bound).then_some(child.bound)));
        }
    }

    /// Prunes, scores or enters a state.
    fn visit(&mut self, context: &mut Context<'_>, mut frame: Frame, bound: Option<f64>) {
        let problem = context.problem;
        context.tally.counters.nodes += 1;
        let bound = bound.unwrap_or_else(|| optimistic(problem, &frame.state));
        frame.mark.fresh |= self.was_cut(bound);
        frame.bound = bound;
        if self.sense.is_hopeless(bound, context.incumbent())
            || self.below_threshold(bound)
            || !self.enter(problem, &mut frame)
        {
            self.spare.push(frame);
        } else if frame.children.is_empty() {
            if frame.mark.left == 0 && frame.mark.fresh {
                context.leaf(&frame.state, &self.path);
            }
            self.spare.push(frame);
        } else {
            self.frames.push(frame);
        }
    }

    /// Lists the children of a state unless this pass has met it already.
    fn enter(&mut self, problem: &dyn Rules, frame: &mut Frame) -> bool {
        let identity = self.identities.of(problem, &frame.state);
        if let (Some(table), Some((key, value))) = (&mut self.table, identity) {
            // With discrepancies left, a state has other solutions in this pass.
            let key = if frame.mark.left == 0 { key } else { stable_hash(&(key, frame.mark.left)) };
            if table.enter((key, value)) {
                return false;
            }
        }
        self.list(problem, identity.map(|(key, _)| key), frame);
        true
    }

    fn list(&mut self, problem: &dyn Rules, key: Option<u64>, frame: &mut Frame) {
        frame.next = 0;
        self.lister.list(problem, &frame.state, self.path.len(), key, &mut frame.children);
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
            frame.state.clone_from(&self.root);
            frame.mark = self.first_mark();
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

    fn left(&self) -> Option<f64> {
        match self.plan {
            // What a frame still has to try is no better than the frame.
            Plan::All => self
                .frames
                .iter()
                .filter_map(|frame| {
                    let rest = frame.children.get(frame.next..)?.iter().map(|child| child.bound);
                    let best = rest.reduce(|a, b| self.sense.best_value(a, b))?;
                    Some(self.sense.worst_value(best, frame.bound))
                })
                .reduce(|a, b| self.sense.best_value(a, b)),
            Plan::Threshold { .. } => Some(self.pass.ceiling.bound(self.sense)),
            Plan::Broadening | Plan::Discrepancies => None,
        }
    }

    fn save(&self) -> Vec<u8> {
        let next: Vec<usize> = self.frames.iter().map(|frame| frame.next).collect();
        encode(&(self.lister.salt, &self.pass, next, &self.table))
    }

    fn load(&mut self, problem: &dyn Rules, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (salt, pass, chosen, table) = decode::<(_, Pass, Vec<usize>, Option<Met>)>(bytes)?;
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
        self.path.clear();
        for (depth, &next) in chosen.iter().enumerate() {
            let mut frame = self.frame();
            if let Some(parent) = self.frames.last() {
                let index = parent.next - 1;
                let child = parent.children[index];
                problem.child(&parent.state, child.mv, &mut frame.state);
                frame.mark = self.mark(parent.mark, index);
                self.path.push(child.mv);
            } else {
                frame.state.clone_from(&self.root);
                frame.mark = self.first_mark();
            }
            frame.bound = optimistic(problem, &frame.state);
            frame.mark.fresh |= self.was_cut(frame.bound);
            let identity = self.identities.of(problem, &frame.state);
            self.list(problem, identity.map(|(key, _)| key), &mut frame);
            // All frames but the last have entered one of their children.
            if next > frame.children.len() || next == 0 && depth + 1 < chosen.len() {
                return Err(CheckpointError::Corrupt("a path in the tree"));
            }
            frame.next = next;
            self.frames.push(frame);
        }
        Ok(())
    }
}
