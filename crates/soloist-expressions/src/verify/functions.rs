//! Functions and powers that are evaluated for verification: hashes of their arguments, whatever they compute.

use super::evaluate::{Evaluator, Failed, Part, Point, multiply, power};
use super::machine::{Machine, known};
use crate::algebra::{Constant, Relation};
use crate::emit::Language;

/// Whether `name` makes a number of any type.
fn is_number_of(machine: Machine, name: &str) -> bool {
    machine.is_generic() && name == if machine.language == Language::Rust { "T::whole" } else { "T" }
}

/// The value of a conditional, a function of what it compares and of its values.
pub(super) fn select(point: Point, relation: Relation, arguments: [u64; 4]) -> u64 {
    point.hash(&format!("{}()", relation.select()), &arguments)
}

/// Sign, numerator and denominator of a short fraction by its value modulo a prime.
fn fraction(value: u64, prime: u64) -> Option<(bool, u64, u64)> {
    (1..=64).find_map(|degree| {
        let above = multiply(value, degree, prime);
        let below = prime - above;
        if above < 1 << 16 { Some((false, above, degree)) } else { (below < 1 << 16).then_some((true, below, degree)) }
    })
}

impl Evaluator<'_> {
    /// A power with any exponent. The root of a number is a hash of the number and the degree, a power with an exponent
    /// that is no number a hash of both.
    pub(super) fn general_power(&mut self, base: Part, exponent: Part) -> Result<Part, Failed> {
        let prime = self.point.prime;
        let Some((negative, above, degree)) = exponent.constant.then(|| fraction(exponent.value, prime)).flatten()
        else {
            return Ok(Part { value: self.point.hash("pow()", &[base.value, exponent.value]), constant: false });
        };
        let (root, constant) = match degree {
            1 => (base.value, base.constant),
            _ => (self.point.hash("root()", &[base.value, degree]), false),
        };
        let value = power(root, above, prime);
        if negative && value == 0 {
            return Err(Failed::Unlucky);
        }
        Ok(Part { value: if negative { power(value, prime - 2, prime) } else { value }, constant })
    }

    /// A number of any type, made of a whole one; in C++ also of a real number.
    fn number_of(&mut self) -> Result<Part, Failed> {
        let part = if self.peek().is_ascii_digit() {
            Part { value: self.whole()?.into(), constant: true }
        } else {
            self.sum()?
        };
        self.blanks();
        if self.peek() != b')' {
            return Err(self.fail("expected ')'"));
        }
        self.at += 1;
        Ok(part)
    }

    /// The arguments of a function, and the parenthesis behind them.
    fn arguments(&mut self) -> Result<Vec<Part>, Failed> {
        let mut arguments: Vec<Part> = Vec::new();
        loop {
            self.blanks();
            if arguments.is_empty() && self.peek() == b')' {
                break;
            }
            arguments.push(self.sum()?);
            self.blanks();
            match self.peek() {
                b',' => self.at += 1,
                b')' => break,
                _ => return Err(self.fail("expected ',' or ')' after an argument")),
            }
        }
        self.at += 1;
        Ok(arguments)
    }

    /// A function with its arguments, or an element `x(3)` of an array that code has assigned.
    pub(super) fn call(&mut self, name: String) -> Result<Part, Failed> {
        let start = self.at;
        self.at += 1;
        let digits = self.text[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits > 0 && self.text.get(self.at + digits) == Some(&b')') {
            let element = format!("{name}{}", String::from_utf8_lossy(&self.text[start..=self.at + digits]));
            if let Some(&value) = self.values.get(&element) {
                self.at += digits + 1;
                return Ok(Part { value, constant: false });
            }
        }
        if self.machine.is_some_and(|machine| is_number_of(machine, &name)) {
            return self.number_of();
        }
        let select = Relation::ALL.into_iter().find(|relation| relation.select() == name);
        let free = matches!(self.machine.map(|machine| machine.language), None | Some(Language::Form | Language::Json));
        // A text calls functions by their own names, code by those of its language.
        let known = match (self.machine, select) {
            (_, Some(relation)) if free => Some((relation.select(), 4)),
            (None, _) => known(&name),
            (Some(machine), _) => machine.function(&name),
        };
        let strict = self.machine.is_some();
        if strict && known.is_none() {
            return Err(self.fail("a function that code does not call"));
        }
        // Operations inside arguments do not count.
        let counts = self.counts;
        let arguments = self.arguments()?;
        if strict {
            self.calls += 1;
        } else {
            self.counts = counts;
        }
        match (known, &arguments[..]) {
            (Some((_, count)), _) if strict && count != arguments.len() => {
                return Err(self.fail("another number of arguments"));
            }
            (Some(("sqrt", 1)), [of]) => {
                return Ok(Part { value: self.point.hash("root()", &[of.value, 2]), constant: false });
            }
            (Some(("pow", 2)), &[base, exponent]) => {
                let before = self.counts;
                let result = self.general_power(base, exponent);
                self.counts = before;
                return result;
            }
            _ => {}
        }
        if arguments.is_empty()
            && let Some(constant) = Constant::ALL.into_iter().find(|constant| constant.name() == name)
        {
            return Ok(Part { value: self.point.constant(constant), constant: false });
        }
        let name = format!("{}()", known.map_or(&name[..], |(known, _)| known));
        let values: Vec<u64> = arguments.iter().map(|argument| argument.value).collect();
        Ok(Part { value: self.point.hash(&name, &values), constant: false })
    }
}
