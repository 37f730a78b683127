//! Ranks and keys of all paths that continue one path by an edge.

use super::Kind;
use super::beam::Beam;
use super::model::{Potential, Rules, Snakes};
use super::path::{Path, Track, flips_into, flood, is_woven, size, steps};
use super::weights::Weights;
use super::width::ByWidth;
use soloist::problem::StableHasher;
use std::hash::Hasher as _;

/// Ranks paths that continue the same path by one edge, and gives them keys.
///
/// What is free is the same for all of them from spread 2 on: the ball that an edge adds, if any, lies around a vertex
/// of the path before. So each connected piece of the free vertices is found once and weighed once, not once for each
/// edge. No vertex of a piece is beside a vertex of another piece. So the vertices have the same neighbours within
/// reach as in their piece, and all of them are worth the sum of what the pieces are worth.
#[derive(Debug)]
struct Siblings<'a, const W: usize> {
    rules: &'a Rules<W>,
    /// What the vertices of a piece are worth; `None`: each of them 1.
    weights: Option<&'a Weights>,
    free: Option<[u64; W]>,
    pieces: Vec<Piece<W>>,
}

/// A connected piece of the free vertices.
#[derive(Debug)]
struct Piece<const W: usize> {
    vertices: [u64; W],
    worth: f64,
    hash: u64,
}

impl<const W: usize> Piece<W> {
    #[inline(always)]
    fn new(rules: &Rules<W>, weights: Option<&Weights>, vertices: [u64; W]) -> Self {
        let worth = match weights {
            None => size(&vertices).into(),
            Some(weights) => weights.sum(&vertices, rules.words, rules.dimension as usize),
        };
        let mut hash = StableHasher::new();
        for &word in &vertices[..rules.words] {
            hash.write_u64(word);
        }
        Self { vertices, worth, hash: hash.finish() }
    }
}

/// Continues the next path of a beam. The paths that result are ranked by what the vertices within reach are worth.
/// Returns false if no path is left.
pub(super) fn advance(beam: &mut Beam<Snakes>, snakes: &Snakes, weights: Option<&Weights>) -> bool {
    match &snakes.rules {
        ByWidth::Narrow(rules) => with_siblings(beam, snakes, rules, Path::narrow, weights),
        ByWidth::Middle(rules) => with_siblings(beam, snakes, rules, Path::middle, weights),
        ByWidth::Wide(rules) => with_siblings(beam, snakes, rules, Path::wide, weights),
    }
}

fn with_siblings<const W: usize>(
    beam: &mut Beam<Snakes>,
    snakes: &Snakes,
    rules: &Rules<W>,
    track: fn(&Path) -> &Track<W>,
    weights: Option<&Weights>,
) -> bool {
    let mut siblings = Siblings::new(rules, weights);
    beam.advance(snakes, &mut |path| siblings.judge(track(path)))
}

impl<'a, const W: usize> Siblings<'a, W> {
    fn new(rules: &'a Rules<W>, weights: Option<&'a Weights>) -> Self {
        Self { rules, weights, free: None, pieces: Vec::new() }
    }

    /// Returns the rank and the key of a path.
    ///
    /// The rank is the [potential](soloist::Problem::potential), with what the vertices are worth in place of their
    /// number. It is 1 at least, unless the path has ended or cannot close any more.
    ///
    /// Two paths of spread 2 and of the same length with equal keys may be continued alike: the head is the same, and
    /// so are the pieces within reach. There is no key for a path that has ended, of another spread, or where the
    /// potential does not ask what is within reach.
    fn judge(&mut self, path: &Track<W>) -> (f64, Option<u64>) {
        let Self { rules, weights, free, pieces } = self;
        if rules.spread == 1 {
            // A path blocks its own head.
            *free = None;
            pieces.clear();
        }
        let free = free.get_or_insert_with(|| rules.free(path));
        let legal = rules.legal_any(path);
        if legal == 0 {
            return (rules.rank_of_ended(free), None);
        }
        let (mut sum, mut hashes, mut is_alive) = (0.0, 0_u64, rules.kind == Kind::Snake);
        let mut take = |piece: &Piece<W>| {
            sum += piece.worth;
            hashes = hashes.wrapping_add(piece.hash);
            is_alive = is_alive || rules.may_close(path, &piece.vertices);
        };
        if rules.potential == Potential::Free {
            if pieces.is_empty() {
                pieces.push(Piece::new(rules, *weights, *free));
            }
            pieces.iter().for_each(take);
        } else {
            let mut rest = legal;
            for piece in &*pieces {
                let into = flips_into::<W>(|word| piece.vertices[word], path.head.into());
                if rest & into != 0 {
                    rest &= !into;
                    take(piece);
                }
            }
            while rest != 0 {
                let mut vertices = steps(path.head, rest & rest.wrapping_neg());
                flood(&mut vertices, free, rules.span());
                rest &= !flips_into::<W>(|word| vertices[word], path.head.into());
                let piece = Piece::new(rules, *weights, vertices);
                take(&piece);
                pieces.push(piece);
            }
        }
        let key = (rules.spread == 2 && rules.potential != Potential::Free).then(|| {
            let mut hash = StableHasher::new();
            hash.write_u64(hashes);
            rules.write_key(&mut hash, path);
            hash.finish()
        });
        (rules.rank(path, is_alive.then_some(sum)), key)
    }
}

impl<const W: usize> Rules<W> {
    /// Returns the rank of a path by the number of vertices within reach, found by one flood for all pieces.
    #[inline(never)]
    pub(super) fn rank_by_count(&self, path: &Track<W>) -> f64 {
        let legal = self.legal_any(path);
        if legal == 0 {
            return self.rank_of_ended(&self.free(path));
        }
        let vertices = match self.potential {
            Potential::Reachable | Potential::Woven => self.reach(path, legal),
            Potential::Free => self.free(path),
        };
        let is_alive = self.kind == Kind::Snake || self.may_close(path, &vertices);
        self.rank(path, is_alive.then(|| size(&vertices).into()))
    }

    /// The rank of a path by what the vertices within reach are worth. `None`: it cannot close any more.
    #[inline(always)]
    fn rank(&self, path: &Track<W>, worth: Option<f64>) -> f64 {
        let is_ahead = self.potential == Potential::Woven && is_woven(path.history, path.length);
        let ahead = if is_ahead { f64::from(1_u32 << self.dimension) } else { 0.0 };
        worth.map_or(0.0, |worth| ahead + worth.max(1.0))
    }

    /// The rank of a path that has ended: less than 1.
    fn rank_of_ended(&self, free: &[u64; W]) -> f64 {
        f64::from(size(free)) / f64::from(1_u32 << self.dimension)
    }
}

#[cfg(test)]
mod tests {
    use super::super::weights::Belief;
    use super::super::{Code, Cube};
    use super::*;
    use soloist::{Problem, Rng};
    use std::collections::HashMap;

    /// How many ranks were compared, and how often there were several pieces.
    type Counts = (u32, u32);

    /// Compares ranks along random paths with those of paths ranked alone, by a flood that knows no pieces.
    fn compare<const W: usize>(
        snakes: &Snakes,
        rules: &Rules<W>,
        track: fn(&Path) -> &Track<W>,
        rng: &mut Rng,
        counts: &mut Counts,
    ) {
        let dimension = rules.dimension as usize;
        // Sums of eighths are exact.
        let values = Belief::new(dimension).draw(rng);
        let weights = Weights::new(&values.iter().map(|value| (value * 8.0).round() / 8.0).collect::<Vec<_>>());
        let mut path = snakes.root();
        loop {
            let legal = snakes.legal(&path);
            let (mut counted, mut weighed) = (Siblings::new(rules, None), Siblings::new(rules, Some(&weights)));
            let bits: Vec<u8> = (0..16).filter(|bit| legal >> bit & 1 == 1).collect();
            for &bit in &bits {
                let mut child = path.clone();
                snakes.apply(&mut child, bit);
                let (next, child) = (snakes.legal(&child), track(&child));
                let ((count, _), (weight, _)) = (counted.judge(child), weighed.judge(child));
                assert_eq!(count, rules.rank_by_count(child));
                if next != 0 && count > 0.0 && rules.potential == Potential::Reachable {
                    let worth = weights.sum(&rules.reach(child, next), rules.words, dimension);
                    assert_eq!(weight, worth.max(1.0));
                }
                counts.0 += 1;
            }
            counts.1 += u32::from(counted.pieces.len() > 1);
            let Some(&bit) = bits.get(rng.index(bits.len().max(1))) else { break };
            snakes.apply(&mut path, bit);
        }
    }

    #[test]
    fn siblings_have_the_ranks_of_single_paths() {
        let (mut rng, mut counts) = (Rng::new(1), (0, 0));
        for (dimension, spread) in [(4, 2), (5, 2), (6, 1), (7, 1), (7, 2), (8, 2), (7, 3), (8, 4), (9, 2)] {
            for kind in [Kind::Snake, Kind::Coil] {
                for potential in [Potential::Reachable, Potential::Free, Potential::Woven] {
                    let cube = Cube::new(dimension, spread).unwrap();
                    let least = if dimension < 9 { 0 } else { 128 };
                    let snakes = Snakes::in_words(kind, &cube, Code::default(), potential, least);
                    let (rng, counts) = (&mut rng, &mut counts);
                    match &snakes.rules {
                        ByWidth::Narrow(rules) => {
                            (0..20).for_each(|_| compare(&snakes, rules, Path::narrow, rng, counts));
                        }
                        ByWidth::Middle(rules) => compare(&snakes, rules, Path::middle, rng, counts),
                        ByWidth::Wide(rules) => compare(&snakes, rules, Path::wide, rng, counts),
                    }
                }
            }
        }
        assert!(counts.0 > 10_000 && counts.1 > 100, "{counts:?}");
    }

    /// All that may follow a path: the moves and the score of each end.
    fn completions(snakes: &Snakes, path: &Path, moves: &mut Vec<u8>, all: &mut Vec<(Vec<u8>, u64)>) {
        let mut next = Vec::new();
        snakes.moves(path, &mut next);
        if next.is_empty() {
            all.push((moves.clone(), snakes.score(path).value().unwrap_or(f64::NAN).to_bits()));
        }
        for bit in next {
            let mut child = path.clone();
            snakes.apply(&mut child, bit);
            moves.push(bit);
            completions(snakes, &child, moves, all);
            moves.pop();
        }
    }

    /// All paths of a length: paths with the same key are continued alike, and have the same key of the problem too.
    #[test]
    fn keys_are_equal_where_the_future_is() {
        let (mut merged, mut keyed) = (0_u32, 0_u32);
        let kinds = [Kind::Snake, Kind::Coil];
        let cases = kinds.map(|kind| [Potential::Reachable, Potential::Woven].map(|potential| (kind, potential)));
        for ((kind, potential), (dimension, length)) in
            cases.concat().into_iter().flat_map(|case| [(case, (5, 9)), (case, (6, 11))])
        {
            let cube = Cube::new(dimension, 2).unwrap();
            let snakes = Snakes::new(kind, &cube, Code::default(), potential);
            let mut layer = vec![snakes.root()];
            for edges in 1..=length {
                let (mut next, mut futures, mut keys) = (Vec::new(), HashMap::new(), HashMap::new());
                for path in &layer {
                    let rules = snakes.rules.narrow();
                    let mut siblings = Siblings::new(rules, None);
                    let mut bits = Vec::new();
                    snakes.moves(path, &mut bits);
                    for bit in bits {
                        let mut child = path.clone();
                        snakes.apply(&mut child, bit);
                        let (_, key) = siblings.judge(child.narrow());
                        assert_eq!(key.is_none(), snakes.legal(&child) == 0);
                        if let Some(key) = key {
                            // All that follows is much where little of the cube is used.
                            let mut all = Vec::new();
                            if dimension == 5 && edges > 2 || edges > 8 {
                                completions(&snakes, &child, &mut Vec::new(), &mut all);
                            }
                            let own = rules.key_of(child.narrow());
                            let future = (own, all);
                            merged += u32::from(futures.contains_key(&key));
                            assert_eq!(*futures.entry(key).or_insert(future.clone()), future, "{edges} edges");
                            assert_eq!(*keys.entry(own).or_insert(key), key, "{edges} edges");
                            keyed += 1;
                        }
                        next.push(child);
                    }
                }
                layer = next;
            }
        }
        assert!(keyed > 10_000 && merged > 100, "{keyed} {merged}");
    }
}
