//! Nested tree search: a playout is a search of its own.

use super::game::Game;
use super::run::UctSearch;
use super::{Playouts, Uct};
use crate::problem::MoveId;
use crate::problem::rules::{Rules, State};
use crate::search::{Context, Search};
use crate::{CheckpointError, ParameterError, Score};
use serde::{Deserialize, Serialize};

/// The search that stands for a playout.
pub(super) struct Nested {
    search: UctSearch,
    playouts: u64,
    /// It is at work below the end of the path.
    active: bool,
}

/// What a checkpoint holds of it.
#[derive(Serialize, Deserialize)]
pub(super) struct Saved {
    search: Vec<u8>,
    path: Option<Vec<usize>>,
}

impl Uct {
    /// The search one level below.
    fn inner(&self) -> Self {
        Self { nesting: self.nesting - 1, restarts: false, variants: false, ..self.clone() }
    }

    /// What does not go with nesting: everything that needs the moves of a playout, or more than one tree.
    pub(super) fn validate_nesting(&self) -> Result<(), ParameterError> {
        let excluded = self.move_playouts > 0
            || self.beam_width > 0
            || self.restart_nodes > 0
            || self.tree_playouts > 0
            || self.select_from > 0
            || self.amaf
            || self.history > 0.0
            || self.playouts != Playouts::Rollout;
        if self.nesting > 1 && excluded {
            return Err(ParameterError::Conflict(
                "nesting excludes move_playouts, beam_width, restart_nodes, tree_playouts, select_from, amaf, history and learned playouts",
            ));
        }
        Ok(())
    }
}

impl Nested {
    pub(super) fn new(own: &Uct, problem: &dyn Rules, memory: u64) -> Option<Box<Self>> {
        (own.nesting > 1).then(|| {
            let search = UctSearch::new(own.inner(), problem, memory);
            Box::new(Self { search, playouts: own.nested_playouts, active: false })
        })
    }

    pub(super) fn is_active(&self) -> bool {
        self.active
    }

    /// Searches from `state`, which `prefix` leads to, with a blank tree.
    pub(super) fn begin(&mut self, state: &State, prefix: &[MoveId]) {
        let search = &mut self.search;
        search.arena.clear();
        search.keys.clear();
        search.pending = None;
        search.full = false;
        search.game = Game::new(0);
        search.game.decided.extend_from_slice(prefix);
        search.root.clone_from(state);
        if let Some(inner) = &mut search.nested {
            inner.active = false;
        }
        self.active = true;
    }

    /// One playout. `Some`: it was the last; the best score and whether every solution from there was seen.
    pub(super) fn step(&mut self, context: &mut Context<'_>) -> Option<(Score, bool)> {
        self.search.step(context);
        let search = &self.search;
        let closed = search.arena.len() > 0 && search.arena.get(0).closed;
        let over = closed || search.game.over || search.game.spent >= self.playouts;
        let best = search.game.best.filter(|_| over)?;
        self.active = false;
        Some((best, closed))
    }

    pub(super) fn save(&self, path: &[usize]) -> Saved {
        Saved { search: self.search.save(), path: self.active.then(|| path.to_vec()) }
    }

    /// Restores what `save` wrote; the path of the search above, if this one was at work.
    pub(super) fn load(&mut self, problem: &dyn Rules, saved: Saved) -> Result<Option<Vec<usize>>, CheckpointError> {
        self.search.load(problem, &saved.search)?;
        self.active = saved.path.is_some();
        Ok(saved.path)
    }
}
