//! The search for orders behind `simplify`.

use super::{Direction, Orders, Signs, System};
use soloist::{
    Budget, Improvement, Method, Observer, Outcome, Problem, Progress, Solution, SolveError, Solver, StopReason,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Improvements of a search whose orders are kept, the last ones.
const KEPT: usize = 8;

/// A search for orders: which method, how long.
#[derive(Debug)]
pub struct Search<'a> {
    /// The method.
    pub method: Method,
    /// Which end of the order is decided first.
    pub direction: Direction,
    /// The seed.
    pub seed: u64,
    /// Streams.
    pub threads: usize,
    /// When to stop.
    pub budget: Budget,
    /// Ends the search when it becomes true.
    pub stop: Option<&'a AtomicBool>,
    /// Find the best order of all afterwards and prove it, if `n 2^(n-1) t` for n variables and t terms is at most this;
    /// two hundred millions take about a second.
    pub prove: u64,
}

/// What a search for orders has found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Orders of all symbols, outermost first: the best one and those that were best before it, best first.
    pub orders: Vec<Vec<usize>>,
    /// The best score: operations after common sub-expressions. `None`: no order was finished.
    pub score: Option<f64>,
    /// Whether that score is proven to be the best of all orders.
    pub optimal: bool,
    /// Orders scored.
    pub playouts: u64,
    /// Wall-clock time.
    pub elapsed: Duration,
    /// Why it ended.
    pub stop: StopReason,
}

/// The method that suits orders.
#[must_use]
pub fn default_method() -> Method {
    super::domain::default_method()
}

/// Searches for good orders of the symbols of `system`; `improved` is told each better score and the time.
///
/// [`Orders::prove`] follows where [`Search::prove`] allows it, unless the search was interrupted.
///
/// # Errors
/// As of [`Solver::run`].
pub fn search(
    system: Arc<System>,
    search: Search<'_>,
    improved: &mut (dyn FnMut(f64, Duration) + Send),
) -> Result<Found, SolveError> {
    let mut problem = Orders::new(system, Signs::Canonical, search.direction);
    let mut watch = Watch { last: Vec::new(), improved };
    let mut solver = Solver::new(&problem, search.method)
        .seed(search.seed)
        .threads(search.threads.max(1))
        .budget(search.budget)
        .observer(&mut watch, Duration::from_secs(3600));
    if let Some(stop) = search.stop {
        solver = solver.stop_flag(stop);
    }
    let Outcome { best, mut optimal, stop, counters, mut elapsed, .. } = solver.run()?;
    let mut orders: Vec<Vec<usize>> = Vec::new();
    let mut score = best.as_ref().and_then(|best| best.score.value());
    for moves in best.into_iter().map(|best| best.moves).chain(watch.last.into_iter().rev()) {
        let order = problem.order(&moves);
        if !orders.contains(&order) {
            orders.push(order);
        }
    }
    if problem.proof_work() <= search.prove && !optimal && stop != StopReason::Interrupted {
        let start = Instant::now();
        let mut watch = |_, _| !search.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        // With too many variables there is no proof, and the search has done what it could.
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
    Ok(Found { orders, score, optimal, playouts: counters.playouts, elapsed, stop })
}

/// Keeps the last improvements.
struct Watch<'a> {
    last: Vec<Vec<u8>>,
    improved: &'a mut (dyn FnMut(f64, Duration) + Send),
}

impl Observer<u8> for Watch<'_> {
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
