//! Removing strings of customers and inserting them again.

use super::{Known, Sisr};
use crate::network::{NONE, Network};
use crate::route::Stop;
use crate::sampling::{Cut, MOST_BLINKS, RULES, draw_rule};
use soloist::Rng;
use std::sync::Arc;

/// The most that are removed from long routes, on average and as one string.
const MOST_OF_LONG: f64 = 10.0;

/// A position among all routes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) cost: f64,
    pub(super) route: u32,
    pub(super) at: u32,
}

impl Sisr {
    /// Removes strings of customers near a random one; returns the cost saved.
    pub(super) fn ruin(&mut self, rng: &mut Rng) -> f64 {
        let network = Arc::clone(&self.network);
        let seed = self.customers.active[rng.index(self.customers.active.len())] as usize;
        let served = self.customers.active.len() - self.customers.absent.len();
        let mean = if self.open == 0 { 0.0 } else { served as f64 / self.open as f64 };
        let (mut removed, mut longest) = (self.settings.removed, self.settings.longest as f64);
        // In long routes of many customers, the paper's numbers are better than larger ones.
        if self.has_long_routes() {
            (removed, longest) = (removed.min(MOST_OF_LONG), longest.min(MOST_OF_LONG));
        }
        let longest = longest.min(mean).max(1.0);
        let most = (4.0 * removed / (1.0 + longest) - 1.0).max(1.0);
        let strings = (1.0 + rng.unit() * most) as usize;
        let (mut saving, mut cut) = (0.0, 0);
        for &c in network.near(seed) {
            if cut == strings {
                break;
            }
            let r = self.home[c as usize];
            // A single route loses several strings.
            if r == NONE || self.open > 1 && self.changes.touched_in[r as usize] == self.changes.step {
                continue;
            }
            cut += 1;
            saving += self.remove_string(&network, r as usize, c, longest, rng);
        }
        saving
    }

    fn remove_string(&mut self, network: &Network, r: usize, c: u16, longest: f64, rng: &mut Rng) -> f64 {
        self.touch(r);
        let (settings, place) = (self.settings, self.stop_of(r, c) - 1);
        let route = &mut self.routes[r];
        let size = route.len();
        // The customers from `stay` on are kept.
        let Cut { begin, stay, kept, end } = Cut::draw(size, place, longest, settings.split, settings.keep, rng);
        let before = if network.is_timed() { route.cost(network) } else { legs(&route.stops[begin - 1..end]) };
        for at in (begin..stay).chain(stay + kept..end) {
            let site = route.stops[at].site as u16;
            self.home[site as usize] = NONE;
            self.changes.removed.push((site, r as u16));
            route.load -= network.demand(site as usize);
        }
        // The first stop that is kept, and the one behind the string.
        let left = [route.stops[stay].leave, route.stops[end].leave];
        if kept > 0 {
            route.stops.drain(stay + kept..end);
        }
        route.stops.drain(begin..stay);
        route.repair(network, begin - 1, begin - 1 + kept);
        self.changes.delays |= route.stops[begin].leave > left[0] || route.stops[begin + kept].leave > left[1];
        let after = if network.is_timed() { route.cost(network) } else { legs(&route.stops[begin - 1..begin + kept]) };
        let mut saving = before - after;
        if route.len() == 0 {
            saving += self.route_cost;
        }
        self.new_version(r);
        saving
    }

    /// Lists the removed and the absent customers in the order in which they return.
    pub(super) fn order(&mut self, rng: &mut Rng) {
        let rule = draw_rule(self.network.has_windows(), rng);
        self.buffers.pending.clear();
        let size = self.network.size();
        let customers = self.changes.removed.iter().map(|&(c, _)| c).chain(self.customers.absent.iter().copied());
        if rule == 0 {
            self.buffers.pending.extend(customers.map(|c| rng.next_u64() >> 32 << 16 | u64::from(c)));
        } else {
            let ranks = &self.ranks[(rule - 1) * size..rule * size];
            self.buffers.pending.extend(customers.map(|c| u64::from(ranks[c as usize]) << 16 | u64::from(c)));
        }
        self.buffers.pending.sort_unstable();
    }

    /// Inserts the pending customers. `None`: the cost would exceed `limit`, or the counters (with `count`, the
    /// numbers) of those that stay absent would exceed `most`.
    pub(super) fn recreate(&mut self, rng: &mut Rng, mut cost: f64, limit: f64, most: u64, count: bool) -> Option<f64> {
        let network = Arc::clone(&self.network);
        self.customers.still_absent.clear();
        let mut missing = 0;
        let pending = std::mem::take(&mut self.buffers.pending);
        let mut result = None;
        'all: {
            for &entry in &pending {
                let c = entry as u16;
                match self.choose(&network, rng, c, count) {
                    Some(choice) => {
                        let r = choice.route as usize;
                        self.touch(r);
                        let was_empty = self.routes[r].len() == 0;
                        self.open = self.open.max(r + 1);
                        self.routes[r].insert(&network, c, choice.at as usize);
                        self.new_version(r);
                        self.home[c as usize] = choice.route as u16;
                        cost += choice.cost + if was_empty { self.route_cost } else { 0.0 };
                        if cost > limit {
                            break 'all;
                        }
                    }
                    None => {
                        self.customers.still_absent.push(c);
                        missing += if count { 1 } else { u64::from(self.customers.misses[c as usize]) };
                        if missing > most {
                            break 'all;
                        }
                    }
                }
            }
            result = Some(cost);
        }
        self.buffers.pending = pending;
        result
    }

    /// Where a customer goes: its cheapest position among those that are not overlooked. With `opens`, a new route is
    /// among them.
    #[inline]
    fn choose(&mut self, network: &Network, rng: &mut Rng, c: u16, opens: bool) -> Option<Choice> {
        let mut blinks = 0;
        while blinks < MOST_BLINKS && rng.unit() < self.settings.blink {
            blinks += 1;
        }
        let routes = if opens && self.open < self.fleet { self.open + 1 } else { self.open };
        if routes > self.cache.slots {
            self.grow();
        }
        if network.is_granular() {
            self.list_nearby(network, c, routes);
            let nearby = std::mem::take(&mut self.near.routes);
            let each = || nearby.iter().map(|&r| r as usize);
            let choice = if blinks > 0 {
                self.choose_later(network, c, each(), blinks)
            } else {
                self.choose_cheapest(network, c, each())
            };
            self.near.routes = nearby;
            if choice.is_some() {
                return choice;
            }
        }
        if blinks > 0 {
            return self.choose_later(network, c, 0..routes, blinks);
        }
        self.choose_cheapest(network, c, 0..routes)
    }

    /// Lists the routes of likely neighbours, and those without customers.
    fn list_nearby(&mut self, network: &Network, c: u16, routes: usize) {
        self.near.routes.clear();
        self.near.look += 1;
        for &neighbor in network.likely(c as usize) {
            let r = self.home[neighbor as usize];
            if r != NONE && self.near.listed_in[r as usize] != self.near.look {
                self.near.listed_in[r as usize] = self.near.look;
                self.near.routes.push(r);
            }
        }
        let emptied = self.changes.touched.iter().copied().filter(|&r| self.routes[r as usize].len() == 0);
        self.near.routes.extend(emptied.filter(|&r| (r as usize) < routes));
        if self.open < routes {
            self.near.routes.push(self.open as u16);
        }
    }

    /// The cheapest position in some routes.
    #[inline(always)]
    fn choose_cheapest(&mut self, network: &Network, c: u16, routes: impl Iterator<Item = usize>) -> Option<Choice> {
        let room = network.capacity() - network.demand(c as usize);
        let known = &mut self.cache.known[c as usize * self.cache.slots..][..self.cache.slots];
        let mut best = Choice { cost: f64::INFINITY, route: 0, at: 0 };
        let mut best_total = f64::INFINITY;
        for r in routes {
            let (route, known) = (&self.routes[r], &mut known[r]);
            if route.load > room {
                continue;
            }
            if known.version != route.version {
                let place = route.cheapest(network, c);
                *known = Known { version: route.version, at: place.at, cost: place.cost };
            }
            let total = if route.stops.len() == 2 { known.cost + self.route_cost } else { known.cost };
            if total < best_total {
                best_total = total;
                best = Choice { cost: known.cost, route: r as u32, at: known.at };
            }
        }
        (best_total < f64::INFINITY).then_some(best)
    }

    /// The position that is left when the `blinks` cheaper ones are overlooked, in some routes.
    #[cold]
    fn choose_later(
        &mut self,
        network: &Network,
        c: u16,
        routes: impl Iterator<Item = usize>,
        blinks: usize,
    ) -> Option<Choice> {
        let room = network.capacity() - network.demand(c as usize);
        let known = &self.cache.known[c as usize * self.cache.slots..][..self.cache.slots];
        let choices = &mut self.buffers.choices;
        choices.clear();
        let mut seen_empty = false;
        for r in routes {
            let route = &self.routes[r];
            // Empty routes are alike: one of them counts.
            let empty = route.len() == 0;
            if route.load > room || empty && seen_empty {
                continue;
            }
            seen_empty |= empty;
            let extra = if empty { self.route_cost } else { 0.0 };
            // What is known of a route may show that no position of it counts.
            let enough = choices.get(blinks).map_or(f64::INFINITY, |choice| choice.cost);
            if known[r].version == route.version && known[r].cost + extra >= enough {
                continue;
            }
            route.each_place(network, c, |cost, at| {
                let cost = cost + extra;
                if choices.len() > blinks {
                    if cost >= choices[blinks].cost {
                        return;
                    }
                    choices.pop();
                }
                let place = choices.partition_point(|choice| choice.cost <= cost);
                choices.insert(place, Choice { cost, route: r as u32, at });
            });
        }
        let mut choice = *choices.get(blinks)?;
        if self.routes[choice.route as usize].len() == 0 {
            choice.cost -= self.route_cost;
        }
        Some(choice)
    }
}

/// The sum of distances.
fn legs(stops: &[Stop]) -> f64 {
    stops.iter().map(|stop| stop.leg).sum()
}

/// For each rule but the random one, the rank of every site: demand descending, far, close, width of the window
/// ascending, start ascending, end descending. Ties by number.
pub(super) fn ranks(network: &Network) -> Vec<u16> {
    let size = network.size();
    let keys: [&dyn Fn(usize) -> f64; RULES - 1] = [
        &|c| -f64::from(network.demand(c)),
        &|c| -(network.distance(0, c) + network.distance(c, 0)),
        &|c| network.distance(0, c) + network.distance(c, 0),
        &|c| network.due(c) - network.ready(c),
        &|c| network.ready(c),
        &|c| -network.due(c),
    ];
    let mut ranks = Vec::with_capacity((RULES - 1) * size);
    let mut order: Vec<usize> = (0..size).collect();
    for key in keys {
        soloist::order::sort_by(&mut order, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
        let begin = ranks.len();
        ranks.resize(begin + size, 0);
        for (rank, &site) in order.iter().enumerate() {
            ranks[begin + site] = rank as u16;
        }
    }
    ranks
}
