//! Edits that rely on the kind of solution, as a few random games show it.

use super::edits::{Edit, Shape, Turned};
use super::replay::Walker;
use crate::erased::MoveId;
use crate::erased::problem::ErasedProblem;
use crate::problem::SolutionKind;
use crate::search::Context;

/// The weight of `replace` in assignments and sets: as much as the other kinds have together.
const SUBSTITUTE: u64 = 20;
/// Decisions of a set from which on the weight of `replace` grows with the square of their number.
const LONG: usize = 32;
/// The last decisions of a set that an edit chooses among, at least.
const WINDOW: usize = 16;

/// The kind of solution that edits rely on, as a few random games show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fitted {
    /// None.
    Any,
    /// Each place has its own decision.
    Assignment,
    /// Decisions can be made in any order.
    Set,
}

impl Walker {
    /// Chooses the weights of the edits, where the kind of solution asks for it and none is set. All follows from the
    /// problem alone, so that a run which is resumed draws the same edits.
    pub(super) fn fit(&mut self, problem: &dyn ErasedProblem) {
        if !std::mem::take(&mut self.fits) {
            return;
        }
        match problem.solution_kind() {
            SolutionKind::Assignment => {
                self.adapts = true;
                self.fitted = Fitted::Assignment;
                self.kinds[Edit::Replace as usize] = SUBSTITUTE;
            }
            SolutionKind::Subset => {
                let Some(count) = problem.free_order() else { return };
                self.fitted = Fitted::Set;
                // Other edits play half of the decisions again.
                let times = (count / LONG).max(1) as u64;
                self.kinds[Edit::Replace as usize] = SUBSTITUTE * times * times;
            }
            SolutionKind::Order | SolutionKind::Other => {}
        }
    }

    /// Takes out a few of the last decisions of a set: others are made instead, behind those that stay. Now and then a
    /// block becomes the last one instead, because the last decisions alone are cheap to play again.
    pub(super) fn exchange(&mut self, context: &mut Context<'_>) {
        let (count, rng) = (self.entries.len(), &mut *context.rng);
        let window = count.isqrt().max(WINDOW).min(count);
        if count > window && rng.index(2 * count) < window {
            let from = rng.index(count);
            let length = 1 + rng.index(window.min(count - from));
            return self.shape(context, Shape { turn: Turned::Rotated(from + length), first: from, last: count });
        }
        // Twice as often one as two or three.
        let mut places = [0; 3];
        let places = &mut places[..[1, 1, 2, 3][rng.index(4)].min(window)];
        places.fill_with(|| count - window + rng.index(window));
        places.sort_unstable();
        (self.first, self.last) = (places[0], usize::MAX);
        self.dropped.extend(places.iter().map(|&at| self.entries[at].mv));
        let stay = (self.first..count).filter(|at| !places.contains(at)).map(|at| self.entries[at]);
        self.replay.plan.extend(stay);
        self.reach(context.problem, self.first);
    }

    /// Draws a move that was not taken out by this edit, if there is one.
    pub(super) fn fresh(&mut self, context: &mut Context<'_>) -> Option<MoveId> {
        self.legal.clear();
        context.rollout.candidates(&self.state, &mut self.legal).forgo();
        let Self { legal, dropped, .. } = self;
        if legal.iter().any(|mv| !dropped.contains(mv)) {
            legal.retain(|mv| !dropped.contains(mv));
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
            assert_eq!(walker.fitted, Fitted::Set);
            let (mut met, mut moves, mut rotated) = (BTreeSet::new(), Vec::new(), 0);
            for _ in 0..5_000 {
                let old: Vec<MoveId> = walker.entries.iter().map(|entry| entry.mv).collect();
                walker.edit(context, kind(Edit::Replace));
                let dropped = walker.dropped.clone();
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
                    assert!(at < kept.len() || !dropped.contains(mv) || !others, "{dropped:?} {moves:?}");
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
