//! Best-first and breadth-first search: a list of open states.

use super::children::{Child, Children, Lister, optimistic, rank};
use super::seen::{Identities, Met};
use super::sound::{self, MOST, require};
use super::{BranchAndBound, Context, Order, Search, Status};
use crate::problem::MoveId;
use crate::problem::rules::{Rules, State};
use crate::run::checkpoint::{decode, encode};
use crate::{CheckpointError, Sense};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Nodes that are kept however little memory there is.
const FEWEST: usize = 4096;
/// The parent of the root.
const NONE: u32 = sound::NONE;

/// A state, by the move that led to it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Node {
    /// `None` for the root.
    mv: Option<MoveId>,
    parent: u32,
    /// The references that keep this node: its children, and being open or expanded. 0: the slot is free.
    links: u32,
    depth: u32,
    bound: f64,
}

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
    nodes: Vec<Node>,
    free: Vec<u32>,
    open: Vec<Open>,
    /// The node whose children are being visited, and which of them is next.
    current: Option<(u32, usize)>,
    born: u64,
    /// The best bound among the nodes dropped for lack of memory.
    lost: Option<f64>,
    table: Option<Met>,
    salt: Option<Option<u64>>,
}

pub(crate) struct OpenList {
    breadth: bool,
    sense: Sense,
    lister: Lister,
    table: Option<Met>,
    identities: Identities,
    memory: u64,
    nodes: Vec<Node>,
    free: Vec<u32>,
    open: BinaryHeap<Open>,
    current: Option<(u32, usize)>,
    born: u64,
    lost: Option<f64>,
    /// Nodes that fit into the memory.
    most: usize,
    root: State,
    /// The current node's state, moves and children.
    state: State,
    path: Vec<MoveId>,
    children: Vec<Child>,
    child: State,
}

impl OpenList {
    pub(crate) fn new(parameters: &BranchAndBound, problem: &dyn Rules, memory: u64) -> Self {
        let root = problem.root();
        let share = if parameters.table { memory / 2 } else { memory };
        // Lists double as they grow: a quarter is left for that.
        let each = size_of::<Node>() + size_of::<Open>() + size_of::<u32>();
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
            nodes: Vec::new(),
            free: Vec::new(),
            open: BinaryHeap::new(),
            current: None,
            born: 0,
            lost: None,
            most: fit.clamp(FEWEST, NONE as usize),
            state: root.clone(),
            child: root.clone(),
            root,
            path: Vec::new(),
            children: Vec::new(),
        }
    }

    fn prunes(&self, incumbent: Option<f64>, bound: f64) -> bool {
        incumbent.is_some_and(|value| !self.sense.better_value(bound, value))
    }

    /// Drops one link of a node, and the node with its last link, and so on upwards.
    fn unlink(&mut self, mut at: u32) {
        while at != NONE {
            let node = &mut self.nodes[at as usize];
            node.links -= 1;
            if node.links > 0 {
                return;
            }
            self.free.push(at);
            at = node.parent;
        }
    }

    /// Drops the worse half of the open nodes.
    fn drop_half(&mut self) {
        let mut open = std::mem::take(&mut self.open).into_vec();
        // The best bound first, then the deepest, then the oldest.
        open.sort_unstable_by_key(|open| {
            let bound = rank(self.sense, self.nodes[open.node as usize].bound);
            Reverse((bound, open.depth, open.age))
        });
        for dropped in open.drain(open.len() / 2..) {
            let bound = self.nodes[dropped.node as usize].bound;
            self.lost = Some(self.lost.map_or(bound, |lost| self.sense.best_value(lost, bound)));
            self.unlink(dropped.node);
        }
        self.open = open.into();
    }

    /// Adds an open node; it is dropped when no other can make room for it.
    fn push(&mut self, mv: Option<MoveId>, parent: u32, depth: u32, bound: f64) {
        if self.free.is_empty() && self.nodes.len() >= self.most {
            self.drop_half();
        }
        let node = Node { mv, parent, links: 1, depth, bound };
        let at = if let Some(at) = self.free.pop() {
            self.nodes[at as usize] = node;
            at
        } else if self.nodes.len() < self.most {
            self.nodes.push(node);
            (self.nodes.len() - 1) as u32
        } else {
            self.lost = Some(self.lost.map_or(bound, |lost| self.sense.best_value(lost, bound)));
            return;
        };
        if parent != NONE {
            self.nodes[parent as usize].links += 1;
        }
        let merit = if self.breadth { u64::from(!depth) } else { rank(self.sense, bound) };
        self.open.push(Open { merit, depth, age: Reverse(self.born), node: at });
        self.born += 1;
    }

    /// Whether the state in `self.child`, or a better one with its future, was met before.
    fn seen(&mut self, problem: &dyn Rules) -> bool {
        let Some(table) = &mut self.table else { return false };
        self.identities.of(problem, &self.child).is_some_and(|identity| table.enter(identity))
    }

    /// Whether a better state with the future of the one in `self.state` was met after it.
    fn is_outdone(&mut self, problem: &dyn Rules) -> bool {
        let Some(table) = self.table.as_ref().filter(|_| self.identities.futures) else { return false };
        self.identities.of(problem, &self.state).is_some_and(|identity| table.outdoes(identity))
    }

    /// Puts the state of a node into `self.state`, by the moves to it.
    fn replay(&mut self, problem: &dyn Rules, at: u32) {
        self.path.clear();
        let mut above = at;
        while let Node { mv: Some(mv), parent, .. } = self.nodes[above as usize] {
            self.path.push(mv);
            above = parent;
        }
        self.path.reverse();
        self.state.clone_from(&self.root);
        self.path.iter().for_each(|&mv| problem.apply(&mut self.state, mv));
    }

    /// Lists the children of the state in `self.state`.
    fn unfold(&mut self, problem: &dyn Rules) {
        // Only a stream with a random order needs the key.
        let salted = matches!(self.lister.salt, Some(Some(_)));
        let key = if salted { self.identities.of(problem, &self.state).map(|(key, _)| key) } else { None };
        self.lister.list(problem, &self.state, self.path.len(), key, &mut self.children);
    }

    /// Visits the state in `self.child`, the moves to it being `self.path`.
    fn visit(&mut self, context: &mut Context<'_>, parent: u32) {
        let problem = context.problem;
        context.tally.counters.nodes += 1;
        let bound = optimistic(problem, &self.child);
        if self.prunes(context.incumbent(), bound) || self.seen(problem) {
            return;
        }
        if problem.is_finished(&self.child) {
            context.leaf(&self.child, &self.path);
        } else {
            self.push(self.path.last().copied(), parent, self.path.len() as u32, bound);
        }
    }

    /// Ends the search: no node is open.
    fn end(&self, incumbent: Option<f64>) -> Status {
        if self.lost.is_none_or(|lost| self.prunes(incumbent, lost)) { Status::Exhausted } else { Status::Completed }
    }

    /// Whether the lists of a checkpoint belong together.
    fn is_sound(&self) -> bool {
        let within = |at: u32| (at as usize) < self.nodes.len();
        let mut links = vec![0_u32; self.nodes.len()];
        for node in self.nodes.iter().filter(|node| node.links > 0) {
            if node.mv.is_none() != (node.parent == NONE) || node.mv.is_none() != (node.depth == 0) {
                return false;
            }
            if node.parent != NONE {
                // Depths that count from the root exclude circles.
                if !within(node.parent) || self.nodes[node.parent as usize].depth.checked_add(1) != Some(node.depth) {
                    return false;
                }
                links[node.parent as usize] += 1;
            }
        }
        for at in self.open.iter().map(|open| open.node).chain(self.current.map(|(at, _)| at)) {
            if !within(at) {
                return false;
            }
            links[at as usize] += 1;
        }
        let mut unused = links.iter().filter(|&&links| links == 0).count();
        for &at in &self.free {
            if !within(at) || links[at as usize] > 0 || unused == 0 {
                return false;
            }
            // Counted once only.
            links[at as usize] = NONE;
            unused -= 1;
        }
        let known = |(node, links): (&Node, u32)| node.links == if links == NONE { 0 } else { links };
        unused == 0
            && self.born <= MOST
            && self.open.iter().all(|open| open.age.0 < self.born)
            && self.nodes.iter().zip(links).all(known)
    }

    /// Checks that the nodes of a checkpoint are states of the problem with their bounds.
    fn check(&self, problem: &dyn Rules) -> Result<(), CheckpointError> {
        require(self.is_sound(), "a list of open states")?;
        // The root is a node without a move: entries of the tree below it name the nodes.
        let used = |at: usize| Some(&self.nodes[at]).filter(|node| node.links > 0);
        let root = self.nodes.iter().position(|node| node.links > 0 && node.mv.is_none());
        let edge = |at: usize| {
            let node = used(at)?;
            let parent = if root == Some(node.parent as usize) { sound::NONE } else { node.parent };
            Some((parent, node.mv?))
        };
        let roots = self.nodes.iter().filter(|node| node.links > 0 && node.mv.is_none());
        require(roots.count() <= 1, "a list of open states")?;
        sound::tree(problem, &self.root, self.nodes.len(), edge, |at, state| {
            optimistic(problem, state).total_cmp(&self.nodes[at].bound).is_eq() && !problem.is_finished(state)
        })
    }
}

impl Search for OpenList {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        self.lister.begin(context);
        let problem = context.problem;
        if self.born == 0 && self.current.is_none() && self.nodes.is_empty() {
            self.path.clear();
            self.child.clone_from(&self.root);
            self.visit(context, NONE);
        } else if let Some((at, next)) = self.current {
            if let Some(&Child { mv, .. }) = self.children.get(next) {
                self.current = Some((at, next + 1));
                problem.child(&self.state, mv, &mut self.child);
                self.path.push(mv);
                self.visit(context, at);
                self.path.pop();
            }
            if next + 1 >= self.children.len() {
                self.current = None;
                self.unlink(at);
            }
        } else if let Some(Open { node: at, .. }) = self.open.pop() {
            if self.prunes(context.incumbent(), self.nodes[at as usize].bound) {
                // The incumbent has improved since this node was opened.
                self.unlink(at);
            } else {
                self.replay(problem, at);
                if self.is_outdone(problem) {
                    self.unlink(at);
                } else {
                    self.current = Some((at, 0));
                    self.unfold(problem);
                }
            }
        }
        if self.current.is_none() && self.open.is_empty() { self.end(context.incumbent()) } else { Status::Running }
    }

    fn left(&self) -> Option<f64> {
        let bound = |at: u32| self.nodes[at as usize].bound;
        let best = |a: f64, b: f64| self.sense.best_value(a, b);
        let open = if self.breadth {
            self.open.iter().map(|open| bound(open.node)).reduce(best)
        } else {
            self.open.peek().map(|open| bound(open.node))
        };
        let current = self.current.map(|(at, _)| bound(at));
        open.into_iter().chain(current).chain(self.lost).reduce(best)
    }

    fn save(&self) -> Vec<u8> {
        // The fields of `Tree`, without copying them.
        encode(&(
            &self.nodes,
            &self.free,
            self.open.as_slice(),
            self.current,
            self.born,
            self.lost,
            &self.table,
            self.lister.salt,
        ))
    }

    fn load(&mut self, problem: &dyn Rules, bytes: &[u8]) -> Result<(), CheckpointError> {
        let tree = decode::<Tree>(bytes)?;
        if tree.table.is_some() != self.table.is_some() {
            return Err(CheckpointError::Corrupt("another table of states"));
        }
        (self.nodes, self.free, self.current, self.born) = (tree.nodes, tree.free, tree.current, tree.born);
        // A list in the order of a heap stays as it is.
        self.open = tree.open.into();
        (self.lost, self.table, self.lister.salt) = (tree.lost, tree.table, tree.salt);
        if let Some(table) = &mut self.table {
            table.resume(self.memory, self.identities.futures)?;
        }
        self.check(problem)?;
        if let Some((at, next)) = self.current {
            self.replay(problem, at);
            self.unfold(problem);
            if next >= self.children.len() {
                return Err(CheckpointError::Corrupt("a list of open states"));
            }
        }
        Ok(())
    }
}
