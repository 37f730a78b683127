//! The numbers of an annealing.

use crate::network::Network;
use crate::sisr::SisrSettings;

/// Exchanges behind each ruin, where they pay.
pub(crate) const EXCHANGES: u32 = 20;

/// How the steps of an annealing are divided into rounds and generations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Steps of a round of the first generation for each customer.
    pub steps: f64,
    /// Factor of the length of a round from generation to generation.
    pub growth: f64,
    /// Share of a generation for each attempt to save a vehicle.
    pub fleet: f64,
    /// Rounds of the first generation that begin with a new construction, for 100 customers or fewer; for more, fewer
    /// in proportion, but two.
    pub founders: u32,
    /// Rounds of each later generation that begin with a new construction, with the same rule for more customers.
    pub fresh: u32,
    /// Rounds of a generation that begin with a child of two solutions of the pool.
    pub children: u32,
    /// The most solutions in the pool.
    pub pool: usize,
    /// Temperature at the beginning of a round with a new construction, as a fraction of the mean distance between
    /// stops.
    pub start: f64,
    /// Temperature at the beginning of a round with a child, in the same unit.
    pub reheat: f64,
    /// Temperature at the end of a round.
    pub end: f64,
    /// Temperature while vehicles are saved and children are repaired.
    pub calm: f64,
    /// Ruin and recreation while vehicles are saved.
    pub saving: SisrSettings,
    /// Ruin and recreation while routes are shortened.
    pub shortening: SisrSettings,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            steps: 600.0,
            growth: 1.5,
            fleet: 0.1,
            founders: 16,
            fresh: 8,
            children: 24,
            pool: 12,
            start: 1.0,
            reheat: 0.3,
            end: 0.02,
            calm: 0.1,
            saving: SisrSettings::default(),
            shortening: SisrSettings { exchanges: EXCHANGES, ..SisrSettings::tuned() },
        }
    }
}

impl Schedule {
    /// Returns these numbers for a network: for a single route, as that of a travelling salesman, temperatures are a
    /// tenth, ruins and strings half as long, and a fifth as many positions are overlooked.
    ///
    /// What a customer costs more at its second best position is far less than a mean distance there, because the
    /// windows decide most of the order.
    #[must_use]
    pub fn for_network(mut self, network: &Network) -> Self {
        if network.vehicles() == 1 {
            [&mut self.start, &mut self.reheat, &mut self.end].into_iter().for_each(|part| *part *= 0.1);
            let ruin = &mut self.shortening;
            (ruin.removed, ruin.longest, ruin.blink) =
                ((ruin.removed / 2.0).max(1.0), (ruin.longest / 2).max(1), ruin.blink / 5.0);
        }
        self
    }
}
