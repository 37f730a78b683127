//! Iterative deepening A* (IDA*), on optimistic bounds of the final score.
//!
//! Depth-first passes, each with a threshold, at first the bound of the root. A pass cuts every state whose bound
//! is worse than the threshold; the next threshold is the best bound among the states cut. When the incumbent is as
//! good as that, it is optimal. The problem's [`bound`](crate::Problem::bound) is A*'s `f = g + h` in one number:
//! what is scored already and an estimate, never too low when maximising nor too high when minimising, of what can
//! still come. Schadd et al. searched SameGame so, with every colour leaving in one group as the estimate.
//! Solutions worse than the threshold that a pass meets count as incumbents, so that the search can be stopped at
//! any time.
//!
//! Without a bound every state has an infinite one: nothing is cut, and this is plain depth-first search.
//!
//! The first playouts are games of the rollout, until one is a solution, at most eight. An offered solution prunes
//! as incumbent and makes them needless.
//!
//! When to use it: bounds are sharp, take few different values, and memory is short. With a weak bound each pass
//! looks at little more than the one before, near the root, and a Monte-Carlo search is far better: 548 points on
//! the first standard SameGame board after hours, where SP-MCTS has 2919.
//!
//! Cost per step: one state visited, its bound, and the list of its children (with `children = bound` also a bound
//! for each). A state is visited once a pass, a solution is scored (and counted as a playout) once. The rollout
//! plays the first games alone. Memory: one state and one list of moves for each move of the path; with `table`, 32
//! to 64 bytes for each state of the pass, within the budget: a full table forgets, which only repeats work.
//! Checkpoints contain the table. With [futures](crate::problem::Dominance::future), it holds the best score so far
//! of each, and a state that is not better is skipped. On several streams every stream does the whole search, in
//! another order (see `shuffle`).
//!
//! A proof is as good as the bounds and, with `table`, the [keys](crate::problem::Key): their 128 bits are
//! compared. Equal keys are also taken to list their moves in the same order.
//!
//! ```
//! # use soloist::{Budget, Method, Solver};
//! # use soloist::doc::Staircase;
//! # use soloist::run::StopReason;
//! let outcome = Solver::new(&Staircase(8), Method::preset("ida-star").unwrap())
//!     .budget(Budget::nodes(10_000)).seed(1).run().unwrap();
//! assert_eq!(outcome.best.unwrap().score.value(), Some(8.0));
//! // A first game and all 256 solutions, because the staircase has no bound.
//! assert_eq!((outcome.stop, outcome.counters.playouts), (StopReason::Exhausted, 257));
//! ```
//!
//! # References
//! R. E. Korf, "Depth-first iterative-deepening: an optimal admissible tree search", Artificial Intelligence 27,
//! 1985, pages 97-109. A. Reinefeld and T. A. Marsland, "Enhanced iterative-deepening search", IEEE Transactions on
//! Pattern Analysis and Machine Intelligence 16, 1994, pages 701-710 (table of states). M. P. D. Schadd, M. H. M.
//! Winands, M. J. W. Tak and J. W. H. M. Uiterwijk, "Single-player Monte-Carlo tree search for SameGame",
//! Knowledge-Based Systems 34, 2012, pages 3-11.

use super::family::Family;
use super::{Search, states};
use crate::core::parameter::parameters;
use crate::erased::problem::ErasedProblem;
use crate::search::shared::children::{Children, Shuffle};
use crate::search::shared::depth_first::{DepthFirst, Plan};

parameters! {
    /// The parameters of the family; see the module.
    #[doc(hidden)]
    pub struct IdaStar {
        /// the order in which children are tried
        children: Children = Children::Bound, ();
        /// by how much, at least, the threshold gives way between passes (0: to the best bound that was cut)
        step: f64 = 0.0, 0.0..=1e300;
        /// skip states that the pass has met, or better ones, where the problem has keys or futures
        table: bool = true, ();
        /// which streams try ties, or moves as listed, in a random order
        shuffle: Shuffle = Shuffle::Others, ();
    }
}

impl Family for IdaStar {
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
        let plan = Plan::Threshold { step: self.step };
        Box::new(DepthFirst::new(plan, self.children, self.shuffle, self.table, problem, memory))
    }
}
