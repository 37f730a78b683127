//! The vertices of a clique in their order.

use crate::read::Words;
use crate::set::Set;
use crate::solve::Model;
use rpid::prelude::*;
use std::cmp::Reverse;

#[derive(Debug, Clone)]
pub(crate) struct Clique<const W: usize> {
    /// The neighbours with larger numbers.
    later: Vec<Set<W>>,
    /// Classes of vertices: a clique has at most one of each.
    colors: Vec<Set<W>>,
}

pub(crate) fn read<const W: usize>(text: &str) -> Result<Clique<W>, String> {
    let (mut near, mut head) = (Vec::<Set<W>>::new(), false);
    for (at, line) in text.lines().enumerate() {
        let mut words = Words::new(line);
        let fault = |what| format!("line {}: {what}", at + 1);
        match words.word() {
            Some("p") if !head => {
                words.word();
                near = vec![Set::EMPTY; words.count::<W>(0).map_err(fault)?];
                head = true;
            }
            Some("e") => {
                let mut index = || words.index(near.len()).map_err(fault);
                let (a, b) = (index()?, index()?);
                if a == b {
                    return Err(fault("an edge from a vertex to itself".to_owned()));
                }
                near[a] = near[a].with(b);
                near[b] = near[b].with(a);
            }
            Some("c") | None => {}
            Some(word) => return Err(fault(format!("{word:?} where \"p\", \"e\" or \"c\" is due"))),
        }
    }
    if !head {
        return Err("no line that begins with \"p\"".to_owned());
    }
    let mut largest: Vec<usize> = (0..near.len()).collect();
    largest.sort_by_key(|one| Reverse(near[*one].len()));
    let mut colors = Vec::<Set<W>>::new();
    for one in largest {
        match colors.iter_mut().find(|color| !near[one].meets(color)) {
            Some(color) => *color = color.with(one),
            None => colors.push(Set::of([one])),
        }
    }
    let later = near.iter().enumerate().map(|(one, near)| Set::of(near.iter().filter(|b| *b > one))).collect();
    Ok(Clique { later, colors })
}

impl<const W: usize> Dp for Clique<W> {
    type State = Set<W>;
    type CostType = i64;
    type Label = usize;

    fn get_target(&self) -> Set<W> {
        Set::of(0..self.later.len())
    }

    fn get_successors(&self, left: &Set<W>) -> impl IntoIterator<Item = (Set<W>, i64, usize)> {
        left.iter().map(|one| (*left & self.later[one], 1, one))
    }

    fn get_base_cost(&self, left: &Set<W>) -> Option<i64> {
        left.is_empty().then_some(0)
    }

    fn get_optimization_mode(&self) -> OptimizationMode {
        OptimizationMode::Maximization
    }
}

impl<const W: usize> Dominance for Clique<W> {
    type State = Set<W>;
    type Key = Set<W>;

    fn get_key(&self, left: &Set<W>) -> Set<W> {
        *left
    }
}

impl<const W: usize> Bound for Clique<W> {
    type State = Set<W>;
    type CostType = i64;

    fn get_dual_bound(&self, left: &Set<W>) -> Option<i64> {
        Some(self.colors.iter().filter(|color| left.meets(color)).count() as i64)
    }
}

impl<const W: usize> Model for Clique<W> {}
