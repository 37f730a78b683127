//! The statements of a paper, tested on our runs.

use super::description::{Claim, Part};
use super::paper::Paper;
use super::stages::Runs;
use crate::bench::{Detail, Signs, record};
use crate::failure::Failure;
use soloist_domain::RunRecord;
use soloist_statistics::{paired_t, wilcoxon};
use std::cmp::Ordering;

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
    /// The runs could not have shown it: too few instances for any p below 0.05, settings that mean nothing at this
    /// scale, or published values that do not show it on these instances.
    NotTestable,
    /// There is nothing to compare: no instance has the scores that the test needs.
    NotTested,
}

impl Outcome {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::NotConfirmed => "not confirmed",
            Self::Differs => "differs",
            Self::NotTestable => "not testable here",
            Self::NotTested => "not tested",
        }
    }
}

/// What the values of the paper say about its statement, by the same test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Own {
    pub(crate) pairs: usize,
    /// Mean advantage, larger being better.
    pub(crate) advantage: f64,
    /// `None` if all values are equal.
    pub(crate) p: Option<f64>,
}

impl Own {
    fn of(advantages: &[f64]) -> Option<Self> {
        let mean = paired_t(advantages, CONFIDENCE)?.mean;
        let rank = wilcoxon(advantages);
        Some(Self { pairs: advantages.len(), advantage: mean, p: (rank.count > 0).then_some(rank.p) })
    }

    fn shows(&self) -> bool {
        self.advantage > 0.0 && self.p.is_some_and(|p| p < LEVEL)
    }
}

/// A statement with its test.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) text: String,
    /// Whether it is a question of ours.
    pub(crate) ours: bool,
    /// What was compared, in words.
    pub(crate) test: String,
    pub(crate) outcome: Outcome,
    /// Instances that were compared (seeds, where there is one instance). Units without a difference count in a sign
    /// test alone.
    pub(crate) pairs: usize,
    /// Mean advantage of the method named first, larger being better whatever the sense, and its interval.
    pub(crate) advantage: Option<f64>,
    pub(crate) interval: Option<(f64, f64)>,
    /// Of the Wilcoxon signed-rank test, or of the sign test where a side has no feasible solution; `None` without
    /// pairs.
    pub(crate) p: Option<f64>,
    /// The same of all published values, where the paper gives them for each instance.
    pub(crate) published: Option<Own>,
}

impl Verdict {
    /// Tests a claim on runs of this scale.
    ///
    /// # Errors
    /// The claim is about parts of scores, and the file of the runs cannot be read.
    pub(crate) fn new(paper: &Paper, runs: &Runs, claim: &Claim, scale: f64) -> Result<Self, Failure> {
        match &claim.part {
            Some(part) => Self::having(runs, claim, part),
            None => Ok(Self::comparing(paper, runs, claim, scale)),
        }
    }

    /// Tests whether all runs of the method end with a part of the score.
    fn having(runs: &Runs, claim: &Claim, part: &Part) -> Result<Self, Failure> {
        let is_asked = |record: &RunRecord| {
            record.task.label.as_ref() == Some(&claim.method)
                && runs.instances.contains(&record.task.instance)
                && runs.seeds.contains(&record.task.seed)
        };
        let records = record::read_all(&runs.file, Detail::None)?;
        let value = |record: &RunRecord| {
            record.parts.all().iter().find(|(name, _)| *name == part.name).map(|(_, value)| *value)
        };
        let sound = records.iter().filter(|record| is_asked(record) && record.verified != Some(false));
        Ok(Self::counting(claim, part, &sound.map(value).collect::<Vec<_>>()))
    }

    /// Judges values of a part, one for each run; `None`: the run has no such part.
    fn counting(claim: &Claim, part: &Part, values: &[Option<f64>]) -> Self {
        let has = values.iter().filter(|value| value.is_some_and(|value| value == part.is)).count();
        let test = format!("{}: {} {} in {has} of {} runs", claim.method, part.name, part.is, values.len());
        let mut verdict = Self::of(claim, test, &[], None);
        verdict.pairs = values.len();
        verdict.outcome = match values.len() {
            0 => Outcome::NotTested,
            all if all == has => Outcome::Confirmed,
            _ => Outcome::NotConfirmed,
        };
        verdict
    }

    fn comparing(paper: &Paper, runs: &Runs, claim: &Claim, scale: f64) -> Self {
        let Some(a) = runs.method(&claim.method) else { return Self::of(claim, String::new(), &[], None) };
        let sign = if runs.sense.better_value(1.0, 0.0) { 1.0 } else { -1.0 };
        if let Some(column) = &claim.reaches {
            let (mut differences, mut unsolved) = (Vec::new(), 0);
            for (at, instance) in runs.instances.iter().enumerate() {
                let ours = runs.grid.best(&runs.grid.scores(a, at));
                let Some(published) = paper.published.score(instance, column) else { continue };
                unsolved += usize::from(runs.grid.is_unsolved(a, at));
                if let Some(ours) = ours {
                    // Published values are rounded to two decimals at most.
                    let difference = ours - published;
                    differences.push(if difference.abs() < 0.01 { 0.0 } else { sign * difference });
                }
            }
            return Self::reaching(claim, column, &differences, unsolved);
        }
        let than = claim.than.as_deref().unwrap_or_default();
        let Some(b) = runs.method(than) else { return Self::of(claim, String::new(), &[], None) };
        let differences: Vec<f64> = runs.grid.differences(a, b).iter().map(|difference| sign * difference).collect();
        let margin = claim.margin.map(|part| part * runs.grid.row(b).mean.map_or(0.0, |(mean, _)| mean.abs()));
        let test = match margin.filter(|_| !differences.is_empty()) {
            None => format!("{} against {than}", claim.method),
            Some(margin) => format!("{} against {than}, a margin of {margin:.4}", claim.method),
        };
        let published = |names: &[String]| -> Vec<f64> {
            let difference = |name: &String| {
                let (a, b) = (paper.published.score(name, &claim.method)?, paper.published.score(name, than)?);
                Some(sign * (a - b))
            };
            names.iter().filter_map(difference).collect()
        };
        let mut verdict = match runs.grid.signs(a, b) {
            Some(signs) => Self::by_signs(claim, test, signs),
            None => Self::of(claim, test, &differences, margin),
        };
        verdict.published = Own::of(&published(&paper.published.instances()));
        if margin.is_none() {
            verdict.judge_power(Own::of(&published(&runs.instances)));
        }
        if let Some(least) = claim.least_scale.filter(|&least| scale < least) {
            verdict.outcome = Outcome::NotTestable;
            verdict.test.push_str(&format!("; the settings mean nothing below scale {least}"));
        }
        verdict
    }

    /// Tests a claim by the sign test, because a side has no feasible solution on some instances: any feasible solution
    /// is better than none, and of two runs without one the smaller violation is.
    fn by_signs(claim: &Claim, mut test: String, signs: Signs) -> Self {
        let Signs { wins, losses, ties, unscored, p } = signs;
        let pairs = wins + losses + ties;
        test.push_str(&format!(
            "; sign test, {wins} to {losses}: a side has no feasible solution in {unscored} of {pairs}"
        ));
        let outcome = match wins.cmp(&losses) {
            Ordering::Greater if p < LEVEL => Outcome::Confirmed,
            Ordering::Less if p < LEVEL => Outcome::Differs,
            _ => Outcome::NotConfirmed,
        };
        let mut verdict = Self::of(claim, test, &[], None);
        (verdict.outcome, verdict.pairs, verdict.p) = (outcome, pairs, (wins + losses > 0).then_some(p));
        verdict
    }

    /// Whether the published values are reached: in the sum over the instances that have one. They are not where a
    /// method has no feasible solution on some of them (`unsolved`).
    fn reaching(claim: &Claim, column: &str, differences: &[f64], unsolved: usize) -> Self {
        let reached = differences.iter().filter(|&&difference| difference >= 0.0).count();
        let test = format!(
            "the sum of {} against that of {column}; reached on {reached} of {} instances",
            claim.method,
            differences.len()
        );
        let mut verdict = Self::of(claim, test, differences, None);
        if unsolved > 0 {
            verdict.test.push_str(&format!("; no feasible solution on {unsolved}"));
        }
        if !differences.is_empty() || unsolved > 0 {
            let is_reached = unsolved == 0 && differences.iter().sum::<f64>() >= 0.0;
            verdict.outcome = if is_reached { Outcome::Confirmed } else { Outcome::NotConfirmed };
        }
        verdict
    }

    /// Withdraws a verdict that could not have been another one. `own`: the published values of the same instances.
    fn judge_power(&mut self, own: Option<Own>) {
        if self.outcome != Outcome::NotConfirmed {
            return;
        }
        // The least p of n differences that all have one sign.
        let least = 2.0_f64.powi(1 - i32::try_from(self.pairs).unwrap_or(i32::MAX));
        if least >= LEVEL {
            self.outcome = Outcome::NotTestable;
            self.test.push_str(&format!("; p cannot be below {least}"));
        } else if own.is_some_and(|own| !own.shows()) {
            self.outcome = Outcome::NotTestable;
            self.test.push_str("; the published values of these instances do not show it either");
        }
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
        let (text, pairs) = (claim.text.clone(), advantages.len());
        Self { text, ours: claim.ours, test, outcome, pairs, advantage: mean, interval, p, published: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::analysis::tests::run;
    use crate::bench::{Grid, Line};
    use soloist::Sense;

    fn claim() -> Claim {
        Claim {
            text: String::new(),
            method: "ours".to_owned(),
            than: Some(String::new()),
            margin: None,
            reaches: None,
            part: None,
            least_scale: None,
            ours: false,
        }
    }

    fn outcome(advantages: &[f64], margin: Option<f64>) -> Outcome {
        Verdict::of(&claim(), String::new(), advantages, margin).outcome
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

    #[test]
    fn sums_are_reached() {
        let reach = |differences: &[f64]| Verdict::reaching(&claim(), "theirs", differences, 0);
        let verdict = reach(&[5.0, -4.0, 0.0]);
        assert_eq!(verdict.outcome, Outcome::Confirmed);
        assert_eq!(verdict.test, "the sum of ours against that of theirs; reached on 2 of 3 instances");
        assert_eq!(reach(&[5.0, -6.0, 0.0]).outcome, Outcome::NotConfirmed);
        let verdict = reach(&[]);
        assert_eq!((verdict.outcome, verdict.pairs, verdict.p), (Outcome::NotTested, 0, None));
        // A value is not reached without a feasible solution, whatever the others are.
        let verdict = Verdict::reaching(&claim(), "theirs", &[5.0, 4.0], 1);
        assert_eq!(verdict.outcome, Outcome::NotConfirmed);
        assert!(verdict.test.ends_with("; no feasible solution on 1"), "{}", verdict.test);
        assert_eq!(Verdict::reaching(&claim(), "theirs", &[], 2).outcome, Outcome::NotConfirmed);
    }

    #[test]
    fn parts_of_scores_are_counted() {
        let part = Part { name: "tiles left".to_owned(), is: 0.0 };
        let outcome = |values: &[Option<f64>]| Verdict::counting(&claim(), &part, values).outcome;
        assert_eq!(outcome(&[]), Outcome::NotTested);
        assert_eq!(outcome(&[Some(0.0), Some(0.0)]), Outcome::Confirmed);
        assert_eq!([outcome(&[Some(0.0), Some(2.0)]), outcome(&[Some(0.0), None])], [Outcome::NotConfirmed; 2]);
        let verdict = Verdict::counting(&claim(), &part, &[Some(0.0), Some(2.0), None]);
        assert_eq!((verdict.test.as_str(), verdict.pairs), ("ours: tiles left 0 in 1 of 3 runs", 3));
        assert_eq!((verdict.advantage, verdict.p), (None, None));
    }

    #[test]
    fn what_has_no_feasible_solution_is_worse() {
        /// Runs of two methods with seeds 1, 2, ... on one instance: their scores.
        fn signs(a: &[Option<f64>], b: &[Option<f64>]) -> Option<Signs> {
            let line = |scores: &[Option<f64>]| {
                let ending = |score: &Option<f64>| run(*score, score.is_none().then_some(1.0)).unwrap();
                Line::from([(0, scores.iter().map(ending).enumerate().collect())])
            };
            Grid::of(Sense::Minimize, 1, vec![line(a), line(b)]).signs(0, 1)
        }
        let (none, some) = ([None; 10], [Some(7.0); 10]);
        let lost = signs(&none, &some).unwrap();
        assert_eq!((lost.wins, lost.losses, lost.ties, lost.unscored), (0, 10, 0, 10));
        // Two of 2^10 outcomes are as one-sided.
        assert!((lost.p - 1.0 / 512.0).abs() < 1e-9, "{}", lost.p);
        let verdict = Verdict::by_signs(&claim(), "a against b".to_owned(), lost);
        assert_eq!((verdict.outcome, verdict.pairs, verdict.advantage), (Outcome::Differs, 10, None));
        assert_eq!(verdict.test, "a against b; sign test, 0 to 10: a side has no feasible solution in 10 of 10");
        let won = Verdict::by_signs(&claim(), String::new(), signs(&some, &none).unwrap());
        assert_eq!(won.outcome, Outcome::Confirmed);
        // One feasible run of ten, and scores where both have them: 9 ties and a win show nothing.
        let mut one = none;
        one[3] = Some(7.0);
        let few = signs(&one, &none).unwrap();
        assert_eq!((few.wins, few.losses, few.ties), (1, 0, 9));
        assert_eq!(Verdict::by_signs(&claim(), String::new(), few).outcome, Outcome::NotConfirmed);
        // Where every pair has both scores, the differences are tested as ever.
        assert_eq!(signs(&some, &some), None);
    }

    #[test]
    fn what_cannot_be_shown_is_not_testable() {
        let judged = |advantages: &[f64], own: &[f64]| {
            let mut verdict = Verdict::of(&claim(), String::new(), advantages, None);
            verdict.judge_power(Own::of(own));
            verdict.outcome
        };
        // Five differences have a p of 0.0625 at least, six one of 0.03125.
        assert_eq!(judged(&[1.0, 2.0, 3.0, 4.0, 5.0], &[]), Outcome::NotTestable);
        assert_eq!(judged(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[]), Outcome::Confirmed);
        let mixed = [5.0, -4.0, 3.0, -6.0, 2.0, 1.0];
        assert_eq!(judged(&mixed, &[]), Outcome::NotConfirmed);
        assert_eq!(judged(&mixed, &mixed), Outcome::NotTestable);
        assert_eq!(judged(&mixed, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), Outcome::NotConfirmed);
        // What was shown stays, whatever the paper's values say.
        let bad: Vec<f64> = (1..=12).map(|value| -f64::from(value)).collect();
        assert_eq!(judged(&bad, &mixed), Outcome::Differs);
    }
}
