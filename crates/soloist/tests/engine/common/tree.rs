//! Tree search as plainly as it can be written: a map from paths to nodes, every statistic recomputed from lists of
//! scores.

use super::playout;
use soloist::search::parameters::{
    Bandit, Cooling, Expansion, FewVisits, FirstPlay, NodeValue, Normalization, Prune, Rank, Uct,
};
use soloist::{Problem, Rng, Score, Sense};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

mod formula;

/// A node, found by the moves that lead to it.
#[derive(Clone, Default)]
struct Node<M> {
    /// Children; the first `tried` have been visited.
    children: Vec<M>,
    tried: usize,
    /// The scores of all playouts through here.
    scores: Vec<Score>,
}

impl<M> Node<M> {
    fn new() -> Self {
        Self { children: Vec::new(), tried: 0, scores: Vec::new() }
    }
    fn feasible(&self) -> Vec<f64> {
        self.scores.iter().filter_map(|score| score.value()).collect()
    }
    fn violations(&self) -> Vec<f64> {
        self.scores.iter().filter_map(|score| score.violation()).collect()
    }
}

struct Beam {
    width: u64,
    limit: u64,
    counters: Vec<u64>,
    pruned: usize,
    since: u64,
}

/// A playout: its moves, how many of them were made in the tree, and their codes.
struct Played<M> {
    moves: Vec<M>,
    in_tree: usize,
    codes: Vec<u64>,
    score: Score,
}

struct Tree<'p, P: Problem> {
    problem: &'p P,
    uct: Uct,
    nodes: HashMap<Vec<P::Move>, Node<P::Move>>,
    /// The node whose children are all to be tried before anything else.
    pending: Option<Vec<P::Move>>,
    /// Nodes whose bounds were no better than the incumbent.
    removed: HashSet<Vec<P::Move>>,
    /// The incumbent by which the whole tree was pruned last.
    pruned_by: Option<f64>,
    /// Every playout of the search.
    log: Vec<Played<P::Move>>,
    /// What was scored, in order: playouts and, if only they count, games played.
    scored: Vec<Vec<P::Move>>,
    /// Where the present game begins in it.
    game: usize,
    /// Moves played for good.
    root: Vec<P::Move>,
    spent: u64,
    per_move: u64,
    created: u64,
    partial: bool,
    over: bool,
    beam: Beam,
    /// Games played to their end, for `played_only`.
    played: Vec<Vec<P::Move>>,
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// A score scaled by low end and factor.
fn reward(score: f64, (low, factor): (Option<f64>, f64)) -> f64 {
    low.map_or(factor / score, |low| (score - low) * factor)
}

/// `path` and one more move.
fn join<M: Copy>(path: &[M], mv: M) -> Vec<M> {
    [path, &[mv]].concat()
}

impl<P: Problem> Tree<'_, P> {
    fn uses_closing(&self) -> bool {
        self.uct.growth.solver && !self.uct.pacing.played_only
    }

    /// Whether nodes are removed by bounds.
    fn prunes(&self) -> bool {
        match self.uct.pruning.prune {
            Prune::On => true,
            Prune::Off => false,
            Prune::Auto => {
                self.uct.selection.value == NodeValue::Best && self.problem.bound(&self.problem.root()).is_some()
            }
        }
    }

    /// The best score of the part of a subtree that is left: of playouts that began at nodes not removed.
    fn best_left(&self, path: &[P::Move]) -> Option<f64> {
        let own = self.log.iter().filter(|played| played.moves[..played.in_tree] == *path);
        let own = own.filter_map(|played| played.score.value());
        let node = &self.nodes[path];
        let open = node.children[..node.tried].iter().map(|&mv| join(path, mv)).filter(|child| !self.closed(child));
        let all: Vec<f64> = own.chain(open.filter_map(|child| self.best_left(&child))).collect();
        if all.is_empty() { None } else { Some(self.ends(&all).1) }
    }

    fn incumbent(&self) -> Option<f64> {
        let all: Vec<f64> = self.log.iter().filter_map(|played| played.score.value()).collect();
        if all.is_empty() { None } else { Some(self.ends(&all).1) }
    }

    /// Whether a node's bound is no better than the incumbent.
    fn hopeless(&self, path: &[P::Move]) -> bool {
        let bound = self.problem.bound(&self.state(path));
        bound.zip(self.incumbent()).is_some_and(|(bound, value)| !self.problem.sense().better_value(bound, value))
    }

    /// Whether every solution that begins with `path` has been seen or excluded.
    fn closed(&self, path: &[P::Move]) -> bool {
        if self.removed.contains(path) {
            return true;
        }
        let Some(node) = self.nodes.get(path).filter(|node| !node.scores.is_empty()) else { return false };
        let below = |&mv: &P::Move| self.closed(&join(path, mv));
        self.moves(path).is_empty()
            || !node.children.is_empty() && node.tried == node.children.len() && node.children.iter().all(below)
    }

    /// Which of two nodes ranks first.
    fn compare(&self, a: &[P::Move], b: &[P::Move], rank: Rank) -> Ordering {
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        let score = |node: &Node<P::Move>, value: &dyn Fn(&[f64]) -> f64| {
            let good = node.feasible();
            if good.is_empty() { Score::Infeasible(least(&node.violations())) } else { Score::Feasible(value(&good)) }
        };
        let by = |value: &dyn Fn(&[f64]) -> f64| {
            let (a, b) = (score(a, value), score(b, value));
            let sense = self.problem.sense();
            sense.better(b, a).cmp(&sense.better(a, b))
        };
        let best = || by(&|good| self.ends(good).1);
        let visits = || b.scores.len().cmp(&a.scores.len());
        match rank {
            Rank::Best => best().then_with(visits),
            Rank::Mean => by(&mean).then_with(visits),
            Rank::Visits => visits().then_with(best),
        }
    }

    /// Moves played and games begun before the next playout. False: the search is over.
    fn prepare(&mut self) -> bool {
        loop {
            if self.nodes.is_empty() {
                self.nodes.insert(self.root.clone(), Node::new());
                self.created += 1;
            }
            let played = (self.log.len() - self.game) as u64;
            if self.uct.pacing.restart_nodes > 0 && self.created >= self.uct.pacing.restart_nodes
                || self.uct.pacing.tree_playouts > 0 && played >= self.uct.pacing.tree_playouts
                || self.uses_closing() && self.closed(&self.root)
            {
                self.over = true;
            }
            if self.over {
                if !self.uct.pacing.restarts {
                    return false;
                }
                self.per_move = (self.per_move as f64 * self.uct.pacing.move_growth) as u64;
                let wider = |count: u64| (count as f64 * self.uct.narrowing.widen).ceil() as u64;
                let (width, limit) = (wider(self.beam.width), wider(self.beam.limit));
                self.beam = Beam { width, limit, counters: Vec::new(), pruned: 0, since: 0 };
                self.nodes.clear();
                self.removed.clear();
                self.pruned_by = None;
                self.root.clear();
                self.game = self.log.len();
                (self.spent, self.created, self.partial, self.over) = (0, 0, false, false);
                self.pending = None;
                continue;
            }
            let root = &self.nodes[&self.root];
            let forced = root.children.len() == 1;
            if self.uct.pacing.move_playouts == 0 || root.tried == 0 || !(forced || self.spent >= self.per_move) {
                return true;
            }
            let mut best = root.children[0];
            for &child in &root.children[1..root.tried] {
                let (a, b) = (join(&self.root, child), join(&self.root, best));
                if self.compare(&a, &b, self.uct.pacing.final_move) == Ordering::Less {
                    best = child;
                }
            }
            self.root.push(best);
            self.spent = 0;
            self.pending = None;
            if self.moves(&self.root).is_empty() {
                self.over = true;
                self.played.push(self.root.clone());
                if self.uct.pacing.played_only {
                    self.scored.push(self.root.clone());
                }
            } else if self.uct.pacing.keep_tree {
                let root = self.root.clone();
                self.nodes.retain(|path, _| path.starts_with(&root));
            } else {
                self.nodes.clear();
            }
        }
    }

    /// Whether an untried child of `path` comes next, and otherwise which tried one. `None`: no child is left.
    fn choose(&self, path: &[P::Move]) -> Option<P::Move> {
        let node = &self.nodes[path];
        let untried = node.children.len() - node.tried;
        let open = |&&child: &&P::Move| !self.uses_closing() || !self.closed(&join(path, child));
        let choose = || {
            let mut best: Option<(f64, P::Move)> = None;
            for &child in node.children[..node.tried].iter().filter(open) {
                let bound = self.bound(path, child);
                if best.is_none_or(|(least, _)| bound > least) {
                    best = Some((bound, child));
                }
            }
            best
        };
        if untried == 0 {
            return choose().map(|(_, child)| child);
        }
        let theta = self.uct.growth.theta as usize;
        if theta > 0
            && node.tried > 0
            && node.scores.len().is_multiple_of(theta)
            && let Some((_, child)) = choose()
        {
            return Some(child);
        }
        if node.tried == 0 || self.uct.growth.fpu == FirstPlay::Off {
            return None;
        }
        let (bound, child) = choose()?;
        let urgency = match self.uct.growth.fpu {
            FirstPlay::Off => f64::INFINITY,
            FirstPlay::Constant => self.uct.growth.fpu_value,
            FirstPlay::Node if path.len() == self.root.len() => f64::INFINITY,
            FirstPlay::Node => {
                let good = node.feasible();
                let value = if good.is_empty() { 0.0 } else { self.value(path, &good, self.scale(path)) };
                let above = self.nodes[&path[..path.len() - 1]].scores.len() as f64;
                let own = value + self.constant(path.len()) * (libm::log(above) / node.scores.len() as f64).sqrt();
                let depth = (path.len() - self.root.len()) as f64;
                return (own + 1.0 / (1.0 + depth) < bound + 1.0 / (2.0 + depth)).then_some(child);
            }
        };
        (bound > urgency).then_some(child)
    }

    /// Makes the untried child number `pick` of `path` a node.
    fn create(&mut self, path: &[P::Move], pick: usize) -> P::Move {
        self.created += 1;
        let node = self.nodes.get_mut(path).unwrap();
        node.children.swap(node.tried, pick);
        node.tried += 1;
        let mv = node.children[node.tried - 1];
        self.nodes.insert(join(path, mv), Node::new());
        mv
    }

    /// Makes the child number `pick` of `path` a node and goes there. Whether it was removed at once.
    fn enter_new(&mut self, path: &mut Vec<P::Move>, pick: usize) -> bool {
        let mv = self.create(path, pick);
        path.push(mv);
        let is_removed = self.prunes() && self.hopeless(path);
        if is_removed {
            self.removed.insert(path.clone());
            self.prune();
        }
        is_removed
    }

    fn step(&mut self, rng: &mut Rng) {
        let mut path = self.pending.take().unwrap_or_else(|| self.root.clone());
        let mut guided = false;
        loop {
            let visits = self.nodes[&path].scores.len() as u64;
            if self.nodes[&path].children.is_empty() {
                if visits < self.uct.growth.threshold {
                    break;
                }
                let moves = self.moves(&path);
                if moves.is_empty() {
                    break;
                }
                self.nodes.get_mut(&path).unwrap().children = moves;
            }
            if visits < self.uct.growth.select_from && self.uct.growth.few_visits == FewVisits::Rollout {
                guided = true;
                break;
            }
            if visits < self.uct.growth.select_from {
                let node = &self.nodes[&path];
                let is_open = |mv: &&P::Move| !self.uses_closing() || !self.closed(&join(&path, **mv));
                let open: Vec<P::Move> = node.children[..node.tried].iter().filter(is_open).copied().collect();
                let pick = rng.index(open.len() + node.children.len() - node.tried);
                if let Some(&mv) = open.get(pick) {
                    path.push(mv);
                    continue;
                }
                let pick = node.tried + pick - open.len();
                if self.enter_new(&mut path, pick) {
                    return;
                }
                break;
            }
            if let Some(child) = self.choose(&path) {
                path.push(child);
                continue;
            }
            let node = &self.nodes[&path];
            let untried = node.children.len() - node.tried;
            let lazy = self.uct.growth.expansion == Expansion::Lazy;
            let mut pick = if lazy { 0 } else { rng.index(untried) };
            if self.uct.selection.bias_weight > 0.0 && !lazy {
                let state = self.state(&path);
                let bias = |i: usize| crate::common::bias(self.problem, &state, node.children[node.tried + i]);
                pick = (0..untried)
                    .map(|i| (pick + i) % untried)
                    .rev()
                    .max_by(|&a, &b| bias(a).total_cmp(&bias(b)))
                    .unwrap();
            }
            if self.uct.growth.expansion == Expansion::All && untried > 1 {
                self.pending = Some(path.clone());
            }
            let pick = node.tried + pick;
            if self.enter_new(&mut path, pick) {
                return;
            }
            break;
        }
        let mut depth = path.len();
        let mut state = self.state(&path);
        let moves = playout(self.problem, &mut state, rng);
        path.extend(moves);
        let score = self.problem.score(&state);
        while guided && depth < path.len() {
            let at = path[..depth].to_vec();
            if self.nodes[&at].children.is_empty() {
                let moves = self.moves(&at);
                self.nodes.get_mut(&at).unwrap().children = moves;
            }
            let node = &self.nodes[&at];
            // Not one of the beam's children.
            let Some(place) = node.children.iter().position(|&child| child == path[depth]) else { break };
            depth += 1;
            if place >= node.tried {
                self.create(&at, place);
                break;
            }
        }
        for length in self.root.len()..=depth {
            self.nodes.get_mut(&path[..length]).unwrap().scores.push(score);
        }
        let codes = self.codes(&path);
        self.log.push(Played { moves: path.clone(), in_tree: depth, codes, score });
        self.scored.push(path.clone());
        self.spent += 1;
        if guided && self.prunes() && self.hopeless(&path[..depth]) {
            self.removed.insert(path[..depth].to_vec());
        }
        self.prune();
        let whole = self.root.is_empty() && !self.partial;
        if !(whole && self.uses_closing() && self.closed(&[])) {
            self.narrow(depth - self.root.len() + 1);
        }
    }

    /// Removes what cannot improve a new incumbent.
    fn prune(&mut self) {
        if !self.prunes() || self.pending.is_some() || self.incumbent() == self.pruned_by {
            return;
        }
        self.pruned_by = self.incumbent();
        let all: Vec<_> = self.nodes.keys().filter(|path| self.hopeless(path)).cloned().collect();
        self.removed.extend(all);
    }

    /// Counts a playout whose path has `nodes` nodes, and prunes the depth whose counter is full.
    fn narrow(&mut self, nodes: usize) {
        if self.uct.narrowing.beam_width == 0 {
            return;
        }
        if self.uses_closing() && self.closed(&[]) {
            self.over = true;
        }
        self.beam.since += 1;
        self.beam.counters.resize(self.beam.counters.len().max(nodes), 0);
        self.beam.counters[..nodes].iter_mut().for_each(|counter| *counter += 1);
        if let Some(depth) = (self.beam.pruned + 1..nodes).find(|&depth| self.beam.counters[depth] >= self.beam.limit) {
            let mut layer = vec![Vec::new()];
            for _ in 0..depth {
                let children = |path: &Vec<P::Move>| {
                    let node = &self.nodes[path];
                    node.children[..node.tried].iter().map(|&mv| join(path, mv)).collect::<Vec<_>>()
                };
                layer = layer.iter().flat_map(children).collect();
            }
            layer.retain(|path| !self.uses_closing() || !self.closed(path));
            layer.sort_by(|a, b| self.compare(a, b, self.uct.narrowing.beam_rank));
            layer.truncate(self.beam.width as usize);
            self.nodes.retain(|path, _| layer.iter().any(|kept| kept.starts_with(path)));
            let kept: Vec<Vec<P::Move>> = self.nodes.keys().cloned().collect();
            for (path, node) in &mut self.nodes {
                node.children.retain(|&mv| path.len() < depth && kept.contains(&join(path, mv)));
                node.tried = node.children.len();
            }
            self.beam.counters.truncate(depth + 1);
            (self.beam.pruned, self.beam.since) = (depth, 0);
            self.pending = None;
            self.partial = true;
            self.over |= layer.is_empty();
        }
        self.over |= self.beam.pruned > 0 && self.beam.since >= 2 * self.beam.limit;
    }
}

/// Games by their moves.
type Games<M> = Vec<Vec<M>>;

/// What a naive search scored (the playouts), and the games that it played.
pub(crate) fn uct_search<P: Problem>(
    problem: &P,
    uct: &Uct,
    rng: &mut Rng,
    count: usize,
) -> (Games<P::Move>, Games<P::Move>) {
    let mut tree = Tree {
        problem,
        uct: uct.clone(),
        nodes: HashMap::new(),
        pending: None,
        removed: HashSet::new(),
        pruned_by: None,
        log: Vec::new(),
        scored: Vec::new(),
        game: 0,
        root: Vec::new(),
        spent: 0,
        per_move: uct.pacing.move_playouts,
        created: 0,
        partial: false,
        over: false,
        beam: Beam {
            width: uct.narrowing.beam_width,
            limit: uct.narrowing.beam_limit,
            counters: Vec::new(),
            pruned: 0,
            since: 0,
        },
        played: Vec::new(),
    };
    while tree.log.len() < count && tree.prepare() {
        tree.step(rng);
        let whole = tree.root.is_empty() && !tree.partial;
        if whole && tree.uses_closing() && tree.closed(&[]) {
            break;
        }
    }
    (tree.scored, tree.played)
}

/// The playouts alone.
pub(crate) fn uct_playouts<P: Problem>(problem: &P, uct: &Uct, rng: &mut Rng, count: usize) -> Vec<Vec<P::Move>> {
    uct_search(problem, uct, rng, count).0
}
