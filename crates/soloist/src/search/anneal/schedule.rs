//! Runs and coolings of annealing: what part of a cooling is over, its temperature, and what comes next.

use super::quench::Quench;
use super::{Coolings, Schedule};
use crate::core::limits::MOST;
use serde::{Deserialize, Serialize};

/// Neighbours whose differences are measured at the start of a run: at least, and at most.
const MEASURED: (u64, u64) = (40, 1_000);
/// The part of a cooling that measuring takes, at most.
const MEASURING: f64 = 0.02;
/// Neighbours of the first cooling where neither `steps` nor a budget says how many.
const FIRST: u64 = 2_000;
/// The factor of `steps` from run to run.
const GROWTH: f64 = 2.0;
/// The temperature is updated every 16 neighbours.
const HOLD: u64 = 16;
/// The part of the budget that a race of arms takes.
pub(super) const RACE: f64 = 0.4;
/// The arms that have a longer run each after the race.
const FINALISTS: u64 = 2;

/// How large differences are: the geometric mean of those met while the temperature was 0.
///
/// It does not depend on a constant added to all scores, and a few huge differences (a cliff) move it little.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Spread {
    logs: f64,
    count: u64,
    unit: f64,
}

/// What follows a cooling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The cooling continues.
    Stay,
    /// The cooling continues, and the differences are measured: its temperatures are known now, and how many solutions
    /// a population has.
    Measured,
    /// The cooling continues with another solution of a population, in the turn of this number.
    Pass(u64),
    /// A cooling begins: from the best solution of the run, or of all runs.
    Reheat { of_all: bool },
    /// A run from a new solution begins.
    Restart,
    /// The last run has ended.
    End,
}

/// Where the cooling of a population stands.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Turns {
    /// The solutions that this cooling has room for; 0: not decided.
    pub(super) size: u64,
    /// The part of this cooling that measuring has taken: the levels share the rest.
    measured: f64,
    /// The turn that was begun last: the level times the size, and the place of the turn in its level.
    pub(super) begun: u64,
}

/// Where annealing stands between its runs and coolings.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Clock {
    /// Runs before this one.
    pub(super) run: u64,
    /// Coolings of this run that have ended.
    round: u64,
    /// Neighbours tried in this cooling, and in all.
    step: u64,
    total: u64,
    /// Neighbours of this cooling; 0: it lasts for a part of the plan.
    steps: u64,
    /// The parts of the plan between which this cooling lasts.
    from: f64,
    to: f64,
    /// Runs from new solutions that the plan has room for; 0: not decided.
    runs: u64,
    /// Spread of the differences between feasible solutions, and between infeasible ones.
    spread: [Spread; 2],
    measuring: bool,
    heat: f64,
    pub(super) turns: Turns,
    /// The unit that the problem's neighbourhood names; 0: the spread.
    pub(super) known: f64,
    /// The temperatures where they are measured at a local optimum.
    pub(super) quench: Quench,
}

impl Clock {
    /// Begins a run from a new solution. `part` is the part of the plan that is over.
    pub(super) fn begin(&mut self, parameters: &Coolings, part: Option<f64>) {
        (self.step, self.round) = (0, 0);
        self.turns = Turns::default();
        self.spread = Default::default();
        self.measuring = parameters.kicks == 0;
        self.heat = 0.0;
        self.quench.reset();
        match part {
            Some(part) if parameters.steps == 0 && part < 1.0 => {
                (self.steps, self.from, self.to) = (0, part, 1.0);
                if parameters.arms > 1 {
                    self.runs = parameters.arms + FINALISTS;
                } else if parameters.population > 1 {
                    self.runs = parameters.runs.max(1);
                }
                if self.runs > 0 {
                    self.to = self.end_of_run(parameters);
                }
            }
            _ if self.steps == 0 => self.steps = if parameters.steps == 0 { FIRST } else { parameters.steps },
            _ => {}
        }
    }

    /// Whether the counts and parts of a checkpoint can be those of a run.
    pub(super) fn is_sound(&self, parameters: &Coolings) -> bool {
        let &Self { run, round, step, total, steps, from, to, runs, spread, heat, known, turns, .. } = self;
        let counts = [run, round, step, total, steps, runs, spread[0].count, spread[1].count];
        let parts = [from, to, heat, known, spread[0].logs, spread[1].logs, spread[0].unit, spread[1].unit];
        // The unit is always that of the logarithms.
        let within = |spread: &Spread| match spread.count {
            0 => spread.logs == 0.0 && spread.unit == 0.0,
            count => spread.unit == libm::exp(spread.logs / count as f64),
        };
        let logs = spread.iter().all(within);
        let fits = turns.begun < parameters.levels * turns.size.max(1) && turns.size <= parameters.population;
        fits && self.quench.is_sound()
            && (0.0..1.0).contains(&turns.measured)
            && counts.iter().all(|&count| count <= MOST)
            && parts.iter().all(|part| part.is_finite())
            && logs
    }

    /// Returns the part of the plan at which this run's first cooling ends: the runs that are left share what is left
    /// evenly, but for the part of the last reheating. While arms race, they share the part of the race.
    fn end_of_run(&self, parameters: &Coolings) -> f64 {
        let racing = parameters.arms > 1 && self.run < parameters.arms;
        let (runs, end) = if racing { (parameters.arms, RACE) } else { (self.runs, parameters.finish) };
        let left = runs.saturating_sub(self.run).max(1);
        self.from + (end.min(parameters.finish) - self.from).max(0.0) / left as f64
    }

    /// Returns which of the arms, the best one first, this run continues with; `None`: it is one of the race.
    pub(super) fn finalist(&self, parameters: &Coolings) -> Option<usize> {
        self.run.checked_sub(parameters.arms).filter(|_| self.is_planned(parameters)).map(|rank| rank as usize)
    }

    /// Whether arms race for parts of a plan.
    fn is_planned(&self, parameters: &Coolings) -> bool {
        parameters.arms > 1 && self.steps == 0
    }

    /// Returns the part of this cooling that is over.
    fn over(&self, part: Option<f64>) -> f64 {
        match part {
            Some(part) if self.steps == 0 => ((part - self.from) / (self.to - self.from).max(1e-12)).clamp(0.0, 1.0),
            _ => self.step as f64 / self.steps.max(1) as f64,
        }
    }

    /// Whether differences are being measured: no worse neighbour is accepted meanwhile.
    pub(super) fn is_measuring(&self) -> bool {
        self.measuring
    }

    /// The temperature now, in the unit of differences between feasible solutions, or between infeasible ones.
    pub(super) fn temperature(&self, feasible: bool) -> f64 {
        self.heat * self.unit(feasible)
    }

    /// The unit of temperatures.
    fn unit(&self, feasible: bool) -> f64 {
        match feasible {
            true if self.quench.temperatures().is_some() => 1.0,
            true if self.known > 0.0 => self.known,
            _ => self.spread[usize::from(!feasible)].unit,
        }
    }

    /// Returns the turn of a population that it is now. `None`: a solution is cooled alone, or differences are
    /// measured.
    fn turn_of(&self, parameters: &Coolings, part: Option<f64>) -> Option<u64> {
        if self.turns.size <= 1 || self.measuring || self.round > 0 {
            return None;
        }
        let turns = parameters.levels * self.turns.size;
        let over = ((self.over(part) - self.turns.measured) / (1.0 - self.turns.measured)).max(0.0);
        Some(((over * turns as f64) as u64).min(turns - 1))
    }

    /// Decides how many solutions a population has, once it is known how fast neighbours are: a turn has as many
    /// neighbours as a solution has decisions, `count`, or more.
    fn size(&mut self, parameters: &Coolings, over: f64, count: usize) {
        if parameters.population == 1 || self.round > 0 {
            return;
        }
        let expected = if over > 0.0 { self.step as f64 * (1.0 - over) / over } else { f64::INFINITY };
        let room = expected / (parameters.levels as f64 * count.max(1) as f64);
        // Measuring may have taken all of the cooling: then there is no rest for levels, and one solution.
        (self.turns.size, self.turns.measured) =
            ((room as u64).clamp(1, parameters.population), if over < 1.0 { over } else { 0.0 });
    }

    /// The temperature of a population at one of its levels, in units of the cost.
    pub(super) fn temperature_at(&self, parameters: &Coolings, level: u64, feasible: bool) -> f64 {
        self.heat_at(parameters, parameters.level_over(level), 0) * self.unit(feasible)
    }

    /// Returns the temperature in its [unit](Self::unit) when `over` of cooling number `round` of a run is over.
    pub(super) fn heat_at(&self, parameters: &Coolings, over: f64, round: u64) -> f64 {
        let ends = self.quench.temperatures().unwrap_or((parameters.start, parameters.end));
        let cooled = Schedule::Geometric.temperature(ends.0, ends.1, over);
        if round == 0 { cooled } else { cooled * libm::pow(parameters.reheat_factor, round as f64) }
    }

    /// Records the difference of a neighbour that was replayed. It is kept only where the first temperature is
    /// chosen by acceptance.
    pub(super) fn measure_replay(&mut self, parameters: &Coolings, feasible: bool, difference: f64) {
        if self.measuring && feasible && parameters.acceptance().is_some() {
            self.quench.note(self.step, difference);
        }
        self.measure(feasible, difference);
    }

    /// Records a worse neighbour's difference.
    pub(super) fn measure(&mut self, feasible: bool, difference: f64) {
        let spread = &mut self.spread[usize::from(!feasible)];
        // A class that was not met while measuring is measured when it is met first.
        if difference > 0.0 && difference.is_finite() && (self.measuring || spread.count < MEASURED.0) {
            spread.logs += libm::log(difference);
            spread.count += 1;
            spread.unit = libm::exp(spread.logs / spread.count as f64);
        }
    }

    /// Records the difference of a neighbour that was made in place.
    pub(super) fn measure_edit(&mut self, difference: f64) {
        if self.measuring && self.quench.follows_edits {
            self.quench.note(self.step, difference);
        }
        self.measure(true, difference);
    }

    /// Counts a neighbour. `count` is the number of decisions of a solution; returns what follows.
    pub(super) fn tick(&mut self, parameters: &Coolings, part: Option<f64>, count: usize) -> Turn {
        self.step += 1;
        self.total += 1;
        let over = self.over(part);
        let was_measuring = self.measuring;
        if self.measuring {
            let (least, most) = MEASURED;
            let many =
                if self.quench.follows_edits { self.quench.has_ended(self.step, count) } else { self.step >= most };
            let enough = self.step >= least && (many || over >= MEASURING);
            if enough && self.spread.iter().any(|spread| spread.count > 0) || over >= 0.5 {
                self.measuring = false;
                self.quench.choose(parameters.acceptance());
                self.size(parameters, over, count);
                self.plan(parameters, part, count);
            } else if self.step == least {
                // The first differences are those of a solution that is still far from any optimum.
                self.spread = Default::default();
                self.quench.clear();
            }
        }
        let turn = self.turn_of(parameters, part);
        if !self.measuring && (self.step.is_multiple_of(HOLD) || self.heat == 0.0) {
            let over = match turn {
                Some(turn) => parameters.level_over(turn / self.turns.size),
                None => self.over(part),
            };
            self.heat = self.heat_at(parameters, over, self.round);
        }
        match turn {
            _ if self.over(part) >= 1.0 => self.turn(parameters, part),
            Some(turn) if turn != self.turns.begun => Turn::Pass(turn),
            _ if was_measuring && !self.measuring => Turn::Measured,
            _ => Turn::Stay,
        }
    }

    /// Decides how many runs the plan has room for, once it is known how fast neighbours are.
    fn plan(&mut self, parameters: &Coolings, part: Option<f64>, count: usize) {
        let Some(part) = part.filter(|_| self.steps == 0 && self.runs == 0) else { return };
        let expected = if part > 0.0 { self.total as f64 / part } else { f64::INFINITY };
        let room = expected / (count.max(1) as f64 * parameters.depth);
        self.runs = if parameters.runs > 0 { parameters.runs } else { (room as u64).clamp(1, parameters.most) };
        self.to = self.end_of_run(parameters);
    }

    fn turn(&mut self, parameters: &Coolings, part: Option<f64>) -> Turn {
        self.step = 0;
        self.heat = 0.0;
        if self.steps > 0 {
            if self.round < parameters.reheats {
                self.round += 1;
                return Turn::Reheat { of_all: false };
            }
            self.steps = (self.steps as f64 * GROWTH).min(1e15) as u64;
            self.run += 1;
            return if parameters.restarts { Turn::Restart } else { Turn::End };
        }
        let part = part.unwrap_or(1.0);
        self.run += 1;
        if self.run < self.runs && part < 1.0 {
            return Turn::Restart;
        }
        self.round += 1;
        // The coolings that are left share what is left.
        let left = parameters.reheats.max(1).saturating_sub(self.round - 1).max(1);
        (self.from, self.to) = (part, part + (1.0 - part) / left as f64);
        if left == 1 {
            self.to = 1.0;
        }
        if part >= 1.0 {
            // The run continues beyond its plan.
            self.steps = (self.total / 2).max(FIRST);
        }
        Turn::Reheat { of_all: true }
    }
}

impl Schedule {
    /// Returns the temperature when the part `over` of a cooling (0 to 1) from `start` to `end` is over. Both are at
    /// least 0, in any unit.
    #[must_use]
    pub fn temperature(self, start: f64, end: f64, over: f64) -> f64 {
        let cooled = match self {
            // The quotient of the ends has no meaning.
            Self::Geometric if start == 0.0 => 0.0,
            Self::Geometric => start * libm::pow(end / start, over),
            Self::Linear => start + (end - start) * over,
        };
        // The quotient of two ends may be too large for a number.
        cooled.min(f64::MAX)
    }
}

impl Coolings {
    /// The part of a cooling that the temperature of a level of a population belongs to: 0 for the first level, 1 for
    /// the last.
    fn level_over(&self, level: u64) -> f64 {
        level as f64 / (self.levels - 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever part of a cooling measuring takes, the first level makes all solutions.
    #[test]
    fn each_solution_of_a_population_has_a_turn_in_each_level() {
        for (steps, population, size) in
            [(100_000, 24, 24), (20_000, 24, 21), (2_000, 24, 2), (200, 24, 1), (20_000, 3, 3)]
        {
            let parameters = Coolings { population, levels: 60, steps, ..Coolings::default() };
            let mut clock = Clock::default();
            clock.begin(&parameters, None);
            let mut turns = vec![0];
            for _ in 1..steps {
                clock.measure(true, 1.0);
                match clock.tick(&parameters, None, 15) {
                    Turn::Pass(turn) => {
                        clock.turns.begun = turn;
                        turns.push(turn);
                    }
                    turn => assert!(matches!(turn, Turn::Stay | Turn::Measured), "{turn:?}"),
                }
            }
            assert_eq!(clock.turns.size, size, "{steps}");
            let all = if size == 1 { 1 } else { 60 * size };
            assert_eq!(turns, (0..all).collect::<Vec<_>>(), "{steps}");
        }
    }

    /// The whole plan may be over before differences are known, where the budget is small or the run is one of a race.
    #[test]
    fn a_clock_whose_plan_ends_while_measuring_is_accepted_again() {
        let parameters = Coolings { population: 24, ..Coolings::default() };
        for end in [0.4, 0.9, 1.0] {
            let mut clock = Clock::default();
            clock.begin(&parameters, Some(0.0));
            clock.measure(true, 1.0);
            clock.tick(&parameters, Some(end), 15);
            assert!(clock.is_sound(&parameters), "{end}: {clock:?}");
            assert!(clock.turn_of(&parameters, Some(end)).is_none(), "{end}");
        }
    }
}
