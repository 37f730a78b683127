//! Whole numbers from the text of an instance, with one line of text where they are wrong.

use std::ops::RangeInclusive;

/// Larger numbers are refused, so that no sum of the models overflows.
const LARGEST: i64 = 10_000_000;

/// The words of a text, read one after the other.
pub(crate) struct Words<'a> {
    words: std::str::SplitWhitespace<'a>,
    read: usize,
}

impl<'a> Words<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { words: text.split_whitespace(), read: 0 }
    }

    pub(crate) fn word(&mut self) -> Option<&'a str> {
        self.read += 1;
        self.words.next()
    }

    fn fault(&self, what: impl std::fmt::Display) -> String {
        format!("word {}: {what}", self.read)
    }

    pub(crate) fn number(&mut self, range: RangeInclusive<i64>) -> Result<i64, String> {
        let word = self.word().ok_or_else(|| self.fault("the text ends where a number is due"))?;
        let number = word.parse::<i64>().map_err(|_| self.fault(format!("{word:?} is not a whole number")))?;
        if range.contains(&number) {
            return Ok(number);
        }
        Err(self.fault(format!("{number} is not in {} to {}", range.start(), range.end())))
    }

    /// A number of things, at least `least`, for sets of `W` words.
    pub(crate) fn count<const W: usize>(&mut self, least: usize) -> Result<usize, String> {
        Ok(self.number(least as i64..=64 * W as i64)? as usize)
    }

    /// A number of lines that follow.
    pub(crate) fn lines(&mut self) -> Result<usize, String> {
        Ok(self.number(0..=LARGEST)? as usize)
    }

    /// One of `count` things that the file counts from one.
    pub(crate) fn index(&mut self, count: usize) -> Result<usize, String> {
        Ok(self.number(1..=count as i64)? as usize - 1)
    }

    pub(crate) fn any(&mut self) -> Result<i64, String> {
        self.number(-LARGEST..=LARGEST)
    }

    /// Numbers that are not negative.
    pub(crate) fn row(&mut self, count: usize) -> Result<Vec<i64>, String> {
        (0..count).map(|_| self.number(0..=LARGEST)).collect()
    }

    /// A table of numbers that are not negative.
    pub(crate) fn table(&mut self, rows: usize, columns: usize) -> Result<Vec<Vec<i64>>, String> {
        (0..rows).map(|_| self.row(columns)).collect()
    }

    pub(crate) fn has_more(&self) -> bool {
        self.words.clone().next().is_some()
    }

    pub(crate) fn end(&mut self) -> Result<(), String> {
        match self.word() {
            Some(word) => Err(self.fault(format!("{word:?} behind the end of the instance"))),
            None => Ok(()),
        }
    }
}

/// That the product of two sums, which no cost exceeds, can be computed.
pub(crate) fn fits(first: &[i64], second: impl IntoIterator<Item = i64>) -> Result<(), String> {
    let product = first.iter().sum::<i64>().checked_mul(second.into_iter().sum());
    product.map(|_| ()).ok_or_else(|| "the numbers are too large: costs would overflow".to_owned())
}
