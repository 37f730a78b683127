//! The search for orders.

use crate::problem::Orders;
use crate::stop::Stop;
use soloist::run::{Improvement, Observer, Progress, Solution, SolveError, StopReason};
use soloist::{Budget, Outcome, Problem, Setup, Solver};
use std::time::{Duration, Instant};

/// The number of improvements whose orders are kept: the last ones.
const KEPT: usize = 8;

/// The setup that suits orders: annealing with seed 0 in one thread. Of all methods, annealing finds the best orders
/// within a few thousand evaluations.
#[must_use]
pub fn default_setup() -> Setup {
    Setup::named("anneal")
}

/// The result of a search for orders.
#[derive(Clone, Debug)]
pub struct Found {
    /// Orders of all symbols, outermost first: the best one and those that were best before it, best first.
    pub orders: Vec<Vec<usize>>,
    /// The best score: operations after common sub-expressions. `None`: no order was finished.
    pub score: Option<f64>,
    /// Whether that score is proven to be the best of all orders.
    pub optimal: bool,
    /// The number of orders scored.
    pub playouts: u64,
    /// Wall-clock time.
    pub elapsed: Duration,
    /// Why the search ended.
    pub stop: StopReason,
}

/// Searches for good orders of the symbols of a system. Calls `improved` with each better score and the time since the
/// search began.
///
/// If [`Orders::proof_work`] is at most `proof`, [`Orders::prove`] follows, unless the search was interrupted. A proof
/// of two hundred millions takes about a second.
///
/// # Errors
/// The errors of [`Solver::run`].
pub fn search(
    problem: &mut Orders,
    setup: &Setup,
    budget: Budget,
    proof: u64,
    stop: Stop<'_>,
    improved: &mut (dyn FnMut(f64, Duration) + Send),
) -> Result<Found, SolveError> {
    let mut recorder = Recorder { last: Vec::new(), improved };
    let left = stop.moment().map(|moment| moment.saturating_duration_since(Instant::now()));
    let time = budget.time.into_iter().chain(left).min();
    let mut solver = Solver::new(problem, setup.clone())
        .budget(Budget { time, ..budget })
        .observer(&mut recorder, Duration::from_secs(3600));
    if let Some(flag) = stop.flag() {
        solver = solver.stop_flag(flag);
    }
    let Outcome { best, mut optimal, stop: reason, counters, mut elapsed, .. } = solver.run()?;
    let mut orders: Vec<Vec<usize>> = Vec::new();
    let mut score = best.as_ref().and_then(|best| best.score.value());
    for moves in best.into_iter().map(|best| best.moves).chain(recorder.last.into_iter().rev()) {
        let order = problem.order(&moves);
        if !orders.contains(&order) {
            orders.push(order);
        }
    }
    if problem.proof_work() <= proof && !optimal && reason != StopReason::Interrupted {
        let start = Instant::now();
        let mut watch = |_, _| !stop.is_set();
        // With too many variables there is no proof, and the result of the search stands.
        if let Ok(Some(order)) = problem.prove(orders.first().map(Vec::as_slice), &mut watch) {
            optimal = true;
            let proven = problem.bound(&problem.root());
            if proven != score || orders.is_empty() {
                score = proven;
                orders.insert(0, order);
            }
        }
        elapsed += start.elapsed();
    }
    Ok(Found { orders, score, optimal, playouts: counters.playouts, elapsed, stop: reason })
}

/// Records the last improvements and passes their scores on.
struct Recorder<'a> {
    last: Vec<Vec<u8>>,
    improved: &'a mut (dyn FnMut(f64, Duration) + Send),
}

impl Observer<u8> for Recorder<'_> {
    fn improved(&mut self, improvement: &Improvement, solution: &Solution<u8>, progress: &Progress) {
        if self.last.len() == KEPT {
            self.last.remove(0);
        }
        self.last.push(solution.moves.clone());
        if let Some(score) = improvement.score.value() {
            (self.improved)(score, progress.elapsed);
        }
    }
}
