//! Temperatures measured at a local optimum, for edits in place.

use super::schedule::temperature_of;
use crate::core::limits::MOST;
use serde::{Deserialize, Serialize};

/// Differences that are remembered: the last ones of the quench.
const DIFFERENCES: usize = 1_000;
/// Differences without which nothing is known.
const FEW: usize = 8;
/// A quench ends when as many neighbours as this, and as this times the decisions of a solution, have brought nothing.
const PATIENCE: (u64, u64) = (1_000, 10);
/// The parts of the worse neighbours of a local optimum that the temperatures at the start and at the end accept.
const ACCEPTED: (f64, f64) = (0.3, 1e-4);

/// The differences to the worse neighbours at the end of a descent, and the temperatures that follow from them.
///
/// At a random solution differences may be larger by orders of magnitude than those that count in the end, where costs
/// are powers of distances or weights of broken rules: so a run first descends, for a small part of its cooling.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Quench {
    differences: Vec<f64>,
    /// Worse neighbours met, and the neighbour that was the last better one.
    met: u64,
    gained: u64,
    /// The temperatures at the start and at the end of a cooling, in units of the cost; 0: they are not known.
    temperatures: (f64, f64),
}

impl Quench {
    /// Notes the difference that neighbour number `step` makes.
    pub(super) fn note(&mut self, step: u64, difference: f64) {
        if difference < 0.0 {
            self.gained = step;
        } else if difference > 0.0 && difference.is_finite() {
            match self.differences.get_mut(self.met as usize % DIFFERENCES) {
                Some(oldest) => *oldest = difference,
                None => self.differences.push(difference),
            }
            self.met += 1;
        }
    }

    /// Whether the descent has ended after neighbour number `step` of a solution of `count` decisions.
    pub(super) fn has_ended(&self, step: u64, count: usize) -> bool {
        step - self.gained.min(step) >= PATIENCE.0.max(PATIENCE.1 * count as u64)
    }

    /// Chooses the temperatures; `first` is the part of the worse neighbours that the one at the start accepts.
    pub(super) fn choose(&mut self, first: Option<f64>) {
        let first = first.unwrap_or(ACCEPTED.0);
        let differences = std::mem::take(&mut self.differences);
        if differences.len() >= FEW {
            let [hot, cold] = [first, ACCEPTED.1].map(|part| temperature_of(&differences, part));
            self.temperatures = (hot.max(cold), cold);
        }
    }

    /// The temperatures at the start and at the end of a cooling. `None`: they are not known.
    pub(super) fn temperatures(&self) -> Option<(f64, f64)> {
        (self.temperatures.0 > 0.0).then_some(self.temperatures)
    }

    /// Whether what was read from a checkpoint can be that of a run.
    pub(super) fn is_sound(&self) -> bool {
        let positive = |number: &f64| *number > 0.0 && number.is_finite();
        let (start, end) = self.temperatures;
        self.differences.len() <= DIFFERENCES
            && self.differences.len() as u64 <= self.met
            && self.met.max(self.gained) <= MOST
            && self.differences.iter().all(positive)
            && (self.temperatures == (0.0, 0.0) || positive(&end) && start >= end && start.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_differences_of_a_descent_decide() {
        let mut quench = Quench::default();
        // At first they are a million times as large.
        (0..5_000).for_each(|step| quench.note(step, if step % 7 == 0 { -1.0 } else { 1e6 }));
        assert!(!quench.has_ended(5_400, 30) && quench.has_ended(6_000, 30) && !quench.has_ended(6_000, 200));
        (5_000..7_000).for_each(|step| quench.note(step, 2.0));
        assert!(quench.is_sound());
        quench.choose(None);
        let (start, end) = quench.temperatures().unwrap();
        // exp(-2 / T) is 0.3, and 0.0001.
        assert!((start + 2.0 / libm::log(0.3)).abs() < 1e-9 && (end + 2.0 / libm::log(1e-4)).abs() < 1e-9);
        assert!(quench.is_sound());
    }

    #[test]
    fn few_differences_say_nothing() {
        let mut quench = Quench::default();
        (0..7).for_each(|step| quench.note(step, 1.0));
        quench.choose(Some(0.1));
        assert_eq!(quench.temperatures(), None);
    }
}
