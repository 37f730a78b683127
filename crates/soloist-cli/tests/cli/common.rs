//! Running the binary and looking at what it says.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A folder of a test's own, removed when it passes.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn join(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.path().join(name), content).unwrap();
        self.join(name)
    }

    pub(crate) fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.0.disable_cleanup(std::thread::panicking());
    }
}

/// The binary, free of the caller's colour settings.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("soloist"));
    command.args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").stdin(Stdio::null());
    command
}

/// What a finished call left.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Done {
    pub(crate) fn new(output: Output) -> Self {
        Self {
            code: output.status.code().expect("not killed by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The JSON object that standard output holds, alone.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert!(self.stdout.ends_with('\n') && self.stdout.trim_end().lines().count() == 1, "{self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// Asserts that the call was refused: exit code, one line on standard error, nothing on standard output.
    #[track_caller]
    pub(crate) fn refused(self, code: i32, part: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.stderr.starts_with("error: ") && self.stderr.ends_with('\n'), "{self:?}");
        assert_eq!(self.stderr.lines().count(), 1, "{self:?}");
        assert!(self.stderr.contains(part), "expected {part:?} in {self:?}");
        assert!(!self.stderr.contains("panicked") && self.stdout.is_empty(), "{self:?}");
    }
}

pub(crate) fn run(args: &[&str]) -> Done {
    Done::new(command(args).output().unwrap())
}

/// A problem of the binary with an instance that works.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) example: String,
    /// Options with their values, the default first.
    pub(crate) options: Vec<(String, Vec<String>)>,
}

/// All problems that the binary knows.
pub(crate) fn samples() -> Vec<Sample> {
    let list = run(&["problems", "--json"]).exits(0).json();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let option = |option: &Value| {
        (text(&option["name"]), option["values"].as_array().unwrap().iter().map(text).collect::<Vec<_>>())
    };
    let sample = |domain: &Value| Sample {
        name: text(&domain["name"]),
        example: text(&domain["example"]),
        options: domain["options"].as_array().unwrap().iter().map(option).collect(),
    };
    let samples: Vec<_> = list.as_array().unwrap().iter().map(sample).collect();
    assert!(!samples.is_empty(), "no problems to test with");
    samples
}

/// One problem, for tests of what does not depend on problems.
pub(crate) fn sample() -> Sample {
    let mut samples = samples();
    let at = samples.iter().position(|sample| sample.name == "knapsack").unwrap_or(0);
    samples.swap_remove(at)
}

/// A quiet run with JSON, its result without the field that may differ.
pub(crate) fn solve(sample: &Sample, args: &[&str]) -> Value {
    let mut call = vec!["solve", &sample.name, &sample.example, "--json", "--quiet"];
    call.extend(args);
    let done = run(&call);
    assert!(matches!(done.code, 0 | 3) && done.stderr.is_empty(), "{call:?}: {done:?}");
    without_seconds(done.json())
}

pub(crate) fn without_seconds(mut result: Value) -> Value {
    assert!(result["seconds"].as_f64().unwrap() >= 0.0);
    result.as_object_mut().unwrap().remove("seconds");
    for list in ["improvements", "history"] {
        for moment in result.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            // The history of a record of runs has none.
            let seconds = moment.as_object_mut().unwrap().remove("seconds");
            assert!(seconds.map_or(list == "history", |seconds| seconds.as_f64().unwrap() >= 0.0));
        }
    }
    result
}

/// Sends a signal to a process by name; whether it was there.
#[cfg(unix)]
pub(crate) fn send(signal: &str, process: u32) -> bool {
    Command::new("sh").args(["-c", &format!("kill -{signal} {process}")]).status().unwrap().success()
}

/// A signal that stops a run: Ctrl-C, unless it is ignored here, as in a job in the background, and hence by the runs.
#[cfg(unix)]
pub(crate) fn stop_signal() -> &'static str {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.map_or(0, |mask| u64::from_str_radix(mask.trim(), 16).unwrap());
    if mask & 1 << 1 == 0 { "INT" } else { "TERM" }
}

/// Stops a run.
#[cfg(unix)]
pub(crate) fn interrupt(process: u32) {
    assert!(send(stop_signal(), process));
}

pub(crate) fn read(path: impl AsRef<Path>) -> String {
    std::fs::read_to_string(path).unwrap()
}
