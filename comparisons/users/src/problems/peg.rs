//! Peg solitaire on the English board: jumps until one peg is left, in the centre.

use crate::bench::{ByHand, Instance};
use crate::hand::Clock;
use soloist::problem::Key;
use soloist::{Problem, Rng, Score, Sense};
use std::collections::HashSet;

/// The holes of a jump (from, over, to), as bits of a board of 7 x 7.
pub(crate) struct Pegs(Vec<(u64, u64, u64)>);

const CENTRE: u64 = 1 << 24;

fn holes() -> impl Iterator<Item = (i32, i32)> {
    let is_hole = |&(row, column): &(i32, i32)| (2..5).contains(&row) || (2..5).contains(&column);
    (0..49).map(|hole| (hole / 7, hole % 7)).filter(is_hole)
}

fn bit((row, column): (i32, i32)) -> u64 {
    1 << (row * 7 + column)
}

impl Instance for Pegs {
    fn instance() -> Self {
        let mut jumps = Vec::new();
        for from in holes() {
            for (down, right) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                let step = |far| (from.0 + far * down, from.1 + far * right);
                if holes().any(|hole| hole == step(2)) {
                    jumps.push((bit(from), bit(step(1)), bit(step(2))));
                }
            }
        }
        Self(jumps)
    }
}

impl Problem for Pegs {
    /// The pegs.
    type State = u64;
    /// Which jump.
    type Move = u8;

    fn root(&self) -> u64 {
        holes().map(bit).sum::<u64>() - CENTRE
    }
    fn moves(&self, pegs: &u64, moves: &mut Vec<u8>) {
        let fits = |&(from, over, to): &(u64, u64, u64)| pegs & (from | over | to) == from | over;
        moves.extend((0..self.0.len()).filter(|&jump| fits(&self.0[jump])).map(|jump| jump as u8));
    }
    fn apply(&self, pegs: &mut u64, jump: u8) {
        let (from, over, to) = self.0[usize::from(jump)];
        *pegs ^= from | over | to;
    }
    fn score(&self, pegs: &u64) -> Score {
        Score::Feasible(f64::from(pegs.count_ones() + u32::from(*pegs != CENTRE)))
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn bound(&self, _: &u64) -> Option<f64> {
        Some(1.0)
    }
    fn key(&self, pegs: &u64) -> Option<Key> {
        Some(Key::of(pegs))
    }
    /// Pegs near the centre.
    fn potential(&self, pegs: &u64) -> Option<f64> {
        let far = |(row, column): (i32, i32)| (row - 3).abs() + (column - 3).abs();
        Some(f64::from(-holes().filter(|&hole| pegs & bit(hole) > 0).map(far).sum::<i32>()))
    }
}

impl Pegs {
    /// Looks for the end in depth, never twice from the same board. Returns whether the search is over.
    fn deepen(
        &self,
        pegs: u64,
        line: &mut Vec<u8>,
        seen: &mut HashSet<u64>,
        best: &mut Vec<u8>,
        clock: &Clock,
    ) -> bool {
        let mut moves = Vec::new();
        self.moves(&pegs, &mut moves);
        if moves.is_empty() && line.len() > best.len() || pegs == CENTRE {
            best.clone_from(line);
        }
        if pegs == CENTRE || !best.is_empty() && seen.len().is_multiple_of(64) && clock.is_over() {
            return true;
        }
        for jump in moves {
            let mut next = pegs;
            self.apply(&mut next, jump);
            if seen.insert(next) {
                line.push(jump);
                if self.deepen(next, line, seen, best, clock) {
                    return true;
                }
                line.pop();
            }
        }
        false
    }
}

impl ByHand for Pegs {
    /// Depth-first search with a table of boards.
    fn hand(&self, clock: &Clock, _: &mut Rng) -> Vec<u8> {
        let (mut line, mut best) = (Vec::new(), Vec::new());
        self.deepen(self.root(), &mut line, &mut HashSet::new(), &mut best, clock);
        best
    }
}
