//! Statements: expressions that become sums with a name.

use super::dialect::{Element, Parser};
use super::expression::{Atom, Product};
use super::reader::{Failure, Reader, Statement, is_letter};
use super::sum::Sum;
use super::symbols::foreign;
use crate::algebra::{Assigned, Coefficient, Related};
use std::ops::Range;

impl Reader {
    /// Reads a text in the notation of the reader, term by term.
    pub(super) fn plain(&mut self, parser: &mut Parser<'_>) -> Result<(), Failure> {
        while let Some((name, kept)) = parser.plain_target()? {
            self.check(parser.at, name.as_deref())?;
            parser.blanks()?;
            let start = parser.at;
            let sum = self.plain_sum(parser)?;
            let range = start..parser.at;
            parser.end()?;
            self.define(name, kept, start, range, sum);
        }
        Ok(())
    }

    /// Reads a sum of a text in the notation of the reader.
    fn plain_sum(&mut self, parser: &mut Parser<'_>) -> Result<Sum, Failure> {
        let mut sum = Sum::default();
        parser.enter()?;
        for count in 0.. {
            let ended = parser.at;
            parser.blanks()?;
            let (signs, negative) = parser.signs()?;
            if signs == 0 && count > 0 {
                parser.at = ended;
                break;
            }
            if !self.monomial(parser, negative, &mut sum)? {
                let tree = parser.product()?;
                self.summand(negative, &tree, &mut sum)?;
            }
        }
        parser.leave();
        Ok(sum)
    }

    /// Takes the expressions of a text of any notation; `ranges` are their places in the text for the verifier.
    pub(super) fn elements(&mut self, elements: &[Element<'_>], ranges: &[Range<usize>]) -> Result<(), Failure> {
        for (element, range) in elements.iter().zip(ranges) {
            self.check(element.at, element.name.as_deref())?;
            let sum = self.sum(element.value)?;
            self.define(element.name.clone(), element.kept, element.value.at, range.clone(), sum);
        }
        Ok(())
    }

    /// Whether a statement may have this name.
    fn check(&self, at: usize, name: Option<&str>) -> Result<(), Failure> {
        let Some(name) = name else { return Ok(()) };
        if let Some(foreign) = foreign(name) {
            return Err((at, foreign));
        }
        if name.split('[').next().is_some_and(|word| word.contains('.')) {
            return Err((at, "expected an operator, ';' or the end".into()));
        }
        let shown: String = name.chars().take(24).collect();
        if self.outputs.contains_key(name) {
            return Err((at, format!("a second output of the name '{shown}'")));
        }
        if self.is_symbol(name) {
            return Err((at, format!("'{shown}' is used above as a variable")));
        }
        Ok(())
    }

    fn define(&mut self, name: Option<String>, kept: bool, at: usize, range: Range<usize>, sum: Sum) {
        let kept = kept || name.is_none();
        let name = name.unwrap_or_default();
        if !name.is_empty() {
            self.outputs.insert(name.clone(), self.done.len());
        }
        self.done.push(Statement { name, sum, range, at, kept, used: false });
    }

    /// Names the statements that have no name. `text`: that of their ranges.
    pub(super) fn name_all(&mut self, text: &[u8]) -> Result<(), Failure> {
        let unnamed: Vec<usize> = (0..self.done.len()).filter(|&at| self.done[at].name.is_empty()).collect();
        if unnamed.len() < self.done.len()
            && let Some(&at) = unnamed.iter().find(|&&at| self.is_bare(at, text))
        {
            let shown = String::from_utf8_lossy(&text[self.done[at].range.clone()]);
            let shown: String = shown.trim().chars().take(40).collect();
            let message = format!("`{shown}` is no assignment and no command that is known here");
            return Err((self.done[at].at, message));
        }
        for (count, &at) in unnamed.iter().enumerate() {
            let mut name = if unnamed.len() == 1 { "f".to_owned() } else { format!("f{}", count + 1) };
            while self.outputs.contains_key(&name) || self.is_symbol(&name) {
                name.push('_');
            }
            self.outputs.insert(name.clone(), at);
            self.done[at].name = name;
        }
        Ok(())
    }

    /// Whether a statement is a mere word, or a function that code does not compute: no expression that stands for
    /// itself among assignments.
    fn is_bare(&self, at: usize, text: &[u8]) -> bool {
        let text = &text[self.done[at].range.clone()];
        let name = text.iter().take_while(|&&byte| is_letter(byte) || byte.is_ascii_digit() || byte == b'.').count();
        let name = String::from_utf8_lossy(&text[..name]);
        let sum = &self.done[at].sum;
        let [factor] = sum.factors[..] else { return false };
        let computed = self.calls.all.iter().any(|call| call.symbol == factor.symbol);
        let single = sum.len() == 1 && factor.exponent == 1 && sum.values[0] == Coefficient::ONE;
        single
            && !computed
            && !name.is_empty()
            && !self.outputs.contains_key(&*name)
            && !self.blocks.of.contains_key(&factor.symbol)
    }

    /// Adds statements that are sums or differences of others. Their expressions are appended to `text`.
    pub(super) fn relate(&mut self, relations: &[Related], text: &mut Vec<u8>) -> Result<(), Failure> {
        for Related { name, parts: [first, second], negative } in relations {
            let mut sum = Sum::default();
            let start = text.len();
            for (at, minus) in [(*first, false), (*second, *negative)] {
                let mut product = Product::new(0, minus, &sum);
                let atom = Atom::Sum(self.done[at].sum.clone());
                self.multiply_atom(&mut product, 0, atom, (false, 1), &mut sum)?;
                self.close(product, &mut sum)?;
                text.extend_from_slice(if minus { b"-(" } else { b"+(" });
                text.extend_from_within(self.done[at].range.clone());
                text.extend_from_slice(b"\n)");
            }
            self.define(Some(name.clone()), false, 0, start..text.len(), sum);
        }
        Ok(())
    }

    /// The statements, with the place of each in the text for the verifier and whether it is an output.
    pub(super) fn assigned(&self, outputs: &[usize]) -> Vec<Assigned> {
        let all = self.done.iter().enumerate();
        all.map(|(at, statement)| Assigned {
            name: statement.name.clone(),
            range: statement.range.clone(),
            output: outputs.contains(&at),
        })
        .collect()
    }
}
