//! Quality over time: which part of the runs has reached a target by a number of playouts, or of seconds.
//!
//! The record of a run shows what it would have reached with any smaller budget, so that one comparison answers which
//! method is best at which budget. All instances have the same weight, which their runs share.
//!
//! # References
//! J. More and S. Wild, "Benchmarking derivative-free optimization algorithms", SIAM Journal on Optimization 20, 2009
//! (data profiles); N. Hansen, A. Auger, R. Ros, O. Mersmann, T. Tusar and D. Brockhoff, "COCO: a platform for
//! comparing continuous optimizers in a black-box setting", Optimization Methods and Software 36, 2021 (targets,
//! average running time).

use super::analysis::Grid;
use super::plan::Plan;
use super::record::{Found, Run, Trajectory};
use super::spec::Target;
use crate::chart::{Axis, Entry, Figure, Mark, Panel, Series};
use crate::text::plain;
use soloist::Sense;
use soloist::run::StopReason;
use soloist_domain::result::close;

/// Gaps that are shown when the spec names no targets.
const GAPS: [f64; 3] = [0.05, 0.01, 0.0];
/// Columns of a table whose spec names none.
const COLUMNS: usize = 7;

/// How effort is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Playouts,
    Seconds,
}

impl Unit {
    /// Both, in the order of tables.
    pub(crate) const ALL: [Self; 2] = [Self::Playouts, Self::Seconds];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Playouts => "playouts",
            Self::Seconds => "seconds",
        }
    }
}

/// All curves.
#[derive(Debug)]
pub(crate) struct Profile {
    pub(crate) targets: Vec<Target>,
    /// By unit, in the order of [`Unit::ALL`].
    pub(crate) grids: [Vec<f64>; 2],
    /// By target, unit and method.
    pub(crate) curves: Vec<Curve>,
    /// Runs whose record does not say when they improved.
    pub(crate) untimed: usize,
    /// Whether gaps are to the best score of these runs, because no best known scores are given.
    pub(crate) own: bool,
}

/// The runs of a method on the way to a target.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve {
    pub(crate) method: usize,
    /// Index into the targets.
    pub(crate) target: usize,
    pub(crate) unit: Unit,
    pub(crate) runs: usize,
    /// Runs that reached the target.
    pub(crate) reached: usize,
    /// Efforts at which runs reached it, ascending, each with the share of the runs up to then.
    pub(crate) steps: Vec<(f64, f64)>,
    /// Effort up to which the share is known: the first end of a run that might have continued.
    pub(crate) end: f64,
    /// Average running time: the effort of all runs, up to the target or to their end, by the runs that reached it.
    pub(crate) expected: Option<f64>,
}

impl Curve {
    /// The share of the runs that have reached the target by `effort`; `None`: not known.
    pub(crate) fn share(&self, effort: f64) -> Option<f64> {
        let known = self.steps.partition_point(|&(at, _)| at <= effort);
        let share = known.checked_sub(1).map_or(0.0, |at| self.steps[at].1);
        // Runs that were cut off are not known to fail later.
        (effort <= self.end || self.reached == self.runs && known == self.steps.len()).then_some(share)
    }
}

/// A run on the way to a target.
#[derive(Clone, Copy)]
struct Way {
    reached: Option<f64>,
    end: f64,
    /// Whether the run could not have continued.
    is_final: bool,
    weight: f64,
}

impl Profile {
    /// Computes the curves; `None` without runs.
    pub(crate) fn new(plan: &Plan, grid: &Grid, found: &Found) -> Option<Self> {
        let targets =
            if plan.profile.targets.is_empty() { GAPS.map(Target::Gap).to_vec() } else { plan.profile.targets.clone() };
        let references: Vec<Option<f64>> = (0..plan.instances.len()).map(|at| reference(plan, grid, at)).collect();
        let mut curves = Vec::new();
        for (target, &wanted) in targets.iter().enumerate() {
            for unit in Unit::ALL {
                for method in grid.methods() {
                    let ways = ways(plan, found, method, unit, &|instance| match wanted {
                        Target::Score(score) => Some(score),
                        Target::Gap(gap) => references[instance].map(|best| behind(plan.sense, best, gap)),
                    });
                    if !ways.is_empty() {
                        curves.push(curve(method, target, unit, ways));
                    }
                }
            }
        }
        let untimed = plan.jobs.iter().filter_map(|job| found.trajectories.get(&job.key));
        let untimed = untimed.filter(|course| course.by_seconds.is_none()).count();
        let asked = [&plan.profile.playouts, &plan.profile.seconds];
        let grids = [0, 1]
            .map(|at| if asked[at].is_empty() { columns(&curves, Unit::ALL[at], found) } else { asked[at].clone() });
        let own = !plan.has_best_known && targets.iter().any(|target| matches!(target, Target::Gap(_)));
        (!curves.is_empty()).then_some(Self { targets, grids, curves, untimed, own })
    }

    /// The figure: a row for each target, playouts beside seconds.
    pub(crate) fn figure(&self, plan: &Plan, methods: &[usize]) -> Figure {
        let title = plan.title.clone().unwrap_or_else(|| plan.domain.name.to_owned());
        let panel = |target: usize, unit: Unit| {
            let of_panel = || self.curves.iter().filter(move |curve| (curve.target, curve.unit) == (target, unit));
            let of_unit = || self.curves.iter().filter(move |curve| curve.unit == unit);
            // All panels of a column share their axis.
            let efforts = || of_unit().flat_map(|curve| curve.steps.iter().map(|step| step.0).chain([curve.end]));
            let positive = || efforts().filter(|effort| effort.is_finite() && *effort > 0.0);
            let (low, high) = (positive().fold(f64::INFINITY, f64::min), positive().fold(0.0, f64::max));
            let x = Axis::logarithmic(low, high);
            let series = of_panel().map(|curve| {
                let number = methods.iter().position(|&method| method == curve.method).unwrap_or(0);
                let (mut points, mut before) = (vec![(low, 0.0)], 0.0);
                let is_known = |effort: f64| effort <= curve.end || curve.reached == curve.runs;
                for &(effort, share) in curve.steps.iter().filter(|(effort, _)| is_known(*effort)) {
                    points.extend([(effort, before), (effort, share * 100.0)]);
                    before = share * 100.0;
                }
                points.push((curve.end.min(high), before));
                Series::new(number, points)
            });
            Panel {
                title: format!("{} by {}", target_text(self.targets[target]), unit.name()),
                x: x.of(unit.name()),
                y: Axis::linear(0.0, 100.0),
                series: series.collect(),
            }
        };
        let panels = (0..self.targets.len()).flat_map(|target| Unit::ALL.map(|unit| panel(target, unit)));
        Figure {
            title: format!("{title}: runs that have reached a target"),
            subtitle: "per cent of the runs, instances counting alike; a line ends where a run was cut off".to_owned(),
            legend: (0..)
                .zip(methods)
                .map(|(at, &method)| Entry::line(plan.methods[method].label.clone(), at, Mark::None))
                .collect(),
            columns: 2,
            size: (330.0, 200.0),
            panels: panels.collect(),
        }
    }
}

/// A target in words.
pub(crate) fn target_text(target: Target) -> String {
    match target {
        Target::Gap(gap) => format!("gap {} %", plain((gap * 1e8).round() / 1e6)),
        Target::Score(score) => format!("score {}", plain(score)),
    }
}

/// The score that gaps of an instance are to: the best known one, without such a file the best of all runs.
fn reference(plan: &Plan, grid: &Grid, instance: usize) -> Option<f64> {
    if plan.has_best_known {
        return plan.instances[instance].best_known;
    }
    let all: Vec<f64> = grid.methods().into_iter().flat_map(|method| grid.scores(method, instance)).collect();
    grid.best(&all)
}

/// The score that is `gap` behind `best`.
fn behind(sense: Sense, best: f64, gap: f64) -> f64 {
    match sense {
        Sense::Maximize => best - gap * best.abs(),
        Sense::Minimize => best + gap * best.abs(),
    }
}

/// The runs of a method, each with its weight, on the instances for which there is a score to reach.
fn ways(plan: &Plan, found: &Found, method: usize, unit: Unit, wanted: &dyn Fn(usize) -> Option<f64>) -> Vec<Way> {
    let mut by_instance: Vec<Vec<Way>> = vec![Vec::new(); plan.instances.len()];
    for job in plan.jobs.iter().filter(|job| job.method == method) {
        let Some(wanted) = wanted(job.instance) else { continue };
        if let (Some(run), Some(course)) = (found.runs.get(&job.key), found.trajectories.get(&job.key)) {
            by_instance[job.instance].push(way(plan.sense, run, course, unit, wanted));
        }
    }
    by_instance.retain(|ways| !ways.is_empty());
    let instances = by_instance.len() as f64;
    for ways in &mut by_instance {
        let weight = 1.0 / (instances * ways.len() as f64);
        ways.iter_mut().for_each(|way| way.weight = weight);
    }
    by_instance.concat()
}

fn way(sense: Sense, run: &Run, course: &Trajectory, unit: Unit, wanted: f64) -> Way {
    let is_there = |score: f64| close(score, wanted) || sense.better_value(score, wanted);
    let (end, steps) = match unit {
        Unit::Playouts => (run.playouts as f64, Some(&course.by_playouts)),
        Unit::Seconds => (run.seconds, course.by_seconds.as_ref()),
    };
    let first = steps.and_then(|steps| steps.iter().find(|(_, score)| is_there(*score)));
    // What the steps do not hold was there at the end.
    let reached =
        run.value().filter(|&score| is_there(score)).map(|_| first.map_or(end, |&(effort, _)| effort.min(end)));
    Way { reached, end, is_final: course.stop.is_some_and(StopReason::is_final), weight: 0.0 }
}

fn curve(method: usize, target: usize, unit: Unit, ways: Vec<Way>) -> Curve {
    let mut reached: Vec<(f64, f64)> = ways.iter().filter_map(|way| Some((way.reached?, way.weight))).collect();
    reached.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let mut sum = 0.0;
    for &(effort, weight) in &reached {
        sum += weight;
        match steps.last_mut() {
            Some(last) if last.0 == effort => last.1 = sum,
            _ => steps.push((effort, sum)),
        }
    }
    if reached.len() == ways.len()
        && let Some(last) = steps.last_mut()
    {
        // All of them, whatever rounding says.
        last.1 = 1.0;
    }
    let cut = ways.iter().filter(|way| way.reached.is_none() && !way.is_final).map(|way| way.end);
    let spent: f64 = ways.iter().map(|way| way.reached.unwrap_or(way.end)).sum();
    Curve {
        method,
        target,
        unit,
        runs: ways.len(),
        reached: reached.len(),
        steps,
        end: cut.fold(f64::INFINITY, f64::min),
        expected: (!reached.is_empty()).then(|| spent / reached.len() as f64),
    }
}

/// Round efforts over the range in which something happens, the longest run last.
fn columns(curves: &[Curve], unit: Unit, found: &Found) -> Vec<f64> {
    let longest = found.runs.values().map(|run| match unit {
        Unit::Playouts => run.playouts as f64,
        Unit::Seconds => run.seconds,
    });
    let longest = longest.fold(0.0, f64::max);
    let first = curves.iter().filter(|curve| curve.unit == unit).filter_map(|curve| curve.steps.first());
    let first = first.map(|step| step.0).fold(longest, f64::min).max(longest * 1e-9);
    let mut all = Vec::new();
    if longest > 0.0 && longest.is_finite() {
        let powers = first.log10().floor() as i32..=longest.log10().ceil() as i32;
        let ladder = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|unit: f64| unit * 10.0_f64.powi(power)));
        all.extend(ladder.filter(|&effort| effort >= first && effort < longest * 0.7));
        // Fewer steps over a long way.
        while all.len() > COLUMNS - 1 {
            let last = all.len() - 1;
            let kept = all.iter().enumerate().filter(|(at, _)| (last - at) % 2 == 0);
            all = kept.map(|(_, &effort)| effort).collect();
        }
        all.push(longest);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way_of(reached: Option<f64>, end: f64, is_final: bool, weight: f64) -> Way {
        Way { reached, end, is_final, weight }
    }

    #[test]
    fn shares_are_known_until_a_run_is_cut_off() {
        let ways = vec![
            way_of(Some(10.0), 100.0, false, 0.5),
            way_of(Some(30.0), 100.0, false, 0.25),
            way_of(None, 80.0, false, 0.25),
        ];
        let curve = curve(0, 0, Unit::Playouts, ways);
        assert_eq!((curve.runs, curve.reached, curve.end), (3, 2, 80.0));
        assert_eq!(
            [5.0, 10.0, 29.0, 30.0, 80.0, 81.0].map(|effort| curve.share(effort)),
            [Some(0.0), Some(0.5), Some(0.5), Some(0.75), Some(0.75), None]
        );
        // 10 + 30 + 80 playouts for two successes.
        assert_eq!(curve.expected, Some(60.0));
    }

    #[test]
    fn what_is_proven_or_reached_stays_known() {
        let done = curve(0, 0, Unit::Seconds, vec![way_of(Some(2.0), 2.0, false, 0.5), way_of(None, 3.0, true, 0.5)]);
        assert_eq!((done.share(1e9), done.end), (Some(0.5), f64::INFINITY));
        let all = curve(0, 0, Unit::Seconds, vec![way_of(Some(2.0), 2.0, false, 1.0)]);
        assert_eq!((all.share(1.0), all.share(1e9)), (Some(0.0), Some(1.0)));
        let none = curve(0, 0, Unit::Seconds, vec![way_of(None, 5.0, false, 1.0)]);
        assert_eq!((none.share(5.0), none.share(6.0), none.expected), (Some(0.0), None, None));
    }

    #[test]
    fn runs_reach_targets_when_their_record_says() {
        let run = Run {
            score: Some(7.0),
            violation: None,
            optimal: false,
            playouts: 100,
            seconds: 4.0,
            verified: Some(true),
            tree: None,
        };
        let mut course = Trajectory {
            by_playouts: vec![(1.0, 3.0), (20.0, 5.0), (60.0, 7.0)],
            by_seconds: Some(vec![(0.5, 3.0), (1.5, 5.0)]),
            nodes: 0,
            bound: None,
            stop: Some(StopReason::Playouts),
            machine: None,
        };
        let reached =
            |run: &Run, course: &Trajectory, unit, wanted| way(Sense::Maximize, run, course, unit, wanted).reached;
        assert_eq!(reached(&run, &course, Unit::Playouts, 4.0), Some(20.0));
        assert_eq!(reached(&run, &course, Unit::Playouts, 7.0), Some(60.0));
        assert_eq!(reached(&run, &course, Unit::Playouts, 7.1), None);
        assert_eq!(reached(&run, &course, Unit::Seconds, 7.0), Some(4.0), "at the end");
        course.by_seconds = None;
        assert_eq!(reached(&run, &course, Unit::Seconds, 1.0), Some(4.0));
        assert_eq!(reached(&Run { verified: Some(false), ..run }, &course, Unit::Playouts, 3.0), None);
        assert_eq!(way(Sense::Minimize, &run, &course, Unit::Playouts, 5.0).reached, None);
        assert_eq!(behind(Sense::Minimize, -100.0, 0.05), -95.0);
    }

    #[test]
    fn targets_in_words() {
        let all = [Target::Gap(0.0), Target::Gap(0.05), Target::Gap(0.0025), Target::Score(-3.5)].map(target_text);
        assert_eq!(all, ["gap 0 %", "gap 5 %", "gap 0.25 %", "score -3.5"]);
    }
}
