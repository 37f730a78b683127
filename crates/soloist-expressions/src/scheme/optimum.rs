//! The best order, by dynamic programming over subsets.

use super::cost::Scheme;
use super::kernel::{Block, Kernel, Scratch};
use super::set::Set;

/// The most variables for which the best order is proven. Each variable doubles time and memory.
pub const MAX_OPTIMAL: usize = 24;

/// The best order and its cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Optimum {
    /// The variables of the terms, outermost first.
    pub order: Vec<usize>,
    /// Its [`Scheme::cost`]. No order costs less.
    pub cost: u64,
}

/// Finds an order of least [`cost`](Scheme::cost) and proves that. Let `f(S)` be the least cost of the variables of a
/// set S when they are innermost; then `f(S + v)` is the minimum of `f(S) + c(v, S)` over `v`.
///
/// Sets are visited in the order of their bit patterns. The polynomials of a set are made from those of the set without
/// its lowest variable, so that one list of blocks for each variable is kept. With the order `known`, sets are skipped
/// if the cost of their variables and the [bound](soloist::Problem::bound) of the others reach the cost of that order.
/// Calls `watch` after each set with the numbers of visited and of all sets. Returns `None` when `watch` returns false.
///
/// Time: n 2^(n-1) level costs for n variables, each proportional to the number of blocks of its set. Memory: 5 bytes a
/// set, and 32 bytes a term and variable.
///
/// # Errors
/// One line: more than [`MAX_OPTIMAL`] variables.
///
/// # Panics
/// If `known` is not an order of the variables.
///
/// # References
/// M. Held and R. M. Karp, "A dynamic programming approach to sequencing problems", Journal of the SIAM 10, 1962.
pub fn optimal_order(
    scheme: &Scheme,
    known: Option<&[usize]>,
    watch: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<Option<Optimum>, String> {
    let n = scheme.searched().len();
    if n > MAX_OPTIMAL {
        return Err(format!("{n} variables: the best order is proven for at most {MAX_OPTIMAL}"));
    }
    let kernel = scheme.kernel();
    let limit = known.map_or(u64::MAX, |order| scheme.cost(order));
    let count = 1_usize << n;
    let mut least = vec![u32::MAX; count];
    let mut last = vec![0_u8; count];
    least[0] = 0;
    let mut workspace = scheme.workspace();
    let scratch = &mut workspace.scratch;
    let mut path = Path { levels: vec![Level { set: 0, blocks: kernel.rows.clone(), ready: true }], depth: 1 };
    let mut finished = true;
    for set in 0..count {
        if set > 0 {
            path.enter(set);
            let below = set & (set - 1);
            let v = set.trailing_zeros() as usize;
            // If the sets that lead to this one were skipped, it is skipped.
            if least[below] != u32::MAX || least[set] != u32::MAX {
                let cost = path.make(kernel, scratch);
                let sum = least[below].saturating_add(cost);
                if sum < least[set] {
                    (least[set], last[set]) = (sum, v as u8);
                }
            }
        }
        if least[set] != u32::MAX {
            let so_far = scheme.base() + u64::from(least[set]);
            let blocks = path.blocks();
            let is_open = set != count - 1;
            if is_open && limit != u64::MAX && so_far + path.least_outside(scheme, scratch) >= limit {
                least[set] = u32::MAX;
            } else if is_open {
                let mut to = std::mem::take(&mut scratch.to);
                let low = if set == 0 { n } else { set.trailing_zeros() as usize };
                for v in (low + 1..n).filter(|&v| set >> v & 1 == 0) {
                    let cost = kernel.extract(blocks, set as Set, v, scratch, &mut to);
                    let (next, sum) = (set | 1 << v, least[set].saturating_add(cost));
                    if sum < least[next] {
                        (least[next], last[next]) = (sum, v as u8);
                    }
                }
                scratch.to = to;
            }
        }
        if !watch(set as u64 + 1, count as u64) {
            finished = set + 1 == count;
            break;
        }
    }
    scheme.give_back(workspace);
    if !finished {
        return Ok(None);
    }
    let cost = scheme.base() + u64::from(least[count - 1]);
    if let Some(known) = known
        && (least[count - 1] == u32::MAX || cost >= limit)
    {
        let indices: Vec<usize> = known.iter().copied().filter(|v| scheme.searched().contains(v)).collect();
        let order = indices.into_iter().chain(scheme.names(&[])).collect();
        return Ok(Some(Optimum { order, cost: limit }));
    }
    let mut order = Vec::with_capacity(n);
    let mut set = count - 1;
    while set != 0 {
        order.push(last[set]);
        set &= !(1 << last[set]);
    }
    Ok(Some(Optimum { order: scheme.names(&order), cost }))
}

/// A set, with a buffer for its blocks and whether they are made.
struct Level {
    set: usize,
    blocks: Vec<Block>,
    ready: bool,
}

/// The sets from the empty set to the present one. Each adds the next lower variable.
struct Path {
    levels: Vec<Level>,
    /// The number of levels in use. The buffers of the others are kept.
    depth: usize,
}

impl Path {
    /// Goes to `set`, the next one in the order of bit patterns.
    fn enter(&mut self, set: usize) {
        while self.levels[self.depth - 1].set != set & (set - 1) {
            self.depth -= 1;
        }
        if self.depth == self.levels.len() {
            self.levels.push(Level { set, blocks: Vec::new(), ready: false });
        }
        let level = &mut self.levels[self.depth];
        (level.set, level.ready) = (set, false);
        self.depth += 1;
    }

    /// Makes the blocks of the present set. Returns the cost of its lowest variable.
    fn make(&mut self, kernel: &Kernel, scratch: &mut Scratch) -> u32 {
        let mut cost = 0;
        let first = self.levels[..self.depth].iter().rposition(|level| level.ready).unwrap_or(0);
        for at in first + 1..self.depth {
            let (below, above) = self.levels.split_at_mut(at);
            let level = &mut above[0];
            let v = level.set.trailing_zeros() as usize;
            cost = kernel.extract(&below[at - 1].blocks, below[at - 1].set as Set, v, scratch, &mut level.blocks);
            level.ready = true;
        }
        cost
    }

    fn blocks(&self) -> &[Block] {
        &self.levels[self.depth - 1].blocks
    }

    /// See [`Scheme::least_outside`].
    fn least_outside(&self, scheme: &Scheme, scratch: &mut Scratch) -> u64 {
        let distinct = scheme.kernel().distinct(self.blocks(), scratch);
        scheme.least_to_join(distinct, self.levels[self.depth - 1].set as Set)
    }
}
