//! The walk through the tree, a playout a step.

use super::arena::Arena;
use super::beam::Beam;
use super::game::{Game, Variants};
use super::learn::{Learner, Saved};
use super::nested::{self, Nested};
use super::select::{Range, Selector};
use super::{Expansion, FirstPlay, Uct};
use crate::problem::MoveId;
use crate::problem::rules::{Rules, State};
use crate::run::checkpoint::{decode, encode};
use crate::search::{Context, Search, Status, replay};
use crate::{CheckpointError, Lifetime, Score, Sense, Solution, Trace};
use std::collections::HashMap;

pub(crate) struct UctSearch {
    pub(super) own: Uct,
    pub(super) sense: Sense,
    memory: u64,
    pub(super) arena: Arena,
    pub(super) learner: Learner,
    pub(super) beam: Option<Beam>,
    pub(super) game: Game,
    pub(super) variants: Variants,
    /// Whether the rollout knows the variant: not after a resume.
    pub(super) variant_set: bool,
    /// Nodes by the keys of their states, where states share nodes.
    pub(super) keys: HashMap<u64, u32>,
    /// Feasible scores met.
    range: Range,
    /// The score that ratios compare with, as the settings or the problem have it.
    standard: Option<f64>,
    /// The first feasible score, and the length of the longest solution met.
    first: Option<f64>,
    longest: usize,
    /// Expansion `all`: the moves to the node whose children are having their first playouts.
    pub(super) pending: Option<Vec<u32>>,
    pub(super) full: bool,
    /// The problem's root and the tree's.
    pub(super) start: State,
    pub(super) root: State,
    state: State,
    leaf: State,
    /// Slots from the root down.
    pub(super) path: Vec<usize>,
    pub(super) moves: Vec<MoveId>,
    /// Moves from the problem's root to the leaf.
    prefix: Vec<MoveId>,
    playout: Vec<MoveId>,
    pub(super) uses_codes: bool,
    /// The search that stands for playouts.
    pub(super) nested: Option<Box<Nested>>,
}

/// What `descend` found.
enum Leaf {
    /// A playout starts at the end of the path.
    Play,
    /// A playout starts there and its first new position enters the tree.
    Guided,
    /// Every solution has been seen.
    Nothing,
}

impl UctSearch {
    pub(crate) fn new(own: Uct, problem: &dyn Rules, memory: u64) -> Self {
        let root = problem.root();
        let nested = Nested::new(&own, problem, memory / 4);
        let memory = if nested.is_some() { memory / 4 * 3 } else { memory };
        // States that share nodes need a map of keys and, to make room, a second tree of half the size.
        let share = match (own.transpositions, own.uses_codes()) {
            (true, _) => memory / 8 * 3,
            (false, true) => memory / 8 * 5,
            (false, false) => memory,
        };
        Self {
            sense: problem.sense(),
            memory: share,
            arena: Arena::new(share, own.uses_sides()),
            learner: Learner::new(&own, problem, &root, memory / 4),
            beam: (own.beam_width > 0).then(|| Beam::new(own.beam_width, own.beam_limit)),
            game: Game::new(own.move_playouts),
            variants: Variants::default(),
            variant_set: false,
            keys: HashMap::new(),
            range: Range::default(),
            standard: if own.reference == 0.0 { problem.reference() } else { Some(own.reference) },
            first: None,
            longest: 0,
            pending: None,
            full: false,
            state: root.clone(),
            leaf: root.clone(),
            start: root.clone(),
            root,
            path: Vec::new(),
            moves: Vec::new(),
            prefix: Vec::new(),
            playout: Vec::new(),
            uses_codes: own.uses_codes(),
            nested,
            own,
        }
    }

    fn selector(&self, reference: u64) -> Selector<'_> {
        let Self { own, arena, learner, range, sense, .. } = self;
        let standard = self.standard.or(self.first).unwrap_or(0.0);
        let depth = self.game.decided.len() + self.path.len() - 1;
        let c = own.constant(self.game.played, depth, self.longest);
        Selector { own, sense: *sense, arena, learner, range: *range, standard, c, reference }
    }

    /// Plays the move into the slot `child` and puts it on the path.
    fn enter(&mut self, problem: &dyn Rules, child: usize) {
        let mv = self.arena.get(child).mv;
        if self.uses_codes {
            self.learner.enter(self.arena.side(child).code);
        }
        problem.apply(&mut self.state, mv);
        self.prefix.push(mv);
        self.path.push(child);
    }

    fn go_to_root(&mut self) {
        self.state.clone_from(&self.root);
        self.path.clear();
        self.path.push(0);
        self.prefix.clear();
        self.prefix.extend_from_slice(&self.game.decided);
        if self.uses_codes {
            self.learner.start();
        }
    }

    /// Gives the leaf `at`, whose state is `state` (`None`: the present one), its children. False: it has none, or
    /// there is no room.
    fn expand(&mut self, problem: &dyn Rules, at: usize, state: Option<&State>) -> bool {
        let state = state.unwrap_or(&self.state);
        self.moves.clear();
        problem.moves(state, &mut self.moves);
        if self.moves.is_empty() {
            return false;
        }
        if !self.arena.expand(at, &self.moves) {
            self.full = true;
            return false;
        }
        if self.own.uses_sides() {
            let (codes, biases) = (self.uses_codes, self.own.bias_weight > 0.0);
            self.arena.set_sides(at, |mv| {
                let code = if codes { problem.code(state, mv) } else { 0 };
                (code, if biases { problem.bias(state, mv) } else { 0.0 })
            });
        }
        true
    }

    /// Makes the untried child number `pick` of `at` a node.
    fn try_child(&mut self, context: &mut Context<'_>, at: usize, pick: usize) -> usize {
        context.tally.counters.nodes += 1;
        self.game.nodes += 1;
        self.arena.try_child(at, pick)
    }

    /// Which of the `untried` children of `at` comes next: the one with the largest bias, or any.
    fn next_untried(&self, context: &mut Context<'_>, at: usize, untried: usize) -> usize {
        let pick = context.rng.index(untried);
        if self.own.bias_weight == 0.0 {
            return pick;
        }
        let first = self.arena.get(at).children().end - untried;
        let bias = |i: usize| self.arena.side(first + i).bias;
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
    fn descend(&mut self, context: &mut Context<'_>) -> Leaf {
        let problem = context.problem;
        self.go_to_root();
        for child in self.pending.take().unwrap_or_default() {
            self.enter(problem, child as usize);
        }
        let mut reference = if self.uses_codes { self.learner.names[0] } else { 0 };
        loop {
            let at = self.arena.resolve(self.path[self.path.len() - 1]);
            let visits = self.arena.get(at).visits;
            if !self.arena.get(at).is_expanded() {
                // Pruning for memory may have taken the children of a node above the beam's front.
                let above = self.beam.as_ref().is_some_and(|beam| self.path.len() <= beam.pruned);
                if visits < self.own.threshold || above {
                    return Leaf::Play;
                }
                if !self.expand(problem, at, None) {
                    return Leaf::Play;
                }
            }
            if visits < self.own.select_from {
                return Leaf::Guided;
            }
            if self.own.amaf && visits > self.own.amaf_reference {
                reference = self.learner.names[self.path.len() - 1];
            }
            let node = self.arena.get(at);
            let untried = node.children().len() - node.tried as usize;
            let choice = if untried == 0 || self.may_return(at) { self.selector(reference).select(at) } else { None };
            if untried > 0 && choice.is_none_or(|(_, bound)| self.prefers_untried(at, bound)) {
                if self.own.expansion == Expansion::All && untried > 1 {
                    self.pending = Some(self.path[1..].iter().map(|&at| at as u32).collect());
                }
                let pick = self.next_untried(context, at, untried);
                let child = self.try_child(context, at, pick);
                self.enter(problem, child);
                if self.is_new(context, child) {
                    return Leaf::Play;
                }
                continue;
            }
            if let Some((child, _)) = choice {
                self.enter(problem, child);
                continue;
            }
            // Every child was closed by way of another parent.
            self.arena.close(&self.path);
            if self.arena.get(0).closed {
                return Leaf::Nothing;
            }
            self.go_to_root();
        }
    }

    /// Whether a tried child of `at` may be chosen before all have been tried.
    fn may_return(&self, at: usize) -> bool {
        self.arena.get(at).tried > 0 && (self.own.fpu != FirstPlay::Off || self.own.widening > 0.0)
    }

    /// Whether an untried child of `at` comes before the tried one with this bound.
    fn prefers_untried(&self, at: usize, bound: f64) -> bool {
        let node = self.arena.get(at);
        if self.own.widening > 0.0 {
            let play = self.own.widening * libm::pow(node.visits as f64, self.own.widening_exponent);
            if f64::from(node.tried) >= play.ceil() {
                return false;
            }
        }
        match self.own.fpu {
            FirstPlay::Off => true,
            FirstPlay::Constant => self.own.fpu_value >= bound,
            FirstPlay::Parent => self.selector(0).reward_of(at) - self.own.fpu_value >= bound,
        }
    }

    /// Whether the state just entered is not in the tree; otherwise the slot becomes another way to its node.
    fn is_new(&mut self, context: &mut Context<'_>, slot: usize) -> bool {
        if !self.own.transpositions {
            return true;
        }
        let Some(key) = context.problem.key(&self.state) else { return true };
        match self.keys.get(&key) {
            Some(&node) => {
                self.arena.alias(slot, node as usize);
                context.tally.counters.nodes -= 1;
                self.game.nodes -= 1;
                false
            }
            None => {
                self.keys.insert(key, slot as u32);
                true
            }
        }
    }

    /// Follows the playout from the leaf through the tree and adds its first new position.
    fn follow(&mut self, context: &mut Context<'_>) {
        let problem = context.problem;
        let mut state = self.leaf.clone();
        let mut at = self.path[self.path.len() - 1];
        for i in 0..self.playout.len() {
            let mv = self.playout[i];
            if !self.arena.get(at).is_expanded() && !self.expand(problem, at, Some(&state)) {
                return;
            }
            let children = self.arena.get(at).children();
            let tried = self.arena.get(at).tried as usize;
            let Some(place) = self.arena.block(at).iter().position(|child| child.mv == mv) else { return };
            let is_new = place >= tried;
            let child = if is_new { self.try_child(context, at, place - tried) } else { children.start + place };
            self.path.push(child);
            if self.uses_codes {
                self.learner.name_next(self.arena.side(child).code);
            }
            if is_new {
                return;
            }
            problem.apply(&mut state, mv);
            at = child;
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

    /// The score of a playout for all nodes of the path.
    fn back_up(&mut self, score: Score) {
        self.credit(score);
        self.game.spent += 1;
        self.game.played += 1;
    }

    /// A score for all nodes of the path.
    fn credit(&mut self, score: Score) {
        if let Score::Feasible(value) = score {
            self.range.add(value, self.sense);
            self.first.get_or_insert(value);
        }
        if self.game.best.is_none_or(|best| self.sense.better(score, best)) {
            self.game.best = Some(score);
        }
        for &slot in &self.path {
            self.arena.count_edge(slot);
            let at = self.arena.resolve(slot);
            self.arena.update(at, score, self.sense);
        }
    }

    /// Puts a solution's line into the tree, as far as there is room, and gives its score to the nodes of the line.
    fn insert(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
        let problem = context.problem;
        self.go_to_root();
        let line = &solution.moves[self.game.decided.len()..];
        for &mv in line {
            let at = self.arena.resolve(self.path[self.path.len() - 1]);
            let above = self.beam.as_ref().is_some_and(|beam| self.path.len() <= beam.pruned);
            if !self.arena.get(at).is_expanded() && (above || !self.expand(problem, at, None)) {
                break;
            }
            let Some(place) = self.arena.block(at).iter().position(|child| child.mv == mv) else { break };
            let tried = self.arena.get(at).tried as usize;
            if place < tried {
                self.enter(problem, self.arena.get(at).children().start + place);
            } else {
                let child = self.try_child(context, at, place - tried);
                self.enter(problem, child);
                self.is_new(context, child);
            }
        }
        self.credit(solution.score);
        if self.path.len() == line.len() + 1 {
            if self.uses_codes {
                self.learner.count(&self.own, solution.score, self.range.scale());
            }
            if self.own.closes() {
                self.arena.close(&self.path);
            }
        }
    }

    /// A search from the end of the path instead of a playout. False: there is nothing to search.
    fn begin_nested(&mut self, problem: &dyn Rules) -> bool {
        let Some(nested) = &mut self.nested else { return false };
        self.moves.clear();
        problem.moves(&self.state, &mut self.moves);
        if self.moves.is_empty() {
            return false;
        }
        nested.begin(&self.state, &self.prefix);
        true
    }

    /// A playout of the search below.
    fn step_nested(&mut self, context: &mut Context<'_>) {
        let Some((score, closed)) = self.nested.as_mut().and_then(|nested| nested.step(context)) else { return };
        self.back_up(score);
        if closed && self.own.closes() {
            self.arena.close(&self.path);
        }
    }

    /// Down the tree, and a playout or the first of a nested search.
    fn walk(&mut self, context: &mut Context<'_>) {
        match self.descend(context) {
            Leaf::Play if self.begin_nested(context.problem) => self.step_nested(context),
            Leaf::Play => self.play(context, false),
            Leaf::Guided => self.play(context, true),
            Leaf::Nothing => {}
        }
    }

    /// One playout from the end of the path, its score given to all who learn from it.
    fn play(&mut self, context: &mut Context<'_>, guided: bool) {
        let in_tree = self.path.len();
        if guided {
            self.leaf.clone_from(&self.state);
        }
        self.learner.play(context, &mut self.state, &mut self.playout);
        let score = if self.own.played_only {
            context.probe(&self.state)
        } else {
            context.finish(&self.state, &self.prefix, &self.playout)
        };
        self.longest = self.longest.max(self.prefix.len() + self.playout.len());
        if guided {
            self.follow(context);
        }
        self.back_up(score);
        if self.uses_codes {
            let scale = self.range.scale();
            let (arena, path) = (&self.arena, &self.path[..in_tree]);
            self.learner.learn(&self.own, context, score, scale, |trace| Self::steps(arena, path, trace));
        }
        let left = in_tree + self.playout.len() - self.path.len();
        if self.own.closes() && left == 0 {
            // Asked of the problem: a rollout may stop early.
            self.moves.clear();
            context.problem.moves(&self.state, &mut self.moves);
            if self.moves.is_empty() {
                self.arena.close(&self.path);
            }
        }
    }
}

impl Search for UctSearch {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        if self.nested.as_ref().is_some_and(|nested| nested.is_active()) {
            self.step_nested(context);
        } else {
            if let Some(status) = self.prepare(context) {
                return status;
            }
            self.walk(context);
        }
        if self.own.closes() && self.arena.get(0).closed {
            if self.game.is_whole() {
                return Status::Exhausted;
            }
            self.game.over = true;
        }
        self.narrow();
        Status::Running
    }

    fn take_up(&mut self, context: &mut Context<'_>, solution: &Solution<MoveId>) {
        if !solution.moves.starts_with(&self.game.decided) || self.arena.len() == 0 && !self.plant(context) {
            return;
        }
        // A nested search goes on below the present path.
        let path = std::mem::take(&mut self.path);
        let prefix = std::mem::take(&mut self.prefix);
        let state = self.state.clone();
        self.insert(context, solution);
        (self.path, self.prefix, self.state) = (path, prefix, state);
    }

    fn save(&self) -> Vec<u8> {
        let mut keys: Vec<(u64, u32)> = self.keys.iter().map(|(&key, &node)| (key, node)).collect();
        keys.sort_unstable();
        let tree = (&self.arena, (self.range, self.first, self.longest), &self.pending, self.full, keys);
        let nested = self.nested.as_ref().map(|nested| nested.save(&self.path));
        encode(&(tree, (&self.game, &self.variants), &self.beam, self.learner.save(), nested))
    }

    fn load(&mut self, problem: &dyn Rules, bytes: &[u8]) -> Result<(), CheckpointError> {
        type Met = (Range, Option<f64>, usize);
        type Tree = (Arena, Met, Option<Vec<u32>>, bool, Vec<(u64, u32)>);
        type Whole = (Tree, (Game, Variants), Option<Beam>, Saved, Option<nested::Saved>);
        let (tree, (game, variants), beam, learned, nested) = decode::<Whole>(bytes)?;
        let (arena, (range, first, longest), pending, full, keys) = tree;
        self.arena = arena;
        self.arena.resume(self.memory)?;
        if self.arena.len() > 0 && self.arena.has_sides() != self.own.uses_sides()
            || beam.is_some() != self.beam.is_some()
            || nested.is_some() != self.nested.is_some()
        {
            return Err(CheckpointError::Corrupt("another kind of tree"));
        }
        let mut at = 0;
        let child_of_last = |&next: &u32| {
            let slot = std::mem::replace(&mut at, next as usize);
            self.arena.get(self.arena.resolve(slot)).children().contains(&(next as usize))
        };
        if !pending.iter().flatten().all(child_of_last) {
            return Err(CheckpointError::Corrupt("a path in the tree"));
        }
        if keys.iter().any(|&(_, node)| node as usize >= self.arena.len()) {
            return Err(CheckpointError::Corrupt("a key of the tree"));
        }
        self.root = replay(problem, &game.decided)?;
        if let (Some(own), Some(saved)) = (&mut self.nested, nested) {
            let path = own.load(problem, saved)?;
            if path.iter().flatten().any(|&slot| slot >= self.arena.len()) {
                return Err(CheckpointError::Corrupt("a path in the tree"));
            }
            self.path = path.unwrap_or_default();
        }
        self.learner.load(learned)?;
        self.keys = keys.into_iter().collect();
        (self.range, self.pending, self.full, self.game, self.beam) = (range, pending, full, game, beam);
        (self.variants, self.first, self.longest) = (variants, first, longest);
        Ok(())
    }
}
