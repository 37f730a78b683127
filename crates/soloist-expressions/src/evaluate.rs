//! The values of a system at a point, for self-tests: exact fractions where there are no functions, double precision
//! elsewhere.

use crate::algebra::{Call, Constant, Function, Polynomial, Relation, System};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Pow, Signed, ToPrimitive, Zero};
use std::ops::{Add, Div, Mul, Sub};

/// Digits of an exact value, more than quadruple precision has.
const DIGITS: i64 = 42;
/// An exact value with more bits is given up for one in double precision.
const MAX_BITS: u64 = 20_000;
/// Systems with more terms are evaluated in double precision.
const MAX_TERMS: usize = 20_000;

/// A point whose inputs are short binary fractions, exact in every type of numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) seed: u64,
}

impl Point {
    /// The real or imaginary parts of the inputs, one after the other: between -1 and 3, positive with even seeds.
    fn parts(self, imaginary: bool) -> impl Iterator<Item = BigRational> {
        let mut rng = soloist::Rng::new(1 + 2 * self.seed + u64::from(imaginary));
        std::iter::repeat_with(move || {
            let value = 1 + (rng.next_u64() % 191) as i64;
            let numerator = if self.seed % 2 == 1 { value / 4 - 24 } else { value };
            BigRational::new(numerator.into(), 64.into())
        })
    }
}

/// A number with what it is made of: the sum of absolute values bounds how far rounding may carry it.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    /// The exact value of a real number.
    pub(crate) exact: Option<BigRational>,
    pub(crate) near: Complex,
    pub(crate) scale: f64,
}

/// A complex number in double precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Complex {
    pub(crate) re: f64,
    pub(crate) im: f64,
}

impl Value {
    fn of(exact: BigRational) -> Self {
        let re = to_f64(&exact);
        Self { exact: Some(exact), near: Complex { re, im: 0.0 }, scale: re.abs() }
    }

    fn about(near: Complex, scale: f64) -> Self {
        Self { exact: None, near, scale: scale.max(near.abs()) }
    }

    pub(crate) fn is_finite(&self) -> bool {
        // A value near the limits of single precision would differ by rounding alone.
        self.near.re.is_finite() && self.near.im.is_finite() && self.scale < 1e30
    }

    /// The real or imaginary part in decimal.
    pub(crate) fn decimal(&self, imaginary: bool) -> String {
        if let (Some(exact), false) = (&self.exact, imaginary) {
            return decimal(exact);
        }
        let part = if imaginary { self.near.im } else { self.near.re };
        format!("{part:.17e}")
    }

    fn plus(self, other: Self) -> Self {
        let scale = self.scale + other.scale;
        let near = self.near + other.near;
        match (self.exact, other.exact) {
            (Some(a), Some(b)) => Self { scale, ..Self::of(a + b) },
            _ => Self::about(near, scale),
        }
    }

    fn times(self, other: &Self) -> Self {
        let scale = self.scale * other.scale;
        let near = self.near * other.near;
        match (self.exact, &other.exact) {
            (Some(a), Some(b)) if a.numer().bits() + b.denom().bits() < MAX_BITS => Self { scale, ..Self::of(a * b) },
            _ => Self::about(near, scale),
        }
    }

    fn inverse(self) -> Self {
        let near = Complex { re: 1.0, im: 0.0 } / self.near;
        // A relative error of the divisor is one of the quotient.
        let scale = near.abs() * (self.scale / self.near.abs()).max(1.0);
        match self.exact {
            Some(exact) if !exact.is_zero() => Self { scale, ..Self::of(exact.recip()) },
            _ => Self::about(near, scale),
        }
    }
}

/// A fraction in double precision, also if its parts are beyond it.
fn to_f64(value: &BigRational) -> f64 {
    let shift = value.numer().bits().max(value.denom().bits()).saturating_sub(900);
    let part = |number: &BigInt| (number >> shift).to_f64().unwrap_or(f64::NAN);
    part(value.numer()) / part(value.denom())
}

fn decimal(value: &BigRational) -> String {
    if value.is_zero() {
        return "0.0".into();
    }
    // Scientific notation with the digits rounded to the nearest.
    let mut exponent = to_f64(&value.abs()).log10().floor() as i64;
    loop {
        let shift = DIGITS - 1 - exponent;
        let ten = BigInt::from(10).pow(shift.unsigned_abs());
        let scaled = if shift >= 0 { value.abs() * ten } else { value.abs() / ten };
        let digits = scaled.round().to_integer().to_string();
        match digits.len() as i64 - DIGITS {
            0 => {
                let sign = if value.is_negative() { "-" } else { "" };
                let (first, rest) = digits.split_at(1);
                let rest = rest.trim_end_matches('0');
                let rest = if rest.is_empty() { "0" } else { rest };
                return format!("{sign}{first}.{rest}e{exponent}");
            }
            more => exponent += more.signum(),
        }
    }
}

/// The values of the inputs and of the outputs; `None`: one of them has no value.
pub(crate) fn evaluate(system: &System, point: Point) -> Option<(Vec<Value>, Vec<Value>)> {
    let count = system.symbols().len();
    let mut run = Run {
        results: system.results().map(|result| &result.polynomial).collect(),
        complex: system.is_complex(),
        values: vec![None; count],
        calls: vec![None; count],
        blocks: vec![None; count],
    };
    for call in system.calls() {
        run.calls[call.symbol] = Some(call);
    }
    for definition in system.definitions() {
        if let Some(symbol) = definition.symbol {
            run.blocks[symbol] = Some(&definition.polynomial);
        }
    }
    let exact = !run.complex && system.terms() <= MAX_TERMS;
    let mut inputs = Vec::new();
    for ((symbol, real), imaginary) in system.given().into_iter().zip(point.parts(false)).zip(point.parts(true)) {
        let mut value = Value::of(real);
        if run.complex {
            let near = Complex { re: value.near.re, im: to_f64(&imaginary) };
            value = Value::about(near, near.abs());
        } else if !exact {
            value = Value::about(value.near, value.scale);
        }
        inputs.push(value.clone());
        run.values[symbol] = Some(value);
    }
    let outputs = system.outputs().map(|output| run.polynomial(&output.polynomial, 0)).collect::<Option<Vec<_>>>()?;
    Some((inputs, outputs))
}

struct Run<'a> {
    /// The polynomials of the outputs and of the arguments of calls.
    results: Vec<&'a Polynomial>,
    complex: bool,
    values: Vec<Option<Value>>,
    calls: Vec<Option<&'a Call>>,
    blocks: Vec<Option<&'a Polynomial>>,
}

/// The deepest nesting of blocks and calls that is followed.
const MAX_DEPTH: usize = 2000;

impl<'a> Run<'a> {
    fn polynomial(&mut self, polynomial: &'a Polynomial, depth: usize) -> Option<Value> {
        let mut sum = Value::of(BigRational::zero());
        for (row, coefficient) in polynomial.terms() {
            let mut product = Value::of(coefficient.to_big());
            for (symbol, &exponent) in row.iter().enumerate().filter(|(_, exponent)| **exponent > 0) {
                let value = self.symbol(symbol, depth + 1)?;
                for _ in 0..exponent {
                    product = product.times(&value);
                }
            }
            sum = sum.plus(product);
        }
        Some(sum)
    }

    fn symbol(&mut self, symbol: usize, depth: usize) -> Option<Value> {
        if let Some(value) = &self.values[symbol] {
            return Some(value.clone());
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let value = match (self.blocks[symbol], self.calls[symbol]) {
            (Some(block), _) => self.polynomial(block, depth)?,
            (None, Some(call)) => {
                let arguments = call.arguments.iter().map(|&at| self.polynomial(self.results[at], depth));
                let arguments = arguments.collect::<Option<Vec<_>>>()?;
                function(call.function, arguments, self.complex)?
            }
            (None, None) => return None,
        };
        self.values[symbol] = Some(value.clone());
        Some(value)
    }
}

/// The value of a function.
fn function(function: Function, mut arguments: Vec<Value>, complex: bool) -> Option<Value> {
    match function {
        Function::Inverse => return arguments.pop().map(Value::inverse),
        Function::Constant(constant) => {
            let near = match constant {
                Constant::Pi => Complex { re: std::f64::consts::PI, im: 0.0 },
                Constant::E => Complex { re: std::f64::consts::E, im: 0.0 },
                Constant::I => Complex { re: 0.0, im: 1.0 },
            };
            return Some(Value::about(near, 0.0));
        }
        Function::Select(relation) => {
            let [left, right, then, other] = <[Value; 4]>::try_from(arguments).ok()?;
            let holds = match (&left.exact, &right.exact) {
                (Some(a), Some(b)) => compare(relation, a.partial_cmp(b)?),
                // Two sides that rounding may exchange decide nothing.
                _ if (left.near - right.near).abs() <= 1e-4 * (left.scale + right.scale) => return None,
                _ => compare(relation, left.near.re.partial_cmp(&right.near.re)?),
            };
            return Some(if holds { then } else { other });
        }
        Function::Root(_) | Function::Power | Function::Named(_) => {}
    }
    let near: Vec<Complex> = arguments.iter().map(|value| value.near).collect();
    let compute = |near: &[Complex]| apply(function, near, complex);
    let value = compute(&near);
    // How much the value moves with the arguments.
    let mut scale = value.abs();
    for (at, argument) in arguments.iter().enumerate() {
        let step = 1e-6 * near[at].abs().max(1e-3);
        let mut moved = near.clone();
        moved[at] = moved[at] + Complex { re: step, im: 0.0 };
        let slope = (compute(&moved) - value).abs() / step;
        scale += if slope.is_finite() { 2.0 * slope * argument.scale } else { argument.scale };
    }
    Some(Value::about(value, scale))
}

fn compare(relation: Relation, order: std::cmp::Ordering) -> bool {
    match relation {
        Relation::Less => order.is_lt(),
        Relation::LessEqual => order.is_le(),
        Relation::Equal => order.is_eq(),
        Relation::NotEqual => order.is_ne(),
    }
}

/// A function of numbers; in real mode no number where the result would be complex.
fn apply(function: Function, of: &[Complex], complex: bool) -> Complex {
    let (a, b) = (of[0], of.get(1).copied().unwrap_or(Complex { re: 0.0, im: 0.0 }));
    if !complex {
        let re = match function {
            Function::Root(2) => a.re.sqrt(),
            Function::Root(degree) => a.re.powf(1.0 / f64::from(degree)),
            Function::Power => a.re.powf(b.re),
            Function::Named(name) => match name {
                "sin" => a.re.sin(),
                "cos" => a.re.cos(),
                "tan" => a.re.tan(),
                "asin" => a.re.asin(),
                "acos" => a.re.acos(),
                "atan" => a.re.atan(),
                "sinh" => a.re.sinh(),
                "cosh" => a.re.cosh(),
                "tanh" => a.re.tanh(),
                "asinh" => a.re.asinh(),
                "acosh" => a.re.acosh(),
                "atanh" => a.re.atanh(),
                "exp" => a.re.exp(),
                "log" => a.re.ln(),
                "abs" => a.re.abs(),
                "floor" => a.re.floor(),
                "ceil" => a.re.ceil(),
                "cbrt" => a.re.cbrt(),
                "atan2" => a.re.atan2(b.re),
                "min" => a.re.min(b.re),
                _ => a.re.max(b.re),
            },
            _ => f64::NAN,
        };
        return Complex { re, im: 0.0 };
    }
    let real = |re: f64| Complex { re, im: 0.0 };
    let (one, unit) = (real(1.0), Complex { re: 0.0, im: 1.0 });
    match function {
        Function::Root(2) => a.sqrt(),
        Function::Root(degree) => (a.log() * real(1.0 / f64::from(degree))).exp(),
        Function::Power => (a.log() * b).exp(),
        Function::Named(name) => match name {
            "exp" => a.exp(),
            "log" => a.log(),
            "abs" => real(a.abs()),
            "sinh" => (a.exp() - a.neg().exp()) * real(0.5),
            "cosh" => (a.exp() + a.neg().exp()) * real(0.5),
            "tanh" => (a.exp() - a.neg().exp()) / (a.exp() + a.neg().exp()),
            "sin" => ((unit * a).exp() - (unit * a).neg().exp()) / (unit * real(2.0)),
            "cos" => ((unit * a).exp() + (unit * a).neg().exp()) * real(0.5),
            "tan" => {
                let (plus, minus) = ((unit * a).exp(), (unit * a).neg().exp());
                (plus - minus) / (unit * (plus + minus))
            }
            "asinh" => (a + (a * a + one).sqrt()).log(),
            "acosh" => (a + (a + one).sqrt() * (a - one).sqrt()).log(),
            "atanh" => ((one + a).log() - (one - a).log()) * real(0.5),
            "asin" => (unit * a + (one - a * a).sqrt()).log() * unit.neg(),
            "acos" => real(std::f64::consts::FRAC_PI_2) + unit * (unit * a + (one - a * a).sqrt()).log(),
            _ => ((one - unit * a).log() - (one + unit * a).log()) * unit * real(0.5),
        },
        _ => real(f64::NAN),
    }
}

impl Complex {
    pub(crate) fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }

    fn neg(self) -> Self {
        Self { re: -self.re, im: -self.im }
    }

    fn exp(self) -> Self {
        let size = self.re.exp();
        Self { re: size * self.im.cos(), im: size * self.im.sin() }
    }

    fn log(self) -> Self {
        Self { re: self.abs().ln(), im: self.im.atan2(self.re) }
    }

    fn sqrt(self) -> Self {
        let half = self.im.atan2(self.re) / 2.0;
        let size = self.abs().sqrt();
        Self { re: size * half.cos(), im: size * half.sin() }
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Div for Complex {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let size = other.re * other.re + other.im * other.im;
        let product = self * Self { re: other.re, im: -other.im };
        Self { re: product.re / size, im: product.im / size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded() {
        let value = |above: i64, below: i64| decimal(&BigRational::new(above.into(), below.into()));
        assert_eq!(value(0, 1), "0.0");
        assert_eq!(value(-1, 8), "-1.25e-1");
        assert_eq!(value(2, 3), "6.66666666666666666666666666666666666666667e-1");
        assert_eq!(value(1000, 1), "1.0e3");
        assert_eq!(value(999, 1000), "9.99e-1");
    }
}
