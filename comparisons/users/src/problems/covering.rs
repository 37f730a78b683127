//! A covering design: few sets of 5 among 10 numbers, such that each triple is within one of them (17 suffice).

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, accepts};
use soloist::problem::{Dominance, Key, Prior};
use soloist::{Problem, Rng, Score, Sense};

const NUMBERS: u32 = 10;

/// The triples within each set of 5, as bits.
pub(crate) struct Design(Vec<u128>);

#[derive(Clone)]
pub(crate) struct Blocks {
    covered: u128,
    count: u32,
}

fn sets(size: u32) -> Vec<u32> {
    (0..1_u32 << NUMBERS).filter(|set| set.count_ones() == size).collect()
}

impl Instance for Design {
    fn instance() -> Self {
        let triples = sets(3);
        let within = |set: u32| triples.iter().enumerate().filter(|(_, t)| *t & !set == 0).map(|(at, _)| 1 << at).sum();
        Self(sets(5).into_iter().map(within).collect())
    }
    fn data(&self) -> String {
        format!("{:?}", self.0)
    }
}

impl Design {
    const ALL: u128 = (1 << 120) - 1;

    fn gain(&self, blocks: &Blocks, block: u8) -> u32 {
        (self.0[usize::from(block)] & !blocks.covered).count_ones()
    }
}

impl Problem for Design {
    type State = Blocks;
    /// A set that covers the first triple that none covers.
    type Move = u8;

    fn root(&self) -> Blocks {
        Blocks { covered: 0, count: 0 }
    }
    fn moves(&self, blocks: &Blocks, moves: &mut Vec<u8>) {
        if blocks.covered != Self::ALL {
            let first = blocks.covered.trailing_ones();
            moves.extend((0..self.0.len()).filter(|&block| self.0[block] >> first & 1 == 1).map(|block| block as u8));
        }
    }
    fn apply(&self, blocks: &mut Blocks, block: u8) {
        blocks.covered |= self.0[usize::from(block)];
        blocks.count += 1;
    }
    fn score(&self, blocks: &Blocks) -> Score {
        Score::Feasible(blocks.count.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// A set has ten triples.
    fn bound(&self, blocks: &Blocks) -> Option<f64> {
        Some((blocks.count + (120 - blocks.covered.count_ones()).div_ceil(10)).into())
    }
    fn potential(&self, blocks: &Blocks) -> Option<f64> {
        Some(blocks.covered.count_ones().into())
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
}

impl Prior<Design> for Design {
    fn bias(&self, blocks: &Blocks, block: u8) -> f64 {
        self.gain(blocks, block).into()
    }
}

impl Dominance<Design> for Design {
    fn future(&self, blocks: &Blocks) -> (Key, f64) {
        (Key::of(&blocks.covered), blocks.count.into())
    }
}

impl ByHand for Design {
    /// Annealing of the triples that so many sets leave; one set fewer when none is left.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u8> {
        let open = |set: &[u8]| {
            let covered = set.iter().fold(0_u128, |covered, &block| covered | self.0[usize::from(block)]);
            (!covered & Self::ALL).count_ones()
        };
        let mut set: Vec<u8> = (0..self.0.len() as u8).collect();
        let mut best = set.clone();
        clock.cool((1.0, 0.2), |temperature| {
            if open(&set) == 0 {
                best.clone_from(&set);
                set.swap_remove(rng.index(set.len()));
            }
            let (at, before) = (rng.index(set.len()), open(&set));
            let old = std::mem::replace(&mut set[at], rng.index(self.0.len()) as u8);
            if !accepts(f64::from(open(&set)) - f64::from(before), temperature, rng) {
                set[at] = old;
            }
        });
        // In the order in which the problem asks for them.
        let (mut blocks, mut line) = (self.root(), Vec::new());
        while blocks.covered != Self::ALL {
            let first = blocks.covered.trailing_ones();
            let next =
                best.iter().find(|&&block| self.0[usize::from(block)] >> first & 1 == 1).expect("all is covered");
            self.apply(&mut blocks, *next);
            line.push(*next);
        }
        line
    }
}
