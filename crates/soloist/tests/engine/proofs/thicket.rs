//! Random trees and graphs, small enough to look at every way through them.

use soloist::problem::{Dominance, Extras, Facts, Key, Prior, stable_hash};
use soloist::rollout::{NamedRollout, Playout, Rollout, RolloutInfo};
use soloist::{Problem, Rng, Score, Sense};

/// A way on: the node it leads to, what it adds to the score, its bias.
type Way = (usize, i32, f64);

/// A random graph by layers. A solution is a way from node 0 to a node without ways; its score is the sum of what the
/// ways add and the worth of the last node. What a problem may offer (bounds, keys, futures, a potential) is drawn too.
#[derive(Clone, Debug)]
pub(crate) struct Thicket {
    ways: Vec<Vec<Way>>,
    /// By node: the score of its solutions without the way there; `None`: infeasible.
    worth: Vec<Option<i32>>,
    /// By node: what a bound allows beside the way there; empty: there are no bounds.
    bounds: Vec<f64>,
    sense: Sense,
    keys: bool,
    futures: bool,
    potential: bool,
    complete: bool,
    seed: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Place {
    node: usize,
    sum: i32,
    depth: u32,
}

impl Thicket {
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let (layers, width, fan) = (2 + rng.index(4), 2 + rng.index(7), 2 + rng.index(3));
        let feasible = [0, 1, 1, 5, 50][rng.index(5)];
        let sense = [Sense::Maximize, Sense::Minimize][rng.index(2)];
        let mut thicket = Self {
            ways: vec![Vec::new()],
            worth: Vec::new(),
            bounds: Vec::new(),
            sense,
            keys: rng.index(2) == 0,
            futures: rng.index(2) == 0,
            potential: rng.index(2) == 0,
            complete: rng.index(10) > 0,
            seed,
        };
        let mut above = 0..1;
        for layer in 0..layers {
            let below = above.end..above.end + width;
            thicket.ways.resize(below.end, Vec::new());
            for node in above.clone() {
                // Some ways end early, never that of the root.
                if layer == 0 || rng.index(6) > 0 {
                    for _ in 0..1 + rng.index(fan) {
                        let to = below.start + rng.index(width);
                        if thicket.ways[node].iter().all(|way| way.0 != to) {
                            let bias = rng.below(5) as f64 / 2.0 - 1.0;
                            thicket.ways[node].push((to, rng.below(9) as i32 - 4, bias));
                        }
                    }
                }
            }
            above = below;
        }
        // Of 50 ends one is feasible, or each, or none.
        let worth = |rng: &mut Rng| {
            let is_feasible = feasible > 0 && rng.index(feasible) == 0;
            (is_feasible).then(|| rng.below(13) as i32 - 6)
        };
        thicket.worth = (0..thicket.ways.len()).map(|_| worth(&mut rng)).collect();
        if rng.index(3) > 0 {
            let slack = [0, 1, 3, 12][rng.index(4)];
            thicket.set_bounds(slack, &mut rng);
        }
        thicket
    }

    /// One without a feasible solution.
    pub(crate) fn hopeless(seed: u64) -> Self {
        let mut thicket = Self { complete: true, bounds: Vec::new(), ..Self::new(seed) };
        thicket.worth.fill(None);
        thicket
    }

    /// The best that can follow on each node, more or less, with no better sum than is possible.
    fn set_bounds(&mut self, slack: u64, rng: &mut Rng) {
        let sign = if self.sense == Sense::Maximize { 1.0 } else { -1.0 };
        let mut bounds = Vec::new();
        for node in 0..self.ways.len() {
            let exact = self.completions(node).into_iter().flatten().map(|sum| f64::from(sum) * sign);
            let exact = exact.reduce(f64::max).unwrap_or(-9.0);
            bounds.push((exact + rng.below(slack + 1) as f64) * sign);
        }
        self.bounds = bounds;
    }

    /// What the ways from a node to an end add up to; `None`: infeasible.
    fn completions(&self, node: usize) -> Vec<Option<i32>> {
        if self.ways[node].is_empty() {
            return vec![self.worth[node]];
        }
        let below = |way: &Way| {
            let more = way.1;
            self.completions(way.0).into_iter().map(move |sum| sum.map(|sum| sum + more)).collect::<Vec<_>>()
        };
        self.ways[node].iter().flat_map(below).collect()
    }

    /// The best score of all ways. `None`: none is feasible.
    pub(crate) fn optimum(&self) -> Option<f64> {
        self.optimum_behind(&[])
    }

    /// The best score of all ways that begin with `prefix`. `None`: none is feasible.
    pub(crate) fn optimum_behind(&self, prefix: &[u8]) -> Option<f64> {
        let (mut node, mut sum) = (0, 0);
        for &mv in prefix {
            let (next, more, _) = self.ways[node][mv as usize];
            (node, sum) = (next, sum + more);
        }
        let all = self.completions(node).into_iter().flatten();
        if self.sense == Sense::Maximize { all.max() } else { all.min() }.map(|rest| f64::from(sum + rest))
    }

    /// A random solution that begins with `prefix`.
    pub(crate) fn any_line(&self, prefix: &[u8], rng: &mut Rng) -> Vec<u8> {
        let mut line = prefix.to_vec();
        let mut node = prefix.iter().fold(0, |node, &mv| self.ways[node][mv as usize].0);
        while !self.ways[node].is_empty() {
            let pick = rng.index(self.ways[node].len());
            line.push(pick as u8);
            node = self.ways[node][pick].0;
        }
        line
    }
}

impl Problem for Thicket {
    type State = Place;
    type Move = u8;

    fn root(&self) -> Place {
        Place { node: 0, sum: 0, depth: 0 }
    }
    fn moves(&self, state: &Place, moves: &mut Vec<u8>) {
        moves.extend(0..self.ways[state.node].len() as u8);
    }
    fn apply(&self, state: &mut Place, mv: u8) {
        let (node, more, _) = self.ways[state.node][mv as usize];
        *state = Place { node, sum: state.sum + more, depth: state.depth + 1 };
    }
    fn score(&self, state: &Place) -> Score {
        match self.worth[state.node] {
            Some(worth) => Score::Feasible(f64::from(state.sum + worth)),
            None => Score::Infeasible(f64::from(state.node as u32 % 3 + 1)),
        }
    }
    fn sense(&self) -> Sense {
        self.sense
    }
    fn bound(&self, state: &Place) -> Option<f64> {
        self.bounds.get(state.node).map(|bound| f64::from(state.sum) + bound)
    }
    fn potential(&self, state: &Place) -> Option<f64> {
        self.potential.then(|| (stable_hash(&(self.seed, state.node as u64)) % 7) as f64)
    }
    fn key(&self, state: &Place) -> Option<Key> {
        self.keys.then(|| Key::of(&(state.node as u64, state.sum as u64)))
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        self.futures.then_some(self as &dyn Dominance<Self>)
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        Facts { is_complete: self.complete, ..Facts::default() }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Thicket {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        fn partial(shy: bool, from: u32) -> Option<Box<dyn Rollout<Thicket>>> {
            Some(Box::new(Partial { shy, from }))
        }
        NamedRollout::list(&ROLLOUTS, |_, name| match name {
            "always" => partial(false, 0),
            "late" => partial(false, 2),
            "shy" => partial(true, u32::MAX),
            "shy-always" => partial(true, 0),
            _ => None,
        })
    }
}

impl Prior<Thicket> for Thicket {
    fn bias(&self, state: &Place, mv: u8) -> f64 {
        self.ways[state.node][mv as usize].2
    }
}

impl Dominance<Thicket> for Thicket {
    fn future(&self, state: &Place) -> (Key, f64) {
        ((state.node as u64).into(), f64::from(state.sum))
    }
}

pub(crate) static ROLLOUTS: [RolloutInfo; 5] = [
    RolloutInfo { name: "random", help: "uniform" },
    RolloutInfo { name: "always", help: "says of every state that it is spent" },
    RolloutInfo { name: "late", help: "says of every state two moves below the root that it is spent" },
    RolloutInfo { name: "shy", help: "considers some of the moves" },
    RolloutInfo { name: "shy-always", help: "considers some of the moves and says that every state is spent" },
];

/// A rollout that leaves solutions out: it considers a part of the moves, and needs no other playout from some states.
struct Partial {
    shy: bool,
    /// The depth from which on states are spent.
    from: u32,
}

impl Rollout<Thicket> for Partial {
    fn candidates(&mut self, problem: &Thicket, state: &Place, moves: &mut Vec<u8>) {
        problem.moves(state, moves);
        if self.shy && moves.len() > 1 {
            let dropped = stable_hash(&(problem.seed, state.node as u64)) as usize % moves.len();
            moves.remove(dropped);
        }
    }
    fn run(&mut self, problem: &Thicket, state: &mut Place, playout: &mut Playout<u8>, rng: &mut Rng) {
        if state.depth >= self.from {
            playout.mark_spent();
        }
        let mut moves = Vec::new();
        loop {
            moves.clear();
            self.candidates(problem, state, &mut moves);
            if moves.is_empty() {
                return;
            }
            let mv = moves[rng.index(moves.len())];
            problem.apply(state, mv);
            playout.moves.push(mv);
        }
    }
}
