//! The rules: the giant tour over vehicles of all kinds, and which visits may follow.

use super::tables::{KindTable, NONE, Tables};
use super::{Instance, Objective};
use crate::fixed_point::positive;
use crate::sites::Sites;
use crate::vrptw::Rounding;
use soloist::problem::StableHasher;
use std::hash::Hasher;
use std::sync::Arc;

/// A partial giant tour.
#[derive(Debug)]
pub struct Tour {
    /// Where the vehicle is. No meaning without a vehicle under way.
    pub(super) last: u16,
    /// The kind of the vehicle under way, or [`NONE`].
    pub(super) kind: u16,
    /// Routes begun.
    pub(super) routes: u16,
    /// Visits on the route that is under way.
    pub(super) aboard: u16,
    /// Visits left that must be made.
    pub(super) left: u16,
    /// Whether optional customers that are left stay out.
    pub(super) stopped: bool,
    pub(super) load: i64,
    /// When the vehicle leaves.
    pub(super) time: f64,
    /// The earliest and the latest departure from the depot with the least duration of the route so far.
    pub(super) departure: [f64; 2],
    /// The least duration of the route so far.
    pub(super) duration: f64,
    /// Driven on the route that is under way.
    pub(super) length: f64,
    /// Driven in all.
    pub(super) distance: f64,
    /// Distance at the rates of the vehicles, and their fixed costs.
    pub(super) cost: f64,
    /// Fixed costs in it.
    pub(super) fixed: f64,
    /// Places that are not visited.
    pub(super) unvisited: Sites,
    /// By kind: vehicles used.
    pub(super) used: Vec<u16>,
}

impl Clone for Tour {
    fn clone(&self) -> Self {
        Self { unvisited: self.unvisited.clone(), used: self.used.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        let mut unvisited = std::mem::replace(&mut self.unvisited, Sites::customers(0));
        let mut used = std::mem::take(&mut self.used);
        unvisited.clone_from(&other.unvisited);
        used.clone_from(&other.used);
        *self = Self { unvisited, used, ..*other };
    }
}

/// The search's view of an [`Instance`]: routes one after the other, each begun by a move that names the kind of its
/// vehicle.
///
/// Moves are numbers: a visit, counted from 1; 0, the return to the depot; and behind the visits the kinds of vehicles.
/// Without a vehicle under way, 0 leaves out the customers that need not be served: it is a move once all others are
/// served, and while there are some left. A visit may follow if the load and its window allow it, the deliveries that
/// are owed, the depot and the longest time and distance of the route can still be met behind it one by one; a
/// delivery follows its pickup in the same route. The depot may follow when nothing is owed.
///
/// A tour ends when nothing can follow. Visits that must be made and are not, and all visits of a route that cannot be
/// finished, count as unserved: their number is the degree of infeasibility.
///
/// The score is the cost: distance at the rates of the vehicles, their fixed costs, and the prizes of customers that
/// are not served; with [`Objective::Vehicles`] also 10^6 (or a larger power of ten) for each route. A state takes
/// about 120 bytes, a bit for each place and two bytes for each kind; listing moves takes time for each visit left,
/// times the deliveries owed.
///
/// # References
/// H. Li and A. Lim, "A metaheuristic for the pickup and delivery problem with time windows", 2001. J.-F. Cordeau,
/// M. Gendreau and G. Laporte, Networks 30, 1997, pages 105-119 (several depots). The state after T. Cazenave and
/// S. Edelkamp, HD-NRPA, 2016.
#[derive(Debug)]
pub struct Rich {
    pub(super) tables: Arc<Tables>,
    pub(super) instance: Arc<Instance>,
    pub(super) rounding: Rounding,
    objective: Objective,
    pub(super) fewest: usize,
    /// By place: the shortest way to it from any other, at the least rate.
    pub(super) cheapest_in: Vec<f64>,
    pub(super) cheapest_home: f64,
    pub(super) cheapest_kind: f64,
    longest: f64,
    horizon: f64,
    pub(super) fingerprint: u64,
}

/// Weights of the terms of the bias, those of vehicle routing with equal vehicles: distance, lateness allowed, waiting,
/// and the weight of a return while visits may follow.
const BIAS: [f64; 4] = [30.0, 20.0, 90.0, 60.0];

impl Rich {
    /// Precomputes tables and bounds: O(n^2), with the bound on vehicles O(n^3) at worst.
    #[must_use]
    pub fn new(instance: Arc<Instance>, rounding: Rounding, objective: Objective) -> Self {
        let tables = Arc::new(Tables::new(&instance, rounding, objective));
        let network = &*tables.network;
        let n = network.size();
        let rate = tables.kinds.iter().map(|kind| kind.rate).fold(f64::INFINITY, f64::min);
        // The ways to a place lie side by side.
        let to = |j: usize, pick: fn(f64, f64) -> f64, least: f64| {
            let row = network.to_site(j);
            row[..j].iter().chain(&row[j + 1..]).copied().fold(least, pick)
        };
        let cheapest_in: Vec<f64> = (0..n).map(|j| rate * to(j, f64::min, f64::INFINITY)).collect();
        let cheapest_home = cheapest_in[..tables.depots].iter().copied().fold(f64::INFINITY, f64::min);
        let cheapest_kind = tables.kinds.iter().map(|kind| kind.fixed).fold(f64::INFINITY, f64::min);
        let longest = (0..n).map(|j| to(j, f64::max, f64::MIN_POSITIVE)).fold(f64::MIN_POSITIVE, f64::max);
        let last = (0..tables.depots).map(|depot| network.due(depot)).fold(0.0, f64::max);
        let horizon = if last.is_finite() { positive(last - network.ready(0)) } else { f64::INFINITY };
        let fewest = if objective == Objective::Vehicles { tables.fewest_vehicles() } else { 0 };
        let fingerprint = fingerprint(&tables, objective);
        let cheapest_in = cheapest_in.into_iter().map(|way| if way.is_finite() { way } else { 0.0 }).collect();
        let cheapest_home = if cheapest_home.is_finite() { cheapest_home } else { 0.0 };
        Self {
            tables,
            instance,
            rounding,
            objective,
            fewest,
            cheapest_in,
            cheapest_home,
            cheapest_kind,
            longest,
            horizon,
            fingerprint,
        }
    }

    /// Returns the tables of the instance.
    #[must_use]
    pub fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }

    /// Returns what is minimised.
    #[must_use]
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// Returns the vehicles and the cost that a score stands for. `None`: it is a cost alone.
    pub(super) fn pair(&self, score: f64) -> Option<(f64, f64)> {
        let unit = self.tables.route_cost / self.tables.network.scale();
        (self.objective == Objective::Vehicles).then(|| ((score / unit).floor(), score % unit))
    }

    /// The kind of the vehicle under way.
    #[inline]
    pub(super) fn kind(&self, state: &Tour) -> &KindTable {
        &self.tables.kinds[usize::from(state.kind)]
    }

    /// When the service at a place would start.
    #[inline]
    pub(super) fn start(&self, state: &Tour, place: usize) -> f64 {
        let network = &*self.tables.network;
        (state.time + network.distance(usize::from(state.last), place)).max(network.ready(place))
    }

    /// The least duration of the route so far with a further place, and the departures that have it.
    #[inline]
    pub(super) fn span(&self, state: &Tour, place: usize, service: f64) -> (f64, [f64; 2]) {
        let network = &*self.tables.network;
        let offset = state.duration + network.distance(usize::from(state.last), place);
        let [earliest, latest] = state.departure;
        let wait = (network.ready(place) - offset - latest).max(0.0);
        let first = (network.ready(place) - offset).max(earliest) - wait;
        (offset + wait + service, [first, latest.min(network.latest(place) - offset)])
    }

    /// Whether the vehicle under way may make a visit next; `owed` are the places of [`owed`](Self::owed).
    fn may_visit(&self, state: &Tour, place: usize, owed: &[usize]) -> bool {
        let (tables, network, kind) = (&*self.tables, &*self.tables.network, self.kind(state));
        let request = &tables.requests[usize::from(tables.request_of[place])];
        let (second, depot) = (usize::from(request.second), usize::from(kind.depot));
        let is_delivery = place == second;
        if is_delivery && state.unvisited.contains(usize::from(request.first)) {
            return false;
        }
        let start = self.start(state, place);
        if state.load + tables.demand[place] > kind.capacity || start > network.latest(place) {
            return false;
        }
        if !network.is_metric() {
            return true;
        }
        let leave = start + network.service(place);
        // In time behind this visit, directly or over another place.
        let meets = |owed: usize| {
            let then = (leave + network.distance(place, owed)).max(network.ready(owed));
            let home = then + network.service(owed) + network.distance(owed, depot);
            then <= network.certainly_late(owed) && home <= network.certainly_late(depot)
        };
        let own = is_delivery || request.second == NONE || meets(second);
        own && leave + network.distance(place, depot) <= network.certainly_late(depot)
            && self.keeps_limits(state, place, depot)
            && owed.iter().all(|&owed| owed == place || meets(owed))
    }

    /// Whether the route may still be short enough with a further visit.
    fn keeps_limits(&self, state: &Tour, place: usize, depot: usize) -> bool {
        let (network, kind) = (&*self.tables.network, self.kind(state));
        if !self.tables.has_limits {
            return true;
        }
        let (way, home) = (network.distance(usize::from(state.last), place), network.distance(place, depot));
        let (duration, _) = self.span(state, place, network.service(place));
        // Sums in another order may differ in their last digits.
        let margin = 1.0 - 1e-12;
        (state.length + way + home) * margin <= kind.farthest && (duration + home) * margin <= kind.longest
    }

    /// The places of deliveries whose goods are aboard: time for each place that is not visited.
    pub(crate) fn owed(&self, state: &Tour) -> Vec<usize> {
        let tables = &*self.tables;
        let owes = |&place: &usize| {
            let request = &tables.requests[usize::from(tables.request_of[place])];
            usize::from(request.second) == place && !state.unvisited.contains(usize::from(request.first))
        };
        // Nothing is owed where there are no transports, which is quick to see.
        let unvisited = state.unvisited.iter();
        unvisited.filter(|&place| tables.demand[place] <= 0 && tables.request_of[place] != NONE).filter(owes).collect()
    }

    /// Whether the vehicle under way may return; `owed` are the places of [`owed`](Self::owed).
    pub(super) fn may_return(&self, state: &Tour, owed: &[usize]) -> bool {
        let (network, kind) = (&*self.tables.network, self.kind(state));
        let depot = usize::from(kind.depot);
        if state.aboard == 0 || !owed.is_empty() {
            return false;
        }
        let home = network.distance(usize::from(state.last), depot);
        let limits = || {
            let (duration, _) = self.span(state, depot, 0.0);
            duration <= kind.longest && state.length + home <= kind.farthest
        };
        state.time + home <= network.latest(depot) && (!self.tables.has_limits || limits())
    }

    /// Whether a vehicle of a kind is left that can begin with some visit.
    pub(super) fn may_begin(&self, state: &Tour, kind: usize) -> bool {
        if state.used[kind] >= self.tables.kinds[kind].count {
            return false;
        }
        let mut begun = state.clone();
        self.begin(&mut begun, kind);
        // No vehicle has returned that owes something.
        state.unvisited.iter().any(|place| place >= self.tables.depots && self.may_visit(&begun, place, &[]))
    }

    /// The places that the vehicle under way may visit next, ascending; `owed` are those of [`owed`](Self::owed).
    pub(super) fn next<'s>(&'s self, state: &'s Tour, owed: &'s [usize]) -> impl Iterator<Item = usize> + 's {
        state.unvisited.iter().filter(|&place| self.may_visit(state, place, owed))
    }

    /// Sends out a vehicle.
    pub(super) fn begin(&self, state: &mut Tour, kind: usize) {
        let (network, table) = (&*self.tables.network, &self.tables.kinds[kind]);
        let depot = usize::from(table.depot);
        (state.kind, state.last, state.aboard, state.load) = (kind as u16, table.depot, 0, 0);
        state.used[kind] += 1;
        state.routes += 1;
        state.time = network.ready(depot) + network.service(depot);
        (state.duration, state.length) = (network.service(depot), 0.0);
        state.departure = [network.ready(depot), network.latest(depot)];
        state.cost += table.fixed;
        state.fixed += table.fixed;
    }

    /// Returns the prizes of optional customers that are not served, in the units of the network.
    pub(super) fn lost(&self, state: &Tour) -> f64 {
        let optional = self.tables.requests.iter().filter(|request| request.is_optional());
        optional
            .filter(|request| state.unvisited.contains(usize::from(request.first)))
            .map(|request| request.prize)
            .sum()
    }

    /// Returns the terms of the bias of a move, their weights included.
    pub(super) fn terms(&self, state: &Tour, mv: u16) -> [f64; 4] {
        if mv == 0 {
            return [0.0, 0.0, 0.0, -BIAS[3]];
        }
        if self.tables.begun(mv).is_some() {
            return [0.0; 4];
        }
        let network = &*self.tables.network;
        let place = usize::from(self.tables.place(mv));
        let way = network.distance(usize::from(state.last), place);
        let (arrival, start) = (state.time + way, self.start(state, place));
        let room = if network.due(place).is_finite() && self.horizon.is_finite() {
            [(network.due(place) - start) / self.horizon, (start - arrival) / self.horizon]
        } else {
            [0.0; 2]
        };
        [-BIAS[0] * way / self.longest, -BIAS[1] * room[0], -BIAS[2] * room[1], 0.0]
    }

    /// Returns the routes of a tour, each with its kind (counted from 0) and its visits, and the visits not made.
    #[must_use]
    pub fn routes(&self, moves: &[u16]) -> (Vec<(usize, Vec<u16>)>, Vec<u16>) {
        let mut routes: Vec<(usize, Vec<u16>)> = Vec::new();
        let mut open = false;
        for &mv in moves {
            match (self.tables.begun(mv), routes.last_mut()) {
                (Some(kind), _) => {
                    open = true;
                    routes.push((kind, Vec::new()));
                }
                (None, Some((_, visits))) if mv != 0 => visits.push(mv),
                _ => open = false,
            }
        }
        if open {
            // A route that cannot be finished serves nobody.
            routes.pop();
        }
        let mut left = vec![true; self.tables.visits() + 1];
        routes.iter().flat_map(|(_, visits)| visits).for_each(|&visit| left[usize::from(visit)] = false);
        (routes, (1..left.len()).filter(|&visit| left[visit]).map(|visit| visit as u16).collect())
    }
}

/// A hash of everything that decides about a run.
fn fingerprint(tables: &Tables, objective: Objective) -> u64 {
    let network = &*tables.network;
    let mut hash = StableHasher::new();
    hash.write(b"rich-vrp");
    hash.write_u64(objective as u64);
    hash.write_u64(network.scale().to_bits());
    hash.write_u64(tables.depots as u64);
    for kind in &tables.kinds {
        hash.write_u64(u64::from(kind.depot) << 32 | u64::from(kind.count));
        hash.write_u64(kind.capacity as u64);
        for value in [kind.fixed, kind.rate, kind.longest, kind.farthest] {
            hash.write_u64(value.to_bits());
        }
    }
    for request in &tables.requests {
        hash.write_u64(u64::from(request.first) << 16 | u64::from(request.second));
        hash.write_u64(request.prize.to_bits());
        hash.write_u64(request.demand as u64);
    }
    for i in 0..network.size() {
        for value in [network.ready(i), network.due(i), network.service(i)] {
            hash.write_u64(value.to_bits());
        }
        network.from_site(i).iter().for_each(|value| hash.write_u64(value.to_bits()));
    }
    hash.finish()
}
