//! Annealing with ruin and recreation over any number of steps: fewer vehicles first, then distance, in rounds of growing length.

use crate::bound::fewest_vehicles;
use crate::network::Network;
use crate::sisr::{Settings, Sisr};
use serde::{Deserialize, Serialize};
use soloist::Rng;
use std::sync::Arc;

/// How the steps are divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Steps of the first round for each customer.
    pub steps: f64,
    /// Factor of the length from round to round.
    pub growth: f64,
    /// Share of a round that is spent on saving a vehicle, at most.
    pub fleet: f64,
    /// Temperature at the beginning of the first round, as a fraction of the mean distance between stops.
    pub start: f64,
    /// That of later rounds, which begin at the best solution.
    pub reheat: f64,
    /// Temperature at the end of a round.
    pub end: f64,
    /// Temperature while vehicles are saved.
    pub calm: f64,
    /// Whether every second round that could not save a vehicle goes on from where that ended, instead of from the best solution.
    pub wander: bool,
    /// Ruin and recreation while vehicles are saved.
    pub saving: Settings,
    /// Ruin and recreation while routes are shortened.
    pub shortening: Settings,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            steps: 5_000.0,
            growth: 2.0,
            fleet: 0.25,
            start: 1.0,
            reheat: 1.0,
            end: 0.02,
            calm: 0.1,
            wander: true,
            saving: Settings::default(),
            shortening: Settings::tuned(),
        }
    }
}

/// What the next step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// Builds the first solution.
    Begin,
    /// Serves everyone with a vehicle less.
    Fleet,
    /// Shortens routes.
    Distance,
}

/// Where the annealing stands; with the present and the best solution all that a checkpoint needs.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Clock {
    phase: Phase,
    /// Rounds that have ended.
    round: u32,
    /// Steps in this phase, made and to be made.
    step: u64,
    steps: u64,
    /// Steps of the whole run.
    total: u64,
    /// The unit of temperatures: the mean distance between stops of the best solution when the phase began.
    unit: f64,
}

/// A solution with the customers that it leaves out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// The customers of each route behind a 0.
    tour: Vec<u16>,
    absent: Vec<u16>,
    vehicles: usize,
    cost: f64,
}

/// An annealing as a checkpoint holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedAnnealing {
    clock: Clock,
    best: Kept,
    tour: Vec<u16>,
    absent: Vec<u16>,
    fleet: usize,
    misses: Vec<u32>,
}

/// One long search that needs no budget: rounds, each longer than the one before, from the best solution or (every second one) from where an attempt to
/// save a vehicle ended.
///
/// A round first tries to serve all customers with a vehicle less (where vehicles count and the bound allows fewer), for a share of
/// its steps, as often as that succeeds; the rest cools from a temperature at which most changes are accepted to one at which
/// none for the worse is.
///
/// # References
/// J. Christiaens and G. Vanden Berghe, Transportation Science 54, 2020, pages 417-433: both phases. The rounds are ours.
#[derive(Debug)]
pub struct Annealing {
    kernel: Sisr,
    schedule: Schedule,
    fewest: usize,
    best: Kept,
    clock: Clock,
}

impl Annealing {
    /// An annealing with the default numbers that has not begun.
    #[must_use]
    pub fn new(network: Arc<Network>, route_cost: f64) -> Self {
        Self::with(network, route_cost, Schedule::default())
    }

    /// An annealing that has not begun. `route_cost` is what a route costs beside its distance; with 0, vehicles do not count.
    #[must_use]
    pub fn with(network: Arc<Network>, route_cost: f64, schedule: Schedule) -> Self {
        let fewest = fewest_vehicles(&network);
        Self {
            kernel: Sisr::new(network, route_cost, schedule.shortening),
            schedule,
            fewest,
            best: Kept::default(),
            clock: Clock { phase: Phase::Begin, round: 0, step: 0, steps: 0, total: 0, unit: 0.0 },
        }
    }

    /// The best tour: the customers of each route behind a 0. Empty before the first step.
    #[must_use]
    pub fn best(&self) -> &[u16] {
        &self.best.tour
    }

    /// Routes of the best tour.
    #[must_use]
    pub fn vehicles(&self) -> usize {
        self.best.vehicles
    }

    /// Customers that the best tour leaves out.
    #[must_use]
    pub fn absent(&self) -> &[u16] {
        &self.best.absent
    }

    /// Cost of the best tour without that of its routes, in the units of the file.
    #[must_use]
    pub fn cost(&self) -> f64 {
        (self.best.cost - self.kernel.route_cost() * self.best.vehicles as f64) / self.kernel.network().scale()
    }

    /// Steps made.
    #[must_use]
    pub fn steps_made(&self) -> u64 {
        self.clock.total
    }

    /// Makes `steps` steps. Runs of the same chunks are the same, before and after a checkpoint; other chunks may differ in the last digits of
    /// costs.
    pub fn advance(&mut self, steps: u64, rng: &mut Rng) {
        self.kernel.recount();
        for _ in 0..steps {
            self.clock.total += 1;
            self.step(rng);
        }
    }

    fn step(&mut self, rng: &mut Rng) {
        self.clock.step += 1;
        match self.clock.phase {
            Phase::Begin => {
                let all: Vec<u16> = (1..self.kernel.network().size()).map(|c| c as u16).collect();
                self.kernel.construct(&all, rng);
                self.keep();
                self.begin_round();
            }
            Phase::Fleet => {
                if self.kernel.step_fleet(rng, self.schedule.calm * self.clock.unit) {
                    self.keep();
                    if !self.may_save() {
                        self.begin_distance();
                        return;
                    }
                    self.kernel.drop_route();
                    self.clock.step = 0;
                }
                if self.clock.step >= self.clock.steps {
                    self.begin_distance();
                }
            }
            Phase::Distance => {
                let part = self.clock.step as f64 / self.clock.steps as f64;
                let Schedule { start, reheat, end, .. } = self.schedule;
                let start = if self.clock.round == 0 { start } else { reheat };
                let temperature = self.clock.unit * start * libm::pow(end / start, part);
                if self.kernel.step(rng, temperature) {
                    self.keep();
                }
                if self.clock.step >= self.clock.steps {
                    self.clock.round += 1;
                    self.begin_round();
                }
            }
        }
    }

    /// Keeps the present solution if it is the best.
    fn keep(&mut self) {
        let (absent, cost) = (self.kernel.absent().len(), self.kernel.cost());
        let best = &mut self.best;
        let begun = !best.tour.is_empty() || !best.absent.is_empty();
        // The margin is above the errors of sums of differences.
        let better = absent < best.absent.len() || absent == best.absent.len() && cost < best.cost - best.cost * 1e-12;
        if !begun || better {
            self.kernel.write(&mut best.tour);
            best.absent.clear();
            best.absent.extend_from_slice(self.kernel.absent());
            (best.cost, best.vehicles) = (cost, self.kernel.vehicles());
        }
    }

    /// Whether a vehicle less, or one customer more, is worth a try.
    fn may_save(&self) -> bool {
        !self.best.absent.is_empty() || self.kernel.route_cost() > 0.0 && self.best.vehicles > self.fewest
    }

    /// Takes the best solution as the present one.
    fn return_to_best(&mut self, fleet: usize) {
        self.kernel.set(&self.best.tour, &self.best.absent, fleet);
        self.clock.unit = self.kernel.mean_leg();
        self.clock.step = 0;
    }

    fn round_steps(&self) -> f64 {
        let customers = self.kernel.network().customers() as f64;
        let steps = customers * self.schedule.steps * libm::pow(self.schedule.growth, f64::from(self.clock.round));
        steps.clamp(1.0, 1e15)
    }

    fn begin_round(&mut self) {
        let steps = self.round_steps();
        if self.may_save() {
            self.return_to_best(usize::MAX);
            self.kernel.set_settings(self.schedule.saving);
            self.clock.phase = Phase::Fleet;
            self.clock.steps = (steps * self.schedule.fleet) as u64;
            if self.best.absent.is_empty() {
                self.kernel.drop_route();
            }
        } else {
            self.begin_distance();
        }
    }

    fn begin_distance(&mut self) {
        let fleet = if self.kernel.route_cost() > 0.0 { self.best.vehicles } else { usize::MAX };
        let wanders = self.schedule.wander && self.clock.phase == Phase::Fleet && self.clock.round % 2 == 1;
        if wanders && self.best.absent.is_empty() {
            // The vehicle that was saved in vain is given back: the first steps serve those left out.
            self.kernel.set_fleet(fleet);
            self.clock.step = 0;
        } else {
            self.return_to_best(fleet);
        }
        self.kernel.set_settings(self.schedule.shortening);
        self.clock.phase = Phase::Distance;
        let share = if self.may_save() { 1.0 - self.schedule.fleet } else { 1.0 };
        self.clock.steps = (self.round_steps() * share).max(1.0) as u64;
    }

    /// The whole state, to be continued behind a chunk.
    pub(crate) fn save(&self) -> SavedAnnealing {
        let mut tour = Vec::new();
        self.kernel.write(&mut tour);
        SavedAnnealing {
            clock: self.clock,
            best: self.best.clone(),
            tour,
            absent: self.kernel.absent().to_vec(),
            fleet: self.kernel.fleet(),
            misses: self.kernel.misses().to_vec(),
        }
    }

    /// Continues what was saved.
    pub(crate) fn load(&mut self, saved: SavedAnnealing) -> Result<(), &'static str> {
        let network = self.kernel.network();
        let sound = |tour: &[u16], absent: &[u16]| is_sound(network, tour, absent);
        let Kept { tour, absent, cost, .. } = &saved.best;
        if !sound(&saved.tour, &saved.absent) || !sound(tour, absent) || saved.misses.len() != network.size() {
            return Err("routes that do not fit the instance");
        }
        if !cost.is_finite() || !saved.clock.unit.is_finite() {
            return Err("a cost that is not finite");
        }
        self.kernel.set(&saved.tour, &saved.absent, saved.fleet);
        self.kernel.set_misses(&saved.misses);
        (self.best, self.clock) = (saved.best, saved.clock);
        let saving = self.clock.phase == Phase::Fleet;
        self.kernel.set_settings(if saving { self.schedule.saving } else { self.schedule.shortening });
        Ok(())
    }
}

/// Whether each customer is at most once in a tour (the customers of each route behind a 0) or among those left out, and every
/// route keeps the capacity and the windows.
pub(crate) fn is_sound(network: &Network, tour: &[u16], absent: &[u16]) -> bool {
    let mut left = vec![true; network.size()];
    let customers = tour.iter().chain(absent).filter(|&&c| c != 0);
    customers.into_iter().all(|&c| left.get_mut(c as usize).is_some_and(|left| std::mem::replace(left, false)))
        && tour.split(|&c| c == 0).all(|route| fits(network, route))
}

/// Whether a route keeps the capacity and the windows.
fn fits(network: &Network, route: &[u16]) -> bool {
    let load: u64 = route.iter().map(|&c| u64::from(network.demand(c as usize))).sum();
    let (mut time, mut last) = (network.ready(0) + network.service(0), 0);
    for c in route.iter().map(|&c| c as usize).chain([0]) {
        let start = (time + network.distance(last, c)).max(network.ready(c));
        if start > network.due(c) + network.slack() {
            return false;
        }
        (time, last) = (start + network.service(c), c);
    }
    load <= u64::from(network.capacity())
}
