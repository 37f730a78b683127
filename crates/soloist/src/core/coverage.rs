//! Whether a search has covered the whole space: the one place where that is decided.
//!
//! # Invariant
//!
//! Every solution of the problem's tree has, at any time, exactly one of four fates: it was scored; it was excluded,
//! because a bound or an equal state says that it is no better than a solution that is scored or still to be scored; it
//! is still open; or it was left out. Whatever leaves solutions out enters them into the [`Ledger`] of the search
//! before it drops them, with the best bound that is known for them. A search that has nothing open any more is
//! exhausted only if its ledger says so.
//!
//! Types keep this invariant:
//! - [`Status::Exhausted`](crate::search::Status::Exhausted) needs a [`Proof`], which only a [`Ledger`] or a
//!   [`Ceiling`] makes. The stop reason `exhausted`, from which an outcome is optimal, is made from a [`Proof`] alone.
//! - What may leave something out returns a [`Coverage`], which the compiler does not let a caller drop unseen: the
//!   candidates of a rollout, a rollout that says that a state is spent. The tree search cannot close a node without
//!   one.
//! - A [`Ceiling`] falls only with the ledger at hand.
//! - Ledgers and ceilings are parts of checkpoints. A restored run forgets no omission.
//!
//! | source | how it is entered |
//! |---|---|
//! | a rollout that stops (`mark_spent`), in a tree or in a nested one | `Coverage::Partial`, by closing the node |
//! | candidates of a rollout (`selective`) | `Coverage::Partial`, by listing moves |
//! | a nested game | its own ledger: closes the node above with the coverage that it ends with |
//! | a move played and not taken back, a beam in the tree | the ledger of the game, which ends with the game |
//! | places of a beam, or the memory for them | the ledger of the pass, and of the round of passes |
//! | memory for open states | the ledger of the search |
//! | widths, thresholds | the ledger of the pass; the next pass has a ledger for itself |
//! | tables of states that forget | nothing: they repeat work and leave nothing out |
//! | annealing, sampling, nested levels | no proof is ever made |
//! | `auto` | hands on the proof of an entrant |
//! | a problem that does not list all solutions | [`Verdict`](crate::run::verdict::Verdict), for all methods |

use crate::Sense;
use crate::core::codec::CheckpointError;
use crate::core::limits::ensure;
use crate::core::score::{rank, unbounded, unrank};
use serde::{Deserialize, Serialize};

/// Whether the solutions below a state were all considered.
#[must_use = "what is left out has to be entered into a ledger"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// Each was scored, excluded, or is open.
    Whole,
    /// Some may be left out.
    Partial,
}

impl Coverage {
    /// Drops the knowledge, in a search that never claims a proof.
    pub(crate) fn forgo(self) {}
}

impl From<Proof> for Coverage {
    fn from(_: Proof) -> Self {
        Self::Whole
    }
}

/// The proof that no solution below the root of a search is better than the incumbent. Nobody else can make one.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Proof(());

/// The rank of what is left out without a bound. That of a number is less.
const ANY: u64 = u64::MAX;

/// What a search, or a pass of it, has left out: the best rank that a solution among it may have.
///
/// Ranks are those of [`rank`]: larger for better values, above 0 for every number.
#[must_use]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ledger {
    /// 0: nothing was left out.
    lost: u64,
}

impl Ledger {
    /// Returns the ledger of a search that begins: nothing is left out.
    pub(crate) fn open() -> Self {
        Self { lost: 0 }
    }

    /// Enters solutions without a known bound.
    #[inline]
    pub(crate) fn leave_out_any(&mut self) {
        self.lost = ANY;
    }

    /// Enters solutions whose ranks are no better.
    #[inline]
    pub(crate) fn leave_out_ranked(&mut self, rank: u64) {
        self.lost = self.lost.max(rank);
    }

    /// Enters solutions that are no better than `bound`.
    pub(crate) fn leave_out(&mut self, sense: Sense, bound: f64) {
        self.leave_out_ranked(if bound.is_nan() { ANY } else { rank(sense, bound) });
    }

    /// Enters what is missing below a state without a known bound.
    pub(crate) fn note(&mut self, coverage: Coverage) {
        if coverage == Coverage::Partial {
            self.leave_out_any();
        }
    }

    /// Enters what another ledger holds.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.lost = self.lost.max(other.lost);
    }

    /// Returns a bound on everything that was left out. `None`: nothing was.
    pub(crate) fn bound(&self, sense: Sense) -> Option<f64> {
        match self.lost {
            0 => None,
            ANY => Some(unbounded(sense)),
            lost => Some(unrank(sense, lost)),
        }
    }

    /// Whether nothing was left out.
    pub(crate) fn is_blank(&self) -> bool {
        self.lost == 0
    }

    /// Returns the proof that a search which has nothing open any more has covered its space: nothing was left out, or
    /// nothing that is better than the incumbent.
    pub(crate) fn proof(&self, sense: Sense, incumbent: Option<f64>) -> Option<Proof> {
        let reached = |value: f64| rank(sense, value) >= self.lost;
        (self.is_blank() || incumbent.is_some_and(reached)).then_some(Proof(()))
    }

    /// Checks what a checkpoint holds.
    pub(crate) fn check(&self, sense: Sense) -> Result<(), CheckpointError> {
        ensure(!self.bound(sense).is_some_and(f64::is_nan), "a bound that is no number")
    }
}

/// A rank that no solution has, apart from the incumbent and what is worse.
///
/// It falls during a search, whatever the search leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Ceiling(u64);

impl Ceiling {
    /// Nothing is known.
    pub(crate) const UNKNOWN: Self = Self(ANY);

    /// Returns the ceiling that a bound of the root is.
    pub(crate) fn new(sense: Sense, bound: f64) -> Self {
        Self(if bound.is_nan() { ANY } else { rank(sense, bound) })
    }

    /// Lowers the ceiling to the best rank of what is open and of what was left out, where there is any.
    pub(crate) fn lower(&mut self, open: Option<u64>, ledger: &Ledger) {
        let left = open.unwrap_or(0).max(ledger.lost);
        if left > 0 {
            self.0 = self.0.min(left);
        }
    }

    /// Returns the ceiling as a bound.
    pub(crate) fn bound(self, sense: Sense) -> f64 {
        if self.0 == ANY { unbounded(sense) } else { unrank(sense, self.0) }
    }

    /// Returns the proof that no solution is better than the incumbent.
    pub(crate) fn proof(self, sense: Sense, incumbent: Option<f64>) -> Option<Proof> {
        incumbent.is_some_and(|value| rank(sense, value) >= self.0).then_some(Proof(()))
    }

    /// Checks what a checkpoint holds.
    pub(crate) fn check(self, sense: Sense) -> Result<(), CheckpointError> {
        ensure(self.0 > 0 && !self.bound(sense).is_nan(), "a bound that is no number")
    }
}

#[cfg(test)]
mod tests {
    use super::{Ceiling, Coverage, Ledger};
    use crate::Sense;
    use crate::core::score::rank;

    #[test]
    fn a_proof_needs_a_ledger_without_anything_better() {
        for sense in [Sense::Maximize, Sense::Minimize] {
            let [worse, good, better] = if sense == Sense::Maximize { [-1.0, 0.0, 2.0] } else { [3.0, 0.0, -2.0] };
            let mut ledger = Ledger::open();
            ledger.note(Coverage::Whole);
            assert!(ledger.is_blank() && ledger.proof(sense, None).is_some() && ledger.bound(sense).is_none());
            ledger.leave_out(sense, good);
            ledger.leave_out(sense, worse);
            assert_eq!(ledger.bound(sense), Some(good));
            assert!(ledger.proof(sense, None).is_none() && ledger.proof(sense, Some(worse)).is_none());
            assert!(ledger.proof(sense, Some(good)).is_some() && ledger.proof(sense, Some(-0.0)).is_some());
            let mut round = Ledger::open();
            round.merge(&ledger);
            assert_eq!(round, ledger);
            round.note(Coverage::Partial);
            let best = if sense == Sense::Maximize { f64::INFINITY } else { f64::NEG_INFINITY };
            assert!(round.proof(sense, Some(best)).is_none() && round.proof(sense, Some(f64::NAN)).is_none());
            assert_eq!(round.bound(sense), Some(best));

            let mut ceiling = Ceiling::new(sense, better);
            ceiling.lower(None, &Ledger::open());
            assert_eq!(ceiling.bound(sense), better);
            ceiling.lower(Some(rank(sense, worse)), &ledger);
            assert_eq!(ceiling.bound(sense), good);
            assert!(ceiling.proof(sense, Some(worse)).is_none() && ceiling.proof(sense, None).is_none());
            assert!(ceiling.proof(sense, Some(good)).is_some());
            assert!(Ceiling::UNKNOWN.proof(sense, Some(best)).is_none());
            let mut unknown = Ledger::open();
            unknown.leave_out(sense, f64::NAN);
            assert!(unknown.proof(sense, Some(best)).is_none());
        }
    }
}
