//! What moves are worth before anything is learned.

use super::Problem;

/// Prior knowledge about the moves of a problem.
///
/// A problem that implements this trait for itself returns `Some(self)` from [`Problem::prior`].
///
/// GNRPA (Cazenave, "Generalized Nested Rollout Policy Adaptation", MCS 2020) begins with it; tree search adds it to
/// the value of moves that were seldom tried (Chaslot et al., "Progressive Strategies for Monte-Carlo Tree Search",
/// NMNC 2008); systematic searches order children by it.
///
/// ```
/// use soloist::Problem;
/// use soloist::doc::Staircase;
/// use soloist::problem::Prior;
///
/// impl Prior<Stairs> for Stairs {
///     /// Left steps are worth more.
///     fn bias(&self, _: &<Stairs as Problem>::State, right: bool) -> f64 {
///         if right { -1.0 } else { 0.0 }
///     }
/// }
/// # struct Stairs(Staircase);
/// # impl Problem for Stairs {
/// #   type State = <Staircase as Problem>::State;
/// #   type Move = bool;
/// #   fn root(&self) -> Self::State { self.0.root() }
/// #   fn moves(&self, state: &Self::State, moves: &mut Vec<bool>) { self.0.moves(state, moves) }
/// #   fn apply(&self, state: &mut Self::State, right: bool) { self.0.apply(state, right) }
/// #   fn score(&self, state: &Self::State) -> soloist::Score { self.0.score(state) }
/// #   fn prior(&self) -> Option<&dyn Prior<Self>> { Some(self) }
/// # }
/// # soloist::check(&Stairs(Staircase(5)), 20, 1).unwrap();
/// ```
pub trait Prior<P: Problem> {
    /// Returns the bias of a move: its logit (the natural logarithm of its weight) before anything is learned. A finite
    /// number.
    fn bias(&self, state: &P::State, mv: P::Move) -> f64;

    /// Appends the terms that [`bias`](Self::bias) is the sum of, for searches that learn a weight for each: always as
    /// many, in the same order. By default the bias is one term.
    fn terms(&self, state: &P::State, mv: P::Move, terms: &mut Vec<f64>) {
        terms.push(self.bias(state, mv));
    }
}
