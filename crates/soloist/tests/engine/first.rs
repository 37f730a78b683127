//! What comes before a method's own work: first games, attempts at a proof, bounds that move, a bias that is seen.

use crate::common::{Bag, Fenced, games, method, recorded, rules_of, run_and_save, timeless, without_time};
use soloist::doc::Staircase;
use soloist::problem::{Dominance, Facts, Key, Prior, stable_hash};
use soloist::run::StopReason;
use soloist::{Budget, Method, Outcome, Problem, Score, Sense, Setup, Solver};

/// Methods that look for an incumbent before they prune or prove.
const EXACT: [&str; 7] = ["dfs", "bfs", "best-first", "ida-star", "iterative-broadening", "beam", "cabs"];

/// A random graph of layers with costs on its edges; some ends are infeasible. The bound is the cost so far and a
/// part of what is still needed.
#[derive(Clone, Debug)]
struct Maze {
    seed: u64,
    depth: u32,
    sense: Sense,
    /// In tenths of what is still needed: 10 is exact.
    sharp: u32,
    /// Whether states have keys, futures and potentials.
    known: bool,
    complete: bool,
}

#[derive(Clone, Debug)]
struct Place {
    layer: u32,
    node: u32,
    cost: u32,
}

impl Maze {
    fn random(seed: u64, sense: Sense) -> Self {
        let (depth, sharp) = (5 + (seed % 4) as u32, [0, 5, 9, 10][(seed / 4 % 4) as usize]);
        Self { seed, depth, sense, sharp, known: !seed.is_multiple_of(3), complete: true }
    }

    fn draw(&self, what: &str, at: (u32, u32, u32), range: u64) -> u32 {
        (stable_hash(&(self.seed, what, at)) % range) as u32
    }

    fn is_dead(&self, layer: u32, node: u32) -> bool {
        layer == self.depth && self.draw("dead", (layer, node, 0), 3) == 0
    }

    /// The least cost from here on, infeasible ends included.
    fn needed(&self, layer: u32, node: u32) -> u32 {
        let edges = 0..self.degree(layer, node);
        edges
            .map(|edge| self.edge(layer, node, edge))
            .map(|(to, cost)| cost + self.needed(layer + 1, to))
            .min()
            .unwrap_or(0)
    }

    fn degree(&self, layer: u32, node: u32) -> u32 {
        if layer < self.depth { 1 + self.draw("edges", (layer, node, 0), 3) } else { 0 }
    }

    fn edge(&self, layer: u32, node: u32, edge: u32) -> (u32, u32) {
        (self.draw("to", (layer, node, edge), 5), self.draw("cost", (layer, node, edge), 9))
    }

    fn signed(&self, cost: f64) -> f64 {
        if self.sense == Sense::Minimize { cost } else { -cost }
    }

    /// The score of an optimal solution by enumeration; `None`: nothing is feasible.
    fn optimum(&self) -> Option<f64> {
        fn least(maze: &Maze, layer: u32, node: u32) -> Option<u32> {
            if layer == maze.depth {
                return (!maze.is_dead(layer, node)).then_some(0);
            }
            let edges = (0..maze.degree(layer, node)).map(|edge| maze.edge(layer, node, edge));
            edges.filter_map(|(to, cost)| Some(cost + least(maze, layer + 1, to)?)).min()
        }
        least(self, 0, 0).map(|cost| self.signed(f64::from(cost)))
    }
}

impl Problem for Maze {
    type State = Place;
    type Move = u32;

    fn root(&self) -> Place {
        Place { layer: 0, node: 0, cost: 0 }
    }
    fn moves(&self, state: &Place, moves: &mut Vec<u32>) {
        moves.extend(0..self.degree(state.layer, state.node));
    }
    fn apply(&self, state: &mut Place, edge: u32) {
        let (to, cost) = self.edge(state.layer, state.node, edge);
        (state.node, state.cost, state.layer) = (to, state.cost + cost, state.layer + 1);
    }
    fn score(&self, state: &Place) -> Score {
        if self.is_dead(state.layer, state.node) {
            return Score::Infeasible(f64::from(1 + state.node));
        }
        Score::Feasible(self.signed(f64::from(state.cost)))
    }
    fn sense(&self) -> Sense {
        self.sense
    }
    fn bound(&self, state: &Place) -> Option<f64> {
        let part = f64::from(self.needed(state.layer, state.node) * self.sharp / 10);
        Some(self.signed(f64::from(state.cost) + part))
    }
    fn potential(&self, state: &Place) -> Option<f64> {
        self.known.then(|| -f64::from(state.cost) - f64::from(state.node) / 8.0)
    }
    fn key(&self, state: &Place) -> Option<Key> {
        self.known.then(|| Key::of(&(state.layer, state.node, state.cost)))
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        (self.known && self.seed.is_multiple_of(2)).then_some(self as &dyn Dominance<Self>)
    }

    fn facts(&self) -> Facts {
        Facts { is_complete: self.complete, ..Facts::default() }
    }
}

impl Dominance<Maze> for Maze {
    fn future(&self, state: &Place) -> (Key, f64) {
        (Key::of(&(state.layer, state.node)), self.signed(f64::from(state.cost)))
    }
}

#[test]
fn exact_methods_and_beams_have_a_solution_at_once() {
    let problem = Fenced::new(Bag::sixteen());
    let solver = |name: &str| Solver::new(&problem, method(name, &[])).seed(4);
    let nodes = |nodes| Budget { nodes: Some(nodes), ..Budget::default() };
    let mut first = None;
    for name in EXACT {
        let outcome = solver(name).budget(nodes(1)).run().unwrap();
        let best = outcome.best.expect(name);
        assert!((1..=2).contains(&outcome.counters.playouts), "{name}");
        assert_eq!(outcome.history[0].playouts, 1, "{name}");
        // The same game, whatever the method is.
        let one = solver(name).budget(games(1)).run().unwrap();
        assert_eq!((one.counters.playouts, one.counters.nodes), (1, 0), "{name}");
        let known = first.get_or_insert_with(|| one.best.clone());
        assert_eq!(one.best, *known, "{name}");
        assert!(best.score.value() >= one.best.unwrap().score.value(), "{name}");
        // A solution to start from makes the game needless.
        let outcome = solver(name).offer(&[15]).budget(nodes(1)).run();
        let outcome = outcome.or_else(|_| solver(name).offer(&best.moves).budget(nodes(1)).run()).unwrap();
        assert!(outcome.history[0].playouts == 0, "{name}");
        assert_eq!(solver(name).threads(3).budget(games(3)).run().unwrap().counters.playouts, 3);
    }
}

#[test]
fn infeasible_first_games_are_tried_again() {
    let problem = Bag::tight();
    let mut tries = Vec::new();
    for seed in 0..40 {
        let solver = |playouts| {
            Solver::new(&problem, method("bfs", &[])).seed(seed).budget(Budget { nodes: Some(1), ..games(playouts) })
        };
        let (whole, saved) = run_and_save(solver(100), "first-whole");
        let feasible = whole.best.as_ref().unwrap().score.value().is_some();
        assert!((1..=8).contains(&whole.counters.playouts) && (feasible || whole.counters.playouts == 8));
        tries.push((whole.counters.playouts, feasible));
        let (_, part) = run_and_save(solver(2), "first-part");
        let (again, resumed) = run_and_save(solver(100).resume(&part).unwrap(), "first-again");
        assert_eq!((timeless(again), without_time(&resumed)), (timeless(whole), without_time(&saved)));
    }
    assert!(tries.iter().any(|&(tries, feasible)| feasible && tries > 1), "{tries:?}");
}

/// Every method with an attempt at a proof and every exact one, in parts, against enumeration: what they claim is
/// true, at any time.
#[test]
fn bounds_and_proofs_hold_on_random_problems() {
    let settings: [(&str, &[(&str, &str)]); 17] = [
        ("dfs", &[]),
        ("best-first", &[("table", "false")]),
        ("bfs", &[]),
        ("ida-star", &[]),
        ("iterative-broadening", &[]),
        ("beam", &[("width", "2")]),
        ("beam", &[("width", "3"), ("merit", "bound"), ("prune", "true"), ("noise", "2")]),
        ("beam", &[("merit", "none"), ("tie", "potential"), ("width", "2"), ("prune", "true")]),
        ("cabs", &[]),
        ("cabs", &[("tie", "chance"), ("widen", "1.3"), ("merge", "false")]),
        ("cabs", &[("merit", "potential")]),
        ("auto", &[("first", "300")]),
        ("auto", &[("first", "200"), ("methods", "cabs,nrpa(level=2),sampling")]),
        ("sampling", &[]),
        ("uct-best", &[]),
        ("nrpa", &[("level", "2"), ("iterations", "10")]),
        ("anneal", &[("steps", "50")]),
    ];
    let (mut proofs, mut closer) = (0, [0; 2]);
    for seed in 0..40 {
        for sense in [Sense::Minimize, Sense::Maximize] {
            let problem = Maze::random(seed, sense);
            let optimum = problem.optimum();
            let root = problem.bound(&problem.root()).unwrap();
            for (name, set) in settings {
                let what = format!("{name} {set:?} on {problem:?}");
                let setup = Setup::from(method(name, set)).seed(seed).proof(0.3);
                let mut session = Solver::new(&problem, setup.clone()).start().unwrap();
                let mut before = root;
                for _ in 0..12 {
                    let slice = Budget { nodes: Some(9), ..games(9) };
                    session.advance(&slice).unwrap();
                    let outcome = session.outcome();
                    let bound = outcome.bound.or(optimum).unwrap_or(before);
                    let true_bound = optimum.is_none_or(|optimum| !sense.better_value(optimum, bound));
                    assert!(true_bound, "{bound} excludes {optimum:?}: {what}");
                    assert!(!sense.better_value(bound, before), "{bound} after {before}: {what}");
                    closer[usize::from(name == "auto")] +=
                        u32::from(!outcome.optimal && sense.better_value(root, bound));
                    before = bound;
                    if outcome.optimal {
                        assert_eq!(outcome.best.unwrap().score.value(), optimum, "{what}");
                        proofs += 1;
                        break;
                    }
                    // A resumed run knows the same bound.
                    session = Solver::new(&problem, setup.clone()).resume(&session.save()).unwrap().start().unwrap();
                    assert_eq!(session.outcome().bound, outcome.bound, "{what}");
                }
            }
        }
    }
    assert!(proofs > 500 && closer[0] > 100 && closer[1] > 20, "{proofs} proofs, {closer:?} closer bounds");
}

#[test]
fn the_bound_moves_while_cabs_and_auto_run() {
    let bag = Bag::sixteen();
    let optimum = bag.optimum();
    let problem = Fenced::new(bag);
    let root = problem.bound(&problem.root()).unwrap();
    for (name, set) in [("cabs", &[][..]), ("auto", &[("methods", "cabs,sampling"), ("first", "2000")])] {
        let whole = Solver::new(&problem, Setup::from(method(name, set)).proof(0.0));
        let mut session = whole.start().unwrap();
        let mut bounds = Vec::new();
        for _ in 0..400 {
            session.advance(&Budget { nodes: Some(20), ..Budget::default() }).unwrap();
            let outcome = session.outcome();
            if outcome.optimal {
                break;
            }
            bounds.push(outcome.bound.unwrap());
        }
        assert!(bounds.iter().all(|&bound| bound >= optimum && bound <= root), "{name} {bounds:?}");
        assert!(bounds.iter().any(|&bound| bound < root), "{name} {bounds:?}");
        assert!(bounds.windows(2).all(|pair| pair[1] <= pair[0]), "{name} {bounds:?}");
    }
}

/// A staircase whose bias says nothing before the third move.
#[derive(Clone, Debug)]
struct Late(Staircase, bool);

impl Problem for Late {
    rules_of!(Staircase);

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
}

impl Prior<Late> for Late {
    fn bias(&self, state: &<Late as Problem>::State, up: bool) -> f64 {
        let deep = self.0.score(state) != self.0.score(&self.0.root());
        if self.1 && deep && up { 1.0 } else { 0.0 }
    }
}

#[test]
fn a_bias_that_shows_nothing_at_the_root_is_seen() {
    for (late, expected) in [(true, true), (false, false)] {
        let problem = Late(Staircase(12), late);
        let outcome = Solver::new(&problem, method("auto", &[])).budget(games(100)).run().unwrap();
        assert_eq!(outcome.remarks[0].contains("gnrpa"), expected, "{}", outcome.remarks[0]);
        let outcome = Solver::new(&problem, method("gnrpa", &[])).budget(games(10)).run().unwrap();
        assert_eq!(outcome.remarks.is_empty(), expected);
    }
}

/// Digits with weights; whole hundreds of their sum count: the bound takes few values, the potential is exact.
#[derive(Clone, Debug)]
struct Coarse;

impl Coarse {
    fn weight(place: u32, digit: u32) -> u32 {
        (stable_hash(&(place, digit)) % 60) as u32
    }
    fn least((place, sum): (u32, u32)) -> u32 {
        sum + (place..14).map(|place| (0..4).map(|digit| Self::weight(place, digit)).min().unwrap_or(0)).sum::<u32>()
    }
}

impl Problem for Coarse {
    type State = (u32, u32);
    type Move = u32;

    fn root(&self) -> (u32, u32) {
        (0, 0)
    }
    fn moves(&self, state: &(u32, u32), moves: &mut Vec<u32>) {
        moves.extend(0..if state.0 < 14 { 4 } else { 0 });
    }
    fn apply(&self, state: &mut (u32, u32), digit: u32) {
        *state = (state.0 + 1, state.1 + Self::weight(state.0, digit));
    }
    fn score(&self, state: &(u32, u32)) -> Score {
        Score::Feasible(f64::from(state.1.div_ceil(100)))
    }
    fn sense(&self) -> Sense {
        Sense::Minimize
    }
    /// Weaker than it could be: half of what is still needed.
    fn bound(&self, state: &(u32, u32)) -> Option<f64> {
        Some(f64::from((state.1 + (Self::least(*state) - state.1) / 2).div_ceil(100)))
    }
    fn potential(&self, state: &(u32, u32)) -> Option<f64> {
        Some(-f64::from(Self::least(*state)))
    }
}

#[test]
fn a_potential_breaks_ties_of_equal_bounds() {
    let best = f64::from(Coarse::least((0, 0)).div_ceil(100));
    let nodes = |name: &str, set: &[(&str, &str)]| {
        let budget = Budget { target: Some(best), nodes: Some(200_000), ..Budget::default() };
        let outcome = Solver::new(&Coarse, method(name, set)).budget(budget).seed(3).run().unwrap();
        outcome.counters.nodes
    };
    let with = |tie| nodes("cabs", &[("tie", tie)]);
    assert_eq!(nodes("cabs", &[]), with("potential"));
    assert!(with("potential") * 2 < with("chance"), "{} {}", with("potential"), with("chance"));
    let beam = |tie| nodes("beam", &[("merit", "bound"), ("width", "1"), ("tie", tie)]);
    assert!(beam("potential") * 2 < beam("chance"));
    // Where the potential is the merit, it has decided already.
    let run = |tie| {
        let set = [("merit", "potential"), ("width", "4"), ("tie", tie)];
        Solver::new(&Coarse, method("beam", &set)).budget(games(50)).run().unwrap()
    };
    assert_eq!(timeless(run("potential")), timeless(run("chance")));
}

fn prove(setup: Setup, budget: Budget) -> Outcome<u8> {
    Solver::new(&Fenced::new(Bag::twelve()), setup.seed(1)).budget(budget).run().unwrap()
}

#[test]
fn small_instances_are_proven_beside_any_method() {
    let optimum = Some(Bag::twelve().optimum());
    for name in ["sampling", "nrpa", "uct", "anneal", "nmcs", "beam"] {
        let setup = || Setup::preset(name).unwrap();
        // As named by a user, nothing is tried.
        assert_eq!(setup().proof, 0.0);
        let with = prove(setup().proof(Setup::PROOF), Budget { nodes: Some(2_000_000), ..games(60_000) });
        assert_eq!((with.stop, with.optimal), (StopReason::Exhausted, true), "{name}");
        assert_eq!(with.best.unwrap().score.value(), optimum, "{name}");
        let said = with.remarks.iter().any(|remark| remark.starts_with("proven by branch and bound after "));
        // Some come to the end of so small a space themselves.
        assert!(said || matches!(name, "beam" | "uct"), "{name} {:?}", with.remarks);
    }
    let auto = prove(Setup::default(), games(100_000));
    assert!(auto.optimal && Setup::default().proof == Setup::PROOF && auto.best.unwrap().score.value() == optimum);
    // A limit of time gives turns by the clock.
    let hour = Budget { time: Some(std::time::Duration::from_secs(3_600)), ..Budget::default() };
    assert!(prove(Setup::preset("sampling").unwrap().proof(0.02), hour).optimal);
    let mut mazes = (0..).map(|seed| Maze { depth: 6, ..Maze::random(seed, Sense::Minimize) });
    let futures = mazes.find(|maze| maze.known && maze.optimum().is_some()).unwrap();
    let setup = Setup::preset("sampling").unwrap().proof(0.5);
    let outcome = Solver::new(&futures, setup.clone()).budget(games(100_000)).run().unwrap();
    assert!(outcome.optimal && outcome.best.unwrap().score.value() == futures.optimum());
    // Who leaves solutions out is not searched through.
    let partial = Maze { complete: false, ..futures };
    let outcome = Solver::new(&partial, setup).budget(games(2_000)).run().unwrap();
    assert_eq!((outcome.stop, outcome.optimal), (StopReason::Playouts, false));
}

/// Thirteen coins, without a bound: a tree of 16,383 nodes.
struct Coins;

impl Problem for Coins {
    type State = Vec<bool>;
    type Move = bool;
    fn root(&self) -> Vec<bool> {
        Vec::new()
    }
    fn moves(&self, state: &Vec<bool>, moves: &mut Vec<bool>) {
        moves.extend([false, true].into_iter().filter(|_| state.len() < 13));
    }
    fn apply(&self, state: &mut Vec<bool>, mv: bool) {
        state.push(mv);
    }
    fn score(&self, state: &Vec<bool>) -> Score {
        Score::Feasible(state.iter().filter(|&&heads| heads).count() as f64)
    }
}

#[test]
fn a_small_tree_gets_half_of_the_effort() {
    let setup = Setup::preset("sampling").unwrap().proof(Setup::PROOF).seed(1);
    let outcome = Solver::new(&Coins, setup).budget(games(100_000)).run().unwrap();
    // With 2 % of the effort it would need 500,000 playouts: a node counts as eight moves.
    assert_eq!((outcome.stop, outcome.optimal), (StopReason::Exhausted, true), "{:?}", outcome.counters);
    assert_eq!(outcome.best.unwrap().score.value(), Some(13.0));
}

#[test]
fn an_attempt_that_fails_costs_its_part_of_the_playouts() {
    let problem = Staircase(30);
    let plain = recorded(&problem, method("sampling", &[]), 5, 5_000);
    let taped = crate::common::Recorded::new(problem);
    let setup = Setup::preset("sampling").unwrap().proof(0.02).seed(5).rollout("random");
    let outcome = Solver::new(&taped, setup).budget(games(5_000)).without_replays().run().unwrap();
    assert_eq!((outcome.counters.playouts, outcome.stop), (5_000, StopReason::Playouts));
    // The method draws what it draws without the attempt.
    let (mut own, mut others) = (0, 0);
    for moves in taped.take() {
        if plain.get(own) == Some(&moves) {
            own += 1;
        } else {
            others += 1;
        }
    }
    assert!((1..=100).contains(&others) && own + others >= 5_000, "{own} of the method, {others} others");
}

#[test]
fn attempts_in_parts_are_the_attempt_at_once() {
    let problem = Fenced::new(Bag::sixteen());
    for (name, set) in [
        ("sampling", &[][..]),
        ("uct", &[]),
        ("nrpa", &[("level", "2"), ("iterations", "20")]),
        ("anneal", &[("steps", "90")]),
        // Nothing that proves: how far other streams are when one has proven the optimum depends on their schedule.
        ("auto", &[("first", "4000"), ("methods", "anneal,nmcs,nrpa(repetitions=10),sampling")]),
        ("beam", &[("width", "30")]),
    ] {
        for threads in [1, 3] {
            let setup = || Setup::from(method(name, set)).proof(0.05).threads(threads).seed(2);
            let solver = |playouts| Solver::new(&problem, setup()).budget(games(playouts));
            let (whole, saved) = run_and_save(solver(3_000), "proof-whole");
            let (_, part) = run_and_save(solver(700), "proof-part");
            let (_, part) = run_and_save(solver(1_601).resume(&part).unwrap(), "proof-part");
            let (again, resumed) = run_and_save(solver(3_000).resume(&part).unwrap(), "proof-again");
            assert_eq!(timeless(again), timeless(whole), "{name} {threads}");
            assert_eq!(without_time(&resumed), without_time(&saved), "{name} {threads}");
        }
    }
    let mut setup = Setup::from(Method::preset("nrpa").unwrap());
    setup.set("proof", "0.1").unwrap();
    assert_eq!(setup.proof, 0.1);
    assert!(setup.set("proof", "1.5").unwrap_err().to_string().contains("`proof`: expected a number from 0 to 1"));
    assert!(Solver::new(&problem, setup.proof(f64::NAN)).start().is_err());
}
