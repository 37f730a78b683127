//! What a problem says about its solutions to people: the parts of a score, and the constraints by name.

use super::Problem;
use std::borrow::Cow;

/// A part of a score: its name, and its value in its own unit.
pub type ScorePart = (Cow<'static, str>, f64);

/// What a score consists of, and which constraints a solution must satisfy.
///
/// No search asks for it. Results show the [parts](Self::parts) of their score, and
/// [`explain`](crate::check::explain()) looks for named [constraints](Self::constraints) that cannot hold together. A
/// problem that implements this trait for itself returns `Some(self)` from [`Extras::explain`](super::Extras::explain).
pub trait Explain<P: Problem> {
    /// Returns the parts of the score of a finished state by name, the most important one in front.
    ///
    /// A part is a number in its own unit; parts need not add up to the score (vehicles and distance). Searches also
    /// end in states that are not feasible: what is missing is a part there.
    fn parts(&self, _state: &P::State) -> Vec<ScorePart> {
        Vec::new()
    }

    /// Returns the names of the constraints that can be left out one by one. Empty by default.
    fn constraints(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the problem in which only some of the constraints have to hold; `kept` are their places in the list of
    /// [`constraints`](Self::constraints), ascending. `None`: simple arithmetic shows that these cannot hold together.
    ///
    /// The promise: a solution that satisfies more constraints satisfies fewer of them too. Whatever is proven to have
    /// no solution with some constraints has none with further ones.
    fn relaxed(&self, _kept: &[usize]) -> Option<P> {
        None
    }
}
