//! Linear arrangement: an order of 60 vertices with a small sum of distances along the edges.

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, accepts};
use soloist::problem::{Dominance, Found, Key, Ordering};
use soloist::{Problem, Rng, Score, Sense};

const COUNT: usize = 60;

/// The neighbours of each vertex, as bits.
pub(crate) struct Graph(Vec<u64>);

/// The vertices placed, the edges from them to the others, and their lengths so far.
#[derive(Clone)]
pub(crate) struct Placed {
    placed: u64,
    cut: u32,
    sum: u32,
}

impl Instance for Graph {
    /// Points in a square, an edge between near ones.
    fn instance() -> Self {
        let mut rng = Rng::new(60);
        let points: Vec<(f64, f64)> = (0..COUNT).map(|_| (rng.unit(), rng.unit())).collect();
        let near = |a: usize, b: usize| a != b && (points[a].0 - points[b].0).hypot(points[a].1 - points[b].1) < 0.2;
        Self((0..COUNT).map(|a| (0..COUNT).map(|b| u64::from(near(a, b)) << b).sum()).collect())
    }
}

impl Graph {
    /// The lengths of a vertex' edges.
    fn reach(&self, places: &[usize; COUNT], vertex: usize) -> usize {
        let ends = (0..COUNT).filter(|other| self.0[vertex] >> other & 1 == 1);
        ends.map(|other| places[vertex].abs_diff(places[other])).sum()
    }
}

impl Problem for Graph {
    type State = Placed;
    /// The next vertex.
    type Move = u8;

    fn root(&self) -> Placed {
        Placed { placed: 0, cut: 0, sum: 0 }
    }
    fn moves(&self, state: &Placed, moves: &mut Vec<u8>) {
        moves.extend((0..COUNT as u8).filter(|vertex| state.placed >> vertex & 1 == 0));
    }
    /// Each edge from the left to the right of a gap has one more unit of length.
    fn apply(&self, state: &mut Placed, vertex: u8) {
        let edges = self.0[usize::from(vertex)];
        state.placed |= 1 << vertex;
        state.cut = state.cut + edges.count_ones() - 2 * (edges & state.placed).count_ones();
        state.sum += state.cut;
    }
    fn score(&self, state: &Placed) -> Score {
        Score::Feasible(state.sum.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn code(&self, state: &Placed, vertex: u8) -> u64 {
        u64::from(state.placed.count_ones()) * COUNT as u64 + u64::from(vertex)
    }
    fn bound(&self, state: &Placed) -> Option<f64> {
        Some(state.sum.into())
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
}

impl Dominance<Graph> for Graph {
    fn future(&self, state: &Placed) -> (Key, f64) {
        (Key::of(&state.placed), state.sum.into())
    }
}

impl Ordering<Graph> for Graph {
    fn identity(&self, _: &Placed, vertex: u8) -> u64 {
        vertex.into()
    }
    fn find(&self, state: &Placed, vertex: u64) -> Found<u8> {
        let is_left = vertex < COUNT as u64 && state.placed >> vertex & 1 == 0;
        if is_left { Found::Move(vertex as u8) } else { Found::Gone }
    }
}

impl ByHand for Graph {
    /// Annealing by exchanges of two vertices.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u8> {
        let mut places: [usize; COUNT] = std::array::from_fn(|vertex| vertex);
        clock.cool((50.0, 0.5), |temperature| {
            let (a, b) = (rng.index(COUNT), rng.index(COUNT));
            let before = self.reach(&places, a) + self.reach(&places, b);
            places.swap(a, b);
            let change = (self.reach(&places, a) + self.reach(&places, b)) as f64 - before as f64;
            if !accepts(change, temperature, rng) {
                places.swap(a, b);
            }
        });
        let mut order: Vec<u8> = (0..COUNT as u8).collect();
        order.sort_by_key(|&vertex| places[usize::from(vertex)]);
        order
    }
}
