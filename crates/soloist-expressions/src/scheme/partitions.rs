//! A cache of partitions of the terms: the blocks of some sets. The least recently used partitions make room.

use super::kernel::{Block, Kernel, Scratch};
use super::set::Set;
use std::sync::{Arc, Mutex, PoisonError};

/// Buffers that are kept for reuse.
const SPARE: usize = 4;

/// The blocks of a set, and the time of their last use.
#[derive(Debug)]
struct Partition {
    set: Set,
    blocks: Arc<Vec<Block>>,
    used: u64,
}

/// A bounded cache. Its content changes the time of a computation and never the result.
#[derive(Debug)]
struct Cache {
    partitions: Vec<Partition>,
    spare: Vec<Vec<Block>>,
    clock: u64,
    bytes: usize,
    limit: usize,
}

/// The cache, shared by several searches.
#[derive(Debug)]
pub(super) struct Partitions(Mutex<Cache>);

fn bytes(blocks: &Vec<Block>) -> usize {
    blocks.capacity() * size_of::<Block>() + size_of::<Partition>()
}

impl Partitions {
    /// An empty cache for at most `memory` bytes.
    pub(super) fn new(memory: u64) -> Self {
        let limit = usize::try_from(memory).unwrap_or(usize::MAX);
        Self(Mutex::new(Cache { partitions: Vec::new(), spare: Vec::new(), clock: 0, bytes: 0, limit }))
    }

    /// The blocks of `set`. Blocks that are not in the cache are made from those of a subset or from the terms,
    /// whichever is less work.
    pub(super) fn get(&self, kernel: &Kernel, set: Set, scratch: &mut Scratch) -> Arc<Vec<Block>> {
        let nearest = self.nearest(set, 2 * kernel.rows.len());
        let (mut at, mut blocks) = match nearest {
            Some((at, blocks)) => (at, Some(blocks)),
            None if set.count_ones() < 2 => (0, None),
            None => {
                let mut to = self.buffer();
                kernel.project(set, scratch, &mut to);
                return self.keep(set, to);
            }
        };
        if set == 0 {
            return blocks.unwrap_or_else(|| self.keep(0, kernel.rows.clone()));
        }
        while at != set {
            let v = (set & !at).trailing_zeros() as usize;
            let mut to = self.buffer();
            let from = blocks.as_ref().map_or(&kernel.rows, |blocks| blocks);
            kernel.extract(from, at, v, scratch, &mut to);
            at |= 1 << v;
            blocks = Some(self.keep(at, to));
        }
        blocks.unwrap_or_default()
    }

    /// An empty buffer.
    pub(super) fn buffer(&self) -> Vec<Block> {
        self.lock().spare.pop().unwrap_or_default()
    }

    /// Keeps the blocks of a set unless they are too many.
    pub(super) fn keep(&self, set: Set, blocks: Vec<Block>) -> Arc<Vec<Block>> {
        let blocks = Arc::new(blocks);
        let size = bytes(&blocks);
        let mut cache = self.lock();
        if size <= cache.limit / 4 && cache.partitions.iter().all(|partition| partition.set != set) {
            cache.clock += 1;
            cache.bytes += size;
            let used = cache.clock;
            cache.partitions.push(Partition { set, blocks: Arc::clone(&blocks), used });
            while cache.bytes > cache.limit {
                cache.forget();
            }
        }
        blocks
    }

    /// The cached blocks from which those of `set` are made with the least work; `None` if that work is above `limit`.
    fn nearest(&self, set: Set, limit: usize) -> Option<(Set, Arc<Vec<Block>>)> {
        let mut cache = self.lock();
        let price = |partition: &Partition| (set & !partition.set).count_ones() as usize * partition.blocks.len();
        let subsets = cache.partitions.iter().enumerate().filter(|(_, partition)| partition.set & !set == 0);
        let (at, price) = subsets.map(|(at, partition)| (at, price(partition))).min_by_key(|&(_, price)| price)?;
        if price > limit {
            return None;
        }
        cache.clock += 1;
        let clock = cache.clock;
        let partition = &mut cache.partitions[at];
        partition.used = clock;
        Some((partition.set, Arc::clone(&partition.blocks)))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    /// Drops the least recently used partition.
    fn forget(&mut self) {
        let Some(at) = (0..self.partitions.len()).min_by_key(|&at| self.partitions[at].used) else { return };
        let partition = self.partitions.swap_remove(at);
        self.bytes -= bytes(&partition.blocks);
        if let Ok(mut blocks) = Arc::try_unwrap(partition.blocks)
            && self.spare.len() < SPARE
        {
            blocks.clear();
            self.spare.push(blocks);
        }
    }
}
