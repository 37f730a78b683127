//! Graph colouring: as few colours as possible, different ones on the two ends of each edge (DIMACS `.col`).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Acceptance, Edits, Key, Neighborhood, Prior, stable_hash};
use soloist::{Problem, Score, Sense};

/// The neighbours of each vertex; colours are bits, so that at most 64 are used.
struct Graph {
    neighbors: Vec<Vec<usize>>,
    /// The size of a clique, which no colouring can do with fewer colours than.
    clique: u32,
}

/// The colour of each vertex (0: none yet), and the colours around it.
#[derive(Clone)]
struct Colored {
    color: Vec<u8>,
    around: Vec<u64>,
    colors: u32,
    left: u32,
}

impl Graph {
    fn parse(text: &str) -> Option<Self> {
        let mut neighbors: Vec<Vec<usize>> = Vec::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |at: usize| words.get(at)?.parse::<usize>().ok();
            match *words.first().unwrap_or(&"c") {
                "p" => neighbors = vec![Vec::new(); number(2).filter(|count| *count <= 10_000)?],
                "e" => {
                    let (a, b) = (number(1)?.checked_sub(1)?, number(2)?.checked_sub(1)?);
                    if a == b || a.max(b) >= neighbors.len() {
                        return None;
                    }
                    neighbors[a].push(b);
                    neighbors[b].push(a);
                }
                _ => {}
            }
        }
        neighbors.iter_mut().for_each(|around| around.sort_unstable());
        neighbors.iter_mut().for_each(|around| around.dedup());
        // Greedily: the vertex of the largest degree among those next to all before it.
        let largest = |from: usize| {
            let mut open: Vec<usize> = neighbors[from].clone();
            let mut size = 1;
            while let Some(&next) = open.iter().max_by_key(|&&vertex| neighbors[vertex].len()) {
                open.retain(|vertex| neighbors[next].binary_search(vertex).is_ok());
                size += 1;
            }
            size
        };
        let clique = (0..neighbors.len()).map(largest).max().unwrap_or(0);
        (!neighbors.is_empty() && clique <= 64).then_some(Self { neighbors, clique })
    }

    /// The vertex with the most colours around it, of these the one of the largest degree.
    fn next(&self, state: &Colored) -> Option<usize> {
        let open = (0..self.neighbors.len()).filter(|&vertex| state.color[vertex] == 0);
        open.max_by_key(|&vertex| (state.around[vertex].count_ones(), self.neighbors[vertex].len()))
    }
}

impl Problem for Graph {
    type State = Colored;
    /// The colour of the next vertex, from 1.
    type Move = u8;

    fn root(&self) -> Colored {
        let count = self.neighbors.len();
        Colored { color: vec![0; count], around: vec![0; count], colors: 0, left: count as u32 }
    }
    /// D. Brelaz, Communications of the ACM 22, 1979: a colour in use, or one that is new.
    fn moves(&self, state: &Colored, moves: &mut Vec<u8>) {
        let Some(vertex) = self.next(state) else { return };
        let most = (state.colors + 1).min(64) as u8;
        moves.extend((1..=most).filter(|color| state.around[vertex] >> (color - 1) & 1 == 0));
    }
    fn apply(&self, state: &mut Colored, color: u8) {
        let Some(vertex) = self.next(state) else { return };
        state.color[vertex] = color;
        self.neighbors[vertex].iter().for_each(|&other| state.around[other] |= 1 << (color - 1));
        state.colors = state.colors.max(color.into());
        state.left -= 1;
    }
    fn score(&self, state: &Colored) -> Score {
        if state.left > 0 { Score::Infeasible(state.left.into()) } else { Score::Feasible(state.colors.into()) }
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn bound(&self, state: &Colored) -> Option<f64> {
        Some(state.colors.max(self.clique).into())
    }
    fn key(&self, state: &Colored) -> Option<Key> {
        Some(Key::of(&state.color))
    }
    /// Few colours, and vertices that still have a choice among these.
    fn potential(&self, state: &Colored) -> Option<f64> {
        let open = (0..state.color.len()).filter(|&vertex| state.color[vertex] == 0);
        let choice = open.map(|vertex| f64::from(state.colors - state.around[vertex].count_ones()));
        Some(choice.sum::<f64>() - f64::from(state.colors) * 1e6)
    }
    fn code(&self, state: &Colored, color: u8) -> u64 {
        stable_hash(&(self.next(state), color))
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Classes::default()))
    }
}

/// The vertices by colour, edited by Kempe chains: two colours change places on a part of the graph that they connect,
/// which leaves every colouring proper (D. S. Johnson et al., Operations Research 39, 1991).
#[derive(Default)]
struct Classes {
    color: Vec<usize>,
    /// How many vertices have each colour.
    sizes: Vec<i64>,
    /// The chain of the edit, and its colours, that of its first vertex first.
    chain: Vec<usize>,
    is_linked: Vec<bool>,
    pair: [usize; 2],
}

impl Edits<Graph> for Classes {
    fn propose(&mut self, graph: &Graph, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        let Self { color, sizes, chain, is_linked, pair } = self;
        let first = acceptance.rng.index(color.len());
        // By a vertex, so that it does not matter which number a colour has.
        let other = color[acceptance.rng.index(color.len())];
        *pair = [color[first], other];
        if pair[0] == other {
            return None;
        }
        chain.clear();
        chain.push(first);
        is_linked[first] = true;
        let (mut at, mut gained) = (0, 0);
        while let Some(&vertex) = chain.get(at) {
            let opposite = pair[usize::from(color[vertex] == pair[0])];
            gained += if opposite == other { 1 } else { -1 };
            for &next in &graph.neighbors[vertex] {
                if color[next] == opposite && !std::mem::replace(&mut is_linked[next], true) {
                    chain.push(next);
                }
            }
            at += 1;
        }
        chain.iter().for_each(|&vertex| is_linked[vertex] = false);
        // Sums of squares grow as small classes lose vertices to large ones, until a class is empty.
        let [from, to] = pair.map(|color| sizes[color]);
        Some((from * from + to * to - (from - gained).pow(2) - (to + gained).pow(2)) as f64)
    }
    fn accept(&mut self, _: &Graph) {
        for &vertex in &self.chain {
            let old = self.color[vertex];
            self.color[vertex] = self.pair[usize::from(old == self.pair[0])];
            self.sizes[old] -= 1;
            self.sizes[self.color[vertex]] += 1;
        }
        if let Some(empty) = self.sizes.iter().position(|&size| size == 0) {
            self.sizes.swap_remove(empty);
            let last = self.sizes.len();
            self.color.iter_mut().filter(|color| **color == last).for_each(|color| *color = empty);
        }
    }
    fn reject(&mut self, _: &Graph) {}
}

impl Neighborhood<Graph> for Classes {
    fn start(&mut self, graph: &Graph, moves: &[u8]) -> bool {
        let mut state = graph.root();
        moves.iter().for_each(|&color| graph.apply(&mut state, color));
        self.color = state.color.iter().map(|&color| usize::from(color) - 1).collect();
        self.sizes = vec![0; state.colors as usize];
        self.color.iter().for_each(|&color| self.sizes[color] += 1);
        self.is_linked = vec![false; self.color.len()];
        true
    }
    fn cost(&self, _: &Graph) -> f64 {
        -self.sizes.iter().map(|size| size * size).sum::<i64>() as f64
    }
    fn score(&self, _: &Graph) -> Option<Score> {
        Some(Score::Feasible(self.sizes.len() as f64))
    }
    /// Colours are named in the order in which vertices are coloured.
    fn moves(&self, graph: &Graph, moves: &mut Vec<u8>) {
        let (mut state, mut names) = (graph.root(), vec![0; self.sizes.len()]);
        while let Some(vertex) = graph.next(&state) {
            let name = &mut names[self.color[vertex]];
            if *name == 0 {
                *name = state.colors as u8 + 1;
            }
            moves.push(*name);
            graph.apply(&mut state, *name);
        }
    }
}

impl Prior<Graph> for Graph {
    /// A new colour only where it must be.
    fn bias(&self, state: &Colored, color: u8) -> f64 {
        if u32::from(color) > state.colors { -4.0 } else { 0.0 }
    }
}

/// The graph of Groetzsch, `myciel3`: no triangle, and yet four colours.
const MYCIEL3: &str =
    "p edge 11 20\ne 1 2\ne 1 4\ne 1 7\ne 1 9\ne 2 3\ne 2 6\ne 2 8\ne 3 5\ne 3 7\ne 3 10\ne 4 5\ne 4 6
e 4 10\ne 5 8\ne 5 9\ne 6 11\ne 7 11\ne 8 11\ne 9 11\ne 10 11";

fn main() {
    let run = common::arguments("auto");
    run.solve(&run.load(MYCIEL3, Graph::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_and_proves_the_optimum() {
        let problem = Graph::parse(MYCIEL3).unwrap();
        common::prove(&problem, 4.0, &["cabs", "beam", "dfs", "best-first", "ida-star"]);
        assert!(Graph::parse("p edge 2 1\ne 1 3").is_none());
    }
}
