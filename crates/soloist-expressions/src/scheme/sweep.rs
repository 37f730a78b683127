//! The costs of all levels of an order in one pass over the terms, sorted by that order.
//!
//! [`Kernel::extract`] makes the polynomials of one set from those of another and looks each up in a table. Where no
//! level of an order is known, sorting the terms by the order, outermost variable first, is less work. The terms of a
//! polynomial then stand side by side on every level, and the pass keeps one polynomial for each level. It lists the
//! sums and products of each level; duplicates are removed afterwards, one level after the other, so that the tables
//! stay small enough for the processor's caches.

use super::field::{add, gcd, inverse, is_unit, mul, residue};
use super::kernel::{Block, Kernel};
use super::key_set::KeySet;
use crate::algebra::power_cost;
use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitOrAssign, BitXor, Not, Shl, Shr};

/// Bits of a digit of the radix sort; shorter lists are sorted by comparisons.
const DIGIT: u32 = 11;

/// An unsigned number in which a term's exponents have bit fields.
pub(super) trait Word:
    Copy
    + Debug
    + Default
    + Ord
    + From<u32>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const BITS: u32;
    fn leading_zeros(self) -> u32;
    fn trailing_zeros(self) -> u32;
    /// The lowest 32 bits.
    fn low(self) -> u32;
    fn plus(self, other: Self) -> Self;
    /// Without its lowest one.
    fn without_lowest(self) -> Self;
    /// The lowest `count` bits, all ones.
    fn ones(count: u32) -> Self;
}

macro_rules! word {
    ($($type:ty),+) => {$(
        impl Word for $type {
            const BITS: u32 = <$type>::BITS;

            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                self.leading_zeros()
            }

            #[inline(always)]
            fn trailing_zeros(self) -> u32 {
                self.trailing_zeros()
            }

            #[inline(always)]
            fn low(self) -> u32 {
                self as u32
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn without_lowest(self) -> Self {
                self & self.wrapping_sub(1)
            }

            #[inline(always)]
            fn ones(count: u32) -> Self {
                Self::MAX.checked_shr(Self::BITS - count).unwrap_or(0)
            }
        }
    )+};
}

word!(u64, u128);

/// Contents below this are divided by a table.
const SMALL: usize = 64;

/// The greatest common divisor of two small positive numbers, and both divided by it.
static DIVIDED: [[[u8; 4]; SMALL]; SMALL] = {
    let mut table = [[[1; 4]; SMALL]; SMALL];
    let mut a = 1;
    while a < SMALL {
        let mut b = 1;
        while b < SMALL {
            let (mut x, mut y) = (a, b);
            while y > 0 {
                (x, y) = (y, x % y);
            }
            table[a][b] = [x as u8, (a / x) as u8, (b / x) as u8, 0];
            b += 1;
        }
        a += 1;
    }
    table
};

/// The greatest common divisor of two contents, and both divided by it.
#[inline(always)]
fn divide(a: u64, b: u64) -> (u64, u64, u64) {
    if (a | b) < SMALL as u64 {
        let [g, a, b, _] = DIVIDED[a as usize % SMALL][b as usize % SMALL];
        return (g.into(), a.into(), b.into());
    }
    let g = gcd(a, b);
    (g, residue(a / g), residue(b / g))
}

/// The coefficients of the terms, each different one once.
#[derive(Debug, Default)]
struct Coefficients {
    different: Vec<Part>,
    /// The number of each row's coefficient.
    of: Vec<u32>,
    /// The number of the polynomial of each row; empty if there is only one polynomial.
    outputs: Vec<u32>,
}

impl Coefficients {
    /// The coefficients of the rows of a kernel. O(rows log(rows)).
    fn new(rows: &[Block], outputs: Vec<u32>) -> Self {
        let both = |block: &Block| (block.value, block.content);
        let mut different: Vec<(u64, u64)> = rows.iter().map(both).collect();
        soloist::order::sort(&mut different);
        different.dedup();
        let place = |block: &Block| different.partition_point(|known| *known < both(block));
        let of = rows.iter().map(|block| place(block) as u32).collect();
        let part = |(value, content)| {
            let primitive = mul(value, inverse(residue(content)));
            Part { primitive, content, is_unit: is_unit(primitive) }
        };
        let outputs = if outputs.iter().all(|&output| output == outputs[0]) { Vec::new() } else { outputs };
        Self { of, outputs, different: different.into_iter().map(part).collect() }
    }
}

/// A polynomial as its content and the signed value of its primitive part.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    primitive: u64,
    content: u64,
    /// Whether the polynomial is a number.
    is_unit: bool,
}

/// A level of the order, from the inside.
#[derive(Clone, Copy, Debug, Default)]
struct Level<W> {
    /// The position and the bits of its exponent in the keys.
    shift: u32,
    field: W,
    /// The highest bit of the field.
    top: W,
    /// The sum so far: Horner's scheme down to the exponent `last`.
    whole: Part,
    last: u16,
    /// The variable, and where its powers begin in [`Sweep::powers`].
    variable: u8,
    powers: u32,
}

/// Buffers of a pass with keys of one width.
#[derive(Debug, Default)]
struct Sorted<W> {
    /// Exponents by the order, outermost in the highest bits, and the coefficient in the lowest.
    keys: Vec<W>,
    other: Vec<W>,
    levels: Vec<Level<W>>,
    counts: Vec<u32>,
}

/// The buffers of a pass, to be used again.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    narrow: Sorted<u64>,
    wide: Sorted<u128>,
    found: Found,
}

/// The polynomials that a pass computes.
#[derive(Debug, Default)]
struct Found {
    /// Sums and products, by level.
    nodes: Vec<Nodes>,
    /// Coefficient multiples, by level.
    multiples: Vec<Nodes>,
    /// Which of [`Sweep::powers`] were used.
    powers: Vec<bool>,
}

/// The terms of a kernel, made ready for passes.
#[derive(Debug)]
pub(super) struct Sweep {
    coefficients: Coefficients,
    /// The powers of all variables of the search at the point, one variable after the other.
    powers: Vec<u64>,
    /// Where the powers of each variable begin.
    starts: Vec<u32>,
}

/// A list of keys. Adding a key takes no branch that depends on the key.
#[derive(Debug, Default)]
struct Nodes {
    keys: Vec<u64>,
    count: usize,
}

impl Nodes {
    /// Adds those of two keys whose flag is set.
    #[inline(always)]
    fn push(&mut self, first: (u64, bool), second: (u64, bool)) {
        if self.count + 2 > self.keys.len() {
            self.grow();
        }
        self.keys[self.count] = first.0;
        self.count += usize::from(first.1);
        self.keys[self.count] = second.0;
        self.count += usize::from(second.1);
    }

    fn keys(&self) -> &[u64] {
        &self.keys[..self.count]
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.keys.resize((self.keys.len() * 2).max(64), 0);
    }
}

impl<W: Word> Sorted<W> {
    /// Sorts the keys, ascending, by the bits from `low` to `high`.
    fn sort(&mut self, low: u32, high: u32) {
        if self.keys.len() < 1 << DIGIT {
            self.keys.sort_unstable();
            return;
        }
        self.other.clear();
        self.other.resize(self.keys.len(), W::default());
        for shift in (low..high).step_by(DIGIT as usize) {
            let digit = |key: W| (key >> shift).low() as usize & ((1 << DIGIT) - 1);
            self.counts.clear();
            self.counts.resize(1 << DIGIT, 0);
            let counts = &mut self.counts[..1 << DIGIT];
            for &key in &self.keys {
                counts[digit(key)] += 1;
            }
            let mut place = 0;
            for count in counts.iter_mut() {
                place += std::mem::replace(count, place);
            }
            for &key in &self.keys {
                let next = &mut counts[digit(key)];
                self.other[*next as usize] = key;
                *next += 1;
            }
            std::mem::swap(&mut self.keys, &mut self.other);
        }
    }
}

impl Sweep {
    /// Prepares passes over the rows of `kernel`; `outputs` holds the number of the polynomial of each row.
    pub(super) fn new(kernel: &Kernel, outputs: Vec<u32>) -> Self {
        let (mut powers, mut starts) = (Vec::new(), Vec::new());
        for column in &kernel.powers[..kernel.variables] {
            starts.push(powers.len() as u32);
            powers.extend(column);
        }
        Self { coefficients: Coefficients::new(&kernel.rows, outputs), powers, starts }
    }

    /// Writes the cost of each level of `order` (all variables, outermost first) to `costs`: what the extraction of the
    /// variable costs when the variables behind it are inside, as [`Kernel::extract`] counts it. With `shared`, also
    /// counts the coefficient multiples that occur on a further level.
    ///
    /// Returns false, and does nothing, if the exponents of a term and the number of its coefficient do not fit into
    /// 128 bits. O(terms x variables), and a pass of a radix sort for every 11 bits.
    pub(super) fn costs(
        &self,
        kernel: &Kernel,
        order: &[u8],
        buffers: &mut Buffers,
        seen: &mut KeySet,
        costs: &mut Vec<u32>,
        shared: Option<&mut u32>,
    ) -> bool {
        let [below, between, above] = self.widths(kernel);
        let Buffers { narrow, wide, found } = buffers;
        let bits = below + between + above;
        if bits <= u64::BITS {
            self.pass(kernel, order, below, above, narrow, found);
        } else if bits <= u128::BITS {
            self.pass(kernel, order, below, above, wide, found);
        } else {
            return false;
        }
        self.count(kernel, order, found, seen, costs, shared);
        true
    }

    /// Bits for the coefficients, the exponents and the numbers of the polynomials.
    fn widths(&self, kernel: &Kernel) -> [u32; 3] {
        let width = |most: u32| u32::BITS - most.leading_zeros();
        [
            width(self.coefficients.different.len().saturating_sub(1) as u32),
            kernel.degrees[..kernel.variables].iter().map(|&degree| width(degree.into())).sum(),
            width(self.coefficients.outputs.iter().copied().max().unwrap_or(0)),
        ]
    }

    /// Whether keys take more than 64 bits.
    #[cfg(test)]
    pub(super) fn is_wide(&self, kernel: &Kernel) -> bool {
        self.widths(kernel).iter().sum::<u32>() > u64::BITS
    }

    /// Sorts the terms and adds them up.
    fn pass<W: Word>(
        &self,
        kernel: &Kernel,
        order: &[u8],
        below: u32,
        above: u32,
        sorted: &mut Sorted<W>,
        found: &mut Found,
    ) {
        sorted.levels.clear();
        let mut shift = below;
        for &variable in order.iter().rev() {
            let width = u16::BITS - kernel.degrees[usize::from(variable)].leading_zeros();
            let powers = self.starts[usize::from(variable)];
            let (field, top) = (W::ones(width) << shift, W::from(1) << (shift + width - 1));
            sorted.levels.push(Level { shift, field, top, variable, powers, ..Level::default() });
            shift += width;
        }
        found.powers.clear();
        found.powers.resize(self.powers.len(), false);
        found.nodes.resize_with(order.len(), Nodes::default);
        found.nodes.iter_mut().for_each(|nodes| nodes.count = 0);
        found.multiples.resize_with(order.len(), Nodes::default);
        found.multiples.iter_mut().for_each(|nodes| nodes.count = 0);
        sorted.keys.clear();
        sorted.keys.extend(self.coefficients.of.iter().map(|&coefficient| W::from(coefficient)));
        for level in &sorted.levels {
            for (key, &exponent) in sorted.keys.iter_mut().zip(&kernel.exponents[usize::from(level.variable)]) {
                *key |= W::from(exponent.into()) << level.shift;
            }
        }
        for (key, &output) in sorted.keys.iter_mut().zip(&self.coefficients.outputs) {
            *key |= W::from(output) << shift;
        }
        sorted.sort(below, shift + above);
        self.add_up(kernel, sorted, below, shift, found);
    }

    /// Adds the sorted terms up. Terms come by falling exponents, so that Horner's scheme is built from its inside. The
    /// exponents are the bits from `low` to `high` of a key.
    fn add_up<W: Word>(&self, kernel: &Kernel, sorted: &mut Sorted<W>, low: u32, high: u32, found: &mut Found) {
        let Sorted { keys, levels, .. } = sorted;
        let count = levels.len();
        // The level to which each bit of an exponent belongs.
        let mut level_of = [count as u8; 128];
        for (at, level) in levels.iter().enumerate() {
            let end = level.shift + (!(level.field >> level.shift)).trailing_zeros();
            level_of[level.shift as usize..end as usize].fill(at as u8);
        }
        let all = W::ones(high) & !W::ones(low);
        let tops = levels.iter().fold(W::default(), |tops, level| tops | level.top);
        let others = all & !tops;
        // The highest bits of the fields of those levels that hold a sum.
        let mut open = W::default();
        for at in (0..keys.len()).rev() {
            let key = keys[at];
            // The outermost level on which the next term differs. All levels inside of it are complete.
            let (joint, inside) = match at.checked_sub(1).map(|next| key ^ keys[next]) {
                Some(differs) => {
                    let joint = usize::from(level_of[(W::BITS - 1 - differs.leading_zeros()) as usize & 127]);
                    (joint, levels.get(joint).map_or(all, |level| W::ones(level.shift) & all))
                }
                None => (count, all),
            };
            let mut part = self.coefficients.different[(key & W::ones(low)).low() as usize];
            // A field is not zero if its highest bit is set, or if a carry from the lower bits reaches it.
            let occurs = (key | (key & others).plus(others)) & tops;
            let mut todo = (occurs | open) & inside;
            while todo != W::default() {
                let place = usize::from(level_of[todo.trailing_zeros() as usize & 127]);
                todo = todo.without_lowest();
                let level = &levels[place];
                let exponent = ((key & level.field) >> level.shift).low() as u16;
                if open & level.top != W::default() {
                    part = self.join(kernel, level, place, part, exponent, found);
                }
                if exponent > 0 {
                    let primitive = self.times(level, part, exponent, found);
                    found.nodes[place].push((kernel.signless(primitive), !part.is_unit), (0, false));
                    part = Part { primitive, is_unit: false, ..part };
                }
            }
            open = open & !inside;
            if let Some(level) = levels.get_mut(joint) {
                let exponent = ((key & level.field) >> level.shift).low() as u16;
                if open & level.top != W::default() {
                    part = self.join(kernel, level, joint, part, exponent, found);
                }
                (level.whole, level.last) = (part, exponent);
                open |= level.top;
            }
        }
    }

    /// Moves the sum of a level on to `exponent` and adds `part`.
    #[inline(always)]
    fn join<W: Word>(
        &self,
        kernel: &Kernel,
        level: &Level<W>,
        place: usize,
        part: Part,
        exponent: u16,
        found: &mut Found,
    ) -> Part {
        let whole = level.whole;
        let moved = self.times(level, whole, level.last - exponent, found);
        let (content, of_whole, of_part) = divide(whole.content, part.content);
        let (first, second) = (mul(moved, of_whole), mul(part.primitive, of_part));
        let primitive = add(first, second);
        found.nodes[place].push((kernel.signless(primitive), true), (kernel.signless(moved), !whole.is_unit));
        let (first, second) = (kernel.signless(first), kernel.signless(second));
        found.multiples[place].push((first, of_whole != 1), (second, (of_part != 1) & !part.is_unit));
        Part { primitive, content, is_unit: false }
    }

    /// The product of `part` and a power of the variable.
    #[inline(always)]
    fn times<W: Word>(&self, level: &Level<W>, part: Part, exponent: u16, found: &mut Found) -> u64 {
        let power = level.powers as usize + usize::from(exponent);
        found.powers[power] = true;
        mul(part.primitive, self.powers[power])
    }

    /// Counts the different polynomials, one level after the other.
    fn count(
        &self,
        kernel: &Kernel,
        order: &[u8],
        found: &Found,
        seen: &mut KeySet,
        costs: &mut Vec<u32>,
        shared: Option<&mut u32>,
    ) {
        costs.clear();
        costs.resize(order.len(), 0);
        let lists = found.nodes.iter().zip(&found.multiples);
        let mut total = 0;
        for ((cost, &variable), (nodes, multiples)) in costs.iter_mut().zip(order).rev().zip(lists) {
            seen.clear();
            let different = seen.insert_all(multiples.keys());
            total += different;
            *cost = different + seen.insert_all(nodes.keys());
            let first = self.starts[usize::from(variable)] as usize;
            let degree = usize::from(kernel.degrees[usize::from(variable)]);
            let used = (2_u32..).zip(found.powers[first..=first + degree].iter().skip(2)).filter(|(_, used)| **used);
            *cost += used.map(|(exponent, _)| power_cost(exponent) as u32).sum::<u32>();
        }
        if let Some(shared) = shared {
            seen.clear();
            *shared = total - found.multiples.iter().map(|list| seen.insert_all(list.keys())).sum::<u32>();
        }
    }
}
