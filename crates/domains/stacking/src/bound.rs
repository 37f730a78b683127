//! How many relocations are at least needed.

use super::model::Stacking;
use super::stacks::{EMPTY, NONE, Stacks};

/// Dates that are looked ahead at most.
const AHEAD: usize = 256;

/// Relocations so far and those that are certain:
/// - one for each inversion, an item on one that leaves earlier;
/// - one more for each item that is certain to be an inversion again when it is moved. Those are counted among the
///   items that lie above the next one to leave, or are in hand: an item that is due later than the earliest due date
///   of every other stack, and as many as must lie on each other in the wrong order because only one stack can take
///   them without an inversion, or two, or any number of them;
/// - the same for the items above those that leave next after that, as long as one item leaves a date. Everything that
///   lay above an earlier one is left out and nothing is added, which only makes room. A full stack takes nothing as
///   long as no item of it has moved.
///
/// # References
/// W. Zhu, H. Qin, A. Lim and H. Zhang, "Iterative deepening A* algorithms for the container relocation problem", IEEE
/// Transactions on Automation Science and Engineering 9, 2012, pages 710-722 (the bounds LB1 and LB3). K. E. Y. Quispe,
/// C. N. Lintzmayer and E. C. Xavier, "An exact algorithm for the blocks relocation problem with new lower bounds",
/// Computers & Operations Research 99, 2018, pages 206-217: LB-LIS. B. Jin, "A note on 'An exact algorithm for the
/// blocks relocation problem with new lower bounds'", Computers & Operations Research 124, 2020: its form for all
/// stacks. LB-LIS finds the longest sequence of items that all need different stacks. It counts its length less the
/// number of stacks that can take it. What is counted here, all items that these stacks cannot take in order, is at
/// least that (Greene), where at most [`MOST`] items lie above one and at most [`AHEAD`] dates are left.
pub(crate) fn relocations(problem: &Stacking, state: &Stacks) -> u32 {
    let mut bound = state.relocations + state.inversions;
    if state.left == 0 {
        return bound;
    }
    let due = |item: u16| problem.due[usize::from(item)];
    let mut moved = Moved::default();
    let mut cut: Vec<u16> = Vec::new();
    if state.pending != NONE {
        // An item taken off a stack is relocated as soon as it is put down.
        bound += u32::from(state.source != NONE);
        moved.push(due(state.pending));
        cut.clone_from(&state.top);
    }
    if state.target != NONE {
        let stack = usize::from(state.home[usize::from(state.target)]);
        debug_assert!(state.pending == NONE || usize::from(state.source) == stack);
        let mut item = state.top[stack];
        while item != state.target {
            moved.push(due(item));
            item = state.below[usize::from(item)];
        }
        // Room is what it is until the item has left.
        bound += moved.inversions(state, &[], stack, problem.limit(state));
        cut.clone_from(&state.top);
        cut[stack] = state.below[usize::from(item)];
    } else if state.pending != NONE {
        bound += moved.inversions(state, &[], usize::from(state.source), problem.limit(state));
    }
    if !state.queue.is_empty() || cut.is_empty() {
        return bound;
    }
    for date in (state.date as usize..).take(AHEAD) {
        let &[item] = problem.leaving(date) else {
            if problem.leaving(date).is_empty() && date < problem.dates() {
                continue;
            }
            break;
        };
        let own = usize::from(item);
        if state.level[own] == 0 {
            // Still to come, or in hand.
            continue;
        }
        let stack = usize::from(state.home[own]);
        let reach = if cut[stack] == NONE { 0 } else { state.level[usize::from(cut[stack])] };
        if state.level[own] > reach {
            // Moved before, to an unknown place.
            continue;
        }
        moved.clear();
        let mut above = cut[stack];
        while above != item {
            moved.push(due(above));
            above = state.below[usize::from(above)];
        }
        if moved.count > 0 {
            bound += moved.inversions(state, &cut, stack, problem.limit_at(date));
        }
        cut[stack] = state.below[own];
    }
    bound
}

/// Items whose order is looked at, at most; further ones are counted alone.
const MOST: usize = 32;
/// The most stacks for which items are counted that no other one can take: as many take all items whose order is looked
/// at.
const STACKS: usize = MOST - 1;

/// The due dates of items that are moved, in this order.
struct Moved {
    due: [u16; MOST],
    count: usize,
    /// The due dates of further items.
    more: Vec<u16>,
}

impl Default for Moved {
    fn default() -> Self {
        Self { due: [0; MOST], count: 0, more: Vec::new() }
    }
}

impl Moved {
    fn clear(&mut self) {
        self.count = 0;
        self.more.clear();
    }

    fn push(&mut self, due: u16) {
        if self.count < MOST {
            self.due[self.count] = due;
            self.count += 1;
        } else {
            self.more.push(due);
        }
    }

    /// Returns how many of the items are certain to lie on one that leaves earlier, where they may go to all stacks but
    /// `not`; see [`latest`].
    fn inversions(&self, state: &Stacks, cut: &[u16], not: usize, height: u16) -> u32 {
        let own = &self.due[..self.count];
        // So many stacks can take that many items in any order.
        let mut room = [0; STACKS + 1];
        let room = &mut room[..self.count.clamp(1, STACKS + 1)];
        latest(room, state, cut, not, height);
        let alone = own.iter().chain(&self.more).filter(|&&due| due > room[0]).count();
        let mut most = 0;
        for stacks in 1..room.len() {
            // Those that only the first stacks can take.
            let fits = own.iter().copied().filter(|&due| room[stacks] < due && due <= room[0]);
            let count = fits.clone().count();
            if count > stacks + most {
                most = most.max(count - ordered(fits, stacks));
            }
            if room[stacks] == 0 {
                break;
            }
        }
        (alone + most) as u32
    }
}

/// Returns how many dates of a sequence can be divided among `rows` subsequences that never rise (at most [`STACKS`]).
///
/// # References
/// C. Schensted, "Longest increasing and decreasing subsequences", Canadian Journal of Mathematics 13, 1961, pages
/// 179-191; C. Greene, "An extension of Schensted's theorem", Advances in Mathematics 14, 1974, pages 254-265: it is
/// the length of the first rows of the tableau.
fn ordered(dates: impl Iterator<Item = u16>, rows: usize) -> usize {
    let mut tableau = [[0_u16; MOST]; STACKS];
    let mut lengths = [0; STACKS];
    for mut date in dates {
        for (row, length) in tableau.iter_mut().zip(&mut lengths).take(rows) {
            // The first smaller date makes room and goes to the next row.
            match row[..*length].iter().position(|&other| other < date) {
                Some(at) => std::mem::swap(&mut row[at], &mut date),
                None => {
                    row[*length] = date;
                    *length += 1;
                    break;
                }
            }
        }
    }
    lengths.iter().sum()
}

/// Fills `room` with the latest of the earliest due dates of all stacks but `not` that have room, the latest first; 0
/// where there are fewer. `cut` names their top items, or is empty. A stack of `height` items has no room while its top
/// item is there.
fn latest(room: &mut [u16], state: &Stacks, cut: &[u16], not: usize, height: u16) {
    for stack in 0..state.top.len() {
        let is_whole = cut.get(stack).is_none_or(|&top| top == state.top[stack]);
        if stack == not || is_whole && state.height[stack] >= height {
            continue;
        }
        let mut least = match cut.get(stack) {
            None => state.least[stack],
            Some(&NONE) => EMPTY,
            Some(&top) => state.running[usize::from(top)],
        };
        for other in &mut *room {
            if least > *other {
                std::mem::swap(other, &mut least);
            }
        }
    }
}
