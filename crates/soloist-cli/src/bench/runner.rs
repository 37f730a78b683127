//! Runs jobs on a pool of threads; the calling thread hears of every end.

use super::plan::{Job, Plan};
use super::record::{Record, Run};
use crate::failure::Failure;
use crate::result::{self, Asked, ResultJson};
use crate::signal::STOP;
use crate::solve::verify;
use soloist::StopReason;
use soloist_problems::{Request, Unwatched};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Time between two beats when no run ends.
const BEAT: Duration = Duration::from_millis(200);

/// A finished run.
#[derive(Debug)]
pub(crate) struct Finished<'a> {
    pub(crate) job: &'a Job,
    pub(crate) run: Run,
    /// Its line in the file of runs.
    pub(crate) line: String,
    /// Why the result is not what it claims to be.
    pub(crate) wrong: Option<String>,
}

/// What the caller is told.
pub(crate) enum Event<'a> {
    /// A run ended by itself.
    Finished(Box<Finished<'a>>),
    /// Some time passed.
    Beat,
}

/// Runs `todo` in its order, `jobs` at a time. Runs that are interrupted are dropped; the first failure stops all others.
pub(crate) fn run<'a>(
    plan: &'a Plan,
    todo: &[&'a Job],
    jobs: usize,
    solutions: bool,
    tell: &mut dyn FnMut(Event<'a>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(todo.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while !STOP.load(Ordering::SeqCst)
                    && let Some(job) = todo.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    // Nobody listens any more once a failure is on its way out.
                    let _ = sender.send(solve(plan, job, solutions));
                }
            });
        }
        drop(sender);
        let mut failed = Ok(());
        loop {
            let told = match receiver.recv_timeout(BEAT) {
                Ok(Ok(Some(finished))) => tell(Event::Finished(Box::new(finished))),
                Ok(Ok(None)) => Ok(()),
                Ok(Err(failure)) => Err(failure),
                Err(RecvTimeoutError::Timeout) => tell(Event::Beat),
                Err(RecvTimeoutError::Disconnected) => break failed,
            };
            if failed.is_ok() && told.is_err() {
                STOP.store(true, Ordering::SeqCst);
                failed = told;
            }
        }
    })
}

/// One run, verified; `None` if it was interrupted.
fn solve<'a>(plan: &'a Plan, job: &'a Job, solutions: bool) -> Result<Option<Finished<'a>>, Failure> {
    let loaded = &plan.instances[job.instance];
    let instance = &*loaded.instance;
    let mut choice = loaded.choices[job.method].clone();
    choice.seed = plan.seeds[job.seed];
    let request = Request {
        method: Some(choice.method.clone()),
        rollout: Some(choice.rollout.clone()),
        seed: choice.seed,
        threads: choice.threads,
        budget: plan.methods[job.method].budget.clone(),
        // Nobody watches: as seldom as can be.
        interval: Duration::MAX,
        stop: Some(&STOP),
        ..Request::default()
    };
    let fail = |error: &dyn std::fmt::Display| Failure::runtime(format!("{}: {error}", plan.describe(job)));
    let report = instance.solve(request, &mut Unwatched).map_err(|error| fail(&error))?;
    if report.stop == StopReason::Interrupted {
        return Ok(None);
    }
    let asked = Asked { domain: plan.domain, instance, options: &plan.options, choice: &choice };
    let checked = result::value(&report).map(|score| verify(instance, &ResultJson::new(asked, &report).line(), score));
    let verified = checked.as_ref().map(Result::is_ok);
    let wrong = checked.and_then(Result::err).map(|failure| format!("{}: {}", plan.describe(job), failure.message));
    let line = Record::new(plan, job, &report, verified, solutions).line();
    Ok(Some(Finished { job, run: Run::new(&report, verified), line, wrong }))
}
