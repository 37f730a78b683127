//! Decisions with names, for searches that edit a finished solution and play it again.

use super::Problem;

/// Which move of a state decides about a thing (a customer, an operation), if one does; see [`Ordering::find`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<M> {
    /// This legal move decides about it.
    Move(M),
    /// No move decides about it yet; one may later.
    Blocked,
    /// No move will decide about it in this or a later state.
    Gone,
}

/// Names of what the moves of a problem decide about (a tile, an operation, a customer), and what is known of their
/// order.
///
/// Annealing replays an edited solution by these names, without a list of moves at each step. A problem that implements
/// this trait for itself returns `Some(self)` from [`Problem::ordering`]. Without it annealing replays by
/// [codes](Problem::code).
///
/// ```
/// use soloist::{Problem, Score};
/// use soloist::problem::{Found, Ordering};
///
/// /// Visit all places, each once; `ways[a][b]` is the way from `a` to `b`.
/// struct Visits {
///     ways: Vec<Vec<f64>>,
/// }
///
/// impl Problem for Visits {
///     type State = Vec<usize>;
///     type Move = usize;
///     fn root(&self) -> Vec<usize> {
///         Vec::new()
///     }
///     fn moves(&self, visited: &Vec<usize>, moves: &mut Vec<usize>) {
///         moves.extend((0..self.ways.len()).filter(|place| !visited.contains(place)));
///     }
///     fn apply(&self, visited: &mut Vec<usize>, place: usize) {
///         visited.push(place);
///     }
///     fn score(&self, visited: &Vec<usize>) -> Score {
///         Score::Feasible(-visited.windows(2).map(|pair| self.ways[pair[0]][pair[1]]).sum::<f64>())
///     }
///     fn ordering(&self) -> Option<&dyn Ordering<Self>> {
///         Some(self)
///     }
/// }
///
/// impl Ordering<Visits> for Visits {
///     fn identity(&self, _: &Vec<usize>, place: usize) -> u64 {
///         place as u64
///     }
///     fn find(&self, visited: &Vec<usize>, identity: u64) -> Found<usize> {
///         let place = identity as usize;
///         if place < self.ways.len() && !visited.contains(&place) { Found::Move(place) } else { Found::Gone }
///     }
///     fn link(&self, before: Option<u64>, behind: Option<u64>) -> Option<f64> {
///         Some(before.zip(behind).map_or(0.0, |(a, b)| -self.ways[a as usize][b as usize]))
///     }
/// }
///
/// let visits = Visits { ways: vec![vec![0.0, 1.0, 4.0], vec![1.0, 0.0, 2.0], vec![4.0, 2.0, 0.0]] };
/// soloist::check(&visits, 20, 1).unwrap();
/// ```
pub trait Ordering<P: Problem> {
    /// Returns the name of what `mv` decides about in `state`.
    fn identity(&self, state: &P::State, mv: P::Move) -> u64;

    /// Returns what an [identity](Self::identity) stands for in `state`: a legal move, nothing yet, or nothing any
    /// more.
    ///
    /// Any number may be asked for; an unknown identity is [`Found::Gone`].
    fn find(&self, state: &P::State, identity: u64) -> Found<P::Move>;

    /// Returns what two decisions cost when the one named `behind` directly follows the one named `before`: the way
    /// between two places, the set-up between two products. `None` as a name stands for the start or end of the order.
    /// `None` as a result: the problem has no links (the default).
    ///
    /// The promise: all solutions make decisions of the same identities, each once, and their scores are the sum of the
    /// links along the order, from the start to the end, and a constant. A pair that cannot follow each other directly
    /// has any value, ideally infinity. Annealing knows by it what an edit changes before it replays the solution, and
    /// which decisions are near each other.
    fn link(&self, _before: Option<u64>, _behind: Option<u64>) -> Option<f64> {
        None
    }

    /// Appends edits that may improve a finished solution: `(from, to)` moves the decision at place `from` of `moves`
    /// to place `to`. Annealing draws many of its neighbours among them.
    ///
    /// Returns whether the problem makes suggestions; false by default.
    fn suggest(&self, _moves: &[P::Move], _edits: &mut Vec<(usize, usize)>) -> bool {
        false
    }
}
