//! The rollouts of a problem.

use crate::check::{SHOWN, Violation, list};
use crate::core::abort::Watch;
use crate::problem::search_infos;
use crate::rollout::policy::{Policy, Trace};
use crate::rollout::{Playout, Rollout, find_rollout};
use crate::search::Entries;
use crate::{Problem, Rng};

/// Games of each rollout, and variants of it that are tried.
const GAMES: usize = 5;
const VARIANTS: usize = 4;

/// Checks that the methods which the problem names, and their rollouts, exist.
pub(super) fn check_portfolio<P: Problem>(problem: &P) -> Result<(), Violation<P::Move>> {
    let wrong = |what: String| Violation::new(what, Vec::new());
    let mut entries =
        Entries::of(&problem.extras().portfolio()).map_err(|error| wrong(format!("the portfolio: {error}")))?;
    entries.resolve(&search_infos(problem)).map_err(|error| wrong(format!("the portfolio: {error}")))?;
    match entries
        .entries()
        .iter()
        .find(|entry| entry.rollout().is_some_and(|name| find_rollout(problem, name).is_err()))
    {
        Some(entry) => Err(wrong(format!("the portfolio: the rollout of `{entry}` does not exist"))),
        None => Ok(()),
    }
}

/// Checks that each rollout of the problem plays legal moves until there are none.
pub(super) fn check<P: Problem>(problem: &P, walks: usize, rng: &mut Rng) -> Result<(), Violation<P::Move>> {
    for rollout in problem.extras().rollouts() {
        let info = rollout.info();
        let named = |what: &str| format!("the rollout `{}` {what}", info.name);
        let Ok(mut rollout) = find_rollout(problem, info.name) else {
            return Err(Violation::new(named("is listed but does not exist"), Vec::new()));
        };
        for game in 0..walks.min(GAMES) {
            rollout.set_variant(game % rollout.variants(problem).clamp(1, VARIANTS));
            offered(problem, &mut *rollout, rng).map_err(|(what, moves)| Violation::new(named(what), moves))?;
            let mut playout = Playout::default();
            let mut state = problem.root();
            rollout.run(problem, &mut state, &mut playout, rng);
            replayed(problem, &state, &playout.moves).map_err(|what| Violation::new(named(what), playout.moves))?;
            rollout.feedback(problem.score(&state));
            let policy = Policy::new(1.0, 0.0, f64::INFINITY).with_codes(problem.facts().code_count.unwrap_or(0));
            let mut trace = Trace::default();
            let mut state = problem.root();
            rollout.run_policy(problem, &mut state, &policy, &mut trace, rng);
            replayed(problem, &state, &trace.moves)
                .map_err(|what| Violation::new(named(&format!("{what} under a policy")), trace.moves))?;
        }
    }
    Ok(())
}

/// Plays a game among the candidates.
fn offered<P: Problem>(
    problem: &P,
    rollout: &mut dyn Rollout<P>,
    rng: &mut Rng,
) -> Result<(), (&'static str, Vec<P::Move>)> {
    let (mut state, mut played, mut candidates) = (problem.root(), Vec::new(), Vec::new());
    loop {
        if played.len() >= Watch::MOST {
            return Err(("has a game that does not end after a million moves, which begin", played[..SHOWN].to_vec()));
        }
        let moves = list(problem, &state);
        candidates.clear();
        rollout.candidates(problem, &state, &mut candidates);
        if candidates.is_empty() && !moves.is_empty() {
            return Err(("has no candidate where there are legal moves", played));
        }
        if candidates.iter().any(|mv| !moves.contains(mv)) {
            return Err(("has an illegal candidate", played));
        }
        let Some(&mv) = candidates.get(rng.index(candidates.len())) else { return Ok(()) };
        problem.apply(&mut state, mv);
        played.push(mv);
    }
}

/// Checks the moves of a playout that ended in `end`.
fn replayed<P: Problem>(problem: &P, end: &P::State, moves: &[P::Move]) -> Result<(), &'static str> {
    let mut state = problem.root();
    for &mv in moves {
        if !list(problem, &state).contains(&mv) {
            return Err("plays an illegal move");
        }
        problem.apply(&mut state, mv);
    }
    if !list(problem, &state).is_empty() || !list(problem, end).is_empty() {
        return Err("stops where there are legal moves");
    }
    if problem.score(&state) != problem.score(end) {
        return Err("ends in another state than its moves");
    }
    Ok(())
}
