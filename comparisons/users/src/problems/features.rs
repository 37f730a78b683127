//! Feature selection: which of 30 features a nearest-neighbour classifier should see. A black box of half a
//! millisecond.

use crate::bench::{ByHand, Instance};
use crate::hand::{Clock, anneal};
use soloist::{Problem, Rng, Score, Sense};

const FEATURES: usize = 30;
const SAMPLES: usize = 160;

/// Samples of two classes, the even ones and the odd ones.
pub(crate) struct Data(Vec<[f32; FEATURES]>);

impl Instance for Data {
    /// Ten features say a little about the class, some only two by two, the others nothing.
    fn instance() -> Self {
        let mut rng = Rng::new(30);
        let mut sample = |at: usize| {
            let side = if at.is_multiple_of(2) { -1.0 } else { 1.0 };
            let mut values: [f64; FEATURES] = std::array::from_fn(|_| rng.normal());
            (0..6).for_each(|feature| values[feature * 5] += 0.6 * side);
            (0..2).for_each(|pair| values[pair * 7 + 3] = (values[pair * 7 + 4] * side + 0.5 * rng.normal()) * 1.2);
            values.map(|value| value as f32)
        };
        Self((0..SAMPLES).map(&mut sample).collect())
    }
}

impl Data {
    /// Samples whose three nearest others are mostly of the other class, and a little for each feature.
    fn errors(&self, features: &[bool]) -> f64 {
        let chosen: Vec<usize> = (0..features.len()).filter(|&feature| features[feature]).collect();
        let far = |a: usize, b: usize| -> f32 {
            chosen.iter().map(|&feature| (self.0[a][feature] - self.0[b][feature]).powi(2)).sum()
        };
        let is_wrong = |a: usize| {
            let mut near = [(f32::INFINITY, 0); 3];
            for b in (0..SAMPLES).filter(|&b| b != a) {
                let next = (far(a, b), b);
                if next.0 < near[2].0 {
                    near[2] = next;
                    near.sort_by(|a, b| a.0.total_cmp(&b.0));
                }
            }
            near.iter().filter(|(_, b)| a % 2 != b % 2).count() > 1
        };
        (0..SAMPLES).filter(|&sample| is_wrong(sample)).count() as f64 + 0.2 * chosen.len() as f64
    }
}

impl Problem for Data {
    /// The features decided so far.
    type State = Vec<bool>;
    /// Whether the next one is seen.
    type Move = bool;

    fn root(&self) -> Vec<bool> {
        Vec::new()
    }
    fn moves(&self, features: &Vec<bool>, moves: &mut Vec<bool>) {
        if features.len() < FEATURES {
            moves.extend([false, true]);
        }
    }
    fn apply(&self, features: &mut Vec<bool>, is_seen: bool) {
        features.push(is_seen);
    }
    fn score(&self, features: &Vec<bool>) -> Score {
        Score::Feasible(self.errors(features))
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn code(&self, features: &Vec<bool>, is_seen: bool) -> u64 {
        features.len() as u64 * 2 + u64::from(is_seen)
    }
}

impl ByHand for Data {
    /// Annealing: one feature more or less.
    fn hand(&self, clock: &Clock, rng: &mut Rng) -> Vec<bool> {
        let edit = |features: &mut Vec<bool>, rng: &mut Rng| {
            let feature = rng.index(FEATURES);
            features[feature] = !features[feature];
        };
        let start = (0..FEATURES).map(|_| rng.chance(0.5)).collect();
        anneal((clock, rng), start, (3.0, 0.2), |features| self.errors(features), edit)
    }
}
