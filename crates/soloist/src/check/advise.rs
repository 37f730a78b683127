//! Which optional functions a problem has, and what the missing ones would help.

use super::list;
use crate::core::cut::Watch;
use crate::core::hash::stable_hash;
use crate::problem::functions::{FUNCTIONS, function};
use crate::{Problem, Rng};
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

/// What a problem offers to searches, from random games.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// Random games played.
    pub walks: usize,
    /// How many of them ended infeasibly.
    pub infeasible: usize,
    /// The optional functions.
    pub knowledge: Vec<Knowledge>,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} random games end infeasibly", self.infeasible, self.walks)?;
        for Knowledge { name, use_for, supplied } in &self.knowledge {
            writeln!(f, "{name} ({}): {use_for}", if *supplied { "supplied" } else { "missing" })?;
        }
        Ok(())
    }
}

/// Plays `walks` random games and says which optional functions of [`Problem`] there are, which are missing, and which
/// searches each of them helps.
///
/// ```
/// let advice = soloist::check::advise(&soloist::doc::Staircase(5), 20, 1);
/// assert_eq!((advice.walks, advice.infeasible), (20, 0));
/// let bound = advice.knowledge.iter().find(|knowledge| knowledge.name == "bound").unwrap();
/// assert!(!bound.supplied && bound.use_for.contains("dfs"));
/// ```
pub fn advise<P: Problem>(problem: &P, walks: usize, seed: u64) -> Advice {
    let mut rng = Rng::new(seed);
    let [mut bound, mut potential, mut bias, mut key, mut code, mut link, mut suggest] = [false; 7];
    let mut infeasible = 0;
    for _ in 0..walks {
        let mut state = problem.root();
        let mut played = Vec::new();
        loop {
            bound |= problem.bound(&state).is_some();
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
            problem.apply(&mut state, mv);
            played.push(mv);
            if played.len() >= Watch::MOST {
                // Not a game; `check` says so.
                break;
            }
        }
        suggest |= problem.ordering().is_some_and(|ordering| ordering.suggest(&played, &mut Vec::new()));
        infeasible += usize::from(!problem.score(&state).is_feasible());
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
        ("rollouts", !problem.rollouts().is_empty()),
        ("searches", !problem.searches().is_empty()),
    ];
    let knowledge = supplied.map(|(name, supplied)| {
        let object = FUNCTIONS.iter().find(|one| one.owner.to_lowercase() == name);
        Knowledge { name, use_for: object.unwrap_or_else(|| function(name)).used_by, supplied }
    });
    Advice { walks, infeasible, knowledge: knowledge.to_vec() }
}
