//! What an order of the variables costs.

use super::kernel::{Block, Kernel, MAX_SEARCHED, Scratch, Set};
use super::memo::Memo;
use super::parts::Parts;
use super::terms::Terms;
use super::{Options, Sign};
use soloist::StableHasher;
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};

/// Where at least one in so many levels of an order is unknown, all are counted at once.
const SWEEP_SHARE: usize = 2;
/// Stands for the number of polynomials of a set in the memo.
const DISTINCT: u8 = u8::MAX;

/// A system of polynomials whose variables are to be ordered: the costs of orders, by levels.
///
/// The cost of an order is the number of operations of its Horner scheme after common subexpressions are merged, every
/// polynomial being kept as a content times a primitive part (of canonical sign, unless [`Sign::Keep`]). Then equal
/// nodes are equal polynomials, and what the extraction of a variable adds depends only on the *set* of variables that
/// are still inside: the cost is a sum of level costs, which are memoised by variable and set. Where the same
/// polynomial is multiplied by the same number on two levels, the sum counts it twice; [`operations`](Self::operations)
/// counts it once.
///
/// Polynomials are told apart by their values at a fixed point modulo 2^61 - 1. Two different ones of total degree at
/// most `d` have the same value with probability at most `d / 2^61` over the choice of the point, so that a level with
/// `k` polynomials is miscounted with probability below `k^2 d / 2^62`: 10^-10 for 10,000 polynomials of degree 5.
///
/// Variables are numbered as in [`Terms`]. The [`searched`](Self::searched) ones are those that occur, at most the 128
/// most frequent ones; further ones are always innermost, the rarest inside. Evaluating one level takes time
/// proportional to the number of blocks (terms that agree in all exponents outside), at most the number of terms.
/// Memory: about 50 bytes and 2 for each variable a term, 150 bytes a term for each thread at work, and
/// [`Options::memory`].
///
/// # References
/// J. Kuipers, A. Plaat, J. Vermaseren and J. van den Herik, "Improving multivariate Horner schemes with Monte Carlo
/// tree search", Computer Physics Communications 184, 2013 (the search over orders). B. Ruijl et al., ICAART 2014.
#[derive(Debug)]
pub struct Scheme {
    kernel: Kernel,
    memo: Memo,
    parts: Parts,
    pool: Mutex<Vec<Scratch>>,
    /// The variables of the search and those that are always inside, outermost first.
    searched: Vec<usize>,
    fixed: Vec<usize>,
    occurrences: Vec<u64>,
    outputs: usize,
    /// Operations that every order has: those of the fixed variables, and the contents of the outputs.
    base: u64,
    input: u64,
    fingerprint: u64,
}

impl Scheme {
    /// Prepares the search: O(terms x variables).
    #[must_use]
    pub fn new(terms: &Terms, options: &Options) -> Self {
        let occurrences = terms.occurrences();
        let mut searched: Vec<usize> = (0..terms.variables()).filter(|&v| occurrences[v] > 0).collect();
        searched.sort_by_key(|&v| std::cmp::Reverse(occurrences[v]));
        let fixed = searched.split_off(searched.len().min(MAX_SEARCHED));
        searched.sort_unstable();
        let (kernel, base) = Kernel::new(terms, &searched, &fixed, options.sign);
        let mut hash = StableHasher::new();
        hash.write(b"horner scheme");
        hash.write_u64(u64::from(options.sign == Sign::Keep));
        hash.write_usize(terms.variables());
        for at in 0..terms.len() {
            hash.write_u64(terms.residue(at));
            hash.write_u64(terms.size(at) ^ u64::from(terms.output(at)) << 32);
            terms.row(at).iter().for_each(|&exponent| hash.write_u16(exponent));
        }
        let mut outputs: Vec<u32> = (0..terms.len()).map(|at| terms.output(at)).collect();
        outputs.sort_unstable();
        outputs.dedup();
        let mut scheme = Self {
            kernel,
            memo: Memo::new(options.memory / 2),
            parts: Parts::new(options.memory / 2),
            pool: Mutex::new(Vec::new()),
            occurrences: searched.iter().map(|&v| occurrences[v]).collect(),
            searched,
            fixed,
            outputs: outputs.len(),
            base,
            input: terms.operations(),
            fingerprint: hash.finish(),
        };
        let mut scratch = scheme.scratch();
        let mut whole = Vec::new();
        scheme.kernel.project(scheme.all(), &mut scratch, &mut whole);
        scheme.base += u64::from(scheme.kernel.contents(&whole, &mut scratch));
        scheme.give_back(scratch);
        scheme
    }

    /// The variables that are ordered, ascending.
    #[must_use]
    pub fn searched(&self) -> &[usize] {
        &self.searched
    }

    /// In how many terms each searched variable occurs.
    #[must_use]
    pub fn occurrences(&self) -> &[u64] {
        &self.occurrences
    }

    /// The operations of the input as it stands; see [`Terms::operations`].
    #[must_use]
    pub fn input_operations(&self) -> u64 {
        self.input
    }

    /// All variables in an order of the searched ones (indices into [`searched`](Self::searched), outermost first):
    /// variables that occur in no term are left out.
    #[must_use]
    pub fn names(&self, order: &[u8]) -> Vec<usize> {
        order.iter().map(|&index| self.searched[usize::from(index)]).chain(self.fixed.iter().copied()).collect()
    }

    /// The cost of an order, given as variables of the terms, outermost first; those that are not searched are ignored.
    ///
    /// # Panics
    /// If a searched variable is missing or comes twice.
    #[must_use]
    pub fn cost(&self, order: &[usize]) -> u64 {
        self.cost_of(&self.indices(order))
    }

    /// The operations of an order, multiples shared between levels counted once; see [`Scheme`]. No memo is used.
    ///
    /// # Panics
    /// As [`cost`](Self::cost).
    #[must_use]
    pub fn operations(&self, order: &[usize]) -> u64 {
        let order = self.indices(order);
        let mut scratch = self.scratch();
        scratch.shared = Some(0);
        let mut costs = std::mem::take(&mut scratch.costs);
        self.each_level(&order, &mut scratch, &mut costs);
        let sum = self.base + costs.iter().map(|&cost| u64::from(cost)).sum::<u64>();
        let shared = scratch.shared.take().unwrap_or(0);
        scratch.costs = costs;
        self.give_back(scratch);
        sum - u64::from(shared)
    }

    /// The costs of all levels, outermost first, with nothing remembered.
    fn each_level(&self, order: &[u8], scratch: &mut Scratch, costs: &mut Vec<u32>) {
        if self.kernel.sweep(order, scratch, costs) {
            return;
        }
        costs.clear();
        scratch.multiples = scratch.shared.is_some().then(Vec::new);
        let (mut from, mut to) = (self.kernel.rows.clone(), Vec::new());
        let mut set = 0;
        for &v in order.iter().rev() {
            costs.push(self.kernel.extract(&from, set, v.into(), scratch, &mut to));
            std::mem::swap(&mut from, &mut to);
            set |= 1 << v;
        }
        costs.reverse();
        if let (Some(shared), Some(mut multiples)) = (&mut scratch.shared, scratch.multiples.take()) {
            let count = multiples.len();
            multiples.sort_unstable();
            multiples.dedup();
            *shared = (count - multiples.len()) as u32;
        }
    }

    fn indices(&self, order: &[usize]) -> Vec<u8> {
        let index = |v: &usize| self.searched.binary_search(v).ok();
        let order: Vec<u8> = order.iter().filter_map(index).map(|at| at as u8).collect();
        let set = order.iter().fold(0, |set: Set, &v| set | 1 << v);
        assert!(order.len() == self.searched.len() && set == self.all(), "each variable once");
        order
    }

    pub(super) fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    pub(super) fn base(&self) -> u64 {
        self.base
    }

    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The set of all searched variables.
    pub(super) fn all(&self) -> Set {
        let n = self.searched.len() as u32;
        Set::MAX.checked_shr(Set::BITS - n).unwrap_or(0)
    }

    pub(super) fn scratch(&self) -> Scratch {
        let own = self.pool.lock().unwrap_or_else(PoisonError::into_inner).pop();
        own.unwrap_or_else(Scratch::new)
    }

    pub(super) fn give_back(&self, scratch: Scratch) {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
    }

    /// The cost of a whole order of indices, outermost first.
    pub(super) fn cost_of(&self, order: &[u8]) -> u64 {
        self.base + self.levels(order, 0)
    }

    /// The sum of the level costs of `order`, outermost first, when `inside` is inside all of it.
    pub(super) fn levels(&self, order: &[u8], inside: Set) -> u64 {
        let mut costs = [None; MAX_SEARCHED];
        let costs = &mut costs[..order.len()];
        let mut set = inside;
        for (cost, &v) in costs.iter_mut().zip(order).rev() {
            *cost = self.memo.get(v, set);
            set |= 1 << v;
        }
        let unknown = costs.iter().filter(|cost| cost.is_none()).count();
        if unknown > 0 {
            let whole = inside == 0 && order.len() == self.searched.len();
            if !(whole && unknown * SWEEP_SHARE >= order.len() && self.levels_at_once(order, costs)) {
                self.levels_one_by_one(order, inside, costs);
            }
        }
        costs.iter().flatten().map(|&cost| u64::from(cost)).sum()
    }

    /// Fills in the costs of a whole order and remembers those that were unknown; false if that cannot be.
    fn levels_at_once(&self, order: &[u8], known: &mut [Option<u32>]) -> bool {
        let mut scratch = self.scratch();
        let mut costs = std::mem::take(&mut scratch.costs);
        let done = self.kernel.sweep(order, &mut scratch, &mut costs);
        if done {
            let mut set = 0;
            for ((known, &cost), &v) in known.iter_mut().zip(&costs).zip(order).rev() {
                if known.is_none() {
                    self.memo.put(v, set, cost);
                    *known = Some(cost);
                }
                set |= 1 << v;
            }
        }
        scratch.costs = costs;
        self.give_back(scratch);
        done
    }

    /// Fills in and remembers the costs that are unknown.
    fn levels_one_by_one(&self, order: &[u8], inside: Set, known: &mut [Option<u32>]) {
        let mut set = inside;
        let mut chain = Chain { scratch: self.scratch(), present: None };
        for (known, &v) in known.iter_mut().zip(order).rev() {
            if known.is_none() {
                let cost = self.level(&mut chain, v, set);
                self.memo.put(v, set, cost);
                *known = Some(cost);
            }
            set |= 1 << v;
        }
        self.give_back(chain.scratch);
    }

    /// The cost of `v` with `set` inside; the chain then is at the set of both.
    fn level(&self, chain: &mut Chain, v: u8, set: Set) -> u32 {
        let from = match chain.present.take() {
            Some((at, blocks)) if at == set => blocks,
            _ => self.parts.get(&self.kernel, set, &mut chain.scratch),
        };
        let mut to = self.parts.buffer();
        let cost = self.kernel.extract(&from, set, v.into(), &mut chain.scratch, &mut to);
        let next = set | 1 << v;
        chain.present = Some((next, self.parts.keep(next, to)));
        cost
    }

    /// How many different polynomials that are no numbers exist when `set` is inside.
    fn distinct(&self, set: Set) -> u32 {
        self.memo.get(DISTINCT, set).unwrap_or_else(|| {
            let mut scratch = self.scratch();
            let blocks = self.parts.get(&self.kernel, set, &mut scratch);
            let count = self.kernel.distinct(&blocks, &mut scratch);
            self.give_back(scratch);
            self.memo.put(DISTINCT, set, count);
            count
        })
    }

    /// At least so many operations are needed for the variables outside `inside`: the different polynomials inside and
    /// the variables outside are to be joined to one result for each output, and an operation joins two of them.
    pub(super) fn least_outside(&self, inside: Set) -> u64 {
        self.least_to_join(self.distinct(inside), inside)
    }

    /// The same, when the number of polynomials is known.
    pub(super) fn least_to_join(&self, distinct: u32, inside: Set) -> u64 {
        let outside = (self.all() & !inside).count_ones();
        (u64::from(distinct) + u64::from(outside)).saturating_sub(self.outputs as u64)
    }

    /// At least so many operations are needed for the polynomials in the variables of `inside`: one for each of them
    /// that is more than a variable.
    pub(super) fn least_inside(&self, inside: Set) -> u64 {
        // Fixed variables may be such polynomials, too.
        let variables = inside.count_ones() as usize + self.fixed.len();
        u64::from(self.distinct(inside)).saturating_sub(variables as u64 + self.inner_nodes())
    }

    /// Polynomials of the fixed variables alone, whose operations are part of the base.
    fn inner_nodes(&self) -> u64 {
        if self.fixed.is_empty() { 0 } else { u64::from(self.distinct(0)) }
    }
}

/// Extractions from the inside out, and the set whose blocks the last one made.
struct Chain {
    scratch: Scratch,
    present: Option<(Set, Arc<Vec<Block>>)>,
}
