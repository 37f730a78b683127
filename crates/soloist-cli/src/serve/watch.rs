//! The observer that tells a feed about a run.

use super::Feed;
use crate::events;
use crate::result::Asked;
use serde_json::Value;
use soloist::{Improvement, Progress, RunInfo};
use soloist_problems::{AnyObserver, Report};

/// A run in a feed.
#[derive(Debug)]
pub(crate) struct Watched<'a> {
    feed: &'a Feed,
    run: usize,
}

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
        Self { feed, run }
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
}
