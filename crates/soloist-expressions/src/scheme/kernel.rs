//! The cost of one variable: the operations that its extraction adds, and the partition of the terms before and after.

use super::field::{self, MODULUS, add, gcd, is_unit, mul};
use super::key_set::KeySet;
use super::relations::Relations;
use super::set::Set;
use super::terms::Terms;
use crate::algebra::{Signs, power_cost};
use soloist::Rng;

/// Contents up to this have their inverses in a table.
const INVERSES: usize = 4096;

/// The terms that agree in all exponents outside a set of variables: a polynomial in the variables of the set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// A weighted sum of the number of the polynomial and the exponents outside the set.
    key: u64,
    /// The value of the polynomial at the point.
    pub(super) value: u64,
    /// Its content: the gcd of its coefficients.
    pub(super) content: u64,
    /// One of its terms, for the exponents outside.
    row: u32,
    /// During an extraction: the exponent of the last coefficient added.
    last: u16,
}

/// The buffers of an extraction.
#[derive(Debug)]
pub(super) struct Scratch {
    /// Places of blocks by their keys; `u32::MAX` is free.
    table: Vec<u32>,
    pub(super) seen: KeySet,
    /// The blocks by falling exponent, and the number of blocks with each exponent.
    order: Vec<u32>,
    counts: Vec<u32>,
    /// Powers of the variable that were used.
    powers: Vec<bool>,
    /// A list of blocks whose content is not used.
    pub(super) to: Vec<Block>,
    /// The coefficient multiples of extractions, if they are recorded.
    pub(super) multiples: Option<Vec<u64>>,
    /// Inverses of large contents.
    inverses: Vec<(u64, u64)>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            table: Vec::new(),
            seen: KeySet::new(),
            order: Vec::new(),
            counts: Vec::new(),
            powers: Vec::new(),
            to: Vec::new(),
            multiples: None,
            inverses: vec![(0, 0); 256],
        }
    }
}

impl Scratch {
    /// The inverse of a content.
    #[inline]
    fn inverse(&mut self, kernel: &Kernel, content: u64) -> u64 {
        match kernel.inverses.get(content as usize) {
            Some(&inverse) if content < INVERSES as u64 => inverse,
            _ => self.large_inverse(content),
        }
    }

    #[cold]
    fn large_inverse(&mut self, content: u64) -> u64 {
        let at = (content.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize;
        if self.inverses[at].0 != content {
            self.inverses[at] = (content, field::inverse(field::residue(content)));
        }
        self.inverses[at].1
    }

    /// Makes the table of keys ready for `count` blocks; its places are hashes shifted by the result.
    fn clear_table(&mut self, count: usize) -> u32 {
        let size = (2 * count).next_power_of_two().max(16);
        self.table.clear();
        self.table.resize(size, u32::MAX);
        64 - size.trailing_zeros()
    }
}

/// The terms, prepared for extractions.
#[derive(Debug)]
pub(super) struct Kernel {
    /// Number of variables that are searched.
    pub(super) variables: usize,
    /// The blocks of the empty set: the terms, or what is left of them when variables beyond the search are extracted.
    pub(super) rows: Vec<Block>,
    /// For each variable, the exponents of all rows.
    pub(super) exponents: Vec<Vec<u16>>,
    pub(super) degrees: Vec<u16>,
    /// The weights of the exponents in the keys: bit fields if 64 bits suffice, otherwise random numbers.
    weights: Vec<u64>,
    /// The bit fields; empty if the weights are random.
    fields: Vec<u64>,
    /// For each variable, its powers at the point and the powers of its inverse.
    pub(super) powers: Vec<Vec<u64>>,
    roots: Vec<Vec<u64>>,
    /// For each row, the product of its coefficient and its monomial at the point, and the inverse of the monomial.
    whole: Vec<u64>,
    undo: Vec<u64>,
    /// Inverses of small contents.
    inverses: Vec<u64>,
    relations: Relations,
    signs: Signs,
}

impl Kernel {
    /// The kernel for orders of the variables `searched`, after those of `fixed` were extracted innermost, in the order
    /// given, outermost first. Also returns the number of the polynomial of each row, and the cost of the fixed
    /// variables. O(terms x variables).
    pub(super) fn new(terms: &Terms, searched: &[usize], fixed: &[usize], signs: Signs) -> (Self, Vec<u32>, u64) {
        let n = searched.len();
        let all: Vec<usize> = searched.iter().chain(fixed).copied().collect();
        let point = field::point(all.len());
        let column = |&v: &usize| (0..terms.len()).map(|at| terms.row(at)[v]).collect::<Vec<u16>>();
        let mut exponents: Vec<Vec<u16>> = all.iter().map(column).collect();
        let degrees: Vec<u16> = exponents.iter().map(|column| column.iter().copied().max().unwrap_or(0)).collect();
        let (outputs_weight, weights, fields) = weights(terms, &degrees);
        let table = |x: u64, degree: u16| {
            let mut powers = vec![1; usize::from(degree) + 1];
            for d in 1..powers.len() {
                powers[d] = mul(powers[d - 1], x);
            }
            powers
        };
        let powers: Vec<Vec<u64>> = point.iter().zip(&degrees).map(|(&x, &degree)| table(x, degree)).collect();
        let roots = point.iter().zip(&degrees).map(|(&x, &degree)| table(field::inverse(x), degree)).collect();
        let mut rows = Vec::with_capacity(terms.len());
        for at in 0..terms.len() {
            let mut key = u64::from(terms.output(at)).wrapping_mul(outputs_weight);
            for (weight, column) in weights.iter().zip(&exponents) {
                key = key.wrapping_add(weight.wrapping_mul(column[at].into()));
            }
            rows.push(Block { key, value: terms.residue(at), content: terms.size(at), row: at as u32, last: 0 });
        }
        let inverses = (0..INVERSES as u64).map(field::inverse).collect();
        let mut kernel = Self {
            variables: n,
            rows,
            exponents: Vec::new(),
            degrees,
            weights,
            fields,
            powers,
            roots,
            whole: Vec::new(),
            undo: Vec::new(),
            inverses,
            relations: Relations::new(terms, searched),
            signs,
        };
        let mut base = 0;
        let mut outputs: Vec<u32> = (0..terms.len()).map(|at| terms.output(at)).collect();
        if !fixed.is_empty() {
            kernel.exponents = exponents;
            let mut scratch = Scratch::default();
            for v in (n..all.len()).rev() {
                let from = std::mem::take(&mut kernel.rows);
                let mut to = Vec::new();
                base += u64::from(kernel.extract_knowing(&from, false, v, &mut scratch, &mut to));
                kernel.rows = to;
            }
            let kept: Vec<usize> = kernel.rows.iter().map(|block| block.row as usize).collect();
            exponents = std::mem::take(&mut kernel.exponents);
            exponents.truncate(n);
            outputs = kept.iter().map(|&at| outputs[at]).collect();
            for column in &mut exponents {
                *column = kept.iter().map(|&at| column[at]).collect();
            }
            for (at, block) in kernel.rows.iter_mut().enumerate() {
                (block.row, block.last) = (at as u32, 0);
            }
        }
        kernel.exponents = exponents;
        for (at, block) in kernel.rows.iter().enumerate() {
            let (mut monomial, mut undo) = (1, 1);
            for v in 0..n {
                let exponent = usize::from(kernel.exponents[v][at]);
                if exponent > 0 {
                    monomial = mul(monomial, kernel.powers[v][exponent]);
                    undo = mul(undo, kernel.roots[v][exponent]);
                }
            }
            kernel.whole.push(mul(block.value, monomial));
            kernel.undo.push(undo);
        }
        (kernel, outputs, base)
    }

    /// The value of the primitive part of a polynomial: its value divided by its content, up to sign unless signs are
    /// kept.
    #[inline]
    fn primitive(&self, scratch: &mut Scratch, value: u64, content: u64) -> u64 {
        let value = if content == 1 { value } else { mul(value, scratch.inverse(self, content)) };
        self.signless(value)
    }

    #[inline(always)]
    pub(super) fn signless(&self, value: u64) -> u64 {
        match self.signs {
            Signs::Canonical => value.min(MODULUS - value),
            Signs::Kept => value,
        }
    }

    /// Writes the places of the blocks by falling exponent to `order`.
    #[inline(always)]
    fn sort(from: &[Block], degree: u16, exponent: impl Fn(&Block) -> u16, scratch: &mut Scratch) {
        let Scratch { order, counts, .. } = scratch;
        order.clear();
        if usize::from(degree) > 4 * from.len() + 64 {
            order.extend(0..from.len() as u32);
            soloist::order::sort_by_key(order, |&at| std::cmp::Reverse(exponent(&from[at as usize])));
            return;
        }
        counts.clear();
        counts.resize(usize::from(degree) + 1, 0);
        for block in from {
            counts[usize::from(exponent(block))] += 1;
        }
        // The counts become the first places.
        let mut place = 0;
        for count in counts.iter_mut().rev() {
            place += std::mem::replace(count, place);
        }
        order.resize(from.len(), 0);
        for (at, block) in from.iter().enumerate() {
            let next = &mut counts[usize::from(exponent(block))];
            order[*next as usize] = at as u32;
            *next += 1;
        }
    }

    /// Extracts `v` from the polynomials `from`, which are those of `set`, without `v`: `to` becomes those of the set
    /// with `v`. Returns the number of operations that this adds.
    ///
    /// A polynomial that contains `v` is the sum of `q_i v^(e_i)`, e_1 > e_2 > ..., and is computed as `((q_1 v^(e_1 -
    /// e_2) + q_2) v^(e_2 - e_3) + ...) v^(e_m)`. Each different sum, product and coefficient multiple counts one
    /// operation, each different power the operations of its squarings. The count depends on the set only, not on the
    /// order in which its variables were extracted.
    ///
    /// O(blocks) expected.
    pub(super) fn extract(
        &self,
        from: &[Block],
        set: Set,
        v: usize,
        scratch: &mut Scratch,
        to: &mut Vec<Block>,
    ) -> u32 {
        self.extract_knowing(from, self.relations.determine(set | 1 << v), v, scratch, to)
    }

    /// As [`extract`](Self::extract); `apart` tells whether no two blocks are joined.
    fn extract_knowing(
        &self,
        from: &[Block],
        apart: bool,
        v: usize,
        scratch: &mut Scratch,
        to: &mut Vec<Block>,
    ) -> u32 {
        to.clear();
        scratch.seen.clear();
        scratch.powers.clear();
        scratch.powers.resize(usize::from(self.degrees[v]) + 1, false);
        let weight = self.weights[v];
        let cost = match self.fields.get(v) {
            _ if self.degrees[v] == 0 => {
                to.extend_from_slice(from);
                0
            }
            // A key of bit fields holds the exponent.
            Some(&field) => {
                let shift = weight.trailing_zeros();
                self.extract_by(from, apart, v, |block| ((block.key & field) >> shift) as u16, scratch, to)
            }
            None => {
                let column = &self.exponents[v];
                self.extract_by(from, apart, v, |block| column[block.row as usize], scratch, to)
            }
        };
        let used = (2_u32..).zip(scratch.powers.iter().skip(2)).filter(|(_, used)| **used);
        cost + used.map(|(exponent, _)| power_cost(exponent) as u32).sum::<u32>()
    }

    /// As [`extract_knowing`](Self::extract_knowing), with the exponents of `v`. Powers are marked and not counted.
    #[inline(always)]
    fn extract_by(
        &self,
        from: &[Block],
        apart: bool,
        v: usize,
        exponent_of: impl Fn(&Block) -> u16,
        scratch: &mut Scratch,
        to: &mut Vec<Block>,
    ) -> u32 {
        let (powers, weight) = (&self.powers[v], self.weights[v]);
        let mut cost = 0;
        if apart {
            for block in from {
                let exponent = exponent_of(block);
                if exponent == 0 {
                    to.push(*block);
                    continue;
                }
                let value = mul(block.value, powers[usize::from(exponent)]);
                cost += self.product(scratch, block, value, exponent);
                to.push(Block { key: block.key.wrapping_sub(weight.wrapping_mul(exponent.into())), value, ..*block });
            }
            return cost;
        }
        Self::sort(from, self.degrees[v], &exponent_of, scratch);
        let shift = scratch.clear_table(from.len());
        let mask = scratch.table.len() - 1;
        let order = std::mem::take(&mut scratch.order);
        for &at in &order {
            let block = from[at as usize];
            let exponent = exponent_of(&block);
            let key = block.key.wrapping_sub(weight.wrapping_mul(exponent.into()));
            let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize;
            let place = loop {
                let place = scratch.table[slot];
                if place == u32::MAX || to[place as usize].key == key {
                    break place;
                }
                slot = (slot + 1) & mask;
            };
            if place == u32::MAX {
                scratch.table[slot] = to.len() as u32;
                to.push(Block { key, last: exponent, ..block });
                continue;
            }
            let whole = to[place as usize];
            let step = whole.last - exponent;
            let moved = mul(whole.value, powers[usize::from(step)]);
            let value = add(moved, block.value);
            let content = gcd(whole.content, block.content);
            // The parts of a known sum are known.
            let sum = self.primitive(scratch, value, content);
            if scratch.seen.insert(sum) {
                cost += 1 + self.product(scratch, &whole, moved, step);
                if whole.content != content {
                    cost += self.multiple(scratch, moved, content);
                }
                if block.content != content && !is_unit(self.primitive(scratch, block.value, block.content)) {
                    cost += self.multiple(scratch, block.value, content);
                }
            }
            to[place as usize] = Block { key, value, content, row: block.row, last: exponent };
        }
        for whole in to.iter_mut().filter(|whole| whole.last > 0) {
            let moved = mul(whole.value, powers[usize::from(whole.last)]);
            cost += self.product(scratch, whole, moved, whole.last);
            whole.value = moved;
        }
        scratch.order = order;
        cost
    }

    /// The operations of `whole` times the `step`-th power of the variable, whose value is `moved`.
    #[inline]
    fn product(&self, scratch: &mut Scratch, whole: &Block, moved: u64, step: u16) -> u32 {
        scratch.powers[usize::from(step)] = true;
        if is_unit(self.primitive(scratch, whole.value, whole.content)) {
            return 0;
        }
        let product = self.primitive(scratch, moved, whole.content);
        u32::from(scratch.seen.insert(product))
    }

    /// The operation of multiplying a polynomial by a number; the product has this value divided by `content`.
    fn multiple(&self, scratch: &mut Scratch, value: u64, content: u64) -> u32 {
        let multiple = self.primitive(scratch, value, content);
        let is_new = scratch.seen.insert(multiple);
        if is_new && let Some(multiples) = &mut scratch.multiples {
            multiples.push(multiple);
        }
        u32::from(is_new)
    }

    /// The polynomials of `set`, straight from the terms, in `to`. O(terms), and a product for each variable and block.
    pub(super) fn project(&self, set: Set, scratch: &mut Scratch, to: &mut Vec<Block>) {
        to.clear();
        if set == 0 {
            to.extend_from_slice(&self.rows);
            return;
        }
        let inside: Vec<usize> = (0..self.variables).filter(|&v| set >> v & 1 == 1).collect();
        let outside: Vec<usize> = (0..self.variables).filter(|&v| set >> v & 1 == 0).collect();
        let shift = scratch.clear_table(self.rows.len());
        let mask = scratch.table.len() - 1;
        let packed = !self.fields.is_empty();
        let cleared = if packed { inside.iter().map(|&v| self.fields[v]).sum() } else { 0_u64 };
        for (at, block) in self.rows.iter().enumerate() {
            let mut key = block.key & !cleared;
            if !packed {
                for &v in &inside {
                    key = key.wrapping_sub(self.weights[v].wrapping_mul(self.exponents[v][at].into()));
                }
            }
            let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize;
            loop {
                let place = scratch.table[slot];
                if place == u32::MAX {
                    scratch.table[slot] = to.len() as u32;
                    to.push(Block { key, value: self.whole[at], ..*block });
                    break;
                }
                let whole = &mut to[place as usize];
                if whole.key == key {
                    whole.value = add(whole.value, self.whole[at]);
                    whole.content = gcd(whole.content, block.content);
                    break;
                }
                slot = (slot + 1) & mask;
            }
        }
        // So far the value includes the common monomial outside.
        for block in to.iter_mut() {
            let at = block.row as usize;
            let mut factor = 1;
            if outside.len() <= inside.len() {
                for &v in &outside {
                    factor = mul(factor, self.roots[v][usize::from(self.exponents[v][at])]);
                }
            } else {
                factor = self.undo[at];
                for &v in &inside {
                    factor = mul(factor, self.powers[v][usize::from(self.exponents[v][at])]);
                }
            }
            block.value = mul(block.value, factor);
        }
    }

    /// The number of different polynomials among `blocks` that are no numbers, up to content and sign: with and without
    /// kept signs, a negative costs nothing more.
    pub(super) fn distinct(&self, blocks: &[Block], scratch: &mut Scratch) -> u32 {
        scratch.seen.clear();
        let mut count = 0;
        for block in blocks {
            let primitive = self.primitive(scratch, block.value, block.content);
            let signless = primitive.min(MODULUS - primitive);
            count += u32::from(signless != 1 && scratch.seen.insert(signless));
        }
        count
    }

    /// The multiplications of whole outputs by their contents; `blocks` are those of the set of all variables.
    pub(super) fn contents(&self, blocks: &[Block], scratch: &mut Scratch) -> u32 {
        scratch.seen.clear();
        let mut count = 0;
        for block in blocks.iter().filter(|block| block.content != 1) {
            let is_number = is_unit(self.primitive(scratch, block.value, block.content));
            count += u32::from(!is_number && scratch.seen.insert(self.signless(block.value)));
        }
        count
    }
}

/// The weights of output numbers and exponents in keys: bit fields if they fit into 64 bits, otherwise random odd
/// numbers (two rows then get the same key with probability about 2^-63). Also returns the bit fields, if there are
/// any.
fn weights(terms: &Terms, degrees: &[u16]) -> (u64, Vec<u64>, Vec<u64>) {
    let outputs = (0..terms.len()).map(|at| terms.output(at)).max().unwrap_or(0);
    let bits = |most: u32| 32 - most.leading_zeros();
    let mut shift = bits(outputs);
    let mut weights = Vec::with_capacity(degrees.len());
    let mut fields = Vec::with_capacity(degrees.len());
    for &degree in degrees {
        let width = bits(degree.into());
        weights.push(1_u64.checked_shl(shift).unwrap_or(0));
        fields.push(((1_u64 << width) - 1).checked_shl(shift).unwrap_or(0));
        shift = shift.saturating_add(width);
    }
    if shift <= 64 {
        return (1, weights, fields);
    }
    let mut rng = Rng::new(0x0ddb_a115);
    weights.iter_mut().for_each(|weight| *weight = rng.next_u64() | 1);
    (rng.next_u64() | 1, weights, Vec::new())
}
