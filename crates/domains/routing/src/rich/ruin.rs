//! Removing strings of visits with their requests, and inserting requests again.

use super::kernel::{Choice, Repair};
use super::route::Place;
use super::tables::{NONE, Tables};
use crate::sampling::{Cut, MOST_BLINKS, draw_rule};
use soloist::Rng;
use std::sync::Arc;

/// The most optional requests near a ruin that are tried again, as a factor of the visits removed on average.
const TRIED: f64 = 2.0;
/// How often requests with prizes are judged by another prize than their own, and by which factor at most: groups of
/// them pay together or not at all.
const FICKLE: (f64, f64) = (0.2, 4.0);

impl Repair {
    /// Removes strings of visits near a random one; returns the cost saved, with the prizes of requests that are tried
    /// again.
    pub(super) fn ruin(&mut self, rng: &mut Rng) -> f64 {
        let tables = Arc::clone(&self.tables);
        let seed = tables.depots + rng.index(tables.visits());
        let served: usize = self.routes[..self.open].iter().map(|route| route.len()).sum();
        let mean = if self.open == 0 { 0.0 } else { served as f64 / self.open as f64 };
        let longest = (self.settings.longest as f64).min(mean).max(1.0);
        let most = (4.0 * self.settings.removed / (1.0 + longest) - 1.0).max(1.0);
        let strings = (1.0 + rng.unit() * most) as usize;
        let room = if self.has_prizes { (TRIED * self.settings.removed) as usize } else { 0 };
        let (mut saving, mut cut) = (0.0, 0);
        for &place in tables.network.near(seed) {
            if cut == strings {
                break;
            }
            let request = tables.request_of[usize::from(place)];
            if request == NONE {
                continue;
            }
            let r = self.home[usize::from(request)];
            if r == NONE {
                let optional = &tables.requests[usize::from(request)];
                let new = !self.changes.removed.iter().any(|&(other, _)| other == request)
                    && !self.changes.tried.contains(&request);
                if optional.is_optional() && self.changes.tried.len() < room && new {
                    self.changes.tried.push(request);
                    saving += optional.prize;
                }
            } else if self.open == 1 || self.changes.touched_in[usize::from(r)] != self.changes.step {
                cut += 1;
                saving += self.remove_string(&tables, usize::from(r), place, longest, rng);
            }
        }
        saving
    }

    fn remove_string(&mut self, tables: &Tables, r: usize, near: u16, longest: f64, rng: &mut Rng) -> f64 {
        self.touch(r);
        let settings = self.settings;
        let route = &mut self.routes[r];
        let size = route.len();
        let place = route.stops.iter().position(|stop| stop.place == near).unwrap_or(1).max(1) - 1;
        let Cut { begin, stay, kept, end } = Cut::draw(size, place, longest, settings.split, settings.keep, rng);
        let before = route.cost;
        for at in (begin..stay).chain(stay + kept..end) {
            let request = tables.request_of[usize::from(route.stops[at].place)];
            // Both visits of a transport may be in the string.
            if self.home[usize::from(request)] != NONE {
                self.home[usize::from(request)] = NONE;
                self.changes.removed.push((request, r as u16));
            }
        }
        let home = &self.home;
        route.remove(tables, |place| home[usize::from(tables.request_of[usize::from(place)])] == NONE);
        let saving = before - route.cost;
        self.new_version(r);
        saving
    }

    /// Lists the requests that are to be served in the order in which they return.
    pub(super) fn order(&mut self, rng: &mut Rng) {
        let rule = draw_rule(self.tables.network.has_windows(), rng);
        let size = self.home.len();
        let removed = self.changes.removed.iter().map(|&(request, _)| request);
        let requests = removed.chain(self.left_out.absent.iter().copied()).chain(self.changes.tried.iter().copied());
        self.buffers.pending.clear();
        if rule == 0 {
            self.buffers.pending.extend(requests.map(|request| rng.next_u64() >> 32 << 16 | u64::from(request)));
        } else {
            let ranks = &self.ranks[(rule - 1) * size..rule * size];
            let key = |request: u16| u64::from(ranks[usize::from(request)]) << 16 | u64::from(request);
            self.buffers.pending.extend(requests.map(key));
        }
        self.buffers.pending.sort_unstable();
    }

    /// Inserts the pending requests. `None`: the cost would exceed `limit`, or the counters (with `count`, the numbers)
    /// of those that stay absent would exceed `most`.
    pub(super) fn recreate(&mut self, rng: &mut Rng, mut cost: f64, limit: f64, most: u64, count: bool) -> Option<f64> {
        let tables = Arc::clone(&self.tables);
        self.left_out.still_absent.clear();
        let mut missing = 0;
        let fickle = self.has_prizes && rng.unit() < FICKLE.0;
        let factor = if fickle { libm::pow(FICKLE.1, 2.0 * rng.unit() - 1.0) } else { 1.0 };
        let pending = std::mem::take(&mut self.buffers.pending);
        let mut result = None;
        'all: {
            for &entry in &pending {
                let request = entry as u16;
                let task = &tables.requests[usize::from(request)];
                match self.choose(&tables, rng, request, count) {
                    Some(choice) if choice.place.cost < task.prize * factor => {
                        self.put(&tables, request, choice);
                        cost += choice.place.cost;
                    }
                    _ if task.is_optional() => cost += task.prize,
                    _ => {
                        self.left_out.still_absent.push(request);
                        missing += if count { 1 } else { u64::from(self.left_out.misses[usize::from(request)]) };
                        if missing > most {
                            break 'all;
                        }
                    }
                }
                if cost > limit {
                    break 'all;
                }
            }
            result = Some(cost);
        }
        self.buffers.pending = pending;
        result
    }

    /// Inserts the pending requests into the routes, which are opened only for what fits into no other.
    pub(super) fn fill_empty(&mut self) {
        let tables = Arc::clone(&self.tables);
        let pending = std::mem::take(&mut self.buffers.pending);
        for &entry in &pending {
            let request = entry as u16;
            let task = &tables.requests[usize::from(request)];
            let mut best = Choice { route: 0, kind: 0, place: Place { cost: task.prize, ..Place::NOWHERE } };
            let mut found = false;
            for (r, route) in self.routes[..self.open].iter().enumerate() {
                let place = route.cheapest(&tables, task, best.place.cost);
                if place.cost < best.place.cost {
                    (best, found) = (Choice { route: r, kind: route.kind, place }, true);
                }
            }
            if !found {
                for kind in 0..tables.kinds.len() {
                    let place = self.alone(&tables, request, kind);
                    if self.may_open(&tables, kind) && place.cost < best.place.cost {
                        (best, found) = (Choice { route: self.open, kind: kind as u16, place }, true);
                    }
                }
            }
            if found {
                self.put(&tables, request, best);
            } else if !task.is_optional() {
                self.left_out.absent.push(request);
            }
        }
        self.buffers.pending = pending;
    }

    fn may_open(&self, tables: &Tables, kind: usize) -> bool {
        self.open < self.fleet && self.used[kind] < tables.kinds[kind].count
    }

    /// Inserts a request where it was decided.
    fn put(&mut self, tables: &Tables, request: u16, Choice { route: r, kind, place }: Choice) {
        if r == self.open {
            if r == self.cache.slots {
                self.reserve(2 * self.cache.slots);
            }
            self.touch(r);
            self.routes[r].set(tables, kind, std::iter::empty());
            self.used[usize::from(kind)] += 1;
            self.open += 1;
        }
        self.touch(r);
        self.routes[r].insert(tables, &tables.requests[usize::from(request)], place);
        self.new_version(r);
        self.home[usize::from(request)] = r as u16;
    }

    /// The cost of a request in a route of its own.
    fn alone(&mut self, tables: &Tables, request: u16, kind: usize) -> Place {
        let known = &mut self.cache.alone[usize::from(request) * tables.kinds.len() + kind];
        if known.version == 0 {
            let task = &tables.requests[usize::from(request)];
            (known.version, known.place) = (1, self.empty[kind].cheapest(tables, task, f64::INFINITY));
        }
        known.place
    }

    /// Where a request goes: its cheapest place among those that are not overlooked. With `opens`, routes of all kinds
    /// that are left are among them.
    fn choose(&mut self, tables: &Tables, rng: &mut Rng, request: u16, opens: bool) -> Option<Choice> {
        let mut blinks = 0;
        while blinks < MOST_BLINKS && rng.unit() < self.settings.blink {
            blinks += 1;
        }
        if blinks > 0 {
            return self.choose_later(tables, request, opens, blinks);
        }
        let mut best = Choice { route: 0, kind: 0, place: Place::NOWHERE };
        let known = &mut self.cache.known[usize::from(request) * self.cache.slots..][..self.open];
        let task = &tables.requests[usize::from(request)];
        for (r, (route, known)) in self.routes.iter().zip(known).enumerate() {
            if known.version != route.version {
                known.version = route.version;
                known.place = route.cheapest(tables, task, f64::INFINITY);
            }
            if known.place.cost < best.place.cost {
                best = Choice { route: r, kind: route.kind, place: known.place };
            }
        }
        for kind in 0..if opens { tables.kinds.len() } else { 0 } {
            if self.may_open(tables, kind) {
                let place = self.alone(tables, request, kind);
                if place.cost < best.place.cost {
                    best = Choice { route: self.open, kind: kind as u16, place };
                }
            }
        }
        (best.place.cost < f64::INFINITY).then_some(best)
    }

    /// The place that is left when the `blinks` cheaper ones are overlooked.
    #[cold]
    fn choose_later(&mut self, tables: &Tables, request: u16, opens: bool, blinks: usize) -> Option<Choice> {
        let mut choices = std::mem::take(&mut self.buffers.choices);
        choices.clear();
        let task = &tables.requests[usize::from(request)];
        let limit = |choices: &[Choice]| choices.get(blinks).map_or(f64::INFINITY, |worst| worst.place.cost);
        let add = |choices: &mut Vec<Choice>, choice: Choice| {
            if choice.place.cost < limit(choices) {
                choices.truncate(blinks);
                let at = choices.partition_point(|other| other.place.cost <= choice.place.cost);
                choices.insert(at, choice);
            }
            limit(choices)
        };
        for (r, route) in self.routes[..self.open].iter().enumerate() {
            let most = limit(&choices);
            route.each_place(tables, task, most, |place| {
                add(&mut choices, Choice { route: r, kind: route.kind, place })
            });
        }
        for kind in 0..if opens { tables.kinds.len() } else { 0 } {
            if self.may_open(tables, kind) {
                let place = self.alone(tables, request, kind);
                let _ = add(&mut choices, Choice { route: self.open, kind: kind as u16, place });
            }
        }
        let choice = choices.get(blinks).copied();
        self.buffers.choices = choices;
        choice
    }
}
