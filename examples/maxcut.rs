//! Maximum cut: two sides for the vertices of a graph, so that the edges between the sides weigh as much as possible
//! (the format of the Gset: vertices and edges in the first line, then `a b weight` a line).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Exchange, Exchanges, Facts, Neighborhood};
use soloist::{Problem, Score};

/// The edges of each vertex: the other end and the weight.
struct Graph {
    edges: Vec<Vec<(usize, i64)>>,
    /// The positive weights of edges whose later end is this vertex or one behind it: the bound.
    rest: Vec<i64>,
}

/// The sides of the first vertices, and the weight of the cut between them.
#[derive(Clone)]
struct Sides {
    side: Vec<bool>,
    cut: i64,
}

impl Graph {
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split_whitespace().map(|word| word.parse::<i64>().ok());
        let mut next = || numbers.next().flatten();
        let count = usize::try_from(next()?).ok().filter(|count| (1..=100_000).contains(count))?;
        let lines = usize::try_from(next()?).ok()?;
        let mut edges = vec![Vec::new(); count];
        let mut rest = vec![0; count + 1];
        for _ in 0..lines {
            let (a, b, weight) = (next()?, next()?, next()?);
            let [a, b] = [a, b].map(|end| usize::try_from(end - 1).ok().filter(|&end| end < count));
            let (a, b) = (a?, b?);
            if a == b || weight.abs() > 1_000_000_000 {
                return None;
            }
            edges[a].push((b, weight));
            edges[b].push((a, weight));
            rest[a.max(b)] += weight.max(0);
        }
        for vertex in (0..count).rev() {
            rest[vertex] += rest[vertex + 1];
        }
        Some(Self { edges, rest })
    }
}

impl Problem for Graph {
    type State = Sides;
    /// The side of the next vertex.
    type Move = bool;

    fn root(&self) -> Sides {
        // Both sides are alike: the first vertex is on a given one.
        Sides { side: vec![false], cut: 0 }
    }
    fn moves(&self, state: &Sides, moves: &mut Vec<bool>) {
        if state.side.len() < self.edges.len() {
            moves.extend([false, true]);
        }
    }
    fn apply(&self, state: &mut Sides, side: bool) {
        let vertex = state.side.len();
        let before = self.edges[vertex].iter().filter(|(end, _)| *end < vertex);
        state.cut += before.filter(|(end, _)| state.side[*end] != side).map(|(_, weight)| weight).sum::<i64>();
        state.side.push(side);
    }
    fn score(&self, state: &Sides) -> Score {
        Score::Feasible(state.cut as f64)
    }
    fn bound(&self, state: &Sides) -> Option<f64> {
        Some((state.cut + self.rest[state.side.len()]) as f64)
    }
    fn code(&self, state: &Sides, side: bool) -> u64 {
        2 * state.side.len() as u64 + u64::from(side)
    }
    fn facts(&self) -> Facts {
        Facts { code_count: Some(2 * self.edges.len() as u32), ..Facts::default() }
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Exchanges::new()))
    }
}

impl Exchange for Graph {
    fn difference(&self, state: &Sides, place: usize, _: Option<bool>, new: Option<bool>) -> Option<f64> {
        let side = new?;
        // The first vertex is no decision.
        let gains =
            self.edges[place + 1].iter().map(|&(end, weight)| if state.side[end] == side { -weight } else { weight });
        Some(gains.sum::<i64>() as f64)
    }
    fn apply_exchange(&self, state: &mut Sides, place: usize, old: Option<bool>, new: Option<bool>) -> bool {
        let (Some(change), Some(side)) = (self.difference(state, place, old, new), new) else { return false };
        state.cut += change as i64;
        state.side[place + 1] = side;
        true
    }
}

/// A ring of five with chords: no cut holds all edges of an odd ring.
const RING: &str = "6 9  1 2 1  2 3 1  3 4 1  4 5 1  5 1 1  1 6 2  2 6 -1  3 6 2  4 6 1";

fn main() {
    let run = common::arguments("auto");
    run.solve(&run.load(RING, Graph::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proves_the_best_cut_of_all() {
        let graph = Graph::parse(RING).unwrap();
        let cut = |sides: u32| {
            let side = |vertex: usize| sides >> vertex & 1;
            let ends = |a: usize| graph.edges[a].iter().filter(move |(b, _)| a < *b && side(a) != side(*b));
            (0..6).flat_map(ends).map(|(_, weight)| weight).sum::<i64>()
        };
        let best = (0..1 << 6).map(cut).max().unwrap();
        common::prove(&graph, best as f64, &["dfs", "cabs"]);
        assert!(Graph::parse("3 1  1 1 4").is_none() && Graph::parse("2 1  1 3 1").is_none());
    }
}
