//! All levels of a whole order in one pass over the terms, sorted by that order.
//!
//! [`Kernel::extract`] makes the polynomials of one set from those of another and looks each up in a table. When nothing
//! of an order is known, it is less work to sort the terms by it, outermost variable first: then the terms of a
//! polynomial stand side by side on every level, and one polynomial a level, the one that is being added up, is all that
//! has to be kept. What comes up is written down by levels and told apart afterwards, level by level, so that the tables
//! for that are small: memory that does not fit into the caches nearby is what limits such counts.

use super::field::{add, gcd, inverse, mul, residue};
use super::kernel::{Block, Kernel, Scratch};
use crate::power_cost;
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

/// The greatest common divisor of two small numbers, and both divided by it; of 0 nothing is asked.
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
pub(super) struct Coefficients {
    different: Vec<Part>,
    /// Of each row.
    of: Vec<u32>,
    /// The number of the polynomial of each row; nothing if there is only one.
    outputs: Vec<u32>,
}

impl Coefficients {
    /// Of the rows of a kernel. O(rows log(rows)).
    pub(super) fn new(rows: &[Block], outputs: Vec<u32>) -> Self {
        let both = |block: &Block| (block.value, block.content);
        let mut different: Vec<(u64, u64)> = rows.iter().map(both).collect();
        different.sort_unstable();
        different.dedup();
        let place = |block: &Block| different.partition_point(|own| *own < both(block));
        let of = rows.iter().map(|block| place(block) as u32).collect();
        let part = |(value, content)| {
            let primitive = mul(value, inverse(residue(content)));
            Part { primitive, content, is_unit: Kernel::is_unit(primitive) }
        };
        let outputs = if outputs.iter().all(|&output| output == outputs[0]) { Vec::new() } else { outputs };
        Self { of, outputs, different: different.into_iter().map(part).collect() }
    }
}

/// A polynomial on its way outwards: its content and the value of the rest, with its sign.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    primitive: u64,
    content: u64,
    /// Whether it is a number.
    is_unit: bool,
}

/// A level of the order, from the inside.
#[derive(Clone, Copy, Debug, Default)]
struct Level<W> {
    /// Where its exponent stands in the keys.
    shift: u32,
    field: W,
    /// The highest bit of the field.
    top: W,
    /// What is added up so far: Horner's scheme down to the exponent `last`.
    whole: Part,
    last: u16,
    /// The variable, and where its powers begin in [`Kernel::all_powers`].
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

/// Buffers of a pass.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    narrow: Sorted<u64>,
    wide: Sorted<u128>,
    seen: Seen,
}

/// What comes up in a pass.
#[derive(Debug, Default)]
struct Seen {
    /// Sums and products, by level.
    nodes: Vec<Nodes>,
    /// Coefficient multiples, by level.
    multiples: Vec<Nodes>,
    /// Which of [`Kernel::all_powers`] were used.
    powers: Vec<bool>,
}

/// Keys of polynomials, added without branches that depend on what is added.
#[derive(Debug, Default)]
struct Nodes {
    keys: Vec<u64>,
    count: usize,
}

impl Nodes {
    /// Adds two keys, each if it is meant.
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

impl Kernel {
    /// What each variable of `order` (all variables, outermost first) costs when those behind it are inside: as by
    /// [`extract`](Self::extract), level by level, in `costs`. How many coefficient
    /// multiples come up on several levels goes to `scratch` if it asks for that.
    ///
    /// Returns false, with nothing done, where the exponents of a term and its coefficient's number do not fit into 128
    /// bits. O(terms x variables), and a pass of a radix sort for every 11 bits.
    pub(super) fn sweep(&self, order: &[u8], scratch: &mut Scratch, costs: &mut Vec<u32>) -> bool {
        let [below, between, above] = self.widths();
        let Sweep { mut narrow, mut wide, mut seen } = std::mem::take(&mut scratch.sweep);
        let bits = below + between + above;
        if bits <= u64::BITS {
            self.pass(order, below, above, &mut narrow, &mut seen);
        } else if bits <= u128::BITS {
            self.pass(order, below, above, &mut wide, &mut seen);
        }
        let fits = bits <= u128::BITS;
        if fits {
            self.count(order, &mut seen, scratch, costs);
        }
        scratch.sweep = Sweep { narrow, wide, seen };
        fits
    }

    /// Bits for the coefficients, the exponents and the numbers of the polynomials.
    fn widths(&self) -> [u32; 3] {
        let width = |most: u32| u32::BITS - most.leading_zeros();
        [
            width(self.coefficients.different.len().saturating_sub(1) as u32),
            self.degrees[..self.variables].iter().map(|&degree| width(degree.into())).sum(),
            width(self.coefficients.outputs.iter().copied().max().unwrap_or(0)),
        ]
    }

    /// Whether keys take more than 64 bits.
    #[cfg(test)]
    pub(super) fn is_wide(&self) -> bool {
        self.widths().iter().sum::<u32>() > u64::BITS
    }

    /// Sorts the terms and adds them up.
    fn pass<W: Word>(&self, order: &[u8], below: u32, above: u32, sorted: &mut Sorted<W>, seen: &mut Seen) {
        sorted.levels.clear();
        let mut shift = below;
        for &variable in order.iter().rev() {
            let width = u16::BITS - self.degrees[usize::from(variable)].leading_zeros();
            let powers = self.power_starts[usize::from(variable)];
            let (field, top) = (W::ones(width) << shift, W::from(1) << (shift + width - 1));
            sorted.levels.push(Level { shift, field, top, variable, powers, ..Level::default() });
            shift += width;
        }
        seen.powers.clear();
        seen.powers.resize(self.all_powers.len(), false);
        seen.nodes.resize_with(order.len(), Nodes::default);
        seen.nodes.iter_mut().for_each(|nodes| nodes.count = 0);
        seen.multiples.resize_with(order.len(), Nodes::default);
        seen.multiples.iter_mut().for_each(|nodes| nodes.count = 0);
        sorted.keys.clear();
        sorted.keys.extend(self.coefficients.of.iter().map(|&coefficient| W::from(coefficient)));
        for level in &sorted.levels {
            for (key, &exponent) in sorted.keys.iter_mut().zip(&self.exponents[usize::from(level.variable)]) {
                *key |= W::from(exponent.into()) << level.shift;
            }
        }
        for (key, &output) in sorted.keys.iter_mut().zip(&self.coefficients.outputs) {
            *key |= W::from(output) << shift;
        }
        sorted.sort(below, shift + above);
        self.add_up(sorted, below, shift, seen);
    }

    /// The pass. Terms come by falling exponents, so that Horner's scheme is built from its inside. Fields of variables
    /// are the bits from `low` to `high`.
    fn add_up<W: Word>(&self, sorted: &mut Sorted<W>, low: u32, high: u32, seen: &mut Seen) {
        let Sorted { keys, levels, .. } = sorted;
        let count = levels.len();
        // The level whose exponent a bit belongs to.
        let mut level_of = [count as u8; 128];
        for (at, level) in levels.iter().enumerate() {
            let end = level.shift + (!(level.field >> level.shift)).trailing_zeros();
            level_of[level.shift as usize..end as usize].fill(at as u8);
        }
        let all = W::ones(high) & !W::ones(low);
        let tops = levels.iter().fold(W::default(), |tops, level| tops | level.top);
        let others = all & !tops;
        // The highest bits of the fields of levels that hold a sum.
        let mut open = W::default();
        for at in (0..keys.len()).rev() {
            let key = keys[at];
            // The outermost level on which the next term differs; everything inside of it is finished.
            let (joint, inside) = match at.checked_sub(1).map(|next| key ^ keys[next]) {
                Some(differs) => {
                    let joint = usize::from(level_of[(W::BITS - 1 - differs.leading_zeros()) as usize & 127]);
                    (joint, levels.get(joint).map_or(all, |level| W::ones(level.shift) & all))
                }
                None => (count, all),
            };
            let mut part = self.coefficients.different[(key & W::ones(low)).low() as usize];
            // The highest bit of a field that is not zero is one, or is reached by the carry from below it.
            let occurs = (key | (key & others).plus(others)) & tops;
            let mut todo = (occurs | open) & inside;
            while todo != W::default() {
                let place = usize::from(level_of[todo.trailing_zeros() as usize & 127]);
                todo = todo.without_lowest();
                let level = &levels[place];
                let exponent = ((key & level.field) >> level.shift).low() as u16;
                if open & level.top != W::default() {
                    part = self.join(level, place, part, exponent, seen);
                }
                if exponent > 0 {
                    let primitive = self.times(level, part, exponent, seen);
                    seen.nodes[place].push((self.signless(primitive), !part.is_unit), (0, false));
                    part = Part { primitive, is_unit: false, ..part };
                }
            }
            open = open & !inside;
            if let Some(level) = levels.get_mut(joint) {
                let exponent = ((key & level.field) >> level.shift).low() as u16;
                if open & level.top != W::default() {
                    part = self.join(level, joint, part, exponent, seen);
                }
                (level.whole, level.last) = (part, exponent);
                open |= level.top;
            }
        }
    }

    /// The sum of a level, moved on to `exponent`, and `part`.
    #[inline(always)]
    fn join<W: Word>(&self, level: &Level<W>, place: usize, part: Part, exponent: u16, seen: &mut Seen) -> Part {
        let whole = level.whole;
        let moved = self.times(level, whole, level.last - exponent, seen);
        let (content, of_whole, of_part) = divide(whole.content, part.content);
        let (first, second) = (mul(moved, of_whole), mul(part.primitive, of_part));
        let primitive = add(first, second);
        seen.nodes[place].push((self.signless(primitive), true), (self.signless(moved), !whole.is_unit));
        let (first, second) = (self.signless(first), self.signless(second));
        seen.multiples[place].push((first, of_whole != 1), (second, (of_part != 1) & !part.is_unit));
        Part { primitive, content, is_unit: false }
    }

    /// `part` times a power of the variable.
    #[inline(always)]
    fn times<W: Word>(&self, level: &Level<W>, part: Part, exponent: u16, seen: &mut Seen) -> u64 {
        let power = level.powers as usize + usize::from(exponent);
        seen.powers[power] = true;
        mul(part.primitive, self.all_powers[power])
    }

    /// Counts what is different, outermost level first.
    fn count(&self, order: &[u8], seen: &mut Seen, scratch: &mut Scratch, costs: &mut Vec<u32>) {
        costs.clear();
        costs.resize(order.len(), 0);
        let lists = seen.nodes.iter().zip(&seen.multiples);
        let mut multiples = 0;
        for ((cost, &variable), (nodes, own)) in costs.iter_mut().zip(order).rev().zip(lists) {
            scratch.met.clear();
            let different = scratch.met.insert_all(own.keys());
            multiples += different;
            *cost = different + scratch.met.insert_all(nodes.keys());
            let first = self.power_starts[usize::from(variable)] as usize;
            let degree = usize::from(self.degrees[usize::from(variable)]);
            let used = (2_u32..).zip(seen.powers[first..=first + degree].iter().skip(2)).filter(|(_, used)| **used);
            *cost += used.map(|(exponent, _)| power_cost(exponent) as u32).sum::<u32>();
        }
        if let Some(shared) = &mut scratch.shared {
            scratch.met.clear();
            *shared += multiples - seen.multiples.iter().map(|own| scratch.met.insert_all(own.keys())).sum::<u32>();
        }
    }
}
