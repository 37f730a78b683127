//! The problem's own searches.

use super::model::Snakes;
use super::{learned, sections, symmetric};
use soloist::Method;
use soloist::problem::NamedSearch;
use soloist::search::Preset;

/// The methods of the problem, for lists.
pub(crate) const METHODS: &[Preset] = &[
    Preset::own(&symmetric::SYMMETRIC, || Method::own(&symmetric::SYMMETRIC)),
    Preset::own(&learned::LEARNED, || Method::own(&learned::LEARNED)),
    Preset::own(&sections::SECTIONS, || Method::own(&sections::SECTIONS)),
];

/// Returns the searches of the paths of a cube. Where their beginning is given, there are no symmetric coils, and no
/// sections are replaced.
pub(crate) fn searches(problem: &Snakes) -> Vec<NamedSearch<Snakes>> {
    let mut searches = vec![NamedSearch::new(learned::LEARNED, learned::make)];
    if problem.prefix.is_empty() {
        searches.push(NamedSearch::new(symmetric::SYMMETRIC, symmetric::make));
        if sections::fits(problem) {
            searches.push(NamedSearch::new(sections::SECTIONS, sections::make));
        }
    }
    searches
}
