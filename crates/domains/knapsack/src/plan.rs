//! A core that grows around the break item: which items may still change, in which order, and what bounds say of them.
//!
//! Numbers are those of the ranked items; sums stay below 2^54 and products of two of them are taken in 128 bits.

use super::problem::{Knapsack, Ranked};
use soloist::problem::stable_hash;
use std::cmp::Ordering;

/// Value and weight, as one item has them or several together.
pub(super) type Pair = (i64, i64);

/// A constraint on the number of items packed, with its price: what each item packed costs in the relaxed problem.
///
/// With a price above 0, at most `count` items are packed; with one below 0, at least as many. Either holds in every
/// solution that is better than the best one known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Price {
    pub(super) price: i64,
    pub(super) count: i64,
}

/// Which items are packed at first, and which may change.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) price: i64,
    /// The places that the constraint has beside those of the items packed at first.
    pub(super) places: i64,
    /// For each ranked item whether it is packed at first.
    pub(super) base: Vec<bool>,
    pub(super) value: i64,
    pub(super) weight: i64,
    /// A bound on the value of all packings.
    pub(super) upper: i64,
    /// The items that may join and those that may leave, by their place in the ranking, in the order of the core.
    pub(super) joining: Vec<u32>,
    pub(super) leaving: Vec<u32>,
    /// The weight of the heaviest of them.
    pub(super) heaviest: i64,
    /// Value, less the price, and weight of the break item: what a unit of weight is worth.
    worth: Pair,
    /// Where there is a price, value and weight of the break item without one: it gives a second bound.
    pub(super) plain: Option<Pair>,
}

/// Work was cut off, and nothing has changed.
pub(super) struct Cut;

/// What values and weights have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// The capacity that packings can use: a multiple of what divides all weights.
    capacity: i64,
    /// The greatest common divisor of all values, at least 1.
    unit: i64,
}

impl Scale {
    /// Linear in the number of items.
    pub(super) fn of(problem: &Knapsack) -> Self {
        let common =
            |pick: fn(&Ranked) -> u64| problem.ranked().iter().fold(0, |all, item| divisor(all, pick(item))).max(1);
        let capacity = problem.capacity();
        let capacity = (capacity - capacity % common(|item| item.weight)) as i64;
        Self { capacity, unit: common(|item| item.value) as i64 }
    }
}

/// The items as the method takes them.
pub(super) struct Items<'a> {
    ranked: &'a [Ranked],
    pub(super) capacity: i64,
    pub(super) unit: i64,
}

/// The largest price with as many items: no product of prices leaves 64 bits.
pub(super) fn most_price(count: usize) -> i64 {
    (i64::MAX >> 2) / (count as i64 + 1)
}

impl<'a> Items<'a> {
    pub(super) fn new(problem: &'a Knapsack, Scale { capacity, unit }: Scale) -> Self {
        Self { ranked: problem.ranked(), capacity, unit }
    }

    pub(super) fn len(&self) -> usize {
        self.ranked.len()
    }

    pub(super) fn pair(&self, at: u32) -> Pair {
        let item = self.ranked[at as usize];
        (item.value as i64, item.weight as i64)
    }

    /// What moving an item adds to value and weight of a packing.
    pub(super) fn change(&self, plan: &Plan, at: u32) -> Pair {
        let (value, weight) = self.pair(at);
        if plan.base[at as usize] { (-value, -weight) } else { (value, weight) }
    }

    /// Value less the price, and weight.
    pub(super) fn priced(&self, at: u32, price: i64) -> Pair {
        let (value, weight) = self.pair(at);
        (value - price, weight)
    }

    /// Returns a plan for all packings whose value is at least `need`.
    pub(super) fn plan(&self, price: Price, need: i64) -> Plan {
        if price.price == 0 {
            let all: Vec<u32> = (0..self.len() as u32).collect();
            return self.arrange(price, &all, vec![false; self.len()], need);
        }
        let Plan { base, mut joining, leaving, worth, .. } = self.plan(Price::default(), need);
        let mut fixed = base;
        leaving.iter().for_each(|&at| fixed[at as usize] = false);
        joining.extend(leaving);
        self.sort(&mut joining, price.price);
        Plan { plain: Some(worth), ..self.arrange(price, &joining, fixed, need) }
    }

    /// Returns what moving an item gains at most at the worth of a unit of weight without a price, times its divisor.
    pub(super) fn gain(&self, plan: &Plan, at: u32) -> i128 {
        let (value, weight) = self.change(plan, at);
        let gain = |worth: Pair| i128::from(value) * i128::from(worth.1) - i128::from(weight) * i128::from(worth.0);
        plan.plain.map_or(0, |worth| gain(worth).max(0))
    }

    /// Packs the items of `order`, the most worth per weight in front, up to the break item, beside those that are
    /// packed already, and finds out which of them may change.
    fn arrange(&self, Price { price, count }: Price, order: &[u32], mut base: Vec<bool>, need: i64) -> Plan {
        let (mut value, mut weight, mut packed) = (0, 0, 0);
        for (at, _) in base.iter().enumerate().filter(|(_, packed)| **packed) {
            let item = self.pair(at as u32);
            (value, weight, packed) = (value + item.0, weight + item.1, packed + 1);
        }
        let (mut stop, mut worth) = (order.len(), (0, 1));
        for (place, &at) in order.iter().enumerate() {
            let item = self.priced(at, price);
            if item.0 <= 0 || weight + item.1 > self.capacity {
                stop = place;
                worth = if item.0 > 0 { item } else { worth };
                break;
            }
            base[at as usize] = true;
            (value, weight, packed) = (value + item.0 + price, weight + item.1, packed + 1);
        }
        let places = count - packed;
        let (joining, leaving) = (Vec::new(), Vec::new());
        let mut plan =
            Plan { price, places, base, value, weight, upper: 0, joining, leaving, heaviest: 0, worth, plain: None };
        // What a packing is worth at most where it differs by such an item: exact where the divisor is the worth's.
        let bound = |(more, heavier): Pair| {
            let room = i128::from(self.capacity - weight - heavier);
            let all = i128::from(value + more) + i128::from(price) * i128::from(places);
            all * i128::from(worth.1) + room * i128::from(worth.0)
        };
        plan.upper = self.rounded(bound((0, 0)), worth.1);
        let least = i128::from(need) * i128::from(worth.1);
        if plan.upper >= need {
            let (packed, left) = order.split_at(stop);
            let joins = |&&at: &&u32| bound(self.priced(at, price)) >= least;
            plan.joining = left.iter().filter(joins).copied().collect();
            let leaves = |&&at: &&u32| {
                let item = self.priced(at, price);
                bound((-item.0, -item.1)) >= least
            };
            plan.leaving = packed.iter().rev().filter(leaves).copied().collect();
            self.mix(&mut plan.joining, price);
            self.mix(&mut plan.leaving, price);
            plan.heaviest = plan.joining.iter().chain(&plan.leaving).map(|&at| self.pair(at).1).max().unwrap_or(0);
        }
        plan
    }

    /// Rounds a bound with this divisor down to a value that packings can have.
    fn rounded(&self, bound: i128, divisor: i64) -> i64 {
        let whole = bound.div_euclid(i128::from(divisor));
        // No larger than all values together, which fit.
        (whole - whole.rem_euclid(i128::from(self.unit))).min(i128::from(i64::MAX / 4)) as i64
    }

    /// Whether an item may be in another place in a packing of value `need`: the bound with the item moved reaches it.
    pub(super) fn may_change(&self, plan: &Plan, at: u32, need: i64) -> bool {
        let (value, weight) = self.priced(at, plan.price);
        let sign = if plan.base[at as usize] { -1 } else { 1 };
        let room = i128::from(self.capacity - plan.weight - sign * weight);
        let all = i128::from(plan.value + sign * value) + i128::from(plan.price) * i128::from(plan.places);
        all * i128::from(plan.worth.1) + room * i128::from(plan.worth.0) >= i128::from(need) * i128::from(plan.worth.1)
    }

    /// Returns what a packing loses by another place of an item, at the worth of a unit of weight, in units that are
    /// the same for all items.
    pub(super) fn loss(&self, plan: &Plan, at: u32) -> i128 {
        let (value, weight) = self.priced(at, plan.price);
        (i128::from(value) * i128::from(plan.worth.1) - i128::from(weight) * i128::from(plan.worth.0)).abs()
    }

    /// Sorts by falling value per weight, less the price. Of equals the light ones come first where few may be packed,
    /// and the heavy ones where many must be: then their number changes least.
    fn sort(&self, order: &mut [u32], price: i64) {
        order.sort_unstable_by(|&a, &b| {
            by_ratio(self.priced(a, price), self.priced(b, price), price > 0).then(a.cmp(&b))
        });
    }

    /// Brings items of equal worth per weight, which follow each other, into an order as if by chance. Neighbours in a
    /// sorted core have similar weights, and their differences close no gap.
    fn mix(&self, order: &mut [u32], price: i64) {
        let is_equal = |a: &u32, b: &u32| {
            let (a, b) = (self.priced(*a, price), self.priced(*b, price));
            i128::from(a.0) * i128::from(b.1) == i128::from(b.0) * i128::from(a.1)
        };
        for run in order.chunk_by_mut(is_equal).filter(|run| run.len() > 2) {
            run.sort_unstable_by_key(stable_hash);
        }
    }

    /// Returns the constraint on the number of items with the best bound on packings of value `need`, where it is
    /// better than without one. `plan`: what is known without.
    ///
    /// # Errors
    /// `go_on` said no.
    pub(super) fn best_price(
        &self,
        plan: &Plan,
        need: i64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Price>, Cut> {
        let open: Vec<u32> = plan.joining.iter().chain(&plan.leaving).copied().collect();
        let pairs: Vec<Pair> = open.iter().map(|&at| self.pair(at)).collect();
        let (mut value, mut weight) = (plan.value, plan.weight);
        let fixed = plan.base.iter().filter(|packed| **packed).count() as i64 - plan.leaving.len() as i64;
        for &at in &plan.leaving {
            let item = self.pair(at);
            (value, weight) = (value - item.0, weight - item.1);
        }
        let relaxed = Relaxed { pairs: &pairs, room: self.capacity - weight };
        let mut weights: Vec<i64> = pairs.iter().map(|pair| pair.1).collect();
        weights.sort_unstable();
        let most = fixed + count_within(weights.iter(), relaxed.room);
        let mut values: Vec<i64> = pairs.iter().map(|pair| pair.0).collect();
        values.sort_unstable();
        // The fewest that can reach the value: one more than the largest that stay below it together.
        let least = fixed + count_within(values.iter().rev(), need - value - 1) + 1;
        let upper = |Price { price, count }: Price| {
            let bound = relaxed.solve(price).value + i128::from(value) + i128::from(price) * i128::from(count - fixed);
            self.rounded(bound, 1)
        };
        let largest = pairs.iter().map(|pair| pair.0).max().unwrap_or(0).min(most_price(self.len()));
        let mut best: Option<(i64, Price)> = None;
        for (sign, count) in [(1, most), (-1, least)] {
            let holds = |price: i64| {
                let Packed { whole, is_divided, .. } = relaxed.solve(sign * price);
                let whole = fixed + whole;
                if sign > 0 { whole + i64::from(is_divided) <= count } else { whole >= count }
            };
            // The smallest price at which the constraint holds by itself; the bound falls up to about there.
            let (mut low, mut high) = (0, largest);
            if holds(0) || !holds(high) {
                continue;
            }
            while high - low > 1 {
                if !go_on() {
                    return Err(Cut);
                }
                let middle = low + (high - low) / 2;
                if holds(middle) { high = middle } else { low = middle }
            }
            // Of equal bounds the one at which most items are worth the same per weight, which leaves most choices.
            for price in [high, low] {
                let price = Price { price: sign * price, count };
                let bound = upper(price);
                if bound < plan.upper && best.is_none_or(|(least, _)| bound < least) {
                    best = Some((bound, price));
                }
            }
        }
        Ok(best.map(|(_, price)| price))
    }
}

/// Items by weight, each with the best one on its way.
pub(super) struct Partners(Vec<(i64, i64, u32)>);

impl Partners {
    /// O(n log n). With `joins` the best of those that weigh no more is the most valuable one, else the best of those
    /// that weigh no less is the least valuable one.
    pub(super) fn new(items: &Items<'_>, open: Vec<u32>, joins: bool) -> Self {
        let by_weight = |at: u32| {
            let (value, weight) = items.pair(at);
            (weight, value, at)
        };
        let mut all: Vec<(i64, i64, u32)> = open.into_iter().map(by_weight).collect();
        all.sort_unstable();
        for at in 1..all.len() {
            let (one, two) = if joins { (at - 1, at) } else { (all.len() - at, all.len() - at - 1) };
            let is_better = if joins { all[one].1 > all[two].1 } else { all[one].1 < all[two].1 };
            if is_better {
                (all[two].1, all[two].2) = (all[one].1, all[one].2);
            }
        }
        Self(all)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the most valuable item of at most this weight.
    pub(super) fn within(&self, weight: i64) -> Option<u32> {
        let end = self.0.partition_point(|item| item.0 <= weight);
        self.0.get(end.checked_sub(1)?).map(|item| item.2)
    }

    /// Returns the least valuable item of at least this weight.
    pub(super) fn above(&self, weight: i64) -> Option<u32> {
        let start = self.0.partition_point(|item| item.0 < weight);
        self.0.get(start).map(|item| item.2)
    }
}

/// The items that may change, as a relaxed problem for each price.
struct Relaxed<'a> {
    pairs: &'a [Pair],
    room: i64,
}

impl Relaxed<'_> {
    /// Solves it: of equals the heavy ones are packed first where there is a price, so that few are packed, and the
    /// light ones where there is a reward.
    ///
    /// The break item is found by repeated halving, in time linear in the number of items.
    fn solve(&self, price: i64) -> Packed {
        let mut pairs: Vec<Pair> = self.pairs.iter().map(|&(value, weight)| (value - price, weight)).collect();
        pairs.retain(|pair| pair.0 > 0);
        let (mut low, mut high) = (0, pairs.len());
        let mut packed = Packed { value: 0, whole: 0, is_divided: false };
        let mut room = self.room;
        while low < high {
            let middle = low + (high - low) / 2;
            let compare = |a: &Pair, b: &Pair| by_ratio(*a, *b, price <= 0);
            let (front, &mut next, _) = pairs[low..high].select_nth_unstable_by(middle - low, compare);
            let weight: i64 = front.iter().map(|pair| pair.1).sum();
            if weight > room {
                high = middle;
                continue;
            }
            room -= weight;
            packed.whole += front.len() as i64;
            packed.value += i128::from(front.iter().map(|pair| pair.0).sum::<i64>());
            if next.1 > room {
                packed.is_divided = room > 0;
                packed.value += i128::from(room) * i128::from(next.0) / i128::from(next.1);
                break;
            }
            room -= next.1;
            packed.whole += 1;
            packed.value += i128::from(next.0);
            low = middle + 1;
        }
        packed
    }
}

/// A packing in which one item may be divided.
struct Packed {
    /// Its value less the price of each item, rounded down.
    value: i128,
    /// Items that are not divided.
    whole: i64,
    is_divided: bool,
}

/// Falling value per weight; of equals the light one in front, or the heavy one.
fn by_ratio(a: Pair, b: Pair, light: bool) -> Ordering {
    let ratio = (i128::from(b.0) * i128::from(a.1)).cmp(&(i128::from(a.0) * i128::from(b.1)));
    ratio.then(if light { a.1.cmp(&b.1) } else { b.1.cmp(&a.1) })
}

/// Returns how many of the first numbers have a sum of at most `most`.
fn count_within<'n>(numbers: impl Iterator<Item = &'n i64>, most: i64) -> i64 {
    let mut sum = 0;
    let within = numbers.take_while(|&&number| {
        sum += number;
        sum <= most
    });
    within.count() as i64
}

/// The greatest common divisor.
fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
