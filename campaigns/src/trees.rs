//! Random trees given as tables, for comparison with brute force: `campaigns/adversary.py` draws them and judges what
//! the searches say of them.
//!
//! Each line of the input is a tree with some runs, each line of the output the results of these runs.

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use soloist::problem::{Dominance, Key, Prior, stable_hash};
use soloist::rollout::{NamedRollout, Playout, Rollout};
use soloist::run::SolveError;
use soloist::{Budget, Outcome, Problem, Rng, Score, Sense, Setup, Solver};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

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

/// A run on the tree.
#[derive(Debug, Deserialize)]
struct Run {
    method: String,
    set: BTreeMap<String, String>,
    seed: u64,
    threads: usize,
    playouts: u64,
    nodes: u64,
    memory: u64,
    /// Playouts after which the run is saved and restored, each counted from the last cut.
    cuts: Vec<u64>,
}

/// What came of a run.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Answer {
    Refused { refused: String },
    Error { error: String },
    Result { feasible: bool, score: Option<f64>, optimal: bool, infeasible: bool, bound: Option<f64>, stop: String },
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
        self.has_key.then(|| Key::of(&(at.node, at.so_far.to_bits())))
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
    fn future(&self, at: &At) -> (Key, f64) {
        (u64::from(at.node).into(), at.so_far)
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
fn run(tree: &Tree, run: &Run) -> Result<Outcome<u32>, Refusal> {
    let refuse = |error: &dyn std::fmt::Display| Refusal::Refused(error.to_string());
    let mut setup = Setup::preset(&run.method).ok_or_else(|| refuse(&"no such method"))?;
    for (name, value) in &run.set {
        setup.method.set(name, value).map_err(|error| refuse(&error))?;
    }
    let limits = Budget { nodes: Some(run.nodes), memory: run.memory, ..Budget::playouts(run.playouts) };
    let limits = Budget { time: Some(Duration::from_millis(200)), ..limits };
    let solver = || Solver::new(tree, setup.clone()).seed(run.seed).threads(run.threads).budget(limits.clone());
    let failed = |error: SolveError| match error {
        SolveError::Method(_) | SolveError::Memory { .. } | SolveError::Portfolio(_) => refuse(&error),
        error => Refusal::Failed(error.to_string()),
    };
    let mut session = solver().start().map_err(failed)?;
    for &cut in &run.cuts {
        session.advance(&Budget { nodes: Some(run.nodes), ..Budget::playouts(cut) }).map_err(failed)?;
        let bytes = session.save();
        let resumed = Solver::new(tree, setup.clone()).budget(limits.clone()).resume(&bytes);
        session = resumed.map_err(|error| Refusal::Failed(error.to_string()))?.start().map_err(failed)?;
    }
    session.advance(&limits).map_err(failed)?;
    Ok(session.outcome())
}

/// Why there is no outcome.
enum Refusal {
    /// The settings do not go together.
    Refused(String),
    /// The run ended with an error.
    Failed(String),
}

fn answer(tree: &Tree, wanted: &Run) -> Answer {
    match catch_unwind(AssertUnwindSafe(|| run(tree, wanted))) {
        Ok(Ok(outcome)) => {
            let score = outcome.best.as_ref().map(|best| best.score);
            let value = score.and_then(Score::value);
            Answer::Result {
                feasible: value.is_some(),
                score: value,
                optimal: outcome.optimal,
                infeasible: outcome.infeasible,
                bound: outcome.bound,
                stop: outcome.stop.to_string(),
            }
        }
        Ok(Err(Refusal::Refused(refused))) => Answer::Refused { refused },
        Ok(Err(Refusal::Failed(error))) => Answer::Error { error },
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
            Answer::Error { error: format!("panic: {}", text.unwrap_or_default()) }
        }
    }
}

/// Answers each line of `input` with a line of `output`.
///
/// # Errors
/// A line that is not a tree with runs, and streams that fail.
pub fn serve(input: impl BufRead, mut output: impl Write) -> Result<()> {
    for line in input.lines() {
        let line: Line = serde_json::from_str(&line?).context("a tree with runs")?;
        anyhow::ensure!(line.tree.is_sound(), "a tree whose edges do not lead forward");
        let answers: Vec<Answer> = line.runs.iter().map(|run| answer(&line.tree, run)).collect();
        serde_json::to_writer(&mut output, &answers)?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}
