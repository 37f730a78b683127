//! Symbols, blocks and opaque parts.

use super::reader::{Block, CallOf, Failure, Reader};
use super::sum::{Sum, TooLarge};
use crate::algebra::{Coefficient, Function, MAX_VARIABLES};
use std::fmt::Write as _;

/// The most bytes of the text of an opaque function or inverse.
const MAX_NAME: usize = 1 << 20;
/// The most bytes of the text of a function that the code computes. A longer one gets a number as its name.
const MAX_CALL_NAME: usize = 1000;

/// What is wrong with a name that holds a character which belongs to none: a sign or a blank that is not ASCII, as text
/// from a page has it. As part of a name, `x−y` with U+2212 would silently be one variable.
pub(super) fn foreign(name: &str) -> Option<String> {
    // What to write instead; `None`: it belongs to names, as letters and digits of every script, accents and primes do.
    let instead = |c: char| match c {
        '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{2070}'..='\u{207f}' => Some("; write a power with '^'"),
        '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{2032}'..='\u{2037}' => None,
        _ if c.is_ascii() || c.is_alphanumeric() => None,
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some("; write '-'"),
        '\u{b7}' | '\u{d7}' | '\u{2022}' | '\u{2217}' | '\u{22c5}' => Some("; write '*'"),
        '\u{f7}' | '\u{2044}' | '\u{2215}' => Some("; write '/'"),
        _ if c.is_whitespace() => Some("; write a blank"),
        _ => Some(""),
    };
    let (found, instead) = name.chars().find_map(|c| Some((c, instead(c)?)))?;
    Some(format!("the character U+{:04X} belongs to no name{instead}", u32::from(found)))
}

impl Reader {
    pub(super) fn intern(&mut self, name: &str) -> Result<u16, Failure> {
        if let Some(&symbol) = self.index.get(name) {
            return Ok(symbol);
        }
        if let Some(foreign) = foreign(name) {
            return self.fail(foreign);
        }
        if self.symbols.len() >= MAX_VARIABLES {
            return self.fail(format!("more than {MAX_VARIABLES} symbols"));
        }
        let symbol = self.symbols.len() as u16;
        self.symbols.push(name.to_owned());
        self.index.insert(name.to_owned(), symbol);
        Ok(symbol)
    }

    /// Whether a name is a symbol.
    pub(super) fn is_symbol(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    /// The symbol of 1 / `symbol`. The symbol of a block stands for its sum, and the number is the content of that.
    pub(super) fn inverse(&mut self, symbol: u16) -> Result<(u16, Coefficient), Failure> {
        if self.unit == Some(symbol) {
            return Ok((symbol, Coefficient::from(-1)));
        }
        // The inverse of an inverse is the symbol itself.
        if let Some(&base) = self.calls.base_of.get(&symbol) {
            return Ok((base, Coefficient::ONE));
        }
        let block = self.blocks.of.get(&symbol).map(|&block| self.blocks.all[block].sum.clone());
        let sum = match block {
            Some(sum) if self.full => self.unfolded(&sum)?,
            _ => Sum::symbol(symbol),
        };
        self.inverse_of(sum)
    }

    /// The symbol of 1 divided by a sum without its content, and the content.
    pub(super) fn inverse_of(&mut self, mut sum: Sum) -> Result<(u16, Coefficient), Failure> {
        let content = sum.content();
        sum.divide(&content);
        let single = match &sum.factors[..] {
            [factor] if sum.len() == 1 && factor.exponent == 1 => Some(factor.symbol),
            _ => None,
        };
        let symbol = self.computed(Function::Inverse, vec![sum])?;
        if let Some(base) = single {
            self.calls.base_of.insert(symbol, base);
        }
        Ok((symbol, content))
    }

    /// A sum with its blocks multiplied out where that is allowed.
    pub(super) fn unfolded(&mut self, sum: &Sum) -> Result<Sum, Failure> {
        self.enter()?;
        let expand = std::mem::replace(&mut self.expand, true);
        let large = |reader: &Self| (reader.at, super::expression::too_large());
        let mut result = Sum::default();
        for at in 0..sum.len() {
            let (mut rest, mut parts) = (Sum::default(), Vec::new());
            for factor in sum.row(at) {
                match self.blocks.of.get(&factor.symbol).map(|&block| self.blocks.all[block].sum.clone()) {
                    Some(inner) => parts.push((self.unfolded(&inner)?, u32::from(factor.exponent))),
                    None => rest.factors.push(*factor),
                }
            }
            let product = match self.expanded(&parts) {
                Ok(Some(product)) => product,
                Ok(None) => {
                    rest = Sum::default();
                    rest.factors.extend_from_slice(sum.row(at));
                    Sum::constant(Coefficient::ONE)
                }
                Err(TooLarge) => return Err(large(self)),
            };
            rest.close(sum.values[at].clone()).map_err(|TooLarge| large(self))?;
            let product = product.mul(&rest).map_err(|TooLarge| large(self))?;
            result.append(&product, &Coefficient::ONE).map_err(|TooLarge| large(self))?;
        }
        result.normalize().map_err(|TooLarge| large(self))?;
        self.expand = expand;
        self.depth -= 1;
        Ok(result)
    }

    /// The symbol of a function of arguments, which the code computes. The arguments must be normalized.
    pub(super) fn computed(&mut self, function: Function, arguments: Vec<Sum>) -> Result<u16, Failure> {
        let hash = soloist::problem::stable_hash(&(function, &arguments));
        let known = self.calls.by_hash.get(&hash).into_iter().flatten();
        let same = |&&at: &&usize| self.calls.all[at].function == function && self.calls.all[at].arguments == arguments;
        if let Some(&at) = known.clone().find(same) {
            return Ok(self.calls.all[at].symbol);
        }
        let at = self.calls.all.len();
        let name = self.call_name(function, &arguments).unwrap_or_else(|| format!("{{f{}}}", at + 1));
        let symbol = self.intern(&name)?;
        self.calls.all.push(CallOf { symbol, function, arguments, statement: self.done.len() });
        self.calls.by_hash.entry(hash).or_default().push(at);
        Ok(symbol)
    }

    /// The text of a call; `None` if it is long or stands for another symbol.
    fn call_name(&self, function: Function, arguments: &[Sum]) -> Option<String> {
        let mut texts = Vec::new();
        if let Function::Constant(constant) = function {
            return (!self.index.contains_key(constant.name())).then(|| constant.name().to_owned());
        }
        for argument in arguments {
            let mut text = String::new();
            self.write(argument, &mut text, MAX_CALL_NAME).ok()?;
            texts.push(text);
        }
        let joined = texts.join(",");
        let first = arguments.first()?;
        let plain = first.len() == 1
            && first.values[0] == Coefficient::ONE
            && matches!(first.row(0), [factor] if factor.exponent == 1 && !self.blocks.of.contains_key(&factor.symbol));
        let name = match function {
            Function::Inverse if plain && !joined.ends_with("^-1") => format!("{joined}^-1"),
            Function::Inverse => format!("({joined})^-1"),
            Function::Root(2) => format!("sqrt({joined})"),
            Function::Root(degree) => format!("({joined})^(1/{degree})"),
            Function::Power => format!("pow({joined})"),
            Function::Named(name) => format!("{name}({joined})"),
            Function::Select(relation) => format!("{}({joined})", relation.select()),
            Function::Constant(constant) => constant.name().to_owned(),
        };
        (!self.index.contains_key(&name)).then_some(name)
    }

    /// The symbol that stands for a sum. The sum must be normalized and have content 1.
    pub(super) fn block(&mut self, sum: Sum) -> Result<u16, Failure> {
        let hash = soloist::problem::stable_hash(&sum);
        let known = self.blocks.by_hash.get(&hash).into_iter().flatten();
        if let Some(&block) = known.clone().find(|&&block| self.blocks.all[block].sum == sum) {
            return Ok(self.blocks.all[block].symbol);
        }
        let at = self.blocks.all.len();
        // No name can contain a brace.
        let symbol = self.intern(&format!("{{{}}}", at + 1))?;
        self.blocks.all.push(Block { symbol, sum, statement: self.done.len() });
        self.blocks.of.insert(symbol, at);
        self.blocks.by_hash.entry(hash).or_default().push(at);
        Ok(symbol)
    }

    /// A sum as text. Equal sums have equal texts.
    pub(super) fn render(&self, sum: &Sum) -> Result<String, Failure> {
        let mut text = String::new();
        self.write(sum, &mut text, MAX_NAME)?;
        Ok(text)
    }

    fn write(&self, sum: &Sum, text: &mut String, most: usize) -> Result<(), Failure> {
        if sum.len() == 0 {
            text.push('0');
        }
        for at in 0..sum.len() {
            let value = &sum.values[at];
            if value.is_negative() || at > 0 {
                text.push(if value.is_negative() { '-' } else { '+' });
            }
            let (value, row) = (value.abs(), sum.row(at));
            if value != Coefficient::ONE || row.is_empty() {
                // Writing to a string cannot fail.
                let _ = write!(text, "{value}");
                text.push_str(if row.is_empty() { "" } else { "*" });
            }
            for (place, factor) in row.iter().enumerate() {
                text.push_str(if place > 0 { "*" } else { "" });
                let name = &self.symbols[usize::from(factor.symbol)];
                match self.blocks.of.get(&factor.symbol) {
                    Some(&block) => {
                        text.push('(');
                        self.write(&self.blocks.all[block].sum, text, most)?;
                        text.push(')');
                    }
                    None if name.ends_with("^-1") && factor.exponent > 1 => {
                        let _ = write!(text, "({name})");
                    }
                    None => text.push_str(name),
                }
                if factor.exponent > 1 {
                    let _ = write!(text, "^{}", factor.exponent);
                }
            }
            if text.len() > most {
                return self.fail("the argument of a function or the base of an inverse is longer than 1 MiB");
            }
        }
        Ok(())
    }
}
