//! The trace of a tuning: a header line, then one line for each iteration; and its figure.

use super::space::{Belief, Coordinate, Kind, Space};
use crate::failure::Failure;
use crate::files::Target;
use crate::plot::{Axis, Figure, Line, Panel};
use serde_json::{Map, Value, json};
use soloist_domain::result::number;
use std::path::Path;

/// How the header begins.
const FIRST: &str = "{\"tuning\":";

/// What an iteration has shown.
#[derive(Debug)]
pub(super) struct Iteration {
    /// Runs that its settings took: fewer with racing.
    pub(super) runs: usize,
    pub(super) instances: Vec<String>,
    /// The best setting of the iteration with its mean score; `None`: no feasible solution.
    pub(super) best: Vec<Coordinate>,
    pub(super) best_mean: Option<f64>,
    /// Mean over the elite, and over all settings that were not dropped, of their mean scores.
    pub(super) elite_mean: Option<f64>,
    pub(super) mean: Option<f64>,
    /// The distribution after the iteration.
    pub(super) beliefs: Vec<Belief>,
}

/// The file, checked to hold this tuning or none.
#[derive(Debug)]
pub(super) struct Trace {
    target: Target,
    text: String,
}

impl Trace {
    /// Opens the trace of the tuning that `header` describes; `fresh`: whatever it holds now.
    ///
    /// # Errors
    /// When the file holds another tuning or something else.
    pub(super) fn open(path: &Path, header: &Value, fresh: bool) -> Result<Self, Failure> {
        let shown = path.display();
        let target = Target::regular(path)?;
        let text = format!("{FIRST}{header}}}\n");
        let old = match std::fs::read_to_string(path) {
            Ok(old) => old,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Failure::runtime(format!("{shown}: cannot be read: {error}"))),
        };
        if !old.is_empty() && !old.starts_with(FIRST) {
            return Err(Failure::runtime(format!("{shown}: line 1: not a trace of `soloist tune`")));
        }
        if !fresh && !old.is_empty() && old.lines().next() != text.lines().next() {
            let first = old.lines().next().and_then(|line| serde_json::from_str::<Value>(line).ok());
            let difference = first.and_then(|first| difference(&first["tuning"], header));
            let difference = difference.map_or_else(String::new, |difference| format!(": {difference}"));
            let message =
                format!("{shown} holds another tuning{difference}; name another --out, or start over with --fresh");
            return Err(Failure::runtime(message));
        }
        Ok(Self { target, text })
    }

    /// Adds an iteration. The file is written as a whole, so that it holds whole lines at any moment.
    pub(super) fn push(&mut self, space: &Space, number: usize, iteration: &Iteration) -> Result<(), Failure> {
        self.text.push_str(&format!("{}\n", line(space, number, iteration)));
        self.target.write(&self.text)
    }
}

/// The first key in which two headers differ.
fn difference(old: &Value, new: &Value) -> Option<String> {
    let keys = new.as_object()?.keys();
    let mut different = keys.filter(|key| old[key.as_str()] != new[key.as_str()]);
    different.next().map(|key| format!("{key} {} instead of {}", old[key.as_str()], new[key.as_str()]))
}

/// An iteration as the trace and the result hold it.
pub(super) fn line(space: &Space, number: usize, iteration: &Iteration) -> Value {
    let real = |value: Option<f64>| value.map_or(Value::Null, self::number);
    let beliefs = space.dimensions.iter().zip(&iteration.beliefs);
    let beliefs: Map<_, _> =
        beliefs.map(|(dimension, belief)| (dimension.key.to_owned(), belief.json(&dimension.kind))).collect();
    json!({
        "iteration": number + 1,
        "instances": iteration.instances,
        "runs": iteration.runs,
        "best": settings(space, &iteration.best),
        "best_mean": real(iteration.best_mean),
        "elite_mean": real(iteration.elite_mean),
        "mean": real(iteration.mean),
        "distribution": beliefs,
    })
}

/// A point by the names of its parameters, as `--set` takes them.
pub(super) fn settings(space: &Space, point: &[Coordinate]) -> Value {
    let settings = space.settings(point).into_iter().map(|setting| (setting.key, Value::from(setting.value)));
    Value::Object(settings.collect())
}

/// The figure: scores over the iterations, then each parameter with its deviation, from the first beliefs on.
pub(super) fn figure(title: String, space: &Space, start: &[Belief], trace: &[Iteration]) -> Figure {
    let mut legend =
        vec!["parameter: mean, band of one deviation; score: elite".to_owned(), "score: all settings".to_owned()];
    let over = |values: &dyn Fn(&Iteration) -> Option<f64>| -> Vec<(f64, f64)> {
        (1..).zip(trace).filter_map(|(at, iteration)| Some((f64::from(at), values(iteration)?))).collect()
    };
    let (elite, all) = (over(&|iteration| iteration.elite_mean), over(&|iteration| iteration.mean));
    let ends = elite.iter().chain(&all).map(|point| point.1);
    let label = || "iteration".to_owned();
    let mut panels = vec![Panel {
        title: "mean score on the instances of the iteration".to_owned(),
        label: label(),
        x: Axis::counts(trace.len()),
        y: Axis::linear(ends.clone().fold(f64::INFINITY, f64::min), ends.fold(f64::NEG_INFINITY, f64::max)),
        lines: vec![
            Line { number: 0, points: elite, marked: true, ..Line::default() },
            Line { number: 1, points: all, marked: true, ..Line::default() },
        ],
    }];
    for (at, dimension) in space.dimensions.iter().enumerate() {
        let beliefs = || (0..).zip([start].into_iter().chain(trace.iter().map(|iteration| &iteration.beliefs[..])));
        let (lines, y) = match &dimension.kind {
            Kind::Number { low, high, logarithmic, .. } => {
                let value = |place: f64| dimension.kind.value(place).clamp(*low, *high);
                let mut line = Line { marked: true, ..Line::default() };
                for (x, beliefs) in beliefs() {
                    if let Belief::Normal { mean, deviation } = &beliefs[at] {
                        line.points.push((f64::from(x), value(*mean)));
                        line.band.push((f64::from(x), value(mean - deviation), value(mean + deviation)));
                    }
                }
                let y = if *logarithmic { Axis::logarithmic(*low, *high) } else { Axis::linear(*low, *high) };
                (vec![line], y)
            }
            Kind::Words(words) => {
                let line = |(word, text): (usize, &String)| {
                    legend.push(format!("{} {text}: chance", dimension.key));
                    let chance = |beliefs: &[Belief]| match &beliefs[at] {
                        Belief::Chances(chances) => chances[word],
                        Belief::Normal { .. } => 0.0,
                    };
                    let points = beliefs().map(|(x, beliefs)| (f64::from(x), chance(beliefs))).collect();
                    Line { number: legend.len() - 1, points, marked: true, ..Line::default() }
                };
                (words.iter().enumerate().map(line).collect(), Axis::linear(0.0, 1.0))
            }
        };
        panels.push(Panel { title: dimension.key.to_owned(), label: label(), x: Axis::counts(trace.len()), y, lines });
    }
    Figure {
        title,
        subtitle: "the distribution that settings are drawn from, before the first iteration and after each".to_owned(),
        legend,
        columns: 2,
        panels,
    }
}
