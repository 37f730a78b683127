//! What a problem promises, and what happens when it does not keep it.

use crate::common::{games, method};
use soloist::check::advise;
use soloist::doc::Staircase;
use soloist::problem::{Dominance, Extras, Key, SolutionKind};
use soloist::rollout::{NamedRollout, Playout, Rollout, RolloutInfo};
use soloist::run::{SolveError, StopReason};
use soloist::search::parameters::{Anneal, Coolings};
use soloist::{Budget, Method, Problem, Rng, Score, Sense, Setup, Solver, check};

/// Choosing numbers below 4, five times; the score is their sum, plus twice the first. What it says of itself can be
/// wrong in many ways.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    sense: Option<Sense>,
    bound: Option<f64>,
    /// What of a state its key and its future contain.
    key: Option<Parts>,
    future: Option<Parts>,
    rollout: Option<&'static str>,
    /// Sums of this remainder of 4 are infeasible.
    infeasible: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Parts {
    All,
    NoDepth,
    NoSum,
    NoFirst,
    /// Nothing at all.
    Constant,
}

#[derive(Clone, Debug)]
struct Chosen {
    count: u32,
    sum: u32,
    first: u32,
}

impl Sums {
    fn parts(parts: Parts, at: &Chosen) -> Key {
        match parts {
            Parts::All => Key::of(&(at.count, at.sum, at.first)),
            Parts::NoDepth => Key::of(&(at.sum, at.first)),
            Parts::NoSum => Key::of(&(at.count, at.first)),
            Parts::NoFirst => Key::of(&(at.count, at.sum)),
            Parts::Constant => 1_u64.into(),
        }
    }
}

impl Problem for Sums {
    type State = Chosen;
    type Move = u32;

    fn root(&self) -> Chosen {
        Chosen { count: 0, sum: 0, first: 0 }
    }
    fn moves(&self, at: &Chosen, moves: &mut Vec<u32>) {
        if at.count < 5 {
            moves.extend(0..4);
        }
    }
    fn apply(&self, at: &mut Chosen, number: u32) {
        if at.count == 0 {
            at.first = number;
        }
        at.sum += number;
        at.count += 1;
    }
    fn score(&self, at: &Chosen) -> Score {
        if self.infeasible == Some(at.sum % 4) {
            return Score::Infeasible(1.0);
        }
        Score::Feasible(f64::from(at.sum + 2 * at.first))
    }
    fn sense(&self) -> Sense {
        self.sense.unwrap_or(Sense::Maximize)
    }
    fn bound(&self, at: &Chosen) -> Option<f64> {
        // Wrong at the root alone, where no search prunes by it.
        self.bound.filter(|_| at.count == 0)
    }
    fn key(&self, at: &Chosen) -> Option<Key> {
        self.key.map(|parts| Self::parts(parts, at))
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        self.future.is_some().then_some(self as &dyn Dominance<Self>)
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Sums {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        let info = |name| RolloutInfo { name, help: "" };
        let Some(name) = self.rollout else { return Vec::new() };
        let infos = ["empty", "illegal", "lazy", "liar", "fine"].into_iter().find(|&one| one == name);
        NamedRollout::list(&[info(infos.unwrap_or("absent"))], |_, name| {
            (name != "absent").then(|| Box::new(Odd(name.to_owned())) as Box<dyn Rollout<Self>>)
        })
    }
}

impl Dominance<Sums> for Sums {
    fn future(&self, at: &Chosen) -> (Key, f64) {
        (Self::parts(self.future.unwrap_or(Parts::All), at), at.sum.into())
    }
}

/// A rollout that is what its name says.
struct Odd(String);

impl Rollout<Sums> for Odd {
    fn candidates(&mut self, problem: &Sums, at: &Chosen, moves: &mut Vec<u32>) {
        match self.0.as_str() {
            "empty" if at.count == 3 => {}
            "illegal" if at.count == 2 => moves.push(4),
            _ => problem.moves(at, moves),
        }
    }
    fn run(&mut self, problem: &Sums, state: &mut Chosen, playout: &mut Playout<u32>, rng: &mut Rng) {
        let before = playout.moves.len();
        soloist::rollout::Uniform.run(problem, state, playout, rng);
        match self.0.as_str() {
            "lazy" => {
                *state = problem.root();
                playout.moves.truncate(before + 3);
                playout.moves.iter().for_each(|&mv| problem.apply(state, mv));
            }
            "liar" => state.sum += 1,
            _ => {}
        }
    }
}

#[test]
fn a_bound_that_is_beaten_is_an_error_with_both_numbers() {
    for (sense, bound, at) in [(Sense::Maximize, -0.5, 21.0), (Sense::Minimize, 22.5, 0.0)] {
        let problem = Sums { sense: Some(sense), bound: Some(bound), ..Sums::default() };
        for name in ["sampling", "uct", "nmcs", "nrpa", "beam", "cabs", "dfs", "best-first", "anneal"] {
            for threads in [1, 2] {
                let solver = Solver::new(&problem, method(name, &[])).threads(threads).budget(games(5_000));
                let error = solver.run().unwrap_err();
                let SolveError::Bound { score, bound: named } = error else { panic!("{name}: {error}") };
                assert!(named == bound && sense.better_value(score, bound), "{name}: {score}");
                let message = SolveError::Bound { score, bound: named }.to_string();
                assert!(message.contains(&score.to_string()) && message.contains(&bound.to_string()), "{message}");
            }
        }
        // An offered solution as well; the run stays as it is.
        let setup = Setup::preset("nrpa").unwrap();
        let mut session = Solver::new(&problem, setup).start().unwrap();
        let best = if sense == Sense::Maximize { [3; 5] } else { [0; 5] };
        let error = session.offer(&best).unwrap_err();
        assert!(matches!(error, SolveError::Bound { score, .. } if score == at), "{error}");
    }
    // As good as the bound, or better by a rounding error: a proof.
    for bound in [21.0, 21.0 - 1e-12] {
        let problem = Sums { bound: Some(bound), ..Sums::default() };
        let outcome = Solver::new(&problem, method("nmcs", &[])).budget(games(9_000)).run().unwrap();
        assert_eq!((outcome.stop, outcome.optimal), (StopReason::Bound, true));
    }
}

#[test]
fn a_bound_or_a_target_that_is_no_number_says_nothing() {
    let problem = Sums { bound: Some(f64::NAN), ..Sums::default() };
    for preset in Method::presets() {
        let budget = || Budget { nodes: Some(50_000), ..games(2_000) };
        let outcome = Solver::new(&problem, preset.method()).seed(1).budget(budget()).run().unwrap();
        let best = outcome.best.unwrap().score.value().unwrap();
        // What examines everything still proves the optimum.
        let proven = outcome.stop == StopReason::Exhausted && best == 21.0;
        assert!(outcome.stop != StopReason::Bound && outcome.optimal == proven, "{}: {best}", preset.name);
        let budget = Budget { target: Some(f64::NAN), ..budget() };
        let outcome = Solver::new(&Sums::default(), preset.method()).seed(1).budget(budget).run().unwrap();
        assert_ne!(outcome.stop, StopReason::Target, "{}", preset.name);
    }
}

/// [`Staircase`] whose scores for ten lefts and more are this number.
struct Cliff(f64);

impl Problem for Cliff {
    type State = <Staircase as Problem>::State;
    type Move = <Staircase as Problem>::Move;
    fn root(&self) -> Self::State {
        Staircase(12).root()
    }
    fn moves(&self, state: &Self::State, moves: &mut Vec<Self::Move>) {
        Staircase(12).moves(state, moves);
    }
    fn apply(&self, state: &mut Self::State, mv: Self::Move) {
        Staircase(12).apply(state, mv);
    }
    fn score(&self, state: &Self::State) -> Score {
        let score = Staircase(12).score(state);
        if score.value() >= Some(10.0) { Score::Feasible(self.0) } else { score }
    }
    fn sense(&self) -> Sense {
        Sense::Maximize
    }
}

#[test]
fn a_score_that_is_not_finite_ends_the_run_with_an_error() {
    for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for preset in Method::presets() {
            let budget = Budget { nodes: Some(200_000), ..games(20_000) };
            match Solver::new(&Cliff(wrong), preset.method()).seed(1).budget(budget).run() {
                Err(error @ SolveError::Score(_)) => {
                    let message = error.to_string();
                    assert!(message.contains(&wrong.to_string()) && message.contains("finite"), "{message}");
                }
                // Not met: the lines that were played have fewer lefts.
                Ok(outcome) => {
                    let best = outcome.best.unwrap().score.value().unwrap();
                    assert!(best < 10.0 && !outcome.optimal, "{} with {wrong}: {best}", preset.name);
                }
                Err(error) => panic!("{} with {wrong}: {error}", preset.name),
            }
        }
    }
}

#[test]
fn check_finds_what_is_wrong() {
    let with_key = |parts| Sums { key: Some(parts), ..Sums::default() };
    let with_future = |parts| Sums { future: Some(parts), ..Sums::default() };
    let with_rollout = |name| Sums { rollout: Some(name), ..Sums::default() };
    let cases = [
        (Sums::default(), None),
        (with_key(Parts::All), None),
        (with_key(Parts::NoDepth), Some("key")),
        (with_key(Parts::NoSum), Some("states with equal keys")),
        (with_key(Parts::NoFirst), Some("states with equal keys end with")),
        (with_key(Parts::Constant), Some("earlier one of the same game")),
        // The first number counts three times, only once in the sum so far: it belongs to the key.
        (with_future(Parts::NoSum), None),
        (with_future(Parts::All), None),
        (with_future(Parts::NoFirst), Some("states with equal keys end with")),
        (with_future(Parts::Constant), Some("the same game")),
        (with_rollout("fine"), None),
        (with_rollout("empty"), Some("`empty` has no candidate where there are legal moves")),
        (with_rollout("illegal"), Some("`illegal` has an illegal candidate")),
        (with_rollout("lazy"), Some("`lazy` stops where there are legal moves")),
        (with_rollout("liar"), Some("`liar` ends in another state")),
        (with_rollout("missing"), Some("`absent` is listed but does not exist")),
        (Sums { bound: Some(9.0), ..Sums::default() }, Some("the bound 9 is beaten by")),
    ];
    for (problem, expected) in cases {
        match (check(&problem, 100, 7), expected) {
            (Ok(_), None) => {}
            (Err(violation), Some(expected)) => {
                assert!(violation.to_string().contains(expected), "{violation}, {problem:?}");
            }
            (found, _) => panic!("{found:?}, {problem:?}"),
        }
    }
}

#[test]
fn advice_names_what_is_there_and_what_is_missing() {
    let problem = Sums { infeasible: Some(0), future: Some(Parts::NoSum), ..Sums::default() };
    let advice = advise(&problem, 200, 1);
    assert!((20..100).contains(&advice.infeasible), "{}", advice.infeasible);
    let supplied: Vec<_> = advice.knowledge.iter().filter(|known| known.supplied).map(|known| known.name).collect();
    assert_eq!(supplied, ["dominance"]);
    let text = format!("{advice:#}");
    assert!(text.contains("bound (missing): `cabs`") && text.contains(" of 200 random games end infeasibly"), "{text}");
    let short = advice.to_string();
    assert!(text.starts_with(&short) && !short.contains("missing"), "{short}");
    let advice = advise(&Staircase(6), 3, 1);
    let is_supplied = |name| advice.knowledge.iter().any(|known| known.name == name && known.supplied);
    assert!(is_supplied("potential") && !is_supplied("dominance"));
}

/// Labels of twelve places, with or without a bound of few values.
struct Labels(bool);

impl Problem for Labels {
    type State = Vec<u8>;
    type Move = u8;
    fn root(&self) -> Vec<u8> {
        Vec::new()
    }
    fn moves(&self, state: &Vec<u8>, moves: &mut Vec<u8>) {
        moves.extend((0..3).filter(|_| state.len() < 12));
    }
    fn apply(&self, state: &mut Vec<u8>, mv: u8) {
        state.push(mv);
    }
    fn score(&self, state: &Vec<u8>) -> Score {
        Score::Feasible(state.iter().map(|&label| f64::from(label)).sum())
    }
    fn bound(&self, _: &Vec<u8>) -> Option<f64> {
        self.0.then_some(24.0)
    }
}

#[test]
fn advice_names_the_kind_of_solution_and_the_function_to_write_next() {
    let labels = advise(&Labels(false), 20, 1);
    assert_eq!((labels.kind, labels.next.unwrap().name), (SolutionKind::Assignment, "difference"));
    assert!(labels.to_string().contains("solutions are assignments") && labels.to_string().contains("write next: "));
    assert_eq!(advise(&Labels(true), 20, 1).next.unwrap().name, "potential");
    // Too few games say nothing of the bound.
    assert_eq!(advise(&Labels(true), 2, 1).next.unwrap().name, "difference");
    // The staircase is no order, assignment or subset, and its potential is there.
    let stairs = advise(&Staircase(6), 20, 1);
    assert_ne!(stairs.next.unwrap().name, "potential");
}

#[test]
fn a_run_is_set_up_with_types_alone() {
    let coolings = Coolings { start: 0.5, runs: 2, ..Coolings::default() };
    let warm = Anneal { coolings, ..Anneal::default() };
    assert_eq!(Method::from(warm.clone()), method("anneal", &[("start", "0.5"), ("runs", "2")]));
    let name = format!("{}dom", "ran");
    let solver = Solver::new(&Staircase(5), Setup::from(Method::from(warm))).rollout(name);
    assert_eq!(solver.budget(games(200)).run().unwrap().best.unwrap().score, Score::Feasible(5.0));
}
