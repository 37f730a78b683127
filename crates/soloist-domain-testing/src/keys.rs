//! States with equal keys: their moves, in order, and their scores.

use soloist::problem::Key;
use soloist::{Problem, Rng, Score};
use std::collections::BTreeMap;

/// What was found behind the first way to a key.
struct Met<M> {
    way: Vec<M>,
    moves: Vec<M>,
    score: Option<Score>,
    /// The keys after each move.
    next: Vec<Option<Key>>,
}

/// Plays `games` random games, every other one with the moves of the one before in another order as far as they are
/// legal, and compares all states that have the key of a state reached another way: they must list the same moves in
/// the same order, have equal keys after each of them, and the same score where they are finished.
///
/// Returns how many pairs of ways were compared, so that a test can ask for enough of them.
///
/// # Panics
/// If two states with equal keys differ: with both ways.
pub fn check_keys<P: Problem>(problem: &P, games: usize, seed: u64) -> usize {
    let mut rng = Rng::new(seed);
    let mut known: BTreeMap<Key, Met<P::Move>> = BTreeMap::new();
    let (mut pairs, mut last) = (0, Vec::new());
    for game in 0..games {
        let mut plan = if game % 2 == 1 { std::mem::take(&mut last) } else { Vec::new() };
        if plan.len() > 1 {
            let mv = plan.remove(rng.index(plan.len()));
            plan.insert(rng.index(plan.len() + 1), mv);
        }
        let (mut state, mut way) = (problem.root(), Vec::new());
        loop {
            let mut moves = Vec::new();
            problem.moves(&state, &mut moves);
            if let Some(key) = problem.key(&state) {
                let after = |&mv: &P::Move| {
                    let mut next = state.clone();
                    problem.apply(&mut next, mv);
                    problem.key(&next)
                };
                let found = Met {
                    way: way.clone(),
                    moves: moves.clone(),
                    score: moves.is_empty().then(|| problem.score(&state)),
                    next: moves.iter().map(after).collect(),
                };
                match known.get(&key) {
                    Some(met) if met.way != way => {
                        pairs += 1;
                        let same = met.moves == found.moves && met.score == found.score && met.next == found.next;
                        assert!(
                            same,
                            "one key after {:?} and after {way:?}: moves {:?} and {:?}, scores {:?} and {:?}",
                            met.way, met.moves, found.moves, met.score, found.score
                        );
                    }
                    Some(_) => {}
                    None => _ = known.insert(key, found),
                }
            }
            let planned = plan.iter().position(|mv| moves.contains(mv)).map(|at| plan.remove(at));
            let Some(mv) = planned.or_else(|| moves.get(rng.index(moves.len())).copied()) else { break };
            problem.apply(&mut state, mv);
            way.push(mv);
        }
        last = way;
    }
    pairs
}
