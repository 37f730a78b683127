//! Recursive descent over one expression.

use super::number::number_power;
use super::reader::{Failure, Reader, is_letter};
use super::sum::{Factor, Sum, TooLarge, power_terms};
use crate::algebra::{Coefficient, Constant, Function, Relation};
use num_traits::ToPrimitive;

/// Products of terms that one product or power of sums may form to be multiplied out.
pub const EXPAND_LIMIT: usize = 100_000;

/// The largest degree of a root. Powers of other fractions are powers with a number as exponent.
const MAX_DEGREE: u32 = 64;

/// An exponent.
enum Exponent {
    /// Whether it is negative, and its size.
    Whole(bool, u32),
    /// Whether it is negative, and its numerator and denominator.
    Ratio(bool, u32, u32),
    Sum(Sum),
}

enum Atom {
    Number(Coefficient),
    Symbol(u16),
    Sum(Sum),
}

impl Reader<'_> {
    pub(super) fn sum(&mut self) -> Result<Sum, Failure> {
        self.enter()?;
        let mut sum = Sum::default();
        let mut first = true;
        loop {
            self.blanks()?;
            let (signs, negative) = self.signs()?;
            if signs == 0 && !first {
                break;
            }
            self.product(negative, &mut sum)?;
            first = false;
        }
        self.depth -= 1;
        Ok(match self.unit {
            Some(unit) => sum.reduced(unit),
            None => sum,
        })
    }

    /// Reads a product and appends it to `out`.
    fn product(&mut self, negative: bool, out: &mut Sum) -> Result<(), Failure> {
        let begin = self.at;
        let start = out.factors.len();
        let mut value = Coefficient::ONE.with_sign(negative);
        let mut sums: Vec<(Sum, u32)> = Vec::new();
        let mut divide = false;
        loop {
            let place = self.at;
            let (_, negative) = self.signs()?;
            if negative {
                value = value.neg();
            }
            let mut atom = if divide || self.inverts() { self.divisor()? } else { self.atom()? };
            let (inverse, exponent) = match self.power()? {
                Exponent::Whole(inverse, exponent) => (inverse ^ divide, exponent),
                exponent => {
                    let (symbol, inverse, exponent) = self.general_power(place, &mut atom, exponent)?;
                    let (symbol, content) =
                        if inverse ^ divide { self.inverse(symbol)? } else { (symbol, Coefficient::ONE) };
                    debug_assert!(content == Coefficient::ONE, "a call is no block");
                    out.factors.push(Factor { symbol, exponent: self.exponent(place, exponent)? });
                    (false, 0)
                }
            };
            match atom {
                Atom::Number(number) => {
                    let power =
                        number_power(&number, exponent).ok_or_else(|| (place, "the number is too large".into()))?;
                    value = if inverse {
                        value.div(&power).ok_or_else(|| (place, "a division by zero".to_owned()))?
                    } else {
                        value.mul(&power)
                    };
                }
                Atom::Symbol(symbol) if exponent > 0 => {
                    let symbol = if inverse { self.inverted(place, symbol, exponent, &mut value)? } else { symbol };
                    out.factors.push(Factor { symbol, exponent: self.exponent(place, exponent)? });
                }
                Atom::Sum(sum) if exponent > 0 => {
                    self.factor(place, sum, inverse, exponent, &mut value, out, &mut sums)?;
                }
                Atom::Symbol(_) | Atom::Sum(_) => {}
            }
            self.blanks()?;
            divide = match *self.rest() {
                [b'*', b'*', ..] => return self.fail("a second power: put the first into parentheses"),
                [b'^', ..] => return self.fail("a second power: put the first into parentheses"),
                [b'*', ..] => false,
                [b'/', ..] => true,
                _ => break,
            };
            self.at += 1;
            self.blanks()?;
        }
        let limit = |TooLarge| (begin, too_large());
        if sums.is_empty() {
            return out.close(value).map_err(limit);
        }
        let monomial = out.factors.split_off(start);
        if let [(sum, 1)] = &sums[..]
            && monomial.is_empty()
            && (self.expand || value.is_unit())
        {
            return out.append(sum, &value).map_err(limit);
        }
        if let Some(mut product) = self.expanded(&sums).map_err(limit)? {
            if !monomial.is_empty() {
                let mut single = Sum { factors: monomial, ..Sum::default() };
                single.close(Coefficient::ONE).map_err(limit)?;
                product = product.mul(&single).map_err(limit)?;
            }
            return out.append(&product, &value).map_err(limit);
        }
        out.factors.extend(monomial);
        for (mut sum, exponent) in sums {
            let content = sum.content();
            sum.divide(&content);
            let power = number_power(&content, exponent).ok_or_else(|| (begin, "the number is too large".into()))?;
            value = value.mul(&power);
            let symbol = self.block(sum)?;
            out.factors.push(Factor { symbol, exponent: self.exponent(begin, exponent)? });
        }
        out.close(value).map_err(limit)
    }

    /// Multiplies by a power of a sum in parentheses. A sum of several terms is appended to `sums`.
    #[expect(clippy::too_many_arguments, reason = "the parts of the product under construction")]
    fn factor(
        &mut self,
        place: usize,
        mut sum: Sum,
        inverse: bool,
        exponent: u32,
        value: &mut Coefficient,
        out: &mut Sum,
        sums: &mut Vec<(Sum, u32)>,
    ) -> Result<(), Failure> {
        sum.normalize().map_err(|TooLarge| (place, too_large()))?;
        if sum.len() > 1 && inverse {
            let sum = if self.full { self.unfolded(&sum)? } else { sum };
            let (symbol, content) = if sum.len() == 0 {
                return Err((place, "a division by zero".into()));
            } else {
                self.inverse_of(sum)?
            };
            divide_by(place, value, &content, exponent)?;
            out.factors.push(Factor { symbol, exponent: self.exponent(place, exponent)? });
            return Ok(());
        }
        if sum.len() > 1 {
            sums.push((sum, exponent));
            return Ok(());
        }
        let number = sum.values.first().cloned().unwrap_or(Coefficient::ZERO);
        let power = number_power(&number, exponent).ok_or_else(|| (place, "the number is too large".into()))?;
        *value = if inverse {
            value.div(&power).ok_or_else(|| (place, "a division by zero".to_owned()))?
        } else {
            value.mul(&power)
        };
        for factor in &sum.factors {
            let exponent = u32::from(factor.exponent).saturating_mul(exponent);
            let symbol = if inverse { self.inverted(place, factor.symbol, exponent, value)? } else { factor.symbol };
            out.factors.push(Factor { symbol, exponent: self.exponent(place, exponent)? });
        }
        Ok(())
    }

    /// The symbol of 1 / `symbol`. Divides `value` by the content of its power.
    fn inverted(&mut self, place: usize, symbol: u16, exponent: u32, value: &mut Coefficient) -> Result<u16, Failure> {
        let (symbol, content) = self.inverse(symbol)?;
        divide_by(place, value, &content, exponent)?;
        Ok(symbol)
    }

    /// Whether a negative power of parentheses starts here.
    fn inverts(&self) -> bool {
        if self.peek() != b'(' {
            return false;
        }
        let mut depth = 0_usize;
        let end = self.rest().iter().position(|&byte| {
            depth = match byte {
                b'(' => depth + 1,
                b')' => depth - 1,
                _ => depth,
            };
            depth == 0
        });
        let Some(end) = end else { return false };
        let mut after = self.rest()[end + 1..].iter().copied().filter(|byte| !byte.is_ascii_whitespace()).take(4);
        let power = match (after.next(), after.next()) {
            (Some(b'^'), next) => next,
            (Some(b'*'), Some(b'*')) => after.next(),
            _ => return false,
        };
        power == Some(b'-') || power == Some(b'(') && after.next() == Some(b'-')
    }

    /// Reads an atom by which is divided: a product in parentheses keeps its factors.
    fn divisor(&mut self) -> Result<Atom, Failure> {
        let expand = std::mem::replace(&mut self.expand, false);
        let atom = self.atom();
        self.expand = expand;
        atom
    }

    /// The symbol of a power with an exponent that is no whole number, whether it is inverted, and the power of it.
    fn general_power(
        &mut self,
        place: usize,
        atom: &mut Atom,
        exponent: Exponent,
    ) -> Result<(u16, bool, u32), Failure> {
        let mut base = match std::mem::replace(atom, Atom::Number(Coefficient::ONE)) {
            Atom::Number(number) => Sum::constant(number),
            Atom::Symbol(symbol) => Sum::symbol(symbol),
            Atom::Sum(sum) => sum,
        };
        base.normalize().map_err(|TooLarge| (place, too_large()))?;
        if self.full {
            base = self.unfolded(&base)?;
        }
        match exponent {
            Exponent::Ratio(negative, above, degree) => {
                Ok((self.computed(Function::Root(degree), vec![base])?, negative, above))
            }
            Exponent::Sum(exponent) => Ok((self.computed(Function::Power, vec![base, exponent])?, false, 1)),
            Exponent::Whole(..) => Err((place, "expected another exponent".into())),
        }
    }

    fn exponent(&self, place: usize, exponent: u32) -> Result<u16, Failure> {
        u16::try_from(exponent).map_err(|_| (place, too_large()))
    }

    /// Multiplies a product of powers of sums out; `None` if that is not allowed.
    pub(super) fn expanded(&mut self, sums: &[(Sum, u32)]) -> Result<Option<Sum>, TooLarge> {
        if !self.expand {
            return Ok(None);
        }
        let mut work = 1_usize;
        let (mut bits, mut powers) = (0_u64, 0_u64);
        for (sum, exponent) in sums {
            let limit = EXPAND_LIMIT.max(sum.len());
            let Some(terms) = power_terms(sum.len(), *exponent, limit) else { return Ok(None) };
            // The number of products of the last multiplication of a power.
            let products = if *exponent > 1 { terms.saturating_mul(sum.len()) } else { terms };
            work = work.saturating_mul(if sums.len() > 1 { terms } else { products }).max(products);
            bits = bits.saturating_add(sum.bits().saturating_mul((*exponent).into()));
            // Those of all multiplications: about half as many each on average.
            powers = powers.saturating_add(products as u64 * u64::from(*exponent - 1) / 2);
        }
        let words = (powers + work as u64).saturating_mul(1 + bits / 64);
        // A sum times a monomial has as many terms as the sum.
        let linear = matches!(sums, [(_, 1)]);
        if work > EXPAND_LIMIT && !linear || work > self.budget || !linear && words > self.words {
            return Ok(None);
        }
        self.budget -= work;
        self.words -= if linear { 0 } else { words };
        let mut product = Sum::constant(Coefficient::ONE);
        for (sum, exponent) in sums {
            let mut power = sum.clone();
            for _ in 1..*exponent {
                power = power.mul(sum)?;
            }
            product = product.mul(&power)?;
        }
        Ok(Some(product))
    }

    /// Reads `^` or `**` and an exponent.
    fn power(&mut self) -> Result<Exponent, Failure> {
        self.blanks()?;
        self.at += match *self.rest() {
            [b'*', b'*', ..] => 2,
            [b'^', ..] => 1,
            _ => return Ok(Exponent::Whole(false, 1)),
        };
        let (start, depth) = (self.at, self.depth);
        let whole = self.whole();
        let fraction = matches!(*self.rest(), [b'.', ..] | [b'e' | b'E', b'0'..=b'9' | b'-', ..]);
        match whole {
            Ok((negative, exponent)) if !fraction => return Ok(Exponent::Whole(negative, exponent)),
            // Only the start of an expression is worth another attempt.
            Err(failure) if failure.1 == too_large() => return Err(failure),
            _ => (self.at, self.depth) = (start, depth),
        }
        self.blanks()?;
        let place = self.at;
        if !matches!(self.peek(), b'(' | b'0'..=b'9' | b'.' | b'+' | b'-') && !is_letter(self.peek()) {
            return self.fail("expected a number, a name or '(' as exponent");
        }
        let (_, negative) = self.signs()?;
        let mut sum = match self.atom()? {
            Atom::Number(number) => Sum::constant(number),
            Atom::Symbol(symbol) => Sum::symbol(symbol),
            Atom::Sum(sum) => sum,
        };
        sum.normalize().map_err(|TooLarge| (place, too_large()))?;
        if negative {
            sum.divide(&Coefficient::from(-1));
        }
        let constant = match &sum.values[..] {
            [] => Coefficient::ZERO,
            [value] if sum.factors.is_empty() => value.clone(),
            _ => return Ok(Exponent::Sum(sum)),
        };
        let value = constant.abs().to_big();
        let above = value.numer().to_u32().filter(|&above| above <= u32::from(u16::MAX));
        let below = value.denom().to_u32().filter(|&below| below <= MAX_DEGREE);
        match (above, below) {
            (Some(above), Some(1)) => Ok(Exponent::Whole(constant.is_negative(), above)),
            (Some(above), Some(below)) => Ok(Exponent::Ratio(constant.is_negative(), above, below)),
            (None, Some(1)) => Err((place, too_large())),
            _ => Ok(Exponent::Sum(sum)),
        }
    }

    fn whole(&mut self) -> Result<(bool, u32), Failure> {
        self.blanks()?;
        if self.peek() == b'(' {
            self.at += 1;
            self.enter()?;
            let result = self.whole()?;
            self.depth -= 1;
            self.blanks()?;
            if self.peek() != b')' {
                return self.fail("expected ')' after a whole exponent");
            }
            self.at += 1;
            return Ok(result);
        }
        let (_, negative) = self.signs()?;
        let start = self.at;
        let mut value = 0_u32;
        while self.peek().is_ascii_digit() {
            value = value.saturating_mul(10).saturating_add((self.peek() - b'0').into());
            self.at += 1;
            self.joint();
        }
        if self.at == start {
            return self.fail("expected a whole number as exponent");
        }
        if value > u32::from(u16::MAX) {
            self.at = start;
            return self.fail(too_large());
        }
        Ok((negative, value))
    }

    fn atom(&mut self) -> Result<Atom, Failure> {
        match self.peek() {
            b'(' => {
                self.at += 1;
                let sum = self.sum()?;
                if self.peek() != b')' {
                    return self.fail("expected an operator or ')'");
                }
                self.at += 1;
                Ok(Atom::Sum(sum))
            }
            b'0'..=b'9' => self.number().map(Atom::Number),
            b'.' if self.rest().get(1).is_some_and(u8::is_ascii_digit) => self.number().map(Atom::Number),
            b'[' => self.name(),
            byte if is_letter(byte) => self.name(),
            _ => self.fail("expected a number, a name or '('"),
        }
    }

    fn name(&mut self) -> Result<Atom, Failure> {
        // The usual case needs no string: letters and digits that are a known symbol.
        let plain = self.rest().iter().take_while(|&&byte| is_letter(byte) || byte.is_ascii_digit()).count();
        let after = self.rest().get(plain).copied().unwrap_or(0);
        if plain > 0
            && matches!(after, b'*' | b'^' | b'+' | b'-')
            && let Ok(name) = std::str::from_utf8(&self.rest()[..plain])
            && let Some(&symbol) = self.index.get(name)
        {
            self.at += plain;
            return Ok(Atom::Symbol(symbol));
        }
        let start = self.at;
        let mut name = if self.peek() == b'[' { self.brackets()? } else { self.word() };
        if !self.form && name.starts_with('[') && name.contains([',', '+', '-', '*', '/', '^', '(']) {
            self.at = start;
            return self.fail(
                "brackets around an expression or a list: write parentheses, or `name = [...]` for several outputs; for \
                 a name of FORM, declare it in front, as in `Symbols [x+y];`",
            );
        }
        if self.peek() == b'.' && self.rest().get(1).is_some_and(|&byte| is_letter(byte)) {
            self.at += 1;
            name.push('.');
            name.push_str(&self.word());
        }
        // A name in brackets has no index.
        if self.peek() == b'[' && !name.starts_with('[') {
            name.push_str(&self.brackets()?);
        }
        let end = self.at;
        self.blanks()?;
        if self.peek() == b'(' && !self.outputs.contains_key(&name) {
            return self.call(name);
        }
        self.at = end;
        if let Some(&output) = self.outputs.get(&name) {
            self.done[output].used = true;
            let sum = &self.done[output].sum;
            // A power or product is worth a name of its own, a number or a symbol is not.
            let degree: u32 = sum.factors.iter().map(|factor| u32::from(factor.exponent)).sum();
            let short = if self.expand { sum.len() <= self.inline } else { false };
            if short || sum.len() <= 1 && degree <= 1 {
                return Ok(Atom::Sum(sum.clone()));
            }
            let mut sum = sum.clone();
            sum.normalize().map_err(|TooLarge| (start, too_large()))?;
            if sum.len() <= 1 && sum.factors.iter().map(|factor| u32::from(factor.exponent)).sum::<u32>() <= 1 {
                return Ok(Atom::Sum(sum));
            }
            let content = sum.content();
            sum.divide(&content);
            let mut product = Sum::symbol(self.block(sum)?);
            product.values[0] = content;
            return Ok(Atom::Sum(product));
        }
        Ok(Atom::Symbol(self.intern(&name)?))
    }

    /// Says why numbers of this kind have no such function.
    fn refused(&self, function: Function) -> Option<String> {
        match function {
            Function::Constant(Constant::I) if !self.complex => {
                Some("the imaginary unit: code of complex numbers must be asked for (--complex)".into())
            }
            Function::Select(Relation::Less | Relation::LessEqual) if self.complex => {
                Some("complex numbers have no order: expected a comparison by == or !=".into())
            }
            Function::Named(name @ ("atan2" | "min" | "max" | "floor" | "ceil" | "cbrt")) if self.complex => {
                Some(format!("`{name}` of complex numbers is not computed"))
            }
            _ => None,
        }
    }

    fn call(&mut self, name: String) -> Result<Atom, Failure> {
        let place = self.at;
        self.at += 1;
        let mut arguments: Vec<Sum> = Vec::new();
        let expand = std::mem::replace(&mut self.expand, self.full);
        loop {
            self.blanks()?;
            if self.peek() == b')' && arguments.is_empty() {
                break;
            }
            let mut argument = self.sum()?;
            argument.normalize().map_err(|TooLarge| (self.at, too_large()))?;
            arguments.push(argument);
            match self.peek() {
                b',' => {}
                b')' => break,
                _ => return self.fail("expected an operator, ',' or ')'"),
            }
            self.at += 1;
        }
        self.at += 1;
        self.expand = expand;
        if let Some(function) = Function::named(&name, arguments.len())
            && !self.opaque.contains(&name)
        {
            if let Some(message) = self.refused(function) {
                return Err((place, message));
            }
            let symbol = self.computed(function, arguments)?;
            if function == Function::Constant(Constant::I) {
                self.unit = Some(symbol);
            }
            return Ok(Atom::Symbol(symbol));
        }
        let mut text = name;
        text.push('(');
        for (place, argument) in arguments.iter().enumerate() {
            text.push_str(if place > 0 { "," } else { "" });
            text.push_str(&self.render(argument)?);
        }
        text.push(')');
        if text.contains('{') {
            return self.fail("an argument of a function that the code cannot compute is too long");
        }
        Ok(Atom::Symbol(self.intern(&text)?))
    }
}

/// Divides a number by the power of another one.
fn divide_by(place: usize, value: &mut Coefficient, by: &Coefficient, exponent: u32) -> Result<(), Failure> {
    if *by == Coefficient::ONE {
        return Ok(());
    }
    let power = number_power(by, exponent).ok_or_else(|| (place, "the number is too large".to_owned()))?;
    *value = value.div(&power).ok_or_else(|| (place, "a division by zero".to_owned()))?;
    Ok(())
}

pub(super) fn too_large() -> String {
    format!("an exponent above {}, the largest that is read", u16::MAX)
}
