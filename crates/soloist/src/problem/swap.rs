//! One decision for another: differences that make a ready local search of assignments and subsets.

use super::Problem;

/// What the score of a solution gains or loses when one decision is exchanged for another.
///
/// It is for *assignments*, whose solutions decide at the same places (the sides of a cut, the colours of vertices),
/// and for *subsets*, whose solutions hold some of the decisions in any order (the items of a knapsack, the vertices of
/// a clique). A problem that implements it returns the ready neighbourhood
/// [`Exchanges`](super::Exchanges):
///
/// ```
/// use soloist::problem::{Exchange, Exchanges, Neighborhood};
/// use soloist::{Problem, Score};
///
/// /// Items of these weights and values that weigh at most 100 together.
/// struct Bag(Vec<(u32, u32)>);
///
/// #[derive(Clone)]
/// struct Packed {
///     items: Vec<bool>,
///     weight: u32,
///     value: u32,
/// }
///
/// impl Problem for Bag {
///     type State = Packed;
///     type Move = usize;
///     fn root(&self) -> Packed {
///         Packed { items: vec![false; self.0.len()], weight: 0, value: 0 }
///     }
///     fn moves(&self, packed: &Packed, moves: &mut Vec<usize>) {
///         let fits = |&item: &usize| !packed.items[item] && packed.weight + self.0[item].0 <= 100;
///         moves.extend((0..self.0.len()).filter(fits));
///     }
///     fn apply(&self, packed: &mut Packed, item: usize) {
///         packed.items[item] = true;
///         packed.weight += self.0[item].0;
///         packed.value += self.0[item].1;
///     }
///     fn score(&self, packed: &Packed) -> Score {
///         Score::Feasible(f64::from(packed.value))
///     }
///     fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
///         Some(Box::new(Exchanges::new()))
///     }
/// }
///
/// impl Exchange for Bag {
///     fn difference(&self, packed: &Packed, _: usize, old: Option<usize>, new: Option<usize>) -> Option<f64> {
///         let of = |item: Option<usize>| item.map_or((0, 0), |item| self.0[item]);
///         let ((old_weight, old_value), (new_weight, new_value)) = (of(old), of(new));
///         let fits = packed.weight + new_weight - old_weight <= 100;
///         fits.then(|| f64::from(new_value) - f64::from(old_value))
///     }
/// }
///
/// let bag = Bag((0..40).map(|item| (10 + item * 7 % 23, 5 + item * 11 % 31)).collect());
/// soloist::check(&bag, 20, 1).unwrap();
/// ```
pub trait Exchange: Problem {
    /// Returns by how much the score changes when the decision `old` is taken out of a solution and `new` is made
    /// instead. `None`: the result breaks a rule, or is infeasible.
    ///
    /// `end` is the state after all decisions, and `place` the place of `old` among them. In assignments both decisions
    /// are given, and `new` takes the place of `old`. In subsets `old` is `None` where a decision is added (`place` is
    /// then the number of decisions), and `new` is `None` where one is taken out; `end` may have legal moves left
    /// there.
    ///
    /// The promise: where a number is returned, the decisions that are left and `new` are legal moves from the root (in
    /// subsets in any order), and scores of finished states differ by the sum of the differences between them. A legal
    /// move that is added has a difference. `None` for a kind of exchange that does not exist.
    fn difference(
        &self,
        end: &Self::State,
        place: usize,
        old: Option<Self::Move>,
        new: Option<Self::Move>,
    ) -> Option<f64>;

    /// Makes `end` the state after the exchange, whose [`difference`](Self::difference) was a number. Returns whether
    /// it has done so. By default it has not, and the state is made again from the root.
    ///
    /// With it an exchange that is accepted costs as little as one that is not. The state must be the one that the
    /// decisions lead to from the root, but for rounding errors of sums.
    fn apply_exchange(
        &self,
        _end: &mut Self::State,
        _place: usize,
        _old: Option<Self::Move>,
        _new: Option<Self::Move>,
    ) -> bool {
        false
    }
}
