//! What a tree search does between playouts: moves played for good, games and beams begun anew.

use super::run::UctSearch;
use super::select::Range;
use crate::problem::MoveId;
use crate::search::{Context, Status};
use crate::{Score, Sense};
use serde::{Deserialize, Serialize};

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
    /// Parts of the tree were dropped unseen.
    pub(super) partial: bool,
    /// Nothing is left to be searched.
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
    pub(super) present: usize,
}

impl Variants {
    /// The variant of the next game: each one once, then UCB1 on the mean of the games' best scores, from 0 for the
    /// worst to 1 for the best game.
    fn choose(&mut self, count: usize) {
        self.arms.resize(count.max(1), (0, 0.0));
        let total: u64 = self.arms.iter().map(|arm| arm.0).sum();
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

    /// Whether no game has begun.
    fn is_fresh(&self) -> bool {
        self.arms.is_empty()
    }

    /// A game of the present variant has ended.
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

impl Game {
    pub(super) fn new(per_move: u64) -> Self {
        Self { decided: Vec::new(), spent: 0, per_move, played: 0, nodes: 0, partial: false, over: false, best: None }
    }

    /// Whether a closed root proves that every solution was seen.
    pub(super) fn is_whole(&self) -> bool {
        self.decided.is_empty() && !self.partial
    }
}

impl UctSearch {
    /// Everything that comes before a playout. `Some`: there is none, the search is over.
    pub(super) fn prepare(&mut self, context: &mut Context<'_>) -> Option<Status> {
        if self.own.variants && !self.variant_set {
            // A fresh search, or one just resumed.
            if self.variants.is_fresh() {
                self.variants.choose(context.rollout.variants());
            }
            context.rollout.set_variant(self.variants.present);
            self.variant_set = true;
        }
        loop {
            if self.arena.len() == 0 && !self.plant(context) {
                // The problem's root is the only solution.
                context.finish(&self.start, &[], &[]);
                return Some(Status::Exhausted);
            }
            self.game.over |= self.own.closes() && self.arena.get(0).closed;
            // At least one playout a tree, or a small limit would never get to one.
            let limit = self.own.restart_nodes;
            let full = limit > 0 && self.game.nodes >= limit && self.arena.get(0).visits > 0;
            let cut = full || self.own.tree_playouts > 0 && self.game.played >= self.own.tree_playouts;
            if self.game.over || cut {
                if !self.own.restarts {
                    return Some(Status::Completed);
                }
                self.begin_anew(context, !self.game.over);
                continue;
            }
            if !self.is_due() {
                break;
            }
            self.decide(context);
        }
        if std::mem::take(&mut self.full) {
            self.make_room();
        }
        None
    }

    /// A tree with nothing but its root. False when the problem's root is a solution.
    pub(super) fn plant(&mut self, context: &mut Context<'_>) -> bool {
        self.moves.clear();
        context.problem.moves(&self.root, &mut self.moves);
        let Some(&any) = self.moves.first() else { return false };
        self.arena.plant(any);
        context.tally.counters.nodes += 1;
        self.game.nodes += 1;
        true
    }

    /// Whether a move has to be played.
    fn is_due(&self) -> bool {
        let root = self.arena.get(0);
        let forced = root.children().len() == 1;
        self.own.move_playouts > 0 && root.tried > 0 && (forced || self.game.spent >= self.game.per_move)
    }

    /// Plays the move that ranks first.
    fn decide(&mut self, context: &mut Context<'_>) {
        let problem = context.problem;
        let root = self.arena.get(0);
        let tried = root.children().take(root.tried as usize);
        let compare = |&a: &usize, &b: &usize| {
            let (x, y) = (self.arena.resolve(a), self.arena.resolve(b));
            self.arena.compare(x, y, self.own.final_move, self.sense).then(a.cmp(&b))
        };
        let Some(slot) = tried.min_by(compare) else { return };
        let mv = self.arena.get(slot).mv;
        if self.uses_codes {
            self.learner.advance(problem.code(&self.root, mv));
        }
        problem.apply(&mut self.root, mv);
        self.game.decided.push(mv);
        self.game.spent = 0;
        self.pending = None;
        self.moves.clear();
        problem.moves(&self.root, &mut self.moves);
        if self.moves.is_empty() {
            self.game.over = true;
            if self.own.played_only {
                context.keep(problem.score(&self.root), &self.root, &self.game.decided, &[]);
            }
        } else if !self.own.keep_tree {
            self.arena.clear();
            self.keys.clear();
        } else if self.own.transpositions {
            let place = self.arena.graft(self.arena.resolve(slot), 0);
            self.follow_nodes(&place);
        } else {
            self.arena.reroot(slot);
        }
    }

    /// A new game with a new tree; what the rollout has learned stays. After a game that was `cut` short nothing grows.
    fn begin_anew(&mut self, context: &mut Context<'_>, cut: bool) {
        if self.own.variants {
            self.variants.learn(self.game.best, self.sense);
            self.variants.choose(context.rollout.variants());
            context.rollout.set_variant(self.variants.present);
        }
        let grow = |factor| if cut { 1.0 } else { factor };
        let per_move = (self.game.per_move as f64 * grow(self.own.move_growth)).min(1e15) as u64;
        self.game = Game::new(per_move);
        self.root.clone_from(&self.start);
        self.arena.clear();
        self.keys.clear();
        self.pending = None;
        self.full = false;
        self.learner.forget_tree(&self.own);
        if let Some(beam) = &mut self.beam {
            beam.restart(grow(self.own.widen));
        }
    }

    /// The tree has used up its memory.
    fn make_room(&mut self) {
        if self.own.transpositions {
            let place = self.arena.prune_graph();
            self.follow_nodes(&place);
        } else {
            self.arena.prune();
        }
        self.pending = None;
    }

    /// Nodes have moved.
    fn follow_nodes(&mut self, place: &std::collections::HashMap<u32, u32>) {
        self.keys.retain(|_, node| match place.get(node) {
            Some(&new) => {
                *node = new;
                true
            }
            None => false,
        });
    }

    /// Counts a playout by the depths that its path touched, and prunes the depth that is full.
    pub(super) fn narrow(&mut self) {
        let Some(beam) = &mut self.beam else { return };
        if let Some(depth) = beam.count(self.path.len()) {
            let (rank, open_only) = (self.own.beam_rank, self.own.closes());
            let kept = self.arena.keep_beam(depth, beam.width, rank, self.sense, open_only);
            beam.prune(depth);
            self.pending = None;
            self.game.partial = true;
            self.game.over |= kept == 0;
        }
        self.game.over |= beam.is_stuck();
    }
}
