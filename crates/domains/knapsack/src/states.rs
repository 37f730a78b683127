//! States of the core: what packings weigh and are worth that differ from the base in the items of the core alone.

use super::plan::{Items, Pair, Plan};
use serde::{Deserialize, Serialize};

/// A packing that differs from the base in items of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) value: i64,
    pub(super) weight: i64,
    /// Which of the last 64 items of the core differ, the last one in the lowest bit.
    pub(super) path: u64,
    /// Items packed beside those of the base.
    pub(super) more: i32,
}

/// What decides about the states of a level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) capacity: i64,
    price: i64,
    places: i64,
    /// The greatest common divisor of all values.
    unit: i64,
    /// Value, less the price, and weight of the next items that may join and leave.
    joins: Option<Pair>,
    leaves: Option<Pair>,
    /// The worth of a unit of weight without the price, and what the items that are left gain at it, times its divisor.
    plain: Option<(Pair, i128)>,
}

/// Looks at the cut after as many states.
const EVERY: usize = 1 << 16;

/// What became of a level.
pub(super) struct Level {
    /// A bound on what the states that stay can become.
    pub(super) upper: i64,
    /// The last improvement.
    pub(super) better: Option<State>,
}

impl Frame {
    /// Returns the frame of a level in front of these items.
    pub(super) fn new(items: &Items<'_>, plan: &Plan, [joins, leaves]: [Option<Pair>; 2], gain: i128) -> Self {
        let Plan { price, places, .. } = *plan;
        let plain = plan.plain.map(|worth| (worth, gain));
        Self { capacity: items.capacity, price, places, unit: items.unit, joins, leaves, plain }
    }

    /// Whether the second bound of a state reaches a value.
    fn reaches(&self, state: &State, room: i64, need: i64) -> bool {
        self.plain.is_none_or(|((value, weight), gain)| {
            i128::from(state.value - need) * i128::from(weight) + i128::from(room) * i128::from(value) + gain >= 0
        })
    }

    /// Makes the states of the next level in `next`: those of `states` as they are, and changed by an item, which
    /// joins with the sign 1 and leaves with -1. States of no more value than a lighter one are dropped, and those that
    /// cannot reach `need`, which rises with each packing found. `None`: `go_on` said no.
    ///
    /// Linear in the number of states, which are sorted by weight.
    pub(super) fn advance(
        &self,
        states: &[State],
        next: &mut Vec<State>,
        ((value, weight), sign): (Pair, i32),
        need: &mut i64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Option<Level> {
        next.clear();
        let moved = |state: &State| State {
            value: state.value + value,
            weight: state.weight + weight,
            path: state.path << 1 | 1,
            more: state.more + sign,
        };
        let stays = |state: &State| State { path: state.path << 1, ..*state };
        // Without a next item there is nothing to gain, and no way back below the capacity.
        let (gain, loss) = (self.joins.filter(|item| item.0 > 0).unwrap_or((0, 1)), self.leaves);
        let (mut most_gain, mut most_loss, mut better) = (None, None, None);
        let (mut last, mut from, mut to) = (i64::MIN, 0, 0);
        let mut seen = 0;
        loop {
            let state = match (states.get(from), states.get(to)) {
                (None, None) => break,
                (Some(one), None) => {
                    from += 1;
                    stays(one)
                }
                (None, Some(two)) => {
                    to += 1;
                    moved(two)
                }
                (Some(one), Some(two)) => {
                    let shifted = two.weight + weight;
                    let is_first = one.weight < shifted || one.weight == shifted && one.value >= two.value + value;
                    if is_first {
                        from += 1;
                        stays(one)
                    } else {
                        to += 1;
                        moved(two)
                    }
                }
            };
            seen += 1;
            if seen % EVERY == 0 && !go_on() {
                return None;
            }
            if state.value <= last {
                continue;
            }
            last = state.value;
            let room = self.capacity - state.weight;
            if room >= 0 && state.value >= *need {
                *need = state.value + self.unit;
                better = Some(state);
            }
            let relaxed = i128::from(state.value + self.price * (self.places - i64::from(state.more)));
            let (most, item) = if room >= 0 {
                (&mut most_gain, gain)
            } else if let Some(item) = loss {
                (&mut most_loss, item)
            } else {
                continue;
            };
            let bound = relaxed * i128::from(item.1) + i128::from(room) * i128::from(item.0);
            if bound >= i128::from(*need) * i128::from(item.1) && self.reaches(&state, room, *need) {
                *most = Some(most.map_or(bound, |most: i128| most.max(bound)));
                next.push(state);
            }
        }
        let whole = |most: Option<i128>, item: Pair| most.map(|most| most.div_euclid(i128::from(item.1)));
        let gained = whole(most_gain, gain);
        let lost = loss.and_then(|item| whole(most_loss, item));
        let reached = i128::from(*need - self.unit);
        let upper = gained.into_iter().chain(lost).max().map_or(reached, |most| most.max(reached));
        let upper = upper - upper.rem_euclid(i128::from(self.unit));
        Some(Level { upper: upper.min(i128::from(i64::MAX / 4)) as i64, better })
    }

    /// Returns what a state can become, rounded to whole values.
    pub(super) fn rough(&self, state: &State) -> i64 {
        let room = self.capacity - state.weight;
        let item = if room >= 0 { self.joins.filter(|item| item.0 > 0) } else { self.leaves };
        let worth = item.map_or(0.0, |(value, weight)| value as f64 / weight as f64);
        let relaxed = state.value + self.price * (self.places - i64::from(state.more));
        relaxed + (room as f64 * worth) as i64
    }
}
