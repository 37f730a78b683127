//! How much each phase of a simplification does.

use crate::anneal::Limits;
use soloist::Budget;
use std::time::Duration;

/// The orders and the time of a search without limits.
const PLAYOUTS: u64 = 2000;
const TIME: Duration = Duration::from_secs(30);
/// The work of a proof that is done by default; see [`search`](super::search()).
const PROOF_WORK: u64 = 100_000_000;
/// The work of factoring the polynomials; see [`factors`](crate::factors()).
const FACTOR_WORK: u64 = 200_000_000;
/// The terms over all orders of which code is built.
const BUILD_TERMS: usize = 400_000;
/// The orders that are refined, without the occurrence order.
const REFINED: usize = 2;
/// The work of refining one order: for each operation up to a work; for each operation where that is more; at least,
/// even in a short run (30 ms), less below 100 operations; at most.
const REFINE_FIRST: u64 = 4000;
const REFINE_FIRST_MOST: u64 = 3_000_000;
const REFINE_WORK: u64 = 1500;
const REFINE_LEAST: u64 = 1_000_000;
const REFINE_MOST: u64 = 100_000_000;
/// A system of this many terms or more is not refined by default, and code is built of its best order only: each
/// greedy phase takes half a minute there.
const LARGE_TERMS: usize = 50_000;
/// The work of polishing: for each operation, this or the number of operations if that is more; at least, less below 30
/// operations; at most.
const POLISH_WORK: u64 = 4000;
const POLISH_LEAST: u64 = 3_000_000;
const POLISH_LEAST_EACH: u64 = 100_000;
const POLISH_MOST: u64 = 80_000_000;
/// A program with more operations is not polished by default: a single attempt takes many seconds.
const POLISH_OPERATIONS: u64 = 200_000;

/// How many attempts an annealing phase makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Amount {
    /// As many as a work allows that follows from the size of the input and from [`Effort::playouts`].
    #[default]
    BySize,
    /// This many, whatever they cost; 0 skips the phase.
    Attempts(u64),
}

/// How much each phase of a simplification does. The default suits most inputs.
///
/// - Factors: a work of 2e8, half a second at most.
/// - Search: 2000 orders or 30 s, whichever comes first; fewer orders beyond 20,000 terms, 40 million terms in all.
/// - Proof of the best order: if it takes at most 1e8 steps, which is a third of a second.
/// - Refinement: up to 3 orders. The work for each is 4000 for each operation up to 3 million, 1500 for each operation
///   where that is more, at least 1 (below 100 operations less) and at most 100 million. No refinement from 50,000
///   terms on, nor of an order that was given.
/// - Code: built of all orders found and of both occurrence orders, up to 400,000 terms together; from 50,000 terms on
///   of the best order only. If orders are refined, of those only.
/// - Polishing: a work of 4000 for each operation, or as many as there are operations if that is more, at least 3
///   (below 30 operations less) and at most 80 million. No polishing beyond 200,000 operations.
///
/// Fewer than 2000 playouts shorten the proof, the refinement and the polishing in proportion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// The orders that the search scores. `None`: 2000, or no limit if `time` is given.
    pub playouts: Option<u64>,
    /// The time of the whole run: the search takes up to a third, and what is left after all phases is polishing unless
    /// `playouts` is given. `None`: 30 s for the search, no limit for the other phases, or none at all if `playouts` is
    /// given.
    pub time: Option<Duration>,
    /// Whether the best order is proven however long that takes.
    pub prove: bool,
    /// How much orders are refined.
    pub refine: Amount,
    /// Whether common pairs are extracted and the program is polished. Otherwise the program is that of a Horner form,
    /// which is refined only with [`Amount::Attempts`].
    pub greedy: bool,
    /// How much the program is polished.
    pub polish: Amount,
    /// Whether products and powers of sums stay as the input writes them: `(1-z)*(1+z)` is not `1-z*z`, which loses
    /// digits where z is near 1.
    pub as_written: bool,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            playouts: None,
            time: None,
            prove: false,
            refine: Amount::BySize,
            greedy: true,
            polish: Amount::BySize,
            as_written: false,
        }
    }
}

impl Effort {
    /// The default with this many playouts; fewer than 2000 shorten all phases.
    #[must_use]
    pub fn playouts(playouts: u64) -> Self {
        Self { playouts: Some(playouts), ..Self::default() }
    }

    /// The effort of the options that the command and the Python package have: limits of the search, whether the best
    /// order is proven, attempts of the refinement and of polishing, and whether common pairs are extracted.
    #[must_use]
    pub fn from_options(budget: &Budget, prove: bool, refine: Option<u64>, greedy: bool, polish: Option<u64>) -> Self {
        let amount = |attempts: Option<u64>| attempts.map_or(Amount::BySize, Amount::Attempts);
        let Budget { playouts, time, .. } = *budget;
        let (refine, polish) = (amount(refine), amount(polish));
        Self { playouts, time, prove, refine, greedy, polish, as_written: false }
    }

    /// The limits of the search.
    #[must_use]
    pub fn budget(&self) -> Budget {
        match (self.time, self.playouts) {
            (None, None) => Budget { time: Some(TIME), ..Budget::playouts(PLAYOUTS) },
            (time, playouts) => Budget { time, playouts, ..Budget::default() },
        }
    }

    /// The most work of factoring the polynomials.
    pub(super) fn factor_work(&self) -> u64 {
        self.scaled(FACTOR_WORK).max(FACTOR_WORK / 10)
    }

    /// The most work of a proof; see [`search`](super::search()).
    #[must_use]
    pub fn proof_work(&self) -> u64 {
        if self.prove { u64::MAX } else { self.scaled(PROOF_WORK) }
    }

    /// The number of orders of which code is built, for a system of `terms` terms.
    #[must_use]
    pub fn candidates(&self, terms: usize) -> usize {
        if terms >= LARGE_TERMS { 1 } else { BUILD_TERMS / terms.max(1) }
    }

    /// Whether orders of a system of `terms` terms are refined. `given`: the order was not searched.
    #[must_use]
    pub fn refines(&self, terms: usize, given: bool) -> bool {
        match self.refine {
            Amount::Attempts(attempts) => attempts > 0,
            Amount::BySize => !given && self.greedy && terms < LARGE_TERMS,
        }
    }

    /// The number of orders that are refined, without the occurrence order.
    #[must_use]
    pub fn refined(&self) -> usize {
        REFINED
    }

    /// The limits of the refinement of each order, if the best order has this many operations.
    #[must_use]
    pub fn refinement(&self, operations: u64) -> Limits {
        match self.refine {
            Amount::Attempts(attempts) => Limits::attempts(attempts),
            Amount::BySize => {
                let first = operations.saturating_mul(REFINE_FIRST).min(REFINE_FIRST_MOST);
                let whole = operations.saturating_mul(REFINE_WORK).max(first).min(REFINE_MOST);
                Limits::work(self.scaled(whole).max(REFINE_LEAST.min(operations.saturating_mul(10_000))))
            }
        }
    }

    /// The limits of polishing a program of this many operations.
    #[must_use]
    pub fn polishing(&self, operations: u64) -> Limits {
        match self.polish {
            _ if !self.greedy => Limits::NONE,
            Amount::Attempts(attempts) => Limits::attempts(attempts),
            Amount::BySize if operations > POLISH_OPERATIONS => Limits::NONE,
            Amount::BySize => {
                let whole = operations.saturating_mul(operations.max(POLISH_WORK));
                let whole = whole.clamp(POLISH_LEAST.min(operations * POLISH_LEAST_EACH), POLISH_MOST);
                Limits::work(self.scaled(whole))
            }
        }
    }

    /// The part of a work that fits the playouts: a search for few orders is meant to be a short run.
    fn scaled(&self, work: u64) -> u64 {
        work * self.playouts.unwrap_or(PLAYOUTS).min(PLAYOUTS) / PLAYOUTS
    }
}
