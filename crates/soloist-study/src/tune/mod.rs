//! Tuning: finds parameters of a method by the cross-entropy method, with races if asked for, and compares them with
//! the parameters before on instances that took no part.
//!
//! `space` has the parameters and the distribution over them, `instances` the fresh ones of each iteration, `trace`
//! records and plots the iterations, `present` shows the result. A race drops settings early. The runs are those of
//! [`bench`](crate::bench): one plan for each iteration, in which the settings are the methods.
//!
//! # References
//! M. Schadd, M. Winands, M. Tak and J. Uiterwijk, "Single-player Monte-Carlo tree search for SameGame",
//! Knowledge-Based Systems 34, 2012, section 4.4 (the use for search parameters); P.-T. de Boer, D. Kroese, S. Mannor
//! and R. Rubinstein, "A tutorial on the cross-entropy method", Annals of Operations Research 134, 2005 (the method,
//! smoothing).

mod instances;
mod present;
mod space;
mod spec;
mod trace;

pub use crate::race::Race;
pub use space::Range;
pub use spec::TuneSpec;
pub(crate) use spec::Tuning;

use crate::bench::plan::{Job, Plan};
use crate::bench::present::{Findings, budget_text};
use crate::bench::record::{self, Found};
use crate::bench::spec::{Entrant, Entry, Spec, Wanted};
use crate::bench::{Detail, Running, runner, share_cores};
use crate::context::{Context, cores};
use crate::failure::Failure;
use crate::files::{Guarded, Target};
use crate::jsonl::Writer;
use crate::pool::Event;
use crate::race::{self, Scores, Test};
use crate::table::Format;
use crate::text::{counted, span};
use instances::{Instances, generator};
use present::Summary;
use serde_json::{Value, json};
use soloist::Setup;
use soloist_domain::{Limits, Registry, ResolvedRun, RunSpec, Setting, Settings, result};
use space::{Belief, Coordinate, ROLLOUT, Space};
use std::path::Path;
use std::time::Instant;
use trace::{Iteration, Trace};

/// The files of a tuning.
const FILES: [&str; 4] = ["runs.jsonl", "trace.jsonl", "trace.svg", "result.json"];
/// What writes the file of runs.
const COMMAND: &str = "soloist tune";

/// How a tuning ended.
#[derive(Debug)]
pub struct Tuned {
    /// Whether all runs were made.
    pub is_complete: bool,
    /// The result, or after an interruption the iterations so far.
    pub text: String,
}

/// Makes the runs of a tuning, `jobs` at a time, and writes `runs.jsonl`, `trace.jsonl`, `trace.svg` and `result.json`
/// into `folder`. A tuning that the folder holds is continued; `fresh` starts over.
///
/// # Errors
/// A wrong spec, a failure of a run or a file, or a folder with another tuning.
pub fn run(
    spec: &TuneSpec,
    folder: &Path,
    fresh: bool,
    jobs: Option<usize>,
    format: Format,
    context: &Context<'_>,
) -> Result<Tuned, Failure> {
    let tuning = Tuning::new(spec, context.registry)?;
    let mut inputs = Guarded::default();
    // A spec is no file; adding its name does no harm.
    let instances = tuning.instances.tuning.iter().chain(&tuning.instances.validation);
    instances.for_each(|name| inputs.add(Path::new(name), "an instance"));
    FILES.iter().try_for_each(|file| inputs.check("--out: the file", &folder.join(file)))?;
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::runtime(format!("cannot make {}: {error}", folder.display())))?;
    let mut trace = Trace::open(&folder.join("trace.jsonl"), &tuning.header(), fresh)?;
    let [figure, result] = ["trace.svg", "result.json"].map(|name| Target::regular(&folder.join(name)));
    let (figure, result) = (figure?, result?);
    let path = folder.join("runs.jsonl");
    let (writer, found) = record::open(&path, COMMAND, None, fresh)?;
    let jobs = jobs.unwrap_or_else(|| (cores() / spec.threads()).max(1));
    tuning.announce(&path, &found, jobs, context);
    let mut runs = Runs { found, writer, jobs, progress: Progress::new(tuning.planned()), context };

    let mut beliefs = tuning.start.clone();
    let mut iterations = Vec::new();
    for number in 0..spec.iterations {
        let Some(iteration) = tuning.iterate(number, &mut beliefs, &mut runs)? else {
            return Ok(tuning.interrupted(&iterations, format, context));
        };
        trace.push(&tuning.space, number, &iteration)?;
        iterations.push(iteration);
        let title = format!("{}: tuning {}", spec.domain.name, tuning.name);
        figure.write(&trace::figure(title, &tuning.space, &tuning.start, &iterations).svg())?;
    }
    let tuned = tuning.result(&beliefs, &iterations);
    let plan = tuning.validation(&tuned)?;
    if let Some(plan) = &plan {
        runs.progress.phase = "final comparison".to_owned();
        let todo: Vec<&Job> = plan.jobs.iter().collect();
        if !runs.run(plan, &todo)? {
            return Ok(tuning.interrupted(&iterations, format, context));
        }
    }
    context.show.finish();
    let findings = plan.as_ref().map(|plan| Findings::new(plan, &runs.found));
    let summary = Summary { tuning: &tuning, tuned: &tuned, iterations: &iterations, findings: findings.as_ref() };
    let json = format!("{}\n", summary.json());
    result.write(&json)?;
    let text = if format == Format::Json { json } else { summary.text(format) };
    Ok(Tuned { is_complete: true, text })
}

impl<'a> Tuning<'a> {
    /// Checks everything that can be wrong with the call.
    fn new(spec: &'a TuneSpec, registry: Registry) -> Result<Self, Failure> {
        let run = &spec.run;
        let options = run.check(spec.domain).map_err(|error| registry.with_owners(error))?;
        if !run.budget.has_end() {
            let message = "a run needs an end: expected one or more of --playouts, --nodes, --stall, --time";
            return Err(Failure::usage(message));
        }
        let elite = spec.elite.unwrap_or((spec.samples / 5).max(2));
        if elite >= spec.samples {
            return Err(Failure::usage(format!("--elite {elite}: expected fewer than the {} samples", spec.samples)));
        }
        let instances = Instances::new(&spec.instances, &spec.validation, spec.seed)?;
        if spec.race == Some(Race::Hoeffding) {
            let (batch, least) = (spec.batch.min(instances.tuning.len()), Test::least_instances(spec.samples));
            if batch < least {
                return Err(Failure::usage(format!(
                    "--race hoeffding: {batch} instances an iteration are too few for {} settings to drop any, expected \
                     --batch {least} or more (and as many INSTANCES)",
                    spec.samples
                )));
            }
        } else if spec.spread.is_some() {
            return Err(Failure::usage("--spread belongs to --race hoeffding".to_owned()));
        }
        let first = &instances.tuning[0];
        let first = (spec.domain.load)(first, &options)
            .map_err(|error| Failure::runtime(spec.domain.unopened(first, &error)))?;
        let ResolvedRun { setup, budget, .. } = run.resolve(spec.domain, &*first)?;
        let space = Space::new(Some(spec.domain), &setup, &spec.parameters, &run.set)?;
        let Setup { preset: name, method, rollout, .. } = setup;
        if let Some(dimension) = space.dimensions.iter().find(|dimension| dimension.key == ROLLOUT) {
            if run.rollout.is_some() {
                let message = "--parameter rollout: is fixed by --rollout, so that there is nothing to tune";
                return Err(Failure::usage(message));
            }
            for rollout in dimension.ends() {
                let tried = RunSpec { rollout: Some(rollout), ..run.clone() };
                tried
                    .resolve(spec.domain, &*first)
                    .map_err(|failure| Failure::usage(format!("--parameter rollout: {failure}")))?;
            }
        }
        let start = space.start(&spec.start)?;
        Ok(Self { spec, options, budget, name, method, rollout, space, start, instances, elite })
    }

    /// All that determines the trace, but for the number of iterations: more of them continue it.
    fn header(&self) -> Value {
        let Self { spec, space, .. } = self;
        let ranges = space.dimensions.iter().map(|dimension| (dimension.key, present::range(&dimension.kind)));
        let is_option = |key: &str| spec.domain.options.iter().any(|option| option.name == key);
        let set: Settings = self.spec.run.set.iter().filter(|setting| !is_option(&setting.key)).cloned().collect();
        json!({
            "problem": spec.domain.name,
            "options": self.options,
            "instances": spec.instances,
            "validation": spec.validation,
            "method": self.name,
            "set": set,
            "rollout": spec.run.rollout,
            "threads": spec.threads(),
            "budget": Limits::of(&self.budget),
            "parameters": ranges.collect::<std::collections::BTreeMap<_, _>>(),
            "start": spec.start.iter().cloned().collect::<Settings>(),
            "samples": spec.samples,
            "elite": self.elite,
            "batch": spec.batch,
            "smoothing": spec.smoothing,
            "race": spec.race.map(Race::name),
            "spread": spec.spread,
            "seed": self.spec.seed,
            "version": result::VERSION,
        })
    }

    /// Runs in all, if none is dropped.
    fn planned(&self) -> usize {
        let batch = self.spec.batch.min(self.instances.tuning.len());
        self.spec.samples * batch * self.spec.iterations
            + 2 * self.instances.validation.len() * self.spec.validation_seeds
    }

    fn announce(&self, path: &Path, found: &Found, jobs: usize, context: &Context<'_>) {
        let Self { spec, instances, .. } = self;
        if found.end.cut {
            context.note(&format!("{}: the last line was cut short and is dropped", path.display()));
        }
        let runs = counted(self.planned(), "run");
        context.note(&format!(
            "{}: {runs} of {} at most, {} kept in {}, {jobs} at a time",
            spec.domain.name,
            budget_text(&self.budget),
            found.runs.len(),
            path.display()
        ));
        let lasts = instances.lasts(spec.batch);
        if lasts < spec.iterations {
            let count = counted(instances.tuning.len(), "instance");
            context.note(&format!("{count} to tune on: from iteration {} on they are used again", lasts + 1));
        }
        share_cores(self.budget.time.is_some(), jobs * spec.threads(), context);
        if spec.validation.is_empty() {
            let count = counted(instances.validation.len(), "instance");
            context.note(&format!("{count} held out for the final comparison"));
        }
    }

    /// A plan in which settings are the methods.
    fn plan(&self, methods: Vec<Entrant>, instances: &[String], seeds: Vec<u64>) -> Result<Plan, Failure> {
        let spec = Spec {
            title: None,
            domain: self.spec.domain,
            options: (&self.options).into(),
            instances: instances.iter().map(|name| Entry { text: name.clone(), line: 0 }).collect(),
            limit: instances.len(),
            seeds,
            threads: self.spec.threads(),
            jobs: None,
            methods,
            baseline: None,
            best_known: None,
            profile: Wanted::default(),
        };
        Plan::new(Path::new("tune"), spec, 1.0)
    }

    fn contender(&self, label: &str, more: Vec<Setting>) -> Entrant {
        let mut run = self.spec.run.clone();
        let (rollouts, settings): (Vec<Setting>, Vec<Setting>) =
            more.into_iter().partition(|setting| setting.key == ROLLOUT);
        run.set.extend(settings);
        if let Some(rollout) = rollouts.into_iter().next() {
            run.rollout = Some(rollout.value);
        }
        Entrant { label: label.to_owned(), run, line: 0 }
    }

    /// Draws settings, runs them on fresh instances with common seeds, and moves the beliefs; `None`: interrupted.
    fn iterate(
        &self,
        number: usize,
        beliefs: &mut [Belief],
        runs: &mut Runs<'_>,
    ) -> Result<Option<Iteration>, Failure> {
        let spec = self.spec;
        let mut rng = generator(self.spec.seed, &format!("iteration {number}"));
        let draws = (0..spec.samples).map(|_| self.space.draw(beliefs, &mut rng));
        let points: Vec<Vec<Coordinate>> = draws.collect::<Result<_, _>>()?;
        // Equal settings are run once.
        let mut different: Vec<usize> = Vec::new();
        let mut setting_of = Vec::with_capacity(points.len());
        for (at, point) in points.iter().enumerate() {
            let known = different.iter().position(|&other| points[other] == *point);
            setting_of.push(known.unwrap_or(different.len()));
            if known.is_none() {
                different.push(at);
            }
        }
        let contender = |&at: &usize| {
            self.contender(&format!("iteration {}, setting {}", number + 1, at + 1), self.space.settings(&points[at]))
        };
        let instances = self.instances.batch(number, spec.batch);
        let seed = self.spec.seed.wrapping_add(number as u64);
        let plan = self.plan(different.iter().map(contender).collect(), &instances, vec![seed])?;
        runs.progress.phase = format!("iteration {}/{}", number + 1, spec.iterations);
        let Some(scores) = self.evaluate(&plan, runs)? else { return Ok(None) };
        runs.progress.skip((points.len() * instances.len()).saturating_sub(scores.iter().map(Vec::len).sum()));

        let of = |sample: usize| &scores[setting_of[sample]];
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&a, &b| race::compare(plan.sense, of(a), of(b)));
        let elite: Vec<&Vec<Coordinate>> = order[..self.elite].iter().map(|&at| &points[at]).collect();
        self.space.learn(beliefs, &elite, spec.smoothing);
        let mean = |samples: &mut dyn Iterator<Item = usize>| {
            let means: Vec<f64> = samples.filter_map(|sample| race::mean(of(sample))).collect();
            (!means.is_empty()).then(|| means.iter().sum::<f64>() / means.len() as f64)
        };
        let most = order.iter().map(|&at| of(at).len()).max().unwrap_or(0);
        Ok(Some(Iteration {
            runs: scores.iter().map(Vec::len).sum(),
            best: points[order[0]].clone(),
            best_mean: race::mean(of(order[0])),
            elite_mean: mean(&mut order[..self.elite].iter().copied()),
            mean: mean(&mut order.iter().copied().filter(|&at| of(at).len() == most)),
            beliefs: beliefs.to_vec(),
            instances,
        }))
    }

    /// The scores of each setting on the instances that it was run on; `None`: interrupted.
    fn evaluate(&self, plan: &Plan, runs: &mut Runs<'_>) -> Result<Option<Vec<Scores>>, Failure> {
        let mut scores = vec![Scores::new(); plan.methods.len()];
        let mut live: Vec<usize> = (0..plan.methods.len()).collect();
        let test = self.spec.race.map(|race| match race {
            Race::T => Test::T,
            Race::Hoeffding => {
                Test::Hoeffding { spread: self.spec.spread, bounds: plan.methods.len() * plan.instances.len() }
            }
        });
        // A race decides after every instance; without one all runs go to the pool at once.
        let step = if test.is_some() { 1 } else { plan.instances.len() };
        let all: Vec<usize> = (0..plan.instances.len()).collect();
        for block in all.chunks(step) {
            let is_due = |job: &&Job| block.contains(&job.instance) && live.contains(&job.method);
            let jobs: Vec<&Job> = plan.jobs.iter().filter(is_due).collect();
            if !runs.run(plan, &jobs)? {
                return Ok(None);
            }
            for job in jobs {
                scores[job.method].push(runs.found.runs[&job.key].value());
            }
            if let Some(test) = test {
                live = race::survivors(test, plan.sense, &scores, &live, self.elite);
                if live.len() <= self.elite {
                    break;
                }
            }
        }
        Ok(Some(scores))
    }

    /// The result: the middle of the distribution, or the last iteration's best setting where the method does not
    /// accept the middle.
    fn result(&self, beliefs: &[Belief], iterations: &[Iteration]) -> Vec<Coordinate> {
        let best = || iterations.last().map(|iteration| iteration.best.clone());
        self.space.middle(beliefs).or_else(best).unwrap_or_default()
    }

    /// The final comparison; `None` where the result is what the method was before.
    fn validation(&self, tuned: &[Coordinate]) -> Result<Option<Plan>, Failure> {
        let settings = self.space.settings(tuned);
        let mut method = self.method.clone();
        let is_as_before = |Setting { key, value }: &Setting| match key.as_str() {
            ROLLOUT => self.rollout.as_ref() == Some(value),
            key => method.set(key, value).is_ok(),
        };
        if settings.iter().all(is_as_before) && method == self.method {
            return Ok(None);
        }
        // Seeds that no iteration had.
        let first = self.spec.seed.wrapping_add(self.spec.iterations as u64);
        let seeds = (0..self.spec.validation_seeds as u64).map(|at| first.wrapping_add(at)).collect();
        let methods = vec![self.contender("tuned", settings), self.contender("before", Vec::new())];
        self.plan(methods, &self.instances.validation, seeds).map(Some)
    }

    /// What there is after an interruption.
    fn interrupted(&self, iterations: &[Iteration], format: Format, context: &Context<'_>) -> Tuned {
        context.show.finish();
        let done = counted(iterations.len(), "iteration");
        context.note(&format!("interrupted after {done}; the same call continues"));
        let is_shown = format != Format::Json && !iterations.is_empty();
        let text = if is_shown { present::iterations(&self.space, iterations, format) } else { String::new() };
        Tuned { is_complete: false, text }
    }
}

/// The runs made so far, and what makes more.
struct Runs<'a> {
    found: Found,
    writer: Writer,
    jobs: usize,
    progress: Progress,
    context: &'a Context<'a>,
}

impl Runs<'_> {
    /// Runs those of `jobs` that are not there yet; returns whether all of them are there then.
    fn run(&mut self, plan: &Plan, jobs: &[&Job]) -> Result<bool, Failure> {
        let Self { found, writer, progress, context, .. } = self;
        let todo: Vec<&Job> = jobs.iter().copied().filter(|job| !found.runs.contains_key(&job.key)).collect();
        progress.skip(jobs.len() - todo.len());
        let running = Running { jobs: Some(self.jobs), detail: Detail::None, feed: None };
        runner::run(plan, &todo, &running, context, &mut |event| {
            if let Event::Finished(finished) = event {
                writer.append(&finished.line)?;
                if let Some(wrong) = finished.wrong {
                    // A tuning would only find how to be wrong.
                    return Err(Failure::runtime(wrong));
                }
                found.insert(finished.job.key.clone(), finished.run, finished.trajectory);
                progress.ran += 1;
            }
            progress.show(context);
            Ok(())
        })?;
        let is_wrong = |job: &&&Job| found.runs.get(&job.key).is_some_and(|run| run.verified == Some(false));
        if let Some(wrong) = jobs.iter().find(is_wrong) {
            let message = format!("{}: the result on record failed verification", plan.describe(wrong));
            return Err(Failure::runtime(message));
        }
        let is_complete = jobs.iter().all(|job| found.runs.contains_key(&job.key));
        Ok(is_complete && !context.is_stopped())
    }
}

/// How far a tuning is.
struct Progress {
    phase: String,
    total: usize,
    /// Runs made now.
    ran: usize,
    /// Runs that were there or are not needed.
    skipped: usize,
    begun: Instant,
}

impl Progress {
    fn new(total: usize) -> Self {
        Self { phase: String::new(), total, ran: 0, skipped: 0, begun: Instant::now() }
    }

    fn skip(&mut self, runs: usize) {
        self.skipped += runs;
    }

    fn show(&self, context: &Context<'_>) {
        let Self { phase, total, ran, .. } = self;
        let done = (ran + self.skipped).min(*total);
        let left = total - done;
        let seconds = self.begun.elapsed().as_secs_f64() / (*ran).max(1) as f64 * left as f64;
        context.show.progress(done, *total, &|| {
            let left = if *ran > 0 && left > 0 { format!(", about {} left", span(seconds)) } else { String::new() };
            format!("{phase}, {done}/{total} runs{left}")
        });
    }
}
