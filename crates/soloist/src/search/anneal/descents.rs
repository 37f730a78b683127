//! Where the descents of an iterated local search begin and end.

use crate::core::limits::MOST;
use serde::{Deserialize, Serialize};

/// Neighbours a decision without a gain that end a descent. 10 and 100 were tried on weighted tardiness: the first one
/// misses local optima, the second makes half as many descents.
const PATIENCE: u64 = 30;
/// Neighbours that are tried for each edit of a kick, at most: some change nothing, or cannot be made.
const TRIES: u64 = 50;

/// Where the present descent stands.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Descents {
    /// Neighbours since the last gain, or in this kick.
    pub(super) idle: u64,
    /// Edits of the kick that are still to be made.
    pub(super) owed: u64,
}

impl Descents {
    /// What neighbours may cost above the present solution, not reaching it: anything in a kick.
    pub(super) fn limit(self) -> f64 {
        if self.owed > 0 { f64::INFINITY } else { 0.0 }
    }

    /// Counts a neighbour. `change`: whether it has been accepted at another cost, and whether that is a better one.
    /// Returns whether a descent has ended.
    pub(super) fn count(&mut self, (changed, gained): (bool, bool), kicks: u64, count: usize) -> bool {
        self.idle += 1;
        if self.owed > 0 {
            self.owed -= u64::from(changed);
            if self.owed == 0 || self.idle >= TRIES * kicks {
                *self = Self::default();
            }
            return false;
        }
        if gained {
            self.idle = 0;
        }
        self.idle >= PATIENCE * count as u64
    }

    /// Whether what was read from a checkpoint can be that of a run.
    pub(super) fn is_sound(self) -> bool {
        self.idle <= MOST && self.owed <= MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descents_end_where_nothing_is_gained_and_begin_with_kicks() {
        let mut descents = Descents::default();
        for _ in 0..100 {
            (0..299).for_each(|_| assert!(!descents.count((false, false), 3, 10)));
            assert_eq!(descents.limit(), 0.0);
            descents.count((true, true), 3, 10);
        }
        (0..299).for_each(|_| assert!(!descents.count((true, false), 3, 10)));
        assert!(descents.count((false, false), 3, 10));
        descents = Descents { idle: 0, owed: 3 };
        for change in [(true, false), (false, false), (true, true)] {
            descents.count(change, 3, 10);
            assert_eq!(descents.limit(), f64::INFINITY);
        }
        descents.count((true, false), 3, 10);
        assert_eq!((descents.limit(), descents.idle), (0.0, 0));
        // What cannot be edited is not tried for ever.
        descents = Descents { idle: 0, owed: 3 };
        (0..150).for_each(|_| assert!(!descents.count((false, false), 3, 10)));
        assert_eq!((descents.limit(), descents.idle), (0.0, 0));
    }
}
