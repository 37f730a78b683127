//! The nodes of a tree search: one vector, children of a node in one block, addressed by `u32`.

use crate::erased::MoveId;
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};

/// "No children yet."
pub(super) const NONE: u32 = u32::MAX;

/// A node and its statistics. The move leads here from the parent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Node {
    pub(crate) mv: MoveId,
    /// Playouts through this node.
    pub(crate) visits: u64,
    /// The first child; of an alias, the node that it refers to.
    pub(super) first: u32,
    pub(super) len: u32,
    /// How many children have been visited; they come first in the block.
    pub(crate) tried: u32,
    /// Every solution below has been seen.
    pub(crate) closed: bool,
    /// Another way to a node that has its place elsewhere.
    pub(super) alias: bool,
    /// Whether the problem may list more children, where they are asked for one at a time.
    pub(super) more: bool,
    /// Over feasible playouts: sum, sum of squares, best and worst score.
    pub(crate) sum: f64,
    pub(crate) squares: f64,
    pub(crate) best: f64,
    pub(crate) worst: f64,
}

impl Node {
    pub(super) fn new(mv: MoveId) -> Self {
        let nan = f64::NAN;
        Self {
            mv,
            visits: 0,
            first: NONE,
            len: 0,
            tried: 0,
            closed: false,
            alias: false,
            more: false,
            sum: 0.0,
            squares: 0.0,
            best: nan,
            worst: nan,
        }
    }

    pub(crate) fn is_expanded(&self) -> bool {
        self.first != NONE
    }

    pub(crate) fn children(&self) -> std::ops::Range<usize> {
        if self.first == NONE { 0..0 } else { self.first as usize..self.first as usize + self.len as usize }
    }

    /// Returns the mean of the feasible scores.
    pub(crate) fn mean(&self, infeasible: u64) -> f64 {
        self.sum / (self.visits - infeasible) as f64
    }
}

/// What only some settings need to know of a node.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Side {
    /// Code of the move that leads here.
    pub(crate) code: u64,
    /// Bias of that move.
    pub(crate) bias: f64,
    /// Playouts that came by this edge; counts where states share nodes.
    pub(crate) visits: u64,
}

/// What a tree that is pruned by bounds needs to know of a node.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Limit {
    /// No solution below that was not seen is better.
    pub(super) bound: f64,
    /// The best feasible score of the playouts that began here, and of those below whose nodes are gone; NaN: none.
    pub(super) own: f64,
}

impl Limit {
    pub(super) const UNKNOWN: Self = Self { bound: f64::NAN, own: f64::NAN };
}

/// Infeasible playouts through a node; kept apart because most problems have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Violations {
    pub(crate) count: u64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Arena {
    pub(super) nodes: Vec<Node>,
    /// Beside `nodes`, or empty as long as every playout was feasible.
    pub(super) violations: Vec<Violations>,
    /// Beside `nodes`, or empty when they are not needed.
    pub(super) sides: Vec<Side>,
    pub(super) has_sides: bool,
    /// Beside `nodes`, or empty where nothing is pruned by bounds.
    pub(super) limits: Vec<Limit>,
    pub(super) has_limits: bool,
    /// Whether children get their places one at a time: a block may then have room behind the tried ones.
    pub(super) lazy: bool,
    /// Blocks that were left for larger ones, by the power of two of their size: where they begin.
    pub(super) free: Vec<Vec<u32>>,
    /// Bytes that the nodes may use.
    #[serde(skip)]
    pub(super) memory: u64,
}

impl Arena {
    /// Returns an empty arena; `has_sides`: with a [`Side`] for each node.
    pub(crate) fn new(memory: u64, has_sides: bool) -> Self {
        let (nodes, violations, sides, limits) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { nodes, violations, sides, has_sides, limits, has_limits: false, lazy: false, free: Vec::new(), memory }
    }

    /// Makes the empty arena one with a [`Limit`] for each node.
    pub(super) fn with_limits(self, has_limits: bool) -> Self {
        Self { has_limits, ..self }
    }

    /// Makes the empty arena one whose nodes get their children one at a time, by [`add_child`](Self::add_child).
    pub(super) fn one_by_one(self, lazy: bool) -> Self {
        Self { lazy, ..self }
    }

    /// Forgets every node.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.violations.clear();
        self.sides.clear();
        self.limits.clear();
        self.free.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    pub(crate) fn get(&self, at: usize) -> &Node {
        &self.nodes[at]
    }

    /// Returns the children of `at`, the tried ones first; where they come one at a time, the tried ones alone.
    #[inline]
    pub(crate) fn block(&self, at: usize) -> &[Node] {
        let children = self.nodes[at].children();
        let known = if self.lazy { self.nodes[at].tried as usize } else { children.len() };
        &self.nodes[children][..known]
    }

    /// Returns how many children of `at` may be tried for the first time; where they come one at a time, one at most.
    #[inline]
    pub(crate) fn untried(&self, at: usize) -> usize {
        let node = &self.nodes[at];
        if self.lazy { usize::from(node.more) } else { (node.len - node.tried) as usize }
    }

    #[inline]
    pub(crate) fn violations(&self, at: usize) -> Violations {
        self.violations.get(at).copied().unwrap_or_default()
    }

    /// Returns the node that the slot `at` refers to: itself, unless it is an alias.
    #[inline]
    pub(crate) fn resolve(&self, at: usize) -> usize {
        let node = &self.nodes[at];
        if node.alias { node.first as usize } else { at }
    }

    /// Makes the slot `at`, a new leaf, stand for `target`.
    pub(crate) fn alias(&mut self, at: usize, target: usize) {
        let node = &mut self.nodes[at];
        debug_assert!(node.first == NONE && node.visits == 0);
        node.first = target as u32;
        node.alias = true;
    }

    /// Whether each node has a [`Side`].
    pub(crate) fn has_sides(&self) -> bool {
        self.has_sides
    }

    #[inline]
    pub(crate) fn side(&self, at: usize) -> &Side {
        &self.sides[at]
    }

    /// Sets what the moves to the children of `at` from the `from`-th one on have beside their statistics.
    pub(crate) fn set_sides(&mut self, at: usize, from: usize, make: impl Fn(MoveId) -> (u64, f64)) {
        for child in self.nodes[at].children().skip(from) {
            let (code, bias) = make(self.nodes[child].mv);
            self.sides[child] = Side { code, bias, visits: 0 };
        }
    }

    /// Counts a playout that came by the edge `at`.
    #[inline]
    pub(crate) fn count_edge(&mut self, at: usize) {
        if self.has_sides {
            self.sides[at].visits += 1;
        }
    }

    /// Adds the root; its move is a placeholder that is never read.
    pub(crate) fn plant(&mut self, placeholder: MoveId) {
        debug_assert!(self.nodes.is_empty());
        self.nodes.push(Node::new(placeholder));
        self.fill();
    }

    /// Makes what lies beside the nodes as long as they are.
    fn fill(&mut self) {
        let count = self.nodes.len();
        if !self.violations.is_empty() {
            self.violations.resize(count, Violations::default());
        }
        if self.has_sides {
            self.sides.resize(count, Side::default());
        }
        if self.has_limits {
            self.limits.resize(count, Limit::UNKNOWN);
        }
    }

    /// Returns how many nodes fit. A quarter of the memory is kept for the list of blocks that pruning makes.
    pub(super) fn capacity(&self) -> usize {
        let violations = if self.violations.is_empty() { 0 } else { size_of::<Violations>() };
        let sides = if self.has_sides { size_of::<Side>() } else { 0 };
        let limits = if self.has_limits { size_of::<Limit>() } else { 0 };
        let size = size_of::<Node>() + violations + sides + limits;
        usize::try_from(self.memory / 4 * 3 / size as u64).unwrap_or(usize::MAX).min(NONE as usize)
    }

    /// Appends `count` nodes without a move. False, and nothing done, when they do not fit.
    fn extend(&mut self, moves: impl ExactSizeIterator<Item = MoveId>) -> bool {
        let (first, count) = (self.nodes.len(), moves.len());
        if first + count > self.capacity() {
            return false;
        }
        if first + count > self.nodes.capacity() {
            // Growing by halves, never beyond the limit.
            let want = (first + first / 2 + count + 64).min(self.capacity());
            self.nodes.reserve_exact(want - first);
            if self.has_sides {
                self.sides.reserve_exact(want - first);
            }
            if self.has_limits {
                self.limits.reserve_exact(want - first);
            }
        }
        self.nodes.extend(moves.map(Node::new));
        self.fill();
        true
    }

    /// Exchanges two nodes and what lies beside them.
    #[inline]
    fn swap(&mut self, a: usize, b: usize) {
        self.nodes.swap(a, b);
        if !self.violations.is_empty() {
            self.violations.swap(a, b);
        }
        if self.has_sides {
            self.sides.swap(a, b);
        }
        if self.has_limits {
            self.limits.swap(a, b);
        }
    }

    /// Gives the node `at` its children. False, and nothing done, when they do not fit.
    pub(crate) fn expand(&mut self, at: usize, moves: &[MoveId]) -> bool {
        let first = self.nodes.len();
        if !self.extend(moves.iter().copied()) {
            return false;
        }
        self.nodes[at].first = first as u32;
        self.nodes[at].len = moves.len() as u32;
        true
    }

    /// Gives the node `at` one more child, which counts as tried; `more`: whether the problem has another one. Returns
    /// its place, or nothing when it does not fit.
    ///
    /// A block that is full moves to one of twice the size; its old places serve another block.
    pub(super) fn add_child(&mut self, at: usize, mv: MoveId, more: bool) -> Option<usize> {
        let Node { first, len, tried, .. } = self.nodes[at];
        if tried == len {
            let size = (len + 1).next_power_of_two();
            let reused = self.free.get_mut(size.trailing_zeros() as usize).and_then(Vec::pop);
            let start = reused.map_or(self.nodes.len(), |start| start as usize);
            if reused.is_none() && !self.extend(std::iter::repeat_n(mv, size as usize)) {
                return None;
            }
            for i in 0..len as usize {
                self.swap(first as usize + i, start + i);
            }
            // The blocks of a pruned tree have any size: those serve no other.
            if len.is_power_of_two() {
                let class = len.trailing_zeros() as usize;
                self.free.resize_with(self.free.len().max(class + 1), Vec::new);
                self.free[class].push(first);
            }
            let node = &mut self.nodes[at];
            (node.first, node.len) = (start as u32, size);
        }
        let node = &mut self.nodes[at];
        let child = node.first as usize + tried as usize;
        (node.tried, node.more) = (tried + 1, more);
        self.nodes[child].mv = mv;
        Some(child)
    }

    /// Moves the untried child `pick` (counted from the first untried one) behind the tried ones; returns its place.
    pub(crate) fn try_child(&mut self, at: usize, pick: usize) -> usize {
        let tried = self.nodes[at].tried as usize;
        let first = self.nodes[at].first as usize;
        self.nodes.swap(first + tried, first + tried + pick);
        if self.has_sides {
            self.sides.swap(first + tried, first + tried + pick);
        }
        self.nodes[at].tried += 1;
        first + tried
    }

    /// Whether every child of the node `at` has been tried and is closed.
    pub(crate) fn is_over(&self, at: usize) -> bool {
        let node = &self.nodes[at];
        let closed = |child: usize| self.nodes[self.resolve(child)].closed;
        node.is_expanded() && self.untried(at) == 0 && node.children().take(node.tried as usize).all(closed)
    }

    /// Closes the node that ends `path`, and every node above it whose last open child this was.
    pub(crate) fn close(&mut self, path: &[usize]) {
        for (depth, &slot) in path.iter().enumerate().rev() {
            let at = self.resolve(slot);
            if depth + 1 < path.len() && !self.is_over(at) {
                return;
            }
            self.nodes[at].closed = true;
            if self.has_limits {
                self.detach(at);
            }
        }
    }

    /// Adds the score of a playout to a node.
    #[inline]
    pub(crate) fn update(&mut self, at: usize, score: Score, sense: Sense) {
        match score {
            Score::Feasible(value) => {
                let node = &mut self.nodes[at];
                node.visits += 1;
                node.sum += value;
                node.squares += value * value;
                // Comparisons with the initial NaN are false.
                if !sense.better_value(node.best, value) && node.best != value {
                    node.best = value;
                }
                if !sense.better_value(value, node.worst) && node.worst != value {
                    node.worst = value;
                }
            }
            Score::Infeasible(degree) => {
                self.nodes[at].visits += 1;
                if self.violations.is_empty() {
                    self.violations.resize(self.nodes.len(), Violations::default());
                }
                let violations = &mut self.violations[at];
                (violations.least, violations.most) = if violations.count == 0 {
                    (degree, degree)
                } else {
                    (violations.least.min(degree), violations.most.max(degree))
                };
                violations.count += 1;
            }
        }
    }

    /// Makes room: nodes visited fewer than `k` times lose their children, with the smallest power of two `k` that
    /// leaves the arena at most half full. The root keeps its children, however large a part of the arena they take.
    /// Statistics of the nodes that stay are untouched, so the search continues and regrows what it needs.
    pub(crate) fn prune(&mut self) {
        let goal = self.capacity() / 2;
        let mut least = 2;
        let mut kept = self.kept(0, least);
        // The root and its children are two blocks.
        while kept.iter().map(|block| block.len as usize).sum::<usize>() > goal && kept.len() > 2 {
            least *= 2;
            kept = self.kept(0, least);
        }
        self.compact(kept);
    }

    /// Makes the node `root` the root and drops what is not below it.
    pub(crate) fn reroot(&mut self, root: usize) {
        let kept = self.kept(root, 0);
        self.compact(kept);
    }

    /// Returns the child blocks below `root` that stay when only nodes with `least` visits keep theirs; parents come
    /// before children.
    fn kept(&self, root: usize, least: u64) -> Vec<Block> {
        let mut blocks = vec![Block { first: root as u32, len: 1, owner: NONE, offset: 0 }];
        let mut at = 0;
        while let Some(&Block { first, len, .. }) = blocks.get(at) {
            for offset in 0..len {
                let node = &self.nodes[(first + offset) as usize];
                if node.first != NONE && (node.visits >= least || at == 0) {
                    blocks.push(Block { first: node.first, len: node.len, owner: at as u32, offset });
                }
            }
            at += 1;
        }
        blocks
    }

    /// Moves the kept blocks to the front, in the order in which they lie.
    fn compact(&mut self, blocks: Vec<Block>) {
        for block in &blocks {
            for at in block.first..block.first + block.len {
                // A leaf for now; the links of kept blocks are set again below.
                let node = &mut self.nodes[at as usize];
                node.first = NONE;
            }
        }
        let mut order: Vec<u64> =
            blocks.iter().enumerate().map(|(at, block)| (u64::from(block.first) << 32) | at as u64).collect();
        // The root goes where the old root was, which is kept only if it is the same. Where children come one at a
        // time, blocks below it may lie before it.
        order[1..].sort_unstable();
        let mut place = vec![0_u32; blocks.len()];
        let mut end = 0_usize;
        for block in order {
            let block = block as u32 as usize;
            let Block { first, len, .. } = blocks[block];
            let (first, len) = (first as usize, len as usize);
            place[block] = end as u32;
            for offset in 0..len {
                self.swap(end + offset, first + offset);
            }
            end += len;
        }
        self.free.clear();
        self.nodes.truncate(end);
        if !self.violations.is_empty() {
            self.violations.truncate(end);
        }
        if self.has_sides {
            self.sides.truncate(end);
        }
        if self.has_limits {
            self.limits.truncate(end);
        }
        for (at, block) in blocks.iter().enumerate().skip(1) {
            let owner = (place[block.owner as usize] + block.offset) as usize;
            self.nodes[owner].first = place[at];
            self.nodes[owner].len = block.len;
        }
        for (at, node) in self.nodes.iter_mut().enumerate() {
            if node.first == NONE {
                if node.len > 0 && self.has_limits {
                    // What was seen below stays known.
                    self.limits[at].own = node.best;
                }
                (node.len, node.tried, node.more) = (0, 0, false);
            }
        }
    }
}

/// A block of children and where its parent sits.
#[derive(Clone, Copy, Debug)]
struct Block {
    first: u32,
    len: u32,
    /// Index of the parent's block in the list of blocks.
    owner: u32,
    /// The parent's place in that block.
    offset: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every node as (path of moves, visits), sorted.
    fn flatten(arena: &Arena) -> Vec<(Vec<u64>, u64)> {
        let mut found = Vec::new();
        let mut stack = vec![(0, Vec::new())];
        while let Some((at, path)) = stack.pop() {
            found.push((path.clone(), arena.get(at).visits));
            for child in arena.get(at).children() {
                let mut path = path.clone();
                path.push(arena.get(child).mv);
                stack.push((child, path));
            }
        }
        found.sort();
        found
    }

    #[test]
    fn pruning_keeps_the_visited_part_and_nothing_else() {
        let mut rng = crate::Rng::new(3);
        let node = size_of::<Node>() as u64;
        let mut arena = Arena::new(4000 * node * 4 / 3 + 4, false);
        arena.plant(0);
        let mut label = 0;
        for _ in 0..200_000 {
            let mut at = 0;
            loop {
                arena.update(at, Score::Feasible(1.0), Sense::Maximize);
                if arena.get(at).is_expanded() {
                    // Skewed, so that visits differ.
                    let children = arena.get(at).children();
                    let pick = (rng.unit() * rng.unit() * children.len() as f64) as usize;
                    at = children.start + pick;
                    continue;
                }
                let moves: Vec<u64> = (0..4).map(|i| label + i).collect();
                label = label.wrapping_add(4) % 60_000;
                if !arena.expand(at, &moves) {
                    let before = flatten(&arena);
                    arena.prune();
                    let after = flatten(&arena);
                    assert!(arena.len() <= 2000 && after.len() == arena.len());
                    // The tree that stays is a part of the tree before, closed under parents, with unchanged counts.
                    let all: std::collections::HashMap<_, _> = before.into_iter().collect();
                    for (path, visits) in &after {
                        assert_eq!(all.get(path), Some(visits));
                    }
                    arena.resume(4000 * node * 4 / 3 + 4).unwrap();
                } else {
                    arena.nodes[at].tried = 4;
                }
                break;
            }
        }
        assert!(arena.get(0).visits == 200_000);
    }
}
