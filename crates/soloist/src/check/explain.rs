//! Why an instance has no solution: constraints that cannot hold together.

use crate::core::abort::Watch;
use crate::core::score::{Score, Sense};
use crate::erased::problem::ProblemRef;
use crate::erased::source::{ErasedSource, Source};
use crate::problem::Explain;
use crate::run::{SolveError, StopReason, try_out};
use crate::search::Entries;
use crate::{Budget, Problem, Setup};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What is known about the constraints of an instance as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The problem names no constraints.
    Unnamed,
    /// A solution satisfies all of them.
    Feasible,
    /// It is proven that some of them cannot hold together.
    Conflict,
    /// Neither was found within the limits.
    Unknown,
}

impl Verdict {
    /// The name in JSON and in Python.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unnamed => "unnamed",
            Self::Feasible => "feasible",
            Self::Conflict => "conflict",
            Self::Unknown => "unknown",
        }
    }
}

/// What [`explain`] has found.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Whether the constraints can hold together.
    pub verdict: Verdict,
    /// The names of constraints that cannot hold together; empty unless the verdict is a conflict.
    pub conflict: Vec<String>,
    /// Whether no constraint of the conflict can be left out: without any one of them there is a solution. If not,
    /// the limits have left that open for some of them.
    pub is_least: bool,
    /// How many constraints the problem names.
    pub constraints: usize,
    /// How many sets of constraints were examined.
    pub tests: u64,
}

/// The nodes of the first and of the last exact search of a test, and the playouts between them.
const NODES: [u64; 2] = [20_000, 2_000_000];
const PLAYOUTS: u64 = 20_000;
/// The part of the time that is left which one search may take.
const PART: u32 = 8;

/// Looks for the smallest set of [named constraints](Explain::constraints) that cannot hold together, within `time`.
///
/// It is a deletion filter: from a set without a solution, constraints are left out, half of them at a time, then a
/// quarter, and so on to single ones; what still has no solution without them takes the place of the set. Each set is
/// examined by depth-first search of 20,000 nodes, by 20,000 playouts of the problem's first method (or `auto`), and by
/// depth-first search of two million nodes. Each of these ends at the first feasible solution, and takes at most an
/// eighth of the time that is left. Where arithmetic alone ([`Explain::relaxed`]) refutes all constraints together, the
/// filter is applied with arithmetic first, and with searches to what is left. Constraints that are needed in a set are
/// needed in each part of it, so that one pass over single constraints is enough.
///
/// The conflict is *irreducible* where [`Explanation::is_least`] says so: no part of it is a conflict. Another conflict
/// may have fewer constraints. The result is reproducible where no search was ended by time.
///
/// `stop` ends it when it becomes true; what is known then is returned. Complexity: about 2 k log2(n / k) + n sets for
/// k needed ones of n constraints.
///
/// # Errors
/// Those of the searches.
///
/// # References
/// J. W. Chinneck and E. W. Dravnieks, "Locating minimal infeasible constraint sets in linear programs", ORSA Journal
/// on Computing 3, 1991 (the deletion filter).
pub fn explain<P: Problem>(
    problem: &P,
    time: Duration,
    seed: u64,
    stop: Option<&AtomicBool>,
) -> Result<Explanation, SolveError> {
    examine(problem.extras().explain(), time, seed, stop)
}

/// Looks for a conflict of what `explain` names.
pub(super) fn examine<P: Problem>(
    explain: Option<&dyn Explain<P>>,
    time: Duration,
    seed: u64,
    stop: Option<&AtomicBool>,
) -> Result<Explanation, SolveError> {
    let names = explain.map_or_else(Vec::new, Explain::constraints);
    let relaxed = |kept: &[usize]| -> Option<Box<dyn ErasedSource<'_>>> {
        let problem = explain?.relaxed(kept)?;
        Some(Box::new(Source::new(ProblemRef::counted(Arc::new(problem)))))
    };
    let tester = Tester { relaxed: &relaxed, until: Instant::now() + time, seed, stop, is_interrupted: false };
    least_conflict(names, tester)
}

/// Looks for a conflict of named constraints.
fn least_conflict(names: Vec<String>, mut tester: Tester<'_, '_>) -> Result<Explanation, SolveError> {
    let mut found = Explanation {
        verdict: Verdict::Unnamed,
        conflict: Vec::new(),
        is_least: false,
        constraints: names.len(),
        tests: 0,
    };
    if names.is_empty() {
        return Ok(found);
    }
    let mut kept: Vec<usize> = (0..names.len()).collect();
    found.tests = 1;
    found.verdict = match tester.test(&kept)? {
        None => Verdict::Unknown,
        Some(true) => Verdict::Feasible,
        Some(false) => Verdict::Conflict,
    };
    if found.verdict != Verdict::Conflict {
        return Ok(found);
    }
    let relaxed = tester.relaxed;
    if relaxed(&kept).is_none() {
        // What arithmetic refutes is small and has one cause; it is found at once.
        kept = filter(kept, &mut found.tests, &mut |rest| Ok(relaxed(rest).is_none().then_some(false)))?.0;
    }
    (kept, found.is_least) = filter(kept, &mut found.tests, &mut |rest| tester.test(rest))?;
    found.conflict = kept.into_iter().map(|at| names[at].clone()).collect();
    Ok(found)
}

/// Returns whether constraints can hold together; `None`: it is not known.
type Test<'a> = dyn FnMut(&[usize]) -> Result<Option<bool>, SolveError> + 'a;

/// Leaves constraints out as long as `test` says that the rest cannot hold together. Returns what is left, and whether
/// the rest can hold together without any one of it.
fn filter(mut kept: Vec<usize>, tests: &mut u64, test: &mut Test<'_>) -> Result<(Vec<usize>, bool), SolveError> {
    let mut size = kept.len().div_ceil(2);
    loop {
        let (mut is_open, mut at) = (false, 0);
        while at < kept.len() {
            let end = (at + size).min(kept.len());
            let rest: Vec<usize> = kept[..at].iter().chain(&kept[end..]).copied().collect();
            *tests += 1;
            let answer = test(&rest)?;
            if answer == Some(false) {
                kept = rest;
            } else {
                is_open |= answer.is_none();
                at = end;
            }
        }
        if size <= 1 {
            return Ok((kept, !is_open));
        }
        size = size.div_ceil(2);
    }
}

/// Makes the problem with some of the constraints; `None`: arithmetic alone shows that they cannot hold together.
type Relaxed<'a, 'p> = dyn Fn(&[usize]) -> Option<Box<dyn ErasedSource<'p> + 'p>> + 'a;

/// Examines sets of constraints.
struct Tester<'a, 'p> {
    relaxed: &'a Relaxed<'a, 'p>,
    until: Instant,
    seed: u64,
    stop: Option<&'a AtomicBool>,
    is_interrupted: bool,
}

impl Tester<'_, '_> {
    /// Returns whether constraints can hold together; `None`: the limits do not show it.
    fn test(&mut self, kept: &[usize]) -> Result<Option<bool>, SolveError> {
        let Some(source) = (self.relaxed)(kept) else { return Ok(Some(false)) };
        let rules = source.rules(source.facts(), Watch::outside());
        let entries = Entries::of(&rules.portfolio()).unwrap_or_default();
        let first = entries.entries().first().map_or_else(Setup::default, crate::search::Entry::setup);
        let exact = || Setup::preset("dfs").unwrap_or_default();
        for (setup, budget) in [
            (exact(), Budget::nodes(NODES[0])),
            (first.proof(0.0), Budget::playouts(PLAYOUTS)),
            (exact(), Budget::nodes(NODES[1])),
        ] {
            let decided = self.search(&*source, rules.sense(), setup, budget)?;
            if decided.is_some() || self.is_interrupted {
                return Ok(decided);
            }
        }
        Ok(None)
    }

    fn search(
        &mut self,
        source: &dyn ErasedSource<'_>,
        sense: Sense,
        setup: Setup,
        budget: Budget,
    ) -> Result<Option<bool>, SolveError> {
        let left = self.until.saturating_duration_since(Instant::now());
        if self.is_interrupted || left.is_zero() {
            return Ok(None);
        }
        // Any feasible score will do.
        let target = match sense {
            Sense::Maximize => f64::NEG_INFINITY,
            Sense::Minimize => f64::INFINITY,
        };
        let slice = Budget { time: Some(left / PART), target: Some(target), ..budget };
        let plan = Budget { time: None, target: None, ..budget };
        let (reason, tried) = try_out(source, setup.seed(self.seed), &plan, &slice, self.stop)?;
        self.is_interrupted = reason == StopReason::Interrupted;
        let feasible = tried.best.is_some_and(|best| matches!(best.score, Score::Feasible(_)));
        Ok(if feasible { Some(true) } else { tried.infeasible.then_some(false) })
    }
}
