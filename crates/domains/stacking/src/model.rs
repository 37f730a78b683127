//! The rules: what is known of an instance, and what moves do to stacks.

use super::Yard;
use super::stacks::{EMPTY, NONE, Stacks, fit};
use soloist::problem::StableHasher;
use std::hash::Hasher;
use std::ops::Range;

/// What happens on a date: items that leave and items that come, as places in `Stacking::lists`.
#[derive(Clone, Debug)]
struct Date {
    time: u64,
    /// By item.
    leaving: Range<usize>,
    /// The latest due first.
    coming: Range<usize>,
}

/// Something that was moved; items by their index, stacks counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Movement {
    /// When.
    pub time: u64,
    /// What.
    pub item: usize,
    /// From which stack; `None`: it comes.
    pub from: Option<usize>,
    /// To which stack; `None`: it leaves.
    pub to: Option<usize>,
}

/// The search's view of a [`Yard`]: minimise relocations.
///
/// A state waits for a decision where the item in hand goes; a move is the *rank* of a stack among those that it may go
/// to, in the order of the flexibility heuristic (see `fit` in `stacks`: the tightest stack without an inversion, then
/// an empty one, then the one whose inversion is due latest), equally good stacks by the place of their top item in the
/// file. Empty stacks are alike, so that only one counts; where there is no choice, there is no move. Ranks mean the
/// same at any place, so that what is learned about one carries over: the code of a move is the item, how often it was
/// put down before, and the rank.
///
/// Where a height is limited and no stack has room, the state is final and infeasible, by the number of items that have
/// not left. The bound counts relocations, inversions, and inversions that the next items to be moved cannot avoid; see
/// `bound`. A state takes 12 bytes an item; a move costs the width of the yard for each item put down.
///
/// # References
/// L. Rei and J. P. Pedroso, "Tree search for the stacking problem", Annals of Operations Research 203, 2013, pages
/// 371-388. L. Rei, thesis, University of Porto, 2018, chapter 5.
#[derive(Clone, Debug)]
pub struct Stacking {
    /// The due date of each item by its order.
    pub(crate) due: Vec<u16>,
    dates: Vec<Date>,
    pub(crate) lists: Vec<u16>,
    width: usize,
    /// The most items on a stack; more than there are items where it is unlimited.
    pub(crate) height: u16,
    /// Whether the height is unlimited while something is put down on the date of this number; empty: on no date.
    pub(crate) lifted: Vec<bool>,
    /// The stacks before the first date.
    pub(crate) initial: Stacks,
    /// The first decision.
    pub(crate) root: Stacks,
    pub(crate) fingerprint: u64,
}
impl Stacking {
    /// Orders the events: O(n log n).
    #[must_use]
    pub fn new(yard: &Yard) -> Self {
        let items = yard.items();
        let mut dues: Vec<u64> = items.iter().map(|item| item.due).collect();
        soloist::order::sort(&mut dues);
        dues.dedup();
        let rank = |due: u64| dues.partition_point(|&other| other < due) as u16;
        let due: Vec<u16> = items.iter().map(|item| rank(item.due)).collect();
        // Ties go by the items' numbers, which need not be in the order of the file.
        let mut order: Vec<u16> = (0..items.len() as u16).collect();
        soloist::order::sort_by_key(&mut order, |&item| items[usize::from(item)].number);
        let mut leaving = order.clone();
        soloist::order::sort_by_key(&mut leaving, |&item| items[usize::from(item)].due);
        let mut coming: Vec<u16> = order;
        coming.retain(|&item| items[usize::from(item)].release.is_some());
        soloist::order::sort_by_key(&mut coming, |&item| {
            let item = items[usize::from(item)];
            (item.release, std::cmp::Reverse(item.due))
        });
        let releases = coming.iter().filter_map(|&item| items[usize::from(item)].release);
        let mut times: Vec<u64> = releases.chain(dues.iter().copied()).collect();
        soloist::order::sort(&mut times);
        times.dedup();
        let (mut dates, mut out, mut inward) = (Vec::new(), 0, 0);
        for time in times {
            let (first, begin) = (out, inward);
            while out < leaving.len() && items[usize::from(leaving[out])].due == time {
                out += 1;
            }
            while inward < coming.len() && items[usize::from(coming[inward])].release == Some(time) {
                inward += 1;
            }
            let shift = leaving.len();
            dates.push(Date { time, leaving: first..out, coming: begin + shift..inward + shift });
        }
        let mut hash = StableHasher::new();
        hash.write(b"stacking");
        hash.write_u64(yard.width() as u64);
        hash.write_u64(yard.height().min(items.len()) as u64);
        for item in items {
            hash.write_u64(item.number);
            hash.write_u64(item.release.map_or(u64::MAX, |release| release));
            hash.write_u64(item.due);
        }
        let mut root = Stacks::new(yard.width(), items.len());
        for (stack, own) in yard.initial().iter().enumerate() {
            hash.write_u64(own.len() as u64);
            for &item in own {
                hash.write_u64(item as u64);
                root.put(item as u16, due[item], stack);
                root.placed[item] = 0;
            }
        }
        let lists = leaving.into_iter().chain(coming).collect();
        // With a level to spare for every item the limit never matters.
        let height = yard.height().min(items.len() + 1) as u16;
        let (width, fingerprint) = (yard.width(), hash.finish());
        let initial = root.clone();
        let mut own = Self { due, dates, lists, width, height, lifted: Vec::new(), initial, root, fingerprint };
        own.reach_root();
        own
    }

    /// Makes the first decision the root.
    pub(crate) fn reach_root(&mut self) {
        let mut root = self.initial.clone();
        self.proceed(&mut root, &mut |_| {});
        self.root = root;
    }

    /// Items.
    pub(crate) fn count(&self) -> usize {
        self.due.len()
    }

    /// Stacks.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns the items that leave on the date of this number.
    pub(crate) fn leaving(&self, date: usize) -> &[u16] {
        self.dates.get(date).map_or(&[], |date| &self.lists[date.leaving.clone()])
    }

    /// Returns the items that come on the date of this number.
    pub(crate) fn coming(&self, date: usize) -> &[u16] {
        self.dates.get(date).map_or(&[], |date| &self.lists[date.coming.clone()])
    }

    /// Returns when the date of this number is.
    pub(crate) fn time_of(&self, date: usize) -> Option<u64> {
        self.dates.get(date).map(|date| date.time)
    }

    /// The number of dates.
    pub(crate) fn dates(&self) -> usize {
        self.dates.len()
    }

    /// The most items on a stack that something is put on now.
    #[inline(always)]
    pub(crate) fn limit(&self, state: &Stacks) -> u16 {
        self.limit_at((state.date as usize).wrapping_sub(1))
    }

    /// The same on a date, counted from 0.
    #[inline(always)]
    pub(crate) fn limit_at(&self, date: usize) -> u16 {
        if self.lifted.get(date).copied().unwrap_or(false) { u16::MAX } else { self.height }
    }

    /// Whether a stack may take the item in hand where the most items on a stack are `limit`.
    #[inline(always)]
    fn open(state: &Stacks, stack: usize, limit: u16) -> bool {
        stack != usize::from(state.source) && state.height[stack] < limit
    }

    /// How many stacks the item in hand may go to, all empty ones counting as one.
    #[inline]
    fn choices(&self, state: &Stacks) -> u16 {
        let (mut count, mut empty) = (0_u16, false);
        let limit = self.limit(state);
        for stack in 0..self.width {
            let vacant = state.top[stack] == NONE;
            let open = Self::open(state, stack, limit);
            count += u16::from(open && !vacant);
            empty |= open && vacant;
        }
        count + u16::from(empty)
    }

    /// Returns the stack of rank `rank`; the last one where there are fewer.
    ///
    /// Stacks that suit alike are ranked by the number of their top item, and empty ones have one rank: ranks follow
    /// from the stacks as a set, as [`key`](soloist::Problem::key) does.
    #[inline]
    pub(crate) fn stack_of_rank(&self, state: &Stacks, rank: usize) -> usize {
        let (due, limit) = (self.due[usize::from(state.pending)], self.limit(state));
        // The stacks in order one by one: the rank is mostly 0.
        let (mut last, mut found) = (None, 0);
        for _ in 0..=rank {
            let (mut best, mut place) = (u32::MAX, 0);
            for (stack, (&least, &top)) in state.least.iter().zip(&state.top).enumerate() {
                let key = u32::from(fit(least, due)) << 16 | u32::from(top);
                if key < best && last.is_none_or(|last| key > last) && Self::open(state, stack, limit) {
                    (best, place) = (key, stack);
                }
            }
            if best == u32::MAX {
                break;
            }
            (last, found) = (Some(best), place);
        }
        found
    }

    /// Returns how many stacks suit the item in hand as well as the best one; empty stacks count as one. 0
    /// without an item in hand.
    #[must_use]
    pub fn ties(&self, state: &Stacks) -> usize {
        let Some(&due) = self.due.get(usize::from(state.pending)) else { return 0 };
        let limit = self.limit(state);
        let keys =
            (0..self.width).filter(|&stack| Self::open(state, stack, limit)).map(|stack| fit(state.least[stack], due));
        let (mut best, mut ties) = (u16::MAX, 0);
        for key in keys {
            if key < best {
                (best, ties) = (key, 1);
            } else if key == best {
                ties += 1;
            }
        }
        // Empty stacks are one choice.
        if best == fit(EMPTY, due) { 1 } else { ties }
    }

    /// Puts the item in hand on the stack of rank `rank` and plays on to the next decision.
    #[inline]
    pub(crate) fn play(&self, state: &mut Stacks, rank: usize, tell: &mut impl FnMut(Movement)) {
        let stack = self.stack_of_rank(state, rank);
        self.put(state, stack, tell);
        self.proceed(state, tell);
    }

    #[inline]
    fn put(&self, state: &mut Stacks, stack: usize, tell: &mut impl FnMut(Movement)) {
        let item = state.pending;
        let from = (state.source != NONE).then_some(usize::from(state.source));
        tell(Movement { time: self.time(state), item: usize::from(item), from, to: Some(stack) });
        state.relocations += u32::from(state.source != NONE);
        state.put(item, self.due[usize::from(item)], stack);
        (state.pending, state.source, state.choices) = (NONE, NONE, 0);
    }

    fn time(&self, state: &Stacks) -> u64 {
        self.time_of((state.date as usize).wrapping_sub(1)).unwrap_or(0)
    }

    /// Lets events happen until an item can go to several stacks or to no stack, or all is done.
    fn proceed(&self, state: &mut Stacks, tell: &mut impl FnMut(Movement)) {
        loop {
            if state.target != NONE {
                let stack = usize::from(state.home[usize::from(state.target)]);
                let item = state.take(&self.due, stack);
                if item == state.target {
                    tell(Movement { time: self.time(state), item: usize::from(item), from: Some(stack), to: None });
                    state.target = NONE;
                    state.left -= 1;
                    continue;
                }
                (state.pending, state.source) = (item, stack as u16);
            } else if let Some(item) = state.queue.pop() {
                state.target = item;
                continue;
            } else {
                let date = (state.date as usize).checked_sub(1).and_then(|date| self.dates.get(date));
                let next = date.and_then(|date| self.lists[date.coming.clone()].get(state.released as usize));
                match next {
                    Some(&item) => {
                        state.released += 1;
                        (state.pending, state.source) = (item, NONE);
                    }
                    None => {
                        if state.date as usize == self.dates.len() {
                            return;
                        }
                        self.begin(state);
                        continue;
                    }
                }
            }
            state.choices = self.choices(state);
            if state.choices != 1 {
                return;
            }
            let stack = self.stack_of_rank(state, 0);
            self.put(state, stack, tell);
        }
    }

    /// Begins the next date: the items that leave, those with the fewest items above them first.
    fn begin(&self, state: &mut Stacks) {
        let date = &self.dates[state.date as usize];
        state.date += 1;
        state.released = 0;
        state.queue.clear();
        state.queue.extend(self.lists[date.leaving.clone()].iter().rev());
        let above = |item: u16| {
            let own = usize::from(item);
            state.height[usize::from(state.home[own])] - state.level[own]
        };
        // Stable: among equals, the smallest number stays last, which is first to leave.
        state.queue.sort_by_key(|&item| std::cmp::Reverse(above(item)));
    }

    /// Returns all movements that `moves` lead to, in time order. Moves beyond the end are ignored.
    #[must_use]
    pub fn movements(&self, yard: &Yard, moves: &[u16]) -> Vec<Movement> {
        let mut all = Vec::new();
        let mut tell = |movement| all.push(movement);
        let mut state = Stacks::new(self.width, self.count());
        for (stack, own) in yard.initial().iter().enumerate() {
            own.iter().for_each(|&item| state.put(item as u16, self.due[item], stack));
        }
        self.proceed(&mut state, &mut tell);
        for &mv in moves {
            if state.choices == 0 {
                break;
            }
            self.play(&mut state, usize::from(mv), &mut tell);
        }
        all
    }
}
