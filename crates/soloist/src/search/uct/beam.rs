//! Beam search: playouts counted by depth, and a tree narrowed to a few nodes.

use super::arena::{Arena, NONE, Node};
use crate::core::limits::MOST;
use crate::core::order;
use crate::core::parameter::{PerLevel, choice, parameters};
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

choice! {
    /// How nodes are ranked where some have to go and where a move is played.
    #[doc(hidden)]
    pub enum Rank {
        /// By the best score below.
        Best = "best",
        /// By the mean score.
        Mean = "mean",
        /// By the number of playouts.
        Visits = "visits",
    }
}

parameters! {
    /// Beam search in the tree: few nodes of each depth stay.
    ///
    /// With `beam_width` = W, a counter for each depth counts the playouts that pass through a node there. When depth
    /// `d` reaches `beam_limit`, the W nodes of that depth that rank first (`beam_rank`; the paper's algorithm goes by
    /// visits) stay with their ancestors; the other nodes of the depth and everything below it are dropped, and no node
    /// at depth `d` or above is ever added again. The counters below `d` start at 0 again: the nodes that they counted
    /// are gone. A pass is over when nothing is left to explore, or when 2 `beam_limit` playouts after the last pruning
    /// no deeper one came (the kept nodes are finished solutions). The next pass begins with a new tree, width and
    /// limit multiplied by `widen`: with `widen` > 1 a limit comes at which the whole tree is seen before it is pruned,
    /// so that the search is complete.
    ///
    /// `beam_shape` makes a beam that is not as wide at each depth: W times its first number at depth 1, times its
    /// second one at depth 2, and so on, the last number counting for all deeper ones. Baier and Winands name widths
    /// by depth as future work.
    #[doc(hidden)]
    pub struct Narrowing {
        /// nodes of a depth that stay when its counter is full; 0: no beam
        beam_width: u64 = 0, 0..=1_000_000_000;
        /// factors of `beam_width` at depth 1, 2 and so on; the last one counts for all deeper ones
        beam_shape: PerLevel = 1.into(), 1..=1_000_000;
        /// playouts through a depth at which it is pruned
        beam_limit: u64 = 10_000, 1..=1_000_000_000_000;
        /// which nodes stay
        beam_rank: Rank = Rank::Visits, ();
        /// factor of width and limit from one pass of the beam to the next
        widen: f64 = 1.0, 1.0..=1000.0;
    }
}

/// The beam of Baier and Winands: playouts counted by depth, and how far the tree has been pruned.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Beam {
    /// Nodes that stay, and playouts through a depth before it is pruned, in the present pass.
    pub(crate) width: u64,
    pub(crate) limit: u64,
    /// Playouts through each depth since the tree there was new.
    counters: Vec<u64>,
    /// The deepest depth pruned; 0: none. No node is added there or above.
    pub(crate) pruned: usize,
    /// Playouts since then.
    since: u64,
}

impl Beam {
    pub(crate) fn new(width: u64, limit: u64) -> Self {
        Self { width, limit, counters: Vec::new(), pruned: 0, since: 0 }
    }

    /// Whether the beam of a checkpoint can be that of a run which began with `first`.
    pub(crate) fn is_sound(&self, first: &Self) -> bool {
        let counts = self.counters.iter().chain([&self.width, &self.limit, &self.since]);
        self.width >= first.width
            && self.limit >= first.limit
            && counts.into_iter().all(|&count| count <= MOST)
            && (self.pruned == 0 || self.pruned < self.counters.len())
    }

    /// Begins a new pass, wider by `factor`.
    pub(crate) fn restart(&mut self, factor: f64) {
        let grow = |count: u64| (count as f64 * factor).ceil().min(1e15) as u64;
        *self = Self::new(grow(self.width), grow(self.limit));
    }

    /// Counts a playout whose path has `nodes` nodes, the root included. Returns the depth whose counter is full, if
    /// any.
    pub(crate) fn count(&mut self, nodes: usize) -> Option<usize> {
        self.since += 1;
        if self.counters.len() < nodes {
            self.counters.resize(nodes, 0);
        }
        for counter in &mut self.counters[..nodes] {
            *counter += 1;
        }
        (self.pruned + 1..nodes).find(|&depth| self.counters[depth] >= self.limit)
    }

    /// Takes note that the tree was pruned at `depth`.
    pub(crate) fn prune(&mut self, depth: usize) {
        self.counters.truncate(depth + 1);
        self.pruned = depth;
        self.since = 0;
    }

    /// Whether the kept nodes are exhausted: no deeper counter filled up in twice the playouts that it takes.
    pub(crate) fn is_stuck(&self) -> bool {
        self.pruned > 0 && self.since / 2 >= self.limit
    }
}

impl Arena {
    /// Returns `Less` when node `a` ranks before node `b`. Ties go to more playouts or, among equally many, to the
    /// better best score.
    pub(crate) fn compare(&self, a: usize, b: usize, rank: Rank, sense: Sense) -> Ordering {
        let score = |at: usize, value: &dyn Fn(&Node, u64) -> f64| {
            let (node, violations) = (&self.nodes[at], self.violations(at));
            if node.visits > violations.count {
                Score::Feasible(value(node, violations.count))
            } else {
                Score::Infeasible(violations.least)
            }
        };
        let by = |value: &dyn Fn(&Node, u64) -> f64| sense.best_first(Some(score(a, value)), Some(score(b, value)));
        let best = || by(&|node, _| node.best);
        let visits = || self.nodes[b].visits.cmp(&self.nodes[a].visits);
        match rank {
            Rank::Best => best().then_with(visits),
            Rank::Mean => by(&|node, infeasible| node.mean(infeasible)).then_with(visits),
            Rank::Visits => visits().then_with(best),
        }
    }

    /// Keeps the `width` nodes of depth `depth` that rank first, as leaves, and their ancestors; drops everything else.
    /// Returns how many were kept.
    ///
    /// With `open_only`, closed nodes are no candidates. Statistics of the nodes that stay are untouched.
    pub(crate) fn keep_beam(&mut self, depth: usize, width: u64, rank: Rank, sense: Sense, open_only: bool) -> usize {
        // (slot, place of the parent in the layer above) by depth.
        let mut layers: Vec<Vec<(u32, u32)>> = vec![vec![(0, 0)]];
        for above in 0..depth {
            let mut layer = Vec::new();
            for (parent, &(slot, _)) in layers[above].iter().enumerate() {
                let node = &self.nodes[slot as usize];
                let tried = node.children().take(node.tried as usize);
                layer.extend(tried.map(|child| (child as u32, parent as u32)));
            }
            layers.push(layer);
        }
        let Some(mut layer) = layers.pop() else { return 0 };
        layer.retain(|&(slot, _)| !(open_only && self.nodes[slot as usize].closed));
        // Of equal nodes the earlier one, in the order of their parents, stays.
        order::sort_by(&mut layer, |a, b| self.compare(a.0 as usize, b.0 as usize, rank, sense));
        layer.truncate(usize::try_from(width).unwrap_or(usize::MAX));
        let kept = layer.len();
        // Upwards: which nodes of each layer have a kept descendant; in the order of the parents, so that children form
        // blocks.
        let mut chosen = vec![Vec::new(); depth + 1];
        for above in (0..depth).rev() {
            order::sort_by_key(&mut layer, |&(slot, parent)| (parent, slot));
            let mut parents: Vec<u32> = layer.iter().map(|&(_, parent)| parent).collect();
            parents.dedup();
            let next = parents.iter().map(|&parent| layers[above][parent as usize]).collect();
            chosen[above + 1] = std::mem::replace(&mut layer, next);
        }
        chosen[0] = vec![(0, 0)];
        let mut fresh = Self::new(0, self.has_sides());
        for (here, layer) in chosen.iter().enumerate() {
            let start = fresh.nodes.len();
            // Parents of this layer lie in the one before, in the same order.
            let mut owner = start - if here > 0 { chosen[here - 1].len() } else { 0 };
            let mut last = layer.first().map(|&(_, parent)| parent);
            for &(slot, parent) in layer {
                if last != Some(parent) {
                    owner += 1;
                    last = Some(parent);
                }
                let at = fresh.nodes.len();
                fresh.push_from(self, slot as usize);
                if here > 0 {
                    let owner = &mut fresh.nodes[owner];
                    if owner.first == NONE {
                        owner.first = at as u32;
                    }
                    owner.len += 1;
                    owner.tried = owner.len;
                }
            }
        }
        self.replace(fresh);
        kept
    }

    /// Appends a copy of node `at` of another arena, without children.
    pub(super) fn push_from(&mut self, other: &Self, at: usize) {
        let node = &other.nodes[at];
        self.nodes.push(Node { first: NONE, len: 0, tried: 0, alias: false, more: false, ..node.clone() });
        if let Some(&violations) = other.violations.get(at) {
            self.violations.push(violations);
        }
        if let Some(&side) = other.sides.get(at) {
            self.sides.push(side);
        }
    }

    /// Takes over the nodes of `fresh`, in the room that is there.
    pub(super) fn replace(&mut self, fresh: Self) {
        self.nodes.clear();
        self.nodes.extend(fresh.nodes);
        self.violations.clear();
        self.violations.extend(fresh.violations);
        self.sides.clear();
        self.sides.extend(fresh.sides);
        self.free.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a tree by (parent, move, visits); the root is node 0.
    fn tree(root_visits: u64, nodes: &[(&[u64], u64)]) -> Arena {
        let mut arena = Arena::new(1 << 20, false);
        arena.plant(0);
        let find = |arena: &Arena, path: &[u64]| {
            path.iter().fold(0, |at, mv| {
                let children = arena.get(at).children();
                children.into_iter().find(|&child| arena.get(child).mv == *mv).unwrap()
            })
        };
        let mut parents: Vec<&[u64]> = nodes.iter().map(|(path, _)| &path[..path.len() - 1]).collect();
        parents.dedup();
        for parent in parents {
            let moves: Vec<u64> = nodes
                .iter()
                .filter(|(path, _)| path.len() == parent.len() + 1 && path.starts_with(parent))
                .map(|(path, _)| path[path.len() - 1])
                .collect();
            let at = find(&arena, parent);
            assert!(arena.expand(at, &moves));
            for _ in &moves {
                arena.try_child(at, 0);
            }
        }
        arena.nodes[0].visits = root_visits;
        for (path, visits) in nodes {
            let at = find(&arena, path);
            arena.nodes[at].visits = *visits;
        }
        arena
    }

    fn paths(arena: &Arena) -> Vec<(Vec<u64>, u64)> {
        let mut found = Vec::new();
        let mut stack = vec![(0, Vec::new())];
        while let Some((at, path)) = stack.pop() {
            for child in arena.get(at).children() {
                let mut path: Vec<u64> = path.clone();
                path.push(arena.get(child).mv);
                found.push((path.clone(), arena.get(child).visits));
                stack.push((child, path));
            }
        }
        found.sort();
        found
    }

    #[test]
    fn the_beam_keeps_the_most_visited_nodes_of_a_depth_and_their_ancestors() {
        // Depth 1: 1 (50), 2 (30), 3 (20). Depth 2: 11 (30), 12 (19), 21 (25), 22 (4), 31 (19). Depth 3: below 11 and
        // 21.
        let nodes: &[(&[u64], u64)] = &[
            (&[1], 50),
            (&[2], 30),
            (&[3], 20),
            (&[1, 11], 30),
            (&[1, 12], 19),
            (&[2, 21], 25),
            (&[2, 22], 4),
            (&[3, 31], 19),
            (&[1, 11, 111], 20),
            (&[1, 11, 112], 9),
            (&[2, 21, 211], 24),
        ];
        let kept = |width| {
            let mut arena = tree(101, nodes);
            let count = arena.keep_beam(2, width, Rank::Visits, Sense::Maximize, false);
            arena.resume(1 << 20).unwrap();
            // Nothing above the depth is left to be tried.
            assert!(arena.nodes.iter().all(|node| node.tried == node.len));
            (count, paths(&arena))
        };
        let path = |path: &[u64], visits| (path.to_vec(), visits);
        assert_eq!(kept(1), (1, vec![path(&[1], 50), path(&[1, 11], 30)]));
        assert_eq!(kept(2), (2, vec![path(&[1], 50), path(&[1, 11], 30), path(&[2], 30), path(&[2, 21], 25)]));
        // 12 and 31 tie; the earlier one stays.
        let (count, all) = kept(3);
        assert_eq!((count, all.len()), (3, 5));
        assert!(all.contains(&path(&[1, 12], 19)));
        assert_eq!(kept(100).0, 5);
        assert_eq!(kept(100).1.len(), 8);
    }

    #[test]
    fn counters_restart_below_the_pruned_depth() {
        let mut beam = Beam::new(1, 3);
        assert_eq!((beam.count(1), beam.count(2), beam.count(3), beam.count(2)), (None, None, None, Some(1)));
        beam.prune(1);
        // Depth 2 had been passed once; that node is gone.
        assert_eq!((beam.count(3), beam.count(3), beam.count(4)), (None, None, Some(2)));
        beam.prune(2);
        for _ in 0..5 {
            assert!(beam.count(3).is_none() && !beam.is_stuck());
        }
        assert!(beam.count(3).is_none() && beam.is_stuck());
        beam.restart(1.5);
        assert_eq!((beam.width, beam.limit, beam.pruned), (2, 5, 0));
    }
}
