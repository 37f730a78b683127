//! Evaluates expression text modulo a prime and counts its operations. Shares no code with the reader, the search or
//! the emitter.

use super::machine::Machine;
use crate::algebra::{Constant, Counts};
use crate::emit::{Float, Language};
use soloist::problem::StableHasher;
use std::collections::HashMap;
use std::hash::Hasher;

/// A prime of verification, that of Mersenne. Arithmetic modulo it is fast.
pub(super) const PRIME: u64 = (1 << 61) - 1;
/// That of complex numbers, which has a number whose square is -1.
pub(super) const COMPLEX_PRIME: u64 = (1 << 61) - 31;

const TOO_LARGE: &str = "the exponent is too large";

/// The deepest nesting of parentheses that is evaluated.
const MAX_DEPTH: usize = 300;

/// The product modulo a prime below 2^63.
pub(super) fn multiply(a: u64, b: u64, prime: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    if prime == PRIME {
        // 2^61 is 1 modulo the prime, so that the high part is added to the low one.
        let sum = (product as u64 & prime) + (product >> 61) as u64;
        return if sum >= prime { sum - prime } else { sum };
    }
    (product % u128::from(prime)) as u64
}

/// The sum modulo a prime below 2^63.
pub(super) fn add(a: u64, b: u64, prime: u64) -> u64 {
    let sum = a + b;
    if sum >= prime { sum - prime } else { sum }
}

/// The negative modulo a prime.
pub(super) fn negate(a: u64, prime: u64) -> u64 {
    if a == 0 { 0 } else { prime - a }
}

/// The power modulo a prime.
pub(super) fn power(mut base: u64, mut exponent: u64, prime: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base, prime);
        }
        base = multiply(base, base, prime);
        exponent >>= 1;
    }
    result
}

/// A random point. The value of a name is a hash of the name and the seed, that of a function also of the values of its
/// arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) seed: u64,
    pub(super) prime: u64,
    /// A number whose square is -1; of real numbers 0.
    pub(super) unit: u64,
}

impl Point {
    /// The value of a plain name. It is not zero, so that it has an inverse.
    fn name(self, name: &str) -> u64 {
        self.hash(name, &[])
    }

    /// The value of a constant: the imaginary unit is a number whose square is -1, where there is one.
    pub(super) fn constant(self, constant: Constant) -> u64 {
        if constant == Constant::I && self.unit > 0 {
            return self.unit;
        }
        self.hash(&format!("{}()", constant.name()), &[])
    }

    pub(super) fn hash(self, name: &str, arguments: &[u64]) -> u64 {
        let mut hash = StableHasher::new();
        hash.write_u64(self.seed);
        hash.write(name.as_bytes());
        for &argument in arguments {
            hash.write_u64(argument);
        }
        1 + hash.finish() % (self.prime - 1)
    }
}

/// The values of names that code has assigned. They hide those of the point.
pub(super) type Values = HashMap<String, u64>;

/// The value of an expression, and the operations of computing it as written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evaluated {
    pub(super) value: u64,
    pub(super) counts: Counts,
    /// Function calls.
    pub(super) calls: usize,
    /// Divisions by something else than a number.
    pub(super) divisions: usize,
}

/// The reason why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failed {
    /// It divides by zero at this point. Another point may work.
    Unlucky,
    /// The text is no expression: byte offset and message.
    Syntax(usize, &'static str),
}

/// Evaluates the expression `text` at a point. Names in `values` have those values. With a machine, the text is code:
/// other names are errors, functions and numbers are those of its language.
pub(super) fn evaluate(
    text: &[u8],
    point: Point,
    values: &Values,
    machine: Option<Machine>,
) -> Result<Evaluated, Failed> {
    let mut evaluator =
        Evaluator { text, at: 0, point, values, machine, counts: Counts::default(), calls: 0, divisions: 0, depth: 0 };
    let value = evaluator.sum()?.value;
    evaluator.blanks();
    if evaluator.at < text.len() {
        return Err(evaluator.fail("expected an operator or the end"));
    }
    let Evaluator { counts, calls, divisions, .. } = evaluator;
    Ok(Evaluated { value, counts, calls, divisions })
}

/// A value, and whether it is made of numbers only: the compiler does the operations among those.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) value: u64,
    pub(super) constant: bool,
}

pub(super) struct Evaluator<'a> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    pub(super) point: Point,
    pub(super) values: &'a Values,
    pub(super) machine: Option<Machine>,
    pub(super) counts: Counts,
    pub(super) calls: usize,
    pub(super) divisions: usize,
    pub(super) depth: usize,
}

impl Evaluator<'_> {
    pub(super) fn fail(&self, message: &'static str) -> Failed {
        Failed::Syntax(self.at, message)
    }

    pub(super) fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn starts(&self, with: &[u8]) -> bool {
        self.text[self.at.min(self.text.len())..].starts_with(with)
    }

    /// Skips blanks, line continuations and comments.
    pub(super) fn blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let line = || rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
            // The star that begins a comment does not end it.
            let comment =
                |end: &[u8; 2]| rest[2..].windows(2).position(|part| part == end).map_or(rest.len(), |at| at + 4);
            self.at += match rest {
                [b' ' | b'\t' | b'\r' | b'\n', ..] => 1,
                [b'\\', b'\n', ..] => 2,
                [b'\\', b'\r', b'\n', ..] => 3,
                [b'#', ..] | [b'\\', b'\\', ..] => line(),
                [b'/', b'*', ..] => comment(b"*/"),
                [b'(', b'*', ..] => comment(b"*)"),
                _ => return,
            };
        }
    }

    /// Skips signs. Returns their number, and whether they make a negative.
    pub(super) fn signs(&mut self) -> (usize, bool) {
        let (mut count, mut negative) = (0, false);
        while matches!(self.peek(), b'+' | b'-') {
            negative ^= self.peek() == b'-';
            count += 1;
            self.at += 1;
            self.blanks();
        }
        (count, negative)
    }

    /// Skips a line continuation inside a number or a name.
    fn joint(&mut self) -> bool {
        let rest = &self.text[self.at..];
        let skip = if rest.starts_with(b"\\\n") {
            2
        } else if rest.starts_with(b"\\\r\n") {
            3
        } else {
            return false;
        };
        self.at += skip;
        while matches!(self.peek(), b' ' | b'\t') {
            self.at += 1;
        }
        true
    }

    pub(super) fn sum(&mut self) -> Result<Part, Failed> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.fail("parentheses are nested too deeply"));
        }
        let prime = self.point.prime;
        let mut total = Part { value: 0, constant: true };
        let mut first = true;
        loop {
            self.blanks();
            let (signs, negative) = self.signs();
            if signs == 0 && !first {
                break;
            }
            let term = self.product()?;
            let folded = total.constant && term.constant;
            if !first && !folded {
                self.counts.additions += 1;
            }
            let value = if negative { negate(term.value, prime) } else { term.value };
            total = Part { value: add(total.value, value, prime), constant: total.constant && term.constant };
            first = false;
        }
        self.depth -= 1;
        Ok(total)
    }

    fn product(&mut self) -> Result<Part, Failed> {
        let prime = self.point.prime;
        let mut result = self.signed_power()?;
        loop {
            self.blanks();
            let divide = match self.peek() {
                b'*' if !self.starts(b"**") => false,
                b'/' => true,
                _ => return Ok(result),
            };
            self.at += 1;
            self.blanks();
            let factor = self.signed_power()?;
            let value = if divide {
                if factor.value == 0 {
                    return Err(Failed::Unlucky);
                }
                power(factor.value, prime - 2, prime)
            } else {
                factor.value
            };
            let unit = |part: Part| part.constant && (part.value == 1 || part.value == prime - 1);
            let constant = result.constant && factor.constant;
            let divides = divide && !factor.constant;
            let free = constant || divides || unit(result) || unit(factor);
            if divides {
                self.divisions += 1;
            }
            if !free {
                self.counts.multiplications += 1;
            }
            result = Part { value: multiply(result.value, value, prime), constant };
        }
    }

    /// A factor with or without a sign, as in `2*-x`.
    fn signed_power(&mut self) -> Result<Part, Failed> {
        let (_, negative) = self.signs();
        let part = self.power()?;
        let value = if negative { negate(part.value, self.point.prime) } else { part.value };
        Ok(Part { value, ..part })
    }

    fn power(&mut self) -> Result<Part, Failed> {
        let base = self.atom()?;
        self.blanks();
        if self.starts(b"**") {
            self.at += 2;
        } else if self.peek() == b'^' {
            self.at += 1;
        } else {
            return Ok(base);
        }
        let (start, depth) = (self.at, self.depth);
        let whole = self.exponent();
        let fraction = matches!(self.peek(), b'.' | b'e' | b'E');
        let (negative, exponent) = match whole {
            Ok(exponent) if !fraction => exponent,
            Err(Failed::Syntax(at, message)) if message == TOO_LARGE => return Err(Failed::Syntax(at, message)),
            _ => {
                (self.at, self.depth) = (start, depth);
                self.blanks();
                let (_, negative) = self.signs();
                let exponent = self.atom()?;
                let prime = self.point.prime;
                let value = if negative { negate(exponent.value, prime) } else { exponent.value };
                self.calls += usize::from(self.machine.is_some());
                return self.general_power(base, Part { value, ..exponent });
            }
        };
        if !base.constant {
            self.counts.power(exponent);
        }
        let prime = self.point.prime;
        let value = power(base.value, exponent.into(), prime);
        if negative && value == 0 {
            return Err(Failed::Unlucky);
        }
        Ok(Part { value: if negative { power(value, prime - 2, prime) } else { value }, ..base })
    }

    /// A whole number with signs and parentheses around.
    fn exponent(&mut self) -> Result<(bool, u32), Failed> {
        self.blanks();
        match self.peek() {
            b'(' => {
                self.at += 1;
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(self.fail("parentheses are nested too deeply"));
                }
                let exponent = self.exponent()?;
                self.depth -= 1;
                self.blanks();
                if self.peek() != b')' {
                    return Err(self.fail("expected ')' after the exponent"));
                }
                self.at += 1;
                Ok(exponent)
            }
            b'+' | b'-' => {
                let (_, negative) = self.signs();
                Ok((negative, self.whole()?))
            }
            _ => Ok((false, self.whole()?)),
        }
    }

    pub(super) fn whole(&mut self) -> Result<u32, Failed> {
        let mut value = 0_u32;
        let start = self.at;
        while self.peek().is_ascii_digit() {
            let digit = u32::from(self.peek() - b'0');
            value =
                value.checked_mul(10).and_then(|value| value.checked_add(digit)).ok_or_else(|| self.fail(TOO_LARGE))?;
            self.at += 1;
            self.joint();
        }
        if self.at == start {
            return Err(self.fail("expected a whole number as exponent"));
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<Part, Failed> {
        self.blanks();
        match self.peek() {
            b'(' => {
                self.at += 1;
                let part = self.sum()?;
                self.blanks();
                if self.peek() != b')' {
                    return Err(self.fail("expected ')'"));
                }
                self.at += 1;
                Ok(part)
            }
            b'0'..=b'9' | b'.' => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'[' | 0x80.. => self.name(),
            _ => Err(self.fail("expected a number, a name or '('")),
        }
    }

    fn number(&mut self) -> Result<Part, Failed> {
        let prime = self.point.prime;
        let (mut value, mut scale, mut digits, mut point) = (0, 1, 0, false);
        loop {
            match self.peek() {
                digit @ b'0'..=b'9' => {
                    value = add(multiply(value, 10, prime), u64::from(digit - b'0'), prime);
                    if point {
                        scale = multiply(scale, 10, prime);
                    }
                    digits += 1;
                }
                b'.' if !point => point = true,
                _ if self.joint() => continue,
                _ => break,
            }
            self.at += 1;
        }
        if digits == 0 {
            return Err(self.fail("expected digits"));
        }
        if matches!(self.peek(), b'e' | b'E' | b'd' | b'D') {
            self.at += 1;
            let (_, negative) = self.signs();
            let exponent = self.whole()?;
            let ten = power(10, exponent.into(), prime);
            if negative {
                scale = multiply(scale, ten, prime);
            } else {
                value = multiply(value, ten, prime);
            }
        }
        if let Some(machine) = self.machine {
            self.literal(machine, point)?;
        }
        Ok(Part { value: multiply(value, power(scale, prime - 2, prime), prime), constant: true })
    }

    /// Checks what follows the digits of a number of code.
    fn literal(&mut self, machine: Machine, point: bool) -> Result<(), Failed> {
        let compiled = matches!(machine.language, Language::C | Language::Cpp | Language::Rust | Language::Fortran);
        if !compiled {
            return Ok(());
        }
        if machine.is_generic() {
            return Err(self.fail("a number of a fixed type"));
        }
        let double_exponent = machine.language == Language::Fortran
            && machine.float == Float::Double
            && self.text[..self.at]
                .iter()
                .rev()
                .find(|byte| !byte.is_ascii_digit())
                .is_some_and(|byte| b"dD".contains(byte));
        if !point && machine.language == Language::C && machine.float == Float::Double || double_exponent {
            return Ok(());
        }
        if !point || !self.starts(machine.suffix().as_bytes()) {
            return Err(self.fail("a number of another type"));
        }
        self.at += machine.suffix().len();
        if is_letter(self.peek()) || self.peek().is_ascii_digit() {
            return Err(self.fail("a number of another type"));
        }
        Ok(())
    }

    /// A name: `x`, `p.q`, `a[1]`, or a function with its arguments.
    fn name(&mut self) -> Result<Part, Failed> {
        let mut name = String::new();
        if self.peek() == b'[' {
            self.brackets(&mut name)?;
        } else {
            self.word(&mut name);
            if self.machine.is_some_and(|machine| machine.language == Language::Rust) && self.starts(b"::") {
                self.at += 2;
                name.push_str("::");
                self.word(&mut name);
            }
            if self.peek() == b'.' && self.text.get(self.at + 1).is_some_and(|&byte| is_letter(byte)) {
                name.push('.');
                self.at += 1;
                self.word(&mut name);
            }
            if self.peek() == b'[' {
                self.brackets(&mut name)?;
            }
        }
        let end = self.at;
        self.blanks();
        if self.peek() == b'(' {
            return self.call(name);
        }
        self.at = end;
        self.look_up(&name)
    }

    fn look_up(&self, name: &str) -> Result<Part, Failed> {
        let value = match self.values.get(name) {
            Some(&value) => value,
            None if self.machine.is_some() => return Err(self.fail("a name that was not assigned")),
            None => self.point.name(name),
        };
        Ok(Part { value, constant: false })
    }

    fn word(&mut self, name: &mut String) {
        let start = self.at;
        let mut from = start;
        loop {
            while is_letter(self.peek()) || self.peek().is_ascii_digit() || self.peek() == b'\'' {
                self.at += 1;
            }
            name.push_str(&String::from_utf8_lossy(&self.text[from..self.at]));
            if !self.joint() {
                return;
            }
            from = self.at;
        }
    }

    /// `[...]` as part of a name, without its blanks.
    fn brackets(&mut self, name: &mut String) -> Result<(), Failed> {
        let end =
            self.text[self.at..].iter().position(|&byte| byte == b']').ok_or_else(|| self.fail("expected ']'"))?;
        let inside = &self.text[self.at..=self.at + end];
        let kept: Vec<u8> = inside.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        name.push_str(&String::from_utf8_lossy(&kept));
        self.at += end + 1;
        Ok(())
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_obey_arithmetic() {
        for prime in [PRIME, (1 << 62) - 57] {
            let point = Point { seed: 7, prime, unit: 0 };
            let value = |text: &str| evaluate(text.as_bytes(), point, &Values::new(), None).unwrap().value;
            for (left, right) in [
                ("(x+y)^2", "x^2+2*x*y+y**2"),
                ("x/2-1.5e1", "0.5*x - 15"),
                ("x^-2*x^2", "1"),
                ("x^--2*x^(-+1)", "x"),
                ("1e--2", "100"),
                ("x /*/ + y */ + z (*) + 1 *)", "x + z"),
                ("-x^2", "0-x*x"),
                ("2*-x", "-2*x"),
                ("f(x+y, 2)", "f(y+x,1+1)"),
                ("a[1]+p.q", "p.q+a[ 1 ]"),
                ("12\\\n  3 # comment\n + /* no */ x", "x+123"),
            ] {
                assert_eq!(value(left), value(right), "{left}");
            }
            assert_ne!(value("f(x)"), value("f(y)"));
            assert_ne!(value("f(x)"), value("g(x)"));
            assert_eq!(evaluate(b"1/(x-x)", point, &Values::new(), None).unwrap_err(), Failed::Unlucky);
            // The moduli pass two tests of Fermat.
            assert_eq!(power(3, prime - 1, prime), 1);
            assert_eq!(power(5, prime - 1, prime), 1);
        }
    }

    #[test]
    fn syntax_is_checked() {
        let point = Point { seed: 7, prime: PRIME, unit: 0 };
        for text in ["", "x+", "(x", "x)", "x y", "2 3", "x^", "*x", "f(x", "[x", "x^99999999999"] {
            let result = evaluate(text.as_bytes(), point, &Values::new(), None);
            assert!(matches!(result, Err(Failed::Syntax(..))), "{text}");
        }
        let deep = "(".repeat(100_000);
        assert!(evaluate(deep.as_bytes(), point, &Values::new(), None).is_err());
        let machine = Machine { language: Language::C, float: Float::Double, complex: false };
        assert!(evaluate(b"x", point, &Values::new(), Some(machine)).is_err());
    }
}
