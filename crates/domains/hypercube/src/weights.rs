//! What a vertex within reach is worth: weights by its free neighbours and by its distance from the start.

use super::path::across;
use serde::{Deserialize, Serialize};
use soloist::Rng;

/// One more than the largest dimension: numbers of neighbours and distances.
const CLASSES: usize = *super::DIMENSIONS.end() as usize + 1;

/// `AT[n]`: the vertices of a word that have `n` bits set.
const AT: [u64; 7] = {
    let mut at = [0; 7];
    let mut vertex = 0_u32;
    while vertex < 64 {
        at[vertex.count_ones() as usize] |= 1 << vertex;
        vertex += 1;
    }
    at
};

/// Weights of vertices.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weights {
    /// By the number of neighbours in the same set.
    degree: [f64; CLASSES],
    /// By the distance from vertex 0.
    distance: [f64; CLASSES],
    /// The random part of a rank is below this.
    pub(super) noise: f64,
    /// The part, from 0 to 1, of the longest snake of the cube below that paths begin with.
    pub(super) share: f64,
}

impl Weights {
    /// Returns the weights of `values`, in the order of [`Belief`].
    pub(super) fn new(values: &[f64]) -> Self {
        let (classes, rest) = values.split_at(values.len() - 2);
        let (by_degree, by_distance) = classes.split_at(classes.len() / 2);
        let (mut degree, mut distance) = ([0.0; CLASSES], [0.0; CLASSES]);
        degree[..by_degree.len()].copy_from_slice(by_degree);
        distance[..by_distance.len()].copy_from_slice(by_distance);
        Self { degree, distance, noise: rest[0], share: rest[1].clamp(0.0, 1.0) }
    }

    /// Returns the sum of the weights of a set of vertices of a cube of `words` words.
    pub(super) fn sum<const W: usize>(&self, set: &[u64; W], words: usize, dimension: usize) -> f64 {
        let (mut degree, mut distance) = ([0_u32; 16], [0_u32; 16]);
        for (word, &here) in set.iter().enumerate().take(words).filter(|(_, here)| **here != 0) {
            // Four binary digits of the number of neighbours, for all vertices of the word at once.
            let mut digits = [0_u64; 4];
            for bit in 0..dimension {
                let mut carry = if bit < 6 { across(here, bit) } else { set[(word ^ 1 << (bit - 6)) & (W - 1)] };
                for digit in &mut digits {
                    (*digit, carry) = (*digit ^ carry, *digit & carry);
                }
            }
            for (count, sum) in degree.iter_mut().enumerate().take(dimension + 1) {
                let equal = (0..4).fold(here, |equal, place| {
                    equal & if count >> place & 1 == 1 { digits[place] } else { !digits[place] }
                });
                *sum += equal.count_ones();
            }
            let outer = word.count_ones() as usize;
            for (inner, at) in AT.iter().enumerate() {
                distance[(outer + inner) & 15] += (here & at).count_ones();
            }
        }
        let dot = |weights: &[f64], counts: &[u32]| {
            weights.iter().zip(counts).map(|(weight, &count)| weight * f64::from(count)).sum::<f64>()
        };
        dot(&self.degree, &degree) + dot(&self.distance, &distance)
    }
}

/// Normal distributions of weights: by number of neighbours, by distance, the noise, and the share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Belief {
    mean: Vec<f64>,
    deviation: Vec<f64>,
}

impl Belief {
    /// The part of the last generation in a new mean.
    const RATE: f64 = 0.3;

    /// Returns what is believed before the first beam: a vertex is worth 1, whatever lies beside it.
    pub(super) fn new(dimension: usize) -> Self {
        let list = |degree: f64, distance: f64, noise: f64, share: f64| {
            let mut list = vec![degree; dimension + 1];
            list.resize(2 * (dimension + 1), distance);
            list.extend([noise, share]);
            list
        };
        Self { mean: list(1.0, 0.0, 0.7, 0.5), deviation: list(0.3, 0.15, 0.4, 0.5) }
    }

    /// Draws weights. The noise is not negative. The share may lie outside of 0 to 1 and is learned as it is: with the
    /// nearest number from 0 to 1 the deviation would vanish where all of the snake is best.
    pub(super) fn draw(&self, rng: &mut Rng) -> Vec<f64> {
        let normal = self.mean.iter().zip(&self.deviation).map(|(mean, deviation)| mean + deviation * rng.normal());
        let mut values: Vec<f64> = normal.collect();
        if let [.., noise, _] = &mut values[..] {
            *noise = noise.abs();
        }
        values
    }

    /// Moves towards the weights of the best beams, one or more (the cross-entropy method).
    pub(super) fn learn(&mut self, best: &[Vec<f64>]) {
        let count = best.len() as f64;
        for (place, (mean, deviation)) in self.mean.iter_mut().zip(&mut self.deviation).enumerate() {
            let new = best.iter().map(|values| values[place]).sum::<f64>() / count;
            let spread = best.iter().map(|values| (values[place] - new).powi(2)).sum::<f64>() / count;
            *mean += Self::RATE * (new - *mean);
            *deviation += Self::RATE * (spread.sqrt() - *deviation);
        }
    }

    /// Whether it may be a belief of weights in this dimension.
    pub(super) fn is_sound(&self, dimension: usize) -> bool {
        let fits = |list: &[f64]| are_weights(list, dimension);
        fits(&self.mean) && fits(&self.deviation) && self.deviation.iter().all(|&deviation| deviation >= 0.0)
    }
}

/// Whether `values` may be the weights of a beam in this dimension. Weights of this size are never learned; larger ones
/// from damaged bytes might add up to no number.
pub(super) fn are_weights(values: &[f64], dimension: usize) -> bool {
    values.len() == 2 * dimension + 4 && values.iter().all(|value| value.abs() < 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the definition, vertex by vertex.
    #[test]
    fn vertices_are_weighed_by_neighbours_and_distance() {
        let mut rng = Rng::new(3);
        for dimension in [4, 6, 8, 11, 13] {
            let values: Vec<f64> = (0..2 * dimension + 4).map(|_| (rng.index(64) as f64) / 8.0).collect();
            for density in [0.2, 0.5, 1.0] {
                let mut set = [0_u64; 128];
                let members: Vec<usize> = (0..1 << dimension).filter(|_| rng.chance(density)).collect();
                let is_member: std::collections::HashSet<usize> = members.iter().copied().collect();
                members.iter().for_each(|&vertex| set[vertex >> 6] |= 1 << (vertex & 63));
                let worth = |&vertex: &usize| {
                    let degree = (0..dimension).filter(|bit| is_member.contains(&(vertex ^ 1 << bit))).count();
                    values[degree] + values[dimension + 1 + vertex.count_ones() as usize]
                };
                let expected: f64 = members.iter().map(worth).sum();
                let words = (1_usize << dimension).div_ceil(64);
                assert_eq!(Weights::new(&values).sum(&set, words, dimension), expected, "{dimension} {density}");
            }
        }
    }

    #[test]
    fn a_belief_moves_towards_the_best_weights() {
        let (mut belief, mut rng) = (Belief::new(7), Rng::new(1));
        // The best have 1.4 for a vertex with three neighbours.
        for _ in 0..30 {
            let mut drawn: Vec<Vec<f64>> = (0..40).map(|_| belief.draw(&mut rng)).collect();
            drawn.sort_by(|a, b| (a[3] - 1.4).abs().total_cmp(&(b[3] - 1.4).abs()));
            belief.learn(&drawn[..10]);
        }
        assert!((belief.mean[3] - 1.4).abs() < 0.1 && belief.deviation[3] < 0.1, "{:?}", belief.mean);
        assert!(belief.is_sound(7) && !belief.is_sound(8));
        belief.deviation[0] = f64::NAN;
        assert!(!belief.is_sound(7));
    }
}
