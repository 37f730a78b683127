//! A bounded table of level costs that several searches share.

use super::set::Set;
use std::sync::{Mutex, PoisonError};

/// The number of shards, each with a lock.
const SHARDS: usize = 16;
/// Entries that share a place.
const BUCKET: usize = 8;
const SMALLEST: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Entry {
    set: Set,
    cost: u32,
    variable: u8,
    /// Whether the entry is in use.
    full: bool,
}

const FREE: Entry = Entry { set: 0, cost: 0, variable: 0, full: false };

/// A part of the table: a power of two of entries in buckets, the youngest of a bucket first.
#[derive(Debug)]
struct Shard {
    entries: Vec<Entry>,
    used: usize,
    most: usize,
}

/// The costs of extracting a variable, by variable and set.
///
/// The table grows by doubling up to its limit. Then the oldest entry of a full bucket makes room, which may repeat
/// work and changes no result.
#[derive(Debug)]
pub(super) struct Memo {
    shards: Vec<Mutex<Shard>>,
}

fn hash(variable: u8, set: Set) -> u64 {
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        (product >> 64) as u64 ^ product as u64
    };
    let low = fold(set as u64 ^ 0x243f_6a88_85a3_08d3, 0x9e37_79b9_7f4a_7c15);
    fold(low ^ (set >> 64) as u64 ^ u64::from(variable) << 56, 0xa409_3822_299f_31d1)
}

impl Memo {
    /// An empty table that uses at most about `memory` bytes, even while it grows.
    pub(super) fn new(memory: u64) -> Self {
        // While a shard grows, the old and the doubled list exist.
        let entries = memory / SHARDS as u64 / size_of::<Entry>() as u64 * 2 / 3;
        let most = 1_usize << entries.clamp(SMALLEST as u64, 1 << 30).ilog2();
        let shard = || Mutex::new(Shard { entries: vec![FREE; SMALLEST], used: 0, most });
        Self { shards: (0..SHARDS).map(|_| shard()).collect() }
    }

    pub(super) fn get(&self, variable: u8, set: Set) -> Option<u32> {
        let hash = hash(variable, set);
        let shard = self.shards[(hash >> 60) as usize].lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = shard.bucket(hash);
        let found = shard.entries[bucket..bucket + BUCKET].iter().find(|entry| entry.is(variable, set));
        found.map(|entry| entry.cost)
    }

    pub(super) fn put(&self, variable: u8, set: Set, cost: u32) {
        let hash = hash(variable, set);
        let mut shard = self.shards[(hash >> 60) as usize].lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = shard.bucket(hash);
        if shard.entries[bucket..bucket + BUCKET].iter().any(|entry| entry.is(variable, set)) {
            // Another thread has added the entry.
            return;
        }
        shard.insert(Entry { set, cost, variable, full: true });
        if shard.used * 2 > shard.entries.len() && shard.entries.len() < shard.most {
            let size = shard.entries.len() * 2;
            let old = std::mem::replace(&mut shard.entries, vec![FREE; size]);
            shard.used = 0;
            // The oldest come first, so that the order within buckets stays.
            old.into_iter().rev().filter(|entry| entry.full).for_each(|entry| shard.insert(entry));
        }
    }
}

impl Entry {
    fn is(&self, variable: u8, set: Set) -> bool {
        self.full && self.variable == variable && self.set == set
    }
}

impl Shard {
    fn bucket(&self, hash: u64) -> usize {
        hash as usize & (self.entries.len() - 1) & !(BUCKET - 1)
    }

    fn insert(&mut self, entry: Entry) {
        let bucket = self.bucket(hash(entry.variable, entry.set));
        let bucket = &mut self.entries[bucket..bucket + BUCKET];
        let grows = !bucket[BUCKET - 1].full;
        bucket.rotate_right(1);
        bucket[0] = entry;
        self.used += usize::from(grows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_the_oldest_only_when_full() {
        let memo = Memo::new(1 << 20);
        let key = |i: u64| ((i % 100) as u8, Set::from(i) << 70 | Set::from(i * 7));
        let all = |count: u64| (0..count).filter(|&i| memo.get(key(i).0, key(i).1) == Some(i as u32)).count();
        for i in 0..60_000 {
            assert_eq!(memo.get(key(i).0, key(i).1), None);
            memo.put(key(i).0, key(i).1, i as u32);
            if i == 5_000 {
                assert!(all(5_000) > 4_900);
            }
        }
        let entries: usize = memo.shards.iter().map(|shard| shard.lock().unwrap().entries.len()).sum();
        assert_eq!(entries * size_of::<Entry>(), 1 << 19);
        let kept = all(60_000);
        assert!((15_000..=entries).contains(&kept), "{kept}");
        assert_eq!(memo.get(3, 3), None);
    }
}
