//! `soloist merge` and `soloist status`: what the workers of a shared folder have found.

use super::args::QuietArgs;
use super::solve::share::{Found, is_better, results, score_of};
use crate::terminal::output;
use clap::Args;
use serde_json::{Value, json};
use soloist::{Score, Sense};
use soloist_problems::{Domain, RunRecord, RunSpec, domains};
use soloist_study::Failure;
use soloist_study::files::Target;
use soloist_study::table::Table;
use soloist_study::text::{counted, plain, span};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const MERGE_EXAMPLES: &str = "\
Examples:
  soloist merge runs                               a table of the workers, and the best solution
  soloist merge runs --json | jq .score
  soloist merge runs --instance boards/b7.txt --out best.json   verified again from the instance

Files that are broken are named and left out. The result has the best solution; playouts, nodes and threads are sums
over the workers, seconds are those of the longest.";

/// Arguments of `merge`.
#[derive(Args, Debug)]
#[command(after_help = MERGE_EXAMPLES)]
pub(crate) struct MergeArgs {
    /// The folder of `solve --share`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The instance, to verify the result again; default: as the results name it, if it can be opened from here
    #[arg(long, value_name = "INSTANCE")]
    pub(crate) instance: Option<String>,
    /// Print the result as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write the result as JSON to FILE (replaced)
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

/// Arguments of `status`.
#[derive(Args, Debug)]
pub(crate) struct StatusArgs {
    /// The folder of `solve --share`, or that of a run of `soloist.distributed`
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A worker as tables show it.
struct Worker {
    name: String,
    score: Option<Score>,
    playouts: u64,
    nodes: u64,
    seconds: f64,
    /// Empty: it has not ended, as far as is known.
    stop: String,
    age: Option<Duration>,
}

impl Worker {
    fn of_record(path: &Path, record: &RunRecord) -> Self {
        let ending = &record.ending;
        Self {
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            score: score_of(record),
            playouts: ending.playouts,
            nodes: ending.nodes,
            seconds: ending.seconds,
            stop: ending.stop.map_or_else(String::new, |stop| stop.to_string()),
            age: age(path),
        }
    }

    /// A stream of `soloist.distributed`, as its driver writes it for people.
    fn of_stream(path: &Path, shown: &Value) -> Option<Self> {
        let score = shown["score"].as_f64().map(Score::Feasible);
        let is_done = shown["done"].as_bool()?;
        Some(Self {
            name: path.file_stem()?.to_string_lossy().into_owned(),
            score: score.or(shown["violation"].as_f64().map(Score::Infeasible)),
            playouts: shown["playouts"].as_u64()?,
            nodes: shown["nodes"].as_u64()?,
            seconds: shown["seconds"].as_f64()?,
            stop: if is_done { shown["stop"].as_str()?.to_owned() } else { String::new() },
            age: age(path),
        })
    }

    fn shown_score(&self) -> String {
        match self.score {
            Some(Score::Feasible(score)) => plain(score),
            Some(Score::Infeasible(degree)) => format!("infeasible by {}", plain(degree)),
            None => "none".to_owned(),
        }
    }

    fn json(&self) -> Value {
        json!({
            "worker": self.name,
            "score": self.score.and_then(Score::value),
            "violation": self.score.and_then(Score::violation),
            "playouts": self.playouts,
            "nodes": self.nodes,
            "seconds": self.seconds,
            "stop": (!self.stop.is_empty()).then_some(&self.stop),
            "age": self.age.map(|age| age.as_secs_f64()),
        })
    }
}

/// How long ago a file was written; `None`: not known, as where its clock is ahead.
fn age(path: &Path) -> Option<Duration> {
    SystemTime::now().duration_since(path.metadata().ok()?.modified().ok()?).ok()
}

fn table(workers: &[Worker]) -> String {
    let mut table = Table::new(1, ["worker", "score", "playouts", "nodes", "seconds", "ended by", "written ago"]);
    for worker in workers {
        table.push(vec![
            worker.name.clone(),
            worker.shown_score(),
            worker.playouts.to_string(),
            worker.nodes.to_string(),
            format!("{:.1}", worker.seconds),
            if worker.stop.is_empty() { "-".to_owned() } else { worker.stop.clone() },
            worker.age.map_or_else(|| "?".to_owned(), |age| span(age.as_secs_f64())),
        ]);
    }
    table.text()
}

/// Reads the results of a folder; broken ones are named and left out.
fn whole(folder: &Path) -> Result<Vec<(PathBuf, RunRecord)>, Failure> {
    let unreadable = |error| Failure::runtime(format!("{}: cannot be read: {error}", folder.display()));
    let found: Vec<Found> = results(folder).map_err(unreadable)?;
    let mut all = Vec::new();
    for (path, record) in found {
        match record {
            Ok(record) => all.push((path, record)),
            Err(error) => output::note(&format!("{}: left out: {error}", path.display())),
        }
    }
    Ok(all)
}

/// Reads the streams of `soloist.distributed`.
fn streams(folder: &Path) -> Vec<Worker> {
    let mut all: Vec<(u64, Worker)> = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let number = name.strip_prefix("stream-").and_then(|rest| rest.strip_suffix(".json")?.parse().ok());
        let Some(number) = number else { continue };
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let shown: Option<Value> = serde_json::from_str(&text).ok();
        match shown.and_then(|shown| Worker::of_stream(&path, &shown)) {
            Some(worker) => all.push((number, worker)),
            None => output::note(&format!("{}: left out: is no stream of soloist.distributed", path.display())),
        }
    }
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, worker)| worker).collect()
}

/// Shows how far the workers are.
pub(crate) fn status(args: &StatusArgs) -> Result<u8, Failure> {
    let all = whole(&args.folder)?;
    let mut workers: Vec<_> = all.iter().map(|(path, record)| Worker::of_record(path, record)).collect();
    workers.extend(streams(&args.folder));
    if workers.is_empty() {
        return Err(nothing(&args.folder));
    }
    if args.json {
        let list: Vec<Value> = workers.iter().map(Worker::json).collect();
        output::print(&soloist_problems::result::line(&list))?;
        return Ok(0);
    }
    let best = best_of(&all).map(|at| {
        let (path, record) = &all[at];
        let best = Worker::of_record(path, record);
        let playouts: u64 = all.iter().map(|(_, record)| record.ending.playouts).sum();
        format!("best {} of {}, {playouts} playouts in all\n", best.shown_score(), best.name)
    });
    output::print(&(table(&workers) + &best.unwrap_or_default()))?;
    Ok(0)
}

fn nothing(folder: &Path) -> Failure {
    Failure::runtime(format!("{}: no results of workers: expected files like worker-0.json", folder.display()))
}

/// The place of the best result; of equal ones the first.
fn best_of(all: &[(PathBuf, RunRecord)]) -> Option<usize> {
    let sense = all.first()?.1.task.sense;
    let mut best: Option<(usize, Score)> = None;
    for (at, (_, record)) in all.iter().enumerate() {
        if let Some(score) = score_of(record)
            && is_better(sense, score, best.map(|best| best.1))
        {
            best = Some((at, score));
        }
    }
    best.map(|best| best.0)
}

/// Gathers the results of the workers.
pub(crate) fn merge(args: &MergeArgs) -> Result<u8, Failure> {
    let out = args.out.as_deref().map(Target::new).transpose()?;
    let all = whole(&args.folder)?;
    let Some((first, rest)) = all.split_first() else { return Err(nothing(&args.folder)) };
    let about =
        |record: &RunRecord| (record.task.problem.clone(), record.task.instance.clone(), record.task.options.clone());
    if let Some((path, other)) = rest.iter().find(|(_, other)| about(other) != about(&first.1)) {
        return Err(Failure::runtime(format!(
            "{}: is about {} {}, {} about {} {}",
            path.display(),
            other.task.problem,
            other.task.instance,
            first.0.display(),
            first.1.task.problem,
            first.1.task.instance
        )));
    }
    let at = best_of(&all).unwrap_or(0);
    let checked = verified(args, &all[at])?;
    let merged = joined(&all, at).line();
    let text = if args.json {
        merged.clone()
    } else {
        let workers: Vec<_> = all.iter().map(|(path, record)| Worker::of_record(path, record)).collect();
        let best = &workers[at];
        let head = format!("{} {}", first.1.task.problem, first.1.task.instance);
        let count = counted(all.len(), "worker");
        format!("{head}, {count}\n{}best {} of {}\n{checked}\n", table(&workers), best.shown_score(), best.name)
    };
    let written = out.as_ref().map_or(Ok(()), |target| target.write(&merged));
    Failure::of_all([output::print(&text), written])?;
    Ok(if all[at].1.ending.feasible { 0 } else { 3 })
}

/// Verifies the best result from its instance. Returns a line that says what was verified.
fn verified(args: &MergeArgs, best: &(PathBuf, RunRecord)) -> Result<String, Failure> {
    let (path, record) = best;
    let Some(score) = record.ending.score else { return Ok("no feasible solution to verify".to_owned()) };
    let spec = RunSpec { problem: record.task.problem.clone(), ..RunSpec::default() };
    let domain: &Domain = spec.domain(domains())?;
    let name = args.instance.as_deref().unwrap_or(&record.task.instance);
    let instance = match domain.open(name, &record.task.options) {
        Ok(instance) => instance,
        Err(error) if args.instance.is_some() => return Err(Failure::runtime(error.to_string())),
        Err(error) => {
            let line = format!("not verified again: {error} (--instance names it)");
            if !args.quiet.quiet && args.json {
                output::note(&line);
            }
            return Ok(line);
        }
    };
    let wrong = |what: String| Failure::runtime(format!("{}: {what}", path.display()));
    let checked = instance.check(&record.line()).map_err(wrong)?;
    if (checked.score - score).abs() > 1e-9 * score.abs().max(1.0) {
        return Err(wrong(format!("says score {}, its solution has {}", plain(score), plain(checked.score))));
    }
    Ok(format!("verified: {}", checked.summary))
}

/// One result for all workers.
fn joined(all: &[(PathBuf, RunRecord)], at: usize) -> RunRecord {
    let mut joined = all[at].1.clone();
    let records = || all.iter().map(|(_, record)| record);
    let sense = joined.task.sense;
    joined.task.threads = records().map(|record| record.task.threads).sum();
    let ending = &mut joined.ending;
    ending.playouts = records().map(|record| record.ending.playouts).sum();
    ending.nodes = records().map(|record| record.ending.nodes).sum();
    ending.seconds = records().map(|record| record.ending.seconds).fold(0.0, f64::max);
    // What was proven about solutions with a prefix holds for all solutions if all workers had the same one.
    let prefix =
        |record: &RunRecord| record.moves.as_ref()?.as_array()?.get(..record.ending.prefix as usize).map(<[_]>::to_vec);
    let is_same = records().all(|record| record.ending.prefix == 0)
        || prefix(&all[at].1).is_some_and(|first| records().all(|record| prefix(record).as_ref() == Some(&first)));
    if !is_same {
        ending.prefix = 0;
    }
    let records = || records().filter(|record| is_same || record.ending.prefix == 0);
    ending.bound = records().filter_map(|record| record.ending.bound).reduce(|a, b| match sense {
        Sense::Maximize => a.min(b),
        Sense::Minimize => a.max(b),
    });
    let score = ending.score;
    ending.gap = score.zip(ending.bound).and_then(|(score, bound)| soloist::run::gap(score, bound));
    ending.optimal = score.is_some() && records().any(|record| record.ending.optimal && record.ending.score == score);
    ending.infeasible = records().any(|record| record.ending.infeasible);
    joined
}
