//! A route with its times: whether and at what cost a customer fits in, position by position, in constant time.

use crate::network::{Network, Ways};

/// A visit on a route, with what an insertion behind or before it needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stop {
    /// When the vehicle leaves: start of the service + time of the service.
    pub(crate) leave: f64,
    /// The latest start of the service with which the rest of the route is in time.
    pub(crate) late: f64,
    /// Distance to the next stop.
    pub(crate) leg: f64,
    /// The site.
    pub(crate) site: u32,
}

/// A route: the depot, customers, the depot.
#[derive(Debug, PartialEq)]
pub(crate) struct Route {
    pub(crate) stops: Vec<Stop>,
    pub(crate) load: u32,
    /// Changes with the stops: what was computed for a version holds for it.
    pub(crate) version: u32,
    /// Where the time of the return counts: for a service at stop i that begins at t, the route ends at max(t + a, b),
    /// with `tails[i]` = (a, b).
    tails: Vec<(f64, f64)>,
}

/// From this number of stops on, a route is entered by bisection.
const LONG: usize = 24;

/// Weight of the distance where the time of the return counts: of tours of equal times the shorter one is better.
const DISTANCE_WEIGHT: f64 = 1e-6;

impl Clone for Route {
    fn clone(&self) -> Self {
        Self { stops: self.stops.clone(), load: self.load, version: self.version, tails: self.tails.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.stops.clone_from(&other.stops);
        self.tails.clone_from(&other.tails);
        (self.load, self.version) = (other.load, other.version);
    }
}

/// The cheapest position of a customer in a route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Added distance; infinite where no position is in time.
    pub(crate) cost: f64,
    /// Behind the stop of this index.
    pub(crate) at: u32,
}

impl Route {
    /// Returns a route without customers.
    pub(crate) fn new(network: &Network) -> Self {
        let depot = |late: f64| Stop { leave: network.ready(0) + network.service(0), late, leg: 0.0, site: 0 };
        let mut route = Self { stops: vec![depot(network.firm(0)); 2], load: 0, version: 0, tails: Vec::new() };
        route.refresh(network);
        route
    }

    /// Returns the number of customers.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.stops.len() - 2
    }

    /// Returns the customers in order.
    pub(crate) fn customers(&self) -> impl DoubleEndedIterator<Item = u16> + '_ {
        self.stops[1..self.stops.len() - 1].iter().map(|stop| stop.site as u16)
    }

    /// Returns the index of a customer's stop, which is looked for from `near` on, to both sides.
    #[inline]
    pub(crate) fn find(&self, c: u16, near: usize) -> usize {
        let last = self.stops.len() - 1;
        let near = near.min(last);
        let is_there = |at: usize| self.stops[at].site == u32::from(c);
        let mut by = 0;
        while by <= last {
            if near + by <= last && is_there(near + by) {
                return near + by;
            }
            if by <= near && is_there(near - by) {
                return near - by;
            }
            by += 1;
        }
        debug_assert!(false, "customer {c} is not in the route");
        0
    }

    /// Sum of the distances.
    pub(crate) fn length(&self) -> f64 {
        self.stops[..self.stops.len() - 1].iter().map(|stop| stop.leg).sum()
    }

    /// Returns what the route costs: its distance, or the time of its return.
    pub(crate) fn cost(&self, network: &Network) -> f64 {
        if network.is_timed() { self.end(network) + DISTANCE_WEIGHT * self.length() } else { self.length() }
    }

    /// When the vehicle is back.
    fn end(&self, network: &Network) -> f64 {
        self.stops[self.stops.len() - 1].leave - network.service(0)
    }

    /// Takes all customers out.
    pub(crate) fn clear(&mut self, network: &Network) {
        let last = self.stops.len() - 1;
        self.stops.drain(1..last);
        self.load = 0;
        self.refresh(network);
    }

    /// Recomputes distances and times of all stops.
    pub(crate) fn refresh(&mut self, network: &Network) {
        self.repair(network, 0, self.stops.len() - 1);
    }

    /// Recomputes distances and times, where only the stops from `from` to `to` have other successors than before.
    pub(crate) fn repair(&mut self, network: &Network, from: usize, to: usize) {
        let last = self.stops.len() - 1;
        for at in from..last {
            let next = self.stops[at + 1].site as usize;
            let stop = &mut self.stops[at];
            if at <= to {
                stop.leg = network.distance(stop.site as usize, next);
            }
            let start = (stop.leave + stop.leg).max(network.ready(next));
            let leave = start + network.service(next);
            if at >= to && leave == self.stops[at + 1].leave {
                break;
            }
            self.stops[at + 1].leave = leave;
        }
        self.backward(network, last.min(to + 1), from);
    }

    /// Recomputes the latest times before stop `before`. From stop `kept` on to the depot, a time that is as before
    /// leaves those before it as they are.
    #[inline]
    fn backward(&mut self, network: &Network, before: usize, kept: usize) {
        let mut late = self.stops[before].late;
        for (at, stop) in self.stops[..before].iter_mut().enumerate().rev() {
            let site = stop.site as usize;
            late = network.firm(site).min(late - stop.leg - network.service(site));
            if at <= kept && late == stop.late {
                break;
            }
            stop.late = late;
        }
        if network.is_timed() {
            self.end_times(network);
        }
    }

    /// Recomputes when the route ends, by the time at which a service begins.
    fn end_times(&mut self, network: &Network) {
        let last = self.stops.len() - 1;
        self.tails.clear();
        self.tails.resize(last + 1, (0.0, network.ready(0)));
        for at in (0..last).rev() {
            let (add, floor) = self.tails[at + 1];
            let (stop, next) = (self.stops[at], self.stops[at + 1].site as usize);
            let way = network.service(stop.site as usize) + stop.leg;
            self.tails[at] = (way + add, floor.max(network.ready(next) + add));
        }
    }

    /// Puts customer `c` behind stop `at`, where it fits.
    pub(crate) fn insert(&mut self, network: &Network, c: u16, at: usize) {
        let c = c as usize;
        let (before, after) = (self.stops[at], self.stops[at + 1]);
        let (leg_in, leg_out) = (network.distance(before.site as usize, c), network.distance(c, after.site as usize));
        let start = (before.leave + leg_in).max(network.ready(c));
        let leave = start + network.service(c);
        self.stops.insert(at + 1, Stop { leave, late: 0.0, leg: leg_out, site: c as u32 });
        self.stops[at].leg = leg_in;
        self.load += network.demand(c);
        let mut leave = leave + leg_out;
        for i in at + 2..self.stops.len() {
            let stop = &mut self.stops[i];
            let site = stop.site as usize;
            let new = leave.max(network.ready(site)) + network.service(site);
            if new == stop.leave {
                break;
            }
            stop.leave = new;
            leave = new + stop.leg;
        }
        self.backward(network, at + 2, at);
    }

    /// Returns the cheapest position of customer `c`, the first of equal ones. The load is the caller's to test.
    #[inline]
    pub(crate) fn cheapest(&self, network: &Network, c: u16) -> Place {
        let mut best = Place { cost: f64::INFINITY, at: 0 };
        if network.is_timed() {
            self.each_place(network, c, |cost, at| {
                if cost < best.cost {
                    best = Place { cost, at };
                }
            });
            return best;
        }
        match network.ways(c as usize) {
            Ways::Wide(to, None) => self.cheapest_in(network, c, to, None),
            Ways::Wide(to, Some(from)) => self.cheapest_in(network, c, to, Some(from)),
            Ways::Narrow(to, None) => self.cheapest_in(network, c, to, None),
            Ways::Narrow(to, Some(from)) => self.cheapest_in(network, c, to, Some(from)),
        }
    }

    /// The same where the distance counts. `to` are the ways to `c`, and from it as well if there are no others.
    #[inline(always)]
    fn cheapest_in<T: Copy + Into<f64>>(&self, network: &Network, c: u16, to: &[T], from: Option<&[T]>) -> Place {
        let c = c as usize;
        let (ready, due, service) = (network.ready(c), network.firm(c), network.service(c));
        let mut best = Place { cost: f64::INFINITY, at: 0 };
        let first = self.first_place(ready + service);
        let mut leg_in: f64 = to[self.stops[first].site as usize].into();
        for (at, pair) in (first as u32..).zip(self.stops[first..].windows(2)) {
            let [before, after] = pair else { break };
            // Later positions are later still.
            if before.leave > due {
                break;
            }
            let next = after.site as usize;
            let leg_out: f64 = from.unwrap_or(to)[next].into();
            let cost = leg_in + leg_out - before.leg;
            // Few positions are the cheapest so far: the others need no times.
            if cost < best.cost {
                let start = (before.leave + leg_in).max(ready);
                if start <= due && start + service + leg_out <= after.late {
                    best = Place { cost, at };
                }
            }
            leg_in = if from.is_none() { leg_out } else { to[next].into() };
        }
        best
    }

    /// Returns the first position behind which the route is in time, at the earliest, with a service that ends at
    /// `done`: latest times ascend along a route, so that those before it need no look. In short routes it is not
    /// searched.
    #[inline]
    fn first_place(&self, done: f64) -> usize {
        match self.stops.len() {
            LONG.. => self.stops[1..self.stops.len() - 1].partition_point(|stop| stop.late < done),
            _ => 0,
        }
    }

    /// Calls `visit` with the added distance of every position of customer `c` that is in time.
    #[inline(always)]
    pub(crate) fn each_place(&self, network: &Network, c: u16, mut visit: impl FnMut(f64, u32)) {
        if !network.is_timed() {
            return self.each_time(network, c, |cost, at, _| visit(cost, at));
        }
        let end = self.end(network);
        self.each_time(network, c, |cost, at, arrival| {
            let (add, floor) = self.tails[at as usize + 1];
            let start = arrival.max(network.ready(self.stops[at as usize + 1].site as usize));
            visit((start + add).max(floor) - end + DISTANCE_WEIGHT * cost, at);
        });
    }

    /// Calls `visit` with the added distance of every position that is in time, and the time at which its successor is
    /// reached.
    #[inline(always)]
    fn each_time(&self, network: &Network, c: u16, mut visit: impl FnMut(f64, u32, f64)) {
        let c = c as usize;
        let (to, from) = (network.to_site(c), network.from_site(c));
        let (ready, due, service) = (network.ready(c), network.firm(c), network.service(c));
        let done = ready + service;
        let first = self.first_place(done);
        for (at, pair) in (first as u32..).zip(self.stops[first..].windows(2)) {
            let [before, after] = pair else { break };
            // Later positions are later still.
            if before.leave > due {
                break;
            }
            if after.late < done {
                continue;
            }
            let (leg_in, leg_out) = (to[before.site as usize], from[after.site as usize]);
            let start = (before.leave + leg_in).max(ready);
            let next = start + service + leg_out;
            if start <= due && next <= after.late {
                visit(leg_in + leg_out - before.leg, at, next);
            }
        }
    }
}
