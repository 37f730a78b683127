//! Slack induction by string removals: the kernel that improves a set of routes, one ruin and one recreation a step.

mod anneals;
mod exchange;
mod repair;

use crate::kernel::Move;
use crate::network::{NONE, Network};
use crate::route::{Route, Stop};
use repair::{Choice, ranks};
use soloist::Rng;
use std::sync::Arc;

/// The mean number of customers from which routes are long.
const LONG_ROUTE: usize = 20;

/// The parameters of ruin and recreation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SisrSettings {
    /// Customers removed a step, on average.
    pub removed: f64,
    /// The longest string removed.
    pub longest: usize,
    /// Chance that a string is removed around customers that stay.
    pub split: f64,
    /// Chance that the number of those that stay grows by one, and again.
    pub keep: f64,
    /// Chance that a position is overlooked.
    pub blink: f64,
    /// Exchanges between likely neighbours that are tried behind each ruin and recreation, in a single route and in
    /// long routes of many customers.
    pub exchanges: u32,
}

impl Default for SisrSettings {
    /// The values of the paper.
    fn default() -> Self {
        Self { removed: 10.0, longest: 10, split: 0.5, keep: 0.01, blink: 0.01, exchanges: 0 }
    }
}

impl SisrSettings {
    /// Larger ruins, more blinks: shorter routes on instances with time windows.
    #[must_use]
    pub fn tuned() -> Self {
        Self { removed: 15.0, longest: 20, split: 0.5, keep: 0.01, blink: 0.05, exchanges: 0 }
    }
}

/// The cheapest position of a customer in a version of a route.
#[derive(Clone, Copy, Debug)]
struct Known {
    version: u32,
    at: u32,
    cost: f64,
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
    absent: Vec<u16>,
    /// Steps that each customer was absent.
    misses: Vec<u32>,
    /// Distance, and `route_cost` for each route.
    cost: f64,
    /// The cost of the solution proposed.
    proposed: f64,
    /// The customers that the solution may serve: all but those of routes that are kept out.
    active: Vec<u16>,
    /// By rule and customer: the place in the order of insertion.
    ranks: Vec<u16>,
    known: Vec<Known>,
    slots: usize,
    versions: u32,
    // What a step changes, to be undone.
    step: u32,
    touched_in: Vec<u32>,
    touched: Vec<u16>,
    saved: Vec<Route>,
    removed: Vec<(u16, u16)>,
    /// Whether a vehicle reaches a stop later than before, because the way past customers taken out is longer.
    delays: bool,
    pending: Vec<u64>,
    still_absent: Vec<u16>,
    choices: Vec<Choice>,
    /// The routes in which a customer is tried, and by route the look at which it was listed.
    nearby: Vec<u16>,
    listed_in: Vec<u32>,
    look: u32,
    /// Stops on their way to another route.
    block: Vec<Stop>,
}

impl Sisr {
    /// Returns a kernel without a solution: [`set`](Self::set) or [`construct`](Self::construct) one first.
    ///
    /// `route_cost` is added to the distance for each route, in the units of the network.
    #[must_use]
    pub fn new(network: Arc<Network>, route_cost: f64, settings: SisrSettings) -> Self {
        let size = network.size();
        let ranks = ranks(&network);
        Self {
            settings,
            route_cost,
            routes: Vec::new(),
            open: 0,
            fleet: network.vehicles(),
            home: vec![NONE; size],
            last_stop: vec![0; size],
            absent: Vec::new(),
            misses: vec![0; size],
            cost: 0.0,
            proposed: 0.0,
            active: Vec::new(),
            ranks,
            known: Vec::new(),
            slots: 0,
            versions: 0,
            step: 0,
            touched_in: Vec::new(),
            touched: Vec::new(),
            saved: Vec::new(),
            removed: Vec::new(),
            delays: false,
            pending: Vec::new(),
            still_absent: Vec::new(),
            choices: Vec::new(),
            nearby: Vec::new(),
            listed_in: Vec::new(),
            look: 0,
            block: Vec::new(),
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
        &self.absent
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
        &self.misses
    }

    /// Restores counters of absence; a list of another length is ignored.
    pub fn set_misses(&mut self, misses: &[u32]) {
        if misses.len() == self.misses.len() {
            self.misses.copy_from_slice(misses);
        }
    }

    /// Returns the sum of all distances.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.routes[..self.open].iter().map(Route::length).sum()
    }

    /// Forgets how often customers were absent.
    pub fn forget_misses(&mut self) {
        self.misses.fill(0);
    }

    /// Takes a solution: the customers of each route behind a 0, each customer at most once, every route within its
    /// windows and the capacity. `absent` are to be served as well, those in neither list are left alone. At most
    /// `fleet` routes.
    pub fn set(&mut self, tour: &[u16], absent: &[u16], fleet: usize) {
        let network = Arc::clone(&self.network);
        self.fleet = fleet.min(network.vehicles());
        self.home.fill(NONE);
        self.absent.clear();
        self.absent.extend_from_slice(absent);
        self.active.clear();
        self.active.extend(tour.iter().copied().filter(|&c| c != 0));
        self.active.extend_from_slice(absent);
        soloist::order::sort(&mut self.active);
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
        self.pending.clear();
        self.order(rng);
        let pending = std::mem::take(&mut self.pending);
        self.still_absent.clear();
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
                if self.slots == self.open {
                    self.grow();
                }
                let place = self.routes[self.open].cheapest(&network, c);
                if place.cost.is_finite() && network.demand(c as usize) <= network.capacity() {
                    best = Choice { cost: place.cost, route: self.open as u32, at: place.at };
                    self.open += 1;
                }
            }
            if best.cost.is_infinite() {
                self.still_absent.push(c);
                continue;
            }
            self.routes[best.route as usize].insert(&network, c, best.at as usize);
            self.home[c as usize] = best.route as u16;
        }
        self.pending = pending;
        std::mem::swap(&mut self.absent, &mut self.still_absent);
        self.reserve();
        self.recount();
    }

    /// Room for the routes that steps open, a few more than there are.
    fn reserve(&mut self) {
        let slots = self.open + self.open / 4 + 8;
        if self.slots < slots {
            let network = Arc::clone(&self.network);
            while self.routes.len() < slots {
                self.routes.push(Route::new(&network));
            }
            self.slots = slots;
            self.known.clear();
            self.known.resize(slots * network.size(), Known { version: 0, at: 0, cost: 0.0 });
        }
        self.touched_in.resize(self.routes.len(), 0);
        self.listed_in.resize(self.routes.len(), 0);
        self.renumber();
    }

    /// More room, in the middle of a step: what is known is forgotten, nothing else changes.
    #[cold]
    fn grow(&mut self) {
        let slots = self.slots * 2;
        while self.routes.len() < slots {
            let mut route = Route::new(&self.network);
            self.versions += 1;
            route.version = self.versions;
            self.routes.push(route);
        }
        self.touched_in.resize(slots, 0);
        self.listed_in.resize(slots, 0);
        self.slots = slots;
        self.known.clear();
        self.known.resize(slots * self.network.size(), Known { version: 0, at: 0, cost: 0.0 });
    }

    /// Gives every route a version of its own and forgets what was known.
    fn renumber(&mut self) {
        self.known.iter_mut().for_each(|known| known.version = 0);
        self.versions = 0;
        for route in &mut self.routes {
            self.versions += 1;
            route.version = self.versions;
        }
        (self.step, self.look) = (0, 0);
        self.touched_in.fill(0);
        self.listed_in.fill(0);
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
        self.network.is_granular() && self.active.len() - self.absent.len() >= LONG_ROUTE * self.open
    }

    /// Makes one step of annealing: ruin, recreate, accept if the cost is below the present one - `temperature` x ln U;
    /// then [exchanges](SisrSettings::exchanges), each judged alike. Returns whether a change was accepted. Customers
    /// that are absent stay so unless there is room.
    pub fn step(&mut self, rng: &mut Rng, temperature: f64) -> bool {
        if self.active.is_empty() {
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
        let cost = cost.filter(|_| self.network.is_metric() || !self.delays || self.is_in_time());
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
        self.touched
            .iter()
            .map(|&r| &self.routes[r as usize])
            .all(|route| route.len() == 0 || route.stops.windows(2).all(arrives))
    }

    /// Makes one ruin and recreation, to be accepted or rejected. Returns by how much the cost grows, and how many more
    /// customers are absent than before. `None`: the cost would grow by `limit` or more, or more customers would be
    /// absent; the solution is as before then.
    pub fn propose(&mut self, rng: &mut Rng, limit: f64) -> Option<(f64, i64)> {
        if self.active.is_empty() {
            return None;
        }
        self.proposed = self.attempt(rng, self.cost + limit, self.absent.len() as u64, true)?;
        Some((self.proposed - self.cost, self.still_absent.len() as i64 - self.absent.len() as i64))
    }

    /// Makes the proposed solution the present one.
    pub fn accept(&mut self) {
        self.keep(self.proposed);
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
        let sum = |route: &Route| route.customers().map(|c| u64::from(self.misses[c as usize])).sum::<u64>();
        let Some(r) = (0..self.open).min_by_key(|&r| (sum(&self.routes[r]), self.routes[r].len())) else { return };
        let customers: Vec<u16> = self.routes[r].customers().collect();
        for &c in &customers {
            self.home[c as usize] = NONE;
        }
        self.absent.extend(customers);
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
        let stops = self.open + self.active.len() - self.absent.len();
        if stops == 0 { 0.0 } else { self.length() / stops as f64 }
    }

    /// Allows at most `fleet` routes.
    pub fn set_fleet(&mut self, fleet: usize) {
        self.fleet = fleet.min(self.network.vehicles());
    }

    /// Begins a step: nothing is touched.
    fn begin(&mut self) {
        let last = u32::MAX - 1_000_000;
        if self.versions > last || self.step == u32::MAX || self.look > last {
            self.renumber();
        }
        self.step += 1;
        self.touched.clear();
        self.removed.clear();
        self.delays = false;
    }

    /// Keeps a copy of a route before its first change in this step.
    #[inline]
    fn touch(&mut self, r: usize) {
        if self.touched_in[r] == self.step {
            return;
        }
        self.touched_in[r] = self.step;
        let at = self.touched.len();
        self.touched.push(r as u16);
        if at == self.saved.len() {
            self.saved.push(self.routes[r].clone());
        } else {
            self.saved[at].clone_from(&self.routes[r]);
        }
    }

    #[inline]
    fn new_version(&mut self, r: usize) {
        self.versions += 1;
        self.routes[r].version = self.versions;
    }

    /// Makes the changes of this step the present solution.
    fn keep(&mut self, cost: f64) {
        self.cost = cost;
        std::mem::swap(&mut self.absent, &mut self.still_absent);
        for i in 0..self.touched.len() {
            let r = self.touched[i] as usize;
            if r < self.open && self.routes[r].len() == 0 {
                self.close(r);
                // The last route has moved: it may be one of those touched.
                for later in &mut self.touched[i + 1..] {
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
        for (&r, saved) in self.touched.iter().zip(&mut self.saved) {
            std::mem::swap(&mut self.routes[r as usize], saved);
        }
        // Customers that were absent may have been inserted.
        for &c in &self.absent {
            self.home[c as usize] = NONE;
        }
        for &(c, r) in &self.removed {
            self.home[c as usize] = r;
        }
        while self.open > 0 && self.routes[self.open - 1].len() == 0 {
            self.open -= 1;
        }
    }
}
