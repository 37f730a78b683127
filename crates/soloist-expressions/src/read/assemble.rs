//! From the statements of a text to a system.

use super::dialect::{self, Output, Parser};
use super::reader::{Block, CallOf, Failure, Reader, Statement};
use super::sum::Sum;
use super::{Extent, MAX_TABLE, place};
use crate::algebra::{
    Call, Definition, Function, MAX_VARIABLES, Notation, Polynomial, Reading, Related, Source, System,
};
use soloist_domain::InstanceError;
use std::sync::Arc;

/// A text that is read.
pub(super) struct Given<'a> {
    /// What errors call it.
    pub(super) name: &'a str,
    pub(super) text: &'a [u8],
    /// Its notation, which may be unknown; `None`: that of the reader.
    pub(super) notation: Option<Option<Notation>>,
    /// Statements that are added to those of the text.
    pub(super) relations: &'a [Related],
}

/// What a text held beside its statements.
struct Found {
    /// The expressions in the notation of the reader, for the verifier.
    text: Arc<[u8]>,
    skipped: Vec<String>,
    reading: Reading,
}

impl Given<'_> {
    /// The system of the text.
    pub(super) fn system(&self, extent: Extent, reading: &Reading) -> Result<System, InstanceError> {
        let fail = |message: String| InstanceError::new(self.name, message);
        let mut reader = Reader::new(self.text.len(), extent.expand);
        reader.inline = reader.inline.min(extent.inline);
        reader.opaque.clone_from(&reading.opaque);
        reader.complex = reading.complex;
        let Found { text, skipped, reading } = match self.notation {
            None => self.read_plain(&mut reader, reading)?,
            Some(notation) => self.read_notation(&mut reader, notation, reading)?,
        };
        let count = reading.args.as_ref().map_or(0, Vec::len);
        let outputs = outputs(&reader.done, reading.outputs.as_deref()).map_err(fail)?;
        let statements = reader.assigned(&outputs);
        let system = system(reader, &outputs, count).map_err(fail)?;
        if reading.args.is_some() {
            only_named(&system, count).map_err(fail)?;
        }
        let (name, given, relations) = (self.name.to_owned(), self.text, self.relations.to_vec());
        let given = if self.notation.is_none() && relations.is_empty() { Arc::clone(&text) } else { given.into() };
        let notation = self.notation;
        Ok(system.with_source(Source { name, given, notation, relations, text, statements, reading, skipped }))
    }

    /// Reads a text in the notation of the reader.
    fn read_plain(&self, reader: &mut Reader, reading: &Reading) -> Result<Found, InstanceError> {
        self.inputs(reader, reading)?;
        let mut parser = Parser::plain(self.text, reading.form);
        let read = reader.plain(&mut parser).and_then(|()| reader.name_all(self.text));
        read.map_err(|failure| self.place(failure))?;
        let text = self.finish(reader, self.text)?;
        Ok(Found { text, skipped: parser.skipped(), reading: reading.clone() })
    }

    /// Reads a text of any notation.
    fn read_notation(
        &self,
        reader: &mut Reader,
        notation: Option<Notation>,
        reading: &Reading,
    ) -> Result<Found, InstanceError> {
        let parsed = dialect::parse(self.text, notation, reading).map_err(|failure| self.place(failure))?;
        let elements = parsed.elements();
        let mut output = Output::default();
        let ranges = output.elements(&elements).map_err(|failure| self.place(failure))?;
        let mut reading = reading.clone();
        if reading.outputs.is_none() && reading.args.is_none() {
            (reading.outputs, reading.args) = (parsed.outputs.clone(), parsed.args.clone());
        }
        self.inputs(reader, &reading)?;
        let text = output.text.as_bytes();
        let read = reader.elements(&elements, &ranges).and_then(|()| reader.name_all(text));
        read.map_err(|failure| self.place(failure))?;
        let text = self.finish(reader, text)?;
        Ok(Found { text, skipped: parsed.skipped, reading })
    }

    /// Adds the relations. Returns the text with their expressions.
    fn finish(&self, reader: &mut Reader, text: &[u8]) -> Result<Arc<[u8]>, InstanceError> {
        if reader.done.is_empty() {
            return Err(InstanceError::new(self.name, "no expression"));
        }
        if self.relations.is_empty() {
            return Ok(text.into());
        }
        let mut text = text.to_vec();
        reader.relate(self.relations, &mut text).map_err(|failure| self.place(failure))?;
        Ok(text.into())
    }

    /// Makes symbols of the inputs that were named.
    fn inputs(&self, reader: &mut Reader, reading: &Reading) -> Result<(), InstanceError> {
        let args = reading.args.as_deref().unwrap_or_default();
        for (at, arg) in args.iter().enumerate() {
            let wrong = |message: String| Err(InstanceError::new(self.name, message));
            if args[..at].contains(arg) {
                return wrong(format!("the input `{}` is named twice", arg.escape_debug()));
            }
            let head = arg.split_once('(').map_or("", |(head, _)| head);
            let computed = (1..=2).any(|count| Function::named(head, count).is_some())
                && !reading.opaque.contains(&head.to_owned());
            if computed || arg.contains('^') {
                return wrong(format!("`{}` is computed by the code and no input", arg.escape_debug()));
            }
            reader.intern(arg).map_err(|failure| self.place(failure))?;
        }
        Ok(())
    }

    fn place(&self, failure: Failure) -> InstanceError {
        place(self.name, self.text, failure)
    }
}

/// The system of what was read; the first `inputs` symbols are inputs that were named.
fn system(reader: Reader, outputs: &[usize], inputs: usize) -> Result<System, String> {
    let Reader { mut symbols, blocks, calls, done: mut statements, .. } = reader;
    let (mut blocks, mut calls) = (blocks.all, calls.all);
    if outputs.len() < statements.len() || !calls.is_empty() {
        let results = outputs.iter().map(|&at| &statements[at].sum);
        let mut needed = needed(&symbols, &blocks, &calls, results);
        needed[..inputs].fill(true);
        if needed.contains(&false) {
            let mut results: Vec<&mut Sum> = statements.iter_mut().map(|statement| &mut statement.sum).collect();
            compact(&mut symbols, &mut blocks, &mut calls, &mut results, &needed);
        }
    }
    let symbols: Arc<[String]> = symbols.into();
    let entries = blocks.iter().map(|block| block.sum.len()).chain(outputs.iter().map(|&at| statements[at].sum.len()));
    let entries = entries.chain(calls.iter().flat_map(|call| &call.arguments).map(Sum::len));
    let entries = entries.sum::<usize>().saturating_mul(symbols.len());
    if symbols.len() > MAX_VARIABLES || entries > MAX_TABLE {
        return Err(format!("{entries} exponents (terms times symbols), at most {MAX_TABLE} are held"));
    }
    let mut definitions = Vec::new();
    let mut blocks = blocks.into_iter().peekable();
    let mut called = calls.into_iter().peekable();
    let (mut calls, mut results) = (Vec::new(), 0);
    // Outputs in another order than in the text come after all blocks.
    let ordered = outputs.is_sorted();
    for &at in outputs {
        while let Some(block) = blocks.next_if(|block| !ordered || block.statement <= at) {
            let polynomial = dense(&symbols, block.sum)?;
            let symbol = usize::from(block.symbol);
            let name = symbols[symbol].clone();
            definitions.push(Definition { name, polynomial, symbol: Some(symbol), argument: false });
        }
        while let Some(call) = called.next_if(|call| !ordered || call.statement <= at) {
            let symbol = usize::from(call.symbol);
            let from = results;
            for sum in call.arguments {
                let polynomial = dense(&symbols, sum)?;
                let name = format!("the argument of {}", symbols[symbol]);
                definitions.push(Definition { name, polynomial, symbol: None, argument: true });
                results += 1;
            }
            calls.push(Call { symbol, function: call.function, arguments: (from..results).collect() });
        }
        let Statement { name, sum, .. } = &mut statements[at];
        let polynomial = dense(&symbols, std::mem::take(sum))?;
        definitions.push(Definition { name: std::mem::take(name), polynomial, symbol: None, argument: false });
        results += 1;
    }
    Ok(System::new(symbols, definitions)?.with_calls(calls))
}

/// Refuses a system with other inputs than the first `count` symbols, which were named.
fn only_named(system: &System, count: usize) -> Result<(), String> {
    let more: Vec<usize> = system.given().into_iter().filter(|&symbol| symbol >= count).collect();
    let Some(&first) = more.first() else { return Ok(()) };
    let shown = system.symbols()[first].escape_debug().to_string();
    let others = if more.len() > 1 { format!(" and {} more", more.len() - 1) } else { String::new() };
    Err(format!("the input `{shown}`{others} is not among the inputs that were named"))
}

/// The statements that are outputs: those of these names in this order, or all that no other statement uses.
fn outputs(statements: &[Statement], names: Option<&[String]>) -> Result<Vec<usize>, String> {
    let Some(names) = names else {
        let shown = |statement: &Statement| statement.kept || !statement.used;
        return Ok((0..statements.len()).filter(|&at| shown(&statements[at])).collect());
    };
    let mut outputs = Vec::new();
    for name in names {
        let at = statements.iter().position(|statement| statement.name == *name);
        let at = at.ok_or_else(|| {
            let known: Vec<&str> = statements.iter().take(20).map(|statement| &statement.name[..]).collect();
            format!("no statement defines the output `{}`; there are {}", name.escape_debug(), known.join(", "))
        })?;
        if outputs.contains(&at) {
            return Err(format!("the output `{}` is named twice", name.escape_debug()));
        }
        outputs.push(at);
    }
    if outputs.is_empty() { Err("no output is named".into()) } else { Ok(outputs) }
}

/// Whether the results need each symbol, through blocks and calls too.
fn needed<'a>(
    symbols: &[String],
    blocks: &[Block],
    calls: &[CallOf],
    results: impl Iterator<Item = &'a Sum>,
) -> Vec<bool> {
    let mut needed = vec![false; symbols.len()];
    let mark = |sum: &Sum, needed: &mut Vec<bool>| {
        for factor in &sum.factors {
            needed[usize::from(factor.symbol)] = true;
        }
    };
    results.for_each(|sum| mark(sum, &mut needed));
    let mut parts: Vec<(u16, &[Sum])> =
        blocks.iter().map(|block| (block.symbol, std::slice::from_ref(&block.sum))).collect();
    parts.extend(calls.iter().map(|call| (call.symbol, &call.arguments[..])));
    // A symbol comes before those that are made of it.
    soloist::order::sort_by_key(&mut parts, |&(symbol, _)| std::cmp::Reverse(symbol));
    for (symbol, sums) in parts {
        if needed[usize::from(symbol)] {
            sums.iter().for_each(|sum| mark(sum, &mut needed));
        }
    }
    needed
}

/// Drops the symbols that are not needed, with their blocks and calls.
fn compact(
    symbols: &mut Vec<String>,
    blocks: &mut Vec<Block>,
    calls: &mut Vec<CallOf>,
    results: &mut [&mut Sum],
    needed: &[bool],
) {
    let mut place = 0;
    let places: Vec<u16> = needed.iter().map(|&needed| (place, place += u16::from(needed)).0).collect();
    blocks.retain(|block| needed[usize::from(block.symbol)]);
    calls.retain(|call| needed[usize::from(call.symbol)]);
    let own = blocks.iter_mut().map(|block| &mut block.symbol).chain(calls.iter_mut().map(|call| &mut call.symbol));
    own.for_each(|symbol| *symbol = places[usize::from(*symbol)]);
    let sums = blocks.iter_mut().map(|block| &mut block.sum).chain(results.iter_mut().map(|sum| &mut **sum));
    let sums = sums.chain(calls.iter_mut().flat_map(|call| &mut call.arguments));
    for factor in sums.flat_map(|sum| &mut sum.factors) {
        factor.symbol = places[usize::from(factor.symbol)];
    }
    let mut keep = needed.iter();
    symbols.retain(|_| keep.next().is_some_and(|&needed| needed));
}

/// The sum as a polynomial with one row of exponents for each term.
fn dense(symbols: &Arc<[String]>, sum: Sum) -> Result<Polynomial, String> {
    let n = symbols.len();
    let mut exponents = vec![0; sum.len() * n];
    for at in 0..sum.len() {
        for factor in sum.row(at) {
            exponents[at * n + usize::from(factor.symbol)] = factor.exponent;
        }
    }
    Polynomial::new(Arc::clone(symbols), exponents, sum.values)
}
