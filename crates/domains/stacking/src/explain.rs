//! The limit of the height by date, and instances without it on some dates.

use crate::model::Stacking;
use soloist::problem::{Explain, StableHasher};
use std::hash::Hasher;

/// A date on which the height may matter.
struct Busy {
    /// Its number.
    date: usize,
    /// Items that are there while things are put down, at most.
    items: usize,
}

impl Stacking {
    /// The dates on which a stack may be full, those with the fewest items first: dates that stay longer make small
    /// conflicts.
    fn busy(&self) -> Vec<Busy> {
        let mut items = self.initial.level.iter().filter(|&&level| level > 0).count();
        let mut all = Vec::new();
        for date in 0..self.dates() {
            let before = items;
            items = before - self.leaving(date).len() + self.coming(date).len();
            let most = before.max(items);
            // The item in hand is on no stack.
            if most > usize::from(self.height) {
                all.push(Busy { date, items: most });
            }
        }
        soloist::order::sort_by_key(&mut all, |busy| busy.items);
        all
    }

    /// Whether there are more items at some time than there is room for, none of them put down on a date on which the
    /// height is unlimited.
    fn is_overfull(&self) -> bool {
        let room = self.width() * usize::from(self.height);
        // The date that each item came on, from 1; 0: before the first one.
        let mut came = vec![0; self.count()];
        let mut there = self.initial.level.iter().filter(|&&level| level > 0).count();
        // Items that came on this date or before it may have been moved on it.
        let mut uncertain = None;
        for (date, &lifted) in (1..).zip(&self.lifted) {
            let left = self.leaving(date - 1).iter().filter(|&&item| Some(came[usize::from(item)]) > uncertain).count();
            there -= left;
            if lifted {
                (there, uncertain) = (0, Some(date));
            } else {
                there += self.coming(date - 1).len();
            }
            self.coming(date - 1).iter().for_each(|&item| came[usize::from(item)] = date);
            if there > room {
                return true;
            }
        }
        false
    }
}

impl Explain<Stacking> for Stacking {
    /// That nothing is put on a full stack, for each date on which there are more items than a stack holds.
    fn constraints(&self) -> Vec<String> {
        let name = |busy: &Busy| {
            let time = self.time_of(busy.date).unwrap_or(0);
            format!("on date {time} no stack gets more than {} items ({} are there)", self.height, busy.items)
        };
        self.busy().iter().map(name).collect()
    }

    /// Stacks may be higher than the limit where items were put on them on a date without it. They stay so until items
    /// leave or are in the way.
    fn relaxed(&self, kept: &[usize]) -> Option<Self> {
        let busy = self.busy();
        let mut own = self.clone();
        own.lifted = vec![false; self.dates()];
        busy.iter().for_each(|busy| own.lifted[busy.date] = true);
        kept.iter().for_each(|&at| own.lifted[busy[at].date] = false);
        if own.is_overfull() {
            return None;
        }
        let mut hash = StableHasher::new();
        hash.write_u64(self.fingerprint);
        own.lifted.iter().for_each(|&lifted| hash.write_u8(u8::from(lifted)));
        own.fingerprint = hash.finish();
        own.reach_root();
        Some(own)
    }
}
