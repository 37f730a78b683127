//! The sensitivity of UCT and SA-UCT to the exploration constant, on the orders of a Horner scheme.

use super::data::{Data, Sample};
use super::scatter;
use super::summary::Summary;
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::live::{Live, counted, span};
use crate::output::{self, Guarded, Target};
use crate::pool::{self, Event};
use crate::signal::{self, STOP};
use clap::ValueEnum;
use soloist::problem::stable_hash;
use soloist::{Problem, Rng};
use soloist_problems::expressions::{Direction, Orders, Signs, TreeSearch, describe, open, tree_search};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// The ends of the range of Cp.
pub(crate) const LEAST_CP: f64 = 0.01;
pub(crate) const LARGEST_CP: f64 = 10.0;
/// Of one sample in this many, one result is recounted from the terms.
const RECOUNT: usize = 8;
/// The samples of the paper's plots, and the updates of its figures.
const SAMPLES: u64 = 4_000;
const UPDATES: [u64; 3] = [300, 1_000, 3_000];
/// The most samples of a study.
const MAX_SAMPLES: u64 = 1_000_000;
/// The most updates of a tree. All nodes of the tree stay in memory.
const MAX_UPDATES: u64 = 10_000_000;

/// Which end of the order is decided first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Facing {
    Forward,
    Backward,
}

impl Facing {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        }
    }
}

/// The parameters of a study.
#[derive(Debug)]
pub(crate) struct Study {
    pub(crate) instance: String,
    pub(crate) terms: usize,
    pub(crate) fingerprint: u64,
    pub(crate) seed: u64,
    /// The numbers of updates, ascending.
    pub(crate) updates: Vec<u64>,
    pub(crate) directions: Vec<Facing>,
}

/// One scatter plot: a method with its number of updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panel {
    pub(crate) direction: Facing,
    /// SA-UCT, or else UCT.
    pub(crate) cooled: bool,
    pub(crate) updates: u64,
}

impl Panel {
    pub(crate) fn method(self) -> &'static str {
        if self.cooled { "SA-UCT" } else { "UCT" }
    }
}

impl Study {
    /// All panels: each direction with each method and each number of updates.
    pub(crate) fn panels(&self) -> Vec<Panel> {
        let mut panels = Vec::new();
        for &direction in &self.directions {
            for cooled in [false, true] {
                panels.extend(self.updates.iter().map(|&updates| Panel { direction, cooled, updates }));
            }
        }
        panels
    }

    /// Draws Cp of a sample, log-uniform. It depends on the seed and the number of the sample only.
    fn cp(&self, at: usize) -> f64 {
        let mut rng = Rng::new(stable_hash(&(self.seed, at as u64)));
        LEAST_CP * libm::pow(LARGEST_CP / LEAST_CP, rng.unit())
    }

    /// Runs one sample; `None` if it was interrupted. The draws of a panel do not depend on the other panels.
    fn sample(&self, at: usize, problems: &[Orders]) -> Result<Option<Sample>, Failure> {
        let cp = self.cp(at);
        let panels = self.panels();
        let recounted = at.is_multiple_of(RECOUNT).then(|| at / RECOUNT % panels.len());
        let mut operations = Vec::with_capacity(panels.len());
        for (number, panel) in panels.iter().enumerate() {
            let place = self.directions.iter().position(|&direction| direction == panel.direction).unwrap_or(0);
            let problem = &problems[place];
            let seed = stable_hash(&(self.seed, at as u64, panel.direction.name(), panel.cooled, panel.updates));
            let search = TreeSearch { cp, updates: panel.updates, cooled: panel.cooled };
            let found = tree_search(problem, search, seed, recounted == Some(number), &STOP).map_err(|error| {
                let (method, n) = (panel.method(), panel.updates);
                Failure::runtime(format!("sample {at}, {method}, {n} updates: {error}"))
            })?;
            let Some(score) = found else { return Ok(None) };
            operations.push(score);
        }
        Ok(Some(Sample { cp, operations }))
    }
}

/// Runs those samples of the study that its file does not hold yet, and prints the summary.
pub(crate) fn run(args: &ReproduceArgs) -> Result<u8, Failure> {
    signal::install(args.quiet)?;
    let (code, text, ran) = make(args)?;
    ran.and(output::print(&text))?;
    Ok(code)
}

/// Runs those samples: the exit code, the summary as text, and what went wrong with the samples that are missing.
pub(crate) fn make(args: &ReproduceArgs) -> Result<(u8, String, Result<(), Failure>), Failure> {
    let note = |line: &str| {
        if !args.quiet {
            output::note(line);
        }
    };
    let all = args.samples.unwrap_or_else(|| ((SAMPLES as f64 * args.scale).round() as u64).clamp(1, MAX_SAMPLES));
    let samples = all as usize;
    let instance = args.instance.as_deref().unwrap_or("res:7,5");
    let system = open(instance, true).map_err(|error| Failure::runtime(error.to_string()))?;
    note(&format!("{instance}: {}", describe(&system)));
    let terms = system.terms();
    let directions: Vec<Facing> = [Facing::Forward, Facing::Backward]
        .into_iter()
        .filter(|facing| args.directions.as_ref().is_none_or(|wanted| wanted.contains(facing)))
        .collect();
    let problem = Orders::new(Arc::new(system), Signs::Kept, Direction::Forward);
    let mut updates = args.updates.clone().unwrap_or_else(|| UPDATES.to_vec());
    updates.sort_unstable();
    updates.dedup();
    let seed = args.seed.unwrap_or(0);
    let fingerprint = problem.fingerprint();
    let study = Study { instance: instance.to_owned(), terms, fingerprint, seed, updates, directions };
    let problems: Vec<Orders> = study
        .directions
        .iter()
        .map(|direction| match direction {
            Facing::Forward => problem.facing(Direction::Forward),
            Facing::Backward => problem.facing(Direction::Backward),
        })
        .collect();

    let folder = args.out.clone().unwrap_or_else(|| PathBuf::from("sa-uct"));
    let mut inputs = Guarded::default();
    inputs.add(Path::new(instance), "the instance");
    let files = ["samples.jsonl", "forward.svg", "backward.svg", "summary.json"];
    files.iter().try_for_each(|file| inputs.check("--out: the file", &folder.join(file)))?;
    std::fs::create_dir_all(&folder)
        .map_err(|error| Failure::runtime(format!("cannot make the folder {}: {error}", folder.display())))?;
    let path = folder.join("samples.jsonl");
    let mut data = Data::open(&path, &study)?;
    let names = study.directions.iter().map(|direction| format!("{}.svg", direction.name()));
    let targets: Vec<Target> = names
        .chain(["summary.json".to_owned()])
        .map(|name| Target::new(&folder.join(name)))
        .collect::<Result<_, _>>()?;
    if data.cut {
        note(&format!("{}: the last line was cut short and is dropped", path.display()));
    }
    let jobs = args.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let done = data.samples.len().min(samples);
    note(&format!("{}: {done} done, {jobs} at a time, kept in {}", counted(samples, "sample"), path.display()));

    let ran = sample_all(&study, &problems, &mut data, samples, jobs, args.quiet);
    let interrupted = data.samples.len() < samples;
    if interrupted && ran.is_ok() {
        note(&format!("interrupted after {}; the same call continues", counted(data.samples.len(), "sample")));
    }
    data.samples.truncate(samples);
    let summary = Summary::new(&study, &data.samples);
    for (at, target) in targets.iter().enumerate() {
        match study.directions.get(at) {
            Some(&direction) => target.write(&scatter::draw(&study, &data.samples, &summary, direction))?,
            None => target.write(&format!("{}\n", summary.json(&study)))?,
        }
    }
    let text = if args.json { format!("{}\n", summary.json(&study)) } else { summary.text(args.markdown) };
    Ok((if interrupted { 130 } else { 0 }, text, ran))
}

/// Runs the missing samples and writes them in their order, so that the file does not depend on `jobs`.
fn sample_all(
    study: &Study,
    problems: &[Orders],
    data: &mut Data,
    samples: usize,
    jobs: usize,
    quiet: bool,
) -> Result<(), Failure> {
    let first = data.samples.len();
    let count = samples.saturating_sub(first);
    let mut live = Live::new(quiet, samples);
    let mut early: BTreeMap<usize, Sample> = BTreeMap::new();
    let begun = Instant::now();
    let mut ended = 0;
    let name = |at| format!("sample {}", first + at);
    let ran = pool::run(count, jobs, &name, &|at| study.sample(first + at, problems), &mut |event| {
        if let Event::Finished(at, sample) = event {
            ended += 1;
            early.insert(first + at, sample);
            while let Some(sample) = early.remove(&data.samples.len()) {
                data.push(sample, study)?;
            }
        }
        let done = data.samples.len();
        live.beat(done, || {
            let left = begun.elapsed().as_secs_f64() / f64::from(ended.max(1)) * (samples - done) as f64;
            let left = if ended > 0 && done < samples { format!(", about {} left", span(left)) } else { String::new() };
            format!("{done}/{samples} samples{left}")
        });
        Ok(())
    });
    live.finish();
    if !quiet && count > 0 && !STOP.load(Ordering::SeqCst) && ran.is_ok() {
        let updates = 2 * study.directions.len() as u64 * study.updates.iter().sum::<u64>() * count as u64;
        let (seconds, rate) = (begun.elapsed().as_secs_f64(), updates as f64 / begun.elapsed().as_secs_f64());
        output::note(&format!("{} and {updates} updates in {seconds:.1} s, {rate:.0}/s", counted(count, "sample")));
    }
    ran
}

/// Reads a list entry of `--updates`.
pub(crate) fn updates(text: &str) -> Result<u64, String> {
    match crate::values::count(text)? {
        count if count <= MAX_UPDATES => Ok(count),
        _ => Err(format!("at most {MAX_UPDATES} updates, got `{text}`")),
    }
}

/// Reads `--samples`.
pub(crate) fn samples(text: &str) -> Result<u64, String> {
    match crate::values::count(text)? {
        count if count <= MAX_SAMPLES => Ok(count),
        _ => Err(format!("at most {MAX_SAMPLES} samples, got `{text}`")),
    }
}
