//! The scores that a search has met, and how a score becomes a reward.

use crate::{Score, Sense};
use serde::{Deserialize, Serialize};

/// What the search has met so far: the measures by which scores are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScoreRange {
    /// Feasible scores.
    pub(super) range: Range,
    /// The score that ratios compare with, as the parameters or the problem have it.
    standard: Option<f64>,
    /// The first feasible score.
    first: Option<f64>,
    /// The length of the longest solution.
    pub(super) longest: usize,
}

/// What a checkpoint holds of it.
pub(super) type SavedScoreRange = (Range, Option<f64>, usize);

impl ScoreRange {
    pub(super) fn new(standard: Option<f64>) -> Self {
        Self { range: Range::default(), standard, first: None, longest: 0 }
    }

    /// Takes account of a playout's score.
    pub(super) fn add(&mut self, score: Score, sense: Sense) {
        if let Score::Feasible(value) = score {
            self.range.add(value, sense);
            self.first.get_or_insert(value);
        }
    }

    /// Returns the score that ratios compare with.
    pub(super) fn standard(&self) -> f64 {
        self.standard.or(self.first).unwrap_or(0.0)
    }

    pub(super) fn save(&self) -> SavedScoreRange {
        (self.range, self.first, self.longest)
    }

    pub(super) fn load(&mut self, (range, first, longest): SavedScoreRange) {
        (self.range, self.first, self.longest) = (range, first, longest);
    }
}

/// How a score becomes a reward: `(score - low) * factor`, or `factor / score`. Larger is better, whatever the sense.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) factor: f64,
    kind: Kind,
}

/// What is scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// The score, by the first formula.
    Linear,
    /// The score, by the second one.
    Inverse,
    /// What the score is the logarithm of, by the first formula.
    Power {
        /// The natural logarithm of the base.
        log: f64,
        /// The score that counts as 1.
        top: f64,
    },
}

/// Worst and best of some scores; nothing before the first.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Range(Option<(f64, f64)>);

impl Range {
    pub(super) fn add(&mut self, value: f64, sense: Sense) {
        let (worst, best) = self.0.unwrap_or((value, value));
        self.0 = Some((sense.worst_value(worst, value), sense.best_value(best, value)));
    }

    pub(super) fn worst(self) -> Option<f64> {
        self.0.map(|(worst, _)| worst)
    }

    /// Returns the worst and the best score; NaN before the first.
    pub(super) fn ends(self) -> (f64, f64) {
        self.0.unwrap_or((f64::NAN, f64::NAN))
    }

    /// Returns the scale to [0, 1] over this range.
    pub(super) fn scale(self) -> Scale {
        self.0.map_or(Scale::between(0.0, 0.0), |(worst, best)| Scale::between(worst, best))
    }
}

impl Scale {
    /// Returns the scale to [0, 1] from the worst to the best score; every score is worth 0 while there is one only.
    pub(super) fn between(worst: f64, best: f64) -> Self {
        if worst.is_nan() || best.is_nan() {
            return Self { low: 0.0, factor: 0.0, kind: Kind::Linear };
        }
        // Dividing by the signed range turns "better" into "larger" for both senses.
        Self { low: worst, factor: if best == worst { 0.0 } else { 1.0 / (best - worst) }, kind: Kind::Linear }
    }

    /// Returns the same for scores that are logarithms to `base`: what they are the logarithms of is scaled.
    pub(super) fn between_powers(worst: f64, best: f64, base: f64) -> Self {
        if worst.is_nan() || best.is_nan() {
            return Self::between(worst, best);
        }
        // Only quotients matter: the larger end counts as 1, so that no power is too large.
        let (log, top) = (libm::log(base), worst.max(best));
        let power = |score: f64| libm::exp((score - top) * log);
        Self { kind: Kind::Power { log, top }, ..Self::between(power(worst), power(best)) }
    }

    /// Returns the scale that leaves scores as they are.
    pub(super) fn raw(sense: Sense) -> Self {
        match sense {
            Sense::Maximize => Self { low: 0.0, factor: 1.0, kind: Kind::Linear },
            Sense::Minimize => Self { low: 0.0, factor: -1.0, kind: Kind::Linear },
        }
    }

    /// Returns the scale of ratios to `reference`: 1 for scores equal to it, larger for better ones of the same sign.
    pub(super) fn ratio(reference: f64, sense: Sense) -> Self {
        // Nothing is a multiple of 0.
        let reference = if reference == 0.0 { 1.0 } else { reference };
        if (sense == Sense::Minimize) == (reference > 0.0) {
            Self { low: 0.0, factor: reference, kind: Kind::Inverse }
        } else {
            Self { low: 0.0, factor: 1.0 / reference, kind: Kind::Linear }
        }
    }

    #[inline]
    pub(super) fn reward(&self, score: f64) -> f64 {
        if matches!(self.kind, Kind::Linear) { (score - self.low) * self.factor } else { self.rare(score) }
    }

    /// Out of the way of the usual kind.
    #[cold]
    fn rare(&self, score: f64) -> f64 {
        match self.kind {
            Kind::Power { log, top } => (libm::exp((score - top) * log) - self.low) * self.factor,
            Kind::Inverse => self.factor / score,
            Kind::Linear => (score - self.low) * self.factor,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn logarithms_are_scaled_as_what_they_stand_for() {
        // Differences 1,000 (worst), 10 and 8 (best), and the same as logarithms.
        let (plain, logs) = (Scale::between(1000.0, 8.0), Scale::between_powers(1000_f64.log2(), 3.0, 2.0));
        for value in [8.0_f64, 10.0, 500.0, 1000.0] {
            let (expected, reward) = (plain.reward(value), logs.reward(value.log2()));
            assert!((expected - reward).abs() < 1e-12, "{value}: {expected} against {reward}");
        }
        // Larger scores may be the better ones, and powers need not fit into a number.
        let huge = Scale::between_powers(5_000.0, 5_001.0, 2.0);
        assert_eq!([huge.reward(5_000.0), huge.reward(5_001.0)], [0.0, 1.0]);
        assert_eq!(Scale::between_powers(3.0, 3.0, 2.0).reward(3.0), 0.0);
        assert_eq!(Scale::between_powers(f64::NAN, f64::NAN, 2.0).reward(3.0), 0.0);
    }
}
