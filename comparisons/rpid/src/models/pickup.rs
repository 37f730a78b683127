//! A tour over places where loads are picked up and delivered, with a capacity.

use crate::read::Words;
use crate::set::Set;
use crate::solve::Model;
use rpid::prelude::*;

#[derive(Debug, Clone)]
pub(crate) struct Pickup<const W: usize> {
    capacity: i64,
    way: Vec<Vec<i64>>,
    /// The places that come before, also by way of others.
    before: Vec<Set<W>>,
    change: Vec<i64>,
    /// The shortest way to a place, and from it.
    to: Vec<i64>,
    out: Vec<i64>,
}

/// The sums over what is left follow from `left`. They are carried along, so that no bound computes them again.
#[derive(Debug, Clone)]
pub(crate) struct State<const W: usize> {
    left: Set<W>,
    at: usize,
    load: i64,
    to: i64,
    out: i64,
}

pub(crate) fn read<const W: usize>(text: &str) -> Result<Pickup<W>, String> {
    let mut words = Words::new(text);
    let count = words.count::<W>(2)?;
    let capacity = words.number(0..=10_000_000)?;
    let loads = words.lines()?;
    let way = words.table(count, count)?;
    let mut before = vec![Set::<W>::EMPTY; count];
    let mut change = vec![0; count];
    for _ in 0..loads {
        let (a, b, size) = (words.index(count)?, words.index(count)?, words.number(0..=10_000_000)?);
        before[b] = before[b].with(a);
        change[a] += size;
        change[b] -= size;
    }
    words.end()?;
    for middle in 0..count {
        for one in 0..count {
            if before[one].contains(middle) {
                before[one] = before[one] | before[middle];
            }
        }
    }
    let free = |a: usize, b: usize| a != b && (b == 0 || !before[a].contains(b));
    let least = |ways: &mut dyn Iterator<Item = i64>| ways.min().unwrap_or(0);
    let to = |b| least(&mut (0..count).filter(|a| free(*a, b)).map(|a| way[a][b]));
    let out = |a| least(&mut (0..count).filter(|b| free(a, *b)).map(|b| way[a][b]));
    let (to, out) = ((0..count).map(to).collect(), (0..count).map(out).collect());
    Ok(Pickup { capacity, way, before, change, to, out })
}

impl<const W: usize> Dp for Pickup<W> {
    type State = State<W>;
    type CostType = i64;
    type Label = usize;

    fn get_target(&self) -> State<W> {
        let left = Set::of(1..self.way.len());
        State { left, at: 0, load: 0, to: left.sum(&self.to), out: left.sum(&self.out) }
    }

    fn get_successors(&self, state: &State<W>) -> impl IntoIterator<Item = (State<W>, i64, usize)> {
        let can =
            |one: &usize| state.load + self.change[*one] <= self.capacity && !self.before[*one].meets(&state.left);
        state.left.iter().filter(can).map(|one| {
            let after = State {
                left: state.left.without(one),
                at: one,
                load: state.load + self.change[one],
                to: state.to - self.to[one],
                out: state.out - self.out[one],
            };
            (after, self.way[state.at][one], one)
        })
    }

    fn get_base_cost(&self, state: &State<W>) -> Option<i64> {
        state.left.is_empty().then(|| self.way[state.at][0])
    }
}

impl<const W: usize> Dominance for Pickup<W> {
    type State = State<W>;
    type Key = (Set<W>, usize);

    fn get_key(&self, state: &State<W>) -> (Set<W>, usize) {
        (state.left, state.at)
    }
}

impl<const W: usize> Bound for Pickup<W> {
    type State = State<W>;
    type CostType = i64;

    fn get_dual_bound(&self, state: &State<W>) -> Option<i64> {
        Some((state.to + self.to[0]).max(state.out + self.out[state.at]))
    }
}

impl<const W: usize> Model for Pickup<W> {}
