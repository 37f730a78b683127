//! Results are played again from the root before a run hands them out.
//!
//! A search relies on what user code promises: rollouts play legal moves to the end, `apply` changes its own state
//! alone, bounds are optimistic, futures fall. A result that breaks a promise is found here, whatever found it.

use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, ProblemRef, State};
use crate::erased::source::rules_of;
use crate::problem::{Key, returns_better};
use crate::{Problem, Score, Sense};
use std::collections::HashMap;
use thiserror::Error;

/// A result that the rules of its problem contradict when it is played again from the root.
///
/// Steps are counted from 0: step 3 is the state after three moves.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// A move of the solution is not legal.
    #[error(
        "step {step}: the move {mv} is not legal{}; a rollout plays an illegal move, or `apply` changes memory that states share",
        if *.is_finished { ", because the game has ended" } else { "" }
    )]
    Illegal {
        /// How many moves come before it.
        step: usize,
        /// The move.
        mv: String,
        /// Whether the state has no moves at all.
        is_finished: bool,
    },
    /// The solution ends where moves are legal.
    #[error(
        "step {step}: the solution ends, but the game has not; a rollout stops early, or `apply` changes memory that states share"
    )]
    Unfinished {
        /// The number of moves of the solution.
        step: usize,
    },
    /// The score differs.
    #[error(
        "step {step}: the search scored the solution {claimed}, its replay {replayed}; a rollout or a neighborhood ends in another state, or `apply` changes memory that states share"
    )]
    Score {
        /// The number of moves of the solution.
        step: usize,
        /// The score that the search has seen.
        claimed: Score,
        /// The score of the replay.
        replayed: Score,
    },
    /// A move that was played on a copy of a state has changed the state.
    #[error("step {step}: a move on a copy of the state changes the state; `apply` changes memory that copies share")]
    Shared {
        /// How many moves lead to the state.
        step: usize,
    },
    /// The solution is better than the [bound](Problem::bound) of a state on its way. A proof by bounds is worth
    /// nothing then.
    #[error("step {step}: the bound says that nothing is better than {bound}, but the solution scores {score}")]
    Bound {
        /// How many moves lead to the state.
        step: usize,
        /// The bound of the state.
        bound: f64,
        /// The score of the solution.
        score: f64,
    },
    /// The [future](crate::problem::Dominance::future) of a state is not what it has to be.
    #[error("step {step}: the future {what}")]
    Future {
        /// How many moves lead to the state.
        step: usize,
        /// What is wrong.
        what: &'static str,
    },
}

impl ReplayError {
    /// How many moves of the solution lead to the state where the rules are broken.
    #[must_use]
    pub fn step(&self) -> usize {
        match *self {
            Self::Illegal { step, .. }
            | Self::Unfinished { step }
            | Self::Score { step, .. }
            | Self::Shared { step }
            | Self::Bound { step, .. }
            | Self::Future { step, .. } => step,
        }
    }
}

/// How many states of a solution are tested for memory that copies share.
const COPIES: usize = 32;
/// How many states of a solution are asked for bounds and futures: one may take as long as a thousand moves.
const PROMISES: usize = 1_000;

/// Plays `moves` from the root and compares what happens with `claimed` and with the problem's promises.
///
/// Plays them twice. The first pass asks at most 1,000 states, evenly spaced, for their bound and their future, and
/// plays another move on a copy of some 32 states. Where such a move changes a state without a sign, the second, plain
/// pass finds it: there nothing but `apply` touches a state. Each pass lists the moves of each state once.
///
/// A run does this with each solution that it hands out; an [`Observer`](crate::run::Observer) hears of improvements
/// before.
///
/// # Errors
/// The first contradiction.
pub fn replay<P: Problem>(problem: &P, moves: &[P::Move], claimed: Score) -> Result<(), ReplayError> {
    let (rules, moves) = rules_of(ProblemRef::borrowed(problem), moves);
    replay_ids(&*rules, &moves, claimed)
}

/// As [`replay`], without the problem's type.
pub(super) fn replay_ids(problem: &dyn ErasedProblem, moves: &[MoveId], claimed: Score) -> Result<(), ReplayError> {
    let scale = check_promises(problem, moves, claimed)?;
    let replayed = play(problem, moves)?;
    if claimed.is_close_to(replayed, scale) {
        Ok(())
    } else {
        Err(ReplayError::Score { step: moves.len(), claimed, replayed })
    }
}

/// Plays a solution by moves on copies as well, asks for bounds and futures, and returns the size of the bounds.
fn check_promises(problem: &dyn ErasedProblem, moves: &[MoveId], claimed: Score) -> Result<f64, ReplayError> {
    let sense = problem.sense();
    let mut state = problem.root();
    let mut legal = Vec::new();
    let mut bounds = Bounds { sense, tightest: None, scale: 0.0 };
    let mut futures = Futures::default();
    let every = moves.len().div_ceil(COPIES).max(1);
    let ask = moves.len().div_ceil(PROMISES).max(1);
    for (step, &mv) in moves.iter().enumerate() {
        legal.clear();
        problem.moves(&state, &mut legal);
        if !legal.contains(&mv) {
            return Err(ReplayError::Illegal { step, mv: short(problem.describe(mv)), is_finished: legal.is_empty() });
        }
        if step % ask == 0 {
            // The bound of the root is compared with every incumbent, wherever it comes from.
            if step > 0 {
                bounds.note(step, problem.bound(&state));
            }
            futures.note(problem, &state, step)?;
        }
        if step % every == 0 || step + 2 >= moves.len() {
            let other = legal.iter().rev().copied().find(|other| *other != mv).unwrap_or(mv);
            problem.apply(&mut state.clone(), other);
            let mut again = Vec::with_capacity(legal.len());
            problem.moves(&state, &mut again);
            if again != legal {
                return Err(ReplayError::Shared { step });
            }
        }
        problem.apply(&mut state, mv);
    }
    let step = moves.len();
    legal.clear();
    problem.moves(&state, &mut legal);
    if !legal.is_empty() {
        return Err(ReplayError::Unfinished { step });
    }
    let replayed = problem.score(&state);
    if !claimed.is_close_to(replayed, bounds.scale) {
        // Without moves on copies the score may be right.
        let mut plain = problem.root();
        moves.iter().for_each(|&mv| problem.apply(&mut plain, mv));
        let is_shared = claimed.is_close_to(problem.score(&plain), bounds.scale);
        return Err(if is_shared {
            ReplayError::Shared { step }
        } else {
            ReplayError::Score { step, claimed, replayed }
        });
    }
    bounds.check(replayed)?;
    futures.check(problem, moves, replayed)?;
    Ok(bounds.scale)
}

/// Plays a solution and returns its score. Nothing but `apply`, once for each move, can change the states.
fn play(problem: &dyn ErasedProblem, moves: &[MoveId]) -> Result<Score, ReplayError> {
    let (mut state, mut legal) = (problem.root(), Vec::new());
    for (step, &mv) in moves.iter().enumerate() {
        legal.clear();
        problem.moves(&state, &mut legal);
        if !legal.contains(&mv) {
            return Err(ReplayError::Illegal { step, mv: short(problem.describe(mv)), is_finished: legal.is_empty() });
        }
        problem.apply(&mut state, mv);
    }
    legal.clear();
    problem.moves(&state, &mut legal);
    if legal.is_empty() { Ok(problem.score(&state)) } else { Err(ReplayError::Unfinished { step: moves.len() }) }
}

/// Returns how a move is written in a message.
fn short(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(60) {
        text.truncate(end);
        text.push_str("...");
    }
    text
}

/// What is known of the futures on the way of a solution.
#[derive(Default)]
struct Futures {
    /// The last step with each key, its score so far and its resources.
    met: HashMap<Key, (usize, Vec<f64>)>,
    /// Steps with equal keys: the first few.
    returns: Vec<(usize, usize)>,
}

/// How many returns to an earlier future are checked.
const RETURNS: usize = 4;

impl Futures {
    /// Checks the future of the state after `step` moves. Where moves can be taken back, a state may return, but no
    /// better than it was: searches drop it then.
    fn note(&mut self, problem: &dyn ErasedProblem, state: &State, step: usize) -> Result<(), ReplayError> {
        let Some((key, value)) = problem.future(state) else { return Ok(()) };
        let mut numbers = vec![value];
        problem.resources(state, &mut numbers);
        let wrong = |what| Err(ReplayError::Future { step, what });
        if numbers[0].is_nan() {
            return wrong("has a score so far that is not a number");
        }
        let before = self.met.insert(key, (step, numbers.clone()));
        let Some((from, before)) = before else { return Ok(()) };
        if returns_better(problem.sense(), &before, &numbers) {
            return wrong(BETTER);
        }
        if self.returns.len() < RETURNS {
            self.returns.push((from, step));
        }
        Ok(())
    }

    /// Checks that the game ends at least as well without the moves from a state to one with its future. Moves that
    /// have other names there say nothing.
    fn check(&self, problem: &dyn ErasedProblem, moves: &[MoveId], score: Score) -> Result<(), ReplayError> {
        for &(from, to) in &self.returns {
            let (mut state, mut legal): (State, Vec<MoveId>) = (problem.root(), Vec::new());
            moves[..from].iter().for_each(|&mv| problem.apply(&mut state, mv));
            let mut rest = moves[to..].iter();
            let is_renamed = loop {
                legal.clear();
                problem.moves(&state, &mut legal);
                match rest.next() {
                    _ if legal.is_empty() => break false,
                    // A game that ends without a solution, at a limit of moves for example, asks for nothing.
                    None if score.value().is_none() => break true,
                    None => return Err(ReplayError::Future { step: to, what: OTHER }),
                    Some(mv) if !legal.contains(mv) => break true,
                    Some(&mv) => problem.apply(&mut state, mv),
                }
            };
            if !is_renamed && problem.sense().clearly_better_score(score, problem.score(&state)) {
                return Err(ReplayError::Future { step: to, what: OTHER });
            }
        }
        Ok(())
    }
}

/// What is wrong with a future that comes back.
const BETTER: &str = "has the key of a state before it in the same game and a better score so far: \
                      the key must tell apart what can be gained again and again";
const OTHER: &str = "has the key of a state before it in the same game, which cannot be completed in the same way";

/// The bounds of the states on the way.
struct Bounds {
    sense: Sense,
    /// The tightest one and its step.
    tightest: Option<(f64, usize)>,
    /// The largest number among them: what is rounded is of this size.
    scale: f64,
}

impl Bounds {
    fn note(&mut self, step: usize, bound: Option<f64>) {
        let Some(bound) = bound.filter(|bound| bound.is_finite()) else { return };
        self.scale = self.scale.max(bound.abs());
        if self.tightest.is_none_or(|(tightest, _)| self.sense.better_value(tightest, bound)) {
            self.tightest = Some((bound, step));
        }
    }

    /// Checks that a score beats none of them. Differences in the tenth digit of the largest number pass as rounding.
    fn check(&self, score: Score) -> Result<(), ReplayError> {
        let (Some(score), Some((bound, step))) = (score.value(), self.tightest) else { return Ok(()) };
        let scale = self.scale.max(score.abs());
        if self.sense.better_value(score, bound) && (score - bound).abs() > 1e-9 * scale {
            return Err(ReplayError::Bound { step, bound, score });
        }
        Ok(())
    }
}
