//! How many runs of a comparison have ended, and how long the others will take.

use super::plan::{Job, Plan};
use super::record::Run;
use crate::context::Context;
use crate::text::{counted, one_line, span};
use std::collections::HashMap;

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

    /// Seconds that these numbers of runs of each method take one after another; `None` if nothing is known of some of
    /// them.
    pub(crate) fn seconds(&self, left: &[usize]) -> Option<f64> {
        let one = |method: usize| match self.spent[method] {
            (sum, count @ 1..) => Some(sum / f64::from(count)),
            _ => self.limit[method],
        };
        let some = left.iter().enumerate().filter(|(_, count)| **count > 0);
        // A sum of nothing is -0.
        some.map(|(method, &count)| Some(one(method)? * count as f64)).sum::<Option<f64>>().map(|seconds| seconds + 0.0)
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

/// How far the runs of a plan are.
#[derive(Debug)]
pub(crate) struct Progress {
    estimate: Estimate,
    /// Runs at a time.
    jobs: usize,
    total: usize,
    /// Runs of each method that did not end yet.
    left: Vec<usize>,
    /// Runs that may follow these.
    more: usize,
    latest: String,
}

impl Progress {
    /// Progress of `total` runs of a plan, `todo` of which are still to be made, `jobs` at a time.
    pub(crate) fn new(plan: &Plan, total: usize, todo: &[&Job], estimate: Estimate, jobs: usize) -> Self {
        let left = by_method(plan, todo.iter().copied());
        Self { estimate, jobs, total, left, more: 0, latest: String::new() }
    }

    /// The same, where other runs may follow.
    pub(crate) fn with_more(mut self, more: usize) -> Self {
        self.more = more;
        self
    }

    /// What may follow, in words; empty if nothing.
    pub(crate) fn more(&self) -> String {
        if self.more == 0 { String::new() } else { format!(", then {} at most", counted(self.more, "run")) }
    }

    /// Runs that did not end yet.
    pub(crate) fn left(&self) -> usize {
        self.left.iter().sum()
    }

    /// Counts a run that ended; `latest` names it.
    pub(crate) fn finished(&mut self, job: &Job, run: &Run, latest: String) {
        self.estimate.add(job, run.seconds);
        self.left[job.method] -= 1;
        self.latest = latest;
    }

    /// Shows how many runs have ended.
    pub(crate) fn show(&self, context: &Context<'_>) {
        context.show.progress(self.total - self.left(), self.total, &|| self.line());
    }

    fn line(&self) -> String {
        let left = self.left();
        let mut line = format!("{}/{} runs", self.total - left, self.total);
        if let Some(seconds) = self.estimate.seconds(&self.left).filter(|_| left > 0) {
            line.push_str(&format!(", about {} left", span(seconds / self.jobs as f64)));
        }
        line.push_str(&self.more());
        if !self.latest.is_empty() {
            line.push_str(&format!("; last: {}", self.latest));
        }
        one_line(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_may_follow_are_named() {
        let estimate = Estimate { spent: vec![(6.0, 2), (0.0, 0)], limit: vec![None; 2] };
        let mut progress = Progress { estimate, jobs: 1, total: 7, left: vec![2, 0], more: 0, latest: String::new() };
        assert_eq!(progress.line(), "5/7 runs, about 6 s left");
        progress = progress.with_more(1);
        assert_eq!(progress.line(), "5/7 runs, about 6 s left, then 1 run at most");
        progress = progress.with_more(40);
        assert_eq!(progress.line(), "5/7 runs, about 6 s left, then 40 runs at most");
    }

    #[test]
    fn runs_that_ended_are_known_better_than_limits() {
        let job = |method| Job { instance: 0, method, seed: 0, key: String::new() };
        let mut estimate = Estimate { spent: vec![(0.0, 0); 2], limit: vec![Some(10.0), None] };
        assert_eq!(estimate.seconds(&[2, 0]), Some(20.0));
        assert_eq!(estimate.seconds(&[1, 1]), None);
        estimate.add(&job(1), 3.0);
        estimate.add(&job(0), 1.0);
        assert_eq!(estimate.seconds(&[1, 1]), Some(4.0));
        assert!(estimate.seconds(&[0, 0]).is_some_and(|seconds| seconds == 0.0 && seconds.is_sign_positive()));
    }
}
