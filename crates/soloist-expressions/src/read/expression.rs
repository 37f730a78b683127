//! Sums of the trees of expressions.

use super::dialect::{BRACKETS, Kind, Tree};
use super::number::{number, number_power};
use super::reader::{Failure, Reader};
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

pub(super) enum Atom {
    Number(Coefficient),
    Symbol(u16),
    Sum(Sum),
}

impl Atom {
    fn sum(self) -> Sum {
        match self {
            Self::Number(number) => Sum::constant(number),
            Self::Symbol(symbol) => Sum::symbol(symbol),
            Self::Sum(sum) => sum,
        }
    }
}

/// A product under construction. Its powers of symbols are already with the sum to which it is appended.
pub(super) struct Product {
    /// Where it starts in the text.
    at: usize,
    /// The number of factors in front of it.
    start: usize,
    value: Coefficient,
    /// Powers of sums of several terms.
    sums: Vec<(Sum, u32)>,
}

impl Product {
    pub(super) fn new(at: usize, negative: bool, out: &Sum) -> Self {
        Self { at, start: out.factors.len(), value: Coefficient::ONE.with_sign(negative), sums: Vec::new() }
    }
}

impl Reader {
    /// The sum that an expression is.
    pub(super) fn sum(&mut self, tree: &Tree) -> Result<Sum, Failure> {
        self.at = tree.at;
        self.enter()?;
        let mut sum = Sum::default();
        match &tree.kind {
            Kind::Sum(parts) => {
                for (negative, part) in parts {
                    self.summand(*negative, part, &mut sum)?;
                }
            }
            _ => self.summand(false, tree, &mut sum)?,
        }
        self.depth -= 1;
        Ok(match self.unit {
            Some(unit) => sum.reduced(unit),
            None => sum,
        })
    }

    /// Appends an expression without plus and minus to `out`.
    pub(super) fn summand(&mut self, negative: bool, tree: &Tree, out: &mut Sum) -> Result<(), Failure> {
        let mut product = Product::new(tree.at, negative, out);
        match &tree.kind {
            Kind::Product(factors) => {
                for (divide, factor) in factors {
                    self.multiply(&mut product, *divide, factor, out)?;
                }
            }
            _ => self.multiply(&mut product, false, tree, out)?,
        }
        self.close(product, out)
    }

    /// Multiplies by an expression, or divides by it.
    fn multiply(&mut self, product: &mut Product, divide: bool, tree: &Tree, out: &mut Sum) -> Result<(), Failure> {
        let (base, exponent) = match &tree.kind {
            Kind::Power(base, exponent) => (&**base, Some(&**exponent)),
            _ => (tree, None),
        };
        let place = tree.at;
        let atom = if divide || exponent.is_some_and(|exponent| is_inverse(base, exponent)) {
            self.divisor(base)?
        } else {
            self.atom(base)?
        };
        let exponent = exponent.map_or(Ok(Exponent::Whole(false, 1)), |exponent| self.power(exponent))?;
        self.at = place;
        let (inverse, exponent) = match exponent {
            Exponent::Whole(inverse, exponent) => (inverse ^ divide, exponent),
            exponent => {
                let (symbol, inverse, exponent) = self.general_power(place, atom, exponent)?;
                let (symbol, content) =
                    if inverse ^ divide { self.inverse(symbol)? } else { (symbol, Coefficient::ONE) };
                debug_assert!(content == Coefficient::ONE, "a call is no block");
                out.factors.push(Factor { symbol, exponent: self.exponent(place, exponent)? });
                return Ok(());
            }
        };
        self.multiply_atom(product, place, atom, (inverse, exponent), out)
    }

    /// Multiplies by a power of an atom; true: by its inverse.
    pub(super) fn multiply_atom(
        &mut self,
        product: &mut Product,
        place: usize,
        atom: Atom,
        (inverse, exponent): (bool, u32),
        out: &mut Sum,
    ) -> Result<(), Failure> {
        match atom {
            Atom::Number(number) => scale(place, &mut product.value, &number, (inverse, exponent)),
            _ if exponent == 0 => Ok(()),
            Atom::Symbol(symbol) => self.symbol_power(product, place, symbol, (inverse, exponent), out),
            Atom::Sum(sum) => self.sum_power(product, place, sum, (inverse, exponent), out),
        }
    }

    fn symbol_power(
        &mut self,
        product: &mut Product,
        place: usize,
        symbol: u16,
        (inverse, exponent): (bool, u32),
        out: &mut Sum,
    ) -> Result<(), Failure> {
        let mut own = symbol;
        if inverse {
            let (symbol, content) = self.inverse(symbol)?;
            divide_by(place, &mut product.value, &content, exponent)?;
            own = symbol;
        }
        out.factors.push(Factor { symbol: own, exponent: self.exponent(place, exponent)? });
        Ok(())
    }

    /// Multiplies by a power of a sum. One of several terms is kept with the product.
    fn sum_power(
        &mut self,
        product: &mut Product,
        place: usize,
        mut sum: Sum,
        (inverse, exponent): (bool, u32),
        out: &mut Sum,
    ) -> Result<(), Failure> {
        sum.normalize().map_err(|TooLarge| (place, too_large()))?;
        if sum.len() > 1 && inverse {
            let sum = if self.full { self.unfolded(&sum)? } else { sum };
            if sum.len() == 0 {
                return Err((place, "a division by zero".into()));
            }
            let (symbol, content) = self.inverse_of(sum)?;
            divide_by(place, &mut product.value, &content, exponent)?;
            out.factors.push(Factor { symbol, exponent: self.exponent(place, exponent)? });
            return Ok(());
        }
        if sum.len() > 1 {
            product.sums.push((sum, exponent));
            return Ok(());
        }
        let number = sum.values.first().cloned().unwrap_or(Coefficient::ZERO);
        scale(place, &mut product.value, &number, (inverse, exponent))?;
        for factor in &sum.factors {
            let exponent = u32::from(factor.exponent).saturating_mul(exponent);
            self.symbol_power(product, place, factor.symbol, (inverse, exponent), out)?;
        }
        Ok(())
    }

    /// Appends a product to `out`: its sums are multiplied out, or become blocks.
    pub(super) fn close(&mut self, product: Product, out: &mut Sum) -> Result<(), Failure> {
        let Product { at, start, mut value, sums } = product;
        let limit = |TooLarge| (at, too_large());
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
            scale(at, &mut value, &content, (false, exponent))?;
            let symbol = self.block(sum)?;
            out.factors.push(Factor { symbol, exponent: self.exponent(at, exponent)? });
        }
        out.close(value).map_err(limit)
    }

    /// What is divided by: a product in parentheses keeps its factors.
    fn divisor(&mut self, tree: &Tree) -> Result<Atom, Failure> {
        let expand = std::mem::replace(&mut self.expand, false);
        let atom = self.atom(tree);
        self.expand = expand;
        atom
    }

    /// The symbol of a power with an exponent that is no whole number, whether it is inverted, and the power of it.
    fn general_power(&mut self, place: usize, atom: Atom, exponent: Exponent) -> Result<(u16, bool, u32), Failure> {
        let mut base = atom.sum();
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
        if work > EXPAND_LIMIT && !linear || work > self.budget.products || !linear && words > self.budget.words {
            return Ok(None);
        }
        self.budget.products -= work;
        self.budget.words -= if linear { 0 } else { words };
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

    /// The exponent that an expression is.
    fn power(&mut self, tree: &Tree) -> Result<Exponent, Failure> {
        let (negative, size) = match &tree.kind {
            Kind::Sum(parts) if matches!(parts[..], [(true, _)]) => (true, &parts[0].1),
            _ => (false, tree),
        };
        if let Kind::Number(digits, true) = &size.kind {
            let value = digits.parse().ok().filter(|&value| value <= u32::from(u16::MAX));
            return value.map(|value| Exponent::Whole(negative, value)).ok_or_else(|| (size.at, too_large()));
        }
        let mut sum = self.atom(tree)?.sum();
        sum.normalize().map_err(|TooLarge| (tree.at, too_large()))?;
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
            (None, Some(1)) => Err((tree.at, too_large())),
            _ => Ok(Exponent::Sum(sum)),
        }
    }

    fn atom(&mut self, tree: &Tree) -> Result<Atom, Failure> {
        self.at = tree.at;
        match &tree.kind {
            Kind::Number(digits, _) => number(digits).map(Atom::Number).map_err(|message| (tree.at, message)),
            Kind::Name(name) => self.name(name),
            Kind::Call(name, arguments) => self.call(name, arguments),
            Kind::List(_) => self.fail(BRACKETS),
            Kind::Truth(_) => self.fail("a condition, expected a number"),
            Kind::Sum(_) | Kind::Product(_) | Kind::Power(..) => self.sum(tree).map(Atom::Sum),
        }
    }

    fn name(&mut self, name: &str) -> Result<Atom, Failure> {
        // One point and one index.
        let (word, index) = name.split_once('[').unwrap_or((name, ""));
        if word.matches('.').count() > 1 || index.contains('[') {
            return self.fail("expected an operator, ';' or the end");
        }
        let Some(&output) = self.outputs.get(name) else { return self.intern(name).map(Atom::Symbol) };
        self.done[output].used = true;
        let sum = &self.done[output].sum;
        // A power or product is worth a name of its own, a number or a symbol is not.
        let short =
            |sum: &Sum| sum.len() <= 1 && sum.factors.iter().map(|factor| u32::from(factor.exponent)).sum::<u32>() <= 1;
        let mut own = sum.clone();
        if self.expand && sum.len() <= self.inline || short(sum) {
            return Ok(Atom::Sum(own));
        }
        own.normalize().map_err(|TooLarge| (self.at, too_large()))?;
        if short(&own) {
            return Ok(Atom::Sum(own));
        }
        let content = own.content();
        own.divide(&content);
        let mut product = Sum::symbol(self.block(own)?);
        product.values[0] = content;
        Ok(Atom::Sum(product))
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

    fn call(&mut self, name: &str, trees: &[Tree]) -> Result<Atom, Failure> {
        let place = self.at;
        if self.outputs.contains_key(name) {
            return self.fail("expected an operator, ';' or the end");
        }
        let mut arguments: Vec<Sum> = Vec::new();
        let expand = std::mem::replace(&mut self.expand, self.full);
        for tree in trees {
            let mut argument = self.sum(tree)?;
            argument.normalize().map_err(|TooLarge| (tree.at, too_large()))?;
            arguments.push(argument);
        }
        (self.expand, self.at) = (expand, place);
        if let Some(function) = Function::named(name, arguments.len())
            && !self.opaque.iter().any(|own| own == name)
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
        let texts = arguments.iter().map(|argument| self.render(argument)).collect::<Result<Vec<_>, _>>()?;
        let text = format!("{name}({})", texts.join(","));
        if text.contains('{') {
            return self.fail("an argument of a function that the code cannot compute is too long");
        }
        Ok(Atom::Symbol(self.intern(&text)?))
    }
}

/// Whether a power is a negative one of parentheses.
fn is_inverse(base: &Tree, exponent: &Tree) -> bool {
    matches!(base.kind, Kind::Sum(_) | Kind::Product(_) | Kind::Power(..))
        && matches!(&exponent.kind, Kind::Sum(parts) if matches!(parts[..], [(true, _), ..]))
}

/// Multiplies a number by the power of another one; true: divides.
fn scale(
    place: usize,
    value: &mut Coefficient,
    number: &Coefficient,
    (inverse, exponent): (bool, u32),
) -> Result<(), Failure> {
    if inverse {
        return divide_by(place, value, number, exponent);
    }
    let power = number_power(number, exponent).ok_or_else(|| (place, "the number is too large".to_owned()))?;
    *value = value.mul(&power);
    Ok(())
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
