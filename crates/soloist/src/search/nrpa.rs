//! Nested rollout policy adaptation.

use super::{Context, Search, Status};
use crate::checkpoint::{decode, encode};
use crate::parameter::parameters;
use crate::{CheckpointError, Move, Policy, Problem, Score, Sense, Trace};
use serde::{Deserialize, Serialize};

parameters! {
    /// Nested rollout policy adaptation (NRPA).
    ///
    /// A playout draws its moves with chances proportional to `exp(logit(code) / temperature + bias_weight * bias)`.
    /// Level `n` calls level `n - 1` `iterations` times, keeps the best sequence (ties replace) and after *every* call
    /// moves a copy of its policy towards that sequence: `logit(c) += alpha / temperature * (times chosen - sum of
    /// chances)`; see [`Policy::adapt`]. The copy is dropped when the level ends.
    ///
    /// With `playouts = 1`, `temperature = 1`, no bias and no clamp this is Rosin's algorithm exactly. (The pseudo-code
    /// in Cazenave & Edelkamp 2016 puts the adaptation inside the test for improvement; Rosin and the published
    /// programs do not, nor do we.)
    ///
    /// With `arms > 1`, so many blank runs begin; each does `race` iterations of the outermost level, then the worse
    /// half (by best score, ties to the earlier) is dropped, and so on until one is left, which goes on to its end:
    /// successive halving, which keeps a run from spending itself in the basin where its first moves happened to fall.
    /// Ours; the halving is that of Jamieson and Talwalkar, AISTATS 2016.
    ///
    /// Of the rollout only its candidates count (and its way of playing the policy fast): what it prefers among them is
    /// what NRPA learns.
    ///
    /// When to use it: long solutions whose good moves are good in many orders: puzzles, tours, packings. Cost per
    /// step: one playout plus, for each `playouts` of them, one adaptation linear in the moves offered. Memory: one
    /// sequence a level and the codes adapted.
    ///
    /// ```
    /// # use soloist::{Budget, Method, Solver, doc::Staircase};
    /// let outcome = Solver::new(&Staircase(20), Method::preset("nrpa").unwrap())
    ///     .budget(Budget::playouts(20_000)).seed(1).run().unwrap();
    /// assert_eq!(outcome.best.unwrap().score.value(), Some(20.0));
    /// ```
    ///
    /// # References
    /// C. D. Rosin, "Nested rollout policy adaptation for Monte Carlo tree search", IJCAI 2011, pages 649-654. T.
    /// Cazenave, "Generalized nested rollout policy adaptation", arXiv:2003.10024, 2020 (temperature, bias). T.
    /// Cazenave, J.-B. Sevestre and M. Toulemont, "Stabilized nested rollout policy adaptation", arXiv:2101.03563, 2021
    /// (playouts).
    pub struct Nrpa {
        /// nesting level
        level: u64 = 4, 1..=12;
        /// calls of the level below per level
        iterations: u64 = 100, 1..=1_000_000_000;
        /// learning rate
        alpha: f64 = 1.0, 0.0..=1000.0;
        /// playouts between two adaptations at level 1, the best so far being learned
        playouts: u64 = 1, 1..=1_000_000;
        /// divides the logits
        temperature: f64 = 1.0, 0.001..=1000.0;
        /// weight of the problem's own bias of moves
        bias_weight: f64 = 0.0, -1000.0..=1000.0;
        /// largest absolute logit
        clamp: f64 = f64::INFINITY, 0.0..=f64::INFINITY;
        /// independent runs that compete at the start, each on a variant of the rollout, the worse half dropped after
        /// every round
        arms: u64 = 1, 1..=1024;
        /// iterations of the outermost level that each arm gets in a round
        race: u64 = 3, 1..=1_000_000_000;
        /// start anew with a blank policy when a run ends, until the budget is used up
        restarts: bool = true, ();
    }
}

/// A level in progress: level 1 is the last of the stack.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "M: Move")]
struct Frame<M> {
    iteration: u64,
    /// Playouts since the last adaptation; level 1 only.
    playouts: u64,
    best: Option<Score>,
    trace: Trace<M>,
}

/// One nested run: its policy and its levels.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "M: Move")]
struct Arm<M> {
    /// Variant of the rollout.
    variant: usize,
    policy: Policy,
    /// One frame a level, outermost first.
    frames: Vec<Frame<M>>,
    ended: bool,
}

impl<M: Move> Arm<M> {
    fn new(own: &Nrpa, variant: usize) -> Self {
        let policy = Policy::new(own.temperature, own.bias_weight, own.clamp);
        let frame = || Frame { iteration: 0, playouts: 0, best: None, trace: Trace::default() };
        let frames = (0..own.level).map(|_| frame()).collect();
        let mut arm = Self { variant, policy, frames, ended: false };
        for level in 0..arm.frames.len() {
            arm.enter(level);
        }
        arm
    }

    /// A call of a level begins, on its own copy of the policy.
    fn enter(&mut self, level: usize) {
        self.policy.push();
        let frame = &mut self.frames[level];
        frame.iteration = 0;
        frame.playouts = 0;
        frame.best = None;
    }

    /// Level 1 got a playout's trace (exchanged for another buffer): adapt, and pass results upwards from every level
    /// that ends.
    fn absorb(&mut self, own: &Nrpa, sense: Sense, score: Score, trace: &mut Trace<M>) {
        let innermost = self.frames.len() - 1;
        let frame = &mut self.frames[innermost];
        if frame.best.is_none_or(|best| sense.at_least(score, best)) {
            frame.best = Some(score);
            std::mem::swap(&mut frame.trace, trace);
        }
        frame.playouts += 1;
        if frame.playouts < own.playouts {
            return;
        }
        frame.playouts = 0;
        let mut level = innermost;
        loop {
            let frame = &mut self.frames[level];
            frame.iteration += 1;
            if frame.iteration < own.iterations {
                self.policy.adapt(&frame.trace, own.alpha);
                break;
            }
            // The last adaptation of a level would be dropped with its copy: skipped.
            self.policy.pop();
            if level == 0 {
                self.ended = true;
                return;
            }
            let (above, below) = self.frames.split_at_mut(level);
            let (above, below) = (&mut above[level - 1], &mut below[0]);
            if let Some(score) = below.best
                && above.best.is_none_or(|best| sense.at_least(score, best))
            {
                above.best = Some(score);
                std::mem::swap(&mut above.trace, &mut below.trace);
            }
            level -= 1;
        }
        for below in level + 1..self.frames.len() {
            self.enter(below);
        }
    }

    /// Calls of the level below that the outermost level has finished.
    fn iterations(&self) -> u64 {
        self.frames[0].iteration
    }
}

pub(crate) struct Run<P: Problem> {
    own: Nrpa,
    arms: Vec<Arm<P::Move>>,
    /// The arm at work.
    turn: usize,
    /// Iterations at which an arm's turn ends; unused when there is one arm.
    goal: u64,
    /// The variant that the rollout is set to; unknown after a resume.
    variant: Option<usize>,
    trace: Trace<P::Move>,
    state: P::State,
    root: P::State,
}

impl<P: Problem> Run<P> {
    pub(crate) fn new(own: Nrpa, problem: &P) -> Self {
        let root = problem.root();
        Self {
            own,
            arms: Vec::new(),
            turn: 0,
            goal: 0,
            variant: None,
            trace: Trace::default(),
            state: root.clone(),
            root,
        }
    }

    fn start(&mut self, variants: usize) {
        let count = self.own.arms as usize;
        self.arms = (0..count).map(|arm| Arm::new(&self.own, arm % variants.max(1))).collect();
        (self.turn, self.goal) = (0, self.own.race);
    }

    /// Ends the turn of an arm that did its share, and a round of turns by dropping the worse half.
    fn next_turn(&mut self, sense: Sense) {
        let arm = &self.arms[self.turn];
        if self.arms.len() == 1 || !(arm.ended || arm.iterations() >= self.goal) {
            return;
        }
        self.turn += 1;
        if self.turn < self.arms.len() {
            return;
        }
        let mut order: Vec<usize> = (0..self.arms.len()).collect();
        let better = |a: usize, b: usize| match (self.arms[a].frames[0].best, self.arms[b].frames[0].best) {
            (Some(a), Some(b)) => sense.better(a, b),
            (best, other) => best.is_some() && other.is_none(),
        };
        // A stable sort: of equal arms the earlier one stays.
        order.sort_by(|&a, &b| better(b, a).cmp(&better(a, b)));
        order.truncate(self.arms.len().div_ceil(2));
        let mut index = 0;
        self.arms.retain(|_| {
            index += 1;
            order.contains(&(index - 1))
        });
        self.turn = 0;
        self.goal += self.own.race;
    }

    fn ended(&self) -> bool {
        matches!(self.arms.as_slice(), [arm] if arm.ended)
    }
}

impl<P: Problem> Search<P> for Run<P> {
    fn step(&mut self, context: &mut Context<'_, P>) -> Status {
        if self.arms.is_empty() || self.ended() {
            if !self.arms.is_empty() && !self.own.restarts {
                return Status::Completed;
            }
            self.start(context.rollout.variants(context.problem));
        }
        let arm = &mut self.arms[self.turn];
        if self.variant != Some(arm.variant) {
            context.rollout.set_variant(arm.variant);
            self.variant = Some(arm.variant);
        }
        let sense = context.problem.sense();
        if !arm.ended {
            self.state.clone_from(&self.root);
            self.trace.clear();
            context.rollout.run_policy(context.problem, &mut self.state, &arm.policy, &mut self.trace, context.rng);
            let score = context.finish(&self.state, &[], &self.trace.moves);
            arm.absorb(&self.own, sense, score, &mut self.trace);
        }
        self.next_turn(sense);
        if self.ended() && !self.own.restarts { Status::Completed } else { Status::Running }
    }

    fn save(&self) -> Vec<u8> {
        encode(&(&self.arms, self.turn, self.goal))
    }

    fn load(&mut self, _: &P, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (arms, turn, goal) = decode::<(Vec<Arm<P::Move>>, usize, u64)>(bytes)?;
        let levels = |arm: &Arm<P::Move>| arm.frames.len() as u64 == self.own.level;
        if !arms.iter().all(levels) || turn >= arms.len().max(1) {
            return Err(CheckpointError::Corrupt("another number of levels or arms"));
        }
        (self.arms, self.turn, self.goal) = (arms, turn, goal);
        Ok(())
    }
}
