//! Replays of edited solutions with snapshots along the present one.

use super::Anneal;
use super::edits::{Dropped, EDITS, Edit, Fitted, Shape, block, longest_of};
use super::link_costs::Links;
use crate::core::abort::EVERY;
use crate::core::hash::Key;
use crate::core::math;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::erased::replay::{Entry, Pause, Replay};
use crate::search::Context;
use serde::{Deserialize, Serialize};

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

/// Asks for bounds only while they save more moves than they cost.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Pruning {
    calls: u64,
    saved: u64,
    /// Neighbours before bounds are tried again.
    idle: u64,
}

impl Pruning {
    /// Calls after which they are judged, and neighbours for which they are given up.
    const PERIOD: u64 = 256;
    const IDLE: u64 = 16_384;
    /// Moves that a bound costs, as a rule: a bound looks at all that is left to do.
    const COST: u64 = 32;

    fn is_due(&mut self) -> bool {
        let due = self.idle == 0;
        self.idle = self.idle.saturating_sub(1);
        due
    }

    /// Records how many moves a bound has saved.
    fn learn(&mut self, moves: usize) {
        self.calls += 1;
        self.saved = self.saved.saturating_add(moves as u64);
        if self.calls >= Self::PERIOD {
            if self.saved < self.calls.saturating_mul(Self::COST) {
                self.idle = Self::IDLE;
            }
            (self.calls, self.saved) = (0, 0);
        }
    }
}

/// By what a neighbour may meet the present solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meets {
    /// By what can still be done: scores so far may differ.
    Future,
    /// By keys: all is the same.
    Key,
    Never,
}

/// The present solution as entries, with snapshots of the states along it, and the neighbour that is being made.
pub(super) struct Walker {
    pub(super) root: State,
    /// The state of the neighbour.
    pub(super) state: State,
    /// The present solution.
    pub(super) entries: Vec<Entry>,
    /// The neighbour, from the first edited place on.
    pub(super) replay: Replay,
    /// The first edited place, and the one behind the last.
    pub(super) first: usize,
    pub(super) last: usize,
    /// The states after 0, `spacing`, twice as many ... entries; the first `valid` are those of the present
    /// solution.
    snapshots: Vec<State>,
    valid: usize,
    spacing: usize,
    /// How many snapshots the memory allows.
    most: usize,
    /// By what a neighbour may meet the present solution.
    meets: Meets,
    /// What can still be done after each entry of the present solution, and the score so far.
    met: Vec<Option<(Key, f64)>>,
    /// Whether bounds are asked for, and what they have brought.
    prunes: bool,
    pub(super) pruning: Pruning,
    pub(super) longest: u64,
    /// Where the score is a sum of links.
    pub(super) links: Option<Links>,
    /// Whether links were given up.
    pub(super) unlinked: bool,
    /// The weights of the kinds of edits.
    pub(super) kinds: [u64; EDITS.len()],
    /// Whether the kind of solution is still to be looked at, and whether these follow what edits bring.
    pub(super) fits: bool,
    pub(super) adapts: bool,
    /// The kind of solution that edits rely on.
    pub(super) fitted: Fitted,
    pub(super) dropped: Dropped,
    /// Edits that the problem suggests for the present solution; `None`: it was not asked yet.
    suggested: Option<Vec<(usize, usize)>>,
    behind: State,
    pub(super) legal: Vec<MoveId>,
    weights: Vec<f64>,
    playout: Vec<MoveId>,
}

impl Walker {
    pub(super) fn new(problem: &dyn ErasedProblem, parameters: &Anneal, memory: u64) -> Self {
        let root = problem.root();
        let mut legal = Vec::new();
        problem.moves(&root, &mut legal);
        let by_identity = legal.first().is_some_and(|&mv| problem.identity(&root, mv).is_some());
        let first = legal.first().filter(|_| by_identity);
        let links = Links::new(problem, first.and_then(|&mv| problem.identity(&root, mv)), parameters.fit);
        let mut resources = Vec::new();
        problem.resources(&root, &mut resources);
        let meets = if !parameters.meet {
            Meets::Never
        } else if problem.future(&root).is_some() && resources.is_empty() {
            Meets::Future
        } else if problem.key(&root).is_some() {
            Meets::Key
        } else {
            Meets::Never
        };
        let prunes = problem.bound(&root).is_some();
        Self {
            state: root.clone(),
            behind: root.clone(),
            entries: Vec::new(),
            replay: Replay { by_identity, ..Replay::default() },
            first: 0,
            last: 0,
            snapshots: Vec::new(),
            valid: 0,
            spacing: 1,
            // Half is for the states and lists of solutions.
            most: (memory / 2 / problem.state_bytes() as u64).clamp(1, 1 << 32) as usize,
            meets,
            met: Vec::new(),
            prunes,
            pruning: Pruning::default(),
            longest: parameters.longest,
            links,
            unlinked: false,
            kinds: parameters.weights(),
            fits: parameters.fit && !parameters.adapt && parameters.weights() == Anneal::default().weights(),
            adapts: parameters.adapt,
            fitted: Fitted::Any,
            dropped: Dropped::default(),
            suggested: None,
            legal,
            weights: Vec::new(),
            playout: Vec::new(),
            root,
        }
    }

    /// Returns what names a move in other states.
    fn name(&self, problem: &dyn ErasedProblem, state: &State, mv: MoveId) -> u64 {
        if self.replay.by_identity { problem.identity(state, mv).unwrap_or(mv) } else { problem.code(state, mv) }
    }

    /// Makes legal moves from the root the present solution.
    pub(super) fn recode(&mut self, problem: &dyn ErasedProblem, moves: &[MoveId]) {
        self.fit(problem);
        self.entries.clear();
        self.state.clone_from(&self.root);
        for part in moves.chunks(EVERY) {
            if problem.watch().abandons() {
                return;
            }
            for &mv in part {
                let name = self.name(problem, &self.state, mv);
                self.entries.push(Entry { mv, name });
                problem.apply(&mut self.state, mv);
            }
        }
        self.restore(problem);
    }

    /// Rebuilds the snapshots of the present solution.
    pub(super) fn restore(&mut self, problem: &dyn ErasedProblem) {
        self.valid = 0;
        self.respace();
        self.note(problem, 0);
        self.relink(0);
        if !self.suggest(problem) {
            self.kinds[Edit::Suggest as usize] = 0;
        }
    }

    fn suggest(&mut self, problem: &dyn ErasedProblem) -> bool {
        let mut edits = Vec::new();
        let supported = problem.suggest(&self.entries, &mut edits);
        self.suggested = Some(edits);
        supported
    }

    /// The weights of the kinds of edits.
    pub(super) fn kinds(&self) -> &[u64; EDITS.len()] {
        &self.kinds
    }

    /// Chooses the distance of snapshots: a power of two near the square root of the number of entries, or as large as
    /// the memory asks for.
    fn respace(&mut self) {
        let count = self.entries.len();
        let spacing = count.max(16).isqrt().max(count.div_ceil(self.most)).next_power_of_two();
        if spacing != self.spacing {
            self.spacing = spacing;
            self.valid = 0;
        }
    }

    /// Makes snapshot number `at` of `state`.
    fn store(&mut self, at: usize) {
        if at == self.snapshots.len() {
            self.snapshots.push(self.state.clone());
        } else {
            self.snapshots[at].clone_from(&self.state);
        }
        self.valid = at + 1;
    }

    /// Notes what can still be done after each entry from number `first` on, where neighbours are to meet the present
    /// solution.
    fn note(&mut self, problem: &dyn ErasedProblem, first: usize) {
        if self.meets != Meets::Never {
            self.met.truncate(first);
            self.reach(problem, self.met.len());
            let exact = self.meets == Meets::Key;
            problem.meetings(&mut self.state, exact, &self.entries[self.met.len()..], &mut self.met);
        }
    }

    /// Makes `state` the one of the present solution after `count` entries.
    pub(super) fn reach(&mut self, problem: &dyn ErasedProblem, count: usize) {
        if self.valid == 0 {
            self.state.clone_from(&self.root);
            self.store(0);
        }
        let mut at = (count / self.spacing).min(self.valid - 1);
        self.state.clone_from(&self.snapshots[at]);
        while at < count / self.spacing {
            problem.apply_all(&mut self.state, &self.entries[at * self.spacing..(at + 1) * self.spacing]);
            at += 1;
            self.store(at);
        }
        problem.apply_all(&mut self.state, &self.entries[at * self.spacing..count]);
    }

    /// Draws a candidate of `state` by the bias, if possible another than `not`.
    fn draw(&mut self, context: &mut Context<'_>, not: Option<MoveId>) -> Option<MoveId> {
        self.legal.clear();
        context.rollout.candidates(&self.state, &mut self.legal).forgo();
        if let Some(not) = not
            && self.legal.iter().any(|&mv| mv != not)
        {
            self.legal.retain(|&mv| mv != not);
        }
        self.pick(context)
    }

    /// Draws one of the listed moves by the bias.
    pub(super) fn pick(&mut self, context: &mut Context<'_>) -> Option<MoveId> {
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
    fn play(&mut self, problem: &dyn ErasedProblem, mv: MoveId) {
        let name = self.name(problem, &self.state, mv);
        problem.apply(&mut self.state, mv);
        self.replay.played.push(Entry { mv, name });
    }

    /// Edits the present solution: the state is that at the first edited place, the plan holds what follows.
    pub(super) fn edit(&mut self, context: &mut Context<'_>, kind: usize) {
        let count = self.entries.len();
        self.replay.clear();
        self.dropped.clear();
        let edit = EDITS[kind];
        if edit == Edit::Replace && self.fitted == Fitted::Set && count >= 2 {
            return self.exchange(context);
        }
        if edit == Edit::Recreate && count >= 2 {
            return self.recreate(context);
        }
        let permutes = !matches!(edit, Edit::Change | Edit::Replace | Edit::Guide);
        if edit == Edit::Suggest && count >= 2 {
            if self.suggested.is_none() {
                self.suggest(context.problem);
            }
            if let Some(edits) = self.suggested.as_ref().filter(|edits| !edits.is_empty()) {
                let (from, to) = edits[context.rng.index(edits.len())];
                return self.shape(context, Shape::shift(from, to));
            }
        }
        if permutes && count >= 2 {
            let shape = Shape::draw(edit, count, self.longest, context.rng);
            return self.shape(context, shape);
        }
        self.first = context.rng.index(count.max(1)).min(count);
        self.last = usize::MAX;
        self.reach(context.problem, self.first);
        self.replay.plan.extend_from_slice(&self.entries[self.first..]);
        let present = self.replay.plan.first().map(|entry| entry.mv);
        let Some(mv) = self.draw(context, present) else { return };
        let substitutes = edit == Edit::Replace && self.fitted == Fitted::Assignment;
        let place = if substitutes { None } else { self.place_of(context.problem, mv) };
        match place {
            // The candidate is played later on in the present solution: it is moved here, alone or with what follows
            // it.
            Some(at) if at > 0 => {
                let longest = if self.longest == 0 { count as u64 / 2 } else { self.longest };
                let most = if edit == Edit::Guide { longest.max(1).min((count - self.first - at) as u64) } else { 1 };
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

    /// Plays the entries of a block in an order that is drawn by the bias, as far as candidates are among them.
    fn recreate(&mut self, context: &mut Context<'_>) {
        let count = self.entries.len();
        (self.first, self.last) = block(count, longest_of(self.longest, count), context.rng);
        let length = self.last - self.first;
        self.reach(context.problem, self.first);
        self.replay.plan.extend_from_slice(&self.entries[self.first..]);
        while self.replay.head < length {
            self.legal.clear();
            context.rollout.candidates(&self.state, &mut self.legal).forgo();
            let mut legal = std::mem::take(&mut self.legal);
            legal.retain(|&mv| self.place_of(context.problem, mv).is_some_and(|at| at < length));
            self.legal = legal;
            let Some(mv) = self.pick(context) else { return };
            let Some(at) = self.place_of(context.problem, mv) else { return };
            self.replay.plan[self.replay.head..=at].rotate_right(1);
            self.replay.head += 1;
            self.play(context.problem, mv);
        }
    }

    /// Makes an edit of the order.
    pub(super) fn shape(&mut self, context: &mut Context<'_>, shape: Shape) {
        self.replay.clear();
        (self.first, self.last) = (shape.first, shape.last);
        self.replay.plan.extend_from_slice(&self.entries[self.first..]);
        shape.make(&mut self.replay.plan, context.rng);
        self.reach(context.problem, self.first);
    }

    /// Returns the place in the plan of the entry that a move of the state stands for.
    fn place_of(&self, problem: &dyn ErasedProblem, mv: MoveId) -> Option<usize> {
        let head = self.replay.head;
        let mut left = self.replay.plan[head..].iter();
        let at = if self.replay.by_identity {
            let name = problem.identity(&self.state, mv);
            left.position(|entry| Some(entry.name) == name)
        } else {
            left.position(|entry| entry.mv == mv)
        };
        at.map(|at| head + at)
    }

    /// Plays the neighbour to its end. It is not accepted if it costs `most` or more above the present solution, which
    /// costs `cost`; `None`: any cost, and the present solution is infeasible.
    pub(super) fn run(&mut self, context: &mut Context<'_>, cost: Option<f64>, most: f64) -> End {
        let problem = context.problem;
        let mut meets = self.meets != Meets::Never && cost.is_some();
        let worst = cost.map(|cost| (cost + most).max(cost.next_up()));
        let prunes = self.prunes && worst.is_some() && self.pruning.is_due();
        let sign = if problem.sense() == crate::Sense::Maximize { -1.0 } else { 1.0 };
        // Bounds cost as much as many moves: they are asked for in growing distances.
        let mut ahead = 1;
        loop {
            let at = self.first + self.replay.played.len();
            let mark = (at / self.spacing + ahead) * self.spacing;
            let until = match (meets && at < self.last && self.last < self.entries.len(), prunes) {
                (true, true) => mark.min(self.last) - self.first,
                (true, false) => self.last - self.first,
                (false, _) if meets || prunes => mark - self.first,
                (false, _) => usize::MAX,
            };
            match problem.follow(&mut self.state, &mut self.replay, until) {
                Pause::Finished => return End::Finished,
                Pause::Reached => {
                    match if meets { self.meeting(problem) } else { None } {
                        Some(more) if more * sign >= most => return End::Abandoned,
                        Some(_) if self.meets == Meets::Key => return End::Met,
                        // The rest will be the same; what the whole costs is found by playing it.
                        Some(_) => meets = false,
                        None => {}
                    }
                    if prunes && let Some(worst) = worst {
                        let hopeless = problem.bound(&self.state).is_some_and(|bound| bound * sign >= worst);
                        let left = self.entries.len().saturating_sub(self.first + self.replay.played.len());
                        self.pruning.learn(if hopeless { left } else { 0 });
                        if hopeless {
                            return End::Abandoned;
                        }
                        if at >= self.last {
                            ahead *= 2;
                        }
                    }
                }
                Pause::Stuck if self.replay.is_strict => return End::Abandoned,
                Pause::Stuck => {
                    let played = self.replay.played.len();
                    if problem.watch().gives_up(played) {
                        return End::Finished;
                    }
                    // With codes the entries left are tried again after a move that is none of them.
                    let again = !self.replay.by_identity && self.replay.head < self.replay.plan.len();
                    let drawn = if self.dropped.owed > 0 {
                        self.fresh(context)
                    } else if again {
                        self.draw(context, None)
                    } else {
                        None
                    };
                    match drawn {
                        Some(mv) => self.play(problem, mv),
                        None => return self.complete(context),
                    }
                }
            }
        }
    }

    /// How many moves the neighbour has played, at least 1: each neighbour is some work.
    pub(super) fn moves_played(&self) -> u64 {
        (self.replay.played.len() as u64).max(1)
    }

    /// Returns by how much the score so far is above that of the present solution after as many entries, if what can
    /// still be done and the entries behind are the same.
    fn meeting(&self, problem: &dyn ErasedProblem) -> Option<f64> {
        let at = self.first + self.replay.played.len();
        if at < self.last || !self.replay.is_in_step() {
            return None;
        }
        let (key, cost) = (*self.met.get(at.checked_sub(1)?)?)?;
        let (other, score) = problem.meeting(&self.state, self.meets == Meets::Key)?;
        (key == other).then_some(score - cost)
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
    pub(super) fn accept(&mut self, problem: &dyn ErasedProblem, end: End) {
        let at = self.first + self.replay.played.len();
        if end == End::Met {
            self.entries[self.first..at].copy_from_slice(&self.replay.played);
        } else {
            self.entries.truncate(self.first);
            self.entries.extend_from_slice(&self.replay.played);
        }
        self.valid = self.valid.min(self.first / self.spacing + 1);
        self.respace();
        if end == End::Met {
            // Behind the edited part nothing has changed.
            let rest = self.met.split_off(at);
            self.met.truncate(self.first);
            self.reach(problem, self.first);
            let exact = self.meets == Meets::Key;
            problem.meetings(&mut self.state, exact, &self.entries[self.first..at], &mut self.met);
            self.met.extend(rest);
        } else {
            self.note(problem, self.first);
        }
        self.relink(self.first);
        self.suggested = None;
    }
}
