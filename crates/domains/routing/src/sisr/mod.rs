//! Slack induction by string removals: the kernel that improves a set of routes, one ruin and one recreation a step.

mod anneals;
mod exchange;
mod repair;
mod settings;

use crate::kernel::Move;
use crate::network::{NONE, Network};
use crate::route::{Route, Stop};
use repair::{Choice, ranks};
pub use settings::SisrSettings;
use soloist::Rng;
use std::sync::Arc;

/// The mean number of customers from which routes are long.
const LONG_ROUTE: usize = 20;

/// The cheapest position of a customer in a version of a route.
#[derive(Clone, Copy, Debug)]
struct Known {
    version: u32,
    at: u32,
    cost: f64,
}

/// What is known of positions until their routes change.
#[derive(Debug, Default)]
struct Cache {
    /// By customer and slot of a route.
    known: Vec<Known>,
    slots: usize,
    /// The last version given.
    versions: u32,
}

/// What a step changes, to be undone.
#[derive(Debug, Default)]
struct Changes {
    step: u32,
    touched_in: Vec<u32>,
    touched: Vec<u16>,
    saved: Vec<Route>,
    removed: Vec<(u16, u16)>,
    /// Whether a vehicle reaches a stop later than before, because the way past customers taken out is longer.
    delays: bool,
    /// The cost of the solution proposed.
    proposed: f64,
}

/// The routes in which a customer is tried.
#[derive(Debug, Default)]
struct Near {
    routes: Vec<u16>,
    /// By route the look at which it was listed.
    listed_in: Vec<u32>,
    look: u32,
}

/// Customers, and whom the solution leaves out.
#[derive(Debug, Default)]
struct Customers {
    /// Those that the solution may serve: all but those of routes that are kept out.
    active: Vec<u16>,
    absent: Vec<u16>,
    /// Those that the step leaves out.
    still_absent: Vec<u16>,
    /// Steps that each was absent.
    misses: Vec<u32>,
}

/// Rooms that are used again.
#[derive(Debug, Default)]
struct Buffers {
    pending: Vec<u64>,
    choices: Vec<Choice>,
    /// Stops on their way to another route.
    block: Vec<Stop>,
}

/// A solution under repair: strings of neighbouring customers are removed from neighbouring routes, and each customer
/// returns to its cheapest position.
///
/// Differs from the paper in what it remembers: the cheapest position of a customer in a route holds until the route
/// changes, and a position is overlooked by ranks (the k-th cheapest is taken with the chance that the k before are
/// overlooked), which draws from the same distribution with one random number.
///
/// # References
/// J. Christiaens and G. Vanden Berghe, "Slack induction by string removals for vehicle routing problems",
/// Transportation Science 54, 2020, pages 417-433.
#[derive(Debug)]
pub struct Sisr {
    network: Arc<Network>,
    settings: SisrSettings,
    /// What a route costs beside its distance.
    route_cost: f64,
    /// The first `open` ones are in use (at the start of a step each has customers); behind them there may be empty
    /// ones.
    routes: Vec<Route>,
    open: usize,
    /// The most routes.
    fleet: usize,
    /// The route of each site; [`NONE`]: not served.
    home: Vec<u16>,
    /// Where each customer's stop was when it was looked for last: it is there still, or near, most of the time.
    last_stop: Vec<u16>,
    customers: Customers,
    /// Distance, and `route_cost` for each route.
    cost: f64,
    /// By rule and customer: the place in the order of insertion.
    ranks: Vec<u16>,
    cache: Cache,
    changes: Changes,
    near: Near,
    buffers: Buffers,
}

impl Sisr {
    /// Returns a kernel without a solution: [`set`](Self::set) or [`construct`](Self::construct) one first.
    ///
    /// `route_cost` is added to the distance for each route, in the units of the network.
    #[must_use]
    pub fn new(network: Arc<Network>, route_cost: f64, settings: SisrSettings) -> Self {
        let size = network.size();
        Self {
            settings,
            route_cost,
            routes: Vec::new(),
            open: 0,
            fleet: network.vehicles(),
            home: vec![NONE; size],
            last_stop: vec![0; size],
            customers: Customers { misses: vec![0; size], ..Customers::default() },
            cost: 0.0,
            ranks: ranks(&network),
            cache: Cache::default(),
            changes: Changes::default(),
            near: Near::default(),
            buffers: Buffers::default(),
            network,
        }
    }

    /// Returns the index of a customer's stop in its route.
    #[inline]
    fn stop_of(&mut self, r: usize, c: u16) -> usize {
        let at = self.routes[r].find(c, self.last_stop[c as usize].into());
        self.last_stop[c as usize] = at as u16;
        at
    }

    /// Returns the instance.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the distance of the present solution plus the cost of its routes.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// Returns what a route costs beside its distance.
    #[must_use]
    pub fn route_cost(&self) -> f64 {
        self.route_cost
    }

    /// Returns the number of routes of the present solution.
    #[must_use]
    pub fn vehicles(&self) -> usize {
        self.open
    }

    /// Returns the customers that the present solution does not serve.
    #[must_use]
    pub fn absent(&self) -> &[u16] {
        &self.customers.absent
    }

    /// Changes the numbers of the ruin and of the recreation.
    pub fn set_settings(&mut self, settings: SisrSettings) {
        self.settings = settings;
    }

    /// Writes the present solution: the customers of each route behind a 0, in the order that the kernel holds them.
    pub fn write(&self, tour: &mut Vec<u16>) {
        tour.clear();
        for route in &self.routes[..self.open] {
            tour.push(0);
            tour.extend(route.customers());
        }
    }

    /// Returns for each site the steps during which it was not served.
    #[must_use]
    pub fn misses(&self) -> &[u32] {
        &self.customers.misses
    }

    /// Restores counters of absence; a list of another length is ignored.
    pub fn set_misses(&mut self, misses: &[u32]) {
        if misses.len() == self.customers.misses.len() {
            self.customers.misses.copy_from_slice(misses);
        }
    }

    /// Returns the sum of all distances.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.routes[..self.open].iter().map(Route::length).sum()
    }

    /// Forgets how often customers were absent.
    pub fn forget_misses(&mut self) {
        self.customers.misses.fill(0);
    }

    /// Takes a solution: the customers of each route behind a 0, each customer at most once, every route within its
    /// windows and the capacity. `absent` are to be served as well, those in neither list are left alone. At most
    /// `fleet` routes.
    pub fn set(&mut self, tour: &[u16], absent: &[u16], fleet: usize) {
        let network = Arc::clone(&self.network);
        self.fleet = fleet.min(network.vehicles());
        self.home.fill(NONE);
        self.customers.absent.clear();
        self.customers.absent.extend_from_slice(absent);
        self.customers.active.clear();
        self.customers.active.extend(tour.iter().copied().filter(|&c| c != 0));
        self.customers.active.extend_from_slice(absent);
        soloist::order::sort(&mut self.customers.active);
        self.open = 0;
        for route in &mut self.routes {
            route.clear(&network);
        }
        for customers in tour.split(|&c| c == 0).filter(|customers| !customers.is_empty()) {
            self.open += 1;
            while self.routes.len() < self.open {
                self.routes.push(Route::new(&network));
            }
            let route = &mut self.routes[self.open - 1];
            for &c in customers {
                debug_assert!(self.home[c as usize] == NONE, "each customer once");
                self.home[c as usize] = (self.open - 1) as u16;
                let at = route.stops.len() - 1;
                let mut stop = route.stops[at];
                stop.site = u32::from(c);
                route.stops.insert(at, stop);
                route.load += network.demand(c as usize);
            }
            route.refresh(&network);
        }
        self.reserve();
        self.recount();
    }

    /// Builds a solution by insertion alone: every customer of `active`, each route filled as far as it goes; customers
    /// for which there is no vehicle are absent.
    pub fn construct(&mut self, active: &[u16], rng: &mut Rng) {
        let fleet = self.network.vehicles();
        self.set(&[], active, fleet);
        self.begin();
        self.buffers.pending.clear();
        self.order(rng);
        let pending = std::mem::take(&mut self.buffers.pending);
        self.customers.still_absent.clear();
        let network = Arc::clone(&self.network);
        for &entry in &pending {
            let c = entry as u16;
            let mut best = Choice { cost: f64::INFINITY, route: 0, at: 0 };
            for (r, route) in self.routes[..self.open].iter().enumerate() {
                if route.load + network.demand(c as usize) <= network.capacity() {
                    let place = route.cheapest(&network, c);
                    if place.cost < best.cost {
                        best = Choice { cost: place.cost, route: r as u32, at: place.at };
                    }
                }
            }
            if best.cost.is_infinite() && self.open < self.fleet {
                if self.cache.slots == self.open {
                    self.grow();
                }
                let place = self.routes[self.open].cheapest(&network, c);
                if place.cost.is_finite() && network.demand(c as usize) <= network.capacity() {
                    best = Choice { cost: place.cost, route: self.open as u32, at: place.at };
                    self.open += 1;
                }
            }
            if best.cost.is_infinite() {
                self.customers.still_absent.push(c);
                continue;
            }
            self.routes[best.route as usize].insert(&network, c, best.at as usize);
            self.home[c as usize] = best.route as u16;
        }
        self.buffers.pending = pending;
        std::mem::swap(&mut self.customers.absent, &mut self.customers.still_absent);
        self.reserve();
        self.recount();
    }

    /// Room for the routes that steps open, a few more than there are.
    fn reserve(&mut self) {
        let slots = self.open + self.open / 4 + 8;
        if self.cache.slots < slots {
            let network = Arc::clone(&self.network);
            while self.routes.len() < slots {
                self.routes.push(Route::new(&network));
            }
            self.cache.slots = slots;
            self.cache.known.clear();
            self.cache.known.resize(slots * network.size(), Known { version: 0, at: 0, cost: 0.0 });
        }
        self.changes.touched_in.resize(self.routes.len(), 0);
        self.near.listed_in.resize(self.routes.len(), 0);
        self.renumber();
    }

    /// More room, in the middle of a step: what is known is forgotten, nothing else changes.
    #[cold]
    fn grow(&mut self) {
        let slots = self.cache.slots * 2;
        while self.routes.len() < slots {
            let mut route = Route::new(&self.network);
            self.cache.versions += 1;
            route.version = self.cache.versions;
            self.routes.push(route);
        }
        self.changes.touched_in.resize(slots, 0);
        self.near.listed_in.resize(slots, 0);
        self.cache.slots = slots;
        self.cache.known.clear();
        self.cache.known.resize(slots * self.network.size(), Known { version: 0, at: 0, cost: 0.0 });
    }

    /// Gives every route a version of its own and forgets what was known.
    fn renumber(&mut self) {
        self.cache.known.iter_mut().for_each(|known| known.version = 0);
        self.cache.versions = 0;
        for route in &mut self.routes {
            self.cache.versions += 1;
            route.version = self.cache.versions;
        }
        (self.changes.step, self.near.look) = (0, 0);
        self.changes.touched_in.fill(0);
        self.near.listed_in.fill(0);
    }

    /// Recomputes the cost from the routes, so that no rounding errors accumulate: between two calls of it, costs are
    /// sums of differences.
    pub fn recount(&mut self) {
        let routes = self.routes[..self.open].iter();
        self.cost = routes.map(|route| route.cost(&self.network)).sum::<f64>() + self.route_cost * self.open as f64;
    }

    /// Whether [exchanges](SisrSettings::exchanges) are part of steps: in one route, and in long routes of many
    /// customers. In short routes they take more than they give.
    fn exchanges_pay(&self) -> bool {
        self.settings.exchanges > 0 && (self.network.vehicles() == 1 || self.has_long_routes())
    }

    /// Whether there are many customers and routes are long on average.
    #[inline]
    fn has_long_routes(&self) -> bool {
        self.network.is_granular()
            && self.customers.active.len() - self.customers.absent.len() >= LONG_ROUTE * self.open
    }

    /// Makes one step of annealing: ruin, recreate, accept if the cost is below the present one - `temperature` x ln U;
    /// then [exchanges](SisrSettings::exchanges), each judged alike. Returns whether a change was accepted. Customers
    /// that are absent stay so unless there is room.
    pub fn step(&mut self, rng: &mut Rng, temperature: f64) -> bool {
        if self.customers.active.is_empty() {
            return false;
        }
        let mut own = rng.clone();
        let accepted =
            self.anneal(&mut own, temperature) | (self.exchanges_pay() && self.exchange(&mut own, temperature));
        *rng = own;
        accepted
    }

    /// One ruin and recreation, to be kept or undone: returns its cost. `None`: [`recreate`](Self::recreate) has passed
    /// one of its limits; the attempt is undone then.
    fn attempt(&mut self, rng: &mut Rng, limit: f64, most: u64, count: bool) -> Option<f64> {
        self.begin();
        let after_ruin = self.cost - self.ruin(rng);
        self.order(rng);
        let cost = self.recreate(rng, after_ruin, limit, most, count);
        // Insertions keep the windows of routes that kept them.
        let cost = cost.filter(|_| self.network.is_metric() || !self.changes.delays || self.is_in_time());
        if cost.is_none() {
            self.undo();
        }
        cost
    }

    /// Whether the routes of this step keep their windows. The latest times do not tell: they take no account of
    /// waiting.
    fn is_in_time(&self) -> bool {
        let network = &*self.network;
        let arrives = |pair: &[Stop]| {
            let next = pair[1].site as usize;
            (pair[0].leave + pair[0].leg).max(network.ready(next)) <= network.firm(next)
        };
        self.changes
            .touched
            .iter()
            .map(|&r| &self.routes[r as usize])
            .all(|route| route.len() == 0 || route.stops.windows(2).all(arrives))
    }

    /// Makes one ruin and recreation, to be accepted or rejected. Returns by how much the cost grows, and how many more
    /// customers are absent than before. `None`: the cost would grow by `limit` or more, or more customers would be
    /// absent; the solution is as before then.
    pub fn propose(&mut self, rng: &mut Rng, limit: f64) -> Option<(f64, i64)> {
        if self.customers.active.is_empty() {
            return None;
        }
        self.changes.proposed = self.attempt(rng, self.cost + limit, self.customers.absent.len() as u64, true)?;
        Some((
            self.changes.proposed - self.cost,
            self.customers.still_absent.len() as i64 - self.customers.absent.len() as i64,
        ))
    }

    /// Makes the proposed solution the present one.
    pub fn accept(&mut self) {
        self.keep(self.changes.proposed);
    }

    /// Takes the proposal back.
    pub fn reject(&mut self) {
        self.undo();
    }

    /// Sets the cost to a value within rounding errors of the sum, as a checkpoint of the same solution holds it.
    pub fn set_cost(&mut self, cost: f64) {
        self.cost = cost;
    }

    /// Makes one step with fewer vehicles than customers need: no route is opened, customers may stay absent. Accepted
    /// when the counters of the absent add up to less than before, or to the same with a cost below the present one -
    /// `temperature` x ln U. Then each absent customer counts one step more. Returns whether all customers are served.
    pub fn step_fleet(&mut self, rng: &mut Rng, temperature: f64) -> bool {
        let mut own = rng.clone();
        let served = self.save_vehicle(&mut own, temperature);
        *rng = own;
        served
    }

    /// Takes out the route whose customers were absent least, and allows no other instead.
    pub fn drop_route(&mut self) {
        let sum = |route: &Route| route.customers().map(|c| u64::from(self.customers.misses[c as usize])).sum::<u64>();
        let Some(r) = (0..self.open).min_by_key(|&r| (sum(&self.routes[r]), self.routes[r].len())) else { return };
        let customers: Vec<u16> = self.routes[r].customers().collect();
        for &c in &customers {
            self.home[c as usize] = NONE;
        }
        self.customers.absent.extend(customers);
        self.routes[r].clear(&self.network);
        self.close(r);
        self.fleet = self.open;
        self.recount();
    }

    /// Returns the most routes.
    #[must_use]
    pub fn fleet(&self) -> usize {
        self.fleet
    }

    /// Returns the mean distance from stop to stop.
    #[must_use]
    pub fn mean_leg(&self) -> f64 {
        let stops = self.open + self.customers.active.len() - self.customers.absent.len();
        if stops == 0 { 0.0 } else { self.length() / stops as f64 }
    }

    /// Allows at most `fleet` routes.
    pub fn set_fleet(&mut self, fleet: usize) {
        self.fleet = fleet.min(self.network.vehicles());
    }

    /// Begins a step: nothing is touched.
    fn begin(&mut self) {
        let last = u32::MAX - 1_000_000;
        if self.cache.versions > last || self.changes.step == u32::MAX || self.near.look > last {
            self.renumber();
        }
        self.changes.step += 1;
        self.changes.touched.clear();
        self.changes.removed.clear();
        self.changes.delays = false;
    }

    /// Keeps a copy of a route before its first change in this step.
    #[inline]
    fn touch(&mut self, r: usize) {
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

    #[inline]
    fn new_version(&mut self, r: usize) {
        self.cache.versions += 1;
        self.routes[r].version = self.cache.versions;
    }

    /// Makes the changes of this step the present solution.
    fn keep(&mut self, cost: f64) {
        self.cost = cost;
        std::mem::swap(&mut self.customers.absent, &mut self.customers.still_absent);
        for i in 0..self.changes.touched.len() {
            let r = self.changes.touched[i] as usize;
            if r < self.open && self.routes[r].len() == 0 {
                self.close(r);
                // The last route has moved: it may be one of those touched.
                for later in &mut self.changes.touched[i + 1..] {
                    if *later as usize == self.open {
                        *later = r as u16;
                    }
                }
            }
        }
        while self.open > 0 && self.routes[self.open - 1].len() == 0 {
            self.open -= 1;
        }
    }

    /// Puts the last open route into the place of the empty route `r`.
    fn close(&mut self, r: usize) {
        self.open -= 1;
        let last = self.open;
        self.routes.swap(r, last);
        if r != last {
            let home = &mut self.home;
            for c in self.routes[r].customers() {
                home[c as usize] = r as u16;
            }
        }
        // Versions belong to slots.
        self.new_version(r);
        self.new_version(last);
    }

    /// Takes the changes of this step back.
    fn undo(&mut self) {
        for (&r, saved) in self.changes.touched.iter().zip(&mut self.changes.saved) {
            std::mem::swap(&mut self.routes[r as usize], saved);
        }
        // Customers that were absent may have been inserted.
        for &c in &self.customers.absent {
            self.home[c as usize] = NONE;
        }
        for &(c, r) in &self.changes.removed {
            self.home[c as usize] = r;
        }
        while self.open > 0 && self.routes[self.open - 1].len() == 0 {
            self.open -= 1;
        }
    }
}
