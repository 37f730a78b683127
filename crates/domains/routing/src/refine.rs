//! Ruin and recreation as the end of a single playout, for both problems.

use crate::anneal::EVERY;
use crate::network::Network;
use crate::sisr::{Sisr, SisrSettings};
use soloist::Rng;
use std::sync::Arc;

/// Temperature of the improvement, as a fraction of the mean distance between stops.
const TEMPERATURE: f64 = 0.05;

/// Improves the routes of a playout by a fixed number of steps.
#[derive(Debug)]
pub(crate) struct Refiner {
    steps: u64,
    kernel: Sisr,
}

impl Refiner {
    /// `route_cost` is what a route costs beside its distance.
    pub(crate) fn new(network: &Arc<Network>, route_cost: f64, steps: u64) -> Self {
        Self { steps, kernel: Sisr::new(Arc::clone(network), route_cost, SisrSettings::tuned()) }
    }

    /// Replaces the routes in `tour` (the customers of each behind a 0) by the best ones that are found: those that
    /// leave out fewest customers, then the cheapest. `absent` are the customers that they leave out, `fleet` is the
    /// most routes. Once in a few steps `ends` is asked whether to stop.
    pub(crate) fn improve(
        &mut self,
        tour: &mut Vec<u16>,
        absent: &[u16],
        fleet: usize,
        rng: &mut Rng,
        ends: impl Fn() -> bool,
    ) {
        let Self { steps, kernel } = self;
        kernel.set(tour, absent, fleet);
        kernel.write(tour);
        let temperature = TEMPERATURE * kernel.mean_leg();
        let (mut best, mut fewest) = (kernel.cost(), kernel.absent().len());
        for step in 0..*steps {
            if step % EVERY == EVERY - 1 && ends() {
                break;
            }
            if kernel.step(rng, temperature) {
                let now = kernel.absent().len();
                if now < fewest || now == fewest && kernel.cost() < best {
                    (best, fewest) = (kernel.cost(), now);
                    kernel.write(tour);
                }
            }
        }
    }
}
