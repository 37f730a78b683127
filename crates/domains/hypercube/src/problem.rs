//! Snakes and coils as a search problem: flip a bit, a bit, a bit.

use super::Kind;
use super::model::{Code, Snakes, Terms};
use super::path::Path;
use super::rollout::Walk;
use super::width::by_width;
use super::{learned, search, sections, symmetric};
use soloist::problem::{Entrant, Extras, Facts, Key, NamedSearch, Prior, StableHasher};
use soloist::rollout::NamedRollout;
use soloist::{Problem, Score};
use std::hash::Hasher;

impl Problem for Snakes {
    type State = Path;
    /// The bit flipped.
    type Move = u8;

    fn root(&self) -> Path {
        self.root.clone()
    }

    fn moves(&self, state: &Path, moves: &mut Vec<u8>) {
        let mut legal = self.legal(state);
        while legal != 0 {
            moves.push(legal.trailing_zeros() as u8);
            legal &= legal - 1;
        }
    }

    fn apply(&self, state: &mut Path, mv: u8) {
        by_width!(&self.rules, state => rules, path; rules.advance_any(path, mv.into()));
    }

    fn score(&self, state: &Path) -> Score {
        Score::Feasible(if self.terms.kind == Kind::Coil { state.closed() } else { state.length() }.into())
    }

    fn code(&self, state: &Path, mv: u8) -> u64 {
        by_width!(&self.rules, state => rules, path; rules.code_of(path, mv.into()))
    }

    fn bound(&self, state: &Path) -> Option<f64> {
        Some(by_width!(&self.rules, state => rules, path; rules.most(path)).into())
    }

    /// A number of vertices; 0 for a coil that cannot grow any more. Of a path that ended, the share of the cube that
    /// is free. It orders paths of one length, and is less than any number of vertices. With
    /// [`Potential::Woven`](crate::Potential::Woven) a woven path has all vertices of the cube more.
    fn potential(&self, state: &Path) -> Option<f64> {
        Some(by_width!(&self.rules, state => rules, path; rules.rank_by_count(path)))
    }

    fn key(&self, state: &Path) -> Option<Key> {
        Some(by_width!(&self.rules, state => rules, path; rules.key_of(path)))
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        let Terms { dimension, code, .. } = self.terms;
        let edges = (1 << dimension) * dimension;
        let codes = match code {
            Code::Vertex => 1 << dimension,
            Code::Edge | Code::Step => edges,
            Code::Turn => edges * (dimension + 1),
        };
        Facts {
            // A table of more weights than are ever learned would only take memory.
            code_count: (codes <= 1 << 18).then_some(codes),
            state_bytes: Some(by_width!(&self.root => path; 2 * path.bytes())),
            ..Facts::default()
        }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Snakes {
    /// Beams that become ten times as wide: small cubes end with a proof, and of large ones there is an answer soon. In
    /// cubes that no exhaustive search has settled, symmetric coils and their sections race with them, up to dimension
    /// 10 beams whose ranking is learned, and annealing by sections from spread 5 on, with spread 4 up to dimension
    /// 11. In larger cubes a beam takes too long to learn from, and where paths are longer sections gain less.
    fn portfolio(&self) -> Vec<Entrant> {
        let mut entrants = vec![Entrant::new("beam").set("width", 100).set("widen", 10)];
        let Terms { dimension, spread, .. } = self.terms;
        // The largest dimension that exhaustive search has settled.
        let settled = spread + if spread > 5 { 6 } else { 5 };
        if dimension > settled && self.prefix.is_empty() {
            entrants.push(Entrant::new(symmetric::SYMMETRIC.name));
            if dimension <= 10 {
                entrants.push(Entrant::new(learned::LEARNED.name));
            }
            if spread > 4 || spread == 4 && dimension <= 11 {
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

    fn fingerprint(&self) -> Option<u64> {
        let mut hash = StableHasher::new();
        let Terms { kind, dimension, spread, code, potential } = self.terms;
        hash.write(kind.name().as_bytes());
        hash.write(&[dimension as u8, spread as u8, code as u8, potential as u8]);
        hash.write(&self.prefix);
        Some(hash.finish())
    }
}

impl Prior<Self> for Snakes {
    /// Minus the number of free vertices beside the one entered, tight places first; a dead end comes last, as if there
    /// were as many as dimensions.
    fn bias(&self, state: &Path, mv: u8) -> f64 {
        by_width!(&self.rules, state => rules, path; rules.bias_of(rules.room(path, mv.into())))
    }
}
