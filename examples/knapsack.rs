//! Packs a knapsack: all that a new problem needs.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use soloist::{Budget, Method, Problem, Score, Solver};

/// Items as (value, weight), and the weight that can be carried.
struct Knapsack {
    items: Vec<(u32, u32)>,
    capacity: u32,
}

/// What is packed so far, and the weight that is left.
#[derive(Clone)]
struct Load {
    packed: Vec<bool>,
    room: u32,
}

impl Problem for Knapsack {
    type State = Load;
    /// The number of the item that is packed next.
    type Move = usize;

    fn root(&self) -> Load {
        Load { packed: vec![false; self.items.len()], room: self.capacity }
    }

    fn moves(&self, load: &Load, moves: &mut Vec<usize>) {
        moves.extend((0..self.items.len()).filter(|&item| !load.packed[item] && self.items[item].1 <= load.room));
    }

    fn apply(&self, load: &mut Load, item: usize) {
        load.packed[item] = true;
        load.room -= self.items[item].1;
    }

    fn score(&self, load: &Load) -> Score {
        let packed = self.items.iter().zip(&load.packed).filter(|(_, packed)| **packed);
        Score::Feasible(packed.map(|(&(value, _), _)| f64::from(value)).sum())
    }
}

fn knapsack() -> Knapsack {
    let values = [41, 55, 67, 12, 70, 23, 38, 90, 64, 17, 82, 35, 49, 28, 76, 59];
    let weights = [23, 26, 35, 7, 41, 13, 19, 51, 33, 10, 44, 21, 24, 17, 40, 29];
    Knapsack { items: values.into_iter().zip(weights).collect(), capacity: 200 }
}

fn main() {
    let problem = knapsack();
    let method = Method::preset("nrpa").unwrap();
    let outcome = Solver::new(&problem, method).seed(7).budget(Budget::playouts(20_000)).run().unwrap();
    let best = outcome.best.unwrap();

    // The result, recomputed from the moves alone.
    let total = |pick: fn(&(u32, u32)) -> u32| best.moves.iter().map(|&item| pick(&problem.items[item])).sum::<u32>();
    let (value, weight) = (total(|item| item.0), total(|item| item.1));
    assert!(weight <= problem.capacity && best.score == Score::Feasible(value.into()));
    println!("items {:?}: value {value}, weight {weight} of {}", best.moves, problem.capacity);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_promises_of_a_problem() {
        soloist::check(&knapsack(), 100, 1).unwrap();
    }

    #[test]
    fn finds_the_optimum() {
        let problem = knapsack();
        let optimum = (0_u32..1 << 16)
            .map(|set| (0..16).filter(move |item| set >> item & 1 == 1).map(|item| problem.items[item]))
            .filter(|packed| packed.clone().map(|item| item.1).sum::<u32>() <= problem.capacity)
            .map(|packed| packed.map(|item| item.0).sum::<u32>())
            .max()
            .unwrap();
        for name in ["nrpa", "nmcs", "uct"] {
            let budget = Budget::playouts(100_000).or_target(optimum.into());
            let outcome = Solver::new(&problem, Method::preset(name).unwrap()).seed(7).budget(budget).run().unwrap();
            assert_eq!(outcome.best.unwrap().score, Score::Feasible(optimum.into()), "{name}");
        }
        main();
    }
}
