//! Playout policies: differencing, to the end or to labels that are divided optimally.

use super::meet;
use super::model::{Differencing, Labels, SPLIT};
use soloist::Rng;
use soloist::rollout::{Playout, Rollout, RolloutInfo};

/// What [`soloist::problem::Extras::rollouts`] lists.
pub(crate) const INFO: &[RolloutInfo] = &[
    RolloutInfo {
        name: "kk",
        help: "the Karmarkar-Karp heuristic: splits to the end. kk:30: to 30 labels (5 to 40), which are divided optimally",
    },
    RolloutInfo { name: "random", help: "splits and joins with equal chances" },
];

/// A policy by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RolloutKind {
    /// `kk`.
    Heuristic,
    /// `kk:LABELS`.
    Divided(usize),
}

impl RolloutKind {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let (kind, argument) = name.split_once(':').map_or((name, None), |(kind, argument)| (kind, Some(argument)));
        let number = |text: &str| {
            let digits = text.len() <= 3 && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|number| digits && (5..=40).contains(number))
        };
        match (kind, argument) {
            ("kk", None) => Some(Self::Heuristic),
            ("kk", Some(text)) => number(text).map(Self::Divided),
            _ => None,
        }
    }
}

pub(crate) fn build(kind: RolloutKind, problem: &Differencing) -> Box<dyn Rollout<Differencing>> {
    match kind {
        RolloutKind::Heuristic => Box::new(Heuristic::new(problem.words())),
        RolloutKind::Divided(labels) => Box::new(Divided { labels, known: vec![None; Heuristic::PLACES] }),
    }
}

/// The Karmarkar-Karp heuristic. A state has the same completion as the state it was split from: completions are
/// remembered by the joins on the way.
#[derive(Debug)]
struct Heuristic {
    /// The joins, and the depth of the completion; by a hash of the joins.
    known: Vec<Option<(u64, u32)>>,
    /// The words of the differences.
    differences: Vec<u64>,
    words: usize,
}

impl Heuristic {
    const PLACES: usize = 1 << 12;

    fn new(words: usize) -> Self {
        Self { known: vec![None; Self::PLACES], differences: vec![0; words * Self::PLACES], words }
    }
}

/// Splits `state` to its end; returns the moves made.
pub(crate) fn difference(problem: &Differencing, state: &mut Labels) -> usize {
    let mut moves = 0;
    while !problem.finished(state) {
        problem.combine(state, SPLIT);
        moves += 1;
    }
    moves
}

impl Rollout<Differencing> for Heuristic {
    fn run(&mut self, problem: &Differencing, state: &mut Labels, playout: &mut Playout<u16>, _: &mut Rng) {
        if problem.finished(state) {
            return;
        }
        let joins = state.joins();
        let place = (joins >> 13) as usize % Self::PLACES;
        let own = place * self.words..(place + 1) * self.words;
        let depth = state.depth();
        let moves = match self.known[place] {
            Some((known, end)) if known == joins && end >= depth => {
                problem.finish_with(state, &self.differences[own], end);
                (end - depth) as usize
            }
            _ => {
                let moves = difference(problem, state);
                let end = state.depth();
                let value = problem.difference(state);
                problem.finish_with(state, &value, end);
                self.differences[own].copy_from_slice(&value);
                self.known[place] = Some((joins, end));
                moves
            }
        };
        playout.moves.resize(playout.moves.len() + moves, SPLIT);
    }
}

/// A completion by [`Divided`].
#[derive(Clone, Debug)]
struct Division {
    joins: u64,
    /// The depth at which few labels are left.
    few: u32,
    /// The moves from there on, and the difference.
    moves: Vec<u16>,
    difference: Vec<u64>,
}

/// Differencing until few labels are left, which are divided optimally (on their leading 128 bits). Completions are
/// remembered as by [`Heuristic`].
#[derive(Debug)]
struct Divided {
    labels: usize,
    known: Vec<Option<Division>>,
}

impl Rollout<Differencing> for Divided {
    fn run(&mut self, problem: &Differencing, state: &mut Labels, playout: &mut Playout<u16>, _: &mut Rng) {
        if state.len() <= self.labels {
            playout.mark_spent();
        }
        // Of a state with fewer labels the best completion is not that of the states above.
        let starts_above = state.len() >= self.labels;
        let (joins, depth) = (state.joins(), state.depth());
        let known = &mut self.known[(joins >> 13) as usize % Heuristic::PLACES];
        if let Some(division) = known
            && division.joins == joins
            && division.few >= depth
        {
            playout.moves.resize(playout.moves.len() + (division.few - depth) as usize, SPLIT);
            playout.moves.extend_from_slice(&division.moves);
            problem.finish_with(state, &division.difference, division.few + division.moves.len() as u32);
            return;
        }
        while state.len() > self.labels && !problem.finished(state) {
            problem.combine(state, SPLIT);
            playout.moves.push(SPLIT);
        }
        if problem.finished(state) {
            return;
        }
        let few = state.depth();
        let mut right = vec![false; problem.count()];
        for (side, &slot) in optimal(state).into_iter().zip(state.slots()) {
            right[usize::from(slot)] = side;
        }
        let mut moves = Vec::new();
        problem.follow(state, &right, &mut moves);
        playout.moves.extend_from_slice(&moves);
        if starts_above {
            let difference = problem.difference(state);
            *known = Some(Division { joins, few, moves, difference });
        }
    }
}

/// Returns the sides of an optimal division of the leading bits of at most 64 labels.
pub(crate) fn optimal(labels: &Labels) -> Vec<bool> {
    let (_, set) = meet::solve(labels.keys());
    (0..labels.len()).map(|at| set >> at & 1 == 1).collect()
}
