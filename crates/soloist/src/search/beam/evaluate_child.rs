//! What a child is worth: decided by its state alone, so that any thread can find it out.

use super::merge::Future;
use super::rank::Ranker;
use super::{Beam, Merit};
use crate::Sense;
use crate::core::hash::{Key, stable_hash};
use crate::core::score::unbounded;
use crate::erased::problem::{ErasedProblem, State};
use std::sync::Arc;

/// How the children of a pass are judged. Clones share the ranker.
#[derive(Clone)]
pub(super) struct Judge {
    pub(super) sense: Sense,
    pub(super) prune: bool,
    pub(super) merge: bool,
    pub(super) merit: Merit,
    pub(super) ranker: Arc<Ranker>,
    /// Whether states are merged by their futures.
    pub(super) has_futures: bool,
    /// Whether the ranks of a pass can prove something: they are those of bounds, and it begins at the root.
    pub(super) sharp: bool,
    /// Makes the noise of the pass.
    pub(super) salt: u64,
}

/// When a child need not be judged further.
#[derive(Clone, Copy)]
pub(super) struct Measure {
    /// The value of the incumbent, if there is one.
    pub(super) incumbent: Option<f64>,
    /// Children below this rank do not survive.
    pub(super) cut: u64,
    /// Whether an incumbent may come before the child is admitted: its bound is then always asked for.
    pub(super) is_ahead: bool,
}

/// Where a child comes from.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    /// The link of its parent, the place of the parent in the layer, and its own place among the children.
    pub(super) link: u32,
    pub(super) at: usize,
    pub(super) place: usize,
}

/// A child whose bound is not hopeless.
#[derive(Clone, Copy)]
pub(super) struct Judged {
    /// Its bound, where that was asked for; otherwise NaN.
    pub(super) bound: f64,
    /// Whether its rank says nothing about solutions.
    pub(super) is_doubtful: bool,
    /// The best rank that noise could give it.
    pub(super) best: u64,
    /// `None`: that rank is below the cut.
    pub(super) worth: Option<Worth>,
}

/// What decides between children that are not below the cut.
#[derive(Clone, Copy)]
pub(super) struct Worth {
    pub(super) rank: u64,
    pub(super) mix: u64,
    /// The key of its state, where the first of equal states is kept.
    pub(super) key: Option<Key>,
    /// The future of its state and the rank of the score so far.
    pub(super) future: Option<(u128, u64)>,
}

impl Judge {
    pub(super) fn new(parameters: &Beam, problem: &dyn ErasedProblem, has_futures: bool) -> Self {
        Self {
            sense: problem.sense(),
            prune: parameters.prune,
            merge: parameters.merge,
            merit: parameters.merit,
            ranker: Arc::new(Ranker::new(parameters, problem)),
            has_futures,
            sharp: parameters.prune && parameters.noise == 0.0 && parameters.split == 0 && !parameters.selective,
            salt: 0,
        }
    }

    /// Judges a child. `None`: it cannot lead to anything better than the incumbent. Puts the ranks of its resources
    /// into `future`.
    #[inline]
    pub(super) fn judge(
        &self,
        problem: &dyn ErasedProblem,
        child: &State,
        origin: Origin,
        measure: Measure,
        future: &mut Future,
    ) -> Option<Judged> {
        let asked = self.prune && (measure.is_ahead || measure.incumbent.is_some());
        let known = if asked { Some(problem.bound(child)) } else { None };
        let best = known.map(|bound| bound.filter(|bound| !bound.is_nan()).unwrap_or_else(|| unbounded(self.sense)));
        if best.is_some_and(|bound| self.sense.is_hopeless(bound, measure.incumbent)) {
            return None;
        }
        let merit = self.ranker.merit(problem, child, || known.unwrap_or_else(|| problem.bound(child)));
        let is_doubtful = self.sharp && self.doubts(problem, child, merit);
        let merit = merit.unwrap_or(0.0);
        let mut judged =
            Judged { bound: best.unwrap_or(f64::NAN), is_doubtful, best: self.ranker.best_rank(merit), worth: None };
        // Most are hopeless whatever their noise: their keys are not even asked for.
        if judged.best < measure.cut {
            return Some(judged);
        }
        let (key, mixed) = if self.has_futures {
            (None, future.read(problem, child, self.sense))
        } else {
            let key = problem.key(child).filter(|_| self.merge);
            (key, key.map(Key::mix))
        };
        // Equal states get equal noise, whatever their parents are.
        let Origin { link, at, place } = origin;
        let salt = self.salt;
        let mix = mixed.map_or_else(|| stable_hash(&(salt, link, at, place)), |mixed| stable_hash(&(salt, mixed)));
        let rank = self.ranker.rank(merit, mix);
        judged.worth = Some(Worth { rank, mix, key, future: future.now });
        Some(judged)
    }

    /// Whether a rank says nothing about solutions: the pass proves nothing by its bounds then.
    #[inline(never)]
    fn doubts(&self, problem: &dyn ErasedProblem, child: &State, merit: Option<f64>) -> bool {
        let bounded = match self.merit {
            Merit::Potential => problem.potential(child).is_none(),
            Merit::Bound => true,
            Merit::None => false,
        };
        !bounded || merit.is_none()
    }
}
