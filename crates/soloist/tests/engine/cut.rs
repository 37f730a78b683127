//! Limits that bind inside a step: the first signal, and games without end. No test measures time: where a limit did
//! not bind, the test would not end.

use crate::common::{games, method};
use soloist::problem::{Extras, Facts, Fault};
use soloist::rollout::{NamedRollout, Playout, Rollout};
use soloist::run::{Control, SolveError, StopReason};
use soloist::{Budget, Problem, Rng, Score, Solver, check};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A game without end, which gives a signal after a thousand moves to whoever asks for it.
#[derive(Default)]
struct Endless(AtomicBool);

impl Problem for Endless {
    type State = u64;
    type Move = u8;
    fn root(&self) -> u64 {
        0
    }
    fn moves(&self, _: &u64, moves: &mut Vec<u8>) {
        moves.push(0);
    }
    fn apply(&self, state: &mut u64, _: u8) {
        *state += 1;
        if *state == 1_000 {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    fn score(&self, _: &u64) -> Score {
        panic!("no state is finished");
    }
    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Endless {
    /// The default one would play on.
    fn fingerprint(&self) -> Option<u64> {
        Some(1)
    }
}

#[test]
fn games_without_end_are_an_error() {
    let names = [
        "sampling",
        "uct",
        "uct-best",
        "nmcs",
        "nrpa",
        "gnrpa",
        "anneal",
        "beam",
        "cabs",
        "dfs",
        "best-first",
        "bfs",
        "ida-star",
        "iterative-broadening",
        "auto",
    ];
    for name in names {
        let budget = Budget { max_moves: 3_000, ..Budget::default() };
        let error = Solver::new(&Endless::default(), method(name, &[])).budget(budget).run().unwrap_err();
        assert!(matches!(error, SolveError::Endless(3_000)), "{name}: {error}");
        assert!(error.to_string().contains("max_moves"), "{error}");
    }
    let violation = check(&Endless::default(), 1, 1).unwrap_err();
    assert!(violation.to_string().contains("do the moves ever end"), "{violation}");
}

/// After the move 0 a short game, after the move 1 one without end, which gives a signal.
struct Trap {
    stop: AtomicBool,
}

impl Problem for Trap {
    type State = (u8, u32);
    type Move = u8;
    fn root(&self) -> (u8, u32) {
        (9, 0)
    }
    fn moves(&self, &(way, length): &(u8, u32), moves: &mut Vec<u8>) {
        match (way, length) {
            (9, _) => moves.extend([0, 1]),
            (0, 5) => {}
            _ => moves.push(way),
        }
    }
    fn apply(&self, state: &mut (u8, u32), mv: u8) {
        *state = (mv, state.1.wrapping_add(1));
        if state.1 == 1_000 {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
    fn score(&self, state: &(u8, u32)) -> Score {
        assert_eq!(*state, (0, 5), "only finished states are scored");
        Score::Feasible(1.0)
    }
    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Trap {
    /// The default one would walk into the trap.
    fn fingerprint(&self) -> Option<u64> {
        Some(1)
    }
}

/// The best solution before stays, and so does the checkpoint.
#[test]
fn a_signal_ends_a_playout_without_end() {
    for name in ["sampling", "nrpa", "nmcs", "uct"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("run.ckpt");
        // A seed whose first game is the short one.
        let seed = (0..64)
            .find(|&seed| {
                let trap = Trap { stop: AtomicBool::new(false) };
                let solver = Solver::new(&trap, method(name, &[])).seed(seed);
                let first = Budget { max_moves: 2_000, ..games(1) };
                solver.budget(first).run().is_ok()
            })
            .unwrap();
        let trap = Trap { stop: AtomicBool::new(false) };
        // The record of the playout must not reach the limit of memory before the signal is seen.
        let budget = Budget { max_moves: u64::MAX, memory: 1 << 40, ..Budget::default() };
        let solver = Solver::new(&trap, method(name, &[])).seed(seed).budget(budget).stop_flag(&trap.stop);
        let outcome = solver.checkpoint(&file, std::time::Duration::from_secs(3_600)).run().unwrap();
        assert_eq!(outcome.stop, StopReason::Interrupted, "{name}");
        assert_eq!(outcome.best.unwrap().moves, [0; 5], "{name}");
        assert!(!outcome.optimal && outcome.remarks.iter().any(|line| line.contains("abandoned")), "{name}");
        assert!(outcome.unsaved.is_some_and(|line| line.contains("inside a step")), "{name}");
        // What was written before is still a whole run.
        let bytes = std::fs::read(&file).unwrap();
        let session = Solver::new(&trap, method(name, &[])).resume(&bytes).unwrap().start().unwrap();
        assert_eq!(session.counters().playouts, 0, "{name}");
    }
}

/// There is no best solution that could stand.
#[test]
fn a_game_without_end_is_named_where_nothing_was_found() {
    for name in ["sampling", "nrpa", "nmcs", "uct", "anneal", "dfs"] {
        let never = Endless::default();
        let budget = Budget { max_moves: u64::MAX, memory: 1 << 40, ..Budget::default() };
        let solver = Solver::new(&never, method(name, &[])).budget(budget).stop_flag(&never.0);
        let outcome = solver.run().unwrap();
        assert!(outcome.stop == StopReason::Interrupted && outcome.best.is_none(), "{name}");
        let said = outcome.remarks.join("\n");
        assert!(!said.contains("stands") && said.contains("no game has ended: one was at move "), "{name}: {said}");
        let at: u64 = said.split("at move ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!(at >= 1_000 && said.contains("do moves ever end?"), "{name}: {said}");
    }
}

/// After the move 0 a short game. After the first score the move 1 gives a signal, and does not return before the run
/// asks for it. It does so once: results are played again with moves aside.
struct Stuck {
    is_armed: AtomicBool,
    is_new: AtomicBool,
    stop: AtomicBool,
    fault: Fault,
}

impl Stuck {
    fn new(is_trap: bool) -> Self {
        let (is_armed, is_new) = (AtomicBool::new(false), AtomicBool::new(is_trap));
        Self { is_armed, is_new, stop: AtomicBool::new(false), fault: Fault::default() }
    }
}

impl Problem for Stuck {
    type State = (u8, u32);
    type Move = u8;
    fn root(&self) -> (u8, u32) {
        (9, 0)
    }
    fn moves(&self, &(way, length): &(u8, u32), moves: &mut Vec<u8>) {
        match length {
            // What is returned now must not count.
            _ if self.fault.is_raised() => {}
            0 => moves.extend([0, 1]),
            1..5 => moves.push(way),
            _ => {}
        }
    }
    fn apply(&self, state: &mut (u8, u32), mv: u8) {
        *state = (mv, state.1 + 1);
        if mv == 1 && self.is_armed.swap(false, Ordering::Relaxed) {
            self.stop.store(true, Ordering::Relaxed);
            while !self.fault.is_raised() {
                std::thread::yield_now();
            }
        }
    }
    fn score(&self, state: &(u8, u32)) -> Score {
        if self.is_new.swap(false, Ordering::Relaxed) {
            self.is_armed.store(true, Ordering::Relaxed);
        }
        Score::Feasible(f64::from(state.0) + f64::from(state.1))
    }

    fn facts(&self) -> Facts {
        Facts { fault: Some(self.fault.clone()), ..Facts::default() }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Stuck {
    /// The default one would walk into the trap.
    fn fingerprint(&self) -> Option<u64> {
        Some(1)
    }
}

/// Calls that take long are asked to return by the fault of the problem; what they return does not count.
#[test]
fn a_signal_ends_a_call_that_takes_long() {
    for name in ["sampling", "nrpa", "nmcs", "uct", "anneal", "beam", "dfs"] {
        let seed = (0..64)
            .find(|&seed| {
                let solver = |problem| Solver::new(problem, method(name, &[])).seed(seed).budget(games(1));
                solver(&Stuck::new(false)).run().unwrap().best.is_some_and(|best| best.moves == [0; 5])
            })
            .unwrap();
        let stuck = Stuck::new(true);
        let solver = Solver::new(&stuck, method(name, &[])).seed(seed);
        let outcome = solver.stop_flag(&stuck.stop).run().unwrap();
        assert_eq!((outcome.stop, outcome.optimal), (StopReason::Interrupted, false), "{name}");
        assert_eq!(outcome.best.unwrap().moves, [0; 5], "{name}");
        assert!(outcome.remarks.iter().any(|line| line.contains("abandoned")), "{name}");
        assert!(!stuck.fault.is_raised(), "{name}: the problem can be used again");
    }
}

/// A problem whose rollout works until it is asked to end.
struct Patient {
    stop: AtomicBool,
}

struct Long;

impl Rollout<Patient> for Long {
    fn run(&mut self, problem: &Patient, state: &mut u8, playout: &mut Playout<u8>, _: &mut Rng) {
        problem.stop.store(true, Ordering::Relaxed);
        while !playout.is_cut() {
            std::thread::yield_now();
        }
        while *state < 3 {
            problem.apply(state, 7);
            playout.moves.push(7);
        }
    }
}

impl Problem for Patient {
    type State = u8;
    type Move = u8;
    fn root(&self) -> u8 {
        0
    }
    fn moves(&self, state: &u8, moves: &mut Vec<u8>) {
        moves.extend((*state < 3).then_some(7));
    }
    fn apply(&self, state: &mut u8, _: u8) {
        *state += 1;
    }
    fn score(&self, state: &u8) -> Score {
        Score::Feasible(f64::from(*state))
    }
    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Patient {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        vec![NamedRollout::new("long", "works until it is told to end", |_| Box::new(Long))]
    }
}

#[test]
fn a_rollout_that_works_long_ends_early_with_its_best() {
    let patient = Patient { stop: AtomicBool::new(false) };
    let outcome = Solver::new(&patient, method("sampling", &[])).stop_flag(&patient.stop).run().unwrap();
    assert_eq!((outcome.stop, outcome.counters.playouts), (StopReason::Interrupted, 1));
    assert_eq!(outcome.best.unwrap().moves, [7; 3]);
    assert!(outcome.remarks.iter().any(|line| line.contains("cut short")), "{:?}", outcome.remarks);
    // A session abandons nothing: it continues, and can be saved.
    let mut session = Solver::new(&patient, method("sampling", &[])).start().unwrap();
    for count in 1..=2 {
        patient.stop.store(false, Ordering::Relaxed);
        let control = Control { stop: Some(&patient.stop), ..Control::default() };
        let stop = session.advance_with(&Budget::default(), control).unwrap();
        assert_eq!((stop, session.counters().playouts), (StopReason::Interrupted, count));
    }
    let again = Solver::new(&patient, method("sampling", &[])).resume(&session.save()).unwrap().start().unwrap();
    assert_eq!(again.counters().playouts, 2);
}

/// Long games; annealing plays parts of them again without listing moves. At one of its moves it gives a signal, and
/// then it is slow.
struct Lengthy {
    at: u64,
    stop: AtomicBool,
    applied: AtomicU64,
    /// Moves since the last list, after the signal, and the most of them.
    unlisted: AtomicU64,
    most: AtomicU64,
}

impl Lengthy {
    const MOVES: u32 = 20_000;

    fn new(at: u64) -> Self {
        let [applied, unlisted, most] = [0, 0, 0].map(AtomicU64::new);
        Self { at, stop: AtomicBool::new(false), applied, unlisted, most }
    }
}

impl Problem for Lengthy {
    type State = (u32, u32);
    type Move = bool;
    fn root(&self) -> (u32, u32) {
        (0, 0)
    }
    fn moves(&self, state: &(u32, u32), moves: &mut Vec<bool>) {
        self.unlisted.store(0, Ordering::Relaxed);
        if state.0 < Self::MOVES {
            moves.extend([false, true]);
        }
    }
    fn apply(&self, state: &mut (u32, u32), mv: bool) {
        *state = (state.0 + 1, state.1 + u32::from(mv));
        if self.applied.fetch_add(1, Ordering::Relaxed) + 1 == self.at {
            self.stop.store(true, Ordering::Relaxed);
        }
        if self.stop.load(Ordering::Relaxed) {
            let unlisted = self.unlisted.fetch_add(1, Ordering::Relaxed) + 1;
            self.most.fetch_max(unlisted, Ordering::Relaxed);
            if (2..1_000).contains(&unlisted) {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        }
    }
    fn score(&self, state: &(u32, u32)) -> Score {
        Score::Feasible(f64::from(state.1))
    }
    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Lengthy {
    /// The default one would play games.
    fn fingerprint(&self) -> Option<u64> {
        Some(1)
    }
}

#[test]
fn a_signal_ends_the_replays_of_annealing() {
    // In the first game's replay, and in replays of edited games.
    for (at, within) in [(25_000, 19_000), (45_000, 19_000), (60_000, 19_000)] {
        let lengthy = Lengthy::new(at);
        let solver = Solver::new(&lengthy, method("anneal", &[])).seed(1).stop_flag(&lengthy.stop);
        let outcome = solver.run().unwrap();
        assert_eq!((outcome.stop, outcome.best.unwrap().moves.len()), (StopReason::Interrupted, 20_000));
        let most = lengthy.most.load(Ordering::Relaxed);
        assert!(most < within, "{at}: {most} moves after the signal");
    }
}

/// A game with many moves at each step: the record of a playout is large.
struct Wide;

impl Problem for Wide {
    type State = (u32, u32);
    type Move = u32;
    fn root(&self) -> (u32, u32) {
        (0, 0)
    }
    fn moves(&self, state: &(u32, u32), moves: &mut Vec<u32>) {
        if state.0 < 50 {
            moves.extend(0..2_000);
        }
    }
    fn apply(&self, state: &mut (u32, u32), mv: u32) {
        *state = (state.0 + 1, state.1 + mv % 7);
    }
    fn score(&self, state: &(u32, u32)) -> Score {
        Score::Feasible(f64::from(state.1))
    }
}

#[test]
fn the_record_of_a_playout_keeps_to_the_memory_limit() {
    let budget = |memory| Budget { memory, ..games(100) };
    let solver = |name| Solver::new(&Wide, method(name, &[])).seed(1);
    for name in ["nrpa", "hd-nrpa", "gnrpa"] {
        let error = solver(name).budget(budget(1 << 20)).run().unwrap_err();
        let SolveError::Memory { needed, allowed } = error else { panic!("{name}: {error}") };
        assert!(needed > allowed && allowed <= 1 << 20, "{name}: {needed} of {allowed}");
        // What it names is a lower bound.
        assert!(solver(name).budget(budget(256 << 20)).run().unwrap().best.is_some(), "{name}");
        // Where there is a solution the method ends, and the solution stays.
        let outcome = solver(name).budget(budget(1 << 20)).offer(&[3; 50]).run().unwrap();
        assert_eq!(outcome.stop, StopReason::Completed, "{name}");
        assert_eq!(outcome.best.unwrap().moves, [3; 50], "{name}");
        assert!(outcome.remarks.iter().any(|line| line.contains("record of a playout")), "{:?}", outcome.remarks);
    }
    // Other methods race on.
    let race = method("auto", &[("methods", "nrpa,sampling")]);
    let outcome = Solver::new(&Wide, race).seed(1).budget(budget(4 << 20)).run().unwrap();
    assert_eq!((outcome.stop, outcome.counters.playouts), (StopReason::Playouts, 100));
}
