//! Tasks into stations in the order of a line; without precedences, items into bins.

use crate::read::Words;
use crate::set::Set;
use crate::solve::Model;
use rpid::prelude::*;
use std::cmp::{Ordering, Reverse};

#[derive(Debug, Clone)]
pub(crate) struct Balancing<const W: usize> {
    cycle: i64,
    time: Vec<i64>,
    before: Vec<Set<W>>,
    /// Of bins: the items that a bin does not begin with while one of these is left.
    ahead: Option<Vec<Set<W>>>,
    halves: Vec<i64>,
    sixths: Vec<i64>,
}

/// The sums over what is left follow from `left`. They are carried along, so that no bound computes them again.
#[derive(Debug, Clone)]
pub(crate) struct State<const W: usize> {
    left: Set<W>,
    room: i64,
    time: i64,
    halves: i64,
    sixths: i64,
}

/// A task, or a new station.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Label(Option<usize>);

impl std::fmt::Display for Label {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |task| task.fmt(f))
    }
}

pub(crate) fn read<const W: usize>(text: &str) -> Result<Balancing<W>, String> {
    let mut words = Words::new(text);
    let tasks = words.count::<W>(0)?;
    let cycle = words.number(1..=10_000_000)?;
    let time = (0..tasks).map(|_| words.number(0..=cycle)).collect::<Result<Vec<_>, _>>()?;
    // A count of precedences, or nothing.
    let pairs = if words.has_more() { words.lines()? } else { 0 };
    let mut before = vec![Set::<W>::EMPTY; tasks];
    for _ in 0..pairs {
        let (a, b) = (words.index(tasks)?, words.index(tasks)?);
        before[b] = before[b].with(a);
    }
    words.end()?;
    let mut left = Set::<W>::of(0..tasks);
    while let Some(task) = left.iter().find(|task| !before[*task].meets(&left)) {
        left = left.without(task);
    }
    if let Some(task) = left.iter().next() {
        return Err(format!("the precedences before task {} go in a circle", task + 1));
    }
    let ahead = (pairs == 0).then(|| {
        let mut larger: Vec<usize> = (0..tasks).collect();
        larger.sort_by_key(|task| Reverse(time[*task]));
        let mut ahead = vec![Set::EMPTY; tasks];
        for (place, task) in larger.iter().enumerate() {
            ahead[*task] = Set::of(larger[..place].iter().copied());
            // Of items of one size the first one comes first.
            before[*task] = Set::of(larger[..place].last().copied().filter(|other| time[*other] == time[*task]));
        }
        ahead
    });
    let halves = time.iter().map(|t| 1 + (2 * t).cmp(&cycle) as i64).collect();
    let sixths = time.iter().map(|t| sixths(*t, cycle)).collect();
    Ok(Balancing { cycle, time, before, ahead, halves, sixths })
}

/// The part of a station that a task counts for at least, in sixths.
fn sixths(time: i64, cycle: i64) -> i64 {
    match ((3 * time).cmp(&(2 * cycle)), (3 * time).cmp(&cycle)) {
        (Ordering::Greater, _) => 6,
        (Ordering::Equal, _) => 4,
        (_, Ordering::Greater) => 3,
        (_, Ordering::Equal) => 2,
        _ => 0,
    }
}

impl<const W: usize> Balancing<W> {
    fn fits(&self, state: &State<W>, task: usize) -> bool {
        self.time[task] <= state.room && !self.before[task].meets(&state.left)
    }
}

impl<const W: usize> Dp for Balancing<W> {
    type State = State<W>;
    type CostType = i64;
    type Label = Label;

    fn get_target(&self) -> State<W> {
        State {
            left: Set::of(0..self.time.len()),
            room: 0,
            time: self.time.iter().sum(),
            halves: self.halves.iter().sum(),
            sixths: self.sixths.iter().sum(),
        }
    }

    fn get_successors(&self, state: &State<W>) -> impl IntoIterator<Item = (State<W>, i64, Label)> {
        let can = state.left.iter().filter(|task| self.fits(state, *task));
        let first = state.room == self.cycle;
        let can =
            can.filter(move |task| !first || self.ahead.as_ref().is_none_or(|ahead| !state.left.meets(&ahead[*task])));
        let mut can = can.peekable();
        // A station is opened where no task fits, and only there.
        let open = can.peek().is_none().then(|| (State { room: self.cycle, ..state.clone() }, 1, Label(None)));
        let put = can.map(|task| {
            let after = State {
                left: state.left.without(task),
                room: state.room - self.time[task],
                time: state.time - self.time[task],
                halves: state.halves - self.halves[task],
                sixths: state.sixths - self.sixths[task],
            };
            (after, 0, Label(Some(task)))
        });
        open.into_iter().chain(put)
    }

    fn get_base_cost(&self, state: &State<W>) -> Option<i64> {
        state.left.is_empty().then_some(0)
    }
}

impl<const W: usize> Dominance for Balancing<W> {
    type State = State<W>;
    type Key = Set<W>;

    fn get_key(&self, state: &State<W>) -> Set<W> {
        state.left
    }

    fn compare(&self, a: &State<W>, b: &State<W>) -> Option<Ordering> {
        Some(a.room.cmp(&b.room))
    }
}

impl<const W: usize> Bound for Balancing<W> {
    type State = State<W>;
    type CostType = i64;

    fn get_dual_bound(&self, state: &State<W>) -> Option<i64> {
        let all = (state.time - state.room + self.cycle - 1) / self.cycle;
        let halves = (state.halves + 1) / 2 - i64::from(2 * state.room >= self.cycle);
        let sixths = (state.sixths + 5) / 6 - i64::from(3 * state.room >= self.cycle);
        Some(all.max(halves).max(sixths))
    }
}

impl<const W: usize> Model for Balancing<W> {
    fn moves(&self, labels: &[Label]) -> Vec<String> {
        labels.iter().filter(|label| label.0.is_some()).map(Label::to_string).collect()
    }
}
