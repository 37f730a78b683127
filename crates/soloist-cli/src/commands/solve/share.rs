//! Workers that know of each other by a shared folder alone: each writes its own two files, whole under their names,
//! and reads those of the others. There are no locks and no processes in between.

use super::args::{Exchange, ShareArgs, SolveArgs};
use crate::commands::check;
use crate::terminal::{output, signal};
use serde_json::Value;
use soloist::run::file::write_atomically;
use soloist::run::{CheckpointError, SolveError, StopReason};
use soloist::{Budget, Score, Sense};
use soloist_problems::result::Asked;
use soloist_problems::verification::verify_all;
use soloist_problems::{AnyInstance, AnyObserver, AnySession, Report, Request, RunRecord};
use soloist_study::Failure;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

impl ShareArgs {
    /// Returns the folder and the worker, if there is one; makes the folder.
    pub(super) fn folder(&self) -> Result<Option<Shared>, Failure> {
        let (Some(folder), Some(worker)) = (&self.share, self.worker) else { return Ok(None) };
        if let Some(of) = self.of.filter(|&of| worker > of) {
            return Err(Failure::usage(format!("--worker {worker}: expected a number up to {of} (--of)")));
        }
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| Failure::runtime(format!("{}: cannot be made: {error}", folder.display())))?;
        Ok(Some(Shared {
            folder: folder.clone(),
            worker,
            every: self.share_every.unwrap_or(Duration::from_secs(30)),
            exchange: self.exchange.unwrap_or(Exchange::Best),
        }))
    }
}

/// A worker's place in the folder.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    folder: PathBuf,
    pub(super) worker: u64,
    every: Duration,
    exchange: Exchange,
}

impl Shared {
    /// The file from which this worker continues.
    pub(super) fn checkpoint(&self) -> PathBuf {
        self.folder.join(format!("worker-{}.ckpt", self.worker))
    }

    /// Where the checkpoint of this worker is damaged, lets the search begin again with the solution of its result. The
    /// checkpoint is kept under another name.
    pub(super) fn mend(&self, args: &mut SolveArgs, instance: &dyn AnyInstance) -> Result<(), Failure> {
        let path = self.checkpoint();
        let Some(flaw) = std::fs::read(&path).ok().and_then(|bytes| damage(instance, &bytes)) else { return Ok(()) };
        let aside = path.with_extension("ckpt.damaged");
        let moved = std::fs::rename(&path, &aside);
        moved
            .map_err(|error| Failure::runtime(format!("{}: {flaw}; it cannot be renamed: {error}", path.display())))?;
        let result = self.result();
        let is_usable = check::read(&result.display().to_string()).is_ok_and(|text| instance.start_from(&text).is_ok());
        args.start.extend(is_usable.then(|| result.clone()));
        args.checkpoints.resume = None;
        let from =
            if is_usable { format!("with the solution of {}", result.display()) } else { "from the start".into() };
        output::note(&format!(
            "{}: {flaw}; it is kept as {}, and the search begins again {from}",
            path.display(),
            aside.display()
        ));
        Ok(())
    }

    fn result(&self) -> PathBuf {
        self.folder.join(format!("worker-{}.json", self.worker))
    }

    /// Runs to the limits of the request, or until the job ends. Each slice begins with a look at the results of the
    /// others, and ends with a checkpoint and a result.
    pub(super) fn solve(
        &self,
        asked: Asked<'_>,
        request: Request<'_>,
        until: Option<SystemTime>,
        observer: &mut dyn AnyObserver,
    ) -> Result<Report, Failure> {
        let budget = request.budget.clone();
        let failed = |error: SolveError| Failure::runtime(error.to_string());
        let mut session = asked.instance.start(request).map_err(failed)?;
        let mut reported = HashSet::new();
        loop {
            let before = session.report();
            let (slice, used_up) = self.slice(&budget, &before, until);
            let stop = match used_up {
                Some(stop) => stop,
                None => {
                    if self.exchange == Exchange::Best {
                        self.take(asked, &before, &mut *session, &mut reported);
                    }
                    session.advance(&slice, Some(&signal::STOP), observer).map_err(failed)?
                }
            };
            let mut report = session.report();
            let (_, ended) = self.slice(&budget, &report, until);
            let is_slice = matches!(stop, StopReason::Time | StopReason::Playouts | StopReason::Nodes);
            let is_over = !is_slice || ended.is_some() || signal::STOP.load(Ordering::Relaxed);
            // What a slice ends by is no end of the run.
            report.stop = if is_slice { ended.unwrap_or(stop) } else { stop };
            self.publish(asked, &report, &*session, is_over)?;
            if is_over {
                return Ok(report);
            }
        }
    }

    /// Returns the limits of the next slice, and which limit of the run is used up.
    fn slice(&self, budget: &Budget, so_far: &Report, until: Option<SystemTime>) -> (Budget, Option<StopReason>) {
        let run = &so_far.run;
        let time = budget.time.map(|time| time.saturating_sub(run.elapsed));
        let clock = until.map(|until| until.duration_since(SystemTime::now()).unwrap_or_default());
        let left = [time, clock].into_iter().flatten().min();
        let playouts = budget.playouts.map(|most| most.saturating_sub(run.counters.playouts));
        let nodes = budget.nodes.map(|most| most.saturating_sub(run.counters.nodes));
        let used_up = match (left, playouts, nodes) {
            (Some(Duration::ZERO), ..) => Some(StopReason::Time),
            (_, Some(0), _) => Some(StopReason::Playouts),
            (.., Some(0)) => Some(StopReason::Nodes),
            _ => None,
        };
        let time = Some(left.map_or(self.every, |left| left.min(self.every)));
        (Budget { time, playouts, nodes, ..budget.clone() }, used_up)
    }

    /// Writes the checkpoint, then the result; each is the old file or the whole new one.
    fn publish(
        &self,
        asked: Asked<'_>,
        report: &Report,
        session: &dyn AnySession,
        is_over: bool,
    ) -> Result<(), Failure> {
        verify_all(asked, report).map_err(Failure::runtime)?;
        let mut record = RunRecord::result(asked, report);
        if !is_over {
            record.ending.stop = None;
        }
        let write = |path: &Path, bytes: &[u8]| {
            let written = write_atomically(path, bytes);
            written.map_err(|error| Failure::runtime(format!("{}: cannot be written: {error}", path.display())))
        };
        write(&self.checkpoint(), &session.save())?;
        write(&self.result(), record.line().as_bytes())
    }

    /// Offers the best solution of the others, if it is better than ours. A file that cannot be used is named once.
    fn take(&self, asked: Asked<'_>, ours: &Report, session: &mut dyn AnySession, reported: &mut HashSet<PathBuf>) {
        let sense = asked.instance.sense();
        let mut best = ours.score();
        let mut found = None;
        let own = self.result();
        for (path, record) in results(&self.folder).unwrap_or_default() {
            if path == own {
                continue;
            }
            let problem = (asked.domain.name, asked.instance.name());
            let moves = record.and_then(|record| {
                if (record.task.problem.as_str(), record.task.instance.as_str()) != problem {
                    return Err(format!("is about {} {}", record.task.problem, record.task.instance));
                }
                let Some(score) = score_of(&record).filter(|&score| is_better(sense, score, best)) else {
                    return Ok(None);
                };
                let text = record.line();
                asked.instance.start_from(&text).map(|moves| Some((score, moves)))
            });
            match moves {
                Ok(Some((score, moves))) => (best, found) = (Some(score), Some((path, moves))),
                Ok(None) => {}
                Err(error) => skipped(&path, &error, reported),
            }
        }
        if let Some((path, moves)) = found
            && let Err(error) = session.offer(&moves)
        {
            skipped(&path, &error.to_string(), reported);
        }
    }
}

/// Says why bytes are no whole checkpoint. `None`: they are one, perhaps of another problem or release.
fn damage(instance: &dyn AnyInstance, bytes: &[u8]) -> Option<String> {
    use CheckpointError::{Corrupt, Foreign, Truncated};
    if bytes.is_empty() {
        // As if there were none.
        return None;
    }
    let error = instance.read_header(bytes).err()?;
    matches!(error, Corrupt(_) | Foreign | Truncated { .. }).then(|| error.to_string())
}

fn skipped(path: &Path, error: &str, reported: &mut HashSet<PathBuf>) {
    if reported.insert(path.to_owned()) {
        output::note(&format!("{}: left out: {error}", path.display()));
    }
}

/// The score of a record.
pub(crate) fn score_of(record: &RunRecord) -> Option<Score> {
    let ending = &record.ending;
    ending.score.map(Score::Feasible).or(ending.violation.map(Score::Infeasible))
}

/// Whether a score is better than the best one so far.
pub(crate) fn is_better(sense: Sense, score: Score, best: Option<Score>) -> bool {
    best.is_none_or(|best| sense.better(score, best))
}

/// A worker's file, and its result or why it cannot be read.
pub(crate) type Found = (PathBuf, Result<RunRecord, String>);

/// Reads the results of all workers, in the order of their numbers.
pub(crate) fn results(folder: &Path) -> std::io::Result<Vec<Found>> {
    let mut files: Vec<(u64, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let number = name.strip_prefix("worker-").and_then(|rest| rest.strip_suffix(".json"));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            files.push((number, path.clone()));
        }
    }
    files.sort();
    Ok(files.into_iter().map(|(_, path)| read(path)).collect())
}

fn read(path: PathBuf) -> Found {
    let read = || {
        let text = check::read(&path.display().to_string()).map_err(|failure| failure.message)?;
        let value: Value = serde_json::from_str(&text).map_err(|_| "is no whole result".to_owned())?;
        RunRecord::from_value(value).map_err(|error| error.to_string())
    };
    let record = read();
    (path, record)
}
