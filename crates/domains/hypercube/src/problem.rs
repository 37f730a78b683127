//! Snakes and coils as a search problem: flip a bit, a bit, a bit.

use super::Kind;
use super::model::{Code, Snakes};
use super::path::Path;
use super::rollout::Walk;
use super::{learned, search, sections, symmetric};
use soloist::problem::{Entrant, Facts, Key, NamedSearch, Prior, StableHasher};
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
    /// is free. It orders paths of one length, and is less than any number of vertices. With
    /// [`Potential::Woven`](crate::Potential::Woven) a woven path has all vertices of the cube more.
    fn potential(&self, state: &Path<W>) -> Option<f64> {
        Some(self.rank_by_count(state))
    }

    fn key(&self, state: &Path<W>) -> Option<Key> {
        Some(self.key_of(state))
    }

    /// Beams that become ten times as wide: small cubes end with a proof, and of large ones there is an answer soon. In
    /// cubes that no exhaustive search has settled, symmetric coils and their sections race with them, up to dimension
    /// 10 beams whose ranking is learned, and annealing by sections from spread 5 on, with spread 4 up to dimension
    /// 11. In larger cubes a beam takes too long to learn from, and where paths are longer sections gain less.
    fn portfolio(&self) -> Vec<Entrant> {
        let mut entrants = vec![Entrant::new("beam").set("width", 100).set("widen", 10)];
        // The largest dimension that exhaustive search has settled.
        let settled = self.spread + if self.spread > 5 { 6 } else { 5 };
        if self.dimension > settled && self.prefix.is_empty() {
            entrants.push(Entrant::new(symmetric::SYMMETRIC.name));
            if self.dimension <= 10 {
                entrants.push(Entrant::new(learned::LEARNED.name));
            }
            if self.spread > 4 || self.spread == 4 && self.dimension <= 11 {
                entrants.push(Entrant::new(sections::SECTIONS.name));
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

impl<const W: usize> Prior<Snakes<W>> for Snakes<W> {
    /// Minus the number of free vertices beside the one entered, tight places first; a dead end comes last, as if there
    /// were as many as dimensions.
    fn bias(&self, state: &Path<W>, mv: u8) -> f64 {
        self.bias_of(self.room(state, mv.into()))
    }
}
