//! The tour, city by city.

use super::rollout::Refine;
use super::{Instance, Objective};
use crate::network::Network;
use crate::search::{Routed, SISR, search, sisr_steps};
use crate::sites::{Pairs, Sites};
use crate::whole::positive;
use soloist::problem::{Entrant, Facts, NamedSearch, Prior, StableHasher};
use soloist::rollout::{NamedRollout, RolloutInfo};
use soloist::{Problem, Score, Sense};
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

impl Clone for Tour {
    fn clone(&self) -> Self {
        Self { unvisited: self.unvisited.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        let mut unvisited = std::mem::replace(&mut self.unvisited, Sites::customers(0));
        unvisited.clone_from(&other.unvisited);
        *self = Self { unvisited, ..*other };
    }
}

/// The search's view of an [`Instance`]: the next city, until all are visited; the return is no move.
///
/// The salesman leaves the depot when it opens, waits for windows, and should be back before the depot closes. Cities
/// that cannot be reached in time any more are offered alone, so that the damage is done; else a city is not offered
/// when it would be late, or another one could not be reached in time behind it. That excludes no tour without a late
/// visit. The degree of infeasibility is the number of late visits, the return among them. It is true of the tour
/// found; another tour may have fewer, because the forced moves leave such tours out: where no tour is without a late
/// visit, a search of all moves proves that, and not which degree is the least.
///
/// The test uses shortest ways over other cities (the matrices of Dumas et al. violate the triangle inequality): pairs
/// that never fit are bits, the others are computed. A state takes 32 bytes and a bit for each node; listing moves
/// takes up to the square of the cities left.
///
/// # References
/// T. Cazenave and F. Teytaud, "Application of the nested rollout policy adaptation algorithm to the traveling salesman
/// problem with time windows", LION 2012 (the rule of moves). R. F. da Silva and S. Urrutia, Discrete Optimization 7,
/// 2010, pages 203-211 (late visits as infeasibility).
#[derive(Debug)]
pub struct Tsptw {
    network: Arc<Network>,
    objective: Objective,
    /// Shortest ways over any cities.
    quickest: Vec<f64>,
    /// (j, k): k is late behind j, however early j is.
    excludes: Pairs,
    shortest_in: Vec<f64>,
    longest: f64,
    /// The widest span of times that windows leave.
    horizon: f64,
    fingerprint: u64,
}

/// Weights of the terms of the bias: distance, time that the window leaves, waiting.
const BIAS: [f64; 3] = [20.0, 20.0, 40.0];

impl Tsptw {
    /// Precomputes shortest ways and pairs: O(n^3).
    #[must_use]
    pub fn new(instance: &Instance, objective: Objective) -> Self {
        let network = Arc::new(instance.network(objective));
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

    /// The tables of the instance.
    #[must_use]
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// What is minimised.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// Arrival at `j` with waiting.
    #[inline]
    fn start(&self, state: &Tour, j: usize) -> f64 {
        (state.time + self.network.distance(state.last as usize, j)).max(self.network.ready(j))
    }

    /// The latest time at which `j` is in time.
    #[inline]
    fn due(&self, j: usize) -> f64 {
        self.network.latest(j)
    }

    /// Whether some city would be late behind `j` that is not lost already.
    fn harms(&self, state: &Tour, j: usize, start: f64) -> bool {
        let n = self.network.size();
        let left = state.unvisited.words();
        if self.excludes.row(j).iter().zip(left).any(|(row, left)| row & left != 0) {
            return true;
        }
        let row = &self.quickest[j * n..(j + 1) * n];
        state.unvisited.iter().any(|k| k != j && start + row[k] > self.network.certainly_late(k))
    }

    #[inline]
    fn terms(&self, state: &Tour, j: usize) -> [f64; 3] {
        let way = self.network.distance(state.last as usize, j);
        let arrival = state.time + way;
        let start = arrival.max(self.network.ready(j));
        let room = (self.network.due(j) - start).clamp(-self.horizon, self.horizon) / self.horizon;
        let wait = (start - arrival).min(self.horizon) / self.horizon;
        [-BIAS[0] * way / self.longest, -BIAS[1] * room, -BIAS[2] * wait]
    }
}

impl Routed for Tsptw {
    fn costs(&self) -> (&Arc<Network>, f64) {
        (&self.network, 0.0)
    }

    fn play(&self, tour: &[u16], moves: &mut Vec<u16>) {
        let (mut state, mut legal) = (self.root(), Vec::new());
        let mut wanted = tour.iter().copied().filter(|&mv| mv != 0).fuse();
        let mut follows = true;
        loop {
            legal.clear();
            self.moves(&state, &mut legal);
            // Before a tour within all windows is found, the kernel's leaves cities out.
            let next = wanted.next().filter(|mv| follows && legal.contains(mv));
            follows = next.is_some();
            let bias = |mv: &u16| self.bias(&state, *mv);
            let best = || legal.iter().copied().max_by(|a, b| bias(a).total_cmp(&bias(b)).then(b.cmp(a)));
            let Some(mv) = next.or_else(best) else { return };
            moves.push(mv);
            self.apply(&mut state, mv);
        }
    }

    /// Tours without late visits.
    fn split(&self, moves: &[u16], score: Score, tour: &mut Vec<u16>, _: &mut Vec<u16>) -> bool {
        tour.push(0);
        tour.extend_from_slice(moves);
        score.is_feasible()
    }
}

impl Problem for Tsptw {
    type State = Tour;
    type Move = u16;

    fn root(&self) -> Tour {
        let unvisited = Sites::customers(self.network.size());
        let left = self.network.customers() as u16;
        Tour { last: 0, late: 0, left, time: self.network.ready(0), travel: 0.0, unvisited }
    }

    fn moves(&self, state: &Tour, moves: &mut Vec<u16>) {
        let ways = &self.quickest[state.last as usize * self.network.size()..];
        let lost = |j: usize| state.time + ways[j] > self.network.certainly_late(j);
        moves.extend(state.unvisited.iter().filter(|&j| lost(j)).map(|j| j as u16));
        if moves.is_empty() {
            let kept = state.unvisited.iter().filter(|&j| {
                let start = self.start(state, j);
                start <= self.due(j) && !self.harms(state, j, start)
            });
            moves.extend(kept.map(|j| j as u16));
        }
        if moves.is_empty() {
            // Every choice makes some city late.
            moves.extend(state.unvisited.iter().map(|j| j as u16));
        }
    }

    fn apply(&self, state: &mut Tour, mv: u16) {
        let j = mv as usize;
        let start = self.start(state, j);
        state.travel += self.network.distance(state.last as usize, j);
        state.late += u16::from(start > self.due(j));
        state.time = start;
        state.left -= 1;
        state.unvisited.remove(j);
        state.last = mv;
    }

    fn score(&self, state: &Tour) -> Score {
        let home = self.network.distance(state.last as usize, 0);
        let back = state.time + home;
        let late = u32::from(state.late) + u32::from(back > self.due(0));
        if late > 0 {
            return Score::Infeasible(f64::from(late));
        }
        let sum = match self.objective {
            Objective::Travel => state.travel + home,
            Objective::Makespan => back,
        };
        Score::Feasible(sum / self.network.scale())
    }

    fn sense(&self) -> Sense {
        Sense::Minimize
    }

    /// The edge: from, to.
    fn code(&self, state: &Tour, mv: u16) -> u64 {
        u64::from(state.last) * self.network.size() as u64 + u64::from(mv)
    }

    /// So far, plus the shortest way to each city left and home; for the makespan also the latest opening among them
    /// with the shortest way home behind it.
    fn bound(&self, state: &Tour) -> Option<f64> {
        let mut sum = match self.objective {
            Objective::Travel => state.travel,
            Objective::Makespan => state.time,
        };
        let mut latest = 0.0_f64;
        for j in state.unvisited.iter() {
            sum += self.shortest_in[j];
            latest = latest.max(self.network.ready(j) + self.quickest[j * self.network.size()]);
        }
        sum += if state.left == 0 { self.network.distance(state.last as usize, 0) } else { self.shortest_in[0] };
        if self.objective == Objective::Makespan {
            sum = sum.max(latest);
        }
        // Sums of other numbers in another order may differ in their last digits.
        let sum = if self.network.is_exact() { sum } else { sum - sum * 1e-12 };
        Some(sum / self.network.scale())
    }

    fn key(&self, state: &Tour) -> Option<u64> {
        let mut hash = StableHasher::new();
        hash.write_u64(u64::from(state.last) << 32 | u64::from(state.late));
        hash.write_u64(state.time.to_bits());
        hash.write_u64(state.travel.to_bits());
        state.unvisited.words().iter().for_each(|&word| hash.write_u64(word));
        Some(hash.finish())
    }

    fn portfolio(&self) -> Vec<Entrant> {
        vec![Entrant::new(SISR.name)]
    }

    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        const REFINE: RolloutInfo = RolloutInfo {
            name: "sisr",
            help: "`random`, then ruin and recreation of a feasible tour: `sisr:1000` makes 1000 steps a playout",
        };
        vec![
            NamedRollout::uniform("uniform over the moves"),
            NamedRollout::parsed(REFINE, |problem, name| Some(Box::new(Refine::new(problem, sisr_steps(name)?)))),
        ]
    }

    fn searches(&self) -> Vec<NamedSearch<Self>> {
        vec![NamedSearch::new(SISR, search)]
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        Facts {
            // A bit for each site.
            state_bytes: Some(size_of::<Tour>() + 8 * self.network.size().div_ceil(64)),
            code_count: u32::try_from(self.network.size() * self.network.size()).ok(),
            ..Facts::default()
        }
    }
}

impl Prior<Tsptw> for Tsptw {
    fn bias(&self, state: &Tour, mv: u16) -> f64 {
        self.terms(state, mv as usize).iter().sum()
    }

    fn terms(&self, state: &Tour, mv: u16, terms: &mut Vec<f64>) {
        terms.extend(self.terms(state, mv as usize));
    }
}
