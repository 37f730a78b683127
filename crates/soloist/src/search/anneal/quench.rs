//! Temperatures measured at a local optimum, for edits in place.

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
/// The temperature at the end for replays, as a part of the one at the start.
const REPLAYED: f64 = 0.1;

/// The differences to the worse neighbours at the end of a descent, and the temperatures that follow from them.
///
/// At a random solution differences may be larger by orders of magnitude than those that count in the end, where costs
/// are powers of distances or weights of broken rules: so a run first descends, for a small part of its cooling.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Quench {
    differences: Vec<f64>,
    /// Whether neighbours are edits in place; otherwise their differences are noted where `acceptance` asks for it.
    pub(super) follows_edits: bool,
    /// Worse neighbours met, and the neighbour that was the last better one.
    met: u64,
    gained: u64,
    /// The temperatures at the start and at the end of a cooling, in units of the cost; 0: they are not known.
    temperatures: (f64, f64),
}

impl Quench {
    /// Forgets a run.
    pub(super) fn reset(&mut self) {
        *self = Self { follows_edits: self.follows_edits, ..Self::default() };
    }

    /// Forgets the differences.
    pub(super) fn clear(&mut self) {
        self.differences.clear();
        self.met = 0;
    }

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

    /// Chooses the temperatures. `asked`: the part of the worse neighbours that the one at the start is to accept.
    pub(super) fn choose(&mut self, asked: Option<f64>) {
        let differences = std::mem::take(&mut self.differences);
        let hot = temperature_of(&differences, asked.unwrap_or(ACCEPTED.0));
        if self.follows_edits && differences.len() >= FEW {
            let cold = temperature_of(&differences, ACCEPTED.1);
            self.temperatures = (hot.max(cold), cold);
        } else if asked.is_some() && !self.follows_edits {
            self.temperatures = (hot, hot * REPLAYED);
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

/// Returns the temperature that accepts a part of these differences in the mean; 0: there are none.
fn temperature_of(differences: &[f64], part: f64) -> f64 {
    let Some(most) = differences.iter().copied().reduce(f64::max) else { return 0.0 };
    let least = differences.iter().copied().fold(most, f64::min);
    let accepted = |temperature: f64| {
        differences.iter().map(|difference| libm::exp(-difference / temperature)).sum::<f64>()
            / differences.len() as f64
    };
    // The part grows with the temperature: bisection of its logarithm, between bounds that enclose all parts.
    let (mut low, mut high) = (libm::log(least / 1e3), libm::log(most * 1e3));
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if accepted(libm::exp(middle)) < part { low = middle } else { high = middle }
    }
    libm::exp(high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_temperature_accepts_the_part_that_is_asked_for() {
        let narrow = [2.0; 50];
        // exp(-2 / T) = 0.03.
        assert!((temperature_of(&narrow, 0.03) + 2.0 / libm::log(0.03)).abs() < 1e-9);
        let wide: Vec<f64> = (0..60).map(|power| libm::exp2(f64::from(power) / 3.0)).collect();
        for part in [0.01, 0.03, 0.5, 0.9] {
            let temperature = temperature_of(&wide, part);
            let accepted = wide.iter().map(|difference| libm::exp(-difference / temperature)).sum::<f64>() / 60.0;
            assert!((accepted - part).abs() < 1e-6, "{accepted} for {part}");
        }
        assert_eq!(temperature_of(&[], 0.03), 0.0);
    }

    #[test]
    fn the_last_differences_of_a_descent_decide() {
        let mut quench = Quench { follows_edits: true, ..Quench::default() };
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
        let mut quench = Quench { follows_edits: true, ..Quench::default() };
        (0..7).for_each(|step| quench.note(step, 1.0));
        quench.choose(Some(0.1));
        assert_eq!(quench.temperatures(), None);
    }
}
