//! A lower bound on the number of vehicles.

use crate::network::Network;

/// Returns a lower bound: no solution that serves every customer has fewer routes.
///
/// The larger one of two bounds: the demands over the capacity, and the fewest paths that cover all customers when a
/// path may go from one customer to any other that can be reached in time (the number of customers less a largest
/// matching, found by augmenting paths in rounds; Dilworth 1950, Hopcroft and Karp 1973). Takes about n^2 steps for
/// each round, the first time that a network is asked for.
#[must_use]
pub fn fewest_vehicles(network: &Network) -> usize {
    *network.fewest.get_or_init(|| bound(network))
}

fn bound(network: &Network) -> usize {
    let demand: u64 = (1..network.size()).map(|c| u64::from(network.demand(c))).sum();
    let by_load = match network.capacity() {
        0 => 0,
        capacity => demand.div_ceil(u64::from(capacity)) as usize,
    };
    let least = usize::from(network.customers() > 0);
    let customers = network.customers();
    let paired = match network.quickest() {
        Some(quickest) => matching(customers, |a, b| follows(network, &quickest, a + 1, b + 1)),
        None => customers,
    };
    by_load.max(customers - paired).max(least)
}

/// Whether one vehicle may serve `b` behind `a`, perhaps with others between.
fn follows(network: &Network, quickest: &[f64], a: usize, b: usize) -> bool {
    let n = network.size();
    let begin = network.ready(0) + network.service(0) + quickest[a];
    let leave = network.ready(a).max(begin) + network.service(a);
    let demand = u64::from(network.demand(a)) + u64::from(network.demand(b));
    let arrival = leave + quickest[a * n + b];
    arrival <= network.certainly_late(b) && demand <= u64::from(network.capacity())
}

/// The size of a largest matching of customers, numbered from 0, with successors.
pub(crate) fn matching(customers: usize, follows: impl Fn(usize, usize) -> bool) -> usize {
    let n = customers + 1;
    let behind_of = |a: usize| (1..n).filter(move |&b| a > 0 && a != b);
    let next: Vec<Vec<u16>> =
        (0..n).map(|a| behind_of(a).filter(|&b| follows(a - 1, b - 1)).map(|b| b as u16).collect()).collect();
    // By customer: the one before it and the one behind it; 0 if there is no such customer.
    let (mut before, mut behind) = (vec![0_u16; n], vec![0_u16; n]);
    let mut size = 0;
    loop {
        let mut seen = vec![false; n];
        let mut grown = 0;
        for a in 1..n {
            if behind[a] == 0 && augment(a, &next, &mut seen, &mut before, &mut behind) {
                grown += 1;
            }
        }
        if grown == 0 {
            return size;
        }
        size += grown;
    }
}

/// Looks for an augmenting path from `start`, depth first with a stack of its own.
fn augment(start: usize, next: &[Vec<u16>], seen: &mut [bool], before: &mut [u16], behind: &mut [u16]) -> bool {
    let mut path = vec![(start, 0_usize)];
    while let Some((a, at)) = path.last_mut() {
        let Some(&b) = next[*a].get(*at) else {
            path.pop();
            continue;
        };
        *at += 1;
        let b = b as usize;
        if std::mem::replace(&mut seen[b], true) {
            continue;
        }
        if before[b] == 0 {
            for &(a, at) in &path {
                let b = next[a][at - 1];
                behind[a] = b;
                before[b as usize] = a as u16;
            }
            return true;
        }
        path.push((before[b] as usize, 0));
    }
    false
}
