//! Which methods race: what a problem offers decides.

use crate::problem::rules::Rules;
use crate::search::is_biased;

/// Returns the presets that can use what the problem offers, and what that is, in words.
pub(super) fn choose(problem: &dyn Rules) -> (Vec<&'static str>, String) {
    let root = problem.root();
    let (bound, potential) = (problem.bound(&root).is_some(), problem.potential(&root).is_some());
    let (future, key) = (problem.future(&root).is_some(), problem.key(&root).is_some());
    let biased = is_biased(problem);
    let mut names = Vec::new();
    // What may end the run with a proof comes first.
    if bound {
        names.push("cabs");
    }
    if potential {
        names.push("beam");
    }
    names.extend(["anneal", "nrpa"]);
    if biased {
        names.push("gnrpa");
    }
    names.extend(["uct-best", "sampling"]);
    let all = [(bound, "a bound"), (potential, "a potential"), (future, "futures"), (key, "keys"), (biased, "a bias")];
    let offers: Vec<&str> = all.iter().filter(|(there, _)| *there).map(|&(_, name)| name).collect();
    let offers = if offers.is_empty() { "moves and scores alone".to_owned() } else { offers.join(", ") };
    (names, offers)
}
