//! What earlier trees of a run knew of the problem's states.
//!
//! One entry a state, by its key. A node that leaves the tree adds what its playouts brought; a node that enters the
//! tree begins with its state's entry, scaled down to so many playouts at most.

use super::arena::{Arena, Node, Violations};
use crate::core::codec::CheckpointError;
use crate::core::limits::{MOST, ensure};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Bytes that an entry takes at most, with its share of the room that the map keeps free.
const ENTRY: u64 = 160;

/// The statistics of a state's playouts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Known {
    visits: u64,
    sum: f64,
    squares: f64,
    best: f64,
    worst: f64,
    violations: Violations,
}

/// The states that earlier trees of the run have met.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    entries: HashMap<u128, Known>,
    /// Entries that stay when there are more.
    capacity: usize,
}

impl Known {
    fn of(arena: &Arena, at: usize) -> Self {
        let Node { visits, sum, squares, best, worst, .. } = *arena.get(at);
        Self { visits, sum, squares, best, worst, violations: arena.violations(at) }
    }

    /// Returns the same statistics as those of `most` playouts, if there are more.
    fn at_most(mut self, most: u64) -> Self {
        if self.visits > most {
            let part = most as f64 / self.visits as f64;
            let feasible = ((self.visits - self.violations.count) as f64 * part).ceil() as u64;
            // A state with a feasible playout keeps one at least: it stays preferred to one without.
            let feasible = feasible.min(most);
            let scored = (self.visits - self.violations.count).max(1) as f64;
            self.sum *= feasible as f64 / scored;
            self.squares *= feasible as f64 / scored;
            (self.visits, self.violations.count) = (most, most - feasible);
        }
        self
    }

    /// Adds the playouts of a node that began with `prior`.
    fn add(&mut self, node: Self, prior: Self) {
        self.visits = self.visits.saturating_add(node.visits.saturating_sub(prior.visits));
        self.sum += node.sum - prior.sum;
        self.squares += node.squares - prior.squares;
        // A node has its prior's extremes or better and worse ones.
        (self.best, self.worst) = (node.best, node.worst);
        let (all, of_node) = (&mut self.violations, node.violations);
        all.count = all.count.saturating_add(of_node.count.saturating_sub(prior.violations.count)).min(self.visits);
        if of_node.count > 0 {
            (all.least, all.most) = (of_node.least, of_node.most);
        }
    }
}

impl Table {
    /// Returns an empty table for a share of `memory` bytes: a quarter, half of it while entries are added.
    pub(super) fn new(memory: u64) -> Self {
        Self { entries: HashMap::new(), capacity: usize::try_from(memory / 8 / ENTRY).unwrap_or(usize::MAX) }
    }

    /// Returns the bytes that the entries may take of `memory`.
    pub(super) fn share(memory: u64) -> u64 {
        memory / 4
    }

    /// Returns what a new node of this state begins with, counted as `most` playouts at most.
    pub(super) fn prior(&self, key: u128, most: u64) -> Option<Known> {
        self.entries.get(&key).map(|known| known.at_most(most))
    }

    /// Keeps what nodes know that are about to leave their tree, given by the keys of their states.
    pub(super) fn remember<'a>(
        &mut self,
        arena: &Arena,
        leaving: impl Iterator<Item = (&'a u128, &'a u32)> + Clone,
        most: u64,
    ) {
        let visited = |least: u64| leaving.clone().filter(move |&(_, &node)| arena.get(node as usize).visits >= least);
        // Of too many nodes those with the most playouts.
        let mut least = 1;
        while visited(least).count() > self.capacity && least < MOST {
            least *= 2;
        }
        self.add(visited(least).map(|(&key, &node)| (key, Known::of(arena, node as usize))), most);
    }

    /// Adds nodes that leave the tree, each with its state's key; the least visited of too many entries are dropped.
    fn add(&mut self, nodes: impl Iterator<Item = (u128, Known)>, most: u64) {
        for (key, node) in nodes {
            match self.entries.get_mut(&key) {
                Some(known) => {
                    let prior = known.at_most(most);
                    known.add(node, prior);
                }
                None => {
                    self.entries.insert(key, node);
                }
            }
        }
        if self.entries.len() > self.capacity {
            let mut order: Vec<(std::cmp::Reverse<u64>, u128)> =
                self.entries.iter().map(|(&key, known)| (std::cmp::Reverse(known.visits), key)).collect();
            order.sort_unstable();
            // Half, so that this is rare.
            for &(_, key) in &order[self.capacity / 2..] {
                self.entries.remove(&key);
            }
        }
    }

    pub(super) fn save(&self) -> Vec<(u128, Known)> {
        let mut entries: Vec<_> = self.entries.iter().map(|(&key, &known)| (key, known)).collect();
        entries.sort_unstable_by_key(|&(key, _)| key);
        entries
    }

    pub(super) fn load(&mut self, saved: Vec<(u128, Known)>) -> Result<(), CheckpointError> {
        let is_sound = |known: &Known| known.visits <= MOST && known.violations.count <= known.visits;
        let ordered = saved.windows(2).all(|pair| pair[0].0 < pair[1].0);
        ensure(ordered && saved.iter().all(|(_, known)| is_sound(known)), "the table of states")?;
        self.entries = saved.into_iter().collect();
        Ok(())
    }
}

impl Arena {
    /// Gives the node `at`, which has no playout yet, those of `known`.
    pub(super) fn begin_with(&mut self, at: usize, known: &Known) {
        let node = &mut self.nodes[at];
        (node.visits, node.sum, node.squares) = (known.visits, known.sum, known.squares);
        (node.best, node.worst) = (known.best, known.worst);
        if known.violations.count > 0 {
            if self.violations.is_empty() {
                self.violations.resize(self.nodes.len(), Violations::default());
            }
            self.violations[at] = known.violations;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(visits: u64, infeasible: u64) -> Known {
        let scored = (visits - infeasible) as f64;
        let violations = Violations { count: infeasible, least: 1.0, most: 3.0 };
        Known { visits, sum: 5.0 * scored, squares: 26.0 * scored, best: 9.0, worst: 1.0, violations }
    }

    #[test]
    fn fewer_playouts_have_the_same_means() {
        let (all, few) = (known(100, 20), known(100, 20).at_most(10));
        assert_eq!((few.visits, few.violations.count), (10, 2));
        let means = |known: Known| {
            let scored = (known.visits - known.violations.count) as f64;
            [known.sum / scored, known.squares / scored, known.best, known.worst]
        };
        assert_eq!(means(few), means(all));
        assert_eq!(known(7, 0).at_most(10), known(7, 0));
        // One feasible playout of very many stays one.
        assert_eq!(known(1_000, 999).at_most(10).violations.count, 9);
    }

    #[test]
    fn what_a_node_began_with_is_not_counted_twice() {
        let mut table = Table { entries: HashMap::new(), capacity: 10 };
        table.add([(7, known(100, 20))].into_iter(), 10);
        let mut node = table.prior(7, 10).unwrap();
        // One more playout of score 12.
        (node.visits, node.sum, node.squares, node.best) = (11, node.sum + 12.0, node.squares + 144.0, 12.0);
        table.add([(7, node)].into_iter(), 10);
        let entry = table.entries[&7];
        assert_eq!((entry.visits, entry.violations.count), (101, 20));
        assert_eq!((entry.sum, entry.squares, entry.best), (80.0 * 5.0 + 12.0, 80.0 * 26.0 + 144.0, 12.0));
        assert_eq!(table.prior(8, 10), None);
    }

    #[test]
    fn the_least_visited_entries_go() {
        let mut table = Table { entries: HashMap::new(), capacity: 4 };
        table.add((1..=6).map(|visits| (u128::from(visits), known(visits, 0))), 10);
        let mut keys: Vec<u128> = table.entries.keys().copied().collect();
        keys.sort_unstable();
        assert_eq!(keys, [5, 6]);
        let mut other = Table { capacity: 4, ..Table::default() };
        other.load(table.save()).unwrap();
        assert_eq!(other.save(), table.save());
        assert!(other.load(vec![(2, known(1, 0)), (1, known(1, 0))]).is_err());
        assert!(other.load(vec![(2, Known { visits: 1, ..known(5, 4) })]).is_err());
    }
}
