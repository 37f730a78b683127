//! The rules: the giant tour, and which customers may follow.

use super::{Objective, route_cost};
use crate::bound::fewest_vehicles;
use crate::fixed_point::positive;
use crate::network::Network;
use crate::sites::{Sites, clone_reusing_unvisited};
use soloist::problem::StableHasher;
use std::hash::Hasher;
use std::sync::Arc;

/// A partial giant tour.
#[derive(Debug)]
pub struct Tour {
    /// Where the vehicle is; 0: at the depot.
    pub(super) last: u16,
    /// Routes begun.
    pub(super) routes: u16,
    pub(super) load: u32,
    /// When it leaves.
    pub(super) time: f64,
    /// Driven so far.
    pub(super) distance: f64,
    /// Customers on the route that is under way.
    pub(super) aboard: u16,
    /// Customers that are left.
    pub(super) left: u32,
    pub(super) unvisited: Sites,
}

clone_reusing_unvisited!(Tour);

/// The search's view of an [`Instance`](super::Instance): the next customer, or 0 for the depot, until all are served.
///
/// A customer may follow if the load allows it, its window is met, and the depot can be reached in time behind it, over
/// other customers where that is quicker; the depot may follow any customer from which the direct way is in time. The
/// visits to the depot are alike, so that no order of vehicles is searched, but the order of routes is: the same
/// solution has as many tours as its routes have orders. When no customer can follow at the depot, or all vehicles are
/// used, the tour ends; customers left unserved make it infeasible, their number being the degree. Where a way home
/// over others was the only one in time and the others are gone, the tour ends on the way: the customers of that route
/// count as unserved. No tour leaves out fewer customers than the best of these, so that a search of all of them knows
/// the least degree.
///
/// The score is the distance, with [`Objective::Vehicles`] plus 10^6 (or a larger power of ten, where distances demand
/// it) for each route. A state takes 32 bytes and a bit for each site; listing moves takes constant time for each
/// customer left.
///
/// # References
/// T. Cazenave and S. Edelkamp, HD-NRPA, 2016 (the model). M. Sentuc, T. Cazenave and J.-Y. Lucas, "Generalized nested
/// rollout policy adaptation with dynamic bias for vehicle routing", arXiv:2111.06928, 2021 (the terms of the bias).
#[derive(Debug)]
pub struct Vrptw {
    pub(super) network: Arc<Network>,
    objective: Objective,
    pub(super) route_cost: f64,
    pub(super) fewest: usize,
    /// The shortest way to each site from any other.
    pub(super) shortest_in: Vec<f64>,
    pub(super) shortest_home: f64,
    longest: f64,
    horizon: f64,
    /// The latest return that is not late for certain.
    closes: f64,
    /// Customers by ascending due time.
    by_due: Vec<u16>,
    pub(super) depot: Depot,
    pub(super) fingerprint: u64,
}

/// Which codes the visits of the depot have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depot {
    /// One code: a move is an edge between two sites.
    #[default]
    Alike,
    /// The i-th visit is a site of its own, as in Cazenave and Edelkamp's model: what is learned about the first
    /// customer of the second route is not that of the third one.
    ByVisit,
}

/// Weights of the terms of the bias: distance, lateness allowed, waiting, distance of the depot. Chosen by level-3 runs
/// on r101, r103, rc101, c101 and r201.
const BIAS: [f64; 4] = [30.0, 20.0, 90.0, 5.0];

impl Vrptw {
    /// Returns the vehicles and the distance that a score stands for. `None`: it is a distance alone.
    pub(super) fn pair(&self, score: f64) -> Option<(f64, f64)> {
        let unit = self.route_cost / self.network.scale();
        (self.objective == Objective::Vehicles).then(|| ((score / unit).floor(), score % unit))
    }

    /// Precomputes bounds and pairs: O(n^2), with the bound on vehicles O(n^3) at worst.
    #[must_use]
    pub fn new(network: Arc<Network>, objective: Objective) -> Self {
        let n = network.size();
        let route_cost = if objective == Objective::Vehicles { route_cost(&network) } else { 0.0 };
        let others = |j: usize| (0..n).filter(move |&i| i != j);
        let shortest_in: Vec<f64> =
            (0..n).map(|j| others(j).map(|i| network.distance(i, j)).fold(f64::INFINITY, f64::min)).collect();
        let shortest_home = (1..n).map(|i| network.distance(i, 0)).fold(f64::INFINITY, f64::min);
        let longest = (0..n).flat_map(|i| network.from_site(i)).copied().fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let horizon =
            if network.due(0).is_finite() { positive(network.due(0) - network.ready(0)) } else { f64::INFINITY };
        // With detours the depot's own move decides.
        let closes = if network.has_detours() { network.certainly_late(0) } else { network.latest(0) };
        let mut by_due: Vec<u16> = (1..n).map(|c| c as u16).collect();
        soloist::order::sort_by(&mut by_due, |&a, &b| {
            network.due(a as usize).total_cmp(&network.due(b as usize)).then(a.cmp(&b))
        });
        let mut hash = StableHasher::new();
        hash.write(b"vrptw");
        hash.write_u64(objective as u64);
        if network.scale() != 1.0 {
            hash.write_u64(network.scale().to_bits());
        }
        hash.write_u64(network.vehicles() as u64);
        hash.write_u64(u64::from(network.capacity()));
        for i in 0..n {
            hash.write_u32(network.demand(i));
            for value in [network.ready(i), network.due(i), network.service(i)] {
                hash.write_u64(value.to_bits());
            }
            network.from_site(i).iter().for_each(|value| hash.write_u64(value.to_bits()));
        }
        let (fewest, fingerprint) = (fewest_vehicles(&network), hash.finish());
        Self {
            network,
            objective,
            route_cost,
            fewest,
            shortest_in,
            shortest_home,
            longest,
            horizon,
            closes,
            by_due,
            depot: Depot::default(),
            fingerprint,
        }
    }

    /// Returns the same problem with other codes of the depot's visits.
    #[must_use]
    pub fn with_depot(mut self, depot: Depot) -> Self {
        if depot != self.depot {
            let mut hash = StableHasher::new();
            hash.write_u64(self.fingerprint);
            hash.write_u8(depot as u8);
            (self.depot, self.fingerprint) = (depot, hash.finish());
        }
        self
    }

    /// Returns the sites that codes tell apart: behind the customers a site for each route that may be closed.
    pub(super) fn coded_sites(&self) -> usize {
        let n = self.network.size();
        match self.depot {
            Depot::Alike => n,
            Depot::ByVisit => n + self.network.vehicles().min(n),
        }
    }

    /// Returns the site that codes name: the depot behind the `visit`-th route, or a customer.
    #[inline]
    pub(super) fn coded(&self, site: u16, visit: u16) -> u64 {
        match (self.depot, site) {
            (Depot::ByVisit, 0) if visit > 0 => self.network.size() as u64 + u64::from(visit) - 1,
            _ => u64::from(site),
        }
    }

    /// Returns the tables of the instance.
    #[must_use]
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Returns what is minimised.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// Customers by ascending due time.
    #[inline]
    pub(super) fn by_due(&self) -> &[u16] {
        &self.by_due
    }

    /// Returns the longest distance.
    #[inline]
    pub(super) fn longest(&self) -> f64 {
        self.longest
    }

    /// Returns what each vehicle adds to the score, in the units of the network.
    pub(super) fn vehicle_cost(&self) -> f64 {
        self.route_cost
    }

    /// Returns the routes begun, the distance in the units of the file, and the customers that are not served.
    pub(crate) fn totals(&self, state: &Tour) -> (f64, f64, f64) {
        let aboard = if state.last == 0 { 0 } else { u32::from(state.aboard) };
        (f64::from(state.routes), state.distance / self.network.scale(), f64::from(state.left + aboard))
    }

    /// Returns a lower bound on the number of vehicles.
    #[must_use]
    pub fn fewest_vehicles(&self) -> usize {
        self.fewest
    }

    /// When the service at `j` would start and whether `j` may be next.
    #[inline]
    pub(super) fn arrival(&self, state: &Tour, j: usize) -> (f64, bool) {
        let network = &*self.network;
        let start = (state.time + network.distance(state.last as usize, j)).max(network.ready(j));
        let home = start + network.service(j) + network.way_home(j);
        let fits =
            state.load + network.demand(j) <= network.capacity() && start <= network.latest(j) && home <= self.closes;
        (start, fits)
    }

    /// Whether the depot may be next.
    #[inline]
    pub(super) fn may_return(&self, state: &Tour) -> bool {
        let network = &*self.network;
        let direct = || state.time + network.distance(state.last as usize, 0) <= network.latest(0);
        state.last != 0 && (!network.has_detours() || direct())
    }

    /// Whether a customer may be next at all: there is a vehicle.
    #[inline]
    pub(super) fn may_drive(&self, state: &Tour) -> bool {
        state.last != 0 || (state.routes as usize) < self.network.vehicles()
    }

    /// Returns the terms of the bias of customer `j`, whose service would begin at `start`, their weights included.
    #[inline]
    pub(super) fn terms(&self, state: &Tour, j: usize, start: f64) -> [f64; 4] {
        if j == 0 {
            return [0.0; 4];
        }
        let network = &*self.network;
        let way = network.distance(state.last as usize, j);
        let arrival = state.time + way;
        let far = if state.last == 0 { way / self.longest } else { 0.0 };
        let room = if network.due(j).is_finite() && self.horizon.is_finite() {
            [(network.due(j) - start) / self.horizon, (start - arrival) / self.horizon]
        } else {
            [0.0; 2]
        };
        [-BIAS[0] * way / self.longest, -BIAS[1] * room[0], -BIAS[2] * room[1], BIAS[3] * far]
    }

    /// Returns the routes of a tour and the customers that it leaves out.
    #[must_use]
    pub fn routes(&self, moves: &[u16]) -> (Vec<Vec<u16>>, Vec<u16>) {
        let mut left = Sites::customers(self.network.size());
        let mut routes = Vec::new();
        // A route that cannot return serves no customer.
        let closed = moves.iter().rposition(|&mv| mv == 0).unwrap_or(0);
        for customers in moves[..closed].split(|&mv| mv == 0).filter(|customers| !customers.is_empty()) {
            customers.iter().for_each(|&c| left.remove(c as usize));
            routes.push(customers.to_vec());
        }
        (routes, left.iter().map(|c| c as u16).collect())
    }

    /// The moves of routes in canonical order (by their first customers' due times, then numbers), each closed by the
    /// depot. The routes must be legal; `tour` holds their customers, each route behind or before a 0.
    pub fn canonical(&self, tour: &[u16], moves: &mut Vec<u16>) {
        let mut routes: Vec<&[u16]> = tour.split(|&c| c == 0).filter(|customers| !customers.is_empty()).collect();
        let due = |c: u16| self.network.due(c as usize);
        soloist::order::sort_by(&mut routes, |a, b| due(a[0]).total_cmp(&due(b[0])).then(a[0].cmp(&b[0])));
        for route in routes {
            moves.extend_from_slice(route);
            moves.push(0);
        }
    }

    /// Returns the move with the largest bias, the depot only when there is no other.
    pub(super) fn best_biased(&self, state: &Tour, legal: &[u16]) -> u16 {
        let customers = legal.iter().copied().filter(|&mv| mv != 0);
        let bias = |mv: &u16| self.terms(state, *mv as usize, self.arrival(state, *mv as usize).0).iter().sum::<f64>();
        customers.max_by(|a, b| bias(a).total_cmp(&bias(b)).then(b.cmp(a))).unwrap_or(0)
    }
}
