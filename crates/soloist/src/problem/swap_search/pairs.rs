//! Exchanges of two places of an assignment: which places belong together, and how often both are edited.

use super::{Exchanges, LOGGED, Step, find};
use crate::Rng;
use crate::core::codec::CheckpointError;
use crate::core::limits::ensure;
use crate::problem::Exchange;
use serde::{Deserialize, Serialize};

/// Partners that are remembered for a place, at most.
const PARTNERS: usize = 24;
/// Shares of the edits are in these parts.
const PARTS: u64 = 64;
/// The least and the largest share of the exchanges of two places, and the first one.
const SHARES: (u64, u64, u64) = (1, 48, 8);
/// Exchanges of two places after which their share is chosen again.
const PERIOD: u64 = 256;
/// An exchange of two places takes as long as this many of one.
const PRICE: u64 = 3;
/// Of this many exchanges of two places one is between places drawn alone, to find out which belong together.
const EXPLORED: u64 = 8;

/// What an assignment's local search has learned of pairs of places.
///
/// Places belong together if the difference that a decision at one makes depends on the decision at the other: nurses
/// on the same day, neighbours in a graph. An exchange of their decisions can keep what two edits one after the other
/// would break. The share of such edits follows what they bring: the edits accepted that change the cost, for the time
/// that they take.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Pairs {
    /// For each place some of those that belong to it.
    partners: Vec<Vec<u32>>,
    /// The share of the exchanges of two places.
    share: u64,
    /// Edits of one place and of two since the share was chosen, and those that were accepted with another cost.
    tried: [u64; 2],
    brought: [u64; 2],
}

impl Pairs {
    /// Begins with nothing known.
    pub(super) fn reset(&mut self, places: usize) {
        *self = Self { partners: vec![Vec::new(); places], share: SHARES.2, ..Self::default() };
    }

    /// Draws whether two places are edited.
    pub(super) fn draws_two(&self, rng: &mut Rng) -> bool {
        rng.below(PARTS) < self.share
    }

    /// Draws one that belongs to a place. `None`: two places are to be drawn alone.
    pub(super) fn partner(&self, place: u32, rng: &mut Rng) -> Option<u32> {
        let known = self.partners.get(place as usize).filter(|known| !known.is_empty())?;
        (rng.below(EXPLORED) > 0).then(|| known[rng.index(known.len())])
    }

    /// Notes that two places belong together.
    pub(super) fn join(&mut self, a: u32, b: u32, rng: &mut Rng) {
        for (place, other) in [(a, b), (b, a)] {
            let Some(known) = self.partners.get_mut(place as usize).filter(|known| !known.contains(&other)) else {
                continue;
            };
            if known.len() < PARTNERS {
                known.push(other);
            } else {
                known[rng.index(PARTNERS)] = other;
            }
        }
    }

    /// Counts an edit of one place, or of two.
    pub(super) fn count(&mut self, two: bool) {
        self.tried[usize::from(two)] += 1;
        if self.tried[1] < PERIOD {
            return;
        }
        let [one, two] = [0, 1].map(|kind| self.brought[kind] as f64 / self.tried[kind].max(1) as f64);
        let two = two / PRICE as f64;
        if one + two > 0.0 {
            // Half of the old share: one period shows little where few edits are accepted.
            let wanted = PARTS as f64 * two / (one + two);
            self.share = u64::midpoint(self.share, wanted as u64 + 1).clamp(SHARES.0, SHARES.1);
        }
        (self.tried, self.brought) = ([0; 2], [0; 2]);
    }

    /// Notes that an edit of one place, or of two, was accepted with another cost.
    pub(super) fn reward(&mut self, two: bool) {
        self.brought[usize::from(two)] += 1;
    }

    /// Whether what was read from a checkpoint can be that of so many places.
    ///
    /// # Errors
    /// When it cannot.
    pub(super) fn validate(&self, places: usize) -> Result<(), CheckpointError> {
        let known = |list: &Vec<u32>| list.len() <= PARTNERS && list.iter().all(|&at| (at as usize) < places);
        // The edit that ends a period is rewarded in the next one.
        let counts = self.tried[1] < PERIOD && (0..2).all(|kind| self.brought[kind] <= self.tried[kind] + 1);
        let sound = self.partners.len() == places && self.partners.iter().all(known) && self.share <= SHARES.1;
        ensure(sound && counts, "the pairs of a neighbourhood")
    }
}

impl<P: Exchange> Exchanges<P> {
    /// Draws two places of an assignment whose decisions differ, and whether they were drawn alone. `None`: there are
    /// none.
    fn draw_two(&self, rng: &mut Rng) -> Option<([Step; 2], bool)> {
        let count = self.open.len();
        let first = *self.open.get(rng.index(count.max(1)))?;
        let known = self.pairs.partner(first, rng);
        let second = known.unwrap_or_else(|| self.open[rng.index(count)]);
        let (a, b) = (self.moves[first as usize], self.moves[second as usize]);
        if a == b {
            return None;
        }
        // Where all places have the same choices, numbers are the same.
        let number = |place: u32, mv: P::Move, at: u32| {
            let list = self.choices(place);
            if list.get(at as usize) == Some(&mv) { Some(at) } else { find(list, mv) }
        };
        let (from, to) = (self.numbers[first as usize], self.numbers[second as usize]);
        let steps =
            [Step { place: first, new: number(first, b, to)? }, Step { place: second, new: number(second, a, from)? }];
        Some((steps, known.is_none()))
    }

    /// Proposes that two places exchange their decisions; the first one has the new one in the state then. Returns the
    /// change of the score. `None`: it cannot be made.
    pub(super) fn propose_two(&mut self, problem: &P, rng: &mut Rng) -> Option<f64> {
        let ([first, second], alone) = self.draw_two(rng)?;
        let (a, b) = (Some(self.moves[first.place as usize]), Some(self.moves[second.place as usize]));
        let state = self.state.as_mut()?;
        let one = problem.difference(state, first.place as usize, a, b)?;
        let apart = if alone { problem.difference(state, second.place as usize, b, a) } else { None };
        if !problem.apply_exchange(state, first.place as usize, a, b) {
            return None;
        }
        self.proposal.is_half_made = true;
        self.proposal.steps.extend([first, second]);
        let two = problem.difference(state, second.place as usize, b, a);
        if let (Some(apart), Some(two)) = (apart, two)
            && (two - apart).abs() > 1e-9 * (1.0 + one.abs() + two.abs())
        {
            self.pairs.join(first.place, second.place, rng);
        }
        if two.is_none() {
            self.take_back(problem);
        }
        Some(one + two?)
    }

    /// Takes back the first of two exchanges that is made in the state.
    pub(super) fn take_back(&mut self, problem: &P) {
        let Some(&step) = self.proposal.steps.first().filter(|_| std::mem::take(&mut self.proposal.is_half_made))
        else {
            return;
        };
        let place = step.place as usize;
        let (new, old) = (self.choices(step.place).get(step.new as usize).copied(), self.moves.get(place).copied());
        let is_right = self.state.as_mut().is_some_and(|state| problem.apply_exchange(state, place, new, old));
        // Sums may differ in the last bits from what they were: a resumed run makes both exchanges again.
        self.log.extend([step, Step { place: step.place, new: self.numbers[place] }]);
        if !is_right || self.log.len() > LOGGED {
            self.rebuild(problem);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_follows_what_edits_bring() {
        let mut rng = Rng::new(1);
        let mut pairs = Pairs::default();
        pairs.reset(10);
        let mut play = |pairs: &mut Pairs, chances: [f64; 2]| {
            for _ in 0..100_000 {
                let two = pairs.draws_two(&mut rng);
                if rng.chance(chances[usize::from(two)]) {
                    pairs.reward(two);
                }
                pairs.count(two);
                pairs.validate(10).unwrap();
            }
            pairs.share
        };
        assert!(play(&mut pairs, [0.001, 0.05]) >= SHARES.1 - 8);
        assert!(play(&mut pairs, [0.5, 0.01]) <= 3);
        assert!((26..=38).contains(&play(&mut pairs, [0.1, 0.3])));
    }

    #[test]
    fn few_partners_are_remembered() {
        let (mut pairs, mut rng) = (Pairs::default(), Rng::new(1));
        pairs.reset(100);
        assert_eq!(pairs.partner(3, &mut rng), None);
        (0..100).filter(|&other| other != 3).for_each(|other| pairs.join(3, other, &mut rng));
        assert_eq!((pairs.partners[3].len(), &pairs.partners[7]), (PARTNERS, &vec![3]));
        assert!((0..100).any(|_| pairs.partner(7, &mut rng) == Some(3)));
        assert!(pairs.validate(100).is_ok() && pairs.validate(99).is_err());
    }
}
