//! What people see while a search runs: a live line on a terminal, plain lines elsewhere.

use crate::events::Events;
use crate::output;
use crate::result::{percent, short, show, show_value};
use crate::serve::Watched;
use crate::terminal::Kind;
use serde_json::Value;
use soloist::run::{CheckpointError, Improvement, Progress};
use soloist::{Budget, Score};
use soloist_problems::{AnyInstance, AnyObserver};
use std::time::{Duration, Instant};

/// Time between plain progress lines.
const LINE: Duration = Duration::from_secs(5);
/// Early improvements come in swarms: in this time only the first is shown at once.
const EARLY: Duration = Duration::from_secs(1);
/// Resolution of the bar.
const STEPS: u64 = 1000;

/// Hands a run's events to people and to the events file.
pub(crate) struct Watch<'a> {
    pub(crate) human: Human<'a>,
    pub(crate) events: Option<Events>,
    pub(crate) page: Option<Watched<'a>>,
}

impl AnyObserver for Watch<'_> {
    fn improved(&mut self, improvement: &Improvement, progress: &Progress, solution: &dyn Fn() -> Value) {
        if !matches!(self.human.kind, Kind::Quiet) {
            self.human.improved(improvement, progress, self.human.instance.brief(improvement.score, solution));
        }
        if let Some(events) = &mut self.events {
            events.improved(improvement, progress, solution);
        }
        self.page.improved(improvement, progress, solution);
    }

    fn progress(&mut self, progress: &Progress) {
        self.human.progress(progress);
        if let Some(events) = &mut self.events {
            events.progress(progress);
        }
        self.page.progress(progress);
    }

    fn wants_insight(&self) -> bool {
        self.page.wants_insight()
    }

    fn scores(&mut self, scores: &[f64]) {
        self.page.scores(scores);
    }

    fn gauges(&mut self, gauges: &[(&'static str, f64)]) {
        self.page.gauges(gauges);
    }

    fn unsaved(&mut self, error: &CheckpointError) {
        self.human.unsaved(&error.to_string());
    }
}

/// Progress for people.
pub(crate) struct Human<'a> {
    /// Says what scores mean.
    instance: &'a dyn AnyInstance,
    kind: Kind,
    budget: Budget,
    start: Instant,
    /// Playouts when this process began, for the rate.
    before: u64,
    last_line: Instant,
    shown_any: bool,
    /// An early improvement not shown yet.
    pending: Option<(Improvement, Progress)>,
    /// What the best score means, for problems that say it.
    brief: Option<String>,
    /// Why a checkpoint was not written, as told last.
    unsaved: String,
}

impl<'a> Human<'a> {
    /// Progress of a run on `instance` towards `budget`, on the terminal if there is one, none if `quiet`.
    pub(crate) fn new(instance: &'a dyn AnyInstance, quiet: bool, budget: &Budget, before: u64) -> Self {
        let measured = budget.time.is_some() || budget.playouts.is_some();
        let kind = Kind::new(quiet, STEPS, if measured { "[{bar:20}] {msg}" } else { "{spinner} {msg}" });
        let start = Instant::now();
        Self {
            instance,
            kind,
            budget: budget.clone(),
            start,
            before,
            last_line: start,
            shown_any: false,
            pending: None,
            brief: None,
            unsaved: String::new(),
        }
    }

    /// How often progress should be told.
    pub(crate) fn interval(&self) -> Duration {
        match self.kind {
            Kind::Bar(_) => Duration::from_millis(100),
            Kind::Quiet | Kind::Lines => Duration::from_millis(500),
        }
    }

    fn improved(&mut self, improvement: &Improvement, progress: &Progress, brief: Option<String>) {
        self.brief = brief;
        if self.shown_any && self.start.elapsed() < EARLY {
            self.pending = Some((*improvement, *progress));
        } else {
            self.pending = None;
            self.show(improvement, progress);
        }
    }

    /// Tells that a checkpoint was not written, once for each reason, even if quiet: work may be lost.
    fn unsaved(&mut self, error: &str) {
        if self.unsaved == error {
            return;
        }
        self.unsaved = error.to_owned();
        self.kind.note(&format!("{error}; trying again after each interval"));
    }

    fn progress(&mut self, progress: &Progress) {
        if self.start.elapsed() >= EARLY {
            self.flush();
        }
        match &self.kind {
            Kind::Quiet => {}
            Kind::Bar(bar) => {
                let fraction = self.fraction(progress);
                bar.set_position((fraction * STEPS as f64) as u64);
                bar.set_message(self.line(progress));
                bar.tick();
            }
            Kind::Lines if self.last_line.elapsed() >= LINE => {
                self.last_line = Instant::now();
                output::note(&self.line(progress));
            }
            Kind::Lines => {}
        }
    }

    /// Shows what is pending and takes the live line away.
    pub(crate) fn finish(&mut self) {
        self.flush();
        self.kind.finish();
    }

    fn flush(&mut self) {
        if let Some((improvement, progress)) = self.pending.take() {
            self.show(&improvement, &progress);
        }
    }

    fn show(&mut self, improvement: &Improvement, progress: &Progress) {
        self.shown_any = true;
        let (on, off) = if output::colored() { ("\x1b[32m", "\x1b[0m") } else { ("", "") };
        let seconds = progress.elapsed.as_secs_f64();
        let playouts = short(progress.counters.playouts as f64);
        let line = format!("{seconds:8.2} s  {on}{}{off}  after {playouts} playouts", self.named(improvement.score));
        match &self.kind {
            Kind::Quiet => {}
            Kind::Lines => output::painted(&line),
            Kind::Bar(bar) => bar.println(line),
        }
    }

    /// The best score, and what it means.
    fn named(&self, score: Score) -> String {
        match &self.brief {
            Some(brief) => format!("{} ({brief})", show(self.instance, score)),
            None => show(self.instance, score),
        }
    }

    /// The share of the budget that is used up.
    fn fraction(&self, progress: &Progress) -> f64 {
        let time = self.budget.time.map(|time| progress.elapsed.as_secs_f64() / time.as_secs_f64());
        let playouts = self.budget.playouts.map(|all| progress.counters.playouts as f64 / all as f64);
        time.into_iter().chain(playouts).fold(0.0, f64::max).clamp(0.0, 1.0)
    }

    fn line(&self, progress: &Progress) -> String {
        let best = progress.best.map_or_else(|| "none".to_owned(), |score| self.named(score));
        let playouts = progress.counters.playouts;
        let here = playouts.saturating_sub(self.before) as f64;
        let rate = short(here / self.start.elapsed().as_secs_f64().max(1e-3));
        let mut line = format!("best {best}, {} playouts, {rate}/s", short(playouts as f64));
        if let Some(bound) = progress.bound {
            line.push_str(&format!(", bound {}", show_value(self.instance, bound)));
        }
        // A gap in percent says nothing about a pair.
        let pair = progress.bound.and_then(|bound| self.instance.pair(bound));
        if let Some(gap) = progress.gap().filter(|_| pair.is_none()) {
            line.push_str(&format!(", gap {}", percent(gap)));
        }
        if let Some(all) = self.budget.playouts {
            line.push_str(&format!(", {:.0} %", 100.0 * playouts as f64 / all as f64));
        }
        if let Some(time) = self.budget.time {
            line.push_str(&format!(", {:.0} s left", time.saturating_sub(progress.elapsed).as_secs_f64()));
        }
        line
    }
}
