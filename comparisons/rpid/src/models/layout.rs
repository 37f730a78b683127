//! Facilities in a row from the left. The cost is without the halves of lengths, which `value` adds.

use crate::read::{Words, fits};
use crate::set::Set;
use crate::solve::Model;
use rpid::prelude::*;

#[derive(Debug, Clone)]
pub(crate) struct Layout<const W: usize> {
    length: Vec<i64>,
    flow: Vec<Vec<i64>>,
    /// The flow of a facility to all others.
    total: Vec<i64>,
    /// Twice what every order has.
    twice_fixed: i64,
}

#[derive(Debug, Clone)]
pub(crate) struct State<const W: usize> {
    left: Set<W>,
    /// The flow between what is placed and what is left.
    cut: i64,
}

pub(crate) fn read<const W: usize>(text: &str) -> Result<Layout<W>, String> {
    let mut words = Words::new(text);
    let count = words.count::<W>(0)?;
    let length = words.row(count)?;
    let mut flow = words.table(count, count)?;
    words.end()?;
    let total: Vec<i64> = flow.iter().map(|row| row.iter().sum()).collect();
    fits(&length, total.iter().map(|flow| 2 * flow))?;
    let mut twice_fixed = 0;
    for a in 0..count {
        for b in 0..a {
            if flow[a][b] != flow[b][a] {
                return Err(format!("the flows between facilities {} and {} differ", b + 1, a + 1));
            }
            twice_fixed += flow[a][b] * (length[a] + length[b]);
        }
        flow[a][a] = 0;
    }
    let total = flow.iter().map(|row| row.iter().sum()).collect();
    Ok(Layout { length, flow, total, twice_fixed })
}

impl<const W: usize> Dp for Layout<W> {
    type State = State<W>;
    type CostType = i64;
    type Label = usize;

    fn get_target(&self) -> State<W> {
        State { left: Set::of(0..self.length.len()), cut: 0 }
    }

    fn get_successors(&self, state: &State<W>) -> impl IntoIterator<Item = (State<W>, i64, usize)> {
        let &State { left, cut } = state;
        left.iter().map(move |one| {
            let onward = left.sum(&self.flow[one]);
            let over = cut - (self.total[one] - onward);
            (State { left: left.without(one), cut: over + onward }, over * self.length[one], one)
        })
    }

    fn get_base_cost(&self, state: &State<W>) -> Option<i64> {
        state.left.is_empty().then_some(0)
    }
}

impl<const W: usize> Dominance for Layout<W> {
    type State = State<W>;
    type Key = Set<W>;

    fn get_key(&self, state: &State<W>) -> Set<W> {
        state.left
    }
}

impl<const W: usize> Bound for Layout<W> {
    type State = State<W>;
    type CostType = i64;

    fn get_dual_bound(&self, _: &State<W>) -> Option<i64> {
        Some(0)
    }
}

impl<const W: usize> Model for Layout<W> {
    fn value(&self, cost: i64) -> String {
        let twice = 2 * cost + self.twice_fixed;
        format!("{}.{}", twice / 2, 5 * (twice % 2))
    }
}
