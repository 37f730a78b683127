//! Exact rational numbers with a fast path for small ones.

use super::euclid;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// An exact rational number.
///
/// Numerator and denominator are held in 64 bits when both fit, which is nearly always, and as big integers otherwise.
/// Always in lowest terms with a positive denominator, and small whenever it fits: equal numbers have equal
/// representations, so that `Eq` and `Hash` are those of the value.
///
/// ```
/// use soloist_expressions::Coefficient;
/// let third = Coefficient::ratio(2, 6).unwrap();
/// assert_eq!(third.to_string(), "1/3");
/// assert!(third.sub(&third).is_zero());
/// assert_eq!(third.mul(&Coefficient::from(-9)), Coefficient::from(-3));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Coefficient(Repr);

/// Numerator and denominator.
type Pair = (BigInt, BigInt);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Numerator (never `i64::MIN`, so that it can be negated) and denominator (positive).
    Small(i64, i64),
    Big(Box<BigRational>),
}

impl Coefficient {
    /// Zero.
    pub const ZERO: Self = Self(Repr::Small(0, 1));
    /// One.
    pub const ONE: Self = Self(Repr::Small(1, 1));

    /// `numerator / denominator`; `None` when the denominator is zero.
    #[must_use]
    pub fn ratio(numerator: i64, denominator: i64) -> Option<Self> {
        (denominator != 0).then(|| Self::from_wide(numerator.into(), denominator.into()))
    }

    /// `numerator / denominator` in big integers; `None` when the denominator is zero.
    #[must_use]
    pub fn big_ratio(numerator: BigInt, denominator: BigInt) -> Option<Self> {
        (!denominator.is_zero()).then(|| Self::reduced(numerator, denominator))
    }

    /// A quotient in lowest terms; the denominator is not zero.
    ///
    /// Here and below the greatest common divisors are [ours](euclid::gcd): those of `BigRational` take a step for each
    /// bit.
    fn reduced(numerator: BigInt, denominator: BigInt) -> Self {
        let common = euclid::gcd(numerator.magnitude(), denominator.magnitude());
        let common = BigInt::from_biguint(denominator.sign(), common);
        let (numerator, denominator) =
            if common.is_one() { (numerator, denominator) } else { (numerator / &common, denominator / common) };
        Self::from_big(BigRational::new_raw(numerator, denominator))
    }

    /// The quotient of two numbers whose products fit in 128 bits; the denominator is not zero.
    fn from_wide(numerator: i128, denominator: i128) -> Self {
        let common = gcd(numerator.unsigned_abs(), denominator.unsigned_abs());
        // A common factor of 2^127 would need both to be i128::MIN, which no product of 64-bit numbers is.
        let common = if denominator < 0 { -(common as i128) } else { common as i128 };
        let (numerator, denominator) = (numerator / common, denominator / common);
        match (i64::try_from(numerator), i64::try_from(denominator)) {
            (Ok(small), Ok(below)) if small != i64::MIN => Self(Repr::Small(small, below)),
            _ => Self(Repr::Big(Box::new(BigRational::new_raw(numerator.into(), denominator.into())))),
        }
    }

    /// Makes the representation small if possible; `value` is in lowest terms.
    fn from_big(value: BigRational) -> Self {
        match (i64::try_from(value.numer()), i64::try_from(value.denom())) {
            (Ok(numerator), Ok(denominator)) if numerator != i64::MIN => Self(Repr::Small(numerator, denominator)),
            _ => Self(Repr::Big(Box::new(value))),
        }
    }

    /// The number with big numerator and denominator.
    #[must_use]
    pub fn to_big(&self) -> BigRational {
        match &self.0 {
            Repr::Small(numerator, denominator) => BigRational::new_raw((*numerator).into(), (*denominator).into()),
            Repr::Big(value) => (**value).clone(),
        }
    }

    /// Numerator and denominator when both fit in 64 bits; the denominator is positive.
    #[must_use]
    pub fn small(&self) -> Option<(i64, i64)> {
        match self.0 {
            Repr::Small(numerator, denominator) => Some((numerator, denominator)),
            Repr::Big(_) => None,
        }
    }

    /// The bits of numerator and denominator; 0 for 1 and -1.
    pub(crate) fn bits(&self) -> u64 {
        let small = |value: i64| u64::from(63 - value.unsigned_abs().max(1).leading_zeros());
        match &self.0 {
            Repr::Small(above, below) => small(*above) + small(*below),
            Repr::Big(value) => value.numer().bits() + value.denom().bits(),
        }
    }

    /// Whether it is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0 == Repr::Small(0, 1)
    }

    /// Whether it is 1 or -1: such a factor costs no operation.
    #[must_use]
    pub fn is_unit(&self) -> bool {
        matches!(self.0, Repr::Small(1 | -1, 1))
    }

    /// Whether it is below 0.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(numerator, _) => *numerator < 0,
            Repr::Big(value) => value.is_negative(),
        }
    }

    /// Whether it is an integer.
    #[must_use]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small(_, denominator) => *denominator == 1,
            Repr::Big(value) => value.is_integer(),
        }
    }

    /// The number with the other sign.
    #[must_use]
    pub fn neg(&self) -> Self {
        match &self.0 {
            Repr::Small(numerator, denominator) => Self(Repr::Small(-numerator, *denominator)),
            Repr::Big(value) => Self::from_big(-(**value).clone()),
        }
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(&self) -> Self {
        if self.is_negative() { self.neg() } else { self.clone() }
    }

    /// The number, negated if `negative`.
    #[must_use]
    pub fn with_sign(&self, negative: bool) -> Self {
        if negative { self.neg() } else { self.clone() }
    }

    /// The sum of two numbers.
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        if let (&Repr::Small(a, b), &Repr::Small(c, d)) = (&self.0, &other.0) {
            let (a, b, c, d) = (i128::from(a), i128::from(b), i128::from(c), i128::from(d));
            // Both products stay below 2^126.
            return Self::from_wide(a * d + c * b, b * d);
        }
        self.whole(other, |a, b| Some(a + b)).unwrap_or_else(|| {
            let ((a, b), (c, d)): (Pair, Pair) = (self.to_big().into(), other.to_big().into());
            Self::reduced(a * &d + c * &b, b * d)
        })
    }

    /// Combines two integers. `None`: one is a fraction, or `combine` returns `None`. A fraction has to be brought to
    /// lowest terms, which takes far longer than the sum or product of large numbers.
    fn whole(&self, other: &Self, combine: impl Fn(&BigInt, &BigInt) -> Option<BigInt>) -> Option<Self> {
        if !(self.is_integer() && other.is_integer()) {
            return None;
        }
        let value = match (&self.0, &other.0) {
            (Repr::Small(a, _), Repr::Small(b, _)) => combine(&(*a).into(), &(*b).into()),
            (Repr::Small(a, _), Repr::Big(b)) => combine(&(*a).into(), b.numer()),
            (Repr::Big(a), Repr::Small(b, _)) => combine(a.numer(), &(*b).into()),
            (Repr::Big(a), Repr::Big(b)) => combine(a.numer(), b.numer()),
        }?;
        Some(Self::from_big(BigRational::from_integer(value)))
    }

    /// The difference of two numbers.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        self.add(&other.neg())
    }

    /// The product of two numbers.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Self {
        if let (&Repr::Small(a, b), &Repr::Small(c, d)) = (&self.0, &other.0) {
            return Self::from_wide(i128::from(a) * i128::from(c), i128::from(b) * i128::from(d));
        }
        self.whole(other, |a, b| Some(a * b)).unwrap_or_else(|| {
            let ((a, b), (c, d)): (Pair, Pair) = (self.to_big().into(), other.to_big().into());
            Self::reduced(a * c, b * d)
        })
    }

    /// The quotient of two numbers; `None` when `other` is zero.
    #[must_use]
    pub fn div(&self, other: &Self) -> Option<Self> {
        if let (&Repr::Small(a, b), &Repr::Small(c, d)) = (&self.0, &other.0) {
            let below = i128::from(b) * i128::from(c);
            return (below != 0).then(|| Self::from_wide(i128::from(a) * i128::from(d), below));
        }
        if other.is_zero() {
            return None;
        }
        // Most quotients are whole.
        let exact = |a: &BigInt, b: &BigInt| {
            let (quotient, rest) = a.div_rem(b);
            rest.is_zero().then_some(quotient)
        };
        let whole = self.whole(other, exact);
        Some(whole.unwrap_or_else(|| {
            let ((a, b), (c, d)): (Pair, Pair) = (self.to_big().into(), other.to_big().into());
            Self::reduced(a * d, b * c)
        }))
    }

    /// The positive generator of all integer combinations of two numbers: gcd of the numerators over the least common
    /// multiple of the denominators; 0 if both are 0.
    #[must_use]
    pub fn gcd(&self, other: &Self) -> Self {
        if let (&Repr::Small(a, b), &Repr::Small(c, d)) = (&self.0, &other.0) {
            let top = gcd(a.unsigned_abs().into(), c.unsigned_abs().into());
            let (b, d) = (b.unsigned_abs().into(), d.unsigned_abs().into());
            // At most 2^63 * 2^63: fits in 127 bits.
            return Self::from_wide(top as i128, (b / gcd(b, d) * d) as i128);
        }
        if self == other {
            return self.abs();
        }
        let ((a, b), (c, d)): (Pair, Pair) = (self.to_big().into(), other.to_big().into());
        let top = euclid::gcd(a.magnitude(), c.magnitude()).into();
        let below = if b.is_one() && d.is_one() {
            b
        } else {
            let common = euclid::gcd(b.magnitude(), d.magnitude());
            b / BigInt::from(common) * d
        };
        // A numerator and the denominator below it have no common factor.
        Self::from_big(BigRational::new_raw(top, below))
    }

    /// The number as an integer modulo the prime `prime` below 2^63; `None` when the prime divides the denominator.
    #[must_use]
    pub fn modulo(&self, prime: u64) -> Option<u64> {
        let reduce = |wide: i128| wide.rem_euclid(i128::from(prime)) as u64;
        let (top, below) = match &self.0 {
            Repr::Small(numerator, denominator) => (reduce((*numerator).into()), reduce((*denominator).into())),
            Repr::Big(value) => {
                let reduce = |value: &BigInt| {
                    let rest = value.mod_floor(&BigInt::from(prime));
                    u64::try_from(rest).expect("a remainder is below the prime")
                };
                (reduce(value.numer()), reduce(value.denom()))
            }
        };
        if below == 0 {
            return None;
        }
        if below == 1 {
            return Some(top);
        }
        // Fermat: the inverse is the power prime - 2.
        let multiply = |a: u64, b: u64| (u128::from(a) * u128::from(b) % u128::from(prime)) as u64;
        let (mut inverse, mut base, mut exponent) = (1, below, prime - 2);
        while exponent > 0 {
            if exponent & 1 == 1 {
                inverse = multiply(inverse, base);
            }
            base = multiply(base, base);
            exponent >>= 1;
        }
        Some(multiply(top, inverse))
    }
}

/// Greatest common divisor; `gcd(0, 0) = 0`.
fn gcd(mut a: u128, mut b: u128) -> u128 {
    // Numbers that fit in a word, the usual case, are divided much faster as words.
    while b != 0 {
        if let (Ok(mut x), Ok(mut y)) = (u64::try_from(a), u64::try_from(b)) {
            while y != 0 {
                (x, y) = (y, x % y);
            }
            return x.into();
        }
        (a, b) = (b, a % b);
    }
    a
}

impl From<i64> for Coefficient {
    fn from(value: i64) -> Self {
        Self::from_wide(value.into(), 1)
    }
}

impl From<BigInt> for Coefficient {
    fn from(value: BigInt) -> Self {
        Self::from_big(BigRational::from_integer(value))
    }
}

impl FromStr for Coefficient {
    type Err = String;

    /// Reads `3`, `-3/7`, `+12`: what [`Display`](fmt::Display) writes.
    fn from_str(text: &str) -> Result<Self, String> {
        let integer = |text: &str| {
            BigInt::from_str(text).map_err(|_| format!("'{text}' is no number, expected digits or a fraction p/q"))
        };
        let (top, below) = match text.split_once('/') {
            Some((top, below)) => (integer(top)?, integer(below)?),
            None => (integer(text)?, BigInt::one()),
        };
        Self::big_ratio(top, below).ok_or_else(|| format!("'{text}' divides by zero"))
    }
}

impl TryFrom<String> for Coefficient {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Coefficient> for String {
    fn from(value: Coefficient) -> Self {
        value.to_string()
    }
}

impl PartialOrd for Coefficient {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Coefficient {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (&Repr::Small(a, b), &Repr::Small(c, d)) = (&self.0, &other.0) {
            return (i128::from(a) * i128::from(d)).cmp(&(i128::from(c) * i128::from(b)));
        }
        self.to_big().cmp(&other.to_big())
    }
}

impl fmt::Display for Coefficient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(numerator, 1) => write!(f, "{numerator}"),
            Repr::Small(numerator, denominator) => write!(f, "{numerator}/{denominator}"),
            Repr::Big(value) => write!(f, "{value}"),
        }
    }
}

impl fmt::Debug for Coefficient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
