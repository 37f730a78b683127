//! Phases of a long command, in plain lines.

use super::{LINE, output};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Instant;

/// Prints every few seconds which phase of a long command is at work, and for how long.
#[derive(Debug)]
pub(crate) struct Phases(Option<Sender<&'static str>>);

impl Phases {
    /// Prints nothing if `quiet`.
    pub(crate) fn new(quiet: bool) -> Self {
        if quiet {
            return Self(None);
        }
        let (sender, receiver) = mpsc::channel();
        let print = move || {
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
        // Without the thread nothing is printed, which is no failure.
        Self(std::thread::Builder::new().spawn(print).ok().map(|_| sender))
    }

    /// The phase that begins.
    pub(crate) fn enter(&self, phase: &'static str) {
        if let Some(sender) = &self.0 {
            // A thread that is gone prints nothing, which is no failure.
            let _ = sender.send(phase);
        }
    }
}
