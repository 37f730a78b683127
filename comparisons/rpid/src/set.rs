//! Sets of small numbers in `W` words, copied without an allocation.

use std::ops::{BitAnd, BitOr, Sub};

/// A set of numbers below `64 * W`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Set<const W: usize>([u64; W]);

impl<const W: usize> Set<W> {
    pub(crate) const EMPTY: Self = Self([0; W]);

    pub(crate) fn of(things: impl IntoIterator<Item = usize>) -> Self {
        things.into_iter().fold(Self::EMPTY, Self::with)
    }

    pub(crate) fn contains(&self, thing: usize) -> bool {
        self.0[thing / 64] >> (thing % 64) & 1 == 1
    }

    pub(crate) fn with(mut self, thing: usize) -> Self {
        self.0[thing / 64] |= 1 << (thing % 64);
        self
    }

    pub(crate) fn without(mut self, thing: usize) -> Self {
        self.0[thing / 64] &= !(1 << (thing % 64));
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The members in rising order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + use<W> {
        self.0.into_iter().enumerate().flat_map(|(at, mut word)| {
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros() as usize;
                (word != 0).then(|| {
                    word &= word - 1;
                    64 * at + bit
                })
            })
        })
    }

    /// The sum of the members' numbers in a row of a table.
    pub(crate) fn sum(&self, row: &[i64]) -> i64 {
        self.iter().map(|thing| row[thing]).sum()
    }

    fn by_word(mut self, other: &Self, join: impl Fn(u64, u64) -> u64) -> Self {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a = join(*a, *b);
        }
        self
    }
}

impl<const W: usize> BitAnd for Set<W> {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.by_word(&other, |a, b| a & b)
    }
}

impl<const W: usize> BitOr for Set<W> {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.by_word(&other, |a, b| a | b)
    }
}

impl<const W: usize> Sub for Set<W> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.by_word(&other, |a, b| a & !b)
    }
}
