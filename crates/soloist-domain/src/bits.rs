//! Sets of small numbers as words.

/// Returns the positions of a word's set bits, ascending.
#[inline(always)]
pub fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        (word != 0).then(|| {
            word &= word - 1;
            bit
        })
    })
}

#[cfg(test)]
mod tests {
    use super::bits;

    #[test]
    fn positions_ascend() {
        assert_eq!(bits(0).count(), 0);
        assert_eq!(bits(1 << 63 | 0b1101).collect::<Vec<_>>(), [0, 2, 3, 63]);
        assert!(bits(u64::MAX).eq(0..64));
    }
}
