//! Files of runs, read line by line: `bench`, `solve --events`, `solve --json`, also while they grow.

use super::trial::{Later, Record, Start, Trial};
use crate::bench::reference::BestKnown;
use crate::failure::Failure;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Display;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

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
    /// The runs by what their search is.
    known: HashMap<String, Vec<usize>>,
    /// The best run of each instance: only its solution is kept.
    best: HashMap<String, usize>,
}

/// A file of runs that may grow.
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

    /// Names a file, of which nothing is read yet.
    pub(crate) fn add(&mut self, path: &Path) -> Source {
        self.files.push(path.to_owned());
        Source { path: path.to_owned(), file: self.files.len() - 1, offset: 0, line: 0, open: None }
    }

    /// Adds a run, or puts it in the place of the same run; returns its index.
    pub(crate) fn insert(&mut self, mut trial: Trial) -> usize {
        let same = self.known.entry(trial.key()).or_default();
        let at = if let Some(&at) = same.iter().find(|&&at| self.trials[at].is_same(&trial)) {
            let known = &mut self.trials[at];
            self.twice += 1;
            // The events of a run know times that its result does not.
            let timed = |trial: &Trial| trial.points.iter().all(|point| point.seconds.is_some());
            if timed(known) && !timed(&trial) && known.score == trial.score {
                std::mem::swap(&mut trial.points, &mut known.points);
            }
            trial.solution = trial.solution.or_else(|| known.solution.take());
            trial.describe = trial.describe.or_else(|| known.describe.take());
            *known = trial;
            at
        } else {
            same.push(self.trials.len());
            self.trials.push(trial);
            self.trials.len() - 1
        };
        self.keep_best(at);
        at
    }

    /// Drops the solution of a run that is not the best of its instance: a file may hold a hundred thousand.
    fn keep_best(&mut self, at: usize) {
        let trial = &self.trials[at];
        if trial.stop.is_none() {
            return;
        }
        let instance = format!("{:?} {:?} {:?}", trial.problem, trial.instance, trial.options);
        let best = *self.best.entry(instance.clone()).or_insert(at);
        if best == at {
            return;
        }
        let (sense, a, b) = (trial.sense, trial.value(), self.trials[best].value());
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
        let mut file = File::open(&self.path).map_err(unreadable)?;
        let meta = file.metadata().map_err(unreadable)?;
        if meta.is_dir() {
            return Err(fail(&"it is a directory"));
        }
        if meta.is_file() {
            if meta.len() < self.offset {
                return Err(fail(&"it became shorter while it was read"));
            }
            file.seek(SeekFrom::Start(self.offset)).map_err(unreadable)?;
        }
        let mut reader = BufReader::new(file);
        let mut bytes = Vec::new();
        let mut any = false;
        loop {
            bytes.clear();
            let length = (&mut reader).take(MAX_LINE).read_until(b'\n', &mut bytes).map_err(unreadable)?;
            let ended = bytes.last() == Some(&b'\n');
            if length == 0 || !ended && !complete {
                return Ok(any);
            }
            let number = self.line + 1;
            let place = |message: String| fail(&format_args!("line {number}: {message}"));
            if length as u64 == MAX_LINE && !ended {
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
                self.open = None;
                runs.insert(trial(value, self.file)?);
                Ok(())
            }
            None => Err(EXPECTED.to_owned()),
        }
    }

    /// Takes an event.
    fn event(&mut self, runs: &mut Runs, event: &str, value: Value) -> Result<(), String> {
        if event == "start" {
            let trial = begun(value, self.file)?;
            // A resumed run goes on.
            let goes_on = trial.playouts > 0 && self.open.is_some_and(|at| same_search(&runs.trials[at], &trial));
            if goes_on {
                let open = &mut runs.trials[self.open.unwrap_or_default()];
                open.stop = None;
                // What was found after the checkpoint was lost, and is found again.
                let before = open.points.len();
                open.points.retain(|point| point.playouts <= trial.playouts);
                if open.points.len() < before {
                    (open.score, open.solution) = (open.points.last().and_then(|point| point.score), None);
                }
            } else {
                self.open = Some(runs.insert(trial));
            }
            return Ok(());
        }
        if !matches!(event, "improved" | "progress" | "end") {
            return Err(format!("`event`: expected start, improved, progress or end, got `{event}`"));
        }
        let Some(at) = self.open else { return Err(format!("an event `{event}` without `start` before it")) };
        let trial = &mut runs.trials[at];
        trial.follow(event, value)?;
        if event == "end" {
            runs.keep_best(at);
        }
        Ok(())
    }
}

/// The run of a record.
pub(crate) fn trial(record: Value, file: usize) -> Result<Trial, String> {
    decode::<Record>(record)?.trial(file)
}

/// The run that a `start` event begins.
pub(crate) fn begun(event: Value, file: usize) -> Result<Trial, String> {
    decode::<Start>(event)?.trial(file)
}

impl Trial {
    /// Takes an event after `start`.
    pub(crate) fn follow(&mut self, name: &str, event: Value) -> Result<(), String> {
        let later = decode::<Later>(event)?;
        match name {
            "improved" => self.improved(later),
            "progress" => self.progress(&later),
            _ => self.end(later),
        }
        Ok(())
    }
}

/// Whether a run continues another one.
fn same_search(a: &Trial, b: &Trial) -> bool {
    (&a.problem, &a.instance, &a.method, a.seed, a.threads) == (&b.problem, &b.instance, &b.method, b.seed, b.threads)
        && a.parameters == b.parameters
}

fn decode<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| without_place(&error))
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
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    /// A record of a comparison.
    pub(in crate::report) fn record(label: &str, instance: &str, seed: u64, score: Option<f64>) -> Value {
        json!({
            "job": "0", "label": label, "problem": "knapsack", "instance": instance, "options": {}, "sense": "maximize",
            "method": "uct", "parameters": { "c": 0.5 }, "rollout": "random", "seed": seed, "threads": 1,
            "budget": { "playouts": 100 }, "score": score, "violation": null, "optimal": false, "playouts": 100, "nodes": 0,
            "seconds": 2.0, "stop": "playouts", "verified": score.map(|_| true), "version": "0.1.0",
            "history": [{ "playouts": 1, "score": 1, "stream": 0 }, { "playouts": 50, "score": score, "stream": 0 }],
            "improvements": [{ "playouts": 1, "seconds": 0.5, "score": 1 }, { "playouts": 50, "seconds": 1.0, "score": score }],
            "machine": { "processor": "P", "cores": 2, "system": "S" }, "solution": { "items": [1] },
        })
    }

    /// The runs of a text, read as one file.
    fn read(text: &str) -> Result<Runs, Failure> {
        let path = std::env::temp_dir().join(format!("soloist-report-{}-{:p}.jsonl", std::process::id(), text));
        std::fs::write(&path, text).unwrap();
        let runs = Runs::read(std::slice::from_ref(&path));
        std::fs::remove_file(&path).unwrap();
        runs
    }

    const EVENTS: &str = r#"{"event":"start","problem":"knapsack","instance":"a.kp","sense":"maximize","method":"uct","parameters":{},"rollout":"random","seed":3,"threads":1,"playouts":0,"seconds":0.0,"version":"0.1.0"}
{"event":"improved","playouts":1,"score":5,"seconds":0.1,"solution":{"items":[]},"stream":0,"violation":null}
{"event":"progress","playouts":40,"nodes":7,"seconds":1.5,"best":5,"bound":9,"gap":null}
{"event":"improved","playouts":50,"score":8,"seconds":2.5,"solution":{"items":[2]},"stream":0,"violation":null}
"#;

    #[test]
    fn records_are_read() {
        let text = format!("{}\n\n{}\n", record("a", "x", 1, Some(4.0)), record("b", "x", 1, None));
        let runs = read(&text).unwrap();
        let [a, b] = &runs.trials[..] else { panic!("two runs") };
        assert_eq!((a.label.as_deref(), a.value(), a.limits().as_str()), (Some("a"), Some(4.0), "100 playouts"));
        assert_eq!(a.points[1], crate::report::trial::Point { playouts: 50, seconds: Some(1.0), score: Some(4.0) });
        assert_eq!((a.machine.as_deref(), b.value()), (Some("P, 2 cores, S"), None));
    }

    #[test]
    fn old_records_have_no_times() {
        let mut old = record("a", "x", 1, Some(4.0));
        old.as_object_mut().unwrap().retain(|key, _| !matches!(key.as_str(), "improvements" | "machine"));
        let trial = &read(&old.to_string()).unwrap().trials[0];
        assert_eq!((trial.points.len(), trial.points[1].seconds), (2, None));
    }

    #[test]
    fn events_become_a_run() {
        let trial = &read(EVENTS).unwrap().trials[0];
        assert_eq!((trial.stop.as_deref(), trial.value(), trial.points.len()), (None, Some(8.0), 2));
        assert_eq!((trial.playouts, trial.nodes, trial.bound), (50, 7, Some(9.0)));
        let end = r#"{"event":"end","stop":"time","seconds":3.0,"playouts":60,"nodes":8,"score":8,"violation":null,"optimal":false,"bound":9}"#;
        let text = format!("{EVENTS}{end}");
        let trial = &read(&text).unwrap().trials[0];
        assert_eq!((trial.stop.as_deref(), trial.playouts, trial.seconds), (Some("time"), 60, 3.0));
    }

    #[test]
    fn a_resumed_run_is_one_run() {
        let start = EVENTS.lines().next().unwrap().replace("\"playouts\":0", "\"playouts\":45");
        let again = r#"{"event":"improved","playouts":48,"score":9,"seconds":2.6,"solution":{"items":[4]},"stream":0,"violation":null}"#;
        let runs = read(&format!("{EVENTS}{start}\n{again}\n")).unwrap();
        assert_eq!(runs.trials.len(), 1);
        let points: Vec<_> = runs.trials[0].points.iter().map(|point| (point.playouts, point.score)).collect();
        assert_eq!(points, [(1, Some(5.0)), (48, Some(9.0))]);
    }

    #[test]
    fn the_same_run_is_there_once() {
        let (a, mut later) = (record("a", "x", 1, Some(4.0)), record("a", "x", 1, Some(4.0)));
        later.as_object_mut().unwrap().remove("improvements");
        let runs = read(&format!("{a}\n{later}\n{}\n", record("a", "x", 2, Some(3.0)))).unwrap();
        assert_eq!((runs.trials.len(), runs.twice), (2, 1));
        // The later one counts, and the times of the other are kept; only the best run of an instance keeps its
        // solution.
        assert!(runs.trials[0].points.iter().all(|point| point.seconds.is_some()));
        assert_eq!((runs.trials[0].solution.is_some(), runs.trials[1].solution.is_some()), (true, false));
    }

    #[test]
    fn results_may_be_spread_over_lines() {
        let text = format!("{:#}\n\n{:#}\n", record("a", "x", 1, Some(4.0)), record("a", "x", 2, Some(5.0)));
        assert_eq!(read(&text).unwrap().trials.len(), 2);
        let broken = text.replace("maximize", "sideways");
        let message = read(&broken).unwrap_err().message;
        assert!(message.ends_with("line 1: `sense`: expected maximize or minimize, got `sideways`"), "{message}");
    }

    #[test]
    fn wrong_lines_are_named() {
        let good = record("a", "x", 1, Some(4.0)).to_string();
        for (line, part) in [
            ("{\"a\":1}", "line 2: expected a record of `bench`, an event"),
            ("[1]", "line 2: expected a record"),
            ("{\"problem\":\"x\",\"playouts\":1}", "line 2: missing field `instance`"),
            ("{\"event\":\"improved\"}", "line 2: an event `improved` without `start` before it"),
            ("{\"event\":\"what\"}", "line 2: `event`: expected start, improved, progress or end, got `what`"),
            ("nonsense", "line 2: not valid JSON: expected ident"),
            ("{\"a\":", "line 2: not valid JSON: EOF"),
        ] {
            let message = read(&format!("{good}\n{line}\n{good}\n")).unwrap_err().message;
            assert!(message.contains(part) && !message.contains('\n'), "{message}");
        }
        assert!(read("").unwrap_err().message.ends_with("no runs"));
        // A run that was killed leaves half a line.
        let cut = read(&format!("{good}\n{}", &good[..40])).unwrap();
        assert_eq!((cut.trials.len(), cut.cut.len()), (1, 1));
    }

    #[test]
    fn files_may_grow() {
        let path = std::env::temp_dir().join(format!("soloist-report-grow-{}.jsonl", std::process::id()));
        let mut runs = Runs::default();
        let mut source = runs.add(&path);
        let half = EVENTS.len() - 30;
        std::fs::write(&path, &EVENTS[..half]).unwrap();
        assert!(source.follow(&mut runs, false).unwrap());
        assert_eq!(runs.trials[0].points.len(), 1);
        std::fs::write(&path, EVENTS).unwrap();
        assert!(source.follow(&mut runs, false).unwrap() && !source.follow(&mut runs, false).unwrap());
        assert_eq!(runs.trials[0].points.len(), 2);
        std::fs::write(&path, "").unwrap();
        assert!(source.follow(&mut runs, false).unwrap_err().message.ends_with("it became shorter while it was read"));
        std::fs::remove_file(&path).unwrap();
    }
}
