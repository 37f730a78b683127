//! Refinement of an order: chooses the variable of each sub-expression separately.

mod build;
mod graph;
#[cfg(test)]
mod tests;

use crate::algebra::{Signs, System};
use crate::anneal::{Cooling, Limits};
use crate::horner::Dag;
use crate::scheme::{Terms, terms};
use crate::stop::Stop;
use graph::{Graph, NONE};
use soloist::Rng;
use soloist::problem::{Acceptance, Edits};

/// The limit of variables and total degree of a system together: it bounds the nesting of its forms.
const MAX_DEPTH: u64 = 1000;
/// The graph is rebuilt when it has this many times as many nodes, or terms of polynomials, as at first, and some more:
/// most of them are then unused.
const WORN: usize = 8;
const WORN_LEAST: usize = 1 << 16;
const WORN_TERMS: usize = 1 << 26;
/// The graph is rebuilt after this many attempts at the latest, so that a long run rests every few seconds.
const REST: u64 = if cfg!(test) { 1000 } else { 1 << 20 };
/// The temperature falls from 0.3 operations to 0 and stays there for the last tenth of the run.
const COOLING: Cooling = Cooling { start: 0.3, end: 0.0, until: 0.9 };
/// The graph is rebuilt after this many draws in a row that find no sum to change. If no node is unused, the search
/// ends.
const MAX_IDLE: u32 = 10_000;

/// A Horner form in which the variable of each sub-expression is chosen separately.
#[derive(Clone, Debug)]
pub struct Refined {
    /// The form.
    pub dag: Dag,
    /// The number of sub-expressions from which another variable is extracted than the first one of the order that they
    /// hold.
    pub exceptions: usize,
    /// The number of attempts.
    pub attempts: u64,
}

/// The annealing search behind [`refine`], as a value that can be advanced and continued.
///
/// The search rests whenever its graph is rebuilt: when the graph has grown eightfold, and after a million attempts,
/// which take a few seconds. Stopping at rest changes no result.
///
/// ```
/// use soloist_expressions::{Limits, Refiner, Stop, generate, refine};
/// let system = generate("random:5x60x4:7").unwrap();
/// let order = system.occurrence_order();
/// let limits = Limits::attempts(2000);
/// let mut refiner = Refiner::new(&system, &order, limits, 1).unwrap();
/// while refiner.advance(Stop::never()) {}
/// let at_once = refine(&system, &order, limits, 1, Stop::never()).unwrap();
/// assert_eq!(refiner.finish().dag.counts(), at_once.dag.counts());
/// ```
#[derive(Debug)]
pub struct Refiner<'a> {
    system: &'a System,
    terms: Terms,
    state: State,
    /// What an advance found when it ended or was stopped.
    found: Option<Refined>,
}

/// The state of the search at rest.
#[derive(Clone, Debug)]
struct State {
    limits: Limits,
    /// All symbols, outermost first.
    order: Vec<usize>,
    rng: Rng,
    attempts: u64,
    work: u64,
    /// The variables that differ from the order, by the values of the polynomials; in ascending order.
    choices: Vec<(u64, u32)>,
    /// Whether this is the state before the first attempt.
    begins: bool,
    ended: bool,
}

impl State {
    /// Takes over what an advance has reached.
    fn rest(&mut self, graph: &Graph, attempts: u64, rng: Rng) {
        self.work = self.work.saturating_add(graph.work);
        self.choices = graph.choices().into_iter().collect();
        soloist::order::sort(&mut self.choices);
        (self.attempts, self.rng, self.begins) = (attempts, rng, false);
    }
}

impl<'a> Refiner<'a> {
    /// Begins at the Horner form of `order`, outermost symbol first, completed as by [`System::completed`].
    ///
    /// Returns `None` where nothing can be done: coefficients of more than 64 bits, or more than 1000 variables and
    /// degrees together.
    #[must_use]
    pub fn new(system: &'a System, order: &[usize], limits: Limits, seed: u64) -> Option<Self> {
        let terms = suitable_terms(system)?;
        let state = State {
            limits,
            order: system.completed(order),
            rng: Rng::new(seed),
            attempts: 0,
            work: 0,
            choices: Vec::new(),
            begins: true,
            ended: false,
        };
        Some(Self { system, terms, state, found: None })
    }

    /// The attempts so far.
    #[must_use]
    pub fn attempts(&self) -> u64 {
        self.found.as_ref().map_or(self.state.attempts, |found| found.attempts)
    }

    /// Runs until the next rest, the end, or until `stop` is set. Returns whether more is to be done.
    ///
    /// A search that was stopped continues from its last rest, so that a run that was stopped and continued ends as one
    /// that was not.
    pub fn advance(&mut self, stop: Stop<'_>) -> bool {
        if self.state.ended {
            return false;
        }
        let Self { system, terms, state, found } = self;
        let State { limits, begins, .. } = *state;
        let (mut attempts, mut rng) = (state.attempts, state.rng.clone());
        let choices = state.choices.iter().copied().collect();
        let mut graph = Graph::new(terms, system.definitions().len(), &state.order, &choices);
        let (fresh, fresh_terms) = (graph.len(), graph.listed_terms());
        let mut idle = 0;
        // The limits were checked before the graph was rebuilt.
        let mut checked = !begins;
        let ended = loop {
            if graph.polynomials() == 0 || !checked && !limits.allow(attempts, state.work.saturating_add(graph.work)) {
                break true;
            }
            if stop.is_set() {
                break false;
            }
            checked = false;
            if idle == MAX_IDLE && graph.len() == fresh {
                break true;
            }
            let is_worn = graph.len() > WORN * fresh + WORN_LEAST
                || graph.listed_terms() > WORN * fresh_terms + WORN_TERMS
                || attempts - state.attempts == REST
                || idle == MAX_IDLE;
            if is_worn {
                state.rest(&graph, attempts, rng);
                *found = None;
                return true;
            }
            idle += 1;
            let Some(change) = graph.propose(&(), &mut Acceptance::patient(&mut rng, 0.0)) else { continue };
            (attempts, idle) = (attempts + 1, 0);
            // The temperature follows the work, which the edit has added to.
            let temperature = COOLING.temperature(limits.part(attempts, state.work.saturating_add(graph.work)));
            if Acceptance::new(&mut rng, temperature).accepts(change) {
                graph.accept(&());
            } else {
                graph.reject(&());
            }
        };
        if ended {
            state.rest(&graph, attempts, rng);
            state.ended = true;
        }
        *found = Some(form(system, graph, &state.order, attempts));
        !ended
    }

    /// The form that the search has found.
    #[must_use]
    pub fn finish(self) -> Refined {
        let Self { system, terms, state, found } = self;
        found.unwrap_or_else(|| {
            let choices = state.choices.iter().copied().collect();
            let graph = Graph::new(&terms, system.definitions().len(), &state.order, &choices);
            form(system, graph, &state.order, state.attempts)
        })
    }
}

/// An edit of a form: another variable for a sub-polynomial. The cost is the number of operations.
impl Edits<()> for Graph {
    fn propose(&mut self, (): &(), acceptance: &mut Acceptance<'_>) -> Option<f64> {
        self.work += 1;
        let rng = &mut *acceptance.rng;
        let at = rng.index(self.polynomials());
        if !self.is_open(at) {
            return None;
        }
        // A variable of a random term: variables that many terms hold are drawn more often.
        let term = rng.index(self.size(at));
        let variable = self.variable(at, term, |count| rng.index(count));
        if variable == NONE || variable == self.chosen(at) {
            return None;
        }
        let before = self.operations;
        self.edited = Some(self.choose(at, variable));
        Some((self.operations - before) as f64)
    }

    fn accept(&mut self, (): &()) {
        self.edited = None;
    }

    fn reject(&mut self, (): &()) {
        if let Some(undo) = self.edited.take() {
            self.undo(undo);
        }
    }
}

/// The terms of a system, if it can be refined.
fn suitable_terms(system: &System) -> Option<Terms> {
    let (terms, exact) = terms(system);
    let degree = system.definitions().iter().map(|definition| definition.polynomial.degree()).max().unwrap_or(0);
    (exact && degree + terms.variables() as u64 <= MAX_DEPTH).then_some(terms)
}

/// The form of a graph, or that of the order where it has fewer operations.
fn form(system: &System, graph: Graph, order: &[usize], attempts: u64) -> Refined {
    let (exceptions, dag) = (graph.choices().len(), build::build(system, &graph, order));
    drop(graph);
    let plain = Dag::build(system, order, Signs::Canonical);
    // The graph does not count what contents and powers of powers share.
    if exceptions == 0 || plain.code_counts().total() < dag.code_counts().total() {
        Refined { dag: plain, exceptions: 0, attempts }
    } else {
        Refined { dag, exceptions, attempts }
    }
}

/// Lowers the operations of the Horner form of `order` (outermost symbol first, completed as by [`System::completed`])
/// by extracting other variables from some of its sub-expressions.
///
/// A polynomial P is written `q + v^d r`, and so are q and r, with other variables. Equal polynomials, up to a number
/// in front, get the same variable, so that they stay one sub-expression. The search is annealing: an attempt takes
/// another variable of a random term of a random sub-polynomial. A change that adds d operations stays with probability
/// `exp(-d / T)`; T falls from 0.3 to 0. Uses are counted, and unused nodes are kept for a while, so that an attempt
/// costs the terms of the polynomials that it splits, a hundred or so, whatever the size of the system. Undoing an
/// attempt splits nothing. The work of [`Limits`] counts terms and nodes: thirty to forty millions a second.
///
/// The result is built from the exact terms. The search compares polynomials by their values at a random point, as
/// [`Scheme`](crate::scheme::Scheme) does; where a point takes two polynomials for one, the result has more operations
/// and is still correct. Equal arguments give equal forms unless `stop` ends the run early. Where that leaves more
/// operations than `order` alone, as a few attempts may, the result is the form of `order`. Memory: 150 bytes, two for
/// each variable and four for each term, for each of about eight times as many sub-expressions as the form has.
///
/// Returns `None` where [`Refiner::new`] does.
///
/// # References
/// M. Ceberio and V. Kreinovich, "Greedy algorithms for optimizing multivariate Horner schemes", ACM SIGSAM Bulletin
/// 38, 2004, choose the variable of each sub-polynomial greedily, by the number of terms that hold it. That rule
/// ignores common sub-expressions and costs more than one good order for all.
#[must_use]
pub fn refine(system: &System, order: &[usize], limits: Limits, seed: u64, stop: Stop<'_>) -> Option<Refined> {
    let mut refiner = Refiner::new(system, order, limits, seed)?;
    while refiner.advance(stop) && !stop.is_set() {}
    Some(refiner.finish())
}
