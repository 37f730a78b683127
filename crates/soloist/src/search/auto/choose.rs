//! Which methods race: what a problem names and offers decides.

use super::{Entries, Entry};
use crate::core::parameter::ParameterError;
use crate::erased::problem::ErasedProblem;
use crate::search::is_biased;

/// Levels that keep finding the same end: without that, the default levels spend a short turn in one basin.
const NRPA: &str = "nrpa(repetitions=10)";
const GNRPA: &str = "gnrpa(repetitions=10)";

/// The methods that race, and why these.
#[derive(Default)]
pub(super) struct Field {
    pub(super) entries: Vec<Entry>,
    /// The number of those that the problem names, which come first.
    pub(super) named: usize,
    /// Words to be added to a list of the names.
    pub(super) why: String,
}

/// Returns the methods that the problem names and the presets that can use what it offers.
///
/// # Errors
/// When the problem names a method that cannot run.
pub(super) fn choose(problem: &dyn ErasedProblem) -> Result<Field, ParameterError> {
    let mut entries = Entries::of(&problem.portfolio())?;
    entries.resolve(problem.searches())?;
    let mut entries = entries.entries().to_vec();
    let root = problem.root();
    let (bound, potential) = (problem.bound(&root).is_some(), problem.potential(&root).is_some());
    let (future, key) = (problem.future(&root).is_some(), problem.key(&root).is_some());
    let biased = is_biased(problem);
    let mut names = Vec::new();
    // Methods that may end the run with a proof come first.
    if bound {
        names.push("cabs");
    }
    if potential {
        names.push("beam");
    }
    // Playouts by the bias are far better than uniform ones; a problem's own rollout knows more.
    let [anneal, ils, uct, sampling] = if biased && !problem.has_rollouts() {
        ["anneal(rollout=bias)", "ils(rollout=bias)", "uct-best(rollout=bias)", "sampling(rollout=bias)"]
    } else {
        ["anneal", "ils", "uct-best", "sampling"]
    };
    names.extend([anneal, ils, NRPA]);
    if biased {
        names.push(GNRPA);
    }
    names.extend(["nmcs", uct, sampling]);
    let mut chosen: Vec<Entry> = names.into_iter().map(str::parse).collect::<Result<_, _>>()?;
    // What the problem names in settings of its own is not entered in others.
    chosen.retain(|entry| entries.iter().all(|named| named.preset() != entry.preset()));
    let all = [(bound, "a bound"), (potential, "a potential"), (future, "futures"), (key, "keys"), (biased, "a bias")];
    let offers: Vec<&str> = all.iter().filter(|(there, _)| *there).map(|&(_, name)| name).collect();
    let offers = if offers.is_empty() { "moves and scores alone".to_owned() } else { offers.join(", ") };
    let named = entries.len();
    let names_own = match named {
        0 => String::new(),
        1 => format!("names {} and ", entries[0].preset()),
        _ => format!("names the first {named} and "),
    };
    entries.extend(chosen);
    Ok(Field { entries, named, why: format!(": the problem {names_own}offers {offers}") })
}
