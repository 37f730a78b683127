//! Nested rollout policy adaptation.

use super::{Context, Search, Status};
use crate::checkpoint::{decode, encode};
use crate::parameter::parameters;
use crate::{CheckpointError, Move, Policy, Problem, Score, Trace};
use serde::{Deserialize, Serialize};

parameters! {
    /// Nested rollout policy adaptation (NRPA).
    ///
    /// A playout draws its moves with chances proportional to `exp(logit(code) / temperature + bias_weight * bias)`. Level `n` calls level `n - 1`
    /// `iterations` times, keeps the best sequence (ties replace) and after *every* call moves a copy of its policy towards that sequence:
    /// `logit(c) += alpha / temperature * (times chosen - sum of chances)`; see [`Policy::adapt`]. The copy is
    /// dropped when the level ends.
    ///
    /// With `playouts = 1`, `temperature = 1`, no bias and no clamp this is Rosin's algorithm exactly. (The pseudo-code in
    /// Cazenave & Edelkamp 2016 puts the adaptation inside the test for improvement; Rosin and the published programs do not, nor do we.)
    ///
    /// When to use it: long solutions whose good moves are good in many orders: puzzles, tours, packings. Cost per step: one
    /// playout plus, for each `playouts` of them, one adaptation linear in the moves offered. Memory: one sequence a level and the codes adapted.
    ///
    /// ```
    /// # use soloist::{Budget, Method, Solver, doc::Staircase};
    /// let outcome = Solver::new(&Staircase(20), Method::preset("nrpa").unwrap())
    ///     .budget(Budget::playouts(20_000)).seed(1).run().unwrap();
    /// assert_eq!(outcome.best.unwrap().score.value(), Some(20.0));
    /// ```
    ///
    /// # References
    /// C. D. Rosin, "Nested rollout policy adaptation for Monte Carlo tree search", IJCAI 2011, pages 649-654.
    /// T. Cazenave, "Generalized nested rollout policy adaptation", arXiv:2003.10024, 2020 (temperature, bias).
    /// T. Cazenave, J.-B. Sevestre and M. Toulemont, "Stabilized nested rollout policy adaptation", arXiv:2101.03563, 2021 (playouts).
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

pub(crate) struct Run<P: Problem> {
    own: Nrpa,
    policy: Policy,
    /// One frame a level, outermost first; always full while a run is in progress.
    frames: Vec<Frame<P::Move>>,
    /// Whether the outermost level ended.
    ended: bool,
    trace: Trace<P::Move>,
    state: P::State,
    root: P::State,
}

impl<P: Problem> Run<P> {
    pub(crate) fn new(own: Nrpa, problem: &P) -> Self {
        let policy = Policy::new(own.temperature, own.bias_weight, own.clamp);
        let root = problem.root();
        let frames =
            (0..own.level).map(|_| Frame { iteration: 0, playouts: 0, best: None, trace: Trace::default() }).collect();
        let mut run = Self { own, policy, frames, ended: false, trace: Trace::default(), state: root.clone(), root };
        run.start();
        run
    }

    fn start(&mut self) {
        self.policy.clear();
        for level in 0..self.frames.len() {
            self.enter(level);
        }
        self.ended = false;
    }

    /// A call of a level begins, on its own copy of the policy.
    fn enter(&mut self, level: usize) {
        self.policy.push();
        let frame = &mut self.frames[level];
        frame.iteration = 0;
        frame.playouts = 0;
        frame.best = None;
    }

    /// Level 1 got a playout's trace: adapt, and pass results upwards from every level that ends.
    fn absorb(&mut self, problem: &P, score: Score) {
        let sense = problem.sense();
        let innermost = self.frames.len() - 1;
        let frame = &mut self.frames[innermost];
        if frame.best.is_none_or(|best| sense.at_least(score, best)) {
            frame.best = Some(score);
            std::mem::swap(&mut frame.trace, &mut self.trace);
        }
        frame.playouts += 1;
        if frame.playouts < self.own.playouts {
            return;
        }
        frame.playouts = 0;
        let mut level = innermost;
        loop {
            let frame = &mut self.frames[level];
            frame.iteration += 1;
            if frame.iteration < self.own.iterations {
                self.policy.adapt(&frame.trace, self.own.alpha);
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
}

impl<P: Problem> Search<P> for Run<P> {
    fn step(&mut self, context: &mut Context<'_, P>) -> Status {
        if self.ended {
            if !self.own.restarts {
                return Status::Completed;
            }
            self.start();
        }
        self.state.clone_from(&self.root);
        self.trace.clear();
        context.rollout.run_policy(context.problem, &mut self.state, &self.policy, &mut self.trace, context.rng);
        let score = context.finish(&self.state, &[], &self.trace.moves);
        self.absorb(context.problem, score);
        if self.ended && !self.own.restarts { Status::Completed } else { Status::Running }
    }

    fn save(&self) -> Vec<u8> {
        encode(&(&self.policy, &self.frames, self.ended))
    }

    fn load(&mut self, _: &P, bytes: &[u8]) -> Result<(), CheckpointError> {
        let (policy, frames, ended) = decode::<(Policy, Vec<Frame<P::Move>>, bool)>(bytes)?;
        if frames.len() != self.frames.len() {
            return Err(CheckpointError::Corrupt("another number of levels"));
        }
        (self.policy, self.frames, self.ended) = (policy, frames, ended);
        Ok(())
    }
}
