//! The own search of all problems: ruin and recreation.

use crate::anneal::{Annealing, SavedAnnealing};
use crate::kernel::Kernel;
use crate::network::Network;
use crate::schedule::Schedule;
use crate::sisr::{Sisr, SisrSettings};
use soloist::problem::{ProblemSearch, SearchInfo, StepStatus, Unit, Work};
use soloist::run::CheckpointError;
use soloist::search::{ParameterValues, Preset};
use soloist::{Method, Problem, Score};
use std::sync::Arc;

soloist::parameter_table! {
    /// The parameters of [`Annealing`].
    pub struct Parameters {
        /// moves tried in a round of the first generation, for each customer
        steps: f64 = 600.0, 1.0..=1e9;
        /// factor of the length of a round from generation to generation
        growth: f64 = 1.5, 1.0..=10.0;
        /// share of a generation for each attempt to save a vehicle
        fleet: f64 = 0.1, 0.0..=1.0;
        /// rounds of the first generation that begin with a new construction
        founders: u64 = 16, 1..=1000;
        /// such rounds of each later generation
        fresh: u64 = 8, 0..=1000;
        /// rounds of a generation that begin with a child of two solutions of the pool
        children: u64 = 24, 0..=1000;
        /// the most solutions in the pool
        pool: u64 = 12, 1..=1000;
        /// temperature at the beginning of a round with a new construction, as a fraction of the mean distance; in
        /// `tsptw` of a tenth of it, here and below
        start: f64 = 1.0, 1e-6..=1e3;
        /// temperature at the beginning of a round with a child
        reheat: f64 = 0.3, 1e-6..=1e3;
        /// temperature at the end of a round
        end: f64 = 0.02, 1e-6..=1e3;
        /// customers removed by a ruin, on average; at most 10 in long routes (20 customers and more) of more than 200
        /// customers; in `tsptw` half as many
        removed: f64 = 15.0, 1.0..=200.0;
        /// the longest string of customers removed from a route; at most 10, or half as many, there
        longest: u64 = 20, 1..=500;
        /// chance that a position is overlooked; in `tsptw` a fifth of it
        blink: f64 = 0.05, 0.0..=0.9;
        /// exchanges between likely neighbours that are tried behind each ruin in a single route, and in long routes of
        /// more than 200 customers
        exchanges: u64 = 20, 0..=100000;
    }
}

impl Parameters {
    pub(crate) fn schedule(&self) -> Schedule {
        // The ranges are those of small numbers.
        let [founders, fresh, children] = [self.founders, self.fresh, self.children].map(|rounds| rounds as u32);
        let &Self { steps, growth, fleet, start, reheat, end, removed, blink, exchanges, .. } = self;
        let (pool, longest) = (self.pool as usize, self.longest as usize);
        let shortening = SisrSettings { removed, longest, blink, exchanges: exchanges as u32, ..SisrSettings::tuned() };
        let usual = Schedule::default();
        Schedule { steps, growth, fleet, founders, fresh, children, pool, start, reheat, end, shortening, ..usual }
    }
}

/// The search of all problems.
pub(crate) const SISR: SearchInfo = SearchInfo::new::<Parameters>(
    "sisr",
    "ruin and recreation: strings of customers are removed and return to their cheapest positions, in annealed rounds",
    "J. Christiaens and G. Vanden Berghe, Transportation Science 54, 2020; the rounds are ours",
    Unit::Solution("moves tried"),
)
.units_a_step(250);

/// The methods of all problems, for lists.
pub(crate) const METHODS: &[Preset] = &[Preset::own(&SISR, || Method::own(&SISR))];

/// What the search asks of its problem.
pub(crate) trait Routes: Problem<Move = u16> + 'static {
    /// What is annealed.
    type Kernel: Kernel + Send + 'static;
    /// Returns an annealing that has not begun.
    fn annealing(&self, parameters: &Parameters) -> Annealing<Self::Kernel>;
    /// Appends the moves of a finished solution with the routes of a kernel's tour. Who is left out and finds a place
    /// behind them is added.
    fn play(&self, tour: &[u16], moves: &mut Vec<u16>);
    /// Splits a solution into the tour of a kernel and the customers left out. Returns whether ruin and recreation can
    /// begin with it.
    fn split(&self, moves: &[u16], score: Score, tour: &mut Vec<u16>, absent: &mut Vec<u16>) -> bool;
}

/// Returns the annealing of a network whose routes cost this much beside their distance.
pub(crate) fn annealing(network: &Arc<Network>, route_cost: f64, parameters: &Parameters) -> Annealing<Sisr> {
    Annealing::with(Arc::clone(network), route_cost, parameters.schedule().for_network(network))
}

/// The name of the rollout that ends its playouts with this search.
pub(crate) const REFINED: &str = "refined";
/// Steps of ruin and recreation in a playout of the rollout `refined`, unless its name says otherwise.
const PLAYOUT_STEPS: u64 = 1000;

/// Returns the steps that the name of a rollout asks for: `refined`, or `refined:STEPS`. `None`: it is another name.
pub(crate) fn refined_steps(name: &str) -> Option<u64> {
    let steps = match name.strip_prefix(REFINED)? {
        "" => PLAYOUT_STEPS,
        rest => rest.strip_prefix(':')?.parse().ok()?,
    };
    (1..=1_000_000_000).contains(&steps).then_some(steps)
}

/// One annealing over the whole run; a unit is a ruin with its recreation.
#[derive(Debug)]
pub(crate) struct Refinement<K> {
    annealing: Annealing<K>,
    moves: Vec<u16>,
}

impl<K: Kernel + Send + 'static> Refinement<K> {
    /// Returns the search of a problem.
    pub(crate) fn make<P: Routes<Kernel = K>>(
        problem: &P,
        settings: &ParameterValues,
    ) -> Option<Box<dyn ProblemSearch<P>>> {
        let parameters: Parameters = settings.read().ok()?;
        Some(Box::new(Self { annealing: problem.annealing(&parameters), moves: Vec::new() }))
    }
}

impl<K: Kernel + Send, P: Routes<Kernel = K>> ProblemSearch<P> for Refinement<K> {
    fn step(&mut self, problem: &P, work: &mut Work<'_, P>) -> StepStatus {
        while work.quota() > 0 {
            if self.annealing.wants_look() {
                self.annealing.look(work.progress());
            }
            let mut rng = work.rng().clone();
            let quota = work.quota();
            let (made, improved) = self.annealing.advance_until(quota, &mut rng, || work.is_cut());
            *work.rng() = rng;
            work.spend(made);
            if improved {
                self.moves.clear();
                problem.play(self.annealing.best(), &mut self.moves);
                work.found(&self.moves);
            } else if made < quota && !self.annealing.wants_look() {
                break;
            }
        }
        StepStatus::Running
    }

    /// The annealing continues from the solution if it is better than its own.
    fn offer(&mut self, problem: &P, moves: &[u16], score: Score) {
        let (mut tour, mut absent) = (Vec::new(), Vec::new());
        if problem.split(moves, score, &mut tour, &mut absent) {
            self.annealing.offer(&tour, &absent);
        }
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        let (generation, temperature) = self.annealing.progress();
        vec![("generation", generation), ("temperature, in mean distances", temperature)]
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.annealing.save()).unwrap_or_default()
    }

    fn load(&mut self, _: &P, bytes: &[u8]) -> Result<(), CheckpointError> {
        match postcard::take_from_bytes::<SavedAnnealing>(bytes) {
            Ok((saved, [])) => self.annealing.load(saved).map_err(CheckpointError::Corrupt),
            _ => Err(CheckpointError::Corrupt("the annealing does not decode")),
        }
    }
}
