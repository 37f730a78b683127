//! The tables of the searches.

use super::{Instance, Objective};
use crate::bound::matching;
use crate::network::Network;
use crate::rules::TOLERANCE;
use crate::sampling::RULES;
use crate::vrptw::Rounding;
use std::sync::Arc;

/// No visit, no request.
pub(super) const NONE: u16 = u16::MAX;

/// A customer, or a transport of two visits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    /// Place of the customer, or of the pickup.
    pub(super) first: u16,
    /// Place of the delivery; [`NONE`] without one.
    pub(super) second: u16,
    /// What it costs not to serve it; infinite where it must be served.
    pub(super) prize: f64,
    pub(super) demand: i64,
}

impl Request {
    pub(super) fn is_optional(&self) -> bool {
        self.prize.is_finite()
    }
}

/// Vehicles that are alike, in the units of the network.
#[derive(Clone, Copy, Debug)]
pub(super) struct KindTable {
    pub(super) depot: u16,
    pub(super) capacity: i64,
    pub(super) count: u16,
    pub(super) fixed: f64,
    pub(super) rate: f64,
    /// The longest time of a route, with the tolerance of the rules.
    pub(super) longest: f64,
    pub(super) farthest: f64,
    /// The same with half of the tolerance, for routes that are built by insertion.
    pub(super) firm_longest: f64,
    pub(super) firm_farthest: f64,
}

/// Distances, windows, requests and vehicles of an instance as the searches read them. Places are numbered from 0, the
/// depots first.
#[derive(Debug)]
pub struct Tables {
    pub(super) network: Arc<Network>,
    pub(super) depots: usize,
    pub(super) kinds: Vec<KindTable>,
    pub(super) requests: Vec<Request>,
    /// By place: its request; [`NONE`] for depots.
    pub(super) request_of: Vec<u16>,
    /// By place: what is loaded there.
    pub(super) demand: Vec<i64>,
    /// What a route costs beside its distance and the fixed cost of its vehicle.
    pub(super) route_cost: f64,
    /// The most vehicles that a solution can use.
    pub(super) vehicles: usize,
    /// Whether some vehicles have a longest time or distance.
    pub(super) has_limits: bool,
}

impl Tables {
    /// Returns the tables of an instance that is valid.
    #[must_use]
    pub fn new(instance: &Instance, rounding: Rounding, objective: Objective) -> Self {
        let network = Arc::new(instance.sites().network(rounding));
        let (depots, scale) = (instance.depots.len(), network.scale());
        let places = network.size();
        let (mut requests, mut request_of) = (Vec::new(), vec![NONE; places]);
        let mut demand = vec![0; places];
        for (at, visit) in instance.visits.iter().enumerate() {
            demand[depots + at] = visit.demand;
            if visit.delivers {
                continue;
            }
            let second = visit.partner.map_or(NONE, |partner| instance.location(partner as usize) as u16);
            let request = requests.len() as u16;
            request_of[depots + at] = request;
            if second != NONE {
                request_of[second as usize] = request;
            }
            let prize = visit.prize.map_or(f64::INFINITY, |prize| prize * scale);
            requests.push(Request { first: (depots + at) as u16, second, prize, demand: visit.demand });
        }
        let exact = network.is_exact();
        let limit = |limit: f64, tolerance: f64| match (limit * scale, exact) {
            (scaled, true) if scaled.is_finite() => (scaled * (1.0 + 1e-12)).floor(),
            (scaled, _) => scaled * (1.0 + tolerance),
        };
        let most = instance.visits.len();
        let kinds: Vec<KindTable> = instance
            .kinds
            .iter()
            .map(|kind| KindTable {
                depot: kind.depot as u16,
                capacity: i64::from(kind.capacity),
                count: kind.count.map_or(most, |count| most.min(count as usize)) as u16,
                fixed: kind.fixed * scale,
                rate: kind.rate,
                longest: limit(kind.longest, TOLERANCE),
                farthest: limit(kind.farthest, TOLERANCE),
                firm_longest: limit(kind.longest, TOLERANCE / 2.0),
                firm_farthest: limit(kind.farthest, TOLERANCE / 2.0),
            })
            .collect();
        let vehicles = kinds.iter().map(|kind| usize::from(kind.count)).sum::<usize>().min(most);
        let has_limits = kinds.iter().any(|kind| kind.longest.is_finite() || kind.farthest.is_finite());
        let mut tables =
            Self { network, depots, kinds, requests, request_of, demand, route_cost: 0.0, vehicles, has_limits };
        if objective == Objective::Vehicles {
            tables.route_cost = tables.vehicle_cost(scale);
        }
        tables
    }

    /// Returns the power of ten from 10^6 on that is above the costs of serving every visit by a vehicle of its own.
    fn vehicle_cost(&self, scale: f64) -> f64 {
        let own = |place: usize| {
            let costs = self.kinds.iter().map(|kind| {
                let depot = usize::from(kind.depot);
                kind.fixed + kind.rate * (self.network.distance(depot, place) + self.network.distance(place, depot))
            });
            costs.fold(0.0, f64::max)
        };
        let most = (self.depots..self.network.size()).map(own).sum::<f64>() / scale;
        let mut cost = 1e6;
        while cost <= most {
            cost *= 10.0;
        }
        cost * scale
    }

    /// Returns the number of visits.
    #[must_use]
    pub fn visits(&self) -> usize {
        self.network.size() - self.depots
    }

    /// Returns the distances and windows of all places, the depots first.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns a lower bound on the number of vehicles: visits that must be made, covered by the fewest paths in time.
    #[must_use]
    pub fn fewest_vehicles(&self) -> usize {
        let network = &*self.network;
        let must: Vec<usize> = (self.depots..network.size())
            .filter(|&place| !self.requests[usize::from(self.request_of[place])].is_optional())
            .collect();
        if must.is_empty() || !network.is_metric() {
            return must.len().min(1);
        }
        let begin = |place: usize| {
            let from = (0..self.depots).map(|d| network.ready(d) + network.service(d) + network.distance(d, place));
            from.fold(f64::INFINITY, f64::min).max(network.ready(place))
        };
        let follows = |a: usize, b: usize| {
            let (a, b) = (must[a], must[b]);
            begin(a) + network.service(a) + network.distance(a, b) <= network.certainly_late(b)
        };
        must.len() - matching(must.len(), follows)
    }

    /// Returns the visit at a place, as solutions count them.
    pub(super) fn visit(&self, place: u16) -> u16 {
        place + 1 - self.depots as u16
    }

    /// Returns the place of a visit.
    pub(super) fn place(&self, visit: u16) -> u16 {
        visit + self.depots as u16 - 1
    }

    /// Returns the move that begins a route of a kind.
    pub(super) fn begin(&self, kind: usize) -> u16 {
        (self.visits() + 1 + kind) as u16
    }

    /// Returns the kind that a move begins; `None`: it is a visit or the return.
    pub(super) fn begun(&self, mv: u16) -> Option<usize> {
        usize::from(mv).checked_sub(self.visits() + 1)
    }
}

/// For each rule but the random one, the rank of every request: demand descending, far, close, width of the window
/// ascending, start ascending, end descending. Ties by number.
pub(super) fn ranks(tables: &Tables) -> Vec<u16> {
    let network = &*tables.network;
    let first = |request: usize| usize::from(tables.requests[request].first);
    let far = |request: usize| {
        let place = first(request);
        let ways = (0..tables.depots).map(|depot| network.distance(depot, place) + network.distance(place, depot));
        ways.fold(f64::INFINITY, f64::min)
    };
    let keys: [&dyn Fn(usize) -> f64; RULES - 1] = [
        &|request| -(tables.requests[request].demand as f64),
        &|request| -far(request),
        &far,
        &|request| network.due(first(request)) - network.ready(first(request)),
        &|request| network.ready(first(request)),
        &|request| -network.due(first(request)),
    ];
    let size = tables.requests.len();
    let mut ranks = Vec::with_capacity(keys.len() * size);
    let mut order: Vec<usize> = (0..size).collect();
    for key in keys {
        soloist::order::sort_by(&mut order, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        let begin = ranks.len();
        ranks.resize(begin + size, 0);
        for (rank, &request) in order.iter().enumerate() {
            ranks[begin + request] = rank as u16;
        }
    }
    ranks
}
