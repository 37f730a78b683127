//! Slack induction by string removals for requests and vehicles of several kinds.

use super::route::{Place, Route};
use super::tables::{NONE, Tables, ranks};
use crate::kernel::{Kernel, Move};
use crate::sisr::SisrSettings;
use soloist::Rng;
use std::sync::Arc;

/// The cheapest place of a request in a version of a route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) version: u32,
    pub(super) place: Place,
}

const UNKNOWN: Known = Known { version: 0, place: Place::NOWHERE };

/// A place among all routes. A route behind the open ones is to be opened, of this kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) route: usize,
    pub(super) kind: u16,
    pub(super) place: Place,
}

/// What is known of places until their routes change.
#[derive(Debug, Default)]
pub(super) struct Cache {
    /// By request and slot of a route.
    pub(super) known: Vec<Known>,
    /// By request and kind: the cost in a route of its own. The version 1 marks those that are known.
    pub(super) alone: Vec<Known>,
    pub(super) slots: usize,
    /// The last version given.
    versions: u32,
}

/// What a step changes, to be undone.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) step: u32,
    pub(super) touched_in: Vec<u32>,
    touched: Vec<u16>,
    saved: Vec<Route>,
    used_before: Vec<u16>,
    pub(super) removed: Vec<(u16, u16)>,
    /// Optional requests that were not served and are tried again.
    pub(super) tried: Vec<u16>,
}

/// Requests that must be served and are not.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    pub(super) absent: Vec<u16>,
    /// Those that the step leaves out.
    pub(super) still_absent: Vec<u16>,
    /// By request: the steps that it was absent.
    pub(super) misses: Vec<u32>,
}

/// Rooms that are used again.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    pub(super) pending: Vec<u64>,
    pub(super) choices: Vec<Choice>,
}

/// A solution under repair: strings of neighbouring visits are removed with all of their requests, and each request
/// returns to its cheapest place, or stays out where its prize is smaller than the way.
///
/// # References
/// J. Christiaens and G. Vanden Berghe, "Slack induction by string removals for vehicle routing problems",
/// Transportation Science 54, 2020, pages 417-433 (transports and vehicles of several depots included).
#[derive(Debug)]
pub struct Repair {
    pub(super) tables: Arc<Tables>,
    pub(super) settings: SisrSettings,
    /// The first `open` ones are in use; at the start of a step each has visits.
    pub(super) routes: Vec<Route>,
    pub(super) open: usize,
    /// By kind: a route without visits, and how many are in use.
    pub(super) empty: Vec<Route>,
    pub(super) used: Vec<u16>,
    pub(super) fleet: usize,
    /// By request: its route; [`NONE`]: not served.
    pub(super) home: Vec<u16>,
    pub(super) left_out: LeftOut,
    pub(super) cost: f64,
    /// By rule and request: the place in the order of insertion.
    pub(super) ranks: Vec<u16>,
    pub(super) cache: Cache,
    pub(super) changes: Changes,
    pub(super) buffers: Buffers,
    pub(super) has_prizes: bool,
}

impl Repair {
    /// Returns a kernel without a solution.
    #[must_use]
    pub fn new(tables: Arc<Tables>, settings: SisrSettings) -> Self {
        let (requests, kinds) = (tables.requests.len(), tables.kinds.len());
        Self {
            settings,
            routes: Vec::new(),
            open: 0,
            empty: (0..kinds).map(|kind| Route::new(&tables, kind as u16)).collect(),
            used: vec![0; kinds],
            fleet: tables.vehicles,
            home: vec![NONE; requests],
            left_out: LeftOut { misses: vec![0; requests], ..LeftOut::default() },
            cost: 0.0,
            ranks: ranks(&tables),
            cache: Cache { alone: vec![UNKNOWN; requests * kinds], ..Cache::default() },
            changes: Changes::default(),
            buffers: Buffers::default(),
            has_prizes: tables.requests.iter().any(|request| request.is_optional()),
            tables,
        }
    }

    /// Room for `slots` routes; what is known is forgotten.
    pub(super) fn reserve(&mut self, slots: usize) {
        if self.cache.slots < slots {
            self.cache.slots = slots;
            self.cache.known.clear();
            self.cache.known.resize(slots * self.home.len(), UNKNOWN);
            while self.routes.len() < slots {
                let mut route = Route::new(&self.tables, 0);
                self.cache.versions += 1;
                route.version = self.cache.versions;
                self.routes.push(route);
            }
            self.changes.touched_in.resize(slots, 0);
        }
    }

    /// Gives every route a version of its own and forgets what was known.
    fn renumber(&mut self) {
        self.cache.known.iter_mut().for_each(|known| known.version = 0);
        self.cache.versions = 0;
        for route in &mut self.routes {
            self.cache.versions += 1;
            route.version = self.cache.versions;
        }
        self.changes.step = 0;
        self.changes.touched_in.fill(0);
    }

    pub(super) fn new_version(&mut self, r: usize) {
        self.cache.versions += 1;
        self.routes[r].version = self.cache.versions;
    }

    /// Begins a step: nothing is touched.
    pub(super) fn begin(&mut self) {
        if self.cache.versions > u32::MAX - 1_000_000 || self.changes.step == u32::MAX {
            self.renumber();
        }
        self.changes.step += 1;
        self.changes.touched.clear();
        self.changes.removed.clear();
        self.changes.tried.clear();
        self.changes.used_before.clone_from(&self.used);
    }

    /// Keeps a copy of a route before its first change in this step.
    pub(super) fn touch(&mut self, r: usize) {
        if self.changes.touched_in[r] == self.changes.step {
            return;
        }
        self.changes.touched_in[r] = self.changes.step;
        let at = self.changes.touched.len();
        self.changes.touched.push(r as u16);
        if at == self.changes.saved.len() {
            self.changes.saved.push(self.routes[r].clone());
        } else {
            self.changes.saved[at].clone_from(&self.routes[r]);
        }
    }

    /// Makes the changes of this step the present solution.
    fn keep(&mut self, cost: f64) {
        self.cost = cost;
        std::mem::swap(&mut self.left_out.absent, &mut self.left_out.still_absent);
        for i in 0..self.changes.touched.len() {
            let r = usize::from(self.changes.touched[i]);
            if r < self.open && self.routes[r].len() == 0 {
                self.close(r);
                // The last route has moved: it may be one of those touched.
                for later in &mut self.changes.touched[i + 1..] {
                    if usize::from(*later) == self.open {
                        *later = r as u16;
                    }
                }
            }
        }
    }

    /// Puts the last open route into the place of the empty route `r`.
    fn close(&mut self, r: usize) {
        self.used[usize::from(self.routes[r].kind)] -= 1;
        self.open -= 1;
        let last = self.open;
        self.routes.swap(r, last);
        if r != last {
            for place in self.routes[r].places() {
                self.home[usize::from(self.tables.request_of[usize::from(place)])] = r as u16;
            }
        }
        // Versions belong to slots.
        self.new_version(r);
        self.new_version(last);
    }

    /// Takes the changes of this step back.
    fn undo(&mut self) {
        for (&r, saved) in self.changes.touched.iter().zip(&mut self.changes.saved) {
            std::mem::swap(&mut self.routes[usize::from(r)], saved);
        }
        // Requests that were left out may have been inserted.
        for &request in self.left_out.absent.iter().chain(&self.changes.tried) {
            self.home[usize::from(request)] = NONE;
        }
        for &(request, r) in &self.changes.removed {
            self.home[usize::from(request)] = r;
        }
        self.used.clone_from(&self.changes.used_before);
        while self.open > 0 && self.routes[self.open - 1].len() == 0 {
            self.open -= 1;
        }
    }

    /// One ruin and recreation, to be kept or undone: returns its cost. `None`: a limit was passed, and the attempt is
    /// undone.
    fn attempt(&mut self, rng: &mut Rng, limit: f64, most: u64, count: bool) -> Option<f64> {
        self.begin();
        let after_ruin = self.cost - self.ruin(rng);
        self.order(rng);
        let cost = self.recreate(rng, after_ruin, limit, most, count);
        // A way past a visit that was taken out may be longer than the way over it.
        let sound = || self.changes.touched.iter().all(|&r| self.routes[usize::from(r)].is_sound(&self.tables));
        let cost = cost.filter(|_| self.tables.network.is_metric() || sound());
        if cost.is_none() {
            self.undo();
        }
        cost
    }

    /// Splits a tour into routes: the kind, and the places in order. `None`: it is no tour.
    fn split(&self, tour: &[u16]) -> Option<Vec<(u16, Vec<u16>)>> {
        let mut routes: Vec<(u16, Vec<u16>)> = Vec::new();
        for &mv in tour.iter().filter(|&&mv| mv != 0) {
            match self.tables.begun(mv) {
                Some(kind) if kind < self.tables.kinds.len() => routes.push((kind as u16, Vec::new())),
                Some(_) => return None,
                None => routes.last_mut()?.1.push(self.tables.place(mv)),
            }
        }
        routes.retain(|(_, places)| !places.is_empty());
        Some(routes)
    }

    /// Whether a route makes both visits of each request, in order, each once.
    fn is_whole(&self, places: &[u16]) -> bool {
        let position = |place: u16| places.iter().position(|&other| other == place);
        places.iter().enumerate().all(|(at, &place)| {
            let request = self.tables.requests[usize::from(self.tables.request_of[usize::from(place)])];
            let follows = || position(request.second).is_some_and(|second| second > at);
            let precedes = || position(request.first).is_some_and(|first| first < at);
            position(place) == Some(at)
                && (request.second == NONE || if place == request.first { follows() } else { precedes() })
        })
    }
}

impl Kernel for Repair {
    fn customers(&self) -> usize {
        self.tables.visits()
    }

    fn scale(&self) -> f64 {
        self.tables.network.scale()
    }

    fn fewest_vehicles(&self) -> usize {
        self.tables.fewest_vehicles()
    }

    fn most_vehicles(&self) -> usize {
        self.tables.vehicles
    }

    fn route_cost(&self) -> f64 {
        self.tables.route_cost
    }

    fn cost(&self) -> f64 {
        self.cost
    }

    fn vehicles(&self) -> usize {
        self.open
    }

    fn absent(&self) -> &[u16] {
        &self.left_out.absent
    }

    fn fleet(&self) -> usize {
        self.fleet
    }

    fn set_fleet(&mut self, fleet: usize) {
        self.fleet = fleet.min(self.tables.vehicles);
    }

    fn misses(&self) -> &[u32] {
        &self.left_out.misses
    }

    fn set_misses(&mut self, misses: &[u32]) {
        if misses.len() == self.left_out.misses.len() {
            self.left_out.misses.copy_from_slice(misses);
        }
    }

    fn set_settings(&mut self, settings: SisrSettings) {
        self.settings = settings;
    }

    /// A 0, then for each route the move that begins it and its visits.
    fn write(&self, tour: &mut Vec<u16>) {
        tour.clear();
        tour.push(0);
        for route in &self.routes[..self.open] {
            tour.push(self.tables.begin(usize::from(route.kind)));
            tour.extend(route.places().map(|place| self.tables.visit(place)));
        }
    }

    fn set(&mut self, tour: &[u16], absent: &[u16], fleet: usize) {
        let tables = Arc::clone(&self.tables);
        self.set_fleet(fleet);
        self.home.fill(NONE);
        self.used.fill(0);
        self.left_out.absent.clear();
        self.left_out.absent.extend_from_slice(absent);
        let routes = self.split(tour).unwrap_or_default();
        self.open = routes.len();
        self.reserve(self.open + self.open / 4 + 8);
        for route in &mut self.routes {
            route.set(&tables, route.kind, std::iter::empty());
        }
        for (r, (kind, places)) in routes.into_iter().enumerate() {
            for &place in &places {
                self.home[usize::from(tables.request_of[usize::from(place)])] = r as u16;
            }
            self.used[usize::from(kind)] += 1;
            self.routes[r].set(&tables, kind, places.into_iter());
        }
        self.renumber();
        self.recount();
    }

    fn set_cost(&mut self, cost: f64) {
        self.cost = cost;
    }

    fn recount(&mut self) {
        let routes: f64 = self.routes[..self.open].iter().map(|route| route.cost).sum();
        let out = self
            .tables
            .requests
            .iter()
            .zip(&self.home)
            .filter(|(request, home)| **home == NONE && request.is_optional());
        self.cost = routes + out.map(|(request, _)| request.prize).sum::<f64>();
    }

    fn construct(&mut self, rng: &mut Rng) {
        self.set(&[0], &[], usize::MAX);
        self.begin();
        self.left_out.absent = (0..self.home.len() as u16).collect();
        self.order(rng);
        self.left_out.absent.clear();
        self.fill_empty();
        self.renumber();
        self.recount();
    }

    fn drop_route(&mut self) {
        let sum = |route: &Route| {
            let misses = route
                .places()
                .map(|place| self.left_out.misses[usize::from(self.tables.request_of[usize::from(place)])]);
            misses.map(u64::from).sum::<u64>()
        };
        let Some(r) = (0..self.open).min_by_key(|&r| (sum(&self.routes[r]), self.routes[r].len())) else { return };
        for request in 0..self.home.len() {
            if usize::from(self.home[request]) == r {
                self.home[request] = NONE;
                if !self.tables.requests[request].is_optional() {
                    self.left_out.absent.push(request as u16);
                }
            }
        }
        let tables = Arc::clone(&self.tables);
        self.routes[r].remove(&tables, |_| true);
        self.close(r);
        self.fleet = self.open;
        self.recount();
    }

    fn step(&mut self, rng: &mut Rng, temperature: f64) -> bool {
        let mut own = rng.clone();
        let accepted = self.anneal(&mut own, temperature);
        *rng = own;
        accepted
    }

    fn step_fleet(&mut self, rng: &mut Rng, temperature: f64) -> bool {
        let mut own = rng.clone();
        let served = self.save_vehicle(&mut own, temperature);
        *rng = own;
        served
    }

    fn mean_leg(&self) -> f64 {
        let routes = &self.routes[..self.open];
        let stops: usize = routes.iter().map(|route| route.len() + 1).sum();
        let length: f64 = routes.iter().map(Route::length).sum();
        let network = &*self.tables.network;
        // Where nobody is served, the way from a depot is the unit.
        if stops == 0 { network.distance(0, network.size() - 1) } else { length / stops as f64 }
    }

    fn is_sound(&self, tour: &[u16], absent: &[u16]) -> bool {
        let tables = &*self.tables;
        let Some(routes) = self.split(tour).filter(|_| tour.first() == Some(&0)) else { return false };
        let (mut seen, mut used) = (vec![false; self.home.len()], vec![0_u16; tables.kinds.len()]);
        for (kind, places) in routes {
            used[usize::from(kind)] += 1;
            let known = places.iter().all(|&place| usize::from(place) < tables.network.size());
            if !known || !self.is_whole(&places) {
                return false;
            }
            for &place in &places {
                let request = usize::from(tables.request_of[usize::from(place)]);
                let again = std::mem::replace(&mut seen[request], true);
                if again && place == tables.requests[request].first {
                    return false;
                }
            }
            let mut route = Route::new(tables, kind);
            route.set(tables, kind, places.into_iter());
            if !route.is_sound(tables) {
                return false;
            }
        }
        let left_out = |&request: &u16| {
            let seen = seen.get_mut(usize::from(request));
            seen.is_some_and(|seen| !std::mem::replace(seen, true))
                && !tables.requests[usize::from(request)].is_optional()
        };
        absent.iter().all(left_out)
            && seen.iter().zip(&tables.requests).all(|(seen, request)| *seen || request.is_optional())
            && used.iter().zip(&tables.kinds).all(|(used, kind)| *used <= kind.count)
    }

    fn child(&self, parents: [&[u16]; 2], fleet: usize, rng: &mut Rng, tour: &mut Vec<u16>, absent: &mut Vec<u16>) {
        let tables = &*self.tables;
        let (limited, fleet) = (fleet != usize::MAX, fleet.min(tables.vehicles));
        let [first, second] = parents.map(|tour| self.split(tour).unwrap_or_default());
        let request_of = |place: &u16| usize::from(tables.request_of[usize::from(*place)]);
        let mut home = vec![usize::MAX; self.home.len()];
        for (at, (_, places)) in first.iter().enumerate() {
            places.iter().for_each(|place| home[request_of(place)] = at);
        }
        let count = (1 + rng.index(first.len().div_ceil(2).max(1))).min(fleet);
        let seed = tables.depots + rng.index(tables.visits());
        let (mut taken, mut left) = (vec![false; first.len()], vec![true; self.home.len()]);
        let (mut used, mut written) = (vec![0_u16; tables.kinds.len()], 0);
        tour.clear();
        tour.push(0);
        let mut add = |(kind, places): (u16, &[u16]), left: &mut [bool]| {
            if used[usize::from(kind)] == tables.kinds[usize::from(kind)].count {
                return false;
            }
            used[usize::from(kind)] += 1;
            tour.push(tables.begin(usize::from(kind)));
            tour.extend(places.iter().map(|&place| tables.visit(place)));
            places.iter().for_each(|place| left[request_of(place)] = false);
            true
        };
        for &place in tables.network.near(seed) {
            let request = tables.request_of[usize::from(place)];
            let Some(&route) = home.get(usize::from(request)).filter(|&&route| route != usize::MAX) else { continue };
            if written < count && !std::mem::replace(&mut taken[route], true) {
                written += usize::from(add((first[route].0, &first[route].1), &mut left));
            }
        }
        let stay = |(kind, places): &(u16, Vec<u16>)| {
            let stay: Vec<u16> = places.iter().copied().filter(|place| left[request_of(place)]).collect();
            (places.len(), *kind, stay)
        };
        let mut rest: Vec<(usize, u16, Vec<u16>)> = second.iter().map(stay).collect();
        rest.retain(|(length, _, stay)| !stay.is_empty() && (limited || 2 * stay.len() >= *length));
        soloist::order::sort_by_key(&mut rest, |(.., stay)| std::cmp::Reverse(stay.len()));
        for (_, kind, stay) in rest {
            let mut route = Route::new(tables, kind);
            route.set(tables, kind, stay.iter().copied());
            if written < fleet && route.is_sound(tables) {
                written += usize::from(add((kind, &stay), &mut left));
            }
        }
        absent.clear();
        let must = |request: &usize| left[*request] && !tables.requests[*request].is_optional();
        absent.extend((0..left.len()).filter(must).map(|request| request as u16));
    }
}

impl Move for Repair {
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
        [&self.left_out.absent, &self.left_out.still_absent]
    }

    fn counters(&mut self) -> (&mut [u32], &[u16]) {
        (&mut self.left_out.misses, &self.left_out.absent)
    }

    fn counts(&self) -> &[u32] {
        &self.left_out.misses
    }
}
