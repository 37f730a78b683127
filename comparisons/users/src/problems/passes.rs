//! A black box that costs time: the order of 16 passes of a compiler, valued by a run of the program.

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, anneal, reorder};
use soloist::problem::{Found, Ordering};
use soloist::{Problem, Rng, Score, Sense};
use std::time::{Duration, Instant};

const PASSES: usize = 16;

/// What the order of two passes costs, and of two that follow each other, and of three that do. A run of the program
/// takes so many milliseconds.
pub(crate) struct Passes<const MILLIS: u64> {
    order: [[f64; PASSES]; PASSES],
    next: [[f64; PASSES]; PASSES],
    three: Vec<f64>,
}

impl<const MILLIS: u64> Instance for Passes<MILLIS> {
    fn instance() -> Self {
        let mut rng = Rng::new(16);
        let mut table = |size: f64| std::array::from_fn(|_| std::array::from_fn(|_| size * rng.unit()));
        let (order, next) = (table(1.0), table(4.0));
        let three = (0..PASSES.pow(3)).map(|_| if rng.chance(0.2) { 6.0 * rng.unit() } else { 0.0 }).collect();
        Self { order, next, three }
    }
}

impl<const MILLIS: u64> Passes<MILLIS> {
    fn run(&self, line: &[u8]) -> f64 {
        // The time of a program that runs; tests do not wait for it.
        let start = Instant::now();
        while !cfg!(test) && start.elapsed() < Duration::from_millis(MILLIS) {
            std::hint::spin_loop();
        }
        let line: Vec<usize> = line.iter().map(|&pass| pass.into()).collect();
        let behind = |at: usize| line[at + 1..].iter().map(|&b| self.order[line[at]][b]).sum::<f64>();
        let orders: f64 = (0..line.len()).map(behind).sum();
        let nexts: f64 = line.windows(2).map(|pair| self.next[pair[0]][pair[1]]).sum();
        let number = |passes: &[usize]| (passes[0] * PASSES + passes[1]) * PASSES + passes[2];
        orders + nexts + line.windows(3).map(|passes| self.three[number(passes)]).sum::<f64>()
    }
}

impl<const MILLIS: u64> Problem for Passes<MILLIS> {
    /// The passes so far.
    type State = Vec<u8>;
    /// The next one.
    type Move = u8;

    fn root(&self) -> Vec<u8> {
        Vec::new()
    }
    fn moves(&self, line: &Vec<u8>, moves: &mut Vec<u8>) {
        moves.extend((0..PASSES as u8).filter(|pass| !line.contains(pass)));
    }
    fn apply(&self, line: &mut Vec<u8>, pass: u8) {
        line.push(pass);
    }
    fn score(&self, line: &Vec<u8>) -> Score {
        Score::Feasible(self.run(line))
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// Which pass follows which.
    fn code(&self, line: &Vec<u8>, pass: u8) -> u64 {
        line.last().map_or(PASSES as u64, |&last| last.into()) * PASSES as u64 + u64::from(pass)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
}

impl<const MILLIS: u64> Ordering<Self> for Passes<MILLIS> {
    fn identity(&self, _: &Vec<u8>, pass: u8) -> u64 {
        pass.into()
    }
    fn find(&self, line: &Vec<u8>, pass: u64) -> Found<u8> {
        let is_left = pass < PASSES as u64 && !line.contains(&(pass as u8));
        if is_left { Found::Move(pass as u8) } else { Found::Gone }
    }
}

impl<const MILLIS: u64> ByHand for Passes<MILLIS> {
    /// Annealing of the order.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u8> {
        let start = (0..PASSES as u8).collect();
        anneal((clock, rng), start, (5.0, 0.3), |line| self.run(line), |line, rng| reorder(line, rng))
    }
}
