//! Open states and their ancestors: each by the move that led to it and its parent, from which it is replayed.

use crate::core::codec::CheckpointError;
use crate::core::limits::ensure;
use crate::erased::problem::{ErasedProblem, State};
use crate::erased::{MoveId, validate};
use serde::{Deserialize, Serialize};

/// The parent of the root.
pub(crate) const NONE: u32 = validate::NONE;

/// A state, by the move that led to it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Node {
    /// `None` for the root.
    pub(crate) mv: Option<MoveId>,
    pub(crate) parent: u32,
    /// The references that keep this node: its children, and being open or expanded. 0: the slot is free.
    references: u32,
    pub(crate) depth: u32,
    pub(crate) bound: f64,
}

/// Nodes that are kept while they or states below them are open.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Nodes {
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// Nodes that fit into the memory.
    #[serde(skip)]
    pub(crate) most: usize,
}

impl Nodes {
    /// Bytes of a node, its slot among the free ones included.
    pub(crate) const BYTES: usize = size_of::<Node>() + size_of::<u32>();

    pub(crate) fn new(most: usize) -> Self {
        Self { nodes: Vec::new(), free: Vec::new(), most }
    }

    /// Takes over the nodes of a checkpoint.
    pub(crate) fn resume(&mut self, saved: Self) {
        *self = Self { most: self.most, ..saved };
    }

    /// Whether no node was ever added.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.free.is_empty() && self.nodes.len() >= self.most
    }

    pub(crate) fn bound(&self, at: u32) -> f64 {
        self.nodes[at as usize].bound
    }

    /// Adds an open node. `None`: there is no room.
    pub(crate) fn add(&mut self, mv: Option<MoveId>, parent: u32, depth: u32, bound: f64) -> Option<u32> {
        let node = Node { mv, parent, references: 1, depth, bound };
        let at = if let Some(at) = self.free.pop() {
            self.nodes[at as usize] = node;
            at
        } else if self.nodes.len() < self.most {
            self.nodes.push(node);
            (self.nodes.len() - 1) as u32
        } else {
            return None;
        };
        if parent != NONE {
            self.nodes[parent as usize].references += 1;
        }
        Some(at)
    }

    /// Drops one reference to a node, and the node with its last reference, and so on upwards.
    pub(crate) fn unlink(&mut self, mut at: u32) {
        while at != NONE {
            let node = &mut self.nodes[at as usize];
            node.references -= 1;
            if node.references > 0 {
                return;
            }
            self.free.push(at);
            at = node.parent;
        }
    }

    /// Replaces `path` by the moves from the root to a node.
    pub(crate) fn path(&self, at: u32, path: &mut Vec<MoveId>) {
        path.clear();
        let mut above = at;
        while let Node { mv: Some(mv), parent, .. } = self.nodes[above as usize] {
            path.push(mv);
            above = parent;
        }
        path.reverse();
    }

    /// Whether the nodes of a checkpoint belong together, `open` being those that are open or being expanded.
    fn is_sound(&self, open: impl Iterator<Item = u32>) -> bool {
        let within = |at: u32| (at as usize) < self.nodes.len();
        let mut references = vec![0_u32; self.nodes.len()];
        for node in self.nodes.iter().filter(|node| node.references > 0) {
            if node.mv.is_none() != (node.parent == NONE) || node.mv.is_none() != (node.depth == 0) {
                return false;
            }
            if node.parent != NONE {
                // Depths that count from the root exclude circles.
                if !within(node.parent) || self.nodes[node.parent as usize].depth.checked_add(1) != Some(node.depth) {
                    return false;
                }
                references[node.parent as usize] += 1;
            }
        }
        for at in open {
            if !within(at) {
                return false;
            }
            references[at as usize] += 1;
        }
        let mut unused = references.iter().filter(|&&references| references == 0).count();
        for &at in &self.free {
            if !within(at) || references[at as usize] > 0 || unused == 0 {
                return false;
            }
            // Counted once only.
            references[at as usize] = NONE;
            unused -= 1;
        }
        let known =
            |(node, references): (&Node, u32)| node.references == if references == NONE { 0 } else { references };
        unused == 0 && self.nodes.iter().zip(references).all(known)
    }

    /// Checks that the nodes of a checkpoint are states of the problem; `open`: those that are open or being expanded.
    /// `meet` receives each node and its state, and returns whether they agree.
    pub(crate) fn check(
        &self,
        problem: &dyn ErasedProblem,
        start: &State,
        open: impl Iterator<Item = u32>,
        meet: impl Fn(&Node, &State) -> bool,
    ) -> Result<(), CheckpointError> {
        let what = "a list of open states";
        ensure(self.is_sound(open), what)?;
        // The root is a node without a move: entries of the tree below it name the nodes.
        let used = |at: usize| Some(&self.nodes[at]).filter(|node| node.references > 0);
        let mut roots = (0..self.nodes.len()).filter(|&at| used(at).is_some_and(|node| node.mv.is_none()));
        let root = roots.next();
        ensure(roots.next().is_none(), what)?;
        if let Some(root) = root {
            ensure(meet(&self.nodes[root], start), "a state of another tree")?;
        }
        let edge = |at: usize| {
            let node = used(at)?;
            let parent = if root == Some(node.parent as usize) { validate::NONE } else { node.parent };
            Some((parent, node.mv?))
        };
        validate::replay_tree(problem, start, self.nodes.len(), edge, |at, state| meet(&self.nodes[at], state))
    }
}
