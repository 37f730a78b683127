//! Tree search with upper confidence bounds (UCT) and its variants for one player.
//!
//! From the root, the child with the largest upper bound is followed down to a leaf; a playout completes the
//! solution, its score updates the path. The incumbent is the best playout, wherever it was made. The terms and
//! rules of this one search are in groups of parameters, each documented at its struct: `Selection`, `Growth`,
//! `Narrowing`, `Pacing`, `Pruning` and `Playing`. On the command line and in
//! [`set`](crate::Method::set) the groups are one flat table. The published searches are [presets](crate::Method::presets).
//!
//! # Offered solutions
//! The line of an offered solution enters the tree, as far as the memory and a beam allow, and its score counts as
//! that of a playout for the nodes on it. In a search that plays move by move this holds for solutions that begin
//! with the moves played; others only become the incumbent.
//!
//! # Cost
//! One playout a step, and one pass over the children of each node on the path; `history`, `amaf` and learned
//! playouts replay the playout for its codes. Memory: about 64 bytes a child of an expanded node (88 with bias,
//! history, AMAF or transpositions; 16 more where the tree is pruned), never more than the budget: when it is full,
//! nodes visited fewer than `k` times lose their children, `k` being the smallest power of two that frees half of
//! the room, and the search continues.
//!
//! When to use it: early decisions matter and playouts say something about them.
//!
//! ```
//! # use soloist::{Budget, Method, Solver, doc::Staircase};
//! let outcome = Solver::new(&Staircase(8), Method::preset("uct").unwrap())
//!     .budget(Budget::playouts(3_000)).seed(1).run().unwrap();
//! assert_eq!(outcome.best.unwrap().score.value(), Some(8.0));
//! ```
//!
//! # References
//! L. Kocsis and C. Szepesvari, "Bandit based Monte-Carlo planning", ECML 2006. P. Auer, N. Cesa-Bianchi and P.
//! Fischer, "Finite-time analysis of the multiarmed bandit problem", Machine Learning 47, 2002 (UCB1, whose constant is
//! sqrt 2; UCB1-Tuned). M. Schadd, M. Winands, M. Tak and J. Uiterwijk, "Single-player Monte-Carlo tree search for
//! SameGame", Knowledge-Based Systems 34, 2012. H. Baier and M. Winands, "Beam Monte-Carlo tree search", CIG 2012. M.
//! Winands, Y. Bjornsson and J.-T. Saito, "Monte-Carlo tree search solver", Computers and Games 2008. L. Rei, "Monte
//! Carlo tree search for combinatorial optimization", thesis, University of Porto, 2018. R. Coulom, "Efficient
//! selectivity and backup operators in Monte-Carlo tree search", CG 2006. G. Chaslot et al., "Progressive strategies
//! for Monte-Carlo tree search", New Mathematics and Natural Computation 4, 2008 (bias). P. Nijssen and M. Winands,
//! "Enhancements for multi-player Monte-Carlo tree search", CG 2010 (history). S. Gelly and D. Silver, "Combining
//! online and offline knowledge in UCT", ICML 2007 (RAVE). B. Childs, J. Brodeur and L. Kocsis, "Transpositions and
//! move groups in Monte Carlo tree search", CIG 2008. H. Finnsson and Y. Bjornsson, "Simulation-based approach to
//! general game playing", AAAI 2008 (history in playouts). T. Cazenave, "Playout policy adaptation with move features",
//! TCS 644, 2016. B. Ruijl, J. Vermaseren, A. Plaat and J. van den Herik, "Combining simulated annealing and Monte
//! Carlo tree search for expression simplification", ICAART 2014 (cooling, ratio).

// The parameters are in groups, each in the file of the code that uses it: `select` has the formulas, `grow` adds
// nodes, `beam` counts playouts by depth, `game` plays moves and begins trees, `learn` learns playouts. `run` makes
// the steps of the search, `arena` holds the nodes, `graph` nodes with several parents, `prune` is branch and bound in
// the tree, `check` reads trees back, `means` the statistics under codes, `score_range` the scores met and their
// scales.
mod arena;
mod beam;
mod check;
mod family;
mod game;
mod graph;
mod grow;
mod learn;
mod means;
mod prune;
mod run;
mod score_range;
mod select;

pub use beam::{Narrowing, Rank};
pub use game::Pacing;
pub use grow::{Expansion, FewVisits, FirstPlay, Growth};
pub use learn::{Playing, Playouts};
pub use prune::{Prune, Pruning};
pub use select::{Bandit, Cooling, NodeValue, Normalization, Selection, Ties};

use crate::core::parameter::{ParameterError, parameter_groups};

parameter_groups! {
    /// The parameters of the family; see the module.
    #[doc(hidden)]
    pub struct Uct {
        /// Which child of a node is followed.
        selection: Selection;
        /// How the tree grows.
        growth: Growth;
        /// Beam search in the tree.
        narrowing: Narrowing;
        /// When a move is played, and when a new tree is begun.
        pacing: Pacing;
        /// Branch and bound in the tree.
        pruning: Pruning;
        /// How playouts choose their moves.
        playing: Playing;
    }
}

impl Uct {
    /// The setting of Rei's thesis: best value, normalised among siblings, all children, constant sqrt 2.
    #[must_use]
    pub fn best() -> Self {
        Self {
            selection: Selection {
                c: std::f64::consts::SQRT_2,
                value: NodeValue::Best,
                normalization: Normalization::Parent,
                ..Selection::default()
            },
            growth: Growth { expansion: Expansion::All, ..Growth::default() },
            ..Self::default()
        }
    }

    /// Single-player Monte-Carlo tree search (Schadd et al. 2012) with its constants: raw scores, exploration times the
    /// deviation, `w` of the top score blended with the mean, uniform moves below `t` visits.
    ///
    /// This is the formula of the authors' program. The one that the paper prints is `bandit=ucb1 deviation=true
    /// value=mean`. As in the program one node is added a playout, finished lines are closed, and untried children come
    /// first once a node has `t` visits.
    #[must_use]
    pub fn single_player(c: f64, d: f64, t: u64, w: f64) -> Self {
        Self {
            selection: Selection {
                c,
                d,
                w,
                value: NodeValue::Blend,
                bandit: Bandit::Deviation,
                normalization: Normalization::None,
                ..Selection::default()
            },
            growth: Growth { select_from: t, few_visits: FewVisits::Uniform, ..Growth::default() },
            ..Self::default()
        }
    }

    /// The same search, playing move by move: 500 playouts a move in the first game, a fifth more in each further one,
    /// so that any budget is used well.
    #[must_use]
    pub fn move_by_move(mut self) -> Self {
        (self.pacing.move_playouts, self.pacing.move_growth) = (500, 1.2);
        self
    }

    /// Move by move, 4,000 playouts a move; playouts move towards the best one of the present tree after every fourth,
    /// logits within 2; each game plays with one variant of the rollout. Our setting, the best single-player one on
    /// SameGame.
    #[must_use]
    pub fn adapted() -> Self {
        Self {
            pacing: Pacing { move_playouts: 4_000, variants: true, ..Pacing::default() },
            playing: Playing { playouts: Playouts::Adapted, adapt_every: 4, clamp: 2.0, ..Playing::default() },
            ..Self::default()
        }
    }

    /// Beam Monte-Carlo tree search (Baier and Winands 2012): UCB1-Tuned with constant `c`, `limit` playouts through a
    /// depth, `width` nodes kept.
    #[must_use]
    pub fn beam(c: f64, limit: u64, width: u64) -> Self {
        Self {
            selection: Selection { c, bandit: Bandit::Ucb1Tuned, ..Selection::default() },
            growth: Growth { solver: false, ..Growth::default() },
            narrowing: Narrowing { beam_limit: limit, beam_width: width, ..Narrowing::default() },
            ..Self::default()
        }
    }

    /// The searches of Ruijl et al. (2014): trees of `playouts` playouts, one after the other, with the constant `cp`
    /// in the paper's units, which is cooled or not.
    ///
    /// As in the paper no branch is closed: towards the end of cooling, finished lines may be played again.
    #[must_use]
    pub fn cooled(cp: f64, playouts: u64, cooling: Cooling) -> Self {
        Self {
            selection: Selection {
                c: 2.0 * std::f64::consts::SQRT_2 * cp,
                cooling,
                normalization: Normalization::Ratio,
                ..Selection::default()
            },
            growth: Growth { solver: false, ..Growth::default() },
            pacing: Pacing { tree_playouts: playouts, ..Pacing::default() },
            ..Self::default()
        }
    }

    /// Whether nodes need their moves' codes.
    fn uses_codes(&self) -> bool {
        self.selection.uses_codes() || self.playing.playouts != Playouts::Rollout
    }

    /// Whether nodes have more than the common statistics.
    fn uses_sides(&self) -> bool {
        self.uses_codes() || self.selection.bias_weight > 0.0 || self.growth.transpositions
    }

    /// Whether closed nodes are left alone.
    fn closes(&self) -> bool {
        self.growth.solver && !self.pacing.played_only
    }
}

/// Returns the message of the first conflict that is there.
fn refuse(conflicts: &[(bool, &'static str)]) -> Result<(), ParameterError> {
    match conflicts.iter().find(|(is_there, _)| *is_there) {
        Some((_, message)) => Err(ParameterError::Conflict(message)),
        None => Ok(()),
    }
}
