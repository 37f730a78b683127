//! The terms of a system of polynomials as the search for orders needs them: exponents, and two numbers a coefficient.

use super::field;
use crate::algebra::power_cost;

/// The most terms.
pub const MAX_TERMS: usize = 1 << 28;

/// The terms of one or several polynomials over the same variables, in any order, each monomial of a polynomial once.
///
/// Coefficients are integers. (A polynomial with rational coefficients is first multiplied by their common denominator,
/// which changes only its content.) Each is stored as the residue modulo 2^61 - 1 and the absolute value. Memory: for
/// each term 20 bytes and 2 for each variable.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    variables: usize,
    /// Row-major: `variables` numbers for each term.
    exponents: Vec<u16>,
    residues: Vec<u64>,
    sizes: Vec<u64>,
    outputs: Vec<u32>,
}

impl Terms {
    /// No terms in `variables` variables.
    #[must_use]
    pub fn new(variables: usize) -> Self {
        Self { variables, ..Self::default() }
    }

    /// One polynomial with 64-bit coefficients; zero coefficients are left out. `exponents` holds a row of `variables`
    /// numbers for each coefficient.
    ///
    /// # Errors
    /// As [`push`](Self::push), and if the numbers of exponents and coefficients do not match.
    ///
    /// ```
    /// use soloist_expressions::scheme::{Options, Scheme, Terms};
    /// // x^2 y + 2 x y + y: y (x (x + 2) + 1) has four operations, x (x y + 2 y) + y has five.
    /// let terms = Terms::from_integers(2, &[2, 1, 1, 1, 0, 1], &[1, 2, 1]).unwrap();
    /// let scheme = Scheme::new(&terms, &Options::default());
    /// assert_eq!([scheme.cost(&[1, 0]), scheme.cost(&[0, 1])], [4, 5]);
    /// ```
    pub fn from_integers(variables: usize, exponents: &[u16], coefficients: &[i64]) -> Result<Self, String> {
        if variables.checked_mul(coefficients.len()) != Some(exponents.len()) {
            let (count, terms) = (exponents.len(), coefficients.len());
            return Err(format!("{count} exponents for {terms} terms in {variables} variables"));
        }
        let mut terms = Self::new(variables);
        for (at, &coefficient) in coefficients.iter().enumerate().filter(|(_, coefficient)| **coefficient != 0) {
            let row = &exponents[at * variables..(at + 1) * variables];
            terms.push(0, row, field::signed(coefficient), coefficient.unsigned_abs())?;
        }
        Ok(terms)
    }

    /// Adds a term of polynomial number `output` (from 0): its exponents, its coefficient modulo 2^61 - 1, and the
    /// coefficient's absolute value `size`.
    ///
    /// For an integer of more than 64 bits, `size` may be its greatest common divisor with a number that is the same
    /// for all such integers. Common factors beyond that number are then not recognised.
    ///
    /// # Errors
    /// One line: a row whose length is not the number of variables, a residue of 0 (the modulus divides the
    /// coefficient) or not below the modulus, a size of 0, more than [`MAX_TERMS`].
    pub fn push(&mut self, output: u32, exponents: &[u16], residue: u64, size: u64) -> Result<(), String> {
        if exponents.len() != self.variables {
            return Err(format!("{} exponents in {} variables", exponents.len(), self.variables));
        }
        if residue == 0 || residue >= field::MODULUS || size == 0 {
            return Err("a coefficient that is zero modulo 2^61 - 1".into());
        }
        if self.len() >= MAX_TERMS {
            return Err(format!("more than {MAX_TERMS} terms"));
        }
        self.exponents.extend_from_slice(exponents);
        self.residues.push(residue);
        self.sizes.push(size);
        self.outputs.push(output);
        Ok(())
    }

    /// The number of variables, including those that occur in no term.
    #[must_use]
    pub fn variables(&self) -> usize {
        self.variables
    }

    /// The number of terms of all polynomials.
    #[must_use]
    pub fn len(&self) -> usize {
        self.residues.len()
    }

    /// Whether there are no terms.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.residues.is_empty()
    }

    /// The exponents of term `at`.
    #[must_use]
    pub fn row(&self, at: usize) -> &[u16] {
        &self.exponents[at * self.variables..(at + 1) * self.variables]
    }

    pub(crate) fn residue(&self, at: usize) -> u64 {
        self.residues[at]
    }

    pub(crate) fn size(&self, at: usize) -> u64 {
        self.sizes[at]
    }

    pub(crate) fn output(&self, at: usize) -> u32 {
        self.outputs[at]
    }

    /// The number of terms in which each variable occurs.
    #[must_use]
    pub fn occurrences(&self) -> Vec<u64> {
        let mut counts = vec![0; self.variables];
        for at in 0..self.len() {
            for (count, &exponent) in counts.iter_mut().zip(self.row(at)) {
                *count += u64::from(exponent > 0);
            }
        }
        counts
    }

    /// The operations of the polynomials as sums of monomials, nothing shared: an addition for each term but the first,
    /// a multiplication for each factor of a term but the first (a coefficient other than 1 and -1 is a factor), and
    /// powers by [`power_cost`].
    #[must_use]
    pub fn operations(&self) -> u64 {
        let mut sum = 0;
        for at in 0..self.len() {
            let mut factors = u64::from(self.sizes[at] != 1);
            for &exponent in self.row(at).iter().filter(|&&exponent| exponent > 0) {
                factors += 1;
                sum += power_cost(exponent.into());
            }
            sum += factors.saturating_sub(1);
        }
        let mut outputs = self.outputs.clone();
        outputs.sort_unstable();
        outputs.dedup();
        sum + (self.len() - outputs.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_by_hand() {
        // x^7*y^3+2*x^7-5*y^3 and x^3*y^2+x^2*y+x^3*z, as FORM counts them.
        let terms = Terms::from_integers(2, &[7, 3, 7, 0, 0, 3], &[1, 2, -5]).unwrap();
        assert_eq!(terms.operations(), 17);
        let terms = Terms::from_integers(3, &[3, 2, 0, 2, 1, 0, 3, 0, 1], &[1, 1, 1]).unwrap();
        assert_eq!(terms.operations(), 11);
        assert_eq!([0, 1, 2, 3, 4, 15, 16].map(power_cost), [0, 0, 1, 2, 2, 6, 4]);
        // -x-y
        assert_eq!(Terms::from_integers(2, &[1, 0, 0, 1], &[-1, -1]).unwrap().operations(), 1);
        assert_eq!(Terms::new(3).operations(), 0);
    }

    #[test]
    fn invalid_terms_are_refused() {
        assert!(Terms::from_integers(2, &[1, 2, 3], &[1]).is_err());
        assert_eq!(Terms::from_integers(1, &[1, 2], &[0, 1]).unwrap().len(), 1);
        let mut terms = Terms::new(1);
        for (row, residue, size) in [(&[1, 1][..], 1, 1), (&[1], 0, 1), (&[1], field::MODULUS, 1), (&[1], 1, 0)] {
            assert!(terms.push(0, row, residue, size).is_err());
        }
        assert!(Terms::from_integers(1, &[1], &[(1 << 61) - 1]).is_err());
    }
}
