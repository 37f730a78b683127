//! Bandwidth: numbers for the 200 vertices of a graph, such that the largest difference along an edge is small.

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, accepts};
use soloist::problem::{Acceptance, Edits, Neighborhood};
use soloist::{Problem, Rng, Score, Sense};

const COUNT: usize = 200;

pub(crate) struct Graph {
    neighbors: Vec<Vec<usize>>,
}

impl Graph {
    /// A smooth cost of one vertex instead of the largest difference.
    fn cost(&self, places: &[usize], vertex: usize) -> f64 {
        let far = |&other: &usize| (places[vertex].abs_diff(places[other]) as f64 / 20.0).powi(8);
        self.neighbors[vertex].iter().map(far).sum()
    }
    fn pair(&self, places: &[usize], a: usize, b: usize) -> f64 {
        self.cost(places, a) + self.cost(places, b)
    }
}

impl Instance for Graph {
    /// A band of width 10, its vertices in a random order.
    fn instance() -> Self {
        let mut rng = Rng::new(200);
        let mut names: Vec<usize> = (0..COUNT).collect();
        rng.shuffle(&mut names);
        let mut neighbors = vec![Vec::new(); COUNT];
        for a in 0..COUNT {
            for b in a + 1..COUNT.min(a + 11) {
                if rng.chance(0.4) {
                    neighbors[names[a]].push(names[b]);
                    neighbors[names[b]].push(names[a]);
                }
            }
        }
        Self { neighbors }
    }
}

#[derive(Clone)]
pub(crate) struct Numbered {
    places: Vec<usize>,
    count: usize,
}

impl Problem for Graph {
    type State = Numbered;
    /// The vertex of the next number.
    type Move = usize;

    fn root(&self) -> Numbered {
        Numbered { places: vec![COUNT; COUNT], count: 0 }
    }
    fn moves(&self, state: &Numbered, moves: &mut Vec<usize>) {
        moves.extend((0..COUNT).filter(|&vertex| state.places[vertex] == COUNT));
    }
    fn apply(&self, state: &mut Numbered, vertex: usize) {
        state.places[vertex] = state.count;
        state.count += 1;
    }
    fn score(&self, state: &Numbered) -> Score {
        let far =
            |vertex: usize| self.neighbors[vertex].iter().map(move |&b| state.places[vertex].abs_diff(state.places[b]));
        Score::Feasible((0..COUNT).flat_map(far).max().unwrap_or(0) as f64)
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn code(&self, state: &Numbered, vertex: usize) -> u64 {
        (state.count * COUNT + vertex) as u64
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Swaps::default()))
    }
}

/// Two vertices exchange their numbers.
#[derive(Default)]
struct Swaps {
    places: Vec<usize>,
    pair: (usize, usize),
}

impl Edits<Graph> for Swaps {
    fn propose(&mut self, graph: &Graph, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        let (a, b) = (acceptance.rng.index(COUNT), acceptance.rng.index(COUNT));
        let before = graph.pair(&self.places, a, b);
        self.places.swap(a, b);
        self.pair = (a, b);
        // An edge between the two counts twice before and after, by the same difference.
        Some(graph.pair(&self.places, a, b) - before)
    }
    fn accept(&mut self, _: &Graph) {}
    fn reject(&mut self, _: &Graph) {
        self.places.swap(self.pair.0, self.pair.1);
    }
}

impl Neighborhood<Graph> for Swaps {
    fn start(&mut self, _: &Graph, moves: &[usize]) -> bool {
        self.places = inverse(moves);
        true
    }
    fn cost(&self, graph: &Graph) -> f64 {
        (0..COUNT).map(|vertex| graph.cost(&self.places, vertex)).sum::<f64>() / 2.0
    }
    fn moves(&self, _: &Graph, moves: &mut Vec<usize>) {
        moves.extend(inverse(&self.places));
    }
}

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &vertex)| places[vertex] = place);
    places
}

impl ByHand for Graph {
    /// Annealing of the smooth cost by swaps, down to very small changes.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<usize> {
        let mut places: Vec<usize> = (0..COUNT).collect();
        clock.cool((10.0, 1e-3), |temperature| {
            let (a, b) = (rng.index(COUNT), rng.index(COUNT));
            let before = self.pair(&places, a, b);
            places.swap(a, b);
            if !accepts(self.pair(&places, a, b) - before, temperature, rng) {
                places.swap(a, b);
            }
        });
        inverse(&places)
    }
}
