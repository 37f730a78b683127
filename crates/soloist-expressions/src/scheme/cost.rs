//! The cost of an order of the variables, as a sum of level costs.

use super::kernel::{Block, Kernel, Scratch};
use super::memo::Memo;
use super::partitions::Partitions;
use super::set::{MAX_SEARCHED, Set};
use super::sweep::{Buffers, Sweep};
use super::terms::Terms;
use crate::algebra::Signs;
use soloist::problem::StableHasher;
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};

/// All levels of an order are counted in one pass if at least one level in this many is unknown.
const SWEEP_SHARE: usize = 2;
/// The key of the memo under which the number of polynomials of a set is kept, instead of a variable.
const DISTINCT: u8 = u8::MAX;

/// How a [`Scheme`] counts and how much it remembers.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether a polynomial and its negative are one.
    pub signs: Signs,
    /// Bytes for remembered results: one half for the costs of levels, the other for partitions of the terms.
    pub memory: u64,
}

impl Default for Options {
    /// Canonical signs and 128 MiB: room for a million costs and two million blocks.
    fn default() -> Self {
        Self { signs: Signs::Canonical, memory: 128 << 20 }
    }
}

/// The costs of the orders of the variables of a system of polynomials.
///
/// The cost of an order is the number of operations of its Horner scheme after common sub-expressions are merged. Every
/// polynomial is kept as a content times a primitive part (of canonical sign, unless [`Signs::Kept`]). Equal nodes are
/// then equal polynomials, and the operations that the extraction of a variable adds depend only on the *set* of
/// variables that are still inside. The cost is therefore a sum of level costs, which are memoised by variable and set.
/// Where the same polynomial is multiplied by the same number on two levels, the sum counts that twice;
/// [`operations`](Self::operations) counts it once.
///
/// Polynomials are compared by their values at a fixed point modulo 2^61 - 1. Two different polynomials of total degree
/// at most `d` have the same value with probability at most `d / 2^61` over the choice of the point. A level with `k`
/// polynomials is therefore miscounted with probability below `k^2 d / 2^62`: 10^-10 for 10,000 polynomials of degree
/// 5.
///
/// Variables are numbered as in [`Terms`]. The [`searched`](Self::searched) variables are those that occur, at most the
/// 128 most frequent ones. Further variables are always innermost, the rarest one inside.
///
/// Evaluating one level takes time proportional to the number of blocks (a block holds the terms that agree in all
/// exponents outside the set), which is at most the number of terms. Memory: about 50 bytes a term and 2 for each of
/// its variables, 150 bytes a term for each thread at work, and [`Options::memory`].
///
/// # References
/// J. Kuipers, A. Plaat, J. Vermaseren and J. van den Herik, "Improving multivariate Horner schemes with Monte Carlo
/// tree search", Computer Physics Communications 184, 2013 (the search over orders). B. Ruijl et al., ICAART 2014.
#[derive(Debug)]
pub struct Scheme {
    kernel: Kernel,
    sweep: Sweep,
    memo: Memo,
    partitions: Partitions,
    pool: Mutex<Vec<Workspace>>,
    /// The variables of the search.
    searched: Vec<usize>,
    /// The variables that are always inside, outermost first.
    fixed: Vec<usize>,
    occurrences: Vec<u64>,
    outputs: usize,
    /// The operations that every order has: those of the fixed variables, and the contents of the outputs.
    base: u64,
    input: u64,
    fingerprint: u64,
}

/// The buffers of one evaluation, to be used again.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub(super) scratch: Scratch,
    pub(super) buffers: Buffers,
    /// Costs of levels.
    pub(super) costs: Vec<u32>,
}

impl Scheme {
    /// Prepares the search: O(terms x variables).
    #[must_use]
    pub fn new(terms: &Terms, options: &Options) -> Self {
        let occurrences = terms.occurrences();
        let mut searched: Vec<usize> = (0..terms.variables()).filter(|&v| occurrences[v] > 0).collect();
        soloist::order::sort_by_key(&mut searched, |&v| std::cmp::Reverse(occurrences[v]));
        let fixed = searched.split_off(searched.len().min(MAX_SEARCHED));
        soloist::order::sort(&mut searched);
        let (kernel, rows, base) = Kernel::new(terms, &searched, &fixed, options.signs);
        let sweep = Sweep::new(&kernel, rows);
        let mut hash = StableHasher::new();
        hash.write(b"horner scheme");
        hash.write_u64(u64::from(options.signs == Signs::Kept));
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
            sweep,
            memo: Memo::new(options.memory / 2),
            partitions: Partitions::new(options.memory / 2),
            pool: Mutex::new(Vec::new()),
            occurrences: searched.iter().map(|&v| occurrences[v]).collect(),
            searched,
            fixed,
            outputs: outputs.len(),
            base,
            input: terms.operations(),
            fingerprint: hash.finish(),
        };
        let mut workspace = scheme.workspace();
        let mut whole = Vec::new();
        scheme.kernel.project(scheme.all(), &mut workspace.scratch, &mut whole);
        scheme.base += u64::from(scheme.kernel.contents(&whole, &mut workspace.scratch));
        scheme.give_back(workspace);
        scheme
    }

    /// The variables that are ordered, ascending.
    #[must_use]
    pub fn searched(&self) -> &[usize] {
        &self.searched
    }

    /// The number of terms in which each searched variable occurs.
    #[must_use]
    pub fn occurrences(&self) -> &[u64] {
        &self.occurrences
    }

    /// The operations of the input, nothing shared; see [`Terms::operations`].
    #[must_use]
    pub fn input_operations(&self) -> u64 {
        self.input
    }

    /// Turns an order of the searched variables (indices into [`searched`](Self::searched), outermost first) into one
    /// of all variables that occur.
    #[must_use]
    pub fn names(&self, order: &[u8]) -> Vec<usize> {
        order.iter().map(|&index| self.searched[usize::from(index)]).chain(self.fixed.iter().copied()).collect()
    }

    /// The cost of an order of the variables of the terms, outermost first. Variables that are not searched are
    /// ignored.
    ///
    /// # Panics
    /// If a searched variable is missing or comes twice.
    #[must_use]
    pub fn cost(&self, order: &[usize]) -> u64 {
        self.cost_of(&self.indices(order))
    }

    /// The operations of an order, with multiples that several levels share counted once; see [`Scheme`]. Does not use
    /// what is remembered.
    ///
    /// # Panics
    /// As [`cost`](Self::cost).
    #[must_use]
    pub fn operations(&self, order: &[usize]) -> u64 {
        let order = self.indices(order);
        let mut workspace = self.workspace();
        let shared = self.each_level(&order, &mut workspace);
        let sum = self.base + workspace.costs.iter().map(|&cost| u64::from(cost)).sum::<u64>();
        self.give_back(workspace);
        sum - u64::from(shared)
    }

    /// Counts all levels, outermost first, without what is remembered. Returns the number of coefficient multiples that
    /// occur on a further level.
    fn each_level(&self, order: &[u8], workspace: &mut Workspace) -> u32 {
        let Workspace { scratch, buffers, costs } = workspace;
        let mut shared = 0;
        if self.sweep.costs(&self.kernel, order, buffers, &mut scratch.seen, costs, Some(&mut shared)) {
            return shared;
        }
        costs.clear();
        scratch.multiples = Some(Vec::new());
        let (mut from, mut to) = (self.kernel.rows.clone(), Vec::new());
        let mut set = 0;
        for &v in order.iter().rev() {
            costs.push(self.kernel.extract(&from, set, v.into(), scratch, &mut to));
            std::mem::swap(&mut from, &mut to);
            set |= 1 << v;
        }
        costs.reverse();
        let mut multiples = scratch.multiples.take().unwrap_or_default();
        let count = multiples.len();
        multiples.sort_unstable();
        multiples.dedup();
        (count - multiples.len()) as u32
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

    #[cfg(test)]
    pub(super) fn sweep(&self) -> &Sweep {
        &self.sweep
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

    pub(super) fn workspace(&self) -> Workspace {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    pub(super) fn give_back(&self, workspace: Workspace) {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).push(workspace);
    }

    /// The cost of a whole order of indices, outermost first.
    pub(super) fn cost_of(&self, order: &[u8]) -> u64 {
        self.base + self.levels(order, 0)
    }

    /// The sum of the level costs of `order`, outermost first, when the set `inside` is inside all of it.
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

    /// Fills in the costs of a whole order in one pass and remembers those that were unknown. Returns false if the
    /// terms do not fit into the keys of a pass.
    fn levels_at_once(&self, order: &[u8], known: &mut [Option<u32>]) -> bool {
        let mut workspace = self.workspace();
        let Workspace { scratch, buffers, costs } = &mut workspace;
        let done = self.sweep.costs(&self.kernel, order, buffers, &mut scratch.seen, costs, None);
        if done {
            let mut set = 0;
            for ((known, &cost), &v) in known.iter_mut().zip(&*costs).zip(order).rev() {
                if known.is_none() {
                    self.memo.put(v, set, cost);
                    *known = Some(cost);
                }
                set |= 1 << v;
            }
        }
        self.give_back(workspace);
        done
    }

    /// Fills in the costs that are unknown, one by one, and remembers them.
    fn levels_one_by_one(&self, order: &[u8], inside: Set, known: &mut [Option<u32>]) {
        let mut set = inside;
        let mut workspace = self.workspace();
        let mut chain = Chain { scratch: &mut workspace.scratch, present: None };
        for (known, &v) in known.iter_mut().zip(order).rev() {
            if known.is_none() {
                let cost = self.level(&mut chain, v, set);
                self.memo.put(v, set, cost);
                *known = Some(cost);
            }
            set |= 1 << v;
        }
        self.give_back(workspace);
    }

    /// The cost of `v` with `set` inside. Afterwards the chain is at the set with `v`.
    fn level(&self, chain: &mut Chain<'_>, v: u8, set: Set) -> u32 {
        let from = match chain.present.take() {
            Some((at, blocks)) if at == set => blocks,
            _ => self.partitions.get(&self.kernel, set, chain.scratch),
        };
        let mut to = self.partitions.buffer();
        let cost = self.kernel.extract(&from, set, v.into(), chain.scratch, &mut to);
        let next = set | 1 << v;
        chain.present = Some((next, self.partitions.keep(next, to)));
        cost
    }

    /// The number of different polynomials that are no numbers when `set` is inside.
    fn distinct(&self, set: Set) -> u32 {
        self.memo.get(DISTINCT, set).unwrap_or_else(|| {
            let mut workspace = self.workspace();
            let blocks = self.partitions.get(&self.kernel, set, &mut workspace.scratch);
            let count = self.kernel.distinct(&blocks, &mut workspace.scratch);
            self.give_back(workspace);
            self.memo.put(DISTINCT, set, count);
            count
        })
    }

    /// A lower bound of the operations for the variables outside `inside`: the different polynomials inside and the
    /// variables outside are joined to one result for each output, and an operation joins two of them.
    pub(super) fn least_outside(&self, inside: Set) -> u64 {
        self.least_to_join(self.distinct(inside), inside)
    }

    /// As [`least_outside`](Self::least_outside), when the number of polynomials is known.
    pub(super) fn least_to_join(&self, distinct: u32, inside: Set) -> u64 {
        let outside = (self.all() & !inside).count_ones();
        (u64::from(distinct) + u64::from(outside)).saturating_sub(self.outputs as u64)
    }

    /// A lower bound of the operations for the polynomials in the variables of `inside`: one for each of them that is
    /// more than a variable.
    pub(super) fn least_inside(&self, inside: Set) -> u64 {
        // Fixed variables may be such polynomials, too.
        let variables = inside.count_ones() as usize + self.fixed.len();
        u64::from(self.distinct(inside)).saturating_sub(variables as u64 + self.inner_nodes())
    }

    /// The polynomials of the fixed variables alone, whose operations are part of the base.
    fn inner_nodes(&self) -> u64 {
        if self.fixed.is_empty() { 0 } else { u64::from(self.distinct(0)) }
    }
}

/// Extractions from the inside out.
struct Chain<'a> {
    scratch: &'a mut Scratch,
    /// The set that the last extraction reached, and its blocks.
    present: Option<(Set, Arc<Vec<Block>>)>,
}
