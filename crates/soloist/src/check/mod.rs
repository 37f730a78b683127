//! Checks that a problem keeps what searches rely on.

mod advise;
mod copies;
mod decisions;
mod edits;
mod explain;
mod games;
mod keys;
mod links;
mod players;

pub use advise::{Advice, advise};
#[doc(hidden)]
pub use advise::{Knowledge, NEXT_FUNCTIONS, NextFor, NextFunction};
#[doc(hidden)]
pub use decisions::explain_decisions;
pub use explain::{Explanation, Verdict, explain};
pub use games::Violation;
pub(crate) use games::{ENDLESS, SHOWN, after, list};

use crate::core::abort::Watch;
use crate::problem::{fingerprint, future};
use crate::{Problem, Rng, Score};

/// Walks `walks` random games and checks what searches rely on: the same moves, codes and scores when asked twice,
/// clones that do not share anything, finite scores, violations of at least 0, and a bound that no solution reached
/// beats.
///
/// Copies are compared by what they answer, on at most 20 states: a state must have the same moves, codes, key, future,
/// bound and score before and after copies of it are played to the end, and the same moves played on another copy must
/// lead to the same answers.
///
/// States that were met with equal [keys](Problem::key), by other ways or by the same moves in another order, must list
/// the same moves in the same order, have children with equal keys and end with equal scores; where
/// [futures](crate::problem::Dominance::future) are equal, what was better before must stay better.
/// [Rollouts](crate::problem::Extras::rollouts) must offer legal moves wherever there are any, and play legal moves to
/// the end of the game. The methods of the [portfolio](crate::problem::Extras::portfolio) must exist. What
/// [`find`](crate::problem::Ordering::find) names must be legal, and every legal move must be found by its
/// [identity](crate::problem::Ordering::identity). [Links](crate::problem::Ordering::link) must add up to the scores
/// but for a constant, and [suggested](crate::problem::Ordering::suggest) edits must name places of the solution. A
/// [neighbourhood](Problem::neighborhood) must know the differences that its edits make, take them back, and hold
/// solutions that can be played and restored; its scores are those of its solutions, its unit is a positive number, all
/// its variants are tried.
///
/// What breaks no promise but leaves a search blind is returned as remarks: where all moves have one
/// [code](Problem::code), nothing can be learned about them.
///
/// Call it in the tests of a new problem. [`advise()`] says which optional methods would help which search.
///
/// # Errors
/// The first broken rule.
///
/// ```
/// let remarks = soloist::check(&soloist::doc::Staircase(5), 20, 1).unwrap();
/// assert!(remarks.is_empty());
/// ```
pub fn check<P: Problem>(problem: &P, walks: usize, seed: u64) -> Result<Vec<String>, Violation<P::Move>> {
    let mut rng = Rng::new(seed);
    copies::check(problem, walks, &mut rng)?;
    if fingerprint(problem) != fingerprint(problem) {
        return Err(Violation::new("the fingerprint changes", Vec::new()));
    }
    let mut keys = keys::Keys::new();
    for _ in 0..walks {
        let played = walk(problem, &mut rng)?;
        keys.compare(problem, &played, &mut rng)?;
    }
    players::check_portfolio(problem)?;
    players::check(problem, walks, &mut rng)?;
    edits::check(problem, walks, &mut rng)?;
    Ok(constant_code(problem, walks, seed).into_iter().collect())
}

/// Returns a remark where every move on random walks has the same code, although moves differ.
fn constant_code<P: Problem>(problem: &P, walks: usize, seed: u64) -> Option<String> {
    let (mut rng, mut first, mut differs) = (Rng::new(seed), None, false);
    for _ in 0..walks {
        let (mut state, mut played) = (problem.root(), 0);
        loop {
            let moves = list(problem, &state);
            for &mv in &moves {
                let code = problem.code(&state, mv);
                if *first.get_or_insert(code) != code {
                    return None;
                }
                differs |= mv != moves[0];
            }
            let Some(&mv) = moves.get(rng.index(moves.len())).filter(|_| played < Watch::MOST) else { break };
            problem.apply(&mut state, mv);
            played += 1;
        }
    }
    let code = first.filter(|_| differs)?;
    Some(format!("every move has the code {code}: `nrpa` and its relatives can learn nothing (write `code`)"))
}

/// Plays a random game and returns its moves.
fn walk<P: Problem>(problem: &P, rng: &mut Rng) -> Result<Vec<P::Move>, Violation<P::Move>> {
    let mut state = problem.root();
    let mut played = Vec::new();
    let mut bounds = Vec::new();
    let code_count = problem.facts().code_count;
    let wrong = |what: &str, moves: &[P::Move]| Err(Violation::new(what, moves.to_vec()));
    loop {
        if played.len() >= Watch::MOST {
            return wrong(ENDLESS, &played[..SHOWN]);
        }
        let moves = list(problem, &state);
        if moves != list(problem, &state.clone()) {
            return wrong("a clone has other moves", &played);
        }
        if let Some(bound) = problem.bound(&state) {
            if bound.is_nan() {
                return wrong("the bound is not a number", &played);
            }
            bounds.push((bound, played.len()));
        }
        if problem.potential(&state).is_some_and(f64::is_nan) {
            return wrong("the potential is not a number", &played);
        }
        if future(problem, &state).is_some_and(|(_, numbers)| numbers.iter().any(|number| number.is_nan())) {
            return wrong("a number of the future is not a number", &played);
        }
        let codes = |state: &P::State| moves.iter().map(|&mv| problem.code(state, mv)).collect::<Vec<_>>();
        if codes(&state) != codes(&state) {
            return wrong("a code changes", &played);
        }
        if code_count.is_some_and(|most| codes(&state).iter().any(|&code| code >= most.into())) {
            return wrong("a code is not below the number of codes", &played);
        }
        if let Some(prior) = problem.prior() {
            let mut terms = Vec::new();
            for &mv in &moves {
                terms.clear();
                prior.terms(&state, mv, &mut terms);
                if !prior.bias(&state, mv).is_finite() || terms.iter().any(|term| !term.is_finite()) {
                    return wrong("a bias is not finite", &played);
                }
            }
        }
        let keys = |state: &P::State| (problem.key(state), future(problem, state).map(|(key, _)| key));
        let before = keys(&state);
        let Some(&mv) = moves.get(rng.index(moves.len())) else { break };
        let mut other = state.clone();
        problem.apply(&mut other, mv);
        if list(problem, &state) != moves || keys(&state) != before {
            return wrong("playing on a clone changes the original", &played);
        }
        problem.apply(&mut state, mv);
        if list(problem, &state) != list(problem, &other) || keys(&state) != keys(&other) {
            return wrong("the same move leads to different states", &played);
        }
        played.push(mv);
    }
    let score = problem.score(&state);
    match score {
        Score::Feasible(value) if !value.is_finite() => return wrong("a score is not finite", &played),
        Score::Infeasible(degree) if !(degree >= 0.0 && degree.is_finite()) => {
            return wrong("a violation is negative or not finite", &played);
        }
        _ => {}
    }
    if problem.score(&state) != score {
        return wrong("a score changes", &played);
    }
    if let Some(value) = score.value() {
        for (bound, at) in bounds {
            if problem.sense().better_value(value, bound) {
                return wrong(&format!("the bound {bound} is beaten by {value}"), &played[..at]);
            }
        }
    }
    Ok(played)
}
