//! Why decisions lead to no solution: moves that cannot all stay at their steps.

use super::explain::{Explanation, examine};
use crate::Problem;
use crate::core::score::{Score, Sense};
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, ProblemRef, State};
use crate::erased::source::rules_of;
use crate::problem::{Explain, Facts, Key};
use crate::run::SolveError;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Looks for the smallest set of moves that cannot all stay at their steps, within `time`.
///
/// The moves are those of a game from its beginning, which need not be finished. Move i of a set stays if the i-th move
/// of a solution is the same one; the moves of all other steps are free. So a set is a conflict if no feasible solution
/// has these moves at these steps. The empty set is one where the problem has no feasible solution at all. `name`
/// returns how a move is called, from its step, counted from 0.
///
/// The filter, the searches, the limits and what the result says are those of [`explain`](super::explain()): a conflict
/// is reported only where a search has exhausted its whole space. The problem needs no function beside the required
/// ones; its bound and its key are used.
///
/// # Errors
/// [`SolveError::Prefix`] with the first move that is not legal; otherwise those of the searches.
///
/// ```
/// use soloist::check::{Verdict, explain_decisions};
/// use std::time::Duration;
///
/// let name = |step: usize, right| format!("step {step}: {right}");
/// let stairs = soloist::doc::Staircase(5);
/// let found = explain_decisions(&stairs, &[false, true], &name, Duration::from_secs(5), 1, None).unwrap();
/// assert_eq!((found.verdict, found.constraints), (Verdict::Feasible, 2));
/// ```
pub fn explain_decisions<P: Problem>(
    problem: &P,
    moves: &[P::Move],
    name: &dyn Fn(usize, P::Move) -> String,
    time: Duration,
    seed: u64,
    stop: Option<&AtomicBool>,
) -> Result<Explanation, SolveError> {
    ProblemRef::borrowed(problem).begin(moves).map_err(SolveError::Prefix)?;
    let names: Vec<String> = moves.iter().enumerate().map(|(step, &mv)| name(step, mv)).collect();
    let (rules, moves) = rules_of(ProblemRef::borrowed(problem), moves);
    explain_ids(rules, &moves, &names, time, seed, stop)
}

/// As [`explain_decisions`], for moves without their type: a run of a problem of this module is compiled once, here.
fn explain_ids(
    rules: Box<dyn ErasedProblem + '_>,
    moves: &[MoveId],
    names: &[String],
    time: Duration,
    seed: u64,
    stop: Option<&AtomicBool>,
) -> Result<Explanation, SolveError> {
    let rules = Rules { sense: rules.sense(), facts: rules.facts().clone(), problem: Mutex::new(rules) };
    let decided = Decided { rules: &rules, moves, names, kept: vec![true; moves.len()] };
    examine(Some(&decided), time, seed, stop)
}

/// A problem without its type, for any thread.
struct Rules<'p> {
    problem: Mutex<Box<dyn ErasedProblem + 'p>>,
    sense: Sense,
    facts: Facts,
}

impl<'p> Rules<'p> {
    fn lock(&self) -> MutexGuard<'_, Box<dyn ErasedProblem + 'p>> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A problem whose solutions have some moves at given steps.
struct Decided<'a, 'p> {
    rules: &'a Rules<'p>,
    moves: &'a [MoveId],
    names: &'a [String],
    /// By step: whether its move stays.
    kept: Vec<bool>,
}

/// A state and the number of moves before it.
#[derive(Clone)]
struct At {
    state: State,
    step: usize,
}

impl Problem for Decided<'_, '_> {
    type State = At;
    type Move = MoveId;

    fn root(&self) -> At {
        At { state: self.rules.lock().root(), step: 0 }
    }
    fn moves(&self, at: &At, moves: &mut Vec<MoveId>) {
        self.rules.lock().moves(&at.state, moves);
        if self.kept.get(at.step) == Some(&true) {
            let mv = self.moves[at.step];
            let is_legal = moves.contains(&mv);
            moves.clear();
            moves.extend(is_legal.then_some(mv));
        }
    }
    fn apply(&self, at: &mut At, mv: MoveId) {
        self.rules.lock().apply(&mut at.state, mv);
        at.step += 1;
    }
    /// A game that ends before moves that stay misses them.
    fn score(&self, at: &At) -> Score {
        let missing = self.kept.iter().skip(at.step).filter(|kept| **kept).count();
        if missing > 0 { Score::Infeasible(missing as f64) } else { self.rules.lock().score(&at.state) }
    }
    fn sense(&self) -> Sense {
        self.rules.sense
    }
    /// A problem that leaves moves out proves nothing here either. Codes are those of moves, not of the problem.
    fn facts(&self) -> Facts {
        let bytes = self.rules.lock().state_bytes() + size_of::<At>();
        Facts { code_count: None, state_bytes: Some(bytes), ..self.rules.facts.clone() }
    }
    fn bound(&self, at: &At) -> Option<f64> {
        self.rules.lock().bound(&at.state)
    }
    /// Keys are joined with the step: at another step, other moves stay.
    fn key(&self, at: &At) -> Option<Key> {
        self.rules.lock().key(&at.state).map(|key| key.with(at.step as u64))
    }
}

impl<'a, 'p> Explain<Decided<'a, 'p>> for Decided<'a, 'p> {
    fn constraints(&self) -> Vec<String> {
        self.names.to_vec()
    }
    fn relaxed(&self, kept: &[usize]) -> Option<Decided<'a, 'p>> {
        let mut stays = vec![false; self.moves.len()];
        kept.iter().for_each(|&step| stays[step] = true);
        Some(Decided { rules: self.rules, moves: self.moves, names: self.names, kept: stays })
    }
}
