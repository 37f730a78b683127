//! Simulated annealing over finished solutions.
//!
//! A solution is the sequence of moves that makes it. An edit changes the sequence at one place. The moves before
//! that place stay, and the rest is replayed, which makes a neighbour. So any problem can be annealed: orderings,
//! where most edits are edits of the permutation, and games, where an edit changes what the later moves meet.
//!
//! A problem with a [neighbourhood](crate::Problem::neighborhood) of its own is edited by that instead, unless
//! `local` is false.
//!
//! When to use it: orderings, and other problems where a small edit of a good solution is a good solution.
//!
//! # Replay
//!
//! Where the moves have [identities](crate::problem::Ordering::identity), each entry of the edited sequence is
//! played if [`find`](crate::problem::Ordering::find) names a move for it. A blocked entry waits in a list of at
//! most 64 entries and is tried again after each move.
//!
//! Elsewhere the moves are listed at each state. The first entry is played that can be: a legal move with the same
//! [`code`](crate::Problem::code) as the entry had, or else the same move.
//!
//! When no entry is left, the rollout completes the solution.
//!
//! # Edits
//!
//! The weights `swap`, `insert`, `block`, `reverse`, `shuffle`, `change`, `replace`, `guide` and `suggest` say how
//! often each kind of edit is drawn:
//!
//! - `swap` exchanges two entries; `insert` moves one.
//! - `block`, `reverse` and `shuffle` move, reverse or shuffle a block of at most `longest` entries.
//! - `change` plays another candidate of the rollout at a place, before what was played there; `replace` plays it
//!   instead.
//! - `guide` moves a block that begins with a candidate to where the candidate can be played.
//! - `suggest` moves an entry as the problem [suggests](crate::problem::Ordering::suggest).
//!
//! With `fit`, and where no weight differs from its default, a few random games show the kind of solution:
//!
//! - *Assignments* decide at the same places, as the sides of a cut do. There `replace` has the weight 20 and
//!   leaves all other places as they are, and the weights follow success as with `adapt`.
//! - *Sets* hold some of the decisions, and their order does not matter: the moves of the games are legal in other
//!   orders too, with the same score. There `replace` takes out up to three of the last decisions and draws others,
//!   which come behind those that stay; then the rollout completes the solution. It has the weight 20, or more
//!   from 64 decisions on. One such edit of 32 moves a block of a long set to the end instead.
//!
//! Other kinds keep the weights and edits.
//!
//! Candidates of `change`, `replace` and `guide` are drawn with the probabilities of the problem's
//! [`bias`](crate::problem::Prior::bias), uniformly without one. With `adapt` the weights follow the success of
//! each kind of edit. A success is a cost below all costs of the last 1000 neighbours; it counts for each try.
//!
//! Where the score is a sum of [links](crate::problem::Ordering::link), the first playout is the order that plays the
//! cheapest decision behind the last one, at each state: an answer, and where `ils` begins. The difference that an edit
//! makes is known before the replay. Only an edit that passes the threshold is replayed. `change` and `guide` then
//! bring one of the twelve nearest decisions behind a random entry, alone or with a block that follows it, and
//! `shuffle` moves one entry: a shuffled block is not priced.
//!
//! With `fit`, links are found out where the problem does not name them and random games show orders of at most
//! 512 decisions. The difference between the scores of two orders is an equation in the costs of the links that
//! differ. When the costs that fulfil the equations foretell new differences, edits are judged by them, as above.
//! Every solution that is kept has the score that the problem gives it. Two neighbours with the same links and
//! different changes, or equations without a solution, show that the score is no sum of links: the costs are given
//! up. Where a decision of an edited order is not legal in its turn, three of four replays end there. One edit of
//! 256 that is judged too expensive is replayed, which shows whether the costs hold.
//!
//! # Acceptance
//!
//! A neighbour that is at least as good is accepted. A worse one is accepted with probability `exp(-d / T)`, where
//! `d` is the difference. Between infeasible solutions `d` is the difference of degrees. A feasible solution is
//! never left for an infeasible one.
//!
//! The temperature T falls from `start` to `end`, by the same factor a step. Its unit is the
//! [unit](crate::problem::Neighborhood::unit) that the neighbourhood names. Without one it is the geometric mean of
//! the differences that the run meets at its beginning, over at most 1000 neighbours and 2 % of a cooling;
//! suggested edits do not count, and no worse neighbour is accepted meanwhile. So temperatures suit instances of
//! any size, and do not change when a constant is added to all scores.
//!
//! Where a neighbourhood edits, names no unit, and neither `start` nor `end` is set, a run first descends: nothing
//! worse is accepted for 2 % of the cooling, or until 10 neighbours a decision, at least 1000, have brought
//! nothing. T then falls from the temperature that accepts three tenths of the last 1000 worse neighbours to the
//! one that accepts one in 10,000. At a random solution differences may be larger by orders of magnitude (powers of
//! distances, weights of broken rules), and a cooling in their units would end too hot. A remark names both
//! temperatures.
//!
//! Where neither is set and replays make neighbours of assignments or sets, T falls from 0.3 to 0.03, and with learned
//! links from 0.2 to 0.01, unless `acceptance` is above 0. With `acceptance` above 0, where neither `start` nor `end`
//! is set, the first temperature is the one that accepts this part of these worse neighbours, and, where neighbours are
//! replayed, the last one a tenth of it. 0.03 was better than `start` on weighted tardiness, and worse on an order of
//! jobs with links.
//!
//! The threshold that a neighbour has to pass is drawn beforehand. A neighbour is abandoned at the first state
//! whose [`bound`](crate::Problem::bound) cannot pass it. It is also abandoned as soon as it meets a state of the
//! present solution with an equal [`key`](crate::Problem::key) behind the last edited place: the rest is then the
//! same. Where it meets an equal [`future`](crate::problem::Dominance::future) instead, it is abandoned if its
//! score so far is worse by more than the threshold allows. That is exact where scores are sums. Where the score is
//! a maximum over the moves, the rest may make up for the difference, and a neighbour is abandoned that would have
//! passed: `meet = false` plays every neighbour to its end.
//!
//! # Budget
//!
//! With `steps = 0` the cooling is spread over the budget of the run, counts or time (counts are reproducible):
//!
//! - A budget that has room for several runs of `depth` neighbours a decision is divided among runs from new
//!   solutions, at most `most`. Each has another [variant](crate::rollout::Rollout::variants) of the rollout.
//! - The last part of the budget, from `finish` on, is for `reheats` coolings from the best solution of all, one
//!   if `reheats` is 0. Each is `reheat_factor` as hot as the one before. They use the best variant.
//! - With `arms > 1`, that number of short runs share the first 0.4 of the budget, each with another variant
//!   (beyond their number variants repeat). Then the two best variants have a longer run each, from new solutions,
//!   until `finish`. `runs`, `depth` and `most` have no effect.
//!
//! - With `population > 1`, each run cools that number of solutions together; there are `runs` runs, at least one.
//!   See below.
//!
//! Without a budget, or with `steps`, a cooling takes `steps` neighbours (2000 if neither is given). `reheats`
//! coolings follow it from the best solution of the run. Then a new run begins, with twice as many `steps`.
//!
//! A run in parts gives the result of one run if every part knows the budget of the whole
//! ([`Solver::plan`](crate::Solver::plan)), or if `steps` is given. A run that is continued with a larger budget is
//! warm again where the larger plan is.
//!
//! An offered solution becomes the present one if it is better: a run that has not begun begins there.
//!
//! # Iterated local search
//!
//! With `kicks > 0` (the method `ils`) nothing cools. A descent accepts what is at least as good, and ends when 30
//! neighbours a decision, one after the other, have brought nothing better. The next one begins from the best
//! solution, after one to `kicks` random edits, whatever they cost; of equally good solutions the last one is taken. A
//! budget that is too small for several descents is one descent.
//!
//! # Population
//!
//! With `population > 1` the first cooling of a run is population annealing. The temperature falls in `levels`
//! steps, which share what is left of the cooling once the unit has been measured. At each level every solution in
//! turn gets the same part. Then a new population is drawn, of the same size, with weights
//! `exp((1 / T' - 1 / T) (c - C))` for a solution of cost C, where T and T' are the old and the new temperature and
//! c is the least cost (systematic resampling). So the effort goes to the solutions that are good at this
//! temperature, and is not lost on the others. Solutions begin with different variants. Where some solutions are
//! feasible, infeasible ones get no weight. Reheats cool one solution.
//!
//! # Threads
//!
//! The streams of a run with several threads cool side by side, each over its part of the budget. Each time they have
//! made an eighth more neighbours, those with a worse solution continue from the best one of their present runs
//! (synchronous parallel annealing).
//!
//! # Cost
//!
//! A step is one neighbour, which counts as a playout. A replay takes one `find` and one `apply` for each entry
//! behind the first edited one. With codes it takes a listing of moves instead of `find`, and their codes where an
//! entry does not fit. To reach the edited place, it takes on average half as many `apply` as there are entries
//! between two snapshots; these are about the square root of the number of moves apart. Memory: two solutions and
//! the snapshots, which take at most half of the limit.
//!
//! A population takes a list of moves for each solution, which is replayed at the beginning of its turn: twice
//! where a neighbourhood makes the neighbours. It has fewer solutions where more do not fit in a quarter of the
//! memory limit, or where a turn would have fewer neighbours than a solution has decisions;
//! [`Outcome::remarks`](crate::Outcome::remarks) names the number then.
//!
//! Learned links take at most 9 MB, and a checkpoint holds them.
//!
//! With `fit` a run begins with up to three random games, and for sets with replays of these in two other orders:
//! at most 800,000 moves are listed. They count as no playouts.
//!
//! # Departures from the papers
//!
//! Identities, waiting entries, learned links and the plan over the budget are ours. So is what differs in a
//! population: the first temperature is one at which solutions have no equilibrium; solutions begin with different
//! variants, and the first one while differences are measured; edits are drawn without regard to how likely the
//! way back is; systematic resampling keeps the size; feasible solutions replace infeasible ones.
//!
//! # Example
//! ```
//! # use soloist::{Budget, Method, Solver, doc::Staircase};
//! let outcome = Solver::new(&Staircase(20), Method::preset("anneal").unwrap())
//!     .budget(Budget::playouts(3_000)).seed(1).run().unwrap();
//! assert_eq!(outcome.best.unwrap().score.value(), Some(20.0));
//! ```
//!
//! # References
//! S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983, pages
//! 671-680. B. Ruijl, J. Vermaseren, A. Plaat and J. van den Herik, "Why local search excels in expression
//! simplification", arXiv:1409.5223, 2014 (over orders of variables). Populations: K. Hukushima and Y. Iba, "Population
//! annealing and its application to a spin glass", AIP Conference Proceedings 690, 2003, pages 200-206; W. Wang, J.
//! Machta and H. G. Katzgraber, "Comparing Monte Carlo methods for finding ground states of Ising spin glasses:
//! population annealing, simulated annealing, and parallel tempering", Physical Review E 92, 2015. Weights that follow
//! success: S. Ropke and D. Pisinger, Transportation Science 40, 2006. Kicks: H. R. Lourenço, O. C. Martin and T.
//! Stützle, "Iterated local search", Handbook of Metaheuristics, Kluwer 2003, pages 320-353. Threads: D. Janaki Ram, T.
//! H. Sreenivas and K. Ganapathy Subramaniam, "Parallel simulated annealing algorithms", Journal of Parallel and
//! Distributed Computing 37, 1996.

mod defaults_by_kind;
mod delta;
mod descents;
mod edits;
mod energy;
mod family;
mod iterated;
mod learned_link_costs;
mod link_costs;
mod population;
mod population_schedule;
mod quench;
mod replay;
mod run;
mod schedule;

use crate::core::parameter::{parameter_groups, parameters};
use edits::EDITS;

/// How a temperature falls over a cooling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Schedule {
    /// By the same factor a step.
    Geometric,
    /// By the same amount a step.
    Linear,
}

parameters! {
    /// When runs and coolings begin, and how warm they are.
    #[doc(hidden)]
    pub struct Coolings {
        /// neighbours in the first cooling; 0: the cooling is spread over the budget
        steps: u64 = 0, 0..=1_000_000_000_000;
        /// temperature at the start of a cooling, in units of the geometric mean difference of neighbours, or of the
        /// neighbourhood's unit
        start: f64 = 0.1, 1e-12..=1e6;
        /// temperature at the end of a cooling, in the same units
        end: f64 = 0.01, 1e-12..=1e6;
        /// number of runs, each from a new solution; 0: chosen from the budget, `depth` and `most`, or one run of a
        /// population
        runs: u64 = 0, 0..=1_000_000;
        /// neighbours per decision that a run should have; used if runs=0 and population=1
        depth: f64 = 20_000.0, 1.0..=1e12;
        /// largest number of runs; used if runs=0 and population=1
        most: u64 = 3, 1..=1_000_000;
        /// runs that race, each with another variant of the rollout or of the neighbourhood; 1: no race
        arms: u64 = 1, 1..=1024;
        /// solutions that are cooled together, at most; at each temperature worse ones give way to copies of better
        /// ones; 1: one solution alone
        population: u64 = 1, 1..=100_000;
        /// temperatures of a cooling of a population; used if population>1
        levels: u64 = 60, 2..=1_000_000;
        /// fraction of the budget after which the best solution of all is reheated; 1: never
        finish: f64 = 0.75, 0.0..=1.0;
        /// further coolings: of a run of `steps`, each from the run's best solution; from `finish` on, each from the
        /// best of all (at least one)
        reheats: u64 = 0, 0..=1_000_000_000;
        /// factor of the temperature at the start from one cooling of a run to the next
        reheat_factor: f64 = 0.5, 0.0..=1.0;
        /// begin again from a playout when a run of `steps` ends, until the budget is used up
        restarts: bool = true, ();
        /// part of the worse neighbours that the temperature at the start of a cooling accepts, where `start`
        /// and `end` are not set; 0: 0.3 for a neighbourhood that is measured, otherwise the cooling begins at `start`
        acceptance: f64 = 0.0, 0.0..=0.99;
        /// edits of the best solution, at most, that begin each descent of an iterated local search; 0: annealing.
        /// Above 0 the other parameters of this group have no effect
        kicks: u64 = 0, 0..=1_000_000;
    }
}

parameters! {
    /// How neighbours are made.
    #[doc(hidden)]
    pub struct Editing {
        /// use the problem's own neighbourhood where it has one; weights, `longest` and `meet` then have no effect
        local: bool = true, ();
        /// let the weights of the edits follow what they bring
        adapt: bool = false, ();
        /// choose weights, edits and temperatures for assignments and for sets where none are set; learn what links
        /// cost from neighbours, where the score is a sum of links that the problem does not name
        fit: bool = true, ();
        /// most entries of a block; 0: half of the solution
        longest: u64 = 30, 0..=1_000_000_000;
        /// abandon neighbours that meet a state of the present solution, or its future at a worse score so far
        meet: bool = true, ();
    }
}

parameters! {
    /// How often each kind of edit is drawn.
    #[doc(hidden)]
    pub struct Weights {
        /// weight of exchanging two entries
        swap: u64 = 2, 0..=1_000_000;
        /// weight of moving an entry
        insert: u64 = 8, 0..=1_000_000;
        /// weight of moving a block
        block: u64 = 2, 0..=1_000_000;
        /// weight of reversing a block
        reverse: u64 = 1, 0..=1_000_000;
        /// weight of shuffling a block
        shuffle: u64 = 1, 0..=1_000_000;
        /// weight of playing another candidate before an entry
        change: u64 = 2, 0..=1_000_000;
        /// weight of playing another candidate instead of an entry; 0: 20 or more where `fit` finds assignments or sets
        replace: u64 = 0, 0..=1_000_000;
        /// weight of moving a block that begins with a candidate to where the candidate can be played
        guide: u64 = 4, 0..=1_000_000;
        /// weight of an edit that the problem suggests, where it does
        suggest: u64 = 20, 0..=1_000_000;
    }
}

parameter_groups! {
    /// The parameters of the family; see the module.
    #[doc(hidden)]
    pub struct Anneal {
        /// Runs and coolings.
        coolings: Coolings;
        /// Edits and replays.
        editing: Editing;
        /// The kinds of edits.
        weights: Weights;
    }
}

/// The temperatures at the start and the end of a cooling of assignments and sets. With these the mean gap of maximum
/// cuts is 1.4 %, with the usual ones 3.3 % (five graphs, three seeds, one second).
const SUBSTITUTING: (f64, f64) = (0.3, 0.03);
/// Those where links were learned. Mean gaps to the best known value of two pickup-and-delivery tours (six seeds, four
/// seconds): 2.2 and 5.6 % with these, 3.7 and 9.0 % with the usual ones, 2.7 and 5.4 % with twice the first.
const LINKED: (f64, f64) = (0.2, 0.01);

/// The most edits of a kick.
const KICKS: u64 = 4;

impl Anneal {
    /// Whether this is an iterated local search: nothing cools.
    pub(super) fn iterates(&self) -> bool {
        self.coolings.kicks > 0
    }

    /// Iterated local search.
    pub(super) fn iterated() -> Self {
        Self { coolings: Coolings { kicks: KICKS, ..Coolings::default() }, ..Self::default() }
    }
}

impl Coolings {
    /// The part of the worse neighbours that the first temperature accepts. `None`: temperatures are set.
    fn acceptance(&self) -> Option<f64> {
        (self.has_default_temperatures() && self.acceptance > 0.0).then_some(self.acceptance)
    }

    fn has_default_temperatures(&self) -> bool {
        let default = Self::default();
        self.start == default.start && self.end == default.end
    }
}

impl Weights {
    /// In the order of [`EDITS`].
    fn by_kind(&self) -> [u64; EDITS.len()] {
        let &Self { swap, insert, block, reverse, shuffle, change, replace, guide, suggest } = self;
        [swap, insert, block, reverse, shuffle, change, replace, guide, suggest]
    }
}

#[cfg(test)]
mod tests;
