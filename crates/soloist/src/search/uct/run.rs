//! The steps of the search, a playout each.

use super::Uct;
use super::arena::Arena;
use super::beam::Beam;
use super::game::{Game, Roots, Variants};
use super::grow::{Leaf, Tree};
use super::learn::{Learner, Playouts, Saved};
use super::score_range::{SavedScoreRange, ScoreRange};
use super::select::Selector;
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::limits::ensure;
use crate::core::solution::Solution;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::rollout::policy::{Lifetime, Trace};
use crate::search::{Context, Coverage, Search, Status, replay};
use crate::{Score, Sense};

/// A tree search in progress.
pub(crate) struct UctSearch {
    pub(super) uct: Uct,
    pub(super) sense: Sense,
    pub(super) tree: Tree,
    pub(super) met: ScoreRange,
    pub(super) learner: Learner,
    pub(super) beam: Option<Beam>,
    pub(super) game: Game,
    pub(super) variants: Variants,
    pub(super) roots: Roots,
    pub(super) walk: Walk,
}

/// The way of a playout, with its buffers.
pub(super) struct Walk {
    /// The state at the end of the path and, later on, of the playout.
    pub(super) state: State,
    /// The state at the end of the path, where the playout is followed afterwards.
    pub(super) leaf: State,
    /// The state at the end of the pending path.
    pub(super) waiting: State,
    /// Whether it is known: not after a resume.
    pub(super) is_waiting: bool,
    /// Slots from the root down.
    pub(super) path: Vec<usize>,
    /// Moves from the problem's root to the leaf.
    pub(super) prefix: Vec<MoveId>,
    /// Moves from the leaf on.
    pub(super) playout: Vec<MoveId>,
    /// A buffer for the moves of a state.
    pub(super) moves: Vec<MoveId>,
}

impl Walk {
    fn new(root: &State) -> Self {
        Self {
            state: root.clone(),
            leaf: root.clone(),
            waiting: root.clone(),
            is_waiting: false,
            path: Vec::new(),
            prefix: Vec::new(),
            playout: Vec::new(),
            moves: Vec::new(),
        }
    }
}

impl UctSearch {
    pub(crate) fn new(uct: Uct, problem: &dyn ErasedProblem, memory: u64) -> Self {
        let root = problem.root();
        let reference = uct.selection.reference;
        let (narrowing, pacing) = (&uct.narrowing, &uct.pacing);
        Self {
            sense: problem.sense(),
            tree: Tree::new(&uct, problem, memory),
            met: ScoreRange::new(if reference == 0.0 { problem.facts().reference } else { Some(reference) }),
            learner: Learner::new(&uct, problem, &root, memory / 4),
            beam: (narrowing.beam_width > 0).then(|| Beam::new(narrowing.beam_width, narrowing.beam_limit)),
            game: Game::new(pacing.move_playouts),
            variants: Variants::default(),
            walk: Walk::new(&root),
            roots: Roots::new(root),
            uct,
        }
    }

    /// The inputs of selection at the end of the path; `draw` decides between equal bounds.
    pub(super) fn selector(&self, draw: u64) -> Selector<'_> {
        let Self { uct, tree, learner, met, sense, .. } = self;
        let depth = self.game.decided.len() + self.walk.path.len() - 1;
        let c = uct.selection.constant(self.game.played, uct.pacing.tree_playouts, depth, met.longest);
        let (arena, range, standard) = (&tree.arena, met.range, met.standard());
        let name = if uct.selection.amaf { learner.names[self.walk.path.len() - 1] } else { 0 };
        Selector { uct, sense: *sense, arena, learner, range, standard, c, name, draw }
    }

    /// Plays the move into the slot `child` and puts it on the path.
    pub(super) fn enter(&mut self, problem: &dyn ErasedProblem, child: usize) {
        self.put_on_path(child);
        problem.apply(&mut self.walk.state, self.tree.arena.get(child).mv);
    }

    /// Puts the slot `child` on the path.
    fn put_on_path(&mut self, child: usize) {
        if self.learner.needs_codes {
            self.learner.enter(self.tree.arena.side(child).code);
        }
        self.walk.prefix.push(self.tree.arena.get(child).mv);
        self.walk.path.push(child);
    }

    pub(super) fn go_to_root(&mut self) {
        self.walk.state.clone_from(&self.roots.tree);
        self.start_path();
    }

    /// Goes to the node whose children are having their first playouts, if there is one, else to the root.
    pub(super) fn go_to_root_or_pending(&mut self, problem: &dyn ErasedProblem) {
        let Some(pending) = self.tree.pending.take() else { return self.go_to_root() };
        if !std::mem::take(&mut self.walk.is_waiting) {
            self.go_to_root();
            return pending.iter().for_each(|&child| self.enter(problem, child as usize));
        }
        self.walk.state.clone_from(&self.walk.waiting);
        self.start_path();
        for &child in &pending {
            self.put_on_path(child as usize);
        }
    }

    /// Makes the path the root alone.
    fn start_path(&mut self) {
        self.walk.path.clear();
        self.walk.path.push(0);
        self.walk.prefix.clear();
        self.walk.prefix.extend_from_slice(&self.game.decided);
        if self.learner.needs_codes {
            self.learner.start();
        }
    }

    /// Writes down what could be chosen on the path, as steps of a playout.
    fn steps(arena: &Arena, path: &[usize], trace: &mut Trace<MoveId>) {
        for (step, pair) in path.windows(2).enumerate() {
            let mut chosen = 0;
            for child in arena.get(arena.resolve(pair[0])).children() {
                let first = step as u32;
                let entry = trace.record(Lifetime { code: arena.side(child).code, first, end: first + 1 });
                if child == pair[1] {
                    chosen = entry;
                }
            }
            trace.step(chosen, arena.get(pair[1]).mv);
        }
    }

    /// Gives the score of a playout to all nodes of the path, and counts the playout.
    pub(super) fn back_up(&mut self, score: Score) {
        self.credit(score);
        self.game.spent += 1;
        self.game.played += 1;
    }

    /// Gives a score to all nodes of the path.
    pub(super) fn credit(&mut self, score: Score) {
        self.met.add(score, self.sense);
        if self.game.best.is_none_or(|best| self.sense.better(score, best)) {
            self.game.best = Some(score);
        }
        for &slot in &self.walk.path {
            self.tree.arena.count_edge(slot);
            let at = self.tree.arena.resolve(slot);
            self.tree.arena.update(at, score, self.sense);
        }
        if let Some(&last) = self.walk.path.last() {
            self.tree.arena.note_own(last, score, self.sense);
        }
    }

    /// Walks down the tree, then makes a playout.
    fn walk(&mut self, context: &mut Context<'_>) {
        match self.descend(context) {
            Leaf::Play => self.play(context, false),
            Leaf::Guided => self.play(context, true),
            Leaf::Nothing => {}
        }
    }

    /// Makes one playout from the end of the path and gives its score to the tree, the rollout and the learner.
    fn play(&mut self, context: &mut Context<'_>, guided: bool) {
        let in_tree = self.walk.path.len();
        if guided {
            self.walk.leaf.clone_from(&self.walk.state);
        }
        self.learner.play(context, &mut self.walk.state, &mut self.walk.playout);
        let score = if self.uct.pacing.played_only {
            context.probe(&self.walk.state)
        } else {
            context.finish(&self.walk.state, &self.walk.prefix, &self.walk.playout)
        };
        self.met.longest = self.met.longest.max(self.walk.prefix.len() + self.walk.playout.len());
        if guided {
            self.follow(context);
        }
        self.back_up(score);
        if guided && self.prunes() && !self.is_hopeful(context) {
            self.close(Coverage::Whole);
        }
        if self.learner.needs_codes {
            let scale = self.met.range.scale();
            let (arena, path) = (&self.tree.arena, &self.walk.path[..in_tree]);
            self.learner.learn(&self.uct, context, score, scale, |trace| Self::steps(arena, path, trace));
        }
        let left = in_tree + self.walk.playout.len() - self.walk.path.len();
        if self.uct.closes() && left == 0 {
            // Asked of the problem: a rollout may stop early.
            self.walk.moves.clear();
            context.problem.moves(&self.walk.state, &mut self.walk.moves);
            if self.walk.moves.is_empty() {
                self.close(Coverage::Whole);
            }
        } else if self.uct.closes()
            && !guided
            && let Some(coverage) = self.spent(context)
        {
            self.close(coverage);
        }
    }

    /// Returns what of the leaf's solutions is covered, if the rollout says that the leaf deserves no further playout.
    fn spent(&self, context: &Context<'_>) -> Option<Coverage> {
        if self.uct.playing.playouts == Playouts::Rollout { context.rollout.spent() } else { None }
    }
}

impl Search for UctSearch {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        if let Some(status) = self.prepare(context) {
            return status;
        }
        self.walk(context);
        self.prune_by_incumbent(context);
        if self.uct.closes() && self.tree.arena.get(0).closed {
            if let Some(proof) = self.game.ledger.proof(self.sense, context.incumbent()) {
                return Status::Exhausted(proof);
            }
            self.game.over = true;
        }
        self.narrow();
        Status::Running
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        let depth = self.walk.path.len().saturating_sub(1) + self.game.decided.len();
        vec![("tree depth of the latest playout, moves", depth as f64)]
    }

    fn open_bound(&self) -> Option<f64> {
        let known = self.prunes() && self.tree.arena.len() > 0 && self.game.ledger.is_blank();
        known.then(|| self.tree.arena.limits[0].bound)
    }

    fn adopt(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
        if !solution.moves.starts_with(&self.game.decided) || self.tree.arena.len() == 0 && !self.plant(context) {
            return;
        }
        self.insert(context, solution);
    }

    fn save(&self) -> Vec<u8> {
        let mut keys: Vec<(u128, u32)> = self.tree.keys.iter().map(|(&key, &node)| (key, node)).collect();
        keys.sort_unstable();
        let Tree { arena, pending, pruned_by, full, .. } = &self.tree;
        let tree = (arena, self.met.save(), (pending, pruned_by), full, keys);
        encode(&(tree, (&self.game, &self.variants), &self.beam, self.learner.save()))
    }

    fn load(&mut self, problem: &dyn ErasedProblem, bytes: &[u8]) -> Result<(), CheckpointError> {
        type SavedTree = (Arena, SavedScoreRange, (Option<Vec<u32>>, Option<f64>), bool, Vec<(u128, u32)>);
        type Whole = (SavedTree, (Game, Variants), Option<Beam>, Saved);
        let (tree, (game, variants), beam, learned) = decode::<Whole>(bytes)?;
        let (arena, met, (pending, pruned_by), full, keys) = tree;
        let expected = &self.tree.arena;
        if (arena.has_sides, arena.has_limits, arena.lazy) != (expected.has_sides, expected.has_limits, expected.lazy)
            || beam.is_some() != self.beam.is_some()
        {
            return Err(CheckpointError::Corrupt("another kind of tree"));
        }
        let narrow = self.beam.iter().zip(&beam).all(|(first, beam)| beam.is_sound(first));
        ensure(narrow && game.is_sound() && variants.is_sound(), "a game of another run")?;
        game.ledger.check(self.sense)?;
        self.tree.arena = arena;
        self.tree.arena.resume(self.tree.memory)?;
        if keys.iter().any(|&(_, node)| node as usize >= self.tree.arena.len()) {
            return Err(CheckpointError::Corrupt("a key of the tree"));
        }
        self.roots.tree = replay(problem, &game.decided)?;
        ensure(self.tree.arena.is_path(pending.iter().flatten().map(|&slot| slot as usize)), "a path in the tree")?;
        self.learner.load(learned)?;
        self.tree.keys = keys.into_iter().collect();
        (self.tree.pending, self.tree.pruned_by, self.tree.full) = (pending, pruned_by, full);
        (self.game, self.beam, self.variants) = (game, beam, variants);
        self.walk.is_waiting = false;
        self.met.load(met);
        self.check_tree(problem)
    }
}
