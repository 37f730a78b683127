//! Partitions of the terms already made: the blocks of some sets, the least recently used of which make room.

use super::kernel::{Block, Kernel, Scratch, Set};
use std::sync::{Arc, Mutex, PoisonError};

/// Buffers that are kept for reuse.
const SPARE: usize = 4;

/// The blocks of a set, and when they were last used.
#[derive(Debug)]
struct Part {
    set: Set,
    blocks: Arc<Vec<Block>>,
    used: u64,
}

/// A bounded cache. What it holds decides how long something takes and never what comes out.
#[derive(Debug)]
struct Cache {
    parts: Vec<Part>,
    spare: Vec<Vec<Block>>,
    clock: u64,
    bytes: usize,
    limit: usize,
}

/// Blocks of sets, shared by several searches.
#[derive(Debug)]
pub(super) struct Parts(Mutex<Cache>);

fn bytes(blocks: &Vec<Block>) -> usize {
    blocks.capacity() * size_of::<Block>() + size_of::<Part>()
}

impl Parts {
    /// An empty cache for at most `memory` bytes.
    pub(super) fn new(memory: u64) -> Self {
        let limit = usize::try_from(memory).unwrap_or(usize::MAX);
        Self(Mutex::new(Cache { parts: Vec::new(), spare: Vec::new(), clock: 0, bytes: 0, limit }))
    }

    /// The blocks of `set`: remembered, or made from those of a subset or from the terms, whichever is less work.
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

    /// Remembers the blocks of a set, if they are not too many.
    pub(super) fn keep(&self, set: Set, blocks: Vec<Block>) -> Arc<Vec<Block>> {
        let blocks = Arc::new(blocks);
        let size = bytes(&blocks);
        let mut cache = self.lock();
        if size <= cache.limit / 4 && cache.parts.iter().all(|part| part.set != set) {
            cache.clock += 1;
            cache.bytes += size;
            let used = cache.clock;
            cache.parts.push(Part { set, blocks: Arc::clone(&blocks), used });
            while cache.bytes > cache.limit {
                cache.forget();
            }
        }
        blocks
    }

    /// The remembered blocks from which those of `set` are made with least work, which is below `limit`.
    fn nearest(&self, set: Set, limit: usize) -> Option<(Set, Arc<Vec<Block>>)> {
        let mut cache = self.lock();
        let price = |part: &Part| (set & !part.set).count_ones() as usize * part.blocks.len();
        let subsets = cache.parts.iter().enumerate().filter(|(_, part)| part.set & !set == 0);
        let (at, price) = subsets.map(|(at, part)| (at, price(part))).min_by_key(|&(_, price)| price)?;
        if price > limit {
            return None;
        }
        cache.clock += 1;
        let clock = cache.clock;
        let part = &mut cache.parts[at];
        part.used = clock;
        Some((part.set, Arc::clone(&part.blocks)))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cache {
    /// Drops the part that was not used for longest.
    fn forget(&mut self) {
        let Some(at) = (0..self.parts.len()).min_by_key(|&at| self.parts[at].used) else { return };
        let part = self.parts.swap_remove(at);
        self.bytes -= bytes(&part.blocks);
        if let Ok(mut blocks) = Arc::try_unwrap(part.blocks)
            && self.spare.len() < SPARE
        {
            blocks.clear();
            self.spare.push(blocks);
        }
    }
}
