//! Runs that live: slices, offered solutions, solutions that are kept, failures of user code.

use crate::common::{Bag, games, method, methods, rules_of, timeless};
use soloist::doc::Staircase;
use soloist::problem::{Extras, Facts, Fault, Key};
use soloist::rollout::{NamedRollout, Rollout};
use soloist::run::{OfferError, Session, SolveError, StopReason};
use soloist::{Budget, Outcome, Problem, Score, Setup, Solver};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Advances by slices that add up to `playouts`, saving and restoring after each where `saves` says so.
fn sliced<P: Problem>(problem: &P, setup: &Setup, playouts: u64, slices: u64, saves: bool) -> Outcome<P::Move> {
    let start = || Solver::new(problem, setup.clone()).budget(games(playouts));
    let mut session = start().start().unwrap();
    let mut left = playouts;
    for slice in 0..slices {
        let share = if slice + 1 == slices { left } else { left / 2 };
        left -= share;
        session.advance(&games(share)).unwrap();
        if saves {
            let bytes = session.save();
            session = start().resume(&bytes).unwrap().start().unwrap();
            assert!(session.save() == bytes, "{setup:?}");
        }
    }
    session.outcome()
}

#[test]
fn slices_make_a_whole() {
    let (stairs, bag) = (Staircase(14), Bag::tight());
    fn compare<P: Problem>(problem: &P, setup: &Setup)
    where
        P::Move: PartialEq,
    {
        let whole = Solver::new(problem, setup.clone()).budget(games(503)).run().unwrap();
        for saves in [false, true] {
            let parts = sliced(problem, setup, 503, 7, saves);
            assert_eq!(timeless(parts), timeless(whole.clone()), "saves: {saves}, {setup:?}");
        }
    }
    for method in methods() {
        for threads in [1, 3] {
            let setup = Setup::from(method.clone()).seed(5).threads(threads);
            compare(&stairs, &setup);
            compare(&bag, &setup.rollout("learner"));
        }
    }
}

/// The best packing of the sixteen items, in the order of the list.
fn best_packing(bag: &Bag) -> Vec<u8> {
    let moves = |set: u64| (0..16).filter(move |item| set >> item & 1 == 1);
    let total = |set: u64| {
        moves(set).map(|item| bag.items[item as usize]).fold((0, 0), |sum, item| (sum.0 + item.0, sum.1 + item.1))
    };
    let fits = (0..1_u64 << 16).filter(|&set| total(set).1 <= bag.capacity);
    moves(fits.max_by_key(|&set| total(set).0).unwrap()).map(|item| item as u8).collect()
}

#[test]
fn offered_solutions_are_never_lost() {
    let bag = Bag::tight();
    let (moves, optimum) = (best_packing(&bag), bag.optimum());
    for method in methods() {
        for threads in [1, 2] {
            for before in [0, 37] {
                let setup = Setup::from(method.clone()).seed(3).threads(threads);
                let mut session = Solver::new(&bag, setup.clone()).start().unwrap();
                session.advance(&games(before)).unwrap();
                let playouts = session.counters().playouts;
                assert_eq!(session.offer(&moves).unwrap(), Score::Feasible(optimum));
                assert_eq!(session.best().unwrap().score, Score::Feasible(optimum), "{setup:?}");
                assert_eq!(session.counters().playouts, playouts, "an offer is no playout");
                let last = session.improvements_since(0).last().unwrap();
                assert_eq!(last.score, Score::Feasible(optimum));
                // It survives what follows, and a checkpoint.
                session.advance(&Budget { nodes: Some(3_000), ..games(200) }).unwrap();
                let bytes = session.save();
                let mut session = Solver::new(&bag, setup.clone()).resume(&bytes).unwrap().start().unwrap();
                session.advance(&Budget { nodes: Some(3_000), ..games(100) }).unwrap();
                let outcome = session.outcome();
                assert_eq!(outcome.best.unwrap().score, Score::Feasible(optimum), "{setup:?}");
                assert_eq!(outcome.history.last().unwrap().score, Score::Feasible(optimum));
            }
        }
    }
}

/// Streams that run on after another one has reached the target do not count, after a restore either.
#[test]
fn a_run_that_ended_at_a_target_is_restored_with_its_outcome() {
    let stairs = Staircase(30);
    for seed in 0..20 {
        let start = || Solver::new(&stairs, Setup::preset("nrpa").unwrap().seed(seed).threads(3));
        let mut session = start().start().unwrap();
        let slice = Budget { target: Some(14.0), ..games(200_000) };
        assert_eq!(session.advance(&slice).unwrap(), StopReason::Target);
        let restored = start().resume(&session.save()).unwrap().start().unwrap();
        assert_eq!(restored.outcome(), session.outcome(), "seed {seed}");
    }
}

#[test]
fn a_saved_run_keeps_its_setup() {
    let stairs = Staircase(12);
    let start = || Solver::new(&stairs, Setup::preset("nrpa").unwrap().seed(3));
    let bytes = start().start().unwrap().save();
    // What was set before is replaced.
    assert_eq!(start().seed(9).threads(4).resume(&bytes).unwrap().start().unwrap().setup().seed, 3);
    let resumed = || start().resume(&bytes).unwrap();
    assert!(resumed().seed(3).threads(1).start().is_ok());
    for solver in [resumed().seed(9), resumed().threads(4), resumed().rollout("other")] {
        assert!(matches!(solver.start(), Err(SolveError::Resumed)));
    }
}

/// Slices with an offer between them give the same run with and without a save.
#[test]
fn a_run_with_an_offer_is_reproducible() {
    let bag = Bag::sixteen();
    let moves = best_packing(&bag);
    for method in methods() {
        let run = |saves: bool| {
            let setup = Setup::from(method.clone()).seed(8).threads(2);
            let mut session = Solver::new(&bag, setup.clone()).start().unwrap();
            for slice in [90, 60, 61] {
                session.advance(&Budget { nodes: Some(2_000), ..games(slice) }).unwrap();
                session.offer(&moves).unwrap();
                if saves {
                    session = Solver::new(&bag, setup.clone())
                        .resume(&session.save())
                        .unwrap()
                        .start()
                        .unwrap_or_else(|e| panic!("{e} {setup:?}"));
                }
            }
            session.outcome()
        };
        assert_eq!(timeless(run(false)), timeless(run(true)), "{method:?}");
    }
}

/// What methods do with an offered solution beyond keeping it.
#[test]
fn methods_take_up_offers() {
    // Left all the way is one solution of 2^40: no method meets it by itself.
    let stairs = Staircase(40);
    let almost: Vec<bool> = (0..40).map(|step| step > 34).collect();
    let reached = |name: &str, set: &[(&str, &str)]| {
        let mut setup = Setup::preset(name).unwrap().seed(2);
        set.iter().for_each(|(name, value)| setup.set(name, value).unwrap());
        let mut session = Solver::new(&stairs, setup).start().unwrap();
        session.offer(&almost).unwrap();
        session.advance(&games(8_000)).unwrap();
        session.best().unwrap().score.value().unwrap()
    };
    for (name, set) in [
        ("nrpa", &[("level", "2")][..]),
        ("beam-nrpa", &[("level", "2")]),
        ("anneal", &[("start", "0.01")]),
        ("uct-best", &[("c", "0.05")]),
        ("nmcs", &[("level", "2")]),
    ] {
        let score = reached(name, set);
        assert!(score > 35.0, "{name}: {score}, offered 35");
    }
    // Exact searches prune by it: they visit fewer states.
    let bag = Bag::sixteen();
    let nodes = |offers: &[Vec<u8>]| {
        let problem = Bounded(bag.clone());
        let solver = Solver::new(&problem, Setup::preset("dfs").unwrap());
        let solver = offers.iter().fold(solver, |solver, moves| solver.offer(moves));
        let outcome = solver.run().unwrap();
        assert!(outcome.optimal);
        assert_eq!(outcome.best.unwrap().score, Score::Feasible(bag.optimum()));
        outcome.counters.nodes
    };
    assert!(nodes(&[best_packing(&bag)]) < nodes(&[]));
}

/// A bag with the plainest of bounds.
struct Bounded(Bag);

impl Problem for Bounded {
    rules_of!(Bag);
    fn key(&self, state: &Self::State) -> Option<Key> {
        Some(state.items().into())
    }
    fn bound(&self, state: &Self::State) -> Option<f64> {
        let (value, weight) = state.totals();
        // No item is worth more than 2.1 a unit of weight.
        Some(f64::from(value) + 2.1 * f64::from(self.0.capacity - weight))
    }
}

#[test]
fn what_is_no_solution_is_refused() {
    let bag = Bag::sixteen();
    let mut session = Solver::new(&bag, Setup::preset("uct").unwrap()).start().unwrap();
    let refused = |result: Result<Score, SolveError>, expected: OfferError| match result {
        Err(SolveError::Offer(error)) => assert_eq!(error, expected),
        other => panic!("{other:?}"),
    };
    refused(session.offer(&[3, 5, 3]), OfferError::Illegal(2));
    refused(session.offer(&[200]), OfferError::Illegal(0));
    refused(session.offer(&[3, 5]), OfferError::Unfinished(2));
    assert!(session.best().is_none());
    let error = Solver::new(&bag, Setup::preset("uct").unwrap()).offer(&[3]).run().unwrap_err();
    assert_eq!(error.to_string(), "the solution to start from: it is not finished after 1 moves");
}

#[test]
fn the_best_different_solutions_are_kept() {
    let bag = Bag::sixteen();
    // Every packing, by value, best first: packings with different items are different.
    let mut values = Vec::new();
    let total = |set: u32| {
        (0..16)
            .filter(|item| set >> item & 1 == 1)
            .fold((0, 0), |sum, item| (sum.0 + bag.items[item].0, sum.1 + bag.items[item].1))
    };
    for set in 0..1_u32 << 16 {
        let (value, weight) = total(set);
        let full = (0..16).all(|item| set >> item & 1 == 1 || weight + bag.items[item].1 > bag.capacity);
        if weight <= bag.capacity && full {
            values.push(value);
        }
    }
    values.sort_unstable_by(|a, b| b.cmp(a));
    let problem = Bounded(bag.clone());
    let setup = Setup::preset("nrpa").unwrap().seed(1).threads(2);
    let outcome = Solver::new(&problem, setup).budget(games(60_000)).keep(12).run().unwrap();
    let scores: Vec<u32> = outcome.kept.iter().map(|kept| kept.score.value().unwrap() as u32).collect();
    assert_eq!(scores[0], values[0]);
    assert_eq!(scores.len(), 12);
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[11] <= values[11], "{scores:?} of {:?}", &values[..12]);
    let mut sets: Vec<u64> = outcome.kept.iter().map(|kept| kept.moves.iter().map(|&item| 1 << item).sum()).collect();
    sets.sort_unstable();
    sets.dedup();
    assert_eq!(sets.len(), 12, "different packings");
    assert_eq!(outcome.kept[0], outcome.best.unwrap());
    // Without being asked, the incumbent alone.
    let outcome = Solver::new(&bag, Setup::preset("nmcs").unwrap()).budget(games(50)).run().unwrap();
    assert_eq!(outcome.kept, [outcome.best.unwrap()]);
}

/// A problem or a rollout that stops working after a number of calls.
struct Fragile {
    left: AtomicU64,
    fault: Fault,
    panics: bool,
}

impl Fragile {
    fn after(calls: u64, panics: bool) -> Self {
        Self { left: AtomicU64::new(calls), fault: Fault::default(), panics }
    }
}

impl Problem for Fragile {
    type State = u32;
    type Move = bool;
    fn root(&self) -> u32 {
        0
    }
    fn moves(&self, state: &u32, moves: &mut Vec<bool>) {
        if self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err() {
            assert!(!self.panics, "the problem panics");
            self.fault.raise("no more rows");
        } else if *state < 12 {
            moves.extend([false, true]);
        }
    }
    fn apply(&self, state: &mut u32, _: bool) {
        *state += 1;
    }
    fn score(&self, state: &u32) -> Score {
        // An unfinished game looks better than any finished one.
        Score::Feasible(if *state == 12 { 1.0 } else { 1e9 })
    }

    fn facts(&self) -> Facts {
        Facts { fault: Some(self.fault.clone()), ..Facts::default() }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Fragile {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        vec![
            NamedRollout::uniform(""),
            NamedRollout::new("fragile", "", |problem| Box::new(Broken { calls: 0, fault: problem.fault.clone() })),
        ]
    }
}

struct Broken {
    calls: u32,
    fault: Fault,
}

impl Rollout<Fragile> for Broken {
    fn candidates(&mut self, problem: &Fragile, state: &u32, moves: &mut Vec<bool>) {
        problem.moves(state, moves);
    }
    fn feedback(&mut self, _: Score) {
        self.calls += 1;
        if self.calls == 30 {
            self.fault.raise(std::io::Error::other("the connection is lost"));
        }
    }
}

#[test]
fn failures_of_user_code_come_back_as_errors() {
    for method in methods() {
        for threads in [1, 2] {
            let problem = Fragile::after(400, false);
            let setup = Setup::from(method.clone()).threads(threads);
            let mut session = match Solver::new(&problem, setup.clone()).start() {
                Ok(session) => session,
                Err(error) => panic!("{error}: {setup:?}"),
            };
            let error = loop {
                match session.advance(&Budget { nodes: Some(500), ..games(50) }) {
                    Ok(reason) if reason.is_final() => panic!("{reason}: {setup:?}"),
                    Ok(_) => {}
                    Err(error) => break error,
                }
            };
            assert_eq!(error.to_string(), "the problem failed: no more rows", "{setup:?}");
            // Nothing scored by the broken problem counts.
            assert!(session.best().is_none_or(|best| best.score == Score::Feasible(1.0)), "{setup:?}");
        }
    }
    let problem = Fragile::after(1_000_000, false);
    let error = Solver::new(&problem, Setup::preset("nrpa").unwrap().rollout("fragile")).run().unwrap_err();
    assert_eq!(error.to_string(), "the problem failed: the connection is lost");
}

#[test]
fn a_panic_on_one_of_several_threads_ends_the_run() {
    // No limit: the other streams stop because of the panic alone.
    let problem = Fragile::after(20_000, true);
    let run = || Solver::new(&problem, Setup::preset("uct").unwrap().threads(3)).run();
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
    assert_eq!(*panic.downcast::<&str>().unwrap(), "the problem panics");
}

#[test]
fn a_shared_problem_needs_no_lifetime() {
    fn is_free<T: Send + 'static>(_: &T) {}
    let mut sessions: Vec<Session<'static, Bag>> = Vec::new();
    let bag = Arc::new(Bag::sixteen());
    for seed in 0..2 {
        let setup = Setup::preset("nrpa").unwrap().seed(seed);
        sessions.push(Solver::shared(Arc::clone(&bag), setup).start().unwrap());
    }
    drop(bag);
    is_free(&sessions);
    // Two runs that exchange their incumbents, on threads that they are moved to.
    for _ in 0..3 {
        let workers = sessions.into_iter().map(|mut session| {
            std::thread::spawn(move || {
                session.advance(&games(100)).unwrap();
                session
            })
        });
        sessions = workers.collect::<Vec<_>>().into_iter().map(|worker| worker.join().unwrap()).collect();
        let best: Vec<_> = sessions.iter().map(|session| session.best().unwrap()).collect();
        for (session, other) in sessions.iter_mut().zip(best.iter().rev()) {
            session.offer(&other.moves).unwrap();
        }
    }
    let scores: Vec<_> = sessions.iter().map(|session| session.best().unwrap().score).collect();
    assert_eq!(scores[0], scores[1]);
    assert_eq!(sessions[0].counters().playouts, 300);
    assert_eq!(sessions[0].problem().optimum(), Bag::sixteen().optimum());
}

#[test]
fn slices_end_for_their_reasons() {
    let bag = Bag::sixteen();
    let mut session = Solver::new(&bag, Setup::preset("sampling").unwrap()).start().unwrap();
    assert_eq!(session.advance(&games(10)).unwrap(), StopReason::Playouts);
    let target = Budget { target: Some(300.0), ..Budget::default() };
    assert_eq!(session.advance(&target).unwrap(), StopReason::Target);
    let reached = session.counters().playouts;
    // The target is met already.
    assert_eq!(session.advance(&target).unwrap(), StopReason::Target);
    assert_eq!(session.counters().playouts, reached);
    assert_eq!(session.advance(&Budget::time(std::time::Duration::ZERO)).unwrap(), StopReason::Time);
    assert_eq!(session.advance(&games(5)).unwrap(), StopReason::Playouts);
    assert_eq!(session.counters().playouts, reached + 5);
    let mut setup = Setup::preset("nmcs").unwrap();
    setup.set("level", "1").unwrap();
    setup.set("restarts", "false").unwrap();
    let mut session = Solver::new(&bag, setup).start().unwrap();
    assert_eq!(session.advance(&Budget::default()).unwrap(), StopReason::Completed);
    assert_eq!(session.advance(&games(10)).unwrap(), StopReason::Completed);
    assert_eq!(session.info().setup.preset, "nmcs");
}

#[test]
fn improvements_have_times_that_a_restore_keeps() {
    let bag = Bag::sixteen();
    let solver = || Solver::new(&bag, Setup::preset("sampling").unwrap()).threads(2);
    let mut session = solver().start().unwrap();
    session.advance(&games(200)).unwrap();
    session.offer(&best_packing(&bag)).unwrap();
    let times = |session: &Session<'_, Bag>| -> Vec<_> {
        let outcome = session.outcome();
        outcome.history.iter().chain(session.improvements_since(0)).map(|event| event.elapsed).collect()
    };
    let before = times(&session);
    assert!(before.len() > 2 && before.iter().all(|time| !time.is_zero() && *time <= session.elapsed()), "{before:?}");
    let restored = solver().resume(&session.save()).unwrap().start().unwrap();
    assert_eq!(times(&restored), before);
    // Equal runs have equal histories at other times.
    let mut again = solver().start().unwrap();
    again.advance(&games(200)).unwrap();
    again.offer(&best_packing(&bag)).unwrap();
    assert_eq!(again.outcome().history, session.outcome().history);
}

/// With one iteration a level, every playout ends a nested run: its levels are saved between two runs.
#[test]
fn nested_runs_that_have_just_ended_are_restored() {
    for name in ["nrpa", "beam-nrpa", "hd-nrpa"] {
        let problem = Bag::sixteen();
        let solver = || Solver::new(&problem, method(name, &[("level", "3"), ("iterations", "1")])).seed(4);
        let mut whole = solver().start().unwrap();
        whole.advance(&games(12)).unwrap();
        let mut parts = solver().start().unwrap();
        for _ in 0..12 {
            parts.advance(&games(1)).unwrap();
            parts = solver().resume(&parts.save()).unwrap().start().unwrap();
        }
        assert_eq!(timeless(parts.outcome()), timeless(whole.outcome()), "{name}");
    }
}

/// A problem whose streams stumble now and then, each time others.
struct Uneven {
    bag: Bag,
    pace: u64,
    calls: AtomicU64,
}

impl Problem for Uneven {
    type State = <Bag as Problem>::State;
    type Move = <Bag as Problem>::Move;
    fn root(&self) -> Self::State {
        self.bag.root()
    }
    fn moves(&self, state: &Self::State, moves: &mut Vec<Self::Move>) {
        self.bag.moves(state, moves);
    }
    fn apply(&self, state: &mut Self::State, mv: Self::Move) {
        self.bag.apply(state, mv);
    }
    fn score(&self, state: &Self::State) -> Score {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        if self.pace > 0 && soloist::problem::stable_hash(&(call, self.pace)).is_multiple_of(40) {
            std::thread::sleep(std::time::Duration::from_micros(200));
        }
        self.bag.score(state)
    }
}

/// What streams exchange, and when, does not depend on which of them is ahead.
#[test]
fn streams_meet_alike_in_every_schedule() {
    for (name, settings) in [("anneal", &[][..]), ("nrpa", &[("level", "2")]), ("auto", &[])] {
        for threads in [2, 3] {
            let run = |pace: u64| {
                let problem = Uneven { bag: Bag::tight(), pace, calls: AtomicU64::new(0) };
                let setup = Setup::from(method(name, settings)).seed(6).threads(threads);
                let outcome = Solver::new(&problem, setup).budget(Budget::playouts(3_000)).run().unwrap();
                assert!(outcome.counters.playouts >= 3_000, "{name}");
                timeless(outcome)
            };
            let steady = run(0);
            for pace in 1..4 {
                assert_eq!(run(pace), steady, "{name}, {threads} streams, pace {pace}");
            }
        }
    }
}
