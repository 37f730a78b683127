//! A problem as searches see it: states without their type, moves as integers.
//!
//! Searches are compiled once, for `dyn ErasedProblem` and [`dyn
//! ErasedRollout`](crate::erased::rollout::ErasedRollout). [`ProblemAdapter`] and
//! [`RolloutAdapter`](crate::erased::rollout::RolloutAdapter) stand between them and a user's [`Problem`] and
//! [`Rollout`](crate::rollout::Rollout): the code that is compiled for each problem. A playout crosses the border once,
//! so that its loop stays monomorphised.

use crate::core::abort::{EVERY, Watch};
use crate::core::hash::{Key, stable_hash};
use crate::core::user_error::Fault;
use crate::erased::across::{VOID, across, replay};
use crate::erased::replay::{Entry, Pause, Replay, follow};
use crate::erased::{MoveCodec, MoveId};
use crate::problem::{Entrant, Facts, Problem, SearchInfo, search_infos};
use crate::rollout::Uniform;
use crate::rollout::policy::{Policy, Trace};
use crate::{Score, Sense};
use std::any::Any;
use std::cell::Cell;
use std::error::Error;
use std::ops::Deref;
use std::sync::Arc;

/// A problem that is borrowed or shared, and the moves that every solution of the run begins with.
///
/// Searches see the state after these moves as the root, because they ask [`ProblemRef::root`].
pub(crate) struct ProblemRef<'p, P: Problem> {
    problem: Held<'p, P>,
    prefix: Arc<[P::Move]>,
    /// The state after the prefix, if there is one.
    begun: Option<P::State>,
}

enum Held<'p, P> {
    Borrowed(&'p P),
    Counted(Arc<P>),
}

impl<'p, P: Problem> ProblemRef<'p, P> {
    pub(crate) fn borrowed(problem: &'p P) -> Self {
        Self { problem: Held::Borrowed(problem), prefix: [].into(), begun: None }
    }

    pub(crate) fn counted(problem: Arc<P>) -> Self {
        Self { problem: Held::Counted(problem), prefix: [].into(), begun: None }
    }

    /// Returns the problem without moves that every solution begins with.
    pub(crate) fn plain(&self) -> Self {
        Self { problem: self.problem.clone(), prefix: [].into(), begun: None }
    }

    /// Plays the moves that every solution begins with.
    ///
    /// # Errors
    /// The first move that is not legal, counted from 0.
    pub(crate) fn begin(&mut self, prefix: &[P::Move]) -> Result<(), usize> {
        let (mut state, mut legal) = (P::root(self), Vec::new());
        for (at, &mv) in prefix.iter().enumerate() {
            legal.clear();
            self.moves(&state, &mut legal);
            if !legal.contains(&mv) {
                return Err(at);
            }
            self.apply(&mut state, mv);
        }
        (self.prefix, self.begun) = (prefix.into(), (!prefix.is_empty()).then_some(state));
        Ok(())
    }

    /// The moves that every solution begins with.
    pub(crate) fn prefix(&self) -> &Arc<[P::Move]> {
        &self.prefix
    }

    /// Whether every solution begins with given moves.
    pub(crate) fn is_begun(&self) -> bool {
        self.begun.is_some()
    }

    /// Returns the state that searches begin with.
    #[inline]
    pub(crate) fn root(&self) -> P::State {
        self.begun.clone().unwrap_or_else(|| P::root(self))
    }

    /// Returns the problem's own searches that can be used: none behind a prefix, because they make whole solutions.
    pub(crate) fn searches(&self) -> Vec<SearchInfo> {
        if self.is_begun() { Vec::new() } else { search_infos(&**self) }
    }

    /// Returns the methods that the problem names and that can be used.
    pub(crate) fn portfolio(&self) -> Vec<Entrant> {
        let mut entrants = self.extras().portfolio();
        if self.is_begun() {
            let own = search_infos(&**self);
            entrants.retain(|entrant| own.iter().all(|info| info.name != entrant.method()));
        }
        entrants
    }
}

impl<P> Clone for Held<'_, P> {
    fn clone(&self) -> Self {
        match self {
            Self::Borrowed(problem) => Self::Borrowed(*problem),
            Self::Counted(problem) => Self::Counted(Arc::clone(problem)),
        }
    }
}

impl<P: Problem> Clone for ProblemRef<'_, P> {
    fn clone(&self) -> Self {
        Self { problem: self.problem.clone(), prefix: Arc::clone(&self.prefix), begun: self.begun.clone() }
    }
}

impl<P: Problem> Deref for ProblemRef<'_, P> {
    type Target = P;
    #[inline]
    fn deref(&self) -> &P {
        match &self.problem {
            Held::Borrowed(problem) => problem,
            Held::Counted(problem) => problem,
        }
    }
}

/// A state of the problem.
pub(crate) struct State(Box<dyn AnyState>);

trait AnyState: Any + Send {
    fn boxed(&self) -> Box<dyn AnyState>;
    fn copy_from(&mut self, other: &dyn AnyState);
}

impl<S: Clone + Send + 'static> AnyState for S {
    fn boxed(&self) -> Box<dyn AnyState> {
        Box::new(self.clone())
    }
    fn copy_from(&mut self, other: &dyn AnyState) {
        self.clone_from(typed(other));
    }
}

/// All states of a run are of its problem's type.
const FOREIGN: &str = "a state of this problem";

#[inline]
fn typed<S: 'static>(state: &dyn AnyState) -> &S {
    (state as &dyn Any).downcast_ref().expect(FOREIGN)
}

impl State {
    fn new<S: Clone + Send + 'static>(state: S) -> Self {
        Self(Box::new(state))
    }

    #[inline]
    pub(super) fn get<S: 'static>(&self) -> &S {
        typed(&*self.0)
    }

    #[inline]
    pub(super) fn get_mut<S: 'static>(&mut self) -> &mut S {
        (&mut *self.0 as &mut dyn Any).downcast_mut().expect(FOREIGN)
    }
}

impl Clone for State {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
    #[inline]
    fn clone_from(&mut self, other: &Self) {
        self.0.copy_from(&*other.0);
    }
}

/// The rules as searches see them; see [`Problem`] for the meaning of each method.
pub(crate) trait Rules {
    fn sense(&self) -> Sense;
    fn root(&self) -> State;
    /// Appends the legal moves.
    fn moves(&self, state: &State, moves: &mut Vec<MoveId>);
    /// Appends at most `most` of the legal moves, from place `from` of their list on; lists all of them.
    fn moves_from(&self, state: &State, from: usize, most: usize, moves: &mut Vec<MoveId>);
    /// Whether there is no legal move.
    fn is_finished(&self, state: &State) -> bool;
    fn apply(&self, state: &mut State, mv: MoveId);
    /// Makes `child` the state after a move.
    fn child(&self, state: &State, mv: MoveId, child: &mut State);
    fn score(&self, state: &State) -> Score;
    fn code(&self, state: &State, mv: MoveId) -> u64;
    /// Whether the code of a move is the default one, which names the move alone.
    fn has_plain_code(&self, state: &State, mv: MoveId) -> bool;
    /// Plays a move and returns the code that it had before.
    fn play(&self, state: &mut State, mv: MoveId) -> u64;
    fn facts(&self) -> &Facts;
    /// Returns how a move is written in a message.
    fn describe(&self, mv: MoveId) -> String;
    /// Returns the bytes of a state with what it points to.
    fn state_bytes(&self) -> usize;
}

/// What moves and states are worth, and which states are equal; see [`Problem`].
pub(crate) trait Merits {
    /// Whether the problem has a [`Prior`](crate::problem::Prior).
    fn has_prior(&self) -> bool;
    fn bias(&self, state: &State, mv: MoveId) -> f64;
    fn bound(&self, state: &State) -> Option<f64>;
    fn potential(&self, state: &State) -> Option<f64>;
    fn key(&self, state: &State) -> Option<Key>;
    fn future(&self, state: &State) -> Option<(Key, f64)>;
    /// Appends the numbers that are compared beside the score so far.
    fn resources(&self, state: &State, resources: &mut Vec<f64>);
    /// Returns the stable hash of two numbers and a move.
    fn salted(&self, salt: u64, place: u64, mv: MoveId) -> u64;
    /// Returns a key of a sequence of moves.
    fn hash_of(&self, moves: &[MoveId]) -> Key;
    /// Returns what distinguishes a finished solution from others: its key, or its moves where it has none.
    fn solution_key(&self, end: &State, moves: &[MoveId]) -> Key {
        self.key(end).unwrap_or_else(|| self.hash_of(moves))
    }
}

/// How edited solutions are replayed; see [`Ordering`](crate::problem::Ordering).
pub(crate) trait Replays {
    fn identity(&self, state: &State, mv: MoveId) -> Option<u64>;
    fn link(&self, before: Option<u64>, behind: Option<u64>) -> Option<f64>;
    fn suggest(&self, entries: &[Entry], edits: &mut Vec<(usize, usize)>) -> bool;
    /// Plays entries; see [`follow`].
    fn follow(&self, state: &mut State, replay: &mut Replay, until: usize) -> Pause;
    /// Plays the moves of entries, which are legal.
    fn apply_all(&self, state: &mut State, entries: &[Entry]);
    /// Returns the future of a state, or with `exact` its key, as what can still be done and the score so far.
    fn meeting(&self, state: &State, exact: bool) -> Option<(Key, f64)>;
    /// Plays the moves of entries, which are legal, and appends the [`meeting`](Self::meeting) after each.
    fn meetings(&self, state: &mut State, exact: bool, entries: &[Entry], met: &mut Vec<Option<(Key, f64)>>);
}

/// What searches ask of a problem: its rules, its knowledge, and what a run needs beside them.
pub(crate) trait ErasedProblem: Rules + Merits + Replays + Send {
    /// Whether the problem has rollouts of its own.
    fn has_rollouts(&self) -> bool;
    fn portfolio(&self) -> Vec<Entrant>;
    fn searches(&self) -> &[SearchInfo];
    /// Records legal moves from `state` on as a policy playout among all legal moves.
    fn record(&self, state: &mut State, policy: &Policy, trace: &mut Trace<MoveId>, moves: &[MoveId]);
    /// Returns the cut of the run.
    fn watch(&self) -> &Watch;
    /// Returns the same problem with the same cut for another thread of the stream.
    fn twin(&self) -> Box<dyn ErasedProblem + '_>;
    /// Whether the problem has reported an error, or the present step is abandoned.
    fn has_failed(&self) -> bool;
    /// Takes that error out.
    fn take_error(&self) -> Option<Box<dyn Error + Send + Sync>>;
}

/// The rules of a user's problem, for one stream.
pub(crate) struct ProblemAdapter<'p, P: Problem> {
    problem: ProblemRef<'p, P>,
    packing: MoveCodec<P::Move>,
    watch: Watch,
    facts: Facts,
    searches: Vec<SearchInfo>,
    buffer: Cell<Vec<P::Move>>,
}

impl<'p, P: Problem> ProblemAdapter<'p, P> {
    pub(crate) fn new(problem: ProblemRef<'p, P>, facts: Facts, packing: MoveCodec<P::Move>, watch: Watch) -> Self {
        let searches = problem.searches();
        Self { problem, packing, watch, facts, searches, buffer: Cell::new(Vec::new()) }
    }

    #[inline]
    fn get<'s>(&self, state: &'s State) -> &'s P::State {
        state.get()
    }
}

impl<P: Problem> Rules for ProblemAdapter<'_, P> {
    fn sense(&self) -> Sense {
        self.problem.sense()
    }
    fn root(&self) -> State {
        State::new(self.problem.root())
    }
    fn moves(&self, state: &State, moves: &mut Vec<MoveId>) {
        let mut listed = self.buffer.take();
        listed.clear();
        self.problem.moves(self.get(state), &mut listed);
        self.packing.append(&listed, moves);
        self.buffer.set(listed);
    }
    fn moves_from(&self, state: &State, from: usize, most: usize, moves: &mut Vec<MoveId>) {
        let mut listed = self.buffer.take();
        listed.clear();
        self.problem.moves(self.get(state), &mut listed);
        let from = from.min(listed.len());
        let to = from.saturating_add(most).min(listed.len());
        self.packing.append(&listed[from..to], moves);
        self.buffer.set(listed);
    }
    fn is_finished(&self, state: &State) -> bool {
        let mut listed = self.buffer.take();
        listed.clear();
        self.problem.moves(self.get(state), &mut listed);
        let finished = listed.is_empty();
        self.buffer.set(listed);
        finished
    }
    fn apply(&self, state: &mut State, mv: MoveId) {
        self.problem.apply(state.get_mut(), self.packing.known(mv));
    }
    fn child(&self, state: &State, mv: MoveId, child: &mut State) {
        let child: &mut P::State = child.get_mut();
        child.clone_from(self.get(state));
        self.problem.apply(child, self.packing.known(mv));
    }
    fn score(&self, state: &State) -> Score {
        // A game that was given up has no score.
        if self.watch.is_void() { VOID } else { self.problem.score(self.get(state)) }
    }
    fn code(&self, state: &State, mv: MoveId) -> u64 {
        self.problem.code(self.get(state), self.packing.known(mv))
    }
    fn has_plain_code(&self, state: &State, mv: MoveId) -> bool {
        let mv = self.packing.known(mv);
        self.problem.code(self.get(state), mv) == stable_hash(&mv)
    }
    fn play(&self, state: &mut State, mv: MoveId) -> u64 {
        let (state, mv) = (state.get_mut(), self.packing.known(mv));
        let code = self.problem.code(state, mv);
        self.problem.apply(state, mv);
        code
    }
    fn facts(&self) -> &Facts {
        &self.facts
    }
    fn describe(&self, mv: MoveId) -> String {
        format!("{:?}", self.packing.known(mv))
    }
    fn state_bytes(&self) -> usize {
        let size = size_of::<P::State>();
        self.facts.state_bytes.unwrap_or(2 * size).max(size).max(1)
    }
}

impl<P: Problem> Merits for ProblemAdapter<'_, P> {
    fn has_prior(&self) -> bool {
        self.problem.prior().is_some()
    }
    fn bias(&self, state: &State, mv: MoveId) -> f64 {
        self.problem.prior().map_or(0.0, |prior| prior.bias(self.get(state), self.packing.known(mv)))
    }
    fn bound(&self, state: &State) -> Option<f64> {
        self.problem.bound(self.get(state))
    }
    fn potential(&self, state: &State) -> Option<f64> {
        self.problem.potential(self.get(state))
    }
    fn key(&self, state: &State) -> Option<Key> {
        self.problem.key(self.get(state))
    }
    fn future(&self, state: &State) -> Option<(Key, f64)> {
        Some(self.problem.dominance()?.future(self.get(state)))
    }
    fn resources(&self, state: &State, resources: &mut Vec<f64>) {
        if let Some(dominance) = self.problem.dominance() {
            dominance.resources(self.get(state), resources);
        }
    }
    fn salted(&self, salt: u64, place: u64, mv: MoveId) -> u64 {
        stable_hash(&(salt, place, self.packing.known(mv)))
    }
    fn hash_of(&self, moves: &[MoveId]) -> Key {
        Key::of(self.packing.all(moves).as_slice())
    }
}

impl<P: Problem> Replays for ProblemAdapter<'_, P> {
    fn identity(&self, state: &State, mv: MoveId) -> Option<u64> {
        Some(self.problem.ordering()?.identity(self.get(state), self.packing.known(mv)))
    }
    fn link(&self, before: Option<u64>, behind: Option<u64>) -> Option<f64> {
        // Behind a prefix the first decision does not follow the begin of an order.
        if self.problem.is_begun() { None } else { self.problem.ordering()?.link(before, behind) }
    }
    fn suggest(&self, entries: &[Entry], edits: &mut Vec<(usize, usize)>) -> bool {
        // Suggestions are places in whole solutions.
        let Some(ordering) = self.problem.ordering().filter(|_| !self.problem.is_begun()) else { return false };
        let mut moves = self.buffer.take();
        moves.clear();
        moves.extend(entries.iter().map(|entry| self.packing.known(entry.mv)));
        let supported = ordering.suggest(&moves, edits);
        edits.retain(|&(from, to)| from != to && from.max(to) < moves.len());
        self.buffer.set(moves);
        supported
    }
    fn follow(&self, state: &mut State, replay: &mut Replay, until: usize) -> Pause {
        let mut listed = self.buffer.take();
        let state = state.get_mut();
        let pause = loop {
            let part = until.min(replay.played.len().saturating_add(EVERY));
            let pause = follow(&*self.problem, &self.packing, &mut listed, state, replay, part);
            if pause != Pause::Reached || part == until {
                break pause;
            }
            if self.watch.gives_up(replay.played.len()) {
                break Pause::Finished;
            }
        };
        self.buffer.set(listed);
        pause
    }
    fn apply_all(&self, state: &mut State, entries: &[Entry]) {
        let state = state.get_mut();
        for part in entries.chunks(EVERY) {
            if self.watch.abandons() {
                return;
            }
            part.iter().for_each(|entry| self.problem.apply(state, self.packing.known(entry.mv)));
        }
    }
    fn meeting(&self, state: &State, exact: bool) -> Option<(Key, f64)> {
        meeting(&*self.problem, self.get(state), exact)
    }
    fn meetings(&self, state: &mut State, exact: bool, entries: &[Entry], met: &mut Vec<Option<(Key, f64)>>) {
        let state = state.get_mut();
        for part in entries.chunks(EVERY) {
            // What has no key meets nothing.
            let is_over = self.watch.abandons();
            for entry in part {
                self.problem.apply(state, self.packing.known(entry.mv));
                met.push(if is_over { None } else { meeting(&*self.problem, state, exact) });
            }
        }
    }
}

impl<P: Problem> ErasedProblem for ProblemAdapter<'_, P> {
    fn twin(&self) -> Box<dyn ErasedProblem + '_> {
        let Self { problem, packing, watch, facts, searches, .. } = self;
        let (facts, searches) = (facts.clone(), searches.clone());
        let (problem, packing, watch) = (problem.clone(), packing.clone(), watch.clone());
        Box::new(Self { problem, packing, watch, facts, searches, buffer: Cell::new(Vec::new()) })
    }
    fn has_rollouts(&self) -> bool {
        !self.problem.extras().rollouts().is_empty()
    }
    fn portfolio(&self) -> Vec<Entrant> {
        self.problem.portfolio()
    }
    fn searches(&self) -> &[SearchInfo] {
        &self.searches
    }
    fn record(&self, state: &mut State, policy: &Policy, trace: &mut Trace<MoveId>, moves: &[MoveId]) {
        let state = state.get_mut();
        across(&self.packing, trace, &mut Trace::default(), |trace| {
            replay(&mut Uniform, &*self.problem, state, policy, trace, &self.packing.all(moves));
        });
    }
    fn watch(&self) -> &Watch {
        &self.watch
    }
    fn has_failed(&self) -> bool {
        self.watch.has_failed()
    }
    fn take_error(&self) -> Option<Box<dyn Error + Send + Sync>> {
        self.facts.fault.as_ref().and_then(Fault::take)
    }
}

fn meeting<P: Problem>(problem: &P, state: &P::State, exact: bool) -> Option<(Key, f64)> {
    if exact { Some((problem.key(state)?, 0.0)) } else { Some(problem.dominance()?.future(state)) }
}
