//! A live line on a terminal, plain lines elsewhere, for work that consists of jobs.

use crate::output;
use crate::terminal::Kind;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

/// Time between plain lines.
const LINE: Duration = Duration::from_secs(5);

/// How many of how many jobs are done, for people.
#[derive(Debug)]
pub(crate) struct Live {
    kind: Kind,
    total: u64,
    last: Instant,
}

impl Live {
    /// Of `total` jobs; nothing is shown if `quiet`.
    pub(crate) fn new(quiet: bool, total: usize) -> Self {
        let total = total as u64;
        let kind = Kind::new(quiet, total, "[{bar:20}] {wide_msg}");
        Self { kind, total, last: Instant::now() }
    }

    /// Shows that `done` jobs are done, plain lines now and then and at the end.
    pub(crate) fn beat(&mut self, done: usize, line: impl FnOnce() -> String) {
        match &self.kind {
            Kind::Quiet => {}
            Kind::Bar(bar) => {
                bar.set_position(done as u64);
                bar.set_message(line());
                bar.tick();
            }
            Kind::Lines if done as u64 == self.total || self.last.elapsed() >= LINE => {
                self.last = Instant::now();
                output::note(&line());
            }
            Kind::Lines => {}
        }
    }

    /// Takes the live line away.
    pub(crate) fn finish(&self) {
        self.kind.finish();
    }

    /// Prints a line that stays.
    pub(crate) fn note(&self, line: &str) {
        self.kind.note(line);
    }
}

/// Tells every few seconds which phase of a long command is at work, and for how long.
#[derive(Debug)]
pub(crate) struct Phases(Option<Sender<&'static str>>);

impl Phases {
    /// Nothing is told if `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        if quiet {
            return Self(None);
        }
        let (sender, receiver) = mpsc::channel();
        let tell = move || {
            let mut phase: Option<(&str, Instant)> = None;
            loop {
                match (receiver.recv_timeout(LINE), phase) {
                    (Ok(next), _) => phase = Some((next, Instant::now())),
                    (Err(RecvTimeoutError::Timeout), Some((phase, start))) => {
                        output::note(&format!("{phase}, {:.0} s", start.elapsed().as_secs_f64()));
                    }
                    (Err(RecvTimeoutError::Timeout), None) => {}
                    (Err(RecvTimeoutError::Disconnected), _) => break,
                }
            }
        };
        // Without the thread nothing is told, which is no failure.
        Self(std::thread::Builder::new().spawn(tell).ok().map(|_| sender))
    }

    /// The phase that begins.
    pub(crate) fn enter(&self, phase: &'static str) {
        if let Some(sender) = &self.0 {
            // A thread that is gone tells nothing, which is no failure.
            let _ = sender.send(phase);
        }
    }
}

/// A duration for people.
pub(crate) fn span(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5970.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

/// `1 seed`, `2 seeds`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans() {
        for (seconds, text) in
            [(0.4, "0 s"), (99.0, "99 s"), (100.0, "2 min"), (7200.0, "2.0 h"), (864_000.0, "10.0 days")]
        {
            assert_eq!(span(seconds), text);
        }
        assert_eq!((counted(1, "run"), counted(0, "run")), ("1 run".to_owned(), "0 runs".to_owned()));
    }
}
