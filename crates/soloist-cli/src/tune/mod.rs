//! `soloist tune`: finds parameters of a method by the cross-entropy method, with racing if asked for, and compares
//! them with what they were on instances that took no part.
//!
//! `space` has the parameters and the distribution over them, `instances` the fresh ones of each iteration, `race`
//! drops settings early, `trace` keeps and draws the way, `present` shows the result. The runs are those of `bench`:
//! one plan an iteration, in which the settings are the methods.
//!
//! # References
//! M. Schadd, M. Winands, M. Tak and J. Uiterwijk, "Single-player Monte-Carlo tree search for SameGame",
//! Knowledge-Based Systems 34, 2012, section 4.4 (the use for search parameters); P.-T. de Boer, D. Kroese, S. Mannor
//! and R. Rubinstein, "A tutorial on the cross-entropy method", Annals of Operations Research 134, 2005 (the method,
//! smoothing).

mod instances;
mod present;
mod race;
mod space;
mod trace;

use crate::args::{Race, TuneArgs};
use crate::bench::plan::{Job, Plan};
use crate::bench::present::{Findings, budget_text};
use crate::bench::record::{self, Found, Kept};
use crate::bench::runner;
use crate::bench::spec::{Contender, Entry, Spec, Wanted};
use crate::choice::{self, Asking};
use crate::failure::Failure;
use crate::lines::Writer;
use crate::live::{Live, counted, span};
use crate::output::{self, Guarded, Target};
use crate::pool::Event;
use crate::result;
use crate::signal::{self, STOP};
use crate::values::{Setting, Settings};
use instances::{Instances, generator};
use present::Summary;
use race::{Scores, Test};
use serde_json::{Value, json};
use soloist::{Budget, Method, Sense, Setup};
use soloist_problems::{Limits, Options, ResolvedRun, RunSpec};
use space::{Belief, Coordinate, Space};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Instant;
use trace::{Iteration, Trace};

/// The files of a tuning.
const FILES: [&str; 4] = ["runs.jsonl", "trace.jsonl", "trace.svg", "result.json"];
/// What writes the file of runs.
const COMMAND: &str = "soloist tune";

/// A tuning as it was asked for.
pub(crate) struct Tuning<'a> {
    args: &'a TuneArgs,
    options: Options,
    /// A run before the tuning.
    run: RunSpec,
    budget: Budget,
    /// The method's name and what it is before the tuning.
    name: String,
    method: Method,
    space: Space,
    start: Vec<Belief>,
    instances: Instances,
    elite: usize,
    seed: u64,
}

/// Runs the command.
pub(crate) fn run(args: &TuneArgs) -> Result<u8, Failure> {
    let tuning = Tuning::new(args)?;
    let folder = &args.out;
    let mut inputs = Guarded::default();
    // A spec is no file; adding its name does no harm.
    let instances = tuning.instances.tuning.iter().chain(&tuning.instances.validation);
    instances.for_each(|name| inputs.add(Path::new(name), "an instance"));
    FILES.iter().try_for_each(|file| inputs.check("--out: the file", &folder.join(file)))?;
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::runtime(format!("cannot make {}: {error}", folder.display())))?;
    let mut trace = Trace::open(&folder.join("trace.jsonl"), &tuning.header(), args.fresh)?;
    let [figure, result] = ["trace.svg", "result.json"].map(|name| Target::regular(&folder.join(name)));
    let (figure, result) = (figure?, result?);
    let path = folder.join("runs.jsonl");
    let (writer, found) = record::open(&path, COMMAND, None, args.fresh)?;
    signal::install(args.quiet)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.unwrap_or_else(|| (cores / args.threads).max(1));
    if !args.quiet {
        tuning.announce(&path, &found, jobs, cores);
    }
    let mut runs = Runs { found, writer, jobs, show: Show::new(args.quiet, tuning.planned()) };

    let mut beliefs = tuning.start.clone();
    let mut iterations = Vec::new();
    for number in 0..args.iterations {
        let Some(iteration) = tuning.iterate(number, &mut beliefs, &mut runs)? else {
            return tuning.interrupted(&iterations, &runs);
        };
        trace.push(&tuning.space, number, &iteration)?;
        iterations.push(iteration);
        let title = format!("{}: tuning {}", args.problem.name, tuning.name);
        figure.write(&trace::figure(title, &tuning.space, &tuning.start, &iterations).svg())?;
    }
    let tuned = tuning.result(&beliefs, &iterations);
    let plan = tuning.validation(&tuned)?;
    if let Some(plan) = &plan {
        runs.show.phase = "final comparison".to_owned();
        let todo: Vec<&Job> = plan.jobs.iter().collect();
        if !runs.run(plan, &todo)? {
            return tuning.interrupted(&iterations, &runs);
        }
    }
    runs.show.live.finish();
    let findings = plan.as_ref().map(|plan| Findings::new(plan, &runs.found));
    let summary = Summary { tuning: &tuning, tuned: &tuned, iterations: &iterations, findings: findings.as_ref() };
    let json = format!("{}\n", summary.json());
    let written = result.write(&json);
    let text = if args.json { json } else { summary.text(args.markdown) };
    output::print(&text).and(written)?;
    Ok(0)
}

impl<'a> Tuning<'a> {
    /// Checks everything that can be wrong with the call.
    fn new(args: &'a TuneArgs) -> Result<Self, Failure> {
        let run = args.spec();
        let options = run.check(args.problem)?;
        if !run.budget.has_end() {
            let message = "a run needs an end: expected one or more of --playouts, --nodes, --stall, --time";
            return Err(Failure::usage(message));
        }
        let seed = args.seed.unwrap_or(0);
        let elite = args.elite.unwrap_or((args.samples / 5).max(2));
        if elite >= args.samples {
            return Err(Failure::usage(format!("--elite {elite}: expected fewer than the {} samples", args.samples)));
        }
        let instances = Instances::new(&args.instances, &args.validation, seed)?;
        if args.race() == Some(Race::Hoeffding) {
            let (batch, least) = (args.batch.min(instances.tuning.len()), Test::least_instances(args.samples));
            if batch < least {
                return Err(Failure::usage(format!(
                    "--race hoeffding: {batch} instances an iteration are too few for {} settings to drop any, expected \
                     --batch {least} or more (and as many INSTANCES)",
                    args.samples
                )));
            }
        } else if args.spread.is_some() {
            return Err(Failure::usage("--spread belongs to --race hoeffding".to_owned()));
        }
        let first = &instances.tuning[0];
        let first = (args.problem.load)(first, &options)
            .map_err(|error| Failure::runtime(choice::unopened(args.problem, first, &error)))?;
        let ResolvedRun { setup: Setup { preset: name, method, .. }, budget, .. } =
            run.resolve(args.problem, &*first)?;
        let space = Space::new(&name, method.clone(), &args.parameter, &run.set)?;
        let start = space.start(&args.start)?;
        Ok(Self { args, options, run, budget, name, method, space, start, instances, elite, seed })
    }

    /// All that determines the trace, but for the number of iterations: more of them continue it.
    fn header(&self) -> Value {
        let Self { args, space, .. } = self;
        let ranges = space.dimensions.iter().map(|dimension| (dimension.key, present::range(&dimension.kind)));
        let is_option = |key: &str| args.problem.options.iter().any(|option| option.name == key);
        let set: Settings = self.run.set.iter().filter(|setting| !is_option(&setting.key)).cloned().collect();
        json!({
            "problem": args.problem.name,
            "options": self.options,
            "instances": args.instances,
            "validation": args.validation,
            "method": self.name,
            "set": set,
            "rollout": args.rollout,
            "threads": args.threads,
            "budget": Limits::of(&self.budget),
            "parameters": ranges.collect::<std::collections::BTreeMap<_, _>>(),
            "start": args.start.iter().cloned().collect::<Settings>(),
            "samples": args.samples,
            "elite": self.elite,
            "batch": args.batch,
            "smoothing": args.smoothing,
            "race": args.race().map(Race::name),
            "spread": args.spread,
            "seed": self.seed,
            "version": result::VERSION,
        })
    }

    /// Runs in all, if none is dropped.
    fn planned(&self) -> usize {
        let batch = self.args.batch.min(self.instances.tuning.len());
        self.args.samples * batch * self.args.iterations
            + 2 * self.instances.validation.len() * self.args.validation_seeds
    }

    fn announce(&self, path: &Path, found: &Found, jobs: usize, cores: usize) {
        let Self { args, instances, .. } = self;
        if found.end.cut {
            output::note(&format!("{}: the last line was cut short and is dropped", path.display()));
        }
        let runs = counted(self.planned(), "run");
        output::note(&format!(
            "{}: {runs} of {} at most, {} kept in {}, {jobs} at a time",
            args.problem.name,
            budget_text(&self.budget),
            found.runs.len(),
            path.display()
        ));
        let lasts = instances.lasts(args.batch);
        if lasts < args.iterations {
            let count = counted(instances.tuning.len(), "instance");
            output::note(&format!("{count} to tune on: from iteration {} on they are used again", lasts + 1));
        }
        if self.budget.time.is_some() && jobs * args.threads > cores {
            let streams = jobs * args.threads;
            output::note(&format!("{streams} threads share {cores} cores: time limits buy less than they would alone"));
        }
        if args.validation.is_empty() {
            let count = counted(instances.validation.len(), "instance");
            output::note(&format!("{count} held out for the final comparison"));
        }
    }

    /// A plan in which settings are the methods.
    fn plan(&self, methods: Vec<Contender>, instances: &[String], seeds: Vec<u64>) -> Result<Plan, Failure> {
        let spec = Spec {
            title: None,
            domain: self.args.problem,
            options: (&self.options).into(),
            instances: instances.iter().map(|name| Entry { text: name.clone(), line: 0 }).collect(),
            limit: instances.len(),
            seeds,
            threads: self.args.threads,
            jobs: None,
            methods,
            baseline: None,
            best_known: None,
            profile: Wanted::default(),
        };
        Plan::new(Path::new("tune"), spec, 1.0)
    }

    fn contender(&self, label: &str, more: Vec<Setting>) -> Contender {
        let mut run = self.run.clone();
        run.set.extend(more);
        Contender { label: label.to_owned(), run, line: 0 }
    }

    /// Draws settings, runs them on fresh instances with common seeds, and moves the beliefs; `None`: interrupted.
    fn iterate(&self, number: usize, beliefs: &mut [Belief], runs: &mut Runs) -> Result<Option<Iteration>, Failure> {
        let args = self.args;
        let mut rng = generator(self.seed, &format!("iteration {number}"));
        let draws = (0..args.samples).map(|_| self.space.draw(beliefs, &mut rng));
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
        let instances = self.instances.batch(number, args.batch);
        let seed = self.seed.wrapping_add(number as u64);
        let plan = self.plan(different.iter().map(contender).collect(), &instances, vec![seed])?;
        runs.show.phase = format!("iteration {}/{}", number + 1, args.iterations);
        let Some(scores) = self.evaluate(&plan, runs)? else { return Ok(None) };
        runs.show.skip((points.len() * instances.len()).saturating_sub(scores.iter().map(Vec::len).sum()));

        let of = |sample: usize| &scores[setting_of[sample]];
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&a, &b| race::compare(plan.sense, of(a), of(b)));
        let elite: Vec<&Vec<Coordinate>> = order[..self.elite].iter().map(|&at| &points[at]).collect();
        self.space.learn(beliefs, &elite, args.smoothing);
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
    fn evaluate(&self, plan: &Plan, runs: &mut Runs) -> Result<Option<Vec<Scores>>, Failure> {
        let mut scores = vec![Scores::new(); plan.methods.len()];
        let mut live: Vec<usize> = (0..plan.methods.len()).collect();
        let test = self.args.race().map(|race| match race {
            Race::T => Test::T,
            Race::Hoeffding => {
                Test::Hoeffding { spread: self.args.spread, bounds: plan.methods.len() * plan.instances.len() }
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
        if settings.iter().all(|Setting { key, value }| method.set(key, value).is_ok()) && method == self.method {
            return Ok(None);
        }
        // Seeds that no iteration had.
        let first = self.seed.wrapping_add(self.args.iterations as u64);
        let seeds = (0..self.args.validation_seeds as u64).map(|at| first.wrapping_add(at)).collect();
        let methods = vec![self.contender("tuned", settings), self.contender("before", Vec::new())];
        self.plan(methods, &self.instances.validation, seeds).map(Some)
    }

    /// Says what is there.
    fn interrupted(&self, iterations: &[Iteration], runs: &Runs) -> Result<u8, Failure> {
        runs.show.live.finish();
        if !self.args.quiet {
            let done = counted(iterations.len(), "iteration");
            output::note(&format!("interrupted after {done}; the same call continues"));
        }
        if !self.args.json && !iterations.is_empty() {
            output::print(&present::iterations(&self.space, iterations, self.args.markdown))?;
        }
        Ok(130)
    }

    fn sense(&self, findings: Option<&Findings<'_>>) -> Option<Sense> {
        findings.map(Findings::sense)
    }
}

impl std::fmt::Debug for Tuning<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tuning").field(&self.name).field(&self.space.dimensions).finish()
    }
}

/// The runs made so far, and what makes more.
struct Runs {
    found: Found,
    writer: Writer,
    jobs: usize,
    show: Show,
}

impl Runs {
    /// Runs those of `jobs` that are not there yet; returns whether all of them are there then.
    fn run(&mut self, plan: &Plan, jobs: &[&Job]) -> Result<bool, Failure> {
        let Self { found, writer, show, .. } = self;
        let todo: Vec<&Job> = jobs.iter().copied().filter(|job| !found.runs.contains_key(&job.key)).collect();
        show.skip(jobs.len() - todo.len());
        runner::run(plan, &todo, self.jobs, Kept::Ends, &mut |event| {
            if let Event::Finished(_, finished) = event {
                writer.append(&finished.line)?;
                if let Some(wrong) = finished.wrong {
                    // A tuning would only find how to be wrong.
                    return Err(Failure::runtime(wrong));
                }
                found.insert(finished.job.key.clone(), finished.run, finished.course);
                show.ran += 1;
            }
            show.beat();
            Ok(())
        })?;
        let is_wrong = |job: &&&Job| found.runs.get(&job.key).is_some_and(|run| run.verified == Some(false));
        if let Some(wrong) = jobs.iter().find(is_wrong) {
            let message = format!("{}: the result on record failed verification", plan.describe(wrong));
            return Err(Failure::runtime(message));
        }
        let complete = jobs.iter().all(|job| found.runs.contains_key(&job.key));
        Ok(complete && !STOP.load(Ordering::SeqCst))
    }
}

/// Progress for people.
struct Show {
    live: Live,
    phase: String,
    total: usize,
    /// Runs made now.
    ran: usize,
    /// Runs that were there or are not needed.
    skipped: usize,
    begun: Instant,
}

impl Show {
    fn new(quiet: bool, total: usize) -> Self {
        let live = Live::new(quiet, total);
        Self { live, phase: String::new(), total, ran: 0, skipped: 0, begun: Instant::now() }
    }

    fn skip(&mut self, runs: usize) {
        self.skipped += runs;
    }

    fn beat(&mut self) {
        let done = (self.ran + self.skipped).min(self.total);
        let (ran, left) = (self.ran, self.total - done);
        let seconds = self.begun.elapsed().as_secs_f64() / ran.max(1) as f64 * left as f64;
        let (phase, total) = (&self.phase, self.total);
        self.live.beat(done, || {
            let left = if ran > 0 && left > 0 { format!(", about {} left", span(seconds)) } else { String::new() };
            format!("{phase}, {done}/{total} runs{left}")
        });
    }
}
