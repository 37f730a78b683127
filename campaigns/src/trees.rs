//! Random trees given as tables, for comparison with brute force: `campaigns/adversary.py` draws them and judges what
//! the searches say of them.
//!
//! Each line of the input is a tree with some runs, each line of the output the results of these runs.

use crate::claims::{Answer, Refusal, Run, answer, lines};
use anyhow::Result;
use serde::Deserialize;
use soloist::problem::{Dominance, Prior, stable_hash};
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
    /// How many bits of their hashes the keys have: with few of them different states have equal keys all the time.
    key_bits: u32,
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

    fn shorten(&self, hash: u64) -> u64 {
        hash & (u64::MAX >> (64 - self.key_bits.clamp(1, 64)))
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
    fn key(&self, at: &At) -> Option<u64> {
        self.has_key.then(|| self.shorten(stable_hash(&(at.node, at.so_far.to_bits()))))
    }
    fn dominance(&self) -> Option<&dyn Dominance<Self>> {
        self.has_future.then_some(self as &dyn Dominance<Self>)
    }
    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        let name = ["spent", "selective", "greedy"].into_iter().find(|&name| name == self.rollout);
        name.map(|name| NamedRollout::new(name, "", |_| Box::new(Policy))).into_iter().collect()
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }
}

impl Prior<Tree> for Tree {
    fn bias(&self, at: &At, mv: u32) -> f64 {
        if self.has_bias { self.nodes[self.node(at).children[mv as usize] as usize].bias } else { 0.0 }
    }
}

impl Dominance<Tree> for Tree {
    fn future(&self, at: &At) -> (u64, f64) {
        (self.shorten(stable_hash(&at.node)), at.so_far)
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
