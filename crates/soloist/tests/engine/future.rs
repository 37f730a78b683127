//! States that differ in cost only: every search that merges them against plain recursions, its proofs, its
//! checkpoints, and what happens when memory is short.

use crate::common::{method, rules_of, timeless};
use soloist::problem::{Dominance, Key, stable_hash};
use soloist::run::StopReason;
use soloist::{Budget, Problem, Score, Sense, Setup, Solver};

const MERGING: [&str; 7] = ["cabs", "beam", "dfs", "best-first", "bfs", "iterative-broadening", "ida-star"];

/// What the states of [`Grid`] tell about their futures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Tell {
    Nothing,
    Keys,
    /// The node; the sum so far, the time spent beside it.
    Futures,
    /// The time is left out, although it decides what is legal.
    TooMuch,
}

/// A random graph of layers with few nodes. Edges have weights, which the score adds up, and times, whose
/// sum has a limit: where no edge fits into it, the way ends early and infeasibly.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) seed: u64,
    pub(crate) depth: u32,
    pub(crate) nodes: u32,
    pub(crate) limit: u32,
    pub(crate) sense: Sense,
    pub(crate) tell: Tell,
    /// By how much each step may still improve the score, at most; `None`: no bounds.
    pub(crate) bounds: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct At {
    pub(crate) layer: u32,
    pub(crate) node: u32,
    pub(crate) sum: i64,
    pub(crate) time: u32,
}

impl Grid {
    fn draw(&self, what: &str, at: (u32, u32, u32), range: u64) -> u32 {
        (stable_hash(&(self.seed, what, at)) % range) as u32
    }

    fn edges(&self, at: &At) -> u32 {
        1 + self.draw("edges", (at.layer, at.node, 0), 3)
    }

    /// Node, weight and time.
    fn edge(&self, at: &At, edge: u32) -> (u32, i64, u32) {
        let from = (at.layer, at.node, edge);
        let node = self.draw("node", from, self.nodes.into());
        (node, i64::from(self.draw("weight", from, 9)), self.draw("time", from, 4))
    }
}

impl Problem for Grid {
    type State = At;
    type Move = u32;

    fn root(&self) -> At {
        At { layer: 0, node: 0, sum: 0, time: 0 }
    }
    fn moves(&self, at: &At, moves: &mut Vec<u32>) {
        if at.layer < self.depth {
            moves.extend((0..self.edges(at)).filter(|&edge| at.time + self.edge(at, edge).2 <= self.limit));
        }
    }
    fn apply(&self, at: &mut At, edge: u32) {
        let (node, weight, time) = self.edge(at, edge);
        (at.layer, at.node, at.sum, at.time) = (at.layer + 1, node, at.sum + weight, at.time + time);
    }
    fn score(&self, at: &At) -> Score {
        if at.layer < self.depth {
            return Score::Infeasible(f64::from(self.depth - at.layer));
        }
        Score::Feasible(if self.sense == Sense::Minimize { at.sum as f64 } else { -at.sum as f64 })
    }
    fn sense(&self) -> Sense {
        self.sense
    }
    fn bound(&self, at: &At) -> Option<f64> {
        // The cheapest edge of each layer that is left.
        let cheapest = |layer| {
            let at = |node| At { layer, node, sum: 0, time: 0 };
            let weights = |node| (0..self.edges(&at(node))).map(move |edge| self.edge(&at(node), edge).1);
            (0..self.nodes).flat_map(weights).min().unwrap_or(0)
        };
        let least = at.sum + (at.layer..self.depth).map(cheapest).sum::<i64>();
        self.bounds.then_some(if self.sense == Sense::Minimize { least as f64 } else { -least as f64 })
    }
    fn key(&self, at: &At) -> Option<Key> {
        (self.tell == Tell::Keys).then(|| Key::of(&(at.layer, at.node, at.sum, at.time)))
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        matches!(self.tell, Tell::Futures | Tell::TooMuch).then_some(self as &dyn Dominance<Self>)
    }
}

impl Dominance<Grid> for Grid {
    fn future(&self, at: &At) -> (Key, f64) {
        let value = if self.sense == Sense::Minimize { at.sum as f64 } else { -at.sum as f64 };
        (Key::of(&(at.layer, at.node)), value)
    }
    fn resources(&self, at: &At, resources: &mut Vec<f64>) {
        if self.tell == Tell::Futures {
            // Less is better in either sense.
            let time = f64::from(at.time);
            resources.push(if self.sense == Sense::Minimize { time } else { -time });
        }
    }
}

pub(crate) fn grid(seed: u64) -> Grid {
    let sense = if seed.is_multiple_of(2) { Sense::Minimize } else { Sense::Maximize };
    Grid { seed, depth: 7, nodes: 3, limit: 9, sense, tell: Tell::Futures, bounds: !seed.is_multiple_of(3) }
}

/// The best score, by trying everything.
pub(crate) fn exhaust(problem: &Grid, state: &At) -> Score {
    let mut moves = Vec::new();
    problem.moves(state, &mut moves);
    let after = |mv| {
        let mut next = state.clone();
        problem.apply(&mut next, mv);
        exhaust(problem, &next)
    };
    let best = |a, b| if problem.sense.better(b, a) { b } else { a };
    moves.into_iter().map(after).reduce(best).unwrap_or_else(|| problem.score(state))
}

/// With little memory tables forget and lists drop states: there may be no proof, but never a wrong one.
#[test]
fn proofs_are_those_of_exhaustive_search() {
    for seed in 0..60 {
        let problem = grid(seed);
        let best = exhaust(&problem, &problem.root());
        for name in MERGING {
            for memory in [1 << 30, 20_000] {
                let budget = Budget { memory, ..Budget::default() };
                let outcome = Solver::new(&problem, method(name, &[])).seed(seed).budget(budget).run().unwrap();
                assert!(outcome.optimal || outcome.infeasible || memory < 1 << 30, "{name}, {problem:?}");
                assert!(!outcome.infeasible || best.value().is_none(), "{name}, {problem:?}");
                assert!(!outcome.optimal || outcome.best.unwrap().score == best, "{name}, {problem:?}");
            }
        }
    }
}

#[test]
fn a_future_that_leaves_something_out_loses_solutions() {
    let wrong = |name| {
        let lost = |seed: &u64| {
            let problem = Grid { tell: Tell::TooMuch, ..grid(*seed) };
            let outcome = Solver::new(&problem, method(name, &[])).run().unwrap();
            outcome.best.unwrap().score != exhaust(&problem, &problem.root())
        };
        (0..60).filter(lost).count()
    };
    assert!(wrong("cabs") > 0 && wrong("dfs") > 0);
    // The test of problems finds it.
    let found = (0..60).filter(|&seed| {
        let problem = Grid { tell: Tell::TooMuch, ..grid(seed) };
        soloist::check(&grid(seed), 50, seed).unwrap();
        soloist::check(&problem, 50, seed).is_err()
    });
    let found = found.count();
    assert!(found > 20, "{found}");
}

/// A larger grid: merging by futures visits a fraction of the states.
#[test]
fn futures_save_work() {
    for name in MERGING {
        // Layer by layer from narrow to wide, a beam does not visit everything before it has a proof.
        let nodes = |tell| {
            let problem = Grid { tell, depth: 10, limit: 99, bounds: false, ..grid(4) };
            let settings: &[_] = if name == "beam" { &[("width", "100000")] } else { &[] };
            let outcome = Solver::new(&problem, method(name, settings)).run().unwrap();
            assert!(outcome.optimal, "{name}");
            outcome.counters.nodes
        };
        let (keys, futures) = (nodes(Tell::Keys), nodes(Tell::Futures));
        assert!(futures * 5 < keys * 4, "{name}: {futures} and {keys} nodes");
        assert!(keys < nodes(Tell::Nothing), "{name}");
    }
}

/// The layers of a beam by plain sorting. The merit follows the score so far, so that of two states with the same
/// future the better one also comes first.
#[test]
fn a_beam_keeps_the_better_of_states_with_equal_futures() {
    #[derive(Clone, Debug)]
    struct Ranked(Grid);
    impl Ranked {
        fn merit(&self, at: &At) -> f64 {
            f64::from(self.0.draw("merit", (at.layer, at.node, 0), 20)) - at.sum as f64 - f64::from(at.time) / 1e3
        }
    }
    impl Problem for Ranked {
        rules_of!(Grid);
        fn potential(&self, at: &At) -> Option<f64> {
            Some(self.merit(at))
        }
        fn dominance(&self) -> Option<&dyn Dominance<Self>> {
            self.0.dominance().map(|_| self as &dyn Dominance<Self>)
        }
    }

    impl Dominance<Ranked> for Ranked {
        fn future(&self, at: &At) -> (Key, f64) {
            self.0.future(at)
        }
        fn resources(&self, at: &At, resources: &mut Vec<f64>) {
            self.0.resources(at, resources);
        }
    }
    for seed in 0..40 {
        for width in [1, 2, 4, 9] {
            let problem = Ranked(Grid { nodes: 6, depth: 9, ..grid(seed) });
            let mut ends = Vec::new();
            let mut layer = vec![problem.root()];
            while !layer.is_empty() {
                let mut children: Vec<At> = Vec::new();
                for state in &layer {
                    let mut moves = Vec::new();
                    problem.moves(state, &mut moves);
                    if moves.is_empty() {
                        ends.push((state.layer, state.sum, state.time));
                    }
                    for mv in moves {
                        let mut child = state.clone();
                        problem.apply(&mut child, mv);
                        children.push(child);
                    }
                }
                let better = |a: &At, b: &At| a.node == b.node && a.sum <= b.sum && a.time <= b.time;
                let equal = |a: &At, b: &At| (a.node, a.sum, a.time) == (b.node, b.sum, b.time);
                let kept = |(at, child): &(usize, &At)| {
                    let beats = |(other, state): (usize, &At)| {
                        other != *at && better(state, child) && (!equal(state, child) || other < *at)
                    };
                    !children.iter().enumerate().any(beats)
                };
                let mut next: Vec<At> =
                    children.iter().enumerate().filter(kept).map(|(_, child)| child.clone()).collect();
                next.sort_by(|a, b| problem.merit(b).total_cmp(&problem.merit(a)));
                // Ties across nodes are left to chance: such a layer is not compared.
                if next.len() > width && problem.merit(&next[width - 1]) == problem.merit(&next[width]) {
                    ends.clear();
                    break;
                }
                next.truncate(width);
                layer = next;
            }
            if ends.is_empty() {
                continue;
            }
            let width = width.to_string();
            let parameters = method("beam", &[("width", &width), ("restarts", "false")]);
            // Before the first node are the first games.
            let opening = Budget { nodes: Some(1), ..Budget::default() };
            let mut session = Solver::new(&problem, parameters.clone()).start().unwrap();
            session.advance(&opening).unwrap();
            let (games, first) = (session.outcome(), session.best());
            let outcome = Solver::new(&problem, parameters).run().unwrap();
            let playouts = games.counters.playouts + ends.len() as u64;
            assert_eq!(outcome.counters.playouts, playouts, "seed {seed}, width {width}");
            let score = |&(layer, sum, time): &(u32, i64, u32)| problem.score(&At { layer, node: 0, sum, time });
            let sense = problem.0.sense;
            let all = ends.iter().map(score).chain(first.map(|best| best.score));
            let best = all.reduce(|a, b| if sense.better(b, a) { b } else { a });
            assert_eq!(outcome.best.map(|best| best.score), best, "seed {seed}, width {width}");
        }
    }
}

#[test]
fn runs_with_futures_survive_checkpoints() {
    let mut settings: Vec<(&str, &[(&str, &str)])> = MERGING.into_iter().map(|name| (name, &[][..])).collect();
    settings.extend([
        ("cabs", &[("noise", "3")][..]),
        ("cabs", &[("tie", "playouts"), ("playouts", "3")]),
        ("cabs", &[("tie", "policy")]),
        ("cabs", &[("split", "2")]),
        ("dfs", &[("shuffle", "all")]),
        ("best-first", &[("shuffle", "all")]),
    ]);
    for (name, parameters) in settings {
        for seed in [3, 4] {
            let problem = Grid { depth: 12, nodes: 8, limit: 20, ..grid(seed) };
            let setup = Setup::from(method(name, parameters)).seed(seed);
            let start = || Solver::new(&problem, setup.clone());
            let budget = |nodes| Budget { nodes: Some(nodes), ..Budget::default() };
            let whole = timeless(start().budget(budget(700)).run().unwrap());
            let mut session = start().start().unwrap();
            for slice in 0..70 {
                session.advance(&budget(10)).unwrap();
                if slice % 3 == 0 {
                    let bytes = session.save();
                    session = start().resume(&bytes).unwrap().start().unwrap();
                    assert!(session.save() == bytes, "{name} {parameters:?}");
                }
            }
            assert_eq!(timeless(session.outcome()), whole, "{name} {parameters:?}");
        }
    }
}

/// A pass whose bounds show that nothing better exists ends the search although it dropped states.
#[test]
fn bounds_of_a_narrow_pass_can_prove_the_optimum() {
    let early = (0..40).filter(|&seed| {
        let problem = Grid { depth: 9, nodes: 6, limit: 99, bounds: true, ..grid(seed) };
        let narrow = method("cabs", &[("width", "8"), ("restarts", "false")]);
        let outcome = Solver::new(&problem, narrow).run().unwrap();
        assert!(!outcome.optimal || outcome.best.unwrap().score == exhaust(&problem, &problem.root()), "{seed}");
        outcome.optimal
    });
    let early = early.count();
    assert!(early > 3, "{early}");
}

/// Where the memory is always too small, passes go on for ever: their width stays a number that a checkpoint may hold.
#[test]
fn many_passes_survive_a_checkpoint() {
    let problem = Grid { bounds: false, tell: Tell::Nothing, limit: 99, depth: 12, ..grid(3) };
    let settings = [("widen", "1000"), ("width", "100000"), ("merge", "false")];
    let budget = Budget { memory: 1, ..Budget::default() };
    let start = || Solver::new(&problem, method("beam", &settings)).budget(budget.clone());
    let mut session = start().start().unwrap();
    assert_eq!(session.advance(&Budget::nodes(300_000)).unwrap(), StopReason::Nodes);
    let bytes = session.save();
    let again = start().resume(&bytes).unwrap().start().unwrap();
    assert!(again.save() == bytes);
}
