//! Branch and bound in the tree: nodes that cannot improve the incumbent are removed, and what their ancestors are
//! worth is computed without them.

use super::arena::{Arena, NONE};
use super::run::UctSearch;
use super::{NodeValue, Uct, refuse};
use crate::core::parameter::{ParameterError, choice, parameters};
use crate::erased::problem::ErasedProblem;
use crate::search::shared::children::optimistic;
use crate::search::{Context, Coverage};
use crate::{Score, Sense};

choice! {
    /// Whether the tree is pruned by bounds.
    #[doc(hidden)]
    pub enum Prune {
        /// Where the root has a bound, nodes are worth their best solution, and nothing excludes it.
        Auto = "auto",
        /// Always.
        On = "on",
        /// Never.
        Off = "off",
    }
}

parameters! {
    /// Branch and bound in the tree (Rei's thesis, chapter 3).
    ///
    /// With `prune`, a node whose [`bound`](crate::Problem::bound) is not better than the incumbent is removed: as it
    /// is inserted, without a playout, and from the whole tree whenever the incumbent has improved (after the first
    /// playouts of all children, with `expansion = all`). Nodes whose solutions have all been seen are removed as well.
    /// The incumbent is kept outside of the tree, and the ancestors of what is removed are worth what is left:
    ///
    /// `best(a) = best of a's own playout and of the best scores of its children that are left`,
    ///
    /// which is repaired upwards until nothing changes. Numbers of playouts and worst scores stay. Without that repair
    /// a search for best values keeps returning to the neighbourhood of the incumbent long after all of it was seen.
    /// (The formula in the thesis forgets the own playout of `a`, which its text mentions.) When the root is removed,
    /// the incumbent is optimal.
    ///
    /// In the same way a node with all children tried takes the best of their bounds for its bound, if that is worse:
    /// the root's is the bound of the run, reported with the gap as it falls.
    ///
    /// `auto` prunes where the root has a bound and `value = best`; not with `transpositions`, `beam_width` or
    /// `move_playouts`, which exclude it, nor without `solver`. Cost: one bound a node and, for each new incumbent, one
    /// pass over the tree; 16 bytes a node.
    #[doc(hidden)]
    pub struct Pruning {
        /// remove nodes whose bound is not better than the incumbent
        prune: Prune = Prune::Auto, ();
    }
}

impl Pruning {
    /// Checks that nothing contradicts pruning.
    pub(super) fn validate(&self, uct: &Uct) -> Result<(), ParameterError> {
        let on = self.prune == Prune::On;
        refuse(&[
            (on && !uct.closes(), "prune=on needs solver=true and played_only=false"),
            (on && uct.growth.transpositions, "prune=on and transpositions exclude each other"),
            (on && uct.narrowing.beam_width > 0, "prune=on and beam_width exclude each other"),
            (on && uct.pacing.move_playouts > 0, "prune=on and move_playouts exclude each other"),
        ])
    }

    /// Whether a search with these parameters prunes.
    pub(super) fn applies(&self, uct: &Uct, problem: &dyn ErasedProblem) -> bool {
        let has_bound = || problem.bound(&problem.root()).is_some_and(|bound| !bound.is_nan());
        match self.prune {
            Prune::On => true,
            Prune::Off => false,
            Prune::Auto => {
                let possible = Self { prune: Prune::On }.validate(uct).is_ok();
                possible && uct.selection.value == NodeValue::Best && has_bound()
            }
        }
    }
}

impl Arena {
    /// Takes the children of a node that is closed out of the tree. Their places are free when the tree is compacted.
    pub(super) fn detach(&mut self, at: usize) {
        let node = &mut self.nodes[at];
        (node.first, node.len, node.tried, node.more) = (NONE, 0, 0, false);
    }

    /// Takes account of a playout that ended the path at `at`.
    pub(super) fn note_own(&mut self, at: usize, score: Score, sense: Sense) {
        if let Score::Feasible(value) = score
            && let Some(limit) = self.limits.get_mut(at)
        {
            limit.own = better(sense, limit.own, value);
        }
    }

    /// Computes the best score and the bound of a node from its children. Returns whether they changed.
    fn summarize(&mut self, at: usize, sense: Sense) -> bool {
        let node = &self.nodes[at];
        let mut limit = self.limits[at];
        let (mut best, mut bound) = (limit.own, f64::NAN);
        for child in node.children().take(node.tried as usize) {
            if !self.nodes[child].closed {
                best = better(sense, best, self.nodes[child].best);
                bound = better(sense, bound, self.limits[child].bound);
            }
        }
        if node.tried > 0 && self.untried(at) == 0 && !bound.is_nan() {
            limit.bound = sense.worst_value(limit.bound, bound);
        }
        let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
        let changed = !same(best, node.best) || !same(limit.bound, self.limits[at].bound);
        self.nodes[at].best = best;
        self.limits[at] = limit;
        changed
    }

    /// Repairs the nodes of a path upwards, after the last of them was closed or got its last child.
    pub(super) fn repair(&mut self, path: &[usize], sense: Sense) {
        let from = path.iter().rposition(|&at| !self.nodes[at].closed).map_or(0, |at| at + 1);
        for &at in path[..from].iter().rev() {
            if !self.summarize(at, sense) {
                return;
            }
        }
    }

    /// Removes everything that is not better than `incumbent`, bottom up, and repairs what is left.
    pub(super) fn sweep(&mut self, incumbent: f64, sense: Sense) {
        let hopeless = |arena: &Self, at: usize| !sense.better_value(arena.limits[at].bound, incumbent);
        // (node, its next child)
        let mut stack = vec![(0, 0)];
        while let Some((at, next)) = stack.last_mut() {
            let at = *at;
            let node = &self.nodes[at];
            if *next == 0 && (node.closed || hopeless(self, at)) {
                self.nodes[at].closed = true;
                self.detach(at);
                stack.pop();
            } else if *next < node.tried as usize {
                let child = node.children().start + *next;
                *next += 1;
                stack.push((child, 0));
            } else {
                if node.tried > 0 {
                    if self.is_over(at) {
                        self.nodes[at].closed = true;
                        self.detach(at);
                    } else {
                        self.summarize(at, sense);
                    }
                }
                stack.pop();
            }
        }
    }
}

/// Returns the better of two values, NaN being none.
fn better(sense: Sense, a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else {
        sense.best_value(a, b)
    }
}

impl UctSearch {
    /// Whether the tree is pruned by bounds.
    pub(super) fn prunes(&self) -> bool {
        self.tree.arena.has_limits
    }

    /// Computes the bound of the state at the end of the path for its node. Returns whether it is better than the
    /// incumbent.
    pub(super) fn bound_last(&mut self, context: &Context<'_>) -> bool {
        let at = self.walk.path[self.walk.path.len() - 1];
        let bound = optimistic(context.problem, &self.walk.state);
        self.tree.arena.limits[at].bound = bound;
        self.is_hopeful(context)
    }

    /// Whether the bound of the end of the path is better than the incumbent.
    pub(super) fn is_hopeful(&self, context: &Context<'_>) -> bool {
        let bound = self.tree.arena.limits[self.walk.path[self.walk.path.len() - 1]].bound;
        !self.sense.is_hopeless(bound, context.incumbent())
    }

    /// Closes the end of the path, and repairs what its ancestors are worth. `coverage`: whether all solutions from
    /// there were seen or excluded, beside what the ledger of the game has already.
    pub(super) fn close(&mut self, coverage: Coverage) {
        self.game.ledger.note(coverage);
        self.tree.arena.close(&self.walk.path);
        if self.prunes() {
            self.tree.arena.repair(&self.walk.path, self.sense);
        }
    }

    /// Prunes the whole tree if the incumbent has improved and no children wait for their first playouts.
    pub(super) fn prune_by_incumbent(&mut self, context: &Context<'_>) {
        let Some(incumbent) = context.incumbent().filter(|_| self.prunes() && self.tree.pending.is_none()) else {
            return;
        };
        if self.tree.pruned_by.is_none_or(|value| self.sense.better_value(incumbent, value)) {
            self.tree.pruned_by = Some(incumbent);
            self.tree.arena.sweep(incumbent, self.sense);
        }
    }
}
