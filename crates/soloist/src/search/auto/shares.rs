//! Who stays in a race, and who gets which fraction of the rest.

use super::AutoSearch;
use super::race::{Progress, Race};

/// The least part of the rest that an exact winner has.
const LEAST: f64 = 0.3;
/// Playouts in the budget below which there is no race: in all, and for each move of a game.
const FEW: (f64, f64) = (2_000.0, 100.0);
/// How far annealing may be behind the leader, as a fraction of the score, to stay in the race.
const NEAR: f64 = 0.15;
/// The fraction that a winning sampler gets before annealing, and the one that annealing gets before another winner.
const SAMPLED: f64 = 0.1;
const EDITED: f64 = 0.5;
/// The fraction that the better one of `anneal` and `ils` gets.
const PAIRED: f64 = 0.7;

impl AutoSearch {
    /// Returns the methods that share the rest, in turn, and the fractions of all but the last one.
    ///
    /// The winner shares with the best of the other kind, exact or not, among those that are `able` to do more. Where
    /// the problem names methods, these alone share. `editor` is the annealing method that has reached the last round.
    /// It shares with a winner that is not exact: half each, or nine tenths if the winner is a sampler.
    pub(super) fn sharers(&self, winner: usize, able: &[usize], editor: Option<usize>) -> (Vec<usize>, Vec<f64>) {
        let (exact, part) = (self.entrants[winner].is_systematic(), self.parameters.exact_share);
        let may_share = |at: usize| self.state.named == 0 || at < self.state.named;
        let others = able.iter().copied().filter(|&at| self.entrants[at].is_systematic() != exact && may_share(at));
        let best = others.min_by(|&a, &b| self.entrants[a].order(&self.entrants[b])).filter(|_| part > 0.0);
        let (first, main) = match best {
            Some(best) if exact => (Some((winner, part.max(LEAST))), best),
            Some(best) => (Some((best, part)), winner),
            None => (None, winner),
        };
        let (mut field, mut shares): (Vec<usize>, Vec<f64>) = first.into_iter().unzip();
        match editor.filter(|&editor| editor != main && !self.entrants[main].is_systematic()) {
            // What is made at random is no start for a long run: the last one improves it.
            Some(editor) if self.entrants[main].is_sampler() => {
                field.extend([main, editor]);
                shares.push(SAMPLED);
            }
            Some(editor) => {
                field.extend([editor, main]);
                shares.push(EDITED);
            }
            None => field.push(main),
        }
        self.pair_editors(&mut field, &mut shares, able);
        (field, shares)
    }

    /// Lets `anneal` and `ils` share what the last one of a field would have alone, if it is one of them: first the
    /// cooling, then descents from the best solution.
    fn pair_editors(&self, field: &mut Vec<usize>, shares: &mut Vec<f64>, able: &[usize]) {
        let Some(&main) = field.last().filter(|&&main| self.state.named == 0 && self.entrants[main].is_editor()) else {
            return;
        };
        let cools = self.entrants[main].cools();
        let is_other = |at: usize| self.entrants[at].is_editor() && self.entrants[at].cools() != cools;
        let Some(other) = able.iter().copied().find(|&at| is_other(at) && !field.contains(&at)) else { return };
        let (first, share) = if cools { (main, PAIRED) } else { (other, 1.0 - PAIRED) };
        field.pop();
        field.extend([first, if cools { other } else { main }]);
        shares.push(share);
    }

    /// Returns the annealing method that stays in a field (in order, best first) though others are ahead: in the first
    /// round, while it is near the leader, and where nothing has improved as much in this round. Cooling gains most at
    /// its end, and rounds are short.
    pub(super) fn editor(&self, ranked: &[usize], round: u64) -> Option<usize> {
        if self.state.named > 0 {
            return None;
        }
        let editor = ranked.iter().copied().find(|&at| self.entrants[at].is_editor())?;
        let (own, rise) = (&self.entrants[editor], self.entrants[editor].rise());
        let rises = rise > 0.0 && ranked.iter().all(|&at| self.entrants[at].rise() <= rise);
        (round == 0 || rises || own.is_near(&self.entrants[ranked[0]], NEAR)).then_some(editor)
    }

    /// Takes the worse ones out of a field in order, best first, and returns them. `editor` stays until one is left.
    pub(super) fn drop_worse(&self, ranked: &mut Vec<usize>, editor: Option<usize>) -> Vec<usize> {
        let (most, named) = (ranked.len().div_ceil(2), self.state.named);
        let Some(best) = ranked.iter().position(|&at| at < named) else {
            editor.into_iter().for_each(|editor| keep(ranked, editor, most));
            return ranked.split_off(most);
        };
        // What the problem names is known to suit it, perhaps after a slow start: it stays unless two are left, and
        // others stay as long as they are ahead of it.
        let best = ranked[best];
        let mut is_ahead = true;
        let (mut stay, mut dropped): (Vec<usize>, Vec<usize>) = std::mem::take(ranked).into_iter().partition(|&at| {
            is_ahead &= at != best;
            is_ahead || at < named
        });
        if stay.len() > most {
            keep(&mut stay, best, most);
            dropped.extend(stay.split_off(most));
        }
        *ranked = stay;
        dropped
    }

    /// How many playouts the budget seems to have room for.
    fn expected(&self) -> f64 {
        self.state.least.map_or(f64::INFINITY, |least| (1.0 - self.state.over).max(0.0) / least.max(0.0))
    }

    /// How many are needed for a race.
    fn few(&self) -> f64 {
        FEW.0.max(FEW.1 * self.state.length as f64 / self.state.samples.max(1) as f64)
    }

    /// Whether the budget has room for too few playouts for a race.
    pub(super) fn has_few(&self) -> bool {
        self.expected() < self.few()
    }

    /// Gives the budget to the method that edits where it has room for a few playouts only: a race would use them up.
    pub(super) fn skip(&mut self, race: &mut Race, now: Progress) {
        let (expected, few) = (self.expected(), self.few());
        let all = race.field();
        let Some(editor) = self.editor(all, 0).filter(|_| expected < few && all.len() > 1) else { return };
        let part = self.parameters.exact_share;
        let exact = all.iter().copied().find(|&at| self.entrants[at].is_systematic()).filter(|_| part > 0.0);
        let (mut field, shares): (Vec<usize>, Vec<f64>) = exact.into_iter().map(|at| (at, part)).unzip();
        field.push(editor);
        let (first, editor) = (self.first_shares(&field, &shares, "it"), &self.entrants[editor].entry);
        let remark = format!("the budget has room for about {expected:.0} playouts, too few for a race");
        self.state.remarks.push(format!("{remark}: {first}{editor} has it"));
        race.divide(field, shares, now);
    }

    /// Says which fractions all but the last one get: the first one of `whole`, the others of what is left of it.
    pub(super) fn first_shares(&self, field: &[usize], shares: &[f64], whole: &str) -> String {
        let wholes = std::iter::once(whole).chain(std::iter::repeat("what is left"));
        let parts = field.iter().zip(shares).zip(wholes).map(|((&at, part), whole)| {
            format!("{} gets {} % of {whole}, then ", self.entrants[at].entry, (100.0 * part).round())
        });
        parts.collect()
    }
}

/// Moves an entrant to the last place of a field that stays, if it stands behind that place.
fn keep(field: &mut [usize], entrant: usize, most: usize) {
    let place = field.iter().position(|&at| at == entrant).unwrap_or(0);
    if most > 1 && place >= most {
        field[most - 1..=place].rotate_right(1);
    }
}
