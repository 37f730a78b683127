//! Sets of sites as words of bits.

use soloist_domain::bits::bits;

/// A set of sites.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Sites(Vec<u64>);

impl Clone for Sites {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }

    fn clone_from(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }
}

impl Sites {
    /// Returns the customers of a network with `size` sites: all but site 0.
    pub(crate) fn customers(size: usize) -> Self {
        let mut words = vec![u64::MAX; size.div_ceil(64)];
        if let Some(last) = words.last_mut() {
            *last >>= (64 - size % 64) % 64;
        }
        if let Some(first) = words.first_mut() {
            *first &= !1;
        }
        Self(words)
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }

    #[inline]
    pub(crate) fn contains(&self, site: usize) -> bool {
        self.0[site / 64] >> (site % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn remove(&mut self, site: usize) {
        self.0[site / 64] &= !(1 << (site % 64));
    }

    /// In ascending order.
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(at, &word)| bits(word).map(move |bit| at * 64 + bit))
    }
}

/// Implements `Clone` for a state whose fields are all `Copy` but for `unvisited`, so that `clone_from` uses the words
/// of the state that it replaces.
macro_rules! clone_reusing_unvisited {
    ($state:ident) => {
        impl Clone for $state {
            fn clone(&self) -> Self {
                Self { unvisited: self.unvisited.clone(), ..*self }
            }

            fn clone_from(&mut self, other: &Self) {
                let mut unvisited = std::mem::replace(&mut self.unvisited, $crate::sites::Sites::customers(0));
                unvisited.clone_from(&other.unvisited);
                *self = Self { unvisited, ..*other };
            }
        }
    };
}
pub(crate) use clone_reusing_unvisited;

/// For each ordered pair of sites whether it belongs to a relation: a row of bits for each first site.
#[derive(Debug)]
pub(crate) struct Pairs {
    words: usize,
    rows: Vec<u64>,
}

impl Pairs {
    pub(crate) fn new(size: usize, holds: impl Fn(usize, usize) -> bool) -> Self {
        let words = size.div_ceil(64);
        let mut rows = vec![0; words * size];
        for a in 0..size {
            for b in (0..size).filter(|&b| holds(a, b)) {
                rows[a * words + b / 64] |= 1 << (b % 64);
            }
        }
        Self { words, rows }
    }

    /// Returns the second sites of the pairs that begin with `a`.
    #[inline]
    pub(crate) fn row(&self, a: usize) -> &[u64] {
        &self.rows[a * self.words..(a + 1) * self.words]
    }
}
