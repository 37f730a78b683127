//! Beam search against plain sorting of whole layers, and its proofs.

use crate::common::{Recorded, games, method, rules_of, run, run_and_save, timeless};
use soloist::doc::Staircase;
use soloist::problem::{Key, stable_hash};
use soloist::run::StopReason;
use soloist::{Budget, Problem, Score, Sense, Setup, Solver};

/// A random directed graph of layers: from each of its nodes a few edges lead to nodes of the next layer, some to none.
/// Nodes have random potentials; the score adds up the weights of the edges.
#[derive(Clone, Debug)]
pub(crate) struct Layers {
    pub(crate) depth: u32,
    pub(crate) nodes: u32,
    pub(crate) sense: Sense,
    pub(crate) keys: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct At {
    layer: u32,
    node: u32,
    sum: u32,
}

impl Layers {
    fn draw(&self, what: &str, at: (u32, u32), range: u64) -> u32 {
        (stable_hash(&(what, at)) % range) as u32
    }
}

impl Problem for Layers {
    type State = At;
    type Move = u32;

    fn root(&self) -> At {
        At { layer: 0, node: 0, sum: 0 }
    }
    fn moves(&self, state: &At, moves: &mut Vec<u32>) {
        let ends = state.layer > 2 && self.draw("end", (state.layer, state.node), 9) == 0;
        if state.layer < self.depth && !ends {
            moves.extend(0..1 + self.draw("edges", (state.layer, state.node), 4));
        }
    }
    fn apply(&self, state: &mut At, edge: u32) {
        let from = state.layer << 16 | state.node;
        state.node = self.draw("edge", (from, edge), self.nodes.into());
        state.sum += self.draw("weight", (from, edge), 3);
        state.layer += 1;
    }
    fn score(&self, state: &At) -> Score {
        Score::Feasible(f64::from(state.sum))
    }
    fn sense(&self) -> Sense {
        self.sense
    }
    fn potential(&self, state: &At) -> Option<f64> {
        Some(f64::from(self.draw("potential", (state.layer << 16 | state.node, state.sum), 1 << 40)))
    }
    fn key(&self, state: &At) -> Option<Key> {
        self.keys.then(|| Key::of(&(state.layer, state.node, state.sum)))
    }
    fn bound(&self, state: &At) -> Option<f64> {
        let most = if self.sense == Sense::Maximize { 2 * (self.depth - state.layer) } else { 0 };
        Some(f64::from(state.sum + most))
    }
}

fn layers(sense: Sense, keys: bool) -> Layers {
    Layers { depth: 14, nodes: 30, sense, keys }
}

/// The finished solutions that a beam meets, layer by layer, without bounds.
fn plain(problem: &Layers, width: usize) -> Vec<Vec<u32>> {
    let mut layer = vec![(problem.root(), Vec::new())];
    let mut finished = Vec::new();
    while !layer.is_empty() {
        let mut children = Vec::new();
        for (state, path) in layer {
            let mut moves = Vec::new();
            problem.moves(&state, &mut moves);
            if moves.is_empty() {
                finished.push(path.clone());
            }
            for mv in moves {
                let (mut state, mut path): (At, Vec<u32>) = (state.clone(), path.clone());
                problem.apply(&mut state, mv);
                path.push(mv);
                children.push((state, path));
            }
        }
        let merit = |state: &At| problem.potential(state).unwrap();
        children.sort_by(|(a, _), (b, _)| merit(b).total_cmp(&merit(a)));
        if problem.keys {
            // Equal potentials are equal states here.
            children.dedup_by_key(|(state, _)| problem.key(state));
        }
        children.truncate(width);
        layer = children;
    }
    finished
}

/// Hides the bound: nothing is pruned.
#[derive(Clone, Debug)]
struct Blind(Layers);

impl Problem for Blind {
    rules_of!(Layers);
    fn potential(&self, state: &At) -> Option<f64> {
        self.0.potential(state)
    }
    fn key(&self, state: &At) -> Option<Key> {
        self.0.key(state)
    }
}

#[test]
fn a_beam_keeps_the_most_promising_states() {
    // Where the keys hide which path a state was reached by, only its end can be compared.
    let end = |problem: &Layers, path: &Vec<u32>| {
        let mut state = problem.root();
        path.iter().for_each(|&mv| problem.apply(&mut state, mv));
        (state.layer, state.node, state.sum)
    };
    for keys in [false, true] {
        for width in [1, 2, 7, 40] {
            let problem = layers(Sense::Maximize, keys);
            let recorded = Recorded::new(Blind(problem.clone()));
            let parameters = method("beam", &[("width", &width.to_string()), ("restarts", "false")]);
            let outcome = Solver::new(&recorded, parameters).without_replays().run().unwrap();
            let mut got: Vec<_> = recorded.take().iter().map(|path| end(&problem, path)).collect();
            // The first game is no state of the beam.
            let game = got.remove(0);
            let mut expected: Vec<_> = plain(&problem, width).iter().map(|path| end(&problem, path)).collect();
            got.sort_unstable();
            expected.sort_unstable();
            assert_eq!(got, expected, "width {width}, keys {keys}");
            assert_eq!(outcome.counters.playouts, 1 + got.len() as u64);
            let best = expected.iter().chain([&game]).map(|end| end.2).max().unwrap();
            assert_eq!(outcome.best.unwrap().score, Score::Feasible(best.into()));
        }
    }
}

#[test]
fn a_wide_beam_proves_the_optimum() {
    for sense in [Sense::Maximize, Sense::Minimize] {
        for keys in [false, true] {
            let problem = Layers { depth: 9, ..layers(sense, keys) };
            let optimum = run(&problem, &method("dfs", &[]), 0, u64::MAX);
            assert!(optimum.optimal);
            let parameters = method("beam", &[("width", "10"), ("widen", "3")]);
            let outcome = Solver::new(&problem, parameters).seed(3).run().unwrap();
            assert!(outcome.optimal && outcome.stop != StopReason::Completed, "{:?}", outcome.stop);
            assert_eq!(outcome.best.unwrap().score, optimum.best.unwrap().score);
        }
    }
    // Nothing is proven by a beam that is always too narrow, or that looks at candidates only.
    for settings in [[("widen", "1"), ("width", "2")], [("selective", "true"), ("width", "100000")]] {
        let outcome = run(&Staircase(30), &method("beam", &settings), 1, 3_000);
        assert_eq!(outcome.stop, StopReason::Playouts);
    }
}

#[test]
fn noise_policy_and_playouts_change_the_beam_and_survive_checkpoints() {
    let problem = layers(Sense::Minimize, true);
    let mut seen = Vec::new();
    for settings in [
        &[("width", "3"), ("widen", "1")][..],
        &[("width", "3"), ("widen", "1"), ("noise", "1e11")],
        &[("width", "3"), ("widen", "1"), ("merit", "none"), ("tie", "policy")],
        &[("width", "3"), ("widen", "1"), ("merit", "none"), ("tie", "playouts"), ("playouts", "3")],
        &[("width", "3"), ("widen", "1"), ("merit", "bound"), ("tie", "chance")],
        &[("width", "2"), ("widen", "1"), ("split", "2")],
    ] {
        let parameters = method("beam", settings);
        let recorded = Recorded::new(Blind(problem.clone()));
        let solver = |playouts| Solver::new(&recorded, parameters.clone()).seed(2).budget(games(playouts));
        let whole = timeless(solver(300).run().unwrap());
        let log = recorded.take();
        assert!(!seen.contains(&log), "{settings:?} changes nothing");
        for part in [1, 2, 50, 117, 299] {
            let (_, saved) = run_and_save(solver(part), &format!("beam-{part}-{}", seen.len()));
            recorded.take();
            assert_eq!(timeless(solver(300).resume(&saved).unwrap().run().unwrap()), whole, "{settings:?} at {part}");
        }
        recorded.take();
        seen.push(log);
    }
}

#[test]
fn a_split_beam_is_a_beam_from_every_beginning() {
    // Of width 1 and without merging: from each beginning of five moves the most promising child is followed.
    let problem = Blind(layers(Sense::Maximize, false));
    let mut expected = Vec::new();
    let children = |state: &At, path: &[u32]| -> Vec<(At, Vec<u32>)> {
        let mut moves = Vec::new();
        problem.moves(state, &mut moves);
        let child = |&mv: &u32| {
            let mut next = state.clone();
            problem.apply(&mut next, mv);
            (next, [path, &[mv]].concat())
        };
        moves.iter().map(child).collect()
    };
    let mut starts = vec![(problem.root(), Vec::new())];
    for _ in 0..5 {
        starts = starts.iter().flat_map(|(state, path)| children(state, path)).collect();
    }
    assert!(starts.len() > 8);
    for (mut state, mut path) in starts {
        while let Some((next, longer)) = children(&state, &path)
            .into_iter()
            .max_by(|(a, _), (b, _)| problem.potential(a).unwrap().total_cmp(&problem.potential(b).unwrap()))
        {
            (state, path) = (next, longer);
        }
        expected.push(path);
    }
    let recorded = Recorded::new(problem);
    let parameters = method("beam", &[("width", "1"), ("split", "5"), ("restarts", "false")]);
    let outcome = Solver::new(&recorded, parameters).seed(5).without_replays().run().unwrap();
    // Without the first game.
    let mut got = recorded.take().split_off(1);
    assert_ne!(got, expected, "the order is random");
    got.sort_unstable();
    expected.sort_unstable();
    assert_eq!(got, expected);
    assert_eq!(outcome.stop, StopReason::Completed);
    // All passes together prove the optimum.
    let problem = Layers { depth: 9, ..layers(Sense::Minimize, true) };
    let optimum = run(&problem, &method("dfs", &[]), 0, u64::MAX).best.unwrap().score;
    let outcome = run(&problem, &method("beam", &[("width", "10"), ("widen", "3"), ("split", "3")]), 1, u64::MAX);
    assert!(outcome.optimal);
    assert_eq!(outcome.best.unwrap().score, optimum);
}

/// Two ends below a root whose bound no solution reaches.
struct Fork;

impl Problem for Fork {
    type State = Option<u8>;
    type Move = u8;
    fn root(&self) -> Option<u8> {
        None
    }
    fn moves(&self, state: &Option<u8>, moves: &mut Vec<u8>) {
        if state.is_none() {
            moves.extend([0, 1]);
        }
    }
    fn apply(&self, state: &mut Option<u8>, mv: u8) {
        *state = Some(mv);
    }
    fn score(&self, state: &Option<u8>) -> Score {
        Score::Feasible(state.map_or(0.0, f64::from))
    }
    fn bound(&self, state: &Option<u8>) -> Option<f64> {
        Some(state.map_or(5.0, f64::from))
    }
}

/// A beam of candidates proves nothing. Its passes would repeat without an end where bounds exclude all that they see.
#[test]
fn passes_that_see_nothing_new_end_the_search() {
    let beam = method("cabs", &[("selective", "true")]);
    let outcome = Solver::new(&Fork, beam).budget(games(50)).run().unwrap();
    assert_eq!((outcome.stop, outcome.optimal), (StopReason::Completed, false));
    assert_eq!(outcome.best.unwrap().score, Score::Feasible(1.0));
}

/// In each of thirty layers one of seven numbers is taken; the numbers and the best of each layer are far apart. The
/// sum so far is the potential.
#[derive(Clone, Debug)]
struct Climb;

impl Climb {
    const DEPTH: u32 = 30;

    fn gain(layer: u32, mv: u32) -> u32 {
        (stable_hash(&("gain", layer, mv)) % 1_000) as u32
    }
}

impl Problem for Climb {
    type State = (u32, u32);
    type Move = u32;
    fn root(&self) -> (u32, u32) {
        (0, 0)
    }
    fn moves(&self, &(layer, _): &(u32, u32), moves: &mut Vec<u32>) {
        moves.extend(0..if layer < Self::DEPTH { 7 } else { 0 });
    }
    fn apply(&self, (layer, sum): &mut (u32, u32), mv: u32) {
        *sum += Self::gain(*layer, mv);
        *layer += 1;
    }
    fn score(&self, &(_, sum): &(u32, u32)) -> Score {
        Score::Feasible(sum.into())
    }
    fn potential(&self, &(_, sum): &(u32, u32)) -> Option<f64> {
        Some(sum.into())
    }
}

/// Whenever a limit ends its first pass, a beam has a solution from its best states, which is no part of the run.
#[test]
fn a_first_pass_that_is_cut_off_is_completed() {
    let best: u32 = (0..Climb::DEPTH).map(|layer| (0..7).map(|mv| Climb::gain(layer, mv)).max().unwrap()).sum();
    let solver = |nodes, threads| {
        let setup = Setup::from(method("beam", &[("width", "200")])).seed(2).threads(threads);
        Solver::new(&Climb, setup).budget(Budget::nodes(nodes))
    };
    for nodes in [1, 7, 8, 60, 400, 1_500, 9_000, 20_000] {
        let (outcome, saved) = run_and_save(solver(nodes, 1), "completed");
        let found = outcome.best.as_ref().unwrap();
        assert_eq!(found.score.value(), Some(best.into()), "{nodes}");
        assert!(outcome.remarks.iter().any(|line| line.contains("first pass")), "{nodes}: {:?}", outcome.remarks);
        assert_eq!(outcome.history.last().unwrap().score, found.score, "{nodes}");
        // The games before the pass are all that it counts.
        assert_eq!(outcome.counters.playouts, 1, "{nodes}");
        assert_eq!(timeless(outcome), timeless(solver(nodes, 3).run().unwrap()), "{nodes} on three threads");
        for more in [10 * nodes, 2_000_000] {
            let whole = solver(more, 1).run().unwrap();
            let resumed = solver(more, 1).resume(&saved).unwrap().run().unwrap();
            assert_eq!(timeless(resumed), timeless(whole), "{nodes}, then {more}");
        }
    }
    // `auto` has it too, where its beam is all that it has beside games.
    let setup = Setup::from(method("auto", &[("methods", "beam(width=200)")])).proof(0.0);
    let outcome = Solver::new(&Climb, setup).seed(2).budget(Budget::nodes(9_000)).run().unwrap();
    assert_eq!(outcome.best.unwrap().score.value(), Some(best.into()));
}
