//! Nested Monte-Carlo search.

use super::{Context, Search, Status};
use crate::checkpoint::{decode, encode};
use crate::parameter::parameters;
use crate::{CheckpointError, Move, Playout, Problem, Score};
use serde::{Deserialize, Serialize};

parameters! {
    /// Nested Monte-Carlo search (NMCS) with a memorised best sequence.
    ///
    /// Level 0 is a playout. Level `n` at a state runs level `n - 1` after each legal move, remembers the best sequence
    /// seen since this level began, and plays the next move of *that* sequence (not of this step's best): so it never
    /// ends worse than what it has seen.
    ///
    /// The moves tried are the candidates of the rollout, so that a selective rollout restricts every level.
    ///
    /// When to use it: short games with few moves; it needs no learning and no tuning. Cost per step: one playout; one
    /// run of level `n` takes about (branching x length)^n / n! playouts. Memory: one sequence a level.
    ///
    /// ```
    /// # use soloist::{Budget, Method, Solver, doc::Staircase};
    /// let outcome = Solver::new(&Staircase(8), Method::preset("nmcs").unwrap())
    ///     .budget(Budget::playouts(3_000)).seed(1).run().unwrap();
    /// assert_eq!(outcome.best.unwrap().score.value(), Some(8.0));
    /// ```
    ///
    /// # References
    /// T. Cazenave, "Nested Monte-Carlo search", IJCAI 2009, pages 456-461.
    pub struct Nmcs {
        /// nesting level
        level: u64 = 3, 1..=12;
        /// start anew when a run ends, until the budget is used up
        restarts: bool = true, ();
    }
}

/// A level in progress.
struct Frame<P: Problem> {
    /// Where this level stands.
    state: P::State,
    saved: Saved<P::Move>,
}

/// The part of a frame from which the rest is rebuilt.
#[derive(Clone, Serialize, Deserialize)]
#[serde(bound = "M: Move")]
struct Saved<M> {
    /// Moves from the root to the frame's present state.
    path: Vec<M>,
    /// The moves to try there.
    moves: Vec<M>,
    /// Which of them is tried next.
    next: usize,
    best: Option<(Score, Vec<M>)>,
}

pub(crate) struct Run<P: Problem> {
    own: Nmcs,
    /// Outermost level first; empty between runs.
    frames: Vec<Frame<P>>,
    playout: Playout<P::Move>,
}

impl<P: Problem> Run<P> {
    pub(crate) fn new(own: Nmcs) -> Self {
        Self { own, frames: Vec::new(), playout: Playout::default() }
    }

    fn push(&mut self, context: &mut Context<'_, P>, state: P::State, path: Vec<P::Move>) {
        let mut moves = Vec::new();
        context.rollout.candidates(context.problem, &state, &mut moves);
        self.frames.push(Frame { state, saved: Saved { path, moves, next: 0, best: None } });
    }

    /// Gives a finished sequence to the innermost frame and lets every frame that is through with its moves go on.
    /// The outermost level has ended when no frame is left.
    fn offer(&mut self, context: &mut Context<'_, P>, mut score: Score, mut sequence: Vec<P::Move>) {
        let problem = context.problem;
        while let Some(frame) = self.frames.last_mut() {
            let saved = &mut frame.saved;
            if saved.best.as_ref().is_none_or(|(best, _)| problem.sense().better(score, *best)) {
                saved.best = Some((score, sequence));
            }
            if saved.next < saved.moves.len() {
                return;
            }
            if let Some((_, best)) = &saved.best
                && let Some(&mv) = best.get(saved.path.len())
            {
                problem.apply(&mut frame.state, mv);
                saved.path.push(mv);
                saved.next = 0;
                saved.moves.clear();
                context.rollout.candidates(problem, &frame.state, &mut saved.moves);
                if !saved.moves.is_empty() {
                    return;
                }
            }
            // Terminal: this level returns its best sequence to the one above.
            let Some((best, moves)) = self.frames.pop().and_then(|frame| frame.saved.best) else { return };
            (score, sequence) = (best, moves);
        }
    }
}

impl<P: Problem> Search<P> for Run<P> {
    fn step(&mut self, context: &mut Context<'_, P>) -> Status {
        let problem = context.problem;
        if self.frames.is_empty() {
            self.push(context, problem.root(), Vec::new());
        }
        // Descend: each level tries its next move through the level below; level 1 tries it by a playout.
        loop {
            let depth = self.frames.len() as u64;
            let frame = self.frames.last_mut().expect("pushed above");
            let mut state = frame.state.clone();
            let mut path = frame.saved.path.clone();
            if let Some(&mv) = frame.saved.moves.get(frame.saved.next) {
                frame.saved.next += 1;
                problem.apply(&mut state, mv);
                path.push(mv);
                if depth < self.own.level {
                    self.push(context, state, path);
                    continue;
                }
            }
            // Also reached for a state without moves: its empty playout is its score.
            self.playout.moves.clear();
            context.rollout.run(problem, &mut state, &mut self.playout, context.rng);
            let score = context.finish(&state, &path, &self.playout.moves);
            path.extend_from_slice(&self.playout.moves);
            self.offer(context, score, path);
            let ended = self.frames.is_empty() && !self.own.restarts;
            return if ended { Status::Completed } else { Status::Running };
        }
    }

    fn save(&self) -> Vec<u8> {
        encode(&self.frames.iter().map(|frame| &frame.saved).collect::<Vec<_>>())
    }

    fn load(&mut self, problem: &P, bytes: &[u8]) -> Result<(), CheckpointError> {
        self.frames.clear();
        for saved in decode::<Vec<Saved<P::Move>>>(bytes)? {
            let mut state = problem.root();
            let mut legal = Vec::new();
            for &mv in &saved.path {
                legal.clear();
                problem.moves(&state, &mut legal);
                if !legal.contains(&mv) {
                    return Err(CheckpointError::Corrupt("an illegal move"));
                }
                problem.apply(&mut state, mv);
            }
            self.frames.push(Frame { state, saved });
        }
        Ok(())
    }
}
