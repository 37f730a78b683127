//! Replays of edited solutions with snapshots along the present one.

use super::Anneal;
use super::edits::{EDITS, Edit, permute};
use crate::math;
use crate::problem::MoveId;
use crate::problem::replay::{Entry, Pause, Replay};
use crate::problem::rules::{Rules, State};
use crate::search::Context;

/// How a replay ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// In a finished state, made by the entries alone.
    Finished,
    /// In a finished state; the rollout has completed it.
    Completed,
    /// In a state of the present solution: the rest is the same.
    Met,
    /// Given up, because it cannot pass the threshold.
    Abandoned,
}

/// The present solution as entries, with snapshots of the states along it, and the neighbour that is being made.
pub(super) struct Walker {
    pub(super) root: State,
    /// The state of the neighbour.
    pub(super) state: State,
    /// The present solution.
    pub(super) entries: Vec<Entry>,
    /// The neighbour, from the first edited place on.
    replay: Replay,
    /// The first edited place, and the one behind the last.
    first: usize,
    last: usize,
    /// The states after 0, `spacing`, twice as many ... entries, of which the first `valid` are those of the present solution,
    /// and their keys.
    snapshots: Vec<State>,
    keys: Vec<Option<u64>>,
    valid: usize,
    spacing: usize,
    /// Whether states have keys, by which a neighbour may meet the present solution.
    meets: bool,
    /// Whether bounds are asked for.
    prunes: bool,
    longest: u64,
    behind: State,
    legal: Vec<MoveId>,
    weights: Vec<f64>,
    playout: Vec<MoveId>,
}

impl Walker {
    pub(super) fn new(problem: &dyn Rules, parameters: &Anneal) -> Self {
        let root = problem.root();
        let mut legal = Vec::new();
        problem.moves(&root, &mut legal);
        let by_identity = legal.first().is_some_and(|&mv| problem.identity(&root, mv).is_some());
        let prunes = parameters.prune && problem.bound(&root).is_some() && problem.surrogate(&root).is_none();
        Self {
            state: root.clone(),
            behind: root.clone(),
            entries: Vec::new(),
            replay: Replay { by_identity, patience: parameters.waiting as usize, ..Replay::default() },
            first: 0,
            last: 0,
            snapshots: Vec::new(),
            keys: Vec::new(),
            valid: 0,
            spacing: 1,
            meets: problem.key(&root).is_some(),
            prunes,
            longest: parameters.longest,
            legal,
            weights: Vec::new(),
            playout: Vec::new(),
            root,
        }
    }

    /// Returns what names a move in other states.
    fn name(&self, problem: &dyn Rules, state: &State, mv: MoveId) -> u64 {
        if self.replay.by_identity { problem.identity(state, mv).unwrap_or(mv) } else { problem.code(state, mv) }
    }

    /// Makes legal moves from the root the present solution.
    pub(super) fn recode(&mut self, problem: &dyn Rules, moves: &[MoveId]) {
        self.entries.clear();
        self.state.clone_from(&self.root);
        for &mv in moves {
            let name = self.name(problem, &self.state, mv);
            self.entries.push(Entry { mv, name });
            problem.apply(&mut self.state, mv);
        }
        self.restore(problem);
    }

    /// Rebuilds the snapshots of the present solution.
    pub(super) fn restore(&mut self, problem: &dyn Rules) {
        self.valid = 0;
        self.respace();
        self.extend(problem);
    }

    /// Chooses the distance of snapshots: a power of two near the square root of the number of entries.
    fn respace(&mut self) {
        let spacing = self.entries.len().max(16).isqrt().next_power_of_two();
        if spacing != self.spacing {
            self.spacing = spacing;
            self.valid = 0;
        }
    }

    /// Makes snapshot number `at` of `state`.
    fn store(&mut self, problem: &dyn Rules, at: usize) {
        if at == self.snapshots.len() {
            self.snapshots.push(self.state.clone());
            self.keys.push(None);
        } else {
            self.snapshots[at].clone_from(&self.state);
        }
        self.keys[at] = if self.meets { problem.key(&self.state) } else { None };
        self.valid = at + 1;
    }

    /// Makes all snapshots, where neighbours are to meet them.
    fn extend(&mut self, problem: &dyn Rules) {
        if self.meets {
            self.reach(problem, self.entries.len());
        }
    }

    /// Makes `state` the one of the present solution after `count` entries.
    fn reach(&mut self, problem: &dyn Rules, count: usize) {
        if self.valid == 0 {
            self.state.clone_from(&self.root);
            self.store(problem, 0);
        }
        let mut at = (count / self.spacing).min(self.valid - 1);
        self.state.clone_from(&self.snapshots[at]);
        while at < count / self.spacing {
            problem.apply_all(&mut self.state, &self.entries[at * self.spacing..(at + 1) * self.spacing]);
            at += 1;
            self.store(problem, at);
        }
        problem.apply_all(&mut self.state, &self.entries[at * self.spacing..count]);
    }

    /// Draws a candidate of `state` by the bias, if possible another than `not`.
    fn draw(&mut self, context: &mut Context<'_>, not: Option<MoveId>) -> Option<MoveId> {
        self.legal.clear();
        context.rollout.candidates(&self.state, &mut self.legal);
        if let Some(not) = not
            && self.legal.iter().any(|&mv| mv != not)
        {
            self.legal.retain(|&mv| mv != not);
        }
        let first = *self.legal.first()?;
        self.weights.clear();
        self.weights.extend(self.legal.iter().map(|&mv| context.problem.bias(&self.state, mv)));
        let top = self.weights.iter().fold(f64::NEG_INFINITY, |top, &bias| top.max(bias));
        if !top.is_finite() || self.weights.iter().all(|&bias| bias == top) {
            return Some(self.legal[context.rng.index(self.legal.len())]);
        }
        let mut total = 0.0;
        for weight in &mut self.weights {
            total += math::exp(*weight - top);
            *weight = total;
        }
        let draw = context.rng.unit() * total;
        let at = self.weights.partition_point(|&sum| sum <= draw);
        Some(self.legal.get(at).copied().unwrap_or(first))
    }

    /// Plays a move of the neighbour that is no entry of the plan.
    fn play(&mut self, problem: &dyn Rules, mv: MoveId) {
        let name = self.name(problem, &self.state, mv);
        problem.apply(&mut self.state, mv);
        self.replay.played.push(Entry { mv, name });
    }

    /// Edits the present solution: the state is that at the first edited place, the plan holds what follows.
    pub(super) fn edit(&mut self, context: &mut Context<'_>, kind: usize) {
        let count = self.entries.len();
        self.replay.clear();
        let edit = EDITS[kind];
        let permutes = !matches!(edit, Edit::Change | Edit::Replace | Edit::Remove | Edit::Guide);
        if permutes && count >= 2 {
            (self.first, self.last) =
                permute(edit, &self.entries, self.longest, &mut self.replay.plan, context.rng);
            return self.reach(context.problem, self.first);
        }
        self.first = context.rng.index(count.max(1)).min(count);
        self.last = usize::MAX;
        self.reach(context.problem, self.first);
        self.replay.plan.extend_from_slice(&self.entries[self.first..]);
        if edit == Edit::Remove && count > 0 {
            self.replay.head = 1;
            return;
        }
        let present = self.replay.plan.first().map(|entry| entry.mv);
        let Some(mv) = self.draw(context, present) else { return };
        let place = self.place_of(context.problem, mv);
        match place {
            // The candidate is played later on in the present solution: it is moved here, alone or with what follows it.
            Some(at) if at > 0 => {
                let most = if edit == Edit::Guide { self.longest.max(1).min((count - self.first - at) as u64) } else { 1 };
                let length = 1 + context.rng.index(most as usize);
                if edit == Edit::Replace {
                    self.replay.plan.swap(0, at);
                    self.last = self.first + at + 1;
                } else {
                    self.replay.plan[..at + length].rotate_right(length);
                    self.last = self.first + at + length;
                }
            }
            _ => {
                if edit == Edit::Replace && count > 0 {
                    self.replay.head = 1;
                    self.last = self.first + 1;
                }
                self.play(context.problem, mv);
            }
        }
    }

    /// Returns the place in the plan of the entry that a move of the state stands for.
    fn place_of(&self, problem: &dyn Rules, mv: MoveId) -> Option<usize> {
        if !self.replay.by_identity {
            return self.replay.plan.iter().position(|entry| entry.mv == mv);
        }
        let name = problem.identity(&self.state, mv);
        self.replay.plan.iter().position(|entry| Some(entry.name) == name)
    }

    /// Plays the neighbour to its end. `worst` is the cost that it must stay below; `None`: any.
    pub(super) fn run(&mut self, context: &mut Context<'_>, worst: Option<f64>) -> End {
        let problem = context.problem;
        let checks = self.meets || self.prunes && worst.is_some();
        let sign = if problem.sense() == crate::Sense::Maximize { -1.0 } else { 1.0 };
        loop {
            let at = self.first + self.replay.played.len();
            let until = if checks { (at / self.spacing + 1) * self.spacing - self.first } else { usize::MAX };
            match problem.follow(&mut self.state, &mut self.replay, until) {
                Pause::Finished => return End::Finished,
                Pause::Reached => {
                    let mark = (self.first + self.replay.played.len()) / self.spacing;
                    if self.meets && self.has_met(problem, mark) {
                        return End::Met;
                    }
                    if self.prunes
                        && let Some(worst) = worst
                        && problem.bound(&self.state).is_some_and(|bound| bound * sign >= worst)
                    {
                        return End::Abandoned;
                    }
                }
                Pause::Stuck => {
                    // With codes the entries left are tried again after a move that is none of them.
                    let again = !self.replay.by_identity && self.replay.head < self.replay.plan.len();
                    match if again { self.draw(context, None) } else { None } {
                        Some(mv) => self.play(problem, mv),
                        None => return self.complete(context),
                    }
                }
            }
        }
    }

    /// Whether the neighbour is in the state of snapshot `mark`, and the entries behind it are those of the present solution.
    fn has_met(&self, problem: &dyn Rules, mark: usize) -> bool {
        let at = self.first + self.replay.played.len();
        at >= self.last
            && self.replay.is_in_step()
            && mark < self.valid
            && self.keys[mark].is_some()
            && problem.key(&self.state) == self.keys[mark]
    }

    /// Lets the rollout play on from `state`.
    fn complete(&mut self, context: &mut Context<'_>) -> End {
        let problem = context.problem;
        self.behind.clone_from(&self.state);
        self.playout.clear();
        context.rollout.run(&mut self.state, &mut self.playout, context.rng);
        if self.playout.is_empty() {
            return End::Finished;
        }
        for i in 0..self.playout.len() {
            let mv = self.playout[i];
            let name = self.name(problem, &self.behind, mv);
            problem.apply(&mut self.behind, mv);
            self.replay.played.push(Entry { mv, name });
        }
        End::Completed
    }

    /// Returns the moves of the neighbour.
    pub(super) fn moves(&self, moves: &mut Vec<MoveId>) {
        moves.clear();
        moves.extend(self.entries[..self.first].iter().chain(&self.replay.played).map(|entry| entry.mv));
    }

    /// Makes the neighbour the present solution.
    pub(super) fn accept(&mut self, problem: &dyn Rules, end: End) {
        let at = self.first + self.replay.played.len();
        if end == End::Met {
            self.entries[self.first..at].copy_from_slice(&self.replay.played);
        } else {
            self.entries.truncate(self.first);
            self.entries.extend_from_slice(&self.replay.played);
        }
        self.valid = self.valid.min(self.first / self.spacing + 1);
        self.respace();
        self.extend(problem);
    }
}
