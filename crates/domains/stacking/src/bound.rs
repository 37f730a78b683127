//! How many relocations are at least needed.

use super::model::Stacking;
use super::stacks::{EMPTY, NONE, Stacks};

/// Dates that are looked ahead at most.
const AHEAD: usize = 64;

/// Relocations so far and those that are certain:
/// - one for each inversion, an item on one that leaves earlier;
/// - one more for each item that lies above the next one to leave, or is in hand, and is due later than the earliest
///   due date of every other stack: wherever it goes, it will be an inversion again;
/// - the same for the items above those that leave next after that, as long as one item leaves a date. Everything that
///   lay above an earlier one is left out and nothing is added, which only makes room.
///
/// # References
/// W. Zhu, H. Qin, A. Lim and H. Zhang, "Iterative deepening A* algorithms for the container relocation problem", IEEE
/// Transactions on Automation Science and Engineering 9, 2012, pages 710-722 (the bounds LB1 and LB3).
pub(crate) fn relocations(problem: &Stacking, state: &Stacks) -> u32 {
    let mut bound = state.relocations + state.inversions;
    if state.left == 0 {
        return bound;
    }
    let due = |item: u16| problem.due[usize::from(item)];
    if state.pending != NONE {
        // An item taken off a stack is relocated as soon as it is put down.
        bound += u32::from(state.source != NONE);
        // Room is what it is until the next item has left.
        let most = latest(state, &[], usize::from(state.source), problem.height);
        bound += u32::from(due(state.pending) > most);
    }
    let mut cut: Vec<u16> = Vec::new();
    if state.target != NONE {
        let stack = usize::from(state.home[usize::from(state.target)]);
        let most = latest(state, &[], stack, problem.height);
        let mut item = state.top[stack];
        while item != state.target {
            bound += u32::from(due(item) > most);
            item = state.below[usize::from(item)];
        }
        cut.clone_from(&state.top);
        cut[stack] = state.below[usize::from(item)];
    } else if state.pending != NONE {
        cut.clone_from(&state.top);
    }
    if !state.queue.is_empty() || cut.is_empty() {
        return bound;
    }
    for date in (state.date as usize..).take(AHEAD) {
        let &[item] = problem.leaving(date) else {
            if problem.leaving(date).is_empty() && problem.has_date(date) {
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
        let most = latest(state, &cut, stack, u16::MAX);
        let mut above = cut[stack];
        while above != item {
            bound += u32::from(due(above) > most);
            above = state.below[usize::from(above)];
        }
        cut[stack] = state.below[own];
    }
    bound
}

/// The latest of the earliest due dates of all stacks but `not` that have room; `cut` names their top items, or is
/// empty.
fn latest(state: &Stacks, cut: &[u16], not: usize, height: u16) -> u16 {
    let mut most = 0;
    for stack in 0..state.top.len() {
        if stack == not || state.height[stack] >= height {
            continue;
        }
        let least = match cut.get(stack) {
            None => state.least[stack],
            Some(&NONE) => EMPTY,
            Some(&top) => state.running[usize::from(top)],
        };
        most = most.max(least);
    }
    most
}
