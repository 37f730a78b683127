//! Tests of both problems, from outside.

mod kernel;
mod names;
mod published;
mod scales;
mod tsptw;
mod vrptw;
mod vrptw_format;

use crate::network::Network;
use soloist::{Problem, Score};

/// The best feasible score among all solutions of a problem, found by trying everything; checks bounds on the way.
fn exhaust<P: Problem>(problem: &P, state: &P::State, count: &mut u64) -> Option<f64> {
    let mut moves = Vec::new();
    problem.moves(state, &mut moves);
    if moves.is_empty() {
        *count += 1;
        return match problem.score(state) {
            Score::Feasible(value) => Some(value),
            Score::Infeasible(_) => None,
        };
    }
    let mut best: Option<f64> = None;
    for &mv in &moves {
        let mut next = state.clone();
        problem.apply(&mut next, mv);
        let found = exhaust(problem, &next, count);
        best = match (best, found) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    if let (Some(best), Some(bound)) = (best, problem.bound(state)) {
        assert!(bound <= best, "the bound {bound} is above {best}");
    }
    best
}

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
