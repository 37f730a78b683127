//! Ruin and recreation as the neighbourhood of finished tours, for annealing by the engine.

use super::model::Vrptw;
use crate::pool::is_sound;
use crate::sisr::{Sisr, SisrSettings};
use serde::{Deserialize, Serialize};
use soloist::Problem;
use soloist::problem::{Acceptance, Edits, Neighborhood};
use soloist::run::CheckpointError;
use std::sync::Arc;

/// RuinRecreate of customers are removed and inserted again; see [`Sisr`].
///
/// The cost is the score in the units of the network, and [`penalty`](Self::penalty) for each customer that is not
/// served: a tour that leaves customers out is followed to one that does not.
#[derive(Debug)]
pub(super) struct RuinRecreate {
    kernel: Sisr,
    penalty: f64,
    /// Edits since costs were summed up afresh.
    edits: u64,
}

/// What a checkpoint holds: the tour as the kernel has it, customers left out, the exact cost.
#[derive(Serialize, Deserialize)]
struct Saved {
    tour: Vec<u16>,
    absent: Vec<u16>,
    cost: f64,
    edits: u64,
}

impl RuinRecreate {
    /// Edits after which costs are summed up afresh, so that rounding errors do not add up.
    const RECOUNT: u64 = 1 << 16;

    pub(super) fn new(problem: &Vrptw) -> Self {
        let kernel = Sisr::new(Arc::clone(problem.network()), problem.vehicle_cost(), SisrSettings::tuned());
        Self { kernel, penalty: Self::penalty(problem), edits: 0 }
    }

    /// More than any route can save by leaving a customer out.
    fn penalty(problem: &Vrptw) -> f64 {
        problem.vehicle_cost() + 4.0 * problem.longest()
    }
}

impl Edits<Vrptw> for RuinRecreate {
    fn propose(&mut self, _: &Vrptw, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        if self.edits == Self::RECOUNT {
            self.kernel.recount();
            self.edits = 0;
        }
        self.edits += 1;
        // A customer that returns pays for a longer way: no edit is abandoned for its length then.
        let limit = if self.kernel.absent().is_empty() { acceptance.limit() } else { f64::INFINITY };
        let (longer, absent) = self.kernel.propose(acceptance.rng, limit)?;
        Some(longer + absent as f64 * self.penalty)
    }

    fn accept(&mut self, _: &Vrptw) {
        self.kernel.accept();
    }

    fn reject(&mut self, _: &Vrptw) {
        self.kernel.reject();
    }
}

impl Neighborhood<Vrptw> for RuinRecreate {
    fn start(&mut self, problem: &Vrptw, moves: &[u16]) -> bool {
        let (routes, absent) = problem.routes(moves);
        let tour: Vec<u16> = routes.iter().flat_map(|route| [0].into_iter().chain(route.iter().copied())).collect();
        self.kernel.set(&tour, &absent, problem.network().vehicles());
        self.edits = 0;
        true
    }

    fn cost(&self, _: &Vrptw) -> f64 {
        self.kernel.cost() + self.kernel.absent().len() as f64 * self.penalty
    }

    fn moves(&self, problem: &Vrptw, moves: &mut Vec<u16>) {
        let mut tour = Vec::new();
        self.kernel.write(&mut tour);
        problem.canonical(&tour, moves);
        if !self.kernel.absent().is_empty() {
            // A customer that was overlooked may still fit at the end.
            let mut state = problem.root();
            moves.iter().for_each(|&mv| problem.apply(&mut state, mv));
            let mut legal = Vec::new();
            loop {
                legal.clear();
                problem.moves(&state, &mut legal);
                let Some(&mv) = legal.first() else { break };
                problem.apply(&mut state, mv);
                moves.push(mv);
            }
        }
    }

    fn save(&self) -> Vec<u8> {
        let mut tour = Vec::new();
        self.kernel.write(&mut tour);
        let (absent, cost) = (self.kernel.absent().to_vec(), self.kernel.cost());
        postcard::to_allocvec(&Saved { tour, absent, cost, edits: self.edits }).unwrap_or_default()
    }

    fn load(&mut self, problem: &Vrptw, bytes: &[u8]) -> Result<(), CheckpointError> {
        let Ok((Saved { tour, absent, cost, edits }, [])) = postcard::take_from_bytes(bytes) else {
            return Err(CheckpointError::Corrupt("the routes do not decode"));
        };
        if !is_sound(problem.network(), &tour, &absent) || edits > Self::RECOUNT {
            return Err(CheckpointError::Corrupt("routes that do not fit the instance"));
        }
        self.kernel.set(&tour, &absent, problem.network().vehicles());
        if (self.kernel.cost() - cost).abs() > 1e-6 * (1.0 + cost.abs()) || cost.is_nan() {
            return Err(CheckpointError::Corrupt("a cost that is not that of the routes"));
        }
        self.kernel.set_cost(cost);
        self.edits = edits;
        Ok(())
    }
}
