//! Functions and powers that are evaluated for verification: hashes of their arguments, whatever they compute.

use super::evaluate::{Evaluator, Failed, Part, multiply, power};

/// Sign, numerator and denominator of a short fraction by its value modulo a prime.
fn fraction(value: u64, prime: u64) -> Option<(bool, u64, u64)> {
    (1..=64).find_map(|degree| {
        let above = multiply(value, degree, prime);
        let below = prime - above;
        if above < 1 << 16 { Some((false, above, degree)) } else { (below < 1 << 16).then_some((true, below, degree)) }
    })
}

/// The functions that code may call, by their names in all languages.
const FUNCTIONS: [(&str, &str, usize); 19] = [
    ("sin", "sin", 1),
    ("cos", "cos", 1),
    ("tan", "tan", 1),
    ("asin", "asin", 1),
    ("acos", "acos", 1),
    ("atan", "atan", 1),
    ("sinh", "sinh", 1),
    ("cosh", "cosh", 1),
    ("tanh", "tanh", 1),
    ("asinh", "asinh", 1),
    ("acosh", "acosh", 1),
    ("atanh", "atanh", 1),
    ("exp", "exp", 1),
    ("log", "log", 1),
    ("abs", "abs", 1),
    ("atan2", "atan2", 2),
    ("sqrt", "sqrt", 1),
    ("pow", "pow", 2),
    ("fabs", "abs", 1),
];

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
        let own = FUNCTIONS.iter().find(|(own, ..)| *own == name).map(|&(_, known, count)| (known, count));
        let own = match name.strip_prefix("math.").filter(|_| own.is_none()) {
            Some(rest) => FUNCTIONS.iter().find(|(own, ..)| *own == rest).map(|&(_, known, count)| (known, count)),
            None => own,
        };
        // A text calls functions by their own names, code by those of its language.
        let known = own.filter(|&(known, _)| self.strict || known == name);
        if self.strict && known.is_none() {
            return Err(self.fail("a function that code does not call"));
        }
        let mut arguments: Vec<Part> = Vec::new();
        // Operations inside arguments do not count.
        let counts = self.counts;
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
        if self.strict {
            self.calls += 1;
        } else {
            self.counts = counts;
        }
        match (known, &arguments[..]) {
            (Some((_, count)), _) if self.strict && count != arguments.len() => {
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
        let name = format!("{}()", known.map_or(&name[..], |(known, _)| known));
        let values: Vec<u64> = arguments.iter().map(|argument| argument.value).collect();
        Ok(Part { value: self.point.hash(&name, &values), constant: false })
    }
}
