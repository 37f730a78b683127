//! The ready local search over exchanges of decisions.

mod pairs;

use super::move_codec::MoveCodec;
use super::solution_kind::LISTED;
use super::swap::Exchange;
use super::{Acceptance, Edits, Neighborhood, Problem, SolutionKind};
use crate::core::abort::Watch;
use crate::core::codec::{CheckpointError, decode, encode};
use crate::core::limits::ensure;
use crate::core::solution::MoveId;
use crate::erased::problem::ProblemRef;
use crate::erased::source::{ErasedSource, Source};
use crate::{Rng, Score, Sense};
use pairs::Pairs;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::Hash;

/// No decision: an exchange that only adds or only takes out, or a decision that is not in the solution.
const NONE: u32 = u32::MAX;
/// Exchanges after which the state is made again from the root, against rounding errors of sums.
const LOGGED: usize = 4096;
/// Of this many edits of a set one adds a decision, one takes one out, one exchanges one for two or more, and one
/// exchanges two for one or more, where the state can be edited in place. The others exchange one for one.
const SHARES: u64 = 8;
/// The number of sizes of a tournament by the bias: 1, 2, 4, ..., 64 random decisions of a set, each size with the same
/// chance. Edits then are near what is just good enough for the set, at several scales.
const SCALES: u64 = 7;
/// Exchanges that are looked at for one that has a difference.
const TRIED: usize = 1_000;
/// Draws for further decisions that fit, at most.
const DRAWS: usize = 8;

/// An exchange: the place of the old decision (the number of decisions: one is added), and the number of the new one
/// among those possible there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Step {
    place: u32,
    new: u32,
}

/// What [`Neighborhood::save`] writes: the solution from which decisions were listed, the one of the last state that
/// was made from the root, the exchanges since then, the table of wide moves, and what was learned of pairs of places.
type Saved = (Vec<MoveId>, Vec<MoveId>, Vec<Step>, Vec<u8>, Pairs);

/// The legal moves at each place of a line.
type Lists<P> = Vec<Vec<<P as Problem>::Move>>;

/// The local search of a problem with an [`Exchange`]: one decision for another, scored by difference.
///
/// Three random games show whether solutions are [assignments](SolutionKind::Assignment). There an edit makes another
/// decision at a random place, or, where the state can be edited in place, exchanges the decisions of two places, most
/// often of two that belong together: the difference that one makes depends on the other. Which decisions are possible
/// at a place is seen in these games and in the first solution. Otherwise solutions are sets: an edit exchanges two
/// decisions, adds one, or takes one out; where the state can be edited in place, it also exchanges one or two
/// decisions for several. A decision that is added is the one of largest [bias](super::Prior::bias) at the root among
/// some random ones, and one that is taken out the one of smallest bias; a second one that is taken out with it is a
/// random one. Sets may have room left while they are edited; a set that is a result is completed by the moves of
/// largest bias.
///
/// Time of an edit: one [`difference`](Exchange::difference), two or three for an exchange of two places, and one
/// [`apply_exchange`](Exchange::apply_exchange) if it is accepted, or a replay of all moves where the problem does not
/// have that. Memory: two solutions, one state, and the possible decisions. Infeasible solutions are not edited:
/// annealing replays moves there.
pub struct Exchanges<P: Exchange> {
    kind: Option<SolutionKind>,
    /// For assignments the possible decisions at each place; for sets one list.
    choices: Vec<Vec<P::Move>>,
    /// Assignments: places with a choice.
    open: Vec<u32>,
    /// Sets: where the possible decisions are.
    set: SetPlaces,
    /// The numbers of the present decisions among those possible, and the decisions.
    numbers: Vec<u32>,
    moves: Vec<P::Move>,
    state: Option<P::State>,
    /// The score of the present solution with the sign of a cost, summed up.
    cost: f64,
    /// The solution from which decisions were listed, and that of the state that was made from the root, with the
    /// exchanges since.
    origin: Vec<P::Move>,
    base: Vec<P::Move>,
    log: Vec<Step>,
    proposal: Proposal<P::State>,
    pairs: Pairs,
    /// Whether the problem makes exchanges in a state; for assignments, whether decisions repeat as well.
    in_place: bool,
}

/// The exchanges that are proposed together, one after the other.
struct Proposal<S> {
    steps: Vec<Step>,
    /// Their difference in cost.
    change: f64,
    /// Sets: the state after several exchanges.
    scratch: Option<S>,
    /// Assignments: whether the first of two exchanges is made in the state already.
    is_half_made: bool,
}

/// The possible decisions of a set.
#[derive(Default)]
struct SetPlaces {
    /// Their places in the order of their bias; empty: all are equal.
    ranks: Vec<u32>,
    /// Those that are not in the solution, and where each stands among them.
    outside: Vec<u32>,
    slots: Vec<u32>,
    /// The place of each in the solution, or `NONE`.
    places: Vec<u32>,
}

impl<P: Exchange> fmt::Debug for Exchanges<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchanges").field("kind", &self.kind).field("moves", &self.moves).finish_non_exhaustive()
    }
}

impl<P: Exchange> Default for Exchanges<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Exchange> Exchanges<P> {
    /// Returns the local search without a solution yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            kind: None,
            choices: Vec::new(),
            open: Vec::new(),
            set: SetPlaces::default(),
            numbers: Vec::new(),
            moves: Vec::new(),
            state: None,
            cost: 0.0,
            origin: Vec::new(),
            base: Vec::new(),
            log: Vec::new(),
            proposal: Proposal { steps: Vec::new(), change: 0.0, scratch: None, is_half_made: false },
            pairs: Pairs::default(),
            in_place: true,
        }
    }

    fn is_assignment(&self) -> bool {
        self.kind == Some(SolutionKind::Assignment)
    }

    /// The possible decisions at a place.
    fn choices(&self, place: u32) -> &[P::Move] {
        let list = if self.is_assignment() { place as usize } else { 0 };
        self.choices.get(list).map_or(&[], Vec::as_slice)
    }

    /// Plays `moves` and returns the state and the legal moves met on the way, place by place. `None`: one is not
    /// legal.
    fn walk(problem: &P, moves: &[P::Move]) -> Option<(P::State, Lists<P>)> {
        let (mut state, mut met) = (problem.root(), Vec::with_capacity(moves.len()));
        for &mv in moves {
            let mut legal = Vec::new();
            problem.moves(&state, &mut legal);
            if !legal.contains(&mv) {
                return None;
            }
            met.push(legal);
            problem.apply(&mut state, mv);
        }
        Some((state, met))
    }

    /// Lists the possible decisions: those of random games, always the same ones, and those beside the first solution.
    /// Returns false if a decision of a set is there twice.
    fn list(&mut self, problem: &P, moves: &[P::Move], met: &[Vec<P::Move>]) -> bool {
        let is_assignment = self.is_assignment();
        let lists = if is_assignment { moves.len() } else { 1 };
        let mut known: Vec<HashMap<P::Move, u32>> = vec![HashMap::new(); lists];
        self.choices = vec![Vec::new(); lists];
        let choices = &mut self.choices;
        let mut enter = |place: usize, legal: &[P::Move]| {
            let place = if is_assignment { place } else { 0 };
            let Some(list) = choices.get_mut(place) else { return };
            for &mv in legal {
                known[place].entry(mv).or_insert_with(|| {
                    list.push(mv);
                    list.len() as u32 - 1
                });
            }
        };
        met.iter().enumerate().for_each(|(place, legal)| enter(place, legal));
        let source = Source::new(ProblemRef::borrowed(problem));
        let rules = source.rules(problem.facts(), Watch::outside());
        SolutionKind::play(&*rules, LISTED, &mut |place, legal| enter(place, &source.packing.all(legal)));
        self.open = (0..).zip(&self.choices).filter(|(_, list)| list.len() > 1).map(|(place, _)| place).collect();
        let at = |place: usize| if is_assignment { place } else { 0 };
        // Every move of the solution was legal where it was played.
        self.numbers = moves.iter().enumerate().map(|(place, mv)| known[at(place)][mv]).collect();
        self.rank(problem);
        self.enter_places()
    }

    /// Begins with a solution; see [`Neighborhood::start`].
    fn begin(&mut self, problem: &P, moves: &[P::Move]) -> bool {
        let Some((state, met)) = Self::walk(problem, moves) else { return false };
        let Score::Feasible(value) = problem.score(&state) else { return false };
        self.kind.get_or_insert_with(|| SolutionKind::seen(problem));
        let is_new = !self.is_listed(moves);
        if is_new && !self.list(problem, moves, &met) {
            return false;
        }
        self.cost = sign(problem.sense()) * value;
        (self.moves, self.base) = (moves.to_vec(), moves.to_vec());
        self.log.clear();
        self.state = Some(state);
        self.proposal.is_half_made = false;
        if is_new {
            // What belongs to the lists: a checkpoint has this solution, from which all of it is found again.
            self.origin = moves.to_vec();
            self.pairs.reset(if self.is_assignment() { moves.len() } else { 0 });
            self.in_place = self.can_exchange(problem) && (!self.is_assignment() || repeats(moves));
        }
        if self.is_assignment() { !self.open.is_empty() } else { self.choices(0).len() > 1 }
    }

    /// Numbers the decisions of a solution by the lists of an earlier one, which then stay, and what was learned of
    /// pairs of places with them. Returns false where there are none, or one is missing.
    fn is_listed(&mut self, moves: &[P::Move]) -> bool {
        if self.choices.is_empty() || self.is_assignment() && self.choices.len() != moves.len() {
            return false;
        }
        let number = |(place, mv): (usize, &P::Move)| find(self.choices(place as u32), *mv);
        let Some(numbers) = moves.iter().enumerate().map(number).collect() else { return false };
        self.numbers = numbers;
        self.enter_places()
    }

    /// Ranks the possible decisions of a set by the bias at the root, where there is one. Those that are no moves there
    /// have the rank of the middle one.
    fn rank(&mut self, problem: &P) {
        self.set.ranks.clear();
        let Some(prior) = problem.prior().filter(|_| !self.is_assignment()) else { return };
        let (root, mut legal) = (problem.root(), Vec::new());
        problem.moves(&root, &mut legal);
        let known: HashMap<P::Move, f64> = legal.iter().map(|&mv| (mv, prior.bias(&root, mv))).collect();
        let mut order: Vec<f64> = known.values().copied().collect();
        crate::order::sort_by(&mut order, f64::total_cmp);
        if order.first() == order.last() {
            return;
        }
        let middle = order[order.len() / 2];
        let below = |bias: f64| order.partition_point(|other| other.total_cmp(&bias).is_lt()) as u32;
        let choices = self.choices.iter().flatten();
        self.set.ranks.extend(choices.map(|mv| below(known.get(mv).copied().unwrap_or(middle))));
    }

    /// Returns how many decisions are compared when one is drawn.
    fn compared(&self, rng: &mut Rng) -> usize {
        if self.set.ranks.is_empty() { 1 } else { 1 << rng.below(SCALES) }
    }

    /// Draws the place of a decision of the set: the one of least bias among some random ones.
    fn inside(&self, rng: &mut Rng) -> usize {
        let count = self.moves.len().max(1);
        let rank = |place: usize| self.numbers.get(place).map_or(0, |&number| self.set.ranks[number as usize]);
        let draws = self.compared(rng);
        let first = rng.index(count);
        (1..draws).fold(first, |best, _| {
            let other = rng.index(count);
            if rank(other) < rank(best) { other } else { best }
        })
    }

    /// Draws a decision that is not in the set: the one of largest bias among some random ones. `None`: there is none.
    fn outside(&self, rng: &mut Rng) -> Option<u32> {
        let draws = self.compared(rng);
        let count = self.set.outside.len();
        if count == 0 {
            return None;
        }
        let first = self.set.outside[rng.index(count)];
        Some((1..draws).fold(first, |best, _| {
            let other = self.set.outside[rng.index(count)];
            if self.set.ranks[other as usize] > self.set.ranks[best as usize] { other } else { best }
        }))
    }

    /// Notes that a decision has left the set.
    fn leave(&mut self, number: u32) {
        self.set.places[number as usize] = NONE;
        self.set.slots[number as usize] = self.set.outside.len() as u32;
        self.set.outside.push(number);
    }

    /// Notes the place of a decision in the set.
    fn enter(&mut self, number: u32, place: u32) {
        if std::mem::replace(&mut self.set.places[number as usize], place) == NONE {
            let slot = self.set.slots[number as usize];
            self.set.outside.swap_remove(slot as usize);
            if let Some(&moved) = self.set.outside.get(slot as usize) {
                self.set.slots[moved as usize] = slot;
            }
        }
    }

    /// Notes the places of the decisions of a set. Returns false if one is there twice.
    fn enter_places(&mut self) -> bool {
        if self.is_assignment() {
            return true;
        }
        let count = self.choices(0).len() as u32;
        self.set.places = vec![NONE; count as usize];
        (self.set.outside, self.set.slots) = ((0..count).collect(), (0..count).collect());
        for place in 0..self.numbers.len() {
            let number = self.numbers[place];
            if self.set.places[number as usize] != NONE {
                return false;
            }
            self.enter(number, place as u32);
        }
        true
    }

    /// Draws an exchange. `None`: there is none.
    fn draw(&self, rng: &mut Rng) -> Option<Step> {
        let count = self.moves.len();
        if self.is_assignment() {
            let place = *self.open.get(rng.index(self.open.len().max(1)))?;
            let list = self.choices(place).len();
            let at = rng.index(list - 1) as u32;
            // The last one stands for the present one.
            let new = if at == self.numbers[place as usize] { list as u32 - 1 } else { at };
            return Some(Step { place, new });
        }
        let kind = rng.below(SHARES);
        let place = if kind == 0 { count } else { self.inside(rng) } as u32;
        if kind == 1 || kind > 0 && count == 0 {
            return (count > 0).then_some(Step { place, new: NONE });
        }
        let new = self.outside(rng)?;
        Some(Step { place, new })
    }

    /// Extends an exchange of two decisions of a set by others: `before` takes one more out first. Returns the change
    /// of the score. `None`: it cannot be made.
    fn extend(&mut self, problem: &P, rng: &mut Rng, takes_more: bool) -> Option<f64> {
        let (mut change, mut count) = (0.0, self.moves.len());
        let mut scratch = self.proposal.scratch.take().unwrap_or_else(|| problem.root());
        scratch.clone_from(self.state.as_ref()?);
        let first = self.proposal.steps.pop()?;
        let mut place = first.place as usize;
        let mut make = |step: Step, old: Option<P::Move>, new: Option<P::Move>| {
            let difference = problem.difference(&scratch, step.place as usize, old, new)?;
            problem.apply_exchange(&mut scratch, step.place as usize, old, new).then_some((step, difference))
        };
        let mut steps = std::mem::take(&mut self.proposal.steps);
        let mut old = self.moves[place];
        let is_made = 'edit: {
            if takes_more {
                if count < 2 {
                    break 'edit false;
                }
                // The last decision takes the place of the one that is taken out.
                let taken = place;
                place = rng.index(count - 1);
                let Some((step, difference)) = make(Step { place: taken as u32, new: NONE }, Some(old), None) else {
                    break 'edit false;
                };
                old = self.moves[if place == taken { count - 1 } else { place }];
                (change, count) = (change + difference, count - 1);
                steps.push(step);
            }
            let new = self.choices(0).get(first.new as usize).copied();
            let Some((step, difference)) = make(Step { place: place as u32, new: first.new }, Some(old), new) else {
                break 'edit false;
            };
            change += difference;
            steps.push(step);
            for _ in 0..DRAWS {
                let Some(number) = self.outside(rng) else { break };
                if steps.iter().any(|step| step.new == number) {
                    continue;
                }
                let step = Step { place: count as u32, new: number };
                if let Some((step, difference)) = make(step, None, Some(self.choices(0)[number as usize])) {
                    (change, count) = (change + difference, count + 1);
                    steps.push(step);
                }
            }
            true
        };
        (self.proposal.steps, self.proposal.scratch) = (steps, Some(scratch));
        is_made.then_some(change)
    }

    /// The decisions of an exchange.
    fn decisions(&self, step: Step) -> (Option<P::Move>, Option<P::Move>) {
        (self.moves.get(step.place as usize).copied(), self.choices(step.place).get(step.new as usize).copied())
    }

    /// Makes an exchange of the solution, and of the state if `state` says so. Returns whether the state is right then.
    fn make(&mut self, problem: &P, step: Step, state: bool) -> bool {
        let (old, new) = self.decisions(step);
        let place = step.place as usize;
        let is_right = match self.state.as_mut().filter(|_| state) {
            Some(state) => problem.apply_exchange(state, place, old, new),
            None => true,
        };
        let is_set = !self.is_assignment();
        if let Some(&number) = self.numbers.get(place).filter(|_| is_set) {
            self.leave(number);
        }
        match new {
            Some(mv) if old.is_some() => (self.moves[place], self.numbers[place]) = (mv, step.new),
            Some(mv) => {
                self.moves.push(mv);
                self.numbers.push(step.new);
            }
            None => {
                self.moves.swap_remove(place);
                self.numbers.swap_remove(place);
            }
        }
        if let Some(&number) = self.numbers.get(place).filter(|_| is_set) {
            self.enter(number, step.place);
        }
        is_right
    }

    /// Makes the state again from the root.
    fn rebuild(&mut self, problem: &P) {
        let mut state = problem.root();
        self.moves.iter().for_each(|&mv| problem.apply(&mut state, mv));
        self.state = Some(state);
        self.base.clone_from(&self.moves);
        self.log.clear();
        // A checkpoint knows no other order of the decisions that are not in the set.
        self.enter_places();
    }

    /// Whether the problem makes an exchange in a state, seen when a decision is taken out of a set, or when the first
    /// exchange of an assignment that has a difference is made.
    fn can_exchange(&self, problem: &P) -> bool {
        let Some(state) = &self.state else { return false };
        let can = |place: usize, new: Option<P::Move>| {
            let old = self.moves.get(place).copied().filter(|_| self.moves.get(place).copied() != new)?;
            problem.difference(state, place, Some(old), new)?;
            Some(problem.apply_exchange(&mut state.clone(), place, Some(old), new))
        };
        if !self.is_assignment() {
            return can(0, None).unwrap_or(false);
        }
        let all = self.open.iter().flat_map(|&place| self.choices(place).iter().map(move |&new| (place as usize, new)));
        all.take(TRIED).find_map(|(place, new)| can(place, Some(new))).unwrap_or(false)
    }

    /// Returns the solution completed by the moves of largest bias, its state, and what that adds to the score.
    fn completed(&self, problem: &P) -> (Vec<P::Move>, P::State, f64) {
        let mut moves = self.moves.clone();
        let mut state = problem.root();
        moves.iter().for_each(|&mv| problem.apply(&mut state, mv));
        let (mut legal, mut added) = (Vec::new(), 0.0);
        while moves.len() < Watch::MOST {
            legal.clear();
            problem.moves(&state, &mut legal);
            let bias = |mv: P::Move| problem.prior().map_or(0.0, |prior| prior.bias(&state, mv));
            let better = |a: (f64, P::Move), b: (f64, P::Move)| if b.0 > a.0 { b } else { a };
            let Some((_, mv)) = legal.iter().map(|&mv| (bias(mv), mv)).reduce(better) else { break };
            // `check` finds a difference that is missing here.
            added += problem.difference(&state, moves.len(), None, Some(mv)).unwrap_or(0.0);
            problem.apply(&mut state, mv);
            moves.push(mv);
        }
        (moves, state, added)
    }
}

fn sign(sense: Sense) -> f64 {
    if sense == Sense::Maximize { -1.0 } else { 1.0 }
}

impl<P: Exchange> Edits<P> for Exchanges<P> {
    fn propose(&mut self, problem: &P, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        self.proposal.steps.clear();
        if self.in_place && self.is_assignment() {
            let two = self.pairs.draws_two(acceptance.rng);
            self.pairs.count(two);
            if two {
                self.proposal.change = sign(problem.sense()) * self.propose_two(problem, acceptance.rng)?;
                return Some(self.proposal.change);
            }
        }
        let step = self.draw(acceptance.rng)?;
        let (old, new) = self.decisions(step);
        self.proposal.steps.push(step);
        let is_wide = self.in_place && !self.is_assignment() && old.is_some() && new.is_some();
        let difference = match if is_wide { acceptance.rng.below(SHARES - 2) } else { 0 } {
            kind @ 1..=2 => self.extend(problem, acceptance.rng, kind == 2)?,
            _ => problem.difference(self.state.as_ref()?, step.place as usize, old, new)?,
        };
        self.proposal.change = sign(problem.sense()) * difference;
        Some(self.proposal.change)
    }

    fn accept(&mut self, problem: &P) {
        self.cost += self.proposal.change;
        let steps = std::mem::take(&mut self.proposal.steps);
        if self.proposal.change != 0.0 && self.is_assignment() && self.in_place {
            self.pairs.reward(self.proposal.is_half_made);
        }
        // How many of the exchanges are made in the state: the first of two places, or all of a set.
        let mut made = usize::from(std::mem::take(&mut self.proposal.is_half_made));
        if !self.is_assignment() && steps.len() > 1 {
            std::mem::swap(&mut self.state, &mut self.proposal.scratch);
            made = steps.len();
        }
        let mut is_right = self.log.len() + steps.len() <= LOGGED;
        for (at, &step) in steps.iter().enumerate() {
            is_right &= self.make(problem, step, at >= made);
        }
        self.log.extend_from_slice(&steps);
        self.proposal.steps = steps;
        if !is_right {
            self.rebuild(problem);
        }
    }

    fn reject(&mut self, problem: &P) {
        self.take_back(problem);
    }
}

/// Whether a decision is there twice, as labels are. What is chosen once for all places is not exchanged in two steps.
fn repeats<M: Copy + Eq + Hash>(moves: &[M]) -> bool {
    let mut seen = HashSet::new();
    !moves.iter().all(|&mv| seen.insert(mv))
}

/// The place of a move in a list.
fn find<M: PartialEq>(list: &[M], mv: M) -> Option<u32> {
    list.iter().position(|other| *other == mv).map(|at| at as u32)
}

impl<P: Exchange> Neighborhood<P> for Exchanges<P> {
    fn start(&mut self, problem: &P, moves: &[P::Move]) -> bool {
        let is_started = self.begin(problem, moves);
        if !is_started {
            // A checkpoint without a solution knows nothing of the lists.
            self.choices.clear();
        }
        is_started
    }

    fn cost(&self, problem: &P) -> f64 {
        let (_, state, added) = self.completed(problem);
        match problem.score(&state) {
            Score::Feasible(value) => sign(problem.sense()) * (value - added),
            // A broken promise, which `check` finds.
            Score::Infeasible(_) => self.cost,
        }
    }

    fn moves(&self, problem: &P, moves: &mut Vec<P::Move>) {
        moves.extend(self.completed(problem).0);
    }

    fn save(&self) -> Vec<u8> {
        let table = MoveCodec::new();
        let all = |moves: &[P::Move]| moves.iter().map(|&mv| table.pack(mv)).collect::<Vec<MoveId>>();
        let (origin, base) = (all(&self.origin), all(&self.base));
        let saved: Saved = (origin, base, self.log.clone(), table.save(), self.pairs.clone());
        encode(&saved)
    }

    fn load(&mut self, problem: &P, bytes: &[u8]) -> Result<(), CheckpointError> {
        let damaged = |what| Err(CheckpointError::Corrupt(what));
        let (origin, base, log, table, pairs): Saved = decode(bytes)?;
        let codec = MoveCodec::new();
        codec.load(&table)?;
        let all = |ids: &[MoveId]| ids.iter().map(|&id| codec.unpack(id)).collect::<Option<Vec<P::Move>>>();
        let (Some(origin), Some(base)) = (all(&origin), all(&base)) else {
            return damaged("a move of a neighbourhood");
        };
        let shown = std::mem::take(&mut self.moves);
        self.choices.clear();
        ensure(self.start(problem, &origin), "the first solution of a neighbourhood")?;
        let Some((state, _)) = Self::walk(problem, &base) else { return damaged("an illegal move") };
        let number = |(place, mv): (usize, &P::Move)| find(self.choices(place as u32), *mv);
        let Some(numbers) = base.iter().enumerate().map(number).collect::<Option<Vec<u32>>>() else {
            return damaged("a decision of a neighbourhood");
        };
        ensure(!self.is_assignment() || base.len() == origin.len(), "the places of a neighbourhood")?;
        ensure(log.len() <= LOGGED, "the edits of a neighbourhood")?;
        pairs.validate(if self.is_assignment() { origin.len() } else { 0 })?;
        self.pairs = pairs;
        (self.numbers, self.moves, self.base, self.state) = (numbers, base.clone(), base, Some(state));
        ensure(self.enter_places(), "a decision that a set holds twice")?;
        for step in log {
            let (old, new) = self.decisions(step);
            let is_new = new.is_none() || self.is_assignment() || self.set.places[step.new as usize] == NONE;
            let known = step.new == NONE || new.is_some();
            let place = (step.place as usize) < self.moves.len() + usize::from(!self.is_assignment());
            let state = self.state.as_ref().filter(|_| known && is_new && place && (old, new) != (None, None));
            let difference = state.and_then(|state| problem.difference(state, step.place as usize, old, new));
            ensure(difference.is_some() && self.make(problem, step, true), "an edit of a neighbourhood")?;
            self.log.push(step);
        }
        ensure(self.completed(problem).0 == shown, "another solution in a neighbourhood")?;
        self.cost = self.cost(problem);
        Ok(())
    }
}
