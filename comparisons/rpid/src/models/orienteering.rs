//! Places with windows of time; a tour has time for some of them.

use crate::read::Words;
use crate::set::Set;
use crate::solve::Model;
use rpid::prelude::*;
use std::cmp::Ordering;

#[derive(Debug, Clone)]
pub(crate) struct Orienteering<const W: usize> {
    way: Vec<Vec<i64>>,
    begin: i64,
    gain: Vec<i64>,
    opens: Vec<i64>,
    /// The latest begin that leaves time for the way back.
    latest: Vec<i64>,
    service: Vec<i64>,
    /// The places that cannot come behind a place, itself too.
    gone: Vec<Set<W>>,
    /// The places that a tour can have.
    places: Set<W>,
}

#[derive(Debug, Clone)]
pub(crate) struct State<const W: usize> {
    left: Set<W>,
    at: usize,
    now: i64,
}

pub(crate) fn read<const W: usize>(text: &str) -> Result<Orienteering<W>, String> {
    let mut words = Words::new(text);
    let count = words.count::<W>(1)?;
    let way = words.table(count, count)?;
    let rows = words.table(count, 4)?;
    words.end()?;
    let column = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<_>>();
    let (gain, opens, closes, service) = (column(0), column(1), column(2), column(3));
    let latest: Vec<i64> = (0..count).map(|one| closes[one].min(closes[0] - way[one][0] - service[one])).collect();
    let late = |one: usize, b: usize| b == one || opens[one] + service[one] + way[one][b] > closes[b];
    let gone = (0..count).map(|one| Set::of((1..count).filter(|b| late(one, *b)))).collect();
    let places = Set::of((1..count).filter(|one| opens[*one] <= latest[*one]));
    Ok(Orienteering { way, begin: opens[0], gain, opens, latest, service, gone, places })
}

impl<const W: usize> Orienteering<W> {
    fn reach(&self, state: &State<W>) -> impl Iterator<Item = usize> {
        let &State { left, at, now } = state;
        left.iter().filter(move |one| now + self.way[at][*one] <= self.latest[*one])
    }
}

impl<const W: usize> Dp for Orienteering<W> {
    type State = State<W>;
    type CostType = i64;
    type Label = usize;

    fn get_target(&self) -> State<W> {
        State { left: self.places, at: 0, now: self.begin }
    }

    fn get_successors(&self, state: &State<W>) -> impl IntoIterator<Item = (State<W>, i64, usize)> {
        self.reach(state).map(|one| {
            let now = (state.now + self.way[state.at][one]).max(self.opens[one]) + self.service[one];
            (State { left: state.left - self.gone[one], at: one, now }, self.gain[one], one)
        })
    }

    fn get_base_cost(&self, state: &State<W>) -> Option<i64> {
        self.reach(state).next().is_none().then_some(0)
    }

    fn get_optimization_mode(&self) -> OptimizationMode {
        OptimizationMode::Maximization
    }
}

impl<const W: usize> Dominance for Orienteering<W> {
    type State = State<W>;
    type Key = (Set<W>, usize);

    fn get_key(&self, state: &State<W>) -> (Set<W>, usize) {
        (state.left, state.at)
    }

    fn compare(&self, a: &State<W>, b: &State<W>) -> Option<Ordering> {
        Some(b.now.cmp(&a.now))
    }
}

impl<const W: usize> Bound for Orienteering<W> {
    type State = State<W>;
    type CostType = i64;

    fn get_dual_bound(&self, state: &State<W>) -> Option<i64> {
        Some(self.reach(state).map(|one| self.gain[one]).sum())
    }
}

impl<const W: usize> Model for Orienteering<W> {}
