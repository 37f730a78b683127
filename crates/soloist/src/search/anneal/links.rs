//! Orders whose score is a sum of links: what an edit changes is known without a replay.

use super::edits::{Shape, Turned};
use crate::Rng;
use crate::erased::problem::ErasedProblem;
use crate::erased::replay::Entry;
use std::collections::HashMap;

/// Decisions that count as near behind another one.
const NEAR: usize = 12;
/// The chance that a guided block has one more entry.
const LONGER: f64 = 0.8;

/// The present solution as an order of numbered decisions.
pub(super) struct Links {
    sign: f64,
    names: Vec<u64>,
    numbers: HashMap<u64, u32>,
    /// The number at each place, and the place of each number.
    order: Vec<u32>,
    places: Vec<u32>,
    /// For each number those that cost least directly behind it, the best first; `None`: not listed yet.
    near: Vec<Option<Vec<u32>>>,
}

impl Links {
    /// Returns no order yet; `None`: the problem has no links.
    pub(super) fn new(problem: &dyn ErasedProblem, first: Option<u64>) -> Option<Self> {
        problem.link(None, Some(first?))?;
        Some(Self {
            sign: if problem.sense() == crate::Sense::Maximize { -1.0 } else { 1.0 },
            names: Vec::new(),
            numbers: HashMap::new(),
            order: Vec::new(),
            places: Vec::new(),
            near: Vec::new(),
        })
    }

    /// Enters the entries of the present solution, which are those known up to place `first`. Returns false if a
    /// decision is there twice.
    pub(super) fn take_up(&mut self, entries: &[Entry], first: usize) -> bool {
        let same = self.order.len() == entries.len();
        let first = if same { first } else { 0 };
        for (place, entry) in entries.iter().enumerate().skip(first) {
            let Some(&number) = self.numbers.get(&entry.name).filter(|_| same) else { return self.renumber(entries) };
            (self.order[place], self.places[number as usize]) = (number, place as u32);
        }
        true
    }

    /// Numbers the decisions.
    fn renumber(&mut self, entries: &[Entry]) -> bool {
        self.names = entries.iter().map(|entry| entry.name).collect();
        self.numbers = (0..).zip(&self.names).map(|(number, &name)| (name, number)).collect();
        self.order = (0..entries.len() as u32).collect();
        self.places.clone_from(&self.order);
        self.near = vec![None; entries.len()];
        self.numbers.len() == entries.len()
    }

    fn name(&self, place: Option<usize>) -> Option<u64> {
        self.order.get(place?).map(|&number| self.names[number as usize])
    }

    /// What the entry now at place `b` costs directly behind the one at place `a`; no entry: the begin, or the end.
    fn cost(&self, problem: &dyn ErasedProblem, a: Option<usize>, b: usize) -> f64 {
        self.sign * problem.link(self.name(a), self.name(Some(b))).unwrap_or(f64::INFINITY)
    }

    /// Returns what an edit of the order adds to the cost; `None` if the cost must be found by a replay.
    pub(super) fn price(&self, problem: &dyn ErasedProblem, shape: &Shape) -> Option<f64> {
        let &Shape { turn, first, last } = shape;
        let before = first.checked_sub(1);
        let cost = |a, b| self.cost(problem, a, b);
        let mid = match turn {
            Turned::Rotated(mid) => mid,
            Turned::Swapped if last - first == 2 => first + 1,
            Turned::Swapped => {
                let (a, b) = (first, last - 1);
                let new = cost(before, b) + cost(Some(b), a + 1) + cost(Some(b - 1), a) + cost(Some(a), last);
                let old = cost(before, a) + cost(Some(a), a + 1) + cost(Some(b - 1), b) + cost(Some(b), last);
                return Some(new - old);
            }
            Turned::Reversed => {
                let mut change = cost(before, last - 1) + cost(Some(first), last);
                change -= cost(before, first) + cost(Some(last - 1), last);
                for at in first + 1..last {
                    change += cost(Some(at), at - 1) - cost(Some(at - 1), at);
                }
                return Some(change);
            }
            Turned::Shuffled => return None,
        };
        let new = cost(before, mid) + cost(Some(last - 1), first) + cost(Some(mid - 1), last);
        let old = cost(before, first) + cost(Some(mid - 1), mid) + cost(Some(last - 1), last);
        Some(new - old)
    }

    /// Draws an edit that brings a near decision, and others that follow it, behind a random entry.
    pub(super) fn guide(&mut self, problem: &dyn ErasedProblem, longest: usize, rng: &mut Rng) -> Option<Shape> {
        let count = self.order.len();
        let place = rng.index(count);
        let number = self.order[place] as usize;
        if self.near[number].is_none() {
            self.near[number] = Some(self.list(problem, number));
        }
        let near = self.near[number].as_deref().unwrap_or_default();
        let near = near.get(rng.index(near.len().max(1)))?;
        let at = self.places[*near as usize] as usize;
        let most = if at > place { count - at } else { place - at }.min(longest);
        let mut length = 1;
        while length < most && rng.chance(LONGER) {
            length += 1;
        }
        if at > place + 1 {
            Some(Shape { turn: Turned::Rotated(at), first: place + 1, last: at + length })
        } else if at < place {
            Some(Shape { turn: Turned::Rotated(at + length), first: at, last: place + 1 })
        } else {
            None
        }
    }

    /// Lists what is near behind a decision: the cheapest ones, in an order that does not depend on numbers.
    fn list(&self, problem: &dyn ErasedProblem, number: usize) -> Vec<u32> {
        let from = Some(self.names[number]);
        let cost = |&name: &u64| problem.link(from, Some(name)).map_or(f64::INFINITY, |cost| self.sign * cost);
        let others = (0..).zip(&self.names).filter(|&(other, _): &(usize, _)| other != number);
        let mut all: Vec<(f64, u64, u32)> = others.map(|(other, name)| (cost(name), *name, other as u32)).collect();
        all.retain(|(cost, ..)| cost.is_finite());
        all.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all.truncate(NEAR);
        all.into_iter().map(|(.., other)| other).collect()
    }
}
