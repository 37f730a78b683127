//! Which edits suit the kind of solution that a problem has.

use super::edits::{EDITS, Edit};
use crate::problem::SolutionKind;

/// The weights of the edits that suit a kind. `None`: those of orders, which are the defaults.
pub(super) fn weights(kind: SolutionKind) -> Option<[u64; EDITS.len()]> {
    let suited: &[(Edit, u64)] = match kind {
        SolutionKind::Order | SolutionKind::Other => return None,
        SolutionKind::Assignment => &[(Edit::Replace, 16), (Edit::Change, 4), (Edit::Recreate, 1), (Edit::Swap, 1)],
        SolutionKind::Subset => &[
            (Edit::Change, 6),
            (Edit::Replace, 4),
            (Edit::Remove, 4),
            (Edit::Insert, 2),
            (Edit::Guide, 2),
            (Edit::Swap, 1),
            (Edit::Shuffle, 1),
            (Edit::Recreate, 1),
        ],
    };
    let weight = |edit| suited.iter().find(|(own, _)| *own == edit).map_or(0, |(_, weight)| *weight);
    Some(EDITS.map(weight))
}
