//! Files of runs, read line by line: `bench`, `solve --events`, `solve --json`, also while they grow.

use super::dedup::Known;
use super::trial::Trial;
use super::watch::Watch;
use crate::bench::reference::BestKnown;
use crate::failure::Failure;
use serde_json::{Map, Value};
use soloist_domain::{Machine, RunEvent, RunRecord};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::fs::File;
use std::hash::Hash;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longest line that is read.
const MAX_LINE: u64 = 256 << 20;

/// The runs of some files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    pub(crate) files: Vec<PathBuf>,
    /// In the order in which they were read; the same run is there once.
    pub(crate) trials: Vec<Trial>,
    /// Records of runs that were there already: the later one counts.
    pub(crate) twice: usize,
    /// Files whose last line was cut short.
    pub(crate) cut: Vec<PathBuf>,
    /// Best known scores; `None`: not given.
    pub(crate) best_known: Option<BestKnown>,
    /// What a reader must know about files that are followed.
    pub(crate) remarks: Vec<String>,
    /// The runs by what their search is.
    known: Known,
    /// The best run of each instance: only its solution is kept.
    best: HashMap<String, usize>,
    shared: Shared,
}

/// What many runs have in common is kept once.
#[derive(Clone, Debug, Default)]
struct Shared {
    parameters: HashSet<Arc<Map<String, Value>>>,
    machines: HashSet<Arc<Machine>>,
}

/// The first that was equal to `item`.
fn first<T: Eq + Hash + ?Sized>(all: &mut HashSet<Arc<T>>, item: &Arc<T>) -> Arc<T> {
    if let Some(known) = all.get(item) {
        return Arc::clone(known);
    }
    all.insert(Arc::clone(item));
    Arc::clone(item)
}

impl Shared {
    fn share(&mut self, trial: &mut Trial) {
        let task = &mut trial.task;
        task.parameters = first(&mut self.parameters, &task.parameters);
        task.machine = task.machine.take().map(|machine| first(&mut self.machines, &machine));
    }
}

/// A file of runs that may grow.
///
/// A file that is read once must be a sound one. A file that is followed may be cut, removed and replaced, and lines
/// that say nothing are counted.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    /// Its index among the files.
    file: usize,
    /// Bytes and lines that were read.
    offset: u64,
    line: usize,
    /// The run that the next event belongs to, as an index into the runs.
    open: Option<usize>,
    watch: Watch,
}

impl Runs {
    /// Reads whole files.
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut runs = Self::default();
        for path in paths {
            let mut source = runs.add(path);
            source.follow(&mut runs, true)?;
        }
        match runs.trials.is_empty() {
            true => Err(Failure::runtime(format!("{}: no runs", names(&runs.files)))),
            false => Ok(runs),
        }
    }

    /// Reads what files that may grow hold now. A file may be empty, but not without a single record.
    pub(crate) fn glance(paths: &[PathBuf]) -> Result<Self, Failure> {
        let mut runs = Self::default();
        for path in paths {
            let mut source = runs.add(path);
            let before = runs.trials.len() + runs.twice;
            source.look()?;
            source.follow(&mut runs, false)?;
            if runs.trials.len() + runs.twice == before && source.watch.has_skipped() {
                return Err(Failure::runtime(format!("{}: no runs", path.display())));
            }
        }
        Ok(runs)
    }

    /// Forgets all runs; the files are read again.
    pub(crate) fn restart(&mut self) {
        let (files, best_known) = (std::mem::take(&mut self.files), self.best_known.take());
        *self = Self { files, best_known, ..Self::default() };
    }

    /// Registers a file without reading it.
    pub(crate) fn add(&mut self, path: &Path) -> Source {
        self.files.push(path.to_owned());
        Source {
            path: path.to_owned(),
            file: self.files.len() - 1,
            offset: 0,
            line: 0,
            open: None,
            watch: Watch::default(),
        }
    }

    /// Adds a run, or puts it in the place of the same run; returns its index.
    pub(crate) fn insert(&mut self, trial: Trial) -> usize {
        let at = self.place(trial);
        self.known.settle(at, &self.trials[at]);
        self.keep_best(at);
        at
    }

    /// Adds a run that events will change, until it is [settled](Self::settle).
    fn begin(&mut self, trial: Trial) -> usize {
        let at = self.place(trial);
        self.known.open(at, &self.trials[at]);
        self.keep_best(at);
        at
    }

    /// No more events of a run will come.
    fn settle(&mut self, at: Option<usize>) {
        if let Some(at) = at {
            self.known.settle(at, &self.trials[at]);
        }
    }

    fn place(&mut self, mut trial: Trial) -> usize {
        self.shared.share(&mut trial);
        let Some(at) = self.known.find(&self.trials, &trial) else {
            self.trials.push(trial);
            return self.trials.len() - 1;
        };
        let known = &mut self.trials[at];
        self.known.forget(at, known);
        self.twice += 1;
        // The events of a run know times that its result does not.
        let timed = |trial: &Trial| trial.points.iter().all(|point| point.seconds.is_some());
        if timed(known) && !timed(&trial) && known.ending.score == trial.ending.score {
            std::mem::swap(&mut trial.points, &mut known.points);
        }
        trial.solution = trial.solution.or_else(|| known.solution.take());
        trial.task.describe = trial.task.describe.or_else(|| known.task.describe.take());
        *known = trial;
        at
    }

    /// Drops the solution of a run that is not the best of its instance: a file may hold a hundred thousand.
    fn keep_best(&mut self, at: usize) {
        let trial = &self.trials[at];
        if trial.ending.stop.is_none() {
            return;
        }
        let instance = format!("{:?} {:?} {:?}", trial.task.problem, trial.task.instance, trial.task.options);
        let best = *self.best.entry(instance.clone()).or_insert(at);
        if best == at {
            return;
        }
        let (sense, a, b) = (trial.task.sense, trial.value(), self.trials[best].value());
        let drawn = self.trials[best].solution.is_some();
        let beats = |a: f64, b: f64| sense.better_value(a, b) || a == b && !drawn;
        let better = trial.solution.is_some() && a.is_some_and(|a| b.is_none_or(|b| beats(a, b)));
        let (winner, loser) = if better { (at, best) } else { (best, at) };
        self.best.insert(instance, winner);
        self.trials[loser].solution = None;
    }
}

impl Source {
    /// Reads the lines that are new; a last line without an end waits for the rest, or is read as it is if the file is
    /// `complete`. Returns whether anything was read.
    pub(crate) fn follow(&mut self, runs: &mut Runs, complete: bool) -> Result<bool, Failure> {
        self.follow_with(runs, complete, &mut |_, _| {})
    }

    /// The same; `tap` is given each event with the index of its run.
    pub(crate) fn follow_with(
        &mut self,
        runs: &mut Runs,
        complete: bool,
        tap: &mut dyn FnMut(usize, &Value),
    ) -> Result<bool, Failure> {
        let shown = self.path.display().to_string();
        let fail = |error: &dyn Display| Failure::runtime(format!("{shown}: {error}"));
        let unreadable = |error: std::io::Error| fail(&format_args!("cannot be read: {error}"));
        let file = if complete {
            // The user names it: process substitution makes a pipe.
            let file = File::open(&self.path).map_err(unreadable)?;
            if file.metadata().map_err(unreadable)?.is_dir() {
                return Err(fail(&"it is a directory"));
            }
            file
        } else {
            let Some(mut file) = self.watch.file.take() else { return Ok(false) };
            file.seek(SeekFrom::Start(self.offset)).map_err(unreadable)?;
            file
        };
        let mut reader = BufReader::new(file);
        let mut bytes = Vec::new();
        let mut any = false;
        loop {
            bytes.clear();
            let length = (&mut reader).take(MAX_LINE).read_until(b'\n', &mut bytes).map_err(unreadable)?;
            let ended = bytes.last() == Some(&b'\n');
            let too_long = length as u64 == MAX_LINE && !ended;
            if length == 0 || !ended && !complete && !too_long {
                return Ok(any);
            }
            let number = self.line + 1;
            if !complete {
                any |= self.watched(runs, &bytes, too_long, tap);
                continue;
            }
            let place = |message: String| fail(&format_args!("line {number}: {message}"));
            if too_long {
                return Err(place("longer than 256 MiB".to_owned()));
            }
            let line = bytes.trim_ascii();
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
            if !line.is_empty() {
                match serde_json::from_slice::<Value>(line) {
                    Ok(value) => {
                        let event = value.get("event").is_some().then(|| value.clone());
                        self.take(runs, value).map_err(place)?;
                        if let (Some(event), Some(run)) = (event, self.open) {
                            tap(run, &event);
                        }
                    }
                    Err(error) if error.is_eof() && !ended && number > 1 => runs.cut.push(self.path.clone()),
                    // A result that was spread over many lines.
                    Err(error) if error.is_eof() && number == 1 && complete => {
                        return self.spread(runs, bytes, reader, &fail);
                    }
                    Err(error) => return Err(place(format!("not valid JSON: {}", without_place(&error)))),
                }
                any = true;
            }
            self.offset += length as u64;
            self.line = number;
        }
    }

    /// Takes a line of a file that is followed, or counts it as one that says nothing. Returns whether it was taken.
    fn watched(&mut self, runs: &mut Runs, bytes: &[u8], too_long: bool, tap: &mut dyn FnMut(usize, &Value)) -> bool {
        self.offset += bytes.len() as u64;
        self.line += usize::from(!too_long);
        self.watch.remember(bytes);
        let line = bytes.trim_ascii();
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        // The rest of a line that was too long is no line.
        let is_rest = std::mem::replace(&mut self.watch.inside, too_long);
        if is_rest || line.is_empty() {
            return false;
        }
        let taken = (!too_long).then(|| serde_json::from_slice::<Value>(line).ok()).flatten().is_some_and(|value| {
            let event = value.get("event").is_some().then(|| value.clone());
            let taken = self.take(runs, value).is_ok();
            if let (true, Some(event), Some(run)) = (taken, event, self.open) {
                tap(run, &event);
            }
            taken
        });
        if !taken {
            self.watch.skip(self.line.max(1));
        }
        taken
    }

    /// Looks at a file that is followed: whether it was replaced or cut since it was read, so that it must be read
    /// [again](Self::rewind).
    ///
    /// # Errors
    /// The file cannot be read and never could.
    pub(crate) fn look(&mut self) -> Result<bool, Failure> {
        self.watch
            .look(&self.path, self.offset)
            .map_err(|error| Failure::runtime(format!("{}: cannot be read: {error}", self.path.display())))
    }

    /// Begins again at the start of the file.
    pub(crate) fn rewind(&mut self) {
        (self.offset, self.line, self.open) = (0, 0, None);
        self.watch.rewind();
    }

    /// What a reader must know about a file that is followed.
    pub(crate) fn remarks(&self) -> Vec<String> {
        self.watch.remarks(&self.path.display().to_string())
    }

    /// Reads a file whose objects are spread over several lines.
    fn spread(
        &mut self,
        runs: &mut Runs,
        mut bytes: Vec<u8>,
        reader: impl Read,
        fail: &dyn Fn(&dyn Display) -> Failure,
    ) -> Result<bool, Failure> {
        let read = reader.take(MAX_LINE).read_to_end(&mut bytes);
        read.map_err(|error| fail(&format_args!("cannot be read: {error}")))?;
        let mut values = serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>();
        loop {
            let from = values.byte_offset();
            let blank = bytes[from..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let line = 1 + bytes[..from + blank].iter().filter(|&&byte| byte == b'\n').count();
            match values.next() {
                None => return Ok(true),
                Some(Ok(value)) => {
                    self.take(runs, value).map_err(|message| fail(&format_args!("line {line}: {message}")))?;
                }
                Some(Err(error)) => {
                    let message = without_place(&error);
                    return Err(fail(&format_args!("line {}: not valid JSON: {message}", error.line())));
                }
            }
        }
    }

    /// Takes one object.
    pub(super) fn take(&mut self, runs: &mut Runs, value: Value) -> Result<(), String> {
        const EXPECTED: &str =
            "expected a record of `bench`, an event of `solve --events` or a result of `solve --json`";
        let Some(object) = value.as_object() else { return Err(EXPECTED.to_owned()) };
        match object.get("event").map(|event| event.as_str().unwrap_or_default().to_owned()) {
            Some(event) => self.event(runs, &event, value),
            None if object.contains_key("problem") && object.contains_key("playouts") => {
                let record = RunRecord::from_value(value).map_err(|error| error.to_string())?;
                let trial = Trial::new(record, self.file)?;
                runs.settle(self.open.take());
                runs.insert(trial);
                Ok(())
            }
            None => Err(EXPECTED.to_owned()),
        }
    }

    /// Takes an event.
    fn event(&mut self, runs: &mut Runs, event: &str, value: Value) -> Result<(), String> {
        if event == "start" {
            let trial = begun(value, self.file)?;
            // A resumed run continues.
            let goes_on =
                trial.ending.playouts > 0 && self.open.is_some_and(|at| same_search(&runs.trials[at], &trial));
            if goes_on {
                let open = &mut runs.trials[self.open.unwrap_or_default()];
                open.ending.stop = None;
                // What was found after the checkpoint was lost, and is found again.
                let before = open.points.len();
                open.points.retain(|point| point.playouts <= trial.ending.playouts);
                if open.points.len() < before {
                    (open.ending.score, open.solution) = (open.points.last().and_then(|point| point.score), None);
                }
            } else {
                runs.settle(self.open.take());
                self.open = Some(runs.begin(trial));
            }
            return Ok(());
        }
        if !matches!(event, "improved" | "progress" | "end") {
            return Err(format!("`event`: expected start, improved, progress or end, got `{event}`"));
        }
        let Some(at) = self.open else { return Err(format!("an event `{event}` without `start` before it")) };
        let trial = &mut runs.trials[at];
        trial.follow(RunEvent::from_value(value).map_err(|error| error.to_string())?);
        if event == "end" {
            runs.keep_best(at);
        }
        Ok(())
    }
}

/// The run that a `start` event begins.
pub(crate) fn begun(event: Value, file: usize) -> Result<Trial, String> {
    match RunEvent::from_value(event) {
        Ok(RunEvent::Start(start)) => Ok(Trial::begin(*start, file)),
        Ok(_) => Err("expected the event `start`".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether a run continues another one.
fn same_search(a: &Trial, b: &Trial) -> bool {
    let (a, b) = (&a.task, &b.task);
    (&a.problem, &a.instance, &a.method, a.seed, a.threads) == (&b.problem, &b.instance, &b.method, b.seed, b.threads)
        && a.parameters == b.parameters
}

/// The message of an error without the place inside the line.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rfind(" at line ").map_or(text.as_str(), |end| &text[..end]).to_owned()
}

/// File names for a message.
fn names(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
pub(super) mod tests;
