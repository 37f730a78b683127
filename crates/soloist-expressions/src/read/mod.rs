//! Reads expressions as FORM, Maple, SymPy and PARI print them.

mod expression;
mod number;
mod reader;
mod statement;
mod sum;
mod symbols;

use crate::algebra::{Definition, MAX_VARIABLES, Polynomial, Source, System};
pub use expression::EXPAND_LIMIT;
pub(crate) use number::MAX_DIGITS;
pub use reader::EXPAND_BUDGET;
use reader::Reader;
use soloist_domain::InstanceError;
use soloist_domain::input::{read_file_prefix, text_bytes};
use std::path::Path;
use std::sync::Arc;
use sum::Sum;

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 1 << 30;
/// The most exponents (terms times symbols) of a system, 2 bytes each.
pub const MAX_TABLE: usize = 1 << 29;

/// Reads the file at `path`; see [`parse`].
///
/// # Errors
/// A file that cannot be read, is larger than 1 GiB, or is refused by [`parse`].
pub fn read(path: &str, expand: bool) -> Result<System, InstanceError> {
    let bytes = read_file_prefix(Path::new(path), MAX_BYTES)?;
    if bytes.len() > MAX_BYTES {
        return Err(InstanceError::new(path, "larger than 1 GiB, the most that is read"));
    }
    parse(path, &bytes, expand)
}

/// Reads a system of expressions. Errors call the text `name`.
///
/// An output is `name = expression;`, `name := expression;` or a bare expression. `Local`, `Global` and declarations of
/// FORM may stand in front. The `;` may be missing at the end and before a line `name = ...`. An expression consists of
/// numbers (`12`, `p/q`, `1.5e-3`, read exactly), names (`a1`, `a[1]`, `p1.p2`), `+ - * /`, `^` or `**` with a whole
/// exponent, parentheses and functions. A list `[x+y, x*y]`, a list of lists and a `Matrix(...)` as Python prints them
/// are several outputs, called `name[0]` and so on. Behind a statement of FORM (`Symbols [x+y];`, `Local F = ...`) a
/// text in brackets is a name instead. Line ends are blanks, and a `\` joins two lines. Comments are `# ...`,
/// `\\ ...`, `/* ... */`, `(* ... *)` and, between statements, lines that start with `*`. The name of an earlier output
/// stands for its expression.
///
/// Functions and inverses are opaque: `sin(x)` and `x^-1` become symbols. Products and powers of sums are multiplied
/// out if they form at most [`EXPAND_LIMIT`] products of terms (and all of a file at most [`EXPAND_BUDGET`] plus its
/// size, of at most 2^27 words in the coefficients: `(a+b)^2000` is multiplied out, `(a+b)^3000` is not). Other sums,
/// or with `expand` false all sums, become blocks of the [`System`]. Time and memory grow linearly with the text, apart
/// from a sort of the terms.
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
    parse_as(name, bytes, expand, false)
}

/// As [`parse`]; with `form` the text is FORM from its beginning.
pub(crate) fn parse_as(name: &str, bytes: &[u8], expand: bool, form: bool) -> Result<System, InstanceError> {
    let text = text_bytes(name, bytes)?;
    let mut reader = Reader { form, ..Reader::new(text, expand) };
    let statements = match reader.statements() {
        Ok(statements) => statements,
        Err((offset, message)) => return Err(place(name, text, offset, message)),
    };
    if statements.is_empty() {
        return Err(InstanceError::new(name, "no expression"));
    }
    let (symbols, blocks) = reader.finish();
    let symbols: Arc<[String]> = symbols.into();
    let entries =
        blocks.iter().map(|block| block.sum.len()).chain(statements.iter().map(|statement| statement.sum.len()));
    let entries = entries.sum::<usize>().saturating_mul(symbols.len());
    if symbols.len() > MAX_VARIABLES || entries > MAX_TABLE {
        let message = format!("{entries} exponents (terms times symbols), at most {MAX_TABLE} are held");
        return Err(InstanceError::new(name, message));
    }
    let fail = |message: String| InstanceError::new(name, message);
    let mut definitions = Vec::new();
    let mut outputs = Vec::new();
    let mut blocks = blocks.into_iter().peekable();
    for (at, statement) in statements.into_iter().enumerate() {
        // Blocks that the statement introduced.
        while let Some(block) = blocks.next_if(|block| block.statement <= at) {
            let polynomial = dense(&symbols, block.sum).map_err(fail)?;
            let symbol = usize::from(block.symbol);
            definitions.push(Definition { name: symbols[symbol].clone(), polynomial, symbol: Some(symbol) });
        }
        let polynomial = dense(&symbols, statement.sum).map_err(fail)?;
        definitions.push(Definition { name: statement.name.clone(), polynomial, symbol: None });
        outputs.push((statement.name, statement.range));
    }
    let system = System::new(symbols, definitions).map_err(fail)?;
    Ok(system.with_source(Source { name: name.to_owned(), text: text.into(), outputs }))
}

/// The system of the same text with its parentheses kept, as [`parse`] reads it with `expand` false. `None`: the system
/// was not read from a text, or no sum of it was multiplied out.
///
/// # Errors
/// As of [`parse`]; a text may have too many symbols when each of its sums is one.
pub fn as_written(system: &System) -> Result<Option<System>, InstanceError> {
    // Reading a large text twice takes long.
    let Some(Source { name, text, .. }) = system.source().filter(|source| source.text.contains(&b'(')) else {
        return Ok(None);
    };
    let written = parse(name, text, false)?;
    Ok(written.is_block().contains(&true).then_some(written))
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
