//! From a system to its best program: all phases in one place.

mod build;
mod effort;
mod related;
mod search;

use build::best_refined;
pub use build::{Simplified, best_of, simplify};
pub use effort::{Amount, Effort};
pub use search::{Found, default_setup, search};

use crate::algebra::{Signs, System};
use crate::greedy::Polisher;
use crate::horner::Dag;
use crate::problem::Orders;
use crate::read::{as_written, inlined};
use crate::scheme::Direction;
use crate::stop::Stop;
use soloist::{Setup, SolveError, StopReason};
use soloist_domain::InstanceError;
use std::sync::Arc;
use std::time::Duration;

/// The most terms of an intermediate that is put in where it is used, as tried one after the other.
const INLINE: [usize; 7] = [0, 1, 2, 4, 8, 16, 64];

/// Programs of at most this many operations are worth polishing beside a better one.
const CLOSE: u64 = 500;
/// How many operations such a program may have more, beside a fifth.
const CLOSE_MORE: u64 = 20;
/// The most terms of an input whose orders are refined with its parentheses kept.
const CLOSE_TERMS: usize = 2_000;

/// A program and the system that it computes.
#[derive(Debug)]
struct Candidate {
    system: Arc<System>,
    best: Simplified,
}

/// Simplifies systems: searches for orders of the variables, refines the best ones, extracts common pairs, polishes.
///
/// The default runs the method that suits orders with seed 0, one thread and the default [`Effort`]. The seed of the
/// [`Setup`] reaches every phase that draws: search, refinement and polishing. Equal settings give equal programs on
/// any machine, unless a limit of time or `stop` ends a phase.
///
/// ```
/// use soloist_expressions::{Effort, Simplifier, generate};
/// let system = generate("res:3,2").unwrap().into();
/// let simplifier = Simplifier { effort: Effort::playouts(100), ..Simplifier::default() };
/// let best = simplifier.run(&system, &mut |_| ()).unwrap().best;
/// assert_eq!(system.counts().total(), 67);
/// assert!(best.operations() < 30);
/// ```
#[derive(Clone, Debug)]
pub struct Simplifier<'a> {
    /// Method, rollout, seed and threads of the search; the seed is that of all phases.
    pub setup: Setup,
    /// How much each phase does.
    pub effort: Effort,
    /// The order of the variables, outermost first, completed as by [`System::completed`]. `None`: orders are searched.
    pub order: Option<Vec<usize>>,
    /// Ends every phase early, with a correct program.
    pub stop: Stop<'a>,
}

impl Default for Simplifier<'_> {
    fn default() -> Self {
        Self { setup: default_setup(), effort: Effort::default(), order: None, stop: Stop::never() }
    }
}

/// A phase of a simplification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The search for orders, with the proof that may follow it.
    Search,
    /// Orders are refined, and the code of each is built.
    Refine,
    /// The code of each order is built.
    Build,
    /// The code of the best order is polished.
    Polish,
}

/// What happens during a simplification.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A phase begins.
    Begin(Phase),
    /// The search has found a better order: its score, and the time since the search began.
    Improved(f64, Duration),
    /// The search has ended.
    Searched(&'a Found),
    /// Orders were refined: the best program before the greedy phase.
    Refined {
        /// Its operations.
        operations: u64,
        /// The attempts for all orders together.
        attempts: u64,
    },
    /// The program was polished.
    Polished {
        /// Operations before.
        before: u64,
        /// Operations after.
        after: u64,
        /// The number of attempts.
        attempts: u64,
    },
}

/// The result of a simplification.
#[derive(Clone, Debug)]
pub struct Simplification {
    /// The system that the program computes: the one given, or the same input with its parentheses kept.
    pub system: Arc<System>,
    /// The program.
    pub best: Simplified,
    /// Whether `stop` ended the search for orders.
    pub interrupted: bool,
}

/// A simplification that cannot run.
#[derive(Debug, thiserror::Error)]
pub enum SimplifyError {
    /// The search was refused.
    #[error(transparent)]
    Search(#[from] SolveError),
    /// The input cannot be read with its parentheses kept.
    #[error(transparent)]
    Input(#[from] InstanceError),
}

impl Simplifier<'_> {
    /// Simplifies `system` without relations between its outputs.
    fn run_alone(
        &self,
        system: &Arc<System>,
        observe: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<Simplification, SimplifyError> {
        let system = &self.inline(system);
        let (orders, interrupted) = match &self.order {
            Some(order) => (vec![system.completed(order)], false),
            None => {
                observe(Event::Begin(Phase::Search));
                let found = self.search(system, observe)?;
                observe(Event::Searched(&found));
                let interrupted = found.stop == StopReason::Interrupted;
                (self.candidates(system, found.orders), interrupted)
            }
        };
        let refines = self.effort.refines(system.terms(), self.order.is_some());
        observe(Event::Begin(if refines { Phase::Refine } else { Phase::Build }));
        let (first, second) = self.build(system, &orders, refines)?;
        if first.best.attempts > 0 {
            observe(Event::Refined { operations: first.best.scheme.total(), attempts: first.best.attempts });
        }
        observe(Event::Begin(Phase::Polish));
        let before = first.best.operations();
        let (mut chosen, mut attempts) = self.polish(first);
        if let Some(second) = second {
            let (other, more) = self.polish(second);
            attempts += more;
            if other.best.operations() < chosen.best.operations() {
                chosen = other;
            }
        }
        if attempts > 0 {
            observe(Event::Polished { before, after: chosen.best.operations(), attempts });
        }
        Ok(Simplification { system: chosen.system, best: chosen.best, interrupted })
    }

    /// Polishes a program. Returns it with the number of attempts.
    fn polish(&self, mut candidate: Candidate) -> (Candidate, u64) {
        let limits = self.effort.polishing(candidate.best.operations());
        let mut polisher = Polisher::new(candidate.best.program, limits, self.setup.seed);
        while polisher.advance(self.stop) && !self.stop.is_set() {}
        let attempts = polisher.attempts();
        candidate.best.program = polisher.finish();
        (candidate, attempts)
    }

    /// The input with those intermediates put in that make the least code of the occurrence orders: all of them, or
    /// only short ones.
    fn inline(&self, system: &Arc<System>) -> Arc<System> {
        if self.order.is_some() || !self.effort.greedy {
            return Arc::clone(system);
        }
        let operations = |system: &System| {
            let best = best_of(system, &system.occurrence_orders(), self.stop);
            best.map_or(u64::MAX, |best| best.operations())
        };
        let mut best: Option<(u64, Arc<System>)> = None;
        for other in inlined(system, &INLINE) {
            let (least, chosen) = best.get_or_insert_with(|| (operations(system), Arc::clone(system)));
            if self.stop.is_set() {
                break;
            }
            let found = if other.terms() == chosen.terms() { u64::MAX } else { operations(&other) };
            if found < *least {
                (*least, *chosen) = (found, Arc::new(other));
            }
        }
        best.map_or_else(|| Arc::clone(system), |(_, chosen)| chosen)
    }

    /// Searches for orders.
    fn search(&self, system: &Arc<System>, observe: &mut (dyn FnMut(Event<'_>) + Send)) -> Result<Found, SolveError> {
        let mut problem = Orders::new(Arc::clone(system), Signs::Canonical, Direction::Forward);
        let mut improved = |score, elapsed| observe(Event::Improved(score, elapsed));
        let (budget, proof) = (self.effort.budget(), self.effort.proof_work());
        search(&mut problem, &self.setup, budget, proof, self.stop, &mut improved)
    }

    /// The orders of which code is built: those found, and both occurrence orders; fewer of a large system.
    fn candidates(&self, system: &System, found: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        let mut orders = found;
        for standard in system.occurrence_orders() {
            if !orders.contains(&standard) {
                orders.push(standard);
            }
        }
        orders.truncate(self.effort.candidates(system.terms()));
        orders
    }

    /// The best program over the orders. Where the input holds sums that were multiplied out, also over the input with
    /// its parentheses kept: the better one of the two first, and the other one if it may become better by polishing.
    fn build(
        &self,
        system: &Arc<System>,
        orders: &[Vec<usize>],
        refines: bool,
    ) -> Result<(Candidate, Option<Candidate>), InstanceError> {
        let Self { effort, stop, setup, .. } = self;
        let mut best = None;
        if refines {
            let (starts, operations) = starts(system, orders, effort.refined());
            best = best_refined(system, &starts, effort.refinement(operations), setup.seed, effort.greedy, *stop);
        }
        if !effort.greedy {
            let order = orders.first().map_or(&[][..], Vec::as_slice);
            let best = best.unwrap_or_else(|| simplify(system, order, false, *stop));
            return Ok((Candidate { system: Arc::clone(system), best }, None));
        }
        let best = best.or_else(|| best_of(system, orders, *stop));
        let best = best.unwrap_or_else(|| simplify(system, &[], true, *stop));
        let first = Candidate { system: Arc::clone(system), best };
        if self.order.is_none()
            && let Some(written) = as_written(system)?
            && let Some(other) = best_of(&written, &written.occurrence_orders(), *stop)
        {
            let orders = written.occurrence_orders();
            let (own, others) = (first.best.operations(), other.operations());
            let close = own.min(others) <= CLOSE && 5 * own.max(others) <= 6 * own.min(others) + CLOSE_MORE;
            let refined = (refines && close && written.terms() <= CLOSE_TERMS)
                .then(|| best_refined(&written, &orders, effort.refinement(others), setup.seed, true, *stop))
                .flatten()
                .filter(|refined| refined.operations() < other.operations());
            let second = Candidate { system: Arc::new(written), best: refined.unwrap_or(other) };
            let (better, worse) = if second.best.operations() < own { (second, first) } else { (first, second) };
            return Ok((better, close.then_some(worse)));
        }
        Ok((first, None))
    }
}

/// The orders to refine, and the operations of the best one: the `count` orders whose Horner forms have the fewest
/// operations, and the better occurrence order, because it leads elsewhere.
fn starts(system: &System, orders: &[Vec<usize>], count: usize) -> (Vec<Vec<usize>>, u64) {
    let operations = |order: &[usize]| Dag::build(system, order, Signs::Canonical).code_counts().total();
    let mut scored: Vec<(u64, &Vec<usize>)> = orders.iter().map(|order| (operations(order), order)).collect();
    scored.sort_by_key(|&(operations, _)| operations);
    let least = scored.first().map_or(0, |&(operations, _)| operations);
    let mut starts: Vec<Vec<usize>> = scored.iter().take(count).map(|&(_, order)| order.clone()).collect();
    // A single order was asked for, or a large system has no time for more.
    if orders.len() > 1 {
        let known = |standard: &Vec<usize>| {
            let known = scored.iter().find(|&&(_, order)| order == standard);
            known.map_or_else(|| operations(standard), |&(operations, _)| operations)
        };
        let better = system.occurrence_orders().into_iter().min_by_key(known);
        starts.extend(better.filter(|standard| !starts.contains(standard)));
    }
    (starts, least)
}
