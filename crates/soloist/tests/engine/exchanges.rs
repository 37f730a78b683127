//! Assignments and subsets with differences: the ready neighbourhood, what `check` finds, and checkpoints.

use crate::common::{method, rules_of};
use soloist::problem::{Acceptance, Exchange, Exchanges, Neighborhood, Prior};
use soloist::{Budget, Method, Problem, Rng, Score, Sense, Solver, check};

/// How the functions of an instance are wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wrong {
    Nothing,
    /// The difference has the wrong size now and then.
    Difference,
    /// The state after an exchange does not know the new decision.
    Exchange,
    /// Decisions are exchanged that break a rule.
    Rules,
    /// A legal move has no difference.
    Missing,
}

/// Three labels for each of twelve places: pairs of places with the same label cost a weight.
struct Labels {
    wrong: Wrong,
    updates: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Labelled {
    labels: Vec<u8>,
    cost: f64,
}

fn weight(a: usize, b: usize) -> f64 {
    // No whole number, so that sums are rounded.
    0.1 * (1 + (a * 7 + b * 7 + a * b) % 13) as f64
}

impl Problem for Labels {
    type State = Labelled;
    type Move = u8;
    fn root(&self) -> Labelled {
        Labelled { labels: Vec::new(), cost: 0.0 }
    }
    fn moves(&self, state: &Labelled, moves: &mut Vec<u8>) {
        // The first place has two labels only.
        let labels = if state.labels.is_empty() { 2 } else { 3 };
        moves.extend((0..labels).filter(|_| state.labels.len() < 12));
    }
    fn apply(&self, state: &mut Labelled, label: u8) {
        let place = state.labels.len();
        let same = (0..place).filter(|&other| state.labels[other] == label);
        state.cost += same.map(|other| weight(place, other)).sum::<f64>();
        state.labels.push(label);
    }
    fn score(&self, state: &Labelled) -> Score {
        Score::Feasible(state.cost)
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    fn code(&self, state: &Labelled, label: u8) -> u64 {
        3 * state.labels.len() as u64 + u64::from(label)
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Exchanges::new()))
    }
}

impl Exchange for Labels {
    fn difference(&self, end: &Labelled, place: usize, old: Option<u8>, new: Option<u8>) -> Option<f64> {
        let (old, new) = (old?, new?);
        let shared = |label: u8| {
            let others = (0..12).filter(|&other| other != place && end.labels[other] == label);
            others.map(|other| weight(place.max(other), place.min(other))).sum::<f64>()
        };
        let extra = if self.wrong == Wrong::Difference && new == 2 { 0.1 } else { 0.0 };
        Some(shared(new) - shared(old) + extra)
    }
    fn apply_exchange(&self, end: &mut Labelled, place: usize, old: Option<u8>, new: Option<u8>) -> bool {
        let Some(change) = self.difference(end, place, old, new).filter(|_| self.updates) else { return false };
        end.cost += change;
        if self.wrong != Wrong::Exchange {
            end.labels[place] = new.unwrap();
        }
        true
    }
}

/// Twenty items, as a sum of at most 50.
struct Bag(Wrong);

#[derive(Clone)]
struct Packed {
    items: u32,
    left: i64,
    value: i64,
}

impl Bag {
    const fn of(item: u8) -> (i64, i64) {
        (3 + item as i64 * 5 % 11, 2 + item as i64 * 7 % 13)
    }
}

impl Problem for Bag {
    type State = Packed;
    type Move = u8;
    fn root(&self) -> Packed {
        Packed { items: 0, left: 50, value: 0 }
    }
    fn moves(&self, bag: &Packed, moves: &mut Vec<u8>) {
        moves.extend((0..20).filter(|&item| bag.items >> item & 1 == 0 && Self::of(item).0 <= bag.left));
    }
    fn apply(&self, bag: &mut Packed, item: u8) {
        bag.items |= 1 << item;
        bag.left -= Self::of(item).0;
        bag.value += Self::of(item).1;
    }
    fn score(&self, bag: &Packed) -> Score {
        Score::Feasible(bag.value as f64)
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Exchanges::new()))
    }
}

impl Exchange for Bag {
    fn difference(&self, bag: &Packed, _: usize, old: Option<u8>, new: Option<u8>) -> Option<f64> {
        let [(taken, lost), (used, gained)] = [old, new].map(|item| item.map_or((0, 0), Self::of));
        if self.0 == Wrong::Missing && new == Some(7) {
            return None;
        }
        (used - taken <= bag.left || self.0 == Wrong::Rules).then(|| (gained - lost) as f64)
    }
}

/// The same items with a bias, and with exchanges in the state.
struct Rich(Bag);

const RICH: Rich = Rich(Bag(Wrong::Nothing));

impl Problem for Rich {
    rules_of!(Bag);
    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::new(Exchanges::new()))
    }
}

impl Prior<Rich> for Rich {
    fn bias(&self, _: &Packed, item: u8) -> f64 {
        let (used, gained) = Bag::of(item);
        gained as f64 / used as f64
    }
}

impl Exchange for Rich {
    fn difference(&self, bag: &Packed, place: usize, old: Option<u8>, new: Option<u8>) -> Option<f64> {
        self.0.difference(bag, place, old, new)
    }
    fn apply_exchange(&self, bag: &mut Packed, _: usize, old: Option<u8>, new: Option<u8>) -> bool {
        for (item, sign) in old.map(|item| (item, -1)).into_iter().chain(new.map(|item| (item, 1))) {
            bag.items ^= 1 << item;
            bag.left -= sign * Bag::of(item).0;
            bag.value += sign * Bag::of(item).1;
        }
        true
    }
}

#[test]
fn exchanges_keep_their_promises() {
    for updates in [false, true] {
        check(&Labels { wrong: Wrong::Nothing, updates }, 50, 1).unwrap();
    }
    check(&Bag(Wrong::Nothing), 50, 1).unwrap();
    check(&RICH, 50, 1).unwrap();
}

#[test]
fn wrong_differences_are_found() {
    for wrong in [Wrong::Difference, Wrong::Exchange] {
        let error = check(&Labels { wrong, updates: true }, 50, 1).unwrap_err().to_string();
        assert!(error.contains("an edit of a neighbourhood changes the cost"), "{wrong:?}: {error}");
    }
    let error = check(&Bag(Wrong::Missing), 50, 1).unwrap_err().to_string();
    assert!(error.contains("changes the cost"), "{error}");
    let error = check(&Bag(Wrong::Rules), 50, 1);
    assert!(error.unwrap_err().to_string().contains("a neighbourhood makes a move that is not legal"));
}

/// The best score of all solutions.
fn best<P: Problem>(problem: &P, state: &P::State) -> Option<f64> {
    let mut moves = Vec::new();
    problem.moves(state, &mut moves);
    if moves.is_empty() {
        return problem.score(state).value();
    }
    let scores = moves.into_iter().filter_map(|mv| {
        let mut next = state.clone();
        problem.apply(&mut next, mv);
        best(problem, &next)
    });
    scores.reduce(|a, b| problem.sense().best_value(a, b))
}

fn edited<P: Problem>(problem: &P, name: &str, seed: u64) -> f64 {
    let solver = Solver::new(problem, Method::preset(name).unwrap()).budget(Budget::playouts(20_000)).seed(seed);
    solver.run().unwrap().best.unwrap().score.value().unwrap()
}

#[test]
fn annealing_finds_the_best_assignment_and_the_best_subset() {
    let labels = Labels { wrong: Wrong::Nothing, updates: true };
    let least = best(&labels, &labels.root()).unwrap();
    // The best bag by dynamic programming over the room.
    let mut values = [0; 51];
    for (weight, value) in (0..20).map(Bag::of) {
        for room in (weight as usize..51).rev() {
            values[room] = values[room].max(values[room - weight as usize] + value);
        }
    }
    for (name, seed) in ["anneal", "ils"].into_iter().flat_map(|name| (1..4).map(move |seed| (name, seed))) {
        assert!((edited(&labels, name, seed) - least).abs() < 1e-9, "{name}, seed {seed}: {least}");
        assert_eq!(edited(&Bag(Wrong::Nothing), name, seed), values[50] as f64, "{name}, seed {seed}");
        assert_eq!(edited(&RICH, name, seed), values[50] as f64, "{name}, seed {seed}");
    }
}

/// Runs in slices, saved and restored in between, and returns the solution.
fn sliced<P: Problem>(problem: &P, name: &str, all: u64, slice: u64) -> (Score, Vec<P::Move>) {
    let solver = || Solver::new(problem, method(name, &[])).budget(Budget::playouts(all)).seed(3);
    let mut session = solver().start().unwrap();
    for begun in (0..all).step_by(slice as usize) {
        session.advance(&Budget::playouts(slice.min(all - begun))).unwrap();
        let bytes = session.save();
        session = solver().resume(&bytes).unwrap().start().unwrap();
    }
    let best = session.best().unwrap();
    (best.score, best.moves)
}

#[test]
fn a_run_in_slices_is_the_same_run() {
    fn same<P: Problem>(problem: &P, name: &str, all: u64, slice: u64) {
        assert!(sliced(problem, name, all, all) == sliced(problem, name, all, slice), "{name} {all}");
    }
    for name in ["anneal", "ils"] {
        for updates in [false, true] {
            let labels = Labels { wrong: Wrong::Nothing, updates };
            same(&labels, name, 3_000, 71);
            same(&labels, name, 30_000, 1_777);
        }
        same(&Bag(Wrong::Nothing), name, 3_000, 71);
        same(&RICH, name, 3_000, 71);
        same(&RICH, name, 30_000, 1_777);
    }
}

/// A neighbourhood that is saved and restored makes the edits that the first one makes: several at once, behind a state
/// that was made again from the root, by tournaments among what is not in the set, and at two places of an assignment.
#[test]
fn restored_edits_are_the_same() {
    restored(&RICH, &[0, 1, 2]);
    restored(&Labels { wrong: Wrong::Nothing, updates: true }, &[0; 12]);
}

fn restored<P: Exchange<Move: PartialEq>>(problem: &P, first: &[P::Move]) {
    let mut rng = Rng::new(5);
    let mut edits = Exchanges::new();
    assert!(edits.start(problem, first));
    for round in 0..40 {
        for _ in 0..500 {
            soloist::problem::Edits::advance(&mut edits, problem, &mut Acceptance::new(&mut rng, 5.0));
        }
        let mut shown = Vec::new();
        edits.moves(problem, &mut shown);
        let mut other = Exchanges::new();
        assert!(other.start(problem, &shown));
        other.load(problem, &edits.save()).unwrap();
        let (mut first, mut second) = (rng.clone(), rng.clone());
        for step in 0..200 {
            let one = soloist::problem::Edits::advance(&mut edits, problem, &mut Acceptance::new(&mut first, 5.0));
            let two = soloist::problem::Edits::advance(&mut other, problem, &mut Acceptance::new(&mut second, 5.0));
            assert_eq!(one, two, "round {round}, step {step}");
        }
        let (mut one, mut two) = (Vec::new(), Vec::new());
        edits.moves(problem, &mut one);
        other.moves(problem, &mut two);
        assert_eq!(one, two, "round {round}");
        rng = first;
    }
}

/// A label for each of thirty places, ten times each: whatever is missing or too much costs 50, and a label has a price
/// at each place.
struct Even;

fn price(place: usize, label: u8) -> i64 {
    (1 + place as i64 * 7 + i64::from(label) * 11 + place as i64 * i64::from(label) * 5) % 23
}

impl Problem for Even {
    type State = Vec<u8>;
    type Move = u8;
    fn root(&self) -> Vec<u8> {
        Vec::new()
    }
    fn moves(&self, labels: &Vec<u8>, moves: &mut Vec<u8>) {
        moves.extend((0..3).filter(|_| labels.len() < 30));
    }
    fn apply(&self, labels: &mut Vec<u8>, label: u8) {
        labels.push(label);
    }
    fn score(&self, labels: &Vec<u8>) -> Score {
        let count = |label: u8| labels.iter().filter(|&&other| other == label).count() as i64;
        let uneven: i64 = (0..3).map(|label| 50 * (count(label) - 10).abs()).sum();
        let prices: i64 = labels.iter().enumerate().map(|(place, &label)| price(place, label)).sum();
        Score::Feasible((uneven + prices) as f64)
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
}

impl Exchange for Even {
    fn difference(&self, end: &Vec<u8>, place: usize, _: Option<u8>, new: Option<u8>) -> Option<f64> {
        let mut other = end.clone();
        self.apply_exchange(&mut other, place, None, new);
        Some(self.score(&other).value()? - self.score(end).value()?)
    }
    fn apply_exchange(&self, end: &mut Vec<u8>, place: usize, _: Option<u8>, new: Option<u8>) -> bool {
        end[place] = new.unwrap_or_default();
        true
    }
}

/// At temperature 0 exchanges of one decision are stuck as soon as the labels are even; those of two places reach what
/// no exchange of two places improves.
#[test]
fn two_places_exchange_their_decisions() {
    let start: Vec<u8> = (0..30).map(|place| place % 3).collect();
    let single = (0..30).flat_map(|place| (0..3).map(move |label| (place, label)));
    let gains = |labels: &Vec<u8>, (place, label): (usize, u8)| {
        labels[place] != label && Even.difference(labels, place, None, Some(label)).unwrap() < 0.0
    };
    assert!(!single.into_iter().any(|edit| gains(&start, edit)), "no single exchange improves the start");
    let (mut edits, mut rng, mut end) = (Exchanges::new(), Rng::new(1), Vec::new());
    assert!(edits.start(&Even, &start));
    for _ in 0..20_000 {
        soloist::problem::Edits::advance(&mut edits, &Even, &mut Acceptance::new(&mut rng, 0.0));
    }
    edits.moves(&Even, &mut end);
    for (a, b) in (0..30).flat_map(|a| (0..a).map(move |b| (a, b))) {
        let mut other = end.clone();
        other.swap(a, b);
        assert!(Even.score(&other).value() >= Even.score(&end).value(), "{a} and {b}");
    }
    assert!(Even.score(&end).value() < Even.score(&start).value());
}

#[test]
fn damaged_states_of_exchanges_are_refused() {
    let bag = Bag(Wrong::Nothing);
    let (mut rng, mut moves) = (Rng::new(1), Vec::new());
    let mut edits = Exchanges::new();
    assert!(!edits.start(&bag, &[0, 0]), "a decision that is there twice");
    let mut state = bag.root();
    loop {
        let mut legal = Vec::new();
        bag.moves(&state, &mut legal);
        let Some(&mv) = legal.get(rng.index(legal.len())) else { break };
        bag.apply(&mut state, mv);
        moves.push(mv);
    }
    assert!(edits.start(&bag, &moves));
    for _ in 0..100 {
        soloist::problem::Edits::advance(&mut edits, &bag, &mut Acceptance::new(&mut rng, 5.0));
    }
    let bytes = edits.save();
    let mut shown = Vec::new();
    edits.moves(&bag, &mut shown);
    let mut other = Exchanges::new();
    assert!(other.start(&bag, &shown) && other.load(&bag, &bytes).is_ok());
    // Whatever a byte is, the answer is an error or a solution that can be edited.
    for at in 0..bytes.len() {
        for value in [0, 1, 19, 20, 255] {
            let mut wrong = bytes.clone();
            wrong[at] = value;
            assert!(other.start(&bag, &shown));
            if other.load(&bag, &wrong).is_ok() {
                for _ in 0..20 {
                    soloist::problem::Edits::advance(&mut other, &bag, &mut Acceptance::new(&mut rng, 5.0));
                }
            }
        }
    }
}
