//! Texts of computer algebra and programming languages, turned into the notation of the reader.
//!
//! One grammar reads all notations: most signs have the same meaning wherever they occur. Words belong to notations,
//! and so do marks that differ (comments by `%`, rows of matrices by `;`, whole divisions of C). A text whose
//! [`Notation`] is not given and has no marks of one has the words that mean the same wherever they occur. Each word
//! and number of a text is read, or skipped by name, or refused.

mod conditions;
mod constants;
mod guess;
mod heads;
mod ledger;
mod lexer;
mod log;
mod parser;
mod statements;
mod tree;
mod words;

use super::reader::Failure;
use crate::algebra::Reading;
pub(super) use guess::DECLARING;
use guess::Words;
pub(super) use ledger::Ledger;
use lexer::Parser;
use std::collections::BTreeSet;
use tree::{Kind, Output, Tree};

/// The notation of a text, where marks decide that differ between notations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// FORM: `[x+y]` is a name.
    Form,
    /// Mathematica: `f[x]` is a function.
    Mathematica,
    /// Maple: `v := [..]` counts from 1.
    Maple,
    /// SymPy and Python.
    Sympy,
    /// Maxima: `f : x$` defines.
    Maxima,
    /// MATLAB and Octave: `%` starts a comment, blanks and `;` separate the elements of a matrix.
    Matlab,
    /// Fortran: `1/2` is a whole division.
    Fortran,
    /// C, C++ and Rust: `1/2` is a whole division.
    C,
}

impl Notation {
    /// All notations.
    pub const ALL: [Self; 8] =
        [Self::Form, Self::Mathematica, Self::Maple, Self::Sympy, Self::Maxima, Self::Matlab, Self::Fortran, Self::C];

    /// Its name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Mathematica => "mathematica",
            Self::Maple => "maple",
            Self::Sympy => "sympy",
            Self::Maxima => "maxima",
            Self::Matlab => "matlab",
            Self::Fortran => "fortran",
            Self::C => "c",
        }
    }
}

/// A text in the notation of the reader.
#[derive(Debug)]
pub(super) struct Translated {
    pub(super) text: String,
    /// Whether `[x+y]` is a name.
    pub(super) form: bool,
    /// What was skipped, or taken off, by name.
    pub(super) skipped: Vec<String>,
    /// The inputs of a function of MATLAB, if no other name occurs, and its outputs.
    pub(super) args: Option<Vec<String>>,
    pub(super) outputs: Option<Vec<String>>,
    /// Ascending places in the text, with the bytes of the original that they come from.
    marks: Vec<(usize, usize)>,
}

impl Translated {
    /// The byte of the original behind a place of the text.
    pub(super) fn origin(&self, at: usize) -> usize {
        let after = self.marks.partition_point(|&(place, _)| place <= at);
        after.checked_sub(1).map_or(0, |last| self.marks[last].1)
    }
}

/// A statement: the name of its output and its elements.
#[derive(Debug)]
pub(super) struct Statement {
    /// Where the name stands.
    at: usize,
    name: Option<String>,
    value: Tree,
    /// The index of the first element of a list.
    base: usize,
    /// Whether FORM calls it an expression, which is an output whoever uses it.
    local: bool,
}

/// Whether the reader takes a text of this notation as it is, because it holds no sign that needs another notation, and
/// whether it is then one of FORM.
pub(super) fn is_plain(text: &[u8], notation: Option<Notation>) -> Option<bool> {
    if !matches!(notation, None | Some(Notation::Form)) {
        return None;
    }
    let mut before = 0_u8;
    for (at, &byte) in text.iter().enumerate() {
        let next = text.get(at + 1).copied().unwrap_or(0);
        let special = match byte {
            b'[' | b'{' | b'!' | b'%' | b'&' | b'"' | b'\'' | b'`' | b'$' | b'<' | b'>' | b'?' | b'|' | b'~' => true,
            b'(' => next != b'*' && (super::reader::is_letter(before) || before.is_ascii_digit() || before == b']'),
            b'/' => next == b'/',
            b'=' => next == b'=' || matches!(before, b'+' | b'-' | b'!'),
            b':' => next != b'=',
            b'.' => matches!(next, b'*' | b'/' | b'^' | b'.'),
            b'd' | b'D' | b'L' | b'f' | b'F' | b'q' | b'Q' | b'i' | b'j' => {
                before.is_ascii_digit() && !after_letter(text, at)
            }
            _ => false,
        };
        if special {
            return None;
        }
        if !matches!(byte, b' ' | b'\t') {
            before = byte;
        }
    }
    if constants::has_names(text) || log::is_listing(text) {
        return None;
    }
    let given = notation == Some(Notation::Form);
    match guess::first_words(text, given) {
        Words::None => Some(given),
        Words::Form => Some(true),
        Words::Other => None,
    }
}

/// Whether the digits in front of `at` belong to a name.
fn after_letter(text: &[u8], at: usize) -> bool {
    let before = text[..at].iter().rev().find(|byte| !byte.is_ascii_digit());
    before.is_some_and(|&byte| super::reader::is_letter(byte))
}

/// Turns a text of any notation into that of the reader.
pub(super) fn translate(text: &[u8], notation: Option<Notation>, reading: &Reading) -> Result<Translated, Failure> {
    let printed;
    let original = text;
    let mut text = text;
    if log::is_listing(text) {
        printed = log::printed(text)?;
        text = &printed;
    }
    let mut parser = Parser::new(text, notation.or_else(|| guess::guess(original)));
    parser.complex = reading.complex;
    parser.known.extend(reading.args.iter().chain(&reading.outputs).flatten().cloned());
    parser.opaque.extend(reading.opaque.iter().cloned());
    for name in &parser.known {
        parser.spellings.insert(name.to_ascii_lowercase(), name.clone());
    }
    let statements = parser.statements()?;
    if let Some(at) = parser.ledger.left(text) {
        return Err((at, "a word that is neither read nor skipped".into()));
    }
    let (args, outputs) =
        parser.function.take().map_or((None, None), |(args, outputs)| signature(args, &outputs, &statements));
    let mut output = Output::default();
    for statement in &statements {
        output.statement(statement)?;
    }
    let Output { text, marks } = output;
    Ok(Translated { text, form: parser.form, skipped: parser.ledger.skipped, args, outputs, marks })
}

/// The inputs of a function, if its statements use no other ones, and the names of its outputs, element by element.
fn signature(
    args: Vec<String>,
    outputs: &[String],
    statements: &[Statement],
) -> (Option<Vec<String>>, Option<Vec<String>>) {
    let mut known: BTreeSet<&str> = args.iter().map(String::as_str).collect();
    let mut closed = true;
    for statement in statements {
        closed &= names_only(&statement.value, &known);
        known.extend(statement.name.as_deref());
    }
    let mut all = Vec::new();
    for output in outputs {
        for statement in statements.iter().filter(|statement| statement.name.as_ref() == Some(output)) {
            if matches!(statement.value.kind, Kind::List(_)) {
                let mut elements = Vec::new();
                flatten(&statement.value, statement.base, &mut Vec::new(), &mut elements);
                let name = |index: &[usize]| index.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
                all.extend(elements.iter().map(|(index, _)| format!("{output}[{}]", name(index))));
            } else {
                all.push(output.clone());
            }
        }
    }
    (closed.then_some(args), (!all.is_empty()).then_some(all))
}

/// Whether an expression holds no names but these, and no functions that the code does not compute.
fn names_only(tree: &Tree, known: &BTreeSet<&str>) -> bool {
    match &tree.kind {
        Kind::Number(..) | Kind::Truth(_) => true,
        Kind::Name(name) => known.contains(name.as_str()),
        Kind::Sum(parts) | Kind::Product(parts) => parts.iter().all(|(_, part)| names_only(part, known)),
        Kind::Power(base, exponent) => names_only(base, known) && names_only(exponent, known),
        Kind::Call(name, arguments) => {
            crate::algebra::Function::named(name, arguments.len()).is_some()
                && arguments.iter().all(|argument| names_only(argument, known))
        }
        Kind::List(elements) => elements.iter().all(|element| names_only(element, known)),
    }
}

impl Output {
    fn statement(&mut self, statement: &Statement) -> Result<(), Failure> {
        if !matches!(statement.value.kind, Kind::List(_)) {
            let name = statement.name.as_deref();
            return self.assign(statement, name, &statement.value);
        }
        let mut elements = Vec::new();
        flatten(&statement.value, statement.base, &mut Vec::new(), &mut elements);
        for (index, element) in elements {
            let index: Vec<String> = index.iter().map(usize::to_string).collect();
            let name = statement.name.as_ref().map(|name| match name.strip_suffix(']') {
                Some(open) => format!("{open},{}]", index.join(",")),
                None => format!("{name}[{}]", index.join(",")),
            });
            self.assign(statement, name.as_deref(), element)?;
        }
        Ok(())
    }

    fn assign(&mut self, statement: &Statement, name: Option<&str>, value: &Tree) -> Result<(), Failure> {
        self.mark(statement.at);
        if let Some(name) = name {
            let kept = statement.local || matches!(statement.value.kind, Kind::List(_));
            self.text.push_str(if kept { "Local " } else { "" });
            self.text.push_str(name);
            self.text.push_str(" = ");
        }
        self.write(value, false)?;
        self.mark(value.at);
        self.text.push_str(";\n");
        Ok(())
    }
}

/// The elements of lists of lists with their indices.
fn flatten<'a>(tree: &'a Tree, base: usize, index: &mut Vec<usize>, elements: &mut Vec<(Vec<usize>, &'a Tree)>) {
    match &tree.kind {
        Kind::List(list) => {
            for (at, element) in list.iter().enumerate() {
                index.push(base + at);
                flatten(element, base, index, elements);
                index.pop();
            }
        }
        _ => elements.push((index.clone(), tree)),
    }
}
