//! Orders whose score is a sum of links: what an edit changes is known without a replay.

use super::edits::{Shape, Turned};
use super::learned_link_costs::Table;
use crate::Rng;
use crate::core::order;
use crate::erased::problem::ErasedProblem;
use crate::erased::replay::Entry;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Decisions that count as near behind another one.
const NEAR: usize = 12;
/// The chance that a guided block has one more entry.
const LONGER: f64 = 0.8;

/// Where the costs of links come from.
enum Costs {
    /// The problem; its sign makes smaller values the better ones.
    Named { sign: f64 },
    /// The scores of neighbours. `None`: no solution is known yet.
    Learned(Option<Table>),
}

/// The present solution as an order of numbered decisions.
pub(super) struct Links {
    costs: Costs,
    names: Vec<u64>,
    numbers: HashMap<u64, u32>,
    /// The number at each place, and the place of each number.
    order: Vec<u32>,
    places: Vec<u32>,
    /// For each number those that cost least directly behind it, the best first; `None`: not listed yet.
    near: Vec<Option<Vec<u32>>>,
    /// The links that the neighbour adds and removes, while it is learned from.
    added: Vec<u32>,
    removed: Vec<u32>,
}

/// What a checkpoint holds of links that are learned: the names of the decisions, what the links cost, and what is near
/// each decision.
#[derive(Serialize, Deserialize)]
pub(super) struct Known {
    names: Vec<u64>,
    table: Table,
    near: Vec<Option<Vec<u32>>>,
}

impl Links {
    /// Returns no order yet; `None`: the problem has no links, and none are to be learned. `first`: the identity of
    /// some decision.
    pub(super) fn new(problem: &dyn ErasedProblem, first: Option<u64>, learns: bool) -> Option<Self> {
        let costs = if first.is_some_and(|first| problem.link(None, Some(first)).is_some()) {
            Costs::Named { sign: if problem.sense() == crate::Sense::Maximize { -1.0 } else { 1.0 } }
        } else if learns {
            Costs::Learned(None)
        } else {
            return None;
        };
        Some(Self {
            costs,
            names: Vec::new(),
            numbers: HashMap::new(),
            order: Vec::new(),
            places: Vec::new(),
            near: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
        })
    }

    /// Whether the costs are those of the problem.
    pub(super) fn are_named(&self) -> bool {
        matches!(self.costs, Costs::Named { .. })
    }

    /// Whether edits have a price now.
    pub(super) fn are_known(&self) -> bool {
        match &self.costs {
            Costs::Named { .. } => true,
            Costs::Learned(table) => table.as_ref().is_some_and(Table::is_usable),
        }
    }

    /// By how much a price may be too high.
    pub(super) fn margin(&self) -> f64 {
        if let Costs::Learned(Some(table)) = &self.costs { table.margin() } else { 0.0 }
    }

    /// Whether an edit is to be replayed; `passes`: its price passes the threshold.
    pub(super) fn admits(&mut self, passes: bool) -> bool {
        match &mut self.costs {
            Costs::Learned(Some(table)) if !passes => table.doubts(),
            _ => passes,
        }
    }

    /// Whether the next replay ends where a decision cannot be made in its turn.
    pub(super) fn are_strict(&mut self) -> bool {
        if let Costs::Learned(Some(table)) = &mut self.costs { table.is_strict() } else { false }
    }

    /// Returns what a checkpoint keeps, where costs are learned and a solution is known.
    pub(super) fn save(&self) -> Option<Known> {
        let Costs::Learned(Some(table)) = &self.costs else { return None };
        Some(Known { names: self.names.clone(), table: table.clone(), near: self.near.clone() })
    }

    /// Restores what was learned. Returns whether it fits the present solution, which has no entries where the
    /// problem's own neighbourhood holds it.
    pub(super) fn load(&mut self, known: Known, entries: &[Entry]) -> bool {
        let Known { names, table, near } = known;
        let count = names.len();
        self.numbers = (0..).zip(&names).map(|(number, &name)| (name, number)).collect();
        let listed = near.iter().flatten().flatten().all(|&other| (other as usize) < count);
        let fits = entries.is_empty()
            || entries.len() == count && entries.iter().all(|entry| self.numbers.contains_key(&entry.name));
        let sound = !self.are_named()
            && table.is_sound(count)
            && self.numbers.len() == count
            && near.len() == count
            && listed
            && fits;
        (self.names, self.near, self.costs) = (names, near, Costs::Learned(Some(table)));
        (self.order, self.places) = (vec![0; count], vec![0; count]);
        sound && (entries.is_empty() || self.adopt(entries, 0))
    }

    /// Learns from the difference that a neighbour makes: the entries of the present solution before place `first` and
    /// then those of `rest`. `rounding`: by how much rounding may change the difference. Returns false if nothing can
    /// be learned of this problem.
    pub(super) fn learn(&mut self, first: usize, rest: &[Entry], difference: f64, rounding: f64) -> bool {
        let Costs::Learned(Some(table)) = &mut self.costs else { return true };
        let count = self.order.len();
        self.added.clear();
        self.removed.clear();
        let mut last = first.checked_sub(1).map_or(count, |place| self.order[place] as usize);
        let numbers = rest.iter().map(|entry| self.numbers.get(&entry.name).map(|&number| number as usize));
        for number in numbers.chain([Some(count)]) {
            let Some(number) = number else { return false };
            let place = if last == count { 0 } else { self.places[last] as usize + 1 };
            let before = self.order.get(place).map_or(count, |&number| number as usize);
            if before != number {
                self.added.push(table.link(last, number));
                self.removed.push(table.link(last, before));
            }
            last = number;
        }
        first + rest.len() == count && table.learn(&self.added, &self.removed, difference, rounding)
    }

    /// Enters the entries of the present solution, which are those known up to place `first`. Returns false if a
    /// decision is there twice.
    pub(super) fn adopt(&mut self, entries: &[Entry], first: usize) -> bool {
        let same = self.order.len() == entries.len();
        let first = if same { first } else { 0 };
        for (place, entry) in entries.iter().enumerate().skip(first) {
            // A decision of the entries before `first` has its place there.
            let own =
                self.numbers.get(&entry.name).filter(|&&number| same && self.places[number as usize] >= first as u32);
            let Some(&number) = own else { return self.renumber(entries) };
            (self.order[place], self.places[number as usize]) = (number, place as u32);
        }
        let once = (first..entries.len()).all(|place| self.places[self.order[place] as usize] == place as u32);
        once || self.renumber(entries)
    }

    /// Numbers the decisions.
    fn renumber(&mut self, entries: &[Entry]) -> bool {
        self.names = entries.iter().map(|entry| entry.name).collect();
        self.numbers = (0..).zip(&self.names).map(|(number, &name)| (name, number)).collect();
        self.order = (0..entries.len() as u32).collect();
        self.places.clone_from(&self.order);
        self.near = vec![None; entries.len()];
        if let Costs::Learned(table) = &mut self.costs {
            // Solutions with other decisions have no order in common.
            let is_first = table.is_none();
            *table = Table::new(entries.len()).filter(|_| is_first);
            return table.is_some() && self.numbers.len() == entries.len();
        }
        self.numbers.len() == entries.len()
    }

    fn name(&self, place: Option<usize>) -> Option<u64> {
        self.order.get(place?).map(|&number| self.names[number as usize])
    }

    /// What the entry now at place `b` costs directly behind the one at place `a`; no entry: the begin, or the end.
    fn cost(&mut self, problem: &dyn ErasedProblem, a: Option<usize>, b: usize) -> f64 {
        match &mut self.costs {
            Costs::Named { sign } => {
                let sign = *sign;
                sign * problem.link(self.name(a), self.name(Some(b))).unwrap_or(f64::INFINITY)
            }
            Costs::Learned(None) => 0.0,
            Costs::Learned(Some(table)) => {
                let count = self.order.len();
                let number = |place: usize| self.order.get(place).map_or(count, |&number| number as usize);
                let (a, b) = (a.map_or(count, number), number(b));
                table
                    .cost(a, b)
                    .unwrap_or_else(|| if table.is_worth_a_try(a, b) { f64::NEG_INFINITY } else { f64::INFINITY })
            }
        }
    }

    /// Returns what an edit of the order adds to the cost; `None` if the cost must be found by a replay.
    pub(super) fn price(&mut self, problem: &dyn ErasedProblem, shape: &Shape) -> Option<f64> {
        let &Shape { turn, first, last } = shape;
        let before = first.checked_sub(1);
        let mut cost = |a, b| self.cost(problem, a, b);
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
        let cost = |other: usize| match &self.costs {
            Costs::Named { sign } => problem.link(from, Some(self.names[other])).map(|cost| sign * cost),
            Costs::Learned(table) => table.as_ref()?.cost(number, other),
        };
        let others = (0..self.names.len()).filter(|&other| other != number);
        let mut all: Vec<(f64, u64, u32)> =
            others.map(|other| (cost(other).unwrap_or(f64::INFINITY), self.names[other], other as u32)).collect();
        all.retain(|(cost, ..)| cost.is_finite());
        order::sort_by(&mut all, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all.truncate(NEAR);
        all.into_iter().map(|(.., other)| other).collect()
    }
}
