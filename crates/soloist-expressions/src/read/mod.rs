//! Reads expressions as programs of computer algebra print them, and assignments of programming languages.

mod assemble;
mod blanks;
mod dialect;
mod expression;
mod monomial;
mod number;
mod reader;
mod statement;
mod sum;
mod symbols;

use crate::algebra::{Notation, Reading, Related, Source, System};
use assemble::Given;
use dialect::Output;
pub use expression::EXPAND_LIMIT;
pub(crate) use number::MAX_DIGITS;
use reader::Failure;
use soloist_domain::InstanceError;
use soloist_domain::input::{read_file_prefix, text_bytes};
use std::path::Path;

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
/// Other notations are read too: listings of FORM, Mathematica (`f[x]`, `{a, b}`, `Power[a, 2]`),
/// Maple (`v := [a, b]`), SymPy (`srepr`, `Matrix`, `S(3)`), Maxima (`f : a$`), MATLAB (`a.*b`, `[a; b]`),
/// assignments of C (`double t = pow(a, 2);`) and Fortran (`&`, `1.5d0`). Each has its own words: FORM's `den(x)` is
/// 1/x there and in Mathematica alone. Without a notation it is guessed by marks that no other one has; a text without
/// marks has the words that mean the same wherever they occur. Every word and number is read, or skipped and listed by
/// [`System::skipped`], or it is an error.
///
/// A statement that later ones use is an intermediate and no output, unless FORM declares it as an expression.
///
/// Functions and inverses that code can compute are [`Call`](crate::Call)s: `sin(x)`, `x^-1`, `x^(1/2)`, `x^n`; one
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
    let plain = dialect::is_plain(text, notation);
    let form = reading.form || plain == Some(true);
    let given = Given { name, text, notation: plain.is_none().then_some(notation), relations: &[] };
    given.system(whole, &Reading { form, ..reading.clone() })
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
    let print = || {
        let parsed = dialect::parse(text, notation, reading)?;
        let mut output = Output::default();
        output.elements(&parsed.elements())?;
        Ok((output.text, parsed.skipped))
    };
    print().map_err(|failure| place(name, text, failure))
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
    let given = Given { name, text: text_bytes(name, bytes)?, notation: None, relations: &[] };
    let extent = Extent { expand: true, inline: usize::MAX };
    given.system(extent, &Reading { form: true, ..Reading::default() })
}

/// The system of the same text with its parentheses kept, as [`parse`] reads it with `expand` false, and each
/// intermediate computed once. `None`: the system was not read from a text, or no sum of it was multiplied out.
///
/// # Errors
/// Same as for [`parse`]; a text may have too many symbols when each of its sums is one.
pub(crate) fn as_written(system: &System) -> Result<Option<System>, InstanceError> {
    // Reading a large text twice takes long.
    let worth = |source: &&Source| source.given.contains(&b'(') || has_intermediates(source);
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
    if source.text.len() > MAX_RELATED {
        return None;
    }
    let place = |name: &str| source.statements.iter().position(|statement| statement.name == name);
    let own: Vec<String> = names.clone();
    let mut source = source.clone();
    for relation in relations {
        let mut name = format!("related_{}", relation.output + 1);
        while place(&name).is_some() || system.symbols().contains(&name) {
            name.push('_');
        }
        let parts = [place(&own[relation.output])?, place(&own[relation.from])?];
        source.relations.push(Related { name: name.clone(), parts, negative: relation.negative });
        names[relation.output] = name;
    }
    source.reading.outputs = Some(names);
    again(&source, Extent { expand: true, inline: usize::MAX }).ok()
}

fn has_intermediates(source: &Source) -> bool {
    source.statements.iter().any(|statement| !statement.output)
}

fn again(source: &Source, extent: Extent) -> Result<System, InstanceError> {
    let Source { name, given, notation, relations, reading, .. } = source;
    Given { name, text: given, notation: *notation, relations }.system(extent, reading)
}

/// The error at a byte of `text`.
fn place(name: &str, text: &[u8], (offset, message): Failure) -> InstanceError {
    let offset = offset.min(text.len());
    let line = 1 + text[..offset].iter().filter(|&&byte| byte == b'\n').count();
    let start = text[..offset].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    // Continuation bytes of UTF-8 start no character.
    let column = 1 + text[start..offset].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    InstanceError::new(name, message).with_line(line).with_column(column)
}
