//! Iterated local search: descents, each of which begins with a few edits of the best solution.

use super::descents::Descents;
use super::energy::Worth;
use super::run::AnnealSearch;
use crate::Score;
use crate::search::Context;

impl AnnealSearch {
    /// Whether the run is an iterated local search.
    pub(super) fn iterates(&self) -> bool {
        self.parameters.iterates()
    }

    /// Enters a neighbour of the solution that is worth `before`; after a descent, goes to the best solution and begins
    /// a kick.
    pub(super) fn iterate(&mut self, context: &mut Context<'_>, before: Worth) {
        let (Some(now), Some(best)) = (self.saved.present, &self.saved.best) else { return };
        let (kicks, count) = (self.parameters.coolings.kicks, best.moves.len().max(1));
        if !self.saved.descents.count((now != before, now.beats(before)), kicks, count) {
            return;
        }
        let (score, worth) = (best.score, best.worth);
        if now == worth && !self.saved.edited {
            self.moves.clear();
            self.moves.extend(self.walker.entries.iter().map(|entry| entry.mv));
            self.crown(now, score);
        } else if !(self.saved.edited && self.is_level(context, now, worth, score)) {
            let moves = self.saved.best.as_ref().map_or_else(Vec::new, |best| best.moves.clone());
            self.go_to(context, score, moves);
        }
        // One edit is best near the optimum of an order, several where the best solution has stayed for long.
        self.saved.descents = Descents { idle: 0, owed: 1 + context.rng.below(kicks) };
    }

    /// Whether the present solution of a neighbourhood is as good as the best one of the run.
    fn is_level(&self, context: &mut Context<'_>, now: Worth, best: Worth, score: Score) -> bool {
        let is_equal = (now.cost - best.cost).abs() <= 1e-9 * (1.0 + best.cost.abs());
        let own = context.rollout.editor().and_then(|editor| editor.score());
        is_equal && own.is_none_or(|own| own == score)
    }
}
