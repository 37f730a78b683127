//! Which of the runs that were read is the same as another one, without comparing it with all.

use super::trial::Trial;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};

/// The runs by their search: for each search, indices of runs by what differs between them.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    keys: Keys,
    searches: HashMap<u128, Search>,
}

/// Randomly seeded hashes of 128 bits: no two different texts of a file have the same one.
#[derive(Clone, Debug, Default)]
struct Keys(RandomState, RandomState);

impl Keys {
    fn of(&self, value: &(impl Hash + ?Sized)) -> u128 {
        u128::from(self.0.hash_one(value)) << 64 | u128::from(self.1.hash_one(value))
    }
}

/// The runs of one search.
#[derive(Clone, Debug, Default)]
struct Search {
    /// In the order in which they were read.
    first: Option<usize>,
    /// Runs that events may still change.
    open: Vec<usize>,
    /// Of the others, the first with these limits, without limits, and with this end.
    limits: HashMap<u128, usize>,
    unlimited: Option<usize>,
    ends: HashMap<(u64, Option<u64>), usize>,
}

impl Known {
    /// The first run that is the same as `trial`, by [`Trial::is_same`].
    pub(super) fn find(&self, trials: &[Trial], trial: &Trial) -> Option<usize> {
        let search = self.searches.get(&self.keys.of(&trial.key()))?;
        let limits = trial.limits();
        if limits.is_empty() {
            return search.first;
        }
        let open = search.open.iter().copied().filter(|&at| trials[at].is_same(trial)).min();
        let of_limits = search.limits.get(&self.keys.of(&limits)).copied();
        let of_end = search.ends.get(&trial.end()).copied();
        [open, of_limits, search.unlimited, of_end].into_iter().flatten().min()
    }

    /// Adds a run that events may change.
    pub(super) fn open(&mut self, at: usize, trial: &Trial) {
        let search = self.searches.entry(self.keys.of(&trial.key())).or_default();
        search.open.push(at);
        search.first.get_or_insert(at);
    }

    /// Adds a run that does not change any more, or closes one that was open.
    pub(super) fn settle(&mut self, at: usize, trial: &Trial) {
        let search = self.searches.entry(self.keys.of(&trial.key())).or_default();
        search.open.retain(|open| *open != at);
        search.first.get_or_insert(at);
        let limits = trial.limits();
        if limits.is_empty() {
            search.unlimited.get_or_insert(at);
        } else {
            search.limits.entry(self.keys.of(&limits)).or_insert(at);
        }
        search.ends.entry(trial.end()).or_insert(at);
    }

    /// Removes a run that is about to be replaced by the same run.
    pub(super) fn forget(&mut self, at: usize, trial: &Trial) {
        let Some(search) = self.searches.get_mut(&self.keys.of(&trial.key())) else { return };
        search.open.retain(|open| *open != at);
        let limits = self.keys.of(&trial.limits());
        if search.limits.get(&limits) == Some(&at) {
            search.limits.remove(&limits);
        }
        if search.ends.get(&trial.end()) == Some(&at) {
            search.ends.remove(&trial.end());
        }
        search.unlimited = search.unlimited.filter(|unlimited| *unlimited != at);
    }
}
