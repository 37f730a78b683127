//! Runs the jobs of a plan; the calling thread hears of every end.

use super::plan::{Job, Plan, Planned};
use super::record::{Detail, Improvements, Run, Trajectory, record};
use crate::context::Context;
use crate::failure::Failure;
use crate::pool::{self, Event};
use crate::serve::{Feed, FeedObserver};
use soloist::run::StopReason;
use soloist_domain::Request;
use soloist_domain::result::{self, Asked};
use soloist_domain::verification::verify_all;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How the runs of a comparison are made.
#[derive(Clone, Debug, Default)]
pub struct Running {
    /// Runs at a time; `None`: as the description says, else as many as there are cores for.
    pub jobs: Option<usize>,
    /// What the records keep.
    pub detail: Detail,
    /// The page that shows the runs.
    pub feed: Option<Arc<Feed>>,
}

/// A finished run.
#[derive(Debug)]
pub(crate) struct Finished<'a> {
    pub(crate) job: &'a Job,
    pub(crate) run: Run,
    pub(crate) trajectory: Trajectory,
    /// Its line in the file of runs.
    pub(crate) line: String,
    /// Why the result is not what it claims to be.
    pub(crate) wrong: Option<String>,
}

/// Runs `todo` in its order, as many at a time as `running` says. Runs that are interrupted are dropped; the first
/// failure stops all others.
pub(crate) fn run<'a>(
    plan: &'a Plan,
    todo: &[&'a Job],
    running: &Running,
    context: &Context<'_>,
    tell: &mut dyn FnMut(Event<Finished<'a>>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let name = |at| plan.describe(todo[at]);
    let at_a_time = plan.at_a_time(running.jobs);
    pool::run(todo.len(), at_a_time, context, &name, &|at| solve(plan, todo[at], running, context.stop), tell)
}

/// One run, verified; `None` if it was interrupted.
fn solve<'a>(
    plan: &'a Plan,
    job: &'a Job,
    running: &Running,
    stop: &AtomicBool,
) -> Result<Option<Finished<'a>>, Failure> {
    let competition = &plan.instances[job.instance];
    let Planned { label, budget } = &plan.methods[job.method];
    let instance = &*competition.instance;
    let setup = competition.setups[job.method].clone().seed(plan.seeds[job.seed]);
    let feed = running.feed.as_deref();
    let request = Request {
        setup: Some(setup.clone()),
        budget: budget.clone(),
        // Only improvements are noted, unless a page shows the run: progress is reported as seldom as can be.
        interval: if feed.is_some() { Duration::from_millis(500) } else { Duration::MAX },
        stop: Some(stop),
        ..Request::default()
    };
    let asked = Asked { domain: plan.domain, instance, options: &plan.options, setup: &setup };
    let page = feed.map(|feed| FeedObserver::begin(feed, asked, budget, None, Some((label, &competition.name))));
    let mut observers = (Improvements::default(), page);
    let report = instance
        .solve(request, &mut observers)
        .map_err(|error| Failure::runtime(format!("{}: {error}", plan.describe(job))))?;
    let (improvements, page) = observers;
    if let Some(page) = &page {
        page.end(&report);
    }
    if report.stop == StopReason::Interrupted {
        return Ok(None);
    }
    let checked = result::value(&report).map(|_| verify_all(asked, &report));
    let verified = checked.as_ref().map(Result::is_ok);
    let wrong = checked.and_then(Result::err).map(|error| format!("{}: {error}", plan.describe(job)));
    let record = record(plan, job, asked, &report, improvements.0, verified);
    let (run, trajectory) = (Run::of(&record.ending, verified), Trajectory::of(&record));
    let record = running.detail.of(record);
    let line = record.line();
    if let Some(feed) = feed {
        feed.record(record);
    }
    Ok(Some(Finished { job, run, trajectory, line, wrong }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::present::{Findings, Shown};
    use crate::bench::record::Found;
    use crate::bench::spec::{Entrant, Entry, Spec, Wanted};
    use serde_json::Value;
    use soloist_domain::{Limits, Registry, RunSpec, Settings};
    use std::path::Path;

    /// A plan on the problem for tests, by playouts and by playouts without end.
    fn plan(instances: &[&str]) -> Plan {
        let method = |playouts| Entrant {
            label: format!("{playouts} playouts"),
            run: RunSpec {
                budget: Limits { playouts: Some(playouts), ..Limits::default() },
                threads: Some(1),
                ..RunSpec::default()
            },
            line: 1,
        };
        let spec = Spec {
            title: None,
            domain: &soloist_domain_testing::problem::DOMAIN,
            options: Settings::default(),
            instances: instances.iter().map(|text| Entry { text: (*text).to_owned(), line: 1 }).collect(),
            limit: 100,
            seeds: vec![1, 2],
            threads: 1,
            jobs: None,
            methods: vec![method(3), method(4)],
            baseline: None,
            best_known: None,
            profile: Wanted::default(),
        };
        Plan::new(Path::new("dummy.toml"), spec, 1.0).unwrap()
    }

    /// Runs everything: the records, what was found wrong, and the figures at the end.
    fn all(plan: &Plan) -> (Vec<Value>, Vec<String>, Value) {
        let todo: Vec<&Job> = plan.jobs.iter().collect();
        let (mut records, mut wrongs, mut found) = (Vec::new(), Vec::new(), Found::default());
        let running = Running { jobs: Some(2), ..Running::default() };
        let stop = AtomicBool::new(false);
        let context = Context::silent(Registry::new(&[]), &stop);
        run(plan, &todo, &running, &context, &mut |event| {
            if let Event::Finished(finished) = event {
                records.push(serde_json::from_str(&finished.line).unwrap());
                wrongs.extend(finished.wrong);
                found.insert(finished.job.key.clone(), finished.run, finished.trajectory);
            }
            Ok(())
        })
        .unwrap();
        let findings = Findings::new(plan, &found);
        assert_eq!((findings.missing(), findings.unverified()), (0, wrongs.len()));
        assert!(findings.text(Shown { instances: true, ..Shown::default() }).lines().all(|line| line.len() < 200));
        (records, wrongs, findings.json())
    }

    #[test]
    fn results_that_fail_verification_are_kept_as_such() {
        let (records, wrongs, table) = all(&plan(&["feasible", "wrong"]));
        assert_eq!((records.len(), wrongs.len()), (8, 4));
        for record in &records {
            assert_eq!(record["verified"], record["instance"] == "feasible", "{record}");
        }
        assert!(wrongs[0].starts_with("wrong, seed ") && wrongs[0].contains("claims score 2, verification finds 3"));
        let row = &table["methods"][0];
        assert_eq!((&row["runs"], &row["unverified"], &row["mean"]), (&4.into(), &2.into(), &2.into()));
        assert!(table["notes"].to_string().contains("2 runs failed verification"), "{table}");
    }

    #[test]
    fn infeasible_runs_are_counted_and_left_out() {
        let (records, wrongs, table) = all(&plan(&["feasible", "infeasible"]));
        assert!(wrongs.is_empty());
        let infeasible: Vec<_> = records.iter().filter(|record| record["instance"] == "infeasible").collect();
        assert_eq!(infeasible.len(), 4);
        for record in infeasible {
            assert_eq!(
                (&record["verified"], &record["score"], &record["violation"]),
                (&Value::Null, &Value::Null, &1.5.into())
            );
        }
        let row = &table["methods"][0];
        assert_eq!((&row["infeasible"], &row["mean"], &row["sum_of_best"]), (&2.into(), &2.into(), &2.into()));
        // Equal scores on one instance, equal violations on the other.
        let pair = &table["comparisons"][0];
        assert_eq!((&pair["ties"], &pair["zeros"], &pair["better"]), (&2.into(), &1.into(), &Value::Null));
        assert!(table["notes"].to_string().contains("2 of 4 runs without a feasible solution"), "{table}");
    }

    #[test]
    fn methods_stand_side_by_side() {
        let plan = plan(&["feasible", "wrong", "feasible"]);
        let order: Vec<_> = plan.jobs.iter().map(|job| (job.instance, job.seed, job.method)).collect();
        assert_eq!(order[..5], [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0)]);
        // The instance that is named twice runs once, and every run has a key of its own.
        let keys: std::collections::HashSet<_> = plan.jobs.iter().map(|job| job.key.as_str()).collect();
        assert_eq!((plan.jobs.len(), keys.len()), (8, 8));
    }
}
