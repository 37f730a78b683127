//! Checks of what annealing relies on: identities and neighbourhoods.

use crate::check::{Violation, after, list};
use crate::core::hash::stable_hash;
use crate::problem::{Acceptance, Found, Neighborhood};
use crate::{Problem, Rng};
use std::collections::HashSet;

/// Edits tried on each solution.
const EDITS: usize = 64;

pub(super) fn check<P: Problem>(problem: &P, walks: usize, rng: &mut Rng) -> Result<(), Violation<P::Move>> {
    let mut edits = problem.neighborhood();
    let mut constant = None;
    for _ in 0..walks {
        let played = identities(problem, rng)?;
        links(problem, &played, &mut constant)?;
        suggestions(problem, &played)?;
        if let Some(edits) = &mut edits {
            neighborhood(problem, &mut **edits, &played, rng)?;
        }
    }
    Ok(())
}

/// Plays a random game, checks identities on the way, and returns its moves.
fn identities<P: Problem>(problem: &P, rng: &mut Rng) -> Result<Vec<P::Move>, Violation<P::Move>> {
    let mut state = problem.root();
    let mut played: Vec<P::Move> = Vec::new();
    let mut names = Vec::new();
    loop {
        let moves = list(problem, &state);
        let wrong = |what: &str| Err(Violation::new(what, played.clone()));
        if let Some(ordering) = problem.ordering() {
            for &mv in &moves {
                let name = ordering.identity(&state, mv);
                if name != ordering.identity(&state, mv) {
                    return wrong("an identity changes");
                }
                if !matches!(ordering.find(&state, name), Found::Move(found) if ordering.identity(&state, found) == name)
                {
                    return wrong("a legal move is not found by its identity");
                }
            }
            // Names of moves played before, and a number that hardly names anything.
            let drawn = names.get(rng.index(names.len().max(1))).copied();
            for name in drawn.into_iter().chain([stable_hash(&played.len())]) {
                if matches!(ordering.find(&state, name), Found::Move(mv) if !moves.contains(&mv)) {
                    return wrong("what is found is not legal");
                }
            }
        }
        let Some(&mv) = moves.get(rng.index(moves.len())) else { break };
        names.extend(problem.ordering().map(|ordering| ordering.identity(&state, mv)));
        problem.apply(&mut state, mv);
        played.push(mv);
    }
    Ok(played)
}

/// Checks that the score of a solution is the sum of its links and a constant, which is that of the solutions before.
fn links<P: Problem>(problem: &P, played: &[P::Move], constant: &mut Option<f64>) -> Result<(), Violation<P::Move>> {
    let Some(ordering) = problem.ordering() else { return Ok(()) };
    let mut state = problem.root();
    let (mut before, mut sum) = (None, 0.0);
    let mut names = HashSet::new();
    let wrong = |what: String| Err(Violation::new(what, played.to_vec()));
    for &mv in played {
        let behind = Some(ordering.identity(&state, mv));
        let Some(link) = ordering.link(before, behind) else { return Ok(()) };
        if !link.is_finite() || !behind.is_some_and(|name| names.insert(name)) {
            return wrong("a link of a solution is not finite, or a decision with links is made twice".into());
        }
        sum += link;
        before = behind;
        problem.apply(&mut state, mv);
    }
    if played.is_empty() {
        return Ok(());
    }
    sum += ordering.link(before, None).unwrap_or(f64::NAN);
    let Some(value) = problem.score(&state).value() else { return Ok(()) };
    let known = *constant.get_or_insert(value - sum);
    if (value - sum - known).abs() > 1e-6 * (1.0 + value.abs().max(sum.abs())) || sum.is_nan() {
        return wrong(format!("the links are {sum} and the score is {value}, which differ by {known} elsewhere"));
    }
    Ok(())
}

/// Checks that suggested edits name places of the solution.
fn suggestions<P: Problem>(problem: &P, played: &[P::Move]) -> Result<(), Violation<P::Move>> {
    let Some(ordering) = problem.ordering() else { return Ok(()) };
    let suggest = || {
        let mut edits = Vec::new();
        (ordering.suggest(played, &mut edits), edits)
    };
    let (supported, edits) = suggest();
    let wrong = |what: &str| Err(Violation::new(what, played.to_vec()));
    if edits.iter().any(|&(from, to)| from == to || from.max(to) >= played.len()) {
        return wrong("a suggested edit does not name two places of the solution");
    }
    if !supported && !edits.is_empty() || suggest() != (supported, edits) {
        return wrong("suggested edits change, or are made where none are said to be");
    }
    Ok(())
}

/// Edits a solution and compares costs with those of the same solution built again.
fn neighborhood<P: Problem>(
    problem: &P,
    edits: &mut dyn Neighborhood<P>,
    start: &[P::Move],
    rng: &mut Rng,
) -> Result<(), Violation<P::Move>> {
    if !edits.start(problem, start) {
        return Ok(());
    }
    if let Some(unit) = edits.unit(problem).filter(|unit| !(unit.is_finite() && *unit > 0.0)) {
        return Err(Violation::new(format!("the unit of a neighbourhood is {unit}"), start.to_vec()));
    }
    accepts_and_rejects(problem, edits, rng)?;
    let moves = moves_of(problem, edits);
    for at in 0..moves.len() {
        if !list(problem, &after(problem, &moves[..at])).contains(&moves[at]) {
            return Err(Violation::new("a neighbourhood makes a move that is not legal", moves[..=at].to_vec()));
        }
    }
    if !list(problem, &after(problem, &moves)).is_empty() {
        return Err(Violation::new("a neighbourhood leaves a solution that is not finished", moves));
    }
    restores(problem, edits, moves, rng)
}

/// Whether two costs are the same but for rounding.
fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs()))
}

/// The solution that is edited.
fn moves_of<P: Problem>(problem: &P, edits: &dyn Neighborhood<P>) -> Vec<P::Move> {
    let mut moves = Vec::new();
    edits.moves(problem, &mut moves);
    moves
}

/// Accepts and rejects edits: the cost and the score are those of the solution, a rejected edit leaves nothing behind.
fn accepts_and_rejects<P: Problem>(
    problem: &P,
    edits: &mut dyn Neighborhood<P>,
    rng: &mut Rng,
) -> Result<(), Violation<P::Move>> {
    let mut cost = edits.cost(problem);
    for trial in 0..EDITS {
        let before = moves_of(problem, edits);
        let wrong = |what: String| Err(Violation::new(what, before.clone()));
        edits.set_variant(problem, trial % edits.variants(problem).max(1));
        let temperature = if trial % 3 == 0 { 0.0 } else { 1.0 + cost.abs() };
        let proposed = edits.propose(problem, &mut Acceptance::new(rng, temperature));
        match proposed {
            Some(change) if rng.below(2) == 0 => {
                edits.accept(problem);
                if !close(edits.cost(problem), cost + change) {
                    let now = edits.cost(problem);
                    return wrong(format!("an edit of a neighbourhood changes the cost {cost} by {change} to {now}"));
                }
                cost = edits.cost(problem);
                let score = edits.score(problem);
                if score.is_some_and(|score| score != problem.score(&after(problem, &moves_of(problem, edits)))) {
                    return wrong(format!("a neighbourhood says {score:?} of a solution that has another score"));
                }
            }
            proposed => {
                if proposed.is_some() {
                    edits.reject(problem);
                }
                if !close(edits.cost(problem), cost) || moves_of(problem, edits) != before {
                    return wrong("an edit of a neighbourhood is not taken back".into());
                }
            }
        }
    }
    Ok(())
}

/// Restored from a checkpoint, a neighbourhood has the same cost and makes the same edits.
fn restores<P: Problem>(
    problem: &P,
    edits: &mut dyn Neighborhood<P>,
    moves: Vec<P::Move>,
    rng: &mut Rng,
) -> Result<(), Violation<P::Move>> {
    let now = edits.cost(problem);
    let (saved, mut other) = (edits.save(), rng.clone());
    let next = |edits: &mut dyn Neighborhood<P>, rng: &mut Rng| {
        for _ in 0..EDITS {
            edits.advance(problem, &mut Acceptance::new(rng, 1.0));
        }
        (edits.cost(problem).to_bits(), moves_of(problem, edits))
    };
    let expected = next(edits, &mut other);
    if !edits.start(problem, &moves) {
        return Err(Violation::new("a neighbourhood cannot be started with its own moves", moves));
    }
    let again = edits.cost(problem);
    // A solution may be edited while it is not finished: then the moves have more than the cost knows.
    let is_known = close(now, again) || edits.load(problem, &saved).is_ok() && close(now, edits.cost(problem));
    if !is_known {
        let score = problem.score(&after(problem, &moves));
        let what = format!(
            "a neighbourhood has the cost {now}, but {again} when it is started with its own moves, whose score is {score} \
             (do `moves` and `cost` describe the same solution?)"
        );
        return Err(Violation::new(what, moves));
    }
    let is_restored = edits.start(problem, &moves) && edits.load(problem, &saved).is_ok();
    if !is_restored || next(edits, rng) != expected {
        return Err(Violation::new("a neighbourhood that is saved and restored makes other edits", moves));
    }
    Ok(())
}
