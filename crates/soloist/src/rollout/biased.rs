//! Playouts by a problem's bias, at a steepness that is learned.

use super::{Playout, Rollout};
use crate::core::abort::EVERY;
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::limits::{MOST, ensure};
use crate::core::math;
use crate::{Problem, Rng, Score, Sense};
use serde::{Deserialize, Serialize};

/// Factors of the bias that are tried: 0 is uniform.
const FACTORS: [f64; 7] = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
/// Playouts by one factor in a row; the best of them counts.
const BLOCK: u64 = 8;
/// The weight of exploration among factors, in parts of the range of what blocks have reached.
const EXPLORE: f64 = 0.3;

/// What blocks of playouts by one factor have reached.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Arm {
    blocks: u64,
    sum: f64,
}

/// The rollout `bias` of a problem with a [`Prior`](crate::problem::Prior): a legal move is drawn with a probability
/// proportional to `exp(f * bias)`.
///
/// The factor f is learned: a bandit (UCB1, P. Auer et al., Machine Learning 47, 2002) chooses among 0 (uniform), 0.5,
/// 1, 2, 4, 8 and 16 for eight playouts in a row, and the best score of these is the reward. Cost of a playout: one
/// [`bias`](crate::problem::Prior::bias) for each legal move.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Biased {
    arms: [Arm; FACTORS.len()],
    /// The factor in use, the playouts by it, and the best value of these.
    at: usize,
    played: u64,
    best: Option<f64>,
    /// The least and the largest best value of a block.
    range: Option<(f64, f64)>,
    sense: Sense,
    #[serde(skip)]
    weights: Vec<f64>,
}

impl Biased {
    /// Returns a policy that has learned nothing.
    #[must_use]
    pub fn new(sense: Sense) -> Self {
        // A bias as it is comes first.
        Self { arms: Default::default(), at: 2, played: 0, best: None, range: None, sense, weights: Vec::new() }
    }

    /// Ends a block and chooses the factor of the next one.
    fn choose(&mut self) {
        if let Some(best) = self.best.take() {
            let (low, high) = self.range.unwrap_or((best, best));
            self.range = Some((low.min(best), high.max(best)));
            let arm = &mut self.arms[self.at];
            (arm.blocks, arm.sum) = (arm.blocks + 1, arm.sum + best);
        }
        self.played = 0;
        let Some((low, high)) = self.range else { return };
        let all: u64 = self.arms.iter().map(|arm| arm.blocks).sum();
        let value = |arm: &Arm| {
            if arm.blocks == 0 {
                return f64::INFINITY;
            }
            let mean = arm.sum / arm.blocks as f64;
            let part = if high > low { (mean - low) / (high - low) } else { 0.5 };
            part + EXPLORE * (2.0 * libm::log(all.max(1) as f64) / arm.blocks as f64).sqrt()
        };
        let values = self.arms.map(|arm| value(&arm));
        self.at = (0..values.len()).reduce(|a, b| if values[b] > values[a] { b } else { a }).unwrap_or(0);
    }
}

impl Biased {
    fn learn(&mut self, score: Score) {
        // Larger is better here; what is infeasible says nothing.
        let value = score.value().map(|value| if self.sense == Sense::Minimize { -value } else { value });
        self.best = self.best.into_iter().chain(value).reduce(f64::max);
        self.played += 1;
        if self.played >= BLOCK {
            self.choose();
        }
    }

    fn saved(&self) -> Vec<u8> {
        encode(self)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let saved: Self = decode(bytes)?;
        let counts = saved.arms.iter().all(|arm| arm.blocks <= MOST && arm.sum.is_finite());
        let values = saved.range.into_iter().flat_map(|(low, high)| [low, high]).chain(saved.best);
        let known = saved.at < FACTORS.len() && saved.played < BLOCK && values.into_iter().all(f64::is_finite);
        ensure(counts && known && saved.sense == self.sense, "what a rollout has learned")?;
        *self = saved;
        Ok(())
    }

    /// Replaces the biases by an index drawn with the chance of each.
    fn draw(&mut self, rng: &mut Rng) -> usize {
        let weights = &mut self.weights;
        let top = weights.iter().fold(f64::NEG_INFINITY, |top, &weight| top.max(weight));
        let mut sum = 0.0;
        for weight in weights.iter_mut() {
            sum += math::exp(*weight - top);
            *weight = sum;
        }
        let draw = rng.unit() * sum;
        weights.partition_point(|&sum| sum <= draw).min(weights.len() - 1)
    }
}

impl<P: Problem> Rollout<P> for Biased {
    /// With a value to beat, stops at the first state whose [`bound`](Problem::bound) is not better.
    fn run(&mut self, problem: &P, state: &mut P::State, playout: &mut Playout<P::Move>, rng: &mut Rng) {
        let (sense, to_beat) = (problem.sense(), playout.to_beat);
        let factor = FACTORS[self.at];
        let prior = problem.prior().filter(|_| factor > 0.0);
        loop {
            for _ in 0..EVERY {
                playout.candidates.clear();
                problem.moves(state, &mut playout.candidates);
                let count = playout.candidates.len();
                if count == 0 {
                    return;
                }
                if let Some(value) = to_beat
                    && problem.bound(state).is_some_and(|bound| !sense.better_value(bound, value))
                {
                    return playout.cut_off();
                }
                let at = match prior {
                    Some(prior) if count > 1 => {
                        self.weights.clear();
                        self.weights.extend(playout.candidates.iter().map(|&mv| factor * prior.bias(state, mv)));
                        self.draw(rng)
                    }
                    _ => rng.index(count),
                };
                let mv = playout.candidates[at];
                problem.apply(state, mv);
                playout.moves.push(mv);
            }
            if playout.gives_up() {
                return;
            }
        }
    }

    fn feedback(&mut self, score: Score) {
        self.learn(score);
    }

    fn save(&self) -> Vec<u8> {
        self.saved()
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.restore(bytes)
    }
}
