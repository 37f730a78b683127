//! States of a layer that differ in cost only: the better one stays.

use super::beam_state::{Child, NONE};
use crate::Sense;
use crate::core::codec::CheckpointError;
use crate::core::hash::{scattered, stable_hash};
use crate::core::score::rank;
use crate::erased::problem::{ErasedProblem, State};

/// What distinguishes a child from others with the same future.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u128,
    /// The rank of the score so far.
    value: u64,
    /// Where the ranks of its resources begin, and how many there are.
    from: u32,
    count: u32,
    /// The next entry with the same place in the index.
    next: u32,
    /// Its place among the children; [`NONE`]: it is beaten.
    child: u32,
}

/// What can still be done from a state, and what it has cost.
#[derive(Debug, Default)]
pub(super) struct Future {
    /// The id of its key, and the rank of the score so far. `None`: it is not comparable.
    pub(super) now: Option<(u128, u64)>,
    /// The ranks of its resources.
    pub(super) ranks: Vec<u64>,
    numbers: Vec<f64>,
}

impl Future {
    /// Reads the future of a state. Returns a number that distinguishes futures, if there is one.
    pub(super) fn read(&mut self, problem: &dyn ErasedProblem, state: &State, sense: Sense) -> Option<u64> {
        self.ranks.clear();
        let future = problem.future(state);
        self.now = future.map(|(key, value)| (key.id(), rank(sense, value)));
        let (key, _) = future?;
        self.numbers.clear();
        problem.resources(state, &mut self.numbers);
        self.ranks.extend(self.numbers.iter().map(|&value| rank(sense, value)));
        Some(if self.ranks.is_empty() { key.mix() } else { stable_hash(&(key.mix(), self.ranks.as_slice())) })
    }
}

/// A child in a checkpoint: key of the future, rank of the score so far, ranks of the resources.
pub(super) type Saved = Option<(u128, u64, Vec<u64>)>;

/// The children of a layer by their futures: an exact table, as large as the list of children.
#[derive(Debug)]
pub(super) struct Merger {
    sense: Sense,
    /// First entries, by the hash of their keys: a power of two of places.
    index: Vec<u32>,
    entries: Vec<Entry>,
    resources: Vec<u64>,
    /// That of the child read last.
    future: Future,
    /// Children that [`add`](Self::add) found beaten, beside the one that it replaces.
    pub(super) beaten: Vec<u32>,
}

impl Merger {
    /// Returns an empty table.
    pub(super) fn new(sense: Sense) -> Self {
        let (entries, resources, beaten) = (Vec::new(), Vec::new(), Vec::new());
        Self { sense, index: vec![NONE; 16], entries, resources, future: Future::default(), beaten }
    }

    /// Bytes for each child, its resources being as many as those of `state`.
    pub(super) fn bytes(problem: &dyn ErasedProblem, state: &State) -> usize {
        let mut resources = Vec::new();
        problem.resources(state, &mut resources);
        // Lists double as they grow.
        2 * (size_of::<Entry>() + 2 * size_of::<u32>() + resources.len() * size_of::<u64>())
    }

    pub(super) fn clear(&mut self) {
        self.index.fill(NONE);
        self.entries.clear();
        self.resources.clear();
    }

    /// Reads the future of a state, which [`is_beaten`](Self::is_beaten) and [`add`](Self::add) are about. Returns a
    /// number that distinguishes futures, if there is one.
    pub(super) fn read(&mut self, problem: &dyn ErasedProblem, state: &State) -> Option<u64> {
        self.future.read(problem, state, self.sense)
    }

    /// Reads a future that a [`Future`] has read: what it is `now`, and the ranks of its resources.
    pub(super) fn take(&mut self, now: Option<(u128, u64)>, ranks: &[u64]) {
        self.future.now = now;
        self.future.ranks.clear();
        self.future.ranks.extend_from_slice(ranks);
    }

    fn place(&self, key: u128) -> usize {
        scattered(key) as usize & (self.index.len() - 1)
    }

    fn ranks_of(&self, entry: &Entry) -> &[u64] {
        &self.resources[entry.from as usize..][..entry.count as usize]
    }

    /// Whether a child is known that is at least as good as the one read last.
    pub(super) fn is_beaten(&self) -> bool {
        let Some((key, value)) = self.future.now else { return false };
        let mut at = self.index[self.place(key)];
        while at != NONE {
            let entry = &self.entries[at as usize];
            if entry.key == key && entry.value >= value && at_least(self.ranks_of(entry), &self.future.ranks) {
                return true;
            }
            at = entry.next;
        }
        false
    }

    /// Adds the child read last, which is not beaten. Returns its entry, and the child whose place it takes because it
    /// is better; `child` is its place otherwise. All others that it beats are listed in `beaten`.
    pub(super) fn add(&mut self, child: u32) -> (u32, Option<u32>) {
        let Some((key, value)) = self.future.now else { return (NONE, None) };
        let mut replaced = NONE;
        let (mut before, mut at) = (NONE, self.index[self.place(key)]);
        while at != NONE {
            let entry = self.entries[at as usize];
            let worse = entry.key == key && value >= entry.value && at_least(&self.future.ranks, self.ranks_of(&entry));
            if worse && replaced != NONE {
                // Something comes before it in the chain: at least the entry that is replaced.
                self.entries[before as usize].next = entry.next;
                self.entries[at as usize].child = NONE;
                self.beaten.push(entry.child);
            } else {
                before = at;
                if worse {
                    replaced = at;
                }
            }
            at = entry.next;
        }
        if replaced == NONE {
            return (self.push(key, value, child), None);
        }
        let Entry { from, child, .. } = self.entries[replaced as usize];
        self.entries[replaced as usize].value = value;
        self.resources[from as usize..][..self.future.ranks.len()].copy_from_slice(&self.future.ranks);
        (replaced, Some(child))
    }

    /// Adds an entry with the present ranks.
    fn push(&mut self, key: u128, value: u64, child: u32) -> u32 {
        if self.entries.len() * 2 >= self.index.len() {
            self.index = vec![NONE; self.index.len() * 2];
            self.link_all();
        }
        let (from, count) = (self.resources.len() as u32, self.future.ranks.len() as u32);
        self.resources.extend_from_slice(&self.future.ranks);
        self.entries.push(Entry { key, value, from, count, next: NONE, child });
        let at = self.entries.len() as u32 - 1;
        self.link(at);
        at
    }

    /// Puts the entries of children that are not beaten into an empty index.
    fn link_all(&mut self) {
        for at in 0..self.entries.len() {
            if self.entries[at].child != NONE {
                self.link(at as u32);
            }
        }
    }

    /// Puts an entry in front of its chain.
    fn link(&mut self, at: u32) {
        let place = self.place(self.entries[at as usize].key);
        self.entries[at as usize].next = self.index[place];
        self.index[place] = at;
    }

    /// Keeps the entries of these children, given as entry and place, and forgets all others.
    pub(super) fn rebuild<'c>(&mut self, children: impl Iterator<Item = (&'c mut u32, u32)>) {
        let (entries, resources) = (std::mem::take(&mut self.entries), std::mem::take(&mut self.resources));
        self.index.fill(NONE);
        for (known, place) in children.filter(|(entry, _)| **entry != NONE) {
            let Entry { key, value, from, count, .. } = entries[*known as usize];
            self.future.ranks.clear();
            self.future.ranks.extend_from_slice(&resources[from as usize..][..count as usize]);
            *known = self.push(key, value, place);
        }
    }

    /// Returns what a checkpoint holds of these children.
    pub(super) fn save(&self, children: &[Child]) -> Vec<Saved> {
        let saved = |child: &Child| {
            let entry = self.entries.get(child.entry as usize)?;
            Some((entry.key, entry.value, self.ranks_of(entry).to_vec()))
        };
        children.iter().map(saved).collect()
    }

    /// Restores what [`save`](Self::save) returned.
    pub(super) fn load(&mut self, children: &mut [Child], saved: Vec<Saved>) -> Result<(), CheckpointError> {
        if saved.len() != children.len() {
            return Err(CheckpointError::Corrupt("a beam"));
        }
        self.clear();
        for ((place, child), saved) in (0..).zip(children).zip(saved) {
            child.entry = NONE;
            if let Some((key, value, ranks)) = saved {
                self.future.ranks = ranks;
                child.entry = self.push(key, value, place);
            }
        }
        Ok(())
    }
}

/// Whether each number is at least its counterpart.
fn at_least(a: &[u64], b: &[u64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a >= b)
}
