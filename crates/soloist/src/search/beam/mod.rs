//! Beam search: layer by layer, the `width` most promising states survive.
//!
//! When to use it: problems with a telling potential (free cells, reachable cells) or sharp bounds. One pass is
//! often better than many thousand playouts.
//!
//! # Rank
//!
//! The children of all states of a layer are ranked by `merit` (for a bound: the better one first), plus a random
//! number from 0 to `noise`. `tie` decides among equals, then chance. By default that is the problem's
//! [potential](crate::Problem::potential) where the bound is the merit: bounds of packing and balancing problems
//! take few values, and a potential (the time or room that is lost so far) orders the states that share one.
//!
//! A state whose bound is not better than the incumbent is dropped: when its turn comes to be expanded, or with
//! `prune` before it is ranked. The first playouts are games of the rollout, until one is a solution, at most
//! eight: their best is the first incumbent. An offered solution is an incumbent as well and makes them needless.
//!
//! The policy (`tie = policy`) is that of [`Nrpa`](crate::search::nrpa), one level. After each pass it is adapted,
//! with the rate `alpha`, to the best solution of the pass. Playouts (`tie = playouts`) are made by the rollout and
//! counted; a solution that they find can become the incumbent. With `selective = true` only the rollout's candidates
//! are children.
//!
//! # Passes
//!
//! When no state of a layer has a child, the pass is over. The next one is `widen` times as wide and draws new
//! noise: pass `i`, counted from 0, has the width `width * widen^i`.
//!
//! Between passes of different widths games of the rollout are played: for as many moves as the passes of the last
//! width have made, or for a sixteenth of that where a pass has found something better than all games. So a beam that
//! nothing guides, or that is guided wrongly, is little worse than `sampling`. With `prune`, and where playouts or a
//! policy decide ties, no games are played.
//!
//! A run that ends in its first pass has its best states: for its [outcome](crate::run::Session::outcome) they are
//! played to their ends by a narrow beam, which ranks at most one child for 32 of the run. That counts as no
//! playout and is no part of the run: one that is continued goes on from the pass.
//!
//! With `split > 0` every state that many moves below the root has a separate pass, in random order, before the
//! next width. This suits problems whose first moves lead to states that are not comparable, such as a choice of
//! symmetry, where one promising beginning would take all places. A layer of more than 100,000 states,
//! or of more than fit into the memory, is not split.
//!
//! # Merging
//!
//! With `merge`, states of a layer with equal [futures](crate::problem::Dominance::future) are merged and the
//! better one is kept, whichever came first: `a` replaces `b` when its score so far and all its
//! [resources](crate::problem::Dominance::resources) are at least as good. Of a problem without futures, the first
//! of states with equal [keys](crate::Problem::key) is kept.
//!
//! # Complete anytime beam search
//!
//! The preset `cabs` is the setting `width = 1, widen = 2, merit = bound, prune = true`. The first pass follows the
//! best bound down and has an answer after as many steps as a solution has moves. Later passes improve it, and the
//! last one is a proof. All passes together cost at most about twice the last one. The problem should offer a bound
//! and a future.
//!
//! # Proof
//!
//! The search ends with a proof when a pass (with `split`, all passes of a width) has dropped nothing but
//! duplicates and states with hopeless bounds. With `prune`, and where bounds alone rank states, it also ends when
//! the incumbent is at least as good as `min over layers of max(best bound in the layer, best bound dropped before
//! it)` (maximising): every better solution would descend from one of these states. The best of these numbers over
//! all layers of all passes is reported as the bound while the search runs.
//!
//! With `selective = true` the bound of the root counts as dropped, because other children are left out. A proof is
//! as good as the bounds and keys: two of `n` states share a 64-bit key with probability about `n^2 / 2^65`.
//!
//! # Threads
//!
//! All threads of a run expand the states of one beam, if candidates are all legal moves and no playouts decide
//! ties: layers, counters and result are the same for any number of threads. Children are merged by one thread,
//! which is what limits the gain on many cores. Other beams have a stream for each thread.
//!
//! # Cost
//!
//! A step expands one state: it lists the children and applies two moves for each child that survives. Nodes are
//! counted as children of expanded states. With `prune` only those count that were neither hopeless, nor below the
//! present cut, nor beaten by a known one, as CABS counts generated states.
//!
//! Memory: two states ([`Facts::state_bytes`](crate::problem::Facts::state_bytes)) for each place in the beam and
//! about 80 bytes for each child (with futures about 160, and 16 for each resource). The width is cut to what fits
//! into the memory of the budget. On several threads, what is expanded ahead takes up to a sixteenth of the memory
//! beside that.
//!
//! # Example
//! ```
//! # use soloist::{Budget, Method, Solver, doc::Staircase};
//! let outcome = Solver::new(&Staircase(20), Method::preset("beam").unwrap())
//!     .budget(Budget::playouts(20_000)).seed(1).run().unwrap();
//! assert_eq!(outcome.best.unwrap().score.value(), Some(20.0));
//! ```
//!
//! # References
//! W. Zhang, "Complete anytime beam search", AAAI 1998, pages 425-430. R. Kuroiwa and J. C. Beck, "Solving
//! domain-independent dynamic programming problems with anytime heuristic search", ICAPS 2023, pages 245-253 (CABS:
//! merging by dominance, bounds of layers). B. Lowerre, "The Harpy speech recognition system", thesis, Carnegie
//! Mellon University, 1976. For the snake in the box: P. Meyerson, T. Drapela, W. Whiteside and W. Potter,
//! "Finding longest paths in hypercubes: 11 new lower bounds for snakes, coils, and symmetrical coils", IEA/AIE
//! 2015.

mod beam_state;
mod complete;
mod evaluate_child;
mod family;
mod merge;
mod parallel;
mod parents;
mod prefetch;
mod rank;
mod run;

use crate::core::parameter::{choice, parameters};

choice! {
    /// What ranks the states of a layer.
    #[doc(hidden)]
    pub enum Merit {
        /// The problem's [potential](crate::Problem::potential); where it has none, its bound.
        Potential = "potential",
        /// The problem's [bound](crate::Problem::bound).
        Bound = "bound",
        /// Nothing: the tie-break alone decides.
        None = "none",
    }
}

choice! {
    /// What decides between states of equal rank.
    #[doc(hidden)]
    pub enum Tie {
        /// The problem's [potential](crate::Problem::potential), then chance. The same as `chance` where it has none,
        /// or where the potential is the merit.
        Potential = "potential",
        /// Chance, drawn again in each pass.
        Chance = "chance",
        /// The best score of some playouts from the state.
        Playouts = "playouts",
        /// The chance of the moves so far under a policy that learns the best solution of each pass.
        Policy = "policy",
    }
}

parameters! {
    /// The parameters of the family; see the module.
    #[doc(hidden)]
    pub struct Beam {
        /// states of a layer that survive, in the first pass
        width: u64 = 1, 1..=1_000_000_000;
        /// factor of the width from one pass to the next
        widen: f64 = 2.0, 1.0..=1000.0;
        /// what ranks states
        merit: Merit = Merit::Potential, ();
        /// largest random number added to a rank
        noise: f64 = 0.0, 0.0..=1e12;
        /// what decides between equal ranks
        tie: Tie = Tie::Potential, ();
        /// playouts from each state; tie = playouts
        playouts: u64 = 1, 1..=1_000_000;
        /// learning rate of the policy; tie = policy
        alpha: f64 = 1.0, 0.0..=1000.0;
        /// moves after which each state has a separate beam; 0: one beam from the root
        split: u64 = 0, 0..=8;
        /// keep the better one of states with equal futures, one of those with equal keys
        merge: bool = true, ();
        /// drop a child before it is ranked when its bound is not better than the incumbent, and prove by bounds
        prune: bool = false, ();
        /// children are the rollout's candidates only
        selective: bool = false, ();
        /// begin another pass when one is over, until the budget is used up
        restarts: bool = true, ();
    }
}

impl Beam {
    /// Whether games are played between passes.
    fn plays_games(&self) -> bool {
        !self.prune && !matches!(self.tie, Tie::Playouts | Tie::Policy)
    }

    /// Returns the settings of complete anytime beam search (CABS).
    #[must_use]
    pub fn complete() -> Self {
        Self { width: 1, merit: Merit::Bound, prune: true, ..Self::default() }
    }
}
