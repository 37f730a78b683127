//! Sparse distributed polynomials.

use super::number::Coefficient;
use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;

/// The most variables of a polynomial.
pub const MAX_VARIABLES: usize = 4096;
/// The largest exponent of a variable.
pub const MAX_EXPONENT: u16 = u16::MAX;

/// A polynomial as a sorted list of terms over a table of variables that several polynomials may share.
///
/// Canonical: terms in falling lexicographic order of their exponents, each monomial once, no zero coefficient. Memory
/// per term: 2 bytes per variable and 24 for the coefficient.
///
/// ```
/// use soloist_expressions::{Coefficient, Polynomial};
/// let names = vec!["x".to_owned(), "y".to_owned()];
/// // 2 x y^2 + 3 - x y^2
/// let exponents = vec![1, 2, 0, 0, 1, 2];
/// let coefficients = [2, 3, -1].map(Coefficient::from).to_vec();
/// let f = Polynomial::new(names.into(), exponents, coefficients).unwrap();
/// assert_eq!(f.to_string(), "x*y^2+3");
/// assert_eq!(f.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polynomial {
    variables: Arc<[String]>,
    /// Row-major: one row of `variables.len()` exponents for each term.
    exponents: Vec<u16>,
    coefficients: Vec<Coefficient>,
}

impl Polynomial {
    /// The polynomial with these terms: `exponents` holds one row of `variables.len()` numbers for each coefficient.
    /// Terms come in any order, equal monomials are added. O(t log t) for t terms.
    ///
    /// # Errors
    /// One line: another number of exponents than coefficients times variables, or more than [`MAX_VARIABLES`].
    pub fn new(variables: Arc<[String]>, exponents: Vec<u16>, coefficients: Vec<Coefficient>) -> Result<Self, String> {
        let n = variables.len();
        if n > MAX_VARIABLES {
            return Err(format!("{n} variables, at most {MAX_VARIABLES} are allowed"));
        }
        if n.checked_mul(coefficients.len()) != Some(exponents.len()) {
            return Err(format!("{} exponents for {} terms in {n} variables", exponents.len(), coefficients.len()));
        }
        let mut result = Self { variables, exponents, coefficients };
        result.canonicalize();
        Ok(result)
    }

    /// The constant `value` over `variables`.
    #[must_use]
    pub fn constant(variables: Arc<[String]>, value: Coefficient) -> Self {
        let zero = value.is_zero();
        let exponents = if zero { Vec::new() } else { vec![0; variables.len()] };
        Self { variables, exponents, coefficients: if zero { Vec::new() } else { vec![value] } }
    }

    fn canonicalize(&mut self) {
        let n = self.variables.len();
        let row = |at: usize| &self.exponents[at * n..(at + 1) * n];
        let sorted = (1..self.len()).all(|at| row(at - 1) > row(at));
        if sorted && self.coefficients.iter().all(|value| !value.is_zero()) {
            return;
        }
        let mut order: Vec<usize> = (0..self.len()).collect();
        soloist::order::sort_by(&mut order, |&a, &b| row(b).cmp(row(a)));
        let mut exponents = Vec::with_capacity(self.exponents.len());
        let mut coefficients: Vec<Coefficient> = Vec::with_capacity(self.len());
        for at in order {
            let same = !coefficients.is_empty() && exponents[exponents.len() - n..] == *row(at);
            if same {
                let last = coefficients.last_mut().expect("a term was written");
                *last = last.add(&self.coefficients[at]);
                continue;
            }
            if coefficients.last().is_some_and(Coefficient::is_zero) {
                coefficients.pop();
                exponents.truncate(exponents.len() - n);
            }
            exponents.extend_from_slice(row(at));
            coefficients.push(self.coefficients[at].clone());
        }
        if coefficients.last().is_some_and(Coefficient::is_zero) {
            coefficients.pop();
            exponents.truncate(exponents.len() - n);
        }
        (self.exponents, self.coefficients) = (exponents, coefficients);
    }

    /// The names of the variables. Some may occur in no term.
    #[must_use]
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// The shared table behind [`variables`](Self::variables).
    #[must_use]
    pub fn table(&self) -> &Arc<[String]> {
        &self.variables
    }

    /// The number of terms.
    #[must_use]
    pub fn len(&self) -> usize {
        self.coefficients.len()
    }

    /// Whether the polynomial is 0.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.coefficients.is_empty()
    }

    /// The exponents of term `at`, one for each variable.
    #[must_use]
    pub fn row(&self, at: usize) -> &[u16] {
        let n = self.variables.len();
        &self.exponents[at * n..(at + 1) * n]
    }

    /// All exponents, row by row.
    #[must_use]
    pub fn exponents(&self) -> &[u16] {
        &self.exponents
    }

    /// The coefficients, term by term.
    #[must_use]
    pub fn coefficients(&self) -> &[Coefficient] {
        &self.coefficients
    }

    /// The terms: exponents, one for each variable, and coefficient.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = (&[u16], &Coefficient)> {
        // Not `chunks`: there may be no variables.
        self.coefficients.iter().enumerate().map(|(at, value)| (self.row(at), value))
    }

    /// The content: the positive gcd of all coefficients, with the sign of the first term's; 0 for the polynomial 0.
    /// Dividing by it leaves coprime integers, the first of them positive.
    #[must_use]
    pub fn content(&self) -> Coefficient {
        let mut content = Coefficient::ZERO;
        for value in &self.coefficients {
            content = content.gcd(value);
            if content == Coefficient::ONE && self.coefficients.iter().all(Coefficient::is_integer) {
                break;
            }
        }
        content.with_sign(self.coefficients.first().is_some_and(Coefficient::is_negative))
    }

    /// In how many terms each variable occurs.
    #[must_use]
    pub fn occurrences(&self) -> Vec<usize> {
        let mut counts = vec![0; self.variables.len()];
        for (row, _) in self.terms() {
            for (count, &exponent) in counts.iter_mut().zip(row) {
                *count += usize::from(exponent > 0);
            }
        }
        counts
    }

    /// The largest total degree of a term.
    #[must_use]
    pub fn degree(&self) -> u64 {
        self.terms().map(|(row, _)| row.iter().map(|&exponent| u64::from(exponent)).sum()).max().unwrap_or(0)
    }

    /// The sum of two polynomials over the same table.
    ///
    /// # Panics
    /// If the tables differ.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        assert_eq!(self.variables, other.variables, "polynomials over one table");
        let exponents = [&self.exponents[..], &other.exponents].concat();
        let coefficients = [&self.coefficients[..], &other.coefficients].concat();
        let mut sum = Self { variables: Arc::clone(&self.variables), exponents, coefficients };
        sum.canonicalize();
        sum
    }

    /// The polynomial times a number.
    #[must_use]
    pub fn scale(&self, factor: &Coefficient) -> Self {
        if factor.is_zero() {
            return Self::constant(Arc::clone(&self.variables), Coefficient::ZERO);
        }
        let coefficients = self.coefficients.iter().map(|value| value.mul(factor)).collect();
        Self { variables: Arc::clone(&self.variables), exponents: self.exponents.clone(), coefficients }
    }

    /// The product of two polynomials over the same table; `None` when an exponent exceeds [`MAX_EXPONENT`] or more
    /// than `limit` products of terms would be formed.
    ///
    /// # Panics
    /// If the tables differ.
    #[must_use]
    pub fn mul(&self, other: &Self, limit: usize) -> Option<Self> {
        assert_eq!(self.variables, other.variables, "polynomials over one table");
        let products = self.len().checked_mul(other.len()).filter(|&products| products <= limit)?;
        let mut exponents = Vec::with_capacity(products.checked_mul(self.variables.len())?);
        let mut coefficients = Vec::with_capacity(products);
        for (left, a) in self.terms() {
            for (right, b) in other.terms() {
                for (&x, &y) in left.iter().zip(right) {
                    exponents.push(x.checked_add(y)?);
                }
                coefficients.push(a.mul(b));
            }
        }
        let mut product = Self { variables: Arc::clone(&self.variables), exponents, coefficients };
        product.canonicalize();
        Some(product)
    }

    /// The same polynomial over a longer table that starts with this one's variables.
    ///
    /// # Panics
    /// If `table` does not start with the variables.
    #[must_use]
    pub fn over(&self, table: &Arc<[String]>) -> Self {
        let n = self.variables.len();
        assert!(table.len() >= n && table[..n] == self.variables[..], "a longer table");
        let mut exponents = Vec::with_capacity(table.len() * self.len());
        for (row, _) in self.terms() {
            exponents.extend_from_slice(row);
            exponents.resize(exponents.len() + table.len() - n, 0);
        }
        Self { variables: Arc::clone(table), exponents, coefficients: self.coefficients.clone() }
    }
}

impl fmt::Display for Polynomial {
    /// As one line, `x*y^2-3/7*x+3`; the zero polynomial is `0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("0");
        }
        let mut text = String::new();
        for (at, (row, value)) in self.terms().enumerate() {
            text.clear();
            if value.is_negative() {
                text.push('-');
            } else if at > 0 {
                text.push('+');
            }
            write_term(&mut text, &self.variables, row, &value.abs());
            f.write_str(&text)?;
        }
        Ok(())
    }
}

/// Appends `3*x*y^2` to `text`; `value` is positive, and left out when it is 1 and a variable follows.
pub(crate) fn write_term(text: &mut String, variables: &[String], row: &[u16], value: &Coefficient) {
    let mut first = true;
    if *value != Coefficient::ONE || row.iter().all(|&exponent| exponent == 0) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{value}");
        first = false;
    }
    for (name, &exponent) in variables.iter().zip(row) {
        if exponent > 0 {
            text.push_str(if first { "" } else { "*" });
            text.push_str(name);
            first = false;
            if exponent > 1 {
                let _ = write!(text, "^{exponent}");
            }
        }
    }
}
