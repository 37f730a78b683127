//! Tree search with upper confidence bounds (UCT).

use super::arena::{Arena, Node};
use super::{Context, Search, Status};
use crate::checkpoint::{decode, encode};
use crate::parameter::{choice, parameters};
use crate::{CheckpointError, Playout, Problem, Score, Sense};

choice! {
    /// What a node is worth.
    pub enum NodeValue {
        /// The mean score of the playouts through it.
        Mean = "mean",
        /// The best score of the playouts through it (Rei's thesis).
        Best = "best",
    }
}

choice! {
    /// How many children a leaf gets at a time.
    pub enum Expansion {
        /// One a playout, drawn at random among the untried ones; a node with untried children is never descended through.
        One = "one",
        /// All: once a leaf is expanded, each child gets its playout before the tree is descended again.
        All = "all",
    }
}

choice! {
    /// How values become comparable with the exploration term.
    pub enum Normalisation {
        /// To [0, 1] between the worst and best score that the search has met.
        Global = "global",
        /// To [0, 1] between the worst and best score met below the parent (equations 3.1 to 3.3 of Rei's thesis).
        Parent = "parent",
        /// Scores as they are: `c` is in the problem's units.
        None = "none",
    }
}

parameters! {
    /// Upper confidence bounds applied to trees (UCT), for one player.
    ///
    /// From the root, the child with the largest `X + c * sqrt(ln n_parent / n_child)` is followed down to a leaf; a playout
    /// completes the solution, its score updates the path. `X` is the mean or best score below the child, normalised; larger is better whatever
    /// the problem's sense. The incumbent is the best playout, wherever it was made. With infeasible playouts the value of a child is
    /// (f feasible and i infeasible playouts through the parent): `(i + f X) / (i + f)` when it has a feasible one, otherwise
    /// `i Y / (i + f + 1)` with `Y` the normalised least violation: any child with a feasible solution is preferred to one without.
    /// (Equation 3.3 of the thesis, whose print exchanges the two counts in the first line.)
    ///
    /// With `solver`, a finished solution closes its node, and a node whose children are all closed is closed as well: no playout repeats what is
    /// known, and when the root closes, the incumbent is optimal. (Winands, Bjornsson and Saito's MCTS-Solver, for one player. Without it, a small `c`
    /// replays one finished line for ever.)
    ///
    /// When to use it: early decisions matter and playouts say something about them. Cost per step: one playout, and one pass over the
    /// children of each node on the path. Memory: about 64 bytes a child of an expanded node, never more than the budget: when it is full, nodes visited fewer than
    /// `k` times lose their children, `k` being the smallest power of two that frees half of the room, and the search goes on. (Nodes get three quarters of
    /// the budget, the rest is for pruning.)
    ///
    /// ```
    /// # use soloist::{Budget, Method, Solver, doc::Staircase};
    /// let outcome = Solver::new(&Staircase(8), Method::preset("uct").unwrap())
    ///     .budget(Budget::playouts(3_000)).seed(1).run().unwrap();
    /// assert_eq!(outcome.best.unwrap().score.value(), Some(8.0));
    /// ```
    ///
    /// # References
    /// L. Kocsis and C. Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006. P. Auer, N. Cesa-Bianchi and P. Fischer, "Finite-time
    /// analysis of the multiarmed bandit problem", Machine Learning 47, 2002 (UCB1, whose constant is sqrt 2). M. Winands, Y. Bjornsson and J.-T. Saito,
    /// "Monte-Carlo tree search solver", Computers and Games 2008. L. Rei, "Monte Carlo tree search for
    /// combinatorial optimization", thesis, University of Porto, 2018.
    pub struct Uct {
        /// weight of the exploration term; UCB1 has 1.414, puzzles mostly want 0.001 to 0.3
        c: f64 = 0.1, 0.0..=1e12;
        /// what a node is worth
        value: NodeValue = NodeValue::Mean, ();
        /// how scores are scaled before `c` applies
        normalisation: Normalisation = Normalisation::Global, ();
        /// how many children a leaf gets at a time
        expansion: Expansion = Expansion::One, ();
        /// visits of a leaf before it gets children
        threshold: u64 = 1, 0..=1_000_000_000;
        /// never follow a branch again once every solution in it was seen; an exhausted tree proves optimality
        solver: bool = true, ();
    }
}

impl Uct {
    /// The setting of Rei's thesis: best value, normalised among siblings, all children, constant sqrt 2.
    #[must_use]
    pub fn best() -> Self {
        Self {
            c: std::f64::consts::SQRT_2,
            value: NodeValue::Best,
            normalisation: Normalisation::Parent,
            expansion: Expansion::All,
            ..Self::default()
        }
    }
}

pub(crate) struct Run<P: Problem> {
    own: Uct,
    sense: Sense,
    memory: u64,
    arena: Arena<P::Move>,
    /// Worst and best feasible score met.
    range: Option<(f64, f64)>,
    /// Expansion `all`: the moves to the node whose children are having their first playouts.
    pending: Option<Vec<u32>>,
    full: bool,
    root: P::State,
    state: P::State,
    path: Vec<usize>,
    moves: Vec<P::Move>,
    prefix: Vec<P::Move>,
    playout: Playout<P::Move>,
}

impl<P: Problem> Run<P> {
    pub(crate) fn new(own: Uct, problem: &P, memory: u64) -> Self {
        let root = problem.root();
        Self {
            own,
            sense: problem.sense(),
            memory,
            arena: Arena::new(memory),
            range: None,
            pending: None,
            full: false,
            state: root.clone(),
            root,
            path: Vec::new(),
            moves: Vec::new(),
            prefix: Vec::new(),
            playout: Playout::default(),
        }
    }

    /// The child to follow: all children of `at` have been tried, not all are closed.
    fn select(&self, at: usize) -> usize {
        let parent = self.arena.get(at);
        let log = libm::log(parent.visits as f64);
        let infeasible = self.arena.violations(at);
        let plain = infeasible.count == 0;
        let (low, high) = match self.own.normalisation {
            Normalisation::Global => self.range.unwrap_or((0.0, 0.0)),
            Normalisation::Parent => (parent.worst, parent.best),
            Normalisation::None => match self.sense {
                Sense::Maximize => (0.0, 1.0),
                Sense::Minimize => (0.0, -1.0),
            },
        };
        // Dividing by the signed range turns "better" into "larger" for both senses.
        let scale = if high == low { 0.0 } else { 1.0 / (high - low) };
        let first = parent.children().start;
        let mut choice = (f64::NEG_INFINITY, first);
        for (i, child) in self.arena.block(at).iter().enumerate() {
            if child.closed {
                continue;
            }
            let value = if plain {
                (self.worth(child, 0) - low) * scale
            } else {
                self.value_with_violations(parent, child, first + i, at, low, scale)
            };
            let bound = value + self.own.c * (log / child.visits as f64).sqrt();
            if bound > choice.0 {
                choice = (bound, first + i);
            }
        }
        choice.1
    }

    #[inline]
    fn worth(&self, node: &Node<P::Move>, infeasible: u64) -> f64 {
        match self.own.value {
            NodeValue::Mean => node.sum / (node.visits - infeasible) as f64,
            NodeValue::Best => node.best,
        }
    }

    fn value_with_violations(
        &self,
        parent: &Node<P::Move>,
        child: &Node<P::Move>,
        child_at: usize,
        parent_at: usize,
        low: f64,
        scale: f64,
    ) -> f64 {
        let all = self.arena.violations(parent_at);
        let own = self.arena.violations(child_at);
        let (bad, good) = (all.count as f64, (parent.visits - all.count) as f64);
        if child.visits > own.count {
            (bad + good * (self.worth(child, own.count) - low) * scale) / (bad + good)
        } else {
            let span = all.most - all.least;
            let normal = if span == 0.0 { 0.0 } else { (all.most - own.least) / span };
            bad * normal / (bad + good + 1.0)
        }
    }

    /// Plays the move into child `child` and puts it on the path.
    fn enter(&mut self, problem: &P, child: usize) {
        let mv = self.arena.get(child).mv;
        problem.apply(&mut self.state, mv);
        self.prefix.push(mv);
        self.path.push(child);
    }

    /// Walks from the root to the node where the playout starts, adding at most one node to the tree.
    fn descend(&mut self, context: &mut Context<'_, P>) {
        let problem = context.problem;
        self.state.clone_from(&self.root);
        self.path.clear();
        self.path.push(0);
        self.prefix.clear();
        for child in self.pending.take().unwrap_or_default() {
            self.enter(problem, child as usize);
        }
        loop {
            let at = self.path[self.path.len() - 1];
            if !self.arena.get(at).is_expanded() {
                if self.arena.get(at).visits < self.own.threshold {
                    return;
                }
                self.moves.clear();
                problem.moves(&self.state, &mut self.moves);
                if self.moves.is_empty() {
                    return;
                }
                if !self.arena.expand(at, &self.moves) {
                    self.full = true;
                    return;
                }
            }
            let node = self.arena.get(at);
            let untried = node.children().len() - node.tried as usize;
            if untried > 0 {
                if self.own.expansion == Expansion::All && untried > 1 {
                    self.pending = Some(self.path[1..].iter().map(|&at| at as u32).collect());
                }
                let child = self.arena.try_child(at, context.rng.index(untried));
                context.tally.counters.nodes += 1;
                self.enter(problem, child);
                return;
            }
            let child = self.select(at);
            self.enter(problem, child);
        }
    }
}

impl<P: Problem> Search<P> for Run<P> {
    fn step(&mut self, context: &mut Context<'_, P>) -> Status {
        if self.arena.len() == 0 {
            self.moves.clear();
            context.problem.moves(&self.root, &mut self.moves);
            let Some(&any) = self.moves.first() else {
                // The root is the only solution.
                context.finish(&self.root, &[], &[]);
                return Status::Exhausted;
            };
            self.arena.plant(any);
            context.tally.counters.nodes += 1;
        }
        if std::mem::take(&mut self.full) {
            self.arena.prune();
            self.pending = None;
        }
        self.descend(context);
        self.playout.moves.clear();
        context.rollout.run(context.problem, &mut self.state, &mut self.playout, context.rng);
        let score = context.finish(&self.state, &self.prefix, &self.playout.moves);
        if let Score::Feasible(value) = score {
            self.range = Some(self.range.map_or((value, value), |(worst, best)| {
                (self.sense.worst_value(worst, value), self.sense.best_value(best, value))
            }));
        }
        for &at in &self.path {
            self.arena.update(at, score, self.sense);
        }
        if self.own.solver && self.playout.moves.is_empty() {
            // Asked of the problem: a rollout may stop early.
            self.moves.clear();
            context.problem.moves(&self.state, &mut self.moves);
            if self.moves.is_empty() {
                self.arena.close(&self.path);
                if self.arena.get(0).closed {
                    return Status::Exhausted;
                }
            }
        }
        Status::Running
    }

    fn save(&self) -> Vec<u8> {
        encode(&(&self.arena, self.range, &self.pending, self.full))
    }

    fn load(&mut self, _: &P, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (arena, range, pending, full) = decode::<(Arena<P::Move>, _, Option<Vec<u32>>, _)>(bytes)?;
        self.arena = arena;
        self.arena.resume(self.memory)?;
        let mut at = 0;
        let child_of_last = |&next: &u32| {
            self.arena.get(std::mem::replace(&mut at, next as usize)).children().contains(&(next as usize))
        };
        if !pending.iter().flatten().all(child_of_last) {
            return Err(CheckpointError::Corrupt("a path in the tree"));
        }
        (self.range, self.pending, self.full) = (range, pending, full);
        Ok(())
    }
}
