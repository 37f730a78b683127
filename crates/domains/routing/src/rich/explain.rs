//! What a cost consists of, and constraints of rich routing by name.

use super::{Instance, Kind, Rich, Tour};
use crate::network::MAX_CLOSED;
use crate::vrptw::{Edges, Rounding};
use soloist::problem::{Explain, ScorePart};
use std::sync::Arc;

/// A constraint of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Constraint {
    /// There are no more vehicles of a kind than the instance says.
    Fleet(usize),
    /// Routes of a kind are no longer than the instance says.
    Limits(usize),
    /// A customer or a transport, named by its customer or pickup, is served.
    Served(usize),
    /// A visit has its closing time.
    Closes(usize),
    /// A depot has its closing time.
    Back(usize),
}

/// Whether ways over visits that are left out can be found.
pub(super) fn can_explain(problem: &Rich) -> bool {
    problem.tables.network.is_metric() || problem.tables.network.size() <= MAX_CLOSED
}

/// The constraints that can have an effect; empty where ways over visits that are left out are not known.
fn constraints(problem: &Rich) -> Vec<Constraint> {
    if !can_explain(problem) {
        return Vec::new();
    }
    let instance = &*problem.instance;
    let requests = || instance.visits.iter().enumerate().filter(|(_, visit)| !visit.delivers);
    let count = requests().count();
    let served = requests().filter(|(_, visit)| visit.prize.is_none()).map(|(at, _)| Constraint::Served(at));
    let closes = instance.visits.iter().enumerate().filter(|(_, visit)| visit.due.is_finite());
    let closes = closes.map(|(at, _)| Constraint::Closes(at));
    let back = instance.depots.iter().enumerate().filter(|(_, depot)| depot.due.is_finite());
    let kinds = || instance.kinds.iter().enumerate();
    let limits = kinds().filter(|(_, kind)| kind.longest.is_finite() || kind.farthest.is_finite());
    let fleet = kinds().filter(|(_, kind)| kind.count.is_some_and(|most| (most as usize) < count));
    served
        .chain(closes)
        .chain(back.map(|(at, _)| Constraint::Back(at)))
        .chain(limits.map(|(at, _)| Constraint::Limits(at)))
        .chain(fleet.map(|(at, _)| Constraint::Fleet(at)))
        .collect()
}

/// The name of a constraint for people.
fn name(instance: &Instance, constraint: Constraint) -> String {
    let kind = |at: usize| if instance.kinds.len() > 1 { format!(" of kind {}", at + 1) } else { String::new() };
    match constraint {
        Constraint::Fleet(at) => {
            let most = instance.kinds[at].count.unwrap_or(u32::MAX);
            format!("at most {most} vehicle{}{}", if most == 1 { "" } else { "s" }, kind(at))
        }
        Constraint::Limits(at) => {
            let Kind { longest, farthest, .. } = instance.kinds[at];
            let said = [("last", longest), ("drive", farthest)].into_iter().filter(|(_, most)| most.is_finite());
            let said: Vec<String> = said.map(|(verb, most)| format!("{verb} at most {most}")).collect();
            format!("routes{} {}", kind(at), said.join(" and "))
        }
        Constraint::Served(at) => {
            let visit = &instance.visits[at];
            match visit.partner {
                Some(delivery) => format!("pickup {} and delivery {delivery} are made (load {})", at + 1, visit.demand),
                None => format!("customer {} is served (demand {})", at + 1, visit.demand),
            }
        }
        Constraint::Closes(at) => {
            let visit = &instance.visits[at];
            format!("visit {} closes at {} (opens at {})", at + 1, visit.due, visit.ready)
        }
        Constraint::Back(at) => format!("routes are back at depot {} by {}", at + 1, instance.depots[at].due),
    }
}

/// The instance in which some constraints hold alone, and the rounding of its distances.
///
/// A visit that is left out may still be passed: where the direct way is not the shortest, as under rounding, distances
/// between the others are those of the shortest ways over all that are left out. So leaving out a visit never makes the
/// others harder to reach.
fn relaxed(problem: &Rich, kept: &[usize]) -> (Instance, Rounding) {
    let (instance, all) = (&*problem.instance, constraints(problem));
    let kept: Vec<Constraint> = kept.iter().map(|&at| all[at]).collect();
    let holds = |constraint: Constraint| kept.contains(&constraint);
    let mut loose = instance.clone();
    for (at, kind) in loose.kinds.iter_mut().enumerate() {
        if !holds(Constraint::Fleet(at)) {
            kind.count = None;
        }
        if !holds(Constraint::Limits(at)) {
            (kind.longest, kind.farthest) = (f64::INFINITY, f64::INFINITY);
        }
    }
    for (at, depot) in loose.depots.iter_mut().enumerate() {
        if !holds(Constraint::Back(at)) {
            depot.due = f64::INFINITY;
        }
    }
    let is_served = |at: usize| {
        let visit = &instance.visits[at];
        let first = if visit.delivers { visit.partner.map_or(at, |pickup| pickup as usize - 1) } else { at };
        visit.prize.is_none() && holds(Constraint::Served(first))
    };
    let is_metric = problem.tables.network.is_metric();
    // Customers that need not be served do not stand in the way of others. Where a way over one of them is shorter than
    // the direct one, it is theirs with the service there, unless others are left out as well.
    let is_whole =
        !is_metric && (0..instance.visits.len()).all(|at| is_served(at) || instance.visits[at].prize.is_some());
    let is_kept = |at: usize| is_whole || is_served(at);
    let numbers: Vec<Option<u32>> = (0..instance.visits.len())
        .scan(0, |count, at| {
            *count += u32::from(is_kept(at));
            Some(is_kept(at).then_some(*count))
        })
        .collect();
    let (stay, left): (Vec<usize>, Vec<usize>) = (0..instance.visits.len()).partition(|&at| is_kept(at));
    loose.visits = stay.iter().map(|&at| instance.visits[at]).collect();
    for (visit, &at) in loose.visits.iter_mut().zip(&stay) {
        visit.partner = visit.partner.and_then(|partner| numbers[partner as usize - 1]);
        if !holds(Constraint::Closes(at)) {
            visit.due = f64::INFINITY;
        }
    }
    if left.is_empty() || is_metric {
        return (loose, problem.rounding);
    }
    loose.edges = Edges::Explicit(ways_over(problem, &stay, &left));
    (loose, Rounding::Exact)
}

/// The shortest ways between the depots and the visits that stay, over any of those that are left out, in the units of
/// the file.
fn ways_over(problem: &Rich, stay: &[usize], left: &[usize]) -> Vec<f64> {
    let network = &*problem.tables.network;
    let (n, depots) = (network.size(), problem.tables.depots);
    let mut table: Vec<f64> = (0..n).flat_map(|i| network.from_site(i)).copied().collect();
    for k in left.iter().map(|at| depots + at) {
        let over: Vec<f64> = table[k * n..(k + 1) * n].to_vec();
        for row in table.chunks_exact_mut(n) {
            let way = row[k];
            row.iter_mut().zip(&over).for_each(|(direct, onward)| *direct = direct.min(way + onward));
        }
    }
    let places = || (0..depots).chain(stay.iter().map(|at| depots + at));
    // Whole units: the quotient is the double next to the decimal.
    places().flat_map(|i| places().map(move |j| (i, j))).map(|(i, j)| table[i * n + j] / network.scale()).collect()
}

impl Explain<Rich> for Rich {
    fn parts(&self, state: &Tour) -> Vec<ScorePart> {
        let scale = self.tables.network.scale();
        let unserved = f64::from(state.left) + f64::from(state.aboard);
        let mut parts: Vec<ScorePart> = Vec::new();
        if unserved > 0.0 {
            parts.push(("visits not made".into(), unserved));
        }
        parts.push(("vehicles".into(), f64::from(state.routes)));
        parts.push(("distance".into(), state.distance / scale));
        let driven = state.cost - state.fixed;
        if driven != state.distance {
            parts.push(("cost of the distance".into(), driven / scale));
        }
        if self.cheapest_kind > 0.0 || state.fixed > 0.0 {
            parts.push(("fixed costs".into(), state.fixed / scale));
        }
        if self.instance.has_prizes() {
            parts.push(("prizes not collected".into(), self.lost(state) / scale));
        }
        parts
    }

    fn constraints(&self) -> Vec<String> {
        constraints(self).into_iter().map(|one| name(&self.instance, one)).collect()
    }

    fn relaxed(&self, kept: &[usize]) -> Option<Self> {
        let (loose, rounding) = relaxed(self, kept);
        Some(Self::new(Arc::new(loose), rounding, self.objective()))
    }
}
