//! What a tree search does between playouts: it plays moves for good and begins new games, beams and trees.

use super::run::UctSearch;
use super::score_range::Range;
use super::{Rank, refuse};
use crate::core::coverage::Ledger;
use crate::core::limits::MOST;
use crate::core::parameter::{ParameterError, parameters};
use crate::erased::MoveId;
use crate::erased::problem::State;
use crate::search::shared::children::optimistic;
use crate::search::{Context, Status};
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};

parameters! {
    /// When a move is played, and when a new tree is begun.
    ///
    /// With `move_playouts` = N the search plays a game: after N playouts the child of the root that ranks first by
    /// `final_move` becomes the root, its subtree kept or not (`keep_tree`). At the end of the game a new one begins,
    /// with N multiplied by `move_growth`, unless `restarts` is off. A root with a single move, or with every solution
    /// below it known, does not wait. With `played_only` the result is the game played, not the best playout met on the
    /// way, as for a program that has to answer move by move; closed nodes are not used then. With `variants` each game
    /// (or pass, or restart) plays with one variant of the rollout, such as the colour that a tile game keeps for last:
    /// each once, then by UCB1 with constant 1/2 over the mean best score of a variant's games. `restart_nodes` starts
    /// nodes after which a new tree (and game) begins: randomised restarts.
    ///
    #[doc(hidden)]
    pub struct Pacing {
        /// playouts after which a new tree is begun, over which `c` is cooled; 0: one tree
        tree_playouts: u64 = 0, 0..=1_000_000_000_000;
        /// playouts before a move is played and the search continues from there; 0: one tree for the whole game
        move_playouts: u64 = 0, 0..=1_000_000_000_000;
        /// factor of `move_playouts` from game to game
        move_growth: f64 = 1.0, 1.0..=1000.0;
        /// keep the subtree of the move played
        keep_tree: bool = true, ();
        /// which move is played
        final_move: Rank = Rank::Best, ();
        /// count the game played as the result, not the best playout
        played_only: bool = false, ();
        /// nodes after which a new tree is begun; 0: never
        restart_nodes: u64 = 0, 0..=1_000_000_000_000;
        /// each new game plays with the variant of the rollout that did best so far
        variants: bool = false, ();
        /// begin again when a game or a beam has come to its end, until the budget is used up
        restarts: bool = true, ();
    }
}

/// Where the search stands in the game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Game {
    /// Moves played: from the problem's root to the tree's.
    pub(super) decided: Vec<MoveId>,
    /// Playouts since the last of them.
    pub(super) spent: u64,
    /// Playouts before the next one.
    per_move: u64,
    /// Playouts since the game began.
    pub(super) played: u64,
    /// Nodes created since the game began.
    pub(super) nodes: u64,
    /// What was dropped unseen: by moves that are not taken back, by a beam, by playouts that were the last of their
    /// leaf.
    pub(super) ledger: Ledger,
    /// Whether nothing is left to be searched.
    pub(super) over: bool,
    /// The best score of this game's playouts.
    pub(super) best: Option<Score>,
}

/// The rollout's variants and what games played with them have brought.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Variants {
    /// Games and the sum of their best feasible scores, by variant.
    arms: Vec<(u64, f64)>,
    /// These scores.
    range: Range,
    /// The variant of the present game.
    present: usize,
    /// Whether the rollout knows it: not after a resume.
    #[serde(skip)]
    is_set: bool,
}

impl Variants {
    /// Chooses the variant of the next game: each one once, then by UCB1 on the mean of the games' best scores, from 0
    /// for the worst to 1 for the best game.
    fn choose(&mut self, count: usize) {
        self.arms.resize(count.max(1), (0, 0.0));
        let total = self.arms.iter().fold(0_u64, |total, arm| total.saturating_add(arm.0));
        let scale = self.range.scale();
        let index = |&(games, sum): &(u64, f64)| {
            if games == 0 {
                return f64::INFINITY;
            }
            let n = games as f64;
            scale.reward(sum / n) + (libm::log(total as f64) / n).sqrt() / 2.0
        };
        let mut best = 0;
        for at in 1..self.arms.len() {
            if index(&self.arms[at]) > index(&self.arms[best]) {
                best = at;
            }
        }
        self.present = best;
    }

    /// Whether a checkpoint's present variant is one of those that are known.
    pub(super) fn is_sound(&self) -> bool {
        self.present < self.arms.len().max(1) && self.arms.iter().all(|&(games, sum)| games <= MOST && sum.is_finite())
    }

    /// Whether no game has begun.
    fn is_fresh(&self) -> bool {
        self.arms.is_empty()
    }

    /// Takes account of a game of the present variant that has ended.
    fn learn(&mut self, best: Option<Score>, sense: Sense) {
        let Some(arm) = self.arms.get_mut(self.present) else { return };
        // A game without a feasible playout counts as the worst so far.
        let value = best.and_then(Score::value).or(self.range.worst());
        arm.0 += 1;
        if let Some(value) = value {
            arm.1 += value;
            self.range.add(value, sense);
        }
    }
}

/// The problem's root and that of the present tree.
pub(super) struct Roots {
    pub(super) problem: State,
    pub(super) tree: State,
}

impl Roots {
    pub(super) fn new(root: State) -> Self {
        Self { problem: root.clone(), tree: root }
    }
}

impl Pacing {
    /// Checks that the rules go together.
    pub(super) fn validate(&self) -> Result<(), ParameterError> {
        refuse(&[(self.played_only && self.move_playouts == 0, "played_only needs move_playouts")])
    }
}

impl Game {
    pub(super) fn new(per_move: u64) -> Self {
        let (decided, ledger) = (Vec::new(), Ledger::open());
        Self { decided, spent: 0, per_move, played: 0, nodes: 0, ledger, over: false, best: None }
    }

    /// Whether the counts of a checkpoint can be those of a run.
    pub(super) fn is_sound(&self) -> bool {
        [self.spent, self.per_move, self.played, self.nodes].iter().all(|&count| count <= MOST)
    }
}

impl UctSearch {
    /// Does everything that comes before a playout. Returns a status when there is no playout because the search is
    /// over.
    pub(super) fn prepare(&mut self, context: &mut Context<'_>) -> Option<Status> {
        if self.uct.pacing.variants && !self.variants.is_set {
            // A fresh search, or one just resumed.
            if self.variants.is_fresh() {
                self.variants.choose(context.rollout.variants());
            }
            context.rollout.set_variant(self.variants.present);
            self.variants.is_set = true;
        }
        loop {
            if self.tree.arena.len() == 0 && !self.plant(context) {
                // The problem's root is the only solution.
                context.finish(&self.roots.problem, &[], &[]);
                let proof = self.game.ledger.proof(self.sense, context.incumbent());
                return Some(proof.map_or(Status::Completed, Status::Exhausted));
            }
            self.game.over |= self.uct.closes() && self.tree.arena.get(0).closed;
            // At least one playout a tree, or a small limit would never get to one.
            let limit = self.uct.pacing.restart_nodes;
            let full = limit > 0 && self.game.nodes >= limit && self.tree.arena.get(0).visits > 0;
            let cut = full || self.uct.pacing.tree_playouts > 0 && self.game.played >= self.uct.pacing.tree_playouts;
            if self.game.over || cut {
                if !self.uct.pacing.restarts {
                    return Some(Status::Completed);
                }
                self.restart(context, !self.game.over);
                continue;
            }
            if !self.is_due() {
                break;
            }
            self.decide(context);
        }
        if std::mem::take(&mut self.tree.full) {
            self.make_room();
        }
        None
    }

    /// Plants a tree with nothing but its root. Returns false when the problem's root is a solution.
    pub(super) fn plant(&mut self, context: &mut Context<'_>) -> bool {
        self.walk.moves.clear();
        context.problem.moves(&self.roots.tree, &mut self.walk.moves);
        let Some(&any) = self.walk.moves.first() else { return false };
        self.tree.arena.plant(any);
        if self.prunes() {
            self.tree.arena.limits[0].bound = optimistic(context.problem, &self.roots.tree);
        }
        context.tally.grow(self.game.decided.len());
        self.game.nodes += 1;
        true
    }

    /// Whether a move has to be played.
    fn is_due(&self) -> bool {
        let root = self.tree.arena.get(0);
        let forced = self.tree.arena.block(0).len() == 1 && self.tree.arena.untried(0) == 0;
        self.uct.pacing.move_playouts > 0 && root.tried > 0 && (forced || self.game.spent >= self.game.per_move)
    }

    /// Plays the move that ranks first.
    fn decide(&mut self, context: &mut Context<'_>) {
        let problem = context.problem;
        let root = self.tree.arena.get(0);
        let tried = root.children().take(root.tried as usize);
        let compare = |&a: &usize, &b: &usize| {
            let (x, y) = (self.tree.arena.resolve(a), self.tree.arena.resolve(b));
            self.tree.arena.compare(x, y, self.uct.pacing.final_move, self.sense).then(a.cmp(&b))
        };
        let Some(slot) = tried.min_by(compare) else { return };
        let mv = self.tree.arena.get(slot).mv;
        if self.learner.needs_codes {
            self.learner.advance(problem.code(&self.roots.tree, mv));
        }
        problem.apply(&mut self.roots.tree, mv);
        self.game.decided.push(mv);
        // The other moves are given up.
        self.game.ledger.leave_out_any();
        self.game.spent = 0;
        self.tree.pending = None;
        self.walk.moves.clear();
        problem.moves(&self.roots.tree, &mut self.walk.moves);
        if self.walk.moves.is_empty() {
            self.game.over = true;
            if self.uct.pacing.played_only {
                context.keep(problem.score(&self.roots.tree), &self.roots.tree, &self.game.decided, &[]);
            }
            if !self.uct.pacing.restarts {
                // Nothing follows: what is left is the solution that was played, for a checkpoint as well.
                self.move_root(slot);
            }
        } else if !self.uct.pacing.keep_tree {
            self.tree.arena.clear();
            self.tree.keys.clear();
        } else {
            self.move_root(slot);
        }
    }

    /// Makes a child of the root the root.
    fn move_root(&mut self, slot: usize) {
        if self.uct.growth.transpositions {
            self.shrink_to(self.tree.arena.resolve(slot), 0);
        } else {
            self.tree.arena.reroot(slot);
        }
    }

    /// Begins a new game with a new tree; what the rollout has learned stays. After a game that was `cut` short the
    /// limits do not grow.
    fn restart(&mut self, context: &mut Context<'_>, cut: bool) {
        if self.uct.pacing.variants {
            self.variants.learn(self.game.best, self.sense);
            self.variants.choose(context.rollout.variants());
            context.rollout.set_variant(self.variants.present);
        }
        let grow = |factor| if cut { 1.0 } else { factor };
        let per_move = (self.game.per_move as f64 * grow(self.uct.pacing.move_growth)).min(1e15) as u64;
        self.game = Game::new(per_move);
        self.roots.tree.clone_from(&self.roots.problem);
        self.tree.clear();
        self.learner.forget_tree(&self.uct);
        if let Some(beam) = &mut self.beam {
            beam.restart(grow(self.uct.narrowing.widen));
        }
    }

    /// Prunes a tree that has used up its memory.
    fn make_room(&mut self) {
        if self.uct.growth.transpositions {
            self.shrink_to(0, self.tree.arena.least_to_keep());
        } else {
            self.tree.arena.prune();
        }
        self.tree.pending = None;
    }

    /// Makes `root` the root of a tree whose nodes may have several parents, and drops what is not below it and the
    /// children of nodes with fewer than `least` playouts.
    fn shrink_to(&mut self, root: usize, least: u64) {
        let place = self.tree.arena.graft(root, least);
        self.follow_nodes(&place);
    }

    /// Renames the nodes of the keys after nodes have moved.
    fn follow_nodes(&mut self, place: &std::collections::HashMap<u32, u32>) {
        self.tree.keys.retain(|_, node| match place.get(node) {
            Some(&new) => {
                *node = new;
                true
            }
            None => false,
        });
    }

    /// Counts a playout by the depths that its path touched, and prunes the depth whose counter is full.
    pub(super) fn narrow(&mut self) {
        let Some(beam) = &mut self.beam else { return };
        if let Some(depth) = beam.count(self.walk.path.len()) {
            let width = beam.width.saturating_mul(self.uct.narrowing.beam_shape.at(depth));
            let (rank, open_only) = (self.uct.narrowing.beam_rank, self.uct.closes());
            let kept = self.tree.arena.keep_beam(depth, width, rank, self.sense, open_only);
            beam.prune(depth);
            self.tree.pending = None;
            self.game.ledger.leave_out_any();
            self.game.over |= kept == 0;
        }
        self.game.over |= beam.is_stuck();
    }
}
