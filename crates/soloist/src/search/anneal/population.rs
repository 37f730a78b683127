//! Solutions that are cooled together.
//!
//! A cooling is divided into levels of equal length, each with its temperature, and a level into turns, one for each
//! solution. Between two levels a new population is drawn.

use super::energy::Worth;
use crate::Score;
use crate::core::limits::MOST;
use crate::erased::MoveId;
use serde::{Deserialize, Serialize};

/// A solution while the turn is another one's.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Member {
    pub(super) variant: u64,
    pub(super) worth: Worth,
    pub(super) score: Score,
    pub(super) moves: Vec<MoveId>,
    /// What the problem's neighbourhood saves of it.
    pub(super) edits: Vec<u8>,
    /// Whether the problem's neighbourhood makes its neighbours: costs of a neighbourhood and scores are not compared.
    pub(super) edited: bool,
}

impl Member {
    /// The memory that it takes, about.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.moves) + self.edits.len()
    }
}

/// The solutions that are cooled together.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Population {
    /// In the order of their turns. The place of the present one holds what it was at the end of its last turn.
    pub(super) members: Vec<Member>,
    /// The place of the present solution; that behind the last one while it is new.
    pub(super) place: usize,
}

impl Population {
    /// Whether it can be one of a cooling that has room for `size` solutions.
    pub(super) fn is_sound(&self, size: u64) -> bool {
        let finite = |member: &Member| member.worth.cost.is_finite() && member.variant <= MOST;
        self.members.len() as u64 <= size
            && self.place <= self.members.len()
            && (self.place as u64) < size.max(1)
            && self.members.iter().all(finite)
    }
}

/// Draws as many places as there are weights: place i `n w / sum` times in the mean, rounded down or up. `offset` is
/// drawn evenly from 0 to 1.
pub(super) fn systematic(weights: &[f64], offset: f64) -> Vec<usize> {
    let count = weights.len();
    let scale = count as f64 / weights.iter().sum::<f64>();
    let (mut chosen, mut sum) = (Vec::with_capacity(count), 0.0);
    for (place, weight) in weights.iter().enumerate() {
        sum += weight * scale;
        while chosen.len() < count && (chosen.len() as f64) + offset < sum {
            chosen.push(place);
        }
    }
    // Rounding errors of the sum.
    let last = weights.iter().rposition(|&weight| weight > 0.0).unwrap_or(0);
    chosen.resize(count, last);
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_drawn_as_often_as_their_weights_say() {
        assert_eq!(systematic(&[1.0, 1.0, 1.0], 0.5), [0, 1, 2]);
        assert_eq!(systematic(&[0.0, 5.0, 0.0], 0.9), [1, 1, 1]);
        assert_eq!(systematic(&[3.0, 0.0, 1.0, 0.0], 0.0), [0, 0, 0, 2]);
        let weights = [0.2, 1.7, 0.1, 1.4, 0.6];
        let mut counts = [0_u32; 5];
        for step in 0..1000 {
            let chosen = systematic(&weights, (f64::from(step) + 0.5) / 1000.0);
            assert!(chosen.is_sorted() && chosen.len() == 5);
            chosen.iter().for_each(|&place| counts[place] += 1);
        }
        for (count, weight) in counts.into_iter().zip(weights) {
            assert!((f64::from(count) - weight / 4.0 * 5000.0).abs() <= 2.0, "{counts:?}");
        }
    }
}
