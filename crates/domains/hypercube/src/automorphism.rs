//! Symmetries of the cube, up to the names of its bits.

use super::Kind;

/// Orders of symmetry that coils are searched with.
pub(super) const ORDERS: std::ops::RangeInclusive<u32> = 2..=24;

/// A map `v -> p(v) ^ shift` of the vertices, where `p` permutes the bits, that brings every vertex back after `order`
/// applications and not before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Symmetry {
    pub(super) order: u8,
    /// The number of its permutation in [`Symmetries`].
    pub(super) permutation: u16,
    /// The image of vertex 0.
    pub(super) shift: u16,
}

/// Where a permutation of the bits leads the vertices, looked up in two parts.
#[derive(Clone, Debug)]
struct Permutation {
    low: [u16; 128],
    high: [u16; 64],
}

/// The symmetries that coils through vertex 0 may have: one of each kind. Two symmetries are of one kind if they differ
/// only by the names of the bits.
#[derive(Clone, Debug)]
pub(super) struct Symmetries {
    permutations: Vec<Permutation>,
    pub(super) all: Vec<Symmetry>,
}

impl Symmetries {
    /// Returns the symmetries of the given orders for which the images of vertex 0 differ in at least `spread` bits.
    ///
    /// Permutations are given by the lengths of their cycles, on adjacent bits. Renaming bits within a cycle rotates
    /// the part of `shift` there, and cycles of equal length may be exchanged. Of the symmetries that this makes equal,
    /// the one with the smallest parts in ascending order is taken.
    pub(super) fn new(dimension: u32, spread: u32, orders: impl Iterator<Item = u32>) -> Self {
        let mut symmetries = Self { permutations: Vec::new(), all: Vec::new() };
        for order in orders {
            let lengths: Vec<u32> = (1..=order).rev().filter(|length| order % length == 0).collect();
            let mut found = Vec::new();
            partitions(dimension, &lengths, &mut Vec::new(), &mut found);
            for cycles in found {
                let permutation = symmetries.permutations.len() as u16;
                symmetries.permutations.push(Permutation::new(&cycles));
                for shift in 0..1_u32 << dimension {
                    let symmetry = Symmetry { order: order as u8, permutation, shift: shift as u16 };
                    if is_smallest(shift, &cycles) && symmetries.fits(symmetry, spread) {
                        symmetries.all.push(symmetry);
                    }
                }
            }
        }
        symmetries
    }

    /// Returns the image of a vertex.
    #[inline(always)]
    pub(super) fn image(&self, symmetry: Symmetry, vertex: u16) -> u16 {
        let permutation = &self.permutations[usize::from(symmetry.permutation)];
        permutation.low[usize::from(vertex & 127)] ^ permutation.high[usize::from(vertex >> 7 & 63)] ^ symmetry.shift
    }

    /// Returns the images of a vertex under one to `order - 1` applications.
    #[inline(always)]
    pub(super) fn images(&self, symmetry: Symmetry, vertex: u16) -> impl Iterator<Item = u16> {
        let mut at = vertex;
        (1..symmetry.order).map(move |_| {
            at = self.image(symmetry, at);
            at
        })
    }

    /// Whether the images of a vertex keep away from it.
    pub(super) fn is_apart(&self, symmetry: Symmetry, vertex: u16, spread: u32) -> bool {
        self.images(symmetry, vertex).all(|image| (image ^ vertex).count_ones() >= spread)
    }

    fn fits(&self, symmetry: Symmetry, spread: u32) -> bool {
        let last = self.images(symmetry, 0).last().unwrap_or(0);
        // All come back together, because the permutation alone does.
        self.image(symmetry, last) == 0 && self.is_apart(symmetry, 0, spread)
    }
}

impl Permutation {
    /// A turn of each group of adjacent bits.
    fn new(cycles: &[u32]) -> Self {
        let mut to = [0_u16; 13];
        let mut first = 0;
        for &length in cycles {
            (0..length).for_each(|bit| to[(first + bit) as usize] = 1 << (first + (bit + 1) % length));
            first += length;
        }
        let image = |vertex: usize| (0..13).filter(|bit| vertex >> bit & 1 == 1).fold(0, |image, bit| image | to[bit]);
        Self { low: std::array::from_fn(image), high: std::array::from_fn(|part| image(part << 7)) }
    }
}

/// The ways to write `left` as a sum of `parts`, which descend.
fn partitions(left: u32, parts: &[u32], chosen: &mut Vec<u32>, found: &mut Vec<Vec<u32>>) {
    if left == 0 {
        found.push(chosen.clone());
    }
    for (at, &part) in parts.iter().enumerate().filter(|&(_, &part)| part <= left) {
        chosen.push(part);
        partitions(left - part, &parts[at..], chosen, found);
        chosen.pop();
    }
}

/// Whether each cycle's part of `shift` is the smallest of its turns, and those of equal cycles ascend.
fn is_smallest(shift: u32, cycles: &[u32]) -> bool {
    let (mut rest, mut before) = (shift, (0, 0));
    cycles.iter().all(|&length| {
        let mask = (1 << length) - 1;
        let part = rest & mask;
        rest >>= length;
        let turns = (1..length).all(|by| part <= (part << by | part >> (length - by)) & mask);
        let ascends = before.0 != length || before.1 <= part;
        before = (length, part);
        turns && ascends
    })
}

/// Returns the orders that the option `symmetry` names; `None`: all paths.
pub(super) fn orders(kind: Kind, name: &str) -> Option<std::ops::RangeInclusive<u32>> {
    match (kind, name) {
        (Kind::Coil, "any") => Some(ORDERS),
        (Kind::Coil, number) => number.parse().ok().map(|order| order..=order),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every permutation of `0..n`.
    fn permutations(n: u32) -> Vec<Vec<u32>> {
        let Some(last) = n.checked_sub(1) else { return vec![Vec::new()] };
        let insert = |shorter: Vec<u32>| {
            (0..n as usize).map(move |place| {
                let mut longer = shorter.clone();
                longer.insert(place, last);
                longer
            })
        };
        permutations(last).into_iter().flat_map(insert).collect()
    }

    fn apply(to: &[u32], vertex: u32) -> u32 {
        (0..to.len()).filter(|bit| vertex >> bit & 1 == 1).fold(0, |image, bit| image | 1 << to[bit])
    }

    #[test]
    fn one_symmetry_of_each_kind() {
        for (dimension, spread) in [(2, 1), (3, 1), (3, 2), (4, 2), (5, 2), (5, 3)] {
            let renamings = permutations(dimension);
            for order in 2..=6 {
                // All maps of that order, each with the smallest of its renamings.
                let mut kinds = BTreeSet::new();
                for to in &renamings {
                    for shift in 0..1 << dimension {
                        let map = |vertex: u32| apply(to, vertex) ^ shift;
                        let images = |vertex: u32| std::iter::successors(Some(vertex), |&at| Some(map(at)));
                        let returns =
                            (0..1 << dimension).all(|vertex| images(vertex).nth(order as usize) == Some(vertex));
                        let apart = images(0).take(order as usize).skip(1).all(|image| image.count_ones() >= spread);
                        if returns && apart {
                            let named = |name: &Vec<u32>| {
                                let mut renamed = vec![0; to.len()];
                                (0..to.len()).for_each(|bit| renamed[name[bit] as usize] = name[to[bit] as usize]);
                                (renamed, apply(name, shift))
                            };
                            kinds.insert(renamings.iter().map(named).min().unwrap());
                        }
                    }
                }
                let symmetries = Symmetries::new(dimension, spread, std::iter::once(order));
                assert_eq!(
                    symmetries.all.len(),
                    kinds.len(),
                    "order {order} in dimension {dimension}, spread {spread}"
                );
                for &symmetry in &symmetries.all {
                    for vertex in 0..1 << dimension {
                        let last = symmetries.images(symmetry, vertex).last().unwrap();
                        assert_eq!(symmetries.image(symmetry, last), vertex);
                    }
                }
            }
        }
    }
}
