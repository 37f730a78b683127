//! The schedule of a race: whose turn it is, for how long, and what comes next.

use crate::core::limits::MOST;
use serde::{Deserialize, Serialize};

/// How far a run has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    /// Moves made by all methods.
    pub(super) effort: f64,
    /// The part of the planned budget that is over; `None`: nothing is planned.
    pub(super) part: Option<f64>,
}

/// What follows a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The turn continues.
    Stay,
    /// The next one's turn begins.
    Next,
    /// All had their turn: the field is to be halved.
    Halve,
    /// The winner's part of a race without a plan is over: another race is to begin.
    Over,
    /// The last part of the plan begins.
    Polish,
}

/// Rounds with fewer and fewer entrants, then one that has the rest.
///
/// Positions are parts of the budget, or without a plan parts of the effort of the present race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Race {
    /// Rounds that have ended.
    pub(super) round: u64,
    /// Those left, in the order of their turns.
    field: Vec<usize>,
    /// Whose turn it is in the field.
    turn: usize,
    /// Positions between which the turn lasts, and the effort at which it began.
    from: f64,
    to: f64,
    began: f64,
    /// Fractions of the remaining budget, for the last round: one for each entrant but the last, who gets the rest.
    shares: Vec<f64>,
    /// The part of the budget that a round takes.
    share: f64,
    /// Effort at which the race began, and effort that it lasts; used without a plan.
    since: f64,
    length: f64,
    /// The part of the plan at which the winner's turn ends.
    end: f64,
    /// Whether the last part of the plan has begun.
    polishing: bool,
}

impl Race {
    /// Begins a race of `entrants` whose rounds take the part `race` of the budget together, or of the effort `length`;
    /// it ends at the part `end` of the budget.
    pub(super) fn new(entrants: Vec<usize>, race: f64, end: f64, length: f64, now: Progress) -> Self {
        // As many rounds as halvings leave one.
        let rounds = entrants.len().max(2).next_power_of_two().trailing_zeros();
        let over = now.part.unwrap_or(0.0);
        // A race that begins late has its part of what is left.
        let share = if over < race { race - over } else { race * (end - over).max(0.0) } / f64::from(rounds);
        let mut race = Self {
            round: 0,
            field: entrants,
            turn: 0,
            from: 0.0,
            to: 0.0,
            began: 0.0,
            shares: Vec::new(),
            share,
            since: now.effort,
            length,
            end,
            polishing: false,
        };
        race.open(now);
        race
    }

    /// Whether everything read from a checkpoint fits a race of that many entrants.
    pub(super) fn is_sound(&self, entrants: usize, end: f64) -> bool {
        let finite = [self.from, self.to, self.began, self.share, self.since, self.length, self.end]
            .iter()
            .all(|number| number.is_finite());
        let is_shared = self.shares.is_empty()
            || self.shares.len() + 1 == self.field.len() && self.shares.iter().all(|part| (0.0..=1.0).contains(part));
        // What comes behind the end of the race is for the polisher, which there may not be.
        let ends = self.end == if self.polishing { 1.0 } else { end };
        self.round <= MOST
            && finite
            && ends
            && is_shared
            && self.turn < self.field.len()
            && self.field.iter().all(|&at| at < entrants)
            && self.length >= 1.0
    }

    /// The entrant whose turn it is.
    pub(super) fn at(&self) -> usize {
        self.field[self.turn]
    }

    /// Those left.
    pub(super) fn field(&self) -> &[usize] {
        &self.field
    }

    /// Whether the turn is that of the last one left.
    pub(super) fn is_won(&self) -> bool {
        self.turn + 1 == self.field.len() && (self.field.len() == 1 || !self.shares.is_empty())
    }

    /// Whether something that was reached at this effort was reached in the last third of the turn.
    pub(super) fn is_recent(&self, reached: f64, now: Progress) -> bool {
        reached - self.began >= 2.0 / 3.0 * (now.effort - self.began)
    }

    /// The effort of a race that follows this one.
    pub(super) fn next_length(&self) -> f64 {
        self.length * 2.0
    }

    fn position(&self, now: Progress) -> f64 {
        now.part.unwrap_or((now.effort - self.since) / self.length)
    }

    /// Begins a turn.
    fn open(&mut self, now: Progress) {
        (self.from, self.began) = (self.position(now), now.effort);
        let end = if now.part.is_some() { self.end } else { 1.0 };
        self.to = match self.shares.get(self.turn) {
            _ if self.is_won() => end,
            Some(part) => self.from + part * (end - self.from).max(0.0),
            None => self.from + self.share / self.field.len() as f64,
        };
    }

    /// Returns the part of the turn that is over, from 0 to 1.
    pub(super) fn over(&self, now: Progress) -> f64 {
        ((self.position(now) - self.from) / (self.to - self.from).max(1e-12)).clamp(0.0, 1.0)
    }

    /// Says what follows; `ended`: the one whose turn it is can do nothing more.
    pub(super) fn follow(&self, now: Progress, ended: bool) -> Turn {
        if self.polishing && now.part.is_some_and(|part| part < self.from) {
            // The budget has grown.
            return Turn::Over;
        }
        if self.end < 1.0 && now.part.is_some_and(|part| part >= self.end) {
            return Turn::Polish;
        }
        if !ended && self.over(now) < 1.0 {
            return Turn::Stay;
        }
        match self.turn + 1 < self.field.len() {
            true => Turn::Next,
            false if !self.is_won() => Turn::Halve,
            // With a plan the winner has what is left, however much is added to it later.
            false if ended || now.part.is_none() => Turn::Over,
            false => Turn::Stay,
        }
    }

    /// Begins the next one's turn.
    pub(super) fn next(&mut self, now: Progress) {
        self.turn += 1;
        self.open(now);
    }

    /// Gives the last one left the last part of the budget too.
    pub(super) fn extend(&mut self) {
        (self.to, self.end, self.polishing) = (1.0, 1.0, true);
    }

    /// Gives an entrant the last part of the budget.
    pub(super) fn polish(&mut self, entrant: usize, now: Progress) {
        self.halve(vec![entrant], Progress { part: None, ..now });
        (self.from, self.to, self.end, self.polishing) = (self.position(now), 1.0, 1.0, true);
    }

    /// Begins a round of those that stay.
    pub(super) fn halve(&mut self, stay: Vec<usize>, now: Progress) {
        self.divide(stay, Vec::new(), now);
    }

    /// Begins the last round. Each entrant but the last gets a fraction of the budget that remains at its turn.
    pub(super) fn divide(&mut self, field: Vec<usize>, shares: Vec<f64>, now: Progress) {
        self.round += 1;
        (self.field, self.shares, self.turn) = (field, shares, 0);
        self.open(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(part: f64) -> Progress {
        Progress { effort: part * 1000.0, part: Some(part) }
    }

    #[test]
    fn rounds_take_their_part_and_the_winner_has_the_rest() {
        let mut race = Race::new(vec![0, 1, 2, 3], 0.4, 1.0, 1.0, at(0.0));
        let mut turns = Vec::new();
        for step in 0..1000 {
            let now = at(f64::from(step) / 1000.0);
            loop {
                match race.follow(now, false) {
                    Turn::Stay => break,
                    Turn::Next => race.next(now),
                    Turn::Halve => race.halve(race.field()[..race.field().len() / 2].to_vec(), now),
                    Turn::Over | Turn::Polish => unreachable!(),
                }
            }
            turns.push(race.at());
        }
        // Two rounds of 200 thousandths: four turns of 50, two of 100; a turn ends at the first step behind it.
        let count = |entrant| turns.iter().filter(|&&at| at == entrant).count();
        for (entrant, expected) in [(0, 50 + 100 + 600), (1, 150), (2, 50), (3, 50)] {
            assert!(count(entrant).abs_diff(expected) <= 3, "{entrant}: {}", count(entrant));
        }
        assert_eq!(race.follow(at(5.0), false), Turn::Stay);
        assert_eq!(race.follow(at(0.9), true), Turn::Over);
    }

    #[test]
    fn the_last_part_is_for_polishing() {
        let mut race = Race::new(vec![0, 1], 0.5, 0.75, 1.0, at(0.0));
        race.halve(vec![1], at(0.5));
        assert_eq!(race.follow(at(0.74), false), Turn::Stay);
        assert!((race.over(at(0.625)) - 0.5).abs() < 1e-12);
        assert_eq!(race.follow(at(0.75), false), Turn::Polish);
        race.polish(2, at(0.75));
        assert_eq!((race.at(), race.is_won(), race.follow(at(0.9), false)), (2, true, Turn::Stay));
        assert!((race.over(at(0.875)) - 0.5).abs() < 1e-12);
        assert_eq!(race.follow(at(0.9), true), Turn::Over);
        assert_eq!(race.follow(at(0.45), false), Turn::Over, "twice the budget");
        let again = Race::new(vec![0, 1], 0.5, 0.75, 1.0, at(0.6));
        assert!((again.share - 0.075).abs() < 1e-12);
    }

    #[test]
    fn two_may_share_the_rest() {
        let mut race = Race::new(vec![0, 1, 2], 0.2, 1.0, 1.0, at(0.0));
        race.divide(vec![2, 0], vec![0.25], at(0.2));
        assert_eq!((race.at(), race.is_won(), race.follow(at(0.39), false)), (2, false, Turn::Stay));
        assert_eq!(race.follow(at(0.4), false), Turn::Next);
        assert_eq!(race.follow(at(0.3), true), Turn::Next, "the first one has nothing more to do");
        race.next(at(0.4));
        assert_eq!((race.at(), race.is_won(), race.follow(at(0.99), false)), (0, true, Turn::Stay));
        assert!((race.over(at(0.7)) - 0.5).abs() < 1e-12);
        assert_eq!(race.follow(at(0.99), true), Turn::Over);
        assert!(race.is_recent(650.0, at(0.7)) && !race.is_recent(550.0, at(0.7)));
        let mut effort = Race::new(vec![0, 1], 0.2, 1.0, 100.0, Progress { effort: 0.0, part: None });
        effort.divide(vec![1, 0], vec![0.5], Progress { effort: 20.0, part: None });
        assert_eq!(effort.follow(Progress { effort: 61.0, part: None }, false), Turn::Next);
        effort.next(Progress { effort: 61.0, part: None });
        assert_eq!(effort.follow(Progress { effort: 100.0, part: None }, false), Turn::Over);
    }

    #[test]
    fn without_a_plan_a_race_lasts_its_effort() {
        let now = |effort| Progress { effort, part: None };
        let mut race = Race::new(vec![0, 1], 0.5, 1.0, 100.0, now(10.0));
        assert_eq!(race.follow(now(34.0), false), Turn::Stay);
        assert_eq!(race.follow(now(36.0), false), Turn::Next);
        race.next(now(36.0));
        assert!((race.over(now(48.5)) - 0.5).abs() < 1e-12);
        assert_eq!(race.follow(now(61.5), false), Turn::Halve);
        race.halve(vec![1], now(61.5));
        assert_eq!(race.follow(now(109.0), false), Turn::Stay);
        assert_eq!(race.follow(now(110.5), false), Turn::Over);
        assert!((race.next_length() - 200.0).abs() < 1e-12);
    }

    #[test]
    fn one_entrant_has_everything() {
        let race = Race::new(vec![0], 0.3, 1.0, 1.0, at(0.0));
        assert!(race.is_won());
        assert_eq!(race.follow(at(0.99), false), Turn::Stay);
    }
}
