//! How sensitive a series is to its parameter: the values whose means are near the best.

use super::stages::Runs;
use serde_json::{Value, json};
use soloist::Sense;
use soloist_domain::result::number;

/// Where the means of a series are good.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) series: String,
    /// The value with the best mean, and this mean.
    pub(super) best: (f64, f64),
    /// The longest range of values whose means are near the best of all series, both ends included.
    pub(super) near: Option<(f64, f64)>,
}

impl Range {
    /// The ranges of all series of a figure; a mean is near if it is worse than the best of all by at most `part` of
    /// it.
    pub(super) fn all(runs: &Runs, part: f64) -> Vec<Self> {
        let mut series: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
        for (at, row) in runs.rows.iter().enumerate() {
            let (Some(x), Some((mean, _))) = (row.x, runs.grid.row(at).mean) else { continue };
            let name = row.series.as_deref().unwrap_or(&row.label);
            match series.iter_mut().find(|(known, _)| *known == name) {
                Some((_, points)) => points.push((x, mean)),
                None => series.push((name, vec![(x, mean)])),
            }
        }
        let best = |points: &[(f64, f64)]| {
            points
                .iter()
                .copied()
                .reduce(|best, point| if runs.sense.better_value(point.1, best.1) { point } else { best })
        };
        let Some(limit) = best(&series.iter().filter_map(|(_, points)| best(points)).collect::<Vec<_>>()) else {
            return Vec::new();
        };
        let limit = limit.1 + part * limit.1.abs() * if runs.sense == Sense::Minimize { 1.0 } else { -1.0 };
        let range = |(name, mut points): (&str, Vec<(f64, f64)>)| {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let near = longest(&points, |mean| !runs.sense.better_value(limit, mean));
            Some(Self { series: name.to_owned(), best: best(&points)?, near })
        };
        series.into_iter().filter_map(range).collect()
    }

    /// The range in powers of ten; `None` if there is no range or it holds 0.
    pub(super) fn decades(&self) -> Option<f64> {
        self.near.filter(|(low, _)| *low > 0.0).map(|(low, high)| (high / low).log10())
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "series": self.series,
            "best": [number(self.best.0), number(self.best.1)],
            "near": self.near.map(|(low, high)| [number(low), number(high)]),
        })
    }
}

/// The longest run of neighbours that are near, by the number of points; of equally long ones the first.
fn longest(points: &[(f64, f64)], is_near: impl Fn(f64) -> bool) -> Option<(f64, f64)> {
    let runs = points.chunk_by(|a, b| is_near(a.1) == is_near(b.1)).filter(|run| is_near(run[0].1));
    let run = runs.reduce(|best, run| if run.len() > best.len() { run } else { best })?;
    Some((run[0].0, run[run.len() - 1].0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_run_of_near_means() {
        let points = [(0.1, 5.0), (0.2, 9.0), (0.5, 5.0), (1.0, 4.0), (2.0, 6.0), (5.0, 9.0)];
        assert_eq!(longest(&points, |mean| mean <= 6.0), Some((0.5, 2.0)));
        assert_eq!(longest(&points, |mean| mean <= 3.0), None);
        let range = Range { series: String::new(), best: (1.0, 4.0), near: Some((0.1, 10.0)) };
        assert_eq!(range.decades(), Some(2.0));
    }
}
