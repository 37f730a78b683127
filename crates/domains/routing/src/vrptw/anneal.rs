//! Annealing with ruin and recreation over any number of steps: fleet first, then distance, in rounds of growing length.

use super::bound::fewest_vehicles;
use super::sisr::{Settings, Sisr};
use super::Objective;
use crate::network::Network;
use soloist::Rng;
use std::sync::Arc;

/// How the steps are divided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Steps of the first round.
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
}

impl Default for Schedule {
    fn default() -> Self {
        Self { steps: 200_000.0, growth: 2.0, fleet: 0.25, start: 5.0, reheat: 1.0, end: 0.02, calm: 0.1 }
    }
}

/// What a round does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Begin,
    Fleet,
    Distance,
}

/// The annealing.
#[derive(Debug)]
pub struct Annealing {
    kernel: Sisr,
    schedule: Schedule,
    objective: Objective,
    fewest: usize,
    best: Vec<u16>,
    best_absent: Vec<u16>,
    best_vehicles: usize,
    best_cost: f64,
    unit: f64,
    phase: Phase,
    round: u32,
    step: u64,
    steps: u64,
    total: u64,
}

impl Annealing {
    /// An annealing that has not begun.
    #[must_use]
    pub fn new(network: Arc<Network>, objective: Objective, settings: Settings, schedule: Schedule) -> Self {
        let fewest = fewest_vehicles(&network);
        let route_cost = if objective == Objective::Vehicles { super::route_cost(&network) } else { 0.0 };
        Self {
            kernel: Sisr::new(network, route_cost, settings),
            schedule,
            objective,
            fewest,
            best: Vec::new(),
            best_absent: Vec::new(),
            best_vehicles: usize::MAX,
            best_cost: f64::INFINITY,
            unit: 1.0,
            phase: Phase::Begin,
            round: 0,
            step: 0,
            steps: 0,
            total: 0,
        }
    }

    /// The best tour: customers of each route behind a 0.
    #[must_use]
    pub fn best(&self) -> &[u16] {
        &self.best
    }
    /// Its vehicles.
    #[must_use]
    pub fn vehicles(&self) -> usize {
        self.best_vehicles
    }
    /// Its cost.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.best_cost
    }
    /// Steps made.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }
    /// bound
    #[must_use]
    pub fn fewest(&self) -> usize {
        self.fewest
    }

    fn note(&mut self) {
        let absent = self.kernel.absent().len();
        if absent < self.best_absent.len() || absent == self.best_absent.len() && self.kernel.cost() < self.best_cost - 1e-9 || self.best.is_empty() {
            self.kernel.write(&mut self.best);
            self.best_absent.clear();
            self.best_absent.extend_from_slice(self.kernel.absent());
            self.best_cost = self.kernel.cost();
            self.best_vehicles = self.kernel.vehicles();
        }
    }

    /// Makes `steps` steps.
    pub fn advance(&mut self, steps: u64, rng: &mut Rng) {
        self.kernel.recount();
        for _ in 0..steps {
            self.total += 1;
            self.step(rng);
        }
    }

    fn step(&mut self, rng: &mut Rng) {
        match self.phase {
            Phase::Begin => {
                let all: Vec<u16> = (1..self.kernel.network().size() as u16).collect();
                self.kernel.construct(&all, rng);
                self.note();
                self.begin_round();
            }
            Phase::Fleet => {
                let temperature = self.schedule.calm * self.unit;
                self.step += 1;
                if self.kernel.step_fleet(rng, temperature) {
                    self.note();
                    if self.kernel.vehicles() <= self.fewest {
                        self.begin_distance();
                        return;
                    }
                    self.kernel.drop_route();
                    self.step = 0;
                }
                if self.step >= self.steps {
                    self.begin_distance();
                }
            }
            Phase::Distance => {
                let part = self.step as f64 / self.steps as f64;
                let start = if self.round == 0 { self.schedule.start } else { self.schedule.reheat };
                let temperature = self.unit * start * libm::pow(self.schedule.end / start, part);
                if self.kernel.step(rng, temperature) {
                    self.note();
                }
                self.step += 1;
                if self.step >= self.steps {
                    self.round += 1;
                    self.begin_round();
                }
            }
        }
    }

    fn begin_round(&mut self) {
        let best = std::mem::take(&mut self.best);
        let absent = std::mem::take(&mut self.best_absent);
        let length: f64 = self.best_cost % super::route_cost(self.kernel.network());
        self.unit = length / (best.len() as f64).max(1.0);
        self.kernel.set(&best, &absent, self.best_vehicles);
        (self.best, self.best_absent) = (best, absent);
        let steps = self.schedule.steps * libm::pow(self.schedule.growth, f64::from(self.round));
        let tries = self.objective == Objective::Vehicles && (self.best_vehicles > self.fewest) || !self.best_absent.is_empty();
        self.step = 0;
        if tries {
            self.phase = Phase::Fleet;
            self.steps = (steps * self.schedule.fleet) as u64;
            if self.best_absent.is_empty() {
                self.kernel.drop_route();
            }
        } else {
            self.begin_distance();
        }
    }

    fn begin_distance(&mut self) {
        let fleet = if self.objective == Objective::Vehicles { self.best_vehicles } else { usize::MAX };
        let best = std::mem::take(&mut self.best);
        let absent = std::mem::take(&mut self.best_absent);
        self.kernel.set(&best, &absent, fleet);
        (self.best, self.best_absent) = (best, absent);
        self.phase = Phase::Distance;
        self.step = 0;
        let tried = self.objective == Objective::Vehicles && self.best_vehicles > self.fewest;
        let share = if tried { 1.0 - self.schedule.fleet } else { 1.0 };
        self.steps = (self.schedule.steps * libm::pow(self.schedule.growth, f64::from(self.round)) * share) as u64;
    }
}
