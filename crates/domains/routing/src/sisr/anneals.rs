//! The kernel as [`Annealing`](crate::Annealing) sees it.

use super::{Sisr, SisrSettings};
use crate::bound::fewest_vehicles;
use crate::kernel::{Kernel, Move};
use crate::pool::{child, is_sound};
use soloist::Rng;

impl Kernel for Sisr {
    fn customers(&self) -> usize {
        self.network.customers()
    }

    fn scale(&self) -> f64 {
        self.network.scale()
    }

    fn fewest_vehicles(&self) -> usize {
        fewest_vehicles(&self.network)
    }

    fn most_vehicles(&self) -> usize {
        self.network.vehicles()
    }

    fn route_cost(&self) -> f64 {
        self.route_cost
    }

    fn cost(&self) -> f64 {
        self.cost
    }

    fn vehicles(&self) -> usize {
        self.open
    }

    fn absent(&self) -> &[u16] {
        &self.customers.absent
    }

    fn fleet(&self) -> usize {
        self.fleet
    }

    fn set_fleet(&mut self, fleet: usize) {
        self.set_fleet(fleet);
    }

    fn misses(&self) -> &[u32] {
        &self.customers.misses
    }

    fn set_misses(&mut self, misses: &[u32]) {
        self.set_misses(misses);
    }

    fn set_settings(&mut self, settings: SisrSettings) {
        self.settings = settings;
    }

    fn write(&self, tour: &mut Vec<u16>) {
        self.write(tour);
    }

    fn set(&mut self, tour: &[u16], absent: &[u16], fleet: usize) {
        self.set(tour, absent, fleet);
    }

    fn set_cost(&mut self, cost: f64) {
        self.cost = cost;
    }

    fn recount(&mut self) {
        self.recount();
    }

    fn construct(&mut self, rng: &mut Rng) {
        let all: Vec<u16> = (1..self.network.size()).map(|c| c as u16).collect();
        self.construct(&all, rng);
    }

    fn drop_route(&mut self) {
        self.drop_route();
    }

    fn step(&mut self, rng: &mut Rng, temperature: f64) -> bool {
        self.step(rng, temperature)
    }

    fn step_fleet(&mut self, rng: &mut Rng, temperature: f64) -> bool {
        self.step_fleet(rng, temperature)
    }

    fn mean_leg(&self) -> f64 {
        self.mean_leg()
    }

    fn is_sound(&self, tour: &[u16], absent: &[u16]) -> bool {
        is_sound(&self.network, tour, absent)
    }

    fn child(&self, parents: [&[u16]; 2], fleet: usize, rng: &mut Rng, tour: &mut Vec<u16>, absent: &mut Vec<u16>) {
        child(&self.network, parents, fleet, rng, tour, absent);
    }
}

impl Move for Sisr {
    fn attempt(&mut self, rng: &mut Rng, limit: f64, most: u64, count: bool) -> Option<f64> {
        self.attempt(rng, limit, most, count)
    }

    fn keep(&mut self, cost: f64) {
        self.keep(cost);
    }

    fn undo(&mut self) {
        self.undo();
    }

    fn present(&self) -> f64 {
        self.cost
    }

    fn left_out(&self) -> [&[u16]; 2] {
        [&self.customers.absent, &self.customers.still_absent]
    }

    fn counters(&mut self) -> (&mut [u32], &[u16]) {
        (&mut self.customers.misses, &self.customers.absent)
    }

    fn counts(&self) -> &[u32] {
        &self.customers.misses
    }
}
