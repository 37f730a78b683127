//! What a checkpoint holds is checked here before a search relies on it.
//!
//! A checksum says that the bytes are those that were written, not which program wrote them. Everything that is read is
//! either replayed by the rules of the problem or compared with what a run can have written.

use crate::Score;
use crate::core::codec::CheckpointError;
use crate::core::limits::{MOST, ensure};
use crate::core::stream_stats::Tally;
use crate::erased::MoveId;
use crate::erased::problem::{ErasedProblem, State};
use crate::rollout::policy::{Policy, Trace};

/// Returns the state after `moves`, which come from outside, and whether it is finished.
///
/// # Errors
/// The first move that is not legal, counted from 0.
pub(crate) fn replay_legal(problem: &dyn ErasedProblem, moves: &[MoveId]) -> Result<(State, bool), usize> {
    let mut state = problem.root();
    let mut legal = Vec::new();
    for (at, &mv) in moves.iter().enumerate() {
        legal.clear();
        problem.moves(&state, &mut legal);
        if !legal.contains(&mv) {
            return Err(at);
        }
        problem.apply(&mut state, mv);
    }
    let finished = problem.is_finished(&state);
    Ok((state, finished))
}

/// Returns the state after `moves` that a checkpoint names.
pub(crate) fn replay(problem: &dyn ErasedProblem, moves: &[MoveId]) -> Result<State, CheckpointError> {
    match replay_legal(problem, moves) {
        Ok((state, _)) => Ok(state),
        Err(_) => Err(CheckpointError::Corrupt("an illegal move")),
    }
}

/// Returns the final state of a solution that a checkpoint holds, which must be legal, finished and of this score.
pub(crate) fn solution(problem: &dyn ErasedProblem, moves: &[MoveId], score: Score) -> Result<State, CheckpointError> {
    let Ok((state, finished)) = replay_legal(problem, moves) else {
        return Err(CheckpointError::Corrupt("an illegal move"));
    };
    ensure(finished, "a solution that is not finished")?;
    ensure(problem.score(&state).is_close_to(score, 0.0), "a solution with another score")?;
    Ok(state)
}

/// The parent of what begins at the start of a tree.
pub(crate) const NONE: u32 = u32::MAX;

/// Checks a tree of moves given by parents: `edge(i)` is the parent of entry `i` ([`NONE`]: the start) and the move
/// that leads from there, or nothing for an entry that is not used. Plays every move once; `meet` receives each
/// entry's state and says whether it agrees.
///
/// The caller has excluded circles and parents that do not exist.
pub(crate) fn replay_tree(
    problem: &dyn ErasedProblem,
    start: &State,
    count: usize,
    edge: impl Fn(usize) -> Option<(u32, MoveId)>,
    mut meet: impl FnMut(usize, &State) -> bool,
) -> Result<(), CheckpointError> {
    // Children of an entry as lists: the first one, and the next one behind each; the start comes last.
    let mut first = vec![NONE; count + 1];
    let mut next = vec![NONE; count];
    for at in (0..count).rev() {
        if let Some((parent, _)) = edge(at) {
            let parent = if parent == NONE { count } else { parent as usize };
            next[at] = std::mem::replace(&mut first[parent], at as u32);
        }
    }
    let mut legal = Vec::new();
    let mut stack = vec![(start.clone(), first[count])];
    while let Some((state, mut at)) = stack.pop() {
        // The legal moves are listed once for all children.
        legal.clear();
        problem.moves(&state, &mut legal);
        while let Some((_, mv)) = (at != NONE).then(|| edge(at as usize)).flatten() {
            ensure(legal.contains(&mv), "an illegal move")?;
            let mut below = state.clone();
            problem.apply(&mut below, mv);
            ensure(meet(at as usize, &below), "a state of another tree")?;
            if first[at as usize] != NONE {
                stack.push((below, first[at as usize]));
            }
            at = next[at as usize];
        }
    }
    Ok(())
}

/// As [`solution`], for a playout that was recorded for a policy with the settings of `policy`.
pub(crate) fn recorded(
    problem: &dyn ErasedProblem,
    trace: &Trace<MoveId>,
    policy: &Policy,
    score: Score,
) -> Result<(), CheckpointError> {
    let biased = trace.lifetimes.is_empty() || trace.factors.is_empty() != policy.uses_bias();
    ensure(biased && (trace.terms.is_empty() || policy.learns_bias()), "a playout without its biases")?;
    solution(problem, &trace.moves, score).map(drop)
}

impl Tally {
    /// Checks what a checkpoint holds of stream number `stream`: every solution is replayed.
    pub(crate) fn check(&self, problem: &dyn ErasedProblem, stream: usize) -> Result<(), CheckpointError> {
        let sense = problem.sense();
        let counters = self.counters;
        ensure(self.sense == sense && self.stream == stream, "a stream of another run")?;
        let most = counters.playouts.max(counters.nodes).max(self.tree.nodes).max(self.units);
        ensure(most <= MOST, "more playouts or nodes than a run can have")?;
        ensure(self.tree.is_possible(), "depths of another tree")?;
        let rising = self
            .history
            .windows(2)
            .all(|pair| sense.better(pair[1].score, pair[0].score) && pair[0].playouts <= pair[1].playouts);
        let ours = self.history.iter().all(|event| event.stream == stream && event.playouts <= counters.playouts);
        let last = self.history.last().map(|event| event.score);
        ensure(rising && ours && last == self.best.as_ref().map(|best| best.score), "a history of another incumbent")?;
        let first = self.kept.first().map(|(_, first)| first.score);
        ensure(first == last.filter(|_| self.keep > 1), "the solutions kept")?;
        self.check_solutions(problem)
    }

    /// Replays the solutions that a checkpoint holds.
    pub(crate) fn check_solutions(&self, problem: &dyn ErasedProblem) -> Result<(), CheckpointError> {
        if let Some(best) = &self.best {
            solution(problem, &best.moves, best.score)?;
        }
        let most = if self.keep > 1 { self.keep } else { 0 };
        let ordered = self.kept.windows(2).all(|pair| self.sense.at_least(pair[0].1.score, pair[1].1.score));
        ensure(self.kept.len() <= most && ordered, "the solutions kept")?;
        for (at, (identity, kept)) in self.kept.iter().enumerate() {
            let end = solution(problem, &kept.moves, kept.score)?;
            let again = problem.solution_key(&end, &kept.moves).id();
            let twice = self.kept[..at].iter().any(|(other, _)| other == identity);
            ensure(again == *identity && !twice, "the solutions kept")?;
        }
        Ok(())
    }
}
