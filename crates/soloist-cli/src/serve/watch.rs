//! The observer that tells a feed about a run.

use super::Feed;
use crate::events;
use crate::result::{Asked, number};
use serde_json::{Value, json};
use soloist::statistics::Summary;
use soloist::{Improvement, Progress, RunInfo};
use soloist_problems::{AnyObserver, Report};
use std::collections::VecDeque;

/// A run in a feed.
#[derive(Debug)]
pub(crate) struct Watched<'a> {
    feed: &'a Feed,
    run: usize,
    /// Scores of recent playouts.
    scores: VecDeque<f64>,
}

/// Scores of which the distribution is shown.
const SCORES: usize = 4096;
/// Most columns of the distribution.
const COLUMNS: usize = 40;

impl<'a> Watched<'a> {
    /// Adds a run to a feed; `label` and `name` are those of a comparison.
    pub(crate) fn begin(
        feed: &'a Feed,
        asked: Asked<'_>,
        budget: &soloist::Budget,
        before: Option<&RunInfo>,
        named: Option<(&str, &str)>,
    ) -> Self {
        let mut event = events::start(asked, budget, before);
        if let Some((label, instance)) = named {
            event["label"] = label.into();
            event["instance"] = instance.into();
        }
        let run = feed.begin(event).unwrap_or(usize::MAX);
        Self { feed, run, scores: VecDeque::new() }
    }

    /// The run is over.
    pub(crate) fn end(&self, report: &Report) {
        self.feed.event(self.run, events::end(report));
    }
}

impl AnyObserver for Watched<'_> {
    fn improved(&mut self, improvement: &Improvement, progress: &Progress, solution: &dyn Fn() -> Value) {
        self.feed.event(self.run, events::improved(improvement, progress, solution));
    }

    fn progress(&mut self, progress: &Progress) {
        self.feed.event(self.run, events::progress(progress));
    }

    fn wants_scores(&self) -> bool {
        true
    }

    fn scores(&mut self, scores: &[f64]) {
        self.scores.extend(scores);
        let surplus = self.scores.len().saturating_sub(SCORES);
        self.scores.drain(..surplus);
        let mut value = distribution(self.scores.make_contiguous());
        value["run"] = self.run.into();
        self.feed.tell(self.run, "scores", value);
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
