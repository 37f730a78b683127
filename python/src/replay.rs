//! Solutions are played once more from the root before they are handed out.

use crate::errors::broken;
use crate::moves::PyMove;
use crate::problem::{PyProblem, PyState};
use pyo3::prelude::*;
use soloist::{Problem, Score, Solution};

/// States of a game that are looked at again after its end.
const WATCHED: usize = 32;
/// Moves that a message shows.
const SHOWN: usize = 20;
/// The part of a score that passes as rounding.
const ROUNDING: f64 = 1e-9;

/// How closely a solution is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Care {
    /// Legal moves, a finished state, the score and the bounds on the way.
    Plain,
    /// Also that the states before are as they were when other moves have been played from them.
    States,
}

/// Plays a solution and returns its finished state.
///
/// # Errors
/// The first step that contradicts the rules, or an exception of the problem.
pub(crate) fn replay(
    py: Python<'_>,
    problem: &PyProblem,
    solution: &Solution<PyMove>,
    care: Care,
) -> PyResult<PyState> {
    let played = follow(py, problem, solution, care);
    // What the functions have raised comes before what their other answers seem to show.
    problem.guard.take().map_or(Ok(()), Err)?;
    played.map_err(|(what, at)| {
        let moves = &solution.moves[..at];
        let (list, dots) = (&moves[..at.min(SHOWN)], if at > SHOWN { ", ..." } else { "" });
        let list: Vec<String> = list.iter().map(|mv| shown(py, *mv)).collect();
        let list = format!("[{}{dots}]", list.join(", "));
        let found = match solution.score {
            Score::Feasible(value) => format!("a solution with the score {value}"),
            Score::Infeasible(degree) => format!("a solution of the violation {degree}"),
        };
        let message = format!(
            "{found} fails when it is played again: {what}, after the moves {list}; an apply that changes its \
             argument does this, or a playout against the rules: soloist.check looks for the cause"
        );
        broken(py, message, moves)
    })
}

fn shown(py: Python<'_>, mv: PyMove) -> String {
    mv.object(py).repr().map_or_else(|_| "?".to_owned(), |text| text.to_string())
}

/// What is wrong, and the number of moves before it.
type Wrong = (String, usize);

fn follow(py: Python<'_>, problem: &PyProblem, solution: &Solution<PyMove>, care: Care) -> Result<PyState, Wrong> {
    let Solution { score, moves } = solution;
    let list = |state: &PyState| {
        let mut legal = Vec::new();
        problem.moves(state, &mut legal);
        legal
    };
    let stride = moves.len() / WATCHED + 1;
    let mut watched = Vec::new();
    let mut state = problem.root();
    for (at, &mv) in moves.iter().enumerate() {
        let legal = list(&state);
        if !legal.contains(&mv) {
            let name = shown(py, mv);
            return Err(if legal.is_empty() {
                (format!("the game is finished and move {at}, {name}, is one too many"), at)
            } else {
                (format!("move {at}, {name}, is not legal"), at)
            });
        }
        beaten(problem, &state, *score).map_or(Ok(()), |what| Err((what, at)))?;
        let before = state.clone();
        problem.apply(&mut state, mv);
        if care == Care::States && at % stride == 0 {
            // A step aside must leave no trace.
            if let Some(&other) = legal.iter().find(|&&other| other != mv) {
                problem.apply(&mut before.clone(), other);
            }
            watched.push((before, legal, at));
        }
        if problem.guard.fault.is_raised() {
            return Ok(state);
        }
    }
    if let Some(&mv) = list(&state).first() {
        let count = moves.len();
        return Err((format!("it is not finished: {} is legal after {count} moves", shown(py, mv)), count));
    }
    let again = problem.score(&state);
    let close = |a: f64, b: f64| a == b || (a - b).abs() <= ROUNDING * a.abs().max(b.abs());
    let same = match (*score, again) {
        (Score::Feasible(a), Score::Feasible(b)) | (Score::Infeasible(a), Score::Infeasible(b)) => close(a, b),
        _ => false,
    };
    if !same {
        return Err((format!("the score is {again}"), moves.len()));
    }
    for (before, legal, at) in watched {
        if list(&before) != legal {
            return Err((format!("the moves of the state after {at} moves have changed meanwhile"), at));
        }
    }
    Ok(state)
}

/// Whether the score beats the bound of a state on its way, in words.
fn beaten(problem: &PyProblem, state: &PyState, score: Score) -> Option<String> {
    let value = score.value().filter(|_| problem.is_complete())?;
    let bound = problem.bound(state)?;
    let beats = problem.sense().better_value(value, bound) && (value - bound).abs() > ROUNDING * value.abs().max(1.0);
    beats.then(|| format!("the bound {bound} is beaten by {value}"))
}
