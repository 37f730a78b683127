//! Racing: settings that do not belong to the best are dropped before they have seen every instance.

use soloist::Sense;
use soloist::statistics::paired_t;
use std::cmp::Ordering;

/// Instances that every setting sees before the first is dropped.
const LEAST: usize = 5;
/// A setting is dropped when a worse mean would be seen by chance with at most this probability (two-sided).
const LEVEL: f64 = 0.05;

/// What a setting has reached on the instances so far; `None`: no feasible solution.
pub(super) type Scores = Vec<Option<f64>>;

/// How good a setting is: more instances seen come first, since the others were dropped, then more feasible runs, then
/// the better mean.
pub(super) fn compare(sense: Sense, a: &Scores, b: &Scores) -> Ordering {
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
pub(super) fn mean(scores: &Scores) -> Option<f64> {
    let feasible: Vec<f64> = scores.iter().flatten().copied().collect();
    (!feasible.is_empty()).then(|| feasible.iter().sum::<f64>() / feasible.len() as f64)
}

/// Returns those of the `live` settings that stay in the race for the best `elite` after another instance.
///
/// All of them have seen the same k instances. From k = 5 on, a setting is dropped when its paired differences from the
/// one that stands at place `elite` have a mean to its disadvantage and the t test, with k - 1 degrees of freedom and no
/// correction for the number of tests, has p < 0.05. Instances on which either has no feasible solution are left out of
/// its test.
///
/// # References
/// O. Maron and A. Moore, "Hoeffding races", NIPS 1993; M. Birattari, T. Stutzle, L. Paquete and K. Varrentrapp, "A racing
/// algorithm for configuring metaheuristics", GECCO 2002 (the t race without correction, and why correction costs more
/// than it saves). They race for the best one; racing for the best `elite` is ours.
pub(super) fn survivors(sense: Sense, scores: &[Scores], live: &[usize], elite: usize) -> Vec<usize> {
    let mut order = live.to_vec();
    order.sort_by(|&a, &b| compare(sense, &scores[a], &scores[b]));
    let Some(&last) = order.get(elite - 1) else { return live.to_vec() };
    let stays = |setting: usize| {
        let pairs = scores[last].iter().zip(&scores[setting]);
        let differences: Vec<f64> = pairs.filter_map(|(a, b)| Some(a.as_ref()? - b.as_ref()?)).collect();
        if differences.len() < LEAST {
            return true;
        }
        let Some(test) = paired_t(&differences, 0.95) else { return true };
        let behind = sense.better_value(test.mean, 0.0);
        // Equal differences other than 0 leave no doubt.
        let sure = test.p.map_or(test.mean != 0.0, |p| p < LEVEL);
        !(behind && sure)
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
}
