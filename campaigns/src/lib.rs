//! Campaigns against Soloist: damaged input for its readers, damaged checkpoints for its searches.
//!
//! A campaign is a list of cases without end: the seed and the number of a case say all about it. [`supervise`] runs
//! the cases in processes of their own and watches them: a panic, an abort, too much time or memory is a finding, and
//! the campaign continues with the next case. The black-box campaigns (signals, pipes, full disks, other verifiers) are
//! Python scripts beside this crate.

#![forbid(unsafe_code)]

pub mod checkpoints;
pub mod claims;
pub mod mutate;
pub mod notations;
pub mod readers;
pub mod supervise;
pub mod trees;

/// What a case showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The damage was refused, by this line.
    Refused(String),
    /// The damage was accepted, and what followed was in order.
    Accepted,
    /// Something is wrong: one line.
    Finding(String),
}

/// Cases by number.
pub trait Campaign {
    /// Runs a case.
    fn run(&mut self, case: u64) -> Verdict;
    /// Says in a line what the case is about.
    fn describe(&self, case: u64) -> String;
    /// Returns the damaged text of a case; `None` where the damage is done while the case runs.
    fn input(&self, _case: u64) -> Option<Vec<u8>> {
        None
    }
}

/// Returns the generator of a case.
#[must_use]
pub fn rng(seed: u64, case: u64) -> soloist::Rng {
    soloist::Rng::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ case)
}

/// Returns that a case was refused with a message, or the finding that a message is not one line.
#[must_use]
pub fn refused(message: &str) -> Verdict {
    if message.is_empty() || message.lines().count() > 1 {
        return Verdict::Finding(format!("a message that is not one line: {message:?}"));
    }
    Verdict::Refused(message.to_owned())
}
