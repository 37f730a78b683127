//! Comparisons: methods x instances x seeds at equal budgets, each result verified and kept, and what they say.
//!
//! A [`Plan`] is made from a description (TOML), [`Bench`] makes its runs and keeps them in a file of records from
//! which the same call continues, [`Findings`] are the figures and their tables.
//!
//! | module | duty |
//! |---|---|
//! | `raw`, `spec` | reads the description |
//! | `plan` | turns it into jobs |
//! | `runner`, `record` | makes the runs, keeps them |
//! | `analysis`, `standing`, `profile`, `verdict` | compute the figures |
//! | `present`, `json`, `export` | show them |
//! | `reference` | the best known scores |
//! | `progress` | estimates how long the rest takes |

pub(crate) mod analysis;
mod export;
mod json;
mod numbers;
pub(crate) mod plan;
pub(crate) mod present;
mod profile;
mod progress;
mod raw;
pub(crate) mod record;
pub(crate) mod reference;
pub(crate) mod runner;
pub(crate) mod spec;
pub(crate) mod standing;
pub(crate) mod verdict;

pub(crate) use analysis::{Grid, Line, Signs, mean};
pub use export::Folder;
pub(crate) use numbers::{probability, rounded};
pub use plan::Plan;
pub(crate) use present::budget_text;
pub use present::{Findings, Shown};
pub use record::Detail;
pub(crate) use record::Run;
pub use runner::Running;

use crate::context::{Context, cores};
use crate::failure::Failure;
use crate::jsonl::Writer;
use crate::pool::Event;
use crate::serve::Feed;
use crate::text::{counted, one_line, plain, span};
use plan::Job;
use progress::{Estimate, Progress, by_method};
use record::Found;
use serde_json::{Value, json};
use soloist_domain::Limits;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What writes the files of runs.
const COMMAND: &str = "soloist bench";

/// A comparison with the file that keeps its runs.
#[derive(Debug)]
pub struct Bench<'a> {
    plan: &'a Plan,
    path: PathBuf,
    found: Found,
    writer: Writer,
}

impl<'a> Bench<'a> {
    /// Opens the file of runs at `path`, or makes it; `fresh` empties it.
    ///
    /// # Errors
    /// The file cannot be written, holds something else, or another process writes to it.
    pub fn open(plan: &'a Plan, path: &Path, fresh: bool) -> Result<Self, Failure> {
        let (writer, found) = record::open(path, COMMAND, Some(&plan.keys), fresh)?;
        Ok(Self { plan, path: path.to_owned(), found, writer })
    }

    /// Says what starts and what the file holds.
    pub fn announce(&self, jobs: Option<usize>, context: &Context<'_>) {
        let Self { plan, found, .. } = self;
        let path = self.path.display();
        if found.end.cut {
            context.note(&format!("{path}: the last line was cut short and is dropped"));
        }
        if found.others > 0 {
            context.note(&format!("{path}: {} of other runs, left as they are", counted(found.others, "record")));
        }
        if found.twice > 0 {
            let records = counted(found.twice, "record");
            context.note(&format!("{path}: {records} of runs that are there twice, the later ones count"));
        }
        let at_a_time = plan.at_a_time(jobs);
        let done = plan.jobs.iter().filter(|job| found.runs.contains_key(&job.key)).count();
        let total = counted(plan.jobs.len(), "run");
        context.note(&format!("{}: {total}, {done} done, {at_a_time} at a time, kept in {path}", plan.domain.name));
        let timed = plan.methods.iter().any(|method| method.budget.time.is_some());
        share_cores(timed, at_a_time * plan.load.threads, context);
    }

    /// Makes the runs that the file does not hold yet. Those that are interrupted are not kept.
    ///
    /// # Errors
    /// The first failure of a run or of the file; it ends all other runs. What was made before is kept.
    pub fn run(&mut self, running: &Running, context: &Context<'_>) -> Result<(), Failure> {
        self.run_some(&|_| true, 0, running, context)
    }

    /// Makes those of the runs that `is_due` and that the file does not hold yet. Later calls may make `more` runs.
    pub(crate) fn run_some(
        &mut self,
        is_due: &dyn Fn(&Job) -> bool,
        more: usize,
        running: &Running,
        context: &Context<'_>,
    ) -> Result<(), Failure> {
        let Self { plan, found, writer, .. } = self;
        let due: Vec<&Job> = plan.jobs.iter().filter(|job| is_due(job)).collect();
        let todo: Vec<&Job> = due.iter().copied().filter(|job| !found.runs.contains_key(&job.key)).collect();
        let at_a_time = plan.at_a_time(running.jobs);
        let running = Running { jobs: Some(at_a_time), ..running.clone() };
        let mut progress =
            Progress::new(plan, due.len(), &todo, Estimate::new(plan, &found.runs), at_a_time).with_more(more);
        let ran = runner::run(plan, &todo, &running, context, &mut |event| {
            match event {
                Event::Tick => progress.show(context),
                Event::Finished(finished) => {
                    writer.append(&finished.line)?;
                    if let Some(wrong) = &finished.wrong {
                        context.show.warn(wrong);
                    }
                    found.insert(finished.job.key.clone(), finished.run, finished.trajectory);
                    let score = finished.run.score.map_or_else(|| "infeasible".to_owned(), plain);
                    progress.finished(finished.job, &finished.run, plan.describe(finished.job) + ": " + &score);
                    progress.show(context);
                }
            }
            Ok(())
        });
        context.show.finish();
        if context.is_stopped() && ran.is_ok() && progress.left() > 0 {
            let left = counted(progress.left(), "run");
            let more = progress.more();
            context.note(&format!("interrupted with {left} to do{more}; the same call continues"));
        }
        ran
    }

    /// Computes what the runs in the file say.
    #[must_use]
    pub fn findings(&self) -> Findings<'_> {
        Findings::new(self.plan, &self.found)
    }

    /// The runs that the file holds now, by the keys of their jobs.
    pub(crate) fn runs(&self) -> &HashMap<String, Run> {
        &self.found.runs
    }

    /// The runs that the file holds now, by the keys of their jobs.
    pub(crate) fn into_runs(self) -> HashMap<String, Run> {
        self.found.runs
    }

    /// Returns a page that shows the runs live, with those that the file holds already; `spec` is the description.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn feed(&self, spec: &Path, context: &Context<'_>) -> Result<Arc<Feed>, Failure> {
        let Self { plan, path, .. } = self;
        let title = plan.title.clone().unwrap_or_else(|| format!("{} {}", plan.domain.name, spec.display()));
        let feed = Arc::new(Feed::bench(title, spec.parent().unwrap_or(Path::new("")), context.registry));
        feed.history(path, &plan.keys)?;
        Ok(feed)
    }
}

/// Warns that threads share cores, where time is the limit.
pub(crate) fn share_cores(timed: bool, streams: usize, context: &Context<'_>) {
    let cores = cores();
    if timed && streams > cores {
        context.note(&format!("{streams} threads share {cores} cores: time limits buy less than they would alone"));
    }
}

/// Lists the runs of a plan with an estimate of their time, as text or as one JSON object. Runs nothing.
///
/// # Errors
/// The file of runs at `path` holds something else; `None`: no file.
pub fn dry_run(plan: &Plan, path: Option<&Path>, jobs: Option<usize>, as_json: bool) -> Result<String, Failure> {
    let found = path.map(|path| record::read(path, COMMAND, Some(&plan.keys))).transpose()?.unwrap_or_default();
    let at_a_time = plan.at_a_time(jobs);
    let estimate = Estimate::new(plan, &found.runs);
    let is_done = |job: &Job| found.runs.contains_key(&job.key);
    let todo: Vec<&Job> = plan.jobs.iter().filter(|job| !is_done(job)).collect();
    let seconds = estimate.seconds(&by_method(plan, todo.iter().copied())).map(|seconds| seconds / at_a_time as f64);
    if as_json {
        let job = |job: &Job| {
            json!({
                "job": job.key,
                "instance": plan.instances[job.instance].name,
                "seed": plan.seeds[job.seed],
                "method": plan.methods[job.method].label,
                "budget": Limits::of(&plan.methods[job.method].budget),
                "done": is_done(job),
            })
        };
        let jobs: Vec<Value> = plan.jobs.iter().map(job).collect();
        let object =
            json!({ "jobs": jobs, "done": plan.jobs.len() - todo.len(), "at_a_time": at_a_time, "seconds": seconds });
        return Ok(format!("{object}\n"));
    }
    let mut text = String::new();
    for job in &plan.jobs {
        let state = if is_done(job) { "done" } else { "run " };
        let budget = budget_text(&plan.methods[job.method].budget);
        text.push_str(&one_line(&format!("{state}  {}, {budget}", plan.describe(job))));
        text.push('\n');
    }
    let time =
        seconds.map_or_else(|| "time unknown (count limits)".to_owned(), |seconds| format!("about {}", span(seconds)));
    let (total, left) = (counted(plan.jobs.len(), "run"), todo.len());
    text.push_str(&format!("{total}, {left} to do, {at_a_time} at a time: {time}\n"));
    Ok(text)
}
