//! The figure of an experiment, by its kind.

use super::chart::{Chart, Point, Series};
use super::description::Kind;
use super::paper::Paper;
use super::published::short;
use super::report::budgets;
use super::stages::Runs;
use crate::bench::mean;
use crate::failure::Failure;
use serde::Deserialize;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};

/// Draws the figure.
pub(crate) fn draw(paper: &Paper, runs: &Runs, scale: f64) -> Result<String, Failure> {
    let figure = &paper.description.figure;
    let mut chart = Chart {
        title: paper.description.title.clone(),
        subtitle: format!("{}; bars: standard errors; hollow points: published", budgets(scale)),
        x: figure.x.clone(),
        y: figure.y.clone(),
        log: figure.log,
        ..Chart::default()
    };
    match figure.kind {
        Kind::Lines => lines(paper, runs, &mut chart),
        Kind::Methods => methods(paper, runs, &mut chart),
        Kind::Instances => instances(paper, runs, &mut chart),
        Kind::Curves => curves(paper, runs, &mut chart)?,
    }
    chart.series.retain(|series| !series.points.is_empty());
    Ok(chart.svg())
}

/// Our mean of a row, and the published one, at `x`.
fn means(paper: &Paper, runs: &Runs, at: usize, x: f64) -> (Option<Point>, Option<Point>) {
    let ours = runs.grid.row(at).mean.map(|(y, error)| Point { x, y, error });
    let published = paper.published.overall("mean", &runs.rows[at].label);
    (ours, published.map(|y| Point { x, y, error: None }))
}

/// Two series of one colour: ours and the published one.
fn pair(name: &str, color: usize, joined: bool) -> [Series; 2] {
    let series = |name: String, published| Series { name, joined, published, color, ..Series::default() };
    [series(name.to_owned(), false), series(format!("{name}, published"), true)]
}

fn lines(paper: &Paper, runs: &Runs, chart: &mut Chart) {
    let mut names: Vec<&str> = Vec::new();
    for (at, row) in runs.rows.iter().enumerate() {
        let name = row.series.as_deref().unwrap_or(&row.label);
        let place = names.iter().position(|&known| known == name).unwrap_or_else(|| {
            chart.series.extend(pair(name, names.len(), true));
            names.push(name);
            names.len() - 1
        });
        let (ours, published) = means(paper, runs, at, row.x.unwrap_or(at as f64));
        chart.series[2 * place].points.extend(ours);
        chart.series[2 * place + 1].points.extend(published);
    }
}

fn methods(paper: &Paper, runs: &Runs, chart: &mut Chart) {
    let [mut ours, mut published] = pair("soloist", 0, false);
    published.name = "published".to_owned();
    published.color = 1;
    for (at, row) in runs.rows.iter().enumerate() {
        chart.names.push(row.label.clone());
        let (own, other) = means(paper, runs, at, at as f64);
        ours.points.extend(own);
        published.points.extend(other);
    }
    chart.series = vec![ours, published];
}

fn instances(paper: &Paper, runs: &Runs, chart: &mut Chart) {
    chart.names = runs.instances.iter().map(|instance| short(instance).to_owned()).collect();
    for (method, row) in runs.rows.iter().enumerate() {
        let [mut ours, mut published] = pair(&row.label, method, false);
        for (at, instance) in runs.instances.iter().enumerate() {
            let point = |y: f64| Point { x: at as f64, y, error: None };
            ours.points.extend(mean(&runs.grid.scores(method, at)).map(point));
            published.points.extend(paper.published.score(instance, &row.label).map(point));
        }
        chart.series.extend([ours, published]);
    }
    for (number, column) in paper.description.figure.columns.iter().enumerate() {
        let points = runs.instances.iter().enumerate().filter_map(|(at, instance)| {
            Some(Point { x: at as f64, y: paper.published.score(instance, column)?, error: None })
        });
        let (name, points) = (format!("{column}, published"), points.collect());
        let color = runs.rows.len() + number;
        chart.series.push(Series { name, points, published: true, color, ..Series::default() });
    }
}

/// What the curves need of a record.
#[derive(Deserialize)]
struct Record {
    label: String,
    instance: String,
    seed: u64,
    playouts: u64,
    #[serde(default)]
    history: Vec<Improvement>,
}

#[derive(Deserialize)]
struct Improvement {
    playouts: u64,
    score: Option<f64>,
}

/// The best score so far of the first seed of each method on each instance.
fn curves(paper: &Paper, runs: &Runs, chart: &mut Chart) -> Result<(), Failure> {
    let fail = |error: &dyn std::fmt::Display| Failure::runtime(format!("{}: {error}", runs.file.display()));
    let file = std::fs::File::open(&runs.file).map_err(|error| fail(&error))?;
    let mut records: HashMap<(String, String), Record> = HashMap::new();
    for line in BufReader::new(file).lines() {
        let line = line.map_err(|error| fail(&error))?;
        let record: Record = serde_json::from_str(&line).map_err(|error| fail(&error))?;
        if runs.seeds.first() == Some(&record.seed) {
            records.insert((record.instance.clone(), record.label.clone()), record);
        }
    }
    // A pair of numbers is drawn as one: the first, and the second as ten-thousandths.
    let shown = |score: f64| match paper.description.pair {
        Some(unit) if score >= unit => (score / unit).floor() + score % unit / 1e4,
        _ => score,
    };
    let methods = runs.rows.len();
    for place in 0..runs.instances.len() * methods {
        let (instance, label) = (&runs.instances[place / methods], &runs.rows[place % methods].label);
        let Some(record) = records.get(&(instance.clone(), label.clone())) else { continue };
        let (name, color) = (format!("{}, {label}", short(instance)), place);
        let mut points: Vec<Point> = Vec::new();
        for improvement in &record.history {
            let Some(y) = improvement.score.map(shown) else { continue };
            let x = improvement.playouts.max(1) as f64;
            // A staircase: the old score lasts until the new one.
            if let Some(last) = points.last().copied() {
                points.push(Point { x, ..last });
            }
            points.push(Point { x, y, error: None });
        }
        if let Some(last) = points.last().copied() {
            points.push(Point { x: record.playouts as f64, ..last });
        }
        chart.series.push(Series { name, points, joined: true, curve: true, color, ..Series::default() });
    }
    Ok(())
}
