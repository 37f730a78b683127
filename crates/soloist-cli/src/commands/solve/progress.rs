//! What people see while a search runs: a live line on a terminal, plain lines elsewhere.

use super::events::Events;
use super::text::{percent, show, show_value, units_done};
use crate::terminal::{Kind, LINE, output};
use soloist::problem::Unit;
use soloist::run::{Counters, Improvement, Progress};
use soloist::{Budget, Score};
use soloist_problems::{AnyInstance, AnyObserver, Observed};
use soloist_study::serve::FeedObserver;
use soloist_study::text::short;
use std::time::{Duration, Instant};

/// Least time between two improvements that are shown: they come in swarms at first.
const GAP: Duration = Duration::from_millis(100);
/// Resolution of the bar.
const STEPS: u64 = 1000;

/// Sends the events of a run to the terminal, to the file of events and to the live page.
pub(crate) struct RunObservers<'a> {
    pub(crate) human: TerminalProgress<'a>,
    pub(crate) events: Option<Events>,
    pub(crate) page: Option<FeedObserver<'a>>,
}

impl AnyObserver for RunObservers<'_> {
    fn on(&mut self, event: Observed<'_>) {
        self.human.on(event);
        self.events.on(event);
        self.page.on(event);
    }

    fn wants_insight(&self) -> bool {
        self.page.wants_insight()
    }
}

impl AnyObserver for TerminalProgress<'_> {
    fn on(&mut self, event: Observed<'_>) {
        match event {
            Observed::Improved { improvement, progress, solution } if !matches!(self.kind, Kind::Quiet) => {
                self.brief = self.instance.brief(improvement.score, solution);
                self.pending = Some((*improvement, *progress));
                self.show_pending();
            }
            Observed::Progress(progress) => self.progress(progress),
            Observed::Unsaved(error) => self.unsaved(&error.to_string()),
            _ => {}
        }
    }
}

/// Progress for people.
pub(crate) struct TerminalProgress<'a> {
    /// Knows what scores mean.
    instance: &'a dyn AnyInstance,
    kind: Kind,
    budget: Budget,
    start: Instant,
    /// What the method counts; `None`: playouts.
    unit: Option<Unit>,
    /// Units done when this process began, for the rate.
    before: u64,
    last_line: Instant,
    /// When an improvement was shown last.
    last_shown: Option<Instant>,
    /// The latest improvement, if it is not shown yet.
    pending: Option<(Improvement, Progress)>,
    /// What the best score means, for problems that say it.
    brief: Option<String>,
    /// Why a checkpoint was not written, as shown last.
    unsaved: String,
}

impl<'a> TerminalProgress<'a> {
    /// Progress of a run on `instance` towards `budget`, on the terminal if there is one, none if `quiet`. The run has
    /// counted `before` already, in the unit of its method.
    pub(crate) fn new(
        instance: &'a dyn AnyInstance,
        quiet: bool,
        budget: &Budget,
        unit: Option<Unit>,
        before: Counters,
    ) -> Self {
        let measured = budget.time.is_some() || [budget.playouts, budget.nodes] != [None; 2];
        let kind = Kind::new(quiet, STEPS, if measured { "[{bar:20}] {msg}" } else { "{spinner} {msg}" });
        let start = Instant::now();
        Self {
            instance,
            kind,
            budget: budget.clone(),
            start,
            unit,
            before: units_done(unit, before).0,
            last_line: start,
            last_shown: None,
            pending: None,
            brief: None,
            unsaved: String::new(),
        }
    }

    /// Time between reports of progress.
    pub(crate) fn interval(&self) -> Duration {
        match self.kind {
            Kind::Bar(_) => Duration::from_millis(100),
            Kind::Quiet | Kind::Lines => Duration::from_millis(500),
        }
    }

    /// Warns that a checkpoint was not written, once for each reason, even if quiet: work may be lost.
    fn unsaved(&mut self, error: &str) {
        if self.unsaved == error {
            return;
        }
        self.unsaved = error.to_owned();
        self.kind.note(&format!("{error}; trying again after each interval"));
    }

    fn progress(&mut self, progress: &Progress) {
        self.show_pending();
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

    /// Shows what is pending and removes the live line.
    pub(crate) fn finish(&mut self) {
        self.flush();
        self.kind.finish();
    }

    /// Shows the latest improvement, at most ten a second; the last one is shown at the end.
    fn show_pending(&mut self) {
        if self.last_shown.is_none_or(|last| last.elapsed() >= GAP) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if let Some((improvement, progress)) = self.pending.take() {
            self.show(&improvement, &progress);
        }
    }

    fn show(&mut self, improvement: &Improvement, progress: &Progress) {
        self.last_shown = Some(Instant::now());
        let (on, off) = if output::colored() { ("\x1b[32m", "\x1b[0m") } else { ("", "") };
        let seconds = progress.elapsed.as_secs_f64();
        let (count, name) = units_done(self.unit, progress.counters);
        let count = short(count as f64);
        let line = format!("{seconds:8.2} s  {on}{}{off}  after {count} {name}", self.named(improvement.score));
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
        let nodes = self.budget.nodes.map(|all| progress.counters.nodes as f64 / all as f64);
        time.into_iter().chain(playouts).chain(nodes).fold(0.0, f64::max).clamp(0.0, 1.0)
    }

    fn line(&self, progress: &Progress) -> String {
        let best = progress.best.map_or_else(|| "none".to_owned(), |score| self.named(score));
        let (count, name) = units_done(self.unit, progress.counters);
        let here = count.saturating_sub(self.before) as f64;
        let rate = short(here / self.start.elapsed().as_secs_f64().max(1e-3));
        let mut line = format!("best {best}, {} {name}, {rate}/s", short(count as f64));
        if let Some(bound) = progress.bound {
            line.push_str(&format!(", bound {}", show_value(self.instance, bound)));
        }
        // A gap in percent says nothing about a pair.
        let pair = progress.bound.and_then(|bound| self.instance.pair(bound));
        if let Some(gap) = progress.gap().filter(|_| pair.is_none()) {
            line.push_str(&format!(", gap {}", percent(gap)));
        }
        if [self.budget.playouts, self.budget.nodes] != [None; 2] {
            line.push_str(&format!(", {:.0} %", 100.0 * self.fraction(progress)));
        }
        if let Some(time) = self.budget.time {
            line.push_str(&format!(", {:.0} s left", time.saturating_sub(progress.elapsed).as_secs_f64()));
        }
        line
    }
}
