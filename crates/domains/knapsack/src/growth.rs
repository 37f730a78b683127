//! A core that grows level by level: the items in it, and the states of the last level.

use super::plan::{Cut, Items, Pair, Partners, Plan};
use super::states::{Frame, Level, State};
use serde::{Deserialize, Serialize};
use soloist::problem::stable_hash;

/// States from which on partners are looked for, and items that a core has more when they are looked for again.
const PAIRS: usize = 32;
const AGAIN: usize = 8;
/// Partners that may join, or leave, for each state: those that lose least.
const PARTNERS: usize = 16;

/// A core and its states.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Growth {
    /// Items of the plan that joined and left the core, or were passed over.
    pub(super) passed: [usize; 2],
    /// The items of the core, and the states of the last level, by weight.
    pub(super) core: Vec<u32>,
    pub(super) states: Vec<State>,
    /// States and items of the core when partners were last looked for.
    paired: (usize, usize),
    /// What the items that are neither in the core nor passed over gain by the second bound.
    gain: i128,
    /// The most states of a level, where only some are kept: those of the best bounds. `None`: all.
    pub(super) width: Option<usize>,
    /// Whether nothing is open.
    pub(super) is_over: bool,
    /// States so far.
    pub(super) made: u64,
}

/// A better packing than all before: a state of a core, whose items are not all known.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Better {
    /// The items that may differ from the base, in the order of the levels.
    pub(super) core: Vec<u32>,
    pub(super) state: State,
}

/// What packings have to be better than, and how good they can be.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Range {
    /// The least value, without that of the free items, that is better than what is known.
    pub(super) need: i64,
    /// A bound on the value of all packings.
    pub(super) upper: i64,
}

impl Growth {
    /// Returns a core without items.
    pub(super) fn new(items: &Items<'_>, plan: &Plan, width: Option<usize>) -> Self {
        let gain = plan.joining.iter().chain(&plan.leaving).map(|&at| items.gain(plan, at)).sum();
        Self { states: first(plan), gain, width, ..Self::default() }
    }

    /// Whether what was read from a checkpoint can belong to a plan.
    pub(super) fn fits(&self, items: &Items<'_>, plan: &Plan) -> bool {
        let left = |list: &[u32], passed: usize| -> Option<i128> {
            list.get(passed..).map(|left| left.iter().map(|&at| items.gain(plan, at)).sum())
        };
        let joining = left(&plan.joining, self.passed[0]);
        let gain = joining.zip(left(&plan.leaving, self.passed[1])).map(|(joining, leaving)| joining + leaving);
        gain == Some(self.gain) && self.paired.0.max(self.paired.1) <= 1 << 40
    }

    /// Passes over the items that no better packing moves, and returns the next ones that may join and leave.
    fn next(&mut self, items: &Items<'_>, plan: &Plan, need: i64) -> [Option<u32>; 2] {
        let mut next = [None; 2];
        for (side, list) in [&plan.joining, &plan.leaving].into_iter().enumerate() {
            let passed = &mut self.passed[side];
            while let Some(&at) = list.get(*passed) {
                if items.may_change(plan, at, need) {
                    next[side] = Some(at);
                    break;
                }
                self.gain -= items.gain(plan, at);
                *passed += 1;
            }
        }
        next
    }

    /// Makes the next level: the item joins the core that loses least in another place. Returns the last improvement.
    ///
    /// # Errors
    /// It was cut off, and nothing has changed.
    pub(super) fn grow(
        &mut self,
        items: &Items<'_>,
        plan: &Plan,
        range: &mut Range,
        spare: &mut Vec<State>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Better>, Cut> {
        let before = (self.passed, self.gain);
        let side = match self.next(items, plan, range.need) {
            [None, None] => {
                self.end();
                return Ok(None);
            }
            [Some(_), None] => 0,
            [None, Some(_)] => 1,
            [Some(joins), Some(leaves)] => {
                let (a, b) = (items.loss(plan, joins), items.loss(plan, leaves));
                usize::from((b, self.passed[1]) < (a, self.passed[0]))
            }
        };
        let at = [&plan.joining, &plan.leaving][side][self.passed[side]];
        self.passed[side] += 1;
        self.gain -= items.gain(plan, at);
        let behind = self.next(items, plan, range.need).map(|at| at.map(|at| items.priced(at, plan.price)));
        let frame = Frame::new(items, plan, behind, self.gain);
        let by = (items.change(plan, at), if side == 0 { 1 } else { -1 });
        let mut need = range.need;
        let Some(Level { upper, better }) = frame.advance(&self.states, spare, by, &mut need, go_on) else {
            (self.passed, self.gain) = before;
            return Err(Cut);
        };
        self.made += 2 * self.states.len() as u64;
        self.core.push(at);
        std::mem::swap(&mut self.states, spare);
        range.need = need;
        match self.width {
            None => range.upper = range.upper.min(upper),
            Some(width) => self.narrow(plan, &frame, width),
        }
        let better = better.map(|state| Better { core: self.core.clone(), state });
        let better = self.pair(items, plan, range).or(better);
        if self.states.is_empty() || behind == [None; 2] {
            self.end();
        }
        Ok(better)
    }

    /// Keeps the states of the best bounds that are at most the heaviest item away from the capacity. Of equals those
    /// stay that chance would choose.
    fn narrow(&mut self, plan: &Plan, frame: &Frame, width: usize) {
        self.states.retain(|state| (frame.capacity - state.weight).abs() <= plan.heaviest);
        if self.states.len() <= width {
            return;
        }
        // Smaller is better: what a state can become, rounded, and a number without meaning.
        let rank = |state: &State| (-frame.rough(state), stable_hash(&(state.weight, state.value)));
        let mut ranks: Vec<(i64, u64)> = self.states.iter().map(rank).collect();
        let (_, &mut last, _) = ranks.select_nth_unstable(width - 1);
        self.states.retain(|state| rank(state) <= last);
    }

    /// Looks for one further item that makes the best of a state, outside of the core: it meets packings of cores that
    /// are far larger. As often as the states have doubled, or the core has grown by [`AGAIN`].
    fn pair(&mut self, items: &Items<'_>, plan: &Plan, range: &mut Range) -> Option<Better> {
        let (states, core) = self.paired;
        let (now, length) = (self.states.len(), self.core.len());
        if now < PAIRS || now < 2 * states && length < core + AGAIN {
            return None;
        }
        self.paired = (now, length);
        let open = |list: &[u32], passed: usize| list.iter().skip(passed).take(PARTNERS * now).copied().collect();
        let joining = Partners::new(items, open(&plan.joining, self.passed[0]), true);
        let leaving = Partners::new(items, open(&plan.leaving, self.passed[1]), false);
        self.made += (now + joining.len() + leaving.len()) as u64;
        let mut best = None;
        for state in &self.states {
            let room = items.capacity - state.weight;
            let Some(at) = (if room >= 0 { joining.within(room) } else { leaving.above(-room) }) else { continue };
            let (value, weight) = items.change(plan, at);
            let (value, weight) = (state.value + value, state.weight + weight);
            if value >= range.need {
                range.need = value + items.unit;
                best = Some((State { value, weight, path: state.path << 1 | 1, more: state.more }, at));
            }
        }
        best.map(|(state, at)| {
            // As if it were the last item of the core.
            let mut core = self.core.clone();
            core.push(at);
            Better { core, state }
        })
    }

    /// Nothing better is open.
    pub(super) fn end(&mut self) {
        (self.states, self.is_over) = (Vec::new(), true);
    }
}

/// Returns the states before the first level.
fn first(plan: &Plan) -> Vec<State> {
    vec![State { value: plan.value, weight: plan.weight, path: 0, more: 0 }]
}

/// The way to a state whose path is longer than a state holds, made again from the first level on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Recovery {
    /// The value wanted, and the items that may differ.
    pub(super) need: i64,
    pub(super) core: Vec<u32>,
    /// The state wanted, and its level.
    pub(super) wanted: (usize, State),
    pub(super) level: usize,
    pub(super) states: Vec<State>,
    /// The items that differ behind that level.
    pub(super) moved: Vec<u32>,
}

impl Recovery {
    pub(super) fn new(items: &Items<'_>, plan: &Plan, better: Better) -> Self {
        let Better { core, state } = better;
        let (need, wanted) = (state.value, (0, state));
        let mut recovery = Self { need, core, wanted, level: 0, states: Vec::new(), moved: Vec::new() };
        recovery.follow(items, plan, recovery.core.len(), state);
        recovery
    }

    /// Follows the path of a state back: what is left is wanted one stretch of the core earlier.
    fn follow(&mut self, items: &Items<'_>, plan: &Plan, level: usize, mut state: State) {
        let start = level.saturating_sub(64);
        for (bit, place) in (start..level).rev().enumerate() {
            if state.path >> bit & 1 == 1 {
                let at = self.core[place];
                let (value, weight) = items.change(plan, at);
                (state.value, state.weight) = (state.value - value, state.weight - weight);
                self.moved.push(at);
            }
        }
        (self.wanted, self.level, self.states) = ((start, state), 0, first(plan));
    }

    /// Returns the packing, once it is known: for each ranked item whether it is packed.
    pub(super) fn packing(&self, plan: &Plan) -> Option<Vec<bool>> {
        (self.wanted.0 == 0).then(|| {
            let mut packed = plan.base.clone();
            self.moved.iter().for_each(|&at| packed[at as usize] ^= true);
            packed
        })
    }

    /// Makes one more level, with only the states that can reach the value by the items of the core behind it. Returns
    /// whether there is such a state.
    ///
    /// # Errors
    /// It was cut off, and nothing has changed.
    pub(super) fn advance(
        &mut self,
        items: &Items<'_>,
        plan: &Plan,
        spare: &mut Vec<State>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Cut> {
        if self.level < self.wanted.0 {
            let at = self.core[self.level];
            let is_base = |at: u32| plan.base[at as usize];
            let behind = &self.core[self.level + 1..];
            let next = |side: bool| behind.iter().copied().find(|&at| is_base(at) == side);
            let priced = |side: bool| -> Option<Pair> { next(side).map(|at| items.priced(at, plan.price)) };
            let gain = behind.iter().map(|&at| items.gain(plan, at)).sum();
            let frame = Frame::new(items, plan, [priced(false), priced(true)], gain);
            let by = (items.change(plan, at), if is_base(at) { -1 } else { 1 });
            let Some(level) = frame.advance(&self.states, spare, by, &mut { self.need }, go_on) else {
                return Err(Cut);
            };
            std::mem::swap(&mut self.states, spare);
            self.level += 1;
            if let Some(state) = level.better {
                // A packing of that value that needs none of the later items.
                self.core.truncate(self.level);
                self.moved.clear();
                self.follow(items, plan, self.level, state);
            }
            return Ok(true);
        }
        let (level, wanted) = self.wanted;
        let within = self.states.partition_point(|state| state.weight <= wanted.weight);
        // What has dropped the state since is no worse.
        let found = within.checked_sub(1).map(|at| self.states[at]).filter(|state| state.value >= wanted.value);
        if let Some(state) = found {
            self.follow(items, plan, level, state);
        }
        Ok(found.is_some())
    }
}
