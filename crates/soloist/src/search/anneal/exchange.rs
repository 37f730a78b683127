//! Assignments and subsets whose problem knows what another decision at a place changes: no replay is needed for that.

use super::kind::Kind;
use crate::Rng;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::erased::replay::Entry;

/// Places at which exchanges are asked for before a problem counts as one that does not know them, and exchanges at each.
const PLACES: usize = 64;
const DRAWN: usize = 4;

/// The other decisions that are possible at the places of the present solution, and the state at its end.
pub(super) struct Exchanges {
    sign: f64,
    /// The decisions at each place; of a subset those at the root, for all places.
    others: Vec<Vec<MoveId>>,
    is_subset: bool,
    pub(super) end: State,
    /// Whether `end` is that of an earlier solution.
    pub(super) is_stale: bool,
}

impl Exchanges {
    /// Returns the exchanges of solutions of a kind, before anything is known of one. `None`: it is not of a kind that
    /// exchanges decisions.
    pub(super) fn new(problem: &dyn ErasedProblem, kind: Kind) -> Option<Self> {
        let root = problem.root();
        let is_subset = match kind {
            Kind::Order => return None,
            Kind::Subset => true,
            Kind::Assignment => false,
        };
        let mut others = Vec::new();
        if is_subset {
            let mut moves = Vec::new();
            problem.moves(&root, &mut moves);
            others.push(moves);
        }
        let sign = if problem.sense() == crate::Sense::Maximize { -1.0 } else { 1.0 };
        Some(Self { sign, others, is_subset, end: root, is_stale: true })
    }

    /// Whether the decisions that are possible at this place are not known yet.
    pub(super) fn lacks(&self, place: usize) -> bool {
        !self.is_subset && self.others.get(place).is_none_or(Vec::is_empty)
    }

    /// Takes up the decisions that are possible at this place, in this state.
    pub(super) fn list(&mut self, problem: &dyn ErasedProblem, place: usize, state: &State) {
        if self.others.len() <= place {
            self.others.resize(place + 1, Vec::new());
        }
        self.others[place].clear();
        problem.moves(state, &mut self.others[place]);
    }

    /// Draws another decision for this place.
    pub(super) fn draw(&self, place: usize, present: MoveId, rng: &mut Rng) -> Option<MoveId> {
        let others = self.others.get(if self.is_subset { 0 } else { place })?;
        let at = rng.index(others.len().max(1));
        // The present one stands for the one behind it.
        let mv = *others.get(at)?;
        if mv != present { Some(mv) } else { others.get((at + 1) % others.len()).copied().filter(|&mv| mv != present) }
    }

    /// Returns what an exchange adds to the cost. `None`: it is not possible.
    pub(super) fn price(&self, problem: &dyn ErasedProblem, place: usize, old: MoveId, new: MoveId) -> Option<f64> {
        problem.exchange(&self.end, place, old, new).map(|change| self.sign * change)
    }

    /// The places of a solution at which it is asked whether the problem knows exchanges.
    pub(super) fn places(count: usize) -> impl Iterator<Item = usize> {
        (0..count).step_by(count.div_ceil(PLACES).max(1))
    }

    /// Whether the problem knows exchanges: asks for some of the present solution.
    pub(super) fn is_supported(&self, problem: &dyn ErasedProblem, entries: &[Entry]) -> bool {
        let mut rng = Rng::new(0);
        let mut knows = |place: usize, old| {
            self.draw(place, old, &mut rng).is_some_and(|new| self.price(problem, place, old, new).is_some())
        };
        Self::places(entries.len()).any(|place| (0..DRAWN).any(|_| knows(place, entries[place].mv)))
    }
}
