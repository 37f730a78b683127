//! Quadratic binary optimisation: 100 bits, a weight of any sign for each pair; the sum over pairs of ones is large.

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, accepts};
use soloist::problem::{Exchange, Exchanges, Neighborhood};
use soloist::{Problem, Rng, Score};

const BITS: usize = 100;

/// Symmetric weights; on the diagonal those of single bits.
pub(crate) struct Qubo(Vec<[i32; BITS]>);

#[derive(Clone)]
pub(crate) struct Bits {
    bits: [bool; BITS],
    count: usize,
}

impl Instance for Qubo {
    fn instance() -> Self {
        let mut rng = Rng::new(100);
        let draws: Vec<i32> = (0..BITS * BITS).map(|_| rng.below(201) as i32 - 100).collect();
        let weight = |a: usize, b: usize| draws[a.min(b) * BITS + a.max(b)];
        Self((0..BITS).map(|a| std::array::from_fn(|b| weight(a, b))).collect())
    }
    fn data(&self) -> String {
        format!("{:?}", self.0)
    }
}

impl Qubo {
    /// What a bit is worth beside the others.
    fn worth(&self, bits: &[bool; BITS], bit: usize) -> i32 {
        let others = (0..BITS).filter(|&other| bits[other] && other != bit);
        self.0[bit][bit] + others.map(|other| self.0[bit][other]).sum::<i32>()
    }
}

impl Problem for Qubo {
    type State = Bits;
    /// The next bit.
    type Move = bool;

    fn root(&self) -> Bits {
        Bits { bits: [false; BITS], count: 0 }
    }
    fn moves(&self, state: &Bits, moves: &mut Vec<bool>) {
        if state.count < BITS {
            moves.extend([false, true]);
        }
    }
    fn apply(&self, state: &mut Bits, bit: bool) {
        state.bits[state.count] = bit;
        state.count += 1;
    }
    fn score(&self, state: &Bits) -> Score {
        let ones: Vec<usize> = (0..BITS).filter(|&bit| state.bits[bit]).collect();
        let row = |(at, &a): (usize, &usize)| ones[..=at].iter().map(|&b| self.0[a][b]).sum::<i32>();
        Score::Feasible(ones.iter().enumerate().map(row).sum::<i32>().into())
    }
    fn code(&self, state: &Bits, bit: bool) -> u64 {
        state.count as u64 * 2 + u64::from(bit)
    }
    /// What is decided, and every other weight that is positive and may still count.
    fn bound(&self, state: &Bits) -> Option<f64> {
        let mut sum = 0;
        for a in 0..BITS {
            if a < state.count && !state.bits[a] {
                continue;
            }
            let fixed: i32 = (0..a.min(state.count)).filter(|&b| state.bits[b]).map(|b| self.0[a][b]).sum();
            let open: i32 = (state.count..a).map(|b| self.0[a][b].max(0)).sum();
            let worth = fixed + open + self.0[a][a];
            sum += if a < state.count { worth } else { worth.max(0) };
        }
        Some(sum.into())
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Exchanges::new()))
    }
}

impl Exchange for Qubo {
    fn difference(&self, end: &Bits, place: usize, old: Option<bool>, new: Option<bool>) -> Option<f64> {
        let sign = i32::from(new?) - i32::from(old?);
        Some((sign * self.worth(&end.bits, place)).into())
    }
    fn apply_exchange(&self, end: &mut Bits, place: usize, _: Option<bool>, new: Option<bool>) -> bool {
        end.bits[place] = new == Some(true);
        new.is_some()
    }
}

impl ByHand for Qubo {
    /// Annealing by single bits.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<bool> {
        let mut bits = [false; BITS];
        clock.cool((500.0, 5.0), |temperature| {
            let bit = rng.index(BITS);
            let worth = f64::from(self.worth(&bits, bit));
            if accepts(if bits[bit] { worth } else { -worth }, temperature, rng) {
                bits[bit] = !bits[bit];
            }
        });
        bits.to_vec()
    }
}
