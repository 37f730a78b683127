//! What the charts show: improvements of each run, medians over seeds, targets reached, intervals.

use super::study::Study;
use super::trial::{Clock, Trial};
use crate::bench::analysis::{Comparison, Row};
use serde_json::{Value, json};
use soloist::Sense;
use soloist_domain::result::{close, number};
use soloist_statistics::Summary;

/// How near to the best known score targets are, as parts of the way from the first scores.
pub(crate) const LEVELS: [f64; 6] = [0.5, 0.2, 0.1, 0.05, 0.01, 0.0];

/// The most improvements that are all drawn (a page of ten megabytes), and the most runs.
const DETAILS: usize = 300_000;
const CURVES: usize = 20_000;

/// A curve of steps: from each x on, the value is y.
pub(crate) type Steps = Vec<(f64, f64)>;

/// A run for the median: its improvements, and how long it was.
#[derive(Clone, Debug)]
pub(crate) struct ScoreCurve {
    pub(crate) steps: Steps,
    pub(crate) length: f64,
}

/// The runs of a method on an instance; `None`: a file has no times.
pub(crate) fn trajectories(
    study: &Study,
    trials: &[Trial],
    method: usize,
    instance: usize,
    clock: Clock,
) -> Option<Vec<ScoreCurve>> {
    let runs = study.cell(method, instance).iter().map(|&at| &trials[at]);
    let sound = runs.filter(|trial| trial.verified != Some(false));
    sound.map(|trial| Some(ScoreCurve { steps: trial.steps(clock)?, length: trial.length(clock) })).collect()
}

/// How many runs have each of some scores, which are known in advance: the k-th worst is found in O(log n).
///
/// # References
/// P. Fenwick, "A new data structure for cumulative frequency tables", Software: Practice and Experience 24, 1994.
struct Ranks(Vec<usize>);

impl Ranks {
    fn new(scores: usize) -> Self {
        Self(vec![0; scores + 1])
    }

    /// One run more has the score of this rank, or one run less.
    fn change(&mut self, rank: usize, more: bool) {
        let mut at = rank + 1;
        while at < self.0.len() {
            self.0[at] = if more { self.0[at] + 1 } else { self.0[at] - 1 };
            at += at & at.wrapping_neg();
        }
    }

    /// The rank of the run number `k`, counted from 0, in ascending order; one beyond the last if no score has that
    /// rank.
    fn select(&self, mut k: usize) -> usize {
        let mut at = 0;
        let mut step = self.0.len().next_power_of_two();
        while step > 0 {
            if let Some(&count) = self.0.get(at + step)
                && count <= k
            {
                at += step;
                k -= count;
            }
            step /= 2;
        }
        at
    }
}

/// The median of the best scores so far. A run without a feasible solution counts as the worst; while half of the runs
/// or more have none, there is no median. A run that has ended keeps its score. O(n log n) for n improvements.
pub(crate) fn median(sense: Sense, trajectories: &[ScoreCurve]) -> Steps {
    let mut events: Vec<(f64, usize, f64)> = Vec::new();
    for (run, course) in trajectories.iter().enumerate() {
        events.extend(course.steps.iter().map(|&(x, y)| (x, run, y)));
    }
    events.sort_by(|a, b| a.0.total_cmp(&b.0));
    let worst_first = |a: &f64, b: &f64| match sense {
        Sense::Maximize => b.total_cmp(a),
        Sense::Minimize => a.total_cmp(b),
    };
    let mut scores: Vec<f64> = events.iter().map(|&(_, _, y)| y).collect();
    scores.sort_by(worst_first);
    scores.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let rank = |y: f64| scores.binary_search_by(|score| worst_first(score, &y)).unwrap_or_else(|at| at);
    let mut ranks = Ranks::new(scores.len());
    let mut now: Vec<Option<usize>> = vec![None; trajectories.len()];
    let mut median = Steps::new();
    let (low, high) = (trajectories.len().saturating_sub(1) / 2, trajectories.len() / 2);
    for same in events.chunk_by(|a, b| a.0 == b.0) {
        for &(_, run, y) in same {
            let new = rank(y);
            if let Some(old) = now[run].replace(new) {
                ranks.change(old, false);
            }
            ranks.change(new, true);
        }
        if let (Some(&a), Some(&b)) = (scores.get(ranks.select(low)), scores.get(ranks.select(high))) {
            let value = f64::midpoint(a, b);
            if median.last().is_none_or(|&(_, last)| last != value) {
                median.push((same[0].0, value));
            }
        }
    }
    let end = trajectories.iter().map(|course| course.length).fold(0.0, f64::max);
    if let Some(&(x, y)) = median.last()
        && x < end
    {
        median.push((end, y));
    }
    median
}

/// The goals of an instance: the best known score, or where the report has none the best of all runs, and the median of
/// the first scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub(crate) first: f64,
    pub(crate) best: f64,
}

impl Scale {
    /// The scales of all instances.
    pub(crate) fn all(study: &Study, trials: &[Trial]) -> Vec<Option<Self>> {
        (0..study.instances.len()).map(|at| Self::new(study, trials, at)).collect()
    }

    /// The scale of an instance; `None`: no run has a feasible solution, or the report has best known scores but none
    /// of this instance.
    pub(crate) fn new(study: &Study, trials: &[Trial], instance: usize) -> Option<Self> {
        let runs: Vec<&Trial> = study.of_instance(instance).map(|at| &trials[at]).collect();
        let of_runs = runs.iter().filter_map(|trial| trial.value()).reduce(|a, b| study.sense.best_value(a, b))?;
        let best = study.best_known.as_ref().map_or(Some(of_runs), |known| known[instance])?;
        let first = |trial: &&Trial| trial.points.iter().find_map(|point| point.score).or(trial.value());
        let firsts: Vec<f64> = runs.iter().filter(|trial| trial.value().is_some()).filter_map(first).collect();
        Some(Self { first: Summary::of(&firsts)?.median, best })
    }

    /// The target of a level.
    ///
    /// # References
    /// J. J. Moré and S. M. Wild, "Benchmarking derivative-free optimization algorithms", SIAM Journal on Optimization
    /// 20, 2009, equation 2.2: f(x) <= f_L + tau (f(x0) - f_L), here with f(x0) the median of the first scores and f_L
    /// the best known score.
    pub(crate) fn target(self, level: f64) -> f64 {
        self.best + level * (self.first - self.best)
    }
}

/// When the runs of a method reached their targets, in ascending order, and how many runs there are; `None`: a file
/// has no times.
pub(crate) fn hits(
    study: &Study,
    trials: &[Trial],
    scales: &[Option<Scale>],
    method: usize,
    level: f64,
    clock: Clock,
) -> Option<(Vec<f64>, usize)> {
    let (mut times, mut count) = (Vec::new(), 0);
    for instance in study.instances_of(method) {
        let Some(scale) = scales[instance] else { continue };
        let target = scale.target(level);
        count += study.cell(method, instance).len();
        for course in trajectories(study, trials, method, instance, clock)? {
            let reached = |y: f64| close(y, target) || study.sense.better_value(y, target);
            times.extend(course.steps.iter().find(|&&(_, y)| reached(y)).map(|&(x, _)| x));
        }
    }
    times.sort_by(f64::total_cmp);
    Some((times, count))
}

/// A mean with its 95 % interval: over instances, or over the seeds of a single one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub(crate) mean: f64,
    /// `None`: a single value.
    pub(crate) ends: Option<(f64, f64)>,
}

/// The mean final score of a method with its interval, that of the tables of `bench`.
pub(crate) fn interval(study: &Study, row: &Row) -> Option<Interval> {
    Some(Interval { mean: row.mean?.0, ends: study.grid.interval(row.method) })
}

/// The means of a method on each instance, in the order of the instances.
fn means(study: &Study, method: usize) -> Vec<Value> {
    let mean = |at| crate::bench::analysis::mean(&study.grid.scores(method, at));
    (0..study.shown_instances()).map(|at| mean(at).map_or(Value::Null, number)).collect()
}

/// Whether single runs are drawn, and not medians alone.
pub(crate) fn is_detailed(study: &Study, trials: &[Trial]) -> bool {
    let runs = || (0..study.methods.len()).flat_map(|method| study.of_method(method));
    runs().map(|at| trials[at].points.len()).sum::<usize>() <= DETAILS && runs().count() <= CURVES
}

/// Everything that the charts of a study draw.
pub(crate) fn json(
    study: &Study,
    trials: &[Trial],
    scales: &[Option<Scale>],
    rows: &[Row],
    pairs: &[Comparison],
) -> Value {
    let methods = study.shown_methods();
    let instances: Vec<Value> = {
        let detailed = is_detailed(study, trials);
        (0..study.shown_instances()).map(|at| instance_json(study, trials, at, detailed)).collect()
    };
    let finals: Vec<Value> = rows
        .iter()
        .filter(|row| row.method < methods)
        .map(|row| {
            let interval = interval(study, row);
            let end = |pick: fn((f64, f64)) -> f64| interval.and_then(|i| i.ends).map(pick).map_or(Value::Null, number);
            json!({
                "mean": interval.map_or(Value::Null, |interval| number(interval.mean)),
                "low": end(|ends| ends.0),
                "high": end(|ends| ends.1),
                "values": means(study, row.method),
            })
        })
        .collect();
    let pairs: Vec<Value> = pairs
        .iter()
        .filter(|pair| pair.a < methods && pair.b < methods)
        .filter_map(|pair| {
            let t = pair.t?;
            let (low, high) = t.interval.unwrap_or((t.mean, t.mean));
            Some(json!({ "a": pair.a, "b": pair.b, "mean": number(t.mean), "low": number(low), "high": number(high) }))
        })
        .collect();
    let levels: Vec<Value> = LEVELS.iter().map(|&level| level_json(study, trials, scales, level)).collect();
    let sense = soloist_domain::result::sense(study.sense);
    json!({ "sense": sense, "methods": study.methods[..methods], "instances": instances, "finals": finals, "pairs": pairs, "levels": levels })
}

fn instance_json(study: &Study, trials: &[Trial], instance: usize, detailed: bool) -> Value {
    let series = |method: usize| {
        let of = |clock| {
            let trajectories = trajectories(study, trials, method, instance, clock)?;
            let runs: Vec<Value> = trajectories
                .iter()
                .filter(|_| detailed)
                .map(|course| {
                    let mut steps = course.steps.clone();
                    steps.extend(course.steps.last().map(|&(x, y)| (course.length.max(x), y)));
                    steps_json(&steps)
                })
                .collect();
            Some(json!({ "runs": runs, "median": steps_json(&median(study.sense, &trajectories)) }))
        };
        json!({ "playouts": of(Clock::Playouts), "seconds": of(Clock::Seconds) })
    };
    let series: Vec<Value> = (0..study.shown_methods()).map(series).collect();
    json!({ "name": study.instances[instance], "series": series })
}

fn level_json(study: &Study, trials: &[Trial], scales: &[Option<Scale>], level: f64) -> Value {
    let of = |method: usize| {
        let times = |clock| {
            let (times, _) = hits(study, trials, scales, method, level, clock)?;
            Some(times.into_iter().map(short).collect::<Vec<Value>>())
        };
        let runs = hits(study, trials, scales, method, level, Clock::Playouts).map_or(0, |(_, count)| count);
        let length = |clock| study.of_method(method).map(|at| trials[at].length(clock)).fold(0.0, f64::max);
        json!({
            "runs": runs,
            "playouts": times(Clock::Playouts),
            "seconds": times(Clock::Seconds),
            "length": { "playouts": short(length(Clock::Playouts)), "seconds": short(length(Clock::Seconds)) },
        })
    };
    json!({ "level": level, "methods": (0..study.shown_methods()).map(of).collect::<Vec<Value>>() })
}

fn steps_json(steps: &[(f64, f64)]) -> Value {
    steps.iter().map(|&(x, y)| json!([short(x), number(y)])).collect()
}

/// A place on an axis of time: microseconds are enough.
fn short(x: f64) -> Value {
    number((x * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::read::tests::record;
    use crate::report::study::tests::runs;

    fn course(steps: &[(f64, f64)], length: f64) -> ScoreCurve {
        ScoreCurve { steps: steps.to_vec(), length }
    }

    #[test]
    fn medians_by_hand() {
        let trajectories = [
            course(&[(1.0, 1.0), (4.0, 9.0)], 10.0),
            course(&[(2.0, 3.0)], 5.0),
            course(&[(3.0, 2.0), (4.0, 7.0)], 10.0),
        ];
        // At 1 two runs of three have nothing; at 2 the median is the worse of two; at 4 the scores are 9, 3, 7.
        let expected = [(2.0, 1.0), (3.0, 2.0), (4.0, 7.0), (10.0, 7.0)];
        assert_eq!(median(Sense::Maximize, &trajectories), expected);
        let mirrored: Vec<ScoreCurve> = trajectories
            .iter()
            .map(|one| course(&one.steps.iter().map(|&(x, y)| (x, -y)).collect::<Vec<_>>(), one.length))
            .collect();
        assert_eq!(median(Sense::Minimize, &mirrored), expected.map(|(x, y)| (x, -y)));
        // Of an even number the middle two are averaged, once both are there.
        assert_eq!(median(Sense::Maximize, &trajectories[..2]), [(2.0, 2.0), (4.0, 6.0), (10.0, 6.0)]);
        assert!(median(Sense::Maximize, &[course(&[], 3.0), course(&[(1.0, 1.0)], 3.0)]).is_empty());
        assert!(median(Sense::Maximize, &[]).is_empty());
    }

    /// The median of many runs, by sorting all of them each time.
    #[test]
    fn medians_of_many_runs() {
        let mut rng = soloist::Rng::new(7);
        for count in [1, 2, 5, 16, 33] {
            let trajectories: Vec<ScoreCurve> = (0..count)
                .map(|_| {
                    let mut steps: Steps =
                        (0..rng.below(6)).map(|_| (rng.below(30) as f64, rng.below(9) as f64)).collect();
                    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
                    ScoreCurve { steps, length: 40.0 }
                })
                .collect();
            let found = median(Sense::Minimize, &trajectories);
            for time in 0..30 {
                let at =
                    |steps: &Steps| steps.iter().take_while(|step| step.0 <= f64::from(time)).last().map(|step| step.1);
                let mut known: Vec<f64> = trajectories.iter().filter_map(|course| at(&course.steps)).collect();
                known.sort_by(f64::total_cmp);
                let middle = |at: usize| known.get(at).copied();
                let expected = middle((count - 1) / 2).zip(middle(count / 2)).map(|(a, b)| f64::midpoint(a, b));
                if let Some(expected) = expected {
                    assert_eq!(at(&found), Some(expected), "{count} runs at {time}");
                }
            }
        }
    }

    #[test]
    fn targets_lie_between_first_and_best() {
        let scale = Scale { first: 10.0, best: 110.0 };
        assert_eq!((scale.target(0.1), scale.target(0.0), scale.target(1.0)), (100.0, 110.0, 10.0));
    }

    #[test]
    fn the_data_of_a_page() {
        // Every run begins with score 1 at playout 1; the second improvement is at 50 of 100 playouts.
        let runs = runs(vec![
            record("a", "x", 1, Some(11.0)),
            record("a", "x", 2, Some(7.0)),
            record("b", "x", 1, Some(10.0)),
            record("b", "x", 2, None),
        ]);
        let study = &Study::all(&runs)[0];
        let scales = Scale::all(study, &runs.trials);
        let at = |method, level| hits(study, &runs.trials, &scales, method, level, Clock::Playouts).unwrap();
        assert_eq!(Scale::new(study, &runs.trials, 0), Some(Scale { first: 1.0, best: 11.0 }));
        assert_eq!((at(0, 0.0), at(0, 0.5), at(1, 0.1)), ((vec![50.0], 2), (vec![50.0, 50.0], 2), (vec![50.0], 2)));
        let rows: Vec<Row> = study.grid.methods().into_iter().map(|method| study.grid.row(method)).collect();
        let pairs = study.grid.comparisons(None);
        // That of the tables of `bench`.
        let found = interval(study, &rows[0]).unwrap();
        assert_eq!((found.mean, found.ends), (9.0, soloist_statistics::bootstrap(&[7.0, 11.0], 0.95, 0)));
        let json = json(study, &runs.trials, &scales, &rows, &pairs);
        let series = &json["instances"][0]["series"];
        assert_eq!(series[0]["playouts"]["runs"][0].to_string(), "[[1,1],[50,11],[100,11]]");
        assert_eq!(series[0]["seconds"]["median"].to_string(), "[[0.5,1],[1,9],[2,9]]");
        assert_eq!(json["finals"][0]["values"].to_string(), "[9]");
        assert_eq!(json["pairs"][0]["mean"], 1);
        assert_eq!(json["levels"][5]["methods"][0]["playouts"].to_string(), "[50]");
        assert_eq!(json["levels"][5]["methods"][1]["playouts"].to_string(), "[]");
    }
}
