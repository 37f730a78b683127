//! Tree search with upper confidence bounds (UCT) and everything that the literature makes of it for one player.
//!
//! The parameters and their presets are here; `run` walks the tree, `select` holds the formulas, `arena` the nodes,
//! `beam` the counters by depth, `graph` nodes with several parents, `means` and `learn` what is learned under codes,
//! `game` what happens between playouts.

mod arena;
mod beam;
mod game;
mod graph;
mod learn;
mod means;
mod nested;
mod run;
mod select;

use crate::ParameterError;
use crate::problem::rules::Rules;
use crate::search::Search;
use crate::search::method::Family;
use crate::search::parameter::{choice, parameters};

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
        /// One a playout, drawn at random among the untried ones.
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
        /// The ratio of a mean to the reference score, or of the reference to the mean where a larger score is worse:
        /// 1 for the reference, larger for better (equation 3 of the SA-UCT paper).
        Ratio = "ratio",
        /// Scores as they are: `c` and `d` are in the problem's units.
        None = "none",
    }
}

choice! {
    /// The exploration term.
    pub enum Bandit {
        /// `c sqrt(ln n / n_i)`.
        Ucb1 = "ucb1",
        /// `c sqrt(2 ln n / n_i min(1/4, V))`, `V` being the variance of the child's rewards plus `sqrt(2 ln n / n_i)`.
        Ucb1Tuned = "ucb1-tuned",
    }
}

choice! {
    /// How `c` falls over the playouts of a tree.
    pub enum Cooling {
        /// It does not.
        None = "none",
        /// To 0 by the same amount a playout: `c (N - i) / N`.
        Linear = "linear",
        /// To `cooling_end` of its value by the same factor a playout: `c cooling_end^(i / N)`.
        Exponential = "exponential",
        /// Linearly, and linearly with the depth of the node as well: `c (N - i) / N (L - depth) / L`, `L` being the
        /// length of the longest solution met.
        Depth = "depth",
    }
}

choice! {
    /// How nodes are ranked where some have to go and where a move is played.
    pub enum Rank {
        /// By the best score below.
        Best = "best",
        /// By the mean score.
        Mean = "mean",
        /// By the number of playouts.
        Visits = "visits",
    }
}

choice! {
    /// What a child without a playout counts.
    pub enum FirstPlay {
        /// More than any other: every child is tried before one is tried again.
        Off = "off",
        /// The reward `fpu_value`.
        Constant = "constant",
        /// The parent's value less `fpu_value`.
        Parent = "parent",
    }
}

choice! {
    /// Who plays the playouts.
    pub enum Playouts {
        /// The rollout policy.
        Rollout = "rollout",
        /// A softmax over the mean reward that each move's code has had in the search, among the rollout's candidates.
        History = "history",
        /// A softmax policy that is adapted towards the best playout of the present tree, among the rollout's
        /// candidates.
        Adapted = "adapted",
    }
}

parameters! {
    /// Upper confidence bounds applied to trees (UCT), for one player.
    ///
    /// From the root, the child with the largest upper bound is followed down to a leaf; a playout completes the
    /// solution, its score updates the path. The incumbent is the best playout, wherever it was made. Everything below
    /// is a term or a rule of this one search, and the published searches are [presets](crate::Method::presets).
    ///
    /// # Selection
    /// The bound of child `i` of a node with `n` playouts, `n_i` of them through the child, is the sum of
    ///
    /// - the value `X + w top`: mean or best score, plus `w` times the best score, all normalised, larger being better
    ///   whatever the problem's sense (`value`, `w`, `normalisation`). `value = (1 - x) mean + x best` is the same up
    ///   to scale, with `w = x / (1 - x)`.
    /// - the exploration term of `bandit`: UCB1 `c sqrt(ln n / n_i)`, or UCB1-Tuned `c sqrt(2 ln n / n_i min(1/4, V))`
    ///   with `V = (mean of squares - square of mean) + sqrt(2 ln n / n_i)`. Baier and Winands print the 2 under the
    ///   root, which Auer et al. do not have: `c = 1` here is `sqrt 2` times theirs. The rewards in it are normalised
    ///   as in `X`; use `global` or `parent`.
    /// - with `deviation`: `sqrt((sum of squares - n_i mean^2 + d) / n_i)` (SP-MCTS; on raw scores there,
    ///   `normalisation = none`; rounding below zero counts as zero). The original program differs from the paper:
    ///   `log10` for `ln`, the absolute value under the root, no `w`. This is the paper's form.
    /// - progressive bias: `bias_weight h / (n_i + 1)`, `h` being the problem's bias of the move.
    /// - progressive history: `history H / (n_i (1 - X) + 1)`, `H` being the mean reward, over the whole search, of the
    ///   playouts with the move's code.
    ///
    /// With `amaf`, `X` is replaced by `(1 - b) X + b A`, where `A` is the mean reward of the `p` playouts through a
    /// reference node in which the move's code was played at any later time, and `b = p / (p + n_i + amaf_bias p n_i)`.
    /// The reference is the closest ancestor with more than `amaf_reference` playouts (GRAVE); with 0 it is the parent
    /// itself (RAVE).
    ///
    /// With infeasible playouts the value of a child is (f feasible and i infeasible playouts through the parent): `(i
    /// + f X) / (i + f)` when it has a feasible one, otherwise `i Y / (i + f + 1)` with `Y` the normalised least
    /// violation: any child with a feasible solution is preferred to one without. (Equation 3.3 of Rei's thesis, whose
    /// print exchanges the two counts in the first line.)
    ///
    /// # Cooling
    /// With `tree_playouts` = N a new tree is begun after every N playouts. With `cooling` the constant in playout i = 0
    /// to N - 1 of a tree is not `c` but falls from it to (nearly) 0, so that the search goes over from exploring to
    /// exploiting, and the tree gets to the bottom of the game. That is SA-UCT; its paper's `2 Cp sqrt(2 ln n / n_i)`
    /// is `c sqrt(ln n / n_i)` with `c = 2 sqrt(2) Cp`, and its `x` is the reward of `normalisation = ratio`: the
    /// operations of the input over the mean of the playouts' through the child. The reference score is `reference`,
    /// or else the [problem's](crate::Problem::reference), or else that of the first feasible playout; scores must not
    /// change their sign.
    ///
    /// # Growth
    /// A leaf gets children after `threshold` playouts, one or all of them at a time (`expansion`). With `select_from`
    /// = T a node with fewer than T playouts does not choose by the formula: the playout policy moves, and the first
    /// position of its playout that is not in the tree is added to it (Schadd et al., after Coulom). `fpu` lets tried
    /// children be tried again before all have been tried; `widening` = k limits the children in play to `ceil(k
    /// n^widening_exponent)`. (The two readings of T differ: with the other one, `threshold` = T, nothing is added
    /// below T visits. The node counts that Schadd et al. report, one for about twelve simulations at T = 10, fit
    /// `threshold`, which their presets use.) Both apply to `expansion = one`; the child with the largest bias comes
    /// first if `bias_weight` is set, otherwise a random one.
    ///
    /// With `transpositions`, states with the same [`key`](crate::Problem::key) share a node. Its value is the mean of
    /// all playouts through it, the exploration term counts those of the edge at hand, and a playout updates the path
    /// it took and nothing else (UCT2 of Childs et al.), so that no playout is counted twice. The game's graph must
    /// have no cycles.
    ///
    /// With `solver`, a finished solution closes its node, and a node whose children are all closed is closed as well:
    /// no playout repeats what is known, and when the root closes, the incumbent is optimal (MCTS-Solver for one
    /// player). Without it, a small `c` replays one finished line for ever, which is why it is on unless a preset
    /// stands for a paper that has none.
    ///
    /// # Beam
    /// With `beam_width` = W, a counter for each depth counts the playouts that pass through a node there. When depth
    /// `d` reaches `beam_limit`, the W nodes of that depth that rank first (`beam_rank`; the paper's algorithm goes by
    /// visits) stay with their ancestors; the other nodes of the depth and everything below it are dropped, and no node
    /// at depth `d` or above is ever added again. The counters below `d` start anew: the nodes that they counted are
    /// gone. A pass is over when nothing is left to explore, or when 2 `beam_limit` playouts after the last pruning no
    /// deeper one came (the kept nodes are finished solutions). The next pass begins with a new tree, width and limit
    /// multiplied by `widen`: with `widen` > 1 a limit comes at which the whole tree is seen before it is pruned, so
    /// that the search is complete.
    ///
    /// # Time
    /// With `move_playouts` = N the search plays a game: after N playouts the child of the root that ranks first by
    /// `final_move` becomes the root, its subtree kept or not (`keep_tree`). At the end of the game a new one begins,
    /// with N multiplied by `move_growth`, unless `restarts` is off. A root with a single move, or with every solution
    /// below it known, does not wait. With `played_only` the result is the game played, not the best playout met on the
    /// way, as for a program that has to answer move by move; closed nodes are not used then. With `variants` each game
    /// (or pass, or restart) plays with one variant of the rollout, such as the colour that a tile game keeps for last:
    /// each once, then by UCB1 with constant 1/2 over the mean best score of a variant's games. `restart_nodes` starts
    /// a new tree (and game) after so many nodes: randomised restarts.
    ///
    /// # Nesting
    /// With `nesting` = n > 1 a playout is a search of level n - 1 from the leaf, with a tree of its own and
    /// `nested_playouts` playouts (or fewer, when it has seen everything). Its best score is what is backed up, and its
    /// best solution what is kept, rather than a game played by its decisions: nested Monte-Carlo tree search (NMCTS).
    ///
    /// # Playouts
    /// `playouts = history` plays by a softmax over what is known of the codes, `exp((M - m) / temperature)`, where `M`
    /// is the mean reward of the playouts with the code and `m` that of all, as they were when the code was last played
    /// or the range of scores last changed; `playouts = adapted` by a softmax policy that moves towards the best
    /// playout of the present tree after every `adapt_every` playouts, at the rate `alpha`, logits within `clamp`
    /// (Rosin's `Adapt`, as in playout policy adaptation). Both choose among the rollout's candidates.
    ///
    /// # Offered solutions
    /// The line of an offered solution enters the tree, as far as the memory and a beam allow, and its score counts as that of
    /// a playout for the nodes on it. In a search that plays move by move this holds for solutions that begin with the
    /// moves played; others only become the incumbent.
    ///
    /// # Cost
    /// One playout a step, and one pass over the children of each node on the path; `history`, `amaf` and learned
    /// playouts replay the playout for its codes. Memory: about 64 bytes a child of an expanded node (88 with bias,
    /// history, AMAF or transpositions), never more than the budget: when it is full, nodes visited fewer than `k`
    /// times lose their children, `k` being the smallest power of two that frees half of the room, and the search goes
    /// on.
    ///
    /// When to use it: early decisions matter and playouts say something about them.
    ///
    /// ```
    /// # use soloist::{Budget, Method, Solver, doc::Staircase};
    /// let outcome = Solver::new(&Staircase(8), Method::preset("uct").unwrap())
    ///     .budget(Budget::playouts(3_000)).seed(1).run().unwrap();
    /// assert_eq!(outcome.best.unwrap().score.value(), Some(8.0));
    /// ```
    ///
    /// # References
    /// L. Kocsis and C. Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006. P. Auer, N. Cesa-Bianchi and P.
    /// Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine Learning 47, 2002 (UCB1, whose
    /// constant is sqrt 2; UCB1-Tuned). M. Schadd, M. Winands, M. Tak and J. Uiterwijk, "Single-player Monte-Carlo tree
    /// search for SameGame", Knowledge-Based Systems 34, 2012. H. Baier and M. Winands, "Beam Monte-Carlo tree search",
    /// CIG 2012, and "Nested Monte-Carlo tree search for online planning in large MDPs", ECAI 2012. M. Winands, Y. Bjornsson and J.-T. Saito, "Monte-Carlo tree search solver", Computers and Games 2008.
    /// L. Rei, "Monte Carlo tree search for combinatorial optimization", thesis, University of Porto, 2018. R. Coulom,
    /// "Efficient selectivity and backup operators in Monte-Carlo tree search", CG 2006. G. Chaslot et al.,
    /// "Progressive strategies for Monte-Carlo tree search", New Mathematics and Natural Computation 4, 2008 (bias,
    /// widening). P. Nijssen and M. Winands, "Enhancements for multi-player Monte-Carlo tree search", CG 2010
    /// (history). S. Gelly and D. Silver, "Combining online and offline knowledge in UCT", ICML 2007 (RAVE). T.
    /// Cazenave, "Generalized rapid action value estimation", IJCAI 2015. B. Childs, J. Brodeur and L. Kocsis,
    /// "Transpositions and move groups in Monte Carlo tree search", CIG 2008. H. Finnsson and Y. Bjornsson,
    /// "Simulation-based approach to general game playing", AAAI 2008 (history in playouts). T. Cazenave, "Playout
    /// policy adaptation with move features", TCS 644, 2016. B. Ruijl, J. Vermaseren, A. Plaat and J. van den Herik,
    /// "Combining simulated annealing and Monte Carlo tree search for expression simplification", ICAART 2014 (cooling,
    /// ratio).
    pub struct Uct {
        /// weight of the exploration term; UCB1 has 1.414, puzzles mostly want 0.001 to 0.3
        c: f64 = 0.1, 0.0..=1e12;
        /// what a node is worth
        value: NodeValue = NodeValue::Mean, ();
        /// weight of the best score below a node, added to its value
        w: f64 = 0.0, 0.0..=1e6;
        /// how scores are scaled before `c` and `d` apply
        normalisation: Normalisation = Normalisation::Global, ();
        /// the score that `normalisation=ratio` compares with; 0: the problem's, or the first playout's
        reference: f64 = 0.0, -1e15..=1e15;
        /// how `c` falls over the playouts of a tree
        cooling: Cooling = Cooling::None, ();
        /// what is left of `c` at the end of exponential cooling
        cooling_end: f64 = 0.01, 1e-9..=1.0;
        /// playouts after which a new tree is begun, over which `c` is cooled; 0: one tree
        tree_playouts: u64 = 0, 0..=1_000_000_000_000;
        /// the exploration term
        bandit: Bandit = Bandit::Ucb1, ();
        /// add the standard deviation of the child's scores (SP-MCTS)
        deviation: bool = false, ();
        /// constant under the root of the deviation: large for children visited rarely
        d: f64 = 0.0, 0.0..=1e15;
        /// how many children a leaf gets at a time
        expansion: Expansion = Expansion::One, ();
        /// visits of a leaf before it gets children
        threshold: u64 = 1, 0..=1_000_000_000;
        /// visits of a node from which the formula selects; before, the playout policy does
        select_from: u64 = 0, 0..=1_000_000_000;
        /// never follow a branch again once every solution in it was seen; an exhausted tree proves optimality
        solver: bool = true, ();
        /// playouts before a move is played and the search goes on from there; 0: one tree for the whole game
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
        /// levels of search: at 2 and above a playout is a search of the level below, at 1 it is a playout
        nesting: u64 = 1, 1..=4;
        /// playouts of each such search; nesting > 1
        nested_playouts: u64 = 100, 1..=1_000_000_000;
        /// begin anew when a game or a beam has come to its end, until the budget is used up
        restarts: bool = true, ();
        /// nodes of a depth that stay when its counter is full; 0: no beam
        beam_width: u64 = 0, 0..=1_000_000_000;
        /// playouts through a depth at which it is pruned
        beam_limit: u64 = 10_000, 1..=1_000_000_000_000;
        /// which nodes stay
        beam_rank: Rank = Rank::Visits, ();
        /// factor of width and limit from one pass of the beam to the next
        widen: f64 = 1.0, 1.0..=1000.0;
        /// first-play urgency: what a child without a playout counts
        fpu: FirstPlay = FirstPlay::Off, ();
        /// its reward, or what is taken off the parent's
        fpu_value: f64 = 0.5, -1e12..=1e12;
        /// progressive widening: children in play are at most this times visits ^ `widening_exponent`; 0: all
        widening: f64 = 0.0, 0.0..=1e9;
        /// the exponent of progressive widening
        widening_exponent: f64 = 0.5, 0.0..=1.0;
        /// progressive bias: weight of the problem's own bias of moves
        bias_weight: f64 = 0.0, 0.0..=1e12;
        /// progressive history: weight of the mean reward of a move's code over the search
        history: f64 = 0.0, 0.0..=1e12;
        /// mix in the mean reward of playouts that make the move later on (RAVE, GRAVE)
        amaf: bool = false, ();
        /// how fast that mean gives way to the child's own: larger is faster
        amaf_bias: f64 = 1e-3, 0.0..=1e6;
        /// playouts that an ancestor needs more than to lend its statistics (GRAVE); 0: the parent's own (RAVE)
        amaf_reference: u64 = 0, 0..=1_000_000_000;
        /// states with the same key share a node
        transpositions: bool = false, ();
        /// who plays the playouts
        playouts: Playouts = Playouts::Rollout, ();
        /// divides the rewards in playouts by history
        temperature: f64 = 0.1, 0.0001..=1000.0;
        /// learning rate of adapted playouts
        alpha: f64 = 1.0, 0.0..=1000.0;
        /// playouts between two adaptations
        adapt_every: u64 = 1, 1..=1_000_000;
        /// largest absolute logit of adapted playouts
        clamp: f64 = f64::INFINITY, 0.0..=f64::INFINITY;
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

    /// Single-player Monte-Carlo tree search (Schadd et al. 2012) with its constants: raw scores, the deviation term,
    /// the top score with weight `w`, children after `t` visits.
    ///
    /// Finished lines are closed, though the paper says nothing of it: it reports 100,000 nodes in 20 seconds, some 1.2
    /// million simulations, and without closing the greedy constants replay one line from a few thousand nodes on.
    #[must_use]
    pub fn single_player(c: f64, d: f64, t: u64, w: f64) -> Self {
        Self { c, d, w, threshold: t, deviation: true, normalisation: Normalisation::None, ..Self::default() }
    }

    /// The same, playing move by move: 500 playouts a move in the first game, a fifth more in each further one, so that
    /// any budget is used well.
    #[must_use]
    pub fn move_by_move(self) -> Self {
        Self { move_playouts: 500, move_growth: 1.2, ..self }
    }

    /// Move by move, 4,000 playouts a move; playouts move towards the best one of the present tree after every fourth,
    /// logits within 2; each game plays with one variant of the rollout. Ours: the best single-player setting on SameGame.
    #[must_use]
    pub fn adapted() -> Self {
        Self {
            move_playouts: 4_000,
            variants: true,
            playouts: Playouts::Adapted,
            adapt_every: 4,
            clamp: 2.0,
            ..Self::default()
        }
    }

    /// Beam Monte-Carlo tree search (Baier and Winands 2012): UCB1-Tuned with constant `c`, `limit` playouts through a
    /// depth, `width` nodes kept.
    #[must_use]
    pub fn beam(c: f64, limit: u64, width: u64) -> Self {
        Self { c, bandit: Bandit::Ucb1Tuned, beam_limit: limit, beam_width: width, solver: false, ..Self::default() }
    }

    /// The searches of Ruijl et al. (2014): trees of `playouts` playouts, one after the other, with the constant `cp` in
    /// the paper's units, which is cooled or not.
    ///
    /// As in the paper no branch is closed: towards the end of cooling, finished lines may be played again.
    #[must_use]
    pub fn cooled(cp: f64, playouts: u64, cooling: Cooling) -> Self {
        Self {
            c: 2.0 * std::f64::consts::SQRT_2 * cp,
            cooling,
            tree_playouts: playouts,
            normalisation: Normalisation::Ratio,
            solver: false,
            ..Self::default()
        }
    }

    /// The weight of the exploration term in playout `playout` (from 0) of a tree, at a node of depth `depth`, when the
    /// longest solution met has `longest` moves.
    fn constant(&self, playout: u64, depth: usize, longest: usize) -> f64 {
        let all = self.tree_playouts as f64;
        let linear = || (all - playout as f64) / all;
        match self.cooling {
            Cooling::None => self.c,
            Cooling::Linear => self.c * linear(),
            Cooling::Exponential => self.c * libm::pow(self.cooling_end, playout as f64 / all),
            Cooling::Depth => {
                let rest = longest.saturating_sub(depth) as f64 / longest.max(1) as f64;
                self.c * linear() * rest
            }
        }
    }

    /// Whether nodes need their moves' codes.
    fn uses_codes(&self) -> bool {
        self.history > 0.0 || self.amaf || self.playouts != Playouts::Rollout
    }

    /// Whether nodes have more than the common statistics.
    fn uses_sides(&self) -> bool {
        self.uses_codes() || self.bias_weight > 0.0 || self.transpositions
    }

    /// Whether closed nodes are left alone.
    fn closes(&self) -> bool {
        self.solver && !self.played_only
    }
}

impl Family for Uct {
    fn validate(&self) -> Result<(), ParameterError> {
        let unbounded = matches!(self.normalisation, Normalisation::None | Normalisation::Ratio);
        let conflicts = [
            (self.beam_width > 0 && self.transpositions, "beam_width and transpositions exclude each other"),
            (self.beam_width > 0 && self.move_playouts > 0, "beam_width and move_playouts exclude each other"),
            (self.played_only && self.move_playouts == 0, "played_only needs move_playouts"),
            (self.select_from > 0 && self.expansion == Expansion::All, "select_from needs expansion=one"),
            (self.select_from > 0 && self.transpositions, "select_from and transpositions exclude each other"),
            (self.widening > 0.0 && self.expansion == Expansion::All, "widening needs expansion=one"),
            (self.fpu != FirstPlay::Off && self.expansion == Expansion::All, "fpu needs expansion=one"),
            (
                self.bandit == Bandit::Ucb1Tuned && unbounded,
                "bandit=ucb1-tuned needs rewards in [0, 1]: normalisation=global or parent",
            ),
            (self.history > 0.0 && unbounded, "history needs rewards in [0, 1]: normalisation=global or parent"),
            (
                self.deviation && self.normalisation == Normalisation::Ratio,
                "deviation and normalisation=ratio exclude each other",
            ),
            (self.cooling != Cooling::None && self.tree_playouts == 0, "cooling needs tree_playouts"),
        ];
        match conflicts.into_iter().find(|(conflict, _)| *conflict) {
            Some((_, message)) => Err(ParameterError::Conflict(message)),
            None => self.validate_nesting(),
        }
    }

    fn build(&self, problem: &dyn Rules, memory: u64) -> Box<dyn Search> {
        Box::new(run::UctSearch::new(self.clone(), problem, memory))
    }
}
