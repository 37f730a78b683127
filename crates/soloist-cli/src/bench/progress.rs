//! How far a comparison is and how long it will take.

use super::plan::{Job, Plan};
use super::record::Run;
use crate::output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Time between plain lines.
const LINE: Duration = Duration::from_secs(5);

/// What runs of each method take: known from those that ended, else their time limit.
#[derive(Debug)]
pub(crate) struct Estimate {
    /// Seconds and number of the runs that ended.
    spent: Vec<(f64, u32)>,
    limit: Vec<Option<f64>>,
}

impl Estimate {
    /// From the runs that the file holds.
    pub(crate) fn new(plan: &Plan, found: &HashMap<String, Run>) -> Self {
        let limit = plan.methods.iter().map(|method| method.budget.time.map(|time| time.as_secs_f64())).collect();
        let mut estimate = Self { spent: vec![(0.0, 0); plan.methods.len()], limit };
        for job in &plan.jobs {
            if let Some(run) = found.get(&job.key) {
                estimate.add(job, run.seconds);
            }
        }
        estimate
    }

    fn add(&mut self, job: &Job, seconds: f64) {
        let (sum, count) = &mut self.spent[job.method];
        (*sum, *count) = (*sum + seconds, *count + 1);
    }

    /// Seconds that so many runs of each method take one after another; `None` if nothing is known of some of them.
    pub(crate) fn seconds(&self, left: &[usize]) -> Option<f64> {
        let one = |method: usize| match self.spent[method] {
            (sum, count @ 1..) => Some(sum / f64::from(count)),
            _ => self.limit[method],
        };
        let some = left.iter().enumerate().filter(|(_, count)| **count > 0);
        some.map(|(method, &count)| Some(one(method)? * count as f64)).sum()
    }
}

/// How many of the runs each method has.
pub(crate) fn by_method<'a>(plan: &Plan, jobs: impl IntoIterator<Item = &'a Job>) -> Vec<usize> {
    let mut counts = vec![0; plan.methods.len()];
    for job in jobs {
        counts[job.method] += 1;
    }
    counts
}

/// A duration for people.
pub(crate) fn span(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5970.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

/// Progress for people.
#[derive(Debug)]
pub(crate) struct Show {
    kind: Kind,
    estimate: Estimate,
    /// Runs at a time.
    jobs: usize,
    total: usize,
    /// Runs of each method that did not end yet.
    left: Vec<usize>,
    last: Instant,
    latest: String,
}

#[derive(Debug)]
enum Kind {
    Quiet,
    Lines,
    Bar(ProgressBar),
}

impl Show {
    /// Of the runs of a plan, of which `todo` are to come, `jobs` at a time.
    pub(crate) fn new(quiet: bool, plan: &Plan, todo: &[&Job], estimate: Estimate, jobs: usize) -> Self {
        let total = plan.jobs.len();
        let left = by_method(plan, todo.iter().copied());
        let kind = if quiet {
            Kind::Quiet
        } else if output::is_terminal() {
            let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("[{bar:20}] {wide_msg}").expect("a fixed template");
            bar.set_style(style.progress_chars("=> "));
            Kind::Bar(bar)
        } else {
            Kind::Lines
        };
        Self { kind, estimate, jobs, total, left, last: Instant::now(), latest: String::new() }
    }

    /// Runs that did not end yet.
    pub(crate) fn left(&self) -> usize {
        self.left.iter().sum()
    }

    /// A run ended.
    pub(crate) fn finished(&mut self, job: &Job, run: &Run, latest: String) {
        self.estimate.add(job, run.seconds);
        self.left[job.method] -= 1;
        self.latest = latest;
        self.beat();
    }

    /// Shows how far things are, now and then and at the end.
    pub(crate) fn beat(&mut self) {
        match &self.kind {
            Kind::Quiet => {}
            Kind::Bar(bar) => {
                bar.set_position((self.total - self.left()) as u64);
                bar.set_message(self.line());
                bar.tick();
            }
            Kind::Lines if self.left() == 0 || self.last.elapsed() >= LINE => {
                self.last = Instant::now();
                output::note(&self.line());
            }
            Kind::Lines => {}
        }
    }

    /// Takes the live line away.
    pub(crate) fn finish(&self) {
        if let Kind::Bar(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }

    /// Prints a line that stays.
    pub(crate) fn note(&self, line: &str) {
        match &self.kind {
            Kind::Bar(bar) => bar.suspend(|| output::note(line)),
            Kind::Quiet | Kind::Lines => output::note(line),
        }
    }

    fn line(&self) -> String {
        let left = self.left();
        let mut line = format!("{}/{} runs", self.total - left, self.total);
        if let Some(seconds) = self.estimate.seconds(&self.left).filter(|_| left > 0) {
            line.push_str(&format!(", about {} left", span(seconds / self.jobs as f64)));
        }
        if !self.latest.is_empty() {
            line.push_str(&format!("; last: {}", self.latest));
        }
        crate::failure::one_line(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        for (seconds, text) in
            [(0.4, "0 s"), (99.0, "99 s"), (100.0, "2 min"), (7200.0, "2.0 h"), (864_000.0, "10.0 days")]
        {
            assert_eq!(span(seconds), text);
        }
    }

    #[test]
    fn what_ended_tells_more_than_limits() {
        let job = |method| Job { instance: 0, method, seed: 0, key: String::new() };
        let mut estimate = Estimate { spent: vec![(0.0, 0); 2], limit: vec![Some(10.0), None] };
        assert_eq!(estimate.seconds(&[2, 0]), Some(20.0));
        assert_eq!(estimate.seconds(&[1, 1]), None);
        estimate.add(&job(1), 3.0);
        estimate.add(&job(0), 1.0);
        assert_eq!(estimate.seconds(&[1, 1]), Some(4.0));
        assert_eq!(estimate.seconds(&[0, 0]), Some(0.0));
    }
}
