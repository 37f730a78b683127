//! Bounds while a search runs: they hold, they come closer, and they prove.

use crate::common::{Bag, Fenced, assert_same, method, methods, recorded, run_and_save, timeless, without_time};
use soloist::run::{Control, Improvement, Observer, Progress, Solution, StopReason, gap};
use soloist::search::parameters::Table;
use soloist::{Budget, Problem, Rng, Sense, Solver};
use std::time::Duration;

/// Every bound that a run has reported.
#[derive(Default)]
struct Told(Vec<Option<f64>>);

impl<M> Observer<M> for Told {
    fn improved(&mut self, _: &Improvement, _: &Solution<M>, progress: &Progress) {
        self.0.push(progress.bound);
    }
    fn progress(&mut self, progress: &Progress) {
        self.0.push(progress.bound);
    }
}

#[test]
fn bounds_hold_and_come_closer() {
    for bag in [Bag::sixteen(), Bag::sixteen().mirrored()] {
        let optimum = if bag.sense == Sense::Maximize { bag.optimum() } else { -bag.optimum() };
        let (sense, problem) = (bag.sense, Fenced::new(bag));
        for method in methods() {
            let budget = Budget { nodes: Some(400), ..Budget::playouts(150) };
            let mut session = Solver::new(&problem, method.clone()).seed(2).start().unwrap();
            let mut told = Told::default();
            let first = session.outcome().bound.unwrap();
            for _ in 0..4 {
                let observer: Option<&mut dyn Observer<u8>> = Some(&mut told);
                let control = Control { observer, interval: Duration::ZERO, ..Control::default() };
                session.advance_with(&budget, control).unwrap();
            }
            let last = session.outcome();
            told.0.push(last.bound);
            let mut before = first;
            for bound in told.0 {
                let bound = bound.unwrap();
                assert!(!sense.better_value(optimum, bound), "{bound} excludes the optimum: {method:?}");
                assert!(!sense.better_value(bound, before) || last.optimal, "{bound} after {before}: {method:?}");
                before = bound;
            }
            if last.optimal {
                assert_eq!(last.gap(), Some(0.0));
            }
        }
    }
}

#[test]
fn searches_that_exclude_parts_of_the_space_tell_how_much_is_left() {
    let problem = Fenced::new(Bag::twelve());
    for name in ["uct-best", "uct-best-lazy", "dfs", "best-first", "bfs", "ida-star"] {
        let solver = || Solver::new(&problem, method(name, &[]));
        let whole = solver().run().unwrap();
        assert!(whole.optimal && whole.gap() == Some(0.0), "{name}");
        assert_eq!(whole.best.unwrap().score.value(), Some(problem.bag.optimum()));
        let nodes = whole.counters.nodes;
        let bound = |nodes| {
            let budget = Budget { nodes: Some(nodes), ..Budget::default() };
            solver().budget(budget).run().unwrap().bound.unwrap()
        };
        let root = bound(1);
        assert!((nodes / 2..nodes).any(|nodes| bound(nodes) < root), "{name}: {nodes} nodes");
    }
}

#[test]
fn pruned_trees_in_parts_are_the_same_trees() {
    for bag in [Bag::sixteen(), Bag::tight().mirrored()] {
        let problem = Fenced::new(bag);
        for method in methods().into_iter().filter(|method| matches!(method.table(), Table::Uct(_))) {
            // Little memory, so that branches make room.
            let budget = |playouts| Budget { memory: 1 << 17, ..Budget::playouts(playouts) };
            let solver = |playouts| Solver::new(&problem, method.clone()).budget(budget(playouts));
            let (whole, saved) = run_and_save(solver(1_201), "pruned-whole");
            let (_, half) = run_and_save(solver(500), "pruned-half");
            let next = Solver::new(&problem, method.clone()).budget(budget(1_201)).resume(&half).unwrap();
            let (resumed, again) = run_and_save(next, "pruned-resumed");
            assert_eq!(timeless(resumed), timeless(whole), "{method:?}");
            assert_eq!(without_time(&again), without_time(&saved), "{method:?}");
        }
    }
}

#[test]
fn a_pruned_tree_proves_the_optimum() {
    let problem = Fenced::new(Bag::twelve());
    let all = Solver::new(&problem, method("uct-best", &[("prune", "off")])).run().unwrap();
    for (name, settings) in [("uct-best", "auto"), ("uct-best-lazy", "on"), ("uct", "on")] {
        let outcome = Solver::new(&problem, method(name, &[("prune", settings)])).run().unwrap();
        assert_eq!((outcome.stop, outcome.optimal), (StopReason::Exhausted, true));
        assert_eq!(outcome.best.unwrap().score.value(), Some(problem.bag.optimum()));
        assert!(outcome.counters.playouts < all.counters.playouts / 2, "{name}: {}", outcome.counters.playouts);
    }
}

#[test]
fn gaps() {
    assert_eq!((gap(100.0, 104.0), gap(-50.0, -60.0), gap(3.0, 3.0)), (Some(0.04), Some(0.2), Some(0.0)));
    assert_eq!((gap(0.0, 1.0), gap(0.0, 0.0), gap(1.0, f64::INFINITY)), (None, Some(0.0), None));
}

#[test]
fn hopeless_playouts_are_cut_off() {
    for bag in [Bag::sixteen(), Bag::sixteen().mirrored(), Bag::tight()] {
        let problem = Fenced::new(bag);
        let sense = problem.sense();
        let got = recorded(&problem, method("sampling", &[("cutoff", "true")]), 4, 2_000);
        let (mut rng, mut best, mut expected, mut cut) = (Rng::new(4), None, Vec::new(), 0);
        for _ in 0..2_000 {
            let (mut state, mut path) = (problem.root(), Vec::new());
            loop {
                let mut moves = Vec::new();
                problem.moves(&state, &mut moves);
                if moves.is_empty() {
                    if let Some(value) = problem.score(&state).value() {
                        best = Some(best.map_or(value, |best| sense.best_value(best, value)));
                    }
                    expected.push(path);
                    break;
                }
                if best.is_some_and(|best| !sense.better_value(problem.bound(&state).unwrap(), best)) {
                    cut += 1;
                    break;
                }
                let mv = moves[rng.index(moves.len())];
                problem.apply(&mut state, mv);
                path.push(mv);
            }
        }
        assert_same(&got, &expected, "cut-off");
        assert!(cut > 100 && expected.len() > 10, "{cut} cut, {} whole", expected.len());
    }
    // With several solutions kept, the worst of them is what counts.
    let problem = Fenced::new(Bag::sixteen());
    let run = |name| Solver::new(&problem, method(name, &[])).keep(5).budget(Budget::playouts(20_000)).run().unwrap();
    let (cut, whole) = (run("ms"), run("sampling"));
    assert_eq!((cut.kept.len(), cut.counters.playouts), (5, 20_000));
    assert!(cut.kept[4].score.value() >= Some(whole.kept[4].score.value().unwrap() * 0.95));
}

#[test]
fn a_leaf_is_left_alone_when_the_rollout_says_so() {
    let problem = Fenced::new(Bag::twelve());
    for name in ["uct", "uct-best", "uct-best-lazy"] {
        // The root's playout is the only one of its tree, which is no proof.
        let solver = |restarts| Solver::new(&problem, method(name, &[("restarts", restarts)])).rollout("once");
        let outcome = solver("false").run().unwrap();
        assert_eq!((outcome.stop, outcome.optimal, outcome.counters.playouts), (StopReason::Completed, false, 1));
        let outcome = solver("true").budget(Budget::playouts(50)).run().unwrap();
        assert_eq!((outcome.stop, outcome.optimal, outcome.counters.nodes), (StopReason::Playouts, false, 50));
        // With an own playout only after its first child, the root stays open until all children are spent.
        let later = method(name, &[("threshold", "0"), ("restarts", "false"), ("prune", "off")]);
        let outcome = Solver::new(&problem, later).rollout("once").run().unwrap();
        assert_eq!((outcome.stop, outcome.counters.playouts), (StopReason::Completed, 12));
    }
}
