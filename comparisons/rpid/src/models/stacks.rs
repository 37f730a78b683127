//! Customers one after the other; the most stacks that are open at once.

use crate::read::Words;
use crate::set::Set;
use crate::solve::Model;
use rpid::prelude::*;

#[derive(Debug, Clone)]
pub(crate) struct Stacks<const W: usize> {
    /// The customers with a product in common, the customer too.
    near: Vec<Set<W>>,
    degeneracy: i64,
}

#[derive(Debug, Clone)]
pub(crate) struct State<const W: usize> {
    left: Set<W>,
    opened: Set<W>,
}

pub(crate) fn read<const W: usize>(text: &str) -> Result<Stacks<W>, String> {
    let mut words = Words::new(text);
    let customers = words.count::<W>(0)?;
    let products = words.lines()?;
    let mut buyers = vec![Set::<W>::EMPTY; products];
    let mut wants = vec![Vec::new(); customers];
    for (customer, products) in wants.iter_mut().enumerate() {
        for (product, buyers) in buyers.iter_mut().enumerate() {
            if words.number(0..=1)? == 1 {
                products.push(product);
                *buyers = buyers.with(customer);
            }
        }
    }
    words.end()?;
    let around = |(one, products): (usize, &Vec<usize>)| {
        products.iter().fold(Set::of([one]), |near, product| near | buyers[*product])
    };
    let near: Vec<Set<W>> = wants.iter().enumerate().map(around).collect();
    Ok(Stacks { degeneracy: degeneracy(&near), near })
}

/// The most neighbours left that the vertex with the fewest has, while such vertices are removed.
fn degeneracy<const W: usize>(near: &[Set<W>]) -> i64 {
    let (mut left, mut most) = (Set::of(0..near.len()), 0);
    while let Some((degree, one)) = left.iter().map(|one| ((near[one] & left).len(), one)).min() {
        most = most.max(degree as i64);
        left = left.without(one);
    }
    most
}

impl<const W: usize> Dp for Stacks<W> {
    type State = State<W>;
    type CostType = i64;
    type Label = usize;

    fn get_target(&self) -> State<W> {
        State { left: Set::of(0..self.near.len()), opened: Set::EMPTY }
    }

    fn get_successors(&self, state: &State<W>) -> impl IntoIterator<Item = (State<W>, i64, usize)> {
        let &State { left, opened } = state;
        left.iter().map(move |one| {
            let opened = opened | self.near[one];
            (State { left: left.without(one), opened }, (opened & left).len() as i64, one)
        })
    }

    fn get_base_cost(&self, state: &State<W>) -> Option<i64> {
        state.left.is_empty().then_some(0)
    }

    fn combine_cost_weights(&self, a: i64, b: i64) -> i64 {
        a.max(b)
    }
}

impl<const W: usize> Dominance for Stacks<W> {
    type State = State<W>;
    type Key = Set<W>;

    fn get_key(&self, state: &State<W>) -> Set<W> {
        state.left
    }
}

impl<const W: usize> Bound for Stacks<W> {
    type State = State<W>;
    type CostType = i64;

    fn get_dual_bound(&self, _: &State<W>) -> Option<i64> {
        Some(self.degeneracy)
    }
}

impl<const W: usize> Model for Stacks<W> {}
