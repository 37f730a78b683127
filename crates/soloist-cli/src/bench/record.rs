//! The file of finished runs: one JSON object a line, appended as runs end, read back to continue.

use super::plan::{Job, Plan};
use crate::failure::Failure;
use crate::result::{self, Ending, Setting, VERSION};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use soloist::{Budget, Score};
use soloist_problems::Report;
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// How every record begins; what begins otherwise is somebody else's.
const START: &str = "{\"job\":\"";
/// Longest line that is read.
const MAX_LINE: usize = 256 << 20;

/// What a finished run leaves in the file.
#[derive(Serialize)]
pub(crate) struct Record<'a> {
    job: &'a str,
    label: &'a str,
    #[serde(flatten)]
    setting: Setting<'a>,
    budget: Value,
    #[serde(flatten)]
    ending: Ending,
    /// Null without a feasible solution.
    verified: Option<bool>,
    version: &'static str,
    /// Improvements over the run.
    history: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<&'a Value>,
}

impl<'a> Record<'a> {
    /// Collects a run.
    pub(crate) fn new(
        plan: &'a Plan,
        job: &'a Job,
        report: &'a Report,
        verified: Option<bool>,
        solution: bool,
    ) -> Self {
        let (instance, method) = (&plan.instances[job.instance], &plan.methods[job.method]);
        let choice = &instance.choices[job.method];
        let setting = Setting {
            problem: plan.domain.name,
            instance: &instance.name,
            options: &plan.options,
            sense: result::sense(plan.sense),
            method: choice.name,
            parameters: result::parameters(&choice.method),
            rollout: &choice.rollout,
            seed: plan.seeds[job.seed],
            threads: plan.threads,
        };
        Self {
            job: &job.key,
            label: &method.label,
            setting,
            budget: budget_json(&method.budget),
            ending: Ending::new(report),
            verified,
            version: VERSION,
            history: report.history.iter().map(result::improvement).collect(),
            solution: solution.then_some(&report.solution),
        }
    }

    /// The object on one line, with its newline.
    pub(crate) fn line(&self) -> String {
        result::line(self)
    }
}

/// A budget by the names of the command line; time in seconds.
pub(crate) fn budget_json(budget: &Budget) -> Value {
    let mut object = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            object.insert(name.to_owned(), value);
        }
    };
    put("time", budget.time.map(|time| result::number(time.as_secs_f64())));
    put("playouts", budget.playouts.map(Value::from));
    put("nodes", budget.nodes.map(Value::from));
    put("target", budget.target.map(result::number));
    put("stall", budget.stall.map(Value::from));
    put("memory", Some(Value::from(budget.memory)));
    Value::Object(object)
}

/// What the tables need of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) score: Option<f64>,
    pub(crate) violation: Option<f64>,
    pub(crate) optimal: bool,
    pub(crate) playouts: u64,
    pub(crate) seconds: f64,
    pub(crate) verified: Option<bool>,
}

impl Run {
    /// The run of a report.
    pub(crate) fn new(report: &Report, verified: Option<bool>) -> Self {
        Self {
            score: result::value(report),
            violation: report.score.and_then(Score::violation),
            optimal: report.optimal,
            playouts: report.run.counters.playouts,
            seconds: report.run.elapsed.as_secs_f64(),
            verified,
        }
    }

    /// The score, if a feasible solution was found and verified.
    pub(crate) fn value(&self) -> Option<f64> {
        self.score.filter(|_| self.verified != Some(false))
    }
}

/// A line read back.
#[derive(Deserialize)]
struct Line {
    job: String,
    score: Option<f64>,
    violation: Option<f64>,
    optimal: bool,
    playouts: u64,
    seconds: f64,
    verified: Option<bool>,
}

/// What the file holds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Runs of the plan by the key of their job.
    pub(crate) runs: HashMap<String, Run>,
    /// Records of other runs.
    pub(crate) others: usize,
    /// Records of runs that are there already.
    pub(crate) twice: usize,
    /// Bytes of whole lines; what follows is a line that was cut short.
    whole: u64,
    /// Whether a line was cut short.
    pub(crate) cut: bool,
    /// Whether the last line lacks only its end.
    open: bool,
}

/// Reads a file of runs; a missing one holds none.
pub(crate) fn read(path: &Path, keys: &HashSet<&str>) -> Result<Found, Failure> {
    let fail = |error: &dyn std::fmt::Display| Failure::runtime(format!("{}: {error}", path.display()));
    let mut found = Found::default();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(fail(&format_args!("cannot be read: {error}"))),
    };
    if !file.metadata().is_ok_and(|meta| meta.is_file()) {
        return Err(fail(&"not a regular file"));
    }
    let mut reader = BufReader::new(file);
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let length = std::io::Read::take(&mut reader, MAX_LINE as u64)
            .read_until(b'\n', &mut bytes)
            .map_err(|error| fail(&format_args!("cannot be read: {error}")))?;
        if length == 0 {
            break;
        }
        let ended = bytes.last() == Some(&b'\n');
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        // A line that is not ours must not be taken for one of ours that was cut.
        let ours = line.starts_with(START.as_bytes()) || (!ended && START.as_bytes().starts_with(line));
        if !ours {
            return Err(fail(&format_args!("line {number}: not a record of `soloist bench`")));
        }
        match serde_json::from_slice::<Line>(line) {
            Ok(Line { job, score, violation, optimal, playouts, seconds, verified }) => {
                let run = Run { score, violation, optimal, playouts, seconds, verified };
                if !keys.contains(job.as_str()) {
                    found.others += 1;
                } else if found.runs.insert(job, run).is_some() {
                    found.twice += 1;
                }
                found.whole += length as u64;
                found.open = !ended;
            }
            Err(error) if !ended && error.is_eof() => {
                found.cut = true;
                break;
            }
            Err(error) => {
                let text = error.to_string();
                let message = text.rfind(" at line ").map_or(text.as_str(), |end| &text[..end]);
                return Err(fail(&format_args!("line {number}: broken record: {message}")));
            }
        }
    }
    Ok(found)
}

/// The file, open for more; no other process writes to it meanwhile.
#[derive(Debug)]
pub(crate) struct Writer {
    file: File,
    path: PathBuf,
}

impl Writer {
    /// Opens (or makes) the file, reads it again under its lock and repairs its end; `fresh` empties it.
    pub(crate) fn open(path: &Path, keys: &HashSet<&str>, fresh: bool) -> Result<(Self, Found), Failure> {
        let fail =
            |error: &dyn std::fmt::Display| Failure::runtime(format!("cannot write {}: {error}", path.display()));
        // What is no file of runs is found before it is touched.
        read(path, keys)?;
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(|error| fail(&error))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(fail(&"another `soloist bench` is writing it")),
            // A file system without locks is no reason to refuse.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let mut found = read(path, keys)?;
        let mut writer = Self { file, path: path.to_owned() };
        if fresh {
            found = Found::default();
        }
        if fresh || found.cut {
            writer.file.set_len(found.whole).map_err(|error| fail(&error))?;
        }
        if found.open {
            writer.append("\n")?;
        }
        Ok((writer, found))
    }

    /// Appends a line.
    pub(crate) fn append(&mut self, line: &str) -> Result<(), Failure> {
        // One call a line: a process that is killed leaves at most the last line cut.
        self.file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.flush())
            .map_err(|error| Failure::runtime(format!("cannot write {}: {error}", self.path.display())))
    }
}
