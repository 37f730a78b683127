//! Reads expressions as programs of computer algebra print them, and assignments of programming languages.

mod blanks;
mod dialect;
mod expression;
mod number;
mod reader;
mod statement;
mod sum;
mod symbols;

use crate::algebra::{Assigned, Call, Definition, Function, MAX_VARIABLES, Polynomial, Reading, Source, System};
pub use dialect::Notation;
pub use expression::EXPAND_LIMIT;
pub(crate) use number::MAX_DIGITS;
use reader::{Block, CallOf, Reader, Statement};
use soloist_domain::InstanceError;
use soloist_domain::input::{read_file_prefix, text_bytes};
use std::path::Path;
use std::sync::Arc;
use sum::Sum;

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 1 << 30;
/// The most exponents (terms times symbols) of a system, 2 bytes each.
pub const MAX_TABLE: usize = 1 << 29;
/// The largest text that is read again with relations between its outputs.
const MAX_RELATED: usize = 1 << 22;

/// Reads the file at `path`; see [`parse`].
///
/// # Errors
/// A file that cannot be read, is larger than 1 GiB, or is refused by [`parse`].
pub fn read(path: &str, expand: bool) -> Result<System, InstanceError> {
    read_with(path, expand, None, &Reading::default())
}

/// As [`read`], with the settings of [`parse_with`].
///
/// # Errors
/// Same as for [`read`] and [`parse_with`].
pub fn read_with(
    path: &str,
    expand: bool,
    notation: Option<Notation>,
    reading: &Reading,
) -> Result<System, InstanceError> {
    let bytes = read_file_prefix(Path::new(path), MAX_BYTES)?;
    if bytes.len() > MAX_BYTES {
        return Err(InstanceError::new(path, "larger than 1 GiB, the most that is read"));
    }
    parse_with(path, &bytes, expand, notation, reading)
}

/// Reads a system of expressions. Errors call the text `name`.
///
/// An output is `name = expression;`, `name := expression;` or a bare expression; a mere name among assignments is an
/// error. In texts of FORM, `Local`, `Global` and declarations may stand in front. The `;` may be missing at the end
/// and before a line `name = ...`. An expression consists of numbers (`12`, `p/q`, `1.5e-3`, read exactly), names
/// (`a1`, `a[1]`, `p1.p2`), `+ - * /`, `^` or `**` with a whole exponent, parentheses and functions. A list `[x+y,
/// x*y]`, a list of lists and a `Matrix(...)` as Python prints them are several outputs, called `name[0]` and so on.
/// Behind a statement of FORM (`Symbols [x+y];`, `Local F = ...`) a text in brackets is a name instead. Line ends are
/// blanks, and a `\` joins two lines. Comments are `# ...`,
/// `\\ ...`, `/* ... */`, `(* ... *)` and, in FORM, lines that start with `*`. The name of an earlier output
/// stands for its expression.
///
/// Other notations are turned into this one first: listings of FORM, Mathematica (`f[x]`, `{a, b}`, `Power[a, 2]`),
/// Maple (`v := [a, b]`), SymPy (`srepr`, `Matrix`, `S(3)`), Maxima (`f : a$`), MATLAB (`a.*b`, `[a; b]`),
/// assignments of C (`double t = pow(a, 2);`) and Fortran (`&`, `1.5d0`). Each has its own words: FORM's `den(x)` is
/// 1/x there and in Mathematica alone. Without a notation it is guessed by marks that no other one has; a text without
/// marks has the words that mean the same wherever they occur. Every word and number is read, or skipped and listed by
/// [`System::skipped`], or it is an error.
///
/// A statement that later ones use is an intermediate and no output, unless FORM declares it as an expression.
///
/// Functions and inverses that code can compute are [`Call`]s: `sin(x)`, `x^-1`, `x^(1/2)`, `x^n`; one
/// inverse for each denominator up to content and sign. Other functions are opaque: `f(x)` becomes a symbol.
/// Conditionals of all notations (`Piecewise`, `c ? a : b`, `merge`) and the constants pi and e are calls too. The
/// imaginary unit is one with [`Reading::complex`], elsewhere an error; see `docs/guide/expressions.md`.
/// Products and powers of sums are multiplied out if they form at most [`EXPAND_LIMIT`] products of terms (and all
/// of a file at most 4,000,000 plus its size, of at most 2^27 words in the coefficients: `(a+b)^2000` is
/// multiplied out, `(a+b)^3000` is not). Other sums, or with `expand` false all sums, become blocks of the
/// [`System`]. Time and memory grow linearly with the text, apart from a sort of the terms.
///
/// # Errors
/// One line with line and column and what was expected: syntax, a division by something that is no number, name or sum,
/// more than 4096 symbols, exponents above 65535, numbers above 10,000 digits, nesting deeper than 200.
///
/// ```
/// use soloist_expressions::parse;
/// let system = parse("a.txt", b"F = (x+y)^2 - 3/2*x*y;\nG = sin(x)*y;", true).unwrap();
/// let outputs: Vec<String> = system.outputs().map(|output| output.polynomial.to_string()).collect();
/// assert_eq!(outputs, ["x^2+1/2*x*y+y^2", "y*sin(x)"]);
/// let error = parse("a.txt", b"x +\n  y +* 2", true).unwrap_err();
/// assert_eq!(error.to_string(), "a.txt: line 2, column 6: expected a number, a name or '('");
/// ```
pub fn parse(name: &str, bytes: &[u8], expand: bool) -> Result<System, InstanceError> {
    parse_with(name, bytes, expand, None, &Reading::default())
}

/// As [`parse`], with a notation and the names of the outputs. Without a notation it is guessed where it matters.
///
/// # Errors
/// Same as for [`parse`]; an output that no statement defines; inputs that are not among those of the reading.
pub fn parse_with(
    name: &str,
    bytes: &[u8],
    expand: bool,
    notation: Option<Notation>,
    reading: &Reading,
) -> Result<System, InstanceError> {
    let text = text_bytes(name, bytes)?;
    let whole = Extent { expand, inline: usize::MAX };
    if let Some(form) = dialect::is_plain(text, notation) {
        let reading = Reading { form: reading.form || form, ..reading.clone() };
        let wrong = |offset, message| place(name, text, offset, message);
        return parse_plain(name, text, whole, &reading, Vec::new(), &wrong);
    }
    let translated = match dialect::translate(text, notation, reading) {
        Ok(translated) => translated,
        Err((offset, message)) => return Err(place(name, text, offset, message)),
    };
    let mut reading = Reading { form: translated.form, ..reading.clone() };
    if reading.outputs.is_none() && reading.args.is_none() {
        (reading.outputs, reading.args) = (translated.outputs.clone(), translated.args.clone());
    }
    let wrong = |offset, message| place(name, text, translated.origin(offset), message);
    parse_plain(name, translated.text.as_bytes(), whole, &reading, translated.skipped.clone(), &wrong)
}

/// A text in the notation of the reader, a statement a line, and what of it was skipped by name: what [`parse_with`]
/// understands of it before anything is computed.
///
/// # Errors
/// Same as for [`parse_with`], as far as the text is not understood.
pub fn translated(
    name: &str,
    bytes: &[u8],
    notation: Option<Notation>,
    reading: &Reading,
) -> Result<(String, Vec<String>), InstanceError> {
    let text = text_bytes(name, bytes)?;
    let made = dialect::translate(text, notation, reading);
    made.map(|made| (made.text, made.skipped)).map_err(|(offset, message)| place(name, text, offset, message))
}

/// How much of a text is multiplied out and put in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// Whether products and powers of sums are multiplied out.
    pub(crate) expand: bool,
    /// The most terms of an intermediate that is put in where it is used. Any more: the reader's own limit.
    pub(crate) inline: usize,
}

/// Reads a text in the notation of FORM, where names in brackets need no declaration.
pub(crate) fn parse_form(name: &str, bytes: &[u8]) -> Result<System, InstanceError> {
    let text = text_bytes(name, bytes)?;
    let reading = Reading { form: true, ..Reading::default() };
    let extent = Extent { expand: true, inline: usize::MAX };
    parse_plain(name, text, extent, &reading, Vec::new(), &|offset, message| place(name, text, offset, message))
}

/// Reads a text in the notation of the reader itself.
fn parse_plain(
    name: &str,
    text: &[u8],
    extent: Extent,
    reading: &Reading,
    mut skipped: Vec<String>,
    wrong: &dyn Fn(usize, String) -> InstanceError,
) -> Result<System, InstanceError> {
    let mut reader = Reader { form: reading.form, ..Reader::new(text, extent.expand) };
    reader.inline = reader.inline.min(extent.inline);
    reader.opaque.clone_from(&reading.opaque);
    reader.complex = reading.complex;
    let args = reading.args.as_deref().unwrap_or_default();
    for (at, arg) in args.iter().enumerate() {
        if args[..at].contains(arg) {
            return Err(InstanceError::new(name, format!("the input `{}` is named twice", arg.escape_debug())));
        }
        let head = arg.split_once('(').map_or("", |(head, _)| head);
        let computed =
            (1..=2).any(|count| Function::named(head, count).is_some()) && !reading.opaque.contains(&head.to_owned());
        if computed || arg.contains('^') {
            return Err(InstanceError::new(
                name,
                format!("`{}` is computed by the code and no input", arg.escape_debug()),
            ));
        }
        reader.intern(arg).map_err(|(offset, message)| wrong(offset, message))?;
    }
    let mut statements = reader.statements().map_err(|(offset, message)| wrong(offset, message))?;
    for line in reader.skipped.drain(..) {
        if !skipped.contains(&line) {
            skipped.push(line);
        }
    }
    if statements.is_empty() {
        return Err(InstanceError::new(name, "no expression"));
    }
    let fail = |message: String| InstanceError::new(name, message);
    let outputs = outputs(&statements, reading.outputs.as_deref()).map_err(fail)?;
    let mut assigned: Vec<Assigned> = Vec::new();
    for (at, statement) in statements.iter().enumerate() {
        let (name, range) = (statement.name.clone(), statement.range.clone());
        assigned.push(Assigned { name, range, output: outputs.contains(&at) });
    }
    let (mut symbols, mut blocks, mut calls) = reader.finish();
    if outputs.len() < statements.len() || !calls.is_empty() {
        let results = outputs.iter().map(|&at| &statements[at].sum);
        let mut needed = needed(&symbols, &blocks, &calls, results);
        needed[..args.len()].fill(true);
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
        let message = format!("{entries} exponents (terms times symbols), at most {MAX_TABLE} are held");
        return Err(InstanceError::new(name, message));
    }
    let mut definitions = Vec::new();
    let mut blocks = blocks.into_iter().peekable();
    let mut called = calls.into_iter().peekable();
    let (mut calls, mut results) = (Vec::new(), 0);
    // Outputs in another order than in the text come after all blocks.
    let ordered = outputs.is_sorted();
    for at in outputs {
        while let Some(block) = blocks.next_if(|block| !ordered || block.statement <= at) {
            let polynomial = dense(&symbols, block.sum).map_err(fail)?;
            let symbol = usize::from(block.symbol);
            definitions.push(Definition {
                name: symbols[symbol].clone(),
                polynomial,
                symbol: Some(symbol),
                argument: false,
            });
        }
        while let Some(call) = called.next_if(|call| !ordered || call.statement <= at) {
            let symbol = usize::from(call.symbol);
            let from = results;
            for sum in call.arguments {
                let polynomial = dense(&symbols, sum).map_err(fail)?;
                let name = format!("the argument of {}", symbols[symbol]);
                definitions.push(Definition { name, polynomial, symbol: None, argument: true });
                results += 1;
            }
            calls.push(Call { symbol, function: call.function, arguments: (from..results).collect() });
        }
        let polynomial = dense(&symbols, std::mem::take(&mut statements[at].sum)).map_err(fail)?;
        definitions.push(Definition { name: assigned[at].name.clone(), polynomial, symbol: None, argument: false });
        results += 1;
    }
    let system = System::new(symbols, definitions).map_err(fail)?.with_calls(calls);
    if reading.args.is_some() {
        let more: Vec<usize> = system.given().into_iter().filter(|&symbol| symbol >= args.len()).collect();
        if let Some(&first) = more.first() {
            let shown = system.symbols()[first].escape_debug().to_string();
            let others = if more.len() > 1 { format!(" and {} more", more.len() - 1) } else { String::new() };
            return Err(fail(format!("the input `{shown}`{others} is not among the inputs that were named")));
        }
    }
    let (name, text, reading) = (name.to_owned(), text.into(), reading.clone());
    let source = Source { name, text, statements: assigned, reading, skipped };
    Ok(system.with_source(source))
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
    parts.sort_unstable_by_key(|&(symbol, _)| std::cmp::Reverse(symbol));
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

/// The system of the same text with its parentheses kept, as [`parse`] reads it with `expand` false, and each
/// intermediate computed once. `None`: the system was not read from a text, or no sum of it was multiplied out.
///
/// # Errors
/// Same as for [`parse`]; a text may have too many symbols when each of its sums is one.
pub(crate) fn as_written(system: &System) -> Result<Option<System>, InstanceError> {
    // Reading a large text twice takes long.
    let worth = |source: &&Source| source.text.contains(&b'(') || has_intermediates(source);
    let Some(source) = system.source().filter(worth) else { return Ok(None) };
    let written = again(source, Extent { expand: false, inline: 0 })?;
    Ok(written.is_block().contains(&true).then_some(written))
}

/// The system of the same text where only intermediates of at most `inline` terms are put in, for each limit. Empty for
/// a system that was read without intermediates. Leaves out systems that are too large.
pub(crate) fn inlined(system: &System, limits: &[usize]) -> Vec<System> {
    let Some(source) = system.source().filter(|source| has_intermediates(source)) else { return Vec::new() };
    limits.iter().filter_map(|&inline| again(source, Extent { expand: true, inline }).ok()).collect()
}

/// The system of the same text with other inputs and outputs; `None` without a text, or if it has none of these names.
pub(crate) fn reread(system: &System, reading: &Reading) -> Option<System> {
    let source = system.source()?;
    let reading = Reading { form: source.reading.form, ..reading.clone() };
    let source = Source { reading, ..source.clone() };
    again(&source, Extent { expand: true, inline: usize::MAX }).ok()
}

/// An output that is computed from another one: its sum with that, or its difference, takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    /// The place of the output among the outputs.
    pub(crate) output: usize,
    /// The place of the other one.
    pub(crate) from: usize,
    /// Whether the other one is subtracted.
    pub(crate) negative: bool,
}

/// The system of the same text where sums and differences take the place of outputs; `None` without a text.
pub(crate) fn with_relations(system: &System, relations: &[Relation]) -> Option<System> {
    let source = system.source()?;
    let mut names: Vec<String> = system.outputs().map(|output| output.name.clone()).collect();
    let mut text = source.text.to_vec();
    if text.len() > MAX_RELATED {
        return None;
    }
    let expression = |name: &str| {
        let statement = source.statements.iter().find(|statement| statement.name == name)?;
        source.text.get(statement.range.clone())
    };
    let own: Vec<String> = names.clone();
    for relation in relations {
        let mut name = format!("related_{}", relation.output + 1);
        while source.statements.iter().any(|statement| statement.name == name) || system.symbols().contains(&name) {
            name.push('_');
        }
        text.extend_from_slice(b"\n;");
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b" = (");
        text.extend_from_slice(expression(&own[relation.output])?);
        text.extend_from_slice(if relation.negative { b"\n) - (" } else { b"\n) + (" });
        text.extend_from_slice(expression(&own[relation.from])?);
        text.extend_from_slice(b"\n);\n");
        names[relation.output] = name;
    }
    let reading = Reading { outputs: Some(names), ..source.reading.clone() };
    let source = Source { text: text.into(), reading, ..source.clone() };
    again(&source, Extent { expand: true, inline: usize::MAX }).ok()
}

fn has_intermediates(source: &Source) -> bool {
    source.statements.iter().any(|statement| !statement.output)
}

fn again(source: &Source, extent: Extent) -> Result<System, InstanceError> {
    let wrong = |offset, message| place(&source.name, &source.text, offset, message);
    parse_plain(&source.name, &source.text, extent, &source.reading, source.skipped.clone(), &wrong)
}

/// The error at byte `offset` of `text`.
fn place(name: &str, text: &[u8], offset: usize, message: String) -> InstanceError {
    let offset = offset.min(text.len());
    let line = 1 + text[..offset].iter().filter(|&&byte| byte == b'\n').count();
    let start = text[..offset].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    // Continuation bytes of UTF-8 start no character.
    let column = 1 + text[start..offset].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    InstanceError::new(name, message).with_line(line).with_column(column)
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
