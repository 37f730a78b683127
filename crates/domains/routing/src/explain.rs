//! Constraints of routes by name, and instances without some of them.
//!
//! A customer that need not be served may still be passed: distances between the others are those of the quickest ways
//! over all customers, so that leaving out a customer never makes the others harder to reach.

use crate::bound::fewest_vehicles;
use crate::network::{Limits, Network, Visit};
use crate::tsptw::Tsptw;
use crate::vrptw::Vrptw;
use soloist::problem::{Explain, ScorePart};
use std::fmt::Write as _;
use std::sync::Arc;

/// A constraint of routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Constraint {
    /// There are no more vehicles than the instance says.
    Vehicles,
    /// No load is above the capacity.
    Capacity,
    /// The customer is served.
    Served(usize),
    /// The customer, or the depot, has its closing time.
    Closes(usize),
}

/// The constraints of a network that can have an effect; empty where ways over left-out customers are not known.
fn constraints(network: &Network, has_fleet: bool) -> Vec<Constraint> {
    if network.quickest().is_none() {
        return Vec::new();
    }
    let demand: u64 = (1..network.size()).map(|c| u64::from(network.demand(c))).sum();
    let fleet = (has_fleet && network.vehicles() < network.customers()).then_some(Constraint::Vehicles);
    let capacity = (demand > u64::from(network.capacity())).then_some(Constraint::Capacity);
    // Those behind stay longer: large demands and narrow windows make small conflicts.
    let mut sites: Vec<usize> = (0..network.size()).collect();
    let width = |site: usize| network.due(site) - network.ready(site);
    soloist::order::sort_by(&mut sites, |&a, &b| {
        network.demand(a).cmp(&network.demand(b)).then(width(b).total_cmp(&width(a))).then(a.cmp(&b))
    });
    let served = sites.iter().filter(|&&site| site > 0).map(|&site| Constraint::Served(site));
    let closing = sites.iter().filter(|&&site| network.due(site).is_finite()).map(|&site| Constraint::Closes(site));
    served.chain(closing).chain(capacity).chain(fleet).collect()
}

/// The name of a constraint for people; `place` is what a site is called.
fn name(network: &Network, constraint: Constraint, place: &str) -> String {
    let plain = |time: f64| time / network.scale();
    match constraint {
        Constraint::Vehicles => {
            let plural = if network.vehicles() == 1 { "" } else { "s" };
            format!("at most {} vehicle{plural}", network.vehicles())
        }
        Constraint::Capacity => format!("no load is above {}", network.capacity()),
        Constraint::Served(c) => {
            let mut text = format!("{place} {c} is served");
            if network.demand(c) > 0 {
                // Writing to a string cannot fail.
                let _ = write!(text, " (demand {})", network.demand(c));
            }
            text
        }
        Constraint::Closes(0) => format!("the tour is back at the depot by {}", plain(network.due(0))),
        Constraint::Closes(c) => {
            format!("{place} {c} closes at {} (opens at {})", plain(network.due(c)), plain(network.ready(c)))
        }
    }
}

/// The network in which some constraints hold alone. `None`: arithmetic shows that they cannot hold together. Without
/// a fleet there is one vehicle: cities that exclude each other, whichever comes first, need two.
fn relaxed(network: &Network, kept: &[usize], has_fleet: bool) -> Option<Arc<Network>> {
    let all = constraints(network, has_fleet);
    let n = network.size();
    let (mut served, mut closes) = (vec![false; n], vec![false; n]);
    let (mut fleet, mut capacity) = (false, false);
    served[0] = true;
    for &at in kept {
        match all[at] {
            Constraint::Vehicles => fleet = true,
            Constraint::Capacity => capacity = true,
            Constraint::Served(c) => served[c] = true,
            Constraint::Closes(c) => closes[c] = true,
        }
    }
    let sites: Vec<usize> = (0..n).filter(|&c| served[c]).collect();
    let is_whole = sites.len() == n;
    let visit = |&c: &usize| Visit {
        demand: network.demand(c),
        ready: network.ready(c),
        due: if closes[c] { network.due(c) } else { f64::INFINITY },
        service: network.service(c),
    };
    let visits: Vec<Visit> = sites.iter().map(visit).collect();
    let quickest = network.quickest().filter(|_| !is_whole);
    let way = |i: usize, j: usize| quickest.as_ref().map_or_else(|| network.distance(i, j), |table| table[i * n + j]);
    let to = sites.iter().flat_map(|&i| sites.iter().map(move |&j| (i, j))).map(|(i, j)| way(i, j)).collect();
    let demand: u64 = sites.iter().map(|&c| u64::from(network.demand(c))).sum();
    let customers = sites.len() - 1;
    let limits = Limits {
        capacity: if capacity { network.capacity() } else { u32::try_from(demand).unwrap_or(u32::MAX) },
        vehicles: if fleet || !has_fleet { network.vehicles().min(customers.max(1)) } else { customers },
        scale: network.scale(),
        metric: network.is_metric(),
        timed: network.is_timed(),
        exact: network.is_exact(),
    };
    let network = Network::new(&visits, to, limits);
    let most = if has_fleet { network.vehicles() } else { 1 };
    let is_short = customers > 0 && fewest_vehicles(&network) > most;
    (!is_short && !is_unreachable(&network)).then(|| Arc::new(network))
}

/// Whether some customer is late behind the depot whatever the way to it.
fn is_unreachable(network: &Network) -> bool {
    let begin = network.ready(0) + network.service(0);
    let home = |c: usize, start: f64| start + network.service(c) + network.way_home(c);
    network.quickest().is_some_and(|quickest| {
        (1..network.size()).any(|c| {
            let start = (begin + quickest[c]).max(network.ready(c));
            start > network.certainly_late(c) || home(c, start) > network.certainly_late(0)
        })
    })
}

impl Explain<Vrptw> for Vrptw {
    fn parts(&self, state: &crate::vrptw::Tour) -> Vec<ScorePart> {
        let (vehicles, distance, unserved) = self.totals(state);
        let mut parts: Vec<ScorePart> = vec![("vehicles".into(), vehicles), ("distance".into(), distance)];
        if unserved > 0.0 {
            parts.insert(0, ("customers not served".into(), unserved));
        }
        parts
    }

    fn constraints(&self) -> Vec<String> {
        let network = self.network();
        constraints(network, true).into_iter().map(|one| name(network, one, "customer")).collect()
    }

    fn relaxed(&self, kept: &[usize]) -> Option<Self> {
        relaxed(self.network(), kept, true).map(|network| Self::new(network, self.objective()))
    }
}

impl Explain<Tsptw> for Tsptw {
    fn parts(&self, state: &crate::tsptw::Tour) -> Vec<ScorePart> {
        let (travel, waiting, late) = self.totals(state);
        let mut parts: Vec<ScorePart> = vec![("travel".into(), travel), ("waiting".into(), waiting)];
        if late > 0.0 {
            parts.insert(0, ("late visits".into(), late));
        }
        parts
    }

    fn constraints(&self) -> Vec<String> {
        let network = self.network();
        constraints(network, false).into_iter().map(|one| name(network, one, "node")).collect()
    }

    fn relaxed(&self, kept: &[usize]) -> Option<Self> {
        relaxed(self.network(), kept, false).map(|network| Self::over(network, self.objective()))
    }
}
