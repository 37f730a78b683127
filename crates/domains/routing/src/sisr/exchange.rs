//! Exchanges between likely neighbours: a few customers in a row move, or two routes swap their ends.

use super::Sisr;
use crate::network::{NONE, Network};
use crate::route::{Route, Stop};
use soloist::Rng;
use soloist::problem::Acceptance;
use std::sync::Arc;

/// The most customers that move together.
const MOST_MOVED: usize = 3;

impl Sisr {
    /// Tries exchanges at a temperature; returns whether one was accepted.
    ///
    /// An exchange joins a customer and a [likely](Network::likely) neighbour. Within a route, up to [`MOST_MOVED`]
    /// customers move to the neighbour. Between two routes, they move there, or the routes swap what is behind the
    /// customer and from the neighbour on. The cost is judged first, in constant time. Few exchanges pass that, and
    /// only these need the times: constant time between routes, the stops between both places within one.
    ///
    /// # References
    /// I. Or, doctoral thesis, Northwestern University, 1976. J.-Y. Potvin and J.-M. Rousseau, "An exchange heuristic
    /// for routeing problems with time windows", Journal of the Operational Research Society 46, 1995, pages 1433-1446.
    /// M. W. P. Savelsbergh, "The vehicle routing problem with time windows: minimizing route duration", ORSA Journal
    /// on Computing 4, 1992, pages 146-154 (latest times).
    pub(crate) fn exchange(&mut self, rng: &mut Rng, temperature: f64) -> bool {
        // Where the time of the return counts, a change of the cost depends on the whole route.
        if self.settings.exchanges == 0 || self.customers.active.is_empty() || self.network.is_timed() {
            return false;
        }
        let network = Arc::clone(&self.network);
        let mut accepted = false;
        for _ in 0..self.settings.exchanges {
            let c = self.customers.active[rng.index(self.customers.active.len())];
            let likely = network.likely(c as usize);
            if likely.is_empty() {
                break;
            }
            let other = likely[rng.index(likely.len())];
            let (r, q) = (self.home[c as usize], self.home[other as usize]);
            if r == NONE || q == NONE {
                continue;
            }
            let (r, q) = (r as usize, q as usize);
            let (at, place) = (self.stop_of(r, c), self.stop_of(q, other));
            let draw = rng.below(4 * MOST_MOVED as u64) as usize;
            // Before or behind the neighbour.
            let (draw, before) = (draw / 2, draw % 2 == 1);
            let change = if r != q && draw % 2 == 1 {
                self.swap_ends(&network, [r, q], [at, place], rng, temperature)
            } else {
                let more = draw / 2;
                let last = self.routes[r].len();
                let (begin, end) =
                    if before { (at.saturating_sub(more).max(1), at) } else { (at, last.min(at + more)) };
                let behind = if before { place - 1 } else { place };
                if r == q {
                    self.shift(&network, r, [begin, end], behind, rng, temperature)
                } else {
                    self.relocate(&network, [r, q], [begin, end], behind, rng, temperature)
                }
            };
            let Some(change) = change else { continue };
            self.cost += change;
            accepted = true;
        }
        accepted
    }

    /// Moves the stops from `begin` to `end` of a route behind another stop of it. Returns the change of the cost;
    /// `None`: nothing has changed.
    fn shift(
        &mut self,
        network: &Network,
        r: usize,
        [begin, end]: [usize; 2],
        behind: usize,
        rng: &mut Rng,
        temperature: f64,
    ) -> Option<f64> {
        let route = &mut self.routes[r];
        if (begin - 1..=end).contains(&behind) {
            return None;
        }
        let change = moved(network, &route.stops, [begin, end], [&route.stops[behind], &route.stops[behind + 1]]);
        if !Acceptance::new(rng, temperature).accepts(change) {
            return None;
        }
        // The stops between, and those that move: one of both comes first now.
        let (from, to, by) =
            if behind > end { (begin, behind, end + 1 - begin) } else { (behind + 1, end, begin - behind - 1) };
        let stops = &route.stops;
        let order = stops[from + by..=to].iter().chain(&stops[from..from + by]);
        if !in_time(network, &stops[from - 1], order, &stops[to + 1]) {
            return None;
        }
        route.stops[from..=to].rotate_left(by);
        route.repair(network, from - 1, to);
        self.new_version(r);
        Some(change)
    }

    /// Moves the stops from `begin` to `end` of route `r` behind a stop of route `q`.
    fn relocate(
        &mut self,
        network: &Network,
        [r, q]: [usize; 2],
        [begin, end]: [usize; 2],
        behind: usize,
        rng: &mut Rng,
        temperature: f64,
    ) -> Option<f64> {
        let (route, goal) = (&self.routes[r], &self.routes[q]);
        let empties = end + 1 - begin == route.len();
        let mut change = moved(network, &route.stops, [begin, end], [&goal.stops[behind], &goal.stops[behind + 1]]);
        if empties {
            change -= self.route_cost;
        }
        if !Acceptance::new(rng, temperature).accepts(change) {
            return None;
        }
        let block = &route.stops[begin..=end];
        let load: u32 = block.iter().map(|stop| network.demand(stop.site as usize)).sum();
        let fits = load <= network.capacity() - goal.load
            && in_time(network, &route.stops[begin - 1], [].iter(), &route.stops[end + 1])
            && in_time(network, &goal.stops[behind], block.iter(), &goal.stops[behind + 1]);
        if !fits {
            return None;
        }
        let mut block = std::mem::take(&mut self.buffers.block);
        block.clear();
        let route = &mut self.routes[r];
        block.extend(route.stops.drain(begin..=end));
        route.load -= load;
        route.repair(network, begin - 1, begin - 1);
        let goal = &mut self.routes[q];
        goal.stops.splice(behind + 1..behind + 1, block.iter().copied());
        goal.load += load;
        goal.repair(network, behind, behind + block.len());
        block.iter().for_each(|stop| self.home[stop.site as usize] = q as u16);
        self.buffers.block = block;
        self.renew([r, q], empties.then_some(r));
        Some(change)
    }

    /// Joins stop `at` of route `r` and stop `place` of route `q`: what was behind `at` follows the stop before
    /// `place`.
    fn swap_ends(
        &mut self,
        network: &Network,
        [r, q]: [usize; 2],
        [at, place]: [usize; 2],
        rng: &mut Rng,
        temperature: f64,
    ) -> Option<f64> {
        let (first, second) = (&self.routes[r], &self.routes[q]);
        let (head, tail) = (&first.stops[at], &second.stops[place]);
        let (before, behind) = (&second.stops[place - 1], &first.stops[at + 1]);
        let way = |a: &Stop, b: &Stop| network.distance(a.site as usize, b.site as usize);
        let mut change = way(head, tail) + way(before, behind) - head.leg - before.leg;
        let empties = place == 1 && at == first.len();
        if empties {
            change -= self.route_cost;
        }
        if !Acceptance::new(rng, temperature).accepts(change) {
            return None;
        }
        let load = |stops: &[Stop]| stops.iter().map(|stop| network.demand(stop.site as usize)).sum::<u32>();
        let (ahead, ended) = (load(&first.stops[1..=at]), load(&second.stops[1..place]));
        let loads = [ahead + (second.load - ended), ended + (first.load - ahead)];
        let fits = loads.iter().all(|&load| load <= network.capacity())
            && in_time(network, head, [].iter(), tail)
            && in_time(network, before, [].iter(), behind);
        if !fits {
            return None;
        }
        let mut block = std::mem::take(&mut self.buffers.block);
        block.clear();
        block.extend(self.routes[r].stops.drain(at + 1..));
        let [first, second] = self.pair(r, q);
        first.stops.extend(second.stops.drain(place..));
        second.stops.extend_from_slice(&block);
        [first.load, second.load] = loads;
        first.repair(network, at, at);
        second.repair(network, place - 1, place - 1);
        self.buffers.block = block;
        for (r, from) in [(r, at + 1), (q, place)] {
            let route = &self.routes[r];
            route.stops[from..=route.len()].iter().for_each(|stop| self.home[stop.site as usize] = r as u16);
        }
        self.renew([r, q], empties.then_some(q));
        Some(change)
    }

    /// Two different routes.
    fn pair(&mut self, r: usize, q: usize) -> [&mut Route; 2] {
        let (low, high) = self.routes.split_at_mut(r.max(q));
        if r < q { [&mut low[r], &mut high[0]] } else { [&mut high[0], &mut low[q]] }
    }

    /// What was known of two routes holds no more, and the one without customers is closed.
    fn renew(&mut self, changed: [usize; 2], empty: Option<usize>) {
        changed.into_iter().for_each(|r| self.new_version(r));
        if let Some(r) = empty {
            self.close(r);
        }
    }
}

/// By how much ways grow if the stops from `begin` to `end` go between two others that follow each other.
#[inline]
fn moved(network: &Network, stops: &[Stop], [begin, end]: [usize; 2], goal: [&Stop; 2]) -> f64 {
    let way = |a: &Stop, b: &Stop| network.distance(a.site as usize, b.site as usize);
    let (before, after, [left, right]) = (&stops[begin - 1], &stops[end + 1], goal);
    way(before, after) - before.leg - stops[end].leg + way(left, &stops[begin]) + way(&stops[end], right) - left.leg
}

/// Whether a route that leaves `before` as it does now and visits `stops` in this order is in time there, and at
/// `after` and behind it.
fn in_time<'s>(network: &Network, before: &Stop, stops: impl Iterator<Item = &'s Stop>, after: &Stop) -> bool {
    let (mut time, mut last) = (before.leave, before.site as usize);
    for stop in stops {
        let site = stop.site as usize;
        let start = (time + network.distance(last, site)).max(network.ready(site));
        if start > network.firm(site) {
            return false;
        }
        (time, last) = (start + network.service(site), site);
    }
    time + network.distance(last, after.site as usize) <= after.late
}
