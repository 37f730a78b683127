//! Nested tree search: a complete search takes the place of a playout.

use super::game::Game;
use super::run::UctSearch;
use super::{Uct, refuse};
use crate::Score;
use crate::core::codec::CheckpointError;
use crate::core::parameter::{ParameterError, parameters};
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::search::{Context, Coverage, Search, Status};
use serde::{Deserialize, Serialize};

parameters! {
    /// Searches in the place of playouts.
    ///
    /// With `nesting` = n > 1 a playout is a search of level n - 1 from the leaf, with a separate tree and
    /// `nested_playouts` playouts (or fewer, when it has seen everything). Its best score is what is backed up, and its
    /// best solution what is kept, rather than a game played by its decisions: nested Monte-Carlo tree search (NMCTS).
    pub struct Nesting {
        /// levels of search: at 2 and above a playout is a search of the level below, at 1 it is a playout
        nesting: u64 = 1, 1..=4;
        /// playouts of each such search; nesting > 1
        nested_playouts: u64 = 100, 1..=1_000_000_000;
    }
}

/// The search that takes the place of a playout.
pub(super) struct Nested {
    search: UctSearch,
    playouts: u64,
    /// Whether it is in progress, below the end of the path.
    active: bool,
}

/// How a nested search has ended.
pub(super) struct End {
    /// The best score of its playouts. `None`: bounds excluded everything before the first one.
    pub(super) best: Option<Score>,
    /// Whether it has seen every solution, if nothing is open in it any more.
    pub(super) closed: Option<Coverage>,
}

/// What a checkpoint holds of it.
#[derive(Serialize, Deserialize)]
pub(super) struct Saved {
    search: Vec<u8>,
    path: Option<Vec<usize>>,
}

impl Nesting {
    /// Checks that nothing needs the moves of a playout, or more than one tree.
    pub(super) fn validate(&self, uct: &Uct) -> Result<(), ParameterError> {
        let excluded = uct.pacing.move_playouts > 0
            || uct.narrowing.beam_width > 0
            || uct.pacing.restart_nodes > 0
            || uct.pacing.tree_playouts > 0
            || uct.growth.select_from > 0
            || uct.uses_codes();
        refuse(&[(
            self.nesting > 1 && excluded,
            "nesting excludes move_playouts, beam_width, restart_nodes, tree_playouts, select_from, amaf, history and learned playouts",
        )])
    }
}

/// Returns the parameters of the search one level below.
fn inner(uct: &Uct) -> Uct {
    let mut inner = uct.clone();
    inner.nesting.nesting -= 1;
    (inner.pacing.restarts, inner.pacing.variants) = (false, false);
    inner
}

impl Nested {
    pub(super) fn new(uct: &Uct, problem: &dyn ErasedProblem, memory: u64) -> Option<Box<Self>> {
        (uct.nesting.nesting > 1).then(|| {
            let search = UctSearch::new(inner(uct), problem, memory);
            Box::new(Self { search, playouts: uct.nesting.nested_playouts, active: false })
        })
    }

    pub(super) fn is_active(&self) -> bool {
        self.active
    }

    /// Searches from `state`, which `prefix` leads to, with a blank tree.
    pub(super) fn begin(&mut self, state: &State, prefix: &[MoveId]) {
        let search = &mut self.search;
        search.tree.clear();
        search.game = Game::new(0);
        search.game.decided.extend_from_slice(prefix);
        search.roots.tree.clone_from(state);
        if let Some(inner) = &mut search.nested {
            inner.active = false;
        }
        self.active = true;
    }

    /// Makes one playout. Returns what the search has found after the last one.
    pub(super) fn step(&mut self, context: &mut Context<'_>) -> Option<End> {
        let status = self.search.step(context);
        let search = &self.search;
        let is_closed = search.tree.arena.len() > 0 && search.tree.arena.get(0).closed;
        let closed = match status {
            Status::Exhausted(proof) => Some(proof.into()),
            _ => is_closed.then_some(Coverage::Partial),
        };
        if closed.is_none() && !search.game.over && search.game.spent < self.playouts {
            return None;
        }
        self.active = false;
        Some(End { best: search.game.best, closed })
    }

    /// Whether it searches from the state that these moves lead to.
    pub(super) fn is_below<'a>(&self, moves: impl Iterator<Item = &'a MoveId>) -> bool {
        moves.eq(&self.search.game.decided)
    }

    pub(super) fn save(&self, path: &[usize]) -> Saved {
        Saved { search: self.search.save(), path: self.active.then(|| path.to_vec()) }
    }

    /// Restores what `save` wrote. Returns the path of the search above, if this one was in progress.
    pub(super) fn load(
        &mut self,
        problem: &dyn ErasedProblem,
        saved: Saved,
    ) -> Result<Option<Vec<usize>>, CheckpointError> {
        self.search.load(problem, &saved.search)?;
        self.active = saved.path.is_some();
        Ok(saved.path)
    }
}
