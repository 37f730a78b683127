//! The 15-puzzle from a mixed board: few moves, at most 100.

use crate::bench::{ByHand, Instance};
use crate::hand::Clock;
use soloist::problem::{Dominance, Key};
use soloist::{Problem, Rng, Score, Sense};
use std::collections::HashSet;

const MOST: u32 = 100;
type Board = [u8; 16];

pub(crate) struct Puzzle(Board);

#[derive(Clone)]
pub(crate) struct Slid {
    board: Board,
    blank: usize,
    count: u32,
}

fn goal() -> Board {
    std::array::from_fn(|cell| (cell as u8 + 1) % 16)
}

/// The steps of all tiles to their places.
fn distance(board: &Board) -> u32 {
    let steps = |(cell, &tile): (usize, &u8)| {
        let home = usize::from(tile).wrapping_sub(1);
        if tile == 0 { 0 } else { (cell / 4).abs_diff(home / 4) + (cell % 4).abs_diff(home % 4) }
    };
    board.iter().enumerate().map(steps).sum::<usize>() as u32
}

/// The cells beside one.
fn beside(cell: usize) -> impl Iterator<Item = u8> {
    let near = move |&other: &usize| (cell / 4).abs_diff(other / 4) + (cell % 4).abs_diff(other % 4) == 1;
    (0..16).filter(near).map(|other| other as u8)
}

impl Instance for Puzzle {
    /// A random walk from the goal.
    fn instance() -> Self {
        let mut rng = Rng::new(15);
        let (mut board, mut blank) = (goal(), 15);
        for _ in 0..300 {
            let cells: Vec<u8> = beside(blank).collect();
            let next = usize::from(cells[rng.index(cells.len())]);
            board.swap(blank, next);
            blank = next;
        }
        Self(board)
    }
}

impl Problem for Puzzle {
    type State = Slid;
    /// The cell whose tile slides into the blank.
    type Move = u8;

    fn root(&self) -> Slid {
        Slid { board: self.0, blank: self.0.iter().position(|&tile| tile == 0).unwrap(), count: 0 }
    }
    fn moves(&self, slid: &Slid, moves: &mut Vec<u8>) {
        if slid.count < MOST && slid.board != goal() {
            moves.extend(beside(slid.blank));
        }
    }
    fn apply(&self, slid: &mut Slid, cell: u8) {
        slid.board.swap(slid.blank, cell.into());
        slid.blank = cell.into();
        slid.count += 1;
    }
    fn score(&self, slid: &Slid) -> Score {
        if slid.board == goal() {
            Score::Feasible(slid.count.into())
        } else {
            Score::Infeasible(distance(&slid.board).into())
        }
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn bound(&self, slid: &Slid) -> Option<f64> {
        Some((slid.count + distance(&slid.board)).into())
    }
    fn potential(&self, slid: &Slid) -> Option<f64> {
        Some(-f64::from(distance(&slid.board)))
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
}

impl Dominance<Puzzle> for Puzzle {
    fn future(&self, slid: &Slid) -> (Key, f64) {
        (Key::of(&slid.board), slid.count.into())
    }
}

impl ByHand for Puzzle {
    /// A beam by the distance, twice as wide each time; no board twice.
    fn hand(&self, clock: &Clock, _: &mut Rng) -> Vec<u8> {
        let (first, second) = (beside(self.root().blank).next().unwrap(), self.root().blank as u8);
        let mut best: Vec<u8> = (0..MOST).map(|step| if step % 2 == 0 { first } else { second }).collect();
        let mut width = 16;
        loop {
            let mut seen = HashSet::from([self.0]);
            let mut layer = vec![(self.root(), Vec::new())];
            while !layer.is_empty() {
                let mut next = Vec::new();
                for (slid, line) in &layer {
                    for cell in beside(slid.blank) {
                        let mut child = slid.clone();
                        self.apply(&mut child, cell);
                        if seen.insert(child.board) && child.count + distance(&child.board) < best.len() as u32 {
                            next.push((child, [line, &[cell][..]].concat()));
                        }
                    }
                    if clock.is_over() {
                        return best;
                    }
                }
                next.sort_by_key(|(slid, _)| distance(&slid.board));
                next.truncate(width);
                if let Some((_, line)) = next.first().filter(|(slid, _)| slid.board == goal()) {
                    best.clone_from(line);
                }
                layer = next;
            }
            width *= 2;
        }
    }
}
