//! The figure of an experiment, by its kind.

use super::description::Kind;
use super::paper::Paper;
use super::published::short;
use super::report::budgets;
use super::stages::Runs;
use crate::bench::{Detail, mean, record};
use crate::chart::{Axis, Entry, Figure, Mark, Panel, Point, Series, ends};
use crate::failure::Failure;
use soloist_domain::RunRecord;
use std::collections::HashMap;

/// Draws the figure.
pub(crate) fn draw(paper: &Paper, runs: &Runs, scale: f64) -> Result<String, Failure> {
    let figure = &paper.description.figure;
    let mut chart = Chart { paper, runs, x: Vec::new(), all: Vec::new() };
    match figure.kind {
        Kind::Lines => chart.lines(),
        Kind::Methods => chart.methods(),
        Kind::Instances => chart.instances(),
        Kind::Curves => chart.curves()?,
    }
    let Chart { x: names, all, .. } = chart;
    let (legend, series): (Vec<Entry>, Vec<Vec<Point>>) =
        all.into_iter().filter(|(_, points)| !points.is_empty()).unzip();
    let points = || series.iter().flatten();
    let error = |point: &Point| point.error.unwrap_or(0.0);
    let (low, high) =
        ends(points().flat_map(|point| [point.y - error(point), point.y + error(point)])).unwrap_or((0.0, 1.0));
    let (first, last) = ends(points().map(|point| point.x)).unwrap_or((0.0, 1.0));
    let x = match (names.is_empty(), figure.log) {
        (false, _) => Axis::names(names),
        (true, true) => Axis::logarithmic(first, last),
        (true, false) => Axis::linear(first, last),
    };
    let series = series.into_iter().enumerate().map(|(number, points)| Series { number, points, ..Series::default() });
    let panel = Panel {
        title: String::new(),
        x: x.of(&figure.x),
        y: Axis::linear(low, high).of(&figure.y),
        series: series.collect(),
    };
    let figure = Figure {
        title: paper.description.title.clone(),
        subtitle: format!("{}; bars: standard errors; hollow points: published", budgets(scale)),
        legend,
        columns: 1,
        size: (760.0, 350.0),
        panels: vec![panel],
    };
    Ok(figure.svg())
}

/// A figure that is put together.
struct Chart<'a> {
    paper: &'a Paper,
    runs: &'a Runs,
    /// Names on the axis; empty: numbers.
    x: Vec<String>,
    /// The series with their looks.
    all: Vec<(Entry, Vec<Point>)>,
}

impl Chart<'_> {
    /// Our mean of a row, and the published one, at `x`.
    fn means(&self, at: usize, x: f64) -> (Option<Point>, Option<Point>) {
        let ours = self.runs.grid.row(at).mean.map(|(y, error)| Point { x, y, error });
        let published = self.paper.published.overall("mean", &self.runs.rows[at].label);
        (ours, published.map(|y| Point { x, y, error: None }))
    }

    /// Adds our series and the published one of the same colour.
    fn pair(&mut self, name: &str, color: usize, joined: bool) {
        let ours = Entry { name: name.to_owned(), color, dash: 0, joined, mark: Mark::Dot };
        let published = Entry { name: format!("{name}, published"), dash: 1, mark: Mark::Ring, ..ours };
        self.all.extend([(ours, Vec::new()), (published, Vec::new())]);
    }

    fn lines(&mut self) {
        let mut names: Vec<&str> = Vec::new();
        for (at, row) in self.runs.rows.iter().enumerate() {
            let name = row.series.as_deref().unwrap_or(&row.label);
            let place = names.iter().position(|&known| known == name).unwrap_or_else(|| {
                self.pair(name, names.len(), true);
                names.push(name);
                names.len() - 1
            });
            let (ours, published) = self.means(at, row.x.unwrap_or(at as f64));
            self.all[2 * place].1.extend(ours);
            self.all[2 * place + 1].1.extend(published);
        }
    }

    fn methods(&mut self) {
        self.pair("soloist", 0, false);
        self.all[1].0 = Entry { name: "published".to_owned(), color: 1, mark: Mark::Ring, ..Entry::default() };
        for (at, row) in self.runs.rows.iter().enumerate() {
            self.x.push(row.label.clone());
            let (own, other) = self.means(at, at as f64);
            self.all[0].1.extend(own);
            self.all[1].1.extend(other);
        }
    }

    fn instances(&mut self) {
        let Self { paper, runs, .. } = *self;
        self.x = runs.instances.iter().map(|instance| short(instance).to_owned()).collect();
        let point = |at: usize, y: f64| Point { x: at as f64, y, error: None };
        for (method, row) in runs.rows.iter().enumerate() {
            self.pair(&row.label, method, false);
            let [.., (_, ours), (_, published)] = &mut self.all[..] else { continue };
            for (at, instance) in runs.instances.iter().enumerate() {
                ours.extend(mean(&runs.grid.scores(method, at)).map(|y| point(at, y)));
                published.extend(paper.published.score(instance, &row.label).map(|y| point(at, y)));
            }
        }
        for (number, column) in paper.description.figure.columns.iter().enumerate() {
            let name = format!("{column}, published");
            let scores = runs.instances.iter().map(|instance| paper.published.score(instance, column)).enumerate();
            let points = scores.filter_map(|(at, y)| Some(point(at, y?))).collect();
            let color = runs.rows.len() + number;
            self.all.push((Entry { name, color, mark: Mark::Ring, ..Entry::default() }, points));
        }
    }

    /// The best score so far of the first seed of each method on each instance.
    fn curves(&mut self) -> Result<(), Failure> {
        let Self { paper, runs, .. } = *self;
        let records = records(runs)?;
        // A pair of numbers is drawn as one: the first, and the second as ten-thousandths.
        let shown = |score: f64| match paper.description.pair {
            Some(unit) if score >= unit => (score / unit).floor() + score % unit / 1e4,
            _ => score,
        };
        let methods = runs.rows.len();
        for place in 0..runs.instances.len() * methods {
            let (instance, label) = (&runs.instances[place / methods], &runs.rows[place % methods].label);
            let Some(record) = records.get(&(instance.clone(), label.clone())) else { continue };
            let mut points: Vec<Point> = Vec::new();
            for improvement in record.history.iter().flatten() {
                let Some(y) = improvement.score.map(shown) else { continue };
                let x = improvement.playouts.max(1) as f64;
                // A staircase: the old score lasts until the new one.
                if let Some(last) = points.last().copied() {
                    points.push(Point { x, ..last });
                }
                points.push(Point { x, y, error: None });
            }
            if let Some(last) = points.last().copied() {
                points.push(Point { x: record.ending.playouts as f64, ..last });
            }
            self.all.push((Entry::line(format!("{}, {label}", short(instance)), place, Mark::None), points));
        }
        Ok(())
    }
}

/// The runs of the first seed, by instance and method.
fn records(runs: &Runs) -> Result<HashMap<(String, String), RunRecord>, Failure> {
    let all = record::read_all(&runs.file, Detail::Improvements)?.into_iter();
    let first = all.filter(|record| runs.seeds.first() == Some(&record.task.seed));
    let key = |record: &RunRecord| (record.task.instance.clone(), record.task.label.clone().unwrap_or_default());
    Ok(first.map(|record| (key(&record), record)).collect())
}
