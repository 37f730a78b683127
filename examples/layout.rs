//! Layout of facilities in a row: the order that makes the flow between them, times the distance of their centres, the
//! least (the number of facilities, their lengths, then the symmetric matrix of flows).

#[path = "common/mod.rs"]
mod common;

use soloist::problem::{Dominance, Found, Key, Ordering};
use soloist::{Problem, Score, Sense};

struct Row {
    length: Vec<f64>,
    flow: Vec<Vec<f64>>,
    /// What does not depend on the order: flows between centres, as far as they pass the two facilities themselves.
    constant: f64,
}

/// The facilities placed from the left, the flow of each one left to those that are placed, and the cost.
#[derive(Clone)]
struct Placed {
    placed: Vec<bool>,
    /// The flow between those that are placed and the others.
    cut: f64,
    /// The flow of each facility to those that are placed.
    pull: Vec<f64>,
    cost: f64,
}

impl Row {
    fn parse(text: &str) -> Option<Self> {
        let numbers: Vec<f64> = text.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
        let (&count, numbers) = numbers.split_first().filter(|(count, _)| (2.0..=1_000.0).contains(*count))?;
        let count = count as usize;
        if numbers.len() != count + count * count || numbers.iter().any(|number| !(0.0..=1e6).contains(number)) {
            return None;
        }
        let (length, flows) = numbers.split_at(count);
        let flow: Vec<Vec<f64>> = flows.chunks(count).map(<[f64]>::to_vec).collect();
        let is_symmetric = (0..count).all(|a| (0..a).all(|b| flow[a][b] == flow[b][a]));
        let pairs = (0..count).flat_map(|a| (0..a).map(move |b| (a, b)));
        let constant = pairs.map(|(a, b)| flow[a][b] * (length[a] + length[b]) / 2.0).sum();
        is_symmetric.then(|| Self { length: length.to_vec(), flow, constant })
    }
}

impl Problem for Row {
    type State = Placed;
    /// The next facility from the left.
    type Move = u16;

    fn root(&self) -> Placed {
        let count = self.length.len();
        Placed { placed: vec![false; count], cut: 0.0, pull: vec![0.0; count], cost: self.constant }
    }
    fn moves(&self, state: &Placed, moves: &mut Vec<u16>) {
        moves.extend((0..self.length.len()).filter(|&next| !state.placed[next]).map(|next| next as u16));
    }
    fn apply(&self, state: &mut Placed, next: u16) {
        let next = usize::from(next);
        // All flows between the placed ones and those behind this one pass it.
        state.cut -= state.pull[next];
        state.cost += state.cut * self.length[next];
        state.placed[next] = true;
        for (other, pull) in state.pull.iter_mut().enumerate().filter(|(other, _)| !state.placed[*other]) {
            *pull += self.flow[next][other];
            state.cut += self.flow[next][other];
        }
    }
    fn score(&self, state: &Placed) -> Score {
        Score::Feasible(state.cost)
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// Costs only grow.
    fn bound(&self, state: &Placed) -> Option<f64> {
        Some(state.cost)
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
}

impl Dominance<Row> for Row {
    /// What follows depends on the set of those that are placed.
    fn future(&self, state: &Placed) -> (Key, f64) {
        (Key::of(&state.placed), state.cost)
    }
}

impl Ordering<Row> for Row {
    fn identity(&self, _: &Placed, next: u16) -> u64 {
        next.into()
    }
    fn find(&self, state: &Placed, next: u64) -> Found<u16> {
        match state.placed.get(next as usize) {
            Some(false) => Found::Move(next as u16),
            _ => Found::Gone,
        }
    }
}

const FIVE: &str = "5  20 10 16 20 10  0 5 2 4 1  5 0 3 0 2  2 3 0 0 2  4 0 0 0 5  1 2 2 5 0";

fn main() {
    let run = common::arguments("auto");
    run.solve(&run.load(FIVE, Row::parse));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The flows times the distances of the centres, as the definition says.
    fn cost(row: &Row, order: &[usize]) -> f64 {
        let before = |place: usize| order[..place].iter().map(|&other| row.length[other]).sum::<f64>();
        let center = |place: usize| before(place) + row.length[order[place]] / 2.0;
        let pairs = (0..order.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.map(|(a, b)| row.flow[order[a]][order[b]] * (center(a) - center(b))).sum()
    }

    fn least(row: &Row, order: &mut Vec<usize>) -> f64 {
        if order.len() == row.length.len() {
            return cost(row, order);
        }
        let left: Vec<usize> = (0..row.length.len()).filter(|next| !order.contains(next)).collect();
        let mut best = f64::INFINITY;
        for next in left {
            order.push(next);
            best = best.min(least(row, order));
            order.pop();
        }
        best
    }

    #[test]
    fn proves_the_best_order_of_all() {
        let row = Row::parse(FIVE).unwrap();
        common::prove(&row, least(&row, &mut Vec::new()), &["dfs", "cabs"]);
        assert!(Row::parse("2  1 2  0 1 2 0").is_none());
    }
}
