//! Sums of monomials over a growing table of symbols.

use crate::algebra::Coefficient;

/// A power of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Factor {
    pub(super) symbol: u16,
    pub(super) exponent: u16,
}

/// A sum of monomials. The factors of a monomial have ascending symbols. 4 bytes a factor and 28 a term.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Sum {
    pub(super) factors: Vec<Factor>,
    /// The end of the factors of each term.
    pub(super) ends: Vec<u32>,
    pub(super) values: Vec<Coefficient>,
}

/// The error of an exponent or a list that exceeds what a polynomial can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Sum {
    pub(super) fn constant(value: Coefficient) -> Self {
        if value.is_zero() { Self::default() } else { Self { factors: Vec::new(), ends: vec![0], values: vec![value] } }
    }

    pub(super) fn symbol(symbol: u16) -> Self {
        Self { factors: vec![Factor { symbol, exponent: 1 }], ends: vec![1], values: vec![Coefficient::ONE] }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn row(&self, at: usize) -> &[Factor] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] as usize };
        &self.factors[start..self.ends[at] as usize]
    }

    /// Ends the present term: sorts and merges the factors pushed since the last end.
    pub(super) fn close(&mut self, value: Coefficient) -> Result<(), TooLarge> {
        let start = self.ends.last().map_or(0, |&end| end as usize);
        let factors = &mut self.factors[start..];
        if !factors.windows(2).all(|pair| pair[0].symbol < pair[1].symbol) {
            factors.sort_unstable_by_key(|factor| factor.symbol);
            let mut kept = start;
            for at in start + 1..self.factors.len() {
                if self.factors[kept].symbol == self.factors[at].symbol {
                    let sum = self.factors[kept].exponent.checked_add(self.factors[at].exponent);
                    self.factors[kept].exponent = sum.ok_or(TooLarge)?;
                } else {
                    kept += 1;
                    self.factors[kept] = self.factors[at];
                }
            }
            self.factors.truncate(kept + 1);
        }
        if value.is_zero() {
            self.factors.truncate(start);
            return Ok(());
        }
        self.ends.push(u32::try_from(self.factors.len()).map_err(|_| TooLarge)?);
        self.values.push(value);
        Ok(())
    }

    /// Appends all terms of `other`, times `factor`.
    pub(super) fn append(&mut self, other: &Self, factor: &Coefficient) -> Result<(), TooLarge> {
        for at in 0..other.len() {
            self.factors.extend_from_slice(other.row(at));
            self.close(other.values[at].mul(factor))?;
        }
        Ok(())
    }

    /// Sorts the terms and adds equal monomials.
    pub(super) fn normalize(&mut self) -> Result<(), TooLarge> {
        if (1..self.len()).all(|at| self.row(at - 1) < self.row(at)) {
            return Ok(());
        }
        let mut order: Vec<usize> = (0..self.len()).collect();
        soloist::order::sort_by(&mut order, |&a, &b| self.row(a).cmp(self.row(b)));
        let mut result = Self::default();
        let mut at = 0;
        while at < order.len() {
            let mut value = self.values[order[at]].clone();
            let row = self.row(order[at]);
            at += 1;
            while at < order.len() && self.row(order[at]) == row {
                value = value.add(&self.values[order[at]]);
                at += 1;
            }
            result.factors.extend_from_slice(row);
            result.close(value)?;
        }
        *self = result;
        Ok(())
    }

    /// The product, with equal monomials added.
    pub(super) fn mul(&self, other: &Self) -> Result<Self, TooLarge> {
        let mut result = Self::default();
        for a in 0..self.len() {
            for b in 0..other.len() {
                result.factors.extend_from_slice(self.row(a));
                result.factors.extend_from_slice(other.row(b));
                result.close(self.values[a].mul(&other.values[b]))?;
            }
        }
        result.normalize()?;
        Ok(result)
    }

    /// The sum with powers of the imaginary unit, which `unit` stands for, reduced to the first.
    pub(super) fn reduced(self, unit: u16) -> Self {
        if !self.factors.iter().any(|factor| factor.symbol == unit && factor.exponent > 1) {
            return self;
        }
        let mut result = Self::default();
        for at in 0..self.len() {
            let mut negative = false;
            for &factor in self.row(at) {
                if factor.symbol == unit {
                    negative = factor.exponent % 4 >= 2;
                    if factor.exponent % 2 == 0 {
                        continue;
                    }
                    result.factors.push(Factor { exponent: 1, ..factor });
                } else {
                    result.factors.push(factor);
                }
            }
            result.ends.push(result.factors.len() as u32);
            result.values.push(self.values[at].with_sign(negative));
        }
        result
    }

    /// An estimate of the bits that a factor of this sum adds to the coefficients of a product.
    pub(super) fn bits(&self) -> u64 {
        let most = self.values.iter().map(Coefficient::bits).max().unwrap_or(0);
        most + u64::from(usize::BITS - self.len().saturating_sub(1).leading_zeros())
    }

    /// The content with the sign of the first term. The sum must be normalized.
    pub(super) fn content(&self) -> Coefficient {
        let content = self.values.iter().fold(Coefficient::ZERO, |content, value| content.gcd(value));
        content.with_sign(self.values.first().is_some_and(Coefficient::is_negative))
    }

    /// Divides all coefficients by a number that is not zero.
    pub(super) fn divide(&mut self, by: &Coefficient) {
        if *by == Coefficient::ONE {
            return;
        }
        for value in &mut self.values {
            if let Some(quotient) = value.div(by) {
                *value = quotient;
            }
        }
    }
}

/// The most terms that the power `exponent` of a sum of `terms` monomials can have; `None` above `limit`.
pub(super) fn power_terms(terms: usize, exponent: u32, limit: usize) -> Option<usize> {
    // The binomial of terms + exponent - 1 over exponent, factor by factor; it never falls.
    let mut count: u128 = 1;
    for k in 1..=u128::from(exponent) {
        count = count * (terms as u128 + k - 1) / k;
        if count > limit as u128 {
            return None;
        }
        if terms <= 1 {
            break;
        }
    }
    usize::try_from(count).ok()
}
