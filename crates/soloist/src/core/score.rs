//! Scores of finished solutions, and the one place that compares them.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

/// Whether larger or smaller feasible scores are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sense {
    /// Larger is better: points, value packed, length of a snake.
    Maximize,
    /// Smaller is better: distance, operations, relocations.
    Minimize,
}

/// The value of a finished solution, in the problem's units: a finite number. Another one ends the run with
/// [`SolveError::Score`](crate::run::SolveError::Score).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Score {
    /// A solution that satisfies every constraint, with its objective value.
    Feasible(f64),
    /// A solution that breaks constraints, with the degree by which it does: at least 0, smaller is better.
    Infeasible(f64),
}

impl Score {
    /// Returns the objective value of a feasible solution.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Feasible(value) => Some(value),
            Self::Infeasible(_) => None,
        }
    }

    /// Returns the degree of infeasibility; `None` for a feasible solution.
    #[must_use]
    pub fn violation(self) -> Option<f64> {
        match self {
            Self::Feasible(_) => None,
            Self::Infeasible(degree) => Some(degree),
        }
    }

    /// Whether its number is finite. Other scores are errors.
    #[inline]
    pub(crate) fn is_finite(self) -> bool {
        let (Self::Feasible(number) | Self::Infeasible(number)) = self;
        number.is_finite()
    }

    /// Whether two scores of one solution agree: sums may have been made in another order, so that differences in the
    /// tenth digit pass. `scale` is the size of the numbers that were added, where it is larger than the scores.
    pub(crate) fn is_close_to(self, other: Self, scale: f64) -> bool {
        let close = |a: f64, b: f64| a.total_cmp(&b).is_eq() || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(scale);
        match (self, other) {
            (Self::Feasible(a), Self::Feasible(b)) | (Self::Infeasible(a), Self::Infeasible(b)) => close(a, b),
            _ => false,
        }
    }

    /// Whether the solution satisfies every constraint.
    #[must_use]
    pub fn is_feasible(self) -> bool {
        matches!(self, Self::Feasible(_))
    }
}

/// A pair of the degree by which constraints are broken and the objective value, compared by the first: feasible where
/// that is 0, and otherwise infeasible by its size, whatever its sign.
///
/// Several objectives become one value: a weighted sum, or `factor * first + second` with a factor above anything that
/// the second can gain, which is exact for whole numbers up to 2^53.
///
/// ```
/// use soloist::Score;
///
/// let (too_long, cost) = (0.0, 1000.0 * 3.0 + 250.0);
/// assert_eq!(Score::from((too_long, cost)), Score::Feasible(3250.0));
/// assert_eq!(Score::from((2.5, 10.0)), Score::Infeasible(2.5));
/// ```
impl From<(f64, f64)> for Score {
    fn from((hard, soft): (f64, f64)) -> Self {
        if hard == 0.0 { Self::Feasible(soft) } else { Self::Infeasible(hard.abs()) }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Feasible(value) => write!(f, "{value}"),
            Self::Infeasible(degree) => write!(f, "infeasible by {degree}"),
        }
    }
}

impl Sense {
    /// Whether `a` is strictly better than `b`. Any feasible score beats any infeasible one; a NaN beats no number and
    /// any number beats it.
    ///
    /// ```
    /// use soloist::{Score::{Feasible, Infeasible}, Sense};
    /// assert!(Sense::Maximize.better(Feasible(2.0), Feasible(1.0)));
    /// assert!(Sense::Minimize.better(Feasible(9.0), Infeasible(0.5)));
    /// assert!(Sense::Maximize.better(Infeasible(1.0), Infeasible(2.0)));
    /// ```
    #[inline]
    #[must_use]
    pub fn better(self, a: Score, b: Score) -> bool {
        match (a, b) {
            (Score::Feasible(x), Score::Feasible(y)) => self.better_value(x, y) || y.is_nan() && !x.is_nan(),
            (Score::Feasible(x), Score::Infeasible(y)) => !x.is_nan() || y.is_nan(),
            (Score::Infeasible(_), Score::Feasible(_)) => false,
            (Score::Infeasible(x), Score::Infeasible(y)) => x < y || y.is_nan() && !x.is_nan(),
        }
    }

    /// Whether `a` is at least as good as `b`.
    #[inline]
    #[must_use]
    pub fn at_least(self, a: Score, b: Score) -> bool {
        a == b || self.better(a, b)
    }

    /// Whether the feasible value `x` is strictly better than `y`.
    #[inline]
    #[must_use]
    pub fn better_value(self, x: f64, y: f64) -> bool {
        match self {
            Self::Maximize => x > y,
            Self::Minimize => x < y,
        }
    }

    /// Whether `x` is better than `y` by more than rounding explains: by more than the ninth digit.
    pub(crate) fn clearly_better(self, x: f64, y: f64) -> bool {
        self.better_value(x, y) && (x - y).abs() > 1e-9 * x.abs().max(y.abs())
    }

    /// The same for scores: of infeasible ones, the lower degree is better.
    pub(crate) fn clearly_better_score(self, a: Score, b: Score) -> bool {
        match (a, b) {
            (Score::Feasible(x), Score::Feasible(y)) => self.clearly_better(x, y),
            (Score::Infeasible(x), Score::Infeasible(y)) => Self::Minimize.clearly_better(x, y),
            _ => self.better(a, b),
        }
    }

    /// Returns which of two scores comes first, best first; `None` comes last. Equal ones stay in place in a stable
    /// sort.
    pub(crate) fn best_first(self, a: Option<Score>, b: Option<Score>) -> Ordering {
        let better = |a: Option<Score>, b: Option<Score>| match (a, b) {
            (Some(a), Some(b)) => self.better(a, b),
            (a, b) => a.is_some() && b.is_none(),
        };
        better(b, a).cmp(&better(a, b))
    }

    /// Returns the better of two feasible values.
    #[inline]
    #[must_use]
    pub fn best_value(self, x: f64, y: f64) -> f64 {
        if self.better_value(y, x) { y } else { x }
    }

    /// Returns the worse of two feasible values.
    #[inline]
    #[must_use]
    pub fn worst_value(self, x: f64, y: f64) -> f64 {
        if self.better_value(y, x) { x } else { y }
    }

    /// Whether no solution within `bound` is better than the incumbent.
    #[inline]
    pub(crate) fn is_hopeless(self, bound: f64, incumbent: Option<f64>) -> bool {
        incumbent.is_some_and(|value| !self.better_value(bound, value))
    }
}

/// Returns the bound that excludes nothing.
pub(crate) fn unbounded(sense: Sense) -> f64 {
    match sense {
        Sense::Maximize => f64::INFINITY,
        Sense::Minimize => f64::NEG_INFINITY,
    }
}

/// Returns a number that is larger for a better value; equal values have equal ranks.
pub(crate) fn rank(sense: Sense, value: f64) -> u64 {
    // Adding 0 makes -0 into 0.
    let value = 0.0 + if sense == Sense::Maximize { value } else { -value };
    let bits = value.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Returns the value of a rank.
pub(crate) fn unrank(sense: Sense, rank: u64) -> f64 {
    let value = f64::from_bits(if rank >> 63 == 1 { rank & !(1 << 63) } else { !rank });
    if sense == Sense::Maximize { value } else { 0.0 - value }
}

#[cfg(test)]
mod tests {
    use super::Score::{Feasible, Infeasible};
    use super::Sense;

    #[test]
    fn a_number_beats_none() {
        for sense in [Sense::Maximize, Sense::Minimize] {
            assert!(sense.better(Feasible(1.0), Feasible(f64::NAN)));
            assert!(!sense.better(Feasible(f64::NAN), Feasible(1.0)));
            assert!(!sense.better(Feasible(f64::NAN), Feasible(f64::NAN)));
            assert!(!sense.better(Feasible(f64::NAN), Infeasible(1.0)));
            assert!(sense.better(Infeasible(1.0), Infeasible(f64::NAN)));
        }
    }

    use crate::core::score::{rank, unrank};

    #[test]
    fn ranks_follow_values() {
        let values = [f64::NEG_INFINITY, -3.5, -1e-300, 0.0, 1e-300, 2.0, 1e9, f64::INFINITY];
        for pair in values.windows(2) {
            assert!(rank(Sense::Maximize, pair[0]) < rank(Sense::Maximize, pair[1]), "{pair:?}");
            assert!(rank(Sense::Minimize, pair[0]) > rank(Sense::Minimize, pair[1]), "{pair:?}");
        }
        for sense in [Sense::Maximize, Sense::Minimize] {
            assert_eq!(rank(sense, 0.0), rank(sense, -0.0));
            assert!(values.iter().all(|&value| unrank(sense, rank(sense, value)) == value));
        }
    }
}
