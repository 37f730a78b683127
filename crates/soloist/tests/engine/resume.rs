//! Runs in parts equal runs in one go; damaged checkpoints are errors.

use crate::common::{Bag, NEVER, Recorded, games, method, methods, run_and_save, scratch, timeless, without_time};
use soloist::doc::Staircase;
use soloist::problem::{Acceptance, Edits, Neighborhood};
use soloist::run::{CheckpointError, RunInfo, SavedRun, SolveError, StopReason};
use soloist::{Budget, Method, Problem, Score, Solver};
use soloist_testdata::resealed;
use std::time::Duration;

/// One run of `2 * half` playouts against two of `half`, joined by a checkpoint.
fn compare<P: Problem>(problem: P, method: &Method, rollout: &str, threads: usize, half: u64)
where
    P::Move: PartialEq,
{
    let what = format!("{method:?}, rollout {rollout}, {threads} streams, {half} playouts");
    let problem = Recorded::new(problem);
    let plan = games(2 * half);
    let start = || Solver::new(&problem, method.clone()).without_replays().seed(9).threads(threads).plan(plan.clone());
    // The wrapper offers the playouts of the problem inside under its own names only.
    let solver = |budget| start().budget(games(budget)).rollout(rollout);
    let (whole, whole_saved) = run_and_save(solver(2 * half), "whole");
    let mut whole_log = problem.take();
    let (_, saved) = run_and_save(solver(half), "half");
    let mut log = problem.take();
    // Method, seed, rollout and threads come from the checkpoint.
    let other = Solver::new(&problem, Method::preset("sampling").unwrap()).seed(77).without_replays();
    let other = other.budget(games(2 * half));
    // Restoring scores the solutions of the checkpoint again.
    let again = Solver::new(&problem, Method::preset("sampling").unwrap()).resume(&saved).unwrap();
    drop(again.without_replays().start().unwrap());
    let restoring = problem.take();
    let (resumed, resumed_saved) = run_and_save(other.resume(&saved).unwrap(), "resumed");
    let rest = problem.take();
    assert!(rest.starts_with(&restoring), "other playouts: {what}");
    log.extend_from_slice(&rest[restoring.len()..]);
    if threads > 1 {
        // Streams write to one log as they are scheduled.
        let key = |moves: &Vec<P::Move>| soloist::problem::stable_hash(moves);
        whole_log.sort_by_key(key);
        log.sort_by_key(key);
    }
    assert!(log == whole_log, "other playouts: {what}");
    assert_eq!(timeless(resumed), timeless(whole), "{what}");
    let ((info, rest), (whole_info, whole_rest)) = (without_time(&resumed_saved), without_time(&whole_saved));
    assert_eq!(info, whole_info, "{what}");
    assert!(rest == whole_rest, "the checkpoints differ: {what}");
}

#[test]
fn two_halves_make_a_whole() {
    for method in methods() {
        compare(Staircase(14), &method, "random", 1, 500);
        // Odd numbers stop within nested levels and expansions.
        compare(Bag::sixteen(), &method, "random", 1, 500);
        compare(Bag::tight(), &method, "random", 1, 377);
        compare(Bag::tight().mirrored(), &method, "random", 3, 501);
    }
}

/// A single game, move by move: its tree is the one of the state that the moves have led to, at the end as well.
#[test]
fn games_without_restarts_are_saved() {
    for settings in [&[][..], &[("transpositions", "true")], &[("keep_tree", "false")]] {
        let mut method = Method::preset("sp-mcts-move").unwrap();
        for (name, value) in [("restarts", "false"), ("move_playouts", "3")].iter().chain(settings) {
            method.set(name, value).unwrap();
        }
        for half in [5, 20, 200] {
            compare(Bag::sixteen(), &method, "random", 1, half);
        }
    }
}

/// As `compare`, on the plain problem, for rollouts of its own.
#[test]
fn learning_rollouts_are_saved() {
    let bag = Bag::tight();
    for method in methods() {
        let start = || Solver::new(&bag, method.clone()).rollout("learner").plan(games(801));
        let solver = |budget| start().budget(games(budget));
        let (whole, whole_saved) = run_and_save(solver(801), "learner-whole");
        let (_, saved) = run_and_save(solver(400), "learner-half");
        let next = Solver::new(&bag, method.clone()).budget(games(801)).resume(&saved).unwrap();
        let (resumed, resumed_saved) = run_and_save(next, "learner-resumed");
        assert_eq!(timeless(resumed), timeless(whole), "{method:?}");
        assert_eq!(without_time(&resumed_saved), without_time(&whole_saved), "{method:?}");
    }
}

/// Sides of ten coins, as a neighbourhood without temperatures of its own turns them.
struct Coins;

impl Problem for Coins {
    type State = Vec<bool>;
    type Move = bool;
    fn root(&self) -> Vec<bool> {
        Vec::new()
    }
    fn moves(&self, sides: &Vec<bool>, moves: &mut Vec<bool>) {
        if sides.len() < 10 {
            moves.extend([false, true]);
        }
    }
    fn apply(&self, sides: &mut Vec<bool>, side: bool) {
        sides.push(side);
    }
    fn score(&self, sides: &Vec<bool>) -> Score {
        Score::Feasible((0..10).map(|at| worth(sides, at)).sum())
    }
    fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
        Some(Box::<Turns>::default())
    }
}

/// What a coin brings: the one behind it counts too.
fn worth(sides: &[bool], at: usize) -> f64 {
    let next = sides[(at + 1) % 10];
    if sides[at] == next { -1.5 } else { f64::from(at as u32) / 3.0 }
}

#[derive(Default)]
struct Turns {
    sides: Vec<bool>,
    at: usize,
}

impl Turns {
    fn cost(&self) -> f64 {
        -(0..10).map(|at| worth(&self.sides, at)).sum::<f64>()
    }
}

impl Edits<Coins> for Turns {
    fn propose(&mut self, _: &Coins, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        let before = self.cost();
        self.at = acceptance.rng.below(10) as usize;
        self.sides[self.at] ^= true;
        let change = self.cost() - before;
        self.sides[self.at] ^= true;
        Some(change)
    }
    fn accept(&mut self, _: &Coins) {
        self.sides[self.at] ^= true;
    }
    fn reject(&mut self, _: &Coins) {}
}

impl Neighborhood<Coins> for Turns {
    fn start(&mut self, _: &Coins, moves: &[bool]) -> bool {
        self.sides = moves.to_vec();
        true
    }
    fn cost(&self, _: &Coins) -> f64 {
        self.cost()
    }
    fn moves(&self, _: &Coins, moves: &mut Vec<bool>) {
        moves.extend(&self.sides);
    }
}

/// Replays of assignments have other temperatures than neighbourhoods: a run that is resumed keeps its own.
#[test]
fn temperatures_of_neighbourhoods_are_kept() {
    for local in ["true", "false"] {
        let method = method("anneal", &[("local", local), ("runs", "2")]);
        let start = || Solver::new(&Coins, method.clone()).plan(games(900));
        let solver = |budget| start().budget(games(budget));
        let (whole, whole_saved) = run_and_save(solver(900), "coins-whole");
        for part in [1, 40, 300, 500] {
            let (_, saved) = run_and_save(solver(part), "coins-part");
            let (resumed, resumed_saved) = run_and_save(solver(900).resume(&saved).unwrap(), "coins-resumed");
            assert_eq!(timeless(resumed), timeless(whole.clone()), "{local} {part}");
            assert_eq!(without_time(&resumed_saved), without_time(&whole_saved), "{local} {part}");
        }
    }
}

/// Wherever a run is cut, inside a turn or between two levels, the population is the same: also where there are more
/// turns than neighbours.
#[test]
fn populations_are_saved() {
    for (local, size) in [("true", "5"), ("false", "5"), ("true", "400"), ("false", "400")] {
        let method = method("anneal", &[("local", local), ("population", size), ("levels", "7")]);
        let start = || Solver::new(&Coins, method.clone()).plan(games(900));
        let solver = |budget| start().budget(games(budget));
        let (whole, whole_saved) = run_and_save(solver(900), "population-whole");
        for part in [1, 40, 60, 151, 300, 301, 333, 500, 674, 676, 700] {
            let (_, saved) = run_and_save(solver(part), "population-part");
            let (resumed, resumed_saved) = run_and_save(solver(900).resume(&saved).unwrap(), "population-resumed");
            assert_eq!(timeless(resumed), timeless(whole.clone()), "{local} {size} {part}");
            assert_eq!(without_time(&resumed_saved), without_time(&whole_saved), "{local} {size} {part}");
        }
    }
}

/// Each entrant has a rollout that learns by itself.
#[test]
fn rollouts_of_entrants_are_saved() {
    let bag = Bag::tight();
    let entries = "nrpa(level=2 rollout=learner),anneal,uct(rollout=learner),sampling(rollout=learner),beam(width=3)";
    for (name, value, polish) in [("race_part", "0.9", "0"), ("first", "700", "0"), ("race_part", "0.4", "0.5")] {
        let method = method("auto", &[("methods", entries), (name, value), ("polish", polish)]);
        let start = || Solver::new(&bag, method.clone()).plan(games(801));
        let solver = |budget| start().budget(games(budget));
        let (whole, whole_saved) = run_and_save(solver(801), "entrants-whole");
        for part in [3, 100, 400, 600] {
            let (_, saved) = run_and_save(solver(part), "entrants-part");
            let next = start().budget(games(801)).resume(&saved).unwrap();
            let (resumed, resumed_saved) = run_and_save(next, "entrants-resumed");
            assert_eq!(timeless(resumed), timeless(whole.clone()), "{part}");
            assert_eq!(without_time(&resumed_saved), without_time(&whole_saved), "{part}");
        }
    }
}

#[test]
fn many_small_parts_make_a_whole() {
    let bag = Bag::sixteen();
    for method in methods() {
        let (_, whole) = run_and_save(Solver::new(&bag, method.clone()).budget(games(300)), "parts-whole");
        let start = || Solver::new(&bag, method.clone()).plan(games(300));
        let (_, mut saved) = run_and_save(start().budget(games(1)), "parts");
        for playouts in (7..300).step_by(31).chain([300]) {
            let next = start().budget(games(playouts)).resume(&saved).unwrap();
            saved = run_and_save(next, "parts").1;
        }
        assert_eq!(without_time(&saved), without_time(&whole), "{method:?}");
    }
}

#[test]
fn the_interval_of_checkpoints_changes_nothing() {
    let bag = Bag::sixteen();
    let path = scratch("interval");
    for method in methods() {
        // A breadth-first search visits thousands of nodes before its first solution: it gets as far as it does.
        let budget = Budget { nodes: Some(60), ..games(30) };
        let solver = || Solver::new(&bag, method.clone()).budget(budget.clone()).threads(2);
        // The shortest interval: a file after every step.
        let often = solver().checkpoint(&path, Duration::ZERO).run().unwrap();
        let often_saved = std::fs::read(&path).unwrap();
        let (once, once_saved) = run_and_save(solver(), "interval-once");
        assert_eq!(timeless(often), timeless(once), "{method:?}");
        assert_eq!(without_time(&often_saved), without_time(&once_saved));
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_finished_run_stays_finished() {
    let bag = Bag::sixteen();
    let method = method("nmcs", &[("level", "1"), ("restarts", "false")]);
    let (first, saved) = run_and_save(Solver::new(&bag, method.clone()), "finished");
    assert_eq!(first.stop, StopReason::Completed);
    let whole = SavedRun::read(&bag, &saved).unwrap();
    assert_eq!((whole.keep, whole.ended), (1, Some(StopReason::Completed)));
    assert_eq!(whole.info, RunInfo::read(&bag, &saved).unwrap());
    let again = Solver::new(&bag, method).resume(&saved).unwrap().run().unwrap();
    assert_eq!(timeless(again), timeless(first));
}

#[test]
fn a_met_limit_can_be_raised() {
    let bag = Bag::sixteen();
    let solver = |budget| Solver::new(&bag, Method::preset("sampling").unwrap()).budget(budget);
    let target = Budget { target: Some(300.0), ..Budget::default() };
    let (first, saved) = run_and_save(solver(target).keep(3), "raised");
    assert_eq!(first.stop, StopReason::Target);
    let whole = SavedRun::read(&bag, &saved).unwrap();
    assert_eq!((whole.keep, whole.ended), (3, None));
    assert_eq!(RunInfo::read(&bag, &saved).unwrap().counters, first.counters);
    let next = solver(games(5_000)).resume(&saved).unwrap().run().unwrap();
    assert_eq!((next.stop, next.counters.playouts), (StopReason::Playouts, 5_000));
    // A limit below what was done stops at once and loses nothing.
    let back = solver(games(1)).resume(&saved).unwrap().run().unwrap();
    assert_eq!((back.stop, back.counters, back.best), (StopReason::Playouts, first.counters, first.best));
}

/// Every `stride`-th byte of a checkpoint; fewer in the middle of the large ones that lists of open states make.
fn places(length: usize, stride: usize) -> impl Iterator<Item = usize> {
    let stride = stride.max(length / 500);
    (0..length).filter(move |&at| at < 64 || at % stride == 0 || at + 8 > length)
}

#[test]
fn truncated_checkpoints_are_errors() {
    let bag = Bag::sixteen();
    for method in methods() {
        let start = Solver::new(&bag, method.clone()).budget(games(40)).threads(2);
        let (_, saved) = run_and_save(start, "truncated");
        for length in places(saved.len(), 1) {
            let error = Solver::new(&bag, method.clone()).resume(&saved[..length]).unwrap_err();
            let expected = if length == 0 {
                matches!(error, CheckpointError::Foreign)
            } else {
                matches!(error, CheckpointError::Truncated { found, .. } if found == length)
            };
            assert!(expected, "{length} bytes: {error}");
        }
        let longer = [&saved[..], &[0]].concat();
        assert!(matches!(Solver::new(&bag, method).resume(&longer).unwrap_err(), CheckpointError::Corrupt(_)));
    }
}

#[test]
fn changed_checkpoints_are_errors() {
    let bag = Bag::sixteen();
    for method in methods() {
        let start = Solver::new(&bag, method.clone()).budget(games(150));
        let (_, saved) = run_and_save(start, "changed");
        // Every byte of the header and every 7th of the rest.
        for at in places(saved.len(), 7) {
            for flip in [1, 0x80, 0xff] {
                let mut bytes = saved.clone();
                bytes[at] ^= flip;
                assert!(Solver::new(&bag, method.clone()).resume(&bytes).is_err(), "byte {at} changed by {flip}");
            }
        }
    }
}

/// Damage that the checksum does not see because it was computed afterwards: an error or a run that goes on, but no
/// panic, neither while reading nor in the steps that follow.
#[test]
fn resealed_checkpoints_do_not_panic() {
    let stairs = Staircase(14);
    let mut stepped = 0;
    for method in methods() {
        let start = Solver::new(&stairs, method.clone()).budget(Budget { memory: 1 << 22, ..games(60) });
        let (outcome, saved) = run_and_save(start, "resealed");
        // A few steps, whatever the counters say now; a changed search may take long for one.
        let further = Budget { nodes: Some(200), time: Some(Duration::from_millis(100)), ..games(40) };
        for at in places(saved.len(), 1).filter(|&at| (28..saved.len() - 4).contains(&at)) {
            for flip in [1, 0x7f, 0x80] {
                let bytes = resealed(&saved, at, flip);
                let Ok(solver) = Solver::new(&stairs, method.clone()).resume(&bytes) else { continue };
                if solver.setup().threads != 1 {
                    continue;
                }
                let solver = solver.budget(Budget { memory: 1 << 22, ..Budget::default() });
                let run = || {
                    let mut session = solver.start()?;
                    session.advance(&further)
                };
                match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
                    Ok(result) => stepped += usize::from(result.is_ok()),
                    Err(_) => panic!("byte {at} of {} changed by {flip}: {method:?}", saved.len()),
                }
            }
        }
        assert!(outcome.best.is_some());
    }
    assert!(stepped > 1_000, "{stepped} runs went on");
}

#[test]
fn checkpoints_of_other_instances_are_refused() {
    let bag = Bag::sixteen();
    let method = Method::preset("uct").unwrap();
    let (_, saved) = run_and_save(Solver::new(&bag, method.clone()).budget(games(50)), "other");
    let mut other = bag.clone();
    other.items[3].0 += 1;
    for other in [other, bag.clone().mirrored(), Bag { capacity: 199, ..bag.clone() }] {
        let error = Solver::new(&other, method.clone()).resume(&saved).unwrap_err();
        assert!(matches!(error, CheckpointError::OtherProblem), "{error}");
    }
    let error = Solver::new(&bag, method.clone()).resume(b"not a checkpoint at all, but long enough").unwrap_err();
    assert!(matches!(error, CheckpointError::Foreign), "{error}");
    let mut newer = saved;
    newer[8] = 200;
    let error = Solver::new(&bag, method).resume(&newer).unwrap_err();
    assert!(matches!(error, CheckpointError::Version { found: 200 }), "{error}");
}

#[test]
fn unwritable_checkpoints_are_found_before_the_search() {
    let bag = Bag::sixteen();
    let path = scratch("no-such-folder").join("file");
    // Without the early error this run would never end.
    let error = Solver::new(&bag, Method::preset("uct").unwrap()).checkpoint(path, NEVER).run().unwrap_err();
    assert!(matches!(error, SolveError::Checkpoint(CheckpointError::Write(_))), "{error}");
}
