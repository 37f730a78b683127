//! Tests of both problems, from outside.

mod explain;
mod kernel;
mod names;
mod published;
mod rich;
mod scales;
mod tsptw;
mod vrptw;
mod vrptw_format;

use crate::network::Network;

/// Calls `visit` with every order of `rest`.
fn permutations(prefix: &mut Vec<usize>, rest: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize])) {
    if rest.is_empty() {
        return visit(prefix);
    }
    for at in 0..rest.len() {
        let chosen = rest.remove(at);
        prefix.push(chosen);
        permutations(prefix, rest, visit);
        prefix.pop();
        rest.insert(at, chosen);
    }
}

/// Distance and time of the return of one route, if it keeps the capacity and every window.
fn drive(network: &Network, route: &[usize]) -> Option<(f64, f64)> {
    let load: u32 = route.iter().map(|&c| network.demand(c)).sum();
    if load > network.capacity() {
        return None;
    }
    let (mut time, mut last, mut sum) = (network.ready(0) + network.service(0), 0, 0.0);
    for &c in route {
        time += network.distance(last, c);
        if time > network.latest(c) {
            return None;
        }
        time = time.max(network.ready(c)) + network.service(c);
        sum += network.distance(last, c);
        last = c;
    }
    let back = time + network.distance(last, 0);
    (back <= network.latest(0)).then_some((sum + network.distance(last, 0), back))
}
