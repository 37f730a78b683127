//! The orders of the variables of a scheme as a search problem.

use super::cost::Scheme;
use super::set::{MAX_SEARCHED, Set};
use soloist::problem::{Extras, Facts, Key, Prior, stable_hash};
use soloist::rollout::{NamedRollout, Playout, Rollout};
use soloist::{Problem, Rng, Score, Sense};
use std::sync::Arc;

/// Which end of an order is decided first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// The outermost variable first.
    #[default]
    Forward,
    /// The innermost variable first.
    Backward,
    /// The centre first, then inner and outer places in turn.
    Middle,
}

/// An order of which some variables are decided.
#[derive(Debug, PartialEq, Eq)]
pub struct Partial {
    /// The variables decided so far, in the order of the moves.
    chosen: Vec<u8>,
    /// The variables that are not decided yet.
    free: Set,
}

impl Partial {
    /// The variables decided so far, in the order of the moves.
    #[must_use]
    pub fn chosen(&self) -> &[u8] {
        &self.chosen
    }
}

impl Clone for Partial {
    fn clone(&self) -> Self {
        let mut chosen = Vec::with_capacity(self.chosen.capacity());
        chosen.extend_from_slice(&self.chosen);
        Self { chosen, free: self.free }
    }

    fn clone_from(&mut self, other: &Self) {
        self.chosen.clone_from(&other.chosen);
        self.free = other.free;
    }
}

/// The orders of the variables of a [`Scheme`]: minimise the cost.
///
/// A move is a variable, as an index into [`Scheme::searched`]. A state is the set of variables that are left and the
/// order of the others. The score is [`Scheme::cost`]. Forward and backward, the cost of the decided variables is
/// exact, because it depends on sets only: it is part of the bound and, with the set, the key. A move takes constant
/// time. A score takes one look-up for each level, and the evaluation of those levels that are new.
///
/// [`Orders`](crate::Orders) is the same problem on a [`System`](crate::System).
#[derive(Debug)]
pub struct SchemeOrders {
    scheme: Arc<Scheme>,
    direction: Direction,
    biases: Vec<f64>,
}

impl SchemeOrders {
    /// The problem on `scheme`, decided in this direction. Problems in other directions may share the scheme and
    /// thereby its level costs.
    #[must_use]
    pub fn new(scheme: impl Into<Arc<Scheme>>, direction: Direction) -> Self {
        let scheme = scheme.into();
        let most = scheme.occurrences().iter().copied().max().unwrap_or(1) as f64;
        let bias = |&count: &u64| libm::log(count as f64 / most);
        let biases = scheme.occurrences().iter().map(bias).collect();
        Self { scheme, direction, biases }
    }

    /// The scheme that is searched.
    #[must_use]
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The same problem decided in another direction.
    #[must_use]
    pub fn facing(&self, direction: Direction) -> Self {
        Self { scheme: Arc::clone(&self.scheme), direction, biases: self.biases.clone() }
    }

    /// The direction.
    #[must_use]
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The moves of a solution as an order of the variables of the terms, outermost first.
    #[must_use]
    pub fn order(&self, moves: &[u8]) -> Vec<usize> {
        let mut places = [0; MAX_SEARCHED];
        self.scheme.names(self.arrange(moves, &mut places))
    }

    /// The moves that lead to an order of the variables of the terms, outermost first. Variables that are not searched
    /// are left out.
    #[must_use]
    pub fn moves_to(&self, order: &[usize]) -> Vec<u8> {
        let index = |v: &usize| self.scheme.searched().binary_search(v).ok().map(|at| at as u8);
        let mut order: Vec<u8> = order.iter().filter_map(index).collect();
        match self.direction {
            Direction::Forward => {}
            Direction::Backward => order.reverse(),
            Direction::Middle => order = (0..order.len()).map(|step| order[middle(step, order.len())]).collect(),
        }
        order
    }

    /// The moves as an order, outermost first.
    fn arrange<'a>(&self, moves: &[u8], places: &'a mut [u8; MAX_SEARCHED]) -> &'a [u8] {
        let count = moves.len();
        let places = &mut places[..count];
        match self.direction {
            Direction::Forward => places.copy_from_slice(moves),
            Direction::Backward => places.iter_mut().zip(moves.iter().rev()).for_each(|(place, &mv)| *place = mv),
            Direction::Middle => {
                for (step, &mv) in moves.iter().enumerate() {
                    places[middle(step, count)] = mv;
                }
            }
        }
        places
    }

    /// The cost of the decided variables; forward and backward only.
    fn decided(&self, state: &Partial) -> u64 {
        let mut places = [0; MAX_SEARCHED];
        let order = self.arrange(&state.chosen, &mut places);
        let inside = if self.direction == Direction::Forward { state.free } else { 0 };
        self.scheme.base() + self.scheme.levels(order, inside)
    }

    /// The cost of the decided variables and a lower bound of the rest; `None` from the middle.
    fn optimistic(&self, state: &Partial) -> Option<u64> {
        let rest = match self.direction {
            _ if state.free == 0 => 0,
            Direction::Middle => return None,
            Direction::Forward => self.scheme.least_inside(state.free),
            Direction::Backward => self.scheme.least_outside(self.scheme.all() & !state.free),
        };
        Some(self.decided(state) + rest)
    }
}

/// The place in the order that move number `step` of `count` decides, from the middle.
fn middle(step: usize, count: usize) -> usize {
    let center = (count - 1) / 2;
    if step % 2 == 1 { center + step.div_ceil(2) } else { center - step / 2 }
}

impl Problem for SchemeOrders {
    type State = Partial;
    type Move = u8;

    fn root(&self) -> Partial {
        Partial { chosen: Vec::with_capacity(self.scheme.searched().len()), free: self.scheme.all() }
    }

    fn moves(&self, state: &Partial, moves: &mut Vec<u8>) {
        let mut left = state.free;
        while left != 0 {
            moves.push(left.trailing_zeros() as u8);
            left &= left - 1;
        }
    }

    fn apply(&self, state: &mut Partial, mv: u8) {
        state.chosen.push(mv);
        state.free &= !(1 << mv);
    }

    fn score(&self, state: &Partial) -> Score {
        let mut places = [0; MAX_SEARCHED];
        Score::Feasible(self.scheme.cost_of(self.arrange(&state.chosen, &mut places)) as f64)
    }

    fn sense(&self) -> Sense {
        Sense::Minimize
    }

    /// The variable and its place. Nested policies find better orders with these codes than with the variable and its
    /// predecessor.
    fn code(&self, state: &Partial, mv: u8) -> u64 {
        state.chosen.len() as u64 * self.scheme.searched().len() as u64 + u64::from(mv)
    }

    fn bound(&self, state: &Partial) -> Option<f64> {
        self.optimistic(state).map(|cost| cost as f64)
    }

    fn potential(&self, state: &Partial) -> Option<f64> {
        self.optimistic(state).map(|cost| -(cost as f64))
    }

    fn key(&self, state: &Partial) -> Option<Key> {
        (self.direction != Direction::Middle).then(|| Key::of(&(state.free, self.decided(state))))
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        let count = self.scheme.searched().len() as u32;
        Facts {
            code_count: Some(count * count),
            // The operations of the input.
            reference: Some(self.scheme.input_operations() as f64),
            ..Facts::default()
        }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for SchemeOrders {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        vec![
            NamedRollout::uniform("any variable that is left"),
            NamedRollout::new("occurrence", "variables that occur in many terms tend to be outside", |_| {
                Box::new(Occurrence { frequent_outside: true, left: Vec::new() })
            }),
            NamedRollout::new("anti-occurrence", "variables that occur in many terms tend to be inside", |_| {
                Box::new(Occurrence { frequent_outside: false, left: Vec::new() })
            }),
        ]
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(stable_hash(&(self.scheme.fingerprint(), self.direction as u8)))
    }
}

impl Prior<SchemeOrders> for SchemeOrders {
    /// The logarithm of the number of terms that hold the variable, relative to the most frequent variable. Backward
    /// its negative, so that both directions prefer frequent variables outside.
    fn bias(&self, _state: &Partial, mv: u8) -> f64 {
        match self.direction {
            Direction::Forward => self.biases[usize::from(mv)],
            Direction::Backward => -self.biases[usize::from(mv)],
            Direction::Middle => 0.0,
        }
    }
}

/// Draws each variable with a probability that is proportional to the square of its number of terms, or to the inverse
/// of that square.
#[derive(Debug)]
struct Occurrence {
    frequent_outside: bool,
    /// The variables that are left, with their weights.
    left: Vec<(u8, u64)>,
}

impl Rollout<SchemeOrders> for Occurrence {
    fn run(&mut self, problem: &SchemeOrders, state: &mut Partial, playout: &mut Playout<u8>, rng: &mut Rng) {
        let counts = problem.scheme.occurrences();
        // At most 2^20, so that sums of squares stay below 2^47.
        let most = counts.iter().copied().max().unwrap_or(1).max(1);
        let part = |count: u64| ((u128::from(count) << 20) / u128::from(most)).max(1) as u64;
        let frequent_first = self.frequent_outside != (problem.direction == Direction::Backward);
        self.left.clear();
        let mut set = state.free;
        while set != 0 {
            let v = set.trailing_zeros() as u8;
            set &= set - 1;
            let part = part(counts[usize::from(v)]);
            let weight = match problem.direction {
                Direction::Middle => 1,
                _ if frequent_first => part * part,
                _ => (1 << 40) / (part * part),
            };
            self.left.push((v, weight.max(1)));
        }
        while !self.left.is_empty() {
            let mut draw = rng.below(self.left.iter().map(|(_, weight)| weight).sum());
            let mut at = 0;
            while draw >= self.left[at].1 {
                draw -= self.left[at].1;
                at += 1;
            }
            let (v, _) = self.left.remove(at);
            problem.apply(state, v);
            playout.moves.push(v);
        }
    }
}
