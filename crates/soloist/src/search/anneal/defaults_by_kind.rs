//! Edits that rely on the kind of solution, as a few random games show it.

use super::edits::{Edit, Fitted, Shape, Turned};
use super::replay::{Buffers, Walker};
use crate::erased::MoveId;
use crate::erased::problem::ErasedProblem;
use crate::erased::replay::Entry;
use crate::problem::SolutionKind;
use crate::search::Context;

/// The weight of `replace` in assignments and sets: as much as the other kinds have together.
const SUBSTITUTE: u64 = 20;
/// The weight of `replace` in sets grows with the square of the number of times that this is contained in the number of
/// decisions.
const LONG: usize = 32;
/// The last decisions of a set that an edit chooses among, at least.
const WINDOW: usize = 16;
/// One edit of a set in as many moves a block to the end.
const ROTATED: usize = 32;

impl Walker {
    /// Chooses the weights of the edits, where the kind of solution asks for it and none is set. All follows from the
    /// problem alone, so that a run that is resumed draws the same edits.
    pub(super) fn fit(&mut self, problem: &dyn ErasedProblem) {
        if !std::mem::take(&mut self.choice.fits) {
            return;
        }
        let seen = SolutionKind::seen_by_replays(problem);
        if seen.kind != SolutionKind::Order {
            self.links.take_if(|links| !links.are_named());
        }
        self.choice.adapts = seen.kind == SolutionKind::Assignment;
        if seen.has_places {
            self.choice.fitted = Fitted::Assignment;
            self.choice.weights[Edit::Replace as usize] = SUBSTITUTE;
        } else if let Some(count) = seen.free_order {
            self.choice.fitted = Fitted::Set;
            // Other edits play half of the decisions again.
            let times = (count / LONG).max(1) as u64;
            self.choice.weights[Edit::Replace as usize] = SUBSTITUTE * times * times;
        }
    }

    /// Takes out up to three of the last decisions of a set: others are made instead, behind those that stay. Now and
    /// then a block becomes the last one instead, so that each decision is among the last ones at some time: these
    /// are cheap to play again.
    pub(super) fn exchange(&mut self, context: &mut Context<'_>) {
        let (count, rng) = (self.entries.len(), &mut *context.rng);
        let window = count.isqrt().max(WINDOW).min(count);
        if count > window && rng.index(ROTATED) == 0 {
            let from = rng.index(count - 1);
            let length = 1 + rng.index(window.min(count - from - 1));
            return self.shape(context, Shape { turn: Turned::Rotated(from + length), first: from, last: count });
        }
        let mut places = [0; 3];
        let places = &mut places[..[1, 1, 2, 3][rng.index(4)].min(window)];
        places.fill_with(|| count - window + rng.index(window));
        places.sort_unstable();
        (self.first, self.last) = (places[0], usize::MAX);
        let by_identity = self.replay.by_identity;
        let name = |entry: &Entry| if by_identity { entry.name } else { entry.mv };
        for at in self.first..count {
            let entry = &self.entries[at];
            if places.contains(&at) {
                self.dropped.names.push(name(entry));
                self.dropped.owed += 1;
            } else {
                self.replay.plan.push(*entry);
            }
        }
        self.reach(context.problem, self.first);
    }

    /// Draws a candidate that was not taken out by this edit, if there is one.
    pub(super) fn fresh(&mut self, context: &mut Context<'_>) -> Option<MoveId> {
        self.dropped.owed -= 1;
        let Self { buffers: Buffers { legal, .. }, dropped, state, replay, .. } = self;
        legal.clear();
        context.rollout.candidates(state, legal).forgo();
        let is_fresh = |mv: MoveId| {
            let identity = if replay.by_identity { context.problem.identity(state, mv) } else { None };
            !dropped.names.contains(&identity.unwrap_or(mv))
        };
        if legal.iter().any(|&mv| is_fresh(mv)) {
            legal.retain(|&mv| is_fresh(mv));
        }
        self.pick(context)
    }
}

#[cfg(test)]
mod tests {
    use super::super::replay::End;
    use super::super::tests::{kind, with_search};
    use super::*;
    use crate::{Problem, Score};
    use std::collections::BTreeSet;

    /// Items of the sizes 1 to 40 for a bag of 250.
    struct Bag;

    impl Problem for Bag {
        type State = Vec<u8>;
        type Move = u8;
        fn root(&self) -> Vec<u8> {
            Vec::new()
        }
        fn moves(&self, bag: &Vec<u8>, moves: &mut Vec<u8>) {
            let left = 250 - bag.iter().sum::<u8>();
            moves.extend((1..=40).filter(|item| !bag.contains(item) && *item <= left));
        }
        fn apply(&self, bag: &mut Vec<u8>, item: u8) {
            bag.push(item);
        }
        fn score(&self, bag: &Vec<u8>) -> Score {
            Score::Feasible(bag.iter().map(|&item| f64::from(item).sqrt()).sum())
        }
    }

    #[test]
    fn neighbours_of_sets_exchange_decisions() {
        with_search(&Bag, 0, |search, context| {
            let walker = &mut search.walker;
            // The sizes 1 to 21 leave 19, in which nothing else fits.
            let first: Vec<MoveId> = (1..=21).collect();
            walker.recode(context.problem, &first);
            assert_eq!(walker.choice.fitted, Fitted::Set);
            let (mut met, mut moves, mut rotated) = (BTreeSet::new(), Vec::new(), 0);
            for _ in 0..5_000 {
                let old: Vec<MoveId> = walker.entries.iter().map(|entry| entry.mv).collect();
                walker.edit(context, kind(Edit::Replace));
                let dropped = walker.dropped.names.clone();
                let end = walker.run(context, None, f64::INFINITY);
                walker.moves(&mut moves);
                let kept: Vec<MoveId> = old.iter().copied().filter(|mv| !dropped.contains(mv)).collect();
                if dropped.is_empty() {
                    rotated += 1;
                    let sorted = |moves: &[MoveId]| moves.iter().copied().collect::<BTreeSet<_>>();
                    assert_eq!((end, sorted(&moves)), (End::Finished, sorted(&old)), "a block is moved to the end");
                } else {
                    assert!(
                        (1..=3).contains(&dropped.len()) && moves.starts_with(&kept),
                        "{old:?} {dropped:?} {moves:?}"
                    );
                }
                // By the rules of the bag alone.
                let mut left: u64 = 250;
                for (at, mv) in moves.iter().enumerate() {
                    let fits = |mv: MoveId| !moves[..at].contains(&mv) && mv <= left;
                    assert!(fits(*mv), "{moves:?}");
                    let others = (1..=40).any(|other| fits(other) && !dropped.contains(&other));
                    let is_drawn = (kept.len()..kept.len() + dropped.len()).contains(&at);
                    assert!(!is_drawn || !dropped.contains(mv) || !others, "{dropped:?} {moves:?}");
                    left -= mv;
                }
                assert!((1..=40).all(|mv| moves.contains(&mv) || mv > left), "{moves:?} is not finished");
                met.extend(moves.iter().copied());
                walker.accept(context.problem, end);
            }
            assert!(rotated > 0 && met.len() == 40, "{rotated} {met:?}");
        });
    }
}
