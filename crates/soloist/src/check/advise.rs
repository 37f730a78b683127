//! Which optional functions a problem has, and what the missing ones would help.

use super::links::adds_links;
use super::list;
use crate::core::abort::Watch;
use crate::core::hash::stable_hash;
use crate::problem::SolutionKind;
use crate::problem::functions::{FUNCTIONS, function};
use crate::{Problem, Rng};
use std::collections::BTreeSet;
use std::fmt;

/// An optional function of a problem, and the searches that use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knowledge {
    /// The function of [`Problem`] or of an object that it returns.
    pub name: &'static str,
    /// What uses it, and for what.
    pub use_for: &'static str,
    /// Whether the problem supplies it.
    pub supplied: bool,
}

/// A function that a problem may write next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NextFunction {
    /// Its name, as in [`Knowledge::name`].
    pub name: &'static str,
    /// For which problems it is the next one.
    pub when: NextFor,
    /// What it is for.
    pub why: &'static str,
    /// What it has gained on problems of this kind at equal time, by measurement.
    pub gain: &'static str,
}

/// The problems that one of the [`NEXT_FUNCTIONS`] is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NextFor {
    /// Their bound takes few values: states of one depth have at most three in the mean.
    FewBounds,
    /// Their solutions are orders, and they have neither a neighbourhood nor a search of their own.
    Orders,
    /// Their solutions are assignments or subsets, and they have neither a neighbourhood nor a search of their own.
    Choices,
    /// All problems.
    Always,
}

impl fmt::Display for NextFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FewBounds => "where the bound takes few values",
            Self::Orders => "for orders",
            Self::Choices => "for assignments and subsets",
            Self::Always => "for any problem",
        })
    }
}

/// The functions that [`advise`] names, in its order: it names the first one that is for the problem and missing.
///
/// It leaves out what a cheap measurement finds useless: `link` where the scores of a game's moves in other orders are
/// no sums over neighbours; `bound` and `dominance` where there is a neighbourhood, and random games have more than
/// e^70 choices together; `bias` there for assignments, whose edits do not use it.
///
/// The gains are those of an evaluation without tuning on eleven classes of problems, with and without the function, 3
/// to 10 processor seconds a run.
pub const NEXT_FUNCTIONS: &[NextFunction] = &[
    NextFunction {
        name: "potential",
        when: NextFor::FewBounds,
        why: "order among states of equal bounds, which beams cannot compare without it",
        gain: "bin packing 101 to 100 bins with a proof in 0.1 s, line balancing proven in a tenth of the time",
    },
    NextFunction {
        name: "ordering",
        when: NextFor::Orders,
        why: "the names of decisions let `anneal` keep an edited order without new lists of moves",
        gain: "6 to 46 times the playouts; 7 % on tours with pickups, nothing where orders are short",
    },
    NextFunction {
        name: "link",
        when: NextFor::Orders,
        why: "differences without replays, if the score is a sum over neighbours in the order",
        gain: "up to 13 times the playouts",
    },
    NextFunction {
        name: "difference",
        when: NextFor::Choices,
        why: "the change of the score by one decision for another; with it, return `Exchanges` from `neighborhood`, and \
              `anneal` needs no replays",
        gain: "up to 2.5 % on cuts of graphs with 200 to 800 nodes, 0.4 to 1.2 % on knapsacks",
    },
    NextFunction {
        name: "bound",
        when: NextFor::Always,
        why: "proofs, `cabs`, and the gap of every method",
        gain: "small instances end with a proof; 355 to 369 on a cut, the same value 6 to 8 times as early elsewhere",
    },
    NextFunction {
        name: "dominance",
        when: NextFor::Always,
        why: "beams and exact searches keep the better one of two states with equal futures",
        gain: "open stacks of 100 patterns: 35 after 6.5 s to 34 after 0.2 s, together with bound and potential",
    },
    NextFunction {
        name: "bias",
        when: NextFor::Always,
        why: "playouts, `gnrpa` and the edits of `anneal` prefer good moves",
        gain: "1 % on knapsacks, with bound and futures",
    },
];

/// What a problem offers to searches, from random games.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Random games played.
    pub walks: usize,
    /// How many of them ended infeasibly.
    pub infeasible: usize,
    /// What the solutions of the first games consist of.
    pub kind: SolutionKind,
    /// The function to write next. `None`: those that help most are there.
    pub next: Option<NextFunction>,
    /// The optional functions.
    pub knowledge: Vec<Knowledge>,
}

/// Games that are compared for the kind of solution, and their moves at most.
const COMPARED: usize = 4;
const LONGEST: usize = 100_000;
/// A bound takes few values if states of one depth have at most this many in the mean.
const FEW: usize = 3;

/// As many solutions, as a logarithm, are more than any search visits: no bound that people write proves anything then,
/// where edits by difference find the solutions.
const MANY: f64 = 70.0;

/// Returns the first one of [`NEXT_FUNCTIONS`] that is for the problem, missing, and not found to be useless.
fn next(
    kind: SolutionKind,
    bounds_are_few: bool,
    has: impl Fn(&str) -> bool,
    is_useless: impl Fn(&str) -> bool,
) -> Option<NextFunction> {
    let is_free = !has("neighborhood") && !has("searches");
    let is_for = |when| match when {
        NextFor::FewBounds => bounds_are_few,
        NextFor::Orders => is_free && kind == SolutionKind::Order,
        NextFor::Choices => is_free && matches!(kind, SolutionKind::Assignment | SolutionKind::Subset),
        NextFor::Always => true,
    };
    NEXT_FUNCTIONS.iter().find(|one| is_for(one.when) && !has(one.name) && !is_useless(one.name)).copied()
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} random games end infeasibly", self.infeasible, self.walks)?;
        writeln!(f, "solutions are {}", self.kind)?;
        if let Some(NextFunction { name, when, why, gain }) = self.next {
            writeln!(f, "write next: {name}, {when} ({why})")?;
            writeln!(f, "measured gain: {gain}")?;
        }
        if !f.alternate() {
            return Ok(());
        }
        for Knowledge { name, use_for, supplied } in &self.knowledge {
            writeln!(f, "{name} ({}): {use_for}", if *supplied { "supplied" } else { "missing" })?;
        }
        Ok(())
    }
}

/// Plays `walks` random games and says what kind of solution a problem has, which optional functions of [`Problem`]
/// there are, which are missing, which searches each of them helps, and which one to write next.
///
/// `{}` prints the first lines, with the function to write next; `{:#}` all functions as well.
///
/// ```
/// let advice = soloist::advise(&soloist::doc::Staircase(5), 20, 1);
/// assert_eq!((advice.walks, advice.infeasible), (20, 0));
/// let bound = advice.knowledge.iter().find(|knowledge| knowledge.name == "bound").unwrap();
/// assert!(!bound.supplied && bound.use_for.contains("dfs"));
/// ```
pub fn advise<P: Problem>(problem: &P, walks: usize, seed: u64) -> Advice {
    let mut rng = Rng::new(seed);
    let [mut bound, mut potential, mut bias, mut key, mut code, mut link, mut suggest] = [false; 7];
    let mut infeasible = 0;
    let (mut choices, mut first) = (0.0, Vec::new());
    let (mut games, mut bounds): (Vec<Vec<u64>>, Vec<BTreeSet<u64>>) = (Vec::new(), Vec::new());
    for walk in 0..walks {
        let mut state = problem.root();
        let (mut played, mut names) = (Vec::new(), Vec::new());
        loop {
            if let Some(value) = problem.bound(&state) {
                bound = true;
                if played.len() < LONGEST {
                    bounds.resize(bounds.len().max(played.len() + 1), BTreeSet::new());
                    bounds[played.len()].insert(value.to_bits());
                }
            }
            potential |= problem.potential(&state).is_some();
            key |= problem.key(&state).is_some();
            let moves = list(problem, &state);
            if let Some(ordering) = problem.ordering() {
                let name = moves.first().map(|&mv| ordering.identity(&state, mv));
                link |= name.is_some() && ordering.link(None, name).is_some();
            }
            bias |= problem.prior().is_some_and(|prior| moves.iter().any(|&mv| prior.bias(&state, mv) != 0.0));
            code |= moves.iter().any(|&mv| problem.code(&state, mv) != stable_hash(&mv));
            let Some(&mv) = moves.get(rng.index(moves.len())) else { break };
            if walk < COMPARED && names.len() < LONGEST {
                let identity = problem.ordering().map(|ordering| ordering.identity(&state, mv));
                names.push(identity.unwrap_or_else(|| problem.code(&state, mv)));
            }
            choices += (moves.len() as f64).ln();
            problem.apply(&mut state, mv);
            played.push(mv);
            if played.len() >= Watch::MOST {
                // Not a game; `check` says so.
                break;
            }
        }
        if walk < COMPARED {
            games.push(names);
        }
        suggest |= problem.ordering().is_some_and(|ordering| ordering.suggest(&played, &mut Vec::new()));
        infeasible += usize::from(!problem.score(&state).is_feasible());
        if walk == 0 {
            first = played;
        }
    }
    let supplied = [
        ("code", code),
        ("bias", bias),
        ("bound", bound),
        ("potential", potential),
        ("key", key),
        ("dominance", problem.dominance().is_some()),
        ("ordering", problem.ordering().is_some()),
        ("link", link),
        ("suggest", suggest),
        ("neighborhood", problem.neighborhood().is_some()),
        ("rollouts", !problem.extras().rollouts().is_empty()),
        ("searches", !problem.extras().searches().is_empty()),
    ];
    let knowledge = supplied.map(|(name, supplied)| {
        let object = FUNCTIONS.iter().find(|one| one.owner.to_lowercase() == name);
        Knowledge { name, use_for: object.unwrap_or_else(|| function(name)).used_by, supplied }
    });
    let has = |name: &str| knowledge.iter().any(|one| one.name == name && one.supplied);
    // At the root there is one state, and few games say nothing.
    let values: usize = bounds.iter().skip(1).map(BTreeSet::len).sum();
    let are_few = bounds.len() > 2 && walks >= 4 * FEW && values <= FEW * (bounds.len() - 1);
    let kind = SolutionKind::of(&games);
    let is_large = choices > MANY * walks as f64;
    let is_useless = |name: &str| match name {
        "link" => adds_links(problem, &first, &mut rng.clone()) == Some(false),
        "bound" | "dominance" => is_large && has("neighborhood"),
        "bias" => is_large && has("neighborhood") && kind == SolutionKind::Assignment,
        _ => false,
    };
    Advice { walks, infeasible, kind, next: next(kind, are_few, has, is_useless), knowledge: knowledge.to_vec() }
}
