//! Operation counts by FORM's rule.

use super::polynomial::Polynomial;
use std::fmt;
use std::ops::AddAssign;

/// Operations of an expression or of straight-line code, counted as FORM does.
///
/// - A sum of n terms has n - 1 additions or subtractions; a unary minus is free.
/// - A product of n factors has n - 1 multiplications; a coefficient other than 1 and -1, integer or fraction, is one
///   factor, and `x^2` is two.
/// - A power `x^n` with n >= 3 costs `floor(log2 n) + popcount(n) - 1` multiplications, kept apart.
///
/// ```
/// use soloist_expressions::Counts;
/// let counts = Counts { additions: 2, multiplications: 3, powers: 4, power_multiplications: 12 };
/// assert_eq!(counts.to_string(), "4P 3M 2A : 17");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    /// Additions and subtractions.
    pub additions: u64,
    /// Multiplications outside powers.
    pub multiplications: u64,
    /// Powers with an exponent of 3 or more.
    pub powers: u64,
    /// The multiplications that these powers cost.
    pub power_multiplications: u64,
}

impl Counts {
    /// All operations.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.additions + self.multiplications + self.power_multiplications
    }

    /// Counts the operations inside a power. The product around it counts the `*`.
    pub(crate) fn power(&mut self, exponent: u32) {
        if exponent == 2 {
            self.multiplications += 1;
        } else if exponent > 2 {
            self.powers += 1;
            self.power_multiplications += power_cost(exponent);
        }
    }

    /// The count of a polynomial as a sum of monomials, nothing shared between terms.
    #[must_use]
    pub fn of_polynomial(polynomial: &Polynomial) -> Self {
        let mut counts = Self { additions: (polynomial.len() as u64).saturating_sub(1), ..Self::default() };
        for (row, value) in polynomial.terms() {
            let mut factors = 0_u64;
            for &exponent in row.iter().filter(|&&exponent| exponent > 0) {
                factors += 1;
                counts.power(exponent.into());
            }
            counts.multiplications += (factors + u64::from(!value.is_unit())).saturating_sub(1);
        }
        counts
    }
}

/// Multiplications of a power by repeated squaring, as FORM counts them: floor(log2 `exponent`) + (its ones in binary)
/// - 1; 0 for the exponents 0 and 1.
#[must_use]
pub fn power_cost(exponent: u32) -> u64 {
    u64::from(exponent.max(1).ilog2() + exponent.count_ones()).saturating_sub(1)
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.additions += other.additions;
        self.multiplications += other.multiplications;
        self.powers += other.powers;
        self.power_multiplications += other.power_multiplications;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (powers, multiplications, additions) = (self.powers, self.multiplications, self.additions);
        write!(f, "{powers}P {multiplications}M {additions}A : {}", self.total())
    }
}
