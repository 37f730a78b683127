//! The orders of the variables of a system as a search problem.

use crate::algebra::{Signs, System};
use crate::horner::Dag;
use crate::scheme::{Direction, Options, Partial, Scheme, SchemeOrders, optimal_order, terms};
use soloist::problem::{Entrant, Explain, Extras, Facts, Key, Prior, ScorePart, StableHasher};
use soloist::rollout::{NamedRollout, Playout, Rollout, find_rollout};
use soloist::{Problem, Rng, Score, Sense};
use std::hash::Hasher;
use std::sync::Arc;

/// A step of a proof takes as long as this many terms, beside those that it goes through.
const STEP_TERMS: u64 = 250;

/// The orders of the variables of a [`System`]: minimise the operations of the Horner scheme with common
/// sub-expressions, [`Dag::level_counts`].
///
/// [`SchemeOrders`] scores an order without building its Horner form. Only the forms of systems with coefficients
/// of 2^61 and more are built in full. A move is a variable, by its number among the symbols that occur. Of more than
/// 128 symbols the most frequent ones are ordered; the others are innermost.
#[derive(Debug)]
pub struct Orders {
    system: Arc<System>,
    signs: Signs,
    inner: SchemeOrders,
    /// Whether the level costs are exact.
    exact: bool,
    /// The cost of the best order of all, if it is proven.
    proven: Option<u64>,
    fingerprint: u64,
}

impl Orders {
    /// The problem on `system`.
    #[must_use]
    pub fn new(system: Arc<System>, signs: Signs, direction: Direction) -> Self {
        let (terms, exact) = terms(&system);
        let scheme = Scheme::new(&terms, &Options { signs, ..Options::default() });
        let fingerprint = fingerprint(&system, signs, direction);
        let inner = SchemeOrders::new(scheme, direction);
        Self { system, signs, inner, exact, proven: None, fingerprint }
    }

    /// The same problem decided in another direction. Both problems share their level costs.
    #[must_use]
    pub fn facing(&self, direction: Direction) -> Self {
        Self {
            system: Arc::clone(&self.system),
            signs: self.signs,
            inner: self.inner.facing(direction),
            exact: self.exact,
            proven: self.proven,
            fingerprint: fingerprint(&self.system, self.signs, direction),
        }
    }

    /// The system whose variables are ordered.
    #[must_use]
    pub fn system(&self) -> &System {
        &self.system
    }

    /// How signs are treated.
    #[must_use]
    pub fn signs(&self) -> Signs {
        self.signs
    }

    /// The moves of a solution as an order of all symbols, outermost first.
    #[must_use]
    pub fn order(&self, moves: &[u8]) -> Vec<usize> {
        self.system.completed(&self.inner.order(moves))
    }

    /// The symbol behind a move.
    #[must_use]
    pub fn symbol(&self, mv: u8) -> usize {
        self.inner.scheme().searched()[usize::from(mv)]
    }

    /// Which end of the order is decided first.
    #[must_use]
    pub fn direction(&self) -> Direction {
        self.inner.direction()
    }

    /// An upper bound of the work of [`prove`](Self::prove): `n 2^(n-1) (t + 250)` for n variables and t terms. A
    /// step of the proof takes as long as 250 terms, whatever their number.
    #[must_use]
    pub fn proof_work(&self) -> u64 {
        let n = self.inner.scheme().searched().len() as u32;
        let subsets = 1_u64.checked_shl(n.saturating_sub(1)).unwrap_or(u64::MAX);
        subsets.saturating_mul(n.into()).saturating_mul(self.system.terms() as u64 + STEP_TERMS)
    }

    /// Finds the best order of all symbols and proves it, by [`optimal_order`]. From then on its cost bounds all
    /// states, so that a search ends when it finds an order of that cost. `known` is a good order, if one is known.
    /// Calls `watch` as [`optimal_order`] does. Returns `None` if `watch` stops the proof.
    ///
    /// # Errors
    /// One line: too many variables, coefficients of 2^61 and more.
    pub fn prove(
        &mut self,
        known: Option<&[usize]>,
        watch: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Option<Vec<usize>>, String> {
        if !self.exact {
            return Err("coefficients of 2^61 and more: the best order is not proven".into());
        }
        let Some(best) = optimal_order(self.inner.scheme(), known, watch)? else { return Ok(None) };
        self.proven = Some(best.cost);
        Ok(Some(self.system.completed(&best.order)))
    }
}

fn fingerprint(system: &System, signs: Signs, direction: Direction) -> u64 {
    let mut hash = StableHasher::new();
    hash.write(b"horner");
    hash.write_u8(u8::from(signs == Signs::Kept));
    hash.write_u8(direction as u8);
    hash.write_u64(soloist::problem::stable_hash(&system.symbols()[..]));
    for definition in system.definitions() {
        hash.write_u64(soloist::problem::stable_hash(definition.polynomial.exponents()));
        hash.write_u64(soloist::problem::stable_hash(definition.polynomial.coefficients()));
    }
    hash.finish()
}

impl Problem for Orders {
    type State = Partial;
    type Move = u8;

    fn root(&self) -> Partial {
        self.inner.root()
    }

    fn moves(&self, state: &Partial, moves: &mut Vec<u8>) {
        self.inner.moves(state, moves);
    }

    fn apply(&self, state: &mut Partial, mv: u8) {
        self.inner.apply(state, mv);
    }

    fn score(&self, state: &Partial) -> Score {
        if self.exact {
            return self.inner.score(state);
        }
        let dag = Dag::build(&self.system, &self.order(state.chosen()), self.signs);
        Score::Feasible(dag.level_counts().total() as f64)
    }

    fn sense(&self) -> Sense {
        Sense::Minimize
    }

    fn code(&self, state: &Partial, mv: u8) -> u64 {
        self.inner.code(state, mv)
    }

    fn bound(&self, state: &Partial) -> Option<f64> {
        let counted = if self.exact { self.inner.bound(state) } else { None };
        let proven = self.proven.map(|cost| cost as f64);
        match (counted, proven) {
            (Some(counted), Some(proven)) => Some(counted.max(proven)),
            _ => counted.or(proven),
        }
    }

    fn potential(&self, state: &Partial) -> Option<f64> {
        if self.exact { self.inner.potential(state) } else { None }
    }

    fn key(&self, state: &Partial) -> Option<Key> {
        if self.exact { self.inner.key(state) } else { None }
    }

    fn prior(&self) -> Option<&dyn Prior<Self>> {
        Some(self)
    }

    fn facts(&self) -> Facts {
        Facts {
            code_count: self.inner.facts().code_count,
            // The operations of the input.
            reference: Some(self.system.counts().total() as f64),
            ..Facts::default()
        }
    }

    fn extras(&self) -> &dyn Extras<Self> {
        self
    }
}

impl Extras<Self> for Orders {
    fn explain(&self) -> Option<&dyn Explain<Self>> {
        Some(self)
    }

    /// Of all methods, annealing finds the best orders within a few thousand evaluations. Orders are short: up to five
    /// coolings of a few hundred evaluations find what a single one may miss.
    fn portfolio(&self) -> Vec<Entrant> {
        vec![Entrant::new("anneal").set("depth", 50).set("most", 5)]
    }

    fn rollouts(&self) -> Vec<NamedRollout<Self>> {
        let infos: Vec<_> = self.inner.extras().rollouts().iter().map(NamedRollout::info).collect();
        NamedRollout::list(&infos, |orders, name| {
            let inner = find_rollout(&orders.inner, name).ok()?;
            Some(Box::new(Inner(inner)))
        })
    }

    fn fingerprint(&self) -> Option<u64> {
        Some(self.fingerprint)
    }
}

impl Prior<Orders> for Orders {
    fn bias(&self, state: &Partial, mv: u8) -> f64 {
        self.inner.bias(state, mv)
    }
}

/// A rollout of the inner problem.
struct Inner(Box<dyn Rollout<SchemeOrders>>);

impl Rollout<Orders> for Inner {
    fn run(&mut self, problem: &Orders, state: &mut Partial, playout: &mut Playout<u8>, rng: &mut Rng) {
        self.0.run(&problem.inner, state, playout, rng);
    }
}

impl Explain<Orders> for Orders {
    fn parts(&self, state: &Partial) -> Vec<ScorePart> {
        let counts = Dag::build(&self.system, &self.order(state.chosen()), self.signs).level_counts();
        let parts = [
            ("additions", counts.additions),
            ("multiplications", counts.multiplications),
            ("multiplications of powers", counts.power_multiplications),
        ];
        parts.into_iter().map(|(name, count)| (name.into(), count as f64)).collect()
    }
}
