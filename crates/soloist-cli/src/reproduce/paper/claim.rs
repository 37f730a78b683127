//! The statements of a paper, tested on our runs.

use super::Paper;
use super::description::Claim;
use super::stages::Runs;
use soloist::statistics::{paired_t, wilcoxon};

/// Below this probability a difference counts as one.
const LEVEL: f64 = 0.05;
/// Confidence of the intervals.
const CONFIDENCE: f64 = 0.95;

/// What our runs say about a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The runs show it.
    Confirmed,
    /// The runs do not show it, nor its opposite.
    NotConfirmed,
    /// The runs show the opposite.
    Differs,
    /// There is nothing to compare: no instance has the scores that the test needs.
    NotTested,
}

impl Outcome {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotConfirmed => "not confirmed",
            Self::Differs => "differs",
            Self::NotTested => "not tested",
        }
    }
}

/// A statement with its test.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) text: String,
    /// What was compared, in words.
    pub(crate) test: String,
    pub(crate) outcome: Outcome,
    /// Instances that were compared (seeds, where there is one instance).
    pub(crate) pairs: usize,
    /// Mean advantage of the method named first, larger being better whatever the sense, and its interval.
    pub(crate) advantage: Option<f64>,
    pub(crate) interval: Option<(f64, f64)>,
    /// Of the Wilcoxon signed-rank test; `None` without pairs.
    pub(crate) p: Option<f64>,
}

impl Verdict {
    /// Tests a claim.
    pub(crate) fn new(paper: &Paper, runs: &Runs, claim: &Claim) -> Self {
        let Some(a) = runs.method(&claim.method) else { return Self::of(claim, String::new(), &[], None) };
        let sign = if runs.plan.sense.better_value(1.0, 0.0) { 1.0 } else { -1.0 };
        if let Some(column) = &claim.reaches {
            let mut differences = Vec::new();
            for (at, instance) in runs.plan.instances.iter().enumerate() {
                let ours = runs.grid.best(&runs.grid.scores(a, at));
                let published = paper.published.score(&instance.name, column);
                if let (Some(ours), Some(published)) = (ours, published) {
                    // Published values are rounded to two decimals at most.
                    let difference = ours - published;
                    differences.push(if difference.abs() < 0.01 { 0.0 } else { sign * difference });
                }
            }
            let reached = differences.iter().filter(|&&difference| difference >= 0.0).count();
            let test = format!("{} reaches {column} on {reached} of {} instances", claim.method, differences.len());
            let mut verdict = Self::of(claim, test, &differences, None);
            if !differences.is_empty() {
                let all = reached == differences.len();
                verdict.outcome = if all { Outcome::Confirmed } else { Outcome::NotConfirmed };
            }
            return verdict;
        }
        let than = claim.than.as_deref().unwrap_or_default();
        let Some(b) = runs.method(than) else { return Self::of(claim, String::new(), &[], None) };
        let differences: Vec<f64> = runs.grid.differences(a, b).iter().map(|difference| sign * difference).collect();
        let margin = claim.margin.map(|part| part * runs.grid.row(b).mean.map_or(0.0, |(mean, _)| mean.abs()));
        let test = match margin.filter(|_| !differences.is_empty()) {
            None => format!("{} against {than}", claim.method),
            Some(margin) => format!("{} against {than}, a margin of {margin:.4}", claim.method),
        };
        Self::of(claim, test, &differences, margin)
    }

    /// Tests whether advantages are above 0, or with `margin` above minus the margin.
    fn of(claim: &Claim, test: String, advantages: &[f64], margin: Option<f64>) -> Self {
        let t = paired_t(advantages, CONFIDENCE);
        let rank = wilcoxon(advantages);
        let mean = t.map(|t| t.mean);
        let interval = t.and_then(|t| t.interval);
        let shown = rank.count > 0 && rank.p < LEVEL;
        let outcome = match (mean, interval, margin) {
            _ if advantages.is_empty() => Outcome::NotTested,
            (Some(_), Some((low, _)), Some(margin)) if low > -margin => Outcome::Confirmed,
            (Some(mean), ..) if shown && mean > 0.0 => Outcome::Confirmed,
            (Some(mean), ..) if shown && mean < 0.0 => Outcome::Differs,
            _ => Outcome::NotConfirmed,
        };
        let p = (rank.count > 0).then_some(rank.p);
        Self { text: claim.text.clone(), test, outcome, pairs: advantages.len(), advantage: mean, interval, p }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(advantages: &[f64], margin: Option<f64>) -> Outcome {
        let claim =
            Claim { text: String::new(), method: String::new(), than: Some(String::new()), margin, reaches: None };
        Verdict::of(&claim, String::new(), advantages, margin).outcome
    }

    #[test]
    fn verdicts_follow_sign_and_significance() {
        let good: Vec<f64> = (1..=12).map(f64::from).collect();
        let bad: Vec<f64> = good.iter().map(|value| -value).collect();
        let mixed = [5.0, -4.0, 3.0, -6.0, 2.0, 1.0];
        assert_eq!(outcome(&good, None), Outcome::Confirmed);
        assert_eq!(outcome(&bad, None), Outcome::Differs);
        assert_eq!(outcome(&mixed, None), Outcome::NotConfirmed);
        assert_eq!(outcome(&[0.0, 0.0], None), Outcome::NotConfirmed);
        assert_eq!([outcome(&[], None), outcome(&[], Some(1.0))], [Outcome::NotTested; 2]);
    }

    #[test]
    fn as_good_as_needs_the_whole_interval() {
        let mixed = [5.0, -4.0, 3.0, -6.0, 2.0, 1.0];
        assert_eq!(outcome(&mixed, Some(20.0)), Outcome::Confirmed);
        assert_eq!(outcome(&mixed, Some(0.1)), Outcome::NotConfirmed);
        let bad: Vec<f64> = (1..=12).map(|value| -f64::from(value)).collect();
        assert_eq!(outcome(&bad, Some(1.0)), Outcome::Differs);
    }
}
