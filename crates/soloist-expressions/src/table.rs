//! Hash tables with a fixed hash function.

use soloist::problem::StableHasher;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// A hash table that behaves the same in every run. No code iterates over one where the order could matter.
pub(crate) type Table<K, V> = HashMap<K, V, BuildHasherDefault<StableHasher>>;
