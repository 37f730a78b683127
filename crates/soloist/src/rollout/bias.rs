//! The playout policy that draws by the problem's bias.

use super::{Playout, Rollout};
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::cut::EVERY;
use crate::core::limits::ensure;
use crate::core::math;
use crate::{Problem, Rng, Score, Sense};
use serde::{Deserialize, Serialize};

/// What a bias is multiplied by: nothing of it, and steeper and steeper.
const FACTORS: [f64; 5] = [0.0, 0.25, 1.0, 4.0, 16.0];
/// The part of the last playout in the rate of a factor.
const MEMORY: f64 = 0.02;
/// How strongly better rates are preferred: a rate that is higher by this is drawn e times as often.
const SLOPE: f64 = 0.1;
/// The part of the playouts that is spread evenly over the factors.
const EVEN: f64 = 0.1;

/// Draws moves with probabilities that grow with their [`bias`](Problem::bias), and learns how steeply.
///
/// The weight of a move is `exp(f b)`, where `b` is its bias. The factor `f` is one of 0, 1/4, 1, 4 and 16, chosen anew
/// for each playout: a factor whose playouts beat the playout before them more often is chosen more often. So a bias
/// that is too flat, too steep or wrong costs little.
///
/// It exists for every problem under the name `bias`, and is the default of problems that have a bias and name no
/// rollout of their own. Cost of a playout: one listing of moves, and one bias and one exponential for each, a step.
#[derive(Clone, Debug)]
pub struct Biased {
    learned: Learned,
    sense: Sense,
    weights: Vec<f64>,
}

/// What is known of the factors.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Learned {
    /// How often playouts by each factor beat the playout before them.
    rates: [f64; FACTORS.len()],
    /// The factor of the last playout, and the score of the one before it.
    last: usize,
    before: Option<Score>,
}

impl Default for Learned {
    fn default() -> Self {
        Self { rates: [0.5; FACTORS.len()], last: 0, before: None }
    }
}

impl Default for Biased {
    fn default() -> Self {
        Self { learned: Learned::default(), sense: Sense::Maximize, weights: Vec::new() }
    }
}

impl Biased {
    /// Chooses the factor of a playout.
    fn choose(&mut self, rng: &mut Rng) -> f64 {
        let Learned { rates, last, .. } = &mut self.learned;
        let best = rates.iter().fold(0.0_f64, |best, &rate| best.max(rate));
        let weights = rates.map(|rate| math::exp((rate - best) / SLOPE));
        let total: f64 = weights.iter().sum();
        let mut draw = rng.unit();
        *last = FACTORS.len() - 1;
        for (at, weight) in weights.iter().enumerate() {
            let part = EVEN / FACTORS.len() as f64 + (1.0 - EVEN) * weight / total;
            if draw < part {
                *last = at;
                break;
            }
            draw -= part;
        }
        FACTORS[*last]
    }

    /// Draws one of the moves.
    fn draw<P: Problem>(
        &mut self,
        problem: &P,
        state: &P::State,
        moves: &[P::Move],
        factor: f64,
        rng: &mut Rng,
    ) -> P::Move {
        if factor == 0.0 || moves.len() == 1 {
            return moves[rng.index(moves.len())];
        }
        self.weights.clear();
        self.weights.extend(moves.iter().map(|&mv| factor * problem.bias(state, mv)));
        let top = self.weights.iter().fold(f64::NEG_INFINITY, |top, &bias| top.max(bias));
        if !top.is_finite() {
            return moves[rng.index(moves.len())];
        }
        let mut total = 0.0;
        for weight in &mut self.weights {
            total += math::exp(*weight - top);
            *weight = total;
        }
        let draw = rng.unit() * total;
        moves[self.weights.partition_point(|&sum| sum <= draw).min(moves.len() - 1)]
    }
}

impl<P: Problem> Rollout<P> for Biased {
    /// With a value to beat, stops at the first state whose [`bound`](Problem::bound) is not better.
    fn run(&mut self, problem: &P, state: &mut P::State, playout: &mut Playout<P::Move>, rng: &mut Rng) {
        let factor = self.choose(rng);
        self.sense = problem.sense();
        let to_beat = playout.to_beat();
        loop {
            for _ in 0..EVERY {
                playout.candidates.clear();
                problem.moves(state, &mut playout.candidates);
                if playout.candidates.is_empty() {
                    return;
                }
                if let Some(value) = to_beat
                    && problem.bound(state).is_some_and(|bound| !self.sense.better_value(bound, value))
                {
                    return playout.cut_off();
                }
                let mv = self.draw(problem, state, &playout.candidates, factor, rng);
                problem.apply(state, mv);
                playout.moves.push(mv);
            }
            if playout.gives_up() {
                return;
            }
        }
    }

    fn feedback(&mut self, score: Score) {
        let Learned { rates, last, before } = &mut self.learned;
        if let Some(before) = *before {
            let won = match (self.sense.better(score, before), self.sense.better(before, score)) {
                (true, _) => 1.0,
                (_, true) => 0.0,
                _ => 0.5,
            };
            rates[*last] += MEMORY * (won - rates[*last]);
        }
        *before = Some(score);
    }

    fn save(&self) -> Vec<u8> {
        encode(&(&self.learned, self.sense == Sense::Maximize))
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (learned, maximizes) = decode::<(Learned, bool)>(bytes)?;
        let rates = learned.rates.iter().all(|rate| (0.0..=1.0).contains(rate));
        let scores = learned.before.iter().all(|score| score.value().or(score.violation()).is_some_and(f64::is_finite));
        ensure(rates && scores && learned.last < FACTORS.len(), "what a rollout has learned")?;
        self.learned = learned;
        self.sense = if maximizes { Sense::Maximize } else { Sense::Minimize };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes one of ten numbers, eight times; the bias is the number or its negative.
    struct Numbers(f64);

    impl Problem for Numbers {
        type State = (u8, f64);
        type Move = u8;
        fn root(&self) -> (u8, f64) {
            (0, 0.0)
        }
        fn moves(&self, state: &(u8, f64), moves: &mut Vec<u8>) {
            moves.extend((0..10).filter(|_| state.0 < 8));
        }
        fn apply(&self, state: &mut (u8, f64), mv: u8) {
            state.0 += 1;
            state.1 += f64::from(mv);
        }
        fn score(&self, state: &(u8, f64)) -> Score {
            Score::Feasible(state.1)
        }
        fn bias(&self, _: &(u8, f64), mv: u8) -> f64 {
            self.0 * f64::from(mv)
        }
    }

    fn mean(problem: &Numbers, rollout: &mut Biased, playouts: usize) -> f64 {
        let mut rng = Rng::new(1);
        let mut sum = 0.0;
        for _ in 0..playouts {
            let (mut state, mut playout) = (problem.root(), Playout::default());
            rollout.run(problem, &mut state, &mut playout, &mut rng);
            assert_eq!(playout.moves.len(), 8);
            <Biased as Rollout<Numbers>>::feedback(rollout, Score::Feasible(state.1));
            sum += state.1;
        }
        sum / playouts as f64
    }

    #[test]
    fn a_good_bias_is_used_steeply_and_a_wrong_one_hardly() {
        // Uniform playouts have 36 in the mean, the best possible 72.
        let mut good = Biased::default();
        mean(&Numbers(0.1), &mut good, 2_000);
        assert!(mean(&Numbers(0.1), &mut good, 500) > 55.0);
        let mut wrong = Biased::default();
        mean(&Numbers(-1.0), &mut wrong, 2_000);
        assert!(mean(&Numbers(-1.0), &mut wrong, 500) > 27.0, "the even part costs a tenth");
        assert!(wrong.learned.rates[0] > wrong.learned.rates[4]);
    }

    #[test]
    fn what_is_learned_is_saved_and_checked() {
        let mut rollout = Biased::default();
        mean(&Numbers(0.1), &mut rollout, 300);
        let bytes = <Biased as Rollout<Numbers>>::save(&rollout);
        let mut other = Biased::default();
        <Biased as Rollout<Numbers>>::load(&mut other, &bytes).unwrap();
        assert_eq!(mean(&Numbers(0.1), &mut other, 50), mean(&Numbers(0.1), &mut rollout, 50));
        let broken = encode(&(Learned { last: FACTORS.len(), ..Learned::default() }, true));
        assert!(<Biased as Rollout<Numbers>>::load(&mut other, &broken).is_err());
    }
}
