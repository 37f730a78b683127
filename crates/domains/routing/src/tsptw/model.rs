//! The rules: the tour, and which cities may follow.

use super::{Instance, Objective};
use crate::fixed_point::positive;
use crate::network::Network;
use crate::sites::{Pairs, Sites, clone_reusing_unvisited};
use soloist::problem::StableHasher;
use std::hash::Hasher;
use std::sync::Arc;

/// A partial tour.
#[derive(Debug)]
pub struct Tour {
    pub(super) last: u16,
    /// Cities visited too late.
    pub(super) late: u16,
    /// Cities that are left.
    pub(super) left: u16,
    /// When the salesman leaves the last city.
    pub(super) time: f64,
    /// Travelled so far.
    pub(super) travel: f64,
    pub(super) unvisited: Sites,
}

clone_reusing_unvisited!(Tour);

/// The search's view of an [`Instance`]: the next city, until all are visited; the return is no move.
///
/// The salesman leaves the depot when it opens, waits for windows, and should be back before the depot closes. Cities
/// that cannot be reached in time any more are offered alone, because the tour is late anyway; otherwise a city is not
/// offered when it would be late, or another one could not be reached in time behind it. That excludes no tour without
/// a late visit. The degree of infeasibility is the number of late visits, the return among them. It is true of the
/// tour found; another tour may have fewer, because the forced moves leave such tours out: where no tour is without a
/// late visit, a search of all moves proves that, and not which degree is the least.
///
/// The test uses shortest ways over other cities (the matrices of Dumas et al. violate the triangle inequality): pairs
/// that never fit are bits, the others are computed. A state takes 32 bytes and a bit for each node; listing moves
/// costs at most the square of the cities left.
///
/// # References
/// T. Cazenave and F. Teytaud, "Application of the nested rollout policy adaptation algorithm to the traveling salesman
/// problem with time windows", LION 2012 (the rule of moves). R. F. da Silva and S. Urrutia, Discrete Optimization 7,
/// 2010, pages 203-211 (late visits as infeasibility).
#[derive(Debug)]
pub struct Tsptw {
    pub(super) network: Arc<Network>,
    pub(super) objective: Objective,
    /// Shortest ways over any cities.
    pub(super) quickest: Vec<f64>,
    /// (j, k): k is late behind j, however early j is.
    excludes: Pairs,
    pub(super) shortest_in: Vec<f64>,
    longest: f64,
    /// The widest span of times that windows leave.
    horizon: f64,
    pub(super) fingerprint: u64,
}

/// Weights of the terms of the bias: distance, time that the window leaves, waiting.
const BIAS: [f64; 3] = [20.0, 20.0, 40.0];

impl Tsptw {
    /// Precomputes shortest ways and pairs: O(n^3).
    #[must_use]
    pub fn new(instance: &Instance, objective: Objective) -> Self {
        Self::over(Arc::new(instance.network(objective)), objective)
    }

    /// As [`new`](Self::new), over tables that are there.
    pub(crate) fn over(network: Arc<Network>, objective: Objective) -> Self {
        let n = network.size();
        // Present for every instance: no more than MAX_NODES.
        let quickest = network.quickest().map_or_else(|| vec![0.0; n * n], |table| table.into_owned());
        let excludes = Pairs::new(n, |j, k| {
            let leave = network.ready(j).max(network.ready(0) + quickest[j]);
            j != 0 && k != 0 && j != k && leave + quickest[j * n + k] > network.certainly_late(k)
        });
        let others = |j: usize| (0..n).filter(move |&i| i != j);
        let shortest_in =
            (0..n).map(|j| others(j).map(|i| network.distance(i, j)).fold(f64::INFINITY, f64::min)).collect();
        let longest = (0..n).flat_map(|i| network.from_site(i)).copied().fold(f64::MIN_POSITIVE, f64::max);
        let horizon = (0..n).map(|i| network.due(i)).fold(0.0, f64::max) - network.ready(0);
        let mut hash = StableHasher::new();
        hash.write(b"tsptw");
        hash.write_u64(objective as u64);
        if network.scale() != 1.0 {
            hash.write_u64(network.scale().to_bits());
        }
        for i in 0..n {
            for value in [network.ready(i), network.due(i)] {
                hash.write_u64(value.to_bits());
            }
            network.from_site(i).iter().for_each(|value| hash.write_u64(value.to_bits()));
        }
        let fingerprint = hash.finish();
        let horizon = positive(horizon);
        Self { network, objective, quickest, excludes, shortest_in, longest, horizon, fingerprint }
    }

    /// Returns the tables of the instance.
    #[must_use]
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Returns the travel of a finished tour with the way home, the waiting, in the units of the file, and the late
    /// visits.
    pub(crate) fn totals(&self, state: &Tour) -> (f64, f64, f64) {
        let (home, scale) = (self.network.distance(usize::from(state.last), 0), self.network.scale());
        let waiting = (state.time - self.network.ready(0) - state.travel).max(0.0) / scale;
        let late = u32::from(state.late) + u32::from(state.time + home > self.due(0));
        ((state.travel + home) / scale, waiting, f64::from(late))
    }

    /// Returns what is minimised.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// Arrival at `j` with waiting.
    #[inline]
    pub(super) fn start(&self, state: &Tour, j: usize) -> f64 {
        (state.time + self.network.distance(state.last as usize, j)).max(self.network.ready(j))
    }

    /// Returns the latest time at which `j` is in time.
    #[inline]
    pub(super) fn due(&self, j: usize) -> f64 {
        self.network.latest(j)
    }

    /// Whether some city would be late behind `j` that is not lost already.
    pub(super) fn harms(&self, state: &Tour, j: usize, start: f64) -> bool {
        let n = self.network.size();
        let left = state.unvisited.words();
        if self.excludes.row(j).iter().zip(left).any(|(row, left)| row & left != 0) {
            return true;
        }
        let row = &self.quickest[j * n..(j + 1) * n];
        state.unvisited.iter().any(|k| k != j && start + row[k] > self.network.certainly_late(k))
    }

    #[inline]
    pub(super) fn terms(&self, state: &Tour, j: usize) -> [f64; 3] {
        let way = self.network.distance(state.last as usize, j);
        let arrival = state.time + way;
        let start = arrival.max(self.network.ready(j));
        let room = (self.network.due(j) - start).clamp(-self.horizon, self.horizon) / self.horizon;
        let wait = (start - arrival).min(self.horizon) / self.horizon;
        [-BIAS[0] * way / self.longest, -BIAS[1] * room, -BIAS[2] * wait]
    }
}
