//! Replays of edited solutions with snapshots along the present one.

use super::edits::{Dropped, EDITS, Edit, Fitted, Shape};
use super::link_costs::Links;
use super::{Anneal, Editing, Weights};
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

impl Meets {
    fn new(problem: &dyn ErasedProblem, root: &State, meet: bool) -> Self {
        let mut resources = Vec::new();
        problem.resources(root, &mut resources);
        if !meet {
            Self::Never
        } else if problem.future(root).is_some() && resources.is_empty() {
            Self::Future
        } else if problem.key(root).is_some() {
            Self::Key
        } else {
            Self::Never
        }
    }
}

/// Where a neighbour may meet the present solution.
struct Meetings {
    by: Meets,
    /// What can still be done after each entry of the present solution, and the score so far.
    known: Vec<Option<(Key, f64)>>,
}

/// States of the present solution: those after 0, `spacing`, twice as many ... entries.
struct Snapshots {
    states: Vec<State>,
    /// How many of them are those of the present solution.
    valid: usize,
    spacing: usize,
    /// How many the memory allows.
    most: usize,
}

impl Snapshots {
    fn new(problem: &dyn ErasedProblem, memory: u64) -> Self {
        // Half is for the states and lists of solutions.
        let most = (memory / 2 / problem.state_bytes() as u64).clamp(1, 1 << 32) as usize;
        Self { states: Vec::new(), valid: 0, spacing: 1, most }
    }

    /// Chooses the distance for a solution of `count` entries: a power of two near the square root, or as large as the
    /// memory asks for.
    fn respace(&mut self, count: usize) {
        let spacing = count.max(16).isqrt().max(count.div_ceil(self.most)).next_power_of_two();
        if spacing != self.spacing {
            self.spacing = spacing;
            self.valid = 0;
        }
    }

    /// Makes snapshot number `at` of `state`.
    fn store(&mut self, at: usize, state: &State) {
        match self.states.get_mut(at) {
            Some(snapshot) => snapshot.clone_from(state),
            None => self.states.push(state.clone()),
        }
        self.valid = at + 1;
    }
}

/// Which edits are drawn, and what they rely on.
pub(super) struct Choice {
    /// The weights of the kinds of edits.
    pub(super) weights: [u64; EDITS.len()],
    /// The most entries of a block, as the parameter says.
    pub(super) longest: u64,
    /// Whether the kind of solution is still to be looked at.
    pub(super) fits: bool,
    /// Whether the weights follow what edits bring.
    pub(super) adapts: bool,
    /// The kind of solution that edits rely on.
    pub(super) fitted: Fitted,
}

impl Choice {
    fn new(parameters: &Anneal) -> Self {
        let Editing { fit, adapt, longest, .. } = parameters.editing;
        Self {
            weights: parameters.weights.by_kind(),
            longest,
            fits: fit && !adapt && parameters.weights == Weights::default(),
            adapts: adapt,
            fitted: Fitted::Any,
        }
    }
}

/// Rooms that are used again.
pub(super) struct Buffers {
    state: State,
    pub(super) legal: Vec<MoveId>,
    weights: Vec<f64>,
    playout: Vec<MoveId>,
}

/// The present solution as entries, with snapshots of the states along it, and the neighbour that is being made.
pub(super) struct Walker {
    pub(super) root: State,
    /// The state of the neighbour.
    pub(super) state: State,
    /// The present solution.
    pub(super) entries: Vec<Entry>,
    snapshots: Snapshots,
    /// Edits that the problem suggests for the present solution; `None`: it was not asked yet.
    suggested: Option<Vec<(usize, usize)>>,
    /// The neighbour, from the first edited place on.
    pub(super) replay: Replay,
    /// The first edited place, and the one behind the last.
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) dropped: Dropped,
    pub(super) choice: Choice,
    meetings: Meetings,
    /// What bounds have brought. `None`: the problem has none.
    pub(super) pruning: Option<Pruning>,
    /// Where the score is a sum of links.
    pub(super) links: Option<Links>,
    /// Whether links were given up.
    pub(super) unlinked: bool,
    pub(super) buffers: Buffers,
}

impl Walker {
    pub(super) fn new(problem: &dyn ErasedProblem, parameters: &Anneal, memory: u64) -> Self {
        let root = problem.root();
        let mut legal = Vec::new();
        problem.moves(&root, &mut legal);
        let by_identity = legal.first().is_some_and(|&mv| problem.identity(&root, mv).is_some());
        let first = legal.first().filter(|_| by_identity);
        let links = Links::new(problem, first.and_then(|&mv| problem.identity(&root, mv)), parameters.editing.fit);
        Self {
            state: root.clone(),
            entries: Vec::new(),
            snapshots: Snapshots::new(problem, memory),
            suggested: None,
            replay: Replay { by_identity, ..Replay::default() },
            first: 0,
            last: 0,
            dropped: Dropped::default(),
            choice: Choice::new(parameters),
            meetings: Meetings { by: Meets::new(problem, &root, parameters.editing.meet), known: Vec::new() },
            pruning: problem.bound(&root).map(|_| Pruning::default()),
            links,
            unlinked: false,
            buffers: Buffers { state: root.clone(), legal, weights: Vec::new(), playout: Vec::new() },
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
        self.snapshots.valid = 0;
        self.snapshots.respace(self.entries.len());
        self.note(problem, 0);
        self.relink(0);
        if !self.suggest(problem) {
            self.choice.weights[Edit::Suggest as usize] = 0;
        }
    }

    fn suggest(&mut self, problem: &dyn ErasedProblem) -> bool {
        let mut edits = Vec::new();
        let supported = problem.suggest(&self.entries, &mut edits);
        self.suggested = Some(edits);
        supported
    }

    /// Notes what can still be done after each entry from number `first` on, where neighbours are to meet the present
    /// solution.
    fn note(&mut self, problem: &dyn ErasedProblem, first: usize) {
        if self.meetings.by != Meets::Never {
            self.meetings.known.truncate(first);
            self.reach(problem, self.meetings.known.len());
            let exact = self.meetings.by == Meets::Key;
            problem.meetings(
                &mut self.state,
                exact,
                &self.entries[self.meetings.known.len()..],
                &mut self.meetings.known,
            );
        }
    }

    /// Makes `state` the one of the present solution after `count` entries.
    pub(super) fn reach(&mut self, problem: &dyn ErasedProblem, count: usize) {
        let Self { root, state, snapshots, entries, .. } = self;
        if snapshots.valid == 0 {
            state.clone_from(root);
            snapshots.store(0, state);
        }
        let spacing = snapshots.spacing;
        let mut at = (count / spacing).min(snapshots.valid - 1);
        state.clone_from(&snapshots.states[at]);
        while at < count / spacing {
            problem.apply_all(state, &entries[at * spacing..(at + 1) * spacing]);
            at += 1;
            snapshots.store(at, state);
        }
        problem.apply_all(state, &entries[at * spacing..count]);
    }

    /// Draws a candidate of `state` by the bias, if possible another than `not`.
    fn draw(&mut self, context: &mut Context<'_>, not: Option<MoveId>) -> Option<MoveId> {
        self.buffers.legal.clear();
        context.rollout.candidates(&self.state, &mut self.buffers.legal).forgo();
        if let Some(not) = not
            && self.buffers.legal.iter().any(|&mv| mv != not)
        {
            self.buffers.legal.retain(|&mv| mv != not);
        }
        self.pick(context)
    }

    /// Draws one of the listed moves by the bias.
    pub(super) fn pick(&mut self, context: &mut Context<'_>) -> Option<MoveId> {
        let first = *self.buffers.legal.first()?;
        self.buffers.weights.clear();
        self.buffers.weights.extend(self.buffers.legal.iter().map(|&mv| context.problem.bias(&self.state, mv)));
        let top = self.buffers.weights.iter().fold(f64::NEG_INFINITY, |top, &bias| top.max(bias));
        if !top.is_finite() || self.buffers.weights.iter().all(|&bias| bias == top) {
            return Some(self.buffers.legal[context.rng.index(self.buffers.legal.len())]);
        }
        let mut total = 0.0;
        for weight in &mut self.buffers.weights {
            total += math::exp(*weight - top);
            *weight = total;
        }
        let draw = context.rng.unit() * total;
        let at = self.buffers.weights.partition_point(|&sum| sum <= draw);
        Some(self.buffers.legal.get(at).copied().unwrap_or(first))
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
        if edit == Edit::Replace && self.choice.fitted == Fitted::Set && count >= 2 {
            return self.exchange(context);
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
            let shape = Shape::draw(edit, count, self.choice.longest, context.rng);
            return self.shape(context, shape);
        }
        self.first = context.rng.index(count.max(1)).min(count);
        self.last = usize::MAX;
        self.reach(context.problem, self.first);
        self.replay.plan.extend_from_slice(&self.entries[self.first..]);
        let present = self.replay.plan.first().map(|entry| entry.mv);
        let Some(mv) = self.draw(context, present) else { return };
        let substitutes = edit == Edit::Replace && self.choice.fitted == Fitted::Assignment;
        let place = if substitutes { None } else { self.place_of(context.problem, mv) };
        match place {
            // The candidate is played later on in the present solution: it is moved here, alone or with what follows
            // it.
            Some(at) if at > 0 => {
                let longest = if self.choice.longest == 0 { count as u64 / 2 } else { self.choice.longest };
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
        let mut meets = self.meetings.by != Meets::Never && cost.is_some();
        let worst = cost.map(|cost| (cost + most).max(cost.next_up()));
        let prunes = worst.is_some() && self.pruning.as_mut().is_some_and(Pruning::is_due);
        let sign = if problem.sense() == crate::Sense::Maximize { -1.0 } else { 1.0 };
        // Bounds cost as much as many moves: they are asked for in growing distances.
        let mut ahead = 1;
        loop {
            let at = self.first + self.replay.played.len();
            let mark = (at / self.snapshots.spacing + ahead) * self.snapshots.spacing;
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
                        Some(_) if self.meetings.by == Meets::Key => return End::Met,
                        // The rest will be the same; what the whole costs is found by playing it.
                        Some(_) => meets = false,
                        None => {}
                    }
                    if prunes && let Some(worst) = worst {
                        let hopeless = problem.bound(&self.state).is_some_and(|bound| bound * sign >= worst);
                        let left = self.entries.len().saturating_sub(self.first + self.replay.played.len());
                        if let Some(pruning) = &mut self.pruning {
                            pruning.learn(if hopeless { left } else { 0 });
                        }
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
        let (key, cost) = (*self.meetings.known.get(at.checked_sub(1)?)?)?;
        let (other, score) = problem.meeting(&self.state, self.meetings.by == Meets::Key)?;
        (key == other).then_some(score - cost)
    }

    /// Lets the rollout play on from `state`.
    fn complete(&mut self, context: &mut Context<'_>) -> End {
        let problem = context.problem;
        self.buffers.state.clone_from(&self.state);
        self.buffers.playout.clear();
        context.rollout.run(&mut self.state, &mut self.buffers.playout, context.rng);
        if self.buffers.playout.is_empty() {
            return End::Finished;
        }
        for i in 0..self.buffers.playout.len() {
            let mv = self.buffers.playout[i];
            let name = self.name(problem, &self.buffers.state, mv);
            problem.apply(&mut self.buffers.state, mv);
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
        self.snapshots.valid = self.snapshots.valid.min(self.first / self.snapshots.spacing + 1);
        self.snapshots.respace(self.entries.len());
        if end == End::Met {
            // Behind the edited part nothing has changed.
            let rest = self.meetings.known.split_off(at);
            self.meetings.known.truncate(self.first);
            self.reach(problem, self.first);
            let exact = self.meetings.by == Meets::Key;
            problem.meetings(&mut self.state, exact, &self.entries[self.first..at], &mut self.meetings.known);
            self.meetings.known.extend(rest);
        } else {
            self.note(problem, self.first);
        }
        self.relink(self.first);
        self.suggested = None;
    }
}
