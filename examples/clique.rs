//! The largest clique: as many vertices of a graph as possible, all of them next to each other (DIMACS `.clq`).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Dominance, Exchange, Exchanges, Found, Key, Neighborhood, Ordering, Prior};
use soloist::{Problem, Score};

/// A set of vertices, 64 in a word.
type Set = Vec<u64>;

struct Graph {
    near: Vec<Set>,
    /// Sets without edges, which hold at most one vertex of a clique each.
    colors: Vec<Set>,
}

/// The vertices chosen, and those next to all of them.
#[derive(Clone)]
struct Chosen {
    clique: Set,
    open: Set,
    size: u32,
}

fn has(set: &Set, vertex: usize) -> bool {
    set[vertex / 64] >> (vertex % 64) & 1 == 1
}

fn bits(set: &Set) -> impl Iterator<Item = usize> {
    let word =
        |(at, &word): (usize, &u64)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * at + bit);
    set.iter().enumerate().filter(|(_, word)| **word != 0).flat_map(word)
}

fn both(a: &Set, b: &Set) -> impl Iterator<Item = u64> {
    a.iter().zip(b).map(|(a, b)| a & b)
}

impl Graph {
    fn parse(text: &str) -> Option<Self> {
        let mut near: Vec<Set> = Vec::new();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |at: usize| words.get(at)?.parse::<usize>().ok();
            match *words.first().unwrap_or(&"c") {
                "p" => {
                    let count = number(2).filter(|count| (1..=4_096).contains(count))?;
                    near = vec![vec![0; count.div_ceil(64)]; count];
                }
                "e" => {
                    let (a, b) = (number(1)?.checked_sub(1)?, number(2)?.checked_sub(1)?);
                    if a == b || a.max(b) >= near.len() {
                        return None;
                    }
                    near[a][b / 64] |= 1 << (b % 64);
                    near[b][a / 64] |= 1 << (a % 64);
                }
                _ => {}
            }
        }
        // Each vertex in the first set without a neighbour of it; those with many neighbours first.
        let mut order: Vec<usize> = (0..near.len()).collect();
        order.sort_by_key(|&vertex| std::cmp::Reverse(near[vertex].iter().map(|word| word.count_ones()).sum::<u32>()));
        let mut colors: Vec<Set> = Vec::new();
        for vertex in order {
            let free = |set: &&mut Set| both(set, &near[vertex]).all(|word| word == 0);
            match colors.iter_mut().find(free) {
                Some(set) => set[vertex / 64] |= 1 << (vertex % 64),
                None => {
                    let mut set = vec![0; near.len().div_ceil(64)];
                    set[vertex / 64] |= 1 << (vertex % 64);
                    colors.push(set);
                }
            }
        }
        (!near.is_empty()).then_some(Self { near, colors })
    }

    /// The vertices next to all of a clique.
    fn open(&self, clique: &Set) -> Set {
        let mut open = vec![u64::MAX; clique.len()];
        if !self.near.len().is_multiple_of(64) {
            open[clique.len() - 1] = u64::MAX >> (64 - self.near.len() % 64);
        }
        bits(clique).for_each(|vertex| open.iter_mut().zip(&self.near[vertex]).for_each(|(open, near)| *open &= near));
        open
    }
}

impl Problem for Graph {
    type State = Chosen;
    /// A vertex of the clique.
    type Move = u16;

    fn root(&self) -> Chosen {
        let clique = vec![0; self.near.len().div_ceil(64)];
        Chosen { open: self.open(&clique), clique, size: 0 }
    }
    fn moves(&self, chosen: &Chosen, moves: &mut Vec<u16>) {
        moves.extend(bits(&chosen.open).map(|vertex| vertex as u16));
    }
    fn apply(&self, chosen: &mut Chosen, vertex: u16) {
        let vertex = usize::from(vertex);
        chosen.clique[vertex / 64] |= 1 << (vertex % 64);
        chosen.open.iter_mut().zip(&self.near[vertex]).for_each(|(open, near)| *open &= near);
        chosen.size += 1;
    }
    fn score(&self, chosen: &Chosen) -> Score {
        Score::Feasible(chosen.size.into())
    }
    /// One vertex of each colour that is left.
    fn bound(&self, chosen: &Chosen) -> Option<f64> {
        let left = self.colors.iter().filter(|color| both(color, &chosen.open).any(|word| word != 0));
        Some(f64::from(chosen.size) + left.count() as f64)
    }
    /// Many vertices are left.
    fn potential(&self, chosen: &Chosen) -> Option<f64> {
        Some(chosen.open.iter().map(|word| word.count_ones()).sum::<u32>().into())
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Exchanges::new()))
    }
}

impl Prior<Graph> for Graph {
    /// The part of the vertices left that stays with this one.
    fn bias(&self, chosen: &Chosen, vertex: u16) -> f64 {
        let left: u32 = chosen.open.iter().map(|word| word.count_ones()).sum();
        let stay: u32 = both(&chosen.open, &self.near[usize::from(vertex)]).map(u64::count_ones).sum();
        5.0 * f64::from(stay) / f64::from(left.max(1))
    }
}

impl Dominance<Graph> for Graph {
    fn future(&self, chosen: &Chosen) -> (Key, f64) {
        (Key::of(&chosen.open), chosen.size.into())
    }
}

impl Ordering<Graph> for Graph {
    fn identity(&self, _: &Chosen, vertex: u16) -> u64 {
        vertex.into()
    }
    fn find(&self, chosen: &Chosen, vertex: u64) -> Found<u16> {
        let is_open = (vertex as usize) < self.near.len() && has(&chosen.open, vertex as usize);
        if is_open { Found::Move(vertex as u16) } else { Found::Gone }
    }
}

impl Exchange for Graph {
    fn difference(&self, end: &Chosen, _: usize, old: Option<u16>, new: Option<u16>) -> Option<f64> {
        let Some(new) = new.map(usize::from) else { return Some(-1.0) };
        let old = old.map(usize::from);
        // All that stay are next to the new one.
        let mut away = end.clique.iter().zip(&self.near[new]).map(|(clique, near)| clique & !near).enumerate();
        let fits =
            away.all(|(at, word)| word & !old.filter(|old| old / 64 == at).map_or(0, |old| 1 << (old % 64)) == 0);
        (fits && !has(&end.clique, new)).then_some(if old.is_some() { 0.0 } else { 1.0 })
    }
    fn apply_exchange(&self, end: &mut Chosen, _: usize, old: Option<u16>, new: Option<u16>) -> bool {
        for vertex in [old, new].into_iter().flatten().map(usize::from) {
            end.clique[vertex / 64] ^= 1 << (vertex % 64);
        }
        end.size = end.clique.iter().map(|word| word.count_ones()).sum();
        end.open = self.open(&end.clique);
        true
    }
}

const NINE: &str =
    "p edge 9 17\ne 1 2\ne 1 3\ne 2 3\ne 2 4\ne 3 4\ne 2 5\ne 3 5\ne 4 5\ne 5 6\ne 6 7\ne 6 8\ne 7 8\ne 7 9
e 8 9\ne 1 9\ne 1 4\ne 5 9";

fn main() {
    let run = common::arguments("auto");
    run.solve(&run.load(NINE, Graph::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proves_the_largest_clique_of_all() {
        let graph = Graph::parse(NINE).unwrap();
        let held = |set: u32| (0..9).filter(move |vertex| set >> vertex & 1 == 1);
        let is_clique = |set: u32| held(set).all(|a| held(set).all(|b| a == b || has(&graph.near[a], b)));
        let best = (0..1 << 9).filter(|&set| is_clique(set)).map(u32::count_ones).max().unwrap();
        common::prove(&graph, best.into(), &["dfs", "cabs", "best-first"]);
        assert!(Graph::parse("p edge 2 1\ne 1 3").is_none() && Graph::parse("").is_none());
    }
}
