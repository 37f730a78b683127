//! Vertices one after the other, each to one of two sides; the first is on side 0.

use crate::read::Words;
use crate::set::Set;
use crate::solve::Model;
use rpid::prelude::*;

#[derive(Debug, Clone)]
pub(crate) struct Maxcut<const W: usize> {
    weight: Vec<Vec<i64>>,
    /// The weights to all vertices before.
    before: Vec<i64>,
    /// The positive weights to vertices before, of a vertex and all behind it.
    rest: Vec<i64>,
}

#[derive(Debug, Clone)]
pub(crate) struct State<const W: usize> {
    side: Set<W>,
    at: usize,
}

pub(crate) fn read<const W: usize>(text: &str) -> Result<Maxcut<W>, String> {
    let mut words = Words::new(text);
    let count = words.count::<W>(1)?;
    let edges = words.lines()?;
    let mut weight = vec![vec![0; count]; count];
    for _ in 0..edges {
        let (a, b, w) = (words.index(count)?, words.index(count)?, words.any()?);
        weight[a][b] += w;
        weight[b][a] += w;
    }
    words.end()?;
    let before = (0..count).map(|a| weight[a][..a].iter().sum()).collect();
    let mut rest = vec![0; count + 1];
    for a in (0..count).rev() {
        rest[a] = rest[a + 1] + weight[a][..a].iter().map(|w| w.max(&0)).sum::<i64>();
    }
    Ok(Maxcut { weight, before, rest })
}

impl<const W: usize> Dp for Maxcut<W> {
    type State = State<W>;
    type CostType = i64;
    type Label = bool;

    fn get_target(&self) -> State<W> {
        State { side: Set::EMPTY, at: 1 }
    }

    fn get_successors(&self, state: &State<W>) -> impl IntoIterator<Item = (State<W>, i64, bool)> {
        let &State { side, at } = state;
        let gain = side.sum(&self.weight[at]);
        let next = |side| State { side, at: at + 1 };
        [(next(side), gain, false), (next(side.with(at)), self.before[at] - gain, true)]
    }

    fn get_base_cost(&self, state: &State<W>) -> Option<i64> {
        (state.at == self.weight.len()).then_some(0)
    }

    fn get_optimization_mode(&self) -> OptimizationMode {
        OptimizationMode::Maximization
    }
}

impl<const W: usize> Dominance for Maxcut<W> {
    type State = State<W>;
    type Key = (Set<W>, usize);

    fn get_key(&self, state: &State<W>) -> (Set<W>, usize) {
        (state.side, state.at)
    }
}

impl<const W: usize> Bound for Maxcut<W> {
    type State = State<W>;
    type CostType = i64;

    fn get_dual_bound(&self, state: &State<W>) -> Option<i64> {
        Some(self.rest[state.at])
    }
}

impl<const W: usize> Model for Maxcut<W> {}
