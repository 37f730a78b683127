//! Growth of the tree: children of leaves, shared states, lines from outside.

use super::arena::Arena;
use super::run::UctSearch;
use super::select::Ties;
use super::{Uct, refuse};
use crate::core::abort::EVERY;
use crate::core::hash::Key;
use crate::core::parameter::{ParameterError, choice, parameters};
use crate::core::solution::Solution;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::search::{Context, Coverage};
use std::collections::HashMap;

choice! {
    /// How many children a leaf gets at a time.
    #[doc(hidden)]
    pub enum Expansion {
        /// One a playout, drawn at random among the untried ones.
        One = "one",
        /// One a playout, the next one in the order in which the problem lists them; a child has no place before.
        Lazy = "lazy",
        /// All: once a leaf is expanded, each child gets its playout before the tree is descended again.
        All = "all",
    }
}

choice! {
    /// What a child without a playout counts.
    #[doc(hidden)]
    pub enum FirstPlay {
        /// More than any other: every child is tried before one is tried again.
        Off = "off",
        /// The reward `fpu_value`.
        Constant = "constant",
        /// What the parent itself has among its siblings: value, exploration term and 1 / (1 + depth), against those of
        /// its tried children with 1 / (2 + depth). At the root more than any other.
        Node = "node",
    }
}

choice! {
    /// How a node moves that has too few playouts for the formula.
    #[doc(hidden)]
    pub enum FewVisits {
        /// As the playout does that the node is a part of.
        Rollout = "rollout",
        /// To any open child, each as likely.
        Uniform = "uniform",
    }
}

parameters! {
    /// How the tree grows, and what its nodes stand for.
    ///
    /// # Leaves and few visits
    ///
    /// A leaf gets children after `threshold` playouts, one or all of them at a time (`expansion`).
    ///
    /// With `select_from` = T a node with fewer than T playouts does not choose by the formula. With `few_visits =
    /// rollout` the playout policy moves there, and the first position of its playout that is not in the tree is added
    /// to it (Schadd et al., after Coulom). With `few_visits = uniform` any child that is not closed comes next, tried
    /// or not.
    ///
    /// # Tried and untried children
    ///
    /// `fpu` lets tried children be tried again before all have been tried; it applies to `expansion = one` and `lazy`.
    /// The child with the largest bias comes first if `bias_weight` is set, otherwise a random one.
    ///
    /// With `expansion = lazy` a node gets its children one at a time, in the order of its moves, and only children
    /// that were tried take memory. The moves are listed again for each. This suits states with hundreds of moves of
    /// which few are ever followed (the resumable enumeration of Rei's thesis).
    ///
    /// With `theta` = t > 0 every t-th playout through a node with untried children follows the formula among the tried
    /// ones instead of adding another one. So the tree deepens before it is as wide as the lists of moves (selection
    /// interleaving; t = 5 in the thesis).
    ///
    /// # Shared states
    ///
    /// With `transpositions`, states with the same [`key`](crate::Problem::key) share a node. Its value is the mean of
    /// all playouts through it. The exploration term counts those of the selected edge. A playout updates the path it
    /// took and nothing else (UCT2 of Childs et al.), so that no playout is counted twice. The game's graph must have
    /// no cycles. A playout that is followed (`few_visits = rollout`) passes states that the tree has already
    /// and ends at the first state that it has not.
    ///
    /// # Closed branches
    ///
    /// With `solver`, a finished solution closes its node, and a node whose children are all closed is closed as well.
    /// No playout repeats what is known, and when the root closes, the incumbent is optimal (MCTS-Solver for one
    /// player). A playout also closes its leaf where the rollout [says](crate::rollout::Playout::mark_spent) that the
    /// leaf deserves no other; then nothing is proven. Without `solver`, a small `c` replays one finished line for
    /// ever. Therefore it is on unless a preset stands for a paper that has none.
    ///
    /// # Departures from the papers
    ///
    /// The text of Schadd et al. gives `few_visits = rollout`; their program does what `uniform` does, as their presets
    /// here. With another reading of T, `threshold` = T, nothing is added below T visits. Algorithm 3.1 of Rei's thesis
    /// tests the number of children modulo t, which never expands a node again once it has t of them. Here playouts
    /// through the node are counted, as the text of the thesis has it.
    #[doc(hidden)]
    pub struct Growth {
        /// how many children a leaf gets at a time
        expansion: Expansion = Expansion::One, ();
        /// of this many playouts through a node with untried children one follows a tried child; 0: none does
        theta: u64 = 0, 0..=1_000_000_000;
        /// visits of a leaf before it gets children
        threshold: u64 = 1, 0..=1_000_000_000;
        /// visits of a node from which the formula selects; before, `few_visits` does
        select_from: u64 = 0, 0..=1_000_000_000;
        /// how a node with fewer visits than `select_from` moves
        few_visits: FewVisits = FewVisits::Rollout, ();
        /// never follow a branch again once every solution in it was seen; an exhausted tree proves optimality
        solver: bool = true, ();
        /// first-play urgency: what a child without a playout counts
        fpu: FirstPlay = FirstPlay::Off, ();
        /// its reward; fpu = constant
        fpu_value: f64 = 0.5, -1e12..=1e12;
        /// states with the same key share a node
        transpositions: bool = false, ();
    }
}

impl Growth {
    /// Checks that the rules go together.
    pub(super) fn validate(&self) -> Result<(), ParameterError> {
        let all = self.expansion == Expansion::All;
        let lazy = self.expansion == Expansion::Lazy;
        refuse(&[
            (self.select_from > 0 && (all || lazy), "select_from needs expansion=one"),
            (self.fpu != FirstPlay::Off && all, "fpu needs expansion=one or lazy"),
            (self.theta > 0 && all, "theta needs expansion=one or lazy"),
            (self.theta == 1, "theta=1 would never try a second child"),
            (lazy && self.transpositions, "expansion=lazy and transpositions exclude each other"),
        ])
    }
}

/// The nodes, and where the next ones go.
pub(super) struct Tree {
    pub(super) arena: Arena,
    /// Nodes by the keys of their states, where states share nodes.
    pub(super) keys: HashMap<u128, u32>,
    /// Expansion `all`: the moves to the node whose children are having their first playouts.
    pub(super) pending: Option<Vec<u32>>,
    /// The incumbent by which the whole tree was pruned last.
    pub(super) pruned_by: Option<f64>,
    /// Whether a node could not get its children for want of memory.
    pub(super) full: bool,
    /// Bytes that the nodes may take.
    pub(super) memory: u64,
}

impl Tree {
    /// Returns a tree without nodes, which may take a share of `memory` bytes.
    pub(super) fn new(uct: &Uct, problem: &dyn ErasedProblem, memory: u64) -> Self {
        // States that share nodes need a map of keys and, to make room, a second tree of half the size.
        let memory = match (uct.growth.transpositions, uct.uses_codes()) {
            (true, _) => memory / 16 * 5,
            (false, true) => memory / 8 * 5,
            (false, false) => memory,
        };
        let arena = Arena::new(memory, uct.uses_sides())
            .with_limits(uct.pruning.applies(uct, problem))
            .one_by_one(uct.growth.expansion == Expansion::Lazy);
        Self { arena, keys: HashMap::new(), pending: None, pruned_by: None, full: false, memory }
    }

    /// Removes every node.
    pub(super) fn clear(&mut self) {
        self.arena.clear();
        self.keys.clear();
        self.pending = None;
        self.pruned_by = None;
        self.full = false;
    }
}

/// What `descend` found.
pub(super) enum Leaf {
    /// A playout starts at the end of the path.
    Play,
    /// A playout starts there and its first new position enters the tree.
    Guided,
    /// Every solution has been seen.
    Nothing,
}

impl UctSearch {
    /// Gives the leaf `at`, whose state is `state` (`None`: the present one), its children. Returns false when it has
    /// none or there is no room.
    fn expand(&mut self, problem: &dyn ErasedProblem, at: usize, state: Option<&State>) -> bool {
        self.walk.moves.clear();
        problem.moves(state.unwrap_or(&self.walk.state), &mut self.walk.moves);
        if self.walk.moves.is_empty() {
            return false;
        }
        if !self.tree.arena.expand(at, &self.walk.moves) {
            self.tree.full = true;
            return false;
        }
        self.set_sides(problem, at, 0, state);
        true
    }

    /// Sets what the moves to the children of `at` from the `from`-th one on have beside their statistics.
    fn set_sides(&mut self, problem: &dyn ErasedProblem, at: usize, from: usize, state: Option<&State>) {
        if self.uct.uses_sides() {
            let state = state.unwrap_or(&self.walk.state);
            let (codes, biases) = (self.learner.needs_codes, self.uct.selection.bias_weight > 0.0);
            self.tree.arena.set_sides(at, from, |mv| {
                let code = if codes { problem.code(state, mv) } else { 0 };
                (code, if biases { problem.bias(state, mv) } else { 0.0 })
            });
        }
    }

    /// Gives `at`, whose state is the present one, the next of its children in the problem's order. Returns nothing
    /// when it has no further one or there is no room.
    fn next_listed(&mut self, context: &mut Context<'_>, at: usize) -> Option<usize> {
        let tried = self.tree.arena.get(at).tried as usize;
        self.walk.moves.clear();
        context.problem.moves_from(&self.walk.state, tried, 2, &mut self.walk.moves);
        let &mv = self.walk.moves.first()?;
        let Some(child) = self.tree.arena.add_child(at, mv, self.walk.moves.len() > 1) else {
            self.tree.full = true;
            return None;
        };
        self.set_sides(context.problem, at, tried, None);
        self.count_child(context);
        Some(child)
    }

    /// Makes the untried child number `pick` of `at`, the last node of the path, a node.
    fn try_child(&mut self, context: &mut Context<'_>, at: usize, pick: usize) -> usize {
        self.count_child(context);
        self.tree.arena.try_child(at, pick)
    }

    /// Counts a new child of the last node of the path.
    fn count_child(&mut self, context: &mut Context<'_>) {
        context.tally.grow(self.game.decided.len() + self.walk.path.len());
        self.game.nodes += 1;
    }

    /// Returns which of the `untried` children of `at` comes next: the one with the largest bias, or any.
    fn next_untried(&self, context: &mut Context<'_>, at: usize, untried: usize) -> usize {
        let pick = context.rng.index(untried);
        if self.uct.selection.bias_weight == 0.0 {
            return pick;
        }
        let first = self.tree.arena.get(at).children().end - untried;
        let bias = |i: usize| self.tree.arena.side(first + i).bias;
        // The first of equals in a cycle from a random place.
        let mut best = pick;
        for i in (0..untried).map(|i| (pick + i) % untried) {
            if bias(i) > bias(best) {
                best = i;
            }
        }
        best
    }

    /// Walks from the root to the node where the playout starts, adding at most one node to the tree.
    pub(super) fn descend(&mut self, context: &mut Context<'_>) -> Leaf {
        let problem = context.problem;
        self.go_to_root_or_pending(problem);
        loop {
            // Where keys lie, shared states may have circles.
            let depth = self.walk.path.len();
            if depth % EVERY == EVERY - 1 && problem.watch().gives_up(depth) {
                return Leaf::Nothing;
            }
            let at = self.tree.arena.resolve(self.walk.path[self.walk.path.len() - 1]);
            let visits = self.tree.arena.get(at).visits;
            if !self.tree.arena.get(at).is_expanded() {
                // Pruning for memory may have taken the children of a node above the beam's front.
                let above = self.beam.as_ref().is_some_and(|beam| self.walk.path.len() <= beam.pruned);
                if visits < self.uct.growth.threshold || above {
                    return Leaf::Play;
                }
                if self.uct.growth.expansion == Expansion::Lazy {
                    let Some(child) = self.next_listed(context, at) else { return Leaf::Play };
                    if self.enter_new(context, child) {
                        return Leaf::Play;
                    }
                    return Leaf::Nothing;
                }
                if !self.expand(problem, at, None) {
                    return Leaf::Play;
                }
            }
            if visits < self.uct.growth.select_from {
                match self.uct.growth.few_visits {
                    FewVisits::Rollout => return Leaf::Guided,
                    FewVisits::Uniform => match self.enter_any(context, at) {
                        Some(false) => continue,
                        Some(true) => return Leaf::Play,
                        None if self.prunes() => return Leaf::Nothing,
                        None => {}
                    },
                }
            }
            let untried = self.tree.arena.untried(at);
            let passes = self.passes_on(at);
            let selects = untried == 0 || passes || self.may_return(at);
            let is_drawn = selects && self.uct.selection.ties == Ties::Random;
            let draw = if is_drawn { context.rng.next_u64() } else { 0 };
            let choice = if selects { self.selector(draw).select(at) } else { None };
            let expands = choice.is_none_or(|(_, bound)| !passes && self.prefers_untried(at, bound));
            if untried > 0 && expands {
                let child = if self.uct.growth.expansion == Expansion::Lazy {
                    // Without room, the playout starts here.
                    let Some(child) = self.next_listed(context, at) else { return Leaf::Play };
                    child
                } else {
                    if self.uct.growth.expansion == Expansion::All && untried > 1 {
                        self.tree.pending = Some(self.walk.path[1..].iter().map(|&at| at as u32).collect());
                        self.walk.waiting.clone_from(&self.walk.state);
                        self.walk.is_waiting = true;
                    }
                    let pick = self.next_untried(context, at, untried);
                    self.try_child(context, at, pick)
                };
                if self.enter_new(context, child) {
                    return Leaf::Play;
                }
                if self.prunes() {
                    return Leaf::Nothing;
                }
                continue;
            }
            if let Some((child, _)) = choice {
                self.enter(problem, child);
                continue;
            }
            // Every child was closed by way of another parent.
            self.close(Coverage::Whole);
            if self.tree.arena.get(0).closed {
                return Leaf::Nothing;
            }
            self.go_to_root();
        }
    }

    /// Plays the move to a child of `at` drawn from those that are not closed. Returns whether it is new and its first
    /// playout follows: not where its state is in the tree already; nothing if there is no such child or the new one is
    /// pruned.
    fn enter_any(&mut self, context: &mut Context<'_>, at: usize) -> Option<bool> {
        let (closes, untried) = (self.uct.closes(), self.tree.arena.untried(at));
        let first = self.tree.arena.get(at).children().start;
        let tried = first..first + self.tree.arena.get(at).tried as usize;
        let is_open = |arena: &Arena, slot: usize| !(closes && arena.get(arena.resolve(slot)).closed);
        let open = tried.clone().filter(|&slot| is_open(&self.tree.arena, slot)).count();
        if open + untried == 0 {
            return None;
        }
        let pick = context.rng.index(open + untried);
        if pick < open {
            let slot = tried.filter(|&slot| is_open(&self.tree.arena, slot)).nth(pick)?;
            self.enter(context.problem, slot);
            return Some(false);
        }
        let child = self.try_child(context, at, pick - open);
        let is_new = self.enter_new(context, child);
        (is_new || !self.prunes()).then_some(is_new)
    }

    /// Plays the move to a child that was just made. Returns whether its first playout follows: not when its state is
    /// in the tree already, nor when it is pruned.
    fn enter_new(&mut self, context: &mut Context<'_>, child: usize) -> bool {
        self.enter(context.problem, child);
        if !self.prunes() {
            return self.is_new(context, child);
        }
        if self.bound_last(context) {
            let above = &self.walk.path[..self.walk.path.len() - 1];
            if self.tree.arena.untried(above[above.len() - 1]) == 0 {
                // Now the bounds of all children are known.
                self.tree.arena.repair(above, self.sense);
            }
            return true;
        }
        self.close(Coverage::Whole);
        false
    }

    /// Whether this playout follows a tried child of `at` by the rule of interleaving.
    fn passes_on(&self, at: usize) -> bool {
        let (theta, node) = (self.uct.growth.theta, self.tree.arena.get(at));
        theta > 0 && node.tried > 0 && node.visits.is_multiple_of(theta)
    }

    /// Whether a tried child of `at` may be chosen before all have been tried.
    fn may_return(&self, at: usize) -> bool {
        self.tree.arena.get(at).tried > 0 && self.uct.growth.fpu != FirstPlay::Off
    }

    /// Whether an untried child of `at` comes before the tried one with this bound.
    fn prefers_untried(&self, at: usize, bound: f64) -> bool {
        let node = self.tree.arena.get(at);
        match self.uct.growth.fpu {
            FirstPlay::Off => true,
            FirstPlay::Constant => self.uct.growth.fpu_value >= bound,
            FirstPlay::Node => {
                let path = &self.walk.path;
                let Some(above) = path.len().checked_sub(2) else { return true };
                let parent = self.tree.arena.get(path[above]).visits as f64;
                let selector = self.selector(0);
                let exploration = selector.c * (libm::log(parent) / node.visits as f64).sqrt();
                competes(selector.reward_of(at) + exploration, path.len() - 1, bound)
            }
        }
    }

    /// Whether the state just entered is not in the tree; otherwise the slot becomes another way to its node.
    fn is_new(&mut self, context: &mut Context<'_>, slot: usize) -> bool {
        if !self.uct.growth.transpositions {
            return true;
        }
        let Some(key) = context.problem.key(&self.walk.state).map(Key::id) else { return true };
        match self.tree.keys.get(&key) {
            Some(&node) => {
                self.tree.arena.alias(slot, node as usize);
                context.tally.shrink(self.game.decided.len() + self.walk.path.len() - 1);
                self.game.nodes -= 1;
                false
            }
            None => {
                self.tree.keys.insert(key, slot as u32);
                true
            }
        }
    }

    /// Follows the playout from the leaf through the tree and adds its first new position.
    pub(super) fn follow(&mut self, context: &mut Context<'_>) {
        let problem = context.problem;
        let mut state = self.walk.leaf.clone();
        let mut at = self.tree.arena.resolve(self.walk.path[self.walk.path.len() - 1]);
        for i in 0..self.walk.playout.len() {
            let mv = self.walk.playout[i];
            if !self.tree.arena.get(at).is_expanded() && !self.expand(problem, at, Some(&state)) {
                return;
            }
            let children = self.tree.arena.get(at).children();
            let tried = self.tree.arena.get(at).tried as usize;
            let Some(place) = self.tree.arena.block(at).iter().position(|child| child.mv == mv) else { return };
            let is_untried = place >= tried;
            let child = if is_untried { self.try_child(context, at, place - tried) } else { children.start + place };
            self.walk.path.push(child);
            if self.learner.needs_codes {
                self.learner.name_next(self.tree.arena.side(child).code);
            }
            if is_untried && !self.prunes() && !self.uct.growth.transpositions {
                return;
            }
            problem.apply(&mut state, mv);
            if is_untried {
                // The rules for new nodes look at the present state.
                std::mem::swap(&mut self.walk.state, &mut state);
                let is_new = self.is_new(context, child);
                if self.prunes() {
                    self.bound_last(context);
                }
                std::mem::swap(&mut self.walk.state, &mut state);
                if is_new {
                    return;
                }
            }
            at = self.tree.arena.resolve(child);
        }
    }

    /// Puts a solution's line into the tree, as far as there is room, and gives its score to the nodes of the line.
    pub(super) fn insert(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
        let problem = context.problem;
        self.go_to_root();
        let line = &solution.moves[self.game.decided.len()..];
        for &mv in line {
            let at = self.tree.arena.resolve(self.walk.path[self.walk.path.len() - 1]);
            let above = self.beam.as_ref().is_some_and(|beam| self.walk.path.len() <= beam.pruned);
            let node = self.tree.arena.get(at);
            if node.closed && self.prunes() {
                break;
            }
            // Where children come one at a time, those in front of the line's would have to come first.
            let fixed = above || self.uct.growth.expansion == Expansion::Lazy;
            if !node.is_expanded() && (fixed || !self.expand(problem, at, None)) {
                break;
            }
            let Some(place) = self.tree.arena.block(at).iter().position(|child| child.mv == mv) else { break };
            let tried = self.tree.arena.get(at).tried as usize;
            if place < tried {
                self.enter(problem, self.tree.arena.get(at).children().start + place);
            } else {
                let child = self.try_child(context, at, place - tried);
                self.enter(problem, child);
                self.is_new(context, child);
                if self.prunes() {
                    self.bound_last(context);
                }
            }
        }
        self.credit(solution.score);
        if self.walk.path.len() == line.len() + 1 {
            if self.learner.needs_codes {
                self.learner.count(&self.uct, solution.score, self.met.range.scale());
            }
            if self.uct.closes() {
                self.close(Coverage::Whole);
            }
        } else if self.prunes() {
            // The line may have ended in a part that was removed.
            self.tree.arena.repair(&self.walk.path, self.sense);
        }
    }
}

/// Whether a node with this bound comes before its best child: `bound` and 1 / (1 + depth) against the same of the
/// child, which is one deeper.
fn competes(bound: f64, depth: usize, child: f64) -> bool {
    let depth = depth as f64;
    bound + 1.0 / (1.0 + depth) >= child + 1.0 / (2.0 + depth)
}

#[cfg(test)]
mod tests {
    use super::competes;

    #[test]
    fn nodes_compete_with_their_children() {
        // At depth 1 a node has 1/2 and its children 1/3: it is ahead by up to a sixth.
        assert!(competes(0.5, 1, 0.65) && !competes(0.5, 1, 0.68));
        // Deep down nothing but the bounds counts.
        assert!(!competes(0.5, 1_000, 0.501) && competes(0.5, 1_000, 0.5));
    }
}
