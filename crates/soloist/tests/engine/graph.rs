//! Tree search on the graph of states (`transpositions`): against a naive implementation, and what sharing is for.

use crate::common::{Bag, Packed, altered, assert_same, playout, recorded, rules_of};
use soloist::problem::Key;
use soloist::run::StopReason;
use soloist::search::parameters::Uct;
use soloist::{Budget, Method, Problem, Rng, Solver};
use std::collections::{HashMap, HashSet};

/// A bag whose states are the same when the same items are packed, in whatever order.
#[derive(Clone, Debug)]
struct Keyed(Bag);

impl Problem for Keyed {
    rules_of!(Bag);
    fn key(&self, state: &Packed) -> Option<Key> {
        Some(Key::of(&state.set))
    }
}

#[derive(Default)]
struct Node {
    children: Vec<u8>,
    tried: usize,
    scores: Vec<f64>,
    closed: bool,
}

/// UCT2 on a map from sets of items to nodes; the playouts are counted by edge.
struct Graph<'p> {
    problem: &'p Keyed,
    uct: &'p Uct,
    nodes: HashMap<u64, Node>,
    edges: HashMap<(u64, u8), f64>,
    scores: Vec<f64>,
}

impl Graph<'_> {
    fn bound(&self, at: u64, mv: u8) -> f64 {
        let sense = self.problem.sense();
        let worst = self.scores.iter().copied().reduce(|a, b| sense.worst_value(a, b)).unwrap();
        let best = self.scores.iter().copied().reduce(|a, b| sense.best_value(a, b)).unwrap();
        let factor = if best == worst { 0.0 } else { 1.0 / (best - worst) };
        let below = &self.nodes[&(at | 1 << mv)].scores;
        let mean = below.iter().sum::<f64>() / below.len() as f64;
        let visits = self.nodes[&at].scores.len() as f64;
        (mean - worst) * factor + self.uct.selection.c * (libm::log(visits) / self.edges[&(at, mv)].max(1.0)).sqrt()
    }

    /// Closes the end of the path (or, if it is not `known` to be finished, every closed node of it) and everything
    /// above that has only closed children.
    fn close(&mut self, path: &[u64]) {
        for (i, at) in path.iter().enumerate().rev() {
            let node = &self.nodes[at];
            let through = node.tried > 0
                && node.tried == node.children.len()
                && node.children.iter().all(|mv| self.nodes[&(at | 1 << mv)].closed);
            if i + 1 < path.len() && !through {
                return;
            }
            self.nodes.get_mut(at).unwrap().closed = true;
        }
    }

    /// A playout; `None`: every solution is known.
    fn step(&mut self, rng: &mut Rng) -> Option<Vec<u8>> {
        let problem = self.problem;
        'again: loop {
            let (mut state, mut path, mut moves) = (problem.root(), vec![0_u64], Vec::new());
            loop {
                let at = *path.last().unwrap();
                let node = self.nodes.entry(at).or_default();
                if node.children.is_empty() && !node.scores.is_empty() {
                    problem.moves(&state, &mut node.children);
                }
                if node.children.is_empty() {
                    break;
                }
                let (mv, known) = if node.tried < node.children.len() {
                    let pick = node.tried + rng.index(node.children.len() - node.tried);
                    node.children.swap(node.tried, pick);
                    node.tried += 1;
                    let mv = node.children[node.tried - 1];
                    self.edges.insert((at, mv), 0.0);
                    (mv, self.nodes.contains_key(&(at | 1 << mv)))
                } else {
                    let open: Vec<u8> = self.nodes[&at].children.clone();
                    let open = open.into_iter().filter(|mv| !self.nodes[&(at | 1 << mv)].closed);
                    let mut best: Option<(f64, u8)> = None;
                    for mv in open {
                        let bound = self.bound(at, mv);
                        if best.is_none_or(|(least, _)| bound > least) {
                            best = Some((bound, mv));
                        }
                    }
                    let Some((_, mv)) = best else {
                        self.close(&path);
                        if self.nodes[&0].closed {
                            return None;
                        }
                        continue 'again;
                    };
                    (mv, true)
                };
                problem.apply(&mut state, mv);
                moves.push(mv);
                path.push(at | 1 << mv);
                if !known {
                    self.nodes.insert(at | 1 << mv, Node::default());
                    break;
                }
            }
            let in_tree = moves.len();
            moves.extend(playout(problem, &mut state, rng));
            let score = problem.score(&state).value().unwrap();
            self.scores.push(score);
            for (i, at) in path.iter().enumerate() {
                self.nodes.get_mut(at).unwrap().scores.push(score);
                if i > 0 {
                    *self.edges.get_mut(&(path[i - 1], moves[i - 1])).unwrap() += 1.0;
                }
            }
            if moves.len() == in_tree {
                self.close(&path);
            }
            return Some(moves);
        }
    }
}

fn small() -> Bag {
    let mut bag = Bag::sixteen();
    bag.items.truncate(9);
    bag.capacity = 130;
    bag
}

#[test]
fn the_same_playouts_as_a_naive_graph() {
    for c in [0.05, 0.4, 2.0] {
        let uct = altered(&Uct::default(), &format!("c={c} transpositions=true"));
        for bag in [small(), small().mirrored(), Bag::sixteen()] {
            for seed in 0..3 {
                let problem = Keyed(bag.clone());
                let (nodes, edges) = (HashMap::new(), HashMap::new());
                let mut graph = Graph { problem: &problem, uct: &uct, nodes, edges, scores: Vec::new() };
                let mut rng = Rng::new(seed);
                let mut expected = Vec::new();
                while expected.len() < 900
                    && !graph.nodes.get(&0).is_some_and(|root| root.closed)
                    && let Some(moves) = graph.step(&mut rng)
                {
                    expected.push(moves);
                }
                let got = recorded(&problem, Method::from(uct.clone()), seed, 900);
                assert_same(&got, &expected, &format!("c {c}, seed {seed}"));
            }
        }
    }
}

/// Sets of items that fit, every order aside.
fn states(bag: &Bag) -> usize {
    let mut seen = HashSet::from([0_u64]);
    let mut stack = vec![bag.root()];
    while let Some(state) = stack.pop() {
        let mut moves = Vec::new();
        bag.moves(&state, &mut moves);
        for mv in moves {
            let mut next = state.clone();
            bag.apply(&mut next, mv);
            if seen.insert(next.set) {
                stack.push(next);
            }
        }
    }
    seen.len()
}

#[test]
fn shared_states_are_searched_once() {
    for bag in [small(), small().mirrored()] {
        let solve = |uct: Uct| {
            let budget = Budget::playouts(2_000_000);
            Solver::new(&Keyed(bag.clone()), Method::from(uct)).seed(1).budget(budget).run().unwrap()
        };
        let shared = solve(altered(&Uct::default(), "transpositions=true"));
        let few = solve(altered(&Uct::default(), "transpositions=true select_from=10 few_visits=uniform"));
        let followed = solve(altered(&Uct::default(), "transpositions=true select_from=10 few_visits=rollout"));
        let apart = solve(Uct::default());
        for outcome in [&shared, &few, &followed, &apart] {
            assert_eq!((outcome.stop, outcome.optimal), (StopReason::Exhausted, true));
            assert_eq!(outcome.best.as_ref().unwrap().score.value().unwrap().abs(), bag.optimum());
        }
        let nodes = [&shared, &few, &followed].map(|outcome| outcome.counters.nodes as usize);
        assert_eq!(nodes, [states(&bag); 3]);
        assert!(shared.counters.nodes * 20 < apart.counters.nodes, "{:?} {:?}", shared.counters, apart.counters);
    }
}

#[test]
fn a_full_graph_goes_on() {
    let bag = Bag::sixteen();
    for uct in [
        altered(&Uct::default(), "transpositions=true c=1.0"),
        altered(&Uct::default(), "transpositions=true c=1.0 solver=false move_playouts=5000"),
        altered(&Uct::default(), "transpositions=true amaf=true history=0.1 c=1.0"),
        altered(&Uct::default(), "transpositions=true select_from=10 few_visits=uniform c=1.0"),
    ] {
        let run = |memory| {
            let budget = Budget { memory, ..Budget::playouts(60_000) };
            Solver::new(&Keyed(bag.clone()), Method::from(uct.clone())).seed(1).budget(budget).run().unwrap()
        };
        for memory in [100_000, 1_000_000] {
            let outcome = run(memory);
            assert_eq!(outcome.counters.playouts, 60_000);
            assert!(outcome.best.unwrap().score.value().unwrap() >= bag.optimum() * 0.98);
        }
    }
}
