//! What the runs say: a row for each method, and paired comparisons.
//!
//! Instances are the sample. Several seeds on an instance are averaged first, because they say nothing about other
//! instances; with a single instance the seeds are the sample, and the result holds for that instance alone.

use super::plan::Plan;
use super::record::Run;
use soloist::Sense;
use soloist_domain::Depths;
use soloist_domain::result::close;
use soloist_statistics::{Summary, Wilcoxon, holm, paired_t, wilcoxon};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

/// Confidence of the intervals.
const CONFIDENCE: f64 = 0.95;
/// The number of methods up to which every pair is compared; with more, each is compared with the first.
const ALL_PAIRS: usize = 4;

/// The runs of a method: by instance those that there are, each with the index of its seed, in ascending order.
pub(crate) type Line = BTreeMap<usize, Vec<(usize, Run)>>;

/// The runs by method, instance and seed. Takes memory for those that there are, whatever the combinations.
#[derive(Debug)]
pub(crate) struct Grid {
    pub(super) sense: Sense,
    pub(super) runs: Vec<Line>,
    /// How many instances there are.
    instances: usize,
    /// Runs that are to be there, by method.
    planned: Vec<usize>,
    /// The instances on which every method has a score.
    common: OnceLock<Vec<usize>>,
}

/// A method over all its runs.
#[derive(Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) method: usize,
    pub(crate) runs: usize,
    /// Planned and not run.
    pub(crate) missing: usize,
    /// Without a feasible solution.
    pub(crate) infeasible: usize,
    /// With a result that failed its verification.
    pub(crate) unverified: usize,
    pub(crate) optimal: usize,
    /// Mean over instances of the mean over seeds, with the standard error over instances (over seeds, if there is one
    /// instance).
    pub(crate) mean: Option<(f64, Option<f64>)>,
    /// Over all runs.
    pub(crate) median: Option<f64>,
    pub(crate) best: Option<f64>,
    pub(crate) worst: Option<f64>,
    /// Sum over the instances on which every method has a score: of the best over seeds, of the mean.
    pub(crate) sums: Option<(f64, f64)>,
    /// Mean over runs of playouts per second.
    pub(crate) rate: Option<f64>,
    /// Mean over runs of seconds.
    pub(crate) seconds: Option<f64>,
    /// Means over runs with a tree: of the mean depth of its nodes, of the depth of the deepest one.
    pub(crate) depth: Option<(f64, f64)>,
}

/// A method against another over the runs that both have.
#[derive(Debug, PartialEq)]
pub(crate) struct Comparison {
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// Whether the sample are the seeds of a single instance.
    pub(crate) seeds: bool,
    /// Mean of A - B with its standard error, interval and p; `None` without common scores.
    pub(crate) t: Option<soloist_statistics::PairedT>,
    pub(crate) wilcoxon: Wilcoxon,
    /// Wilcoxon's p corrected for the number of comparisons.
    pub(crate) holm: f64,
    /// Instances (or seeds) on which A was better, equal, worse: by feasibility first.
    pub(crate) wins: usize,
    pub(crate) ties: usize,
    pub(crate) losses: usize,
    /// Whether some of them have no difference, because a method has no score there. A mean over the others says
    /// nothing about those, so that wins and losses decide.
    partial: bool,
    /// Which one is better; `None` where the evidence is not clear. All tables take the answer from here.
    pub(crate) better: Option<usize>,
}

/// Below this p, corrected for the number of comparisons, a method is called better.
const SIGNIFICANT: f64 = 0.05;

/// What a table says where no method is called better.
pub(crate) const NOT_CLEAR: &str = "not clear";

impl Grid {
    /// Sorts the runs of the plan.
    pub(crate) fn new(plan: &Plan, found: &HashMap<String, Run>) -> Self {
        let mut runs = vec![Line::new(); plan.methods.len()];
        let mut planned = vec![0; plan.methods.len()];
        for job in &plan.jobs {
            if let Some(&run) = found.get(&job.key) {
                runs[job.method].entry(job.instance).or_default().push((job.seed, run));
            }
            planned[job.method] += 1;
        }
        runs.iter_mut().flat_map(Line::values_mut).for_each(|cell| cell.sort_by_key(|(seed, _)| *seed));
        Self { sense: plan.sense, runs, instances: plan.instances.len(), planned, common: OnceLock::new() }
    }

    /// Runs from elsewhere, by method: what is there is what was planned.
    pub(crate) fn of(sense: Sense, instances: usize, runs: Vec<Line>) -> Self {
        let planned = runs.iter().map(|method| method.values().map(Vec::len).sum()).collect();
        Self { sense, runs, instances, planned, common: OnceLock::new() }
    }

    /// Methods that take part.
    pub(crate) fn methods(&self) -> Vec<usize> {
        (0..self.runs.len()).filter(|&method| self.planned[method] > 0).collect()
    }

    /// Scores of a method on an instance.
    pub(crate) fn scores(&self, method: usize, instance: usize) -> Vec<f64> {
        self.runs[method].get(&instance).map_or_else(Vec::new, |cell| scores(cell))
    }

    /// The scores of a method on each instance on which it has one.
    pub(crate) fn by_instance(&self, method: usize) -> impl Iterator<Item = Vec<f64>> + '_ {
        self.runs[method].values().map(|cell| scores(cell)).filter(|scores| !scores.is_empty())
    }

    /// Best of some scores.
    pub(crate) fn best(&self, scores: &[f64]) -> Option<f64> {
        scores.iter().copied().reduce(|a, b| self.sense.best_value(a, b))
    }

    /// The instances on which every method has a score.
    pub(crate) fn common(&self) -> &[usize] {
        self.common.get_or_init(|| {
            let methods = self.methods();
            let mut counts = vec![0; self.instances];
            for (&at, cell) in methods.iter().flat_map(|&method| &self.runs[method]) {
                counts[at] += usize::from(cell.iter().any(|(_, run)| run.value().is_some()));
            }
            (0..self.instances).filter(|&at| counts[at] == methods.len()).collect()
        })
    }

    /// The row of a method.
    pub(crate) fn row(&self, method: usize) -> Row {
        let runs: Vec<Run> = self.runs[method].values().flatten().map(|(_, run)| *run).collect();
        let scores: Vec<f64> = runs.iter().filter_map(Run::value).collect();
        let by_instance: Vec<f64> = self.by_instance(method).filter_map(|scores| mean(&scores)).collect();
        let sample = if by_instance.len() == 1 { Summary::of(&scores) } else { Summary::of(&by_instance) };
        let all = Summary::of(&scores);
        let ends = all.map(|all| match self.sense {
            Sense::Maximize => (all.largest, all.least),
            Sense::Minimize => (all.least, all.largest),
        });
        let common = self.common();
        let sum = |value: &dyn Fn(&[f64]) -> Option<f64>| {
            common.iter().filter_map(|&at| value(&self.scores(method, at))).sum::<f64>()
        };
        let trees: Vec<Depths> = runs.iter().filter_map(|run| run.tree).collect();
        let over_trees = |depth: &dyn Fn(&Depths) -> f64| mean(&trees.iter().map(depth).collect::<Vec<_>>());
        let rates: Vec<f64> = runs.iter().map(|run| run.playouts as f64 / run.seconds.max(1e-9)).collect();
        Row {
            method,
            runs: runs.len(),
            missing: self.planned[method] - runs.len(),
            infeasible: runs.iter().filter(|run| run.score.is_none()).count(),
            unverified: runs.iter().filter(|run| run.verified == Some(false)).count(),
            optimal: runs.iter().filter(|run| run.optimal && run.value().is_some()).count(),
            mean: sample.map(|sample| (sample.mean, sample.error)),
            median: all.map(|all| all.median),
            best: ends.map(|(best, _)| best),
            worst: ends.map(|(_, worst)| worst),
            sums: (!common.is_empty()).then(|| (sum(&|scores| self.best(scores)), sum(&mean))),
            rate: mean(&rates),
            seconds: mean(&runs.iter().map(|run| run.seconds).collect::<Vec<_>>()),
            depth: over_trees(&|tree| tree.mean_depth).zip(over_trees(&|tree| tree.deepest as f64)),
        }
    }

    /// All comparisons: with the baseline, or of every pair when there are few methods, or with the first.
    pub(crate) fn comparisons(&self, baseline: Option<usize>) -> Vec<Comparison> {
        let methods = self.methods();
        let baseline = baseline.filter(|baseline| methods.contains(baseline));
        let baseline = baseline.or_else(|| methods.first().copied().filter(|_| methods.len() > ALL_PAIRS));
        let Some(base) = baseline else { return self.all_pairs() };
        self.judged(methods.iter().filter(|&&a| a != base).map(|&a| self.compare(a, base)).collect())
    }

    /// The comparisons of every pair.
    pub(crate) fn all_pairs(&self) -> Vec<Comparison> {
        let methods = self.methods();
        let mut all = Vec::new();
        for (at, &a) in methods.iter().enumerate() {
            all.extend(methods[at + 1..].iter().map(|&b| self.compare(a, b)));
        }
        self.judged(all)
    }

    /// Corrects comparisons for their number and says which method is better in each.
    fn judged(&self, mut all: Vec<Comparison>) -> Vec<Comparison> {
        let p: Vec<f64> = all.iter().map(|comparison| comparison.wilcoxon.p).collect();
        for (comparison, p) in all.iter_mut().zip(holm(&p)) {
            comparison.holm = p;
        }
        let (ahead, evidence): (Vec<_>, Vec<_>) = all.iter().map(|comparison| self.ahead(comparison)).unzip();
        for ((comparison, ahead), p) in all.iter_mut().zip(ahead).zip(holm(&evidence)) {
            comparison.better = ahead.filter(|_| p < SIGNIFICANT);
        }
        all
    }

    /// Which method is ahead, and the p of the test that belongs to it.
    fn ahead(&self, comparison: &Comparison) -> (Option<usize>, f64) {
        let Comparison { a, b, t, wins, losses, .. } = *comparison;
        if comparison.partial {
            let ahead = match wins.cmp(&losses) {
                Ordering::Greater => Some(a),
                Ordering::Equal => None,
                Ordering::Less => Some(b),
            };
            return (ahead, sign_p(wins, losses));
        }
        let Wilcoxon { plus, minus, p, .. } = comparison.wilcoxon;
        // Of skewed differences mean and ranks may point in opposite directions: then none is ahead.
        let agrees = |mean: f64| if mean > 0.0 { plus > minus } else { plus < minus };
        let mean = t.map(|t| t.mean).filter(|&mean| agrees(mean));
        (mean.map(|mean| if self.sense.better_value(mean, 0.0) { a } else { b }), p)
    }

    /// The pairs of sound runs by instance, and whether the seeds of a single one take the place of instances.
    fn units(&self, a: usize, b: usize) -> (Vec<Vec<(Run, Run)>>, bool) {
        let of_both = self.runs[a].iter().filter_map(|(at, cell)| Some((cell, self.runs[b].get(at)?)));
        let mut units: Vec<Vec<(Run, Run)>> =
            of_both.map(|(a, b)| pairs(a, b)).filter(|pairs: &Vec<_>| !pairs.is_empty()).collect();
        let seeds = units.len() == 1;
        if seeds {
            units = units.swap_remove(0).into_iter().map(|pair| vec![pair]).collect();
        }
        (units, seeds)
    }

    /// The differences A - B by instance (by seed, if there is a single instance).
    pub(crate) fn differences(&self, a: usize, b: usize) -> Vec<f64> {
        self.units(a, b).0.iter().filter_map(|pairs| difference(pairs)).collect()
    }

    /// Wins, losses and ties of A against B by instance (by seed, if there is a single one), where some unit has no
    /// difference because a side has no feasible solution in it; `None` where every unit has one.
    pub(crate) fn signs(&self, a: usize, b: usize) -> Option<Signs> {
        let (units, _) = self.units(a, b);
        let unscored = units.iter().filter(|pairs| difference(pairs).is_none()).count();
        let verdicts: Vec<Ordering> = units.iter().map(|pairs| self.verdict(pairs)).collect();
        let count = |verdict: Ordering| verdicts.iter().filter(|&&other| other == verdict).count();
        let [wins, losses, ties] = [Ordering::Greater, Ordering::Less, Ordering::Equal].map(count);
        (unscored > 0).then(|| Signs { wins, losses, ties, unscored, p: sign_p(wins, losses) })
    }

    /// Whether a method has runs on an instance, and none of them a feasible solution.
    pub(crate) fn is_unsolved(&self, method: usize, instance: usize) -> bool {
        self.runs[method].get(&instance).is_some_and(|cell| !cell.is_empty() && scores(cell).is_empty())
    }

    /// Compares two methods over the (instance, seed) pairs that both have run.
    fn compare(&self, a: usize, b: usize) -> Comparison {
        let (units, seeds) = self.units(a, b);
        let differences: Vec<f64> = units.iter().filter_map(|pairs| difference(pairs)).collect();
        let verdicts: Vec<Ordering> = units.iter().map(|pairs| self.verdict(pairs)).collect();
        let count = |verdict: Ordering| verdicts.iter().filter(|&&other| other == verdict).count();
        let t = paired_t(&differences, CONFIDENCE);
        let wilcoxon = wilcoxon(&differences);
        Comparison {
            a,
            b,
            seeds,
            t,
            wilcoxon,
            holm: wilcoxon.p,
            wins: count(Ordering::Greater),
            ties: count(Ordering::Equal),
            losses: count(Ordering::Less),
            partial: units.iter().any(|pairs| difference(pairs).is_none()),
            better: None,
        }
    }

    /// Compares the methods on one instance. The better one has more runs with a feasible solution, else the better
    /// mean, else the smaller violation.
    fn verdict(&self, pairs: &[(Run, Run)]) -> Ordering {
        let feasible = |side: fn(&(Run, Run)) -> &Run| pairs.iter().filter(|pair| side(pair).score.is_some()).count();
        let by_count = feasible(|pair| &pair.0).cmp(&feasible(|pair| &pair.1));
        let by_score = || {
            let difference = difference(pairs)?;
            Some(match self.sense {
                Sense::Maximize => difference.total_cmp(&0.0),
                Sense::Minimize => 0.0_f64.total_cmp(&difference),
            })
        };
        let by_violation = || {
            let violation = |side: fn(&(Run, Run)) -> &Run| {
                mean(&pairs.iter().map(|pair| side(pair).violation.unwrap_or(f64::INFINITY)).collect::<Vec<_>>())
            };
            let (a, b) = (violation(|pair| &pair.0)?, violation(|pair| &pair.1)?);
            Some(b.total_cmp(&a))
        };
        by_count.then_with(|| by_score().or_else(by_violation).unwrap_or(Ordering::Equal))
    }
}

/// How often one method is ahead of another one where some runs have no score to subtract.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Signs {
    pub(crate) wins: usize,
    pub(crate) losses: usize,
    pub(crate) ties: usize,
    /// Units in which a side has no feasible solution.
    pub(crate) unscored: usize,
    /// Of the sign test, two-sided.
    pub(crate) p: f64,
}

/// The scores among some runs.
fn scores(cell: &[(usize, Run)]) -> Vec<f64> {
    cell.iter().filter_map(|(_, run)| run.value()).collect()
}

/// The run with a seed.
pub(super) fn of_seed(cell: &[(usize, Run)], seed: usize) -> Option<Run> {
    cell.binary_search_by_key(&seed, |(seed, _)| *seed).ok().map(|at| cell[at].1)
}

/// The pairs of sound runs with equal seeds, by seed. O(n log m) for the smaller number n.
fn pairs(a: &[(usize, Run)], b: &[(usize, Run)]) -> Vec<(Run, Run)> {
    let both: Vec<(Run, Run)> = if a.len() <= b.len() {
        a.iter().filter_map(|(seed, run)| Some((*run, of_seed(b, *seed)?))).collect()
    } else {
        b.iter().filter_map(|(seed, run)| Some((of_seed(a, *seed)?, *run))).collect()
    };
    both.into_iter().filter(sound).collect()
}

/// The two-sided p of the sign test: how often a fair coin falls at least as unevenly.
fn sign_p(wins: usize, losses: usize) -> f64 {
    let count = (wins + losses) as f64;
    let chance = |heads: usize| {
        let heads = heads as f64;
        let ways = libm::lgamma(count + 1.0) - libm::lgamma(heads + 1.0) - libm::lgamma(count - heads + 1.0);
        libm::exp(ways - count * std::f64::consts::LN_2)
    };
    (2.0 * (wins.max(losses)..=wins + losses).map(chance).sum::<f64>()).min(1.0)
}

/// Whether neither result failed its verification.
fn sound((a, b): &(Run, Run)) -> bool {
    a.verified != Some(false) && b.verified != Some(false)
}

/// Mean of A - B over the pairs in which both have a score; 0 within rounding.
fn difference(pairs: &[(Run, Run)]) -> Option<f64> {
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().filter_map(|(a, b)| a.score.zip(b.score)).unzip();
    let (a, b) = (mean(&a)?, mean(&b)?);
    // A plain 0, because -0 is another text.
    Some(if close(a, b) { 0.0 } else { a - b })
}

/// Arithmetic mean; `None` of nothing.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn run(score: Option<f64>, violation: Option<f64>) -> Option<Run> {
        Some(Run {
            score,
            violation,
            optimal: false,
            playouts: 100,
            seconds: 0.5,
            verified: score.map(|_| true),
            tree: None,
        })
    }

    pub(crate) fn at(score: f64) -> Option<Run> {
        run(Some(score), None)
    }

    pub(crate) fn grid(sense: Sense, runs: Vec<Vec<Vec<Option<Run>>>>) -> Grid {
        let planned = runs.iter().map(|method| method.iter().map(Vec::len).sum()).collect();
        let instances = runs.first().map_or(0, Vec::len);
        let present = |cell: Vec<Option<Run>>| -> Vec<(usize, Run)> {
            cell.into_iter().enumerate().filter_map(|(seed, run)| Some((seed, run?))).collect()
        };
        let line = |method: Vec<Vec<Option<Run>>>| method.into_iter().map(present).enumerate().collect::<Line>();
        Grid { planned, ..Grid::of(sense, instances, runs.into_iter().map(line).collect()) }
    }

    #[test]
    fn seeds_are_averaged_before_instances_are_compared() {
        let a = vec![vec![at(10.0), at(14.0)], vec![at(20.0), at(20.0)]];
        let b = vec![vec![at(11.0), at(9.0)], vec![at(20.0), at(20.0)]];
        let grid = grid(Sense::Maximize, vec![a, b]);
        let row = grid.row(0);
        assert_eq!((row.runs, row.mean, row.median), (4, Some((16.0, Some(4.0))), Some(17.0)));
        assert_eq!(
            (row.best, row.worst, row.sums, row.rate),
            (Some(20.0), Some(10.0), Some((34.0, 32.0)), Some(200.0))
        );
        let all = grid.comparisons(None);
        assert_eq!(all.len(), 1);
        let t = all[0].t.unwrap();
        assert_eq!((t.count, t.mean, all[0].wilcoxon.zeros), (2, 1.0, 1));
        assert_eq!((all[0].wins, all[0].ties, all[0].losses, all[0].better, all[0].seeds), (1, 1, 0, None, false));
    }

    #[test]
    fn a_single_instance_is_compared_over_its_seeds() {
        let grid =
            grid(Sense::Minimize, vec![vec![vec![at(1.0), at(2.0), at(3.0)]], vec![vec![at(2.0), at(4.0), None]]]);
        assert_eq!(grid.row(0).mean, Some((2.0, Some((1.0_f64 / 3.0).sqrt()))));
        assert_eq!(grid.row(1).missing, 1);
        let [both] = &grid.comparisons(Some(0))[..] else { panic!("one pair") };
        // The baseline is taken off the other.
        assert_eq!((both.a, both.b, both.seeds, both.better), (1, 0, true, None));
        assert_eq!((both.t.unwrap().mean, both.wins, both.losses), (1.5, 0, 2));
    }

    /// Each method has one run on each instance.
    fn single(sense: Sense, methods: &[Vec<Option<Run>>]) -> Grid {
        grid(sense, methods.iter().map(|runs| runs.iter().map(|run| vec![*run]).collect()).collect())
    }

    #[test]
    fn a_method_is_called_better_only_where_the_evidence_is_clear() {
        let winner = |sense, count: usize| {
            let of = |step: f64| (0..count).map(|i| at(step * (i + 1) as f64)).collect();
            single(sense, &[of(2.0), of(1.0)]).comparisons(None)[0].better
        };
        // Wilcoxon's p is 2 / 2^n.
        assert_eq!((winner(Sense::Maximize, 3), winner(Sense::Maximize, 5)), (None, None));
        assert_eq!((winner(Sense::Maximize, 6), winner(Sense::Minimize, 6)), (Some(0), Some(1)));
        // Three comparisons need a smaller p than one.
        let three = |count: usize| {
            let of = |step: f64| (0..count).map(|i| at(step * (i + 1) as f64)).collect();
            let all = single(Sense::Maximize, &[of(2.0), of(1.0), of(1.0)]).comparisons(None);
            all.iter().map(|comparison| comparison.better).collect::<Vec<_>>()
        };
        assert_eq!((three(6), three(7)), (vec![None; 3], vec![Some(0), Some(0), None]));
        // One large loss turns the mean against the ranks.
        let skewed: Vec<_> = (0..12).map(|i| at(if i == 0 { -1000.0 } else { f64::from(i) })).collect();
        let both = &single(Sense::Maximize, &[skewed, vec![at(0.0); 12]]).comparisons(None)[0];
        assert!(both.wilcoxon.p < 0.05 && both.t.unwrap().mean < 0.0 && both.better.is_none());
    }

    #[test]
    fn where_only_one_method_has_scores_wins_decide() {
        let none = run(None, None);
        // A is ahead on all that both solved, B solved more.
        let winner = |common: usize, alone: usize| {
            let a = (0..common + alone).map(|i| if i < common { at(2.0) } else { none }).collect();
            let b = vec![at(1.0); common + alone];
            single(Sense::Maximize, &[a, b]).comparisons(None)[0].better
        };
        assert_eq!((winner(0, 5), winner(0, 6), winner(7, 8), winner(7, 20)), (None, Some(1), None, Some(1)));
    }

    #[test]
    fn the_sign_test() {
        assert_eq!([(0, 0), (1, 0), (3, 3)].map(|(wins, losses)| sign_p(wins, losses)), [1.0; 3]);
        assert!((sign_p(0, 6) - 2.0 / 64.0).abs() < 1e-12 && (sign_p(8, 1) - 20.0 / 512.0).abs() < 1e-12);
        assert!((sign_p(1100, 1000) - 0.030_720_7).abs() < 1e-7);
    }

    #[test]
    fn feasibility_comes_first() {
        let none = run(None, None);
        let a = vec![vec![at(1.0)], vec![run(None, Some(1.0))], vec![none], vec![none], vec![at(3.0)]];
        let b = vec![vec![none], vec![run(None, Some(2.0))], vec![none], vec![at(9.0)], vec![at(2.0)]];
        let grid = grid(Sense::Maximize, vec![a, b]);
        let both = &grid.comparisons(None)[0];
        assert_eq!((both.wins, both.ties, both.losses), (3, 1, 1));
        assert_eq!((both.t.unwrap().count, both.t.unwrap().mean), (1, 1.0));
        assert_eq!((grid.row(0).infeasible, grid.common()), (3, &[4][..]));
    }

    #[test]
    fn unverified_results_count_for_nothing() {
        let mut wrong = at(99.0);
        wrong.as_mut().unwrap().verified = Some(false);
        let grid = grid(Sense::Maximize, vec![vec![vec![wrong], vec![at(2.0)]], vec![vec![at(1.0)], vec![at(1.0)]]]);
        assert_eq!((grid.row(0).unverified, grid.row(0).best), (1, Some(2.0)));
        assert_eq!(grid.comparisons(None)[0].t.unwrap().mean, 1.0);
    }

    #[test]
    fn which_pairs_are_compared() {
        let pairs = |methods: usize, baseline| {
            let grid = grid(Sense::Maximize, (0..methods).map(|i| vec![vec![at(i as f64)], vec![at(0.0)]]).collect());
            grid.comparisons(baseline).iter().map(|c| (c.a, c.b)).collect::<Vec<_>>()
        };
        assert_eq!(pairs(1, None), []);
        assert_eq!(pairs(3, None), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(pairs(3, Some(1)), [(0, 1), (2, 1)]);
        assert_eq!(pairs(5, None), [(1, 0), (2, 0), (3, 0), (4, 0)]);
    }
}
