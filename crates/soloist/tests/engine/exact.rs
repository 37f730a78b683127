//! The classical searches against plain recursions: the same solutions in the same order, the same optima, and proofs
//! only where there are any.

use crate::common::{Bag, Packed, Recorded, method, run, run_and_save, timeless, without_time};
use soloist::doc::Staircase;
use soloist::problem::{Key, Prior};
use soloist::run::StopReason;
use soloist::search::parameters::{BranchAndBound, Children, Order};
use soloist::{Budget, Method, Problem, Score, Sense, Solver};

const EXACT: [&str; 5] = ["dfs", "best-first", "bfs", "iterative-broadening", "ida-star"];

/// A bag that knows bounds, by default as sharp as fractions of items make them (`slack` 1; more: weaker), and keys.
#[derive(Clone, Debug)]
struct Known {
    bag: Bag,
    slack: u32,
    keys: bool,
}

impl Problem for Known {
    type State = Packed;
    type Move = u8;

    fn root(&self) -> Packed {
        self.bag.root()
    }
    fn moves(&self, state: &Packed, moves: &mut Vec<u8>) {
        self.bag.moves(state, moves);
    }
    fn apply(&self, state: &mut Packed, item: u8) {
        self.bag.apply(state, item);
    }
    fn score(&self, state: &Packed) -> Score {
        self.bag.score(state)
    }
    fn sense(&self) -> Sense {
        self.bag.sense
    }
    /// The items that still fit by themselves, the last one in part, `slack` times.
    fn bound(&self, state: &Packed) -> Option<f64> {
        let mut moves = Vec::new();
        self.moves(state, &mut moves);
        let (now, weight) = state.totals();
        let (mut more, mut room) = (0.0, f64::from(self.bag.capacity - weight));
        let mut items: Vec<_> = moves.iter().map(|&item| self.bag.items[item as usize]).collect();
        items.sort_by(|a, b| (b.0 * a.1).cmp(&(a.0 * b.1)));
        for (value, weight) in items {
            let part = (room / f64::from(weight)).min(1.0);
            more += part * f64::from(value);
            room -= part * f64::from(weight);
        }
        // A hair more than computed: sums are rounded.
        let bound = f64::from(now) + (more * f64::from(self.slack) + 1e-6);
        Some(if self.bag.sense == Sense::Maximize { bound } else { -bound })
    }
    fn key(&self, state: &Packed) -> Option<Key> {
        self.keys.then(|| state.items().into())
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
}

impl Prior<Known> for Known {
    fn bias(&self, state: &Packed, item: u8) -> f64 {
        self.bag.bias(state, item)
    }
}

/// A solution with the index of each move among its siblings.
type Leaf<M> = (Vec<M>, Vec<usize>, Score);
/// What a search sorts solutions by.
type By<'a> = &'a dyn Fn(&[usize]) -> usize;

/// Every solution in depth-first order.
fn solutions<P: Problem>(problem: &P) -> Vec<Leaf<P::Move>> {
    fn go<P: Problem>(problem: &P, state: &P::State, path: &mut Vec<(P::Move, usize)>, all: &mut Vec<Leaf<P::Move>>) {
        let mut moves = Vec::new();
        problem.moves(state, &mut moves);
        if moves.is_empty() {
            let (moves, indices) = path.iter().copied().unzip();
            all.push((moves, indices, problem.score(state)));
        }
        for (index, mv) in moves.into_iter().enumerate() {
            let mut next = state.clone();
            problem.apply(&mut next, mv);
            path.push((mv, index));
            go(problem, &next, path, all);
            path.pop();
        }
    }
    let mut all = Vec::new();
    go(problem, &problem.root(), &mut Vec::new(), &mut all);
    all
}

fn best<P: Problem>(problem: &P) -> Score {
    let scores = solutions(problem).into_iter().map(|(_, _, score)| score);
    scores.reduce(|a, b| if problem.sense().better(b, a) { b } else { a }).unwrap()
}

fn small(items: usize, capacity: u32) -> Bag {
    let sixteen = Bag::sixteen();
    Bag { items: sixteen.items[..items].to_vec(), capacity, ..sixteen }
}

/// Without bounds and keys every solution is scored, in an order that is a sort of the depth-first one.
#[test]
fn solutions_come_in_the_order_of_the_search() {
    fn compare<P: Problem + Clone>(problem: &P) {
        let all = solutions(problem);
        let depth = |indices: &[usize]| indices.len();
        let widest = |indices: &[usize]| indices.iter().copied().max().unwrap_or(0);
        let nothing = |_: &[usize]| 0;
        let orders: [(&str, By<'_>); 4] =
            [("dfs", &nothing), ("ida-star", &nothing), ("bfs", &depth), ("iterative-broadening", &widest)];
        for (name, by) in orders {
            let mut expected: Vec<_> = all.iter().collect();
            expected.sort_by_key(|(_, indices, _)| by(indices));
            let recorded = Recorded::new(problem.clone());
            let solver = Solver::new(&recorded, method(name, &[])).seed(1).without_replays();
            let outcome = solver.run().unwrap();
            assert_eq!((outcome.stop, outcome.optimal), (StopReason::Exhausted, true), "{name}");
            let expected: Vec<_> = expected.into_iter().map(|(moves, ..)| moves.clone()).collect();
            // The first game comes before them.
            assert!(recorded.take()[1..] == expected, "{name}");
        }
    }
    compare(&Staircase(9));
    compare(&small(7, 90));
    compare(&small(7, 90).mirrored());
}

/// Depth-first branch and bound by recursion; the children as given or by bound.
fn branch<P: Problem>(problem: &P, state: &P::State, sorted: bool, best: &mut Option<f64>, scored: &mut u64) {
    let sense = problem.sense();
    if best.is_some_and(|best| !sense.better_value(problem.bound(state).unwrap(), best)) {
        return;
    }
    let mut moves = Vec::new();
    problem.moves(state, &mut moves);
    if moves.is_empty() {
        *scored += 1;
        if let Some(value) = problem.score(state).value() {
            *best = Some(best.map_or(value, |best| sense.best_value(best, value)));
        }
    }
    let mut children: Vec<P::State> = Vec::new();
    for mv in moves {
        let mut next = state.clone();
        problem.apply(&mut next, mv);
        children.push(next);
    }
    if sorted {
        children.sort_by(|a, b| {
            let order = problem.bound(b).unwrap().total_cmp(&problem.bound(a).unwrap());
            if sense == Sense::Maximize { order } else { order.reverse() }
        });
    }
    for child in &children {
        branch(problem, child, sorted, best, scored);
    }
}

#[test]
fn depth_first_branch_and_bound_equals_recursion() {
    for least in [0, 85, 89] {
        for slack in [1, 2] {
            let bag = Bag { least, ..small(9, 100) };
            for bag in [bag.clone(), bag.mirrored()] {
                let problem = Known { bag, slack, keys: false };
                for children in [Children::Given, Children::Bound] {
                    let parameters = BranchAndBound { children, ..BranchAndBound::default() };
                    let method = Method::from(parameters);
                    let outcome = run(&problem, &method, 1, 1 << 40);
                    // Before the first node are the first games.
                    let games = Budget { nodes: Some(1), ..Budget::default() };
                    let games = Solver::new(&problem, method).seed(1).budget(games).run().unwrap();
                    let (mut best, mut scored) =
                        (games.best.and_then(|best| best.score.value()), games.counters.playouts);
                    branch(&problem, &problem.root(), children == Children::Bound, &mut best, &mut scored);
                    assert_eq!(outcome.best.unwrap().score.value(), best, "{children} {problem:?}");
                    assert_eq!((outcome.counters.playouts, outcome.stop), (scored, StopReason::Exhausted));
                }
            }
        }
    }
}

/// Every exact search in every setting finds and proves the optimum that brute force finds.
#[test]
fn all_searches_agree_with_brute_force() {
    let bags = [small(7, 90), Bag { least: 88, ..small(7, 90) }, Bag { least: 120, ..small(7, 90) }];
    for bag in bags.iter().cloned().chain(bags.iter().cloned().map(Bag::mirrored)) {
        for (slack, keys) in [(1, true), (1, false), (3, true), (1000, true)] {
            let problem = Known { bag: bag.clone(), slack, keys };
            soloist::check(&problem, 50, 1).unwrap();
            let expected = best(&problem);
            for name in EXACT {
                for children in ["given", "bound", "bias"] {
                    for (shuffle, table, threads) in [("others", "true", 3), ("all", "true", 1), ("none", "false", 1)] {
                        let settings = [("children", children), ("shuffle", shuffle), ("table", table)];
                        let solver = Solver::new(&problem, method(name, &settings)).seed(5).threads(threads);
                        let outcome = solver.run().unwrap();
                        let what = format!("{name} {settings:?} {problem:?}");
                        assert_eq!(outcome.stop, StopReason::Exhausted, "{what}");
                        let proofs = (outcome.optimal, outcome.infeasible);
                        let feasible = expected.value().is_some();
                        assert_eq!((outcome.best.unwrap().score, proofs), (expected, (feasible, !feasible)), "{what}");
                    }
                }
            }
            let slow = run(&problem, &method("ida-star", &[("step", "25")]), 1, 1 << 40);
            assert_eq!((slow.best.unwrap().score, slow.optimal), (expected, expected.value().is_some()));
        }
    }
}

/// Counts the children of all states that promise at least `value`.
fn offered(problem: &Known, state: &Packed, value: f64, count: &mut u64) {
    if problem.bound(state).unwrap() < value {
        return;
    }
    let mut moves = Vec::new();
    problem.moves(state, &mut moves);
    *count += moves.len() as u64;
    for mv in moves {
        let mut next = state.clone();
        problem.apply(&mut next, mv);
        offered(problem, &next, value, count);
    }
}

/// Bounds and keys save work; a larger step of the threshold saves passes.
#[test]
fn knowledge_saves_work() {
    let known = |slack, keys| Known { bag: small(9, 100), slack, keys };
    let nodes = |problem: &Known, name: &str, settings: &[(&str, &str)]| {
        run(problem, &method(name, settings), 1, 1 << 40).counters.nodes
    };
    for name in EXACT {
        let [sharp, weak, keyless] = [known(1, true), known(1000, true), known(1000, false)];
        let counts = [&sharp, &weak, &keyless].map(|problem| nodes(problem, name, &[]));
        assert!(counts[0] < counts[1] && counts[1] < counts[2], "{name}: {counts:?}");
    }
    let problem = known(1, false);
    assert!(nodes(&problem, "ida-star", &[("step", "5")]) < nodes(&problem, "ida-star", &[]));
    // Best-first expands no state whose bound is worse than the optimum, or that is below such a state.
    let mut allowed = 1;
    offered(&problem, &problem.root(), problem.bag.optimum(), &mut allowed);
    let visited = nodes(&problem, "best-first", &[]);
    assert!(visited <= allowed, "{visited} of {allowed}");
}

/// Several streams prove the same, in whatever order they end.
#[test]
fn streams_agree_whatever_the_schedule() {
    let problem = Known { bag: small(8, 95), slack: 2, keys: true };
    for name in EXACT {
        for shuffle in ["others", "all"] {
            let solve = || {
                let method = method(name, &[("shuffle", shuffle)]);
                let outcome = Solver::new(&problem, method).seed(6).threads(4).run().unwrap();
                (outcome.best, outcome.stop, outcome.optimal, outcome.history)
            };
            let first = solve();
            assert_eq!((first.1, first.2), (StopReason::Exhausted, true));
            for _ in 0..30 {
                assert_eq!(solve(), first, "{name} {shuffle}");
            }
        }
    }
}

#[test]
fn nodes_are_counted_exactly() {
    let problem = Known { bag: small(9, 100), slack: 2, keys: true };
    for name in EXACT {
        let budget = Budget { nodes: Some(50), ..Budget::default() };
        let outcome = Solver::new(&problem, method(name, &[])).budget(budget).run().unwrap();
        assert_eq!((outcome.stop, outcome.counters.nodes, outcome.optimal), (StopReason::Nodes, 50, false), "{name}");
    }
}

/// Searches of open states that do not fit drop some of them, still find solutions, and claim nothing.
#[test]
fn a_full_list_of_open_states_proves_nothing() {
    let mut dropped = 0;
    for order in [Order::BestFirst, Order::BreadthFirst] {
        for slack in [1, 1000] {
            let problem = Known { bag: small(11, 120), slack, keys: false };
            let optimum = problem.bag.optimum();
            let method = Method::from(BranchAndBound::in_order(order));
            let at = |memory| {
                let budget = Budget { memory, ..Budget::default() };
                Solver::new(&problem, method.clone()).budget(budget).run().unwrap()
            };
            let (free, full) = (at(Budget::MEMORY), at(1));
            assert_eq!((free.stop, free.best.unwrap().score.value()), (StopReason::Exhausted, Some(optimum)));
            let found = full.best.unwrap().score.value().unwrap();
            assert!(found <= optimum && (!full.optimal || found == optimum), "{order} {slack}");
            assert_eq!(full.optimal, full.stop == StopReason::Exhausted);
            dropped += u32::from(full.stop == StopReason::Completed);
        }
    }
    assert!(dropped >= 2, "{dropped} searches were short of memory");
}

/// Checkpoints in the middle, tables, open lists and dropped states included.
#[test]
fn parts_make_a_whole_with_bounds_and_keys() {
    let problem = Known { bag: small(11, 120), slack: 3, keys: true };
    for name in EXACT {
        for shuffle in ["others", "all"] {
            for memory in [Budget::MEMORY, 1] {
                let method = method(name, &[("shuffle", shuffle)]);
                let solver = |nodes| {
                    let budget = Budget { nodes, memory, ..Budget::default() };
                    Solver::new(&problem, method.clone()).seed(3).budget(budget)
                };
                let (whole, whole_saved) = run_and_save(solver(None), "exact-whole");
                let third = whole.counters.nodes / 3;
                let (_, saved) = run_and_save(solver(Some(third)), "exact-part");
                let (_, saved) = run_and_save(solver(Some(2 * third)).resume(&saved).unwrap(), "exact-part");
                let (parts, parts_saved) = run_and_save(solver(None).resume(&saved).unwrap(), "exact-part");
                let what = format!("{name} {shuffle} within {memory}");
                assert_eq!(timeless(parts), timeless(whole), "{what}");
                assert_eq!(without_time(&parts_saved), without_time(&whole_saved), "{what}");
            }
        }
    }
}
