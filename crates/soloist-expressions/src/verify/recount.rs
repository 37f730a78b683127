//! Recounts the cost of an order from the terms, for verification. Sub-expressions are compared as polynomials, without
//! a graph.

use crate::algebra::{Coefficient, Counts, Polynomial, Signs, System};
use soloist::problem::StableHasher;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// A hash of 128 bits of a polynomial up to its content.
type Key = (u64, u64);

/// Operations of a Horner scheme with common sub-expressions, level by level.
///
/// The extraction of a variable adds sums `q + v^d*r`, products `v^d*r`, powers `v^d` (by FORM's rule), and multiples
/// of the parts where a sum is divided by its content. Each polynomial counts once. The multiples of outputs count
/// separately.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelCounts {
    /// The counts of each level, outermost first.
    pub levels: Vec<Counts>,
    /// The number of definitions with a content other than 1 and -1.
    pub contents: u64,
}

impl LevelCounts {
    /// The sum of all counts.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { multiplications: self.contents, ..Counts::default() };
        self.levels.iter().for_each(|&level| counts += level);
        counts
    }
}

/// Counts the operations of `system` for `order`, all symbols outermost first. Each level compares O(t) polynomials
/// term by term. Memory: 16 bytes for each different polynomial.
///
/// # Panics
/// If `order` is no permutation of the symbols.
#[must_use]
pub fn recount(system: &System, order: &[usize], signs: Signs) -> LevelCounts {
    let mut sorted = order.to_vec();
    soloist::order::sort(&mut sorted);
    assert!(sorted.into_iter().eq(0..system.symbols().len()), "an order holds each symbol once");
    let mut done =
        Seen { counts: LevelCounts { levels: vec![Counts::default(); order.len()], contents: 0 }, ..Seen::default() };
    for definition in system.definitions().iter().filter(|definition| !definition.polynomial.is_empty()) {
        let mut walk = Walk { polynomial: &definition.polynomial, order, signs, terms: Vec::new(), seen: &mut done };
        walk.terms = (0..definition.polynomial.len()).collect();
        let row = |term: usize| {
            let row = definition.polynomial.row(term);
            order.iter().map(move |&symbol| row[symbol])
        };
        soloist::order::sort_by(&mut walk.terms, |&a, &b| row(a).cmp(row(b)));
        walk.whole();
    }
    done.counts
}

#[derive(Default)]
struct Seen {
    counts: LevelCounts,
    visited: BTreeSet<Key>,
    sums: BTreeSet<Key>,
    products: BTreeSet<Key>,
    powers: BTreeSet<(usize, u16)>,
    multiples: BTreeSet<(usize, Key, Coefficient)>,
    contents: BTreeSet<(Key, Coefficient)>,
}

/// A sub-polynomial: the terms from `low` to `high` with their exponents from place `depth` of the order on. The
/// exponents at `depth` are reduced by `less`.
#[derive(Clone, Copy)]
struct Part {
    low: usize,
    high: usize,
    depth: usize,
    less: u16,
}

struct Walk<'a> {
    polynomial: &'a Polynomial,
    order: &'a [usize],
    signs: Signs,
    terms: Vec<usize>,
    seen: &'a mut Seen,
}

impl Walk<'_> {
    fn exponent(&self, place: usize, depth: usize) -> u16 {
        self.polynomial.row(self.terms[place])[self.order[depth]]
    }

    fn value(&self, place: usize) -> &Coefficient {
        &self.polynomial.coefficients()[self.terms[place]]
    }

    /// The content, with [`Signs::Canonical`] with the sign of the last term.
    fn content(&self, part: Part) -> Coefficient {
        let mut content = Coefficient::ZERO;
        for place in part.low..part.high {
            content = content.gcd(self.value(place));
        }
        content.with_sign(self.signs == Signs::Canonical && self.value(part.high - 1).is_negative())
    }

    fn is_number(&self, part: Part) -> bool {
        part.high == part.low + 1
            && (part.depth..self.order.len()).all(|depth| {
                let less = if depth == part.depth { part.less } else { 0 };
                self.exponent(part.low, depth) == less
            })
    }

    fn key(&self, part: Part, content: &Coefficient) -> Key {
        let (mut first, mut second) = (StableHasher::new(), StableHasher::new());
        second.write_u64(0x5851_f42d_4c95_7f2d);
        for place in part.low..part.high {
            for depth in part.depth..self.order.len() {
                let exponent = self.exponent(place, depth) - if depth == part.depth { part.less } else { 0 };
                if exponent > 0 {
                    let word = (self.order[depth] as u64) << 16 | u64::from(exponent);
                    first.write_u64(word);
                    second.write_u64(word);
                }
            }
            let value = self.value(place).div(content).expect("a content is not zero");
            value.hash(&mut first);
            value.hash(&mut second);
        }
        (first.finish(), second.finish())
    }

    fn whole(&mut self) {
        let all = Part { low: 0, high: self.terms.len(), depth: 0, less: 0 };
        self.visit(all);
        let content = self.content(all);
        if !content.is_unit()
            && !self.is_number(all)
            && self.seen.contents.insert((self.key(all, &content), content.abs()))
        {
            self.seen.counts.contents += 1;
        }
    }

    fn visit(&mut self, mut part: Part) {
        let Part { low, high, .. } = part;
        while part.depth < self.order.len() && self.exponent(high - 1, part.depth) == 0 {
            part.depth += 1;
        }
        let depth = part.depth;
        if depth == self.order.len() || !self.seen.visited.insert(self.key(part, &self.content(part))) {
            return;
        }
        let mut end = high;
        let mut above: Option<Part> = None;
        while end > low {
            let less = self.exponent(end - 1, depth);
            let mut start = end - 1;
            while start > low && self.exponent(start - 1, depth) == less {
                start -= 1;
            }
            let group = Part { low: start, high: end, depth: depth + 1, less: 0 };
            self.visit(group);
            let joined = Part { low: start, high, depth, less };
            if let Some(above) = above {
                let moved = self.times(above, above.less - less);
                let content = self.content(joined);
                if self.seen.sums.insert(self.key(joined, &content)) {
                    self.seen.counts.levels[depth].additions += 1;
                }
                self.multiple(depth, moved, &content);
                self.multiple(depth, group, &content);
            }
            above = Some(joined);
            end = start;
        }
        if let Some(all) = above {
            self.times(all, all.less);
        }
    }

    /// Counts a part times the variable to the power `exponent`.
    fn times(&mut self, part: Part, exponent: u16) -> Part {
        let moved = Part { less: part.less - exponent, ..part };
        if exponent == 0 {
            return moved;
        }
        let counts = &mut self.seen.counts.levels[part.depth];
        if exponent > 1 && self.seen.powers.insert((self.order[part.depth], exponent)) {
            counts.power(exponent.into());
        }
        if !self.is_number(part) && self.seen.products.insert(self.key(moved, &self.content(moved))) {
            self.seen.counts.levels[part.depth].multiplications += 1;
        }
        moved
    }

    /// Counts a part of a sum divided by the content of the sum.
    fn multiple(&mut self, depth: usize, part: Part, content: &Coefficient) {
        let inner = self.content(part);
        let ratio = inner.div(content).expect("a content is not zero").abs();
        if ratio == Coefficient::ONE || self.is_number(part) {
            return;
        }
        if self.seen.multiples.insert((depth, self.key(part, &inner), ratio)) {
            self.seen.counts.levels[depth].multiplications += 1;
        }
    }
}
