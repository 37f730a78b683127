//! A path through all places with precedences, in the format of TSPLIB.

use crate::read::Words;
use crate::set::Set;
use crate::solve::Model;
use rpid::prelude::*;

#[derive(Debug, Clone)]
pub(crate) struct Sop<const W: usize> {
    way: Vec<Vec<i64>>,
    before: Vec<Set<W>>,
    /// The shortest way to a place, and from it.
    to: Vec<i64>,
    out: Vec<i64>,
}

/// The sums over what is left follow from `left`. They are carried along, so that no bound computes them again.
#[derive(Debug, Clone)]
pub(crate) struct State<const W: usize> {
    left: Set<W>,
    at: usize,
    to: i64,
    out: i64,
}

pub(crate) fn read<const W: usize>(text: &str) -> Result<Sop<W>, String> {
    let section = text.split_once("EDGE_WEIGHT_SECTION").map(|(_, rest)| rest);
    let section = section.ok_or("no EDGE_WEIGHT_SECTION")?;
    let mut words = Words::new(section.split("EOF").next().unwrap_or_default());
    let count = words.count::<W>(2)?;
    let row = |_| (0..count).map(|_| words.number(-1..=10_000_000)).collect::<Result<Vec<_>, _>>();
    let cost = (0..count).map(row).collect::<Result<Vec<_>, _>>()?;
    words.end()?;
    if (0..count - 1).any(|b| cost[count - 1][b] >= 0) {
        return Err("the last place has to come behind all others".to_owned());
    }
    let free = |a: usize, b: usize| a != b && cost[a][b] >= 0;
    let before = (0..count).map(|a| Set::of((1..count).filter(|b| cost[a][*b] < 0))).collect();
    let to = |b: usize| (0..count).filter(|a| b > 0 && free(*a, b)).map(|a| cost[a][b]).min().unwrap_or(0);
    let out = |a: usize| (1..count).filter(|b| free(a, *b)).map(|b| cost[a][b]).min().unwrap_or(0);
    let (to, out) = ((0..count).map(to).collect(), (0..count).map(out).collect());
    let way = cost.iter().map(|row| row.iter().map(|price| *price.max(&0)).collect()).collect();
    Ok(Sop { way, before, to, out })
}

impl<const W: usize> Dp for Sop<W> {
    type State = State<W>;
    type CostType = i64;
    type Label = usize;

    fn get_target(&self) -> State<W> {
        let left = Set::of(1..self.way.len());
        State { left, at: 0, to: left.sum(&self.to), out: left.sum(&self.out) }
    }

    fn get_successors(&self, state: &State<W>) -> impl IntoIterator<Item = (State<W>, i64, usize)> {
        state.left.iter().filter(|job| !self.before[*job].meets(&state.left)).map(|job| {
            let (to, out) = (state.to - self.to[job], state.out - self.out[job]);
            (State { left: state.left.without(job), at: job, to, out }, self.way[state.at][job], job)
        })
    }

    fn get_base_cost(&self, state: &State<W>) -> Option<i64> {
        state.left.is_empty().then_some(0)
    }
}

impl<const W: usize> Dominance for Sop<W> {
    type State = State<W>;
    type Key = (Set<W>, usize);

    fn get_key(&self, state: &State<W>) -> (Set<W>, usize) {
        (state.left, state.at)
    }
}

impl<const W: usize> Bound for Sop<W> {
    type State = State<W>;
    type CostType = i64;

    fn get_dual_bound(&self, state: &State<W>) -> Option<i64> {
        Some(state.to.max(state.out + self.out[state.at]))
    }
}

impl<const W: usize> Model for Sop<W> {}
