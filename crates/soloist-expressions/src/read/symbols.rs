//! Symbols, blocks and opaque parts.

use super::reader::{Block, Failure, Reader};
use super::sum::Sum;
use crate::algebra::{Coefficient, MAX_VARIABLES};
use std::fmt::Write as _;

/// The most bytes of the text of an opaque function or inverse.
const MAX_NAME: usize = 1 << 20;

impl Reader<'_> {
    pub(super) fn intern(&mut self, name: &str) -> Result<u16, Failure> {
        if let Some(&symbol) = self.index.get(name) {
            return Ok(symbol);
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

    /// The symbol of 1 / `symbol`.
    pub(super) fn inverse(&mut self, symbol: u16) -> Result<u16, Failure> {
        if let Some(&block) = self.block_of.get(&symbol) {
            let name = format!("({})^-1", self.render(&self.blocks[block].sum)?);
            return self.intern(&name);
        }
        let name = &self.symbols[usize::from(symbol)];
        // The inverse of an inverse is the symbol itself.
        if let Some(&base) = name.strip_suffix("^-1").and_then(|base| self.index.get(base)) {
            return Ok(base);
        }
        let name = if name.ends_with("^-1") { format!("({name})^-1") } else { format!("{name}^-1") };
        self.intern(&name)
    }

    /// The symbol that stands for a sum. The sum must be normalized and have content 1.
    pub(super) fn block(&mut self, sum: Sum) -> Result<u16, Failure> {
        let hash = soloist::stable_hash(&sum);
        let known = self.known.get(&hash).into_iter().flatten();
        if let Some(&block) = known.clone().find(|&&block| self.blocks[block].sum == sum) {
            return Ok(self.blocks[block].symbol);
        }
        let at = self.blocks.len();
        // No name can contain a brace.
        let symbol = self.intern(&format!("{{{}}}", at + 1))?;
        self.blocks.push(Block { symbol, sum, statement: self.done.len() });
        self.block_of.insert(symbol, at);
        self.known.entry(hash).or_default().push(at);
        Ok(symbol)
    }

    /// A sum as text. Equal sums have equal texts.
    pub(super) fn render(&self, sum: &Sum) -> Result<String, Failure> {
        let mut text = String::new();
        self.write(sum, &mut text)?;
        Ok(text)
    }

    fn write(&self, sum: &Sum, text: &mut String) -> Result<(), Failure> {
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
                match self.block_of.get(&factor.symbol) {
                    Some(&block) => {
                        text.push('(');
                        self.write(&self.blocks[block].sum, text)?;
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
            if text.len() > MAX_NAME {
                return self.fail("the argument of a function or the base of an inverse is longer than 1 MiB");
            }
        }
        Ok(())
    }
}
