//! Items one after the other, those of large value for the resources used first.

use crate::read::Words;
use crate::solve::Model;
use rpid::prelude::*;
use smallvec::SmallVec;
use std::cmp::Ordering;

/// What is left of each resource.
type Left = SmallVec<[i64; 12]>;

#[derive(Debug, Clone)]
pub(crate) struct Multiknapsack {
    /// The items in the order of the decisions.
    order: Vec<usize>,
    /// By place in the order, as all that follow.
    value: Vec<i64>,
    uses: Vec<Left>,
    capacity: Left,
    /// The values of the items left.
    rest: Vec<i64>,
    /// The most value for a unit of a resource that an item left has.
    ratio: Vec<SmallVec<[f64; 12]>>,
}

#[derive(Debug, Clone)]
pub(crate) struct State {
    at: usize,
    left: Left,
}

pub(crate) fn read(text: &str) -> Result<Multiknapsack, String> {
    let mut words = Words::new(text);
    let items = words.lines()?;
    let resources = words.lines()?;
    // The best known value, or zero.
    words.any()?;
    let values = words.row(items)?;
    let table = words.table(resources, items)?;
    let capacity = Left::from_vec(words.row(resources)?);
    words.end()?;
    let part = |item: usize| table.iter().zip(&capacity).map(|(row, c)| row[item] as f64 / *c.max(&1) as f64).sum();
    let worth = |item: usize| values[item] as f64 / f64::max(part(item), 1e-9);
    let mut order: Vec<usize> = (0..items).collect();
    order.sort_by(|a, b| worth(*b).total_cmp(&worth(*a)));
    let value: Vec<i64> = order.iter().map(|item| values[*item]).collect();
    let uses: Vec<Left> = order.iter().map(|item| table.iter().map(|row| row[*item]).collect()).collect();
    let mut rest = vec![0; items + 1];
    let mut ratio = vec![SmallVec::from_elem(0.0, resources); items + 1];
    for at in (0..items).rev() {
        rest[at] = rest[at + 1] + value[at];
        for row in 0..resources {
            ratio[at][row] = f64::max(ratio[at + 1][row], value[at] as f64 / f64::max(uses[at][row] as f64, 1e-9));
        }
    }
    Ok(Multiknapsack { order, value, uses, capacity, rest, ratio })
}

impl Dp for Multiknapsack {
    type State = State;
    type CostType = i64;
    type Label = bool;

    fn get_target(&self) -> State {
        State { at: 0, left: self.capacity.clone() }
    }

    fn get_successors(&self, state: &State) -> impl IntoIterator<Item = (State, i64, bool)> {
        let (at, uses) = (state.at, &self.uses[state.at]);
        let room = uses.iter().zip(&state.left).all(|(use_, left)| use_ <= left);
        let take = room.then(|| {
            let left = uses.iter().zip(&state.left).map(|(use_, left)| left - use_).collect();
            (State { at: at + 1, left }, self.value[at], true)
        });
        take.into_iter().chain([(State { at: at + 1, left: state.left.clone() }, 0, false)])
    }

    fn get_base_cost(&self, state: &State) -> Option<i64> {
        (state.at == self.order.len()).then_some(0)
    }

    fn get_optimization_mode(&self) -> OptimizationMode {
        OptimizationMode::Maximization
    }
}

impl Dominance for Multiknapsack {
    type State = State;
    type Key = usize;

    fn get_key(&self, state: &State) -> usize {
        state.at
    }

    fn compare(&self, a: &State, b: &State) -> Option<Ordering> {
        let mut found = Ordering::Equal;
        for (a, b) in a.left.iter().zip(&b.left) {
            match (found, a.cmp(b)) {
                (_, Ordering::Equal) => {}
                (Ordering::Equal, order) => found = order,
                (before, order) if before != order => return None,
                _ => {}
            }
        }
        Some(found)
    }
}

impl Bound for Multiknapsack {
    type State = State;
    type CostType = i64;

    fn get_dual_bound(&self, state: &State) -> Option<i64> {
        let rows = self.ratio[state.at].iter().zip(&state.left);
        let most = rows.map(|(ratio, left)| (*left as f64 * ratio + 1e-6).floor() as i64);
        Some(most.fold(self.rest[state.at], i64::min))
    }
}

impl Model for Multiknapsack {
    fn moves(&self, labels: &[bool]) -> Vec<String> {
        self.order.iter().zip(labels).filter(|(_, take)| **take).map(|(item, _)| item.to_string()).collect()
    }
}
