//! Colouring: 125 vertices, each pair an edge with probability 0.5; few colours, different ones along each edge.

use crate::bench::{ByHand, Instance};
use crate::hand::Clock;
use soloist::problem::{Key, Prior};
use soloist::{Problem, Rng, Score, Sense};

const COUNT: usize = 125;

pub(crate) struct Graph {
    neighbors: Vec<Vec<usize>>,
}

/// The colour of each vertex so far, from 0; vertices are coloured in the order of their numbers.
#[derive(Clone)]
pub(crate) struct Colored {
    colors: Vec<u8>,
    /// The colours around each vertex, as bits.
    around: [u64; COUNT],
    used: u8,
}

impl Instance for Graph {
    fn instance() -> Self {
        let mut rng = Rng::new(125);
        let mut neighbors = vec![Vec::new(); COUNT];
        for a in 0..COUNT {
            for b in 0..a {
                if rng.chance(0.5) {
                    neighbors[a].push(b);
                    neighbors[b].push(a);
                }
            }
        }
        Self { neighbors }
    }
    fn data(&self) -> String {
        format!("{:?}", self.neighbors)
    }
}

impl Problem for Graph {
    type State = Colored;
    /// The colour of the next vertex: one in use, or the next new one.
    type Move = u8;

    fn root(&self) -> Colored {
        Colored { colors: Vec::new(), around: [0; COUNT], used: 0 }
    }
    fn moves(&self, state: &Colored, moves: &mut Vec<u8>) {
        let next = state.colors.len();
        if next < COUNT {
            moves.extend((0..=state.used.min(62)).filter(|color| state.around[next] >> color & 1 == 0));
        }
    }
    fn apply(&self, state: &mut Colored, color: u8) {
        let vertex = state.colors.len();
        self.neighbors[vertex].iter().for_each(|&other| state.around[other] |= 1 << color);
        state.colors.push(color);
        state.used = state.used.max(color + 1);
    }
    fn score(&self, state: &Colored) -> Score {
        Score::Feasible(state.used.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn code(&self, state: &Colored, color: u8) -> u64 {
        (state.colors.len() * 64) as u64 + u64::from(color)
    }
    fn bound(&self, state: &Colored) -> Option<f64> {
        Some(state.used.into())
    }
    fn key(&self, state: &Colored) -> Option<Key> {
        Some(Key::of(&(state.used, &state.around[state.colors.len()..])))
    }
    /// Few colours, and vertices that still have a choice among these.
    fn potential(&self, state: &Colored) -> Option<f64> {
        let taken: u32 = state.around[state.colors.len()..].iter().map(|around| around.count_ones()).sum();
        Some(-f64::from(taken) - 1e6 * f64::from(state.used))
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
}

impl Prior<Graph> for Graph {
    /// A new colour only where it must be.
    fn bias(&self, state: &Colored, color: u8) -> f64 {
        if color == state.used { -4.0 } else { 0.0 }
    }
}

impl Graph {
    /// Names the colours in the order in which they come.
    fn line(colors: &[usize]) -> Vec<u8> {
        let mut names = Vec::new();
        let mut name = |color: &usize| {
            let at = names.iter().position(|known| known == color);
            at.unwrap_or_else(|| {
                names.push(*color);
                names.len() - 1
            }) as u8
        };
        colors.iter().map(&mut name).collect()
    }
}

impl ByHand for Graph {
    /// Tabu search for a colouring with one colour fewer than the last one (A. Hertz, D. de Werra, 1987).
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u8> {
        let (mut best, mut count): (Vec<usize>, usize) = ((0..COUNT).collect(), 30);
        loop {
            let mut colors: Vec<usize> = (0..COUNT).map(|_| rng.index(count)).collect();
            let mut around = vec![vec![0_i32; count]; COUNT];
            (0..COUNT).for_each(|a| self.neighbors[a].iter().for_each(|&b| around[b][colors[a]] += 1));
            let mut tabu = vec![vec![0; count]; COUNT];
            for now in 1.. {
                let wrong: Vec<usize> = (0..COUNT).filter(|&vertex| around[vertex][colors[vertex]] > 0).collect();
                if wrong.is_empty() {
                    break;
                }
                if clock.is_over() {
                    return Self::line(&best);
                }
                let moves = wrong.iter().flat_map(|&vertex| (0..count).map(move |color| (vertex, color)));
                let free = moves.filter(|&(vertex, color)| color != colors[vertex] && tabu[vertex][color] < now);
                let gain = |&(vertex, color): &(usize, usize)| around[vertex][color] - around[vertex][colors[vertex]];
                let Some((vertex, color)) = free.min_by_key(|mv| (gain(mv), rng.below(1 << 20))) else { continue };
                let old = std::mem::replace(&mut colors[vertex], color);
                tabu[vertex][old] = now + wrong.len() * 6 / 10 + rng.index(10);
                for &other in &self.neighbors[vertex] {
                    around[other][old] -= 1;
                    around[other][color] += 1;
                }
            }
            (best, count) = (colors, count - 1);
        }
    }
}
