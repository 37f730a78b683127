//! The orders of the variables as a search problem, each order built in full.

use super::dag::Dag;
use super::{Signs, System};
use soloist::{Problem, Score, Sense, StableHasher};
use std::hash::Hasher;
use std::sync::Arc;

/// Which end of an order is decided first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// The outermost variable first.
    #[default]
    Forward,
    /// The innermost variable first.
    Backward,
    /// From the centre outwards, inner and outer places by turns.
    Middle,
}

/// A partly decided order: the variables in the order of the moves, and those that are left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial {
    chosen: Vec<u16>,
    free: Vec<u16>,
}

/// The orders of the variables of a [`System`]: minimise the operations of the Horner scheme with common
/// sub-expressions.
///
/// A move is a variable, by its number among the symbols that occur; variables that occur nowhere are innermost. A move
/// takes time linear in the number of variables, a score the time of [`Dag::build`].
#[derive(Debug)]
pub struct Orders {
    system: Arc<System>,
    signs: Signs,
    direction: Direction,
    /// Symbols that occur.
    searched: Vec<usize>,
    /// In how many terms each occurs, as a logarithm relative to the most frequent.
    biases: Vec<f64>,
    fingerprint: u64,
}

impl Orders {
    /// The problem on `system`.
    #[must_use]
    pub fn new(system: Arc<System>, signs: Signs, direction: Direction) -> Self {
        let counts = system.occurrences();
        let searched: Vec<usize> = (0..counts.len()).filter(|&symbol| counts[symbol] > 0).collect();
        let most = counts.iter().copied().max().unwrap_or(1).max(1) as f64;
        let biases = searched.iter().map(|&symbol| libm::log(counts[symbol] as f64 / most)).collect();
        let mut hash = StableHasher::new();
        hash.write(b"horner");
        hash.write_u8(u8::from(signs == Signs::Kept));
        hash.write_u8(direction as u8);
        hash.write_u64(soloist::stable_hash(&system.symbols()[..]));
        for definition in system.definitions() {
            hash.write_u64(soloist::stable_hash(definition.polynomial.exponents()));
            hash.write_u64(soloist::stable_hash(definition.polynomial.coefficients()));
        }
        Self { system, signs, direction, searched, biases, fingerprint: hash.finish() }
    }

    /// What is computed.
    #[must_use]
    pub fn system(&self) -> &System {
        &self.system
    }

    /// How signs are treated.
    #[must_use]
    pub fn signs(&self) -> Signs {
        self.signs
    }

    /// The moves of a solution as an order of all symbols, outermost first.
    #[must_use]
    pub fn order(&self, moves: &[u16]) -> Vec<usize> {
        let mut order: Vec<usize> = match self.direction {
            Direction::Forward => moves.iter().map(|&mv| self.searched[usize::from(mv)]).collect(),
            Direction::Backward => moves.iter().rev().map(|&mv| self.searched[usize::from(mv)]).collect(),
            Direction::Middle => {
                let mut order = vec![0; moves.len()];
                for (step, &mv) in moves.iter().enumerate() {
                    order[middle(step, moves.len())] = self.searched[usize::from(mv)];
                }
                order
            }
        };
        order.extend((0..self.system.symbols().len()).filter(|symbol| self.searched.binary_search(symbol).is_err()));
        order
    }

    /// The symbol behind a move.
    #[must_use]
    pub fn symbol(&self, mv: u16) -> usize {
        self.searched[usize::from(mv)]
    }
}

/// The place of move number `step` of `count`, from the centre outwards.
fn middle(step: usize, count: usize) -> usize {
    let centre = (count - 1) / 2;
    if step % 2 == 1 { centre + step.div_ceil(2) } else { centre - step / 2 }
}

impl Problem for Orders {
    type State = Partial;
    type Move = u16;

    fn root(&self) -> Partial {
        Partial { chosen: Vec::with_capacity(self.searched.len()), free: (0..self.searched.len() as u16).collect() }
    }

    fn moves(&self, state: &Partial, moves: &mut Vec<u16>) {
        moves.extend_from_slice(&state.free);
    }

    fn apply(&self, state: &mut Partial, mv: u16) {
        if let Ok(at) = state.free.binary_search(&mv) {
            state.free.remove(at);
            state.chosen.push(mv);
        }
    }

    fn score(&self, state: &Partial) -> Score {
        let dag = Dag::build(&self.system, &self.order(&state.chosen), self.signs);
        Score::Feasible(dag.level_counts().total() as f64)
    }

    fn sense(&self) -> Sense {
        Sense::Minimize
    }

    /// A variable after the one decided before.
    fn code(&self, state: &Partial, mv: u16) -> u64 {
        let count = self.searched.len() as u64;
        u64::from(mv) + count * state.chosen.last().map_or(count, |&last| last.into())
    }

    /// Variables in many terms outermost, as in the occurrence order.
    fn bias(&self, _state: &Partial, mv: u16) -> f64 {
        let bias = self.biases[usize::from(mv)];
        if self.direction == Direction::Backward { -bias } else { bias }
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}
