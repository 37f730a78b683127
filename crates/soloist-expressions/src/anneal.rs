//! What the annealing searches of this crate have in common: limits and cooling.
//!
//! Two searches anneal: [`refine`](crate::refine()) over the variables of sub-expressions, [`polish`](crate::polish())
//! over programs. Both states are [`Edits`](soloist::problem::Edits): an attempt edits the present state, and the
//! engine's [`Acceptance`](soloist::problem::Acceptance) decides whether the edit stays, from the operations that it
//! adds and the temperature, which falls linearly over the run.
//!
//! # References
//! S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983.

use serde::{Deserialize, Serialize};
use soloist::search::parameters::Schedule;

/// How long an annealing search runs: until one of both limits is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Attempts to change something.
    pub attempts: u64,
    /// Work: a count of elementary steps, which each search defines. The same work is the same result on any machine.
    pub work: u64,
}

impl Limits {
    /// No attempt at all.
    pub const NONE: Self = Self { attempts: 0, work: 0 };

    /// At most this many attempts, whatever they cost.
    #[must_use]
    pub const fn attempts(attempts: u64) -> Self {
        Self { attempts, work: u64::MAX }
    }

    /// As many attempts as this much work allows.
    #[must_use]
    pub const fn work(work: u64) -> Self {
        Self { attempts: u64::MAX, work }
    }

    /// Whether the run goes on after these attempts and this work.
    pub(crate) fn allow(self, attempts: u64, work: u64) -> bool {
        attempts < self.attempts && work < self.work
    }

    /// The part of the run that is over, from 0 to 1: that of attempts or that of work, whichever is larger.
    pub(crate) fn part(self, attempts: u64, work: u64) -> f64 {
        (attempts as f64 / self.attempts as f64).max(work as f64 / self.work as f64).min(1.0)
    }
}

/// A temperature that falls linearly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cooling {
    /// The temperature at the beginning, in operations.
    pub(crate) start: f64,
    /// The temperature at the end, in operations.
    pub(crate) end: f64,
    /// The part of the run after which the temperature stays at `end`.
    pub(crate) until: f64,
}

impl Cooling {
    /// The temperature when `part` of the run is over.
    pub(crate) fn temperature(self, part: f64) -> f64 {
        Schedule::Linear.temperature(self.start, self.end, (part / self.until).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_fall_linearly_and_stay() {
        let cooling = Cooling { start: 0.5, end: 0.1, until: 0.8 };
        assert_eq!([0.0, 0.4, 0.8, 1.0].map(|part| (cooling.temperature(part) * 1e9).round()), [5e8, 3e8, 1e8, 1e8]);
        let limits = Limits { attempts: 10, work: 100 };
        assert_eq!([(5, 20), (5, 80), (20, 0)].map(|(a, w)| limits.part(a, w)), [0.5, 0.8, 1.0]);
        assert!(limits.allow(9, 99) && !limits.allow(10, 0) && !limits.allow(0, 100));
    }
}
