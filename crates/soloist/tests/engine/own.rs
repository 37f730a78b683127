//! Searches of a problem's own: what the engine gives them, and what it does not believe.

use crate::common::rules_of;
use soloist::doc::Staircase;
use soloist::problem::{Extras, NamedSearch, ProblemSearch, SearchInfo, StepStatus, Unit, Work};
use soloist::run::{CheckpointError, SolveError, StopReason};
use soloist::search::ParameterValues;
use soloist::{Budget, Method, Problem, Score, Setup, Solver};

soloist::parameter_table! {
    /// How far the counting goes.
    pub struct Limits {
        /// solutions after which the search ends
        most: u64 = 1_000_000, 1..=1_000_000;
        /// whether what is left is entered
        honest: bool = true, ();
    }
}

const COUNT: SearchInfo =
    SearchInfo::new::<Limits>("count", "all solutions in order", "ours", Unit::Solution("solutions")).exact();
const CLAIM: SearchInfo = SearchInfo::new::<Limits>("claim", "as count, not exact", "ours", Unit::Node("nodes"));
const CHEAT: SearchInfo = SearchInfo::new::<()>("cheat", "plays what is not legal", "ours", Unit::Solution("moves"));

/// A staircase with searches that count through its solutions.
struct Stairs(Staircase);

impl Problem for Stairs {
    rules_of!(Staircase);

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Stairs {
    fn searches(&self) -> Vec<NamedSearch<Self>> {
        let count = |_: &Self, settings: &ParameterValues| Count::boxed(settings.read().ok()?, false);
        let cheat = NamedSearch::new(CHEAT, |_, _| Count::boxed(Limits::default(), true));
        let relay =
            NamedSearch::new(RELAY, |_, settings| Some(Box::new(Relay { turns: settings.read().ok()?, value: None })));
        vec![NamedSearch::new(COUNT, count), NamedSearch::new(CLAIM, count), cheat, relay]
    }
}

struct Count {
    next: u64,
    limits: Limits,
    cheats: bool,
    offered: u64,
}

impl Count {
    fn boxed(limits: Limits, cheats: bool) -> Option<Box<dyn ProblemSearch<Stairs>>> {
        Some(Box::new(Self { next: 0, limits, cheats, offered: 0 }))
    }
}

impl ProblemSearch<Stairs> for Count {
    fn step(&mut self, problem: &Stairs, work: &mut Work<'_, Stairs>) -> StepStatus {
        let steps = u64::from(problem.0.0);
        while work.next_unit() {
            let moves: Vec<bool> = (0..steps).map(|bit| self.next >> bit & 1 == 0).collect();
            if self.cheats {
                assert_eq!(work.found(&moves[1..]), None, "not finished");
                work.found(&[&moves[..], &[false]].concat());
            }
            work.found(&moves);
            self.next += 1;
            if self.next == 1 << steps || self.next == self.limits.most {
                if self.next < 1 << steps && self.limits.honest {
                    work.leave_out(None);
                }
                return work.covered().map_or(StepStatus::Completed, StepStatus::Exhausted);
            }
        }
        StepStatus::Running
    }

    fn offer(&mut self, problem: &Stairs, moves: &[bool], _: Score) {
        assert_eq!(moves.len() as u32, problem.0.0);
        self.offered += 1;
    }

    fn gauges(&self) -> Vec<(&'static str, f64)> {
        vec![("solutions", self.next as f64), ("offers", self.offered as f64)]
    }

    fn save(&self) -> Vec<u8> {
        [self.next, self.offered].iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn load(&mut self, _: &Stairs, bytes: &[u8]) -> Result<(), CheckpointError> {
        let number = |bytes: &[u8]| bytes.try_into().map(u64::from_le_bytes);
        let wrong = |_| CheckpointError::Corrupt("a counting");
        (self.next, self.offered) = (
            number(bytes.get(..8).unwrap_or_default()).map_err(wrong)?,
            number(bytes.get(8..).unwrap_or_default()).map_err(wrong)?,
        );
        Ok(())
    }
}

fn setup(name: &str, set: &[(&str, &str)]) -> Setup {
    let mut setup = Setup::named(name);
    set.iter().for_each(|(name, value)| setup.set(name, value).unwrap());
    setup
}

#[test]
fn a_proof_needs_an_exact_search_that_left_nothing_out() {
    let stairs = Stairs(Staircase(6));
    for (name, set, proven) in [
        ("count", &[][..], true),
        ("count", &[("most", "40")], false),
        // Nobody can look into a search: it is its word that nothing is left.
        ("count", &[("most", "40"), ("honest", "false")], true),
        ("claim", &[], false),
    ] {
        let outcome = Solver::new(&stairs, setup(name, set)).run().unwrap();
        let expected = if proven { StopReason::Exhausted } else { StopReason::Completed };
        assert_eq!((outcome.stop, outcome.optimal), (expected, proven), "{name} {set:?}");
    }
}

#[test]
fn both_counts_limit_a_search_of_solutions_exactly() {
    let stairs = Stairs(Staircase(20));
    for budget in [Budget::playouts(777), Budget::nodes(777)] {
        let outcome = Solver::new(&stairs, setup("count", &[])).budget(budget).run().unwrap();
        assert_eq!((outcome.counters.playouts, outcome.counters.nodes), (777, 777));
    }
    let stall = Budget { stall: Some(100), ..Budget::default() };
    let outcome = Solver::new(&stairs, setup("count", &[])).budget(stall).run().unwrap();
    let last = outcome.history.last().unwrap().playouts;
    assert_eq!((outcome.stop, outcome.counters.playouts), (StopReason::Stall, last + 100));
    // A target ends a step at the solution that reaches it.
    let target = Budget { target: Some(1.0), ..Budget::default() };
    let outcome = Solver::new(&stairs, setup("count", &[])).budget(target).run().unwrap();
    assert_eq!((outcome.stop, outcome.counters.nodes), (StopReason::Target, outcome.history.last().unwrap().playouts));
}

#[test]
fn a_search_that_counts_nodes_ends_with_its_other_streams() {
    let stairs = Stairs(Staircase(20));
    // Both streams count alike: the first one wins, and the second one does not run for ever.
    let budget = Budget { target: Some(2.0), ..Budget::default() };
    let outcome = Solver::new(&stairs, setup("claim", &[]).threads(2)).budget(budget).run().unwrap();
    assert_eq!((outcome.stop, outcome.best.unwrap().score.value()), (StopReason::Target, Some(2.0)));
}

#[test]
fn what_is_no_solution_is_refused() {
    let stairs = Stairs(Staircase(5));
    let error = Solver::new(&stairs, setup("cheat", &[])).budget(Budget::nodes(3)).run().unwrap_err();
    assert!(matches!(error, SolveError::Replay(_)), "{error}");
    for (name, set, message) in [
        ("nosuch", &[][..], "no method `nosuch` (the problem's own: count, claim, cheat, relay)"),
        ("count", &[("most", "0")], "parameter `most`: expected a whole number from 1 to 1e6, got `0`"),
        ("count", &[("least", "1")], "no parameter `least` (known: most, honest)"),
        ("auto", &[("methods", "count(most=0),nrpa")], "entry `count(most=0)`: parameter `most`: expected"),
        ("auto", &[("methods", "nrpa,nosuch")], "entry `nosuch`: no method `nosuch`"),
    ] {
        let error = Solver::new(&stairs, setup(name, set)).run().unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
    // With the description at hand, at once.
    let mut method = Method::own(&COUNT);
    assert!(method.set("most", "0").is_err() && method.set("most", "2e3").is_ok());
    assert_eq!((method.family(), method.parameters()[0].value.as_str()), ("count", "2000"));
}

const RELAY: SearchInfo =
    SearchInfo::new::<Turns>("relay", "one step beyond what other streams have found", "ours", Unit::Node("nodes"))
        .units_a_step(5);

soloist::parameter_table! {
    /// When streams exchange.
    pub struct Turns {
        /// units between two exchanges; 0: none
        every: u64 = 10, 0..=1_000;
    }
}

/// Finds a solution that is better than the last offer by one. Without offers it stays where it began.
struct Relay {
    turns: Turns,
    value: Option<u64>,
}

impl ProblemSearch<Stairs> for Relay {
    fn step(&mut self, problem: &Stairs, work: &mut Work<'_, Stairs>) -> StepStatus {
        while work.next_unit() {
            let begin = work.rng().below(2);
            let value = *self.value.get_or_insert(begin);
            let moves: Vec<bool> = (0..u64::from(problem.0.0)).map(|step| step >= value).collect();
            work.found(&moves);
        }
        StepStatus::Running
    }

    fn offer(&mut self, _: &Stairs, _: &[bool], score: Score) {
        self.value = score.value().map(|value| value as u64 + 1);
    }

    fn exchange(&self) -> Option<u64> {
        (self.turns.every > 0).then_some(self.turns.every)
    }

    fn save(&self) -> Vec<u8> {
        self.value.map_or_else(Vec::new, |value| vec![value as u8])
    }

    fn load(&mut self, _: &Stairs, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.value = bytes.first().map(|&value| value.into());
        Ok(())
    }
}

#[test]
fn streams_exchange_what_they_have_found() {
    let stairs = Stairs(Staircase(30));
    let run = |seed, threads, every: &str, slices: u64, saves: bool| {
        let relay = setup("relay", &[("every", every)]).seed(seed).threads(threads);
        let solver = || Solver::new(&stairs, relay.clone());
        let mut session = solver().start().unwrap();
        for _ in 0..slices {
            session.advance(&Budget::nodes(600 / slices)).unwrap();
            if saves {
                session = solver().resume(&session.save()).unwrap().start().unwrap();
            }
        }
        let outcome = session.outcome();
        (outcome.best, outcome.history.iter().map(|event| (event.score, event.stream)).collect::<Vec<_>>())
    };
    // Where both streams begin alike, nobody is ahead.
    let values: Vec<f64> = (0..8).map(|seed| run(seed, 2, "10", 1, false).0.unwrap().score.value().unwrap()).collect();
    assert!(values.iter().any(|&value| value >= 20.0) && values.iter().any(|&value| value <= 1.0), "{values:?}");
    for seed in 0..8 {
        for threads in [1, 2, 3] {
            let whole = run(seed, threads, "10", 1, false);
            assert_eq!(run(seed, threads, "10", 1, false), whole);
            for (slices, saves) in [(6, false), (6, true), (60, true), (200, true)] {
                assert_eq!(run(seed, threads, "10", slices, saves), whole, "{seed}, {threads} streams, {slices}");
            }
            let alone = run(seed, threads, "0", 1, false).0.unwrap().score.value().unwrap();
            assert!(alone <= 1.0, "without an exchange");
        }
        // One stream has nobody to exchange with, and in `auto` there is no exchange.
        assert!(run(seed, 1, "10", 1, false).0.unwrap().score.value().unwrap() <= 1.0);
    }
    let auto = |methods: &str| {
        let auto = setup("auto", &[("methods", methods)]).threads(2);
        let outcome = Solver::new(&stairs, auto).budget(Budget::nodes(40_000)).run().unwrap();
        (outcome.best, outcome.counters)
    };
    assert_eq!(auto("relay(every=10)"), auto("relay(every=0)"));
}

#[test]
fn offers_reach_a_search_before_and_after_its_first_step() {
    let stairs = Stairs(Staircase(12));
    let mut session = Solver::new(&stairs, setup("count", &[])).offer(&[true; 12]).start().unwrap();
    session.advance(&Budget::nodes(10)).unwrap();
    session.offer(&[false; 12]).unwrap();
    let bytes = session.save();
    assert_eq!(session.best().unwrap().score.value(), Some(12.0));
    let restored = Solver::new(&stairs, setup("nrpa", &[])).resume(&bytes).unwrap().start().unwrap();
    assert_eq!((restored.setup(), restored.save()), (&setup_of(&COUNT, &restored.setup().rollout), bytes));
}

fn setup_of(info: &SearchInfo, rollout: &Option<String>) -> Setup {
    Setup { rollout: rollout.clone(), ..Setup::from(Method::own(info)) }
}
