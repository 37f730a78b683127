//! Counters, incumbent and best solutions of a stream.

use super::score::{Score, Sense};
use super::solution::{Counters, Improvement, MoveId, Solution, TreeShape};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// Counters, incumbent and best solutions of a stream.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) sense: Sense,
    pub(crate) stream: usize,
    pub(crate) counters: Counters,
    /// The nodes among those counted that are units of a problem's own search, where these are no solutions.
    pub(crate) units: u64,
    /// The tree nodes among those counted.
    pub(crate) tree: TreeShape,
    pub(crate) best: Option<Solution<MoveId>>,
    pub(crate) history: Vec<Improvement>,
    /// How many different solutions are kept beside the incumbent, which is one of them; 0 or 1: the incumbent alone.
    pub(crate) keep: usize,
    /// The best different solutions, best first, each with what identifies it; empty when the incumbent alone is kept.
    pub(crate) kept: Vec<(u128, Solution<MoveId>)>,
    /// Scores of some playouts, for an observer.
    #[serde(skip)]
    pub(crate) sample: Sample,
    /// A score that is not a finite number: the run has to end.
    #[serde(skip)]
    pub(crate) flaw: Option<Score>,
    /// The solutions that have not been replayed since they were kept.
    #[serde(skip)]
    unverified: Unverified,
    /// The time of the run.
    #[serde(skip)]
    pub(crate) clock: Clock,
    /// Whether steps cost something else from now on: another method has its turn. The stream takes it back.
    #[serde(skip)]
    pub(crate) has_switched: bool,
    /// What the stream may count.
    #[serde(skip)]
    pub(crate) limits: Limits,
    /// The value of the best feasible solution that others have found, where exact searches prune by it.
    #[serde(skip)]
    pub(crate) rival: Option<f64>,
}

/// A stream's share of the budget, and what ends it before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) playouts: u64,
    pub(crate) nodes: u64,
    pub(crate) stall: u64,
    /// The worst value that ends the run.
    pub(crate) goal: Option<f64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { playouts: u64::MAX, nodes: u64::MAX, stall: u64::MAX, goal: None }
    }
}

/// Which of the solutions that a tally keeps have not been replayed.
#[derive(Clone, Debug, Default)]
struct Unverified {
    best: bool,
    /// Identities of those kept beside it.
    kept: Vec<u128>,
}

/// The wall-clock time of a run: that of its parts before, and of the present one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    before: Duration,
    since: Option<Instant>,
}

impl Clock {
    /// Returns a clock that continues from `before` since an instant.
    pub(crate) fn running(before: Duration, since: Instant) -> Self {
        Self { before, since: Some(since) }
    }

    /// Returns a clock that stands.
    pub(crate) fn stopped(before: Duration) -> Self {
        Self { before, since: None }
    }

    fn elapsed(self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// Most scores that are sampled between two reports.
const SAMPLED: usize = 512;

/// Feasible scores of evenly spaced playouts. Where no observer asks for them, a playout costs one comparison more.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Playouts of the stream at which the next score is taken.
    due: u64,
    /// Playouts between two scores.
    every: u64,
    /// Playouts of the stream at the last report.
    before: u64,
    scores: Vec<f64>,
    is_watched: bool,
}

impl Default for Sample {
    fn default() -> Self {
        Self { due: u64::MAX, every: 1, before: 0, scores: Vec::new(), is_watched: false }
    }
}

impl Sample {
    /// Begins or ends sampling; `playouts` is the number of playouts made before. What was sampled in the part of the
    /// run before stays.
    pub(crate) fn watch(&mut self, is_watched: bool, playouts: u64) {
        if is_watched != self.is_watched {
            let due = if is_watched { playouts } else { u64::MAX };
            *self = Self { due, before: playouts, is_watched, ..Self::default() };
        }
    }

    /// Whether a later playout's score is taken.
    #[inline]
    pub(crate) fn takes_more(&self) -> bool {
        self.due < u64::MAX
    }

    #[cold]
    fn take(&mut self, playouts: u64, score: Score) {
        self.scores.extend(score.value());
        self.due = if self.scores.len() < SAMPLED { playouts + self.every } else { u64::MAX };
    }

    /// Returns the scores since the last call, and spreads as many as may be kept over as many playouts to come.
    pub(crate) fn report(&mut self, playouts: u64) -> Vec<f64> {
        self.every = (playouts.saturating_sub(self.before) / (SAMPLED as u64 / 2)).max(1);
        (self.before, self.due) = (playouts, playouts);
        std::mem::take(&mut self.scores)
    }
}

impl Tally {
    pub(crate) fn new(sense: Sense, stream: usize, keep: usize) -> Self {
        Self {
            sense,
            stream,
            counters: Counters::default(),
            units: 0,
            tree: TreeShape::default(),
            best: None,
            history: Vec::new(),
            keep,
            kept: Vec::new(),
            sample: Sample::default(),
            flaw: None,
            unverified: Unverified::default(),
            clock: Clock::default(),
            limits: Limits::default(),
            rival: None,
            has_switched: false,
        }
    }

    /// Returns the work counted so far by which streams are compared: playouts, and what own searches do between them.
    #[inline]
    pub(crate) fn made(&self) -> u64 {
        self.counters.playouts.saturating_add(self.units)
    }

    /// Whether a count of the budget is used up.
    pub(crate) fn is_used_up(&self) -> bool {
        let Counters { playouts, nodes } = self.counters;
        let last = self.history.last().map_or(0, |last| last.playouts);
        let Limits { playouts: most, nodes: most_nodes, stall, .. } = self.limits;
        playouts >= most || nodes >= most_nodes || playouts.saturating_sub(last) >= stall
    }

    /// Counts a playout with its score.
    #[inline]
    pub(crate) fn count(&mut self, score: Score) {
        self.counters.playouts += 1;
        if self.counters.playouts >= self.sample.due {
            self.sample.take(self.counters.playouts, score);
        }
        if !score.is_finite() {
            self.note_flaw(score);
        }
    }

    #[cold]
    fn note_flaw(&mut self, score: Score) {
        self.flaw.get_or_insert(score);
    }

    /// Counts a node of a tree, `depth` moves below the root of the problem.
    #[inline]
    pub(crate) fn grow(&mut self, depth: usize) {
        self.counters.nodes += 1;
        self.tree.add(depth);
    }

    /// Takes back a node of a tree that turned out to be another one: `depth` is that of [`grow`](Self::grow).
    #[inline]
    pub(crate) fn shrink(&mut self, depth: usize) {
        self.counters.nodes -= 1;
        self.tree.remove(depth);
    }

    /// Whether a solution of this score would be kept.
    #[inline]
    pub(crate) fn wants(&self, score: Score) -> bool {
        let worst = if self.keep < 2 {
            self.best.as_ref()
        } else if self.kept.len() < self.keep {
            None
        } else {
            self.kept.last().map(|(_, worst)| worst)
        };
        worst.is_none_or(|worst| self.sense.better(score, worst.score))
    }

    /// Returns the value that a feasible score must beat to be kept; `None`: any would be, or the least infeasible one.
    pub(crate) fn to_beat(&self) -> Option<f64> {
        let worst = match self.keep {
            0 | 1 => self.best.as_ref(),
            keep if self.kept.len() < keep => None,
            _ => self.kept.last().map(|(_, worst)| worst),
        };
        worst.and_then(|worst| worst.score.value())
    }

    /// Keeps a solution for which [`wants`](Self::wants) returned true. Solutions with equal identities are the same.
    pub(crate) fn keep(&mut self, solution: Solution<MoveId>, identity: u128) {
        if !solution.score.is_finite() {
            return self.note_flaw(solution.score);
        }
        if self.keep > 1 {
            insert(&mut self.kept, self.sense, self.keep, identity, &solution);
            self.unverified.kept.push(identity);
        }
        if self.is_improved_by(solution.score) {
            let (playouts, stream) = (self.counters.playouts, self.stream);
            let elapsed = self.clock.elapsed();
            self.history.push(Improvement { score: solution.score, playouts, stream, elapsed });
            self.best = Some(solution);
            self.unverified.best = true;
        }
    }

    /// Puts a solution in the place of the best one, whose score it has: it is better by what the score leaves out.
    pub(crate) fn replace_best(&mut self, solution: Solution<MoveId>) {
        if self.best.as_ref().is_some_and(|best| best.score == solution.score && best.moves != solution.moves) {
            self.best = Some(solution);
            self.unverified.best = true;
        }
    }

    /// Returns the solutions kept since the last call that are still kept.
    pub(crate) fn take_unverified(&mut self) -> Vec<Solution<MoveId>> {
        let Unverified { best, kept: identities } = std::mem::take(&mut self.unverified);
        let best = self.best.iter().filter(|_| best);
        let identities: HashSet<u128> = identities.into_iter().collect();
        let kept = self.kept.iter().filter(|(identity, _)| identities.contains(identity)).map(|(_, kept)| kept);
        // The best one is usually the first of those kept.
        let others = kept.filter(|kept| self.best.as_ref() != Some(*kept));
        best.chain(others).cloned().collect()
    }

    pub(crate) fn is_improved_by(&self, score: Score) -> bool {
        self.best.as_ref().is_none_or(|best| self.sense.better(score, best.score))
    }

    /// Keeps what another tally of the same stream has kept, with the improvements in its history.
    pub(crate) fn absorb(&mut self, other: &Self) {
        // A step may have found several: each counts where it was found.
        let mut reached = self.best.as_ref().map(|best| best.score);
        for improvement in &other.history {
            if reached.is_none_or(|reached| self.sense.better(improvement.score, reached)) {
                reached = Some(improvement.score);
                self.history.push(*improvement);
            }
        }
        // In a damaged checkpoint, an entrant can have a best solution that no history has: it is not taken.
        let ours = |best: &&Solution<MoveId>| self.is_improved_by(best.score) && reached == Some(best.score);
        if let Some(best) = other.best.as_ref().filter(ours) {
            self.best = Some(best.clone());
            self.unverified.best = true;
        }
        for (identity, solution) in &other.kept {
            let known = |kept: &(u128, Solution<MoveId>)| {
                kept.0 == *identity && self.sense.at_least(kept.1.score, solution.score)
            };
            if self.wants(solution.score) && !self.kept.iter().any(known) {
                self.keep(solution.clone(), *identity);
            }
        }
    }
}

/// Puts a solution into a list of the `most` best different ones, best first; of equal ones the first stays in front.
pub(crate) fn insert<M: Clone>(
    kept: &mut Vec<(u128, Solution<M>)>,
    sense: Sense,
    most: usize,
    identity: u128,
    solution: &Solution<M>,
) {
    if let Some(at) = kept.iter().position(|(known, _)| *known == identity) {
        if !sense.better(solution.score, kept[at].1.score) {
            return;
        }
        kept.remove(at);
    }
    let place = kept.partition_point(|(_, other)| sense.at_least(other.score, solution.score));
    if place < most {
        kept.insert(place, (identity, solution.clone()));
        kept.truncate(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_sampled_evenly_for_whoever_asks() {
        let mut tally = Tally::new(Sense::Maximize, 0, 1);
        let play = |tally: &mut Tally, count: u64| {
            for _ in 0..count {
                let value = (tally.counters.playouts + 1) as f64;
                tally.count(Score::Feasible(value));
            }
        };
        play(&mut tally, 100);
        assert!(tally.sample.scores.is_empty());
        tally.sample.watch(true, 100);
        tally.count(Score::Infeasible(1.0));
        play(&mut tally, 10);
        assert_eq!(tally.sample.report(111), (102..=111).map(f64::from).collect::<Vec<_>>());
        // At first every score, until there are enough; then as many as fit.
        play(&mut tally, 51_200);
        assert_eq!(tally.sample.report(51_311).len(), SAMPLED);
        play(&mut tally, 51_200);
        let scores = tally.sample.report(102_511);
        assert_eq!((scores.len(), scores[1] - scores[0]), (SAMPLED / 2, 200.0));
    }

    #[test]
    fn the_best_different_solutions_are_kept() {
        let mut tally = Tally::new(Sense::Minimize, 0, 3);
        for (value, identity) in [(5.0, 1), (4.0, 2), (4.0, 1), (7.0, 3), (6.0, 4), (3.0, 2), (9.0, 5)] {
            let score = Score::Feasible(value);
            tally.counters.playouts += 1;
            if tally.wants(score) {
                tally.keep(Solution { score, moves: vec![identity] }, identity.into());
            }
        }
        let kept: Vec<_> = tally.kept.iter().map(|(id, kept)| (*id, kept.score.value().unwrap())).collect();
        assert_eq!(kept, [(2, 3.0), (1, 4.0), (4, 6.0)]);
        assert_eq!(tally.best.unwrap().moves, [2]);
        let improved: Vec<_> = tally.history.iter().map(|event| event.playouts).collect();
        assert_eq!(improved, [1, 2, 6]);
    }
}
