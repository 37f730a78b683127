//! Runs cases in processes of their own and watches them.

use crate::{Campaign, Verdict};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The limits of a case.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Processor time, or wall-clock time where the system does not tell it.
    pub time: Duration,
    /// Growth of the resident memory, in bytes.
    pub memory: u64,
}

/// What a campaign has shown.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Cases run.
    pub cases: u64,
    /// Cases whose damage was accepted.
    pub accepted: u64,
    /// Findings, those included that are no longer shown.
    pub wrong: u64,
    /// The longest case in seconds, and its number.
    pub slowest: (f64, u64),
    /// The largest growth of memory in bytes, and the case.
    pub largest: (u64, u64),
}

/// Findings that are shown.
pub const MOST: u64 = 1000;

/// The peak of this process's resident memory in bytes since [`forget_peak`]; `None` where the system does not tell.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}

/// How often a process that gets little time is waited for.
const WAITS: u32 = 20;

/// The processor time of a process so far, to the hundredth of a second; `None` where the system does not tell.
fn computed(process: u32) -> Option<Duration> {
    let line = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name in parentheses may hold blanks. User and system time are fields 14 and 15.
    let mut fields = line.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}

/// Makes the present size the peak.
fn forget_peak() {
    // Best effort: Linux only.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Runs the cases `from`, `from + step`, ... below `to` and prints a line for each; the other side of [`run`].
///
/// # Errors
/// When standard output is closed.
pub fn work(campaign: &mut dyn Campaign, from: u64, to: u64, step: u64) -> Result<()> {
    // The message of a panic is a part of the finding.
    static PANIC: Mutex<String> = Mutex::new(String::new());
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut text) = PANIC.lock() {
            *text = info.to_string().replace('\n', " ");
        }
    }));
    let mut out = std::io::stdout().lock();
    let mut case = from;
    while case < to {
        writeln!(out, "{case}")?;
        out.flush()?;
        forget_peak();
        let (before, start, started) = (peak(), Instant::now(), computed(std::process::id()));
        let verdict = catch_unwind(AssertUnwindSafe(|| campaign.run(case)))
            .unwrap_or_else(|_| Verdict::Finding(PANIC.lock().map_or_else(|_| "a panic".into(), |text| text.clone())));
        let seconds = match computed(std::process::id()).zip(started) {
            Some((now, started)) => (now - started).as_secs_f64(),
            None => start.elapsed().as_secs_f64(),
        };
        let grown = peak().zip(before).map_or(0, |(after, before)| after.saturating_sub(before));
        let (kind, what) = match verdict {
            Verdict::Refused(_) => ("refused", String::new()),
            Verdict::Accepted => ("accepted", String::new()),
            Verdict::Finding(what) => ("finding", what),
        };
        writeln!(out, "{}", json!({ "kind": kind, "what": what, "seconds": seconds, "grown": grown }))?;
        case += step;
    }
    Ok(())
}

/// A process that runs cases.
struct Worker {
    child: Child,
    lines: Receiver<String>,
}

impl Worker {
    fn start(arguments: &[String], from: u64, to: u64, step: u64) -> Result<Self> {
        let program = std::env::current_exe().context("the path of this program")?;
        let mut child = Command::new(program)
            .args(arguments)
            .args(["--work", &format!("{from},{to},{step}")])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("a worker")?;
        let Some(stdout) = child.stdout.take() else { bail!("a worker without output") };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, lines })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the cases from `from` to `to` in `workers` processes, which are this program with `arguments` and `--work`,
/// until all are done or `deadline` comes. `show` gets each finding as a line at once, up to [`MOST`] of them.
///
/// # Errors
/// When no process can be started.
pub fn run(
    campaign: &dyn Campaign,
    arguments: &[String],
    (from, to): (u64, u64),
    workers: u64,
    limits: Limits,
    deadline: Option<Instant>,
    show: &mut dyn FnMut(&str),
) -> Result<Summary> {
    let mut summary = Summary::default();
    let (sender, results) = channel::<Result<(u64, Value)>>();
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let sender = sender.clone();
            scope.spawn(move || {
                let mut next = from + worker;
                while next < to && deadline.is_none_or(|deadline| Instant::now() < deadline) {
                    match watch(arguments, &mut next, (to, workers), limits, deadline, &|case, value| {
                        // The receiver lives as long as this thread.
                        let _ = sender.send(Ok((case, value)));
                    }) {
                        Ok(()) => {}
                        Err(error) => {
                            let _ = sender.send(Err(error));
                            break;
                        }
                    }
                }
            });
        }
        drop(sender);
        for result in results {
            let (case, value) = result?;
            summary.cases += 1;
            let seconds = value["seconds"].as_f64().unwrap_or_default();
            let grown = value["grown"].as_u64().unwrap_or_default();
            if seconds > summary.slowest.0 {
                summary.slowest = (seconds, case);
            }
            if grown > summary.largest.0 {
                summary.largest = (grown, case);
            }
            let mut what = value["what"].as_str().unwrap_or_default().to_owned();
            let mut wrong = value["kind"] == "finding";
            summary.accepted += u64::from(value["kind"] == "accepted");
            if !wrong && grown > limits.memory {
                (wrong, what) = (true, format!("memory grew by {} MiB", grown >> 20));
            }
            if !wrong && seconds > limits.time.as_secs_f64() {
                (wrong, what) = (true, format!("took {seconds:.1} s"));
            }
            if wrong {
                summary.wrong += 1;
                if summary.wrong <= MOST {
                    show(&format!("case {case}: {}: {what}", campaign.describe(case)));
                }
            }
        }
        Ok(summary)
    })
}

/// Runs one process from case `next` on until it ends, dies or hangs; `next` is then the case to go on with.
fn watch(
    arguments: &[String],
    next: &mut u64,
    (to, step): (u64, u64),
    limits: Limits,
    deadline: Option<Instant>,
    tell: &dyn Fn(u64, Value),
) -> Result<()> {
    let worker = Worker::start(arguments, *next, to, step)?;
    // What a case may take beyond its limit before its process is ended. On a busy machine a process may get little
    // time: it is ended when it has computed for so long, or after many times as long.
    let patience = limits.time * 2 + Duration::from_secs(5);
    let mut started = false;
    let (mut waits, mut before) = (0, computed(worker.child.id()));
    loop {
        let lost = |what: &str| json!({ "kind": "finding", "what": what, "seconds": 0.0, "grown": 0 });
        match worker.lines.recv_timeout(patience) {
            Ok(line) if line.starts_with('{') => {
                tell(*next, serde_json::from_str(&line)?);
                *next += step;
                started = false;
                if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    return Ok(());
                }
            }
            Ok(line) => {
                (waits, before) = (0, computed(worker.child.id()));
                *next = line.parse().context("a number of a case")?;
                started = true;
            }
            Err(RecvTimeoutError::Timeout)
                if waits < WAITS
                    && computed(worker.child.id())
                        .zip(before)
                        .is_some_and(|(now, before)| now - before < limits.time) =>
            {
                waits += 1;
            }
            Err(RecvTimeoutError::Timeout) => {
                tell(*next, lost("no end: the process was ended"));
                *next += step;
                return Ok(());
            }
            Err(RecvTimeoutError::Disconnected) if started => {
                tell(*next, lost("the process died: out of memory, stack overflow or abort"));
                *next += step;
                return Ok(());
            }
            Err(RecvTimeoutError::Disconnected) if *next >= to => return Ok(()),
            Err(RecvTimeoutError::Disconnected) => bail!("a worker ended before its first case"),
        }
    }
}
