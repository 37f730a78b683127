//! Annealing over programs: an attempt dissolves a few temporaries and extracts pairs again.

use super::extract::extract_all;
use super::work::Work;
use crate::anneal::{Cooling, Limits};
use crate::horner::Program;
use crate::stop::Stop;
use soloist::Rng;
use soloist::problem::{Acceptance, Edits};

/// The most terms of a sum into which a temporary is dissolved.
const MAX_TERMS: usize = 60;
/// The most terms of a temporary that is multiplied into a product.
const MAX_SPREAD: usize = 6;
/// The most factors of a term that dissolving may produce.
const MAX_FACTORS: usize = 12;
/// An attempt dissolves one temporary, and a further one with probability 1 - 1/SHARE each, up to this many.
const SHARE: u64 = 4;
const MAX_CHOSEN: usize = 12;
/// The temperature falls from 0.7 operations to 0.1.
const COOLING: Cooling = Cooling { start: 0.7, end: 0.1, until: 1.0 };
/// The best program is copied at most once in as many attempts as it has sums, divided by this: a copy takes time for
/// each sum.
const SAVING: u64 = 8;
/// The least work that an attempt counts, so that attempts which find nothing to do come to an end.
const LEAST_WORK: u64 = 100;

/// The annealing search behind [`polish`], as a value that can be advanced and continued.
///
/// The search rests whenever its tables are rebuilt, which they are each time they have doubled. Stopping at rest
/// changes no result.
///
/// ```
/// use soloist_expressions::{Limits, Polisher, Stop, parse, polish, simplify};
/// let system = parse("a.txt", b"(a+b)*(c+d)*(e+f)*(g+h)", true).unwrap();
/// let mut program = simplify(&system, &[], true, Stop::never()).program;
/// let limits = Limits::attempts(2000);
/// let mut polisher = Polisher::new(program.clone(), limits, 1);
/// while polisher.advance(Stop::never()) {}
/// polish(&mut program, limits, 1, Stop::never());
/// assert_eq!(polisher.finish(), program);
/// assert_eq!(program.counts().total(), 7);
/// ```
#[derive(Clone, Debug)]
pub struct Polisher {
    state: State,
    /// The best program of an advance that was stopped, and its number of attempts.
    found: Option<(Program, u64)>,
}

/// The state of the search at rest.
#[derive(Clone, Debug)]
struct State {
    limits: Limits,
    rng: Rng,
    attempts: u64,
    work: u64,
    /// The present program.
    program: Program,
    /// The best program that was copied, and its operations.
    best: Program,
    operations: u64,
    /// The number of attempts before which nothing is copied.
    wait: u64,
    /// Whether this is the state before the first attempt.
    begins: bool,
    ended: bool,
    /// Whether products of sums stay as they are.
    keeps: bool,
}

impl Polisher {
    /// Begins at `program`.
    #[must_use]
    pub fn new(program: Program, limits: Limits, seed: u64) -> Self {
        let state = State {
            limits,
            rng: Rng::new(seed),
            attempts: 0,
            work: 0,
            best: program.clone(),
            operations: program.counts().total(),
            wait: 0,
            begins: true,
            ended: !limits.allow(0, 0) || program.temporaries.is_empty(),
            program,
            keeps: false,
        };
        Self { state, found: None }
    }

    /// The same search, which multiplies no sum out: `(1-z)*(1+z)` does not become `1-z*z`.
    #[must_use]
    pub fn keep_products(mut self) -> Self {
        self.state.keeps = true;
        self
    }

    /// The attempts so far.
    #[must_use]
    pub fn attempts(&self) -> u64 {
        self.found.as_ref().map_or(self.state.attempts, |&(_, attempts)| attempts)
    }

    /// The best program so far.
    #[must_use]
    pub fn best(&self) -> &Program {
        self.found.as_ref().map_or(&self.state.best, |(program, _)| program)
    }

    /// Runs until the next rest, the end, or until `stop` is set. Returns whether more is to be done.
    ///
    /// A search that was stopped continues from its last rest, so that a run that was stopped and continued ends as one
    /// that was not.
    pub fn advance(&mut self, stop: Stop<'_>) -> bool {
        if self.state.ended {
            return false;
        }
        let mut state = self.state.clone();
        let mut work = Work::new(state.program.clone(), 0);
        work.keeps_products = state.keeps;
        if state.begins {
            extract_all(&mut work, stop);
        }
        state.work = state.work.saturating_add(work.pairs.work);
        // The limits were checked before the tables were rebuilt.
        let mut checked = !state.begins;
        let ended = loop {
            if !checked && !state.limits.allow(state.attempts, state.work) {
                break true;
            }
            if stop.is_set() {
                break false;
            }
            checked = false;
            if work.is_worn() {
                (state.program, state.begins) = (work.program(), false);
                *self = Self { state, found: None };
                return true;
            }
            state.attempt(&mut work, stop);
        };
        if work.operations() < state.operations {
            state.copy(&work);
        }
        if ended {
            state.ended = true;
            *self = Self { state, found: None };
        } else {
            self.found = Some((state.best, state.attempts));
        }
        !ended
    }

    /// The best program that the search has found.
    #[must_use]
    pub fn finish(self) -> Program {
        self.found.map_or(self.state.best, |(program, _)| program)
    }
}

impl State {
    /// Dissolves some temporaries, extracts pairs again, and accepts the result or takes it back.
    fn attempt(&mut self, work: &mut Work, stop: Stop<'_>) {
        self.attempts += 1;
        let (before, start) = (work.operations(), work.pairs.work);
        let temperature = COOLING.temperature(self.limits.part(self.attempts, self.work));
        let mut acceptance = Acceptance::new(&mut self.rng, temperature);
        let change = work.propose(&stop, &mut acceptance);
        let accepted = change.is_some_and(|change| acceptance.accepts(change));
        self.work = self.work.saturating_add((work.pairs.work - start).max(LEAST_WORK));
        if !accepted {
            work.reject(&stop);
        } else if work.operations() > before && before < self.operations && self.attempts >= self.wait {
            // This is the first step away from the best program. It is taken back, and the best program is copied:
            // copying each improvement would copy many that are only on the way to a better one.
            work.reject(&stop);
            self.copy(work);
        } else {
            work.accept(&stop);
        }
    }

    /// Copies the present program as the best one.
    fn copy(&mut self, work: &Work) {
        self.best = work.program();
        self.operations = work.operations();
        self.wait = self.attempts.saturating_add(work.sums.len() as u64 / SAVING);
    }
}

/// An edit of a program: some temporaries are dissolved, and pairs are extracted again. The cost is the number of
/// operations.
impl Edits<Stop<'_>> for Work {
    fn propose(&mut self, stop: &Stop<'_>, acceptance: &mut Acceptance<'_>) -> Option<f64> {
        let before = self.operations();
        // Chance adds up to 8, 16, ... or 256 operations to each gain: the best amount depends on the program.
        self.mark(acceptance.rng.next_u64() | 1, (128 << acceptance.rng.below(6)) - 1);
        dissolve_some(self, acceptance.rng);
        self.settle();
        extract_all(self, *stop);
        Some(self.operations() as f64 - before as f64)
    }

    /// The journal of the edit is cleared by the next one.
    fn accept(&mut self, _: &Stop<'_>) {}

    fn reject(&mut self, _: &Stop<'_>) {
        self.roll_back();
    }
}

/// Lowers the operations of `program` by annealing. Returns the number of attempts.
///
/// An attempt chooses a few temporaries that use each other and dissolves them: it puts them into the sums and products
/// that use them, where sums are multiplied out. It then extracts pairs from what has changed, in an order that depends
/// more on chance than on what each saves. A result that adds d operations stays with probability `exp(-d / T)`; T
/// falls from 0.7 to 0.1. The best program is the result. It computes the same, exactly.
///
/// The work of [`Limits`] counts occurrences of pairs, ten to twenty millions a second. An attempt counts a few hundred
/// to a thousand, whatever the size of the program, because it counts only what it changes. Equal arguments give equal
/// programs unless `stop` ends the run early.
///
/// # References
/// S. Kirkpatrick, C. D. Gelatt and M. P. Vecchi, "Optimization by simulated annealing", Science 220, 1983. Dissolving
/// and extracting again: R. K. Brayton, R. Rudell, A. Sangiovanni-Vincentelli and A. R. Wang, "MIS: a multiple-level
/// logic optimization system", IEEE Transactions on Computer-Aided Design 6, 1987 (eliminate and extract).
pub fn polish(program: &mut Program, limits: Limits, seed: u64, stop: Stop<'_>) -> u64 {
    let mut polisher = Polisher::new(program.clone(), limits, seed);
    while polisher.advance(stop) && !stop.is_set() {}
    let attempts = polisher.attempts();
    *program = polisher.finish();
    attempts
}

/// Dissolves some temporaries that use each other.
fn dissolve_some(work: &mut Work, rng: &mut Rng) {
    // Most sums are alive, so that a few draws find one. If none is, nothing is to be done.
    let draws = (0..100).map(|_| rng.index(work.sums.len()) as u32).find(|&at| work.is_temporary(at));
    let Some(first) = draws else { return };
    let mut chosen = vec![first];
    while chosen.len() < MAX_CHOSEN && rng.below(SHARE) != 0 {
        let from = chosen[rng.index(chosen.len())];
        if let Some(next) = neighbor(work, from, rng)
            && !chosen.contains(&next)
        {
            chosen.push(next);
        }
    }
    for at in chosen {
        if work.is_temporary(at) {
            dissolve(work, at);
        }
    }
}

/// A sum that uses a temporary, or one that it uses; `None` if the draw is an input.
fn neighbor(work: &mut Work, at: u32, rng: &mut Rng) -> Option<u32> {
    if rng.below(2) == 0 {
        let users = work.users_of(work.inputs + at);
        return (!users.is_empty()).then(|| users[rng.index(users.len())]);
    }
    let terms = &work.sums[at as usize].terms;
    let factors = work.products.get(terms.get(rng.index(terms.len().max(1)))?.product);
    work.sum_of(*factors.get(rng.index(factors.len().max(1)))?)
}

/// Dissolves all temporaries that are products, so that the next extraction sees their factors.
pub(super) fn dissolve_products(work: &mut Work) {
    for at in 0..work.sums.len() as u32 {
        if work.is_temporary(at) && work.sums[at as usize].terms.len() == 1 {
            dissolve(work, at);
        }
    }
}

/// Puts a temporary into the sums and products that use it, unless that makes them too long. A sum is multiplied out
/// where it is a factor.
pub(super) fn dissolve(work: &mut Work, at: u32) {
    let symbol = work.inputs + at;
    let terms = &work.sums[at as usize].terms;
    let count = terms.len();
    let longest = terms.iter().map(|item| work.products.get(item.product).len()).max().unwrap_or(0);
    for user in work.users_of(symbol) {
        let mut from = 0;
        while let Some(place) = work.place_of(user, symbol, from) {
            let terms = &work.sums[user as usize].terms;
            let factors = work.products.get(terms[place].product).len();
            let spread = factors == 1 || count == 1 || count <= MAX_SPREAD && !work.keeps_products;
            let short = longest + factors <= MAX_FACTORS;
            if spread && short && (count == 1 || terms.len() + count <= MAX_TERMS) {
                work.expand(user, place, at);
                // The new terms are at the end and may hold the symbol again; the others may have moved.
                from = 0;
            } else {
                from = place + 1;
            }
        }
        work.touch(user);
    }
}
