//! States that can be completed in the same ways: the better one is enough.

use super::{Key, Problem};
use crate::Sense;

/// A comparison of states that can be completed in the same ways: of two such states, searches keep the better one.
///
/// A problem that implements this trait for itself returns `Some(self)` from [`Problem::dominance`]. `beam`, `cabs`,
/// `dfs`, `best-first`, `bfs`, `ida-star` and their relatives then use it in place of [`Problem::key`]; `key` still
/// distinguishes finished solutions.
///
/// ```
/// use soloist::{Problem, Score, Sense};
/// use soloist::problem::{Dominance, Key};
///
/// /// Visit all places, each once, on the shortest way; `ways[a][b]` is the way from `a` to `b`.
/// struct Visits {
///     ways: Vec<Vec<f64>>,
/// }
///
/// #[derive(Clone)]
/// struct Visited {
///     places: u64,
///     last: usize,
///     length: f64,
/// }
///
/// impl Problem for Visits {
///     type State = Visited;
///     type Move = usize;
///     fn root(&self) -> Visited {
///         Visited { places: 1, last: 0, length: 0.0 }
///     }
///     fn moves(&self, visited: &Visited, moves: &mut Vec<usize>) {
///         moves.extend((0..self.ways.len()).filter(|place| visited.places >> place & 1 == 0));
///     }
///     fn apply(&self, visited: &mut Visited, place: usize) {
///         visited.length += self.ways[visited.last][place];
///         visited.places |= 1 << place;
///         visited.last = place;
///     }
///     fn score(&self, visited: &Visited) -> Score {
///         Score::Feasible(visited.length)
///     }
///     fn sense(&self) -> Sense {
///         Sense::Minimize
///     }
///     fn dominance(&self) -> Option<&dyn Dominance<Self>> {
///         Some(self)
///     }
/// }
///
/// impl Dominance<Visits> for Visits {
///     /// What is left to do depends on the places visited and the last of them, not on the length so far.
///     fn future(&self, visited: &Visited) -> (Key, f64) {
///         (Key::of(&(visited.places, visited.last)), visited.length)
///     }
/// }
///
/// let visits = Visits { ways: vec![vec![0.0, 1.0, 4.0], vec![1.0, 0.0, 2.0], vec![4.0, 2.0, 0.0]] };
/// soloist::check(&visits, 20, 1).unwrap();
/// ```
pub trait Dominance<P: Problem> {
    /// Returns a key of what can still be done, without what it has cost so far, and the score so far.
    ///
    /// The promise: if two states have the same key, then for each way to complete the one with the worse score so far,
    /// the other has a way of no more moves that ends at least as well. This holds wherever the same moves are legal in
    /// both and add the same to both scores; the moves may have other names and stand in another order, so that
    /// symmetric states may share a key. Where moves can be taken back, as in sliding puzzles, a state may have the key
    /// of one before it in the same game, with a score so far and resources that are no better: the one before
    /// dominates it, and it is dropped. A state that comes back better is an error. A route: the key is the set of
    /// places visited and the last of them, the score so far is the length; [`Problem::key`], in contrast, has to
    /// include the length. The score so far is compared in the problem's [`sense`](Problem::sense), is never NaN, and
    /// need not be the score of anything finished.
    fn future(&self, state: &P::State) -> (Key, f64);

    /// Appends further numbers that are compared among states with the same [`future`](Self::future), each in the
    /// problem's [`sense`](Problem::sense): a state is dropped for another one whose score so far and whose numbers are
    /// all at least as good. Always as many for the same key, and never NaN.
    ///
    /// When minimising, the times at which machines are free, for example. By default there are no such numbers, and
    /// the score so far decides. Beams compare component by component; searches with a table of states merge those with
    /// equal numbers.
    fn resources(&self, _state: &P::State, _resources: &mut Vec<f64>) {}
}

/// Returns the key of the state's future, and the numbers that are compared: the score so far and the resources.
pub(crate) fn future<P: Problem>(problem: &P, state: &P::State) -> Option<(Key, Vec<f64>)> {
    let dominance = problem.dominance()?;
    let (key, value) = dominance.future(state);
    let mut numbers = vec![value];
    dominance.resources(state, &mut numbers);
    Some((key, numbers))
}

/// Whether a state whose future has the key of one before it in the same game, with these numbers, comes back better
/// than it was. If it does not, the state before it dominates it.
pub(crate) fn returns_better(sense: Sense, before: &[f64], now: &[f64]) -> bool {
    before.len() != now.len() || before.iter().zip(now).any(|(&before, &now)| sense.clearly_better(now, before))
}
