//! What a problem may have besides its rules, and what it says about its solutions to people.

use super::{Entrant, NamedSearch, Problem};
use crate::rollout::NamedRollout;
use std::borrow::Cow;

/// What a problem may have besides its rules: rollouts and searches of its own, the methods that suit it, names for
/// what people are shown, and its identity.
///
/// A problem that implements this trait for itself returns itself from `extras`, a function of [`Problem`] that serves
/// nothing else:
///
/// ```
/// use soloist::Problem;
/// use soloist::doc::Staircase;
/// use soloist::problem::{Entrant, Extras};
///
/// struct Stairs(Staircase);
///
/// impl Problem for Stairs {
///     // root, moves, apply, score
/// #   type State = <Staircase as Problem>::State;
/// #   type Move = bool;
/// #   fn root(&self) -> Self::State { self.0.root() }
/// #   fn moves(&self, state: &Self::State, moves: &mut Vec<bool>) { self.0.moves(state, moves) }
/// #   fn apply(&self, state: &mut Self::State, right: bool) { self.0.apply(state, right) }
/// #   fn score(&self, state: &Self::State) -> soloist::Score { self.0.score(state) }
///     fn extras(&self) -> &dyn Extras<Self> {
///         self
///     }
/// }
///
/// impl Extras<Self> for Stairs {
///     fn portfolio(&self) -> Vec<Entrant> {
///         vec![Entrant::new("nrpa").set("level", "2")]
///     }
/// }
/// # soloist::check(&Stairs(Staircase(5)), 20, 1).unwrap();
/// ```
pub trait Extras<P: Problem> {
    /// Returns the playout policies of the domain, the best general one first. `random` (uniform over the moves) exists
    /// for every problem, and is replaced by a policy of that name.
    fn rollouts(&self) -> Vec<NamedRollout<P>> {
        Vec::new()
    }

    /// Returns the searches that the problem has besides those of the engine; see
    /// [`ProblemSearch`](super::ProblemSearch). Their names are method names.
    fn searches(&self) -> Vec<NamedSearch<P>> {
        Vec::new()
    }

    /// Returns the methods that are known to suit this instance, with their settings, the best one first. None
    /// by default.
    ///
    /// They race in `auto` with the presets that can use what the problem offers.
    fn portfolio(&self) -> Vec<Entrant> {
        Vec::new()
    }

    /// Returns what scores consist of, and which constraints there are. `None`: the score says everything.
    fn explain(&self) -> Option<&dyn Explain<P>> {
        None
    }

    /// Identifies the instance, so that a checkpoint is never resumed on another one. `None`: a hash of the codes, move
    /// counts and scores met on eight seeded walks does.
    fn fingerprint(&self) -> Option<u64> {
        None
    }
}

/// Nothing besides the rules.
impl<P: Problem> Extras<P> for () {}

/// A part of a score: its name, and its value in its own unit.
pub type ScorePart = (Cow<'static, str>, f64);

/// What a score consists of, and which constraints a solution must satisfy.
///
/// No search asks for it. Results show the [parts](Self::parts) of their score, and
/// [`explain`](crate::check::explain()) looks for named [constraints](Self::constraints) that cannot hold together. A
/// problem that implements this trait for itself returns `Some(self)` from [`Extras::explain`].
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
