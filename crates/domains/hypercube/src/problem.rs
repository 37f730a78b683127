//! Snakes and coils as a search problem: flip a bit, a bit, a bit.

use super::Kind;
use super::model::{Code, Potential, Snakes};
use super::path::{Path, is_woven, size};
use super::rollout::Walk;
use super::{learned, search, symmetric};
use soloist::problem::{Entrant, Facts, NamedSearch, Prior, StableHasher};
use soloist::rollout::NamedRollout;
use soloist::{Problem, Score};
use std::hash::Hasher;

impl<const W: usize> Problem for Snakes<W> {
    type State = Path<W>;
    /// The bit flipped.
    type Move = u8;

    fn root(&self) -> Path<W> {
        self.root.clone()
    }

    fn moves(&self, state: &Path<W>, moves: &mut Vec<u8>) {
        let mut legal = self.legal_any(state);
        while legal != 0 {
            moves.push(legal.trailing_zeros() as u8);
            legal &= legal - 1;
        }
    }

    fn apply(&self, state: &mut Path<W>, mv: u8) {
        match (self.kind, self.spread == 2) {
            (Kind::Snake, true) => self.advance::<false, true>(state, mv.into()),
            (Kind::Snake, false) => self.advance::<false, false>(state, mv.into()),
            (Kind::Coil, true) => self.advance::<true, true>(state, mv.into()),
            (Kind::Coil, false) => self.advance::<true, false>(state, mv.into()),
        }
    }

    fn score(&self, state: &Path<W>) -> Score {
        let value = if self.kind == Kind::Coil { state.closed } else { state.length };
        Score::Feasible(value.into())
    }

    fn code(&self, state: &Path<W>, mv: u8) -> u64 {
        self.code_of(state, mv.into())
    }

    fn bound(&self, state: &Path<W>) -> Option<f64> {
        Some(self.most(state).into())
    }

    /// A number of vertices; 0 for a coil that cannot grow any more. Of a path that ended, the share of the cube that
    /// is free. It orders paths of one length, and is less than any number of vertices. With [`Potential::Woven`] a
    /// woven path has all vertices of the cube more.
    fn potential(&self, state: &Path<W>) -> Option<f64> {
        Some(self.rank(state, |vertices| size(vertices).into()))
    }

    fn key(&self, state: &Path<W>) -> Option<u64> {
        Some(self.key_of(state))
    }

    /// Beams that become ten times as wide: small cubes end with a proof, and of large ones there is an answer soon. In
    /// cubes that no exhaustive search has settled, symmetric coils and their sections race with them, and up to
    /// dimension 10 beams whose ranking is learned. In larger cubes a beam takes too long for that.
    fn portfolio(&self) -> Vec<Entrant> {
        let mut entrants = vec![Entrant::new("beam").set("width", 100).set("widen", 10)];
        // The largest dimension that exhaustive search has settled.
        let settled = self.spread + if self.spread > 5 { 6 } else { 5 };
        if self.dimension > settled && self.prefix.is_empty() {
            entrants.push(Entrant::new(symmetric::SYMMETRIC.name));
            if self.dimension <= 10 {
                entrants.push(Entrant::new(learned::LEARNED.name));
            }
        }
        entrants
    }

    fn searches(&self) -> Vec<NamedSearch<Self>> {
        search::searches(self)
    }

    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        vec![NamedRollout::new("random", "uniform over the bits that may be flipped", |_| Box::new(Walk))]
    }

    fn fingerprint(&self) -> u64 {
        let mut hash = StableHasher::new();
        hash.write(self.kind.name().as_bytes());
        hash.write(&[self.dimension as u8, self.spread as u8, self.code as u8, self.potential as u8]);
        hash.write(&self.prefix);
        hash.finish()
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        let edges = (1 << self.dimension) * self.dimension;
        let codes = match self.code {
            Code::Vertex => 1 << self.dimension,
            Code::Edge | Code::Step => edges,
            Code::Turn => edges * (self.dimension + 1),
        };
        Facts {
            // A table of more weights than are ever learned would only take memory.
            code_count: (codes <= 1 << 18).then_some(codes),
            ..Facts::default()
        }
    }
}

impl<const W: usize> Snakes<W> {
    /// The [potential](Problem::potential) of a path, its vertices counted by `value`, which counts as 1 at least: a
    /// path that has ended is behind all others.
    pub(super) fn rank(&self, state: &Path<W>, value: impl Fn(&[u64; W]) -> f64) -> f64 {
        let legal = self.legal_any(state);
        if legal == 0 {
            return f64::from(size(&self.free(state))) / f64::from(1_u32 << self.dimension);
        }
        let vertices = match self.potential {
            Potential::Reachable | Potential::Woven => self.reach(state, legal),
            Potential::Free => self.free(state),
        };
        let is_woven = self.potential == Potential::Woven && is_woven(state.history, state.length);
        let ahead = if is_woven { f64::from(1_u32 << self.dimension) } else { 0.0 };
        let is_alive = self.kind == Kind::Snake || self.may_close(state, &vertices);
        if is_alive { ahead + value(&vertices).max(1.0) } else { 0.0 }
    }
}

impl<const W: usize> Prior<Snakes<W>> for Snakes<W> {
    /// Minus the number of free vertices beside the one entered, tight places first; a dead end comes last, as if there
    /// were as many as dimensions.
    fn bias(&self, state: &Path<W>, mv: u8) -> f64 {
        self.bias_of(self.room(state, mv.into()))
    }
}
