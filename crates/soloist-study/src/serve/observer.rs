//! The observer that sends the events of a run to a feed.

use super::Feed;
use crate::machine;
use serde_json::{Value, json};
use soloist::run::RunInfo;
use soloist_domain::result::{Asked, number};
use soloist_domain::{AnyObserver, Observed, Report, RunEnding, RunEvent};
use soloist_statistics::Summary;
use std::collections::VecDeque;

/// Sends the events of a run to a feed.
#[derive(Debug)]
pub struct FeedObserver<'a> {
    feed: &'a Feed,
    run: usize,
    /// Scores of recent playouts.
    scores: VecDeque<f64>,
    /// Seconds at the last report of progress.
    seconds: f64,
    /// Measurements of the search over seconds.
    gauges: Vec<(&'static str, Vec<[Value; 2]>)>,
}

/// Most points of a gauge: beyond, every second one goes.
const POINTS: usize = 400;

/// Most scores in the distribution.
const SCORES: usize = 4096;
/// Most columns of the distribution.
const COLUMNS: usize = 40;

impl<'a> FeedObserver<'a> {
    /// Adds a run to a feed; `label` and `name` are those of a comparison.
    pub fn begin(
        feed: &'a Feed,
        asked: Asked<'_>,
        budget: &soloist::Budget,
        before: Option<&RunInfo>,
        named: Option<(&str, &str)>,
    ) -> Self {
        let mut task = machine::task(asked, named.map_or(asked.instance.name(), |(_, instance)| instance));
        task.label = named.map(|(label, _)| label.to_owned());
        let run = feed.begin(RunEvent::start(task, asked, budget, before).json()).unwrap_or(usize::MAX);
        Self { feed, run, scores: VecDeque::new(), seconds: 0.0, gauges: Vec::new() }
    }

    /// Sends the end of the run.
    pub fn end(&self, report: &Report) {
        self.feed.event(self.run, RunEvent::End(RunEnding::new(report)).json());
    }
}

impl AnyObserver for FeedObserver<'_> {
    fn on(&mut self, event: Observed<'_>) {
        match event {
            Observed::Improved { improvement, progress, solution } => {
                self.feed.event(self.run, RunEvent::improved(improvement, progress, solution()).json());
            }
            Observed::Progress(progress) => {
                self.seconds = progress.elapsed.as_secs_f64();
                self.feed.event(self.run, RunEvent::progress(progress).json());
            }
            Observed::Scores(scores) => self.scores(scores),
            Observed::Gauges(gauges) => self.gauges(gauges),
            _ => {}
        }
    }

    fn wants_insight(&self) -> bool {
        true
    }
}

impl FeedObserver<'_> {
    fn scores(&mut self, scores: &[f64]) {
        self.scores.extend(scores);
        let surplus = self.scores.len().saturating_sub(SCORES);
        self.scores.drain(..surplus);
        let mut value = distribution(self.scores.make_contiguous());
        value["run"] = self.run.into();
        self.feed.tell(self.run, "scores", value);
    }

    fn gauges(&mut self, gauges: &[(&'static str, f64)]) {
        for &(name, value) in gauges {
            let history = match self.gauges.iter_mut().position(|(known, _)| *known == name) {
                Some(at) => &mut self.gauges[at].1,
                None => {
                    self.gauges.push((name, Vec::new()));
                    &mut self.gauges.last_mut().expect("one was added").1
                }
            };
            history.push([number(self.seconds), number(value)]);
            thin(history);
        }
        let all: Vec<Value> =
            self.gauges.iter().map(|(name, points)| json!({ "name": name, "points": points })).collect();
        self.feed.tell(self.run, "gauges", json!({ "run": self.run, "gauges": all }));
    }
}

/// Drops every second point of a history that is too long; the latest stays.
fn thin(points: &mut Vec<[Value; 2]>) {
    if points.len() > POINTS {
        let mut odd = points.len().is_multiple_of(2);
        points.retain(|_| {
            odd = !odd;
            odd
        });
    }
}

/// The distribution of some scores: columns of equal width as `[from, to, count]`, count and mean of all.
fn distribution(scores: &[f64]) -> Value {
    let Some(Summary { count, mean, least, largest, .. }) = Summary::of(scores) else {
        return json!({ "bins": [], "count": 0, "mean": null });
    };
    // Few different whole numbers get a column each.
    let whole = scores.iter().all(|score| score.fract() == 0.0) && largest - least < COLUMNS as f64;
    let (low, width, columns) = if whole {
        (least - 0.5, 1.0, (largest - least) as usize + 1)
    } else {
        (least, (largest - least).max(f64::MIN_POSITIVE) / COLUMNS as f64, COLUMNS)
    };
    let mut counts = vec![0_u32; columns];
    for score in scores {
        counts[(((score - low) / width) as usize).min(columns - 1)] += 1;
    }
    let ends = |at: usize| [number(low + at as f64 * width), number(low + (at + 1) as f64 * width)];
    let bin = |(at, &count): (usize, &u32)| {
        let [from, to] = ends(at);
        json!([from, to, count])
    };
    json!({ "bins": counts.iter().enumerate().map(bin).collect::<Vec<_>>(), "count": count, "mean": number(mean) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_gauges_are_thinned() {
        let mut points = Vec::new();
        for at in 0..5000 {
            points.push([Value::from(at), Value::Null]);
            thin(&mut points);
            assert_eq!(points.last().unwrap()[0], at);
        }
        assert!((POINTS / 2..=POINTS).contains(&points.len()));
    }

    #[test]
    fn distributions_by_hand() {
        let few = distribution(&[3.0, 5.0, 3.0]);
        assert_eq!(few["bins"].to_string(), "[[2.5,3.5,2],[3.5,4.5,0],[4.5,5.5,1]]");
        assert_eq!((few["count"].as_u64(), few["mean"].as_f64()), (Some(3), Some(11.0 / 3.0)));
        let many = distribution(&[0.0, 0.25, 399.5, 400.0]);
        let bins = many["bins"].as_array().unwrap();
        assert_eq!(
            (bins.len(), bins[0].to_string(), bins[39].to_string()),
            (40, "[0,10,2]".into(), "[390,400,2]".into())
        );
        assert_eq!(distribution(&[0.5, 0.5])["bins"][0][2], 2);
        assert_eq!(distribution(&[])["count"], 0);
    }
}
