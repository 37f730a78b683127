//! Whether the tree of a checkpoint is one of the problem.

use super::arena::{Arena, NONE, Node};
use super::run::UctSearch;
use crate::core::codec::CheckpointError;
use crate::core::hash::Key;
use crate::core::limits::MOST;
use crate::erased::problem::{ErasedProblem, State};
use std::collections::HashMap;

const LINKS: CheckpointError = CheckpointError::Corrupt("the tree's links");
const MOVES: CheckpointError = CheckpointError::Corrupt("the tree's moves");

impl Node {
    /// Whether nothing has happened to a node yet.
    fn is_blank(&self) -> bool {
        self.first == NONE && self.len == 0 && self.visits == 0 && !self.closed && !self.alias
    }
}

impl Arena {
    /// Restores the limit, which is not part of a checkpoint, and checks the links: no node has two parents, apart from
    /// aliases, so that the nodes below the root form a tree.
    pub(crate) fn resume(&mut self, memory: u64) -> Result<(), CheckpointError> {
        self.memory = memory;
        let count = self.nodes.len();
        let beside = |len: usize, present: bool| len == if present { count } else { 0 };
        let mut sound = beside(self.violations.len(), !self.violations.is_empty())
            && beside(self.sides.len(), self.has_sides)
            && beside(self.limits.len(), self.has_limits);
        sound &= self.nodes.iter().all(|node| node.visits <= MOST);
        sound &= self.nodes.iter().zip(&self.violations).all(|(node, violations)| violations.count <= node.visits);
        sound &= self.sides.iter().all(|side| side.visits <= MOST);
        let mut owned = vec![false; count];
        for node in &self.nodes {
            if node.alias {
                sound &= self.nodes.get(node.first as usize).is_some_and(|target| !target.alias) && node.len == 0;
                continue;
            }
            sound &= node.tried <= node.len && (node.first != NONE || node.len == 0);
            let Some(block) = owned.get_mut(node.children()) else { return Err(LINKS) };
            sound &= !block.contains(&true);
            block.fill(true);
            let untried = self.nodes[node.children()].iter().skip(node.tried as usize);
            sound &= untried.into_iter().all(Node::is_blank);
        }
        for (class, starts) in self.free.iter().enumerate() {
            for &start in starts {
                let end = (start as usize).checked_add(1_usize.checked_shl(class as u32).unwrap_or(usize::MAX));
                let Some(block) = end.and_then(|end| owned.get_mut(start as usize..end)) else { return Err(LINKS) };
                sound &= !block.contains(&true);
                block.fill(true);
                let nodes = &self.nodes[start as usize..][..block.len()];
                sound &= nodes.iter().all(Node::is_blank);
            }
        }
        // Nothing leads to the root.
        sound &= owned.first().is_none_or(|owned| !owned);
        if sound { Ok(()) } else { Err(LINKS) }
    }

    /// Whether these slots lead down from the root, which is left out.
    pub(super) fn is_path(&self, slots: impl IntoIterator<Item = usize>) -> bool {
        let mut at = 0;
        slots.into_iter().all(|next| {
            let slot = std::mem::replace(&mut at, next);
            let is_child = |parent: &Node| {
                let tried = if parent.alias { 0..0 } else { parent.children() };
                tried.take(parent.tried as usize).any(|child| child == next)
            };
            slot < self.nodes.len() && is_child(&self.nodes[self.resolve(slot)])
        })
    }
}

/// A node whose children are being checked.
struct Frame {
    at: usize,
    next: usize,
    state: State,
}

impl UctSearch {
    /// Checks that the tree is one of the problem: each node's children are moves of its state, none twice, with the
    /// codes and biases that the problem gives them, and nodes have the keys under which they are known.
    ///
    /// Plays every move of the tree once: cheaper than the playouts that made it. Where states share nodes, a checked
    /// tree has no circles unless the problem's graph has.
    pub(super) fn check_tree(&self, problem: &dyn ErasedProblem) -> Result<(), CheckpointError> {
        let arena = &self.tree.arena;
        if arena.len() == 0 {
            return if self.tree.keys.is_empty() { Ok(()) } else { Err(MOVES) };
        }
        let known: HashMap<u32, u128> = self.tree.keys.iter().map(|(&key, &at)| (at, key)).collect();
        let mut named = 0;
        let mut moves = Vec::new();
        let mut listed = Vec::new();
        let mut stack = vec![Frame { at: 0, next: 0, state: self.roots.tree.clone() }];
        let mut spare: Vec<State> = Vec::new();
        while let Some(frame) = stack.last_mut() {
            let node = arena.get(frame.at);
            if frame.next == 0 {
                if let Some(&key) = known.get(&(frame.at as u32)) {
                    named += 1;
                    if problem.key(&frame.state).map(Key::id) != Some(key) {
                        return Err(MOVES);
                    }
                }
                if node.is_expanded() {
                    self.check_children(problem, frame, &mut moves, &mut listed)?;
                }
            }
            let mut tried = node.children().take(node.tried as usize);
            let Some(child) = tried.nth(frame.next) else {
                spare.extend(stack.pop().map(|frame| frame.state));
                continue;
            };
            frame.next += 1;
            let mut state = spare.pop().unwrap_or_else(|| frame.state.clone());
            problem.child(&frame.state, arena.get(child).mv, &mut state);
            if arena.get(child).alias {
                let key = known.get(&(arena.resolve(child) as u32));
                if key.is_none() || key.copied() != problem.key(&state).map(Key::id) {
                    return Err(MOVES);
                }
                spare.push(state);
            } else {
                stack.push(Frame { at: child, next: 0, state });
            }
        }
        if named == self.tree.keys.len() { Ok(()) } else { Err(MOVES) }
    }

    /// Checks the children of one node.
    fn check_children(
        &self,
        problem: &dyn ErasedProblem,
        frame: &Frame,
        moves: &mut Vec<u64>,
        listed: &mut Vec<u64>,
    ) -> Result<(), CheckpointError> {
        let arena = &self.tree.arena;
        moves.clear();
        problem.moves(&frame.state, moves);
        listed.clear();
        listed.extend(arena.block(frame.at).iter().map(|child| child.mv));
        if arena.lazy && self.beam.is_none() && !moves.starts_with(listed) {
            return Err(MOVES);
        }
        listed.sort_unstable();
        moves.sort_unstable();
        let twice = listed.windows(2).any(|pair| pair[0] == pair[1]);
        if twice || listed.is_empty() || !listed.iter().all(|mv| moves.binary_search(mv).is_ok()) {
            return Err(MOVES);
        }
        let first = arena.get(frame.at).children().start;
        for child in (first..first + arena.block(frame.at).len()).filter(|_| arena.has_sides()) {
            let (side, mv) = (arena.side(child), arena.get(child).mv);
            let code = !self.learner.needs_codes || side.code == problem.code(&frame.state, mv);
            let bias = self.uct.selection.bias_weight == 0.0 || side.bias == problem.bias(&frame.state, mv);
            if !(code && bias) {
                return Err(MOVES);
            }
        }
        Ok(())
    }
}
