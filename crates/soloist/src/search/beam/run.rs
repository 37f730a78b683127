//! The layers of a beam as a step machine: a step expands one state, or makes one playout.

use super::beam_state::{
    Buffers, Child, Entry, Games, LayerStates, Listed, NONE, Pass, Ranked, Rivals, Room, Round, Trial, effort,
};
use super::evaluate_child::{Judge, Judged, Measure, Origin};
use super::merge::{Future, Merger, Saved};
use super::parallel::Crew;
use super::parents::{Links, ROOT};
use super::rank::{chance_of, list_moves};
use super::{Beam, Tie};
use crate::core::abort::EVERY;
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::coverage::{Ceiling, Ledger};
use crate::core::limits::ensure;
use crate::core::score::rank;
use crate::core::solution::Solution;
use crate::erased::problem::{ErasedProblem, State};
use crate::erased::{MoveId, validate};
use crate::rollout::policy::Policy;
use crate::search::shared::children::optimistic;
use crate::search::shared::seen::Seen;
use crate::search::step::Unfinished;
use crate::search::{Context, Search, Status, replay};
use crate::{Score, Sense};
use std::cmp::Reverse;
use std::sync::Arc;

/// Places that a beam has however little memory there is, unless they take more bytes than `ALWAYS`.
const NARROWEST: usize = 64;
const ALWAYS: usize = 1 << 20;
/// Children are thinned out when their number exceeds that of the places by this factor.
const SLACK: usize = 4;
/// A round has no more passes than this: a layer with more states is not split.
const MOST_STARTS: usize = 100_000;

pub(crate) struct BeamSearch {
    parameters: Beam,
    room: Room,
    pub(super) round: Round,
    games: Games,
    pub(super) pass: Pass,
    links: Links,
    rivals: Rivals,
    /// Layers of the pass, those before a resume not counted.
    layers: usize,
    /// The best ceiling that passes have shown.
    shown: Ceiling,
    pub(super) judge: Judge,
    /// The threads that expand entries ahead of their turn, where there is more than one.
    pub(super) crew: Option<Crew>,
    root: State,
    pub(super) states: LayerStates,
    listed: Listed,
    pub(super) child: State,
    buffers: Buffers,
}

impl BeamSearch {
    pub(crate) fn new(parameters: Beam, problem: &dyn ErasedProblem, memory: u64) -> Self {
        let root = problem.root();
        // A quarter is for the keys.
        let merges = parameters.merge && problem.future(&root).is_some();
        let place = 2 * problem.state_bytes()
            + if merges { SLACK * Merger::bytes(problem, &root) } else { 0 }
            + SLACK * 2 * size_of::<Child>()
            + 2 * size_of::<Entry>()
            + 4 * size_of::<(u32, MoveId)>();
        let most = usize::try_from(memory / 4 * 3).unwrap_or(usize::MAX) / place;
        let narrowest = NARROWEST.min(ALWAYS / place).max(1);
        Self {
            room: Room { places: most.clamp(narrowest, ROOT as usize / 8), memory, state: problem.state_bytes() },
            round: Round { number: 0, starts: Vec::new(), at: 0, ledger: Ledger::open(), effort: 0 },
            games: Games::default(),
            pass: Pass::new(0.0, 0, Vec::new()),
            links: Links::new(),
            rivals: Rivals {
                seen: Seen::new(memory / 4),
                merger: merges.then(|| Merger::new(problem.sense())),
                future: Future::default(),
                beaten: 0,
            },
            layers: 0,
            shown: Ceiling::UNKNOWN,
            judge: Judge::new(&parameters, problem, merges),
            crew: None,
            states: LayerStates { before: vec![root.clone()], own: Vec::new(), replayed: false },
            listed: Listed::default(),
            child: root.clone(),
            buffers: Buffers { state: root.clone(), path: Vec::new(), playout: Vec::new(), parents: Vec::new() },
            root,
            parameters,
        }
    }

    /// A round begins, with its first pass.
    fn begin_round(&mut self, context: &mut Context<'_>, width: f64) {
        let most = MOST_STARTS.min(self.room.places / 4);
        let mut starts = vec![Vec::new()];
        let mut ledger = Ledger::open();
        'layers: for _ in 0..self.parameters.split {
            let mut next = Vec::new();
            for start in &starts {
                let state = self.after(context.problem, start);
                ledger.note(list_moves(self.parameters.selective, context, &state, &mut self.listed.moves));
                if next.len() + self.listed.moves.len().max(1) > most {
                    break 'layers;
                }
                if self.listed.moves.is_empty() {
                    next.push(start.clone());
                }
                next.extend(self.listed.moves.iter().map(|&mv| [start.as_slice(), &[mv]].concat()));
            }
            starts = next;
        }
        context.rng.shuffle(&mut starts);
        self.round = Round { number: self.round.number + 1, starts, at: 0, ledger, effort: effort(context.tally) };
        self.begin(context, width);
    }

    /// Whether states have playouts that decide ties.
    pub(super) fn has_trials(&self) -> bool {
        self.parameters.tie == Tie::Playouts
    }

    /// Writes the moves from the root to a link of the present pass into `path`.
    pub(super) fn path_to(&self, link: u32, path: &mut Vec<MoveId>) {
        self.links.path(self.round.start(), link, path);
    }

    /// Returns the state after `moves`.
    pub(super) fn after(&self, problem: &dyn ErasedProblem, moves: &[MoveId]) -> State {
        let mut state = self.root.clone();
        moves.iter().for_each(|&mv| problem.apply(&mut state, mv));
        state
    }

    /// Begins a pass: one layer with the present start.
    fn begin(&mut self, context: &mut Context<'_>, width: f64) {
        self.links.clear();
        self.layers = 0;
        self.rivals.forget();
        self.states.before.clear();
        self.states.before.push(self.after(context.problem, self.round.start()));
        self.states.replayed = false;
        self.crew.iter_mut().for_each(Crew::dismiss);
        let root = Entry { parent: 0, mv: None, link: ROOT, chance: 0.0 };
        self.pass = Pass { doubtful: !self.judge.sharp, ..Pass::new(width, context.rng.next_u64(), vec![root]) };
        self.judge.salt = self.pass.salt;
    }

    /// A finished solution: the moves to `link`, then `more`. Its path is only written down when it is wanted.
    ///
    /// `key`: that of its final state, where the tally wants the solution.
    fn consider(&mut self, context: &mut Context<'_>, score: Score, key: Option<u128>, link: u32, more: &[MoveId]) {
        let best = self.pass.best.as_ref().is_none_or(|(best, _)| self.judge.sense.better(score, *best));
        let wanted = context.tally.wants(score);
        if best || wanted {
            self.links.path(self.round.start(), link, &mut self.buffers.path);
            if wanted {
                context.keep_keyed(score, key, &self.buffers.path, more);
            }
            if best {
                self.buffers.path.extend_from_slice(more);
                self.pass.best = Some((score, self.buffers.path.clone()));
            }
        }
    }

    /// Plays a game of the rollout between two rounds.
    fn play_game(&mut self, context: &mut Context<'_>) {
        let Buffers { state, playout, .. } = &mut self.buffers;
        playout.clear();
        state.clone_from(&self.root);
        context.rollout.run(state, playout, context.rng);
        let score = context.finish(state, &[], playout);
        self.games.owed = self.games.owed.saturating_sub(playout.len().max(1) as u64);
        self.games.enter(false, score, self.judge.sense);
    }

    /// Puts the state of the entry at `at` into `self.states.own` and lists its moves.
    fn unfold(&mut self, context: &mut Context<'_>, at: usize) {
        let problem = context.problem;
        let entry = self.pass.layer[at];
        let parent = &self.states.before[if self.states.replayed { at } else { entry.parent as usize }];
        match self.states.own.get_mut(at) {
            Some(state) => state.clone_from(parent),
            None => self.states.own.push(parent.clone()),
        }
        if let Some(mv) = entry.mv
            && !self.states.replayed
        {
            problem.apply(&mut self.states.own[at], mv);
        }
        let coverage = list_moves(self.parameters.selective, context, &self.states.own[at], &mut self.listed.moves);
        self.pass.ledger.note(coverage);
        self.judge.ranker.list_chances(problem, &self.states.own[at], &self.listed.moves, &mut self.listed.chances);
    }

    /// Begins with the next entry of the layer.
    fn open(&mut self, context: &mut Context<'_>) {
        let at = self.pass.next;
        self.pass.next += 1;
        self.unfold(context, at);
        if self.listed.moves.is_empty() {
            return self.score_leaf(context, at);
        }
        let state = &self.states.own[at];
        let hopeful = |value| self.judge.sense.better_value(optimistic(context.problem, state), value);
        if context.incumbent().is_none_or(hopeful) {
            self.pass.place = Some(0);
            if !self.parameters.prune {
                context.tally.counters.nodes += self.listed.moves.len() as u64;
            }
        }
    }

    /// Scores the finished state of the entry at `at`.
    pub(super) fn score_leaf(&mut self, context: &mut Context<'_>, at: usize) {
        let state = &self.states.own[at];
        let score = context.probe_leaf(state);
        let key = context.wanted_key(score, state);
        self.consider(context, score, key, self.pass.layer[at].link, &[]);
    }

    /// Continues with the children of the open entry: one playout, or all children where no playouts are made.
    fn go_on(&mut self, context: &mut Context<'_>) {
        let at = self.pass.next - 1;
        while let Some(place) = self.pass.place {
            if place % EVERY == EVERY - 1 && context.problem.watch().abandons() {
                return;
            }
            let Some(&mv) = self.listed.moves.get(place) else {
                self.pass.place = None;
                self.thin_out(false);
                return;
            };
            let trial = self.pass.trial.take().or_else(|| self.try_child(context, at, place));
            if let Some(trial) = trial
                && self.parameters.tie == Tie::Playouts
            {
                if self.try_out(context, at, mv, trial) {
                    self.pass.place = Some(place + 1);
                }
                return;
            }
            if let Some(Trial { rank: merit, mix, chance, .. }) = trial {
                let tie = self.judge.ranker.tie(context.problem, &self.child, chance);
                self.keep(context, (merit, tie, mix), at, mv, chance);
            }
            self.pass.place = Some(place + 1);
        }
    }

    /// Puts child number `place` of the entry at `at` into `self.child` and ranks it. `None`: it cannot survive.
    fn try_child(&mut self, context: &Context<'_>, at: usize, place: usize) -> Option<Trial> {
        let problem = context.problem;
        let Entry { link, chance, .. } = self.pass.layer[at];
        problem.child(&self.states.own[at], self.listed.moves[place], &mut self.child);
        let chance = chance + chance_of(&self.listed.chances, place);
        let measure = Measure { incumbent: context.incumbent(), cut: self.pass.cut, is_ahead: false };
        let origin = Origin { link, at, place };
        let judged = self.judge.judge(problem, &self.child, origin, measure, &mut self.rivals.future)?;
        let mut future = std::mem::take(&mut self.rivals.future);
        let admitted = self.admit(judged, &future.ranks, chance);
        std::mem::swap(&mut self.rivals.future, &mut future);
        admitted
    }

    /// Admits a judged child, unless it cannot survive beside those that came before it. `ranks`: those of its
    /// resources.
    #[inline]
    pub(super) fn admit(&mut self, judged: Judged, ranks: &[u64], chance: f64) -> Option<Trial> {
        if judged.is_doubtful {
            self.pass.doubtful = true;
        }
        if self.is_cut(judged.best) {
            return None;
        }
        let worth = judged.worth?;
        if let Some(merger) = &mut self.rivals.merger {
            // A state at least as good may be known.
            merger.take(worth.future, ranks);
            if merger.is_beaten() {
                return None;
            }
        }
        if self.is_cut(worth.rank) {
            return None;
        }
        let known = worth.key.is_some_and(|key| self.rivals.seen.seen(key));
        (!known).then_some(Trial { rank: worth.rank, mix: worth.mix, chance, spent: 0, best: None })
    }

    /// Drops a child below the present cut.
    #[inline]
    fn is_cut(&mut self, rank: u64) -> bool {
        let cut = rank < self.pass.cut;
        if cut {
            self.pass.drop_ranked(rank);
        }
        cut
    }

    /// Makes a playout from the state in `self.child`. Returns whether it was its last.
    fn try_out(&mut self, context: &mut Context<'_>, at: usize, mv: MoveId, mut trial: Trial) -> bool {
        let mut playout = std::mem::take(&mut self.buffers.playout);
        playout.clear();
        playout.push(mv);
        self.buffers.state.clone_from(&self.child);
        context.rollout.run(&mut self.buffers.state, &mut playout, context.rng);
        let score = context.probe(&self.buffers.state);
        let key = context.wanted_key(score, &self.buffers.state);
        self.consider(context, score, key, self.pass.layer[at].link, &playout);
        self.buffers.playout = playout;
        trial.spent += 1;
        if trial.best.is_none_or(|best| self.judge.sense.better(score, best)) {
            trial.best = Some(score);
        }
        if trial.spent < self.parameters.playouts {
            self.pass.trial = Some(trial);
            return false;
        }
        // Any feasible score before any other.
        let tie = match trial.best {
            Some(Score::Feasible(value)) => rank(self.judge.sense, value) / 2 + (1 << 63),
            Some(Score::Infeasible(degree)) => rank(Sense::Minimize, degree) / 2,
            None => 0,
        };
        self.keep(context, (trial.rank, tie, trial.mix), at, mv, trial.chance);
        true
    }

    /// Adds the child in `self.child`. (Inlined: a call would copy its arguments.)
    #[inline(always)]
    pub(super) fn keep(&mut self, context: &mut Context<'_>, merit: Ranked, at: usize, mv: MoveId, chance: f64) {
        let mut child = Child { merit, parent: at as u32, entry: NONE, mv, chance };
        if self.rivals.merger.is_some() && !self.merge(&mut child) {
            return;
        }
        self.pass.children.push(child);
        if self.parameters.prune {
            context.tally.counters.nodes += 1;
        }
    }

    /// Enters a child into the merger. Returns false when it has taken the place of one that it beats.
    #[inline(never)]
    fn merge(&mut self, child: &mut Child) -> bool {
        let (Some(merger), children) = (&mut self.rivals.merger, &mut self.pass.children) else { return true };
        let (entry, instead) = merger.add(children.len() as u32);
        child.entry = entry;
        for beaten in merger.beaten.drain(..) {
            children[beaten as usize].parent = NONE;
            self.rivals.beaten += 1;
        }
        if let Some(place) = instead {
            children[place as usize] = *child;
        }
        instead.is_none()
    }

    /// Keeps as many children as there are places, once there are many more or `all` have come.
    pub(super) fn thin_out(&mut self, all: bool) {
        let pass = &mut self.pass;
        let places = (pass.width as usize).clamp(1, self.room.places);
        let most = if all { places } else { places * SLACK };
        let listed = pass.children.len();
        if listed <= most && (!all || self.rivals.beaten == 0) {
            return;
        }
        // Those that are beaten do not count: when a layer is cut must not depend on how long they stay listed.
        if !all && listed - self.rivals.beaten <= most && self.rivals.beaten * 2 < listed {
            return;
        }
        if self.rivals.beaten > 0 {
            pass.children.retain(|child| child.parent != NONE);
            self.rivals.beaten = 0;
        }
        if pass.children.len() > most {
            let order = |child: &Child| Reverse((child.merit, child.parent));
            let (_, _, dropped) = pass.children.select_nth_unstable_by_key(places - 1, order);
            let best = dropped.iter().map(|child| child.merit.0).fold(0, u64::max);
            pass.drop_ranked(best);
            pass.cut = pass.children[places - 1].merit.0;
            pass.children.truncate(places);
        }
        if let Some(merger) = &mut self.rivals.merger {
            merger.rebuild(pass.children.iter_mut().map(|child| &mut child.entry).zip(0..));
        }
    }

    /// Makes the children the next layer. Returns false when there are none.
    fn next_layer(&mut self) -> bool {
        self.thin_out(true);
        let pass = &mut self.pass;
        if !pass.doubtful {
            let best = pass.children.iter().map(|child| child.merit.0).max();
            pass.ceiling.lower(best, &pass.ledger);
            self.shown.lower(best, &pass.ledger);
        }
        // Children of the same parent together: their states are near.
        pass.children.sort_unstable_by_key(|child| (child.parent, Reverse(child.merit)));
        self.buffers.parents.clear();
        self.buffers.parents.extend(pass.layer.iter().map(|entry| entry.link));
        pass.layer.clear();
        for child in pass.children.drain(..) {
            let link = self.links.push(self.buffers.parents[child.parent as usize], child.mv);
            pass.layer.push(Entry { parent: child.parent, mv: Some(child.mv), link, chance: child.chance });
        }
        self.links.sweep(pass.layer.iter_mut().map(|entry| &mut entry.link));
        self.states.replayed = false;
        pass.next = 0;
        pass.cut = 0;
        self.rivals.forget();
        std::mem::swap(&mut self.states.before, &mut self.states.own);
        !self.pass.layer.is_empty()
    }
}

impl Search for BeamSearch {
    fn step(&mut self, context: &mut Context<'_>) -> Status {
        if self.games.owed > 0 {
            self.play_game(context);
            return Status::Running;
        }
        if self.pass.layer.is_empty() {
            let first = self.round.number == 0;
            let width = if first { self.parameters.width as f64 } else { self.pass.width * self.parameters.widen };
            self.begin_round(context, width);
        }
        match self.pass.place {
            None if self.goes_ahead() => self.advance_together(context),
            None => self.open(context),
            Some(place) if self.listed.stale => {
                // After a resume: what the open entry offers is found again.
                let at = self.pass.next - 1;
                self.unfold(context, at);
                self.child.clone_from(&self.states.own[at]);
                if let Some(&mv) = self.listed.moves.get(place) {
                    context.problem.apply(&mut self.child, mv);
                    if let Some(merger) = &mut self.rivals.merger {
                        merger.read(context.problem, &self.child);
                    }
                }
            }
            Some(_) => {}
        }
        self.listed.stale = false;
        if self.pass.place.is_some() {
            self.go_on(context);
        }
        let over = self.pass.next >= self.pass.layer.len() && self.pass.place.is_none();
        if !over {
            return Status::Running;
        }
        let more = self.next_layer();
        self.layers += 1;
        if self.layers.is_multiple_of(EVERY) && context.problem.watch().gives_up(self.layers) {
            return Status::Running;
        }
        if let Some(proof) = self.shown.proof(self.judge.sense, context.incumbent()) {
            return Status::Exhausted(proof);
        }
        if more {
            return Status::Running;
        }
        self.round.ledger.merge(&self.pass.ledger);
        if let Some((score, moves)) = self.pass.best.take() {
            self.games.enter(true, score, self.judge.sense);
            Arc::make_mut(&mut self.judge.ranker).learn(context.problem, &self.root, &moves);
        }
        self.round.at += 1;
        if self.round.at < self.round.starts.len() {
            self.begin(context, self.pass.width);
        } else if let Some(proof) = self.round.ledger.proof(self.judge.sense, context.incumbent()) {
            return Status::Exhausted(proof);
        } else if !self.parameters.restarts || self.round.effort == effort(context.tally) {
            return Status::Completed;
        } else if self.parameters.plays_games() {
            self.games.grant(effort(context.tally).saturating_sub(self.round.effort), self.judge.sense);
        }
        Status::Running
    }

    fn set_workers(&mut self, workers: usize) {
        self.crew = (workers > 1).then(|| Crew::new(workers, self.room.memory, self.room.state));
    }

    fn completion(&self, problem: &dyn ErasedProblem, run: &Unfinished) -> Option<Solution<MoveId>> {
        self.complete(problem, run)
    }

    fn open_bound(&self) -> Option<f64> {
        Some(self.shown.bound(self.judge.sense)).filter(|bound| bound.is_finite())
    }

    fn save(&self) -> Vec<u8> {
        let mut pass = self.pass.clone();
        pass.children.retain(|child| child.parent != NONE);
        let merged = self.rivals.merger.as_ref().map(|merger| merger.save(&pass.children));
        encode(&(
            &self.round,
            &self.games,
            &pass,
            &self.links,
            &self.rivals.seen,
            &self.judge.ranker.policy,
            merged,
            self.shown,
        ))
    }

    fn load(&mut self, problem: &dyn ErasedProblem, bytes: &[u8]) -> Result<(), CheckpointError> {
        type Whole = (Round, Games, Pass, Links, Seen, Option<Policy>, Option<Vec<Saved>>, Ceiling);
        let (round, games, mut pass, links, seen, policy, merged, shown) = decode::<Whole>(bytes)?;
        let corrupt = Err(CheckpointError::Corrupt("a beam"));
        if !self.judge.ranker.is_like(policy.as_ref()) || merged.is_some() != self.rivals.merger.is_some() {
            return corrupt;
        }
        if let (Some(merger), Some(merged)) = (&mut self.rivals.merger, merged) {
            merger.load(&mut pass.children, merged)?;
        }
        for start in &round.starts {
            replay(problem, start)?;
        }
        if let Some((score, moves)) = &pass.best {
            validate::solution(problem, moves, *score)?;
        }
        shown.check(self.judge.sense)?;
        let shows = shown <= pass.ceiling && (self.judge.sharp || shown == Ceiling::UNKNOWN);
        ensure(pass.width.is_finite() && pass.width >= 0.0 && shows, "a beam")?;
        (self.rivals.beaten, self.shown) = (0, shown);
        ensure(games.is_sound(), "the games of a beam")?;
        (self.round, self.games) = (round, games);
        (self.pass, self.links, self.rivals.seen) = (pass, links, seen);
        Arc::make_mut(&mut self.judge.ranker).policy = policy;
        self.judge.salt = self.pass.salt;
        self.rivals.seen.resume(self.room.memory / 4)?;
        let pass = &self.pass;
        self.listed.stale = pass.place.is_some();
        if pass.layer.is_empty() {
            return if self.listed.stale { corrupt } else { Ok(()) };
        }
        let sound = self.round.at < self.round.starts.len()
            && (pass.next < pass.layer.len() || self.listed.stale && pass.next == pass.layer.len())
            && (!self.listed.stale || pass.next > 0)
            && pass.children.iter().all(|child| (child.parent as usize) < pass.next)
            && self.links.is_sound(pass.layer.iter().map(|entry| entry.link));
        if !sound {
            return corrupt;
        }
        // States are not stored: each is replayed from the start of the pass, whose links were checked.
        let start = replay(problem, self.round.start())?;
        validate::replay_tree(problem, &start, self.links.len(), |at| self.links.edge(at), |_, _| true)?;
        self.states.before.clear();
        self.states.own.clear();
        self.states.replayed = true;
        for (at, entry) in self.pass.layer.iter().enumerate() {
            self.links.path(&[], entry.link, &mut self.buffers.path);
            let mut state = start.clone();
            self.buffers.path.iter().for_each(|&mv| problem.apply(&mut state, mv));
            if at < self.pass.next {
                self.states.own.push(state.clone());
            }
            self.states.before.push(state);
        }
        let mut legal: (Option<u32>, Vec<MoveId>) = (None, Vec::new());
        for child in &self.pass.children {
            if legal.0 != Some(child.parent) {
                legal.0 = Some(child.parent);
                legal.1.clear();
                problem.moves(&self.states.before[child.parent as usize], &mut legal.1);
            }
            ensure(legal.1.contains(&child.mv), "an illegal move")?;
        }
        Ok(())
    }
}
