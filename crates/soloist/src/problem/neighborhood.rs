//! Local search in place: edits of a finished solution whose cost differences are known without a replay.

use super::Problem;
use crate::core::codec::CheckpointError;
use crate::core::math::is_below_exp;
use crate::{Rng, Score};

/// Decides whether a change of cost is accepted, at one temperature.
///
/// The rule is that of N. Metropolis et al., "Equation of state calculations by fast computing machines", Journal of
/// Chemical Physics 21, 1953: a change `d` of the cost is accepted if `d <= 0`, otherwise with probability
/// `exp(-d / T)`; at temperature 0 never. The rule is the same in two forms. [`accepts`](Self::accepts) draws after the
/// change is known, and only where chance decides. [`limit`](Self::limit) draws the threshold beforehand, so that an
/// edit can be abandoned as soon as its cost cannot stay below it.
#[derive(Debug)]
pub struct Acceptance<'a> {
    /// The generator of the run, for the draws of the edit as well.
    pub rng: &'a mut Rng,
    temperature: f64,
    limit: Option<f64>,
    patient: bool,
}

impl<'a> Acceptance<'a> {
    /// Returns the rule at a temperature in the units of the cost.
    #[must_use]
    pub fn new(rng: &'a mut Rng, temperature: f64) -> Self {
        Self { rng, temperature, limit: None, patient: false }
    }

    /// Returns a rule by which no edit is abandoned: [`limit`](Self::limit) is infinite until the change is judged.
    /// Annealing measures the differences of edits with it.
    #[must_use]
    pub fn patient(rng: &'a mut Rng, temperature: f64) -> Self {
        Self { patient: true, ..Self::new(rng, temperature) }
    }

    /// Returns the rule that accepts a change that is at most 0 or below a limit. It draws nothing.
    #[must_use]
    pub fn below(rng: &'a mut Rng, limit: f64) -> Self {
        Self { limit: Some(limit), ..Self::new(rng, 0.0) }
    }

    /// The temperature, in the units of the cost.
    #[must_use]
    pub fn temperature(&self) -> f64 {
        self.temperature
    }

    /// Returns the threshold: a change of the cost is accepted if it is at most 0 or smaller than this. The first call
    /// draws one number.
    pub fn limit(&mut self) -> f64 {
        if self.patient {
            return f64::INFINITY;
        }
        let Self { rng, temperature, .. } = self;
        *self.limit.get_or_insert_with(|| threshold(*temperature, rng))
    }

    /// Whether a change of the cost is accepted.
    pub fn accepts(&mut self, change: f64) -> bool {
        match self.limit {
            _ if change <= 0.0 => true,
            Some(limit) => change < limit,
            None => self.temperature > 0.0 && is_below_exp(self.rng.unit(), change / self.temperature),
        }
    }
}

/// Draws the threshold `-T ln U`.
fn threshold(temperature: f64, rng: &mut Rng) -> f64 {
    if temperature > 0.0 { -temperature * libm::log(1.0 - rng.unit()) } else { 0.0 }
}

/// A solution that is edited in place. Every edit is accepted or taken back before the next one.
///
/// `C` is what edits refer to: the problem, for a [`Neighborhood`]; anything for a local search of its own.
///
/// ```
/// use soloist::Rng;
/// use soloist::problem::{Acceptance, Edits};
///
/// /// The bits of a number, which should be as small as possible.
/// struct Bits(u32, u32);
///
/// impl Edits<()> for Bits {
///     fn propose(&mut self, _: &(), acceptance: &mut Acceptance<'_>) -> Option<f64> {
///         self.1 = 1 << acceptance.rng.below(8);
///         Some(f64::from(self.0 ^ self.1) - f64::from(self.0))
///     }
///     fn accept(&mut self, _: &()) {
///         self.0 ^= self.1;
///     }
///     fn reject(&mut self, _: &()) {}
/// }
///
/// let (mut bits, mut rng) = (Bits(201, 0), Rng::new(1));
/// for _ in 0..100 {
///     bits.advance(&(), &mut Acceptance::new(&mut rng, 0.0));
/// }
/// assert_eq!(bits.0, 0);
/// ```
pub trait Edits<C: ?Sized> {
    /// Makes one edit and returns the change of the cost; negative is better, whatever the sense of the problem.
    ///
    /// `None`: no edit was made, or one was abandoned and taken back because its change reaches the
    /// [`limit`](Acceptance::limit). Otherwise [`accept`](Self::accept) or [`reject`](Self::reject) follows.
    fn propose(&mut self, context: &C, acceptance: &mut Acceptance<'_>) -> Option<f64>;

    /// Makes the edited solution the present one.
    fn accept(&mut self, context: &C);

    /// Takes the edit back.
    fn reject(&mut self, context: &C);

    /// Proposes an edit and keeps it or takes it back. Returns the change of the cost, and whether it was accepted.
    fn advance(&mut self, context: &C, acceptance: &mut Acceptance<'_>) -> Option<(f64, bool)> {
        let change = self.propose(context, acceptance)?;
        let accepted = acceptance.accepts(change);
        if accepted {
            self.accept(context);
        } else {
            self.reject(context);
        }
        Some((change, accepted))
    }
}

/// The local search of a problem: edits of a finished solution, scored by difference. See [`Problem::neighborhood`].
///
/// The cost is what annealing compares. It may differ from the score: smaller is always better, and it may be smooth
/// where the score has a cliff (a penalty for each customer that is not served, where the score only says
/// "infeasible"). Scores that a run reports come from a replay of the [moves](Self::moves), never from a cost.
///
/// ```
/// use soloist::{Budget, Method, Problem, Score, Sense, Solver};
/// use soloist::problem::{Acceptance, Edits, Neighborhood};
///
/// /// An order of cities around a ring, as short as possible.
/// struct Ring(Vec<(f64, f64)>);
///
/// impl Ring {
///     fn way(&self, a: usize, b: usize) -> f64 {
///         let ((ax, ay), (bx, by)) = (self.0[a], self.0[b]);
///         ((ax - bx).powi(2) + (ay - by).powi(2)).sqrt()
///     }
/// }
///
/// impl Problem for Ring {
///     type State = Vec<usize>;
///     type Move = usize;
///     fn root(&self) -> Vec<usize> {
///         vec![0]
///     }
///     fn moves(&self, tour: &Vec<usize>, moves: &mut Vec<usize>) {
///         moves.extend((0..self.0.len()).filter(|city| !tour.contains(city)));
///     }
///     fn apply(&self, tour: &mut Vec<usize>, city: usize) {
///         tour.push(city);
///     }
///     fn score(&self, tour: &Vec<usize>) -> Score {
///         let back = self.way(tour[tour.len() - 1], 0);
///         Score::Feasible(tour.windows(2).map(|leg| self.way(leg[0], leg[1])).sum::<f64>() + back)
///     }
///     fn sense(&self) -> Sense {
///         Sense::Minimize
///     }
///     fn neighborhood(&self) -> Option<Box<dyn Neighborhood<Self>>> {
///         Some(Box::new(Reversals::default()))
///     }
/// }
///
/// /// A part of the tour is driven the other way round (2-opt): two legs change.
/// #[derive(Default)]
/// struct Reversals {
///     tour: Vec<usize>,
///     part: (usize, usize),
/// }
///
/// impl Edits<Ring> for Reversals {
///     fn propose(&mut self, ring: &Ring, acceptance: &mut Acceptance<'_>) -> Option<f64> {
///         let n = self.tour.len();
///         let (a, b) = (1 + acceptance.rng.index(n - 1), 1 + acceptance.rng.index(n - 1));
///         self.part = (a.min(b), a.max(b));
///         let (first, last) = (self.tour[a.min(b)], self.tour[a.max(b)]);
///         let (before, after) = (self.tour[a.min(b) - 1], self.tour[(a.max(b) + 1) % n]);
///         let old = ring.way(before, first) + ring.way(last, after);
///         Some(ring.way(before, last) + ring.way(first, after) - old)
///     }
///     fn accept(&mut self, _: &Ring) {
///         self.tour[self.part.0..=self.part.1].reverse();
///     }
///     fn reject(&mut self, _: &Ring) {}
/// }
///
/// impl Neighborhood<Ring> for Reversals {
///     fn start(&mut self, _: &Ring, moves: &[usize]) -> bool {
///         self.tour = [0].iter().chain(moves).copied().collect();
///         moves.len() > 1
///     }
///     fn cost(&self, ring: &Ring) -> f64 {
///         ring.score(&self.tour).value().unwrap()
///     }
///     fn moves(&self, _: &Ring, moves: &mut Vec<usize>) {
///         moves.extend(&self.tour[1..]);
///     }
/// }
///
/// // Forty cities on a circle, in a mixed order.
/// let place = |city: u32| f64::from(city * 7 % 40) * std::f64::consts::TAU / 40.0;
/// let ring = Ring((0..40).map(|city| (place(city).cos(), place(city).sin())).collect());
/// soloist::check(&ring, 5, 1).unwrap();
/// let solver = Solver::new(&ring, Method::preset("anneal").unwrap()).budget(Budget::playouts(60_000));
/// let shortest = 80.0 * (std::f64::consts::PI / 40.0).sin();
/// assert!((solver.run().unwrap().best.unwrap().score.value().unwrap() - shortest).abs() < 1e-9);
/// ```
pub trait Neighborhood<P: Problem>: Edits<P> + Send {
    /// Makes a finished solution the present one. `false`: it cannot be edited, and the caller replays moves instead.
    fn start(&mut self, problem: &P, moves: &[P::Move]) -> bool;

    /// Returns the cost of the present solution. Sums of differences must stay within rounding errors of it.
    fn cost(&self, problem: &P) -> f64;

    /// Appends the moves of the present solution to `moves`, which arrives empty: legal ones from the root to a state
    /// without moves.
    fn moves(&self, problem: &P, moves: &mut Vec<P::Move>);

    /// Returns the score of the present solution, where it is known at no cost and is not the [`cost`](Self::cost) with
    /// another sign: then the best solution is the one with the best score. `None` (the default): the one with the
    /// least cost.
    fn score(&self, _problem: &P) -> Option<Score> {
        None
    }

    /// Returns the difference of costs that temperatures are measured in, where the field knows one. `None` (the
    /// default): annealing measures its temperatures at a local optimum.
    fn unit(&self, _problem: &P) -> Option<f64> {
        None
    }

    /// Returns the number of variants of this local search (1 by default): other preferences of its random choices,
    /// say. Annealing gives each run another one.
    fn variants(&self, _problem: &P) -> usize {
        1
    }

    /// Chooses a variant, below their number, for the edits from now on. [`save`](Self::save) includes it.
    fn set_variant(&mut self, _problem: &P, _variant: usize) {}

    /// Returns what decides later edits beside the moves: counters, the order of parts, the exact running cost.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Restores what [`save`](Self::save) wrote, after [`start`](Self::start) with the moves of the same solution.
    ///
    /// # Errors
    /// When the bytes are not a state of this neighbourhood, or belong to another solution.
    fn load(&mut self, _problem: &P, bytes: &[u8]) -> Result<(), CheckpointError> {
        if bytes.is_empty() { Ok(()) } else { Err(CheckpointError::Corrupt("unexpected data of a neighbourhood")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_the_rule_agree() {
        let (mut rng, trials) = (Rng::new(1), 100_000);
        let late = (0..trials).filter(|_| Acceptance::new(&mut rng, 1.5).accepts(2.0)).count();
        let early = (0..trials).filter(|_| {
            let mut acceptance = Acceptance::new(&mut rng, 1.5);
            let limit = acceptance.limit();
            acceptance.accepts(2.0) && 2.0 < limit
        });
        // exp(-4/3) = 0.2636; the standard error is 0.0014.
        for accepted in [late, early.count()] {
            assert!((accepted as f64 / f64::from(trials) - 0.2636).abs() < 0.006, "{accepted}");
        }
    }

    #[test]
    fn draws_are_made_only_where_chance_decides() {
        let mut rng = Rng::new(1);
        let untouched = rng.clone();
        assert!(Acceptance::new(&mut rng, 0.0).accepts(0.0) && Acceptance::new(&mut rng, 0.5).accepts(-3.0));
        assert!(!Acceptance::new(&mut rng, 0.0).accepts(1.0) && !Acceptance::new(&mut rng, -0.1).accepts(5.0));
        assert_eq!(Acceptance::new(&mut rng, 0.0).limit(), 0.0);
        assert_eq!(Acceptance::patient(&mut rng, 1.0).limit(), f64::INFINITY);
        assert_eq!(rng, untouched);
    }
}
