//! The problem's own searches.

use super::model::Snakes;
use super::{learned, symmetric};
use soloist::Method;
use soloist::problem::NamedSearch;
use soloist::search::Preset;

/// The methods of the problem, for lists.
pub(crate) const METHODS: &[Preset] = &[
    Preset::own(&symmetric::SYMMETRIC, || Method::own(&symmetric::SYMMETRIC)),
    Preset::own(&learned::LEARNED, || Method::own(&learned::LEARNED)),
];

/// Returns the searches of the paths of a cube. Where their beginning is given, there are no symmetric coils.
pub(crate) fn searches<const W: usize>(problem: &Snakes<W>) -> Vec<NamedSearch<Snakes<W>>> {
    let learned = NamedSearch::new(learned::LEARNED, learned::make);
    if problem.prefix.is_empty() {
        vec![NamedSearch::new(symmetric::SYMMETRIC, symmetric::make), learned]
    } else {
        vec![learned]
    }
}
