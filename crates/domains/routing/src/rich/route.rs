//! A route of a vehicle with its times and loads: whether and at what cost a request fits in.

use super::tables::{NONE, Request, Tables};

/// The time of a part of a route: its least duration, and the earliest and the latest start that have it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Span {
    duration: f64,
    earliest: f64,
    latest: f64,
}

impl Span {
    /// A single place; at a depot no service is made in the end.
    fn of(tables: &Tables, place: usize, service: f64) -> Self {
        let network = &tables.network;
        Self { duration: service, earliest: network.ready(place), latest: network.firm(place) }
    }

    /// This part, then a way, then the other part; both are in time together.
    fn then(self, way: f64, other: Self) -> Self {
        let offset = self.duration + way;
        let wait = (other.earliest - offset - self.latest).max(0.0);
        Self {
            duration: offset + other.duration + wait,
            earliest: (other.earliest - offset).max(self.earliest) - wait,
            latest: (other.latest - offset).min(self.latest),
        }
    }
}

/// A stop of a route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) place: u16,
    /// When the vehicle leaves.
    pub(super) leave: f64,
    /// The latest start of the service with which the rest of the route is in time.
    late: f64,
    /// Distance to the next stop.
    leg: f64,
    /// Behind the stop.
    load: i64,
    /// The most that is carried from here on.
    peak: i64,
}

/// A route: the depot, visits, the depot.
#[derive(Debug)]
pub(super) struct Route {
    pub(super) stops: Vec<Stop>,
    pub(super) kind: u16,
    pub(super) cost: f64,
    length: f64,
    /// Changes with the stops: what was computed for a version holds for it.
    pub(super) version: u32,
    /// By stop, where times or distances are limited: the times up to it and from it on.
    spans: Vec<(Span, Span)>,
}

impl Clone for Route {
    fn clone(&self) -> Self {
        let Self { kind, cost, length, version, .. } = *self;
        Self { stops: self.stops.clone(), kind, cost, length, version, spans: self.spans.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.stops.clone_from(&other.stops);
        self.spans.clone_from(&other.spans);
        (self.kind, self.cost, self.length, self.version) = (other.kind, other.cost, other.length, other.version);
    }
}

/// Where a request fits in: the first visit behind stop `at`, the second behind stop `then` (before the insertion).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    /// What the route costs more.
    pub(super) cost: f64,
    pub(super) at: u16,
    pub(super) then: u16,
}

impl Place {
    pub(super) const NOWHERE: Self = Self { cost: f64::INFINITY, at: 0, then: 0 };
}

impl Route {
    /// Returns a route of a kind without visits.
    pub(super) fn new(tables: &Tables, kind: u16) -> Self {
        let place = tables.kinds[usize::from(kind)].depot;
        let stop = Stop { place, leave: 0.0, late: 0.0, leg: 0.0, load: 0, peak: 0 };
        let mut route = Self { stops: vec![stop; 2], kind, cost: 0.0, length: 0.0, version: 0, spans: Vec::new() };
        route.refresh(tables);
        route
    }

    /// Returns the number of visits.
    pub(super) fn len(&self) -> usize {
        self.stops.len() - 2
    }

    /// Returns the places of the visits in order.
    pub(super) fn places(&self) -> impl Iterator<Item = u16> + '_ {
        self.stops[1..self.stops.len() - 1].iter().map(|stop| stop.place)
    }

    pub(super) fn length(&self) -> f64 {
        self.length
    }

    /// Replaces the visits.
    pub(super) fn set(&mut self, tables: &Tables, kind: u16, places: impl Iterator<Item = u16>) {
        let depot =
            Stop { place: tables.kinds[usize::from(kind)].depot, leave: 0.0, late: 0.0, leg: 0.0, load: 0, peak: 0 };
        self.kind = kind;
        self.stops.clear();
        self.stops.push(depot);
        self.stops.extend(places.map(|place| Stop { place, ..depot }));
        self.stops.push(depot);
        self.refresh(tables);
    }

    /// Takes out the visits for which `goes` holds.
    pub(super) fn remove(&mut self, tables: &Tables, goes: impl Fn(u16) -> bool) {
        let depots = tables.depots;
        self.stops.retain(|stop| usize::from(stop.place) < depots || !goes(stop.place));
        self.refresh(tables);
    }

    /// Recomputes all times, loads and the cost.
    pub(super) fn refresh(&mut self, tables: &Tables) {
        let network = &*tables.network;
        let (last, kind) = (self.stops.len() - 1, tables.kinds[usize::from(self.kind)]);
        let depot = usize::from(kind.depot);
        let (mut leave, mut load, mut length) = (network.ready(depot) + network.service(depot), 0, 0.0);
        self.stops[0].leave = leave;
        self.stops[0].load = 0;
        for at in 1..=last {
            let from = usize::from(self.stops[at - 1].place);
            let stop = &mut self.stops[at];
            let place = usize::from(stop.place);
            let leg = network.distance(from, place);
            let service = if at == last { 0.0 } else { network.service(place) };
            leave = (leave + leg).max(network.ready(place)) + service;
            load += tables.demand[place];
            length += leg;
            (stop.leave, stop.load) = (leave, load);
            self.stops[at - 1].leg = leg;
        }
        let (mut late, mut peak) = (network.firm(depot), load);
        for at in (0..=last).rev() {
            let stop = &mut self.stops[at];
            let place = usize::from(stop.place);
            if at < last {
                late = network.firm(place).min(late - stop.leg - network.service(place));
            }
            peak = peak.max(stop.load);
            (stop.late, stop.peak) = (late, peak);
        }
        self.length = length;
        self.cost = if last == 1 { 0.0 } else { tables.route_cost + kind.fixed + kind.rate * length };
        if tables.has_limits {
            self.find_spans(tables);
        }
    }

    fn find_spans(&mut self, tables: &Tables) {
        let last = self.stops.len() - 1;
        let own = |at: usize, stop: &Stop| {
            let place = usize::from(stop.place);
            Span::of(tables, place, if at == last { 0.0 } else { tables.network.service(place) })
        };
        self.spans.clear();
        self.spans.extend(self.stops.iter().enumerate().map(|(at, stop)| (own(at, stop), own(at, stop))));
        for at in 1..=last {
            self.spans[at].0 = self.spans[at - 1].0.then(self.stops[at - 1].leg, self.spans[at].0);
            let at = last - at;
            self.spans[at].1 = self.spans[at].1.then(self.stops[at].leg, self.spans[at + 1].1);
        }
    }

    /// Whether the route keeps all windows, the capacity and its limits, by the rules' own tolerance.
    pub(super) fn is_sound(&self, tables: &Tables) -> bool {
        let network = &*tables.network;
        let kind = &tables.kinds[usize::from(self.kind)];
        let mut leave = self.stops[0].leave;
        for (at, pair) in self.stops.windows(2).enumerate() {
            let start = (leave + pair[0].leg).max(network.ready(usize::from(pair[1].place)));
            if start > network.latest(usize::from(pair[1].place)) {
                return false;
            }
            leave = self.stops[at + 1].leave;
        }
        let limits = || self.spans[0].1.duration <= kind.longest && self.length <= kind.farthest;
        self.stops[0].peak <= kind.capacity && (!tables.has_limits || self.len() == 0 || limits())
    }

    /// Inserts a request at a place.
    pub(super) fn insert(&mut self, tables: &Tables, request: &Request, place: Place) {
        let blank = Stop { place: 0, leave: 0.0, late: 0.0, leg: 0.0, load: 0, peak: 0 };
        if request.second != NONE {
            self.stops.insert(usize::from(place.then) + 1, Stop { place: request.second, ..blank });
        }
        self.stops.insert(usize::from(place.at) + 1, Stop { place: request.first, ..blank });
        self.refresh(tables);
    }

    /// Returns the cheapest place of a request, the first of equal ones, if it costs less than `most`.
    pub(super) fn cheapest(&self, tables: &Tables, request: &Request, most: f64) -> Place {
        let mut best = Place { cost: most, ..Place::NOWHERE };
        let mut found = false;
        self.each_place(tables, request, most, |place| {
            if place.cost < best.cost {
                (best, found) = (place, true);
            }
            best.cost
        });
        if found { best } else { Place::NOWHERE }
    }

    /// Calls `visit` with the places of a request that keep all rules and may cost less than a limit: `most`, then what
    /// `visit` returns.
    pub(super) fn each_place(
        &self,
        tables: &Tables,
        request: &Request,
        most: f64,
        mut visit: impl FnMut(Place) -> f64,
    ) {
        let network = &*tables.network;
        let kind = &tables.kinds[usize::from(self.kind)];
        let first = usize::from(request.first);
        let (ready, due, service) = (network.ready(first), network.firm(first), network.service(first));
        let opening = if self.len() == 0 { tables.route_cost + kind.fixed } else { 0.0 };
        let (to, from) = (network.to_site(first), network.from_site(first));
        let mut most = most;
        // What a customer loads stays aboard to the end.
        if request.second == NONE && self.stops[self.stops.len() - 1].load + request.demand > kind.capacity {
            return;
        }
        for (at, pair) in self.stops.windows(2).enumerate() {
            let [before, after] = pair else { break };
            if before.leave > due {
                break;
            }
            let load = if request.second == NONE { before.peak } else { before.load };
            if load + request.demand > kind.capacity {
                continue;
            }
            let (leg_in, leg_out) = (to[usize::from(before.place)], from[usize::from(after.place)]);
            let arrival = before.leave + leg_in;
            let start = arrival.max(ready);
            if start > due {
                continue;
            }
            let leave = start + service;
            let longer = leg_in + leg_out - before.leg;
            if request.second != NONE {
                let head = Head { at, leave, leg_in };
                self.each_delivery(tables, request, head, opening, &mut most, &mut visit);
                continue;
            }
            let cost = opening + kind.rate * longer;
            if cost < most
                && leave + leg_out <= after.late
                && self.allows(tables, longer, |route| {
                    let own = Span::of(tables, first, service);
                    route.spans[at].0.then(leg_in, own).then(leg_out, route.spans[at + 1].1)
                })
            {
                most = visit(Place { cost, at: at as u16, then: at as u16 });
            }
        }
    }

    /// Whether a longer route keeps its limits; `span` is its whole time.
    fn allows(&self, tables: &Tables, longer: f64, span: impl FnOnce(&Self) -> Span) -> bool {
        let kind = &tables.kinds[usize::from(self.kind)];
        !tables.has_limits
            || self.length + longer <= kind.firm_farthest
                && (kind.firm_longest == f64::INFINITY || span(self).duration <= kind.firm_longest)
    }

    /// The places of the delivery of a request whose pickup is behind a stop.
    fn each_delivery(
        &self,
        tables: &Tables,
        request: &Request,
        Head { at, leave, leg_in }: Head,
        opening: f64,
        most: &mut f64,
        visit: &mut impl FnMut(Place) -> f64,
    ) {
        let network = &*tables.network;
        let kind = &tables.kinds[usize::from(self.kind)];
        let (first, second) = (usize::from(request.first), usize::from(request.second));
        let (to, from) = (network.to_site(second), network.from_site(second));
        let (ready, due, service) = (network.ready(second), network.firm(second), network.service(second));
        let (before, last) = (&self.stops[at], self.stops.len() - 1);
        let out = network.distance(first, usize::from(self.stops[at + 1].place));
        let metric = network.is_metric();
        let mut span =
            tables.has_limits.then(|| self.spans[at].0.then(leg_in, Span::of(tables, first, network.service(first))));
        // Where the vehicle is, when it leaves, and the way that is longer so far.
        let (mut place, mut leave, mut longer) = (first, leave, leg_in - before.leg);
        for then in at..last {
            let next = &self.stops[then + 1];
            let (way_in, way_out) = (to[place], from[usize::from(next.place)]);
            let start = (leave + way_in).max(ready);
            // Later places are later still.
            if start > due && metric {
                return;
            }
            // The leg from here is gone; behind the pickup it is counted already.
            let gone = if then == at { 0.0 } else { self.stops[then].leg };
            let all = longer + way_in + way_out - gone;
            let cost = opening + kind.rate * all;
            if cost < *most
                && start <= due
                && start + service + way_out <= next.late
                && self.allows(tables, all, |route| {
                    let head = span.unwrap_or(route.spans[at].0);
                    let tail = route.spans[then + 1].1;
                    head.then(way_in, Span::of(tables, second, service)).then(way_out, tail)
                })
            {
                *most = visit(Place { cost, at: at as u16, then: then as u16 });
            }
            if then + 1 == last || next.load + request.demand > kind.capacity {
                return;
            }
            // On to the next stop, with the request aboard.
            let leg = if then == at { out } else { self.stops[then].leg };
            let on = usize::from(next.place);
            let start = (leave + leg).max(network.ready(on));
            if start > next.late {
                return;
            }
            if then == at {
                longer += out;
                if metric && opening + kind.rate * longer >= *most {
                    return;
                }
            }
            span = span.map(|span| span.then(leg, Span::of(tables, on, network.service(on))));
            leave = start + network.service(on);
            place = on;
        }
    }
}

/// A pickup that is placed: behind which stop, when the vehicle leaves it, and the way to it.
#[derive(Clone, Copy)]
struct Head {
    at: usize,
    leave: f64,
    leg_in: f64,
}
