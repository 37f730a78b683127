//! Racing: settings that do not belong to the best are dropped before they have seen every instance.

use soloist::Sense;
use soloist_statistics::paired_t;
use std::cmp::Ordering;

/// When a setting leaves the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Race {
    /// A paired t test.
    T,
    /// Hoeffding's bound, which assumes nothing but a range of the scores and drops later.
    Hoeffding,
}

impl Race {
    /// The word of the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::T => "t",
            Self::Hoeffding => "hoeffding",
        }
    }
}

/// Instances that every setting sees before a t test drops the first.
pub(crate) const LEAST: usize = 5;
/// The t race drops a setting when a worse mean would be seen by chance with at most this probability (two-sided); in
/// the Hoeffding race this is the probability that any of its bounds fails.
const LEVEL: f64 = 0.05;

/// What a setting has reached on the instances so far; `None`: no feasible solution.
pub(crate) type Scores = Vec<Option<f64>>;

/// How good a setting is: more instances seen come first, since the others were dropped, then more feasible runs, then
/// the better mean.
pub(crate) fn compare(sense: Sense, a: &Scores, b: &Scores) -> Ordering {
    let feasible = |scores: &Scores| scores.iter().flatten().count();
    let better = |a: f64, b: f64| match sense {
        Sense::Maximize => b.total_cmp(&a),
        Sense::Minimize => a.total_cmp(&b),
    };
    let by_mean = || match (mean(a), mean(b)) {
        (Some(a), Some(b)) => better(a, b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    };
    b.len().cmp(&a.len()).then_with(|| feasible(b).cmp(&feasible(a))).then_with(by_mean)
}

/// Mean of the feasible scores.
pub(crate) fn mean(scores: &Scores) -> Option<f64> {
    let feasible: Vec<f64> = scores.iter().flatten().copied().collect();
    (!feasible.is_empty()).then(|| feasible.iter().sum::<f64>() / feasible.len() as f64)
}

/// When a setting is surely worse than another one, by their paired differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Test {
    /// From k = 5 instances on, the t test with k - 1 degrees of freedom and no correction for the number of tests.
    ///
    /// # References
    /// M. Birattari, T. Stutzle, L. Paquete and K. Varrentrapp, "A racing algorithm for configuring metaheuristics",
    /// GECCO 2002: the t race without correction, and why correction costs more than it saves.
    T,
    /// After k instances the expected score of a setting lies within `e = B sqrt(ln(2 / d) / (2 k))` of its mean with
    /// probability 1 - d (Hoeffding's inequality), scores being relative to the middle of what is possible on their
    /// instance and B the width of that. A setting is dropped when its interval lies on the worse side of the other's:
    /// when the means differ by more than 2 e.
    ///
    /// All settings see the same instances, so that what an instance adds to all scores cancels out, and B is the
    /// widest range of scores on one instance rather than over all of them. It is `spread`, or what was met where that
    /// is wider; with `None` it is what was met so far, which is an estimate from below. d is 0.05 divided by the
    /// `bounds` of the race, settings times instances: with the true B, all of them hold together with probability
    /// 0.95, and then no setting is dropped that belongs to the best.
    ///
    /// # References
    /// O. Maron and A. Moore, "Hoeffding races: accelerating model selection search for classification and function
    /// approximation", NIPS 1993. Ranges on single instances are ours.
    Hoeffding { spread: Option<f64>, bounds: usize },
}

impl Test {
    /// Half the width of the interval of a mean after `count` instances, as a multiple of B.
    fn half_width(bounds: usize, count: usize) -> f64 {
        let delta = LEVEL / bounds as f64;
        (libm::log(2.0 / delta) / (2.0 * count as f64)).sqrt()
    }

    /// The least number of instances in a Hoeffding race of `settings` that can drop one: the means differ by B at
    /// most.
    pub(crate) fn least_instances(settings: usize) -> usize {
        let can_drop = |&count: &usize| 2.0 * Self::half_width(settings * count, count) < 1.0;
        (1..).find(can_drop).unwrap_or(usize::MAX)
    }

    /// Whether a mean difference other than 0 is no chance; `met`: the widest range of scores on one instance so far.
    fn is_sure(self, differences: &[f64], met: f64) -> bool {
        match self {
            Self::T if differences.len() < LEAST => false,
            // Equal differences other than 0 leave no doubt.
            Self::T => paired_t(differences, 1.0 - LEVEL).is_some_and(|test| test.p.is_none_or(|p| p < LEVEL)),
            Self::Hoeffding { spread, bounds } => {
                let count = differences.len();
                let mean = differences.iter().sum::<f64>() / count as f64;
                let range = spread.map_or(met, |spread| spread.max(met));
                mean.abs() > 2.0 * range * Self::half_width(bounds, count)
            }
        }
    }
}

/// The widest range of the scores of different settings on one instance.
fn widest(scores: &[Scores]) -> f64 {
    let instances = scores.iter().map(Vec::len).max().unwrap_or(0);
    let range = |instance: usize| {
        let met = || scores.iter().filter_map(|scores| scores.get(instance).copied().flatten());
        met().fold(f64::NEG_INFINITY, f64::max) - met().fold(f64::INFINITY, f64::min)
    };
    (0..instances).map(range).fold(0.0, f64::max)
}

/// Returns those of the `live` settings that stay in the race for the best `elite` after another instance.
///
/// All of them have seen the same k instances. A setting is dropped when its paired differences from the one that
/// stands at place `elite` have a mean to its disadvantage and the test is sure. Instances on which either has no
/// feasible solution are left out of its test. The papers race for the best one; racing for the best `elite` is ours.
pub(crate) fn survivors(test: Test, sense: Sense, scores: &[Scores], live: &[usize], elite: usize) -> Vec<usize> {
    let mut order = live.to_vec();
    order.sort_by(|&a, &b| compare(sense, &scores[a], &scores[b]));
    let Some(&last) = order.get(elite - 1) else { return live.to_vec() };
    let met = widest(scores);
    let stays = |setting: usize| {
        let pairs = scores[last].iter().zip(&scores[setting]);
        let differences: Vec<f64> = pairs.filter_map(|(a, b)| Some(a.as_ref()? - b.as_ref()?)).collect();
        let behind = sense.better_value(differences.iter().sum(), 0.0);
        !(behind && test.is_sure(&differences, met))
    };
    let leading = &order[..elite];
    live.iter().copied().filter(|setting| leading.contains(setting) || stays(*setting)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(values: &[f64]) -> Scores {
        values.iter().map(|&value| Some(value)).collect()
    }

    #[test]
    fn better_settings_come_first() {
        let order = |sense, a: &Scores, b: &Scores| compare(sense, a, b);
        assert_eq!(order(Sense::Maximize, &scores(&[1.0, 3.0]), &scores(&[2.0, 1.0])), Ordering::Less);
        assert_eq!(order(Sense::Minimize, &scores(&[1.0, 3.0]), &scores(&[2.0, 1.0])), Ordering::Greater);
        assert_eq!(order(Sense::Maximize, &scores(&[1.0, 1.0]), &scores(&[9.0])), Ordering::Less, "9 was dropped");
        assert_eq!(order(Sense::Maximize, &vec![Some(1.0), Some(1.0)], &vec![Some(9.0), None]), Ordering::Less);
        assert_eq!(order(Sense::Maximize, &vec![None], &vec![None]), Ordering::Equal);
        assert_eq!(order(Sense::Maximize, &scores(&[1.0]), &vec![None]), Ordering::Less);
    }

    #[test]
    fn losers_are_dropped_when_it_is_sure() {
        let good = scores(&[10.0, 20.0, 30.0, 40.0, 50.0]);
        let even = scores(&[11.0, 19.0, 31.0, 39.0, 50.0]);
        let bad = scores(&[1.0, 12.0, 19.0, 33.0, 41.0]);
        let shifted = scores(&[9.0, 19.0, 29.0, 39.0, 49.0]);
        let all = [good, even, bad, shifted];
        let live = [0, 1, 2, 3];
        let survivors =
            |sense, scores: &[Scores], live: &[usize], elite| survivors(Test::T, sense, scores, live, elite);
        assert_eq!(survivors(Sense::Maximize, &all, &live, 1), [0, 1]);
        assert_eq!(survivors(Sense::Minimize, &all, &live, 1), [2]);
        // The best three stay whatever the tests say.
        assert_eq!(survivors(Sense::Maximize, &all, &live, 3), [0, 1, 3]);
        assert_eq!(survivors(Sense::Maximize, &all, &live, 4), live);
        let few: Vec<Scores> = all.iter().map(|scores| scores[..4].to_vec()).collect();
        assert_eq!(survivors(Sense::Maximize, &few, &live, 1), live, "too few instances");
        let none = [all[0].clone(), vec![None; 5]];
        assert_eq!(survivors(Sense::Maximize, &none, &[0, 1], 1), [0, 1], "nothing to test");
    }

    /// The first of three settings is ahead of the second by `lead` on every instance, but not of the third. Instances
    /// have very different scores, which cancels out.
    fn race(test: Test, count: usize, lead: f64) -> Vec<usize> {
        let column = |behind: f64, swing: f64| -> Scores {
            let value =
                |at: usize| Some(1000.0 * at as f64 - behind + if at.is_multiple_of(2) { swing } else { -swing });
            (0..count).map(value).collect()
        };
        let all = [column(0.0, 0.0), column(lead, 0.0), column(0.0, 1.0)];
        let mirrored: Vec<Scores> =
            all.iter().map(|scores| scores.iter().map(|score| score.map(|score| -score)).collect()).collect();
        let stay = survivors(test, Sense::Maximize, &all, &[0, 1, 2], 1);
        assert_eq!(survivors(test, Sense::Minimize, &mirrored, &[0, 1, 2], 1), stay);
        stay
    }

    #[test]
    fn hoeffding_races_drop_the_clearly_worse_and_keep_equals() {
        // 2 sqrt(ln(2 * 600 / 0.05) / (2 k)) is 1.0043 at k = 20 and 0.9801 at k = 21; the range is 101.
        let test = |spread| Test::Hoeffding { spread, bounds: 600 };
        assert_eq!(race(test(None), 20, 100.0), [0, 1, 2]);
        assert_eq!(race(test(None), 21, 100.0), [0, 2]);
        assert_eq!(race(test(None), 500, 0.0), [0, 1, 2], "equal settings stay");
        // A range that is given counts where nothing wider was met: with 400, k = 323 is the first at which 2 e is
        // below 100.
        assert_eq!(race(test(Some(400.0)), 300, 100.0), [0, 1, 2]);
        assert_eq!(race(test(Some(400.0)), 340, 100.0), [0, 2]);
        assert_eq!(race(test(Some(1.0)), 20, 100.0), [0, 1, 2], "100 was met");
        // A t test drops what is worse by little.
        assert_eq!(race(Test::T, 5, 100.0), [0, 2]);
    }

    #[test]
    fn bounds_are_those_of_hoeffding() {
        // sqrt(ln(2 / 0.05) / 200) = 0.13581.
        assert!((Test::half_width(1, 100) - 0.135_81).abs() < 1e-5);
        for settings in [3, 30, 100] {
            let least = Test::least_instances(settings);
            let width = |count| 2.0 * Test::half_width(settings * count, count);
            assert!(width(least) < 1.0 && width(least - 1) >= 1.0, "{settings}: {least}");
        }
        assert_eq!(widest(&[scores(&[1.0, 20.0]), scores(&[4.0]), vec![None, Some(22.0)]]), 3.0);
        assert_eq!(widest(&[vec![None], vec![]]), 0.0);
    }
}
