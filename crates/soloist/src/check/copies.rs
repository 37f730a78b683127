//! Whether states stay what they are: when they are asked again, and while copies of them are played.

use crate::check::{Violation, list};
use crate::problem::{Key, future};
use crate::{Problem, Rng, Score};
use std::fmt::Debug;

/// Games for which copies are compared, and moves of each at most.
const GAMES: usize = 20;
const STEPS: usize = 4096;
/// States of a game that are compared one by one.
const SHOWN: usize = 64;

/// What a state answers. Numbers are kept by their bits, so that NaN equals itself.
#[derive(Clone, Debug, PartialEq)]
struct Answers<M> {
    moves: Vec<M>,
    codes: Vec<u64>,
    key: Option<Key>,
    future: Option<(Key, Vec<u64>)>,
    bound: Option<u64>,
    /// Of a finished state: whether it is feasible, and its score or violation.
    score: Option<(bool, u64)>,
}

impl<M: crate::problem::Move> Answers<M> {
    fn of<P: Problem<Move = M>>(problem: &P, state: &P::State) -> Self {
        let moves = list(problem, state);
        let codes = moves.iter().map(|&mv| problem.code(state, mv)).collect();
        let future =
            future(problem, state).map(|(key, numbers)| (key, numbers.into_iter().map(f64::to_bits).collect()));
        let score = moves.is_empty().then(|| match problem.score(state) {
            Score::Feasible(value) => (true, value.to_bits()),
            Score::Infeasible(degree) => (false, degree.to_bits()),
        });
        let bound = problem.bound(state).map(f64::to_bits);
        Self { moves, codes, key: problem.key(state), future, bound, score }
    }

    /// Says what differs from the answers before. `None`: nothing.
    fn change(&self, before: &Self) -> Option<String> {
        let number = |bits: Option<u64>| bits.map_or("none".into(), |bits| f64::from_bits(bits).to_string());
        let score = |score: Option<(bool, u64)>| {
            let of = |(feasible, bits)| {
                let value = f64::from_bits(bits);
                if feasible { Score::Feasible(value) } else { Score::Infeasible(value) }
            };
            score.map_or("none".into(), |score| of(score).to_string())
        };
        if self.moves != before.moves {
            return Some(format!("the moves were {} and are {}", few(&before.moves), few(&self.moves)));
        }
        if self.score != before.score {
            return Some(format!("the score was {} and is {}", score(before.score), score(self.score)));
        }
        if self.bound != before.bound {
            return Some(format!("the bound was {} and is {}", number(before.bound), number(self.bound)));
        }
        let pairs =
            [("key", self.key != before.key), ("future", self.future != before.future), ("codes", self != before)];
        pairs.into_iter().find(|(_, differs)| *differs).map(|(name, _)| format!("the {name} changed"))
    }
}

/// The first moves of a list, for a message.
fn few<M: Debug>(moves: &[M]) -> String {
    match moves {
        [first @ .., _] if first.len() >= 8 => format!("{:?} and {} more", &moves[..8], moves.len() - 8),
        _ => format!("{moves:?}"),
    }
}

/// Plays random moves until `most` are made or the game ends; `played` is called with each and the state behind it.
fn play<P: Problem>(
    problem: &P,
    state: &mut P::State,
    most: usize,
    rng: &mut Rng,
    mut played: impl FnMut(P::Move, &P::State),
) {
    for _ in 0..most {
        let moves = list(problem, state);
        let Some(&mv) = moves.get(rng.index(moves.len())) else { break };
        problem.apply(state, mv);
        played(mv, state);
    }
}

/// Compares states with their copies, before and after the copies are played to the end.
pub(super) fn check<P: Problem>(problem: &P, walks: usize, rng: &mut Rng) -> Result<(), Violation<P::Move>> {
    let root = Answers::of(problem, &problem.root());
    for _ in 0..walks.min(GAMES) {
        let mut game = Vec::new();
        play(problem, &mut problem.root(), STEPS, rng, |mv, _| game.push(mv));
        if let Some(change) = Answers::of(problem, &problem.root()).change(&root) {
            let what = format!("a game changes what `root` returns (do states share its memory?): {change},");
            return Err(Violation::new(what, game));
        }
        let (mut state, mut before) = (problem.root(), Vec::new());
        let most = rng.index(game.len() + 1);
        play(problem, &mut state, most, rng, |mv, _| before.push(mv));
        compare(problem, &state, &before, rng)?;
    }
    Ok(())
}

/// Plays copies of a state, which comes after the moves `before`.
fn compare<P: Problem>(
    problem: &P,
    state: &P::State,
    before: &[P::Move],
    rng: &mut Rng,
) -> Result<(), Violation<P::Move>> {
    let first = Answers::of(problem, state);
    let same = |other: &P::State, what: &str| match Answers::of(problem, other).change(&first) {
        Some(change) => Err(Violation::new(format!("{what}: {change},"), before.to_vec())),
        None => Ok(()),
    };
    let touched =
        "playing a copy of a state changes the state (does `apply` change memory that copies share, or a table?)";
    same(state, "a state answers otherwise when it is asked again")?;
    let mut copy = state.clone();
    same(&copy, "a clone differs from its state")?;
    let (mut line, mut trail) = (Vec::new(), Vec::new());
    play(problem, &mut copy, STEPS, rng, |mv, state| {
        line.push(mv);
        if trail.len() < SHOWN {
            trail.push(Answers::of(problem, state));
        }
    });
    let end = Answers::of(problem, &copy);
    same(state, touched)?;
    // Another line, on a copy that was used before.
    copy.clone_from(state);
    same(&copy, "a state that is copied by `clone_from` differs")?;
    play(problem, &mut copy, STEPS, rng, |_, _| {});
    same(state, touched)?;
    // The first line once more.
    copy = state.clone();
    for (at, &mv) in line.iter().enumerate() {
        problem.apply(&mut copy, mv);
        let expected = if at + 1 == line.len() { Some(&end) } else { trail.get(at) };
        let now = expected.and_then(|expected| Answers::of(problem, &copy).change(expected));
        let illegal = line.get(at + 1).is_some_and(|next| !list(problem, &copy).contains(next));
        if now.is_some() || illegal {
            let change = now.unwrap_or_else(|| "a move is not legal any more".into());
            let what = format!(
                "the same moves lead elsewhere the second time (does `apply` change memory that copies share, or draw at random?): {change},"
            );
            return Err(Violation::new(what, [before, &line[..=at]].concat()));
        }
    }
    same(state, touched)
}
