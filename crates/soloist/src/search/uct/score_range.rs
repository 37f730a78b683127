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
    /// Whether the reward is the second one.
    inverse: bool,
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

    /// Returns the scale to [0, 1] over this range.
    pub(super) fn scale(self) -> Scale {
        self.0.map_or(Scale::between(0.0, 0.0), |(worst, best)| Scale::between(worst, best))
    }
}

impl Scale {
    /// Returns the scale to [0, 1] from the worst to the best score; every score is worth 0 while there is one only.
    pub(super) fn between(worst: f64, best: f64) -> Self {
        if worst.is_nan() || best.is_nan() {
            return Self { low: 0.0, factor: 0.0, inverse: false };
        }
        // Dividing by the signed range turns "better" into "larger" for both senses.
        Self { low: worst, factor: if best == worst { 0.0 } else { 1.0 / (best - worst) }, inverse: false }
    }

    /// Returns the scale that leaves scores as they are.
    pub(super) fn raw(sense: Sense) -> Self {
        match sense {
            Sense::Maximize => Self { low: 0.0, factor: 1.0, inverse: false },
            Sense::Minimize => Self { low: 0.0, factor: -1.0, inverse: false },
        }
    }

    /// Returns the scale of ratios to `reference`: 1 for scores equal to it, larger for better ones of the same sign.
    pub(super) fn ratio(reference: f64, sense: Sense) -> Self {
        // Nothing is a multiple of 0.
        let reference = if reference == 0.0 { 1.0 } else { reference };
        let inverse = (sense == Sense::Minimize) == (reference > 0.0);
        Self { low: 0.0, factor: if inverse { reference } else { 1.0 / reference }, inverse }
    }

    #[inline]
    pub(super) fn reward(self, score: f64) -> f64 {
        if self.inverse { self.factor / score } else { (score - self.low) * self.factor }
    }
}
