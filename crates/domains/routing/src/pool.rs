//! Good solutions of different rounds, and children that take routes of two of them.

use crate::kernel::Kernel;
use crate::network::Network;
use serde::{Deserialize, Serialize};
use soloist::Rng;

/// A solution with the customers that it leaves out.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// The customers of each route behind a 0.
    pub(crate) tour: Vec<u16>,
    pub(crate) absent: Vec<u16>,
    pub(crate) vehicles: usize,
    /// Distance and the cost of the routes.
    pub(crate) cost: f64,
}

impl Kept {
    /// Whether there is no solution yet.
    pub(crate) fn is_none(&self) -> bool {
        self.tour.is_empty() && self.absent.is_empty()
    }

    /// Whether a solution that leaves out `absent` customers at `cost` is better. The margin is above the errors of
    /// sums of differences.
    pub(crate) fn is_worse_than(&self, absent: usize, cost: f64) -> bool {
        let fewer = absent < self.absent.len();
        self.is_none() || fewer || absent == self.absent.len() && cost < self.cost - self.cost.abs() * 1e-12
    }
}

/// The best complete solutions, ascending by cost. No two of them have the same cost; where vehicles count, all have
/// the same number of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Pool {
    kept: Vec<Kept>,
}

/// Solutions whose costs differ by less, relatively, are taken for the same.
const SAME: f64 = 1e-9;

impl Pool {
    pub(crate) fn as_slice(&self) -> &[Kept] {
        &self.kept
    }

    /// Adds a solution if it is complete and new, and drops the worst one above `most`.
    pub(crate) fn insert(&mut self, new: &Kept, most: usize, counts_vehicles: bool) {
        if new.is_none() || !new.absent.is_empty() {
            return;
        }
        if counts_vehicles {
            self.kept.retain(|kept| kept.vehicles <= new.vehicles);
            if self.kept.first().is_some_and(|kept| kept.vehicles < new.vehicles) {
                return;
            }
        }
        let same = |kept: &Kept| (kept.cost - new.cost).abs() <= SAME * new.cost.abs();
        if self.kept.iter().any(same) {
            return;
        }
        let at = self.kept.partition_point(|kept| kept.cost < new.cost);
        self.kept.insert(at, new.clone());
        self.kept.truncate(most);
    }

    /// Writes a child of two different members, see [`Kernel::child`]. `false`: fewer than two members.
    pub(crate) fn child(
        &self,
        kernel: &impl Kernel,
        fleet: usize,
        rng: &mut Rng,
        tour: &mut Vec<u16>,
        absent: &mut Vec<u16>,
    ) -> bool {
        if self.kept.len() < 2 {
            return false;
        }
        // The better one of two drawn, and any other.
        let a = rng.index(self.kept.len()).min(rng.index(self.kept.len()));
        let b = (a + 1 + rng.index(self.kept.len() - 1)) % self.kept.len();
        kernel.child([a, b].map(|kept| self.kept[kept].tour.as_slice()), fleet, rng, tour, absent);
        true
    }
}

/// Writes a child of two tours: some routes of the one that are near to each other, and those of the other that lose
/// the fewest customers thereby, `fleet` in all. The customers of neither are absent.
///
/// With `fleet` = `usize::MAX` vehicles do not count: as many routes as the instance allows, those of the other only if
/// they keep half of their customers.
///
/// After the selective route exchange of Y. Nagata and S. Kobayashi, "A memetic algorithm for the pickup and delivery
/// problem with time windows using selective route exchange crossover", PPSN XI, 2010; the choice of routes is ours.
pub(crate) fn child(
    network: &Network,
    [first, second]: [&[u16]; 2],
    fleet: usize,
    rng: &mut Rng,
    tour: &mut Vec<u16>,
    absent: &mut Vec<u16>,
) {
    let (limited, fleet) = (fleet != usize::MAX, fleet.min(network.vehicles()));
    let routes =
        |tour: &'_ [u16]| tour.split(|&c| c == 0).filter(|route| !route.is_empty()).map(<[u16]>::to_vec).collect();
    let (first, second): (Vec<Vec<u16>>, Vec<Vec<u16>>) = (routes(first), routes(second));
    let mut home = vec![0_usize; network.size()];
    for (at, route) in first.iter().enumerate() {
        route.iter().for_each(|&c| home[c as usize] = at);
    }
    let count = (1 + rng.index(first.len().div_ceil(2))).min(fleet);
    let seed = 1 + rng.index(network.customers());
    let mut taken = vec![false; first.len()];
    let mut left = vec![true; network.size()];
    tour.clear();
    let mut written = 0;
    for &c in network.near(seed) {
        let route = home[c as usize];
        if written < count && !std::mem::replace(&mut taken[route], true) {
            tour.push(0);
            tour.extend_from_slice(&first[route]);
            first[route].iter().for_each(|&c| left[c as usize] = false);
            written += 1;
        }
    }
    let mut rest: Vec<(usize, Vec<u16>)> = second
        .iter()
        .map(|route| (route.len(), route.iter().copied().filter(|&c| left[c as usize]).collect::<Vec<u16>>()))
        .filter(|(length, stay)| !stay.is_empty() && (limited || 2 * stay.len() >= *length))
        .collect();
    soloist::order::sort_by_key(&mut rest, |(_, stay)| std::cmp::Reverse(stay.len()));
    for (_, stay) in rest.into_iter().filter(|(_, stay)| fits(network, stay)).take(fleet.saturating_sub(written)) {
        tour.push(0);
        stay.iter().for_each(|&c| left[c as usize] = false);
        tour.extend(stay);
    }
    absent.clear();
    absent.extend((1..network.size()).filter(|&c| left[c]).map(|c| c as u16));
}

/// Whether a route keeps the capacity and the windows.
pub(crate) fn fits(network: &Network, route: &[u16]) -> bool {
    let load: u64 = route.iter().map(|&c| u64::from(network.demand(c as usize))).sum();
    let (mut time, mut last) = (network.ready(0) + network.service(0), 0);
    for c in route.iter().map(|&c| c as usize).chain([0]) {
        let start = (time + network.distance(last, c)).max(network.ready(c));
        if start > network.latest(c) {
            return false;
        }
        (time, last) = (start + network.service(c), c);
    }
    load <= u64::from(network.capacity())
}

/// Whether every customer is listed once, every route of `tour` fits, and there are no more of them than vehicles.
pub(crate) fn is_sound(network: &Network, tour: &[u16], absent: &[u16]) -> bool {
    let mut left = vec![true; network.size()];
    let mut listed = tour.iter().chain(absent).filter(|&&c| c != 0);
    let once = listed.all(|&c| left.get_mut(c as usize).is_some_and(|left| std::mem::replace(left, false)));
    let mut routes = tour.split(|&c| c == 0).filter(|route| !route.is_empty());
    once && !left.iter().skip(1).any(|&left| left)
        && routes.clone().count() <= network.vehicles()
        && routes.all(|route| fits(network, route))
}
