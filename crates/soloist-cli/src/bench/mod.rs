//! `soloist bench`: methods x instances x seeds at equal budgets, each result verified and kept, and what they say.
//!
//! `spec` reads the description, `plan` turns it into jobs, `runner` runs them, `record` keeps what they yield,
//! `analysis`, `standing` and `profile` work out the figures, `present`, `json` and `export` show them, `reference` has
//! the best known scores, `progress` tells how far things are.

pub(crate) mod analysis;
mod export;
mod json;
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

use crate::args::BenchArgs;
use crate::failure::Failure;
use crate::lines::Writer;
use crate::live::{counted, span};
use crate::output::{self, Guarded, Target};
use crate::pool::Event;
use crate::result::plain;
use crate::serve::Feed;
use crate::signal;
pub(crate) use analysis::{Grid, Line, mean};
pub(crate) use plan::Plan;
pub(crate) use present::{budget_text, probability, rounded};
pub(crate) use record::Run;

use plan::Job;
use present::{Findings, Shown};
use progress::{Estimate, Show, by_method};
use record::{Found, Kept};
use serde_json::{Value, json};
use soloist_problems::Limits;
use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What writes the files of runs.
const COMMAND: &str = "soloist bench";

/// Runs the command.
pub(crate) fn run(args: &BenchArgs) -> Result<u8, Failure> {
    let spec = spec::read(&args.spec)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let at_a_time = args.jobs.or(spec.jobs).unwrap_or_else(|| (cores / spec.threads).max(1));
    let mut plan = Plan::new(&args.spec, spec, args.scale)?;
    // Runs that a filter hides are still runs of this spec.
    let all: Vec<String> = plan.jobs.iter().map(|job| job.key.clone()).collect();
    let keys: HashSet<&str> = all.iter().map(String::as_str).collect();
    plan.filter(&args.filter)?;
    let path = args.out.clone().unwrap_or_else(|| args.spec.with_extension("jsonl"));
    if args.dry_run {
        let found = if args.fresh { Found::default() } else { record::read(&path, COMMAND, Some(&keys))? };
        return dry_run(&plan, &found, at_a_time, args.json);
    }
    let outputs = Outputs::check(args, &plan, &path)?;
    let (writer, found) = record::open(&path, COMMAND, Some(&keys), args.fresh)?;
    signal::install(args.quiet)?;
    if !args.quiet {
        announce(&plan, &path, &found, at_a_time, cores);
    }
    if let Some(address) = args.serve {
        plan.feed = Some(serve(address, &plan, &args.spec, &path, &keys)?);
    }
    let kept = if args.no_solutions { Kept::Courses } else { Kept::All };
    let (found, ran) = run_all(args.quiet, kept, &plan, found, writer, at_a_time);
    if let Some(feed) = &plan.feed {
        feed.close();
    }
    let findings = Findings::new(&plan, &found);
    let shown = Shown { markdown: args.markdown, instances: args.instances, profile: args.profile };
    let text = if args.json { format!("{}\n", findings.json()) } else { findings.text(shown) };
    let exported = outputs.write(&plan, &findings);
    Failure::of_all([ran, output::print(&text), exported])?;
    match findings.unverified() {
        0 if findings.missing() > 0 => Ok(130),
        0 => Ok(0),
        count => Err(Failure::runtime(format!("{} failed verification", counted(count, "result")))),
    }
}

/// Plans the runs of a spec that is given as text under a name; files of instances count from the folder of `place`.
pub(crate) fn plan(place: &Path, name: &str, text: &str) -> Result<Plan, Failure> {
    Plan::new(place, spec::parse(name, text)?, 1.0)
}

/// Makes the runs of a plan that the file does not hold yet and returns all that it holds then. Runs that an interrupt
/// stopped are missing.
pub(crate) fn carry_out(
    plan: &Plan,
    path: &Path,
    quiet: bool,
    at_a_time: usize,
) -> Result<HashMap<String, Run>, Failure> {
    let keys: HashSet<&str> = plan.jobs.iter().map(|job| job.key.as_str()).collect();
    let (writer, found) = record::open(path, COMMAND, Some(&keys), false)?;
    let (found, ran) = run_all(quiet, Kept::All, plan, found, writer, at_a_time);
    ran.map(|()| found.runs)
}

/// The files to write at the end, all of them found writable.
struct Outputs {
    csv: Option<export::Folder>,
    svg: Option<Target>,
}

impl Outputs {
    /// Checks the files to write against those that are read, the runs at `runs` and each other.
    fn check(args: &BenchArgs, plan: &Plan, runs: &Path) -> Result<Self, Failure> {
        let mut files = Guarded::default();
        files.add(&args.spec, "the spec");
        plan.files.iter().for_each(|(path, what)| files.add(path, what));
        files.check("the file of runs", runs)?;
        files.add(runs, "the runs");
        if let Some(path) = &args.svg {
            files.check("--svg", path)?;
            files.add(path, "the drawing of --svg");
        }
        let svg = args.svg.as_deref().map(Target::new).transpose()?;
        let csv = args.csv.as_deref().map(|folder| export::Folder::new(folder, &files)).transpose()?;
        Ok(Self { csv, svg })
    }

    fn write(&self, plan: &Plan, findings: &Findings<'_>) -> Result<(), Failure> {
        let csv = self.csv.as_ref().map_or(Ok(()), |folder| folder.write(findings));
        let methods: Vec<usize> = findings.rows.iter().map(|row| row.method).collect();
        let svg = match (&self.svg, &findings.profile) {
            (Some(target), Some(profile)) => target.write(&profile.figure(plan, &methods).svg()),
            (Some(target), None) => {
                output::note(&format!("no runs to draw, {} is not written", target.shown()));
                Ok(())
            }
            (None, _) => Ok(()),
        };
        Failure::of_all([csv, svg])
    }
}

/// Begins to serve the page of the runs, with those that the file holds already.
fn serve(
    address: SocketAddr,
    plan: &Plan,
    spec: &Path,
    runs: &Path,
    keys: &HashSet<&str>,
) -> Result<Arc<Feed>, Failure> {
    let title = plan.title.clone().unwrap_or_else(|| format!("{} {}", plan.domain.name, spec.display()));
    let feed = Arc::new(Feed::bench(title, spec.parent().unwrap_or(Path::new(""))));
    feed.history(runs, keys)?;
    crate::serve::start(address, Arc::clone(&feed))?;
    Ok(feed)
}

/// Runs what is not in the file yet.
fn run_all(
    quiet: bool,
    kept: Kept,
    plan: &Plan,
    mut found: Found,
    mut writer: Writer,
    at_a_time: usize,
) -> (Found, Result<(), Failure>) {
    let todo: Vec<&Job> = plan.jobs.iter().filter(|job| !found.runs.contains_key(&job.key)).collect();
    let mut show = Show::new(quiet, plan, &todo, Estimate::new(plan, &found.runs), at_a_time);
    let ran = runner::run(plan, &todo, at_a_time, kept, &mut |event| {
        match event {
            Event::Beat => show.beat(),
            Event::Finished(_, finished) => {
                writer.append(&finished.line)?;
                if let Some(wrong) = &finished.wrong {
                    show.note(wrong);
                }
                found.insert(finished.job.key.clone(), finished.run, finished.course);
                let score = finished.run.score.map_or_else(|| "infeasible".to_owned(), plain);
                let latest = format!("{}: {score}", plan.describe(finished.job));
                show.finished(finished.job, &finished.run, latest);
            }
        }
        Ok(())
    });
    show.finish();
    if !quiet && signal::STOP.load(Ordering::SeqCst) && ran.is_ok() && show.left() > 0 {
        output::note(&format!("interrupted with {} to do; the same call continues", counted(show.left(), "run")));
    }
    (found, ran)
}

/// Says what starts and what was found.
fn announce(plan: &Plan, path: &Path, found: &Found, at_a_time: usize, cores: usize) {
    let path = path.display();
    if found.end.cut {
        output::note(&format!("{path}: the last line was cut short and is dropped"));
    }
    if found.others > 0 {
        output::note(&format!("{path}: {} of other runs, left as they are", counted(found.others, "record")));
    }
    if found.twice > 0 {
        output::note(&format!(
            "{path}: {} of runs that are there twice, the later ones count",
            counted(found.twice, "record")
        ));
    }
    let done = plan.jobs.iter().filter(|job| found.runs.contains_key(&job.key)).count();
    let total = counted(plan.jobs.len(), "run");
    output::note(&format!("{}: {total}, {done} done, {at_a_time} at a time, kept in {path}", plan.domain.name));
    let timed = plan.methods.iter().any(|method| method.budget.time.is_some());
    if timed && at_a_time * plan.threads > cores {
        let streams = at_a_time * plan.threads;
        output::note(&format!("{streams} threads share {cores} cores: time limits buy less than they would alone"));
    }
}

/// Lists the runs and what they would take.
fn dry_run(plan: &Plan, found: &Found, at_a_time: usize, as_json: bool) -> Result<u8, Failure> {
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
        output::print(&format!("{object}\n"))?;
        return Ok(0);
    }
    let mut text = String::new();
    for job in &plan.jobs {
        let state = if is_done(job) { "done" } else { "run " };
        let budget = budget_text(&plan.methods[job.method].budget);
        text.push_str(&crate::failure::one_line(&format!("{state}  {}, {budget}", plan.describe(job))));
        text.push('\n');
    }
    let time =
        seconds.map_or_else(|| "time unknown (count limits)".to_owned(), |seconds| format!("about {}", span(seconds)));
    let (total, left) = (counted(plan.jobs.len(), "run"), todo.len());
    text.push_str(&format!("{total}, {left} to do, {at_a_time} at a time: {time}\n"));
    output::print(&text)?;
    Ok(0)
}
