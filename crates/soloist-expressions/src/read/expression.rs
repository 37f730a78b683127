//! Recursive descent over one expression.

use super::number::number_power;
use super::reader::{Failure, Reader, is_letter};
use super::sum::{Factor, Sum, TooLarge, power_terms};
use crate::algebra::Coefficient;

/// Products of terms that one product or power of sums may form to be multiplied out.
pub const EXPAND_LIMIT: usize = 100_000;

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
        Ok(sum)
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
            let atom = self.atom()?;
            let (inverse, exponent) = self.power()?;
            let inverse = inverse ^ divide;
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
                    let symbol = if inverse { self.inverse(symbol)? } else { symbol };
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
            let name = format!("({})^-1", self.render(&sum)?);
            let symbol = self.intern(&name)?;
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
            let symbol = if inverse { self.inverse(factor.symbol)? } else { factor.symbol };
            let exponent = u32::from(factor.exponent).saturating_mul(exponent);
            out.factors.push(Factor { symbol, exponent: self.exponent(place, exponent)? });
        }
        Ok(())
    }

    fn exponent(&self, place: usize, exponent: u32) -> Result<u16, Failure> {
        u16::try_from(exponent).map_err(|_| (place, too_large()))
    }

    /// Multiplies a product of powers of sums out; `None` if that is not allowed.
    fn expanded(&mut self, sums: &[(Sum, u32)]) -> Result<Option<Sum>, TooLarge> {
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

    /// Reads `^` or `**` and a whole number. Returns whether the number is negative, and its size.
    fn power(&mut self) -> Result<(bool, u32), Failure> {
        self.blanks()?;
        self.at += match *self.rest() {
            [b'*', b'*', ..] => 2,
            [b'^', ..] => 1,
            _ => return Ok((false, 1)),
        };
        self.whole()
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

    fn call(&mut self, name: String) -> Result<Atom, Failure> {
        self.at += 1;
        let mut text = name;
        text.push('(');
        loop {
            self.blanks()?;
            if self.peek() == b')' && text.ends_with('(') {
                break;
            }
            let mut argument = self.sum()?;
            argument.normalize().map_err(|TooLarge| (self.at, too_large()))?;
            text.push_str(&self.render(&argument)?);
            match self.peek() {
                b',' => text.push(','),
                b')' => break,
                _ => return self.fail("expected an operator, ',' or ')'"),
            }
            self.at += 1;
        }
        self.at += 1;
        text.push(')');
        Ok(Atom::Symbol(self.intern(&text)?))
    }
}

fn too_large() -> String {
    format!("an exponent above {}, the largest that is read", u16::MAX)
}
