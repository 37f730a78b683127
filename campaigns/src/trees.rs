//! Random trees given as tables, for comparison with brute force: `campaigns/adversary.py` draws them and judges what
//! the searches say of them.
//!
//! Each line of the input is a tree with some runs, each line of the output the results of these runs.

use crate::claims::{Answer, Refusal, Run, answer, lines};
use anyhow::Result;
use serde::Deserialize;
use soloist::problem::{Dominance, Extras, Key, Prior, stable_hash};
use soloist::rollout::{NamedRollout, Playout, Rollout};
use soloist::{Budget, Problem, Rng, Score, Sense, Solver};
use std::io::{BufRead, Write};

/// A line of the input.
#[derive(Debug, Deserialize)]
struct Line {
    tree: Tree,
    runs: Vec<Run>,
}

/// A tree, or a graph without cycles: node 0 is the root. A solution's score is that of its leaf and the costs of the
/// edges that lead there.
#[derive(Debug, Deserialize)]
struct Tree {
    smaller: bool,
    nodes: Vec<Node>,
    has_bound: bool,
    has_key: bool,
    has_future: bool,
    has_bias: bool,
    has_potential: bool,
    rollout: String,
    /// What the keys of states are like.
    keys: Keys,
}

/// Different states always have different keys. But a search may look at a part of them, for a place in a table or a
/// tie-break, and has to compare all of it in the end.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Keys {
    /// As [`Key::of`] makes them.
    Hashed,
    /// Numbers that distinguish states.
    Numbers,
    /// All in one place of every table.
    Heap,
    /// With the same 64 bits for tie-breaks, up to this number of them.
    Few(u64),
}

#[derive(Debug, Deserialize)]
struct Node {
    children: Vec<u32>,
    /// The cost of the edge to each child.
    costs: Vec<f64>,
    /// The score or the violation of a leaf.
    value: f64,
    feasible: bool,
    /// No leaf below has a better score, the costs so far aside.
    bound: f64,
    bias: f64,
    /// Whether the rollout `spent` says that another game from here is useless.
    spent: bool,
    /// How many of the children the rollout `selective` considers.
    candidates: usize,
}

/// A node, and the costs of the edges that led there.
#[derive(Clone, Debug)]
struct At {
    node: u32,
    so_far: f64,
}

impl Tree {
    fn node(&self, at: &At) -> &Node {
        &self.nodes[at.node as usize]
    }

    /// The key of a state that `number` distinguishes from all others of this tree.
    fn key_of(&self, number: u64) -> Key {
        /// What the engine mixes into the words of a number; a change there makes these keys as good as any others.
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        const PLACE: u64 = 0x243f_6a88_85a3_08d3;
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            (product >> 64) as u64 ^ product as u64 ^ a.rotate_left(32)
        };
        let words = |high: u64, low: u64| Key::from(u128::from(high) << 64 | u128::from(low));
        match self.keys {
            Keys::Hashed => Key::of(&number),
            Keys::Numbers => number.into(),
            Keys::Heap => words(number, PLACE),
            Keys::Few(most) => words(number, fold(number, FACTOR) ^ (number % most.max(1))),
        }
    }

    /// Whether all edges lead forward, so that every game ends.
    fn is_sound(&self) -> bool {
        let fits = |(at, node): (usize, &Node)| {
            let forward =
                node.children.iter().all(|&child| (child as usize) > at && (child as usize) < self.nodes.len());
            forward && node.costs.len() == node.children.len()
        };
        !self.nodes.is_empty() && self.nodes.iter().enumerate().all(fits)
    }
}

impl Problem for Tree {
    type State = At;
    type Move = u32;
    fn root(&self) -> At {
        At { node: 0, so_far: 0.0 }
    }
    fn moves(&self, at: &At, moves: &mut Vec<u32>) {
        moves.extend(0..self.node(at).children.len() as u32);
    }
    fn apply(&self, at: &mut At, mv: u32) {
        let node = self.node(at);
        *at = At { node: node.children[mv as usize], so_far: at.so_far + node.costs[mv as usize] };
    }
    fn score(&self, at: &At) -> Score {
        let node = self.node(at);
        if node.feasible { Score::Feasible(at.so_far + node.value) } else { Score::Infeasible(node.value) }
    }
    fn sense(&self) -> Sense {
        if self.smaller { Sense::Minimize } else { Sense::Maximize }
    }
    fn code(&self, at: &At, mv: u32) -> u64 {
        stable_hash(&(at.node, mv))
    }
    fn bound(&self, at: &At) -> Option<f64> {
        self.has_bound.then(|| at.so_far + self.node(at).bound)
    }
    fn potential(&self, at: &At) -> Option<f64> {
        self.has_potential.then(|| self.node(at).bias - self.node(at).bound)
    }
    fn key(&self, at: &At) -> Option<Key> {
        // Costs are whole numbers, far below 2^31.
        self.has_key.then(|| self.key_of(u64::from(at.node) << 32 | u64::from(at.so_far as i32 as u32)))
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        self.has_future.then_some(self as &dyn Dominance<Self>)
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Tree {
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        let name = ["spent", "selective", "greedy"].into_iter().find(|&name| name == self.rollout);
        name.map(|name| NamedRollout::new(name, "", |_| Box::new(Policy))).into_iter().collect()
    }
}

impl Prior<Tree> for Tree {
    fn bias(&self, at: &At, mv: u32) -> f64 {
        if self.has_bias { self.nodes[self.node(at).children[mv as usize] as usize].bias } else { 0.0 }
    }
}

impl Dominance<Tree> for Tree {
    fn future(&self, at: &At) -> (Key, f64) {
        (self.key_of(at.node.into()), at.so_far)
    }
}

/// A rollout that leaves something out: see the names in [`Tree::rollouts`].
struct Policy;

impl Rollout<Tree> for Policy {
    fn candidates(&mut self, problem: &Tree, at: &At, moves: &mut Vec<u32>) {
        problem.moves(at, moves);
        match problem.rollout.as_str() {
            "selective" => moves.truncate(problem.node(at).candidates.max(1)),
            "greedy" | "spent" => moves.truncate(1),
            _ => {}
        }
    }
    fn run(&mut self, problem: &Tree, at: &mut At, playout: &mut Playout<u32>, rng: &mut Rng) {
        if problem.rollout == "spent" && problem.node(at).spent {
            playout.mark_spent();
        }
        let mut moves = Vec::new();
        loop {
            moves.clear();
            self.candidates(problem, at, &mut moves);
            if moves.is_empty() {
                return;
            }
            let mv = moves[rng.index(moves.len())];
            problem.apply(at, mv);
            playout.moves.push(mv);
        }
    }
}

/// Runs one search in parts.
fn run(tree: &Tree, run: &Run) -> Result<Answer, Refusal> {
    let (setup, limits) = (run.setup()?, run.limits());
    let solver = || Solver::new(tree, setup.clone()).budget(limits.clone());
    let mut session = solver().start()?;
    for &cut in &run.cuts {
        session.advance(&Budget { nodes: Some(run.nodes), ..Budget::playouts(cut) })?;
        let bytes = session.save();
        session = solver().resume(&bytes).map_err(Refusal::failed)?.start()?;
    }
    session.advance(&limits)?;
    let outcome = session.outcome();
    let score = outcome.best.as_ref().and_then(|best| best.score.value());
    Ok(Answer::Result {
        feasible: score.is_some(),
        score,
        optimal: outcome.optimal,
        infeasible: outcome.infeasible,
        bound: outcome.bound,
        stop: outcome.stop.to_string(),
        prefix: serde_json::Value::Null,
    })
}

/// Answers each line of `input`, a tree with runs, with a line of `output`.
///
/// # Errors
/// A line that is something else, and streams that fail.
pub fn serve(input: impl BufRead, output: impl Write) -> Result<()> {
    lines(input, output, |Line { tree, runs }| {
        anyhow::ensure!(tree.is_sound(), "a tree whose edges do not lead forward");
        Ok(runs.iter().map(|one| answer(|| run(&tree, one))).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use soloist::problem::StableHasher;
    use std::collections::HashSet;
    use std::hash::Hasher;

    fn tree(keys: &str) -> Tree {
        let node = r#"{"children": [], "costs": [], "value": 0, "feasible": true, "bound": 0, "bias": 0,
            "spent": false, "candidates": 1}"#;
        let known =
            r#""has_bound": true, "has_key": true, "has_future": true, "has_bias": true, "has_potential": true"#;
        let text = format!(r#"{{"smaller": true, "nodes": [{node}], {known}, "rollout": "random", "keys": {keys}}}"#);
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn keys_of_every_kind_tell_states_apart() {
        for keys in [r#""hashed""#, r#""numbers""#, r#""heap""#, r#"{"few": 1}"#, r#"{"few": 4}"#] {
            let tree = tree(keys);
            let numbers = (0..1000_u64).chain((0..1000).map(|at| at << 32));
            let ids: HashSet<u128> = numbers.map(|number| tree.key_of(number).id()).collect();
            // Number 0 is in both lists.
            assert_eq!(ids.len(), 1999, "{keys}");
        }
    }

    /// What `collisions.py` makes is only a collision while the hash for tie-breaks is this one.
    #[test]
    fn states_of_a_crafted_knapsack_have_equal_hashes() {
        let hash = |words: [u64; 3]| {
            let mut hasher = StableHasher::new();
            words.into_iter().for_each(|word| hasher.write_u64(word));
            hasher.finish()
        };
        // Items packed, room left, value: solved from the constants of the hash.
        let (one, other) = ([2, 84_500_080_402, 1_125_899_906_842_624], [2, 171_294_606_236, 1_125_928_913_073_845]);
        assert_eq!(hash(one), hash(other));
        assert_ne!(Key::of(&one), Key::of(&other));
    }
}
