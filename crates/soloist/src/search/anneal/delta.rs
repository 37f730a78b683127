//! Edits that are priced by links before they are replayed.

use super::edits::{EDITS, Edit, Shape, longest_of};
use super::link_costs::{Known, Links};
use super::replay::Walker;
use crate::Sense;
use crate::core::codec::CheckpointError;
use crate::core::limits::ensure;
use crate::erased::MoveId;
use crate::search::Context;

impl Walker {
    /// Enters the entries of the present solution from number `first` on into the links.
    pub(super) fn relink(&mut self, first: usize) {
        if self.links.as_mut().is_some_and(|links| !links.adopt(&self.entries, first)) {
            // What is there twice has no place of its own.
            self.unlink();
        }
    }

    /// Plays a game: at each state the decision that costs least directly behind the last one, of equal ones one that
    /// is drawn. Returns false where the problem names no links.
    pub(super) fn follow_links(&mut self, context: &mut Context<'_>, moves: &mut Vec<MoveId>) -> bool {
        if !self.links.as_ref().is_some_and(Links::are_named) {
            return false;
        }
        moves.clear();
        self.state.clone_from(&self.root);
        let problem = context.problem;
        let sign = if problem.sense() == Sense::Maximize { -1.0 } else { 1.0 };
        let mut last = None;
        while !problem.watch().gives_up(moves.len()) {
            let legal = &mut self.buffers.legal;
            legal.clear();
            context.rollout.candidates(&self.state, legal).forgo();
            let (mut best, mut least, mut ties) = (None, f64::INFINITY, 0);
            for &mv in &*legal {
                let name = problem.identity(&self.state, mv);
                let cost = problem.link(last, name).map_or(f64::INFINITY, |cost| sign * cost);
                ties = if best.is_none() || cost < least { 1 } else { ties + u64::from(cost == least) };
                if best.is_none() || cost < least || cost == least && context.rng.below(ties) == 0 {
                    (best, least) = (Some((mv, name)), cost);
                }
            }
            let Some((mv, name)) = best else { break };
            problem.apply(&mut self.state, mv);
            moves.push(mv);
            last = name;
        }
        true
    }

    /// Draws an edit of the order whose price is known: the edit, and what it adds to the cost. `None`: the edit is to
    /// be made by a replay. An edit without a price changes nothing.
    pub(super) fn priced(&mut self, context: &mut Context<'_>, kind: usize) -> Option<Option<(Shape, f64)>> {
        let links = self.links.as_mut().filter(|links| self.entries.len() >= 2 && links.are_known())?;
        let count = self.entries.len();
        let shape = match EDITS[kind] {
            Edit::Replace | Edit::Suggest => return None,
            // A shuffled block has no price.
            Edit::Shuffle => Some(Shape::draw(Edit::Insert, count, self.choice.longest, context.rng)),
            Edit::Guide => links.guide(context.problem, longest_of(self.choice.longest, count), context.rng),
            Edit::Change => links.guide(context.problem, 1, context.rng),
            edit => Some(Shape::draw(edit, count, self.choice.longest, context.rng)),
        };
        Some(shape.and_then(|shape| Some((shape, links.price(context.problem, &shape)? - links.margin()))))
    }

    /// Makes an edit whose price passes the threshold, and a few others that show whether the prices hold. Returns
    /// false if it is not made.
    pub(super) fn try_priced(&mut self, context: &mut Context<'_>, shape: Shape, passes: bool) -> bool {
        let admits = self.links.as_mut().is_some_and(|links| links.admits(passes));
        if admits {
            self.shape(context, shape);
            // Entries that wait may be played later.
            self.replay.is_strict = !self.replay.by_identity && self.links.as_mut().is_some_and(Links::are_strict);
        }
        admits
    }

    /// Whether edits have prices that were learned.
    pub(super) fn has_learned(&self) -> bool {
        self.links.as_ref().is_some_and(|links| !links.are_named() && links.are_known())
    }

    /// Restores what was learned of links, and whether that was given up.
    pub(super) fn remember(&mut self, known: Option<Known>, unlinked: bool) -> Result<(), CheckpointError> {
        if unlinked {
            self.unlink();
        }
        let Some(known) = known else { return Ok(()) };
        let entries = &self.entries;
        let fits = !unlinked && self.links.as_mut().is_some_and(|links| links.load(known, entries));
        ensure(fits, "links of other decisions")
    }

    /// Gives up what is known of links.
    fn unlink(&mut self) {
        (self.links, self.unlinked) = (None, true);
    }

    /// Learns what links cost from the difference that the neighbour makes. `cost`: that of the present solution.
    pub(super) fn learn(&mut self, difference: f64, cost: f64) {
        let Some(links) = self.links.as_mut().filter(|links| !links.are_named()) else { return };
        let rounding = 1e-9 * (difference.abs() + cost.abs());
        if !links.learn(self.first, &self.replay.played, difference, rounding) {
            self.unlink();
        }
    }
}
