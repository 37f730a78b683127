//! Trees whose nodes may have several parents, because states with the same key share a node.
//!
//! The first slot that leads to a node is its place; later ones are aliases.

use super::arena::{Arena, NONE, Node, Violations};
use std::collections::{HashMap, HashSet};

impl Arena {
    /// Makes the node `root` the root and keeps what is below it, children of nodes with fewer than `least` playouts
    /// excepted, in a tree whose nodes may have several parents. Returns where each kept node went.
    pub(crate) fn graft(&mut self, root: usize, least: u64) -> HashMap<u32, u32> {
        let mut place = HashMap::from([(root as u32, 0)]);
        // (old slot, resolved node): the first slot met becomes the node's place, later ones aliases.
        let mut order = vec![(root as u32, root as u32)];
        let mut fresh = Self::new(0, self.has_sides());
        fresh.push_from(self, root);
        let mut at = 0;
        while let Some(&(_, node)) = order.get(at) {
            let old = &self.nodes[node as usize];
            let expands = place[&node] == at as u32 && old.first != NONE && (old.visits >= least || at == 0);
            if expands {
                fresh.nodes[at].first = fresh.nodes.len() as u32;
                (fresh.nodes[at].len, fresh.nodes[at].tried) = (old.len, old.tried);
                for slot in old.children() {
                    let target = self.resolve(slot) as u32;
                    let new = fresh.nodes.len() as u32;
                    let home = *place.entry(target).or_insert(new);
                    fresh.push_from(self, target as usize);
                    // The move and the edge belong to the slot, wherever the statistics are.
                    let mv = self.nodes[slot].mv;
                    fresh.nodes[new as usize].mv = mv;
                    if self.has_sides() {
                        fresh.sides[new as usize] = self.sides[slot];
                    }
                    if home != new {
                        fresh.nodes[new as usize] = Node::new(mv);
                        fresh.alias(new as usize, home as usize);
                        if let Some(violations) = fresh.violations.get_mut(new as usize) {
                            *violations = Violations::default();
                        }
                    }
                    order.push((slot as u32, target));
                }
            }
            at += 1;
        }
        self.replace(fresh);
        place
    }

    /// Returns the nodes that [`graft`](Self::graft) would keep, and how many slots they take.
    pub(crate) fn grafted(&self, root: usize, least: u64) -> (HashSet<usize>, usize) {
        let mut seen = HashSet::from([root]);
        let (mut stack, mut slots) = (vec![root], 1);
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at];
            if node.first == NONE || !(node.visits >= least || at == root) {
                continue;
            }
            slots += node.len as usize;
            for slot in node.children() {
                let target = self.resolve(slot);
                if seen.insert(target) {
                    stack.push(target);
                }
            }
        }
        (seen, slots)
    }

    /// Returns how many playouts a node must have to keep its children when room is made by [`graft`](Self::graft): as
    /// few as leave the arena at most half full.
    pub(crate) fn least_to_keep(&self) -> u64 {
        let goal = self.capacity() / 2;
        let mut least = 2;
        while self.grafted(0, least).1 > goal && least < 1 << 62 {
            least *= 2;
        }
        least
    }
}
