//! The problem's own search: dynamic programming over a core that grows around the break item.

use super::growth::{Better, Growth, Range, Recovery};
use super::plan::{Cut, Items, Plan, Price, Scale, most_price};
use super::problem::{Choice, Knapsack};
use super::states::State;
use serde::{Deserialize, Serialize};
use soloist::problem::{NamedSearch, ProblemSearch, SearchInfo, StepStatus, Unit, Work};
use soloist::run::CheckpointError;
use soloist::search::Preset;
use soloist::{Method, Score};

/// The searches of the problem.
pub(crate) fn searches() -> Vec<NamedSearch<Knapsack>> {
    vec![NamedSearch::new(MINKNAP, |_, _| Some(Box::<Minknap>::default()))]
}

/// States of a core that begins with the break item and grows by the items nearest in value per weight, on either side.
///
/// The items before the break item are packed at first. Each item of the core joins or leaves, or does not: a level
/// holds the (value, weight) of all packings that differ from the first one in the core alone, without those that weigh
/// no less than another of the same value, and without those that cannot beat the best one found, by filling up, or
/// emptying, at the value per weight of the next items. Items that no better packing moves are passed over. Nothing
/// left: the best packing is optimal.
///
/// Where a level has more than [`FEW`] states, a constraint on the number of items is looked for: no packing has more
/// items than the lightest ones that fit, and none of the value wanted has fewer than the most valuable ones that reach
/// it. A price for each item packed, with the best bound, makes another order and a smaller core.
///
/// A state is 32 bytes and a level linear in its states, whose number is at most that of the weights within reach, so
/// that time is pseudo-polynomial. Paths hold 64 items: earlier ones are found by making their levels again, with only
/// the states that can reach the value.
///
/// # References
/// D. Pisinger, "A minimal algorithm for the 0-1 knapsack problem", Operations Research 45, 1997, pages 758-767; S.
/// Martello, D. Pisinger and P. Toth, "Dynamic programming and strong bounds for the 0-1 knapsack problem", Management
/// Science 45, 1999, pages 414-424 (constraints on the number of items, with surrogate weights in place of prices).
pub(crate) const MINKNAP: SearchInfo = SearchInfo::new::<()>(
    "minknap",
    "states of a core that grows around the break item: a proof for most instances",
    "D. Pisinger, Operations Research 45, 1997; S. Martello, D. Pisinger and P. Toth, Management Science 45, 1999",
    Unit::Node("states"),
)
.units_a_step(1 << 10)
.exact();

/// The methods of the problem, for lists.
pub(crate) const METHODS: &[Preset] = &[Preset::own(&MINKNAP, || Method::own(&MINKNAP))];

/// States of a level above which constraints on the number of items are worth their effort.
const FEW: usize = 2000;
/// The states of a level of the first probe; each further one has four times as many, up to the most.
const NARROW: usize = 1 << 10;
const WIDE: usize = 1 << 18;
/// The levels of a probe, at most.
const DEEP: usize = 200;
/// Items that are ranked or relaxed in the time of a state.
const ITEMS: u64 = 8;

/// How far a search has come.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Progress {
    stage: Stage,
    range: Range,
    /// The constraint of the plan, as price and number, and the value that it was made for.
    price: (i64, i64),
    made_for: i64,
    /// Whether constraints were looked for.
    is_priced: bool,
    /// The core that is complete, and one with only some states, which looks for better packings.
    growth: Growth,
    probe: Option<Growth>,
    /// The states of a level of the next probe, and those of the complete core after which it begins.
    width: usize,
    rest: u64,
    /// An improvement whose items are not known yet.
    better: Option<Better>,
    recovery: Option<Recovery>,
    /// The bound as a score, once there is one.
    bound: Option<f64>,
    /// States so far, and those at the last solution.
    made: u64,
    told: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    #[default]
    New,
    Running,
    /// There was no memory for the next level.
    Full,
}

/// The search.
#[derive(Debug, Default)]
struct Minknap {
    progress: Progress,
    /// Made from the progress where it is missing.
    plan: Option<Plan>,
    scale: Option<Scale>,
    spare: Vec<State>,
}

impl Knapsack {
    /// Returns the moves to a packing: for each ranked item whether it is packed. What fits beside it is packed too.
    fn moves_to(&self, packed: &[bool]) -> Vec<Choice> {
        let (mut state, mut moves) = (soloist::Problem::root(self), Vec::new());
        let mut kind = (0, 0);
        while let Some(at) = self.decides(&state) {
            let end = self.ranked()[at].next_kind as usize;
            if kind.0 != end {
                // Of equal items the first ones are packed.
                kind = (end, packed[at..end].iter().filter(|packed| **packed).count());
            }
            let mv = Choice { item: self.ranked()[at].item, take: kind.1 > 0 };
            kind.1 -= usize::from(mv.take);
            soloist::Problem::apply(self, &mut state, mv);
            moves.push(mv);
        }
        moves
    }
}

impl Minknap {
    /// Returns the items of the problem.
    fn items<'p>(&mut self, problem: &'p Knapsack) -> Items<'p> {
        Items::new(problem, *self.scale.get_or_insert_with(|| Scale::of(problem)))
    }

    /// Returns the plan of the progress.
    fn plan(progress: &Progress, items: &Items<'_>) -> Plan {
        let (price, count) = progress.price;
        items.plan(Price { price, count }, progress.made_for)
    }

    /// Packs greedily, and begins with the plan without a price.
    fn open(&mut self, problem: &Knapsack, items: &Items<'_>, work: &mut Work<'_, Knapsack>) {
        let progress = &mut self.progress;
        progress.range.upper = 1 << 53;
        let greedy = work.found(&problem.moves_to(&vec![true; items.len()]));
        progress.learn(problem, items, greedy);
        work.spend(items.len() as u64 / ITEMS + 1);
        let plan = items.plan(Price::default(), progress.range.need);
        progress.begin(items, &plan);
        (self.plan, progress.stage) = (Some(plan), Stage::Running);
    }

    /// Looks for a constraint on the number of items, and begins with its plan where its bound is better.
    fn price(&mut self, items: &Items<'_>, plan: &Plan, work: &mut Work<'_, Knapsack>) {
        let progress = &mut self.progress;
        let open = plan.joining.len() + plan.leaving.len();
        let now = items.plan(Price::default(), progress.range.need);
        let Ok(price) = items.best_price(&now, progress.range.need, &mut || !work.is_cut()) else { return };
        progress.is_priced = true;
        work.spend(open as u64 * 64 / ITEMS);
        if let Some(price) = price {
            let plan = items.plan(price, progress.range.need);
            progress.price = (price.price, price.count);
            progress.begin(items, &plan);
            self.plan = Some(plan);
        }
    }

    /// Does a part of the work that is not divided.
    fn advance(&mut self, problem: &Knapsack, items: &Items<'_>, work: &mut Work<'_, Knapsack>) -> Result<(), Cut> {
        self.progress.learn(problem, items, work.incumbent());
        let plan = self.plan.take().unwrap_or_else(|| Self::plan(&self.progress, items));
        let done = self.work_on(problem, items, &plan, work);
        self.plan = Some(plan);
        let states = done?;
        self.progress.made += states;
        work.spend(states);
        let progress = &mut self.progress;
        if progress.range.need > progress.range.upper {
            progress.growth.end();
        }
        if progress.growth.is_over {
            (progress.probe, progress.range.upper) = (None, progress.range.need - items.unit);
        } else if progress.better.is_none()
            && progress.is_large()
            && let Some(plan) = self.plan.take()
        {
            self.price(items, &plan, work);
            self.plan.get_or_insert(plan);
        }
        Ok(())
    }

    /// Makes one level, of a recovery, of a probe or of the complete core. Returns the states that it took.
    fn work_on(
        &mut self,
        problem: &Knapsack,
        items: &Items<'_>,
        plan: &Plan,
        work: &mut Work<'_, Knapsack>,
    ) -> Result<u64, Cut> {
        let Self { progress, spare, .. } = self;
        let is_known = |better: &Better| better.state.value + items.unit < progress.range.need;
        if progress.better.as_ref().is_some_and(is_known) {
            // Somebody else has found something better.
            (progress.better, progress.recovery) = (None, None);
        }
        if let Some(recovery) = &mut progress.recovery {
            if let Some(packed) = recovery.packing(plan) {
                work.found(&problem.moves_to(&packed));
                (progress.recovery, progress.better, progress.told) = (None, None, progress.made);
                return Ok(1);
            }
            let states = 2 * recovery.states.len() as u64;
            if !recovery.advance(items, plan, spare, &mut || !work.is_cut())? {
                // Nothing can be said any more.
                (progress.recovery, progress.better, progress.stage) = (None, None, Stage::Full);
            }
            return Ok(states.max(1));
        }
        if let Some(better) = progress.better.clone().filter(|_| progress.is_due(items)) {
            progress.recovery = Some(Recovery::new(items, plan, better));
            return Ok(1);
        }
        if progress.stage != Stage::Running {
            // Without its states the core says nothing of what is better.
            return Ok(1);
        }
        let growth = progress.probe.as_mut().unwrap_or(&mut progress.growth);
        let before = growth.made;
        let better = growth.grow(items, plan, &mut progress.range, spare, &mut || !work.is_cut())?;
        let states = growth.made - before;
        if better.is_some() {
            progress.better = better;
        }
        progress.take_turns(items, plan);
        Ok(states.max(1))
    }
}

impl Progress {
    /// Begins with another plan.
    fn begin(&mut self, items: &Items<'_>, plan: &Plan) {
        (self.made_for, self.growth, self.probe) = (self.range.need, Growth::new(items, plan, None), None);
        (self.width, self.rest) = (NARROW, 0);
        self.range.upper = self.range.upper.min(plan.upper.max(self.range.need - 1));
    }

    /// Ends a probe that has come to its end, or begins one: the first where there are many states, the others when the
    /// complete core has made as many states as the one before, or has levels that are wider.
    fn take_turns(&mut self, items: &Items<'_>, plan: &Plan) {
        if let Some(probe) = self.probe.take_if(|probe| probe.is_over || probe.core.len() >= DEEP) {
            (self.width, self.rest) = (self.width * 4, self.growth.made + probe.made);
        } else if self.probe.is_none() && self.growth.states.len() > FEW && self.is_priced {
            let is_due = self.growth.made >= self.rest || self.growth.states.len() >= 2 * self.width;
            let is_due = is_due && self.width <= WIDE;
            self.probe = is_due.then(|| Growth::new(items, plan, Some(self.width)));
        }
    }

    /// Whether constraints are to be looked for.
    fn is_large(&self) -> bool {
        self.growth.states.len() > FEW && !self.is_priced
    }

    /// Takes over what is known of solutions.
    fn learn(&mut self, problem: &Knapsack, items: &Items<'_>, score: Option<Score>) {
        if let Some(value) = score.and_then(Score::value) {
            // Scores are sums of values, which doubles hold exactly.
            self.range.need = self.range.need.max(value as i64 - problem.free_value() as i64 + items.unit);
        }
    }

    /// Whether an improvement is to be recovered now: at the end, before another plan, and when as much has been done
    /// since the last one as it costs.
    fn is_due(&self, items: &Items<'_>) -> bool {
        let is_last = self.growth.is_over || self.stage != Stage::Running;
        is_last || self.is_large() || self.made >= 2 * self.told + items.len() as u64
    }

    /// Whether everything read from a checkpoint is in its range, with as many items.
    fn is_sound(&self, count: usize) -> bool {
        const MOST: i64 = 1 << 54;
        let is_small = |number: i64| (-MOST..=MOST).contains(&number);
        let is_state = |length: usize, state: &State| {
            is_small(state.value) && is_small(state.weight) && state.more.unsigned_abs() as usize <= length
        };
        let are_states = |length: usize, states: &[State]| {
            let rise = |pair: &[State]| pair[0].weight < pair[1].weight && pair[0].value < pair[1].value;
            states.iter().all(|state| is_state(length, state)) && states.windows(2).all(rise)
        };
        // Each item once, so that sums stay those of all items.
        let are_items = |items: &[u32]| {
            let mut seen = vec![false; count];
            items.iter().all(|&at| seen.get_mut(at as usize).is_some_and(|seen| !std::mem::replace(seen, true)))
        };
        let is_growth = |growth: &Growth| {
            let is_core = are_items(&growth.core) && growth.made <= MOST.unsigned_abs();
            is_core && are_states(growth.core.len(), &growth.states) && growth.width.is_none_or(|width| width > 0)
        };
        let is_better = |better: &Better| are_items(&better.core) && is_state(better.core.len(), &better.state);
        let is_way = |way: &Recovery| {
            let levels = way.level <= way.wanted.0 && way.wanted.0 <= way.core.len();
            let items = are_items(&way.core) && are_items(&way.moved);
            let length = way.core.len();
            levels && items && is_small(way.need) && is_state(length, &way.wanted.1) && are_states(length, &way.states)
        };
        let (price, places) = self.price;
        (self.stage != Stage::New || self.growth.core.is_empty())
            && [self.range.need, self.made_for, self.range.upper].into_iter().all(is_small)
            && price.unsigned_abs() <= most_price(count).unsigned_abs()
            && places.unsigned_abs() <= count as u64
            && is_growth(&self.growth)
            && self.probe.iter().all(is_growth)
            && self.width <= 4 * WIDE
            && self.better.iter().all(is_better)
            && self.recovery.iter().all(is_way)
            && self.made.max(self.told).max(self.rest) <= 4 * MOST.unsigned_abs()
            && self.bound.is_none_or(f64::is_finite)
    }

    /// Whether the next level has room in as many bytes: it has up to two states for each of the last.
    fn fits(&self, memory: u64) -> bool {
        let others = [self.probe.as_ref().map(|probe| &probe.states), self.recovery.as_ref().map(|way| &way.states)];
        let others: usize = others.into_iter().flatten().map(Vec::len).sum();
        let all = 3 * (self.growth.states.len() + others) * size_of::<State>();
        all as u64 <= memory
    }
}

impl ProblemSearch<Knapsack> for Minknap {
    fn step(&mut self, problem: &Knapsack, work: &mut Work<'_, Knapsack>) -> StepStatus {
        let items = self.items(problem);
        if self.progress.stage == Stage::New {
            self.open(problem, &items, work);
        }
        while work.quota() > 0 {
            let progress = &mut self.progress;
            if progress.stage == Stage::Running && !progress.fits(work.memory()) {
                progress.stage = Stage::Full;
                (progress.growth.states, progress.probe, self.spare) = (Vec::new(), None, Vec::new());
            }
            if progress.better.is_none() && (progress.growth.is_over || progress.stage == Stage::Full) {
                if !progress.growth.is_over || progress.stage == Stage::Full {
                    work.leave_out(Some((progress.range.upper + problem.free_value() as i64) as f64));
                }
                return work.covered().map_or(StepStatus::Completed, StepStatus::Exhausted);
            }
            let is_cut = self.advance(problem, &items, work).is_err();
            self.progress.bound = Some((self.progress.range.upper + problem.free_value() as i64) as f64);
            if is_cut {
                break;
            }
        }
        StepStatus::Running
    }

    fn offer(&mut self, problem: &Knapsack, _: &[Choice], score: Score) {
        let items = self.items(problem);
        self.progress.learn(problem, &items, Some(score));
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        let growth = &self.progress.growth;
        vec![("core", growth.core.len() as f64), ("states", growth.states.len() as f64)]
    }

    fn bound(&self) -> Option<f64> {
        self.progress.bound
    }

    fn save(&self) -> Vec<u8> {
        postcard::to_allocvec(&self.progress).expect("plain data is always encodable in memory")
    }

    fn load(&mut self, problem: &Knapsack, bytes: &[u8]) -> Result<(), CheckpointError> {
        const WRONG: CheckpointError = CheckpointError::Corrupt("a search of another knapsack");
        let Ok((progress, [])) = postcard::take_from_bytes::<Progress>(bytes) else { return Err(WRONG) };
        let plan = progress.is_sound(problem.ranked().len()).then(|| {
            let items = self.items(problem);
            let plan = Self::plan(&progress, &items);
            let fits = |growth: &Growth| growth.fits(&items, &plan);
            (progress.stage == Stage::New || fits(&progress.growth) && progress.probe.iter().all(fits)).then_some(plan)
        });
        (self.progress, self.plan) = (progress, Some(plan.flatten().ok_or(WRONG)?));
        Ok(())
    }
}
