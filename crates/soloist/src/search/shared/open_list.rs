//! Best-first and breadth-first search: a list of open states.

use crate::Sense;
use crate::core::abort::EVERY;
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::coverage::Ledger;
use crate::core::limits::{MOST, ensure};
use crate::core::score::rank;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::search::shared::children::{Child, Children, Lister, optimistic};
use crate::search::shared::nodes::{NONE, Nodes};
use crate::search::shared::seen::{Identities, VisitTable};
use crate::search::{BranchAndBound, Context, Order, Search, Status};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The remark that not all open states fit.
const DROPPED: &str =
    "the memory limit was reached: the open states with the worst bounds were dropped (a larger limit keeps them)";
/// Nodes that are kept however little memory there is.
const FEWEST: usize = 4096;

/// An open node. The greatest is expanded first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Open {
    /// The key of the order: the rank of the bound, or nearness to the root.
    merit: u64,
    depth: u32,
    /// Unique, so that the order is total.
    age: Reverse<u64>,
    node: u32,
}

/// What a checkpoint holds.
#[derive(Debug, Serialize, Deserialize)]
struct Tree {
    nodes: Nodes,
    open: Vec<Open>,
    /// The node whose children are being visited, and which of them is next.
    current: Option<(u32, usize)>,
    born: u64,
    /// The nodes dropped for lack of memory.
    ledger: Ledger,
    table: Option<VisitTable>,
    salt: Option<Option<u64>>,
}

pub(crate) struct OpenList {
    breadth: bool,
    sense: Sense,
    lister: Lister,
    table: Option<VisitTable>,
    identities: Identities,
    memory: u64,
    nodes: Nodes,
    open: BinaryHeap<Open>,
    current: Option<(u32, usize)>,
    born: u64,
    ledger: Ledger,
    /// That states were dropped, in words.
    remarks: Vec<String>,
    root: State,
    expanded: Expanded,
}

/// The node whose children are being visited.
struct Expanded {
    state: State,
    path: Vec<MoveId>,
    children: Vec<Child>,
    child: State,
}

impl OpenList {
    pub(crate) fn new(parameters: &BranchAndBound, problem: &dyn ErasedProblem, memory: u64) -> Self {
        let root = problem.root();
        let share = if parameters.table { memory / 2 } else { memory };
        // Lists double as they grow: a quarter is left for that.
        let each = Nodes::BYTES + size_of::<Open>();
        let fit = usize::try_from(share / 4 * 3).unwrap_or(usize::MAX) / each;
        // The list sorts by bounds itself.
        let children = if parameters.children == Children::Bound { Children::Given } else { parameters.children };
        let identities = Identities::new(problem, &root);
        Self {
            breadth: parameters.order == Order::BreadthFirst,
            sense: problem.sense(),
            lister: Lister::new(children, parameters.shuffle, root.clone()),
            table: parameters.table.then(|| identities.table(share)),
            identities,
            memory: share,
            nodes: Nodes::new(fit.clamp(FEWEST, NONE as usize)),
            open: BinaryHeap::new(),
            current: None,
            born: 0,
            ledger: Ledger::open(),
            remarks: Vec::new(),
            expanded: Expanded { state: root.clone(), path: Vec::new(), children: Vec::new(), child: root.clone() },
            root,
        }
    }

    /// Notes the bound of a state that is dropped for lack of memory.
    fn lose(&mut self, bound: f64) {
        self.ledger.leave_out(self.sense, bound);
        self.remark();
    }

    /// Says that states were dropped.
    fn remark(&mut self) {
        if !self.ledger.is_blank() && self.remarks.is_empty() {
            self.remarks.push(DROPPED.to_owned());
        }
    }

    /// Drops the worse half of the open nodes.
    fn drop_half(&mut self) {
        let mut open = std::mem::take(&mut self.open).into_vec();
        // The best bound first, then the deepest, then the oldest.
        let kept = open.len() / 2;
        if kept < open.len() {
            open.select_nth_unstable_by_key(kept, |open| {
                let bound = rank(self.sense, self.nodes.bound(open.node));
                Reverse((bound, open.depth, open.age))
            });
        }
        for dropped in open.drain(kept..) {
            self.lose(self.nodes.bound(dropped.node));
            self.nodes.unlink(dropped.node);
        }
        self.open = open.into();
    }

    /// Adds an open node; it is dropped when no other can make room for it.
    fn push(&mut self, mv: Option<MoveId>, parent: u32, depth: u32, bound: f64) {
        if self.nodes.is_full() {
            self.drop_half();
        }
        let Some(at) = self.nodes.add(mv, parent, depth, bound) else {
            self.lose(bound);
            return;
        };
        let merit = if self.breadth { u64::from(!depth) } else { rank(self.sense, bound) };
        self.open.push(Open { merit, depth, age: Reverse(self.born), node: at });
        self.born += 1;
    }

    /// Whether the state in `self.expanded.child`, or a better one with its future, was met before.
    fn seen(&mut self, problem: &dyn ErasedProblem) -> bool {
        let Some(table) = &mut self.table else { return false };
        self.identities.of(problem, &self.expanded.child).is_some_and(|identity| table.enter(identity))
    }

    /// Whether a better state with the future of the one in `self.expanded.state` was met after it.
    fn is_outdone(&mut self, problem: &dyn ErasedProblem) -> bool {
        let Some(table) = self.table.as_ref().filter(|_| self.identities.futures) else { return false };
        self.identities.of(problem, &self.expanded.state).is_some_and(|identity| table.outdoes(identity))
    }

    /// Puts the state of a node into `self.expanded.state`, by the moves to it.
    fn replay(&mut self, problem: &dyn ErasedProblem, at: u32) {
        self.nodes.path(at, &mut self.expanded.path);
        self.expanded.state.clone_from(&self.root);
        for part in self.expanded.path.chunks(EVERY) {
            part.iter().for_each(|&mv| problem.apply(&mut self.expanded.state, mv));
            if problem.watch().abandons() {
                break;
            }
        }
    }

    /// Lists the children of the state in `self.expanded.state`.
    fn unfold(&mut self, problem: &dyn ErasedProblem) {
        // Only a stream with a random order needs the key.
        let salted = matches!(self.lister.salt, Some(Some(_)));
        let key = if salted { self.identities.of(problem, &self.expanded.state).map(|(key, _)| key) } else { None };
        self.lister.list(problem, &self.expanded.state, self.expanded.path.len(), key, &mut self.expanded.children);
    }

    /// Visits the state in `self.expanded.child`, the moves to it being `self.expanded.path`.
    fn visit(&mut self, context: &mut Context<'_>, parent: u32) {
        let problem = context.problem;
        context.tally.counters.nodes += 1;
        let depth = self.expanded.path.len();
        if depth % EVERY == EVERY - 1 && problem.watch().gives_up(depth) {
            return;
        }
        let bound = optimistic(problem, &self.expanded.child);
        if self.sense.is_hopeless(bound, context.incumbent()) || self.seen(problem) {
            return;
        }
        if problem.is_finished(&self.expanded.child) {
            context.score_leaf(&self.expanded.child, &self.expanded.path);
        } else {
            self.push(self.expanded.path.last().copied(), parent, self.expanded.path.len() as u32, bound);
        }
    }

    /// Ends the search: no node is open.
    fn end(&self, incumbent: Option<f64>) -> Status {
        self.ledger.proof(self.sense, incumbent).map_or(Status::Completed, Status::Exhausted)
    }

    /// Checks that the nodes of a checkpoint are states of the problem with their bounds.
    fn check(&self, problem: &dyn ErasedProblem) -> Result<(), CheckpointError> {
        let ages = self.born <= MOST && self.open.iter().all(|open| open.age.0 < self.born);
        ensure(ages, "a list of open states")?;
        let open = self.open.iter().map(|open| open.node).chain(self.current.map(|(at, _)| at));
        self.nodes.check(problem, &self.root, open, |node, state| {
            optimistic(problem, state).total_cmp(&node.bound).is_eq() && !problem.is_finished(state)
        })
    }
}

impl Search for OpenList {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        self.lister.begin(context);
        let problem = context.problem;
        if self.born == 0 && self.current.is_none() && self.nodes.is_empty() {
            self.expanded.path.clear();
            self.expanded.child.clone_from(&self.root);
            self.visit(context, NONE);
        } else if let Some((at, next)) = self.current {
            if let Some(&Child { mv, .. }) = self.expanded.children.get(next) {
                self.current = Some((at, next + 1));
                problem.child(&self.expanded.state, mv, &mut self.expanded.child);
                self.expanded.path.push(mv);
                self.visit(context, at);
                self.expanded.path.pop();
            }
            if next + 1 >= self.expanded.children.len() {
                self.current = None;
                self.nodes.unlink(at);
            }
        } else if let Some(Open { node: at, .. }) = self.open.pop() {
            if self.sense.is_hopeless(self.nodes.bound(at), context.incumbent()) {
                // The incumbent has improved since this node was opened.
                self.nodes.unlink(at);
            } else {
                self.replay(problem, at);
                if self.is_outdone(problem) {
                    self.nodes.unlink(at);
                } else {
                    self.current = Some((at, 0));
                    self.unfold(problem);
                }
            }
        }
        if self.current.is_none() && self.open.is_empty() { self.end(context.incumbent()) } else { Status::Running }
    }

    fn remarks(&self) -> &[String] {
        &self.remarks
    }

    fn open_bound(&self) -> Option<f64> {
        let best = |a: f64, b: f64| self.sense.best_value(a, b);
        let open = if self.breadth {
            self.open.iter().map(|open| self.nodes.bound(open.node)).reduce(best)
        } else {
            self.open.peek().map(|open| self.nodes.bound(open.node))
        };
        let current = self.current.map(|(at, _)| self.nodes.bound(at));
        open.into_iter().chain(current).chain(self.ledger.bound(self.sense)).reduce(best)
    }

    fn save(&self) -> Vec<u8> {
        // The fields of `Tree`, without copying them.
        encode(&(
            &self.nodes,
            self.open.as_slice(),
            self.current,
            self.born,
            &self.ledger,
            &self.table,
            self.lister.salt,
        ))
    }

    fn load(&mut self, problem: &dyn ErasedProblem, bytes: &[u8]) -> Result<(), CheckpointError> {
        let tree = decode::<Tree>(bytes)?;
        if tree.table.is_some() != self.table.is_some() {
            return Err(CheckpointError::Corrupt("another table of states"));
        }
        self.nodes.resume(tree.nodes);
        (self.current, self.born) = (tree.current, tree.born);
        // A list in the order of a heap stays as it is.
        self.open = tree.open.into();
        tree.ledger.check(self.sense)?;
        (self.ledger, self.table, self.lister.salt) = (tree.ledger, tree.table, tree.salt);
        self.remark();
        if let Some(table) = &mut self.table {
            table.resume(self.memory, self.identities.futures)?;
        }
        self.check(problem)?;
        if let Some((at, next)) = self.current {
            self.replay(problem, at);
            self.unfold(problem);
            if next >= self.expanded.children.len() {
                return Err(CheckpointError::Corrupt("a list of open states"));
            }
        }
        Ok(())
    }
}
