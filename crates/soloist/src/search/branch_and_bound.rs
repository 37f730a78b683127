//! Branch and bound: classical tree searches that leave out what cannot improve the incumbent.
//!
//! A state whose optimistic [`bound`](crate::Problem::bound) is not strictly better than a feasible incumbent is
//! pruned; without bounds this is plain enumeration. When nothing is left, the incumbent is optimal. The `order`
//! decides what comes first:
//! - `depth-first` (preset `dfs`): memory for one path, incumbents early;
//! - `best-first` (preset `best-first`): expands no state whose bound is worse than the optimum, but keeps all open
//!   states; with weak bounds it stays near the root and may find no solution for long;
//! - `breadth-first` (preset `bfs`): layer by layer, for shallow trees; on deep ones no solution is finished within
//!   any time;
//! - `iterative-broadening` (preset `iterative-broadening`): pass `b` tries the first `b` children of each state.
//!   Ends when a pass left out no child.
//!
//! With `table`, a state is skipped when one with the same [future](crate::problem::Dominance::future) and a score
//! so far at least as good (and equal [resources](crate::problem::Dominance::resources)) was met, or, of a problem
//! without futures, one with the same [key](crate::Problem::key). `best-first` and `breadth-first` also skip an
//! open state when a better one with its future was met after it.
//!
//! The first playouts are games of the rollout, until one is a solution, at most eight: there is an incumbent from
//! the beginning, which prunes. After them no solution is scored twice; each scored one counts as a playout. Later
//! passes visit states again.
//!
//! An offered solution prunes as incumbent and makes the first games needless.
//!
//! When to use it: instances small enough for a proof, endgames, and to check other methods. For passes the order
//! of the children is the heuristic: give the problem a bound or a bias.
//!
//! Cost per step: one state visited, its bound, and the list of its moves. Depth-first orders with `children =
//! bound` also compute a bound for each child; `best-first` and `breadth-first`, where that setting means `given`,
//! replay the moves from the root for each state expanded. The rollout plays the first games alone.
//!
//! Memory: depth-first orders keep one state and one list of moves for each move of the path. `best-first` and
//! `breadth-first` keep a move, a bound and a link to its parent for each open state and each ancestor of one (52
//! bytes and more), never more than the budget, but at least 4096 of them: when they do not fit, the half of the
//! open states with the worst bounds is dropped. Unless all that was dropped turns out to be no better than the
//! incumbent, the search then ends as completed, not as exhausted, and proves nothing. The table takes 32 to 64
//! bytes a state (half as much again with futures); a full one forgets, which only repeats work. (The table's share
//! is half of the budget with open states, else all.) Checkpoints contain open states and table. On several streams
//! every stream does the whole search, in another order (see `shuffle`): the first proof ends the run, as soon as
//! the others have scored more solutions than that stream or have ended as well.
//!
//! A proof is as good as the bounds and, with `table`, the [keys](crate::problem::Key): their 128 bits are
//! compared. Equal keys are also taken to list their moves in the same order.
//!
//! ```
//! # use soloist::{Budget, Method, Solver};
//! # use soloist::doc::Staircase;
//! # use soloist::run::StopReason;
//! for name in ["dfs", "best-first", "bfs", "iterative-broadening"] {
//!     let outcome = Solver::new(&Staircase(8), Method::preset(name).unwrap())
//!         .budget(Budget::nodes(10_000)).seed(1).run().unwrap();
//!     assert_eq!(outcome.best.unwrap().score.value(), Some(8.0));
//!     // A first game and all 256 solutions, because the staircase has no bound.
//!     assert_eq!((outcome.stop, outcome.counters.playouts), (StopReason::Exhausted, 257));
//! }
//! ```
//!
//! # References
//! A. H. Land and A. G. Doig, "An automatic method of solving discrete programming problems", Econometrica 28,
//! 1960, pages 497-520. P. E. Hart, N. J. Nilsson and B. Raphael, "A formal basis for the heuristic determination
//! of minimum cost paths", IEEE Transactions on Systems Science and Cybernetics 4, 1968, pages 100-107
//! (best-first). E. F. Moore, "The shortest path through a maze", International Symposium on the Theory of
//! Switching, Harvard 1959, pages 285-292 (breadth-first). M. L. Ginsberg and W. D. Harvey, "Iterative broadening",
//! Artificial Intelligence 55, 1992, pages 367-383.

use super::family::Family;
use super::{Search, states};
use crate::core::parameter::{choice, parameters};
use crate::erased::problem::ErasedProblem;
use crate::search::shared::children::{Children, Shuffle};
use crate::search::shared::depth_first::{DepthFirst, Plan};
use crate::search::shared::open_list::OpenList;

choice! {
    /// Which state is visited next.
    #[doc(hidden)]
    pub enum Order {
        /// Depth-first: the first child of the state visited last.
        DepthFirst = "depth-first",
        /// The open state with the best bound; of equal bounds the deepest, of these the oldest.
        BestFirst = "best-first",
        /// Layer by layer, the oldest first.
        BreadthFirst = "breadth-first",
        /// Depth-first passes over the first 1, 2, 3, ... children of each state.
        IterativeBroadening = "iterative-broadening",
    }
}

parameters! {
    /// The parameters of the family; see the module.
    #[doc(hidden)]
    pub struct BranchAndBound {
        /// which state is visited next
        order: Order = Order::DepthFirst, ();
        /// the order in which children are tried
        children: Children = Children::Bound, ();
        /// skip states met before, or better ones, where the problem has keys or futures
        table: bool = true, ();
        /// which streams try ties, or moves as listed, in a random order
        shuffle: Shuffle = Shuffle::Others, ();
    }
}

impl BranchAndBound {
    /// Returns the defaults with another order.
    #[must_use]
    pub fn in_order(order: Order) -> Self {
        Self { order, ..Self::default() }
    }
}

impl Family for BranchAndBound {
    fn plays_first(&self) -> bool {
        false
    }

    fn finishes_rarely(&self) -> bool {
        true
    }

    /// The end of the path, and the buffers.
    fn least_memory(&self, problem: &dyn ErasedProblem) -> u64 {
        states(problem, 8)
    }

    fn build(&self, problem: &dyn ErasedProblem, memory: u64) -> Box<dyn Search> {
        let plan = match self.order {
            Order::DepthFirst => Plan::All,
            Order::IterativeBroadening => Plan::Broadening,
            Order::BestFirst | Order::BreadthFirst => return Box::new(OpenList::new(self, problem, memory)),
        };
        Box::new(DepthFirst::new(plan, self.children, self.shuffle, self.table, problem, memory))
    }
}
