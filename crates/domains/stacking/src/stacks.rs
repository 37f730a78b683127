//! The state of the search: stacks as linked lists of items, with running minima and inversions kept up to date.

/// No item, or no stack.
pub(crate) const NONE: u16 = u16::MAX;
/// The earliest due date of an empty stack: later than all.
pub(crate) const EMPTY: u16 = 0x7fff;

/// Stacks at a moment, and the events that are still to come on the present date.
///
/// Due dates are counted by their order, so that 16 bits hold them. The memory is 12 bytes an item and 6 bytes a stack.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stacks {
    /// The earliest due date in each stack.
    pub(crate) least: Vec<u16>,
    /// The item on top of each stack.
    pub(crate) top: Vec<u16>,
    /// Items on each stack.
    pub(crate) height: Vec<u16>,
    /// What each item lies on.
    pub(crate) below: Vec<u16>,
    /// The earliest due date of each item and those below it.
    pub(crate) running: Vec<u16>,
    /// The stack of each item.
    pub(crate) home: Vec<u16>,
    /// How high each item lies, from 1; 0: it is in no stack.
    pub(crate) level: Vec<u16>,
    /// How often each item was put onto a stack.
    pub(crate) placed: Vec<u16>,
    /// Relocations so far.
    pub(crate) relocations: u32,
    /// Items that lie on one that leaves earlier.
    pub(crate) inversions: u32,
    /// Dates that have begun.
    pub(crate) date: u32,
    /// Items that are to leave on the present date, the next one last.
    pub(crate) queue: Vec<u16>,
    /// The item that is being uncovered.
    pub(crate) target: u16,
    /// Releases of the present date that are done.
    pub(crate) released: u32,
    /// The item that is to be put onto a stack.
    pub(crate) pending: u16,
    /// The stack that it was taken from.
    pub(crate) source: u16,
    /// How many stacks the item in hand may go to, all empty ones counting as one.
    pub(crate) choices: u16,
    /// Items that have not left.
    pub(crate) left: u32,
}

impl Clone for Stacks {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        self.least.clone_from(&other.least);
        self.top.clone_from(&other.top);
        self.height.clone_from(&other.height);
        self.below.clone_from(&other.below);
        self.running.clone_from(&other.running);
        self.home.clone_from(&other.home);
        self.level.clone_from(&other.level);
        self.placed.clone_from(&other.placed);
        self.queue.clone_from(&other.queue);
        (self.relocations, self.inversions, self.date, self.left) =
            (other.relocations, other.inversions, other.date, other.left);
        (self.target, self.released, self.pending, self.source, self.choices) =
            (other.target, other.released, other.pending, other.source, other.choices);
    }
}

impl Stacks {
    /// Empty stacks before the first date.
    pub(crate) fn new(width: usize, items: usize) -> Self {
        Self {
            least: vec![EMPTY; width],
            top: vec![NONE; width],
            height: vec![0; width],
            below: vec![NONE; items],
            running: vec![EMPTY; items],
            home: vec![NONE; items],
            level: vec![0; items],
            placed: vec![0; items],
            relocations: 0,
            inversions: 0,
            date: 0,
            queue: Vec::new(),
            target: NONE,
            released: 0,
            pending: NONE,
            source: NONE,
            choices: 0,
            left: items as u32,
        }
    }

    /// Relocations so far.
    #[must_use]
    pub fn relocations(&self) -> u32 {
        self.relocations
    }

    /// Items that lie on one that leaves earlier: each will be relocated at least once more.
    #[must_use]
    pub fn inversions(&self) -> u32 {
        self.inversions
    }

    /// Puts an item with its due date on top of a stack.
    #[inline]
    pub(crate) fn put(&mut self, item: u16, due: u16, stack: usize) {
        let (own, least) = (usize::from(item), self.least[stack]);
        self.inversions += u32::from(due > least);
        let running = due.min(least);
        self.running[own] = running;
        self.least[stack] = running;
        self.below[own] = self.top[stack];
        self.top[stack] = item;
        self.height[stack] += 1;
        self.level[own] = self.height[stack];
        self.home[own] = stack as u16;
        self.placed[own] = self.placed[own].saturating_add(1);
    }

    /// Takes the top item, whose due date is `due(item)`, off a stack that is not empty.
    #[inline]
    pub(crate) fn take(&mut self, due: &[u16], stack: usize) -> u16 {
        let item = self.top[stack];
        let own = usize::from(item);
        let below = self.below[own];
        let least = if below == NONE { EMPTY } else { self.running[usize::from(below)] };
        self.inversions -= u32::from(due[own] > least);
        self.least[stack] = least;
        self.top[stack] = below;
        self.height[stack] -= 1;
        self.level[own] = 0;
        item
    }
}

/// How well a stack whose earliest due date is `least` suits an item due on `due`, smaller being better: first stacks
/// whose items all leave no earlier, by how little later the first leaves, then empty ones, then the others, by how
/// little earlier.
///
/// This is the order of the flexibility of L. Rei's thesis (5.1), `1 / (1 + m - d)` where `m >= d`, 0 for an empty
/// stack, and `1 / (1 + d - m) - 1` where `m < d`, larger being better.
#[inline(always)]
pub(crate) fn fit(least: u16, due: u16) -> u16 {
    if least >= due { least - due } else { 0x8000 + (due - least) }
}
