//! Beams on several threads: one search, the same one for any number of threads.

use crate::beam::Layers;
use crate::common::{method, rules_of, timeless};
use crate::future::{At, Grid, Tell, grid};
use soloist::problem::{Dominance, Key};
use soloist::{Budget, Method, Outcome, Problem, Sense, Setup, Solver};
use std::collections::HashSet;
use std::sync::{Condvar, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

/// A grid with a bound that costs little: what is left is taken as free.
#[derive(Clone, Debug)]
struct Wide(Grid);

impl Problem for Wide {
    rules_of!(Grid);
    fn bound(&self, at: &At) -> Option<f64> {
        Some(if self.0.sense == Sense::Minimize { at.sum as f64 } else { -at.sum as f64 })
    }
    fn key(&self, at: &At) -> Option<Key> {
        self.0.key(at)
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        (self.0.tell == Tell::Futures).then_some(self as &dyn Dominance<Self>)
    }
}

impl Dominance<Wide> for Wide {
    fn future(&self, at: &At) -> (Key, f64) {
        self.0.future(at)
    }
    fn resources(&self, at: &At, resources: &mut Vec<f64>) {
        self.0.resources(at, resources);
    }
}

fn wide(seed: u64, tell: Tell) -> Wide {
    Wide(Grid { nodes: 60, depth: 24, limit: 30, tell, ..grid(seed) })
}

fn solve<P: Problem>(problem: &P, method: &Method, threads: usize, budget: &Budget) -> Outcome<P::Move> {
    let solver = Solver::new(problem, method.clone()).seed(7).threads(threads).budget(budget.clone());
    timeless(solver.run().unwrap())
}

const SETTINGS: [(&str, &[(&str, &str)]); 8] = [
    ("cabs", &[]),
    ("cabs", &[("tie", "chance"), ("width", "50")]),
    ("cabs", &[("merit", "potential"), ("noise", "3")]),
    ("beam", &[("width", "300")]),
    ("beam", &[("width", "300"), ("noise", "2"), ("merge", "false")]),
    ("beam", &[("width", "200"), ("tie", "policy"), ("merit", "none")]),
    ("beam", &[("width", "100"), ("split", "1"), ("prune", "true")]),
    ("beam", &[("width", "300"), ("merit", "bound"), ("restarts", "false")]),
];

/// Whether results, counters, history and bounds of one thread are those of several, wherever a limit ends the run.
fn compare<P: Problem>(problem: &P, what: &str)
where
    P::Move: PartialEq,
{
    for (name, settings) in SETTINGS {
        let method = method(name, settings);
        for budget in
            [Budget::nodes(700), Budget::nodes(20_000), Budget { playouts: Some(90), ..Budget::nodes(20_000) }]
        {
            let alone = solve(problem, &method, 1, &budget);
            for threads in [2, 3, 9] {
                let together = solve(problem, &method, threads, &budget);
                assert_eq!(together, alone, "{name} {settings:?}, {threads} threads, {budget:?}, {what}");
            }
        }
    }
}

#[test]
fn states_that_differ_in_cost_are_merged_alike_on_several_threads() {
    for (seed, tell) in [(1, Tell::Futures), (2, Tell::Futures), (3, Tell::Keys), (5, Tell::Nothing)] {
        compare(&wide(seed, tell), &format!("{tell:?}"));
    }
}

#[test]
fn potentials_rank_alike_on_several_threads() {
    for (sense, keys) in [(Sense::Maximize, true), (Sense::Minimize, false)] {
        compare(&Layers { depth: 20, nodes: 400, sense, keys }, &format!("{sense:?}, keys {keys}"));
    }
}

/// Layers whose potential takes some microseconds, so that threads look up which children need it.
#[derive(Clone, Debug)]
struct Slow(Layers);

impl Problem for Slow {
    rules_of!(Layers);
    fn potential(&self, state: &Self::State) -> Option<f64> {
        let spent = (0..3_000_u64).fold(0, |sum: u64, round| std::hint::black_box(sum.rotate_left(5) ^ round));
        self.0.potential(state).filter(|_| spent > 0)
    }
    fn key(&self, state: &Self::State) -> Option<Key> {
        self.0.key(state)
    }
    fn bound(&self, state: &Self::State) -> Option<f64> {
        self.0.bound(state)
    }
}

#[test]
fn slow_potentials_rank_alike_on_several_threads() {
    let problem = Slow(Layers { depth: 20, nodes: 400, sense: Sense::Maximize, keys: true });
    let budget = Budget::nodes(60_000);
    for (name, settings) in [
        ("beam", &[("width", "400"), ("merit", "bound"), ("tie", "potential")][..]),
        ("beam", &[("width", "250"), ("merit", "none"), ("tie", "potential"), ("noise", "0.5")]),
        ("cabs", &[("prune", "false")]),
    ] {
        let method = method(name, settings);
        let alone = solve(&problem, &method, 1, &budget);
        for threads in [2, 5] {
            assert_eq!(solve(&problem, &method, threads, &budget), alone, "{name} {settings:?}, {threads} threads");
        }
    }
}

/// A target and a run in slices, saved and restored between them, end where the whole run on one thread does.
#[test]
fn slices_on_several_threads_make_a_whole() {
    let problem = wide(2, Tell::Futures);
    for (name, settings) in SETTINGS {
        let setup = Setup::from(method(name, settings)).seed(3);
        let whole = Solver::new(&problem, setup.clone()).budget(Budget::nodes(30_000)).run().unwrap();
        let value = whole.best.as_ref().and_then(|best| best.score.value());
        let budget = Budget { target: value, ..Budget::nodes(30_000) };
        let reached = |threads| {
            let setup = setup.clone().threads(threads);
            timeless(Solver::new(&problem, setup).budget(budget.clone()).run().unwrap())
        };
        assert_eq!(reached(4), reached(1), "{name} {settings:?}");
        let setup = setup.threads(3);
        let start = || Solver::new(&problem, setup.clone()).budget(Budget::nodes(30_000));
        let mut session = start().start().unwrap();
        let mut left = 30_000;
        while left > 0 {
            let slice = 7_000.min(left);
            left -= slice;
            session.advance(&Budget::nodes(slice)).unwrap();
            session = start().resume(&session.save()).unwrap().start().unwrap();
        }
        assert_eq!(timeless(session.outcome()), timeless(whole), "{name} {settings:?}");
    }
}

/// Waits until two threads have listed moves.
#[derive(Debug)]
struct Meeting {
    grid: Grid,
    seen: Mutex<HashSet<ThreadId>>,
    second: Condvar,
}

impl Problem for Meeting {
    type State = At;
    type Move = u32;

    fn root(&self) -> At {
        self.grid.root()
    }
    fn moves(&self, at: &At, moves: &mut Vec<u32>) {
        if at.layer > 12 {
            let mut seen = self.seen.lock().unwrap();
            seen.insert(std::thread::current().id());
            self.second.notify_all();
            let patience = Duration::from_secs(60);
            drop(self.second.wait_timeout_while(seen, patience, |seen| seen.len() < 2).unwrap());
        }
        self.grid.moves(at, moves);
    }
    fn apply(&self, at: &mut At, edge: u32) {
        self.grid.apply(at, edge);
    }
    fn score(&self, at: &At) -> soloist::Score {
        self.grid.score(at)
    }
    fn sense(&self) -> Sense {
        self.grid.sense()
    }
}

#[test]
fn several_threads_work_on_one_layer() {
    let grid = Grid { nodes: 600, depth: 16, limit: 99, tell: Tell::Nothing, ..grid(1) };
    let problem = Meeting { grid, seen: Mutex::default(), second: Condvar::new() };
    let method = method("beam", &[("width", "2000"), ("merit", "none"), ("restarts", "false")]);
    // The first games, which one thread plays, would wait for another one.
    let offered = solve(&problem.grid, &method, 1, &Budget::nodes(100_000)).best.unwrap();
    let setup = Setup::from(method).seed(7).threads(2);
    let mut session = Solver::new(&problem, setup).budget(Budget::nodes(100_000)).start().unwrap();
    problem.seen.lock().unwrap().extend([std::thread::spawn(|| {}).thread().id(), std::thread::current().id()]);
    session.offer(&offered.moves).unwrap();
    *problem.seen.lock().unwrap() = HashSet::new();
    session.advance(&Budget::nodes(100_000)).unwrap();
    assert!(problem.seen.lock().unwrap().len() > 1);
}

#[test]
fn a_panic_of_a_thread_reaches_the_caller() {
    #[derive(Clone, Debug)]
    struct Faulty(Grid);
    impl Problem for Faulty {
        rules_of!(Grid);
        fn potential(&self, at: &At) -> Option<f64> {
            assert!(at.layer < 15, "too deep");
            Some(-at.sum as f64)
        }
    }
    let problem = Faulty(Grid { nodes: 600, depth: 24, limit: 99, ..grid(1) });
    let method = method("beam", &[("width", "2000")]);
    let run = || solve(&problem, &method, 2, &Budget::nodes(400_000));
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"too deep"));
}
