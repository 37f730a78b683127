//! Jobs on one machine, with weights for their lateness.

use crate::read::{Words, fits};
use crate::set::Set;
use crate::solve::Model;
use rpid::prelude::*;

#[derive(Debug, Clone)]
pub(crate) struct Tardiness<const W: usize> {
    time: Vec<i64>,
    weight: Vec<i64>,
    due: Vec<i64>,
}

#[derive(Debug, Clone)]
pub(crate) struct State<const W: usize> {
    left: Set<W>,
    now: i64,
}

pub(crate) fn read<const W: usize>(text: &str) -> Result<Tardiness<W>, String> {
    let mut words = Words::new(text);
    let count = words.count::<W>(0)?;
    let (time, weight) = (words.row(count)?, words.row(count)?);
    let due = (0..count).map(|_| words.any()).collect::<Result<Vec<_>, _>>()?;
    words.end()?;
    fits(&weight, time.iter().copied().chain(due.iter().map(|due| due.abs())))?;
    Ok(Tardiness { time, weight, due })
}

impl<const W: usize> Tardiness<W> {
    fn late(&self, now: i64, job: usize) -> i64 {
        self.weight[job] * (now + self.time[job] - self.due[job]).max(0)
    }
}

impl<const W: usize> Dp for Tardiness<W> {
    type State = State<W>;
    type CostType = i64;
    type Label = usize;

    fn get_target(&self) -> State<W> {
        State { left: Set::of(0..self.time.len()), now: 0 }
    }

    fn get_successors(&self, state: &State<W>) -> impl IntoIterator<Item = (State<W>, i64, usize)> {
        let &State { left, now } = state;
        left.iter()
            .map(move |job| (State { left: left.without(job), now: now + self.time[job] }, self.late(now, job), job))
    }

    fn get_base_cost(&self, state: &State<W>) -> Option<i64> {
        state.left.is_empty().then_some(0)
    }
}

impl<const W: usize> Dominance for Tardiness<W> {
    type State = State<W>;
    type Key = Set<W>;

    fn get_key(&self, state: &State<W>) -> Set<W> {
        state.left
    }
}

impl<const W: usize> Bound for Tardiness<W> {
    type State = State<W>;
    type CostType = i64;

    fn get_dual_bound(&self, state: &State<W>) -> Option<i64> {
        Some(state.left.iter().map(|job| self.late(state.now, job)).sum())
    }
}

impl<const W: usize> Model for Tardiness<W> {}
