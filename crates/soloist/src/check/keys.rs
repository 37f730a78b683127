//! States that a problem says are equal, or comparable.

use crate::check::{Violation, after, list};
use crate::problem::{Key, future, returns_better};
use crate::{Problem, Rng, Sense};
use std::collections::BTreeMap;

/// Moves that are remembered, and pairs of states that are compared after each game.
const MOST: usize = 1 << 20;
const PAIRS: usize = 4;
/// Pairs of a game from which these are drawn, and moves that are played from a pair: a random game of a puzzle whose
/// moves can be taken back may have a hundred thousand.
const MOST_PAIRS: usize = 256;
const FOLLOWED: usize = 10_000;

const AGAIN: &str = "a state has the key of an earlier one of the same game";
const BETTER: &str = "a state has the future of an earlier one of the same game and is better: the key must tell apart \
                      what can be gained again and again";

/// What states are compared by.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Key,
    Future,
}

/// A key, and the numbers that may differ.
type Label = (Key, Vec<f64>);
/// Two ways to states with the same key.
type Pair<M> = (Vec<M>, Vec<M>);
/// A child: its move, state and label.
type Child<P> = (<P as Problem>::Move, <P as Problem>::State, Label);

/// The first way met to each key.
pub(super) struct Keys<M> {
    ways: [BTreeMap<Key, Vec<M>>; 2],
    moves: usize,
}

impl<M: Copy + PartialEq> Keys<M> {
    pub(super) fn new() -> Self {
        Self { ways: [BTreeMap::new(), BTreeMap::new()], moves: 0 }
    }

    /// Compares states of a game with others of the same keys: with those of games before, and with those after the
    /// same moves in another order.
    pub(super) fn compare<P: Problem<Move = M>>(
        &mut self,
        problem: &P,
        played: &[M],
        rng: &mut Rng,
    ) -> Result<(), Violation<M>> {
        for (by, which) in [(By::Key, 0), (By::Future, 1)] {
            let mut pairs = self.pairs(problem, by, which, played, rng)?;
            rng.shuffle(&mut pairs);
            for (a, b) in pairs.into_iter().take(PAIRS) {
                follow(problem, by, a, b, rng)?;
            }
        }
        Ok(())
    }

    /// Returns pairs of different ways to equal keys, and remembers those of this game.
    fn pairs<P: Problem<Move = M>>(
        &mut self,
        problem: &P,
        by: By,
        which: usize,
        played: &[M],
        rng: &mut Rng,
    ) -> Result<Vec<Pair<M>>, Violation<M>> {
        let mut pairs = Vec::new();
        let mut state = problem.root();
        let mut path: BTreeMap<Key, Vec<f64>> = BTreeMap::new();
        for at in 0..=played.len() {
            if let Some((key, numbers)) = label(problem, by, &state) {
                // Where moves can be taken back, a future may return, but no better than it was.
                let returns = match path.get(&key) {
                    Some(_) if by == By::Key => Some(AGAIN),
                    Some(before) if returns_better(problem.sense(), before, &numbers) => Some(BETTER),
                    _ => None,
                };
                if let Some(what) = returns {
                    return Err(Violation::new(what, played[..at].to_vec()));
                }
                path.insert(key, numbers);
                match self.ways[which].get(&key) {
                    Some(way) if way != &played[..at] && pairs.len() < MOST_PAIRS => {
                        pairs.push((way.clone(), played[..at].to_vec()));
                    }
                    None if self.moves + at <= MOST => {
                        self.moves += at;
                        self.ways[which].insert(key, played[..at].to_vec());
                    }
                    _ => {}
                }
            }
            played.get(at).into_iter().for_each(|&mv| problem.apply(&mut state, mv));
        }
        for _ in 0..PAIRS.min(played.len() / 2) {
            // A later move is played earlier, mostly the next one.
            let at = rng.index(played.len() - 1);
            let from = if rng.below(4) > 0 { at + 1 } else { at + 1 + rng.index(played.len() - at - 1) };
            let moved = [&played[..at], &[played[from]], &played[at..from]].concat();
            if is_legal(problem, &moved, at) {
                let key = |way: &[M]| label(problem, by, &after(problem, way)).map(|(key, _)| key);
                let first = key(&played[..=from]);
                if first.is_some() && moved != played[..=from] && key(&moved) == first {
                    pairs.push((played[..=from].to_vec(), moved));
                }
            }
        }
        Ok(pairs)
    }
}

/// Whether the moves from number `from` on are legal; those before are.
fn is_legal<P: Problem>(problem: &P, moves: &[P::Move], from: usize) -> bool {
    let mut state = after(problem, &moves[..from]);
    moves[from..].iter().all(|&mv| {
        let legal = list(problem, &state).contains(&mv);
        if legal {
            problem.apply(&mut state, mv);
        }
        legal
    })
}

fn label<P: Problem>(problem: &P, by: By, state: &P::State) -> Option<Label> {
    match by {
        By::Key => problem.key(state).map(|key| (key, Vec::new())),
        By::Future => future(problem, state),
    }
}

/// Whether all numbers are at least as good as their counterparts, but for rounding.
fn dominates(sense: Sense, a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| !sense.clearly_better(b, a))
}

fn pick<'a, T>(all: &'a [T], rng: &mut Rng) -> Option<&'a T> {
    all.get(rng.index(all.len()))
}

/// Says how the moves of states with equal keys differ. `None`: they are the same in the same order.
fn unlike<M: PartialEq>(one: &[M], two: &[M]) -> Option<&'static str> {
    if one == two {
        return None;
    }
    Some(if one.is_empty() || two.is_empty() {
        "of states with equal keys, one is finished and the other is not"
    } else if one.len() == two.len() && one.iter().all(|mv| two.contains(mv)) {
        "states with equal keys list their moves in another order"
    } else {
        "states with equal keys list other moves"
    })
}

/// Returns the children with labels. `None`: one has none.
fn children<P: Problem>(problem: &P, by: By, state: &P::State) -> Option<Vec<Child<P>>> {
    let child = |mv| {
        let mut next = state.clone();
        problem.apply(&mut next, mv);
        let label = label(problem, by, &next)?;
        Some((mv, next, label))
    };
    list(problem, state).into_iter().map(child).collect()
}

/// Plays on from two states with the same key, side by side, through children with the same keys.
fn follow<P: Problem>(
    problem: &P,
    by: By,
    mut a: Vec<P::Move>,
    mut b: Vec<P::Move>,
    rng: &mut Rng,
) -> Result<(), Violation<P::Move>> {
    let sense = problem.sense();
    let (mut one, mut two) = (after(problem, &a), after(problem, &b));
    let (Some((_, first)), Some((_, second))) = (label(problem, by, &one), label(problem, by, &two)) else {
        return Ok(());
    };
    // The second is the better one from here on.
    if !dominates(sense, &second, &first) {
        if !dominates(sense, &first, &second) {
            return Ok(());
        }
        std::mem::swap(&mut a, &mut b);
        std::mem::swap(&mut one, &mut two);
    }
    let wrong =
        |what: &str, a: &[P::Move], b: &[P::Move]| Err(Violation::new(format!("{what}: after {a:?}, and"), b.to_vec()));
    for _ in 0..FOLLOWED {
        if by == By::Key
            && let Some(what) = unlike(&list(problem, &one), &list(problem, &two))
        {
            return wrong(what, &a, &b);
        }
        let (Some(mut left), Some(mut right)) = (children(problem, by, &one), children(problem, by, &two)) else {
            return Ok(());
        };
        if left.is_empty() || right.is_empty() {
            if !right.is_empty() {
                return Ok(());
            }
            // Where the better one is finished, nothing that the other can still do is better.
            while let Some(&mv) = pick(&list(problem, &one), rng) {
                problem.apply(&mut one, mv);
                a.push(mv);
            }
            let (first, second) = (problem.score(&one), problem.score(&two));
            if by == By::Key && sense.clearly_better_score(second, first) {
                return wrong(&format!("states with equal keys end with {first} and {second}"), &a, &b);
            }
            if sense.clearly_better_score(first, second) {
                return wrong(
                    &format!("states with equal keys end with {first} and, the better one, {second}"),
                    &a,
                    &b,
                );
            }
            return Ok(());
        }
        let at = rng.index(left.len());
        if by == By::Key {
            // The moves are the same, in the same order.
            if left.iter().zip(&right).any(|(left, right)| left.2 != right.2) {
                return wrong("states with equal keys have children with other keys", &a, &b);
            }
            right = vec![right.swap_remove(at)];
        }
        let (mv, next, (key, numbers)) = left.swap_remove(at);
        let mut same = right.into_iter().filter(|(_, _, (other, _))| *other == key).peekable();
        let Some(other) = same.peek() else { return Ok(()) };
        a.push(mv);
        let at = other.0;
        let Some(best) = same.find(|(_, _, (_, others))| dominates(sense, others, &numbers)) else {
            b.push(at);
            return wrong("what was better among states with equal futures becomes worse", &a, &b);
        };
        b.push(best.0);
        (one, two) = (next, best.1);
    }
    Ok(())
}
