//! Why decisions lead to no solution: moves that cannot all stay at their steps.

use super::explain::{Explanation, examine};
use crate::Problem;
use crate::core::score::{Score, Sense};
use crate::erased::problem::ProblemRef;
use crate::problem::{Explain, Facts, Key};
use crate::run::SolveError;
use std::sync::atomic::AtomicBool;
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
    let decided = Decided { problem, moves, names: &names, kept: vec![true; moves.len()] };
    examine(Some(&decided), time, seed, stop)
}

/// A problem whose solutions have some moves at given steps.
struct Decided<'a, P: Problem> {
    problem: &'a P,
    moves: &'a [P::Move],
    names: &'a [String],
    /// By step: whether its move stays.
    kept: Vec<bool>,
}

/// A state and the number of moves before it.
#[derive(Clone)]
struct At<S> {
    state: S,
    step: usize,
}

impl<P: Problem> Problem for Decided<'_, P> {
    type State = At<P::State>;
    type Move = P::Move;

    fn root(&self) -> At<P::State> {
        At { state: self.problem.root(), step: 0 }
    }
    fn moves(&self, at: &At<P::State>, moves: &mut Vec<P::Move>) {
        self.problem.moves(&at.state, moves);
        if self.kept.get(at.step) == Some(&true) {
            let mv = self.moves[at.step];
            let is_legal = moves.contains(&mv);
            moves.clear();
            moves.extend(is_legal.then_some(mv));
        }
    }
    fn apply(&self, at: &mut At<P::State>, mv: P::Move) {
        self.problem.apply(&mut at.state, mv);
        at.step += 1;
    }
    /// A game that ends before moves that stay misses them.
    fn score(&self, at: &At<P::State>) -> Score {
        let missing = self.kept.iter().skip(at.step).filter(|kept| **kept).count();
        if missing > 0 { Score::Infeasible(missing as f64) } else { self.problem.score(&at.state) }
    }
    fn sense(&self) -> Sense {
        self.problem.sense()
    }
    /// A problem that leaves moves out proves nothing here either. Codes are those of moves, not of the problem.
    fn facts(&self) -> Facts {
        let facts = self.problem.facts();
        let more = size_of::<At<P::State>>() - size_of::<P::State>();
        Facts { code_count: None, state_bytes: facts.state_bytes.map(|bytes| bytes + more), ..facts }
    }
    fn bound(&self, at: &At<P::State>) -> Option<f64> {
        self.problem.bound(&at.state)
    }
    /// Keys are joined with the step: at another step, other moves stay.
    fn key(&self, at: &At<P::State>) -> Option<Key> {
        self.problem.key(&at.state).map(|key| key.with(at.step as u64))
    }
}

impl<'a, P: Problem> Explain<Decided<'a, P>> for Decided<'a, P> {
    fn constraints(&self) -> Vec<String> {
        self.names.to_vec()
    }
    fn relaxed(&self, kept: &[usize]) -> Option<Decided<'a, P>> {
        let mut stays = vec![false; self.moves.len()];
        kept.iter().for_each(|&step| stays[step] = true);
        Some(Decided { problem: self.problem, moves: self.moves, names: self.names, kept: stays })
    }
}
