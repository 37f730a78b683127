//! Layers of a beam by bound: against plain lists of cells, its proofs, its gap, its memory and its checkpoints.

use crate::beam::Layers;
use crate::common::{Bag, Fenced, method, rules_of, timeless};
use crate::future::{Grid, Tell, exhaust, grid};
use soloist::problem::{Dominance, Key, stable_hash};
use soloist::run::{Session, StopReason};
use soloist::search::ParameterError;
use soloist::{Budget, Method, Problem, Score, Sense, Setup, Solver};
use soloist_testdata::{HEAD, resealed};
use std::collections::BTreeMap;
use std::sync::Mutex;

fn nodes(nodes: u64) -> Budget {
    Budget { nodes: Some(nodes), ..Budget::default() }
}

/// What identifies a state, apart from its depth.
type Mark = (u32, i64, u32);

/// A problem whose states are layers of a graph.
trait Marked: Problem<Move = u32> + Clone {
    /// The depth and what else identifies the state.
    fn mark(&self, state: &Self::State) -> (u32, Mark);
    /// Whether the first state makes the second one superfluous.
    fn beats(&self, first: &Self::State, second: &Self::State) -> bool;
}

impl Marked for Layers {
    fn mark(&self, state: &Self::State) -> (u32, Mark) {
        (state.layer, (state.node, state.sum.into(), 0))
    }
    fn beats(&self, first: &Self::State, second: &Self::State) -> bool {
        self.keys && self.key(first) == self.key(second)
    }
}

impl Marked for Grid {
    fn mark(&self, state: &Self::State) -> (u32, Mark) {
        (state.layer, (state.node, state.sum, state.time))
    }
    fn beats(&self, first: &Self::State, second: &Self::State) -> bool {
        let same = (first.layer, first.node) == (second.layer, second.node);
        self.tell == Tell::Futures && same && first.sum <= second.sum && first.time <= second.time
    }
}

/// Records whose moves are asked for, with their bounds; different states have different potentials.
#[derive(Debug)]
struct Watched<P: Problem>(P, Mutex<Vec<(f64, u32, Mark)>>);

impl<P: Marked> Problem for Watched<P> {
    type State = P::State;
    type Move = u32;

    fn root(&self) -> P::State {
        self.0.root()
    }
    fn moves(&self, state: &P::State, moves: &mut Vec<u32>) {
        let (depth, mark) = self.0.mark(state);
        self.1.lock().unwrap().push((self.0.bound(state).unwrap_or_default(), depth, mark));
        self.0.moves(state, moves);
    }
    fn apply(&self, state: &mut P::State, mv: u32) {
        self.0.apply(state, mv);
    }
    fn score(&self, state: &P::State) -> Score {
        self.0.score(state)
    }
    fn sense(&self) -> Sense {
        self.0.sense()
    }
    fn potential(&self, state: &P::State) -> Option<f64> {
        Some((stable_hash(&self.0.mark(state)) >> 12) as f64)
    }
    fn bound(&self, state: &P::State) -> Option<f64> {
        self.0.bound(state)
    }
    fn key(&self, state: &P::State) -> Option<Key> {
        self.0.key(state)
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        self.0.dominance().map(|_| self as &dyn Dominance<Self>)
    }
    fn fingerprint(&self) -> u64 {
        0
    }
}

impl<P: Marked> Dominance<Watched<P>> for Watched<P> {
    fn future(&self, state: &P::State) -> (Key, f64) {
        self.0.dominance().map_or((0_u64.into(), 0.0), |dominance| dominance.future(state))
    }
    fn resources(&self, state: &P::State, resources: &mut Vec<f64>) {
        self.0.dominance().into_iter().for_each(|dominance| dominance.resources(state, resources));
    }
}

/// The states that passes of these widths expand, in their order, and the best value; `first`: that of the first games.
fn plain<P: Marked>(problem: &P, widths: &[usize], first: Option<f64>) -> (Vec<(f64, u32, Mark)>, Option<f64>) {
    let sense = problem.sense();
    let watched = Watched(problem.clone(), Mutex::default());
    // Ascending: better bounds come first.
    let order = |bound: f64| if sense == Sense::Maximize { -bound as i64 } else { bound as i64 };
    let bound = |state: &P::State| problem.bound(state).unwrap();
    let (mut expanded, mut best) = (Vec::new(), first);
    for &width in widths {
        // The states of each cell and all states met, in the order of their birth.
        let (mut cells, mut known): (BTreeMap<_, Vec<P::State>>, Vec<P::State>) = (BTreeMap::new(), Vec::new());
        let mut partial = false;
        cells.insert((order(bound(&problem.root())), 0), vec![problem.root()]);
        while let Some(((_, depth), mut cell)) = cells.pop_first() {
            if best.is_some_and(|best| !sense.better_value(bound(&cell[0]), best)) {
                break;
            }
            cell.retain(|state| !known.iter().any(|other| problem.beats(other, state) && !problem.beats(state, other)));
            let mut merits: Vec<_> = cell.iter().map(|state| watched.potential(state).unwrap()).collect();
            merits.sort_by(|a, b| b.total_cmp(a));
            if cell.len() > width {
                partial = true;
                cell.retain(|state| watched.potential(state).unwrap() >= merits[width - 1]);
            }
            for state in cell {
                if best.is_some_and(|best| !sense.better_value(bound(&state), best)) {
                    continue;
                }
                expanded.push((bound(&state), depth, problem.mark(&state).1));
                let mut moves = Vec::new();
                problem.moves(&state, &mut moves);
                if let (true, Some(value)) = (moves.is_empty(), problem.score(&state).value()) {
                    best = Some(best.map_or(value, |best| sense.best_value(best, value)));
                }
                for mv in moves {
                    let mut child = state.clone();
                    problem.apply(&mut child, mv);
                    let hopeful = best.is_none_or(|best| sense.better_value(bound(&child), best));
                    if hopeful && !known.iter().any(|other| problem.beats(other, &child)) {
                        cells.entry((order(bound(&child)), depth + 1)).or_default().push(child.clone());
                        known.push(child);
                    }
                }
            }
        }
        if !partial {
            break;
        }
    }
    (expanded, best)
}

/// What a search did: the states that it expanded, in their order, and the best value, at the end and of the first
/// games.
struct Expanded {
    log: Vec<(f64, u32, Mark)>,
    best: Option<f64>,
    first: Option<f64>,
}

fn expanded<P: Marked>(problem: &P, settings: &[(&str, &str)], seed: u64) -> Expanded {
    let watched = Watched(problem.clone(), Mutex::default());
    let solver = Solver::new(&watched, method("beam", settings)).seed(seed).without_replays();
    let mut session = solver.start().unwrap();
    let mut first = None;
    while first.is_none() && session.counters().playouts < 8 {
        session.advance(&Budget::playouts(1)).unwrap();
        first = session.best().and_then(|best| best.score.value());
    }
    watched.1.lock().unwrap().clear();
    session.advance(&Budget::default()).unwrap();
    let best = session.best().and_then(|best| best.score.value());
    drop(session);
    Expanded { log: watched.1.into_inner().unwrap(), best, first }
}

#[test]
fn cells_are_expanded_best_bound_first() {
    let mut compared = 0;
    for (sense, nodes) in [(Sense::Maximize, 30), (Sense::Minimize, 30), (Sense::Maximize, 70), (Sense::Minimize, 90)] {
        let problem = Layers { depth: 12, nodes, sense, keys: true };
        for widths in [&[1][..], &[3], &[1, 2, 4, 8], &[2, 4, 8, 16, 32, 64]] {
            let width = widths[0].to_string();
            let restarts = (widths.len() > 1).to_string();
            let settings = [("layers", "bound"), ("width", width.as_str()), ("restarts", &restarts)];
            let Expanded { log, best, first } = expanded(&problem, &settings, 3);
            let (expected, value) = plain(&problem, widths, first);
            // The search goes on until it has a proof, which bounds may give before a pass drops nothing.
            let count = log.len().min(expected.len());
            compared += count;
            assert_eq!(log[..count], expected[..count], "{problem:?}, {widths:?}");
            if widths.len() == 1 {
                assert_eq!((log.len(), best), (expected.len(), value), "{problem:?}, {widths:?}");
            }
        }
    }
    assert!(compared > 700, "{compared} states");
}

/// Wide enough, a pass is a best-first search that keeps the better of states with equal futures.
#[test]
fn better_states_replace_others_across_cells() {
    for seed in 0..40 {
        let problem = Grid { bounds: true, nodes: 4, depth: 8, limit: 12, ..grid(seed) };
        let settings = [("layers", "bound"), ("width", "1000000")];
        let Expanded { log, best, first } = expanded(&problem, &settings, seed);
        let (expected, value) = plain(&problem, &[1_000_000], first);
        assert_eq!((log, best), (expected, value), "{problem:?}");
    }
}

/// Without bounds, or with all of them in one layer, there are layers by depth.
#[test]
fn without_bounds_layers_are_by_depth() {
    #[derive(Clone, Debug)]
    struct Blind(Layers);
    impl Problem for Blind {
        rules_of!(Layers);
        fn potential(&self, state: &Self::State) -> Option<f64> {
            self.0.potential(state)
        }
        fn key(&self, state: &Self::State) -> Option<Key> {
            self.0.key(state)
        }
    }
    for width in ["1", "4", "25"] {
        for keys in [false, true] {
            let problem = Blind(Layers { depth: 14, nodes: 30, sense: Sense::Maximize, keys });
            let run = |settings: &[(&str, &str)]| {
                let settings = [&[("width", width), ("restarts", "false"), ("prune", "true")], settings].concat();
                let outcome = Solver::new(&problem, method("beam", &settings)).run().unwrap();
                (outcome.counters.playouts, outcome.best.unwrap().score, outcome.stop)
            };
            let depth = run(&[]);
            assert_eq!(run(&[("layers", "bound")]), depth);
            assert_eq!(run(&[("layers", "bound"), ("span", "7")]), depth);
        }
    }
    let remarks = |problem: &Grid| Solver::new(problem, by_bound(&[])).run().unwrap().remarks;
    assert!(remarks(&Grid { bounds: false, ..grid(1) })[0].contains("gives no bound"));
    assert!(remarks(&Grid { bounds: true, ..grid(1) }).is_empty());
}

const SETTINGS: [&[(&str, &str)]; 9] = [
    &[],
    &[("span", "3")],
    &[("span", "1e12"), ("width", "3")],
    &[("noise", "4"), ("span", "2")],
    &[("merit", "none"), ("tie", "policy")],
    &[("policy_weight", "0.5"), ("span", "5")],
    &[("merit", "potential"), ("prune", "false"), ("widen", "3")],
    &[("merge", "false")],
    &[("selective", "true")],
];

fn by_bound(settings: &[(&str, &str)]) -> Method {
    method("cabs", &[&[("layers", "bound")], settings].concat())
}

/// With little memory states are dropped and futures are forgotten: there may be no proof, but never a wrong one.
#[test]
fn proofs_are_those_of_exhaustive_search() {
    let mut early = 0;
    for seed in 0..20 {
        for tell in [Tell::Nothing, Tell::Keys, Tell::Futures] {
            let problem = Grid { tell, ..grid(seed) };
            let best = exhaust(&problem, &problem.root());
            for settings in SETTINGS {
                for memory in [1 << 30, 1] {
                    let proves = memory > 1 && !settings.contains(&("selective", "true"));
                    let budget = Budget { memory, ..nodes(if proves { u64::MAX } else { 2_000 }) };
                    let outcome = Solver::new(&problem, by_bound(settings)).seed(seed).budget(budget).run().unwrap();
                    assert!(outcome.optimal || outcome.infeasible || !proves, "{settings:?}, {problem:?}");
                    assert!(!outcome.infeasible || best.value().is_none(), "{settings:?}, {problem:?}");
                    let right = !outcome.optimal || outcome.best.unwrap().score == best;
                    assert!(right, "{settings:?}, {problem:?}");
                }
            }
            // A pass that drops states may prove something by its bounds.
            let narrow = Solver::new(&problem, by_bound(&[("width", "4"), ("restarts", "false")])).run().unwrap();
            assert!(!narrow.optimal || narrow.best.unwrap().score == best, "{problem:?}");
            early += usize::from(narrow.optimal);
        }
    }
    assert!(early > 10, "{early}");
}

/// Where the bound of a state is better than that of its parent, the parent's holds.
#[test]
fn no_state_promises_more_than_its_parent() {
    #[derive(Clone, Debug)]
    struct Loose(Grid);
    impl Problem for Loose {
        rules_of!(Grid);
        fn bound(&self, state: &Self::State) -> Option<f64> {
            let bound = self.0.bound(state)?;
            let (_, mark) = self.0.mark(state);
            let loose = (stable_hash(&(state.layer, mark)) % 7) as f64;
            Some(if self.0.sense == Sense::Minimize { bound - loose } else { bound + loose })
        }
        fn dominance(&self) -> Option<&dyn Dominance<Self>> {
            self.0.dominance().map(|_| self as &dyn Dominance<Self>)
        }
    }

    impl Dominance<Loose> for Loose {
        fn future(&self, state: &<Self as Problem>::State) -> (Key, f64) {
            self.0.future(state)
        }
        fn resources(&self, state: &<Self as Problem>::State, resources: &mut Vec<f64>) {
            self.0.resources(state, resources);
        }
    }
    for seed in 0..20 {
        for tell in [Tell::Nothing, Tell::Futures] {
            let problem = Loose(Grid { bounds: true, tell, ..grid(seed) });
            for settings in [&[][..], &[("span", "3")]] {
                let start = || Solver::new(&problem, by_bound(settings)).seed(seed);
                let mut session = start().start().unwrap();
                // What a checkpoint holds is compared with the bounds on the way to each state.
                while !session.advance(&nodes(9)).unwrap().is_final() {
                    let bytes = session.save();
                    session = start().resume(&bytes).unwrap().start().unwrap();
                }
                let outcome = session.outcome();
                assert!(outcome.optimal || outcome.infeasible, "{settings:?} {problem:?}");
                assert_eq!(outcome.best.unwrap().score, exhaust(&problem.0, &problem.root()), "{problem:?}");
            }
        }
    }
}

/// The bound that a run reports is one, and gets better while it runs.
#[test]
fn the_gap_is_known_before_the_proof() {
    let mut improved = 0;
    for seed in 0..40 {
        let problem = Grid { bounds: true, depth: 9, nodes: 5, limit: 14, tell: Tell::Nothing, ..grid(seed) };
        let (sense, root) = (problem.sense(), problem.bound(&problem.root()).unwrap());
        let Some(best) = exhaust(&problem, &problem.root()).value() else { continue };
        for settings in SETTINGS {
            let mut session = Solver::new(&problem, by_bound(settings)).seed(seed).start().unwrap();
            let mut before = root;
            loop {
                let ends = session.advance(&nodes(20)).unwrap().is_final();
                let outcome = session.outcome();
                let bound = outcome.bound.unwrap();
                assert!(!sense.better_value(best, bound), "{settings:?}: {bound} and {best}, {problem:?}");
                assert!(!sense.better_value(bound, before), "{settings:?}: {bound} after {before}");
                improved += usize::from(before != bound && !outcome.optimal);
                before = bound;
                if ends || outcome.counters.nodes > 3_000 {
                    break;
                }
            }
        }
    }
    assert!(improved > 20, "{improved}");
}

#[test]
fn runs_survive_checkpoints() {
    for settings in SETTINGS {
        for (seed, tell) in [(1, Tell::Futures), (4, Tell::Futures), (5, Tell::Keys), (2, Tell::Nothing)] {
            for memory in [1 << 30, 1] {
                let problem = Grid { depth: 12, nodes: 10, limit: 26, bounds: true, tell, ..grid(seed) };
                // With little memory wide enough to fill it.
                let wide: &[_] = if memory == 1 { &[("width", "300")] } else { &[] };
                let setup = Setup::from(by_bound(&[settings, wide].concat())).seed(seed);
                let start = || Solver::new(&problem, setup.clone()).budget(Budget { memory, ..Budget::default() });
                let mut whole = start().start().unwrap();
                whole.advance(&nodes(3_000)).unwrap();
                let mut session = start().start().unwrap();
                let mut ends = false;
                while !ends && session.counters().nodes < 3_000 {
                    let left = 3_000 - session.counters().nodes;
                    ends = session.advance(&nodes(left.min(149))).unwrap().is_final();
                    let bytes = session.save();
                    session = start().resume(&bytes).unwrap().start().unwrap();
                    assert!(session.save() == bytes, "{settings:?} {tell:?}");
                }
                assert_eq!(timeless(session.outcome()), timeless(whole.outcome()), "{settings:?} {tell:?} {memory}");
            }
        }
    }
}

/// Where the memory is always too small, passes go on for ever: their width stays a number that a checkpoint may hold.
#[test]
fn many_passes_survive_a_checkpoint() {
    let problem = Grid { bounds: false, tell: Tell::Nothing, limit: 99, depth: 12, ..grid(3) };
    for layers in ["depth", "bound"] {
        let settings = [("layers", layers), ("widen", "1000"), ("width", "100000"), ("merge", "false")];
        let budget = Budget { memory: 1, ..Budget::default() };
        let start = || Solver::new(&problem, method("beam", &settings)).budget(budget.clone());
        let mut session = start().start().unwrap();
        assert_eq!(session.advance(&nodes(300_000)).unwrap(), StopReason::Nodes);
        let bytes = session.save();
        let again = start().resume(&bytes).unwrap().start().unwrap();
        assert!(again.save() == bytes, "{layers}");
    }
}

/// Damage behind a valid checksum: an error or a run that continues, but no panic.
#[test]
fn forged_checkpoints_are_refused_or_harmless() {
    let mut refused = 0;
    for (settings, tell) in [(SETTINGS[0], Tell::Futures), (SETTINGS[1], Tell::Keys), (SETTINGS[4], Tell::Futures)] {
        let problem = Grid { depth: 12, nodes: 8, limit: 20, bounds: true, tell, ..grid(4) };
        let start = || Solver::new(&problem, Setup::from(by_bound(settings)).seed(1));
        let mut session = start().start().unwrap();
        session.advance(&nodes(230)).unwrap();
        let whole = session.save();
        for at in HEAD..whole.len() - 4 {
            let bytes = resealed(&whole, at, [1, 0x80, 0xff][at % 3]);
            let Some(session) = start().resume(&bytes).ok().and_then(|solver| solver.start().ok()) else {
                refused += 1;
                continue;
            };
            go_on(session);
        }
    }
    assert!(refused > 300, "{refused}");
}

fn go_on(mut session: Session<'_, Grid>) {
    if session.advance(&nodes(40)).is_ok() {
        assert!(!session.save().is_empty());
    }
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (settings, what) in [
        (&[("layers", "bound"), ("tie", "playouts")][..], "`layers` = bound needs `tie` = potential, chance or policy"),
        (&[("layers", "bound"), ("split", "2")], "`layers` = bound needs `split` = 0"),
        (&[("span", "2")], "`span` needs `layers` = bound"),
    ] {
        assert_eq!(method("cabs", settings).validate(), Err(ParameterError::Conflict(what)));
    }
}

/// A pass of width 1 has an answer at once where bounds do not tell states apart, and a proof ends the run.
#[test]
fn an_answer_comes_early_and_the_proof_later() {
    for bag in [Bag::sixteen(), Bag::sixteen().mirrored()] {
        let problem = Fenced::new(bag.clone());
        let run = |settings: &[(&str, &str)]| Solver::new(&problem, by_bound(settings)).seed(2).run().unwrap();
        for settings in [&[][..], &[("span", "10")], &[("span", "1e12")]] {
            let outcome = run(settings);
            assert_eq!((outcome.stop, outcome.optimal), (StopReason::Exhausted, true), "{settings:?}");
            assert_eq!(outcome.best.unwrap().score.value().map(f64::abs), Some(bag.optimum()), "{settings:?}");
        }
        // One layer and width 1: no state has more than 16 children, no solution more than 10 moves.
        let budget = nodes(160);
        let method = by_bound(&[("span", "1e12")]);
        assert!(Solver::new(&problem, method).budget(budget).run().unwrap().best.is_some());
    }
}
