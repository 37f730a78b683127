//! Cutting stock: 80 pieces of 20 lengths from few rolls of length 1,000.

use crate::bench::{ByHand, Instance};
use crate::hand::Clock;
use soloist::problem::{Dominance, Key, Prior};
use soloist::{Problem, Rng, Score, Sense};

const KINDS: usize = 20;
const ROLL: u32 = 1000;

/// The lengths, longest first, and how many pieces of each are wanted.
pub(crate) struct Stock {
    length: [u32; KINDS],
    demand: [u8; KINDS],
}

#[derive(Clone)]
pub(crate) struct Cut {
    left: [u8; KINDS],
    total: u32,
    rolls: u32,
    room: u32,
}

impl Instance for Stock {
    fn instance() -> Self {
        let mut rng = Rng::new(20);
        let mut length: [u32; KINDS] = std::array::from_fn(|_| 180 + rng.below(320) as u32);
        length.sort_unstable_by_key(|&length| std::cmp::Reverse(length));
        let mut demand = [1; KINDS];
        (0..80 - KINDS).for_each(|_| demand[rng.index(KINDS)] += 1);
        Self { length, demand }
    }
}

impl Stock {
    fn kinds(cut: &Cut) -> impl Iterator<Item = usize> + use<> {
        let left = cut.left;
        (0..KINDS).filter(move |&kind| left[kind] > 0)
    }
}

impl Problem for Stock {
    type State = Cut;
    /// The length of the next piece: from the present roll if one fits there, else from a new one.
    type Move = u8;

    fn root(&self) -> Cut {
        let total = (0..KINDS).map(|kind| self.length[kind] * u32::from(self.demand[kind])).sum();
        Cut { left: self.demand, total, rolls: 1, room: ROLL }
    }
    fn moves(&self, cut: &Cut, moves: &mut Vec<u8>) {
        let fits = |&kind: &usize| self.length[kind] <= cut.room;
        let is_full = !Self::kinds(cut).any(|kind| fits(&kind));
        moves.extend(Self::kinds(cut).filter(|kind| is_full || fits(kind)).map(|kind| kind as u8));
    }
    fn apply(&self, cut: &mut Cut, kind: u8) {
        let length = self.length[usize::from(kind)];
        if length > cut.room {
            cut.rolls += 1;
            cut.room = ROLL;
        }
        cut.room -= length;
        cut.total -= length;
        cut.left[usize::from(kind)] -= 1;
    }
    fn score(&self, cut: &Cut) -> Score {
        Score::Feasible(cut.rolls.into())
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn code(&self, cut: &Cut, kind: u8) -> u64 {
        u64::from(cut.room) * KINDS as u64 + u64::from(kind)
    }
    fn bound(&self, cut: &Cut) -> Option<f64> {
        Some((cut.rolls + cut.total.saturating_sub(cut.room).div_ceil(ROLL)).into())
    }
    /// Length that is lost.
    fn potential(&self, cut: &Cut) -> Option<f64> {
        Some(-f64::from(cut.rolls * ROLL - cut.room + cut.total))
    }
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        Some(self)
    }
}

impl Prior<Stock> for Stock {
    /// Long pieces first.
    fn bias(&self, _: &Cut, kind: u8) -> f64 {
        f64::from(self.length[usize::from(kind)]) / 100.0
    }
}

impl Dominance<Stock> for Stock {
    fn future(&self, cut: &Cut) -> (Key, f64) {
        (Key::of(&cut.left), f64::from(cut.rolls * ROLL - cut.room))
    }
}

impl ByHand for Stock {
    /// Roll by roll: the longest piece first, and of 40 random fillings behind it the fullest; again and again.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<u8> {
        let (mut best, mut least) = (Vec::new(), u32::MAX);
        while best.is_empty() || !clock.is_over() {
            let (mut cut, mut line) = (self.root(), Vec::new());
            while let Some(longest) = Self::kinds(&cut).next() {
                self.apply(&mut cut, longest as u8);
                line.push(longest as u8);
                let mut fullest = (cut.room, Vec::new(), cut.clone());
                for _ in 0..40 {
                    let (mut now, mut filling) = (cut.clone(), Vec::new());
                    loop {
                        let fits = |&kind: &usize| self.length[kind] <= now.room;
                        let kinds: Vec<u8> = Self::kinds(&now).filter(fits).map(|kind| kind as u8).collect();
                        if kinds.is_empty() {
                            break;
                        }
                        filling.push(kinds[rng.index(kinds.len())]);
                        self.apply(&mut now, filling[filling.len() - 1]);
                    }
                    if now.room < fullest.0 {
                        fullest = (now.room, filling, now);
                    }
                }
                line.extend(fullest.1);
                cut = fullest.2;
            }
            if cut.rolls < least {
                (best, least) = (line, cut.rolls);
            }
        }
        best
    }
}
