//! Rooms one after the other; the most guards that are needed at once (graph-clear).

use crate::read::Words;
use crate::set::Set;
use crate::solve::Model;
use rpid::prelude::*;

#[derive(Debug, Clone)]
pub(crate) struct Sweep<const W: usize> {
    doors: Vec<Vec<i64>>,
    /// The guards of a room's doors.
    own: Vec<i64>,
    /// The guards of a room while it is swept, those of its doors too.
    need: Vec<i64>,
    most: i64,
}

#[derive(Debug, Clone)]
pub(crate) struct State<const W: usize> {
    left: Set<W>,
    /// The guards of doors between what is swept and what is left.
    cut: i64,
}

pub(crate) fn read<const W: usize>(text: &str) -> Result<Sweep<W>, String> {
    let mut words = Words::new(text);
    let rooms = words.count::<W>(0)?;
    let lines = words.lines()?;
    let swept = words.row(rooms)?;
    let mut doors = vec![vec![0; rooms]; rooms];
    for _ in 0..lines {
        let (a, b, guards) = (words.index(rooms)?, words.index(rooms)?, words.number(0..=10_000_000)?);
        if a == b {
            return Err(format!("a door from room {} to itself", a + 1));
        }
        doors[a][b] += guards;
        doors[b][a] += guards;
    }
    words.end()?;
    let own: Vec<i64> = doors.iter().map(|row| row.iter().sum()).collect();
    let need: Vec<i64> = own.iter().zip(&swept).map(|(own, swept)| own + swept).collect();
    let most = need.iter().copied().max().unwrap_or(0);
    Ok(Sweep { doors, own, need, most })
}

impl<const W: usize> Dp for Sweep<W> {
    type State = State<W>;
    type CostType = i64;
    type Label = usize;

    fn get_target(&self) -> State<W> {
        State { left: Set::of(0..self.own.len()), cut: 0 }
    }

    fn get_successors(&self, state: &State<W>) -> impl IntoIterator<Item = (State<W>, i64, usize)> {
        let &State { left, cut } = state;
        left.iter().map(move |room| {
            let onward = left.sum(&self.doors[room]);
            let over = cut - (self.own[room] - onward);
            (State { left: left.without(room), cut: over + onward }, over + self.need[room], room)
        })
    }

    fn get_base_cost(&self, state: &State<W>) -> Option<i64> {
        state.left.is_empty().then_some(0)
    }

    fn combine_cost_weights(&self, a: i64, b: i64) -> i64 {
        a.max(b)
    }
}

impl<const W: usize> Dominance for Sweep<W> {
    type State = State<W>;
    type Key = Set<W>;

    fn get_key(&self, state: &State<W>) -> Set<W> {
        state.left
    }
}

impl<const W: usize> Bound for Sweep<W> {
    type State = State<W>;
    type CostType = i64;

    fn get_dual_bound(&self, _: &State<W>) -> Option<i64> {
        Some(self.most)
    }
}

impl<const W: usize> Model for Sweep<W> {}
