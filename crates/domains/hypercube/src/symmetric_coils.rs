//! Coils that a symmetry of the cube maps to themselves: a short path and its images.

use super::automorphism::{Symmetries, Symmetry};
use super::closure::trivial;
use super::path::{Near, add_ball, flood, holds, inside, is_woven, near, size, sphere, steps};
use super::width::{ByWidth, by_width, of_width, words};
use super::{Cube, MAX_WORDS, Potential, nodes_of};
use soloist::problem::{Entrant, Extras, Facts, Key, KeyHasher, StableHasher};
use soloist::{Problem, Score};
use std::hash::Hasher;
use std::sync::OnceLock;

/// The vertices that are closer than the spread to one of their images, by symmetry; computed when first needed.
type Banned<const W: usize> = Vec<OnceLock<[u64; W]>>;

/// The coils of a [`Cube`] that are made of a path and its images under a symmetry of the cube.
///
/// The first move is the number of a symmetry `f` of the orders asked for: a permutation of the bits and the image of
/// vertex 0, one of each kind (`automorphism.rs`). The moves after it are bits flipped. The path `v0 .. v(m-1)` that
/// they make is continued by its images: `v(i+m) = f(v(i))`. A coil of `order * m` vertices closes where the head
/// differs in `k` bits from the image of vertex 0 and one of the shortest ways there keeps the rule. So a search has to
/// find an `order`-th of a coil, in the part of the cube that its images leave free. The score is the longest coil
/// closed on the way, at least the trivial one.
///
/// Most coils have no symmetry: the longest one may be left out, and no run claims a proof. Many of the longest known
/// ones have one, though, and are found this way after a fraction of the work.
///
/// # References
/// A. J. Wojciechowski, "A new lower bound for snake-in-the-box codes", Combinatorica 9, 1989, and K. G. Paterson and
/// J. Tuliani, "Some new circuit codes", IEEE Transactions on Information Theory 44, 1998 (coils from a repeated,
/// permuted block of flips).
#[derive(Debug)]
pub struct SymmetricCoils(ByWidth<Images<4>, Images<16>, Images<MAX_WORDS>>);

/// A path from vertex 0 with its images.
pub type Ring = ByWidth<Orbit<4>, Orbit<16>, Orbit<MAX_WORDS>>;

/// The rules for sets of `64 W` vertices, `W` a power of two.
#[derive(Debug)]
pub(super) struct Images<const W: usize> {
    dimension: u32,
    spread: u32,
    words: usize,
    inside: [u64; W],
    near: Vec<Near>,
    potential: Potential,
    symmetries: Symmetries,
    banned: Banned<W>,
}

/// A path from vertex 0 with its images, over at most `64 W` vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orbit<const W: usize> {
    /// The balls of radius `k - 1` around all vertices but the last `k - 1`, and around all images; not around the
    /// first images of the first `k - 1` vertices, where the coil closes.
    blocked: [u64; W],
    /// The last bits flipped, the last one lowest, four bits each.
    history: u32,
    /// The first vertices' flips, the first one lowest, four bits each.
    begin: u32,
    head: u16,
    length: u16,
    /// The length of the longest coil found so far.
    closed: u16,
    /// `None` before the first move.
    symmetry: Option<Symmetry>,
}

impl SymmetricCoils {
    /// Returns the coils of `cube` with a symmetry of one of these orders. With [`Potential::Woven`] beams rank woven
    /// paths first, with any other all paths by the vertices within reach.
    ///
    /// # Panics
    /// When the cube has a prefix.
    #[must_use]
    pub fn new(cube: &Cube, orders: impl Iterator<Item = u32>, potential: Potential) -> Self {
        Self::in_words(cube, orders, potential, 0)
    }

    /// As [`SymmetricCoils::new`], with sets of at least so many words: all widths play the same.
    #[doc(hidden)]
    #[must_use]
    pub fn in_words(cube: &Cube, orders: impl Iterator<Item = u32>, potential: Potential, least: usize) -> Self {
        let (dimension, spread) = (cube.dimension(), cube.spread());
        assert!(cube.prefix().is_empty(), "a symmetric coil has no given beginning");
        let symmetries = Symmetries::new(dimension, spread, orders);
        Self(of_width!(words(dimension, least), W => Images::<W>::new((dimension, spread), symmetries, potential)))
    }

    /// Returns the number of symmetries to choose from.
    #[must_use]
    pub fn symmetries(&self) -> usize {
        self.all().len()
    }

    fn all(&self) -> &[Symmetry] {
        by_width!(&self.0 => rules; &rules.symmetries.all)
    }

    /// The numbers of the symmetries of each order that there are.
    pub(super) fn orders(&self) -> Vec<std::ops::Range<u16>> {
        let mut orders: Vec<std::ops::Range<u16>> = Vec::new();
        let same = |a: &Symmetry, b: &Symmetry| a.order == b.order;
        for order in self.all().chunk_by(same) {
            let start = orders.last().map_or(0, |before| before.end);
            orders.push(start..start + order.len() as u16);
        }
        orders
    }

    pub(super) fn spread(&self) -> u32 {
        by_width!(&self.0 => rules; rules.spread)
    }

    /// The words of a set.
    fn words(&self) -> usize {
        by_width!(&self.0 => rules; rules.inside.len())
    }

    fn dimension(&self) -> u32 {
        by_width!(&self.0 => rules; rules.dimension)
    }

    /// Returns the longest coil found on the path of `moves`, or the trivial one.
    #[must_use]
    pub fn answer(&self, moves: &[u16]) -> Vec<u32> {
        let mut ring = self.root();
        let mut last = None;
        for (at, &mv) in moves.iter().enumerate() {
            by_width!(&self.0, &mut ring => rules, ring; {
                let closed = ring.closed;
                rules.apply(ring, mv);
                if let Some(symmetry) = ring.symmetry.filter(|_| ring.closed > closed) {
                    last = rules.closing(ring, symmetry).map(|way| (at, symmetry, way));
                }
            });
        }
        let Some((edges, symmetry, way)) = last else { return trivial(self.dimension()) };
        let flips: Vec<u8> = moves[1..=edges].iter().map(|&bit| bit as u8).collect();
        let mut nodes = nodes_of(&flips);
        nodes.extend(way.iter().take(self.spread() as usize - 1).map(|&vertex| u32::from(vertex)));
        let block = nodes.len();
        let symmetries = by_width!(&self.0 => rules; &rules.symmetries);
        for at in block..block * usize::from(symmetry.order) {
            nodes.push(symmetries.image(symmetry, nodes[at - block] as u16).into());
        }
        nodes
    }
}

impl<const W: usize> Orbit<W> {
    fn start(dimension: u32) -> Self {
        let closed = 2 * dimension as u16;
        Self { blocked: [0; W], history: 0, begin: 0, head: 0, length: 0, closed, symmetry: None }
    }

    /// The bytes that a path takes.
    fn bytes(&self) -> usize {
        size_of::<Self>()
    }
}

impl<const W: usize> Images<W> {
    fn new((dimension, spread): (u32, u32), symmetries: Symmetries, potential: Potential) -> Self {
        let words = words(dimension, 0);
        let banned = symmetries.all.iter().map(|_| OnceLock::new()).collect();
        let (inside, near) = (inside(dimension), near(spread - 1, words));
        Self { dimension, spread, words, inside, near, potential, symmetries, banned }
    }

    /// The vertices closer than the spread to an image of theirs.
    fn banned(&self, number: usize) -> &[u64; W] {
        self.banned[number].get_or_init(|| {
            let symmetry = self.symmetries.all[number];
            let mut set = [0; W];
            for vertex in 0..1_u16 << self.dimension {
                let is_banned = !self.symmetries.is_apart(symmetry, vertex, self.spread);
                set[usize::from(vertex >> 6)] |= u64::from(is_banned) << (vertex & 63);
            }
            set
        })
    }

    /// Chooses the symmetry.
    fn choose(&self, ring: &mut Orbit<W>, number: usize) {
        let symmetry = self.symmetries.all[number];
        ring.symmetry = Some(symmetry);
        ring.blocked = *self.banned(number);
        self.block(ring, symmetry);
    }

    /// Adds the balls that the arrival at the head brings: that around the vertex now `k - 1` edges behind, and those
    /// around the images of the head.
    fn block(&self, ring: &mut Orbit<W>, symmetry: Symmetry) {
        let (length, spread) = (u32::from(ring.length), self.spread);
        if length + 1 >= spread {
            let mut back = ring.head;
            for flip in 0..spread - 1 {
                back ^= 1 << (ring.history >> (4 * flip) & 15);
            }
            add_ball(&mut ring.blocked, back.into(), &self.near);
        }
        for (number, image) in self.symmetries.images(symmetry, ring.head).enumerate() {
            if number > 0 || length + 1 >= spread {
                add_ball(&mut ring.blocked, image.into(), &self.near);
            }
        }
    }

    /// Flips a bit.
    fn flip(&self, ring: &mut Orbit<W>, symmetry: Symmetry, bit: u32) {
        if ring.length < 7 {
            ring.begin |= bit << (4 * ring.length);
        }
        ring.head ^= 1 << bit;
        ring.length += 1;
        ring.history = ring.history << 4 | bit;
        self.block(ring, symmetry);
        let whole = self.whole(ring, symmetry);
        if whole > ring.closed && self.closing(ring, symmetry).is_some() {
            ring.closed = whole;
        }
    }

    /// The length of the coil that closes at the head.
    fn whole(&self, ring: &Orbit<W>, symmetry: Symmetry) -> u16 {
        (ring.length + self.spread as u16).saturating_mul(symmetry.order.into())
    }

    /// The first images of the first `k - 1` vertices, as far as the path goes.
    fn ahead(&self, ring: &Orbit<W>, symmetry: Symmetry) -> impl Iterator<Item = u16> {
        let (mut vertex, mut begin) = (0, ring.begin);
        let count = (self.spread - 1).min(u32::from(ring.length) + 1);
        (0..count).map(move |_| {
            let image = self.symmetries.image(symmetry, vertex);
            vertex ^= 1 << (begin & 15);
            begin >>= 4;
            image
        })
    }

    /// The mask of bits that may be flipped.
    fn legal(&self, ring: &Orbit<W>, symmetry: Symmetry) -> u32 {
        let mut legal = (1_u32 << self.dimension) - 1;
        let recent = (self.spread - 1).min(ring.length.into());
        for flip in 0..recent {
            legal &= !(1 << (ring.history >> (4 * flip) & 15));
        }
        let mut rest = legal;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            let next = ring.head ^ 1 << bit;
            let clashes = holds(&ring.blocked, next.into())
                || self.ahead(ring, symmetry).any(|image| (image ^ next).count_ones() < self.spread);
            legal &= !(u32::from(clashes) << bit);
        }
        legal
    }

    /// The `k - 1` vertices from the head to the image of vertex 0, if a coil closes.
    fn closing(&self, ring: &Orbit<W>, symmetry: Symmetry) -> Option<[u16; 6]> {
        let mut way = [0; 6];
        let is_near = (ring.head ^ symmetry.shift).count_ones() == self.spread;
        // Between shorter paths vertices on both sides would be close along the coil.
        let is_long = u32::from(ring.length) >= self.spread;
        (is_near && is_long && self.descend(ring, symmetry, ring.head, 1, &mut way)).then_some(way)
    }

    /// Finds the vertices of the way from number `step` on, coming from the vertex `from`.
    fn descend(&self, ring: &Orbit<W>, symmetry: Symmetry, from: u16, step: u32, way: &mut [u16; 6]) -> bool {
        if step == self.spread {
            return true;
        }
        let mut bits = from ^ symmetry.shift;
        while bits != 0 {
            let next = from ^ bits & bits.wrapping_neg();
            bits &= bits - 1;
            way[step as usize - 1] = next;
            if self.fits(ring, symmetry, step, way) && self.descend(ring, symmetry, next, step + 1, way) {
                return true;
            }
        }
        false
    }

    /// Whether the last of the vertices on the way, `step` edges after the head, may be there.
    fn fits(&self, ring: &Orbit<W>, symmetry: Symmetry, step: u32, way: &[u16; 6]) -> bool {
        let vertex = way[step as usize - 1];
        let apart = |other: u16, edges: u32| (vertex ^ other).count_ones() >= self.spread.min(edges);
        let mut other = ring.head;
        for flip in 0..self.spread - 1 {
            if !apart(other, step + flip) {
                return false;
            }
            other ^= 1 << (ring.history >> (4 * flip) & 15);
        }
        !holds(&ring.blocked, vertex.into())
            && self.ahead(ring, symmetry).zip(self.spread - step..).all(|(image, edges)| apart(image, edges))
            && way[..step as usize]
                .iter()
                .all(|&other| self.symmetries.images(symmetry, other).all(|image| apart(image, self.spread)))
    }

    /// The vertices not blocked that the head can reach.
    fn reach(&self, ring: &Orbit<W>, symmetry: Symmetry) -> [u64; W] {
        let mut taken = ring.blocked;
        for image in self.ahead(ring, symmetry) {
            add_ball(&mut taken, image.into(), &self.near);
        }
        let mut free = self.inside;
        for (free, taken) in free.iter_mut().zip(&taken) {
            *free &= !taken;
        }
        let mut reached = steps(ring.head, self.legal(ring, symmetry));
        flood(&mut reached, &free, self.words);
        reached
    }

    /// The number of vertices in `reached`, 0 when no coil closes there.
    fn room(&self, symmetry: Symmetry, reached: &[u64; W]) -> u32 {
        let closing = |word: usize| sphere(symmetry.shift.into(), self.spread, word);
        for word in 0..self.words {
            if reached[word] & closing(word) != 0 {
                return size(reached);
            }
        }
        0
    }

    #[inline(never)]
    fn moves(&self, ring: &Orbit<W>, moves: &mut Vec<u16>) {
        let Some(symmetry) = ring.symmetry else {
            moves.extend(0..self.symmetries.all.len() as u16);
            return;
        };
        let mut legal = self.legal(ring, symmetry);
        while legal != 0 {
            moves.push(legal.trailing_zeros() as u16);
            legal &= legal - 1;
        }
    }

    #[inline(never)]
    fn apply(&self, ring: &mut Orbit<W>, mv: u16) {
        match ring.symmetry {
            None => self.choose(ring, mv.into()),
            Some(symmetry) => self.flip(ring, symmetry, mv.into()),
        }
    }

    fn code(&self, ring: &Orbit<W>, mv: u16) -> u64 {
        match ring.symmetry {
            None => (1 << self.dimension) + u64::from(mv),
            Some(_) => u64::from(ring.head ^ 1 << mv),
        }
    }

    #[inline(never)]
    fn bound(&self, ring: &Orbit<W>) -> u32 {
        let Some(symmetry) = ring.symmetry else { return 1_u32 << self.dimension };
        let left = match self.room(symmetry, &self.reach(ring, symmetry)) {
            0 => 0,
            left => u32::from(symmetry.order) * (u32::from(ring.length) + left + self.spread),
        };
        left.max(ring.closed.into())
    }

    fn potential(&self, ring: &Orbit<W>) -> Option<f64> {
        let symmetry = ring.symmetry?;
        let room = self.room(symmetry, &self.reach(ring, symmetry));
        let is_ahead = room > 0 && self.potential == Potential::Woven && is_woven(ring.history, ring.length);
        Some((room + if is_ahead { 1 << self.dimension } else { 0 }).into())
    }

    #[inline(never)]
    fn key(&self, ring: &Orbit<W>) -> Option<Key> {
        let symmetry = ring.symmetry?;
        let mut hash = KeyHasher::new();
        let reached = self.reach(ring, symmetry);
        // Where the coil closes vertices count that the path itself may not enter.
        let mut center = [0; W];
        add_ball(&mut center, symmetry.shift.into(), &self.near);
        for word in 0..self.words {
            hash.write_u64(reached[word] | ring.blocked[word] & center[word]);
        }
        let recent = ring.history & ((1 << (4 * (self.spread - 1))) - 1);
        let begin = ring.begin & ((1 << (4 * self.spread.saturating_sub(2))) - 1);
        hash.write_u64(u64::from(recent) << 32 | u64::from(begin));
        let parts = [symmetry.shift, symmetry.permutation, symmetry.order.into(), ring.head, ring.length];
        for part in parts {
            hash.write(&part.to_le_bytes());
        }
        hash.write(&ring.closed.to_le_bytes());
        Some(hash.key())
    }
}

impl Problem for SymmetricCoils {
    type State = Ring;
    /// The number of the symmetry, then bits flipped.
    type Move = u16;

    fn root(&self) -> Ring {
        of_width!(self.words(), W => Orbit::<W>::start(self.dimension()))
    }

    fn moves(&self, ring: &Ring, moves: &mut Vec<u16>) {
        by_width!(&self.0, ring => rules, ring; rules.moves(ring, moves));
    }

    fn apply(&self, ring: &mut Ring, mv: u16) {
        by_width!(&self.0, ring => rules, ring; rules.apply(ring, mv));
    }

    fn score(&self, ring: &Ring) -> Score {
        Score::Feasible(by_width!(ring => ring; ring.closed).into())
    }

    /// The vertex entered, or the symmetry.
    fn code(&self, ring: &Ring, mv: u16) -> u64 {
        by_width!(&self.0, ring => rules, ring; rules.code(ring, mv))
    }

    /// Every vertex that can still be reached on the path, and its images.
    fn bound(&self, ring: &Ring) -> Option<f64> {
        Some(by_width!(&self.0, ring => rules, ring; rules.bound(ring)).into())
    }

    /// The number of vertices within reach, and with [`Potential::Woven`] all vertices of the cube for a woven path; 0
    /// when no coil closes any more.
    fn potential(&self, ring: &Ring) -> Option<f64> {
        by_width!(&self.0, ring => rules, ring; rules.potential(ring))
    }

    fn key(&self, ring: &Ring) -> Option<Key> {
        by_width!(&self.0, ring => rules, ring; rules.key(ring))
    }

    fn facts(&self) -> Facts {
        Facts {
            code_count: Some((1 << self.dimension()) + self.symmetries() as u32),
            state_bytes: Some(by_width!(&self.root() => ring; 2 * ring.bytes())),
            is_complete: false,
            ..Facts::default()
        }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for SymmetricCoils {
    /// A beam for each symmetry: the vertices that two of them leave free say nothing about which closes later.
    fn portfolio(&self) -> Vec<Entrant> {
        vec![Entrant::new("beam").set("width", 100).set("widen", 3).set("noise", 1).set("split", 1)]
    }

    fn fingerprint(&self) -> Option<u64> {
        let mut hash = StableHasher::new();
        hash.write(b"symmetric coil");
        let potential = by_width!(&self.0 => rules; rules.potential);
        hash.write(&[self.dimension() as u8, self.spread() as u8, potential as u8]);
        self.all().iter().for_each(|symmetry| hash.write(&[symmetry.order]));
        Some(hash.finish())
    }
}
