//! A short addition chain for 12509: each number is the sum of two before it.

use crate::bench::{ByHand, Instance};
use crate::hand::Clock;
use soloist::problem::Prior;
use soloist::{Problem, Rng, Score, Sense};

const NUMBER: u32 = 12_509;

pub(crate) struct Chain;

impl Instance for Chain {
    fn instance() -> Self {
        Self
    }
}

impl Problem for Chain {
    type State = Vec<u32>;
    /// The next number.
    type Move = u32;

    fn root(&self) -> Vec<u32> {
        vec![1]
    }
    fn moves(&self, chain: &Vec<u32>, moves: &mut Vec<u32>) {
        let last = chain[chain.len() - 1];
        for (at, a) in chain.iter().enumerate() {
            moves.extend(chain[..=at].iter().map(|b| a + b).filter(|sum| (last + 1..=NUMBER).contains(sum)));
        }
        moves.sort_unstable_by(|a, b| b.cmp(a));
        moves.dedup();
    }
    fn apply(&self, chain: &mut Vec<u32>, next: u32) {
        chain.push(next);
    }
    fn score(&self, chain: &Vec<u32>) -> Score {
        Score::Feasible((chain.len() - 1) as f64)
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// Numbers at most double.
    fn bound(&self, chain: &Vec<u32>) -> Option<f64> {
        Some((chain.len() - 1) as f64 + f64::from(doublings(chain[chain.len() - 1])))
    }
    fn potential(&self, chain: &Vec<u32>) -> Option<f64> {
        Some(chain[chain.len() - 1].into())
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
}

impl Prior<Chain> for Chain {
    /// Large steps.
    fn bias(&self, chain: &Vec<u32>, next: u32) -> f64 {
        3.0 * f64::from(next) / f64::from(chain[chain.len() - 1])
    }
}

/// How often a number must be doubled at least.
fn doublings(number: u32) -> u32 {
    NUMBER.div_ceil(number).next_power_of_two().ilog2()
}

/// Looks for a chain with so many more numbers, each the sum of the last one and any.
fn extend(chain: &mut Vec<u32>, steps: u32, clock: &Clock) -> bool {
    let last = chain[chain.len() - 1];
    if last == NUMBER || doublings(last) > steps || clock.is_over() {
        return last == NUMBER;
    }
    for at in (0..chain.len()).rev() {
        let next = last + chain[at];
        if next <= NUMBER {
            chain.push(next);
            if extend(chain, steps - 1, clock) {
                return true;
            }
            chain.pop();
        }
    }
    false
}

impl ByHand for Chain {
    /// The binary method, then searches in depth for chains one shorter each.
    fn hand(&self, clock: &Clock, _: &mut Rng) -> Vec<u32> {
        let mut best = vec![1];
        for bit in (0..NUMBER.ilog2()).rev() {
            best.push(NUMBER >> (bit + 1) << 1);
            if NUMBER >> bit & 1 == 1 {
                best.push(NUMBER >> bit);
            }
        }
        loop {
            let mut chain = vec![1];
            if !extend(&mut chain, best.len() as u32 - 2, clock) {
                return best.split_off(1);
            }
            best = chain;
        }
    }
}
