//! Edits, temperatures, plans, acceptance and replays of annealing.

use super::edits::{EDITS, Edit, EditWeights, Shape};
use super::replay::End;
use super::run::AnnealSearch;
use super::schedule::{Clock, Turn};
use super::*;
use crate::core::abort::Watch;
use crate::core::budget_share::BudgetShare;
use crate::core::hash::{Key, stable_hash};
use crate::core::solution::Solution;
use crate::doc::Staircase;
use crate::erased::problem::{ProblemAdapter, ProblemRef};
use crate::erased::replay::Entry;
use crate::erased::rollout::RolloutAdapter;
use crate::erased::{MoveCodec, MoveId};
use crate::problem::{Acceptance, Dominance, Edits, Found, Neighborhood, Order, Ordering};
use crate::search::family::Family;
use crate::search::step::Search;
use crate::search::{Context, Tally};
use crate::{Budget, Method, Problem, Rng, Score, Sense, Solver};

fn rules<P: Problem>(problem: &P) -> ProblemAdapter<'_, P> {
    ProblemAdapter::new(ProblemRef::borrowed(problem), problem.facts(), MoveCodec::new(), Watch::outside())
}

pub(super) fn kind(edit: Edit) -> usize {
    EDITS.iter().position(|&other| other == edit).unwrap()
}

/// Returns the edited sequence of names, and the edited places.
fn edited(entries: &[Entry], edit: Edit, longest: u64, rng: &mut Rng) -> (Vec<u64>, usize, usize) {
    let shape = Shape::draw(edit, entries.len(), longest, rng);
    let mut plan = entries[shape.first..].to_vec();
    shape.make(&mut plan, rng);
    let names = entries[..shape.first].iter().chain(&plan).map(|entry| entry.name).collect();
    (names, shape.first, shape.last)
}

#[test]
fn edits_are_permutations_of_their_kind() {
    let mut rng = Rng::new(1);
    for count in 2..9_u64 {
        let old: Vec<u64> = (0..count).collect();
        let entries: Vec<Entry> = old.iter().map(|&name| Entry { mv: 0, name }).collect();
        for edit in [Edit::Swap, Edit::Insert, Edit::Block, Edit::Reverse] {
            let mut met = std::collections::BTreeSet::new();
            for _ in 0..3_000 {
                let (new, first, last) = edited(&entries, edit, count, &mut rng);
                let mut sorted = new.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, old, "{edit:?}");
                assert_ne!(new, old, "{edit:?}");
                let changed: Vec<usize> = (0..new.len()).filter(|&at| new[at] != old[at]).collect();
                assert!(first <= changed[0] && changed[changed.len() - 1] < last, "{edit:?} {new:?} {first} {last}");
                met.insert(new);
            }
            // All there are: exchanges; a move between neighbours is the same both ways; a block of length l has
            // (n - l + 1)(n - l) ways to move; those past each other coincide.
            let n = count as usize;
            let pairs = n * (n - 1) / 2;
            let expected = match edit {
                Edit::Swap | Edit::Reverse => pairs,
                Edit::Insert => (n - 1) * (n - 1),
                _ if n == 2 => 1,
                _ => {
                    let mut all = std::collections::BTreeSet::new();
                    for length in 2..n {
                        for from in 0..=n - length {
                            for to in (0..=n - length).filter(|&to| to != from) {
                                let mut order = old.clone();
                                let block: Vec<u64> = order.drain(from..from + length).collect();
                                order.splice(to..to, block);
                                all.insert(order);
                            }
                        }
                    }
                    assert!(met.is_subset(&all), "{count}");
                    all.len()
                }
            };
            assert_eq!(met.len(), expected, "{edit:?} of {count}");
        }
    }
}

#[test]
fn blocks_are_no_longer_than_allowed() {
    let mut rng = Rng::new(2);
    let entries: Vec<Entry> = (0..30).map(|name| Entry { mv: 0, name }).collect();
    for _ in 0..2_000 {
        for edit in [Edit::Reverse, Edit::Shuffle] {
            let (new, first, last) = edited(&entries, edit, 3, &mut rng);
            assert!(new.iter().zip(0_u64..).filter(|&(&a, b)| a != b).count() <= 3 && last - first <= 3, "{new:?}");
        }
    }
}

#[test]
fn weights_follow_what_edits_bring() {
    let (mut wheel, mut rng) = (EditWeights::default(), Rng::new(3));
    let (good, bad) = (kind(Edit::Swap), kind(Edit::Insert));
    // Exchanges bring ever better solutions; insertions take back and forth.
    for step in 0..4_000 {
        let is_good = step % 2 == 0;
        wheel.learn(if is_good { good } else { bad }, Some(if is_good { -f64::from(step) } else { 1e6 }));
    }
    let drawn = |wheel: &EditWeights, rng: &mut Rng| {
        let mut counts = [0; EDITS.len()];
        (0..30_000).for_each(|_| counts[wheel.draw(&Weights::default().by_kind(), rng)] += 1);
        counts
    };
    let counts = drawn(&wheel, &mut rng);
    // Weights 2 and 8 become 2 and 8 x 0.2.
    assert!((counts[good] as f64 / counts[bad] as f64 - 1.25).abs() < 0.1, "{counts:?}");
    assert_eq!(counts[kind(Edit::Replace)], 0, "a weight of 0 stays 0");
    let counts = drawn(&EditWeights::default(), &mut rng);
    assert!((counts[bad] as f64 / counts[good] as f64 - 4.0).abs() < 0.3, "{counts:?}");
}

#[test]
fn temperatures_by_hand() {
    let parameters = Coolings { start: 0.08, end: 0.005, ..Coolings::default() };
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    // A sixteenth in one cooling: a half in a quarter of it.
    let at = |over, round| Clock::default().heat_at(&parameters, over, round);
    close(at(0.0, 0), 0.08);
    close(at(0.25, 0), 0.04);
    close(at(1.0, 0), 0.005);
    close(at(0.25, 2), 0.01);
    close(Schedule::Linear.temperature(0.08, 0.0, 0.75), 0.02);
    let weights =
        Weights { swap: 0, insert: 0, block: 0, reverse: 0, shuffle: 0, change: 0, guide: 0, ..Weights::default() };
    assert!(Anneal { weights, ..Anneal::default() }.validate().is_err());
}

/// Returns what follows after each neighbour of a plan of `count` neighbours.
fn turns(parameters: &Coolings, count: u64) -> Vec<(u64, Turn)> {
    let mut clock = Clock::default();
    clock.begin(parameters, Some(0.0));
    let mut turns = Vec::new();
    for made in 1..=count {
        clock.measure(true, 1.0);
        let turn = clock.tick(parameters, Some(made as f64 / count as f64), 10);
        if turn == Turn::Restart {
            clock.begin(parameters, Some(made as f64 / count as f64));
        }
        if !matches!(turn, Turn::Stay | Turn::Measured) {
            turns.push((made, turn));
        }
    }
    turns
}

#[test]
fn a_budget_is_divided_among_runs_and_a_last_cooling() {
    let of_all = Turn::Reheat { of_all: true };
    let deep = Coolings { depth: 1_000.0, ..Coolings::default() };
    // 90,000 neighbours of 10 decisions have room for nine runs; at most three are made.
    assert_eq!(
        turns(&deep, 90_000),
        [(22_500, Turn::Restart), (45_000, Turn::Restart), (67_500, of_all), (90_000, of_all)]
    );
    assert_eq!(turns(&deep, 9_000), [(6_750, of_all), (9_000, of_all)], "room for one run");
    let one = Coolings { runs: 2, finish: 1.0, ..deep };
    assert_eq!(turns(&one, 1_000), [(500, Turn::Restart), (1_000, of_all)]);
}

#[test]
fn arms_race_before_the_finalists() {
    let of_all = Turn::Reheat { of_all: true };
    let racing = Coolings { arms: 4, finish: 0.8, ..Coolings::default() };
    // 0.4 and 0.8 are no binary fractions.
    let restarts: Vec<(u64, Turn)> = [1_000, 2_000, 3_001, 4_000, 6_001].map(|made| (made, Turn::Restart)).into();
    assert_eq!(turns(&racing, 10_000), [restarts, vec![(8_000, of_all), (10_000, of_all)]].concat());
    let mut clock = Clock::default();
    let ranks = [None, None, None, None, Some(0), Some(1)];
    for (run, rank) in ranks.into_iter().enumerate() {
        clock.run = run as u64;
        assert_eq!(clock.finalist(&racing), rank);
    }
}

#[test]
fn temperatures_follow_the_differences_met() {
    let parameters = Coolings::default();
    let heat = |difference: f64| {
        let mut clock = Clock::default();
        clock.begin(&parameters, Some(0.0));
        for made in 1..500 {
            clock.measure(true, difference);
            clock.tick(&parameters, Some(f64::from(made) / 10_000.0), 10);
        }
        clock.temperature(true)
    };
    assert!(heat(1.0) > 0.0 && (heat(1_000.0) / heat(1.0) - 1_000.0).abs() < 1e-6);
}

/// Calls `check` with a search whose present solution is 0, 1, 2, ... and its context.
pub(super) fn with_search<P: Problem>(
    problem: &P,
    count: u64,
    check: impl FnOnce(&mut AnnealSearch, &mut Context<'_>),
) {
    let order = rules(problem);
    let mut tally = Tally::new(problem.sense(), 0, 1);
    let mut random =
        RolloutAdapter::new(ProblemRef::borrowed(problem), MoveCodec::new(), Watch::outside(), "random").unwrap();
    let (rng, horizon) = (&mut Rng::new(4), BudgetShare::default());
    let mut context = Context { problem: &order, rollout: &mut random, rng, tally: &mut tally, horizon };
    let mut search = AnnealSearch::new(Anneal::default(), &order, 1 << 30);
    search.walker.recode(&order, &(0..count).collect::<Vec<_>>());
    check(&mut search, &mut context);
}

#[test]
fn replays_keep_the_edited_order() {
    with_search(&Order, 5, |search, context| {
        for _ in 0..2_000 {
            let old: Vec<MoveId> = search.walker.entries.iter().map(|entry| entry.mv).collect();
            let at = context.rng.index(EDITS.len());
            search.walker.edit(context, at);
            assert_eq!(search.walker.run(context, None, f64::INFINITY), End::Finished);
            search.walker.moves(&mut search.moves);
            let new = search.moves.clone();
            let mut sorted = new.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4], "{:?}", EDITS[at]);
            if EDITS[at] == Edit::Change {
                // One item is moved to an earlier place; the others keep their order.
                let moved = (0..5).find(|&item| {
                    let without =
                        |order: &[MoveId]| order.iter().copied().filter(|&other| other != item).collect::<Vec<_>>();
                    without(&old) == without(&new)
                });
                assert!(moved.is_some(), "{old:?} {new:?}");
            }
            search.walker.accept(context.problem, End::Finished);
            let now: Vec<MoveId> = search.walker.entries.iter().map(|entry| entry.mv).collect();
            assert_eq!(now, new);
        }
    });
}

/// Orders of items; each item must come after its half; the cost depends on neighbours. With futures, identities and
/// bounds, or without.
#[derive(Clone, Default)]
struct Chain {
    rich: bool,
    count: u64,
    offset: f64,
    /// What the links are multiplied by; 0: there are none.
    links: u64,
    /// What is added to a suggested place; `None`: nothing is suggested.
    shift: Option<usize>,
}

#[derive(Clone, Default)]
struct Link {
    done: u64,
    last: u64,
    cost: u64,
}

impl Chain {
    fn cost(&self, a: u64, b: u64) -> u64 {
        stable_hash(&(a, b)) % 100
    }
    fn is_ready(&self, state: &Link, item: u64) -> bool {
        item == 0 || state.done >> (item / 2) & 1 == 1
    }
}

impl Problem for Chain {
    type State = Link;
    type Move = u64;
    fn root(&self) -> Link {
        Link { last: 99, ..Link::default() }
    }
    fn moves(&self, state: &Link, moves: &mut Vec<u64>) {
        moves.extend((0..self.count).filter(|item| state.done >> item & 1 == 0 && self.is_ready(state, *item)));
    }
    fn apply(&self, state: &mut Link, item: u64) {
        state.cost += self.cost(state.last, item);
        state.done |= 1 << item;
        state.last = item;
    }
    fn score(&self, state: &Link) -> Score {
        Score::Feasible(state.cost as f64 + self.offset)
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn bound(&self, state: &Link) -> Option<f64> {
        self.rich.then_some(state.cost as f64 + self.offset)
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        self.rich.then_some(self as &dyn Dominance<Self>)
    }
    fn ordering(&self) -> Option<&dyn Ordering<Self>> {
        Some(self)
    }
}

impl Dominance<Chain> for Chain {
    fn future(&self, state: &Link) -> (Key, f64) {
        (Key::of(&(state.done, state.last)), state.cost as f64)
    }
}

impl Ordering<Chain> for Chain {
    fn identity(&self, _: &Link, item: u64) -> u64 {
        item
    }
    fn find(&self, state: &Link, item: u64) -> Found<u64> {
        if item >= self.count || state.done >> item & 1 == 1 {
            Found::Gone
        } else if self.is_ready(state, item) {
            Found::Move(item)
        } else {
            Found::Blocked
        }
    }
    fn link(&self, before: Option<u64>, behind: Option<u64>) -> Option<f64> {
        let cost = behind.map_or(0, |item| self.cost(before.unwrap_or(99), item));
        (self.links > 0).then_some((self.links * cost) as f64)
    }
    fn suggest(&self, moves: &[u64], edits: &mut Vec<(usize, usize)>) -> bool {
        let Some(shift) = self.shift else { return false };
        let dear = (1..moves.len()).filter(|&at| self.cost(moves[at - 1], moves[at]) > 30);
        edits.extend(dear.map(|at| (at + shift * moves.len(), at - 1)));
        true
    }
}

#[test]
fn prices_are_the_differences_of_orders() {
    let chain = Chain { rich: true, count: 20, links: 1, ..Chain::default() };
    with_search(&chain, 20, |search, context| {
        let mut cost = context.problem.score(&search.walker.state).value().unwrap();
        let mut compared = [0; EDITS.len()];
        for _ in 0..20_000 {
            let at = context.rng.index(EDITS.len());
            let Some(Some((shape, price))) = search.walker.priced(context, at) else { continue };
            let mut order: Vec<Entry> = search.walker.entries[shape.first..].to_vec();
            search.walker.shape(context, shape);
            let end = search.walker.run(context, None, f64::INFINITY);
            shape.make(&mut order, &mut Rng::new(1));
            search.walker.moves(&mut search.moves);
            let score = context.problem.score(&search.walker.state).value().unwrap();
            if search.moves[shape.first..].iter().eq(order.iter().map(|entry| &entry.mv)) {
                assert_eq!(price, score - cost, "{shape:?}");
                compared[at] += 1;
            }
            search.walker.accept(context.problem, end);
            cost = score;
        }
        for edit in [Edit::Swap, Edit::Insert, Edit::Block, Edit::Reverse, Edit::Change, Edit::Guide] {
            assert!(compared[kind(edit)] > 20, "{edit:?} {compared:?}");
        }
    });
}

#[test]
fn runs_with_links_and_suggestions_are_resumed() {
    let base = Chain { rich: true, count: 40, ..Chain::default() };
    let random = sampled(&base, 30_000);
    for chain in [Chain { links: 1, ..base }, Chain { shift: Some(0), ..base }] {
        for name in ["anneal", "ils"] {
            let solver = |seed, playouts| {
                Solver::new(&chain, Method::preset(name).unwrap()).seed(seed).budget(Budget::playouts(playouts))
            };
            let value = solver(1, 30_000).run().unwrap().best.unwrap().score.value().unwrap();
            assert!(value < 0.7 * random, "{name} {value} {random}");
            let whole = solver(7, 20_000).run().unwrap();
            let mut session = solver(7, 20_000).start().unwrap();
            for _ in 0..8 {
                session.advance(&Budget::playouts(2_500)).unwrap();
                let bytes = session.save();
                session = solver(7, 20_000).resume(&bytes).unwrap().start().unwrap();
            }
            assert_eq!((session.best(), whole.counters.playouts), (whole.best, 20_000), "{name}");
        }
    }
}

#[test]
fn wrong_links_and_suggestions_are_found() {
    let right = Chain { rich: true, count: 9, links: 1, shift: Some(0), offset: 7.0 };
    crate::check(&right, 20, 1).unwrap();
    let links = crate::check(&Chain { links: 2, ..right }, 20, 1).unwrap_err();
    assert!(links.what.contains("the links are"), "{links}");
    let places = crate::check(&Chain { shift: Some(1), ..right }, 20, 1).unwrap_err();
    assert!(places.what.contains("does not name two places"), "{places}");
    let advice = crate::check::advise(&Chain { rich: true, count: 9, links: 1, ..Chain::default() }, 5, 1);
    let supplied = |name| advice.knowledge.iter().find(|knowledge| knowledge.name == name).unwrap().supplied;
    assert!(supplied("link") && !supplied("suggest"));
}

/// Returns the best score of independent playouts.
fn sampled<P: Problem>(problem: &P, playouts: u64) -> f64 {
    let solver = Solver::new(problem, Method::preset("sampling").unwrap()).budget(Budget::playouts(playouts));
    solver.run().unwrap().best.unwrap().score.value().unwrap()
}

/// Short cuts change the effort and nothing else.
#[test]
fn futures_and_bounds_change_no_result() {
    let run = |rich| {
        let chain = Chain { rich, count: 40, offset: 0.0, ..Chain::default() };
        let mut method = Method::preset("anneal").unwrap();
        // Neighbours that are abandoned have no score to learn from.
        method.set("fit", "false").unwrap();
        let outcome = Solver::new(&chain, method).seed(5).budget(Budget::playouts(30_000)).run();
        outcome.unwrap().best.unwrap()
    };
    let (rich, plain) = (run(true), run(false));
    assert_eq!(rich, plain);
    assert!(
        rich.score.value().unwrap()
            < 0.7 * sampled(&Chain { rich: false, count: 40, offset: 0.0, ..Chain::default() }, 30_000)
    );
}

#[test]
fn a_constant_added_to_all_scores_changes_no_run() {
    let run = |offset| {
        let chain = Chain { rich: false, count: 30, offset, ..Chain::default() };
        let outcome =
            Solver::new(&chain, Method::preset("anneal").unwrap()).seed(6).budget(Budget::playouts(10_000)).run();
        outcome.unwrap().best.unwrap().moves
    };
    assert_eq!(run(0.0), run(1_048_576.0));
}

/// A walk over all orders of a chain by exchanges, scored by difference.
struct Exchange {
    order: Vec<u64>,
    cost: u64,
    edit: (usize, usize, u64),
}

impl Exchange {
    fn total(&self, chain: &Chain) -> u64 {
        let before = [99].into_iter().chain(self.order.iter().copied());
        before.zip(&self.order).map(|(a, &b)| chain.cost(a, b)).sum()
    }
}

struct Free(Chain);

impl Problem for Free {
    type State = Link;
    type Move = u64;
    fn root(&self) -> Link {
        self.0.root()
    }
    fn moves(&self, state: &Link, moves: &mut Vec<u64>) {
        moves.extend((0..self.0.count).filter(|item| state.done >> item & 1 == 0));
    }
    fn apply(&self, state: &mut Link, item: u64) {
        self.0.apply(state, item);
    }
    fn score(&self, state: &Link) -> Score {
        self.0.score(state)
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Exchange { order: Vec::new(), cost: 0, edit: (0, 0, 0) }))
    }
}

impl Edits<Free> for Exchange {
    fn propose(&mut self, problem: &Free, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        let (a, b) = (acceptance.rng.index(self.order.len()), acceptance.rng.index(self.order.len()));
        self.order.swap(a, b);
        self.edit = (a, b, self.total(&problem.0));
        Some(self.edit.2 as f64 - self.cost as f64)
    }
    fn accept(&mut self, _: &Free) {
        self.cost = self.edit.2;
    }
    fn reject(&mut self, _: &Free) {
        self.order.swap(self.edit.0, self.edit.1);
    }
}

impl Neighborhood<Free> for Exchange {
    fn start(&mut self, problem: &Free, moves: &[u64]) -> bool {
        self.order = moves.to_vec();
        self.cost = self.total(&problem.0);
        true
    }
    fn cost(&self, _: &Free) -> f64 {
        self.cost as f64
    }
    fn moves(&self, _: &Free, moves: &mut Vec<u64>) {
        moves.extend(&self.order);
    }
}

#[test]
fn a_neighborhood_takes_the_place_of_replays() {
    let problem = Free(Chain { rich: false, count: 20, offset: 0.0, ..Chain::default() });
    let solver = || Solver::new(&problem, Method::preset("anneal").unwrap()).seed(7).budget(Budget::playouts(20_000));
    let whole = solver().run().unwrap();
    let best = whole.best.clone().unwrap();
    let mut state = problem.root();
    best.moves.iter().for_each(|&item| problem.apply(&mut state, item));
    assert_eq!((best.score, best.moves.len()), (problem.score(&state), 20));
    assert!(best.score.value().unwrap() < 0.7 * sampled(&problem, 20_000), "{}", best.score);
    assert_eq!(whole.counters.playouts, 20_000);
    // In slices, saved and restored in between.
    let mut session = solver().start().unwrap();
    for _ in 0..8 {
        session.advance(&Budget::playouts(2_500)).unwrap();
        let bytes = session.save();
        session = solver().resume(&bytes).unwrap().start().unwrap();
    }
    assert_eq!(session.best(), Some(best));
    // Without it the solution is replayed by codes.
    let mut method = Method::preset("anneal").unwrap();
    method.set("local", "false").unwrap();
    let replayed = Solver::new(&problem, method).seed(7).budget(Budget::playouts(20_000)).run().unwrap();
    assert_ne!(replayed.best.unwrap().moves, session.best().unwrap().moves);
}

#[test]
fn an_offered_solution_is_where_a_run_begins() {
    let toy = Staircase(30);
    let solver = Solver::new(&toy, Method::preset("anneal").unwrap()).offer(&[false; 30]).budget(Budget::playouts(10));
    assert_eq!(solver.run().unwrap().best.unwrap().score, Score::Feasible(30.0));
}

/// Of several offers the best one counts, in whatever order they come.
#[test]
fn the_best_of_several_offers_is_where_a_run_begins() {
    let toy = Staircase(30);
    let (good, poor): (Vec<bool>, Vec<bool>) = ((0..30).map(|step| step > 27).collect(), vec![true; 30]);
    for offers in [[&good, &poor], [&poor, &good]] {
        with_search(&toy, 0, |search, context| {
            for moves in offers {
                let moves: Vec<MoveId> = moves.iter().map(|&right| u64::from(right)).collect();
                let lefts = moves.iter().filter(|&&mv| mv == 0).count();
                let solution = Solution { score: Score::Feasible(lefts as f64), moves };
                search.adopt(context, &solution);
            }
            let _ = search.step(context);
            assert_eq!(search.saved.best.as_ref().unwrap().score.value().map(|value| value >= 28.0), Some(true));
        });
    }
}

/// An end at 0 is no number that a quotient of the ends gives.
#[test]
fn temperatures_of_zero_are_finite() {
    let at = |start, end, over| Schedule::Geometric.temperature(start, end, over);
    assert_eq!([at(0.0, 0.0, 0.0), at(0.0, 0.0, 0.5), at(0.0, 1.0, 0.5), at(0.0, 1.0, 1.0)], [0.0; 4]);
    assert_eq!([at(1.0, 0.0, 0.0), at(1.0, 0.0, 0.5), at(1.0, 0.0, 1.0)], [1.0, 0.0, 0.0]);
}
