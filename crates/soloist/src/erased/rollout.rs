//! A problem's rollouts and its neighbourhood as searches see them.

use crate::core::abort::Watch;
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::coverage::Coverage;
use crate::core::hash::Key;
use crate::core::limits::ensure;
use crate::core::parameter::ParameterValues;
use crate::erased::across::{VOID, across, replay};
use crate::erased::problem::{ProblemAdapter, ProblemRef, State};
use crate::erased::search::{OwnSearch, TypedSearch};
use crate::erased::validate::replay_legal;
use crate::erased::{MoveCodec, MoveId};
use crate::problem::{Acceptance, Neighborhood, Problem};
use crate::rollout::policy::{Policy, Trace};
use crate::rollout::{Playout, Rollout, find_rollout};
use crate::{Rng, Score};
use serde::{Deserialize, Serialize};

/// Playouts from the root that are judged at once.
pub(crate) trait Sampler {
    /// Plays from the problem's root to the end and returns the score, which is fed back.
    fn sample(&mut self, rng: &mut Rng) -> Score;
    /// As [`sample`](Self::sample), but may stop when no score better than `incumbent` can be reached: then nothing is
    /// returned or fed back.
    fn sample_within(&mut self, incumbent: f64, rng: &mut Rng) -> Option<Score>;
    /// Returns the moves of the last [`sample`](Self::sample), and a fingerprint of its solution.
    fn sampled(&self) -> (Vec<MoveId>, u128);
}

/// Further players of a problem, which a search opens beside its own.
pub(crate) trait Players {
    /// Opens one more player, of the rollout called `name` or of this one's, which learns by itself. Returns false if
    /// there is no such rollout.
    fn open(&mut self, name: Option<&str>) -> bool;
    /// Returns the number of players opened.
    fn players(&self) -> usize;
    /// Returns one of the players opened.
    ///
    /// # Panics
    /// When there are not as many.
    fn player(&mut self, at: usize) -> &mut dyn ErasedRollout;
    /// Closes them.
    fn close_players(&mut self);
    /// Returns the same of the players opened.
    fn saved_players(&self) -> Vec<SavedRollout>;
}

/// What searches ask of a rollout; see [`Rollout`] for the meaning of each method.
pub(crate) trait ErasedRollout: Sampler + Players + Send {
    /// Appends the candidates. Other moves may be legal.
    fn candidates(&mut self, state: &State, moves: &mut Vec<MoveId>) -> Coverage;
    /// Plays to the end and appends the moves.
    fn run(&mut self, state: &mut State, moves: &mut Vec<MoveId>, rng: &mut Rng);
    /// Returns what of the solutions from where the last run began is covered, if another run from there is useless.
    fn spent(&self) -> Option<Coverage>;
    fn run_policy(&mut self, state: &mut State, policy: &Policy, trace: &mut Trace<MoveId>, rng: &mut Rng);
    /// Plays `moves`, which must be candidates, and records them like a policy playout. Returns false when one was no
    /// candidate.
    fn replay(&mut self, state: &mut State, policy: &Policy, trace: &mut Trace<MoveId>, moves: &[MoveId]) -> bool;
    fn variants(&self) -> usize;
    fn set_variant(&mut self, variant: usize);
    fn feedback(&mut self, score: Score);
    /// Returns the local search of the problem, if it has one.
    fn editor(&mut self) -> Option<&mut dyn Editor>;
    /// Returns the problem's own search that was opened last.
    fn own(&mut self) -> Option<&mut dyn OwnSearch>;
    /// Makes a search of the problem's own and replaces the one before. Returns false if the problem has no such
    /// search.
    fn open_own(&mut self, name: &str, settings: &ParameterValues) -> bool;
    /// Returns what a checkpoint holds of this player, without those that it has opened.
    fn saved(&self) -> SavedRollout;
    /// Restores it.
    fn restore(&mut self, saved: SavedRollout) -> Result<(), CheckpointError>;
}

impl dyn ErasedRollout + '_ {
    /// Returns what a checkpoint holds of a player and of those that it has opened.
    pub(crate) fn save(&self) -> Vec<u8> {
        let players = self.saved_players().iter().map(|saved| (saved.name.clone(), encode(saved))).collect();
        encode(&SavedRollout { players, ..self.saved() })
    }

    /// Restores them.
    pub(crate) fn load(&mut self, bytes: &[u8]) -> Result<(), CheckpointError> {
        let mut saved: SavedRollout = decode(bytes)?;
        ensure(saved.players.len() <= MOST_PLAYERS, "too many rollouts")?;
        let players = std::mem::take(&mut saved.players);
        self.restore(saved)?;
        self.close_players();
        for (at, (name, bytes)) in players.into_iter().enumerate() {
            let saved: SavedRollout = decode(&bytes)?;
            ensure(saved.players.is_empty() && self.open(Some(&name)), "a player that no search opens")?;
            self.player(at).restore(saved)?;
        }
        Ok(())
    }
}

/// A problem's local search as annealing sees it; see [`Neighborhood`] for the meaning of each method.
pub(crate) trait Editor {
    /// Whether there is a present solution.
    fn is_started(&self) -> bool;
    fn start(&mut self, moves: &[MoveId]) -> bool;
    fn cost(&self) -> f64;
    fn score(&self) -> Option<Score>;
    fn unit(&self) -> Option<f64>;
    fn variants(&self) -> usize;
    fn set_variant(&mut self, variant: usize);
    fn moves(&mut self, moves: &mut Vec<MoveId>);
    /// Returns what is to be kept of the present solution beside its moves.
    fn save(&self) -> Vec<u8>;
    /// Restores what was kept, where the same moves have been started. Returns false if it does not belong to them.
    fn restore(&mut self, bytes: &[u8]) -> bool;
    /// Returns the change of the cost of one edit, and whether it was accepted.
    fn advance(&mut self, acceptance: &mut Acceptance<'_>) -> Option<(f64, bool)>;
}

/// A user's neighbourhood, for one stream.
struct EditorAdapter<'p, P: Problem> {
    problem: ProblemRef<'p, P>,
    packing: MoveCodec<P::Move>,
    edits: Box<dyn Neighborhood<P>>,
    is_started: bool,
    listed: Vec<P::Move>,
}

impl<P: Problem> Editor for EditorAdapter<'_, P> {
    fn is_started(&self) -> bool {
        self.is_started
    }
    fn start(&mut self, moves: &[MoveId]) -> bool {
        self.is_started = self.edits.start(&self.problem, &self.packing.all(moves));
        self.is_started
    }
    fn cost(&self) -> f64 {
        self.edits.cost(&self.problem)
    }
    fn score(&self) -> Option<Score> {
        self.edits.score(&self.problem)
    }
    fn unit(&self) -> Option<f64> {
        self.edits.unit(&self.problem).filter(|unit| unit.is_finite() && *unit > 0.0)
    }
    fn variants(&self) -> usize {
        self.edits.variants(&self.problem).max(1)
    }
    fn set_variant(&mut self, variant: usize) {
        self.edits.set_variant(&self.problem, variant.min(self.variants() - 1));
    }
    fn moves(&mut self, moves: &mut Vec<MoveId>) {
        self.listed.clear();
        self.edits.moves(&self.problem, &mut self.listed);
        self.packing.append(&self.listed, moves);
    }
    fn save(&self) -> Vec<u8> {
        self.edits.save()
    }
    fn restore(&mut self, bytes: &[u8]) -> bool {
        self.edits.load(&self.problem, bytes).is_ok()
    }
    fn advance(&mut self, acceptance: &mut Acceptance<'_>) -> Option<(f64, bool)> {
        self.edits.advance(&*self.problem, acceptance)
    }
}

/// What a checkpoint holds of a player.
#[derive(Serialize, Deserialize)]
pub(crate) struct SavedRollout {
    /// The name of the rollout, which a run has in its setup and a player that was opened beside what is saved of it.
    #[serde(skip)]
    name: String,
    rollout: Vec<u8>,
    /// Moves and bytes of a neighbourhood that has a solution.
    editor: Option<(Vec<MoveId>, Vec<u8>)>,
    /// Name, settings and bytes of an own search.
    own: Option<(String, ParameterValues, Vec<u8>)>,
    /// The players opened: the names of their rollouts, and what is saved of them.
    players: Vec<(String, Vec<u8>)>,
}

/// The most players that a search opens.
const MOST_PLAYERS: usize = 64;

/// A user's rollout, for one stream, and the problem's neighbourhood when a search has asked for it.
pub(crate) struct RolloutAdapter<'p, P: Problem> {
    problem: ProblemRef<'p, P>,
    packing: MoveCodec<P::Move>,
    watch: Watch,
    /// The name of the rollout.
    name: String,
    players: Vec<Self>,
    editor: Option<EditorAdapter<'p, P>>,
    own: Option<TypedSearch<'p, P>>,
    rollout: Box<dyn Rollout<P>>,
    playout: Playout<P::Move>,
    trace: Trace<P::Move>,
    listed: Vec<P::Move>,
    /// The end of the last sample.
    end: Option<P::State>,
}

impl<'p, P: Problem> RolloutAdapter<'p, P> {
    /// Returns the player of the rollout called `name`.
    ///
    /// # Errors
    /// The names that exist.
    pub(crate) fn new(
        problem: ProblemRef<'p, P>,
        packing: MoveCodec<P::Move>,
        watch: Watch,
        name: &str,
    ) -> Result<Self, Vec<&'static str>> {
        let rollout = find_rollout(&*problem, name)?;
        let (mut playout, mut trace) = (Playout::default(), Trace::default());
        (playout.watch, trace.watch) = (Some(watch.clone()), Some(watch.clone()));
        let (name, players, listed) = (name.to_owned(), Vec::new(), Vec::new());
        Ok(Self {
            problem,
            packing,
            watch,
            name,
            players,
            editor: None,
            own: None,
            rollout,
            playout,
            trace,
            listed,
            end: None,
        })
    }

    /// Whether what was just played does not count. Where it was cut and `state` is not finished, the step is
    /// abandoned.
    #[inline]
    fn is_void(watch: &Watch, problem: &P, state: &P::State, listed: &mut Vec<P::Move>) -> bool {
        (watch.is_raised() || watch.is_void()) && Self::is_unfinished(watch, problem, state, listed)
    }

    #[cold]
    fn is_unfinished(watch: &Watch, problem: &P, state: &P::State, listed: &mut Vec<P::Move>) -> bool {
        listed.clear();
        problem.moves(state, listed);
        watch.has_failed() || !listed.is_empty() && watch.abandons()
    }
}

impl<P: Problem> Sampler for RolloutAdapter<'_, P> {
    fn sample(&mut self, rng: &mut Rng) -> Score {
        let state = self.end.insert(self.problem.root());
        self.playout.begin(None);
        self.rollout.run(&self.problem, state, &mut self.playout, rng);
        if Self::is_void(&self.watch, &self.problem, state, &mut self.listed) {
            return VOID;
        }
        let score = self.problem.score(state);
        self.rollout.feedback(score);
        score
    }
    fn sample_within(&mut self, incumbent: f64, rng: &mut Rng) -> Option<Score> {
        let state = self.end.insert(self.problem.root());
        self.playout.begin(Some(incumbent));
        self.rollout.run(&self.problem, state, &mut self.playout, rng);
        if self.playout.is_cut_off {
            return None;
        }
        if Self::is_void(&self.watch, &self.problem, state, &mut self.listed) {
            return None;
        }
        let score = self.problem.score(state);
        self.rollout.feedback(score);
        Some(score)
    }
    fn sampled(&self) -> (Vec<MoveId>, u128) {
        let moves = &self.playout.moves;
        let key = self.end.as_ref().and_then(|end| self.problem.key(end)).unwrap_or_else(|| Key::of(moves.as_slice()));
        (self.packing.ids(moves), key.id())
    }
}

impl<P: Problem> Players for RolloutAdapter<'_, P> {
    fn open(&mut self, name: Option<&str>) -> bool {
        let name = name.unwrap_or(&self.name);
        let Ok(player) = Self::new(self.problem.clone(), self.packing.clone(), self.watch.clone(), name) else {
            return false;
        };
        self.players.push(player);
        true
    }
    fn players(&self) -> usize {
        self.players.len()
    }
    fn player(&mut self, at: usize) -> &mut dyn ErasedRollout {
        &mut self.players[at]
    }
    fn saved_players(&self) -> Vec<SavedRollout> {
        self.players.iter().map(Self::saved).collect()
    }
    fn close_players(&mut self) {
        self.players.clear();
    }
}

impl<P: Problem> ErasedRollout for RolloutAdapter<'_, P> {
    fn candidates(&mut self, state: &State, moves: &mut Vec<MoveId>) -> Coverage {
        self.listed.clear();
        self.rollout.candidates(&self.problem, state.get(), &mut self.listed);
        self.packing.append(&self.listed, moves);
        Coverage::Partial
    }
    fn run(&mut self, state: &mut State, moves: &mut Vec<MoveId>, rng: &mut Rng) {
        self.playout.begin(None);
        let state = state.get_mut();
        self.rollout.run(&self.problem, state, &mut self.playout, rng);
        let _ = Self::is_void(&self.watch, &self.problem, state, &mut self.listed);
        self.packing.append(&self.playout.moves, moves);
    }
    fn spent(&self) -> Option<Coverage> {
        // That no other playout is worth its effort is no proof.
        self.playout.is_spent.then_some(Coverage::Partial)
    }
    fn run_policy(&mut self, state: &mut State, policy: &Policy, trace: &mut Trace<MoveId>, rng: &mut Rng) {
        let Self { problem, packing, watch, rollout, trace: buffer, listed, .. } = self;
        let state = state.get_mut();
        across(packing, trace, buffer, |trace| rollout.run_policy(problem, state, policy, trace, rng));
        let _ = Self::is_void(watch, problem, state, listed);
    }
    fn replay(&mut self, state: &mut State, policy: &Policy, trace: &mut Trace<MoveId>, moves: &[MoveId]) -> bool {
        let Self { problem, packing, rollout, trace: buffer, .. } = self;
        let moves = packing.all(moves);
        across(packing, trace, buffer, |trace| {
            replay(&mut **rollout, &**problem, state.get_mut(), policy, trace, &moves)
        })
    }
    fn variants(&self) -> usize {
        self.rollout.variants(&self.problem)
    }
    fn set_variant(&mut self, variant: usize) {
        // A checkpoint may name any number.
        let most = self.rollout.variants(&self.problem).saturating_sub(1);
        self.rollout.set_variant(variant.min(most));
    }
    fn feedback(&mut self, score: Score) {
        self.rollout.feedback(score);
    }
    fn editor(&mut self) -> Option<&mut dyn Editor> {
        if self.editor.is_none() {
            // A neighbourhood edits whole solutions.
            if self.problem.is_begun() {
                return None;
            }
            let (problem, packing) = (self.problem.clone(), self.packing.clone());
            let edits = problem.neighborhood()?;
            self.editor = Some(EditorAdapter { problem, packing, edits, is_started: false, listed: Vec::new() });
        }
        self.editor.as_mut().map(|editor| editor as &mut dyn Editor)
    }
    fn own(&mut self) -> Option<&mut dyn OwnSearch> {
        self.own.as_mut().map(|own| own as &mut dyn OwnSearch)
    }
    fn open_own(&mut self, name: &str, settings: &ParameterValues) -> bool {
        // What the search before it holds is free.
        self.own = None;
        let (problem, packing, watch) = (self.problem.clone(), self.packing.clone(), self.watch.clone());
        if !problem.is_begun() {
            self.own = TypedSearch::new(problem, packing, watch, name, settings);
        }
        self.own.is_some()
    }
    fn saved(&self) -> SavedRollout {
        let editor = self.editor.as_ref().filter(|editor| editor.is_started).map(|editor| {
            let mut moves = Vec::new();
            editor.edits.moves(&self.problem, &mut moves);
            (self.packing.ids(&moves), editor.edits.save())
        });
        let own = self.own.as_ref().map(|own| (own.name.clone(), own.settings.clone(), own.save()));
        SavedRollout { name: self.name.clone(), rollout: self.rollout.save(), editor, own, players: Vec::new() }
    }
    fn restore(&mut self, saved: SavedRollout) -> Result<(), CheckpointError> {
        let SavedRollout { rollout, editor, own, .. } = saved;
        self.rollout.load(&rollout)?;
        if let Some((name, settings, bytes)) = own {
            ensure(self.open_own(&name, &settings), "a search that the problem does not have")?;
            self.own.as_mut().map_or(Ok(()), |own| own.load(&bytes))?;
        }
        if let Some((moves, bytes)) = editor {
            let rules = ProblemAdapter::new(
                self.problem.clone(),
                self.problem.facts(),
                self.packing.clone(),
                self.watch.clone(),
            );
            let (_, finished) =
                replay_legal(&rules, &moves).map_err(|_| CheckpointError::Corrupt("an illegal move"))?;
            let damaged = CheckpointError::Corrupt("a neighbourhood without a solution");
            let is_started = finished && self.editor().is_some_and(|editor| editor.start(&moves));
            let Some(editor) = self.editor.as_mut().filter(|_| is_started) else { return Err(damaged) };
            editor.edits.load(&self.problem, &bytes)?;
        }
        Ok(())
    }
}
