//! What the annealing searches of this crate have in common: limits, cooling, and the rule by which a change is
//! accepted.
//!
//! Two searches anneal: [`refine`](crate::refine()) over the variables of sub-expressions, [`polish`](crate::polish())
//! over programs. An attempt changes the present state. [`accepts`] decides whether the change stays, from the
//! operations that it adds and the temperature, which falls linearly over the run.
//!
//! # References
//! S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983. The rule is
//! that of N. Metropolis et al., "Equation of state calculations by fast computing machines", Journal of Chemical
//! Physics 21, 1953.

use serde::{Deserialize, Serialize};
use soloist::Rng;

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
    pub(crate) hot: f64,
    /// The temperature at the end, in operations.
    pub(crate) cold: f64,
    /// The part of the run after which the temperature stays at `cold`.
    pub(crate) until: f64,
}

impl Cooling {
    /// The temperature when `part` of the run is over.
    pub(crate) fn temperature(self, part: f64) -> f64 {
        self.hot + (self.cold - self.hot) * (part / self.until).min(1.0)
    }
}

/// Whether a change stays that adds `more` operations: always if `more` is not positive, otherwise with probability
/// `exp(-more / temperature)`, at temperature 0 never. Draws from `rng` only where chance decides.
pub(crate) fn accepts(more: i64, temperature: f64, rng: &mut Rng) -> bool {
    more <= 0 || temperature > 0.0 && rng.chance(libm::exp(-(more as f64) / temperature))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worse_states_are_accepted_with_the_probability_of_metropolis() {
        let mut rng = Rng::new(1);
        assert!(accepts(0, 0.0, &mut rng) && accepts(-3, 0.0, &mut rng) && !accepts(1, 0.0, &mut rng));
        let untouched = rng.clone();
        assert!(accepts(-1, 0.5, &mut rng) && !accepts(5, -0.1, &mut rng));
        assert_eq!(rng, untouched);
        let accepted = (0..100_000).filter(|_| accepts(2, 1.5, &mut rng)).count() as f64;
        // exp(-4/3) = 0.2636; the standard error is 0.0014.
        assert!((accepted / 100_000.0 - 0.2636).abs() < 0.006, "{accepted}");
    }

    #[test]
    fn temperatures_fall_linearly_and_stay() {
        let cooling = Cooling { hot: 0.5, cold: 0.1, until: 0.8 };
        assert_eq!([0.0, 0.4, 0.8, 1.0].map(|part| (cooling.temperature(part) * 1e9).round()), [5e8, 3e8, 1e8, 1e8]);
        let limits = Limits { attempts: 10, work: 100 };
        assert_eq!([(5, 20), (5, 80), (20, 0)].map(|(a, w)| limits.part(a, w)), [0.5, 0.8, 1.0]);
        assert!(limits.allow(9, 99) && !limits.allow(10, 0) && !limits.allow(0, 100));
    }
}
