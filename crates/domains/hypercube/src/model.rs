//! The rules: paths, what blocks a vertex, and where a cycle closes.

use super::limits::Limits;
use super::path::{Near, Path, Track, add_ball, add_neighbors, flips_into, inside, near};
use super::width::{ByWidth, by_width, of_width, words};
use super::{Cube, Kind, MAX_WORDS, nodes_of};
use soloist::Problem;
use soloist::problem::{Key, KeyHasher};
use std::hash::Hasher;
use std::ops::Deref;

/// What a learned weight belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Code {
    /// The vertex entered.
    #[default]
    Vertex,
    /// The edge taken, in its direction.
    Edge,
    /// The edge taken and the bit flipped before.
    Turn,
    /// The bit flipped and the number of edges before.
    Step,
}

impl Code {
    /// Returns the code of that name; the default for any other.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "edge" => Self::Edge,
            "turn" => Self::Turn,
            "step" => Self::Step,
            _ => Self::Vertex,
        }
    }
}

/// What a path is ranked by among others as long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Potential {
    /// The vertices that the head reaches over vertices that are not blocked.
    #[default]
    Reachable,
    /// All vertices that are not blocked.
    Free,
    /// As `Reachable`, but a path is ahead of all others while every second one of its last eight flips, at even or at
    /// odd places, repeats the flip four before it: two bits alternate there. Such paths of spread 3 are long in large
    /// cubes; of greater spreads there are none.
    Woven,
}

impl Potential {
    /// Returns the potential of that name in a cube of this size: for any other name, `Woven` for spread 3 from
    /// dimension 9 on, else `Reachable`.
    #[must_use]
    pub fn named(name: &str, dimension: u32, spread: u32) -> Self {
        match name {
            "free" => Self::Free,
            "woven" => Self::Woven,
            "reachable" => Self::Reachable,
            _ if spread == 3 && dimension >= 9 => Self::Woven,
            _ => Self::Reachable,
        }
    }
}

/// The paths of a [`Cube`], to be made as long as possible, or to be closed to a cycle as long as possible.
///
/// A move is the bit flipped. A state holds the blocked vertices as bits, so that a move costs a few words: for spread
/// 2 those of the head's neighbours, else those of a ball.
///
/// **Coils** are snakes that close: without its last `k - 1` vertices a coil of length `N` is a snake of length `N - k`
/// with ends at distance exactly `k`. So a snake is played, and whenever its head has `k` bits, the `k!` shortest ways
/// back to the start are tried; the score is the longest cycle so found on the way, at least the trivial one of `2 d`
/// vertices (flip all bits in turn, twice). A path is finished as well when no cycle can close any more because all
/// vertices beside the start are too close to the path.
///
/// The bound is that of `bound.rs`; the key depends on what may follow the head, not on what is blocked
/// elsewhere.
///
/// # References
/// K. J. Kochut, "Snake-in-the-box codes for dimension 7", Journal of Combinatorial Mathematics and Combinatorial
/// Computing 20, 1996 (canonical paths). T. Cazenave and S. Edelkamp, "High-diversity Monte-Carlo tree search", 2016
/// (spreads 2 to 7). S. Hood, D. Recoskie, J. Sawada and D. Wong, "Snakes, coils, and single-track circuit codes with
/// spread k", Journal of Combinatorial Optimization 30, 2015.
#[derive(Debug)]
pub struct Snakes {
    pub(super) terms: Terms,
    pub(super) prefix: Vec<u8>,
    pub(super) rules: ByWidth<Rules<4>, Rules<16>, Rules<MAX_WORDS>>,
    /// A single vertex.
    pub(super) start: Path,
    /// The prefix.
    pub(super) root: Path,
}

/// What is played, and the two choices of the user.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) kind: Kind,
    pub(super) dimension: u32,
    pub(super) spread: u32,
    pub(super) code: Code,
    pub(super) potential: Potential,
}

/// The rules for sets of `64 W` vertices, `W` a power of two.
#[derive(Debug)]
pub(super) struct Rules<const W: usize> {
    terms: Terms,
    /// All bits of a vertex.
    full: u16,
    /// The words in use.
    pub(super) words: usize,
    /// The vertices that exist.
    pub(super) inside: [u64; W],
    /// The words that a ball of radius `k - 1` reaches.
    pub(super) near: Vec<Near>,
    /// Of a coil, by number of edges (the last entry for all more): the balls around the first `k - 1` vertices.
    first: Vec<[u64; W]>,
    /// Of a coil: the vertices within `k - 1` of the start, where it closes.
    center: [u64; W],
    pub(super) limits: Limits,
}

impl<const W: usize> Deref for Rules<W> {
    type Target = Terms;

    fn deref(&self) -> &Terms {
        &self.terms
    }
}

impl Snakes {
    /// Returns the paths of `cube`, beginning with its prefix.
    #[must_use]
    pub fn new(kind: Kind, cube: &Cube, code: Code, potential: Potential) -> Self {
        Self::in_words(kind, cube, code, potential, 0)
    }

    /// As [`Snakes::new`], with sets of at least so many words: all widths play the same.
    #[doc(hidden)]
    #[must_use]
    pub fn in_words(kind: Kind, cube: &Cube, code: Code, potential: Potential, least: usize) -> Self {
        let (dimension, spread) = (cube.dimension(), cube.spread());
        let terms = Terms { kind, dimension, spread, code, potential };
        let words = words(dimension, least);
        let start = of_width!(words, W => Track::<W>::start(&terms));
        let (rules, prefix) = (of_width!(words, W => Rules::<W>::new(terms)), cube.prefix().to_vec());
        let mut snakes = Self { terms, prefix, rules, root: start.clone(), start };
        snakes.root = snakes.after(cube.prefix());
        snakes
    }

    /// Returns the snakes of the cube of another dimension, with the same spread. If woven paths are first here, paths
    /// there are ranked by the default of that cube.
    ///
    /// # Panics
    /// When there is no cube of this dimension.
    pub(super) fn snakes_of(&self, dimension: u32) -> Self {
        let Terms { spread, code, potential, .. } = self.terms;
        let cube = Cube::new(dimension, spread).expect("a smaller cube of at least two dimensions");
        let potential = match potential {
            Potential::Woven => Potential::named("auto", dimension, spread),
            potential => potential,
        };
        Self::new(Kind::Snake, &cube, code, potential)
    }

    /// Path or cycle.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.terms.kind
    }

    /// Returns the vertices of the path after `moves`, the prefix included.
    #[must_use]
    pub fn nodes(&self, moves: &[u8]) -> Vec<u32> {
        nodes_of(&[&self.prefix, moves].concat())
    }

    /// Returns the vertices of the solution that `moves` stand for: of the path, or of the longest cycle found on it.
    #[must_use]
    pub fn answer(&self, moves: &[u8]) -> Vec<u32> {
        match self.terms.kind {
            Kind::Snake => self.nodes(moves),
            Kind::Coil => self.cycle(moves),
        }
    }

    /// Returns the mask of bits that may be flipped.
    pub(super) fn legal(&self, path: &Path) -> u32 {
        by_width!(&self.rules, path => rules, path; rules.legal_any(path))
    }

    /// The path that flips these bits behind the root.
    pub(super) fn after(&self, flips: &[u8]) -> Path {
        let mut path = self.root.clone();
        flips.iter().for_each(|&flip| self.apply(&mut path, flip));
        path
    }
}

impl<const W: usize> Track<W> {
    /// A single vertex.
    fn start(terms: &Terms) -> Self {
        let mut start =
            Self { blocked: [0; W], history: 0, head: 0, tail: 0, length: 0, closed: 0, allowed: 1, gates: 0 };
        if terms.spread == 1 {
            start.blocked[0] = 1;
        }
        if terms.kind == Kind::Coil {
            start.closed = 2 * terms.dimension as u16;
            // Of the vertices beside the start, those of the first `k` bits are too close to vertex number `k`.
            start.gates = full(terms.dimension) & !((1 << terms.spread) - 1);
        }
        start
    }
}

/// All bits of a vertex.
fn full(dimension: u32) -> u16 {
    ((1_u32 << dimension) - 1) as u16
}

impl<const W: usize> Rules<W> {
    fn new(terms: Terms) -> Self {
        let Terms { kind, dimension, spread, .. } = terms;
        let words = words(dimension, 0);
        let near = near(spread - 1, words);
        let mut first = Vec::new();
        let mut balls = [0; W];
        // After `length` edges, the ball around vertex number `length + 1 - k` counts: 0, 1, 3, 7, ...
        for length in 0..(2 * spread).saturating_sub(2).max(1) {
            if let Some(number) = (length + 1).checked_sub(spread)
                && kind == Kind::Coil
                && spread > 1
                && number < dimension
            {
                add_ball(&mut balls, (1 << number) - 1, &near);
            }
            first.push(balls);
        }
        let mut center = [0; W];
        add_ball(&mut center, 0, &near);
        let (full, inside, limits) = (full(dimension), inside(dimension), Limits::new(dimension, spread));
        Self { terms, full, words, inside, near, first, center, limits }
    }

    /// Of a coil: the balls around the first vertices that count at this length.
    #[inline(always)]
    pub(super) fn first(&self, path: &Track<W>) -> &[u64; W] {
        &self.first[usize::from(path.length).min(self.first.len() - 1)]
    }

    /// Returns the bits that may be flipped, as a mask. `TWO`: the spread is 2.
    #[inline(always)]
    pub(super) fn legal<const COIL: bool, const TWO: bool>(&self, path: &Track<W>) -> u32 {
        if COIL && path.gates == 0 {
            return 0;
        }
        if !TWO && u32::from(path.length) + 1 < self.spread {
            // Nothing is blocked yet, and each bit differs from those before.
            return 1_u32 << path.length & u32::from(self.full);
        }
        let head = usize::from(path.head);
        let into = if COIL {
            let first = self.first(path);
            flips_into::<W>(|word| path.blocked[word] | first[word], head)
        } else {
            flips_into::<W>(|word| path.blocked[word], head)
        };
        !into & u32::from(path.allowed)
    }

    /// Flips a bit that may be flipped.
    #[inline(always)]
    pub(super) fn advance<const COIL: bool, const TWO: bool>(&self, path: &mut Track<W>, bit: u32) {
        let left = usize::from(path.head);
        path.head ^= 1 << bit;
        path.allowed |= 2_u16 << bit & self.full;
        path.length += 1;
        path.history = path.history << 4 | bit;
        if TWO {
            if !COIL || path.length > 1 {
                add_neighbors(&mut path.blocked, left);
            }
        } else {
            let (length, spread) = (u32::from(path.length), self.spread);
            if length + 1 >= spread {
                if length + 1 > spread {
                    path.tail ^= 1 << (path.history >> (4 * (spread - 1)) & 15);
                }
                if !COIL || length + 2 >= 2 * spread {
                    add_ball(&mut path.blocked, path.tail.into(), &self.near);
                }
            }
        }
        if COIL {
            self.close::<TWO>(path);
        }
    }

    /// Notes the cycle that the path closes to, if there is a new one, and what its head takes from later ones.
    #[inline(always)]
    fn close<const TWO: bool>(&self, path: &mut Track<W>) {
        if count_bits(path.head) == self.spread {
            let (gates, length) = (path.gates, path.length + self.spread as u16);
            let open = gates & path.head != 0 && length > path.closed;
            // A single vertex closes a coil of spread 2: that it is open says all.
            if open && (TWO || self.closing(path, gates).is_some()) {
                path.closed = length;
            }
            path.gates &= !path.head;
        }
    }

    /// Flips a bit, whatever the kind and the spread.
    #[inline]
    pub(super) fn advance_any(&self, path: &mut Track<W>, bit: u32) {
        match (self.kind, self.spread == 2) {
            (Kind::Snake, true) => self.advance::<false, true>(path, bit),
            (Kind::Snake, false) => self.advance::<false, false>(path, bit),
            (Kind::Coil, true) => self.advance::<true, true>(path, bit),
            (Kind::Coil, false) => self.advance::<true, false>(path, bit),
        }
    }

    /// Returns the mask of moves, whatever the kind and the spread.
    #[inline]
    pub(super) fn legal_any(&self, path: &Track<W>) -> u32 {
        match (self.kind, self.spread == 2) {
            (Kind::Snake, true) => self.legal::<false, true>(path),
            (Kind::Snake, false) => self.legal::<false, false>(path),
            (Kind::Coil, true) => self.legal::<true, true>(path),
            (Kind::Coil, false) => self.legal::<true, false>(path),
        }
    }

    /// Returns the bias of a move to a vertex with `room` free ones beside it.
    #[inline(always)]
    pub(super) fn bias_of(&self, room: u32) -> f64 {
        -f64::from(if room == 0 { self.dimension } else { room })
    }

    /// Returns the number of free vertices beside the one entered by flipping `bit`.
    #[inline(always)]
    pub(super) fn room(&self, path: &Track<W>, bit: u32) -> u32 {
        let first = self.first(path);
        let into = flips_into::<W>(|word| path.blocked[word] | first[word], usize::from(path.head ^ 1 << bit));
        (!into & u32::from(self.full)).count_ones()
    }

    /// Returns the address of a move's weight.
    #[inline(always)]
    pub(super) fn code_of(&self, path: &Track<W>, bit: u32) -> u64 {
        let (head, d) = (u64::from(path.head), u64::from(self.dimension));
        let edge = head * d + u64::from(bit);
        match self.code {
            Code::Vertex => head ^ 1 << bit,
            Code::Edge => edge,
            // Without a bit before: the number after the last.
            Code::Turn => edge * (d + 1) + self.last_flip(path).map_or(d, u64::from),
            Code::Step => u64::from(path.length) * d + u64::from(bit),
        }
    }

    /// The bit flipped last.
    #[inline(always)]
    fn last_flip(&self, path: &Track<W>) -> Option<u32> {
        (path.length > 0).then_some(path.history & 15)
    }

    /// Hash of what the future of a path depends on, and of its score so far.
    #[inline(never)]
    pub(super) fn key_of(&self, path: &Track<W>) -> Key {
        let mut hash = KeyHasher::new();
        let ahead = self.ahead(path, self.legal_any(path));
        for &word in &ahead[..self.words] {
            hash.write_u64(word);
        }
        self.write_key(&mut hash, path);
        hash.key()
    }

    /// Writes what else the key of a path is made of into a hasher that has read which vertices may follow.
    pub(super) fn write_key(&self, hash: &mut impl Hasher, path: &Track<W>) {
        if self.kind == Kind::Coil {
            for word in 0..self.words {
                hash.write_u64(path.blocked[word] & self.center[word]);
            }
        }
        let [head, length, allowed, gates] = [path.head, path.length, path.allowed, path.gates].map(u64::from);
        hash.write_u64(head << 48 | length << 32 | allowed << 16 | gates);
        // The flips between the head and the last vertex with a blocked ball.
        let flips = if self.spread > 2 { path.history & ((1 << (4 * (self.spread - 2))) - 1) } else { 0 };
        hash.write_u64(u64::from(path.closed) << 32 | u64::from(flips));
    }
}

/// The number of bits of a vertex.
#[inline(always)]
fn count_bits(vertex: u16) -> u32 {
    super::path::count::<128>(vertex.into()) as u32
}
