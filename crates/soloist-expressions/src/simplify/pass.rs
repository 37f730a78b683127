//! One pass over an input: search, refinement, code, polishing.

use super::build::best_refined;
use super::{Amount, Event, Found, Phase, Simplified, Simplifier, SimplifyError, best_of, search, simplify};
use crate::algebra::{Signs, System};
use crate::anneal::Limits;
use crate::greedy::Polisher;
use crate::horner::Dag;
use crate::parallel;
use crate::problem::Orders;
use crate::read::as_written;
use crate::scheme::Direction;
use soloist::run::{SolveError, StopReason};
use soloist_domain::InstanceError;
use std::sync::Arc;

/// Programs of at most this many operations are worth polishing beside a better one.
const CLOSE: u64 = 500;
/// How many operations such a program may have more, beside a fifth.
const CLOSE_MORE: u64 = 20;
/// The most terms of an input whose orders are refined with its parentheses kept.
const CLOSE_TERMS: usize = 2_000;
/// The terms over all orders that a search scores by default, and the least number of orders.
const SEARCH_TERMS: u64 = 40_000_000;
const LEAST_ORDERS: u64 = 50;
/// Polishing with at most this much work, or of several programs, begins with a trial.
const TRIAL_WORK: u64 = 3_000_000;
/// Polishing with less work has no trial: it is one.
const TRIAL_LEAST: u64 = 500_000;
/// The part of the work and of the time that a trial takes is one of so many.
const TRIAL_PART: u64 = 3;
/// The parts of the time that is left which search and refinement with building may take.
const SEARCH_PART: f64 = 0.3;
const BUILD_PART: f64 = 0.7;

/// A system to simplify.
#[derive(Clone, Debug)]
pub(super) struct Variant {
    pub(super) system: Arc<System>,
    /// The system that the result shows: the same one, or that without the blocks that factors have become.
    pub(super) shown: Arc<System>,
}

/// A program and the system that it computes.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) variant: Variant,
    pub(super) best: Simplified,
}

impl Candidate {
    fn operations(&self) -> u64 {
        self.best.operations()
    }
}

impl Simplifier<'_> {
    /// The best program of a pass over the first variant, or over the others where they come close. Returns it with
    /// whether a signal ended the search.
    pub(super) fn pass(
        &self,
        variants: &[Variant],
        observe: &mut (dyn FnMut(Event<'_>) + Send),
    ) -> Result<(Candidate, bool), SimplifyError> {
        let system = &variants[0].system;
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
        let candidates = self.build(variants, &orders, refines)?;
        let first = &candidates[0].best;
        if first.attempts > 0 {
            observe(Event::Refined { operations: first.scheme.total(), attempts: first.attempts });
        }
        observe(Event::Begin(Phase::Polish));
        let before = first.operations();
        let (chosen, attempts) = self.polish(&candidates);
        if attempts > 0 {
            observe(Event::Polished { before, after: chosen.best.operations(), attempts });
        }
        Ok((chosen, interrupted))
    }

    /// Polishes programs. Returns the best result and the number of all attempts.
    ///
    /// A third of the work is a trial where there are several programs or a small one. The whole work follows for the
    /// best ones of the trial. A small program that the trial does not improve is often the best one already.
    fn polish(&self, candidates: &[Candidate]) -> (Candidate, u64) {
        let all: Vec<&Candidate> = candidates.iter().collect();
        let chains = self.setup.threads.max(1) as u64;
        let works = candidates.iter().map(|candidate| self.limits(candidate, chains).work);
        let is_small = |work: u64| work <= TRIAL_WORK;
        let tries = self.effort.polish == Amount::BySize
            && works.clone().all(|work| work >= TRIAL_LEAST)
            && (candidates.len() > 1 || works.clone().all(is_small));
        let (tried, further, mut attempts) = if tries {
            let (tried, attempts) = self.chains(&all, TRIAL_PART, 1.0 / TRIAL_PART as f64);
            let least = tried.iter().map(Candidate::operations).min();
            let goes_on = |((candidate, found), work): &((&Candidate, &Candidate), u64)| {
                let lowered = found.operations() < candidate.operations();
                Some(found.operations()) == least && (lowered || !is_small(*work))
            };
            let further = candidates.iter().zip(&tried).zip(works).filter(goes_on);
            let further = further.map(|((candidate, _), _)| candidate).collect();
            (tried, further, attempts)
        } else {
            (Vec::new(), all, 0)
        };
        let (polished, more) = self.chains(&further, 1, 1.0);
        attempts += more;
        let best = polished.into_iter().chain(tried).min_by_key(Candidate::operations);
        (best.expect("there is a program"), attempts)
    }

    /// The limits of polishing a program by one of `parts` runs.
    fn limits(&self, candidate: &Candidate, parts: u64) -> Limits {
        divided(self.effort.polishing(candidate.operations()), parts)
    }

    /// Polishes each program by a `part`-th of the work and a part of the time that is left, as several chains if there
    /// are threads for them. Returns the best result of each and the number of all attempts.
    fn chains(&self, candidates: &[&Candidate], part: u64, time: f64) -> (Vec<Candidate>, u64) {
        let threads = self.setup.threads;
        let chains = threads.max(1);
        let polished = parallel::map(threads, candidates.len() * chains, |job| {
            let (candidate, chain) = (candidates[job / chains], job % chains);
            // The jobs that come before it take their part of the time.
            let left = (candidates.len() * chains - job).div_ceil(chains);
            let seed = self.setup.seed.wrapping_add((chain as u64) << 32);
            let limits = self.limits(candidate, part * chains as u64);
            Some(self.polished(candidate, limits, seed, time / left as f64))
        });
        let attempts = polished.iter().map(|(_, attempts)| attempts).sum();
        let best = |chains: &[(Candidate, u64)]| {
            let found = chains.iter().map(|(found, _)| found).min_by_key(|found| found.operations());
            found.cloned()
        };
        (polished.chunks(chains).filter_map(best).collect(), attempts)
    }

    /// A program after an annealing, and the number of attempts.
    pub(super) fn polished(&self, candidate: &Candidate, limits: Limits, seed: u64, part: f64) -> (Candidate, u64) {
        let stop = self.stop.part(part);
        let mut polisher = Polisher::new(candidate.best.program.clone(), limits, seed);
        if self.effort.as_written {
            polisher = polisher.keep_products();
        }
        while polisher.advance(stop) && !stop.is_set() {}
        let attempts = polisher.attempts();
        let best = Simplified { program: polisher.finish(), ..candidate.best.clone() };
        (Candidate { best, ..candidate.clone() }, attempts)
    }

    /// Searches for orders.
    fn search(&self, system: &Arc<System>, observe: &mut (dyn FnMut(Event<'_>) + Send)) -> Result<Found, SolveError> {
        let mut problem = Orders::new(Arc::clone(system), Signs::Canonical, Direction::Forward);
        let mut improved = |score, elapsed| observe(Event::Improved(score, elapsed));
        let (mut budget, proof) = (self.effort.budget(), self.effort.proof_work());
        if self.effort.playouts.is_none() && self.effort.time.is_none() {
            let most = (SEARCH_TERMS / system.terms().max(1) as u64).max(LEAST_ORDERS);
            budget.playouts = budget.playouts.map(|playouts| playouts.min(most));
        }
        search(&mut problem, &self.setup, budget, proof, self.stop.part(SEARCH_PART), &mut improved)
    }

    /// The orders that code is built from: those found, and both occurrence orders; fewer of a large system.
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

    /// The best program over the orders of the first variant, and over the occurrence orders of what else may become
    /// better by polishing: the other variants, and the input with its parentheses kept where it holds sums that were
    /// multiplied out. The best one is the first.
    fn build(
        &self,
        variants: &[Variant],
        orders: &[Vec<usize>],
        refines: bool,
    ) -> Result<Vec<Candidate>, InstanceError> {
        let Self { effort, setup, .. } = self;
        let (variant, stop) = (&variants[0], self.stop.part(BUILD_PART));
        let system = &variant.system;
        let mut best = None;
        if refines {
            let (starts, operations) = starts(system, orders, effort.refined());
            let limits = effort.refinement(operations);
            best = best_refined(setup.threads, system, &starts, limits, setup.seed, effort.greedy, stop);
        }
        if !effort.greedy {
            let order = orders.first().map_or(&[][..], Vec::as_slice);
            let best = best.unwrap_or_else(|| simplify(system, order, false, stop));
            return Ok(vec![Candidate { variant: variant.clone(), best }]);
        }
        let best = best.or_else(|| best_of(system, orders, stop));
        let best = best.unwrap_or_else(|| simplify(system, &[], true, stop));
        let mut candidates = vec![Candidate { variant: variant.clone(), best }];
        let mut others = variants[1..].to_vec();
        if self.order.is_none()
            && !effort.as_written
            && let Some(written) = as_written(&variant.shown)?
        {
            let written = Arc::new(written);
            others.push(Variant { shown: Arc::clone(&written), system: written });
        }
        for variant in others {
            let (system, own) = (&variant.system, candidates[0].best.operations());
            let orders = system.occurrence_orders();
            let Some(other) = best_of(system, &orders, stop) else { continue };
            let others = other.operations();
            let close = own.min(others) <= CLOSE && 5 * own.max(others) <= 6 * own.min(others) + CLOSE_MORE;
            let refined = (refines && close && system.terms() <= CLOSE_TERMS)
                .then(|| {
                    let limits = effort.refinement(others);
                    best_refined(setup.threads, system, &orders, limits, setup.seed, true, stop)
                })
                .flatten()
                .filter(|refined| refined.operations() < others);
            let other = Candidate { best: refined.unwrap_or(other), variant };
            match (other.best.operations() < own, close) {
                (true, true) => candidates.insert(0, other),
                (true, false) => candidates[0] = other,
                (false, true) => candidates.push(other),
                (false, false) => {}
            }
        }
        Ok(candidates)
    }
}

/// The limits of one of several chains.
fn divided(limits: Limits, chains: u64) -> Limits {
    let part = |whole: u64| if whole == u64::MAX { whole } else { whole.div_ceil(chains) };
    Limits { attempts: part(limits.attempts), work: part(limits.work) }
}

/// The orders to refine, and the operations of the best one: the `count` orders whose Horner forms have the fewest
/// operations, and the better occurrence order, because it leads elsewhere.
fn starts(system: &System, orders: &[Vec<usize>], count: usize) -> (Vec<Vec<usize>>, u64) {
    let operations = |order: &[usize]| Dag::build(system, order, Signs::Canonical).code_counts().total();
    let mut scored: Vec<(u64, &Vec<usize>)> = orders.iter().map(|order| (operations(order), order)).collect();
    soloist::order::sort_by_key(&mut scored, |&(operations, _)| operations);
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
